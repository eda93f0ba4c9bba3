/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LESSON_PERMITTED_H
#define LESSON_PERMITTED_H

#include <stdbool.h>

#include "base/text.h"

/**
 * The commands of the explorer that a file may run when it is only opened: those of a lesson's
 * cards and of a script that is played. permitted.def lists them; a script that its user runs
 * with --script is a program of that user and has all commands.
 */

/**
 * Whether such a file may run the command `line`: its words without aliases or abbreviations,
 * with its arguments. For `try COMMAND` the caller asks again with COMMAND.
 */
bool
permitted_command(struct text line);

/** The next command of a card, separated by ";". Empty after the last one. */
struct text
permitted_next(const char **rest);

#endif
