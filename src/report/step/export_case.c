/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/export_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checked.h"
#include "dump/dump.h"

/* Bytes of stack that a case has at most, with what lies between its words. */
#define MOST_STACK ((uint64_t)4 << 20)

const char *
export_path(struct case_maker *maker, const char *format, ...)
{
	char rest[1024];
	va_list arguments;

	va_start(arguments, format);
	const int length = vsnprintf(rest, sizeof(rest), format, arguments);
	va_end(arguments);
	const char *path = length < 0 || (size_t)length >= sizeof(rest)
				   ? NULL
				   : arena_format(&maker->arena, "%s/%s", maker->directory, rest);
	if (path == NULL)
		error_set(maker->error, ERROR_MEMORY, (struct place){ 0 }, "a path is too long");
	return path;
}

bool
export_directory(struct case_maker *maker, const char *path, bool fresh)
{
	if (mkdir(path, 0777) == 0 || (errno == EEXIST && !fresh))
		return true;
	error_set(maker->error, ERROR_IO, (struct place){ 0 }, "cannot create '%.150s': %s", path,
		  strerror(errno));
	return false;
}

bool
export_file(struct case_maker *maker, const char *path, const void *bytes, size_t size)
{
	FILE *file = path != NULL ? fopen(path, "wxe") : NULL;

	if (file == NULL) {
		error_set(maker->error, ERROR_IO, (struct place){ 0 },
			  "cannot write '%.150s': %s", path != NULL ? path : "",
			  strerror(errno));
		return false;
	}
	const bool whole = fwrite(bytes, 1, size, file) == size;
	if (fclose(file) == 0 && whole)
		return true;
	error_set(maker->error, ERROR_IO, (struct place){ 0 }, "'%.150s' is incomplete", path);
	return false;
}

/* The step, and what it reads ---------------------------------------------------------------------*/

static int
compare_words(const void *left, const void *right)
{
	const struct memory_word *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->size > b->size ? -1 : a->size < b->size;
}

static bool
take_step(struct case_maker *maker)
{
	struct walk *walk = maker->walk;

	maker->log.arena = &maker->arena;
	walk->memory.log = &maker->log;
	unwind_step(walk, maker->frame, NULL, &maker->caller, &maker->verdict);
	walk->memory.log = NULL;
	/* The words in order, each once. */
	size_t used = 0;
	if (maker->log.count > 1)
		qsort(maker->log.words, maker->log.count, sizeof(*maker->log.words), compare_words);
	for (size_t i = 0; i < maker->log.count; i++)
		if (used == 0 || maker->log.words[used - 1].address != maker->log.words[i].address)
			maker->log.words[used++] = maker->log.words[i];
	maker->log.count = used;
	if (!maker->log.full)
		return true;
	error_memory(maker->error);
	return false;
}

/*
 * The frame becomes a thread's first one, which is looked up by its pc itself, and has no callee
 * whose parameters STACK WIN would count.
 */
static void
set_registers(struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const struct frame *frame = &walk->frames[maker->frame];

	maker->registers = frame->registers;
	maker->registers.value[walk->arch->pc] = frame->lookup;
	if (maker->verdict.method == METHOD_STACK_WIN && frame->parameters > 0 &&
	    maker->frame > 0) {
		maker->added = (uint64_t)frame->parameters;
		maker->registers.value[walk->arch->sp] += maker->added;
	}
}

static void
add_module(struct case_maker *maker, int module)
{
	if (module == MODULE_NONE ||
	    (maker->module_count > 0 && maker->modules[0] == (size_t)module))
		return;
	maker->modules[maker->module_count++] = (size_t)module;
}

/* The dump ------------------------------------------------------------------------------------------*/

static bool
is_in(const struct memory_run *run, const struct memory_word *word)
{
	return run != NULL && checked_contains(run->base, run->size, word->address) &&
	       word->size <= run->size - (word->address - run->base);
}

/* The bytes of the words between two addresses; what lies between them is 0. */
static uint8_t *
copy_words(struct case_maker *maker, uint64_t base, size_t size)
{
	uint8_t *bytes = arena_alloc(&maker->arena, size);

	for (size_t i = 0; bytes != NULL && i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		const struct memory_run *run =
			memory_run_of(&maker->walk->memory, word->address);

		if (is_in(run, word) && word->address >= base &&
		    word->address - base + word->size <= size)
			memcpy(bytes + (word->address - base),
			       run->data + (word->address - run->base), word->size);
	}
	return bytes;
}

/* One run from the stack pointer over all words of the stack, up to where the caller's stands. */
static bool
make_stack(struct case_maker *maker, struct minidump_memory *stack)
{
	const struct walk *walk = maker->walk;
	const uint64_t sp = walk->frames[maker->frame].registers.value[walk->arch->sp];
	const struct memory_run *run = memory_run_of(&walk->memory, sp);
	uint64_t low = sp, high = sp + walk->arch->word_size;

	for (size_t i = 0; i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];

		if (!is_in(run, word))
			continue;
		low = word->address < low ? word->address : low;
		high = word->address + word->size > high ? word->address + word->size : high;
	}
	if (run == NULL) {
		*stack = (struct minidump_memory){ 0 };
		return true;
	}
	if (maker->verdict.kind == VERDICT_TAKEN) {
		const uint64_t after = maker->caller.registers.value[walk->arch->sp];

		if (after > high && after - run->base <= run->size)
			high = after;
	}
	if (high - run->base > run->size)
		high = run->base + run->size;
	if (high - low > MOST_STACK) {
		error_set(maker->error, ERROR_FORMAT, (struct place){ 0 },
			  "the step reads words %" PRIu64 " bytes apart, too far for a case",
			  high - low);
		return false;
	}
	*stack = (struct minidump_memory){ low, copy_words(maker, low, (size_t)(high - low)),
					   (size_t)(high - low) };
	return stack->bytes != NULL;
}

