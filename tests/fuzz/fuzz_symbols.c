/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol files: the reader, lint, the cache of indexes, and records that are evaluated. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "lint/lint.h"
#include "report/step/calculation_write.h"
#include "symbols/index_file.h"
#include "tests/fault/damage.h"
#include "tests/fuzz/harness.h"
#include "tests/lib/synth.h"

#define MOST_LOOKUPS 48u

/* The answers of a file for one address, as a number, so that two readings can be compared. */
static uint64_t
look_up(const struct symfile *symfile, const struct policy *policy, uint64_t address, struct arena *arena)
{
	struct stack_cfi_records cfi;
	struct function_body body;
	struct stack_win win;
	struct symbol symbol;
	uint64_t change = 0, sum = 0;

	if (symfile_lookup(symfile, policy, address, arena, &symbol))
		sum += symbol.function.offset + symbol.line.offset + symbol.inline_count;
	if (symfile_function_body(symfile, policy, address, arena, &body))
		sum = sum * 31 + body.line_count + body.call_count;
	for (unsigned type = 0; type <= 4; type += 4) {
		if (symfile_stack_win(symfile, policy, type, address, &win))
			sum = sum * 31 + win.offset + win.program.length;
		if (symfile_stack_win_change(symfile, policy, type, address, &change)) {
			sum = sum * 31 + change;
			if (change <= address)
				fuzz_fail("the next change is not above");
		}
	}
	if (symfile_stack_cfi(symfile, policy, address, arena, &cfi))
		sum = sum * 31 + cfi.init.offset + cfi.delta_count;
	if (symfile_stack_cfi_change(symfile, policy, address, &change) && change <= address)
		fuzz_fail("the next change is not above");
	return sum * 31 + symfile_place(symfile, symbol.function.offset, 1).line;
}

/* Look up addresses of some functions and records, and the addresses next to them. */
static uint64_t
look_at_symbols(const struct symfile *symfile, enum policy_column column)
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_PUBLIC };
	const struct policy all = policy_column(column);
	const struct symfile *read = symfile_under(symfile, &all);
	struct arena arena = { 0 };
	struct function function;
	uint64_t sum = 0, change = 0;

	for (size_t kind = 0; read != NULL && kind < ARRAY_COUNT(kinds); kind++)
		for (size_t i = 0; i < MOST_LOOKUPS / 4 && symfile_function_at(read, kinds[kind], i, &function); i++) {
			sum = sum * 7 + look_up(read, &all, function.address, &arena);
			sum = sum * 7 + look_up(read, &all, function.address + function.size - 1, &arena);
		}
	for (size_t i = 0; read != NULL && i < MOST_LOOKUPS / 2; i++) {
		sum = sum * 7 + look_up(read, &all, change, &arena);
		if (!symfile_stack_cfi_change(read, &all, change, &change))
			break;
	}
	arena_free(&arena);
	return sum;
}

void
fuzz_symbols(const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };
	struct symfile *symfile;

	if (symfile_from_memory(&symfile, "fuzz.sym", bytes, size, &error) != ERROR_NONE) {
		if (error.text[0] == '\0')
			fuzz_fail("refused without a word");
		return;
	}
	const unsigned columns = fuzz_parts(bytes, size, POLICY_COLUMNS);
	for (enum policy_column column = 0; column < POLICY_COLUMNS; column++)
		if ((columns >> column & 1) != 0)
			look_at_symbols(symfile, column);
	symfile_close(symfile);
}

