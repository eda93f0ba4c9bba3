/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The fuzz harnesses without a fuzzer.
 *
 *	replay --list			their names and the most bytes of an input
 *	replay --dictionary NAME	words of the program's tables, as fuzzers read them
 *	replay --commands		how many command lines the harness `commands` has
 *	replay NAME FILE...		run inputs; for AFL++, too: afl-fuzz ... -- replay NAME @@
 *	replay --mutate NAME COUNT FILE...	and so many changed copies of each
 *	replay --damage NAME COUNT FILE...	and damaged copies of each: cut,
  and every 32-bit word at its
 *					limits; of texts every line away, doubled, swapped or cut at
 *					its bytes. Of each kind so many, evenly apart (0: all)
 *	replay --write NAME COUNT FILE DIRECTORY	write so many changed copies there,
  run nothing
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/harness.h"

static void
print_word(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	putchar('"');
	for (size_t i = 0; i < size; i++)
		if (at[i] > ' ' && at[i] < 0x7f && at[i] != '"' && at[i] != '\\')
			putchar(at[i]);
		else
			printf("\\x%02x", at[i]);
	puts("\"");
}

static void
print_list(void)
{
	for (size_t i = 0; i < harness_count; i++)
		printf("%s %zu\n", harnesses[i].name, harnesses[i].most);
}

/* A file in an allocation of exactly its size. */
static uint8_t *
read_file(int folder, const char *path, size_t *size)
{
	const int descriptor = openat(folder, path, O_RDONLY);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
	uint8_t *bytes = NULL;

	*size = 0;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
		const long length = ftell(file);
		rewind(file);
		bytes = malloc(length > 0 ? (size_t)length : 1);
		if (bytes != NULL)
			*size = fread(bytes, 1, (size_t)length, file);
	}
	if (file != NULL)
		fclose(file);
	if (bytes == NULL) {
		perror(path);
		exit(2);
	}
	return bytes;
}

static uint64_t
next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 32;
}

/* Change bytes as a fuzzer does for an unknown format. */
static size_t
change_bytes(uint8_t *bytes, size_t size, uint64_t *state)
{
	static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (uint64_t count = 1 + next(state) % 8; size > 0 && count > 0; count--) {
		uint8_t *byte = &bytes[next(state) % size];
		const uint64_t choice = next(state);

		*byte = (uint8_t)(choice % 3 == 0   ? special[choice / 3 % sizeof(special)]
				  : choice % 3 == 1 ? *byte ^ 1u << choice / 3 % 8 : choice / 3);
	}
	return size > 0 && next(state) % 8 == 0 ? next(state) % size : size;
}

/* Run bytes in an allocation of exactly their size, so that a read past the end is caught. */
static void
run_exactly(const struct harness *harness, const uint8_t *bytes, size_t size)
{
	uint8_t *exact = malloc(size > 0 ? size : 1);

	if (exact == NULL)
		exit(2);
	memcpy(exact, bytes, size);
	harness->run(exact, size);
	free(exact);
}

/* A changed copy of an input, which the caller frees; `*size` becomes its size. */
static uint8_t *
change(const struct harness *harness, const uint8_t *bytes, size_t *size, uint64_t *state)
{
	const size_t room = *size + 256 < harness->most ? *size + 256 : harness->most;
	uint8_t *copy = malloc(room > 0 ? room : 1);

	if (copy == NULL)
		exit(2);
	*size = *size < room ? *size : room;
	memcpy(copy, bytes, *size);
	*size = harness->mutate != NULL && next(state) % 2 == 0
			? harness->mutate(copy, *size, room, (unsigned)next(state)) : change_bytes(copy, *size, state);
	return copy;
}

static void
run_changed(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	uint64_t state = size;

	for (unsigned long i = 0; i < count; i++) {
		size_t length = size;
		uint8_t *copy = change(harness, bytes, &length, &state);

		run_exactly(harness, copy, length);
		free(copy);
	}
}

static void
write_changed(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count, const char *directory)
{
	uint64_t state = size;

	for (unsigned long i = 0; i < count; i++) {
		char path[4096];
		size_t length = size;
		uint8_t *copy = change(harness, bytes, &length, &state);

		snprintf(path, sizeof(path), "%s/%lu", directory, i);
		FILE *file = fopen(path, "wb");
		if (file == NULL || fwrite(copy, 1, length, file) != length || fclose(file) != 0) {
			perror(path);
			exit(2);
		}
		free(copy);
	}
}

/* Damage by rule ------------------------------------------------------------------------------- */

/* The distance between `count` of `all` places; `count` 0: take all of them. */
static size_t
apart(size_t all, unsigned long count)
{
	return count == 0 || all <= count ? 1 : all / count;
}

static void
cut_everywhere(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	for (size_t cut = 0; cut < size; cut += apart(size, count))
		run_exactly(harness, bytes, cut);
}

