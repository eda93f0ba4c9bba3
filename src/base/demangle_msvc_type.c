/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle_msvc_internal.h"
#include "base/limits.h"

/* Types by their letters; `_` and `$$` begin types of several letters. */
static const struct {
	char letters[4];
	const char *words;
} plain_types[] = {
	{ "X", "void" }, { "D", "char" }, { "C", "signed char" }, { "E", "unsigned char" },
	{ "F", "short" }, { "G", "unsigned short" }, { "H", "int" }, { "I", "unsigned int" },
	{ "J", "long" }, { "K", "unsigned long" }, { "M", "float" }, { "N", "double" },
	{ "O", "long double" }, { "_N", "bool" }, { "_J", "__int64" }, { "_K", "unsigned __int64" },
	{ "_W", "wchar_t" }, { "_Q", "char8_t" }, { "_S", "char16_t" }, { "_U", "char32_t" },
	{ "_D", "__int8" }, { "_E", "unsigned __int8" }, { "_F", "__int16" },
	{ "_G", "unsigned __int16" }, { "_H", "__int32" }, { "_I", "unsigned __int32" },
	{ "_L", "__int128" }, { "_M", "unsigned __int128" }, { "_P", "auto" },
	{ "_T", "decltype(auto)" }, { "$$T", "std::nullptr_t" },
};

static const struct {
	char letters[3];
	const char *words;
} class_types[] = {
	{ "T", "union " }, { "U", "struct " }, { "V", "class " }, { "W0", "enum " },
	{ "W1", "enum " },
	{ "W2", "enum " }, { "W3", "enum " }, { "W4", "enum " }, { "W5", "enum " },
	{ "W6", "enum " },
	{ "W7", "enum " },
};

/* Pointers and references by their letters, with the qualifiers of the pointer itself. */
static const struct {
	char letters[4];
	const char *sign;
	unsigned qualifiers;
} pointers[] = {
	{ "A", "&", 0 },
	{ "B", "&", MSVC_VOLATILE },
	{ "P", "*", 0 },
	{ "Q", "*", MSVC_CONST },
	{ "R", "*", MSVC_VOLATILE },
	{ "S", "*", MSVC_CONST | MSVC_VOLATILE },
	{ "$$Q", "&&", 0 },
	{ "$$R", "&&", MSVC_VOLATILE },
};

struct text
msvc_convention(struct msvc_reader *reader)
{
	static const char *const words[] = {
		"__cdecl", "__pascal", "__thiscall", "__stdcall", "__fastcall", "", "__clrcall",
		"__eabi", "__vectorcall", "__attribute__((__swiftcall__))", NULL,
		"__attribute__((__swiftasynccall__))",
	};
	const char letter = msvc_next(reader);
	const size_t index = letter >= 'A' ? (size_t)(letter - 'A') / 2 : ARRAY_COUNT(words);

	if (index >= ARRAY_COUNT(words) || words[index] == NULL)
		return msvc_fail(reader);
	return text_of(reader->spelling == MSVC_BREAKPAD ? "" : words[index]);
}

unsigned
msvc_qualifiers(struct msvc_reader *reader, bool *member)
{
	const char letter = msvc_next(reader);

	*member = letter >= 'Q' && letter <= 'T';
	if (*member)
		return (unsigned)(letter - 'Q');
	if (letter < 'A' || letter > 'D')
		msvc_fail(reader);
	return (unsigned)(letter - 'A') & (MSVC_CONST | MSVC_VOLATILE);
}

unsigned
msvc_pointer_qualifiers(struct msvc_reader *reader)
{
	unsigned qualifiers = 0;

	msvc_takes(reader, "E");
	if (msvc_takes(reader, "I"))
		qualifiers |= MSVC_RESTRICT;
	if (msvc_takes(reader, "F"))
		qualifiers |= MSVC_UNALIGNED;
	return qualifiers;
}

struct text
msvc_qualifier_words(struct msvc_reader *reader, unsigned qualifiers)
{
	return msvc_join(reader, "%s%s%s", (qualifiers & MSVC_CONST) != 0 ? " const" : "",
			 (qualifiers & MSVC_VOLATILE) != 0 ? " volatile" : "",
			 (qualifiers & MSVC_RESTRICT) != 0 ? " __restrict" : "");
}

static bool
needs_space(struct text text)
{
	const char last = text.length > 0 ? text.start[text.length - 1] : ' ';

	return isalnum((unsigned char)last) || last == '>' || last == '_';
}

