/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"

/*
 * The modules of an ELF core. A core has no list of them, so they come from the files of NT_FILE,
 * the kernel's vDSO, and the dynamic linker's list. Sources: core(5), glibc elf/link.h, the gABI.
 */

#define TAG_DEBUG 21u	/* DT_DEBUG */
#define PAGE UINT64_C(0x1000)
#define LINKS_MOST 4096u	/* links of the dynamic linker's list */
#define NAME_MOST 4096u
#define HEADERS_MOST 4096u	/* bytes of a module that are searched for its headers */
/*
 * Limit for an image of unknown size: code addresses its data by 32-bit offsets. A mapping of the
 * file at a greater distance is not part of the image. For example, node.js maps builtins again.
 */
#define IMAGE_MOST (UINT64_C(1) << 31)
#define NOTE_BUILD_ID 3u
#define NOTE_SEGMENTS 8u	/* note segments of a module: linkers write one to three */
#define NOTES_MOST (16u << 20)	/* bytes of notes to read from all modules together */
#define TAG_STRINGS 5u	/* DT_STRTAB */
#define TAG_NAME 14u	/* DT_SONAME */
#define TAGS_MOST 1024u	/* entries of a dynamic section */
#define DYNAMIC_REGION (1u << 20)	/* largest region searched for a dynamic section */
#define DYNAMIC_MOST (128u << 20)	/* total bytes of the searched regions */

/* The headers of a module in memory. */
struct image {
	bool found;
	uint64_t size;		/* from the first segment's page to the last segment's end */
	uint64_t bias;		/* address in the process minus address in the file */
	uint64_t dynamic;	/* address of the dynamic section in the process; 0: none */
	const uint8_t *id;
	size_t id_size;
	struct place id_place;
};

static void
read_build_id(const struct reader *notes, struct image *image)
{
	struct text owner;
	struct reader bytes;
	uint64_t at = 0;
	uint32_t type;

	while (core_next_note(notes, &at, &owner, &type, &bytes)) {
		if (type != NOTE_BUILD_ID || !text_is(owner, "GNU") || bytes.size == 0 ||
		    bytes.size > LIMIT_BUILD_ID)
			continue;
		image->id = bytes.data;
		image->id_size = (size_t)bytes.size;
		image->id_place = reader_place(&bytes, 0, bytes.size);
		return;
	}
}

/* The process's bytes at an address: up to `most`, from one segment. */
static bool
core_memory(const struct crash *crash, uint64_t address, uint64_t most, struct reader *bytes)
{
	const size_t upto = sorted_upto(SORTED(crash->regions, crash->region_count, base), address);

	if (upto == 0)
		return false;
	const struct memory_region *region = &crash->regions[upto - 1];
	const uint64_t skip = address - region->base;
	if (skip >= region->available)
		return false;
	const uint64_t left = region->available - skip;
	return reader_window(&crash->reader, region->offset + skip, most < left ? most : left,
			     bytes);
}

static bool
read_word(const struct crash *crash, uint64_t address, uint64_t *value)
{
	const unsigned word = core_word(crash);
	struct reader bytes;

	return core_memory(crash, address, word, &bytes) && reader_unsigned(&bytes, 0, word, value);
}

static const char *
read_name(struct crash *crash, uint64_t address)
{
	struct reader bytes;

	if (address == 0 || !core_memory(crash, address, NAME_MOST, &bytes))
		return NULL;
	const size_t length = strnlen((const char *)bytes.data, (size_t)bytes.size);
	return length == 0 || length == bytes.size
		       ? NULL
		       : arena_copy(&crash->arena, (const char *)bytes.data, length);
}

