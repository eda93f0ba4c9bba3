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

/* Frame 0 is 12f000 to 12f00f: its CFA is ebp, 12f008, plus 8. */
static void
test_rows(struct scene *scene, const struct step_view *step)
{
	static const struct {
		enum target_kind kind;
		uint64_t at;		/* an address, a frame or a line */
		const char *row, *text;
	} rows[] = {
		{ TARGET_NONE, 0, " frame 0  crash + 0x15  16 (0x10) bytes",
		  "frame 0  crash + 0x15  16 (0x10) bytes" },
		{ TARGET_PLACE, 16, " STACK CFI  .cfa: $ebp 8 +   app.sym:16:30",
		  "STACK CFI  .cfa: $ebp 8 +   app.sym:16:30" },
		{ TARGET_NONE, 0, "          ^ the stack grows this way, to lower addresses",
		  "^ the stack grows this way, to lower addresses" },
		{ TARGET_NONE, 0, "          +----------+", "" },
		{ TARGET_MEMORY, 0x12f000, " 0012f000 | 64636261 | CFA - 16   \"abcd\"  <- esp",
		  "[0012f000] = 64636261   test.dmp+0x414   \"abcd\"  <- esp" },
		{ TARGET_MEMORY, 0x12f004, " 0012f004 | 00401130 | CFA - 12   main + 0x30?",
		  "[0012f004] = 00401130   test.dmp+0x418   main + 0x30?" },
		{ TARGET_NONE, 0, "          +----------+", "" },
		{ TARGET_MEMORY, 0x12f008, " 0012f008 | 0012f018 | CFA - 8    saved ebp of frame 1  <- ebp",
		  "[0012f008] = 0012f018   test.dmp+0x41c   saved ebp of frame 1  <- ebp   from   app.sym:16:61" },
		{ TARGET_NONE, 0, "          +----------+", "" },
		{ TARGET_FRAME, 1, " 0012f00c | 00401110 | CFA - 4    return address: main + 0x10",
		  "[0012f00c] = 00401110   test.dmp+0x420   return address: main + 0x10   from   app.sym:16:44" },
		{ TARGET_NONE, 0, "          +----------+", "" },
		{ TARGET_PLACE, 16, " 0012f010 == CFA of frame 0: the esp of frame 1",
		  "CFA of frame 0: the esp of frame 1   app.sym:16:30" },
		{ TARGET_NONE, 0, " unchanged: ebx, esi, edi",
		  "unchanged: ebx, esi, edi" },
		{ TARGET_NONE, 0, " words and addresses are hexadecimal, distances from the CFA decimal",
		  "words and addresses are hexadecimal, distances from the CFA decimal" },
	};
	const struct listing drawing = drawing_of(scene, step);

	is_u64(drawing.count, ARRAY_COUNT(rows), "a frame of four words is drawn in 14 rows");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct target target = listing_target(&drawing, i);

		is_str(scene_row(scene, &drawing, i, 0), rows[i].row, "row %zu", i);
		is_u64(target.kind, rows[i].kind, "the kind of row %zu's target", i);
		is_u64(target.kind == TARGET_FRAME ? target.frame
		       : target.kind == TARGET_PLACE ? target.place.line : target.address, rows[i].at, "the target of row %zu", i);
		is_str(scene_explain(scene, &drawing, i), rows[i].text, "the explanation of row %zu", i);
	}
	is_str(scene_row(scene, &drawing, 9, 48),
		" 0012f00c | 00401110 | CFA - 4    return addres~",
		"a row that is too long is cut");
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
	test_rows(&scene, &step);
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
