/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/dump.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "system/file.h"
#include "system/inflate.h"
#include "crash/memory.h"
#include "crash/module_map.h"
#include "dump/minidump_internal.h"
#include "dump/wrapper.h"

/* Bytes of a file (or of its decompressed content) that suffice to recognise it. */
#define HEAD_SIZE (UINT64_C(1) << 20)
/* Bytes that suffice to recognise a text. */
#define TEXT_HEAD 4096u

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

/* Whether all segments in a core's headers were read: then the rest of the file is not needed. */
static bool
is_whole_core(const struct file *file)
{
	return core_recognise(file->data, file->size) &&
	       core_extent(file->data, file->size) <= file->size;
}

/* Report the compression: all places count decompressed bytes, which no file on disk has. */
static void
report_inflated(struct crash *crash, const struct inflated *inflated)
{
	const struct file *file = &crash->file;
	const struct place whole = { .input = &file->input };

	message_add(&crash->messages, MESSAGE_COMPRESSED, whole,
		    "decompressed by %s from %" PRIu64 " to %" PRIu64 " bytes"
		    "\noffsets refer to the decompressed dump", inflate_name(file->kind),
		    file->stored, file->size);
	if (inflated->end == INFLATE_LIMIT && !is_whole_core(file))
		message_add(&crash->messages, MESSAGE_LIMIT, whole,
			    "more than %" PRIu64 " bytes of decompressed data in '%s'"
			    "\nthe rest is skipped; decompress it to a file to see all of it",
			    file->size, place_base_name(file->input.name));
	else if (inflated->end != INFLATE_WHOLE && inflated->end != INFLATE_LIMIT)
		message_add(&crash->messages, MESSAGE_TRUNCATED, whole,
			    "decompressing '%s' stopped after %" PRIu64 " bytes: %s"
			    "\nthis part is shown", place_base_name(file->input.name), file->size,
			    inflated->reason);
}

static enum error_code
no_such_dump(const struct crash *crash, size_t index, struct error *error)
{
	return error_set(error, ERROR_NOT_FOUND, (struct place){ .input = &crash->file.input },
			 "no dump %zu, the last one is %zu", index, crash->dump_count);
}

/* Files that are no dumps ---------------------------------------------------------------------- */

/* Advice: the kinds of files that can be opened. */
#define ACCEPTED									\
	"give a minidump ('MDMP'), an ELF core or a log with a microdump, compressed or not, "	\
	"or in a zip, tar, MIME body, Sentry envelope or apport report"

#define MACH_O "a Mach-O file", "give the minidump first and this file as its symbols"
#define APPLE(kind) \
	kind, "it lists no threads (only reports of crashes do), and it has no memory"

/*
 * Kinds of files, recognised by their first bytes (none of them 0) or by words near the beginning.
 * The first row that matches a file is used.
 */
static const struct {
	bool anywhere;
	const char *bytes, *kind, *advice;
} kinds[] = {
	{ false, "\x7f" "ELF", "an ELF program or library",
	  "give a minidump or a core of it; 'unspool dump-syms' makes its symbols" },
	{ false, "\x1f\x8b\x08", "compressed by gzip once more",
	  "decompress it with 'gzip -dc' first" },
	{ false, "\x28\xb5\x2f\xfd", "compressed by zstd once more",
	  "decompress it with 'zstd -dc' first" },
	{ false, "\xfd" "7zXZ", "compressed by xz once more", "decompress it with 'xz -dc' first" },
	{ false, "\x04\x22\x4d\x18", "compressed by lz4 once more",
	  "decompress it with 'lz4 -dc' first" },
	{ false, "BZh", "compressed by bzip2", "decompress it with 'bzip2 -dc' first" },
	{ false, "7z\xbc\xaf", "a 7z archive", "unpack it with '7z x' and give the dump" },
	{ false, "Rar!", "a rar archive", "unpack it with 'unrar x' and give the dump" },
	{ false, "version https://git-lfs", "a pointer of Git LFS to a file that is not here",
	  "get the file with 'git lfs pull'" },
	{ false, "PAGEDUMP", "a Windows kernel dump", "open it with WinDbg" },
	{ false, "PAGEDU64", "a Windows kernel dump", "open it with WinDbg" },
	{ false, "Microsoft C/C++ MSF 7.00", "a PDB",
	  "give the minidump first and this file as its symbols" },
	{ false, "Microsoft C/C++ program database 2", "a PDB of version 2.0, from before 2002",
	  "convert it with dump_syms on Windows and give the symbol file with the minidump" },
	{ false, "BSJB", "a portable PDB", "give a minidump; only managed code is in this file" },
	{ false, "\xcf\xfa\xed\xfe", MACH_O },
	{ false, "\xce\xfa\xed\xfe", MACH_O },
	{ false, "\xfe\xed\xfa\xcf", MACH_O },
	{ false, "\xfe\xed\xfa\xce", MACH_O },
	{ false, "\xca\xfe\xba\xbe", "a Mach-O file for several processors, or a Java class",
	  "give the minidump first and this file as its symbols" },
	{ false, "dyld_v", "a shared cache of dyld",
	  "give the minidump first; the libraries extracted from this file are its binaries" },
	{ false, "MZ", "a Windows program", "give a minidump of it" },
	{ false, "MODULE ", "a Breakpad symbol file",
	  "give the minidump first and this file as its symbols" },
	{ false, "{\"app_name\"", APPLE("an Apple crash report (.ips)") },
	{ true, "\"bug_type\"", APPLE("an Apple crash report (.ips)") },
	{ true, "Incident Identifier:", APPLE("an Apple crash report") },
	{ true, "Exception Type:", APPLE("an Apple crash report") },
	{ true, "*** *** *** *** ***", "an Android tombstone",
	  "its stacks are already walked; there is nothing to unwind" },
};

