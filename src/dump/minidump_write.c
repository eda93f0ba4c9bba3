/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "crash/memory.h"
#include "dump/core.h"

enum {
	STREAM_THREADS = 3, STREAM_MODULES = 4, STREAM_MEMORY = 5, STREAM_EXCEPTION = 6,
	STREAM_SYSTEM = 7, STREAM_MEMORY64 = 9, STREAM_MISC = 15, MOST_STREAMS = 9,
};
/* Parts of x86 contexts that lie behind the plain layout. */
#define EXTENDED_STATE 0x40u

struct minidump_writer {
	const struct crash *crash;
	struct arena *arena;
	uint8_t *bytes;
	size_t size, room;
	unsigned streams;
	size_t status;			/* the stream of the status of the thread that is written */
	bool big_endian, failed;
};

/* Room for `size` zeroed bytes at the end, at a multiple of 4; where they are. */
static size_t
extend(struct minidump_writer *writer, size_t size)
{
	const size_t at = (writer->size + 3) & ~(size_t)3;

	if (writer->failed || at + size > UINT32_MAX) {
		writer->failed = true;
		return 0;
	}
	while (at + size > writer->room) {
		const size_t room = writer->room == 0 ? 8192 : writer->room * 2;
		uint8_t *larger = arena_alloc(writer->arena, room);

		if (larger == NULL) {
			writer->failed = true;
			return 0;
		}
		if (writer->size > 0)
			memcpy(larger, writer->bytes, writer->size);
		writer->bytes = larger;
		writer->room = room;
	}
	writer->size = at + size;
	return at;
}

static void
put(struct minidump_writer *writer, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size && !writer->failed; i++)
		writer->bytes[at + (writer->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

static size_t
append(struct minidump_writer *writer, const void *bytes, size_t size)
{
	const size_t at = extend(writer, size);

	if (!writer->failed && size > 0)
		memcpy(writer->bytes + at, bytes, size);
	return at;
}

/* Text behind what is there already, without a gap. */
static void
append_text(struct minidump_writer *writer, const char *text)
{
	const size_t end = writer->size, length = text != NULL ? strlen(text) : 0;

	writer->failed |= text == NULL;
	extend(writer, length + 3);
	if (writer->failed)
		return;
	memcpy(writer->bytes + end, text, length);
	writer->size = end + length;
}

static void
put_structure(struct minidump_writer *writer, size_t at, const struct structure *structure,
	      const void *model)
{
	if (!writer->failed)
		fields_write(structure, model, writer->big_endian, writer->bytes + at);
}

static struct descriptor
location_of(size_t size, size_t rva)
{
	return (struct descriptor){ (uint32_t)size, (uint32_t)rva };
}

static void
enter(struct minidump_writer *writer, uint32_t type, size_t at, size_t size)
{
	const size_t entry = minidump_header.size + minidump_directory.size * writer->streams++;

	put_structure(writer, entry, &minidump_directory,
		      &(struct minidump_directory){ type, location_of(size, at) });
}

/* A stream that is a structure. */
static void
write_structure(struct minidump_writer *writer, uint32_t type, const struct structure *structure,
		const void *model)
{
	const size_t at = extend(writer, structure->size);

	put_structure(writer, at, structure, model);
	enter(writer, type, at, structure->size);
}

/* A stream that is a list, whose entries are to be put where it says. */
static size_t
begin_list(struct minidump_writer *writer, uint32_t type, const struct structure *entry,
	   size_t count)
{
	const size_t size = 4 + entry->size * count, at = extend(writer, size);

	put(writer, at, 4, count);
	enter(writer, type, at, size);
	return at + 4;
}

/* A string of UTF-16 with its length in bytes in front. */
static size_t
append_string(struct minidump_writer *writer, const char *text)
{
	const size_t length = strlen(text);
	const size_t at = extend(writer, 4 + 2 * length + 2);
	size_t units = 0;

	for (size_t i = 0; i < length;) {
		uint32_t character;
		const size_t taken = text_decode(text + i, length - i, &character);

		/* What is no character of the basic plane is in no name that symbols have. */
		if (taken == 0 || character > 0xffff)
			character = 0xfffd;
		i += taken == 0 ? 1 : taken;
		put(writer, at + 4 + 2 * units++, 2, character);
	}
	put(writer, at, 4, 2 * units);
	return at;
}

static unsigned
processor_of(const struct context_layout *layout)
{
	const struct arch *arch = arch_by_id(layout->arch);

	if (strcmp(layout->name, CONTEXT_ARM64_OLD) == 0)
		return 0x8003;
	return arch->processor_count > 0 ? arch->processors[0] : 0xffffu;
}

static void
write_system(struct minidump_writer *writer, const struct context_layout *layout,
	     unsigned processors)
{
	const size_t service_pack = append_string(writer, "");

	write_structure(writer, STREAM_SYSTEM, &system_structure, &(struct system_entry){
		.processor = (uint16_t)processor_of(layout),
		.processor_count = (uint8_t)processors,
		.platform = system_platform(writer->crash->system.os),
		.service_pack = (uint32_t)service_pack });
}

/* A context with nothing but the registers. */
static size_t
write_context(struct minidump_writer *writer, const struct context_layout *layout, uint64_t flags,
	      const struct registers *values)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout, registers), size = layout->fields->size;

	if (arch_pushes_return(arch_by_id(layout->arch)))
		flags &= ~(uint64_t)EXTENDED_STATE;
	const size_t at = extend(writer, size);
	put(writer, at + layout->flags_offset, layout->flags_size, flags);
	for (size_t i = 0; i < count; i++) {
		const struct context_register *one = &registers[i];

		if (registers_known(values, one->number) && one->offset + (size_t)one->size <= size)
			put(writer, at + one->offset, one->size, values->value[one->number]);
	}
	return at;
}

