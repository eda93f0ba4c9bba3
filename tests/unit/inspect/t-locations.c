/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the value of a variable is computed from its location, as `unspool locals --explain` shows it. Locations are DWARF
 * expressions written by hand (DWARF 5, 2.5 and 2.6; registers of the ABI of amd64: rbx is 3, rbp 6, rsp 7, xmm0 17, st0 33).
 */
#include "inspect/variable/variable_step.h"
#include "tests/unit/inspect/made_types.h"
#include "tests/unit/walk/scene.h"

static const char *const types[] = {
	"int|i4", "long|i8", "huge|i16", "short|i2", "byte|u1", "float|f4", "double|f8", "pair|{8|x@int@0|y@int@4", "big|{16|x@long@0|y@long@8",
	"trio|{12|x@int@0|y@int@4|z@int@8",
};

static const struct {
	const char *type, *bytes, *shown;
} cases[] = {
	{ "double", "9021", "location: register st0; input st0 = c000000000000000 st0 of frame 0; location v: regx 33; "
	  "1 $st0 $st0 (c000000000000000) st0 of frame 0; frame 0 double v = 1.5" },
	{ "double", "9022", "location: register st1; input st1 = 8000000000000000 st1 of frame 0; location v: regx 34; "
	  "1 $st1 $st1 (8000000000000000) st1 of frame 0; frame 0 double v = -inf" },
	{ "double", "9023", "location: register st2; input st2 = c000000000000000 st2 of frame 0; location v: regx 35; "
	  "1 $st2 $st2 (c000000000000000) st2 of frame 0; frame 0 double v = nan(0x8000000000000)" },
	{ "float", "9024", "location: register st3; input st3 = a000000000000000 st3 of frame 0; location v: regx 36; "
	  "1 $st3 $st3 (a000000000000000) st3 of frame 0; frame 0 float v = -2.5" },
	{ "long", "9221009f", "location: the expression computes with an x87 register; "
	  "input st0 = c000000000000000 st0 of frame 0; location v: bregx 33 0; stack_value ! fails; "
	  "1 $st0 $st0 (c000000000000000) st0 of frame 0; frame 0 long v = <the expression computes with an x87 register>" },
	{ "huge", "62", "location: register xmm1; input xmm1 = 1817161514131211 xmm1 of frame 0; location v: $xmm1; "
	  "1 $xmm1 $xmm1 (1817161514131211) xmm1 of frame 0; frame 0 huge v = 42696867846335054569745073772176806417" },
	{ "long", "9212009f", "location: computed: $xmm1; input xmm1 = 1817161514131211 xmm1 of frame 0; location v: bregx 18 0; "
	  "stack_value = 1817161514131211; 1 $xmm1 $xmm1 (1817161514131211) xmm1 of frame 0; "
	  "2 stack_value the value itself, not where it is; frame 0 long v = 1735880461161533969" },
	{ "int", "77289d140d309f9d0c00", "location: 20 bits: memory at $rsp 40 +; 12 bits: computed: 0; "
	  "input $rsp = 0000000000408000 rsp of frame 0; location v: breg7 40; bit_piece 20 13; lit0; stack_value; "
	  "bit_piece 12 0; 1 $rsp $rsp (408000) rsp of frame 0; 2 40 $rsp (408000) 40 = 0x28; 3 + 408028 408000 + 0x28 = 408028; "
	  "4 bit_pie~ 20 13 408028 a piece of the value, of this many bits = 408028; 5 0 0; "
	  "6 stack_value the value itself, not where it is; 7 bit_piece 12 0 a piece of the value, of this many bits; "
	  "frame 0 int v = 596523" },
	{ "int", "9e04785634129d1008309f9d1000", "location: 2 bytes: constant; 2 bytes: computed: 0; "
	  "location v: implicit_value 4; bit_piece 16 8; lit0; stack_value; bit_piece 16 0; "
	  "1 implici~alue 4 the bytes of the value; 2 bit_piece 16 8 a piece of the value, of this many bits; 3 0 0; "
	  "4 stack_value the value itself, not where it is; 5 bit_piece 16 0 a piece of the value, of this many bits; "
	  "frame 0 int v = 13398" },
	{ "int", "539d1008309f9d1000", "location: 2 bytes: register rbx; 2 bytes: computed: 0; "
	  "input $rbx = 0000000000408020 rbx of frame 0; location v: $rbx; bit_piece 16 8; lit0; stack_value; bit_piece 16 0; "
	  "1 $rbx $rbx (408020) rbx of frame 0; 2 bit_piece 16 8 a piece of the value, of this many bits; 3 0 0; "
	  "4 stack_value the value itself, not where it is; 5 bit_piece 16 0 a piece of the value, of this many bits; "
	  "frame 0 int v = 16512" },
	{ "pair", "359f9d10389d3000", "location: 2 bytes: computed: 5; 6 bytes: optimised out; location v: lit5; stack_value; "
	  "bit_piece 16 56; bit_piece 48 0; 1 5 5; 2 stack_value the value itself, not where it is; "
	  "3 bit_pie~ 16 56 a piece of the value, of this many bits; 4 bit_piece 48 0 that part is optimised out; "
	  "frame 0 struct pair v = <the value is larger than what holds it>" },
	{ "pair", "539d10389d3000", "location: 2 bytes: register rbx; 6 bytes: optimised out; "
	  "input $rbx = 0000000000408020 rbx of frame 0; location v: $rbx; bit_piece 16 56; bit_piece 48 0; "
	  "1 $rbx $rbx (408020) rbx of frame 0; 2 bit_pie~ 16 56 a piece of the value, of this many bits; "
	  "3 bit_piece 48 0 that part is optimised out; frame 0 struct pair v = <the value is larger than its register>" },
	{ "pair", "9e02ffff9d10089d3000", "location: 2 bytes: constant; 6 bytes: optimised out; location v: implicit_value 2; "
	  "bit_piece 16 8; bit_piece 48 0; 1 implici~alue 2 the bytes of the value; "
	  "2 bit_piece 16 8 a piece of the value, of this many bits; 3 bit_piece 48 0 that part is optimised out; "
	  "frame 0 struct pair v = <the constant is shorter than its type>" },
	{ "int", "7708", "location: memory at $rsp 8 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 8 = 408008; 1 $rsp $rsp (408000) rsp of frame 0; 2 8 $rsp (408000) 8; "
	  "3 + 408008 408000 + 8 = 408008; 4 ^4 7 [408008] = 7; read [408008] = 7; frame 0 int v = 7" },
	{ "long", "53", "location: register rbx; input $rbx = 0000000000408020 rbx of frame 0; location v: $rbx; "
	  "1 $rbx $rbx (408020) rbx of frame 0; frame 0 long v = 4227104" },
	{ "int", "73007300229f", "location: computed: $rbx $rbx +; input $rbx = 0000000000408020 rbx of frame 0; "
	  "location v: breg3 0; breg3 0; plus; stack_value = 810040; 1 $rbx $rbx (408020) rbx of frame 0; "
	  "2 $rbx $rbx (408020) $rbx (408020) rbx of frame 0; 3 + 810040 408020 + 408020 = 810040; "
	  "4 stack_value the value itself, not where it is; frame 0 int v = 8454208" },
	{ "int", "0affff9f", "location: computed: 65535; location v: const2u 65535; stack_value = 0xffff; "
	  "1 65535 65535 = 0xffff; 2 stack_value the value itself, not where it is; frame 0 int v = 65535" },
	{ "long", "7708", "location: memory at $rsp 8 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 8 = 408008; 1 $rsp $rsp (408000) rsp of frame 0; 2 8 $rsp (408000) 8; 3 + 408008 408000 + 8 = 408008; "
	  "4 ^ fffffffd00000007 [408008] = fffffffd00000007; read [408008] = fffffffd00000007; frame 0 long v = -12884901881" },
	{ "trio", "7704", "location: memory at $rsp 4 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 4 = 408004; 1 $rsp $rsp (408000) rsp of frame 0; 2 4 $rsp (408000) 4; 3 + 408004 408000 + 4 = 408004; "
	  "bytes 0000000007000000 at 408004, +0; bytes fdffffff at 40800c, +8; frame 0 struct trio v = {x = 0, y = 7, z = -3}" },
	{ "short", "9108", "location: memory at $rbp 8 +; input $rbp = 0000000000408040 rbp of frame 0; "
	  "location v: fbreg 8 = 408048; 1 $rbp $rbp (408040) rbp of frame 0; 2 8 $rbp (408040) 8; "
	  "3 + 408048 408040 + 8 = 408048; 4 ^2 0x8000 [408048] = 0x8000; read [408048] = 0x8000; frame 0 short v = -32768" },
	{ "pair", "539304770c9304", "location: 4 bytes: register rbx; 4 bytes: memory at $rsp 12 +; "
	  "input $rbx = 0000000000408020 rbx of frame 0; input $rsp = 0000000000408000 rsp of frame 0; location v: $rbx; "
	  "piece 4; breg7 12; piece 4; 1 $rbx $rbx (408020) rbx of frame 0; 2 piece 4 a piece of the value, of this many bytes; "
	  "3 $rsp $rsp (408000) rsp of frame 0; 4 12 $rsp (408000) 12 = 0xc; 5 + 40800c 408000 + 0xc = 40800c; "
	  "6 piece 4 40800c a piece of the value, of this many bytes = 40800c; frame 0 struct pair v = {x = 4227104, y = -3}" },
	{ "pair", "53930477089302", "location: 4 bytes: register rbx; 2 bytes: memory at $rsp 8 +; "
	  "input $rbx = 0000000000408020 rbx of frame 0; input $rsp = 0000000000408000 rsp of frame 0; location v: $rbx; "
	  "piece 4; breg7 8; piece 2; 1 $rbx $rbx (408020) rbx of frame 0; 2 piece 4 a piece of the value, of this many bytes; "
	  "3 $rsp $rsp (408000) rsp of frame 0; 4 8 $rsp (408000) 8; 5 + 408008 408000 + 8 = 408008; "
	  "6 piece 2 408008 a piece of the value, of this many bytes = 408008; "
	  "frame 0 struct pair v = {x = 4227104, y = <optimised out>}" },
	{ "pair", "7708", "location: memory at $rsp 8 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 8 = 408008; 1 $rsp $rsp (408000) rsp of frame 0; 2 8 $rsp (408000) 8; "
	  "3 + 408008 408000 + 8 = 408008; bytes 07000000fdffffff at 408008, +0; frame 0 struct pair v = {x = 7, y = -3}" },
	{ "big", "77f81f", "location: memory at $rsp 4088 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 4088 = 408ff8; 1 $rsp $rsp (408000) rsp of frame 0; 2 4088 $rsp (408000) 4088 = 0xff8; "
	  "3 + 408ff8 408000 + 0xff8 = 408ff8; bytes 0000000000000000 at 408ff8, +0; "
	  "frame 0 struct big v = {x = 0, y = <its memory is not in the dump>}" },
	{ "int", "9e020102", "location: constant; location v: implicit_value 2; 1 implici~alue 2 the bytes of the value; "
	  "frame 0 int v = <the constant is shorter than its type>" },
	{ "pair", "359f93049e04070000009304", "location: 4 bytes: computed: 5; 4 bytes: constant; location v: lit5; stack_value; "
	  "piece 4; implicit_value 4; piece 4; 1 5 5; 2 stack_value the value itself, not where it is; "
	  "3 piece 4 a piece of the value, of this many bytes; 4 implici~alue 4 the bytes of the value; "
	  "5 piece 4 a piece of the value, of this many bytes; frame 0 struct pair v = {x = 5, y = 7}" },
	{ "int", "35329f", "location: computed: 2; location v: lit5; lit2; stack_value = 2; 1 5 5; 2 2 5 2; "
	  "3 stack_value 5 the value itself, not where it is = 5; frame 0 int v = 2" },
	{ "int", "1008069f", "location: memory at 0x8 is not in the dump; location v: constu 8; deref; stack_value ! fails; "
	  "1 8 8; 2 ^ ! memory at 0x8 is not in the dump; read [8] ! not in the dump; "
	  "frame 0 int v = <memory at 0x8 is not in the dump>" },
	{ "long", "9c", "location: the frame's CFA is not known; location v: call_frame_cfa ! fails; "
	  "1 call_frame_cfa ! the frame's CFA is not known; frame 0 long v = <the frame's CFA is not known>" },
	{ "int", "a301539f", "location: entry value not known: no caller was found; location v: entry_value ($rbx); "
	  "stack_value ! fails; 1 entry_v~($rbx) ! entry value not known: no caller was found; "
	  "frame 0 int v = <entry value not known: no caller was found>" }, { "int", "", "frame 0 int v = <optimised out here>" },
	{ "huge", "359f", "location: computed: 5; location v: lit5; stack_value = 5; 1 5 5; "
	  "2 stack_value the value itself, not where it is; frame 0 huge v = <the value is larger than what holds it>" },
	{ "int", "903c", "location: register 60 (of DWARF); location v: regx 60; "
	  "1 $60 (of DWARF) ! register 60 (of DWARF) is not in the dump; frame 0 int v = <register 60 (of DWARF) is not followed>" },
	{ "int", "8f3c00", "location: the expression has an unknown operation; input xmm14 = 0000000000000000 xmm14 of frame 0; "
	  "location v: breg31 60; ... ! fails; 1 $xmm14 $xmm14 (0) xmm14 of frame 0; 2 60 $xmm14 (0) 60 = 0x3c; "
	  "3 + 0x3c 0 + 0x3c = 0x3c; frame 0 int v = <the expression has an unknown operation>" },
	{ "long", "770812061c9f", "location: computed: $rsp 8 + $rsp 8 + ^ -; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 8; dup; deref; minus; stack_value = 300408001; 1 $rsp $rsp (408000) rsp of frame 0; "
	  "2 8 $rsp (408000) 8; 3 + 408008 408000 + 8 = 408008; 4 dup 408008 408008; "
	  "5 ^ 408008 fffffffd00000007 [408008] = fffffffd00000007; read [408008] = fffffffd00000007; "
	  "6 - 300408001 408008 - fffffffd00000007 = 300408001; 7 stack_value the value itself, not where it is; "
	  "frame 0 long v = 12889128961" },
	{ "long", "7700940223109f", "location: computed: $rsp ^2 16 +; input $rsp = 0000000000408000 rsp of frame 0; "
	  "location v: breg7 0; deref_size 2; plus_uconst 16; stack_value = 0x10; 1 $rsp $rsp (408000) rsp of frame 0; "
	  "2 ^2 0 [408000] = 0; read [408000] = 0; 3 16 0 16 = 0x10; 4 + 0x10 0 + 0x10 = 0x10; "
	  "5 stack_value the value itself, not where it is; frame 0 long v = 16" },
	{ "int", "37301b9f", "location: the expression divides by zero; location v: lit7; lit0; div; stack_value ! fails; 1 7 7; "
	  "2 0 7 0; 3 / ! the expression divides by zero; frame 0 int v = <the expression divides by zero>" },
	{ "int", "309b", "location: thread-local: the dump does not have the thread pointer; location v: lit0; "
	  "form_tls_address ! fails; 1 0 0; 2 tls ! thread-local: the dump does not have the thread pointer; "
	  "frame 0 int v = <thread-local: the dump does not have the thread pointer>" },
	{ "long", "730077001c7604229f", "location: computed: $rbx $rsp - $rbp 4 + +; "
	  "input $rbx = 0000000000408020 rbx of frame 0; input $rsp = 0000000000408000 rsp of frame 0; "
	  "input $rbp = 0000000000408040 rbp of frame 0; location v: breg3 0; breg7 0; minus; breg6 4; plus; "
	  "stack_value = 408064; 1 $rbx $rbx (408020) rbx of frame 0; 2 $rsp $rbx (408020) $rsp (408000) rsp of frame 0; "
	  "3 - 0x20 408020 - 408000 = 0x20; 4 $rbp 0x20 $rbp (408040) rbp of frame 0; 5 4 0x20 $rbp (408040) 4; "
	  "6 + 0x20 408044 408040 + 4 = 408044; 7 + 408064 0x20 + 408044 = 408064; "
	  "8 stack_value the value itself, not where it is; frame 0 long v = 4227172" },
	{ "int", "700006", "location: memory at 0x0 is not in the dump; input $rax = 0000000000000000 rax of frame 0; "
	  "location v: breg0 0; deref ! fails; 1 $rax $rax (0) rax of frame 0; 2 ^ ! memory at 0x0 is not in the dump; "
	  "read [0] ! not in the dump; frame 0 int v = <memory at 0x0 is not in the dump>" },
	{ "int", "0c000001009f", "location: computed: 0x10000; location v: const4u 65536; stack_value = 10000; 1 0x10000 0x10000 "
	  "= 10000; 2 stack_value the value itself, not where it is; frame 0 int v = 65536" },
	{ "int", "0b00809f", "location: computed: -32768; location v: const2s -32768; stack_value = ffffffffffff8000; 1 "
	  "0xfffff~ff8000 0xffffffffffff8000 = -0x8000; 2 stack_value the value itself, not where it is; frame 0 int v = -32768" },
	{ "int", "77f87e", "location: memory at $rsp 136 -; input $rsp = 0000000000408000 rsp of frame 0; location v: breg7 -136 "
	  "= 407f78; 1 $rsp $rsp (408000) rsp of frame 0; 2 136 $rsp (408000) 136 = 0x88; 3 - 407f78 408000 - 0x88 = 407f78; 4 ^4 ! "
	  "memory at 0x407f78 is not in the dump; read [407f78] ! not in the dump; frame 0 int v = <its memory is not in the dump>" },
	{ "long", "31711c9f", "location: computed: $rdx 28 +; input $rdx = 0000000000000000 rdx of frame 0; location v: lit1; "
	  "breg1 28; stack_value = 0x1c; 1 1 1; 2 $rdx 1 $rdx (0) rdx of frame 0; 3 28 1 $rdx (0) 28 = 0x1c; 4 + 1 0x1c 0 + 0x1c = "
	  "0x1c; 5 stack_value 1 the value itself, not where it is = 1; frame 0 long v = 28" },
	{ "int", "31321a9f", "location: computed: 1 2 and; location v: lit1; lit2; and; stack_value = 0; 1 1 1; 2 2 1 2; 3 and 0 "
	  "1 and 2 = 0; 4 stack_value the value itself, not where it is; frame 0 int v = 0" },
	{ "int", "31321d9f", "location: computed: 1 2 %; location v: lit1; lit2; mod; stack_value = 1; 1 1 1; 2 2 1 2; 3 % 1 1 % "
	  "2 = 1; 4 stack_value the value itself, not where it is; frame 0 int v = 1" },
	{ "int", "3132339f", "location: computed: 3; location v: lit1; lit2; lit3; stack_value = 3; 1 1 1; 2 2 1 2; 3 3 1 2 3; 4 "
	  "stack_value 1 2 the value itself, not where it is = 2; frame 0 int v = 3" },
	{ "long", "7308069f", "location: computed: $rbx 8 + ^; input $rbx = 0000000000408020 rbx of frame 0; "
	  "location last: breg3 8; deref; stack_value = 123456789; 1 $rbx $rbx (408020) rbx of frame 0; 2 8 $rbx (408020) 8; "
	  "3 + 408028 408020 + 8 = 408028; 4 ^ 123456789 [408028] = 123456789; read [408028] = 123456789; "
	  "5 stack_value the value itself, not where it is; frame 0 long last = 4886718345" },
};

