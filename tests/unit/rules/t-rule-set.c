/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "base/policy_rows.h"
#include "rules/rule_set.h"
#include "tests/lib/tap.h"

/* STACK CFI rules: the grammar, the effect of deltas, the rest of a broken record, and the place of
 * each rule. Grammar: Breakpad's cfi_frame_info.cc; marked cases were seen in its walks. */

struct case_of {
	struct symfile *symfile;
	struct arena arena;
	const struct rule_set *set;
	char shown[512];
};

/* "name=expression name=expression", or why there is no set. */
static void
show(struct case_of *one)
{
	size_t length = 0;

	one->shown[0] = '\0';
	if (one->set == NULL) {
		snprintf(one->shown, sizeof(one->shown), "none");
		return;
	}
	for (size_t i = 0; i < one->set->count; i++) {
		const struct rule *rule = &one->set->rules[i];
		length += (size_t)snprintf(one->shown + length, sizeof(one->shown) - length,
					   "%s%.*s=%.*s", i > 0 ? " " : "", (int)rule->name.length,
					   rule->name.start, (int)rule->program->text.length, rule->program->text.start);
	}
}

static void
open_case(struct case_of *one, const char *text, uint64_t address, const struct policy *policy)
{
	struct error error = { 0 };

	arena_init(&one->arena, 0);
	if (symfile_from_memory(&one->symfile, "test.sym", text, strlen(text), &error) != ERROR_NONE) {
		tap_diag("cannot open: %s", error.text);
		exit(1);
	}
	const struct rule_records records = { arch_by_id(ARCH_AMD64), policy, one->symfile, NULL };
	one->set = rule_set_stack_cfi(&one->arena, &records, address);
	show(one);
}

static void
close_case(struct case_of *one)
{
	arena_free(&one->arena);
	symfile_close(one->symfile);
}

#define I "STACK CFI INIT 100 10 "
#define D "STACK CFI "

