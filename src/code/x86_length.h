/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_X86_LENGTH_H
#define CODE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that an instruction has at most. */
#define X86_LONGEST 15u

/**
 * The length of the instruction of 64-bit code at the start of `count` bytes: by its prefixes,
 * opcode map and operands alone (Intel SDM, volume 2, chapter 2 and appendix A). 0 where bytes
 * are missing, or no instruction begins so. A disassembler may refuse more.
 */
unsigned
x86_64_length(const uint8_t *bytes, size_t count);

#endif
