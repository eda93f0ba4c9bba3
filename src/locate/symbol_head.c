/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "symbols/symbols.h"
#include "system/file.h"

/* Bytes of a file, and of what it decompresses to, that are looked through for MODULE. */
#define HEAD_SIZE 4096u

#define DUMP_SYMS "run dump_syms on it, if it is of the build that crashed, and use its output"
#define OWN_FILE "give it, or its directory, with '--binaries'"
#define DOWNLOAD "download it again: the server sent a page instead of the file"

/* What begins so, whatever the case of its letters. */
static const struct {
	const char *begin;
	size_t length;
	struct symbol_foreign foreign;
} kinds[] = {
	{ "Microsoft C/C++ MSF 7.00\r\n", 26, { "a PDB", OWN_FILE } },
	{ "Microsoft C/C++ program database 2.00\r\n", 39, { "a PDB in an old "
							     "format", DUMP_SYMS } },
	{ "BSJB", 4, { "a portable PDB", "it is for .NET code, which no walker supports" } },
	{ "MSCF", 4,
	  { "a cabinet that cannot be decompressed",
	    "unpack it: cabextract, or expand of Windows" } },
	{ "MZ", 2, { "a PE file", OWN_FILE } },
	{ "\x7f" "ELF", 4, { "an ELF file", OWN_FILE } },
	{ "\xfe\xed\xfa\xce", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xfe\xed\xfa\xcf", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xce\xfa\xed\xfe", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xcf\xfa\xed\xfe", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xca\xfe\xba\xbe", 4, { "a Mach-O file for several architectures", DUMP_SYMS } },
	{ "BZh", 3, { "compressed with bzip2", "decompress it: bunzip2" } },
	{ "PK\3\4", 4, { "a ZIP archive", "unpack it and use the unpacked directory" } },
	{ "7z\xbc\xaf\x27\x1c", 6,
	  { "an archive of 7-Zip", "unpack it and use the unpacked directory" } },
	{ "version https://git-lfs", 23,
	  { "a pointer of Git LFS to a file that is not here", "get the file: git lfs pull" } },
	{ "<!doctype", 9, { "a web page", DOWNLOAD } },
	{ "<html", 5, { "a web page", DOWNLOAD } },
	{ "<?xml", 5, { "XML", DOWNLOAD } },
};

static void
take_module(struct symbol_head *head, const uint8_t *bytes, uint64_t size, struct arena *arena)
{
	struct symfile *symfile;

	head->utf16 = size >= 4 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
				    (bytes[0] == 0xfe && bytes[1] == 0xff) ||
				    memcmp(bytes, "M\0O", 4) == 0 ||
				    memcmp(bytes, "\0M\0O", 4) == 0);
	for (size_t i = 0; head->foreign == NULL && i < ARRAY_COUNT(kinds); i++)
		if (size >= kinds[i].length &&
		    strncasecmp((const char *)bytes, kinds[i].begin, kinds[i].length) == 0)
			head->foreign = &kinds[i].foreign;
	if (head->utf16 || symfile_from_memory(&symfile, "", bytes,
					       size < HEAD_SIZE ? (size_t)size : HEAD_SIZE,
					       NULL) != ERROR_NONE)
		return;
	const struct symfile_identity identity = symfile_identity(symfile);
	if (identity.id.length != 0) {
		head->id = arena_copy(arena, identity.id.start, identity.id.length);
		head->name = arena_copy(arena, identity.name.start, identity.name.length);
		if (head->id == NULL || head->name == NULL)
			head->id = head->name = NULL;
	}
	symfile_close(symfile);
}

void
symbol_head_read(struct symbol_head *head, const char *path, struct arena *arena)
{
	struct file file;
	struct inflated inflated;

	*head = (struct symbol_head){ 0 };
	if (file_open_head(&file, path, HEAD_SIZE, NULL) != ERROR_NONE)
		return;
	head->read = true;
	head->empty = file.size == 0;
	head->kind = inflate_identify(file.data, file.size);
	if (head->kind == INFLATE_NONE) {
		take_module(head, file.data, file.size, arena);
		file_close(&file);
		return;
	}
	file_close(&file);
	if (file_open_head(&file, path, inflate_head(head->kind), NULL) == ERROR_NONE) {
		inflate_bytes(head->kind, file.data, file.size, HEAD_SIZE, &inflated);
		if (inflated.data != NULL)
			take_module(head, inflated.data, inflated.size, arena);
		else
			take_module(head, file.data, file.size, arena);
		inflate_free(&inflated);
		file_close(&file);
	}
}

const char *
symbol_head_fault(const struct symbol_head *head, char *buffer, const char **help)
{
	static const struct {
		const char *what, *help;
	} faults[] = {
		{ "cannot be read", "check its permissions" },
		{ "is empty", "write it again: the program that wrote it was interrupted or found "
			      "nothing" },
		{ "is UTF-16 text, which no walker reads",
		  "convert it: iconv -f UTF-16 -t UTF-8; '>' of PowerShell writes such files" },
		{ "does not begin with a MODULE record",
		  "a symbol file is text that begins with a MODULE record" },
	};
	const size_t fault = !head->read ? 0 : head->empty ? 1 : head->utf16 ? 2 : 3;
	const bool foreign = head->foreign != NULL && !head->utf16;

	if (head->id != NULL)
		return NULL;
	if (help != NULL)
		*help = foreign ? head->foreign->help : faults[fault].help;
	if (!foreign)
		return faults[fault].what;
	snprintf(buffer, SYMBOL_FAULT, "is not a symbol file, but %s", head->foreign->what);
	return buffer;
}
