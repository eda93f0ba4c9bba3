/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "sframe/sframes.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/walk.h"

/* The bundled crash whose program was assembled with SFrame: walked by the assembler's section (version 1), by the same rows
 * written as versions 2 and 3, and by STACK CFI. All walks must be equal. */
#define FRAMES 8	/* seven of the program and main's caller in the C library */

static struct crash crash;
static struct binary *program;
static struct sframe original;

#define CRASH "data/crashes/sframe-amd64/"

/* A section that is being written; its layouts are written here again. */
struct writing {
	uint8_t bytes[4096];
	size_t size;
};

static void
put(struct writing *writing, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		writing->bytes[writing->size++] = (uint8_t)(value >> 8 * i);
}

static void
put_rows(struct writing *rows, const struct sframe_function *function)
{
	struct sframe_cursor cursor;
	struct sframe_row row;

	sframe_rows(function, &cursor);
	while (sframe_next_row(&cursor, &row)) {
		const bool has_fp = row.fp.kind == SFRAME_OFFSET;
		const bool wide = row.cfa.offset > 127 || row.cfa.offset < -128;

		put(rows, row.offset, function->address_bytes);
		put(rows, (row.cfa.base == 7 ? 1u : 0u) | (has_fp ? 2u : 1u) << 1 | (wide ? 1u : 0u) << 5, 1);
		put(rows, (uint64_t)row.cfa.offset, wide ? 2 : 1);
		if (has_fp)
			put(rows, (uint64_t)row.fp.offset, wide ? 2 : 1);
	}
}

/* The original's functions and rows in another version; `pcrel`: relative to the field. */
static struct writing
encode(unsigned version, bool pcrel, uint64_t address)
{
	const struct sframe_table *table = &original.tables[0];
	const unsigned entry = version == 3 ? 16 : 20;
	struct writing section = { .size = 0 }, rows = { .size = 0 };
	struct sframe_function function;

	put(&section, 0xdee2, 2);
	put(&section, version, 1);
	put(&section, 1u | (pcrel ? 4u : 0u), 1);
	put(&section, 3, 1);
	put(&section, 0, 1);
	put(&section, (uint64_t)(int64_t)-8, 1);
	put(&section, 0, 1);
	put(&section, table->function_count, 4);
	put(&section, table->row_count, 4);
	const size_t row_bytes = section.size;
	put(&section, 0, 4);
	put(&section, 0, 4);
	put(&section, (uint64_t)table->function_count * entry, 4);
	for (size_t i = 0; sframe_function(&original, i, &function); i++) {
		const uint64_t start = function.address - address - (pcrel ? section.size : 0);
		const uint64_t rows_at = rows.size;

		if (version == 3) {
			put(&rows, function.row_count, 2);
			put(&rows, function.info, 1);
			put(&rows, 0, 1);
			put(&rows, function.masked ? function.repeat : 0, 1);
		}
		put_rows(&rows, &function);
		put(&section, start, version == 3 ? 8 : 4);
		put(&section, function.size, 4);
		put(&section, rows_at, 4);
		if (version == 3)
			continue;
		put(&section, function.row_count, 4);
		put(&section, function.info, 1);
		put(&section, function.masked ? function.repeat : 0, 1);
		put(&section, 0, 2);
	}
	for (unsigned i = 0; i < 4; i++)
		section.bytes[row_bytes + i] = (uint8_t)(rows.size >> 8 * i);
	memcpy(section.bytes + section.size, rows.bytes, rows.size);
	section.size += rows.size;
	return section;
}

static struct walk *
walk_by(struct symbols *symbols, struct binaries *binaries, enum method_id method)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);

	policy.methods[0] = (uint8_t)method;
	policy.method_count = 1;
	struct walk *walk = walk_create(&crash, symbols, binaries, 0, &policy);
	if (walk != NULL)
		walk_run(walk, 0);
	return walk;
}

/* Program counter, stack pointer and frame pointer of every frame. */
static bool
same_walk(const struct walk *one, const struct walk *other)
{
	const int registers[] = { one->arch->pc, one->arch->sp, one->arch->fp };

	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		for (size_t r = 0; r < ARRAY_COUNT(registers); r++)
			if (one->frames[i].registers.value[registers[r]] != other->frames[i].registers.value[registers[r]])
				return false;
	return true;
}

static struct walk *
walk_by_cfi(struct symbols **symbols)
{
	const char *paths[] = { tap_path(CRASH "symbols") };

	*symbols = symbols_create(crash.modules, crash.module_count, paths, 1);
	return walk_by(*symbols, NULL, METHOD_STACK_CFI);
}

