/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sanitize/sanitize.h"

#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "analysis/thread_state.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "dump/core.h"
#include "dump/dump.h"
#include "report/sanitize/sanitize_internal.h"
#include "report/value/locals.h"
#include "sframe/sframes.h"

/* Reading the crash ---------------------------------------------------------------------------- */

/* Bytes of code kept on either side of a frame's address, as many as Breakpad's writers keep. */
#define CODE_REACH 128u

bool
sanitize_walks_once(const struct sanitizing *sanitizing, size_t thread)
{
	const struct crash *crash = &sanitizing->logged;

	return (crash->shared_frames > 0 || thread >= sanitizing->once_from) &&
	       crash->requesting_thread != (int)thread;
}

size_t
sanitize_ways(const struct sanitizing *sanitizing, size_t thread,
	      struct sanitize_way ways[SANITIZE_WAYS])
{
	const struct policy *own = &sanitizing->options->policy;
	enum method_id methods[METHOD_COUNT];
	size_t count = 0;

	ways[count++] = (struct sanitize_way){ *own, "as the options say", true, 0 };
	if (sanitize_walks_once(sanitizing, thread))
		return count;
	/* Breakpad and rust-minidump read only minidumps. */
	if (!sanitizing->logged.core && !sanitizing->logged.microdump) {
		ways[count++] = (struct sanitize_way){ policy_column(POLICY_BREAKPAD),
						       "by --compat breakpad", false, 0 };
		ways[count++] = (struct sanitize_way){ policy_column(POLICY_RUST_MINIDUMP),
						       "by --compat rust-minidump", false,
						       0 };
	}
	struct walk *walk = walk_create(&sanitizing->logged, NULL, NULL, thread, own);
	const size_t method_count = walk != NULL && walk->count > 0 ? walk_methods(walk, methods)
								    : 0;
	for (size_t i = 0; i < method_count; i++) {
		struct sanitize_way *way = &ways[count++];

		*way = (struct sanitize_way){ *own, method_name(methods[i]), true,
						SANITIZE_FRAMES };
		way->policy.methods[0] = (uint8_t)methods[i];
		way->policy.method_count = 1;
	}
	walk_free(walk);
	return count;
}

/* Reads the code around an address, if the dump has the code and a module has the address. */
static void
read_code(const struct walk *walk, const struct frame *frame)
{
	const uint64_t low = frame->lookup > CODE_REACH ? frame->lookup - CODE_REACH : 0;

	for (uint64_t at = low; frame->module != MODULE_NONE && at < low + 2 * CODE_REACH; at++) {
		uint64_t ignored;

		if (module_map_find(&walk->modules, at) == frame->module)
			memory_read(&walk->memory, at, 1, &ignored, NULL);
	}
}

/* Tries every method on a frame. */
static void
read_methods(struct walk *walk, size_t frame)
{
	enum method_id methods[METHOD_COUNT];
	const size_t count = walk_methods(walk, methods);

	for (size_t i = 0; i < count; i++) {
		struct frame caller;
		struct verdict verdict;

		unwind_step_by(walk, frame, methods[i], NULL, &caller, &verdict);
	}
}

static void
ignore(void *context, const char *bytes, size_t length)
{
	(void)context;
	(void)bytes;
	(void)length;
}

static bool
open_locals(void *context, size_t index, struct locals_thread *thread)
{
	(void)index;
	*thread = *(struct locals_thread *)context;
	return true;
}

static void
close_locals(void *context, struct locals_thread *thread)
{
	(void)context;
	(void)thread;
}

/* Reads the memory of variables, as deep as documents show them. */
static void
read_locals(struct walk *walk)
{
	const struct output nowhere = { .write = ignore };
	struct arena arena = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, walk->crash, &arena);
	struct locals_budget budget = locals_budget(walk->crash);
	struct locals_thread thread = { .budget = &budget, .walk = walk, .memory = &memory,
					.only_frame = -1 };
	const struct locals_document document = { 1, open_locals, close_locals, &thread };
	FACTS_DOCUMENT(&nowhere, false, locals, &document);
	arena_free(&arena);
}