static void
write_memory(struct minidump_writer *writer, const struct minidump_plan *plan, size_t stack)
{
	const struct structure *entry = &memory_list_layout.entry;
	size_t at = begin_list(writer, STREAM_MEMORY, entry, plan->memory_count + 1);

	put_structure(writer, at, entry,
		      &(struct memory_entry){ plan->stack.base, plan->stack.size, stack });
	for (size_t i = 0; i < plan->memory_count; i++) {
		const struct minidump_memory *memory = &plan->memory[i];
		const size_t bytes = append(writer, memory->bytes, memory->size);

		at += entry->size;
		put_structure(writer, at, entry,
			      &(struct memory_entry){ memory->base, memory->size, bytes });
	}
}

/* Bytes `skip` to `skip + digits` of an identifier, as a number. */
static uint64_t
hex_part(const char *id, size_t skip, size_t digits)
{
	char part[17] = "";

	memcpy(part, id + skip, digits);
	return strtoull(part, NULL, 16);
}

/*
 * The CodeView record that gives a debug identifier: a GUID and an age (RSDS), or a timestamp and
 * an age (NB10). `*size` is set, 0 for an identifier that is neither.
 */
static size_t
write_identity(struct minidump_writer *writer, const struct module *module, size_t *size)
{
	const char *id = module->debug_id, *name = place_base_name(module->debug_file);
	const size_t digits = strlen(id);

	*size = 0;
	if (digits < 9 || strspn(id, "0123456789ABCDEFabcdef") != digits)
		return 0;
	const bool guid = digits >= 33;
	const size_t head = guid ? 24 : 16;
	*size = head + strlen(name) + 1;
	const size_t at = extend(writer, *size);
	if (writer->failed)
		return 0;
	/* "RSDS" or "NB10", which are swapped in a big-endian dump like any number. */
	put(writer, at, 4, guid ? 0x53445352 : 0x3031424e);
	if (guid) {
		put(writer, at + 4, 4, hex_part(id, 0, 8));
		put(writer, at + 8, 2, hex_part(id, 8, 4));
		put(writer, at + 10, 2, hex_part(id, 12, 4));
		for (size_t i = 0; i < 8; i++)
			put(writer, at + 12 + i, 1, hex_part(id, 16 + 2 * i, 2));
		put(writer, at + 20, 4, strtoull(id + 32, NULL, 16));
	} else {
		put(writer, at + 8, 4, hex_part(id, 0, 8));
		put(writer, at + 12, 4, strtoull(id + 8, NULL, 16));
	}
	memcpy(writer->bytes + at + head, name, strlen(name));
	return at;
}

/* The record of a build ID, as Breakpad's writer for Linux has it; 0 where the module has none. */
static size_t
write_build_id(struct minidump_writer *writer, const struct module *module, size_t *size)
{
	uint8_t id[LIMIT_BUILD_ID];
	const size_t count = modules_build_id(module, id);

	*size = 0;
	if (count == 0)
		return 0;
	*size = 4 + count;
	const size_t at = extend(writer, *size);
	put(writer, at, 4, 0x4270454c);
	if (!writer->failed)
		memcpy(writer->bytes + at + 4, id, count);
	return at;
}

