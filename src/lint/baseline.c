/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "lint/lint_internal.h"

/*
 * Fingerprints, which identify a finding when lines have moved and addresses have changed. A
 * fingerprint is made from the finding's code, the module, the function, and the record without
 * addresses and sizes. It also has a number that distinguishes equal findings in a file.
 */

enum { DIGITS = 16 };

/* The part of a record that does not depend on its address; for a line record, its function. */
static struct text
constant_part(struct text record)
{
	static const struct {
		const char *word;
		unsigned fields;	/* number of leading fields that depend on addresses */
	} kinds[] = {
		{ "STACK CFI INIT ", 2 }, { "STACK CFI ", 1 }, { "STACK WIN ", 3 },
		{ "FUNC ", 3 }, { "PUBLIC ", 2 }, { "INLINE ", 99 },
	};
	const char *end = record.start + record.length, *at = record.start;
	unsigned fields = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kinds) && fields == 0; i++) {
		const size_t length = strlen(kinds[i].word);

		if (record.length < length || memcmp(record.start, kinds[i].word, length) != 0)
			continue;
		at += length;
		fields = kinds[i].fields;
	}
	if (fields == 0 && lint_is_line(record))
		return (struct text){ record.start, 0 };
	for (; fields > 0 && at < end; fields--) {
		const char *blank = memchr(at, ' ', (size_t)(end - at));

		at = blank != NULL ? blank + 1 : end;
	}
	return (struct text){ at, (size_t)(end - at) };
}

static uint64_t
hash_text(uint64_t hash, struct text text)
{
	return hash_bytes(hash_bytes(hash, text.start, text.length), "", 1);
}

uint64_t
lint_fingerprint(const struct lint *lint, const struct lint_finding *finding, struct hash *known)
{
	uint64_t hash = hash_text(HASH_START, text_of(lint_code_table[finding->code].name));
	struct text module = lint->module;

	/* The last field of a MODULE record is equal in all builds of a module. */
	for (int field = 0; field < 3 && lint->module.length > 0; field++) {
		const char *blank = memchr(module.start, ' ', module.length);
		const size_t skip = blank != NULL ? (size_t)(blank + 1 - module.start) : 0;

		module.start += skip;
		module.length -= skip;
	}
	if (lint->module.length > 0)
		hash = hash_text(hash, module);
	hash = hash_text(hash, finding->name);
	hash = hash_text(hash, constant_part(finding->record));
	/* The table's values are counts of equal fingerprints, not pointers. */
	const uint64_t number = (uintptr_t)hash_find(known, hash, 0) + 1;
	hash_put(known, hash, 0, (const void *)(uintptr_t)number);
	/* A fingerprint is stored in files: it must be equal on machines of either byte order. */
	for (unsigned i = 0; i < 8; i++)
		hash = hash_bytes(hash, &(uint8_t){ (uint8_t)(number >> 8 * i) }, 1);
	return hash;
}

SORTED_VALUES(compare_prints, uint64_t)

/* Reads the fingerprint after a key: `: "0123456789abcdef"`. */
static bool
read_print(const char *at, const char *end, uint64_t *print)
{
	unsigned digits = 0;

	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	if (end - at < DIGITS + 2 || *at++ != '"')
		return false;
	for (*print = 0; digits < DIGITS; digits++, at++) {
		const char *digit = memchr("0123456789abcdef", *at, 16);

		if (digit == NULL)
			return false;
		*print = *print << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	return *at == '"';
}

enum error_code
lint_baseline_read(struct lint_baseline *baseline, const char *path, struct error *error)
{
	static const char *const keys[] = { "\"fingerprint\"", "\"unspool/v1\"" };
	struct file file;
	size_t capacity = 0;
	uint64_t print;

	*baseline = (struct lint_baseline){ 0 };
	enum error_code code = file_open(&file, path, error);
	if (code != ERROR_NONE)
		return code;
	/* Quotes within a string are escaped, so keys are not found inside strings. */
	const char *end = (const char *)file.data + file.size;
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		const size_t length = strlen(keys[i]);
		const char *at = (const char *)file.data;

		while ((at = memmem(at, (size_t)(end - at), keys[i], length)) != NULL) {
			at += length;
			if (!read_print(at, end, &print))
				continue;
			if (!ARENA_ADD(&baseline->arena, baseline->list, baseline->count, capacity,
				       &print)) {
				file_close(&file);
				return error_memory(error);
			}
		}
	}
	const size_t size = (size_t)file.size;
	baseline->partial = memmem(file.data, size, "\"complete\":false", 16) != NULL ||
			    memmem(file.data, size, "\"complete\": false", 17) != NULL;
	/* Recognise lint by a member that only its JSON has, or by the tool name in SARIF. */
	baseline->of_lint = memmem(file.data, size, "\"rust_minidump_refuses\"", 23) != NULL ||
			    memmem(file.data, size, "\"unspool lint\"", 14) != NULL;
	file_close(&file);
	SORT(baseline->list, baseline->count, compare_prints);
	return ERROR_NONE;
}

bool
lint_baseline_has(const struct lint_baseline *baseline, uint64_t print)
{
	return baseline->count > 0 && bsearch(&print, baseline->list, baseline->count,
					      sizeof(print), compare_prints) != NULL;
}

void
lint_baseline_free(struct lint_baseline *baseline)
{
	arena_free(&baseline->arena);
}
