/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * make-pdb REAL MEGABYTES OUTPUT: a real PDB within an invented large one.
 *
 * All data of the real PDB keeps its meaning: its modules, addresses, types and stream numbers. After it come invented modules
 * with procedures, variables and lines, their contributions, public symbols, types and frame records. They are in a section of
 * their own above the real ones, so that the frames of its crash resolve as before. Streams are in runs of blocks that are far
 * apart, as in files to which a linker has written for a while. The size is exact within some per cent.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/reader.h"
#include "pdb/msf.h"
#include "pdb/pdb.h"
#include "tests/lib/bytes.h"
#include "tests/bench/bench.h"

enum {
	BLOCK = 4096,
	RUN = 16,			/* blocks that stay together */
	FUNCTIONS = 40,			/* of a module */
	VARIABLES = 6, LINES = 25,	/* of a function */
	TYPES = 90,			/* for each module */
	HINT = 64,			/* types for each pair of a number and an offset */
	CODE = 64,			/* bytes of a function */
	SECTION_AT = 0x1000000,
	MODULES_MOST = 60000,
	/* Stream numbers, and the offsets of other streams' numbers in the DBI stream's header. */
	TYPES_STREAM = 2, DBI = 3, PUBLICS_AT = 16, RECORDS_AT = 20,
};

/* A stream that grows. It is made twice: first to find its size, then to write its bytes. */
struct grown {
	uint64_t at, size, first;	/* the index of its first block */
};

struct maker {
	struct msf real;
	struct arena arena;
	uint32_t modules;		/* invented ones */
	struct grown streams[65535];
	uint32_t stream_count;
	uint64_t blocks;		/* of all streams */
	uint8_t *to;			/* the new file; NULL: sizes are counted */
	uint64_t file_blocks;
};

/* The place of block `index` in the file: runs of blocks are shuffled. */
static uint64_t
place_of(const struct maker *maker, uint64_t index)
{
	const uint64_t runs = maker->blocks / RUN, run = index / RUN;
	/* A prime above the number of runs gives each run a place of its own. */
	const uint64_t moved = run < runs ? run * 1000003u % runs : run;

	return 1 + moved * RUN + index % RUN;
}

static void
write_at(struct maker *maker, const struct grown *stream, uint64_t at, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (maker->to != NULL && size > 0) {
		const uint64_t skip = at % BLOCK, left = BLOCK - skip;
		const size_t part = size < left ? size : (size_t)left;

		memcpy(maker->to + place_of(maker, stream->first + at / BLOCK) * BLOCK + skip, from, part);
		from += part;
		at += part;
		size -= part;
	}
}

static void
put(struct maker *maker, uint32_t stream, const void *bytes, size_t size)
{
	write_at(maker, &maker->streams[stream], maker->streams[stream].at, bytes, size);
	maker->streams[stream].at += size;
}

/* The bytes of a stream of the real file. */
static uint8_t *
real_stream(struct maker *maker, uint32_t stream, uint64_t *size)
{
	*size = msf_size(&maker->real, stream);
	uint8_t *bytes = calloc(1, (size_t)*size + 1);
	if (bytes == NULL || !msf_read(&maker->real, stream, 0, bytes, (size_t)*size))
		give_up("the PDB");
	return bytes;
}

static uint32_t
address_of(uint32_t module, uint32_t function)
{
	return (module * FUNCTIONS + function) * CODE;
}

/* Modules -------------------------------------------------------------------------------------- */

/* A symbol record: its length without these two bytes, its kind, fields, a name; padded to 4. */
static void
put_symbol(struct maker *maker, uint32_t stream, uint16_t kind, const uint8_t *fields, size_t size, const char *name)
{
	uint8_t record[256] = { 0 };
	const size_t whole = (4 + size + (name != NULL ? strlen(name) + 1 : 0) + 3) & ~(size_t)3;

	put_le(record, whole - 2, 2);
	put_le(record + 2, kind, 2);
	memcpy(record + 4, fields, size);
	if (name != NULL)
		memcpy(record + 4 + size, name, strlen(name) + 1);
	put(maker, stream, record, whole);
}

