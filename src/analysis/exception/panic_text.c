/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <stdio.h>
#include <string.h>

#include "debug_info/file_symbols.h"
#include "inspect/variable/frame_variables.h"
#include "walk/location.h"

/*
 * The message of a panic of Rust or Go.
 *
 * Rust: a closure of std::panicking has the message in its frame. A formatted message is a String
 * (capacity, pointer and length; in older versions the pointer first). A constant message is a &str
 * (pointer and length) that points into the program's file. A message is only reported if the frame
 * has exactly one candidate.
 *
 * Go: runtime.gopanic has the value of the panic in its argument `e`. Its variable `p` has the
 * value to print. It is a string if `e` has a method for its text. An interface consists of a type
 * and the address of its data (runtime/panic.go, runtime2.go, type.go).
 */
#define WORDS 64u	/* words of a frame that are searched */
#define LENGTH_MOST 0x10000u
#define SHOWN 300u	/* bytes of a message */
/* Go: bits of a type's kind, the kind of strings, and the flag of a name with an extra '*'. */
#define GO_KINDS 31u
#define GO_STRING 24u
#define GO_EXTRA_STAR 2u

/* Reads the beginning of a text of `length` bytes; false: missing, or with control characters. */
static bool
read_message(const struct explain *explain, uint64_t address, uint64_t length, bool constant,
	     char text[SHOWN])
{
	const size_t size = length < SHOWN - 1 ? (size_t)length : SHOWN - 1;

	if (length == 0 || length > LENGTH_MOST ||
	    (constant ? binaries_read(explain->binaries, address, (uint8_t *)text, size, NULL)
		      : memory_rest(&explain->memory, address).size) < length ||
	    (!constant &&
	     memory_copy(&explain->memory, address, (uint8_t *)text, size, NULL) < size))
		return false;
	text[size] = '\0';
	for (size_t i = 0; i < size; i++)
		if (text[i] == 0x7f || ((unsigned char)text[i] < ' ' && text[i] != '\n' &&
					text[i] != '\t'))
			return false;
	return true;
}

/* Counts the candidates for a String, or for a constant &str, in the words of a frame. */
static unsigned
search_frame(const struct explain *explain, size_t frame, bool constant, char text[SHOWN],
	     uint64_t *found)
{
	const struct walk *walk = explain->walk;
	const unsigned word = walk->arch->word_size;
	const uint64_t start = walk->frames[frame].registers.value[walk->arch->sp];
	const uint64_t end = walk->frames[frame + 1].registers.value[walk->arch->sp];
	const struct memory_run *stack = memory_run_of(&explain->memory, start);
	uint64_t words[WORDS];
	unsigned count = 0;
	char candidate[SHOWN];
	size_t known = 0;

	*found = 0;
	while (known < WORDS && start + (known + 1) * word <= end &&
	       memory_peek(&explain->memory, start + known * word, word, &words[known], NULL))
		known++;
	for (size_t i = 0; i + 2 - constant < known; i++) {
		const uint64_t length = words[i + 2 - constant];
		/* A String's pointer may be before or after its capacity. */
		for (size_t j = 0; j < (constant ? 1u : 2u); j++) {
			const uint64_t at = words[i + j], capacity = words[i + !j];

			if ((!constant && (capacity < length || capacity > LENGTH_MOST)) ||
			    at == *found || memory_run_of(&explain->memory, at) == stack ||
			    !read_message(explain, at, length, constant, candidate))
				continue;
			memcpy(text, candidate, SHOWN);
			memory_note(&explain->memory, start + i * word, (3u - constant) * word,
				    MEMORY_READ);
			*found = at;
			count++;
		}
	}
	return count;
}

/* Go ------------------------------------------------------------------------------------------- */

