/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_SYMBOLS_SYMTEXT_H
#define TESTS_UNIT_SYMBOLS_SYMTEXT_H

#include "base/policy_rows.h"
#include "symbols/symbols.h"
#include "tests/lib/tap.h"

/** Symbol files written in a test, and look-ups in them with answers as text. */

static const struct policy whole_file = { 0 };
static const struct policy as_breakpad = { .value = { [POLICY_SYMBOL_ERROR_LIMIT] = 1 } };

/** Open `length` bytes as a symbol file, which must succeed. */
static inline struct symfile *
open_bytes(const char *bytes, size_t length)
{
	struct symfile *symfile = NULL;
	struct error error = { 0 };

	if (symfile_from_memory(&symfile, "test.sym", bytes, length, &error) != ERROR_NONE) {
		tap_diag("cannot open: %s", error.text);
		exit(1);
	}
	return symfile;
}

/** Open the text of a terminated string. */
static inline struct symfile *
open_text(const char *text)
{
	return open_bytes(text, strlen(text));
}

/** Append to a buffer of `size` bytes. */
static inline void
append(char *buffer, size_t size, const char *format, ...) ATTRIBUTE_PRINTF(3, 4);

static inline void
append(char *buffer, size_t size, const char *format, ...)
{
	size_t used = strlen(buffer);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer + used, size - used, format, arguments);
	va_end(arguments);
}

static inline void
append_text(char *buffer, size_t size, struct text text)
{
	append(buffer, size, "%.*s", (int)text.length, text.length == 0 ? "" : text.start);
}

/** The name and start of the record that covers an address: `name@start`, or `-`. */
static inline const char *
name_of(const struct symfile *symfile, const struct policy *policy, uint64_t address, char *buffer, size_t size)
{
	struct function function;

	snprintf(buffer, size, "-");
	if (symfile_function(symfile, policy, address, &function)) {
		buffer[0] = '\0';
		append_text(buffer, size, function.name);
		append(buffer, size, "@%llx", (unsigned long long)function.address);
	}
	return buffer;
}

/** All about an address: `name`, then ` file:line` if there is a line record, then
 * ` < inlined called at file:line`, innermost first. */
static inline const char *
frames_of(const struct symfile *symfile, const struct policy *policy, uint64_t address, char *buffer, size_t size)
{
	struct arena arena = { 0 };
	struct symbol symbol;

	buffer[0] = '\0';
	if (symfile_lookup(symfile, policy, address, &arena, &symbol))
		append_text(buffer, size, symbol.function.name);
	if (symbol.has_line) {
		append(buffer, size, " ");
		append_text(buffer, size, symbol.line.file);
		append(buffer, size, ":%u", symbol.line.line);
	}
	for (size_t call = 0; call < symbol.inline_count; call++) {
		append(buffer, size, " < ");
		append_text(buffer, size, symbol.inlines[call].name);
		append(buffer, size, " at ");
		append_text(buffer, size, symbol.inlines[call].call_file);
		append(buffer, size, ":%u", symbol.inlines[call].call_line);
	}
	arena_free(&arena);
	return buffer;
}

/** The rules in force at an address: those of INIT, then ` | ` and the rules of each delta. */
static inline const char *
rules_of(const struct symfile *symfile, const struct policy *policy, uint64_t address, char *buffer, size_t size)
{
	struct arena arena = { 0 };
	struct stack_cfi_records cfi;

	snprintf(buffer, size, "-");
	if (symfile_stack_cfi(symfile, policy, address, &arena, &cfi)) {
		buffer[0] = '\0';
		append_text(buffer, size, cfi.init.rules);
		for (size_t delta = 0; delta < cfi.delta_count; delta++) {
			append(buffer, size, " | ");
			append_text(buffer, size, cfi.deltas[delta].rules);
		}
	}
	arena_free(&arena);
	return buffer;
}

/** The number of messages of a kind. */
static inline uint64_t
seen(const struct symfile *symfile, enum message_kind kind)
{
	return symfile_messages(symfile)->seen[kind];
}

/** The first message of a kind, or an empty one. */
static inline struct message
first_message(const struct message_list *list, enum message_kind kind)
{
	for (size_t index = 0; index < list->count; index++)
		if (list->messages[index].kind == kind)
			return list->messages[index];
	return (struct message){ .text = "", .hint = "" };
}

#endif
