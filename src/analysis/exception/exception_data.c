/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/demangle_msvc.h"
#include "dump/reason/reason.h"
#include "pdb/pdb.h"

/*
 * The data of Windows exceptions: the type of a C++ exception, the name of a library loaded on
 * demand, the new name of a thread. Each byte may be wrong. A fact is only reported if all data
 * that lead to it exist. They must also have the form that the compiler's runtime writes.
 */

#define CXX_EXCEPTION 0xe06d7363u
#define MODULE_NOT_FOUND 0xc06d007eu
#define FUNCTION_NOT_FOUND 0xc06d007fu
#define THREAD_NAMING 0x406d1388u

/* Maximum number of types of one exception, including bases; maximum number of bases shown. */
#define TYPES_MOST 32u
#define TYPES_SHOWN 8u
#define NAME_SIZE 2048u
/* Bytes of a message shown. */
#define MESSAGE_SHOWN 160u

/* Reading -------------------------------------------------------------------------------------- */

static bool
read_text(const struct explain *explain, uint64_t address, char text[NAME_SIZE])
{
	return analysis_string(explain, address, text, NAME_SIZE) && strlen(text) < NAME_SIZE - 1;
}

static bool
read_name(const struct explain *explain, uint64_t address, char text[NAME_SIZE])
{
	return address != 0 && read_text(explain, address, text) && analysis_is_plain(text);
}

/* C++ ------------------------------------------------------------------------------------------ */

/*
 * The arguments of throw (ehdata.h of Visual C++). On 64-bit processors and ARM, references are
 * relative to the image base; on x86 they are addresses.
 *
 *	parameters	magic number, object, throw info, image base
 *	throw info	attributes, destructor, 0, array of catchable types	4 bytes each
 *	the array	count, catchable types					4 bytes each
 *	catchable type	properties, descriptor, offsets in the object (3), size, copy constructor
 *	descriptor	two pointers, the decorated name after a '.'
 */
#define MAGIC_FIRST 0x19930520u
#define MAGIC_LAST 0x19930522u

struct thrown {
	struct explain *explain;
	bool based;			/* references are relative to the image base */
	uint64_t base, object, info;
	struct text types[TYPES_MOST];	/* thrown type first, then its bases */
	size_t type_count, claimed;
	uint64_t missing;		/* first address that could not be read; 0: none */
	bool by_name;			/* the types come only from the PDB's public symbol */
	bool has_message;		/* std::exception is among the types */
	uint64_t message;		/* address of the pointer to its text */
};

/* Reads the reference at an address. False: unreadable; `missing` is set to that address. */
static bool
follow(struct thrown *thrown, uint64_t address, uint64_t *to)
{
	uint64_t reference;

	if (!analysis_number(thrown->explain, address, 4, &reference)) {
		thrown->missing = address;
		return false;
	}
	*to = thrown->based ? thrown->base + reference : reference;
	return true;
}

/* Adds the type of a decorated name, demangled and without its '.'; false: invalid. */
static bool
add_type(struct thrown *thrown, const char *decorated)
{
	struct arena *arena = &thrown->explain->out->arena;
	struct text *type = &thrown->types[thrown->type_count];

	if (!msvc_demangle_type(text_of(decorated), MSVC_BREAKPAD, arena, type))
		return false;
	thrown->type_count++;
	return true;
}

/* Reads one catchable type; false if it cannot be read or is invalid. */
static bool
read_type(struct thrown *thrown, uint64_t type, unsigned word)
{
	uint64_t descriptor, offset, indirect;
	char name[NAME_SIZE];

	if (!follow(thrown, type + 4, &descriptor))
		return false;
	const uint64_t at = descriptor + 2 * (uint64_t)word;
	if (!read_text(thrown->explain, at, name)) {
		thrown->missing = at;
		return false;
	}
	if (name[0] != '.' || !analysis_is_plain(name) || !add_type(thrown, name + 1))
		return false;
	/* Without a virtual base, the object's part has a fixed offset. */
	if (strcmp(name, ".?AVexception@std@@") == 0 &&
	    analysis_number(thrown->explain, type + 8, 4, &offset) &&
	    analysis_number(thrown->explain, type + 12, 4, &indirect) && indirect == UINT32_MAX) {
		thrown->has_message = true;
		thrown->message = thrown->object + (uint64_t)(int64_t)(int32_t)offset + word;
	}
	return true;
}

