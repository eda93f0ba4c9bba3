/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/prompt.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "document/row.h"
#include "system/file.h"
#include "system/library.h"
#include "system/state_file.h"

enum {
	HISTORY_LINES = 1000,	/* maximum number of lines in each history */
	HISTORY_WIDTH = 4096,	/* limit on the bytes of a line in a history */
	SHOWN_WIDTH = 4 * HISTORY_WIDTH, /* enough for such a line made printable */
};

enum history_kind { HISTORY_COMMAND, HISTORY_FIND, HISTORY_KIND_COUNT };

static const struct {
	const char *text;
	enum history_kind history;
} kinds[] = {
	[PROMPT_COMMAND] = { ":", HISTORY_COMMAND },
	[PROMPT_FIND] = { "/", HISTORY_FIND },
	[PROMPT_FILTER] = { "&", HISTORY_FIND },
};

static const char *const history_names[] = {
	[HISTORY_COMMAND] = "history-command",
	[HISTORY_FIND] = "history-find",
};

struct typed_line {
	struct typed_line *next;
	enum history_kind kind;
	char line[];
};

/* One object: readline is global, and its callbacks get no context. */
static struct {
	struct prompt_client client;
	char *state;			/* directory of the histories, or NULL */
	HISTORY_STATE histories[HISTORY_KIND_COUNT];
	struct typed_line *lines;	/* lines typed since the start */
	FILE *input, *output;		/* /dev/null, for readline while it reads the queue */
	bool open;
	bool passing;			/* the line is not added to a history */
	enum prompt_kind kind;
	char queue[128];		/* bytes for readline: at most one key */
	size_t queued, taken;
	bool finished;			/* readline has called line_is_done */
	char *line;			/* the finished line; NULL: end of input */
	char *known;			/* the last line passed to the client */
	struct completion completion;	/* completion of the last Tab */
	char *typed;			/* the text before the cursor at the last Tab */
	int painted;			/* screen row of the line */
	size_t left;			/* columns of the line scrolled off at the left */
	bool full;			/* the last key was refused: the line is full */
	size_t offer;			/* offset of the text of prompt_offer; SIZE_MAX: none */
	bool showing;			/* possible words are listed over the line */
	struct arena arena;		/* holds `row` */
	struct row row;
} prompt;

/* Functions and variables of readline. */
#define READLINE_SYMBOLS(S) \
	S(add_history) S(clear_history) S(free_history_entry) S(history_get_history_state) \
	S(history_length) S(history_list) S(history_set_history_state) S(readline) \
	S(remove_history) S(rl_attempted_completion_function) \
	S(rl_attempted_completion_over) S(rl_beg_of_line) S(rl_bind_keyseq_if_unbound) \
	S(rl_callback_handler_install) S(rl_callback_handler_remove) \
	S(rl_callback_read_char) S(rl_callback_sigcleanup) S(rl_catch_signals) \
	S(rl_catch_sigwinch) S(rl_change_environment) S(rl_completion_append_character) \
	S(rl_completion_display_matches_hook) \
	S(rl_completion_word_break_hook) S(rl_crlf) S(rl_delete) S(rl_delete_text) \
	S(rl_deprep_term_function) S(rl_deprep_terminal) S(rl_display_match_list) \
	S(rl_display_prompt) S(rl_editing_mode) S(rl_end) S(rl_end_of_line) \
	S(rl_free_line_state) S(rl_function_of_keyseq) \
	S(rl_getc) S(rl_getc_function) S(rl_initialize) S(rl_input_available_hook) \
	S(rl_insert_text) S(rl_instream) S(rl_library_version) S(rl_line_buffer) \
	S(rl_on_new_line) S(rl_outstream) S(rl_point) S(rl_prep_term_function) \
	S(rl_prep_terminal) S(rl_readline_name) S(rl_redisplay) S(rl_redisplay_function) \
	S(rl_replace_line) S(rl_sort_completion_matches) S(rl_startup_hook) \
	S(rl_variable_bind) S(using_history)

