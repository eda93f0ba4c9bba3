/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A function is read for each look-up, or kept. Both give the same answer for any function, and at
 * every address they agree with the parts into which the function's calls are cut. */
#include "base/policy_rows.h"
#include "symbols/symfile_body.h"
#include "tests/lib/chance.h"
#include "tests/lib/tap.h"

#define START 0x1000u
#define SIZE 0x40u

struct buffer {
	char text[16384];
	size_t size;
};

static void ATTRIBUTE_PRINTF(2, 3)
put(struct buffer *buffer, const char *format, ...)
{
	const size_t room = sizeof(buffer->text) - buffer->size;
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(buffer->text + buffer->size, room, format, arguments);
	va_end(arguments);
	if (length > 0 && (size_t)length < room)
		buffer->size += (size_t)length;
}

/* Write lines that symbol writers never or rarely write; `odd` of a hundred. */
static bool
put_odd(struct buffer *buffer, uint32_t odd)
{
	static const char *const lines[] = {
		"1000  8 12 1\n", "1008 4 x 1\n", "100c 4 1 1\r\n", "1010 g 1 1\n", "1018 8 7\n", "INLINE 0 5 3 1008 8\n",
		"INLINE 9 5 0 3 1008 8\n", "INLINE 0 5 0 3 1008\n", "INLINE 0 5 -1 3 1008 8\n", "INLINE 0 5 0 99 1008 c 101c 4\n", "\n",
		"z\n", "STACK CFI INIT 1000 40 .cfa: $rsp 8 +\n", "FILE 7 seven\n", "INFO x\n", "1010 0 5 0\n", "1000000000000 8 1 0\n",
		"fffffffffffffff8 10 1 0\n", "0001020 00000004 000009 0\n", "123456789 4 1 0\n", "101f 2 123456789 0\n", "+1020 4 1 0\n",
	};

	if (chance(100) >= odd)
		return false;
	put(buffer, "%s", lines[chance(ARRAY_COUNT(lines))]);
	return true;
}

static void
put_calls(struct buffer *buffer, uint32_t odd)
{
	for (uint32_t i = chance(7), depth = 0; i > 0; i--) {
		const uint32_t from = chance(SIZE), size = 1 + chance(SIZE - from);
		if (put_odd(buffer, odd))
			continue;
		put(buffer, "INLINE %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx32
		    " %" PRIx32, depth, chance(3000), chance(3), chance(4), START + from, size);
		if (chance(4) == 0)
			put(buffer, " %" PRIx32 " %" PRIx32, START + chance(SIZE), 1 + chance(9));
		put(buffer, "\n");
		depth = chance(depth + 2);
	}
}

static void
put_lines(struct buffer *buffer, uint32_t odd)
{
	for (uint32_t at = START; at < START + SIZE;) {
		const uint32_t size = 1 + chance(12);
		if (put_odd(buffer, odd))
			continue;
		put(buffer, "%" PRIx32 " %" PRIx32 " %" PRIu32 " %" PRIu32 "\n",
		    chance(100) < odd ? START + chance(SIZE) : at, size, chance(100000), chance(3));
		at += size;
	}
}

static void
put_file(struct buffer *buffer, uint32_t odd)
{
	buffer->size = 0;
	put(buffer, "MODULE Linux x86_64 0 m\nFILE 0 a.c\nFILE 1 b.c\nINLINE_ORIGIN 0 first\n"
		    "INLINE_ORIGIN 1 second\nINLINE_ORIGIN 3 fourth\nFUNC 1000 40 0 f\n");
	put_calls(buffer, odd);
	put_lines(buffer, odd);
	put(buffer, chance(2) == 0 ? "FUNC 2000 4 0 g\n2000 4 1 1\n"
				   : "PUBLIC 2000 0 g\nSTACK CFI INIT 2000 4 .cfa: $rsp 8 +\n");
}

static bool
same_call(const struct inline_call *a, const struct inline_call *b)
{
	return a->depth == b->depth && a->address == b->address && a->size == b->size &&
	       text_equal(a->name, b->name) && a->call_line == b->call_line &&
	       text_equal(a->call_file, b->call_file) && a->offset == b->offset && a->length == b->length;
}

