/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_ARCH_H
#define CRASH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/**
 * The properties of architectures that unwinding needs: one table for each architecture.
 *
 * Register numbers are indexes into the table of their architecture, so that a set of registers is
 * an array and a mask. Nothing else in the program refers to a register by its name.
 */
#define ARCH_REGISTERS 48	/* more than the registers of any table */
#define ARCH_NO_REGISTER (-1)

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

struct arch_register {
	const char *name;	/* name in STACK CFI rules ("$rsp"); NULL: never in rules */
	const char *label;	/* name in reports ("rsp", "fp") */
	bool callee_saved;	/* callee-saved in the ABI that Breakpad assumes */
	bool saved_on_windows;	/* callee-saved on 64-bit Windows, too */
};

/** A word of a saved context with a value that user code cannot set. */
struct arch_signal_mark {
	/* A rule; `mask` selects bits of its value, which must equal `bits` */
	const char *rule;
	uint64_t mask, bits;
};

enum arch_order {
	ARCH_ORDER_ANY,
	ARCH_ORDER_LITTLE,
	ARCH_ORDER_BIG
};

/**
 * A frame in which the kernel saved registers on the stack: a signal frame of Linux, or the frame
 * in which Windows delivers an exception, an APC or a callback.
 */
struct arch_signal_frame {
	unsigned on;			/* systems: bits 1 << enum crash_os */
	/*
	 * Names of the function that the handler returns to, ended by NULL. Empty: the frame calls
	 * the handler directly, and the marks suffice.
	 */
	const char *trampolines[4];
	/* rules that all begin with the stack pointer */
	const char *rules;
	const char *pc;			/* the program counter's rule in `rules` */
	struct arch_signal_mark marks[5];	/* the last mark has no rule */
	enum arch_order order;		/* byte order of the systems */
	/* A bare context anywhere in a function's frame; rules are relative to the context */
	bool apart;
	/* For a callback's frame: the library that makes callbacks, as "ntdll.dll"; else NULL */
	const char *callback;
	/* The pc is a return address; false: the address of an interrupted instruction */
	bool returned;
	/*
	 * Floating-point and vector registers. `floats`: a rule for their address (NULL: unknown).
	 * `floats_kind`: the kind of their record in a list of records (0: no list). `floats_at`:
	 * the offset of each bank from their address, in the order of `banks` in struct arch.
	 */
	const char *floats;
	uint32_t floats_kind;
	uint16_t floats_at[2];
	/* A rule for the address of the siginfo_t or EXCEPTION_RECORD; NULL: unknown */
	const char *information;
	/* A rule for the address of the stack_t (sigaltstack(2)) in the ucontext; NULL: none */
	const char *stack;
};

/** Machines in PE files and PDBs (winnt.h, IMAGE_FILE_MACHINE_I386 and so on). */
enum {
	PE_MACHINE_X86 = 0x14c,
	PE_MACHINE_ARM = 0x1c4,
	PE_MACHINE_AMD64 = 0x8664,
	PE_MACHINE_ARM64 = 0xaa64,
};

struct arch {
	enum arch_id id;
	const char *name;		/* name as in Breakpad: "x86", "amd64", "arm", "arm64" */

	/* Names and numbers in files. */
	const char *symbol_names;	/* in MODULE records, separated by blanks; NULL: none */
	const char *microdump_name;	/* NULL: none */
	const uint16_t *processors;	/* in minidumps: all are read, the first is written */
	size_t processor_count;
	uint16_t elf_machine, pe_machine;	/* 0: none */
	unsigned elf_words;		/* valid word sizes of ELF files: 4, 8 or both */

