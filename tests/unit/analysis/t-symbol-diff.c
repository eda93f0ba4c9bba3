/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two symbol files compared. By address, in random files: the result equals a look-up of every single address in both files. By
 * name, in pairs of files: the pairs are made with one known difference. */
#include <config.h>

#include "analysis/symbol_diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/policy_rows.h"
#include "tests/lib/chance.h"
#include "tests/lib/tap.h"

#define HEAD "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a\n"
#define ADDRESSES 0x60u		/* all functions are at lower addresses */
#define TEXT 8192u
#define MOST_RUNS 200u

static void
add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add(char *text, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, TEXT - used, format, arguments);
	va_end(arguments);
}

static struct symfile *
read_symbols(const char *name, const char *text)
{
	struct symfile *symfile = NULL;
	struct error error;

	if (symfile_from_memory(&symfile, name, text, strlen(text), &error) != ERROR_NONE)
		tap_diag("cannot read %s: %s", name, error.text);
	return symfile;
}

/* By address ---------------------------------------------------------------------------------- */

/* The rules of a row: the CFA's offset from rsp, and rbx's from the CFA (0: unchanged). */
struct rule_model {
	bool there;
	int cfa, rbx;
	unsigned words;			/* the spelling of the rules: 0 to 2 */
	bool named;			/* rbx has a rule even if it is unchanged */
	bool r10;			/* r10, which calls do not preserve, has a rule too */
};

struct file_model {
	char text[TEXT];
	struct rule_model rules[ADDRESSES + 40];	/* at each address */
};

/* A rule as written in the file. */
static const char *
cfa_text(const struct rule_model *rules, char text[40])
{
	snprintf(text, 40, rules->words == 1 ? "%d $rsp +" : "$rsp %d +", rules->cfa);
	return text;
}

static const char *
rbx_text(const struct rule_model *rules, char text[40])
{
	if (rules->rbx == 0)
		snprintf(text, 40, "$rbx");
	else if (rules->words == 2)
		snprintf(text, 40, "$rsp %d + ^", rules->cfa + rules->rbx);
	else
		snprintf(text, 40, rules->words == 1 ? ".cfa %d - ^" : ".cfa %d + ^", rules->words == 1 ? -rules->rbx : rules->rbx);
	return text;
}

static void
add_rules(struct file_model *file)
{
	char cfa[40], rbx[40];

	for (unsigned at = chance(4); at < ADDRESSES;) {
		const unsigned end = at + 4 + chance(20);
		struct rule_model rules = { true, 8, 0, chance(3), false, chance(6) == 0 };

		add(file->text, "STACK CFI INIT %x %x .cfa: %s .ra: .cfa -8 + ^%s\n", at, end - at,
		    cfa_text(&rules, cfa), rules.r10 ? " $r10: .cfa -40 + ^" : "");
		for (unsigned address = at; address < end; address++) {
			if (address > at && chance(4) == 0) {
				rules.cfa = 8 + 8 * (int)chance(3);
				rules.rbx = chance(2) == 0 ? 0 : -16 - 8 * (int)chance(2);
				rules.words = chance(3);
				rules.named = true;
				add(file->text, "STACK CFI %x .cfa: %s $rbx: %s\n", address, cfa_text(&rules, cfa), rbx_text(&rules, rbx));
			}
			file->rules[address] = rules;
		}
		at = end + (chance(2) == 0 ? 0 : chance(8));
	}
}

/* Functions, some of them as linker symbols, with lines and inlined calls, and STACK WIN records. */
static void
make_file(struct file_model *file)
{
	*file = (struct file_model){ .text = HEAD };
	if (chance(3) != 0)
		add(file->text, "INFO CODE_ID %u a\n", chance(2));
	if (chance(3) != 0)
		add(file->text, "\nINFO GENERATOR %u\n", chance(2));
	add(file->text, "FILE 0 a.c\nFILE 1 b.c\nINLINE_ORIGIN 0 one\nINLINE_ORIGIN 1 two\n");
	for (unsigned at = chance(6); at < ADDRESSES - 20; at += chance(6)) {
		const unsigned size = 4 + chance(12), end = at + size, inner = at + chance(size);
		if (chance(5) == 0) {
			add(file->text, "PUBLIC %x %x p%u\n", at, 4 * chance(2), chance(2));
			at += 1 + chance(8);
			continue;
		}
		add(file->text, "FUNC %x %x %x f%u\n", at, size, 4 * chance(2), chance(3));
		/* A call, and calls inside it that end before it, at its end, or after one another. */
		if (chance(2) == 0)
			add(file->text, "INLINE 0 %u %u %u %x %x\n", 1 + chance(2), chance(2), chance(2), inner, end - inner);
		for (unsigned from = inner; chance(2) == 0 && from < end; from += 1 + chance(3)) {
			const unsigned inside = 1 + chance(end - from);
			add(file->text, "INLINE 1 %u %u %u %x %x\n", 1 + chance(2), chance(2), chance(2), from, inside);
			from += inside;
		}
		for (; at < end; at += 1 + chance(6))
			add(file->text, "%x %x %u %u\n", at, end - at < 3 ? 1 : 1 + chance(2), 1 + chance(3), chance(2));
		at = end;
	}
	for (unsigned at = chance(8); at < ADDRESSES - 20; at += 12 + chance(6))
		add(file->text, "STACK WIN %u %x %x 1 0 %x %x 0 0 %s\n", 4 * chance(2), at, 4 + chance(8),
		    4 * chance(2), 4 * chance(2), chance(2) == 0 ? "0 1" : "1 $eip .raSearch ^ =");
	add_rules(file);
}

