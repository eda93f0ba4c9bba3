/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "debug_info/file_symbols.h"

/*
 * C++ exceptions that the crashed thread threw or was handling. Their layout is the Itanium ABI's,
 * as in libstdc++ (unwind-cxx.h) and libc++abi (cxa_exception.h).
 *
 * A word of the thread's stack or one of its registers points to the exception. The exception is
 * only reported if its header has the class of C++, references, handlers, and type information with
 * a name. The runtime itself catches an uncaught exception before it calls std::terminate, so this
 * exception has a handler, too. A destroyed exception has none.
 */
#define CLASS_GNU UINT64_C(0x474e5543432b2b00) /* "GNUCC++", 0 */
#define CLASS_CLANG UINT64_C(0x434c4e47432b2b00) /* "CLNGC++", 0 */
#define CLASS_DEPENDENT 1u /* a reference to another exception, by std::rethrow_exception */

#define WORDS 8192u /* words of the stack that are searched */
#define EXCEPTIONS 8u /* maximum number of exceptions that a thread handles at a time */
#define COUNT_MOST 0xffffu /* maximum of a reference count and of a handler count */
#define TYPES 16u /* maximum number of types of an exception: its class and the bases */
#define BASES 8u /* maximum number of direct bases of a class */
#define NAME_SIZE 512u /* bytes of a type's linker name with its NUL */
#define TEXT_SIZE 161u /* bytes of a shown text with its NUL */
#define TYPE_SHOWN 200u
#define MEMBERS 16u /* words of an object that are searched for a member with a text */
#define GCC_THROW 0x20474343u /* code of an exception that MinGW raises; parameter 0: its header */

/* Distances in bytes: of the thrown object after the unwind header, of fields before the header. */
struct cxx_layout {
	unsigned word;
	uint64_t object, type, next, handlers;
	uint64_t references[2], begin[2]; /* [0]: offset in libstdc++, [1]: in libc++abi */
};

static const struct cxx_layout layouts[] = {
	{ 8, 32, 80, 48, 40, { 96, 88 }, { 80, 96 } },
	{ 4, 32, 48, 32, 28, { 64, 4 }, { 48, 48 } },
}, windows_layout = { 8, 64, 80, 48, 40, { 96, 88 }, { 80, 96 } };

struct cxx_exception {
	uint64_t header, object, type;
	uint64_t next; /* header of the exception caught before; 0: none */
	uint64_t word; /* address of the pointer to the exception; 0: found in a register */
};

/* The parts of an exception's object with data of a known layout. */
struct cxx_parts {
	bool has_text, has_nested, has_what;
	uint64_t text, nested; /* address of the pointer to a text, or to another object */
	uint64_t what; /* address of the text of the object's own what(); 0: not known */
};

static bool
read_word(const struct explain *explain, uint64_t address, uint64_t *value)
{
	return analysis_number(explain, address, explain->arch->word_size, value);
}

/* Reads the linker name of a type; a '*' before it marks a name that is not unique. */
static bool
read_type(const struct explain *explain, uint64_t type, char name[NAME_SIZE])
{
	uint64_t at;

	if (!read_word(explain, type + explain->arch->word_size, &at) ||
		!analysis_string(explain, at, name, NAME_SIZE))
		return false;
	memmove(name, name + (name[0] == '*'), strlen(name) + (name[0] != '*'));
	return analysis_is_plain(name) && strchr(name, ' ') == NULL && strlen(name) < NAME_SIZE - 1;
}

static bool
has_class(const struct explain *explain, uint64_t header, uint64_t *class)
{
	if (!memory_peek(&explain->memory, header, 8, class, NULL) ||
		((*class | CLASS_DEPENDENT) != (CLASS_GNU | CLASS_DEPENDENT) &&
			(*class | CLASS_DEPENDENT) != (CLASS_CLANG | CLASS_DEPENDENT)))
		return false;
	memory_note(&explain->memory, header, 8, MEMORY_READ);
	return true;
}

