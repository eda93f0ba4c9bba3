/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/*
 * Virtual functions whose arguments stand among the caller's locals, below words that look like return
 * addresses; a thread that waits in an import, for whose arguments the same is true; and a virtual call through
 * a table of data, which is executed.
 */
extern "C" API void WINAPI AcquireSRWLockExclusive(void *);
extern "C" API int WINAPI SleepConditionVariableSRW(void *, void *, dword, dword);

static void *lock, *condition;
static volatile int waiting;

struct first {
	int width = 1;

	virtual int go(int) = 0;
};

struct second {
	int height = 2;

	virtual int run(int, double) = 0;
};

struct both : first, second {
	int sides[5] = { 1, 2, 3, 4, 5 };

	NOINLINE int go(int n) override;
	NOINLINE int run(int n, double factor) override;
};

struct callback {
	int (*call)(void *, int);
	void *self;
};

static callback kept;
static const dword data[6] = { 0x55667788, 2, 3, 4, 5, 6 };
static const dword table[2] = { (dword)data, (dword)data };

extern "C" void
_purecall()
{
	*nowhere = 1;
}

static NOINLINE int
poke(first *object, int n)
{
	volatile int local[12];

	TRACE();
	local[n & 7] = n;
	return object->go(n) + local[n & 7];
}

int
both::run(int n, double factor)
{
	const dword *bad = table;

	TRACE();
	if (n > 3)
		return poke((first *)&bad, n) + (int)factor;
	return sides[n & 3] + kept.call(kept.self, n + 1) + height;
}

int
both::go(int n)
{
	second *other = this;

	TRACE();
	return other->run(n, 2.5 * n) + sides[n & 3];
}

template <typename T>
static NOINLINE int
pump(T *object, int (T::*member)(int), int n)
{
	TRACE();
	return (object->*member)(n) * 2 + one;
}

template <typename L> struct holder {
	L what;

	static NOINLINE int
	call(void *self, int n)
	{
		TRACE();
		return ((holder *)self)->what(n) + one;
	}
};

static NOINLINE int
waits(int n)
{
	TRACE();
	AcquireSRWLockExclusive(&lock);
	waiting++;
	SleepConditionVariableSRW(&condition, &lock, 0xffffffff, 0);
	return n;
}

static int (*const what[2])(int) = { waits, waits };

static NOINLINE int
route(int kind, int depth)
{
	volatile char pad[77];

	TRACE();
	pad[depth] = 1;
	if (depth)
		return route(kind, depth - 1) + pad[depth];
	return what[kind](kind) + pad[0];
}

static dword WINAPI
worker(void *kind)
{
	TRACE();
	return (dword)route((int)kind, 3) + 1;
}

extern "C" int
app(void)
{
	static both object;
	dword id;

	TRACE();
	program_begin();
	CreateThread(0, 0, worker, 0, 0, &id);
	while (!waiting)
		Sleep(5);
	Sleep(50);
	const int k = one;
	auto call = [&](int n) -> int {
		return n > 4 ? object.run(n, 1.5) : pump<first>(&object, &first::go, n + k) + n;
	};
	holder<decltype(call)> held = { call };
	kept = { holder<decltype(call)>::call, &held };
	return kept.call(&held, 1) + one;
}
