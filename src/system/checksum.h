/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CHECKSUM_H
#define SYSTEM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * A checksum of 64 bits that reads as fast as memory: for files that this program wrote itself
 * and has to find damaged, not for deliberately made collisions.
 */
uint64_t
checksum(const void *bytes, size_t size, uint64_t seed);

#endif
