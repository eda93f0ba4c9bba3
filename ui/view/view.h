/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_VIEW_H
#define UI_VIEW_VIEW_H

#include "ui/session/session.h"

/** The subject of a view's row, for requests that act on it: edits, notes, copies. */
enum row_subject_kind {
	SUBJECT_NONE,
	SUBJECT_EVENT,		/* event of the current step */
	SUBJECT_REGISTER,	/* register of the selected frame */
	SUBJECT_WORD,
	SUBJECT_METHOD,
	SUBJECT_VARIABLE,	/* variable of the selected frame */
	SUBJECT_EDIT,		/* edit, by its number from 0 on */
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
 * The functions and properties of a view, in addition to its row in view.def. NULL: the view does
 * not have the function.
 */
struct view_ops {
	/**
	 * Make the listing for the session's place, in view->arena for view->columns. Set view->row
	 * to the row of the place, or leave it alone to keep the chosen row.
	 */
	struct listing (*make)(struct session *session, struct session_view *view);
	/** Write the right part of the title, unless there is a `legend`. Both may be NULL. */
	void (*title)(struct session *session, struct row *row);
	const char *legend;
	/** Move the session's place to a selected row. True if the row is the place now. */
	bool (*select)(struct session *session, size_t row);
	/** A number that changes whenever the text of rows may have changed. */
	uint64_t (*stamp)(struct session *session, const struct listing *listing);
	/** Fold or unfold a row. NULL, or a sentence that says why nothing folds. */
	const char *(*fold)(struct session *session, size_t row);
	/** Open a row on Enter. False: go to its target. */
	bool (*open)(struct session *session, size_t row);
	/** Write a command that Enter offers for completion. False: none. */
	bool (*offer)(struct session *session, char *line, size_t size);
	bool runs;		/* Enter runs the offered command */
	/** Fold or unfold all rows. NULL: those of the stack. */
	void (*fold_all)(struct session *session, bool fold);
	struct row_subject (*subject)(const struct listing *listing, size_t row);
	/** The place in a symbol file that a row describes. NULL: the row's target. */
	struct place (*place)(struct session *session, size_t row);
	/** Scroll to the right (1) or left (-1); NULL: by columns. */
	void (*scroll)(struct session *session, int direction);
	/**
	 * Add to a place (spot_add) the state that does not follow from the session's thread, frame
	 * and cursor. True if the view's row follows from it. NULL: nothing is added.
	 */
	bool (*spot)(struct session *session, struct spot_text *text);
	/** Show the address of a place that names this view. NULL: the memory view shows it. */
	void (*show_address)(struct session *session, uint64_t address);
	/** Write values in the next form. NULL: there is one form only. */
	void (*next_form)(struct session *session);
	/* The selected row should be near the middle. */
	bool centered;
	/* this blind mode and stricter ones empty the view; BLIND_OFF: none does */
	enum blind reveals;
	bool own_row;		/* the view's row does not follow the session's place */
	bool wraps;		/* rows are wrapped to the view's columns */
	bool edits_source;	/* an editor opens the source, not the row's target */
};

#define V(id, name, command, keys, handler, help) extern const struct view_ops view_##id;
#include "ui/view/view.def"

const struct view_ops *
views_ops(enum layout_view view);

/** A number that changes whenever the text of the view's rows may have changed; 0: unknown. */
uint64_t
views_stamp(struct session *session, enum layout_view view, const struct listing *listing);

/** Write the right part of the title of a view whose listing is made. */
void
views_title(struct session *session, enum layout_view view, struct row *row);

/** The subject of the selected row of the focused view. */
struct row_subject
views_subject(struct session *session);

/**
 * The number in the selected row of the focused view: the word or register that it shows, the
 * result of its event, or the address that it leads to. False if the row has none, and always while
 * values are hidden.
 */
bool
views_value(struct session *session, uint64_t *value);

/**
 * The symbol file that the selected row of the focused view comes from, or NULL. Sets `*place` to
 * the place of the row's record.
 */
const struct symfile *
views_symbol_place(struct session *session, struct place *place);

/** The loaded symbol file with this `input`; NULL: none. */
const struct symfile *
views_symfile(const struct session *session, const struct input *input);

/** Whether the raw view shows this `input`; it shows no configuration, for example. */
bool
views_show_place(const struct session *session, const struct input *input);

/** The source path and line of the selected call. False if unknown. */
bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line);

/**
 * If the selected frame of the stack is guessed or contradicted, go to the evidence of the step
 * that found it (the step from its callee). False: the frame is neither.
 */
bool
stack_views_show_maker(struct session *session);

/** Write values of memory and registers in the new base; the selected row stays. */
void
memory_write_again(struct session *session);

/** The base of memory and registers in words. */
const char *
memory_base(const struct session *session);

/** Continue reading after memory_until, until the time `end`. True if words are left to read. */
bool
memory_work(struct session *session, int64_t end);

/** The reason why the selected thread has no frame to show. */
const char *
views_why_nothing(const struct session *session);

/** Mix a value into a stamp. */
uint64_t
views_mix(uint64_t stamp, uint64_t value);

#endif
