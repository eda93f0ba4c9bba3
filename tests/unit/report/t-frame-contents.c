/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_contents.h"

#include "tests/unit/report/scene.h"

/* Frame k goes from its esp to that of k + 1: 12f000, 12f010, 12f020 by scene.h. */
static struct memory_view view;
static struct telescope_state state;

static struct listing
contents_of(struct scene *scene, const struct step_view *step)
{
	const struct telescope_options options = {
		.crash = &scene->crash,
		.memory = &view,
		.walk = scene->walk,
		.step = step,
		.state = &state,
		.base = 16,
	};
	const struct frame_contents *contents = frame_contents_of(&options, NULL, &scene->arena);

	return frame_contents_listing(contents, &scene->arena);
}

static void
is_rows(struct scene *scene, const struct listing *listing, const char *const *rows, size_t count)
{
	is_u64(listing->count, count, "there are %zu rows", count);
	for (size_t i = 0; i < count && i < listing->count; i++)
		is_str(scene_row(scene, listing, i, 0), rows[i], "row %zu", i);
}

static void
test_first(struct scene *scene)
{
	static const char *const rows[] = {
		" frame 0  ctx  leaf  inner.h:3", "   inlined into  crash  app.c:20, through 1 more", " eip    00401015  crash + 0x15",
		" esp    0012f000  into the stack, frame 0 -> \"abcd\"", " ebp    0012f008  into the stack, frame 0 -> -> 0",
		" ebx    00000000  0", " esi    00000000  0", " edi    00000000  0", " eax    00000000  0", " ecx    00000000  0",
		" edx    00000000  0", " efl    00000000  0",
		" address   value     fr  marks               reading  ^ the stack grows to lower "
		"addresses", " -- frame 0  ctx  crash  16 (0x10) bytes --", " 0012f000  64636261   0  esp of 0            \"abcd\"",
		" 0012f004  00401130   0                      main + 0x30?",
		" 0012f008 *0012f018   0  ebp of 0, token 9   saved ebp of frame 1: into the "
		"stack, frame 1 -> 0", " 0012f00c *00401110   0  token 7             return to main + 0x10",
		" == CFA of frame 0: the esp of frame 1 ==",
	};
	struct step_view step;

	step_view_make(&step, scene->walk, 0);
	const struct listing listing = contents_of(scene, &step);
	is_rows(scene, &listing, rows, ARRAY_COUNT(rows));
	/* The name gets the columns that the line and the calls between leave. */
	is_str(scene_row(scene, &listing, 1, 48), rows[1], "a name that fits is not cut");
	is_str(scene_row(scene, &listing, 1, 47), "   inlined into  cr~h  app.c:20, through 1 more", "a name is cut by a column");
	is_str(scene_row(scene, &listing, 1, 44), "   inlined into  ~  app.c:20, through 1 more", "a name without room is cut to its mark");
	is_str(scene_explain(scene, &listing, 1), rows[1], "a call is explained by its row");
	is_str(scene_explain(scene, &listing, 2), " eip    00401015  crash + 0x15   test.dmp+0xd28",
	       "the first register is explained by its bytes");
	is_str(scene_explain(scene, &listing, 11), " efl    00000000  0   test.dmp+0xd30", "the last register is explained by its bytes");
	is_str(scene_explain(scene, &listing, 14), "[0012f000] = 64636261   test.dmp+0x414   \"abcd\"",
	       "a word is explained as in the stack");
	is_u64((uint64_t)frame_contents_register(&listing, 3), 1, "a row is of a register");
	is_u64(frame_contents_address(&listing, listing.count), 0, "no row follows the last");
	is_u64((uint64_t)frame_contents_register(&listing, 12), (uint64_t)ARCH_NO_REGISTER, "the row of column names has no register");
	is_u64(frame_contents_address(&listing, 3), 0, "the row of column names has no address");
	is_u64(frame_contents_address(&listing, 15), 0x12f004, "a word has its address");
	is_u64(frame_contents_row(&listing, 0x12f004), 15, "an address has its row");
	is_u64(listing_target(&listing, 0).kind, TARGET_SOURCE, "a call leads to its source");
	const struct target target = listing_target(&listing, 2);
	is_u64(target.kind, TARGET_PLACE, "a register of the context leads to its bytes");
	is_u64(target.place.offset, crash_register_place(&scene->crash, scene->walk->context, scene->walk->arch->pc).offset,
	       "the register leads to its own bytes");
	step_view_free(&step);
}

static void
test_caller(struct scene *scene)
{
	static const char *const rows[] = {
		" frame 1  cfi  main  app.c:30", " eip    00401110  main + 0x10",
		" esp    0012f010  into the stack, frame 1 -> -> main + 0x30?", " ebp    0012f018  into the stack, frame 1 -> 0",
	};
	struct step_view step;

	step_view_make(&step, scene->walk, 1);
	const struct listing listing = contents_of(scene, &step);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_str(scene_row(scene, &listing, i, 0), rows[i], "row %zu of a caller", i);
	size_t unknown = 0;
	while (frame_contents_register(&listing, 2 + unknown) != ARCH_NO_REGISTER)
		unknown++;
	is_str(scene_row(scene, &listing, 2 + unknown, 0), " unknown eax, ecx, edx, efl",
	       "registers that no record recovers are named, without a value");
	is_str(scene_explain(scene, &listing, 2), rows[2], "a register of a caller has no bytes");
	is_str(scene_explain(scene, &listing, 2 + unknown), " unknown eax, ecx, edx, efl", "unknown registers have no bytes");
	const struct target target = listing_target(&listing, 3);
	ok(target.kind == TARGET_REGISTER && target.frame == 1 && target.reg == 2, "a register of a caller leads to what made it");
	step_view_free(&step);
}

static void
test_absent(struct scene *scene)
{
	struct memory_view none = { .crash = &scene->crash };
	struct step_view step;

	step_view_make(&step, scene->walk, 0);
	view = none;
	const struct listing listing = contents_of(scene, &step);
	is_str(scene_row(scene, &listing, listing.count - 1, 0), " the dump has no memory at the stack pointer",
	       "a stack that is absent is said to be");
	step_view_free(&step);
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	memory_view_all(&view, &scene.crash, &scene.arena);
	test_first(&scene);
	test_caller(&scene);
	test_absent(&scene);
	telescope_state_free(&state);
	scene_close(&scene);
	return done_testing();
}
