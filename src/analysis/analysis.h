/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "locate/binaries.h"
#include "analysis/signature_rules.h"
#include "walk/walk.h"

/**
 * The crash explained.
 *
 * What a person would see who knows the processor by heart: which address the instruction
 * really wanted, what it accesses, which of the dump's words contradict each other. Every
 * part is optional, says nothing where the dump lacks what it needs, and is data: reports
 * choose the words' places, not the words.
 *
 * A finding is a conclusion with the evidence for it and a confidence in percent. Facts that
 * follow from the dump have 100; heuristics combine their evidence as independent witnesses
 * (1 less the product of the doubts).
 *
 * The room: opcode.c takes the crashing instruction apart, address.c explains the address, jump.c
 * how the pc came to where no code is, sender.c who sent the signal, exception_data.c what an
 * exception of Windows points at,
 * stack_overflow.c the stack pointer, bit_flip.c looks for flipped bits, contradictions.c compares
 * reason and instruction, left_code.c frames and the memory map, poison.c has the fill patterns,
 * signature.c names the crash as Socorro does, by the rules of signature_rules.c,
 * input_problems.c says what is wrong with the inputs. stack_trust.h judges a walk, with or
 * without a crash, thread_state.h says what its thread was doing.
 */
enum finding_kind {
#define F(id, name, title) FINDING_##id,
#include "analysis/finding.def"
#undef F
	FINDING_COUNT
};

/** One conclusion. */
struct finding {
	enum finding_kind kind;
	unsigned confidence;		/* percent: 1 to 100 */
	const char *text;		/* a sentence, without a full stop */
	const char **evidence;		/* what speaks for it, each a clause; may be none */
	size_t evidence_count;
};

/** How the address that the dump reports differs from the one that counts. */
enum analysis_adjustment {
	ANALYSIS_AS_REPORTED,
	ANALYSIS_NON_CANONICAL,		/* the instruction used an address that no pointer has */
	ANALYSIS_NULL_OFFSET,		/* a null pointer and an offset */
	ANALYSIS_OF_INSTRUCTION,	/* the writer stored none; the instruction tells it */
	ANALYSIS_NO_ADDRESS,		/* the field holds something else: a sender, the pc */
};

enum analysis_access_kind {
	ANALYSIS_READ,
	ANALYSIS_WRITE,
	ANALYSIS_READ_WRITE,
	ANALYSIS_EXECUTE,		/* the fetch of an instruction */
};

/** Whether the memory map lets an access happen. */
enum analysis_permission {
	ANALYSIS_UNKNOWN,		/* the dump describes no memory there */
	ANALYSIS_ALLOWED,
	ANALYSIS_DENIED,		/* mapped, but not for this */
	ANALYSIS_UNMAPPED,		/* the map is there, and nothing at the address */
};

/** One access to memory by the crashing instruction. */
struct analysis_access {
	uint64_t address;
	uint32_t size;			/* bytes; 0: not known */
	enum analysis_access_kind kind;
	enum analysis_permission permission;
	bool null_pointer;		/* its base register is 0, so the address is an offset */
	bool guard_page;		/* lies in what is likely a guard page */
	bool faulted;			/* holds the crash address, or what it was adjusted to */
	const char *text;		/* "rax + 0x8"; empty: implicit or fetch */
};

/** The instruction at the pc of the crash. */
struct analysis_instruction {
	bool present;			/* false: no bytes, no decoder, or no instruction */
	uint64_t address;
	unsigned length;
	uint8_t bytes[16];
	const char *text;		/* "mov byte ptr [rax], cl" */
	const char *source;		/* of its bytes: "the dump", or a file's path */
	bool divides, privileged;	/* can raise a division or privilege fault */
	bool accesses_known;		/* the list of accesses is complete */
	struct analysis_access *accesses;
	size_t access_count;
	bool has_next_pc;		/* it is a call, jump or return with a known target */
	uint64_t next_pc;
	bool next_pc_canonical;
};