/* 1.5, minus infinity, a NaN and -2.5 as numbers of x87 (Intel SDM, volume 1, 4.2.2), at distances of 16 bytes. */
static const uint8_t floats[4][16] = {
	{ [7] = 0xc0, 0xff, 0x3f }, { [7] = 0x80, 0xff, 0xff }, { [7] = 0xc0, 0xff, 0x7f }, { [7] = 0xa0, 0x00, 0xc0 },
};

/* The lines after the first two, without the places in the dump. */
static const char *
joined(const char *text, struct arena *arena)
{
	struct output_string all;

	output_string_init(&all, arena);
	for (int line = 0; *text != '\0'; line++) {
		const size_t length = strcspn(text, "\n");
		const char *place = strstr(text, "scene.dmp+");
		size_t shown = place != NULL && place < text + length ? (size_t)(place - text) : length;

		while (shown > 0 && (text[shown - 1] == ' ' || text[shown - 1] == ','))
			shown--;
		for (size_t i = strspn(text, " "); line > 1 && i < shown; i++)
			if (text[i] != ' ' || text[i - 1] != ' ')
				output_format(&all.output, "%c", text[i]);
		text += length + (text[length] == '\n');
		output_format(&all.output, line > 1 && *text != '\0' ? "; " : "");
	}
	return all.text;
}

