/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_MSVC_INTERNAL_H
#define BASE_DEMANGLE_MSVC_INTERNAL_H

#include "base/compiler.h"
#include "base/demangle_msvc.h"

/* One name being read: what is common to its symbols, names and types. */

enum {
	/** Names and parameter types that a digit can stand for. */
	MSVC_REMEMBERED = 10,
};

enum msvc_qualifier {
	MSVC_CONST = 1,
	MSVC_VOLATILE = 2,
	MSVC_RESTRICT = 4,
	MSVC_UNALIGNED = 8,
};

enum msvc_kind {
	MSVC_PLAIN,
	MSVC_POINTER,
	MSVC_ARRAY,
	MSVC_FUNCTION,
};

/** A type around the place of what is declared with it: `int (*` and `)[3]`. */
struct msvc_type {
	struct text left, right;
	struct text convention;		/* of a function, which stands inside the parentheses */
	struct text behind;		/* what follows a function because of the type it returns */
	enum msvc_kind kind;
	unsigned qualifiers;
};

/** What digits stand for; a template has its own. */
struct msvc_memory {
	struct text names[MSVC_REMEMBERED];
	struct msvc_type types[MSVC_REMEMBERED];
	size_t name_count, type_count;
};

struct msvc_reader {
	const char *at, *end;
	enum msvc_spelling spelling;
	struct arena *arena;
	struct msvc_memory *memory;
	size_t most;			/* bytes of the longest text that is made */
	/* Bytes of all texts made, also of those that became parts */
	size_t made;
	unsigned depth;			/* of symbols, names and types within each other */
	bool whole;			/* within another name, where nothing is left out */
	/* The name's compiler has no digits for unnamed namespaces */
	bool forgets_anonymous;
	bool failed;			/* what is read then has no meaning */
};

#define MSVC_TEXT(text) (int)(text).length, text_or_empty((text).start)

/** The name as it was written is not known here. */
struct text
msvc_fail(struct msvc_reader *reader);

/** A text of others, counted; empty and failed where there would be too much. */
struct text
msvc_join(struct msvc_reader *reader, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** The next character, or NUL at the end. */
char
msvc_peek(const struct msvc_reader *reader);

/** The next character, which is then read; fails at the end. */
char
msvc_next(struct msvc_reader *reader);

/** Whether the next characters are `prefix`. */
bool
msvc_sees(const struct msvc_reader *reader, const char *prefix);

/** msvc_sees(), and reads the characters if they are there. */
bool
msvc_takes(struct msvc_reader *reader, const char *prefix);

/** A number as the grammar has it: a digit for 1 to 10, or digits A to P and `@`. */
int64_t
msvc_number(struct msvc_reader *reader);

/** A symbol from its `?` on. */
struct text
msvc_symbol(struct msvc_reader *reader);

/** A qualified name of a type. */
struct text
msvc_type_name(struct msvc_reader *reader);

/** Where qualifiers stand before a type. */
enum msvc_where {
	MSVC_NO_QUALIFIERS,
	MSVC_QUALIFIERS,
	MSVC_RETURNED,			/* only behind a `?` */
};

struct msvc_type
msvc_type(struct msvc_reader *reader, enum msvc_where where);

/** const and volatile from their letter; `member` is set where a class follows. */
unsigned
msvc_qualifiers(struct msvc_reader *reader, bool *member);

/** `__ptr64` (which says nothing), restrict and unaligned. */
unsigned
msvc_pointer_qualifiers(struct msvc_reader *reader);

/** The words of qualifiers, each behind a space. */
struct text
msvc_qualifier_words(struct msvc_reader *reader, unsigned qualifiers);

/** A calling convention's letter; its words are empty where the spelling leaves them out. */
struct text
msvc_convention(struct msvc_reader *reader);

/** A function's type: parameters with what follows them as `right`. `method`: `this` has a type. */
struct msvc_type
msvc_function_type(struct msvc_reader *reader, bool method);

/** The type around nothing, or around a name. */
struct text
msvc_declaration(struct msvc_reader *reader, const struct msvc_type *type, struct text name);

/** A template's arguments with their brackets. */
struct text
msvc_template_arguments(struct msvc_reader *reader);

/** A literal behind `??_C@_`. */
struct text
msvc_string(struct msvc_reader *reader);

#endif