/* Walks a thread with the policy of the options, and reads the facts about its frames and crash. */
static void
read_walk(struct sanitizing *sanitizing, size_t thread, struct walk *walk)
{
	const struct crash *crash = &sanitizing->logged;
	struct stack_trust trust;

	for (size_t i = 0; i < walk->count && i < SANITIZE_FRAMES; i++) {
		read_code(walk, &walk->frames[i]);
		if (!sanitize_walks_once(sanitizing, thread))
			read_methods(walk, i);
	}
	stack_trust_of(walk, &trust);
	thread_state_of(crash, thread, walk);
	if ((sanitizing->options->parts & COPY_PART(LOCALS)) != 0) {
		/* Values of a redacted crash are not read, so the copy would not keep them. */
		sanitizing->logged.redacted = false;
		read_locals(walk);
		sanitizing->logged.redacted = true;
	}
	if (crash->requesting_thread == (int)thread)
		analysis_free(analysis_create(crash, walk, sanitizing->binaries,
					      sanitizing->options->rules));
}

/* Reads everything that the copy must have. False when out of memory. */
static bool
read_crash(struct sanitizing *sanitizing)
{
	const struct crash *crash = &sanitizing->logged;
	struct sanitize_way ways[SANITIZE_WAYS];
	struct arena arena = { 0 };
	struct memory_view memory;
	struct sframe_bytes section;
	size_t frames = 0;

	memory_view_all(&memory, crash, &arena);
	dump_reread(crash, &memory);
	for (size_t i = 0; i < crash->module_count; i++)
		sframe_in_memory(&memory, &crash->modules[i], &section);
	for (size_t thread = 0; thread < crash->thread_count; thread++) {
		if (frames >= LIMIT_SANITIZE_FRAMES && thread < sanitizing->once_from)
			sanitizing->once_from = thread;
		const size_t count = sanitize_ways(sanitizing, thread, ways);

		sanitizing->out->once += sanitize_walks_once(sanitizing, thread);
		for (size_t i = 0; i < count; i++) {
			struct walk *walk = walk_create(crash, sanitizing->symbols,
							sanitizing->binaries, thread,
							&ways[i].policy);

			sanitizing->used.failed |= walk == NULL;
			if (walk != NULL)
				walk_run(walk, ways[i].limit);
			if (walk != NULL && i == 0) {
				read_walk(sanitizing, thread, walk);
				frames += walk->count < SANITIZE_FRAMES ? walk->count
									: SANITIZE_FRAMES;
			}
			walk_free(walk);
		}
	}
	if (crash->requesting_thread < 0)
		analysis_free(analysis_create(crash, NULL, sanitizing->binaries,
					      sanitizing->options->rules));
	arena_free(&arena);
	memory_used_sort(&sanitizing->used);
	return !sanitizing->used.failed;
}

/* The memory of the copy ----------------------------------------------------------------------- */

/* Stacks larger than this (common in cores) are cut at both ends where nothing was read. */
#define LARGE_STACK UINT64_C(65536)
#define PAGE UINT64_C(4096)
/* Smaller gaps between used pieces are copied: another list entry would need more bytes. */
#define GAP 16u

struct stack_mark {
	uint64_t address;
	size_t thread;
	/* The mark is the stack pointer, not the base in the descriptor */
	bool pointer;
};

struct memory_maker {
	struct sanitizing *sanitizing;
	struct stack_mark *marks;	/* sorted by address */
	size_t mark_count;
	struct memory_run *runs;
	size_t count, capacity;
	struct module_map modules;
	bool failed;
};

SORTED_BY(compare_marks, struct stack_mark, address)

