/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol at an address, from a symbol file and from the module's own file: functions whose
 * records are removed from a bundled program's symbol file get names from the program's symbols. */
#include "base/policy_rows.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/symbol_at.h"

#define CRASH "data/crashes/sframe-amd64"
#define SYMBOLS CRASH "/symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym"

/* The functions with FUNC records, which are adjacent. */
#define FIRST 0x1129u
#define LAST 0x12b9u

struct program {
	struct crash crash;
	struct binaries *binaries;
	size_t module;
	struct symfile *whole;
	char text[1 << 16];
};

/* The records that are removed from the symbol file. */
enum taken_out { NOTHING, LINES, FUNCTIONS };

static bool
open_program(struct program *program)
{
	const char *const folders[] = { tap_path(CRASH "/binaries") };
	struct error error;

	if (dump_open(&program->crash, tap_path(CRASH "/crash.dmp"), 0, &error) != ERROR_NONE)
		return false;
	while (program->module < program->crash.module_count && strstr(program->crash.modules[program->module].code_file, "parcel") == NULL)
		program->module++;
	program->binaries = binaries_create(&program->crash, folders, 1);
	return symfile_open(&program->whole, tap_path(SYMBOLS), NULL, &error) == ERROR_NONE &&
	       binaries_load(program->binaries, program->module, LOCATE_IMAGE) != NULL;
}

/* The symbol file without some of its records. */
static struct symfile *
without(struct program *program, enum taken_out out)
{
	const struct file *file = symfile_file(program->whole);
	const char *at = (const char *)file->data, *end = at + file->size;
	struct symfile *symfile = NULL;
	struct error error;
	size_t used = 0;

	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((feed != NULL ? feed + 1 : end) - at);
		const bool function = strncmp(at, "FUNC", 4) == 0;
		const bool line = *at >= '0' && *at <= 'f' && strchr("0123456789abcdef", *at) != NULL;

		if (out == NOTHING || !(line || (out == FUNCTIONS && function))) {
			memcpy(program->text + used, at, length);
			used += length;
		}
		at += length;
	}
	symfile_from_memory(&symfile, "part.sym", program->text, used, &error);
	return symfile;
}

static bool
is_same_function(const struct symbol *one, const struct symbol *other)
{
	return one->found == other->found && text_equal(one->function.name, other->function.name) &&
	       one->function.address == other->function.address && one->function.size == other->function.size &&
	       one->inline_count == other->inline_count;
}

static bool
is_same_symbol(const struct symbol *one, const struct symbol *other)
{
	return is_same_function(one, other) && one->has_line == other->has_line &&
	       (!one->has_line || (one->line.line == other->line.line && text_equal(one->line.file, other->line.file)));
}

