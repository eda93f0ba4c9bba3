/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions with the prologues of ARM64 on Windows, for arm64.dll:
 *
 *	target=--target=aarch64-pc-windows-msvc
 *	clang $target -O2 -ffreestanding -fno-builtin -fasynchronous-unwind-tables -c -o c.obj arm64.c
 *	clang $target -c -o s.obj arm64.s
 *	lld-link -dll -noentry -machine:arm64 -export:start -export:chained -export:chained_saves \
 *		-export:chained_large -export:beside_link_register -export:frame_above \
 *		-out:arm64.dll c.obj s.obj
 */
#define OWN __attribute__((noinline))

static volatile int counts[8];
int _fltused;

void
__chkstk(void)
{
}

OWN static int
use(int *words, ...)
{
	counts[*words & 7]++;
	return *words + counts[1];
}

OWN static int
leaf(int a)
{
	return a * 3 + counts[2];
}

OWN static int
link_register_alone(int a)
{
	int words[4] = { a };

	return use(words) + 1;
}

OWN static int
many_registers(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int words[100] = { a };
	int sum = use(words);

	sum += use(words, b, c);
	sum += use(words, d, e, f);
	return sum * g + h + use(words) + a * b * c;
}

OWN static double
floats(double a, double b, double c, double d)
{
	int word = 3;
	double sum = a * b;

	sum += use(&word);
	sum += c * use(&word);
	return sum * d + a + use(&word) * b;
}

OWN static int
probed(int a)
{
	char bytes[20000];

	bytes[a] = 1;
	return use((int *)bytes) + bytes[3];
}

OWN static int
two_subtractions(int a)
{
	char bytes[6000];

	bytes[a] = 1;
	int sum = use((int *)bytes);
	return sum + bytes[3] + use(&sum);
}

OWN static int
variadic(int count, ...)
{
	__builtin_va_list list;
	int sum = 0;

	__builtin_va_start(list, count);
	while (count-- > 0)
		sum += __builtin_va_arg(list, int) + use(&sum);
	__builtin_va_end(list);
	return sum;
}

OWN static int
several_epilogues(int a)
{
	int words[8] = { a };

	if (a < 3)
		return a;
	if (use(words))
		return 5;
	use(words, 1);
	return words[2];
}

OWN static int
recursive(int *words, int depth)
{
	return depth > 0 ? use(words) + recursive(words + 1, depth - 1) : leaf(*words);
}

OWN static int
tail_call(int *words)
{
	use(words);
	return recursive(words, 3);
}

int
start(void)
{
	int words[8] = { 3 };

	return link_register_alone(1) + many_registers(1, 2, 3, 4, 5, 6, 7, 8) +
	       (int)floats(1, 2, 3, 4) + probed(3) + two_subtractions(1) + variadic(3, 1, 2, 3) +
	       several_epilogues(4) + recursive(words, 2) + tail_call(words);
}
