/* A shop: pay() is called, and the three functions that it calls are inlined into it. */

struct item {
	int price, count;
	const struct item *next;
};

static int discounts[2];
static volatile int paid;

static inline __attribute__((always_inline)) int
price_of(const struct item *item)
{
	return item->price * item->count;
}

static inline __attribute__((always_inline)) int
price_of_next(const struct item *item)
{
	return price_of(item->next);
}

static inline __attribute__((always_inline)) int
reduced(const struct item *item, int percent)
{
	discounts[percent > 5]++;
	return price_of_next(item) * (100 - percent) / 100;
}

__attribute__((noinline)) static int
pay(const struct item *item, int percent)
{
	int price = reduced(item, percent);

	paid += price;
	return price;
}

__attribute__((noinline)) static int
sell(const struct item *item, int percent)
{
	int first = pay(item, percent);

	return first + pay(item->next, percent + 2);
}

__attribute__((noinline)) static int
open_shop(int customers)
{
	struct item apple = { 30, 2, 0 }, bread = { 250, 1, &apple };
	int sum = 0;

	for (int i = 1; i <= customers; i++)
		sum += sell(&bread, i);
	return sum;
}

int
main(void)
{
	return open_shop(5) + 1;
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

/* build: -O1 -fomit-frame-pointer -nostdlib -static-pie -fno-stack-protector
 *	-fasynchronous-unwind-tables -Wl,-z,noseparate-code */
/* build x86_64: -fcf-protection=none */
