/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/walk_changes.h"

#include "tests/unit/walk/scene.h"

/*
 * The changes of frames after a reload: a frame has changed if its line, its method or its name is
 * another one; equal stack pointers identify the same frame.
 */
#define CALLED(symbols)								\
	SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8008",			\
	      "8008=8020 800c=401fcf 801c=401fcf", APP(symbols))
#define HEAD "FILE 0 a.c\nFILE 1 b.c\nFUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\n"
#define CFI "STACK CFI INIT 2170 8 .cfa: $esp 16 + .ra: .cfa -4 + ^ $ebp: .cfa -8 + ^\n"

static const struct {
	const char *title, *before, *after, *signs;
	size_t gone;
} reloads[] = {
	{ "the same file changes nothing", HEAD "2170 8 7 0\n" CFI, HEAD "2170 8 7 0\n" CFI, "  ", 0 },
	{ "a frame with another line is changed", HEAD "2170 8 7 0\n" CFI, HEAD "2170 8 8 0\n" CFI, "* ", 0 },
	{ "a frame with another file is changed", HEAD "2170 8 7 0\n" CFI, HEAD "2170 8 7 1\n" CFI, "* ", 0 },
	{ "a frame that another method finds at the same place is changed", HEAD CFI, HEAD, " *", 0 },
	{ "a frame at another place is new, and the old one is gone", HEAD CFI,
	  HEAD "STACK CFI INIT 2170 8 .cfa: $esp 32 + .ra: .cfa -4 + ^\n", " n", 1 },
};

static void
digest_scene(struct walk_digest *digest, const char *symbols)
{
	const struct scene scene = CALLED(symbols);
	struct staged staged;

	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, 2);
	ok(staged.walk->count == 2 && walk_digest_update(digest, staged.walk, SIZE_MAX) && digest->count == 2, "%s", staged.frames);
	scene_close(&staged);
}

static void
test_reload(size_t index)
{
	struct walk_digest before = { .count = 0 }, after = { .count = 0 };
	struct walk_changes changes;
	char signs[3] = "";

	digest_scene(&before, reloads[index].before);
	digest_scene(&after, reloads[index].after);
	if (!ok(walk_changes_find(&changes, &before, &after), "two walks are compared"))
		return;
	for (size_t i = 0; i < 2; i++)
		signs[i] = walk_changes_sign(&changes, i);
	is_str(signs, reloads[index].signs, "%s", reloads[index].title);
	is_u64(changes.gone, reloads[index].gone, "frames that are gone");
	is_u64(changes.changed, strchr(signs, '*') != NULL, "frames that are changed");
	is_u64(changes.added, strchr(signs, 'n') != NULL, "frames that are new");
	walk_changes_free(&changes);
	walk_digest_free(&before);
	walk_digest_free(&after);
}

/* A change of the method to a scan, or of the trust alone, is a change too. */
TEST(trust)
{
	const struct scene scene = CALLED(HEAD CFI);
	struct walk_digest before = { .count = 0 }, after = { .count = 0 };
	struct walk_changes changes;
	struct staged staged;

	scene_play_limited(&staged, &scene, POLICY_UNSPOOL, 2);
	ok(walk_digest_update(&before, staged.walk, 1) && before.count == 1, "a digest has at most the frames that are asked for");
	ok(walk_digest_update(&before, staged.walk, 2) && before.count == 2, "an update adds the frames that follow");
	ok(walk_digest_update(&before, staged.walk, 1) && before.count == 2, "an update with fewer frames changes nothing");
	staged.walk->frames[1].trust = TRUST_SCAN;
	walk_digest_update(&after, staged.walk, 2);
	walk_changes_find(&changes, &before, &after);
	is_u64((uint64_t)walk_changes_sign(&changes, 1), WALK_CHANGE_OTHER, "a frame that is trusted less is changed");
	is_u64((uint64_t)walk_changes_sign(&changes, 2), WALK_CHANGE_NONE, "a frame that was not compared has no sign");
	is_u64((uint64_t)walk_changes_sign(NULL, 0), WALK_CHANGE_NONE, "no frame has a sign without a comparison");
	walk_changes_free(&changes);
	walk_digest_free(&after);
	staged.walk->frames[1].trust = TRUST_CFI;
	staged.walk->frames[1].method = (enum method_id)(staged.walk->frames[1].method + 1);
	walk_digest_update(&after, staged.walk, 2);
	walk_changes_find(&changes, &before, &after);
	is_u64((uint64_t)walk_changes_sign(&changes, 1), WALK_CHANGE_OTHER, "a frame with the same trust from another method is changed");
	walk_changes_free(&changes);
	walk_digest_free(&before);
	walk_digest_free(&after);
	scene_close(&staged);
}

/* If the stack pointer stays equal, several frames of one walk may match one frame of the other. */
TEST(repeated)
{
	struct align_frame one[] = { { 0x8000, 1 } };
	struct align_frame three[] = { one[0], one[0], one[0] };
	const struct walk_digest before = { .frames = one, .count = 1 };
	const struct walk_digest after = { .frames = three, .count = 3 };
	struct walk_changes changes;

	if (!ok(walk_changes_find(&changes, &before, &after), "frames that repeat are compared"))
		return;
	is_u64(changes.gone, 0, "a frame that occurs three times is not gone");
	is_u64(changes.added, 2, "two of the three are new");
	walk_changes_free(&changes);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(reloads); i++)
		test_reload(i);
	run_tests();
	return done_testing();
}
