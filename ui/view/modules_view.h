/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_MODULES_VIEW_H
#define UI_VIEW_MODULES_VIEW_H

#include "ui/session/session.h"

/**
 * The view of modules, and beneath those that are unfolded why they have the symbols that they
 * have. What is looked at is kept until symbols change; nothing is looked at while painting.
 */
struct listing
modules_view_listing(struct session *session, struct arena *arena, size_t *row);

/** Remember where the selection stands: rows come and go above it. */
bool
modules_view_selected(struct session *session, size_t row);

/** Unfold the selected module or fold it; on its own row alone with `only_heads`. False: none. */
bool
modules_view_fold(struct session *session, bool only_heads);

/** Fold all modules, or unfold those whose symbols somebody has looked for. */
void
modules_view_fold_all(struct session *session, bool fold);

#endif
