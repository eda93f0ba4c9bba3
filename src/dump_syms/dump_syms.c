/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "dump_syms/dump_syms_internal.h"
#include "dump_syms/identity.h"
#include "dump_syms/pdb_functions.h"
#include "locate/layout.h"

/* More threads do not help: memory limits the speed of reading units. */
#define MOST_THREADS 64u

static unsigned
thread_count(const struct dump_syms_options *options)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = options->threads > 0 ? options->threads
						: processors > 0 ? (unsigned)processors : 1;

	return threads < MOST_THREADS ? threads : MOST_THREADS;
}

/* The fields of MODULE and INFO CODE_ID; false when out of memory. */
static bool
identify(struct dump_syms *dump, const struct binary *image, const struct binary *pdb)
{
	const struct dump_syms_options *options = &dump->parts->options;
	const char *names = dump->parts->arch->symbol_names;
	struct module_identity identity;

	module_identity_read(&identity, image, image->plain_name);
	if (pdb != NULL)
		identity.name = place_base_name(pdb->plain_name);
	dump->os = options->os != NULL ? options->os
				       : image->format == BINARY_ELF ? "Linux" : "windows";
	dump->arch = names != NULL ? arena_copy(&dump->arena, names, strcspn(names, " "))
				   : "unknown";
	dump->id = options->id != NULL ? options->id
				       : arena_copy(&dump->arena, identity.id, strlen(identity.id));
	dump->name = options->name != NULL ? options->name : identity.name;
	dump->code_id = *identity.code_id == '\0' || image->format == BINARY_ELF
				? arena_copy(&dump->arena, identity.code_id,
					     strlen(identity.code_id))
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

/* Read all parts, the frame tables at the same time as the rest; false when out of memory. */
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
	bool good = parts->options.no_publics || dump_syms_read_publics(parts);
	if (beside)
		pthread_join(frames, NULL);
	dump->sframe_bytes = parts->sframe_bytes;
	good = good && (!dump->has_dwarf || parts->reader_count > 0) && !parts->frames.failed;
	for (size_t i = 0; i < parts->reader_count; i++) {
		const struct unit_reader *reader = &parts->readers[i];

		good = good && !reader->out_of_memory;
		if (reader->damaged > 0 && (dump->damaged == 0 || reader->damage < dump->damage))
			dump->damage = reader->damage;
		dump->damaged += reader->damaged;
	}
	return good;
}

/* read_parts() for a PDB and its image. */
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

/* Most bytes of long names in a symbol file of these files; NULL: no file. */
static uint64_t
most_names(const struct binary *image, const struct binary *debug)
{
	const uint64_t size = image->file.size +
			      (debug != NULL && debug != image ? debug->file.size : 0);

	return LIMIT_SYMBOL_NAMES + LIMIT_SYMBOL_NAMES_RATIO * size;
}

enum error_code
dump_syms_read(struct dump_syms *dump, struct binaries *binaries, size_t module,
	       const struct arch *arch, const struct dump_syms_options *options,
	       struct error *error)
{
	const struct binary *image = binaries_load(binaries, module, LOCATE_IMAGE);

	/* A debug file by itself has everything but unwind rules. */
	if (image == NULL)
		image = binaries_load(binaries, module, LOCATE_DEBUG);
	const struct binary *debug = binaries_load(binaries, module, LOCATE_DEBUG);
	const struct binary *pdb = debug != NULL && debug->pdb != NULL ? debug : NULL;
	*dump = (struct dump_syms){ 0 };
	if (image == NULL)
		return error_set(error, ERROR_FORMAT, (struct place){ 0 },
				 "the file of the module cannot be read");
	if (!arch_known(arch))
		return error_set(error, ERROR_FORMAT, (struct place){ .input = &image->file.input },
				 "unsupported processor");
	dump->parts = calloc(1, sizeof(*dump->parts));
	if (dump->parts == NULL)
		return error_memory(error);
	*dump->parts = (struct dump_syms_parts){
		.binaries = binaries, .module = module, .arch = arch, .options = *options,
		.linked_base = pdb != NULL ? 0 : image->linked_base,
		.names_written.most = most_names(image, debug) };
	code_ranges_read(&dump->parts->code, image, &dump->arena);
	if (!identify(dump, image, pdb) ||
	    !(pdb != NULL ? read_pdb_parts(dump, pdb->pdb) : read_parts(dump))) {
		dump_syms_free(dump);
		return error_memory(error);
	}
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
free_maps(struct name_map *maps, size_t count)
{
	for (size_t i = 0; maps != NULL && i < count; i++)
		free(maps[i].numbers);
	free(maps);
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
	free_maps(parts->file_numbers, parts->reader_count);
	free_maps(parts->origin_numbers, parts->reader_count);
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
