/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/export_case.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/checked.h"
#include "base/output.h"
#include "base/sorted.h"
#include "dump/dump.h"
#include "dump/write/write.h"
#include "locate/layout.h"
#include "report/report.h"
#include "system/door.h"
#include "system/new_file.h"
#include "system/shortage.h"
#include "walk/overlay.h"

/* Limit of bytes of stack in a case, including the gaps between its words. */
#define MOST_STACK ((uint64_t)4 << 20)

/* The first line of a case's README.md, which marks a directory that may be overwritten. */
static const char title[] = "# One step of an unwinder\n";

struct memory_word {
	uint64_t address;
	unsigned size;
	bool refused;			/* a scan refused it: it points to no code */
};

/* The words that the step read, collected by the log of the memory. */
struct word_log {
	struct memory_log log;
	struct arena *arena;
	struct memory_word *words;
	size_t count, capacity;
	bool full;			/* out of memory: words are missing */
};

struct case_maker {
	struct walk *walk;
	size_t frame;
	/* Paths of the case's files, and of its folder of symbol files */
	const char *dump, *readme, *symbols;
	bool over, crashed;		/* replace files; the case has the exception */
	struct arena arena;
	struct frame caller;
	struct verdict verdict;
	struct registers registers;	/* registers of the case's frame 0 */
	uint64_t added;			/* bytes added to frame 0's stack pointer for parameters */
	bool unlinked;			/* the case's link register is left out */
	struct word_log log;		/* words that were read, by address, without repetition */
	size_t modules[2];
	size_t module_count;
	struct case_export *result;
	struct new_files *made;		/* files to remove if the case is incomplete */
	struct error *error;
};

/* Files ---------------------------------------------------------------------------------------- */

static bool
export_directory(struct case_maker *maker, const char *path, bool fresh)
{
	return new_files_directory(maker->made, path, fresh, maker->error) == ERROR_NONE;
}

static bool
has_case(struct case_maker *maker)
{
	struct file file;

	if (file_open_head(&file, maker->readme, sizeof(title) - 1, NULL) != ERROR_NONE)
		return false;
	const bool same = file.size == sizeof(title) - 1 &&
			  memcmp(file.data, title, sizeof(title) - 1) == 0;
	file_close(&file);
	return same;
}

/* Writes a new file, or overwrites a file of an existing case. */
static bool
export_file(struct case_maker *maker, const char *path, const void *bytes, size_t size)
{
	return new_files_write(maker->made, path, bytes, size, maker->over, maker->error) ==
	       ERROR_NONE;
}

/* The step and its reads ----------------------------------------------------------------------- */

SORTED_BY_ALL(compare_words, struct memory_word, SORTED_UP(address) SORTED_DOWN(size))

static void
note_word(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct word_log *words = (struct word_log *)log;

	if (use < MEMORY_REFUSED)
		return;
	words->full |= !ARENA_ADD(
		words->arena, words->words, words->count, words->capacity,
		&(struct memory_word){ address, (unsigned)size, use == MEMORY_REFUSED });
}

static bool
take_step(struct case_maker *maker)
{
	struct walk *walk = maker->walk;
	const bool lacked = shortage_first() != NULL;

	maker->log = (struct word_log){ .log = { note_word }, .arena = &maker->arena };
	walk->memory.log = &maker->log.log;
	unwind_step(walk, maker->frame, NULL, &maker->caller, &maker->verdict);
	walk->memory.log = NULL;
	size_t used = 0;
	SORT(maker->log.words, maker->log.count, compare_words);
	for (size_t i = 0; i < maker->log.count; i++)
		if (used == 0 || maker->log.words[used - 1].address != maker->log.words[i].address)
			maker->log.words[used++] = maker->log.words[i];
		else
			maker->log.words[used - 1].refused &= maker->log.words[i].refused;
	maker->log.count = used;
	if (maker->log.full)
		return false;
	/* If memory ran out, a weaker method may have made the step: the case would be wrong. */
	if (lacked || shortage_first() == NULL)
		return true;
	error_plain(maker->error, ERROR_MEMORY, "the case would be incomplete: %.150s",
		    shortage_first());
	return false;
}

static void
add_module(struct case_maker *maker, int module)
{
	if (module == MODULE_NONE ||
	    (maker->module_count > 0 && maker->modules[0] == (size_t)module))
		return;
	maker->modules[maker->module_count++] = (size_t)module;
}

