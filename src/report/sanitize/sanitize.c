/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sanitize/sanitize.h"

#include <string.h>

#include "base/checked.h"
#include "dump/core.h"
#include "dump/dump.h"
#include "report/sanitize/sanitize_internal.h"

const char *
sanitize_name(struct sanitizing *sanitizing, const char *text, struct arena *arena)
{
	return text == NULL ? NULL
			    : user_names_replace(&sanitizing->names, text_of(text), arena).start;
}

/* A path without user names. The file keeps its name, by which its symbols are found. */
static const char *
path_of(void *context, const char *path)
{
	struct sanitizing *sanitizing = context;
	struct arena *arena = &sanitizing->out->arena;
	const char *base = place_base_name(path);
	const char *folder = arena_copy(arena, path, (size_t)(base - path));
	const char *shown = sanitize_name(sanitizing, folder, arena);

	if ((sanitizing->out->parts & COPY_PART(PATHS)) != 0 || shown == NULL)
		return shown != NULL ? path : NULL;
	sanitizing->out->paths += strcmp(shown, folder) != 0;
	return arena_format(arena, "%s%s", shown, base);
}

/* Whether a mapping contains an address of the crash, so that the copy names its file. */
static bool
is_of_crash(const struct crash *crash, const struct mapping *mapping)
{
	const struct crash_context *context =
		crash->requesting_thread >= 0
			? crash_thread_context(crash, (size_t)crash->requesting_thread) : NULL;

	if (checked_contains(mapping->base, mapping->size, crash->reason_address))
		return true;
	for (int reg = 0; context != NULL && context->present &&
			  reg < context->arch->register_count; reg++)
		if (registers_known(&context->registers, reg) &&
		    checked_contains(mapping->base, mapping->size, context->registers.value[reg]))
			return true;
	return false;
}

/* A mapped file that is not a module could be any file of the user. */
static const char *
mapping_name(void *context, const struct mapping *mapping)
{
	struct sanitizing *sanitizing = context;
	const char *name = mapping->name;
	const bool shown = name[0] == '[' || is_of_crash(sanitizing->out->crash, mapping) ||
			   (sanitizing->out->parts & COPY_PART(PATHS)) != 0 ||
			   hash_find(&sanitizing->files,
				     hash_bytes(HASH_START, name, strlen(name)), 0) != NULL;

	return shown ? path_of(sanitizing, name) : "";
}

/* Streams of a crash that become another one in a minidump. */
static const struct {
	uint32_t from, to;
} renamed[] = {
	{ CORE_PRSTATUS, 3 }, { CORE_AUXV, 0x47670008 }, { CORE_FILE, 0x47670009 },
	{ CORE_SIGINFO, 6 }, { CORE_SEGMENTS, 5 }, { 8, 3 }, { 9, 5 },
};

static const struct stream *
stream_of(const struct crash *crash, uint32_t type)
{
	for (size_t i = 0; i < crash->stream_count; i++)
		if (crash->streams[i].type == type)
			return &crash->streams[i];
	return NULL;
}

/* Lists the streams and the size of their copies; several of one type are one row. */
static bool
list_streams(struct sanitized *out, const struct crash *copy)
{
	const struct crash *crash = out->crash;

	out->stream_count = 0;
	out->streams = arena_array(&out->arena, crash->stream_count + 1, sizeof(*out->streams));
	for (size_t i = 0; out->streams != NULL && i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		struct sanitized_stream *row = NULL;
		const struct stream *copied = stream_of(copy, stream->type);

		for (size_t j = 0; copied == NULL && j < ARRAY_COUNT(renamed); j++)
			if (renamed[j].from == stream->type)
				copied = stream_of(copy, renamed[j].to);
		for (size_t j = 0; j < out->stream_count && row == NULL; j++)
			if (strcmp(out->streams[j].name, stream->name) == 0)
				row = &out->streams[j];
		if (row == NULL) {
			row = &out->streams[out->stream_count++];
			*row = (struct sanitized_stream){ stream->name, 0,
							  copied != NULL ? copied->size : 0 };
		}
		row->size += stream->size;
	}
	return out->streams != NULL;
}

/* Opens the bytes of the image as one piece. */
static bool
open_copy(struct sanitizing *sanitizing, struct crash *copy)
{
	struct sanitized *out = sanitizing->out;
	const struct dump_image *image = &out->image;
	size_t used = 0;

	out->size = 0;
	for (size_t i = 0; i < image->count; i++)
		out->size += image->pieces[i].size;
	uint8_t *bytes = arena_alloc(&out->arena, (size_t)out->size);
	if (bytes == NULL) {
		error_memory(sanitizing->error);
		return false;
	}
	for (size_t i = 0; i < image->count; i++) {
		if (image->pieces[i].size > 0)
			memcpy(bytes + used, image->pieces[i].bytes, image->pieces[i].size);
		used += image->pieces[i].size;
	}
	return dump_from_memory(copy, "copy", bytes, used, 0, sanitizing->error) == ERROR_NONE;
}

