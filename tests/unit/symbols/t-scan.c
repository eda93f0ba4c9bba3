/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every way to scan a symbol file gives the same index: with any number of threads and any starts of slices, also for text that
 * no writer writes. All are compared with the exact pass, which reads one line after another. */
#include "base/policy_rows.h"
#include "symbols/symfile_internal.h"
#include "tests/lib/chance.h"
#include "tests/lib/tap.h"

struct buffer {
	char *text;
	size_t size, room;
};

static void
put(struct buffer *buffer, const char *text)
{
	const size_t length = strlen(text);

	if (buffer->size + length <= buffer->room) {
		memcpy(buffer->text + buffer->size, text, length);
		buffer->size += length;
	}
}

/* How unusual a generated file is. */
enum oddity { PROPER, LOOSE, HOSTILE };

static void
put_function(struct buffer *buffer, uint64_t *address, enum oddity oddity)
{
	char line[200];
	const unsigned size = 1 + chance(90);

	snprintf(line, sizeof(line), "FUNC %s%llx %x %x f%u(int, char)\n", chance(9) ? "" : "m ",
		 (unsigned long long)*address, size, chance(3), chance(1000));
	put(buffer, line);
	for (unsigned i = chance(4); i > 0; i--) {
		snprintf(line, sizeof(line), "INLINE 0 %u %u %u %llx %x\n", chance(99), chance(9),
			 chance(50), (unsigned long long)*address, 1 + chance(size));
		put(buffer, line);
	}
	for (unsigned i = chance(6); i > 0; i--) {
		snprintf(line, sizeof(line), "%llx %x %u %u\n", (unsigned long long)*address + i, 1, chance(99), chance(9));
		put(buffer, line);
	}
	*address += oddity == PROPER ? size + chance(20) : chance(120);
}

static void
put_cfi(struct buffer *buffer, uint64_t *address, enum oddity oddity)
{
	char line[200];
	const unsigned size = 20 + chance(90);
	uint64_t at = *address;

	snprintf(line, sizeof(line), "STACK CFI INIT %llx %x .cfa: $rsp 8 +\n", (unsigned long long)at, size);
	put(buffer, line);
	for (unsigned i = chance(5); i > 0; i--) {
		at = oddity == PROPER ? at + 1 + chance(4) : at + chance(40);
		snprintf(line, sizeof(line), "STACK CFI %llx .cfa: $rsp %u +\n", (unsigned long long)at, 8 * i);
		put(buffer, line);
	}
	*address += oddity == PROPER ? size + chance(9) : chance(130);
}

static void
put_numbered(struct buffer *buffer, const char *word, unsigned *number, enum oddity oddity)
{
	char line[200];

	snprintf(line, sizeof(line), "%s %u name%u%.*s\n", word, *number, chance(1000),
		 (int)chance(40), "::anonymous::operator new(unsigned long)");
	put(buffer, line);
	*number = oddity == PROPER ? *number + 1 : chance(60);
}

static void
put_strange(struct buffer *buffer, enum oddity oddity)
{
	static const char *const loose[] = {
		"PUBLIC 7f00 0 p\n", "PUBLIC m FF00 10 P\n", "INFO CODE_ID 1234\n", "\n", "FUNC ABC0 10 0 upper\n",
		"INLINE_ORIGIN 7 3 old form\n", "FILE +5 plus.c\n", "STACK CFI 10 .cfa: 1\n", "STACK CFI INIT 0 0 .cfa: 2\n", "\r\n",
		"STACK WIN 4 1000 20 1 2 3 4 5 6 1 $eip 4 + ^ =\n", "STACK WIN 0 1010 10 1 2 3 4 5 6 0 1\n", "FUNC 5000 10 0 crlf\r\n",
		"STACK CFI INIT 123456789ab 10 .cfa: 3\n", "FUNC 123456789abcdef 5 0 far\n", "INLINE_ORIGIN 3 (anonymous namespace)::f\n",
		"MODULE Linux x86_64 1 m\n",
	};
	static const char *const hostile[] = {
		"FUNC\n", "FUNC x 1 0 a\n", "FUNC 1 1 0\n", "1000 1 1 1\n", "PUBLIC\n", "zzz\n", "STACK CFI 5\n", "STACK CFI\n",
		"STACK WIN 9 1\n", "INFO \n", "INFOX 1\n", "\r", "FILE x y\n", "FILE 5 \n", "INLINE_ORIGIN 1\n", "INLINE_ORIGIN 5 \n",
		"INLINE \n", "INLINEX\n", "FUNC 1 2\r3 4 5\n", "+5 1 1 1\n", "STACK CFI :: .cfa: 5\n", "FUNC 1 1000000000 0 huge\n",
		"IFUL01 x\n", "FUNC `12 1 0 a\n", "FUNC 1:2 1 0 a\n", "FUNC 0x10 1 0 a\n", "PUBLIC 0 0 zero\n",
	};

	if (oddity >= HOSTILE && chance(3) == 0)
		put(buffer, hostile[chance(ARRAY_COUNT(hostile))]);
	else if (oddity >= LOOSE)
		put(buffer, loose[chance(ARRAY_COUNT(loose))]);
	if (oddity >= HOSTILE && chance(40) == 0 && buffer->size + 2 < buffer->room)
		buffer->text[buffer->size++] = chance(2) != 0 ? '\0' : '\xff';
	if (oddity >= LOOSE && chance(60) == 0)
		for (unsigned i = 900 + chance(9000); i > 0; i--)
			put(buffer, "looooong ");
}