static void
read_types(struct thrown *thrown, unsigned word)
{
	uint64_t array, count, type;

	if (!follow(thrown, thrown->info + 12, &array))
		return;
	if (!analysis_number(thrown->explain, array, 4, &count)) {
		thrown->missing = array;
		return;
	}
	thrown->claimed = (size_t)count;
	for (uint64_t i = 0; i < count && i < TYPES_MOST; i++)
		if (!follow(thrown, array + 4 + 4 * i, &type) || !read_type(thrown, type, word))
			return;
}

static void
skip_all(struct text *text, const char *letters)
{
	while (text->length > 0 && strchr(letters, text->start[0]) != NULL)
		*text = (struct text){ text->start + 1, text->length - 1 };
}

/*
 * Finds the type by the throw info's public symbol in the PDB: `_TI`, letters for const, volatile
 * and unaligned, the number of catchable types, and the type. On x86, one more '_' comes first.
 */
static void
name_type(struct thrown *thrown)
{
	struct explain *explain = thrown->explain;
	uint64_t rva = 0;
	const struct binary *file = analysis_file(explain, thrown->info, LOCATE_DEBUG, &rva);
	struct pdb_public public;

	if (file == NULL || file->pdb == NULL || rva > UINT32_MAX)
		return;
	for (size_t i = pdb_public_above(file->pdb, (uint32_t)rva); i-- > 0;) {
		if (!pdb_public_read(file->pdb, i, &explain->out->arena, &public) ||
		    public.address != rva)
			return;
		struct text name = public.name;
		if (!text_drop_prefix(&name, "__TI") && !text_drop_prefix(&name, "_TI"))
			continue;
		skip_all(&name, "CVU");
		skip_all(&name, "0123456789");
		const char *decorated = text_copy(&explain->out->arena, name);
		thrown->by_name = decorated != NULL && analysis_is_plain(decorated) &&
				  add_type(thrown, decorated);
		return;
	}
}

/* Adds the text of std::exception; a pointer to it follows the virtual function pointer. */
static void
tell_message(const struct thrown *thrown, struct finding *finding, unsigned word)
{
	struct explain *explain = thrown->explain;
	char text[NAME_SIZE], shown[MESSAGE_SHOWN];
	uint64_t at;

	if (!thrown->has_message)
		return;
	if (explain->crash->redacted) {
		finding_evidence(explain, finding, "its what() is left out: " CRASH_REDACTED);
	} else if (!memory_read(&explain->memory, thrown->message, word, &at, NULL)) {
		finding_evidence(explain, finding, "the object at 0x%" PRIx64 " is not in the dump",
				 thrown->object);
	} else if (at == 0) {
		finding_evidence(explain, finding, "it has no text for what()");
	} else if (!analysis_string(explain, at, text, sizeof(text))) {
		finding_evidence(explain, finding, "its what(), at 0x%" PRIx64
				 ", is not in the dump", at);
	} else {
		analysis_show(explain, text, shown, sizeof(shown));
		finding_evidence(explain, finding,
				 "its what() is \"%s\", if the object is laid out "
				 "as Visual C++ does",
				 shown);
	}
}

static void
tell_types(const struct thrown *thrown, struct finding *finding)
{
	char list[300];
	size_t used = 0;

	for (size_t i = 1; i < thrown->type_count && i <= TYPES_SHOWN && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.*s",
					 i > 1 ? ", " : "", (int)thrown->types[i].length,
					 thrown->types[i].start);
	if (used > 0)
		finding_evidence(thrown->explain, finding, "it is also caught as %s%s", list,
				 thrown->claimed > TYPES_SHOWN + 1 ? " and more" : "");
}

/*
 * Finds the frame that threw: the first one outside the libraries that raise exceptions. Guessed
 * frames may not exist.
 */