static bool
write_dump(struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const struct crash *crash = walk->crash;
	const struct thread *thread = &crash->threads[walk->thread];
	const bool crashed = maker->frame == 0 && crash->exception.present &&
			     crash->exception.thread_id == thread->id;
	struct minidump_memory *memory =
		arena_array(&maker->arena, maker->log.count + 1, sizeof(*memory));
	struct minidump_plan plan = { .crash = crash, .like = walk->context,
				      .registers = &maker->registers, .thread_id = thread->id,
				      .memory = memory, .modules = maker->modules,
				      .module_count = maker->module_count,
				      .exception = crashed ? &crash->exception : NULL };
	uint8_t *bytes;
	size_t size;

	if (memory == NULL) {
		error_memory(maker->error);
		return false;
	}
	if (!make_stack(maker, &plan.stack))
		return false;
	/* Words outside of the stack: each run of them is a region. */
	size_t count = 0;

	for (size_t i = 0; i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		struct minidump_memory *last = count > 0 ? &memory[count - 1] : NULL;
		const uint64_t end = word->address + word->size;

		if (word->address >= plan.stack.base && end <= plan.stack.base + plan.stack.size)
			continue;
		if (last != NULL && word->address <= last->base + last->size) {
			if (end > last->base + last->size)
				last->size = (size_t)(end - last->base);
		} else {
			memory[count++] = (struct minidump_memory){ word->address, NULL,
								    word->size };
		}
	}
	for (size_t i = 0; i < count; i++)
		memory[i].bytes = copy_words(maker, memory[i].base, memory[i].size);
	plan.memory_count = count;
	maker->result->words = maker->log.count;
	return minidump_write(&plan, &maker->arena, &bytes, &size, maker->error) == ERROR_NONE &&
	       export_file(maker, export_path(maker, "crash.dmp"), bytes, size);
}

/* Proof ---------------------------------------------------------------------------------------------*/

static bool
is_same_register(const struct registers *a, const struct registers *b, int reg)
{
	return reg < 0 || !registers_known(a, reg) ||
	       (registers_known(b, reg) && a->value[reg] == b->value[reg]);
}

/* Walk what was written, as anybody would. */
static bool
prove(struct case_maker *maker)
{
	const char *dump = export_path(maker, "crash.dmp");
	const char *paths[] = { export_path(maker, "symbols") };
	struct crash crash;

	if (dump == NULL || paths[0] == NULL ||
	    dump_open(&crash, dump, maker->error) != ERROR_NONE)
		return false;
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, paths, 1);
	struct walk *walk = symbols == NULL ? NULL
					    : walk_create(&crash, symbols, NULL, 0,
							  &maker->walk->policy);
	if (walk != NULL) {
		walk_run(walk, 2);
		const struct arch *arch = maker->walk->arch;
		struct case_export *result = maker->result;
		const bool taken = maker->verdict.kind == VERDICT_TAKEN;

		result->same = taken == (walk->count > 1);
		if (taken && walk->count > 1) {
			const struct registers *found = &walk->frames[1].registers;
			const struct registers *wanted = &maker->caller.registers;

			result->same = is_same_register(wanted, found, arch->pc) &&
				       is_same_register(wanted, found, arch->sp) &&
				       is_same_register(wanted, found, arch->fp);
			snprintf(result->found, sizeof(result->found),
				"%s %" PRIx64 ", %s %" PRIx64 " by %s",
				arch->registers[arch->pc].label, found->value[arch->pc],
				arch->registers[arch->sp].label, found->value[arch->sp],
				method_name(walk->frames[1].method));
		} else {
			snprintf(result->found, sizeof(result->found), "%s", walk->end.text);
		}
	}
	walk_free(walk);
	symbols_free(symbols);
	crash_free(&crash);
	return walk != NULL;
}

/*
 * A link register counts for a thread's first frame, and only there: where the frame had made a
 * call it would lead astray.
 */
static bool
unlink_frame(struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const int lr = walk->arch->lr;
	const char *path = export_path(maker, "crash.dmp");

	if (lr < 0 || walk->frames[maker->frame].interrupted || path == NULL)
		return path != NULL;
	maker->registers.known &= ~(UINT64_C(1) << lr);
	maker->unlinked = true;
	return remove(path) == 0 && write_dump(maker) && prove(maker);
}

enum error_code
case_export(struct walk *walk, size_t frame, const char *directory, struct case_export *result,
	    struct error *error)
{
	struct error own = { 0 };
	struct case_maker maker = { .walk = walk, .frame = frame, .directory = directory,
				    .result = result, .error = error != NULL ? error : &own };

	*result = (struct case_export){ 0 };
	arena_init(&maker.arena, 0);
	bool good = take_step(&maker) && export_directory(&maker, directory, true);
	if (good) {
		set_registers(&maker);
		add_module(&maker, maker.walk->frames[maker.frame].module);
		if (maker.verdict.kind == VERDICT_TAKEN)
			add_module(
				&maker, module_map_find(&maker.walk->modules, maker.caller.lookup));
		good = export_symbols(&maker) && write_dump(&maker) && prove(&maker) &&
		       (result->same || unlink_frame(&maker)) && export_readme(&maker);
	}
	arena_free(&maker.arena);
	return good ? ERROR_NONE : maker.error->code != ERROR_NONE ? maker.error->code
								    : ERROR_MEMORY;
}
