/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H

#include <stdio.h>

#include "report/memory/telescope.h"
#include "report/value/locals.h"
#include "report/file/modules.h"
#include "report/file/raw_dump.h"
#include "report/memory/registers.h"
#include "report/code/source.h"
#include "report/stack/stack.h"
#include "inspect/variable/variable_step.h"
#include "report/step/step_view.h"
#include "ui/explorer.h"
#include "ui/view/layout.h"
#include "ui/session/loader.h"
#include "ui/session/session_view.h"
#include "report/stack/versus.h"
#include "walk/edit_command.h"
#include "analysis/analysis.h"
#include "report/code/disassembly.h"
#include "report/memory/memory_bytes.h"
#include "inspect/surroundings.h"
#include "report/memory/identify.h"

/**
 * The open crash and the user's place in it: the explorer without a terminal.
 *
 * One place determines all views: thread, frame, inlined call, and the cursor in the trace of the
 * step from that frame. All views are listings made from that place, so they cannot disagree.
 */

struct frame_rules;
struct session;

/**
 * What-if edits of a session. Every state is an overlay that never changes, so undoing returns to
 * the previous overlay.
 *
 * The shown walks are made with one state. The other walks, for comparison, are without edits while
 * edits are shown, and with edits while the original is shown.
 */
struct edits {
	struct arena arena;		/* memory of all overlays, until the session ends */
	const struct overlay **history;	/* the first is NULL: no edits */
	size_t count, capacity;
	size_t at;			/* index of the current state */
	/* The walks without edits are shown although there are edits */
	bool original;
	const struct overlay *saved;	/* the overlay that is saved in a file */
	const struct overlay *shown;	/* edits of the shown walks */
	const struct overlay *other_of;	/* edits of the other walks */
};

/** Begin without edits. False when out of memory. */
bool
edits_open(struct session *session);

/** The current edits; NULL: none. */
const struct overlay *
edits_overlay(const struct session *session);

/** Add edits to the overlay, to be undone together. Reports the result of the first edit. */
void
edits_add(struct session *session, const struct overlay_edit *edits, size_t count);

/**
 * Replace all edits, to be undone together. Omits edits that do not apply to this crash. Returns
 * the number of edits.
 */
size_t
edits_replace(struct session *session, const struct overlay_edit *edits, size_t count);

/** Remove edits that their symbol files already contain; they can no longer be undone. */
void
edits_forget_made(struct session *session);

/** Drop the other walks before new ones are made. */
void
edits_forget_other(struct session *session);

/**
 * The other dump of --against, with a walk of the thread that corresponds to the selected one. The
 * walk is made in slices between keys once the view is shown. It does not wait for symbols.
 */
struct other_dump {
	struct binaries *binaries;	/* files of its modules, as last opened */
	struct loader *loader;		/* loads its symbols; NULL: no other dump */
	bool wanted;			/* the dump's view was shown */
	bool chosen;			/* the user has chosen the thread */
	size_t thread;			/* index in the other dump */
	/* Index of the selected thread for which `thread` was chosen */
	size_t thread_of;
	bool found;			/* `thread` is valid */
	struct walk *walk;		/* walk of `thread`; NULL: none yet */
	struct arena arena;		/* holds `made` */
	struct analysis *analyses[VERSUS_SIDES];
	const struct versus *made;	/* compares `made_of` at `made_frames` frames; or NULL */
	const struct walk *made_of[VERSUS_SIDES];
	size_t made_frames[VERSUS_SIDES];
};

/** Start to load the symbols of the other dump. False when out of memory. */
bool
other_dump_open(struct session *session, void (*wake)(void *context), void *context);

void
other_dump_close(struct session *session);

/** Walk the other dump again with the symbols loaded since the last walk. */
void
other_dump_walk_again(struct session *session);

/** Drop the comparison, because a walk of the session is about to be freed. */
void
other_dump_forget(struct session *session);

/** Continue the walk until `end`, in milliseconds. True if it is not finished. */
bool
other_dump_work(struct session *session, int64_t end);

/** Whether the walk is incomplete. */
bool
other_dump_is_working(const struct session *session);

/**
 * State of the views of addresses: disassembly, identification, search in memory.
 *
 * The members are made when first shown. The disassembly follows the selected frame until a request
 * names another address.
 */
