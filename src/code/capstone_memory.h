/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_CAPSTONE_MEMORY_H
#define CODE_CAPSTONE_MEMORY_H

#include <config.h>

#ifdef HAVE_CAPSTONE
#include <stdbool.h>

#include <capstone/capstone.h>

/**
 * The memory of capstone, which crashes if an allocation fails.
 *
 * If the system has none, capstone gets what it asks for from a reserve, so that a call that has
 * begun ends. From then on no further call is made: instructions are unknown, as without
 * capstone. The shortage is noted (system/shortage.h). All functions may be called from any
 * thread.
 */

/** Open a disassembler; false: capstone does not support it, or the system has no memory. */
bool
capstone_open(cs_arch arch, cs_mode mode, csh *handle);

/** Whether capstone may be called: every allocation has succeeded so far. */
bool
capstone_has_memory(void);

#endif

#endif
