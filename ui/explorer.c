/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/explorer.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/config.h"
#include "ui/request/binding.h"
#include "ui/request/complete.h"
#include "ui/view/help.h"
#include "ui/terminal/loop.h"
#include "ui/terminal/paint.h"
#include "ui/plain.h"
#include "ui/terminal/prompt.h"
#include "ui/request/requests.h"

static void
on_key(struct explorer *explorer, const struct term_event *event)
{
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
on_woken(struct explorer *explorer)
{
	session_poll(&explorer->session);
}

/* C-c where no key reaches us. */
static volatile sig_atomic_t interrupted;
static const struct loop *plain_loop;

static bool
on_work(struct explorer *explorer)
{
	if (interrupted) {
		interrupted = 0;
		if (!row_search_stop(explorer))
			session_halt(&explorer->session);
	}
	const bool more = requests_work(explorer);

	return session_work(&explorer->session) || more;
}

static bool
on_tick(struct explorer *explorer)
{
	return session_tick(&explorer->session);
}

static bool
on_pending(struct explorer *explorer)
{
	return session_is_working(&explorer->session);
}

/* Called by the loader's thread. */
static void
wake_loop(void *context)
{
	loop_wake(context);
}

static bool
on_done(struct explorer *explorer)
{
	return explorer->quit;
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

/* Tell the user of a script which of its commands could not be done. */
static void
complain_of(const struct explorer *explorer, unsigned line)
{
	const struct explorer_options *options = explorer->session.options;
	char text[600], name[200];

	text_printable(name, sizeof(name),
		       text_of(options->script != NULL ? options->script : "standard input"));
	if (line != 0)
		snprintf(text, sizeof(text), "%s:%u: %s", name, line, explorer->session.notice);
	else
		snprintf(text, sizeof(text), "%s: %s", name, explorer->session.notice);
	if (options->complain != NULL)
		options->complain(text);
	if (options->failed != NULL)
		*options->failed = true;
}

/* Keys of a script do what they would; only a command can fail. */
static void
on_stepped(struct explorer *explorer, const struct script_step *step)
{
	const struct explorer_options *options = explorer->session.options;

	/* What a line of a pipe came to has been printed. */
	if (step == NULL && explorer->session.failed && options->failed != NULL)
		*options->failed = true;
	if (step != NULL && step->kind == SCRIPT_COMMAND && explorer->session.failed)
		complain_of(explorer, step->line);
}

static const struct prompt_client *
prompt_client(struct explorer *explorer)
{
	static struct prompt_client client = {
		.changed = requests_typed,
		.accepted = requests_accepted,
		.cancelled = requests_cancelled,
		.check = requests_check,
		.complete = complete_line,
	};

	client.explorer = explorer;
	return &client;
}

static const struct loop_client *
loop_client(struct explorer *explorer)
{
	static struct loop_client client = {
		.key = on_key,
		.command = requests_command,
		.paint = paint_screen,
		.woken = on_woken,
		.work = on_work,
		.pending = on_pending,
		.tick = on_tick,
		.stepped = on_stepped,
		.done = on_done,
	};

	client.explorer = explorer;
	return &client;
}

/* Do what the configuration file says; what is wrong with it becomes messages. */
static void
apply_config(struct explorer *explorer)
{
	struct config *config = explorer->session.options->config;

	for (size_t i = 0; config != NULL && i < config->line_count; i++) {
		const struct config_line *line = &config->lines[i];
		char command[1024];

		explorer->depth++;
		snprintf(command, sizeof(command), "%s %s", line->word, line->rest);
		requests_command(explorer, command);
		explorer->depth--;
		if (explorer->session.failed)
			config_complain(config, line->number, explorer->session.notice);
		explorer->session.notice[0] = '\0';
		explorer->session.failed = false;
	}
	if (config != NULL && config->messages.count > 0)
		session_say(&explorer->session, "%" PRIu64 " invalid lines in '%s': see the "
							   "messages", message_total(&config->messages), config->input.name);
}

static void
run_on_terminal(struct explorer *explorer, struct loop *loop)
{
	choose_first_view(explorer);
	apply_config(explorer);
	prompt_start(prompt_client(explorer), explorer->state);
	loop_run(loop, loop_client(explorer));
	prompt_stop();
	term_stop();
}

/* Without a screen messages are printed at once. */
static void
complain_of_config(const struct explorer *explorer)
{
	const struct explorer_options *options = explorer->session.options;
	char text[800], place[400];

	for (size_t i = 0; options->config != NULL && options->complain != NULL &&
			   i < options->config->messages.count; i++) {
		const struct message *message = &options->config->messages.messages[i];

		snprintf(text, sizeof(text), "%s: %s",
			 place_format(&message->place, place, sizeof(place)), message->text);
		options->complain(text);
	}
}

static void
on_interrupt(int signal)
{
	(void)signal;
	prompt_interrupt();
	interrupted = 1;
	loop_wake(plain_loop);
}

/* Without a screen: C-c stops what is under way, and the prompt comes back. */
static void
run_plain(struct explorer *explorer, struct script *script)
{
	const struct sigaction handler = { .sa_handler = on_interrupt };
	struct sigaction before;

	plain_loop = explorer->loop;
	sigaction(SIGINT, &handler, &before);
	apply_config(explorer);
	complain_of_config(explorer);
	prompt_start_plain(prompt_client(explorer), explorer->state);
	plain_run(explorer, script, loop_client(explorer));
	prompt_stop();
	sigaction(SIGINT, &before, NULL);
}

static enum error_code
take_terminal(struct explorer *explorer, const struct explorer_options *options,
	      struct loop *loop, struct error *error)
{
	char farewell[600];

	snprintf(farewell, sizeof(farewell),
		 "unspool has crashed; the terminal is restored. Please report this with the dump "
		 "'%.400s'.\n",
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

/* Begin a record in a file that is not there yet; the dump and the size go into its first line. */
static FILE *
open_record(const struct explorer_options *options, struct error *error)
{
	FILE *file = fopen(options->record, "wxe");
	char name[512];

	if (file == NULL) {
		error_set(error, ERROR_IO, (struct place){ 0 }, "'%s' cannot be written: %s",
			  options->record, strerror(errno));
		return NULL;
	}
	/* One line each, as they happen: a record of a crash ends with what made it. */
	setvbuf(file, NULL, _IOLBF, 0);
	text_printable(name, sizeof(name), text_of(options->crash->file.input.name));
	fprintf(file, "# unspool --script THIS --size %ux%u %s\n", options->columns, options->rows,
		name);
	return file;
}

static enum error_code
run_session(struct explorer *explorer, const struct explorer_options *options,
	    struct script *script, struct error *error)
{
	enum error_code code = ERROR_NONE;

	if (options->record != NULL) {
		explorer->record = open_record(options, error);
		if (explorer->record == NULL)
			return ERROR_IO;
	}
	/* Only interactive sessions are kept. */
	if (script == NULL && !options->no_state && isatty(STDIN_FILENO))
		explorer->state = prompt_state_directory(explorer->state_buffer,
							 sizeof(explorer->state_buffer));
	if (explorer->state != NULL)
		state_read(&explorer->session, explorer->state);
	help_start(explorer);
	if (options->plain)
		run_plain(explorer, script);
	else
		code = take_terminal(explorer, options, explorer->loop, error);
	if (explorer->state != NULL && code == ERROR_NONE)
		state_write(&explorer->session, explorer->state);
	if (explorer->record != NULL)
		fclose(explorer->record);
	help_stop(explorer);
	row_matches_free(&explorer->search.found);
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
	explorer->loop = &loop;
	if (!session_open(&explorer->session, options, wake_loop, &loop))
		code = error_memory(error);
	else
		code = run_session(explorer, options, script, error);
	/* A thread that can't be stopped, for a disk does not answer: nothing is worth a wait. */
	if (!session_close(&explorer->session))
		_exit(code != ERROR_NONE || (options->failed != NULL && *options->failed)
			      ? EXIT_FAILURE
			      : EXIT_SUCCESS);
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
	static struct script script;	/* an error's place names it still */

	memset(&explorer, 0, sizeof(explorer));
	explorer.rows_printed = REQUESTS_ROWS_PRINTED;
	if (options->script != NULL) {
		enum error_code code = open_script(&script, options->script, error);
		if (code != ERROR_NONE)
			return code;
	}
	enum error_code code =
		run(&explorer, options, options->script != NULL ? &script : NULL, error);
	script_close(&script);
	binding_reset();
	return code;
}

const char *
explorer_libraries(void)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s, readline %s", term_library(), prompt_library());
	return text;
}
