/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/symbol_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/hash.h"
#include "base/sorted.h"

/*
 * Each aspect has addresses at which something may change; between two of them a file says one
 * thing. Runs that adjoin and say the same are one.
 */

enum { TEXT = 2048 };

/* What a file says of an aspect at an address. */
struct answer {
	bool there;
	char text[TEXT];
	struct text name;	/* that `text` is, as the file has it; empty: it is no name */
	struct place place;
};

/* A difference that goes on if the next addresses say the same. */
struct open_run {
	enum symbol_diff_what what;
	const char *rule;
	uint64_t last, hash;
	size_t index;		/* of the run that is kept; SIZE_MAX: none is */
};

enum { OPEN_RUNS = 64 };

struct comparison {
	struct symbol_diff *diff;
	const struct symbol_diff_options *options;
	const struct arch *arch;
	const struct symfile *files[2];
	struct symbols_policy symbols;
	struct policy policy;
	uint64_t *changes;		/* sorted before they are used */
	size_t change_count, change_capacity;
	enum symbol_diff_what what;	/* the aspect that is compared */
	struct arena scratch;		/* of the changes */
	struct arena work;		/* of one address */
	struct answer answers[2];
	struct open_run open[OPEN_RUNS];
	size_t open_count;
};

static void
add_change(struct comparison *comparison, uint64_t address)
{
	uint64_t *change = ARENA_PUSH(&comparison->scratch, comparison->changes,
				      comparison->change_count, comparison->change_capacity);

	comparison->diff->memory_ended |= change == NULL;
	if (change != NULL)
		*change = address;
}

SORTED_VALUES(compare_addresses, uint64_t)

/* Where FUNC or PUBLIC records begin and end. */
static void
add_function_changes(struct comparison *comparison, const struct symfile *symfile,
		     enum symbol_record_kind kind)
{
	struct function function;

	for (size_t i = 0; symfile_function_at(symfile, kind, i, &function); i++) {
		add_change(comparison, function.address);
		if (kind == SYMBOL_FUNC)
			add_change(comparison, function.address + function.size);
	}
}

static const char *
copy(struct comparison *comparison, struct text text)
{
	const char *bytes = text.start != NULL ? text.start : "";
	const char *copied = arena_copy(&comparison->diff->arena, bytes,
					text.length < TEXT ? text.length : TEXT);

	comparison->diff->memory_ended |= copied == NULL;
	return copied != NULL ? copied : "";
}

/* The run that ends before `first` and says the same; those that end before it are done. */
static struct open_run *
find_open(struct comparison *comparison, const struct open_run *wanted, uint64_t first)
{
	struct open_run *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < comparison->open_count; i++) {
		struct open_run *open = &comparison->open[i];

		if (open->last < first && open->last + 1 != first)
			continue;
		comparison->open[count] = *open;
		open = &comparison->open[count++];
		if (open->last + 1 == first && open->what == wanted->what &&
		    open->hash == wanted->hash &&
		    (open->rule == NULL ? wanted->rule == NULL
					: wanted->rule != NULL &&
						  strcmp(open->rule, wanted->rule) == 0))
			found = open;
	}
	comparison->open_count = count;
	return found;
}

