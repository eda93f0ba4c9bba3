/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/dump_writer.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "dump/core.h"

#define CRASHPAD_SIZE 64u
#define CRASHPAD_MASK 56u

const struct copy_part_words copy_part_words[COPY_PARTS] = {
#define PART(id, name, words) { name, words },
#include "dump/write/copy_part.def"
};

/* Streams without offsets: they are copied unchanged if their part is kept. */
static const struct {
	uint32_t type;
	unsigned parts;			/* 0: always kept */
} plain_streams[] = {
	{ BREAKPAD_INFO, 0 },
	{ STREAM_MEMORY_INFO, 0 },
	{ LINUX_COMMAND_LINE, COPY_PART(ARGUMENTS) },
	{ LINUX_ENVIRONMENT, COPY_PART(ENVIRONMENT) },
	{ LINUX_CPU_INFO, COPY_PART(SYSTEM) },
	{ LINUX_STATUS, COPY_PART(SYSTEM) },
	{ LINUX_RELEASE, COPY_PART(SYSTEM) },
	{ LINUX_STAT, COPY_PART(SYSTEM) },
	{ LINUX_UPTIME, COPY_PART(SYSTEM) },
	{ MOZILLA_LIMITS, COPY_PART(SYSTEM) },
	{ LINUX_FD, COPY_PART(HANDLES) },
	{ STREAM_COMMENT, COPY_PART(ANNOTATIONS) },
	{ STREAM_COMMENT_WIDE, COPY_PART(ANNOTATIONS) },
	{ MOZILLA_ERRORS, COPY_PART(ANNOTATIONS) },
};

struct copier {
	struct dump_writer writer;
	const struct crash *crash;
	const struct minidump_choice *choice;
	const struct context_layout *layout;	/* layout for registers from the model */
	struct dump_image *image;
	uint64_t *places;		/* offsets of the runs in the file */
	struct descriptor *contexts;	/* one context for each thread */
	struct hash copied;		/* struct descriptor of a context, by its place */
	size_t status;			/* core: index of the current thread's status stream */
	bool raw;			/* the crash is a minidump */
};

static bool
keeps(const struct copier *copier, enum copy_part part)
{
	return (copier->choice->parts >> part & 1) != 0;
}

static const char *
path_of(const struct copier *copier, const char *path)
{
	const struct minidump_choice *choice = copier->choice;
	const char *shown = choice->path != NULL ? choice->path(choice->context, path) : path;

	return shown != NULL ? shown : "";
}

static bool
bytes_at(const struct copier *copier, uint64_t offset, uint64_t size, struct reader *bytes)
{
	return copier->raw && size > 0 &&
	       reader_window(&copier->crash->reader, offset, size, bytes);
}

/* Add a structure, filled with `bytes` of a minidump; a damaged dump may have fewer. */
static size_t
copy_structure(struct copier *copier, const struct structure *structure, const struct reader *bytes)
{
	struct dump_writer *writer = &copier->writer;
	const size_t at = writer_extend(writer, structure->size);

	writer_put_bytes(writer, at, bytes->data, bytes->size < structure->size
							  ? (size_t)bytes->size : structure->size);
	return at;
}

/* Registers ------------------------------------------------------------------------------------ */

/*
 * Copy a context without floating point and vector state: its registers, its flags and the numbers
 * after the flags. The slots for parameters before the flags of amd64 are not copied.
 */
static size_t
copy_plain_context(struct copier *copier, const struct context_layout *layout,
		   const struct crash_context *context, const struct reader *bytes)
{
	struct dump_writer *writer = &copier->writer;
	const struct structure *fields = layout->fields;
	const size_t at = writer_context(writer, layout, context->flags, &context->registers);

	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = &fields->rows[i];

		if (field->reg == 0 && field->count == 0 && field->size <= 8 &&
		    field->offset > layout->flags_offset && strchr(field->name, '.') == NULL &&
		    field->offset + field->size <= bytes->size)
			writer_put_bytes(writer, at + field->offset, bytes->data + field->offset,
					 field->size);
	}
	return at;
}