/* The part of a type before the declared name, with the type's qualifiers. */
static struct text
left_of(struct msvc_reader *reader, const struct msvc_type *type)
{
	struct text words = msvc_qualifier_words(reader, type->qualifiers);

	if (type->kind == MSVC_FUNCTION || words.length == 0)
		return type->left;
	if (type->kind == MSVC_POINTER && reader->spelling == MSVC_LLVM)
		words = (struct text){ words.start + 1, words.length - 1 };
	return msvc_join(reader, "%.*s%.*s", MSVC_TEXT(type->left), MSVC_TEXT(words));
}

struct text
msvc_declaration(struct msvc_reader *reader, const struct msvc_type *type, struct text name)
{
	const struct text left = left_of(reader, type);
	const bool apart = reader->spelling == MSVC_BREAKPAD || needs_space(left);
	const char *space = name.length > 0 && apart ? " " : "";

	if (type->kind == MSVC_FUNCTION)
		return msvc_join(reader, "%.*s%s%.*s%s%.*s%.*s%.*s", MSVC_TEXT(left),
				 left.length > 0 ? " " : "", MSVC_TEXT(type->convention),
				 type->convention.length > 0 && name.length > 0 ? " " : "",
				 MSVC_TEXT(name), MSVC_TEXT(type->right),
				 MSVC_TEXT(type->behind));
	return msvc_join(reader, "%.*s%s%.*s%.*s", MSVC_TEXT(left), space, MSVC_TEXT(name),
			 MSVC_TEXT(type->right));
}

/* A pointer or reference (`sign`) to a type, or to a member of `class` if that is not empty. */
static struct msvc_type
pointer_to(struct msvc_reader *reader, const struct msvc_type *to, const char *sign,
	   unsigned qualifiers, struct text class)
{
	const bool inside = to->kind == MSVC_ARRAY || to->kind == MSVC_FUNCTION;
	const struct text left = left_of(reader, to);
	const bool space = inside || class.length > 0 || reader->spelling == MSVC_BREAKPAD ||
			   needs_space(left);
	struct msvc_type type = { .kind = MSVC_POINTER };

	type.left = msvc_join(reader, "%.*s%s%s%.*s%s%s%.*s%s%s", MSVC_TEXT(left),
			      space && left.length > 0 ? " " : "",
			      inside ? "(" : "", MSVC_TEXT(to->convention),
			      to->convention.length > 0 ? " " : "",
			      (qualifiers & MSVC_UNALIGNED) != 0 ? "__unaligned " : "",
			      MSVC_TEXT(class), class.length > 0 ? "::" : "", sign);
	type.right = msvc_join(reader, "%s%.*s%.*s", inside ? ")" : "", MSVC_TEXT(to->right),
			       MSVC_TEXT(to->behind));
	type.qualifiers = qualifiers & ~(unsigned)MSVC_UNALIGNED;
	return type;
}

/* Reads the target of a pointer, with the class of a pointer to a member. */
static struct msvc_type
pointer_type(struct msvc_reader *reader, size_t row)
{
	unsigned qualifiers = pointers[row].qualifiers, to_qualifiers;
	struct text class = text_of("");
	struct msvc_type to;
	bool member;

	if (msvc_takes(reader, "6")) {
		to = msvc_function_type(reader, false);
	} else {
		qualifiers |= msvc_pointer_qualifiers(reader);
		if (msvc_takes(reader, "8")) {
			class = msvc_type_name(reader);
			to = msvc_function_type(reader, true);
		} else if (msvc_sees(reader, "$")) {
			to = msvc_type(reader, MSVC_NO_QUALIFIERS);
		} else {
			to_qualifiers = msvc_qualifiers(reader, &member);
			if (member)
				class = msvc_type_name(reader);
			to = msvc_type(reader, MSVC_NO_QUALIFIERS);
			to.qualifiers |= to_qualifiers;
		}
	}
	return pointer_to(reader, &to, pointers[row].sign, qualifiers, class);
}

