/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <lzma.h>

#include "tests/unit/binary/folder.h"

/* Separate debug files: how a module names them, and the IDs and checksums that must match. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define OTHER_ID "ff23456789abcdef1032547698badcfea0b1c2d3"
#define SUPPLEMENT_ID "00112233445566778899aabbccddeeff00112233"

static struct image
image_of(const char *id, bool debug_only)
{
	struct image image;
	uint8_t bytes[20] = { 0 };

	image_elf(&image, true, false, 62, bytes, (unsigned)bytes_of(id, bytes, sizeof(bytes)), debug_only);
	return image;
}

/* CRC-32 by its polynomial, bit by bit. */
static uint32_t
crc_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* An image whose .gnu_debuglink has a name and the checksum of `debug` plus `off`. */
static void
put_linking(const char *path, const char *link, const struct image *debug, uint32_t off)
{
	struct image image = image_of(ID, false);
	uint8_t bytes[256] = { 0 };
	const unsigned at = ((unsigned)strlen(link) + 4) & ~3u;
	const uint32_t crc = crc_of(debug->bytes, debug->size) + off;

	memcpy(bytes, link, strlen(link));
	put_le(bytes + at, crc, 4);
	image_add_section(&image, ".gnu_debuglink", bytes, at + 4);
	put_bytes(path, image.bytes, image.size);
}

static const struct {
	const char *title, *folder, *image, *link, *debug, *id;
	uint32_t off;
	bool found;
	enum message_kind kind;
} links_rows[] = {
	{ "the file named by .gnu_debuglink is found in the image's directory", "la",
	  "prog", "prog.dbg", "prog.dbg", ID, 0, true, MESSAGE_KIND_COUNT },
	{ "the debug file is found in .debug of the image's directory", "lb", "prog",
	  "prog.dbg", ".debug/prog.dbg", ID, 0, true, MESSAGE_KIND_COUNT },
	{ "the debug file is found next to an image in a folder", "lc", "usr/bin/prog",
	  "prog.dbg", "usr/bin/.debug/prog.dbg", ID, 0, true, MESSAGE_KIND_COUNT },
	{ "the debug file is found below the image's path", "ld", "prog", "prog.dbg", "usr/bin/prog.dbg", ID, 0, true, MESSAGE_KIND_COUNT },
	{ "a CRC is enough without a build ID", "le", "prog", "prog.dbg", "prog.dbg", "", 0, true, MESSAGE_KIND_COUNT },
	{ "a file with another CRC is refused", "lf", "prog", "prog.dbg", "prog.dbg", ID, 1, false, MESSAGE_BINARY_LINK },
	{ "a debug file with another build ID is refused, even if its checksum matches",
	  "lg", "prog", "prog.dbg", "prog.dbg", OTHER_ID, 0, false, MESSAGE_BINARY_ID },
	{ "a name with .. is refused", "lh/in", "prog", "../prog.dbg", "../prog.dbg", ID, 0, false, MESSAGE_BINARY_LINK },
	{ "a path is no name", "li", "prog", "x/prog.dbg", "x/prog.dbg", ID, 0, false, MESSAGE_BINARY_LINK },
	{ "the name .. is refused", "lj", "prog", "..", "prog.dbg", ID, 0, false, MESSAGE_BINARY_LINK },
	{ "an empty name names no debug file", "lk", "prog", "", "prog.dbg", ID, 0, false, MESSAGE_KIND_COUNT },
	{ "an image that names itself is not its own debug file", "ll", "prog", "prog", "other", ID, 0, false, MESSAGE_BINARY_LINK },
};

TEST_EACH(links, links_rows)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	struct image debug = image_of(links_rows[i].id, true);
	const char *path = path_in(links_rows[i].folder);
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", links_rows[i].folder, links_rows[i].image);
	put_linking(name, links_rows[i].link, &debug, links_rows[i].off);
	snprintf(name, sizeof(name), "%s/%s", links_rows[i].folder, links_rows[i].debug);
	put_bytes(name, debug.bytes, debug.size);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	const struct binary *got = binaries_load(binaries, 0, LOCATE_DEBUG);
	const struct message_list *list = binaries_messages(binaries);

	ok(got != NULL && got->debug_only == links_rows[i].found, "%s", links_rows[i].title);
	is_u64(list->count == 0 ? MESSAGE_KIND_COUNT : list->messages[0].kind, links_rows[i].kind,
	       "%s: the message is right", links_rows[i].title);
	if (links_rows[i].off != 0) {
		const unsigned crc = crc_of(debug.bytes, debug.size);
		char want[300];

		snprintf(want, sizeof(want), "'%s' is not the file that .gnu_debuglink names, expected checksum %08x, found %08x", path_in(name), crc + 1, crc);
		is_str(list->messages[0].text, want, "%s: the text", links_rows[i].title);
	}
	binaries_free(binaries);
}

