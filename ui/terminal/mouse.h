/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_MOUSE_H
#define UI_TERMINAL_MOUSE_H

#include "ui/request/requests.h"
#include "ui/terminal/term.h"

/**
 * What the mouse does: a click focuses and selects, a second one opens, the wheel scrolls the pane
 * below it, titles and footer are pressed like keys, borders are dragged.
 */

/** Obey TERM_KEY_CLICK, TERM_KEY_RELEASE, TERM_KEY_WHEEL_UP or TERM_KEY_WHEEL_DOWN. */
void
mouse_event(struct explorer *explorer, const struct term_event *event);

#endif
