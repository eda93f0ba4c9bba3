/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H

#include "report/memory/telescope.h"
#include "report/value/locals.h"
#include "report/file/modules.h"
#include "report/file/raw_dump.h"
#include "report/memory/registers.h"
#include "report/code/source.h"
#include "report/stack/stack.h"
#include "inspect/variable/variable_step.h"
#include "report/step/step_view.h"
#include "ui/view/edits.h"
#include "ui/view/other_dump.h"
#include "ui/explorer.h"
#include "ui/view/layout.h"
#include "ui/session/loader.h"
#include "ui/view/addresses.h"
#include "ui/view/notes.h"
#include "ui/session/session_view.h"

/**
 * What is open and where its user stands: the explorer without a terminal.
 *
 * One place says everything: thread, frame, inlined call, and the cursor in the trace of the
 * step from that frame. All views are listings made from it, so they can never disagree.
 */

struct frame_rules;

/** What is chosen in the view of unwind rules. */
struct session_rules {
	size_t column;			/* the cell that rows explain and lead to */
	unsigned form;			/* enum rule_form */
	bool elsewhere;			/* not of the frame's function, but of that at `address` */
	uint64_t address;
	const struct frame_rules *made;	/* what the view shows; lives as long as its rows */
};

/** A place that the user has added (session_places.c). */
struct added {
	char place[128];		/* printable, whole or cut in the middle */
	bool files;			/* of modules; else symbols */
	bool told;			/* what came of it; nothing to tell */
	bool again;			/* it was in use already */
	bool server;
	bool *tried;			/* one a module: had no symbols before */
	size_t tried_count;
	size_t found;			/* modules; of a server counted at the end */
	size_t found_other;		/* of the other dump, in a directory */
};

struct reopened;	/* of session_files.c */
struct server;		/* of session_places.c */

/* Changed symbol files of which is said what became of them. */
#define SESSION_FORMERS 8u

/** What is known of files that change (session_reload.c). */
struct session_reload {
	uint64_t seen, offered;		/* what differed at the last look; 0: nothing */
	char offer[160];		/* what can be done; "" where no file has changed */
	struct session_former {		/* a symbol file as it was before it was read again */
		size_t module, functions;
		bool there;
	} formers[SESSION_FORMERS];
	size_t former_count;
	bool under_way;
};

/** What is unfolded of the modules, and where one stands there. */
struct session_modules {
	struct modules_state state;
	struct modules_spot spot;	/* that is selected */
	bool placed;			/* by the frame below */
	size_t thread, frame;
};

/** What the view of the dump shows. */
struct session_details {
	size_t stream;			/* index in crash->streams; SIZE_MAX: the directory */
	size_t record;			/* that is open; SIZE_MAX: none */
	const char *nothing;		/* why there is nothing to show; NULL: there is */
};

/** A place that one can come back to. */
struct session_spot {
	bool there;
	size_t thread, frame, call;
	enum method_id by;		/* as the session's */
	bool of_variable;
	struct variable_place variable;
	uint32_t cursor;
	enum layout_view view;
	size_t row;
	struct place raw;
	struct session_details details;
	bool elsewhere;			/* the code, and at which address */
	uint64_t code;
	uint64_t memory;
	bool opened;			/* a view was opened there, or a jump made: `q` closes it */
	unsigned used[LAYOUT_VIEW_COUNT];	/* of the layout; all 0: of an earlier session */
};

/* Frames walked before the first screen, and at a time when those behind them are asked for. */
#define SESSION_MORE_FRAMES 4096u
#define SESSION_SPOTS 128u
#define SESSION_MARKS 26u

/** Places to come back to. */
struct session_trail {
	struct session_jumps {
		struct session_spot spots[SESSION_SPOTS];
		size_t count;
	} back, forward;
	uint64_t changes;		/* of `back`, ever */
	bool moving;			/* the last change was a move to another row */
	struct session_spot marks[SESSION_MARKS];
	struct session_spot left_at;	/* of the last session with this dump */
};

