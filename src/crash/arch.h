/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_ARCH_H
#define CRASH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/**
 * What unwinding needs of an architecture: one table each.
 *
 * Register numbers are indexes into the table of their architecture, so that a
 * set of registers is an array and a mask. Nothing else in the program refers to a
 * register by its name.
 */
#define ARCH_REGISTERS 48	/* most registers of any table, with room */
#define ARCH_NO_REGISTER (-1)

/** The operating systems that dumps name. */
enum crash_os {
	CRASH_OS_UNKNOWN,
	CRASH_OS_WINDOWS,
	CRASH_OS_LINUX,
	CRASH_OS_ANDROID,
	CRASH_OS_MAC,
	CRASH_OS_IOS,
	CRASH_OS_SOLARIS,
	CRASH_OS_NACL,
	CRASH_OS_FUCHSIA,
	CRASH_OS_PS3,
};

enum arch_id {
#define ARCH(id) ARCH_##id,
#include "crash/arch_id.def"
#undef ARCH
	ARCH_COUNT
};

/** One register of an architecture. */
struct arch_register {
	const char *name;	/* as STACK CFI rules spell it ("$rsp"); NULL: never in rules */
	const char *label;	/* as people write it and reports print it ("rsp", "fp") */
	bool callee_saved;	/* kept across calls by the ABI that Breakpad forwards by */
	bool saved_on_windows;	/* kept by the ABI of 64-bit Windows as well */
};

/** A word of a saved context that user code cannot have otherwise. */
struct arch_signal_mark {
	const char *rule;		/* one rule; its value's bits under `mask` must be `bits` */
	uint64_t mask, bits;
};

enum arch_order {
	ARCH_ORDER_ANY,
	ARCH_ORDER_LITTLE,
	ARCH_ORDER_BIG
};

/**
 * A signal frame of Linux, or the frame in which Windows hands out an exception: the kernel has
 * saved every register on the stack.
 */
struct arch_signal_frame {
	unsigned on;			/* systems, bits 1 << enum crash_os */
	/*
	 * Names of what the handler returns to, ended by NULL. None: a function that calls the
	 * handler; the marks are enough.
	 */
	const char *trampolines[4];
	/* With the stack pointer as it is there; all begin with it */
	const char *rules;
	const char *pc;			/* the one of `rules` that gives the program counter */
	struct arch_signal_mark marks[5];	/* ended by one without a rule */
	enum arch_order order;		/* of the bytes it is for */
	/* A context alone, somewhere in a frame: rules count from it */
	bool apart;
	/* The library below which one is; other registers were not saved */
	const char *callback;
	/* The pc is a return address; others are where code was interrupted */
	bool returned;
	/*
	 * The address of floating-point and vector registers, a rule (NULL: not known); where
	 * they are one of several records of a kind and a length, those of this kind. Then where
	 * the banks of struct arch begin there.
	 */
	const char *floats;
	uint32_t floats_kind;
	uint16_t floats_at[2];
};

struct arch {
	enum arch_id id;
	const char *name;		/* as Breakpad prints it: "x86", "amd64", "arm", "arm64" */

	/* How files call it. */
	const char *symbol_names;	/* of MODULE records, with blanks between; NULL: none */
	const char *microdump_name;	/* NULL: none */
	const uint16_t *processors;	/* of minidumps: the first is written, all are read */
	size_t processor_count;
	uint16_t elf_machine, pe_machine;	/* 0: none */
	unsigned elf_words;		/* word sizes of ELF files that count: 4, 8 or both */