/* The notes of a thread follow its status, up to the next status. */
static const struct stream *
note_of(const struct crash *crash, size_t status, uint32_t type)
{
	for (size_t i = status + 1; i < crash->stream_count &&
				    crash->streams[i].type != CORE_PRSTATUS; i++)
		if (crash->streams[i].type == type)
			return &crash->streams[i];
	return NULL;
}

/* The context of a core's thread; floating point registers are in notes of their own. */
static size_t
copy_core_context(struct copier *copier, const struct crash_context *context)
{
	const struct crash *crash = copier->crash;
	const struct context_layout *layout = copier->layout;
	const struct context_layout *from =
		core_context_layout(crash->system.arch, core_word(crash));
	struct dump_writer *writer = &copier->writer;
	const struct core_floats *row;
	size_t *status = &copier->status;
	uint64_t flags = layout->cpu | core_abi(crash->system.arch)->context_parts;
	const size_t at = writer_context(writer, layout, flags, &context->registers);
	struct reader bytes;

	while (*status < crash->stream_count &&
	       (crash->streams[*status].type != CORE_PRSTATUS ||
		crash->streams[*status].offset != context->place.offset))
		++*status;
	for (size_t i = 0; keeps(copier, COPY_FLOATS) &&
			   (row = core_floats_of(layout->name, &i)) != NULL; i++) {
		const struct stream *note = note_of(crash, *status, row->note);

		if (note == NULL ||
		    !reader_window(&crash->reader, note->offset, row->size, &bytes))
			continue;
		flags |= row->flag;
		for (size_t j = 0; j < ARRAY_COUNT(row->parts); j++)
			writer_put_bytes(writer, at + row->parts[j].context,
					 bytes.data + row->parts[j].note, row->parts[j].size);
	}
	writer_put(writer, at + layout->flags_offset, layout->flags_size, flags);
	if (!writer->failed && reader_window(&crash->reader, context->place.offset,
					     from->fields->size, &bytes))
		fields_copy(from->fields, &bytes, layout->fields, writer->bytes + at);
	return at;
}

static struct descriptor
copy_context_anew(struct copier *copier, const struct crash_context *context)
{
	const struct crash_context *stored = context->native != NULL ? context->native : context;
	const struct context_layout *layout =
		stored->layout != NULL ? context_layout_named(stored->layout) : NULL;
	struct reader bytes = { .data = NULL };

	if (!context->present || (layout == NULL && !copier->crash->core))
		return writer_location(0, 0);
	if (copier->crash->core)
		return writer_location(copier->layout->fields->size,
				       copy_core_context(copier, context));
	if (bytes_at(copier, stored->place.offset, stored->size, &bytes) &&
	    keeps(copier, COPY_FLOATS))
		return writer_location(stored->size, writer_append(&copier->writer, bytes.data,
								   stored->size));
	return writer_location(layout->fields->size,
			       copy_plain_context(copier, layout, stored, &bytes));
}

/* The context of a thread or an exception. A shared context is copied only once. */
static struct descriptor
copy_context(struct copier *copier, const struct crash_context *context)
{
	const struct crash_context *stored = context->native != NULL ? context->native : context;
	const struct descriptor *known =
		copier->raw ? hash_find(&copier->copied, stored->place.offset, stored->size) : NULL;

	if (known != NULL)
		return *known;
	const struct descriptor made = copy_context_anew(copier, context);
	struct descriptor *kept = arena_alloc(copier->writer.arena, sizeof(*kept));
	if (!copier->raw || made.size == 0 || kept == NULL)
		return made;
	*kept = made;
	hash_put(&copier->copied, stored->place.offset, stored->size, kept);
	return made;
}

static void
copy_exception(struct copier *copier, const struct crash_exception *exception)
{
	const struct crash *crash = copier->crash;
	struct descriptor context = { 0, 0 };
	struct reader bytes;

	if (!exception->present)
		return;
	for (size_t i = 0; !copier->raw && i < crash->thread_count; i++)
		if (crash->threads[i].id == exception->thread_id)
			context = copier->contexts[i];
	if (copier->raw)
		context = copy_context(copier, &exception->context);
	struct dump_writer *writer = &copier->writer;
	if (!bytes_at(copier, exception->place.offset, exception->place.length, &bytes)) {
		struct exception_entry entry = {
			.thread_id = exception->thread_id, .code = exception->code,
			.flags = exception->flags, .address = exception->address,
			.parameter_count = exception->parameter_count, .context = context };

		memcpy(entry.parameters, exception->parameters, sizeof(entry.parameters));
		writer_structure(writer, STREAM_EXCEPTION, &exception_structure, &entry);
		return;
	}
	const size_t at = copy_structure(copier, &exception_structure, &bytes);
	writer_put(writer, at + exception_structure.size - 8, 4, context.size);
	writer_put(writer, at + exception_structure.size - 4, 4, context.rva);
	writer_enter(writer, STREAM_EXCEPTION, at, exception_structure.size);
}

