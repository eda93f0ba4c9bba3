/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/expression/value_expression_internal.h"

/* Types in expressions: those of C, those in debug information, and types derived from them. */

/* Maximum number of bytes of a type's name, and of stars and dimensions after it. */
enum { MOST_NAME = 512, MOST_PARTS = 16 };

static const struct {
	const char *name;
	enum debug_type_kind kind;
	unsigned size;			/* in bytes; 0: same as long */
	bool is_signed;
} basics[] = {
	[VALUE_BOOL] = { "bool", DEBUG_TYPE_BOOLEAN, 1, false },
	[VALUE_CHAR] = { "char", DEBUG_TYPE_CHARACTER, 1, true },
	[VALUE_SIGNED_CHAR] = { "signed char", DEBUG_TYPE_CHARACTER, 1, true },
	[VALUE_UNSIGNED_CHAR] = { "unsigned char", DEBUG_TYPE_CHARACTER, 1, false },
	[VALUE_SHORT] = { "short", DEBUG_TYPE_NUMBER, 2, true },
	[VALUE_UNSIGNED_SHORT] = { "unsigned short", DEBUG_TYPE_NUMBER, 2, false },
	[VALUE_INT] = { "int", DEBUG_TYPE_NUMBER, 4, true },
	[VALUE_UNSIGNED_INT] = { "unsigned int", DEBUG_TYPE_NUMBER, 4, false },
	[VALUE_LONG] = { "long", DEBUG_TYPE_NUMBER, 0, true },
	[VALUE_UNSIGNED_LONG] = { "unsigned long", DEBUG_TYPE_NUMBER, 0, false },
	[VALUE_LONG_LONG] = { "long long", DEBUG_TYPE_NUMBER, 8, true },
	[VALUE_UNSIGNED_LONG_LONG] = { "unsigned long long", DEBUG_TYPE_NUMBER, 8, false },
	[VALUE_FLOAT] = { "float", DEBUG_TYPE_FLOAT, 4, true },
	[VALUE_DOUBLE] = { "double", DEBUG_TYPE_FLOAT, 8, true },
	[VALUE_VOID] = { "void", DEBUG_TYPE_VOID, 0, false },
};

const struct debug_type *
value_basic_type(struct value_computation *computation, enum value_basic which)
{
	const struct walk *walk = computation->variables->walk;
	struct debug_type *type = arena_alloc(computation->arena, sizeof(*type));
	const bool short_long = walk->crash->system.os == CRASH_OS_WINDOWS;

	if (type == NULL)
		return NULL;
	*type = (struct debug_type){ .kind = basics[which].kind, .name = basics[which].name,
				     .own_name = basics[which].name,
				     .has_size = which != VALUE_VOID,
				     .is_signed = basics[which].is_signed };
	type->size = which == VALUE_VOID ? 0
		     : basics[which].size > 0 ? basics[which].size
		     : short_long ? 4 : walk->arch->word_size;
	return type;
}

const struct debug_type *
value_wide_type(struct value_computation *computation, bool is_signed, uint64_t size)
{
	const struct debug_type *type = value_basic_type(computation, VALUE_LONG);

	return type == NULL ? NULL : value_basic_type(computation,
		(type->size >= size ? VALUE_LONG : VALUE_LONG_LONG) + !is_signed);
}

const struct debug_type *
value_size_type(struct value_computation *computation, bool is_signed)
{
	const uint64_t size = computation->variables->walk->arch->word_size;

	return value_wide_type(computation, is_signed, size);
}