/* What the files say from `first` to `last`, where that differs. */
static void
tell_answers(struct comparison *comparison, struct text rule, uint64_t first, uint64_t last)
{
	const enum symbol_diff_what what = comparison->what;
	struct symbol_diff *diff = comparison->diff;
	struct symbol_diff_run run = { .what = what, .first = first, .last = last };
	struct open_run open = { what, NULL, last, HASH_START, SIZE_MAX };

	for (int i = 0; i < 2; i++) {
		const struct answer *answer = &comparison->answers[i];

		open.hash = hash_bytes(open.hash, &answer->there, sizeof(answer->there));
		open.hash = hash_bytes(open.hash, answer->text,
				       answer->there ? strlen(answer->text) + 1 : 0);
	}
	open.rule = rule.length > 0 ? copy(comparison, rule) : NULL;
	struct open_run *before = find_open(comparison, &open, first);
	if (before != NULL) {
		before->last = last;
		if (before->index != SIZE_MAX)
			diff->runs[before->index].last = last;
		return;
	}
	diff->totals[what]++;
	run.rule = open.rule;
	for (int i = 0; i < 2; i++) {
		const struct answer *answer = &comparison->answers[i];

		run.places[i] = answer->place;
		if (!answer->there)
			continue;
		run.says[i] = copy(comparison, text_of(answer->text));
		if (answer->name.length > 0 &&
		    !text_equal(answer->name, text_of(answer->text)))
			run.mangled[i] = copy(comparison, answer->name);
	}
	if (comparison->options->most == 0 || diff->count < comparison->options->most) {
		struct symbol_diff_run *kept =
			ARENA_PUSH(&diff->arena, diff->runs, diff->count, diff->capacity);

		diff->memory_ended |= kept == NULL;
		if (kept != NULL) {
			*kept = run;
			open.index = diff->count - 1;
		}
	}
	if (comparison->open_count < OPEN_RUNS)
		comparison->open[comparison->open_count++] = open;
}

static bool
answers_differ(const struct comparison *comparison)
{
	const struct answer *one = &comparison->answers[0], *other = &comparison->answers[1];

	return one->there != other->there ||
	       (one->there && strcmp(one->text, other->text) != 0);
}

static void
set_text(struct answer *answer, struct text text)
{
	answer->there = true;
	answer->name = (struct text){ 0 };
	snprintf(answer->text, sizeof(answer->text), "%.*s",
		 (int)(text.length < TEXT ? text.length : TEXT - 1),
		 text.start != NULL ? text.start : "");
}

/* Whether names that differ do so as they are shown, too; the answers become what is shown. */
static bool
still_differ(struct comparison *comparison)
{
	for (int file = 0; file < 2; file++) {
		struct answer *answer = &comparison->answers[file];
		const struct text name = answer->name;

		if (name.length == 0)
			continue;
		set_text(answer, demangle_shown(&comparison->policy, name, &comparison->work));
		answer->name = name;
	}
	return answers_differ(comparison);
}

static void
forget_answers(struct comparison *comparison)
{
	for (int file = 0; file < 2; file++) {
		comparison->answers[file].there = false;
		comparison->answers[file].name = (struct text){ 0 };
		comparison->answers[file].place = (struct place){ 0 };
	}
}

static void
add_name_changes(struct comparison *comparison, const struct symfile *symfile)
{
	add_function_changes(comparison, symfile, SYMBOL_FUNC);
	add_function_changes(comparison, symfile, SYMBOL_PUBLIC);
}

static void
ask_name(struct comparison *comparison, int file, uint64_t address, struct answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct function function;

	if (!symfile_function(symfile, &comparison->symbols, address, &function))
		return;
	set_text(answer, function.name);
	answer->name = function.name;
	answer->place = symfile_place(symfile, function.offset, function.length);
}

static void
ask_line(struct comparison *comparison, int file, uint64_t address, struct answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct symbol symbol;

	if (!symfile_lookup(symfile, &comparison->symbols, address, &comparison->work, NULL,
			    &symbol) || !symbol.has_line)
		return;
	answer->there = true;
	snprintf(answer->text, sizeof(answer->text), "%.*s:%" PRIu32,
		 (int)(symbol.line.file.length < TEXT / 2 ? symbol.line.file.length : TEXT / 2),
		 symbol.line.file.start != NULL ? symbol.line.file.start : "", symbol.line.line);
	answer->place = symfile_place(symfile, symbol.line.offset, symbol.line.length);
}

