/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/binary_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "pdb/pdb.h"
#include "system/file.h"
#include "system/inflate.h"

#define GUID_DIGITS 32u
/* Bytes of a build ID used in its debug identifier. */
#define GUID_SIZE 16u
/* The identifier of a PE file: its timestamp in eight digits, then the size of its image. */
#define TIMESTAMP_DIGITS 8
/* Bytes at the beginning of a file, or of its decompressed content, that identify the file. */
#define HEAD_SIZE 16u
#define NOT_BINARY "not an ELF file, Mach-O file, PE file or PDB"
/* Flag of an executable section in PE (IMAGE_SCN_MEM_EXECUTE). */
#define PE_CODE 0x20000000u
/*
 * Section flags of code. ELF needs both flags: allocated and executable (gABI, Sections). Mach-O
 * needs one of two flags: only instructions, or some instructions.
 */
static const struct code_flags {
	uint64_t flags;
	bool any;
} code_flags[] = {
	[BINARY_ELF] = { 0x2 | 0x4, false },
	[BINARY_MACH] = { 0x80000400, true },
	[BINARY_PE] = { PE_CODE, false },
	[BINARY_PDB] = { PE_CODE, false },
};

enum error_code
binary_no_memory(const struct binary *binary, struct error *error)
{
	return error_set(error, ERROR_MEMORY, (struct place){ .input = &binary->file.input },
			 "the tables of the file do not fit into memory");
}

struct reader
binary_reader(const struct binary *binary)
{
	return (struct reader){ .input = &binary->file.input, .data = binary->file.data,
				.size = binary->file.size, .big_endian = binary->big_endian };
}

uint64_t
binary_known(const struct binary *binary, uint64_t offset)
{
	const struct binary_memory *memory = binary->memory;

	if (memory == NULL)
		return offset < binary->file.size ? binary->file.size - offset : 0;
	const size_t upto = sorted_upto(SORTED(memory->items, memory->count, offset), offset);
	const struct binary_known *known = upto > 0 ? &memory->items[upto - 1] : NULL;
	return known != NULL && offset - known->offset < known->size
		       ? known->size - (offset - known->offset) : 0;
}

void
binary_add_segment(struct binary *binary, struct binary_segment segment)
{
	const uint64_t known = binary_known(binary, segment.offset);

	if (segment.size > known)
		segment.size = known;
	if (segment.size != 0 && segment.size - 1 <= UINT64_MAX - segment.address)
		binary->segments[binary->segment_count++] = segment;
}

void
binary_section_data(const struct binary *binary, struct binary_section *section)
{
	if (section->no_bits)
		return;
	section->broken = section->size > binary_known(binary, section->offset) ||
			  section->offset > binary->file.size;
	if (!section->broken && section->size != 0)
		section->data = binary->file.data + section->offset;
}

const char *
binary_text(struct binary *binary, uint64_t offset, uint64_t end)
{
	if (end > binary->file.size)
		end = binary->file.size;
	if (offset >= end)
		return "";
	uint64_t room = end - offset < LIMIT_SECTION_NAME ? end - offset : LIMIT_SECTION_NAME;
	const char *start = (const char *)binary->file.data + offset;
	size_t length = strnlen(start, (size_t)room);
	const char *text = length == room ? NULL : arena_copy(&binary->arena, start, length);
	return text != NULL ? text : "";
}

SORTED_BY_ALL(compare_segments, struct binary_segment, SORTED_UP(address) SORTED_UP(offset))

/* Sort the segments and cut overlaps: the first segment keeps the shared addresses. */
static void
arrange_segments(struct binary *binary)
{
	size_t kept = 0;
	uint64_t reached = 0;

	if (binary->segment_count == 0)
		return;
	SORT(binary->segments, binary->segment_count, compare_segments);
	for (size_t i = 0; i < binary->segment_count; i++) {
		struct binary_segment segment = binary->segments[i];
		uint64_t last = segment.address + (segment.size - 1);

		if (kept != 0 && last <= reached)
			continue;
		if (kept != 0 && segment.address <= reached) {
			uint64_t skip = reached + 1 - segment.address;

			segment.address += skip;
			segment.offset += skip;
			segment.size -= skip;
		}
		reached = last;
		binary->segments[kept++] = segment;
	}
	binary->segment_count = kept;
}