/* Read the headers of the module whose first byte is at `base`. */
static void
read_image(struct minidump *minidump, uint64_t base, struct image *image)
{
	const struct crash *crash = minidump->crash;
	uint64_t *notes_read = &minidump->core->notes_read;
	const bool wide = core_word(crash) == 8;
	const struct structure *structure = &core_segment_structures[wide];
	uint64_t low = UINT64_MAX, high = 0, end;
	struct core_segment note_segments[NOTE_SEGMENTS];
	struct core_header header = { 0 };
	struct reader bytes, entry, notes;
	size_t note_count = 0;
	uint64_t dynamic = 0;

	*image = (struct image){ .found = false };
	if (!core_memory(crash, base, HEADERS_MOST, &bytes) || bytes.size < 52 ||
	    memcmp(bytes.data, "\x7f" "ELF", 4) != 0)
		return;
	fields_read(&core_header_structures[wide], &bytes, &header);
	image->found = true;
	for (uint64_t i = 0; i < header.segment_count; i++) {
		struct core_segment segment = { 0 };

		if (!core_memory(crash, base + header.segments + i * structure->size,
				 structure->size, &entry) ||
		    !fields_read(structure, &entry, &segment))
			break;
		if (segment.type == CORE_PT_NOTE && note_count < NOTE_SEGMENTS)
			note_segments[note_count++] = segment;
		if (segment.type == CORE_PT_DYNAMIC)
			dynamic = segment.address;
		if (segment.type == CORE_PT_LOAD &&
		    checked_add(segment.address, segment.memory_size, &end)) {
			low = segment.address < low ? segment.address : low;
			high = end > high ? end : high;
		}
	}
	/* Addresses count from the first segment's page. */
	if (low < high) {
		image->bias = base - (low & ~(PAGE - 1));
		image->dynamic = dynamic != 0 ? image->bias + dynamic : 0;
		image->size = ((high + PAGE - 1) & ~(PAGE - 1)) - (low & ~(PAGE - 1));
	}
	for (size_t i = 0; i < note_count && image->id == NULL && *notes_read < NOTES_MOST; i++) {
		if (!core_memory(crash, image->bias + note_segments[i].address,
				 note_segments[i].file_size, &notes))
			continue;
		*notes_read += notes.size;
		read_build_id(&notes, image);
	}
}

static bool
is_covered(const struct crash *crash, uint64_t address)
{
	for (size_t i = 0; i < crash->module_count; i++)
		if (checked_contains(crash->modules[i].base, crash->modules[i].size, address))
			return true;
	return false;
}

static void
add_module(struct minidump *minidump, struct module module, const struct image *image)
{
	struct crash *crash = minidump->crash;

	if (crash->module_count >= LIMIT_MODULES || module.size == 0 || module.code_file == NULL)
		return;
	module.code_id = module.debug_id = module.version = "";
	module.debug_file = module.code_file;
	if (image->id != NULL) {
		modules_set_build_id(minidump, image->id, image->id_size, &module);
		module.identity_place = image->id_place;
	}
	minidump_append(minidump, &crash->modules, &crash->module_count,
			&minidump->core->module_capacity, &module, sizeof(module));
}

/*
 * Facts about each mapping and its neighbours. They are computed once, because a search for each
 * file would be slow.
 */
struct mapping_spans {
	const struct crash *crash;
	struct mapping_span {
		uint64_t end;		/* end of the mappings that follow without a gap */
		size_t code;		/* number of executable mappings before this one */
	} *list;			/* one for each mapping, and one more */
};

static bool
make_spans(const struct crash *crash, struct mapping_spans *spans)
{
	const size_t count = crash->mapping_count;

	*spans = (struct mapping_spans){ crash, calloc(count + 1, sizeof(*spans->list)) };
	if (spans->list == NULL)
		return false;
	for (size_t i = count; i-- > 0;) {
		const struct mapping *mapping = &crash->mappings[i];
		const uint64_t end = mapping->base + mapping->size;

		spans->list[i].end =
			i + 1 < count && mapping[1].base == end ? spans->list[i + 1].end : end;
	}
	for (size_t i = 0; i < count; i++)
		spans->list[i + 1].code = spans->list[i].code + crash->mappings[i].executable;
	return true;
}

/* NT_FILE -------------------------------------------------------------------------------------- */

static bool
has_code(const struct mapping_spans *spans, uint64_t start, uint64_t end)
{
	const struct sorted bases =
		SORTED(spans->crash->mappings, spans->crash->mapping_count, base);

	return spans->list[sorted_below(bases, end)].code >
	       spans->list[sorted_below(bases, start)].code;
}

/* Whether a mapped file's bytes in the core begin with an ELF header. */
static bool
begins_image(const struct crash *crash, const struct core_file *file)
{
	struct reader bytes;

	return core_memory(crash, file->start, 4, &bytes) && bytes.size == 4 &&
	       memcmp(bytes.data, "\x7f" "ELF", 4) == 0;
}

