/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ELF files that are small, valid and expensive: shared data is read again for each of its users.
 *
 *	make-bombs KIND COUNT SIZE FILE
 *
 * COUNT users share SIZE of
 *
 *	abbrevs		abbreviations: each unit uses the last one
 *	tables		abbreviations; every second unit begins after the first one
 *	files		files of a line program
 *	rows		rows of a line program
 *	ranges		ranges of a list: each function has all of them
 *	siblings	entries whose siblings turn back to the first
 *	frames		rows of an entry of .eh_frame: each is found by running those before it
 *	shared		rows of SFrame functions; the file is a raw section
 *	packed		zeros, in MiB, in a compressed section
 *	threads		return addresses of a stack; the file is a minidump
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/lib/synth.h"

/* Tags, attributes and forms (DWARF 4, 7.5). */
enum { UNIT = 0x11, FUNCTION = 0x2e };
enum { SIBLING = 0x01, STMT_LIST = 0x10, LOW_PC = 0x11, HIGH_PC = 0x12, RANGES = 0x55 };
enum { ADDR = 0x01, DATA4 = 0x06, REF4 = 0x13, SEC_OFFSET = 0x17 };

#define CODE UINT64_C(0x1000)
#define CODE_SIZE UINT64_C(0x100000)

struct bytes {
	uint8_t *items;
	size_t count, capacity;
};

static struct bytes info, abbrev, line, ranges, frames;
static unsigned long count, size;

static void
put(struct bytes *to, uint64_t value, unsigned width)
{
	if (to->count + width > to->capacity) {
		to->capacity = 2 * to->capacity + 64;
		to->items = realloc(to->items, to->capacity);
		if (to->items == NULL)
			abort();
	}
	for (unsigned i = 0; i < width; i++)
		to->items[to->count++] = (uint8_t)(value >> 8 * i);
}

static void
put_leb(struct bytes *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put(to, (value & 0x7f) | 0x80, 1);
	put(to, value, 1);
}

/* Write an abbreviation with the pairs of `attributes`, which end with 0. */
static void
put_abbrev(uint64_t code, uint64_t tag, bool children, const uint8_t *attributes)
{
	put_leb(&abbrev, code);
	put_leb(&abbrev, tag);
	put(&abbrev, children, 1);
	for (; *attributes != 0; attributes++)
		put(&abbrev, *attributes, 1);
	put(&abbrev, 0, 2);
}

/* Begin a unit; its length is written when it ends. */
static size_t
begin_unit(unsigned abbrevs)
{
	const size_t start = info.count;

	put(&info, 0, 4);
	put(&info, 4, 2);
	put(&info, abbrevs, 4);
	put(&info, 8, 1);
	return start;
}

static void
end_unit(size_t start)
{
	for (unsigned i = 0; i < 4; i++)
		info.items[start + i] = (uint8_t)((info.count - start - 4) >> 8 * i);
}

/* Every second unit begins with abbreviation 2 of the table, at offset 5. */
static void
make_units(unsigned skip)
{
	for (unsigned long i = 1; i <= size; i++)
		put_abbrev(i, UNIT, false, (const uint8_t[]){ 0 });
	put(&abbrev, 0, 1);
	for (unsigned long i = 0; i < count; i++) {
		const size_t start = begin_unit(i % 2 == 0 ? 0 : skip);

		put_leb(&info, size);
		end_unit(start);
	}
}

static void
make_abbrevs(void)
{
	make_units(0);
}

static void
make_tables(void)
{
	make_units(5);
}

/* Units that share a line program with this number of files and rows. */
static void
make_lines(unsigned long files, unsigned long rows)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	put_abbrev(1, UNIT, false, (const uint8_t[]){ STMT_LIST, SEC_OFFSET, 0 });
	put(&abbrev, 0, 1);
	put(&line, 0, 4);
	put(&line, 4, 2);
	put(&line, 0, 4);
	put(&line, 0x0efb010101, 5);	/* line_base -5, line_range 14 */
	put(&line, sizeof(operands) + 1, 1);
	for (size_t i = 0; i < sizeof(operands); i++)
		put(&line, operands[i], 1);
	put(&line, 0, 1);
	for (unsigned long i = 0; i < files; i++)
		put(&line, 'f', 5);	/* "f", then directory, time and size: 0 */
	put(&line, 0, 1);
	const size_t header = line.count;
	put(&line, 9 << 8 | 2u << 16, 3);
	put(&line, CODE, 8);
	for (unsigned long i = 0; i < rows; i++)
		put(&line, 0x20, 1);
	put(&line, 1u << 8 | 1u << 16, 3);
	for (unsigned i = 0; i < 4; i++) {
		line.items[i] = (uint8_t)((line.count - 4) >> 8 * i);
		line.items[6 + i] = (uint8_t)((header - 10) >> 8 * i);
	}
	for (unsigned long i = 0; i < count; i++) {
		const size_t start = begin_unit(0);

		put(&info, 1, 1);
		put(&info, 0, 4);
		end_unit(start);
	}
}

static void
make_files(void)
{
	make_lines(size, 1);
}