	/* Registers. */
	unsigned word_size;		/* bytes of an address and of a postfix value: 4 or 8 */
	unsigned register_size;		/* bytes of a register in contexts: 4 or 8 */
	unsigned report_size;		/* bytes of a register in Breakpad's text: 4 or 8 */
	const struct arch_register *registers;
	int register_count;		/* 0: ARCH_UNKNOWN only */
	int pc, sp, fp, lr;		/* register numbers; lr may be ARCH_NO_REGISTER */
	int dwarf_count;		/* number of DWARF register numbers, which begin at 0 */
	const int8_t *dwarf_order;	/* register numbers by DWARF number; NULL: the same */
	/* Offset of CodeView numbers from DWARF's; 0: no such relation */
	int codeview_first;
	struct arch_bank {		/* floating-point or vector registers of one kind */
		/* DWARF numbers; count 0: end of the list */
		int first, count;
		unsigned size;		/* bytes of a register */
		const char *label;	/* label before its number: "xmm" */
		const char *fields[3];	/* prefixes in minidump and core contexts; or NULL */
		/* DWARF number of the first half register, such as s0; 0: none */
		int half_first;
		const char *half_label;
		/*
		 * Callee-saved registers: index of the first in the bank, count, and preserved
		 * bytes of each
		 */
		int kept_first, kept_count;
		unsigned kept_size;
		unsigned saved_size;	/* bytes from one register to the next in a signal frame */
	} banks[2];
	/* Registers of a function's first arguments, in order, and the systems that use them. */
	struct arch_arguments {
		unsigned systems;	/* bits 1 << enum crash_os */
		const int8_t *registers;
		size_t count;
	} arguments[2];
	/* Context field with the address of the end of a thread's own data; NULL: none. */
	const char *thread_pointer;
	int report_count;		/* number of registers in Breakpad's text; 0: none */
	/* Order of the registers in Breakpad's text; NULL: the first registers of the table */
	const int8_t *report_order;

	/* Calls and returns. */
	int return_step;		/* pc of a caller minus its return address */
	unsigned call_step;		/* pc of a caller minus its lookup address */
	/* Breakpad's values of return_step and call_step (POLICY_LONG_CALL_STEPS) */
	int long_return_step;
	unsigned long_call_step;
	unsigned code_unit;		/* bytes between two possible instructions */
	unsigned return_alignment;	/* alignment of every return address */
	uint64_t mode_bit;		/* bit of a code address that selects the instruction set */
	unsigned address_bits;		/* bits in use; higher bits repeat the top bit; 0: all */
	uint64_t kernel_from;		/* start of the kernel's half of addresses; 0: unknown */
	bool virtual_by_delta;		/* pointers to virtual functions have an odd second word */
	bool signs_pointers;		/* the high bits of a return address may be a signature */

	/* The stack. */
	/* Alignment of the stack pointer at calls; 0: none */
	unsigned call_alignment;
	/* Instructions that load the number of (rt_)sigreturn: two without, two with `mode_bit` */
	uint32_t restorers[4];
	int cfa_to_sp;			/* the caller's stack pointer minus the CFA */
	unsigned call_aligned_on;	/* systems with this alignment: bits 1 << enum crash_os */
	unsigned red_zone;		/* bytes below the stack pointer that leaf functions use */
	unsigned red_zone_on;
	/* Functions store frame pointer and return address together */
	bool frame_records;
	bool chain_only;		/* Breakpad follows chains of frames and never scans */
	bool thread_head;		/* glibc's thread block begins with its own address */
	bool stack_win;			/* STACK WIN records describe its code */
	/* Windows keeps a list of exception handlers on the stack */
	bool seh_chain;
	bool arm_index;			/* .ARM.exidx describes its code */
	bool pe_unwind;			/* .pdata describes its code, with known opcodes */
	const struct arch *narrow;	/* the architecture of 32-bit processes; NULL: none */
	enum {
		ARCH_STACK_ANYWHERE,
		ARCH_STACK_ENDS_BELOW,		/* Breakpad uses only stacks that end below 4 GiB */
		ARCH_STACK_BEGINS_BELOW,	/* the same for stacks that begin below 4 GiB */
	} stack_limit;

	/* Systems and other walkers. */
	enum {
		ARCH_SIGNALS_USUAL,
		ARCH_SIGNALS_MIPS,
		ARCH_SIGNALS_SPARC
	} linux_signals;
	/* Numbers of Linux's system calls that send signals, and of rt_sigprocmask, because it
	 * delivers signals when it unblocks them; 0: unknown. */
	uint16_t signal_calls[6];
	/* Register with the system call's number; 0: code before the call loads the number */
	int system_call_register;
	/* Register to which a system call instruction copies its return address, and the
	 * systems that preserve the register; 0: none. */
	int system_call_return;
	unsigned system_call_return_on;
	const struct arch_signal_frame *signal_frames;
	size_t signal_frame_count;
	enum {
		ARCH_CALLS_UNKNOWN,
		ARCH_CALLS_ARM,
		ARCH_CALLS_GENERIC,
		ARCH_CALLS_COUNT
	} call_numbers;			/* Linux's system call numbers */
	/* Register with a system call's number during the call, if numbers are known */
	int call_number;
	bool signal_frame_sure;		/* the marks alone prove a signal frame */
	bool rust_unread;		/* rust-minidump does not read its contexts */
	bool rust_xstate;		/* rust-minidump reads contexts with extended state, too */
};

