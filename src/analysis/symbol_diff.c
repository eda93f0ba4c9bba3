/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/symbol_diff_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/demangle.h"
#include "base/hash.h"
#include "base/policy_rows.h"
#include "base/sorted.h"

/*
 * Each aspect has addresses where it may change; between two of them a file gives one answer.
 * Adjoining runs with the same answers are merged.
 */

void
symbol_diff_change(struct symbol_comparison *comparison, uint64_t address)
{
	comparison->diff->memory_ended |=
		!ARENA_ADD(&comparison->scratch, comparison->changes, comparison->change_count,
			   comparison->change_capacity, &address);
}

SORTED_VALUES(compare_addresses, uint64_t)

void
symbol_diff_sort_changes(struct symbol_comparison *comparison)
{
	uint64_t *changes = comparison->changes;
	size_t count = 0;

	SORT(changes, comparison->change_count, compare_addresses);
	for (size_t i = 0; i < comparison->change_count; i++)
		if (count == 0 || changes[count - 1] != changes[i])
			changes[count++] = changes[i];
	comparison->change_count = count;
}

/* Adds the addresses where FUNC or PUBLIC records begin and end. */
static void
add_function_changes(struct symbol_comparison *comparison, const struct symfile *symfile,
		     enum symbol_record_kind kind)
{
	struct function function;

	for (size_t i = 0; symfile_function_at(symfile, kind, i, &function); i++) {
		symbol_diff_change(comparison, function.address);
		if (kind == SYMBOL_FUNC)
			symbol_diff_change(comparison, function.address + function.size);
	}
}

/* The text; if its start is NULL, an empty text. */
static struct text
there(struct text text)
{
	return text.start != NULL ? text : text_of("");
}

static const char *
copy(struct symbol_comparison *comparison, struct text text)
{
	text = there(text);
	const char *copied = arena_format(&comparison->diff->arena, "%.*s",
					  TEXT_UPTO(text, SYMBOL_DIFF_TEXT));

	comparison->diff->memory_ended |= copied == NULL;
	return copied != NULL ? copied : "";
}

void
symbol_diff_continue(struct symbol_comparison *comparison, struct symbol_diff_open *open,
		     uint64_t last)
{
	open->last = last;
	if (open->run > 0)
		comparison->diff->runs[open->run - 1].last = last;
}

void
symbol_diff_tell(struct symbol_comparison *comparison, struct symbol_diff_open *open,
		 struct text rule, uint64_t first, uint64_t last)
{
	const enum symbol_diff_what what = comparison->what;
	struct symbol_diff *diff = comparison->diff;
	struct symbol_diff_run run = { .what = what, .first = first, .last = last };
	uint64_t hash = HASH_START;
	size_t kept = 0;

	for (int i = 0; i < 2; i++) {
		const struct symbol_diff_answer *answer = &comparison->answers[i];

		hash = hash_bytes(hash, &answer->there, sizeof(answer->there));
		hash = hash_words(hash, answer->text,
				  answer->there ? strlen(answer->text) + 1 : 0);
	}
	if (open != NULL && open->hash == hash && open->last + 1 == first) {
		symbol_diff_continue(comparison, open, last);
		return;
	}
	diff->totals[what]++;
	run.rule = rule.length > 0 ? copy(comparison, rule) : NULL;
	for (int i = 0; i < 2; i++) {
		const struct symbol_diff_answer *answer = &comparison->answers[i];

		run.places[i] = answer->place;
		if (!answer->there)
			continue;
		run.says[i] = copy(comparison, text_of(answer->text));
		if (answer->name.length > 0 && !text_is(answer->name, answer->text))
			run.mangled[i] = copy(comparison, answer->name);
	}
	if (comparison->options->most == 0 || diff->count < comparison->options->most) {
		if (ARENA_ADD(&diff->arena, diff->runs, diff->count, diff->capacity, &run))
			kept = diff->count;
		else
			diff->memory_ended = true;
	}
	if (open != NULL)
		*open = (struct symbol_diff_open){ last, hash, kept };
}

