/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_PAINT_H
#define UI_TERMINAL_PAINT_H

#include "ui/request/requests.h"

/**
 * The whole screen of the explorer: header, panes, status, footer or prompt.
 *
 * Painting places the panes and scrolls each to its selected row; it changes nothing else.
 */
void
paint_screen(struct explorer *explorer);

/** Place the panes without painting, because keys depend on their places. */
void
paint_arrange(struct explorer *explorer);

/** Paint the arranged screen, for a request that reads it. */
void
paint_late(struct explorer *explorer);

/**
 * The mouse: a click focuses and selects, a double click opens, the wheel scrolls the pane at the
 * pointer, titles and footer act like keys, borders are dragged.
 */

/** Handle TERM_KEY_CLICK, TERM_KEY_RELEASE, TERM_KEY_WHEEL_UP or TERM_KEY_WHEEL_DOWN. */
void
mouse_event(struct explorer *explorer, const struct term_event *event);

#endif