/* Check each address of the functions, with the rest of the symbol file and with the program. */
static void
test_part(struct program *program, enum taken_out out, const char *title)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct symfile *part = without(program, out);
	const uint64_t base = program->crash.modules[program->module].base;
	const struct symbol_sources whole = { .symfile = program->whole, .base = base, .policy = &policy, .module = program->module };
	const struct symbol_sources both = { .symfile = part, .binaries = program->binaries, .base = base, .module = program->module,
					     .policy = &policy };
	struct symbol_sources cached = both, alone = both;
	struct arena arena = { 0 };
	bool same = true, kept = true, named = true, bodies = true, places = true;

	cached.cache = symbol_cache_create();
	alone.binaries = NULL;
	for (unsigned round = 0; round < 2; round++)
		for (uint64_t address = base + FIRST; address <= base + LAST; address++) {
			struct symbol wanted, got, again, function;
			symbol_at(&whole, address, &arena, &wanted);
			symbol_at(&both, address, &arena, &got);
			symbol_at(&cached, address, &arena, &again);
			symbol_at(&both, address, NULL, &function);
			same &= out == NOTHING ? is_same_symbol(&wanted, &got) : is_same_function(&wanted, &got);
			same &= (got.own_file != NULL) == (out == FUNCTIONS);
			kept &= is_same_symbol(&got, &again) && got.line.offset == again.line.offset &&
				got.own_file == again.own_file;
			named &= function.found == got.found && text_equal(function.function.name, got.function.name);
			/* Names from the program's own file have a place in it, others in the symbol file. */
			const struct place place = symbol_at_place(part, got.own_file, got.function.offset, got.function.length);
			places &= out == FUNCTIONS ? place.input == got.own_file && place.line == 0 : place.line > 0;
			arena_reset(&arena);
		}
	ok(same, "%s: the program has the answers of the whole symbol file", title);
	ok(kept, "a cache has the same answers");
	ok(named, "a look-up of the function alone has the same name");
	ok(places, "the answers have the place of their record");
	for (uint64_t address = base + FIRST; out == NOTHING && address <= base + LAST; address += 7) {
		struct function_body wanted, got;
		bodies &= symbol_at_body(&whole, address, &arena, &wanted) && symbol_at_body(&both, address, &arena, &got) &&
			  wanted.function.address == got.function.address &&
			  wanted.function.size == got.function.size && got.line_count > 0;
		for (size_t i = 0; bodies && i < wanted.line_count; i++) {
			const struct source_line *line = &wanted.lines[i];
			bool there = false;

			for (size_t k = 0; k < got.line_count; k++)
				there |= got.lines[k].line == line->line && line->address >= got.lines[k].address &&
					 line->address - got.lines[k].address < got.lines[k].size;
			bodies &= there;
		}
		arena_reset(&arena);
	}
	ok(bodies, "functions have all of their lines");
	struct symbol symbol;
	symbol_at(&alone, base + FIRST, &arena, &symbol);
	ok(symbol.has_line == (out == NOTHING) && text_equal(symbol.function.name, text_of("label_length")) == (out != FUNCTIONS),
	   "records that were taken out are missing without the program");
	struct policy off = policy;
	off.value[POLICY_FILE_NAMES] = 0;
	struct symbol_sources unasked = both;
	unasked.policy = &off;
	symbol_at(&unasked, base + FIRST, &arena, &symbol);
	ok(text_equal(symbol.function.name, text_of("label_length")) == (out != FUNCTIONS),
	   "records that were taken out are missing if the policy turns the program off");
	symbol_cache_free(cached.cache);
	symfile_close(part);
	arena_free(&arena);
}

/* The memo gives the file's answers, for many addresses at once and repeatedly. */
static void
test_memo(const struct program *program)
{
	static const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct symbol_cache *cache = symbol_cache_create();
	bool same = true, inlined = true;

	for (unsigned round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 0x1400; i++) {
			/* In another order in each round. */
			const uint64_t address = round == 0   ? i : round == 1 ? 0x1400 - i : i * 7 % 0x1400;
			struct function kept = { 0 }, wanted = { 0 };
			struct symbol symbol;
			struct arena arena = { 0 };
			const bool there = symbol_cache_function(cache, program->whole, &policy, address, &kept);

			same &= there == symfile_function(program->whole, &policy, address, &wanted) && (!there ||
				 (kept.address == wanted.address && kept.size == wanted.size &&
				  text_equal(kept.name, wanted.name)));
			symfile_lookup(program->whole, &policy, address, &arena, &symbol);
			inlined &= symbol_cache_inlined(cache, program->whole, &policy, address) == symbol.inline_count;
			arena_free(&arena);
		}
	ok(same, "a function that is remembered is that of the file");
	ok(inlined, "a remembered function has its number of inlined calls");
	symbol_cache_free(cache);
}

int
main(void)
{
	static struct program program;

	if (!ok(open_program(&program), "a program is opened with its symbol file"))
		return done_testing();
	test_part(&program, NOTHING, "all records");
	test_part(&program, LINES, "no lines");
	test_part(&program, FUNCTIONS, "no functions");
	test_memo(&program);
	symfile_close(program.whole);
	binaries_free(program.binaries);
	crash_free(&program.crash);
	return done_testing();
}
