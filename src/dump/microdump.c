/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/sorted.h"
#include "base/text.h"
#include "dump/describe_internal.h"
#include "dump/reason/reason.h"

/*
 * Breakpad's microdumps: a crash as lines of a log, each with one letter and its fields
 * (google/breakpad src/client/linux/microdump_writer/microdump_writer.cc). Numbers are hexadecimal
 * without a prefix, as wide as the process's words.
 */

/* The log -------------------------------------------------------------------------------------- */

#define TAG "google-breakpad"
#define BEGIN "-----BEGIN BREAKPAD MICRODUMP-----"
#define END "-----END BREAKPAD MICRODUMP-----"
/* Maximum number of dumps that crashing processes write at the same time. */
#define OPEN_DUMPS 16

/*
 * A microdump in a log. Its lines have the tag "google-breakpad", then ": ", then the record; other
 * lines of the log may lie between. If the log has the number of the process (logcat's formats
 * "brief", "time" and "threadtime"), dumps of several processes may be mixed. A writer outside
 * Android logs without a tag: then records begin in the column of the first line. Source:
 * google/breakpad src/processor/microdump.cc.
 */
struct microdump_extent {
	uint64_t start, end;		/* offset of its first byte; offset after its last byte */
	uint32_t line;			/* number of the first line */
	bool whole;			/* the dump has its last line */
	bool tagged;
	size_t column;			/* bytes before the record if it has no tag */
	struct text process;		/* digits; empty: not in the log */
};

bool
microdump_recognise(const uint8_t *bytes, uint64_t size)
{
	const uint8_t *end = size > 0 ? bytes + size : bytes, *at = bytes;

	/* In a program that writes microdumps, the line is a string and ends with NUL: skip it. */
	while ((at = memmem(at, (size_t)(end - at), BEGIN, strlen(BEGIN))) != NULL) {
		at += strlen(BEGIN);
		if (at == end || *at != 0)
			return true;
	}
	return false;
}

/* Take the next line without its end, and its offset in the log. */
static bool
next_line(const uint8_t *log, struct text *rest, struct text *line, uint64_t *offset)
{
	*offset = (uint64_t)((const uint8_t *)rest->start - log);
	if (!text_take_line(rest, line))
		return false;
	line->length -= line->length > 0 && line->start[line->length - 1] == '\r';
	return true;
}

static const char *
find(struct text text, const char *word)
{
	return text.length == 0 ? NULL : memmem(text.start, text.length, word, strlen(word));
}

static struct text
digits_at(const char *start, const char *end)
{
	struct text digits = { start, 0 };

	while (start + digits.length < end && start[digits.length] >= '0' &&
	       start[digits.length] <= '9')
		digits.length++;
	return digits;
}

/* The last word before `*end`. Sets `*end` to the start of the word. */
static struct text
word_before(const char *start, const char **end)
{
	const char *last = *end, *first;

	while (last > start && last[-1] == ' ')
		last--;
	first = last;
	while (first > start && first[-1] != ' ')
		first--;
	*end = first;
	return (struct text){ first, (size_t)(last - first) };
}

/* "F/google-breakpad( 3745): " or "02-25 07:59:17.030  3745  3745 F google-breakpad: " */
static struct text
process_of(struct text line, const char *tag)
{
	const char *end = line.start + line.length, *behind = tag + strlen(TAG);

	if (behind < end && *behind == '(') {
		for (behind++; behind < end && *behind == ' '; behind++)
			continue;
		return digits_at(behind, end);
	}
	const char *before = tag;
	struct text level = word_before(line.start, &before);
	struct text thread = word_before(line.start, &before);
	struct text process = word_before(line.start, &before);
	bool fits = level.length == 1 && thread.length > 0 && process.length > 0 &&
		    digits_at(thread.start, thread.start + thread.length).length ==
			    thread.length &&
		    digits_at(process.start, process.start + process.length).length ==
			    process.length;
	return fits ? process : (struct text){ line.start, 0 };
}

