/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/explorer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/complete.h"
#include "ui/loop.h"
#include "ui/mouse.h"
#include "ui/paint.h"
#include "ui/prompt.h"
#include "ui/requests.h"

static void
on_key(void *context, const struct term_event *event)
{
	struct explorer *explorer = context;

	switch (event->key) {
	case TERM_KEY_RESIZE:
	case TERM_KEY_RESUME:
	case TERM_KEY_PASTE:
		break;
	case TERM_KEY_SUSPEND:
		term_suspend();
		break;
	case TERM_KEY_GONE:
		explorer->quit = true;
		break;
	case TERM_KEY_CLICK:
	case TERM_KEY_RELEASE:
	case TERM_KEY_WHEEL_UP:
	case TERM_KEY_WHEEL_DOWN:
		mouse_event(explorer, event);
		break;
	default:
		requests_key(explorer, event->key);
		break;
	}
}

static void
on_command(void *context, const char *text)
{
	struct explorer *explorer = context;

	explorer->session.notice[0] = '\0';
	requests_command(explorer, text);
}

static void
on_paint(void *context)
{
	paint_screen(context);
}

static void
on_woken(void *context)
{
	struct explorer *explorer = context;

	session_poll(&explorer->session);
}

static bool
on_work(void *context)
{
	struct explorer *explorer = context;

	return session_work(&explorer->session);
}

static bool
on_tick(void *context)
{
	struct explorer *explorer = context;

	return session_tick(&explorer->session);
}

static bool
on_pending(void *context)
{
	const struct explorer *explorer = context;

	return session_is_working(&explorer->session);
}

/* Called by the loader's thread. */
static void
wake_loop(void *context)
{
	loop_wake(context);
}

static bool
on_done(void *context)
{
	const struct explorer *explorer = context;

	return explorer->quit;
}

static void
on_changed(void *context, enum prompt_kind kind, const char *line)
{
	if (kind != PROMPT_COMMAND)
		requests_typed(context, line);
}

static void
on_accepted(void *context, enum prompt_kind kind, const char *line)
{
	struct explorer *explorer = context;

	explorer->session.notice[0] = '\0';
	if (kind == PROMPT_COMMAND)
		requests_command(explorer, line);
	else if (kind == PROMPT_FIND)
		requests_do(explorer, line[0] == '\0' ? REQUEST_FIND_NEXT : REQUEST_FIND, line);
	else
		requests_typed(explorer, line);
	explorer->prompting = false;
}

static void
on_cancelled(void *context, enum prompt_kind kind)
{
	struct explorer *explorer = context;

	if (kind == PROMPT_FIND)
		requests_typed(explorer, "");
	else if (kind == PROMPT_FILTER)
		requests_filter(explorer, explorer->filter_before);
	explorer->prompting = false;
}

static void
on_complete(void *context, enum prompt_kind kind, struct completion *completion)
{
	if (kind == PROMPT_COMMAND)
		complete_line(context, completion);
}

static bool
on_check(void *context, enum prompt_kind kind, const char *line, size_t *column, char *text,
	 size_t size)
{
	return kind == PROMPT_COMMAND && requests_check(context, line, column, text, size);
}

/* The help is a listing like any other. */
static void
fill_help(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer *explorer = listing->context;

	keymap_help_row(explorer->help_context, index, row);
	if (columns > 0)
		row_cut(row, columns);
}

static void
make_help(struct explorer *explorer)
{
	struct listing *help = &explorer->help_view.listing;
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	explorer->help_context = KEYMAP_VIEW(LAYOUT_STACK);
	*help = listing_message("");
	help->fill = fill_help;
	help->context = explorer;
	for (help->count = 0; keymap_help_row(explorer->help_context, help->count, &row);
	     help->count++)
		row_clear(&row);
	arena_free(&arena);
}

