/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "dump/apple/apple_report.h"

/*
 * A crash report in text. macOS and iOS wrote it before they used JSON, and tools print the JSON
 * form like this. Lines with a name and a colon come first, then sections between empty lines.
 */

enum section {
	SECTION_HEAD,
	SECTION_FRAMES,
	SECTION_REGISTERS,
	SECTION_MESSAGES,
	SECTION_IMAGES,
	SECTION_EXCEPTION,
};

/* A value that no thread has as its number. */
#define NO_THREAD UINT32_MAX

struct apple_text {
	struct apple_report *report;
	enum section section;
	uint64_t name_of;		/* number of the thread called `name`, or NO_THREAD */
	const char *name;
	size_t thread;			/* thread with the registers; valid if has_registers */
	bool has_registers;
	struct place place;
	struct text exception;		/* the report from the last exception's backtrace on */
};

#define FIELD(function, member)							\
	static const char **							\
	function(struct apple_report *report)					\
	{									\
		return &report->member;						\
	}

FIELD(text_cpu, cpu)
FIELD(text_os, os)
FIELD(text_path, path)
FIELD(text_process, process)
FIELD(text_faulting, faulting)
FIELD(text_type, type)
FIELD(text_subtype, subtype)
FIELD(text_codes, codes)

static const struct text_field {
	const char *key;
	const char **(*text)(struct apple_report *report);
} fields[] = {
	{ "Code Type", text_cpu },	      { "OS Version", text_os },
	{ "Path", text_path },		      { "Process", text_process },
	{ "Crashed Thread", text_faulting },  { "Triggered by Thread", text_faulting },
	{ "Exception Type", text_type },      { "Exception Codes", text_codes },
	{ "Exception Subtype", text_subtype },
};

static const char *
copied(const struct apple_text *text, struct text what)
{
	what = text_trimmed(what);
	return text_or_empty(text_copy(&text->report->crash->arena, what));
}

/* Cut "(SIGSEGV)" or "[4711]" off a text such as "EXC_BAD_ACCESS (SIGSEGV)". */
static void
split_parentheses(const struct apple_text *text, const char **whole, char bracket,
		  const char **part)
{
	const char *open = *whole != NULL ? strrchr(*whole, bracket) : NULL;

	if (open == NULL)
		return;
	*part = copied(text, (struct text){ open + 1, strcspn(open + 1, ")]") });
	*whole = copied(text, (struct text){ *whole, (size_t)(open - *whole) });
}

static void
read_field(struct apple_text *text, struct text line)
{
	const char *colon = memchr(line.start, ':', line.length);
	struct apple_report *report = text->report;

	if (colon == NULL)
		return;
	const struct text key = { line.start, (size_t)(colon - line.start) };
	const struct text value = { colon + 1, line.length - key.length - 1 };
	if (text_is(key, "Termination Reason") || text_is(key, "Termination Signal"))
		apple_note(report, "terminated", copied(text, value), text->place);
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		if (!text_is(key, fields[i].key))
			continue;
		const char **field = fields[i].text(report);
		*field = copied(text, value);
		if (field == &report->type) {
			report->exception = text->place;
			split_parentheses(text, field, '(', &report->signal);
		} else if (field == &report->process) {
			split_parentheses(text, field, '[', &report->pid);
		} else if (field == &report->cpu) {
			apple_system(report);
		}
	}
}

/* The index of the last added thread with this number; the number of threads if none has it. */
static size_t
thread_of(const struct apple_text *text, uint64_t number)
{
	const struct crash *crash = text->report->crash;
	size_t i = crash->thread_count;

	while (i > 0 && crash->threads[i - 1].id != number)
		i--;
	return i > 0 ? i - 1 : crash->thread_count;
}

/* "Thread 3 name:  worker", "Thread 3 Crashed:: worker", "Thread 0 crashed with ..." */
static bool
read_thread_line(struct apple_text *text, struct text line)
{
	uint64_t number;
	struct text rest = line;

	if (!text_drop_prefix(&rest, "Thread ") || !text_take_number(&rest, 10, &number))
		return false;
	const char *colon = memchr(rest.start, ':', rest.length);
	if (text_drop_prefix(&rest, " crashed with ")) {
		text->section = SECTION_REGISTERS;
		/* A report has the registers of only one thread. */
		if (!text->has_registers)
			text->thread = thread_of(text, number);
		text->has_registers = true;
		return true;
	}
	if (colon == NULL)
		return false;
	struct text name = { colon + 1, (size_t)(rest.start + rest.length - colon - 1) };
	if (name.length > 0 && *name.start == ':')
		name = (struct text){ name.start + 1, name.length - 1 };
	const char *said = text_trimmed(name).length > 0 ? copied(text, name) : NULL;
	if (text_drop_prefix(&rest, " name:")) {
		text->name = said;
		text->name_of = number;
		return true;
	}
	if (said == NULL && text->name_of == number)
		said = text->name;
	text->name = NULL;
	apple_thread(text->report, number, said, text->place);
	text->section = SECTION_FRAMES;
	return true;
}

/* "2   crane   0x0000000102c5037c hoist + 96 (crane.c:36)" */
static void
read_frame(struct apple_text *text, struct text line)
{
	uint64_t number, address;

	if (!text_take_number(&line, 10, &number))
		return;
	/* The name of an image may have blanks. */
	while (line.length > 0) {
		const bool blank = *line.start == ' ' || *line.start == '\t';

		line = (struct text){ line.start + 1, line.length - 1 };
		if (blank && line.length > 2 && memcmp(line.start, "0x", 2) == 0 &&
		    text_take_number(&line, 16, &address)) {
			apple_frame(text->report, address);
			return;
		}
	}
}

