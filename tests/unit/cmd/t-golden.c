/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The comparisons of tests/batch/golden.t in one process, in a tenth of the time: each command at
 * the head of an accepted output prints that output.
 */
#include <config.h>

#include <dirent.h>

#include "tests/lib/accepted.h"
#include "tests/unit/cmd/run.h"

#define PROMPT "$ unspool "

/* Run the commands of one crash, up to the first with another output. */
static bool
is_printed(const char *folder, const char *accepted)
{
	for (const char *at = accepted; strncmp(at, PROMPT, strlen(PROMPT)) == 0;) {
		const struct text command = { at + strlen(PROMPT),
					      strcspn(at + strlen(PROMPT), "\n") };
		const char *want = command.start + command.length + 1;
		const char *next = strstr(want, "\n" PROMPT);
		const size_t length = next != NULL ? (size_t)(next + 1 - want) : strlen(want);
		char *got = run_command(folder, command);
		const bool same = got != NULL && strlen(got) == length &&
				  memcmp(got, want, length) == 0;

		for (size_t i = 0; !same && got != NULL; i++) {
			const struct text wanted = accepted_line(want, i),
					  line = accepted_line(got, i);

			if (text_equal(wanted, line) && i < length)
				continue;
			tap_diag("%.*s: line %zu: expected %.*s", (int)command.length,
				 command.start, i + 1, (int)wanted.length, wanted.start);
			tap_diag("got %.*s", (int)line.length, line.start);
			break;
		}
		free(got);
		if (!same)
			return false;
		at = want + length;
	}
	return true;
}

static void
test_crash(const char *srcdir, const char *kind)
{
	static const char *const places[] = { "tests/differential/recorded", "data/crashes" };
	char path[1024], folder[1024];
	struct file file;
	struct error error;

	snprintf(path, sizeof(path), "%s/tests/batch/golden/%s", srcdir, kind);
	if (!ok(file_open(&file, path, &error) == ERROR_NONE, "there is what was accepted of %s",
		kind))
		return;
	char *accepted = strndup((const char *)file.data, file.size);
	file_close(&file);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(folder, sizeof(folder), "%s/%s/%s", srcdir, places[i], kind);
		if (access(folder, F_OK) == 0)
			break;
	}
	ok(accepted != NULL && is_printed(folder, accepted), "what is printed of %s is that", kind);
	free(accepted);
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	struct dirent **entries;
	char path[1024];

#ifndef HAVE_CAPSTONE
	skip(1, "capstone was left out: explanations show instructions");
	return done_testing();
#endif
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	snprintf(path, sizeof(path), "%s/tests/batch/golden", top != NULL ? top : ".");
	const int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			test_crash(top, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(top);
	return done_testing();
}
