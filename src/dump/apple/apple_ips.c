/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/apple/apple_report.h"
#include "dump/json_text.h"

/*
 * A crash report in JSON: a one-line object, then the object of the report itself (Apple,
 * "Interpreting the JSON format of a crash report"). Frames refer to their image by its number.
 * Images and the processor may follow the threads, so the report is read twice.
 */

struct ips {
	struct apple_report *report;
	struct json_text json;
	const struct ips_row *rows;	/* members of the object being read */
	struct apple_image *images;	/* in the order of the file */
	size_t image_count, image_capacity;
	/* Members of the objects that are read now; NULL: missing. */
	struct {
		const char *base, *size, *uuid, *path, *name;
	} image;
	struct {
		const char *id, *name, *queue, *triggered;
	} thread;
	struct {
		const char *image, *offset, *inlined;
	} frame;
	struct {
		const char *space, *code, *indicator, *process;
	} end;
	const char *value;		/* value of a register */
	const char *owner;		/* image that wrote the messages */
};

/* A member of an object, with its reader or the pointer that gets its text. */
struct ips_row {
	const char *key;
	bool (*read)(struct ips *ips);
	const char **(*text)(struct ips *ips);
};

static bool
ips_skip(struct ips *ips)
{
	return json_text_value(&ips->json) != NULL;
}

static bool
ips_member(void *state, struct json_text *json, const char *key)
{
	struct ips *ips = state;
	const struct ips_row *row = ips->rows;

	while (row->key != NULL && strcmp(row->key, key) != 0)
		row++;
	if (row->read != NULL)
		return row->read(ips);
	const char *value = json_text_value(json);
	if (row->key != NULL && value != NULL)
		*row->text(ips) = value;
	return value != NULL;
}

/* Read the members of an object by `rows`; skip a value that is not an object. */
static bool
ips_object(struct ips *ips, const struct ips_row *rows)
{
	const struct ips_row *outer = ips->rows;

	if (!json_text_take(&ips->json, '{'))
		return ips_skip(ips);
	ips->rows = rows;
	const bool good = json_text_members(&ips->json, ips_member, ips);
	ips->rows = outer;
	return good;
}

static bool
ips_array(struct ips *ips, json_text_element_reader *read)
{
	return json_text_take(&ips->json, '[') ? json_text_elements(&ips->json, read, ips)
					       : ips_skip(ips);
}

static struct place
ips_place(const struct ips *ips, size_t start)
{
	return apple_place(ips->report, start, ips->json.at - start);
}

#define TEXT(function, member)							\
	static const char **							\
	function(struct ips *ips)						\
	{									\
		return &ips->member;						\
	}

TEXT(ips_image_base, image.base)
TEXT(ips_image_size, image.size)
TEXT(ips_image_uuid, image.uuid)
TEXT(ips_image_path, image.path)
TEXT(ips_image_name, image.name)
TEXT(ips_thread_id, thread.id)
TEXT(ips_thread_name, thread.name)
TEXT(ips_thread_queue, thread.queue)
TEXT(ips_thread_triggered, thread.triggered)
TEXT(ips_frame_image, frame.image)
TEXT(ips_frame_offset, frame.offset)
TEXT(ips_frame_inlined, frame.inlined)
TEXT(ips_end_space, end.space)
TEXT(ips_end_code, end.code)
TEXT(ips_end_indicator, end.indicator)
TEXT(ips_end_process, end.process)
TEXT(ips_register_value, value)
TEXT(ips_cpu, report->cpu)
TEXT(ips_os_train, report->os)
TEXT(ips_os_build, report->build)
TEXT(ips_path, report->path)
TEXT(ips_process, report->process)
TEXT(ips_faulting, report->faulting)
TEXT(ips_pid, report->pid)
TEXT(ips_type, report->type)
TEXT(ips_signal, report->signal)
TEXT(ips_subtype, report->subtype)
TEXT(ips_codes, report->codes)

/* Images -------------------------------------------------------------------------------------- */

static const struct ips_row image_rows[] = {
	{ "base", NULL, ips_image_base }, { "size", NULL, ips_image_size },
	{ "uuid", NULL, ips_image_uuid }, { "path", NULL, ips_image_path },
	{ "name", NULL, ips_image_name }, { NULL, NULL, NULL },
};

static bool
ips_read_image(void *state, struct json_text *json, size_t index)
{
	struct ips *ips = state;
	struct crash *crash = ips->report->crash;
	const size_t start = json->at;

	(void)index;
	memset(&ips->image, 0, sizeof(ips->image));
	if (!ips_object(ips, image_rows))
		return false;
	struct apple_image *image = ARENA_PUSH(&crash->arena, ips->images, ips->image_count,
					       ips->image_capacity);
	if (image == NULL)
		return false;
	*image = (struct apple_image){ .name = ips->image.name, .path = ips->image.path,
				       .uuid = ips->image.uuid };
	apple_number(ips->image.base, &image->base);
	apple_number(ips->image.size, &image->size);
	apple_add_image(ips->report, image, ips_place(ips, start));
	return true;
}

