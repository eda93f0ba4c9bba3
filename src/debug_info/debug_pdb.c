/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_pdb_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/sorted.h"

/* Maximum reach of a public symbol's name in bytes, as for an export. */
#define MOST_REACH (1u << 20)
/* Maximum number of records tried until one covers an address; compilers nest about 12. */
#define MOST_NESTED 4096u
/* Maximum number of names compared at one address. */
#define MOST_FOLDED 64u

struct debug_pdb *
debug_pdb_open(const struct binary *binary)
{
	struct debug_pdb *pdb = binary->pdb != NULL ? calloc(1, sizeof(*pdb)) : NULL;

	if (pdb == NULL)
		return NULL;
	pdb->binary = binary;
	pdb->pdb = binary->pdb;
	pdb->modules = calloc(binary->pdb->module_count + 1, sizeof(*pdb->modules));
	pdb_types_open(&pdb->types, pdb->pdb);
	pdb->scopes = (struct pdb_scopes){ .pdb = pdb->pdb };
	if (pdb->modules != NULL && pdb_mapping_build(&pdb->mapping, pdb->pdb, &pdb->arena))
		return pdb;
	debug_pdb_close(pdb);
	return NULL;
}

void
debug_pdb_close(struct debug_pdb *pdb)
{
	if (pdb == NULL)
		return;
	for (size_t i = 0; pdb->modules != NULL && i < pdb->pdb->module_count; i++) {
		if (pdb->modules[i] != NULL)
			pdb_module_close(pdb->modules[i]);
		free(pdb->modules[i]);
	}
	free(pdb->modules);
	pdb_types_close(&pdb->types);
	pdb_scopes_close(&pdb->scopes);
	hash_free(&pdb->calls);
	hash_free(&pdb->files);
	hash_free(&pdb->expressions);
	arena_free(&pdb->arena);
	arena_free(&pdb->scratch);
	free(pdb);
}

/* Addresses ------------------------------------------------------------------------------------ */

const struct pdb_module *
debug_pdb_module(struct debug_pdb *pdb, size_t number)
{
	if (number >= pdb->pdb->module_count)
		return NULL;
	if (pdb->modules[number] != NULL)
		return pdb->modules[number];
	struct pdb_module *module = calloc(1, sizeof(*module));
	if (module != NULL && !pdb_module_open(module, pdb->pdb, number)) {
		free(module);
		module = NULL;
	}
	if (module != NULL && module->damaged > 0 && pdb->damaged == NULL)
		pdb->damaged = module;
	return pdb->modules[number] = module;
}

bool
debug_pdb_damage(const struct debug_pdb *pdb, struct place *place)
{
	if (pdb->damaged != NULL)
		*place = msf_place(&pdb->pdb->msf, pdb->damaged->stream, pdb->damaged->damage, 1);
	return pdb->damaged != NULL;
}

/* Find the part of a linked range that contains the address `relative` of the image. */
static bool
part_at(struct debug_pdb *pdb, uint32_t address, uint32_t size, uint64_t relative,
	struct pdb_range *part)
{
	struct pdb_range *ranges;
	size_t count;

	if (size == 0 || !pdb_map_range(&pdb->mapping, (struct pdb_range){ address, size },
					&pdb->scratch, &ranges, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (checked_contains(ranges[i].address, ranges[i].size, relative)) {
			*part = ranges[i];
			return true;
		}
	return false;
}

bool
debug_pdb_locate(struct debug_pdb *pdb, uint64_t relative, struct pdb_located *at)
{
	if (!pdb_linked_address(pdb->pdb, relative, &at->linked))
		return false;
	at->module = debug_pdb_module(pdb, pdb_module_at(pdb->pdb, at->linked));
	at->procedure = at->module != NULL ? pdb_procedure_at(at->module, at->linked) : NULL;
	return at->procedure != NULL && part_at(pdb, at->procedure->address, at->procedure->size,
						relative, &at->part);
}

/* Names ---------------------------------------------------------------------------------------- */

static const char *
file_name(struct debug_pdb *pdb, const struct pdb_module *module, uint32_t file)
{
	const char *name = hash_find(&pdb->files, module->number + 1, file);

	if (name == NULL) {
		name = pdb_file(module, file, &pdb->arena);
		hash_put(&pdb->files, module->number + 1, file, name);
	}
	return name;
}

static const char *
kept_name(struct debug_pdb *pdb, struct text name)
{
	const uint64_t hash = hash_bytes(HASH_START, name.start, name.length);
	const char *kept = hash_find(&pdb->calls, hash, 1);

	if (kept != NULL && text_is(name, kept))
		return kept;
	kept = text_copy(&pdb->arena, name);
	if (kept != NULL)
		hash_put(&pdb->calls, hash, 1, kept);
	return text_or_empty(kept);
}

/* A public symbol's name in the source, without the decoration of C functions on x86. */
static const char *
public_name(struct debug_pdb *pdb, const struct pdb_public *public)
{
	struct text name = public->name;
	uint32_t ignored;

	if (pdb->pdb->machine == PE_MACHINE_X86)
		pdb_undecorate_c(&name, &ignored);
	return kept_name(pdb, name);
}

/* Whether a demangled name, without parameters and blanks, equals a procedure's name. */
static bool
is_spelled(struct text shown, struct text own)
{
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < shown.length && shown.start[i] == ' ')
			i++;
		while (j < own.length && own.start[j] == ' ')
			j++;
		if (j == own.length || i == shown.length || shown.start[i] != own.start[j])
			return j == own.length && (i == shown.length || shown.start[i] == '(');
	}
}

