/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_module.h"

#include "base/checked.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"

#define SIGNATURE_C13 4u

/* Kinds of subsections of lines; the highest bit marks a subsection to ignore. */
#define LINES 0xf2u
#define CHECKSUMS 0xf4u
#define INLINEES 0xf6u
#define IMPORTS 0xf7u
#define HAS_COLUMNS 1u
#define EXTRA_FILES 1u

/* Records that contain symbols, and the offset of the name in each. */
static const struct opener {
	uint16_t kind;
	uint8_t name;			/* offset of the name; 0: none */
	bool procedure, local;
} openers[] = {
	{ S_GPROC32, 35, true, false }, { S_LPROC32, 35, true, true },
	{ S_GPROC32_ID, 35, true, false }, { S_LPROC32_ID, 35, true, true },
	{ S_LPROC32_DPC, 35, true, true }, { S_LPROC32_DPC_ID, 35, true, true },
	{ S_THUNK32, 21, false, false }, { S_BLOCK32, 18, false, false },
	{ S_WITH32, 0, false, false }, { S_SEPCODE, 0, false, false },
	{ S_INLINESITE, 0, false, false }, { S_INLINESITE2, 0, false, false },
};

static const struct opener *
opener_of(uint16_t kind)
{
	for (size_t i = 0; i < ARRAY_COUNT(openers); i++)
		if (openers[i].kind == kind)
			return &openers[i];
	return NULL;
}

bool
pdb_symbol_opens(uint16_t kind)
{
	return opener_of(kind) != NULL;
}

bool
pdb_symbol_closes(uint16_t kind)
{
	return kind == S_END || kind == S_PROC_ID_END || kind == S_INLINESITE_END;
}

bool
pdb_symbol_next(const struct reader *symbols, uint32_t *offset, uint32_t end,
		struct pdb_symbol *symbol)
{
	uint16_t length;

	if (*offset >= end || !reader_u16(symbols, *offset, &length) || length < 2 ||
	    !reader_u16(symbols, *offset + 2u, &symbol->kind) ||
	    !reader_window(symbols, *offset + 4u, length - 2u, &symbol->data))
		return false;
	symbol->offset = *offset;
	*offset += 2u + length;
	return true;
}

static void
note_damage(struct pdb_module *module, uint64_t offset)
{
	if (module->damaged++ == 0)
		module->damage = (uint32_t)offset;
}

/* Symbols -------------------------------------------------------------------------------------- */

/* The scopes that contain the current symbol of a pass. */
struct symbol_pass {
	struct pdb_module *module;
	uint32_t depth;
	size_t procedure;		/* number of the enclosing procedure, plus 1; 0: none */
	uint32_t procedure_depth;
};

static struct pdb_procedure *
add_procedure(struct symbol_pass *pass, const struct pdb_symbol *symbol, uint16_t section,
	      uint32_t offset, uint32_t size)
{
	struct pdb_module *module = pass->module;
	uint32_t address;

	if (size == 0 || !pdb_address(module->pdb, section, offset, &address) ||
	    size > UINT32_MAX - address)
		return NULL;
	struct pdb_procedure *added = ARENA_PUSH(&module->arena, module->procedures,
						 module->procedure_count,
						 module->procedure_capacity);
	if (added != NULL)
		*added = (struct pdb_procedure){ .address = address, .size = size,
						 .offset = symbol->offset,
						 .end = (uint32_t)module->symbols.size };
	return added;
}

/* End the open procedure and its parts, which follow it among the first `count` procedures. */
static void
end_procedure(struct symbol_pass *pass, size_t count, uint32_t end)
{
	for (size_t i = pass->procedure; i > 0 && i <= count; i++)
		pass->module->procedures[i - 1].end = end;
	pass->procedure = 0;
}

/* Enter the procedure that was added last: it contains the next symbols. It ends an open one. */
static void
enter(struct symbol_pass *pass)
{
	const size_t count = pass->module->procedure_count;

	end_procedure(pass, count - 1, pass->module->procedures[count - 1].offset);
	pass->procedure = count;
	pass->procedure_depth = pass->depth;
}

