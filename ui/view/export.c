/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/export.h"

#include <string.h>

#include "base/error.h"
#include "report/step/explain.h"
#include "report/markdown.h"
#include "report/stack/walk_json.h"
#include "report/stack/walk_text.h"
#include "ui/view/edits.h"
#include "ui/view/view.h"

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of the number that a word is, "0x8" or at least four digits; 0 where it is none. */
static size_t
number_length(const char *word)
{
	const bool prefix = word[0] == '0' && word[1] == 'x';
	size_t length = prefix ? 2 : 0;

	while (is_hex(word[length]))
		length++;
	/* A comma or a parenthesis ends a number, a letter makes it a name. */
	if (word[length] != '\0' && strchr(" ,;:)+]", word[length]) == NULL)
		return 0;
	return length >= (prefix ? 3u : 4u) ? length : 0;
}

/* The first word that is a number. */
static struct text
first_number(const char *text)
{
	while (*(text += strspn(text, " *?!-(")) != '\0') {
		const size_t length = number_length(text);

		if (length != 0)
			return (struct text){ text, length };
		text += strcspn(text, " ");
	}
	return text_of("");
}

/*
 * The value that a row is about, within its text or within what is said of it: what stands behind
 * an equals sign or a register, or the first address.
 */
static struct text
export_value(const char *said, const char *row)
{
	const char *equals = strstr(said, " = ");
	struct text value = text_of("");

	if (equals != NULL)
		value = first_number(equals + 3);
	if (value.length == 0)
		value = first_number(said);
	if (value.length == 0)
		value = first_number(row);
	if (value.length != 0)
		return value;
	row += strspn(row, " ");
	size_t length = strlen(row);
	while (length > 0 && row[length - 1] == ' ')
		length--;
	return (struct text){ row, length };
}

static void
add_line(struct output_string *string, const struct row *row)
{
	size_t length = strlen(row_text(row));

	while (length > 0 && row_text(row)[length - 1] == ' ')
		length--;
	string->output.write(string->output.context, row_text(row), length);
	output_plain(&string->output, "\n");
}

static const char *
row_exported(struct session_view *view, enum export_what what, struct arena *arena)
{
	struct row text, why;
	size_t row;

	if (!session_selected(view, &row))
		return NULL;
	row_init(&text, arena);
	row_init(&why, arena);
	listing_fill(&view->listing, row, 0, &text);
	listing_explain(&view->listing, row, &why);
	if (what == EXPORT_LINE)
		return arena_format(arena, "%s   %s", row_text(&text), row_text(&why));
	if (what == EXPORT_ROW)
		return row_text(&text);
	const struct text value = export_value(row_text(&why), row_text(&text));
	return arena_copy(arena, value.start, value.length);
}

/* The rows of the selected frame as the stack has them, then where it comes from. */
static void
add_frame(struct session *session, struct output_string *string, struct arena *arena)
{
	struct session_view *view = session_view(session, LAYOUT_STACK);
	const struct listing *listing = &view->listing;
	struct row row;
	size_t first = SIZE_MAX;

	row_init(&row, arena);
	for (size_t i = stack_row(listing, session->stack.thread, session->stack.frame, 0);
	     i < listing->count; i++) {
		const struct target target = listing_target(listing, i);

		if (target.kind != TARGET_FRAME || target.thread != session->stack.thread ||
		    target.frame != session->stack.frame)
			break;
		first = first == SIZE_MAX ? i : first;
		row_clear(&row);
		listing_fill(listing, i, 0, &row);
		add_line(string, &row);
	}
	if (first == SIZE_MAX)
		return;
	row_clear(&row);
	listing_explain(listing, first, &row);
	add_line(string, &row);
}

/* The selected thread as walks number it. */
static bool
find_thread(const struct session *session, struct arena *arena, struct walk_text_thread *thread)
{
	struct walk_text_thread *threads;
	const size_t count = walk_text_threads(session->crash, arena, &threads);

	for (size_t i = 0; i < count; i++)
		if (threads[i].index == session->stack.thread) {
			*thread = threads[i];
			return true;
		}
	return false;
}