static struct msvc_type
array_type(struct msvc_reader *reader)
{
	int64_t rank = msvc_number(reader);
	struct text bounds = text_of("");
	struct msvc_type type;
	bool member;

	if (rank <= 0 || rank > LIMIT_MSVC_NESTING)
		msvc_fail(reader);
	for (; rank > 0 && !reader->failed; rank--) {
		const int64_t bound = msvc_number(reader);

		bounds = bound == 0 ? msvc_join(reader, "%.*s[]", MSVC_TEXT(bounds))
				    : msvc_join(reader, "%.*s[%" PRId64 "]", MSVC_TEXT(bounds),
						bound);
	}
	const unsigned qualifiers =
		msvc_takes(reader, "$$C") ? msvc_qualifiers(reader, &member) : 0;
	const struct msvc_type element = msvc_type(reader, MSVC_NO_QUALIFIERS);
	type = element;
	type.qualifiers |= qualifiers;
	type.left = left_of(reader, &type);
	type.right = msvc_join(reader, "%.*s%.*s", MSVC_TEXT(bounds), MSVC_TEXT(element.right));
	type.qualifiers = 0;
	type.kind = MSVC_ARRAY;
	return type;
}

/* Reads a function's parameters, from the first letter to the last, without parentheses. */
static struct text
parameters(struct msvc_reader *reader)
{
	const char *comma = reader->spelling == MSVC_LLVM ? ", " : ",";
	struct msvc_memory *memory = reader->memory;
	struct text list = text_of("");

	if (msvc_takes(reader, "X"))
		return text_of("void");
	while (!reader->failed && !msvc_sees(reader, "@") && !msvc_sees(reader, "Z")) {
		const char *start = reader->at;
		struct msvc_type type;

		if (isdigit((unsigned char)msvc_peek(reader))) {
			const size_t index = (size_t)(msvc_next(reader) - '0');

			if (index >= memory->type_count)
				return msvc_fail(reader);
			type = memory->types[index];
		} else {
			type = msvc_type(reader, MSVC_NO_QUALIFIERS);
			if (reader->at - start > 1 && memory->type_count < MSVC_REMEMBERED)
				memory->types[memory->type_count++] = type;
		}
		const struct text shown = msvc_declaration(reader, &type, text_of(""));
		list = msvc_join(reader, "%.*s%s%.*s", MSVC_TEXT(list),
				 list.length > 0 ? comma : "", MSVC_TEXT(shown));
	}
	if (msvc_takes(reader, "@"))
		return list;
	msvc_next(reader);
	return msvc_join(reader, "%.*s%s...", MSVC_TEXT(list), list.length > 0 ? comma : "");
}

struct msvc_type
msvc_function_type(struct msvc_reader *reader, bool method)
{
	struct msvc_type type = { .kind = MSVC_FUNCTION };
	const char *reference = "";
	unsigned qualifiers = 0;
	bool member;

	if (method) {
		qualifiers = msvc_pointer_qualifiers(reader);
		reference = msvc_takes(reader, "G") ? " &" : msvc_takes(reader, "H") ? " &&" : "";
		qualifiers |= msvc_qualifiers(reader, &member);
	}
	type.convention = msvc_convention(reader);
	if (!msvc_takes(reader, "@")) {
		const struct msvc_type returned = msvc_type(reader, MSVC_RETURNED);

		type.left = left_of(reader, &returned);
		type.behind = msvc_join(reader, "%.*s%.*s", MSVC_TEXT(returned.right),
					MSVC_TEXT(returned.behind));
	}
	const struct text list = parameters(reader);
	const bool never_throws = msvc_takes(reader, "_E");
	if (!never_throws && !msvc_takes(reader, "Z"))
		msvc_fail(reader);
	if (reader->spelling == MSVC_BREAKPAD) {
		type.right = msvc_join(reader, "(%.*s)", MSVC_TEXT(list));
		return type;
	}
	const struct text words = msvc_qualifier_words(reader, qualifiers);
	type.right = msvc_join(reader, "(%.*s)%.*s%s%s%s", MSVC_TEXT(list), MSVC_TEXT(words),
			       (qualifiers & MSVC_UNALIGNED) != 0 ? " __unaligned" : "",
			       never_throws ? " noexcept" : "", reference);
	return type;
}