static bool
ips_images(struct ips *ips)
{
	return ips_array(ips, ips_read_image);
}

/* Threads ------------------------------------------------------------------------------------- */

static const struct ips_row frame_rows[] = {
	{ "imageIndex", NULL, ips_frame_image }, { "imageOffset", NULL, ips_frame_offset },
	{ "inline", NULL, ips_frame_inlined },	 { NULL, NULL, NULL },
};

static bool
ips_read_frame(void *state, struct json_text *json, size_t index)
{
	struct ips *ips = state;
	uint64_t image, offset;

	(void)json;
	(void)index;
	memset(&ips->frame, 0, sizeof(ips->frame));
	if (!ips_object(ips, frame_rows))
		return false;
	/* Skip an inlined call: it has no frame of its own, and symbols show it. */
	if (ips->frame.inlined != NULL && strcmp(ips->frame.inlined, "true") == 0)
		return true;
	if (apple_number(ips->frame.image, &image) && apple_number(ips->frame.offset, &offset) &&
	    image < ips->image_count)
		apple_frame(ips->report, ips->images[image].base + offset);
	return true;
}

static bool
ips_frames(struct ips *ips)
{
	return ips_array(ips, ips_read_frame);
}

static const struct ips_row register_rows[] = {
	{ "value", NULL, ips_register_value }, { NULL, NULL, NULL },
};

static bool
ips_register(struct ips *ips, const char *name)
{
	const size_t start = ips->json.at;
	uint64_t value;

	ips->value = NULL;
	if (!ips_object(ips, register_rows))
		return false;
	if (apple_number(ips->value, &value))
		apple_register(ips->report, ips->report->crash->thread_count - 1, text_of(name),
			       value, ips_place(ips, start));
	return true;
}

static bool
ips_read_numbered(void *state, struct json_text *json, size_t index)
{
	char name[16];

	(void)json;
	snprintf(name, sizeof(name), "x%zu", index < 99 ? index : 99);
	return ips_register(state, name);
}

static bool
ips_read_register(void *state, struct json_text *json, const char *key)
{
	(void)json;
	return strcmp(key, "x") == 0 ? ips_array(state, ips_read_numbered)
				     : ips_register(state, key);
}

static bool
ips_registers(struct ips *ips)
{
	return json_text_take(&ips->json, '{')
		       ? json_text_members(&ips->json, ips_read_register, ips) : ips_skip(ips);
}

static const struct ips_row thread_rows[] = {
	{ "id", NULL, ips_thread_id },	       { "name", NULL, ips_thread_name },
	{ "queue", NULL, ips_thread_queue },   { "triggered", NULL, ips_thread_triggered },
	{ "threadState", ips_registers, NULL }, { "frames", ips_frames, NULL },
	{ NULL, NULL, NULL },
};

static bool
ips_read_thread(void *state, struct json_text *json, size_t index)
{
	struct ips *ips = state;
	struct crash *crash = ips->report->crash;
	const size_t start = json->at, number = crash->thread_count;
	uint64_t id = 0;

	(void)index;
	memset(&ips->thread, 0, sizeof(ips->thread));
	if (apple_thread(ips->report, 0, NULL, apple_place(ips->report, start, 0)) == NULL ||
	    !ips_object(ips, thread_rows))
		return false;
	apple_number(ips->thread.id, &id);
	crash->threads[number].id = (uint32_t)id;
	crash->threads[number].name = ips->thread.name != NULL ? ips->thread.name
							       : ips->thread.queue;
	if (ips->thread.triggered != NULL && strcmp(ips->thread.triggered, "true") == 0)
		crash->requesting_thread = (int)number;
	return true;
}

static bool
ips_threads(struct ips *ips)
{
	return ips_array(ips, ips_read_thread);
}

/* The backtrace of an Objective-C exception that was not caught: frames without a thread. */
static bool
ips_last_exception(struct ips *ips)
{
	return apple_thread(ips->report, 0, "last exception backtrace",
			    apple_place(ips->report, ips->json.at, 0)) != NULL &&
	       ips_frames(ips);
}

/* The crash ----------------------------------------------------------------------------------- */

static const struct ips_row os_rows[] = {
	{ "train", NULL, ips_os_train }, { "build", NULL, ips_os_build }, { NULL, NULL, NULL },
};

static bool
ips_system(struct ips *ips)
{
	return ips_object(ips, os_rows);
}

static const struct ips_row exception_rows[] = {
	{ "type", NULL, ips_type },	  { "signal", NULL, ips_signal },
	{ "subtype", NULL, ips_subtype }, { "codes", NULL, ips_codes }, { NULL, NULL, NULL },
};