/* The dump ------------------------------------------------------------------------------------- */

static bool
is_in(const struct memory_run *run, const struct memory_word *word)
{
	return run != NULL && checked_contains(run->base, run->size, word->address) &&
	       word->size <= run->size - (word->address - run->base);
}

/* Whether the case has 0 instead of the word's value. */
static bool
is_blank(const struct case_maker *maker, const struct memory_word *word)
{
	return word->refused && maker->walk->crash->redacted;
}

/* The bytes of the words between two addresses; gaps are 0. */
static uint8_t *
copy_words(struct case_maker *maker, uint64_t base, size_t size)
{
	uint8_t *bytes = arena_alloc(&maker->arena, size);

	for (size_t i = 0; bytes != NULL && i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		const struct memory_run *run =
			memory_run_of(&maker->walk->memory, word->address);

		if (!is_blank(maker, word) && is_in(run, word) && word->address >= base &&
		    word->address - base + word->size <= size)
			memcpy(bytes + (word->address - base),
			       run->data + (word->address - run->base), word->size);
	}
	return bytes;
}

/* Makes the stack of the case: the frame's part, extended to all words read in that memory. */
static bool
make_stack(struct case_maker *maker, struct memory_run *stack)
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
	if (run == NULL)
		return true;
	if (maker->verdict.kind == VERDICT_TAKEN) {
		const uint64_t after = maker->caller.registers.value[walk->arch->sp];

		if (after > high && after - run->base <= run->size)
			high = after;
	}
	if (high - run->base > run->size)
		high = run->base + run->size;
	if (high - low > MOST_STACK) {
		error_plain(maker->error, ERROR_FORMAT,
			    "the step reads words %" PRIu64 " bytes apart, too far for a case",
			    high - low);
		return false;
	}
	stack->base = low;
	stack->size = high - low;
	return true;
}

SORTED_BY(compare_runs, struct memory_run, base)

/*
 * Adds runs for words outside the stack. On entry, runs[0] is the stack (size 0: none). Returns the
 * number of runs, which are sorted by address; SIZE_MAX: out of memory.
 */
static size_t
make_runs(struct case_maker *maker, struct memory_run *runs)
{
	static const struct memory_region region = { 0 };
	const struct memory_run stack = runs[0];
	size_t count = stack.size > 0;

	for (size_t i = 0; i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		struct memory_run *last = count > (stack.size > 0) ? &runs[count - 1] : NULL;
		const uint64_t end = word->address + word->size;

		if (word->address >= stack.base && end <= stack.base + stack.size)
			continue;
		if (last == NULL || word->address > last->base + last->size)
			runs[count++] = (struct memory_run){ .base = word->address,
							     .size = word->size };
		else if (end > last->base + last->size)
			last->size = end - last->base;
	}
	for (size_t i = 0; i < count; i++) {
		runs[i].region = &region;
		runs[i].data = copy_words(maker, runs[i].base, (size_t)runs[i].size);
		if (runs[i].data == NULL)
			return SIZE_MAX;
	}
	SORT(runs, count, compare_runs);
	return count;
}

static const char *
base_name(void *context, const char *path)
{
	(void)context;
	return place_base_name(path);
}

/* Writes the dump: one thread with only the data of the step. */
static bool
write_dump(struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const struct crash *crash = walk->crash;
	struct thread thread = {
		.id = crash->threads[walk->thread].id,
		.context = { .present = true, .flags = walk->context->flags,
			     .layout = walk->context->layout, .arch = walk->context->arch,
			     .registers = maker->registers },
	};
	struct module modules[ARRAY_COUNT(maker->modules)];
	struct crash small = { .reader.big_endian = crash->reader.big_endian,
			       .time = crash->time, .system = crash->system, .microdump = true,
			       .threads = &thread, .thread_count = 1, .requesting_thread = -1,
			       .modules = modules, .module_count = maker->module_count };
	struct memory_run *runs = arena_array(&maker->arena, maker->log.count + 1, sizeof(*runs));
	struct output_string file;
	struct dump_image image;

	if (runs == NULL)
		return false;
	minidump_context(&thread.context);
	small.system.os_version = NULL;
	small.system.cpu_count = 1;
	for (size_t i = 0; i < maker->module_count; i++)
		modules[i] = crash->modules[maker->modules[i]];
	maker->crashed = maker->frame == 0 && crash->exception.thread_id == thread.id;
	if (maker->crashed)
		small.exception = crash->exception;
	maker->result->words = maker->log.count;
	const size_t count = make_stack(maker, &runs[0]) ? make_runs(maker, runs) : SIZE_MAX;
	const struct minidump_choice choice = { .runs = runs, .run_count = count,
						.path = base_name };
	if (count == SIZE_MAX || minidump_copy(&small, &choice, &maker->arena, &image,
					       maker->error) != ERROR_NONE)
		return false;
	output_string_init(&file, &maker->arena);
	for (size_t i = 0; i < image.count; i++)
		file.output.write(file.output.context, (const char *)image.pieces[i].bytes,
				  image.pieces[i].size);
	if (file.text == NULL || file.length != image.pieces[0].size + image.memory)
		return false;
	return export_file(maker, maker->dump, file.text, file.length);
}

