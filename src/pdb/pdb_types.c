/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb_types.h"

#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"

#define STREAM_TYPES 2u
#define STREAM_IDS 4u
#define HEADER 56u

/* Types without a record, by the low byte of the number (cvinfo.h, TYPE_ENUM_e), as in DIA. */
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

/* Size of a pointer to such a type in bytes, by bits 8 to 10 of the number (CV_PTRMODE). */
static const uint8_t pointer_sizes[] = { 0, 2, 4, 4, 4, 6, 8, 16 };

/* Records -------------------------------------------------------------------------------------- */

/* Read the length and kind of a record. The length excludes its own two bytes. */
static bool
read_head(const struct pdb_records *records, uint64_t offset, uint16_t *length, uint16_t *kind)
{
	uint32_t head = 0;

	if (offset + 4 > records->size ||
	    !msf_u32(&records->pdb->msf, records->stream, records->start + offset, &head))
		return false;
	*length = (uint16_t)head;
	*kind = (uint16_t)(head >> 16);
	return *length >= 2;
}

/* Maximum records between two hints. Hints are 8 KB apart; a record has at least 4 bytes. */
#define MOST_BETWEEN 2048u

/* Make the hints that the file lacks by reading all records once. */
static void
make_hints(struct pdb_records *records)
{
	uint16_t length, kind;
	uint64_t offset = 0;

	for (uint32_t number = records->first;
	     number < records->last && read_head(records, offset, &length, &kind); number++) {
		if ((number - records->first) % PDB_RECORDS_STEP == 0) {
			if (!ARENA_ADD(&records->arena, records->own, records->own_count,
				       records->own_capacity, &(uint32_t){ (uint32_t)offset }))
				return;
		}
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

	*records = (struct pdb_records){ .pdb = pdb, .stream = stream, .left = UINT64_MAX };
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
	if (records->first < PDB_FIRST_TYPE)
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
	arena_free(&types->defined);
	hash_free(&types->parameters);
	arena_free(&types->kept);
	arena_free(&types->types.arena);
	arena_free(&types->ids.arena);
}

/* Find the last hint up to record `wanted`: the number of a record and its offset. */
static void
hint(const struct pdb_records *records, uint32_t wanted, uint32_t *number, uint64_t *offset)
{
	const struct msf *msf = &records->pdb->msf;
	const uint32_t stream = records->hint_stream;
	uint32_t first = 0, start = 0;
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
	       msf_u32(msf, stream, records->hints + 8 * (uint64_t)at, &first) &&
		       first <= wanted);
	const uint64_t pair = records->hints + 8 * (uint64_t)at - 8;
	if (at == 0 || !msf_u32(msf, stream, pair, &first) ||
	    !msf_u32(msf, stream, pair + 4, &start) || first < records->first || first > wanted)
		return;
	*number = first;
	*offset = start;
}

bool
pdb_record_find(struct pdb_records *records, uint32_t wanted, struct arena *arena, uint16_t *kind,
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
	while (records->left > 0 && read_head(records, offset, &length, kind)) {
		const uint64_t cost = number == wanted ? 1 + length / 64u : 1;

		records->left -= cost < records->left ? cost : records->left;
		if (number++ == wanted)
			return msf_bytes(&records->pdb->msf, records->stream,
					 records->start + offset + 4, length - 2u, arena, data);
		offset += 2u + length;
	}
	return false;
}

bool
pdb_numeric(const struct reader *data, uint64_t *at, uint64_t *value)
{
	static const struct {
		uint16_t form;
		uint8_t size;
		bool is_signed;
	} forms[] = { { 0x8000, 1, true }, { 0x8001, 2, true }, { 0x8002, 2, false },
		      { 0x8003, 4, true }, { 0x8004, 4, false }, { 0x8009, 8, true },
		      { 0x800a, 8, false } };
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
			if (forms[i].is_signed && *value >> (8 * forms[i].size - 1) != 0)
				*value |= UINT64_MAX - (UINT64_MAX >> (64 - 8 * forms[i].size));
			return true;
		}
	return false;
}

/* Types ---------------------------------------------------------------------------------------- */

