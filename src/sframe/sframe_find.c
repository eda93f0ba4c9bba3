/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframe_find.h"

#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"

#define PT_LOAD 1u
#define PAGE_MASK 4095u
/* Program headers that are looked through; real files have about a dozen. */
#define MOST_HEADERS 256u
/* Ranges of code of one file; real files have one or two. */
#define MOST_RANGES 64u

/* Offsets of the fields of the ELF header and of program headers, by class (gABI). */
struct elf_layout {
	unsigned word;
	unsigned headers_at, header_size_at, header_count_at;
	unsigned p_offset, p_vaddr, p_filesz, p_memsz;
};

static const struct elf_layout layouts[] = {
	{ 4, 28, 42, 44, 4, 8, 16, 20 },
	{ 8, 32, 54, 56, 8, 16, 32, 40 },
};

/* One program header, of a file or of memory. */
struct sframe_segment {
	uint32_t type;
	uint64_t offset, address, file_size, memory_size;
};

/* Something that gives numbers at offsets: a file's bytes or a process's memory. */
struct image {
	const struct reader *reader;		/* of a file; or */
	const struct memory_view *memory;
	uint64_t base;				/* of the image in memory */
	const struct elf_layout *layout;
	bool big_endian;
};

static bool
get(const struct image *image, uint64_t offset, unsigned size, uint64_t *value)
{
	if (image->reader != NULL)
		return reader_unsigned(image->reader, offset, size, value);
	return memory_read(image->memory, image->base + offset, size, value, NULL);
}

/* Whether an ELF header is there; sets the layout. */
static bool
recognise(struct image *image)
{
	static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };
	uint64_t byte, class;

	for (unsigned i = 0; i < sizeof(magic); i++)
		if (!get(image, i, 1, &byte) || byte != magic[i])
			return false;
	if (!get(image, 4, 1, &class) || class < 1 || class > 2)
		return false;
	image->layout = &layouts[class - 1];
	return true;
}

static bool
get_segment(const struct image *image, uint64_t index, struct sframe_segment *segment)
{
	const struct elf_layout *layout = image->layout;
	uint64_t table, size, count, type;

	if (!get(image, layout->headers_at, layout->word, &table) ||
	    !get(image, layout->header_size_at, 2, &size) ||
	    !get(image, layout->header_count_at, 2, &count) || index >= count ||
	    index >= MOST_HEADERS)
		return false;
	const uint64_t at = table + index * size;
	if (at < table || !get(image, at, 4, &type))
		return false;
	segment->type = (uint32_t)type;
	return get(image, at + layout->p_offset, layout->word, &segment->offset) &&
	       get(image, at + layout->p_vaddr, layout->word, &segment->address) &&
	       get(image, at + layout->p_filesz, layout->word, &segment->file_size) &&
	       get(image, at + layout->p_memsz, layout->word, &segment->memory_size);
}

static bool
find_segment(const struct image *image, uint32_t type, struct sframe_segment *segment)
{
	for (uint64_t i = 0; get_segment(image, i, segment); i++)
		if (segment->type == type)
			return true;
	return false;
}

static bool
take_section(const struct binary *binary, const struct binary_section *section,
	     struct sframe_bytes *found, const char **why_not)
{
	if (section->no_bits)
		*why_not = "its section .sframe has no bytes (NOBITS): a debug file; use the executable";
	else if (section->compressed)
		*why_not = "its section .sframe is compressed";
	else if (section->broken || section->data == NULL)
		*why_not = "its section .sframe reaches past the end of the file";
	else
		*found = (struct sframe_bytes){ .input = &binary->file.input,
						.data = section->data, .size = section->size,
						.offset = section->offset,
						.address = section->address,
						.how = "section .sframe" };
	return found->data != NULL;
}

static bool
take_segment(const struct binary *binary, struct sframe_bytes *found, const char **why_not)
{
	const struct reader reader = { .input = &binary->file.input, .data = binary->file.data,
				       .size = binary->file.size,
				       .big_endian = binary->big_endian };
	struct image image = { .reader = &reader };
	struct sframe_segment segment;
	struct reader window;

	*why_not = "it has no section .sframe";
	if (!recognise(&image) || !find_segment(&image, SFRAME_SEGMENT_TYPE, &segment))
		return false;
	if (segment.file_size == 0) {
		*why_not = "its segment PT_GNU_SFRAME has no bytes: a debug file; use the executable";
		return false;
	}
	if (!reader_window(&reader, segment.offset, segment.file_size, &window)) {
		*why_not = "its segment PT_GNU_SFRAME reaches past the end of the file";
		return false;
	}
	*found = (struct sframe_bytes){ .input = &binary->file.input, .data = window.data,
					.size = window.size, .offset = segment.offset,
					.address = segment.address, .how = "PT_GNU_SFRAME" };
	return true;
}

bool
sframe_in_binary(const struct binary *binary, struct sframe_bytes *found, const char **why_not)
{
	*found = (struct sframe_bytes){ .data = NULL };
	*why_not = "not an ELF file";
	if (binary->format != BINARY_ELF)
		return false;
	const struct binary_section *section = binary_section(binary, SFRAME_SECTION_TYPE, NULL);
	if (section == NULL)
		section = binary_section(binary, 0, ".sframe");
	return section != NULL ? take_section(binary, section, found, why_not)
			       : take_segment(binary, found, why_not);
}

/* The bytes of memory that begin at `address`, if they are in one run of the dump. */
static bool
take_memory(const struct memory_view *memory, uint64_t address, uint64_t size,
	    struct sframe_bytes *found)
{
	const struct memory_run *run = memory_run_of(memory, address);

	if (run == NULL || size == 0)
		return false;
	const uint64_t skip = address - run->base;
	const uint64_t there = run->size - skip;
	*found = (struct sframe_bytes){ .input = memory->input, .data = run->data + skip,
					.size = size < there ? size : there,
					.offset = run->region->offset +
						  (address - run->region->base),
					.address = address,
					.how = "memory in the dump" };
	return true;
}

bool
sframe_in_memory(const struct memory_view *memory, const struct module *module,
		 struct sframe_bytes *found)
{
	struct image image = { .memory = memory, .base = module->base };
	struct sframe_segment load, segment;

	*found = (struct sframe_bytes){ .data = NULL };
	if (!recognise(&image) || !find_segment(&image, PT_LOAD, &load) ||
	    !find_segment(&image, SFRAME_SEGMENT_TYPE, &segment))
		return false;
	const uint64_t distance = segment.address - (load.address & ~(uint64_t)PAGE_MASK);
	return checked_within(distance, segment.memory_size, module->size) &&
	       take_memory(memory, module->base + distance, segment.memory_size, found);
}

enum error_code
sframe_open_binary(struct sframe *sframe, const struct binary *binary,
		   const struct sframe_bytes *bytes, uint64_t bias, struct error *error)
{
	struct sframe_code code[MOST_RANGES];
	size_t count = 0;

	for (size_t i = 0; i < binary->segment_count && count < ARRAY_COUNT(code); i++) {
		const struct binary_segment *segment = &binary->segments[i];
		const uint64_t low = binary->linked_base + segment->address + bias;

		if (segment->executable && segment->size > 0)
			code[count++] = (struct sframe_code){ low, low + segment->size - 1 };
	}
	return sframe_open(sframe, bytes->input, bytes->data, bytes->size, bytes->offset,
			   bytes->address + bias, code, count, error);
}
