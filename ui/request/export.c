/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "inspect/blind.h"
#include "lesson/answers.h"
#include "report/crash_report.h"
#include "report/memory/frame_drawing.h"
#include "report/prose/prose.h"
#include "report/report.h"
#include "report/sanitize/sanitize.h"
#include "report/stack/walk_json.h"
#include "report/stack/walk_text.h"
#include "report/step/explain.h"
#include "report/step/export_case.h"
#include "report/step/patch.h"
#include "system/new_file.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/* Forms of text that is copied, written to a file or opened in an editor. */

enum export_form { EXPORT_TEXT, EXPORT_JSON, EXPORT_PAGE, EXPORT_SVG };

/* The selected row. EXPORT_VALUE omits its margins, EXPORT_LINE appends its explanation. */
static const char *
row_exported(struct session_view *view, enum export_what what, struct user_names *names,
	     struct arena *arena)
{
	struct row row, why;
	size_t selected;

	if (!session_selected(view, &selected))
		return NULL;
	row_init(&row, arena);
	row_init(&why, arena);
	row.names = why.names = names;
	listing_fill(&view->listing, selected, 0, &row);
	if (what == EXPORT_ROW)
		return row_text(&row);
	if (what == EXPORT_VALUE) {
		const struct text text = text_trimmed(text_of(row_text(&row)));

		return text_copy(arena, text);
	}
	listing_explain(&view->listing, selected, &why);
	return arena_format(arena, "%s   %s", row_text(&row), row_text(&why));
}

/* Write the stack rows of the selected frame, then a row that explains the first of them. */
static void
add_frame(struct session *session, const struct output *output, struct arena *arena)
{
	struct session_view *view = session_view(session, LAYOUT_STACK);
	const struct listing *listing = &view->listing;
	struct row row = ROW_IN(arena);
	size_t first = SIZE_MAX;

	for (size_t i =
		     stack_row(listing, session->look.stack.thread, session->look.stack.frame, 0);
	     i < listing->count; i++) {
		const struct target target = listing_target(listing, i);

		if (target.kind != TARGET_FRAME || target.thread != session->look.stack.thread ||
		    target.frame != session->look.stack.frame)
			break;
		first = first == SIZE_MAX ? i : first;
		listing_fill(listing, i, 0, &row);
		row_write(output, &row);
	}
	if (first == SIZE_MAX)
		return;
	listing_explain(listing, first, &row);
	row_write(output, &row);
}

static void
write_walk_text(const struct session *session, const struct walk_text_thread *thread,
		bool backtrace, const struct output *output, struct arena *arena)
{
	const struct crash *crash = session->open.crash;
	const struct walk_text_options options = {
		.backtrace = backtrace,
		.walked = arena_array(arena, crash->module_count + 1, sizeof(bool)),
		.binaries = session->open.binaries,
	};

	if (options.walked == NULL)
		return;
	walk_text_head(output, crash, &session->policy, &options);
	walk_text_thread(output, session_walk(session), thread, &options);
	walk_text_tail(output, crash, session->open.symbols, &session->policy, &options);
}

static bool
write_walk_page(struct session *session, const struct walk_text_thread *thread,
		enum page_form form, const struct output *output)
{
	const struct analysis *analysis = session_analysis(session);
	struct arena arena = { 0 };
	struct page page;
	size_t named = 0;

	if (analysis == NULL)
		return false;
	page_begin(&page, form, output, text_or_empty(crash_report_title(analysis, &arena)),
		   PAGE_READ);
	if (thread->requesting)
		crash_report_summary(&page, analysis, session_walk(session));
	crash_report_thread(&page, session_walk(session), thread, NULL, &named);
	crash_report_modules(&page, session->open.crash, session->open.symbols,
			     session->open.binaries);
	page_end(&page);
	arena_free(&arena);
	return true;
}

