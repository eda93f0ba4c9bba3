/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/recorded_step.h"

#include "inspect/blind.h"
#include "inspect/frame_saves.h"
#include "inspect/memory_marks.h"
#include "inspect/methods.h"
#include "inspect/query.h"
#include "tests/unit/walk/scene.h"

/*
 * Recorded steps, with the state of all views at each cursor. Events are letters: S the step, A an
 * attempt, R a record, I an input, r a rule, t a token, m a read of memory, s a register that is set,
 * c a candidate, k a check, = a result.
 */
static const char kinds[] = "SARIrtmsckpwf=";

static const char *
name_of(const struct step_view *step, int reg)
{
	const char *name = arch_spelled(step->walk->arch, reg);

	return name + (*name == '$');
}

/* The caller's registers, and the slots of the frame: offset and size, the register saved there. */
static const char *
frame_text(const struct step_view *step, struct arena *arena)
{
	struct output_string string;
	struct frame_layout layout;
	struct registers caller;

	output_string_init(&string, arena);
	step_view_caller(step, &caller);
	for (int reg = 0; reg < step->walk->arch->register_count; reg++)
		if (registers_known(&caller, reg))
			output_format(&string.output, "%s=%" PRIx64 " ", name_of(step, reg), caller.value[reg]);
	frame_layout_make(&layout, step, arena);
	output_format(&string.output, "| %" PRIx64 "-%" PRIx64 "%s%s%s%s", layout.begin, layout.end, layout.ends ? "" : "?",
		      layout.settled ? "" : " unsettled", layout.link != ARCH_NO_REGISTER ? " link " : "",
		      layout.link != ARCH_NO_REGISTER ? name_of(step, layout.link) : "");
	if (layout.saves.has_cfa)
		output_format(&string.output, " cfa %" PRIx64 " by %" PRIu32, layout.saves.cfa, layout.saves.cfa_event);
	else if (layout.event != TRACE_NONE)
		output_format(&string.output, " by %" PRIu32, layout.event);
	for (size_t i = 0; i < layout.count; i++) {
		const struct frame_part *slot = &layout.slots[i];
		const struct frame_save *save = slot->save;

		output_format(&string.output, " %" PRIx64 "+%" PRIx64 "%s%s%s%s", slot->address, slot->size,
			      save != NULL ? "=" : "", save != NULL ? name_of(step, save->reg) : "",
			      slot->returns ? "<" : "", slot->outside ? "!" : "");
		if (save != NULL && save->rule.input != NULL)
			output_format(&string.output, ":%" PRIu32 ":%" PRIu32, save->rule.line, save->rule.column);
	}
	for (int reg = 0; reg < ARCH_REGISTERS; reg++)
		if (layout.saves.kept >> reg & 1)
			output_format(&string.output, " ~%s", name_of(step, reg));
	return string.text;
}

/* A cursor: `14>15` its last event, `:eip` the register that it sets, `w` whole, `(9/20)` stops around it. */
static void
add_cursor(struct output *out, const struct step_view *step, uint32_t stops[2])
{
	const uint32_t now = step_view_now(step), at = step->cursor;
	const uint32_t around[] = { step_view_next_register(step, true), step_view_next_register(step, false) };
	const int reg = step_view_set_now(step);

	output_format(out, " %" PRIu32 "%s", at, step_view_is_whole(step) ? "w" : "");
	if (now != at && !step_view_is_over(step))
		output_format(out, ">%" PRIu32, now);
	output_format(out, "%s%s", reg != ARCH_NO_REGISTER ? ":" : "", reg != ARCH_NO_REGISTER ? name_of(step, reg) : "");
	if (around[0] != stops[0] || around[1] != stops[1])
		output_format(out, "(%d/%d)", (int)around[0], (int)around[1]);
	memcpy(stops, around, sizeof(around));
}

/* The events, the complete frame and, unless `brief`, cursors: those of a complete step, then the others by frames. */
static const char *
step_text(struct step_view *step, bool brief, struct arena *arena)
{
	uint32_t stops[] = { 0, 0 };
	struct output_string string;
	const char *last = "";

	output_string_init(&string, arena);
	for (uint32_t i = 0; i < step->trace.count; i++)
		output_format(&string.output, "%c", kinds[step->trace.events[i].kind]);
	const uint32_t taken = step_view_taken(step);
	output_format(&string.output, " %" PRIu32 ": attempt %zu, %zu tokens of %zu\n%s", taken, step_view_attempt_number(step, taken),
		      step_view_token_count(step, taken), step->token_width, frame_text(step, arena));
	if (brief)
		return string.text;
	output_plain(&string.output, "\nover");
	for (step->cursor = 0; step->cursor < step->trace.count; step->cursor++)
		if (step_view_is_over(step))
			add_cursor(&string.output, step, stops);
	for (step->cursor = 0; step->cursor < step->trace.count; step->cursor++) {
		if (step_view_is_over(step))
			continue;
		const char *frame = frame_text(step, arena);
		if (strcmp(frame, last) != 0)
			output_format(&string.output, "\n%s\n", frame);
		add_cursor(&string.output, step, stops);
		last = frame;
	}
	return string.text;
}

/* The questions of frame 0: `event>reach reg=value`; then what each shows: hidden are `_`, `-` with its place, `?` a rule, `!` a token. */
static const char *
blind_text(struct walk *walk, enum blind blind, struct arena *arena)
{
	struct walk_horizon horizon = { .blind = blind };
	struct blind_question question;
	struct output_string string;
	struct registers caller;

	output_string_init(&string, arena);
	while (blind_advance(walk, &horizon, &question) && horizon.frame == 0) {
		struct step_view step;

		output_format(&string.output, "%d>%" PRIu32 " %s=%" PRIx64 " ", (int)question.event, question.reach,
			      question.reg != ARCH_NO_REGISTER ? arch_spelled(walk->arch, question.reg) : "", question.value);
		walk->horizon = horizon;
		step_view_make(&step, walk, horizon.frame);
		ok(step.asked == question.event && step.asked_register == question.reg && step.reach == horizon.event,
		   "the step asks the next question");
		bool bare = true;
		for (uint32_t i = 0; i < step.trace.count; i++) {
			const struct event *at = &step.trace.events[i];
			const bool empty = at->address == 0 && at->value == 0 && at->stack == NULL && at->place.input == NULL &&
					   at->text[0] == '\0';

			output_format(&string.output, "%c", at->status != EVENT_HIDDEN ? kinds[at->kind] : text_is(at->name, "?") ? '!'
					      : empty ? '_' : strcmp(at->text, "?") == 0 ? '?' : '-');
			bare = bare && (at->status != EVENT_HIDDEN || at->kind == EVENT_SET || at->from == TRACE_NONE) &&
			       (at->status != EVENT_HIDDEN || at->kind != EVENT_RESULT || at->detail == VERDICT_REFUSED);
		}
		ok(bare, "a hidden event has neither its origin nor its result");
		step_view_caller(&step, &caller);
		for (int reg = 0; reg < ARCH_REGISTERS; reg++)
			bare = bare && (registers_known(&caller, reg) || step.caller.registers.value[reg] == 0);
		ok(bare && step.caller.registers.known == caller.known && step.caller.lookup == 0 && step.caller.module == MODULE_NONE,
		   "the caller has only the registers shown");
		for (int reg = 0; reg < walk->arch->register_count; reg++)
			if (registers_known(&caller, reg))
				output_format(&string.output, " %s", name_of(&step, reg));
		output_line(&string.output, "%s%s", step.verdict.text[0] != '\0' ? " " : "", step.verdict.text);
		step_view_free(&step);
		walk->horizon = (struct walk_horizon){ 0 };
		if (question.event == TRACE_NONE)
			break;
		horizon.event = question.reach;
	}
	output_format(&string.output, "frame %zd", (ptrdiff_t)horizon.frame);
	return string.text;
}