static const struct simple *
simple_of(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(simple_types); i++)
		if (simple_types[i].number == (type & 0xff))
			return &simple_types[i];
	return NULL;
}

uint32_t
pdb_simple_named(struct text name)
{
	for (size_t i = 0; i < ARRAY_COUNT(simple_types); i++)
		if (text_is(name, simple_types[i].name))
			return simple_types[i].number;
	return 0;
}

/*
 * The offsets of fields in the record of each kind of type, plus 1 for `of` and `list`; 0: the kind
 * lacks the field. If `sized`, a size of variable length is at `end`, before the name.
 */
static const struct type_fields {
	uint16_t leaf;
	enum pdb_type_kind kind;
	uint8_t options, of, list, end;	/* `end`: the size if `sized`, else the name */
	bool sized;
	const char *keyword;		/* keyword before the type's name; NULL: none */
} type_fields[] = {
	{ LF_MODIFIER, PDB_TYPE_MODIFIER, 4, 1, 0, 0, false, NULL },
	{ LF_POINTER, PDB_TYPE_POINTER, 0, 1, 0, 0, false, NULL },
	{ LF_PROCEDURE, PDB_TYPE_FUNCTION, 0, 1, 9, 0, false, NULL },
	{ LF_MFUNCTION, PDB_TYPE_FUNCTION, 0, 1, 17, 0, false, NULL },
	{ LF_BITFIELD, PDB_TYPE_BITFIELD, 0, 1, 0, 0, false, NULL },
	{ LF_ARRAY, PDB_TYPE_ARRAY, 0, 1, 0, 8, true, NULL },
	{ LF_CLASS, PDB_TYPE_STRUCTURE, 2, 0, 5, 16, true, "class " },
	{ LF_STRUCTURE, PDB_TYPE_STRUCTURE, 2, 0, 5, 16, true, "struct " },
	{ LF_INTERFACE, PDB_TYPE_STRUCTURE, 2, 0, 5, 16, true, "__interface " },
	{ LF_UNION, PDB_TYPE_UNION, 2, 0, 5, 8, true, "union " },
	{ LF_ENUM, PDB_TYPE_ENUM, 2, 5, 9, 12, false, "enum " },
};

static const struct type_fields *
type_fields_of(uint16_t leaf)
{
	for (size_t i = 0; i < ARRAY_COUNT(type_fields); i++)
		if (type_fields[i].leaf == leaf)
			return &type_fields[i];
	return NULL;
}

static bool
parse_type(uint16_t leaf, const struct reader *data, struct pdb_type *type)
{
	const struct type_fields *fields = type_fields_of(leaf);
	uint16_t options = 0;

	*type = (struct pdb_type){ .leaf = leaf };
	if (fields == NULL)
		return true;
	type->kind = fields->kind;
	uint64_t at = fields->end;
	if ((fields->of != 0 && !reader_u32(data, fields->of - 1u, &type->of)) ||
	    (fields->list != 0 && !reader_u32(data, fields->list - 1u, &type->fields)) ||
	    (fields->options != 0 && !reader_u16(data, fields->options, &options)) ||
	    (fields->sized && !pdb_numeric(data, &at, &type->size)))
		return false;
	type->options = options;
	if (leaf == LF_POINTER) {
		if (!reader_u32(data, 4, &type->options))
			return false;
		type->size = type->options >> 13 & 0x3f;
	} else if (leaf == LF_BITFIELD) {
		return reader_u8(data, 4, &type->bits) && reader_u8(data, 5, &type->bit);
	}
	if (fields->keyword == NULL)
		return true;
	type->declared = (options & PDB_TYPE_DECLARED) != 0;
	type->name = pdb_text(data, at);
	if ((options & PDB_TYPE_UNIQUE) != 0)
		type->unique = pdb_text(data, at + type->name.length + 1);
	return true;
}

bool
pdb_type_read(struct pdb_types *types, uint32_t number, struct arena *arena, struct pdb_type *type)
{
	struct reader data;
	uint16_t leaf;

	if (number >= PDB_FIRST_TYPE)
		return pdb_record_find(&types->types, number, arena, &leaf, &data) &&
		       parse_type(leaf, &data, type);
	const struct simple *simple = simple_of(number);
	const unsigned pointer = number >> 8 & 7;
	*type = (struct pdb_type){ .kind = PDB_TYPE_SIMPLE,
				   .size = pointer != 0 ? pointer_sizes[pointer]
					   : simple != NULL ? simple->size : 0,
				   .name = text_of(simple != NULL ? simple->name : "") };
	return true;
}

