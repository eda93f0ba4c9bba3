/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "base/output.h"
#include "inspect/recorded_step.h"
#include "lesson/check_compare.h"
#include "walk/edit_command.h"
#include "walk/location.h"

/* Edits ----------------------------------------------------------------------------------------*/

/* A walk that the commands of an answer edit one after the other. */
struct check_edits {
	const struct lesson_scene *scene;
	const struct overlay *overlay;	/* NULL: none */
	struct walk *walk;
	size_t frame;
	struct arena *arena;
	struct error *error;
};

static enum error_code
refuse(const struct check_edits *edits, const char *format, const char *word)
{
	return error_plain(edits->error, ERROR_FORMAT, format, word);
}

static enum error_code
add(struct check_edits *edits, const struct overlay_edit *edit)
{
	const struct lesson_scene *scene = edits->scene;

	edits->overlay = overlay_with(edits->arena, edits->overlay, edit);
	struct walk *walk = edits->overlay == NULL
				    ? NULL
				    : walk_create_edited(scene->crash, scene->symbols,
							 scene->binaries, scene->walk->thread,
							 &scene->policy, edits->overlay);
	if (walk == NULL)
		return error_memory(edits->error);
	walk_free(edits->walk);
	edits->walk = walk;
	walk_run(walk, edits->frame + 1);
	return ERROR_NONE;
}

static enum error_code
go_to_frame(struct check_edits *edits, const char *text)
{
	uint64_t frame;

	if (!text_number(text_of(text), 10, &frame) || frame >= UINT32_MAX)
		return refuse(edits, "no frame '%.40s'", text);
	walk_run(edits->walk, (size_t)frame + 1);
	if (frame >= edits->walk->count)
		return refuse(edits, "no frame '%.40s'", text);
	edits->frame = (size_t)frame;
	return ERROR_NONE;
}

/* The step whose rules are edited: the step of the method that found the caller. */
static struct edit_step
step_of(const struct check_edits *edits)
{
	struct edit_step step = { .walk = edits->walk, .frame = edits->frame,
				  .method = METHOD_COUNT };
	struct step_view view;

	step_view_make(&view, edits->walk, edits->frame);
	const uint32_t taken = step_view_taken(&view);
	if (taken != TRACE_NONE)
		step.method = (enum method_id)view.trace.events[taken].detail;
	step_view_free(&view);
	return step;
}

static enum error_code
run_command(struct check_edits *edits, struct text line)
{
	line = text_trimmed(line);
	text_drop_prefix(&line, ":");
	const struct text word = lesson_word(&line);
	const struct text argument = text_trimmed(line);
	const enum edit_command command = edit_command_named(word);
	const char *copy = text_copy(edits->arena, argument);
	const char *shown = text_printable_copy(edits->arena, word);
	struct overlay_edit edit;

	if (copy == NULL || shown == NULL)
		return error_memory(edits->error);
	if (word.length == 0)
		return ERROR_NONE;
	if (text_is(word, "frame"))
		return go_to_frame(edits, copy);
	if (command == EDIT_COMMANDS)
		return refuse(edits, "'%.40s' is no command that edits; try 'set-rule .cfa: "
				     "$rsp 8 +'", shown);
	const struct edit_step step = step_of(edits);
	const enum error_code code =
		edit_command_make(&step, command, copy, edits->arena, &edit, edits->error);
	return code == ERROR_NONE ? add(edits, &edit) : code;
}

static enum error_code
run_commands(struct check_edits *edits, struct text answer)
{
	enum error_code code = ERROR_NONE;

	while (answer.length > 0 && code == ERROR_NONE) {
		const char *end = memchr(answer.start, ';', answer.length);
		const size_t length = end != NULL ? (size_t)(end - answer.start) : answer.length;

		code = run_command(edits, (struct text){ answer.start, length });
		const size_t used = end != NULL ? length + 1 : length;
		answer = (struct text){ answer.start + used, answer.length - used };
	}
	return code;
}

enum error_code
check_walk_edited(const struct lesson_scene *scene, struct text answer, struct arena *arena,
		  struct walk **walk, const struct overlay **overlay, struct error *error)
{
	struct check_edits edits = {
		.scene = scene, .arena = arena, .error = error, .frame = scene->frame,
		.walk = walk_create(scene->crash, scene->symbols, scene->binaries,
				    scene->walk->thread, &scene->policy),
	};
	enum error_code code = edits.walk != NULL ? ERROR_NONE : error_memory(error);

	if (code == ERROR_NONE) {
		walk_run(edits.walk, edits.frame + 1);
		/* A record may be in a file that the walk has not loaded. */
		for (size_t i = 0; i < scene->crash->module_count; i++)
			walk_symfile(edits.walk, (int)i);
		code = run_commands(&edits, answer);
	}
	if (code == ERROR_NONE)
		walk_run(edits.walk, 0);
	*walk = edits.walk;
	*overlay = edits.overlay;
	return code;
}

/* Comparing ------------------------------------------------------------------------------------*/

static const char *
frames_of(struct walk *walk, struct arena *arena)
{
	const int sp = walk->arch->sp, pc = walk->arch->pc;
	struct output_string string;

	walk_run(walk, 0);
	output_string_init(&string, arena);
	for (size_t i = 0; i < walk->count; i++) {
		const struct frame *frame = &walk->frames[i];
		struct location location;

		location_of(walk, frame->lookup, arena, &location);
		const struct module *module = location.module;
		output_format(&string.output, "%s+%" PRIx64 " sp+%" PRIx64,
			      module != NULL ? place_base_name(module->code_file) : "",
			      frame->registers.value[pc] - (module != NULL ? module->base : 0),
			      frame->registers.value[sp] - walk->frames[0].registers.value[sp]);
		for (size_t k = 0; k < location.call_count; k++) {
			const struct call *call = &location.calls[k];

			output_plain(&string.output, " ");
			output_text(&string.output,
				    call->mangled.length > 0 ? call->mangled : call->name);
		}
		output_plain(&string.output, "\n");
	}
	return string.length > 0 ? string.text : NULL;
}

