/* A kettle: three calls, and the innermost one writes through a null pointer. */

static int *cup;

static void
pour(int *into, int amount)
{
	*into = amount;
}

static int
brew(int spoons, int water)
{
	int strength = spoons * 100 / water;

	pour(cup, water);
	return strength;
}

static int
serve(int guests)
{
	int spoons = guests + 1;

	return brew(spoons, guests * 2);
}

int
main(void)
{
	int guests = 3;

	return serve(guests);
}

/* The first function of the program: nothing called it. */
#ifdef __aarch64__
__asm__(".globl _start\n"
	".type _start, %function\n"
	"_start:\n"
	"\t.cfi_startproc\n"
	"\t.cfi_undefined x30\n"
	"\tmov x29, #0\n"
	"\tmov x30, #0\n"
	"\tbl main\n"
	"\tmov x8, #93\n"
	"\tsvc #0\n"
	"\t.cfi_endproc\n"
	".size _start, . - _start\n");
#else
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
#endif

/* build: -O0 -nostdlib -static-pie -fno-stack-protector
 *	-fasynchronous-unwind-tables -Wl,-z,noseparate-code */
/* build x86_64: -mno-red-zone -fcf-protection=none */