struct addresses {
	struct surroundings around;
	struct disassembly *disassembly;	/* the disassembly shown last; NULL: none */
	bool elsewhere;	/* the disassembly starts at `code`, not in the frame */
	uint64_t code;
	struct memory_find *find;		/* the last search; NULL: none */
	struct identification *identify;	/* the last expression identified; NULL: none */
};

/** Forget data from modules' files, because the files were opened again. */
void
addresses_forget(struct session *session);

/** Continue the search for some milliseconds. True if it is not finished. */
bool
addresses_work(struct session *session);

bool
addresses_is_searching(const struct session *session);

/** End the search. False if none is under way. */
bool
addresses_stop(struct session *session);

void
addresses_show_code(struct session *session, uint64_t address);

/** The address that the text means (expression.h). False, with a message, if it means none. */
bool
addresses_parse(struct session *session, const char *text, uint64_t *address);

/**
 * A user's note about a frame, an address or a register. It is shown at the end of rows about the
 * subject, listed in a view and saved with the dump.
 *
 * A frame's note is found again by program counter and stack pointer, so it stays with its frame
 * when other symbols or edits change the frame numbers.
 */
enum note_kind { NOTE_FRAME, NOTE_ADDRESS, NOTE_REGISTER };

struct note {
	enum note_kind kind;
	uint32_t thread;	/* id of the frame's thread */
	uint64_t address;	/* the frame's program counter, or the address itself */
	uint64_t stack;		/* the frame's stack pointer */
	char name[16];		/* the register's name */
	char text[200];
};

enum { NOTES_MOST = 200 };

struct notes {
	struct note items[NOTES_MOST];
	size_t count;
};

/** Add or change a note; an empty text removes it. False if there are NOTES_MOST already. */
bool
notes_put(struct notes *notes, const struct note *note);

/** Rows with the subject and the text of each note, borrowed from `notes`. */
struct listing
notes_listing(const struct notes *notes);

/** Go to the subject of a note. False if it no longer exists. */
bool
notes_go(struct session *session, const struct note *note);

/**
 * Append the note on row `index` of a view, cut to `columns` (0: no limit). If the row leaves no
 * room for the note, append "#" only.
 */
void
notes_add(struct session *session, const struct session_view *view, size_t index, size_t columns,
	  struct row *row);

/** Selection in the view of unwind rules. */
struct session_rules {
	size_t column;			/* column of the cell that rows explain and go to */
	unsigned form;			/* enum rule_form */
	bool elsewhere;			/* rules of the function at `address`, not of the frame's */
	uint64_t address;
	const struct frame_rules *made;	/* the rules shown; lives as long as the rows */
};

/** A place that the user has added (session_places.c). */
struct added {
	char place[128];		/* printable, possibly cut in the middle */
	bool files;			/* place of modules' files; else of symbols */
	bool told;			/* the result was reported, or there is no place */
	bool again;			/* the place was already in use */
	bool server;
	bool *tried;			/* for each module: it had no symbols before */
	size_t tried_count;
	size_t found;			/* modules found; for a server counted at the end */
	size_t found_other;		/* modules of the other dump found in a directory */
};

/**
 * A set of modules' files or a symbol server that was opened since the start. It is kept until the
 * end, because places refer to it.
 */
struct session_opened {
	struct session_opened *next;
	struct binaries *binaries;	/* NULL: none */
	struct fetcher *fetcher;	/* NULL: none */
};

/* Largest number of changed symbol files that a reload checks. */
#define SESSION_FORMERS 8u

/** Files that have changed on disk (session_reload.c). */
struct session_reload {
	uint64_t seen, offered;	/* hashes of the differences found last and offered last; 0: none */
	char offer[160];		/* possible action; "": no file has changed */
	struct session_former {		/* a symbol file as it was before the reload */
		size_t module, functions;
		bool there;
	} formers[SESSION_FORMERS];
	size_t former_count;
	bool under_way;
};

/** Unfolded modules and the selection in their view. */
struct session_modules {
	struct modules_state state;
	struct modules_spot spot;	/* the selected row */
	bool placed;			/* `spot` was set for `thread` and `frame` */
	size_t thread, frame;
};

/** Contents of the view of the dump. */
struct session_details {
	size_t stream;			/* index in crash->streams; SIZE_MAX: the directory */
	size_t record;			/* index of the unfolded record; SIZE_MAX: none */
	const char *nothing;		/* reason for an empty view; NULL: it has rows */
};

