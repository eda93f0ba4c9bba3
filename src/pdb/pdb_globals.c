/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checked.h"
#include "pdb/pdb_variables.h"

/*
 * Global names: a hash table of offsets in the stream of symbol records (microsoft-pdb,
 * PDB/dbi/gsi.h and misc.h). After a header come the entries, sorted by bucket, a bit for each
 * bucket that has entries, and the first entry of each such bucket.
 */
#define HEADER 16u
#define HASH_VERSION (0xeffe0000u + 19990810u)
#define BUCKETS 4096u
/* Bytes of the bits: one more than there are buckets, in whole words. */
#define BITS 516u
#define ENTRY 8u
/* An entry in memory, by which the table counts. */
#define ENTRY_COUNTED 12u
/* Most entries of a bucket that are read. */
#define MOST_ENTRIES 65536u

/* The hash of a name: its words, and what is left, without regard to case. */
static uint32_t
hash_name(struct text name)
{
	const struct reader bytes = { .data = (const uint8_t *)name.start, .size = name.length };
	uint32_t hash = 0, word;
	uint64_t at = 0;
	uint16_t half;
	uint8_t byte;

	for (; reader_u32(&bytes, at, &word); at += 4)
		hash ^= word;
	if (reader_u16(&bytes, at, &half)) {
		hash ^= half;
		at += 2;
	}
	if (reader_u8(&bytes, at, &byte))
		hash ^= byte;
	hash |= 0x20202020;
	hash ^= hash >> 11;
	return (hash ^ hash >> 16) % BUCKETS;
}

/* The entries of a bucket: their range in the table. False: it has none. */
static bool
find_bucket(const struct pdb *pdb, uint32_t bucket, uint32_t *first, uint32_t *end)
{
	uint8_t bytes[HEADER > 8 ? HEADER : 8], bits[BITS];
	const struct reader words = { .data = bytes, .size = sizeof(bytes) };
	uint32_t version = 0, entries = 0, before = 0;

	if (pdb->globals == MSF_NONE ||
	    !msf_read(&pdb->msf, pdb->globals, 0, bytes, HEADER) ||
	    !reader_u32(&words, 4, &version) || version != HASH_VERSION ||
	    !reader_u32(&words, 8, &entries) ||
	    !msf_read(&pdb->msf, pdb->globals, HEADER + (uint64_t)entries, bits, BITS) ||
	    (bits[bucket / 8] >> bucket % 8 & 1) == 0)
		return false;
	for (uint32_t i = 0; i < bucket; i++)
		before += bits[i / 8] >> i % 8 & 1;
	const uint64_t at = HEADER + (uint64_t)entries + BITS + 4 * (uint64_t)before;
	*end = entries / ENTRY;
	if (!msf_read(&pdb->msf, pdb->globals, at, bytes, 4) || !reader_u32(&words, 0, first))
		return false;
	*first /= ENTRY_COUNTED;
	/* The last bucket ends with the table. */
	if (msf_read(&pdb->msf, pdb->globals, at + 4, bytes, 4) &&
	    reader_u32(&words, 0, &version) && version / ENTRY_COUNTED < *end)
		*end = version / ENTRY_COUNTED;
	return *first < *end;
}

bool
pdb_global_read(const struct pdb *pdb, uint32_t offset, struct arena *arena,
		struct pdb_symbol *symbol)
{
	uint8_t bytes[4];
	const struct reader head = { .data = bytes, .size = sizeof(bytes) };
	uint16_t length = 0;

	symbol->offset = offset;
	return msf_read(&pdb->msf, pdb->records, offset, bytes, sizeof(bytes)) &&
	       reader_u16(&head, 0, &length) && reader_u16(&head, 2, &symbol->kind) &&
	       length >= 2 &&
	       msf_bytes(&pdb->msf, pdb->records, (uint64_t)offset + 4, length - 2u, arena,
			 &symbol->data);
}

/* The name of a global record: of a variable, type, constant, or reference to a procedure. */
static struct text
name_of_global(const struct pdb *pdb, const struct pdb_symbol *symbol)
{
	struct pdb_variable variable;

	switch (symbol->kind) {
	case S_UDT:
		return pdb_text(&symbol->data, 4);
	case S_PROCREF:
	case S_LPROCREF:
		return pdb_text(&symbol->data, 10);
	default:
		pdb_variable_read(pdb, symbol, &variable);
		return variable.name;
	}
}

bool
pdb_global_next(const struct pdb *pdb, struct text name, uint32_t *from, struct arena *arena,
		struct pdb_symbol *symbol)
{
	uint32_t first = 0, end = 0, offset = 0;
	uint8_t bytes[4];
	const struct reader word = { .data = bytes, .size = sizeof(bytes) };

	if (!find_bucket(pdb, hash_name(name), &first, &end))
		return false;
	for (; *from < MOST_ENTRIES && *from < end - first;) {
		const uint64_t at = HEADER + ENTRY * (uint64_t)(first + (*from)++);

		arena_reset(arena);
		/* Entries have the offset plus 1. */
		if (msf_read(&pdb->msf, pdb->globals, at, bytes, sizeof(bytes)) &&
		    reader_u32(&word, 0, &offset) && offset > 0 &&
		    pdb_global_read(pdb, offset - 1, arena, symbol) &&
		    text_equal(name_of_global(pdb, symbol), name))
			return true;
	}
	return false;
}
