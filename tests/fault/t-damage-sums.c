/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The output for damaged inputs does not change unnoticed. Dumps and cores are cut, and words in
 * them are replaced; lines of symbol files are left out, doubled, swapped, cut and misspelt, always
 * in the same way. A checksum for each input covers messages with their places, streams, walks,
 * lint findings and look-ups; it is compared with tests/fault/sums.txt (UNSPOOL_ACCEPT=1 writes it
 * anew).
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "dump/dump.h"
#include "lint/lint.h"
#include "report/file/streams.h"
#include "report/stack/walk_text.h"
#include "symbols/symbols.h"
#include "tests/fault/damage.h"
#include "tests/lib/accepted.h"
#include "tests/lib/corefile.h"

#define CUTS 12u
#define CHANGES 36u
#define MOST_SYMBOLS (24u << 10)

/* The subjects of the output. Each has a number of its own in a line of sums.txt. */
enum subject { SAID_MESSAGES, SAID_STREAMS, SAID_WALKS, SAID_LINT, SAID_ANSWERS, SUBJECTS };

static uint64_t sums[SUBJECTS];

static void
add(enum subject subject, const void *bytes, size_t size)
{
	sums[subject] = hash_bytes(sums[subject], bytes, size);
}

static void
add_text(enum subject subject, const char *text)
{
	add(subject, text != NULL ? text : "-", text != NULL ? strlen(text) + 1 : 1);
}

static void
add_number(enum subject subject, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llx", (unsigned long long)number);
	add_text(subject, text);
}

static void
add_place(enum subject subject, const struct place *place)
{
	add_number(subject, place->offset);
	add_number(subject, place->length);
	add_number(subject, place->line);
	add_number(subject, place->column);
}

static void
add_messages(const struct message_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		add_text(SAID_MESSAGES, message_table[list->messages[i].kind].name);
		add_place(SAID_MESSAGES, &list->messages[i].place);
		add_text(SAID_MESSAGES, list->messages[i].text);
		add_text(SAID_MESSAGES, list->messages[i].hint);
	}
	add_number(SAID_MESSAGES, message_total(list));
}

static void
take(void *context, const char *bytes, size_t length)
{
	add(*(const enum subject *)context, bytes, length);
}

/* Open a dump and print all of it. */
static void
look_at_dump(const uint8_t *bytes, size_t size)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct streams_options hex = { .hex = true };
	const enum subject subjects[] = { SAID_STREAMS, SAID_WALKS };
	const struct output streams = { take, (void *)&subjects[0], NULL };
	const struct output walks = { take, (void *)&subjects[1], NULL };
	struct walk_text_options options = { 0 };
	struct walk_text_thread *threads;
	struct error error = { 0 };
	struct arena arena = { 0 };
	struct crash crash;

	if (dump_from_memory(&crash, "damaged", bytes, size, 0, &error) != ERROR_NONE)
		add_text(SAID_MESSAGES, error.text);
	streams_text(&streams, &crash, &hex);
	add_messages(&crash.messages);
	options.walked = arena_array(&arena, crash.module_count + 1, sizeof(bool));
	if (crash.thread_count > 0)
		walk_text_head(&walks, &crash, &policy, &options);
	const size_t count = walk_text_threads(&crash, &arena, &threads);
	for (size_t i = 0; i < count && i < 4; i++) {
		struct walk *walk = walk_create(&crash, NULL, NULL, threads[i].index, &policy);

		walk_run(walk, 20);
		walk_text_thread(&walks, walk, &threads[i], &options);
		walk_free(walk);
	}
	crash_free(&crash);
	arena_free(&arena);
}

/* Replace a word. */
static void
change_word(uint8_t *bytes, size_t size, uint64_t *seed)
{
	const size_t at = damage_random(seed) % (size / 4) * 4;
	uint32_t word = 0;

	for (unsigned i = 4; i-- > 0;)
		word = word << 8 | bytes[at + i];
	const uint32_t others[] = { 0, 1, UINT32_MAX, 1u << 31, (uint32_t)size, word + 1, word - 1,
				    word * 2, 4096, 0x10000 };
	word = others[damage_random(seed) % ARRAY_COUNT(others)];
	for (unsigned i = 0; i < 4; i++)
		bytes[at + i] = (uint8_t)(word >> 8 * i);
}

