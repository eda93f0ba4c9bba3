/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "symbols/symbols.h"
#include "system/file.h"

/* Number of first bytes that are searched for a NUL, which only binary files have. */
#define NEAR ((size_t)64)

/* Bytes of a file, and of its decompressed content, that are searched for MODULE. */
#define HEAD_SIZE 4096u

#define DUMP_SYMS \
	"run 'unspool dump-syms' on it, if it is of the build that crashed, and use its output"
#define OWN_FILE "give it, or its directory, with '--binaries'"
#define OTHER_PLACE "keep it in another directory"
#define COPY "compare its size with the original, and copy it again"
#define DOWNLOAD "download it again: the server sent a page instead of the file"

/* Known kinds of files, recognised by their first bytes, ignoring case. */
static const struct {
	const char *begin;		/* text without NUL */
	bool binary;			/* needs a NUL in the first NEAR bytes, unlike text */
	struct symbol_foreign foreign;
} kinds[] = {
	{ "Microsoft C/C++ MSF", false, { "a PDB", OWN_FILE } },
	{ "Microsoft C/C++ program database 2.00\r\n", false,
	  { "a PDB in an old format", DUMP_SYMS } },
	{ "BSJB", false, { "a portable PDB", "it is for .NET code, which no walker supports" } },
	{ "MSCF", true,
	  { "a cabinet that cannot be decompressed",
	    "unpack it: cabextract, or expand of Windows" } },
	{ "MZ", true, { "a PE file", OWN_FILE } },
	{ "\x7f" "ELF", false, { "an ELF file", OWN_FILE } },
	{ "\xfe\xed\xfa\xce", false, { "a Mach-O file", OWN_FILE } },
	{ "\xfe\xed\xfa\xcf", false, { "a Mach-O file", OWN_FILE } },
	{ "\xce\xfa\xed\xfe", false, { "a Mach-O file", OWN_FILE } },
	{ "\xcf\xfa\xed\xfe", false, { "a Mach-O file", OWN_FILE } },
	{ "\xca\xfe\xba\xbe", false,
	  { "a Mach-O file for several processors, or a Java class", OWN_FILE } },
	{ "dyld_v", true, { "a shared cache of dyld",
			    "extract the libraries from it, and give their directory" } },
	{ "MDMP", true, { "a minidump", OTHER_PLACE } },
	{ "PMDM", true, { "a minidump", OTHER_PLACE } },
	{ "!<arch>\n", false, { "an archive of object files", OTHER_PLACE } },
	{ "\x1f\x8b", false, { "gzip data that cannot be decompressed", COPY } },
	{ "\x28\xb5\x2f\xfd", false, { "zstd data that cannot be decompressed", COPY } },
	{ "\xfd" "7zXZ", false, { "xz data that cannot be decompressed", COPY } },
	{ "\x04\x22\x4d\x18", false, { "lz4 data that cannot be decompressed", COPY } },
	{ "BZh", false, { "compressed with bzip2", "decompress it: bunzip2" } },
	{ "PK\3\4", false, { "a ZIP archive", "unpack it and use the unpacked directory" } },
	{ "7z\xbc\xaf\x27\x1c", false,
	  { "an archive of 7-Zip", "unpack it and use the unpacked directory" } },
	{ "version https://git-lfs", false,
	  { "a pointer of Git LFS to a file that is not here", "get the file: git lfs pull" } },
	{ "<?xml", false, { "XML", DOWNLOAD } },
	{ "<", false, { "a web page", DOWNLOAD } },
	{ "{", false, { "JSON", DOWNLOAD } },
};

bool
symbol_head_is_utf16(const void *bytes, uint64_t size)
{
	static const char begins[][4] = { "\xff\xfe", "\xfe\xff", "M\0O", "\0M\0O" };
	static const size_t lengths[] = { 2, 2, 4, 4 };

	for (size_t i = 0; i < ARRAY_COUNT(begins); i++)
		if (size >= lengths[i] && memcmp(bytes, begins[i], lengths[i]) == 0)
			return true;
	return false;
}

const struct symbol_foreign *
symbol_foreign_kind(const void *bytes, uint64_t size)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const size_t length = strlen(kinds[i].begin);
		const size_t near = (size_t)(size < NEAR ? size : NEAR);

		if (size >= length && strncasecmp(bytes, kinds[i].begin, length) == 0 &&
		    (!kinds[i].binary || memchr(bytes, '\0', near) != NULL))
			return &kinds[i].foreign;
	}
	return NULL;
}

/* Set the state of a file from its decompressed first bytes. */
static void
take_bytes(struct symbol_head *head, const uint8_t *bytes, uint64_t size, struct arena *arena)
{
	struct symfile *symfile;

	head->state = symbol_head_is_utf16(bytes, size) ? SYMBOL_HEAD_UTF16 : SYMBOL_HEAD_OTHER;
	if (head->state == SYMBOL_HEAD_UTF16)
		return;
	head->foreign = symbol_foreign_kind(bytes, size);
	if (head->foreign != NULL)
		head->state = SYMBOL_HEAD_FOREIGN;
	if (symfile_from_memory(&symfile, "", bytes, size < HEAD_SIZE ? (size_t)size : HEAD_SIZE,
				NULL) != ERROR_NONE)
		return;
	const struct symfile_identity identity = symfile_identity(symfile);
	if (identity.id.length != 0) {
		head->id = text_copy(arena, identity.id);
		head->name = text_copy(arena, identity.name);
		if (head->id == NULL || head->name == NULL)
			head->id = head->name = NULL;
		else
			head->state = SYMBOL_HEAD_SYMBOLS;
	}
	symfile_close(symfile);
}

void
symbol_head_read(struct symbol_head *head, const char *path, struct arena *arena)
{
	struct file file;

	*head = (struct symbol_head){ .state = SYMBOL_HEAD_UNREADABLE };
	if (!file_open_content(&file, path, HEAD_SIZE))
		return;
	head->state = SYMBOL_HEAD_EMPTY;
	head->kind = file.kind;
	if (file.size > 0)
		take_bytes(head, file.data, file.size, arena);
	file_close(&file);
}

const char *
symbol_head_fault(const struct symbol_head *head, char *buffer, const char **help)
{
	static const struct {
		const char *what, *help;
	} faults[SYMBOL_HEAD_STATES] = {
		[SYMBOL_HEAD_UNREADABLE] = { "cannot be read", "check its permissions" },
		[SYMBOL_HEAD_EMPTY] = { "is empty",
					"write it again: the program that wrote it was interrupted "
					"or found nothing" },
		[SYMBOL_HEAD_UTF16] = { "is UTF-16 text, which no walker reads",
					"convert it: iconv -f UTF-16 -t UTF-8; '>' of PowerShell "
					"writes such files" },
		[SYMBOL_HEAD_OTHER] = { "does not begin with a MODULE record",
					"a symbol file is text that begins with a MODULE record" },
	};

	if (head->state != SYMBOL_HEAD_FOREIGN) {
		if (help != NULL && head->state != SYMBOL_HEAD_SYMBOLS)
			*help = faults[head->state].help;
		return faults[head->state].what;
	}
	if (help != NULL)
		*help = head->foreign->help;
	snprintf(buffer, SYMBOL_FAULT, "is not a symbol file, but %s", head->foreign->what);
	return buffer;
}