/* A PDB has the sections of its image without their bytes. */
static enum error_code
read_pdb(struct binary *binary, struct error *error)
{
	const enum error_code code = pdb_open(&binary->pdb, &binary->file, error);

	if (code != ERROR_NONE)
		return code;
	const struct pdb *pdb = binary->pdb;
	binary->format = BINARY_PDB;
	binary->machine = pdb->machine;
	binary->word_size = arch_of_pe(pdb->machine)->word_size;
	binary->id = binary->debug_id = pdb->id;
	binary->debug_only = true;
	return ERROR_NONE;
}

/* The path without its compression suffix: foo.dll for foo.dll.gz, or for foo.dl_ in a cabinet. */
static const char *
plain_path(const struct file *file, struct arena *arena)
{
	const char *path = file->input.name;
	static const char *const ends[] = { ".gz", ".zst", ".xz", ".lz4" };
	/* A file in a cabinet has '_' as the last letter of its name. */
	static const char *const endings[] = { ".pdb", ".dll", ".exe", ".sys", ".ocx", ".drv" };
	const size_t length = strlen(path);

	if (file->kind == INFLATE_CABINET && length >= 4)
		for (size_t i = 0; i < ARRAY_COUNT(endings); i++)
			if (path[length - 1] == '_' &&
			    strncasecmp(path + length - 4, endings[i], 3) == 0)
				return arena_format(arena, "%.*s%c", (int)length - 1, path,
						    endings[i][3]);
	for (size_t i = 0; file->kind != INFLATE_NONE && i < ARRAY_COUNT(ends); i++)
		if (length > strlen(ends[i]) &&
		    strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
			return arena_copy(arena, path, length - strlen(ends[i]));
	return path;
}

/* Store facts about sections that many lookups need. */
static void
look_at_sections(struct binary *binary)
{
	static const char magic[] = "\xff Go buildinf:";
	/* ELF has a section for Go's build information. In PE it is at the beginning of .data. */
	const struct binary_section *info =
		binary_section(binary, 0, binary->format == BINARY_PE ? ".data" : ".go.buildinfo");

	binary->go = info != NULL && info->data != NULL && info->size >= sizeof(magic) - 1 &&
		     memcmp(info->data, magic, sizeof(magic) - 1) == 0;
	binary->sections_ascend = true;
	for (size_t i = 1; i < binary->section_count; i++)
		binary->sections_ascend &=
			binary->sections[i].address > binary->sections[i - 1].address;
}

static enum binary_kind
kind_of(const uint8_t *bytes, uint64_t size)
{
	static const struct {
		const char *bytes;
		uint8_t length;
		enum binary_kind kind;
	} heads[] = {
		{ "\177ELF", 4, BINARY_KIND_OWN }, { "MZ", 2, BINARY_KIND_OWN },
		{ "Microsoft C/C++ ", 16, BINARY_KIND_OWN }, { "BSJB", 4, BINARY_KIND_OWN },
		{ "\xfe\xed\xfa\xce", 4, BINARY_KIND_OWN },
		{ "\xce\xfa\xed\xfe", 4, BINARY_KIND_OWN },
		{ "\xfe\xed\xfa\xcf", 4, BINARY_KIND_OWN },
		{ "\xcf\xfa\xed\xfe", 4, BINARY_KIND_OWN },
		/* A fat file has a count below 256 here; a Java class has its version here. */
		{ "\xca\xfe\xba\xbe\0\0\0", 7, BINARY_KIND_OWN },
		{ "\xca\xfe\xba\xbf\0\0\0", 7, BINARY_KIND_OWN },
		{ "dyld_v", 6, BINARY_KIND_OWN },
	};

	for (size_t i = 0; i < ARRAY_COUNT(heads); i++)
		if (size >= heads[i].length && memcmp(bytes, heads[i].bytes, heads[i].length) == 0)
			return heads[i].kind;
	return BINARY_KIND_OTHER;
}

enum error_code
binary_finish(struct binary **binary, struct file *file, struct binary_memory *memory,
	      const struct arch *arch, struct error *error)
{
	struct binary *made = calloc(1, sizeof(*made));

	if (made == NULL) {
		free(memory);
		file_close(file);
		return error_memory(error);
	}
	made->file = *file;
	made->memory = memory;
	made->id = made->debug_id = made->debug_file = "";
	arena_init(&made->arena, 0);
	made->plain_name = plain_path(&made->file, &made->arena);
	enum error_code code = made->plain_name == NULL ? error_memory(error)
							: elf_read(made, error);
	if (code == ERROR_NOT_FOUND)
		code = mach_read(made, arch != NULL ? arch->elf_machine : 0, error);
	if (code == ERROR_NOT_FOUND)
		code = pe_read(made, error);
	if (code == ERROR_NOT_FOUND)
		code = read_pdb(made, error);
	if (code == ERROR_NONE) {
		arrange_segments(made);
		look_at_sections(made);
		if (made->format == BINARY_PE) {
			pe_read_codeview(made);
			if (memory == NULL)
				pe_check(made);
		}
		made->image = made->file.data;
		*binary = made;
		return code;
	}
	if (code == ERROR_NOT_FOUND)
		error_plain(error, code, NOT_BINARY);
	/* The error outlives the input, so its place must not refer to the input. */
	if (error != NULL)
		error->place.input = NULL;
	binary_close(made);
	return code;
}

/* Limit of the decompressed size; 0: the first bytes belong to another kind of file. */
static uint64_t
most_of_binary(const uint8_t *head, uint64_t size, uint64_t stored)
{
	if (stored == 0)
		return LIMIT_READ_WHOLE;
	return kind_of(head, size) == BINARY_KIND_OWN ? LIMIT_INFLATED : 0;
}

static enum error_code
decompress(struct file *file, struct error *error)
{
	const enum inflate_kind kind = inflate_identify(file->data, file->size);
	struct inflated inflated;

	if (kind == INFLATE_NONE ||
	    (file_inflate(file, most_of_binary, &inflated) && inflated.end == INFLATE_WHOLE))
		return ERROR_NONE;
	const bool other = file->kind != INFLATE_NONE &&
			   kind_of(file->data, file->size) != BINARY_KIND_OWN;
	const enum error_code code =
		other ? error_plain(error, ERROR_NOT_FOUND, NOT_BINARY)
		      : error_plain(
				error, ERROR_FORMAT, "cannot decompress %s: %s", inflate_name(kind),
				inflated.end == INFLATE_WHOLE ? "it is empty" : inflated.reason);
	file_close(file);
	return code;
}

enum error_code
binary_open_for(struct binary **binary, const char *path, const struct arch *arch,
		struct error *error)
{
	struct file file;
	enum error_code code = file_open_most(&file, path, LIMIT_READ_MODULE, NULL, error);

	*binary = NULL;
	if (code == ERROR_NONE)
		code = decompress(&file, error);
	return code != ERROR_NONE ? code : binary_finish(binary, &file, NULL, arch, error);
}

enum error_code
binary_open(struct binary **binary, const char *path, struct error *error)
{
	return binary_open_for(binary, path, NULL, error);
}

enum error_code
binary_from_memory(struct binary **binary, const char *name, const void *data, size_t size,
		   struct error *error)
{
	uint8_t *copy = malloc(size + 1);
	char *copied_name = strdup(name);

	*binary = NULL;
	if (copy == NULL || copied_name == NULL) {
		free(copy);
		free(copied_name);
		return error_memory(error);
	}
	if (size != 0)
		memcpy(copy, data, size);
	struct file file = { .input = { .name = copied_name }, .data = copy, .size = size };
	return binary_finish(binary, &file, NULL, NULL, error);
}

enum binary_kind
binary_kind_of(const char *path)
{
	struct file head;

	if (!file_open_content(&head, path, HEAD_SIZE))
		return BINARY_KIND_OTHER;
	const enum binary_kind kind = kind_of(head.data, head.size);
	file_close(&head);
	return kind;
}

bool
binary_is_whole(const struct binary *binary)
{
	const struct pdb *pdb = binary->pdb;

	if (pdb != NULL)
		return binary->file.size >= (uint64_t)pdb->msf.block_size * pdb->msf.block_count;
	for (size_t i = 0; i < binary->section_count; i++)
		if (binary->sections[i].broken)
			return false;
	return binary->section_count > 0 && !binary->sections_inferred;
}

void
binary_close(struct binary *binary)
{
	if (binary == NULL)
		return;
	pdb_close(binary->pdb);
	file_close(&binary->file);
	arena_free(&binary->arena);
	free(binary->memory);
	free(binary);
}

const struct binary_section *
binary_section(const struct binary *binary, uint32_t type, const char *name)
{
	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if ((type == 0 || section->type == type) &&
		    (name == NULL || strcmp(section->name, name) == 0))
			return section;
	}
	return NULL;
}

