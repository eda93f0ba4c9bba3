/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "rules/code_answer.h"
#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

/* Rules that no text file has: rows of frame tables and of SFrame, and rules from a function's own
 * code. Each rule has the place of the bytes from which it was made. */

static struct arena arena;
static const struct input input = { "section" };

static struct place
place_at(uint64_t offset)
{
	return (struct place){ .input = &input, .offset = offset, .length = 4 };
}

/* "NAME=EXPRESSION@OFFSET" of each rule, with the offset of its record. */
static const char *
shown(const struct rule_set *set)
{
	static char text[512];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; set != NULL && i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s=%.*s",
					 i > 0 ? "; " : "", (int)rule->name.length,
					 rule->name.start, (int)rule->program->text.length, rule->program->text.start);
		if (rule->record.input != NULL)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "@%u", (unsigned)rule->record.offset);
	}
	return text;
}

enum { RBX = 3, RBP = 6 };

#define AT(from, distance) { .kind = CLAIM_RULE, .base = from, .offset = distance }
#define WORD(distance) { .kind = CLAIM_RULE, .base = LINEAR_CFA, .offset = distance, .dereference = true }
#define MORE { .kind = CLAIM_EXPRESSION }

static const struct {
	const char *title;
	struct claim cfa, return_address, rbx, rbp;
	const char *rbx_text;		/* postfix of its expression; NULL: it has none */
	const char *shown, *problem, *note;
} frame_rows[] = {
	{ "the CFA and the return address have rules", AT(7, 8), WORD(-8), { 0 }, { 0 }, NULL,
	  ".cfa=$rsp 8 +@64; .ra=.cfa -8 + ^@64", NULL, NULL },
	{ "other registers have rules", AT(RBP, 16), WORD(-8),
	  MORE, WORD(-16), "$rbx 8 /", ".cfa=$rbp 16 +@64; .ra=.cfa -8 + ^@64; $rbx=$rbx 8 /@64; $rbp=.cfa -16 + ^@64", NULL, NULL },
	{ "an expression without postfix is undefined and noted", AT(7, 8), WORD(-8), MORE,
	  AT(3, 0), NULL, ".cfa=$rsp 8 +@64; .ra=.cfa -8 + ^@64; $rbx=.undef@64; $rbp=$rbx@64",
	  NULL, "cannot follow the expression for $rbx: no operator" },
	{ "a register without a sum or an expression has no rule", AT(7, 8),
	  WORD(-8), { .kind = CLAIM_SAME }, { .kind = CLAIM_UNDEFINED }, NULL, ".cfa=$rsp 8 +@64; .ra=.cfa -8 + ^@64", NULL, NULL },
	{ "rules without a CFA are useless", MORE, WORD(-8), { 0 }, { 0 }, NULL,
	  ".ra=.cfa -8 + ^@64", "cannot follow the expression for .cfa: too long", NULL },
	{ "rules without a return address are useless", AT(7, 8), MORE, { 0 }, { 0 }, NULL,
	  ".cfa=$rsp 8 +@64", "cannot follow the expression for .ra: too long", NULL },
	{ "rules of the outermost function need no return address", AT(7, 8),
	  { .kind = CLAIM_UNDEFINED }, { 0 }, { 0 }, NULL, ".cfa=$rsp 8 +@64", NULL, NULL },
};

TEST_EACH(frame_rows, frame_rows)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	const struct unwind_expression expressions[CLAIM_COLUMNS] = {
		[CLAIM_CFA] = { NULL, "too long" },
		[CLAIM_RETURN_ADDRESS] = { NULL, "too long" },
		[CLAIM_REGISTER + RBX] = { frame_rows[i].rbx_text, "no operator" },
	};
	const struct unwind_row row = { .first = 0x1000, .last = 0x100f, .place = place_at(64), .claims = { [CLAIM_CFA] = frame_rows[i].cfa,
						    [CLAIM_RETURN_ADDRESS] = frame_rows[i].return_address,
						    [CLAIM_REGISTER + RBX] = frame_rows[i].rbx,
						    [CLAIM_REGISTER + RBP] = frame_rows[i].rbp }, .expressions = expressions };
	const struct rule_set *set = rule_set_row(&arena, arch, &row);

	is_str(shown(set), frame_rows[i].shown, "%s", frame_rows[i].title);
	is_str(set->problem, frame_rows[i].problem, "the problem of useless rules is reported: %s", frame_rows[i].title);
	is_str(set->note, frame_rows[i].note, "the note on the rules is right: %s", frame_rows[i].title);
	ok(set->address == 0x1000 && set->size == 0x10 && set->record.offset == 64 && set->note_place.offset == 64,
	   "the rules have their range and their entry: %s", frame_rows[i].title);
}