static enum error_code
explain(const struct file *file, const char *kind, const char *advice, struct error *error)
{
	const struct place place = { .input = &file->input };

	error_set(error, ERROR_FORMAT, place, "%s, not a minidump", kind);
	error_hint(error, "%s", advice);
	return ERROR_FORMAT;
}

static enum error_code
explain_file(const struct file *file, struct error *error)
{
	const size_t head = file->size < TEXT_HEAD ? (size_t)file->size : TEXT_HEAD;
	bool text = true;

	if (file->size == 0)
		return explain(file, "empty",
			       "the program that wrote it may have crashed, or the disk was full",
			       error);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const size_t length = strlen(kinds[i].bytes);

		if (kinds[i].anywhere
			    ? memmem(file->data, head, kinds[i].bytes, length) != NULL
			    : length <= head && memcmp(file->data, kinds[i].bytes, length) == 0)
			return explain(file, kinds[i].kind, kinds[i].advice, error);
	}
	for (size_t i = 0; i < head; i++)
		text = text && file->data[i] != 0 &&
		       (file->data[i] >= 0x20 ||
			strchr("\t\n\r\f\x1b", file->data[i]) != NULL);
	if (text)
		return explain(file, "text", ACCEPTED, error);
	return explain(file, "an unknown kind of file", ACCEPTED, error);
}

/* Opening -------------------------------------------------------------------------------------- */

static bool
is_minidump(const uint8_t *bytes, uint64_t size)
{
	return size >= 4 && (memcmp(bytes, "MDMP", 4) == 0 || memcmp(bytes, "PMDM", 4) == 0);
}

static bool
is_dump(const uint8_t *bytes, uint64_t size)
{
	return size >= 4 && (is_minidump(bytes, size) || core_recognise(bytes, size) ||
			     microdump_recognise(bytes, size) || apple_recognise(bytes, size));
}

/* A file_most: the maximum bytes to read of a dump. Of other files, only the beginning is read. */
static uint64_t
most_of_dump(const uint8_t *head, uint64_t size, uint64_t stored)
{
	const bool text = memchr(head, 0, size < TEXT_HEAD ? (size_t)size : TEXT_HEAD) == NULL;

	if (core_recognise(head, size))
		return core_extent(head, size);
	if (is_minidump(head, size) || wrapper_recognise(head, size))
		return stored > 0 ? inflate_ratio(LIMIT_INFLATED_DUMP, LIMIT_INFLATED_DUMP_RATIO,
						  stored)
				  : LIMIT_READ_PIPE;
	if (!text && !microdump_recognise(head, size))
		return 0;
	return stored > 0 ? inflate_ratio(LIMIT_INFLATED_TEXT, LIMIT_INFLATED_RATIO, stored)
			  : LIMIT_READ_WHOLE;
}

static enum error_code
decompress(struct crash *crash, struct error *error)
{
	struct file *file = &crash->file;
	struct inflated inflated;
	enum inflate_kind kind = inflate_identify(file->data, file->size);

	if (file_inflate(file, most_of_dump, &inflated)) {
		report_inflated(crash, &inflated);
	} else if (kind != INFLATE_NONE) {
		error_set(error, ERROR_FORMAT, (struct place){ .input = &file->input },
			  "cannot decompress %s: %s", inflate_name(kind),
			  inflated.end == INFLATE_WHOLE ? "it is empty" : inflated.reason);
		error_hint(error,
			   inflated.end == INFLATE_LEFT_OUT
				   ? "decompress it with '%s' first"
				   : "the file may be damaged or incomplete; '%s' tests it",
			   inflate_tool(kind, inflated.end != INFLATE_LEFT_OUT));
		return ERROR_FORMAT;
	}
	return ERROR_NONE;
}