/* Reads the exception of an unwind header; false: it has no exception, or a destroyed one. */
static bool
read_exception(const struct explain *explain, const struct cxx_layout *layout, uint64_t header,
	struct cxx_exception *exception)
{
	uint64_t class, handlers, references, object = header + layout->object;
	char name[NAME_SIZE];

	if (!has_class(explain, header, &class) ||
		!memory_read(&explain->memory, header - layout->handlers, 4, &handlers, NULL) ||
		(handlers == 0 && layout != &windows_layout) ||
		(uint32_t)handlers + COUNT_MOST > 2 * COUNT_MOST ||
		!read_word(explain, header - layout->next, &exception->next))
		return false;
	/* The object's address has the place of the type, in libc++abi that of the references. */
	if ((class & CLASS_DEPENDENT) != 0 &&
		(!read_word(explain, header - (class == (CLASS_GNU | CLASS_DEPENDENT)
				? layout->type : layout->references[1]), &object) ||
		!has_class(explain, object - layout->object, &class) ||
		(class & CLASS_DEPENDENT) != 0))
		return false;
	const uint64_t primary = object - layout->object;
	if (exception->next != 0)
		exception->next += layout->begin[class == CLASS_CLANG];
	exception->header = header;
	exception->object = object;
	return memory_read(&explain->memory, primary - layout->references[class == CLASS_CLANG], 4,
		       &references, NULL) &&
		references != 0 && references <= COUNT_MOST &&
		read_word(explain, primary - layout->type, &exception->type) &&
		read_type(explain, exception->type, name);
}

/* Searching ------------------------------------------------------------------------------------ */

struct cxx_search {
	struct explain *explain;
	const struct cxx_layout *layout;
	struct cxx_exception found[EXCEPTIONS];
	size_t count;
};

/* Adds the exception if a value points to its header or to its object. */
static void
try_value(struct cxx_search *search, uint64_t value, uint64_t word)
{
	const uint64_t headers[] = { value, value - search->layout->object };
	struct cxx_exception exception = { .word = word };

	if (value % 16 != 0 || search->count == EXCEPTIONS)
		return;
	for (size_t i = 0; i < search->count; i++)
		if (search->found[i].header == headers[0] || search->found[i].header == headers[1])
			return;
	for (size_t i = 0; i < ARRAY_COUNT(headers); i++)
		if (read_exception(search->explain, search->layout, headers[i], &exception)) {
			search->found[search->count++] = exception;
			if (word != 0)
				memory_note(&search->explain->memory, word, search->layout->word,
					MEMORY_READ);
			return;
		}
}

/* Whether an exception refers to another one, whose object it throws again. */
static bool
refers(const struct cxx_layout *layout, const struct cxx_exception *exception,
	const struct cxx_exception *to)
{
	return exception->object == to->object && exception->header != to->header &&
		exception->header + layout->object != exception->object;
}

/* The exception caught last; `next` leads to the earlier ones. NULL: none, or not known. */
static const struct cxx_exception *
find_exception(struct cxx_search *search)
{
	const struct walk *walk = search->explain->walk;
	const struct registers *registers = &walk->frames[0].registers;
	const uint64_t word = walk->arch->word_size, start = registers->value[walk->arch->sp];
	const uint64_t end = walk->frames[walk->count - 1].registers.value[walk->arch->sp];
	const struct cxx_exception *last = NULL;
	uint64_t value;

	for (int i = 0; i < ARCH_REGISTERS; i++)
		if (registers_known(registers, i))
			try_value(search, registers->value[i], 0);
	for (uint64_t i = 0; i < WORDS && end > start && i < (end - start) / word + WORDS / 64; i++)
		if (memory_peek(&search->explain->memory, start + i * word, (unsigned)word, &value,
			    NULL))
			try_value(search, value, start + i * word);
	for (size_t i = 0; i < search->count; i++) {
		bool earlier = false;

		for (size_t j = 0; j < search->count; j++)
			earlier |= search->found[j].next == search->found[i].header ||
				refers(search->layout, &search->found[j], &search->found[i]);
		if (!earlier && last != NULL)
			return NULL;
		last = earlier ? last : &search->found[i];
	}
	return last;
}

