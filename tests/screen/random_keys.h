/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SCREEN_RANDOM_KEYS_H
#define TESTS_SCREEN_RANDOM_KEYS_H

#include <stdio.h>

#include "tests/differential/chance.h"

/**
 * Write a script of `wanted` random keys, with commands, text in prompts, clicks and new screen
 * sizes; fewer keys if a fuzzer's bytes end. Returns the number of keys.
 *
 * Left out are keys that quit or stop the program or write files. Typed text has none of their
 * letters either, because the prompt may not be open.
 */
unsigned long
random_keys(FILE *script, struct chance *chance, unsigned long wanted);

#endif
