/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "locate/binaries.h"
#include "analysis/locks.h"
#include "analysis/signature_rules.h"
#include "walk/walk.h"

/**
 * The explanation of a crash.
 *
 * The analysis draws the conclusions that an expert for the processor would draw: the address that
 * the instruction really used, its memory accesses, contradictions in the dump. A part whose input
 * is not in the dump is missing. All texts are made here: reports only arrange them.
 *
 * A finding is a conclusion with its evidence and a confidence in percent. A fact that follows from
 * the dump has 100. A heuristic combines its evidence as if it were independent: 1 minus the
 * product of the doubts.
 *
 * Files: opcode.c decodes the crashing instruction. address.c explains the address, and how the pc
 * came to a non-code address. sender.c finds the sender of the signal. earlier_fault.c finds an
 * earlier fault if the crash is in its handler. exception_data.c reads the data of a Windows
 * exception. cxx_exception.c reads exceptions of other C++ runtimes. stack_overflow.c explains the
 * stack pointer. bit_flip.c finds flipped bits, poison.c fill patterns, freed.c uses of freed
 * memory, and locks.c waits for locks. contradictions.c compares reason and instruction.
 * left_code.c checks frames against the memory map. signature.c names the crash as Socorro does, by
 * the rules of signature_rules.c. input_problems.c reports defects of the inputs. stack_trust.h
 * judges a walk, and thread_state.h the state of a thread; both also work without a crash.
 */
enum finding_kind {
#define F(id, name, title) FINDING_##id,
#include "analysis/finding.def"
#undef F
	FINDING_COUNT
};

struct finding {
	enum finding_kind kind;
	unsigned confidence;		/* percent: 1 to 100 */
	const char *text;		/* a sentence, without a full stop */
	const char **evidence;		/* clauses that support it; may be empty */
	size_t evidence_count, evidence_capacity;
};

/** The difference between the effective crash address and the address in the dump. */
enum analysis_adjustment {
	ANALYSIS_AS_REPORTED,
	ANALYSIS_NON_CANONICAL,		/* the instruction used a non-canonical address */
	ANALYSIS_NULL_OFFSET,		/* the address is an offset from NULL */
	ANALYSIS_OF_INSTRUCTION,	/* not in the dump; taken from the instruction */
	ANALYSIS_NO_ADDRESS,		/* the dump's field holds a sender or a pc instead */
};

enum analysis_access_kind {
	ANALYSIS_READ,
	ANALYSIS_WRITE,
	ANALYSIS_READ_WRITE,
	ANALYSIS_EXECUTE,		/* the fetch of an instruction */
};

/** Whether the memory map allows an access. */
enum analysis_permission {
	ANALYSIS_UNKNOWN,		/* the dump describes no memory there */
	ANALYSIS_ALLOWED,
	ANALYSIS_DENIED,		/* mapped, but without this permission */
	ANALYSIS_UNMAPPED,
};

/** One memory access of the crashing instruction. */
struct analysis_access {
	uint64_t address;
	uint32_t size;			/* in bytes; 0: unknown */
	enum analysis_access_kind kind;
	enum analysis_permission permission;
	bool null_pointer;		/* its base is 0, so the address is an offset */
	const char *null_register;	/* name of the base register; NULL: a constant base */
	bool guard_page;
	bool faulted;			/* contains the crash address or the adjusted address */
	const char *text;		/* "rax + 0x8"; "": implicit, or the fetch */
};

/** The instruction at the pc of the crash. */
struct analysis_instruction {
	bool present;			/* false: no bytes, no decoder, or no instruction */
	uint64_t address;
	unsigned length;
	uint8_t bytes[16];
	const char *text;		/* "mov byte ptr [rax], cl" */
	const char *source;		/* origin of its bytes: "the dump", or a file's path */
	bool divides, privileged;	/* it can raise a division or privilege fault */
	bool accesses_known;		/* the list of accesses is complete */
	struct analysis_access *accesses;
	size_t access_count;
	bool has_next_pc;		/* is a call, jump or return with a known target */
	uint64_t next_pc;
	bool next_pc_canonical;
};

