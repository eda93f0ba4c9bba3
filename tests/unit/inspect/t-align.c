/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/align.h"

#include "tests/lib/tap.h"

/*
 * Frames of two walks as letters: the key of a frame is its letter, and a capital letter stands for
 * other details than the small one. Pairs are written as sign, first frame, second frame.
 */

enum { BY_FUNCTION, ASCENDING };

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
aligned(bool ascending, const char *first, const char *second, const char *expected, const char *title)
{
	struct align_frame frames[2][16];
	const struct align_side sides[2] = { { frames[0], frames_of(first, frames[0]) },
					     { frames[1], frames_of(second, frames[1]) } };
	struct alignment alignment;
	struct arena arena = { 0 };
	char text[200] = "";

	if (align(&alignment, sides, ascending, &arena))
		for (size_t i = 0; i < alignment.count; i++) {
			const struct align_pair *pair = &alignment.pairs[i];

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%c%c",
				 i > 0 ? " " : "", pair->sign,
				 pair->frame[0] == ALIGN_NONE ? '.' : first[pair->frame[0]],
				 pair->frame[1] == ALIGN_NONE ? '.' : second[pair->frame[1]]);
		}
	is_str(text, expected, "%s", title);
	arena_free(&arena);
}

/* The length of the longest common subsequence, by its definition. */
static size_t
common(const char *one, const char *other)
{
	if (*one == '\0' || *other == '\0')
		return 0;
	if ((*one | 0x20) == (*other | 0x20))
		return 1 + common(one + 1, other + 1);
	const size_t first = common(one + 1, other), second = common(one, other + 1);

	return first > second ? first : second;
}

/*
 * True if each frame of both walks occurs once and in order, and signs and counts are those of the
 * pairs.
 */
static bool
is_whole(const struct alignment *alignment, const char *const letters[2])
{
	size_t next[2] = { 0, 0 }, paired = 0, different = 0, last = ALIGN_NONE;

	for (size_t i = 0; i < alignment->count; i++) {
		const struct align_pair *pair = &alignment->pairs[i];
		const bool both = pair->frame[0] != ALIGN_NONE && pair->frame[1] != ALIGN_NONE;
		char sign = pair->frame[0] != ALIGN_NONE ? '<' : '>';

		for (int side = 0; side < 2; side++)
			if (pair->frame[side] != ALIGN_NONE && pair->frame[side] != next[side]++)
				return false;
		if (both) {
			const char one = letters[0][pair->frame[0]],
				   other = letters[1][pair->frame[1]];

			if ((one | 0x20) != (other | 0x20))
				return false;
			sign = one == other ? '=' : '~';
		}
		paired += both;
		different += sign != '=';
		last = sign != '=' ? i : last;
		if (pair->sign != sign)
			return false;
	}
	return next[0] == strlen(letters[0]) && next[1] == strlen(letters[1]) &&
	       alignment->paired == paired && alignment->different == different &&
	       alignment->last == last;
}

/* Random walks of up to nine frames with few keys; the smaller keys are in ascending order. */
TEST(random)
{
	uint32_t state = 1;

	for (unsigned round = 0; round < 400; round++) {
		const bool ascending = round % 2 == 0;
		struct align_frame frames[2][16];
		char letters[2][16] = { "", "" };
		struct alignment alignment;
		struct arena arena = { 0 };

		for (int side = 0; side < 2; side++) {
			size_t count = 0;

			for (char letter = 'a'; count < 9 && letter < 'p'; letter++) {
				state = state * 1103515245u + 12345u;
				const unsigned drawn = state >> 16;
				const char key = ascending ? letter : (char)('a' + drawn % 3);

				if (drawn % 5 < 3)
					letters[side][count++] =
						(char)(drawn % 7 == 0 ? key & ~0x20 : key);
			}
		}
		const char *const both[2] = { letters[0], letters[1] };
		const struct align_side sides[2] = {
			{ frames[0], frames_of(letters[0], frames[0]) },
			{ frames[1], frames_of(letters[1], frames[1]) }
		};
		ok(align(&alignment, sides, ascending, &arena) && is_whole(&alignment, both),
		   "%s and %s are aligned with each frame once", letters[0], letters[1]);
		is_u64(alignment.paired, common(letters[0], letters[1]), "the number of pairs is the possible maximum");
		arena_free(&arena);
	}
}

int
main(void)
{
	aligned(ASCENDING, "abc", "abc", "=aa =bb =cc", "equal walks are equal");
	aligned(ASCENDING, "acd", "abd", "=aa >.b <c. =dd", "the lower frame of either walk comes first in an alignment by stack pointers");
	aligned(ASCENDING, "bd", "ace", ">.a <b. >.c <d. >.e", "two walks need no common frame");
	aligned(ASCENDING, "aBc", "abc", "=aa ~Bb =cc", "a frame may have another sign");
	aligned(ASCENDING, "", "ab", ">.a >.b", "a walk may have no frames");
	aligned(BY_FUNCTION, "xabz", "yabz", "<x. >.y =aa =bb =zz", "the common outermost frames are paired in an alignment by functions");
	aligned(BY_FUNCTION, "pqrs", "prs", "=pp <q. =rr =ss", "a frame between common ones is of one walk alone");
	aligned(BY_FUNCTION, "aaab", "aab", "<a. =aa =aa =bb", "the outermost turns of a recursion are paired");
	aligned(BY_FUNCTION, "kmnwz", "knvwz", "=kk <m. =nn >.v =ww =zz", "the longest common subsequence is kept");
	aligned(ASCENDING, "xyab", "xyzab", "=xx =yy >.z =aa =bb", "the outermost frames are paired after a stack at higher addresses");
	run_tests();
	return done_testing();
}