#define SUM(from, distance) { .kind = SFRAME_OFFSET, .base = from, .offset = distance }
#define SLOT(how, distance) { .kind = how, .base = SFRAME_CFA, .offset = distance, .dereference = true }
#define UNSAVED { .kind = SFRAME_UNSAVED }

/* Register numbers of "The SFrame format", which are those of DWARF. */
static const struct {
	const char *title;
	enum sframe_abi abi;
	struct sframe_rule cfa, ra, fp;
	const char *shown, *problem;
} sframe_rows_of[] = {
	{ "amd64: the CFA is from rsp, the return address from the header",
	  SFRAME_AMD64, SUM(7, 16), SLOT(SFRAME_FIXED, -8), UNSAVED, ".cfa=$rsp 16 +@10; .ra=.cfa -8 + ^@20; $rsp=.cfa@10", NULL },
	{ "amd64: a saved frame pointer has a rule", SFRAME_AMD64, SUM(6, 16), SLOT(SFRAME_FIXED, -8),
	  SLOT(SFRAME_OFFSET, -16), ".cfa=$rbp 16 +@10; .ra=.cfa -8 + ^@20; $rsp=.cfa@10; $rbp=.cfa -16 + ^@30", NULL },
	{ "amd64 has no register for a return address", SFRAME_AMD64, SUM(7, 16), UNSAVED, UNSAVED,
	  ".cfa=$rsp 16 +@10; $rsp=.cfa@10", "the row has no rule for the return address" },
	{ "arm64: a leaf has the return address in lr", SFRAME_AARCH64, SUM(31, 0), UNSAVED,
	  { .kind = SFRAME_PADDING }, ".cfa=sp 0 +@10; .ra=x30@40; sp=.cfa@10", NULL },
	{ "arm64: a frame record has rules for lr and fp", SFRAME_AARCH64, SUM(29, 32), SLOT(SFRAME_OFFSET, -24),
	  SLOT(SFRAME_OFFSET, -32), ".cfa=x29 32 +@10; .ra=.cfa -24 + ^@20; sp=.cfa@10; x29=.cfa -32 + ^@30", NULL },
	{ "s390x: the stack pointer is 160 below the CFA, and the return address in r1",
	  SFRAME_S390X, SUM(15, 160), { .kind = SFRAME_IN_REGISTER, .base = 1 },
	  SLOT(SFRAME_OFFSET, -72), ".cfa=r15 160 +@10; .ra=r1@20; r15=.cfa -160 +@10; r11=.cfa -72 + ^@30", NULL },
	{ "a return address that is a sum has a rule", SFRAME_AMD64, SUM(7, 8), SUM(3, 24),
	  UNSAVED, ".cfa=$rsp 8 +@10; .ra=$rbx 24 +@20; $rsp=.cfa@10", NULL },
	{ "a register that does not exist is reported", SFRAME_AMD64, SUM(99, 8), SLOT(SFRAME_FIXED, -8),
	  UNSAVED, ".cfa= 8 +@10; .ra=.cfa -8 + ^@20; $rsp=.cfa@10", "a rule names a register that the architecture does not have" },
};

TEST_EACH(sframe_rows, sframe_rows_of)
{
	const struct sframe_table table = { .abi = sframe_rows_of[i].abi };
	const struct sframe_function function = { .table = &table };
	struct sframe_row row = { .cfa = sframe_rows_of[i].cfa, .ra = sframe_rows_of[i].ra,
				  .fp = sframe_rows_of[i].fp, .place = place_at(40) };

	row.cfa.place = place_at(10);
	row.ra.place = place_at(20);
	row.fp.place = place_at(30);
	const struct rule_set *set = rule_set_sframe(&arena, sframe_arch(table.abi), &function, &row);
	is_str(shown(set), sframe_rows_of[i].shown, "%s", sframe_rows_of[i].title);
	is_str(set->problem, sframe_rows_of[i].problem, "the problem of the row is reported: %s", sframe_rows_of[i].title);
	is_u64(set->record.offset, 40, "the record is the row");
}

#ifdef HAVE_CAPSTONE
/* push rbx; sub $0x20,rsp; xor %ebx,%ebx; add $0x20,rsp; pop rbx; ret */
static const uint8_t code[] = { 0x53, 0x48, 0x83, 0xec, 0x20, 0x31, 0xdb,
				0x48, 0x83, 0xc4, 0x20, 0x5b, 0xc3 };

enum { CODE = IMAGE_BASE + IMAGE_CODE };

/* A rule and the bytes of the instruction that made it: "OFFSET+LENGTH". The saved rbx is still on
 * the stack before the return, as in the rows that compilers write. */