/* Copy a string and the length before it unchanged; returns the offset of the copy, or 0. */
static size_t
copy_string(struct copier *copier, uint32_t rva)
{
	uint32_t length = 0;
	struct reader bytes;

	if (rva == 0 || !reader_u32(&copier->crash->reader, rva, &length) ||
	    length > LIMIT_STRING || !bytes_at(copier, rva, 4 + (uint64_t)length, &bytes))
		return 0;
	const size_t at = writer_append(&copier->writer, bytes.data, 4 + length);
	writer_extend(&copier->writer, 2);
	return at;
}

/* System and process --------------------------------------------------------------------------- */

static void
copy_system(struct copier *copier)
{
	static const char unknown[] = "0.0.0 ";
	const struct crash_system *system = &copier->crash->system;
	struct dump_writer *writer = &copier->writer;
	const char *version = text_or_empty(system->os_version);
	struct system_entry entry = { 0 };
	struct reader bytes;

	if (!copier->raw) {
		if (strncmp(version, unknown, strlen(unknown)) == 0)
			version += strlen(unknown);
		if (copier->crash->core)
			version = "";
		writer_structure(writer, STREAM_SYSTEM, &system_structure, &(struct system_entry){
			.processor = (uint16_t)writer_processor(copier->layout),
			.processor_count = (uint8_t)system->cpu_count,
			.platform = system_platform(system->os),
			.service_pack = (uint32_t)writer_string(writer, version) });
		return;
	}
	/* A damaged dump may lack the system stream. The copy then lacks it, too. */
	if (system->place.input == NULL ||
	    !crash_stream_bytes(copier->crash, STREAM_SYSTEM, &bytes))
		return;
	fields_read(&system_structure, &bytes, &entry);
	const size_t at = copy_structure(copier, &system_structure, &bytes);
	writer_put(writer, at + 24, 4, copy_string(copier, entry.service_pack));
	writer_enter(writer, STREAM_SYSTEM, at, system_structure.size);
}

static void
copy_misc(struct copier *copier)
{
	const struct misc_info *misc = &copier->crash->misc;
	struct dump_writer *writer = &copier->writer;

	if (!misc->present && !copier->crash->core)
		return;
	const size_t at = writer_extend(writer, misc_structure.size);
	writer_put(writer, at, 4, misc_structure.size);
	writer_put(writer, at + 4, 4, (misc->has_process_id ? 1 : 0) | (misc->has_times ? 2 : 0));
	writer_put_structure(writer, at, &misc_structure, misc);
	writer_enter(writer, STREAM_MISC, at, misc_structure.size);
}

/* Without COPY_SYSTEM, keep only entries of the program, linker, page size and vDSO. */
static void
copy_auxv(struct copier *copier)
{
	static const unsigned kept[] = { 3, 4, 5, 6, 7, 9, 32, 33 };
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const unsigned word = crash->system.arch->word_size;
	struct reader auxv;
	uint64_t type = 1, value;

	if (!crash_stream_bytes(crash, crash->core ? (uint32_t)CORE_AUXV : LINUX_AUXV, &auxv))
		return;
	const size_t at = writer_append(writer, auxv.data, (size_t)auxv.size);
	size_t used = 0;
	for (uint64_t i = 0; !keeps(copier, COPY_SYSTEM) && type != 0 &&
			     reader_unsigned(&auxv, i, word, &type) &&
			     reader_unsigned(&auxv, i + word, word, &value); i += 2 * word) {
		bool wanted = false;

		for (size_t row = 0; row < ARRAY_COUNT(kept); row++)
			wanted = wanted || type == kept[row];
		if (!wanted)
			continue;
		writer_put(writer, at + used, word, type);
		writer_put(writer, at + used + word, word, value);
		used += (size_t)2 * word;
	}
	if (!keeps(copier, COPY_SYSTEM) && !writer->failed) {
		memset(writer->bytes + at + used, 0, (size_t)auxv.size - used);
		used += (size_t)2 * word;
		writer->size = used < auxv.size ? at + used : writer->size;
	}
	writer_enter(writer, LINUX_AUXV, at, writer->size - at);
}