/* Names ---------------------------------------------------------------------------------------- */

uint32_t
pdb_id_type(struct pdb_types *types, uint32_t id)
{
	struct arena arena = { 0 };
	struct reader data;
	uint32_t type = 0;
	uint16_t kind;

	if (pdb_record_find(&types->ids, id, &arena, &kind, &data) &&
	    (kind == LF_FUNC_ID || kind == LF_MFUNC_ID))
		reader_u32(&data, 4, &type);
	arena_free(&arena);
	return type;
}

const char *
pdb_id_name(struct pdb_types *types, uint32_t id, struct arena *arena)
{
	struct text scope = { "", 0 };
	struct reader data, within;
	struct pdb_type class;
	uint32_t parent = 0;
	uint16_t kind, inside;

	if (!pdb_record_find(&types->ids, id, arena, &kind, &data) ||
	    (kind != LF_FUNC_ID && kind != LF_MFUNC_ID) || !reader_u32(&data, 0, &parent))
		return "";
	const struct text name = pdb_text(&data, 8);
	if (kind == LF_MFUNC_ID) {
		if (parent >= PDB_FIRST_TYPE && pdb_type_read(types, parent, arena, &class) &&
		    class.name.length > 0)
			scope = class.name;
	} else if (pdb_record_find(&types->ids, parent, arena, &inside, &within) &&
		   inside == LF_STRING_ID) {
		scope = pdb_text(&within, 4);
	}
	return text_or_empty(arena_format(arena, "%.*s%s%.*s", (int)scope.length, scope.start,
					  scope.length > 0 ? "::" : "", (int)name.length,
					  name.start));
}

/* The spelling of a type: text for pointers follows the name of their target. */
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

/* Spell a type as DIA does. A pointer to a function is only " *". */
static const char *
spell(struct pdb_types *types, uint32_t number, struct arena *arena)
{
	struct type_spelling spelling = { 0 };
	const char *keyword = "";
	struct text name = text_of("");
	struct pdb_type type;

	if (number == 0)
		return "...";
	for (unsigned depth = 0; depth < LIMIT_PDB_TYPE_DEPTH &&
				 pdb_type_read(types, number, arena, &type); depth++) {
		if (type.kind == PDB_TYPE_MODIFIER) {
			spelling.constant |= (type.options & PDB_MODIFIER_CONST) != 0;
		} else if (type.kind == PDB_TYPE_POINTER) {
			const unsigned mode = PDB_POINTER_MODE(type.options);

			if (spelling.constant || (type.options & PDB_POINTER_CONST) != 0)
				put_before(&spelling, " const");
			spelling.constant = false;
			put_before(&spelling, mode == 1 ? " &" : mode == 4 ? " &&" : " *");
		} else {
			if (type.kind == PDB_TYPE_SIMPLE && (number >> 8 & 0xf) != 0)
				put_before(&spelling, " *");
			if (type.name.start != NULL)
				name = type.name;
			if (type.kind >= PDB_TYPE_STRUCTURE)
				keyword = type_fields_of(type.leaf)->keyword;
			break;
		}
		number = type.of;
	}
	return text_or_empty(arena_format(arena, "%s%s%.*s%s", spelling.constant ? "const " : "",
					  keyword, (int)name.length, name.start, spelling.tail));
}

/* Maximum size of a spelled list of parameters in bytes; further parameters are left out. */
#define PARAMETERS_MOST (LIMIT_PDB_TEXT / 16)
/* Maximum number of parameters in such a list: each takes at least two bytes. */
#define PARAMETERS_COUNT (PARAMETERS_MOST / 2 + 3)
/* Maximum size of all kept lists in bytes. Lists are kept because many functions share a list. */
#define PARAMETERS_KEPT ((size_t)16 << 20)

