/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_RULE_LISTING_H
#define REPORT_STEP_RULE_LISTING_H

#include "document/facts.h"
#include "document/listing.h"
#include "rules/unwind_source.h"

/**
 * Tables of unwind rules as rows: for each source a title, then a row for each address where a rule
 * changes. The row in force has `=>`, or `->` if the step did not use this source. A changed cell
 * has a `*`, an edited cell a `=`. A cell that another source contradicts has a `!`, and the other
 * source's row follows.
 */
enum rule_form {
	RULE_FORM_SHORT,	/* as in readelf -wF: "c-16" */
	RULE_FORM_POSTFIX,	/* the expression: ".cfa -16 + ^" */
	RULE_FORM_RECORD,	/* line or offset of the record with the rule */
	RULE_FORM_COUNT
};

struct rule_view {
	const struct rule_tables *tables;
	const struct rule_run *run;
	bool marked;			/* `address` is valid; rows that cover it are in force */
	uint64_t address;
	/* Number that rows add to addresses of the module */
	uint64_t bias;
	size_t in_force;		/* table that the step used at `address`; SIZE_MAX: none */
	const char *method;		/* method that used the table; NULL: unknown */
	size_t column;			/* selected column; rows explain its cell and lead to it */
	enum rule_form form;
};

/** Make rows in `arena`. Copies the view and borrows its parts. The row in force is current. */
struct listing
rule_listing(const struct rule_view *view, struct arena *arena);

/**
 * Whether a row shows the rules of another source that contradict the previous row. Sets `*address`
 * to the start of these rules, relative to the module.
 */
bool
rule_listing_contradicts(const struct listing *listing, size_t row, uint64_t *address);

/** The number of records that the tables are made from. */
size_t
rule_listing_records(const struct rule_tables *tables);

/** The tables of a function as facts: name, range, columns, sources. */
FACTS_DECLARE(rule_tables, const struct rule_view *view);

/** The listing without the function and its range, as an object. */
FACTS_DECLARE(rule_sources, const struct rule_view *view);

#endif