/* The record of a line; false if the line does not belong to the dump. */
static bool
record_of(const struct microdump_extent *extent, struct text line, struct text *body)
{
	const char *tag = find(line, TAG), *start = line.start + extent->column;

	if (!extent->tagged) {
		if (tag != NULL || line.length <= extent->column)
			return false;
	} else {
		if (tag == NULL || !text_equal(process_of(line, tag), extent->process))
			return false;
		/* The record follows the tag and ": ". */
		tag += strlen(TAG);
		start = find((struct text){ tag, (size_t)(line.start + line.length - tag) }, ": ");
		if (start == NULL)
			return false;
		start += 2;
	}
	*body = (struct text){ start, (size_t)(line.start + line.length - start) };
	return true;
}

/* The chosen dump, and the open dumps, which still lack their last line. */
struct log_search {
	struct microdump_extent open[OPEN_DUMPS];
	size_t numbers[OPEN_DUMPS];
	size_t open_count;
	size_t found;
	size_t wanted;			/* number of the dump; 0: the first complete dump */
	struct microdump_extent *chosen;
	struct microdump_extent first;
	size_t chosen_number;
};

static void
close_dump(struct log_search *search, size_t slot, uint64_t end, bool whole)
{
	struct microdump_extent extent = search->open[slot];
	size_t number = search->numbers[slot];

	extent.end = end;
	extent.whole = whole;
	search->open_count--;
	memmove(&search->open[slot], &search->open[slot + 1],
		(search->open_count - slot) * sizeof(search->open[0]));
	memmove(&search->numbers[slot], &search->numbers[slot + 1],
		(search->open_count - slot) * sizeof(search->numbers[0]));
	if (number == 1)
		search->first = extent;
	bool better = whole && (search->chosen_number == 0 || number < search->chosen_number);
	if (search->wanted == 0 ? better : number == search->wanted) {
		*search->chosen = extent;
		search->chosen_number = number;
	}
}

static void
mark(struct log_search *search, struct microdump_extent extent, bool begins, uint64_t end)
{
	size_t slot = 0;

	/* Find the open dump to which the line belongs: that of the same process. */
	while (slot < search->open_count &&
	       (search->open[slot].tagged != extent.tagged ||
		!text_equal(search->open[slot].process, extent.process)))
		slot++;
	/* If a process begins a new dump, the rest of its previous dump is lost. */
	if (slot < search->open_count)
		close_dump(search, slot, begins ? extent.start : end, !begins);
	if (!begins || search->found >= LIMIT_MICRODUMPS)
		return;
	if (search->open_count == OPEN_DUMPS)
		close_dump(search, 0, extent.start, false);
	search->numbers[search->open_count] = ++search->found;
	search->open[search->open_count++] = extent;
}

/*
 * The number of microdumps in a log. Sets `*chosen` to dump `*index`; dumps count from 1. For 0,
 * sets `*chosen` to the first complete dump (if none is complete, to the first dump), and `*index`
 * to its number. Each byte is read a limited number of times.
 */
static size_t
find_dump(const uint8_t *bytes, uint64_t size, size_t *index, struct microdump_extent *chosen)
{
	struct log_search search = { .wanted = *index, .chosen = chosen };
	struct text rest = { (const char *)bytes, (size_t)size }, line;
	uint64_t offset;

	while (next_line(bytes, &rest, &line, &offset)) {
		const char *begin = find(line, BEGIN), *tag;

		if (begin == NULL && find(line, END) == NULL)
			continue;
		tag = find(line, TAG);
		struct microdump_extent extent = { .start = offset, .tagged = tag != NULL };
		if (tag != NULL)
			extent.process = process_of(line, tag);
		else if (begin != NULL)
			extent.column = (size_t)(begin - line.start);
		mark(&search, extent, begin != NULL, size - rest.length);
	}
	while (search.open_count > 0)
		close_dump(&search, 0, size, false);
	if (*index == 0 && search.chosen_number == 0 && search.found > 0) {
		*chosen = search.first;
		search.chosen_number = 1;
	}
	if (*index == 0)
		*index = search.chosen_number;
	if (search.chosen_number != 0) {
		const uint8_t *feed = bytes, *start = bytes + chosen->start;

		for (chosen->line = 1; feed < start &&
				       (feed = memchr(feed, '\n', (size_t)(start - feed))) != NULL;
		     feed++)
			chosen->line++;
	}
	return search.found;
}