/** How walks are made between two keys, and made again. */
struct session_work {
	struct walk *redone;		/* in the making, for redone_thread; or NULL */
	size_t redone_thread;
	int64_t redone_since;		/* milliseconds of a clock that never jumps */
	bool *outdated;			/* one a thread: is walked again, for files have changed */
	struct walk_digest *digests;	/* one a thread: what its walk said of its frames */
	struct walk_changes *changes;	/* one a thread: what became of them at the last reload */
	bool stopped;			/* symbols that are not there yet are not asked for */
	bool arrived;			/* symbols have come that some walk may have missed */
	bool halted;			/* the selected thread's walk goes no further by itself */
	bool walking_all;		/* all threads are walked, one after the other */
	bool asked_all;			/* their user waits for that */
};

/** What the view of memory shows. */
struct session_memory {
	struct memory_view view;	/* all of the dump's memory */
	struct telescope_state telescope;	/* of the walk whose stack is shown */
	struct locals_state locals;	/* parts of variables that are opened */
	uint64_t address;
	unsigned base;			/* of values: as `set base` numbers them */
	unsigned unit;			/* of memory as bytes; 0: words */
	unsigned asked_unit;		/* by a command, for its address alone; 0: none */
	uint64_t asked_address;
};

/** What the raw view shows; it follows the cursor. */
struct session_raw {
	struct place place;
	bool open;			/* with the fields of its line */
};

/** What a learner has to predict of the threads. */
struct session_blind {
	unsigned mode;			/* enum blind */
	struct blind_thread {
		struct walk_horizon horizon;
		size_t capacity;	/* of the predictions made */
		unsigned wrong;		/* answers to the present question */
	} *threads;			/* one each */
};

struct session {
	const struct explorer_options *options;
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* as they were opened last */
	struct reopened *reopened;	/* these and older ones, but for those of the start */
	const char **binary_places;	/* of these, behind those of the start */
	size_t binary_place_count, binary_place_capacity;
	struct policy policy;		/* of the walks */
	struct stack_state stack;	/* walks, what is folded, the thread and frame selected */
	int history_register;		/* its history is shown, and 1; 0: the frame pointer */
	struct registers_state registers;	/* what is unfolded of them */
	struct arena arena;
	struct source_options source;
	size_t call;			/* of the frame that `stack` has selected */
	struct step_view step;
	bool has_step;			/* false: no frames, or not yet */
	enum method_id by;		/* the step is by this one alone; METHOD_COUNT: as walked */
	bool of_variable;		/* the step computes a variable of the frame... */
	struct variable_place variable;	/* ...this one; and the frame's own step is: */
	struct step_view frame_step;
	struct edits edits;		/* what if */
	struct session_blind blind;
	struct lesson_pane *lesson;	/* NULL: none is open */
	bool lists_lessons;		/* its view shows the course */
	struct session_work work;
	struct loader *loader;		/* reads symbols while its user goes on */
	struct session_reload reload;
	struct added added;		/* the last place that was added */
	struct server *servers;		/* that its user has named; the newest first */
	struct other_dump other;		/* the other dump */
	enum layout_view first;		/* gets the focus on opening */
	unsigned opened;		/* choice.clock before the user's first choice of a view */
	struct session_view views[LAYOUT_VIEW_COUNT];
	struct layout_choice choice;
	struct session_memory memory;
	struct session_raw raw;
	struct session_details details;
	struct session_modules modules;
	struct addresses addresses;
	struct session_rules rules;
	struct analysis *analysis;	/* made when it is first looked at; NULL: not yet */
	bool regex;			/* filters are regular expressions */
	struct session_trail trail;
	struct notes notes;
	const char **kept_maps;		/* OLD=NEW, of that session */
	size_t kept_map_count, kept_map_capacity;
	struct overlay_edit *kept_edits;	/* of that session */
	size_t kept_edit_count, kept_edit_capacity;
	const char *kept_text;		/* the state as it was read or written last; NULL: none */
	char notice[256];		/* said once on the status line */
	bool stepped;			/* by the last request: the status line tells of the step */
	bool failed;			/* the last request could not be done; `notice` says why */
};

/**
 * Open a session at the crashing thread's first frame. `wake` is called with `context`, by
 * another thread, when symbols have been read. Returns false when out of memory.
 */