bool
symbol_diff_answers_differ(const struct symbol_comparison *comparison)
{
	const struct symbol_diff_answer *one = &comparison->answers[0],
					*other = &comparison->answers[1];

	return one->there != other->there ||
	       (one->there && strcmp(one->text, other->text) != 0);
}

void
symbol_diff_say(struct symbol_diff_answer *answer, struct text text)
{
	answer->there = true;
	answer->name = text_of("");
	text = there(text);
	snprintf(answer->text, sizeof(answer->text), "%.*s", TEXT_UPTO(text, SYMBOL_DIFF_TEXT - 1));
}

/* Whether names also differ in their shown form; the answers are replaced by that form. */
static bool
still_differ(struct symbol_comparison *comparison)
{
	for (int file = 0; file < 2; file++) {
		struct symbol_diff_answer *answer = &comparison->answers[file];
		const struct text name = answer->name;

		if (name.length == 0)
			continue;
		symbol_diff_say(answer,
				demangle_shown(&comparison->policy, name, &comparison->work));
		answer->name = name;
	}
	return symbol_diff_answers_differ(comparison);
}

void
symbol_diff_forget(struct symbol_comparison *comparison)
{
	for (int file = 0; file < 2; file++) {
		comparison->answers[file].there = false;
		comparison->answers[file].name = text_of("");
		comparison->answers[file].place = (struct place){ 0 };
	}
}

static void
add_name_changes(struct symbol_comparison *comparison, int file)
{
	const struct symfile *symfile = comparison->files[file];

	add_function_changes(comparison, symfile, SYMBOL_FUNC);
	add_function_changes(comparison, symfile, SYMBOL_PUBLIC);
}

/* The name of a function, or the size of its parameters. */
static void
ask_function(struct symbol_comparison *comparison, int file, uint64_t address,
	     struct symbol_diff_answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct function function;
	char text[40];

	if (!symfile_function(symfile, &comparison->symbols, address, &function))
		return;
	snprintf(text, sizeof(text), "0x%" PRIx64 " bytes", (uint64_t)function.parameter_size);
	if (comparison->what == SYMBOL_DIFF_NAME) {
		symbol_diff_say(answer, function.name);
		answer->name = function.name;
	} else {
		symbol_diff_say(answer, text_of(text));
	}
	answer->place = symfile_place(symfile, function.offset, function.length);
}

/* Bodies of functions -------------------------------------------------------------------------- */

/* The function at an address, with its lines and inlined calls; NULL: none. Addresses ascend. */
static struct symbol_diff_body *
body_at(struct symbol_comparison *comparison, int file, uint64_t address)
{
	const struct symfile *symfile = comparison->files[file];
	struct symbol_diff_body *kept = &comparison->bodies[file];
	struct function function;

	if (!symfile_function(symfile, &comparison->symbols, address, &function) ||
	    function.kind != SYMBOL_FUNC)
		return NULL;
	if (kept->body.function.offset != function.offset ||
	    kept->body.function.size != function.size) {
		arena_reset(&kept->arena);
		kept->open_count = kept->next = 0;
		symfile_function_body(symfile, &comparison->symbols, address, &kept->arena,
				      &kept->body);
	}
	return kept;
}

static const struct source_line *
line_at(struct symbol_comparison *comparison, int file, uint64_t address)
{
	const struct symbol_diff_body *kept = body_at(comparison, file, address);

	if (kept == NULL)
		return NULL;
	const struct function_body *body = &kept->body;
	const size_t upto = sorted_upto(SORTED(body->lines, body->line_count, address), address);
	const struct source_line *line = upto > 0 ? &body->lines[upto - 1] : NULL;
	return line != NULL && address - line->address < line->size ? line : NULL;
}