/** One flipped bit that would explain the crash. */
struct analysis_bit_flip {
	uint64_t address;		/* what the address would have been */
	unsigned bit;			/* 0 is the lowest */
	int reg;			/* the wrong value's; ARCH_NO_REGISTER: the address */
	bool was_non_canonical;		/* the wrong address is no pointer at all */
	bool is_null;			/* the right one is 0 */
	bool was_low;			/* and the wrong one is small, which chance rarely makes */
	unsigned nearby_registers;	/* with values near the right one; 0 if that is small */
	bool poison_registers;		/* a register holds a fill pattern: speaks against it */
	unsigned confidence;		/* percent */
};

/** A register (or the address) whose value is a fill pattern. */
struct analysis_poison {
	int reg;			/* ARCH_NO_REGISTER: the crash address */
	bool used;			/* the crashing instruction uses it */
	bool freed;			/* the pattern means freed memory */
	uint64_t value;
	const char *pattern;		/* "0xe5e5e5e5" */
	const char *meaning;		/* "memory freed by jemalloc" */
};

struct analysis {
	struct arena arena;
	const struct crash *crash;
	int thread;			/* index in crash->threads; -1: none */

	const char *reason;		/* as people should read it; NULL: no crash */
	bool has_address;		/* the crash has an address in memory */
	uint64_t address;		/* as the dump reports it */
	enum analysis_adjustment adjustment;
	uint64_t adjusted;		/* the one that counts (NON_CANONICAL, OF_INSTRUCTION) */
	uint64_t offset;		/* from the null pointer (NULL_OFFSET) */

	struct analysis_instruction instruction;
	struct analysis_bit_flip *bit_flips;	/* the likeliest first */
	size_t bit_flip_count;
	struct analysis_poison *poisons;
	size_t poison_count;
	struct finding *findings;	/* in the order of finding.def */
	size_t finding_count, finding_capacity;
	const char *signature;		/* "OOM | small"; never NULL */
	const char *signature_rules;	/* the file with its rules; NULL: the built-in ones */
	const char *proto_signature;	/* all frames, joined; may be empty */
	uint64_t damage;		/* defects of the dump that may hide what it had */
	struct message_list messages;	/* what contradicts the crashed thread's frames */
	const char **problems;		/* of other inputs, with remedies; may hold bytes of them */
	size_t problem_count, problem_capacity;
};

/**
 * Explain a crash. `walk` is the walk of the crashing thread, as far as it shall count for
 * the signature (NULL: there is none); `binaries` are the modules' own files (NULL: none), `rules`
 * those of the signature (NULL: the built-in ones). All are borrowed and outlive the result. NULL
 * when out of memory.
 */
struct analysis *
analysis_create(const struct crash *crash, struct walk *walk, struct binaries *binaries,
		const struct signature_rules *rules);

void
analysis_free(struct analysis *analysis);

/** Defects of a dump that may hide what it had: then what is not in it says nothing. */
uint64_t
analysis_damage(const struct crash *crash);

/** What a dump without a readable exception record says instead of a reason. */
const char *
analysis_no_reason(const struct crash *crash);

/**
 * What a value means that memory is filled with, perhaps with a small offset: "memory freed
 * by jemalloc"; NULL: it is no such pattern.
 */
const char *
analysis_pattern(const struct arch *arch, uint64_t value);

/** The stable name of each finding ("stack-overflow") and what headings call it. */
extern const struct finding_words {
	const char *name, *title;
} finding_words[FINDING_COUNT];

/**
 * The name that rust-minidump gives to a contradiction ("int_div_by_zero_not_possible"); NULL
 * for findings that are none, or none of its.
 */
const char *
finding_inconsistency(enum finding_kind kind);

/** "read", "write", "readwrite", "execute", by enum analysis_access_kind. */
extern const char *const analysis_access_names[4];

/** "certain", "likely", "possible" or "weak". */
const char *
analysis_confidence_name(unsigned confidence);

#endif