/* Write the walk of the selected thread. Returns NULL, or a sentence that explains the failure. */
static const char *
write_walk(struct session *session, enum export_form form, enum page_form page, bool backtrace,
	   const struct output *output)
{
	struct walk_text_thread *threads, *thread = NULL;
	struct arena arena = { 0 };
	bool written = true;

	/* Find the selected thread among the numbered ones. */
	const size_t count = walk_text_threads(session->open.crash, &arena, &threads);
	for (size_t i = 0; i < count; i++)
		if (threads[i].index == session->look.stack.thread)
			thread = &threads[i];
	if (thread == NULL) {
		arena_free(&arena);
		return OUT_OF_MEMORY;
	}
	const struct walk_json_options options = {
		.pretty = true,
		.only_thread = (long)thread->number,
		.compat = session->open.options->compat,
	};
	if (form == EXPORT_JSON)
		written = walk_json(output, session->open.crash, session->open.symbols,
				    session->open.binaries, &session->policy, &options);
	else if (form == EXPORT_PAGE)
		written = write_walk_page(session, thread, page, output);
	else
		write_walk_text(session, thread, backtrace, output, &arena);
	arena_free(&arena);
	return written ? NULL : OUT_OF_MEMORY;
}

static const char *
write_step(struct session *session, enum export_form form, enum page_form page,
	   const struct output *output)
{
	struct step_view step = session->step.view;
	const struct frame_drawing_options drawing = { .step = &step,
						       .memory = &session->look.memory.view,
						       .binaries = session->open.binaries };

	if (!session->step.exists)
		return views_why_nothing(session);
	step.cursor = 0;
	if (form == EXPORT_JSON && session->step.of_variable)
		FACTS_DOCUMENT(output, true, variable_document, &session->step.view);
	else if (form == EXPORT_JSON)
		FACTS_DOCUMENT(output, true, step_document, &session->step.view, NULL);
	else if (form == EXPORT_SVG)
		frame_drawing_svg(&drawing, false, output);
	else if (form == EXPORT_PAGE)
		explain_page(output, page, &session->step.view);
	else
		explain_step(output, &session->step.view, ARCH_NO_REGISTER);
	return NULL;
}

/* Write the step in sentences. Refuses in blind mode, because the sentences include the result. */
static const char *
write_prose(struct session *session, enum export_form form, enum page_form page,
	    const struct output *output)
{
	const size_t frame = session->look.stack.frame;
	const struct prose_range range = { session_walk(session), frame, frame };

	if (!session->step.exists)
		return views_why_nothing(session);
	if (session->blind != BLIND_OFF)
		return "the step is " BLIND_WORDS "; it is not exported";
	if (form == EXPORT_PAGE)
		prose_page(&range, page, output);
	else
		prose_write(&range, output);
	return NULL;
}

/* Write the report of the crashed thread, or of the selected thread if none crashed. */
static const char *
write_report(struct session *session, enum page_form form, const struct output *output)
{
	const int crashed = session->open.crash->requesting_thread;
	struct surroundings *around = &session->look.addresses.around;
	char shown_at[SPOT_SIZE] = "--at ";
	const struct listing notes = notes_listing(&session->kept.notes);

	around->policy = session->policy;
	spot_write(session, shown_at + strlen(shown_at), sizeof(shown_at) - strlen(shown_at));
	const struct crash_report report = {
		.around = around,
		.analysis = session_analysis(session),
		.source = &session->open.source,
		.thread = crashed >= 0 ? (size_t)crashed : session->look.stack.thread,
		.shown_at = shown_at,
		.notes = &notes,
		.edited = edits_overlay(session) != NULL,
	};
	if (report.analysis == NULL)
		return OUT_OF_MEMORY;
	crash_report_write(&report, form, output);
	return NULL;
}