/* Spell a list of arguments: "(int, struct S *)". */
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
	struct pdb_type function;
	struct reader list;
	uint16_t kind;

	if (!pdb_type_read(types, type, arena, &function) || function.kind != PDB_TYPE_FUNCTION)
		return "()";
	const char *text = hash_find(&types->parameters, function.fields, 0);
	if (text != NULL)
		return text;
	if (!pdb_record_find(&types->types, function.fields, arena, &kind, &list) ||
	    kind != LF_ARGLIST || list.size < 4)
		return "()";
	text = spell_list(types, &list, arena);
	const char *kept =
		types->kept.used < PARAMETERS_KEPT ? arena_string(&types->kept, text) : NULL;
	if (kept != NULL)
		hash_put(&types->parameters, function.fields, 0, kept);
	return text;
}

/* Sizes ---------------------------------------------------------------------------------------- */

struct pdb_definition {
	uint32_t number;
	bool differs;			/* another definition of the name has other contents */
	uint64_t size, contents;
};

/* Add a definition under a name. `set`: 0 for names with scopes, 1 for unique names. */
static bool
add_definition(struct pdb_types *types, struct text name, unsigned set,
	       const struct pdb_definition *definition)
{
	const uint64_t hash = hash_bytes(HASH_START, name.start, name.length);
	struct pdb_definition *first = (struct pdb_definition *)
		(uintptr_t)hash_find(&types->definitions, hash, set);

	if (first != NULL) {
		first->differs = first->differs || first->contents != definition->contents;
		return true;
	}
	struct pdb_definition *added = arena_alloc(&types->defined, sizeof(*added));
	if (added == NULL)
		return false;
	*added = *definition;
	return hash_put(&types->definitions, hash, set, added);
}

/* List all definitions of named types, because other records may only declare a type. */
static void
list_definitions(struct pdb_types *types)
{
	const struct pdb_records *records = &types->types;
	struct arena arena = { 0 };
	uint32_t number = records->first;
	uint16_t length, kind;
	struct pdb_type type;
	struct reader data;

	types->listed = true;
	for (uint64_t at = 0; read_head(records, at, &length, &kind); at += 2u + length, number++) {
		arena_reset(&arena);
		if ((kind & 0xff00) != 0x1500 ||
		    !msf_bytes(&records->pdb->msf, records->stream, records->start + at + 4,
			       length - 2u, &arena, &data) ||
		    !parse_type(kind, &data, &type) || type.name.start == NULL || type.declared)
			continue;
		const struct pdb_definition definition = {
			.number = number, .size = type.size,
			.contents = hash_bytes(type.size, &type.fields, sizeof(type.fields)) };
		if (!add_definition(types, type.name, 0, &definition) ||
		    (type.unique.length > 0 &&
		     !add_definition(types, type.unique, 1, &definition)))
			break;
		if (type.kind == PDB_TYPE_ENUM)
			ARENA_ADD(&types->defined, types->enumerations, types->enumeration_count,
				  types->enumeration_capacity, &number);
	}
	arena_free(&arena);
}

static const struct pdb_definition *
definition_of(struct pdb_types *types, struct text name, unsigned set)
{
	if (!types->listed)
		list_definitions(types);
	return hash_find(&types->definitions, hash_bytes(HASH_START, name.start, name.length), set);
}

/* The definition of a type that may only be declared, by its unique name if it has one. */
static const struct pdb_definition *
definition_for(struct pdb_types *types, const struct pdb_type *type)
{
	const bool unique = type->unique.length > 0;

	return definition_of(types, unique ? type->unique : type->name, unique);
}

uint32_t
pdb_type_named(struct pdb_types *types, struct text name)
{
	const struct pdb_definition *found = definition_of(types, name, 0);

	return found != NULL && !found->differs ? found->number : 0;
}

/* Whether a list of enumerators contains a name. Reads at most `*left` of them. */
static bool
has_enumerator(struct pdb_types *types, uint32_t list, struct text name, size_t *left)
{
	struct arena arena = { 0 };
	struct pdb_fields fields;
	struct pdb_field field;
	bool found = false;

	for (bool more = pdb_fields_open(&fields, types, list, &arena);
	     more && !found && *left > 0 && pdb_fields_next(&fields, &field); --*left)
		found = field.leaf == LF_ENUMERATE && text_equal(field.name, name);
	arena_free(&arena);
	return found;
}

