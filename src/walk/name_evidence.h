/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_NAME_EVIDENCE_H
#define WALK_NAME_EVIDENCE_H

#include "walk/location.h"

/**
 * Evidence of the process for names without size in symbol files and tables of unwind rules.
 *
 * A sentence if the name of `location`, at or below its address, is that of the function around the
 * address: the process began at it, its first code called it, or the thread's system call is one of
 * its own. NULL: no evidence.
 */
const char *
name_evidence(const struct walk *walk, const struct location *location);

/**
 * Name the kernel's system call of x86, which is in no symbol file: the kernel gave its address.
 */
void
name_of_kernel(const struct walk *walk, struct location *location);

#endif
