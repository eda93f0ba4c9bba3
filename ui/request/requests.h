/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_REQUESTS_H
#define UI_REQUEST_REQUESTS_H

#include "ui/terminal/clip.h"
#include "ui/request/keymap.h"
#include "ui/request/play.h"
#include "ui/terminal/loop.h"
#include "ui/terminal/prompt.h"
#include "ui/request/script.h"
#include "ui/session/pattern.h"
#include "ui/session/session.h"
#include "ui/session/lesson_pane.h"
#include "ui/terminal/term.h"

/**
 * What requests do. Every row of request.def names its handler, a function in the file of its
 * subject (what edits do in ui/view/edits.c, ...); requests.c finds the row of a key or command and
 * calls it.
 */

/** Commands that show a stream of the dump (details.def). */
enum details_id {
#define D(id, command, help, streams, nothing) DETAILS_##id,
#include "ui/view/details.def"
	DETAILS_COUNT
};

/** What can be copied, or written to a file. */
enum export_what {
	EXPORT_VALUE,		/* of the selected row */
	EXPORT_ROW,		/* the selected row */
	EXPORT_LINE,		/* with where it comes from */
	EXPORT_FRAME,		/* the selected frame with its inlined calls */
	EXPORT_WALK,		/* the selected thread, a line for each frame */
	EXPORT_STEP,		/* the selected frame's, all of it */
	EXPORT_PROSE,		/* the same step, told in sentences */
	EXPORT_REPORT,		/* of the crash */
	EXPORT_SPOT,		/* the option that opens the crash here */
	EXPORT_OVER = 0x100,	/* with one of these: a file that exists is overwritten */
};

/** How the program is left. */
enum quit_how {
	QUIT_ASKED,		/* after a question where something would be lost */
	QUIT_KEEPING,		/* edits and notes are kept for `resume` */
	QUIT_NOW,		/* nothing is kept that is not yet */
};

/** What is asked of a lesson. */
enum lesson_request {
	LESSON_SHOW,
	LESSON_LIST,
	LESSON_NEXT,
	LESSON_SKIP,
	LESSON_BACK,
	LESSON_AGAIN,
	LESSON_HINT,
};

enum help_kind { HELP_KEYS, HELP_WORDS, HELP_TERMS, HELP_NOTES, HELP_VIEWS };

/** A word that the help explains. */
struct help_word {
	const char *word, *also; /* as it was asked for or shown; its other names, or where it is.
					 * No word: the text is a row as the view has it */
	const char *text;
};

/** What the help shows. */
struct help_page {
	enum help_kind kind;
	struct help_word words[64];	/* HELP_WORDS */
	size_t word_count;
	size_t width;			/* of its text */
	unsigned short entries[1024];	/* HELP_KEYS, HELP_WORDS: of which entry each row is */
	int columns;			/* of the screen that it was made for */
	uint64_t number;		/* another one for other rows */
};

/** Rows that --plain prints of a view, unless `set rows` says another number. */
#define REQUESTS_ROWS_PRINTED 50u

/**
 * A search through the rows of the focused view, and the count of all its matches.
 *
 * A view may have millions of rows, so both look at them for a moment at a time, and keys are
 * obeyed between. Any key ends a search that is under way; the count begins anew where rows,
 * view or text are others.
 */
struct row_search {
	struct row_matches found;	/* its pattern stays until the next search */
	bool active;			/* the next match is being looked for */
	bool typed;		/* while its text is typed: nothing is said, no match goes back */
	int direction;
	size_t at, left;		/* the row to look at, and how many there are yet */
	size_t from;			/* the row where it began */
	uint64_t number;		/* of the text that is looked for */
};

/** The explorer with its screen. */
struct explorer {
	struct session session;
	struct layout layout;
	int columns, rows;
	bool quit;
	bool stale;			/* the screen was arranged, but not painted since */
	bool help;			/* the help lies over the views */
	struct session_view help_view;
	struct help_page page;		/* what the help shows */
	enum request last_step;		/* for `repeat` */
	enum request prefix;		/* waits for the letter of a mark; REQUEST_NONE: nothing */
	int pair;			/* the key that waits for its second; 0: none */
	bool prompting;			/* a prompt of the kind `prompt` is open */
	enum prompt_kind prompt;
	struct row_search search;		/* what is looked for */
	char search_before[PATTERN_SIZE];	/* when the prompt was opened */
	size_t search_from;		/* the row where the search began */
	char filter_before[128];	/* of the view when the filter's prompt was opened */
	bool mouse;
	struct term_event clicked;	/* the last click, for telling double ones */
	struct layout_border grabbed;	/* where the mouse was pressed */
	bool grabbing;			/* on a border, and is not released yet */
	enum theme_name theme;
	bool redact;			/* of the session's dumps */
	enum clip_policy clipboard;	/* which terminals are sent copies */
	char copy_command[256];		/* takes them instead; "": none */
	bool unsaved_notes;		/* have changed, and cannot be kept */
	struct explorer_options options;	/* of the next session */
	struct explorer_options options_of_session;
	bool configured;		/* an earlier session obeyed the configuration */
	bool again;			/* quitting: to begin anew with the dump as it is now */
	/* And to carry nothing over but what was added before a play */
	bool afresh;
	struct play play;		/* the script that is played */
	const struct loop_client *client;	/* of the loop */
	char *carried;			/* state of the session before, until symbols have come */
	const char *lesson;		/* directory of a lesson that is still to be opened */
	FILE *changes;			/* gets what the next session needs: places, settings */
	bool dropped;			/* quitting: what would be kept is not */
	const char *at;			/* place to go to once its frames are there; NULL: none */
	struct arena arena;		/* of `state` */
	const char *state;		/* directory of what is kept; NULL: nothing is */
	struct loop *loop;		/* that waits for keys */
	bool plain;			/* there is no screen: rows are printed */
	unsigned depth;			/* requests that other requests do */
	bool card_runs;			/* the request comes from a card of a lesson */
	bool stopped;			/* the last key ended a search */
	FILE *record;			/* gets what is done, as a script; NULL: nothing */
	char said[256];			/* the notice before the last command */
	size_t print_from, printed_to;	/* rows, for `more`; 0: none */
	bool printed;			/* --plain: the command has printed all there is to say */
	bool tell_frame;		/* --plain prints the frame, whatever has the focus */
	size_t rows_printed;		/* that --plain prints of a view; 0: all */
	size_t print_rows;		/* of the next one; 0: as many as ever */
};

