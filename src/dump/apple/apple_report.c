/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/apple/apple_report.h"

#include <string.h>

#include "base/compiler.h"
#include "dump/reason/reason.h"

#define HEAD 4096u
/* Once the note of a crash has this many bytes, further messages are only annotations. */
#define NOTE_MOST 400u

/* Names of processors in reports, and in microdumps. */
static const struct apple_processor {
	const char *word, *name;
} processors[] = {
	{ "X86-64", "x86_64" }, { "ARM-64", "arm64" }, { "X86", "x86" }, { "ARM", "arm" },
};

static bool
head_has(const uint8_t *bytes, size_t size, const char *word)
{
	return memmem(bytes, size < HEAD ? size : HEAD, word, strlen(word)) != NULL;
}

bool
apple_recognise(const uint8_t *bytes, uint64_t size)
{
	if (size == 0 || memchr(bytes, 0, size < HEAD ? (size_t)size : HEAD) != NULL)
		return false;
	if (bytes[0] == '{')
		return head_has(bytes, (size_t)size, "\"bug_type\"") ||
		       head_has(bytes, (size_t)size, "\"app_name\"");
	return head_has(bytes, (size_t)size, "Incident Identifier:") ||
	       head_has(bytes, (size_t)size, "Exception Type:");
}

struct place
apple_place(const struct apple_report *report, size_t offset, size_t length)
{
	return crash_place(report->crash, offset, (uint32_t)length);
}

bool
apple_number(const char *text, uint64_t *number)
{
	struct text rest = text_of(text_or_empty(text));

	return text_take_number(&rest, 0, number);
}

/* Parts --------------------------------------------------------------------------------------- */

void
apple_section(struct apple_report *report, const char *name, size_t offset, size_t size)
{
	struct crash *crash = report->crash;
	/* Names of other streams are constants and are printed as they are, so escape this name. */
	const char *shown = text_printable_copy(&crash->arena, text_of(name));
	const struct stream stream = {
		.type = MICRODUMP_STREAMS, .name = text_or_empty(shown), .offset = offset,
		.size = size,
		.decoded = true, .place = apple_place(report, offset, size) };

	if (crash->stream_count < LIMIT_STREAMS)
		minidump_append(&report->shared, &crash->streams, &crash->stream_count,
				&report->stream_capacity, &stream, sizeof(stream));
}

void
apple_record(struct apple_report *report, size_t offset, size_t size)
{
	const struct crash_range range = { offset, size };

	minidump_append(&report->shared, &report->crash->lines.records,
			&report->crash->lines.record_count, &report->record_capacity, &range,
			sizeof(range));
}

struct thread *
apple_thread(struct apple_report *report, uint64_t id, const char *name, struct place place)
{
	struct crash *crash = report->crash;
	const struct thread thread = { .id = (uint32_t)id, .name = name, .place = place };

	if (crash->thread_count >= LIMIT_THREADS) {
		minidump_message(&report->shared, LIMIT, place,
				 "more than %u threads\nthe rest is skipped", LIMIT_THREADS);
		return NULL;
	}
	return minidump_append(&report->shared, &crash->threads, &crash->thread_count,
			       &report->thread_capacity, &thread, sizeof(thread))
		       ? &crash->threads[crash->thread_count - 1] : NULL;
}

void
apple_frame(struct apple_report *report, uint64_t address)
{
	struct crash *crash = report->crash;

	if (crash->thread_count > 0 &&
	    minidump_append(&report->shared, &report->frames, &report->frame_count,
			    &report->frame_capacity, &address, sizeof(address)))
		crash->threads[crash->thread_count - 1].reported_count++;
}

void
apple_register(struct apple_report *report, size_t thread, struct text name, uint64_t value,
	       struct place place)
{
	struct crash *crash = report->crash;
	const struct arch *arch = crash->system.arch;

	for (int reg = 0; thread < crash->thread_count && reg < arch->register_count; reg++) {
		struct crash_context *context = &crash->threads[thread].context;

		if (arch->registers[reg].label == NULL ||
		    !text_is(name, arch->registers[reg].label))
			continue;
		registers_set(&context->registers, reg, value);
		context->register_offset[reg] = place.offset;
		context->place = place;
	}
}

