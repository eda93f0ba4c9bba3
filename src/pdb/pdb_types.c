/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_types.h"

#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"

#define STREAM_TYPES 2u
#define STREAM_IDS 4u
#define HEADER 56u
#define FIRST_RECORD 0x1000u
/* Option of a structure whose definition is another record. */
#define FORWARD 0x80u

enum leaf {
	LF_MODIFIER = 0x1001, LF_POINTER = 0x1002, LF_PROCEDURE = 0x1008, LF_MFUNCTION = 0x1009,
	LF_ARGLIST = 0x1201, LF_ARRAY = 0x1503, LF_CLASS = 0x1504, LF_STRUCTURE = 0x1505,
	LF_UNION = 0x1506, LF_ENUM = 0x1507, LF_INTERFACE = 0x1519, LF_FUNC_ID = 0x1601,
	LF_MFUNC_ID = 0x1602, LF_STRING_ID = 0x1605,
};

/* Types that are only a number: by its low byte (cvinfo.h, TYPE_ENUM_e), in DIA's spelling. */
static const struct simple {
	uint8_t number, size;
	const char *name;
} simple_types[] = {
	{ 0x03, 0, "void" }, { 0x08, 4, "HRESULT" }, { 0x10, 1, "char" }, { 0x11, 2, "short" },
	{ 0x12, 4, "long" }, { 0x13, 8, "__int64" }, { 0x14, 16, "__int128" },
	{ 0x20, 1, "unsigned char" }, { 0x21, 2, "unsigned short" }, { 0x22, 4, "unsigned long" },
	{ 0x23, 8, "unsigned __int64" }, { 0x24, 16, "unsigned __int128" }, { 0x30, 1, "bool" },
	{ 0x31, 2, "short bool" }, { 0x32, 4, "long bool" }, { 0x40, 4, "float" },
	{ 0x41, 8, "double" }, { 0x42, 10, "long double" }, { 0x68, 1, "__int8" },
	{ 0x69, 1, "unsigned __int8" }, { 0x70, 1, "char" }, { 0x71, 2, "wchar_t" },
	{ 0x72, 2, "short" }, { 0x73, 2, "unsigned short" }, { 0x74, 4, "int" },
	{ 0x75, 4, "unsigned int" }, { 0x76, 8, "__int64" }, { 0x77, 8, "unsigned __int64" },
	{ 0x78, 16, "__int128" }, { 0x79, 16, "unsigned __int128" }, { 0x7a, 2, "char16_t" },
	{ 0x7b, 4, "char32_t" }, { 0x7c, 1, "char8_t" },
};

/* Records -------------------------------------------------------------------------------------- */

static bool
read_words(const struct pdb_records *records, uint32_t stream, uint64_t offset, uint32_t words[2])
{
	uint8_t bytes[8];
	const struct reader reader = { .data = bytes, .size = sizeof(bytes) };

	return msf_read(&records->pdb->msf, stream, offset, bytes, sizeof(bytes)) &&
	       reader_u32(&reader, 0, &words[0]) && reader_u32(&reader, 4, &words[1]);
}

/* A record's head: its length without the two bytes of that, and its kind. */
static bool
read_head(const struct pdb_records *records, uint64_t offset, uint16_t *length, uint16_t *kind)
{
	uint8_t bytes[4];
	const struct reader head = { .data = bytes, .size = sizeof(bytes) };

	return offset + 4 <= records->size &&
	       msf_read(&records->pdb->msf, records->stream, records->start + offset, bytes, 4) &&
	       reader_u16(&head, 0, length) && reader_u16(&head, 2, kind) && *length >= 2;
}

/* Records between two hints: writers have one for 8 KB, and the shortest records have 8 bytes. */
#define MOST_BETWEEN 2048u