/** A setting: its name, and the values that it may have. */
struct setting {
	const char *name;
	const char *values;	/* separated by blanks; "NUMBER": any from 0 up; "TEXT" */
};

/** The settings in their order; NULL behind the last. */
const struct setting *
settings_at(size_t index);

/** What a handler gets. */
struct request_call {
	struct explorer *explorer;
	struct session *session;	/* of the explorer */
	const char *text;		/* typed behind the command; "" where a key asked */
	int value;			/* of the row: tells requests with the same handler apart */
	enum request request;
};

/** The handlers. */
#define R(id, command, keys, contexts, hints, hint, act, with, help)			\
	void request_##act(const struct request_call *call);
#include "ui/request/request.def"
#undef R

/** Do what a request asks; `arguments` is "" where a key asked. */
void
requests_do(struct explorer *explorer, enum request request, const char *arguments);

/** Do what a typed command asks, or say why it can't be done. */
void
requests_command(struct explorer *explorer, const char *line);

/** Do what a line asks that was typed into a prompt of some kind. */
void
requests_typed_line(struct explorer *explorer, enum prompt_kind kind, const char *line);

/** The open prompt is closed with a line; or without one. */
void
requests_accepted(struct explorer *explorer, const char *line);
void
requests_cancelled(struct explorer *explorer);

/** What leaving would lose: "2 edits and 1 note"; "" where nothing. */
void
requests_say_unsaved(const struct explorer *explorer, char *text, size_t size);

/**
 * Leave to begin anew with the dump and its files as they are now. False, and said, if they are
 * gone.
 */
bool
requests_open_again(struct explorer *explorer);

/** Do what a key asks in the focused view. */
void
requests_key(struct explorer *explorer, int key);

/** Where keys are pressed now, as one bit of the keymap. */
unsigned
requests_context(const struct explorer *explorer);

/** The view that keys act on: the help while it is open, else the focused one. */
struct session_view *
requests_view(struct explorer *explorer);

/** Take a layout by its name, with no pane hidden or resized. False where there is none such. */
bool
requests_layout(struct explorer *explorer, const char *name);

/** Open a prompt with a line in it. */
void
requests_open_prompt(struct explorer *explorer, enum prompt_kind kind, const char *line);

/** Select a row of the view that keys act on; a row behind the last one is the last one. */
void
requests_select(struct explorer *explorer, size_t index);

/**
 * What a command line would do, while it is typed: a text to stand under byte `*column` of it, with
 * a '^' in front where that byte is wrong. False where there is nothing to say.
 */
bool
requests_check(const struct explorer *explorer, const char *line, size_t *column, char *text,
	       size_t size);

/** Whether a frame is selected; false, and said, where there is none. */
bool
requests_has_frame(struct session *session);

/** Look for `text` from now on. */
void
row_search_set(struct explorer *explorer, const char *text);

/** End the search that is under way. False where none is. */
bool
row_search_stop(struct explorer *explorer);

/**
 * How many matches there are at and before the selected row, and in all; `whole` where every row
 * has been looked at. False where there is no text to look for.
 */
bool
row_search_count(struct explorer *explorer, size_t *at, size_t *count, bool *whole);

/** Look for text from the selected row on. */
void
requests_search(struct explorer *explorer, const char *arguments);

/** Show only rows that have the text; "" shows all. */
void
requests_filter(struct explorer *explorer, const char *arguments);

/** The text of a search or filter has changed while it is typed. */
void
requests_typed(struct explorer *explorer, const char *text);

/** Do a slice of what requests have begun: searches, counts, filters. False: there is no more. */
bool
requests_work(struct explorer *explorer);

/**
 * What could be typed where a command line ends: words of commands, and whatever its argument
 * stands for (argument.def). The words are offered to `completion`, which completion_begin made.
 */
void
complete_line(struct explorer *explorer, struct completion *completion);

/** Whether an argument of this word in capitals is a path. */
bool
complete_is_path(struct text word);

/**
 * Open the help with the keys, all words of the glossary, the notes of the session or the views.
 */
void
help_open(struct explorer *explorer, enum help_kind kind);

/** Do what Enter asks there; nothing where the help shows nothing that leads anywhere. */
void
help_follow(struct explorer *explorer);

/** Make its rows anew where the screen has another width or the keys are others now. */
void
help_fit(struct explorer *explorer);

#endif
