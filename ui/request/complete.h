/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_COMPLETE_H
#define UI_REQUEST_COMPLETE_H

#include "ui/request/completion.h"
#include "ui/request/requests.h"

/**
 * What could be typed where a command line ends: words of commands, and whatever its argument
 * stands for (argument.def). The words are offered to `completion`, which completion_begin made.
 */
void
complete_line(struct explorer *explorer, struct completion *completion);

/** Whether an argument of this word in capitals is a path. */
bool
complete_is_path(struct text word);

#endif
