/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_PLAIN_H
#define UI_PLAIN_H

#include "base/output.h"
#include "ui/request/requests.h"
#include "ui/request/script.h"

/**
 * The explorer without a screen: commands are read, and what they show is printed as rows.
 *
 * For screen readers, for Emacs, for pipes. A command that goes to a view prints its rows, the
 * selected one with '>' before it; whatever moves in a view prints the row that it reached. Then
 * comes the line that says what that row is and which bytes said so. An empty line repeats the
 * last step.
 */

/**
 * Run until the script or the input ends, or the user leaves. `script` NULL: lines come from
 * standard input, through readline where it is a terminal. The client's `stepped` is called after a
 * step of the script, or with NULL after a line of a pipe.
 */
void
plain_run(struct explorer *explorer, struct script *script, const struct loop_client *client);

#endif