	/* Registers. */
	unsigned word_size;		/* bytes of an address and of a postfix value: 4 or 8 */
	unsigned register_size;		/* of a register in contexts: 4 or 8 */
	unsigned report_size;		/* of what Breakpad's text prints of a register: 4 or 8 */
	const struct arch_register *registers;
	int register_count;		/* 0: of ARCH_UNKNOWN alone */
	int pc, sp, fp, lr;		/* register numbers; lr may be ARCH_NO_REGISTER */
	int dwarf_count;		/* registers that have DWARF numbers, from 0 on */
	const int8_t *dwarf_order;	/* numbers here by those of DWARF; NULL: the same */
	/* What CodeView adds to the numbers of DWARF; 0: they differ more */
	int codeview_first;
	struct arch_bank {		/* floating-point or vector registers of one kind */
		/* Their numbers of DWARF; count 0: there are no more kinds */
		int first, count;
		unsigned size;		/* bytes of one */
		const char *label;	/* before its number: "xmm" */
		const char *fields[3];	/* the same of contexts: of minidumps, of cores; or NULL */
		/* Numbers of DWARF of their halves, each half one; 0: none */
		int half_first;
		const char *half_label;
		/* Those that calls keep, and how many bytes of them */
		int kept_first, kept_count;
		unsigned kept_size;
		unsigned saved_size;	/* bytes between two in a signal frame */
	} banks[2];
	/*
	 * Registers that hold a function's first arguments, in order, and the systems where they
	 * do.
	 */
	struct arch_arguments {
		unsigned systems;	/* bits 1 << enum crash_os */
		const int8_t *registers;
		size_t count;
	} arguments[2];
	/* The field of contexts that leads to a thread's own data, which ends there; NULL: none. */
	const char *thread_pointer;
	int report_count;		/* registers of Breakpad's text; 0: none */
	/* As it lists them; NULL: the first ones as they are here */
	const int8_t *report_order;

	/* Calls and returns. */
	int return_step;		/* a caller's pc is the return address and this */
	unsigned call_step;		/* the lookup address of a caller is its pc less this */
	int long_return_step;		/* both as Breakpad takes them, POLICY_LONG_CALL_STEPS */
	unsigned long_call_step;
	unsigned code_unit;		/* bytes between places where an instruction can begin */
	unsigned return_alignment;	/* what every return address is a multiple of */
	uint64_t mode_bit;		/* of a code address that is none: the instruction set's */
	unsigned address_bits;		/* the bits above equal the highest of these; 0: any */
	uint64_t kernel_from;		/* the kernel's half of the address space; 0: not known */
	bool virtual_by_delta;		/* pointers to virtual functions have an odd second word */
	bool signs_pointers;		/* above a return address may stand its signature */

	/* The stack. */
	/* Of the stack pointer where a function is called; 0: none */
	unsigned call_alignment;
	unsigned call_aligned_on;	/* systems whose ABI says so: bits 1 << enum crash_os */
	unsigned red_zone;		/* bytes below the stack pointer that leaves may use */
	unsigned red_zone_on;		/* the same of systems */
	/* Functions keep frame pointer and return address together */
	bool frame_records;
	bool chain_only;		/* Breakpad follows chains of frames and never scans */
	bool thread_head;		/* glibc's block of a thread begins with its own address */
	bool stack_win;			/* STACK WIN records tell of its code */
	/* Windows keeps exception handlers in a list on the stack */
	bool seh_chain;
	bool arm_index;			/* so does .ARM.exidx */
	bool pe_unwind;			/* .pdata does, with codes that are known here */
	const struct arch *narrow;	/* 32-bit processes with its contexts; NULL: none */
	enum {
		ARCH_STACK_ANYWHERE,
		ARCH_STACK_ENDS_BELOW,		/* below 4 GiB, or Breakpad takes it for absent */
		ARCH_STACK_BEGINS_BELOW,	/* the same only of a stack that begins below */
	} stack_limit;

	/* Systems and other walkers. */
	enum {
		ARCH_SIGNALS_USUAL,
		ARCH_SIGNALS_MIPS,
		ARCH_SIGNALS_SPARC
	} linux_signals;		/* the numbers of signals on Linux */
	/* Linux's numbers of the calls that send signals, and of rt_sigprocmask, which delivers
	 * those that were blocked; 0: not known. */
	uint16_t signal_calls[6];
	int system_call_register;	/* keeps the number; 0: the code before the call loads it */
	/* Register in which the processor leaves the address behind a system call, and the systems
	 * that keep it there; 0: none. */
	int system_call_return;
	unsigned system_call_return_on;
	const struct arch_signal_frame *signal_frames;
	size_t signal_frame_count;
	enum {
		ARCH_CALLS_UNKNOWN,
		ARCH_CALLS_ARM,
		ARCH_CALLS_GENERIC,
		ARCH_CALLS_COUNT
	} call_numbers;			/* of Linux's system calls */
	/* Register that keeps one during the call, if they are known */
	int call_number;
	bool signal_frame_sure;		/* its marks alone prove a signal frame */
	bool rust_unread;		/* rust-minidump does not read its contexts */
	bool rust_xstate;		/* but it reads those with extended state behind */
};