/**
 * Values of some registers of an architecture.
 *
 * A register that is not `known` has no value. Breakpad forwards the callee's value if no record
 * has a rule. With Breakpad's policy, `stale` marks such values. They only serve to reproduce
 * Breakpad's errors, and no view shows them.
 */
struct registers {
	uint64_t value[ARCH_REGISTERS];
	uint64_t known;		/* bit n: register n has a value */
	uint64_t stale;		/* bit n: value[n] is a residue; bit n of `known` is 0 */
};

/** Spellings of registers that rules may use. */
enum arch_names {
	ARCH_NAMES_EXACT,	/* as in Breakpad: `rsp` is unknown on amd64 */
	ARCH_NAMES_ALIASES,	/* `$` may be missing or extra, and labels are allowed */
	ARCH_NAMES_MENDED,	/* exact, and Breakpad's typo `$to` on mips is also `$t0` */
	ARCH_NAMES_NUMBERED,	/* exact, and CodeView numbers: on x86 $20 is $ebx */
};

/** The table of an architecture; never NULL. */
const struct arch *
arch_by_id(enum arch_id id);

/** The table of the architecture that a MODULE record names; never NULL. */
const struct arch *
arch_of_symbols(struct text name);

/** The table of the processor that a microdump names ("x86_64"); never NULL. */
const struct arch *
arch_of_microdump(struct text name);

/** The table of a minidump's ProcessorArchitecture; never NULL. */
const struct arch *
arch_of_processor(uint16_t processor);

/** The table of an ELF file's e_machine and word size; never NULL. */
const struct arch *
arch_of_elf(unsigned machine, unsigned word_size);

/** The table of a PE file's Machine; never NULL. */
const struct arch *
arch_of_pe(unsigned machine);

bool
arch_known(const struct arch *arch);

/** Whether calls push the return address, rather than leave it in a register. */
bool
arch_pushes_return(const struct arch *arch);

/** The address of code without the bit that selects the instruction set. */
uint64_t
arch_code(const struct arch *arch, uint64_t address);

/** The return address of a call in a frame with this pc: on mips the pc is that of the call. */
uint64_t
arch_return_address(const struct arch *arch, uint64_t pc);

enum arch_thumb {
	ARCH_THUMB_UNTOLD,
	ARCH_THUMB_NO,
	ARCH_THUMB_YES
};

/** Whether 32-bit ARM ran Thumb code, by its status register; some writers leave it 0. */
enum arch_thumb
arch_thumb(const struct arch *arch, const struct registers *registers);

/** Whether the high bits of an address are valid for the processor. */
bool
arch_canonical(const struct arch *arch, uint64_t address);

/** The register with a name in rules, or ARCH_NO_REGISTER. */
int
arch_register(const struct arch *arch, struct text name, enum arch_names names);

/** A register's name in rules; its label if rules cannot name it. */
const char *
arch_spelled(const struct arch *arch, int number);

/** The register with a DWARF number, or ARCH_NO_REGISTER. */
int
arch_dwarf_register(const struct arch *arch, int number);

/** A floating-point or vector register, by DWARF number. */
struct arch_wide {
	const struct arch_bank *bank;	/* NULL: not found */
	unsigned index;			/* index in the bank */
	unsigned half;			/* number of the half, from 1; 0: the complete register */
};

struct arch_wide
arch_wide(const struct arch *arch, uint64_t number);

/** The label of the register: "xmm3". */
struct short_text
arch_wide_label(struct arch_wide wide);

/** `value` cut to the word size of the architecture. */
static inline uint64_t
arch_wrap(const struct arch *arch, uint64_t value)
{
	return arch->word_size == 4 ? (uint32_t)value : value;
}

/** `value` cut to the width of a stored register: 64 bits for 32-bit mips and SPARC, too. */
uint64_t
arch_wrap_register(const struct arch *arch, uint64_t value);

void
registers_set(struct registers *registers, int number, uint64_t value);

/** Whether a register has a value. False for ARCH_NO_REGISTER. */
static inline bool
registers_known(const struct registers *registers, int number)
{
	return number >= 0 && (registers->known >> number & 1) != 0;
}

#endif