/* Proof ---------------------------------------------------------------------------------------- */

static bool
is_same_register(const struct registers *a, const struct registers *b, int reg)
{
	return reg < 0 || !registers_known(a, reg) ||
	       (registers_known(b, reg) && a->value[reg] == b->value[reg]);
}

static bool
prove(struct case_maker *maker)
{
	struct crash crash;

	if (dump_open(&crash, maker->dump, 0, maker->error) != ERROR_NONE)
		return false;
	struct symbols *symbols =
		symbols_create(crash.modules, crash.module_count, &maker->symbols, 1);
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
				"%s %#" PRIx64 ", %s %#" PRIx64 " by %s",
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
 * Leaves the link register out if the frame made a call. A walk uses that register only in a
 * thread's first frame, where it would now name a wrong caller.
 */
static bool
unlink_frame(struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const int lr = walk->arch->lr;

	if (lr < 0 || walk->frames[maker->frame].interrupted)
		return true;
	maker->registers.known &= ~(UINT64_C(1) << lr);
	maker->unlinked = true;
	return (maker->over || door_remove(maker->dump) == 0) && write_dump(maker) && prove(maker);
}

/* The records of symbol files that a step used ------------------------------------------------- */

struct records {
	struct case_maker *maker;
	const struct symfile *symfile;
	struct output_string text;
	size_t count;
};

static void
add_bytes(struct records *records, struct text text)
{
	const struct output *output = &records->text.output;

	output->write(output->context, text.start, text.length);
	output->write(output->context, "\n", 1);
	records->count++;
}

/* Adds a record as in the file, or as a what-if edit made it. */
static void
add_record(struct records *records, uint64_t offset)
{
	struct record_edit line;

	if (record_edit_at(records->symfile, offset, &line))
		add_bytes(records, line.now);
}

static void
add_function(struct records *records, uint64_t address, uint64_t *last)
{
	struct function function;

	if (!symfile_function(records->symfile, &records->maker->walk->policy, address,
			      &function) ||
	    function.offset == *last)
		return;
	add_record(records, function.offset);
	*last = function.offset;
}

static bool
write_records(struct records *records, const char *name, const char *id)
{
	struct case_maker *maker = records->maker;
	const size_t length = strlen(name);
	const bool pdb = length > 4 && strcasecmp(name + length - 4, ".pdb") == 0;
	const char *folder = arena_format(&maker->arena, "%s/%s", maker->symbols, name);
	const char *inner = arena_format(&maker->arena, "%s/%s/%s", maker->symbols, name, id);
	const char *file = arena_format(&maker->arena, "%s/%s/%s/%.*s.sym", maker->symbols, name,
					id, (int)(pdb ? length - 4 : length), name);

	if (folder == NULL || inner == NULL || file == NULL || records->text.text == NULL)
		return false;
	return export_directory(maker, folder, false) && export_directory(maker, inner, false) &&
	       export_file(maker, file, records->text.text, records->text.length);
}

/* Writes symbols/NAME/ID/NAME.sym for a module; nothing if the module has no symbols. */
static bool
export_module(struct case_maker *maker, size_t index)
{
	const struct walk *walk = maker->walk;
	const struct module *module = &walk->crash->modules[index];
	const struct frame *frame = &walk->frames[maker->frame];
	const char *name = place_base_name(module->debug_file);
	struct records records = { .maker = maker,
				   .symfile = walk_symfile(walk, (int)index) };
	uint64_t last = UINT64_MAX;

	if (records.symfile == NULL || !layout_safe_name(name) ||
	    !layout_safe_name(module->debug_id))
		return true;
	const struct symfile_identity identity = symfile_identity(records.symfile);
	output_string_init(&records.text, &maker->arena);
	const char *head = arena_format(&maker->arena, "MODULE %.*s %.*s %s %s",
					(int)identity.os.length, identity.os.start,
					(int)identity.arch.length, identity.arch.start,
					module->debug_id, name);
	if (head == NULL)
		return false;
	add_bytes(&records, text_of(head));
	if ((size_t)frame->module == index)
		add_function(&records, frame->lookup - module->base, &last);
	if (maker->verdict.kind == VERDICT_TAKEN &&
	    module_map_find(&walk->modules, maker->caller.lookup) == (int)index)
		add_function(&records, maker->caller.lookup - module->base, &last);
	if ((size_t)frame->module == index) {
		const uint64_t address = frame->lookup - module->base;
		struct stack_cfi_records cfi;
		struct stack_win win;

		for (unsigned type = 0; type <= 4; type += 4)
			if (symfile_stack_win(records.symfile, &walk->policy, type, address,
					      &win))
				add_record(&records, win.offset);
		if (symfile_stack_cfi(records.symfile, &walk->policy, address, &maker->arena,
				      &cfi)) {
			add_bytes(&records, stack_cfi_line(&cfi.init));
			for (size_t i = 0; i < cfi.delta_count; i++)
				add_bytes(&records, stack_cfi_line(&cfi.deltas[i]));
		}
	}
	maker->result->records += records.count;
	return write_records(&records, name, module->debug_id);
}

/* The case's README ---------------------------------------------------------------------------- */

static void
write_frame(const struct output *output, struct case_maker *maker, const struct frame *frame)
{
	output_text(output, location_frame_name(maker->walk, frame, false, &maker->arena));
}

static void
write_value(const struct output *output, const struct arch *arch, const struct registers *registers,
	    int reg)
{
	if (reg < 0)
		return;
	output_format(output, "    %-6s ", arch->registers[reg].label);
	if (registers_known(registers, reg))
		output_format(output, "%0*" PRIx64 "\n", report_digits(arch),
			      registers->value[reg]);
	else
		output_plain(output, "unknown\n");
}

static void
write_answer(const struct output *output, struct case_maker *maker)
{
	const struct arch *arch = maker->walk->arch;
	const struct case_export *result = maker->result;

	if (maker->verdict.kind == VERDICT_TAKEN) {
		output_format(output, "With the rules of %s the caller is\n\n    ",
			      method_name(maker->verdict.method));
		write_frame(output, maker, &maker->caller);
		output_plain(output, "\n");
		write_value(output, arch, &maker->caller.registers, arch->pc);
		write_value(output, arch, &maker->caller.registers, arch->sp);
		write_value(output, arch, &maker->caller.registers, arch->fp);
	} else {
		output_plain(output, "The stack ends here:\n\n    ");
		output_text(output, text_of(maker->verdict.text));
		output_plain(output, "\n");
	}
	output_plain(output, "\n");
	if (result->same) {
		output_plain(output, "The case was walked after writing and gives exactly this.\n");
		return;
	}
	output_plain(output, "**The case gives another result**: ");
	output_text(output, text_of(result->found));
	output_plain(output, ". The step also depends on code, an SFrame section, or the "
			     "callees\nof this frame.\n");
}

/* Writes the changes that make the frame a thread's first frame. */
static void
write_changes(const struct output *output, const struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const struct arch *arch = walk->arch;
	const struct frame *frame = &walk->frames[maker->frame];

	if (frame->lookup != frame->registers.value[arch->pc])
		output_format(output,
			      "- %s is %" PRIu64 " less than the return address was, so that it "
			      "lies in the call.\n",
			      arch->registers[arch->pc].label,
			      frame->registers.value[arch->pc] - frame->lookup);
	if (maker->added > 0)
		output_format(output,
			      "- %s is %" PRIu64 " more: the parameters of the frame's callee, "
			      "which is not here.\n",
			      arch->registers[arch->sp].label, maker->added);
	if (maker->unlinked)
		output_format(output, "- %s is left out: it has no meaning after a call.\n",
			      arch->registers[arch->lr].label);
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved && !registers_known(&frame->registers, reg))
			output_format(output, "- %s was unknown and is 0 here.\n",
				      arch->registers[reg].label);
	if (walk->overlay != NULL)
		output_plain(output, "- What-if edits of records are in the symbol file.\n");
}

