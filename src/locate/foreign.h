/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FOREIGN_H
#define LOCATE_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/** Files that stand where symbol files should, and are something else. */

struct foreign {
	const char *what;		/* "a PDB": after "it is" */
	const char *help;		/* how it becomes a symbol file */
};

/** What the first bytes of a file tell; NULL: nothing that is known here. */
const struct foreign *
foreign_of(const uint8_t *bytes, uint64_t size);

#endif