/* Read all records once if look-ups would read many. */
static void
make_hints(struct pdb_records *records)
{
	uint16_t length, kind;
	uint64_t offset = 0;

	for (uint32_t number = records->first;
	     number < records->last && read_head(records, offset, &length, &kind); number++) {
		uint32_t *added = (number - records->first) % PDB_RECORDS_STEP != 0
					  ? NULL : ARENA_PUSH(&records->arena, records->own,
							      records->own_count,
							      records->own_capacity);

		if (added != NULL)
			*added = (uint32_t)offset;
		else if ((number - records->first) % PDB_RECORDS_STEP == 0)
			return;
		offset += 2u + length;
	}
}

static void
open_records(struct pdb_records *records, const struct pdb *pdb, uint32_t stream)
{
	uint8_t bytes[HEADER];
	const struct reader header = { .data = bytes, .size = sizeof(bytes) };
	uint16_t hints = 0;
	uint32_t size = 0;

	*records = (struct pdb_records){ .pdb = pdb, .stream = stream };
	if (!msf_read(&pdb->msf, stream, 0, bytes, sizeof(bytes)))
		return;
	reader_u32(&header, 4, &records->start);
	reader_u32(&header, 8, &records->first);
	reader_u32(&header, 12, &records->last);
	reader_u32(&header, 16, &records->size);
	reader_u16(&header, 20, &hints);
	reader_u32(&header, 40, &records->hints);
	reader_u32(&header, 44, &size);
	records->hint_stream = hints;
	records->hint_count = size / 8;
	if (records->first < FIRST_RECORD)
		records->last = records->first;
}

void
pdb_types_open(struct pdb_types *types, const struct pdb *pdb)
{
	*types = (struct pdb_types){ 0 };
	open_records(&types->types, pdb, STREAM_TYPES);
	if (pdb->has_ids)
		open_records(&types->ids, pdb, STREAM_IDS);
}

void
pdb_types_close(struct pdb_types *types)
{
	hash_free(&types->definitions);
	hash_free(&types->parameters);
	arena_free(&types->kept);
	arena_free(&types->types.arena);
	arena_free(&types->ids.arena);
}

/* The last record at or below a number whose offset is in the hints. */
static void
hint(const struct pdb_records *records, uint32_t wanted, uint32_t *number, uint64_t *offset)
{
	uint32_t pair[2] = { 0 };
	size_t at;

	*number = records->first;
	*offset = 0;
	if (records->own_count > 0) {
		at = (wanted - records->first) / PDB_RECORDS_STEP;
		at = at < records->own_count ? at : records->own_count - 1;
		*number += (uint32_t)at * PDB_RECORDS_STEP;
		*offset = records->own[at];
		return;
	}
	BISECT(at, records->hint_count,
	       read_words(records, records->hint_stream,
			  (uint64_t)records->hints + 8 * (uint64_t)at, pair) && pair[0] <= wanted);
	if (at == 0 || !read_words(records, records->hint_stream,
				   (uint64_t)records->hints + 8 * (uint64_t)(at - 1), pair) ||
	    pair[0] < records->first || pair[0] > wanted)
		return;
	*number = pair[0];
	*offset = pair[1];
}

/* A record: its kind, and the data after it. False: no such record. */
static bool
find(struct pdb_records *records, uint32_t wanted, struct arena *arena, uint16_t *kind,
     struct reader *data)
{
	uint16_t length;
	uint32_t number;
	uint64_t offset;

	if (wanted < records->first || wanted >= records->last)
		return false;
	hint(records, wanted, &number, &offset);
	if (wanted - number > MOST_BETWEEN && records->own_count == 0) {
		make_hints(records);
		hint(records, wanted, &number, &offset);
	}
	while (read_head(records, offset, &length, kind)) {
		if (number++ == wanted)
			return msf_bytes(&records->pdb->msf, records->stream,
					 records->start + offset + 4, length - 2u, arena, data);
		offset += 2u + length;
	}
	return false;
}