static void
open_procedure(struct symbol_pass *pass, const struct pdb_symbol *symbol,
	       const struct opener *opener)
{
	uint32_t size, type, offset;
	uint16_t section;

	if (!reader_u32(&symbol->data, 12, &size) || !reader_u32(&symbol->data, 24, &type) ||
	    !reader_u32(&symbol->data, 28, &offset) || !reader_u16(&symbol->data, 32, &section)) {
		note_damage(pass->module, symbol->offset);
		return;
	}
	struct pdb_procedure *added = add_procedure(pass, symbol, section, offset, size);
	if (added == NULL)
		return;
	added->type = type;
	added->name = pdb_text(&symbol->data, opener->name);
	added->local = opener->local;
	added->id = symbol->kind == S_GPROC32_ID || symbol->kind == S_LPROC32_ID ||
		    symbol->kind == S_LPROC32_DPC_ID;
	enter(pass);
}

static void
open_thunk(struct symbol_pass *pass, const struct pdb_symbol *symbol)
{
	uint32_t offset;
	uint16_t section, size;

	if (!reader_u32(&symbol->data, 12, &offset) || !reader_u16(&symbol->data, 16, &section) ||
	    !reader_u16(&symbol->data, 18, &size))
		return;
	struct pdb_procedure *added = add_procedure(pass, symbol, section, offset, size);
	if (added == NULL)
		return;
	added->name = pdb_text(&symbol->data, 21);
	added->thunk = true;
	enter(pass);
}

/* Add a part of the enclosing procedure that is outside the procedure's range (cold code). */
static void
open_part(struct symbol_pass *pass, const struct pdb_symbol *symbol)
{
	const bool block = symbol->kind == S_BLOCK32;
	uint32_t size, offset, address;
	uint16_t section;

	if (pass->procedure == 0 || pass->depth != pass->procedure_depth + 1 ||
	    !reader_u32(&symbol->data, 8, &size) ||
	    !reader_u32(&symbol->data, block ? 12 : 16, &offset) ||
	    !reader_u16(&symbol->data, block ? 16 : 24, &section) ||
	    !pdb_address(pass->module->pdb, section, offset, &address))
		return;
	const struct pdb_procedure *of = &pass->module->procedures[pass->procedure - 1];
	const struct pdb_procedure whole = *of;
	if (address >= whole.address && address - whole.address <= whole.size)
		return;
	struct pdb_procedure *added = add_procedure(pass, symbol, section, offset, size);
	if (added == NULL)
		return;
	*added = (struct pdb_procedure){ .address = address, .size = size, .type = whole.type,
					 .offset = whole.offset, .end = whole.end,
					 .name = whole.name, .local = whole.local,
					 .id = whole.id, .part = true, .whole = whole.address };
}

static void
open_scope(struct symbol_pass *pass, const struct pdb_symbol *symbol, const struct opener *opener)
{
	if (opener->procedure)
		open_procedure(pass, symbol, opener);
	else if (symbol->kind == S_THUNK32)
		open_thunk(pass, symbol);
	else if (symbol->kind == S_BLOCK32 || symbol->kind == S_SEPCODE)
		open_part(pass, symbol);
	pass->depth++;
}

static void
close_scope(struct symbol_pass *pass, uint32_t end)
{
	if (pass->depth == 0)
		return;
	pass->depth--;
	if (pass->procedure == 0 || pass->depth != pass->procedure_depth)
		return;
	end_procedure(pass, pass->module->procedure_count, end);
}

SORTED_BY_ALL(compare_procedures, struct pdb_procedure, SORTED_UP(address) SORTED_UP(thunk)
	      SORTED_UP(offset))

static void
read_symbols(struct pdb_module *module)
{
	struct symbol_pass pass = { .module = module };
	const uint32_t end = (uint32_t)module->symbols.size;
	struct pdb_symbol symbol;
	uint32_t at = 4;

	while (pdb_symbol_next(&module->symbols, &at, end, &symbol)) {
		const struct opener *opener = opener_of(symbol.kind);

		if (opener != NULL)
			open_scope(&pass, &symbol, opener);
		else if (pdb_symbol_closes(symbol.kind))
			close_scope(&pass, at);
	}
	if (at < end)
		note_damage(module, at);
	SORT(module->procedures, module->procedure_count, compare_procedures);
}

const struct pdb_procedure *
pdb_procedure_at(const struct pdb_module *module, uint32_t address)
{
	size_t at;

	BISECT(at, module->procedure_count, module->procedures[at].address <= address);
	/* A procedure may contain others. If several share an address, use the first. */
	while (at > 0 && !checked_contains(module->procedures[at - 1].address,
					   module->procedures[at - 1].size, address))
		if (--at == 0 || module->procedures[at - 1].address + LIMIT_PDB_NEST < address)
			return NULL;
	while (at > 1 && module->procedures[at - 2].address == module->procedures[at - 1].address)
		at--;
	return at > 0 ? &module->procedures[at - 1] : NULL;
}

