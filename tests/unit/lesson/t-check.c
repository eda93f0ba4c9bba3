/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/answers.h"

#include "tests/unit/report/scene.h"

/* Answers to tasks about the crash of scene.h. By hand: frame 0 has esp 12f000 and ebp 12f008, its rules are `.cfa: $ebp 8 +`,
 * `.ra: .cfa 4 - ^`, `$ebp: $ebp ^`, and the return address 401110 is at 12f00c. */
static struct scene scene;
static struct surroundings around;
static struct lesson lesson;
static struct lesson_scene crash;

/* The result of an answer to a task that has these lines. */
static enum check_result
ask(const char *lines, const char *answer, char sentence[200])
{
	struct lesson_run run;
	struct error error = { 0 };
	char text[2000];

	snprintf(text, sizeof(text), "title A\nopen x\nat frame 0\ntask a\n  ask B\n%s", lines);
	lesson = (struct lesson){ .directory = "", .name = "" };
	if (lesson_parse(&lesson, "lesson", text_of(text), &error) != ERROR_NONE)
		printf("# %u:%u: %s\n", error.place.line, error.place.column, error.text);
	lesson_run_open(&run, &lesson, &crash);
	const struct lesson_reply reply = lesson_run_answer(&run, text_of(answer));
	snprintf(sentence, 200, "%s", reply.own ? reply.sentence : "");
	if (reply.result > CHECK_WRONG)
		snprintf(sentence, 200, "%s", reply.sentence);
	lesson_run_close(&run);
	lesson_free(&lesson);
	return reply.result;
}