/* Read a number of a record and skip it: two bytes, or a form and a value. */
static bool
read_numeric(const struct reader *data, uint64_t *at, uint64_t *value)
{
	static const struct {
		uint16_t form;
		uint8_t size;
	} forms[] = { { 0x8000, 1 }, { 0x8001, 2 }, { 0x8002, 2 }, { 0x8003, 4 }, { 0x8004, 4 },
		      { 0x8009, 8 }, { 0x800a, 8 } };
	uint16_t form;

	if (!reader_u16(data, *at, &form))
		return false;
	*at += 2;
	if (form < 0x8000) {
		*value = form;
		return true;
	}
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++)
		if (forms[i].form == form && reader_unsigned(data, *at, forms[i].size, value)) {
			*at += forms[i].size;
			return true;
		}
	return false;
}

/* Names ---------------------------------------------------------------------------------------- */

/* The name of a structure, class, union or enumeration, and its size; false: another type. */
static bool
named_type(uint16_t kind, const struct reader *data, struct text *name, uint64_t *size,
	   const char **keyword)
{
	uint64_t at = kind == LF_UNION ? 8 : kind == LF_ENUM ? 12 : 16;

	*keyword = kind == LF_CLASS ? "class " : kind == LF_UNION ? "union "
		   : kind == LF_ENUM ? "enum " : kind == LF_INTERFACE ? "__interface " : "struct ";
	*size = 0;
	if (kind != LF_CLASS && kind != LF_STRUCTURE && kind != LF_INTERFACE && kind != LF_UNION &&
	    kind != LF_ENUM)
		return false;
	if (kind != LF_ENUM && !read_numeric(data, &at, size))
		return false;
	*name = pdb_text(data, at);
	return true;
}

uint32_t
pdb_id_type(struct pdb_types *types, uint32_t id)
{
	struct arena arena = { 0 };
	struct reader data;
	uint32_t type = 0;
	uint16_t kind;

	if (find(&types->ids, id, &arena, &kind, &data) &&
	    (kind == LF_FUNC_ID || kind == LF_MFUNC_ID))
		reader_u32(&data, 4, &type);
	arena_free(&arena);
	return type;
}

const char *
pdb_id_name(struct pdb_types *types, uint32_t id, struct arena *arena)
{
	struct text name, scope = { "", 0 };
	struct reader data, within;
	const char *keyword;
	uint32_t parent = 0;
	uint16_t kind, inside;
	uint64_t size;

	if (!find(&types->ids, id, arena, &kind, &data) ||
	    (kind != LF_FUNC_ID && kind != LF_MFUNC_ID) || !reader_u32(&data, 0, &parent))
		return "";
	name = pdb_text(&data, 8);
	if (kind == LF_MFUNC_ID) {
		if (find(&types->types, parent, arena, &inside, &within))
			named_type(inside, &within, &scope, &size, &keyword);
	} else if (find(&types->ids, parent, arena, &inside, &within) && inside == LF_STRING_ID) {
		scope = pdb_text(&within, 4);
	}
	return text_or_empty(arena_format(arena, "%.*s%s%.*s", (int)scope.length, scope.start,
					  scope.length > 0 ? "::" : "", (int)name.length,
					  name.start));
}

static const struct simple *
simple_of(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(simple_types); i++)
		if (simple_types[i].number == (type & 0xff))
			return &simple_types[i];
	return NULL;
}

/* The spelling of a type: pointers follow their target. */
struct type_spelling {
	char tail[8 * LIMIT_PDB_TYPE_DEPTH + 1];	/* " *", " &", " const" of all pointers */
	bool constant;			/* the current type is const */
};

static void
put_before(struct type_spelling *spelling, const char *text)
{
	const size_t length = strlen(text), tail = strlen(spelling->tail);

	if (length + tail >= sizeof(spelling->tail))
		return;
	memmove(spelling->tail + length, spelling->tail, tail + 1);
	memcpy(spelling->tail, text, length);
}

/* A type that names no other one. */
static const char *
spell_last(const struct type_spelling *spelling, const char *keyword, struct text name,
	   struct arena *arena)
{
	return text_or_empty(arena_format(arena, "%s%s%.*s%s", spelling->constant ? "const " : "",
					  keyword, (int)name.length, name.start, spelling->tail));
}