/** A place to come back to. */
struct session_spot {
	bool there;
	size_t thread, frame, call;
	enum method_id by;		/* method as in struct session_step */
	bool of_variable;
	struct variable_place variable;
	uint32_t cursor;
	enum layout_view view;
	size_t row;
	struct place raw;
	struct session_details details;
	bool elsewhere;			/* disassembly at `code` instead of the frame's */
	uint64_t code;
	uint64_t memory;
	bool opened;	/* place before a view was opened or a jump made, to which `q` returns */
	unsigned used[LAYOUT_VIEW_COUNT]; /* as in layout_choice; all 0: of an earlier session */
};

/* Number of frames walked before the first screen, and after the selected frame. */
#define SESSION_MORE_FRAMES 4096u
#define SESSION_SPOTS 128u
#define SESSION_MARKS 26u

struct session_trail {
	struct session_jumps {
		struct session_spot spots[SESSION_SPOTS];
		size_t count;
	} back, forward;
	uint64_t changes;		/* number of changes of `back` so far */
	bool moving;			/* the last change was a move to another row */
	struct session_spot marks[SESSION_MARKS];
	struct session_spot left_at;	/* place at the end of the last session with this dump */
};

/** The state of walks that are made in slices between two keys. */
struct session_work {
	struct walk *redone;		/* new walk of redone_thread, unfinished; or NULL */
	size_t redone_thread;
	int64_t redone_since;		/* milliseconds of a monotonic clock */
	struct walk_changes *changes;	/* for each thread: changes by the last reload */
	bool stopped;			/* do not load further symbols */
	bool arrived;			/* new symbols may change a walk */
	bool grown;			/* the analysis continued the walk of its thread */
	bool halted;			/* the selected thread's walk does not continue by itself */
	bool walking_all;		/* all threads are being walked, one after the other */
	bool asked_all;			/* the user waits until all threads are walked */
	/* The user has requested nothing since the crash was opened */
	bool fresh;
	bool (*waits)(void);		/* whether a key waits; NULL: there is no keyboard */
	bool source_asked;		/* the source view waits for servers */
};

struct session_memory {
	struct memory_view view;	/* all memory of the dump */
	struct telescope_state telescope;	/* state of the stack of the selected walk */
	struct locals_state locals;	/* unfolded parts of variables */
	uint64_t address;
	unsigned base;			/* base of values, as in `set base` */
	unsigned unit;			/* bytes of a unit; 0: words */
	/* Bytes of a unit set by a command for asked_address only; 0: none */
	unsigned asked_unit;
	uint64_t asked_address;
};

/** Contradictions between sources of the unwind rules of a walk's first frames. */
struct session_contradictions {
	struct arena arena;
	struct message_list messages;
	const struct walk *walk;	/* NULL: not known yet */
	size_t frames;
};

/** Contents of the raw view, which follows the cursor. */
struct session_raw {
	struct place place;
	bool open;			/* the line is open: its fields are shown */
};

/** The state of a thread's walks. */
struct session_thread {
	/* The walk must be made again, because files have changed */
	bool outdated;
	struct walk_digest digest;
	struct walk *other;		/* walk to compare with (struct edits); NULL: none yet */
	struct walk_horizon horizon;	/* the limit in blind mode */
	size_t capacity;		/* allocated predictions of `horizon` */
	unsigned wrong;			/* wrong answers to the current question */
};

/** The dump, the files that are open with it, and the work on them. */
struct session_open {
	const struct explorer_options *options;
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* binaries as opened last */
	struct session_opened *opened;	/* sets and servers opened since the start, newest first */
	const char **binary_places;	/* places added after the start */
	size_t binary_place_count, binary_place_capacity;
	struct added added;		/* the last added place */
	struct source_options source;
	struct other_dump other;
	struct session_thread *threads; /* one element for each thread of the crash */
	struct loader *loader;
	struct session_reload reload;
	struct session_work work;
	struct analysis *analysis;	/* made on first use; NULL: not yet */
};

struct session_step {
	struct step_view view;
	bool exists;			/* false: no frames, or none yet */
	enum method_id by;		/* the only method used; METHOD_COUNT: as in the walk */
	bool of_variable;		/* `view` is the computation of `variable` */
	struct variable_place variable;
	struct step_view of_frame;	/* the frame's own step, if `of_variable` */
};