/* The inlined calls around an address, innermost first; returns their number. */
static size_t
calls_at(struct symbol_comparison *comparison, int file, uint64_t address,
		  const struct inline_call *calls[LIMIT_INLINE_DEPTH])
{
	struct symbol_diff_body *kept = body_at(comparison, file, address);
	const struct inline_call *all = kept != NULL ? kept->body.calls : NULL;

	if (kept == NULL)
		return 0;
	/* Calls nest: when one ends, so do all inside it. */
	for (; kept->next < kept->body.call_count && all[kept->next].address <= address;
	     kept->next++) {
		while (kept->open_count > 0 &&
		       all[kept->next].address - all[kept->open[kept->open_count - 1]].address >=
			       all[kept->open[kept->open_count - 1]].size)
			kept->open_count--;
		if (kept->open_count < LIMIT_INLINE_DEPTH)
			kept->open[kept->open_count++] = kept->next;
	}
	while (kept->open_count > 0 &&
	       address - all[kept->open[kept->open_count - 1]].address >=
		       all[kept->open[kept->open_count - 1]].size)
		kept->open_count--;
	for (size_t i = 0; i < kept->open_count; i++)
		calls[i] = &all[kept->open[kept->open_count - 1 - i]];
	return kept->open_count;
}

/* Aspects -------------------------------------------------------------------------------------- */

static void
ask_line(struct symbol_comparison *comparison, int file, uint64_t address,
	 struct symbol_diff_answer *answer)
{
	const struct source_line *line = line_at(comparison, file, address);

	if (line == NULL)
		return;
	const struct text name = there(line->file);
	answer->there = true;
	snprintf(answer->text, sizeof(answer->text), "%.*s:%" PRIu32,
		 TEXT_UPTO(name, SYMBOL_DIFF_TEXT / 2), line->line);
	answer->place = symfile_place(comparison->files[file], line->offset, line->length);
}

static void
ask_calls(struct symbol_comparison *comparison, int file, uint64_t address,
	  struct symbol_diff_answer *answer)
{
	const struct inline_call *calls[LIMIT_INLINE_DEPTH];
	const size_t count = calls_at(comparison, file, address, calls);
	size_t used = 0;

	if (count == 0)
		return;
	answer->there = true;
	answer->place = symfile_place(comparison->files[file], calls[0]->offset, calls[0]->length);
	for (size_t i = 0; i < count && used + 1 < SYMBOL_DIFF_TEXT; i++) {
		const struct inline_call *call = calls[i];
		const struct text name =
			demangle_shown(&comparison->policy, call->name, &comparison->work);
		const struct text file_name = there(call->call_file);
		int length = snprintf(answer->text + used, SYMBOL_DIFF_TEXT - used,
			"%s%.*s at %.*s:%" PRIu32, i > 0 ? " < " : "", TEXT_UPTO(name, 200),
			TEXT_UPTO(file_name, 200), call->call_line);
		used += length > 0 ? (size_t)length : 0;
	}
}

/* Adds the addresses where lines or calls of the functions begin and end. */
static void
add_body_changes(struct symbol_comparison *comparison, int file)
{
	const struct symfile *symfile = comparison->files[file];
	const bool lines = comparison->what == SYMBOL_DIFF_LINE;
	struct function function;

	add_function_changes(comparison, symfile, SYMBOL_FUNC);
	for (size_t i = 0; symfile_function_at(symfile, SYMBOL_FUNC, i, &function); i++) {
		const struct symbol_diff_body *kept =
			body_at(comparison, file, function.address);

		/* Only one of several records at one address is used, and only its body is read. */
		if (kept == NULL || kept->body.function.offset != function.offset)
			continue;
		const struct function_body *body = &kept->body;
		for (size_t j = 0; lines && j < body->line_count; j++) {
			symbol_diff_change(comparison, body->lines[j].address);
			symbol_diff_change(comparison,
					   body->lines[j].address + body->lines[j].size);
		}
		for (size_t j = 0; !lines && j < body->call_count; j++) {
			symbol_diff_change(comparison, body->calls[j].address);
			symbol_diff_change(comparison,
					   body->calls[j].address + body->calls[j].size);
		}
	}
}

