/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dump of data/crashes/sframe-amd64, from the registers and the stack of a real crash.
 *
 *	make-sframe-crash FILE
 *
 * The program in the bundle's source/ was run under a debugger until it crashed. The tables have
 * the registers and the stack of its thread, up to main's return address.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

#define CODE UINT64_C(0x555555554000)
#define LIBC UINT64_C(0x7ffff7dd3000)
#define STACK UINT64_C(0x7fffffffeac8)

static const uint64_t stack[] = {
	CODE + 0x1151,	/* 7fffffffeac8: back into print_label */
	0x41564952, 0x0, 0x62696c5f5f004554, 0x5f796c7261655f63,
	0x60, 0x0, 0x0, 0x0,
	0x2f2f2f2f2f2f2f2f, 0x2f2f2f2f2f2f2f2f, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x0, 0x0, 0x0,
	0x0, 0x10000005, 0x2,
	CODE + 0x11d9,	/* 7fffffffec08: back into weigh */
	0x384,
	CODE + 0x11cd,	/* 7fffffffec18: back into weigh, which called itself */
	0x2ee0,
	CODE + 0x11cd,	/* 7fffffffec28: back into weigh, which called itself */
	0x6,
	CODE + 0x123a,	/* 7fffffffec38: back into sort_and_weigh */
	0x2ee000000000, 0x8ca000005dc0, 0xea600000bb80, 0x840,
	0x7fffffffedf8, 0x0, 0x1,
	CODE + 0x12ad,	/* 7fffffffec78: back into main */
	0x7fffffffefb4, 0x7fffffffeca0, 0x2ee0, 0x0,
	CODE + 0x2004, 0x7fffffffecc0, 0x384, 0x0,
	0x0, 0x0, 0x14, 0x7ffff7ffdad0,
	0x7fffffffedf8,
	LIBC + 0x2724a,	/* 7fffffffece8: back into the C library */
};

/* Values in the order of the architecture's register table. */
static const uint64_t registers[ARCH_REGISTERS] = {
	0x0,              /* rax */
	0x0,              /* rdx */
	0x7fffffffec58,   /* rcx */
	0x14,             /* rbx */
	0x2ee0,           /* rsi */
	0x7fffffffecc0,   /* rdi */
	0x7fffffffec70,   /* rbp */
	0x7fffffffeac8,   /* rsp */
	0x0,              /* r8 */
	0x7ffff7fce6d0,   /* r9 */
	0x7ffff7fca878,   /* r10 */
	0x7ffff7fe0a60,   /* r11 */
	0x7fffffffec40,   /* r12 */
	0x7fffffffee08,   /* r13 */
	CODE + 0x3e08,    /* r14 */
	0x7ffff7ffd020,   /* r15 */
	CODE + 0x112c,    /* rip */
};

/* Build IDs: that of the program, from its note, and that of Debian 12's C library. */
static const uint8_t program_id[] = {
	'L', 'E', 'p', 'B', 0x3c, 0xb5, 0xc3, 0x56, 0xc6, 0xdd, 0x1a, 0x2f, 0x12, 0x11, 0xe7,
	0x53, 0x91, 0x6f, 0x2f, 0xbb, 0xb3, 0x24, 0xdc, 0x75,
};

int
main(int argc, char **argv)
{
	static const uint32_t vendor[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };
	uint8_t bytes[sizeof(stack)];

	if (argc != 2) {
		fprintf(stderr, "usage: make-sframe-crash FILE\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(stack[i / 8] >> 8 * (i % 8));
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	synth_system(synth, 0, 0, 0, "Linux 6.1.0 x86_64");
	synth_cpu(synth, 6, 0x5507, 2, vendor);
	synth_module(synth, CODE, 0x5000, "/home/postal/parcel/parcel", NULL, NULL);
	synth_module_record(synth, program_id, sizeof(program_id));
	synth_module(synth, LIBC, 0x1d5000, "/usr/lib/x86_64-linux-gnu/libc.so.6", NULL, NULL);
	synth_thread(synth, 4711, registers, STACK, bytes, sizeof(bytes));
	synth_exception(synth, 4711, 11, 1, 0);
	synth_exception_registers(synth, registers);
	bool good = synth_write(synth, argv[1]);
	synth_free(synth);
	return good ? 0 : 1;
}
