/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "lint/lint_internal.h"

/* How a file begins that can't be read as lines of text: in UTF-16, or as one of another kind. */

/* Files that come to be named .sym; `bytes` has no zero. */
static const struct {
	const char *bytes, *kind;
	bool binary;		/* too short to tell without a zero near it */
} kinds[] = {
	{ "\x7f" "ELF", "an ELF file: dump_syms makes its symbols", false },
	{ "MZ", "a PE file: dump_syms makes its symbols", true },
	{ "\xcf\xfa\xed\xfe", "a Mach-O file: dump_syms makes its symbols", false },
	{ "\xce\xfa\xed\xfe", "a Mach-O file: dump_syms makes its symbols", false },
	{ "\xca\xfe\xba\xbe", "a Mach-O file: dump_syms makes its symbols", false },
	{ "Microsoft C/C++ MSF", "a PDB file: dump_syms makes its symbols", false },
	{ "BSJB", "a PDB file of .NET", false },
	{ "MDMP", "a minidump", true },
	{ "PMDM", "a minidump", true },
	{ "!<arch>\n", "an archive of object files", false },
	{ "PK\3\4", "a zip archive", false },
	{ "BZh", "compressed by bzip2", false },
	{ "\x1f\x8b", "gzip data that cannot be decompressed", false },
	{ "\x28\xb5\x2f\xfd", "zstd data that cannot be decompressed", false },
	{ "\xfd" "7zXZ", "xz data that cannot be decompressed", false },
	{ "MSCF", "a cabinet: 'cabextract' unpacks it", true },
	{ "<", "an HTML or XML page from a server", false },
	{ "{", "JSON from a server", false },
};

/* UTF-16 by its byte order mark, or by the zeros beside the letters of MODULE. */
static bool
is_utf16(const char *start, const char *end)
{
	const unsigned char *bytes = (const unsigned char *)start;

	if (end - start < 2)
		return false;
	if ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff))
		return true;
	return end - start >= 4 &&
	       ((bytes[0] == 'M' && bytes[1] == 0 && bytes[2] == 'O' && bytes[3] == 0) ||
		(bytes[0] == 0 && bytes[1] == 'M' && bytes[2] == 0 && bytes[3] == 'O'));
}

static const char *
other_kind(const char *start, const char *end)
{
	const size_t size = (size_t)(end - start);

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		const size_t length = strlen(kinds[i].bytes);

		if (size < length || memcmp(start, kinds[i].bytes, length) != 0)
			continue;
		if (!kinds[i].binary || memchr(start, '\0', size < 64 ? size : 64) != NULL)
			return kinds[i].kind;
	}
	return NULL;
}

bool
lint_file_kind(struct lint_reading *reading)
{
	const char *start = reading->start, *end = reading->end, *kind;

	reading->line = 1;
	if (is_utf16(start, end)) {
		lint_report(reading, LINT_UTF16, 0, 2, "%s", "");
		return false;
	}
	kind = other_kind(start, end);
	if (kind != NULL) {
		lint_report(reading, LINT_OTHER_FILE, 0, 1, "it is %s", kind);
		return false;
	}
	if (end - start >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0)
		lint_report(reading, LINT_BYTE_ORDER_MARK, 0, 3, "%s", "");
	return true;
}