static void
ask_calls(struct comparison *comparison, int file, uint64_t address, struct answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct symbol symbol;
	size_t used = 0;

	if (!symfile_lookup(symfile, &comparison->symbols, address, &comparison->work, NULL,
			    &symbol) || symbol.inline_count == 0)
		return;
	answer->there = true;
	answer->text[0] = '\0';
	answer->place = symfile_place(symfile, symbol.inlines[0].offset, symbol.inlines[0].length);
	for (size_t i = 0; i < symbol.inline_count && used + 1 < TEXT; i++) {
		const struct inline_call *call = &symbol.inlines[i];
		const struct text name =
			demangle_shown(&comparison->policy, call->name, &comparison->work);
		int length = snprintf(answer->text + used, TEXT - used, "%s%.*s at %.*s:%" PRIu32,
				      i > 0 ? " < " : "",
				      (int)(name.length < 200 ? name.length : 200), name.start,
				      (int)(call->call_file.length < 200 ? call->call_file.length
									 : 200),
				      call->call_file.start != NULL ? call->call_file.start : "",
				      call->call_line);
		used += length > 0 ? (size_t)length : 0;
	}
}

/* Where lines or calls of the functions begin and end. */
static void
add_body_changes(struct comparison *comparison, const struct symfile *symfile)
{
	const size_t first = comparison->change_count;

	add_function_changes(comparison, symfile, SYMBOL_FUNC);
	const size_t end = comparison->change_count;
	for (size_t i = first; i < end; i++) {
		const uint64_t address = comparison->changes[i];
		struct function_body body;

		if (!symfile_function_body(symfile, &comparison->symbols, address,
					   &comparison->work, &body) ||
		    body.function.address != address)
			continue;
		const bool lines = comparison->what == SYMBOL_DIFF_LINE;
		for (size_t j = 0; lines && j < body.line_count; j++) {
			add_change(comparison, body.lines[j].address);
			add_change(comparison, body.lines[j].address + body.lines[j].size);
		}
		for (size_t j = 0; !lines && j < body.call_count; j++) {
			add_change(comparison, body.calls[j].address);
			add_change(comparison, body.calls[j].address + body.calls[j].size);
		}
		arena_reset(&comparison->work);
	}
}

static void
add_win_changes(struct comparison *comparison, const struct symfile *symfile)
{
	for (unsigned type = 0; type <= 4; type += 4) {
		uint64_t address = 0;

		add_change(comparison, 0);
		while (symfile_stack_win_change(symfile, &comparison->symbols, type, address,
						&address))
			add_change(comparison, address);
	}
}

static void
ask_win(struct comparison *comparison, int file, uint64_t address, struct answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct stack_win win;

	if (!symfile_stack_win(symfile, &comparison->symbols, 4, address, &win) &&
	    !symfile_stack_win(symfile, &comparison->symbols, 0, address, &win))
		return;
	answer->there = true;
	snprintf(answer->text, sizeof(answer->text),
		 "type %u, parameters %" PRIu32 ", saved %" PRIu32 ", locals %" PRIu32 ", %s%.*s",
		 win.type, win.parameters, win.saved_registers, win.locals,
		 win.has_program ? "" : win.allocates_base_pointer ? "allocates ebp" : "keeps ebp",
		 win.has_program ? (int)(win.program.length < TEXT / 2 ? win.program.length
								       : TEXT / 2) : 0,
		 win.has_program ? win.program.start : "");
	answer->place = symfile_place(symfile, win.offset, win.length);
}

static void
add_cfi_changes(struct comparison *comparison, const struct symfile *symfile)
{
	uint64_t address = 0;

	add_change(comparison, 0);
	while (symfile_stack_cfi_change(symfile, &comparison->symbols, address, &address))
		add_change(comparison, address);
}

/* Whether two expressions do the same, be they written differently. */
static bool
same_rule(const struct rule *one, const struct linear *one_cfa, const struct rule *other,
	  const struct linear *other_cfa)
{
	if (text_equal(one->program->text, other->program->text))
		return true;
	const struct linear a = linear_of(one->program, one_cfa);
	const struct linear b = linear_of(other->program, other_cfa);
	return a.known && b.known && a.base == b.base && a.offset == b.offset &&
	       a.parameters == b.parameters && a.dereference == b.dereference;
}

static const struct rule *
rule_named(const struct rule_set *set, struct text name)
{
	for (size_t i = 0; set != NULL && i < set->count; i++)
		if (text_equal(set->rules[i].name, name))
			return &set->rules[i];
	return NULL;
}

