/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "dump/describe_internal.h"

/*
 * The notes of ELF cores: threads, the process and its files, as the kernel, gdb and qemu write
 * them. Sources: Linux uapi/linux/elfcore.h, asm/elf.h and asm/ptrace.h of each architecture.
 */

/* Threads -------------------------------------------------------------------------------------- */

#define SIGNAL_AT 12u		/* pr_cursig */

bool
core_thread_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct crash *crash = minidump->crash;
	const bool wide = core_word(crash) == 8;
	const struct context_layout *layout =
		core_context_layout(crash->system.arch, wide ? 8 : 4);
	struct thread thread = { .place = stream->place };
	uint16_t signal = 0;
	char whose[32];

	if (crash->thread_count >= LIMIT_THREADS)
		return false;
	reader_u32(window, wide ? 32 : minidump->core->halfwords ? 22 : 24, &thread.id);
	if (layout != NULL) {
		snprintf(whose, sizeof(whose), "thread 0x%" PRIx32, thread.id);
		thread.context.place = reader_place(window, 0, window->size);
		context_decode_as(minidump, layout, window, (uint32_t)window->size, whose,
				  &thread.context);
	}
	/* Every thread has a signal; the first thread has the signal of the crash. */
	reader_u16(window, SIGNAL_AT, &signal);
	if (crash->thread_count == 0 && signal != 0)
		crash->exception = (struct crash_exception){
			.present = true, .thread_id = thread.id, .code = signal,
			.place = reader_place(window, SIGNAL_AT, 2) };
	return minidump_append(minidump, &crash->threads, &crash->thread_count,
			       &minidump->core->thread_capacity, &thread, sizeof(thread));
}

void
core_thread_describe(struct describe *describe, const struct reader *window)
{
	const struct crash *crash = describe->crash;
	const struct context_layout *layout =
		core_context_layout(crash->system.arch, core_word(crash));

	if (layout == NULL) {
		describe_bytes(describe, "bytes", window, 0, window->size);
		return;
	}
	describe_structure(describe, *layout->fields, window, layout->fields->size);
	describe_bytes(describe, "rest", window, layout->fields->size,
		       window->size > layout->fields->size ? window->size - layout->fields->size
							   : 0);
}

/* Signal --------------------------------------------------------------------------------------- */

/*
 * siginfo_t: three numbers, then a union that is aligned for a pointer. If the code is 0 or
 * negative, the union has the sender of the signal, else the address of a fault (sigaction(2)).
 */
#define NUMBERS(error, code)								\
	{ 0, 4, FIELD_DECIMAL, .name = "si_signo" },					\
	{ error, 4, FIELD_DECIMAL, .name = "si_errno" },				\
	{ code, 4, FIELD_SIGNED, .name = "si_code" }
#define SENDER(from)									\
	{ from, 4, FIELD_DECIMAL, .name = "si_pid" },					\
	{ (from) + 4, 4, FIELD_DECIMAL, .name = "si_uid" }
#define FAULT(from, word) { from, word, FIELD_ADDRESS, .name = "si_addr" }

static const struct field signal_numbers[] = { NUMBERS(4, 8) };
static const struct field mips_signal_numbers[] = { NUMBERS(8, 4) };
static const struct field senders[] = { SENDER(16) }, narrow_senders[] = { SENDER(12) };
static const struct field faults[] = { FAULT(16, 8) }, narrow_faults[] = { FAULT(12, 4) };

/* Whether the architecture has si_code before si_errno (asm/siginfo.h). */
static bool
has_swapped_signal(const struct crash *crash)
{
	return crash->system.arch->linux_signals == ARCH_SIGNALS_MIPS;
}

void
core_signal_describe(struct describe *describe, const struct reader *window)
{
	const bool wide = core_word(describe->crash) == 8;
	const bool mips = has_swapped_signal(describe->crash);
	uint32_t code = 0;

	reader_u32(window, mips ? 4 : 8, &code);
	const bool sent = (int32_t)code <= 0;
	describe_structure(describe, mips ? FIELDS(mips_signal_numbers) : FIELDS(signal_numbers),
			   window, 128);
	describe_fields(describe, sent && wide ? FIELDS(senders)
				  : sent       ? FIELDS(narrow_senders)
				  : wide       ? FIELDS(faults)
					       : FIELDS(narrow_faults), window);
}

