/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_body.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/records.h"

static void
add_range(struct body *body, struct range_list *list, uint64_t address, uint64_t size,
	  struct range_source source)
{
	struct span span;

	if (body->symfile->strict && list == &body->calls && address != 0 &&
	    (size == 0 || size > UINT64_MAX - address)) {
		/* It covers nothing, but rust-minidump's search stops at it. */
		span = (struct span){ address, address - 1, (uint32_t)list->count };
	} else if (!span_of(address, size, (uint32_t)list->count, &span)) {
		symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_EMPTY, source.where,
			       "range %#" PRIx64 "+%#" PRIx64 " %s\nleft out", address, size,
			       size == 0 ? "is empty" : "ends past the last address");
		return;
	}
	struct span *spans = arena_grow(&body->scratch, list->spans, list->count,
					&list->span_capacity, sizeof(*spans));
	struct range_source *sources = arena_grow(&body->scratch, list->sources, list->count,
						  &list->source_capacity, sizeof(*sources));
	if (spans == NULL || sources == NULL) {
		body->failed = true;
		return;
	}
	list->spans = spans;
	list->sources = sources;
	spans[list->count] = span;
	sources[list->count++] = source;
}

static void
report_bad(struct body *body, enum message_kind kind, enum symbol_record_kind form,
	   struct text record, uint64_t where)
{
	char found[96];

	text_printable(found, sizeof(found), record);
	symfile_report(body->symfile, body->messages, kind, where,
		       "malformed record, expected '%s', found "
		       "'%s'\nskipped", record_forms[form].text,
		       found);
}

static void
read_inline(struct body *body, struct text record, uint64_t where)
{
	struct inline_record call;

	body->calls.any = true;
	if (!record_inline(record, body->symfile->strict, &call)) {
		report_bad(body, MESSAGE_SYMBOL_INLINE, SYMBOL_INLINE, record, where);
		return;
	}
	for (size_t range = 0; range < call.count; range++)
		add_range(body, &body->calls, call.ranges[range].address, call.ranges[range].size,
			  (struct range_source){ where, call.depth, body->last_depth });
	if (call.depth - 1 <= body->last_depth)
		body->last_depth = call.depth;
}

static void
read_body(struct body *body, uint64_t offset)
{
	struct line_finder finder = line_finder_at(body->symfile, offset);
	const bool strict = body->symfile->strict;
	uint64_t start, length;

	line_next(&finder, &start, &length);
	while (!body->failed && line_next(&finder, &start, &length) &&
	       symfile_origin(body->symfile, start) < body->view->end) {
		uint64_t where = where_of(start, length);
		struct text record = symfile_text(body->symfile, where);
		const enum symbol_record_kind kind = strict ? record_kind_strict(record)
							    : record_kind(record);
		struct line_record line;
		const bool good = kind == SYMBOL_LINE && record_line(record, strict, &line);

		if (length == 0 || symfile_left_out(body->symfile, start))
			continue;
		if (kind == SYMBOL_FUNC || kind == SYMBOL_PUBLIC ||
		    (strict && !good && kind != SYMBOL_INLINE && kind != SYMBOL_INLINE_ORIGIN))
			break;
		if (kind == SYMBOL_INLINE)
			read_inline(body, record, where);
		else if (good)
			add_range(body, &body->lines, line.address, line.size,
				  (struct range_source){ .where = where });
		else if (kind == SYMBOL_LINE && record_may_be_line(record))
			/* Others were reported when the file was opened. */
			report_bad(body, MESSAGE_SYMBOL_LINE, SYMBOL_LINE, record, where);
	}
}

static void
refuse(void *context, uint32_t refused, uint32_t stored)
{
	struct body *body = context;
	const struct range_list *list = body->selecting;
	enum message_kind kind = list == &body->lines ? MESSAGE_SYMBOL_OVERLAP
						      : MESSAGE_SYMBOL_INLINE;
	struct place other = { 0 };

	if (body->messages == NULL)
		return;
	if (body->messages->seen[kind] < LIMIT_MESSAGES_PER_KIND)
		other = symfile_place(body->symfile, where_offset(list->sources[stored].where), 0);
	symfile_report(body->symfile, body->messages, kind, list->sources[refused].where,
		       "%s overlaps that of line %" PRIu32 "\nskipped, the one that %s is used",
		       list == &body->lines ? "range of a line record" : "range of an inlined call",
		       other.line,
		       body->symfile->strict ? "begins first" : "comes first in the file");
}

