/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_HELP_H
#define UI_VIEW_HELP_H

#include "ui/request/requests.h"

/**
 * The help, shown over the views: the keys, or what a word of the field means.
 */

/** Make ready; once. */
void
help_start(struct explorer *explorer);

/** Open the help with the keys, all words of the glossary or the notes of the session. */
void
help_open(struct explorer *explorer, enum help_kind kind);

/** Do what Enter asks there. False where the help shows nothing that leads anywhere. */
bool
help_follow(struct explorer *explorer);

/** Make its rows anew where the screen has another width or the keys are others now. */
void
help_fit(struct explorer *explorer);

/** What the selected row says, which its columns may have cut off. */
void
help_explain(struct explorer *explorer, size_t columns, struct row *row);

#endif