void
analysis_thrower(struct explain *explain, struct finding *finding)
{
	static const char *const raisers[] = { "kernelbase.", "kernel32.", "ntdll.", "msvcr",
					       "msvcp", "vcruntime", "ucrtbase" };
	static const char *const throwers[] = { "_CxxThrowException", "__cxa_", "_Unwind_" };
	const struct walk *walk = explain->walk;

	for (size_t i = 0; walk != NULL && i < walk->count; i++) {
		const int module = walk->frames[i].module;
		size_t raiser = 0;

		if (trust_table[walk->frames[i].trust].certainty == CERTAINTY_GUESSED ||
		    module == MODULE_NONE)
			return;
		const char *file = place_base_name(explain->crash->modules[module].code_file);
		while (raiser < ARRAY_COUNT(raisers) &&
		       strncasecmp(file, raisers[raiser], strlen(raisers[raiser])) != 0)
			raiser++;
		const char *name = analysis_call(explain, i);
		/* The runtime may be linked into the program. */
		if (raiser < ARRAY_COUNT(raisers) ||
		    text_begins(text_of(name), throwers, ARRAY_COUNT(throwers)) > 0)
			continue;
		if (i == 0)
			return;
		explain->out->blamed_frame = i;
		finding_evidence(explain, finding, "frame %zu, %s, threw it", i, name);
		return;
	}
}

/* Adds the readable facts about the thrown object; its types are in `thrown`. */
static void
tell_thrown(struct thrown *thrown, unsigned word)
{
	struct explain *explain = thrown->explain;
	struct finding *finding;

	if (thrown->type_count > 0) {
		explain->out->thrown_type = text_copy(&explain->out->arena, thrown->types[0]);
		explain->out->thrown_object = thrown->object;
		finding = finding_add(explain, FINDING_CXX_EXCEPTION, 95,
				      "a C++ exception of type %.*s was thrown",
				      (int)thrown->types[0].length, thrown->types[0].start);
	} else {
		finding = finding_add(explain, FINDING_CXX_EXCEPTION, 95,
				      "a C++ exception of unknown type was thrown");
	}
	if (thrown->by_name)
		finding_evidence(explain, finding, "the PDB has the name of its throw info at 0x%"
				 PRIx64, thrown->info);
	analysis_thrower(explain, finding);
	tell_types(thrown, finding);
	tell_message(thrown, finding, word);
	if (thrown->missing != 0 && !thrown->by_name)
		finding_evidence(explain, finding,
				 "the type information at 0x%" PRIx64 " is neither "
				 "in the dump nor in a file of its module%s",
				 thrown->missing,
				 thrown->type_count == 0 ? " (--binaries DIR)" : "");
	else if (thrown->type_count == 0)
		finding_evidence(explain, finding,
				 "the data at 0x%" PRIx64 " are not type information",
				 thrown->info);
}

static void
explain_throw(struct explain *explain, const struct crash_exception *exception)
{
	const bool based = exception->parameter_count >= 4;
	struct thrown thrown = { .explain = explain, .based = based,
				 .base = exception->parameters[3],
				 .object = exception->parameters[1],
				 .info = exception->parameters[2] };

	if (exception->parameter_count < 3 || exception->parameters[0] < MAGIC_FIRST ||
	    exception->parameters[0] > MAGIC_LAST)
		return;
	if (thrown.info == 0) {
		finding_add(explain, FINDING_CXX_EXCEPTION, 95,
			    "a C++ exception was thrown again by 'throw;' without being handled");
		return;
	}
	if (!based && explain->arch->word_size == 8)
		return;
	const int module = module_map_find(&explain->modules, thrown.base);
	if (based && (module == MODULE_NONE ||
		      explain->crash->modules[module].base != thrown.base)) {
		struct finding *finding = finding_add(explain, FINDING_CXX_EXCEPTION, 75,
						      "a C++ exception of unknown type was thrown");
		finding_evidence(explain, finding,
				 "no module is loaded at its image base 0x%" PRIx64, thrown.base);
		return;
	}
	read_types(&thrown, explain->arch->word_size);
	if (thrown.type_count == 0)
		name_type(&thrown);
	tell_thrown(&thrown, explain->arch->word_size);
}

/* Libraries loaded on demand ------------------------------------------------------------------- */

/* DelayLoadInfo (delayimp.h): offsets on 32 and 64 bits. */
enum { DELAY_LIBRARY, DELAY_BY_NAME, DELAY_FUNCTION, DELAY_ERROR, DELAY_SIZE, DELAY_FIELDS };
static const uint8_t delay_offsets[DELAY_FIELDS][2] = {
	[DELAY_LIBRARY] = { 12, 24 }, [DELAY_BY_NAME] = { 16, 32 }, [DELAY_FUNCTION] = { 20, 40 },
	[DELAY_ERROR] = { 32, 64 }, [DELAY_SIZE] = { 36, 72 },
};

