/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, lines and inlined calls of an address from the module's own file, alone and together with a symbol file that has some
 * names: tests/batch/locals/x86_64/optimised.O2, as `addr2line -f -i` of binutils 2.40 prints it. */
#include <config.h>

#include <unistd.h>

#include "base/policy_rows.h"
#include "base/user_names.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/location.h"
#include "walk/symbol_at.h"

/* The output of addr2line for every byte of a range, from the innermost call on. */
static const struct printed {
	uint64_t first, last;
	const char *calls;
} printed[] = {
	{ 0x1040, 0x1042, "main 73" },	     { 0x1043, 0x1046, "main 72" },
	{ 0x1047, 0x106b, "main 76" },	     { 0x106c, 0x1070, "main 77" },
	{ 0x1170, 0x1176, "crash 14" },	     { 0x1177, 0x117d, "crash 15" },
	{ 0x117e, 0x1180, "crash 13" },	     { 0x1181, 0x1183, "crash 15" },
	{ 0x1190, 0x1192, "lost 21" },	     { 0x1193, 0x1195, "lost 22" },
	{ 0x11a6, 0x11aa, "lost 28" },	     { 0x11ab, 0x11ab, "lost 29" },
	{ 0x11b0, 0x11b7, "pieces 35" },     { 0x11e9, 0x11e9, "pieces 40" },
	{ 0x11f0, 0x11f2, "pointer 52" },    { 0x11f3, 0x11f5, "pointer 55" },
	{ 0x11f6, 0x11fd, "pointer 53" },    { 0x11fe, 0x11ff, "pointer 57" },
	{ 0x1200, 0x1203, "pointer 52" },    { 0x1204, 0x1206, "pointer 53" },
	{ 0x1207, 0x120a, "pointer 55" },    { 0x120b, 0x1214, "pointer 58" },
	{ 0x1215, 0x1218, "pointer 57" },    { 0x1219, 0x121f, "pointer 58" },
	{ 0x1220, 0x1225, "pointer 57" },    { 0x1226, 0x1229, "through 45 < pointer 59" }, { 0x122a, 0x1230, "through 47 < pointer 59" },
	{ 0x1231, 0x1234, "pointer 59" },    { 0x1235, 0x1248, "through 47 < pointer 59" },
	{ 0x1249, 0x124c, "pointer 60" },    { 0x124d, 0x124f, "pointer 59" },
	{ 0x1250, 0x1250, "pointer 60" },    { 0x1260, 0x1262, "tail 65" },
	{ 0x1263, 0x1266, "tail 64" },	     { 0x1290, 0x1294, "tail 68" },
};

struct opened {
	struct crash crash;
	struct binaries *binaries;
	struct symbols *symbols;
	struct walk *walk;
	size_t module;
	char file[64];			/* name of the symbol file, or empty */
	struct user_names names;
	struct arena arena;
};

/* The program whose core is opened next. */
static const char *core = "optimised";

static bool
open_program(struct opened *program, const char *records)
{
	const char *const folders[] = { tap_path("tests/batch/locals/x86_64") };
	const char *const files[] = { program->file };
	const char *path = tap_path("tests/batch/locals/x86_64.%s.O2.core.gz", core);
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;

	*program = (struct opened){ .file = "" };
	if (dump_open(&program->crash, path, 0, &error) != ERROR_NONE)
		return false;
	while (program->module < program->crash.module_count && strstr(program->crash.modules[program->module].code_file, core) == NULL)
		program->module++;
	if (program->module == program->crash.module_count)
		return false;
	const struct module *module = &program->crash.modules[program->module];
	if (records != NULL) {
		snprintf(program->file, sizeof(program->file), "unspool-names.XXXXXX");
		const int file = mkstemp(program->file);

		dprintf(file, "MODULE Linux x86_64 %s %s\n%s", module->debug_id, core, records);
		close(file);
	}
	program->names.active = true;
	program->crash.names = &program->names;
	program->binaries = binaries_create(&program->crash, folders, 1);
	program->symbols = symbols_create(program->crash.modules, program->crash.module_count, files, records != NULL ? 1 : 0);
	program->walk = walk_create(&program->crash, program->symbols, program->binaries, 0, &policy);
	return binaries_load(program->binaries, program->module, LOCATE_IMAGE) != NULL;
}

