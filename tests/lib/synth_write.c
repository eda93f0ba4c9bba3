/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/synth_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static void
put_location(const struct synth *synth, struct synth_bytes *bytes, size_t size, size_t rva)
{
	synth_put(synth, bytes, 4, size);
	synth_put(synth, bytes, 4, rva);
}

/* Append bytes to the file at a multiple of 4; returns their offset. */
static size_t
place_bytes(struct synth *synth, const void *data, size_t size)
{
	while (synth->out.size % 4 != 0)
		synth_append(&synth->out, NULL, 1);
	size_t rva = synth->out.size;
	synth_append(&synth->out, data, size);
	return rva;
}

static size_t
place_string(struct synth *synth, const char *text)
{
	size_t rva = place_bytes(synth, NULL, 0);
	struct synth_bytes units = { .data = NULL };

	synth_put_units(synth, &units, text);
	synth_put(synth, &synth->out, 4, units.size);
	synth_append(&synth->out, units.data, units.size);
	synth_put(synth, &synth->out, 2, 0);
	free(units.data);
	return rva;
}

static size_t
place_utf8(struct synth *synth, const char *text)
{
	size_t rva = place_bytes(synth, NULL, 0);

	synth_put(synth, &synth->out, 4, strlen(text));
	synth_append(&synth->out, text, strlen(text) + 1);
	return rva;
}

/* Write a stream's body after all data that it refers to, and its directory entry. */
static void
emit(struct synth *synth, uint32_t type, struct synth_bytes *body)
{
	size_t rva = place_bytes(synth, body->data, body->size);
	size_t slot = synth->directory + 12 * synth->written++;

	synth_store(synth, synth->out.data + slot, 4, type);
	synth_store(synth, synth->out.data + slot + 4, 4, body->size);
	synth_store(synth, synth->out.data + slot + 8, 4, rva);
	free(body->data);
	*body = (struct synth_bytes){ .data = NULL };
}

static void
begin_list(const struct synth *synth, struct synth_bytes *body, size_t count)
{
	synth_put(synth, body, 4, count);
	if (synth->style.pad_lists)
		synth_put(synth, body, 4, 0);
}

static void
emit_system(struct synth *synth)
{
	struct synth_bytes body = { .data = NULL };
	size_t service_pack = synth->service_pack != NULL ? place_string(synth, synth->service_pack) : 0;
	bool old = synth->arch == ARCH_ARM64 && synth->style.old_arm64;

	synth_put(synth, &body, 2, old ? 0x8003 : synth->processor);
	synth_put(synth, &body, 2, synth->level);
	synth_put(synth, &body, 2, synth->revision);
	synth_put(synth, &body, 1, synth->cpu_count);
	synth_put(synth, &body, 1, 1);
	synth_put(synth, &body, 4, synth->major);
	synth_put(synth, &body, 4, synth->minor);
	synth_put(synth, &body, 4, synth->build);
	synth_put(synth, &body, 4, synth->platform);
	synth_put(synth, &body, 4, service_pack);
	synth_put(synth, &body, 4, 0);
	for (size_t i = 0; i < ARRAY_COUNT(synth->cpu_words); i++)
		synth_put(synth, &body, 4, synth->cpu_words[i]);
	synth_append(&body, NULL, 12);
	emit(synth, 7, &body);
}

static uint64_t
hex_part(const char *digits, size_t count)
{
	char text[17] = "";

	memcpy(text, digits, count < strnlen(digits, 16) ? count : strnlen(digits, 16));
	return strtoull(text, NULL, 16);
}

/* The CodeView record for a debug identifier, made from the identifier's digits. */
static struct synth_bytes
record_of(const struct synth *synth, const struct synth_module *module)
{
	struct synth_bytes record = { .data = NULL };
	/* The file has the build ID as bytes; symbol files write it as a little-endian GUID. */
	struct synth order = { .big_endian = synth->big_endian && !synth->style.elf_ids };
	const char *id = module->id;

	if (module->record.data != NULL)
		return synth_copy(module->record.data, module->record.size);
	if (id == NULL)
		return record;
	if (synth->style.nb10) {
		synth_put(synth, &record, 4, 0x3031424e);
		synth_put(synth, &record, 4, 0);
		synth_put(synth, &record, 4, hex_part(id, 8));
		synth_put(synth, &record, 4, hex_part(id + 8, 8));
	} else {
		synth_put(synth, &record, 4, synth->style.elf_ids ? 0x4270454c : 0x53445352);
		synth_put(&order, &record, 4, hex_part(id, 8));
		synth_put(&order, &record, 2, hex_part(id + 8, 4));
		synth_put(&order, &record, 2, hex_part(id + 12, 4));
		for (size_t i = 0; i < 8; i++)
			synth_put(synth, &record, 1, hex_part(id + 16 + 2 * i, 2));
		if (!synth->style.elf_ids)
			synth_put(synth, &record, 4, hex_part(id + 32, 8));
	}
	if (!synth->style.elf_ids)
		synth_append(&record, module->debug_file, strlen(module->debug_file) + 1);
	return record;
}

