/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/sorted.h"

/* Streams with fixed numbers. They give the numbers of all other streams. */
#define STREAM_INFO 1u
#define STREAM_TYPES 2u
#define STREAM_DBI 3u
#define STREAM_IDS 4u

/* Features that are listed at the end of the info stream. */
#define FEATURE_VC110 20091201u
#define FEATURE_VC140 20140508u
#define FEATURE_MINIMAL 0x494e494du

#define NAMES_MAGIC 0xeffeeffeu
#define NAMES_HEADER 12u
#define DBI_HEADER 64u
#define MODULE_HEADER 64u
#define SECTION_HEADER 40u
#define FRAME_DATA 32u
/* Bytes of a module's name that are read. */
#define NAME_SIZE 1024u
#define SECTION_CODE (0x20000000u | 0x20u)
#define CONTRIBUTIONS_60 0xf12eba2du
#define CONTRIBUTIONS_2 0xf13151e4u

struct pdb_opening {
	struct pdb *pdb;
	struct error *error;
};

static enum error_code
fail(const struct pdb_opening *opening, uint32_t stream, uint64_t offset, const char *what)
{
	return error_set(opening->error, ERROR_FORMAT,
			 msf_place(&opening->pdb->msf, stream, offset, 1),
			 "the PDB's %s cannot be read (stream %" PRIu32 ", offset %" PRIu64 ")",
			 what, stream, offset);
}

static void
note_problem(struct pdb *pdb, uint32_t stream, uint64_t offset, const char *what)
{
	if (pdb->problem_count < PDB_PROBLEMS)
		pdb->problems[pdb->problem_count++] = (struct file_problem){
			.what = what, .place = msf_place(&pdb->msf, stream, offset, 1) };
}

struct text
pdb_text(const struct reader *bytes, uint64_t offset)
{
	if (offset >= bytes->size)
		return (struct text){ "", 0 };
	const char *start = (const char *)bytes->data + offset;
	return (struct text){ start, strnlen(start, (size_t)(bytes->size - offset)) };
}

/* Info stream ---------------------------------------------------------------------------------- */

/* Note a named stream. SourceLink is in "sourcelink", or in "sourcelink$1" and so on. */
static void
note_stream(struct pdb *pdb, struct text name, uint32_t stream)
{
	static const char link[] = "sourcelink";
	const bool server = text_is(name, "srcsrv");

	if (text_is(name, "/names"))
		pdb->names = stream;
	else if ((server || (name.length >= strlen(link) &&
			     memcmp(name.start, link, strlen(link)) == 0)) &&
		 pdb->link_count < PDB_LINKS)
		pdb->links[pdb->link_count++] = (struct pdb_links){ stream, server };
}

/* Read the features, and the named streams: a hash table with a bit vector of its used slots. */
static void
read_names(struct pdb *pdb, const struct reader *info)
{
	uint32_t size, capacity, words, deleted, bits = 0, name, stream, code;

	if (!reader_u32(info, 28, &size))
		return;
	const uint64_t table = 32 + (uint64_t)size;
	if (!reader_u32(info, table + 4, &capacity) || !reader_u32(info, table + 8, &words) ||
	    !reader_u32(info, table + 12 + 4 * (uint64_t)words, &deleted))
		return;
	uint64_t at = table + 16 + 4 * ((uint64_t)words + deleted);
	for (uint32_t slot = 0; slot < capacity && slot / 32 < words; slot++) {
		if (slot % 32 == 0 && !reader_u32(info, table + 12 + slot / 8, &bits))
			return;
		if ((bits >> slot % 32 & 1) == 0)
			continue;
		if (!reader_u32(info, at, &name) || !reader_u32(info, at + 4, &stream))
			return;
		note_stream(pdb, pdb_text(info, 32 + (uint64_t)name), stream);
		at += 8;
	}
	for (at += 4; reader_u32(info, at, &code); at += 4) {
		pdb->has_ids |= code == FEATURE_VC110 || code == FEATURE_VC140;
		pdb->minimal |= code == FEATURE_MINIMAL;
	}
}

