/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "frame_table/frame_tables.h"
#include "sframe/sframe.h"
#include "rules/edit.h"
#include "rules/program.h"
#include "symbols/symbols.h"

/**
 * What every way of unwinding hands over: rules `register: postfix expression`.
 *
 * A rule set is either independent rules, each computing one register of the caller
 * from the callee's registers (and from `.cfa`, whose rule runs first), or one program
 * that assigns several. Each rule keeps the place of its expression and the record
 * that set it, which for STACK CFI may be a delta.
 */
enum rule_target {
	RULE_CFA,		/* `.cfa` */
	RULE_RETURN_ADDRESS,	/* `.ra` */
	RULE_REGISTER,
	RULE_IGNORED,		/* a name that is no register: evaluated, then dropped */
};

struct rule {
	enum rule_target target;
	int reg;			/* of RULE_REGISTER */
	struct text name;
	const struct program *program;
	struct place record;		/* of the whole record */
	bool delta;			/* set by a STACK CFI delta */
	bool recorded;			/* a record of a file says so, no method's own table */
	bool edited;			/* `record` says something else: a what-if */
};

struct rule_set {
	const struct rule *rules;	/* in the order in which they were first named */
	size_t count;
	int cfa, return_address;	/* indexes of their rules, or -1 */
	struct place record;		/* of the record that covers the address */
	uint64_t address, size;		/* what that record covers */
	size_t delta_count;		/* deltas in force */
	const char *problem;		/* why the set cannot be used; NULL: it can */
	const char *note;		/* what was wrong with a part of it; NULL: nothing */
	struct place note_place;
};

/**
 * The rules of STACK CFI records in force at `address` (relative to the module), or NULL
 * where no INIT record covers it or out of memory. A set that cannot be used says why in
 * `problem`. Lives in `arena` and borrows the symbol file.
 * Grammar: google/breakpad src/processor/cfi_frame_info.cc, CFIRuleParser.
 */
const struct rule_set *
rule_set_stack_cfi(struct arena *arena, const struct arch *arch, const struct policy *policy,
		   const struct symfile *symfile, uint64_t address);

struct rule_memo;

/**
 * rule_set_stack_cfi with what is read on the way in `scratch`. With a memo (may be NULL) the rules
 * have no places, for which lines would be counted, and may live in the memo's arena: for a walk
 * that records nothing.
 */
const struct rule_set *
rule_set_stack_cfi_with(struct arena *arena, struct arena *scratch, const struct arch *arch,
			const struct policy *policy, const struct symfile *symfile,
			uint64_t address, struct rule_memo *memo);

/** How a policy spells the registers of records. */
enum arch_names
rule_set_names(const struct policy *policy);

/** Rules of one record's text, without places; NULL where it is not good to its end. */
const struct rule_set *
rule_set_of_record(struct arena *arena, const struct arch *arch, enum arch_names names,
		   struct text text);

/** What rule_set_stack_cfi_each tells of; the set is good for as long as its arena. */
struct rule_change {
	uint64_t address;		/* the set is in force from here on */
	struct place record;		/* of the INIT record or the last delta */
	const struct rule_set *set;
	struct place note_place;	/* of what is wrong with that record alone */
	const char *note;		/* NULL: nothing */
};

/**
 * Tell the rules of the INIT record that covers `address` and of every delta up to `last`, a set
 * for each record, in ascending order, until one is malformed or `tell` returns false; what did
 * not change is shared.
 */
void
rule_set_stack_cfi_each(struct arena *arena, const struct arch *arch, const struct policy *policy,
			const struct symfile *symfile, uint64_t address, uint64_t last,
			bool (*tell)(void *context, const struct rule_change *change),
			void *context);

/**
 * Rules written as text, as the tables of methods have them ("$rip: $rbp 8 + ^ $rsp: ..."),
 * in `arena`; the text is borrowed and `place` is its. NULL when out of memory.
 */
const struct rule_set *
rule_set_text(struct arena *arena, const struct arch *arch, struct text text, struct place place);

/** One rule, as formats without a text of their own hand it over. */
struct rule_part {
	struct text name;		/* ".cfa", ".ra" or a register's; borrowed */
	struct text expression;		/* postfix; borrowed */
	struct place record;		/* of the bytes that say so */
	struct place place;		/* of the expression's text; none: as the record */
};

/** Independent rules from parts, in `arena`. NULL when out of memory. */
struct rule_set *
rule_set_parts(struct arena *arena, const struct arch *arch, const struct rule_part *parts,
	       size_t count);

/**
 * A copy of `set` with other rules: each of `changes` replaces the rule of its name, is added, or
 * with an empty expression takes it out. NULL when out of memory; `problem` says where rules for
 * `.cfa` and `.ra` are missing that the set had.
 */
const struct rule_set *
rule_set_changed(struct arena *arena, const struct arch *arch, const struct rule_set *set,
		 const struct rule_part *changes, size_t count);

/**
 * The rules of an SFrame row that is not the outermost one: CFA, return address, stack pointer
 * and, where the row tracks it, the frame pointer; each with the place of the data words that say
 * so. A row that an architecture cannot follow says why in `problem`. NULL when out of memory.
 */
const struct rule_set *
rule_set_sframe(struct arena *arena, const struct arch *arch,
		const struct sframe_function *function, const struct sframe_row *row);

/** How the programs of STACK WIN records spell registers by POLICY_WIN_NUMBERS. */
enum arch_names
stack_win_names(const struct policy *policy);

/** The program that a record without one means. */
const char *
rule_set_fpo_program(const struct stack_win *record, bool keeps_ebx);

/**
 * The rules of a row of a module's frame table, each with the place of its entry; an outermost one
 * has none for the return address. One that postfix has no words for says why in `problem`, where
 * the frame cannot be found without it, else in `note`. NULL when out of memory.
 */
const struct rule_set *
rule_set_frame_table(struct arena *arena, const struct arch *arch,
		     const struct frame_table_row *rules);

/**
 * One expression of `count` rules, evaluated with the callee's registers: binds each name to
 * its register, `.cfa` to `*cfa` where that is known, and runs it.
 */
bool
rule_evaluate(const struct rule *rule, const struct environment *environment,
	      const struct registers *registers, const uint32_t *register_events,
	      const struct variable *cfa, struct outcome *outcome, struct trace *trace,
	      uint32_t parent);

#endif