/* Reads a type whose qualifiers have been read. */
static struct msvc_type
unqualified_type(struct msvc_reader *reader)
{
	const struct text nothing = text_of("");

	if (msvc_takes(reader, "$$A8@@"))
		return msvc_function_type(reader, true);
	if (msvc_takes(reader, "$$A6"))
		return msvc_function_type(reader, false);
	if (msvc_takes(reader, "Y"))
		return array_type(reader);
	if (msvc_takes(reader, "?")) {
		const struct text name = msvc_type_name(reader);

		return (struct msvc_type){ .left = name, .right = nothing };
	}
	for (size_t i = 0; i < ARRAY_COUNT(class_types); i++)
		if (msvc_takes(reader, class_types[i].letters)) {
			const struct text name = msvc_type_name(reader);
			const char *tag =
				reader->spelling == MSVC_LLVM ? class_types[i].words : "";

			return (struct msvc_type){
				.left = msvc_join(reader, "%s%.*s", tag, MSVC_TEXT(name)),
			};
		}
	for (size_t i = 0; i < ARRAY_COUNT(plain_types); i++)
		if (msvc_takes(reader, plain_types[i].letters))
			return (struct msvc_type){ .left = text_of(plain_types[i].words) };
	for (size_t i = 0; i < ARRAY_COUNT(pointers); i++)
		if (msvc_takes(reader, pointers[i].letters))
			return pointer_type(reader, i);
	msvc_fail(reader);
	return (struct msvc_type){ .left = nothing };
}

struct msvc_type
msvc_type(struct msvc_reader *reader, enum msvc_where where)
{
	unsigned qualifiers = 0;
	struct msvc_type type = { .left = text_of("") };
	bool member;

	if (reader->failed || ++reader->depth > LIMIT_MSVC_NESTING) {
		msvc_fail(reader);
		return type;
	}
	if (where == MSVC_QUALIFIERS || (where == MSVC_RETURNED && msvc_takes(reader, "?")))
		qualifiers = msvc_qualifiers(reader, &member);
	type = unqualified_type(reader);
	type.qualifiers |= qualifiers;
	reader->depth--;
	return type;
}

/* Reads an argument that is a symbol, and the numbers that follow it. */
static struct text
symbol_argument(struct msvc_reader *reader, const char *sign, unsigned numbers)
{
	struct text shown = msvc_sees(reader, "?") ? msvc_symbol(reader) : text_of("");

	if (numbers == 0)
		return msvc_join(reader, "%s%.*s", sign, MSVC_TEXT(shown));
	for (unsigned i = 0; i < numbers && !reader->failed; i++)
		shown = msvc_join(reader, "%.*s%s%" PRId64, MSVC_TEXT(shown),
				  shown.length > 0 ? ", " : "", msvc_number(reader));
	return msvc_join(reader, "{%.*s}", MSVC_TEXT(shown));
}

static struct text
template_argument(struct msvc_reader *reader)
{
	static const struct {
		const char *letters, *sign;
		unsigned numbers;
	} symbols[] = {
		{ "$1", "&", 0 }, { "$E", "", 0 }, { "$H", "", 1 }, { "$I", "", 2 },
		{ "$J", "", 3 },
		{ "$F", "", 2 }, { "$G", "", 3 },
	};
	struct msvc_type type;

	while (msvc_takes(reader, "$M"))	/* type of an `auto`, before its value */
		msvc_type(reader, MSVC_NO_QUALIFIERS);
	if (msvc_takes(reader, "$$Y"))
		return msvc_type_name(reader);
	if (msvc_takes(reader, "$0"))
		return msvc_join(reader, "%" PRId64, msvc_number(reader));
	for (size_t i = 0; i < ARRAY_COUNT(symbols); i++)
		if (msvc_takes(reader, symbols[i].letters))
			return symbol_argument(reader, symbols[i].sign, symbols[i].numbers);
	msvc_takes(reader, "$$B");
	type = msvc_type(reader, msvc_takes(reader, "$$C") ? MSVC_QUALIFIERS : MSVC_NO_QUALIFIERS);
	return msvc_declaration(reader, &type, text_of(""));
}

struct text
msvc_template_arguments(struct msvc_reader *reader)
{
	const bool llvm = reader->spelling == MSVC_LLVM;
	struct text list = text_of("");

	while (!reader->failed && !msvc_takes(reader, "@")) {
		/* Separators of packs, and empty packs. */
		if (msvc_takes(reader, "$S") || msvc_takes(reader, "$$V") ||
		    msvc_takes(reader, "$$$V") || msvc_takes(reader, "$$Z"))
			continue;
		const struct text argument = template_argument(reader);

		list = msvc_join(reader, "%.*s%s%.*s", MSVC_TEXT(list),
				 list.length == 0 ? "" : llvm ? ", " : ",", MSVC_TEXT(argument));
	}
	return msvc_join(reader, "<%.*s%s>", MSVC_TEXT(list),
			 !llvm && list.length > 0 && list.start[list.length - 1] == '>' ? " " : "");
}

/* Literals ------------------------------------------------------------------------------------- */

