/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/explorer.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "system/config.h"
#include "system/directory.h"
#include "system/new_file.h"
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
		/* Any key cancels the move to the place of --at. */
		explorer->at = NULL;
		requests_key(explorer, event->key);
		break;
	}
}

static void
on_woken(struct explorer *explorer)
{
	session_poll(&explorer->session);
}

/* Without a screen C-c arrives as a signal, not as a key. */
static volatile sig_atomic_t interrupted;
static struct loop *plain_loop;

static void
open_lesson(struct explorer *explorer)
{
	const char *lesson = explorer->lesson;
	struct error error = { 0 };

	explorer->lesson = NULL;
	if (lesson_pane_open(explorer, lesson, &error) == ERROR_NONE)
		return;
	session_fail(&explorer->session, "%s%s%s", place_format(&error.place).text,
		error.place.input != NULL ? ": " : "", error.text);
}

static bool
on_work(struct explorer *explorer)
{
	if (interrupted) {
		interrupted = 0;
		if (!row_search_stop(explorer))
			session_halt(&explorer->session);
	}
	const bool more = requests_work(explorer);
	const bool busy = session_work(&explorer->session) || more;
	/* A place refers to frames by number, and numbers are final once all symbols are loaded. */
	const bool settled = session_is_settled(&explorer->session);
	const bool resting = !busy && settled && !session_is_working(&explorer->session);

	if (explorer->at != NULL && settled) {
		spot_go(&explorer->session, explorer->at);
		explorer->at = NULL;
		return true;
	}
	if (explorer->lesson != NULL && settled) {
		open_lesson(explorer);
		return true;
	}
	if (explorer->next.carried != NULL && resting) {
		state_restore(&explorer->session, explorer->next.carried);
		free(explorer->next.carried);
		explorer->next.carried = NULL;
		session_say(&explorer->session, "%s",
			    explorer->next.options.crash->invented != NULL
				    ? explorer->next.options.crash->invented
				    : "the dump was read again");
		return true;
	}
	return busy || (resting && play_work(explorer));
}

static bool
on_tick(struct explorer *explorer)
{
	return play_tick(explorer) || session_tick(&explorer->session);
}

static bool
on_pending(struct explorer *explorer)
{
	/* The saved state and the place of --at are restored once all symbols are loaded. */
	return session_is_working(&explorer->session) || explorer->next.carried != NULL ||
	       explorer->at != NULL || play_is_due(explorer);
}

/*
 * Report a script command that failed, with its line, or typed text that the prompt did not accept.
 * A key cannot fail.
 */
static void
on_stepped(struct explorer *explorer, const struct script_step *step)
{
	const struct explorer_options *options = explorer->session.open.options;
	char text[600], name[200];

	const bool typed = step != NULL && step->kind == SCRIPT_TYPE && explorer->prompt.open;
	if (typed && prompt_is_full())
		session_fail(&explorer->session, PROMPT_FULL, LIMIT_PROMPT_LINE);
	/* The message of a command from a pipe (no step) is already printed. */
	if (!explorer->session.failed ||
	    (step != NULL && step->kind != SCRIPT_COMMAND && !typed))
		return;
	if (options->failed != NULL)
		*options->failed = true;
	if (step == NULL || options->complain == NULL)
		return;
	text_printable(name, sizeof(name),
		       text_of(explorer->play.on	    ? explorer->play.script.input.name
			       : options->script != NULL ? options->script
							 : "standard input"));
	snprintf(text, sizeof(text), "%s:%u: %s", name, step->line, explorer->session.notice);
	options->complain(text);
}

/* Print the messages of the configuration file for a user who sees no screen. */
static void
complain_about(const struct config *config, void (*complain)(const char *text))
{
	for (size_t i = 0; complain != NULL && i < config->messages.count; i++) {
		const struct message *message = &config->messages.messages[i];
		char text[800];

		snprintf(text, sizeof(text), "%s: %s", place_format(&message->place).text,
			 message->text);
		complain(text);
	}
}

/* Run the lines of the configuration file as commands. A failure becomes a message. */
static void
apply_config(struct explorer *explorer)
{
	struct config *config =
		explorer->settings.configured ? NULL : explorer->session.open.options->config;
	const bool redact = explorer->settings.redact;

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
	/* The configuration file cannot undo --redact. */
	if (redact && !explorer->settings.redact)
		session_redact(&explorer->session, true);
	explorer->settings.redact |= redact;
	if (config != NULL && config->messages.count > 0)
		session_say(&explorer->session, "%" PRIu64 " invalid lines in '%s': see the "
			    "messages", message_total(&config->messages), config->input.name);
	if (config != NULL && (explorer->next.options.plain || explorer->loop->script != NULL))
		complain_about(config, explorer->next.options.complain);
}