static const struct {
	const char *title, *text;
	uint64_t address;
	const char *want;
	const char *problem;
} cases[] = {
	{ "rules are names and expressions", I ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n", 0x100, ".cfa=$rsp 8 + .ra=.cfa -8 + ^", NULL },
	{ "no INIT record means no rules", D "100 .cfa: $rsp 8 + .ra: 1\n", 0x100, "none", NULL },
	{ "an address after the record has no rules", I ".cfa: 1 .ra: 2\n", 0x110, "none", NULL },
	{ "blanks between tokens do not matter at the ends",
	  I "  .cfa:   $rsp   8  +   .ra:  ^  \n", 0x100, ".cfa=$rsp   8  + .ra=^", NULL },
	{ "a tab separates tokens inside rules", I ".cfa:\t$rsp\t8\t+\t.ra:\t1\n", 0x100, ".cfa=$rsp\t8\t+ .ra=1", NULL },
	{ "'::' names the register ':'", I ".cfa: 1 .ra: 2 :: 3\n", 0x100, ".cfa=1 .ra=2 :=3", NULL },
	{ "the second of two rules for a register in a record is used",
	  I ".cfa: 1 .ra: 2 $rbx: 3 $rbx: 4\n", 0x100, ".cfa=1 .ra=2 $rbx=4", NULL },
	{ "a delta replaces what it names", I ".cfa: 1 .ra: 2 $rbx: 3\n" D "104 .cfa: 5 $rbp: 6\n",
	  0x104, ".cfa=5 .ra=2 $rbx=3 $rbp=6", NULL },
	{ "a delta applies from its own address on", I ".cfa: 1 .ra: 2\n" D "104 .cfa: 5\n", 0x103, ".cfa=1 .ra=2", NULL },
	{ "deltas apply in order of address", I ".cfa: 1 .ra: 2\n" D "108 .cfa: 8\n" D "104 .cfa: 4\n", 0x10f, ".cfa=8 .ra=2", NULL },
	{ "a delta may come before its INIT record", D "100 .cfa: $rsp 8 +\n" I ".cfa: 1 .ra: 2\n", 0x100, ".cfa=$rsp 8 + .ra=2", NULL },
	{ "a delta with nothing after its last name applies up to there",
	  I ".cfa: 1 .ra: 2\n" D "100 .cfa: 7 $rbx:\n", 0x100, ".cfa=7 .ra=2", NULL },
	{ "a delta that begins with no name changes nothing", I ".cfa: 1 .ra: 2\n" D "100 7 .cfa: 8\n", 0x100, ".cfa=1 .ra=2", NULL },
	{ "a delta with an empty name applies up to there",
	  I ".cfa: 1 .ra: 2\n" D "100 .cfa: 7 : 9 $rbx: 8\n", 0x100, ".cfa=1 .ra=2", NULL },
	{ "deltas after a broken one still apply", I ".cfa: 1 .ra: 2\n"
	  D "100 .cfa: 7 $rbx:\n" D "101 .ra: 9\n", 0x101, ".cfa=7 .ra=9", NULL },
	{ "an INIT record without .ra needs one from a delta", I ".cfa: 1\n" D "104 .ra: 2\n", 0x104, ".cfa=1 .ra=2", NULL },
	{ "an INIT record without .ra is unusable before that delta", I
	  ".cfa: 1\n" D "104 .ra: 2\n", 0x103, ".cfa=1", "no record in force has a rule for .ra" },
	{ "an INIT record without .cfa is unusable", I ".ra: 1\n", 0x100, ".ra=1", "no record in force has a rule for .cfa" },
	{ "an INIT record with text before the first name is unusable", I "8 .cfa: 1 .ra: 2\n",
	  0x100, "", "the rules of the STACK CFI INIT record are malformed" },
	{ "an INIT record with a name without an expression is unusable", I ".cfa: 1 .ra:\n", 0x100,
	  ".cfa=1", "the rules of the STACK CFI INIT record are malformed" },
	{ "an INIT record with two names in a row is unusable", I ".cfa: .ra: 2\n", 0x100, "",
	  "the rules of the STACK CFI INIT record are malformed" },
	{ "an INIT record with an empty name is unusable", I ".cfa: 1 .ra: 2 : 3\n", 0x100, NULL,
	  "the rules of the STACK CFI INIT record are malformed" },
};

TEST_EACH(cases, cases)
{
	const struct policy policy = policy_column(POLICY_BREAKPAD);
	struct case_of one, again;
	struct hash texts = { 0 };

	open_case(&one, cases[i].text, cases[i].address, &policy);
	again = one;
	for (unsigned times = 0; times < 2; times++)
		again.set = rule_set_stack_cfi(&one.arena, &(struct rule_records){ arch_by_id(ARCH_AMD64), &policy, one.symfile, &texts },
					   cases[i].address);
	show(&again);
	is_str(again.shown, one.shown, "%s: also if texts are read once", cases[i].title);
	hash_free(&texts);
	if (cases[i].want != NULL)
		is_str(one.shown, cases[i].want, "%s", cases[i].title);
	is_str(one.set != NULL ? one.set->problem : NULL, cases[i].problem, "%s: the set has the expected problem or none", cases[i].title);
	close_case(&one);
}

TEST(places)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct case_of one;

	open_case(&one, "MODULE Linux x86_64 0 a\nSTACK CFI INIT 2170 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
		  "STACK CFI 2171 $rbx: .cfa -16 + ^ .cfa: $rsp 16 +\n", 0x2172, &policy);
	const struct rule_set *set = one.set;
	is_u64(set->count, 3, "three rules are in force");
	const struct rule *cfa = &set->rules[set->cfa], *ra = &set->rules[set->return_address];
	is_u64(cfa->program->place.line, 3, "a rule that a delta changed is on the delta's line");
	is_u64(cfa->program->place.column, 41, "a rule that a delta changed has its column");
	ok(cfa->delta, "a rule that a delta changed is marked");
	is_u64(ra->program->place.line, 2, "an unchanged rule is on the INIT record's line");
	is_u64(ra->program->place.column, 43, "an unchanged rule has its column");
	ok(!ra->delta, "an unchanged rule is not marked as a delta's");
	is_u64(ra->record.column, 1, "a record begins in the first column");
	is_u64(program_token_place(ra->program, 1).column, 48, "a token has its column");
	is_u64(set->record.line, 2, "the set's record is the INIT record");
	ok(set->address == 0x2170 && set->size == 8 && set->delta_count == 1, "the set has its range and the number of its deltas");
	ok(set->rules[2].reg == 3, "$rbx is register 3 of amd64");
	ok(set->note == NULL, "a sound set has no note");
	close_case(&one);
}