static void
add_win_changes(struct symbol_comparison *comparison, int file)
{
	const struct symfile *symfile = comparison->files[file];

	for (unsigned type = 0; type <= 4; type += 4) {
		uint64_t address = 0;

		symbol_diff_change(comparison, 0);
		while (symfile_stack_win_change(symfile, &comparison->symbols, type, address,
						&address))
			symbol_diff_change(comparison, address);
	}
}

void
symbol_diff_ask_win(struct symbol_comparison *comparison, int file, uint64_t address,
		    struct symbol_diff_answer *answer)
{
	const struct symfile *symfile = comparison->files[file];
	struct stack_win win;

	if (!symfile_stack_win(symfile, &comparison->symbols, 4, address, &win) &&
	    !symfile_stack_win(symfile, &comparison->symbols, 0, address, &win))
		return;
	const struct text rule = win.has_program	      ? win.program
				 : win.allocates_base_pointer ? text_of("allocates ebp")
							      : text_of("keeps ebp");
	answer->there = true;
	snprintf(answer->text, sizeof(answer->text),
		 "type %u, parameters %" PRIu32 ", saved %" PRIu32 ", locals %" PRIu32 ", %.*s",
		 win.type, win.parameters, win.saved_registers, win.locals,
		 TEXT_UPTO(rule, SYMBOL_DIFF_TEXT / 2));
	answer->place = symfile_place(symfile, win.offset, win.length);
}

/* The aspects: where they may change, and the answer of a file at an address. */
static const struct aspect {
	void (*add_changes)(struct symbol_comparison *comparison, int file);
	void (*ask)(struct symbol_comparison *comparison, int file, uint64_t address,
		    struct symbol_diff_answer *answer);	/* NULL: compared elsewhere */
	bool optional;
} aspects[SYMBOL_DIFF_WHATS] = {
	[SYMBOL_DIFF_NAME] = { add_name_changes, ask_function, false },
	[SYMBOL_DIFF_LINE] = { add_body_changes, ask_line, true },
	[SYMBOL_DIFF_INLINE] = { add_body_changes, ask_calls, true },
	[SYMBOL_DIFF_WIN] = { add_win_changes, symbol_diff_ask_win, false },
	[SYMBOL_DIFF_PARAMETERS] = { add_name_changes, ask_function, false },
};

/* Compares the answers of the files at each address where the aspect may change. */
static void
compare_aspect(struct symbol_comparison *comparison)
{
	const struct aspect *aspect = &aspects[comparison->what];

	comparison->change_count = 0;
	for (int file = 0; file < 2; file++)
		aspect->add_changes(comparison, file);
	symbol_diff_sort_changes(comparison);
	const uint64_t *changes = comparison->changes;
	const size_t count = comparison->change_count;
	for (size_t i = 0; i < count; i++) {
		const uint64_t last = i + 1 < count ? changes[i + 1] - 1 : UINT64_MAX;

		symbol_diff_forget(comparison);
		for (int file = 0; file < 2; file++)
			aspect->ask(comparison, file, changes[i], &comparison->answers[file]);
		if (symbol_diff_answers_differ(comparison) && still_differ(comparison))
			symbol_diff_tell(comparison, &comparison->open, text_of(""), changes[i],
					 last);
		arena_reset(&comparison->work);
	}
}

static bool
begins_with(struct text line, const char *word)
{
	return line.length > strlen(word) && memcmp(line.start, word, strlen(word)) == 0;
}

