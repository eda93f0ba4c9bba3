/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* An APC that faults in a thread that sleeps, while the thread that sent it waits. */
static NOINLINE int
deeper(int n)
{
	TRACE();
	if (n > 0)
		return deeper(n - 1) + one;
	*nowhere = n;
	return n + one;
}

static void WINAPI
call(dword n)
{
	TRACE();
	one += deeper((int)n);
}

static NOINLINE int
sleeps(int n)
{
	TRACE();
	for (; n > 0; n--)
		SleepEx(100000, 1);
	return n + one;
}

static dword WINAPI
worker(void *n)
{
	TRACE();
	return (dword)sleeps((int)n) + 1;
}

int
app(void)
{
	dword number;

	TRACE();
	program_begin();
	const handle thread = CreateThread(0, 0, worker, (void *)5, 0, &number);
	Sleep(200);
	QueueUserAPC(call, thread, 3);
	WaitForSingleObject(thread, 0xffffffff);
	return one;
}