/* A register that calls keep has its value without a rule, and with one that says no more. */
static bool
keeps(const struct comparison *comparison, struct text name, const struct rule *rule)
{
	const int reg = arch_register(comparison->arch, name, ARCH_NAMES_EXACT);

	return reg != ARCH_NO_REGISTER && comparison->arch->registers[reg].callee_saved &&
	       (rule == NULL || text_equal(rule->program->text, name));
}

/* One name, of which each file has a rule or not. */
static void
compare_rule(struct comparison *comparison, const struct rule_set *const sets[2],
	     struct text name, uint64_t first, uint64_t last)
{
	const struct rule *rules[2] = { rule_named(sets[0], name), rule_named(sets[1], name) };
	struct linear cfas[2] = { { 0 }, { 0 } };

	for (int file = 0; file < 2; file++)
		if (sets[file] != NULL && sets[file]->cfa >= 0)
			cfas[file] = linear_of(sets[file]->rules[sets[file]->cfa].program, NULL);
	const bool cfa = text_equal(name, text_of(".cfa"));
	if (keeps(comparison, name, rules[0]) && keeps(comparison, name, rules[1]))
		return;
	if (rules[0] != NULL && rules[1] != NULL &&
	    same_rule(rules[0], cfa ? NULL : &cfas[0], rules[1], cfa ? NULL : &cfas[1]))
		return;
	forget_answers(comparison);
	for (int file = 0; file < 2; file++) {
		if (rules[file] == NULL)
			continue;
		set_text(&comparison->answers[file], rules[file]->program->text);
		comparison->answers[file].place = rules[file]->record;
	}
	tell_answers(comparison, name, first, last);
}

/* Whether both files have the same text at an address, which is soon seen. */
static bool
same_records(struct comparison *comparison, uint64_t address)
{
	struct stack_cfi inits[2], *deltas[2];
	size_t counts[2] = { 0, 0 };
	bool there[2];

	for (int file = 0; file < 2; file++)
		there[file] = symfile_stack_cfi(comparison->files[file], &comparison->symbols,
						address, &comparison->work, &inits[file],
						&deltas[file], &counts[file]);
	if (there[0] != there[1] || !there[0])
		return there[0] == there[1];
	if (counts[0] != counts[1] || !text_equal(inits[0].rules, inits[1].rules))
		return false;
	for (size_t i = 0; i < counts[0]; i++)
		if (!text_equal(deltas[0][i].rules, deltas[1][i].rules))
			return false;
	return true;
}

/* Every rule from `first` to `last`. Sets of which one is missing differ as a whole. */
static void
compare_sets(struct comparison *comparison, uint64_t first, uint64_t last)
{
	const struct rule_set *sets[2];

	if (same_records(comparison, first))
		return;
	for (int file = 0; file < 2; file++)
		sets[file] = rule_set_stack_cfi(&comparison->work, comparison->arch,
						&comparison->policy, comparison->files[file],
						first);
	if ((sets[0] == NULL) != (sets[1] == NULL)) {
		const int file = sets[0] == NULL;

		forget_answers(comparison);
		set_text(&comparison->answers[file], text_of("a STACK CFI record"));
		comparison->answers[file].place = sets[file]->record;
		tell_answers(comparison, (struct text){ 0 }, first, last);
		return;
	}
	for (int file = 0; file < 2; file++)
		for (size_t i = 0; sets[file] != NULL && i < sets[file]->count; i++)
			if (file == 0 || rule_named(sets[0], sets[1]->rules[i].name) == NULL)
				compare_rule(comparison, sets, sets[file]->rules[i].name, first,
					     last);
}

/* What is compared: where it may change, and what a file says of it at an address. */
static const struct aspect {
	void (*add_changes)(struct comparison *comparison, const struct symfile *symfile);
	void (*ask)(struct comparison *comparison, int file, uint64_t address,
		    struct answer *answer);	/* NULL: rules, of which an address has several */
} aspects[SYMBOL_DIFF_WHATS] = {
	[SYMBOL_DIFF_NAME] = { add_name_changes, ask_name },
	[SYMBOL_DIFF_LINE] = { add_body_changes, ask_line },
	[SYMBOL_DIFF_INLINE] = { add_body_changes, ask_calls },
	[SYMBOL_DIFF_RULE] = { add_cfi_changes, NULL },
	[SYMBOL_DIFF_WIN] = { add_win_changes, ask_win },
};