/* A program of data/crashes that has a frame table */
static void
add_parcel(struct synth *synth)
{
	synth_module(synth, 0x555555554000, 0x5000, "parcel", "parcel", "56C3B53CDDC62F1A1211E753916F2FBB0");
}

static const struct {
	const char *title;
	struct scene scene;
	bool brief;
	const char *text;
} steps[] = {
	{ "rules and a chain of frame pointers", SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8008", "8000=1 8008=8020 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\nSTACK CFI INIT 2170 8 .cfa: $esp 16 + .ra: .cfa -4 + ^ $ebp: .cfa -8 + ^\n")), false,
	  "SA=ARIrtttrttttmrttttmsssIsIsIssssskkkkk= 3: attempt 2, 11 tokens of 8\neip=401fcf esp=8010 ebp=8020 ebx=0 esi=0 edi=0 | 8000-8010 "
	  "cfa 8010 by 6 8000+4 8004+4 8008+4=ebp:4:62 800c+4=eip<:4:44 ~ebx ~esi ~edi\nover 0w(-1/9) 1w 3w 6w 10w(9/14) 16w(14/20) "
	  "40(30/-1)\n| 8000-8010 unsettled 8000+4 8004+4 8008+4 800c+4\n 2(-1/9) 4 5 7 8\nesp=8010 | 8000-8010 cfa 8010 by 6 8000+4 8004+4 "
	  "8008+4 800c+4\n 9:esp(-1/14) 11(9/14) 12 13\neip=401fcf esp=8010 | 8000-8010 cfa 8010 by 6 8000+4 8004+4 8008+4 800c+4=eip<:4:44\n "
	  "14>15:eip(9/20) 15:eip(14/20) 17 18 19\neip=401fcf esp=8010 ebp=8020 | 8000-8010 cfa 8010 by 6 8000+4 8004+4 8008+4=ebp:4:62 "
	  "800c+4=eip<:4:44\n 20>21:ebp(14/26) 21:ebp(20/26) 22:eip 23:esp 24:ebp 25\neip=401fcf esp=8010 ebp=8020 ebx=0 | 8000-8010 cfa 8010 "
	  "by 6 8000+4 8004+4 8008+4=ebp:4:62 800c+4=eip<:4:44 ~ebx\n 26:ebx(20/28) 27(26/28)\neip=401fcf esp=8010 ebp=8020 ebx=0 esi=0 | "
	  "8000-8010 cfa 8010 by 6 8000+4 8004+4 8008+4=ebp:4:62 800c+4=eip<:4:44 ~ebx ~esi\n 28:esi(26/30) 29(28/30)\neip=401fcf esp=8010 "
	  "ebp=8020 ebx=0 esi=0 edi=0 | 8000-8010 cfa 8010 by 6 8000+4 8004+4 8008+4=ebp:4:62 800c+4=eip<:4:44 ~ebx ~esi ~edi\n 30:edi(28/-1) "
	  "31:eax(30/-1) 32:ecx 33:edx 34:efl 35 36 37 38 39" },
	{ "a program", SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008", "8000=1 8008=8020 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK WIN 4 2170 8 0 0 0 0 4 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =\n")), false,
	  "SARRcccIIrttttttttmttttmttttttsssssssssskkkk= 1: attempt 1, 18 tokens of 8\neip=401fcf esp=8010 ebp=8020 | 8000-8010 by 31 8000+4 "
	  "8004+4 8008+4=ebp:3:34 800c+4=eip<:3:34\nover 0w(-1/19) 1w 9w 44(29/-1)\n| 8000-8010 unsettled 8000+4 8004+4 8008+4 800c+4\n "
	  "2(-1/19) 3 4 5 6 7 8 10 11 12 13 14 15 16 17>18 18\neip=401fcf | 8000-8010 unsettled 8000+4 8004+4 8008+4 800c+4=eip<:3:34\n "
	  "19:eip(-1/24) 20(19/24) 21 22>23 23\neip=401fcf ebp=8020 | 8000-8010 unsettled 8000+4 8004+4 8008+4=ebp:3:34 800c+4=eip<:3:34\n "
	  "24:ebp(19/29) 25(24/29) 26 27 28\neip=401fcf esp=8010 ebp=8020 | 8000-8010 by 31 8000+4 8004+4 8008+4=ebp:3:34 800c+4=eip<:3:34\n "
	  "29:esp(24/-1) 30:eip(29/-1) 31:esp 32:ebp 33:ebx 34:esi 35:edi 36:eax 37:ecx 38:edx 39:efl 40 41 42 43" },
	{ "a scan", SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=0", "8008=402174 8018=401fcf", APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\n")),
	  false,
	  "SA=A=AkIrttttmRrtttrttmR=AIccrttttmrtttssskkkk= 25: attempt 4, 7 tokens of 8\nrsp=8010 rip=402174 | 8000-8010 by 40 8000+8 "
	  "8008+8=rip<\nover 0w(-1/33) 1w 3w 5w 8w 15w 19w 25w 29w 35w(33/38) 46(38/-1)\n| 8000-8010 unsettled 8000+8 8008+8\n 2(-1/33) 4 6 7 "
	  "9 10 11 12>14 13 14 16 17 18 20 21>23 22 23 24 26 27 28 30 31 32\nrip=402174 | 8000-8010 unsettled 8000+8 8008+8=rip<\n "
	  "33>34:rip(-1/38) 34:rip(33/38) 36 37\nrsp=8010 rip=402174 | 8000-8010 by 40 8000+8 8008+8=rip<\n 38:rsp(33/-1) 39:rip(38/-1) "
	  "40:rsp 41:rbp 42 43 44 45" },
	{ "a return address in a register", SCENE(ARM64, LINUX, "pc=402170 lr=401fd0 sp=8000 x19=7", "8000=1",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\nSTACK CFI INIT 2170 8 .cfa: sp .ra: x30\n")), true,
	  "SARIrtIrtsssssssssssssssssssIsIsIsIsIsIsIsIsIsIsIssssskkkkk= 1: attempt 1, 2 tokens of 8\nx19=7 x20=0 x21=0 x22=0 x23=0 x24=0 "
	  "x25=0 x26=0 x27=0 x28=0 x29=0 sp=8000 pc=401fd0 | 8000-8000 link x30 cfa 8000 by 4 ~x19 ~x20 ~x21 ~x22 ~x23 ~x24 ~x25 ~x26 ~x27 "
	  "~x28 ~x29 ~sp" },
	/* Eight words are listed, nine are a run; a word of r12 is below the frame, others above its end. */
	{ "words without rules", SCENE(AMD64, LINUX, "rip=402170 rsp=8008 rbp=8008", "8000=5 80a0=401fcf",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\nSTACK CFI INIT 2170 8 .cfa: $rsp 160 + .ra: .cfa -8 + ^ $rbx: .cfa 96 - ^ "
	      "$rbp: .cfa 16 - ^ $r12: .cfa 168 - ^ $r13: .cfa 28 + ^ $r14: .cfa 36 + ^\n")), true,
	  "SARIrtttrttttmrttttmrttttmrttttmrttttmrttttmsssssssssssssssIsskkkkk= 1: attempt 1, 27 tokens of 8\nrbx=0 rbp=0 rsp=80a8 r12=5 "
	  "r13=0 r14=0 r15=0 rip=401fcf | 8008-80a8 cfa 80a8 by 4 8000+8=r12!:4:99 8008+8 8010+8 8018+8 8020+8 8028+8 8030+8 8038+8 8040+8 "
	  "8048+8=rbx:4:63 8050+48 8098+8=rbp:4:81 80a0+8=rip<:4:45 80a8+8! 80b0+8! 80b8+8! 80c0+4! 80c4+8=r13!:4:118 80cc+8=r14!:4:136 ~r15" },
	{ "the end of a stack", SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=0", "8000=0", APP("FUNC 2170 8 0 leaf\n"),
	  .stack_size = 0x20), true,
	  "SA=A=AkIrttttmRrtttrttmR=AIccccc= 25: attempt 4, 0 tokens of 8\n| 8000-8000? unsettled" },
	{ "two records that differ", SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008 ebx=7", "8000=1 8008=8020 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: $esp 16 + .ra: .cfa -4 + ^ $ebp: .cfa -8 + ^\n"
	      "STACK WIN 4 2170 8 0 0 0 0 4 0 1 $eip $ebp 4 + ^ = $esp $ebp 8 + = $ebp $ebp ^ = $ebx 5 =\n")), true,
	  "SARRcccIIIrtttttmtttttttttmttttsssssssssskkkk= 1: attempt 1, 18 tokens of 8\neip=401fcf esp=8010 ebp=8020 ebx=5 | 8000-8010 by 32 "
	  "8000+4 8004+4 8008+4=ebp:4:34 800c+4=eip<:4:34" },
	{ "a record that contradicts the frame pointer", SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8008",
	  "8000=1 8008=8020 800c=401fcf 8010=401fc8",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: $esp 20 + .ra: .cfa -4 + ^\n")), true,
	  "SA=ARIrtttrttttmssIsIsIsIssssskkkkk= 3: attempt 2, 7 tokens of 8\neip=401fc8 esp=8014 ebp=8008 ebx=0 esi=0 edi=0 | 8000-8014 cfa "
	  "8014 by 6 8000+4 8004+4 8008+4 800c+4 8010+4=eip<:3:44 ~ebp ~ebx ~esi ~edi" },
	{ "a record that keeps the frame pointer", SCENE(X86, LINUX, "eip=402170 esp=8000 ebp=8008", "8000=1 8008=8020 800c=401fcf",
	  APP("FILE 0 a.c\nINLINE_ORIGIN 0 inside\nFUNC 1fc0 20 0 main\nFUNC 2170 8 0 leaf\nINLINE 0 5 0 0 2170 4\n2170 8 7 0\n"
	      "STACK CFI INIT 2170 8 .cfa: $esp 16 + .ra: .cfa -4 + ^\n")), true,
	  "SA=ARIrtttrttttmssIsIsIsIssssskkkkk= 3: attempt 2, 7 tokens of 8\neip=401fcf esp=8010 ebp=8008 ebx=0 esi=0 edi=0 | 8000-8010 cfa "
	  "8010 by 6 8000+4 8004+4 8008+4 800c+4=eip<:8:44 ~ebp ~ebx ~esi ~edi" },
	{ "a program that uses sizes", SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008", "8000=1 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK WIN 4 2170 8 0 0 0 4 8 0 1 $eip .raSearchStart ^ = $esp .raSearchStart 4 + =\n")), true,
	  "SARRcIIrtttmttttttssIsssssssskkkk= 1: attempt 1, 9 tokens of 14\neip=401fcf esp=8010 ebp=8008 | 8000-8010 by 19 8000+4 8004+4 "
	  "8008+4 800c+4=eip<:3:34 ~ebp" },
	{ "a record without a program", SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008", "8000=8020 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK WIN 0 2170 8 0 0 0 8 4 0 0 1\n")), true,
	  "SARRRcIIIIIrtttmttttttttttmttttttsssssssssskkkk= 1: attempt 1, 19 tokens of 14\neip=401fcf esp=8010 ebp=8020 | 8000-8010 by 34 "
	  "8000+4=ebp:3:0 8004+4 8008+4 800c+4=eip<:3:0" },
	{ "a register at an address that the dump lacks", SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbp=7 rax=8000", "8008=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: $rax 16 + .ra: .cfa -8 + ^ $rbx: 20000 ^ $r12: .cfa 16 - ^\n")), true,
	  "SARIrtttrttttmrttmRrttttmssssssIsssssssIsIsIsskkkkk= 1: attempt 1, 13 tokens of 8\nrbp=7 rsp=8010 r12=0 r13=0 r14=0 r15=0 "
	  "rip=401fcf | 8000-8010 cfa 8010 by 4 8000+8=r12:3:76 8008+8=rip<:3:44 ~rbp ~r13 ~r14 ~r15" },
	{ "a stack that the dump lacks", SCENE(ARM64, LINUX, "pc=402170 lr=401fd0 sp=20000", "8000=1",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: sp 16 + .ra: x30\n")), true,
	  "SARIrtttIrtsssssssssssssssssssIsIsIsIsIsIsIsIsIsIsIssssskkkkk= 1: attempt 1, 4 tokens of 8\nx19=0 x20=0 x21=0 x22=0 x23=0 x24=0 "
	  "x25=0 x26=0 x27=0 x28=0 x29=0 sp=20010 pc=401fd0 | 20000-20010 link x30 cfa 20010 by 4 20000+8 20008+8 ~x19 ~x20 ~x21 ~x22 ~x23 "
	  "~x24 ~x25 ~x26 ~x27 ~x28 ~x29" },
	{ "runs of words end at the edges of the frame", SCENE(ARM64, LINUX, "pc=402170 lr=401fd0 sp=8100", "8140=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: sp 160 + .ra: .cfa 96 - ^ x19: .cfa 256 - ^ x20: .cfa 96 + ^\n")), true,
	  "SARIrtttrttttmrttttmrttttmsssssssssssssssssssssIsIsIsIsIsIsIsIsIssssskkkkk= 1: attempt 1, 15 tokens of 8\nx19=0 x20=0 x21=0 x22=0 "
	  "x23=0 x24=0 x25=0 x26=0 x27=0 x28=0 x29=0 sp=81a0 pc=401fcf | 8100-81a0 cfa 81a0 by 4 80a0+8=x19!:3:60 80a8+58! 8100+8 8108+8 "
	  "8110+8 8118+8 8120+8 8128+8 8130+8 8138+8 8140+8=pc<:3:43 8148+58 81a0+60! 8200+8=x20!:3:78 ~x21 ~x22 ~x23 ~x24 ~x25 ~x26 ~x27 "
	  "~x28 ~x29" },
	{ "a run over the whole frame", SCENE(ARM64, LINUX, "pc=402170 lr=401fd0 sp=8100", "80a0=5",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: sp 80 + .ra: x30 0 + x19: .cfa 176 - ^ x20: .cfa 96 + ^\n")), true,
	  "SARIrtttIrtttrttttmrttttmsssssssssssssssssssssIsIsIsIsIsIsIsIsIssssskkkkk= 1: attempt 1, 14 tokens of 8\nx19=5 x20=0 x21=0 x22=0 "
	  "x23=0 x24=0 x25=0 x26=0 x27=0 x28=0 x29=0 sp=8150 pc=401fd0 | 8100-8150 cfa 8150 by 4 80a0+8=x19!:3:55 80a8+58! 8100+50 8150+60! "
	  "81b0+8=x20!:3:73 ~x21 ~x22 ~x23 ~x24 ~x25 ~x26 ~x27 ~x28 ~x29" },
	{ "two registers of a word", SCENE(AMD64, LINUX, "rip=402170 rsp=8fe0", "8fe0=9 8ff8=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK CFI INIT 2170 8 .cfa: $rsp 32 + .ra: .cfa -8 + ^ $r12: .cfa 28 - ^ $rbx: .cfa 32 - ^ "
	      "$rbp: .cfa 32 - ^\n")), true,
	  "SARIrtttrttttmrttttmrttttmrttttmsssssssssssssIsIsIsskkkkk= 1: attempt 1, 19 tokens of 8\nrbx=9 rbp=9 rsp=9000 r12=0 r13=0 r14=0 "
	  "r15=0 rip=401fcf | 8fe0-9000 cfa 9000 by 4 8fe0+8=rbx:3:80 8fe0+8=rbp:3:98 8fe4+8=r12:3:62 8fec+8 8ff4+4 8ff8+8=rip<:3:44 ~r13 "
	  "~r14 ~r15" },
	{ "a signal's frame on a higher stack", SCENE(AMD64, LINUX, "rip=402170 rsp=8100", "81a0=8040 81a8=401fcf 81b0=202 81b8=33",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 9 0 __restore_rt\n")), true,
	  "SAIrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmssssssssssssssssskkk= 1: "
	  "attempt 1, 68 tokens of 8\nrax=0 rdx=0 rcx=0 rbx=0 rsi=0 rdi=0 rbp=0 rsp=8040 r8=0 r9=0 r10=0 r11=0 r12=0 r13=0 r14=0 r15=0 "
	  "rip=401fcf | 8100-81b0? by 120 8100+8 8108+8 8110+8 8118+8 8120+8 8128+8=r8 8130+8=r9 8138+8=r10 8140+8=r11 8148+8=r12 8150+8=r13 "
	  "8158+8=r14 8160+8=r15 8168+8=rdi 8170+8=rsi 8178+8=rbp 8180+8=rbx 8188+8=rdx 8190+8=rax 8198+8=rcx 81a0+8=rsp 81a8+8=rip" },
	{ "a signal's frame on another stack", SCENE(AMD64, LINUX, "rip=402170 rsp=8100", "81a0=20000 81a8=401fcf 81b0=202 81b8=33",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 9 0 __restore_rt\n")), true,
	  "SAIrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmssssssssssssssssskRkk= 1: "
	  "attempt 1, 68 tokens of 8\nrax=0 rdx=0 rcx=0 rbx=0 rsi=0 rdi=0 rbp=0 rsp=20000 r8=0 r9=0 r10=0 r11=0 r12=0 r13=0 r14=0 r15=0 "
	  "rip=401fcf | 8100-81b0? by 120 8100+8 8108+8 8110+8 8118+8 8120+8 8128+8=r8 8130+8=r9 8138+8=r10 8140+8=r11 8148+8=r12 8150+8=r13 "
	  "8158+8=r14 8160+8=r15 8168+8=rdi 8170+8=rsi 8178+8=rbp 8180+8=rbx 8188+8=rdx 8190+8=rax 8198+8=rcx 81a0+8=rsp 81a8+8=rip" },
	{ "a signal's frame at the end of its stack", SCENE(AMD64, LINUX, "rip=402170 rsp=8100", "81a0=9000 81a8=401fcf 81b0=202 81b8=33",
	  APP("FUNC 1fc0 20 0 main\nFUNC 2170 9 0 __restore_rt\n")), true,
	  "SAIrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmrttttmssssssssssssssssskRkk= 1: "
	  "attempt 1, 68 tokens of 8\nrax=0 rdx=0 rcx=0 rbx=0 rsi=0 rdi=0 rbp=0 rsp=9000 r8=0 r9=0 r10=0 r11=0 r12=0 r13=0 r14=0 r15=0 "
	  "rip=401fcf | 8100-9000 by 120 8100+8 8108+8 8110+8 8118+8 8120+8 8128+8=r8 8130+8=r9 8138+8=r10 8140+8=r11 8148+8=r12 8150+8=r13 "
	  "8158+8=r14 8160+8=r15 8168+8=rdi 8170+8=rsi 8178+8=rbp 8180+8=rbx 8188+8=rdx 8190+8=rax 8198+8=rcx 81a0+8=rsp 81a8+8=rip 81b0+e50" },
	{ "a row of a frame table", SCENE(AMD64, LINUX, "rip=55555555523a rsp=8000 rbp=8040", "8040=0 8048=55555555522b",
	  APP(NULL), .more = add_parcel, .binaries = "data/crashes/sframe-amd64/binaries"), true,
	  "SA=ARfffffRwwwwwffffIrtttrttttmrtrttttmkksssssssskkkk= 3: attempt 2, 12 tokens of 8\nrbp=0 rsp=8050 rip=55555555522b | 8000-8050 "
	  "cfa 8050 by 21 8000+8 8008+8 8010+8 8018+8 8020+8 8028+8 8030+8 8038+8 8040+8=rbp:0:0 8048+8=rip<:0:0" },
	{ "a program that fails", SCENE(X86, WINDOWS, "eip=402170 esp=8000 ebp=8008", "8000=1 8008=8020 800c=401fcf",
	  APP("FUNC 1fc0 20 0 main\nSTACK WIN 4 2170 8 0 0 0 0 4 0 1 $eip 5 = $esp 7 =\n"), .stack_size = 0x20), true,
	  "SARRcccIrttttttssIsssssssspccccck=A=A=AkIrttttmrtttrttmssskkkkk= 38: attempt 4, 9 tokens of 8\neip=401fcf esp=8010 ebp=8020 | "
	  "8000-8010 by 56 8000+4 8004+4 8008+4=ebp 800c+4=eip<" },
};

static const struct {
	size_t step;
	enum blind blind;
	const char *text;
} predictions[] = {
	{ 0, BLIND_TOKEN,
	  "7>7 =8000 _-_-RI---------_-----____I_I_I___________\n8>8 =10 _A=-RI-t-------_-----____I_I_I___________\n9>9 $esp=8010 "
	  "_A=-RI-tt------_-----____I_I_I___________\n11>11 =8010 _A=-RIrttt-----_-----__s_I_I_I___________ esp\n12>12 =fffffffc "
	  "_A=-RIrttt-t---_-----__s_I_I_I___________ esp\n13>13 =800c _A=-RIrttt-tt--_-----__s_I_I_I___________ esp\n14>15 $eip=401fcf "
	  "_A=-RIrttt-ttt-_-----__s_I_I_I___________ esp\n17>17 =8010 _A=-RIrtttrttttm-----_ss_I_I_I___________ eip esp\n18>18 =fffffff8 "
	  "_A=-RIrtttrttttm-t---_ss_I_I_I___________ eip esp\n19>19 =8008 _A=-RIrtttrttttm-tt--_ss_I_I_I___________ eip esp\n20>21 $ebp=8020 "
	  "_A=-RIrtttrttttm-ttt-_ss_I_I_I___________ eip esp\nframe 1" },
	{ 0, BLIND_RULE,
	  "9>9 $esp=8010 _-_-RI?!!!?!!!!_?!!!!____I_I_I___________\n14>15 $eip=401fcf _A=-RIrttt?!!!!_?!!!!__s_I_I_I___________ esp\n20>21 "
	  "$ebp=8020 _A=-RIrtttrttttm?!!!!_ss_I_I_I___________ eip esp\n26>26 $ebx=0 _A=-RIrtttrttttmrttttmsssI_I_I___________ eip esp ebp\n"
	  "28>28 $esi=0 _A=-RIrtttrttttmrttttmsssIsI_I___________ eip esp ebp ebx\n30>30 $edi=0 _A=-RIrtttrttttmrttttmsssIsIsI___________ eip "
	  "esp ebp ebx esi\nframe 1" },
	{ 1, BLIND_STEP,
	  "19>19 $eip=401fcf _-RR___II---------_----_------_______________\n24>24 $ebp=8020 _-RR___II-ttttttttmt---_------s______________ "
	  "eip\n29>29 $esp=8010 _-RR___II-ttttttttmttttmt-----s_s____________ eip ebp\nframe 1" },
	{ 1, BLIND_WALK, "-1>44 $eip=401fcf _-RR___II---------_----_------_______________\nframe 0" },
	{ 9, BLIND_TOKEN,
	  "9>9 =800c _-RR_-I----_------__I_____________\n10>11 =401fcf _-RR_II-tt-_------__I_____________\n12>12 $eip=401fcf "
	  "_-RR_II-tttm------__I_____________\n14>14 =800c _-RR_II-tttmt-----s_I_____________ eip\n15>15 =4 "
	  "_-RR_II-tttmttt---s_I_____________ eip\n16>16 =8010 _-RR_II-tttmtttt--s_I_____________ eip\n17>17 $esp=8010 "
	  "_-RR_II-tttmttttt-s_I_____________ eip\nframe -2" },
	{ 5, BLIND_WALK, "frame -2" },
	{ 2, BLIND_TOKEN,
	  "9>9 =0 _-_-_-_I-______-___-_____-I__?!!!!_?!!!________\n10>10 =8 _A=A=-kI-t_____-___-_____-I__?!!!!_?!!!________\n11>11 =8 "
	  "_A=A=-kI-tt____-___-_____-I__?!!!!_?!!!________\n16>16 =0 _A=A=-kI-ttt___-___-_____-I__?!!!!_?!!!________\n17>17 =10 "
	  "_A=A=-kIrttttmR-t__-_____-I__?!!!!_?!!!________\n18>18 =10 _A=A=-kIrttttmR-tt_-_____-I__?!!!!_?!!!________\n20>20 =0 "
	  "_A=A=-kIrttttmRrttt-_____-I__?!!!!_?!!!________\n33>34 $rip=402174 _A=A=-kIrttttmRrttt-t____-I__?!!!!_?!!!________\n38>38 "
	  "$rsp=8010 _A=A=AkIrttttmRrtttrttmR=-I__rttttm?!!!s_______ rip\nframe 1" },
	{ 2, BLIND_RULE,
	  "33>34 $rip=402174 _-_-_-_I?!!!!__?!!!?!!___-I__?!!!!_?!!!________\n38>38 $rsp=8010 _A=A=AkIrttttmRrtttrttmR=-I__rttttm?!!!s_______ "
	  "rip\nframe 1" },
	{ 1, BLIND_RULE,
	  "19>19 $eip=401fcf _-RR___II?!!!!!!!!_!!!!_!!!!!!_______________\n24>24 $ebp=8020 _-RR___II?ttttttttmt!!!_!!!!!!s______________ "
	  "eip\n29>29 $esp=8010 _-RR___II?ttttttttmttttmt!!!!!s_s____________ eip ebp\nframe 1" },
	{ 19, BLIND_RULE,
	  "29>30 $rip=55555555522b _-_-R-----R_--------I?!!!?!!!!_?!?!!!!________________\n32>32 $rsp=8050 "
	  "_A=-RfffffRwwwwwffffIrtttrttttm?!?!!!!___s____________ rip\n37>38 $rbp=0 _A=-RfffffRwwwwwffffIrtttrttttmrt?!!!!___ss___________ "
	  "rsp rip\nframe -2" },
	{ 19, BLIND_STEP,
	  "29>30 $rip=55555555522b _-_-RfffffRwwwwwffffI---------_-------________________\n32>32 $rsp=8050 "
	  "_A=-RfffffRwwwwwffffIrtttrttttm-------___s____________ rip\n37>38 $rbp=0 _A=-RfffffRwwwwwffffIrtttrttttmrt-----___ss___________ "
	  "rsp rip\nframe -2" },
	{ 20, BLIND_STEP,
	  "11>11 $eip=5 _-RR___I-------__I________________-_-_-_I-_____-___-____________\n14>14 $esp=7 "
	  "_-RR___I-ttt---s_I________________-_-_-_I-_____-___-____________\n18>18 $ebp=8008 "
	  "_-RR___IrttttttssI________________-_-_-_I-_____-___-____________\n45>46 $eip=401fcf "
	  "_-RR___IrttttttssIs_______________-_-_-_I-_____-___-____________\n50>50 $esp=8010 "
	  "_ARRcccIrttttttssIsssssssspccccck=A=A=-kIrttttm-___-___s________ eip\n53>54 $ebp=8020 "
	  "_ARRcccIrttttttssIsssssssspccccck=A=A=-kIrttttmrttt-___ss_______ eip esp\nframe -2" },
	{ 11, BLIND_RULE,
	  "7>7 $rsp=8010 _-RI?!!!?!!!!_?!!__?!!!!_______I_______I_I_I________\n12>13 $rip=401fcf "
	  "_-RIrttt?!!!!_?!!__?!!!!_______I_s_____I_I_I________ rsp\n23>24 $r12=0 _-RIrtttrttttm?!!__?!!!!_______I_s_____I_I_I_s______ rsp "
	  "rip\n32>32 $rbp=7 _-RIrtttrttttmrttmRrttttm___s__I_s____sI_I_I_s______ rsp r12 rip\n40>40 $r13=0 "
	  "_-RIrtttrttttmrttmRrttttmssssssIss____sI_I_I_s______ rbp rsp r12 rip\n42>42 $r14=0 "
	  "_-RIrtttrttttmrttmRrttttmssssssIsssssssIsI_I_s______ rbp rsp r12 r13 rip\n44>44 $r15=0 "
	  "_-RIrtttrttttmrttmRrttttmssssssIsssssssIsIsI_s______ rbp rsp r12 r13 r14 rip\nframe -2" },
};

/* The signs of all methods, with the CFA and the caller's function. */
static const struct {
	size_t step, frame;
	const char *only, *text;	/* the methods of the policy; NULL: all */
} compared[] = {
	{ 0, 0, NULL, "*stack-cfi 8010 main + 0xf, =frame-pointer main + 0xf, =stack-scan main + 0xf, " }, { 0, 1, NULL, "" },
	{ 1, 0, NULL, "*stack-win main + 0xf, =frame-pointer main + 0xf, =stack-scan main + 0xf, " },
	{ 2, 0, NULL, "*stack-scan leaf + 0x4, " }, { 3, 0, NULL, "*stack-cfi 8000 main + 0x10, =link-register main + 0x10, " },
	{ 4, 0, NULL, "*stack-cfi 80a8 main + 0xf, " },
	{ 6, 0, NULL, "*stack-win main + 0xf, ~stack-cfi 8010 main + 0xf, =frame-pointer main + 0xf, =stack-scan main + 0xf, " },
	{ 7, 0, NULL, "*stack-cfi 8014 main + 0x8, !frame-pointer main + 0xf, !stack-scan main + 0xf, " },
	{ 8, 0, NULL, "*stack-cfi 8010 main + 0xf, ~frame-pointer main + 0xf, ~stack-scan main + 0xf, " },
	{ 2, 0, "stack-cfi", "?stack-scan leaf + 0x4, " },
};

TEST_EACH(methods, compared)
{
	struct arena arena = { 0 };
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct output_string text;
	struct staged staged;
	char name[32];

	if (compared[i].only != NULL)
		methods_choose(&policy, compared[i].only);
	scene_open(&staged, &steps[compared[i].step].scene);
	scene_walk(&staged, &policy);
	const struct methods_compared *methods = methods_compare(staged.walk, compared[i].frame, &arena);
	output_string_init(&text, &arena);
	for (size_t j = 0; j < methods->count; j++) {
		const struct methods_answer *answer = &methods->answers[j];

		if (answer->sign == ' ' && !answer->off)
			continue;
		output_format(&text.output, "%c%s%s", answer->sign, method_option(answer->method, name, sizeof(name)), answer->off ? " off" : "");
		if (answer->has_cfa)
			output_format(&text.output, " %" PRIx64, answer->cfa);
		output_format(&text.output, " %.*s, ", (int)answer->name.length, answer->name.start);
	}
	is_str(text.text, compared[i].text, "methods of frame %zu: %s", compared[i].frame, steps[compared[i].step].title);
	arena_free(&arena);
	scene_close(&staged);
}

/* Questions about the steps above, and answers as their texts and stacks give them. */
static const struct {
	size_t step;
	const char *query, *answer;
} queries[] = {
	{ 0, "frames 3", "8: expected value, address, stack, place, status or text, not '3'" }, { 0, "frame 0 rule .cfa", "0x8010" },
	{ 0, "fram 0 rule .cfa", "1: expected 'frame N' or 'frames', not 'fram'" }, { 0, "frame 0 rule .cfa text", "$esp 16 +" },
	{ 0, "frame x rule .cfa", "7: expected the number of a frame, not 'x'" }, { 0, "frame 0 rule", "13: expected a name at the end" },
	{ 0, "frame 0 rul", "9: expected what to ask of the frame (rule, token, read, set, ...), not 'rul'" },
	{ 0, "frame 0 token 0", "15: expected a number from 1, not '0'" }, { 0, "frame 0 token 2 stack", "$esp 0x10" },
	{ 0, "frame 0 rule .cfa value now", "25: expected the end of the query, not 'now'" }, { 0, "frame 0 rule .ra address", "0x800c" },
	{ 0, "frame 0 attempt magic rule .cfa", "17: expected a method (stack-cfi, scan, ...), not 'magic'" },
	{ 0, "frame 0 \033[2J", "9: expected what to ask of the frame (rule, token, read, set, ...), not '\\x1b[2J'" },
	{ 0, "frame 0 input $esp", "0x8000" }, { 0, "frame 1 register eip", "0x401fcf" }, { 0, "frame 0 rule $ebp status", "ok" },
	{ 0, "frame 0 attempt frame-pointer set eip", "0x401fcf" }, { 0, "frame 0 set eax", "frame 0 has no value for eax" },
	{ 0, "frame 0 read 2 address", "0x8008" }, { 0, "frame 0 read 2", "0x8020" }, { 0, "frame 0 token 2 text", "16" },
	{ 0, "frame 0 set eax status", "failed" }, { 0, "frame 0 token 2 address", "frame 0 has no address in memory for 2" },
	{ 0, "frame 0 token 1 stack", "$esp" }, { 0, "frame 0 token 2", "0x10" }, { 0, "frame 0 token 2 value", "0x10" },
	{ 0, "frame 0 token 3 place", "scene-0.sym:4:37" }, { 0, "frame 0 token 7", "0x401fcf" }, { 0, "frame 0 token 11", "0x8020" },
	{ 0, "frame 0 token 7 address", "0x800c" }, { 0, "frame 0 token 12", "frame 0 has no token 12" }, { 0, "frame 0 read 1 text", "" },
	{ 0, "frame 0 token 4294967295", "frame 0 has no token 4294967295" }, { 0, "frame 0 read 1", "0x401fcf" },
	{ 0, "frame 0 token 4294967296", "15: expected a number from 1, not '4294967296'" }, { 0, "frame 0 set ebp address", "0x8008" },
	{ 0, "frame 0 token", "14: expected a number from 1 at the end" }, { 0, "frame 0 read 1 place", "scene.dmp+0xdc" },
	{ 0, "frame 0 token x", "15: expected a number from 1, not 'x'" }, { 0, "frame 0 read 3", "frame 0 has no read 3" },
	{ 0, "frame 0 rule $eip", "frame 0 has no rule $eip" }, { 0, "frame 0 rule .ra place", "scene-0.sym:4:44" },
	{ 0, "frame 0 rule .ra stack", "frame 0 has no postfix stack for .ra" }, { 0, "frame 0 set pc", "frame 0 has no set pc" },
	{ 0, "frame 0 rule .cfa address", "frame 0 has no address in memory for .cfa" }, { 0, "frame 0 input ebx", "0x0" },
	{ 0, "frame 0 set $sp", "frame 0 has no set $sp" }, { 0, "frame 0 set ebx address", "frame 0 has no address in memory for ebx" },
	{ 0, "frame 0 set ebx text", "unchanged: no record mentions it" }, { 0, "frame 0 set ebx place", "scene.dmp+0x1174" },
	{ 0, "frame 0 set eip place", "scene-0.sym:4:54" }, { 0, "frame 0 set xyz", "frame 0 has no set xyz" },
	{ 0, "frame 0 input ebx place", "scene.dmp+0x1174" }, { 0, "frame 0 check sp", "frame 0 has no check sp" },
	{ 0, "frame 0 check xp-progress", "frame 0 has no check xp-progress" }, { 0, "frame 0 check required status", "ok" },
	{ 0, "frame 0 result address", "frame 0 has no address in memory for result" }, { 0, "frame 0 record place", "scene-0.sym:4" },
	{ 0, "frame 0 check sp-progress-", "frame 0 has no check sp-progress-" }, { 0, "frame 0 record status", "ok" },
	{ 0, "frame 0 check Sp_Progress", "frame 0 has no value for Sp_Progress" }, { 0, "frame 0 row", "frame 0 has no row" },
	{ 0, "frame 0 check sp-progress text", "the stack pointer does not go down" }, { 0, "frame 0 result text", "" },
	{ 0, "frame 1 check sp-progress text", "frame 1 has no check sp-progress" }, { 0, "frame 0 result status", "ok" },
	{ 0, "frame 1 check pc-floor", "frame 1 has no check pc-floor" }, { 0, "frame 0 record", "frame 0 has no value for record" },
	{ 0, "frame 1 check pc-floor text", "frame 1 has no check pc-floor" }, { 0, "frame 0 method", "STACK CFI" },
	{ 0, "frame 1 check pc-floor status", "frame 1 has no check pc-floor" }, { 0, "frame 0 method status", "ok" },
	{ 0, "frame 0 record text", "covers 0x2170 to 0x2177, 8 bytes; 0 deltas in force" }, { 0, "frame 1 method", "stack scan" },
	{ 0, "frame 0 record address", "frame 0 has no address in memory for record" }, { 0, "frame 1 function", "0x401fc0" },
	{ 0, "frame 1 result text", "no word from esp on looks like a return address" }, { 0, "frame 1 function text", "main + 0xf" },
	{ 0, "frame 0 method place", "frame 0 has no place in a file for method" }, { 0, "frame 0 function value", "0x402170" },
	{ 0, "frame 0 register $sp", "frame 0 has no value for register $sp" }, { 0, "frame 0 calls text", "0x1" }, { 0, "frames", "0x2" },
	{ 0, "frame 1 register eax", "frame 1 has no value for register eax" }, { 0, "frames value", "0x2" },
	{ 0, "frame 2 calls", "no frame 2; the outermost one is 1" }, { 0, "  frame   0   calls", "0x1" },
	{ 0, "frame 4294967295 calls", "no frame 4294967295; the outermost one is 1" },
	{ 0, "frame 4294967296 calls", "7: expected the number of a frame, not '4294967296'" }, { 1, "frame 0 rule program status", "ok" },
	{ 0, "frame -1 calls", "7: expected the number of a frame, not '-1'" }, { 0, "", "1: expected 'frame N' or 'frames' at the end" },
	{ 0, "frame 0 frames", "9: expected what to ask of the frame (rule, token, read, set, ...), not 'frames'" },
	{ 0, "frames value x", "14: expected the end of the query, not 'x'" }, { 0, "frame 0 attempt frame-pointer rule $ebp", "0x8020" },
	{ 0, "frame", "6: expected the number of a frame at the end" }, { 0, "frame 0 attempt frame-pointer method", "frame pointer" },
	{ 0, "frame 0", "8: expected what to ask of the frame (rule, token, read, set, ...) at the end" },
	{ 0, "frame 0 attempt", "16: expected a method (stack-cfi, scan, ...) at the end" }, { 1, "frame 0 token 3 stack", "empty" },
	{ 0, "frame 0 attempt stack-win method", "STACK WIN" }, { 0, "frame 0 attempt leaf-function method", "frame 0 has no method" },
	{ 0, "frame 0 attempt stack-win result text", "no STACK WIN record covers the address" }, { 1, "frame 0 token 1 stack", "$T0" },
	{ 0, "frame 0 calls now", "15: expected value, address, stack, place, status or text, not 'now'" },
	{ 1, "frame 0 rule program", "frame 0 has no single value for program" }, { 1, "frame 0 token 3", "0x8008" },
	{ 1, "frame 0 rule program text", "$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =" }, { 6, "frame 0 set ebx", "0x5" },
	{ 1, "frame 0 token 8", "0x401fcf" }, { 1, "frame 0 token 8 stack", "$eip 0x401fcf" }, { 1, "frame 0 token 8 address", "0x800c" },
	{ 1, "frame 0 set eip address", "0x800c" }, { 1, "frame 0 set eip place", "scene-0.sym:3:60" }, { 8, "frame 0 calls", "0x2" },
	{ 1, "frame 0 set ebx status", "failed" }, { 1, "frame 0 record text", "type 4, covers 0x2170 to 0x2177, 8 bytes" },
	{ 1, "frame 0 method text", "STACK WIN" }, { 2, "frame 0 set rip address", "0x8008" }, { 2, "frame 0 token 1 text", "$rsp" },
	{ 2, "frame 0 set rsp place", "frame 0 has no place in a file for rsp" }, { 2, "frame 0 record", "frame 0 has no record" },
	{ 2, "frame 0 method", "stack scan" }, { 2, "frame 0 check pc-in-module text", "frame 0 has no check pc-in-module" },
	{ 2, "frame 0 check sp-progress status", "ok" }, { 3, "frame 0 set pc address", "frame 0 has no address in memory for pc" },
	{ 3, "frame 0 set pc value", "0x401fd0" }, { 3, "frame 0 set lr", "frame 0 has no value for lr" }, { 8, "frame 1 calls", "0x1" },
	{ 3, "frame 0 set x30 status", "failed" }, { 4, "frame 0 function", "0x402170" }, { 5, "frame 0 function text", "leaf + 0x0" },
	{ 5, "frame 1 function", "no frame 1; the outermost one is 0" }, { 8, "frame 0 function text", "leaf" },
	{ 6, "frame 0 set ebx address", "frame 0 has no address in memory for ebx" }, { 8, "frame 0 function value", "0x402170" },
};

static void
ask(struct walk *walk, const char *text, const char *expected, const char *title)
{
	struct arena arena = { 0 };
	struct error error = { 0 };
	struct query_answer answer;
	struct query query;

	enum error_code code = query_parse(text_of(text), &query, &error);
	if (code == ERROR_NONE)
		code = query_ask(&query, walk, &arena, &answer, &error);
	if (code != ERROR_NONE)
		answer.text = arena_format(&arena, error.place.column > 0 ? "%" PRIu32 ": %s" : "%.0" PRIu32 "%s", error.place.column, error.text);
	is_str(answer.text, expected, "%s: %s", title, text);
	arena_free(&arena);
}

TEST(query_end)
{
	is_u64(query_length(text_of("frame 0 rule .cfa value $esp 8 +")), 23, "a query ends with its attribute");
	is_u64(query_length(text_of("frames")), 6, "a query ends with the text");
	ok(query_is_one(text_of(" frame 0")) && query_is_one(text_of("frames")) && !query_is_one(text_of("fram")) &&
	   !query_is_one(text_of("$esp frame")), "a query begins with 'frame' or 'frames'");
}

/* Each word from 7ffc on: the innermost frames with this sp and fp, the frame around it, its reads. */
static const char *
marks_text(const struct memory_marks *marks, uint64_t end, struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	for (uint64_t at = 0x7ffc; at < end; at += 4) {
		const size_t frames[] = { memory_marks_youngest(&marks->sp, at), memory_marks_youngest(&marks->fp, at),
					  memory_marks_owner(marks, at) };
		size_t count;
		const struct memory_read_mark *reads = memory_marks_reads(marks, at, &count);

		output_format(&string.output, "%" PRIx64, at);
		for (size_t i = 0; i < 3; i++)
			if (frames[i] != SIZE_MAX)
				output_format(&string.output, " %c%zu", "sfo"[i], frames[i]);
		for (size_t i = 0; i < count; i++)
			output_format(&string.output, " %" PRIu32 "by%zu", reads[i].event, reads[i].token);
		output_plain(&string.output, ", ");
	}
	return string.text;
}

/* By the stack of the first step: sp 8000 and 8010, fp 8008 and 8020. */
TEST(marks)
{
	struct arena arena = { 0 };
	struct memory_pointers kept = { .frames = 0 };
	struct memory_marks marks;
	struct step_view step;
	struct staged staged;

	scene_play(&staged, &steps[0].scene, POLICY_UNSPOOL);
	struct walk *walk = staged.walk;
	const struct memory_run *run = memory_run_of(&walk->memory, 0x8000);
	step_view_make(&step, walk, 0);
	memory_marks_find(&marks, run, walk, &step, &kept, &arena);
	is_str(marks_text(&marks, 0x8028, &arena),
	       "7ffc, 8000 s0 o0, 8004 o0, 8008 f0 o0 21by11, 800c o0 15by7, 8010 s1 o1, 8014, 8018, 801c, 8020 f1, 8024, ",
	       "marks of the first step");
	memory_marks_find(&marks, run, NULL, NULL, NULL, &arena);
	is_str(marks_text(&marks, 0x8004, &arena), "7ffc, 8000, ", "without a walk and a step there are no marks");
	/* Pointers are sorted by address, and equal ones by frame. */
	const struct memory_pointer *items = kept.sp.items;
	walk->frames[0].registers.value[walk->arch->sp] = 0x8018;
	walk->frames[1].registers.value[walk->arch->fp] = 0x8008;
	memory_marks_find(&marks, run, walk, NULL, &kept, &arena);
	ok(marks.sp.items == items && marks.fp.count == 2, "the pointers of a walk without new frames are kept");
	const struct memory_run lower = { .base = run->base, .size = 0x18, .data = run->data };
	memory_marks_find(&marks, &lower, walk, NULL, &kept, &arena);
	is_str(marks_text(&marks, 0x8024, &arena), "7ffc, 8000, 8004, 8008 f0, 800c, 8010 s1 o1, 8014, 8018, 801c, 8020, ",
	       "a run has the pointers into it");
	memory_marks_find(&marks, run, walk, NULL, NULL, &arena);
	is_str(marks_text(&marks, 0x8024, &arena), "7ffc, 8000, 8004, 8008 f0, 800c, 8010 s1 o1, 8014, 8018 s0 o0, 801c, 8020, ",
	       "pointers out of order");
	arena_free(&kept.arena);
	step_view_free(&step);
	arena_free(&arena);
	scene_close(&staged);
}

/* The origin of each register in the last frame: =F kept, F@ADDRESS saved, +F computed by frame F, -F unwritten since. */
static const struct {
	size_t step;
	const char *text;
} origins[] = {
	{ 0, "0@800c +0 0@8008 =0 =0 =0 -0 -0 -0 -0" }, { 1, "0@800c +0 0@8008 -0 -0 -0 -0 -0 -0 -0" },
	{ 2, "-0 -0 -0 -0 -0 -0 -0 +1 -0 -0 -0 -0 -0 -0 -0 -0 1@8018" },
	{ 4, "-0 -0 -0 0@8048 -0 -0 0@8098 +0 -0 -0 -0 -0 0@8000 0@80c4 0@80cc =0 0@80a0" },
	{ 5, "=0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0 =0" }, { 6, "0@800c +0 0@8008 +0 -0 -0 -0 -0 -0 -0" },
	{ 10, "0@800c +0 0@8000 -0 -0 -0 -0 -0 -0 -0" }, { 11, "-0 -0 -0 -0 -0 -0 =0 +0 -0 -0 -0 -0 0@8000 =0 =0 =0 0@8008" },
	{ 15, "-0 -0 -0 0@8fe0 -0 -0 0@8fe0 +0 -0 -0 -0 -0 0@8fe4 =0 =0 =0 0@8ff8" },
};

static const char *
origins_text(struct walk *walk, struct arena *arena)
{
	static const char *const signs[] = { "=", "", "+", "-" };
	struct output_string text;

	output_string_init(&text, arena);
	for (int reg = 0; reg < walk->arch->register_count; reg++) {
		const struct frame_origin origin = frame_origin_of(walk, walk->count - 1, reg);

		output_format(&text.output, "%s%s%zu", reg > 0 ? " " : "", signs[origin.kind], origin.frame);
		if (origin.kind == ORIGIN_SAVED)
			output_format(&text.output, "@%" PRIx64, origin.address);
	}
	return text.text;
}

TEST_EACH(step, steps)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *title = steps[i].title;
	struct arena arena = { 0 };
	struct step_view step;
	struct staged staged;

	scene_play(&staged, &steps[i].scene, POLICY_UNSPOOL);
	step_view_make(&step, staged.walk, 0);
	is_text(step_text(&step, steps[i].brief, &arena), steps[i].text, "%s", title);
	step_view_free(&step);
	for (size_t j = 0; j < ARRAY_COUNT(predictions); j++)
		if (predictions[j].step == i)
			is_text(blind_text(staged.walk, predictions[j].blind, &arena), predictions[j].text, "%s: predictions %zu", title, j);
	for (size_t j = 0; j < ARRAY_COUNT(origins); j++)
		if (origins[j].step == i)
			is_str(origins_text(staged.walk, &arena), origins[j].text, "%s: origins of registers", title);
	for (size_t j = 0; j < ARRAY_COUNT(queries); j++)
		if (queries[j].step == i) {
			struct walk *walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);

			ask(walk, queries[j].query, queries[j].answer, title);
			walk_free(walk);
		}
	arena_free(&arena);
	scene_close(&staged);
}

