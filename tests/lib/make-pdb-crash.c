/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dump of data/crashes/pdb-x86, from the registers and the stack of a real crash.
 *
 *	make-pdb-crash FILE
 *
 * The program in the bundle's binaries/ was mapped at its address and run by a small loader for
 * Linux until it crashed; it calls no Windows function. The dump has kernel32 in place of the
 * loader.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

enum { CODE = 0x400000, DATA = 0x403000, KERNEL32 = 0x7b600000 };

#define STACK 0x0012ff6cu

static const uint32_t stack[] = {
	/* 12ff6c: roll::total: esi, edi, ebx, ebp of its caller; ebp has the discount */
	0, 0x0012ffa4, 3, 5,
	CODE + 0x1028,	/* 12ff7c: back into evening */
	5,		/* its argument for total: the discount */
	/* 12ff84: evening: esi, edi, ebx and ebp of its caller */
	3, 0x10a0, 0x7ffd4000, 0,
	CODE + 0x107b,	/* 12ff94: back into close_day, into which half_price is inlined */
	0x0012ffa4, 5, 2,	/* its arguments for evening, which takes them from the stack */
	DATA, 3,	/* 12ffa4: rolls */
	0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100,	/* 12ffac: till */
	0,		/* 12ffdc: esi of its caller */
	CODE + 0x10ac,	/* 12ffe0: back into start */
	DATA, 3,	/* its arguments for close_day */
	KERNEL32 + 0x293e0,	/* 12ffec */
	0, 0, 0, 0,
};

/* In the order of the register table: eip, esp, ebp, ebx, esi, edi, eax, ecx, edx, eflags. */
static const uint64_t registers[ARCH_REGISTERS] = {
	CODE + 0x10e7, STACK, 0, 0x398, 5, 2, 7, DATA, 3, 0x00010202,
};

int
main(int argc, char **argv)
{
	static const uint32_t vendor[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };
	uint8_t bytes[sizeof(stack)];

	if (argc != 2) {
		fprintf(stderr, "usage: make-pdb-crash FILE\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(stack[i / 4] >> 8 * (i % 4));
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	synth_system(synth, 6, 1, 7601, "Service Pack 1");
	synth_cpu(synth, 6, 0x0d08, 1, vendor);
	synth_module(synth, CODE, 0x5000, "c:\\kiosk\\kiosk.exe", "kiosk.pdb",
		     "5927407275412C1C4C4C44205044422E1");
	synth_module_version(synth, 0x00010000, 0, 0x6736E9C6);
	synth_module(synth, KERNEL32, 0x156000, "c:\\windows\\system32\\kernel32.dll",
		     "kernel32.pdb", "BCE8785C57B44245A669896B6A19B9542");
	synth_thread(synth, 0x2a4, registers, STACK, bytes, sizeof(bytes));
	synth_exception(synth, 0x2a4, 0xc0000005, 0, CODE + 0x10e7);
	synth_parameter(synth, 0);
	synth_parameter(synth, 0);
	synth_exception_registers(synth, registers);
	synth_misc(synth, 0x2a0, 0x69212f40);
	const bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
