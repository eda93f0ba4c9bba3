/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_REQUESTS_H
#define UI_REQUEST_REQUESTS_H

#include "lesson/lesson_run.h"
#include "report/glossary.h"
#include "ui/request/keymap.h"
#include "ui/terminal/loop.h"
#include "ui/terminal/prompt.h"
#include "ui/request/script.h"
#include "ui/session/session.h"
#include "ui/terminal/term.h"

/**
 * The requests. Each row of request.def names a handler, which requests.c calls for a key or
 * command. The handler is in the file of its subject: request_note() is in ui/view/notes.c.
 */
struct explorer;

/**
 * A lesson next to the views: the current card, its answers and its place.
 *
 * The lesson's own walks check answers. Values in the card's text come from the explorer's walk, so
 * that blind mode hides them too.
 */
struct lesson_pane {
	struct lesson lesson;
	struct lesson_scene scene;
	struct lesson_run run;
	struct arena arena;		/* holds the path and the notes' texts */
	const char *progress;		/* file of progress; NULL: not saved */
	/* The frame, the event and the address at the beginning of the card */
	size_t frame;
	uint32_t event;
	uint64_t address;
	struct lesson_note {		/* hints and the last reply about the card */
		const char *text;
		enum lesson_note_kind {
			LESSON_NOTE_HINT,
			LESSON_NOTE_PRAISE,
			LESSON_NOTE_REFUSAL,
		} kind;
	} *notes;
	size_t note_count, note_capacity;
};

/** Open the lesson of a directory at its first card, in a session of its crash. */
enum error_code
lesson_pane_open(struct explorer *explorer, const char *directory, struct error *error);

void
lesson_pane_close(struct explorer *explorer);

/** The form of an answer to the current task; NULL: no task. */
const char *
lesson_pane_how(const struct session *session);

/**
 * Open the prompt for an answer and propose the selection. If no answer is asked for, report why.
 * False if no lesson is open.
 */
bool
lesson_pane_ask(struct explorer *explorer);

/**
 * A script that the user runs on the screen line by line, forwards and back.
 *
 * A line runs once all work of the previous line is done. Going back opens a new session and runs
 * the earlier lines again. A line runs only if its request is allowed for files (request.def).
 */
struct play {
	bool on;
	struct script script;
	struct arena arena;
	/* text of each `say` step, printable; NULL for other steps */
	const char **says;
	size_t next;			/* index of the next step to run */
	size_t target;			/* steps before this one run without the user */
	/* steps before this one already ran in an earlier session */
	size_t repeated;
	bool running;
	bool ran;			/* a step has run and its result is not checked yet */
	/* the user's request, which is made again when the pause ends */
	enum request asked;
	int64_t until;			/* end of the pause, in milliseconds; 0: none */
	size_t part;			/* shown part of a card that does not fit, from 0 */
	/* Size of the screen for which the cards were measured, and rows of the largest card */
	size_t columns, rows;
	size_t taken;			/* rows of the screen used by the play */
	/* Settings at the beginning that do not belong to a session. */
	enum theme_name theme;
	bool mouse, redact;
	size_t rows_printed;
	long changes;			/* bytes in explorer->changes at the beginning */
};

/** Read and check a script, to play it from its beginning. */
enum error_code
play_open(struct explorer *explorer, const char *path, struct error *error);

/** Restore the settings of the play's beginning in a new session. */
void
play_begin(struct explorer *explorer);

/** End the play, if there is one. */
void
play_close(struct explorer *explorer);

/** Handle a key of the play. False if it is another key. */
bool
play_takes_key(struct explorer *explorer, const struct term_event *event);

/** Whether lines are due without the user. */
bool
play_is_due(const struct explorer *explorer);

/** Run a step of the script, which may make only requests that are allowed for files. */
void
play_take(struct explorer *explorer, const struct script_step *step);

/** Run the next line that is due, unless work is under way. False if none is due. */
bool
play_work(struct explorer *explorer);

/** Continue after a pause. True if there is anything to do. */
bool
play_tick(struct explorer *explorer);

