/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Test Anything Protocol, the part of it that the unit tests need.
 *
 * A test program has functions that TEST() defines, which call ok() and its relatives once per fact. Its main() calls run_tests()
 * and returns done_testing(); a program without main() gets one that does only this.
 *
 * A title is a sentence that is true if the fact holds. Special characters of the protocol in it
 * ('#', backslash, line breaks) are escaped, so it may contain any text. Every line is flushed: the
 * output of a program that crashes has all assertions until then.
 *
 * The header includes those that nearly every test uses.
 */
#ifndef TESTS_LIB_TAP_H
#define TESTS_LIB_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

#if defined(__GNUC__)
#define TAP_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define TAP_PRINTF(format_index, first)
#endif

/** A function of a test program; `line` is where it is defined. */
struct tap_test {
	void (*run)(void);
	unsigned line;
	struct tap_test *next;
};

/** Have run_tests() run a test. `test` stays the caller's. For TEST(). */
void
tap_add(struct tap_test *test);

/** Begin a function without arguments, test_NAME, that run_tests() runs. */
#define TEST(name) \
	static void test_##name(void); \
	__attribute__((constructor)) static void tap_add_##name(void) \
	{ \
		static struct tap_test test = { test_##name, __LINE__, NULL }; \
		tap_add(&test); \
	} \
	static void test_##name(void)

/** Begin a test that runs once for each row of an array; `i` is the row's number. */
#define TEST_EACH(name, rows) \
	static void each_##name(size_t i); \
	TEST(name) \
	{ \
		for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) \
			each_##name(i); \
	} \
	static void each_##name(size_t i)

/** Begin a test that runs twice, with both values of `flag`. */
#define TEST_BOTH(name, flag) \
	static void both_##name(bool flag); \
	TEST(name) \
	{ \
		both_##name(false); \
		both_##name(true); \
	} \
	static void both_##name(bool flag)

/** Run the functions that TEST() defines, in the order of their lines. */
void
run_tests(void);

/** Write text as a comment of the test's output, one '# ' before each of its lines. */
void
tap_diag(const char *format, ...) TAP_PRINTF(1, 2);

/** Assert that `condition` holds. Returns it. */
bool
ok(bool condition, const char *title_format, ...) TAP_PRINTF(2, 3);

/** Assert that two numbers are equal; if they are not, print both, in hexadecimal and decimal. */
bool
is_u64(uint64_t got, uint64_t want, const char *title_format, ...) TAP_PRINTF(3, 4);

/** Assert that two strings are equal; NULL equals only NULL. If they differ, print both, or all lines
 * that differ if one of them has several lines. */
bool
is_str(const char *got, const char *want, const char *title_format, ...) TAP_PRINTF(3, 4);

/** Assert that two texts of lines are equal; if they are not, print all lines that differ. */
bool
is_text(const char *got, const char *want, const char *title_format, ...) TAP_PRINTF(3, 4);

/** Count `count` assertions as skipped for a reason that holds on this machine. */
void
skip(unsigned count, const char *reason_format, ...) TAP_PRINTF(2, 3);

/** The path of a file of the source folder; the 16 last paths stay valid. */
const char *
tap_path(const char *format, ...) TAP_PRINTF(1, 2);

/** End the program with a signal if it takes more than `seconds` of processor time from now on. This catches endless and quadratic
 * work: choose `seconds` many times what a slow machine needs, and an input so large that such work takes longer. */
void
tap_bound_work(unsigned seconds);

/** Write the plan and return the exit status of the program: 0 if there were assertions and none
 * failed, 1 otherwise. After a failure, write the command that runs the test again. */
int
done_testing(void);

#endif
