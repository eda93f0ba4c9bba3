/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/symbol_fit.h"

#include <string.h>
#include <strings.h>

#include "debug_info/function_starts.h"
#include "symbols/records.h"

/* The result for a module's pair of files. */
struct fit_slot {
	uint64_t symfile;		/* number of the compared symbol file; 0: none yet */
	const struct binary *image;
	const char *misfit;
};

/* Records of a kind in the first sample, and how many of 8 must begin at a function. */
enum { SAMPLE = 256, MOST_OF_8 = 7 };

/* The address of record `index` of a kind; false after the last one, or if it has no address. */
static bool
record_start(const struct symfile *symfile, enum symbol_record_kind kind, size_t index,
	     uint64_t *address)
{
	struct function function;
	struct stack_cfi init;
	uint64_t offset;
	uint32_t length;

	if (kind != SYMBOL_STACK_CFI_INIT) {
		const bool there = symfile_function_at(symfile, kind, index, &function);

		*address = there ? function.address : 0;
		return there;
	}
	if (!symfile_record(symfile, kind, index, &offset, &length))
		return false;
	const struct text line = { (const char *)symfile_file(symfile)->data + offset, length };
	if (!record_stack_cfi(line, false, &init))
		return false;
	*address = init.address;
	return true;
}

/* Whether nearly all sampled records of a kind begin at the binary's functions. */
static bool
fits_sampled(const struct symfile *symfile, enum symbol_record_kind kind,
	     const struct function_starts *own, const struct arch *arch)
{
	const size_t count = symfile_count(symfile, kind);
	const size_t sample = count < SAMPLE ? count : SAMPLE;
	size_t good = 0;

	for (size_t i = 0; i < sample; i++) {
		uint64_t address;

		good += record_start(symfile, kind, (size_t)((uint64_t)i * count / sample),
				     &address) &&
			function_starts_has(own, arch_code(arch, address));
	}
	return sample >= SYMBOL_FIT_FEWEST && good * 8 >= sample * MOST_OF_8;
}

static const char *
compare_starts(const struct symfile *symfile, const struct binary *image, struct arena *scratch,
	       struct arena *arena)
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_STACK_CFI_INIT,
							 SYMBOL_PUBLIC };
	struct function_starts own = { .arena = scratch }, file = { .arena = scratch };
	const struct arch *arch = binary_arch(image);
	char distance[FUNCTION_STARTS_TEXT];
	uint64_t address;

	/* Large files are only read in full if the sample does not fit. */
	function_starts_of_table(&own, image);
	for (size_t i = 0; i < 2; i++)
		if (fits_sampled(symfile, kinds[i], &own, arch))
			return NULL;
	function_starts_of_symbols(&own, image, arch);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		for (size_t at = 0; at < symfile_count(symfile, kinds[i]); at++)
			if (record_start(symfile, kinds[i], at, &address))
				function_starts_add(&file, arch_code(arch, address));
	function_starts_sort(&file);
	if (own.memory_ended || file.memory_ended)
		return NULL;
	const struct starts_compared at = function_starts_compare(&own, &file);
	if (at.compared < SYMBOL_FIT_FEWEST || at.fits)
		return NULL;
	if (at.behind != 0)
		return arena_format(arena, "%s", function_starts_distance(at.behind, distance));
	if (at.same == 0)
		return arena_format(arena, "none of %zu functions begins where the binary's do",
				    at.compared);
	return arena_format(arena, "only %zu of %zu functions begin where the binary's do", at.same,
			    at.compared);
}

/* Whether the module's own file has an identifier that the dump has. */
static bool
is_checked(const struct module *module, const struct binary *image)
{
	char guid[BINARY_DEBUG_ID];

	if (image->format != BINARY_ELF)
		return image->debug_id[0] != '\0' &&
		       strcasecmp(image->debug_id, module->debug_id) == 0;
	binary_guid(image->id, guid);
	return image->id[0] != '\0' && strncasecmp(guid, module->debug_id, strlen(guid)) == 0;
}

static const char *
compare(const struct symfile *symfile, const struct binary *image, struct arena *arena)
{
	const struct symfile_identity identity = symfile_identity(symfile);
	char target[BINARY_OTHER_TARGET];
	struct arena scratch = { 0 };

	if (binary_other_target(image, identity.os, arch_of_symbols(identity.arch), target) != NULL)
		return arena_string(arena, target);
	const char *misfit = compare_starts(symfile, image, &scratch, arena);
	arena_free(&scratch);
	return misfit;
}

const char *
symbol_misfit(const struct binaries *binaries, const struct symbols *symbols,
	      const struct crash *crash, size_t module)
{
	static const struct binaries_reader_kind kind = { .room = BINARIES_SYMBOL_FITS,
							  .slot_size = sizeof(struct fit_slot) };
	const struct symfile *symfile =
		symbols != NULL ? symbols_peek(symbols, module, NULL) : NULL;
	const struct binary *image = binaries_peek(binaries, module, LOCATE_IMAGE);
	struct binaries_reader *reader;

	if (symfile == NULL || image == NULL || !is_checked(&crash->modules[module], image) ||
	    (reader = binaries_reader(binaries, &kind, module)) == NULL)
		return NULL;
	struct fit_slot *slot = (struct fit_slot *)reader->slots + module;
	pthread_mutex_lock(&reader->mutex);
	if (slot->symfile != symfile_number(symfile) || slot->image != image)
		*slot = (struct fit_slot){ symfile_number(symfile), image,
					   compare(symfile, image, &reader->arena) };
	const char *misfit = slot->misfit;
	pthread_mutex_unlock(&reader->mutex);
	return misfit;
}