static struct synth_bytes
misc_record_of(const struct synth *synth, const struct synth_module *module)
{
	struct synth_bytes record = { .data = NULL };

	if (module->misc == NULL)
		return record;
	size_t unit = module->misc_wide ? 2 : 1;
	synth_put(synth, &record, 4, 1);
	synth_put(synth, &record, 4, 12 + unit * (strlen(module->misc) + 1));
	synth_put(synth, &record, 1, module->misc_wide);
	synth_append(&record, NULL, 3);
	if (module->misc_wide)
		synth_put_units(synth, &record, module->misc);
	else
		synth_append(&record, module->misc, strlen(module->misc));
	synth_append(&record, NULL, unit);
	return record;
}

static void
put_module(struct synth *synth, struct synth_bytes *body, const struct synth_module *module)
{
	struct synth_bytes record = record_of(synth, module), misc = misc_record_of(synth, module);
	size_t name = place_string(synth, module->name);
	size_t record_rva = record.size != 0 ? place_bytes(synth, record.data, record.size) : 0;
	size_t misc_rva = misc.size != 0 ? place_bytes(synth, misc.data, misc.size) : 0;

	synth_put(synth, body, 8, module->base);
	synth_put(synth, body, 4, module->size);
	synth_put(synth, body, 4, 0);
	synth_put(synth, body, 4, module->timestamp);
	synth_put(synth, body, 4, name);
	synth_put(synth, body, 4, module->has_version ? 0xfeef04bd : 0);
	synth_put(synth, body, 4, module->has_version ? 0x10000 : 0);
	synth_put(synth, body, 4, module->version_high);
	synth_put(synth, body, 4, module->version_low);
	synth_append(body, NULL, 36);
	put_location(synth, body, record.size, record_rva);
	put_location(synth, body, misc.size, misc_rva);
	synth_append(body, NULL, 16);
	free(record.data);
	free(misc.data);
}

static void
emit_modules(struct synth *synth)
{
	size_t count = SYNTH_COUNT(synth->modules, struct synth_module);
	struct synth_bytes body = { .data = NULL };

	begin_list(synth, &body, count);
	for (size_t i = 0; i < count; i++)
		put_module(synth, &body, SYNTH_AT(synth->modules, struct synth_module, i));
	emit(synth, 4, &body);
}

static void
emit_unloaded(struct synth *synth)
{
	size_t count = SYNTH_COUNT(synth->unloaded, struct synth_module);
	struct synth_bytes body = { .data = NULL };

	if (count == 0)
		return;
	synth_put(synth, &body, 4, 12);
	synth_put(synth, &body, 4, 24);
	synth_put(synth, &body, 4, count);
	for (size_t i = 0; i < count; i++) {
		const struct synth_module *module = SYNTH_AT(synth->unloaded, struct synth_module, i);
		synth_put(synth, &body, 8, module->base);
		synth_put(synth, &body, 4, module->size);
		synth_put(synth, &body, 4, 0);
		synth_put(synth, &body, 4, module->timestamp);
		synth_put(synth, &body, 4, place_string(synth, module->name));
	}
	emit(synth, 14, &body);
}

static void
emit_threads(struct synth *synth)
{
	size_t count = SYNTH_COUNT(synth->threads, struct synth_thread);
	struct synth_bytes body = { .data = NULL };

	begin_list(synth, &body, count);
	for (size_t i = 0; i < count; i++) {
		const struct synth_thread *thread = SYNTH_AT(synth->threads, struct synth_thread, i);
		bool own = thread->stack.size != 0 && !synth->style.stacks_by_list;
		size_t stack = own ? place_bytes(synth, thread->stack.data, thread->stack.size) : 0;
		size_t context = thread->context.size == 0 ? 0 : place_bytes(synth, thread->context.data, thread->context.size);

		synth_put(synth, &body, 4, thread->id);
		synth_append(&body, NULL, 12);
		synth_put(synth, &body, 8, thread->teb);
		synth_put(synth, &body, 8, thread->stack_base);
		put_location(synth, &body, thread->stack_size, stack);
		put_location(synth, &body, thread->context.size, context);
	}
	emit(synth, 3, &body);
}