/* Describing ----------------------------------------------------------------------------------- */

enum cxx_base { BASE_NONE, BASE_EXCEPTION, BASE_TEXT };

/*
 * Whether a type is std::exception, std::runtime_error or std::logic_error, or has one of them as
 * a base at offset 0, through single bases. The type information of std::runtime_error and
 * std::logic_error is an abi::__si_class_type_info, with a pointer to the base after the name. All
 * members of a valid chain, except std::exception, have type information of this class.
 */
static enum cxx_base
standard_base(const struct explain *explain, uint64_t type)
{
	const uint64_t word = explain->arch->word_size;
	uint64_t class, other;
	char name[NAME_SIZE];

	if (!read_word(explain, type, &class))
		return BASE_NONE;
	other = class;
	for (size_t i = 0; i < TYPES; i++) {
		if (!read_type(explain, type, name) || strstr(name, "filesystem_error") != NULL)
			return BASE_NONE;
		if (strcmp(name, "St9exception") == 0)
			return BASE_EXCEPTION;
		if (other != class)
			return BASE_NONE;
		if (strcmp(name, "St13runtime_error") == 0 || strcmp(name, "St11logic_error") == 0)
			return BASE_TEXT;
		if (!read_word(explain, type + 2 * word, &type) ||
		    !read_word(explain, type, &other))
			return BASE_NONE;
	}
	return BASE_NONE;
}

/* Whether an object's first word points to the virtual table with this linker name. */
static bool
has_table(const struct explain *explain, uint64_t object, const char *name)
{
	uint64_t pointer, relative, address;

	if (!read_word(explain, object, &pointer))
		return false;
	const struct binary *binary = analysis_file(explain, pointer, LOCATE_IMAGE, &relative);
	return binary != NULL && file_symbols_object(binary, name, &address, NULL) &&
		address - binary->linked_base + 2 * (uint64_t)explain->arch->word_size == relative;
}

/* Adds the direct bases of a class that have a fixed place in its object. */
static void
add_bases(const struct explain *explain, uint64_t types[TYPES][2], size_t at, size_t *count)
{
	const uint64_t word = explain->arch->word_size, type = types[at][0];
	uint64_t bases, base, flags;

	/* The type information of a class with several bases is an abi::__vmi_class_type_info. */
	if (!has_table(explain, type, "_ZTVN10__cxxabiv121__vmi_class_type_infoE") ||
	    !analysis_number(explain, type + 2 * word + 4, 4, &bases))
		return;
	for (uint64_t i = 0; i < bases && i < BASES && *count < TYPES; i++) {
		const uint64_t entry = type + 2 * word + 8 + 2 * word * i;

		/* The flag 1 marks a virtual base. */
		if (read_word(explain, entry, &base) && read_word(explain, entry + word, &flags) &&
		    (flags & 1) == 0) {
			types[*count][0] = base;
			types[(*count)++][1] = types[at][1] + (flags >> 8);
		}
	}
}

/*
 * Finds the parts of an object with a known layout. std::runtime_error and std::logic_error have a
 * pointer to their text after the virtual function pointer. The what() of filesystem_error returns
 * another text.
 */
static struct cxx_parts
find_parts(struct explain *explain, const struct cxx_exception *exception)
{
	struct cxx_parts parts = { .has_text = false };
	uint64_t types[TYPES][2] = { { exception->type, exception->object } };
	size_t count = 1;
	char name[NAME_SIZE];

	for (size_t i = 0; i < count; i++) {
		const uint64_t field = types[i][1] + explain->arch->word_size;
		const enum cxx_base base = standard_base(explain, types[i][0]);

		if (base != BASE_NONE && what_text(explain, types[i][0], types[i][1], &parts.what))
			parts.has_what = true;
		else if (base == BASE_TEXT)
			parts.has_text = true, parts.text = field;
		if (read_type(explain, types[i][0], name) &&
		    strcmp(name, "St16nested_exception") == 0)
			parts.has_nested = true, parts.nested = field;
		add_bases(explain, types, i, &count);
	}
	return parts;
}

