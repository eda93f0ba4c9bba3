/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"
#include "tests/unit/walk/scene.h"

/* How `explain` says that a frame got its name. Lines 2 to 12 of the symbol file; line 1 is MODULE. */
#define RUN "FILE 0 /src/app.c\nFILE 1 /src/list.h\nINLINE_ORIGIN 0 push\nINLINE_ORIGIN 1 grow\nFUNC 1000 40 0 run\n" \
	    "INLINE 0 12 0 0 1010 10\nINLINE 1 33 1 1 1014 4\n1000 10 10 0\n1010 10 12 1\n1020 20 14 0\n"
#define MODULE(address) "frame 0\n module   0x400000 to 0x403fff: the address is at +0x" address " in app   scene.dmp+0x1600\n"

static const struct {
	struct scene scene;
	const char *text;
} cases[] = {
	/* The nearest shadowed record comes first. */
	{ SCENE(AMD64, LINUX, "rip=401014 rsp=8000", "", APP(RUN "FUNC 1010 8 0 second\nPUBLIC 1012 0 third\n")),
	  MODULE("1014") " chosen   FUNC 0x1000 to 0x103f run   scene-0.sym:6:1\n"
	  " line     line 12, 0x1010 to 0x101f of /src/list.h   scene-0.sym:10:1\n"
	  " inlined  depth 1, called at line 33 grow   scene-0.sym:8:1\n inlined  depth 0, called at line 12 push   scene-0.sym:7:1\n"
	  " shadowed PUBLIC 0x1012 third   scene-0.sym:13:1\n shadowed FUNC 0x1010 to 0x1017 second   scene-0.sym:12:1\n" },
	{ SCENE(AMD64, LINUX, "rip=401060 rsp=8000", "", APP(RUN "FUNC m 1050 20 0 same\nPUBLIC m 1058 0 near\n")),
	  MODULE("1060") " chosen   FUNC 0x1050 to 0x106f (m) same   scene-0.sym:12:1\n"
	  " shadowed PUBLIC 0x1058 (m) near   scene-0.sym:13:1\n" },
	{ SCENE(AMD64, LINUX, "rip=402000 rsp=8000", "", APP("PUBLIC 1000 0 far\nFUNC 2100 10 0 next\n")),
	  MODULE("2000") " chosen   PUBLIC 0x1000 far   scene-0.sym:2:1\n"
	  " doubt    nothing says that the function reaches that far\n" },
	{ SCENE(AMD64, LINUX, "rip=401045 rsp=8000", "", APP(RUN)),
	  MODULE("1045") " no name  no FUNC or PUBLIC record covers the address   scene-0.sym+0x0\n" },
	{ BARE(AMD64, LINUX, "rip=401045 rsp=8000", ""),
	  MODULE("1045") " symbols  no symbol file was found for app   scene.dmp+0x15e0\n" },
	{ { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401045 rsp=8000", .stack = 0x8000, .modules = APP(NULL), .no_symbols = true },
	  MODULE("1045") " symbols  no symbols were given for app   scene.dmp+0x15e0\n" },
	{ BARE(AMD64, LINUX, "rip=701045 rsp=8000", ""), "frame 0\n module   0x701045 lies in no module\n" },
};

TEST_EACH(names, cases)
{
	struct staged staged;
	struct step_view view;
	struct arena arena = { 0 };
	struct output_string made;

	scene_play(&staged, &cases[i].scene, POLICY_UNSPOOL);
	step_view_make(&view, staged.walk, 0);
	output_string_init(&made, &arena);
	explain_step(&made.output, &view, ARCH_NO_REGISTER);
	const int length = (int)(strstr(made.text, "\n\n") - made.text) + 1;
	is_text(arena_format(&arena, "%.*s", length, made.text), cases[i].text, "the name of the frame in row %zu", i);
	step_view_free(&view);
	scene_close(&staged);
	arena_free(&arena);
}