static void
put_module(struct minidump_writer *writer, size_t at, const struct module *module, const char *path,
	   struct descriptor identity)
{
	const size_t name = append_string(writer, path);

	put_structure(writer, at, &modules_layout.entry, &(struct module_entry){
		.base = module->base, .size = (uint32_t)module->size, .checksum = module->checksum,
		.timestamp = module->timestamp, .name = (uint32_t)name, .codeview = identity });
}

static void
write_modules(struct minidump_writer *writer, const struct minidump_plan *plan)
{
	const struct structure *entry = &modules_layout.entry;
	const size_t at = begin_list(writer, STREAM_MODULES, entry, plan->module_count);

	for (size_t i = 0; i < plan->module_count; i++) {
		const struct module *module = &plan->crash->modules[plan->modules[i]];
		size_t size;
		const size_t identity = write_identity(writer, module, &size);

		put_module(writer, at + entry->size * i, module, place_base_name(module->code_file),
			   location_of(size, identity));
	}
}

static void
write_exception(struct minidump_writer *writer, const struct crash_exception *exception,
		uint32_t thread, struct descriptor context)
{
	write_structure(writer, STREAM_EXCEPTION, &exception_structure, &(struct exception_entry){
		.thread_id = thread, .code = exception->code, .flags = exception->flags,
		.address = exception->address, .context = context });
}

static void
finish(struct minidump_writer *writer)
{
	put_structure(writer, 0, &minidump_header, &(struct minidump_header){
		.signature = MINIDUMP_SIGNATURE, .version = MINIDUMP_VERSION,
		.stream_count = writer->streams, .directory = minidump_header.size });
}

enum error_code
minidump_write(const struct minidump_plan *plan, struct arena *arena, uint8_t **bytes,
	       size_t *size, struct error *error)
{
	struct minidump_writer writer = { .crash = plan->crash, .arena = arena,
					  .big_endian = plan->crash->reader.big_endian };
	const struct context_layout *layout =
		plan->like->layout != NULL ? context_layout_named(plan->like->layout) : NULL;

	if (layout == NULL || processor_of(layout) == 0xffff)
		return error_set(error, ERROR_FORMAT, plan->like->place,
				 "the registers of this thread have no minidump layout");
	extend(&writer, minidump_header.size + minidump_directory.size * MOST_STREAMS);
	write_system(&writer, layout, 1);
	const size_t context = write_context(&writer, layout, plan->like->flags, plan->registers);
	const size_t stack = append(&writer, plan->stack.bytes, plan->stack.size);
	const struct structure *thread = &threads_layout.entry;
	const size_t at = begin_list(&writer, STREAM_THREADS, thread, 1);
	put_structure(&writer, at, thread, &(struct thread_entry){
		.id = plan->thread_id, .stack_start = plan->stack.base,
		.stack = location_of(plan->stack.size, stack),
		.context = location_of(layout->fields->size, context) });
	write_modules(&writer, plan);
	write_memory(&writer, plan, stack);
	if (plan->exception != NULL)
		write_exception(&writer, plan->exception, plan->thread_id,
				location_of(layout->fields->size, context));
	finish(&writer);
	if (writer.failed)
		return error_memory(error);
	*bytes = writer.bytes;
	*size = writer.size;
	return ERROR_NONE;
}

/* A core --------------------------------------------------------------------------------------- */

/* The notes of a thread follow that of its status, up to the next one's. */
static const struct stream *
note_of(const struct crash *crash, size_t status, uint32_t type)
{
	for (size_t i = status + 1; i < crash->stream_count &&
				    crash->streams[i].type != CORE_PRSTATUS; i++)
		if (crash->streams[i].type == type)
			return &crash->streams[i];
	return NULL;
}

