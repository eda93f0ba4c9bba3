/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_RULE_LISTING_H
#define REPORT_STEP_RULE_LISTING_H

#include "document/facts.h"
#include "document/listing.h"
#include "rules/rule_table.h"

/**
 * Tables of unwind rules as rows: for each source a title, then a row for each address where a
 * rule changes, the one in force with `=>`,
 * with `->` in a source that was not asked. Changed cells have a `*`, edited
 * ones a `=`; a cell that another source contradicts has a `!`, and that source's row stands below.
 */
enum rule_form {
	RULE_FORM_SHORT,	/* as readelf -wF writes: "c-16" */
	RULE_FORM_POSTFIX,	/* the expression: ".cfa -16 + ^" */
	RULE_FORM_RECORD,	/* the line or offset of the record that set it */
	RULE_FORM_COUNT
};

struct rule_view {
	const struct rule_tables *tables;
	const struct rule_run *run;
	bool marked;			/* there is an address whose rows are in force */
	uint64_t address;
	/* What addresses that are shown have more than the module's */
	uint64_t bias;
	size_t in_force;		/* table whose rules are obeyed there; SIZE_MAX: of none */
	const char *method;		/* that obeys them; NULL: unknown */
	size_t column;			/* selected: what rows explain and lead to */
	enum rule_form form;
};

/** Rows that live in `arena`; the view's parts are borrowed, the view itself is copied. */
struct listing
rule_listing(const struct rule_view *view, struct arena *arena);

/** The row that is in force; 0 where none is. */
size_t
rule_listing_row(const struct listing *listing);

/** How many records the tables are made from. */
size_t
rule_listing_records(const struct rule_tables *tables);

/** The tables of a function as facts: name, range, columns, sources. */
FACTS_DECLARE(rule_tables, const struct rule_view *view);

/** The listing without the function and its range, as an object. */
FACTS_DECLARE(rule_sources, const struct rule_view *view);

#endif