TEST(partial_delta)
{
	const char *text = "STACK CFI INIT 10 8 .cfa: 1 .ra: 2\nSTACK CFI 10 .cfa: 7 $rbx:\n";
	struct policy policy = policy_column(POLICY_BREAKPAD);
	struct case_of one;

	open_case(&one, text, 0x10, &policy);
	ok(one.set->problem == NULL && one.set->note != NULL, "a broken delta is noted, the set can be used");
	is_u64(one.set->note_place.line, 2, "the note names the line");
	ok(one.set->note_place.column >= 20, "the note has a column after the good part: %" PRIu32, one.set->note_place.column);
	close_case(&one);

	policy.value[POLICY_DELTA_KEEPS_GOOD] = 0;
	open_case(&one, text, 0x10, &policy);
	is_str(one.set->problem, "the rules of a STACK CFI record are malformed",
	       "a broken delta makes the set unusable with delta-keeps-good off");
	close_case(&one);
}

TEST(targets)
{
	struct policy policy = policy_column(POLICY_BREAKPAD);
	struct case_of one;

	for (unsigned aliases = 0; aliases < 2; aliases++) {
		policy.value[POLICY_REGISTER_ALIASES] = aliases;
		open_case(&one, "STACK CFI INIT 0 8 .cfa: 1 .ra: 2 rbx: 3 $r11: 4 $ghost: 5\n", 0, &policy);
		is_u64(one.set->rules[2].target, aliases ? RULE_REGISTER : RULE_IGNORED,
		       "a register without its $ is %s", aliases ? "a register with aliases" : "no register");
		is_u64(one.set->rules[3].target, RULE_REGISTER, "a register with its $ is always a register");
		is_u64(one.set->rules[4].target, RULE_IGNORED, "a name of no register is never a register");
		close_case(&one);
	}
}

/* The spelling of registers, by the policy. */
TEST(names)
{
	for (unsigned row = 0; row < 4; row++) {
		struct policy policy = policy_column(POLICY_BREAKPAD);
		policy.value[POLICY_REGISTER_ALIASES] = row & 1;
		policy.value[POLICY_MIPS_T0] = row >> 1;
		policy.value[POLICY_WIN_NUMBERS] = row & 1;
		is_u64(rule_set_names(&policy), row == 0   ? ARCH_NAMES_EXACT : row == 2 ? ARCH_NAMES_MENDED : ARCH_NAMES_ALIASES,
		       "names in STACK CFI records are read with%s aliases and with%s repaired $t0",
		       row & 1 ? "" : "out", row > 1 ? "" : "out");
		is_u64(stack_win_names(&policy), row & 1 ? ARCH_NAMES_NUMBERED : ARCH_NAMES_EXACT,
		       "names in STACK WIN records are read with%s numbers", row & 1 ? "" : "out");
	}
}

TEST(text)
{
	struct arena arena = { 0 };

	const struct rule_set *set = rule_set_text(&arena, arch_by_id(ARCH_X86),
			      text_of("$eip: $ebp 4 + ^ $esp: $ebp 8 + $ebp: $ebp ^"), (struct place){ 0 });
	is_u64(set->count, 3, "a method's table is a rule set");
	ok(set->cfa < 0 && set->return_address < 0, "a method's table needs no .cfa and no .ra");
	ok(set->rules[2].reg == 2, "$ebp is register 2 of x86");
	arena_free(&arena);
}