bool
core_signal_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct crash_exception *exception = &minidump->crash->exception;
	const bool mips = has_swapped_signal(minidump->crash);
	const unsigned word = core_word(minidump->crash);

	/* gdb writes this note for each thread; use the first note. */
	if (minidump->core->has_signal)
		return false;
	minidump->core->has_signal = true;
	exception->place = stream->place;
	if (!exception->present)
		return true;
	exception->place = reader_place(window, 0, window->size);
	reader_u32(window, 0, &exception->code);
	reader_u32(window, mips ? 4 : 8, &exception->flags);
	reader_unsigned(window, word == 8 ? 16 : 12, word, &exception->address);
	return true;
}

/* Process -------------------------------------------------------------------------------------- */

#define PROCESS(word, ids, rest)							\
	{ 0, 1, FIELD_DECIMAL, .name = "pr_state" },					\
	{ 2, 1, FIELD_DECIMAL, .name = "pr_zomb" },					\
	{ 3, 1, FIELD_SIGNED, .name = "pr_nice" },					\
	{ word, word, FIELD_HEX, .name = "pr_flag" },					\
	{ 2 * (word), ids, FIELD_DECIMAL, .name = "pr_uid" },				\
	{ 2 * (word) + (ids), ids, FIELD_DECIMAL, .name = "pr_gid" },			\
	{ rest, 4, FIELD_DECIMAL, .name = "pr_pid" },					\
	{ (rest) + 4, 4, FIELD_DECIMAL, .name = "pr_ppid" },				\
	{ (rest) + 8, 4, FIELD_DECIMAL, .name = "pr_pgrp" },				\
	{ (rest) + 12, 4, FIELD_DECIMAL, .name = "pr_sid" }

#define NAME_SIZE 16u
#define ARGUMENTS_SIZE 80u

static const struct field wide_process[] = { PROCESS(8, 4, 24) };
static const struct field narrow_process[] = { PROCESS(4, 2, 12) };
static const struct field narrow_wide_ids[] = { PROCESS(4, 4, 16) };

/* The layout of NT_PRPSINFO by its size: words have 8 or 4 bytes, user ids 2 or 4. */
static struct structure
process_structure(const struct reader *window, uint64_t *pid, uint64_t *name)
{
	if (window->size >= 136) {
		*pid = 24, *name = 40;
		return FIELDS(wide_process);
	}
	if (window->size >= 128) {
		*pid = 16, *name = 32;
		return FIELDS(narrow_wide_ids);
	}
	*pid = 12, *name = 28;
	return FIELDS(narrow_process);
}

/* The text in `size` bytes, up to its NUL and without trailing blanks. */
static struct text
text_at(const struct reader *window, uint64_t offset, uint64_t size)
{
	const uint64_t room = offset < window->size ? window->size - offset : 0;
	struct text text = { "", 0 };

	if (room > 0) {
		text.start = (const char *)window->data + offset;
		text.length = strnlen(text.start, (size_t)(room < size ? room : size));
	}
	return text_trimmed(text);
}

void
core_process_describe(struct describe *describe, const struct reader *window)
{
	uint64_t pid, name;
	const struct structure structure = process_structure(window, &pid, &name);
	const struct { const char *name; uint64_t offset, size; bool private; } texts[] = {
		{ "pr_sname", 1, 1, false }, { "pr_fname", name, NAME_SIZE, false },
		{ "pr_psargs", name + NAME_SIZE, ARGUMENTS_SIZE, true },
	};

	describe_structure(describe, structure, window, name + NAME_SIZE + ARGUMENTS_SIZE);
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		describe_value(describe, (struct describe_value){
			.name = texts[i].name, .kind = DESCRIBE_TEXT,
			.text = text_at(window, texts[i].offset, texts[i].size),
			.private = texts[i].private,
			.place = reader_place(window, texts[i].offset, texts[i].size) });
}

bool
core_process_decode(struct minidump *minidump, const struct stream *stream,
		    const struct reader *window)
{
	struct crash *crash = minidump->crash;
	uint64_t pid, name;

	(void)stream;
	process_structure(window, &pid, &name);
	const struct text program = text_at(window, name, NAME_SIZE);
	const struct text arguments = text_at(window, name + NAME_SIZE, ARGUMENTS_SIZE);
	crash->misc.place = reader_place(window, 0, window->size);
	crash->misc.present = true;
	crash->misc.build = "";
	crash->misc.has_process_id = reader_u32(window, pid, &crash->misc.process_id);
	minidump->core->process = text_copy(&crash->arena, program);
	minidump_annotate(minidump, "process", "name", minidump->core->process,
			  reader_place(window, name, NAME_SIZE));
	minidump_annotate(minidump, "command line", "arguments, up to 79 bytes",
			  text_copy(&crash->arena, arguments),
			  reader_place(window, name + NAME_SIZE, ARGUMENTS_SIZE));
	return true;
}