static enum error_code
read_info(struct pdb_opening *opening)
{
	struct pdb *pdb = opening->pdb;
	struct reader info;
	uint32_t head[3];

	if (!msf_bytes(&pdb->msf, STREAM_INFO, 0, msf_size(&pdb->msf, STREAM_INFO), &pdb->arena,
		       &info) ||
	    !reader_u32(&info, 8, &pdb->written) || info.size < 28)
		return fail(opening, STREAM_INFO, 0, "info stream");
	uint16_t parts[2] = { 0 };
	reader_u32(&info, 12, &head[0]);
	reader_u16(&info, 16, &parts[0]);
	reader_u16(&info, 18, &parts[1]);
	snprintf(pdb->id, sizeof(pdb->id), "%08" PRIX32 "%04X%04X", head[0], parts[0], parts[1]);
	for (unsigned i = 0; i < 8; i++)
		snprintf(pdb->id + 16 + 2 * i, 3, "%02X", info.data[20 + i]);
	read_names(pdb, &info);
	uint32_t magic = 0;
	uint8_t names[NAMES_HEADER];
	const struct reader header = { .data = names, .size = sizeof(names) };
	if (msf_read(&pdb->msf, pdb->names, 0, names, sizeof(names)) &&
	    reader_u32(&header, 0, &magic) && magic == NAMES_MAGIC) {
		reader_u32(&header, 8, &pdb->names_size);
		return ERROR_NONE;
	}
	note_problem(pdb, pdb->names != MSF_NONE ? pdb->names : STREAM_INFO, 0,
		     "the string table cannot be read"
		     "\nlines have no file names, and unwind records have no programs");
	pdb->names = MSF_NONE;
	return ERROR_NONE;
}

const char *
pdb_name(const struct pdb *pdb, uint32_t offset, struct arena *arena)
{
	const uint64_t at = NAMES_HEADER + (uint64_t)offset;
	char part[256];

	if (pdb->names == MSF_NONE || offset >= pdb->names_size)
		return "";
	/* Most texts are short and end in the first part. */
	for (size_t length = 0; length < LIMIT_PDB_TEXT;) {
		const uint64_t end = msf_size(&pdb->msf, pdb->names);
		const uint64_t left = at + length < end ? end - at - length : 0;
		const size_t size = left < sizeof(part) ? (size_t)left : sizeof(part);

		if (size == 0 || !msf_read(&pdb->msf, pdb->names, at + length, part, size))
			break;
		const size_t more = strnlen(part, size);
		length += more;
		if (more == size)
			continue;
		char *text = arena_alloc(arena, length + 1);
		return text != NULL && msf_read(&pdb->msf, pdb->names, at, text, length) ? text
											 : "";
	}
	return "";
}

struct place
pdb_name_place(const struct pdb *pdb, uint32_t offset, size_t length)
{
	return msf_place(&pdb->msf, pdb->names, NAMES_HEADER + (uint64_t)offset, (uint32_t)length);
}

/* DBI stream ----------------------------------------------------------------------------------- */

/* The DBI stream while it is read from front to back, a window at a time. */
struct dbi_reader {
	const struct pdb *pdb;
	uint64_t at, end;		/* place in the stream */
	uint64_t start;			/* offset of the window in the stream */
	size_t size;
	uint8_t window[16384];
};

/* At least `size` bytes from here on; NULL: fewer are left. */
static const uint8_t *
peek(struct dbi_reader *dbi, size_t size)
{
	const uint64_t left = dbi->end - dbi->at;

	if (left < size)
		return NULL;
	if (dbi->at < dbi->start || dbi->at + size > dbi->start + dbi->size) {
		dbi->start = dbi->at;
		dbi->size = left < sizeof(dbi->window) ? (size_t)left : sizeof(dbi->window);
		if (!msf_read(&dbi->pdb->msf, STREAM_DBI, dbi->start, dbi->window, dbi->size))
			dbi->size = 0;
	}
	return dbi->size >= size ? dbi->window + (dbi->at - dbi->start) : NULL;
}