/* DT_SONAME of an image in memory, as a file's name; NULL: unknown. */
static const char *
soname_of_image(struct crash *crash, const struct image *image)
{
	const unsigned word = core_word(crash);
	uint64_t at = image->dynamic, tag = 1, value, strings = 0, name = 0;

	for (size_t i = 0; at != 0 && tag != 0 && i < TAGS_MOST && read_word(crash, at, &tag) &&
			   read_word(crash, at + word, &value); i++, at += 2 * word)
		if (tag == TAG_STRINGS)
			strings = value;
		else if (tag == TAG_NAME)
			name = value;
	/* Only glibc replaces the string table's address with its address in the process. */
	if (strings != 0 && strings < image->bias)
		strings += image->bias;
	const char *soname = strings != 0 && name != 0 ? read_name(crash, strings + name) : NULL;
	return soname != NULL && strchr(soname, '/') == NULL ? soname : NULL;
}

/*
 * The name of a module whose image is not at the beginning of its file: FILE!SONAME, as Android
 * writes it for libraries in an archive. If there is no soname, the name is FILE!0xOFFSET.
 */
static const char *
inner_name(struct crash *crash, const struct core_file *file, const struct image *image)
{
	const char *soname = soname_of_image(crash, image);

	return soname != NULL
		       ? arena_format(&crash->arena, "%s!%s", file->path, soname)
		       : arena_format(&crash->arena, "%s!0x%" PRIx64, file->path, file->offset);
}

/*
 * Whether a mapping is a segment of the last module. With lld's layout, all segments of a file that
 * fits on a page may be mapped from offset 0.
 */
static bool
is_segment(const struct crash *crash, const struct core_file *file)
{
	if (crash->module_count == 0)
		return false;
	const struct module *last = &crash->modules[crash->module_count - 1];
	const size_t length = strlen(file->path);
	return strncmp(last->code_file, file->path, length) == 0 &&
	       (last->code_file[length] == '\0' || last->code_file[length] == '!') &&
	       checked_contains(last->base, last->size, file->start);
}

/*
 * A file mapped from offset 0 is a module if the core has its ELF headers, or if its code is mapped
 * but not dumped. At another offset only the headers count, because a file may contain several
 * libraries.
 */
static void
add_files(struct minidump *minidump, const struct mapping_spans *spans)
{
	const struct core *core = minidump->core;
	struct crash *crash = minidump->crash;

	for (size_t i = 0; i < core->file_count; i++) {
		const struct core_file *first = &core->files[i];
		uint64_t end = first->end;
		struct image image;
		struct reader head;

		if (is_segment(crash, first) ||
		    (first->offset != 0 && !begins_image(crash, first)))
			continue;
		read_image(minidump, first->start, &image);
		for (size_t j = i + 1; j < core->file_count &&
				       (core->files[j].offset != 0 ||
					(!image.found && core->files[j].start == end)) &&
				       core->files[j].start - first->start <
					       (image.size != 0 ? image.size : IMAGE_MOST) &&
				       (image.size != 0 || !begins_image(crash, &core->files[j])) &&
				       strcmp(core->files[j].path, first->path) == 0; j++)
			end = core->files[j].end;
		if (!image.found && (core_memory(crash, first->start, 1, &head) ||
				     !has_code(spans, first->start, end)))
			continue;
		if (image.size > end - first->start)
			end = first->start + image.size;
		add_module(minidump, (struct module){ .base = first->start,
						      .size = end - first->start,
						      .code_file =
							      first->offset == 0
								      ? first->path
								      : inner_name(crash, first,
										   &image),
						      .place = first->place }, &image);
	}
}

/* Add the vDSO (code that the kernel maps into a process) under its name in symbol files. */
static void
add_vdso(struct minidump *minidump)
{
	const uint64_t base = minidump->core->vdso;
	const struct mapping *mapping = base != 0 ? crash_mapping(minidump->crash, base) : NULL;
	struct image image;

	if (mapping == NULL || is_covered(minidump->crash, base))
		return;
	read_image(minidump, base, &image);
	add_module(minidump, (struct module){ .base = base, .code_file = "linux-gate.so",
					      .size = image.found && image.size != 0
							      ? image.size : mapping->size,
					      .place = mapping->place }, &image);
}

/* The dynamic linker's list -------------------------------------------------------------------- */

/* Members of struct link_map and struct r_debug, in words. */
enum {
	LINK_BIAS, LINK_NAME, LINK_DYNAMIC, LINK_NEXT, LINK_PREVIOUS,
	DEBUG_MAP = 1, DEBUG_LINKER = 4
};

static bool
read_member(const struct crash *crash, uint64_t structure, unsigned member, uint64_t *value)
{
	return read_word(crash, structure + member * core_word(crash), value);
}

