/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/check_walk.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/output.h"
#include "inspect/recorded_step.h"
#include "lesson/check_compare.h"
#include "walk/edit_make.h"
#include "walk/location.h"

/* Edits ----------------------------------------------------------------------------------------*/

/* A walk while the commands of an answer edit it, one after the other. */
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
	return error_set(edits->error, ERROR_FORMAT, (struct place){ 0 }, format, word);
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
	char *end;
	const unsigned long frame = strtoul(text, &end, 10);

	walk_run(edits->walk, frame < SIZE_MAX ? frame + 1 : 0);
	if (end == text || *end != '\0' || frame >= edits->walk->count)
		return refuse(edits, "no frame '%.40s'", text);
	edits->frame = frame;
	return ERROR_NONE;
}

/* The step whose rules are edited: by the method that found the caller. */
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

/* "NAME: EXPRESSION"; to drop a rule "NAME" alone. */
static enum error_code
edit_rule(struct check_edits *edits, const char *text, bool drop)
{
	const struct edit_step step = step_of(edits);
	const char *rule = drop ? arena_format(edits->arena, "%s:", text) : text;
	struct overlay_edit edit;
	struct text name;
	size_t start;

	if (step.method == METHOD_COUNT)
		return refuse(edits, "%s", "no method was tried in this step");
	if (rule == NULL)
		return error_memory(edits->error);
	enum error_code code = edit_parse_rule(&step, rule, &name, &start, edits->error);
	if (code != ERROR_NONE)
		return code;
	const struct text expression = text_trimmed(text_of(rule + start));
	if (!drop && expression.length == 0)
		return refuse(edits, "the expression of '%.40s' is missing", text);
	const char *kept = arena_copy(edits->arena, name.start, name.length);
	if (kept == NULL)
		return error_memory(edits->error);
	code = edit_make_rule(&step, text_of(kept), expression, edits->arena, &edit,
			      edits->error);
	return code == ERROR_NONE ? add(edits, &edit) : code;
}

static enum error_code
set_rule(struct check_edits *edits, const char *text)
{
	return edit_rule(edits, text, false);
}

static enum error_code
drop_rule(struct check_edits *edits, const char *text)
{
	return edit_rule(edits, text, true);
}

static enum error_code
set_register(struct check_edits *edits, const char *text)
{
	struct overlay_edit edit;
	char name[64];

	const size_t length = strcspn(text, " ");
	snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), text);
	const enum error_code code =
		edit_make_register(edits->walk, edits->frame, name,
				   text + length + strspn(text + length, " "), &edit,
				   edits->error);
	return code == ERROR_NONE ? add(edits, &edit) : code;
}

static enum error_code
take_candidate(struct check_edits *edits, const char *text)
{
	struct overlay_edit edit;
	const enum error_code code =
		edit_make_candidate(edits->walk, edits->frame, text, &edit, edits->error);

	return code == ERROR_NONE ? add(edits, &edit) : code;
}

static enum error_code
set_policy(struct check_edits *edits, const char *text)
{
	struct overlay_edit edit;
	const enum error_code code = edit_make_policy(edits->walk, text, &edit, edits->error);

	return code == ERROR_NONE ? add(edits, &edit) : code;
}

static enum error_code
choose_method(struct check_edits *edits, const char *text, enum overlay_kind kind)
{
	struct overlay_edit edit = { .kind = kind, .thread = edits->walk->thread,
				     .frame = edits->frame };

	if (!method_named(text, strlen(text), &edit.method))
		return refuse(edits, "unknown method '%.40s'", text);
	return add(edits, &edit);
}

static enum error_code
force(struct check_edits *edits, const char *text)
{
	return choose_method(edits, text, OVERLAY_FORCE);
}

static enum error_code
forbid(struct check_edits *edits, const char *text)
{
	return choose_method(edits, text, OVERLAY_FORBID);
}

