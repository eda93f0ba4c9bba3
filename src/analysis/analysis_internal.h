/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_ANALYSIS_INTERNAL_H
#define ANALYSIS_ANALYSIS_INTERNAL_H

#include "analysis/analysis.h"
#include "code/instruction.h"

/**
 * State shared by the files of src/analysis while a crash is explained.
 *
 * The steps run in the order of step.def; each one reads the results of earlier ones and
 * adds its own. When out of memory, a step leaves out its results.
 */
struct explain {
	struct analysis *out;
	const struct crash *crash;
	struct walk *walk;			/* NULL: none */
	struct binaries *binaries;		/* NULL: none */
	const struct signature_rules *rules;	/* NULL: built-in rules */
	const struct arch *arch;		/* architecture of the context, or NULL */
	const struct registers *registers;	/* or NULL */
	struct memory_view memory;
	struct module_map modules;
	bool uncaught;				/* a C++ exception ended the process */
	bool decoded;				/* `instruction` is set */
	struct instruction instruction;
	size_t first_fault;			/* frame of a fault whose handler ended all */
};

#define S(function) void function(struct explain *explain);
#include "analysis/step.def"
#undef S

/* Linux's signals of memory accesses. */
#define SIGNAL_BUS 7u
#define SIGNAL_SEGV 11u

/** Add a finding; NULL when out of memory. Findings are sorted at the end. */
struct finding *
finding_add(struct explain *explain, enum finding_kind kind, unsigned confidence,
	    const char *format, ...) ATTRIBUTE_PRINTF(4, 5);

/** Add evidence for a finding (may be NULL). */
void
finding_evidence(struct explain *explain, struct finding *finding, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Whether the crash is a memory fault with a known address, reported or adjusted. */
bool
analysis_faulted_at(const struct explain *explain, uint64_t *address);

/** The permission in the memory map for an access to one byte. */
enum analysis_permission
analysis_permission(const struct explain *explain, uint64_t address,
		    enum analysis_access_kind kind);

/** Add the mapping's range and permissions as evidence for a finding (may be NULL). */
void
analysis_mapping_evidence(struct explain *explain, struct finding *finding,
			  const struct mapping *mapping);

/** The target of a call, jump or return, computed from these registers; false: unknown. */
bool
analysis_target(const struct explain *explain, const struct instruction *instruction,
		const struct registers *registers, uint64_t *target);

/** A bit for each register that the crashing instruction uses in an address or a jump target. */
uint64_t
analysis_used_registers(const struct explain *explain);

/** Whether a page is likely a guard: without any permission, small, next to memory in use. */
bool
analysis_guard_page(const struct explain *explain, uint64_t address);

/** The function at an address, or else the module and offset. `distance`: add its offset, too. */
const char *
analysis_function(struct explain *explain, uint64_t address, bool distance);

/** A function's name without the type that names of C++ templates begin with. */
struct text
analysis_untyped(struct text name);

/** Whether a function is one of the standard library of C++ or Rust. */
bool
analysis_in_library(struct text name);

/** Add the frame that threw an exception of Windows as evidence, and blame it. */
void
analysis_thrower(struct explain *explain, struct finding *finding);

/** The innermost inlined function at a frame's call that is not in a standard library. */
const char *
analysis_call(struct explain *explain, size_t frame);

/** A function's name. A long name loses its parameters, so that they do not fill the sentence. */
struct text
analysis_short(struct text name, struct arena *arena);

/** The length of the text in a word (may end with NULs); 0: no text of 4 bytes or more. */
size_t
analysis_text(uint64_t value, char text[9]);

/** The kind of the faulting access, from the reason or the instruction; false: unknown. */
bool
analysis_fault_kind(const struct explain *explain, enum analysis_access_kind *kind);

/**
 * Add the finding that the process ended itself. The functions of the frames give the reason.
 * `from` is the frame that abort's signal interrupted, or 0 if that signal is the reason of the
 * crash. If `from` is not 0 and the reason is unknown, no finding is added.
 */
void
abort_explain(struct explain *explain, size_t from);

/** Report that a call used an overwritten pointer to a virtual table, if this is proven. */
void
virtual_table_explain(struct explain *explain, const struct instruction *call);

/** Add the variable that leads to an object, if the youngest frames have such a variable. */
void
analysis_name_object(struct explain *explain, struct finding *finding, uint64_t object);

/**
 * The message of a Rust or Go panic in the frames up to `frames`; NULL: none. `*address` is set to
 * the address of the message, and `*type` to the type of the value of a Go panic (NULL: unknown).
 */
const char *
panic_text(struct explain *explain, size_t frames, uint64_t *address, const char **type);

/**
 * Find the text that an exception's own what() returns, by the code of what(). `*text` is set to
 * the address of the text, or 0 if unknown. `type` is the address of the type information of the
 * object's class. False: what() is the library's, or unknown.
 */
bool
what_text(struct explain *explain, uint64_t type, uint64_t object, uint64_t *text);

/** Read a number of the process: from the dump, or a read-only section of the module's file. */
bool
analysis_number(const struct explain *explain, uint64_t address, unsigned size, uint64_t *value);

/** The file of the module around an address; NULL: none. `*relative`: the address in the file. */
const struct binary *
analysis_file(const struct explain *explain, uint64_t address, enum locate_kind kind,
	      uint64_t *relative);

/**
 * Read the text at an address. Reads writable sections of a module's PE file, too, because types
 * keep their names at run time. A text without NUL in `size` bytes is cut. False: the text is
 * missing, or the known bytes end before its NUL.
 */
bool
analysis_string(const struct explain *explain, uint64_t address, char *text, size_t size);

/** Write a text, safe for a terminal, to `shown`, with "..." at the end if it is cut. */
void
analysis_show(struct explain *explain, const char *text, char *shown, size_t size);

/** Whether a text is not empty and has only printable ASCII characters. */
bool
analysis_is_plain(const char *text);

/** The name of a register ("rax"); "the crash address" for ARCH_NO_REGISTER. */
const char *
analysis_register(const struct explain *explain, int reg);

#endif
