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
 * Everything here is independent of the locale: names are UTF-8 or bytes. What is unsafe for a
 * terminal becomes visible: C0 controls, DEL and invalid bytes as \xNN, the rest as \uNNNN or
 * \UNNNNNNNN. The rest is C1 controls, line and paragraph separators, noncharacters, characters
 * that Unicode calls default-ignorable (bidirectional controls, for example), and a combining mark
 * with nothing before it.
 */

/** A piece of text that is not terminated; borrowed. */
struct text {
	const char *start;
	size_t length;
};

/** Format a function's variable arguments, by its last named parameter `format`, into an array. */
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

/** The string, or "" for NULL: a text that is missing for lack of memory is shown as empty. */
static inline const char *
text_or_empty(const char *string)
{
	return string != NULL ? string : "";
}

/** An ASCII letter in lower case; any other character unchanged. */
static inline char
text_lower(char character)
{
	return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

/** Whether a character separates the names of a path, on any operating system. */
static inline bool
text_is_separator(char character)
{
	return character == '/' || character == '\\';
}

/** Whether both have the same bytes. */
bool
text_equal(struct text a, struct text b);

/** Whether a text has the bytes of a string. */
bool
text_is(struct text text, const char *string);

/** A terminated copy of a text, or NULL. */
char *
text_copy(struct arena *arena, struct text text);

/** Compares bytes, as memcmp; if one text begins with the other, the shorter one comes first. */
int
text_order(struct text a, struct text b);

/** Remove a prefix or a suffix; false if the text lacks it or consists of it. */
bool
text_drop_prefix(struct text *text, const char *prefix);

bool
text_drop_suffix(struct text *text, const char *suffix);

/** The length of the first of `count` words that the text begins with; 0: none. */
size_t
text_begins(struct text text, const char *const *words, size_t count);

/** The ending of a regular English noun after a count: "" for 1, else "s". */
static inline const char *
plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/** Take the first line off a text, without its line feed; false: the text is empty. */
bool
text_take_line(struct text *rest, struct text *line);

/** The text without leading and trailing white space. */
struct text
text_trimmed(struct text text);

/** The arguments of "%.*s" that print the first `most` bytes of a text, or all of it. */
#define TEXT_UPTO(text, most) \
	(int)((text).length < (most) ? (text).length : (most)), (text).start

/**
 * Parse a number from a user or file. Base 10 takes decimal digits; base 16 hexadecimal digits in
 * either case, with or without 0x; base 0 hexadecimal digits after 0x, else decimal ones. Signs,
 * blanks and numbers of more than 64 bits are refused. (Numbers of symbol files are read as
 * Breakpad reads them: symbols/fields.h.) False if the text is anything else.
 */
bool
text_number(struct text text, unsigned base, uint64_t *value);

/** Parse and remove the number at the start of a text. False and no change: there is no number. */
bool
text_take_number(struct text *text, unsigned base, uint64_t *value);

/** The part of a path after its last '/' or '\'. */
struct text
text_base_name(struct text path);

/**
 * Decode one UTF-8 character of at most `length` bytes at `bytes` into `*character`. Returns its
 * number of bytes, or 0 if it is invalid. Overlong forms, surrogates and values above U+10FFFF are
 * invalid, too.
 */
size_t
text_decode(const char *bytes, size_t length, uint32_t *character);

/** Write a valid character as UTF-8 to `bytes` (room for 4); returns the bytes written. */
size_t
text_encode(uint32_t character, char *bytes);

/**
 * Write `text` into `buffer`; make everything unsafe for a terminal visible. Always terminates;
 * cuts between characters. Returns the bytes written.
 */
size_t
text_printable(char *buffer, size_t size, struct text text);

/** The number of leading bytes of `text` that are printable ASCII: usually all of them. */
size_t
text_plain_length(struct text text);

/** text_printable as a new string in `arena`, or NULL when out of memory. */
const char *
text_printable_copy(struct arena *arena, struct text text);

/**
 * Whether a terminal draws a character: not a control, no change of direction, not invisible
 * (Default_Ignorable_Code_Point of Unicode 14.0).
 */
bool
text_is_visible(uint32_t character);

/** The number of leading bytes of `text` that text_printable does not change. */
size_t
text_printable_length(struct text text);

/**
 * A search for the word closest to a misspelled one: the fewest edits that add, drop or replace a
 * byte, or swap it with the next one. A word is close enough if the edits are at most a third of
 * the misspelled word's bytes; words of more than 32 bytes never are.
 */
struct text_near {
	struct text typed;
	size_t edits;		/* edits of the closest word so far */
};

struct text_near
text_near(struct text typed);

/** Offer a word. True if it is closer than all words offered earlier, and close enough. */
bool
text_near_offer(struct text_near *near, struct text word);

/**
 * The reason why matching an extended regular expression would take too much time or memory; NULL
 * if it is harmless. C libraries expand repetitions in braces, nested braces multiply, and back
 * references try every way to match.
 */
const char *
text_regex_refusal(const char *expression);

/** The approximate number of states of an expression: its bytes times its repetitions. */
size_t
text_regex_states(const char *expression);

/** Bytes for the result of text_cut_sized(). */
#define TEXT_CUT_ROOM 320u

/** A text, or if it is longer than LIMIT_NAME_CUT bytes, its beginning and its size. */
struct text
text_cut_sized(struct text text, char buffer[TEXT_CUT_ROOM]);

/** Write `count` bytes as hexadecimal digits, and return `hex`; NULL gives NULL. */
char *
text_hex(const void *bytes, size_t count, char *hex);

/** Bytes of the Base64 (RFC 4648, 4) of `count` bytes, with the NUL at its end. */
#define TEXT_BASE64(count) (((count) + 2) / 3 * 4 + 1)

/** Write the Base64 of bytes. Returns its length. */
size_t
text_base64(const uint8_t *bytes, size_t count, char *out);

/** A text that a function makes, for use in one statement: `text_both_bases(size).text`. */
struct short_text {
	char text[64];
};

/**
 * A number in decimal and hexadecimal, for texts where both bases occur: "48 (0x30)". Below 10,
 * where both look the same, only once.
 */
struct short_text
text_both_bases(uint64_t value);

/** The columns of one safe character on a terminal: 0, 1 or 2. Ambiguous ones have 1. */
unsigned
text_character_width(uint32_t character);

/** The columns of safe UTF-8 text. An invalid byte counts as 1. */
size_t
text_width(struct text text);

/** The number of bytes of `text` that fit into `columns`, with complete characters and marks. */
size_t
text_fit(struct text text, size_t columns);

/**
 * Write `text` cut to `columns`, with `mark` ("~" or an ellipsis) at the cut. The cut is in the
 * middle if `middle` is true (both ends of a C++ name matter), else at the end. Returns the bytes
 * written; always terminates.
 */
size_t
text_cut(char *buffer, size_t size, struct text text, size_t columns, bool middle,
	 const char *mark);

/**
 * Like text_cut, but the last `behind` columns stay. The text may be in the buffer itself, but
 * only at an offset greater than the mark's length in bytes.
 */
size_t
text_cut_before(char *buffer, size_t size, struct text text, size_t columns, size_t behind,
		const char *mark);

/**
 * Like text_cut for the full name of a function. The function's own name is cut last: the mark
 * first replaces template arguments, from the inside, then parameters, then the text before and
 * after the function's own name.
 */
size_t
text_cut_name(char *buffer, size_t size, struct text name, size_t columns, const char *mark);

/**
 * UTF-16 of `units` 16-bit values in the given byte order as UTF-8 in `arena`; an unpaired
 * surrogate becomes U+FFFD. With `stop_at_nul` stops at the first NUL; otherwise a NUL becomes
 * U+FFFD too, so that the string hides nothing. Always terminated; NULL when out of memory.
 */
const char *
text_from_utf16(struct arena *arena, const uint8_t *bytes, size_t units, bool big_endian,
		bool stop_at_nul);

size_t
text_newlines(struct text text);

#endif