bool
binary_is_stripped(const struct binary *binary)
{
	static const char *const names[] = { ".symtab", ".debug_info", ".gnu_debugdata" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (binary_section(binary, 0, names[i]) != NULL)
			return false;
	return binary->format == BINARY_ELF;
}

struct reader
binary_section_bytes(const struct binary *binary, const struct binary_section *section,
		     uint64_t skip)
{
	if (section == NULL || section->data == NULL || section->compressed)
		return (struct reader){ .data = NULL };
	return (struct reader){ .input = &binary->file.input, .data = section->data + skip,
				.size = section->size - skip, .start = section->offset + skip,
				.big_endian = binary->big_endian };
}

const struct binary_section *
binary_section_at(const struct binary *binary, uint64_t address)
{
	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if (section->data != NULL && !section->compressed && section->address != 0 &&
		    checked_contains(section->address, section->size, address))
			return section;
	}
	return NULL;
}

bool
binary_is_data(const struct binary *binary, uint64_t address)
{
	if (binary->format != BINARY_PE || !binary->sections_ascend)
		return false;
	const size_t upto = sorted_upto(SORTED(binary->sections, binary->section_count, address),
					address);
	return upto > 0 && (binary->sections[upto - 1].flags & PE_CODE) == 0;
}

const struct binary_segment *
binary_segment(const struct binary *binary, uint64_t address)
{
	const size_t upto = sorted_upto(SORTED(binary->segments, binary->segment_count, address),
					address);
	const struct binary_segment *segment = upto > 0 ? &binary->segments[upto - 1] : NULL;

	return segment != NULL && checked_contains(segment->address, segment->size, address)
		       ? segment
		       : NULL;
}