void
apple_add_image(struct apple_report *report, const struct apple_image *image, struct place place)
{
	struct crash *crash = report->crash;
	struct arena *arena = &crash->arena;
	const char *name = image->name;
	char id[33] = "";
	size_t length = 0;

	for (const char *at = text_or_empty(image->uuid); *at != '\0' && length < 32; at++)
		if (strchr("0123456789abcdefABCDEF", *at) != NULL)
			id[length++] = *at >= 'a' ? (char)(*at - 'a' + 'A') : *at;
	const bool known = length == 32 && strspn(id, "0") < 32;
	if (name == NULL)
		name = text_or_empty(image->path);
	const struct module module = {
		.base = image->base, .size = image->size, .version = "",
		.code_file = text_or_empty(image->path != NULL ? image->path : name),
		.debug_file = name, .place = place, .identity_place = place,
		.code_id = known ? text_or_empty(arena_format(arena, "%s", id)) : "",
		.debug_id = known ? text_or_empty(arena_format(arena, "%s0", id)) : "" };

	if (crash->module_count >= LIMIT_MODULES)
		minidump_message(&report->shared, LIMIT, place,
				 "more than %u modules\nthe rest is skipped", LIMIT_MODULES);
	else if (image->size > 0 && image->size - 1 <= UINT64_MAX - image->base)
		minidump_append(&report->shared, &crash->modules, &crash->module_count,
				&report->module_capacity, &module, sizeof(module));
}

void
apple_system(struct apple_report *report)
{
	struct crash_system *system = &report->crash->system;
	size_t length = report->cpu != NULL ? strcspn(report->cpu, " ") : 0;

	system->arch = arch_of_microdump((struct text){ "", 0 });
	system->cpu_name = text_or_empty(report->cpu);
	for (size_t i = 0; i < ARRAY_COUNT(processors); i++) {
		if (strlen(processors[i].word) != length ||
		    memcmp(processors[i].word, report->cpu, length) != 0)
			continue;
		system->arch = arch_of_microdump(text_of(processors[i].name));
		system->cpu_name = system->arch->name;
		report->shared.processor = system->arch->processors[0];
	}
}

void
apple_note(struct apple_report *report, const char *what, const char *text, struct place place)
{
	const char *before = report->note;

	if (text == NULL || *text == '\0')
		return;
	minidump_annotate(&report->shared, "crash report", what, text, place);
	if (before != NULL && strlen(before) > NOTE_MOST)
		return;
	const char *more = arena_format(&report->crash->arena, "%s%s%s: %s", text_or_empty(before),
					before != NULL ? "; " : "", what, text);
	report->note = text_or_empty(text_printable_copy(&report->crash->arena,
							 text_of(text_or_empty(more))));
}

/* The report ---------------------------------------------------------------------------------- */

static void
find_lines(struct apple_report *report)
{
	struct crash *crash = report->crash;
	uint64_t start = 0;

	crash->lines.first = 1;
	while (start < crash->file.size &&
	       minidump_append(&report->shared, &crash->lines.starts, &crash->lines.count,
			       &report->line_capacity, &start, sizeof(start))) {
		const uint8_t *end = memchr(crash->file.data + start, '\n',
					    (size_t)(crash->file.size - start));
		start = end != NULL ? (uint64_t)(end - crash->file.data) + 1 : crash->file.size;
	}
}

/* Give the threads their frames; the first frame is the context's pc. */
static void
finish_threads(struct apple_report *report)
{
	struct crash *crash = report->crash;
	const struct arch *arch = crash->system.arch;
	const uint64_t *frames = report->frames;

	for (size_t i = 0; i < crash->thread_count && arch_known(arch); i++) {
		struct thread *thread = &crash->threads[i];
		struct crash_context *context = &thread->context;
		const size_t count = thread->reported_count;
		const bool known = registers_known(&context->registers, arch->pc);

		if (context->place.input == NULL)
			context->place = thread->place;
		if (!known && count > 0)
			registers_set(&context->registers, arch->pc, frames[0]);
		context->present = known || count > 0;
		context->arch = arch;
		context->layout = arch->name;
		thread->reported = count > 0 ? frames + 1 : NULL;
		thread->reported_count = count > 1 ? count - 1 : 0;
		frames += count;
	}
}

/* Make the program's own image the first module. */
static void
finish_modules(struct apple_report *report)
{
	struct crash *crash = report->crash;

	for (size_t i = 1; i < crash->module_count && report->path != NULL; i++) {
		const struct module first = crash->modules[0], found = crash->modules[i];

		if (strcmp(found.code_file, report->path) != 0)
			continue;
		crash->modules[0] = found;
		crash->modules[i] = first;
		return;
	}
}