/* A register that no callee saved is followed through 256 callees: 301 frames of a recursion. */
TEST(far_origins)
{
	static char words[0x2000];
	struct scene scene = SCENE(AMD64, LINUX, "rip=402170 rsp=8000 rbx=7", words,
				   APP("FUNC 2170 8 0 leaf\nSTACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"));
	const size_t frames[][2] = { { 300, 44 }, { 257, 1 }, { 256, 0 }, { 255, 0 }, { 0, 0 } };
	const int rbx = arch_register(arch_by_id(ARCH_AMD64), text_of("rbx"), ARCH_NAMES_ALIASES);
	struct staged staged;
	size_t used = 0;

	for (unsigned i = 0; i < 300; i++)
		used += (size_t)snprintf(words + used, sizeof(words) - used, " %x=402174", 0x8000 + 8 * i);
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	for (size_t i = 0; i < ARRAY_COUNT(frames) && ok(staged.walk->count > 300, "the recursion is walked"); i++) {
		const struct frame_origin origin = frame_origin_of(staged.walk, frames[i][0], rbx);

		ok(origin.kind == ORIGIN_KEPT && origin.frame == frames[i][1], "frame %zu has the value of frame %zu", frames[i][0], frames[i][1]);
	}
	scene_close(&staged);
}

