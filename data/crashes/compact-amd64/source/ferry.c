/* A ferry: only load() keeps a frame pointer, and the frame of sail() is large. */

struct car {
	long weight;
	const struct car *behind;
};

/* A leaf: it saves no register and moves no stack pointer. */
__attribute__((noinline)) static long
weigh(const struct car *car, long lane)
{
	return car->weight * lane + car->behind->weight;
}

/* It keeps values in registers across the calls, so it saves its caller's registers on the stack. */
__attribute__((noinline)) static long
board(const struct car *first, long lanes, long most)
{
	long sum = 0;

	for (long lane = 1; lane <= lanes && sum < most; lane++)
		sum += weigh(first, lane);
	return sum;
}

/* The size of its array is known only at run time. */
__attribute__((noinline)) static long
load(const struct car *first, long lanes)
{
	volatile long plan[lanes];

	for (long i = 0; i < lanes; i++)
		plan[i] = first->weight;
	return board(first, lanes, 1000) + plan[0];
}

/* Its frame has more than 255 words: too many for a byte of the encoding. */
__attribute__((noinline)) static long
sail(long weight, long lanes)
{
	const struct car car = { weight, 0 };
	volatile long log[260];

	log[weight] = lanes;
	return load(&car, lanes) + log[weight];
}

int
main(void)
{
	volatile long weight = 30, lanes = 2;

	return (int)sail(weight, lanes) - 1;
}

/* The first function of the program: nothing called it, and no encoding describes it. */
__asm__(".globl start\n"
	"start:\n"
	"\txorl %ebp, %ebp\n"
	"\tcallq _main\n"
	"\tud2\n");