/* Inserts a part into a type's name, after the element's: "int [4]", "int (*[4])(char)". */
static const char *
name_with(struct value_computation *computation, const struct debug_type *type, const char *part)
{
	const char *name = type->name, *behind = name + strlen(name);
	const char *inner_star = type->kind == DEBUG_TYPE_POINTER ? strstr(name, "(*") : NULL;

	if (strlen(name) > MOST_NAME)
		return name;
	if (inner_star != NULL && behind[-1] != '*')
		return arena_format(computation->arena, "%.*s%s%s", (int)(inner_star - name) + 2,
				    name, part + (*part == ' '), inner_star + 2);
	if (type->kind == DEBUG_TYPE_ARRAY && strchr(name, '[') != NULL)
		behind = strchr(name, '[');
	else if (type->kind == DEBUG_TYPE_FUNCTION && strchr(name, '(') != NULL)
		behind = strchr(name, '(');
	else if (*part == '*' && behind > name && behind[-1] == '*')
		return arena_format(computation->arena, "%s*", name);
	const bool inner = *behind != '\0';
	const int length = (int)(behind - name);
	return arena_format(computation->arena, inner && *part == '*' ? "%.*s(%s)%s" : "%.*s%s%s",
			    length, name,
			    inner || *part != '*' ? part
						  : arena_format(computation->arena, " %s", part),
			    behind);
}

const struct debug_type *
value_pointer_to(struct value_computation *computation, const struct debug_type *target)
{
	struct debug_type *type = arena_alloc(computation->arena, sizeof(*type));

	if (type == NULL || target == NULL)
		return NULL;
	*type = (struct debug_type){ .kind = DEBUG_TYPE_POINTER, .has_size = true,
				     .size = computation->variables->walk->arch->word_size,
				     .made_of = target };
	type->name = name_with(computation, target, "*");
	return type->name != NULL ? type : NULL;
}

const struct debug_type *
value_array_of(struct value_computation *computation, const struct debug_type *element,
	       uint64_t count)
{
	struct debug_type *type = arena_alloc(computation->arena, sizeof(*type));
	char part[32];

	if (type == NULL || element == NULL)
		return NULL;
	*type = (struct debug_type){ .kind = DEBUG_TYPE_ARRAY, .has_count = true, .count = count,
				     .has_size = element->has_size, .size = element->size * count,
				     .made_of = element };
	snprintf(part, sizeof(part), "%s[%" PRIu64 "]",
		 element->kind == DEBUG_TYPE_ARRAY ? "" : " ", count);
	type->name = name_with(computation, element, part);
	return type->name != NULL ? type : NULL;
}

const struct debug_type *
value_target_of(struct value_computation *computation, const struct debug_type *type)
{
	const struct debug_scopes *scopes = &computation->variables->scopes;
	struct debug_named named;

	/* A unit may only declare a structure; another unit may then define it. */
	type = debug_type_target(type, computation->arena);
	if (type == NULL || !type->declared || type->own_name == NULL || scopes->count == 0 ||
	    !debug_named(scopes, DEBUG_WANTED_TYPE, type->kind, type->own_name, computation->arena,
			 &named))
		return type;
	return debug_type_here(&named.entry, computation->arena);
}

/* Names ---------------------------------------------------------------------------------------- */

static bool
begins_name(char sign)
{
	return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || sign == '_' ||
	       (unsigned char)sign >= 0x80;
}

static size_t
word_end(struct text text, size_t at)
{
	if (at < text.length && begins_name(text.start[at]))
		while (at < text.length &&
		       (begins_name(text.start[at]) ||
			(text.start[at] >= '0' && text.start[at] <= '9')))
			at++;
	return at;
}

static bool
has_scope_sign(struct text text, size_t at)
{
	return at + 1 < text.length && text.start[at] == ':' && text.start[at + 1] == ':';
}

size_t
value_name_end(struct text text, size_t at)
{
	size_t end = word_end(text, has_scope_sign(text, at) ? at + 2 : at);

	if (end == (has_scope_sign(text, at) ? at + 2 : at))
		return at;
	while (has_scope_sign(text, end) && word_end(text, end + 2) > end + 2)
		end = word_end(text, end + 2);
	return end;
}