/* Writes a thrown number by the linker name of its type; other types: nothing. */
static void
write_number(const struct explain *explain, const struct cxx_exception *exception, const char *name,
	char text[TEXT_SIZE])
{
	static const char letters[] = "stijlmxy"; /* signed types at even indices */
	const char *letter = name[1] == '\0' ? strchr(letters, name[0]) : NULL;
	uint64_t value;

	if (letter == NULL)
		return;
	const size_t index = (size_t)(letter - letters);
	const bool windows = explain->crash->system.os == CRASH_OS_WINDOWS;
	const unsigned sizes[] = { 2, 4, windows ? 4 : explain->arch->word_size, 8 };
	const unsigned size = sizes[index / 2];
	if (!memory_read(&explain->memory, exception->object, size, &value, NULL))
		return;
	const unsigned shift = 64 - 8 * size;
	if (index % 2 == 0)
		snprintf(text, TEXT_SIZE, ": %" PRId64, (int64_t)(value << shift) >> shift);
	else
		snprintf(text, TEXT_SIZE, ": %" PRIu64, value);
}

/*
 * Writes the exception's type, and its value or text if the layout of the object is known. Returns
 * the address of the text's bytes; 0: none.
 */
static uint64_t
describe(struct explain *explain, const struct cxx_exception *exception,
	char shown[NAME_SIZE + TEXT_SIZE])
{
	const struct cxx_parts parts = find_parts(explain, exception);
	static const char string[] = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
	uint64_t pointer = parts.has_text ? parts.text : 0, at = 0;
	char mangled[NAME_SIZE + 4] = "_ZTI", text[NAME_SIZE], value[TEXT_SIZE] = "";

	if (!read_type(explain, exception->type, mangled + 4))
		return 0;
	const bool is_string = strcmp(mangled + 4, string) == 0;
	if (is_string || strcmp(mangled + 4, "PKc") == 0 || strcmp(mangled + 4, "Pc") == 0)
		pointer = exception->object;
	if (explain->crash->redacted) {
		snprintf(value, sizeof(value), ": %s", CRASH_REDACTED);
	} else if ((parts.has_what ? (at = parts.what) != 0
				   : pointer != 0 && read_word(explain, pointer, &at)) &&
		   analysis_string(explain, at, text, sizeof(text))) {
		strcpy(value, ": \"");
		analysis_show(explain, text, value + 3, sizeof(value) - 4);
		strcat(value, "\"");
	} else {
		at = 0;
		write_number(explain, exception, mangled + 4, value);
	}
	struct text name = demangle(text_of(mangled), &explain->out->arena);
	if (is_string)
		name = text_of("std::string");
	else if (!text_drop_prefix(&name, "typeinfo for "))
		name = text_of(mangled + 4);
	if (explain->out->thrown_type == NULL) {
		explain->out->thrown_type = text_copy(&explain->out->arena, name);
		explain->out->thrown_object = exception->object;
	}
	const size_t used = text_cut_name(shown, NAME_SIZE, name, TYPE_SHOWN, "...");
	snprintf(shown + used, TEXT_SIZE, "%s", value);
	return at;
}

/* Replaces an exception by the one nested in its object. */
static bool
read_nested(const struct cxx_search *search, struct cxx_exception *other)
{
	struct explain *explain = search->explain;
	const struct cxx_parts parts = find_parts(explain, other);
	uint64_t class;
	char name[NAME_SIZE];

	if (!parts.has_nested || !read_word(explain, parts.nested, &other->object))
		return false;
	other->header = other->object - search->layout->object;
	return has_class(explain, other->header, &class) &&
		read_word(explain, other->header - search->layout->type, &other->type) &&
		read_type(explain, other->type, name);
}

