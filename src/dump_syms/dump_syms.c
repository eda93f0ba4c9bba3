/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/place.h"
#include "base/reader.h"
#include "base/sorted.h"
#include "binary/binary.h"
#include "dump_syms/dump_syms_internal.h"
#include "locate/layout.h"
#include "system/crew.h"

/* Linker symbols: of the module's file, then of its debug file, then of .gnu_debugdata. */

SORTED_BY_ALL(compare_publics, struct found_public, SORTED_UP(address) SORTED_UP(order))

static bool
add_table(struct dump_syms_parts *parts, const struct binary *binary, struct file_symbols *symbols,
	  size_t number)
{
	file_symbols_read(symbols, binary);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct file_symbol *symbol = &symbols->items[i];

		if (code_ranges_at(&parts->code, symbol->address) == NULL)
			continue;
		if (!GROWN_ADD(parts->publics,
			       &(struct found_public){
				       .address = symbol->address - parts->linked_base,
				       .order = (uint64_t)number << 56 | symbol->offset,
				       .name = symbol->name }))
			return false;
	}
	return true;
}

/* Name functions like walk and lookup do if DWARF has no mangled name, as for coroutines. */
static void
prefer_mangled_names(struct dump_syms_parts *parts)
{
	for (size_t i = 0; i < parts->functions.count; i++) {
		struct found_function *function = &parts->functions.items[i];
		const struct text_table *names = &parts->readers[function->reader].found.names;

		if (!names->items[function->name].written)
			continue;
		for (size_t t = 0; t < SYMBOL_TABLES && function->mangled.length == 0; t++)
			function->mangled =
				file_symbols_mangled_at(&parts->tables[t], function->low);
	}
}

static bool
dump_syms_read_publics(struct dump_syms_parts *parts)
{
	static const enum locate_kind kinds[SYMBOL_TABLES] = { LOCATE_IMAGE, LOCATE_DEBUG,
							       LOCATE_MINI };
	struct found_publics *publics = &parts->publics;
	const struct binary *before = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < SYMBOL_TABLES; i++) {
		const struct binary *binary =
			binaries_load(parts->binaries, parts->module, kinds[i]);

		if (binary == NULL || binary == before)
			continue;
		before = binary;
		if (!add_table(parts, binary, &parts->tables[i], i))
			return false;
	}
	prefer_mangled_names(parts);
	SORT(publics->items, publics->count, compare_publics);
	/* Use only the first name at each address, and no name where a function begins. */
	for (size_t i = 0, function = 0; i < publics->count; i++) {
		const uint64_t address = publics->items[i].address;

		while (function < parts->functions.count &&
		       parts->functions.items[function].low - parts->linked_base < address)
			function++;
		if ((kept > 0 && publics->items[kept - 1].address == address) ||
		    (function < parts->functions.count &&
		     parts->functions.items[function].low - parts->linked_base == address))
			continue;
		publics->items[kept++] = publics->items[i];
	}
	publics->count = parts->options.no_publics ? 0 : kept;
	return true;
}

/* .dynamic (gABI, Dynamic Section). */
#define SECTION_DYNAMIC 6u
#define TAG_SONAME 14u

/* The identifier that Breakpad's file_id.cc computes for a file without code. */
#define NO_CODE_ID "00000000000000000000000000000000"

/* DT_SONAME; NULL: it is missing or cannot be a file's name. */
static const char *
soname_of(const struct binary *binary)
{
	const struct binary_section *dynamic = binary_section(binary, SECTION_DYNAMIC, NULL);
	const struct binary_section *strings = binary_section(binary, 0, ".dynstr");
	const unsigned word = binary->word_size;
	uint64_t tag, value;

	if (dynamic == NULL || dynamic->data == NULL || strings == NULL || strings->data == NULL)
		return NULL;
	const struct reader reader = { .data = dynamic->data, .size = dynamic->size,
				       .big_endian = binary->big_endian };
	for (uint64_t at = 0; reader_unsigned(&reader, at, word, &tag) && tag != 0;
	     at += 2 * word) {
		if (tag != TAG_SONAME || !reader_unsigned(&reader, at + word, word, &value) ||
		    value >= strings->size)
			continue;
		const char *name = (const char *)strings->data + value;
		const char *end = memchr(name, '\0', (size_t)(strings->size - value));
		return end != NULL && end != name && strchr(name, '/') == NULL ? name : NULL;
	}
	return NULL;
}