static void
on_interrupt(int signal)
{
	(void)signal;
	prompt_interrupt();
	interrupted = 1;
	loop_wake(plain_loop);
}

/* Run without a screen. C-c cancels the running command and returns to the prompt. */
static void
run_plain(struct explorer *explorer, struct script *script, const struct loop_client *client,
	  const struct prompt_client *prompt)
{
	const struct sigaction handler = { .sa_handler = on_interrupt };
	struct sigaction before;

	plain_loop = explorer->loop;
	sigaction(SIGINT, &handler, &before);
	apply_config(explorer);
	prompt_start(prompt, explorer->state, true);
	plain_run(explorer, script, client);
	prompt_stop();
	sigaction(SIGINT, &before, NULL);
}

static enum error_code
start_terminal(const struct explorer *explorer, struct error *error)
{
	const struct explorer_options *options = &explorer->next.options;
	/* static, because signal handlers write it */
	static char farewell[600];

	snprintf(farewell, sizeof(farewell),
		 "unspool has crashed; the terminal is restored. Please report this with the dump "
		 "'%.400s'.\n",
		 place_base_name(options->crash->file.input.name));
	const struct term_options term = {
		.headless = explorer->loop->script != NULL,
		.columns = (int)options->columns,
		.rows = (int)options->rows,
		.color = strcmp(options->color, "always") == 0	? THEME_COLOR_ALWAYS
			 : strcmp(options->color, "never") == 0 ? THEME_COLOR_NEVER
								: THEME_COLOR_AUTO,
		.ascii = options->ascii,
		.notify = explorer->loop->pipe[1],
		.farewell = farewell,
	};
	return term_start(&term, error);
}

static void
run_on_terminal(struct explorer *explorer, const struct loop_client *client,
		const struct prompt_client *prompt)
{
	struct session *session = &explorer->session;
	int columns, rows;

	session->open.work.waits = term_has_input;
	/* A screen with room for one view shows the summary first. */
	term_size(&columns, &rows);
	if (!explorer->settings.configured &&
	    layout_compute(columns, rows, &session->look.choice).slot_count == 1) {
		session->look.first = LAYOUT_SUMMARY;
		session_choose_first_view(session);
	}
	if (!explorer->settings.configured)
		explorer->settings.mouse = term_mouse(true);
	apply_config(explorer);
	const struct explorer_options *options = &explorer->next.options;
	session->open.work.fresh = explorer->loop->script == NULL && options->play == NULL &&
				   options->at == NULL && options->lesson == NULL;
	if (term_substitute() != NULL)
		session_say(session, "unknown terminal type '%s': '%s' is used", getenv("TERM"),
			    term_substitute());
	prompt_start(prompt, explorer->state, false);
	loop_run(explorer->loop, client);
	prompt_stop();
}

/* Write an argument in the syntax of a shell, with unprintable bytes escaped. */
static void
write_quoted(FILE *file, const char *argument)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";
	struct arena arena = { 0 };
	const char *rest = text_printable_copy(&arena, text_of(argument));

	if (rest != NULL && rest[0] != '\0' && rest[strspn(rest, plain)] == '\0') {
		fputs(rest, file);
	} else if (rest != NULL) {
		fputs("'", file);
		for (; *rest != '\0'; rest++)
			fputs(*rest == '\'' ? "'\\''" : (char[]){ *rest, '\0' }, file);
		fputs("'", file);
	}
	arena_free(&arena);
}

/*
 * Write the command that repeats the session. It has the search paths of the environment and all
 * arguments, except arguments that a script replaces.
 */
static void
write_command(FILE *file, const struct explorer_options *options)
{
	static const char *const replaced[] = { "--record", "--script", "--size" };
	static const char *const paths[] = { "UNSPOOL_SYMBOLS", "UNSPOOL_BINARIES" };

	fputc('#', file);
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
		const char *value = getenv(paths[i]);

		if (value == NULL || value[0] == '\0')
			continue;
		fprintf(file, " %s=", paths[i]);
		write_quoted(file, value);
	}
	struct winsize size = { .ws_col = 0 };
	/* Without a terminal, the screen has the size given by the options. */
	const bool terminal = options->script == NULL && !options->plain &&
		ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
	fprintf(file, " unspool --script THIS --size %ux%u",
		terminal ? size.ws_col : options->columns, terminal ? size.ws_row : options->rows);
	for (size_t i = 0; i < options->argument_count; i++) {
		const char *argument = options->arguments[i];
		const struct text name = { argument, strcspn(argument, "=") };
		bool skipped = false;

		for (size_t j = 0; j < ARRAY_COUNT(replaced); j++)
			skipped |= text_is(name, replaced[j]);
		if (!skipped) {
			fputc(' ', file);
			write_quoted(file, argument);
		} else if (argument[name.length] == '\0') {
			i++;
		}
	}
	fputc('\n', file);
}

