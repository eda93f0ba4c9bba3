/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/value/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/variable/dynamic_type.h"
#include "inspect/variable/library_value.h"
#include "inspect/variable/lock_value.h"
#include "report/report.h"
#include "report/value/value_parts.h"

/* Limits: bytes of a value in JSON and in text; number of members or elements. */
enum { MOST_BYTES = 4096, MOST_SHOWN_BYTES = 16, MOST_PARTS = 64 };
/* Limits in bytes: text of a result; text of a value that the result was computed from. */
enum { MOST_TEXT = 400, MOST_USE = 60 };

struct evaluated
evaluated_of(const struct variable_value *found, struct arena *arena)
{
	static const struct value_text_options plain = { .reasons = false },
					       library = { .library = true };
	const struct typed_value *value = &found->value;
	struct typed_value object = *value;
	char number[32];
	const char *why;
	struct evaluated written = {
		.type = value->type->name, .how = found->how, .location = found->location,
		.result = found->result, .value = value_text(value, &plain, arena),
		.absent = value->why, .pretty = value_text(value, &library, arena) };

	if (strcmp(written.pretty, written.value) == 0)
		written.pretty = NULL;
	if (value_text_number(value, number, sizeof(number)))
		written.number = arena_string(arena, number);
	if (value->type->kind == DEBUG_TYPE_REFERENCE && value->why == NULL)
		object = value_pointed(value, value->type, arena);
	written.has_address = object.in_memory && object.why == NULL;
	written.address = object.address;
	const uint8_t *bytes = value->frame->walk->crash->redacted || !value->type->has_size ||
					       value->type->size > MOST_BYTES
				       ? NULL
				       : value_bytes(&object, value->type->size, arena, &why);
	if (bytes != NULL)
		written.bytes = text_hex(bytes, (size_t)value->type->size,
					 arena_alloc(arena, 2 * (size_t)value->type->size + 1));
	return written;
}

/* Text ----------------------------------------------------------------------------------------- */

static void
lead_to(struct line *line, const struct typed_value *value)
{
	if (line == NULL || !value->in_memory || value->why != NULL)
		return;
	line->target = TARGET(TARGET_MEMORY, .address = value->address);
	line->place = memory_place(value->frame->memory, value->address,
				   value->type->size > 0 ? value->type->size : 1);
}

static const char *
text_of_value(const struct typed_value *value, size_t most, struct arena *arena)
{
	const struct value_text_options options = { .reasons = true, .library = true,
						    .most = most };

	return value_text(value, &options, arena);
}

static const char memory[] = "memory at ";

/* The place of a value in words: "memory at 7ffe10, 8 bytes". */
static const char *
where_of(const struct variable_value *found, struct arena *arena)
{
	const struct typed_value *value = &found->value;
	const int digits = report_digits(value->frame->walk->arch);

	if (value->why != NULL)
		return found->how;
	if (!value->in_memory)
		return found->how != NULL ? found->how : "computed; it is stored nowhere";
	const char *bits = value->is_bits
				   ? arena_format(arena, ", %" PRIu64 " bit%s from bit %" PRIu64,
						  value->bits, plural(value->bits),
						  value->bit_offset) : "";
	/* The way an address was computed: "memory at .cfa 40 -". */
	const char *how = found->how != NULL ? strrchr(found->how, ' ') : NULL;
	const bool computed = how != NULL && strncmp(found->how, memory, sizeof(memory) - 1) == 0 &&
			      how >= found->how + sizeof(memory) - 1;
	return arena_format(arena, "%s%0*" PRIx64 ", %" PRIu64 " byte%s%s%s%s", memory, digits,
			    value->address, value->type->size, plural(value->type->size),
			    text_or_empty(bits),
			    computed ? ": " : "", computed ? found->how + sizeof(memory) - 1 : "");
}

/* Adds a line for each member or element. The text of a library type already has them all. */
static void
add_parts(struct lines *lines, const struct typed_value *value)
{
	const enum debug_type_kind kind = value->type->kind;
	struct arena *arena = lines->arena;
	const struct debug_type *element =
		kind == DEBUG_TYPE_ARRAY ? debug_type_target(value->type, arena) : NULL;
	const bool letters = element != NULL && element->kind == DEBUG_TYPE_CHARACTER;
	struct library_value library;

	if (letters || kind == DEBUG_TYPE_POINTER || kind == DEBUG_TYPE_REFERENCE ||
	    library_value_of(value, arena, &library))
		return;
	const struct value_parts parts = value_parts_of(value, arena);
	for (size_t i = 0; i < parts.count && i < MOST_PARTS; i++) {
		const struct value_part *part = &parts.items[i];

		lead_to(lines_add_format(lines, i == 0 ? "parts" : NULL, ROLE_NORMAL, "%s = %s",
					 part->name,
					 text_of_value(&part->value, MOST_TEXT, arena)),
			&part->value);
	}
}