/* Copy the beginning of a text and move to its end; false: it has no end. */
static bool
take_text(struct dbi_reader *dbi, char *to, size_t room)
{
	for (const uint8_t *text; (text = peek(dbi, 1)) != NULL;) {
		const size_t left = (size_t)(dbi->start + dbi->size - dbi->at);
		const uint8_t *end = memchr(text, '\0', left);
		const size_t part = end != NULL ? (size_t)(end - text) + 1 : left;
		const size_t copied = part < room ? part : room;

		memcpy(to, text, copied);
		to += copied;
		room -= copied;
		dbi->at += part;
		if (end != NULL)
			return true;
	}
	return false;
}

static bool
read_module(struct dbi_reader *dbi, uint64_t start, struct pdb_module_info *module,
	    char name[NAME_SIZE])
{
	char library[1];

	const struct reader header = { .data = peek(dbi, MODULE_HEADER), .size = MODULE_HEADER };

	if (header.data == NULL)
		return false;
	reader_u16(&header, 34, &module->stream);
	reader_u32(&header, 36, &module->symbols);
	reader_u32(&header, 40, &module->old_lines);
	reader_u32(&header, 44, &module->lines);
	dbi->at += MODULE_HEADER;
	if (!take_text(dbi, name, NAME_SIZE) || !take_text(dbi, library, sizeof(library)))
		return false;
	const uint64_t padding = -(dbi->at - start) & 3;
	dbi->at += padding;
	return dbi->at <= dbi->end;
}

/*
 * Streams have no blocks in common, so all modules together are at most as large as the file. If
 * they are larger, modules share a stream, which would be read many times. Then the modules beyond
 * that size lose their streams. False: out of memory.
 */
static bool
read_modules(struct pdb *pdb, uint64_t start, uint32_t size)
{
	struct dbi_reader dbi = { .pdb = pdb, .at = start, .end = start + size };
	struct pdb_module_info module;
	char name[NAME_SIZE];
	uint64_t whole = 0;
	bool shared = false;

	while (dbi.end - dbi.at >= MODULE_HEADER) {
		if (!read_module(&dbi, start, &module, name)) {
			note_problem(pdb, STREAM_DBI, dbi.at, "the list of modules ends early"
				     "\nfunctions and lines of the other modules are missing");
			break;
		}
		const uint64_t bytes = module.stream == MSF_NONE
					       ? 0 : msf_size(&pdb->msf, module.stream);
		if (bytes > pdb->msf.file->size - whole) {
			if (!shared)
				note_problem(pdb, STREAM_DBI, dbi.at, "modules share their streams"
					     "\nfunctions and lines of the later ones are missing");
			shared = true;
			module.stream = MSF_NONE;
		} else {
			whole += bytes;
		}
		if (!ARENA_ADD(&pdb->arena, pdb->modules, pdb->module_count, pdb->module_capacity,
			       &module))
			return false;
	}
	return true;
}

void
pdb_module_names(const struct pdb *pdb,
		 void (*tell)(void *context, size_t number, struct text name), void *context)
{
	struct dbi_reader dbi = { .pdb = pdb, .at = DBI_HEADER,
				  .end = DBI_HEADER + (uint64_t)pdb->modules_size };
	struct pdb_module_info module;
	char name[NAME_SIZE];

	for (size_t i = 0; i < pdb->module_count && read_module(&dbi, DBI_HEADER, &module, name);
	     i++)
		tell(context, i, (struct text){ name, strnlen(name, sizeof(name)) });
}