/* Create a record file, which must not exist, with a comment that says how to repeat it. */
static FILE *
open_record(const struct explorer_options *options, struct error *error)
{
	struct new_file file;

	if (new_file_open(&file, options->record, false, error) != ERROR_NONE ||
	    new_file_show(&file, error) != ERROR_NONE)
		return NULL;
	/* Flush each line, so that a record of a crash ends with the line that caused it. */
	setvbuf(file.stream, NULL, _IOLBF, 0);
	write_command(file.stream, options);
	return file.stream;
}

/* Open the outputs of sessions: the record, and the state for later sessions. */
static enum error_code
open_outputs(struct explorer *explorer, const struct script *script, char **changes,
	     size_t *size, struct error *error)
{
	const struct explorer_options *options = &explorer->next.options;

	explorer->next.changes = open_memstream(changes, size);
	if (explorer->next.changes == NULL)
		return error_memory(error);
	if (options->record != NULL) {
		explorer->record = open_record(options, error);
		if (explorer->record == NULL)
			return ERROR_IO;
	}
	/* Only interactive sessions save state. */
	if (script == NULL && !explorer->play.on && !options->no_state && isatty(STDIN_FILENO))
		explorer->state = directory_of_user(&explorer->arena, DIRECTORY_STATE, "unspool");
	return ERROR_NONE;
}

/* Pass the places and settings of the previous session to the new one. */
static void
carry_on(struct explorer *explorer, const char *changes)
{
	char line[4096];

	explorer->depth++;
	for (const char *at = changes; at != NULL && *at != '\0'; at += strspn(at, "\n")) {
		const size_t length = strcspn(at, "\n");

		if (snprintf(line, sizeof(line), "%.*s", (int)length, at) < (int)sizeof(line))
			requests_command(explorer, line);
		at += length;
	}
	explorer->depth--;
}

static void
run_session(struct explorer *explorer, struct script *script)
{
	const struct prompt_client prompt = {
		.explorer = explorer,
		.changed = requests_typed,
		.accepted = requests_accepted,
		.cancelled = requests_cancelled,
		.check = requests_check,
		.complete = complete_line,
	};
	const struct loop_client client = {
		.explorer = explorer,
		.takes = play_takes_key,
		.key = on_key,
		.command = requests_command,
		.paint = paint_screen,
		.arrange = paint_arrange,
		.woken = on_woken,
		.work = on_work,
		.pending = on_pending,
		.tick = on_tick,
		.stepped = on_stepped,
		.quit = &explorer->quit,
	};

	explorer->client = &client;
	if (explorer->next.options.plain)
		run_plain(explorer, script, &client, &prompt);
	else
		run_on_terminal(explorer, &client, &prompt);
}

/* Begin a session at the place of --at, or at the last place of the previous session. */
static void
begin_session(struct explorer *explorer, const char *changes, bool first, bool afresh)
{
	if (!first)
		carry_on(explorer, changes);
	if (explorer->next.other)
		explorer->session.notice[0] = '\0';
	if (explorer->state != NULL && (first || explorer->next.other))
		state_read(&explorer->session, explorer->state);
	if (explorer->next.other)
		session_say_more(&explorer->session, "%s%s",
				 explorer->session.notice[0] != '\0' ? "; " : "",
				 explorer->next.said);
	explorer->next.other = false;
	if (explorer->play.on)
		play_begin(explorer);
	explorer->lesson = explorer->next.options.lesson;
	explorer->settings.configured = !afresh;
	explorer->at = afresh ? explorer->next.options.at : NULL;
	if (explorer->at != NULL)
		spot_select_thread(&explorer->session, explorer->at);
}

/*
 * Save the state of a session for the next session and the next start. An error names the user's
 * work that is lost.
 */
