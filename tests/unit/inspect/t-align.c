/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/align.h"

#include "tests/lib/tap.h"

#include <stdio.h>
#include <string.h>

/*
 * Frames of two walks, as letters: the key of a frame is its letter, and capitals say something
 * else of the frame than small ones. Pairs are written as sign, first and second frame.
 */

typedef bool align(struct alignment *alignment, const struct align_side sides[2],
		   struct arena *arena);

static size_t
frames_of(const char *letters, struct align_frame *frames)
{
	size_t count = 0;

	for (; letters[count] != '\0'; count++)
		frames[count] = (struct align_frame){ .key = (uint64_t)(letters[count] | 0x20),
						      .said = (uint64_t)letters[count] };
	return count;
}

static void
aligned(align *by, const char *first, const char *second, const char *expected, const char *title)
{
	struct align_frame frames[2][16];
	const struct align_side sides[2] = { { frames[0], frames_of(first, frames[0]) },
					     { frames[1], frames_of(second, frames[1]) } };
	struct alignment alignment;
	struct arena arena;
	char text[200] = "";

	arena_init(&arena, 0);
	if (by(&alignment, sides, &arena))
		for (size_t i = 0; i < alignment.count; i++) {
			const struct align_pair *pair = &alignment.pairs[i];

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%c%c",
				 i > 0 ? " " : "", pair->sign,
				 pair->frame[0] == ALIGN_NONE ? '.' : first[pair->frame[0]],
				 pair->frame[1] == ALIGN_NONE ? '.' : second[pair->frame[1]]);
		}
	is_str(text, expected, title);
	arena_free(&arena);
}

static void
test_counts(void)
{
	struct align_frame frames[2][16];
	const struct align_side sides[2] = { { frames[0], frames_of("abcd", frames[0]) },
					     { frames[1], frames_of("aBd", frames[1]) } };
	struct alignment alignment;
	struct arena arena;

	arena_init(&arena, 0);
	ok(align_ascending(&alignment, sides, &arena), "four frames and three");
	is_u64(alignment.paired, 3, "three are frames of both");
	is_u64(alignment.different, 2, "two rows differ");
	is_u64(alignment.first, 1, "from the second row");
	is_u64(alignment.last, 2, "to the third");
	arena_free(&arena);
}

int
main(void)
{
	aligned(align_ascending, "abc", "abc", "=aa =bb =cc", "equal walks are equal");
	aligned(align_ascending, "acd", "abd", "=aa >.b <c. =dd",
		"by stack pointers the lower frame comes first, whichever walk has it");
	aligned(align_ascending, "bd", "ace", ">.a <b. >.c <d. >.e", "none need be common");
	aligned(align_ascending, "aBc", "abc", "=aa ~Bb =cc", "a frame may be said in another way");
	aligned(align_ascending, "", "ab", ">.a >.b", "a walk may have no frames");
	aligned(align_sequence, "xabz", "yabz", "<x. >.y =aa =bb =zz",
		"by functions the common outermost frames are paired");
	aligned(align_sequence, "pqrs", "prs", "=pp <q. =rr =ss",
		"a frame between common ones is of one walk alone");
	aligned(align_sequence, "aaab", "aab", "<a. =aa =aa =bb",
		"of recursion the outermost turns are paired");
	aligned(align_sequence, "kmnwz", "knvwz", "=kk <m. =nn >.v =ww =zz",
		"the longest common subsequence is kept");
	test_counts();
	return done_testing();
}