static bool
read_sections(struct pdb *pdb)
{
	const uint16_t linked = pdb->debug[PDB_SECTIONS_LINKED];
	const uint16_t stream = linked != MSF_NONE ? linked : pdb->debug[PDB_SECTIONS];
	const uint64_t size = msf_size(&pdb->msf, stream), count = size / SECTION_HEADER;
	const uint64_t most = count < LIMIT_SECTIONS ? count : LIMIT_SECTIONS;
	struct reader headers;

	if (stream == MSF_NONE)
		return true;
	pdb->sections = arena_array(&pdb->arena, (size_t)most + 1, sizeof(*pdb->sections));
	if (pdb->sections == NULL)
		return false;
	if (!msf_bytes(&pdb->msf, stream, 0, most * SECTION_HEADER, &pdb->arena, &headers)) {
		note_problem(pdb, stream, 0, "the section headers cannot be read"
			     "\nthe addresses of its functions are unknown");
		return true;
	}
	if (count == 0 || size % SECTION_HEADER != 0)
		note_problem(pdb, stream, count * SECTION_HEADER,
			     "the section headers end inside a header"
			     "\nthe addresses of functions there are unknown");
	for (; pdb->section_count < most; pdb->section_count++) {
		struct pdb_section *section = &pdb->sections[pdb->section_count];
		const uint64_t at = (uint64_t)pdb->section_count * SECTION_HEADER;
		uint32_t flags = 0;

		reader_u32(&headers, at + 8, &section->size);
		reader_u32(&headers, at + 12, &section->address);
		reader_u32(&headers, at + 36, &flags);
		section->code = (flags & SECTION_CODE) != 0;
	}
	return true;
}

/* An unsorted table is not used. Addresses then remain those of the linked image. */
static bool
read_omap(struct pdb *pdb, enum pdb_debug which, struct pdb_omap *omap)
{
	const uint16_t stream = pdb->debug[which];
	const size_t count = (size_t)(msf_size(&pdb->msf, stream) / 8);
	struct reader bytes;

	if (stream == MSF_NONE || count == 0)
		return true;
	omap->items = arena_array(&pdb->arena, count, sizeof(*omap->items));
	if (omap->items == NULL)
		return false;
	if (!msf_bytes(&pdb->msf, stream, 0, (uint64_t)count * 8, &pdb->arena, &bytes))
		note_problem(pdb, stream, 0, "an OMAP stream cannot be read"
			     "\naddresses are those before the image was rewritten");
	for (size_t i = 0; bytes.size > 0 && i < count; i++) {
		reader_u32(&bytes, 8 * (uint64_t)i, &omap->items[i].from);
		reader_u32(&bytes, 8 * (uint64_t)i + 4, &omap->items[i].to);
		if (i > 0 && omap->items[i].from < omap->items[i - 1].from) {
			note_problem(pdb, stream, 8 * (uint64_t)i, "an OMAP stream is not sorted"
				     "\naddresses are those before the image was rewritten");
			omap->count = 0;
			return true;
		}
		omap->count = i + 1;
	}
	return true;
}

/* The streams of the debug header. A short header lacks the last streams. */
static bool
read_debug(struct pdb *pdb, const struct reader *header)
{
	for (unsigned i = 0; i < PDB_DEBUG_COUNT; i++) {
		pdb->debug[i] = MSF_NONE;
		reader_u16(header, 2 * (uint64_t)i, &pdb->debug[i]);
	}
	if (!read_sections(pdb) || !read_omap(pdb, PDB_OMAP_TO, &pdb->to) ||
	    !read_omap(pdb, PDB_OMAP_FROM, &pdb->from))
		return false;
	if (pdb->to.count == 0 || pdb->from.count == 0)
		pdb->to.count = pdb->from.count = 0;
	return true;
}

/* The parts of the DBI stream, in their order. */
enum dbi_part {
	DBI_MODULES, DBI_CONTRIBUTIONS, DBI_SECTION_MAP, DBI_SOURCES, DBI_TYPE_SERVERS, DBI_EDIT,
	DBI_DEBUG, DBI_PARTS
};

struct dbi_range {
	uint64_t at;
	uint32_t size;
};