TEST(hostile_name)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	struct image debug = image_of(ID, true);
	const char *path = path_in("hostile");

	put_linking("hostile/prog", "\033[2J/x", &debug, 0);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	binaries_load(binaries, 0, LOCATE_DEBUG);
	const struct message_list *list = binaries_messages(binaries);
	ok(list->count == 1 && strchr(list->messages[0].text, '\033') == NULL, "control characters of a name are not printed");
	binaries_free(binaries);
}

/* The image of `mini` in .gnu_debugdata, with `cut` bytes missing. */
static void
put_mini(const char *path, const struct image *mini, unsigned cut)
{
	struct image image = image_of(ID, false);
	uint8_t bytes[4096];
	size_t used = 0;

	lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, mini->bytes, mini->size, bytes, &used, sizeof(bytes));
	image_add_section(&image, ".gnu_debugdata", bytes, (unsigned)used - cut);
	put_bytes(path, image.bytes, image.size);
}

TEST(mini)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	struct image mini = image_of("", true), arm;
	const char *path = path_in("mini");

	image_add_section(&mini, ".symtab", "symbols", 7);
	put_mini("mini/prog", &mini, 0);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	const struct binary *got = binaries_load(binaries, 0, LOCATE_MINI);
	const struct binary_section *section =
		got != NULL ? binary_section(got, 0, ".symtab") : NULL;
	ok(section != NULL && section->size == 7 && memcmp(section->data, "symbols", 7) == 0,
	   "the file in .gnu_debugdata is opened");
	ok(got != NULL && got->linked_base == IMAGE_BASE, "the file in .gnu_debugdata has the addresses of its image");
	is_u64(binaries_messages(binaries)->count, 0, "a good .gnu_debugdata has no message");
	ok(binaries_load(binaries, 0, LOCATE_DEBUG) != got, "the file in .gnu_debugdata is no debug file");
	binaries_free(binaries);

	image_elf(&arm, true, false, 183, NULL, 0, true);
	for (unsigned kind = 0; kind < 3; kind++) {
		struct image plain = image_of(ID, false);

		image_add_section(&plain, ".gnu_debugdata", "\177ELF", 4);
		put_bytes("mini/prog", plain.bytes, plain.size);
		if (kind < 2)
			put_mini("mini/prog", kind == 1 ? &mini : &arm, kind * 8);
		binaries = binaries_create(&crash, &path, 1);
		ok(binaries_load(binaries, 0, LOCATE_MINI) == NULL &&
		   binaries_messages(binaries)->seen[MESSAGE_BINARY_UNREADABLE] == 1, "a .gnu_debugdata that is %s is refused",
		   kind == 2 ? "not xz" : kind == 1 ? "truncated" : "for another machine");
		binaries_free(binaries);
	}
}

/* A debug file whose .gnu_debugaltlink has a path and a build id. */
static void
put_supplemented(const char *path, const char *link, const char *id)
{
	struct image image = image_of(ID, true);
	uint8_t bytes[256] = { 0 };
	const unsigned at = (unsigned)strlen(link) + 1;

	memcpy(bytes, link, at);
	const size_t size = bytes_of(id, bytes + at, sizeof(bytes) - at);
	image_add_section(&image, ".gnu_debugaltlink", bytes, at + (unsigned)size);
	put_bytes(path, image.bytes, image.size);
}