/* The records ---------------------------------------------------------------------------------- */

/* A line with bytes of the stack. */
struct chunk {
	uint64_t address;
	struct text digits;
	uint64_t size;			/* bytes in the digits */
};

struct microdump {
	/* State for the functions that read contexts and add messages */
	struct minidump shared;
	struct crash *crash;
	struct thread *thread;
	struct chunk *chunks;
	size_t chunk_count, chunk_capacity;
	size_t module_capacity, line_capacity, record_capacity, stream_capacity;
	struct text context;		/* digits of the C line */
	bool has_stack_line;
	uint64_t stack_pointer;		/* value of the S 0 line */
};

static struct place
place_of(const struct microdump *microdump, struct text text)
{
	const struct crash *crash = microdump->crash;

	return crash_place(crash, (uint64_t)((const uint8_t *)text.start - crash->file.data),
			   (uint32_t)text.length);
}

#define microdump_message(microdump, kind, text, ...)					\
	message_add(&(microdump)->crash->messages, MESSAGE_##kind,			\
		    place_of(microdump, text), __VA_ARGS__)

static void
skip_blanks(struct text *rest)
{
	for (; rest->length > 0 && rest->start[0] == ' '; rest->length--)
		rest->start++;
}

/* Take the next word; empty at the end of the line. */
static struct text
next_word(struct text *rest)
{
	skip_blanks(rest);
	struct text word = { rest->start, 0 };
	while (word.length < rest->length && word.start[word.length] != ' ')
		word.length++;
	*rest = (struct text){ word.start + word.length, rest->length - word.length };
	return word;
}

static int
digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool
next_number(struct text *rest, uint64_t *number)
{
	return text_number(next_word(rest), 16, number);
}

static const char *
copy(struct microdump *microdump, struct text text)
{
	return text_or_empty(text_copy(&microdump->crash->arena, text));
}

static void
annotate(struct microdump *microdump, const char *key, struct text text)
{
	minidump_annotate(&microdump->shared, "microdump", key, copy(microdump, text),
			  place_of(microdump, text));
}

/* Systems and processors in the words of the O line. */
static const struct {
	const char *word;
	enum crash_os os;
	const char *name;
	uint32_t platform;
} systems[] = {
	{ "A", CRASH_OS_ANDROID, "Android", 0x8203 },
	{ "L", CRASH_OS_LINUX, "Linux", 0x8201 },
};

static void
read_system(struct microdump *microdump, struct text *rest)
{
	struct crash_system *system = &microdump->crash->system;
	const struct text whole = *rest;
	struct text os = next_word(rest), processor = next_word(rest);
	uint64_t count = 0;

	system->place = place_of(microdump, whole);
	for (size_t i = 0; i < ARRAY_COUNT(systems); i++) {
		if (!text_is(os, systems[i].word))
			continue;
		system->os = systems[i].os;
		system->os_name = systems[i].name;
		microdump->shared.platform = systems[i].platform;
	}
	system->arch = arch_of_microdump(processor);
	system->cpu_name = copy(microdump, processor);
	if (!arch_known(system->arch))
		microdump_message(microdump, UNSUPPORTED_CPU, whole,
				  "unknown processor '%s'\nmodules and memory are shown",
				  system->cpu_name);
	if (!next_number(rest, &count) || count > 255)
		microdump_message(microdump, ENTRY_BROKEN, whole,
				  "the number of processors is not a hexadecimal byte");
	else
		system->cpu_count = (uint32_t)count;
	system->cpu_info = "";
	annotate(microdump, "hardware", next_word(rest));
	skip_blanks(rest);
	system->os_version = copy(microdump, *rest);
}

