/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_FIELD_H
#define DUMP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/**
 * How a structure lies in a dump: a table with a row for each field. Whoever reads, writes or
 * describes the structure does so by its table. Names are those of Breakpad's minidump_format.h
 * and minidump_cpu_*.h where they have one.
 */

/** What a number means: one of some values, or a set of bits. */
struct meaning {
	uint64_t value;
	const char *text;
};

struct meanings {
	const struct meaning *rows;
	size_t count;
	bool bits;		/* rows are bits that may come together */
	uint64_t mask;		/* of bits: these are one of some values, not bits */
};

#define VALUES(table) (&(const struct meanings){ (table), ARRAY_COUNT(table), false, 0 })
#define BITS(table) (&(const struct meanings){ (table), ARRAY_COUNT(table), true, 0 })
#define BITS_AND(table, mask) \
	(&(const struct meanings){ (table), ARRAY_COUNT(table), true, (mask) })

enum field_kind {
	FIELD_DECIMAL,
	FIELD_SIGNED,
	FIELD_HEX,
	FIELD_SECONDS,		/* since 1970 */
	FIELD_FILETIME,		/* 100 ns since 1601 */
	FIELD_TICKS,		/* of 100 ns */
	FIELD_ADDRESS,		/* of the process */
	FIELD_THREAD,		/* an id */
	FIELD_PAIR,		/* two u32, high and low half */
	FIELD_WIDE,		/* a number of 16 bytes */
	FIELD_GUID,
	FIELD_DATE,		/* SYSTEMTIME */
	FIELD_UTF16,		/* characters up to a NUL, inline */
	FIELD_BYTES,
	FIELD_REAL,		/* an IEEE double or float */
};

/** One row of a table: how a field lies in its structure and what it means. */
struct field {
	uint32_t offset;
	uint32_t size;		/* bytes of one */
	enum field_kind kind;
	const char *name;
	const struct meanings *meanings;
	uint32_t count;		/* of an array: name[0], name[1], ...; 0: no array */
	bool key;		/* tells its structure apart from others of a list */
	bool numbered;		/* elements of the array are name0, name1, ... */
	uint8_t from;		/* or count from this number on */
	uint8_t reg;		/* of a context: number of the (first) register, plus 1; 0: none */
	uint32_t stride;	/* bytes from one element to the next; 0: its size */
};

struct field_table {
	const struct field *rows;
	size_t count;
};

/** Elements of an array that are called name0, name1, ..., or from another number on. */
#define NUMBERED(elements, first) .count = (elements), .numbered = true, .from = (first)

/** A table as the value of a member, and in an expression. */
#define FIELD_TABLE(table) { (table), ARRAY_COUNT(table) }
#define FIELDS(table) ((struct field_table){ (table), ARRAY_COUNT(table) })

#endif
