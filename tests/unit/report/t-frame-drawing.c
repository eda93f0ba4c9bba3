/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_drawing.h"

#include "tests/unit/report/scene.h"

static struct listing
drawing_of(struct scene *scene, const struct step_view *step)
{
	const struct frame_drawing_options options = {
		.step = step, .memory = &scene->walk->memory };

	return frame_drawing_listing(&options, &scene->arena);
}

/* Stepping: the last token of `.cfa` makes the CFA known, that of `.ra` the return address. */
static void
test_cursor(struct scene *scene, struct step_view *step)
{
	const uint32_t before = step->cursor;
	uint32_t token = trace_next(&step->trace, TRACE_NONE, EVENT_TOKEN);
	struct listing drawing;

	step->cursor = token;
	drawing = drawing_of(scene, step);
	is_str(scene_row(scene, &drawing, 0, 0), " frame 0  crash + 0x15  end not yet",
		"the size is unknown before the first rule has its result");
	is_str(scene_row(scene, &drawing, 7, 0),
		" 0012f00c | 00401110 | esp + 12   main + 0x10?",
		"the return address is unknown before its rule has its result");
	is_str(scene_row(scene, &drawing, drawing.count - 2, 0),
		" ?        == end of frame 0: not yet",
		"the end of the frame is unknown before the first rule has its result");
	for (int i = 0; i < 2; i++)
		step->cursor = trace_next(&step->trace, step->cursor, EVENT_TOKEN);
	drawing = drawing_of(scene, step);
	is_str(scene_row(scene, &drawing, 7, 0),
		" 0012f00c | 00401110 | CFA - 4    main + 0x10?",
		"distances begin at the CFA after the last token of its rule");
	is_str(scene_row(scene, &drawing, drawing.count - 2, 0),
		" 0012f010 == CFA of frame 0: the esp of frame 1",
		"the CFA is the end of the frame");
	step->cursor = before;
}

int
main(void)
{
	struct scene scene;
	struct step_view step;

	scene_open(&scene);
	step_view_make(&step, scene.walk, 0);
	test_cursor(&scene, &step);
	scene.crash.redacted = true;
	const struct listing redacted = drawing_of(&scene, &step);
	is_str(scene_row(&scene, &redacted, 4, 0), " 0012f000 | redacted | CFA - 16     <- esp",
		"redacted memory is not drawn");
	step_view_free(&step);
	step_view_make(&step, scene.walk, 2);
	const struct listing none = drawing_of(&scene, &step);
	is_u64(none.count, 2, "a frame without caller has no end to be drawn");
	is_str(scene_row(&scene, &none, 0, 0), " frame 2  start + 0x5 (?)  end unknown",
	       "the end of a frame without caller is shown as unknown");
	step_view_free(&step);
	scene_close(&scene);
	return done_testing();
}