static const struct {
	uint64_t at;			/* offset from the function's start */
	const char *cfa, *cfa_maker, *rbx, *rbx_maker;	/* NULL: there is no rule */
} answers[] = {
	{ 0, "$rsp 8 +", "", NULL, NULL }, { 1, "$rsp 16 +", "0+1", ".cfa -16 + ^", "0+1" },
	{ 5, "$rsp 48 +", "1+4", ".cfa -16 + ^", "0+1" }, { 7, "$rsp 48 +", "1+4", ".cfa -16 + ^", "0+1" },
	{ 11, "$rsp 16 +", "7+4", ".cfa -16 + ^", "0+1" }, { 12, "$rsp 8 +", "11+1", ".cfa -16 + ^", "0+1" },
};

static const struct rule *
rule_for(const struct rule_set *set, const char *name)
{
	for (size_t i = 0; set != NULL && i < set->count; i++)
		if (text_equal(set->rules[i].name, text_of(name)))
			return &set->rules[i];
	return NULL;
}

static void
rule_is(const struct rule_set *set, const char *name, const char *expression, const char *maker,
	const struct input *from, uint64_t offset)
{
	const struct rule *rule = rule_for(set, name);
	char got[64] = "";

	if (!ok((rule != NULL) == (expression != NULL), "%s has a rule or none as expected", name) || rule == NULL)
		return;
	const struct text text = rule->program->text;
	ok(text_equal(text, text_of(expression)), "%s is %.*s", name, (int)text.length, text.start);
	if (rule->record.input == from)
		snprintf(got, sizeof(got), "%d+%u", (int)(rule->record.offset - offset), rule->record.length);
	is_str(got, maker, "the rule of %s has its instruction", name);
}

/* A rule from code has the place of its instructions, in the file or in the dump. */
TEST(code)
{
	static struct image image;
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct crash crash;

	image_elf(&image, true, false, 62, NULL, 0, false);
	memcpy(image.bytes + IMAGE_CODE, code, sizeof(code));
	if (!ok(binary_from_memory(&binary, "program", image.bytes, image.size, &error) == ERROR_NONE &&
			binary_as_crash(binary, "program", &crash), "a program is read"))
		return;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	const struct memory_region region = { .base = CODE, .offset = 0x700, .size = sizeof(code),
					      .available = sizeof(code), .data = code };
	const struct memory_run run = { .base = CODE, .size = sizeof(code), .data = code, .region = &region };
	const struct memory_view view = { .crash = &crash, .runs = &run, .count = 1 };
	binaries_give(binaries, 0, binary);
	for (unsigned dumped = 0; dumped < 2; dumped++)
		for (size_t i = 0; i < ARRAY_COUNT(answers); i++) {
			const struct code_source source = {
				.crash = &crash, .binaries = dumped ? NULL : binaries,
				.view = dumped ? &view : NULL };
			const struct flow_question question = {
				.address = IMAGE_CODE + answers[i].at, .exact = true,
				.start = IMAGE_CODE, .size = sizeof(code) };
			const struct code_answer answer = code_answer(&source, &question, &arena);
			const struct input *from = dumped ? &crash.file.input : &binary->file.input;

			if (!ok(answer.row != NULL, "the code gives an answer before its byte %u", (unsigned)answers[i].at))
				continue;
			rule_is(answer.set, ".cfa", answers[i].cfa, answers[i].cfa_maker, from, dumped ? 0x700 : IMAGE_CODE);
			rule_is(answer.set, ".ra", ".cfa -8 + ^", "", from, 0);
			rule_is(answer.set, "$rbx", answers[i].rbx, answers[i].rbx_maker, from, dumped ? 0x700 : IMAGE_CODE);
		}
	const struct code_source nothing = { .crash = &crash };
	const struct flow_question question = { .address = IMAGE_CODE, .exact = true, .start = IMAGE_CODE, .size = sizeof(code) };
	const struct code_answer answer = code_answer(&nothing, &question, &arena);
	ok(answer.row == NULL && answer.set == NULL && answer.problem != NULL, "code without bytes gives no answer but a reason");
	/* No module has a file: the code is only in the dump. */
	const struct crash copy = crash;
	struct binaries *without = binaries_create(&crash, NULL, 0);

	for (unsigned lacks = 0; lacks < 2; lacks++) {
		const struct code_source copied = { .crash = &copy, .binaries = without, .view = lacks ? NULL : &view };
		ok((code_answer(&copied, &question, &arena).row == NULL) == lacks,
		   "a copy of the crash %s", lacks ? "without bytes has no row" : "has a row");
	}
	binaries_free(without);
	binaries_free(binaries);
	crash_free(&crash);
}
#endif

int
main(void)
{
	run_tests();
#ifndef HAVE_CAPSTONE
	skip(1, "capstone was left out");
#endif
	arena_free(&arena);
	return done_testing();
}