/* /proc/PID/maps, made from the crash's mappings. */
static void
copy_maps(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const size_t begin = writer_extend(writer, 0);
	struct reader maps;

	if (!crash->core && !crash_stream_bytes(copier->crash, LINUX_MAPS, &maps))
		return;
	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];
		const struct minidump_choice *choice = copier->choice;
		const char *name = choice->mapping != NULL
					   ? choice->mapping(choice->context, mapping)
					   : mapping->name;

		writer_append_text(writer, arena_format(
			writer->arena,
			"%08" PRIx64 "-%08" PRIx64 " %c%c%cp %08" PRIx64 " 00:00 0 %s\n",
			mapping->base, mapping->base + mapping->size, "-r"[mapping->readable],
			"-w"[mapping->writable], "-x"[mapping->executable], mapping->file_offset,
			text_or_empty(name)), false);
	}
	if (writer->size > begin)
		writer_enter(writer, LINUX_MAPS, begin, writer->size - begin);
}

/* The thread to show first, if no exception names it. */
static void
copy_requesting(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const struct structure *structure = &system_breakpad_layout.entry;

	if (copier->raw || crash->exception.present || crash->requesting_thread < 0)
		return;
	const size_t at = writer_extend(writer, structure->size);
	writer_put(writer, at, 4, 2);
	writer_put(writer, at + 8, 4, crash->threads[crash->requesting_thread].id);
	writer_enter(writer, BREAKPAD_INFO, at, structure->size);
}

/* The command line. In a core, it is one field of a note. */
static void
copy_arguments(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;

	for (size_t i = 0; crash->core && keeps(copier, COPY_ARGUMENTS) &&
			   i < crash->annotation_count; i++) {
		const struct annotation *annotation = &crash->annotations[i];
		const size_t size = strlen(annotation->value) + 1;

		if (strcmp(annotation->source, "command line") != 0 ||
		    strncmp(annotation->key, "arguments", 9) != 0)
			continue;
		writer_enter(writer, LINUX_COMMAND_LINE,
			     writer_append(writer, annotation->value, size), size);
		break;
	}
}

static void
copy_plain_streams(struct copier *copier)
{
	struct reader bytes;

	for (size_t i = 0; copier->raw && i < ARRAY_COUNT(plain_streams); i++) {
		const uint32_t type = plain_streams[i].type;

		if ((plain_streams[i].parts & ~copier->choice->parts) == 0 &&
		    crash_stream_bytes(copier->crash, type, &bytes))
			writer_enter(&copier->writer, type,
				     writer_append(&copier->writer, bytes.data, (size_t)bytes.size),
				     (size_t)bytes.size);
	}
}

/* Copy a failed assertion. It has three texts of 128 characters; the third is a path. */
static void
copy_assertion(struct copier *copier)
{
	struct dump_writer *writer = &copier->writer;
	const struct structure *structure = &system_assertion_layout.entry;
	const struct field *file = &structure->rows[2];
	struct reader bytes;

	if (!copier->raw || !crash_stream_bytes(copier->crash, BREAKPAD_ASSERTION, &bytes) ||
	    bytes.size < structure->size)
		return;
	const size_t at = writer_append(writer, bytes.data, structure->size);
	const char *path = path_of(copier, text_or_empty(text_from_utf16(
		writer->arena, bytes.data + file->offset, file->size / 2, bytes.big_endian, true)));
	const size_t text = writer_string(writer, path), end = writer->size;
	if (writer->failed)
		return;
	memset(writer->bytes + at + file->offset, 0, file->size);
	for (size_t i = 0; i + 2 < file->size && text + 4 + i + 2 < end; i++)
		writer->bytes[at + file->offset + i] = writer->bytes[text + 4 + i];
	writer_enter(writer, BREAKPAD_ASSERTION, at, structure->size);
}