const char *
value_name_copy(struct value_computation *computation, size_t from, size_t to)
{
	if (has_scope_sign(computation->text, from))
		from += 2;
	return arena_copy(computation->arena, computation->text.start + from, to - from);
}

const struct debug_variable *
value_variable(struct value_frame *variables, size_t first, struct text name,
	       size_t *call)
{
	const struct debug_scopes *scopes = &variables->scopes;

	for (*call = first; *call < scopes->count; ++*call)
		for (size_t i = 0; i < scopes->items[*call].count; i++) {
			const struct debug_variable *found = &scopes->items[*call].variables[i];

			if (!found->shadowed && text_is(name, found->name))
				return found;
		}
	return NULL;
}

/* Reading types -------------------------------------------------------------------------------- */

/* Words of base types, in any order. */
enum {
	WORD_SIGNED = 1, WORD_UNSIGNED = 2, WORD_SHORT = 4, WORD_LONG = 8, WORD_LONG_LONG = 16,
	WORD_INT = 32, WORD_CHAR = 64, WORD_FLOAT = 128, WORD_DOUBLE = 256, WORD_BOOL = 512,
	WORD_VOID = 1024,
};

static const struct {
	const char *word;
	unsigned bit;
} base_words[] = {
	{ "signed", WORD_SIGNED }, { "unsigned", WORD_UNSIGNED }, { "short", WORD_SHORT },
	{ "long", WORD_LONG }, { "int", WORD_INT }, { "char", WORD_CHAR },
	{ "float", WORD_FLOAT }, { "double", WORD_DOUBLE }, { "bool", WORD_BOOL },
	{ "_Bool", WORD_BOOL }, { "void", WORD_VOID },
};

static const struct {
	unsigned words;
	enum value_basic type;
} base_types[] = {
	{ WORD_CHAR, VALUE_CHAR }, { WORD_SIGNED | WORD_CHAR, VALUE_SIGNED_CHAR },
	{ WORD_UNSIGNED | WORD_CHAR, VALUE_UNSIGNED_CHAR }, { WORD_SHORT, VALUE_SHORT },
	{ WORD_UNSIGNED | WORD_SHORT, VALUE_UNSIGNED_SHORT }, { WORD_INT, VALUE_INT },
	{ 0, VALUE_INT }, { WORD_UNSIGNED, VALUE_UNSIGNED_INT }, { WORD_LONG, VALUE_LONG },
	{ WORD_UNSIGNED | WORD_LONG, VALUE_UNSIGNED_LONG }, { WORD_LONG_LONG, VALUE_LONG_LONG },
	{ WORD_UNSIGNED | WORD_LONG_LONG, VALUE_UNSIGNED_LONG_LONG },
	{ WORD_FLOAT, VALUE_FLOAT }, { WORD_DOUBLE, VALUE_DOUBLE }, { WORD_BOOL, VALUE_BOOL },
	{ WORD_VOID, VALUE_VOID },
};

static const struct {
	const char *word;
	enum debug_type_kind kind;
} keywords[] = {
	{ "struct", DEBUG_TYPE_STRUCTURE }, { "class", DEBUG_TYPE_STRUCTURE },
	{ "union", DEBUG_TYPE_UNION }, { "enum", DEBUG_TYPE_ENUMERATION },
};

bool
value_is_keyword(struct text word)
{
	for (size_t i = 0; i < ARRAY_COUNT(keywords); i++)
		if (text_is(word, keywords[i].word))
			return true;
	return false;
}

size_t
value_skip_blanks(struct text text, size_t at)
{
	while (at < text.length && (text.start[at] == ' ' || text.start[at] == '\t'))
		at++;
	return at;
}

static bool
is_qualifier(struct text word)
{
	return text_is(word, "const") || text_is(word, "volatile");
}