void
module_identity_read(struct module_identity *identity, const struct binary *binary,
		     const char *path)
{
	const bool elf = binary->format == BINARY_ELF, mach = binary->format == BINARY_MACH;
	const char *name = elf ? soname_of(binary) : NULL;
	char guid[BINARY_DEBUG_ID];
	/* If an ELF file has no build ID, binary->id is computed from its code; "": no code. */
	const char *id = elf && *binary->id == '\0' ? NO_CODE_ID : binary->id;

	/* Dumps use the name of the PDB if a PE file has the PDB's identifier. */
	const char *pdb = place_base_name(binary->debug_file);
	if (binary->format == BINARY_PE && *binary->debug_id != '\0' && layout_safe_name(pdb) &&
	    text_printable_length(text_of(pdb)) == strlen(pdb))
		name = pdb;
	*identity = (struct module_identity){ .name = name != NULL ? name : place_base_name(path) };
	/* Symbol files of PDBs and Mach-O files have no code ID. */
	if (binary->format == BINARY_PDB || mach)
		id = "";
	for (size_t i = 0; id[i] != '\0' && i + 1 < sizeof(identity->code_id); i++)
		identity->code_id[i] = (char)toupper((unsigned char)id[i]);
	if (!elf) {
		/* The form of symbol servers for binaries: only the time stamp is in upper case. */
		snprintf(identity->code_id, sizeof(identity->code_id), "%s", id);
		if (*binary->debug_id != '\0') {
			snprintf(identity->id, sizeof(identity->id), "%s", binary->debug_id);
			return;
		}
		id = "";
	}
	binary_guid(id, guid);
	for (size_t i = 0; guid[i] != '\0'; i++)
		identity->id[i] = (char)toupper((unsigned char)guid[i]);
	memcpy(identity->id + strlen(guid), "0", 2);
}

/* More threads do not help: memory limits the speed of reading units. */
#define MOST_THREADS 64u

static unsigned
thread_count(const struct dump_syms_options *options)
{
	if (options->threads == 0)
		return crew_size(MOST_THREADS);
	return options->threads < MOST_THREADS ? options->threads : MOST_THREADS;
}

/* The fields of MODULE and INFO CODE_ID; false when out of memory. */
static bool
identify(struct dump_syms *dump, const struct binary *image, const struct binary *pdb)
{
	const struct dump_syms_options *options = &dump->parts->options;
	const char *names = dump->parts->arch->symbol_names;
	static const char *const systems[] = { [BINARY_ELF] = "Linux", [BINARY_MACH] = "mac",
					       [BINARY_PE] = "windows", [BINARY_PDB] = "windows" };
	struct module_identity identity;

	module_identity_read(&identity, image, image->plain_name);
	if (pdb != NULL)
		identity.name = place_base_name(pdb->plain_name);
	if ((image->format == BINARY_ELF || image->format == BINARY_MACH) && !image->debug_only)
		dump->file_name = place_base_name(image->plain_name);
	dump->os = options->os != NULL ? options->os : systems[image->format];
	dump->arch = image->arm64e   ? "arm64e"
		     : names != NULL ? arena_copy(&dump->arena, names, strcspn(names, " "))
				     : "unknown";
	dump->id = options->id != NULL ? options->id : arena_string(&dump->arena, identity.id);
	dump->name = options->name != NULL ? options->name : identity.name;
	dump->code_id = *identity.code_id == '\0' || image->format == BINARY_ELF
				? arena_string(&dump->arena, identity.code_id)
				: arena_format(&dump->arena, "%s %s", identity.code_id,
					       place_base_name(image->file.input.name));
	return dump->arch != NULL && dump->id != NULL && dump->code_id != NULL;
}

static void *
read_frames(void *context)
{
	dump_syms_read_frames(context);
	return NULL;
}

/* Open the DWARF of the debug file and of its supplement made by dwz. */
static void
open_dwarf(struct dump_syms *dump)
{
	struct dump_syms_parts *parts = dump->parts;
	const struct binary *debug = binaries_load(parts->binaries, parts->module, LOCATE_DEBUG);
	const struct binary *supplement =
		binaries_load(parts->binaries, parts->module, LOCATE_SUPPLEMENT);
	struct elf_damage damage = { 0 };

	dump->has_dwarf = debug != NULL && dwarf_file_open(&parts->file, debug, &damage);
	if (dump->has_dwarf && supplement != NULL &&
	    dwarf_file_open(&parts->supplement, supplement, &damage))
		parts->file.supplement = &parts->supplement;
	binaries_report_damage(parts->binaries, &damage);
	parts->split = (struct split_files){ .binaries = parts->binaries, .module = parts->module,
					     .from = debug };
}