/*
 * A C++ function's linkage name includes its parameters; other names are as in the source. Linkers
 * fold equal functions, so an address may have several names. Use the only name that equals the
 * procedure's name, else the only name that suits it, else the procedure's name.
 */
static struct text
linkers_name(struct debug_pdb *pdb, uint32_t address, struct text own)
{
	struct text kept[2] = { 0 }, shown[2];
	size_t at = pdb_public_above(pdb->pdb, address), counts[2] = { 0 };
	struct pdb_public public;

	for (unsigned i = 0; i < MOST_FOLDED && at > 0 &&
			     pdb_public_read(pdb->pdb, --at, &pdb->scratch, &public) &&
			     public.address == address; i++) {
		/* "??@" begins the digest of a long name. */
		if (!demangle_looks_mangled(public.name) ||
		    (public.name.length > 2 && memcmp(public.name.start, "??@", 3) == 0) ||
		    !pdb_public_suits(public.name, own))
			continue;
		const struct text name = demangle(public.name, &pdb->scratch);
		const bool same = is_spelled(name, own);

		if (counts[same] > 0 && text_equal(shown[same], name))
			continue;
		kept[same] = public.name;
		shown[same] = name;
		counts[same]++;
	}
	return counts[1] == 1 ? kept[1] : counts[1] == 0 && counts[0] == 1 ? kept[0] : own;
}

const char *
debug_pdb_name(struct debug_pdb *pdb, const struct pdb_procedure *procedure)
{
	const uint32_t address = procedure->part ? procedure->whole : procedure->address;

	return kept_name(pdb, linkers_name(pdb, address, procedure->name));
}

/* Answers -------------------------------------------------------------------------------------- */

static uint64_t
file_offset(const struct debug_pdb *pdb, uint32_t stream, uint32_t offset)
{
	return msf_place(&pdb->pdb->msf, stream, offset, 1).offset;
}

static void
answer_name(struct debug_pdb *pdb, const struct pdb_located *at, struct debug_answer *answer)
{
	*answer = (struct debug_answer){
		.input = &pdb->binary->file.input,
		.section = "its symbols", .name = debug_pdb_name(pdb, at->procedure),
		.written = !at->procedure->thunk, .address = at->part.address,
		.size = at->part.size,
		.offset = file_offset(pdb, at->module->stream, at->procedure->offset) };
}

static struct source_line
line_of(struct debug_pdb *pdb, const struct pdb_module *module, const struct pdb_row *row,
	struct pdb_range part)
{
	return (struct source_line){ .address = part.address, .size = part.size,
				     .file = text_of(file_name(pdb, module, row->file)),
				     .line = row->line,
				     .offset = file_offset(pdb, module->stream, row->offset),
				     .own_file = &pdb->binary->file.input };
}

const char *
debug_pdb_call_name(struct debug_pdb *pdb, const struct pdb_module *module, uint32_t call)
{
	const uint32_t id = pdb_scope_id(&pdb->scopes, module, call);
	const char *name = hash_find(&pdb->calls, id, 0);

	if (name == NULL) {
		name = pdb_id_name(&pdb->types, id, &pdb->arena);
		hash_put(&pdb->calls, id, 0, name);
	}
	return name;
}

