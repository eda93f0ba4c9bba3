/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_CHECKSUM_H
#define SYSTEM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * A checksum of 64 bits, computed as fast as memory is read: to detect damage of files that this
 * program wrote itself, not collisions made on purpose.
 */
uint64_t
checksum(const void *bytes, size_t size, uint64_t seed);

#endif
