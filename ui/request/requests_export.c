/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "ui/terminal/clip.h"
#include "ui/terminal/editor.h"
#include "ui/terminal/term.h"
#include "ui/view/taken.h"
#include "ui/view/view.h"

/* Copies, files, the editor. */

static void
say_copied(struct explorer *explorer, const char *text, enum clip_result result)
{
	static const char *const words[] = {
		[CLIP_COMMAND] = "copied by the command",
		[CLIP_SENT] = "copied to the terminal's clipboard",
		[CLIP_CUT] = "the first 8 KiB copied to the terminal's clipboard",
		[CLIP_KEPT] = "kept inside the program: this terminal takes no copies (:set clipboard)",
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
	const char *text = taken_text(session, view, (enum taken)call->value, &arena);
	if (text == NULL || text[0] == '\0')
		session_fail(session, "there is nothing to copy here");
	else
		say_copied(explorer, text,
			   clip_copy(text_of(text), explorer->copy_command, explorer->clipboard));
	arena_free(&arena);
}

/* The form that a file's name asks for. */
static bool
form_of(const char *name, enum taken_form *form)
{
	static const struct {
		const char *end;
		enum taken_form form;
	} forms[] = {
		{ ".txt", TAKEN_TEXT }, { ".md", TAKEN_MARKDOWN }, { ".json", TAKEN_JSON },
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

void
request_export(const struct request_call *call)
{
	struct session *session = call->session;
	enum taken_form form;

	if (!form_of(call->text, &form)) {
		session_fail(session, "'%s' says no form: names end in .txt, .md or .json",
			     call->text);
		return;
	}
	FILE *file = fopen(call->text, "wx");
	if (file == NULL) {
		session_fail(session, "'%s' can't be written: %s", call->text, strerror(errno));
		return;
	}
	const struct output output = { write_file, file };
	const char *wrong = taken_write(session, (enum taken)call->value, form, &output);
	bool good = ferror(file) == 0;
	good = fclose(file) == 0 && good;
	if (wrong != NULL)
		remove(call->text);
	if (wrong == NULL && good)
		session_say(session, "written to '%s'", call->text);
	else
		session_fail(session, wrong != NULL ? "%s"
						    : "'%s' is not whole: the disk took no more",
			     wrong != NULL ? wrong : call->text);
}

void
request_edit(const struct request_call *call)
{
	struct session *session = call->session;
	struct error error = { 0 };
	struct place place;
	char path[4096];
	uint32_t line;

	/* A record of a symbol file where the row has one, else the source. */
	const struct symfile *symfile = views_symbol_place(session, &place);
	if (symfile != NULL) {
		if (symfile_file(symfile)->kind != INFLATE_NONE)
			session_fail(session, "the symbol file is compressed: an editor has no "
				     "line %" PRIu32 " of it", place.line);
		else if (editor_open(place.input->name, place.line, place.column, NULL, &error) !=
		    ERROR_NONE)
			session_fail(session, "%s", error.text);
		return;
	}
	if (!views_source_path(session, path, sizeof(path), &line)) {
		session_fail(session, "there is no source file to edit here");
		return;
	}
	if (editor_open(path, line, 0, NULL, &error) != ERROR_NONE)
		session_fail(session, "%s", error.text);
}

void
request_write(const struct request_call *call)
{
	struct session_view *view = requests_view(call->explorer);
	struct arena arena;
	struct row row;

	FILE *file = fopen(call->text, "wx");
	if (file == NULL) {
		session_fail(call->session, "'%s' can't be written: %s", call->text,
			     strerror(errno));
		return;
	}
	arena_init(&arena, 0);
	row_init(&row, &arena);
	size_t count = session_rows(view);
	for (size_t i = 0; i < count; i++) {
		session_fill_row(view, i, 0, &row);
		fprintf(file, "%s\n", row_text(&row));
	}
	arena_free(&arena);
	bool good = fclose(file) == 0;
	if (good)
		session_say(call->session, "%zu rows written to %s", count, call->text);
	else
		session_fail(call->session, "%s is not whole: the disk took no more",
			     call->text);
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