/** One flipped bit that would explain the crash. */
struct analysis_bit_flip {
	uint64_t address;		/* address without the flip */
	unsigned bit;			/* number of the flipped bit; 0: lowest */
	/* Register with the flipped bit; ARCH_NO_REGISTER: the address */
	int reg;
	bool was_non_canonical;		/* the wrong address is non-canonical */
	bool is_null;			/* the address without the flip is 0 */
	/* the address without the flip is 0, and the wrong one is small: evidence against a flip */
	bool was_low;
	unsigned nearby_registers;	/* number of registers near `address`; 0 if it is small */
	bool poison_registers;		/* a register has a fill pattern: evidence against a flip */
	unsigned confidence;		/* percent */
};

/** A register (or the address) whose value is a fill pattern. */
struct analysis_poison {
	int reg;			/* ARCH_NO_REGISTER: the crash address */
	bool freed;
	uint64_t value;
	const char *pattern;		/* "0xe5e5e5e5" */
	const char *meaning;		/* "memory freed by jemalloc" */
};

struct analysis {
	struct arena arena;
	const struct crash *crash;
	int thread;			/* index in crash->threads; -1: none */

	const char *reason;		/* text for readers; NULL: no crash */
	bool has_address;		/* the crash has an address in memory */
	uint64_t address;		/* address as in the dump */
	enum analysis_adjustment adjustment;
	uint64_t adjusted;		/* effective address (NON_CANONICAL, OF_INSTRUCTION) */
	uint64_t offset;		/* distance from the null pointer (NULL_OFFSET) */

	struct analysis_instruction instruction;
	struct analysis_bit_flip *bit_flips;	/* the most likely first */
	size_t bit_flip_count;
	struct analysis_poison *poisons;
	size_t poison_count;
	struct finding *findings;	/* in the order of finding.def */
	size_t finding_count, finding_capacity;
	struct lock_waits locks;
	const char *thrown_type;	/* type of a C++ exception's object; NULL: none */
	uint64_t thrown_object;
	/* Frame that called the function that ended the process; 0: unknown */
	size_t blamed_frame;
	const char *signature;		/* "OOM | small"; never NULL */
	const char *signature_rules;	/* path of the file of rules; NULL: built-in rules */
	const char *proto_signature;	/* all frames, joined; may be empty */
	uint64_t damage;		/* number of defects of the dump that may hide data */
	struct message_list messages;	/* contradictions of the crashed thread's frames */
	const char **problems;		/* defects of other inputs, with remedies; untrusted text */
	size_t problem_count, problem_capacity;
};

/**
 * Explain a crash. `walk` is the walk of the crashing thread, with the frames for the signature
 * (NULL: none). `binaries` are the modules' own files (NULL: none), and `rules` the signature rules
 * (NULL: built-in). All are borrowed and must outlive the result. NULL when out of memory.
 */
struct analysis *
analysis_create(const struct crash *crash, struct walk *walk, struct binaries *binaries,
		const struct signature_rules *rules);

void
analysis_free(struct analysis *analysis);

/**
 * Whether the dump has no exception record, and damage may be the reason. Damage of other records,
 * such as a module's, does not count.
 */
bool
analysis_reason_lost(const struct crash *crash);

/** The text in place of a reason for a dump without a readable exception record. */
const char *
analysis_no_reason(const struct crash *crash);

/** The stable name of each finding ("stack-overflow") and its heading. */
extern const struct finding_words {
	const char *name, *title;
} finding_words[FINDING_COUNT];

/**
 * rust-minidump's name of a contradiction ("int_div_by_zero_not_possible"); NULL for findings that
 * rust-minidump does not have.
 */
const char *
finding_inconsistency(enum finding_kind kind);

/** "read", "write", "readwrite", "execute", by enum analysis_access_kind. */
extern const char *const analysis_access_names[4];

/** "certain", "very likely", "likely", "possible" or "weak". */
const char *
analysis_confidence_name(unsigned confidence);

#endif