static const char *
shown_at(struct staged *staged, const struct memory_view *view, struct variable_place place, struct arena *arena)
{
	struct output_string text;
	struct step_view step;
	const char *shown = NULL;

	output_string_init(&text, arena);
	if (variable_step_make(&step, staged->walk, view, 0, place)) {
		explain_step(&text.output, &step, ARCH_NO_REGISTER);
		shown = joined(text.text, arena);
	}
	step_view_free(&step);
	return shown;
}

static void
add_module(struct synth *synth)
{
	synth_module(synth, 0x400000, 0x4000, "/app/made", "made", "111111111111111111111111111111110");
}

TEST(locations)
{
	static const struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, "rip=401010 rsp=408000 rbx=408020 rbp=408040", 0x408000,
		.memory = "408008=fffffffd00000007 408028=123456789 408048=18000", .more = add_module, .binaries = "" };
	const char *rows[ARRAY_COUNT(types) + ARRAY_COUNT(cases) + 1];
	struct arena arena = { 0 };
	struct staged staged;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		rows[count++] = types[i];
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		rows[count++] = arena_format(&arena, "%s|!%s|%s", i + 1 < ARRAY_COUNT(cases) ? "v" : "last", cases[i].bytes,
					     cases[i].type);
	rows[count] = NULL;
	scene_enter_folder();
	made_write("nothing/made", rows);
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	/* In CONTEXT of amd64, rsp is at 0x98, st0 at 0x120 and xmm0 at 0x1a0, each register with 16 bytes. */
	uint8_t *context = staged.bytes + crash_register_place(&staged.crash, staged.walk->context, staged.walk->arch->sp).offset - 0x98;
	memcpy(context + 0x120, floats, sizeof(floats));
	for (uint8_t byte = 0; byte < 16; byte++)
		context[0x1b0 + byte] = 0x11 + byte;
	const struct memory_view view = staged.walk->memory;
	struct variable_place place = { 0, 0 };
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_text(shown_at(&staged, &view, (struct variable_place){ 0, i }, &arena), cases[i].shown, "location %s of type %s",
			cases[i].bytes, cases[i].type);
	struct value_frame *frame = frame_variables_of(staged.walk, &view, 0, &arena);
	for (size_t from = 0; from < 2; from++)
		ok(variable_place_named(frame, text_of("last"), from, &arena, &place) && place.call == 0 &&
		   place.number == ARRAY_COUNT(cases) - 1, "a variable is found by its name, also from the unit on");
	ok(!variable_place_named(frame, text_of("lost"), 0, &arena, &(struct variable_place){ 0, 0 }), "an unknown name has no place");
	ok(shown_at(&staged, &view, (struct variable_place){ 0, ARRAY_COUNT(cases) }, &arena) == NULL, "no place follows the last variable");
	staged.crash.redacted = true;
	is_text(shown_at(&staged, &view, place, &arena),
		"location: computed: $rbx 8 + ^; a word of memory or a register: redacted; location last: breg3 8; deref; stack_value; "
		"1 $rbx; 2 8; 3 +; 4 ^; a word of memory or a register: redacted; 5 stack_value; frame 0 long last = (redacted)",
		"the expression of a redacted crash has no values");
	unlink("nothing/made");
	arena_free(&arena);
	scene_close(&staged);
}
