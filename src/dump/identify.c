/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "base/reader.h"
#include "dump/minidump_internal.h"

#define HEAD 4096u	/* bytes that may tell what a text is */

/* Kinds of files that begin with fixed bytes. */
static const struct {
	const char *magic;		/* no byte of it is 0 */
	const char *kind;
	const char *advice;
} magics[] = {
	{ "\x1f\x8b\x08", "compressed by gzip once more", "decompress it with 'gzip -dc' first" },
	{ "\x28\xb5\x2f\xfd", "compressed by zstd once more",
	  "decompress it with 'zstd -dc' first" },
	{ "\xfd" "7zXZ", "compressed by xz once more", "decompress it with 'xz -dc' first" },
	{ "BZh", "compressed by bzip2", "decompress it with 'bzip2 -dc' first" },
	{ "PK\3\4", "a zip archive", "unpack it first" },
	{ "PAGEDUMP", "a Windows kernel dump", "open it with WinDbg" },
	{ "PAGEDU64", "a Windows kernel dump", "open it with WinDbg" },
	{ "Microsoft C/C++ MSF 7.00", "a PDB",
	  "convert it with dump_syms and give the symbol file with the minidump" },
	{ "\xcf\xfa\xed\xfe", "a Mach-O file", "give a minidump; dump_syms makes its symbols" },
	{ "\xce\xfa\xed\xfe", "a Mach-O file", "give a minidump; dump_syms makes its symbols" },
	{ "\xfe\xed\xfa\xcf", "a Mach-O file", "give a minidump; dump_syms makes its symbols" },
	{ "\xfe\xed\xfa\xce", "a Mach-O file", "give a minidump; dump_syms makes its symbols" },
	{ "\xca\xfe\xba\xbe", "a Mach-O file for several processors",
	  "give a minidump; dump_syms makes its symbols" },
	{ "MZ", "a Windows program", "give a minidump of it" },
	{ "MODULE ", "a Breakpad symbol file",
	  "give the minidump first and this file as its symbols" },
};

/* Texts, by words in their first bytes; the first row that fits counts. */
static const struct {
	bool at_start;
	const char *word;
	const char *kind;
	const char *advice;
} texts[] = {
	{ true, "{\"app_name\"", "an Apple crash report (.ips)",
	  "it has stacks already walked and no memory; there is nothing to unwind" },
	{ false, "\"bug_type\"", "an Apple crash report (.ips)",
	  "it has stacks already walked and no memory; there is nothing to unwind" },
	{ false, "Incident Identifier:", "an Apple crash report",
	  "it has stacks already walked and no memory; there is nothing to unwind" },
	{ false, "Exception Type:", "an Apple crash report",
	  "it has stacks already walked and no memory; there is nothing to unwind" },
	{ false, "*** *** *** *** ***", "an Android tombstone",
	  "it has stacks already walked; there is nothing to unwind" },
};

static bool
begins(const struct file *file, const char *magic)
{
	size_t length = strlen(magic);

	return file->size >= length && memcmp(file->data, magic, length) == 0;
}

static bool
contains(const struct file *file, bool at_start, const char *word)
{
	size_t length = strlen(word);
	size_t head = file->size < HEAD ? (size_t)file->size : HEAD;

	if (at_start)
		return begins(file, word);
	for (size_t i = 0; i + length <= head; i++)
		if (memcmp(file->data + i, word, length) == 0)
			return true;
	return false;
}

static bool
is_text(const struct file *file)
{
	size_t head = file->size < HEAD ? (size_t)file->size : HEAD;

	for (size_t i = 0; i < head; i++)
		if (file->data[i] < 0x20 && strchr("\t\n\r\f\x1b", file->data[i]) == NULL)
			return false;
	return memchr(file->data, 0, head) == NULL;
}

static enum error_code
explain(const struct file *file, const char *kind, const char *advice, struct error *error)
{
	const struct place place = { .input = &file->input };

	error_set(error, ERROR_FORMAT, place, "'%s' is %s, not a minidump",
		  place_base_name(file->input.name), kind);
	error_hint(error, "%s", advice);
	return ERROR_FORMAT;
}

static enum error_code
explain_elf(const struct file *file, struct error *error)
{
	const struct reader reader = {
		.data = file->data, .size = file->size,
		.big_endian = file->size > 5 && file->data[5] == 2,
	};
	uint16_t type = 0;

	reader_u16(&reader, 16, &type);
	if (type == 4)
		return explain(file, "an ELF core file",
			       "open it with gdb, or convert it with Breakpad's core2md", error);
	return explain(file, "an ELF program or library",
		       "give a minidump of it; dump_syms makes its symbols", error);
}

enum error_code
identify_explain(const struct file *file, struct error *error)
{
	if (file->size == 0)
		return explain(file, "empty", "the writer may have crashed, or the disk was full",
			       error);
	if (begins(file, "\x7f" "ELF"))
		return explain_elf(file, error);
	for (size_t i = 0; i < ARRAY_COUNT(magics); i++)
		if (begins(file, magics[i].magic))
			return explain(file, magics[i].kind, magics[i].advice, error);
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		if (contains(file, texts[i].at_start, texts[i].word))
			return explain(file, texts[i].kind, texts[i].advice, error);
	if (is_text(file))
		return explain(file, "text", "give a minidump, which begins with 'MDMP', or a log "
			       "with a microdump", error);
	return explain(file, "of an unknown kind", "give a minidump: it begins with 'MDMP'", error);
}