/* The symbol file of this base name among those of the crash. */
static const struct symfile *
symfile_called(const struct check_edits *edits, struct text name)
{
	for (size_t i = 0; i < edits->scene->crash->module_count; i++) {
		const struct symfile *symfile = walk_symfile(edits->walk, (int)i);

		if (symfile != NULL &&
		    text_equal(name, text_of(place_base_name(symfile_file(symfile)->input.name))))
			return symfile;
	}
	return NULL;
}

/* "FILE:LINE NEW LINE" */
static enum error_code
set_record(struct check_edits *edits, const char *text)
{
	struct text rest = text_of(text), where = lesson_word(&rest);
	const char *colon = memrchr(where.start, ':', where.length);
	const struct text name = { where.start,
				   colon != NULL ? (size_t)(colon - where.start) : 0 };
	const struct symfile *symfile = symfile_called(edits, name);
	struct overlay_edit edit = { .kind = OVERLAY_RECORD, .thread = edits->walk->thread,
				     .frame = edits->frame };
	struct record_edit *record = &edit.record;

	if (symfile == NULL)
		return refuse(edits, "'%.60s' names no line of a symbol file", text);
	record->line = (uint32_t)strtoul(colon + 1, NULL, 10);
	record->file = symfile_file(symfile)->input.name;
	if (!symfile_line_offset(symfile, record->line, &record->offset))
		return refuse(edits, "'%.60s' names no line of a symbol file", text);
	const char *line = (const char *)symfile_file(symfile)->data + record->offset;
	const size_t left = (size_t)(symfile_file(symfile)->size - record->offset);
	const char *feed = memchr(line, '\n', left);
	record->was = (struct text){ line, feed != NULL ? (size_t)(feed - line) : left };
	while (record->was.length > 0 && line[record->was.length - 1] == '\r')
		record->was.length--;
	record->now = text_trimmed(rest);
	return add(edits, &edit);
}

static const struct {
	const char *word;
	enum error_code (*run)(struct check_edits *edits, const char *text);
	bool counts;			/* it is an edit */
} commands[] = {
	{ "frame", go_to_frame, false },	{ "set-rule", set_rule, true },
	{ "drop-rule", drop_rule, true },	{ "set-register", set_register, true },
	{ "candidate", take_candidate, true },	{ "policy", set_policy, true },
	{ "force", force, true },		{ "forbid", forbid, true },
	{ "record", set_record, true },
};

static enum error_code
run_command(struct check_edits *edits, struct text line)
{
	line = text_trimmed(line);
	text_drop_prefix(&line, ":");
	const struct text word = lesson_word(&line);
	const struct text argument = text_trimmed(line);
	const char *copy = arena_copy(edits->arena, argument.start, argument.length);
	const char *shown = text_printable_copy(edits->arena, word);

	if (copy == NULL || shown == NULL)
		return error_memory(edits->error);
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		if (text_equal(word, text_of(commands[i].word)))
			return commands[i].run(edits, copy);
	return word.length == 0
		       ? ERROR_NONE
		       : refuse(edits, "'%.40s' is no command that edits; try 'set-rule .cfa: "
				       "$rsp 8 +'", shown);
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
		code = run_commands(&edits, answer);
	}
	if (code == ERROR_NONE)
		walk_run(edits.walk, 0);
	*walk = edits.walk;
	*overlay = edits.overlay;
	return code;
}

/* Comparing ------------------------------------------------------------------------------------*/

/* All frames of a walk; NULL when out of memory. */
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

/* The bytes of a symbol file with the records of an overlay, in `arena`. */
static struct text
patched(const struct overlay *overlay, const struct file *file, struct arena *arena)
{
	struct output_string string;
	uint64_t at = 0;

	/* Few edits: the next one in the file is looked for each time. */
	output_string_init(&string, arena);
	for (;;) {
		const struct record_edit *next = NULL;

		for (size_t i = 0; i < overlay->records.count; i++) {
			const struct record_edit *edit = &overlay->records.edits[i];

			if (strcmp(edit->file, file->input.name) == 0 && edit->offset >= at &&
			    (next == NULL || edit->offset < next->offset))
				next = edit;
		}
		const uint64_t end = next != NULL ? next->offset : file->size;
		string.output.write(string.output.context, (const char *)file->data + at,
				    (size_t)(end - at));
		if (next == NULL)
			break;
		string.output.write(string.output.context, next->now.start, next->now.length);
		at = next->offset + next->was.length;
	}
	return (struct text){ string.text, string.length };
}