void
request_copy(const struct request_call *call)
{
	static const char *const words[] = {
		[CLIP_COMMAND] = "copied by the command",
		[CLIP_SENT] = "copied to the terminal's clipboard",
		[CLIP_CUT] = "the first 54 KiB copied to the terminal's clipboard",
		[CLIP_KEPT] = ("copied inside the program only: this terminal does not accept "
			       "copies (:set clipboard)"),
		[CLIP_REFUSED] =
			("copied inside the program only: the sandbox runs only the copy-command "
			 "of the configuration file"),
	};
	const struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	const struct walk *walk = session_walk(session);
	const enum export_what what = (enum export_what)call->value;
	const char *text = NULL;
	char spot[SPOT_SIZE];
	struct output_string string;
	struct arena arena = { 0 };
	uint64_t value;

	output_string_init(&string, &arena);
	string.output.names = session->open.crash->names;
	if (what == EXPORT_VALUE && !explorer->help.shown && views_value(session, &value))
		text = arena_format(&arena, "%0*" PRIx64, report_digits(walk->arch), value);
	else if (what == EXPORT_VALUE || what == EXPORT_ROW || what == EXPORT_LINE)
		text = row_exported(requests_view(call->explorer), what, session->open.crash->names,
				    &arena);
	else if (walk != NULL && walk->count > 0 && what == EXPORT_FRAME)
		add_frame(session, &string.output, &arena);
	else if (walk != NULL && walk->count > 0 && what == EXPORT_STEP)
		write_step(session, EXPORT_TEXT, PAGE_MARKDOWN, &string.output);
	else if (what == EXPORT_SPOT) {
		spot_write(session, spot, sizeof(spot));
		output_format(&string.output, "--at %s", spot);
	} else if (what == EXPORT_REPORT)
		write_report(session, PAGE_MARKDOWN, &string.output);
	else if (walk != NULL && walk->count > 0)
		write_walk(session, EXPORT_TEXT, PAGE_MARKDOWN, true, &string.output);
	if (string.length > 0)
		text = string.text;
	const size_t length = text == NULL ? 0 : strcspn(text, "\n");
	if (text == NULL || text[0] == '\0') {
		session_fail(session, "nothing to copy here");
	} else {
		const char *word = words[clip_copy(text_of(text), explorer->settings.copy_command,
						   explorer->settings.clipboard)];

		if (text[length] == '\0' && length <= 20)
			session_say(session, "'%s' %s", text, word);
		else
			session_say(session, "%s", word);
	}
	arena_free(&arena);
}

/* Find the form for a file's name. False, with a message, if `what` has no such form. */
static bool
form_of(struct session *session, const char *name, enum export_what what, enum export_form *form,
	enum page_form *page)
{
	static const struct {
		const char *end;
		enum export_form form;
		unsigned of; /* contents with this form: bits 1 << enum export_what */
	} forms[] = {
		{ ".txt", EXPORT_TEXT, 1 << EXPORT_WALK | 1 << EXPORT_STEP | 1 << EXPORT_PROSE },
		{ ".json", EXPORT_JSON, 1 << EXPORT_WALK | 1 << EXPORT_STEP },
		{ ".svg", EXPORT_SVG, 1 << EXPORT_STEP },
	};
	const char *end = strrchr(name, '.');
	char known[40] = "";

	*form = EXPORT_PAGE;
	if (page_form_of(name, page))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		if ((forms[i].of >> what & 1) == 0)
			continue;
		*form = forms[i].form;
		if (end != NULL && end != name && strcmp(end, forms[i].end) == 0)
			return true;
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s, ",
			 forms[i].end);
	}
	session_fail(session, "unknown file type '%s': use %s.md or .html", name, known);
	return false;
}

/* The default path of a report: the dump's name with .md, in the current directory. */
static const char *
report_name(const struct session *session, struct arena *arena)
{
	const struct text name = text_base_name(text_of(session->open.crash->file.input.name));
	const char *end = memrchr(name.start, '.', name.length);
	const int length = (int)(end != NULL && end > name.start ? end - name.start
								 : (ptrdiff_t)name.length);

	return text_or_empty(arena_format(arena, "%.*s.md", length, name.start));
}

/* Create a file. On failure, report the reason, or the command that overwrites the file. */
static bool
create_file(const struct request_call *call, const char *path, struct new_file *file)
{
	const bool over = (call->value & EXPORT_OVER) != 0;
	const char *command = keymap_row_of(call->request)->command;
	const size_t word = strcspn(command, " "), name = keymap_name_length(command);
	struct error error = { 0 };

	if (path[0] == '\0') {
		session_fail(call->session, "':%s' needs the name of a file", command);
		return false;
	}
	if (new_file_open(file, path, over, &error) == ERROR_NONE)
		return true;
	if (file->exists)
		session_fail(call->session, "'%.150s' exists; ':%.*s!%.*s' overwrites it", path,
			     (int)word, command, (int)(name - word), command + word);
	else
		session_fail(call->session, "%s", error.text);
	return false;
}

/* Close a new file. If it is incomplete, remove it, report the error and return false. */
static bool
close_file(struct session *session, struct new_file *file)
{
	struct error error = { 0 };

	if (new_file_close(file, true, &error) == ERROR_NONE)
		return true;
	session_fail(session, "%s", error.text);
	return false;
}

