/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "base/policy_rows.h"
#include "debug_info/debug_info.h"
#include "inspect/variable/variable_places.h"
#include "walk/symbol_at.h"

/*
 * Explains a virtual call through an object whose pointer to its virtual table was overwritten
 * (Itanium C++ ABI, 2.5). The pointer leads to no table, but differs only in its lowest byte from a
 * pointer to a table. A text whose terminator is written one byte too far has this effect.
 */

/* The prefix of tables' linker names. A pointer to a table leads past its first two words. */
static const char table_prefix[] = "_ZTV";
#define HEAD_WORDS 2u
/* Frames whose variables are searched for the object. */
#define NAMING_FRAMES 8u
#define SLOTS 64u		/* number of a table's functions that are compared */
#define SHOWN 3u		/* maximum number of candidates that are named */
#define TEXT_BYTES 64u		/* bytes before the object that are searched for a text */
#define TEXT_LEAST 4u		/* minimum bytes of a text */

/* The tables of a module whose pointers differ from `pointer` only in the lowest byte. */
struct tables {
	uint64_t base, pointer;
	unsigned word;
	bool exact;		/* the pointer leads to a table */
	char names[SHOWN][128];
	size_t count;
};

static void
take_table(void *context, const char *name, uint64_t relative)
{
	struct tables *tables = context;
	const uint64_t pointer = tables->base + relative + HEAD_WORDS * (uint64_t)tables->word;

	if (strncmp(name, table_prefix, sizeof(table_prefix) - 1) != 0)
		return;
	tables->exact |= pointer == tables->pointer;
	if (pointer >> 8 != tables->pointer >> 8)
		return;
	for (size_t i = 0; i < tables->count && i < SHOWN; i++)
		if (strcmp(tables->names[i], name) == 0)
			return;
	if (tables->count < SHOWN && strlen(name) < sizeof(tables->names[0]))
		strcpy(tables->names[tables->count], name);
	tables->count++;
}

/* The name of the data at an address, and the distance from its beginning; empty: none. */
static struct text
data_at(const struct explain *explain, uint64_t address, uint64_t *distance)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const int module = module_map_find(&explain->modules, address);
	struct symbol symbol;

	if (module == MODULE_NONE)
		return text_of("");
	const uint64_t base = explain->crash->modules[module].base;
	const struct symbol_sources sources = { .binaries = explain->binaries,
						.module = (size_t)module, .base = base,
						.policy = &policy };
	if (!symbol_at_data(&sources, address, &symbol))
		return text_of("");
	*distance = address - base - symbol.function.address;
	return symbol.function.name;
}

/*
 * Whether a pointer may be right. It may lead to the beginning of other data, such as a table of
 * functions in C. It may lead into a table whose head has type information or 0.
 */
static bool
may_be_right(const struct explain *explain, uint64_t pointer, unsigned word)
{
	uint64_t distance = 0, information, unused;
	struct text name = data_at(explain, pointer, &distance);

	if (!text_drop_prefix(&name, table_prefix))
		return name.length > 0 && distance == 0;
	if (distance < HEAD_WORDS * (uint64_t)word ||
	    !memory_read(&explain->memory, pointer - word, word, &information, NULL))
		return false;
	name = data_at(explain, information, &unused);
	return information == 0 || text_drop_prefix(&name, "_ZTI");
}

/* Whether a call's target was read from the table at a pointer. */
static bool
is_read_from(const struct explain *explain, const struct instruction *call, uint64_t pointer,
	     uint64_t target)
{
	const unsigned word = explain->arch->word_size;
	uint64_t slot;

	if (call->target_access != INSTRUCTION_NO_ACCESS) {
		const int base = call->accesses[call->target_access].base;

		return base != ARCH_NO_REGISTER && registers_known(explain->registers, base) &&
		       explain->registers->value[base] == pointer;
	}
	for (uint64_t i = 0; call->target_register != ARCH_NO_REGISTER && i < SLOTS; i++)
		if (memory_read(&explain->memory, pointer + i * word, word, &slot, NULL) &&
		    slot == target)
			return true;
	return false;
}