static void
damage_dump(const uint8_t *whole, size_t size)
{
	uint64_t seed = size;

	for (unsigned i = 1; i <= CUTS; i++) {
		const size_t cut = size * i / CUTS;
		uint8_t *bytes = damage_copy(whole, cut);

		look_at_dump(bytes, cut);
		free(bytes);
	}
	for (unsigned i = 0; i < CHANGES; i++) {
		uint8_t *bytes = damage_copy(whole, size);

		/* The first quarter has most of the structures that point to others. */
		change_word(bytes, i % 2 == 0 ? size : size / 4, &seed);
		look_at_dump(bytes, size);
		free(bytes);
	}
}

/* Symbol files --------------------------------------------------------------------------------- */

static void
look_up(const struct symfile *symfile, const struct policy *policy, uint64_t address)
{
	struct arena arena = { 0 };
	struct message_list messages;
	struct stack_cfi init, *deltas;
	struct symbol symbol;
	struct stack_win win;
	size_t count;

	message_list_init(&messages, &arena);
	if (symfile_lookup(symfile, policy, address, &arena, &messages, &symbol)) {
		add(SAID_ANSWERS, symbol.function.name.start, symbol.function.name.length);
		add_number(SAID_ANSWERS, symbol.function.offset);
		add_number(SAID_ANSWERS, symbol.line.line);
		add_number(SAID_ANSWERS, symbol.inline_count);
	}
	if (symfile_stack_cfi(symfile, policy, address, &arena, &init, &deltas, &count)) {
		add_number(SAID_ANSWERS, init.offset);
		add_number(SAID_ANSWERS, count);
	}
	for (unsigned type = 0; type <= 4; type += 4)
		if (symfile_stack_win(symfile, policy, type, address, &win))
			add_number(SAID_ANSWERS, win.offset);
	for (size_t i = 0; i < messages.count; i++)
		add_text(SAID_ANSWERS, messages.messages[i].text);
	arena_free(&arena);
}

static void
look_at_answers(const char *text, size_t size)
{
	struct error error = { 0 };
	struct symfile *symfile;

	if (symfile_from_memory(&symfile, "x.sym", text, size, &error) != ERROR_NONE) {
		add_text(SAID_MESSAGES, error.text);
		return;
	}
	add_messages(symfile_messages(symfile));
	for (enum policy_column column = 0; column < POLICY_COLUMNS; column++) {
		const struct policy all = policy_column(column);
		const struct symfile *read = symfile_under(symfile, &all);
		struct function function;

		for (size_t i = 0; read != NULL && i < 6 &&
				   symfile_function_at(read, SYMBOL_FUNC, i * 3, &function); i++) {
			look_up(read, &all, function.address);
			look_up(read, &all, function.address + function.size);
		}
	}
	symfile_close(symfile);
}

static void
look_at_lint(const char *text, size_t size)
{
	const struct lint_options options = { .most = 50, .slices = 1 };
	struct error error = { 0 };
	struct lint lint;

	if (lint_bytes(&lint, "x.sym", text, size, &options, &error) != ERROR_NONE)
		add_text(SAID_LINT, error.text);
	for (size_t i = 0; i < lint.finding_count; i++) {
		const struct lint_finding *finding = &lint.findings[i];

		add_text(SAID_LINT, lint_code_table[finding->code].name);
		add_place(SAID_LINT, &finding->place);
		add_text(SAID_LINT, finding->text);
		add_number(SAID_LINT, finding->other);
		add_number(SAID_LINT, finding->address);
		add_number(SAID_LINT, finding->times);
	}
	for (size_t code = 0; code < LINT_CODE_COUNT; code++)
		if (lint.counts[code] > 0)
			add_number(SAID_LINT, lint.counts[code]);
	add_text(SAID_LINT, lint.rust_refuses);
	add_number(SAID_LINT, lint.rust_line);
	lint_free(&lint);
}

/* The start of the line around an offset, and of the next line. */
static void
find_line(const char *text, size_t size, size_t at, size_t *first, size_t *next)
{
	const char *end = memchr(text + at, '\n', size - at);

	for (*first = at; *first > 0 && text[*first - 1] != '\n'; --*first)
		continue;
	*next = end != NULL ? (size_t)(end - text) + 1 : size;
}

/* Damage one line of `text`, which has room for one more line; returns the new size. */
static size_t
change_line(char *text, size_t size, uint64_t *seed)
{
	static const char others[] = "0fg -\t$^.@:m\r*";
	const size_t at = damage_random(seed) % size;
	size_t first, next;

	find_line(text, size, at, &first, &next);
	const size_t length = next - first;
	switch (damage_random(seed) % 6) {
	case 0:
		memmove(text + first, text + next, size - next);
		return size - length;
	case 1:
		memmove(text + next, text + first, size - first);
		return size + length;
	case 2:
		memmove(text + at, text + next - 1, size - next + 1);
		return size - (next - 1 - at);
	case 3:
		return at;
	default:
		text[at] = others[damage_random(seed) % (sizeof(others) - 1)];
		return size;
	}
}