size_t
binary_read(const struct binary *binary, uint64_t address, uint8_t *buffer, size_t size,
	    struct place *place)
{
	const struct binary_segment *segment = binary_segment(binary, address);

	if (segment == NULL || size == 0)
		return 0;
	uint64_t skip = address - segment->address, left = segment->size - skip;
	if (size > left)
		size = (size_t)left;
	memcpy(buffer, binary->image + segment->offset + skip, size);
	if (place != NULL)
		*place = (struct place){ .input = &binary->file.input,
					 .offset = segment->offset + skip,
					 .length = (uint32_t)size };
	return size;
}

/* Flag in e_flags of MIPS for N32: a 32-bit file that runs with 64-bit registers. */
#define MACHINE_MIPS 8u
#define HEADER_FLAGS 36u
#define FLAG_N32 0x20u

const struct arch *
binary_arch(const struct binary *binary)
{
	const struct reader file = binary_reader(binary);
	unsigned word = binary->word_size;
	uint32_t flags;

	if (binary->format == BINARY_PE || binary->format == BINARY_PDB)
		return arch_of_pe(binary->machine);
	if (binary->machine == MACHINE_MIPS && word == 4 &&
	    reader_u32(&file, HEADER_FLAGS, &flags) && (flags & FLAG_N32) != 0)
		word = 8;
	return arch_of_elf(binary->machine, word);
}

/* The format of a system's programs, by its name in MODULE records. */
static enum binary_format
format_of(struct text os)
{
	if (text_is(os, "windows"))
		return BINARY_PE;
	return text_is(os, "mac") || text_is(os, "iOS") ? BINARY_MACH : BINARY_ELF;
}

const char *
binary_other_target(const struct binary *binary, struct text os, const struct arch *arch,
		    char buffer[static BINARY_OTHER_TARGET])
{
	static const char *const systems[] = { "of another system", "of macOS", "of Windows" };
	static const char *const files[] = { "an ELF file", "a Mach-O file", "a PE file" };
	const enum binary_format own = binary->format == BINARY_PDB ? BINARY_PE : binary->format;
	const enum binary_format wanted = os.length > 0 ? format_of(os) : own;
	const struct arch *own_arch = binary_arch(binary);

	if (arch_known(arch) && arch_known(own_arch) && own_arch != arch)
		snprintf(buffer, BINARY_OTHER_TARGET,
			 "the binary is for %s, the records are for %s", own_arch->name,
			 arch->name);
	else if (own != wanted)
		snprintf(buffer, BINARY_OTHER_TARGET, "the binary is %s, the records are %s",
			 files[own], systems[wanted]);
	else
		return NULL;
	return buffer;
}