static struct {
	READLINE_SYMBOLS(LIBRARY_POINTER)
} lib;

bool
prompt_load(void)
{
	return LIBRARY_FILL(READLINE_SYMBOLS, "libreadline", RL_VERSION_MAJOR);
}

/* Callbacks for readline ----------------------------------------------------------------------- */

static int
queue_getc(FILE *file)
{
	(void)file;
	if (prompt.taken == prompt.queued)
		return EOF;
	return (unsigned char)prompt.queue[prompt.taken++];
}

static int
queue_has(void)
{
	return prompt.taken < prompt.queued;
}

static void
draw_nothing(void)
{
}

static void
forget_matches(void)
{
	completion_free(&prompt.completion);
	free(prompt.typed);
	prompt.typed = NULL;
	prompt.showing = false;
}

/* Show the words of the last completion. Readline's matches are whole lines. */
static void
keep_matches(char **matches, int count, int longest)
{
	(void)matches;
	(void)count;
	(void)longest;
	prompt.showing = true;
}

/* A match is the whole completed line, because names have blanks at which readline splits words. */
static char *
whole_line(const char *word)
{
	const struct completion *completion = &prompt.completion;
	char *line;

	return asprintf(&line, "%.*s%s", (int)completion->from, completion->line, word) < 0 ? NULL
											   : line;
}

static char *
break_nowhere(void)
{
	static char nothing[] = "";

	return nothing;
}

/* The common prefix, then all words, as readline expects them. */
static char **
complete(const char *typed, int start, int end)
{
	const struct prompt_client *client = &prompt.client;
	struct completion *completion = &prompt.completion;

	(void)typed;
	(void)start;
	(void)end;
	*lib.rl_attempted_completion_over = 1;
	forget_matches();
	prompt.typed = strndup(*lib.rl_line_buffer, (size_t)*lib.rl_point);
	if (prompt.typed == NULL)
		return NULL;
	completion_begin(completion, prompt.typed);
	client->complete(client->explorer, completion);
	*lib.rl_completion_append_character = completion->open ? '\0' : ' ';
	char **matches = completion->common == NULL
				 ? NULL
				 : calloc(completion->count + 2, sizeof(*matches));
	if (matches == NULL)
		return NULL;
	matches[0] = whole_line(completion->common);
	for (size_t i = 0; i < completion->count; i++)
		matches[i + 1] = whole_line(completion->words[i]);
	return matches;
}

/* A command without the blanks at its end: Tab adds one after a word. NULL stays NULL. */
static char *
without_blanks(char *line)
{
	for (size_t length = line != NULL ? strlen(line) : 0;
	     length > 0 && line[length - 1] == ' ';)
		line[--length] = '\0';
	return line;
}

/* Remove the handler, otherwise readline begins another line at once. */
static void
line_is_done(char *line)
{
	lib.rl_callback_handler_remove();
	prompt.finished = true;
	prompt.line = prompt.kind == PROMPT_COMMAND ? without_blanks(line) : line;
}

/* Histories ------------------------------------------------------------------------------------*/

static void
use_history(enum history_kind kind)
{
	lib.history_set_history_state(&prompt.histories[kind]);
	lib.using_history();
}

static void
put_history_away(enum history_kind kind)
{
	HISTORY_STATE *state = lib.history_get_history_state();

	if (state != NULL)
		prompt.histories[kind] = *state;
	free(state);
}

static void
drop_history(int index)
{
	free(lib.free_history_entry(lib.remove_history(index)));
}

static void
drop_line(const char *line)
{
	HIST_ENTRY **entries = lib.history_list();

	for (int i = *lib.history_length - 1; i >= 0; i--)
		if (strcmp(entries[i]->line, line) == 0) {
			drop_history(i);
			return;
		}
}

