/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_MSVC_INTERNAL_H
#define BASE_DEMANGLE_MSVC_INTERNAL_H

#include "base/compiler.h"
#include "base/demangle_msvc.h"

/* A name being read, shared by the readers of symbols, names and types. */

enum {
	/** Names and parameter types that digits can refer to. */
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

/** A type in two parts around the declared name: `int (*` and `)[3]`. */
struct msvc_type {
	struct text left, right;
	struct text convention;		/* a function's convention, inside the parentheses */
	struct text behind;		/* the right part of a function's return type */
	enum msvc_kind kind;
	unsigned qualifiers;
};

/** The names and types that digits refer to; each template has its own. */
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
	size_t most;			/* limit on the bytes of a text */
	/* Total bytes of all texts made, including parts */
	size_t made;
	unsigned depth;			/* nesting depth of symbols, names and types */
	bool whole;			/* inside another name: nothing is left out there */
	/* The compiler does not remember unnamed namespaces */
	bool forgets_anonymous;
	bool failed;			/* the name is invalid: later results are meaningless */
};

#define MSVC_TEXT(text) (int)(text).length, text_or_empty((text).start)

/** Fail: the name has an unknown form. */
struct text
msvc_fail(struct msvc_reader *reader);

/** Join texts and count their bytes. If there are too many, fail and return an empty text. */
struct text
msvc_join(struct msvc_reader *reader, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** The next character, or NUL at the end. */
char
msvc_peek(const struct msvc_reader *reader);

/** Read the next character; fails at the end. */
char
msvc_next(struct msvc_reader *reader);

bool
msvc_sees(const struct msvc_reader *reader, const char *prefix);

/** If the next characters are `prefix`, read them. */
bool
msvc_takes(struct msvc_reader *reader, const char *prefix);

/** Read a number: a digit for 1 to 10, or digits A to P and `@`. */
int64_t
msvc_number(struct msvc_reader *reader);

/** Read a symbol, starting at its `?`. */
struct text
msvc_symbol(struct msvc_reader *reader);

/** Read the qualified name of a type. */
struct text
msvc_type_name(struct msvc_reader *reader);

/** Whether qualifiers precede a type. */
enum msvc_where {
	MSVC_NO_QUALIFIERS,
	MSVC_QUALIFIERS,
	MSVC_RETURNED,			/* only after a `?` */
};

struct msvc_type
msvc_type(struct msvc_reader *reader, enum msvc_where where);

/** Read const and volatile from their letter; `member` is set if a class follows. */
unsigned
msvc_qualifiers(struct msvc_reader *reader, bool *member);

/** Read `__ptr64` (ignored), restrict and unaligned. */
unsigned
msvc_pointer_qualifiers(struct msvc_reader *reader);

/** The words of qualifiers, each after a space. */
struct text
msvc_qualifier_words(struct msvc_reader *reader, unsigned qualifiers);

/** Read a calling convention's letter; the result is empty if the spelling leaves it out. */
struct text
msvc_convention(struct msvc_reader *reader);

/** Read a function's type; `right` begins with the parameters. `method`: it qualifies `this`. */
struct msvc_type
msvc_function_type(struct msvc_reader *reader, bool method);

/** The declaration of a name (may be empty) with a type. */
struct text
msvc_declaration(struct msvc_reader *reader, const struct msvc_type *type, struct text name);

/** Read a template's arguments with their brackets. */
struct text
msvc_template_arguments(struct msvc_reader *reader);

/** Read a literal after `??_C@_`. */
struct text
msvc_string(struct msvc_reader *reader);

#endif