/* Lines ---------------------------------------------------------------------------------------- */

static void
add_run(struct pdb_module *module, const struct reader *part, uint32_t offset)
{
	uint32_t start, size, address;
	uint16_t section, flags;

	if (!reader_u32(part, 0, &start) || !reader_u16(part, 4, &section) ||
	    !reader_u16(part, 6, &flags) || !reader_u32(part, 8, &size)) {
		note_damage(module, offset);
		return;
	}
	if (!pdb_address(module->pdb, section, start, &address) || size > UINT32_MAX - address)
		return;
	ARENA_ADD(&module->arena, module->runs, module->run_count, module->run_capacity,
		  &(struct pdb_line_run){ .address = address,
					  .size = size,
					  .offset = offset + 12,
					  .end = offset + (uint32_t)part->size,
					  .columns = (flags & HAS_COLUMNS) != 0 });
}

static void
add_inlinees(struct pdb_module *module, const struct reader *part)
{
	struct pdb_inlinee inlinee;
	uint32_t signature, extra;
	uint64_t at = 4;

	if (!reader_u32(part, 0, &signature))
		return;
	while (reader_u32(part, at, &inlinee.id) && reader_u32(part, at + 4, &inlinee.file) &&
	       reader_u32(part, at + 8, &inlinee.line)) {
		at += 12;
		if (signature == EXTRA_FILES && !reader_u32(part, at, &extra))
			return;
		if (signature == EXTRA_FILES)
			at += 4 + 4 * (uint64_t)extra;
		if (!ARENA_ADD(&module->arena, module->inlinees, module->inlinee_count,
			       module->inlinee_capacity, &inlinee))
			return;
	}
}

SORTED_BY_ALL(compare_runs, struct pdb_line_run, SORTED_UP(address) SORTED_UP(offset))
SORTED_BY_ALL(compare_inlinees, struct pdb_inlinee, SORTED_UP(id) SORTED_UP(file) SORTED_UP(line))

static void
read_subsections(struct pdb_module *module, uint32_t at, uint32_t end)
{
	uint32_t kind, size;
	struct reader part;

	while (at < end && reader_u32(&module->bytes, at, &kind) &&
	       reader_u32(&module->bytes, at + 4u, &size) &&
	       reader_window(&module->bytes, at + 8u, size, &part)) {
		if (kind == LINES)
			add_run(module, &part, at + 8);
		else if (kind == CHECKSUMS)
			module->checksums = part;
		else if (kind == IMPORTS)
			module->imports = part;
		else if (kind == INLINEES)
			add_inlinees(module, &part);
		if (size > UINT32_MAX - at - 11)
			return;
		at += 8 + ((size + 3) & ~UINT32_C(3));
	}
	if (at < end)
		note_damage(module, at);
}

bool
pdb_module_open(struct pdb_module *module, const struct pdb *pdb, size_t number)
{
	const struct pdb_module_info *info = &pdb->modules[number];
	const uint64_t size = msf_size(&pdb->msf, info->stream);
	const uint64_t lines = (uint64_t)info->symbols + info->old_lines;
	uint32_t signature = 0, shared = 0;

	*module = (struct pdb_module){ .pdb = pdb, .number = number, .stream = info->stream };
	if (info->stream == MSF_NONE || info->symbols < 4)
		return false;
	if (!msf_bytes(&pdb->msf, info->stream, 0, size, &module->arena, &module->bytes) ||
	    !reader_window(&module->bytes, 0, info->symbols, &module->symbols) ||
	    !reader_u32(&module->symbols, 0, &signature) || signature != SIGNATURE_C13 ||
	    !checked_within(lines, info->lines, size)) {
		module->symbols = (struct reader){ 0 };
		note_damage(module, 0);
		return true;
	}
	read_symbols(module);
	read_subsections(module, (uint32_t)lines, (uint32_t)(lines + info->lines));
	SORT(module->runs, module->run_count, compare_runs);
	if (!pdb_rows_share(module, &shared))
		note_damage(module, shared);
	SORT(module->inlinees, module->inlinee_count, compare_inlinees);
	return true;
}

void
pdb_module_close(struct pdb_module *module)
{
	arena_free(&module->arena);
}
