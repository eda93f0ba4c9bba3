/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle_msvc.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "base/demangle_msvc_internal.h"
#include "base/limits.h"

/* What a name is before its scope: constructors are called as their class is. */
enum role {
	ROLE_OWN,
	ROLE_CONSTRUCTOR,
	ROLE_DESTRUCTOR,
	ROLE_CONVERSION,
};

struct msvc_name {
	struct text own, arguments;	/* of a template, with their brackets */
	struct text scope;		/* without the last "::" */
	struct text class;		/* the innermost piece of the scope */
	enum role role;
};

/* Names of operators and of what compilers make, by the letters behind `?`. */
static const struct {
	char letters[4];
	const char *llvm, *breakpad;	/* NULL: as LLVM */
} operators[] = {
	{ "2", "operator new", NULL }, { "3", "operator delete", NULL }, { "4", "operator=", NULL },
	{ "5", "operator>>", NULL }, { "6", "operator<<", NULL }, { "7", "operator!", NULL },
	{ "8", "operator==", NULL }, { "9", "operator!=", NULL }, { "A", "operator[]", NULL },
	{ "C", "operator->", NULL }, { "D", "operator*", NULL }, { "E", "operator++", NULL },
	{ "F", "operator--", NULL }, { "G", "operator-", NULL }, { "H", "operator+", NULL },
	{ "I", "operator&", NULL }, { "J", "operator->*", NULL }, { "K", "operator/", NULL },
	{ "L", "operator%", NULL }, { "M", "operator<", NULL }, { "N", "operator<=", NULL },
	{ "O", "operator>", NULL }, { "P", "operator>=", NULL }, { "Q", "operator,", NULL },
	{ "R", "operator()", NULL }, { "S", "operator~", NULL }, { "T", "operator^", NULL },
	{ "U", "operator|", NULL }, { "V", "operator&&", NULL }, { "W", "operator||", NULL },
	{ "X", "operator*=", NULL }, { "Y", "operator+=", NULL }, { "Z", "operator-=", NULL },
	{ "_0", "operator/=", NULL }, { "_1", "operator%=", NULL }, { "_2", "operator>>=", NULL },
	{ "_3", "operator<<=", NULL }, { "_4", "operator&=", NULL }, { "_5", "operator|=", NULL },
	{ "_6", "operator^=", NULL },
	{ "_D", "`vbase dtor'", "`vbase destructor'" },
	{ "_E", "`vector deleting dtor'", "`vector deleting destructor'" },
	{ "_F", "`default ctor closure'", "`default constructor closure'" },
	{ "_G", "`scalar deleting dtor'", "`scalar deleting destructor'" },
	{ "_H", "`vector ctor iterator'", "`vector constructor iterator'" },
	{ "_I", "`vector dtor iterator'", "`vector destructor iterator'" },
	{ "_J", "`vector vbase ctor iterator'", "`vector vbase constructor iterator'" },
	{ "_K", "`virtual displacement map'", NULL },
	{ "_L", "`eh vector ctor iterator'", "`eh vector constructor iterator'" },
	{ "_M", "`eh vector dtor iterator'", "`eh vector destructor iterator'" },
	{ "_N", "`eh vector vbase ctor iterator'", "`eh vector vbase constructor iterator'" },
	{ "_O", "`copy ctor closure'", "`copy constructor closure'" },
	{ "_T", "`local vftable ctor closure'", "`local vftable constructor closure'" },
	{ "_U", "operator new[]", NULL }, { "_V", "operator delete[]", NULL },
	{ "_X", "`placement delete closure'", NULL },
	{ "_Y", "`placement delete[] closure'", NULL },
	{ "__A", "`managed vector ctor iterator'", "`managed vector constructor iterator'" },
	{ "__B", "`managed vector dtor iterator'", "`managed vector destructor iterator'" },
	{ "__C", "`EH vector copy ctor iterator'", "`EH vector copy constructor iterator'" },
	{ "__D", "`EH vector vbase copy ctor iterator'",
	  "`EH vector vbase copy constructor iterator'" },
	{ "__G", "`vector copy ctor iterator'", "`vector copy constructor iterator'" },
	{ "__H", "`vector vbase copy constructor iterator'", NULL },
	{ "__I", "`managed vector vbase copy constructor iterator'", NULL },
	{ "__L", "operator co_await", NULL }, { "__M", "operator<=>", NULL },
};

