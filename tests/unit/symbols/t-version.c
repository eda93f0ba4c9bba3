/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A version of a symbol file gives the same answers at every address as a symbol file in which the
 * edits were made: random files and edits, read both ways. */
#include "base/policy_rows.h"
#include "symbols/records.h"
#include "symbols/version.h"
#include "tests/lib/chance.h"
#include "tests/lib/tap.h"

#define LINES 256u
#define LINE 160u
#define ADDRESSES 0x90u

static const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };

/* A file as lines, and the replacement of each; line feeds separate the lines of a replacement. */
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

/* Numbered names, functions with lines and inlined calls, and records of STACK WIN. */
static void
make_functions(struct model *model)
{
	for (unsigned i = 0; i < 3; i++) {
		add_line(model, "FILE %u file%u.c", i, i);
		add_line(model, "INLINE_ORIGIN %u origin%u", i, i);
	}
	for (unsigned at = 0x10 + chance(8); at < ADDRESSES - 0x20; at += 8 + chance(16)) {
		const unsigned size = 4 + chance(16);
		add_line(model, "FUNC %x %x 0 f%x", at, size, at);
		if (chance(2) == 0)
			add_line(model, "INLINE 0 7 1 %u %x %x", chance(4), at + 1, 1 + chance(6));
		for (unsigned line = at; line < at + size; line += 3)
			add_line(model, "%x %x %u %u", line, 3, line, chance(4));
		if (chance(3) == 0)
			add_line(model, "PUBLIC %x 0 p%x", at + size, at + size);
	}
	for (unsigned i = 0; i < 3; i++)
		add_line(model, "STACK WIN %u %x %x 1 0 4 0 8 0 %s", chance(2) * 4, 0x10 + chance(0x60), 4 + chance(24), "1 $eip 4 + ^ =");
}