/* Files ---------------------------------------------------------------------------------------- */

struct file_list {
	uint64_t claimed, count;	/* files according to the note; files that fit in it */
	uint64_t page;
	unsigned word;
	uint64_t names;			/* offset of the first name */
};

static bool
open_with(const struct reader *window, unsigned word, struct file_list *list)
{
	list->word = word;
	if (!reader_unsigned(window, 0, word, &list->claimed) ||
	    !reader_unsigned(window, word, word, &list->page))
		return false;
	const uint64_t room = (window->size - 2 * word) / (3 * word);
	list->count = list->claimed < room ? list->claimed : room;
	list->names = 2 * word + list->count * 3 * word;
	return true;
}

/* Read entry `index`, whose name is at `*name`, and advance `*name` to the next name. */
static bool
next_file(const struct reader *window, const struct file_list *list, uint64_t index, uint64_t *name,
	  struct core_file *file)
{
	const uint64_t at = (2 + 3 * index) * list->word;
	uint64_t pages;

	if (*name >= window->size || !reader_unsigned(window, at, list->word, &file->start) ||
	    !reader_unsigned(window, at + list->word, list->word, &file->end) ||
	    !reader_unsigned(window, at + 2 * list->word, list->word, &pages))
		return false;
	const size_t room = (size_t)(window->size - *name);
	file->path = (const char *)window->data + *name;
	const size_t length = strnlen(file->path, room);
	if (length == room || __builtin_mul_overflow(pages, list->page, &file->offset))
		return false;
	file->place = reader_place(window, at, 3 * list->word);
	*name += length + 1;
	return true;
}

/* Whether a list has files, and all of them are in the note. */
static bool
is_whole_list(const struct reader *window, const struct file_list *list)
{
	uint64_t name = list->names, i = 0;
	struct core_file file;

	while (i < list->count && next_file(window, list, i, &name, &file) &&
	       file.start < file.end)
		i++;
	return i > 0 && i == list->claimed;
}

/*
 * Open the list with words of the core's size. If the note is complete only with words of 8 bytes,
 * use those, because 64-bit kernels wrote them into cores of 32-bit MIPS processes.
 */
static bool
open_files(const struct crash *crash, const struct reader *window, struct file_list *list)
{
	const unsigned word = core_word(crash);
	const bool found = open_with(window, word, list);
	struct file_list wide;

	if (word == 4 && (!found || !is_whole_list(window, list)) &&
	    open_with(window, 8, &wide) && is_whole_list(window, &wide)) {
		*list = wide;
		return true;
	}
	return found;
}

void
core_files_describe(struct describe *describe, const struct reader *window)
{
	const struct { const char *name; enum describe_link link; } fields[] = {
		{ "start", DESCRIBE_LINK_ADDRESS }, { "end", DESCRIBE_LINK_NONE },
		{ "file_ofs", DESCRIBE_LINK_NONE },
	};
	struct file_list list;
	struct core_file file;

	if (!open_files(describe->crash, window, &list)) {
		describe_broken(describe, "count", reader_place(window, 0, 0),
				"there is no room for the count");
		return;
	}
	const unsigned word = list.word;
	describe_value(describe, (struct describe_value){
		.name = "count", .number = list.count, .place = reader_place(window, 0, word) });
	describe_value(describe,
		       (struct describe_value){ .name = "page_size",
						.number = list.page,
						.place = reader_place(window, word, word) });
	uint64_t name = list.names;
	for (uint64_t i = 0; i < list.count && next_file(window, &list, i, &name, &file); i++) {
		const uint64_t values[] = { file.start, file.end, file.offset };
		const size_t length = strlen(file.path);

		if (!describe_begin(describe, (struct describe_record){
			    .name = "file", .index = (size_t)i, .place = file.place }))
			continue;
		for (size_t j = 0; j < ARRAY_COUNT(fields); j++)
			describe_value(describe, (struct describe_value){
				.name = fields[j].name, .kind = DESCRIBE_HEX, .number = values[j],
				.digits = 2 * word, .key = j < 2, .link = fields[j].link,
				.linked = values[j],
				.place = reader_place(window, (2 + 3 * i + j) * word, word) });
		describe_value(describe, (struct describe_value){
			.name = "path", .kind = DESCRIBE_TEXT, .text = { file.path, length },
			.key = true, .place = reader_place(window, name - length - 1, length) });
		describe_end(describe);
	}
}