/* The context of a thread, with the floating point registers of its notes. */
static size_t
write_thread_context(struct minidump_writer *writer, const struct context_layout *layout,
		     const struct crash_context *context)
{
	const struct crash *crash = writer->crash;
	const struct reader *file = &crash->reader;
	const struct core_floats *row;
	size_t *status = &writer->status;
	uint64_t flags = layout->cpu | core_abi(crash->system.arch)->context_parts;
	const size_t at = write_context(writer, layout, flags, &context->registers);

	while (*status < crash->stream_count &&
	       (crash->streams[*status].type != CORE_PRSTATUS ||
		crash->streams[*status].offset != context->place.offset))
		++*status;
	for (size_t i = 0; (row = core_floats_of(layout->name, &i)) != NULL; i++) {
		const struct stream *note = note_of(crash, *status, row->note);
		struct reader bytes;

		if (note == NULL || writer->failed ||
		    !reader_window(file, note->offset, row->size, &bytes))
			continue;
		flags |= row->flag;
		for (size_t j = 0; j < ARRAY_COUNT(row->parts); j++)
			if (row->parts[j].size > 0)
				memcpy(writer->bytes + at + row->parts[j].context,
				       bytes.data + row->parts[j].note, row->parts[j].size);
	}
	put(writer, at + layout->flags_offset, layout->flags_size, flags);
	const struct context_layout *from = core_context_layout(crash->system.arch);
	struct reader status_bytes;

	if (!writer->failed && reader_window(file, context->place.offset, from->fields->size,
					     &status_bytes))
		fields_copy(from->fields, &status_bytes, layout->fields, writer->bytes + at);
	return at;
}

/* The stack of a thread, from the page of its stack pointer on, and the run that it is in. */
static struct minidump_memory
stack_of(const struct crash *crash, const struct thread *thread, const struct memory_run **run)
{
	const struct crash_context *context = &thread->context;
	const uint64_t sp = context->present ? context->registers.value[context->arch->sp] : 0;
	const size_t upto = sorted_upto(SORTED(crash->runs, crash->run_count, base), sp);
	const uint64_t page = sp & ~UINT64_C(0xfff);

	*run = upto > 0 ? &crash->runs[upto - 1] : NULL;
	if (*run == NULL || sp - (*run)->base >= (*run)->size)
		return (struct minidump_memory){ 0 };
	const uint64_t base = page > (*run)->base ? page : (*run)->base;
	return (struct minidump_memory){ base, NULL, (size_t)((*run)->base + (*run)->size - base) };
}

/* The list of memory, the last one: the runs follow it, whose places are returned. */
static uint64_t *
write_runs(struct minidump_writer *writer, struct dump_image *image)
{
	const struct crash *crash = writer->crash;
	uint64_t *places = arena_array(writer->arena, crash->run_count + 1, sizeof(*places));

	for (size_t i = 0; i < crash->run_count; i++)
		image->memory += crash->runs[i].size;
	const bool wide = writer->size + 16 * (crash->run_count + 2) + image->memory > UINT32_MAX;
	const size_t head = wide ? 16 : 4, size = head + 16 * crash->run_count;
	const size_t at = extend(writer, size);
	uint64_t place = extend(writer, 0);

	writer->failed |= places == NULL;
	put(writer, at, wide ? 8 : 4, crash->run_count);
	if (wide)
		put(writer, at + 8, 8, place);
	for (size_t i = 0; i < crash->run_count && !writer->failed; i++) {
		const struct memory_run *run = &crash->runs[i];

		put(writer, at + head + 16 * i, 8, run->base);
		put(writer, at + head + 16 * i + 8, wide ? 8 : 4, run->size);
		if (!wide)
			put(writer, at + head + 16 * i + 12, 4, place);
		places[i] = place;
		place += run->size;
	}
	enter(writer, wide ? STREAM_MEMORY64 : STREAM_MEMORY, at, size);
	return places;
}

/* /proc/PID/maps, as far as the core says it. */
static void
write_maps(struct minidump_writer *writer)
{
	const struct crash *crash = writer->crash;
	const size_t begin = extend(writer, 0);

	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];
		const char *line = arena_format(
			writer->arena, "%08" PRIx64 "-%08" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 0 %s\n",
			mapping->base, mapping->base + mapping->size, "-r"[mapping->readable],
			"-w"[mapping->writable], "-x"[mapping->executable], mapping->file_offset,
			mapping->name);

		append_text(writer, line);
	}
	if (writer->size > begin)
		enter(writer, LINUX_MAPS, begin, writer->size - begin);
}

/* What the core has of the process in notes of its own. */
static void
write_process(struct minidump_writer *writer)
{
	const struct crash *crash = writer->crash;
	const size_t misc = extend(writer, 24);
	struct reader auxv;

	put(writer, misc, 4, 24);
	put(writer, misc + 4, 4, crash->misc.has_process_id ? 1 : 0);
	put(writer, misc + 8, 4, crash->misc.process_id);
	enter(writer, STREAM_MISC, misc, 24);
	if (crash_stream_bytes(crash, CORE_AUXV, &auxv))
		enter(writer, LINUX_AUXV, append(writer, auxv.data, (size_t)auxv.size),
		      (size_t)auxv.size);
	for (size_t i = 0; i < crash->annotation_count; i++) {
		const struct annotation *annotation = &crash->annotations[i];

		if (strcmp(annotation->source, "command line") != 0 ||
		    strncmp(annotation->key, "arguments", 9) != 0)
			continue;
		const size_t size = strlen(annotation->value) + 1;
		enter(writer, LINUX_COMMAND_LINE, append(writer, annotation->value, size), size);
		break;
	}
	write_maps(writer);
}

