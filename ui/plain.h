/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_PLAIN_H
#define UI_PLAIN_H

#include "base/output.h"
#include "ui/request/requests.h"
#include "ui/request/script.h"

/**
 * The explorer without a screen: it reads commands and prints the rows that they show.
 *
 * It serves screen readers, Emacs and pipes. A command that goes to a view prints its rows, with
 * '>' before the selected one; a move within a view prints the row reached. The last line describes
 * that row and names the bytes it comes from. An empty line repeats the last step.
 */

/**
 * Run until the end of the script or input, or until the user leaves. `script` NULL: lines come
 * from standard input, through readline on a terminal. Calls the client's `stepped` after a step of
 * the script, or with NULL after a line of a pipe.
 */
void
plain_run(struct explorer *explorer, struct script *script, const struct loop_client *client);

#endif