/** The number of the screen's `rows` that the play uses: a title and its largest card. */
int
play_rows(struct explorer *explorer, int columns, int rows);

/** Fill row `index` of the play, 0 for the title, for a screen of `columns`. */
void
play_fill(struct explorer *explorer, size_t index, size_t columns, struct row *row);

/** Commands that show a stream of the dump (details.def). */
enum details_id {
#define D(id, command, help, streams, nothing) DETAILS_##id,
#include "ui/view/details.def"
	DETAILS_COUNT
};

/** Contents to copy or to write to a file. */
enum export_what {
	EXPORT_VALUE,		/* the value of the selected row */
	EXPORT_ROW,		/* the selected row */
	EXPORT_LINE,		/* the selected row with its source */
	EXPORT_FRAME,		/* the selected frame with its inlined calls */
	EXPORT_WALK,		/* the selected thread, a line for each frame */
	EXPORT_STEP,		/* the step of the selected frame, in full */
	EXPORT_PROSE,		/* the same step in sentences */
	EXPORT_REPORT,
	EXPORT_SPOT,		/* the option that opens the crash here */
	EXPORT_OVER = 0x100,	/* flag: overwrite an existing file */
};

/** The dump of the list that a request opens. */
enum dump_which { DUMP_NUMBER, DUMP_NEXT, DUMP_PREVIOUS };

/** The rows or columns that a request adds to a pane; negative: removes. */
enum { RESIZE_ROWS = 1, RESIZE_COLUMNS };

/** Lengths of moves between rows; negative: upwards. */
enum { MOVE_ROW = 1, MOVE_HALF, MOVE_PAGE, MOVE_ALL };

/** The facts of identify: about a value, or about its type. */
enum { IDENTIFY_VALUE, IDENTIFY_TYPE };

enum quit_how {
	QUIT_ASKED,		/* ask first if something would be lost */
	QUIT_KEEPING,		/* save edits and notes for `resume` */
	QUIT_NOW,		/* save nothing more */
};

enum lesson_request {
	LESSON_SHOW,
	LESSON_LIST,
	LESSON_NEXT,
	LESSON_SKIP,
	LESSON_BACK,
	LESSON_AGAIN,
	LESSON_SHOWS,
	LESSON_HINT,
};

enum help_kind { HELP_KEYS, HELP_WORDS, HELP_TERMS, HELP_NOTES, HELP_VIEWS, HELP_DUMPS };

struct help_page {
	enum help_kind kind;
	/* HELP_WORDS: terms with their texts; `also`: other names, or the place of a word */
	struct glossary_entry words[64];
	size_t word_count;
	size_t width;			/* columns of its text */
	unsigned short entries[1024];	/* HELP_KEYS, HELP_WORDS: entry of each row */
	int columns;			/* width of the screen it was made for */
	uint64_t number;		/* changes with the rows */
};

/** Rows that --plain prints of a view by default (`set rows`). */
#define REQUESTS_ROWS_PRINTED 50u

/**
 * A search through the rows of the focused view, and the count of its matches.
 *
 * A view may have millions of rows, so both work in slices between keys. Any key ends a search; the
 * count starts over if rows, view or text change.
 */
struct row_search {
	struct row_matches found;	/* matches; its pattern stays until the next search */
	bool active;
	bool typed;		/* runs while its text is typed: reports nothing */
	bool back;
	size_t at, left;		/* next row to check, and number of rows left */
	size_t from;			/* row where the search began */
	uint64_t number;		/* identifies the text */
};

/** The help, which covers the views. */
struct explorer_help {
	bool shown;
	struct session_view view;
	struct help_page page;
};

/** Earlier keys and clicks that affect later ones. */
struct explorer_keys {
	enum request last_step;		/* the step that `repeat` repeats */
	bool stepped;			/* the last line of --plain made a step */
	enum request prefix;		/* waits for the letter of a mark; REQUEST_NONE: none */
	int pair;			/* first key of a pair that waits for the second; 0: none */
	struct term_event clicked;	/* the last click, to detect a double click */
	struct layout_border grabbed;	/* border under the pressed mouse button */
	bool grabbing;			/* `grabbed` is valid */
	bool stopped;			/* the last key ended a search */
	bool pressed;			/* the request comes from a key, not from a command */
};