/* Adds the exceptions that were caught earlier, and those nested in the object, each once. */
static void
add_others(
	struct cxx_search *search, struct finding *finding, const struct cxx_exception *exception)
{
	char shown[NAME_SIZE + TEXT_SIZE];
	uint64_t seen[EXCEPTIONS + 1] = { exception->header };

	for (int nested = 0; nested < 2; nested++) {
		struct cxx_exception other = *exception;

		for (size_t i = 1, same = 0; i <= EXCEPTIONS && same + 1 >= i &&
			(nested ? read_nested(search, &other) : other.next != 0 &&
			read_exception(search->explain, search->layout, other.next, &other)); i++) {
			seen[i] = other.header;
			for (same = 0; seen[same] != other.header;)
				same++;
			describe(search->explain, &other, shown);
			finding_evidence(search->explain, finding, same < i
				? "the chain returns to an exception listed before: %s" : nested
				? "it carries a nested exception: %s"
				: "another one was being handled before: %s", shown);
		}
	}
}

/* Adds the text of a std::runtime_error or std::logic_error that is a member of the object. */
static void
add_member_text(struct explain *explain, struct finding *finding, uint64_t object)
{
	const unsigned word = explain->arch->word_size;
	char text[NAME_SIZE], shown[TEXT_SIZE];
	uint64_t at;

	for (uint64_t i = 1; i < MEMBERS && !explain->crash->redacted; i++) {
		const uint64_t member = object + i * word;

		if ((!has_table(explain, member, "_ZTVSt13runtime_error") &&
		     !has_table(explain, member, "_ZTVSt11logic_error")) ||
		    !read_word(explain, member + word, &at) ||
		    !analysis_string(explain, at, text, sizeof(text)))
			continue;
		analysis_show(explain, text, shown, sizeof(shown));
		finding_evidence(explain, finding, "its member at offset %" PRIu64
				 " is an exception with the text \"%s\"", i * word, shown);
		return;
	}
}

void
cxx_exception_explain(struct explain *explain)
{
	struct cxx_search search = { .explain = explain };
	char shown[NAME_SIZE + TEXT_SIZE];
	const struct crash_exception *raised = &explain->crash->exception;
	const bool windows = explain->crash->system.os == CRASH_OS_WINDOWS;

	for (size_t i = 0; explain->arch != NULL && i < ARRAY_COUNT(layouts); i++)
		if (layouts[i].word == explain->arch->word_size &&
			(layouts[i].word == 8 || arch_pushes_return(explain->arch)))
			search.layout = windows ? &windows_layout : &layouts[i];
	if (search.layout == NULL || explain->walk == NULL || explain->walk->count == 0 ||
	    (windows && (raised->code != GCC_THROW || raised->parameter_count == 0 ||
			 explain->arch->word_size != 8)))
		return;
	const struct cxx_exception *exception = !windows
		? find_exception(&search)
		: read_exception(explain, search.layout, raised->parameters[0], &search.found[0])
			? &search.found[0] : NULL;
	if (exception == NULL)
		return;
	const uint64_t text = describe(explain, exception, shown);
	const bool thrown = windows || explain->uncaught;
	struct finding *finding = finding_add(explain,
		thrown ? FINDING_CXX_EXCEPTION : FINDING_HANDLED_EXCEPTION,
		thrown || explain->crash->thread_count <= 1 ? 95 : 70, "a C++ exception was %s: %s",
		thrown ? "thrown" : "being handled", shown);
	if (windows)
		analysis_thrower(explain, finding);
	add_others(&search, finding, exception);
	if (text != 0)
		finding_evidence(explain, finding, "the text is at 0x%" PRIx64, text);
	else
		add_member_text(explain, finding, exception->object);
	finding_evidence(explain, finding,
		"the object is at 0x%" PRIx64 ", its type information at 0x%" PRIx64,
		exception->object, exception->type);
	if (exception->word != 0)
		finding_evidence(explain, finding,
			"the word at 0x%" PRIx64 " on the stack points to it", exception->word);
}