SORTED_BY(compare_files, struct core_file, start)

bool
core_files_decode(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	struct core *core = minidump->core;
	struct file_list list;
	struct core_file file;

	if (!open_files(minidump->crash, window, &list))
		return false;
	uint64_t name = list.names;
	for (uint64_t i = 0; i < list.count && next_file(window, &list, i, &name, &file); i++) {
		if (file.end <= file.start)
			continue;
		file.path = arena_string(&minidump->crash->arena, file.path);
		if (file.path == NULL || core->file_count >= LIMIT_REGIONS ||
		    !minidump_append(minidump, &core->files, &core->file_count,
				     &core->file_capacity, &file, sizeof(file)))
			return true;
	}
	if (core->file_count < list.claimed)
		minidump_message(minidump, TRUNCATED, stream->place,
				 "NT_FILE claims %" PRIu64 " files, %zu are whole"
				 "\nthis part is used", list.claimed, core->file_count);
	SORT(core->files, core->file_count, compare_files);
	return true;
}

/* Other state of processors -------------------------------------------------------------------- */

void
core_floats_describe(struct describe *describe, const struct reader *window)
{
	const struct structure *const *forms = core_float_forms(describe->crash->system.arch,
								describe->stream->type);

	for (size_t i = 0; forms[i] != NULL; i++)
		describe_fields(describe, *forms[i], window);
	if (forms[0] == NULL)
		describe_bytes(describe, "bytes", window, 0, window->size);
}

bool
core_floats_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct crash *crash = minidump->crash;
	const struct structure *const *forms = core_float_forms(crash->system.arch, stream->type);

	bool has_registers = false;

	for (size_t i = 0; crash->thread_count > 0 && forms[i] != NULL; i++)
		has_registers |= context_decode_fields(
			forms[i], window, &crash->threads[crash->thread_count - 1].context);
	return has_registers;
}

void
core_describe_processor(struct describe *describe, uint64_t status)
{
	const struct crash *crash = describe->crash;
	size_t i = 0;

	while (i < crash->stream_count && crash->streams[i].offset != status)
		i++;
	/* A thread's notes follow its status. */
	for (i++; i < crash->stream_count && crash->streams[i].type != CORE_PRSTATUS; i++) {
		const struct stream *stream = &crash->streams[i];
		const struct stream_decoder *decoder = minidump_decoder(stream->type);
		struct reader window;

		describe->stream = stream;
		if (decoder != NULL && decoder->describe == core_floats_describe &&
		    reader_window(&crash->reader, stream->offset, stream->size, &window))
			core_floats_describe(describe, &window);
	}
}

static const struct field signature_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "data_mask" },
	{ 8, 8, FIELD_HEX, .name = "insn_mask" },
};

const struct list_layout core_signatures_layout = { .entry = STRUCTURE(signature_fields, 16) };

bool
core_signatures_decode(struct minidump *minidump, const struct stream *stream,
		       const struct reader *window)
{
	(void)stream;
	return reader_u64(window, 8, &minidump->crash->address_mask);
}

/* Program headers ------------------------------------------------------------------------------ */

void
core_segments_describe(struct describe *describe, const struct reader *window)
{
	const struct structure *structure =
		&core_segment_structures[core_word(describe->crash) == 8];

	for (uint64_t i = 0; (i + 1) * structure->size <= window->size; i++) {
		struct core_segment segment = { 0 };
		struct reader bytes;

		reader_window(window, i * structure->size, structure->size, &bytes);
		fields_read(structure, &bytes, &segment);
		if (!describe_begin_entry(describe, "segment", i, &bytes))
			continue;
		describe_fields(describe, *structure, &bytes);
		if (segment.type == CORE_PT_LOAD && segment.file_size > 0)
			describe_memory(describe, "memory", segment.address, segment.offset,
					segment.file_size);
		describe_end(describe);
	}
}