/* Compare from each address where something may change to the next one. */
static void
compare_aspect(struct comparison *comparison)
{
	const struct aspect *aspect = &aspects[comparison->what];
	size_t count = 0;

	comparison->change_count = 0;
	for (int file = 0; file < 2; file++)
		aspect->add_changes(comparison, comparison->files[file]);
	uint64_t *changes = comparison->changes;
	if (comparison->change_count > 0)
		qsort(changes, comparison->change_count, sizeof(*changes), compare_addresses);
	for (size_t i = 0; i < comparison->change_count; i++)
		if (count == 0 || changes[count - 1] != changes[i])
			changes[count++] = changes[i];
	for (size_t i = 0; i < count; i++) {
		const uint64_t last = i + 1 < count ? changes[i + 1] - 1 : UINT64_MAX;

		if (aspect->ask == NULL)
			compare_sets(comparison, changes[i], last);
		else
			forget_answers(comparison);
		for (int file = 0; aspect->ask != NULL && file < 2; file++)
			aspect->ask(comparison, file, changes[i], &comparison->answers[file]);
		if (aspect->ask != NULL && answers_differ(comparison) && still_differ(comparison))
			tell_answers(comparison, (struct text){ 0 }, changes[i], last);
		arena_reset(&comparison->work);
	}
}

static int
compare_runs(const void *a, const void *b)
{
	const struct symbol_diff_run *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	if (one->what != other->what)
		return one->what < other->what ? -1 : 1;
	return one->rule != NULL && other->rule != NULL ? strcmp(one->rule, other->rule) : 0;
}

static void
name_runs(struct comparison *comparison)
{
	struct symbol_diff *diff = comparison->diff;

	for (size_t i = 0; i < diff->count; i++) {
		struct function function;

		for (int file = 0; file < 2 && diff->runs[i].function == NULL; file++) {
			if (!symfile_function(comparison->files[file], &comparison->symbols,
					      diff->runs[i].first, &function))
				continue;
			const struct text shown = demangle_shown(&comparison->policy,
								 function.name, &comparison->work);
			diff->runs[i].function = copy(comparison, shown);
			if (!text_equal(shown, function.name))
				diff->runs[i].function_mangled = copy(comparison, function.name);
		}
		arena_reset(&comparison->work);
	}
}

void
symbol_diff_make(struct symbol_diff *diff, const struct arch *arch,
		 const struct symfile *const files[2], const struct symbol_diff_options *options)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));

	*diff = (struct symbol_diff){ 0 };
	if (comparison == NULL) {
		diff->memory_ended = true;
		return;
	}
	*comparison = (struct comparison){
		.diff = diff, .options = options, .arch = arch, .files = { files[0], files[1] },
		.symbols = { .public_zero = true },
		.policy = options->policy != NULL ? *options->policy
						  : policy_column(POLICY_UNSPOOL) };
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++) {
		comparison->what = (enum symbol_diff_what)what;
		if (options->lines || (what != SYMBOL_DIFF_LINE && what != SYMBOL_DIFF_INLINE))
			compare_aspect(comparison);
	}
	if (diff->count > 0)
		qsort(diff->runs, diff->count, sizeof(*diff->runs), compare_runs);
	name_runs(comparison);
	arena_free(&comparison->work);
	arena_free(&comparison->scratch);
	free(comparison);
}

void
symbol_diff_free(struct symbol_diff *diff)
{
	arena_free(&diff->arena);
}

const char *const symbol_diff_names[SYMBOL_DIFF_WHATS] = {
	[SYMBOL_DIFF_NAME] = "name", [SYMBOL_DIFF_LINE] = "line",
	[SYMBOL_DIFF_INLINE] = "inlined calls", [SYMBOL_DIFF_RULE] = "rule",
	[SYMBOL_DIFF_WIN] = "STACK WIN",
};