static bool
export_readme(struct case_maker *maker)
{
	const struct frame *frame = &maker->walk->frames[maker->frame];
	struct output_string text;
	const struct output *output = &text.output;
	const struct walk *walk = maker->walk;
	const int digits = report_digits(walk->arch);

	output_string_init(&text, &maker->arena);
	output_format(output, "%s\nFrame %zu of a crash, ", title, maker->frame);
	write_frame(output, maker, frame);
	output_format(output, ", as the first frame of a thread "
			      "(%s).\n\n", maker->walk->arch->name);
	write_answer(output, maker);
	output_plain(output, "\n```\nunspool explain crash.dmp symbols\n"
			     "minidump_stackwalk crash.dmp symbols\n```\n\n");
	write_changes(output, maker);
	output_plain(output, "\n");
	output_format(output, "## What is in it\n\nThe case contains only the registers of this "
		      "frame, %sthe names of its modules without\ntheir paths, the names of two "
		      "functions, the records in `symbols`, and these words of memory:\n\n",
		      maker->crashed ? "the crash's exception with its\nparameters, " : "");
	for (size_t i = 0; i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		uint64_t value = 0;

		if (!is_blank(maker, word))
			memory_read(&walk->memory, word->address, word->size, &value, NULL);
		output_format(output, "    %0*" PRIx64 "  %0*" PRIx64 "\n", digits, word->address,
			      (int)word->size * 2, value);
	}
	if (maker->log.count == 0)
		output_plain(output, "    none: the rules use registers alone\n");
	output_plain(output, "\nRegisters and words may be private. Check them before you send "
			     "this. Zeros between the\nwords of the stack replace omitted "
			     "memory.\n");
	return text.text != NULL && export_file(maker, maker->readme, text.text, text.length);
}