/* Reads the first words of a frame's variable. */
static bool
read_variable(struct explain *explain, size_t frame, const char *name, uint64_t *words,
	      unsigned count)
{
	struct arena *arena = &explain->out->arena;
	const unsigned word = explain->arch->word_size;
	struct value_frame *variables = frame_variables_of(explain->walk, &explain->memory, frame,
							   arena);
	struct variable_value found;
	const char *why;

	if (variables == NULL || variables->scopes.count == 0)
		return false;
	const struct debug_scope *scope = &variables->scopes.items[variables->scopes.count - 1];
	for (size_t i = 0; i < scope->count; i++) {
		const struct debug_variable *variable = &scope->variables[i];

		if (strcmp(variable->name, name) != 0 ||
		    !variable_value_of(variables, variable, arena, &found) ||
		    !found.value.type->has_size || found.value.type->size < count * word)
			continue;
		const uint8_t *bytes = value_bytes(&found.value, count * word, arena, &why);
		for (unsigned j = 0; bytes != NULL && j < count; j++)
			words[j] = reader_number(bytes + j * word, word,
						 explain->memory.big_endian);
		return bytes != NULL;
	}
	return false;
}

/* The name of a type of Go, by its offset from runtime.types; NULL: unknown. */
static const char *
go_type(struct explain *explain, uint64_t type)
{
	const unsigned word = explain->arch->word_size;
	const int module = module_map_find(&explain->modules, type);
	const struct binary *file =
		module != MODULE_NONE
			? binaries_load(explain->binaries, (size_t)module, LOCATE_IMAGE) : NULL;
	uint64_t at, flags, offset, length;
	char name[SHOWN];

	if (file == NULL || !file_symbols_object(file, "runtime.types", &at, NULL) ||
	    !analysis_number(explain, type + 2 * word + 4, 1, &flags) ||
	    !analysis_number(explain, type + 4 * word + 8, 4, &offset))
		return NULL;
	at += explain->crash->modules[module].base - file->linked_base + offset;
	if (!analysis_number(explain, at + 1, 1, &length) || length == 0 || length >= 0x80 ||
	    !read_message(explain, at + 2, length, true, name))
		return NULL;
	return text_printable_copy(&explain->out->arena,
				   text_of(name + ((flags & GO_EXTRA_STAR) != 0)));
}

static bool
read_string(struct explain *explain, const uint64_t words[2], char text[SHOWN], uint64_t *address)
{
	*address = words[0];
	return read_message(explain, words[0], words[1], false, text) ||
	       read_message(explain, words[0], words[1], true, text);
}

/* Reads the message that a frame of Go's runtime prints. */
static bool
read_go(struct explain *explain, size_t frame, struct text name, char text[SHOWN],
	uint64_t *address)
{
	const unsigned word = explain->arch->word_size;
	uint64_t words[3], kind, string[2];

	if (text_is(name, "runtime.throw") || text_is(name, "runtime.fatal"))
		return read_variable(explain, frame, "s", words, 2) &&
		       read_string(explain, words, text, address);
	return text_is(name, "runtime.gopanic") &&
	       read_variable(explain, frame, "p", words, 3) &&
	       analysis_number(explain, words[1] + 2 * word + 7, 1, &kind) &&
	       (kind & GO_KINDS) == GO_STRING &&
	       analysis_number(explain, words[2], word, &string[0]) &&
	       analysis_number(explain, words[2] + word, word, &string[1]) &&
	       read_string(explain, string, text, address);
}

const char *
panic_text(struct explain *explain, size_t frames, uint64_t *address, const char **type)
{
	struct arena *arena = &explain->out->arena;
	const struct walk *walk = explain->walk;
	char text[SHOWN];
	uint64_t value;

	*type = NULL;
	for (size_t i = 0; !explain->crash->redacted && i <= frames && i + 1 < walk->count; i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, arena, &location);
		struct text name = location.calls[location.call_count - 1].name;
		if (read_go(explain, i, name, text, address)) {
			if (read_variable(explain, i, "e", &value, 1))
				*type = go_type(explain, value);
			return text_printable_copy(arena, text_of(text));
		}
		if (!text_drop_prefix(&name, "std::panicking::") ||
		    memmem(name.start, name.length, "{closure", 8) == NULL ||
		    (search_frame(explain, i, false, text, address) != 1 &&
		     search_frame(explain, i, true, text, address) != 1))
			continue;
		return text_printable_copy(arena, text_of(text));
	}
	return NULL;
}