TEST(evaluate)
{
	const struct environment environment = { .arch = arch_by_id(ARCH_AMD64), .memory = &(struct memory_view){ .runs = NULL } };
	const struct variable cfa = { .value = 0x5000, .known = true, .from = 9 };
	const struct variable none = { .from = TRACE_NONE };
	struct registers registers = { 0 };
	uint32_t events[ARCH_REGISTERS] = { 0 };
	struct outcome outcome;
	struct arena arena = { 0 };

	registers_set(&registers, 7, 0x4000);
	registers.value[3] = 77;
	registers.stale = UINT64_C(1) << 3;
	events[7] = 5;
	const struct rule_set *set = rule_set_text(&arena, environment.arch, text_of("$rip: $rsp 8 + $rsp: .cfa $rbx: $rbx"),
						   (struct place){ 0 });
	ok(rule_evaluate(&set->rules[0], &environment, &registers, events, &none, &outcome) &&
	   outcome.value == 0x4008, "a rule sees the callee's registers");
	ok(rule_evaluate(&set->rules[1], &environment, &registers, events, &cfa, &outcome) && outcome.value == 0x5000, "a rule sees .cfa");
	is_u64(outcome.from, 9, "a value that is only passed on keeps its origin");
	ok(!rule_evaluate(&set->rules[1], &environment, &registers, events, &none, &outcome), "a rule with .cfa fails if .cfa is unknown");
	ok(!rule_evaluate(&set->rules[2], &environment, &registers, events, &cfa, &outcome),
	   "a rule fails if its register has a stale value");
	arena_free(&arena);
}

/* A record may have a million deltas, and a walk may ask for it at a thousand addresses. */
TEST(many_deltas)
{
	enum { DELTAS = 4000 };
	static char text[DELTAS * 64 + 64];
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct case_of one;
	size_t length = (size_t)snprintf(text, sizeof(text), "STACK CFI INIT 100 10000 .cfa: 1 .ra: 2\n");

	for (unsigned i = 1; i <= DELTAS; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, D "%x .cfa: $rsp %u + $rbx: $rbx\n", 0x100 + i, i);
	open_case(&one, text, 0x100 + DELTAS, &policy);
	is_u64(one.set->delta_count, DELTAS, "all deltas are in force");
	is_str(one.shown, ".cfa=$rsp 4000 + .ra=2 $rbx=$rbx", "the last delta sets the rules");
	ok(one.arena.used < 4096, "replaced rules need no memory");
	close_case(&one);
}

/* What-ifs: a replaced or added rule is marked; a removed one is missing. */
TEST(changes)
{
	static const struct {
		const char *changes[4], *shown, *edited, *problem;
	} changed[] = {
		{ { ".cfa", "$rsp 24 +" }, ".ra=.cfa 8 - ^ $rbx=.cfa 16 - ^ .cfa=$rsp 24 +", "001", NULL },
		{ { "$rbx", "", "$rbp", "$rbp" }, ".cfa=$rsp 8 + .ra=.cfa 8 - ^ $rbp=$rbp", "001", NULL },
		{ { ".cfa", "" }, ".ra=.cfa 8 - ^ $rbx=.cfa 16 - ^", "00", "no rule for .cfa is left" },
		{ { ".ra", "", "$r12", "" }, ".cfa=$rsp 8 + $rbx=.cfa 16 - ^", "00", "no rule for .ra is left" },
	};
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct case_of one;

	for (size_t i = 0; i < ARRAY_COUNT(changed); i++) {
		struct rule_part parts[2] = { { .name = { NULL, 0 } } };
		char edited[8] = "";
		size_t count = 0;

		open_case(&one, "STACK CFI INIT 100 10 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rbx: .cfa 16 - ^\n", 0x100, &policy);
		for (; count < 2 && changed[i].changes[2 * count] != NULL; count++)
			parts[count] = (struct rule_part){
				.name = text_of(changed[i].changes[2 * count]),
				.expression = text_of(changed[i].changes[2 * count + 1]) };
		one.set = rule_set_changed(&one.arena, arch_by_id(ARCH_AMD64), one.set, parts, count);
		show(&one);
		for (size_t rule = 0; rule < one.set->count && rule < 7; rule++)
			edited[rule] = one.set->rules[rule].edited ? '1' : '0';
		is_str(one.shown, changed[i].shown, "changes give the rules '%s'", changed[i].shown);
		is_str(edited, changed[i].edited, "the changed rules of '%s' are marked", changed[i].shown);
		is_str(one.set->problem, changed[i].problem, "the rules '%s' have the expected problem or none", changed[i].shown);
		close_case(&one);
	}
}