static void
test_names(const struct walk *walk, struct symbols *symbols)
{
	static const char *const names[] = { "label_length", "print_label", "weigh", "weigh", "weigh", "sort_and_weigh", "main" };
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };

	for (size_t i = 0; i < ARRAY_COUNT(names) && i < walk->count; i++) {
		struct function function = { .name = text_of("") };
		char name[64];

		symfile_function(symbols_load(symbols, 0), &policy, walk->frames[i].lookup - crash.modules[0].base, &function);
		snprintf(name, sizeof(name), "%.*s", (int)function.name.length, function.name.start);
		is_str(name, names[i], "frame %zu is in %s", i, names[i]);
	}
}

/* The unchanged section, found in the program's file. */
static void
test_original(const struct walk *by_cfi)
{
	const char *directories[] = { tap_path(CRASH "binaries") };
	struct binaries *binaries = binaries_create(&crash, directories, 1);
	struct walk *walk = walk_by(NULL, binaries, METHOD_SFRAME);

	is_u64(walk->count, FRAMES, "the section as assembled walks to main and its caller");
	for (size_t i = 1; i < walk->count; i++)
		ok(walk->frames[i].trust == TRUST_SFRAME, "frame %zu was found by SFrame", i);
	ok(same_walk(walk, by_cfi), "the walk by SFrame is that of STACK CFI");
	ok(!registers_known(&walk->frames[1].registers, 3), "a register that SFrame does not restore is unknown");
	walk_free(walk);
	binaries_free(binaries);
}

static void
test_version(const struct walk *by_cfi, unsigned version, bool pcrel)
{
	const uint64_t base = crash.modules[0].base;
	const uint64_t address = original.tables[0].address;
	const struct writing section = encode(version, pcrel, address);
	const struct input input = { "encoded" };
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	struct sframe sframe;
	struct error error = { 0 };

	if (!ok(sframe_open(&sframe, &(struct sframe_bytes){ &input, section.bytes, section.size, 0, address + base, NULL },
			    NULL, 0, &error) == ERROR_NONE, "the section encoded as version %u%s opens", version,
		pcrel ? ", relative to the field" : "")) {
		tap_diag("%s", error.text);
		binaries_free(binaries);
		return;
	}
	sframe_check(&sframe);
	is_u64(message_total(&sframe.messages), 0, "a written section has no defects");
	sframes_set(binaries, 0, &sframe);
	struct walk *walk = walk_by(NULL, binaries, METHOD_SFRAME);
	ok(walk->count == FRAMES && same_walk(walk, by_cfi), "a written section walks the same frames");
	walk_free(walk);
	binaries_free(binaries);
}

/* A STACK CFI rule that needs a register that SFrame left unknown fails with a message. */
static void
test_mixed(struct symbols *symbols)
{
	const char *directories[] = { tap_path(CRASH "binaries") };
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct binaries *binaries = binaries_create(&crash, directories, 1);

	policy.methods[0] = METHOD_SFRAME;
	policy.methods[1] = METHOD_STACK_CFI;
	policy.method_count = 2;
	struct walk *walk = walk_create(&crash, symbols, binaries, 0, &policy);
	walk_run(walk, 3);
	ok(walk->count == 3 && walk->frames[2].trust == TRUST_SFRAME, "the order that is asked for counts");
	walk_free(walk);
	binaries_free(binaries);
}

int
main(void)
{
	struct error error = { 0 };
	struct sframe_bytes bytes;
	struct symbols *symbols;
	const char *why_not;

	if (!ok(dump_open(&crash, tap_path(CRASH "crash.dmp"), 0, &error) == ERROR_NONE, "the dump opens") ||
	    binary_open(&program, tap_path(CRASH "binaries/parcel"), &error) != ERROR_NONE ||
	    !sframe_in_binary(program, &bytes, &why_not) ||
	    sframe_open_binary(&original, program, &bytes, 0, &error) != ERROR_NONE) {
		skip(1, "no ELF reader was built in, or the bundle is not there: %s", error.text);
		return done_testing();
	}
	is_u64(original.tables[0].version, 1, "the assembler wrote version 1");
	struct walk *by_cfi = walk_by_cfi(&symbols);
	is_u64(by_cfi->count, FRAMES, "STACK CFI walks to main and its caller");
	test_names(by_cfi, symbols);
	test_original(by_cfi);
	test_version(by_cfi, 2, false);
	test_version(by_cfi, 2, true);
	test_version(by_cfi, 3, true);
	test_mixed(symbols);
	walk_free(by_cfi);
	symbols_free(symbols);
	sframe_close(&original);
	binary_close(program);
	crash_free(&crash);
	return done_testing();
}
