/* A ruler: measure() is entered, pushes a register, makes room for marks, and calls tick(). */

static volatile int ticks;

__attribute__((noinline)) static int
tick(int *marks, int count)
{
	ticks += count;
	return marks[0] + marks[count - 1];
}

__attribute__((noinline)) static int
measure(int length)
{
	int marks[8] = { 1, 2, 4, 8 };

	marks[5] = length;
	return tick(marks, 6) + length;
}

int
main(void)
{
	int sum = 0;

	for (int length = 30; length < 33; length++)
		sum += measure(length);
	return sum;
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
