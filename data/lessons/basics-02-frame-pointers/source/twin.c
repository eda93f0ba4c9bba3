/* A kettle: three calls, and the innermost one writes through a null pointer. */

static int *cup;

static void
pour(int *into, int amount)
{
	*into = amount;
}

__attribute__((optimize("omit-frame-pointer")))
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
