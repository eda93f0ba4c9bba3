/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SCREEN_RANDOM_KEYS_H
#define TESTS_SCREEN_RANDOM_KEYS_H

#include <stdio.h>

#include "tests/differential/chance.h"

/**
 * Write a script of so many random keys, with commands, text in prompts, clicks and changes of the
 * screen's size between them; fewer where a fuzzer's bytes end. Returns how many keys there are.
 *
 * Held back is what leaves the program, stops it or writes files. Text that is typed has none of
 * the letters of such keys, for a prompt may be closed where it was meant to be open.
 */
unsigned long
random_keys(FILE *script, struct chance *chance, unsigned long wanted);

#endif
