/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * An ELF file with DWARF 4 that is made from rows. Its only function begins at the first byte of the code.
 *
 *	NAME|KIND[|MEMBER@TYPE@OFFSET...]	a type; types that it names may follow later
 *	NAME|@ADDRESS|TYPE			a variable in memory, of the function
 *	NAME|!BYTES|TYPE			a variable with this location expression in hexadecimal
 *
 * KIND: i4, u4, c1, f8 and b1 are numbers of so many bytes, *TYPE is a pointer, =TYPE another name, [N]TYPE an
 * array, {SIZE a structure and (SIZE a union. A member a.b is in an unnamed structure a, ^ is a base class, and < an
 * argument of a template, which has no offset.
 */
#ifndef TESTS_UNIT_INSPECT_MADE_TYPES_H
#define TESTS_UNIT_INSPECT_MADE_TYPES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

#define MADE_CODE 0x1000u
#define MADE_CODE_SIZE 0x100u
#define MADE_NAMES 200

struct made_file {
	uint8_t bytes[32768];
	size_t at, unit;
	/* Types by their names, and the places that name them. */
	struct { char name[96]; size_t offset; } types[MADE_NAMES];
	struct { char name[96]; size_t at; } uses[2 * MADE_NAMES];
	size_t type_count, use_count;
};

static inline void
made_put(struct made_file *file, unsigned size, uint64_t value)
{
	if (file->at + size > sizeof(file->bytes))
		exit(1);
	for (unsigned i = 0; i < size; i++)
		file->bytes[file->at++] = (uint8_t)(value >> 8 * i);
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
 * 12 variable, 13 argument of a template. */
static const uint8_t made_abbreviations[] = {
	1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0, 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0x40, 0x18, 0, 0,
	3, 0x24, 0, 3, 8, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0, 4, 0x13, 1, 3, 8, 0x0b, 6, 0, 0, 5, 0x17, 1, 3, 8, 0x0b, 6, 0, 0,
	6, 0x0d, 0, 3, 8, 0x49, 0x13, 0x38, 6, 0, 0, 7, 0x1c, 0, 0x49, 0x13, 0x38, 6, 0, 0, 8, 0x0f, 0, 3, 8, 0x49, 0x13, 0, 0,
	9, 0x16, 0, 3, 8, 0x49, 0x13, 0, 0, 10, 1, 1, 0x49, 0x13, 0, 0, 11, 0x21, 0, 0x37, 6, 0, 0,
	12, 0x34, 0, 3, 8, 0x49, 0x13, 2, 0x18, 0, 0, 13, 0x2f, 0, 0x49, 0x13, 0, 0, 0,
};

#define MADE_MEMBERS 16

struct made_member {
	char *path, *type, *offset;
};

/* The entries of members. Those whose paths have the same beginning follow each other. */
static inline void
made_members(struct made_file *file, struct made_member *members, size_t count)
{
	for (size_t i = 0, inside; i < count; i += inside > 0 ? inside : 1) {
		char *path = members[i].path;
		const size_t length = strcspn(path, "."), part = length + 1;

		for (inside = 0; path[length] == '.' && i + inside < count; inside++)
			if (strncmp(members[i + inside].path, path, part) != 0)
				break;
		path[length] = '\0';
		made_put(file, 1, path[0] == '^' ? 7 : path[0] == '<' ? 13 : 6);
		if (path[0] != '^' && path[0] != '<')
			made_text(file, path);
		if (inside == 0)
			made_use(file, path[0] == '<' ? path + 1 : members[i].type);
		else
			made_put(file, 4, file->at + 8 - file->unit);
		if (path[0] != '<')
			made_put(file, 4, inside > 0 ? 0 : strtoull(members[i].offset, NULL, 10));
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
}

/* The entry of a row; `kind` and the rest of the row are divided by '|'. */
static inline void
made_row(struct made_file *file, const char *name, char *rest)
{
	static const struct { char kind; uint8_t encoding; } numbers[] = { { 'i', 5 }, { 'u', 7 }, { 'c', 6 }, { 'f', 4 }, { 'b', 2 } };
	const char *kind = strsep(&rest, "|");

	if (kind[0] == '@') {
		made_put(file, 1, 12);
		made_text(file, name);
		made_use(file, rest);
		made_put(file, 2, 0x0309);
		made_put(file, 8, strtoull(kind + 1, NULL, 16));
		return;
	}
	if (kind[0] == '!') {
		made_put(file, 1, 12);
		made_text(file, name);
		made_use(file, rest);
		made_put(file, 1, strlen(kind) / 2);
		for (unsigned byte; sscanf(++kind, "%2x", &byte) == 1; kind++)
			made_put(file, 1, byte);
		return;
	}
	snprintf(file->types[file->type_count].name, sizeof(file->types[0].name), "%s", name);
	file->types[file->type_count++].offset = file->at;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (kind[0] == numbers[i].kind) {
			made_put(file, 1, 3);
			made_text(file, name);
			made_put(file, 1, strtoull(kind + 1, NULL, 10));
			made_put(file, 1, numbers[i].encoding);
		}
	if (kind[0] == '*' || kind[0] == '=') {
		made_put(file, 1, kind[0] == '*' ? 8 : 9);
		made_text(file, name);
		made_use(file, kind + 1);
	} else if (kind[0] == '[') {
		made_put(file, 1, 10);
		made_use(file, strchr(kind, ']') + 1);
		made_put(file, 1, 11);
		made_put(file, 4, strtoull(kind + 1, NULL, 10));
		made_put(file, 1, 0);
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
	made_put(file, 8, flags);
	made_put(file, 8, address);
	made_put(file, 8, offset);
	made_put(file, 8, size);
	made_put(file, 8, 0);
	made_put(file, 8, 1);
	made_put(file, 8, 0);
}

/** Write the file of these rows for a module with the build ID 11111111 11111111 11111111 11111111. */
static inline void
made_write(const char *path, const char *const *rows)
{
	static const char names[] = "\0.text\0.debug_abbrev\0.debug_info\0.shstrtab\0.note.gnu.build-id";
	struct made_file *file = calloc(1, sizeof(*file));
	char row[1000];

	file->at = 64 + 2 * 56;
	const size_t note = file->at;
	made_put(file, 4, 4);
	made_put(file, 4, 16);
	made_put(file, 4, 3);
	made_text(file, "GNU");
	for (int i = 0; i < 16; i++)
		made_put(file, 1, 0x11);
	const size_t abbreviations = file->at;
	memcpy(file->bytes + file->at, made_abbreviations, sizeof(made_abbreviations));
	file->at += sizeof(made_abbreviations);
	const size_t unit = file->unit = file->at;
	made_put(file, 4, 0);
	made_put(file, 2, 4);
	made_put(file, 4, 0);
	made_put(file, 1, 8);
	for (unsigned code = 1; code <= 2; code++) {
		made_put(file, 1, code);
		if (code == 2)
			made_text(file, "stop");
		made_put(file, 8, MADE_CODE);
		made_put(file, 4, MADE_CODE_SIZE);
	}
	made_put(file, 2, 0x5601);	/* the frame base is the register rbp */
	for (size_t i = 0; rows[i] != NULL; i++) {
		char *rest = row;

		snprintf(row, sizeof(row), "%s", rows[i]);
		const char *name = strsep(&rest, "|");
		made_row(file, name, rest);
	}
	made_put(file, 2, 0);
	const size_t end = file->at;
	file->at = unit;
	made_put(file, 4, end - unit - 4);
	file->at = end;
	made_resolve(file);
	memcpy(file->bytes + file->at, names, sizeof(names));
	const size_t table = end + sizeof(names);
	file->at = table + 64;
	made_section(file, 1, 8, 6, MADE_CODE, 0, MADE_CODE_SIZE);
	made_section(file, 7, 1, 0, 0, abbreviations, sizeof(made_abbreviations));
	made_section(file, 21, 1, 0, 0, unit, end - unit);
	made_section(file, 33, 3, 0, 0, end, sizeof(names));
	made_section(file, 43, 7, 2, note, note, abbreviations - note);
	const size_t size = file->at;
	file->at = 0;
	for (const char *head = "\177ELF\2\1\1"; *head != '\0'; head++)
		made_put(file, 1, (uint8_t)*head);
	file->at = 16;
	made_put(file, 4, 0x3e0003);
	made_put(file, 4, 1);
	made_put(file, 8, 0);
	made_put(file, 8, 64);
	made_put(file, 8, table);
	made_put(file, 4, 0);
	made_put(file, 8, 0x0040000200380040);
	made_put(file, 4, 0x00040006);
	file->at = 64;
	made_put(file, 8, UINT64_C(5) << 32 | 1);
	for (int i = 0; i < 3; i++)
		made_put(file, 8, 0);
	made_put(file, 8, MADE_CODE + MADE_CODE_SIZE);
	made_put(file, 8, MADE_CODE + MADE_CODE_SIZE);
	made_put(file, 8, 4096);
	made_put(file, 8, UINT64_C(4) << 32 | 4);
	for (int i = 0; i < 3; i++)
		made_put(file, 8, note);
	made_put(file, 8, abbreviations - note);
	made_put(file, 8, abbreviations - note);
	made_put(file, 8, 4);
	FILE *out = fopen(path, "wb");
	if (out == NULL || fwrite(file->bytes, 1, size, out) != size || fclose(out) != 0)
		exit(1);
	free(file);
}

#endif
