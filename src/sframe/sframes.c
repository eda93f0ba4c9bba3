/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframes.h"

#include <stdatomic.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "crash/memory.h"

#define PT_LOAD 1u
#define PAGE_MASK 4095u
/* Largest number of a file's ranges of code; real files have one or two. */
#define MOST_RANGES 64u

static bool
take_segment(const struct binary *binary, struct sframe_bytes *found, const char **why_not)
{
	const struct reader reader = binary_reader(binary);
	struct elf_segment segment;
	struct reader window;

	*why_not = "it has no section .sframe";
	if (!elf_find_segment(&reader, SFRAME_SEGMENT_TYPE, &segment))
		return false;
	if (segment.file_size == 0) {
		*why_not = segment.memory_size == 0
				   ? "its segment PT_GNU_SFRAME is empty"
				   : "its segment PT_GNU_SFRAME has no bytes: a debug file; use "
				     "the executable";
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
	if (section == NULL)
		return take_segment(binary, found, why_not);
	if (section->no_bits)
		*why_not =
			"its section .sframe has no bytes (NOBITS): a "
			"debug file; use the executable";
	else if (section->compressed)
		*why_not = "its section .sframe is compressed";
	else if (section->size == 0)
		*why_not = "its section .sframe is empty";
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

bool
sframe_in_memory(const struct memory_view *memory, const struct module *module,
	       struct sframe_bytes *found)
{
	const struct memory_run *run = memory_run_of(memory, module->base);
	struct elf_segment load, segment;

	if (run == NULL)
		return false;
	const struct reader image = { .data = run->data + (module->base - run->base),
				      .size = run->size - (module->base - run->base),
				      .big_endian = memory->big_endian };
	if (!elf_find_segment(&image, PT_LOAD, &load) ||
	    !elf_find_segment(&image, SFRAME_SEGMENT_TYPE, &segment))
		return false;
	const uint64_t distance = segment.address - (load.address & ~(uint64_t)PAGE_MASK);
	const uint64_t address = module->base + distance;
	run = memory_run_of(memory, address);
	if (!checked_within(distance, segment.memory_size, module->size) || run == NULL ||
	    segment.memory_size == 0)
		return false;
	const uint64_t skip = address - run->base, there = run->size - skip;
	memory_note(memory, module->base, image.size <= PAGE_MASK ? image.size : PAGE_MASK + 1,
		    MEMORY_READ);
	memory_note(memory, address, segment.memory_size < there ? segment.memory_size : there,
		    MEMORY_READ);
	*found = (struct sframe_bytes){
		.input = memory->input, .data = run->data + skip,
		.size = segment.memory_size < there ? segment.memory_size : there,
		.offset = run->region->offset + (address - run->region->base),
		.address = address, .how = "memory in the dump" };
	return true;
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
	struct sframe_bytes placed = *bytes;
	placed.address += bias;
	return sframe_open(sframe, &placed, code, count, error);
}

/* Sections of a crash -------------------------------------------------------------------------- */

/* The section of one module; other members are valid once `done` is set. */
struct sframe_slot {
	atomic_bool done;
	bool looked;			/* the dump's memory was searched */
	bool there;
	struct sframe sframe;
	const char *how;
};

static void
close_slot(void *slot)
{
	sframe_close(&((struct sframe_slot *)slot)->sframe);
}

static struct sframe_slot *
slot_of(const struct binaries *binaries, size_t module, struct binaries_reader **reader)
{
	static const struct binaries_reader_kind kind = {
		.room = BINARIES_SFRAMES, .slot_size = sizeof(struct sframe_slot),
		.close = close_slot };

	*reader = binaries_reader(binaries, &kind, module);
	return *reader != NULL ? (struct sframe_slot *)(*reader)->slots + module : NULL;
}

void
sframes_set(const struct binaries *binaries, size_t module, struct sframe *sframe)
{
	struct binaries_reader *reader;
	struct sframe_slot *slot = slot_of(binaries, module, &reader);

	if (slot == NULL) {
		sframe_close(sframe);
		return;
	}
	slot->sframe = *sframe;
	/* The section moved, so its message list must use the arena at the new place. */
	slot->sframe.messages.arena = &slot->sframe.arena;
	slot->there = true;
	slot->how = "raw section";
	*sframe = (struct sframe){ 0 };
	atomic_store(&slot->done, true);
}

/* Store an opened section, unless its architecture is not the dump's. */
static bool
keep(struct binaries_reader *reader, struct sframe_slot *slot, enum error_code code,
     const struct error *error, const char *how)
{
	if (code != ERROR_NONE) {
		message_add(&reader->messages, MESSAGE_SFRAME_SECTION, error->place,
			    "%s\nthe section is not used", error->text);
		return false;
	}
	const struct sframe_table *table = &slot->sframe.tables[0];
	if (sframe_arch(table->abi) != reader->crash->system.arch) {
		message_add(&reader->messages, MESSAGE_SFRAME_SECTION,
			    reader_place(&table->reader, 4, 1),
			    "an SFrame section for another processor, %s\nit is not used",
			    sframe_abi_name(table->abi));
		sframe_close(&slot->sframe);
		return false;
	}
	slot->there = true;
	slot->how = how;
	return true;
}

static bool
open_in_memory(struct binaries_reader *reader, size_t index)
{
	const struct module *module = &reader->crash->modules[index];
	const struct sframe_code code = { module->base, module->base + module->size - 1 };
	struct sframe_slot *slot = (struct sframe_slot *)reader->slots + index;
	struct memory_view memory;
	struct sframe_bytes bytes;
	struct error error = { 0 };

	memory_view_all(&memory, reader->crash, &reader->arena);
	if (module->size == 0 || !sframe_in_memory(&memory, module, &bytes))
		return false;
	enum error_code result = sframe_open(&slot->sframe, &bytes, &code, 1, &error);
	return keep(reader, slot, result, &error, bytes.how);
}

/* Open the section in the module's file. False: a server may still send one. */
static bool
open_in_file(struct binaries_reader *reader, size_t index)
{
	bool settled;
	const struct binary *binary = binaries_try(reader->binaries, index, LOCATE_IMAGE, &settled);
	const uint64_t base = reader->crash->modules[index].base;
	struct sframe_slot *slot = (struct sframe_slot *)reader->slots + index;
	struct sframe_bytes bytes;
	struct error error = { 0 };
	const char *why_not;

	if (binary == NULL || !sframe_in_binary(binary, &bytes, &why_not))
		return settled;
	enum error_code result = sframe_open_binary(&slot->sframe, binary, &bytes,
						    base - binary->linked_base, &error);
	keep(reader, slot, result, &error, bytes.how);
	return true;
}

const struct sframe *
sframes_load(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader;
	struct sframe_slot *slot = slot_of(binaries, module, &reader);

	if (slot != NULL && !atomic_load_explicit(&slot->done, memory_order_acquire)) {
		pthread_mutex_lock(&reader->mutex);
		if (!atomic_load(&slot->done)) {
			const bool there = !slot->looked && open_in_memory(reader, module);

			slot->looked = true;
			atomic_store_explicit(&slot->done, there || open_in_file(reader, module),
					      memory_order_release);
		}
		pthread_mutex_unlock(&reader->mutex);
	}
	return sframes_peek(binaries, module);
}

const struct sframe *
sframes_peek(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader;
	const struct sframe_slot *slot = slot_of(binaries, module, &reader);

	return slot != NULL && atomic_load_explicit(&slot->done, memory_order_acquire) &&
			       slot->there
		       ? &slot->sframe
		       : NULL;
}

const char *
sframes_found(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader;
	const struct sframe_slot *slot = slot_of(binaries, module, &reader);

	return sframes_peek(binaries, module) != NULL ? slot->how : NULL;
}

const struct message_list *
sframes_messages(const struct binaries *binaries)
{
	struct binaries_reader *reader;

	slot_of(binaries, 0, &reader);
	return reader != NULL ? &reader->messages : NULL;
}