enum error_code
case_export(struct walk *walk, size_t frame, const char *directory, struct case_export *result,
	    struct error *error)
{
	struct new_files unused = { 0 };
	struct case_maker maker = { .walk = walk, .frame = frame, .result = result,
				    .made = result->made != NULL ? result->made : &unused,
				    .error = error };

	*maker.error = (struct error){ 0 };
	maker.dump = arena_format(&maker.arena, "%s/crash.dmp", directory);
	maker.readme = arena_format(&maker.arena, "%s/README.md", directory);
	maker.symbols = arena_format(&maker.arena, "%s/symbols", directory);
	bool good = maker.dump != NULL && maker.readme != NULL && maker.symbols != NULL;
	maker.over = good && result->over && has_case(&maker);
	good = good && take_step(&maker) && export_directory(&maker, directory, !maker.over);
	if (good) {
		/*
		 * The frame becomes a thread's first frame: it is looked up by its pc itself, and
		 * has no callee whose parameters STACK WIN would count.
		 */
		const struct frame *from = &walk->frames[frame];

		maker.registers = from->registers;
		maker.registers.value[walk->arch->pc] = from->lookup;
		if (maker.verdict.method == METHOD_STACK_WIN && from->parameters > 0 && frame > 0) {
			maker.added = (uint64_t)from->parameters;
			maker.registers.value[walk->arch->sp] += maker.added;
		}
		add_module(&maker, from->module);
		if (maker.verdict.kind == VERDICT_TAKEN)
			add_module(&maker, module_map_find(&walk->modules, maker.caller.lookup));
		good = export_directory(&maker, maker.symbols, false);
		for (size_t i = 0; good && i < maker.module_count; i++)
			good = export_module(&maker, maker.modules[i]);
		good = good && write_dump(&maker) && prove(&maker) &&
		       (result->same || unlink_frame(&maker)) && export_readme(&maker);
	}
	if (!good)
		new_files_remove(maker.made);
	new_files_free(&unused);
	arena_free(&maker.arena);
	if (good)
		return ERROR_NONE;
	/* A failure without an error is a lack of memory. */
	return maker.error->code != ERROR_NONE ? maker.error->code : error_memory(maker.error);
}
