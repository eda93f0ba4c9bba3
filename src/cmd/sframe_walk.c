/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sframe.h"
#include "sframe/sframes.h"
#include "walk/walk.h"
#include "walk/walk_file.h"

/* A walk file with its section, which lies beside it. */
struct scene {
	struct walk_file file;
	struct file section;
	struct binaries *binaries;
	struct walk *walk;
};

/* The path of a file beside another one; NULL where its name would lead elsewhere. */
static char *
beside(const char *path, const char *name)
{
	const size_t folder = (size_t)(place_base_name(path) - path);
	char *result;

	if (*name == '\0' || strchr(name, '/') != NULL || strcmp(name, "..") == 0)
		return NULL;
	result = malloc(folder + strlen(name) + 1);
	if (result != NULL) {
		memcpy(result, path, folder);
		memcpy(result + folder, name, strlen(name) + 1);
	}
	return result;
}

static enum error_code
open_section(struct scene *scene, const char *path, struct error *error)
{
	char *beside_path = beside(path, scene->file.sframe_name);
	struct sframe sframe;
	enum error_code code;

	if (beside_path == NULL)
		return error_set(error, ERROR_FORMAT,
				 (struct place){ .input = &scene->file.crash.file.input },
				 "'sframe:' needs the name of a file in the same folder");
	code = file_open(&scene->section, beside_path, error);
	free(beside_path);
	if (code == ERROR_NONE)
		code = sframe_open(&sframe, &scene->section.input, scene->section.data,
				   scene->section.size, 0, scene->file.section_address, NULL, 0,
				   error);
	if (code != ERROR_NONE)
		return code;
	scene->binaries = binaries_create(&scene->file.crash, NULL, 0);
	if (scene->binaries == NULL) {
		sframe_close(&sframe);
		return error_memory(error);
	}
	sframes_set(binaries_sframes(scene->binaries), 0, &sframe);
	return ERROR_NONE;
}

/* Only SFrame: neither guesses nor what a full crash would know of the end of its stack. */
static struct policy
sframe_alone(void)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);

	policy.value[POLICY_END_OF_STACK] = 0;
	policy.methods[0] = METHOD_SFRAME;
	policy.method_count = 1;
	return policy;
}

static void
print_frame(const struct walk *walk, size_t number)
{
	const struct frame *frame = &walk->frames[number];
	const struct arch *arch = walk->arch;
	struct sframe_function function;
	struct sframe_row row;

	output_format(&cmd_output, "frame %zu pc=0x%" PRIx64 " sp=0x%" PRIx64, number,
		      frame->registers.value[arch->pc], frame->registers.value[arch->sp]);
	if (registers_known(&frame->registers, arch->fp))
		output_format(&cmd_output, " fp=0x%" PRIx64, frame->registers.value[arch->fp]);
	const enum sframe_found found =
		sframe_lookup(walk_sframe(walk, 0), frame->lookup, &function, &row, NULL);
	if (found != SFRAME_NO_FUNCTION)
		output_format(&cmd_output, " fde=%" PRIu32, function.number);
	if (found == SFRAME_ROW || (found == SFRAME_OUTERMOST && function.row_count > 0))
		output_format(&cmd_output, " row=+0x%" PRIx64 "%s", row.offset,
			      function.signal ? " signal" : "");
	output_format(&cmd_output, "\n");
}

/* Which end it is, in a word, and the walk's own sentence. */
static void
print_end(struct walk *walk)
{
	const struct frame *last = &walk->frames[walk->count - 1];
	struct sframe_function function;
	struct sframe_row row;
	struct frame caller = { 0 };
	struct verdict verdict;
	struct trace trace;
	const char *kind = "error";
	const char *reason = walk->end.text;

	trace_init(&trace);
	unwind_step(walk, walk->count - 1, &trace, &caller, &verdict);
	switch (sframe_lookup(walk_sframe(walk, 0), last->lookup, &function, &row, NULL)) {
	case SFRAME_NO_FUNCTION:
	case SFRAME_NO_ROWS:
	case SFRAME_NO_ROW:
		kind = "no-fde";
		break;
	case SFRAME_OUTERMOST:
		kind = "outermost";
		break;
	case SFRAME_ROW:
		if (registers_known(&caller.registers, walk->arch->pc) &&
		    caller.registers.value[walk->arch->pc] == 0)
			kind = "return-address-zero";
		break;
	case SFRAME_BROKEN:
		break;
	}
	const uint32_t result = trace_next(&trace, TRACE_NONE, EVENT_RESULT);
	if (result != TRACE_NONE && trace.events[result].text[0] != '\0')
		reason = trace.events[result].text;
	output_format(&cmd_output, "end %s: ", kind);
	output_text(&cmd_output, text_of(reason));
	output_format(&cmd_output, "\n");
	trace_free(&trace);
}

enum cmd_status
sframe_walk_print(const char *path)
{
	const struct policy policy = sframe_alone();
	struct scene scene = { .walk = NULL };
	struct error error = { 0 };
	enum cmd_status status = CMD_UNREADABLE;
	enum error_code code = walk_file_open(&scene.file, path, &error);

	if (code == ERROR_NONE)
		code = open_section(&scene, path, &error);
	if (code == ERROR_NONE)
		scene.walk = walk_create(&scene.file.crash, NULL, scene.binaries, 0, &policy);
	if (code != ERROR_NONE) {
		cmd_print_error(&error, path);
	} else if (scene.walk != NULL && scene.walk->count > 0) {
		walk_run(scene.walk, 0);
		for (size_t i = 0; i < scene.walk->count; i++)
			print_frame(scene.walk, i);
		print_end(scene.walk);
		status = CMD_DONE;
	}
	walk_free(scene.walk);
	binaries_free(scene.binaries);
	file_close(&scene.section);
	crash_free(&scene.file.crash);
	return status;
}
