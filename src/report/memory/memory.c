/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/error.h"
#include "report/memory/memory_marks.h"
#include "report/report.h"

/* Printable characters that make a word a text. */
#define LEAST_TEXT 4u
/* Columns for marks and reading from which there are marks. */
#define MARKS_FROM 24u

struct words {
	struct memory_options options;
	const struct arch *arch;
	const struct memory_run *run;
	struct binary_run file;		/* what `run` is of where the dump lacks it */
	struct memory_run file_run;
	struct memory_marks marks;
	uint64_t first;		/* address of the first row */
	unsigned size;		/* bytes of a word */
	int digits;
	int frame_width;
};

/* What a word can be read as. */
enum reading_kind { READING_NONE, READING_RETURN, READING_POINTER, READING_CODE, READING_OTHER };

struct reading {
	enum reading_kind kind;
	size_t frame;		/* of READING_RETURN: the one that is returned to */
};

static uint64_t
address_of(const struct words *words, size_t row)
{
	return words->first + (uint64_t)row * words->size;
}

static uint64_t
value_at(const struct words *words, uint64_t address)
{
	const struct reader reader = { .data = words->run->data, .size = words->run->size,
				       .big_endian = words->options.memory->big_endian };
	uint64_t value = 0;

	reader_unsigned(&reader, address - words->run->base, words->size, &value);
	return value;
}

static bool
is_redacted(const struct words *words)
{
	return words->run != &words->file_run &&
	       crash_redacts_memory(words->options.memory->crash);
}

/* The characters of a word that begins with a text; 0 where it is none. */
static size_t
text_length(const struct words *words, uint64_t address)
{
	const uint8_t *bytes = words->run->data + (address - words->run->base);
	size_t length = 0, rest;

	while (length < words->size && bytes[length] >= ' ' && bytes[length] <= '~')
		length++;
	for (rest = length; rest < words->size && bytes[rest] == 0; rest++)
		continue;
	return rest == words->size && length >= LEAST_TEXT ? length : 0;
}

static const struct frame *
frame_at(const struct words *words, size_t frame)
{
	const struct walk *walk = words->options.walk;

	return walk != NULL && frame < walk->count ? &walk->frames[frame] : NULL;
}

/* Bits of an address that never hold a signature of pointer authentication. */
#define UNSIGNED_BITS ((UINT64_C(1) << 47) - 1)

/* Whether a word is a return address: itself, or on 64-bit ARM with a signature above its bits. */
static bool
is_return_address(const struct words *words, uint64_t value, uint64_t pc)
{
	uint64_t bits = pc | UNSIGNED_BITS;

	if (!words->arch->signs_pointers)
		return value == pc;
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits |= bits >> shift;
	return (value & bits) == pc;
}

/* The frame whose code the word returns to: the caller of its owner; SIZE_MAX: none. */
static size_t
returned_to(const struct words *words, uint64_t address, uint64_t value)
{
	size_t owner = memory_marks_owner(&words->marks, address);
	const struct frame *caller = owner == SIZE_MAX ? NULL : frame_at(words, owner + 1);

	if (caller == NULL || caller->trust == TRUST_SIGNAL ||
	    !is_return_address(words, value, caller->registers.value[words->arch->pc]))
		return SIZE_MAX;
	return owner + 1;
}

/* Append a name that may be long so that its end, the distance, stays in sight. */
static void
add_name(struct row *row, struct text name, size_t columns)
{
	if (columns != 0 && columns <= row->width)
		return;
	row_add_cut(row, ROLE_CODE, columns == 0 ? 0 : columns - row->width, true, name);
}

static void
add_return(const struct words *words, size_t frame, size_t columns, struct row *row)
{
	const struct walk *walk = words->options.walk;
	const struct frame *caller = &walk->frames[frame];
	struct location location;
	struct arena arena;

	arena_init(&arena, 0);
	location_of(walk, caller->lookup, &arena, NULL, &location);
	row_add(row, ROLE_CODE, "return to ");
	add_name(row,
		 location_name(&location, &location.calls[location.call_count - 1],
			       caller->registers.value[words->arch->pc], true, &arena),
		 columns);
	arena_free(&arena);
}

