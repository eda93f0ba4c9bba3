/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_FIELD_H
#define DUMP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/reader.h"

/**
 * The layout of a structure in a dump: a table with a row for each field. The structure is read,
 * written and described by its table. A field has its name from Breakpad's minidump_format.h
 * or minidump_cpu_*.h, if they list it.
 */

/** The meaning of a number: one of some values, or a set of bits. */
struct meaning {
	uint64_t value;
	const char *text;
};

struct meanings {
	const struct meaning *rows;
	size_t count;
	bool bits;		/* rows are bits that may occur together */
	uint64_t mask;		/* these bits together are one value */
};

#define VALUES(table) (&(const struct meanings){ (table), ARRAY_COUNT(table), false, 0 })
#define BITS(table) (&(const struct meanings){ (table), ARRAY_COUNT(table), true, 0 })
#define BITS_AND(table, mask) \
	(&(const struct meanings){ (table), ARRAY_COUNT(table), true, (mask) })

/** The text of a value, or NULL. */
const char *
meaning_text(const struct meanings *meanings, uint64_t value);

enum field_kind {
	FIELD_DECIMAL,
	FIELD_SIGNED,
	FIELD_HEX,
	FIELD_SECONDS,		/* since 1970 */
	FIELD_FILETIME,		/* 100 ns since 1601 */
	FIELD_TICKS,		/* units of 100 ns */
	FIELD_ADDRESS,		/* in the process */
	FIELD_THREAD,
	FIELD_PAIR,		/* two u32, high and low half */
	FIELD_WIDE,		/* a number of 16 bytes */
	FIELD_GUID,
	FIELD_DATE,		/* SYSTEMTIME */
	FIELD_UTF16,		/* characters up to a NUL, inline */
	FIELD_BYTES,
	FIELD_REAL,		/* an IEEE double or float */
};

/** One row of a table: a field's layout in its structure, and its meaning. */
struct field {
	uint32_t offset;
	uint32_t size;		/* bytes of one element */
	enum field_kind kind;
	const char *name;
	const struct meanings *meanings;
	uint32_t count;		/* elements name[0], name[1], ...; 0: not an array */
	bool key;		/* identifies its structure in a list */
	bool numbered;		/* elements of the array are name0, name1, ... */
	uint8_t from;		/* number of the first element, if they are numbered */
	uint8_t reg;		/* 1 + number of the (first) register in a context; 0: none */
	uint32_t stride;	/* bytes from one element to the next; 0: `size` */
	uint32_t flag;		/* the field is valid if its structure has this flag; 0: always */
	const char *string;	/* name of the UTF-16 string whose rva is the number; NULL: none */
	uint16_t into;		/* offset of the member for fields_read(), set by INTO */
	uint16_t room;		/* bytes of the member; 0: not read */
};

/** The target of a value in fields_read: a structure's member, or an array's first element. */
#define INTO(type, member) .into = offsetof(type, member), .room = sizeof(((type *)0)->member)

/** The two fields of a location descriptor: size and offset in the file. */
#define LOCATION(offset, kind, name_, type, member)					\
	{ offset, 4, kind, .name = name_ ".data_size", INTO(type, member.size) },	\
	{ (offset) + 4, 4, FIELD_HEX, .name = name_ ".rva", INTO(type, member.rva) }

/** A structure of a dump: its fields, and its complete size in bytes, if known. */
struct structure {
	const struct field *rows;
	size_t count;
	uint32_t size;
};

/** Name the elements of an array name0, name1, ...; `first` is the number of the first element. */
#define NUMBERED(elements, first) .count = (elements), .numbered = true, .from = (first)

/** A table as a struct structure. STRUCTURE and FIELD_TABLE are initialisers, FIELDS is a value. */
#define STRUCTURE(table, bytes) { (table), ARRAY_COUNT(table), (bytes) }
#define FIELD_TABLE(table) STRUCTURE(table, 0)
#define FIELDS(table) ((struct structure)FIELD_TABLE(table))

/**
 * Read the fields of a structure that have a place in `model`. Fields beyond `window` stay
 * unchanged; false if there are any.
 */
bool
fields_read(const struct structure *structure, const struct reader *window, void *model);

/** The number in the field `name`; 0 if `window` is too short. The table must have the field. */
uint64_t
fields_number(struct structure structure, const char *name, const struct reader *window);

/** Write the fields of `model` to `bytes`, which have room for the whole structure. */
void
fields_write(const struct structure *structure, const void *model, bool big_endian,
	     uint8_t *bytes);

#define GUID_TEXT 37

/** Write the GUID at an offset as text with dashes. Its numbers have the reader's byte order. */
void
field_guid(const struct reader *reader, uint64_t offset, char text[GUID_TEXT]);

/**
 * Copy numbers to the fields of the same name in another layout, in the byte order of the window.
 * Arrays are skipped, and fields with `reg` in the other layout (segment registers have no `reg`).
 */
void
fields_copy(const struct structure *from, const struct reader *window, const struct structure *to,
	    uint8_t *bytes);

/** A size and an offset in the file ("location descriptor"). */
struct descriptor {
	uint32_t size;
	uint32_t rva;
};

/** The beginning of a list. */
enum list_form {
	LIST_NONE,			/* the stream is one structure */
	LIST_COUNTED,		/* u32 count; four bytes may follow, which align the entries */
	LIST_HEADED,		/* u32 size of header, u32 size of entry, u32 count */
	LIST_HEADED_WIDE,	/* LIST_HEADED with a u64 count */
};

struct describe;

/** Describe one entry of a list beyond its fields (describe_internal.h). */
typedef void describe_tell(struct describe *describe, const struct reader *entry, uint64_t index);

/** A stream that is one structure, or a list of equal structures. */
struct list_layout {
	enum list_form form;
	const char *name;		/* an entry's name: "thread" */
	const char *count;		/* the name of the count: "thread_count" */
	/* Layout of an entry; if the list has a header, the header gives the entries' real size */
	struct structure entry;
	uint32_t limit;			/* largest number of entries in the model; 0: no limit */
	describe_tell *tell;		/* or NULL */
};

struct list {
	struct reader entries;
	uint64_t count;			/* number of entries in the file */
	uint64_t claimed;		/* number of entries according to the list */
	uint64_t entry_size;
	uint32_t header;		/* bytes before the first entry */
};

enum list_state {
	LIST_OPEN,
	LIST_NO_HEADER,			/* the stream is too short for a header */
	LIST_BAD_HEADER,		/* sizes in the header are smaller than possible */
};

/** Open a list of `stream_size` bytes; `window` has the part that is in the file. */
enum list_state
list_open(const struct list_layout *layout, const struct reader *window, uint64_t stream_size,
	  struct list *list);

/** Lower list->count to the number of claimed entries at `offset` that exist. */
void
list_clip(struct list *list, const struct reader *window, uint64_t offset);

/** The minimum size in bytes of a list's header. */
unsigned
list_header_size(const struct list_layout *layout);

/** The window of one entry; `index` is below list->count. */
struct reader
list_entry(const struct list *list, uint64_t index);

#endif
