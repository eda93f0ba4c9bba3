/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <stdio.h>
#include <string.h>

#include "walk/location.h"

/*
 * The message of a panic of Rust. A closure of std::panicking has its payload in its frame: a
 * String (capacity, pointer and length, in older versions the pointer first) if the message was
 * formatted, else a &str (pointer and length) that leads into the program's file. A message is only
 * reported if the frame has one candidate.
 */
#define WORDS 64u	/* searched words of a frame */
#define LENGTH_MOST 0x10000u
#define SHOWN 300u	/* bytes of a message */

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

/* Searches the words of a frame for a String, or for a constant &str. The number of them. */
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
		/* A String has both orders. */
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

const char *
panic_text(struct explain *explain, size_t frames, uint64_t *address)
{
	struct arena *arena = &explain->out->arena;
	const struct walk *walk = explain->walk;
	char text[SHOWN];

	for (size_t i = 0; !explain->crash->redacted && i <= frames && i + 1 < walk->count; i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, arena, &location);
		struct text name = location.calls[location.call_count - 1].name;
		if (!text_drop_prefix(&name, "std::panicking::") ||
		    memmem(name.start, name.length, "{closure", 8) == NULL ||
		    (search_frame(explain, i, false, text, address) != 1 &&
		     search_frame(explain, i, true, text, address) != 1))
			continue;
		return text_printable_copy(arena, text_of(text));
	}
	return NULL;
}