/* Frames that the walk does not have ask nothing, and remain the horizon. A question needs no later frame. */
TEST(no_question)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk_horizon before = { .blind = BLIND_WALK };
	struct blind_question question;
	struct step_view step;
	struct staged staged;

	scene_play(&staged, &steps[0].scene, POLICY_UNSPOOL);
	const size_t frames[] = { staged.walk->count, staged.walk->count + 1, SIZE_MAX - 1 };
	for (size_t i = 0; i < ARRAY_COUNT(frames); i++) {
		struct walk_horizon horizon = { .blind = BLIND_STEP, .frame = frames[i] };
		ok(!blind_advance(staged.walk, &horizon, &question) && horizon.frame == frames[i], "frame %zu asks nothing", i);
	}
	struct walk *walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);
	ok(blind_advance(walk, &before, &question) && before.frame == 0 && walk->count == 1, "one frame is found for its question");
	step_view_make(&step, walk, 0);
	before.event = (uint32_t)step.trace.count - 2;
	ok(blind_advance(walk, &before, &question) && before.frame == 0, "the last event is asked for");
	before.event++;
	ok(!blind_advance(walk, &before, &question) && before.frame == SIZE_MAX - 1 && before.event == 0,
	   "after the last event the next frame begins, and has no caller");
	step_view_free(&step);
	walk_free(walk);
	const struct prediction made[] = { { 0, 3, 0, false }, { 1, 3, 0, false }, { 1, 4, 0, false }, { 1, 3, 1, false } };
	const struct walk_horizon horizon = { .made = made, .made_count = 4 };
	ok(blind_prediction(&horizon, 0, 3) == &made[0] && blind_prediction(&horizon, 1, 3) == &made[3] &&
	   blind_prediction(&horizon, 1, 4) == &made[2] && blind_prediction(&horizon, 0, 4) == NULL, "the last prediction of an event counts");
	scene_close(&staged);
}