/* The base type that some words name; NULL: none. */
static const struct debug_type *
base_type_of(struct value_computation *computation, unsigned words)
{
	struct debug_named named;
	const struct debug_scopes *scopes = &computation->variables->scopes;

	/* "long int" means "long", and so does "signed long". */
	if ((words & (WORD_SHORT | WORD_LONG | WORD_LONG_LONG)) != 0)
		words &= ~(unsigned)WORD_INT;
	if ((words & WORD_CHAR) == 0)
		words &= ~(unsigned)WORD_SIGNED;
	if ((words & WORD_UNSIGNED) != 0)
		words &= ~(unsigned)WORD_INT;
	/* The ABI decides whether char is signed. */
	if (words == WORD_CHAR && scopes->count > 0 &&
	    debug_named(scopes, DEBUG_WANTED_TYPE, DEBUG_TYPE_UNKNOWN, "char", computation->arena,
			&named))
		return debug_type_here(&named.entry, computation->arena);
	for (size_t i = 0; i < ARRAY_COUNT(base_types); i++)
		if (base_types[i].words == words)
			return value_basic_type(computation, base_types[i].type);
	return NULL;
}

/* The end of a template's arguments that begin at `at`. */
static size_t
template_end(struct text text, size_t at)
{
	size_t depth = 0;

	if (at == text.length || text.start[at] != '<')
		return at;
	for (size_t i = at; i < text.length; i++) {
		depth += text.start[i] == '<';
		depth -= text.start[i] == '>';
		if (depth == 0)
			return i + 1;
	}
	return at;
}

/* Reads a type named in debug information at `*at`. */
static const struct debug_type *
named_type(struct value_computation *computation, enum debug_type_kind only, size_t *at)
{
	const struct debug_scopes *scopes = &computation->variables->scopes;
	const struct text text = computation->text;
	size_t end = value_name_end(text, *at), call;
	struct debug_named named;

	const struct text plain = { text.start + *at, end - *at };
	if (plain.length == 0 || scopes->count == 0 ||
	    (only == DEBUG_TYPE_UNKNOWN &&
	     value_variable(computation->variables, computation->call, plain, &call) != NULL))
		return NULL;
	for (size_t more = template_end(text, end); more > end; more = template_end(text, end)) {
		end = more;
		if (has_scope_sign(text, end) && word_end(text, end + 2) > end + 2)
			end = word_end(text, end + 2);
	}
	const char *name = end - *at > MOST_NAME ? NULL : value_name_copy(computation, *at, end);
	if (name == NULL ||
	    !debug_named(scopes, DEBUG_WANTED_TYPE, only, name, computation->arena, &named))
		return NULL;
	*at = end;
	return debug_type_here(&named.entry, computation->arena);
}

/* Reads the words of a type, before its stars. */
static const struct debug_type *
read_words(struct value_computation *computation, size_t *at)
{
	enum debug_type_kind only = DEBUG_TYPE_UNKNOWN;
	const struct debug_type *type = NULL;
	unsigned words = 0;
	bool base = false;

	for (;;) {
		const size_t from = value_skip_blanks(computation->text, *at);
		const size_t end = word_end(computation->text, from);
		const struct text word = { computation->text.start + from, end - from };
		bool known = is_qualifier(word);

		for (size_t i = 0; i < ARRAY_COUNT(base_words) && type == NULL && !known &&
				   only == DEBUG_TYPE_UNKNOWN; i++)
			if (text_is(word, base_words[i].word)) {
				const unsigned bit = base_words[i].bit;
				known = base = true;
				words = bit == WORD_LONG && (words & WORD_LONG) != 0
						? (words & ~(unsigned)WORD_LONG) | WORD_LONG_LONG
						: words | bit;
			}
		for (size_t i = 0; i < ARRAY_COUNT(keywords) && type == NULL && !base && !known;
		     i++)
			if (text_is(word, keywords[i].word)) {
				known = true;
				only = keywords[i].kind;
			}
		*at = known ? end : from;
		if (known)
			continue;
		if (base || type != NULL)
			break;
		type = named_type(computation, only, at);
		if (type == NULL)
			return NULL;
	}
	return base ? base_type_of(computation, words) : type;
}

