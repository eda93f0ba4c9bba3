/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_scopes.h"

#include "base/limits.h"

/* A number of another scope: this bit, the number of the scope, the number in it. */
#define CROSS 0x80000000u
#define SCOPE_OF(id) ((id) >> 20 & 0x7ff)
#define NUMBER_OF(id) ((id) & 0xfffff)

/* Subsection of a module, with pairs of its own numbers and those in IPI. */
#define EXPORTS 0xf8u

void
pdb_scopes_open(struct pdb_scopes *scopes, const struct pdb *pdb)
{
	*scopes = (struct pdb_scopes){ .pdb = pdb };
}

void
pdb_scopes_close(struct pdb_scopes *scopes)
{
	hash_free(&scopes->names);
	hash_free(&scopes->loaded);
	hash_free(&scopes->exports);
}

/* Numbers are stored as pointers other than NULL. */
static const void *
kept(uint64_t number)
{
	return (const void *)(uintptr_t)(number + 1);
}

/* Names differ in case: those in the list are in lower case. */
static uint64_t
hash_of(struct text name)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < name.length; i++) {
		const char c = name.start[i];
		const char lower = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;

		hash = hash_bytes(hash, &lower, 1);
	}
	return hash;
}

static void
take_name(void *context, size_t number, struct text name)
{
	struct pdb_scopes *scopes = context;
	const uint64_t hash = hash_of(name);

	if (hash_find(&scopes->names, hash, 0) == NULL)
		hash_put(&scopes->names, hash, 0, kept(number));
}

/* The module of a name, or SIZE_MAX. */
static size_t
module_named(struct pdb_scopes *scopes, uint32_t offset)
{
	struct arena arena = { 0 };

	if (!scopes->named)
		pdb_module_names(scopes->pdb, take_name, scopes);
	scopes->named = true;
	const char *name = pdb_name(scopes->pdb, offset, &arena);
	const void *found = hash_find(&scopes->names, hash_of(text_of(name)), 0);
	arena_free(&arena);
	return found != NULL ? (size_t)(uintptr_t)found - 1 : SIZE_MAX;
}

/* Read the pairs of a subsection; the first of one number is used. */
static void
add_exports(struct pdb_scopes *scopes, size_t number, uint64_t at, uint32_t size)
{
	const uint16_t stream = scopes->pdb->modules[number].stream;
	uint8_t bytes[8];
	const struct reader pair = { .data = bytes, .size = sizeof(bytes) };
	uint32_t own = 0, global = 0;

	for (uint32_t i = 0; i + 8 <= size && scopes->export_count < LIMIT_PDB_ROWS &&
			     msf_read(&scopes->pdb->msf, stream, at + i, bytes, sizeof(bytes));
	     i += 8) {
		reader_u32(&pair, 0, &own);
		reader_u32(&pair, 4, &global);
		scopes->export_count++;
		if (hash_find(&scopes->exports, number, own) == NULL)
			hash_put(&scopes->exports, number, own, kept(global));
	}
}

static void
load_exports(struct pdb_scopes *scopes, size_t number)
{
	const struct pdb_module_info *info = &scopes->pdb->modules[number];
	uint64_t at = (uint64_t)info->symbols + info->old_lines;
	const uint64_t end = at + info->lines;
	uint8_t bytes[8];
	const struct reader head = { .data = bytes, .size = sizeof(bytes) };
	uint32_t kind = 0, size = 0;

	if (hash_find(&scopes->loaded, number, 0) != NULL)
		return;
	hash_put(&scopes->loaded, number, 0, kept(0));
	while (at < end && msf_read(&scopes->pdb->msf, info->stream, at, bytes, sizeof(bytes))) {
		reader_u32(&head, 0, &kind);
		reader_u32(&head, 4, &size);
		if (kind == EXPORTS)
			add_exports(scopes, number, at + 8, size);
		at += 8 + (((uint64_t)size + 3) & ~UINT64_C(3));
	}
}

/* The target of a number of another scope: the module's name, and the number there. */
static bool
find_import(const struct reader *imports, uint32_t id, uint32_t *name, uint32_t *number)
{
	uint64_t at = 0;
	uint32_t count;

	for (uint32_t scope = 0;
	     reader_u32(imports, at, name) && reader_u32(imports, at + 4, &count); scope++) {
		if (scope == SCOPE_OF(id))
			return NUMBER_OF(id) < count &&
			       reader_u32(imports, at + 8 + 4 * (uint64_t)NUMBER_OF(id), number);
		at += 8 + 4 * (uint64_t)count;
	}
	return false;
}

uint32_t
pdb_scope_id(struct pdb_scopes *scopes, const struct pdb_module *module, uint32_t id)
{
	uint32_t name, number;

	if ((id & CROSS) == 0)
		return id;
	if (!find_import(&module->imports, id, &name, &number))
		return 0;
	const size_t other = module_named(scopes, name);
	if (other == SIZE_MAX)
		return 0;
	load_exports(scopes, other);
	const void *found = hash_find(&scopes->exports, other, number);
	return found != NULL ? (uint32_t)((uintptr_t)found - 1) : 0;
}
