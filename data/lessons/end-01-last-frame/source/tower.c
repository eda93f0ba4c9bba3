/* A tower: main climbs and falls, and a second thread waits. Each has a first function of its own. */

static long cellar[512];
static volatile int waiting;
static int *volatile rope;

void
enter_cellar(void);

__attribute__((noinline)) static long
rest(long number)
{
	long result;

	waiting = 1;
	__asm__ volatile("syscall" : "=a"(result) : "0"(number) : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) static long
watch(long hours)
{
	volatile long log[8] = { hours };

	return rest(34) + log[hours & 7];
}

/* The second thread: enter_cellar calls it. */
__attribute__((used)) static int
keep_cellar(void)
{
	return (int)watch(2) + 1;
}

__attribute__((noinline)) static int
climb(int steps)
{
	*rope = steps;
	return steps;
}

__attribute__((noinline)) static int
tour(int guests)
{
	return climb(guests * 40) + guests;
}

int
main(void)
{
	long result;

	/* clone: the memory, files, signals and the process are shared. */
	__asm__ volatile("xor %%r10d, %%r10d\n"
		"\txor %%r8d, %%r8d\n"
		"\tsyscall\n"
		"\ttest %%rax, %%rax\n"
		"\tjz enter_cellar"
		: "=a"(result)
		: "0"(56L), "D"(0x10f00L), "S"(cellar + 510), "d"(0L)
		: "rcx", "r8", "r10", "r11", "memory");
	while (!waiting)
		;
	return tour(3) + (int)result;
}

/* The first function of the second thread. */
__asm__(".globl enter_cellar\n"
	".type enter_cellar, @function\n"
	"enter_cellar:\n"
	"\t.cfi_startproc\n"
	"\t.cfi_undefined rip\n"
	"\txor %ebp, %ebp\n"
	"\tcall keep_cellar\n"
	"\tmov %eax, %edi\n"
	"\tmov $60, %eax\n"
	"\tsyscall\n"
	"\thlt\n"
	"\t.cfi_endproc\n"
	".size enter_cellar, . - enter_cellar\n");

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