static void
make_rows(void)
{
	make_lines(1, size);
}

static void
make_ranges(void)
{
	put_abbrev(1, UNIT, true, (const uint8_t[]){ LOW_PC, ADDR, HIGH_PC, DATA4, 0 });
	put_abbrev(2, FUNCTION, false, (const uint8_t[]){ RANGES, SEC_OFFSET, 0 });
	put(&abbrev, 0, 1);
	for (unsigned long i = 0; i < size; i++) {
		put(&ranges, 2 * i % CODE_SIZE, 8);
		put(&ranges, 2 * i % CODE_SIZE + 1, 8);
	}
	put(&ranges, 0, 8);
	put(&ranges, 0, 8);
	const size_t start = begin_unit(0);
	put(&info, 1, 1);
	put(&info, CODE, 8);
	put(&info, CODE_SIZE, 4);
	for (unsigned long i = 0; i < count; i++) {
		put(&info, 2, 1);
		put(&info, 0, 4);
	}
	put(&info, 0, 1);
	end_unit(start);
}

static void
make_siblings(void)
{
	put_abbrev(1, UNIT, true, (const uint8_t[]){ LOW_PC, ADDR, HIGH_PC, DATA4, 0 });
	put_abbrev(2, FUNCTION, true,
		   (const uint8_t[]){ SIBLING, REF4, LOW_PC, ADDR, HIGH_PC, DATA4, 0 });
	put(&abbrev, 0, 1);
	for (unsigned long unit = 0; unit < count; unit++) {
		const size_t start = begin_unit(0);

		put(&info, 1, 1);
		put(&info, CODE, 8);
		put(&info, CODE_SIZE, 4);
		const size_t first = info.count;
		for (unsigned long i = 0; i < size; i++) {
			put(&info, 2, 1);
			put(&info, i + 1 < size ? info.count + 17 - start : first - start, 4);
			put(&info, CODE + i % CODE_SIZE, 8);
			put(&info, 1, 4);
			put(&info, 0, 1);
		}
		put(&info, 0, 1);
		end_unit(start);
	}
}

/* Records of `.eh_frame` have a length of 4 bytes and end at a multiple of 8. */
static void
end_record(size_t start)
{
	while ((frames.count - start - 4) % 8 != 4)
		put(&frames, 0, 1);
	for (unsigned i = 0; i < 4; i++)
		frames.items[start + i] = (uint8_t)((frames.count - start - 4) >> 8 * i);
}

/* Entries in which each row changes the offset of the CFA. */
static void
make_frames(void)
{
	static const uint8_t head[] = { 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1 };

	put(&frames, 0, 8);
	for (size_t i = 0; i < sizeof(head); i++)
		put(&frames, head[i], 1);
	end_record(0);
	for (unsigned long entry = 0; entry < count; entry++) {
		const size_t start = frames.count;

		put(&frames, 0, 4);
		put(&frames, frames.count, 4);
		put(&frames, CODE + entry * (CODE_SIZE / count), 8);
		put(&frames, CODE_SIZE / count, 8);
		for (unsigned long i = 0; i < size; i++) {
			put(&frames, 0x0e41, 2);
			put(&frames, i % 2 == 0 ? 16 : 24, 1);
		}
		end_record(start);
	}
	put(&frames, 0, 4);
}

/* An SFrame 2 section for amd64. Its functions share rows, whose start addresses have 2 bytes. */
static bool
write_shared(const char *path)
{
	struct bytes made = { 0 };
	FILE *file = fopen(path, "wb");

	put(&made, 0x0102dee2, 4);
	put(&made, 0x00f80003, 4);
	put(&made, count, 4);
	put(&made, count * size, 4);
	put(&made, size * 4, 4);
	put(&made, 0, 4);
	put(&made, count * 20, 4);
	for (unsigned long i = 0; i < count; i++) {
		put(&made, CODE + 16 * i, 4);
		put(&made, 16, 4);
		put(&made, 0, 4);
		put(&made, size, 4);
		put(&made, 1, 4);
	}
	for (unsigned long i = 0; i < size; i++) {
		put(&made, i, 2);
		put(&made, 0x0803, 2);
	}
	bool good = file != NULL && fwrite(made.items, 1, made.count, file) == made.count;
	if (file != NULL && fclose(file) != 0)
		good = false;
	free(made.items);
	return good;
}

/* Zeros, shared equally by all sections. */
static struct bytes
packed(void)
{
	static uint8_t zeros[1 << 16], out[1 << 16];
	struct bytes made = { 0 };
	z_stream stream = { 0 };

	put(&made, ELFCOMPRESS_ZLIB, 8);
	put(&made, (uint64_t)size << 20, 8);
	put(&made, 1, 8);
	if (deflateInit(&stream, 9) != Z_OK)
		abort();
	for (unsigned long i = 0; i <= size << 4; i++) {
		stream.next_in = zeros;
		stream.avail_in = i < size << 4 ? sizeof(zeros) : 0;
		do {
			stream.next_out = out;
			stream.avail_out = sizeof(out);
			deflate(&stream, i < size << 4 ? Z_NO_FLUSH : Z_FINISH);
			for (size_t j = 0; j < sizeof(out) - stream.avail_out; j++)
				put(&made, out[j], 1);
		} while (stream.avail_out == 0);
	}
	deflateEnd(&stream);
	return made;
}

