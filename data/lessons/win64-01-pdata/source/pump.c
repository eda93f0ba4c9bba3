/* A pump for 64-bit Windows, without a library: valve() writes through a null pointer. */

static long *volatile gauge;

__attribute__((noinline)) static long
valve(long pressure)
{
	*gauge = pressure;
	return pressure;
}

__attribute__((noinline)) static long
stroke(long *levels, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += valve(levels[i] + sum);
	return sum;
}

__attribute__((noinline)) static long
run(long first)
{
	long levels[6] = { first, 2, 3, 4, 5, 6 };

	return stroke(levels, 6) + levels[5];
}

int
start(void)
{
	return (int)run(7) - 1;
}
