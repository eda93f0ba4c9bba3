/* A gate: refuse() never returns, so nothing comes after its last call. */

static int *bell;

__attribute__((noinline, noreturn)) static void
ring(int loudness)
{
	*bell = loudness;
	for (;;)
		;
}

__attribute__((noinline, noreturn)) static void
refuse(int guests)
{
	ring(guests * 10);
}

__attribute__((noinline)) static int
add_up(const int *guests, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += guests[i];
	return sum;
}

__attribute__((noinline)) static int
count_guests(int first)
{
	int guests[4] = { first, 2, 3, 4 };

	return add_up(guests, 4) + first;
}

int
main(void)
{
	int guests = count_guests(5);

	if (guests > 12)
		refuse(guests);
	return guests;
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

/* build x86_64: -O1 -fomit-frame-pointer -nostdlib -static-pie -fno-stack-protector
 *	-fasynchronous-unwind-tables -Wl,-z,noseparate-code -fcf-protection=none */