/**
 * Values of some registers of an architecture.
 *
 * A register that is not `known` has no value. Breakpad forwards the callee's in
 * places where no record says so; with its policy such a residue is kept under
 * `stale`, and only its own faults look at it. No view shows it.
 */
struct registers {
	uint64_t value[ARCH_REGISTERS];
	uint64_t known;		/* bit n: register n has a value */
	uint64_t stale;		/* bit n: value[n] is a residue; never both bits */
};

/** How a register may be spelled in rules. */
enum arch_names {
	ARCH_NAMES_EXACT,	/* as Breakpad compares: `rsp` on amd64 is unknown */
	ARCH_NAMES_ALIASES,	/* a `$` may be missing or extra and people's labels count too */
	ARCH_NAMES_MENDED,	/* exact, but Breakpad's slip `$to` of mips is also `$t0` */
	ARCH_NAMES_NUMBERED,	/* exact, and numbers of CodeView: on x86 $20 is $ebx */
};

/** The table of an architecture; never NULL. */
const struct arch *
arch_by_id(enum arch_id id);

/** The table of what a MODULE record of a symbol file calls its architecture; never NULL. */
const struct arch *
arch_of_symbols(struct text name);

/** The table of a processor in a microdump ("x86_64"); never NULL. */
const struct arch *
arch_of_microdump(struct text name);

/** The table of a ProcessorArchitecture of a minidump; never NULL. */
const struct arch *
arch_of_processor(uint16_t processor);

/** The table of an ELF file's e_machine, with the size of its words; never NULL. */
const struct arch *
arch_of_elf(unsigned machine, unsigned word_size);

/** The table of a PE file's Machine; never NULL. */
const struct arch *
arch_of_pe(unsigned machine);

/** Whether the architecture is known at all. */
bool
arch_known(const struct arch *arch);

/** Whether calls push the return address, rather than leave it in a register. */
bool
arch_pushes_return(const struct arch *arch);

/** The address of code, without the bit that tells the instruction set. */
uint64_t
arch_code(const struct arch *arch, uint64_t address);

enum arch_thumb {
	ARCH_THUMB_UNTOLD,
	ARCH_THUMB_NO,
	ARCH_THUMB_YES
};

/** Whether 32-bit ARM ran Thumb code, by its status register; some writers leave that 0. */
enum arch_thumb
arch_thumb(const struct arch *arch, const struct registers *registers);

/** Whether the bits above an address are as the processor demands. */
bool
arch_canonical(const struct arch *arch, uint64_t address);

/** The number of the register that rules call `name`, or ARCH_NO_REGISTER. */
int
arch_register(const struct arch *arch, struct text name, enum arch_names names);

/** A register as rules spell it; as people write it where no rule can name it. */
const char *
arch_spelled(const struct arch *arch, int number);

/** The register of a DWARF number, or ARCH_NO_REGISTER. */
int
arch_dwarf_register(const struct arch *arch, int number);

/** A floating-point or vector register by its number of DWARF. */
struct arch_wide {
	const struct arch_bank *bank;	/* NULL: it is none */
	unsigned index;			/* in it */
	unsigned half;			/* it is a half, counted from 1; 0: it is whole */
};

struct arch_wide
arch_wide(const struct arch *arch, uint64_t number);

/** What people call it ("xmm3"), in `buffer`. */
const char *
arch_wide_label(struct arch_wide wide, char *buffer, size_t size);

/** `value` cut to the width of the architecture. */
uint64_t
arch_wrap(const struct arch *arch, uint64_t value);

/** `value` cut to the width of a register, which 32-bit mips and SPARC store in 64 bits. */
uint64_t
arch_wrap_register(const struct arch *arch, uint64_t value);

/** Give a register a value. */
void
registers_set(struct registers *registers, int number, uint64_t value);

/** Whether a register has a value. False for ARCH_NO_REGISTER. */
bool
registers_known(const struct registers *registers, int number);

#endif