static enum theme_color
color_wish(const char *name)
{
	return strcmp(name, "always") == 0  ? THEME_COLOR_ALWAYS
	       : strcmp(name, "never") == 0 ? THEME_COLOR_NEVER
					    : THEME_COLOR_AUTO;
}

/* Where one view fills the screen, that is what happened. */
static void
choose_first_view(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	int columns, rows;

	term_size(&columns, &rows);
	if (layout_compute(columns, rows, &session->choice).slot_count == 1) {
		session->first = LAYOUT_SUMMARY;
		session_choose_first_view(session);
	}
}

static void
run_on_terminal(struct explorer *explorer, struct loop *loop)
{
	const struct loop_client client = {
		.context = explorer,
		.key = on_key,
		.command = on_command,
		.paint = on_paint,
		.woken = on_woken,
		.work = on_work,
		.pending = on_pending,
		.tick = on_tick,
		.done = on_done,
	};
	const struct prompt_client prompt = {
		.context = explorer,
		.changed = on_changed,
		.accepted = on_accepted,
		.cancelled = on_cancelled,
		.check = on_check,
		.complete = on_complete,
	};
	char state[4096];

	choose_first_view(explorer);
	prompt_start(&prompt, prompt_state_directory(state, sizeof(state)));
	loop_run(loop, &client);
	prompt_stop();
	term_stop();
}

static enum error_code
take_terminal(struct explorer *explorer, const struct explorer_options *options,
	      struct loop *loop, struct error *error)
{
	char farewell[600];

	snprintf(farewell, sizeof(farewell),
		 "unspool has crashed; the terminal is yours again. Please report it with the "
		 "dump '%.400s'.\n",
		 place_base_name(options->crash->file.input.name));
	const struct term_options term = {
		.headless = loop->script != NULL,
		.columns = (int)options->columns,
		.rows = (int)options->rows,
		.color = color_wish(options->color),
		.ascii = options->ascii,
		.notify = loop->pipe[1],
		.farewell = farewell,
	};
	enum error_code code = term_start(&term, error);
	if (code == ERROR_NONE)
		run_on_terminal(explorer, loop);
	return code;
}

static enum error_code
run(struct explorer *explorer, const struct explorer_options *options, struct script *script,
    struct error *error)
{
	static struct loop loop;
	enum error_code code = loop_start(&loop, script, error);

	if (code != ERROR_NONE)
		return code;
	if (session_open(&explorer->session, options, wake_loop, &loop))
		code = take_terminal(explorer, options, &loop, error);
	else
		code = error_set(error, ERROR_MEMORY, (struct place){ 0 }, "memory ran out");
	/* A thread that can't be stopped, for a disk does not answer: nothing is worth a wait. */
	if (!session_close(&explorer->session))
		_exit(code == ERROR_NONE ? EXIT_SUCCESS : EXIT_FAILURE);
	loop_stop(&loop);
	return code;
}

/* The place of an error is in the script's input, which is gone when the error is told. */
static enum error_code
open_script(struct script *script, const char *path, struct error *error)
{
	const enum error_code code = script_open(script, path, error);

	if (code == ERROR_NONE || error->place.line == 0)
		return code;
	const struct error told = *error;
	return error_set(error, code, (struct place){ 0 }, "line %" PRIu32 ": %s",
			 told.place.line, told.text);
}

enum error_code
explorer_run(const struct explorer_options *options, struct error *error)
{
	static struct explorer explorer;
	struct script script = { 0 };
	enum error_code code = ERROR_NONE;

	if (options->script != NULL)
		code = open_script(&script, options->script, error);
	if (code == ERROR_NONE) {
		memset(&explorer, 0, sizeof(explorer));
		make_help(&explorer);
		code = run(&explorer, options, options->script != NULL ? &script : NULL, error);
	}
	script_close(&script);
	return code;
}

const char *
explorer_libraries(void)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s, readline %s", term_library(), prompt_library());
	return text;
}