const struct debug_type *
value_read_type(struct value_computation *computation, size_t *at)
{
	const struct text text = computation->text;
	size_t next = *at;
	const struct debug_type *type = read_words(computation, &next);

	for (size_t parts = 0; type != NULL && parts < MOST_PARTS; parts++) {
		next = value_skip_blanks(text, next);
		const size_t end = word_end(text, next);
		const struct text word = { text.start + next, end - next };

		if (next < text.length && text.start[next] == '*') {
			type = value_pointer_to(computation, type);
			next++;
		} else if (end > next && is_qualifier(word)) {
			next = end;
		} else {
			break;
		}
	}
	if (type != NULL)
		*at = value_skip_blanks(text, next);
	return type;
}

bool
value_find_object(struct value_computation *computation, struct text name,
		  struct variable_value *value)
{
	static const enum value_basic numbers[] = { [1] = VALUE_UNSIGNED_CHAR,
		[2] = VALUE_UNSIGNED_SHORT, [4] = VALUE_UNSIGNED_INT,
		[8] = VALUE_UNSIGNED_LONG_LONG };
	const struct surroundings *around = computation->around;
	const char *wanted = text_copy(computation->arena, name);
	uint64_t address, size;
	size_t i = 0;
	bool found = false;

	if (around == NULL || wanted == NULL)
		return false;
	for (; i < around->crash->module_count && !found; i++)
		for (unsigned kind = 0; kind < 2 && !found; kind++) {
			const struct binary *binary = binaries_load(
				around->binaries, i, kind == 0 ? LOCATE_DEBUG : LOCATE_IMAGE);

			found = binary != NULL &&
				file_symbols_object(binary, wanted, &address, &size);
			address += around->crash->modules[i].base -
				   (found ? binary->linked_base : 0);
		}
	if (!found)
		return false;
	const bool number = size < ARRAY_COUNT(numbers) && (size & (size - 1)) == 0 && size > 0;
	const struct debug_type *type =
		value_basic_type(computation, number ? numbers[size] : VALUE_UNSIGNED_CHAR);
	/* The type of one variable is known from POSIX: extern char **environ. */
	const bool known = strcmp(wanted, "environ") == 0;
	if (known)
		type = value_pointer_to(computation, value_pointer_to(computation,
			value_basic_type(computation, VALUE_CHAR)));
	else if (!number)
		type = value_array_of(computation, type, size);
	if (!known)
		computation->result->note = "its symbol has no type; write *(TYPE *)& before it";
	*value = (struct variable_value){ .location = VARIABLE_MEMORY, .value = {
		.type = type, .frame = computation->variables, .in_memory = true,
		.address = address } };
	return type != NULL;
}

const struct debug_type *
value_expression_type(struct value_frame *variables, size_t call, struct text text,
		      struct surroundings *around, struct arena *arena, const char **wrong)
{
	struct value_computation *computation = arena_alloc(arena, sizeof(*computation));
	struct value_expression result = { .wrong = NULL };
	struct value_files files = { .count = 0 };

	*wrong = OUT_OF_MEMORY;
	if (computation == NULL)
		return NULL;
	*computation = (struct value_computation){ .variables = variables, .call = call,
						   .text = text, .arena = arena,
						   .result = &result };
	while (!value_expression_names_variable(variables, text) &&
	       (computation->variables = value_files_next(computation, &files)) != NULL) {
		size_t at = value_skip_blanks(text, 0);
		const struct debug_type *type = value_read_type(computation, &at);

		if (type != NULL && at >= text.length)
			return type;
		computation->variables = variables;
	}
	result = value_expression_of(variables, call, text, around, arena);
	*wrong = result.wrong;
	return result.wrong == NULL ? result.value.value.type : NULL;
}
