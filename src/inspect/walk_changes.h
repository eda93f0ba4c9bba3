/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_WALK_CHANGES_H
#define INSPECT_WALK_CHANGES_H

#include "inspect/align.h"
#include "walk/walk.h"

/**
 * How a thread's frames changed when it was walked again with other symbols.
 *
 * Frames with the same stack pointer are the same frame (inspect/align.h). The digest of a frame
 * is a number made of its pc, the way it was found and its names, because their text may be freed
 * before it is compared.
 */
struct walk_digest {
	struct arena arena;		/* begin with all members 0 */
	struct align_frame *frames;	/* the walk's, from the first on */
	size_t count, capacity;
};

/** Add the frames that a walk has by now, at most `most` of them. False when out of memory. */
bool
walk_digest_update(struct walk_digest *digest, const struct walk *walk, size_t most);

void
walk_digest_free(struct walk_digest *digest);

/** How the frames of one walk differ from those of an earlier one of the same thread. */
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