/* Modules -------------------------------------------------------------------------------------- */

/* Write a build ID record in the format of Breakpad's writer for Linux. */
static struct descriptor
put_build_id(struct dump_writer *writer, const struct module *module)
{
	uint8_t id[LIMIT_BUILD_ID];
	const size_t count = modules_build_id(module, id);

	if (count == 0)
		return writer_location(0, 0);
	const size_t at = writer_extend(writer, 4 + count);
	writer_put(writer, at, 4, 0x4270454c);
	writer_put_bytes(writer, at + 4, id, count);
	return writer_location(4 + count, at);
}

/* The record of a module's identity, with the path of its debug file. */
static struct descriptor
copy_identity(struct copier *copier, const struct module *module)
{
	/* Signatures of records with a path, and the path's offset. */
	static const struct {
		uint32_t signature, path;
	} records[] = { { 0x53445352, 24 }, { 0x3031424e, 16 } };
	struct dump_writer *writer = &copier->writer;
	const struct place *place = &module->identity_place;
	uint32_t signature = 0;
	struct reader bytes;
	size_t at;

	if (module->debug_id[0] == '\0' && module->code_id[0] == '\0')
		return writer_location(0, 0);
	if (!bytes_at(copier, place->offset, place->length, &bytes))
		return copier->crash->core ? put_build_id(writer, module)
					   : writer_identity(writer, module);
	reader_u32(&bytes, 0, &signature);
	for (size_t i = 0; i < ARRAY_COUNT(records); i++) {
		if (records[i].signature != signature || records[i].path > bytes.size)
			continue;
		at = writer_append(writer, bytes.data, records[i].path);
		writer_append_text(writer, path_of(copier, module->debug_file), true);
		return writer_location(writer->size - at, at);
	}
	return module->code_id[0] == '\0'
		       ? writer_location(0, 0)
		       : writer_location((size_t)bytes.size,
					 writer_append(writer, bytes.data, (size_t)bytes.size));
}

static void
copy_modules(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const struct structure *entry = &modules_layout.entry;
	const size_t list = writer_list(writer, STREAM_MODULES, entry, crash->module_count);

	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		const struct descriptor identity = copy_identity(copier, module);
		const size_t at = list + i * entry->size;
		struct reader bytes;

		writer_put_structure(writer, at, entry, &(struct module_entry){
			.base = module->base, .size = (uint32_t)module->size,
			.checksum = module->checksum, .timestamp = module->timestamp,
			.name = (uint32_t)writer_string(writer, path_of(copier, module->code_file)),
			.codeview = identity });
		/* Write the version; the entry already has the fields before it. */
		if (bytes_at(copier, module->place.offset, entry->size, &bytes))
			writer_put_bytes(writer, at + 24, bytes.data + 24, 52);
	}
	if (crash->unloaded_count == 0)
		return;
	const struct structure *unloaded = &modules_unloaded_layout.entry;
	const size_t size = 12 + unloaded->size * crash->unloaded_count;
	const size_t head = writer_extend(writer, size);
	writer_put(writer, head, 4, 12);
	writer_put(writer, head + 4, 4, unloaded->size);
	writer_put(writer, head + 8, 4, crash->unloaded_count);
	for (size_t i = 0; i < crash->unloaded_count; i++) {
		const struct module *module = &crash->unloaded[i];

		writer_put_structure(writer, head + 12 + i * unloaded->size, unloaded,
				     &(struct module_entry){
			.base = module->base, .size = (uint32_t)module->size,
			.checksum = module->checksum, .timestamp = module->timestamp,
			.name = (uint32_t)writer_string(writer, path_of(copier,
									module->code_file)) });
	}
	writer_enter(writer, STREAM_UNLOADED, head, size);
}

/* Annotations ---------------------------------------------------------------------------------- */

/* Add a UTF-8 string, preceded by its length. */
static size_t
put_utf8(struct dump_writer *writer, const char *text)
{
	const size_t length = strlen(text), at = writer_extend(writer, 4 + length + 1);

	writer_put(writer, at, 4, length);
	writer_put_bytes(writer, at + 4, text, length);
	return at;
}