static const struct {
	const char *title, *folder, *link, *id, *file, *file_id;
	bool found;
	enum message_kind kind;
} supplements[] = {
	{ "a supplement is found by its build id", "sa", "/nowhere/x", SUPPLEMENT_ID,
	  ".build-id/00/112233445566778899aabbccddeeff00112233.debug", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "in .dwz by its name", "sb", "../../.dwz/common", SUPPLEMENT_ID, ".dwz/common", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "in .dwz by its path below it", "sc", "/usr/lib/debug/.dwz/x86_64/common.debug",
	  SUPPLEMENT_ID, ".dwz/x86_64/common.debug", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "one with another build id is refused", "sd", "x", SUPPLEMENT_ID, ".dwz/x", OTHER_ID, false, MESSAGE_BINARY_LINK },
	{ "a relative path of a supplement starts at the debug file", "si", "common",
	  SUPPLEMENT_ID, "common", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "the supplement is found in a folder next to it", "sj", "shared/common",
	  SUPPLEMENT_ID, "shared/common", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "a supplement with another build ID is refused", "sk", "common", SUPPLEMENT_ID, "common", OTHER_ID, false, MESSAGE_BINARY_LINK },
	{ "a path that leads out of the given folder is not opened", "se", "../out/common",
	  SUPPLEMENT_ID, "../out/common", SUPPLEMENT_ID, false, MESSAGE_KIND_COUNT },
	{ "one that goes up within the given folder is", "sl", "../../out/common",
	  SUPPLEMENT_ID, "out/common", SUPPLEMENT_ID, true, MESSAGE_KIND_COUNT },
	{ "a path below .dwz that leads out of it is not opened", "sf",
	  ".dwz/../x/common", SUPPLEMENT_ID, "x/common", SUPPLEMENT_ID, false, MESSAGE_KIND_COUNT },
	{ "a debug file that names itself is not followed", "sg", "x", ID, ".dwz/x", ID, false, MESSAGE_BINARY_LINK },
	{ "one without a build id names nothing", "sh", "x", "", ".dwz/x", SUPPLEMENT_ID, false, MESSAGE_KIND_COUNT },
};

TEST_EACH(supplements, supplements)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in(supplements[i].folder);
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", supplements[i].folder,
		 strstr(supplements[i].link, "../out") > supplements[i].link
			 ? ".build-id/01/23456789abcdef1032547698badcfea0b1c2d3.debug"
			 : "prog.debug");
	put_supplemented(name, supplements[i].link, supplements[i].id);
	snprintf(name, sizeof(name), "%s/%s", supplements[i].folder, supplements[i].file);
	put_elf(name, supplements[i].file_id, 0x77, false);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	const struct binary *got = binaries_load(binaries, 0, LOCATE_SUPPLEMENT);
	const struct message_list *list = binaries_messages(binaries);

	ok((got != NULL) == supplements[i].found, "%s", supplements[i].title);
	is_u64(list->count == 0 ? MESSAGE_KIND_COUNT : list->messages[0].kind, supplements[i].kind,
	       "%s: the message is right", supplements[i].title);
	binaries_free(binaries);
}

/* Resolve relative links; the expected paths are by hand. */
static const struct {
	const char *file, *root, *link, *path;
} relative_paths[] = {
	{ "dir/prog", "dir", "common", "dir/common" }, { "prog", NULL, "common", "common" },
	{ "dir/usr/bin/prog", "dir", "../../lib/common", "dir/lib/common" },
	{ "dir/usr/bin/prog", "dir", "../..//common", "dir/common" },
	{ "dir//usr/prog", "dir", "../common", "dir/common" }, { "/usr/bin/prog", "/", "../../common", "/common" },
	{ "dir/usr/prog", "dir", "../../common", NULL }, { "dir/prog", "dir", "../common", NULL },
	{ "dir/prog", NULL, "../common", NULL }, { "other/usr/prog", "dir", "../common", NULL },
	{ "dir/prog", "dir", "x/../../common", NULL }, { "dir/prog", "dir", "/common", NULL }, { "dir/prog", "dir", "", NULL },
	{ "dir/usr/prog", "dir", "../", NULL }, { "dir/usr/prog", "dir", "..", NULL },
};

TEST_EACH(relative_paths, relative_paths)
{
	char *path = layout_relative_path(relative_paths[i].file, relative_paths[i].root, relative_paths[i].link);

	is_str(path != NULL ? path : "none",
	       relative_paths[i].path != NULL ? relative_paths[i].path : "none",
	       "'%s' of '%s' below '%s' is resolved", relative_paths[i].link,
	       relative_paths[i].file,
	       relative_paths[i].root != NULL ? relative_paths[i].root : "nothing");
	free(path);
}

TEST(crc)
{
	is_u64(crc_of((const uint8_t *)"123456789", 9), 0xcbf43926, "the CRC-32 of \"123456789\" is 0xcbf43926");
}

FOLDER_MAIN