bool
session_open(struct session *session, const struct explorer_options *options,
	     void (*wake)(void *context), void *context);

/** Symbols have been read: session_work makes the walks that missed them anew. */
void
session_poll(struct session *session);

/** Go on with what is under way for a few milliseconds. Returns whether to come back at once. */
bool
session_work(struct session *session);

/** Whether anything is under way that changes what views show. */
bool
session_is_working(const struct session *session);

/** Stop reading symbols: walks are what they are without. False where none are being read. */
bool
session_stop_reading(struct session *session);

/** Free the files that were opened since the start; nothing is loaded any more. */
void
session_free_files(struct session *session);

/** Free the servers that were added; nothing is loaded any more. */
void
session_free_servers(struct session *session);

/** The file whose bytes are shown: that of a module where the place is in one, else the dump. */
struct raw_file
session_raw_file(const struct session *session);

/** Everything has been walked again: say what that changed. */
void
session_say_reloaded(struct session *session);

/** Look from time to time whether files have changed. Says whether the screen has changed. */
bool
session_tick(struct session *session);

/** What the symbols of a module are called on the status line. */
void
session_symbols_name(const struct session *session, size_t module, char *buffer, size_t size);

/** Stop what is under way. False where nothing is. */
bool
session_halt(struct session *session);

/** Begin the walk of a thread, which takes a moment or goes on between two keys. */
void
session_start_walk(struct session *session, size_t thread);

/** Begin a walk of a thread with the symbols that are there; NULL when out of memory. */
struct walk *
session_create_walk(const struct session *session, size_t thread, const struct overlay *overlay);

/** Make the walk of the selected thread anew and stand there again. */
void
session_renew_walk(struct session *session);

/** Walk all threads anew by a policy, at the same frame where the thread has as many. */
void
session_walk_again(struct session *session, const struct policy *policy);

/** Where a walk of a thread is shown no further. */
struct walk_horizon
session_horizon(const struct session *session, size_t thread, const struct overlay *overlay);

/** The mode has changed: hide what lies behind the place, or show all. */
void
session_set_blind(struct session *session);

/**
 * Let the cursor pass what is not asked, up to an event. False where a prediction is asked
 * before.
 */
bool
session_blind_pass(struct session *session, uint32_t event);

/** Write what is asked of the selected step; false: nothing. */
bool
session_blind_ask(const struct session *session, char *text, size_t size);

/**
 * Show the step up to the value that an answer outside of blind mode's own questions gave;
 * nothing if this step has none.
 */
void
session_blind_reach(struct session *session, const char *text);

/** Say what has to be predicted next. */
void
session_blind_refuse(struct session *session);

/** Forget the walk that is being made anew. */
void
session_drop_redone(struct session *session);

/** What happened, by the crashed thread's walk as far as it is there; NULL when out of memory. */
const struct analysis *
session_analysis(struct session *session);

/** Leave out what may be secret, or show it again; what was made of it is made anew. */
void
session_redact(struct session *session, bool redact);

/** Give a thread another walk (NULL: none yet) and take the one it had, which is the caller's. */
struct walk *
session_exchange_walk(struct session *session, size_t thread, struct walk *walk);

/** Look at the step of the selected frame by one method, whether or not the walk takes it. */
void
session_look_at_method(struct session *session, enum method_id method);

/** Step how a variable of the frame is computed, instead of the unwinder. */
void
session_look_at_variable(struct session *session, struct variable_place place);

/** Look at a variable by name, of the selected call or one around it; false: a message says why. */
bool
session_look_at_variable_named(struct session *session, const char *name);

/** The unwinder's step from the frame, also while a variable is stepped. */
const struct step_view *
session_frame_step(const struct session *session);

/** Forget the step in hand: its walk is about to go. */
void
session_drop_step(struct session *session);

/**
 * Show the summary; where there is room for more, the source where it is found and the evidence
 * else. The view `first` gets the focus.
 */
void
session_choose_first_view(struct session *session);

/** Free all. A file that is still being read is stopped; false where that takes too long. */
bool
session_close(struct session *session);

/** The walk of the selected thread; NULL where there is none. */
struct walk *
session_walk(const struct session *session);

