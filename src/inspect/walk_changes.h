/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_WALK_CHANGES_H
#define INSPECT_WALK_CHANGES_H

#include "walk/walk.h"

/**
 * What became of a thread's frames when it was walked again with other symbols.
 *
 * A frame is the same frame where it has the same pc and the same sp. What was said of it, how it
 * was found and what it was called, is kept as a number: the text it came from may be gone by the
 * time it is asked for.
 */
struct walk_digest_frame {
	uint64_t pc, sp;
	uint64_t said;
};

/** Of a walk's frames from the first on. Begin with all members 0. */
struct walk_digest {
	struct arena arena;
	struct walk_digest_frame *frames;
	size_t count, capacity;
};

/** Add the frames that a walk has by now, at most `most` of them. False when out of memory. */
bool
walk_digest_update(struct walk_digest *digest, const struct walk *walk, size_t most);

void
walk_digest_free(struct walk_digest *digest);

/** What became of the frames of one walk in another of the same thread. */
struct walk_changes {
	char *signs;		/* one a frame of the later walk: WALK_CHANGE_* */
	size_t count;
	size_t changed, added, gone;
};

#define WALK_CHANGE_NONE ' '
#define WALK_CHANGE_OTHER '*'	/* the same frame, found or called in another way */
#define WALK_CHANGE_NEW 'n'	/* there was no such frame */

/** Compare two digests. The changes are freed with walk_changes_free. False when out of memory. */
bool
walk_changes_find(struct walk_changes *changes, const struct walk_digest *before,
		  const struct walk_digest *after);

void
walk_changes_free(struct walk_changes *changes);

/** The sign of a frame; WALK_CHANGE_NONE for one that was not compared. `changes` may be NULL. */
char
walk_changes_sign(const struct walk_changes *changes, size_t frame);

#endif
