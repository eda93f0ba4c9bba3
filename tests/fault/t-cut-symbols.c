/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled symbol files, truncated: at every line, one byte before and after, and at seeded other places. Every record before
 * the cut is still found, and a record that the cut damaged is reported. */
#include <ftw.h>

#include "base/policy_rows.h"
#include "symbols/symbols.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define SEEDED_CUTS 100u
/* How many lines of a large file are cut; the lines between are of the same kinds. */
#define CUT_LINES 400u
/* Addresses that are looked up in each cut file. */
#define PROBES 12u

static const enum symbol_record_kind kinds[] = {
	SYMBOL_FILE, SYMBOL_INLINE_ORIGIN, SYMBOL_FUNC, SYMBOL_PUBLIC, SYMBOL_STACK_WIN, SYMBOL_STACK_CFI_INIT, SYMBOL_STACK_CFI,
};

struct findings {
	size_t refused, lost, silent;
};

/* Record `index` of a kind; the index has no delta records, so for those the next one. */
static bool
next_record(const struct symfile *whole, enum symbol_record_kind kind, size_t index, uint64_t *offset, uint32_t *length)
{
	const struct file *file = symfile_file(whole);
	const char *text = (const char *)file->data;
	const char *at = text + (index == 0 ? 0 : *offset + *length);

	if (kind != SYMBOL_STACK_CFI)
		return symfile_record(whole, kind, index, offset, length);
	while ((at = memmem(at, file->size - (size_t)(at - text), "\nSTACK CFI ", 11)) != NULL && strncmp(++at, "STACK CFI INIT ", 15) == 0)
		continue;
	if (at == NULL)
		return false;
	const char *end = memchr(at, '\n', file->size - (size_t)(at - text));
	*offset = (uint64_t)(at - text);
	*length = (uint32_t)(end != NULL ? end - at : (ptrdiff_t)file->size - (at - text));
	return true;
}

/* How many records of a kind end before the cut. */
static size_t
records_before(const struct symfile *whole, enum symbol_record_kind kind, size_t cut)
{
	size_t count = 0, index = 0;
	uint64_t offset = 0;
	uint32_t length = 0;

	while (next_record(whole, kind, index++, &offset, &length))
		count += offset + length <= cut;
	return count;
}

/* True if a record of the kind begins before the cut and ends after it. */
static bool
is_cut(const struct symfile *whole, enum symbol_record_kind kind, size_t cut)
{
	size_t index = 0;
	uint64_t offset = 0;
	uint32_t length = 0;

	while (next_record(whole, kind, index++, &offset, &length))
		if (offset < cut && offset + length > cut)
			return true;
	return false;
}

static void
check_records(const struct symfile *whole, const struct symfile *symfile, size_t cut, struct findings *findings)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t want = records_before(whole, kinds[i], cut);
		size_t got = symfile_count(symfile, kinds[i]);

		if (got < want || got > want + is_cut(whole, kinds[i], cut))
			damage_note(&findings->lost, "records before the cut", "cut at", cut);
		else if (got == want && is_cut(whole, kinds[i], cut) && message_total(symfile_messages(symfile)) <=
				 message_total(symfile_messages(whole)))
			damage_note(&findings->silent, "no message of the record that is gone", "cut at", cut);
	}
}

/* The end of the text that belongs to `function`: the next record that is not one of its lines. */
static uint64_t
function_end(const struct symfile *whole, const struct function *function)
{
	const struct file *file = symfile_file(whole);
	const char *text = (const char *)file->data;
	uint64_t at = function->offset + function->length + 1;

	while (at < file->size && (strchr("0123456789abcdef", text[at]) != NULL || strncmp(text + at, "INLINE ", 7) == 0)) {
		const char *end = memchr(text + at, '\n', file->size - at);
		if (end == NULL)
			return file->size;
		at = (uint64_t)(end - text) + 1;
	}
	return at;
}

static bool
same_text(struct text a, struct text b)
{
	return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

/* True if an answer whose records are all before the cut is still the same. */
static bool
same_answer(const struct symfile *whole, const struct symfile *symfile, uint64_t address, size_t cut)
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct symbol want, got;
	struct arena arena = { 0 };
	bool same = true;

	symfile_lookup(whole, &policy, address, &arena, &want);
	symfile_lookup(symfile, &policy, address, &arena, &got);
	if (want.found && want.function.kind == SYMBOL_FUNC && function_end(whole, &want.function) < cut)
		same = got.found && same_text(want.function.name, got.function.name) &&
		       want.has_line == got.has_line && want.line.line == got.line.line &&
		       same_text(want.line.file, got.line.file) &&
		       want.inline_count == got.inline_count;
	for (size_t i = 0; same && i < want.inline_count && want.found && function_end(whole, &want.function) < cut; i++)
		same = same_text(want.inlines[i].name, got.inlines[i].name);
	arena_free(&arena);
	return same;
}

