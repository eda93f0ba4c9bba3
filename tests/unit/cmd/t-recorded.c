/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up crashes with recorded answers of Breakpad's minidump_stackwalk 0.26.0: --compat breakpad
 * still walks as Breakpad does. tests/differential/record.sh makes them. */
#include <config.h>

#include <dirent.h>

#include "system/file.h"
#include "tests/lib/tap.h"
#include "tests/unit/cmd/run.h"

/* Compare an answer in a folder, if there is one, with what a command prints. */
static unsigned
test_answer(const char *folder, const char *kind, const char *name, const char *command)
{
	char path[1024];
	struct file file;
	struct error error;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (file_open(&file, path, &error) != ERROR_NONE)
		return 0;
	char *want = strndup((const char *)file.data, file.size);
	file_close(&file);
	char *got = run_command(folder, text_of(command));
	char *end = got != NULL ? strstr(got, "exit status ") : NULL;
	if (end != NULL)
		*end = '\0';
	if (!is_text(got, want, "'%s' of %s prints what minidump_stackwalk printed", command, kind))
		tap_diag("run again: cd %s && unspool %s", folder, command);
	free(got);
	free(want);
	return 1;
}

int
main(void)
{
	const char *srcdir = getenv("srcdir");
	struct dirent **entries;
	char path[1024];
	unsigned answers = 0, kinds = 0;

	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	run_begin();
	snprintf(path, sizeof(path), "%.900s/tests/differential/recorded", top);
	const int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%.700s/tests/differential/recorded/%.200s", top, entries[i]->d_name);
		const unsigned human = test_answer(path, entries[i]->d_name, "answer.txt", "walk --compat breakpad crash.dmp symbols");
		answers += human + test_answer(path, entries[i]->d_name, "answer.m.txt", "walk -m --compat breakpad crash.dmp symbols");
		kinds += human;
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	ok(kinds > 15 && answers > kinds, "crashes of every processor and kind of dump have answers");
	free(top);
	return done_testing();
}