static void
put_function(struct maker *maker, uint32_t stream, uint32_t module, uint32_t function, uint16_t section)
{
	uint8_t fields[35] = { 0 };
	char name[64];

	snprintf(name, sizeof(name), "invented::part_%" PRIu32 "::work_%" PRIu32, module, function);
	/* S_GPROC32: parent, end, next, length, debug start and end, type, offset, section, flags. */
	put_le(fields + 12, CODE, 4);
	put_le(fields + 20, CODE - 1, 4);
	put_le(fields + 28, address_of(module, function), 4);
	put_le(fields + 32, section, 2);
	put_symbol(maker, stream, 0x1110, fields, sizeof(fields), name);
	/* S_FRAMEPROC, S_REGREL32 (offset, type, register) and S_END. */
	put_symbol(maker, stream, 0x1012, (uint8_t[26]){ 0 }, 26, NULL);
	for (uint32_t i = 0; i < VARIABLES; i++) {
		snprintf(name, sizeof(name), "value_%" PRIu32, i);
		put_symbol(maker, stream, 0x1111, (uint8_t[10]){ (uint8_t)(i * 4), 0, 0, 0, 0x74, 0, 0, 0, 22, 0 }, 10, name);
	}
	put_symbol(maker, stream, 0x0006, NULL, 0, NULL);
}

/* A LINES subsection: its head, that of one file, and the rows. */
static void
put_lines(struct maker *maker, uint32_t stream, uint32_t module, uint32_t function, uint16_t section)
{
	uint8_t bytes[8 + 12 + 12 + 8 * LINES] = { 0 };

	put_le(bytes, 0xf2, 4);
	put_le(bytes + 4, sizeof(bytes) - 8, 4);
	put_le(bytes + 8, address_of(module, function), 4);
	put_le(bytes + 12, section, 2);
	put_le(bytes + 16, CODE, 4);
	put_le(bytes + 24, LINES, 4);
	put_le(bytes + 28, 12 + 8 * LINES, 4);
	for (uint32_t i = 0; i < LINES; i++) {
		put_le(bytes + 32 + 8 * i, i * (CODE / LINES), 4);
		put_le(bytes + 36 + 8 * i, 0x80000000u | (function * LINES + i + 1), 4);
	}
	put(maker, stream, bytes, sizeof(bytes));
}

/* The sizes of the symbols and of the data after them. */
static void
put_module(struct maker *maker, uint32_t stream, uint32_t module, uint16_t section, uint64_t *symbols, uint64_t *lines)
{
	/* The checksums of one file: its name in the string table, no checksum. */
	const uint8_t files[16] = { 0xf4, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 };
	const uint64_t begin = maker->streams[stream].at;

	put(maker, stream, (uint8_t[4]){ 4, 0, 0, 0 }, 4);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_function(maker, stream, module, i, section);
	*symbols = maker->streams[stream].at - begin;
	put(maker, stream, files, sizeof(files));
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_lines(maker, stream, module, i, section);
	*lines = maker->streams[stream].at - begin - *symbols;
	/* No references to global symbols. */
	put(maker, stream, (uint8_t[4]){ 0 }, 4);
}

/* Streams that grow ---------------------------------------------------------------------------- */

/* Source files of modules: how many modules, files; for each module two numbers; the files. */
static uint64_t
put_sources(struct maker *maker, const uint8_t *sources, uint64_t size)
{
	const uint64_t real = reader_number(sources, 2, false), begin = maker->streams[DBI].at;
	uint8_t number[2];

	put_le(number, real + maker->modules, 2);
	put(maker, DBI, number, 2);
	put(maker, DBI, sources + 2, 2);
	for (unsigned part = 0; part < 2; part++) {
		put(maker, DBI, sources + 4 + 2 * real * part, 2 * (size_t)real);
		for (uint32_t i = 0; i < maker->modules; i++)
			put(maker, DBI, (uint8_t[2]){ 0 }, 2);
	}
	put(maker, DBI, sources + 4 + 4 * real, (size_t)(size - 4 - 4 * real));
	return maker->streams[DBI].at - begin;
}

