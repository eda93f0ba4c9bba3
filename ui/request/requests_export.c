/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "report/step/export_case.h"
#include "report/step/patch.h"
#include "ui/terminal/clip.h"
#include "ui/terminal/editor.h"
#include "ui/terminal/term.h"
#include "ui/view/export.h"
#include "ui/view/view.h"

/* Copies, files, the editor. */

static void
say_copied(struct explorer *explorer, const char *text, enum clip_result result)
{
	static const char *const words[] = {
		[CLIP_COMMAND] = "copied by the command",
		[CLIP_SENT] = "copied to the terminal's clipboard",
		[CLIP_CUT] = "the first 8 KiB copied to the terminal's clipboard",
		[CLIP_KEPT] = "copied inside the program only: this terminal does not accept "
			      "copies (:set clipboard)",
	};
	const size_t length = strcspn(text, "\n");

	if (text[length] == '\0' && length <= 20)
		session_say(&explorer->session, "'%s' %s", text, words[result]);
	else
		session_say(&explorer->session, "%s", words[result]);
}

void
request_copy(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	struct session_view *view = requests_view(explorer);
	struct arena arena;

	arena_init(&arena, 0);
	const char *text = export_text(session, view, (enum export_what)call->value, &arena);
	if (text == NULL || text[0] == '\0')
		session_fail(session, "nothing to copy here");
	else
		say_copied(explorer, text,
			   clip_copy(text_of(text), explorer->copy_command, explorer->clipboard));
	arena_free(&arena);
}

/* The form that a file's name asks for. */
static bool
form_of(const char *name, enum export_form *form)
{
	static const struct {
		const char *end;
		enum export_form form;
	} forms[] = {
		{ ".txt", EXPORT_TEXT }, { ".md", EXPORT_MARKDOWN }, { ".json", EXPORT_JSON },
	};
	const size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
		const size_t end = strlen(forms[i].end);

		*form = forms[i].form;
		if (length > end && strcmp(name + length - end, forms[i].end) == 0)
			return true;
	}
	return false;
}

static void
write_file(void *context, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, context);
}

/* Make a new file; NULL, and said, where that is not possible or one is there already. */
static FILE *
create_file(struct session *session, const char *path)
{
	FILE *file = fopen(path, "wxe");

	if (file == NULL)
		session_fail(session, "'%s' cannot be written: %s", path, strerror(errno));
	return file;
}

/* Close it; false, and said, where it is incomplete. */
static bool
close_file(struct session *session, FILE *file, const char *path)
{
	const bool failed = ferror(file) != 0;

	if (fclose(file) == 0 && !failed)
		return true;
	session_fail(session, "'%s' is incomplete: write failed (disk full?)", path);
	return false;
}

void
request_export(const struct request_call *call)
{
	struct session *session = call->session;
	enum export_form form;

	if (!form_of(call->text, &form)) {
		session_fail(session, "unknown file type '%s': use .txt, .md or .json", call->text);
		return;
	}
	FILE *file = create_file(session, call->text);
	if (file == NULL)
		return;
	const struct output output = { write_file, file };
	const char *wrong = export_write(session, (enum export_what)call->value, form, &output);
	if (close_file(session, file, call->text))
		session_say(session, "written to '%s'", call->text);
	if (wrong != NULL) {
		remove(call->text);
		session_fail(session, "%s", wrong);
	}
}

static void
say_patch(struct session *session, const struct patch_summary *summary, const char *name)
{
	char more[120] = "";
	size_t used = 0;

	if (summary->named > 0)
		used = (size_t)snprintf(more, sizeof(more), "; %zu edit%s cannot be expressed in "
							    "it",
					summary->named, summary->named == 1 ? "" : "s");
	if (summary->packed > 0)
		used += (size_t)snprintf(more + used, sizeof(more) - used,
					 "; decompress the file first, as the patch describes");
	if (summary->changed > 0)
		snprintf(more + used, sizeof(more) - used, "; %zu changed since",
			 summary->changed);
	session_say(session, "%zu record%s in %s, which says how to apply it%s", summary->records,
		    summary->records == 1 ? "" : "s", name, more);
}

void
request_write_patch(const struct request_call *call)
{
	struct session *session = call->session;
	const struct overlay *overlay = edits_overlay(session);

	if (overlay == NULL) {
		session_fail(session, "no edits to write; = makes one");
		return;
	}
	FILE *file = create_file(session, call->text);
	if (file == NULL)
		return;
	const struct output output = { write_file, file };
	const struct patch_summary summary =
		patch_write(&output, overlay, session->crash, session->symbols, call->text);
	if (close_file(session, file, call->text))
		say_patch(session, &summary, call->text);
}

void
request_export_case(const struct request_call *call)
{
	struct session *session = call->session;
	struct case_export result;
	struct error error = { 0 };

	if (!requests_has_frame(session))
		return;
	if (call->text[0] == '\0')
		session_fail(session, "usage: :export-case NEW-DIRECTORY");
	else if (case_export(session_walk(session), session->stack.frame, call->text, &result,
			     &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
	else if (result.same)
		session_say(session, "%s: %zu words, %zu records; it gives the same caller",
			    call->text, result.words, result.records);
	else
		session_say(session, "%s, but it gives another result: %s", call->text,
			    result.found);
}

void
request_edit(const struct request_call *call)
{
	struct session *session = call->session;
	struct error error = { 0 };
	struct place place;
	char path[4096];
	uint32_t line = 0;

	/* A record of a symbol file where the row has one, else the source. */
	const struct symfile *symfile = views_symbol_place(session, &place);
	if (symfile != NULL && symfile_file(symfile)->kind != INFLATE_NONE)
		session_fail(session, "the symbol file is compressed: an editor has no line "
				      "%" PRIu32
			     " of it", place.line);
	else if (symfile == NULL && !views_source_path(session, path, sizeof(path), &line))
		session_fail(session, "no source file to edit here");
	else if (editor_open(symfile != NULL ? place.input->name : path,
			     symfile != NULL ? place.line : line,
			     symfile != NULL ? place.column : 0, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
}

void
request_write(const struct request_call *call)
{
	const struct session_view *view = requests_view(call->explorer);
	const size_t count = session_rows(view);
	FILE *file = create_file(call->session, call->text);
	struct arena arena;
	struct row row;

	if (file == NULL)
		return;
	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < count; i++) {
		session_fill_row(view, i, 0, &row);
		fprintf(file, "%s\n", row_text(&row));
	}
	arena_free(&arena);
	if (close_file(call->session, file, call->text))
		session_say(call->session, "%zu rows written to %s", count, call->text);
}

void
request_save_screen(const struct request_call *call)
{
	static const char option[] = "--attributes ";
	bool attributes = strncmp(call->text, option, strlen(option)) == 0;
	struct error error = { 0 };

	if (term_save(attributes ? call->text + strlen(option) : call->text, attributes, &error) !=
	    ERROR_NONE)
		session_fail(call->session, "%s", error.text);
}