static bool
find_stacks(struct memory_maker *maker)
{
	struct sanitizing *sanitizing = maker->sanitizing;
	const struct crash *crash = sanitizing->out->crash;

	maker->marks = arena_array(&sanitizing->out->arena, 2 * crash->thread_count + 1,
				   sizeof(*maker->marks));
	for (size_t i = 0; maker->marks != NULL && i < crash->thread_count; i++) {
		const struct crash_context *context = crash_thread_context(crash, i);
		const struct memory_region *stack = crash->threads[i].stack;

		if (context->present)
			maker->marks[maker->mark_count++] = (struct stack_mark){
				context->registers.value[context->arch->sp], i, true };
		if (stack != NULL)
			maker->marks[maker->mark_count++] = (struct stack_mark){ stack->base, i,
								     false };
	}
	SORT(maker->marks, maker->mark_count, compare_marks);
	return maker->marks != NULL;
}

/* Adds bytes of a run: their values if they were read, else zeros. */
static void
add_bytes(struct memory_maker *maker, const struct memory_run *run, uint64_t low, uint64_t end,
	  bool whole)
{
	struct arena *arena = &maker->sanitizing->out->arena;
	struct memory_run *added = ARENA_PUSH(arena, maker->runs, maker->count, maker->capacity);
	uint8_t *bytes = whole ? NULL : arena_array(arena, (size_t)(end - low), 1);
	struct memory_used_range range;

	if (added == NULL || (bytes == NULL && !whole)) {
		maker->failed = true;
		return;
	}
	*added = (struct memory_run){ .base = low, .size = end - low, .region = run->region,
				      .data = whole ? run->data + (low - run->base) : bytes };
	for (uint64_t at = low;
	     !whole && memory_used_next(&maker->sanitizing->used, at, end, &range);
	     at = range.address + range.size)
		if (range.use == MEMORY_READ ||
		    (range.use == MEMORY_REFUSED &&
		     sanitized_keeps(maker->sanitizing->out, COPY_SCANNED)))
			memcpy(bytes + (range.address - low),
			       run->data + (range.address - run->base), (size_t)range.size);
}

/*
 * Adds the used pieces of a run, each with up to `tail` bytes after it. Without these bytes, a scan
 * that stopped after a piece would reach the end of memory in the copy.
 */
static void
add_pieces(struct memory_maker *maker, const struct memory_run *run, uint64_t tail)
{
	const struct memory_used *used = &maker->sanitizing->used;
	const uint64_t end = run->base + run->size;
	struct memory_used_range range;
	uint64_t low = 0, high = 0;

	for (uint64_t at = run->base; memory_used_next(used, at, end, &range);
	     at = range.address + range.size) {
		if (high > 0 && range.address > high && range.address - high > GAP) {
			add_bytes(maker, run, low, high, false);
			high = 0;
		}
		low = high > 0 ? low : range.address;
		high = range.address + range.size;
		high += tail < end - high ? tail : end - high;
	}
	if (high > 0)
		add_bytes(maker, run, low, high, false);
}

/* Cuts unread pages off both ends of a stack; at the low end, only below all stack pointers. */
static void
trim_stack(const struct memory_maker *maker, const struct memory_run *run,
	   const struct stack_mark *mark, uint64_t *low, uint64_t *end)
{
	const struct memory_used *used = &maker->sanitizing->used;
	const struct stack_mark *behind = maker->marks + maker->mark_count;
	const uint64_t whole_end = *end;
	uint64_t first = whole_end - 1, last = *low;
	struct memory_used_range range;

	for (; mark < behind && mark->address - run->base < run->size; mark++)
		if (mark->pointer) {
			first = mark->address < first ? mark->address : first;
			last = mark->address;
		}
	for (uint64_t at = run->base; memory_used_next(used, at, whole_end, &range); at = last) {
		first = range.address < first ? range.address : first;
		last = range.address + range.size;
	}
	*low = (first & ~(PAGE - 1)) > *low ? first & ~(PAGE - 1) : *low;
	if (whole_end - last > LARGE_STACK)
		*end = (last | (PAGE - 1)) + 1;
}