/* Read "version|vendor|renderer". */
static void
read_graphics(struct microdump *microdump, struct text *rest)
{
	struct crash_system *system = &microdump->crash->system;
	const char **parts[] = { &system->gpu_version, &system->gpu_vendor,
				 &system->gpu_renderer };

	if (text_is(*rest, "UNKNOWN"))
		return;
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const char *bar = memchr(rest->start, '|', rest->length);
		size_t length = bar != NULL ? (size_t)(bar - rest->start) : rest->length;
		size_t skip = bar != NULL ? length + 1 : length;

		*parts[i] = copy(microdump, (struct text){ rest->start, length });
		rest->start += skip;
		rest->length -= skip;
	}
}

/* Number and name of the signal and the address of the crash; old writers have no such line. */
static void
read_reason(struct microdump *microdump, struct text *rest)
{
	struct crash *crash = microdump->crash;
	const struct text whole = *rest;
	uint64_t signal, address;
	bool good = next_number(rest, &signal);
	const char *name = copy(microdump, next_word(rest));

	crash->reason = name;
	crash->cause = (struct crash_cause){ .text = name };
	if (!good || !next_number(rest, &address) || signal > UINT32_MAX) {
		microdump_message(microdump, ENTRY_BROKEN, whole,
				  "the reason is not a signal number, a name and an address");
		return;
	}
	crash->reason_address = address;
	crash->cause.fault = reason_signal_fault(name, 0);
	crash->exception = (struct crash_exception){
		.present = true, .code = (uint32_t)signal, .address = address,
		.place = place_of(microdump, whole),
	};
}

/* The number of pairs of digits at the beginning of a text. */
static uint64_t
count_bytes(struct text digits)
{
	size_t length = 0;

	while (length < digits.length && digit_value(digits.start[length]) >= 0)
		length++;
	return length / 2;
}

static void
read_stack(struct microdump *microdump, struct text *rest)
{
	const struct text whole = *rest;
	struct text first = next_word(rest);
	struct chunk chunk = { 0 };

	if (text_is(first, "0")) {
		uint64_t sp, start, size;

		if (!next_number(rest, &sp) || !next_number(rest, &start) ||
		    !next_number(rest, &size)) {
			microdump_message(microdump, ENTRY_BROKEN, whole,
					  "the first stack line is not a stack pointer, an "
					  "address and a size");
			return;
		}
		microdump->has_stack_line = true;
		microdump->stack_pointer = sp;
		microdump->thread->stack_start = start;
		microdump->thread->stack_size = size;
		return;
	}
	chunk.digits = next_word(rest);
	chunk.size = count_bytes(chunk.digits);
	if (!text_number(first, 16, &chunk.address) || chunk.size == 0) {
		microdump_message(microdump, ENTRY_BROKEN, whole,
				  "a line of the stack has no address or no bytes"
				  "\nit is skipped");
		return;
	}
	if (chunk.digits.length != 2 * chunk.size)
		microdump_message(microdump, ENTRY_BROKEN, whole,
				  "of %zu digits of the stack at 0x%" PRIx64 " %" PRIu64
				  " bytes can be read\nthis part is shown",
				  chunk.digits.length, chunk.address, chunk.size);
	minidump_append(&microdump->shared, &microdump->chunks, &microdump->chunk_count,
			&microdump->chunk_capacity, &chunk, sizeof(chunk));
}

static void
read_context(struct microdump *microdump, struct text *rest)
{
	if (microdump->context.start != NULL) {
		microdump_message(microdump, ENTRY_BROKEN, *rest,
				  "a second line of registers\nthe first one is used");
		return;
	}
	microdump->context = next_word(rest);
}