/* Write the list of modules, contributions and source files; the rest of the DBI stream stays. */
static void
make_dbi(struct maker *maker, uint16_t section, uint64_t symbols, uint64_t lines)
{
	const uint32_t real_streams = maker->real.stream_count;
	uint64_t size;
	uint8_t *dbi = real_stream(maker, DBI, &size);
	const uint64_t list = reader_number(dbi + 24, 4, false), parts = reader_number(dbi + 28, 4, false);
	const uint64_t map = reader_number(dbi + 32, 4, false), sources = reader_number(dbi + 36, 4, false);
	uint64_t modules = 0;
	char names[2][64];

	for (uint64_t at = 64; at + 64 <= 64 + list; modules++) {
		at += 64;
		at += strlen((char *)dbi + at) + 1;
		at = (at + strlen((char *)dbi + at) + 1 + 3) & ~(uint64_t)3;
	}
	put(maker, DBI, dbi, 64 + (size_t)list);
	for (uint32_t i = 0; i < maker->modules; i++) {
		uint8_t entry[64 + 128] = { 0 };
		const int first = snprintf(names[0], sizeof(names[0]), "c:\\invented\\part_%05" PRIu32 ".obj", i);

		put_le(entry + 34, real_streams + i, 2);
		put_le(entry + 36, symbols, 4);
		put_le(entry + 44, lines, 4);
		memcpy(entry + 64, names[0], (size_t)first + 1);
		memcpy(entry + 64 + first + 1, names[0], (size_t)first + 1);
		put(maker, DBI, entry, (64 + 2 * ((size_t)first + 1) + 3) & ~(size_t)3);
	}
	const uint64_t grown_list = maker->streams[DBI].at - 64;
	put(maker, DBI, dbi + 64 + list, (size_t)parts);
	for (uint32_t i = 0; i < maker->modules * FUNCTIONS; i++) {
		uint8_t entry[28] = { 0 };
		put_le(entry, section, 2);
		put_le(entry + 4, (uint64_t)i * CODE, 4);
		put_le(entry + 8, CODE, 4);
		put_le(entry + 12, 0x60000020, 4);
		put_le(entry + 16, modules + i / FUNCTIONS, 2);
		put(maker, DBI, entry, sizeof(entry));
	}
	const uint64_t grown_parts = maker->streams[DBI].at - 64 - grown_list;
	uint64_t at = 64 + list + parts;
	put(maker, DBI, dbi + at, (size_t)map);
	at += map;
	const uint64_t grown_sources = put_sources(maker, dbi + at, sources);
	at += sources;
	put(maker, DBI, dbi + at, (size_t)(size - at));
	put_le(dbi + 24, grown_list, 4);
	put_le(dbi + 28, grown_parts, 4);
	put_le(dbi + 36, grown_sources, 4);
	write_at(maker, &maker->streams[DBI], 24, dbi + 24, 16);
	free(dbi);
}

/* Public symbols: records, the table of the real ones, then that of the invented ones. */
static void
make_publics(struct maker *maker, uint32_t stream, uint32_t records, uint16_t section)
{
	uint64_t size, record_size;
	uint8_t *publics = real_stream(maker, stream, &size);
	uint8_t *real = real_stream(maker, records, &record_size);
	const uint64_t behind = 28 + reader_number(publics, 4, false) + reader_number(publics + 4, 4, false);

	put(maker, records, real, (size_t)record_size);
	put(maker, stream, publics, (size_t)behind);
	for (uint32_t i = 0; i < maker->modules * FUNCTIONS; i++) {
		uint8_t offset[4], fields[10] = { 2 };
		char name[64];

		put_le(offset, maker->streams[records].at, 4);
		put(maker, stream, offset, 4);
		put_le(fields + 4, (uint64_t)i * CODE, 4);
		put_le(fields + 8, section, 2);
		snprintf(name, sizeof(name), "?work_%" PRIu32 "@part_%" PRIu32 "@invented@@YAXXZ", i % FUNCTIONS, i / FUNCTIONS);
		put_symbol(maker, records, 0x110e, fields, sizeof(fields), name);
	}
	put(maker, stream, publics + behind, (size_t)(size - behind));
	put_le(publics, reader_number(publics + 4, 4, false) + 4 * (uint64_t)maker->modules * FUNCTIONS, 4);
	write_at(maker, &maker->streams[stream], 4, publics, 4);
	free(publics);
	free(real);
}

