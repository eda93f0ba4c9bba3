/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "frame_table/frame_tables.h"
#include "sframe/sframe.h"
#include "rules/edit.h"
#include "rules/program.h"
#include "symbols/symbols.h"

/**
 * The result of every method of unwinding: rules `register: postfix expression`.
 *
 * A rule set is a list of independent rules or one program. A rule computes one register of the
 * caller from the callee's registers and from `.cfa`, whose rule runs first. A program assigns
 * several registers. Each rule keeps the places of its expression and of its record (STACK CFI INIT
 * or a delta).
 */
enum rule_target {
	RULE_CFA,		/* `.cfa` */
	RULE_RETURN_ADDRESS,	/* `.ra` */
	RULE_REGISTER,
	RULE_IGNORED,		/* a name that is not a register: evaluated, then dropped */
};

struct rule {
	enum rule_target target;
	int reg;			/* number of RULE_REGISTER */
	struct text name;
	const struct program *program;
	struct place record;
	bool delta;			/* set by a STACK CFI delta */
	bool recorded;			/* from a record of a file, not from a method's own table */
	bool edited;			/* a what-if edit; `record` has another rule */
};

struct rule_set {
	const struct rule *rules;	/* rules in the order of their first mention */
	size_t count;
	int cfa, return_address;	/* indexes of their rules, or -1 */
	struct place record;		/* place of the record that covers the address */
	uint64_t address, size;		/* range of that record */
	size_t delta_count;		/* number of deltas in force */
	size_t work;			/* work to find and apply its records, in bytes */
	const char *problem;		/* why the set cannot be used; NULL: it can */
	const char *note;		/* a defect of a part of the set; NULL: none */
	struct place note_place;
};

/** STACK CFI records, and how they are read. */
struct rule_records {
	const struct arch *arch;
	const struct policy *policy;
	const struct symfile *symfile;
	/*
	 * For walks that record nothing: the texts of records that were read, in the arena of the
	 * sets. Records with equal texts share rules, which get no places, because places require
	 * counting lines. NULL: each record is read anew, and its rules get places.
	 */
	struct hash *texts;
};

/**
 * The rules of STACK CFI records in force at `address` (relative to the module). NULL if no INIT
 * record covers the address, or when out of memory. An unusable set has the reason in `problem`.
 * Lives in `arena` and borrows the symbol file. Grammar: google/breakpad
 * src/processor/cfi_frame_info.cc, CFIRuleParser.
 */
const struct rule_set *
rule_set_stack_cfi(struct arena *arena, const struct rule_records *records, uint64_t address);

/**
 * Sets of one STACK CFI INIT record with many deltas. `rule_set_stack_cfi` applies all deltas up to
 * an address. A history gives equal results faster, because it applies only the last few deltas.
 */
struct rule_history;

/**
 * The history of the INIT record that covers `address`, in `arena`; NULL when out of memory. It
 * borrows the symbol file.
 */
struct rule_history *
rule_history_make(struct arena *arena, const struct rule_records *records, uint64_t address);

/** rule_set_stack_cfi() for an address that the history's INIT record covers. */
const struct rule_set *
rule_history_set(const struct rule_history *history, struct arena *arena,
		 const struct rule_records *records, uint64_t address);

/** A policy's spelling of registers in records. */
enum arch_names
rule_set_names(const struct policy *policy);

/** Rules of one record's text, without places; NULL if the text has an error. */
const struct rule_set *
rule_set_of_record(struct arena *arena, const struct arch *arch, enum arch_names names,
		   struct text text);

/**
 * Reads the sets of a STACK CFI INIT record and of its deltas in ascending order, one at a time:
 * all sets of a long record would take much memory.
 */
struct rule_rows;

struct rule_change {
	uint64_t address;		/* the set is in force from here on */
	uint64_t next;			/* address of the next set */
	bool more;			/* there is a next set */
	struct place record;		/* place of the INIT record or the last delta */
	const struct rule_set *set;	/* valid until the next set is read */
	struct place note_place;	/* place of the defect in that record */
	const char *note;		/* the defect; NULL: none */
};

/**
 * The sets of the INIT record that covers `address`, up to `last`, in `arena`; NULL if no record
 * covers it, or when out of memory.
 */
struct rule_rows *
rule_rows_open(struct arena *arena, const struct rule_records *records, uint64_t address,
	       uint64_t last);

/**
 * The next set; false after the last set, after a malformed record, or when out of memory. The
 * rules of a set keep their addresses in the next one, which may change and add rules.
 */
bool
rule_rows_next(struct rule_rows *rows, struct rule_change *change);

/**
 * Parse rules in text, as in the tables of methods ("$rip: $rbp 8 + ^ $rsp: ..."). The set lives in
 * `arena` and borrows the text, which is at `place`. NULL when out of memory.
 */
const struct rule_set *
rule_set_text(struct arena *arena, const struct arch *arch, struct text text, struct place place);

/** One rule from a format that is not text. */
struct rule_part {
	struct text name;		/* ".cfa", ".ra" or a register's; borrowed */
	struct text expression;		/* postfix; borrowed */
	struct place record;		/* place of the rule's bytes */
	struct place place;		/* place of the expression's text; none: `record` */
};

/** Independent rules from parts, in `arena`. NULL when out of memory. */
struct rule_set *
rule_set_parts(struct arena *arena, const struct arch *arch, const struct rule_part *parts,
	       size_t count);

/**
 * A copy of `set` with other rules. Each of `changes` replaces the rule with its name; a new name
 * adds a rule. An empty expression removes the rule. NULL when out of memory. `problem` is set if
 * the changes remove the rule for `.cfa` or `.ra`.
 */
const struct rule_set *
rule_set_changed(struct arena *arena, const struct arch *arch, const struct rule_set *set,
		 const struct rule_part *changes, size_t count);

/**
 * The rules of an SFrame row that is not outermost: CFA, return address, stack pointer and, if the
 * row tracks it, frame pointer. Each rule has the place of its data words. If `arch` cannot follow
 * the row, `problem` is the reason. NULL when out of memory.
 */
const struct rule_set *
rule_set_sframe(struct arena *arena, const struct arch *arch,
		const struct sframe_function *function, const struct sframe_row *row);

/** The policy's spelling of registers in STACK WIN programs (POLICY_WIN_NUMBERS). */
enum arch_names
stack_win_names(const struct policy *policy);

/** The program for a STACK WIN record that has none. */
const char *
rule_set_fpo_program(const struct stack_win *record, bool keeps_ebx);

/**
 * The rules of a row of a module's frame table, each with the place of its entry. An outermost row
 * has no rule for the return address. If postfix cannot express a rule, the set has the reason: in
 * `problem` if the frame cannot be found without the rule, else in `note`. NULL when out of memory.
 */
const struct rule_set *
rule_set_row(struct arena *arena, const struct arch *arch, const struct unwind_row *row);

/**
 * Evaluate one rule's expression with the callee's registers. Each name gets the value of its
 * register; `.cfa` gets the value `*cfa` (NULL: unknown).
 */
bool
rule_evaluate(const struct rule *rule, const struct environment *environment,
	      const struct registers *registers, const uint32_t *register_events,
	      const struct variable *cfa, struct outcome *outcome);

#endif