static void
read_module(struct microdump *microdump, struct text *rest)
{
	struct crash *crash = microdump->crash;
	const struct text whole = *rest;
	struct module module = { .code_id = "", .version = "" };
	uint64_t ignored;

	if (!next_number(rest, &module.base) || !next_number(rest, &ignored) ||
	    !next_number(rest, &module.size)) {
		microdump_message(microdump, ENTRY_BROKEN, whole,
				  "a module line is not an address, offset, size, identifier and "
				  "name\nit is skipped");
		return;
	}
	if (crash->module_count >= LIMIT_MODULES) {
		microdump_message(microdump, LIMIT, whole,
				  "more than %u modules\nthe rest is skipped", LIMIT_MODULES);
		return;
	}
	module.place = place_of(microdump, whole);
	struct text id = next_word(rest);
	module.identity_place = place_of(microdump, id);
	module.debug_id = copy(microdump, id);
	skip_blanks(rest);
	module.code_file = copy(microdump, *rest);
	module.debug_file = module.code_file;
	minidump_append(&microdump->shared, &crash->modules, &crash->module_count,
			&microdump->module_capacity, &module, sizeof(module));
}

static const struct microdump_record {
	char letter;
	const char *what;
	const char *annotation;		/* key of an annotation in the line; NULL: none */
	void (*read)(struct microdump *microdump, struct text *rest);
} records[] = {
	{ 'V', "product and version", "product", NULL },
	{ 'O', "system", NULL, read_system },
	{ 'P', "process type", "process type", NULL },
	{ 'R', "reason", NULL, read_reason },
	{ 'G', "graphics", "graphics", read_graphics },
	{ 'H', "free address space", "free address space", NULL },
	{ 'S', "stack", NULL, read_stack },
	{ 'C', "registers", NULL, read_context },
	{ 'M', "module", NULL, read_module },
};

/* Consecutive records of one letter correspond to a stream of a minidump. */
static void
read_record(struct microdump *microdump, struct text body)
{
	struct crash *crash = microdump->crash;
	struct minidump *shared = &microdump->shared;
	const struct place place = place_of(microdump, body);
	const struct crash_range range = { place.offset, body.length };
	const struct microdump_record *record = records;

	while (record < records + ARRAY_COUNT(records) &&
	       (body.length < 2 || body.start[0] != record->letter || body.start[1] != ' '))
		record++;
	if (record == records + ARRAY_COUNT(records))
		return;
	minidump_append(shared, &crash->lines.records, &crash->lines.record_count,
			&microdump->record_capacity, &range, sizeof(range));
	const struct stream stream = {
		.type = MICRODUMP_STREAMS | (unsigned char)record->letter, .name = record->what,
		.offset = place.offset, .size = body.length, .decoded = true, .place = place,
	};
	struct stream *last = crash->stream_count == 0 ? NULL
						       : &crash->streams[crash->stream_count - 1];
	if (last != NULL && last->type == stream.type)
		last->size = place.offset + body.length - last->offset;
	else if (crash->stream_count < LIMIT_STREAMS)
		minidump_append(shared, &crash->streams, &crash->stream_count,
				&microdump->stream_capacity, &stream, sizeof(stream));
	struct text rest = { body.start + 2, body.length - 2 };
	if (record->annotation != NULL)
		annotate(microdump, record->annotation, rest);
	if (record->read != NULL)
		record->read(microdump, &rest);
}

static void
read_lines(struct microdump *microdump, const struct microdump_extent *extent)
{
	struct crash *crash = microdump->crash;
	struct text rest = { (const char *)crash->file.data + extent->start,
			     (size_t)(extent->end - extent->start) }, line, body;
	uint64_t offset;

	crash->lines.first = extent->line;
	while (next_line(crash->file.data, &rest, &line, &offset)) {
		/* List all lines from the first to the last, even those of other writers. */
		minidump_append(&microdump->shared, &crash->lines.starts, &crash->lines.count,
				&microdump->line_capacity, &offset, sizeof(offset));
		if (record_of(extent, line, &body))
			read_record(microdump, body);
	}
}

static void
decode(struct text digits, uint64_t count, uint8_t *bytes)
{
	for (uint64_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)(digit_value(digits.start[2 * i]) << 4 |
				     digit_value(digits.start[2 * i + 1]));
}

SORTED_BY_ALL(compare_chunks, struct chunk, SORTED_UP(address) SORTED_UP(digits.start))