/* The differences that look-ups in both files find. */
struct expected_run {
	enum symbol_diff_what what;
	uint64_t first, last;
	const char *rule;
	char says[2][200];
	bool there[2];
};

struct expected {
	struct expected_run runs[MOST_RUNS];
	size_t count;
};

/* The answer of a file at an address; false if it has none. */
static bool
ask(const struct symfile *symfile, enum symbol_diff_what what, uint64_t address, char says[200])
{
	static const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct arena arena = { 0 };
	struct function function;
	struct stack_win win;
	struct symbol symbol;
	bool there = false;

	says[0] = '\0';
	switch (what) {
	case SYMBOL_DIFF_NAME:
		there = symfile_function(symfile, &policy, address, &function);
		if (there)
			snprintf(says, 200, "%.*s", (int)function.name.length, function.name.start);
		break;
	case SYMBOL_DIFF_PARAMETERS:
		there = symfile_function(symfile, &policy, address, &function);
		if (there)
			snprintf(says, 200, "0x%" PRIx64 " bytes", function.parameter_size);
		break;
	case SYMBOL_DIFF_LINE:
		there = symfile_lookup(symfile, &policy, address, &arena, &symbol) && symbol.has_line;
		if (there)
			snprintf(says, 200, "%.*s:%u", (int)symbol.line.file.length, symbol.line.file.start, symbol.line.line);
		break;
	case SYMBOL_DIFF_INLINE:
		there = symfile_lookup(symfile, &policy, address, &arena, &symbol) && symbol.inline_count > 0;
		for (size_t i = 0; there && i < symbol.inline_count; i++) {
			const struct inline_call *call = &symbol.inlines[i];
			const size_t used = strlen(says);

			snprintf(says + used, 200 - used, "%s%.*s at %.*s:%u", i > 0 ? " < " : "", (int)call->name.length,
				 call->name.start, (int)call->call_file.length, call->call_file.start, call->call_line);
		}
		break;
	default:
		there = symfile_stack_win(symfile, &policy, 4, address, &win) ||
			symfile_stack_win(symfile, &policy, 0, address, &win);
		if (there)
			snprintf(says, 200, "type %u, parameters %u, saved %u, locals 0, %s",
				 win.type, win.parameters, win.saved_registers, win.has_program	      ? "$eip .raSearch ^ ="
				 : win.allocates_base_pointer ? "allocates ebp" : "keeps ebp");
		break;
	}
	arena_free(&arena);
	return there;
}

/* A difference at one address: it extends the last one if that ended just before, or begins. */
static void
expect(struct expected *expected, const struct expected_run *at)
{
	for (size_t i = 0; i < expected->count; i++) {
		struct expected_run *run = &expected->runs[i];
		if (run->what == at->what && run->last + 1 == at->first && (run->rule == NULL) == (at->rule == NULL) &&
		    (at->rule == NULL || strcmp(run->rule, at->rule) == 0) &&
		    run->there[0] == at->there[0] && run->there[1] == at->there[1] && strcmp(run->says[0], at->says[0]) == 0 &&
		    strcmp(run->says[1], at->says[1]) == 0) {
			run->last = at->last;
			return;
		}
	}
	if (expected->count < MOST_RUNS)
		expected->runs[expected->count++] = *at;
}