/* Adds the part of a stack that the copy has. `mark` is the first mark in the stack. */
static void
add_stack(struct memory_maker *maker, const struct memory_run *run, const struct stack_mark *mark)
{
	uint64_t low = run->base, end = run->base + run->size;

	if (maker->sanitizing->trims && run->size > LARGE_STACK)
		trim_stack(maker, run, mark, &low, &end);
	if (sanitized_keeps(maker->sanitizing->out, COPY_STACKS))
		add_bytes(maker, run, low, end, true);
	else if (maker->sanitizing->out->absent || end - low > LIMIT_STACK_REGION)
		add_pieces(maker, run, GAP);
	else
		add_bytes(maker, run, low, end, false);
}

static void
list_ranges(struct memory_maker *maker, const struct memory_run *run, int thread)
{
	struct sanitizing *sanitizing = maker->sanitizing;
	struct sanitized *out = sanitizing->out;
	const uint64_t end = run->base + run->size;
	struct memory_used_range range;

	for (uint64_t at = run->base; memory_used_next(&sanitizing->used, at, end, &range);
	     at = range.address + range.size) {
		if (range.use < MEMORY_REFUSED)
			continue;
		struct sanitized_range *added =
			ARENA_PUSH(&out->arena, out->ranges, out->range_count, out->range_capacity);

		maker->failed |= added == NULL;
		if (added == NULL)
			return;
		*added = (struct sanitized_range){
			range.address, range.size, range.use == MEMORY_REFUSED, thread,
			module_map_find(&maker->modules, range.address) };
		*(range.use == MEMORY_REFUSED ? &out->refused : &out->read) += range.size;
	}
}

/* Chooses the memory of the copy from the log, and lists its ranges. */
static bool
choose_memory(struct sanitizing *sanitizing, struct minidump_choice *choice)
{
	struct sanitized *out = sanitizing->out;
	const struct crash *crash = out->crash;
	struct memory_maker maker = { .sanitizing = sanitizing };

	module_map_build(&maker.modules, crash, &sanitizing->options->policy, &out->arena);
	maker.failed = !find_stacks(&maker);
	for (size_t i = 0; i < crash->run_count && !maker.failed; i++) {
		const struct memory_run *run = &crash->runs[i];
		const size_t at = sorted_below(SORTED(maker.marks, maker.mark_count, address),
					       run->base);
		/* The first mark in the run; NULL: the run is not a stack. */
		const struct stack_mark *mark =
			at < maker.mark_count && maker.marks[at].address - run->base < run->size
				? &maker.marks[at] : NULL;

		out->memory += run->size;
		list_ranges(&maker, run, mark != NULL ? (int)mark->thread : -1);
		if (sanitized_keeps(out, COPY_MEMORY))
			add_bytes(&maker, run, run->base, run->base + run->size, true);
		else if (mark != NULL)
			add_stack(&maker, run, mark);
		else
			add_pieces(&maker, run, 0);
	}
	choice->runs = maker.runs;
	choice->run_count = maker.count;
	return !maker.failed;
}

/* The copy ------------------------------------------------------------------------------------- */

const char *
sanitize_name(struct sanitizing *sanitizing, const char *text, struct arena *arena)
{
	return text == NULL ? NULL
			    : user_names_replace(&sanitizing->names, text_of(text), arena).start;
}

/* A path without user names. The file name is kept, because symbols are found by it. */
static const char *
path_of(void *context, const char *path)
{
	struct sanitizing *sanitizing = context;
	struct arena *arena = &sanitizing->out->arena;
	const char *base = place_base_name(path);
	const char *folder = arena_copy(arena, path, (size_t)(base - path));
	const char *shown = sanitize_name(sanitizing, folder, arena);

	if (sanitized_keeps(sanitizing->out, COPY_PATHS) || shown == NULL)
		return shown != NULL ? path : NULL;
	sanitizing->out->paths += strcmp(shown, folder) != 0;
	return arena_format(arena, "%s%s", shown, base);
}

