/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Index files with right checksums and wrong lists and numbers: look-ups stay within the symbol
 * file and end. The structures are private, so the source is part of the test. */
#include "symbols/index_file.c"

#include <fcntl.h>

#include "base/policy.h"
#include "tests/fault/damage.h"
#include "tests/lib/chance.h"
#include "tests/lib/folder.h"

#define FUNCTIONS 12000u
/* Bytes of the rules of one record. */
#define LONG 100000u
/* The number of changed headers. */
#define HEADERS 300u

static char sym[80];
static uint8_t *whole;
static size_t whole_size;
static size_t message_most;	/* bytes of all message texts of one index */

static const uint64_t odd_values[] = {
	0, 1, 7, 4096, 65535, FUNCTIONS - 1, FUNCTIONS, INT32_MAX, (uint64_t)INT32_MAX + 1,
	UINT32_MAX - 1, UINT32_MAX, INT64_MAX, UINT64_MAX,
};

/* A file with all lists of an index: nothing is sorted, and some functions overlap. */
static void
write_symbols(void)
{
	FILE *file = fopen(sym, "w");

	fprintf(file, "MODULE Linux x86_64 0123456789ABCDEF0 test\n");
	for (unsigned i = 0; i < 200; i++)
		fprintf(file, "FILE %u f\nINLINE_ORIGIN %u o\n", i * 7 % 200, i * 7 % 200);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const unsigned address = 0x1000 + i * 7 % FUNCTIONS * 16;
		fprintf(file, "FUNC %x %x 0 function_%u\nINLINE 0 1 %u %u %x 8\n%x 10 %u %u\n",
			address, i % 9 == 0 ? 24u : 16u, i, i % 200, i % 200, address, address, i, i % 200);
		fprintf(file, "STACK CFI INIT %x 10 .cfa: $rsp 8 +\nSTACK CFI %x .cfa: $rsp 16 +\n",
			address, 0x1004 + i * 5 % FUNCTIONS * 16);
	}
	for (unsigned i = 0; i < 100; i++)
		fprintf(file, "PUBLIC %x 0 p\nPUBLIC 30 0 q\nFUNC bad\n"
			"STACK WIN 4 %x 20 0 0 0 0 0 0 1 $eip 4 + ^ =\n", 0x800 - i, 0x1000 + i * 16);
	fprintf(file, "STACK CFI 1004 .cfa:%*s\n", (int)LONG, "1");
	fclose(file);
	/* An old modification time: the cache does not keep the index of a new file. */
	const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	utimensat(AT_FDCWD, sym, times, 0);
}

static struct symfile *
open_sym(void)
{
	const struct symfile_options options = { .index_directory = root };
	struct symfile *symfile = NULL;

	symfile_open(&symfile, sym, &options, NULL);
	return symfile;
}

/* The path of the symbol file's index. */
static void
index_path(char path[INDEX_PATH_SIZE])
{
	struct symfile *symfile = open_sym();

	index_store_path(path, root, hash_words(0, symfile->key, sizeof(*symfile->key)));
	symfile_close(symfile);
}

/* Make the look-ups of a walk around an address. */
static void
ask(const struct symfile *symfile, const struct policy *policy, uint64_t address)
{
	struct arena arena = { 0 };
	struct symbol symbol;
	struct function function;
	struct stack_cfi_records cfi;
	struct stack_win win;
	uint64_t at = address, offset;
	uint32_t length;

	symfile_lookup(symfile, policy, address, &arena, &symbol);
	symfile_stack_cfi(symfile, policy, address, &arena, &cfi);
	symfile_stack_cfi_from(symfile, policy, address, &arena, &cfi);
	for (unsigned i = 0; i < 10 && symfile_stack_cfi_change(symfile, policy, at, &at); i++)
		symfile_place(symfile, at, 1);
	symfile_stack_win(symfile, policy, 4, address, &win);
	for (at = address; symfile_stack_win_change(symfile, policy, 4, at, &at);)
		symfile_function(symfile, policy, at, &function);
	symfile_numbered(symfile, SYMBOL_FILE, address % 300, &offset, &length);
	symfile_record(symfile, SYMBOL_FUNC, address % FUNCTIONS, &offset, &length);
	symfile_line_offset(symfile, symfile_line_count(symfile), &offset);
	arena_free(&arena);
}

