/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/split_files.h"

#include "base/reader.h"
#include "dwarf/split_index.h"

/* What the index of a package calls them (7.3.5.3). */
static const uint8_t columns_of[DWARF_SECTIONS] = {
	[DWARF_INFO] = 1, [DWARF_ABBREV] = 3, [DWARF_STR_OFFSETS] = 6, [DWARF_RNGLISTS] = 8,
};

struct split_wanted {
	struct split_files *files;
	struct split_part *part;
	uint64_t id;
};

/* Cut the sections of a package down to what a unit has of them; false: it has no such unit. */
static bool
cut(struct dwarf_file *file, uint64_t id)
{
	const struct binary_section *section = binary_section(file->binary, 0, ".debug_cu_index");
	const struct reader index = { .data = section->data, .size = section->size,
				      .big_endian = file->big_endian };
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];

	if (section->data == NULL || section->compressed)
		return false;
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

/* The unit of an id in a file whose sections are those of the unit, or of several. */
static bool
find_unit(struct split_part *part, uint64_t id)
{
	struct dwarf_file *file = &part->file;
	struct dwarf_context context = { 0 };
	struct dwarf_cursor cursor;
	struct dwarf_entry root;
	bool found = false;

	file->units = &part->unit;
	file->unit_count = 1;
	for (uint64_t at = 0; !found && dwarf_file_header(file, at, &part->unit);
	     at = part->unit.end) {
		if (part->unit.partial)
			continue;
		if (part->unit.version >= 5)
			found = part->unit.id == id;
		else if (dwarf_context_begin(&context, file, &part->unit, &cursor, &root))
			found = dwarf_entry_number(&root, DWARF_DWO_ID) == id;
	}
	dwarf_abbrevs_free(&context.abbrevs);
	return found;
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
	known->package = binary_section(binary, 0, ".debug_cu_index") != NULL;
	dwarf_file_open(&known->file, binary, &damage);
	known->next = files->known;
	files->known = known;
	return known;
}

/* As struct binaries_split has it. */
static bool
fits(void *context, const struct binary *binary)
{
	struct split_wanted *search = context;
	const struct split_file_known *known = open_file(search->files, binary);

	if (known == NULL || known->file.sections[DWARF_INFO].data == NULL)
		return false;
	search->part->file = known->file;
	return (!known->package || cut(&search->part->file, search->id)) &&
	       find_unit(search->part, search->id);
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
	for (struct split_file_known *known = files->known; known != NULL; known = known->next)
		dwarf_file_close(&known->file);
	arena_free(&files->arena);
}
