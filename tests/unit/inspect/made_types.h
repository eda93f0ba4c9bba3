/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * An ELF file with DWARF 4 that is made from rows. Its only function begins at the first byte of the code.
 *
 *	NAME|KIND[|MEMBER@TYPE@OFFSET...]	a type; types that it names may follow later
 *	NAME|@ADDRESS|TYPE			a variable in memory, of the function
 *	NAME|!BYTES|TYPE			a variable with this location expression in hexadecimal
 *	NAME|#NUMBER|TYPE, NAME|$BYTES|TYPE	a variable with this constant value
 *	NAME|_|TYPE				a variable without a location
 *	NAME|+ADDRESS				a further function
 *	NAME|-START+SIZE|BYTES			a function with its frame base: further rows are in it, and stop is left out
 *	FUNCTION|>RETURN|BYTES			a call of FUNCTION, or of the address that BYTES compute; without RETURN a tail call
 *	FUNCTION|>>RETURN|BYTES			the same as GCC writes it in DWARF 4
 *	|<BYTES|VALUE|DATA			an argument of the last call in a place, with its value and what it points to
 *	VARIABLE|<VALUE				an argument of the last call for this parameter
 *	NAME|%ADDRESS[+SIZE]			a symbol of a variable, of 8 bytes or SIZE
 *	NAME|^ADDRESS|TYPE			a variable in memory, of the unit
 *	C++|:					the first row of a unit in this language
 *
 * KIND: i4, u4, c1, C1, f8 and b1 are numbers of so many bytes, *TYPE is a pointer, &TYPE a reference, =TYPE another name,
 * [N]TYPE an array, {SIZE a structure, (SIZE a union and ? a structure that is only declared. A member a.b is in an unnamed
 * structure a, ^ is a base class, and < an argument of a template, which has no offset. The offset BIT:BITS is that of a bit
 * field, !BYTES an expression, and ~ belongs to a static member. In an expression, (NAME) is the place of an entry in the unit.
 *
 * The member ?NAME selects one of the variants that follow to the end: =NUMBER:NAME, and =:NAME for other numbers.
 *
 * Attributes may describe an array: [ARRAY;DIMENSION;...]TYPE, or a string of Fortran: "ARRAY. Each one is a letter with a number,
 * !BYTES or (NAME), and those of an array or dimension are divided by ','. Letters are A allocated, O associated and D data
 * location of an array, N string length, and u upper bound, l lower bound, c count and s byte stride of a dimension.
 */
#ifndef TESTS_UNIT_INSPECT_MADE_TYPES_H
#define TESTS_UNIT_INSPECT_MADE_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/variable/frame_variables.h"
#include "tests/unit/walk/scene.h"

#define MADE_CODE 0x1000u
#define MADE_CODE_SIZE 0x100u	/* the size of a function */
#define MADE_CODE_END 0x3000u
#define MADE_NAMES 300

/** A processor (e_machine), the bytes of its addresses, and their order; the bytes of the build ID, 0: those of a debug file. */
struct made_target {
	unsigned machine, word;
	bool big_endian;
	uint8_t id;
	uint64_t tls_size, tls_alignment;	/* thread-local data; both 0: none */
};

struct made_file {
	struct made_target target;
	uint8_t bytes[32768];
	size_t at, unit;
	unsigned functions;
	bool in_call, in_gnu_call;
	/* Types by their names, and the places that name them. */
	struct { char name[96]; size_t offset; } types[MADE_NAMES];
	struct { char name[96]; size_t at; } uses[2 * MADE_NAMES];
	size_t type_count, use_count;
	/* Abbreviations of entries with attributes. */
	uint8_t abbreviations[1000];
	size_t abbreviated, abbreviation_count;
};

static inline void
made_put(struct made_file *file, unsigned size, uint64_t value)
{
	if (file->at + size > sizeof(file->bytes))
		exit(1);
	for (unsigned i = 0; i < size; i++)
		file->bytes[file->at++] = (uint8_t)(value >> 8 * (file->target.big_endian ? size - 1 - i : i));
}

/* A number with the size of an address. */
static inline void
made_word(struct made_file *file, uint64_t value)
{
	made_put(file, file->target.word, value);
}

static inline void
made_text(struct made_file *file, const char *text)
{
	do
		made_put(file, 1, (uint8_t)*text);
	while (*text++ != '\0');
}

/* A reference to a type. */
static inline void
made_use(struct made_file *file, const char *name)
{
	snprintf(file->uses[file->use_count].name, sizeof(file->uses[0].name), "%s", name);
	file->uses[file->use_count++].at = file->at;
	made_put(file, 4, 0);
}

/* The entries after the unit's: 3 number, 4 structure, 5 union, 6 member, 7 base, 8 pointer, 9 other name, 10 array, 11 its bound,
 * 12 variable, 13 argument of a template, 14 bit field, 15 member and 16 base at a computed place, 17 static member, 18 reference,
 * 19 and 20 constants, 21 variable without a location, 22 call, 23 call of an address, 24 and 25 the same of GCC, 26 and 27 tail
 * calls, 28 argument, 29 the same of GCC, 30 argument for a parameter, 31 function without a frame base,
 * 32 structure that is only declared, 33 variants, 34 one of them, 35 the one for other values. */
static const uint8_t made_abbreviations[] = {
	1, 0x11, 1, 0x13, 0x0b, 0x11, 1, 0x12, 6, 0, 0, 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0x40, 0x18, 0, 0,
	3, 0x24, 0, 3, 8, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0, 4, 0x13, 1, 3, 8, 0x0b, 6, 0, 0, 5, 0x17, 1, 3, 8, 0x0b, 6, 0, 0,
	6, 0x0d, 0, 3, 8, 0x49, 0x13, 0x38, 6, 0, 0, 7, 0x1c, 0, 0x49, 0x13, 0x38, 6, 0, 0, 8, 0x0f, 0, 3, 8, 0x49, 0x13, 0, 0,
	9, 0x16, 0, 3, 8, 0x49, 0x13, 0, 0, 10, 1, 1, 0x49, 0x13, 0, 0, 11, 0x21, 0, 0x37, 6, 0, 0,
	12, 0x34, 0, 3, 8, 0x49, 0x13, 2, 0x18, 0, 0, 13, 0x2f, 0, 0x49, 0x13, 0, 0,
	14, 0x0d, 0, 3, 8, 0x49, 0x13, 0x6b, 6, 0x0d, 0x0b, 0, 0, 15, 0x0d, 0, 3, 8, 0x49, 0x13, 0x38, 0x18, 0, 0,
	16, 0x1c, 0, 0x49, 0x13, 0x38, 0x18, 0, 0, 17, 0x0d, 0, 3, 8, 0x49, 0x13, 0x3c, 0x19, 0, 0, 18, 0x10, 0, 3, 8, 0x49, 0x13, 0, 0,
	19, 0x34, 0, 3, 8, 0x49, 0x13, 0x1c, 0x0d, 0, 0, 20, 0x34, 0, 3, 8, 0x49, 0x13, 0x1c, 0x0a, 0, 0,
	21, 0x34, 0, 3, 8, 0x49, 0x13, 0, 0,
	22, 0x48, 1, 0x7f, 0x13, 0x7d, 1, 0x83, 1, 0x18, 0, 0, 23, 0x48, 1, 0x7d, 1, 0x83, 1, 0x18, 0, 0,
	24, 0x89, 0x82, 1, 1, 0x31, 0x13, 0x11, 1, 0x93, 0x42, 0x18, 0, 0, 25, 0x89, 0x82, 1, 1, 0x11, 1, 0x93, 0x42, 0x18, 0, 0,
	26, 0x48, 1, 0x7f, 0x13, 0x82, 1, 0x19, 0, 0, 27, 0x89, 0x82, 1, 1, 0x31, 0x13, 0x95, 0x42, 0x19, 0, 0,
	28, 0x49, 0, 2, 0x18, 0x7e, 0x18, 0x86, 1, 0x18, 0, 0, 29, 0x8a, 0x82, 1, 0, 2, 0x18, 0x91, 0x42, 0x18, 0x92, 0x42, 0x18, 0, 0,
	30, 0x49, 0, 0x80, 1, 0x13, 0x7e, 0x18, 0, 0, 31, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0, 0,
	32, 0x13, 0, 3, 8, 0x3c, 0x19, 0, 0, 33, 0x33, 1, 0x15, 0x13, 0, 0, 34, 0x19, 1, 0x16, 0x0d, 0, 0, 35, 0x19, 1, 0, 0, 0,
};

/* Bytes in hexadecimal, after their number. */
static inline void
made_block(struct made_file *file, const char *text)
{
	const size_t start = file->at;
	char name[96];
	int length;

	made_put(file, 1, 0);
	for (unsigned byte; *text != '\0'; text += length)
		if (sscanf(text, "(%95[^)])%n", name, &length) == 1)
			made_use(file, name);
		else if (sscanf(text, "%2x%n", &byte, &length) == 1)
			made_put(file, 1, byte);
		else
			exit(1);
	file->bytes[start] = (uint8_t)(file->at - start - 1);
}

/* A number as SLEB128. */
static inline void
made_signed(struct made_file *file, int64_t number)
{
	for (; number < -64 || number > 63; number = number < 0 ? ~(~number >> 7) : number >> 7)
		made_put(file, 1, 0x80 | (number & 0x7f));
	made_put(file, 1, number & 0x7f);
}

/* A name for made_use(). */
static inline void
made_name(struct made_file *file, const char *name)
{
	snprintf(file->types[file->type_count].name, sizeof(file->types[0].name), "%s", name);
	file->types[file->type_count++].offset = file->at;
}

/* The first of the abbreviations that are made. */
#define MADE_ABBREVIATION 36

/* An entry with the attributes in `list`. The type is left out if it is NULL. */
static inline void
made_described(struct made_file *file, uint8_t tag, const char *type, char *list)
{
	static const char letters[] = "AODNulcs", names[] = "\x4e\x4f\x50\x19\x2f\x22\x37\x51";
	uint8_t *made = file->abbreviations + file->abbreviated;

	made_put(file, 1, *made++ = (uint8_t)(MADE_ABBREVIATION + file->abbreviation_count++));
	*made++ = tag;
	*made++ = tag == 1;
	if (type != NULL) {
		*made++ = 0x49, *made++ = 0x13;
		made_use(file, type);
	}
	for (char *one; list != NULL && *list != '\0' && (one = strsep(&list, ",")) != NULL;) {
		char *value = one + 1;

		*made++ = (uint8_t)names[strchr(letters, *one) - letters];
		*made++ = *value == '!' ? 0x18 : *value == '(' ? 0x13 : 0x0d;
		if (*value == '!')
			made_block(file, value + 1);
		else if (*value != '(')
			made_signed(file, strtoll(value, NULL, 10));
		else if ((value = strsep(&one, ")")) != NULL)
			made_use(file, value + 2);
	}
	*made++ = 0, *made++ = 0;
	file->abbreviated = (size_t)(made - file->abbreviations);
}

#define MADE_MEMBERS 16

struct made_member {
	char *path, *type, *offset;
};

/* The entries of members. Those whose paths have the same beginning follow each other. */
static inline void
made_members(struct made_file *file, struct made_member *members, size_t count)
{
	bool variants = false;

	for (size_t i = 0, inside; i < count; i += inside > 0 ? inside : 1) {
		char *path = members[i].path;
		const bool variant = *path == '=';

		if (*path == '?') {
			variants = true;
			path++;
			made_put(file, 1, 33);
			made_put(file, 4, file->at + 4 - file->unit);
		} else if (variant) {
			made_put(file, 1, path[1] == ':' ? 35 : 34);
			if (path[1] != ':')
				made_signed(file, strtoll(path + 1, NULL, 10));
			path = strchr(path, ':') + 1;
		}
		const size_t length = strcspn(path, "."), part = length + 1;

		for (inside = 0; path[length] == '.' && i + inside < count; inside++)
			if (strncmp(members[i + inside].path, path, part) != 0)
				break;
		path[length] = '\0';
		const char *offset = inside > 0 || path[0] == '<' ? "0" : members[i].offset, *bits = strchr(offset, ':');
		made_put(file, 1, path[0] == '<' ? 13 : path[0] == '^' ? *offset == '!' ? 16 : 7
			 : *offset == '!' ? 15 : *offset == '~' ? 17 : bits != NULL ? 14 : 6);
		if (path[0] != '^' && path[0] != '<')
			made_text(file, path);
		if (inside == 0)
			made_use(file, path[0] == '<' ? path + 1 : members[i].type);
		else
			made_put(file, 4, file->at + 8 - file->unit);
		if (*offset == '!')
			made_block(file, offset + 1);
		else if (path[0] != '<' && *offset != '~')
			made_put(file, 4, strtoull(offset, NULL, 10));
		if (bits != NULL)
			made_put(file, 1, strtoull(bits + 1, NULL, 10));
		if (variant)
			made_put(file, 1, 0);
		if (inside == 0)
			continue;
		made_put(file, 1, 4);
		made_text(file, path);
		made_put(file, 4, 256);
		for (size_t j = i; j < i + inside; j++)
			members[j].path += part;
		made_members(file, members + i, inside);
		made_put(file, 1, 0);
	}
	if (variants)
		made_put(file, 1, 0);
}

/* The entry of a function, whose children follow, after the end of the function before it. */
static inline void
made_function(struct made_file *file, const char *name, uint64_t start, uint64_t size, const char *base)
{
	if (file->functions++ > 0)
		made_put(file, 1, 0);
	made_name(file, name);
	made_put(file, 1, *base != '\0' ? 2 : 31);
	made_text(file, name);
	made_word(file, start);
	made_put(file, 4, size);
	if (*base != '\0')
		made_block(file, base);
}

/* A call or its argument; `kind` begins with '>' or '<'. */
static inline void
made_call(struct made_file *file, const char *name, const char *kind, char *rest)
{
	const bool named = *name != '\0', gnu = kind[1] == '>', tail = kind[1 + gnu] == '\0';

	if (*kind == '<') {
		made_put(file, 1, named ? 30 : file->in_gnu_call ? 29 : 28);
		if (named)
			made_use(file, name);
		made_block(file, kind + 1);
		for (const char *block; (block = strsep(&rest, "|")) != NULL;)
			made_block(file, block);
		return;
	}
	const unsigned code = tail ? 26 : named ? 22 : 23;
	made_put(file, 1, !gnu ? code : tail ? 27 : code + 2);
	if (named)
		made_use(file, name);
	if (!tail) {
		made_word(file, strtoull(kind + 1 + gnu, NULL, 16));
		made_block(file, rest);
	}
	file->in_call = true;
	file->in_gnu_call = gnu;
}

/* The entry of a row; `kind` and the rest of the row are divided by '|'. */
static inline void
made_row(struct made_file *file, const char *name, char *rest)
{
	static const struct { char kind; uint8_t encoding; } numbers[] = { { 'i', 5 }, { 'u', 7 }, { 'c', 6 }, { 'C', 8 }, { 'f', 4 }, { 'b', 2 } };
	const char *kind = strsep(&rest, "|");

	if (file->in_call && kind[0] != '<') {
		made_put(file, 1, 0);
		file->in_call = false;
	}
	if (kind[0] == '-') {
		made_function(file, name, strtoull(kind + 1, NULL, 16), strtoull(strchr(kind, '+') + 1, NULL, 16), rest);
		return;
	}
	if (kind[0] == '>' || kind[0] == '<') {
		made_call(file, name, kind, rest);
		return;
	}
	made_name(file, name);
	if (strchr("@!#$_", kind[0]) != NULL) {
		made_put(file, 1, kind[0] == '#' ? 19 : kind[0] == '$' ? 20 : kind[0] == '_' ? 21 : 12);
		made_text(file, name);
		made_use(file, rest);
		if (kind[0] == '@') {
			made_put(file, 1, file->target.word + 1);
			made_put(file, 1, 3);
			made_word(file, strtoull(kind + 1, NULL, 16));
		} else if (kind[0] == '#') {
			made_signed(file, strtoll(kind + 1, NULL, 10));
		} else if (kind[0] != '_') {
			made_block(file, kind + 1);
		}
		return;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (kind[0] == numbers[i].kind) {
			made_put(file, 1, 3);
			made_text(file, name);
			made_put(file, 1, strtoull(kind + 1, NULL, 10));
			made_put(file, 1, numbers[i].encoding);
		}
	if (kind[0] == '?') {
		made_put(file, 1, 32);
		made_text(file, name);
	} else if (strchr("*=&", kind[0]) != NULL) {
		made_put(file, 1, kind[0] == '*' ? 8 : kind[0] == '=' ? 9 : 18);
		made_text(file, name);
		made_use(file, kind + 1);
	} else if (kind[0] == '[' && kind[1] >= '0' && kind[1] <= '9') {
		made_put(file, 1, 10);
		made_use(file, strchr(kind, ']') + 1);
		made_put(file, 1, 11);
		made_put(file, 4, strtoull(kind + 1, NULL, 10));
		made_put(file, 1, 0);
	} else if (kind[0] == '[') {
		char *of = strdup(kind + 1), *dimensions = strsep(&of, "]"), *list = dimensions;

		made_described(file, 1, of, strsep(&dimensions, ";"));
		for (char *one; (one = strsep(&dimensions, ";")) != NULL;)
			made_described(file, 0x21, NULL, one);
		made_put(file, 1, 0);
		free(list);
	} else if (kind[0] == '"') {
		char *list = strdup(kind + 1);

		made_described(file, 0x12, NULL, list);
		free(list);
	} else if (kind[0] == '{' || kind[0] == '(') {
		made_put(file, 1, kind[0] == '{' ? 4 : 5);
		made_text(file, name);
		made_put(file, 4, strtoull(kind + 1, NULL, 10));
		struct made_member members[MADE_MEMBERS];
		size_t count = 0;

		for (char *member; (member = strsep(&rest, "|")) != NULL; count++) {
			members[count].path = strsep(&member, "@");
			members[count].type = strsep(&member, "@");
			members[count].offset = member;
		}
		made_members(file, members, count);
		made_put(file, 1, 0);
	}
}

/* Each use of a type gets its place in the unit. */
static inline void
made_resolve(struct made_file *file)
{
	for (size_t i = 0; i < file->use_count; i++) {
		size_t type = 0;

		while (type < file->type_count && strcmp(file->types[type].name, file->uses[i].name) != 0)
			type++;
		if (type == file->type_count) {
			tap_diag("no type '%s'", file->uses[i].name);
			exit(1);
		}
		const size_t end = file->at;
		file->at = file->uses[i].at;
		made_put(file, 4, file->types[type].offset - file->unit);
		file->at = end;
	}
}

static inline void
made_section(struct made_file *file, unsigned name, unsigned type, unsigned flags, uint64_t address, size_t offset, size_t size)
{
	made_put(file, 4, name);
	made_put(file, 4, type);
	for (size_t i = 0; i < 4; i++)
		made_word(file, (const uint64_t[]){ flags, address, offset, size }[i]);
	made_put(file, 8, 0);
	made_word(file, 1);
	made_word(file, 0);
}

static inline void
made_segment(struct made_file *file, unsigned type, unsigned flags, uint64_t offset, uint64_t size, uint64_t alignment)
{
	made_put(file, 4, type);
	if (file->target.word == 8)
		made_put(file, 4, flags);
	for (size_t i = 0; i < 5; i++)
		made_word(file, i < 3 ? offset : size);
	if (file->target.word == 4)
		made_put(file, 4, flags);
	made_word(file, alignment);
}

/* The names of symbols and then their table, whose first entry is empty. Returns the table's place. */
static inline size_t
made_symbols(struct made_file *file, const char *const *rows)
{
	const size_t strings = file->at;
	size_t names[20], count = 0;

	made_put(file, 1, 0);
	for (size_t i = 0; rows[i] != NULL; i++) {
		const char *sign = strstr(rows[i], "|%");

		for (const char *at = rows[i]; sign != NULL && at <= sign; at++) {
			if (at == rows[i])
				names[count++] = file->at - strings;
			made_put(file, 1, at < sign ? (uint8_t)*at : 0);
		}
	}
	const size_t table = file->at;
	made_put(file, 8, 0);
	made_word(file, 0);
	made_word(file, 0);
	for (size_t i = 0, next = 0; next < count; i++) {
		const char *sign = strstr(rows[i], "|%");

		if (sign == NULL)
			continue;
		made_put(file, 4, names[next++]);
		made_put(file, 4, 0x00010011);	/* STT_OBJECT, STB_GLOBAL, section 1 */
		char *plus;
		made_word(file, strtoull(sign + 2, &plus, 16));
		made_word(file, *plus != '\0' ? strtoull(plus + 1, NULL, 16) : 8);
	}
	if (count == 0)
		file->at = table;
	return table;
}

/** Write the file of these rows for a module with the build ID 11111111 11111111 11111111 11111111. */
static inline void
made_write_for(const char *path, const char *const *rows, struct made_target target)
{
	static const char names[] = "\0.text\0.debug_abbrev\0.debug_info\0.shstrtab\0.note.gnu.build-id\0.symtab\0.strtab";
	const bool tls = target.tls_size != 0 || target.tls_alignment != 0;
	const unsigned head = target.word == 8 ? 64 : 52, segment = target.word == 8 ? 56 : 32, section = target.word == 8 ? 64 : 40;
	struct made_file *file = calloc(1, sizeof(*file));
	char row[1000];

	file->target = target;
	const size_t note = file->at = head + 3 * segment;
	made_put(file, 4, 4);
	made_put(file, 4, 16);
	made_put(file, 4, 3);
	made_text(file, "GNU");
	for (int i = 0; i < 16; i++)
		made_put(file, 1, target.id != 0 ? target.id : 0x11);
	const size_t unit = file->unit = file->at;
	made_put(file, 4, 0);
	made_put(file, 2, 4);
	made_put(file, 4, 0);
	made_put(file, 1, target.word);
	made_put(file, 1, 1);
	made_put(file, 1, strcmp(rows[0], "C++|:") == 0 ? 4 : 0);	/* DW_LANG_C_plus_plus, or none: as C */
	made_word(file, MADE_CODE);
	made_put(file, 4, MADE_CODE_END - MADE_CODE);
	for (size_t i = 0; rows[i] != NULL; i++) {
		char *rest = row;

		snprintf(row, sizeof(row), "%s", rows[i]);
		const char *name = strsep(&rest, "|");
		if (*rest == '^') {
			*rest = '@';
			made_row(file, name, rest);
		}
	}
	if (strstr(rows[0], "|-") == NULL)
		made_function(file, "stop", MADE_CODE, MADE_CODE_SIZE, "56");	/* the frame base is register 6: rbp of amd64 */
	for (size_t i = 0; rows[i] != NULL; i++) {
		char *rest = row;

		snprintf(row, sizeof(row), "%s", rows[i]);
		const char *name = strsep(&rest, "|");
		if (*rest != '+' && *rest != '%' && *rest != '^')
			made_row(file, name, rest);
	}
	if (file->in_call)
		made_put(file, 1, 0);
	for (size_t i = 0; rows[i] != NULL; i++) {
		const char *address = strstr(rows[i], "|+");

		if (address != NULL) {
			snprintf(row, sizeof(row), "%.*s", (int)(address - rows[i]), rows[i]);
			made_function(file, row, strtoull(address + 2, NULL, 16), MADE_CODE_SIZE, "56");
		}
	}
	made_put(file, 2, 0);
	const size_t end = file->at;
	file->at = unit;
	made_put(file, 4, end - unit - 4);
	file->at = end;
	made_resolve(file);
	/* The last byte of made_abbreviations ends the list. */
	const size_t fixed = sizeof(made_abbreviations) - 1, size_of_abbreviations = fixed + file->abbreviated + 1;
	memcpy(file->bytes + file->at, made_abbreviations, fixed);
	memcpy(file->bytes + file->at + fixed, file->abbreviations, file->abbreviated);
	const size_t text = end + size_of_abbreviations;
	memcpy(file->bytes + text, names, sizeof(names));
	const size_t strings = file->at = text + sizeof(names);
	const size_t symbols = made_symbols(file, rows);
	const size_t table = file->at;
	file->at = table + section;
	made_section(file, 1, target.id == 0 ? 8 : 1, 6, MADE_CODE, target.id == 0 ? 0 : MADE_CODE, MADE_CODE_END - MADE_CODE);
	made_section(file, 7, 1, 0, 0, end, size_of_abbreviations);
	made_section(file, 21, 1, 0, 0, unit, end - unit);
	made_section(file, 33, 3, 0, 0, text, sizeof(names));
	made_section(file, 43, 7, 2, note, note, unit - note);
	made_section(file, 62, 2, 0, 0, symbols, table - symbols);
	made_section(file, 70, 3, 0, 0, strings, symbols - strings);
	const size_t size = file->at > MADE_CODE_END ? file->at : MADE_CODE_END;
	memcpy(file->bytes, "\177ELF", 4);
	file->at = 4;
	made_put(file, 1, target.word / 4);
	made_put(file, 1, target.big_endian ? 2 : 1);
	made_put(file, 1, 1);
	file->at = 16;
	made_put(file, 2, 3);
	made_put(file, 2, target.machine);
	made_put(file, 4, 1);
	made_word(file, 0);
	made_word(file, head);
	made_word(file, table);
	made_put(file, 4, 0);
	for (size_t i = 0; i < 6; i++)
		made_put(file, 2, (const unsigned[]){ head, segment, tls ? 3 : 2, section, symbols < table ? 8 : 6, 4 }[i]);
	made_segment(file, 1, 5, 0, MADE_CODE_END, 4096);
	made_segment(file, 4, 4, note, unit - note, 4);
	if (tls)
		made_segment(file, 7, 4, 0, target.tls_size, target.tls_alignment);
	FILE *out = fopen(path, "wb");
	if (out == NULL || fwrite(file->bytes, 1, size, out) != size || fclose(out) != 0)
		exit(1);
	free(file);
}

static inline void
made_write(const char *path, const char *const *rows)
{
	made_write_for(path, rows, (struct made_target){ .machine = 62, .word = 8 });
}

static inline void
made_module(struct synth *synth)
{
	synth_module(synth, 0x400000, 0x4000, "/app/made", "made", "111111111111111111111111111111110");
}

struct made {
	struct staged staged;
	struct memory_view view;
	struct value_frame *frame;
	struct arena arena;
};

/**
 * A thread of a program with these types, at 401010. Its memory is from 402000 to 409000; addresses of words in `memory` are
 * relative to 400000. A big-endian program runs on a ppc64.
 */
static inline void
made_open_ordered(struct made *made, const char *const *rows, const char *registers, const char *memory, bool big_endian)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	char words[1000] = "";
	const struct scene scene = { big_endian ? ARCH_PPC64 : ARCH_AMD64, CRASH_OS_LINUX, registers, 0x402000, 0x7000, words,
				     .more = made_module, .binaries = "" };
	size_t used = 0;

	for (; *memory != '\0'; memory += strcspn(memory, " "), memory += strspn(memory, " "))
		used += (size_t)snprintf(words + used, sizeof(words) - used, "40%.*s ", (int)strcspn(memory, " "), memory);
	scene_enter_folder();
	made_write_for("nothing/made", rows, (struct made_target){ .machine = big_endian ? 21 : 62, .word = 8, .big_endian = big_endian });
	made->arena = (struct arena){ 0 };
	scene_open_ordered(&made->staged, &scene, big_endian);
	made->staged.scene = NULL;
	made->staged.walk = walk_create(&made->staged.crash, made->staged.symbols, made->staged.binaries, 0, &policy);
	walk_run(made->staged.walk, 0);
	made->view = made->staged.walk->memory;
	made->frame = frame_variables_of(made->staged.walk, &made->view, 0, &made->arena);
	unlink("nothing/made");
}

static inline void
made_open(struct made *made, const char *const *rows, const char *memory)
{
	made_open_ordered(made, rows, "rip=401010 rsp=408000", memory, false);
}

static inline void
made_close(struct made *made)
{
	arena_free(&made->arena);
	scene_close(&made->staged);
}

#endif