static void
close_program(struct opened *program)
{
	walk_free(program->walk);
	symbols_free(program->symbols);
	binaries_free(program->binaries);
	program->crash.names = NULL;
	crash_free(&program->crash);
	user_names_free(&program->names);
	arena_free(&program->arena);
	if (program->file[0] != '\0')
		unlink(program->file);
}

static uint64_t
base_of(const struct opened *program)
{
	return program->crash.modules[program->module].base;
}

/* The calls at an address in the table's form, with files that are not the program's own. */
static const char *
calls_at(struct opened *program, uint64_t address, char text[300])
{
	struct location location;
	size_t used = 0;

	text[0] = '\0';
	location_of(program->walk, base_of(program) + address, &program->arena, &location);
	for (size_t i = 0; i < location.call_count; i++) {
		const struct call *call = &location.calls[i];
		const char *slash = call->file.length > 0 ? memrchr(call->file.start, '/', call->file.length) : NULL;
		const struct text file = slash == NULL ? call->file
				      : (struct text){ slash + 1, call->file.length - 1 - (size_t)(slash - call->file.start) };

		used += (size_t)snprintf(text + used, 300 - used, "%s%.*s", i > 0 ? " < " : "", (int)call->name.length, call->name.start);
		if (call->has_line && !text_equal(file, text_of("optimised.c")))
			used += (size_t)snprintf(text + used, 300 - used, " %.*s", (int)file.length, file.start);
		if (call->has_line)
			used += (size_t)snprintf(text + used, 300 - used, " %u", call->line);
	}
	return text;
}

/* The program's own file alone: check each byte of the ranges. */
TEST(alone)
{
	struct opened program;
	char text[300];

	ok(open_program(&program, NULL), "a core is opened with its program");
	for (size_t i = 0; i < ARRAY_COUNT(printed); i++) {
		bool same = true;
		for (uint64_t at = printed[i].first; at <= printed[i].last; at++)
			same &= strcmp(calls_at(&program, at, text), printed[i].calls) == 0;
		ok(same, "%llx to %llx: %s", (unsigned long long)printed[i].first, (unsigned long long)printed[i].last, printed[i].calls);
		arena_reset(&program.arena);
	}
	is_str(calls_at(&program, 0x1080, text), "_start", "a symbol table gives a name without a line if DWARF has no function");
	close_program(&program);
}

#define FUNC "FILE 1 /home/alice/own.c\nFUNC 11f0 61 0 pointer\n"
#define LINE "1220 20 7 1\n"

/* The program's own file and a symbol file with a part of the records. */
static const struct {
	const char *title, *records;
	uint64_t address;
	const char *calls;
	bool own;			/* the function comes from the program's own file */
} parts[] = {
	{ "a FUNC record without lines has those of the program", FUNC, 0x122a, "through 47 < pointer 59", false },
	{ "a FUNC record with lines keeps them and has the program's inlined calls", FUNC LINE,
	  0x122a, "through own.c 7 < pointer 59", false },
	{ "the program's line is used if a FUNC record has none at the address", FUNC LINE, 0x1241, "through 47 < pointer 59", false },
	{ "a FUNC record with INLINE records has only its own inlined calls",
	  "INLINE_ORIGIN 0 inner\n" FUNC "INLINE 0 3 1 0 1220 8\n" LINE, 0x122a, "pointer own.c 7", false },
	{ "an inlined call of INLINE records is found at its address", "INLINE_ORIGIN 0 inner\n"
	  FUNC "INLINE 0 3 1 0 1220 8\n" LINE, 0x1227, "inner own.c 7 < pointer own.c 3", false },
	{ "the name of the records is used if the program has another one",
	  "FUNC 11f0 61 0 other\n", 0x122a, "through 47 < other 59", false },
	{ "a PUBLIC record is less than DWARF", "PUBLIC 11f0 0 other\n", 0x122a, "through 47 < pointer 59", true },
	{ "a PUBLIC record is preferred to a symbol table, which has no lines", "PUBLIC 1080 0 other\n", 0x1084, "other", false },
	{ "a FUNC record elsewhere says nothing here", "FUNC 1170 15 0 crash\n", 0x122a, "through 47 < pointer 59", true },
};

