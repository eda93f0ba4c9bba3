/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_VIEW_H
#define UI_VIEW_VIEW_H

#include "ui/session/session.h"

struct spot_text;

/** What a row of a view stands for, for requests that act on it: edits, notes, copies. */
enum row_subject_kind {
	SUBJECT_NONE,
	SUBJECT_EVENT,		/* of the step in hand */
	SUBJECT_REGISTER,	/* of the frame */
	SUBJECT_WORD,		/* of memory */
	SUBJECT_METHOD,
	SUBJECT_RECORD,		/* of a symbol file, where the row leads */
	SUBJECT_VARIABLE,	/* of the frame */
	SUBJECT_EDIT,		/* its number from 0 on */
};

struct row_subject {
	enum row_subject_kind kind;
	uint32_t event;
	int reg;
	uint64_t address;
	enum method_id method;
	struct variable_place variable;
	size_t edit;
};

/**
 * What a view does; its row in view.def says the rest. All that other code asks of a view is asked
 * here; what is NULL the view does not have.
 */
struct view_ops {
	/**
	 * Make the listing for the session's place, in view->arena and view->columns. Set view->row
	 * to the row that stands for the place, or leave it alone: then the chosen row stays.
	 */
	struct listing (*make)(struct session *session, struct session_view *view);
	/** Write what stands at the right of the title; the listing is made. Or `legend`. */
	void (*title)(struct session *session, struct row *row);
	const char *legend;
	/** A row was selected: move the place with it. Says whether the row is the place now. */
	bool (*select)(struct session *session, size_t row);
	/** A number that changes whenever the text of rows may have changed since then. */
	uint64_t (*stamp)(struct session *session, const struct listing *listing);
	/** Open or fold what a row stands for. NULL, or a sentence that says why nothing folds. */
	const char *(*fold)(struct session *session, size_t row);
	/** Open what a row stands for, on Enter; false: go where the row leads. */
	bool (*open)(struct session *session, size_t row);
	/** Write a command that its user can complete, which Enter offers; false: none. */
	bool (*offer)(struct session *session, char *line, size_t size);
	/** Fold or open everything that can be; NULL: this is done to the stack. */
	void (*fold_all)(struct session *session, bool fold);
	/** What a row stands for. */
	struct row_subject (*subject)(const struct listing *listing, size_t row);
	/** The place in a symbol file that a row is about; NULL: where the row leads. */
	struct place (*place)(struct session *session, size_t row);
	/** Scroll to the right (1) or left (-1); NULL: by columns. */
	void (*scroll)(struct session *session, int direction);
	/**
	 * Add to a place (spot_add) what the view shows that does not follow from the session's
	 * thread, frame and cursor. Says whether its row follows from that; NULL: nothing is added.
	 */
	bool (*spot)(struct session *session, struct spot_text *text);
	/** Show the address of a place that names this view; NULL: it is one of memory. */
	void (*show_address)(struct session *session, uint64_t address);
	/** Write values in the next form; NULL: they have one form only. */
	void (*next_form)(struct session *session);
	/* Shows the surroundings of its row, which belongs near the middle */
	bool centered;
	bool reveals;		/* shows what blind mode hides: it is empty then */
	bool own_row;		/* its row is chosen apart from the session's place */
	bool wraps;		/* rows are broken to the columns that there are */
	bool has_records;	/* rows lead to the records whose rules they show: SUBJECT_RECORD */
	bool edits_source;	/* an editor opens the source, wherever the row leads */
};

#define V(id, name, command, keys, handler, help) extern const struct view_ops view_##id;
#include "ui/view/view.def"

/** The functions of a view. */
const struct view_ops *
views_ops(enum layout_view view);

/** A number that changes whenever the text of the view's rows may have; 0: not known. */
uint64_t
views_stamp(struct session *session, enum layout_view view, const struct listing *listing);

/** Write what stands at the right of the title of a view whose listing is made. */
void
views_title(struct session *session, enum layout_view view, struct row *row);

/** The view's rows will be shown in so many columns: those that are wrapped are made anew. */
void
views_fit(struct session *session, enum layout_view view, size_t columns);

/** What the selected row of the focused view stands for. */
struct row_subject
views_subject(struct session *session);

/**
 * The number that the selected row of the focused view is about: the word or register that it
 * shows, the result of its event, or the address that it leads to. False if it has none, and
 * always while values are hidden.
 */
bool
views_value(struct session *session, uint64_t *value);

/**
 * The record that the selected row of the focused view comes from, where it stands in a symbol
 * file, and that file; NULL where it does not.
 */
const struct symfile *
views_symbol_place(struct session *session, struct place *place);

/** The symbol file that a place is in, among those that are loaded; NULL where it is in none. */
const struct symfile *
views_symfile(const struct session *session, const struct input *input);

/** The path and line of the source of the selected call; false where there is none. */
bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line);

/** Values of memory and registers are written in another base now; the selected row stays. */
void
memory_write_again(struct session *session);

/** How far the words of the stack are to be known now: those of the place and of its frame. */
uint64_t
memory_until(const struct session *session);

/** Find what lies behind that, until `end` by the clock. Says whether there was something left. */
bool
memory_work(struct session *session, int64_t end);

/** Write them in the next base. */
void
memory_next_base(struct session *session);

/** The base that they are written in: 16, 10 or 0, text. */
unsigned
memory_base(const struct session *session);

/** Its name; "": the usual one. */
const char *
memory_base_name(const struct session *session);

/** Why the selected thread has no frame to show. */
const char *
views_why_nothing(const struct session *session);

/** Mix a value into a stamp. */
uint64_t
views_mix(uint64_t stamp, uint64_t value);

#endif