/* Write changed bytes as an index with right checksums and use it; false if it is refused. */
static bool
use(const char *path, uint8_t *bytes)
{
	struct index_header *header = (struct index_header *)(void *)bytes;
	FILE *file = fopen(path, "wb");

	for (size_t i = 0; i < SECTIONS; i++) {
		struct section_place *place = &header->sections[i];

		if (place->offset <= whole_size && place->width > 0 && place->count <= (whole_size - place->offset) / place->width)
			place->sum = hash_words(i, bytes + place->offset, (size_t)(place->count * place->width));
	}
	header->sum = header_sum(header);
	fwrite(bytes, 1, whole_size, file);
	fclose(file);
	free(bytes);
	struct symfile *symfile = open_sym();
	const bool taken = symfile->index.data != NULL;
	size_t message_bytes = 0;
	for (enum policy_column column = 0; column < POLICY_COLUMNS; column++) {
		const struct policy all = policy_column(column);
		for (unsigned i = 0; i < 8; i++)
			ask(symfile, &all, 0x1000 + i * 0x1237 % (FUNCTIONS * 16));
	}
	for (size_t i = 0; i < symfile->messages.count; i++)
		message_bytes += strlen(symfile->messages.messages[i].text);
	message_most = message_bytes > message_most ? message_bytes : message_most;
	symfile_close(symfile);
	return taken;
}

static uint8_t *
copy_whole(void)
{
	uint8_t *copy = malloc(whole_size);

	memcpy(copy, whole, whole_size);
	return copy;
}

/* All elements of each list get one value, or random values. */
static void
check_lists(const char *path)
{
	const struct index_header *header = (const struct index_header *)(const void *)whole;
	unsigned taken = 0, ended = 0;

	for (size_t number = 0; number < SECTIONS; number++) {
		const struct section_place *place = &header->sections[number];
		for (size_t v = 0; place->count != 0 && v <= ARRAY_COUNT(odd_values); v++) {
			uint8_t *bytes = copy_whole();
			const uint64_t lists = header->total;
			/* Elements have 1 to 24 bytes: change some of this list or the next. */
			const uint64_t behind = place->offset + place->count * 4;
			const uint64_t end = behind < lists ? behind : lists;

			for (uint64_t at = place->offset; at + 4 <= end; at += 4) {
				const uint32_t word = v < ARRAY_COUNT(odd_values) ? (uint32_t)odd_values[v]
							      : chance(2 * FUNCTIONS);

				memcpy(bytes + at, &word, sizeof(word));
			}
			taken += use(path, bytes);
			ended++;
		}
	}
	ok(taken > ended / 2, "look-ups in lists of odd values end: %u of %u indexes are taken", taken, ended);
}

/* Change numbers of the header, and move lists to the places of others. */
static void
check_headers(const char *path)
{
	unsigned taken = 0;

	chance_begin(1);
	for (unsigned i = 0; i < HEADERS; i++) {
		uint8_t *bytes = copy_whole();
		struct index_header *header = (struct index_header *)(void *)bytes;
		uint64_t *words = (uint64_t *)(void *)&header->found;
		const size_t count = (size_t)((uint64_t *)(void *)(header + 1) - words);

		if (i % 2 == 0)
			words[chance((uint32_t)count)] = odd_values[chance(ARRAY_COUNT(odd_values))];
		else
			header->sections[chance(SECTIONS)].offset = header->sections[chance(SECTIONS)].offset;
		taken += use(path, bytes);
	}
	ok(taken > 10 && taken < HEADERS, "look-ups in indexes with odd headers end: %u of %u are taken", taken, HEADERS);
}