/* Limit on a literal's bytes in its name: 32 characters of the widest kind. */
#define LITERAL_BYTES 128u

/* Reads a byte written as two digits, A to P. */
static unsigned
hex_digit(struct msvc_reader *reader)
{
	const char digit = msvc_next(reader);

	if (digit < 'A' || digit > 'P')
		msvc_fail(reader);
	return (unsigned)(digit - 'A') & 15;
}

/* Reads one byte of the literal: itself, `?` and a letter of a table, or two digits. */
static uint8_t
literal_byte(struct msvc_reader *reader)
{
	static const char signs[] = ",/\\:. \n\t'-";
	const char character = msvc_next(reader);

	if (character != '?')
		return (uint8_t)character;
	if (msvc_takes(reader, "$")) {
		const unsigned high = hex_digit(reader);

		return (uint8_t)(high << 4 | hex_digit(reader));
	}
	const char code = msvc_next(reader);
	if (isdigit((unsigned char)code))
		return (uint8_t)signs[code - '0'];
	if (code >= 'a' && code <= 'z')
		return (uint8_t)(0xe1 + (code - 'a'));
	if (code >= 'A' && code <= 'Z')
		return (uint8_t)(0xc1 + (code - 'A'));
	msvc_fail(reader);
	return 0;
}

/*
 * Guesses the bytes of a character from the zeros, as LLVM does: names of literals of char,
 * char16_t and char32_t look the same.
 */
static unsigned
guessed_width(const uint8_t *bytes, size_t count, uint64_t all)
{
	size_t zeros = 0, trailing = 0;

	for (size_t i = 0; i < count; i++)
		zeros += bytes[i] == 0;
	while (trailing < count && bytes[count - 1 - trailing] == 0)
		trailing++;
	if (all % 2 == 1)
		return 1;
	if (all < 32)
		return trailing >= 4 && all % 4 == 0 ? 4 : trailing >= 2 ? 2 : 1;
	return zeros >= 2 * count / 3 && all % 4 == 0 ? 4 : zeros >= count / 3 ? 2 : 1;
}

/* Appends a character to `text` as in a C literal. */
static struct text
with_character(struct msvc_reader *reader, struct text text, uint32_t character)
{
	static const char escaped[] = "\0'\"\\\a\b\f\n\r\t\v", letters[] = "0'\"\\abfnrtv";
	char hex[12] = "";

	for (size_t i = 0; i < sizeof(escaped) - 1; i++)
		if (character == (uint32_t)(unsigned char)escaped[i])
			return msvc_join(reader, "%.*s\\%c", MSVC_TEXT(text), letters[i]);
	if (character > 31 && character < 127)
		return msvc_join(reader, "%.*s%c", MSVC_TEXT(text), (int)character);
	snprintf(hex, sizeof(hex), "%" PRIX32, character);
	return msvc_join(reader, "%.*s\\x%s%s", MSVC_TEXT(text), strlen(hex) % 2 == 1 ? "0" : "",
			 hex);
}

struct text
msvc_string(struct msvc_reader *reader)
{
	const bool wide = msvc_takes(reader, "1");
	uint8_t bytes[LITERAL_BYTES] = { 0 };
	size_t count = 0;

	if (!wide && !msvc_takes(reader, "0"))
		return msvc_fail(reader);
	const int64_t all = msvc_number(reader);
	while (!reader->failed && !msvc_takes(reader, "@"))	/* a checksum */
		msvc_next(reader);
	while (!reader->failed && !msvc_takes(reader, "@")) {
		if (count == LITERAL_BYTES)
			return msvc_fail(reader);
		bytes[count++] = literal_byte(reader);
	}
	const unsigned width = wide ? 2 : guessed_width(bytes, count, (uint64_t)all);
	const size_t characters = count / width;
	const bool cut = all < 0 || (uint64_t)all > count;
	struct text text = text_of(wide ? "L\"" : width == 1 ? "\"" : width == 2 ? "u\"" : "U\"");
	for (size_t i = 0; i < characters && !reader->failed; i++) {
		uint32_t character = 0;

		/* Wide characters have their high byte first, other values are as in memory. */
		for (unsigned k = 0; k < width; k++)
			character |= (uint32_t)bytes[i * width + k]
				     << 8 * (wide ? width - 1 - k : k);
		if (i + 1 < characters || cut || character != 0)
			text = with_character(reader, text, character);
	}
	return msvc_join(reader, "%.*s\"%s", MSVC_TEXT(text), cut ? "..." : "");
}
