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
 * A lesson as its file defines it: cards and tasks about one crash. doc/lessons.md has the format.
 *
 * A lesson is a directory with a file `lesson`; paths in it are relative to the directory. Parsing
 * is strict: unknown text is an error with line and column. Texts keep their places in the file, so
 * that later checks can name them.
 *
 * lesson.h describes the file, course.h lists lessons, lesson_run.h runs a lesson, and
 * check_answer.h checks answers. None of them writes to the terminal.
 */

/** Words of the file and their place. `text` is "" if the file has none. */
struct lesson_text {
	const char *text;
	struct place place;
};

enum lesson_check_kind {
#define CHECK_KIND(id, ...) LESSON_CHECK_##id,
#include "lesson/check_kind.def"
};

struct lesson_check {
	enum lesson_check_kind kind;
	struct lesson_text what;	/* the text after the kind's word */
};

/** An answer that shows a misconception, and the sentence for it. */
struct lesson_wrong {
	struct lesson_text match;
	struct lesson_text sentence;
};

/** A choice of a task: a word to type and what it means. */
struct lesson_option {
	struct lesson_text word, meaning;
};

/** A card to read, or a task. */
struct lesson_card {
	struct lesson_text at;		/* commands to run before the card, separated by ';' */
	struct lesson_text say;		/* the text, or the question of a task */
	struct lesson_text task;	/* name of the task; "": a card to read */
	struct lesson_check check;
	struct lesson_text right;	/* why the right answer is right */
	struct lesson_text after;	/* commands to run after the task */
	struct lesson_text shows;	/* commands that test the commands quoted in the card */
	struct lesson_wrong *wrongs;
	size_t wrong_count, wrong_capacity;
	struct lesson_text *hints;	/* in the order of use */
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
	const char *name;		/* name of its directory */
	const char *directory;		/* "": read from memory */
	struct lesson_text title;
	struct lesson_text open;	/* the whole line of `open` */
	const char **paths;		/* paths to open: the dump, then symbols */
	size_t path_count, path_capacity;
	struct lesson_open_option *options;
	size_t option_count, option_capacity;
	struct lesson_text *needs;	/* names of lessons that should precede */
	size_t need_count, need_capacity;
	struct lesson_card *cards;
	size_t card_count, card_capacity;
	uint64_t digest;		/* digest of the file: identifies the version */
};

/** The directory of the program's data: crashes, lessons; NULL: not found. */
const char *
lesson_data_directory(struct arena *arena);

/**
 * Read DIRECTORY/lesson. Paths of `open` stay in the directory, or begin with "bundled:" and stay
 * in the directory of bundled crashes. lesson_free is needed in any case; the error's place is
 * valid until then.
 */
enum error_code
lesson_read(struct lesson *lesson, const char *directory, struct error *error);

/**
 * Like lesson_read(), but from `bytes`, which may be freed afterwards. The caller has set only the
 * lesson's name and directory. Places refer to the file as `name`.
 */
enum error_code
lesson_parse(struct lesson *lesson, const char *name, struct text bytes, struct error *error);

void
lesson_free(struct lesson *lesson);

/** The task with this name; NULL: none. */
const struct lesson_card *
lesson_task(const struct lesson *lesson, struct text name);

size_t
lesson_task_count(const struct lesson *lesson);

enum lesson_piece_kind {
	LESSON_PLAIN,
	LESSON_WORD,		/* [[word]]: a term of the glossary */
	LESSON_QUERY,		/* {{query}}: replaced by the engine's answer */
};

struct lesson_piece {
	enum lesson_piece_kind kind;
	struct text text;	/* text without the brackets */
	struct place place;
};

/** Take the first piece of a text. False: the text is empty. */
bool
lesson_next_piece(struct lesson_text *rest, struct lesson_piece *piece);

/** The place of byte `at` of a text, which may span several lines. */
struct place
lesson_place_in(const struct lesson_text *text, size_t at);

/** Take a word from a list separated by spaces; empty: none is left. */
struct text
lesson_word(struct text *list);

/** The next command of a card; ';' separates commands. Empty after the last command. */
struct text
lesson_next_command(const char **rest);

/**
 * The view that the cards up to number `card` opened last, such as "memory"; empty: none. `*top`:
 * the cursor of the view is on its first row.
 */
struct text
lesson_view(const struct lesson *lesson, size_t card, bool *top);

#endif
