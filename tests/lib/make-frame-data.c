/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dump of data/crashes/frame-data-x86, word by word.
 *
 *	make-frame-data FILE
 *
 * A crash of the program in its source/ on 32-bit Windows. The addresses are those of its symbol
 * file. The stacks are written here as the functions would have pushed them. The bundle's README
 * explains each word.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

enum { CODE = 0x400000, DATA = 0x403000, KERNEL32 = 0x7c800000, NTDLL = 0x7c900000 };

#define CRASHING_STACK 0x0012fe8cu
#define WAITING_STACK 0x00c4ff58u

/* From the lowest address up; a comment gives the address of the first word. */
static const uint32_t crashing[] = {
	/* 12fe8c: balance_of, no frame pointer: the esi of its caller, pushed */
	DATA + 8,
	CODE + 0x1048,	/* back into add_up */
	/* 12fe94: add_up: its argument for balance_of, edi, esi and ebx of its caller, locals */
	0,
	0x00320d58, 0x00320a10, 0x00000003,
	175,		/* sum */
	2,		/* i */
	/* 12feac: the ebp of its caller, which kept a FILE there */
	0x00320a10,
	CODE + 0x10b6,	/* back into read_ledger */
	/* 12feb4: read_ledger, no frame pointer: its arguments for add_up, esi and ebp, locals */
	DATA, 3,
	0x00320d58, 0x0012feec,
	3,		/* id */
	3,		/* count */
	0x00320a10,	/* file */
	CODE + 0x1060,	/* visit, a word that looks like a return address into add_up */
	/* 12fed4 */
	CODE + 0x1105,	/* back into main */
	/* 12fed8: main: its argument for read_ledger, esi of its caller, locals */
	0x00320d58,
	0x00000000, 0x00000068,
	5,		/* minutes */
	/* 12fee8 */
	0x00000000,
	0x0012ff2c,
	CODE + 0x12a8,	/* back into the start-up code */
	/* 12fef4: argc, argv */
	2, 0x00320d40,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 12ff2c */
	0x0012ff5c,
	KERNEL32 + 0x16fd7,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 12ff5c: the first function of a thread has no caller */
	0, 0,
	KERNEL32 + 0x16f00, 0, 0,
};

static const uint32_t waiting[] = {
	/* c4ff58: inside a system call */
	NTDLL + 0xd85c, KERNEL32 + 0x23ed, 0, 0x00c4ff68, 0xdc3cba00, 0xffffff4d, 0,
	/* c4ff74 */
	0x00c4ff8c, KERNEL32 + 0x2451,
	300000, 0, 0, 0,
	/* c4ff8c */
	0x00c4ffb4,
	CODE + 0x1138,	/* back into autosave */
	300000, 0, 0, 0, 0, 0, 0, 0,
	/* c4ffb4 */
	0x00c4ffec,
	KERNEL32 + 0xb50b,
	0x0012fee4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* c4ffec */
	0, 0, 0,
};

/* Context values in the order of the architecture's register table. */
static const uint64_t crashing_registers[ARCH_REGISTERS] = {
	CODE + 0x1005,		/* eip */
	CRASHING_STACK,		/* esp */
	0x0012feac,		/* ebp */
	175,			/* ebx */
	0,			/* esi: the account */
	DATA,			/* edi */
	175, 2, 3, 0x00010202,	/* eax, ecx, edx, eflags */
};

static const uint64_t waiting_registers[ARCH_REGISTERS] = {
	NTDLL + 0xeb94, WAITING_STACK, 0x00c4ff74, 0, 0, 0, 0, 0, 0, 0x00000246,
};

/* Add a thread whose stack has the byte order of the crashed processor. */
static void
add_thread(struct synth *synth, uint32_t id, const uint64_t *registers, uint32_t base,
	   const uint32_t *words, size_t count)
{
	uint8_t bytes[512];

	for (size_t i = 0; i < count * 4; i++)
		bytes[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
	synth_thread(synth, id, registers, base, bytes, count * 4);
}

static void
add_modules(struct synth *synth)
{
	synth_module(synth, CODE, 0x8000, "c:\\ledger\\ledger.exe", "c:\\ledger\\ledger.pdb",
		     "7A1C35E09B2D4F6885C3D1E0F2A4B6C81");
	synth_module_version(synth, 0x00010000, 0x00020000, 0x4b2f1d00);
	synth_module(synth, KERNEL32, 0xf4000, "c:\\windows\\system32\\kernel32.dll",
		     "kernel32.pdb", "BCE8785C57B44245A669896B6A19B9542");
	synth_module(synth, NTDLL, 0xb0000, "c:\\windows\\system32\\ntdll.dll", "ntdll.pdb",
		     "36515FB5D04345E491F672FA2E2878C02");
}

int
main(int argc, char **argv)
{
	static const uint32_t vendor[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };

	if (argc != 2) {
		fprintf(stderr, "usage: make-frame-data FILE\n");
		return 2;
	}
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	synth_system(synth, 5, 1, 2600, "Service Pack 3");
	synth_cpu(synth, 6, 0x0d08, 1, vendor);
	add_modules(synth);
	add_thread(synth, 0x5d4, crashing_registers, CRASHING_STACK, crashing,
		   ARRAY_COUNT(crashing));
	add_thread(synth, 0x5f0, waiting_registers, WAITING_STACK, waiting, ARRAY_COUNT(waiting));
	synth_exception(synth, 0x5d4, 0xc0000005, 0, CODE + 0x1005);
	synth_parameter(synth, 0);
	synth_parameter(synth, 8);
	synth_exception_registers(synth, crashing_registers);
	synth_misc(synth, 0x5cc, 0x4b2f1d40);
	bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