struct explorer_prompt {
	bool open;
	enum prompt_kind kind;
	char search_before[PATTERN_SIZE];	/* pattern when the prompt was opened */
	size_t search_from;		/* the row where the search began */
	char filter_before[128];	/* the view's filter when the prompt was opened */
};

/** Settings that last from one session to the next. */
struct explorer_settings {
	bool mouse;
	enum theme_name theme;
	bool redact;
	enum clip_policy clipboard;	/* terminals to which copies are sent */
	char copy_command[256];		/* receives copies instead; "": none */
	bool configured;		/* an earlier session has run the configuration */
};

/** The session after this one. */
struct explorer_next {
	bool again;			/* quitting: open the dump anew afterwards */
	bool afresh;			/* with `again`: keep only changes made before a play */
	bool other;			/* with `again`: open another dump */
	char said[328];			/* the first message of that dump's session */
	struct explorer_options options;
	char *carried;			/* state of the previous session until symbols are loaded */
	FILE *changes;			/* records places and settings for the next session */
	bool dropped;			/* quitting: do not save edits and notes */
};

/** Printing of rows in place of a screen (--plain). */
struct explorer_print {
	bool plain;			/* no screen: rows are printed */
	char said[256];			/* notice before the last command */
	size_t from, to;		/* rows printed last, for `more`; 0: none */
	bool help;			/* they are rows of the help */
	bool done;			/* the command has printed its result */
	bool frame;			/* print the frame, even if another view is focused */
	size_t view_rows;		/* printed rows of a view; 0: all */
	size_t rows;			/* like view_rows, for the next print only; 0: unset */
};

struct explorer {
	struct session session;
	struct layout layout;
	int columns, rows;
	bool quit;
	bool stale;			/* the layout is newer than the painted screen */
	struct explorer_help help;
	struct explorer_keys keys;
	struct explorer_prompt prompt;
	struct row_search search;
	struct explorer_settings settings;
	struct explorer_options options;
	struct explorer_next next;
	struct explorer_print print;
	struct play play;
	FILE *record;			/* receives the session as a script; NULL: none */
	unsigned depth;			/* nesting of requests */
	const struct place *asker;	/* line of a file that makes the request; NULL: the user */
	const struct loop_client *client;
	struct loop *loop;
	const char *lesson;		/* directory of a lesson to open */
	const char *at;			/* place to go to once its frames are walked; NULL: none */
	struct arena arena;		/* holds `state` */
	const char *state;		/* directory of saved state; NULL: none */
	bool unsaved_notes;		/* notes have changed and cannot be saved */
};

struct setting {
	const char *name;
	const char *values;	/* separated by blanks; or "NUMBER": 0 or more; or "TEXT" */
};

/** The settings in their order; NULL after the last. */
const struct setting *
settings_at(size_t index);

/** The arguments of a handler. */
struct request_call {
	struct explorer *explorer;
	struct session *session;
	const char *text;		/* typed after the command; "" for a key */
	int value;	/* value of the row, which distinguishes requests with one handler */
	enum request request;
};

#define R(id, command, keys, contexts, hints, hint, act, with, help)			\
	void request_##act(const struct request_call *call);
#include "ui/request/request.def"
#undef R

/** Make a request; `arguments` is "" for a key. */
void
requests_do(struct explorer *explorer, enum request request, const char *arguments);

/** Run a typed command, or report why it is impossible. */
void
requests_command(struct explorer *explorer, const char *line);

/** Handle a line typed into a prompt of some kind. */
void
requests_typed_line(struct explorer *explorer, enum prompt_kind kind, const char *line);

/** Close the open prompt with a line, or without one. */
void
requests_accepted(struct explorer *explorer, const char *line);
void
requests_cancelled(struct explorer *explorer);

