/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/user_names.h"
#include "crash/crash.h"
#include "tests/lib/tap.h"

int
main(void)
{
	struct annotation annotations[] = {
		{ .source = "environment", .key = "PATH", .value = "/bin:/home/ann/bin" },
		{ .source = "environment", .key = "HOME", .value = "/srv/people/ben" },
		{ .source = "environment", .key = "USER", .value = "carl" },
		{ .source = "crashpad", .key = "title", .value = "of dora at C:\\Users\\dora\\x" },
		{ .source = "environment", .key = "TERM", .value = "xterm" },
	};
	struct module module = { .code_file = "/home/ed/a", .debug_file = "C:\\Users\\fay\\a.pdb" };
	struct module unloaded = { .code_file = "/home/gus/a", .debug_file = "" };
	struct mapping mapping = { .name = "/home/hal/b" };
	struct thread thread = { .name = "/home/ira/c" };
	const struct crash crash = {
		.annotations = annotations, .annotation_count = ARRAY_COUNT(annotations),
		.modules = &module, .module_count = 1, .unloaded = &unloaded, .unloaded_count = 1,
		.mappings = &mapping, .mapping_count = 1, .threads = &thread, .thread_count = 1,
		.assertion = "/home/kim/d.c: x > 0",
	};
	static const char *const expected[] = { "ann", "ben", "carl", "dora", "ed", "fay", "gus", "hal",  "ira",  "kim" };
	struct user_names names = { 0 };

	crash_learn_names(&crash, &names);
	is_u64(names.count, ARRAY_COUNT(expected), "each text of a crash that may name a user is visited");
	for (size_t i = 0; i < names.count && i < ARRAY_COUNT(expected); i++)
		ok(text_equal(names.names[i].text, text_of(expected[i])), "the user name '%s' is found", expected[i]);
	user_names_free(&names);
	return done_testing();
}
