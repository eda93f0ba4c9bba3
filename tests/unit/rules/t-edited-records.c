/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A symbol file with edits says at every address what a symbol file says in which the edits were
 * made: random files and edits, read both ways.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "rules/edit.h"
#include "symbols/records.h"
#include "tests/lib/chance.h"
#include "tests/lib/tap.h"

#define LINES 64u
#define LINE 160u
#define ADDRESSES 0x90u

static const struct symbols_policy policy = { .public_zero = true };

/* A file as lines, and what each has become; several are parted by line feeds. */
struct model {
	char lines[LINES][LINE], now[LINES][4 * LINE];
	bool edited[LINES];
	size_t count;
	char before[LINES * LINE], after[4 * LINES * LINE];
	struct record_edit edits[LINES];
	size_t edit_count;
};

static void
add_line(struct model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add_line(struct model *model, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (model->count < LINES)
		vsnprintf(model->lines[model->count++], LINE, format, arguments);
	va_end(arguments);
}

/* INIT records with gaps between them, deltas behind each, or all at the end. */
static void
make_lines(struct model *model)
{
	const bool apart = chance(4) == 0;
	unsigned starts[LINES], ends[LINES];
	size_t count = 0;

	*model = (struct model){ .count = 0 };
	add_line(model, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a");
	for (unsigned at = 0x10 + chance(8); at < ADDRESSES - 0x20; at += chance(3) * 4) {
		const unsigned end = at + 4 + chance(16);

		add_line(model, "STACK CFI INIT %x %x .cfa: $rsp 8 + .ra: .cfa -8 + ^", at,
			 end - at);
		for (unsigned delta = at + 1 + chance(4); !apart && delta < end; delta += 1 + chance(8))
			add_line(model, "STACK CFI %x .cfa: $rsp %u +", delta, 8 * (1 + chance(9)));
		starts[count] = at;
		ends[count++] = at = end;
	}
	for (size_t i = 0; apart && i < count; i++)
		for (unsigned delta = starts[i] + 1; delta < ends[i]; delta += 1 + chance(8))
			add_line(model, "STACK CFI %x .cfa: $rsp %u +", delta, 8 * (1 + chance(9)));
}

/* One line becomes another one, none, or several. */
static void
edit_line(struct model *model, size_t at)
{
	struct stack_cfi record;
	char line[LINE], *now = model->now[at];

	memcpy(line, model->lines[at], sizeof(line));
	if (model->edited[at] || !record_stack_cfi(text_of(line), false, &record))
		return;
	model->edited[at] = true;
	switch (chance(6)) {
	case 0: /* other rules */
		snprintf(now, 4 * LINE, "%.*s%s", (int)(record.rules.start - line), line,
			 ".cfa: $rsp 80 + .ra: .cfa -16 + ^");
		break;
	case 1: /* nothing; of an INIT record another size */
		if (record.init)
			snprintf(now, 4 * LINE,
				 "STACK CFI INIT %x %x .cfa: $rsp 8 + .ra: .cfa -8 + ^",
				 (unsigned)record.address, (unsigned)record.size - chance(2));
		break;
	case 2: /* a delta behind it */
		snprintf(now, 4 * LINE, "%s\nSTACK CFI %x .cfa: $rsp 88 +", line,
			 (unsigned)record.address + 1 + chance(6));
		break;
	case 3: /* a delta before it, and a line that is none */
		snprintf(now, 4 * LINE, "STACK CFI %x .cfa: $rsp 96 +\nSTACK CFI INIT\n%s",
			 (unsigned)record.address + chance(6), line);
		break;
	case 4: /* an INIT record behind all others */
		snprintf(now, 4 * LINE,
			 "%s\nSTACK CFI INIT %x %x .cfa: $rsp 104 + .ra: .cfa -8 + ^\nSTACK CFI %x "
			 ".cfa: $rsp "
			 "112 +",
			 line, ADDRESSES - 0x10 + 4 * (unsigned)(at % 4), 2,
			 ADDRESSES - 0xf + 4 * (unsigned)(at % 4));
		break;
	default: /* another address of a delta */
		if (!record.init)
			snprintf(now, 4 * LINE, "STACK CFI %x .cfa: $rsp 120 +",
				 (unsigned)record.address + chance(2));
		else
			snprintf(now, 4 * LINE, "%s", line);
	}
}

/* Both files as texts, and the edits. Some edits are for a line that the file has not. */
static void
make_texts(struct model *model)
{
	size_t used = 0;

	for (size_t i = 0; i < model->count; i++) {
		const size_t offset = strlen(model->before);

		strcat(strcat(model->before, model->lines[i]), "\n");
		if (!model->edited[i] || model->now[i][0] != '\0')
			used += (size_t)sprintf(model->after + used, "%s\n",
						model->edited[i] ? model->now[i] : model->lines[i]);
		if (model->edited[i])
			model->edits[model->edit_count++] = (struct record_edit){
				.file = "a.sym", .offset = offset, .line = (uint32_t)i + 1,
				.was = text_of(model->lines[i]), .now = text_of(model->now[i]) };
		else if (i % 7 == 3)
			model->edits[model->edit_count++] = (struct record_edit){
				.file = "a.sym", .offset = offset, .line = (uint32_t)i + 1,
				.was = text_of("STACK CFI 1 .cfa: 1"),
				.now = text_of("STACK CFI INIT 0 1000 .cfa: 1 .ra: 2") };
	}
}

/* Of deltas with one address the last one counts: the others may be left out. */
static size_t
keep_last(struct stack_cfi *deltas, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || deltas[i].address != deltas[i + 1].address)
			deltas[kept++] = deltas[i];
	return kept;
}

static bool
is_same_record(const struct stack_cfi *one, const struct stack_cfi *other)
{
	return one->init == other->init && one->address == other->address &&
	       one->size == other->size && text_equal(one->rules, other->rules);
}

/* What both say at an address or from it on. */
static bool
is_same(const struct model *model, const struct symfile *const files[2], uint64_t address,
	bool from)
{
	const struct record_edits edits = { model->edits, model->edit_count };
	struct stack_cfi inits[2], *deltas[2];
	struct arena arena = { 0 };
	size_t counts[2] = { 0, 0 };
	bool found[2];

	if (from) {
		found[0] = record_edits_stack_cfi_from(&edits, files[0], &policy, address, &arena,
						       &inits[0], &deltas[0], &counts[0]);
		found[1] = symfile_stack_cfi_from(files[1], &policy, address, &arena, &inits[1],
						  &deltas[1], &counts[1]);
	} else {
		found[0] = record_edits_stack_cfi(&edits, files[0], &policy, address, &arena,
						  &inits[0], &deltas[0], &counts[0]);
		found[1] = symfile_stack_cfi(files[1], &policy, address, &arena, &inits[1],
					     &deltas[1], &counts[1]);
	}
	for (int file = 0; file < 2; file++)
		counts[file] = found[file] ? keep_last(deltas[file], counts[file]) : 0;
	bool same = found[0] == found[1] &&
		    (!found[0] || (is_same_record(&inits[0], &inits[1]) && counts[0] == counts[1]));
	for (size_t i = 0; same && found[0] && i < counts[0]; i++)
		same = is_same_record(&deltas[0][i], &deltas[1][i]);
	if (!same)
		tap_diag("%s%llx: %d %d, %llx %llx, %zu %zu\n%s\n%s", from ? "from " : "",
			 (unsigned long long)address, found[0], found[1],
			 found[0] ? (unsigned long long)inits[0].address : 0,
			 found[1] ? (unsigned long long)inits[1].address : 0, counts[0], counts[1],
			 model->before, model->after);
	arena_free(&arena);
	return same;
}

/* Where something changes is told; more addresses may be. */
static bool
tells_changes(const struct model *model, const struct symfile *const files[2])
{
	const struct record_edits edits = { model->edits, model->edit_count };
	uint64_t told = 0, at = 0, change;

	for (; symfile_stack_cfi_change(files[1], &policy, at, &change); at = change) {
		struct stack_cfi init, *deltas;
		struct arena arena = { 0 };
		size_t count;
		/* Where an INIT record that was made ends nothing is told. */
		const bool begins = symfile_stack_cfi(files[1], &policy, change, &arena, &init,
						      &deltas, &count);

		arena_free(&arena);
		while (told < change &&
		       record_edits_stack_cfi_change(&edits, files[0], &policy, told, &told))
			;
		if (begins && told != change)
			return false;
	}
	return true;
}

/* A record that edits made has its line of the file, and what the file had of it. */
static bool
has_origins(const struct model *model, const struct symfile *symfile)
{
	const struct record_edits edits = { model->edits, model->edit_count };

	for (uint64_t address = 0; address < ADDRESSES; address++) {
		struct stack_cfi init, *deltas, was;
		struct arena arena = { 0 };
		size_t count;
		bool good = true;

		if (record_edits_stack_cfi(&edits, symfile, &policy, address, &arena, &init,
					   &deltas, &count)) {
			const char *line = model->before + init.offset;
			const bool own = strncmp(line + init.rules_column - 1, init.rules.start,
						 init.rules.length) == 0 &&
					 init.rules.start >= model->before &&
					 init.rules.start < model->before + sizeof(model->before);

			good = record_edit_made(symfile, &init, &was) == !own && init.length > 0 &&
			       init.length == strcspn(line, "\n");
			if (good && !own && was.rules.length > 0)
				good = was.init && was.address == init.address &&
				       strncmp(line, "STACK CFI INIT", 14) == 0;
		}
		arena_free(&arena);
		if (!good)
			return false;
	}
	return true;
}

static void
test_seed(unsigned seed)
{
	static struct model model;
	struct symfile *files[2] = { NULL, NULL };
	struct error error;
	bool here = true, from = true;

	chance_begin(seed);
	make_lines(&model);
	for (unsigned i = 0; i < 1 + seed % 6; i++)
		edit_line(&model, chance((unsigned)model.count));
	make_texts(&model);
	symfile_from_memory(&files[0], "a.sym", model.before, strlen(model.before), &error);
	symfile_from_memory(&files[1], "b.sym", model.after, strlen(model.after), &error);
	const struct symfile *const both[2] = { files[0], files[1] };
	for (uint64_t address = 0; address < ADDRESSES && here && from; address++) {
		here = is_same(&model, both, address, false);
		from = is_same(&model, both, address, true);
	}
	ok(here, "what is said at an address is that of the edited file, %u", seed);
	ok(from, "so is what is said from there on");
	ok(tells_changes(&model, both), "addresses where something changes are told");
	ok(has_origins(&model, files[0]), "records have their lines");
	for (int file = 0; file < 2; file++)
		symfile_close(files[file]);
}

/* Records that another one shadows until it is edited, and not before. */
static void
test_shadowed(void)
{
#define INIT(range) "STACK CFI INIT " range " .cfa: $rsp 8 + .ra: .cfa -8 + ^"
	static const struct {
		const char *title, *lines[6], *now[6];	/* NULL: as it was */
	} cases[] = {
		{ "an INIT record that became shorter shadows less",
		  { INIT("10 20"), INIT("20 20"), "STACK CFI 28 .cfa: $rsp 16 +" },
		  { INIT("10 10") } },
		{ "one that was taken out shadows nothing",
		  { INIT("10 20"), "STACK CFI 18 .cfa: $rsp 16 +", INIT("20 20") }, { "" } },
		{ "the second edit may be the one that matters",
		  { INIT("10 20"), "STACK CFI 18 .cfa: $rsp 16 +", INIT("40 10"), INIT("48 10") },
		  { NULL, "STACK CFI 19 .cfa: $rsp 16 +", INIT("40 8") } },
		{ "an edited delta changes nothing of what is shadowed",
		  { INIT("10 20"), "STACK CFI 18 .cfa: $rsp 16 +", INIT("20 20") },
		  { NULL, "STACK CFI 18 .cfa: $rsp 24 +" } },
		{ "an INIT record that became longer covers deltas behind it",
		  { INIT("10 8"), "STACK CFI 14 .cfa: $rsp 16 +", "STACK CFI 1a .cfa: $rsp 24 +" },
		  { INIT("10 10") } },
		{ "one at a lower address covers them as well",
		  { INIT("18 8"), "STACK CFI 14 .cfa: $rsp 16 +", "STACK CFI 1a .cfa: $rsp 24 +" },
		  { INIT("10 10") } },
		{ "two deltas of one address stay in their order",
		  { INIT("10 10"), "STACK CFI 14 .cfa: $rsp 16 +", "STACK CFI 14 .cfa: $rsp 24 +" },
		  { INIT("10 12") } },
		{ "records in no order: the first of the file may be the next",
		  { INIT("20 10"), INIT("10 8"), "STACK CFI 12 .cfa: $rsp 16 +" }, { NULL, "" } },
		{ "a delta that became an INIT record",
		  { INIT("10 10"), "STACK CFI 14 .cfa: $rsp 16 +" }, { NULL, INIT("30 10") } },
	};
#undef INIT

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		static struct model model;
		struct symfile *files[2] = { NULL, NULL };
		bool same = true;
		struct error error;

		model = (struct model){ .count = 0 };
		add_line(&model, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a");
		for (size_t k = 0; k < 6 && cases[i].lines[k] != NULL; k++) {
			model.edited[model.count] = cases[i].now[k] != NULL;
			if (cases[i].now[k] != NULL)
				strcpy(model.now[model.count], cases[i].now[k]);
			add_line(&model, "%s", cases[i].lines[k]);
		}
		make_texts(&model);
		symfile_from_memory(&files[0], "a.sym", model.before, strlen(model.before), &error);
		symfile_from_memory(&files[1], "b.sym", model.after, strlen(model.after), &error);
		const struct symfile *const both[2] = { files[0], files[1] };
		for (uint64_t address = 0; address < ADDRESSES && same; address++)
			same = is_same(&model, both, address, false) &&
			       is_same(&model, both, address, true);
		ok(same, "%s", cases[i].title);
		for (int file = 0; file < 2; file++)
			symfile_close(files[file]);
	}
}

/* Without edits the file says what it says. */
static void
test_none(void)
{
	static const char text[] = "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a\n"
				   "STACK CFI INIT 10 8 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n";
	const struct record_edits none = { NULL, 0 };
	struct symfile *symfile = NULL;
	struct stack_cfi init, *deltas;
	struct arena arena = { 0 };
	struct error error;
	uint64_t change = 0;
	size_t count;

	symfile_from_memory(&symfile, "a.sym", text, strlen(text), &error);
	ok(record_edits_stack_cfi(NULL, symfile, &policy, 0x10, &arena, &init, &deltas, &count) &&
	   record_edits_stack_cfi(&none, symfile, &policy, 0x17, &arena, &init, &deltas, &count) &&
	   !record_edits_stack_cfi(&none, symfile, &policy, 0x18, &arena, &init, &deltas, &count),
	   "without edits a record covers what it covers");
	ok(record_edits_stack_cfi_from(NULL, symfile, &policy, 0, &arena, &init, &deltas, &count) &&
	   init.address == 0x10, "and is the first");
	ok(record_edits_stack_cfi_change(NULL, symfile, &policy, 0, &change) && change == 0x10 &&
	   record_edits_stack_cfi_change(NULL, symfile, &policy, 0x10, &change) && change == 0x18 &&
	   !record_edits_stack_cfi_change(NULL, symfile, &policy, 0x18, &change),
	   "with its first address and its end");
	arena_free(&arena);
	symfile_close(symfile);
}

int
main(void)
{
	for (unsigned seed = 1; seed <= 150; seed++)
		test_seed(seed);
	test_none();
	test_shadowed();
	return done_testing();
}