/* "(0x1853e3e7c 0x19a5e8c64)": the addresses of a backtrace without names. */
static void
read_addresses(struct apple_text *text, struct text line)
{
	uint64_t address;

	line = (struct text){ line.start + 1, line.length - 1 };
	while (text_take_number(&line, 16, &address)) {
		apple_frame(text->report, address);
		text_drop_prefix(&line, " ");
	}
}

/* "    x0: 0x0000000000000000   x1: 0x0000000000000003" */
static void
read_registers(struct apple_text *text, struct text line)
{
	const char *colon;
	uint64_t value;

	while ((colon = memchr(line.start, ':', line.length)) != NULL) {
		const struct text name = { line.start, (size_t)(colon - line.start) };

		line = text_trimmed((struct text){ colon + 1, line.length - name.length - 1 });
		if (!text_take_number(&line, 16, &value))
			return;
		apple_register(text->report, text->thread, text_trimmed(name), value, text->place);
	}
}

/* "0x102c50000 - 0x102c53fff crane arm64 <4c4c...> /Users/class/crane", with + before the name */
static void
read_image(struct apple_text *text, struct text line)
{
	struct apple_image image = { 0 };
	uint64_t last;

	if (!text_take_number(&line, 16, &image.base))
		return;
	line = text_trimmed(line);
	if (!text_drop_prefix(&line, "-"))
		return;
	line = text_trimmed(line);
	const char *open = memchr(line.start, '<', line.length);
	if (!text_take_number(&line, 16, &last) || last < image.base || open == NULL)
		return;
	const char *end = memchr(open, '>', (size_t)(line.start + line.length - open));
	if (end == NULL || last - image.base == UINT64_MAX)
		return;
	image.size = last - image.base + 1;
	image.uuid = copied(text, (struct text){ open + 1, (size_t)(end - open - 1) });
	const struct text path = { end + 1, (size_t)(line.start + line.length - end - 1) };
	image.path = copied(text, path);
	image.name = copied(text, text_base_name(text_trimmed(path)));
	apple_add_image(text->report, &image, text->place);
}

static const struct text_section {
	const char *title;
	enum section section;
} sections[] = {
	{ "Application Specific Information:", SECTION_MESSAGES },
	{ "Last Exception Backtrace:", SECTION_EXCEPTION },
	{ "Binary Images:", SECTION_IMAGES },
};

/* A line outside a section: a field, or the beginning of a section. */
static void
read_head(struct apple_text *text, struct text line)
{
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++) {
		if (!text_is(line, sections[i].title))
			continue;
		text->section = sections[i].section;
		return;
	}
	if (!read_thread_line(text, line))
		read_field(text, line);
}

/* Read a line; `rest` begins with it. */
static void
read_line(struct apple_text *text, struct text line, struct text rest)
{
	static void (*const readers[])(struct apple_text *text, struct text line) = {
		[SECTION_HEAD] = read_head, [SECTION_FRAMES] = read_frame,
		[SECTION_REGISTERS] = read_registers, [SECTION_IMAGES] = read_image,
		[SECTION_EXCEPTION] = NULL,
	};

	/* An empty line ends a section, but iOS has one after the title of the images. */
	if (line.length == 0) {
		text->section = text->section == SECTION_IMAGES &&
				text->report->crash->module_count == 0 ? SECTION_IMAGES
								       : SECTION_HEAD;
		return;
	}
	if (text->section == SECTION_EXCEPTION && text->exception.length == 0)
		text->exception = rest;
	if (text->section == SECTION_MESSAGES)
		apple_note(text->report, "message", copied(text, line), text->place);
	else if (text->section == SECTION_FRAMES && *line.start == '(')
		read_addresses(text, line);
	else if (readers[text->section] != NULL)
		readers[text->section](text, line);
}

/* Add a line to the last stream, or if `begins`, to a new stream with the line as name. */
static void
add_section(const struct apple_text *text, struct text line, size_t offset, bool begins)
{
	struct crash *crash = text->report->crash;

	if (begins)
		apple_section(text->report, copied(text, line), offset, 0);
	if (crash->stream_count > 0) {
		struct stream *last = &crash->streams[crash->stream_count - 1];

		last->size = offset + line.length - last->offset;
	}
	apple_record(text->report, offset, line.length);
}

void
apple_text_read(struct apple_report *report)
{
	struct crash *crash = report->crash;
	struct apple_text text = { .report = report, .name_of = NO_THREAD };
	struct text rest = { (const char *)crash->file.data, (size_t)crash->file.size }, line;
	bool begins = true;
	uint64_t faulting;

	for (struct text left = rest; text_take_line(&rest, &line); left = rest) {
		const size_t offset = (size_t)((const uint8_t *)line.start - crash->file.data);

		line = text_trimmed(line);
		text.place = apple_place(report, offset, line.length);
		if (line.length > 0)
			add_section(&text, line, offset, begins);
		begins = line.length == 0;
		read_line(&text, line, left);
	}
	/* The backtrace of an exception that was not caught: frames without a thread. */
	if (text.exception.length > 0)
		apple_thread(report, NO_THREAD, "last exception backtrace", text.place);
	text.section = SECTION_FRAMES;
	while (text_take_line(&text.exception, &line) && text_trimmed(line).length > 0)
		read_line(&text, text_trimmed(line), line);
	if (apple_number(report->faulting, &faulting) &&
	    thread_of(&text, faulting) < crash->thread_count)
		crash->requesting_thread = (int)thread_of(&text, faulting);
}