/* "104#3 .cfa=1 .ra=2" with the record's line; "(column: why)" for a defect. */
static void
show_change(const struct rule_change *change, char *text, size_t size)
{
	struct case_of one = { .set = change->set };
	size_t used = strlen(text);

	show(&one);
	used += (size_t)snprintf(text + used, size - used, "%s%x#%u %s", used > 0 ? "; " : "",
				 (unsigned)change->address, change->record.line, one.shown);
	if (change->set->problem != NULL)
		used += (size_t)snprintf(text + used, size - used, " [%s]", change->set->problem);
	if (change->note != NULL)
		snprintf(text + used, size - used, " (%u: %s)", change->note_place.column, change->note);
}

/* The rule sets of an INIT record and its deltas in order. */
TEST(each)
{
#define FILE I ".cfa: 1 .ra: 2\n" D "104 .cfa: 3\n" D "108 .ra: 4\n"
	static const char malformed[] = "the rules of this record are malformed from here on";
	static const struct {
		const char *title, *text;
		uint64_t address, last;
		const char *told;
		bool strict;		/* a delta with a defect is not used */
	} rows[] = {
		{ "all rule sets of a record are reported", FILE, 0x100, 0x10f,
		  "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2; 108#3 .cfa=3 .ra=4", false },
		{ "all rule sets are reported for any address of the record", FILE, 0x109, 0x10f,
		  "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2; 108#3 .cfa=3 .ra=4", false },
		{ "rule sets are reported up to an address", FILE, 0x100, 0x107, "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2", false },
		{ "the rule set at the last address is reported", FILE, 0x100, 0x108,
		  "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2; 108#3 .cfa=3 .ra=4", false },
		{ "rule sets are reported up to an address after the record", FILE, 0x100, 0x5000,
		  "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2; 108#3 .cfa=3 .ra=4", false },
		{ "no set is reported without a record", FILE, 0x110, 0x11f, "", false },
		{ "a rule is missing until a delta adds it", I ".cfa: 1\n" D "104 .ra: 2\n",
		  0x100, 0x10f, "100#1 .cfa=1 [no record in force has a rule for .ra]; 104#2 .cfa=1 .ra=2", false },
		{ "the good part of a delta is reported", I ".cfa: 1 .ra: 2\n" D "104 .cfa: 3 $rbx:\n" D "108 .ra: 4\n",
		  0x100, 0x10f, "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2 (27: %s); 108#3 .cfa=3 .ra=4", false },
		{ "a malformed delta ends all sets under a strict policy", I ".cfa: 1 .ra: 2\n" D "104 .cfa: 3 $rbx:\n" D "108 .ra: 4\n",
		  0x100, 0x10f, "100#1 .cfa=1 .ra=2; 104#2 .cfa=3 .ra=2 [the rules of a STACK CFI record are malformed] (27: %s)", true },
		{ "a malformed INIT record ends all sets", I "1 .cfa: 3\n" D "108 .ra: 4\n",
		  0x100, 0x10f, "100#1  [the rules of the STACK CFI INIT record are malformed] (23: %s)", false },
	};
#undef FILE

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct policy policy = policy_column(POLICY_UNSPOOL);
		struct rule_change change = { .more = true };
		char want[512], told[512] = "";
		uint64_t next = 0;
		bool announced = true;
		struct case_of one;

		policy.value[POLICY_DELTA_KEEPS_GOOD] = !rows[i].strict;
		open_case(&one, rows[i].text, rows[i].address, &policy);
		const struct rule_records records = { arch_by_id(ARCH_AMD64), &policy, one.symfile, NULL };
		struct rule_rows *sets = rule_rows_open(&one.arena, &records, rows[i].address, rows[i].last);
		for (bool first = true; sets != NULL && rule_rows_next(sets, &change); first = false) {
			announced = announced && (first || change.address == next);
			next = change.next;
			show_change(&change, told, sizeof(told));
		}
		const char *hole = strstr(rows[i].told, "%s");
		snprintf(want, sizeof(want), "%.*s%s%s", hole != NULL ? (int)(hole - rows[i].told) : (int)strlen(rows[i].told),
			 rows[i].told, hole != NULL ? malformed : "", hole != NULL ? hole + 2 : "");
		is_str(told, want, "%s", rows[i].title);
		ok(announced && change.more == (sets == NULL), "each set announces the next one: %s", rows[i].title);
		close_case(&one);
	}
}