/* Whether r_debug is at an address. Sets `*first` to its first link, which has no predecessor. */
static bool
is_debug(const struct crash *crash, uint64_t address, uint64_t *first)
{
	struct reader version;
	uint64_t previous;
	uint32_t number;

	return core_memory(crash, address, 4, &version) && reader_u32(&version, 0, &number) &&
	       number >= 1 && number <= 2 && read_member(crash, address, DEBUG_MAP, first) &&
	       read_member(crash, *first, LINK_PREVIOUS, &previous) && previous == 0;
}

/*
 * Whether the DT_DEBUG entry at `entry` with `value` belongs to the program. The dynamic section of
 * the list's first member must begin at or shortly before the entry.
 */
static bool
leads_to_list(const struct crash *crash, uint64_t entry, uint64_t value, uint64_t *first)
{
	const uint64_t pair = 2 * core_word(crash);
	uint64_t dynamic;

	return is_debug(crash, value, first) &&
	       read_member(crash, *first, LINK_DYNAMIC, &dynamic) && dynamic <= entry &&
	       entry - dynamic < 64 * pair && (entry - dynamic) % pair == 0;
}

/*
 * Search `size` bytes from `address` on for the program's DT_DEBUG entry, or for r_debug, which
 * contains the linker's address. The entry may be missing: the dynamic section may not be dumped,
 * and on MIPS it is read-only and has no such entry.
 */
static bool
find_list_in(const struct minidump *minidump, uint64_t address, uint64_t size, uint64_t *first)
{
	const struct crash *crash = minidump->crash;
	const uint64_t linker = minidump->core->linker;
	const unsigned word = core_word(crash);
	struct reader bytes;
	uint64_t tag, value;

	if (!core_memory(crash, address, size, &bytes))
		return false;
	for (uint64_t at = 0; reader_unsigned(&bytes, at, word, &tag); at += word)
		if ((tag == TAG_DEBUG && reader_unsigned(&bytes, at + word, word, &value) &&
		     value != 0 && leads_to_list(crash, address + at, value, first)) ||
		    (linker != 0 && tag == linker &&
		     is_debug(crash, address + at - DEBUG_LINKER * word, first)))
			return true;
	return false;
}

/*
 * Find the linker's list through the program's dynamic section. The section is at the address in
 * the program's headers, or is found by a search of small memory regions without code.
 */
static bool
find_list(struct minidump *minidump, uint64_t *first)
{
	const struct crash *crash = minidump->crash;
	struct image program;

	read_image(minidump, crash->program.headers & ~(PAGE - 1), &program);
	if (program.dynamic != 0 &&
	    find_list_in(minidump, program.dynamic,
			 (uint64_t)2 * TAGS_MOST * core_word(crash), first))
		return true;

	uint64_t left = DYNAMIC_MOST;

	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];
		const struct mapping *mapping = crash_mapping(crash, region->base);

		/* Skip heaps and stacks of large cores: the section is in a file's data. */
		if (mapping == NULL || mapping->executable || region->available > DYNAMIC_REGION ||
		    region->available > left)
			continue;
		left -= region->available;
		if (find_list_in(minidump, region->base, region->available, first))
			return true;
	}
	return false;
}

/* The end of the mapping at the higher address and of those that follow it without a gap. */
static uint64_t
end_of_mappings(const struct mapping_spans *spans, uint64_t base, uint64_t within)
{
	const size_t upto = sorted_upto(
		SORTED(spans->crash->mappings, spans->crash->mapping_count, base),
		within > base ? within : base);

	return upto > 0 ? spans->list[upto - 1].end : base;
}

/* The program's name from its path; if unknown, the process's name of at most 15 bytes. */
static const char *
program_name(const struct minidump *minidump)
{
	const char *name = read_name(minidump->crash, minidump->core->program_name);
	const char *process = text_or_empty(minidump->core->process);

	return name != NULL ? name : *process != '\0' ? process : "[program]";
}

struct link {
	uint64_t bias, dynamic, base;
	const char *name;
};

SORTED_BY(compare_links, struct link, base)