/* Write annotation `first` and those after it with the same source as a dictionary. */
static struct descriptor
put_dictionary(struct copier *copier, size_t first, size_t *upto)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const char *source = crash->annotations[first].source;

	for (*upto = first; *upto < crash->annotation_count &&
			    strcmp(crash->annotations[*upto].source, source) == 0; ++*upto)
		continue;
	const size_t size = 4 + 8 * (*upto - first), at = writer_extend(writer, size);
	writer_put(writer, at, 4, *upto - first);
	for (size_t i = first; i < *upto; i++) {
		const size_t key = put_utf8(writer, crash->annotations[i].key);
		const size_t value = put_utf8(writer, crash->annotations[i].value);

		writer_put(writer, at + 4 + 8 * (i - first), 4, key);
		writer_put(writer, at + 8 + 8 * (i - first), 4, value);
	}
	return writer_location(size, at);
}

/* Crashpad's stream: the mask of pointers, and annotations of the process if they are kept. */
static void
copy_crashpad(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	struct descriptor dictionary = { 0, 0 };
	struct reader bytes;
	size_t next;

	if (!copier->raw || !crash_stream_bytes(copier->crash, CRASHPAD_INFO, &bytes))
		return;
	const size_t at = writer_extend(writer, CRASHPAD_SIZE);
	for (size_t i = 0; keeps(copier, COPY_ANNOTATIONS) && i < crash->annotation_count;
	     i = next) {
		next = i + 1;
		if (strcmp(crash->annotations[i].source, "crashpad") == 0 && dictionary.size == 0)
			dictionary = put_dictionary(copier, i, &next);
	}
	writer_put(writer, at, 4, 1);
	writer_put(writer, at + 36, 4, dictionary.size);
	writer_put(writer, at + 40, 4, dictionary.rva);
	writer_put(writer, at + CRASHPAD_MASK, 8, crash->address_mask);
	writer_enter(writer, CRASHPAD_INFO, at, CRASHPAD_SIZE);
}

/* Threads and memory --------------------------------------------------------------------------- */

static void
copy_thread_names(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const struct structure *entry = &threads_names_layout.entry;
	size_t count = 0;

	for (size_t i = 0; keeps(copier, COPY_NAMES) && i < crash->thread_count; i++)
		count += crash->threads[i].name != NULL;
	if (count == 0)
		return;
	size_t at = writer_list(writer, STREAM_THREAD_NAMES, entry, count);
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].name == NULL)
			continue;
		writer_put(writer, at, 4, crash->threads[i].id);
		writer_put(writer, at + 4, 8, writer_string(writer, crash->threads[i].name));
		at += entry->size;
	}
}

/*
 * Write the entries of one of the two memory lists. The bytes of the first run are at `*place`. The
 * wide list has all runs if `all` is set, else only runs from a Memory64List. The wide list may
 * refer to any offset, but Breakpad does not read it.
 */
static void
put_list(struct copier *copier, bool wide, bool all, size_t at, uint64_t *place)
{
	struct dump_writer *writer = &copier->writer;

	for (size_t i = 0; i < copier->choice->run_count && !writer->failed; i++) {
		const struct memory_run *run = &copier->choice->runs[i];

		if ((all || run->region->memory64) != wide)
			continue;
		writer_put(writer, at, 8, run->base);
		writer_put(writer, at + 8, wide ? 8 : 4, run->size);
		if (!wide)
			writer_put(writer, at + 12, 4, *place);
		copier->places[i] = *place;
		*place += run->size;
		copier->image->pieces[copier->image->count++] =
			(struct dump_piece){ run->data, (size_t)run->size };
		at += 16;
	}
}