/* Rules given as parts: each has its record, and the place of its text or of the record. */
TEST(parts)
{
	static const struct input input = { "a" };
	const struct place record = { .input = &input, .offset = 10, .length = 4 };
	const struct place own = { .input = &input, .offset = 20, .length = 2 };
	const struct rule_part parts[] = {
		{ .name = text_of("$rbx"), .expression = text_of(".cfa 16 - ^ "), .record = record },
		{ .name = text_of(".ra"), .expression = text_of("1"), .record = record, .place = own },
		{ .name = text_of(".cfa"), .expression = text_of("$rsp"), .record = own },
	};
	const struct rule_part empty = { .name = text_of("$rbx"), .expression = text_of(" ") };
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	struct arena arena = { 0 };
	const struct rule_set *set = rule_set_parts(&arena, arch, parts, ARRAY_COUNT(parts));

	ok(set->count == 3 && set->cfa == 2 && set->return_address == 1, "a set of three parts has three rules, .cfa and .ra among them");
	ok(set->rules[0].record.offset == 10 && set->rules[0].program->place.offset == 10,
	   "a rule without a place of its own has that of its record");
	ok(set->rules[1].record.offset == 10 && set->rules[1].program->place.offset == 20, "a rule with a place of its own has that place");
	ok(set->rules[2].record.offset == 20 && set->rules[2].recorded && !set->rules[2].edited &&
	   !set->rules[2].delta, "a rule of a record is marked as recorded");
	ok(text_equal(set->rules[0].program->text, text_of(".cfa 16 - ^")), "blanks after an expression do not belong to it");
	ok(rule_set_parts(&arena, arch, &empty, 1) == NULL, "an empty expression is refused");
	ok(rule_set_parts(&arena, arch, parts, 0)->count == 0, "a set may have no rules");
	/* A set has a limited number of rules. */
	static char names[LIMIT_RULES + 1][8];
	struct rule_part many[LIMIT_RULES + 1];
	for (unsigned i = 0; i <= LIMIT_RULES; i++) {
		snprintf(names[i], sizeof(names[i]), "n%u", i);
		many[i] = (struct rule_part){ .name = text_of(names[i]), .expression = text_of("1") };
	}
	set = rule_set_parts(&arena, arch, many, LIMIT_RULES);
	ok(set != NULL && set->count == LIMIT_RULES, "a set takes as many rules as it may");
	ok(rule_set_parts(&arena, arch, many, LIMIT_RULES + 1) == NULL, "a set with one rule more than the limit is refused");
	/* Other rules stay unchanged. */
	const struct rule_part change = { .name = text_of(".ra"), .expression = text_of("2"), .record = own };
	set = rule_set_parts(&arena, arch, parts, ARRAY_COUNT(parts));
	set = rule_set_changed(&arena, arch, set, &change, 1);
	ok(set->count == 3 && set->rules[0].record.offset == 10 && set->rules[0].recorded &&
	   !set->rules[0].edited && set->rules[0].program->place.offset == 10, "a rule that is not changed keeps its record");
	ok(set->rules[2].edited && set->rules[2].record.offset == 20 && set->rules[2].program->place.input == NULL &&
	   set->return_address == 2, "a changed rule has a record of its own, without a place");
	arena_free(&arena);
}