/** The user's place in all views. */
struct session_look {
	struct stack_state stack;	/* walks, folds, selected thread and frame */
	size_t call;			/* call selected in the frame of `stack` */
	struct registers_state registers;
	int history_register;	/* register whose history is shown, plus 1; 0: frame pointer */
	enum layout_view first;		/* view focused on opening */
	unsigned opened;		/* choice.clock before the user's first choice of a view */
	struct session_view views[LAYOUT_VIEW_COUNT];
	struct layout_choice choice;
	struct session_memory memory;
	struct session_contradictions contradictions;
	struct session_raw raw;
	struct session_details details;
	struct session_modules modules;
	struct addresses addresses;
	struct session_rules rules;
	bool lists_lessons;		/* the lesson view shows the course */
	bool regex;			/* filters are regular expressions */
	struct session_trail trail;
};

/** The user's work, which is saved with the dump. */
struct session_kept {
	struct edits edits;
	struct notes notes;
	const char **maps;		/* OLD=NEW, saved by the earlier session */
	size_t map_count, map_capacity;
	struct overlay_edit *earlier;	/* edits saved by the earlier session */
	size_t earlier_count, earlier_capacity;
	const char *text;		/* the state as last read or written; NULL: none */
};

struct session {
	struct session_open open;
	struct session_look look;
	struct session_step step;
	struct session_kept kept;
	struct policy policy;
	struct arena arena;
	unsigned blind;			/* enum blind: values that the user must predict */
	struct lesson_pane *lesson;	/* NULL: no lesson is open */
	char notice[256];		/* message for the status line, shown once */
	bool stepped;	/* the last request made a step, which the status line describes */
	bool failed;			/* the last request failed; `notice` says why */
};

/**
 * Open a session at the first frame of the crashed thread. When symbols have been read, another
 * thread calls `wake` with `context`. False when out of memory.
 */
bool
session_open(struct session *session, const struct explorer_options *options,
	     void (*wake)(void *context), void *context);

/** Record that symbols have been read: session_work makes the affected walks anew. */
void
session_poll(struct session *session);

/** Do background work for a few milliseconds. True if there is more. */
bool
session_work(struct session *session);

/** Whether background work may go on: the time `end` is not reached, and no key waits. */
bool
session_has_time(const struct session *session, int64_t end);

/** Whether background work may still change views. */
bool
session_is_working(const struct session *session);

/** Stop reading symbols, so that walks stay as they are. False if none are being read. */
bool
session_stop_reading(struct session *session);

/** The file of a module with this `input`, else the dump. */
struct raw_file
session_raw_file(const struct session *session, const struct input *input);

/** Open the modules' files anew in all places, for views and walks. False when out of memory. */
bool
session_open_binaries(struct session *session);

/** Walk all walked threads again and mark changed frames. */
void
session_walk_outdated(struct session *session);

/**
 * Describe the result of the last added place; "": no place, or already reported. False if a server
 * has not answered for all modules.
 */
bool
session_say_added(const struct session *session, char *buffer, size_t size);

/** Report the effect of a reload once all threads have been walked again. */
void
session_say_reloaded(struct session *session);

/** Check from time to time whether files have changed. True if the screen must be painted. */
bool
session_tick(struct session *session);

/** Write the name of a module's symbols for the status line. */
void
session_symbols_name(const struct session *session, size_t module, char *buffer, size_t size);

/** Stop background work. False if there is none. */
bool
session_halt(struct session *session);

/** Begin the walk of a thread; a long one continues between keys. */
void
session_start_walk(struct session *session, size_t thread);

/** Begin a walk of a thread with the loaded symbols; NULL when out of memory. */
struct walk *
session_create_walk(const struct session *session, size_t thread, const struct overlay *overlay);

/** Make the walk of the selected thread anew and restore the place. */
void
session_renew_walk(struct session *session);

/** Walk all threads anew by a policy, and select the same frame number if it exists. */
void
session_walk_again(struct session *session, const struct policy *policy);

/** Apply a change of blind mode: hide everything after the place, or show everything. */
void
session_set_blind(struct session *session);

/** Reveal the step up to an event. False if the user must first predict a value up to there. */
bool
session_blind_pass(struct session *session, uint32_t event);

/** Describe the value to predict in the selected step. False if there is none. */
bool
session_blind_ask(const struct session *session, char *text, size_t size);