/* Locate the parts by their sizes in the header. */
static enum error_code
find_parts(struct pdb_opening *opening, const struct reader *header,
	   struct dbi_range ranges[DBI_PARTS])
{
	static const uint8_t sizes[DBI_PARTS] = {
		[DBI_MODULES] = 24, [DBI_CONTRIBUTIONS] = 28, [DBI_SECTION_MAP] = 32,
		[DBI_SOURCES] = 36, [DBI_TYPE_SERVERS] = 40, [DBI_EDIT] = 52, [DBI_DEBUG] = 48,
	};
	const uint64_t all = msf_size(&opening->pdb->msf, STREAM_DBI);
	uint64_t at = DBI_HEADER;

	for (size_t i = 0; i < DBI_PARTS; i++) {
		ranges[i].at = at;
		reader_u32(header, sizes[i], &ranges[i].size);
		if (!checked_within(at, ranges[i].size, all))
			return fail(opening, STREAM_DBI, sizes[i], "DBI stream");
		at += ranges[i].size;
	}
	return ERROR_NONE;
}

/* Large programs have many contributions, so these stay in the file until they are needed. */
static enum error_code
read_dbi(struct pdb_opening *opening)
{
	struct dbi_range ranges[DBI_PARTS];
	struct pdb *pdb = opening->pdb;
	uint8_t bytes[DBI_HEADER];
	const struct reader header = { .data = bytes, .size = sizeof(bytes) };
	struct reader debug;
	uint32_t mark = 0;
	uint16_t stream;

	if (!msf_read(&pdb->msf, STREAM_DBI, 0, bytes, sizeof(bytes)) ||
	    !reader_u32(&header, 0, &mark) || mark != UINT32_MAX)
		return fail(opening, STREAM_DBI, 0, "DBI stream");
	reader_u32(&header, 8, &pdb->age);
	reader_u16(&header, 12, &stream);
	pdb->globals = stream;
	reader_u16(&header, 16, &stream);
	pdb->publics = stream;
	reader_u16(&header, 20, &stream);
	pdb->records = stream;
	reader_u16(&header, 58, &pdb->machine);
	const enum error_code code = find_parts(opening, &header, ranges);
	if (code != ERROR_NONE)
		return code;
	if (!msf_bytes(&pdb->msf, STREAM_DBI, ranges[DBI_DEBUG].at, ranges[DBI_DEBUG].size,
		       &pdb->arena, &debug))
		return fail(opening, STREAM_DBI, 0, "DBI stream");
	pdb->modules_size = ranges[DBI_MODULES].size;
	pdb->contributions = (uint32_t)ranges[DBI_CONTRIBUTIONS].at;
	pdb->contributions_size = ranges[DBI_CONTRIBUTIONS].size;
	snprintf(pdb->id + 32, sizeof(pdb->id) - 32, "%" PRIx32, pdb->age);
	return read_modules(pdb, ranges[DBI_MODULES].at, ranges[DBI_MODULES].size) &&
			       read_debug(pdb, &debug)
		       ? ERROR_NONE : error_memory(opening->error);
}

/* Check the heads of streams that are read later. */
static void
check_streams(struct pdb *pdb)
{
	static const char *const missing[] = {
		"the records of types cannot be read\nparameters of some functions are missing",
		"the records of functions cannot be read\ninlined calls have no names",
	};
	uint8_t bytes[20];
	const struct reader header = { .data = bytes, .size = sizeof(bytes) };
	const uint64_t frames = msf_size(&pdb->msf, pdb->debug[PDB_FRAME_DATA]);
	uint32_t start, size;

	for (unsigned i = 0; i < 2; i++) {
		const uint32_t stream = i == 0 ? STREAM_TYPES : STREAM_IDS;

		if ((i == 1 && !pdb->has_ids) || msf_size(&pdb->msf, stream) == 0)
			continue;
		if (!msf_read(&pdb->msf, stream, 0, bytes, sizeof(bytes)) ||
		    !reader_u32(&header, 4, &start) || !reader_u32(&header, 16, &size) ||
		    !checked_within(start, size, msf_size(&pdb->msf, stream)))
			note_problem(pdb, stream, 0, missing[i]);
	}
	if (pdb->publics != MSF_NONE && !pdb_publics_fit(pdb))
		note_problem(pdb, pdb->publics, 0, "the table of public symbols cannot be read"
			     "\nfunctions that have no other symbol are missing");
	if (frames % FRAME_DATA > 4)
		note_problem(pdb, pdb->debug[PDB_FRAME_DATA], frames - frames % FRAME_DATA,
			     "the last unwind record is truncated\nit is left out");
	if (pdb->minimal)
		note_problem(pdb, STREAM_INFO, 0, "linked with /DEBUG:FASTLINK, which leaves "
			     "functions and lines in the object files"
			     "\nonly public symbols are known; link with /DEBUG:FULL");
}

