/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* A window procedure that faults: user32.dll called it for the kernel, which creates the window. */
struct window_class {
	unsigned style;
	void *procedure;
	int extra[2];
	handle instance, icon, cursor, brush;
	const char *menu, *name;
};

#define MESSAGES_ONLY ((handle)-3)
#define WM_CREATE 1u

API unsigned short WINAPI RegisterClassA(const struct window_class *);
API handle WINAPI
CreateWindowExA(dword, const char *, const char *, dword, int, int, int, int, handle, handle,
		handle, void *);
API dword WINAPI DefWindowProcA(handle, unsigned, dword, dword);
API void *WINAPI AddVectoredExceptionHandler(dword, long(WINAPI *)(void *));
API long WINAPI UnhandledExceptionFilter(void *);

static volatile int windows;

static NOINLINE int
deeper(int n)
{
	TRACE();
	if (n > 0)
		return deeper(n - 1) + one;
	*nowhere = n;
	return n + one;
}

static NOINLINE dword
creates(void)
{
	TRACE();
	windows++;
	return (dword)CreateWindowExA(0, "window", "", 0, 0, 0, 9, 9, MESSAGES_ONLY, 0, 0, 0) + one;
}

static NOINLINE dword
created(void)
{
	TRACE();
	return windows == 1 ? creates() + one : (dword)deeper(3);
}

static dword WINAPI
procedure(handle window, unsigned message, dword one_word, dword other)
{
	return message == WM_CREATE ? created() + one
				    : DefWindowProcA(window, message, one_word, other);
}

/* ntdll.dll handles what a callback leaves unhandled: nothing would be written. */
static long WINAPI
first(void *exception)
{
	return UnhandledExceptionFilter(exception);
}

int
app(void)
{
	static const struct window_class own = { .procedure = procedure, .name = "window" };

	TRACE();
	program_begin();
	AddVectoredExceptionHandler(1, first);
	RegisterClassA(&own);
	return (int)creates();
}