static const char *
spell_simple(struct type_spelling *spelling, uint32_t type, struct arena *arena)
{
	const struct simple *simple = simple_of(type);

	if ((type >> 8 & 0xf) != 0)
		put_before(spelling, " *");
	return type == 0 ? "..." : spell_last(spelling, "", text_of(simple != NULL ? simple->name
										 : ""), arena);
}

/* In DIA's spelling, where a pointer to a function is " *" with nothing before it. */
static const char *
spell(struct pdb_types *types, uint32_t type, struct arena *arena)
{
	struct type_spelling spelling = { 0 };
	struct reader data;
	const char *keyword;
	struct text name;
	uint32_t bits = 0;
	uint16_t kind, how = 0;
	uint64_t size;

	for (unsigned depth = 0; depth < LIMIT_PDB_TYPE_DEPTH; depth++) {
		if (type < FIRST_RECORD)
			return spell_simple(&spelling, type, arena);
		if (!find(&types->types, type, arena, &kind, &data))
			break;
		if (named_type(kind, &data, &name, &size, &keyword))
			return spell_last(&spelling, keyword, name, arena);
		if (kind == LF_MODIFIER && reader_u16(&data, 4, &how)) {
			spelling.constant = spelling.constant || (how & 1) != 0;
		} else if (kind == LF_POINTER && reader_u32(&data, 4, &bits)) {
			if (spelling.constant || (bits & 0x400) != 0)
				put_before(&spelling, " const");
			spelling.constant = false;
			put_before(&spelling, (bits >> 5 & 7) == 1 ? " &"
					      : (bits >> 5 & 7) == 4 ? " &&" : " *");
		} else {
			break;
		}
		reader_u32(&data, 0, &type);
	}
	return spell_last(&spelling, "", text_of(""), arena);
}

/* Bytes of a list of parameters; parameters beyond them are not spelled. */
#define PARAMETERS_MOST (LIMIT_PDB_TEXT / 16)
/* The most parameters of such a list: each takes at least two bytes. */
#define PARAMETERS_COUNT (PARAMETERS_MOST / 2 + 3)
/* Bytes of lists that are kept: functions share their types, and types their lists. */
#define PARAMETERS_KEPT ((size_t)16 << 20)

/* "(int, struct S *)" for a list of arguments. */
static const char *
spell_list(struct pdb_types *types, const struct reader *list, struct arena *arena)
{
	const char **parts = arena_array(arena, PARAMETERS_COUNT, sizeof(*parts));
	uint32_t count = 0, argument = 0;
	size_t used = 0, length = 0;

	reader_u32(list, 0, &count);
	for (uint32_t i = 0; parts != NULL && i < count && length <= PARAMETERS_MOST + 1 &&
			     reader_u32(list, 4 + 4 * (uint64_t)i, &argument); i++) {
		parts[used] = spell(types, argument, arena);
		length += strlen(parts[used++]) + 2;
	}
	char *text = arena_array(arena, length + 3, 1);
	if (text == NULL)
		return "";
	char *at = text;
	*at++ = '(';
	for (size_t i = 0; i < used; i++) {
		const size_t size = strlen(parts[i]);

		if (i > 0)
			at = (char *)memcpy(at, ", ", 2) + 2;
		at = (char *)memcpy(at, parts[i], size) + size;
	}
	memcpy(at, ")", 2);
	return text;
}