static void
generate(struct buffer *buffer, size_t size, enum oddity oddity)
{
	uint64_t function = 0x1000, cfi = 0x1000;
	unsigned file = 0, origin = 0;

	buffer->size = 0;
	put(buffer, "MODULE Linux x86_64 0123456789ABCDEF0 test\n");
	while (buffer->size < size / 4) {
		put_numbered(buffer, "FILE", &file, oddity);
		put_numbered(buffer, "INLINE_ORIGIN", &origin, oddity);
	}
	while (buffer->size < size / 2)
		if (oddity != PROPER && chance(40) == 0)
			put_strange(buffer, oddity);
		else
			put_function(buffer, &function, oddity);
	while (buffer->size < size)
		if (oddity != PROPER && chance(200) == 0)
			put_strange(buffer, oddity);
		else
			put_cfi(buffer, &cfi, oddity);
	if (chance(2) != 0)
		buffer->size -= 1 + chance(3);
}

/* All deltas; only some indexes keep them. */
static bool
same_deltas(const struct symfile *a, const struct symfile *b)
{
	struct table left = { 0 }, right = { 0 };
	bool same = symfile_scan_deltas(a, 0, &left) && symfile_scan_deltas(b, 0, &right) &&
		    left.count == right.count && left.count == symfile_count(a, SYMBOL_STACK_CFI) &&
		    left.count == symfile_count(b, SYMBOL_STACK_CFI);

	for (size_t row = 0; same && row < left.count; row++)
		same = table_offset(&left, row) == table_offset(&right, row);
	if (!same)
		tap_diag("deltas differ");
	table_free(&left);
	table_free(&right);
	return same;
}

static bool
same_records(const struct symfile *a, const struct symfile *b)
{
	static const enum symbol_record_kind kinds[] = {
		SYMBOL_MODULE, SYMBOL_INFO, SYMBOL_FILE, SYMBOL_INLINE_ORIGIN, SYMBOL_FUNC,
		SYMBOL_PUBLIC, SYMBOL_STACK_WIN, SYMBOL_STACK_CFI_INIT,
	};

	if (!same_deltas(a, b))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		uint64_t offset[2] = { 0 };
		uint32_t length[2] = { 0 };
		const size_t count = symfile_count(a, kinds[i]);

		if (symfile_count(b, kinds[i]) != count) {
			tap_diag("kind %d: %zu and %zu records", (int)kinds[i], count, symfile_count(b, kinds[i]));
			return false;
		}
		for (size_t row = 0; row < count; row++)
			if (!symfile_record(a, kinds[i], row, &offset[0], &length[0]) ||
			    !symfile_record(b, kinds[i], row, &offset[1], &length[1]) ||
			    offset[0] != offset[1] || length[0] != length[1]) {
				tap_diag("kind %d differs in record %zu", (int)kinds[i], row);
				return false;
			}
	}
	return true;
}

static bool
same_messages(const struct symfile *a, const struct symfile *b)
{
	const struct message_list *left = symfile_messages(a), *right = symfile_messages(b);

	if (left->count != right->count || memcmp(left->seen, right->seen, sizeof(left->seen)) != 0) {
		tap_diag("%zu and %zu messages", left->count, right->count);
		return false;
	}
	for (size_t i = 0; i < left->count; i++) {
		const struct message *one = &left->messages[i], *other = &right->messages[i];
		if (one->kind != other->kind || strcmp(one->text, other->text) != 0 ||
		    one->place.offset != other->place.offset || one->place.line != other->place.line ||
		    one->place.column != other->place.column) {
			tap_diag("message %zu: line %u '%s', line %u '%s'", i, one->place.line, one->text, other->place.line, other->text);
			return false;
		}
	}
	return true;
}