static bool
select_ranges(struct body *body, struct range_list *list, enum containment_rule rule)
{
	body->selecting = list;
	return containment_select(list->spans, &list->count, rule, refuse, body);
}

/* Whether rust-minidump prefers one of two calls of a level that begin at the same address. */
static bool
comes_later(const struct body *body, const struct span *span, const struct span *other)
{
	const struct symfile *symfile = body->symfile;
	struct inline_record calls[2];

	if (!symfile->strict || span->last != other->last)
		return !symfile->strict || span->last > other->last;
	if (!record_inline(symfile_text(symfile, body->calls.sources[span->index].where), true,
			   &calls[0]) ||
	    !record_inline(symfile_text(symfile, body->calls.sources[other->index].where), true,
			   &calls[1]))
		return true;
	if (calls[0].file != calls[1].file)
		return calls[0].file > calls[1].file;
	if (calls[0].line != calls[1].line)
		return calls[0].line > calls[1].line;
	return calls[0].origin > calls[1].origin;
}

bool
body_chain_by_levels(const struct body *body, const struct span *spans, size_t count,
		     uint64_t address, struct chain *chain)
{
	const bool alone = body->nesting == NESTING_LEVELS_ALONE;
	size_t around = 0;

	chain->count = 0;
	if (body->nesting == NESTING_BY_RANGES || count == 0)
		return body->nesting != NESTING_BY_RANGES;
	memset(chain, 0, sizeof(*chain));
	for (size_t i = 0; i < count; i++) {
		const struct span *span = &spans[i];
		const int64_t level = body->calls.sources[span->index].level;

		if (span->first > address || (!alone && span->last < address))
			continue;
		around++;
		if (level < 0 || level >= LIMIT_INLINE_DEPTH)
			continue;
		/* The call of a level that begins last is used, even if it has ended. */
		const struct span *other = chain->calls[level];
		if (other == NULL || other->first < span->first ||
		    (other->first == span->first && comes_later(body, span, other)))
			chain->calls[level] = span;
	}
	while (chain->count < LIMIT_INLINE_DEPTH && chain->calls[chain->count] != NULL &&
	       chain->calls[chain->count]->last >= address)
		chain->count++;
	return alone || chain->count == around;
}

void
body_chain_by_ranges(const struct span *spans, size_t count, uint64_t address,
		     struct chain *chain)
{
	size_t from = count, around = 0;

	while (from > 0 && around < LIMIT_INLINE_DEPTH) {
		from--;
		around += spans[from].first <= address && address <= spans[from].last;
	}
	chain->count = 0;
	for (; from < count; from++)
		if (spans[from].first <= address && address <= spans[from].last)
			chain->calls[chain->count++] = &spans[from];
}

bool
body_select_calls(struct body *body)
{
	struct range_list *list = &body->calls;
	uint64_t reported = UINT64_MAX;
	size_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct range_source *source = &list->sources[list->spans[i].index];

		if (source->level - 1 <= source->above) {
			list->spans[left++] = list->spans[i];
		} else if (source->where != reported) {
			symfile_report(body->symfile, body->messages, MESSAGE_SYMBOL_INLINE,
				       source->where, "inlined call of depth %" PRId64
				       " after one of depth %" PRId64
				       "\nskipped, its caller is missing", source->level,
				       source->above);
			reported = source->where;
		}
	}
	list->count = left;
	return select_ranges(body, list, CONTAINMENT_NESTED_EQUAL);
}

bool
body_make(struct body *body, uint64_t where)
{
	const bool strict = body->symfile->strict;

	arena_init(&body->scratch, 0);
	read_body(body, where_offset(where));
	const bool settled = !body->all && !body->failed &&
			     body_chain_by_levels(body, body->calls.spans, body->calls.count,
						  body->address, body->chain);
	body->failed = body->failed ||
		       !select_ranges(body, &body->lines, strict ? CONTAINMENT_BY_START
								 : CONTAINMENT_EXCLUSIVE) ||
		       (!settled && !body->all && !body_select_calls(body));
	if (body->failed && body->messages != NULL)
		symfile_report(body->symfile, body->messages, MESSAGE_OUT_OF_MEMORY, where,
			       "out of memory for the lines of a function\nleft out");
	else if (!body->failed && !settled && !body->all)
		body_chain_by_ranges(body->calls.spans, body->calls.count, body->address,
				     body->chain);
	return !body->failed;
}