/* Expect all differences but those of rules; names at the last address extend to the end. */
static void
expect_asked(struct expected *expected, const struct symfile *const files[2], bool lines)
{
	static const enum symbol_diff_what whats[] = {
		SYMBOL_DIFF_NAME, SYMBOL_DIFF_PARAMETERS, SYMBOL_DIFF_WIN, SYMBOL_DIFF_LINE, SYMBOL_DIFF_INLINE,
	};

	for (size_t i = 0; i < (lines ? ARRAY_COUNT(whats) : 3); i++)
		for (uint64_t address = 0; address < ADDRESSES + 40; address++) {
			struct expected_run at = { .what = whats[i], .first = address, .last = address };
			for (int file = 0; file < 2; file++)
				at.there[file] = ask(files[file], whats[i], address, at.says[file]);
			if (at.there[0] != at.there[1] || strcmp(at.says[0], at.says[1]) != 0)
				expect(expected, &at);
		}
	for (size_t i = 0; i < expected->count; i++)
		if (expected->runs[i].last == ADDRESSES + 39)
			expected->runs[i].last = UINT64_MAX;
}

/* Expect a difference in one rule of both files. */
static void
expect_rule(struct expected *expected, uint64_t address, const char *rule, const char *one, const char *other)
{
	struct expected_run at = { .what = SYMBOL_DIFF_RULE, .first = address, .last = address,
				   .rule = rule, .there = { one != NULL, other != NULL } };

	snprintf(at.says[0], 200, "%s", one != NULL ? one : "");
	snprintf(at.says[1], 200, "%s", other != NULL ? other : "");
	expect(expected, &at);
}

/* Expect the differences of the rules at one address. The spelling does not matter: rules for rbx
 * differ if their slots have different offsets from rsp, unless both have the same words. */
static void
expect_rules_at(struct expected *expected, uint64_t address, const struct rule_model *one, const struct rule_model *other)
{
	char texts[2][40];

	if (one->there != other->there)
		expect_rule(expected, address, NULL, one->there ? "a STACK CFI record" : NULL, other->there ? "a STACK CFI record" : NULL);
	if (!one->there || !other->there)
		return;
	if (one->cfa != other->cfa)
		expect_rule(expected, address, ".cfa", cfa_text(one, texts[0]), cfa_text(other, texts[1]));
	rbx_text(one, texts[0]);
	rbx_text(other, texts[1]);
	if (strcmp(texts[0], texts[1]) != 0 && ((one->rbx == 0) != (other->rbx == 0) || one->cfa + one->rbx != other->cfa + other->rbx))
		expect_rule(expected, address, "$rbx", one->named ? texts[0] : NULL, other->named ? texts[1] : NULL);
	if (one->r10 != other->r10)
		expect_rule(expected, address, "$r10", one->r10 ? ".cfa -40 + ^" : NULL, other->r10 ? ".cfa -40 + ^" : NULL);
}

/* Expect the difference in the k-th INFO record of either file. */
static void
expect_info(struct expected *expected, const struct file_model files[2])
{
	const char *at[2] = { files[0].text, files[1].text };

	for (unsigned k = 0; k < 2; k++) {
		struct expected_run run = { .what = SYMBOL_DIFF_INFO };
		for (int file = 0; file < 2; file++) {
			const char *info = strstr(at[file], "INFO ");
			run.there[file] = info != NULL;
			if (info == NULL)
				continue;
			snprintf(run.says[file], 200, "%.*s", (int)strcspn(info, "\n"), info);
			at[file] = info + 5;
		}
		if (run.there[0] != run.there[1] || strcmp(run.says[0], run.says[1]) != 0)
			expected->runs[expected->count++] = run;
	}
}