/* Read all parts; a second thread reads the frame tables. False when out of memory. */
static bool
read_parts(struct dump_syms *dump)
{
	struct dump_syms_parts *parts = dump->parts;
	const unsigned threads = thread_count(&parts->options);
	pthread_t frames;
	const bool beside = threads > 1 && !parts->options.no_frames &&
			    pthread_create(&frames, NULL, read_frames, parts) == 0;

	if (!beside && !parts->options.no_frames)
		dump_syms_read_frames(parts);
	if (!parts->options.no_functions)
		open_dwarf(dump);
	if (dump->has_dwarf)
		dump_syms_read_units(parts, threads);
	bool good = dump_syms_read_publics(parts), limited = false;
	if (beside)
		pthread_join(frames, NULL);
	good = good && (!dump->has_dwarf || parts->reader_count > 0) && !parts->frames.failed;
	for (size_t i = 0; i < parts->reader_count; i++) {
		const struct unit_reader *reader = &parts->readers[i];

		good = good && !reader->out_of_memory;
		if (reader->damaged > 0 && (dump->damaged == 0 || reader->damage < dump->damage))
			dump->damage = reader->damage;
		dump->damaged += reader->damaged;
		limited |= reader->limited;
	}
	if (limited)
		binaries_report_limit(parts->binaries, parts->file.binary, "the debug information",
				      "functions");
	return good;
}

static bool
read_pdb_parts(struct dump_syms *dump, const struct pdb *pdb)
{
	struct dump_syms_parts *parts = dump->parts;

	dump->pdb = pdb;
	if (!parts->options.no_frames)
		dump_syms_read_frames(parts);
	const bool good = dump_syms_read_pdb(parts, pdb);
	dump->damaged = parts->damaged;
	dump->damage = parts->damage.offset;
	return good && !parts->frames.failed;
}

enum error_code
dump_syms_read(struct dump_syms *dump, struct binaries *binaries, size_t module,
	       const struct arch *arch, const struct dump_syms_options *options,
	       struct error *error)
{
	const struct binary *image = binaries_load(binaries, module, LOCATE_IMAGE);

	/* Without the image, use the debug file, which has everything except unwind rules. */
	if (image == NULL)
		image = binaries_load(binaries, module, LOCATE_DEBUG);
	const struct binary *debug = binaries_load(binaries, module, LOCATE_DEBUG);
	const struct binary *pdb = debug != NULL && debug->pdb != NULL ? debug : NULL;
	*dump = (struct dump_syms){ 0 };
	if (image == NULL)
		return error_plain(error, ERROR_FORMAT, "the file of the module cannot be read");
	if (!arch_known(arch))
		return error_set(error, ERROR_FORMAT, (struct place){ .input = &image->file.input },
				 "unsupported processor");
	dump->parts = calloc(1, sizeof(*dump->parts));
	if (dump->parts == NULL)
		return error_memory(error);
	const uint64_t size = image->file.size +
			      (debug != NULL && debug != image ? debug->file.size : 0);
	*dump->parts = (struct dump_syms_parts){
		.binaries = binaries, .module = module, .arch = arch, .options = *options,
		.linked_base = pdb != NULL ? 0 : image->linked_base,
		.names_written.most = LIMIT_SYMBOL_NAMES + LIMIT_SYMBOL_NAMES_RATIO * size };
	code_ranges_read(&dump->parts->code, image, &dump->arena);
	if (!identify(dump, image, pdb) ||
	    !(pdb != NULL ? read_pdb_parts(dump, pdb->pdb) : read_parts(dump))) {
		dump_syms_free(dump);
		return error_memory(error);
	}
	dump->debug_only = image->debug_only;
	dump->frames = dump->parts->frame_count;
	dump->sframe_bytes = dump->parts->sframe_bytes;
	dump->lost_bytes = dump->parts->lost_bytes;
	return ERROR_NONE;
}

char *
dump_syms_path(const struct dump_syms *dump, const char *directory)
{
	const struct locate_subject subject = { .build_id = "", .name = dump->name, .id = dump->id,
						.code_name = "", .code_id = "" };

	return layout_path(&subject, directory, LAYOUT_SYMBOLS);
}

static void
found_symbols_free(struct found_symbols *found)
{
	free(found->functions.items);
	free(found->lines.items);
	free(found->calls.items);
	free(found->ranges.items);
	text_table_free(&found->names);
	text_table_free(&found->files);
}

void
dump_syms_free(struct dump_syms *dump)
{
	struct dump_syms_parts *parts = dump->parts;

	arena_free(&dump->arena);
	if (parts == NULL)
		return;
	for (size_t i = 0; i < parts->reader_count; i++)
		found_symbols_free(&parts->readers[i].found);
	for (size_t i = 0; i < SYMBOL_TABLES; i++)
		file_symbols_free(&parts->tables[i]);
	dump_syms_free_numbers(parts);
	dwarf_file_close(&parts->file);
	dwarf_file_close(&parts->supplement);
	split_files_free(&parts->split);
	free(parts->readers);
	free(parts->functions.items);
	free(parts->publics.items);
	free(parts->frames.items);
	arena_free(&parts->names);
	free(parts);
	dump->parts = NULL;
}