void
binary_guid(const char *id, char guid[BINARY_DEBUG_ID])
{
	static const uint8_t order[GUID_SIZE] = { 3, 2, 1, 0, 5, 4, 7, 6,
						  8, 9, 10, 11, 12, 13, 14, 15 };
	size_t length = strlen(id);

	for (size_t i = 0; i < GUID_SIZE; i++) {
		const size_t at = (size_t)order[i] * 2;

		memset(guid + 2 * i, '0', 2);
		if (at + 1 < length)
			memcpy(guid + 2 * i, id + at, 2);
	}
	guid[GUID_DIGITS] = '\0';
}

static void
binary_debug_id(const struct binary *binary, char id[BINARY_DEBUG_ID])
{
	char guid[BINARY_DEBUG_ID];

	if (*binary->debug_id != '\0') {
		snprintf(id, BINARY_DEBUG_ID, "%s", binary->debug_id);
		return;
	}
	binary_guid(binary->id, guid);
	for (size_t i = 0; i < GUID_DIGITS; i++)
		id[i] = (char)toupper((unsigned char)guid[i]);
	memcpy(id + GUID_DIGITS, "0", 2);
}

bool
binary_as_crash(const struct binary *binary, const char *path, struct crash *crash)
{
	static const enum crash_os systems[] = { [BINARY_ELF] = CRASH_OS_LINUX,
						 [BINARY_MACH] = CRASH_OS_MAC,
						 [BINARY_PE] = CRASH_OS_WINDOWS,
						 [BINARY_PDB] = CRASH_OS_WINDOWS };

	if (binary->file.kind != INFLATE_NONE)
		path = binary->plain_name;
	*crash = (struct crash){ .format = "file", .requesting_thread = -1, .dump_count = 1,
				 .reader = { .big_endian = binary->big_endian } };
	message_list_init(&crash->messages, &crash->arena);
	crash->modules = arena_alloc(&crash->arena, sizeof(*crash->modules));
	char *debug_id = arena_alloc(&crash->arena, BINARY_DEBUG_ID);
	if (crash->modules == NULL || debug_id == NULL) {
		crash_free(crash);
		return false;
	}
	binary_debug_id(binary, debug_id);
	crash->system = (struct crash_system){
		.os = systems[binary->format],
		.os_name = "", .os_version = "", .arch = binary_arch(binary), .cpu_name = "",
		.cpu_info = "" };
	crash->module_count = 1;
	crash->modules[0] = (struct module){
		.base = binary->linked_base, .size = UINT64_MAX - binary->linked_base,
		.code_file = path, .code_id = binary->format == BINARY_PDB ? "" : binary->id,
		.debug_file = *binary->debug_file != '\0' ? binary->debug_file : path,
		.debug_id = debug_id, .version = "" };
	const size_t digits = strlen(binary->id);
	if (binary->format == BINARY_PE && digits > TIMESTAMP_DIGITS) {
		const unsigned long long id = strtoull(binary->id, NULL, 16);

		crash->modules[0].size = strtoul(binary->id + TIMESTAMP_DIGITS, NULL, 16);
		crash->modules[0].timestamp = (uint32_t)(id >> 4 * (digits - TIMESTAMP_DIGITS));
	}
	return true;
}

bool
binary_is_program(const struct binary *binary, const struct crash *crash)
{
	const struct module *module = crash->modules;
	const uint64_t entry = crash->program.entry;

	return crash->module_count > 0 && entry > module->base && binary->entry != 0 &&
	       entry - module->base == binary->entry &&
	       binary_arch(binary)->id == crash->system.arch->id;
}

/* Code ----------------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_ranges, struct code_range, SORTED_UP(low) SORTED_UP(high))

void
code_ranges_read(struct code_ranges *ranges, const struct binary *binary, struct arena *arena)
{
	*ranges = (struct code_ranges){ 0 };
	ranges->items = arena_array(arena, binary->section_count, sizeof(*ranges->items));
	for (size_t i = 0; ranges->items != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		const struct code_flags *code = &code_flags[binary->format];
		const uint64_t flags = section->flags & code->flags;
		const uint64_t low = section->address + binary_section_bias(binary);

		if ((code->any ? flags != 0 : flags == code->flags) && section->size != 0 &&
		    section->size <= UINT64_MAX - low)
			ranges->items[ranges->count++] = (struct code_range){
				low, low + section->size };
	}
	SORT(ranges->items, ranges->count, compare_ranges);
}

const struct code_range *
code_ranges_at(const struct code_ranges *ranges, uint64_t address)
{
	const size_t count = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	return count > 0 && address < ranges->items[count - 1].high ? &ranges->items[count - 1]
								   : NULL;
}