static enum error_code
keep_state(struct explorer *explorer, struct error *error)
{
	enum error_code code = ERROR_NONE;
	char unsaved[64];

	free(explorer->next.carried);
	explorer->next.carried = explorer->next.again && !explorer->next.afresh &&
				 !explorer->next.other
					 ? state_carry(&explorer->session)
					 : NULL;
	fflush(explorer->next.changes);
	requests_say_unsaved(explorer, unsaved, sizeof(unsaved));
	if (explorer->state != NULL && !explorer->next.dropped &&
	    !state_write(&explorer->session, explorer->state, true) && !explorer->next.again &&
	    unsaved[0] != '\0')
		code = error_plain(error, ERROR_IO, "cannot write to '%s': %s not kept",
				   explorer->state, unsaved);
	/* The state after a play is the script's, not the user's: do not save it. */
	if (explorer->play.on)
		explorer->state = NULL;
	return code;
}

/* Run sessions until the user quits; `reload` ends a session and begins the next one. */
static enum error_code
run_sessions(struct explorer *explorer, struct script *script, struct error *error)
{
	char *changes = NULL;
	size_t size;
	bool first = true;
	enum error_code code = open_outputs(explorer, script, &changes, &size, error);

	if (code == ERROR_NONE && !prompt_load()) {
		code = error_plain(error, ERROR_IO, "cannot load readline (libreadline)");
		error_hint(error, "install it; only the explorer needs it");
	}
	if (code == ERROR_NONE && !explorer->next.options.plain)
		code = start_terminal(explorer, error);
	while (code == ERROR_NONE && (first || explorer->next.again)) {
		const bool afresh = first || explorer->next.afresh;

		explorer->quit = explorer->next.again = explorer->next.afresh =
			explorer->help.shown = false;
		explorer->options = explorer->next.options;
		crash_redact(explorer->next.options.crash, explorer->settings.redact);
		if (!session_open(&explorer->session, &explorer->options, loop_wake,
				  explorer->loop)) {
			code = error_memory(error);
		} else {
			begin_session(explorer, changes, first, afresh);
			run_session(explorer, script);
			code = keep_state(explorer, error);
		}
		first = false;
		lesson_pane_close(explorer);
		/* A thread may wait for a disk and still use the session: exit without cleanup. */
		if (!session_close(&explorer->session)) {
			term_stop();
			_exit(code != ERROR_NONE || (explorer->next.options.failed != NULL &&
						     *explorer->next.options.failed)
				      ? EXIT_FAILURE : EXIT_SUCCESS);
		}
	}
	if (!explorer->next.options.plain)
		term_stop();
	free(explorer->next.carried);
	if (explorer->next.changes != NULL)
		fclose(explorer->next.changes);
	free(changes);
	/* An incomplete record is an error, because it does not repeat the session. */
	const bool bad = explorer->record != NULL && ferror(explorer->record) != 0;
	if (explorer->record != NULL && (fclose(explorer->record) != 0 || bad) &&
	    code == ERROR_NONE)
		code = error_plain(error, ERROR_IO, "cannot write '%s': write failed (disk full?)",
				   explorer->next.options.record);
	session_free_view(&explorer->help.view);
	row_matches_free(&explorer->search.found);
	play_close(explorer);
	arena_free(&explorer->arena);
	return code;
}

enum error_code
explorer_run(const struct explorer_options *options, struct error *error)
{
	static struct explorer explorer;
	static struct script script;
	static struct loop loop;
	struct script *steps =
		options->script != NULL || options->script_text != NULL ? &script : NULL;
	enum error_code code = ERROR_NONE;

	memset(&explorer, 0, sizeof(explorer));
	explorer.print.view_rows = REQUESTS_ROWS_PRINTED;
	explorer.next.options = *options;
	explorer.settings.redact = options->crash->redacted;
	explorer.loop = &loop;
	if (options->script != NULL)
		code = script_open(steps, options->script, error);
	else if (steps != NULL)
		code = script_parse(steps, "script", text_of(options->script_text), error);
	else if (options->play != NULL)
		code = play_open(&explorer, options->play, error);
	/* The error's place refers to the script's input, which has been closed. */
	if (code != ERROR_NONE && error->place.line != 0) {
		const struct error told = *error;

		error_plain(error, code, "line %" PRIu32 ": %s", told.place.line, told.text);
	}
	if (code == ERROR_NONE)
		code = loop_start(&loop, steps, error);
	if (code == ERROR_NONE) {
		code = run_sessions(&explorer, steps, error);
		loop_stop(&loop);
	} else {
		play_close(&explorer);
	}
	script_close(&script);
	binding_reset();
	return code;
}

const char *
explorer_view_command(size_t number)
{
	return number < LAYOUT_VIEW_COUNT
		       ? keymap_row_of(keymap_view_request((enum layout_view)number))->command
		       : NULL;
}

const char *
explorer_libraries(void)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s, readline %s", term_library(), prompt_library());
	return text;
}