/* If a file contains a dump among other parts, replace it by the decompressed dump. */
static enum error_code
unwrap(struct crash *crash, struct error *error)
{
	struct file *file = &crash->file, outer;
	struct wrapped_dump wrapped;
	enum error_code code = is_dump(file->data, file->size)
				       ? ERROR_NOT_FOUND
				       : wrapper_open(file, is_dump, &wrapped, error);

	if (code != ERROR_NONE)
		return code == ERROR_NOT_FOUND ? ERROR_NONE : code;
	outer = *file;
	*file = (struct file){ .input = outer.input, .data = wrapped.bytes, .size = wrapped.size,
			       .modified = outer.modified, .inode = outer.inode };
	outer.input.name = NULL;
	file_close(&outer);
	message_add(&crash->messages, MESSAGE_COMPRESSED, (struct place){ .input = &file->input },
		    "the dump is %s in %s, at offset 0x%" PRIx64
		    "\noffsets are relative to the start of the dump",
		    wrapped.name[0] != '\0' ? wrapped.name : "a part", wrapped.kind,
		    wrapped.offset);
	return decompress(crash, error);
}

static enum error_code
read_bytes(struct crash *crash, size_t index, struct error *error)
{
	struct file *file = &crash->file;
	enum error_code code = decompress(crash, error);

	/* The bytes of logs and archives are all searched, those of other dumps are not. */
	if (code == ERROR_NONE && file->size > LIMIT_PLAIN_FILE &&
	    !is_minidump(file->data, file->size) && !core_recognise(file->data, file->size))
		code = error_plain(error, ERROR_FORMAT, TOO_LARGE);
	if (code == ERROR_NONE)
		code = unwrap(crash, error);
	if (code != ERROR_NONE)
		return code;
	if (file->cut && !is_whole_core(file))
		message_add(&crash->messages, MESSAGE_LIMIT,
			    (struct place){ .input = &file->input },
			    "only the first %" PRIu64 " bytes of %s are read"
			    "\ngive the dump as a file to see all of it",
			    file->size, file->input.name);
	crash->reader = (struct reader){ .input = &file->input, .data = file->data,
					 .size = file->size };
	if (file->size < (SIZE_MAX - LIMIT_DUMP_MEMORY) / 32)
		crash->arena.limit = LIMIT_DUMP_MEMORY + 32 * (size_t)file->size;
	if (index <= 1 && core_recognise(file->data, file->size)) {
		core_read(crash);
	} else if (index <= 1 && minidump_read(crash)) {
		crash->dump_index = crash->dump_count = 1;
	} else if (microdump_recognise(file->data, file->size)) {
		if (!microdump_read(crash, index))
			return no_such_dump(crash, index, error);
	} else if (index > 1 && minidump_read(crash)) {
		crash->dump_count = 1;
		return no_such_dump(crash, index, error);
	} else if (index > 1 || !apple_recognise(file->data, file->size) || !apple_read(crash)) {
		return explain_file(file, error);
	}
	memory_index(crash);
	module_map_index(crash);
	crash->demangled = demangle_memo_create();
	threads_read_last_errors(crash);
	threads_bound(crash);
	return ERROR_NONE;
}

enum error_code
dump_open(struct crash *crash, const char *path, size_t index, struct error *error)
{
	start(crash);
	enum error_code code = file_open_most(&crash->file, path, LIMIT_READ_WHOLE, most_of_dump,
					      error);
	if (code == ERROR_NONE)
		code = read_bytes(crash, index, error);
	if (code == ERROR_NONE)
		extra_read(crash, path);
	return code;
}

enum error_code
dump_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size,
		 size_t index, struct error *error)
{
	start(crash);
	if (!file_borrow(&crash->file, name, bytes, size))
		return error_memory(error);
	return read_bytes(crash, index, error);
}

bool
dump_recognise(const char *path)
{
	struct file file;

	if (!file_open_content(&file, path, HEAD_SIZE))
		return false;
	const bool found = is_dump(file.data, file.size) || wrapper_recognise(file.data, file.size);
	file_close(&file);
	return found;
}

void
dump_reread(const struct crash *crash, const struct memory_view *memory)
{
	threads_reread(crash, memory);
	wow64_reread(crash, memory);
}
