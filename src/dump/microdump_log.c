/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/microdump_log.h"

#include <string.h>

#include "base/limits.h"
#include "dump/minidump_internal.h"

#define TAG "google-breakpad"
#define BEGIN "-----BEGIN BREAKPAD MICRODUMP-----"
#define END "-----END BREAKPAD MICRODUMP-----"
/* Most dumps that are written at one time: as many as a phone has processes that crash together. */
#define OPEN_DUMPS 16

bool
microdump_recognise(const uint8_t *bytes, uint64_t size)
{
	const uint8_t *end = size > 0 ? bytes + size : bytes, *at = bytes;

	/* A program that writes microdumps contains the line as a string that ends with NUL. */
	while ((at = memmem(at, (size_t)(end - at), BEGIN, strlen(BEGIN))) != NULL) {
		at += strlen(BEGIN);
		if (at == end || *at != 0)
			return true;
	}
	return false;
}

bool
microdump_next_line(struct microdump_lines *lines, struct text *line, uint64_t *offset)
{
	if (lines->next >= lines->size)
		return false;
	const char *start = (const char *)lines->data + lines->next;
	size_t left = (size_t)(lines->size - lines->next);
	const char *feed = memchr(start, '\n', left);
	size_t length = feed != NULL ? (size_t)(feed - start) : left;

	*offset = lines->next;
	lines->next += length + (feed != NULL ? 1 : 0);
	if (length > 0 && start[length - 1] == '\r')
		length--;
	*line = (struct text){ start, length };
	return true;
}

static const char *
find(struct text text, const char *word)
{
	return text.length == 0 ? NULL : memmem(text.start, text.length, word, strlen(word));
}

static struct text
digits_at(const char *start, const char *end)
{
	struct text digits = { start, 0 };

	while (start + digits.length < end && start[digits.length] >= '0' &&
	       start[digits.length] <= '9')
		digits.length++;
	return digits;
}

/* The last word before `end`; `*end` becomes its start. */
static struct text
word_before(const char *start, const char **end)
{
	const char *last = *end, *first;

	while (last > start && last[-1] == ' ')
		last--;
	first = last;
	while (first > start && first[-1] != ' ')
		first--;
	*end = first;
	return (struct text){ first, (size_t)(last - first) };
}

/* "F/google-breakpad( 3745): " or "02-25 07:59:17.030  3745  3745 F google-breakpad: " */
static struct text
process_of(struct text line, const char *tag)
{
	const char *end = line.start + line.length, *behind = tag + strlen(TAG);

	if (behind < end && *behind == '(') {
		for (behind++; behind < end && *behind == ' '; behind++)
			continue;
		return digits_at(behind, end);
	}
	const char *before = tag;
	struct text level = word_before(line.start, &before);
	struct text thread = word_before(line.start, &before);
	struct text process = word_before(line.start, &before);
	bool fits = level.length == 1 && thread.length > 0 && process.length > 0 &&
		    digits_at(thread.start, thread.start + thread.length).length ==
			    thread.length &&
		    digits_at(process.start, process.start + process.length).length ==
			    process.length;
	return fits ? process : (struct text){ line.start, 0 };
}

bool
microdump_body(const struct microdump_extent *extent, struct text line, struct text *body)
{
	const char *tag = find(line, TAG), *start = line.start + extent->column;

	if (!extent->tagged) {
		if (tag != NULL || line.length <= extent->column)
			return false;
	} else {
		if (tag == NULL || !text_equal(process_of(line, tag), extent->process))
			return false;
		/* The record follows the tag and ": ". */
		tag += strlen(TAG);
		start = find((struct text){ tag, (size_t)(line.start + line.length - tag) }, ": ");
		if (start == NULL)
			return false;
		start += 2;
	}
	*body = (struct text){ start, (size_t)(line.start + line.length - start) };
	return true;
}

/* The dumps that were found, and those that still lack their last line. */
struct search {
	struct microdump_extent open[OPEN_DUMPS];
	size_t numbers[OPEN_DUMPS];
	size_t open_count;
	size_t found;
	size_t wanted;			/* 0: the first complete one */
	struct microdump_extent *chosen;
	struct microdump_extent first;
	size_t chosen_number;
};

static void
close_dump(struct search *search, size_t slot, uint64_t end, bool whole)
{
	struct microdump_extent extent = search->open[slot];
	size_t number = search->numbers[slot];

	extent.end = end;
	extent.whole = whole;
	search->open_count--;
	memmove(&search->open[slot], &search->open[slot + 1],
		(search->open_count - slot) * sizeof(search->open[0]));
	memmove(&search->numbers[slot], &search->numbers[slot + 1],
		(search->open_count - slot) * sizeof(search->numbers[0]));
	if (number == 1)
		search->first = extent;
	bool better = whole && (search->chosen_number == 0 || number < search->chosen_number);
	if (search->wanted == 0 ? better : number == search->wanted) {
		*search->chosen = extent;
		search->chosen_number = number;
	}
}

static void
mark(struct search *search, struct microdump_extent extent, bool begins, uint64_t end)
{
	size_t slot = 0;

	/* The open dump of the same process that the line belongs to. */
	while (slot < search->open_count &&
	       (search->open[slot].tagged != extent.tagged ||
		!text_equal(search->open[slot].process, extent.process)))
		slot++;
	/* A process that begins again has lost the rest of its previous dump. */
	if (slot < search->open_count)
		close_dump(search, slot, begins ? extent.start : end, !begins);
	if (!begins || search->found >= LIMIT_MICRODUMPS)
		return;
	if (search->open_count == OPEN_DUMPS)
		close_dump(search, 0, extent.start, false);
	search->numbers[search->open_count] = ++search->found;
	search->open[search->open_count++] = extent;
}

size_t
microdump_find(const uint8_t *bytes, uint64_t size, size_t *index,
	       struct microdump_extent *chosen)
{
	struct search search = { .wanted = *index, .chosen = chosen };
	struct microdump_lines lines = { bytes, size, 0 };
	struct text line;
	uint64_t offset;

	while (microdump_next_line(&lines, &line, &offset)) {
		const char *begin = find(line, BEGIN), *tag;

		if (begin == NULL && find(line, END) == NULL)
			continue;
		tag = find(line, TAG);
		struct microdump_extent extent = { .start = offset, .tagged = tag != NULL };
		if (tag != NULL)
			extent.process = process_of(line, tag);
		else if (begin != NULL)
			extent.column = (size_t)(begin - line.start);
		mark(&search, extent, begin != NULL, lines.next);
	}
	while (search.open_count > 0)
		close_dump(&search, 0, size, false);
	if (*index == 0 && search.chosen_number == 0 && search.found > 0) {
		*chosen = search.first;
		search.chosen_number = 1;
	}
	if (*index == 0)
		*index = search.chosen_number;
	if (search.chosen_number != 0) {
		const uint8_t *feed = bytes, *start = bytes + chosen->start;

		for (chosen->line = 1; feed < start &&
				       (feed = memchr(feed, '\n', (size_t)(start - feed))) != NULL;
		     feed++)
			chosen->line++;
	}
	return search.found;
}
