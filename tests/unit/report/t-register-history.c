/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/stack.h"

#include "tests/unit/report/scene.h"

static int
register_named(const char *name)
{
	return arch_register(arch_by_id(ARCH_X86), text_of(name), ARCH_NAMES_ALIASES);
}

/* By scene.h both records restore ebp from the word to which it points, 12f008 and 12f018. Calls do
 * not preserve eax; ebx has no rule, so STACK CFI leaves it unchanged. */
/* The role of a row's sign and value, after the frame's number and tag. */
static void
is_role(const struct scene *scene, enum role role, const char *title)
{
	const struct row_span *span = scene->row.spans;

	for (size_t at = span->length; at <= 10; at += span->length)
		span++;
	is_u64(span->role, role, "%s", title);
}

static void
test_rows(struct scene *scene)
{
	struct listing history = register_history_listing(scene->walk, register_named("ebp"), &scene->arena);

	is_u64(history.count, 3, "there is a row for each frame");
	row_clear(&scene->row);
	listing_head(&history, 80, &scene->row);
	is_str(row_text(&scene->row), " fr        ebp       from", "the head names the register");
	ok(strncmp(scene_row(scene, &history, 0, 80), "  0  ctx    0012f008  as the dump has it   test.dmp+0x", 54) == 0,
	   "the first value is the context's");
	is_str(scene_row(scene, &history, 1, 80), "  1  cfi  * 0012f018  saved by frame 0 at [0012f008]   app.sym:16:66",
	       "the register of the caller was saved by its callee");
	is_str(scene_row(scene, &history, 2, 80), "  2  cfi  * 00000000  saved by frame 1 at [0012f018]   app.sym:17:66",
	       "the register of the last frame was saved by its callee");
	is_str(scene_row(scene, &history, 1, 40), "  1  cfi  * 0012f018  saved by frame 0 ~", "a row is cut where there is no room");
	is_str(scene_row(scene, &history, 1, 110),
	       "  1  cfi  * 0012f018  main                            saved by frame 0 at [0012f008]   app.sym:16:66",
	       "a wide row has the function, too");
	is_role(scene, ROLE_CHANGED, "a value that was read from the stack is marked");
	history = register_history_listing(scene->walk, register_named("eax"), &scene->arena);
	is_str(scene_row(scene, &history, 1, 80), "  1  cfi  - unknown   not kept across calls",
	       "a register that calls do not keep is gone");
	is_role(scene, ROLE_UNKNOWN, "a register that is gone is marked");
	is_str(scene_row(scene, &history, 2, 80), "  2  cfi  . unknown   not kept across calls",
	       "a register that calls do not keep is unknown in every caller");
	history = register_history_listing(scene->walk, register_named("ebx"), &scene->arena);
	ok(strncmp(scene_row(scene, &history, 1, 80), "  1  cfi  = 00000000  ebx of frame 0", 36) == 0,
	   "a register that no rule changes is kept");
	is_role(scene, ROLE_NORMAL, "a register that is kept has no mark");
}

static void
test_targets(struct scene *scene)
{
	struct listing history = register_history_listing(scene->walk, register_named("ebp"), &scene->arena);
	struct target target = listing_target(&history, 0);

	ok(target.kind == TARGET_PLACE && target.place.length == 4, "the context's value leads to its bytes");
	target = listing_target(&history, 1);
	ok(target.kind == TARGET_MEMORY && target.address == 0x12f008, "a saved one to the word that it was saved in");
	ok(strstr(scene_explain(scene, &history, 1), "ebp of frame 1: changed   saved by frame 0") != NULL, "a row is explained");
	history = register_history_listing(scene->walk, register_named("eax"), &scene->arena);
	target = listing_target(&history, 1);
	ok(target.kind == TARGET_REGISTER && target.frame == 1 && target.reg == register_named("eax"),
	   "a lost one leads to the step that lost it");
}

static void
test_json(struct scene *scene)
{
	struct listing history = register_history_listing(scene->walk, register_named("ebp"), &scene->arena);
	struct output_string string;

	output_string_init(&string, &scene->arena);
	FACTS_DOCUMENT(&string.output, false, register_history, &history);
	is_str(string.text, "{\"thread\":1,\"register\":\"ebp\",\"frames\":["
	       "{\"frame\":0,\"value\":\"0x0012f008\",\"change\":\"context\"},"
	       "{\"frame\":1,\"value\":\"0x0012f018\",\"change\":\"changed\","
	       "\"saved_at\":\"0x0012f008\",\"said_by\":\"app.sym:16:66\"},"
	       "{\"frame\":2,\"value\":\"0x00000000\",\"change\":\"changed\","
	       "\"saved_at\":\"0x0012f018\",\"said_by\":\"app.sym:17:66\"}]}\n", "frames of the history are objects");
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_rows(&scene);
	test_targets(&scene);
	test_json(&scene);
	scene_close(&scene);
	return done_testing();
}