/**
 * Show the step up to the value `text`, the answer to a lesson's question. Does nothing if the step
 * does not compute this value.
 */
void
session_blind_reach(struct session *session, const char *text);

/** Report the next value to predict. */
void
session_blind_refuse(struct session *session);

/** Free the walk that is being made anew. */
void
session_drop_redone(struct session *session);

/** The analysis of the crashed thread's frames walked so far; NULL when out of memory. */
const struct analysis *
session_analysis(struct session *session);

/** Redact the dump or stop redacting it, and make all listings anew. */
void
session_redact(struct session *session, bool redact);

/** Give a thread another walk (NULL: none yet). Returns the old one, which the caller frees. */
struct walk *
session_exchange_walk(struct session *session, size_t thread, struct walk *walk);

/** Show the step of the selected frame by one method, whether or not the walk uses it. */
void
session_look_at_method(struct session *session, enum method_id method);

/** Show the step that computes a variable of the frame, in place of the unwinder's step. */
void
session_look_at_variable(struct session *session, struct variable_place place);

/**
 * Show the step that computes the variable called `name` of the selected call or of a call around
 * it. False, with a message, if the variable is not found.
 */
bool
session_look_at_variable_named(struct session *session, const char *name);

/** The unwinder's step of the frame, also while the step of a variable is shown. */
const struct step_view *
session_frame_step(const struct session *session);

/** Drop the current step, because its walk is about to be freed. */
void
session_drop_step(struct session *session);

/**
 * Show the summary. If there is room, also show the source, or else the code, or else the evidence.
 * Focuses the view `first`.
 */
void
session_choose_first_view(struct session *session);

/** Free everything. False if a file that is being read does not stop in time. */
bool
session_close(struct session *session);

/** The walk of the selected thread, or NULL. */
struct walk *
session_walk(const struct session *session);

/** The selected frame; NULL: none, or none yet. */
const struct frame *
session_frame(const struct session *session);

/** Select a thread (index in crash->threads) and walk it if necessary. */
void
session_select_thread(struct session *session, size_t thread);

/** The thread with this number, id or name, in this order; SIZE_MAX: none. */
size_t
session_thread_named(const struct session *session, const char *name);

/** The number of a frame's calls: its function's and the inlined ones. */
size_t
session_call_count(const struct walk *walk, size_t frame);

/** Whether the selected thread's walked frames are final, even if symbols are still loading. */
bool
session_is_settled(const struct session *session);

/** Select a frame and one of its calls; the cursor moves to the beginning of the frame's step. */
void
session_select_frame(struct session *session, size_t frame, size_t call);

/** Whether the target of a row of the stack is the session's frame and call. */
bool
session_is_place(const struct session *session, const struct target *target);

/** Move the cursor to an event of the current step. */
void
session_select_event(struct session *session, uint32_t event);

/** Move the cursor to the next event of a kind, or back to the previous one. False if none. */
bool
session_step(struct session *session, enum event_kind kind, bool back);

/** Make every listing anew on its next use. */
void
session_refresh(struct session *session);

/** Focus a view and make its listing anew. */
void
session_focus(struct session *session, enum layout_view view);

/** A view with a valid listing and selection. */
struct session_view *
session_view(struct session *session, enum layout_view view);

/** Select a row as the user does: the stack's rows select a frame, the evaluation's an event. */
void
session_select_row(struct session *session, enum layout_view view, size_t index);

/** Show only rows with `text`; "" shows all. */
void
session_filter(struct session *session, enum layout_view view, const char *text);

/** Go to a target and remember the present place. False if there is no target. */
bool
session_follow(struct session *session, const struct target *target);

/** The present place, to come back to. */
struct session_spot
session_here(const struct session *session);

/** Add the present place to the trail. */
void
session_remember(struct session *session);

/**
 * Add the place before a request to the trail if the request changed view, thread or frame and did
 * not add the place itself. `opened`: the view was not on the screen. `moved`: the request selected
 * another row. Of several such requests in succession, the first one adds a place.
 */
void
session_remember_before(struct session *session, const struct session_spot *before, bool opened,
			bool moved);

/** Go back one place, or (`opened`) to the place where the last view was opened. False if none. */
bool
session_go_back(struct session *session, bool opened);