static struct output
output_to(const struct session *session, const struct new_file *file)
{
	struct output output = new_file_output(file);

	output.names = session->open.crash->names;
	return output;
}

void
request_export(const struct request_call *call)
{
	const enum export_what what = (enum export_what)(call->value & ~EXPORT_OVER);
	struct session *session = call->session;
	const struct walk *walk = session_walk(session);
	const char *wrong, *name = call->text;
	struct new_file file;
	struct arena arena = { 0 };
	enum export_form form;
	enum page_form page;

	if (what == EXPORT_REPORT && name[0] == '\0')
		name = report_name(session, &arena);
	if (!form_of(session, name, what, &form, &page) || !create_file(call, name, &file)) {
		arena_free(&arena);
		return;
	}
	const struct output output = output_to(session, &file);
	if (session_is_working(session))
		wrong = "the walk is not at its end yet";
	else if (what == EXPORT_REPORT)
		wrong = write_report(session, page, &output);
	else if (walk == NULL || walk->count == 0)
		wrong = views_why_nothing(session);
	else if (what == EXPORT_STEP)
		wrong = write_step(session, form, page, &output);
	else if (what == EXPORT_PROSE)
		wrong = write_prose(session, form, page, &output);
	/* A JSON document is made from walks of its own, without edits. */
	else if (form == EXPORT_JSON && edits_overlay(session) != NULL)
		wrong = "JSON cannot contain edits; use .txt, .md or .html, or undo them";
	else if (what == EXPORT_WALK && form == EXPORT_JSON && session->blind != BLIND_OFF)
		wrong = "JSON cannot contain hidden frames; use .txt, .md or .html";
	else
		wrong = write_walk(session, form, page, false, &output);
	if (wrong != NULL) {
		new_file_close(&file, false, NULL);
		session_fail(session, "%s", wrong);
	} else if (close_file(session, &file)) {
		session_say(session, "written to '%s'%s", name,
			    what == EXPORT_REPORT && !session->open.crash->redacted
				    ? ", with words of memory (:set redact on omits them)"
				    : "");
	}
	arena_free(&arena);
}

void
request_write_patch(const struct request_call *call)
{
	struct session *session = call->session;
	const struct overlay *overlay = edits_overlay(session);
	struct new_file file;
	if (overlay == NULL) {
		session_fail(session, "no edits to write; = makes one");
		return;
	}
	if (!create_file(call, call->text, &file))
		return;
	const struct output output = output_to(session, &file);
	const struct patch_summary summary = patch_write(&output, overlay, session->open.crash,
							 session->open.symbols, call->text);
	if (!close_file(session, &file))
		return;
	session->kept.edits.saved = overlay;
	session_say(session, "%zu record%s in %s, which says how to apply it", summary.records,
		    plural(summary.records), call->text);
	if (summary.named > 0)
		session_say_more(session, "; %zu edit%s cannot be expressed in it", summary.named,
				 plural(summary.named));
	if (summary.packed > 0)
		session_say_more(session, "; decompress the file first, as the patch describes");
	if (summary.changed > 0)
		session_say_more(session, "; %zu changed since", summary.changed);
}

/* Write the answers to the lesson's tasks, for `unspool lesson --grade`. */
void
request_hand_in(const struct request_call *call)
{
	struct session *session = call->session;
	const struct lesson_pane *pane = session->lesson;
	struct new_file file;

	if (pane == NULL || pane->run.entry_count == 0) {
		session_fail(session, "%s", pane == NULL ? "no lesson is open"
							 : "no task was answered yet");
		return;
	}
	if (!create_file(call, call->text, &file))
		return;
	const struct output output = new_file_output(&file);
	answers_write(&output, &pane->run);
	if (close_file(session, &file))
		session_say(session, "answers written to '%s'; %zu of %zu tasks passed",
			    call->text, lesson_run_passed(&pane->run),
			    lesson_task_count(&pane->lesson));
}

