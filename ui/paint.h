/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_PAINT_H
#define UI_PAINT_H

#include "ui/requests.h"

/**
 * The screen of the explorer, painted whole: header, panes, status, footer or prompt.
 *
 * Painting keeps the selected row of every pane in sight; nothing else changes.
 */
void
paint_screen(struct explorer *explorer);

#endif
