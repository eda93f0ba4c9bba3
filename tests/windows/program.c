/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* Entry point, log and writer of the dump. */
struct exception {
	void *record, *context;
};

struct information {
	dword thread;
	struct exception *pointers;
	int client;
};

typedef int(WINAPI *writer)(handle, dword, handle, dword, struct information *, void *, void *);

API handle WINAPI CreateFileA(const char *, dword, dword, void *, dword, dword, handle);
API int WINAPI WriteFile(handle, const void *, dword, dword *, void *);
API handle WINAPI GetCurrentProcess(void);
API dword WINAPI GetCurrentProcessId(void);
API int WINAPI TerminateProcess(handle, dword);
API void *WINAPI SetUnhandledExceptionFilter(long(WINAPI *)(struct exception *));
API handle WINAPI LoadLibraryA(const char *);
API writer WINAPI GetProcAddress(handle, const char *);

enum { MOST = 256 };

static struct {
	dword slot, back;
} logged[MOST];

static volatile long count;
volatile int one = 1;
int *volatile nowhere;
int _fltused = 1;

void
program_log(void *slot, void *back)
{
	const long at = __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST) & (MOST - 1);

	logged[at].slot = (dword)slot;
	logged[at].back = (dword)back;
}

static char *
hex(char *to, dword value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[value >> shift & 15];
	return to;
}

static long WINAPI
write_dump(struct exception *exception)
{
	const writer write = GetProcAddress(LoadLibraryA("dbghelp.dll"), "MiniDumpWriteDump");
	const handle dump = CreateFileA("out.dmp", 0xc0000000, 0, 0, 2, 0, 0);
	const handle text = CreateFileA("out.log", 0xc0000000, 0, 0, 2, 0, 0);
	struct information information = { GetCurrentThreadId(), exception, 0 };
	dword done;

	write(GetCurrentProcess(), GetCurrentProcessId(), dump, 0, &information, 0, 0);
	for (long i = 0; i < count && i < MOST; i++) {
		char line[18], *end = hex(line, logged[i].slot);

		*end++ = ' ';
		end = hex(end, logged[i].back);
		*end++ = '\n';
		WriteFile(text, line, (dword)(end - line), &done, 0);
	}
	TerminateProcess(GetCurrentProcess(), 3);
	return 1;
}

void
program_begin(void)
{
	SetUnhandledExceptionFilter(write_dump);
}

int
start(void)
{
	TRACE();
	return app() + one;
}