static const char *
why_not(const struct session *session)
{
	if (session_walk(session) == NULL || session_walk(session)->count == 0)
		return views_why_nothing(session);
	return NULL;
}

static void
write_walk_text(const struct session *session, const struct walk_text_thread *thread, bool whole,
		const struct output *output, struct arena *arena)
{
	const struct crash *crash = session->crash;
	const struct walk_text_options options = {
		.backtrace = !whole,
		.only_thread = (long)thread->number,
		.walked = arena_array(arena, crash->module_count + 1, sizeof(bool)),
	};

	if (options.walked == NULL)
		return;
	walk_text_head(output, crash, &session->policy, &options);
	walk_text_thread(output, session_walk(session), thread, &options);
	walk_text_tail(output, crash, session->symbols, &session->policy, &options);
}

const char *
export_text(struct session *session, struct session_view *view, enum export_what what,
	   struct arena *arena)
{
	struct output_string string;
	struct walk_text_thread thread;
	const struct explain_options explain = { .reg = ARCH_NO_REGISTER };

	if (what == EXPORT_VALUE || what == EXPORT_ROW || what == EXPORT_LINE)
		return row_exported(view, what, arena);
	if (why_not(session) != NULL || (what == EXPORT_STEP && !session->has_step))
		return NULL;
	output_string_init(&string, arena);
	if (what == EXPORT_FRAME)
		add_frame(session, &string, arena);
	else if (what == EXPORT_STEP)
		explain_step(&string.output, &session->step, &explain);
	else if (find_thread(session, arena, &thread))
		write_walk_text(session, &thread, false, &string.output, arena);
	return string.length > 0 ? string.text : NULL;
}

static void
write_markdown(struct session *session, const struct walk_text_thread *thread,
	       const struct output *output)
{
	/* What happened is said where the thread is the one that crashed. */
	if (thread->requesting && session->analysis == NULL)
		session->analysis = analysis_create(session->crash, session_walk(session),
						    session->binaries);
	if (thread->requesting && session->analysis != NULL)
		markdown_summary(output, session->analysis, session_walk(session));
	markdown_thread(output, session_walk(session), thread);
	markdown_modules(output, session->crash, session->symbols);
}

static bool
write_json(struct session *session, const struct walk_text_thread *thread,
	   const struct output *output)
{
	const struct walk_json_options options = {
		.pretty = true,
		.only_thread = (long)thread->number,
		.compat = session->options->compat,
	};

	return walk_json(output, session->crash, session->symbols, session->binaries,
			 &session->policy, &options);
}

static const char *
write_step(struct session *session, enum export_form form, const struct output *output)
{
	const struct explain_options explain = { .reg = ARCH_NO_REGISTER };

	if (!session->has_step)
		return views_why_nothing(session);
	if (form == EXPORT_JSON)
		explain_step_json(output, &session->step, true);
	else if (form == EXPORT_MARKDOWN)
		markdown_step(output, &session->step);
	else
		explain_step(output, &session->step, &explain);
	return NULL;
}

const char *
export_write(struct session *session, enum export_what what, enum export_form form,
	    const struct output *output)
{
	struct walk_text_thread thread;
	struct arena arena;
	const char *wrong = why_not(session);

	if (wrong != NULL)
		return wrong;
	if (session_is_working(session))
		return "the walk is not at its end yet";
	if (what == EXPORT_STEP)
		return write_step(session, form, output);
	/* The document is written from walks of its own. */
	if (form == EXPORT_JSON && edits_overlay(session) != NULL)
		return "JSON cannot contain edits; use .txt or .md, or undo them";
	arena_init(&arena, 0);
	if (!find_thread(session, &arena, &thread))
		wrong = OUT_OF_MEMORY;
	else if (form == EXPORT_JSON)
		wrong = write_json(session, &thread, output) ? NULL : OUT_OF_MEMORY;
	else if (form == EXPORT_MARKDOWN)
		write_markdown(session, &thread, output);
	else
		write_walk_text(session, &thread, true, output, &arena);
	arena_free(&arena);
	return wrong;
}
