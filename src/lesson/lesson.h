/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/place.h"
#include "base/text.h"

/**
 * A lesson as its file has it: cards and tasks about one crash. doc/lessons.md has the format.
 *
 * A lesson is a directory with a file `lesson`; all other files of it have paths in there. Reading
 * is strict: what is not understood is an error with line and column. A text of the file is kept
 * with its place, so that all later checks can name it.
 *
 * The room: lesson.h is the file, course.h the list of lessons, lesson_run.h a learner's way
 * through one; check_answer.h decides about answers. Nothing in it prints or draws.
 */

/** Words of the file and where they stand. `text` is "" where the file has none. */
struct lesson_text {
	const char *text;
	struct place place;
};

/** What kind of answer a task checks: a row each of check_kind.def. */
enum lesson_check_kind {
#define CHECK_KIND(id, ...) LESSON_CHECK_##id,
#include "lesson/check_kind.def"
	LESSON_CHECK_KINDS
};

struct lesson_check {
	enum lesson_check_kind kind;
	struct lesson_text what;	/* all behind the kind's word */
};

/** An answer that shows a misconception, and the sentence that it meets. */
struct lesson_wrong {
	struct lesson_text match;
	struct lesson_text sentence;
};

/** A choice of a task: a word to type and what it means. */
struct lesson_option {
	struct lesson_text word, meaning;
};

/** A card that is read, or a task. */
struct lesson_card {
	struct lesson_text at;		/* commands before it is shown, parted by ';' */
	struct lesson_text say;		/* the text; of a task the question */
	struct lesson_text task;	/* its name; "": a card to read */
	struct lesson_check check;
	struct lesson_text after;	/* commands when the task is passed or left */
	struct lesson_wrong *wrongs;
	size_t wrong_count, wrong_capacity;
	struct lesson_text *hints;	/* in the order in which they are given */
	size_t hint_count, hint_capacity;
	struct lesson_option *options;
	size_t option_count, option_capacity;
};

/** An option of `open` and its value: "--binaries", "binaries". */
struct lesson_open_option {
	const char *name, *value;
};

struct lesson {
	struct arena arena;
	struct input input;		/* the file `lesson` */
	const char *name;		/* of its directory */
	const char *directory;		/* "": read from memory */
	struct lesson_text title;
	struct lesson_text open;	/* the whole line */
	const char **paths;		/* the dump, then symbols: as they are opened */
	size_t path_count, path_capacity;
	struct lesson_open_option *options;
	size_t option_count, option_capacity;
	struct lesson_text *needs;	/* names of lessons that should come before */
	size_t need_count, need_capacity;
	struct lesson_card *cards;
	size_t card_count, card_capacity;
	uint64_t digest;		/* of the file: another one is another version */
};

/** The directory of the program's data: crashes, lessons; NULL: none is found. */
const char *
lesson_data_directory(struct arena *arena);

/**
 * Read DIRECTORY/lesson. Paths of `open` stay in the directory, or begin with "bundled:" and stay
 * in the directory of bundled crashes. lesson_free is due in any case; the error's place lives
 * until then.
 */
enum error_code
lesson_read(struct lesson *lesson, const char *directory, struct error *error);

/**
 * lesson_read() from bytes, which may go away, into a lesson that has its name and directory, and
 * nothing else yet; `name` stands in places.
 */
enum error_code
lesson_parse(struct lesson *lesson, const char *name, struct text bytes, struct error *error);

void
lesson_free(struct lesson *lesson);

/** The task of a name; NULL: none. */
const struct lesson_card *
lesson_task(const struct lesson *lesson, struct text name);

/** How many of the cards are tasks. */
size_t
lesson_task_count(const struct lesson *lesson);

/** What follows in a text of a lesson. */
enum lesson_piece_kind {
	LESSON_PLAIN,
	LESSON_WORD,		/* [[word]]: one that the glossary explains */
	LESSON_QUERY,		/* {{query}}: an answer of the engine stands here */
};

struct lesson_piece {
	enum lesson_piece_kind kind;
	struct text text;	/* without the brackets */
	size_t start;		/* in the text that it is of */
};

/** The piece from byte `*at` on, which moves behind it. False: there are no more. */
bool
lesson_next_piece(const char *text, size_t *at, struct lesson_piece *piece);

/** The place of byte `at` of a text; lines that the text continues on count. */
struct place
lesson_place_in(const struct lesson_text *text, size_t at);

/** A word of a space-separated list, which moves behind it; empty: none. */
struct text
lesson_word(struct text *list);

#endif