/* Add a line as the newest one, and remove its earlier copy. */
static void
add_line(const char *line)
{
	if (line[0] == '\0' || strlen(line) >= HISTORY_WIDTH)
		return;
	drop_line(line);
	lib.add_history(line);
	if (*lib.history_length > HISTORY_LINES)
		drop_history(0);
}

static bool
history_path(enum history_kind kind, char *path, size_t size)
{
	return prompt.state != NULL &&
	       snprintf(path, size, "%s/%s", prompt.state, history_names[kind]) < (int)size;
}

/* Replace the current history by the lines of its file. */
static void
read_history_file(enum history_kind kind)
{
	char path[4096], line[HISTORY_WIDTH + 1], shown[SHOWN_WIDTH];

	if (!history_path(kind, path, sizeof(path)))
		return;
	FILE *file = file_is_plain(path) ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	lib.clear_history();
	for (int i = 0; i < HISTORY_LINES && fgets(line, sizeof(line), file) != NULL; i++) {
		text_printable(shown, sizeof(shown), (struct text){ line, strcspn(line, "\n") });
		add_line(shown);
	}
	fclose(file);
}

static void
write_lines(void *context, FILE *file)
{
	HIST_ENTRY *const *entries = context;

	for (int i = 0; i < *lib.history_length; i++)
		fprintf(file, "%s\n", entries[i]->line);
}

/*
 * Lock the current history and read it again, because another explorer may have written it. Returns
 * the lock for write_history_file; negative: the file cannot be written.
 */
static int
lock_history(enum history_kind kind)
{
	const int lock = prompt.state != NULL ? state_file_lock(prompt.state) : -1;

	if (lock >= 0)
		read_history_file(kind);
	return lock;
}

static void
write_history_file(enum history_kind kind, int lock)
{
	char path[4096];

	if (lock >= 0 && history_path(kind, path, sizeof(path)))
		state_file_write(path, write_lines, lib.history_list());
	if (lock >= 0)
		close(lock);
}

/*
 * Add a line to the current history and to its file. If the file cannot be written, the line is
 * remembered until the program ends. It is made printable, because with --plain readline draws it.
 */
static void
remember(enum history_kind kind, const char *typed_line)
{
	const int lock = lock_history(kind);
	char line[SHOWN_WIDTH];

	text_printable(line, sizeof(line), text_of(typed_line));
	struct typed_line *typed = malloc(sizeof(*typed) + strlen(line) + 1);

	add_line(line);
	write_history_file(kind, lock);
	if (typed == NULL)
		return;
	typed->kind = kind;
	memcpy(typed->line, line, strlen(line) + 1);
	typed->next = prompt.lines;
	prompt.lines = typed;
}

static void
forget_typed(void)
{
	for (struct typed_line *typed; (typed = prompt.lines) != NULL; free(typed))
		prompt.lines = typed->next;
}

void
prompt_forget(void)
{
	for (enum history_kind kind = 0; kind < HISTORY_KIND_COUNT; kind++) {
		use_history(kind);
		const int lock = lock_history(kind);
		for (const struct typed_line *at = prompt.lines; at != NULL; at = at->next)
			if (at->kind == kind)
				drop_line(at->line);
		write_history_file(kind, lock);
		put_history_away(kind);
	}
	forget_typed();
}

/* The prompt -----------------------------------------------------------------------------------*/