static void
add_bytes(struct lines *lines, const struct typed_value *value)
{
	const uint64_t size = value->type->size < MOST_SHOWN_BYTES ? value->type->size
								   : MOST_SHOWN_BYTES;
	char text[3 * MOST_SHOWN_BYTES + 8] = "";
	const char *why;
	const uint8_t *bytes = value->type->has_size && size > 0 && !value->is_bits
				       ? value_bytes(value, size, lines->arena, &why) : NULL;

	if (bytes == NULL)
		return;
	for (size_t i = 0; i < size; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	text[3 * size - 1] = '\0';
	lead_to(lines_add_format(lines, "bytes", ROLE_NORMAL, "%s%s", text,
				 value->type->size > size ? " ..." : ""), value);
}

/* Adds a value that the result was computed from. */
static void
add_use(struct lines *lines, const char *label, const struct value_use *use)
{
	const struct typed_value *value = &use->value.value;
	struct arena *arena = lines->arena;
	const char *where = value->why != NULL	   ? NULL
			    : use->value.how != NULL ? use->value.how
			    : value->in_memory	   ? where_of(&use->value, arena) : NULL;
	struct line *line = lines_add_format(
		lines, label, ROLE_NORMAL, "%.*s = %s%s%s%s%s%s", (int)use->text.length,
		use->text.start,
		text_of_value(value, value->why != NULL ? MOST_TEXT : MOST_USE, arena),
		where != NULL ? "  [" : "", text_or_empty(where), where != NULL ? "]" : "",
		use->function != NULL ? "  a variable of " : "", text_or_empty(use->function));

	lead_to(line, value);
}

/* Adds a pointer's object and its class, unless the pointer's type already names the class. */
static void
add_dynamic(struct lines *lines, const struct typed_value *value)
{
	struct dynamic_type found;
	const struct debug_type *target =
		value->type->kind == DEBUG_TYPE_POINTER || value->type->kind == DEBUG_TYPE_REFERENCE
			? debug_type_target(value->type, lines->arena) : NULL;

	if (target == NULL || !dynamic_type_of(value, lines->arena, &found) ||
	    strcmp(target->name, found.name) == 0)
		return;
	const struct typed_value object = { .type = found.type != NULL ? found.type : target,
					    .frame = value->frame, .in_memory = true,
					    .address = found.address };
	lead_to(lines_add_format(lines, "object", ROLE_NORMAL, "%s%s%s", found.name,
				 found.type != NULL ? " = " : "",
				 found.type == NULL ? ""
						    : text_of_value(&object, MOST_TEXT,
								    lines->arena)), &object);
}

static void
add_lock(struct lines *lines, const struct typed_value *value)
{
	static const char *const uses[] = { [LOCK_FREE] = "not locked", [LOCK_HELD] = "locked",
					    [LOCK_WRITTEN] = "locked for writing",
					    [LOCK_READ] = "locked for reading" };
	const struct crash *crash = value->frame->walk->crash;
	struct lock_value lock;
	size_t thread = 0;

	if (!lock_value_of(value, lines->arena, &lock))
		return;
	while (thread < crash->thread_count && crash->threads[thread].id != lock.owner)
		thread++;
	struct line *line =
		lock.use == LOCK_READ
			? lines_add_format(lines, "lock", ROLE_NORMAL,
					   "%s by %" PRIu64 " thread%s; it does not store which",
					   uses[lock.use], lock.readers, plural(lock.readers))
		: lock.use == LOCK_FREE
			? lines_add(lines, "lock", ROLE_NORMAL, uses[lock.use])
		: !lock.has_owner
			? lines_add_format(lines, "lock", ROLE_NORMAL,
					   "%s; it does not store its owner", uses[lock.use])
		: thread == crash->thread_count
			? lines_add_format(lines, "lock", ROLE_NORMAL,
					   "%s by a thread that the dump lacks, id %" PRIu64,
					   uses[lock.use], lock.owner)
			: lines_add_format(lines, "lock", ROLE_NORMAL,
					   "%s by thread %zu (id 0x%" PRIx64 ", %" PRIu64 ")",
					   uses[lock.use], thread, lock.owner, lock.owner);
	if (line != NULL && lock.has_owner && thread < crash->thread_count)
		line->target = TARGET(TARGET_THREAD, .thread = thread);
}

void
evaluated_add(struct lines *lines, const struct value_expression *expression)
{
	const struct variable_value *found = &expression->value;
	const struct typed_value *value = &found->value;
	const bool redacted = value->frame->walk->crash->redacted;
	struct arena *arena = lines->arena;
	uint64_t number;

	const bool whole = value->type->kind == DEBUG_TYPE_NUMBER && !redacted &&
			   value->type->size <= 8 && value_number(value, &number) == NULL;
	const char *text = text_of_value(value, MOST_TEXT, arena);
	lead_to(whole && number > 9
			? lines_add_format(lines, "value", ROLE_NORMAL, "%s   0x%" PRIx64, text,
					   number & UINT64_MAX >> (64 - 8 * value->type->size))
			: lines_add(lines, "value", ROLE_NORMAL, text),
		value);
	lines_add(lines, "type", ROLE_NORMAL, value->type->name);
	if (!redacted && value->why == NULL) {
		add_dynamic(lines, value);
		add_lock(lines, value);
	}
	const char *where = where_of(found, arena);
	if (where != NULL)
		lines_add(lines, "where", ROLE_NORMAL, where);
	if (expression->note != NULL)
		lines_add(lines, "note", ROLE_NORMAL, expression->note);
	if (!redacted && value->why == NULL) {
		add_bytes(lines, value);
		add_parts(lines, value);
	}
	for (size_t i = 0; i < expression->use_count; i++)
		add_use(lines, i == 0 ? "from" : NULL, &expression->uses[i]);
}