TEST_EACH(parts, parts)
{
	char text[300];
	struct location location;
	struct opened program;

	open_program(&program, parts[i].records);
	is_str(calls_at(&program, parts[i].address, text), parts[i].calls, "%s", parts[i].title);
	/* The second look-up is answered by the walk's cache. */
	is_str(calls_at(&program, parts[i].address, text), parts[i].calls, "a second look-up has the same calls");
	location_of(program.walk, base_of(&program) + parts[i].address, &program.arena, &location);
	ok((location.symbol.own_file != NULL) == parts[i].own,
	   "the function of the address is of the %s", parts[i].own ? "program" : "symbol file");
	const bool named = strstr(text, "own.c") != NULL;
	ok((program.names.count == 1) == named, "the users in the sources are %s", named ? "learned" : "not there");
	close_program(&program);
}

static struct symbol_sources
sources_of(const struct opened *program)
{
	return (struct symbol_sources){
		.symfile = walk_symfile(program->walk, (int)program->module),
		.binaries = program->binaries, .module = program->module, .base = base_of(program),
		.policy = &program->walk->policy, .names = &program->crash.names[0],
	};
}

/* Whole functions: lines in the order of their addresses, and the inlined calls. */
static const struct {
	const char *title, *records;
	uint64_t address;
	bool found, lines;	/* lines: those of addr2line */
	uint64_t size;
	size_t calls;
} bodies[] = {
	{ "the function of the program", NULL, 0x1235, true, true, 0x61, 2 },
	{ "the function of a FUNC record without lines", FUNC, 0x1235, true, true, 0x61, 2 },
	{ "the function of a FUNC record that ends after the first inlined call", "FUNC 11f0 45 0 pointer\n", 0x1200, true, true, 0x45, 1 },
	{ "the function of a FUNC record that ends where that call begins", "FUNC 11f0 36 0 pointer\n", 0x1200, true, true, 0x36, 0 },
	{ "the function of a FUNC record that begins after the start of that call",
	  "FUNC 1227 2a 0 pointer\n", 0x1235, true, true, 0x2a, 1 },
	{ "the function of a FUNC record with a line", FUNC LINE, 0x1235, true, false, 0x61, 2 },
	{ "the function of a FUNC record with INLINE records", "INLINE_ORIGIN 0 inner\n"
	  FUNC "INLINE 0 3 1 0 1220 8\n" LINE, 0x1235, true, false, 0x61, 1 },
	{ "the function at an address outside of all", NULL, 0x900, false, false, 0, 0 },
};

TEST_EACH(bodies, bodies)
{
	struct function_body body;
	struct opened program;
	size_t right = 0;

	open_program(&program, bodies[i].records);
	const struct symbol_sources sources = sources_of(&program);
	const bool found = symbol_at_body(&sources, sources.base + bodies[i].address, &program.arena, &body);
	ok(found == bodies[i].found, "%s is looked up as a whole", bodies[i].title);
	ok(!found || body.function.size == bodies[i].size, "the function has the size of its source");
	is_u64(body.call_count, bodies[i].calls, "the function has its inlined calls");
	for (size_t k = 0; k < body.line_count; k++) {
		const struct source_line *line = &body.lines[k];
		char number[12];

		snprintf(number, sizeof(number), " %u", line->line);
		for (size_t p = 0; p < ARRAY_COUNT(printed); p++)
			right += line->address >= printed[p].first && line->address <= printed[p].last &&
				strncmp(strchr(printed[p].calls, ' '), number, strlen(number)) == 0;
	}
	ok(!found || (right == body.line_count && right > 10) == bodies[i].lines, "the function has lines only if its source has them");
	is_u64(program.names.count, bodies[i].records != NULL && strstr(bodies[i].records, LINE) != NULL ? 1 : 0,
	       "users are found in the paths of the lines");
	close_program(&program);
}