/* Whether lint has a finding in one of the files as they are with the edits. */
static bool
lint_finds(const struct overlay *overlay, const struct lesson_scene *scene, enum lint_code code,
	   struct arena *arena)
{
	const struct overlay none = { 0 };
	bool found = false;

	for (size_t i = 0; i < scene->crash->module_count && !found; i++) {
		const struct symfile *symfile = walk_symfile(scene->walk, (int)i);
		struct lint_options options = { .most = 1 };
		struct lint lint;
		struct error error;

		if (symfile == NULL)
			continue;
		const struct text bytes = patched(overlay != NULL ? overlay : &none,
						  symfile_file(symfile), arena);
		found = lint_bytes(&lint, "edited", bytes.start, bytes.length, &options, &error) !=
				ERROR_NONE ||
			lint.counts[code] > 0;
		lint_free(&lint);
	}
	return found;
}

/* What is compared of an edited walk. */
struct check_edited {
	const char *frames, *before;
	size_t edits;
	bool finding;			/* lint still has the one that must be gone */
};

/* The words that a misconception of such a task may be. */
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
		error_set(checking->error, ERROR_FORMAT, (struct place){ 0 },
			  "the lesson is not sealed");
		return CHECK_BROKEN;
	}
	if (check_digest(try->card, edited->frames) != truth->digest)
		try->sentence = "this is not the true stack";
	else if (truth->edits > 0 && edited->edits > truth->edits)
		try->sentence = arena_format(try->arena, "the stack is right, but %zu edit%s must "
							 "do", truth->edits,
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
			.edits = overlay != NULL ? overlay->count : 0,
			.finding = truth->lints && lint_finds(overlay, try->scene, truth->lint,
							      try->arena),
		};

		result = edited.frames != NULL && edited.before != NULL
				 ? compare(checking, &edited) : CHECK_BROKEN;
	}
	walk_free(walk);
	return result;
}

/* Commands -------------------------------------------------------------------------------------*/

static void
write_command(const struct overlay_edit *edit, const struct walk *walk,
	      const struct output *output)
{
	const char *name = edit->method < METHOD_COUNT ? method_name(edit->method) : "";

	switch (edit->kind) {
	case OVERLAY_RECORD:
		output_format(output, "record %s:%u ", place_base_name(edit->record.file),
			      edit->record.line);
		output_text(output, edit->record.now);
		break;
	case OVERLAY_RULE:
		output_plain(output, edit->expression.length > 0 ? "set-rule " : "drop-rule ");
		output_text(output, edit->name);
		output_plain(output, edit->expression.length > 0 ? ": " : "");
		output_text(output, edit->expression);
		break;
	case OVERLAY_REGISTER:
		output_format(output, "set-register %s ", walk->arch->registers[edit->reg].label);
		output_format(output, edit->known ? "%" PRIx64 : "?", edit->value);
		break;
	case OVERLAY_CANDIDATE:
		output_format(output, "candidate %" PRIx64, edit->address);
		break;
	case OVERLAY_POLICY:
		output_format(output, "policy %s %" PRIu64, policy_table[edit->policy].name,
			      edit->value);
		break;
	default:
		output_format(output, "%s ", edit->kind == OVERLAY_FORCE ? "force" : "forbid");
		for (; *name != '\0'; name++)
			output_format(output, "%c", *name == ' ' ? '-' : tolower(*name));
	}
}

const char *
check_walk_commands(const struct overlay *overlay, const struct walk *walk, struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	for (size_t i = 0; overlay != NULL && i < overlay->count; i++) {
		const struct overlay_edit *edit = &overlay->edits[i];

		output_format(&string.output, "%sframe %zu; ", i > 0 ? "; " : "", edit->frame);
		write_command(edit, walk, &string.output);
	}
	return text_or_empty(string.text);
}