static void
add_candidates(struct explain *explain, struct finding *finding, const struct tables *tables)
{
	struct arena *arena = &explain->out->arena;
	const char *list = "";

	for (size_t i = 0; i < tables->count && i < SHOWN; i++) {
		struct text name = demangle(text_of(tables->names[i]), arena);

		text_drop_prefix(&name, "vtable for ");
		list = text_or_empty(arena_format(arena, "%s%s%.*s", list, i > 0 ? " or " : "",
						  TEXT_UPTO(name, 200)));
	}
	finding_evidence(explain, finding, "only its lowest byte differs from the pointers of %s%s",
			 list, tables->count > SHOWN ? " or others" : "");
}

/* Adds the text that ends directly before the object. */
static void
add_text(struct explain *explain, struct finding *finding, uint64_t object)
{
	uint8_t bytes[TEXT_BYTES + 1];
	size_t start = TEXT_BYTES;

	if (explain->crash->redacted ||
	    memory_copy(&explain->memory, object - TEXT_BYTES, bytes, TEXT_BYTES, NULL) <
		    TEXT_BYTES)
		return;
	bytes[TEXT_BYTES] = '\0';
	while (start > 0 && bytes[start - 1] >= ' ' && bytes[start - 1] < 0x7f)
		start--;
	if (TEXT_BYTES - start >= TEXT_LEAST)
		finding_evidence(explain, finding, "the text \"%s\" ends directly before it",
				 (const char *)bytes + start);
}

void
analysis_name_object(struct explain *explain, struct finding *finding, uint64_t object)
{
	struct walk *walk = explain->walk;
	struct arena arena = { 0 };
	const char *name = NULL, *type;

	for (size_t i = 0; walk != NULL && walk->horizon.blind == BLIND_OFF && i < walk->count &&
			   i < NAMING_FRAMES && name == NULL; i++) {
		name = variable_leading_to(walk, &explain->memory, i, object, 1, &arena, &type);
		if (name != NULL)
			finding_evidence(explain, finding, "%s of frame %zu lies there", name, i);
	}
	arena_free(&arena);
}

void
virtual_table_explain(struct explain *explain, const struct instruction *call)
{
	const struct arch_arguments *arguments = crash_arguments(explain->crash, explain->arch);
	const struct registers *registers = explain->registers;
	const unsigned word = explain->arch->word_size;
	uint64_t pointer;

	if (arguments == NULL || explain->binaries == NULL ||
	    explain->crash->system.os == CRASH_OS_WINDOWS)
		return;
	const int this = arguments->registers[0];
	const uint64_t object = registers->value[this];
	if (!registers_known(registers, this) ||
	    !memory_read(&explain->memory, object, word, &pointer, NULL) ||
	    !is_read_from(explain, call, pointer, registers->value[explain->arch->pc]))
		return;
	const int module = module_map_find(&explain->modules, pointer);
	if (module == MODULE_NONE || may_be_right(explain, pointer, word))
		return;
	struct tables tables = { .base = explain->crash->modules[module].base,
				 .pointer = pointer, .word = word };
	debug_info_functions(explain->binaries, (size_t)module, DEBUG_NAMES_DATA, take_table,
			     &tables);
	if (tables.count == 0 || tables.exact)
		return;
	struct finding *finding = finding_add(explain, FINDING_VIRTUAL_TABLE, 80,
					      "the pointer to the virtual table of the object at "
					      "0x%" PRIx64 " was overwritten", object);
	finding_evidence(explain, finding, "'%s' at 0x%" PRIx64 " in %s calls a function of the "
			 "object in %s", call->text, call->address,
			 analysis_function(explain, call->address, true),
			 analysis_register(explain, this));
	finding_evidence(explain, finding, "its first word, 0x%" PRIx64 ", leads into %s, where no "
			 "virtual table begins", pointer,
			 place_base_name(explain->crash->modules[module].code_file));
	add_candidates(explain, finding, &tables);
	add_text(explain, finding, object);
	analysis_name_object(explain, finding, object);
}