/* Frame records, equal to the first of the real ones. */
static void
make_frames(struct maker *maker, uint32_t stream)
{
	uint64_t size;
	uint8_t *frames = real_stream(maker, stream, &size);

	put(maker, stream, frames, (size_t)size);
	for (uint32_t i = 0; size >= 32 && i < maker->modules * FUNCTIONS * 2; i++) {
		put_le(frames, SECTION_AT + (uint64_t)i / 2 * CODE + i % 2, 4);
		put_le(frames + 4, CODE - i % 2, 4);
		put(maker, stream, frames, 32);
	}
	free(frames);
}

static void
make_sections(struct maker *maker, uint32_t stream)
{
	uint64_t size;
	uint8_t *headers = real_stream(maker, stream, &size), header[40] = "invented";

	put(maker, stream, headers, (size_t)size);
	put_le(header + 8, (uint64_t)maker->modules * FUNCTIONS * CODE, 4);
	put_le(header + 12, SECTION_AT, 4);
	put_le(header + 36, 0x60000020, 4);
	put(maker, stream, header, sizeof(header));
	free(headers);
}

/* Structures without members; the stream of hashes gets pairs of numbers and offsets. */
static void
make_types(struct maker *maker)
{
	uint64_t size, hint_size;
	uint8_t *types = real_stream(maker, TYPES_STREAM, &size);
	const uint32_t hints = (uint32_t)reader_number(types + 20, 2, false);
	const uint64_t first = reader_number(types + 12, 4, false),
		       real_bytes = reader_number(types + 16, 4, false);
	const uint64_t count = (uint64_t)maker->modules * TYPES;
	uint8_t *hint = real_stream(maker, hints, &hint_size);
	const uint64_t old = reader_number(types + 40, 4, false), old_size = reader_number(types + 44, 4, false);
	const uint64_t hash = reader_number(types + 32, 4, false),
		       hash_size = reader_number(types + 36, 4, false);

	put(maker, TYPES_STREAM, types, (size_t)size);
	put(maker, hints, hint, (size_t)hint_size);
	/* A hash for each type, and the pairs. */
	put(maker, hints, hint + hash, (size_t)hash_size);
	for (uint64_t i = 0; i < count; i++)
		put(maker, hints, (uint8_t[4]){ 0 }, 4);
	const uint64_t pairs = maker->streams[hints].at;
	put(maker, hints, hint + old, (size_t)old_size);
	for (uint64_t i = 0; i < count; i++) {
		uint8_t fields[18] = { 0 }, pair[8];
		char name[64];

		put_le(pair, first + i, 4);
		put_le(pair + 4, real_bytes + maker->streams[TYPES_STREAM].at - size, 4);
		if (i % HINT == 0)
			put(maker, hints, pair, 8);
		put_le(fields + 2, 0x80, 2);
		snprintf(name, sizeof(name), "invented::structure_%" PRIu64, i);
		put_symbol(maker, TYPES_STREAM, 0x1505, fields, sizeof(fields), name);
	}
	put_le(types + 12, first + count, 4);
	put_le(types + 16, real_bytes + maker->streams[TYPES_STREAM].at - size, 4);
	put_le(types + 32, hint_size, 4);
	put_le(types + 36, pairs - hint_size, 4);
	put_le(types + 40, pairs, 4);
	put_le(types + 44, maker->streams[hints].at - pairs, 4);
	write_at(maker, &maker->streams[TYPES_STREAM], 12, types + 12, 36);
	free(types);
	free(hint);
}

/* Every stream of the new file. */
static void
make(struct maker *maker)
{
	uint64_t size, symbols = 0, lines = 0;
	uint8_t *dbi = real_stream(maker, DBI, &size);
	/* The debug header is the last but one of the parts, whose sizes begin at 24. */
	const uint64_t header = 64 + reader_number(dbi + 24, 4, false) + reader_number(dbi + 28, 4, false) +
				reader_number(dbi + 32, 4, false) + reader_number(dbi + 36, 4, false) +
				reader_number(dbi + 40, 4, false) + reader_number(dbi + 52, 4, false);
	const uint32_t publics = (uint32_t)reader_number(dbi + PUBLICS_AT, 2, false);
	const uint32_t records = (uint32_t)reader_number(dbi + RECORDS_AT, 2, false);
	const uint32_t sections = (uint32_t)reader_number(dbi + header + 10, 2, false);
	const uint32_t frames = (uint32_t)reader_number(dbi + header + 18, 2, false);
	const uint16_t section = (uint16_t)(msf_size(&maker->real, sections) / 40 + 1);

	for (uint32_t i = 0; i < maker->stream_count; i++)
		maker->streams[i].at = 0;
	for (uint32_t i = 0; i < maker->modules; i++)
		put_module(maker, maker->real.stream_count + i, i, section, &symbols, &lines);
	make_dbi(maker, section, symbols, lines);
	make_publics(maker, publics, records, section);
	make_frames(maker, frames);
	make_sections(maker, sections);
	make_types(maker);
	for (uint32_t i = 0; i < maker->real.stream_count; i++)
		if (maker->streams[i].at == 0) {
			uint64_t same;
			uint8_t *bytes = real_stream(maker, i, &same);

			put(maker, i, bytes, (size_t)same);
			free(bytes);
		}
	free(dbi);
}

