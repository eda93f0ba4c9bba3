/* A shelf: pile() moves rsp down to a multiple of 64, by a distance known at run time only. */

struct box {
	long weight;
	struct box *below;
};

__attribute__((noinline)) static long
lift(const struct box *box, long times)
{
	return box->weight * times + box->below->weight;
}

__attribute__((noinline)) static long
pile(const struct box *box, long count)
{
	_Alignas(64) volatile long sums[8] = { 0 };

	for (long i = 0; i < count; i++)
		sums[i & 7] += lift(box, i);
	return sums[0];
}

__attribute__((noinline)) static long
store(long weight)
{
	struct box box = { weight, 0 };

	return pile(&box, 3) + box.weight;
}

int
main(void)
{
	return (int)store(12) - 1;
}

/* The first function of the program: nothing called it. */
__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"\t.cfi_startproc\n"
	"\t.cfi_undefined rip\n"
	"\txor %ebp, %ebp\n"
	"\tcall main\n"
	"\tmov %eax, %edi\n"
	"\tmov $60, %eax\n"
	"\tsyscall\n"
	"\thlt\n"
	"\t.cfi_endproc\n"
	".size _start, . - _start\n");

/* build x86_64: -O1 -fomit-frame-pointer -mforce-drap -nostdlib -static-pie -fno-stack-protector
 *	-fasynchronous-unwind-tables -Wl,-z,noseparate-code -fcf-protection=none */
