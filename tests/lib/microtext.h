/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_MICROTEXT_H
#define TESTS_LIB_MICROTEXT_H

#include "crash/crash.h"

/** One thread of a crash as Breakpad's microdump writer would log it: its registers, its stack and
 * all modules, each line after `prefix`. The caller frees it. NULL if the thread has no registers
 * or no stack, or if its processor has no microdumps. If memory runs out, the program ends. */
char *
microtext_from(const struct crash *crash, size_t thread, const char *prefix, size_t *size);

#endif