static bool
is_equal(const char *one, const char *other)
{
	return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool
is_expected(const struct symbol_diff_run *run, const struct expected_run *wanted)
{
	return run->what == wanted->what && run->first == wanted->first &&
	       run->last == wanted->last && is_equal(run->rule, wanted->rule) &&
	       is_equal(run->says[0], wanted->there[0] ? wanted->says[0] : NULL) &&
	       is_equal(run->says[1], wanted->there[1] ? wanted->says[1] : NULL);
}

static const struct symbol_diff_run *
find_run(const struct symbol_diff *diff, const struct expected_run *wanted)
{
	for (size_t i = 0; i < diff->count; i++)
		if (is_expected(&diff->runs[i], wanted))
			return &diff->runs[i];
	tap_diag("missing difference: %s %s %" PRIx64 " to %" PRIx64 ": '%s' and '%s'", symbol_diff_names[wanted->what],
		 wanted->rule != NULL ? wanted->rule : "", wanted->first, wanted->last,
		 wanted->there[0] ? wanted->says[0] : "nothing", wanted->there[1] ? wanted->says[1] : "nothing");
	return NULL;
}

/* The beginning of the record of a difference, and whether it contains the reported text. */
static const struct {
	const char *record;
	bool has_words;
} recorded[SYMBOL_DIFF_WHATS] = {
	[SYMBOL_DIFF_NAME] = { NULL, true },
	[SYMBOL_DIFF_LINE] = { "", false },
	[SYMBOL_DIFF_INLINE] = { "INLINE ", false },
	[SYMBOL_DIFF_RULE] = { "STACK CFI ", false },
	[SYMBOL_DIFF_WIN] = { "STACK WIN ", false },
	[SYMBOL_DIFF_INFO] = { "INFO ", true },
};

/* True if the records at a run's places have the reported text; an absent side has no place. */
static bool
has_records(const struct symbol_diff_run *run, const struct file_model files[2])
{
	for (int file = 0; file < 2; file++) {
		const struct place *place = &run->places[file];
		const char *line = files[file].text;

		if (run->says[file] == NULL && place->line != 0)
			return false;
		for (uint32_t i = 1; i < place->line; i++)
			line += strcspn(line, "\n") + 1;
		char record[200];
		snprintf(record, sizeof(record), "%.*s", (int)strcspn(line, "\n"), line);
		const char *begins = recorded[run->what].record;
		if (run->says[file] != NULL && (place->line == 0 ||
		     (begins != NULL && strncmp(record, begins, strlen(begins)) != 0) ||
		     ((recorded[run->what].has_words || run->rule != NULL) && strstr(record, run->says[file]) == NULL)))
			return false;
	}
	return true;
}

/* The function of a run: that of the first file, or else of the second. */
static bool
has_function(const struct symbol_diff_run *run, const struct symfile *const files[2])
{
	char name[200];

	for (int file = 0; file < 2; file++)
		if (!symbol_diff_of_file(run) && ask(files[file], SYMBOL_DIFF_NAME, run->first, name))
			return is_equal(run->function, name) && run->function_mangled == NULL;
	return run->function == NULL;
}

static bool
is_sorted(const struct symbol_diff *diff)
{
	for (size_t i = 1; i < diff->count; i++) {
		const struct symbol_diff_run *one = &diff->runs[i - 1], *other = &diff->runs[i];
		if (one->first > other->first || (one->first == other->first && one->what > other->what) ||
		    (one->first == other->first && one->what == other->what && one->rule != NULL &&
		     other->rule != NULL && strcmp(one->rule, other->rule) > 0))
			return false;
	}
	return true;
}

/* If only some runs are kept, the counts stay right and the kept runs are complete. */
static bool
is_cut_well(const struct symfile *const files[2], const struct symbol_diff *all)
{
	const struct symbol_diff_options options = { .lines = true, .most = 3 };
	struct symbol_diff diff;
	bool good = true;

	symbol_diff_make(&diff, arch_by_id(ARCH_AMD64), files, &options);
	good &= diff.count == (all->count < 3 ? all->count : 3);
	good &= memcmp(diff.totals, all->totals, sizeof(diff.totals)) == 0;
	for (size_t i = 0; i < diff.count; i++) {
		bool found = false;
		for (size_t k = 0; k < all->count; k++)
			found |= all->runs[k].what == diff.runs[i].what && all->runs[k].first == diff.runs[i].first &&
				 all->runs[k].last == diff.runs[i].last && is_equal(all->runs[k].rule, diff.runs[i].rule);
		good &= found;
	}
	symbol_diff_free(&diff);
	return good;
}

static void
test_addresses(unsigned seed)
{
	static struct file_model files[2];
	static struct expected expected;
	const struct symbol_diff_options options = { .lines = seed % 4 != 0 };
	size_t totals[SYMBOL_DIFF_WHATS] = { 0 };
	struct symbol_diff diff;
	bool found = true, recorded_all = true, named = true;

	chance_begin(seed);
	for (int file = 0; file < 2; file++)
		make_file(&files[file]);
	const struct symfile *const read[2] = { read_symbols("a.sym", files[0].text), read_symbols("b.sym", files[1].text) };
	expected.count = 0;
	expect_info(&expected, files);
	expect_asked(&expected, read, options.lines);
	for (uint64_t address = 0; address < ARRAY_COUNT(files[0].rules); address++)
		expect_rules_at(&expected, address, &files[0].rules[address], &files[1].rules[address]);
	symbol_diff_make(&diff, arch_by_id(ARCH_AMD64), read, &options);
	for (size_t i = 0; i < expected.count; i++) {
		totals[expected.runs[i].what]++;
		found &= find_run(&diff, &expected.runs[i]) != NULL;
	}
	for (size_t i = 0; i < diff.count; i++) {
		recorded_all &= has_records(&diff.runs[i], files);
		named &= has_function(&diff.runs[i], read);
	}
	ok(found, "all differences are reported, in files %u", seed);
	is_u64(diff.count, expected.count, "no other difference is reported, in files %u", seed);
	ok(memcmp(diff.totals, totals, sizeof(totals)) == 0, "differences of each kind are counted");
	ok(recorded_all, "the records of a difference have it");
	ok(named, "a difference has the name of its function");
	ok(is_sorted(&diff), "the differences are sorted");
	ok(!options.lines || is_cut_well(read, &diff), "a cut list of differences has complete ones");
	ok(!diff.memory_ended, "the comparison had enough memory");
	symbol_diff_free(&diff);
	for (int file = 0; file < 2; file++)
		symfile_close((struct symfile *)read[file]);
}

/* By name ------------------------------------------------------------------------------------- */

#define FIRST								\
	HEAD "FILE 0 a.c\nFUNC 1000 20 4 f\n1000 8 10 0\n1008 8 12 0\n1010 10 14 0\nFUNC 1020 10 0 g\nPUBLIC 1040 0 p\n" \
	"STACK WIN 4 1000 20 1 0 8 4 0 0 1 $eip .raSearch ^ =\nSTACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" \
	"STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\nSTACK CFI 1008 .cfa: $rsp 32 +\n" \
	"STACK CFI INIT 1020 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"

/* As FIRST, at addresses 0x100 higher, with some records changed. */
#define SECOND(f, lines, g, p, win, cfi)				\
	HEAD "FILE 0 a.c\n" f lines g p win "STACK CFI INIT 1100 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" cfi \
	"STACK CFI INIT 1120 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define F "FUNC 1100 20 4 f\n"
#define LINES "1100 8 110 0\n1108 8 112 0\n1110 10 114 0\n"
#define G "FUNC 1120 10 0 g\n"
#define P "PUBLIC 1140 0 p\n"
#define WIN "STACK WIN 4 1100 20 1 0 8 4 0 0 1 $eip .raSearch ^ =\n"
#define CFI "STACK CFI 1104 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\nSTACK CFI 1108 .cfa: $rsp 32 +\n"

/* Calls of `two` in `one`, one directly after the other. */
#define CALLS(line)							\
	HEAD "FILE 0 a.c\nINLINE_ORIGIN 0 one\nINLINE_ORIGIN 1 two\nFUNC 1000 10 0 f\nINLINE 0 5 0 0 1000 10\n"	\
	"INLINE 1 6 0 1 1002 2\nINLINE 1 " line " 0 1 1004 2\n"

static const struct by_name {
	const char *title, *first, *second, *told;
} by_address[] = {
	{ "a call after another one", CALLS("7"), CALLS("8"), "1004-1005 inlined calls 8:two at a.c:7 < one at "
	  "a.c:5|8:two at a.c:8 < one at a.c:5 f\n" },
	{ "the rule of one register before the same rule of another", HEAD "STACK CFI INIT 1000 8 .cfa: $rsp 8 + $r10: "
	  "1\nSTACK CFI 1004 $r10: 5 $r11: 1\n", HEAD "STACK CFI INIT 1000 8 .cfa: $rsp 8 + $r10: 2\nSTACK CFI 1004 $r10: 5 "
	  "$r11: 2\n", "1000-1003 rule $r10 2:1|2:2\n1004-1007 rule $r11 3:1|3:2\n" },
}, by_name[] = {
	{ "a function may be anywhere", FIRST, SECOND(F, LINES, G, P, WIN, CFI), "" },
	{ "a size", FIRST, SECOND("FUNC 1100 1f 4 f\n", LINES, G, P, WIN, CFI), "1000-101f size 3:0x20 bytes|3:0x1f bytes f\n" },
	{ "a size by which the function overlaps the next one", FIRST, SECOND("FUNC 1100 21 4 f\n", LINES, G, P,
	  WIN, CFI), "1000-101f size 3:0x20 bytes|3:0x21 bytes f\n" },
	{ "parameters", FIRST, SECOND("FUNC 1100 20 0 f\n", LINES, G, P, WIN, CFI), "1000-101f parameters 3:0x4 bytes|3:0x0 bytes f\n" },
	{ "a name", FIRST, SECOND(F, LINES, "FUNC 1120 10 0 h\n", P, WIN, CFI), "1020-102f name 7:g|-\n1120-112f name -|7:h\n" },
	{ "a function that has become a linker symbol", FIRST, SECOND(F, LINES, "PUBLIC 1120 0 g\n", P, WIN,
	  CFI), "1020-102f size 7:0x10 bytes|7:a PUBLIC record, without g\n" },
	{ "a function with lines that has become a linker symbol", HEAD "FILE 0 a.c\nFUNC 1000 10 0 g\n1000 10 7 0\n",
	  HEAD "FILE 0 a.c\nPUBLIC 2000 0 g\n", "1000-100f size 3:0x10 bytes|3:a PUBLIC record, without g\n" },
	{ "a removed linker symbol", FIRST, SECOND(F, LINES, G, "", WIN, CFI), "1040-1040 name 8:p|-\n" },
	{ "a line, counted from the function's first", FIRST, SECOND(F, "1100 8 110 0\n1108 8 113 0\n1110 10 "
	  "114 0\n", G, P, WIN, CFI), "1000-101f line 3:+0x8: line 12|3:+0x8: line 113 f\n" },
	{ "where a line begins", FIRST, SECOND(F, "1100 8 110 0\n1108 9 112 0\n1111 f 114 0\n", G, P, WIN, CFI),
	  "1000-101f line 3:+0x10: line 14|3:+0x11: line 114 f\n" },
	{ "lines that one has more", FIRST, SECOND(F, "1100 8 110 0\n1108 8 112 0\n", G, P, WIN, CFI),
	  "1000-101f line 3:+0x10: line 14|3:2 lines f\n" },
	{ "lines that the other one has more", HEAD "FILE 0 a.c\nFUNC 1000 20 0 f\n1000 8 10 0\n", HEAD "FILE 0 a.c\nFUNC 1000 20 0 "
	  "f\n1000 8 10 0\n1008 8 12 0\n", "1000-101f line 3:1 lines|3:+0x8: line 12 f\n" },
	{ "where the first line begins", HEAD "FILE 0 a.c\nFUNC 1000 20 0 f\n1000 8 10 0\n", HEAD
	  "FILE 0 a.c\nFUNC 1000 20 0 f\n1004 8 10 0\n", "1000-101f line 3:+0x0: line 10|3:+0x4: line 10 f\n" },
	{ "a function of one byte", HEAD "FUNC 1000 1 0 f\n", HEAD "FUNC 1000 1 4 f\n",
	  "1000-1000 parameters 2:0x0 bytes|2:0x4 bytes f\n" },
	{ "a record of Windows", FIRST, SECOND(F, LINES, G, P, "STACK WIN 4 1100 20 1 0 8 8 0 0 1 $eip "
	  ".raSearch ^ =\n", CFI), "1000-1000 STACK WIN 9:type 4, parameters 8, saved 4, locals 0, $eip "
	  ".raSearch ^ =|9:type 4, parameters 8, saved 8, locals 0, $eip .raSearch ^ = f\n" },
	{ "that is gone", FIRST, SECOND(F, LINES, G, P, "", CFI), "1000-1000 STACK WIN 9:type 4, parameters 8, "
	  "saved 4, locals 0, $eip .raSearch ^ =|- f\n" },
	{ "a rule in other words", FIRST, SECOND(F, LINES, G, P, WIN, "STACK CFI 1104 $rbx: $rsp ^ .cfa: 16 "
	  "$rsp +\nSTACK CFI 1108 $rbx: $rsp 16 + ^ .cfa: $rsp 32 +\n"), "" },
	{ "a rule", FIRST, SECOND(F, LINES, G, P, WIN, "STACK CFI 1104 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\nSTACK CFI 1108 .cfa: $rsp 40 "
	  "+\n"), "1000-1000 rule .cfa 12:+0x8: $rsp 32 +|12:+0x8: $rsp 40 + f\n" },
	{ "a rule that one has not", FIRST, SECOND(F, LINES, G, P, WIN, "STACK CFI 1104 .cfa: $rsp 16 +\nSTACK "
	  "CFI 1108 .cfa: $rsp 32 +\n"), "1000-1000 rule $rbx 11:+0x4: .cfa -16 + ^|- f\n" },
	{ "where rules begin", FIRST, SECOND(F, LINES, G, P, WIN, "STACK CFI 1105 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\nSTACK CFI 1108 "
	  ".cfa: $rsp 32 +\n"), "1000-1000 rule 11:its next rules begin at +0x4|11:its next rules begin at +0x5 f\n" },
	{ "rules that one has more", FIRST, SECOND(F, LINES, G, P, WIN, "STACK CFI 1104 .cfa: $rsp 16 + $rbx: "
	  ".cfa -16 + ^\n"), "1000-1000 rule 12:its next rules begin at +0x8|- f\n" },
	{ "functions of one name, in the order of their addresses", HEAD "FUNC 1000 10 0 s\nFUNC 1020 20 0 s\nPUBLIC 1060 0 s\n", HEAD
	  "FUNC 2020 24 0 s\nPUBLIC 2000 0 s\nFUNC 2010 10 0 s\n", "1020-103f size 3:0x20 bytes|2:0x24 bytes s\n" },
	{ "a function and a linker symbol of one name", HEAD "PUBLIC 1060 0 s\nFUNC 1000 10 0 s\n", HEAD "FUNC 2000 10 0 s\n",
	  "1060-1060 name 2:s|-\n" },
	{ "functions that adjoin", HEAD "FUNC 1000 10 0 f\nFUNC 1010 10 0 g\n", HEAD "FUNC 2000 11 0 f\nFUNC 2020 11 0 g\n",
	  "1000-100f size 2:0x10 bytes|2:0x11 bytes f\n1010-101f size 3:0x10 bytes|3:0x11 bytes g\n" },
	{ "a rule at the last byte", HEAD "FUNC 1000 10 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	  "STACK CFI 100f .cfa: $rsp 16 +\n", HEAD "FUNC 1000 10 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
	  "STACK CFI 100f .cfa: $rsp 24 +\n", "1000-1000 rule .cfa 4:+0xf: $rsp 16 +|4:+0xf: $rsp 24 + f\n" },
	{ "functions of one name, fewer in one file", HEAD "FUNC 1000 10 0 s\nFUNC 1020 20 0 s\n", HEAD
	  "FUNC 2000 10 0 s\nFUNC 1500 10 0 r\n", "1020-103f name 3:s|-\n1500-150f name -|3:r\n" },
	{ "one name is a prefix of the other", HEAD "FUNC 1000 10 0 ab\nFUNC 1020 10 0 abc\n", HEAD
	  "FUNC 1000 10 0 abc\nFUNC 1020 10 0 ab\nFUNC 1040 8 0 a\n", "1040-1047 name -|4:a\n" },
	{ "where rules before their function begin", HEAD "FUNC 1004 c 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n", HEAD "FUNC 2004 c 0 f\nSTACK CFI INIT 2002 e .cfa: $rsp 8 + .ra: .cfa -8 + "
	  "^\n", "1004-1004 rule 3:its next rules begin at -0x4|3:its next rules begin at -0x2 f\n" },
	{ "rules before their function", HEAD "FUNC 1004 c 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: "
	  ".cfa -8 + ^\n", HEAD "FUNC 2004 c 0 f\nSTACK CFI INIT 2000 10 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n",
	  "1004-1004 rule .cfa 3:-0x4: $rsp 8 +|3:-0x4: $rsp 16 + f\n" },
	{ "lines of a function that has a second name", HEAD "FILE 0 a.c\nFUNC 1000 10 0 f\n1000 8 10 0\n1008 8 12 0\nPUBLIC 1000 0 p\n",
	  HEAD "FILE 0 a.c\nFUNC 2000 10 0 f\n2000 8 10 0\n2008 8 13 0\nPUBLIC 2000 0 p\n",
	  "1000-100f line 3:+0x8: line 12|3:+0x8: line 13 f\n" },
#ifdef HAVE_DEMANGLER
	{ "a name that is written for linkers", HEAD "FUNC 1000 10 0 _Z1fv\nFUNC 1020 10 0 _Z1gi\n", HEAD "FUNC 2000 11 0 _Z1gi\n",
	  "1000-100f name 2:f()=_Z1fv|-\n1020-102f size 3:0x10 bytes|2:0x11 bytes g(int)=_Z1gi\n" },
#endif
	{ "parameters of a linker symbol", HEAD "PUBLIC 1000 4 p\n", HEAD "PUBLIC 2000 8 p\n",
	  "1000-1000 parameters 2:0x4 bytes|2:0x8 bytes p\n" },
	{ "rules that only the other file has", HEAD "FUNC 1000 10 0 f\n", HEAD "FUNC 2000 10 0 f\nSTACK CFI INIT 2000 10 .cfa: $rsp 8 + "
	  ".ra: .cfa -8 + ^\n", "1000-1000 rule -|3:its next rules begin at +0x0 f\n" },
	{ "rules that begin before their function", HEAD "FUNC 1004 c 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK "
	  "CFI 1008 .cfa: $rsp 16 +\n", HEAD "FUNC 2004 c 0 f\nSTACK CFI INIT 2000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK CFI 2009 "
	  ".cfa: $rsp 16 +\n", "1004-1004 rule 4:its next rules begin at +0x4|4:its next rules begin at +0x5 f\n" },
};

/* "1000-101f size 4:0x20 bytes|4:0x21 bytes f", one line for each difference */
static void
write_told(const struct symbol_diff *diff, char *text)
{
	text[0] = '\0';
	for (size_t i = 0; i < diff->count; i++) {
		const struct symbol_diff_run *run = &diff->runs[i];
		add(text, "%" PRIx64 "-%" PRIx64 " %s%s%s ", run->first, run->last,
		    symbol_diff_names[run->what], run->rule != NULL ? " " : "", run->rule != NULL ? run->rule : "");
		for (int file = 0; file < 2; file++) {
			if (run->says[file] == NULL)
				add(text, "-");
			else
				add(text, "%u:%s%s%s", run->places[file].line, run->says[file],
				    run->mangled[file] != NULL ? "=" : "", text_or_empty(run->mangled[file]));
			add(text, "%s", file == 0 ? "|" : "");
		}
		add(text, "%s%s%s%s\n", run->function != NULL ? " " : "", text_or_empty(run->function),
		    run->function_mangled != NULL ? "=" : "", text_or_empty(run->function_mangled));
	}
}

static void
test_row(const struct by_name *row, bool named)
{
	static char told[TEXT];
	const struct symfile *const files[2] = { read_symbols("a.sym", row->first), read_symbols("b.sym", row->second) };
	const struct symbol_diff_options options = { .lines = true, .by_name = named };
	struct symbol_diff diff;

	symbol_diff_make(&diff, arch_by_id(ARCH_AMD64), files, &options);
	write_told(&diff, told);
	is_str(told, row->told, "%s differs between two %s", row->title, named ? "builds" : "files");
	symbol_diff_free(&diff);
	for (int file = 0; file < 2; file++)
		symfile_close((struct symfile *)files[file]);
}

/* Texts that are longer than the parts that are kept: 2,047 bytes, 1,024, or 200 and 400 in a sentence. */
#define BODY "FUNC 1000 10 0 f\n1000 10 7 0\n"
static const struct {
	const char *title, *head, *tail;
	bool by_name;
	size_t most;			/* letters that are shown */
	const char *before, *after;	/* words around them */
} longs[] = {
	{ "the name of a function", "FUNC 1000 10 0 ", "\n", false, 2047, "", "" },
	{ "the name of a linker symbol", "PUBLIC 1000 0 ", "\n", false, 2047, "", "" },
	{ "a generator", "INFO G ", "\n", false, 2040, "INFO G ", "" },
	{ "the file of a line", "FILE 0 ", "\n" BODY, false, 1024, "", ":7" },
	{ "an inlined function", "INLINE_ORIGIN 0 ", "\nFILE 0 c\nFUNC 1000 10 0 f\nINLINE 0 5 0 0 1000 10\n", false, 200, "", " at c:5" },
	{ "the file of a call", "FILE 1 ", "\nINLINE_ORIGIN 0 g\nFUNC 1000 10 0 f\nINLINE 0 5 1 0 1000 10\n", false, 200, "g at ", ":5" },
	{ "a program of STACK WIN", "STACK WIN 4 1000 10 0 0 0 0 0 0 1 ", "\n", false, 1024,
	  "type 4, parameters 0, saved 0, locals 0, ", "" },
	{ "a rule", "STACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: ", "\n", false, 2047, "", "" },
	{ "a rule of a function", "FUNC 1000 10 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: ", "\n", true, 400, "+0x0: ", "" },
	{ "the name of one build", "FUNC 1000 10 0 ", "\n", true, 1023, "", "" },
};

static void
test_long(size_t index, size_t letters)
{
	static char texts[2][TEXT], wanted[2][TEXT];
	const struct symbol_diff_options options = { .lines = true, .by_name = longs[index].by_name };
	const struct symfile *files[2];
	struct symbol_diff diff;

	for (int file = 0; file < 2; file++) {
		char name[TEXT / 2];
		memset(name, 'a' + file, letters);
		snprintf(texts[file], TEXT, HEAD "%s%.*s%s", longs[index].head, (int)letters, name, longs[index].tail);
		snprintf(wanted[file], TEXT, "%s%.*s%s", longs[index].before,
			 (int)(letters < longs[index].most ? letters : longs[index].most), name, longs[index].after);
		files[file] = read_symbols("a.sym", texts[file]);
	}
	symbol_diff_make(&diff, arch_by_id(ARCH_AMD64), files, &options);
	/* By name, the second name is another run. */
	const size_t last = diff.count - 1;
	ok(diff.count > 0 && is_equal(diff.runs[0].says[0], wanted[0]) && is_equal(diff.runs[last].says[1], wanted[1]),
	   "%s of %zu letters is shown up to %zu letters", longs[index].title, letters, longs[index].most);
	symbol_diff_free(&diff);
	for (int file = 0; file < 2; file++)
		symfile_close((struct symfile *)files[file]);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(longs); i++)
		for (size_t more = 0; more < 3; more++)
			test_long(i, longs[i].most + more - 1);
	for (unsigned seed = 1; seed <= 60; seed++)
		test_addresses(seed);
	for (size_t i = 0; i < ARRAY_COUNT(by_name); i++)
		test_row(&by_name[i], true);
	for (size_t i = 0; i < ARRAY_COUNT(by_address); i++)
		test_row(&by_address[i], false);
	return done_testing();
}