/* The next header record with the first word `word`, from `*at` on. */
static struct text
head_record(const struct file *file, const char *word, size_t *at)
{
	static const char *const heads[] = { "MODULE ", "INFO ", "FILE ", "INLINE_ORIGIN " };
	const char *bytes = (const char *)file->data;

	while (*at < file->size) {
		const char *start = bytes + *at,
			   *end = memchr(start, '\n', (size_t)(file->size - *at));
		struct text line = { start, (size_t)((end != NULL ? end : bytes + file->size) -
						     start) };
		bool head = line.length == 0;

		for (size_t i = 0; i < ARRAY_COUNT(heads); i++)
			head |= begins_with(line, heads[i]);
		if (!head)
			break;
		*at += line.length + 1;
		if (begins_with(line, word))
			return line;
	}
	*at = (size_t)file->size;
	return text_of("");
}

/* Compares the header records with the first word `word`, in their order in both files. */
static void
compare_head(struct symbol_comparison *comparison, enum symbol_diff_what what, const char *word)
{
	size_t at[2] = { 0, 0 };
	bool more = true;

	comparison->what = what;
	while (more) {
		symbol_diff_forget(comparison);
		more = false;
		for (int i = 0; i < 2; i++) {
			const struct symfile *symfile = comparison->files[i];
			const struct file *file = symfile_file(symfile);
			const struct text record = head_record(file, word, &at[i]);

			if (record.length == 0)
				continue;
			more = true;
			symbol_diff_say(&comparison->answers[i], record);
			comparison->answers[i].place = symfile_place(
				symfile, (uint64_t)(record.start - (const char *)file->data),
				(uint32_t)record.length);
		}
		if (symbol_diff_answers_differ(comparison))
			symbol_diff_tell(comparison, NULL, text_of(""), 0, 0);
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
name_runs(struct symbol_comparison *comparison)
{
	struct symbol_diff *diff = comparison->diff;

	for (size_t i = 0; i < diff->count; i++) {
		struct function function;

		if (symbol_diff_of_file(&diff->runs[i]) ||
		    (comparison->options->by_name && diff->runs[i].what == SYMBOL_DIFF_NAME))
			continue;
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
	struct symbol_comparison *comparison = calloc(1, sizeof(*comparison));

	*diff = (struct symbol_diff){ 0 };
	if (comparison == NULL) {
		diff->memory_ended = true;
		return;
	}
	*comparison = (struct symbol_comparison){
		.diff = diff, .options = options, .arch = arch, .files = { files[0], files[1] },
		.symbols = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } },
		.policy = options->policy != NULL ? *options->policy
						  : policy_column(POLICY_UNSPOOL) };
	compare_head(comparison, SYMBOL_DIFF_MODULE, "MODULE ");
	compare_head(comparison, SYMBOL_DIFF_INFO, "INFO ");
	for (int what = 0; what < SYMBOL_DIFF_WHATS && !options->by_name; what++) {
		comparison->what = (enum symbol_diff_what)what;
		comparison->open = (struct symbol_diff_open){ 0 };
		if (what == SYMBOL_DIFF_RULE)
			symbol_diff_rules(comparison);
		else if (aspects[what].ask != NULL && (options->lines || !aspects[what].optional))
			compare_aspect(comparison);
	}
	if (options->by_name)
		symbol_diff_by_name(comparison);
	SORT(diff->runs, diff->count, compare_runs);
	name_runs(comparison);
	for (int file = 0; file < 2; file++) {
		arena_free(&comparison->bodies[file].arena);
		arena_free(&comparison->rows[file].arena);
	}
	hash_free(&comparison->rules);
	hash_free(&comparison->inits);
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
	[SYMBOL_DIFF_WIN] = "STACK WIN", [SYMBOL_DIFF_PARAMETERS] = "parameters",
	[SYMBOL_DIFF_SIZE] = "size", [SYMBOL_DIFF_MODULE] = "MODULE", [SYMBOL_DIFF_INFO] = "INFO",
};