/* Set every aligned word to 0, 1, -1, 2^31, the size of the input and its neighbours, except to the value that it has. */
static void
limit_words(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	const uint32_t limits[] = { 0, 1, UINT32_MAX, 1u << 31, (uint32_t)size - 1, (uint32_t)size, (uint32_t)size + 1 };
	const size_t each = sizeof(limits) / sizeof(limits[0]), all = size / 4 * each;
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL)
		exit(2);
	memcpy(copy, bytes, size);
	for (size_t i = 0; i < all; i += apart(all, count)) {
		uint8_t *word = copy + i / each * 4;
		memcpy(word, &limits[i % each], 4);
		if (memcmp(word, bytes + i / each * 4, 4) == 0)
			continue;
		run_exactly(harness, copy, size);
		memcpy(word, bytes + i / each * 4, 4);
	}
	free(copy);
}

/* Damage the line at `at`: delete it, double it, swap it with the next one, or cut it. */
static void
damage_line(const struct harness *harness, const uint8_t *bytes, size_t size, size_t at, unsigned long count)
{
	const uint8_t *end = memchr(bytes + at, '\n', size - at);
	const size_t line = end != NULL ? (size_t)(end - bytes) + 1 - at : size - at;
	const size_t rest = size - at - line;
	const uint8_t *behind = bytes + at + line;
	const uint8_t *last = rest > 0 ? memchr(behind, '\n', rest) : NULL;
	const size_t other = last != NULL ? (size_t)(last - behind) + 1 : 0;
	uint8_t *copy = malloc(size + line);

	if (copy == NULL)
		exit(2);
	memcpy(copy, bytes, at);
	memcpy(copy + at, behind, rest);
	run_exactly(harness, copy, size - line);
	memcpy(copy, bytes, at + line);
	memcpy(copy + at + line, bytes + at, line + rest);
	run_exactly(harness, copy, size + line);
	memcpy(copy + at, behind, other);
	memcpy(copy + at + other, bytes + at, line);
	memcpy(copy + at + other + line, behind + other, rest - other);
	run_exactly(harness, copy, size);
	memcpy(copy + at, bytes + at, line);
	for (size_t cut = apart(line, count); cut + 1 < line; cut += apart(line, count)) {
		copy[at + cut] = '\n';
		memcpy(copy + at + cut + 1, behind, rest);
		run_exactly(harness, copy, at + cut + 1 + rest);
		copy[at + cut] = bytes[at + cut];
		memcpy(copy + at + cut, bytes + at + cut, line - cut);
	}
	free(copy);
}

static void
damage_lines(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	size_t lines = 0, number = 0;

	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	for (size_t at = 0; at < size; number++) {
		const uint8_t *end = memchr(bytes + at, '\n', size - at);
		if (number % apart(lines, count) == 0)
			damage_line(harness, bytes, size, at, count);
		at = end != NULL ? (size_t)(end - bytes) + 1 : size;
	}
}

static void
run_damaged(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	cut_everywhere(harness, bytes, size, count);
	if (memchr(bytes, '\0', size) == NULL)
		damage_lines(harness, bytes, size, count);
	else
		limit_words(harness, bytes, size, count);
}

/* The modes, chosen by the option before the name. */
enum mode { MODE_RUN, MODE_MUTATE, MODE_DAMAGE, MODE_WRITE, MODE_DICTIONARY, MODES };

static enum mode
mode_of(const char *word)
{
	static const char *const words[MODES] = {
		[MODE_MUTATE] = "--mutate", [MODE_DAMAGE] = "--damage", [MODE_WRITE] = "--write",
		[MODE_DICTIONARY] = "--dictionary",
	};

	for (enum mode mode = 0; mode < MODES; mode++)
		if (words[mode] != NULL && strcmp(words[mode], word) == 0)
			return mode;
	return MODE_RUN;
}

static void
run_file(const struct harness *harness, enum mode mode, unsigned long count, int here, const char *path)
{
	size_t size;
	uint8_t *bytes = read_file(here, path, &size);

	if (size <= harness->most) {
		harness->run(bytes, size);
		if (mode == MODE_MUTATE)
			run_changed(harness, bytes, size, count);
		if (mode == MODE_DAMAGE)
			run_damaged(harness, bytes, size, count);
	}
	free(bytes);
}

int
main(int argc, char **argv)
{
	const enum mode mode = argc > 1 ? mode_of(argv[1]) : MODE_RUN;
	const bool counts = mode != MODE_RUN && mode != MODE_DICTIONARY;
	const struct harness *harness = argc > 2 ? harness_named(argv[mode == MODE_RUN ? 1 : 2]) : NULL;
	const unsigned long count = counts && argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		print_list();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--commands") == 0) {
		printf("%zu\n", fuzz_command_count());
		return 0;
	}
	if (harness == NULL || (mode == MODE_WRITE && argc != 6)) {
		fprintf(stderr, "usage: replay NAME FILE...; replay --list has the names\n");
		return 2;
	}
	if (mode == MODE_DICTIONARY) {
		if (harness->words != NULL)
			harness->words(print_word);
		return 0;
	}
	/* The harnesses run in a folder of their own. */
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	if (mode == MODE_WRITE) {
		size_t size;
		uint8_t *bytes = read_file(here, argv[4], &size);

		write_changed(harness, bytes, size, count, argv[5]);
		free(bytes);
		return 0;
	}
	harness_begin(false);
	for (int i = counts ? 4 : 2; i < argc; i++)
		run_file(harness, mode, count, here, argv[i]);
	return 0;
}