/* Reads the function to resolve: its name or its ordinal. */
static bool
read_function(const struct explain *explain, uint64_t info, unsigned wide, char text[NAME_SIZE])
{
	uint64_t by_name, function;

	if (!analysis_number(explain, info + delay_offsets[DELAY_BY_NAME][wide], 4, &by_name) ||
	    !analysis_number(explain, info + delay_offsets[DELAY_FUNCTION][wide],
			 explain->arch->word_size, &function))
		return false;
	if (by_name != 0)
		return read_name(explain, function, text);
	snprintf(text, NAME_SIZE, "ordinal %" PRIu32, (uint32_t)function);
	return true;
}

static void
explain_delay_load(struct explain *explain, const struct crash_exception *exception)
{
	const unsigned wide = explain->arch->word_size == 8;
	const uint64_t info = exception->parameters[0];
	char library[NAME_SIZE], function[NAME_SIZE], error[96];
	struct finding *finding;
	uint64_t size, at, number;

	/* The first word of the structure is its size. */
	if (exception->parameter_count < 1 || !analysis_number(explain, info, 4, &size) ||
	    size != delay_offsets[DELAY_SIZE][wide] ||
	    !analysis_number(explain, info + delay_offsets[DELAY_LIBRARY][wide],
			 explain->arch->word_size, &at) || !read_name(explain, at, library))
		return;
	const bool named = read_function(explain, info, wide, function);
	if (exception->code == MODULE_NOT_FOUND)
		finding = finding_add(explain, FINDING_DELAY_LOAD, 95,
				      "the library %.200s could not be loaded when it was needed",
				      library);
	else
		finding = finding_add(explain, FINDING_DELAY_LOAD, 95,
				      "the library %.120s was loaded and has no %.200s", library,
				      named ? function : "function that the program needed");
	if (named)
		finding_evidence(explain, finding, "%.300s was called", function);
	if (analysis_number(explain, info + delay_offsets[DELAY_ERROR][wide], 4, &number) &&
	    reason_windows_number((uint32_t)number, error, sizeof(error)))
		finding_evidence(explain, finding, "the last error is %" PRIu64 " (%s)", number,
				 error);
}

/* Names of threads ----------------------------------------------------------------------------- */

/*
 * THREADNAME_INFO: type 0x1000, name, id (-1: the thread itself), flags; the numbers have 4 bytes
 * each, and on 64 bits the type is alone in its parameter.
 */
static void
explain_naming(struct explain *explain, const struct crash_exception *exception)
{
	char name[NAME_SIZE], shown[MESSAGE_SHOWN];
	const uint32_t id = (uint32_t)exception->parameters[2];

	if (exception->parameter_count < 3 || (uint32_t)exception->parameters[0] != 0x1000 ||
	    !read_text(explain, exception->parameters[1], name))
		return;
	analysis_show(explain, name, shown, sizeof(shown));
	struct finding *finding =
		id == UINT32_MAX
			? finding_add(explain, FINDING_THREAD_NAMING, 95,
				      "the thread named itself \"%s\"", shown)
			: finding_add(explain, FINDING_THREAD_NAMING, 95,
				      "thread 0x%" PRIx32 " was named \"%s\"", id, shown);
	finding_evidence(explain, finding, "debuggers take this exception; a program ignores it");
}

static const struct {
	uint32_t code;
	void (*explain)(struct explain *explain, const struct crash_exception *exception);
} kinds[] = {
	{ CXX_EXCEPTION, explain_throw },
	{ MODULE_NOT_FOUND, explain_delay_load },
	{ FUNCTION_NOT_FOUND, explain_delay_load },
	{ THREAD_NAMING, explain_naming },
};

void
exception_data_explain(struct explain *explain)
{
	const struct crash_exception *exception = &explain->crash->exception;

	if (explain->crash->system.os != CRASH_OS_WINDOWS || !exception->present ||
	    explain->arch == NULL)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i].code == exception->code)
			kinds[i].explain(explain, exception);
}
