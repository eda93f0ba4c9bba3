/* A mixer: blend() runs on an aligned stack, and its helper reads through a null pointer. */

struct jar {
	int sugar, fruit;
	struct jar *lid;
};

int
with_aligned(int (*function)(struct jar *), struct jar *jar);

__attribute__((noinline)) static int
taste(const struct jar *jar, int spoons)
{
	return jar->sugar * spoons + jar->fruit;
}

static int
blend(struct jar *jar)
{
	int first = taste(jar, 2);
	int second = taste(jar->lid, first);

	return first + second + jar->fruit;
}

__attribute__((noinline)) static int
cook(int sugar)
{
	struct jar jar = { sugar, 4, 0 };

	return with_aligned(blend, &jar) + jar.sugar;
}

int
main(void)
{
	return cook(7) - 1;
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
 *	-fasynchronous-unwind-tables -Wl,-z,noseparate-code
 *	-fcf-protection=none align.S */