/* The register that the step in hand, or the chain of frame pointers, found in a word. */
static bool
add_saved(const struct words *words, uint64_t address, uint64_t value, struct row *row)
{
	const struct arch *arch = words->arch;
	size_t count, frame;
	const struct memory_read_mark *reads =
		memory_marks_reads(&words->marks, address, &count);

	for (size_t i = 0; i < count; i++)
		if (reads[i].reg != ARCH_NO_REGISTER && reads[i].reg != arch->pc) {
			row_add(row, ROLE_STACK, "saved %s of frame %zu",
				arch->registers[reads[i].reg].label,
				words->options.step->frame + 1);
			return true;
		}
	/* Frames that leave the register alone share its value: the oldest one saved another. */
	frame = memory_marks_oldest(words->marks.fp, words->marks.fp_count, address);
	const struct frame *caller = frame == SIZE_MAX ? NULL : frame_at(words, frame + 1);
	if (caller == NULL || !registers_known(&caller->registers, arch->fp) ||
	    caller->registers.value[arch->fp] != value || value == address)
		return false;
	row_add(row, ROLE_STACK, "saved %s of frame %zu", arch->registers[arch->fp].label,
		frame + 1);
	return true;
}

static bool
add_pointer(const struct words *words, uint64_t value, struct row *row)
{
	const struct walk *walk = words->options.walk;

	if (walk == NULL || walk->memory.stack == NULL ||
	    !checked_contains(walk->memory.stack->base, walk->memory.stack->size, value))
		return false;
	size_t owner = walk->memory.stack->base == words->run->base
			       ? memory_marks_owner(&words->marks, value)
			       : SIZE_MAX;
	if (owner != SIZE_MAX)
		row_add(row, ROLE_STACK, "into the stack, frame %zu", owner);
	else
		row_add(row, ROLE_STACK, "into the stack");
	return true;
}

/* A value that may be an address of code: its function where that is known already. */
static bool
add_code(const struct words *words, uint64_t value, size_t columns, struct row *row)
{
	const struct walk *walk = words->options.walk;
	struct location location = { .address = value };
	struct call call = { 0 };
	struct function function;
	enum symbols_state state;
	struct arena arena;

	int index = walk == NULL ? MODULE_NONE : module_map_find(&walk->modules, value);
	if (index == MODULE_NONE)
		return false;
	location.module = &walk->crash->modules[index];
	const struct symfile *symfile =
		walk->symbols == NULL ? NULL : symbols_peek(walk->symbols, (size_t)index, &state);
	const struct symbols_policy policy = walk_symbols_policy(walk);
	uint64_t relative = value - location.module->base;
	if (symfile != NULL && symfile_covering_function(symfile, &policy, relative, &function)) {
		call.name = demangle_memo_shown(walk->names, &walk->policy, function.name);
		call.function_base = function.address;
	}
	arena_init(&arena, 0);
	add_name(row, location_name(&location, &call, value, true, &arena),
		 columns == 0 ? 0 : columns - 1);
	row_add(row, ROLE_CODE, "?");
	arena_free(&arena);
	return true;
}

/* Say what a word can be read as; `row` may be one that is thrown away. */
static struct reading
add_reading(const struct words *words, uint64_t address, uint64_t value, size_t columns,
	    struct row *row)
{
	size_t frame = returned_to(words, address, value);

	if (frame != SIZE_MAX) {
		add_return(words, frame, columns, row);
		return (struct reading){ READING_RETURN, frame };
	}
	if (memory_marks_below(&words->marks, address)) {
		row_add(row, ROLE_DIM, "below %s",
			words->arch->registers[words->arch->sp].label);
		return (struct reading){ .kind = READING_OTHER };
	}
	if (add_saved(words, address, value, row) || add_pointer(words, value, row))
		return (struct reading){ .kind = READING_POINTER };
	if (add_code(words, value, columns, row))
		return (struct reading){ .kind = READING_CODE };
	size_t length = is_redacted(words) ? 0 : text_length(words, address);
	if (length == 0)
		return (struct reading){ .kind = READING_NONE };
	row_add(row, ROLE_DATA, "\"%.*s\"", (int)length,
		(const char *)words->run->data + (address - words->run->base));
	return (struct reading){ .kind = READING_OTHER };
}

/* Append a mark behind others. */
static void
join(char *buffer, size_t size, const char *label, const char *text, size_t number)
{
	size_t used = strlen(buffer);

	snprintf(buffer + used, size - used, "%s%s%s%zu", used > 0 ? ", " : "", label, text,
		 number);
}

