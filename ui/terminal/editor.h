/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_EDITOR_H
#define UI_TERMINAL_EDITOR_H

#include <stdbool.h>

#include "base/error.h"

/**
 * The user's editor, at a line of a file: `$VISUAL`, else `$EDITOR`, else vi.
 *
 * The variable may hold arguments, so a shell splits it. The path comes from a symbol file and is
 * not trusted: the shell does not parse it, it is made absolute (vi takes a name that begins with
 * '+' for a command), and it must name an existing file.
 */

/**
 * Show `path` at `line` (0: none) and `column` (0: none, in bytes from 1), with the screen lent to
 * the editor. Fails also if the editor reports a failure.
 */
enum error_code
editor_open(const char *path, unsigned line, unsigned column, struct error *error);

#endif
