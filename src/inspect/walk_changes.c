/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/walk_changes.h"

#include <stdlib.h>

#include "base/hash.h"
#include "walk/location.h"

bool
walk_digest_update(struct walk_digest *digest, const struct walk *walk, size_t most)
{
	const size_t count = walk->count < most ? walk->count : most;
	struct arena arena = { 0 };

	if (digest->count >= count)
		return true;
	while (digest->count < count) {
		const struct frame *frame = &walk->frames[digest->count];
		struct location location;
		const uint64_t pc = frame->registers.value[walk->arch->pc];
		struct align_frame *added = ARENA_PUSH(&digest->arena, digest->frames,
						       digest->count, digest->capacity);

		if (added == NULL)
			break;
		added->key = frame->registers.value[walk->arch->sp];
		added->said = hash_bytes(HASH_START, &pc, sizeof(pc));
		added->said = hash_bytes(added->said, &frame->trust, sizeof(frame->trust));
		added->said = hash_bytes(added->said, &frame->method, sizeof(frame->method));
		location_of(walk, frame->lookup, &arena, &location);
		for (size_t i = 0; i < location.call_count; i++) {
			const struct call *call = &location.calls[i];

			added->said = hash_words(added->said, call->name.start, call->name.length);
			added->said = hash_words(added->said, call->file.start, call->file.length);
			added->said = hash_bytes(added->said, &call->line, sizeof(call->line));
		}
		arena_reset(&arena);
	}
	arena_free(&arena);
	return digest->count == count;
}

void
walk_digest_free(struct walk_digest *digest)
{
	arena_free(&digest->arena);
	*digest = (struct walk_digest){ 0 };
}

bool
walk_changes_find(struct walk_changes *changes, const struct walk_digest *before,
		  const struct walk_digest *after)
{
	const struct align_side sides[] = { { before->frames, before->count },
					    { after->frames, after->count } };
	struct alignment alignment = { .count = 0 };
	struct arena arena = { 0 };

	*changes = (struct walk_changes){ .signs = malloc(after->count + 1) };
	const bool good = changes->signs != NULL && align(&alignment, sides, true, &arena);
	for (size_t i = 0; good && i < alignment.count; i++) {
		const char sign = alignment.pairs[i].sign;

		changes->gone += sign == '<';
		changes->added += sign == '>';
		changes->changed += sign == '~';
		if (sign != '<')
			changes->signs[changes->count++] = sign == '='	 ? WALK_CHANGE_NONE
							   : sign == '~' ? WALK_CHANGE_OTHER
									 : WALK_CHANGE_NEW;
	}
	if (!good)
		walk_changes_free(changes);
	arena_free(&arena);
	return good;
}

void
walk_changes_free(struct walk_changes *changes)
{
	free(changes->signs);
	*changes = (struct walk_changes){ 0 };
}

char
walk_changes_sign(const struct walk_changes *changes, size_t frame)
{
	return changes != NULL && frame < changes->count ? changes->signs[frame]
							 : WALK_CHANGE_NONE;
}
