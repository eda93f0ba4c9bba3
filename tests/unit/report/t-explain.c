/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"
#include "report/step/step_view.h"
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
	{ SCENE(AMD64, LINUX, "rip=402000 rsp=8000", "", APP("PUBLIC 1000 0 far\nSTACK CFI INIT 1f00 200 .cfa: $rsp 8 +\n")),
	  MODULE("2000") " after    PUBLIC 0x1000 far   scene-0.sym:2:1\n no name  STACK CFI INIT begins another function at 0x1f00\n" },
	{ SCENE(AMD64, LINUX, "rip=401045 rsp=8000", "", APP(RUN)),
	  MODULE("1045") " no name  no FUNC or PUBLIC record covers the address   scene-0.sym+0x0\n" },
	{ BARE(AMD64, LINUX, "rip=401045 rsp=8000", ""), MODULE("1045") " symbols  no symbol file was found for app   scene.dmp+0x15e0\n" },
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

/* One line about each event of a step, without its reads. By hand: 9 + 10 = 0x13, + ffff = 10012; 8008 - -8 = 8010. */
TEST(sentences)
{
	static const struct scene scene = SCENE(X86, LINUX, "eip=401005 esp=8000 ebp=8010 ecx=2", "8004=401fcf",
		APP("FUNC 1000 20 0 f\nFUNC 1f00 200 0 g\nSTACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: .cfa -4 + ^ $ebx: 9 10 + 65535 +\n"
		    "STACK CFI 1001 $esi: 1 0 / $edi: 4096 ^ 1 + $ebp: .cfa -8 - $eax: + $ecx: $ecx\n"));
	struct staged staged;
	struct step_view view;
	struct arena arena = { 0 };
	struct output_string made;
	struct row row;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	step_view_make(&view, staged.walk, 0);
	output_string_init(&made, &arena);
	row_init(&row, &arena);
	for (uint32_t event = 1; event < view.trace.count; event++) {
		if (view.trace.events[event].kind == EVENT_READ)
			continue;
		step_view_explain(&view, event, &row);
		row_write(&made.output, &row);
	}
	is_text(made.text, "STACK WIN: refused: no STACK WIN record covers the address\n"
		"STACK WIN: refused: no STACK WIN record covers the address\nSTACK CFI: taken\n"
		"covers 0x1000 to 0x101f, 32 (0x20) bytes; 1 delta in force   from scene-0.sym:4\n"
		"$esp: esp of frame 0   from scene.dmp+0x1194\n.cfa: $esp 8 +   from scene-0.sym:4:30\n"
		"$esp = 0x8000   esp of frame 0, scene.dmp+0x1194   from scene-0.sym:4:30\n8   from scene-0.sym:4:35\n"
		"0x8000 + 8 = 0x8008   from scene-0.sym:4:37\n.ra: .cfa -4 + ^   from scene-0.sym:4:44\n"
		".cfa = 0x8008   set by token 3   from scene-0.sym:4:44\n-4   from scene-0.sym:4:49\n"
		"0x8008 - 4 = 0x8004   from scene-0.sym:4:52\n[0x8004] = 401fcf   scene.dmp+0xd4   from scene-0.sym:4:54\n"
		"$ebx: 9 10 + 65535 +   from scene-0.sym:4:62\n9   from scene-0.sym:4:62\n10 = 0xa   from scene-0.sym:4:64\n"
		"9 + 0xa = 0x13   from scene-0.sym:4:67\n65535 = 0xffff   from scene-0.sym:4:69\n"
		"0x13 + 0xffff = 10012   from scene-0.sym:4:75\n$esi: 1 0 /   from scene-0.sym:5:22\n1   from scene-0.sym:5:22\n"
		"0   from scene-0.sym:5:24\n/: '/' divides by zero   from scene-0.sym:5:26\n'/' divides by zero\n"
		"$edi: 4096 ^ 1 +   from scene-0.sym:5:34\n4096 = 0x1000   from scene-0.sym:5:34\n"
		"^: memory at 0x1000 is not in the dump   from scene-0.sym:5:39\nmemory at 0x1000 is not in the dump\n"
		"$ebp: .cfa -8 -   from scene-0.sym:5:51\n.cfa = 0x8008   set by token 3   from scene-0.sym:5:51\n"
		"-8   from scene-0.sym:5:56\n0x8008 - -8 = 0x8010   from scene-0.sym:5:59\n$eax: +   from scene-0.sym:5:67\n"
		"+: '+' needs 2 values, the stack has fewer   from scene-0.sym:5:67\n'+' needs 2 values, the stack has fewer\n"
		"$ecx: ecx of frame 0   from scene.dmp+0x117c\n$ecx: $ecx   from scene-0.sym:5:75\n"
		"$ecx = 2   ecx of frame 0, scene.dmp+0x117c   from scene-0.sym:5:75\n"
		"eip 00401fcf = [0x8004], scene.dmp+0xd4   from scene-0.sym:4:54\nesp 00008008 = 0x8000 + 8   from scene-0.sym:4:37\n"
		"ebp 00008010 = 0x8008 - -8   from scene-0.sym:5:59\nebx 00010012 = 0x13 + 0xffff   from scene-0.sym:4:75\n"
		"esi: its rule fails\nedi: its rule fails\neax: its rule fails\n"
		"ecx 00000002 = ecx of frame 0, scene.dmp+0x117c   from scene.dmp+0x117c\nedx: not kept across calls\n"
		"efl: not kept across calls\nok: every register that a frame needs has a value: eip and esp\n"
		"ok: the return address is not in the first page: eip 00401fcf\n"
		"ok: the stack pointer does not go down: 0x8000 to 0x8008\nok: the return address can be code: 0x401fcf\n"
		"ok: the stack pointer stays in the stack's memory: 0x8008\nSTACK CFI: taken\n", "each event has its sentence");
	/* The colours of each event's row: found registers have a colour of their own, failures are bad, missing values unknown. */
	static const char letters[ROLE_COUNT] = { [ROLE_NORMAL] = 'n', [ROLE_DIM] = 'd', [ROLE_TITLE] = 't', [ROLE_CHANGED] = 'c',
						  [ROLE_BAD] = 'B', [ROLE_UNKNOWN] = 'u' };
	output_string_init(&made, &arena);
	view.cursor = 0;
	for (uint32_t event = 0; event < view.trace.count; event++) {
		row_clear(&row);
		if (view.trace.events[event].kind != EVENT_READ)
			step_view_event_row(&view, event, 0, &row);
		output_plain(&made.output, event > 0 && row.span_count > 0 ? " " : "");
		for (size_t i = 0; i < row.span_count; i++)
			output_format(&made.output, "%c", letters[row.spans[i].role] != 0 ? letters[row.spans[i].role] : '?');
	}
	is_str(made.text, "t td Bn tn nd nd tnd dnd dn dn tnd dn dn dn dnd tnd dn dn dn dn dn tnBd dn dn dBnB B tnBd dn dBnB B tnd"
	       " dn dn dn tnBd dBnB B nd tnd dnd cn cn cn cn und und und cn und und n n n n n n", "each event's row has its colours");
	output_string_init(&made, &arena);
	view.cursor = 8;
	explain_step(&made.output, &view, ARCH_NO_REGISTER);
	ok(strstr(made.text, "\nframe 1  00401fcf  found by: call frame info\n") != NULL, "the text has the whole step at each cursor");
	step_view_free(&view);
	scene_close(&staged);
	arena_free(&arena);
}