static const struct {
	const char *lines, *answer;
	enum check_result result;
	const char *sentence;
} cases[] = {
#define CFA "  check value frame 0 rule .cfa\n  wrong frame 0 input $ebp : There ebp lies.\n" \
	    "  wrong frame 0 rule .cfa - 4 : One below.\n"
	{ CFA, "12f010", CHECK_RIGHT, "" }, { CFA, "0x0012F010", CHECK_RIGHT, "" },
	{ CFA, "1241104", CHECK_RIGHT, "" }, { CFA, "ebp + 8", CHECK_RIGHT, "" },
	/* 0x12f000 plus decimal 16 is the CFA, plus 0x16 is not. */
	{ CFA, "12f000 + 16", CHECK_RIGHT, "" }, { CFA, "12f000 + 0x16", CHECK_WRONG, "" },
	{ CFA, " $ebp 8 + ", CHECK_RIGHT, "" }, { CFA, "12f014", CHECK_WRONG, "" },
	{ CFA, "ebp", CHECK_WRONG, "There ebp lies." }, { CFA, "12f00c", CHECK_WRONG, "One below." },
	{ CFA, "rax", CHECK_NO_ANSWER, "'rax' is not a number, a register or a known function" },
	{ CFA, "  ", CHECK_NO_ANSWER, "an answer is missing" },
	{ "  check value frame 0 rule $esi\n", "1", CHECK_BROKEN, "frame 0 has no rule $esi" },

#define RA "  check rule frame 0 rule .ra\n  wrong .cfa 4 - : That is where.\n"
	{ RA, ".cfa 4 - ^", CHECK_RIGHT, "" }, { RA, ".cfa -4 + ^", CHECK_RIGHT, "" },
	{ RA, ".ra: $ebp 4 + ^", CHECK_RIGHT, "" }, { RA, "4 $ebp + ^", CHECK_RIGHT, "" },
	{ RA, "$ebp 1 4 * + ^", CHECK_RIGHT, "" }, { RA, "$ebp 8 + ^", CHECK_WRONG, "" },
	{ RA, "$ebp 2 4 * + ^", CHECK_WRONG, "" }, { RA, "$esp 12 + ^", CHECK_WRONG, "" },
	{ RA, "$ebp 4 +", CHECK_WRONG, "That is where." }, { RA, "$ebp +", CHECK_NO_ANSWER, "'+' needs 2 values, the stack has fewer" },
	{ RA "  wrong $ebp 9000000 + ^ 1 * : Far.\n", "$ebp 8000000 + ^ 1 *", CHECK_WRONG, "" },
	{ "  check rule frame 0 rule .ra without .cfa\n", ".cfa 4 - ^", CHECK_NO_ANSWER, "write it without .cfa" },
	{ "  check rule frame 0 rule .ra without .cfa\n", "$ebp 4 + ^", CHECK_RIGHT, "" },

#define PLACE "  check place frame 0 rule .cfa\n  wrong app.sym:17 : That is main's.\n"
	{ PLACE, "app.sym:16", CHECK_RIGHT, "" }, { PLACE, "app.sym:16:24", CHECK_RIGHT, "" },
	{ PLACE, "app.sym:17", CHECK_WRONG, "That is main's." }, { PLACE, "other.sym:16", CHECK_WRONG, "" },
	{ "  check place frame 0 read 1\n", "12f00c", CHECK_RIGHT, "" }, { "  check place frame 0 read 1\n", "ebp + 4", CHECK_RIGHT, "" },
	{ "  check place frame 0 read 1\n", "12f008", CHECK_WRONG, "" },
	{ "  check place frame 0 set eip address\n", "12f00c", CHECK_RIGHT, "" },
	{ "  check place $ebp + 4\n", "12f00c", CHECK_RIGHT, "" }, { "  check place $ebp + 4\n", "12f00d", CHECK_WRONG, "" },
	{ "  check place $ebp + 16\n", "12f00a + 20", CHECK_RIGHT, "" },

#define SET "  check set seal ebx 2 esi\n  wrong ebx : More.\n"
	{ SET, "esi 2 $ebx", CHECK_RIGHT, "" }, { SET, "ebx, esi, 2 esi", CHECK_RIGHT, "" },
	{ SET, "ebx esi", CHECK_WRONG, "" }, { SET, "ebx", CHECK_WRONG, "More." },
	{ "  check set seal 12f00c\n", "$ebp+4", CHECK_RIGHT, "" },

#define METHOD "  check choice method frame 0\n  wrong stack-scan : No.\n"
	{ METHOD, "STACK CFI", CHECK_RIGHT, "" }, { METHOD, "stack_cfi", CHECK_RIGHT, "" }, { METHOD, "stack-scan", CHECK_WRONG, "No." },
	{ METHOD, "magic", CHECK_NO_ANSWER, "answer with one of the words" },
#define WORD "  check choice seal up\n  option up : u\n  option down : d\n"
	{ WORD, "up", CHECK_RIGHT, "" }, { WORD, "down", CHECK_WRONG, "" },
	{ WORD, "aside", CHECK_NO_ANSWER, "answer with one of the words" },

	{ "  check walk seal\n", "force stack-scan", CHECK_BROKEN, "the lesson is not sealed" },
	{ "  check walk seal\n", "dance", CHECK_NO_ANSWER, "'dance' is no command that edits; try 'set-rule .cfa: $rsp 8 +'" },
};

TEST_EACH(answers, cases)
{
	char sentence[200];
	const enum check_result result = ask(cases[i].lines, cases[i].answer, sentence);

	if (!ok(result == cases[i].result && strcmp(sentence, cases[i].sentence) == 0,
		"%.*s: '%s'", (int)strcspn(cases[i].lines + 2, "\n"), cases[i].lines + 2, cases[i].answer))
		tap_diag("%d '%s'", (int)result, sentence);
}

/* A check with the digest of the walk that an answer gives. */
static const char *
sealed_check(const char *answer, const char *more, struct arena *arena)
{
	const struct lesson_card card = { .task = { "a", { 0 } } };
	struct check_try try = { .lesson = &lesson, .card = &card, .scene = &crash, .answer = text_of(answer), .arena = arena };
	struct error error = { 0 };

	const char *frames = check_walk_answer(&try, &error);
	if (frames == NULL) {
		printf("# %s\n", error.text);
		return "";
	}
	return arena_format(arena, "  check walk sealed %016llx%s\n  wrong same : As it was.\n"
			    "  wrong edits : Too many.\n", (unsigned long long)check_digest(&card, frames), more);
}