static size_t
widest_word(void)
{
	size_t widest = 0;

	for (size_t i = 0; i < prompt.completion.count; i++) {
		const size_t width = text_width(text_of(prompt.completion.words[i]));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* List the words of the last completion. Readline itself would list whole lines. */
static void
list_words(char **matches, int count, int longest)
{
	const struct completion *completion = &prompt.completion;
	char **words = calloc(completion->count + 2, sizeof(*words));
	(void)matches;
	(void)count;
	(void)longest;
	for (size_t i = 0; words != NULL && i < completion->count; i++)
		words[i + 1] = completion->words[i];
	lib.rl_crlf();
	if (words != NULL)
		lib.rl_display_match_list(words, (int)completion->count, (int)widest_word());
	if (completion->total > completion->count)
		fprintf(*lib.rl_outstream, "%zu of %" PRIu64 "\n", completion->count,
			completion->total);
	lib.rl_on_new_line();
	free(words);
}

/*
 * prompt_ask continues here after C-c; readline itself would go on reading the line. The line can
 * be left only between two keys. With rl_catch_signals, readline has its own signal handlers and
 * calls our handler only then.
 */
static sigjmp_buf again;
static volatile sig_atomic_t asking;

/* Called by readline when it has set its handlers. */
static int
begin_asking(void)
{
	asking = 1;
	return 0;
}

/* Let readline read and draw on the terminal, or read from the queue and draw nothing. */
static void
read_terminal(bool on)
{
	*lib.rl_instream = on ? stdin : prompt.input;
	*lib.rl_outstream = on ? stdout : prompt.output;
	*lib.rl_catch_signals = *lib.rl_catch_sigwinch = on;
	*lib.rl_prep_term_function = on ? lib.rl_prep_terminal : NULL;
	*lib.rl_deprep_term_function = on ? lib.rl_deprep_terminal : NULL;
	*lib.rl_getc_function = on ? lib.rl_getc : queue_getc;
	*lib.rl_input_available_hook = on ? NULL : queue_has;
	*lib.rl_redisplay_function = on ? lib.rl_redisplay : draw_nothing;
	*lib.rl_completion_display_matches_hook = on ? list_words : keep_matches;
	*lib.rl_startup_hook = on ? begin_asking : NULL;
}

void
prompt_start(const struct prompt_client *client, const char *state, bool plain)
{
	prompt.client = *client;
	prompt.state = state == NULL ? NULL : strdup(state);
	row_init(&prompt.row, &prompt.arena);
	*lib.rl_readline_name = "unspool";
	*lib.rl_attempted_completion_function = complete;
	*lib.rl_completion_word_break_hook = break_nowhere;
	*lib.rl_sort_completion_matches = 0;
	prompt.input = fopen("/dev/null", "re");
	prompt.output = fopen("/dev/null", "we");
	if (!plain) {
		/* Do not let readline set LINES and COLUMNS: curses would use them as a size. */
		*lib.rl_change_environment = 0;
		read_terminal(false);
		lib.rl_initialize();
		/* Without the system's inputrc, readline does not bind these keys. */
		lib.rl_bind_keyseq_if_unbound("\033[3~", lib.rl_delete);
		lib.rl_bind_keyseq_if_unbound("\033[1~", lib.rl_beg_of_line);
		lib.rl_bind_keyseq_if_unbound("\033[4~", lib.rl_end_of_line);
		lib.rl_variable_bind("show-all-if-ambiguous", "on");
		lib.rl_variable_bind("bell-style", "none");
	}
	for (unsigned i = 0; i < HISTORY_KIND_COUNT; i++) {
		use_history((enum history_kind)i);
		read_history_file((enum history_kind)i);
		put_history_away((enum history_kind)i);
	}
}

void
prompt_interrupt(void)
{
	if (!asking)
		return;
	asking = 0;
	siglongjmp(again, 1);
}

char *
prompt_ask(const char *label)
{
	use_history(HISTORY_COMMAND);
	read_terminal(true);
	if (sigsetjmp(again, 1) != 0)
		putchar('\n');
	char *line = without_blanks(lib.readline(label));
	asking = 0;
	if (line != NULL)
		remember(HISTORY_COMMAND, line);
	put_history_away(HISTORY_COMMAND);
	forget_matches();
	return line;
}

static void
close_prompt(void)
{
	put_history_away(kinds[prompt.kind].history);
	forget_matches();
	free(prompt.known);
	prompt.known = NULL;
	prompt.open = prompt.full = false;
}

static void
abandon_line(void)
{
	lib.rl_callback_sigcleanup();
	lib.rl_free_line_state();
	lib.rl_callback_handler_remove();
	close_prompt();
}

void
prompt_stop(void)
{
	if (prompt.open)
		abandon_line();
	forget_matches();
	for (unsigned i = 0; i < HISTORY_KIND_COUNT; i++) {
		use_history((enum history_kind)i);
		lib.clear_history();
		free(lib.history_list());
		prompt.histories[i] = (HISTORY_STATE){ 0 };
		lib.history_set_history_state(&prompt.histories[i]);
	}
	forget_typed();
	if (prompt.input != NULL)
		fclose(prompt.input);
	if (prompt.output != NULL)
		fclose(prompt.output);
	prompt.input = prompt.output = *lib.rl_instream = *lib.rl_outstream = NULL;
	free(prompt.state);
	prompt.state = NULL;
	arena_free(&prompt.arena);
}

void
prompt_open(enum prompt_kind kind, const char *line, bool passing)
{
	if (prompt.open)
		abandon_line();
	prompt.kind = kind;
	prompt.passing = passing;
	prompt.open = true;
	prompt.finished = false;
	use_history(kinds[kind].history);
	read_terminal(false);
	lib.rl_callback_handler_install(kinds[kind].text, line_is_done);
	lib.rl_insert_text(line);
	prompt.known = strdup(line);
	prompt.offer = SIZE_MAX;
}

void
prompt_offer(const char *text)
{
	prompt.offer = (size_t)*lib.rl_end;
	lib.rl_insert_text(text);
}

/* The first character that is typed replaces an offer; any other key accepts it. */
static void
settle_offer(const struct term_event *event)
{
	const bool typed = event->key == TERM_KEY_PASTE ||
			   (event->length > 0 && (unsigned char)event->bytes[0] >= ' ' &&
			    event->bytes[0] != 0x7f);

	if (typed && prompt.offer < (size_t)*lib.rl_end) {
		lib.rl_delete_text((int)prompt.offer, *lib.rl_end);
		*lib.rl_point = *lib.rl_end;
	}
	prompt.offer = SIZE_MAX;
}

bool
prompt_is_open(void)
{
	return prompt.open;
}

bool
prompt_is_full(void)
{
	return prompt.full;
}

static void
finish(void)
{
	const struct prompt_client *client = &prompt.client;
	char *line = prompt.line;

	if (line != NULL && !prompt.passing)
		remember(kinds[prompt.kind].history, line);
	close_prompt();
	/* The client may open the prompt again. */
	if (line != NULL)
		client->accepted(client->explorer, line);
	else
		client->cancelled(client->explorer);
	free(line);
}

/* Whether readline has no function for a key, so that it would insert the key's bytes. */
static bool
is_unbound(const struct term_event *event)
{
	char bytes[sizeof(event->bytes) + 1];
	int type = ISFUNC;

	if (event->length == 0 || event->bytes[0] != '\033')
		return false;
	memcpy(bytes, event->bytes, event->length);
	bytes[event->length] = '\0';
	return lib.rl_function_of_keyseq(bytes, NULL, &type) == NULL && type == ISFUNC;
}

/* Undo a key that makes the line too long; a line that was too long when opened may stay. */
static void
keep_bounded(int point)
{
	if (prompt.finished || prompt.known == NULL || *lib.rl_end <= (int)LIMIT_PROMPT_LINE ||
	    (size_t)*lib.rl_end <= strlen(prompt.known))
		return;
	lib.rl_replace_line(prompt.known, 0);
	*lib.rl_point = point;
	prompt.full = true;
}

void
prompt_key(const struct term_event *event)
{
	const struct prompt_client *client = &prompt.client;
	const struct text pasted = term_pasted();
	bool vi = *lib.rl_editing_mode == 0;

	/* A file's keys must not leave a macro, which C-x begins and runs. */
	if (!prompt.open || is_unbound(event) ||
	    (prompt.passing && event->key == TERM_KEY_CONTROL('x')))
		return;
	if ((event->key == TERM_KEY_ESCAPE && !vi) || event->key == TERM_KEY_CONTROL('c')) {
		abandon_line();
		client->cancelled(client->explorer);
		return;
	}
	const int point = *lib.rl_point;
	forget_matches();
	prompt.full = false;
	settle_offer(event);
	if (event->key == TERM_KEY_PASTE) {
		char *copy = strndup(pasted.start, pasted.length);

		if (copy != NULL)
			lib.rl_insert_text(copy);
		free(copy);
	}
	size_t length = event->length < sizeof(prompt.queue) ? event->length : 0;
	memcpy(prompt.queue, event->bytes, length);
	prompt.queued = length;
	prompt.taken = 0;
	while (queue_has() && !prompt.finished)
		lib.rl_callback_read_char();
	keep_bounded(point);
	if (prompt.finished) {
		finish();
	} else if (prompt.known == NULL || strcmp(prompt.known, *lib.rl_line_buffer) != 0) {
		free(prompt.known);
		prompt.known = strdup(*lib.rl_line_buffer);
		client->changed(client->explorer, *lib.rl_line_buffer);
	}
}

/* Append a part of the line, with control characters as ^X. */
static void
add_visible(struct row *row, enum role role, struct text text)
{
	while (text.length != 0) {
		unsigned char c = (unsigned char)text.start[0];
		size_t length = 0;

		while (length < text.length && (unsigned char)text.start[length] >= 0x20)
			length++;
		if (length != 0) {
			row_add_text(row, role, (struct text){ text.start, length });
		} else {
			row_add(row, ROLE_UNKNOWN, "^%c", c ^ 0x40);
			length = 1;
		}
		text.start += length;
		text.length -= length;
	}
}

/* Readline encloses invisible parts of a prompt in \1 and \2. */
static void
add_label(struct row *row, const char *label)
{
	bool hidden = false;

	for (; label != NULL && *label != '\0';) {
		size_t length = strcspn(label, "\1\2");

		if (!hidden)
			row_add_text(row, ROLE_KEY, (struct text){ label, length });
		label += length;
		if (*label != '\0')
			hidden = *label++ == '\1';
	}
}

static void
paint_matches(int y, int columns)
{
	const struct completion *completion = &prompt.completion;
	struct row *row = &prompt.row;
	const size_t count = completion->count, room = columns > 2 ? (size_t)columns - 2 : 1;
	size_t widest = widest_word(), across, lines, most = y > 4 ? (size_t)(y - 2) / 2 : 0;

	widest = widest < room ? widest : room;
	across = (size_t)columns / (widest + 2) == 0 ? 1 : (size_t)columns / (widest + 2);
	lines = (count + across - 1) / across;
	size_t shown = lines < most ? lines : most;
	if (shown == 0)
		return;
	int top = y - (int)shown;
	term_line(0, top - 1, columns, false, THEME_GLYPH_LINE);
	for (size_t line = 0; line < shown; line++) {
		row_clear(row);
		for (size_t i = 0; i < across && line * across + i < count; i++) {
			row_pad(row, i * (widest + 2) + 1);
			row_add_cut(row, ROLE_NORMAL, widest, true,
				    text_of(completion->words[line * across + i]));
		}
		row_pad(row, (size_t)columns);
		term_put_row(0, top + (int)line, columns, row, 0, ROLE_NORMAL);
	}
	row_clear(row);
	row_add(row, ROLE_TITLE, " %zu of %" PRIu64 " ", shown * across < count ? shown * across
								       : count,
		completion->total);
	term_put_row(1, top - 1, columns - 1, row, 0, ROLE_NORMAL);
}

/* Paint the text about the line under the byte that it refers to. */
static void
paint_check(int y, int columns, size_t left, size_t column, const char *text)
{
	struct row *row = &prompt.row;
	const size_t width = text_width(text_of(text)), room = (size_t)columns;
	const size_t length = strnlen(*lib.rl_line_buffer, column);

	row_clear(row);
	add_label(row, *lib.rl_display_prompt);
	add_visible(row, ROLE_NORMAL, (struct text){ *lib.rl_line_buffer, length });
	size_t at = row->width > left ? row->width - left : 0;
	/* If the sentence does not fit after its mark '^', write it before the mark. */
	const bool before = at + width > room && at > room / 2 && text[0] == '^' && text[1] == ' ';
	row_clear(row);
	if (before) {
		const struct text words = text_of(text + 2);

		row_pad(row, at > words.length + 1 ? at - words.length - 1 : 0);
		row_add_text(row, ROLE_BAD, words);
		row_add(row, ROLE_BAD, " ^");
	} else {
		row_pad(row, at + width > room ? (width < room ? room - width : 0) : at);
		row_add_text(row, text[0] == '^' ? ROLE_BAD : ROLE_NOTE, text_of(text));
	}
	row_pad(row, room);
	term_put_row(0, y, columns, row, 0, ROLE_NORMAL);
}

void
prompt_paint(int y, int columns)
{
	const struct prompt_client *client = &prompt.client;
	struct row *row = &prompt.row;
	const size_t point = (size_t)*lib.rl_point, end = (size_t)*lib.rl_end;
	/* An offer ends at the cursor. */
	const size_t offer = prompt.offer < point ? prompt.offer : point;
	size_t column = 0;
	char text[300];

	if (!prompt.open || columns < 1)
		return;
	/* Get the text to show under the line, and the byte that it refers to. */
	bool checked = y > 1 && prompt.full;
	if (checked) {
		column = (size_t)*lib.rl_point;
		snprintf(text, sizeof(text), "^ " PROMPT_FULL, LIMIT_PROMPT_LINE);
	} else if (y > 1) {
		checked = client->check(client->explorer, *lib.rl_line_buffer, &column, text,
					sizeof(text));
	}
	y -= checked ? 1 : 0;
	if (prompt.showing)
		paint_matches(y, columns);
	row_clear(row);
	add_label(row, *lib.rl_display_prompt);
	add_visible(row, ROLE_NORMAL, (struct text){ *lib.rl_line_buffer, offer });
	add_visible(row, ROLE_SELECTED,
		    (struct text){ *lib.rl_line_buffer + offer, point - offer });
	size_t cursor = row->width;
	add_visible(row, ROLE_NORMAL, (struct text){ *lib.rl_line_buffer + point, end - point });
	size_t left = cursor >= (size_t)columns ? cursor - (size_t)columns + 1 : 0;
	row_pad(row, left + (size_t)columns);
	term_put_row(0, y, columns, row, left, ROLE_NORMAL);
	prompt.painted = y;
	prompt.left = left;
	if (checked)
		paint_check(y + 1, columns, left, column, text);
	term_cursor((int)(cursor - left), y);
}

void
prompt_click(int x, int y)
{
	const size_t column = prompt.left + (size_t)x, end = (size_t)*lib.rl_end;
	struct row *row = &prompt.row;
	size_t at = 0;

	if (!prompt.open || y != prompt.painted)
		return;
	/* Find the longest prefix of the line that ends at or before the column. */
	for (size_t next = 0; next <= end; next++) {
		/* Skip positions inside a character. */
		if (((unsigned char)(*lib.rl_line_buffer)[next] & 0xc0) == 0x80)
			continue;
		row_clear(row);
		add_label(row, *lib.rl_display_prompt);
		add_visible(row, ROLE_NORMAL, (struct text){ *lib.rl_line_buffer, next });
		if (row->width > column)
			break;
		at = next;
	}
	*lib.rl_point = (int)at;
	prompt.offer = SIZE_MAX;
}

const char *
prompt_library(void)
{
	return prompt_load() ? *lib.rl_library_version : "is missing";
}