/* Threads without stacks of their own; their stack pointers are in one memory region. */
static bool
write_threads(const char *path)
{
	const uint64_t registers[ARCH_REGISTERS] = { [7] = 0x7f0000000000, [16] = 0x400010 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct bytes stack = { 0 };

	synth_system(synth, 6, 1, 0, NULL);
	synth_module(synth, 0x400000, 0x1000000, "/usr/bin/a", "a",
		     "5A9832E5287241C1838ED98914E9B7FF1");
	for (unsigned long i = 0; i < size; i++)
		put(&stack, 0x400107 + 16 * (i % 60000), 8);
	for (unsigned long i = 0; i < count; i++)
		synth_thread(synth, (uint32_t)i + 1, registers, 0, NULL, 0);
	synth_memory(synth, registers[7], stack.items, stack.count, false);
	synth_exception(synth, 1, 11, 0, 0x400010);
	const bool good = synth_write(synth, path);
	synth_free(synth);
	free(stack.items);
	return good;
}

/* Write sections after the header and one segment, then the section headers. */
static bool
write_file(const char *path, bool compressed)
{
	static const char names[] =
		"\0.text\0.debug_info\0.debug_abbrev\0.debug_line\0.debug_ranges\0.eh_frame\0"
		".shstrtab";
	const struct bytes *parts[] = { &info, &abbrev, &line, &ranges, &frames };
	Elf64_Shdr sections[8] = { 0 };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(header), .e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 8, .e_shstrndx = 7 };
	const Elf64_Phdr segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				     .p_memsz = CODE + CODE_SIZE, .p_align = 4096 };
	uint64_t at = sizeof(header) + sizeof(segment);
	FILE *file = fopen(path, "wb");

	/* Without code the file has no frame table either. */
	sections[1] = (Elf64_Shdr){ .sh_name = 1,
				    .sh_type = frames.count > 0 ? SHT_PROGBITS : SHT_NOBITS,
				    .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = CODE,
				    .sh_offset = at, .sh_addralign = 16,
				    .sh_size = frames.count > 0 ? 16 : CODE_SIZE };
	unsigned name = 7;
	for (unsigned i = 0; i < 5; name += (unsigned)strlen(names + name) + 1, i++) {
		sections[2 + i] = (Elf64_Shdr){
			.sh_name = name, .sh_type = SHT_PROGBITS, .sh_offset = at,
			.sh_flags = i == 4 ? SHF_ALLOC : compressed ? SHF_COMPRESSED : 0,
			.sh_addr = i == 4 ? CODE + CODE_SIZE : 0,
			.sh_size = parts[i]->count, .sh_addralign = 1 };
		at += parts[i]->count;
	}
	sections[7] = (Elf64_Shdr){ .sh_name = name, .sh_type = SHT_STRTAB,
				    .sh_offset = at, .sh_size = sizeof(names), .sh_addralign = 1 };
	header.e_shoff = at + sizeof(names);
	bool good = file != NULL && fwrite(&header, sizeof(header), 1, file) == 1 &&
		    fwrite(&segment, sizeof(segment), 1, file) == 1;
	for (unsigned i = 0; good && i < 5; i++)
		good = parts[i]->count == 0 ||
		       fwrite(parts[i]->items, 1, parts[i]->count, file) == parts[i]->count;
	good = good && fwrite(names, sizeof(names), 1, file) == 1 &&
	       fwrite(sections, sizeof(sections), 1, file) == 1;
	if (file != NULL && fclose(file) != 0)
		good = false;
	if (!good)
		perror(path);
	return good;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} kinds[] = {
		{ "abbrevs", make_abbrevs }, { "tables", make_tables },
		{ "files", make_files },     { "rows", make_rows },
		{ "ranges", make_ranges },   { "siblings", make_siblings },
		{ "frames", make_frames },
	};
	bool compressed = argc == 5 && strcmp(argv[1], "packed") == 0, good = compressed;
	const bool threads = argc == 5 && strcmp(argv[1], "threads") == 0;

	if (argc == 5) {
		count = strtoul(argv[2], NULL, 10);
		size = strtoul(argv[3], NULL, 10);
	}
	for (size_t i = 0; argc == 5 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].make();
			good = true;
		}
	if (threads)
		return !write_threads(argv[4]);
	if (argc == 5 && strcmp(argv[1], "shared") == 0)
		return !write_shared(argv[4]);
	if (!good) {
		fprintf(stderr, "usage: make-bombs KIND COUNT SIZE FILE\n");
		return 2;
	}
	if (compressed) {
		info = packed();
		abbrev = line = ranges = info;
	}
	good = write_file(argv[4], compressed);
	if (!compressed) {
		free(abbrev.items);
		free(line.items);
		free(ranges.items);
		free(frames.items);
	}
	free(info.items);
	return !good;
}