uint32_t
pdb_type_enumerating(struct pdb_types *types, struct text enumerator)
{
	size_t left = LIMIT_PDB_ROWS;
	uint32_t found = 0;

	if (!types->listed)
		list_definitions(types);
	for (size_t i = 0; i < types->enumeration_count && left > 0; i++) {
		struct arena arena = { 0 };
		struct pdb_type type;
		const bool has =
			pdb_type_read(types, types->enumerations[i], &arena, &type) &&
			has_enumerator(types, type.fields, enumerator, &left);

		arena_free(&arena);
		if (has && found != 0)
			return 0;
		found = has ? types->enumerations[i] : found;
	}
	return found;
}

bool
pdb_type_define(struct pdb_types *types, uint32_t *number, struct arena *arena,
		struct pdb_type *type)
{
	const struct pdb_definition *found = definition_for(types, type);
	struct pdb_type read;

	if (found == NULL || found->differs ||
	    !pdb_type_read(types, found->number, arena, &read) || read.kind != type->kind)
		return false;
	*type = read;
	*number = found->number;
	return true;
}

uint64_t
pdb_type_size(struct pdb_types *types, uint32_t number)
{
	const struct pdb_definition *definition;
	struct arena arena = { 0 };
	struct pdb_type type;
	uint64_t size = 0;

	for (unsigned depth = 0; depth < LIMIT_PDB_TYPE_DEPTH &&
				 pdb_type_read(types, number, &arena, &type); depth++) {
		if (type.kind == PDB_TYPE_MODIFIER || type.kind == PDB_TYPE_ENUM) {
			number = type.of;
			continue;
		}
		size = type.size;
		if (type.declared && (definition = definition_for(types, &type)) != NULL)
			size = definition->size;
		break;
	}
	arena_free(&arena);
	return size;
}

/* Functions that are inlined across modules ---------------------------------------------------- */

/* A number of another scope consists of this flag, its scope, and its number in that scope. */
#define CROSS 0x80000000u
#define SCOPE_OF(id) ((id) >> 20 & 0x7ff)
#define NUMBER_OF(id) ((id) & 0xfffff)

/* Subsection with pairs: a module's own number of a function, and the number in IPI. */
#define EXPORTS 0xf8u

void
pdb_scopes_close(struct pdb_scopes *scopes)
{
	hash_free(&scopes->names);
	hash_free(&scopes->loaded);
	hash_free(&scopes->exports);
}

/* A number as a pointer other than NULL, to store it in a hash. */
static const void *
kept(uint64_t number)
{
	return (const void *)(uintptr_t)(number + 1);
}

/* The hash of a name, ignoring case: import lists have the modules' names in lower case. */
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

/* The module whose name is at an offset of the string table, or SIZE_MAX. */
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

/* Read the pairs of a subsection. If several pairs have one number, use the first pair. */
static void
add_exports(struct pdb_scopes *scopes, size_t number, uint64_t at, uint32_t size)
{
	const uint16_t stream = scopes->pdb->modules[number].stream;
	uint32_t own = 0, global = 0;

	for (uint32_t i = 0; i + 8 <= size && scopes->export_count < LIMIT_PDB_ROWS &&
			     msf_u32(&scopes->pdb->msf, stream, at + i, &own) &&
			     msf_u32(&scopes->pdb->msf, stream, at + i + 4, &global); i += 8) {
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
	const struct msf *msf = &scopes->pdb->msf;
	uint32_t kind = 0, size = 0;

	if (hash_find(&scopes->loaded, number, 0) != NULL)
		return;
	hash_put(&scopes->loaded, number, 0, kept(0));
	while (at < end && msf_u32(msf, info->stream, at, &kind) &&
	       msf_u32(msf, info->stream, at + 4, &size)) {
		if (kind == EXPORTS)
			add_exports(scopes, number, at + 8, size);
		at += 8 + (((uint64_t)size + 3) & ~UINT64_C(3));
	}
}

/* Find the target of a number of another scope: a module's name, and the number in that module. */
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