/* Adjacent chunks of memory are one region, even if other lines are between them. */
static void
build_regions(struct microdump *microdump)
{
	struct crash *crash = microdump->crash;
	size_t count = microdump->chunk_count;
	uint64_t total = 0, used = 0;

	if (count == 0)
		return;
	SORT(microdump->chunks, count, compare_chunks);
	for (size_t i = 0; i < count; i++)
		total += microdump->chunks[i].size;
	uint8_t *bytes = arena_alloc(&crash->arena, (size_t)total);
	struct memory_chunk *places = arena_array(&crash->arena, count, sizeof(*places));
	crash->regions = arena_array(&crash->arena, count, sizeof(*crash->regions));
	if (bytes == NULL || places == NULL || crash->regions == NULL) {
		minidump_no_memory(&microdump->shared);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct chunk *chunk = &microdump->chunks[i];
		struct memory_region *last = crash->region_count == 0
			? NULL : &crash->regions[crash->region_count - 1];

		if (chunk->size - 1 > UINT64_MAX - chunk->address)
			continue;
		const struct place place = place_of(microdump, chunk->digits);
		if (last == NULL || last->base + last->size != chunk->address) {
			last = &crash->regions[crash->region_count++];
			*last = (struct memory_region){
				.base = chunk->address, .offset = place.offset,
				.data = bytes + used, .chunks = &places[i], .place = place,
			};
		}
		places[i] = (struct memory_chunk){ last->size, place.offset };
		last->chunk_count++;
		decode(chunk->digits, chunk->size, bytes + used);
		used += chunk->size;
		last->size += chunk->size;
		last->available = last->size;
	}
}

static void
read_registers(struct microdump *microdump)
{
	struct crash *crash = microdump->crash;
	struct crash_context *context = &microdump->thread->context;
	uint64_t size = count_bytes(microdump->context);

	if (microdump->context.start == NULL) {
		message_add(&crash->messages, MESSAGE_CONTEXT_BROKEN, microdump->thread->place,
			    "the microdump has no line of registers");
		return;
	}
	context->place = place_of(microdump, microdump->context);
	uint8_t *bytes = arena_alloc(&crash->arena, (size_t)size + 1);
	if (bytes == NULL) {
		minidump_no_memory(&microdump->shared);
		return;
	}
	decode(microdump->context, size, bytes);
	const struct reader reader = { .input = &crash->file.input, .data = bytes, .size = size };
	context_decode(&microdump->shared, &reader, (uint32_t)size, "the crashed thread", context);
	for (int i = 0; context->arch != NULL && i < context->arch->register_count; i++)
		if (registers_known(&context->registers, i))
			context->register_offset[i] =
				context->place.offset + 2 * context->register_offset[i];
}

static const struct memory_region *
region_with(const struct crash *crash, uint64_t address)
{
	for (size_t i = 0; i < crash->region_count; i++)
		if (address - crash->regions[i].base < crash->regions[i].size)
			return &crash->regions[i];
	return NULL;
}

/* The stack is the memory around the stack pointer; it is in pieces if the log lost lines. */
static void
find_stack(struct microdump *microdump)
{
	struct crash *crash = microdump->crash;
	struct thread *thread = microdump->thread;
	const struct crash_context *context = &thread->context;
	uint64_t there = 0;

	if (context->present)
		thread->stack = region_with(crash, context->registers.value[context->arch->sp]);
	if (thread->stack == NULL && microdump->has_stack_line)
		thread->stack = region_with(crash, microdump->stack_pointer);
	if (thread->stack == NULL && crash->region_count > 0)
		thread->stack = &crash->regions[0];
	if (thread->stack == NULL)
		message_add(&crash->messages, MESSAGE_NO_STACK, thread->place,
			    "the microdump has no stack memory");
	for (size_t i = 0; i < crash->region_count; i++)
		there += crash->regions[i].size;
	if (microdump->has_stack_line && there < thread->stack_size)
		message_add(&crash->messages, MESSAGE_TRUNCATED, thread->place,
			    "the stack has 0x%" PRIx64 " bytes, 0x%" PRIx64
			    " of them are in the log\nlines may be missing",
			    thread->stack_size, there);
	if (!microdump->has_stack_line && thread->stack != NULL) {
		thread->stack_start = thread->stack->base;
		thread->stack_size = thread->stack->size;
	}
}