static struct inline_call
call_of(struct debug_pdb *pdb, const struct pdb_module *module, const struct pdb_call *call,
	struct pdb_range part)
{
	const bool told = call->line != 0 && !pdb_line_is_hidden(call->line);
	const char *name = debug_pdb_call_name(pdb, module, call->id);

	return (struct inline_call){
		.name = text_of(*name != '\0' ? name : SYMBOL_NAME_OMITTED),
		.address = part.address, .size = part.size,
		.depth = call->depth, .call_line = told ? call->line : 0,
		.call_file = text_of(told ? file_name(pdb, module, call->file) : ""),
		.offset = file_offset(pdb, module->stream, call->offset),
		.own_file = &pdb->binary->file.input };
}

/* Add the inlined calls that cover an address, innermost first. */
static void
answer_calls(struct debug_pdb *pdb, const struct pdb_located *at, const struct pdb_body *body,
	     uint64_t relative, struct arena *arena, struct debug_answer *answer)
{
	struct pdb_range part;

	answer->calls = arena_array(arena, body->call_count + 1, sizeof(*answer->calls));
	for (size_t i = body->call_count; answer->calls != NULL && i > 0; i--) {
		const struct pdb_call *call = &body->calls[i - 1];

		for (size_t j = 0; j < call->range_count; j++) {
			if (!checked_contains(call->ranges[j].address, call->ranges[j].size,
					      at->linked) ||
			    !part_at(pdb, call->ranges[j].address, call->ranges[j].size, relative,
				     &part))
				continue;
			answer->calls[answer->call_count++] =
				call_of(pdb, at->module, call, part);
			break;
		}
	}
}

bool
debug_pdb_find(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_answer *answer)
{
	struct pdb_range part;
	struct pdb_body body;
	struct pdb_located at;

	arena_reset(&pdb->scratch);
	if (!debug_pdb_locate(pdb, relative, &at))
		return false;
	answer_name(pdb, &at, answer);
	pdb_body_read(at.module, at.procedure, arena != NULL, &pdb->scratch, &body);
	const struct pdb_row *row = pdb_row_at(body.rows, body.row_count, at.linked);
	if (row != NULL && !pdb_line_is_hidden(row->line) &&
	    part_at(pdb, row->address, row->size, relative, &part))
		answer->line = line_of(pdb, at.module, row, part);
	if (arena != NULL)
		answer_calls(pdb, &at, &body, relative, arena, answer);
	return true;
}

/* The last public symbol at or before an address. Sets `*linked` to the address as linked. */
static bool
public_below(struct debug_pdb *pdb, uint64_t relative, uint32_t *linked, struct pdb_public *public)
{
	arena_reset(&pdb->scratch);
	if (!pdb_linked_address(pdb->pdb, relative, linked))
		return false;
	const size_t above = pdb_public_above(pdb->pdb, *linked);
	return above > 0 && pdb_public_read(pdb->pdb, above - 1, &pdb->scratch, public);
}

static void
answer_public(struct debug_pdb *pdb, const struct pdb_public *public, uint64_t address,
	      struct debug_answer *answer)
{
	*answer = (struct debug_answer){
		.input = &pdb->binary->file.input, .section = "its public symbols",
		.name = public_name(pdb, public), .address = address,
		.offset = file_offset(pdb, pdb->pdb->records, public->offset) };
}

bool
debug_pdb_public(struct debug_pdb *pdb, uint64_t relative, struct debug_answer *answer)
{
	struct pdb_public public;
	uint32_t linked, next;

	if (!public_below(pdb, relative, &linked, &public) || !public.code ||
	    linked - public.address > MOST_REACH)
		return false;
	const struct pdb_section *section = &pdb->pdb->sections[public.section - 1];
	const struct pdb_module *module =
		debug_pdb_module(pdb, pdb_module_at(pdb->pdb, public.address));
	const struct pdb_procedure *procedure =
		module != NULL ? pdb_procedure_at(module, public.address) : NULL;
	/* A procedure at the symbol's address may end before `relative`. */
	if (!checked_contains(section->address, section->size, linked) ||
	    !pdb_moved_address(pdb->pdb, public.address, &next) || next > relative ||
	    (procedure != NULL && procedure->address == public.address &&
	     linked - public.address >= procedure->size))
		return false;
	answer_public(pdb, &public, next, answer);
	return true;
}