static bool
same_symbol(const struct symbol *a, const struct symbol *b)
{
	bool same = a->found == b->found && a->has_line == b->has_line && a->inline_count == b->inline_count;

	if (same && a->has_line)
		same = a->line.address == b->line.address && a->line.size == b->line.size &&
		       a->line.line == b->line.line && text_equal(a->line.file, b->line.file) &&
		       a->line.offset == b->line.offset && a->line.length == b->line.length;
	for (size_t i = 0; same && i < a->inline_count; i++)
		same = same_call(&a->inlines[i], &b->inlines[i]);
	return same;
}

/* True if the parts of a function's calls around an address equal the calls of a look-up. */
static bool
same_parts(const struct symbol *symbol, const struct function_body *body, uint64_t address)
{
	size_t around = 0;

	for (size_t i = 0; i < body->call_count; i++) {
		const struct inline_call *part = &body->calls[i];
		if (address < part->address || address - part->address >= part->size)
			continue;
		if (++around > symbol->inline_count || symbol->inlines[symbol->inline_count - around].offset != part->offset)
			return false;
	}
	return around == symbol->inline_count;
}

/* Look up every address, with and without a memo for long functions, for which these are too short. */
static bool
both_ways(const struct buffer *buffer, enum nesting nesting)
{
	const struct policy policy = { .value = { [POLICY_INLINE_LEVELS] = nesting } };
	struct symfile *symfile;
	bool same = true;

	if (symfile_from_memory(&symfile, "random", buffer->text, buffer->size, NULL) != ERROR_NONE)
		return false;
	for (uint64_t address = START; same && address < START + SIZE; address++) {
		struct function_body body;
		struct symbol one, kept;
		struct arena arena = { 0 };

		symfile_lookup(symfile, &policy, address, &arena, &one);
		body_kept_least(symfile->kept, 0);
		symfile_lookup(symfile, &policy, address, &arena, &kept);
		body_kept_least(symfile->kept, UINT64_MAX);
		same = same_symbol(&one, &kept) && one.has_inline == kept.has_inline;
		/* By levels alone an ended call hides one around it, but not in the parts of the calls. */
		if (nesting != NESTING_LEVELS_ALONE && symfile_function_body(symfile, &policy, address, &arena, &body))
			same = same && same_parts(&one, &body, address);
		if (!same)
			tap_diag("at %" PRIx64 " of\n%.*s", address, (int)buffer->size, buffer->text);
		arena_free(&arena);
	}
	symfile_close(symfile);
	return same;
}

/* More ranges than Breakpad reads; the last ones contain the addresses of the look-ups. */
static void
put_ranges(struct buffer *buffer, unsigned count)
{
	buffer->size = 0;
	put(buffer, "MODULE Linux x86_64 0 m\nFILE 0 a.c\nINLINE_ORIGIN 0 first\n"
		    "FUNC 1000 200 0 f\nINLINE 0 5 0 0");
	for (unsigned i = count; i-- > 0;)
		put(buffer, " %x 1", START + i);
	put(buffer, "\n1000 200 7 0\n");
}

int
main(void)
{
	static const struct {
		uint32_t odd;
		const char *title;
	} kinds[] = {
		{ 0, "2000 functions as writers write them have the same lines and calls both ways" },
		{ 3, "2000 functions with some odd records have the same lines and calls both ways" },
		{ 40, "2000 functions with many odd records have the same lines and calls both ways" },
	};
	static struct buffer buffer;

	for (size_t kind = 0; kind < ARRAY_COUNT(kinds); kind++) {
		bool same = true;
		for (unsigned turn = 0; same && turn < 2000; turn++) {
			put_file(&buffer, kinds[kind].odd);
			same = both_ways(&buffer, turn % 3);
		}
		ok(same, "%s", kinds[kind].title);
	}
	for (unsigned count = 196; count <= 264; count += 4) {
		put_ranges(&buffer, count);
		ok(both_ways(&buffer, NESTING_BY_RANGES) && both_ways(&buffer, NESTING_LEVELS_ALONE),
		   "a call of %u ranges has the same parts both ways", count);
	}
	return done_testing();
}
