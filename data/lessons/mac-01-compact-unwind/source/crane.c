/* A crane: weigh() keeps its sums below sp and no frame record, load() and hoist() keep one. */

struct crate {
	long weight;
	const struct crate *below;
};

__attribute__((noinline)) static long
weigh(const struct crate *crate, long times)
{
	volatile long sums[4] = { times, 0, 0, 0 };

	sums[times & 3] += crate->weight * times;
	sums[1] += crate->below->weight;
	return sums[0] + sums[1];
}

__attribute__((noinline)) static long
load(const struct crate *crate, long count, long most)
{
	long sum = 0;

	for (long i = 0; i < count && sum < most; i++)
		sum += weigh(crate, i + count);
	return sum;
}

__attribute__((noinline)) static long
hoist(long weight, long rows)
{
	const struct crate crate = { weight, 0 };
	volatile long plan[rows];

	for (long i = 0; i < rows; i++)
		plan[i] = weight;
	return load(&crate, rows, 100 * weight) + plan[0];
}

int
main(void)
{
	volatile long rows = 3;

	return (int)hoist(12, rows) - 1;
}

/* The first function of the program: nothing called it, and no encoding describes it. */
#ifdef __aarch64__
__asm__(".globl start\n"
	"start:\n"
	"\tmov x29, #0\n"
	"\tmov x30, #0\n"
	"\tbl _main\n"
	"\tbrk #1\n");
#endif