bool
debug_pdb_data(struct debug_pdb *pdb, uint64_t relative, struct debug_answer *answer)
{
	struct pdb_public public;
	uint32_t linked, stream;

	if (public_below(pdb, relative, &linked, &public) && !public.code &&
	    public.address == linked) {
		answer_public(pdb, &public, relative, answer);
		return true;
	}
	if (!pdb_linked_address(pdb->pdb, relative, &linked) ||
	    !debug_pdb_static_at(pdb, linked, answer, &stream))
		return false;
	answer->offset = file_offset(pdb, stream, (uint32_t)answer->offset);
	return true;
}

#define IMPORT "__imp_"
/* Maximum number of bytes that a return instruction removes. */
#define MOST_POPPED UINT16_MAX

/* Bytes popped according to a decorated name: 0 for `_f`. False: unknown, as for `?f@@...`. */
static bool
decorated_pops(struct text name, int32_t *bytes)
{
	uint32_t parameters = 0;
	struct text plain = name;

	if (!pdb_undecorate_c(&plain, &parameters) &&
	    (name.length < 2 || *name.start != '_' || memchr(name.start, '@', name.length) != NULL))
		return false;
	*bytes = (int32_t)parameters;
	return parameters <= MOST_POPPED;
}

bool
debug_pdb_pops(const struct pdb *pdb, uint64_t relative, int32_t *bytes)
{
	struct arena arena = { 0 };
	struct pdb_public public;
	uint32_t linked;
	bool known = false, same = true;

	if (pdb == NULL || !pdb_linked_address(pdb, relative, &linked))
		return false;
	/* Folded functions have several names, which may contradict each other. */
	for (size_t i = pdb_public_above(pdb, linked);
	     i > 0 && pdb_public_read(pdb, i - 1, &arena, &public) && public.address == linked;
	     i--) {
		struct text name = public.name;
		const size_t prefix = strlen(IMPORT);
		int32_t here;

		if (name.length > prefix && memcmp(name.start, IMPORT, prefix) == 0)
			name = (struct text){ name.start + prefix, name.length - prefix };
		else if (!public.code)
			continue;
		const bool says = decorated_pops(name, &here);
		same = same && says && (!known || here == *bytes);
		if (says)
			*bytes = here;
		known = known || says;
	}
	arena_free(&arena);
	return known && same;
}

/* Bodies --------------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_calls, struct inline_call, SORTED_UP(address) SORTED_UP(depth))

SORTED_BY(compare_lines, struct source_line, address)

/* Map a linked range to parts of the image, and drop parts that begin outside of at->part. */
static size_t
parts_within(struct debug_pdb *pdb, const struct pdb_located *at, struct pdb_range linked,
	     struct pdb_range **parts)
{
	size_t count, kept = 0;

	if (!pdb_map_range(&pdb->mapping, linked, &pdb->scratch, parts, &count))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (checked_contains(at->part.address, at->part.size, (*parts)[i].address))
			(*parts)[kept++] = (*parts)[i];
	return kept;
}

static void
body_lines(struct debug_pdb *pdb, const struct pdb_located *at, const struct pdb_body *from,
	   struct arena *arena, struct debug_body *body)
{
	struct pdb_range *parts;
	size_t capacity = 0;

	for (size_t i = 0; i < from->row_count; i++) {
		const struct pdb_row *row = &from->rows[i];
		const struct pdb_range range = { row->address, row->size };
		const size_t count = pdb_line_is_hidden(row->line)
					     ? 0 : parts_within(pdb, at, range, &parts);

		for (size_t j = 0; j < count; j++) {
			const struct source_line line = line_of(pdb, at->module, row, parts[j]);

			ARENA_ADD(arena, body->lines, body->line_count, capacity, &line);
		}
	}
	SORT(body->lines, body->line_count, compare_lines);
}

static void
body_calls(struct debug_pdb *pdb, const struct pdb_located *at, const struct pdb_body *from,
	   struct arena *arena, struct debug_body *body)
{
	struct pdb_range *parts;
	size_t capacity = 0;

	for (size_t i = 0; i < from->call_count; i++) {
		const struct pdb_call *call = &from->calls[i];

		for (size_t k = 0; k < call->range_count; k++) {
			const size_t count = parts_within(pdb, at, call->ranges[k], &parts);

			for (size_t j = 0; j < count; j++) {
				const struct inline_call added =
					call_of(pdb, at->module, call, parts[j]);

				ARENA_ADD(arena, body->calls, body->call_count, capacity, &added);
			}
		}
	}
	SORT(body->calls, body->call_count, compare_calls);
}