/* Copy the lists of memory, after all other streams: the runs follow the lists. */
static void
copy_memory(struct copier *copier)
{
	struct dump_writer *writer = &copier->writer;
	struct dump_image *image = copier->image;
	size_t wide = 0;

	for (size_t i = 0; i < copier->choice->run_count; i++) {
		wide += copier->choice->runs[i].region->memory64;
		image->memory += copier->choice->runs[i].size;
	}
	const bool all = writer->size + 16 * (copier->choice->run_count + 4) + image->memory >
			 UINT32_MAX;
	wide = all ? copier->choice->run_count : wide;
	const size_t narrow = copier->choice->run_count - wide;
	const size_t list = writer_extend(writer, 4 + 16 * narrow);
	writer_put(writer, list, 4, narrow);
	if (narrow > 0 || wide == 0)
		writer_enter(writer, STREAM_MEMORY, list, 4 + 16 * narrow);
	const size_t list64 = wide > 0 ? writer_extend(writer, 16 + 16 * wide) : 0;
	uint64_t place = writer_extend(writer, 0);
	image->pieces[image->count++] = (struct dump_piece){ NULL, 0 };
	put_list(copier, false, all, list + 4, &place);
	if (wide == 0)
		return;
	writer_put(writer, list64, 8, wide);
	writer_put(writer, list64 + 8, 8, place);
	writer_enter(writer, STREAM_MEMORY64, list64, 16 + 16 * wide);
	put_list(copier, true, all, list64 + 16, &place);
}

/* The run of the copy that holds an address, and its place in the file. */
static const struct memory_run *
run_of(const struct copier *copier, uint64_t address, uint64_t *place)
{
	const struct memory_run *runs = copier->choice->runs;
	const size_t upto = sorted_upto(SORTED(runs, copier->choice->run_count, base), address);

	if (upto == 0 || address - runs[upto - 1].base >= runs[upto - 1].size)
		return NULL;
	*place = copier->places[upto - 1];
	return &runs[upto - 1];
}

/*
 * A thread's stack: those bytes of its descriptor that are in one run of the copy. The run contains
 * the descriptor's first byte or, if no run has that byte, the stack pointer. A core has no
 * descriptors; there the stack begins at the page of the stack pointer.
 */
static struct thread_entry
stack_of(const struct copier *copier, const struct thread *thread)
{
	const struct crash *crash = copier->crash;
	const struct crash_context *context = &thread->context;
	const uint64_t sp = context->present ? context->registers.value[context->arch->sp] : 0;
	const struct memory_region *stack = thread->stack;
	const bool listed = stack >= crash->regions && stack < crash->regions + crash->region_count;
	uint64_t place, low = sp & ~UINT64_C(0xfff), high = UINT64_MAX;

	if (copier->raw && (stack == NULL || listed))
		return (struct thread_entry){ .stack_start = thread->stack_start,
					      .stack = { (uint32_t)thread->stack_size, 0 } };
	if (copier->raw) {
		low = stack->base;
		high = stack->base + (stack->available - 1);
	}
	const struct memory_run *run = run_of(copier, copier->raw ? low : sp, &place);
	if (run == NULL)
		run = run_of(copier, sp, &place);
	if (run == NULL || (copier->raw && stack->available == 0))
		return (struct thread_entry){ .stack_start = thread->stack_start };
	const uint64_t begin = low > run->base ? low : run->base;
	const uint64_t last = high - run->base < run->size ? high : run->base + (run->size - 1);
	const uint64_t at = place + (begin - run->base), size = last - begin + 1;
	const bool fits = begin <= last && at + size <= UINT32_MAX;
	return (struct thread_entry){ .stack_start = begin,
				      .stack = writer_location(fits ? (size_t)size : 0,
							       fits ? (size_t)at : 0) };
}

/* The threads; their stacks are in the memory at the end of the file. */
static void
put_threads(struct copier *copier, size_t list)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;
	const struct structure *entry = &threads_layout.entry;

	for (size_t i = 0; i < crash->thread_count; i++) {
		const size_t at = list + i * entry->size;
		struct thread_entry thread = stack_of(copier, &crash->threads[i]);
		struct reader bytes;

		if (bytes_at(copier, crash->threads[i].place.offset, entry->size, &bytes))
			writer_put_bytes(writer, at, bytes.data, entry->size);
		thread.id = crash->threads[i].id;
		thread.teb = crash->threads[i].teb;
		thread.context = copier->contexts[i];
		writer_put_structure(writer, at, entry, &thread);
	}
}

