/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_PROSE_PROSE_INTERNAL_H
#define REPORT_PROSE_PROSE_INTERNAL_H

#include "document/facts.h"
#include "report/prose/prose.h"

/* Shared by the files that make the items of a step. */

enum sentence {
#define SENTENCE(id, text) SENTENCE_##id,
#include "report/prose/prose.def"
	SENTENCE_COUNT
};

/** A fact for a sentence. A fact without a name ends a list of facts. */
struct prose_fact {
	const char *name, *text;
};

/** Make the text of an item: a sentence of prose.def with facts inserted. */
const char *
prose_expand(struct prose *prose, const char *sentence, const struct prose_fact *facts);

/** Add an item that is true after `event`; NULL when out of memory. */
struct prose_item *
prose_add(struct prose *prose, enum prose_kind kind, uint32_t event, const char *text);

/** Add a sentence of the table. */
struct prose_item *
prose_tell(struct prose *prose, enum prose_kind kind, enum sentence id, uint32_t event,
	   const struct prose_fact *facts);

/** Mark an explanation as added. False: the document already has it. */
bool
prose_first(struct prose *prose, const char *explanation);

/** Add an explanation, as an item or to the last item, unless the document already has it. */
void
prose_explain(struct prose *prose, enum sentence id, uint32_t event);
void
prose_go_on_to_explain(struct prose *prose, enum sentence id);

/** Append a text, or another sentence, to the last item. */
void
prose_go_on_with(struct prose *prose, const char *text);
void
prose_go_on(struct prose *prose, enum sentence id, const struct prose_fact *facts);

void
prose_add_figure(struct prose *prose, const char *line);

#define FACTS_OF(...) (const struct prose_fact[]){ __VA_ARGS__, { NULL, NULL } }
#define TELL(prose, id, event, ...) \
	prose_tell(prose, PROSE_PARAGRAPH, SENTENCE_##id, event, FACTS_OF(__VA_ARGS__))
#define TELL_PLAIN(prose, id, event) prose_tell(prose, PROSE_PARAGRAPH, SENTENCE_##id, event, NULL)
#define TITLE(prose, id, event) prose_tell(prose, PROSE_TITLE, SENTENCE_##id, event, NULL)

/** An event of the step; NULL: no such event. */
const struct event *
prose_event(const struct prose *prose, uint32_t event);

/**
 * A number, a place and a register's label as they appear in sentences. A number is hexadecimal
 * with 0x, or one digit if it is below 10.
 */
const char *
prose_value(struct prose *prose, uint64_t value);
const char *
prose_place(struct prose *prose, struct place place);
const char *
prose_label(const struct prose *prose, int reg);

/* Facts for a count: the number, the ending of its noun ("s" if plural) and of its verb. */
#define COUNTED(prose, n) \
	{ "count", arena_format((prose)->arena, "%zu", (size_t)(n)) }, \
		{ "s", plural(n) }, { "n", (n) == 1 ? "s" : "" }

/** A list of registers: "rbx, rbp and r12 to r15". */
struct prose_names {
	const char *items[ARCH_REGISTERS];
	const char *first, *last;	/* first and last name of a run, such as r12 and r15 */
	size_t used, run, count;	/* counts: items; registers in the run; all registers */
};

/** Add a name. A name with the next number extends a run: r13 after r12. */
void
prose_names_add(struct prose_names *names, const char *name, struct arena *arena);

/** The list as text, in `arena`; "" when out of memory. */
const char *
prose_names_text(const struct prose_names *names, struct arena *arena);

/* Rules (prose_rules.c) ------------------------------------------------------------------------ */

/**
 * Add a rule of the trace as arithmetic: ".cfa = $rsp + 48 = 0x7ffc + 0x30 = 0x802c". The result,
 * or each assignment, is a line (or several lines if it is long).
 */
void
prose_sums(struct prose *prose, uint32_t rule);

/** Explain the rules of an attempt, each with its tokens and its sum. */
void
prose_tell_rules(struct prose *prose, uint32_t attempt);

#endif
