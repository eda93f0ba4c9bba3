/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dump of data/crashes/broken-cfi-amd64, from the registers and the stack of a real crash.
 *
 *	make-broken-cfi FILE
 *
 * The program in the bundle's source/ was run under a debugger until it crashed. The tables have
 * the registers and the stack of its thread, up to main's return address.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

#define CODE UINT64_C(0x555555554000)
#define LIBC UINT64_C(0x7ffff7dd3000)
#define STACK UINT64_C(0x7fffffffe528)

static const uint64_t stack[] = {
	CODE + 0x122a,	/* 7fffffffe528: back into settle */
	0x1fb6c, 0x76fb6, 0x2, 0x8000000000000006,
	0x5, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0,
	CODE + 0x11ef,	/* 7fffffffe588: left over, where print_receipt had called print_line */
	0x72656863756f76,
	CODE + 0x4068, CODE + 0x4068, 0x3, CODE + 0x4020,
	CODE + 0x129b,	/* 7fffffffe5b8: back into close_day */
	0x0, 0x7fffffffe708, 0x1, 0x0, 0x7fffffffe718,
	CODE + 0x12bb,	/* 7fffffffe5e8: back into main */
	0x7fffffffe708,
	LIBC + 0x2724a,	/* 7fffffffe5f8: back into the C library */
};

/* Values in the order of the architecture's register table. */
static const uint64_t registers[ARCH_REGISTERS] = {
	0x76fb6,          /* rax */
	0x76fb6,          /* rdx */
	0x38,             /* rcx */
	CODE + 0x4058,    /* rbx */
	0x9c4,            /* rsi */
	0x0,              /* rdi */
	0x2,              /* rbp */
	0x7fffffffe528,   /* rsp */
	0x0,              /* r8 */
	0x7ffff7fce6d0,   /* r9 */
	0x7ffff7fca878,   /* r10 */
	0x7ffff7fe0a60,   /* r11 */
	0x96b22,          /* r12 */
	0x3,              /* r13 */
	CODE + 0x3e08,    /* r14 */
	0x7ffff7ffd020,   /* r15 */
	CODE + 0x11f5,    /* rip */
};

/* The build ID from the note of the program's file. */
static const uint8_t program_id[] = {
	'L', 'E', 'p', 'B', 0x92, 0x31, 0xbd, 0xb5, 0x50, 0xc5, 0x1e, 0x2d, 0x4e, 0x76, 0x17,
	0x5e, 0x9c, 0x24, 0xa5, 0xea, 0xec, 0x52, 0xc0, 0xae,
};

int
main(int argc, char **argv)
{
	static const uint32_t vendor[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };
	uint8_t bytes[sizeof(stack)];

	if (argc != 2) {
		fprintf(stderr, "usage: make-broken-cfi FILE\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(stack[i / 8] >> 8 * (i % 8));
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	synth_system(synth, 0, 0, 0, "Linux 6.1.0 x86_64");
	synth_cpu(synth, 6, 0x5507, 2, vendor);
	synth_module(synth, CODE, 0x5000, "/home/shop/till/till", NULL, NULL);
	synth_module_record(synth, program_id, sizeof(program_id));
	synth_module(synth, LIBC, 0x1d5000, "/usr/lib/x86_64-linux-gnu/libc.so.6", NULL, NULL);
	synth_thread(synth, 1204, registers, STACK, bytes, sizeof(bytes));
	synth_exception(synth, 1204, 11, 1, 0);
	synth_exception_registers(synth, registers);
	bool good = synth_write(synth, argv[1]);
	synth_free(synth);
	return good ? 0 : 1;
}
