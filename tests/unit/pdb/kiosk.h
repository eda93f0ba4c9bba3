/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_PDB_KIOSK_H
#define TESTS_UNIT_PDB_KIOSK_H

#include "pdb/pdb.h"
#include "tests/lib/tap.h"

/** Open the PDB of data/crashes/pdb-x86. The caller closes both, also after a failure. */
static inline bool
open_kiosk(struct file *file, struct pdb **pdb)
{
	struct error error = { 0 };

	const char *path = tap_path("data/crashes/pdb-x86/binaries/kiosk.pdb");
	return ok(file_open(file, path, &error) == ERROR_NONE &&
		  pdb_open(pdb, file, &error) == ERROR_NONE, "the PDB is opened: %s", error.text);
}

#endif