static void
emit_names(struct synth *synth)
{
	size_t count = SYNTH_COUNT(synth->names, struct synth_name);
	struct synth_bytes body = { .data = NULL };

	if (count == 0)
		return;
	begin_list(synth, &body, count);
	for (size_t i = 0; i < count; i++) {
		const struct synth_name *name = SYNTH_AT(synth->names, struct synth_name, i);
		synth_put(synth, &body, 4, name->id);
		synth_put(synth, &body, 8, place_string(synth, name->name));
	}
	emit(synth, 24, &body);
}

static void
emit_exceptions(struct synth *synth)
{
	for (size_t i = 0; i < SYNTH_COUNT(synth->exceptions, struct synth_exception); i++) {
		const struct synth_exception *exception = SYNTH_AT(synth->exceptions, struct synth_exception, i);
		struct synth_bytes body = { .data = NULL };
		size_t context = exception->context.size == 0 ? 0
			: place_bytes(synth, exception->context.data, exception->context.size);

		synth_put(synth, &body, 4, exception->thread);
		synth_put(synth, &body, 4, 0);
		synth_put(synth, &body, 4, exception->code);
		synth_put(synth, &body, 4, exception->flags);
		synth_put(synth, &body, 8, 0);
		synth_put(synth, &body, 8, exception->address);
		synth_put(synth, &body, 4, exception->claimed);
		synth_put(synth, &body, 4, 0);
		for (size_t j = 0; j < ARRAY_COUNT(exception->parameters); j++)
			synth_put(synth, &body, 8, exception->parameters[j]);
		put_location(synth, &body, exception->context.size, context);
		emit(synth, 6, &body);
	}
}

static void
put_descriptor(struct synth *synth, struct synth_bytes *body, uint64_t base, const struct synth_bytes *bytes)
{
	synth_put(synth, body, 8, base);
	put_location(synth, body, bytes->size, place_bytes(synth, bytes->data, bytes->size));
}

static void
emit_memory(struct synth *synth)
{
	size_t threads = SYNTH_COUNT(synth->threads, struct synth_thread), count = 0;
	struct synth_bytes entries = { .data = NULL }, body = { .data = NULL };

	for (size_t i = 0; i < SYNTH_COUNT(synth->memories, struct synth_memory); i++) {
		const struct synth_memory *memory = SYNTH_AT(synth->memories, struct synth_memory, i);
		if (memory->wide)
			continue;
		put_descriptor(synth, &entries, memory->base, &memory->bytes);
		count++;
	}
	for (size_t i = 0; synth->style.stacks_by_list && i < threads; i++) {
		const struct synth_thread *thread = SYNTH_AT(synth->threads, struct synth_thread, i);
		put_descriptor(synth, &entries, thread->stack_base, &thread->stack);
		count++;
	}
	begin_list(synth, &body, count);
	synth_append(&body, entries.data, entries.size);
	free(entries.data);
	if (count != 0)
		emit(synth, 5, &body);
	free(body.data);
}

static void
emit_memory64(struct synth *synth)
{
	struct synth_bytes entries = { .data = NULL }, body = { .data = NULL },
			   data = { .data = NULL };

	for (size_t i = 0; i < SYNTH_COUNT(synth->memories, struct synth_memory); i++) {
		const struct synth_memory *memory = SYNTH_AT(synth->memories, struct synth_memory, i);
		if (!memory->wide)
			continue;
		synth_put(synth, &entries, 8, memory->base);
		synth_put(synth, &entries, 8, memory->bytes.size);
		synth_append(&data, memory->bytes.data, memory->bytes.size);
	}
	synth_put(synth, &body, 8, entries.size / 16);
	synth_put(synth, &body, 8, place_bytes(synth, data.data, data.size));
	synth_append(&body, entries.data, entries.size);
	if (entries.size != 0)
		emit(synth, 9, &body);
	free(body.data);
	free(entries.data);
	free(data.data);
}

static void
emit_infos(struct synth *synth)
{
	size_t count = SYNTH_COUNT(synth->infos, struct synth_info);
	struct synth_bytes body = { .data = NULL };

	if (count == 0)
		return;
	synth_put(synth, &body, 4, 16);
	synth_put(synth, &body, 4, 48);
	synth_put(synth, &body, 8, count);
	for (size_t i = 0; i < count; i++) {
		const struct synth_info *info = SYNTH_AT(synth->infos, struct synth_info, i);
		synth_put(synth, &body, 8, info->base);
		synth_put(synth, &body, 8, info->base);
		synth_put(synth, &body, 4, info->protection);
		synth_put(synth, &body, 4, 0);
		synth_put(synth, &body, 8, info->size);
		synth_put(synth, &body, 4, info->state);
		synth_put(synth, &body, 4, info->protection);
		synth_put(synth, &body, 4, info->type);
		synth_put(synth, &body, 4, 0);
	}
	emit(synth, 16, &body);
}