void
request_export_case(const struct request_call *call)
{
	struct session *session = call->session;
	struct case_export result = { .over = call->value == EXPORT_OVER };
	struct error error = { 0 };

	if (!requests_has_frame(session))
		return;
	if (call->text[0] == '\0')
		session_fail(session, "usage: :export-case NEW-DIRECTORY");
	else if (session->blind != BLIND_OFF)
		session_fail(session, "the step is " BLIND_WORDS "; no case is made of it");
	else if (case_export(session_walk(session), session->look.stack.frame, call->text, &result,
			     &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
	else if (result.same)
		session_say(session, "%s: %zu words, %zu records; it gives the same caller%s",
			    call->text, result.words, result.records,
			    session->open.crash->redacted
				    ? "; words that scans refused are left out"
				    : "");
	else
		session_say(session, "%s, but it gives another result: %s", call->text,
			    result.found);
}

/* Write a sanitized dump of the whole crash. Uses the session's policy, but not its edits. */
void
request_sanitize(const struct request_call *call)
{
	struct session *session = call->session;
	const struct sanitize_options options = { .policy = session->policy,
						  .rules = session->open.options->signature_rules };
	struct sanitized sanitized;
	struct error error = { 0 };

	if (call->text[0] == '\0') {
		session_fail(session, "usage: :sanitize NEW-FILE");
		return;
	}
	if (session->blind != BLIND_OFF) {
		session_fail(session, "the step is " BLIND_WORDS "; no copy is made of it");
		return;
	}
	if (sanitize(&sanitized, session->open.crash, session->open.symbols, session->open.binaries,
		     &options, &error) != ERROR_NONE ||
	    dump_image_save(&sanitized.image, call->text, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
	else
		session_say(session, "%s: %" PRIu64 " bytes; %zu walks and %zu steps are the same; "
			    "%" PRIu64 " bytes of memory have their values", call->text,
			    sanitized.size, sanitized.walks, sanitized.steps, sanitized.read);
	sanitized_free(&sanitized);
}

void
request_edit(const struct request_call *call)
{
	struct session *session = call->session;
	struct error error = { 0 };
	struct place place;
	char path[4096];
	uint32_t line = 0;

	/* Edit the row's record in a symbol file or, if it has none, the source file. */
	const struct symfile *symfile = views_symbol_place(session, &place);
	if (symfile != NULL && symfile_file(symfile)->kind != INFLATE_NONE)
		session_fail(session, "the symbol file is compressed: an editor has no line "
			     "%" PRIu32 " of it", place.line);
	else if (symfile == NULL && !views_source_path(session, path, sizeof(path), &line))
		session_fail(session, "no source file to edit here");
	else if (editor_open(symfile != NULL ? place.input->name : path,
			     symfile != NULL ? place.line : line,
			     symfile != NULL ? place.column : 0, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
}

/* The broker asks the user, because a malicious file may have taken over this process. */
void
request_allow(const struct request_call *call)
{
	struct session *session = call->session;

	if (call->text[0] == '\0') {
		session_fail(session, "usage: :allow PATH");
	} else if (!door_is_guarded()) {
		session_fail(session, "there is no sandbox, and nothing is refused");
	} else {
		term_lend();
		const int allowed = door_allow(call->text);
		const int reason = errno;
		term_take_back();
		if (allowed != 0) {
			session_fail(session, "'%.150s' is not allowed: %s", call->text,
				     reason == DOOR_REFUSED ? "no 'yes' was typed on the terminal"
							    : strerror(reason));
			return;
		}
		addresses_forget(session);
		session_refresh(session);
		session_say(session, "'%.150s' is allowed", call->text);
	}
}

void
request_write(const struct request_call *call)
{
	const struct session_view *view = requests_view(call->explorer);
	const size_t count = session_rows(view);
	struct new_file file;
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	row.names = call->session->open.crash->names;
	if (!create_file(call, call->text, &file))
		return;
	for (size_t i = 0; i < count; i++) {
		session_fill_row(view, i, 0, &row);
		fprintf(file.stream, "%s\n", row_text(&row));
	}
	arena_free(&arena);
	if (close_file(call->session, &file))
		session_say(call->session, "%zu rows written to '%s'", count, call->text);
}

void
request_save_screen(const struct request_call *call)
{
	static const char option[] = "--attributes ";
	bool attributes = strncmp(call->text, option, strlen(option)) == 0;
	struct new_file file;

	if (!create_file(call, call->text + (attributes ? strlen(option) : 0), &file))
		return;
	term_save(file.stream, attributes);
	close_file(call->session, &file);
}
