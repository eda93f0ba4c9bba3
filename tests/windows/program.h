/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WINDOWS_PROGRAM_H
#define TESTS_WINDOWS_PROGRAM_H

/**
 * Programs of 32-bit Windows that crash and write their own dump and true stack, without an SDK
 * or a C library (see build). Each function on the way down logs where its return address is,
 * inline, so that it needs no frame for it.
 */
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned long dword;
typedef void *handle;
#define API __declspec(dllimport)
#define WINAPI __stdcall
#define NOINLINE __declspec(noinline)

API dword WINAPI GetCurrentThreadId(void);
API void WINAPI Sleep(dword);
API dword WINAPI SleepEx(dword, int);
API dword WINAPI WaitForSingleObject(handle, dword);
API handle WINAPI CreateThread(void *, dword, dword(WINAPI *)(void *), void *, dword, dword *);
API dword WINAPI QueueUserAPC(void(WINAPI *)(dword), handle, dword);

void *_AddressOfReturnAddress(void);
void program_log(void *slot, void *back);
#define TRACE() program_log(_AddressOfReturnAddress(), __builtin_return_address(0))

void program_begin(void);	/* write dump and log at the first exception without a handler */
extern volatile int one;	/* always 1 */
extern int *volatile nowhere;	/* always NULL */
int app(void);			/* the program's own part */
#ifdef __cplusplus
}
#endif

#endif