void
fuzz_lint(const uint8_t *bytes, size_t size)
{
	static const char *const accepted[] = { "bad-record", "overlap@1000", "no-unwind=m*" };
	struct lint_accept accepts[ARRAY_COUNT(accepted)];
	struct lint_options options = { .most = 20, .accepts = accepts, .slices = 1 };
	struct error error = { 0 };
	size_t counts[2] = { 0 };
	struct lint lint;

	for (size_t i = 0; i < ARRAY_COUNT(accepted); i++)
		if (lint_accept_parse(accepted[i], &accepts[options.accept_count]) == NULL)
			options.accept_count++;
	/* Read in one part, then some in several parts by threads. */
	const unsigned readings = 1 + (fuzz_parts(bytes, size, 4) & 1);
	for (unsigned i = 0; i < readings; i++) {
		options.slices = 1 + 2 * i;
		if (lint_bytes(&lint, "fuzz.sym", bytes, size, &options, &error) != ERROR_NONE)
			fuzz_fail("a text is refused");
		for (size_t code = 0; code < LINT_CODE_COUNT; code++)
			counts[i] += lint.counts[code] << code % 16;
		for (size_t k = 1; k < lint.finding_count; k++)
			if (lint.findings[k].place.line < lint.findings[k - 1].place.line)
				fuzz_fail("findings are not by line");
		lint_free(&lint);
	}
	if (readings > 1 && counts[0] != counts[1])
		fuzz_fail("slices find something else");
}

/* The calculator: lines that give values, then a line with an expression. */
void
fuzz_postfix(const uint8_t *bytes, size_t size)
{
	static const enum arch_id archs[] = { ARCH_AMD64, ARCH_X86, ARCH_ARM64, ARCH_ARM, ARCH_MIPS };
	size_t head = 1;
	const uint8_t *choice = fuzz_take(&bytes, &size, &head);
	struct calculation calculation;
	struct error error = { 0 };
	char *text = strndup((const char *)bytes, size), *rest = NULL;

	if (head == 0 || text == NULL) {
		free(text);
		return;
	}
	calculation_init(&calculation, arch_by_id(archs[*choice / 4 % ARRAY_COUNT(archs)]), (*choice & 1) != 0);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		if (calculation_give(&calculation, line, &error) != ERROR_NOT_FOUND)
			continue;
		calculation_run(&calculation, line, (*choice & 2) != 0);
		calculation_write(&calculation, &fuzz_output);
		break;
	}
	calculation_free(&calculation);
	free(text);
}

/* A walk by records. The input begins with 16 registers and a stack; the rest are the records of a
 * module that has much of the memory. A fast walk must find the same as the recorded steps. */
#define RULE_STACK 256u
#define RULE_REGISTERS 16u
#define RULE_ID "000000000000000000000000000000000"

static struct synth *
make_scene(enum arch_id id, const uint8_t *values, const uint8_t *stack)
{
	const struct arch *arch = arch_by_id(id);
	struct synth *synth = synth_create(id, CRASH_OS_LINUX, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 };

	for (int i = 0; i < arch->register_count && i < ARCH_REGISTERS; i++)
		memcpy(&registers[i], values + (size_t)i % RULE_REGISTERS * 8, 8);
	registers[arch->pc] = 0x401000 + registers[arch->pc] % 0x1000;
	registers[arch->sp] = 0x7000 + registers[arch->sp] % RULE_STACK / 8 * 8;
	synth_style(synth)->elf_ids = false;
	synth_module(synth, 0x400000, 0x100000, "code", "code", RULE_ID);
	synth_thread(synth, 1, registers, 0x7000, stack, RULE_STACK);
	synth_exception(synth, 1, 11, 0, 0);
	return synth;
}

