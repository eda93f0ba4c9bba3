/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_USER_NAMES_H
#define BASE_USER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/**
 * User names that an output must not show, each with its substitute: user1, user2.
 *
 * Names are learned from home directories ("/home/alice", "C:\Users\alice", "/run/user/1000") and
 * from variables that contain them. A learned name is replaced wherever it is a word, in upper or
 * lower case ("/tmp/alice-build", "libalice.so", "alice's worker"). In a path, a name of five
 * letters or more is also replaced within a word ("/tmp/aliceX"). A name that is an ordinary word
 * ("test") is replaced in paths only. A directory name of every system ("build", "root") is
 * replaced only where it is a home directory. Replacing twice changes nothing.
 *
 * A table learns while it replaces, so one thread at a time may use it. A zeroed table is empty,
 * and replaces nothing until it is active.
 */
struct user_name {
	struct text text;		/* name as first seen; in the table's arena */
	struct text shown;		/* "user1" */
	bool in_paths;			/* replaced in all paths, not only in homes */
	bool as_word;			/* replaced outside of paths, too */
};

struct user_names {
	bool active;
	struct arena arena;
	struct user_name *names;
	size_t count, capacity;
	struct user_name others;	/* shared substitute when the table is full: "user" */
};

struct user_name_match {
	size_t start, length;
	struct text shown;		/* lives as long as the table */
};

void
user_names_free(struct user_names *names);

/**
 * Learn a user name ("alice", "DOMAIN\alice") or any home directory ("/srv/people/alice") that a
 * variable or record gives.
 */
void
user_names_add(struct user_names *names, struct text name);

/**
 * Learn the names of all home directories in a text that contains paths of files. Names in homes
 * deeper in a path ("/mnt/old/home/alice/x") are learned, too.
 */
void
user_names_learn(struct user_names *names, struct text text);

/**
 * Find the first name that begins in `text` at or after `from`. Pass the complete text, because the
 * text before `from` is read, too. False: none, or `names` is NULL or not active.
 */
bool
user_names_find(struct user_names *names, struct text text, size_t from,
		struct user_name_match *match);

/**
 * The text with all names replaced, terminated and in `arena`; `text` itself if it has no names.
 * Empty when out of memory.
 */
struct text
user_names_replace(struct user_names *names, struct text text, struct arena *arena);

/**
 * Whether the byte at `at` is part of a name in `bytes`. The name may be in UTF-8, or in UTF-16 of
 * either byte order. False if `names` is NULL or not active.
 */
bool
user_names_hide_byte(const struct user_names *names, const void *bytes, size_t size, size_t at);

#endif