static size_t
read_list(struct minidump *minidump, uint64_t first, struct link links[LINKS_MOST])
{
	struct crash *crash = minidump->crash;
	size_t count = 0;

	for (uint64_t at = first, name, next; at != 0 && count < LINKS_MOST; at = next) {
		struct link *link = &links[count];

		if (!read_member(crash, at, LINK_BIAS, &link->bias) ||
		    !read_member(crash, at, LINK_NAME, &name) ||
		    !read_member(crash, at, LINK_DYNAMIC, &link->dynamic) ||
		    !read_member(crash, at, LINK_NEXT, &next))
			break;
		link->name = read_name(crash, name);
		if (link->name == NULL && at == first)
			link->name = program_name(minidump);
		link->base = link->bias;
		/* A program may be linked at a fixed address; then its bias is not its base. */
		if (at == first && crash->program.headers != 0)
			link->base = crash->program.headers & ~(PAGE - 1);
		count += !is_covered(crash, link->dynamic);
	}
	return count;
}

/* A static program has no list, but the kernel gives the addresses of its headers and code. */
static bool
read_program(const struct minidump *minidump, struct link *link)
{
	const struct crash_program *program = &minidump->crash->program;

	*link = (struct link){ .base = program->headers & ~(PAGE - 1),
			       .dynamic = program->entry, .name = program_name(minidump) };
	return program->headers != 0 && program->entry > link->base &&
	       !is_covered(minidump->crash, program->entry);
}

/* Add the module of a list entry; the module ends at `limit` at the latest. */
static void
add_link(struct minidump *minidump, const struct mapping_spans *spans, const struct link *link,
	 uint64_t limit)
{
	struct crash *crash = minidump->crash;
	const struct mapping *mapping = crash_mapping(crash, link->base);
	uint64_t end = end_of_mappings(spans, link->base, link->dynamic);
	struct image image;

	/* Debuggers may write only some sections, and not the first page. */
	if (mapping == NULL)
		mapping = crash_mapping(crash, link->dynamic);
	read_image(minidump, link->base, &image);
	/* A core without any page of the program has only the program's addresses. */
	const bool unsized = mapping == NULL && !image.found &&
			     crash->program.headers - link->base < PAGE &&
			     crash->program.entry > link->base;
	crash->program.unsized |= unsized;
	if (image.found && image.size != 0)
		end = link->base + image.size;
	else if (unsized)
		end = (crash->program.entry | (PAGE - 1)) + 1;
	else if (end > limit)
		end = limit;
	/*
	 * The names of the list may lie in memory that the core lacks. A module with neither
	 * name nor ID leads to no file, and would only add guesses to scans.
	 */
	const char *name = link->name != NULL ? link->name : soname_of_image(crash, &image);
	if (end <= link->base || (mapping == NULL && !image.found && !unsized) ||
	    (name == NULL && image.id == NULL))
		return;
	add_module(minidump, (struct module){
		.base = link->base, .size = end - link->base,
		.code_file = name != NULL ? name : arena_format(&crash->arena, "[0x%" PRIx64 "]",
								link->base),
		.place = mapping != NULL ? mapping->place : (struct place){ 0 } }, &image);
}

static void
add_links(struct minidump *minidump, const struct mapping_spans *spans)
{
	struct link *links = calloc(LINKS_MOST, sizeof(*links));
	uint64_t first;
	size_t count = 0;

	if (links == NULL)
		minidump_no_memory(minidump);
	else if (find_list(minidump, &first))
		count = read_list(minidump, first, links);
	else
		count = read_program(minidump, &links[0]);
	SORT(links, count, compare_links);
	for (size_t i = 0; i < count; i++)
		add_link(minidump, spans, &links[i],
			 i + 1 < count ? links[i + 1].base : UINT64_MAX);
	free(links);
}

static void
put_program_first(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	const uint64_t entry = crash->program.entry;

	for (size_t i = 1; entry != 0 && i < crash->module_count; i++) {
		const struct module module = crash->modules[i];

		if (!checked_contains(module.base, module.size, entry))
			continue;
		memmove(&crash->modules[1], &crash->modules[0], i * sizeof(module));
		crash->modules[0] = module;
		return;
	}
}

void
core_find_modules(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	struct mapping_spans spans;

	if (!make_spans(crash, &spans)) {
		minidump_no_memory(minidump);
		return;
	}
	add_files(minidump, &spans);
	add_vdso(minidump);
	add_links(minidump, &spans);
	free(spans.list);
	put_program_first(minidump);
	if (crash->module_count == 0)
		minidump_message(minidump, STREAM_MISSING, reader_place(&crash->reader, 0, 0),
				 "the core has neither NT_FILE nor the dynamic linker's list"
				 "\nit has no modules");
}