static bool
ips_exception(struct ips *ips)
{
	const size_t start = ips->json.at;
	const bool good = ips_object(ips, exception_rows);

	ips->report->exception = ips_place(ips, start);
	return good;
}

static const struct ips_row end_rows[] = {
	{ "namespace", NULL, ips_end_space },	  { "code", NULL, ips_end_code },
	{ "indicator", NULL, ips_end_indicator }, { "byProc", NULL, ips_end_process },
	{ NULL, NULL, NULL },
};

static bool
ips_termination(struct ips *ips)
{
	struct arena *arena = &ips->report->crash->arena;
	const size_t start = ips->json.at;

	memset(&ips->end, 0, sizeof(ips->end));
	if (!ips_object(ips, end_rows))
		return false;
	if (ips->end.space != NULL)
		apple_note(ips->report, "terminated",
			   arena_format(arena, "%s %s%s%s%s%s", ips->end.space,
					text_or_empty(ips->end.code),
					ips->end.indicator != NULL ? ", " : "",
					text_or_empty(ips->end.indicator),
					ips->end.process != NULL ? ", by " : "",
					text_or_empty(ips->end.process)),
			   ips_place(ips, start));
	return true;
}

static bool
ips_read_message(void *state, struct json_text *json, size_t index)
{
	struct ips *ips = state;
	const size_t start = json->at;
	const char *text = json_text_value(json);

	(void)index;
	apple_note(ips->report, ips->owner, text, ips_place(ips, start));
	return text != NULL;
}

static bool
ips_read_messages(void *state, struct json_text *json, const char *key)
{
	struct ips *ips = state;

	(void)json;
	ips->owner = key;
	return ips_array(ips, ips_read_message);
}

static bool
ips_messages(struct ips *ips)
{
	return json_text_take(&ips->json, '{')
		       ? json_text_members(&ips->json, ips_read_messages, ips) : ips_skip(ips);
}

/* Passes -------------------------------------------------------------------------------------- */

static const struct ips_row first_rows[] = {
	{ "cpuType", NULL, ips_cpu },		{ "osVersion", ips_system, NULL },
	{ "procPath", NULL, ips_path },		{ "procName", NULL, ips_process },
	{ "faultingThread", NULL, ips_faulting }, { "pid", NULL, ips_pid },
	{ "exception", ips_exception, NULL },	{ "asi", ips_messages, NULL },
	{ "termination", ips_termination, NULL }, { "usedImages", ips_images, NULL },
	{ NULL, NULL, NULL },
};

static const struct ips_row second_rows[] = {
	{ "threads", ips_threads, NULL }, { NULL, NULL, NULL },
};

static const struct ips_row third_rows[] = {
	{ "lastExceptionBacktrace", ips_last_exception, NULL }, { NULL, NULL, NULL },
};

/* Add a member of the report as a section. */
static bool
ips_section(void *state, struct json_text *json, const char *key)
{
	struct ips *ips = state;
	const size_t start = json->start;
	const bool good = json_text_value(json) != NULL;

	apple_section(ips->report, key, start, json->at - start);
	apple_record(ips->report, start, json->at - start);
	return good;
}

void
apple_ips_read(struct apple_report *report)
{
	static const struct ips_row *const passes[] = { first_rows, second_rows, third_rows };
	struct crash *crash = report->crash;
	struct ips ips = { .report = report,
			   .json = { .arena = &crash->arena,
				     .bytes = (const char *)crash->file.data,
				     .size = (size_t)crash->file.size } };
	static const struct ips_row none[] = { { NULL, NULL, NULL } };
	bool reported = false;

	/* Skip the line before the report. If nothing follows, there was no such line. */
	if (ips_object(&ips, none) && json_text_ends(&ips.json))
		ips.json.at = 0;
	const size_t start = ips.json.at;
	for (size_t i = 0; i < ARRAY_COUNT(passes); i++) {
		ips.json.at = start;
		/* A defect ends a pass; the part before it is used. */
		ips_object(&ips, passes[i]);
		if (i == 0)
			apple_system(report);
		if (ips.json.problem != NULL && !reported)
			minidump_message(&report->shared, ENTRY_BROKEN,
					 apple_place(report, ips.json.at, 0),
					 "the crash report is malformed: %s"
					 "\nthe part before it is used", ips.json.problem);
		reported |= ips.json.problem != NULL;
		ips.json.problem = NULL;
	}
	uint64_t faulting;
	if (crash->requesting_thread < 0 && apple_number(report->faulting, &faulting) &&
	    faulting < crash->thread_count)
		crash->requesting_thread = (int)faulting;
	ips.json.at = start;
	if (json_text_take(&ips.json, '{'))
		json_text_members(&ips.json, ips_section, &ips);
}
