/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of ELF files: an entry at the limit is read, the next one is not. The files are written by hand from the System V gABI. */
#include "binary/binary.h"

#include "base/limits.h"
#include "tests/lib/bytes.h"
#include "tests/lib/tap.h"

#define HEADER 64u
#define SEGMENT 56u
#define SECTION 64u
#define NOTE 20u		/* size with an owner of 4 bytes and a value of 4 bytes */

static uint8_t *
begin(size_t size)
{
	uint8_t *file = calloc(1, size);

	if (file == NULL)
		abort();
	memcpy(file, "\177ELF\2\1\1", 7);
	put_le(file + 16, 3, 2);		/* ET_DYN */
	put_le(file + 18, 62, 2);		/* EM_X86_64 */
	put_le(file + 20, 1, 4);
	put_le(file + 52, HEADER, 2);
	put_le(file + 54, SEGMENT, 2);
	put_le(file + 58, SECTION, 2);
	return file;
}

static struct binary *
open_file(uint8_t *file, size_t size)
{
	struct binary *binary = NULL;
	struct error error = { 0 };

	if (binary_from_memory(&binary, "test.so", file, size, &error) != ERROR_NONE)
		tap_diag("%s", error.text);
	return binary;
}

/* A build ID is note NT_GNU_BUILD_ID, 3, of the owner "GNU"; other notes have other numbers. */
static void
put_note(uint8_t *at, uint32_t type)
{
	put_le(at, 4, 4);
	put_le(at + 4, 4, 4);
	put_le(at + 8, type, 4);
	memcpy(at + 12, "GNU\0\1\2\3\4", 8);
}

/* The last of `count` segments has the build id. */
static void
test_segments(unsigned count)
{
	const size_t notes = HEADER + (size_t)count * SEGMENT, size = notes + NOTE;
	uint8_t *file = begin(size), *last = file + notes - SEGMENT;

	put_le(file + 32, HEADER, 8);
	put_le(file + 56, count, 2);
	put_le(last, 4, 4);
	put_le(last + 8, notes, 8);
	put_le(last + 32, NOTE, 8);
	put_le(last + 48, 4, 8);
	put_note(file + notes, 3);
	struct binary *binary = open_file(file, size);
	is_str(binary != NULL ? binary->id : "not opened",
	       count <= LIMIT_SEGMENTS ? "01020304" : "", "segment %u is read if it is one of %u", count, LIMIT_SEGMENTS);
	binary_close(binary);
	free(file);
}

/* The last of `count` notes is the build id. */
static void
test_notes(unsigned count)
{
	const size_t notes = HEADER + SEGMENT, size = notes + (size_t)count * NOTE;
	uint8_t *file = begin(size);

	put_le(file + 32, HEADER, 8);
	put_le(file + 56, 1, 2);
	put_le(file + HEADER, 4, 4);
	put_le(file + HEADER + 8, notes, 8);
	put_le(file + HEADER + 32, size - notes, 8);
	put_le(file + HEADER + 48, 4, 8);
	for (unsigned i = 0; i < count; i++)
		put_note(file + notes + (size_t)i * NOTE, i + 1 == count ? 3 : 1);
	struct binary *binary = open_file(file, size);
	is_str(binary != NULL ? binary->id : "not opened", count <= LIMIT_NOTES ? "01020304" : "",
	       "note %u is read if it is one of %u", count, LIMIT_NOTES);
	binary_close(binary);
	free(file);
}

/* Sections without names; the last is the only one of its type. Section 0 has the count. */
static void
test_sections(unsigned count)
{
	const size_t size = HEADER + (size_t)count * SECTION;
	uint8_t *file = begin(size);

	put_le(file + 40, HEADER, 8);
	put_le(file + HEADER + 32, count, 8);
	for (unsigned i = 1; i < count; i++)
		put_le(file + HEADER + (size_t)i * SECTION + 4, i + 1 == count ? 0x60000001 : 8, 4);
	struct binary *binary = open_file(file, size);
	is_u64(binary != NULL ? binary->section_count : 0, (count < LIMIT_SECTIONS ? count : LIMIT_SECTIONS) - 1,
	       "%u sections: at most %u are kept, without number 0", count, LIMIT_SECTIONS - 1);
	ok(binary != NULL && (binary_section(binary, 0x60000001, NULL) != NULL) == (count <= LIMIT_SECTIONS),
	   "the last of %u sections is found if it is one of %u", count, LIMIT_SECTIONS);
	binary_close(binary);
	free(file);
}

/* A section whose name has `length` bytes, including the terminating 0. */
static void
test_section_name(unsigned length)
{
	const size_t names = HEADER + 3 * SECTION, size = names + length + 2;
	uint8_t *file = begin(size);
	char name[2 * LIMIT_SECTION_NAME] = "";

	memset(name, 'n', length);
	put_le(file + 40, HEADER, 8);
	put_le(file + 60, 3, 2);
	put_le(file + 62, 2, 2);
	put_le(file + HEADER + SECTION, 1, 4);
	put_le(file + HEADER + SECTION + 4, 8, 4);
	put_le(file + HEADER + 2 * SECTION + 4, 3, 4);
	put_le(file + HEADER + 2 * SECTION + 24, names, 8);
	put_le(file + HEADER + 2 * SECTION + 32, length + 2, 8);
	memset(file + names + 1, 'n', length);
	struct binary *binary = open_file(file, size);
	ok(binary != NULL && (binary_section(binary, 0, name) != NULL) == (length < LIMIT_SECTION_NAME),
	   "a section's name of %u bytes is kept if it and its end have %u", length, LIMIT_SECTION_NAME);
	binary_close(binary);
	free(file);
}

int
main(void)
{
	test_segments(LIMIT_SEGMENTS);
	test_segments(LIMIT_SEGMENTS + 1);
	test_notes(LIMIT_NOTES);
	test_notes(LIMIT_NOTES + 1);
	test_sections(LIMIT_SECTIONS);
	test_sections(LIMIT_SECTIONS + 1);
	test_section_name(LIMIT_SECTION_NAME - 1);
	test_section_name(LIMIT_SECTION_NAME);
	return done_testing();
}
