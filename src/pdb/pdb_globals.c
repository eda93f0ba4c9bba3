/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_variables.h"

/*
 * Global names: a hash table of offsets in the stream of symbol records (microsoft-pdb,
 * PDB/dbi/gsi.h and misc.h). Three tables follow the header: all entries, sorted by bucket; a
 * bitmap of the buckets that have entries; the first entry of each such bucket.
 */
#define HEADER 16u
#define HASH_VERSION (0xeffe0000u + 19990810u)
#define BUCKETS 4096u
/* Bytes of the bitmap: BUCKETS + 1 bits, rounded up to 4-byte words. */
#define BITS 516u
#define ENTRY 8u
/* Bytes of an entry in the writer's memory. The offset of a bucket is a multiple of this size. */
#define ENTRY_COUNTED 12u
/* Maximum number of entries read in a bucket. */
#define MOST_ENTRIES 65536u

/* The hash of a name, ignoring case. It combines the 4-byte words and the remaining bytes. */
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

/* Find the range of a bucket's entries in the table. False: the bucket has no entries. */
static bool
find_bucket(const struct pdb *pdb, uint32_t bucket, uint32_t *first, uint32_t *end)
{
	const uint64_t table = HEADER;
	uint32_t version = 0, entries = 0, before = 0, next;
	uint8_t bits[BITS];

	if (pdb->globals == MSF_NONE ||
	    !msf_u32(&pdb->msf, pdb->globals, 4, &version) || version != HASH_VERSION ||
	    !msf_u32(&pdb->msf, pdb->globals, 8, &entries) ||
	    !msf_read(&pdb->msf, pdb->globals, table + entries, bits, BITS) ||
	    (bits[bucket / 8] >> bucket % 8 & 1) == 0)
		return false;
	for (uint32_t i = 0; i < bucket; i++)
		before += bits[i / 8] >> i % 8 & 1;
	const uint64_t at = table + entries + BITS + 4 * (uint64_t)before;
	*end = entries / ENTRY;
	if (!msf_u32(&pdb->msf, pdb->globals, at, first))
		return false;
	*first /= ENTRY_COUNTED;
	/* The last bucket ends with the table. */
	if (msf_u32(&pdb->msf, pdb->globals, at + 4, &next) && next / ENTRY_COUNTED < *end)
		*end = next / ENTRY_COUNTED;
	return *first < *end;
}

bool
pdb_global_read(const struct pdb *pdb, uint32_t offset, struct arena *arena,
		struct pdb_symbol *symbol)
{
	uint32_t head = 0;

	symbol->offset = offset;
	if (!msf_u32(&pdb->msf, pdb->records, offset, &head) || (head & 0xffff) < 2)
		return false;
	symbol->kind = (uint16_t)(head >> 16);
	return msf_bytes(&pdb->msf, pdb->records, (uint64_t)offset + 4, (head & 0xffff) - 2, arena,
			 &symbol->data);
}

/* The name in a global record: a variable, type, constant or reference to a procedure. */
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

	if (!find_bucket(pdb, hash_name(name), &first, &end))
		return false;
	for (; *from < MOST_ENTRIES && *from < end - first;) {
		const uint64_t at = HEADER + ENTRY * (uint64_t)(first + (*from)++);

		arena_reset(arena);
		/* An entry holds the offset of its record, plus 1. */
		if (msf_u32(&pdb->msf, pdb->globals, at, &offset) && offset > 0 &&
		    pdb_global_read(pdb, offset - 1, arena, symbol) &&
		    text_equal(name_of_global(pdb, symbol), name))
			return true;
	}
	return false;
}
