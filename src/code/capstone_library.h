/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_CAPSTONE_LIBRARY_H
#define CODE_CAPSTONE_LIBRARY_H

#include <config.h>

#ifdef HAVE_CAPSTONE
#include <stdbool.h>

#include <capstone/capstone.h>

#include "system/library.h"

/**
 * Capstone is loaded when the first disassembler is opened (system/library.h): its 77,000
 * relocations would double the time that unspool takes to start.
 *
 * Capstone crashes if an allocation fails. If the system has no memory, capstone's allocations come
 * from a reserve until the current call ends. Capstone is not called again after that: instructions
 * are unknown, as without capstone. The shortage is recorded (system/shortage.h).
 *
 * All functions may be called from any thread.
 */

/** The functions of capstone that are called. */
#define CAPSTONE_SYMBOLS(S)                                                              \
	S(cs_open) S(cs_close) S(cs_option) S(cs_malloc) S(cs_free) S(cs_disasm)         \
	S(cs_disasm_iter) S(cs_insn_group) S(cs_insn_name) S(cs_reg_name) S(cs_regs_access)

struct capstone_library {
	CAPSTONE_SYMBOLS(LIBRARY_POINTER)
};

/** Capstone's functions; never NULL. Call them only after capstone_open has succeeded. */
const struct capstone_library *
capstone(void);

/**
 * Open a disassembler; false if capstone cannot be loaded or does not support the architecture, or
 * if the system has no memory. Closed by capstone()->cs_close.
 */
bool
capstone_open(cs_arch arch, cs_mode mode, csh *handle);

/** Whether capstone may be called: every allocation has succeeded so far. */
bool
capstone_has_memory(void);

#endif

#endif