/** Describe unsaved work: "2 edits and 1 note"; "": none. */
void
requests_say_unsaved(const struct explorer *explorer, char *text, size_t size);

/** Leave and open the dump and its files anew. False, with a message, if they no longer exist. */
bool
requests_open_again(struct explorer *explorer);

/** Handle a key in the focused view. */
void
requests_key(struct explorer *explorer, int key);

/** The context of keys, as one bit of the keymap. */
unsigned
requests_context(const struct explorer *explorer);

/** The view that keys act on: the help while it is open, else the focused one. */
struct session_view *
requests_view(struct explorer *explorer);

/** Use the layout called `name`, with no pane hidden or resized. False if it does not exist. */
bool
requests_layout(struct explorer *explorer, const char *name);

/** Open a prompt with a line in it. */
void
requests_open_prompt(struct explorer *explorer, enum prompt_kind kind, const char *line);

/** Select row `index` of the view that receives keys, or its last row if `index` is too large. */
void
requests_select(struct explorer *explorer, size_t index);

/**
 * Describe the effect of an unfinished command line. Writes a text to show under byte `*column`; a
 * '^' marks an error there. False if there is nothing to show.
 */
bool
requests_check(const struct explorer *explorer, const char *line, size_t *column, char *text,
	       size_t size);

/** Whether a frame is selected. If not, report it. */
bool
requests_has_frame(struct session *session);

/** Set the text to search. */
void
row_search_set(struct explorer *explorer, const char *text);

/** End the running search. False if none is running. */
bool
row_search_stop(struct explorer *explorer);

/**
 * Count the matches up to the selected row (`*at`) and all matches (`*count`). Sets `*whole` once
 * all rows are checked. False if there is no search text.
 */
bool
row_search_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole);

/** Search for a text from the selected row on. */
void
requests_search(struct explorer *explorer, const char *arguments);

/** Show only rows with the text; "" shows all. */
void
requests_filter(struct explorer *explorer, const char *arguments);

/** Update a search or filter while its text is typed. */
void
requests_typed(struct explorer *explorer, const char *text);

/** Do a slice of the background work: searches, counts, filters. False if it is done. */
bool
requests_work(struct explorer *explorer);

/**
 * Add the possible words at the end of a command line to `completion`: words of commands, or the
 * values of an argument (argument.def). Call completion_begin() first.
 */
void
complete_line(struct explorer *explorer, struct completion *completion);

/** Whether the argument with this word in capitals is a path. */
bool
complete_is_path(struct text word);

/** Open the help with contents of this kind. */
void
help_open(struct explorer *explorer, enum help_kind kind);

/** Follow the selected row of the help on Enter, if it leads anywhere. */
void
help_follow(struct explorer *explorer);

/** Make the help's rows anew if the screen's width or the keys changed. */
void
help_fit(struct explorer *explorer);

/**
 * Run without a screen (ui/plain.c) until the end of the script or input, or until the user leaves.
 * If `script` is NULL, reads standard input (a terminal: through readline). Calls the client's
 * `stepped` after a step of the script, or with NULL after a line of a pipe.
 */
void
plain_run(struct explorer *explorer, struct script *script, const struct loop_client *client);

/**
 * The whole screen of the explorer: header, panes, status, footer or prompt.
 *
 * Painting places the panes and scrolls each to its selected row; it changes nothing else.
 */
void
paint_screen(struct explorer *explorer);

/** Place the panes without painting. Handlers of keys need the places of the panes. */
void
paint_arrange(struct explorer *explorer);

/** Paint the arranged screen, for a request that reads it. */
void
paint_late(struct explorer *explorer);

/**
 * The mouse. A click focuses and selects, a double click opens, the wheel scrolls the pane at the
 * pointer. Titles and the footer act like keys. Borders can be dragged.
 */

/** Handle TERM_KEY_CLICK, TERM_KEY_RELEASE, TERM_KEY_WHEEL_UP or TERM_KEY_WHEEL_DOWN. */
void
mouse_event(struct explorer *explorer, const struct term_event *event);

#endif