/* Each number in the summary of the symbol file gets every odd value. */
static void
check_found(const char *path)
{
	unsigned taken = 0;

	for (size_t at = 0; at + 4 <= sizeof(struct symfile_found); at += 4)
		for (size_t v = 0; v < ARRAY_COUNT(odd_values); v++) {
			uint8_t *bytes = copy_whole();
			struct index_header *header = (struct index_header *)(void *)bytes;

			memcpy((char *)&header->found + at, &odd_values[v], 4);
			taken += use(path, bytes);
		}
	ok(taken > 50, "look-ups in indexes with odd counts of findings end: %u are taken", taken);
}

static void
fill_list(uint8_t *bytes, size_t number, uint32_t value)
{
	const struct index_header *header = (const struct index_header *)(const void *)bytes;

	for (uint64_t i = 0; i < header->sections[number].count; i++)
		memcpy(bytes + header->sections[number].offset + i * sizeof(value), &value, sizeof(value));
}

/* All deltas are in one long record, and one INIT record covers all addresses. */
static void
check_shared(const char *path)
{
	const struct policy all = policy_column(POLICY_UNSPOOL);
	struct symfile *symfile = open_sym();
	uint64_t init = 0, last = 0, bytes = 0;
	struct arena arena = { 0 };
	struct stack_cfi_records cfi;
	uint8_t *index = copy_whole();
	uint32_t length;

	symfile_record(symfile, SYMBOL_STACK_CFI_INIT, 0, &init, &length);
	symfile_line_offset(symfile, symfile_line_count(symfile), &last);
	symfile_close(symfile);
	fill_list(index, TABLE_INIT * COLUMNS, 0);
	fill_list(index, TABLE_INIT * COLUMNS + 1, (uint32_t)init);
	fill_list(index, TABLE_INIT * COLUMNS + 2, UINT32_MAX);
	fill_list(index, TABLE_DELTA * COLUMNS + 1, (uint32_t)last);
	ok(use(path, index), "an index whose rows share a record is taken");
	symfile = open_sym();
	symfile_stack_cfi(symfile, &all, 0x1000 + FUNCTIONS * 16, &arena, &cfi);
	for (size_t i = 0; i < cfi.delta_count; i++)
		bytes += cfi.deltas[i].length;
	ok(cfi.delta_count > 0 && cfi.deltas[0].length > LONG && bytes <= symfile->found.size,
	   "a look-up reads no more than the file has, %zu records", cfi.delta_count);
	arena_free(&arena);
	symfile_close(symfile);
}

/* Many messages share one long text. */
static void
check_messages(const char *path)
{
	uint8_t *bytes = copy_whole();
	struct index_header *header = (struct index_header *)(void *)bytes;
	struct section_place *place = &header->sections[SECTIONS - 2];
	/* The bytes of the first list: addresses of functions. */
	uint8_t *list = bytes + header->sections[0].offset, *texts = list + FUNCTIONS;

	place[0] = (struct section_place){ header->sections[0].offset, FUNCTIONS / sizeof(struct kept_message),
					   sizeof(struct kept_message), 0 };
	place[1] = (struct section_place){ place->offset + FUNCTIONS / ALIGNMENT * ALIGNMENT, 2 * FUNCTIONS, 1, 0 };
	memset(list, 0, FUNCTIONS);
	memset(texts, 'x', 2 * FUNCTIONS);
	for (uint64_t i = 0; i < place->count; i++)
		((struct kept_message *)(void *)list)[i].text = FUNCTIONS / 2;
	bytes[place[1].offset + place[1].count - 1] = '\0';
	ok(!use(path, bytes), "messages that share a text are not believed");
	ok(message_most < whole_size, "no index makes messages longer than itself");
}

int
main(void)
{
	char path[INDEX_PATH_SIZE];

	if (!folder_make())
		return 1;
	snprintf(sym, sizeof(sym), "%s/test.sym", root);
	write_symbols();
	index_path(path);
	whole = damage_read(path, &whole_size);
	ok(use(path, copy_whole()), "an index that is restored is taken");
	check_lists(path);
	check_headers(path);
	check_found(path);
	check_shared(path);
	check_messages(path);
	free(whole);
	folder_remove();
	return done_testing();
}