/* Whether a mapping contains an address of the crash, so that the copy names its file. */
static bool
is_of_crash(const struct crash *crash, const struct mapping *mapping)
{
	const struct crash_context *context =
		crash->requesting_thread >= 0
			? crash_thread_context(crash, (size_t)crash->requesting_thread) : NULL;

	if (checked_contains(mapping->base, mapping->size, crash->reason_address))
		return true;
	for (int reg = 0; context != NULL && context->present &&
			  reg < context->arch->register_count; reg++)
		if (registers_known(&context->registers, reg) &&
		    checked_contains(mapping->base, mapping->size, context->registers.value[reg]))
			return true;
	return false;
}

/* A mapped file that is not a module could be a private file of the user. */
static const char *
mapping_name(void *context, const struct mapping *mapping)
{
	struct sanitizing *sanitizing = context;
	const char *name = mapping->name;
	const bool shown = name[0] == '[' || is_of_crash(sanitizing->out->crash, mapping) ||
			   sanitized_keeps(sanitizing->out, COPY_PATHS) ||
			   hash_find(&sanitizing->files,
				     hash_bytes(HASH_START, name, strlen(name)), 0) != NULL;

	return shown ? path_of(sanitizing, name) : "";
}

/* Streams of a core or microdump that have another form in a minidump. */
static const struct {
	uint32_t from, to;
} renamed[] = {
	{ CORE_PRSTATUS, 3 }, { CORE_AUXV, 0x47670008 }, { CORE_FILE, 0x47670009 },
	{ CORE_SIGINFO, 6 }, { CORE_SEGMENTS, 5 }, { 8, 3 }, { 9, 5 },
};

static const struct stream *
stream_of(const struct crash *crash, uint32_t type)
{
	for (size_t i = 0; i < crash->stream_count; i++)
		if (crash->streams[i].type == type)
			return &crash->streams[i];
	return NULL;
}

/* Lists the streams and the size of their copies. Streams of one type share a row. */
static bool
list_streams(struct sanitized *out, const struct crash *copy)
{
	const struct crash *crash = out->crash;

	out->streams = arena_array(&out->arena, crash->stream_count + 1, sizeof(*out->streams));
	for (size_t i = 0; out->streams != NULL && i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		struct sanitized_stream *row = NULL;
		const struct stream *copied = stream_of(copy, stream->type);

		for (size_t j = 0; copied == NULL && j < ARRAY_COUNT(renamed); j++)
			if (renamed[j].from == stream->type)
				copied = stream_of(copy, renamed[j].to);
		for (size_t j = 0; j < out->stream_count && row == NULL; j++)
			if (strcmp(out->streams[j].name, stream->name) == 0)
				row = &out->streams[j];
		if (row == NULL) {
			row = &out->streams[out->stream_count++];
			*row = (struct sanitized_stream){ stream->name, 0,
							  copied != NULL ? copied->size : 0 };
		}
		row->size += stream->size;
	}
	return out->streams != NULL;
}

/* Joins the pieces of the image and opens them as a dump. */
static bool
open_copy(struct sanitizing *sanitizing, struct crash *copy)
{
	struct sanitized *out = sanitizing->out;
	const struct dump_image *image = &out->image;
	size_t used = 0;

	for (size_t i = 0; i < image->count; i++)
		out->size += image->pieces[i].size;
	uint8_t *bytes = arena_alloc(&out->arena, (size_t)out->size);
	if (bytes == NULL) {
		error_memory(sanitizing->error);
		return false;
	}
	for (size_t i = 0; i < image->count; i++) {
		if (image->pieces[i].size > 0)
			memcpy(bytes + used, image->pieces[i].bytes, image->pieces[i].size);
		used += image->pieces[i].size;
	}
	return dump_from_memory(copy, "copy", bytes, used, 0, sanitizing->error) == ERROR_NONE;
}

