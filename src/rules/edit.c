/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/edit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "symbols/records.h"

/* The original line of an edited record; false if the record is not edited. */
static bool
line_was(const struct symfile *symfile, uint64_t offset, uint32_t length, struct text *line)
{
	struct text now;

	*line = (struct text){ (const char *)symfile_file(symfile)->data + offset, length };
	return symfile_now(symfile, offset, &now) && !text_equal(now, *line);
}

bool
record_edit_made(const struct symfile *symfile, const struct stack_cfi *record,
		 struct stack_cfi *was)
{
	struct text line;

	if (!line_was(symfile, record->offset, record->length, &line))
		return false;
	if (!record_stack_cfi(line, false, was) || was->init != record->init ||
	    was->address != record->address)
		was->rules = (struct text){ 0 };
	return true;
}

bool
record_edit_made_win(const struct symfile *symfile, const struct stack_win *record,
		     struct stack_win *was)
{
	struct text line;

	return line_was(symfile, record->offset, record->length, &line) &&
	       record_stack_win(line, false, was);
}

bool
rule_span_find(struct text rules, struct text name, struct rule_span *span)
{
	bool found = false, inside = false;

	for (size_t i = 0; i < rules.length;) {
		size_t start = i;

		while (i < rules.length && !rule_is_break(rules.start[i]))
			i++;
		const size_t length = i - start;
		while (i < rules.length && rule_is_break(rules.start[i]))
			i++;
		if (length > 1 && rules.start[start + length - 1] == ':') {
			const struct text at = { rules.start + start, length - 1 };

			inside = text_equal(at, name);
			found = found || inside;
			if (inside)
				*span = (struct rule_span){ start, i, i };
		} else if (inside && length > 0) {
			span->end = start + length;
		}
	}
	return found;
}

/* The line with the bytes from `start` to `end` replaced. */
static const char *
splice(struct arena *arena, struct text line, size_t start, size_t end, const char *middle)
{
	return arena_format(arena, "%.*s%s%.*s", (int)start, line.start, middle,
			    (int)(line.length - end), line.start + end);
}

const char *
record_edit_rule(struct arena *arena, struct text line, struct text name, struct text expression)
{
	struct rule_span span = { 0 };
	struct stack_cfi record;

	if (line.length > INT32_MAX || !record_stack_cfi(line, false, &record))
		return NULL;
	const size_t rules = record.rules_column - 1u;
	const bool there = rule_span_find(record.rules, name, &span);
	if (expression.length == 0 && !there)
		return NULL;
	size_t start = rules + span.start, end = rules + span.end;
	/* Remove a rule with the blanks between it and its neighbour. */
	if (expression.length == 0) {
		while (end < line.length && rule_is_break(line.start[end]))
			end++;
		if (end == line.length)
			while (start > rules && rule_is_break(line.start[start - 1]))
				start--;
		return start == rules && end == line.length ? NULL
							    : splice(arena, line, start, end, "");
	}
	const char *rule = arena_format(arena, "%.*s: %.*s", (int)name.length, name.start,
					(int)expression.length, expression.start);
	if (rule == NULL)
		return NULL;
	if (there)
		return splice(arena, line, start, end, rule);
	end = line.length;
	while (end > rules && rule_is_break(line.start[end - 1]))
		end--;
	return arena_format(arena, "%.*s %s", (int)end, line.start, rule);
}

enum { SIZE_FIELDS = 6, WORD_BASE_POINTER = SIZE_FIELDS, WORD_PROGRAM, WIN_WORDS };

/* Names of the fields of STACK WIN, from the prologue on. */
static const char *const win_words[WIN_WORDS] = {
	"prologue", "epilogue", "params", "saved", "locals", "max", "base-pointer", "program",
};

static size_t
win_word(struct text name)
{
	size_t word = 0;

	while (word < WIN_WORDS && !text_is(name, win_words[word]))
		word++;
	return word;
}

bool
record_edit_win_size(const struct stack_win *record, struct text name, uint32_t *size)
{
	const uint32_t sizes[] = {
		record->prologue, record->epilogue, record->parameters, record->saved_registers,
		record->locals, record->max_stack, record->allocates_base_pointer,
	};
	const size_t word = win_word(name);

	if (word >= ARRAY_COUNT(sizes))
		return false;
	*size = sizes[word];
	return true;
}

static const char *
with_last_field(struct arena *arena, const struct symbol_record *record, const char *flag,
		struct text value)
{
	const size_t before = record_skip(record, WIN_HAS_PROGRAM);

	return arena_format(arena, "%.*s%s %.*s", (int)before, record->text.start, flag,
			    (int)value.length, value.start);
}

const char *
record_edit_win(struct arena *arena, struct text line, struct text name, struct text value,
		const char **problem)
{
	struct symbol_record record;
	struct stack_win win;
	uint64_t number;
	const size_t word = win_word(name);

	*problem = OUT_OF_MEMORY;
	if (line.length > INT32_MAX || !record_stack_win(line, false, &win) ||
	    !record_read(SYMBOL_STACK_WIN, line, &record))
		*problem = "this is not a STACK WIN record";
	else if (word == WIN_WORDS)
		*problem = "a STACK WIN record has program, prologue, epilogue, params, saved, "
			   "locals, max and base-pointer";
	else if (value.length == 0)
		*problem = "a field of a STACK WIN record cannot be removed";
	else if (word == WORD_PROGRAM)
		return with_last_field(arena, &record, "1", value);
	else if (!text_number(value, 0, &number) || number > UINT32_MAX)
		*problem = "a size is a number, 12 or 0xc";
	else if (word == WORD_BASE_POINTER)
		return with_last_field(arena, &record, "0", text_of(number != 0 ? "1" : "0"));
	else {
		const struct text old = record.fields[WIN_PROLOGUE + word].text;
		const size_t start = (size_t)(old.start - line.start);
		char digits[32];

		snprintf(digits, sizeof(digits), "%" PRIx64, number);
		return splice(arena, line, start, start + old.length, digits);
	}
	return NULL;
}
