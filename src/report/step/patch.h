/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_PATCH_H
#define REPORT_STEP_PATCH_H

#include "base/output.h"
#include "walk/overlay.h"

/**
 * Edits of records as a unified diff of their symbol files, for patch(1). A walk with the patched
 * files and without edits equals the edited walk.
 *
 * The diff copies lines of the files byte for byte, including carriage returns. Only the bytes
 * around the records are read. Edits that no symbol file can express are listed before the diff.
 */
struct patch_summary {
	size_t records;
	size_t named;		/* edits that symbol files cannot express */
	size_t changed;		/* records left out: line changed, or file no longer loaded */
	size_t packed;		/* compressed files, which patch(1) cannot change */
};

/**
 * Write the hunks of one file. `path` is the name in their head. `edits` are the edits of this
 * file, sorted by offset.
 */
void
patch_write_file(const struct output *output, const struct file *file, struct text path,
		 const struct record_edits *edits);

/** Write the patch of an overlay. `symbols` has the symbol files of the modules of `crash`. */
struct patch_summary
patch_write(const struct output *output, const struct overlay *overlay, const struct crash *crash,
	    const struct symbols *symbols, const char *patch_name);

#endif