/* The container -------------------------------------------------------------------------------- */

static uint64_t
blocks_of(uint64_t size)
{
	return (size + BLOCK - 1) / BLOCK;
}

/* Give every stream its blocks; returns the size of the directory. */
static uint64_t
lay_out(struct maker *maker)
{
	maker->blocks = 0;
	for (uint32_t i = 0; i < maker->stream_count; i++) {
		struct grown *stream = &maker->streams[i];
		stream->size = stream->at;
		stream->first = maker->blocks;
		maker->blocks += blocks_of(stream->size);
	}
	return 4 + 4 * (uint64_t)maker->stream_count + 4 * maker->blocks;
}

/* The header, and after all streams the directory and the list of its blocks. */
static void
write_directory(struct maker *maker, uint64_t size)
{
	const uint64_t directory = 1 + maker->blocks, map = directory + blocks_of(size);
	uint8_t *at = maker->to + directory * BLOCK;

	memcpy(maker->to, maker->real.file->data, 32);
	put_le(maker->to + 32, BLOCK, 4);
	put_le(maker->to + 36, 1, 4);
	put_le(maker->to + 40, maker->file_blocks, 4);
	put_le(maker->to + 44, size, 4);
	put_le(maker->to + 52, map, 4);
	for (uint64_t i = 0; i < blocks_of(size); i++)
		put_le(maker->to + map * BLOCK + 4 * i, directory + i, 4);
	put_le(at, maker->stream_count, 4);
	at += 4;
	for (uint32_t i = 0; i < maker->stream_count; i++, at += 4)
		put_le(at, maker->streams[i].size, 4);
	for (uint64_t i = 0; i < maker->blocks; i++, at += 4)
		put_le(at, place_of(maker, i), 4);
}

static void
write_file(struct maker *maker, const char *path)
{
	const uint64_t size = lay_out(maker);

	maker->file_blocks = 1 + maker->blocks + blocks_of(size) + blocks_of(4 * blocks_of(size));
	const size_t bytes = (size_t)maker->file_blocks * BLOCK;
	const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
		give_up(path);
	maker->to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (maker->to == MAP_FAILED)
		give_up(path);
	make(maker);
	write_directory(maker, size);
	if (munmap(maker->to, bytes) != 0 || close(file) != 0)
		give_up(path);
}

int
main(int count, char **arguments)
{
	static struct maker maker;
	struct error error = { 0 };
	struct file file;

	if (count != 4)
		return 2;
	if (file_open(&file, arguments[1], &error) != ERROR_NONE || msf_open(&maker.real, &file, &maker.arena, &error) != ERROR_NONE) {
		fprintf(stderr, "make-pdb: %s\n", error.text);
		return 1;
	}
	/* Make some modules to find the size of one. */
	maker.modules = 512;
	maker.stream_count = maker.real.stream_count + maker.modules;
	make(&maker);
	lay_out(&maker);
	const uint64_t wanted = strtoull(arguments[2], NULL, 10) * 1000000;
	const uint64_t modules = wanted * maker.modules / (maker.blocks * BLOCK);
	if (modules > MODULES_MOST)
		return 2;
	maker.modules = modules > 0 ? (uint32_t)modules : 1;
	maker.stream_count = maker.real.stream_count + maker.modules;
	make(&maker);
	write_file(&maker, arguments[3]);
	file_close(&file);
	arena_free(&maker.arena);
	return 0;
}