static void
report_extent(struct microdump *microdump, const struct microdump_extent *extent, bool asked)
{
	struct crash *crash = microdump->crash;
	struct place place = { .input = &crash->file.input, .offset = extent->start,
			       .line = extent->line, .column = 1 };

	/* No message about the other dumps if --dump-index selected one. */
	if (crash->dump_count > 1 && !asked)
		message_add(&crash->messages, MESSAGE_SEVERAL_DUMPS, place,
			    "the file has %zu microdumps, this is number %zu"
			    "\n--dump-index selects another one",
			    crash->dump_count, crash->dump_index);
	if (!extent->whole)
		message_add(&crash->messages, MESSAGE_TRUNCATED, place,
			    "the microdump has no last line\nthe existing part is shown");
	if (crash->system.place.input == NULL)
		message_add(&crash->messages, MESSAGE_STREAM_MISSING, place,
			    "the microdump has no operating system");
	if (crash->module_count == 0)
		message_add(&crash->messages, MESSAGE_STREAM_MISSING, place,
			    "the microdump lists no modules");
}

bool
microdump_read(struct crash *crash, size_t index)
{
	struct microdump microdump = { .shared = { .crash = crash }, .crash = crash };
	const bool asked = index != 0;
	struct microdump_extent extent;
	uint64_t process = 0;

	crash->format = crash_formats[CRASH_MICRODUMP];
	crash->microdump = true;
	/* All processors for which microdumps are written store their stack in this byte order. */
	crash->reader.big_endian = false;
	crash->dump_count = find_dump(crash->file.data, crash->file.size, &index, &extent);
	crash->dump_index = index;
	if (index == 0 || index > crash->dump_count)
		return false;
	crash->threads = arena_alloc(&crash->arena, sizeof(*crash->threads));
	if (crash->threads == NULL) {
		minidump_no_memory(&microdump.shared);
		return true;
	}
	crash->thread_count = 1;
	crash->requesting_thread = 0;
	microdump.thread = crash->threads;
	crash->reason = "";
	crash->cause = (struct crash_cause){
		.text = "", .address = CRASH_ADDRESS_UNTOLD,
		.note = "the microdump has no line with a reason" };
	read_lines(&microdump, &extent);
	const struct place place = crash_place(crash, extent.start, 0);
	microdump.thread->place = place;
	/* A log's tag holds the number of the process. */
	for (size_t i = 0; i < extent.process.length && process <= UINT32_MAX; i++)
		process = process * 10 + (uint64_t)(extent.process.start[i] - '0');
	if (extent.process.length != 0 && process <= UINT32_MAX)
		crash->misc = (struct misc_info){
			.present = true, .has_process_id = true, .process_id = (uint32_t)process,
			.build = crash->misc.build, .place = place };
	build_regions(&microdump);
	read_registers(&microdump);
	find_stack(&microdump);
	report_extent(&microdump, &extent, asked);
	return true;
}

/*
 * The records of a microdump: the lines of the log without the prefixes of the log.
 */
void
microdump_describe(struct describe *describe, const struct reader *window)
{
	const struct crash *crash = describe->crash;
	const struct crash_lines *lines = &crash->lines;
	const char letter = (char)(describe->stream->type & 0xff);
	const struct sorted starts = SORTED(lines->records, lines->record_count, offset);

	for (size_t i = sorted_below(starts, window->start); i < lines->record_count; i++) {
		const struct crash_range *record = &lines->records[i];
		const uint64_t skip = record->offset - window->start;

		if (!checked_within(skip, record->size, window->size))
			break;
		describe_value(describe, (struct describe_value){
			.name = describe->stream->name, .kind = DESCRIBE_TEXT,
			.text = { (const char *)window->data + skip, (size_t)record->size },
			.private = letter == 'S',
			.place = crash_place(crash, record->offset, (uint32_t)record->size) });
	}
}