/* The token at the cursor comes first: it is what one looks for. */
static void
add_token_marks(const struct words *words, uint64_t address, bool at_cursor, char *buffer,
		size_t size)
{
	size_t count;
	const struct memory_read_mark *reads =
		memory_marks_reads(&words->marks, address, &count);
	uint32_t cursor = words->options.step != NULL ? words->options.step->cursor : TRACE_NONE;

	for (size_t i = 0; i < count; i++) {
		bool here = reads[i].event == cursor || reads[i].event - 1 == cursor;

		if (reads[i].token > 0 && here == at_cursor)
			join(buffer, size, "token", " ", reads[i].token);
	}
}

static void
make_marks(const struct words *words, uint64_t address, char *buffer, size_t size)
{
	const struct memory_marks *marks = &words->marks;
	const struct arch_register *registers = words->arch->registers;
	size_t frame = memory_marks_youngest(marks->sp, marks->sp_count, address);

	buffer[0] = '\0';
	add_token_marks(words, address, true, buffer, size);
	if (frame != SIZE_MAX)
		join(buffer, size, registers[words->arch->sp].label, " of ", frame);
	frame = memory_marks_youngest(marks->fp, marks->fp_count, address);
	if (frame != SIZE_MAX)
		join(buffer, size, registers[words->arch->fp].label, " of ", frame);
	add_token_marks(words, address, false, buffer, size);
}

/* Columns of values: decimals need more than hexadecimal digits. */
static int
value_width(const struct words *words)
{
	if (words->options.base == 10)
		return words->size == 4 ? 10 : 20;
	return words->options.base == 0 ? (int)words->size + 2 : words->digits;
}

static void
add_value(const struct words *words, uint64_t address, uint64_t value, struct row *row)
{
	const uint8_t *bytes = words->run->data + (address - words->run->base);
	char text[16];
	unsigned i;

	if (is_redacted(words)) {
		row_add(row, ROLE_DIM, "%-*.*s", value_width(words), value_width(words),
			CRASH_REDACTED);
	} else if (words->options.base == 10) {
		row_add(row, ROLE_NORMAL, "%*" PRIu64, value_width(words), value);
	} else if (words->options.base != 0) {
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, words->digits, value);
	} else {
		for (i = 0; i < words->size; i++)
			text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '.';
		text[i] = '\0';
		row_add(row, ROLE_DATA, " %s ", text);
	}
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct words *words = listing->context;
	uint64_t address = address_of(words, index), value = value_at(words, address);
	size_t owner = memory_marks_owner(&words->marks, address);
	char marks[200];

	row_add(row, ROLE_DIM, " %0*" PRIx64 "  ", words->digits, address);
	add_value(words, address, value, row);
	if (owner != SIZE_MAX)
		row_add(row, ROLE_NORMAL, "%*zu", words->frame_width, owner);
	else
		row_pad(row, row->width + (size_t)words->frame_width);
	row_add(row, ROLE_NORMAL, "  ");
	size_t begin = row->width, width = memory_marks_columns(row, columns, MARKS_FROM);
	make_marks(words, address, marks, sizeof(marks));
	if (width > 0) {
		memory_marks_shorten(marks, columns == 0 ? sizeof(marks) : width - 1);
		row_add_cut(row, ROLE_CHANGED, columns == 0 ? 0 : width - 1, false,
			    text_of(marks));
		row_pad(row, begin + width);
	}
	add_reading(words, address, value, columns, row);
	if (columns != 0)
		row_cut(row, columns);
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct words *words = listing->context;

	row_add(row, ROLE_DIM, " %-*s  %-*s%*s  ", words->digits, "address", value_width(words),
		"value", words->frame_width, "fr");
	size_t width = memory_marks_columns(row, columns, MARKS_FROM);
	if (width > 0)
		row_add(row, ROLE_DIM, "%-*s", (int)width, "marks");
	row_add(row, ROLE_DIM, "reading");
	if (words->run == &words->file_run) {
		row_add(row, ROLE_DIM, ", bytes of the file ");
		row_add_text(row, ROLE_DIM,
			     text_of(place_base_name(words->file.binary->file.input.name)));
	}
	if (columns != 0)
		row_cut(row, columns);
}

