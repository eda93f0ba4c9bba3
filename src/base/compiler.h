/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

/**
 * All compiler extensions are here.
 *
 * A compiler without them builds the same program with fewer checks.
 */
#if defined(__GNUC__) || defined(__clang__)
#define ATTRIBUTE_PRINTF(string, first) __attribute__((format(printf, string, first)))
#define ATTRIBUTE_INLINE __attribute__((always_inline)) inline
#else
#define ATTRIBUTE_PRINTF(string, first)
#define ATTRIBUTE_INLINE inline
#endif

/*
 * Exempts a local variable from -ftrivial-auto-var-init: a large buffer that is always written
 * before it is read.
 */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define ATTRIBUTE_UNINITIALIZED __attribute__((uninitialized))
#endif
#endif
#ifndef ATTRIBUTE_UNINITIALIZED
#define ATTRIBUTE_UNINITIALIZED
#endif

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
