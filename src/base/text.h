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
 * Nothing here depends on the locale: names are UTF-8 or bytes. Characters that are unsafe for a
 * terminal become visible. C0 controls, DEL and invalid bytes become \xNN. Other unsafe characters
 * become \uNNNN or \UNNNNNNNN: C1 controls, line and paragraph separators, noncharacters,
 * characters that Unicode calls default-ignorable (bidirectional controls, for example), and a
 * combining mark with nothing before it.
 */

/** A piece of text that is not terminated; borrowed. */
struct text {
	const char *start;
	size_t length;
};

/** Format the arguments of a function whose parameters end in `format, ...` into an array. */
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

/** The string, or "" for NULL: a text that could not be allocated is shown as empty. */
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

/** Whether a character is the path separator of an operating system: '/' or '\'. */
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

/** Remove a prefix or a suffix. False if the text does not have it, or has nothing else. */
bool
text_drop_prefix(struct text *text, const char *prefix);

bool
text_drop_suffix(struct text *text, const char *suffix);

/** The length of the first word in `words` that the text begins with; 0: none. */
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

/** The arguments of "%.*s" that print at most `most` bytes from the beginning of a text. */
#define TEXT_UPTO(text, most) \
	(int)((text).length < (most) ? (text).length : (most)), (text).start

/**
 * Parse a number from a user or file. Base 10 takes decimal digits. Base 16 takes hexadecimal
 * digits in either case, with or without 0x. Base 0 takes 0x and hexadecimal digits, or decimal
 * digits. Signs, blanks and numbers of more than 64 bits are refused. False: not such a number.
 * (Numbers of symbol files are read as Breakpad reads them: symbols/fields.h.)
 */
bool
text_number(struct text text, unsigned base, uint64_t *value);

/** Parse and remove the number at the start of a text. False, without a change: no number. */
bool
text_take_number(struct text *text, unsigned base, uint64_t *value);

/** The part of a path after its last '/' or '\'. */
struct text
text_base_name(struct text path);

/**
 * Decode one UTF-8 character of at most `length` bytes at `bytes` into `*character`. Returns the
 * number of bytes, or 0 for an invalid character. Overlong forms, surrogates and values above
 * U+10FFFF are invalid, too.
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
 * Whether a terminal draws a character. False for controls, noncharacters, and invisible characters
 * and direction marks (Default_Ignorable_Code_Point of Unicode 14.0).
 */
bool
text_is_visible(uint32_t character);

/** The number of leading bytes of `text` that text_printable does not change. */
size_t
text_printable_length(struct text text);

/**
 * A search for the word closest to a misspelled word, by the number of edits. An edit adds, drops
 * or replaces a byte, or swaps two adjacent bytes. A word is close enough if the edits are at most
 * a third of the misspelled word's bytes. A word of more than 32 bytes is never close enough.
 */
struct text_near {
	struct text typed;
	size_t edits;		/* number of edits to the closest word so far */
};

struct text_near
text_near(struct text typed);

/** Offer a word. True if it is closer than all words offered earlier, and close enough. */
bool
text_near_offer(struct text_near *near, struct text word);

/**
 * The reason why matching an extended regular expression would take too much time or memory; NULL
 * if it is harmless. C libraries expand repetitions in braces, and nested repetitions multiply. For
 * a back reference they try every way to match.
 */
const char *
text_regex_refusal(const char *expression);

/** The approximate number of states of an expression: its bytes times its repetitions. */
size_t
text_regex_states(const char *expression);

/** Bytes for the result of text_cut_sized(). */
#define TEXT_CUT_ROOM 320u

/** A text; or the beginning and the size of a text that is longer than LIMIT_NAME_CUT bytes. */
struct text
text_cut_sized(struct text text, char buffer[TEXT_CUT_ROOM]);

/** Write `count` bytes as hexadecimal digits to `hex`, and return `hex`, which may be NULL. */
char *
text_hex(const void *bytes, size_t count, char *hex);

/** Size of `count` bytes in Base64 (RFC 4648, section 4), with the NUL at the end. */
#define TEXT_BASE64(count) (((count) + 2) / 3 * 4 + 1)

/** Write the Base64 of bytes. Returns its length. */
size_t
text_base64(const uint8_t *bytes, size_t count, char *out);

/** A text that a function makes, for use in one statement: `text_both_bases(size).text`. */
struct short_text {
	char text[64];
};

/**
 * A number in decimal and hexadecimal, for texts where both bases occur: "48 (0x30)". A number
 * below 10 is written once, because both forms are the same.
 */
struct short_text
text_both_bases(uint64_t value);

/** The columns of one safe character on a terminal: 0, 1 or 2. An ambiguous character has 1. */
unsigned
text_character_width(uint32_t character);

/** The columns of safe UTF-8 text. An invalid byte counts as 1. */
size_t
text_width(struct text text);

/** The number of bytes of `text` that fit into `columns`; characters keep their combining marks. */
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
 * Like text_cut, but keeps `last` columns at the end. The text may be in the buffer itself, but
 * only at an offset greater than the mark's length in bytes.
 */
size_t
text_cut_before(char *buffer, size_t size, struct text text, size_t columns, size_t last,
		const char *mark);

/**
 * Like text_cut for the full name of a function. The function's own name is cut last: the mark
 * first replaces template arguments, from the inside, then parameters, then the text before and
 * after the function's own name.
 */
size_t
text_cut_name(char *buffer, size_t size, struct text name, size_t columns, const char *mark);

/**
 * Convert `units` 16-bit units of UTF-16 in the given byte order to UTF-8 in `arena`. An unpaired
 * surrogate becomes U+FFFD. With `stop_at_nul`, stops at the first NUL. Otherwise a NUL becomes
 * U+FFFD too, so that it hides no text after it. Always terminated; NULL when out of memory.
 */
const char *
text_from_utf16(struct arena *arena, const uint8_t *bytes, size_t units, bool big_endian,
		bool stop_at_nul);

size_t
text_newlines(struct text text);

#endif
