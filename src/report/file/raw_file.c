/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/text.h"
#include "dump/describe.h"
#include "sframe/sframe_field.h"
#include "sframe/sframes.h"

struct raw_file
raw_file_of_dump(const struct crash *crash, struct binaries *binaries)
{
	return (struct raw_file){ .input = &crash->file.input, .data = crash->file.data,
				  .size = crash->file.size, .crash = crash,
				  .binaries = binaries };
}

bool
raw_file_of_binary(struct raw_file *file, const struct crash *crash, struct binaries *binaries,
		   const struct input *input)
{
	for (size_t i = 0; binaries != NULL && i < crash->module_count; i++)
		for (int kind = 0; kind < BINARIES_KINDS; kind++) {
			const struct binary *binary =
				binaries_peek(binaries, i, (enum binaries_kind)kind);

			if (binary == NULL || &binary->file.input != input)
				continue;
			*file = (struct raw_file){ .input = input, .data = binary->file.data,
						   .size = binary->file.size, .crash = crash,
						   .binaries = binaries, .binary = binary };
			return true;
		}
	return false;
}

/* A field of an SFrame section that was opened for a walk. */
static bool
describe_sframe(const struct raw_file *file, uint64_t offset, uint64_t length, char *buffer,
		size_t size)
{
	for (size_t i = 0; i < file->crash->module_count; i++) {
		const struct sframe *sframe = sframes_peek(file->binaries, i);

		if (sframe != NULL && sframe->tables[0].reader.input == file->input &&
		    sframe_describe(sframe, offset, length, buffer, size))
			return true;
	}
	return false;
}

static void
describe_section(const struct binary *binary, uint64_t offset, char *buffer, size_t size)
{
	bool before = true;		/* all sections */
	char name[80];

	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if (section->no_bits || section->broken || section->size == 0)
			continue;
		before = before && offset < section->offset;
		if (!checked_contains(section->offset, section->size, offset))
			continue;
		text_printable(name, sizeof(name), text_of(section->name));
		snprintf(buffer, size, "section %s + 0x%" PRIx64, name, offset - section->offset);
		return;
	}
	snprintf(buffer, size, before ? "headers of the file" : "between sections");
}

const char *
raw_file_describe(const struct raw_file *file, uint64_t offset, uint64_t length, char *buffer,
		  size_t size)
{
	if (describe_sframe(file, offset, length, buffer, size))
		return buffer;
	if (file->binary == NULL)
		return describe_offset(file->crash, offset, buffer, size);
	describe_section(file->binary, offset, buffer, size);
	return buffer;
}

bool
raw_file_hides(const struct raw_file *file, uint64_t offset)
{
	return file->binary == NULL && crash_redacts_bytes(file->crash, offset, 1);
}
