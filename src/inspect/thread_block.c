/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/thread_block.h"

#include <string.h>

#include "base/text.h"
#include "dump/reason/reason.h"

/* The TEB of a 32-bit program is two pages after the TEB of the 64-bit layer. */
#define WOW64_TEB 0x2000u
/* Maximum number of bytes of a string to read; command lines have up to 32767 characters. */
#define MOST_STRING 4096u

/* Offsets of pointers to further blocks, for 32 and for 64 bits. */
static const uint16_t teb_self[2] = { 0x18, 0x30 }, teb_peb[2] = { 0x30, 0x60 },
		      teb_slots[2] = { 0xe10, 0x1480 }, peb_parameters[2] = { 0x10, 0x20 };

#define F(block_, kind_, key_, label_, narrow, wide, size_, help_) \
	{ .key = #key_, .label = label_, .help = help_, .block = block_, .kind = kind_, \
	  .offset = { narrow, wide }, .size = size_ },
const struct block_field block_fields[BLOCK_FIELDS] = {
#include "inspect/thread_block.def"
};

/* The address of a field; `offset` has its offsets for 32 and for 64 bits. */
static uint64_t
place_of(const struct thread_block *block, enum block_kind kind, const uint16_t offset[2])
{
	return block->at[kind] + offset[block->word == 8];
}

static uint64_t
pointer_at(const struct thread_block *block, const struct surroundings *around,
	   enum block_kind kind, const uint16_t offset[2])
{
	uint64_t value = 0;

	if (block->there[kind])
		memory_read(&around->memory, place_of(block, kind, offset), block->word, &value,
			    NULL);
	return value;
}

/* Reads a UNICODE_STRING, which has two lengths in bytes and a pointer. */
static void
read_string(const struct thread_block *block, const struct surroundings *around, uint64_t address,
	    struct block_value *value, struct arena *arena)
{
	uint8_t bytes[MOST_STRING];
	uint64_t length, at;

	value->known = false;
	if (!memory_read(&around->memory, address, 2, &length, NULL) ||
	    !memory_read(&around->memory, address + block->word, block->word, &at, NULL) ||
	    length == 0)
		return;
	const size_t wanted = length < sizeof(bytes) ? (size_t)length : sizeof(bytes);
	const size_t read = memory_copy(&around->memory, at, bytes, wanted, &value->place);
	value->known = read == wanted;
	value->value = at;
	if (value->known)
		value->text = text_from_utf16(arena, bytes, wanted / 2, around->memory.big_endian,
					      false);
}

static void
read_field(struct thread_block *block, const struct surroundings *around, size_t i,
	   struct arena *arena)
{
	const struct block_field *field = &block_fields[i];
	struct block_value *value = &block->values[i];
	const uint64_t address = place_of(block, field->block, field->offset);
	char name[96];

	if (!block->there[field->block])
		return;
	if (field->kind == VALUE_STRING || field->kind == VALUE_SECRET)
		read_string(block, around, address, value, arena);
	else
		value->known = memory_read(&around->memory, address,
					   field->size != 0 ? field->size : block->word,
					   &value->value, &value->place);
	if (value->known && (field->kind == VALUE_ERROR || field->kind == VALUE_STATUS) &&
	    reason_windows_number((uint32_t)value->value, name, sizeof(name)))
		value->text = arena_string(arena, name);
}

void
thread_block_read(struct thread_block *block, const struct surroundings *around, size_t thread,
		  struct arena *arena)
{
	const struct crash *crash = around->crash;
	const struct thread *own = &crash->threads[thread];

	*block = (struct thread_block){
		.word = own->context.arch != NULL ? own->context.arch->word_size
						  : crash->system.arch->word_size };
	if (crash->system.os != CRASH_OS_WINDOWS || own->teb == 0)
		return;
	block->at[BLOCK_TEB] = own->teb + (own->context.native != NULL ? WOW64_TEB : 0);
	/* A block that does not point to itself is not a TEB. */
	block->there[BLOCK_TEB] = true;
	block->there[BLOCK_TEB] = pointer_at(block, around, BLOCK_TEB, teb_self) ==
				  block->at[BLOCK_TEB];
	block->at[BLOCK_PEB] = pointer_at(block, around, BLOCK_TEB, teb_peb);
	block->there[BLOCK_PEB] = block->at[BLOCK_PEB] != 0;
	block->at[BLOCK_PARAMETERS] = pointer_at(block, around, BLOCK_PEB, peb_parameters);
	block->there[BLOCK_PARAMETERS] = block->at[BLOCK_PARAMETERS] != 0;
	for (size_t i = 0; i < BLOCK_FIELDS; i++)
		read_field(block, around, i, arena);
	for (size_t i = 0; block->there[BLOCK_TEB] && i < BLOCK_SLOTS; i++)
		memory_read(&around->memory,
			    place_of(block, BLOCK_TEB, teb_slots) + i * block->word, block->word,
			    &block->slots[i], NULL);
	/* Drop a pointer to memory that the dump lacks. */
	for (size_t kind = BLOCK_PEB; kind < BLOCK_KINDS; kind++) {
		bool any = false;

		for (size_t i = 0; i < BLOCK_FIELDS; i++)
			any = any || (block_fields[i].block == kind && block->values[i].known);
		block->there[kind] = any;
	}
}
