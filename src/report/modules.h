/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MODULES_H
#define REPORT_MODULES_H

#include "report/listing.h"

/**
 * The modules of a crash by address with the state of their symbols, unloaded ones last. Nothing
 * is loaded for it, but a row's explanation looks for the module's own file and its SFrame
 * section, and says where they were found. `symbols` and `binaries` may be NULL. A loaded
 * module's row has it as target, an unloaded one's its entry in the dump.
 */
struct listing
modules_listing(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		struct arena *arena);

/** The row of a loaded module (index in crash->modules); 0 where there is none. */
size_t
modules_row(const struct listing *modules, size_t module);

#endif