/* INIT records with gaps between them, with deltas after each, or all at the end. */
static void
make_lines(struct model *model)
{
	const bool apart = chance(4) == 0;
	unsigned starts[LINES], ends[LINES];
	size_t count = 0;

	*model = (struct model){ .count = 0 };
	add_line(model, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a");
	make_functions(model);
	for (unsigned at = 0x10 + chance(8); at < ADDRESSES - 0x20; at += chance(3) * 4) {
		const unsigned end = at + 4 + chance(16);
		add_line(model, "STACK CFI INIT %x %x .cfa: $rsp 8 + .ra: .cfa -8 + ^", at, end - at);
		for (unsigned delta = at + 1 + chance(4); !apart && delta < end; delta += 1 + chance(8))
			add_line(model, "STACK CFI %x .cfa: $rsp %u +", delta, 8 * (1 + chance(9)));
		starts[count] = at;
		ends[count++] = at = end;
	}
	for (size_t i = 0; apart && i < count; i++)
		for (unsigned delta = starts[i] + 1; delta < ends[i]; delta += 1 + chance(8))
			add_line(model, "STACK CFI %x .cfa: $rsp %u +", delta, 8 * (1 + chance(9)));
}

/* Replace a line of a function or a name by another one, by nothing, or by several. */
static void
edit_other_line(const char *line, char *now)
{
	static const char *const others[] = {
		"FUNC 20 8 4 other", "FUNC m 28 20 0 longer\n28 4 5 1", "PUBLIC 30 0 public", "1c 8 99 2", "INLINE 0 9 2 1 12 10",
		"INLINE 1 9 2 0 14 4", "FILE 1 other.c", "FILE 9 new.c\nINLINE_ORIGIN 9 new", "INLINE_ORIGIN 0 other", "nothing at all",
		"STACK WIN 4 20 30 1 0 4 0 16 0 1 $eip 8 + ^ =", "STACK WIN 0 40 8 1 0 4 0 24 0 0 1", "INFO CODE_ID 1",
	};
	const char *other = others[chance(ARRAY_COUNT(others))];

	switch (chance(4)) {
	case 0:
		break;
	case 1:
		sprintf(now, "%s\n%s", line, other);
		break;
	case 2:
		sprintf(now, "%s\n%s", other, line);
		break;
	default:
		strcpy(now, other);
	}
}

/* Replace one line by another one, by nothing, or by several. */
static void
edit_line(struct model *model, size_t at)
{
	struct stack_cfi record;
	char line[LINE], *now = model->now[at];

	memcpy(line, model->lines[at], sizeof(line));
	if (model->edited[at] || at == 0)
		return;
	if (!record_stack_cfi(text_of(line), false, &record)) {
		model->edited[at] = true;
		edit_other_line(line, now);
		return;
	}
	model->edited[at] = true;
	switch (chance(6)) {
	case 0: /* other rules */
		snprintf(now, 4 * LINE, "%.*s%s", (int)(record.rules.start - line), line, ".cfa: $rsp 80 + .ra: .cfa -16 + ^");
		break;
	case 1: /* nothing; of an INIT record another size */
		if (record.init)
			snprintf(now, 4 * LINE, "STACK CFI INIT %x %x .cfa: $rsp 8 + .ra: .cfa -8 + ^",
				 (unsigned)record.address, (unsigned)record.size - chance(2));
		break;
	case 2: /* a delta after it */
		snprintf(now, 4 * LINE, "%s\nSTACK CFI %x .cfa: $rsp 88 +", line, (unsigned)record.address + 1 + chance(6));
		break;
	case 3: /* a delta before it, and a line that is no delta */
		snprintf(now, 4 * LINE, "STACK CFI %x .cfa: $rsp 96 +\nSTACK CFI INIT\n%s", (unsigned)record.address + chance(6), line);
		break;
	case 4: /* an INIT record after all others */
		snprintf(now, 4 * LINE, "%s\nSTACK CFI INIT %x %x .cfa: $rsp 104 + .ra: .cfa -8 + ^\nSTACK CFI %x "
			 ".cfa: $rsp 112 +", line, ADDRESSES - 0x10 + 4 * (unsigned)(at % 4), 2,
			 ADDRESSES - 0xf + 4 * (unsigned)(at % 4));
		break;
	default: /* another address of a delta */
		if (!record.init)
			snprintf(now, 4 * LINE, "STACK CFI %x .cfa: $rsp 120 +", (unsigned)record.address + chance(2));
		else
			snprintf(now, 4 * LINE, "%s", line);
	}
}

/* Both files as texts, and the edits. Some edits are for lines that the file lacks. */
static void
make_texts(struct model *model)
{
	size_t used = 0;

	for (size_t i = 0; i < model->count; i++) {
		const size_t offset = strlen(model->before);
		strcat(strcat(model->before, model->lines[i]), "\n");
		if (!model->edited[i] || model->now[i][0] != '\0')
			used += (size_t)sprintf(model->after + used, "%s\n", model->edited[i] ? model->now[i] : model->lines[i]);
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

/* Keep the last of the deltas at one address, because the others have no effect. */
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

static bool
is_same_cfi(const struct symfile *const files[2], uint64_t address, bool from)
{
	struct stack_cfi_records cfi[2];
	struct arena arena = { 0 };
	size_t counts[2] = { 0, 0 };
	bool found[2];

	for (int file = 0; file < 2; file++) {
		found[file] = (from ? symfile_stack_cfi_from : symfile_stack_cfi)(files[file], &policy, address, &arena, &cfi[file]);
		counts[file] = found[file] ? keep_last(cfi[file].deltas, cfi[file].delta_count) : 0;
	}
	bool same = found[0] == found[1] && (!found[0] || (is_same_record(&cfi[0].init, &cfi[1].init) && counts[0] == counts[1]));
	for (size_t i = 0; same && found[0] && i < counts[0]; i++)
		same = is_same_record(&cfi[0].deltas[i], &cfi[1].deltas[i]);
	arena_free(&arena);
	return same;
}

static bool
is_same_function(const struct function *one, const struct function *other)
{
	return one->kind == other->kind && one->address == other->address &&
	       one->size == other->size && one->parameter_size == other->parameter_size && text_equal(one->name, other->name);
}

static bool
is_same_symbol(const struct symbol *one, const struct symbol *other)
{
	bool same = one->found == other->found && one->has_line == other->has_line && one->has_inline == other->has_inline &&
		    is_same_function(&one->function, &other->function) && one->line.address == other->line.address &&
		    one->line.size == other->line.size && one->line.line == other->line.line &&
		    text_equal(one->line.file, other->line.file) && one->inline_count == other->inline_count &&
		    one->shadowed_count == other->shadowed_count;

	for (size_t i = 0; same && i < one->inline_count; i++)
		same = text_equal(one->inlines[i].name, other->inlines[i].name) &&
		       text_equal(one->inlines[i].call_file, other->inlines[i].call_file) &&
		       one->inlines[i].call_line == other->inlines[i].call_line &&
		       one->inlines[i].address == other->inlines[i].address && one->inlines[i].size == other->inlines[i].size;
	for (size_t i = 0; same && i < one->shadowed_count; i++)
		same = is_same_function(&one->shadowed[i], &other->shadowed[i]);
	return same;
}

/* Names, lines and inlined calls. */
static bool
is_same_names(const struct symfile *const files[2], uint64_t address)
{
	struct symbol symbols[2];
	struct arena arena = { 0 };

	for (int file = 0; file < 2; file++)
		symfile_lookup(files[file], &policy, address, &arena, &symbols[file]);
	const bool same = is_same_symbol(&symbols[0], &symbols[1]);
	arena_free(&arena);
	return same;
}

static bool
is_same_win(const struct symfile *const files[2], uint64_t address)
{
	bool same = true;

	for (unsigned type = 0; type <= 4; type += 4) {
		struct stack_win records[2];
		uint64_t changes[2] = { 0, 0 };
		bool found[2], changed[2];

		for (int file = 0; file < 2; file++) {
			found[file] = symfile_stack_win(files[file], &policy, type, address, &records[file]);
			changed[file] = symfile_stack_win_change(files[file], &policy, type, address, &changes[file]);
		}
		same = same && found[0] == found[1] && changed[0] == changed[1] && (!changed[0] || changes[0] == changes[1]) &&
		       (!found[0] || (records[0].address == records[1].address && records[0].size == records[1].size &&
				      records[0].locals == records[1].locals &&
				      text_equal(records[0].program, records[1].program)));
	}
	return same;
}

/* True if a version has the file's answers at an address and from it on. */
static bool
is_same(const struct model *model, const struct symfile *const files[2], uint64_t address)
{
	uint64_t changes[2] = { 0, 0 };
	const bool changed = symfile_stack_cfi_change(files[0], &policy, address, &changes[0]);
	const char *wrong = !is_same_cfi(files, address, false)  ? "STACK CFI"
		: !is_same_cfi(files, address, true) ? "STACK CFI from there on" : !is_same_names(files, address)     ? "names"
		: !is_same_win(files, address)	     ? "STACK WIN"
		: changed != symfile_stack_cfi_change(files[1], &policy, address, &changes[1]) ||
				changes[0] != changes[1] ? "where it changes" : NULL;

	if (wrong != NULL)
		tap_diag("%s at %llx\n%s\n%s", wrong, (unsigned long long)address, model->before, model->after);
	return wrong == NULL;
}

/* A record of a version has the place of a line of the file, and the old record is known. */
static bool
has_origins(const struct model *model, const struct symfile *version)
{
	for (uint64_t address = 0; address < ADDRESSES; address++) {
		struct stack_cfi_records cfi;
		struct arena arena = { 0 };
		struct text now;
		bool good = true;

		if (symfile_stack_cfi(version, &policy, address, &arena, &cfi)) {
			const struct stack_cfi init = cfi.init;
			const char *line = model->before + init.offset;
			const bool own = init.rules.start >= model->before &&
					 init.rules.start < model->before + sizeof(model->before);

			good = symfile_now(version, init.offset, &now) == !own && init.length == strcspn(line, "\n") &&
			       (own || memmem(now.start, now.length, init.rules.start, init.rules.length) != NULL);
		}
		arena_free(&arena);
		if (!good)
			return false;
	}
	return true;
}

/* Open both files of a model: a version of the first, and the second. */
static void
open_files(const struct model *model, struct symfile **file, struct symfile **version, struct symfile **other)
{
	const struct record_edits edits = { model->edits, model->edit_count };
	struct error error;

	symfile_from_memory(file, "a.sym", model->before, strlen(model->before), &error);
	symfile_from_memory(other, "b.sym", model->after, strlen(model->after), &error);
	ok(symfile_version(version, *file, &edits), "a version is made");
}

static void
test_seed(unsigned seed)
{
	static struct model model;
	struct symfile *file, *version, *other;
	bool same = true;

	chance_begin(seed);
	make_lines(&model);
	for (unsigned i = 0; i < 1 + seed % 6; i++)
		edit_line(&model, chance((unsigned)model.count));
	make_texts(&model);
	open_files(&model, &file, &version, &other);
	const struct symfile *const both[2] = { version != NULL ? version : file, other };
	for (uint64_t address = 0; address < ADDRESSES && same; address++)
		same = is_same(&model, both, address);
	ok(same, "a version gives the same answers as the edited file: %u", seed);
	ok(has_origins(&model, both[0]), "the records of a version are at lines of the file: %u", seed);
	symfile_close(version);
	symfile_close(file);
	symfile_close(other);
}

/* Records that another one shadows until that is edited. */
TEST(shadowed)
{
#define INIT(range) "STACK CFI INIT " range " .cfa: $rsp 8 + .ra: .cfa -8 + ^"
#define DELTA(address, size) "STACK CFI " address " .cfa: $rsp " size " +"
	static const struct {
		const char *title, *lines[6], *now[6];	/* NULL: as it was */
	} cases[] = {
		{ "an INIT record that became shorter shadows fewer records",
		  { INIT("10 20"), INIT("20 20"), DELTA("28", "16") }, { INIT("10 10") } },
		{ "an INIT record that was taken out shadows no record", { INIT("10 20"), DELTA("18", "16"), INIT("20 20") }, { "" } },
		{ "the second edit may be the one that matters", { INIT("10 20"), DELTA("18", "16"),
		  INIT("40 10"), INIT("48 10") }, { NULL, DELTA("19", "16"), INIT("40 8") } },
		{ "an edited delta does not change what is shadowed", { INIT("10 20"),
		  DELTA("18", "16"), INIT("20 20") }, { NULL, DELTA("18", "24") } },
		{ "an INIT record that became longer covers deltas after it",
		  { INIT("10 8"), DELTA("14", "16"), DELTA("1a", "24") }, { INIT("10 10") } },
		{ "an INIT record at a lower address covers deltas after it",
		  { INIT("18 8"), DELTA("14", "16"), DELTA("1a", "24") }, { INIT("10 10") } },
		{ "two deltas of one address stay in their order",
		  { INIT("10 10"), DELTA("14", "16"), DELTA("14", "24") }, { INIT("10 12") } },
		{ "the first record of an unordered file is the next by address",
		  { INIT("20 10"), INIT("10 8"), DELTA("12", "16") }, { NULL, "" } },
		{ "a delta becomes an INIT record", { INIT("10 10"), DELTA("14", "16") }, { NULL, INIT("30 10") } },
	};
#undef INIT
#undef DELTA

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		static struct model model;
		struct symfile *file, *version, *other;
		bool same = true;

		model = (struct model){ .count = 0 };
		add_line(&model, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a");
		for (size_t k = 0; k < 6 && cases[i].lines[k] != NULL; k++) {
			model.edited[model.count] = cases[i].now[k] != NULL;
			if (cases[i].now[k] != NULL)
				strcpy(model.now[model.count], cases[i].now[k]);
			add_line(&model, "%s", cases[i].lines[k]);
		}
		make_texts(&model);
		open_files(&model, &file, &version, &other);
		const struct symfile *const both[2] = { version != NULL ? version : file, other };
		for (uint64_t address = 0; address < ADDRESSES && same; address++)
			same = is_same(&model, both, address);
		ok(same, "%s", cases[i].title);
		symfile_close(version);
		symfile_close(file);
		symfile_close(other);
	}
}

/* A version is made only if the file has the line of an edit. */
TEST(none)
{
	static const char text[] = "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a\n"
				   "FUNC 10 8 0 f\n";
	static const struct record_edit others[] = {
		{ .file = "b.sym", .offset = 56, .was = { "FUNC 10 8 0 f", 13 } },
		{ .file = "a.sym", .offset = 56, .was = { "FUNC 10 9 0 f", 13 } },
		{ .file = "a.sym", .offset = 56, .was = { "FUNC 10 8 0", 11 } },
		{ .file = "a.sym", .offset = 57, .was = { "UNC 10 8 0 f", 12 } },
	};
	struct symfile *symfile = NULL, *version;
	struct error error;
	struct text now;

	symfile_from_memory(&symfile, "a.sym", text, strlen(text), &error);
	ok(symfile_version(&version, symfile, &(struct record_edits){ 0 }) && version == NULL,
	   "no version is made without edits");
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		ok(symfile_version(&version, symfile, &(struct record_edits){ &others[i], 1 }) &&
		   version == NULL, "no version is made with edits of other lines, %zu", i);
	ok(symfile_unedited(symfile) == symfile && !symfile_now(symfile, 56, &now), "a file without edits is its own version");
	symfile_close(symfile);
}

int
main(void)
{
	for (unsigned seed = 1; seed <= 150; seed++)
		test_seed(seed);
	run_tests();
	return done_testing();
}
