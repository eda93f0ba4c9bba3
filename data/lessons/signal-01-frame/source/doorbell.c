/* A doorbell: a handler of SIGSEGV that crashes, too. */

struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static int *volatile button, *volatile lamp;

void
restore_rt(void);

__attribute__((noinline)) static void
light(int signal)
{
	*lamp = signal;
}

static void
answer(int signal)
{
	light(signal);
	__asm__ volatile("");
}

__attribute__((noinline)) static int
press(int times)
{
	*button = times;
	return times;
}

__attribute__((noinline)) static int
visit(int guests)
{
	return press(guests + 1) + guests;
}

int
main(void)
{
	struct action action = { answer, 0x04000000, restore_rt, 0 };
	long result;
	register long mask_size __asm__("r10") = sizeof(action.mask);

	__asm__ volatile("syscall"
		: "=a"(result)
		: "0"(13L), "D"(11L), "S"(&action), "d"(0L), "r"(mask_size)
		: "rcx", "r11", "memory");
	return visit(2) + (int)result;
}

/* A handler returns here; the system call brings back all registers. */
__asm__(".type restore_rt, @function\n"
	"restore_rt:\n"
	"\tmov $15, %rax\n"
	"\tsyscall\n"
	".size restore_rt, . - restore_rt\n");

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
