/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_WALK_CHANGES_H
#define INSPECT_WALK_CHANGES_H

#include "inspect/align.h"
#include "walk/walk.h"

/**
 * The changes of a thread's frames between two walks. The second walk has other symbols.
 *
 * Frames with the same stack pointer are the same frame (inspect/align.h). The digest of a frame is
 * a hash of its pc, trust and names, because the names may be freed before the comparison.
 */
struct walk_digest {
	struct arena arena;		/* begin with all members of the digest 0 */
	struct align_frame *frames;	/* one for each frame of the walk, in the walk's order */
	size_t count, capacity;
};

/** Add the walk's new frames, at most `most` in all. False when out of memory. */
bool
walk_digest_update(struct walk_digest *digest, const struct walk *walk, size_t most);

void
walk_digest_free(struct walk_digest *digest);

/** The differences between the frames of two walks of one thread, an earlier and a later one. */
struct walk_changes {
	char *signs;		/* sign for each frame of the later walk: WALK_CHANGE_* */
	size_t count;
	size_t changed, added, gone;
};

#define WALK_CHANGE_NONE ' '
#define WALK_CHANGE_OTHER '*'	/* same stack pointer, but another digest */
#define WALK_CHANGE_NEW 'n'

/** Compare two digests. The changes are freed with walk_changes_free. False when out of memory. */
bool
walk_changes_find(struct walk_changes *changes, const struct walk_digest *before,
		  const struct walk_digest *after);

void
walk_changes_free(struct walk_changes *changes);

/** The sign of a frame; WALK_CHANGE_NONE: it was not compared. `changes` may be NULL. */
char
walk_changes_sign(const struct walk_changes *changes, size_t frame);

#endif
