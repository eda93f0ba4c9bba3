/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_EDITOR_H
#define UI_TERMINAL_EDITOR_H

#include <stdbool.h>

#include "base/error.h"

/**
 * The user's editor, at a line of a file: `$VISUAL`, else `$EDITOR`, else vi.
 *
 * The variable may hold arguments, so a shell splits it. The path comes from a symbol
 * file and is not trusted: it never becomes part of what the shell reads, it is made absolute (a
 * name that begins with '+' is a command to vi), and it must name a file that is there.
 */

/**
 * Show `path` at `line` (0: nowhere in it) and `column` (0: none, counted in bytes from 1), as the
 * editor takes them, with the screen lent to the editor. Returns what is wrong, also where the
 * editor says that it failed.
 */
enum error_code
editor_open(const char *path, unsigned line, unsigned column, struct error *error);

#endif
