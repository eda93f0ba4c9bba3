/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_MICROTEXT_H
#define TESTS_LIB_MICROTEXT_H

#include "crash/crash.h"

/**
 * One thread of a crash as Breakpad's writer of microdumps would log it: the same registers,
 * stack and modules, each line with `prefix`. To be freed; NULL where the thread has no
 * registers or no stack, or its processor no microdumps. Memory that runs out ends the program.
 */
char *
microtext_from(const struct crash *crash, size_t thread, const char *prefix, size_t *size);

#endif