const char *
check_walk_answer(const struct check_try *try, struct error *error)
{
	const struct overlay *overlay;
	struct walk *walk;
	const enum error_code code = check_walk_edited(try->scene, try->answer, try->arena, &walk,
						       &overlay, error);
	const char *frames = code == ERROR_NONE ? frames_of(walk, try->arena) : NULL;
	walk_free(walk);
	return frames;
}

/* Whether lint has a finding of `code` in a symbol file of the walk, with the edits applied. */
static bool
lint_finds(const struct walk *walk, enum lint_code code, struct arena *arena)
{
	bool found = false;

	for (size_t i = 0; i < walk->crash->module_count && !found; i++) {
		const struct symfile *symfile = walk_symfile(walk, (int)i);
		struct output_string bytes;
		struct lint_options options = { .most = 1 };
		struct lint lint;
		struct error error = { 0 };

		if (symfile == NULL)
			continue;
		output_string_init(&bytes, arena);
		symfile_write(symfile, &bytes.output);
		found = lint_bytes(&lint, "edited", bytes.text, bytes.length, &options, &error) !=
				ERROR_NONE ||
			lint.counts[code] > 0;
		lint_free(&lint);
	}
	return found;
}

/* Maximum number of frames named in a sentence about a walk. */
#define FRAMES_SAID 8u

/* "post, settle, close_day, main": the functions of a walk's first frames. */
static const char *
calls_of(struct walk *walk, struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	for (size_t i = 0; i < walk->count && i < FRAMES_SAID; i++) {
		output_plain(&string.output, i > 0 ? ", " : "");
		output_text(
			&string.output, location_frame_name(walk, &walk->frames[i], false, arena));
	}
	output_plain(&string.output, walk->count > FRAMES_SAID ? ", ..." : "");
	return text_or_empty(string.text);
}

struct check_edited {
	const char *frames, *before;
	const char *calls; /* names of the frames' functions */
	size_t edits;
	bool finding;			/* lint still reports the finding that must be gone */
};

/* Whether the statement of a misconception is true for the answer. */
static bool
is_other(const struct check_truth *truth, const struct check_edited *edited, const char *word)
{
	const bool many = truth->edits > 0 && edited->edits > truth->edits;

	return (strcmp(word, "edits") == 0 && many) ||
	       (strcmp(word, "lint") == 0 && edited->finding) ||
	       (strcmp(word, "same") == 0 && strcmp(edited->frames, edited->before) == 0) ||
	       (strcmp(word, "other") == 0 && strcmp(edited->frames, edited->before) != 0);
}

static enum check_result
compare(const struct checking *checking, const struct check_edited *edited)
{
	const struct check_truth *truth = &checking->truth;
	struct check_try *try = checking->try;

	if (checking->other != NULL)
		return is_other(truth, edited, checking->other->text) ? CHECK_RIGHT : CHECK_WRONG;
	if (!truth->sealed) {
		error_plain(checking->error, ERROR_FORMAT, "the lesson is not sealed");
		return CHECK_BROKEN;
	}
	try->read = edited->calls;
	if (check_digest(try->card, edited->frames) != truth->digest)
		try->sentence = arena_format(
			try->arena, "the stack would be %s", text_or_empty(edited->calls));
	else if (truth->edits > 0 && edited->edits > truth->edits)
		try->sentence = arena_format(try->arena, "the stack is right, but at most %zu "
							 "edit%s may be used", truth->edits,
					     plural(truth->edits));
	else if (edited->finding)
		try->sentence = "the stack is right, but lint still has its finding";
	return try->sentence == NULL ? CHECK_RIGHT : CHECK_WRONG;
}

enum check_result
check_compare_walk(struct checking *checking)
{
	struct check_try *try = checking->try;
	const struct check_truth *truth = &checking->truth;
	enum check_result result = CHECK_NO_ANSWER;
	const struct overlay *overlay;
	struct walk *walk;
	const enum error_code code = check_walk_edited(try->scene, try->answer, try->arena, &walk,
						       &overlay, checking->error);
	if (code == ERROR_NONE) {
		const struct check_edited edited = {
			.frames = frames_of(walk, try->arena),
			.before = frames_of(try->scene->walk, try->arena),
			.calls = calls_of(walk, try->arena),
			.edits = overlay != NULL ? overlay->count : 0,
			.finding = truth->lints && lint_finds(walk, truth->lint, try->arena),
		};

		result = edited.frames != NULL && edited.before != NULL
				 ? compare(checking, &edited) : CHECK_BROKEN;
	}
	walk_free(walk);
	return result;
}

/* Commands -------------------------------------------------------------------------------------*/

const char *
check_walk_commands(const struct overlay *overlay, const struct walk *walk, struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	for (size_t i = 0; overlay != NULL && i < overlay->count; i++) {
		const struct overlay_edit *edit = &overlay->edits[i];

		output_format(&string.output, "%sframe %zu; ", i > 0 ? "; " : "", edit->frame);
		edit_command_write(edit, walk->arch, &string.output);
	}
	return text_or_empty(string.text);
}