/* Makes the copy with the current settings and proves it. */
static bool
attempt(struct sanitizing *sanitizing)
{
	struct sanitized *out = sanitizing->out;
	struct minidump_choice choice = { .parts = out->parts, .path = path_of,
					  .mapping = mapping_name, .context = sanitizing };
	struct crash copy = { 0 };
	bool good;

	if (!choose_memory(sanitizing, &choice)) {
		error_memory(sanitizing->error);
		return false;
	}
	good = minidump_copy(out->crash, &choice, &out->arena, &out->image, sanitizing->error) ==
		       ERROR_NONE &&
	       open_copy(sanitizing, &copy) && sanitize_prove(sanitizing, &copy) &&
	       list_streams(out, &copy);
	crash_free(&copy);
	return good;
}

/* Collects the paths of modules, which the memory map may also contain. */
static bool
learn_files(struct sanitizing *sanitizing)
{
	const struct crash *crash = sanitizing->out->crash;
	bool good = true;

	sanitizing->names.active = true;
	crash_learn_names(crash, &sanitizing->names);
	crash_learn_user(&sanitizing->names);
	for (size_t i = 0; i < crash->module_count; i++) {
		const char *path = crash->modules[i].code_file;

		good = good && hash_put(&sanitizing->files,
					hash_bytes(HASH_START, path, strlen(path)), 0, path);
	}
	return good;
}

enum error_code
sanitize(struct sanitized *sanitized, const struct crash *crash, struct symbols *symbols,
	 struct binaries *binaries, const struct sanitize_options *options, struct error *error)
{
	struct sanitizing sanitizing = { .options = options, .symbols = symbols,
					 .binaries = binaries, .logged = *crash,
					 .once_from = SIZE_MAX, .out = sanitized, .error = error };

	*sanitized = (struct sanitized){ .crash = crash, .parts = options->parts };
	struct arena arena = { 0 };
	memory_used_init(&sanitizing.used, &arena);
	sanitizing.logged.log = &sanitizing.used.log;
	/* Values that reports redact are not read for the copy. */
	sanitizing.logged.redacted = true;
	bool good = learn_files(&sanitizing) && read_crash(&sanitizing);
	if (!good)
		error_memory(error);
	/* If a report needs a stack's end or words that a scan saw, copy more and try again. */
	for (unsigned i = 0; good; i++) {
		sanitizing.trims = i < 1;
		sanitized->absent = options->absent && i < 2;
		sanitized->parts |= i < 3 ? 0 : COPY_PART(SCANNED);
		if (attempt(&sanitizing))
			break;
		good = error->code == ERROR_FORMAT && i < 3;
		arena_free(&sanitized->arena);
		*sanitized = (struct sanitized){ .crash = crash, .parts = sanitized->parts,
						 .once = sanitized->once };
	}
	hash_free(&sanitizing.used.pages);
	arena_free(&arena);
	hash_free(&sanitizing.files);
	user_names_free(&sanitizing.names);
	return good ? ERROR_NONE : error->code;
}

void
sanitized_free(struct sanitized *sanitized)
{
	arena_free(&sanitized->arena);
}

const char *
sanitize_parse_parts(const char *list, unsigned *parts)
{
	while (*list != '\0') {
		const struct text word = { list, strcspn(list, ",") };
		bool found = false;

		for (size_t i = 0; i < ARRAY_COUNT(copy_part_words); i++)
			if (text_is(word, copy_part_words[i].name)) {
				*parts |= 1u << i;
				found = true;
			}
		if (!found)
			return "'%s' is no list of parts:"
#define PART(id, name, words) " " name
#include "dump/write/copy_part.def"
			       ;
		list += word.length;
		list += *list == ',';
	}
	return NULL;
}