/** Go to the place named: an address, "frame 2", a function, "sym:20339", "dump:0x21a9". */
bool
session_goto(struct session *session, const char *place);

/** Go to a frame of the selected thread by number. False if it does not exist. */
bool
session_goto_frame(struct session *session, uint64_t number);

/** Show a message on the status line until the next key. */
void
session_say(struct session *session, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Append to the message for the status line. */
void
session_say_more(struct session *session, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Report the failure of a request on the status line, in a script and with --plain. */
void
session_fail(struct session *session, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Write the header: the crash and the current step. */
void
session_header(struct session *session, size_t columns, struct row *row);

/** Describe the selected row of a view, or else the current step. */
void
session_explain(struct session *session, enum layout_view which, struct row *row);

/** Write the status line: the selected row of the focused view and the bytes it comes from. */
void
session_status(struct session *session, struct row *row);

/**
 * Read the saved state of the dump under `directory`: marks, notes, position, source maps. Reports
 * the result. A damaged file is ignored.
 */
void
state_read(struct session *session, const char *directory);

/** The state as text for the caller to free; NULL when out of memory. */
char *
state_carry(struct session *session);

/** Restore a state from its text, which is overwritten. Skips parts that do not fit this dump. */
void
state_restore(struct session *session, char *text);

/** Go to the saved position and make the saved edits. Returns their number. */
size_t
session_resume(struct session *session);

/**
 * Save the state in a file named by the dump's size and first bytes; false if that fails. Keeps
 * changes by other explorers. `leaving`: with the present place and edits.
 */
bool
state_write(struct session *session, const char *directory, bool leaving);

/** The lines of a saved state (state.c): edits as lines of words, and the merge of two states. */

/** Write the words of an edit, without blanks in them. */
void
kept_edit_write(FILE *file, const struct overlay_edit *edit);

/**
 * Read an edit; its texts are in `arena`. False if the words are not an edit of a crash with
 * `threads` threads.
 */
bool
kept_edit_read(struct arena *arena, const char *words, size_t threads, struct overlay_edit *edit);

/**
 * Merge the state of a dump with that of another explorer. `base` is the state last read or
 * written, `theirs` the present file. A thing that is equal in `mine` and `base` comes from
 * `theirs`; any other thing comes from `mine`. A thing is a mark, a note, a source map, the
 * position, or all edits together. If `base` or `theirs` is NULL, `mine` is written as it is.
 */
void
state_merge(FILE *file, const char *base, const char *theirs, const char *mine);

/**
 * A place in a crash as text that a user can send: "thread=0,frame=1,view=eval,token=17".
 *
 * It is the argument of --at and :at, and the output of :at and reports. It does not include edits,
 * filters and folds.
 */

/** The parts of a place, in the order in which they are written. */
enum spot_part {
	SPOT_THREAD,
	SPOT_FRAME,
	SPOT_CALL,		/* an inlined call: 0 is the innermost one */
	SPOT_METHOD,		/* step by this method only */
	SPOT_VARIABLE,		/* step that computes the variable */
	SPOT_ATTEMPT,		/* attempt of the step, from 1; default: the one used */
	SPOT_TOKEN,		/* token of the attempt, from 1, as in the evaluation */
	SPOT_EVENT,		/* event of the step, if the cursor is on no token */
	SPOT_VIEW,
	SPOT_STREAM,		/* stream of the dump, by index; RECORD is within it */
	SPOT_RECORD,
	SPOT_ADDRESS,		/* in memory or code */
	SPOT_RAW,		/* a place in a file, as in :goto */
	SPOT_ROW,		/* row of the view, from 1 */
	SPOT_COUNT
};

/** Bytes of the longest place. */
#define SPOT_SIZE 256u

/** The name of a part with its '=', for completion; NULL after the last. */
const char *
spot_part(size_t index);

/** A place under construction; views add their parts. */
struct spot_text;

/** Add a part; if it does not fit, omit it. */
void
spot_add(struct spot_text *text, enum spot_part part, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Write the present place. */
void
spot_write(struct session *session, char *buffer, size_t size);

/** Select and walk the thread of a place; other parts are ignored. */
void
spot_select_thread(struct session *session, const char *text);

/**
 * Go to a place; missing parts are the first of their kind. If the text is invalid or this crash
 * has no such place, report what is shown instead.
 */
void
spot_go(struct session *session, const char *text);

#endif
