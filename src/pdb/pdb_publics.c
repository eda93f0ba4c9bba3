/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <ctype.h>
#include <string.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "pdb/pdb_module.h"

/* Header of the stream (microsoft-pdb, PDB/dbi/gsi.h: PSGSIHDR): two sizes, then thunks. */
#define HEADER 28u
/* The head of a record: length, kind, flags, offset, section. */
#define RECORD_HEAD 14u
/* Bytes of parameters that __fastcall passes in registers. */
#define FASTCALL_REGISTERS 8u

/* Find the table of the records' offsets and the number of its entries. False: it is truncated. */
static bool
find_table(const struct pdb *pdb, uint64_t *start, size_t *count)
{
	uint32_t hash = 0, size = 0;

	*count = 0;
	if (!msf_u32(&pdb->msf, pdb->publics, 0, &hash) ||
	    !msf_u32(&pdb->msf, pdb->publics, 4, &size))
		return false;
	*start = HEADER + (uint64_t)hash;
	if (!checked_within(*start, size, msf_size(&pdb->msf, pdb->publics)))
		return false;
	*count = size / 4;
	return true;
}

bool
pdb_publics_fit(const struct pdb *pdb)
{
	uint64_t start;
	size_t count;

	return find_table(pdb, &start, &count);
}

size_t
pdb_public_count(const struct pdb *pdb)
{
	uint64_t start;
	size_t count;

	find_table(pdb, &start, &count);
	return count;
}

/* Read the record of an entry. Returns the record's length; 0: not a usable record. */
static uint16_t
read_entry(const struct pdb *pdb, uint64_t entry, struct pdb_public *public)
{
	uint8_t bytes[RECORD_HEAD];
	const struct reader reader = { .data = bytes, .size = sizeof(bytes) };
	uint16_t length = 0, kind = 0;
	uint32_t offset = 0;

	*public = (struct pdb_public){ 0 };
	if (!msf_u32(&pdb->msf, pdb->publics, entry, &public->offset) ||
	    !msf_read(&pdb->msf, pdb->records, public->offset, bytes, sizeof(bytes)))
		return 0;
	reader_u16(&reader, 0, &length);
	reader_u16(&reader, 2, &kind);
	reader_u32(&reader, 8, &offset);
	reader_u16(&reader, 12, &public->section);
	if (kind != S_PUB32 || length + 2u <= RECORD_HEAD ||
	    !pdb_address(pdb, public->section, offset, &public->address))
		return 0;
	public->code = pdb->sections[public->section - 1].code;
	return length;
}

bool
pdb_public_read(const struct pdb *pdb, size_t index, struct arena *arena,
		struct pdb_public *public)
{
	struct reader name;
	uint64_t table;
	size_t count;

	if (!find_table(pdb, &table, &count) || index >= count)
		return false;
	const uint16_t length = read_entry(pdb, table + 4 * (uint64_t)index, public);
	if (length == 0 ||
	    !msf_bytes(&pdb->msf, pdb->records, public->offset + (uint64_t)RECORD_HEAD,
		       length + 2u - RECORD_HEAD, arena, &name))
		return false;
	public->name = pdb_text(&name, 0);
	return true;
}

size_t
pdb_public_above(const struct pdb *pdb, uint32_t address)
{
	struct pdb_public public;
	uint64_t table = 0;
	size_t at, count;

	find_table(pdb, &table, &count);
	/* Publics without a section come last. */
	BISECT(at, count, read_entry(pdb, table + 4 * (uint64_t)at, &public) != 0 &&
			  public.address <= address);
	return at;
}

static bool
is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

bool
pdb_public_suits(struct text linkers, struct text procedures)
{
	size_t end = 0, start;

	if (memmem(procedures.start, procedures.length, "operator", 8) != NULL)
		return true;
	while (end < procedures.length && procedures.start[end] != '<')
		end++;
	for (start = end; start > 0 && is_identifier(procedures.start[start - 1]);)
		start--;
	return memmem(linkers.start, linkers.length, procedures.start + start, end - start) != NULL;
}

bool
pdb_undecorate_c(struct text *name, uint32_t *parameters)
{
	const char first = name->length > 1 ? name->start[0] : '\0';
	size_t at = name->length;
	uint64_t size = 0;

	if (first != '_' && first != '@')
		return false;
	while (at > 0 && name->start[at - 1] >= '0' && name->start[at - 1] <= '9')
		at--;
	const size_t digits = name->length - at;
	if (at > 1 && name->start[at - 1] == '@' && digits > 0 && digits < 10 &&
	    (name->start[at] != '0' || digits == 1)) {
		for (size_t i = at; i < name->length; i++)
			size = 10 * size + (uint64_t)(name->start[i] - '0');
		if (first == '@')
			size = size > FASTCALL_REGISTERS ? size - FASTCALL_REGISTERS : 0;
		*parameters = (uint32_t)size;
		*name = (struct text){ name->start + 1, at - 2 };
		return true;
	}
	/* DIA also removes a leading underscore on x64, where linkers add none. */
	if (first == '_')
		*name = (struct text){ name->start + 1, name->length - 1 };
	return false;
}