const char *
pdb_type_parameters(struct pdb_types *types, uint32_t type, struct arena *arena)
{
	struct reader data, list;
	uint32_t arguments = 0;
	uint16_t kind;

	if (!find(&types->types, type, arena, &kind, &data) ||
	    (kind != LF_PROCEDURE && kind != LF_MFUNCTION) ||
	    !reader_u32(&data, kind == LF_PROCEDURE ? 8 : 16, &arguments))
		return "()";
	const char *text = hash_find(&types->parameters, arguments, 0);
	if (text != NULL)
		return text;
	if (!find(&types->types, arguments, arena, &kind, &list) || kind != LF_ARGLIST ||
	    list.size < 4)
		return "()";
	text = spell_list(types, &list, arena);
	const char *kept = types->kept.used < PARAMETERS_KEPT
				   ? arena_copy(&types->kept, text, strlen(text)) : NULL;
	if (kept != NULL)
		hash_put(&types->parameters, arguments, 0, kept);
	return text;
}

/* Sizes ---------------------------------------------------------------------------------------- */

/* List all definitions of structures: types whose size is wanted are often only declared. */
static void
list_definitions(struct pdb_types *types)
{
	const struct pdb_records *records = &types->types;
	struct arena arena = { 0 };
	uint32_t number = records->first;
	uint16_t length, kind, options = 0;
	const char *keyword;
	struct reader data;
	struct text name;
	uint64_t size;

	types->defined = true;
	for (uint64_t at = 0; read_head(records, at, &length, &kind); at += 2u + length, number++) {
		if ((kind & 0xff00) == 0x1500 &&
		    msf_bytes(&records->pdb->msf, records->stream, records->start + at + 4,
			      length - 2u, &arena, &data) &&
		    named_type(kind, &data, &name, &size, &keyword) &&
		    reader_u16(&data, 2, &options) && (options & FORWARD) == 0 &&
		    !hash_put(&types->definitions,
			      hash_bytes(HASH_START, name.start, name.length), 0,
			      (const void *)(uintptr_t)(size + 1)))
			break;
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static uint64_t
defined_size(struct pdb_types *types, struct text name)
{
	if (!types->defined)
		list_definitions(types);
	const void *found = hash_find(&types->definitions,
				      hash_bytes(HASH_START, name.start, name.length), 0);
	return found != NULL ? (uint64_t)(uintptr_t)found - 1 : 0;
}

static uint64_t
simple_size(uint32_t type)
{
	static const uint8_t pointers[] = { 0, 2, 4, 4, 4, 6, 8, 16 };
	const struct simple *simple = simple_of(type);

	return (type >> 8 & 7) != 0 ? pointers[type >> 8 & 7] : simple != NULL ? simple->size : 0;
}

uint64_t
pdb_type_size(struct pdb_types *types, uint32_t type)
{
	struct arena arena = { 0 };
	uint64_t size = 0, at = 8;
	uint16_t kind, options = 0;
	const char *keyword;
	struct reader data;
	struct text name;
	uint32_t bits = 0;

	for (unsigned depth = 0; depth < LIMIT_PDB_TYPE_DEPTH; depth++) {
		if (type < FIRST_RECORD) {
			size = simple_size(type);
			break;
		}
		if (!find(&types->types, type, &arena, &kind, &data))
			break;
		if (kind == LF_POINTER && reader_u32(&data, 4, &bits)) {
			size = bits >> 13 & 0x3f;
			break;
		}
		if (kind == LF_ARRAY) {
			read_numeric(&data, &at, &size);
			break;
		}
		if (kind == LF_MODIFIER || kind == LF_ENUM) {
			reader_u32(&data, kind == LF_ENUM ? 4 : 0, &type);
			continue;
		}
		if (named_type(kind, &data, &name, &size, &keyword) &&
		    reader_u16(&data, 2, &options) && (options & FORWARD) != 0)
			size = defined_size(types, name);
		break;
	}
	arena_free(&arena);
	return size;
}

/* Functions that are inlined across modules ---------------------------------------------------- */

/* A number of another scope: this bit, the number of the scope, the number in it. */
#define CROSS 0x80000000u
#define SCOPE_OF(id) ((id) >> 20 & 0x7ff)
#define NUMBER_OF(id) ((id) & 0xfffff)

/* Subsection of a module, with pairs of its own numbers and those in IPI. */
#define EXPORTS 0xf8u

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
