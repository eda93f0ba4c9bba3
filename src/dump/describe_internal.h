/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_DESCRIBE_INTERNAL_H
#define DUMP_DESCRIBE_INTERNAL_H

#include "base/compiler.h"
#include "dump/describe.h"
#include "dump/field.h"
#include "dump/minidump_internal.h"

/**
 * What describers share. A describer is a member of a row of the stream table in
 * minidump.c; most are tables of fields and a loop.
 */

struct describe {
	const struct crash *crash;
	const struct stream *stream;
	const struct describe_sink *sink;
	struct arena arena;			/* texts of the record in hand */
	enum describe_detail detail[DESCRIBE_DEPTH + 1];
	unsigned depth;
	uint64_t text_left;			/* bytes of strings that may still be told */
	uint64_t links_left;			/* see describe_link */
	bool loading;				/* the loader makes annotations of the values */
};

/** Tell what the bytes of a stream hold while the dump is loaded, with what is wrong. */
void
describe_loading(const struct crash *crash, const struct stream *stream,
		 const struct reader *window, const struct describe_sink *sink);

/** Begin a record; false where the sink does not want it. Else describe_end ends it. */
bool
describe_begin(struct describe *describe, struct describe_record record);

void
describe_end(struct describe *describe);

/** Whether the record in hand is told with all its values and records. */
bool
describe_whole(const struct describe *describe);

void
describe_value(struct describe *describe, struct describe_value value);

/** Tell what is wrong at `place`, as a value `name` and as a message. */
void
describe_broken(struct describe *describe, const char *name, struct place place,
		const char *format, ...) ATTRIBUTE_PRINTF(4, 5);

/** Tell the fields of a structure; those that `window` has no room for are left out. */
void
describe_fields(struct describe *describe, struct field_table fields, const struct reader *window);

/** The same with a word where the structure is cut: `size` bytes are expected. */
void
describe_structure(struct describe *describe, struct field_table fields, const struct reader *window,
		   uint64_t size);

/** What `number` means, or NULL; lives until the record ends. */
const char *
describe_meaning(struct describe *describe, const struct meanings *meanings, uint64_t number);

/** Tell the UTF-16 or UTF-8 string at `rva` as a derived value; nothing where rva is 0. */
void
describe_string(struct describe *describe, const char *name, uint64_t rva, bool key);

void
describe_utf8(struct describe *describe, const char *name, uint64_t rva, bool key);

/** The UTF-8 string at `rva`, or NULL. */
const char *
describe_utf8_text(struct describe *describe, uint64_t rva, struct place *place);

/** A derived value of text; nothing where it is NULL or empty. */
void
describe_text(struct describe *describe, const char *name, enum describe_kind kind,
	      const char *text, struct place place);

/** Tell bytes of the window. */
void
describe_bytes(struct describe *describe, const char *name, const struct reader *window,
	       uint64_t offset, uint64_t size);

/** Tell bytes of the file at a location, clipped to it; nothing where it is empty. */
void
describe_data(struct describe *describe, const char *name, uint64_t offset, uint64_t size);

/** The bytes of the file at a location; false, with a broken value, where it has none. */
bool
describe_window(struct describe *describe, const char *name, struct location location,
		struct reader *window);

/** A list that is open: its entries follow each other. */
struct describe_list {
	struct reader entries;
	uint64_t count;
	uint64_t entry_size;
};

/** A list of a u32 count and entries, with or without four bytes between; tells `name`. */
bool
describe_open_list(struct describe *describe, const struct reader *window, uint64_t entry_size,
		   const char *name, struct describe_list *list);

/**
 * A list with a header {size of header, size of entry, count}; tells them. `wide`: the count
 * has 8 bytes.
 */
bool
describe_open_headed(struct describe *describe, const struct reader *window, bool wide,
		     uint64_t least, struct describe_list *list);

/** Clip `claimed` entries at `offset` of the window to those that are there. */
void
describe_clip(struct describe *describe, const struct reader *window, uint64_t offset,
	      uint64_t claimed, struct describe_list *list);

struct reader
describe_entry(const struct describe_list *list, uint64_t index);

/**
 * Whether one more structure that entries only point to may be looked at: many entries may
 * point to one long list. False, once with a broken value, where the limit is reached.
 */
bool
describe_link(struct describe *describe, const char *name);

/**
 * Cut the bytes of a string to LIMIT_STRING and take them from what may still be told. False,
 * with a broken value, where that is used up.
 */
bool
describe_take_text(struct describe *describe, const char *name, struct reader *bytes);

/** Begin the record of an entry. */
bool
describe_begin_entry(struct describe *describe, const char *name, uint64_t index,
		     const struct reader *entry);

/* describe_context.c */

/** Tell the CPU context at a location as a record `name`; nothing where it is empty. */
void
describe_context(struct describe *describe, const char *name, struct location location);

/** Tell what the bytes of a context of `size` bytes hold; nothing where they fit no layout. */
void
describe_registers(struct describe *describe, const struct reader *bytes, uint32_t size);

/* Describers: see minidump.c's table for their streams. */

#define DECLARE_DESCRIBER(name)								\
	void										\
	name(struct describe *describe, const struct reader *window)

DECLARE_DESCRIBER(describe_thread_list);
DECLARE_DESCRIBER(describe_thread_ex_list);
DECLARE_DESCRIBER(describe_thread_names);
DECLARE_DESCRIBER(describe_thread_info);
DECLARE_DESCRIBER(describe_module_list);
DECLARE_DESCRIBER(describe_unloaded_modules);
DECLARE_DESCRIBER(describe_memory_list);
DECLARE_DESCRIBER(describe_memory_64_list);
DECLARE_DESCRIBER(describe_memory_info);
DECLARE_DESCRIBER(describe_system_memory);
DECLARE_DESCRIBER(describe_vm_counters);
DECLARE_DESCRIBER(describe_exception);
DECLARE_DESCRIBER(describe_system_info);
DECLARE_DESCRIBER(describe_misc_info);
DECLARE_DESCRIBER(describe_breakpad_info);
DECLARE_DESCRIBER(describe_assertion);
DECLARE_DESCRIBER(describe_comment_a);
DECLARE_DESCRIBER(describe_comment_w);
DECLARE_DESCRIBER(describe_handle_data);
DECLARE_DESCRIBER(describe_handle_operations);
DECLARE_DESCRIBER(describe_function_table);
DECLARE_DESCRIBER(describe_token);
DECLARE_DESCRIBER(describe_lines);
DECLARE_DESCRIBER(describe_colon_pairs);
DECLARE_DESCRIBER(describe_equal_pairs);
DECLARE_DESCRIBER(describe_environment);
DECLARE_DESCRIBER(describe_command_line);
DECLARE_DESCRIBER(describe_auxv);
DECLARE_DESCRIBER(describe_maps);
DECLARE_DESCRIBER(describe_dso_debug);
DECLARE_DESCRIBER(describe_limits);
DECLARE_DESCRIBER(describe_crashpad);
DECLARE_DESCRIBER(describe_mac_crash_info);
DECLARE_DESCRIBER(describe_mac_boot_arguments);
DECLARE_DESCRIBER(describe_whole_text);
DECLARE_DESCRIBER(describe_number);
DECLARE_DESCRIBER(describe_raw);
DECLARE_DESCRIBER(describe_microdump);
DECLARE_DESCRIBER(describe_marker);

#undef DECLARE_DESCRIBER

#endif