enum error_code
pdb_open(struct pdb **pdb, const struct file *file, struct error *error)
{
	struct pdb *made = calloc(1, sizeof(*made));
	struct pdb_opening opening = { .pdb = made, .error = error };

	*pdb = NULL;
	if (made == NULL)
		return error_memory(error);
	made->names = MSF_NONE;
	enum error_code code = msf_open(&made->msf, file, &made->arena, error);
	if (code == ERROR_NONE)
		code = read_info(&opening);
	if (code == ERROR_NONE)
		code = read_dbi(&opening);
	if (code != ERROR_NONE) {
		pdb_close(made);
		return code;
	}
	check_streams(made);
	*pdb = made;
	return ERROR_NONE;
}

void
pdb_close(struct pdb *pdb)
{
	if (pdb == NULL)
		return;
	arena_free(&pdb->arena);
	free(pdb);
}

/* Addresses ------------------------------------------------------------------------------------ */

bool
pdb_address(const struct pdb *pdb, uint16_t section, uint32_t offset, uint32_t *address)
{
	if (section == 0 || section > pdb->section_count)
		return false;
	const struct pdb_section *in = &pdb->sections[section - 1];
	if (offset > UINT32_MAX - in->address)
		return false;
	*address = in->address + offset;
	return true;
}

size_t
pdb_module_at(const struct pdb *pdb, uint32_t address)
{
	uint8_t bytes[28];
	const struct reader entry = { .data = bytes, .size = sizeof(bytes) };
	const uint64_t start = (uint64_t)pdb->contributions + 4;
	uint32_t version, offset = 0, size = 0, section = 0;
	uint16_t number = 0, module = 0;

	while (section < pdb->section_count &&
	       !checked_contains(pdb->sections[section].address, pdb->sections[section].size,
				 address))
		section++;
	if (section >= pdb->section_count || pdb->contributions_size < 4 ||
	    !msf_read(&pdb->msf, STREAM_DBI, pdb->contributions, bytes, 4) ||
	    !reader_u32(&entry, 0, &version))
		return SIZE_MAX;
	const uint32_t stride = version == CONTRIBUTIONS_2 ? 32 : 28;
	const size_t count = version == CONTRIBUTIONS_2 || version == CONTRIBUTIONS_60
				     ? (pdb->contributions_size - 4) / stride : 0;
	const uint32_t wanted = address - pdb->sections[section].address;
	size_t at;
	BISECT(at, count,
	       msf_read(&pdb->msf, STREAM_DBI, start + (uint64_t)at * stride, bytes, 28) &&
	       reader_u16(&entry, 0, &number) && reader_u32(&entry, 4, &offset) &&
	       (number < section + 1 || (number == section + 1 && offset <= wanted)));
	if (at == 0 ||
	    !msf_read(&pdb->msf, STREAM_DBI, start + (uint64_t)(at - 1) * stride, bytes, 28))
		return SIZE_MAX;
	reader_u16(&entry, 0, &number);
	reader_u32(&entry, 4, &offset);
	reader_u32(&entry, 8, &size);
	reader_u16(&entry, 16, &module);
	return number == section + 1 && checked_contains(offset, size, wanted) &&
			       module < pdb->module_count ? module : SIZE_MAX;
}
