/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/*
 * Virtual functions (thiscall), and a call with an argument through a null pointer. The function that makes it
 * has saved a register in which its caller kept another return address.
 */
typedef int (*function)(int);
static function volatile nothing;

struct shape {
	int width;

	virtual int area(int factor) = 0;
	virtual int
	grow(int factor)
	{
		const dword back = (dword)__builtin_return_address(0);

		TRACE();
		return area(factor) + width + (int)(back & 1);
	}
};

struct square : shape {
	int sides[5];

	NOINLINE int
	area(int factor) override
	{
		TRACE();
		return nothing(factor + sides[factor & 3]) * factor + sides[1];
	}
	NOINLINE int
	add(int a, int b, int c)
	{
		TRACE();
		return grow(a + b) + c;
	}
};

extern "C" void
_purecall()
{
	*nowhere = 1;
}

template <typename T>
static NOINLINE int
apply(T what, int n)
{
	volatile char pad[100];

	TRACE();
	pad[n] = 1;
	return what(n) + pad[n];
}

extern "C" int
app(void)
{
	square made;

	TRACE();
	program_begin();
	made.width = one;
	for (int i = 0; i < 5; i++)
		made.sides[i] = i;
	const auto call = [&](int n) NOINLINE {
		TRACE();
		return made.add(n, 2, 3) + one;
	};
	return apply(call, 1 + one) + one;
}