/* User names in the paths of all files that a function's lines and inlined calls name. */
static const struct {
	const char *records;
	bool body;
	size_t users;
} users_rows[] = {
	{ FUNC LINE, false, 1 }, { FUNC "11f0 8 5 1\n", false, 0 },
	{ "INLINE_ORIGIN 0 inner\nFILE 2 /home/bert/own.h\n" FUNC "INLINE 0 3 2 0 1220 8\n" LINE, false, 2 },
	{ "FILE 2 /home/bert/own.h\n" FUNC "11f0 8 5 1\n11f8 8 6 2\n1200 8 7 1\n", true, 2 },
	{ "FILE 2 /home/bert/own.h\nINLINE_ORIGIN 0 inner\n" FUNC "INLINE 0 3 2 0 1220 8\n11f0 8 5 1\n", true, 2 },
};

TEST_EACH(users, users_rows)
{
	struct function_body body;
	struct opened program;
	struct symbol symbol;

	open_program(&program, users_rows[i].records);
	const struct symbol_sources sources = sources_of(&program);
	if (users_rows[i].body)
		symbol_at_body(&sources, sources.base + 0x1224, &program.arena, &body);
	else
		symbol_at(&sources, sources.base + 0x1224, &program.arena, &symbol);
	is_u64(program.names.count, users_rows[i].users, "users of paths are learned");
	close_program(&program);
}

/* A copy of a function for a constant argument: DWARF has the plain name, nm another one. */
TEST(clones)
{
	struct location location;
	struct function_body body;
	struct opened program;

	core = "own";
	for (unsigned asked = 0; asked < 2; asked++) {
		const char *name = asked != 0 ? "work.constprop.0" : "work";
		open_program(&program, "FUNC 1010 d 0 work\n");
		program.walk->policy.value[POLICY_FILE_NAMES] = asked;
		location_of(program.walk, base_of(&program) + 0x1012, &program.arena, &location);
		ok(text_equal(location.symbol.function.name, text_of(name)), "a copy of a function is called %s", name);
		const struct symbol_sources sources = sources_of(&program);
		ok(symbol_at_body(&sources, sources.base + 0x1012, &program.arena, &body) &&
			   text_equal(body.function.name, text_of(name)), "the whole function has the name, too");
		close_program(&program);
	}
	core = "optimised";
}

static void
names(struct opened *program, uint64_t address, bool always, const char *name)
{
	const uint64_t pc = base_of(program) + address;
	struct location location;

	location_of(program->walk, pc, &program->arena, &location);
	const struct text got = location_name(&location, &location.calls[location.call_count - 1], pc, always, &program->arena);
	ok(text_equal(got, text_of(name)), "%llx is called %s", (unsigned long long)address, name);
	if (!text_equal(got, text_of(name)))
		tap_diag("%.*s", (int)got.length, got.start);
}

TEST(names)
{
	struct opened program;

	open_program(&program, "PUBLIC 1080 0 begin\nPUBLIC 1120 0 end\n");
	names(&program, 0x1181, false, "crash");
	names(&program, 0x1181, true, "crash + 0x11");
	names(&program, 0x122a, true, "pointer + 0x3a");
	names(&program, 0x1084, false, "begin + 0x4");
	names(&program, 0x800, false, "optimised.O2 + 0x800");
	names(&program, 0x800, true, "optimised.O2 + 0x800");
	names(&program, 0x10000000, false, "in no module");
	/* After a call at the end of a function the pc is in no call. */
	struct frame frame = { .lookup = base_of(&program) + 0x1184 };
	registers_set(&frame.registers, program.walk->arch->pc, base_of(&program) + 0x1185);
	ok(text_equal(location_frame_name(program.walk, &frame, true, &program.arena), text_of("crash + 0x15")),
	   "a frame is named by the address that is looked up, with the distance of its pc");
	close_program(&program);
}

int
main(void)
{
#if !defined(HAVE_ZLIB)
	skip(1, "zlib was left out");
	return done_testing();
#endif
	run_tests();
	return done_testing();
}
