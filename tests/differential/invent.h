/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Invented symbol files: plausible records, most of them valid, many of them unusual. */
#ifndef TESTS_DIFFERENTIAL_INVENT_H
#define TESTS_DIFFERENTIAL_INVENT_H

#include <stdint.h>
#include <stdio.h>

#include "crash/arch.h"

/** Write a symbol file of module `name` with identifier `id`, whose addresses are mostly below `span`; the seed decides the rest. */
void
invent_symbols(FILE *file, const struct arch *arch, const char *name, const char *id, uint32_t span, uint64_t seed);

#endif