void
fuzz_rules(const uint8_t *bytes, size_t size)
{
	static const enum arch_id archs[] = { ARCH_AMD64, ARCH_X86, ARCH_ARM64, ARCH_ARM, ARCH_MIPS };
	static const char module[] = "MODULE Linux x86_64 " RULE_ID " code\n";
	const size_t front = 1 + RULE_REGISTERS * 8 + RULE_STACK;
	struct error error = { 0 };
	struct crash crash;
	size_t dump_size;

	if (size < front)
		return;
	char *text = malloc(sizeof(module) + size);
	struct synth *synth = make_scene(archs[bytes[0] % ARRAY_COUNT(archs)], bytes + 1, bytes + front - RULE_STACK);
	uint8_t *dump = synth_finish(synth, &dump_size);
	if (text == NULL)
		abort();
	memcpy(text, module, sizeof(module) - 1);
	memcpy(text + sizeof(module) - 1, bytes + front, size - front);
	const char *path = fuzz_file(FUZZ_SYMBOLS, text, sizeof(module) - 1 + size - front);
	if (dump_from_memory(&crash, "fuzz", dump, dump_size, 0, &error) != ERROR_NONE)
		fuzz_fail("a dump that is whole is refused");
	const unsigned steps = (fuzz_parts(bytes, size, 4) & 1) != 0 ? DAMAGE_STEPS : 0;
	const char *wrong = damage_look(&crash, path, DAMAGE_WALKS | steps);
	if (wrong != NULL)
		fuzz_fail(wrong);
	crash_free(&crash);
	free(dump);
	synth_free(synth);
	free(text);
}

/* A symbol file that is large enough to have an index, with long names: its index is small. */
static const char *
write_large(void)
{
	FILE *file = fopen("symbols", "w");
	struct timespec past[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

	if (file == NULL)
		fuzz_fail("no symbol file can be written");
	fprintf(file, "MODULE Linux x86_64 " RULE_ID " code\nFILE 0 a.c\n");
	for (unsigned i = 0; i < 300; i++) {
		fprintf(file, "FUNC %x 10 0 f%04000u\n%x 8 %u 0\n%x 8 %u 0\n", i * 16, i, i * 16, i, i * 16 + 8, i + 1);
		fprintf(file, "STACK CFI INIT %x 10 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
			      "STACK CFI %x .cfa: $rsp 16 +\n", i * 16, i * 16 + 1);
	}
	fclose(file);
	if (utimensat(AT_FDCWD, "symbols", past, 0) != 0)
		fuzz_fail("no time can be set");
	return "symbols";
}

/* The path of the only index in a folder. */
static char *
find_index(const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	char *path = NULL;

	while (directory != NULL && path == NULL && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			path = NULL;
	if (directory != NULL)
		closedir(directory);
	if (path == NULL)
		fuzz_fail("no index is kept");
	return path;
}

static uint64_t
answers_of(const char *path, const char *folder)
{
	const struct symfile_options options = { .index_directory = folder };
	struct error error = { 0 };
	struct symfile *symfile;

	if (symfile_open(&symfile, path, folder != NULL ? &options : NULL, &error) != ERROR_NONE)
		fuzz_fail("the symbol file cannot be read");
	const uint64_t sum = look_at_symbols(symfile, POLICY_UNSPOOL);
	symfile_close(symfile);
	return sum;
}

/* An input is a list of changes to the index, 8 bytes each: offset and new word, 4 bytes each. */
void
fuzz_index(const uint8_t *bytes, size_t size)
{
	static char *index;
	static uint8_t *whole;
	static size_t whole_size;
	static uint64_t right;
	static const char *symbols;

	if (index == NULL) {
		symbols = write_large();
		mkdir("out", 0700);
		right = answers_of(symbols, NULL);
		answers_of(symbols, "out");
		index = find_index("out");
		whole = damage_read(index, &whole_size);
	}
	uint8_t *changed = damage_copy(whole, whole_size);
	for (size_t at = 0; at + 8 <= size; at += 8) {
		uint32_t where;
		memcpy(&where, bytes + at, sizeof(where));
		/* Half of the changes are in the header. */
		where = where % 2 == 0 ? where / 2 % 4096 : where % (uint32_t)whole_size;
		memcpy(changed + (where <= whole_size - 4 ? where : 0), bytes + at + 4, 4);
	}
	FILE *file = fopen(index, "wb");
	if (file == NULL || fwrite(changed, 1, whole_size - size % 8 * 512, file) == 0)
		fuzz_fail("the index cannot be written");
	fclose(file);
	free(changed);
	if (answers_of(symbols, "out") != right)
		fuzz_fail("an index that is damaged gives other answers");
}