/* Makes the copy with the current settings and proves it. */
static bool
attempt(struct sanitizing *sanitizing)
{
	struct sanitized *out = sanitizing->out;
	struct minidump_choice choice = { .parts = out->parts, .path = path_of,
					  .mapping = mapping_name, .context = sanitizing };
	struct crash copy = { 0 };
	bool good;

	out->paths = 0;
	if (!sanitize_memory(sanitizing, &choice)) {
		error_memory(sanitizing->error);
		return false;
	}
	good = minidump_copy(out->crash, &choice, &out->arena, &out->image, sanitizing->error) ==
		       ERROR_NONE &&
	       open_copy(sanitizing, &copy) && sanitize_prove(sanitizing, &copy) &&
	       list_streams(out, &copy);
	crash_free(&copy);
	return good;
}

/* Frees the results of an attempt; the next one makes its own. */
static void
forget_attempt(struct sanitized *out)
{
	arena_free(&out->arena);
	out->image = (struct dump_image){ 0 };
	out->ranges = NULL;
	out->range_count = out->range_capacity = 0;
	out->streams = NULL;
	out->stream_count = 0;
	out->different = (struct sanitized_difference){ 0 };
}

/* Collects the paths of modules, which the memory map may also contain. */
static bool
learn_files(struct sanitizing *sanitizing)
{
	const struct crash *crash = sanitizing->out->crash;
	bool good = true;

	sanitizing->names.active = true;
	crash_learn_names(crash, &sanitizing->names);
	for (size_t i = 0; i < crash->module_count; i++) {
		const char *path = crash->modules[i].code_file;

		good = good && hash_put(&sanitizing->files,
					hash_bytes(HASH_START, path, strlen(path)), 0, path);
	}
	return good;
}

enum error_code
sanitize(struct sanitized *sanitized, const struct crash *crash, struct symbols *symbols,
	 struct binaries *binaries, const struct sanitize_options *options, struct error *error)
{
	struct sanitizing sanitizing = { .options = options, .symbols = symbols,
					 .binaries = binaries, .logged = *crash, .trims = true,
					 .once_from = SIZE_MAX, .out = sanitized, .error = error };

	*sanitized = (struct sanitized){ .crash = crash, .parts = options->parts,
					 .absent = options->absent };
	struct arena arena = { 0 };
	memory_used_init(&sanitizing.used, &arena);
	sanitizing.logged.log = &sanitizing.used.log;
	/* Values that reports redact are not read for the copy. */
	sanitizing.logged.redacted = true;
	bool good = learn_files(&sanitizing) && sanitize_read(&sanitizing);
	if (!good)
		error_memory(error);
	/* If a report needs a stack's end or words that a scan saw, copy more and try again. */
	for (unsigned i = 0; good; i++) {
		sanitizing.trims = i < 1;
		sanitized->absent = options->absent && i < 2;
		sanitized->parts |= i < 3 ? 0 : COPY_PART(SCANNED);
		if (attempt(&sanitizing))
			break;
		good = error->code == ERROR_FORMAT && i < 3;
		forget_attempt(sanitized);
	}
	memory_used_free(&sanitizing.used);
	arena_free(&arena);
	hash_free(&sanitizing.files);
	user_names_free(&sanitizing.names);
	return good ? ERROR_NONE : error->code;
}

void
sanitized_free(struct sanitized *sanitized)
{
	arena_free(&sanitized->arena);
}

const char *
sanitize_parse_parts(const char *list, unsigned *parts)
{
	struct text rest = text_of(list);

	while (rest.length > 0) {
		const char *comma = memchr(rest.start, ',', rest.length);
		const struct text word = { rest.start, comma != NULL ? (size_t)(comma - rest.start)
								      : rest.length };
		bool found = false;

		for (size_t i = 0; i < COPY_PARTS; i++)
			if (text_equal(word, text_of(copy_part_words[i].name))) {
				*parts |= 1u << i;
				found = true;
			}
		if (!found)
			return "'%s' is no list of parts:"
#define PART(id, name, words) " " name
#include "dump/write/copy_part.def"
			       ;
		rest.start += word.length + (comma != NULL);
		rest.length -= word.length + (comma != NULL);
	}
	return NULL;
}
