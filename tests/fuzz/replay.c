/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The fuzz harnesses without a fuzzer.
 *
 *	replay --list			their names and the most bytes of an input
 *	replay --dictionary NAME	words of the program's tables, as fuzzers read them
 *	replay --commands		how many command lines the harness `commands` has
 *	replay NAME FILE...		run inputs; for AFL++, too: afl-fuzz ... -- replay NAME @@
 *	replay --mutate NAME COUNT FILE...	and so many changed copies of each
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

/* A file in memory of exactly its size. */
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

/* What a fuzzer does to bytes that it knows nothing of. */
static size_t
change_bytes(uint8_t *bytes, size_t size, uint64_t *state)
{
	static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (uint64_t count = 1 + next(state) % 8; size > 0 && count > 0; count--) {
		uint8_t *byte = &bytes[next(state) % size];
		const uint64_t choice = next(state);

		*byte = choice % 3 == 0	  ? special[choice / 3 % sizeof(special)]
			: choice % 3 == 1 ? (uint8_t)(*byte ^ 1u << choice / 3 % 8)
					  : (uint8_t)(choice / 3);
	}
	return size > 0 && next(state) % 8 == 0 ? next(state) % size : size;
}

static void
run_changed(const struct harness *harness, const uint8_t *bytes, size_t size, unsigned long count)
{
	uint64_t state = size;

	for (unsigned long i = 0; i < count; i++) {
		const size_t room = size + 256 < harness->most ? size + 256 : harness->most;
		uint8_t *copy = malloc(room > 0 ? room : 1);

		if (copy == NULL)
			exit(2);
		memcpy(copy, bytes, size < room ? size : room);
		size_t length = size < room ? size : room;
		length = harness->mutate != NULL && i % 2 == 0
				 ? harness->mutate(copy, length, room, (unsigned)next(&state))
				 : change_bytes(copy, length, &state);
		uint8_t *exact = malloc(length > 0 ? length : 1);
		if (exact == NULL)
			exit(2);
		memcpy(exact, copy, length);
		free(copy);
		harness->run(exact, length);
		free(exact);
	}
}

int
main(int argc, char **argv)
{
	const bool mutating = argc > 3 && strcmp(argv[1], "--mutate") == 0;
	const unsigned long changes = mutating ? strtoul(argv[3], NULL, 10) : 0;
	const bool asks = argc == 3 && strcmp(argv[1], "--dictionary") == 0;
	const int first = mutating ? 4 : 2;
	const struct harness *harness =
		argc > 1 ? harness_named(argv[mutating || asks ? 2 : 1]) : NULL;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		print_list();
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--commands") == 0) {
		printf("%zu\n", fuzz_command_count());
		return 0;
	}
	if (harness == NULL) {
		fprintf(stderr, "usage: replay NAME FILE...; replay --list has the names\n");
		return 2;
	}
	if (asks) {
		if (harness->words != NULL)
			harness->words(print_word);
		return 0;
	}
	/* The harnesses run in a folder of their own. */
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	harness_begin();
	for (int i = first; i < argc; i++) {
		size_t size;
		uint8_t *bytes = read_file(here, argv[i], &size);

		if (size <= harness->most) {
			harness->run(bytes, size);
			run_changed(harness, bytes, size, changes);
		}
		free(bytes);
	}
	return 0;
}