/** The selected frame; NULL where the thread has none, or not yet. */
const struct frame *
session_frame(const struct session *session);

/** Select a thread (index in crash->threads), walking it first if need be. */
void
session_select_thread(struct session *session, size_t thread);

/** The thread of a number, an id or a name, in this order; SIZE_MAX where there is none. */
size_t
session_thread_named(const struct session *session, const char *name);

/** How many calls a frame has: its function's, and those inlined into it. */
size_t
session_call_count(const struct walk *walk, size_t frame);

/**
 * Whether the selected thread's frames are those that its symbols give, as far as they are
 * walked.
 */
bool
session_is_settled(const struct session *session);

/** Select a frame and one of its calls; the cursor goes to the beginning of its step. */
void
session_select_frame(struct session *session, size_t frame, size_t call);

/** Move the cursor to an event of the step in hand. */
void
session_select_event(struct session *session, uint32_t event);

/** Move the cursor to the next (`step` 1) or previous (-1) event of a kind; false: none. */
bool
session_step(struct session *session, enum event_kind kind, int step);

/** Make every listing anew when it is next asked for: something that views show has changed. */
void
session_refresh(struct session *session);

/** Give a view the focus, and make its listing anew. */
void
session_focus(struct session *session, enum layout_view view);

/** The rows of a view, made if need be, with its selection on a row that exists. */
struct session_view *
session_view(struct session *session, enum layout_view view);

/** Select a row of a view as its user does: on the stack a frame, on the evaluation the cursor. */
void
session_select_row(struct session *session, enum layout_view view, size_t index);

/** Keep only rows of a view whose text has `text`; "" shows all. */
void
session_filter(struct session *session, enum layout_view view, const char *text);

/** Go where a target leads, remembering the way back. False where it leads nowhere. */
bool
session_follow(struct session *session, const struct target *target);

/** The present place, to come back to. */
struct session_spot
session_here(const struct session *session);

/** Remember the present place on the trail before leaving it. */
void
session_remember(struct session *session);

/**
 * Remember the place where the user stood before a request, if the request has changed the view,
 * the thread or the frame without doing so itself. `opened`: the view was not on the screen;
 * `moved`: to another row, and of several moves in a row only the first counts.
 */
void
session_remember_before(struct session *session, const struct session_spot *before, bool opened,
			bool moved);

/** Go back one place, or (`opened`) to where the last view was opened. False: there is none. */
bool
session_go_back(struct session *session, bool opened);

/** Go to what `place` names: an address, "frame 2", a function, "sym:20339", "dump:0x21a9". */
bool
session_goto(struct session *session, const char *place);

/** Go to a frame of the selected thread by its number. False where it has none of it. */
bool
session_goto_frame(struct session *session, uint64_t number);

/** Say something on the status line until the next key. */
void
session_say(struct session *session, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Say why a request could not be done: a script and --plain tell its user. */
void
session_fail(struct session *session, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** The header: what crashed, and the step in hand. */
void
session_header(struct session *session, size_t columns, struct row *row);

/** Write what the selected row of a view is; where it says nothing, where the step is. */
void
session_explain(struct session *session, enum layout_view which, struct row *row);

/** The status line: what the selected row of the focused view is, and which bytes said so. */
void
session_status(struct session *session, struct row *row);

/**
 * Read what is kept of the dump below `directory`: marks, notes, where its user stood, where its
 * sources were. Says what was found. A file that is damaged is left out as a whole.
 */
void
state_read(struct session *session, const char *directory);

/** The state as text, to be freed by the caller; NULL when out of memory. */
char *
state_carry(struct session *session);

/** Go on with such a text, which is written to: what this dump cannot have is left out. */
void
state_restore(struct session *session, char *text);

/** Go to where the kept state was left, with its edits. Returns how many edits there are. */
size_t
session_resume(struct session *session);

/**
 * Keep it in a file named by the dump's size and first bytes; false if that fails. What another
 * explorer has written there meanwhile stays. `leaving`: with the place and the edits of now.
 */
bool
state_write(struct session *session, const char *directory, bool leaving);

#endif