/* The annotations of a module, or of the whole dump (-1). */
static void
put_dictionary(struct synth *synth, struct synth_bytes *body, int module)
{
	struct synth_bytes entries = { .data = NULL }, dictionary = { .data = NULL };

	for (size_t i = 0; i < SYNTH_COUNT(synth->annotations, struct synth_annotation); i++) {
		const struct synth_annotation *annotation = SYNTH_AT(synth->annotations, struct synth_annotation, i);
		if (annotation->module != module)
			continue;
		synth_put(synth, &entries, 4, place_utf8(synth, annotation->key));
		synth_put(synth, &entries, 4, place_utf8(synth, annotation->value));
	}
	synth_put(synth, &dictionary, 4, entries.size / 8);
	synth_append(&dictionary, entries.data, entries.size);
	put_location(synth, body, dictionary.size, place_bytes(synth, dictionary.data, dictionary.size));
	free(entries.data);
	free(dictionary.data);
}

static void
put_module_links(struct synth *synth, struct synth_bytes *body)
{
	size_t count = SYNTH_COUNT(synth->modules, struct synth_module);
	struct synth_bytes links = { .data = NULL };

	synth_put(synth, &links, 4, count);
	for (size_t i = 0; i < count; i++) {
		struct synth_bytes info = { .data = NULL };
		synth_put(synth, &info, 4, 1);
		put_location(synth, &info, 0, 0);
		put_dictionary(synth, &info, (int)i);
		put_location(synth, &info, 0, 0);
		synth_put(synth, &links, 4, i);
		put_location(synth, &links, info.size, place_bytes(synth, info.data, info.size));
		free(info.data);
	}
	put_location(synth, body, links.size, place_bytes(synth, links.data, links.size));
	free(links.data);
}

static void
emit_crashpad(struct synth *synth)
{
	struct synth_bytes body = { .data = NULL };

	if (!synth->has_crashpad)
		return;
	synth_put(synth, &body, 4, 1);
	synth_append(&body, NULL, 32);
	put_dictionary(synth, &body, -1);
	put_module_links(synth, &body);
	synth_put(synth, &body, 4, 0);
	synth_put(synth, &body, 8, synth->address_mask);
	emit(synth, 0x43500001, &body);
}

static void
reverse_directory(struct synth *synth)
{
	uint8_t *first = synth->out.data + synth->directory;
	uint8_t *last = first + 12 * synth->written;

	for (last -= 12; first < last; first += 12, last -= 12) {
		uint8_t entry[12];
		memcpy(entry, first, sizeof(entry));
		memcpy(first, last, sizeof(entry));
		memcpy(last, entry, sizeof(entry));
	}
}

uint8_t *
synth_finish(struct synth *synth, size_t *size)
{
	size_t streams = SYNTH_COUNT(synth->streams, struct synth_stream);
	/* The ten kinds of streams below, and one for each exception. */
	size_t room = 10 + SYNTH_COUNT(synth->exceptions, struct synth_exception) + streams + synth->style.unused;

	synth->out = (struct synth_bytes){ .data = NULL };
	synth->directory = 32;
	synth->written = synth->style.unused;
	synth_append(&synth->out, NULL, 32 + 12 * room);
	emit_system(synth);
	emit_threads(synth);
	emit_modules(synth);
	emit_names(synth);
	emit_exceptions(synth);
	emit_unloaded(synth);
	emit_infos(synth);
	emit_crashpad(synth);
	for (size_t i = 0; i < streams; i++) {
		const struct synth_stream *stream = SYNTH_AT(synth->streams, struct synth_stream, i);
		struct synth_bytes body = synth_copy(stream->bytes.data, stream->bytes.size);

		emit(synth, stream->type, &body);
	}
	emit_memory(synth);
	emit_memory64(synth);
	if (synth->style.reverse)
		reverse_directory(synth);
	synth_store(synth, synth->out.data, 4, 0x504d444d);
	synth_store(synth, synth->out.data + 4, 4, 0xa793);
	synth_store(synth, synth->out.data + 8, 4, synth->written);
	synth_store(synth, synth->out.data + 12, 4, synth->directory);
	synth_store(synth, synth->out.data + 20, 4, 1234567890);
	*size = synth->out.size;
	return synth->out.data;
}

bool
synth_write(struct synth *synth, const char *path)
{
	size_t size;
	uint8_t *bytes = synth_finish(synth, &size);
	FILE *file = fopen(path, "wb");
	bool written = file != NULL && fwrite(bytes, 1, size, file) == size;

	if (file != NULL && fclose(file) != 0)
		written = false;
	free(bytes);
	return written;
}
