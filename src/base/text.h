/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

/**
 * Text from files, made safe for terminals, and its width on them.
 *
 * Everything here is independent of the locale: names are UTF-8 or they are
 * bytes. What may not reach a terminal (C0 and C1 controls, DEL, line and
 * paragraph separators, bidirectional controls and everything else that Unicode
 * calls default-ignorable, noncharacters, a combining mark with nothing before it,
 * invalid UTF-8) becomes visible: C0, DEL and invalid bytes as \xNN, characters as
 * \uNNNN or \UNNNNNNNN. A combining mark behind a character passes.
 */

/** A piece of text that is not terminated; borrowed. */
struct text {
	const char *start;
	size_t length;
};

/** Write what the last named parameter of a function and those behind it say to an array. */
#define TEXT_FORMAT(array, format) \
	do { \
		va_list arguments_; \
\
		va_start(arguments_, format); \
		vsnprintf((array), sizeof(array), (format), arguments_); \
		va_end(arguments_); \
	} while (0)

/** The text of a terminated string. */
struct text
text_of(const char *string);

/** The string, or "" in the place of NULL: what memory had no room for is shown as empty. */
static inline const char *
text_or_empty(const char *string)
{
	return string != NULL ? string : "";
}

/** Whether both have the same bytes. */
bool
text_equal(struct text a, struct text b);

/** Negative, 0 or positive: by bytes, of which one that the other lacks comes later. */
int
text_order(struct text a, struct text b);

/** Drop a prefix, or a suffix; false where the text has none, or would be empty without it. */
bool
text_drop_prefix(struct text *text, const char *prefix);

bool
text_drop_suffix(struct text *text, const char *suffix);

/** The ending of a regular English noun after a count: "" for 1, else "s". */
static inline const char *
plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/** Take the first line off a text, without its line feed; false: nothing is left. */
bool
text_take_line(struct text *rest, struct text *line);

/** The text without the white space before and behind it. */
struct text
text_trimmed(struct text text);

/**
 * Read a number that people or files write. Base 10 takes decimal digits; base 16 hexadecimal
 * digits in either case, with or without 0x; base 0 hexadecimal digits after 0x, else decimal
 * ones. Signs, blanks and numbers of more than 64 bits are refused. (Numbers of symbol files are
 * read as Breakpad reads them: symbols/fields.h.) False if the text is anything else.
 */
bool
text_number(struct text text, unsigned base, uint64_t *value);

/** Take the number at the start of a text from it. False and no change if there is none. */
bool
text_take_number(struct text *text, unsigned base, uint64_t *value);

/** The part of a path behind its last '/' or '\'. */
struct text
text_base_name(struct text path);

/**
 * Decode one UTF-8 character of `length` bytes at `bytes`. Returns the number of
 * bytes it takes and stores it, or returns 0 where the first byte begins no valid
 * character (overlong forms, surrogates and values above U+10FFFF are invalid).
 */
size_t
text_decode(const char *bytes, size_t length, uint32_t *character);

/** Append a valid character as UTF-8 at `bytes` (room for 4); returns the bytes written. */
size_t
text_encode(uint32_t character, char *bytes);

/**
 * Write `text` into `buffer` with all that must not reach a terminal made visible.
 * Always terminates; cuts between characters. Returns the bytes written.
 */
size_t
text_printable(char *buffer, size_t size, struct text text);

/** The bytes at the beginning of `text` that are printable ASCII, nearly all that there ever is. */
size_t
text_plain_length(struct text text);

/** text_printable as a new string in `arena`, or NULL when out of memory. */
const char *
text_printable_copy(struct arena *arena, struct text text);

/**
 * Whether a terminal draws a character: no control, no mark that turns or ends text, nothing
 * that takes no place (Default_Ignorable_Code_Point of Unicode 14.0).
 */
bool
text_is_visible(uint32_t character);

/** The bytes at the beginning of `text` that text_printable leaves as they are. */
size_t
text_printable_length(struct text text);

/**
 * How many bytes have to be added, dropped, replaced or swapped with the next to make one word of
 * the other; SIZE_MAX if one is longer than 32 bytes. A word that takes more than a third of its
 * bytes is no typing error.
 */
size_t
text_edits(struct text a, struct text b);

/** The search for the word that was meant by a misspelled one. */
struct text_near {
	struct text typed;
	size_t edits;		/* a word with fewer of them is nearer */
};

struct text_near
text_near(struct text typed);

/** Offer a word. Says whether it is near, and nearer than all that were offered before. */
bool
text_near_offer(struct text_near *near, struct text word);

/**
 * Why matching an extended regular expression would take too much time or memory; NULL if it does
 * not. A C library writes what braces repeat as often as they say, braces within braces multiply,
 * and references back try every way to match.
 */
const char *
text_regex_refusal(const char *expression);

/** About how many states it has, once it is compiled: its bytes times its repetitions. */
size_t
text_regex_states(const char *expression);

/** Room for what text_cut_sized() makes. */
#define TEXT_CUT_ROOM 320u

/** A text of more than LIMIT_NAME_CUT bytes as its first ones with its size behind them. */
struct text
text_cut_sized(struct text text, char buffer[TEXT_CUT_ROOM]);

/** Room for what text_both_bases() writes. */
#define TEXT_BOTH_BASES 48u

/**
 * Write a decimal number that stands among hexadecimal ones, with its other base: "48 (0x30)"; one
 * below 10, which is the same in both, alone. Returns `buffer`.
 */
const char *
text_both_bases(uint64_t value, char buffer[TEXT_BOTH_BASES]);

/** Columns that one safe character takes on a terminal: 0, 1 or 2. Ambiguous ones take 1. */
unsigned
text_character_width(uint32_t character);

/** Columns that safe UTF-8 text takes. An invalid byte counts 1. */
size_t
text_width(struct text text);

/** The bytes of `text` that fit into `columns`, without cutting a character or the marks on it. */
size_t
text_fit(struct text text, size_t columns);

/**
 * Write `text` cut to `columns`, in the middle where `middle` is set (both ends of
 * a C++ name matter), else at the end, with `mark` ("~" or an ellipsis) at the cut.
 * Returns the bytes written; always terminates.
 */
size_t
text_cut(char *buffer, size_t size, struct text text, size_t columns, bool middle,
	 const char *mark);

/**
 * text_cut so that the last `behind` columns stay. The text may be part of the buffer, some bytes
 * behind its beginning: one more than the mark has.
 */
size_t
text_cut_before(char *buffer, size_t size, struct text text, size_t columns, size_t behind,
		const char *mark);

/**
 * text_cut for the name of a function, whose own name stays as long as it can: the mark takes the
 * place of template arguments, from the inside, then of parameters, then of what stands before
 * the own name and behind it.
 */
size_t
text_cut_name(char *buffer, size_t size, struct text name, size_t columns, const char *mark);

/**
 * UTF-16 of `units` 16-bit values in the given byte order as UTF-8 in `arena`; an
 * unpaired surrogate becomes U+FFFD. Stops at the first NUL where `stop_at_nul`;
 * elsewhere a NUL becomes U+FFFD too, so that the string hides nothing. Always
 * terminated; NULL when out of memory.
 */
const char *
text_from_utf16(struct arena *arena, const uint8_t *bytes, size_t units, bool big_endian,
		bool stop_at_nul);

/** How many newlines are in a text. */
size_t
text_newlines(struct text text);

#endif