/* Tables that compilers make, for one base or for all. */
static const struct {
	const char *letters;
	const char *words;
} tables[] = {
	{ "?_7", "`vftable'" },
	{ "?_8", "`vbtable'" },
	{ "?_S", "`local vftable'" },
	{ "?_R4", "`RTTI Complete Object Locator'" },
};

static const char *const access_words[] = { "private: ", "protected: ", "public: ", "" };

struct text
msvc_fail(struct msvc_reader *reader)
{
	reader->failed = true;
	return text_of("");
}

struct text
msvc_join(struct msvc_reader *reader, const char *format, ...)
{
	char room[LIMIT_SHOWN_NAME];
	va_list arguments;

	if (reader->failed)
		return text_of("");
	va_start(arguments, format);
	const int length = vsnprintf(room, sizeof(room), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(room) || (size_t)length > reader->most)
		return msvc_fail(reader);
	reader->made += (size_t)length;
	const char *copy = reader->made > LIMIT_MSVC_COPIES * reader->most
				   ? NULL
				   : arena_copy(reader->arena, room, (size_t)length);
	if (copy == NULL)
		return msvc_fail(reader);
	return (struct text){ copy, (size_t)length };
}

char
msvc_peek(const struct msvc_reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

char
msvc_next(struct msvc_reader *reader)
{
	if (reader->at < reader->end)
		return *reader->at++;
	reader->failed = true;
	return '\0';
}

bool
msvc_sees(const struct msvc_reader *reader, const char *prefix)
{
	const size_t length = strlen(prefix);

	return (size_t)(reader->end - reader->at) >= length &&
	       memcmp(reader->at, prefix, length) == 0;
}

bool
msvc_takes(struct msvc_reader *reader, const char *prefix)
{
	if (!msvc_sees(reader, prefix))
		return false;
	reader->at += strlen(prefix);
	return true;
}

int64_t
msvc_number(struct msvc_reader *reader)
{
	const bool negative = msvc_takes(reader, "?");
	uint64_t value = 0;
	char digit = msvc_next(reader);

	if (isdigit((unsigned char)digit)) {
		value = (uint64_t)(digit - '0') + 1;
	} else {
		for (unsigned i = 0; digit != '@'; i++, digit = msvc_next(reader)) {
			if (digit < 'A' || digit > 'P' || i == 16) {
				msvc_fail(reader);
				return 0;
			}
			value = value << 4 | (uint64_t)(digit - 'A');
		}
	}
	return (int64_t)(negative ? UINT64_C(0) - value : value);
}

/* Remember a name; false where it was. */
static bool
remember(struct msvc_reader *reader, struct text name)
{
	struct msvc_memory *memory = reader->memory;

	for (size_t i = 0; i < memory->name_count; i++)
		if (text_equal(memory->names[i], name))
			return false;
	if (memory->name_count < MSVC_REMEMBERED)
		memory->names[memory->name_count++] = name;
	return true;
}

/* A name that a digit stands for. */
static struct text
remembered(struct msvc_reader *reader)
{
	const size_t index = (size_t)(msvc_next(reader) - '0');

	return index < reader->memory->name_count ? reader->memory->names[index]
						  : msvc_fail(reader);
}

/* An identifier, up to its `@`. */
static struct text
identifier(struct msvc_reader *reader)
{
	const char *start = reader->at;
	const char *at = memchr(start, '@', (size_t)(reader->end - start));

	if (at == NULL || at == start)
		return msvc_fail(reader);
	reader->at = at + 1;
	return (struct text){ start, (size_t)(at - start) };
}

static struct text
simple_name(struct msvc_reader *reader)
{
	const struct text name = identifier(reader);

	remember(reader, name);
	return name;
}

/* What stands behind a `?` that is no template: an operator, or a function of the compiler. */
static void
read_operator(struct msvc_reader *reader, struct msvc_name *name)
{
	if (msvc_takes(reader, "0")) {
		name->role = ROLE_CONSTRUCTOR;
	} else if (msvc_takes(reader, "1")) {
		name->role = ROLE_DESTRUCTOR;
	} else if (msvc_takes(reader, "B")) {
		name->role = ROLE_CONVERSION;
	} else if (msvc_takes(reader, "__K")) {
		const struct text suffix = simple_name(reader);

		name->own = msvc_join(reader, "operator \"\"%.*s", MSVC_TEXT(suffix));
	} else {
		for (size_t i = 0; i < ARRAY_COUNT(operators); i++)
			if (msvc_takes(reader, operators[i].letters)) {
				name->own = text_of(reader->spelling == MSVC_LLVM ||
								    operators[i].breakpad == NULL
							    ? operators[i].llvm
							    : operators[i].breakpad);
				return;
			}
		msvc_fail(reader);
	}
}

static void
read_unqualified(struct msvc_reader *reader, struct msvc_name *name);

/* A template's name and arguments, whose digits stand for what the template itself has. */
static void
read_template(struct msvc_reader *reader, struct msvc_name *name)
{
	struct msvc_memory *outer = reader->memory, inner = { .name_count = 0 };

	if (++reader->depth > LIMIT_MSVC_NESTING) {
		msvc_fail(reader);
		return;
	}
	reader->memory = &inner;
	read_unqualified(reader, name);
	name->arguments = msvc_template_arguments(reader);
	reader->memory = outer;
	reader->depth--;
}

static void
read_unqualified(struct msvc_reader *reader, struct msvc_name *name)
{
	if (isdigit((unsigned char)msvc_peek(reader)))
		name->own = remembered(reader);
	else if (msvc_takes(reader, "?$"))
		read_template(reader, name);
	else if (msvc_takes(reader, "?"))
		read_operator(reader, name);
	else
		name->own = simple_name(reader);
}

/* A template as a type or a scope, where it is remembered like a name. */
static struct text
template_name(struct msvc_reader *reader)
{
	struct msvc_name name = { .own = text_of(""), .arguments = text_of("") };

	read_template(reader, &name);
	if (name.role != ROLE_OWN)
		return msvc_fail(reader);
	const struct text whole = msvc_join(reader, "%.*s%.*s", MSVC_TEXT(name.own),
					    MSVC_TEXT(name.arguments));
	remember(reader, whole);
	return whole;
}

/* Whether a scope is a function's: its number and its symbol stand behind a `?`. */
static bool
is_local_scope(const struct msvc_reader *reader)
{
	const char *at = reader->at + 1;

	if (!msvc_sees(reader, "?") || at >= reader->end)
		return false;
	if (isdigit((unsigned char)*at))
		return at + 1 < reader->end && at[1] == '?';
	while (at < reader->end && *at >= 'A' && *at <= 'P')
		at++;
	return at + 1 < reader->end && at[0] == '@' && at[1] == '?';
}

static struct text
local_scope(struct msvc_reader *reader)
{
	const bool whole = reader->whole;

	msvc_next(reader);
	const int64_t number = msvc_number(reader);
	msvc_next(reader);
	reader->whole = true;
	const struct text symbol = msvc_symbol(reader);
	reader->whole = whole;
	return msvc_join(reader, "`%.*s'::`%" PRId64 "'", MSVC_TEXT(symbol), number);
}

/*
 * A namespace without a name. cl remembers it as any other; clang writes it out again each time,
 * and from that it can be told.
 */
static struct text
unnamed_namespace(struct msvc_reader *reader)
{
	const struct text words = text_of("`anonymous namespace'");
	const char *at = memchr(reader->at, '@', (size_t)(reader->end - reader->at));

	if (at == NULL)
		return msvc_fail(reader);
	reader->at = at + 1;
	if (!reader->forgets_anonymous && !remember(reader, words)) {
		reader->forgets_anonymous = true;
		return msvc_fail(reader);
	}
	return words;
}

static struct text
scope_piece(struct msvc_reader *reader)
{
	if (isdigit((unsigned char)msvc_peek(reader)))
		return remembered(reader);
	if (msvc_takes(reader, "?$"))
		return template_name(reader);
	if (msvc_takes(reader, "?A"))
		return unnamed_namespace(reader);
	return is_local_scope(reader) ? local_scope(reader) : simple_name(reader);
}

/* The pieces around a name, innermost first, up to an `@` of their own. */
static struct text
scope_chain(struct msvc_reader *reader, struct text *innermost)
{
	struct text scope = text_of("");

	*innermost = text_of("");
	while (!reader->failed && !msvc_takes(reader, "@")) {
		const struct text piece = scope_piece(reader);

		if (scope.length == 0)
			*innermost = piece;
		scope = scope.length == 0 ? piece
					  : msvc_join(reader, "%.*s::%.*s", MSVC_TEXT(piece),
						      MSVC_TEXT(scope));
	}
	return scope;
}

static struct text
qualified(struct msvc_reader *reader, struct text scope, struct text own)
{
	return scope.length == 0
		       ? own
		       : msvc_join(reader, "%.*s::%.*s", MSVC_TEXT(scope), MSVC_TEXT(own));
}

struct text
msvc_type_name(struct msvc_reader *reader)
{
	const struct text own = isdigit((unsigned char)msvc_peek(reader)) ? remembered(reader)
				: msvc_takes(reader, "?$")		  ? template_name(reader)
									  : simple_name(reader);
	struct text innermost;

	return qualified(reader, scope_chain(reader, &innermost), own);
}

/* The name with its scope; `returned` is what a conversion converts to. */
static struct text
name_text(struct msvc_reader *reader, const struct msvc_name *name, struct text returned)
{
	struct text own = name->own;

	if (name->role == ROLE_CONVERSION)
		own = msvc_join(reader, "operator%.*s %.*s", MSVC_TEXT(name->arguments),
				MSVC_TEXT(returned));
	else if (name->role != ROLE_OWN && name->class.length == 0)
		return msvc_fail(reader);
	else
		own = msvc_join(reader, "%s%.*s%.*s", name->role == ROLE_DESTRUCTOR ? "~" : "",
				MSVC_TEXT(name->role == ROLE_OWN ? name->own : name->class),
				MSVC_TEXT(name->arguments));
	return qualified(reader, name->scope, own);
}

static struct text
variable(struct msvc_reader *reader, const struct msvc_name *name)
{
	const size_t storage = (size_t)(msvc_next(reader) - '0');
	struct msvc_type type = msvc_type(reader, MSVC_NO_QUALIFIERS);
	bool member;

	/* A pointer's own qualifiers stand before those of its target, which its type has, too. */
	if (type.kind == MSVC_POINTER) {
		type.qualifiers |= msvc_pointer_qualifiers(reader);
		msvc_qualifiers(reader, &member);
		if (member)
			msvc_type_name(reader);
	} else {
		type.qualifiers |= msvc_qualifiers(reader, &member);
	}
	const struct text shown = name_text(reader, name, text_of(""));
	if (!reader->whole && reader->spelling == MSVC_LLVM)
		return shown;
	const struct text declared = msvc_declaration(reader, &type, shown);
	if (!reader->whole || storage > 2)
		return declared;
	return msvc_join(reader, "%sstatic %.*s", access_words[storage], MSVC_TEXT(declared));
}

/* Who may call a function, and how `this` is moved before its code begins. */
struct msvc_class {
	const char *access, *kind;
	struct text moved;		/* the words for a thunk, else empty */
	bool has_this, no_parameters;
};

static struct msvc_class
virtual_thunk(struct msvc_reader *reader)
{
	const bool wide = msvc_takes(reader, "R");
	const unsigned row = (unsigned)(msvc_next(reader) - '0');
	struct msvc_class class = { .kind = "virtual ", .has_this = true };
	struct text list = text_of("");

	if (row > 5) {
		class.moved = msvc_fail(reader);
		return class;
	}
	class.access = access_words[row / 2];
	for (unsigned i = 0; i < (wide ? 4 : 2) && !reader->failed; i++)
		list = msvc_join(reader, "%.*s%s%" PRId32, MSVC_TEXT(list), i > 0 ? ", " : "",
				 (int32_t)msvc_number(reader));
	class.moved = msvc_join(reader, "`%s{%.*s}'", wide ? "vtordispex" : "vtordisp",
				MSVC_TEXT(list));
	return class;
}

static struct msvc_class
function_class(struct msvc_reader *reader)
{
	static const char *const kinds[] = { "", "static ", "virtual ", "virtual " };
	const char letter = msvc_next(reader);
	const unsigned row = (unsigned)(letter - 'A');
	struct msvc_class class = { .moved = text_of("") };

	if (letter == '$')
		return virtual_thunk(reader);
	if (letter == '9')
		return (struct msvc_class){ "", "", text_of(""), false, true };
	if (row > 'Z' - 'A') {
		msvc_fail(reader);
		return class;
	}
	/* Two letters for each: near and far. */
	class.access = access_words[row / 8];
	class.kind = kinds[row % 8 / 2];
	class.has_this = row / 8 < 3 && row % 8 / 2 != 1;
	if (row % 8 / 2 == 3)
		class.moved = msvc_join(reader, "`adjustor{%" PRId64 "}'", msvc_number(reader));
	return class;
}

static struct text
function(struct msvc_reader *reader, const struct msvc_name *name)
{
	const bool llvm = reader->spelling == MSVC_LLVM;
	const bool external = msvc_takes(reader, "$$J0");
	const struct msvc_class class = function_class(reader);
	struct msvc_type type = { .left = text_of("") };
	struct text head = text_of("");

	if (reader->failed)
		return head;
	if (!class.no_parameters)
		type = msvc_function_type(reader, class.has_this);
	const struct text returned = msvc_join(reader, "%.*s%.*s", MSVC_TEXT(type.left),
					       MSVC_TEXT(type.behind));
	const struct text shown = name_text(reader, name, returned);
	if (reader->whole && llvm)
		head = msvc_join(reader, "%s%s%s%.*s%s%.*s%s", class.access, class.kind,
				 external || class.no_parameters ? "extern \"C\" " : "",
				 MSVC_TEXT(type.left), type.left.length > 0 ? " " : "",
				 MSVC_TEXT(type.convention), type.convention.length > 0 ? " " : "");
	return msvc_join(
		reader, "%s%s%.*s%.*s%.*s%s%.*s%.*s", class.moved.length > 0 ? "[thunk]:" : "",
		class.moved.length > 0 && llvm ? " " : "", MSVC_TEXT(head), MSVC_TEXT(shown),
		MSVC_TEXT(class.moved), class.moved.length > 0 && !llvm ? " " : "",
		MSVC_TEXT(type.right), MSVC_TEXT(reader->whole ? type.behind : text_of("")));
}

/* What stands behind a name: the type of a variable, or that of a function. */
static struct text
encoded(struct msvc_reader *reader, const struct msvc_name *name)
{
	const char letter = msvc_peek(reader);

	return letter >= '0' && letter <= '4' ? variable(reader, name) : function(reader, name);
}

static struct msvc_name
symbol_name(struct msvc_reader *reader)
{
	struct msvc_name name = { .own = text_of(""), .arguments = text_of("") };

	read_unqualified(reader, &name);
	name.scope = scope_chain(reader, &name.class);
	return name;
}

static struct text
special_table(struct msvc_reader *reader, const char *words)
{
	struct text innermost, base = text_of("");
	const struct text scope = scope_chain(reader, &innermost);
	const struct text shown = qualified(reader, scope, text_of(words));
	bool member;

	if (!msvc_takes(reader, "6") && !msvc_takes(reader, "7"))
		return msvc_fail(reader);
	const struct text qualifiers =
		msvc_qualifier_words(reader, msvc_qualifiers(reader, &member));
	while (!reader->failed && !msvc_takes(reader, "@")) {
		const struct text name = msvc_type_name(reader);

		base = msvc_join(reader, "%.*s%s`%.*s'", MSVC_TEXT(base),
				 base.length > 0 ? "s " : "", MSVC_TEXT(name));
	}
	const bool is_const = qualifiers.length > 0;
	return msvc_join(reader, "%.*s%s%.*s%s%.*s%s", (int)qualifiers.length - (is_const ? 1 : 0),
			 qualifiers.start + (is_const ? 1 : 0), is_const ? " " : "",
			 MSVC_TEXT(shown), base.length > 0 ? "{for " : "", MSVC_TEXT(base),
			 base.length > 0 ? "}" : "");
}

/* A name behind its scope, which ends with a `8` and has no type. */
static struct text
untyped(struct msvc_reader *reader, struct text own)
{
	struct text innermost;
	const struct text scope = scope_chain(reader, &innermost);

	if (!msvc_takes(reader, "8"))
		return msvc_fail(reader);
	return qualified(reader, scope, own);
}

static struct text
base_class(struct msvc_reader *reader)
{
	int64_t numbers[4];

	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		numbers[i] = msvc_number(reader);
	return untyped(reader, msvc_join(reader,
					 "`RTTI Base Class Descriptor at (%" PRId64 ", %" PRId64
					 ", %" PRId64 ", %" PRId64 ")'",
					 numbers[0], numbers[1], numbers[2], numbers[3]));
}

/* A type as its descriptor has it. */
static struct text
described_type(struct msvc_reader *reader)
{
	const struct msvc_type type = msvc_type(reader, MSVC_RETURNED);

	return msvc_declaration(reader, &type, text_of(""));
}

static struct text
type_descriptor(struct msvc_reader *reader)
{
	const struct text shown = described_type(reader);

	if (!msvc_takes(reader, "@8"))
		return msvc_fail(reader);
	return msvc_join(reader, "%.*s `RTTI Type Descriptor'", MSVC_TEXT(shown));
}

/* A thunk that calls what stands at an offset of the virtual function table. */
static struct text
virtual_call(struct msvc_reader *reader)
{
	struct text innermost;
	const struct text scope = scope_chain(reader, &innermost);

	if (!msvc_takes(reader, "$B"))
		return msvc_fail(reader);
	const int64_t offset = msvc_number(reader);
	if (!msvc_takes(reader, "A"))
		return msvc_fail(reader);
	const struct text convention = msvc_convention(reader);
	const struct text own = msvc_join(reader, "`vcall'{%" PRId64 ", {flat}}", offset);
	const struct text shown = qualified(reader, scope, own);
	const bool whole = reader->whole && convention.length > 0;
	return msvc_join(reader, "[thunk]: %.*s%s%.*s", whole ? (int)convention.length : 0,
			 convention.start, whole ? " " : "", MSVC_TEXT(shown));
}

/* The flag that says whether a variable of a function was set up. */
static struct text
guard(struct msvc_reader *reader, const char *words)
{
	struct text innermost, own = text_of(words);
	const struct text scope = scope_chain(reader, &innermost);

	if (!msvc_takes(reader, "4IA")) {
		if (!msvc_takes(reader, "5"))
			return msvc_fail(reader);
		if (reader->at < reader->end) {
			const int64_t number = msvc_number(reader);

			own = number > 0 ? msvc_join(reader, "%s{%" PRId64 "}", words, number)
					 : own;
		}
	}
	return qualified(reader, scope, own);
}

/* The code that sets up a variable, or that ends its life; its name is that of the variable. */
static struct text
dynamic(struct msvc_reader *reader, const char *words)
{
	const bool member = msvc_takes(reader, "?");
	const struct msvc_name of = symbol_name(reader);
	struct msvc_name name = { .arguments = text_of(""), .scope = text_of("") };
	const char letter = msvc_peek(reader);

	if (letter < '0' || letter > '4') {
		const struct text shown = name_text(reader, &of, text_of(""));

		name.own = msvc_join(reader, "`%s'%.*s''", words, MSVC_TEXT(shown));
		return function(reader, &name);
	}
	const struct text shown = variable(reader, &of);
	if (!msvc_takes(reader, member ? "@@" : "@"))
		return msvc_fail(reader);
	name.own = msvc_join(reader, "`%s`%.*s''", words, MSVC_TEXT(shown));
	return function(reader, &name);
}

static struct text
unnested_symbol(struct msvc_reader *reader)
{
	if (!msvc_takes(reader, "?") || msvc_sees(reader, "?@"))
		return msvc_fail(reader);
	if (msvc_takes(reader, "?_C@_"))
		return msvc_string(reader);
	if (msvc_takes(reader, "?_R0"))
		return type_descriptor(reader);
	if (msvc_takes(reader, "?_R1"))
		return base_class(reader);
	if (msvc_takes(reader, "?_R2"))
		return untyped(reader, text_of("`RTTI Base Class Array'"));
	if (msvc_takes(reader, "?_R3"))
		return untyped(reader, text_of("`RTTI Class Hierarchy Descriptor'"));
	if (msvc_takes(reader, "?_9"))
		return virtual_call(reader);
	if (msvc_takes(reader, "?_B"))
		return guard(reader, "`local static guard'");
	if (msvc_takes(reader, "?__J"))
		return guard(reader, "`local static thread guard'");
	if (msvc_takes(reader, "?__E"))
		return dynamic(reader, "dynamic initializer for ");
	if (msvc_takes(reader, "?__F"))
		return dynamic(reader, "dynamic atexit destructor for ");
	for (size_t i = 0; i < ARRAY_COUNT(tables); i++)
		if (msvc_takes(reader, tables[i].letters))
			return special_table(reader, tables[i].words);
	const struct msvc_name name = symbol_name(reader);
	return encoded(reader, &name);
}

struct text
msvc_symbol(struct msvc_reader *reader)
{
	if (reader->failed || ++reader->depth > LIMIT_MSVC_NESTING)
		return msvc_fail(reader);
	const struct text shown = unnested_symbol(reader);
	reader->depth--;
	return shown;
}

bool
msvc_looks_mangled(struct text name)
{
	return name.length > 2 && name.start[0] == '?' &&
	       (strchr("?_$", name.start[1]) != NULL ||
		isalnum((unsigned char)name.start[1])) &&
	       memchr(name.start, '@', name.length) != NULL;
}

/* Where a name ends and what a compiler's later step put behind it begins: ".llvm.123". */
static size_t
end_of_name(struct text name)
{
	const char *suffix = memmem(name.start, name.length, ".llvm.", 6);

	return suffix != NULL ? (size_t)(suffix - name.start) : name.length;
}

/* Read all from `start` to `end` as `piece`. */
static struct text
read_all(struct msvc_reader *reader, const char *start, const char *end,
	 struct text (*piece)(struct msvc_reader *reader))
{
	struct msvc_memory memory = { .name_count = 0 };

	reader->at = start;
	reader->end = end;
	reader->memory = &memory;
	reader->depth = 0;
	reader->whole = reader->failed = false;
	const struct text text = piece(reader);
	return reader->at == reader->end ? text : msvc_fail(reader);
}

/* The name in a spelling, its parts in the reader's arena. */
static struct text
read_name(struct msvc_reader *reader, struct text name)
{
	const size_t length = end_of_name(name);
	struct text text = read_all(reader, name.start, name.start + length, msvc_symbol);

	if (reader->spelling == MSVC_BREAKPAD && text_drop_suffix(&text, "(void)"))
		text = msvc_join(reader, "%.*s()", MSVC_TEXT(text));
	if (reader->spelling == MSVC_LLVM && length < name.length)
		text = msvc_join(reader, "%.*s [clone %.*s]", MSVC_TEXT(text),
				 (int)(name.length - length), name.start + length);
	return text;
}

static struct text
read_type(struct msvc_reader *reader, struct text type)
{
	return read_all(reader, type.start, type.start + type.length, described_type);
}

/* What `read` makes of `encoded`, copied to `arena`. */
static bool
demangle_by(struct text (*read)(struct msvc_reader *reader, struct text encoded),
	    struct text encoded, enum msvc_spelling spelling, struct arena *arena,
	    struct text *shown)
{
	struct arena scratch = { 0 };
	struct msvc_reader reader = { .spelling = spelling, .arena = &scratch,
				      .most = demangle_most(encoded.length) };

	if (encoded.length > LIMIT_MANGLED_NAME ||
	    memchr(encoded.start, '\0', encoded.length) != NULL)
		return false;
	struct text text = read(&reader, encoded);
	if (reader.failed && reader.forgets_anonymous)
		text = read(&reader, encoded);
	const char *copy = reader.failed ? NULL : arena_copy(arena, text.start, text.length);
	if (copy != NULL)
		*shown = (struct text){ copy, text.length };
	arena_free(&scratch);
	return copy != NULL;
}

bool
msvc_demangle(struct text name, enum msvc_spelling spelling, struct arena *arena,
	      struct text *shown)
{
	return msvc_looks_mangled(name) && demangle_by(read_name, name, spelling, arena, shown);
}

bool
msvc_demangle_type(struct text type, enum msvc_spelling spelling, struct arena *arena,
		   struct text *shown)
{
	return type.length > 0 && demangle_by(read_type, type, spelling, arena, shown);
}
