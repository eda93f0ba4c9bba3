/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/inflate.h"
#include "crash/memory.h"
#include "crash/module_map.h"
#include "dump/extra.h"
#include "dump/minidump_internal.h"

/* Bytes of a file, and of what they decompress to, that tell what it is. */
#define HEAD_SIZE (UINT64_C(1) << 20)

static void
start(struct crash *crash)
{
	*crash = (struct crash){ .requesting_thread = -1 };
	arena_init(&crash->arena, 0);
	message_list_init(&crash->messages, &crash->arena);
	crash->system = (struct crash_system){
		.os_name = "", .os_version = "", .cpu_name = "unknown", .cpu_info = "",
		.arch = arch_by_id(ARCH_UNKNOWN),
	};
	crash->misc.build = "";
	crash->format = "";
}

static enum error_code
no_bytes(const struct crash *crash, enum inflate_kind kind, const struct inflated *inflated,
	 struct error *error)
{
	const struct place place = { .input = &crash->file.input };

	error_set(error, ERROR_FORMAT, place,
		  "'%s' is compressed by %s and cannot be decompressed: %s",
		  place_base_name(crash->file.input.name), inflate_name(kind),
		  inflated->end == INFLATE_WHOLE ? "it is empty" : inflated->reason);
	error_hint(error, "the file may be damaged or incomplete; '%s -t' tests it",
		   inflate_name(kind));
	return ERROR_FORMAT;
}

/* Said once, since every place counts in bytes that no file on the disk has. */
static void
report_inflated(struct crash *crash, const struct inflated *inflated)
{
	const struct file *file = &crash->file;
	const struct place whole = { .input = &file->input };

	message_add(&crash->messages, MESSAGE_COMPRESSED, whole,
		    "decompressed by %s from %" PRIu64 " to %" PRIu64 " bytes"
		    "\noffsets count in the decompressed dump", inflate_name(file->kind),
		    file->stored, file->size);
	if (inflated->end == INFLATE_LIMIT)
		message_add(&crash->messages, MESSAGE_LIMIT, whole,
			    "more than %" PRIu64 " bytes of decompressed data in '%s'"
			    "\nthe rest is skipped; decompress it to a file to see all of it",
			    file->size, place_base_name(file->input.name));
	else if (inflated->end != INFLATE_WHOLE)
		message_add(&crash->messages, MESSAGE_TRUNCATED, whole,
			    "decompressing '%s' stopped after %" PRIu64 " bytes: %s"
			    "\nthis part is shown", place_base_name(file->input.name), file->size,
			    inflated->reason);
}

static enum error_code
no_such_dump(const struct crash *crash, size_t index, struct error *error)
{
	return error_set(error, ERROR_NOT_FOUND, (struct place){ .input = &crash->file.input },
			 "no dump %zu in '%s', which has %zu", index,
			 place_base_name(crash->file.input.name), crash->dump_count);
}

static enum error_code
read_bytes(struct crash *crash, size_t index, struct error *error)
{
	struct file *file = &crash->file;
	struct inflated inflated;
	enum inflate_kind kind = inflate_identify(file->data, file->size);

	if (file_inflate(file, &inflated))
		report_inflated(crash, &inflated);
	else if (kind != INFLATE_NONE)
		return no_bytes(crash, kind, &inflated, error);
	crash->reader = (struct reader){ .input = &file->input, .data = file->data,
					 .size = file->size };
	if (file->size < (SIZE_MAX - LIMIT_DUMP_MEMORY) / 32)
		crash->arena.limit = LIMIT_DUMP_MEMORY + 32 * (size_t)file->size;
	if (index <= 1 && minidump_read(crash)) {
		crash->dump_index = crash->dump_count = 1;
	} else if (microdump_recognise(file->data, file->size)) {
		if (!microdump_read(crash, index))
			return no_such_dump(crash, index, error);
	} else if (index > 1 && minidump_read(crash)) {
		crash->dump_count = 1;
		return no_such_dump(crash, index, error);
	} else {
		return identify_explain(file, error);
	}
	memory_index(crash);
	module_map_index(crash);
	threads_read_last_errors(crash);
	return ERROR_NONE;
}

enum error_code
dump_open_nth(struct crash *crash, const char *path, size_t index, struct error *error)
{
	start(crash);
	enum error_code code = file_open(&crash->file, path, error);
	if (code == ERROR_NONE)
		code = read_bytes(crash, index, error);
	if (code == ERROR_NONE)
		extra_read(crash, path);
	return code;
}

enum error_code
dump_open(struct crash *crash, const char *path, struct error *error)
{
	return dump_open_nth(crash, path, 0, error);
}

enum error_code
dump_nth_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		     size_t index, struct error *error)
{
	start(crash);
	if (!file_borrow(&crash->file, name, bytes, size))
		return error_memory(error);
	return read_bytes(crash, index, error);
}

enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 struct error *error)
{
	return dump_nth_from_memory(crash, name, bytes, size, 0, error);
}

static bool
is_dump(const uint8_t *bytes, uint64_t size)
{
	return size >= 4 && (memcmp(bytes, "MDMP", 4) == 0 || memcmp(bytes, "PMDM", 4) == 0 ||
			     microdump_recognise(bytes, size));
}

bool
dump_recognise(const char *path)
{
	struct inflated inflated = { .data = NULL };
	struct file file;
	struct stat status;
	bool found;

	/* A pipe would lose what is read of it here. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    file_open_head(&file, path, HEAD_SIZE, NULL) != ERROR_NONE)
		return false;
	enum inflate_kind kind = inflate_identify(file.data, file.size);
	if (kind != INFLATE_NONE)
		inflate_bytes(kind, file.data, file.size, HEAD_SIZE, &inflated);
	found = kind == INFLATE_NONE ? is_dump(file.data, file.size)
				     : is_dump(inflated.data, inflated.size);
	inflate_free(&inflated);
	file_close(&file);
	return found;
}