static void
copy_all(struct copier *copier)
{
	const struct crash *crash = copier->crash;
	struct dump_writer *writer = &copier->writer;

	copy_system(copier);
	copy_misc(copier);
	for (size_t i = 0; i < crash->thread_count && !writer->failed; i++) {
		copier->contexts[i] = copy_context(copier, &crash->threads[i].context);
		copier->image->without_registers += copier->contexts[i].size == 0;
	}
	copy_exception(copier, &crash->exception);
	for (size_t i = 0; i < crash->more_exception_count; i++)
		copy_exception(copier, &crash->more_exceptions[i]);
	const size_t threads =
		writer_list(writer, STREAM_THREADS, &threads_layout.entry, crash->thread_count);
	copy_thread_names(copier);
	copy_modules(copier);
	copy_auxv(copier);
	copy_requesting(copier);
	copy_arguments(copier);
	copy_plain_streams(copier);
	copy_assertion(copier);
	copy_crashpad(copier);
	copy_maps(copier);
	copy_memory(copier);
	put_threads(copier, threads);
}

enum error_code
minidump_copy(const struct crash *crash, const struct minidump_choice *choice, struct arena *arena,
	      struct dump_image *image, struct error *error)
{
	const char *layout = crash->thread_count > 0 ? crash->threads[0].context.layout : NULL;
	struct copier copier = { .crash = crash, .choice = choice, .image = image,
				 .layout = crash->core || layout == NULL
						   ? context_layout_of(crash->system.arch)
						   : context_layout_named(layout),
				 .raw = !crash->core && !crash->microdump &&
					crash->lines.count == 0 };

	*image = (struct dump_image){ .threads = crash->thread_count,
				      .modules = crash->module_count };
	if (crash->format == crash_formats[CRASH_REPORT]) {
		error_set(error, ERROR_FORMAT, crash->system.place,
			  "a crash report has no memory, so no copy of it is made");
		error_hint(error, "give the report itself, or what 'unspool report --redact' "
				  "writes");
		return ERROR_FORMAT;
	}
	if (!copier.raw && (copier.layout == NULL || writer_processor(copier.layout) == 0xffff ||
			    (crash->core && core_context_layout(crash->system.arch,
								 core_word(crash)) == NULL)))
		return error_set(error, ERROR_FORMAT, crash->system.place,
				 "minidumps have no layout for the registers of %s",
				 crash->system.cpu_name);
	copier.contexts = arena_array(arena, crash->thread_count + 1, sizeof(*copier.contexts));
	copier.places = arena_array(arena, choice->run_count + 1, sizeof(*copier.places));
	image->pieces = arena_array(arena, choice->run_count + 1, sizeof(*image->pieces));
	if (copier.contexts == NULL || copier.places == NULL || image->pieces == NULL)
		return error_memory(error);
	copier.writer = (struct dump_writer){ .arena = arena,
					      .big_endian = crash->reader.big_endian };
	writer_extend(&copier.writer,
		      minidump_header.size + minidump_directory.size * WRITER_STREAMS);
	copy_all(&copier);
	writer_put_structure(&copier.writer, 0, &minidump_header, &(struct minidump_header){
		.signature = MINIDUMP_SIGNATURE, .version = MINIDUMP_VERSION,
		.stream_count = copier.writer.streams, .directory = minidump_header.size,
		.time = crash->time });
	hash_free(&copier.copied);
	if (copier.writer.failed)
		return error_memory(error);
	image->pieces[0] = (struct dump_piece){ copier.writer.bytes, copier.writer.size };
	return ERROR_NONE;
}

void
minidump_context(struct crash_context *context)
{
	const struct context_layout *layout = context_layout_of(context->arch);

	if (layout == NULL || context_layout_named(context->layout) != NULL)
		return;
	context->layout = layout->name;
	context->flags = layout->cpu | core_abi(context->arch)->context_parts;
}

enum error_code
minidump_write_core(const struct crash *crash, struct arena *arena, struct dump_image *image,
		    struct error *error)
{
	const struct minidump_choice all = { .parts = COPY_EVERYTHING, .runs = crash->runs,
					     .run_count = crash->run_count };

	if (!crash->core)
		return error_set(error, ERROR_FORMAT, crash->system.place,
				 "only a core can be converted to a minidump; this is a %s",
				 crash->format);
	return minidump_copy(crash, &all, arena, image, error);
}