static void
write_all_modules(struct minidump_writer *writer)
{
	const struct crash *crash = writer->crash;
	const struct structure *entry = &modules_layout.entry;
	const size_t at = begin_list(writer, STREAM_MODULES, entry, crash->module_count);

	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		size_t size;
		const size_t identity = write_build_id(writer, module, &size);

		put_module(writer, at + entry->size * i, module, module->code_file,
			   location_of(size, identity));
	}
}

/* The threads, whose stacks are in the memory behind everything else. */
static void
write_all_threads(struct minidump_writer *writer, const struct context_layout *layout, size_t at,
		  const size_t *contexts, const uint64_t *places)
{
	const struct crash *crash = writer->crash;
	const struct structure *entry = &threads_layout.entry;

	for (size_t i = 0; i < crash->thread_count && !writer->failed; i++) {
		const struct thread *thread = &crash->threads[i];
		const struct memory_run *run;
		const struct minidump_memory stack = stack_of(crash, thread, &run);
		const uint64_t place =
			stack.size > 0 ? places[run - crash->runs] + (stack.base - run->base) : 0;
		const bool fits = stack.size > 0 && place + stack.size <= UINT32_MAX;

		put_structure(writer, at + i * entry->size, entry, &(struct thread_entry){
			.id = thread->id, .stack_start = stack.base,
			.stack = fits ? location_of(stack.size, (size_t)place) : location_of(0, 0),
			.context = location_of(contexts[i] > 0 ? layout->fields->size : 0,
					       contexts[i]) });
	}
}

static void
make_pieces(const struct minidump_writer *writer, struct dump_image *image)
{
	const struct crash *crash = writer->crash;

	image->pieces[image->count++] = (struct dump_piece){ writer->bytes, writer->size };
	for (size_t i = 0; i < crash->run_count; i++)
		image->pieces[image->count++] = (struct dump_piece){ crash->runs[i].data,
								     (size_t)crash->runs[i].size };
}

enum error_code
minidump_write_core(const struct crash *crash, struct arena *arena, struct dump_image *image,
		    struct error *error)
{
	struct minidump_writer writer = { .crash = crash, .arena = arena,
					  .big_endian = crash->reader.big_endian };
	const struct context_layout *layout = context_layout_of(crash->system.arch);
	size_t *contexts = arena_array(arena, crash->thread_count + 1, sizeof(*contexts));

	*image = (struct dump_image){ .threads = crash->thread_count,
				      .modules = crash->module_count };
	if (!crash->core)
		return error_set(error, ERROR_FORMAT, crash->system.place,
				 "a minidump is made of a core; this is a %s", crash->format);
	if (layout == NULL || processor_of(layout) == 0xffff ||
	    core_context_layout(crash->system.arch) == NULL)
		return error_set(error, ERROR_FORMAT, crash->system.place,
				 "minidumps have no layout for the registers of %s",
				 crash->system.cpu_name);
	image->pieces = arena_array(arena, crash->run_count + 1, sizeof(*image->pieces));
	if (contexts == NULL || image->pieces == NULL)
		return error_memory(error);
	extend(&writer, minidump_header.size + minidump_directory.size * MOST_STREAMS);
	write_system(&writer, layout, 0);
	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct crash_context *context = &crash->threads[i].context;

		contexts[i] = context->present ? write_thread_context(&writer, layout, context) : 0;
		image->without_registers += !context->present;
		if (crash->exception.present && contexts[i] > 0 &&
		    crash->exception.thread_id == crash->threads[i].id)
			write_exception(&writer, &crash->exception, crash->threads[i].id,
					location_of(layout->fields->size, contexts[i]));
	}
	const size_t threads =
		begin_list(&writer, STREAM_THREADS, &threads_layout.entry, crash->thread_count);
	write_all_modules(&writer);
	write_process(&writer);
	write_all_threads(&writer, layout, threads, contexts, write_runs(&writer, image));
	finish(&writer);
	if (writer.failed)
		return error_memory(error);
	make_pieces(&writer, image);
	return ERROR_NONE;
}
