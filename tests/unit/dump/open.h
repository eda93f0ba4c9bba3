/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_DUMP_OPEN_H
#define TESTS_UNIT_DUMP_OPEN_H

#include <stdlib.h>

#include "dump/dump.h"
#include "tests/lib/bytes.h"
#include "tests/lib/synth.h"

/** A synthetic dump and its crash. */
struct opened {
	struct crash crash;
	uint8_t *bytes;
	size_t size;
};

/** Make the dump of `synth`, free the description, and open the dump. */
static inline void
open_synth(struct opened *opened, struct synth *synth)
{
	struct error error;

	opened->bytes = synth_finish(synth, &opened->size);
	synth_free(synth);
	dump_from_memory(&opened->crash, "test.dmp", opened->bytes, opened->size, 0, &error);
}

/** Open the bytes again after a change. True if it succeeds. */
static inline bool
open_again(struct opened *opened)
{
	struct error error;

	crash_free(&opened->crash);
	return dump_from_memory(&opened->crash, "test.dmp", opened->bytes, opened->size, 0, &error) == ERROR_NONE;
}

static inline void
close_synth(struct opened *opened)
{
	crash_free(&opened->crash);
	free(opened->bytes);
}

/** The value of the annotation with a source and a key, or NULL. */
static inline const char *
value_of(const struct crash *crash, const char *source, const char *key)
{
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, source) == 0 && strcmp(crash->annotations[i].key, key) == 0)
			return crash->annotations[i].value;
	return NULL;
}

/** The bytes of the first stream of a type. */
static inline uint8_t *
stream_bytes(struct opened *opened, uint32_t type)
{
	for (size_t i = 0; i < opened->crash.stream_count; i++)
		if (opened->crash.streams[i].type == type)
			return opened->bytes + opened->crash.streams[i].offset;
	return NULL;
}

#endif