static void
finish_system(struct apple_report *report)
{
	struct crash *crash = report->crash;
	struct crash_system *system = &crash->system;
	const char *os = text_or_empty(report->os);
	uint64_t process;

	system->os = strncmp(os, "iPhone", 6) == 0 || strncmp(os, "iPad", 4) == 0 ? CRASH_OS_IOS
										   : CRASH_OS_MAC;
	system->os_name = system->os == CRASH_OS_IOS ? "iOS" : "Mac OS X";
	system->os_version = text_or_empty(
		report->build != NULL ? arena_format(&crash->arena, "%s (%s)", os, report->build)
				      : os);
	system->cpu_info = "";
	system->place = report->exception;
	report->shared.platform = system_platform(system->os);
	report->shared.has_system = true;
	if (!arch_known(system->arch))
		minidump_message(&report->shared, UNSUPPORTED_CPU, report->exception,
				 "unknown processor '%s'\nmodules are shown", system->cpu_name);
	if (apple_number(report->pid, &process) && process <= UINT32_MAX)
		crash->misc = (struct misc_info){ .present = true, .has_process_id = true,
						  .process_id = (uint32_t)process, .build = "" };
}

/* The codes of an exception, in hexadecimal with commas between them. */
static unsigned
read_codes(const char *text, uint64_t codes[2])
{
	unsigned count = 0;

	while (text != NULL && count < 2 && strncmp(text, "0x", 2) == 0 &&
	       apple_number(text, &codes[count])) {
		count++;
		text = strchr(text, ',');
		text = text != NULL ? text + 1 + strspn(text + 1, " ") : NULL;
	}
	return count;
}

static void
finish_exception(struct apple_report *report)
{
	struct crash *crash = report->crash;
	struct arena *arena = &crash->arena;
	uint64_t codes[2] = { 0 }, address;
	const unsigned count = read_codes(report->codes, codes);
	/* Older reports have a name in place of codes. */
	const char *name = count == 0 && report->codes != NULL ? report->codes : report->subtype;
	const char *at = name != NULL ? strstr(name, " at 0x") : NULL;
	const bool has_address = at != NULL && apple_number(at + 4, &address);

	if (report->type == NULL)
		return;
	crash->exception = (struct crash_exception){
		.present = true, .code = reason_mac_code(report->type),
		/* EXC_GUARD and EXC_RESOURCE have their kind in the upper half. */
		.flags = (uint32_t)(codes[0] > UINT32_MAX ? codes[0] >> 32 : codes[0]),
		.address = has_address ? address : codes[1],
		.parameter_count = count > 0 ? count + 1 : 0,
		.parameters = { reason_mac_code(report->type), codes[0], codes[1] },
		.place = report->exception };
	if (crash->requesting_thread >= 0)
		crash->exception.thread_id = crash->threads[crash->requesting_thread].id;
	reason_find(&report->shared);
	/* Use the name that replaces the codes, or else the signal that ended the process. */
	const char *detail = count == 0 && name != NULL ? name : report->signal;
	if (detail != NULL && (codes[0] == 0 || crash->exception.code == 0)) {
		const size_t length = at != NULL && detail == name ? (size_t)(at - name)
								   : strlen(detail);
		const char *cause = text_or_empty(arena_format(arena, "%s / %.*s", report->type,
							       (int)length, detail));
		crash->cause.text = text_or_empty(text_printable_copy(arena, text_of(cause)));
		crash->reason = crash->cause.text;
	}
	if (report->signal != NULL && crash->cause.fault == CRASH_FAULT_OTHER)
		crash->cause.fault = reason_signal_fault(report->signal, 0);
	if (!has_address && count < 2)
		crash->cause.address = CRASH_ADDRESS_UNTOLD;
	if (report->note != NULL)
		crash->cause.note = report->note;
}

bool
apple_read(struct crash *crash)
{
	struct apple_report report = { .shared = { .crash = crash }, .crash = crash };

	crash->format = crash_formats[CRASH_REPORT];
	crash->reader.big_endian = false;
	crash->dump_index = crash->dump_count = 1;
	crash->requesting_thread = -1;
	crash->reason = NULL;
	find_lines(&report);
	report.exception = apple_place(&report, 0, 0);
	if (crash->file.data[0] == '{')
		apple_ips_read(&report);
	else
		apple_text_read(&report);
	if (crash->thread_count == 0 && crash->module_count == 0)
		return false;
	finish_threads(&report);
	finish_modules(&report);
	finish_system(&report);
	finish_exception(&report);
	return true;
}