static void
check_stack(const struct symfile *symfile, uint64_t address)
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct stack_cfi_records cfi;
	struct stack_win win;
	struct arena arena = { 0 };

	symfile_stack_cfi(symfile, &policy, address, &arena, &cfi);
	symfile_stack_win(symfile, &policy, 0, address, &win);
	symfile_stack_win(symfile, &policy, 4, address, &win);
	arena_free(&arena);
}

/* Choose addresses inside functions, spread over the file. */
static size_t
choose_probes(const struct symfile *whole, uint64_t probes[PROBES])
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	size_t count = symfile_count(whole, SYMBOL_FUNC), chosen = 0;

	for (size_t i = 0; i < PROBES && i < count; i++) {
		size_t wanted = i * count / (count < PROBES ? count : PROBES);
		uint64_t offset, address;
		uint32_t length;

		if (!symfile_record(whole, SYMBOL_FUNC, wanted, &offset, &length))
			continue;
		const char *text = (const char *)symfile_file(whole)->data + offset + 5;
		address = strtoull(text + (text[0] == 'm' ? 2 : 0), NULL, 16);
		struct function function;
		if (symfile_function(whole, &policy, address + 1, &function))
			probes[chosen++] = function.address + function.size / 2;
	}
	return chosen;
}

static void
try_cut(const struct symfile *whole, const uint64_t *probes, size_t probe_count, size_t cut, struct findings *findings)
{
	uint8_t *bytes = damage_copy(symfile_file(whole)->data, cut);
	struct error error = { 0 };
	struct symfile *symfile;

	if (symfile_from_memory(&symfile, "cut.sym", bytes, cut, &error) != ERROR_NONE) {
		damage_note(&findings->refused, error.text, "cut at", cut);
	} else {
		check_records(whole, symfile, cut, findings);
		for (size_t i = 0; i < probe_count; i++) {
			if (!same_answer(whole, symfile, probes[i], cut))
				damage_note(&findings->lost, "the answer for an address", "cut at", cut);
			check_stack(symfile, probes[i]);
		}
		symfile_place(symfile, cut, 0);
		symfile_close(symfile);
	}
	free(bytes);
}

static struct offsets
choose_cuts(const uint8_t *bytes, size_t size)
{
	struct offsets cuts = { 0 };
	uint64_t seed = 19930401;
	size_t lines = 0, line = 0;

	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '\n' && line++ % (1 + lines / CUT_LINES) == 0)
			offsets_around(&cuts, i + 1, size);
	for (unsigned i = 0; i < SEEDED_CUTS; i++)
		offsets_around(&cuts, damage_random(&seed) % size, size);
	offsets_sort(&cuts);
	return cuts;
}

static int
test_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	const char *name = path + walk->base;
	struct findings findings = { 0 };
	uint64_t probes[PROBES];
	struct error error;
	struct symfile *whole;
	size_t size;

	(void)status;
	if (type != FTW_F || strstr(name, ".sym") == NULL)
		return 0;
	uint8_t *bytes = damage_read(path, &size);
	if (ok(symfile_from_memory(&whole, name, bytes, size, &error) == ERROR_NONE, "%s opens", name)) {
		struct offsets cuts = choose_cuts(bytes, size);
		size_t probe_count = choose_probes(whole, probes);

		tap_diag("%s: %zu bytes, %zu cuts, %zu addresses", name, size, cuts.count, probe_count);
		for (size_t i = 0; i < cuts.count; i++)
			try_cut(whole, probes, probe_count, cuts.values[i], &findings);
		is_u64(findings.refused, 0, "%s opens wherever it is cut", name);
		is_u64(findings.lost, 0, "%s: every record before the cut is found", name);
		is_u64(findings.silent, 0, "%s: a record that is lost is reported", name);
		offsets_free(&cuts);
		symfile_close(whole);
	}
	free(bytes);
	return 0;
}

int
main(void)
{
	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		struct bundle bundle;
		bundle_find(&bundle, i);
		ok(nftw(bundle.symbols, test_file, 16, 0) == 0, "the symbols of %s are there", bundle.name);
	}
	return done_testing();
}
