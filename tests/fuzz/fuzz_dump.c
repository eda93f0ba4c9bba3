/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of every kind, and compressed ones. */
#include <string.h>

#include "dump/core.h"
#include "dump/dump.h"
#include "symbols/symbols.h"
#include "system/inflate.h"
#include "tests/fault/damage.h"
#include "tests/fuzz/harness.h"

#define MOST_INFLATED (1u << 20)

/* Read the data of a crash. */
void
fuzz_dump(const uint8_t *bytes, size_t size)
{
	struct crash crash;
	struct error error = { 0 };

	if (dump_from_memory(&crash, "fuzz", bytes, size, 0, &error) == ERROR_NONE) {
		const char *wrong = damage_look(&crash, "/nonexistent", fuzz_parts(bytes, size, DAMAGE_PARTS));
		if (wrong != NULL)
			fuzz_fail(wrong);
	} else if (error.text[0] == '\0') {
		fuzz_fail("refused without a word");
	}
	crash_free(&crash);
}

/* Decompress bytes: raw, then as a dump and as a symbol file. */
void
fuzz_compressed(const uint8_t *bytes, size_t size)
{
	const enum inflate_kind kind = inflate_identify(bytes, size);
	const char *path = fuzz_file(FUZZ_DUMP, bytes, size);
	struct symfile *symfile;
	struct inflated inflated;
	struct crash crash;
	struct error error = { 0 };

	if (kind == INFLATE_NONE)
		return;
	inflate_bytes(kind, bytes, size, MOST_INFLATED, &inflated);
	if (inflated.size > MOST_INFLATED)
		fuzz_fail("more comes out than is allowed");
	if ((inflated.end == INFLATE_WHOLE) != (inflated.reason[0] == '\0'))
		fuzz_fail("the end has no reason, or an unknown one");
	inflate_free(&inflated);
	if (dump_open(&crash, path, 0, &error) != ERROR_NONE && error.text[0] == '\0')
		fuzz_fail("refused without a word");
	crash_free(&crash);
	if (symfile_open(&symfile, path, NULL, &error) == ERROR_NONE)
		symfile_close(symfile);
}

/* Words of dumps: stream types, owners and types of notes. */
void
words_streams(fuzz_word *tell)
{
	static const uint32_t types[] = {
#define STREAM_SHOWN(type, ...) (uint32_t)(type),
#define STREAM_READ STREAM_SHOWN
#define LAYOUT_READ STREAM_SHOWN
#define LAYOUT_SHOWN STREAM_SHOWN
#include "dump/stream.def"
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		tell(&types[i], sizeof(types[i]));
}

void
words_notes(fuzz_word *tell)
{
	static const struct {
		const char *owner;
		uint32_t type;
	} notes[] = {
#define NOTE(id, owner, type, name) { owner, type },
#include "dump/core_note.def"
#undef NOTE
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		tell(notes[i].owner, strlen(notes[i].owner));
		tell(&notes[i].type, sizeof(notes[i].type));
	}
}