static bool
same_cfi(const struct symfile *a, const struct symfile *b, bool stop, uint64_t address)
{
	const struct policy policy = { .value = { [POLICY_SYMBOL_ERROR_LIMIT] = stop } };
	const struct symfile *const files[] = { a, b };
	struct stack_cfi_records cfi[2];
	uint64_t change[2] = { 0 };
	bool found[2], changes[2], same;
	struct arena arena = { 0 };

	for (size_t i = 0; i < 2; i++) {
		found[i] = symfile_stack_cfi(files[i], &policy, address, &arena, &cfi[i]);
		changes[i] = symfile_stack_cfi_change(files[i], &policy, address, &change[i]);
	}
	same = found[0] == found[1] && cfi[0].delta_count == cfi[1].delta_count &&
	       changes[0] == changes[1] && change[0] == change[1] && (!found[0] || cfi[0].init.offset == cfi[1].init.offset);
	for (size_t i = 0; same && i < cfi[0].delta_count; i++)
		same = cfi[0].deltas[i].offset == cfi[1].deltas[i].offset;
	arena_free(&arena);
	return same;
}

static bool
same_answers(const struct symfile *a, const struct symfile *b)
{
	for (unsigned turn = 0; turn < 400; turn++) {
		const uint64_t address = 0xff0 + chance(turn % 2 != 0 ? 3000 : 200000);
		const struct policy policy = { .value = { [POLICY_SYMBOL_ERROR_LIMIT] = chance(2) != 0 } };
		struct function one = { 0 }, other = { 0 };

		if (symfile_function(a, &policy, address, &one) != symfile_function(b, &policy, address, &other) ||
		    one.offset != other.offset ||
		    !same_cfi(a, b, policy.value[POLICY_SYMBOL_ERROR_LIMIT] == 1, address)) {
			tap_diag("address %llx differs", (unsigned long long)address);
			return false;
		}
	}
	return true;
}

static bool
same_lines(const struct symfile *a, const struct symfile *b, size_t size)
{
	for (unsigned turn = 0; turn < 200; turn++) {
		const uint64_t offset = chance((uint32_t)size);
		const struct place one = symfile_place(a, offset, 1);
		const struct place other = symfile_place(b, offset, 1);
		uint64_t start[2] = { 0 };

		if (one.line != other.line || one.column != other.column || !symfile_line_offset(a, one.line, &start[0]) ||
		    !symfile_line_offset(b, one.line, &start[1]) || start[0] != start[1] || start[0] + one.column - 1 != offset)
			return false;
	}
	return symfile_line_count(a) == symfile_line_count(b);
}

static bool
same_index(const struct symfile *a, const struct symfile *b, size_t size)
{
	return same_records(a, b) && same_messages(a, b) &&
	       symfile_corrupt(a) == symfile_corrupt(b) && a->found.stops == b->found.stops &&
	       a->part.end == b->part.end && same_answers(a, b) && same_lines(a, b, size);
}

static void
check_files(enum oddity oddity, size_t size, const char *what)
{
	struct buffer buffer = { .room = size * 2, .text = malloc(size * 2) };
	struct symfile *exact, *fast;
	bool same = true;

	for (unsigned turn = 0; turn < 12 && same; turn++) {
		const struct scan_options slow = { .exact = true, .threads = 1 };
		generate(&buffer, size, oddity);
		symfile_scan_memory(&exact, "exact", buffer.text, buffer.size, &slow, NULL);
		const struct scan_options options = {
			.threads = 1 + chance(3),
			/* One slice, or several. */
			.slice_size = LINE_BLOCK * chance(7),
		};

		symfile_scan_memory(&fast, "fast", buffer.text, buffer.size, &options, NULL);
		same = same_index(exact, fast, buffer.size);
		if (oddity == PROPER)
			same = same && !fast->found.scattered;
		symfile_close(fast);
		symfile_close(exact);
	}
	ok(same, "%s have the index that reading line by line makes", what);
	free(buffer.text);
}

static bool
stop_at_once(void *context, uint64_t bytes, uint64_t total)
{
	unsigned *calls = context;

	(*calls)++;
	return total == 0 || bytes * 2 < total;
}

static void
check_progress(void)
{
	struct buffer buffer = { .room = 1 << 20, .text = malloc(1 << 20) };
	unsigned calls = 0;
	const struct scan_options options = { .slice_size = LINE_BLOCK, .threads = 2, .progress = stop_at_once, .context = &calls };
	struct symfile *symfile;
	struct error error = { 0 };

	generate(&buffer, 500000, PROPER);
	ok(symfile_scan_memory(&symfile, "stopped.sym", buffer.text, buffer.size, &options,
			       &error) == ERROR_CANCELLED && symfile == NULL, "reading ends when the visitor stops it");
	is_str(error.text, "reading was cancelled", "a stopped reading has its own error");
	ok(calls > 1 && calls < 30, "the visitor is called several times, but rarely after it stops");
	free(buffer.text);
}

int
main(void)
{
	check_files(PROPER, 300000, "files as writers write them");
	check_files(LOOSE, 300000, "files with odd but valid records");
	check_files(HOSTILE, 300000, "files with bad records and bytes");
	check_files(HOSTILE, 3000, "short files with bad records and bytes");
	check_progress();
	return done_testing();
}
