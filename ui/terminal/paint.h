/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_TERMINAL_PAINT_H
#define UI_TERMINAL_PAINT_H

#include "ui/request/requests.h"

/**
 * The screen of the explorer, painted whole: header, panes, status, footer or prompt.
 *
 * Painting places the panes and keeps the selected row of each in sight; nothing else changes.
 */
void
paint_screen(struct explorer *explorer);

/** What painting changes, without painting: where panes are decides what keys do. */
void
paint_arrange(struct explorer *explorer);

/** Paint what has only been arranged, for what reads the screen. */
void
paint_late(struct explorer *explorer);

/**
 * The tab that stands at screen column `x` of a slot's title: an index in its views, TITLE_NONE or
 * TITLE_MORE.
 */
int
paint_tab_at(struct explorer *explorer, const struct layout_slot *slot, int x);

/**
 * What the mouse does: a click focuses and selects, a second one opens, the wheel scrolls the pane
 * below it, titles and footer are pressed like keys, borders are dragged.
 */

/** Obey TERM_KEY_CLICK, TERM_KEY_RELEASE, TERM_KEY_WHEEL_UP or TERM_KEY_WHEEL_DOWN. */
void
mouse_event(struct explorer *explorer, const struct term_event *event);

/** Whether the last of the rows below a view's title is the foot of its listing. */
bool
paint_has_foot(const struct listing *listing, int rows);

#endif
