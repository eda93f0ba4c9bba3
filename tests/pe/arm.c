/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions with the prologues that clang writes for ARM on Windows, for arm.dll (clang 19; older
 * ones write no unwind data for C):
 *
 *	target=--target=thumbv7-pc-windows-msvc
 *	clang $target -O2 -ffreestanding -fno-builtin -fasynchronous-unwind-tables -c -o c.obj arm.c
 *	clang $target -c -o s.obj arm.s
 *	lld-link -Brepro -opt:noref -dll -noentry -machine:arm -out:arm.dll c.obj s.obj
 */
#define OWN __attribute__((noinline))

typedef __builtin_va_list va_list;

struct big {
	int v[40];
};

static volatile int counts[8];
int _fltused;

void
__chkstk(void)
{
}

void *
memset(void *to, int value, unsigned size)
{
	for (volatile char *at = to; size > 0; size--)
		*at++ = (char)value;
	return to;
}

void *
memcpy(void *to, const void *from, unsigned size)
{
	const char *next = from;

	for (volatile char *at = to; size > 0; size--)
		*at++ = *next++;
	return to;
}

OWN int
use(int *words, ...)
{
	counts[*words & 7]++;
	return *words + counts[1];
}

OWN int
two(int a, int b)
{
	int words[2] = { a, b };

	return use(words) + b;
}

OWN int
many_registers(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int x = use(&a), y = use(&b), z = use(&c), q = use(&d), r = use(&e), s = use(&f);
	int t = use(&g, h);

	use(&x, y, z, q, r, s, t);
	return x * y + z * q - r * s + t * a * b * c;
}

OWN int
large(int a)
{
	int words[3000];

	for (int i = 0; i < 3000; i++)
		words[i] = a;
	return use(words) + words[17];
}

OWN int
huge(int a)
{
	int words[30000];

	words[a] = a;
	return use(words) + words[17];
}

OWN int
dynamic(int a)
{
	int *words = __builtin_alloca(a * 4);

	words[a / 2] = a;
	int sum = use(words, a);
	return sum + use(&sum) + a;
}

OWN int
middling(int a)
{
	int words[200];

	words[a] = 1;
	return use(words) + words[17] + a;
}

OWN int
variable(int n, ...)
{
	va_list list;
	int sum = 0;

	__builtin_va_start(list, n);
	while (n--)
		sum += __builtin_va_arg(list, int);
	return use(&sum) + sum;
}

OWN double
floats(double a, double b, double c, double d, float e)
{
	int word = 1;
	double sum = a * b;

	use(&word);
	sum += c * d;
	use(&word);
	sum = sum / a + b * c * d + e;
	use(&word, sum);
	return sum * a * b * c * d;
}

OWN double
one_float(double a)
{
	int word = 1;

	use(&word);
	return a * a;
}

OWN int
early_returns(int a, int *p)
{
	if (p == 0)
		return 1;
	if (a > 10)
		return use(p) + 1;
	int x = use(p, a);
	if (x)
		return two(x, a);
	return use(&x, x) + many_registers(a, a, a, a, a, a, a, a);
}

OWN int
tail(int a, int *p)
{
	int z = use(p);

	return z > a ? two(z, a) : use(&a) * z;
}

OWN void
leaf(int a)
{
	counts[1] = a;
}

OWN struct big
by_value(struct big x, int a)
{
	struct big b = x;

	b.v[3] = use(b.v, a);
	return b;
}

int
start(int a)
{
	struct big b = { .v[1] = a };

	leaf(a);
	return two(a, a) + many_registers(a, a, a, a, a, a, a, a) + large(a) + huge(a) +
	       dynamic(a) + middling(a) + variable(3, a, a, a) + (int)floats(a, 1, 2, 3, 4) +
	       (int)one_float(a) + early_returns(a, b.v) + tail(a, b.v) + by_value(b, a).v[2];
}
