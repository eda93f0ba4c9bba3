/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/foreign.h"

#include <stdbool.h>
#include <strings.h>

#include "base/compiler.h"

#define DUMP_SYMS "run dump_syms on it, if it is of the build that crashed, and name what that writes"
#define DOWNLOAD "download it again: what came is what the server says to people"

/* What begins so, whatever the case of its letters. */
static const struct {
	const char *begin;
	size_t length;
	struct foreign foreign;
} kinds[] = {
	{ "Microsoft C/C++ MSF 7.00\r\n", 26, { "a PDB", DUMP_SYMS } },
	{ "Microsoft C/C++ program database 2.00\r\n", 39, { "a PDB of an old kind", DUMP_SYMS } },
	{ "BSJB", 4, { "a portable PDB", "it is for code of .NET, of which no walker has symbols" } },
	{ "MSCF", 4,
	  { "a cabinet, as symbol servers of Windows keep PDBs",
	    "unpack it (cabextract, or expand of Windows), then run dump_syms on what comes out" } },
	{ "MZ", 2, { "a PE file", DUMP_SYMS } },
	{ "\x7f" "ELF", 4, { "an ELF file", DUMP_SYMS } },
	{ "\xfe\xed\xfa\xce", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xfe\xed\xfa\xcf", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xce\xfa\xed\xfe", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xcf\xfa\xed\xfe", 4, { "a Mach-O file", DUMP_SYMS } },
	{ "\xca\xfe\xba\xbe", 4, { "a Mach-O file of several processors", DUMP_SYMS } },
	{ "BZh", 3, { "compressed with bzip2", "decompress it: bunzip2" } },
	{ "\x04\x22\x4d\x18", 4, { "compressed with lz4", "decompress it: unlz4" } },
	{ "PK\3\4", 4, { "a ZIP archive", "unpack it, and name the directory that comes out" } },
	{ "7z\xbc\xaf\x27\x1c", 6,
	  { "an archive of 7-Zip", "unpack it, and name the directory that comes out" } },
	{ "version https://git-lfs", 23,
	  { "a pointer of Git LFS to a file that is not here", "get the file: git lfs pull" } },
	{ "<!doctype", 9, { "a web page", DOWNLOAD } },
	{ "<html", 5, { "a web page", DOWNLOAD } },
	{ "<?xml", 5, { "XML", DOWNLOAD } },
};

const struct foreign *
foreign_of(const uint8_t *bytes, uint64_t size)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (size >= kinds[i].length &&
		    strncasecmp((const char *)bytes, kinds[i].begin, kinds[i].length) == 0)
			return &kinds[i].foreign;
	return NULL;
}