static void
damage_symbols(const char *whole, size_t size)
{
	uint64_t seed = size;

	for (unsigned i = 0; i < CHANGES && size > 0; i++) {
		char *text = malloc(2 * size);

		if (text == NULL)
			exit(99);
		memcpy(text, whole, size);
		const size_t changed = change_line(text, size, &seed);
		look_at_lint(text, changed);
		look_at_answers(text, changed);
		free(text);
	}
}

/* Inputs --------------------------------------------------------------------------------------- */

static void
write_sums(FILE *out, const char *name)
{
	for (unsigned i = 0; i < SUBJECTS; i++)
		fprintf(out, "%016llx ", (unsigned long long)sums[i]);
	fprintf(out, "%s\n", name);
	for (unsigned i = 0; i < SUBJECTS; i++)
		sums[i] = HASH_START;
}

static void
damage_files(FILE *out, const char *top, const char *pattern)
{
	char path[1024];
	glob_t found = { 0 };

	snprintf(path, sizeof(path), "%s/%s", top, pattern);
	if (glob(path, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			size_t size;
			uint8_t *bytes = damage_read(found.gl_pathv[i], &size);

			if (strstr(pattern, ".sym") == NULL)
				damage_dump(bytes, size);
			else if (size <= MOST_SYMBOLS)
				damage_symbols((const char *)bytes, size);
			free(bytes);
			write_sums(out, found.gl_pathv[i] + strlen(top) + 1);
		}
	globfree(&found);
}

/* A core of two threads with files, an auxiliary vector and signal information. */
static void
damage_core(FILE *out, uint16_t machine, bool wide, bool big_endian, size_t status)
{
	static struct corefile core;
	static const char files[] = "/bin/program\0/lib/library.so";
	uint8_t bytes[1024], named[200] = { 0 };
	char name[32];

	core = (struct corefile){ .machine = machine, .wide = wide, .big_endian = big_endian };
	const unsigned word = corefile_word(&core);
	for (unsigned i = 0; i < sizeof(bytes) / word; i++)
		corefile_put(&core, bytes, (size_t)i * word, word, 0x10000 + i * 8);
	const uint64_t numbers[] = { 2, 4096, 0x10000, 0x12000, 0, 0x20000, 0x21000, 1 };
	for (unsigned i = 0; i < ARRAY_COUNT(numbers); i++)
		corefile_put(&core, named, (size_t)i * word, word, numbers[i]);
	memcpy(named + ARRAY_COUNT(numbers) * word, files, sizeof(files));
	corefile_note(&core, "CORE", 1, bytes, status);
	corefile_note(&core, "CORE", 3, bytes, wide ? 136 : 124);
	corefile_note(&core, "CORE", 0x53494749, bytes, 128);
	corefile_note(&core, "CORE", 6, bytes, 20 * word);
	corefile_note(&core, "CORE", 0x46494c45, named,
		      ARRAY_COUNT(numbers) * word + sizeof(files));
	corefile_note(&core, "CORE", 1, bytes, status);
	corefile_memory(&core, 0x10000, sizeof(bytes), 6, bytes, sizeof(bytes));
	corefile_memory(&core, 0x20000, sizeof(bytes), 5, bytes, sizeof(bytes));
	corefile_finish(&core);
	damage_dump(core.bytes, core.size);
	snprintf(name, sizeof(name), "core of machine %u", machine);
	write_sums(out, name);
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	const char *top = srcdir != NULL ? srcdir : ".";
	char *said = NULL;
	size_t size;
	FILE *out = open_memstream(&said, &size);

	for (unsigned i = 0; i < SUBJECTS; i++)
		sums[i] = HASH_START;
	damage_files(out, top, "tests/differential/recorded/*/crash.dmp");
	damage_files(out, top, "data/crashes/*/crash.dmp");
	damage_files(out, top, "data/crashes/*/symbols/*/*/*.sym");
	damage_files(out, top, "data/lessons/*/symbols/*/*/*.sym");
	damage_files(out, top, "tests/differential/recorded/*/symbols/*/*/*.sym");
	damage_core(out, 62, true, false, 336);
	damage_core(out, 3, false, false, 144);
	damage_core(out, 183, true, false, 392);
	damage_core(out, 8, false, true, 256);
	fclose(out);
	is_as_accepted(said, "tests/fault/sums.txt");
	free(said);
	return done_testing();
}