/* By hand: 8 bytes lower is 401130, which is in main, too. */
TEST(walk)
{
	static const char line[] = "STACK CFI INIT 1000 40 .cfa: $ebp 8 + .ra: .cfa 12 - ^ $ebp: $ebp ^";
	struct arena arena = { 0 };
	char sentence[200], record[200];

	const char *check = sealed_check("set-rule .ra: .cfa 12 - ^", " edits 1", &arena);
	ok(ask(check, "set-rule .ra: .cfa 12 - ^", sentence) == CHECK_RIGHT, "edits that give the true walk are right");
	ok(ask(check, ":set-rule .ra: $ebp 4 - ^", sentence) == CHECK_RIGHT, "other edits that give the true walk are right");
	ok(ask(check, "set-rule .ra: 4198929", sentence) == CHECK_WRONG, "edits that give another walk are wrong");
	ok(ask(check, "frame 0", sentence) == CHECK_WRONG && strcmp(sentence, "As it was.") == 0,
	   "an answer without an edit has its own sentence");
	ok(ask(check, "set-rule .ra: .cfa 12 - ^; set-register ebx 0", sentence) == CHECK_WRONG &&
		strcmp(sentence, "Too many.") == 0, "an answer with an edit too many has its own sentence");
	snprintf(record, sizeof(record), "set-record app.sym:16 %s", line);
	ok(ask(check, record, sentence) == CHECK_RIGHT, "a record may be edited as a line");
	ok(ask(check, "set-record app.sym:99 x", sentence) == CHECK_NO_ANSWER &&
		   strncmp(sentence, "'app.sym:99 x' names no line of a", 33) == 0, "the edited line must exist");
	ok(ask(check, "set-record app.sym:16 x", sentence) == CHECK_NO_ANSWER &&
		   strcmp(sentence, "a line record is written 'address size line file'; other "
				    "records begin with FUNC, PUBLIC, FILE, INLINE or STACK") == 0,
	   "a line that is no record is refused");
	ok(ask(check, "frame 7; force scan", sentence) == CHECK_NO_ANSWER, "a frame must be there, too");

	const char *named = sealed_check("set-record app.sym:5 INLINE_ORIGIN 1 centre", "", &arena);
	ok(ask(named, "set-record app.sym:5 INLINE_ORIGIN 1 centre", sentence) == CHECK_RIGHT,
	   "records that no overlay changes are walked with");
	ok(ask(named, "set-record app.sym:5 INLINE_ORIGIN 1 middle", sentence) == CHECK_WRONG, "the names of calls count");

	const char *clean = sealed_check("frame 0", " lint malformed-record gone", &arena);
	ok(ask(clean, "frame 0", sentence) == CHECK_WRONG, "a finding of lint must be gone");
	ok(ask(clean, "set-record app.sym:14 PUBLIC 1300 0 good", sentence) == CHECK_RIGHT,
	   "the finding is gone after its record is edited");
	arena_free(&arena);
}

TEST(commands)
{
	static const char *const answers[] = {
		("frame 0; set-record app.sym:16 STACK CFI INIT 1000 40 .cfa: $ebp 12 + .ra: .cfa 4 - ^ "
		 "$ebp: $ebp ^"), "frame 0; add-record app.sym:16 STACK CFI 1004 .cfa: $ebp 12 +",
		"frame 0; drop-record app.sym:16", "frame 0; set-register ebx 1f",
		"frame 0; set-register ebx ?", "frame 1; force stack-scan", "frame 0; forbid stack-cfi; frame 0; policy frame-tables 0",
		"frame 0; candidate 12f00c",
	};

	for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
		const struct overlay *overlay = NULL;
		struct walk *walk = NULL;
		struct error error = { 0 };
		struct arena arena = { 0 };

		check_walk_edited(&crash, text_of(answers[i]), &arena, &walk, &overlay, &error);
		is_str(check_walk_commands(overlay, crash.walk, &arena), answers[i], "edits are written as the commands that make them");
		walk_free(walk);
		arena_free(&arena);
	}
}

int
main(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	scene_open(&scene);
	if (!surroundings_init(&around, &scene.crash, scene.symbols, NULL, &policy, scene.walks) ||
	    !lesson_scene_open(&crash, &around, &policy, 1))
		exit(1);
	run_tests();
	lesson_scene_close(&crash);
	surroundings_free(&around);
	scene_close(&scene);
	return done_testing();
}