static struct place
word_place(const struct words *words, uint64_t address)
{
	if (words->run == &words->file_run)
		return (struct place){ .input = &words->file.binary->file.input,
				       .offset = words->file.offset + (address - words->file.base),
				       .length = words->size };
	return crash_memory_place(words->options.memory->crash, words->run->region, address,
				  words->size);
}

/* A return address leads to its frame, a pointer to what it points at, the rest to its bytes. */
static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct words *words = listing->context;
	uint64_t address = address_of(words, index), value = value_at(words, address);
	/* The bytes of a module's file have no view of their own. */
	struct target target = words->run == &words->file_run
			       ? report_no_target()
			       : report_place_target(word_place(words, address));
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	struct reading reading = add_reading(words, address, value, 0, &row);
	arena_free(&arena);
	if (reading.kind == READING_RETURN) {
		target.kind = TARGET_FRAME;
		target.thread = words->options.walk->thread;
		target.frame = reading.frame;
	} else if (reading.kind != READING_CODE &&
		   memory_run_of(words->options.memory, value) != NULL) {
		target.kind = TARGET_MEMORY;
		target.address = value;
	}
	return target;
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct words *words = listing->context;
	uint64_t address = address_of(words, index);
	const struct mapping *mapping = crash_mapping(words->options.crash, address);

	row_add(row, ROLE_NORMAL, "[%0*" PRIx64 "] = ", words->digits, address);
	if (is_redacted(words))
		row_add(row, ROLE_DIM, CRASH_REDACTED);
	else
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, words->digits, value_at(words, address));
	report_add_place(row, word_place(words, address));
	if (words->run == &words->file_run)
		row_add(row, ROLE_DIM, " (the file, not the dump)");
	if (mapping != NULL) {
		row_add(row, ROLE_DIM, "   ");
		row_add_text(row, ROLE_DIM, text_of(mapping->text));
		row_add(row, ROLE_DIM, " ");
		row_add_text(row, ROLE_DIM, text_of(mapping->name));
	}
	row_add(row, ROLE_NORMAL, "   ");
	add_reading(words, address, value_at(words, address), 0, row);
}

static int
frame_columns(const struct walk *walk)
{
	char text[24];
	int length = snprintf(text, sizeof(text), "%zu", walk == NULL ? 0 : walk->count);

	return length + 2 < 4 ? 4 : length + 2;
}

struct listing
memory_listing(const struct memory_options *options, struct arena *arena)
{
	const struct memory_run *run = memory_run_of(options->memory, options->address);
	struct words *words = arena_alloc(arena, sizeof(*words));
	const char *text;

	if (words == NULL)
		return listing_out_of_memory();
	words->options = *options;
	words->arch = options->walk != NULL ? options->walk->arch : options->crash->system.arch;
	words->size = words->arch->word_size == 4 ? 4 : 8;
	words->digits = (int)words->size * 2;
	if (run == NULL && binaries_run(options->binaries, options->address, &words->file)) {
		words->file_run = (struct memory_run){ .base = words->file.base,
						       .size = words->file.size,
						       .data = words->file.data };
		run = &words->file_run;
	}
	words->run = run;
	/* Rows begin where the address is that of a row, also for an odd stack pointer. */
	uint64_t skip = run == NULL ? 0 : (options->address - run->base) % words->size;
	if (run == NULL || run->size - skip < words->size) {
		text = arena_format(arena, "the dump has no memory at %0*" PRIx64, words->digits,
				    options->address);
		return listing_message(text != NULL ? text : OUT_OF_MEMORY);
	}
	words->first = run->base + skip;
	words->frame_width = frame_columns(options->walk);
	memory_marks_find(&words->marks, run, options->walk, options->step, options->kept,
			  arena);
	uint64_t count = (run->size - skip) / words->size;
	return (struct listing){ .count = count > SIZE_MAX ? SIZE_MAX : (size_t)count,
				 .head = fill_head, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = words };
}

size_t
memory_row(const struct listing *listing, uint64_t address)
{
	const struct words *words = listing->context;

	if (listing->fill != fill_row || address < words->first)
		return 0;
	uint64_t row = (address - words->first) / words->size;
	return row < listing->count ? (size_t)row : listing->count - 1;
}

uint64_t
memory_address(const struct listing *listing, size_t row)
{
	return listing->fill == fill_row && row < listing->count
		       ? address_of(listing->context, row)
		       : 0;
}
