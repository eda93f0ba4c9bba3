/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/split_files.h"

#include "base/reader.h"
#include "dwarf/split_index.h"

/* Section numbers in a package's index (7.3.5.3). */
static const uint8_t columns_of[DWARF_SECTIONS] = {
	[DWARF_INFO] = 1, [DWARF_ABBREV] = 3, [DWARF_STR_OFFSETS] = 6, [DWARF_RNGLISTS] = 8,
	[DWARF_LOC] = 5, [DWARF_LOCLISTS] = 5,
};

struct split_wanted {
	struct split_files *files;
	struct split_part *part;
	uint64_t id;
};

/* Reduce the sections of a package to a unit's parts. False if it has no such unit. */
static bool
cut(struct dwarf_file *file, const struct binary_section *section, uint64_t id)
{
	const struct reader index = binary_section_bytes(file->binary, section, 0);
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];

	const size_t count = split_index_find(&index, id, parts);
	for (size_t k = 0; k < count; k++) {
		for (unsigned i = 0; i < DWARF_SECTIONS; i++) {
			struct elf_bytes *bytes = &file->sections[i];
			const uint32_t offset = parts[k].offset, size = parts[k].size;

			if (columns_of[i] != parts[k].section || bytes->data == NULL)
				continue;
			if (offset > bytes->size || size > bytes->size - offset)
				return false;
			*bytes = (struct elf_bytes){ bytes->data + offset, size, 0 };
		}
	}
	return count > 0;
}

/* The ID of a split unit. False: a type unit, or damaged. */
static bool
id_of(const struct dwarf_file *file, const struct dwarf_unit *unit, struct dwarf_abbrevs *abbrevs,
      uint64_t *id)
{
	struct dwarf_context context = { .abbrevs = abbrevs, .root_only = true };
	struct dwarf_cursor cursor;
	struct dwarf_entry root;

	*id = unit->id;
	if (unit->partial || unit->version >= 5)
		return !unit->partial;
	if (!dwarf_context_begin(&context, file, unit, &cursor, &root))
		return false;
	*id = dwarf_entry_number(&root, DWARF_DWO_ID);
	return true;
}

/* Maximum number of units in one part of a package; linkers write one. */
#define MOST_PART_UNITS 8u

/*
 * Find the unit with an ID in the parts of sections that cut() took from a package. If all look-ups
 * together have read too many abbreviations, the package's index is trusted.
 */
static bool
find_in_part(struct split_part *part, uint64_t wanted, struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_file *file = &part->file;
	bool found = false;
	uint64_t at = 0, id;

	abbrevs->file = NULL;
	for (unsigned i = 0; !found && i < MOST_PART_UNITS &&
			     dwarf_file_header(file, DWARF_INFO, at, &part->unit);
	     i++, at = part->unit.end)
		found = (id_of(file, &part->unit, abbrevs, &id) && id == wanted) ||
			abbrevs->exceeded;
	return found;
}

/* List the units of a file that is not a package. */
static void
list_ids(struct split_file_known *known)
{
	struct dwarf_abbrevs abbrevs = { 0 };
	uint64_t id;

	for (size_t i = 0; i < known->file.unit_count && i < UINT32_MAX - 1; i++) {
		uint32_t other;

		if (id_of(&known->file, &known->file.units[i], &abbrevs, &id) &&
		    !number_map_find(&known->ids, id, &other) &&
		    !number_map_put(&known->ids, id, (uint32_t)i))
			break;
	}
	dwarf_abbrevs_free(&abbrevs);
}

static struct split_file_known *
open_file(struct split_files *files, const struct binary *binary)
{
	struct split_file_known *known = files->known;
	struct elf_damage damage = { 0 };

	for (; known != NULL && known->binary != binary; known = known->next)
		;
	if (known != NULL)
		return known;
	known = arena_alloc(&files->arena, sizeof(*known));
	if (known == NULL)
		return NULL;
	known->binary = binary;
	known->index = binary_section(binary, 0, ".debug_cu_index");
	if (dwarf_file_open(&known->file, binary, &damage) && files->locations)
		dwarf_file_open_more(&known->file, &damage);
	if (known->index == NULL)
		list_ids(known);
	known->next = files->known;
	files->known = known;
	return known;
}

/* The callback of struct binaries_split. */
static bool
fits(void *context, const struct binary *binary)
{
	struct split_wanted *search = context;
	struct split_file_known *known = open_file(search->files, binary);

	struct split_part *part = search->part;
	uint32_t number;

	if (known == NULL || known->file.sections[DWARF_INFO].data == NULL)
		return false;
	part->file = known->file;
	part->file.units = &part->unit;
	part->file.unit_count = 1;
	part->whole = NULL;
	if (known->index != NULL)
		return cut(&part->file, known->index, search->id) &&
		       find_in_part(part, search->id, &known->abbrevs);
	if (!number_map_find(&known->ids, search->id, &number))
		return false;
	part->unit = known->file.units[number];
	part->whole = known->used ? NULL : &known->file;
	known->used = true;
	return true;
}

bool
split_files_find(struct split_files *files, const struct dwarf_context *skeleton,
		 const struct dwarf_entry *root, struct split_part *part)
{
	struct split_wanted search = { .files = files, .part = part };
	const struct binaries_split wanted = {
		.name = dwarf_entry_text(skeleton, root, DWARF_DWO_NAME),
		.directory = dwarf_entry_text(skeleton, root, DWARF_DIRECTORY),
		.id = skeleton->unit->version >= 5 ? skeleton->unit->id
						   : dwarf_entry_number(root, DWARF_DWO_ID),
		.fits = fits, .context = &search };

	search.id = wanted.id;
	return binaries_find_split(files->binaries, files->module, files->from, &wanted);
}

void
split_files_free(struct split_files *files)
{
	for (struct split_file_known *known = files->known; known != NULL; known = known->next) {
		dwarf_file_close(&known->file);
		dwarf_abbrevs_free(&known->abbrevs);
		number_map_free(&known->ids);
	}
	arena_free(&files->arena);
}