bool
debug_pdb_body(struct debug_pdb *pdb, uint64_t relative, struct arena *arena,
	       struct debug_body *body)
{
	struct pdb_body from;
	struct pdb_located at;

	arena_reset(&pdb->scratch);
	if (!debug_pdb_locate(pdb, relative, &at))
		return false;
	answer_name(pdb, &at, &body->function);
	pdb_body_read(at.module, at.procedure, true, &pdb->scratch, &from);
	body_lines(pdb, &at, &from, arena, body);
	body_calls(pdb, &at, &from, arena, body);
	return true;
}

void
debug_pdb_functions(struct debug_pdb *pdb, enum debug_names names, debug_info_tell *tell,
		    void *context)
{
	const bool tables = names == DEBUG_NAMES_TABLES;
	const size_t count = tables ? pdb_public_count(pdb->pdb) : pdb->pdb->module_count;
	struct pdb_public public;
	uint32_t moved;

	arena_reset(&pdb->scratch);
	for (size_t i = 0; i < count; i++) {
		const struct pdb_module *module = tables ? NULL : debug_pdb_module(pdb, i);

		for (size_t j = 0; module != NULL && j < module->procedure_count; j++)
			if (pdb_moved_address(pdb->pdb, module->procedures[j].address, &moved))
				tell(context, debug_pdb_name(pdb, &module->procedures[j]), moved);
		if (tables && pdb_public_read(pdb->pdb, i, &pdb->scratch, &public) && public.code &&
		    pdb_moved_address(pdb->pdb, public.address, &moved))
			tell(context, public_name(pdb, &public), moved);
		arena_reset(&pdb->scratch);
	}
}

/* Unwind records ------------------------------------------------------------------------------- */

/* The innermost record that covers an address of the image as linked. */
static bool
find_frame(const struct pdb *pdb, unsigned type, uint32_t linked, struct pdb_frame *frame)
{
	const size_t upto = pdb_frame_upto(pdb, type, linked);

	for (size_t i = 0; i < upto && i < MOST_NESTED; i++)
		if (pdb_frame_read(pdb, type, upto - 1 - i, frame) &&
		    checked_contains(frame->address, frame->size, linked))
			return true;
	return false;
}

bool
debug_pdb_stack_win(const struct pdb *pdb, unsigned type, uint64_t relative, struct arena *arena,
		    struct stack_win *record)
{
	struct pdb_frame frame;
	uint32_t linked;

	if (!pdb_linked_address(pdb, relative, &linked) || !find_frame(pdb, type, linked, &frame))
		return false;
	/* The record's address is right only for bytes that moved together with `relative`. */
	*record = (struct stack_win){
		.type = type, .address = relative - (linked - frame.address), .size = frame.size,
		.prologue = frame.prologue, .parameters = frame.parameters,
		.saved_registers = frame.saved_registers, .locals = frame.locals,
		.max_stack = frame.max_stack, .has_program = type != 0,
		.allocates_base_pointer = frame.allocates_base_pointer, .own = frame.place,
		.offset = frame.place.offset, .length = frame.place.length };
	if (arena != NULL && record->has_program) {
		record->program = text_of(pdb_name(pdb, frame.program, arena));
		record->own_program = pdb_name_place(pdb, frame.program, record->program.length);
	}
	return true;
}

bool
debug_pdb_stack_win_change(const struct pdb *pdb, unsigned type, uint64_t relative,
			   uint64_t *change)
{
	struct pdb_frame frame;
	uint32_t linked;

	if (!pdb_linked_address(pdb, relative, &linked))
		return false;
	uint64_t next = UINT64_MAX;
	if (pdb_frame_read(pdb, type, pdb_frame_upto(pdb, type, linked), &frame))
		next = frame.address;
	if (find_frame(pdb, type, linked, &frame) && (uint64_t)frame.address + frame.size < next)
		next = (uint64_t)frame.address + frame.size;
	*change = relative + (next - linked);
	return next != UINT64_MAX && next > linked;
}

size_t
debug_pdb_module_count(const struct pdb *pdb)
{
	size_t count = 0;

	for (size_t i = 0; pdb != NULL && i < pdb->module_count; i++)
		count += pdb->modules[i].stream != MSF_NONE && pdb->modules[i].symbols > 4;
	return count;
}

size_t
debug_pdb_frame_count(const struct pdb *pdb)
{
	return pdb != NULL ? pdb_frame_count(pdb, 0) + pdb_frame_count(pdb, 4) : 0;
}