/* Results are kept by frame, for one walk. */
TEST(kept)
{
	struct frame_saves_cache cache = { .walk = NULL };
	struct staged staged[2];

	for (size_t i = 0; i < 2; i++)
		scene_play(&staged[i], &steps[3 * i].scene, POLICY_UNSPOOL);
	struct walk *walk = staged[0].walk;
	const struct frame_saves *saves = frame_saves_of(&cache, walk, 0);
	cache.saves[0].cfa++;
	ok(frame_saves_of(&cache, walk, 1)->frame == 1 && frame_saves_of(&cache, walk, 0)->cfa == 0x8011, "the saves of two frames are kept");
	ok(frame_saves_of(&cache, staged[1].walk, 0)->cfa == 0x8000 && frame_saves_of(&cache, walk, 0)->cfa == 0x8010,
	   "another walk begins anew");
	ok(frame_saves_at(saves, 0x800c) != NULL && frame_saves_at(saves, 0x800c) == frame_saves_register(saves, walk->arch->pc) &&
	   frame_saves_at(saves, 0x8004) == NULL && frame_saves_register(saves, walk->arch->sp) == NULL, "saves are found");
	for (size_t i = 0; i < 2; i++)
		scene_close(&staged[i]);
}

int
main(void)
{
	run_tests();
	return done_testing();
}