/* The programs that stand for records without one: Breakpad's stackwalker_x86.cc. */
TEST(fpo)
{
	const struct stack_win with = { .allocates_base_pointer = true }, without = { .size = 1 };
	static const char search[] = "$eip .raSearchStart ^ = $esp .raSearchStart 4 + =";

	is_str(rule_set_fpo_program(&without, false), search, "a program is made for FPO without a base pointer");
	is_str(rule_set_fpo_program(&without, true), "$eip .raSearchStart ^ = $esp .raSearchStart 4 + = $ebx $ebx =",
	       "a program is made for FPO that keeps ebx");
	for (unsigned keeps = 0; keeps < 2; keeps++)
		is_str(rule_set_fpo_program(&with, keeps != 0), "$eip .raSearchStart ^ = "
		       "$ebp $esp .cbCalleeParams + .cbSavedRegs + 8 - ^ = $esp .raSearchStart 4 + =",
		       "a program is made for FPO with a base pointer");
}

static bool
sets_equal(const struct rule_set *a, const struct rule_set *b)
{
	bool equal = a->count == b->count && a->cfa == b->cfa && a->address == b->address &&
		     a->return_address == b->return_address && a->problem == b->problem &&
		     a->delta_count == b->delta_count && a->note == b->note && a->note_place.offset == b->note_place.offset;

	for (size_t i = 0; equal && i < a->count; i++) {
		const struct rule *one = &a->rules[i], *other = &b->rules[i];
		equal = text_equal(one->name, other->name) && one->delta == other->delta &&
			text_equal(one->program->text, other->program->text) &&
			one->program->place.offset == other->program->place.offset &&
			one->record.offset == other->record.offset && one->record.line == other->record.line;
	}
	return equal;
}

/* Write an INIT record with 2,000 deltas: two at some addresses, some that are malformed. */
static char *
history_text(bool in_order)
{
	enum { COUNT = 2000 };
	char *text = calloc(COUNT, 64), *at = text;

	at += sprintf(at, "STACK CFI INIT 1000 2000 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n");
	for (unsigned i = 0; i < COUNT; i++) {
		const unsigned number = in_order ? i : i ^ 1;
		at += sprintf(at, "STACK CFI %x .cfa: $rsp %u +%s%s\n", 0x1001 + number / 3 * 4,
			      8 * (i % 50), i % 7 == 3 ? " $rbx: .cfa 16 - ^" : "",
			      i == 1100 ? " $rbp:" : i % 97 == 5 ? " $r12: $rax" : "");
	}
	return text;
}

/* A history gives the set of rule_set_stack_cfi at each address. */
static void
test_history(enum policy_column column, bool in_order)
{
	const struct policy policy = policy_column(column);
	char *text = history_text(in_order);
	struct case_of one;
	bool equal = true;

	open_case(&one, text, 0x1000, &policy);
	const struct rule_records records = { arch_by_id(ARCH_AMD64), &policy, one.symfile, NULL };
	const struct rule_history *history = rule_history_make(&one.arena, &records, 0x1000);
	for (uint64_t address = 0x1000; history != NULL && address < 0x2000; address++) {
		struct arena arena = { 0 };
		const struct rule_set *set = rule_history_set(history, &arena, &records, address);
		const struct rule_set *wanted = rule_set_stack_cfi(&arena, &records, address);

		if (equal && !sets_equal(set, wanted))
			tap_diag("differs at %#" PRIx64, address);
		equal = equal && sets_equal(set, wanted);
		arena_free(&arena);
	}
	ok(history != NULL && equal, "column %d: a history's sets are those of all deltas%s",
	   (int)column, in_order ? "" : " in another order");
	close_case(&one);
	free(text);
}

int
main(void)
{
	for (enum policy_column column = 0; column < POLICY_COLUMNS; column++) {
		test_history(column, true);
		test_history(column, false);
	}
	run_tests();
	return done_testing();
}
