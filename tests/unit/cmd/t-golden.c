/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole outputs, a file for each command and format in tests/unit/cmd/golden. A line "$ cd FOLDER && unspool ..." has a command,
 * the lines after it its output, exit status and messages, and the texts and the sizes of other files in OUTPUT that it writes;
 * "# capstone" marks a command that shows instructions. The outputs come from those of `make outputs`: with the `lines` of
 * t-scenes they run nearly all code that any of these runs. UNSPOOL_ACCEPT=1 writes the files anew; a new output is a new line
 * with its command.
 */
#include <config.h>

#include <dirent.h>

#include "base/compiler.h"
#include "tests/lib/folder.h"
#include "tests/unit/cmd/run.h"

/* Libraries that the outputs depend on. */
#if defined(HAVE_CAPSTONE) && defined(HAVE_DEMANGLER) && defined(HAVE_ZLIB)
#define WITH_LIBRARIES true
#else
#define WITH_LIBRARIES false
#endif

#define GOLDEN "tests/unit/cmd/golden"
#define PROMPT "$ cd "
#define PROGRAM " && unspool "
/* The end of the command of an output that differs without capstone. */
#define SHOWS_CODE " # capstone"

/* The place that replaces the word OUTPUT in commands. */
static char output[512];
static FILE *printed;

static char *paths[64];
static size_t path_count;

static int
keep_path(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)walk;
	if (kind == FTW_F && path_count < ARRAY_COUNT(paths))
		paths[path_count++] = strdup(path);
	return 0;
}

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Print the files of the folder by their names: a file system has them in any order. */
static void
print_files(void)
{
	struct file file;
	struct error error;

	path_count = 0;
	nftw(output, keep_path, 8, FTW_PHYS);
	qsort(paths, path_count, sizeof(paths[0]), compare_paths);
	for (size_t i = 0; i < path_count; free(paths[i++])) {
		if (file_open(&file, paths[i], &error) != ERROR_NONE)
			continue;
		fprintf(printed, "==> OUTPUT%s (%zu bytes)\n", paths[i] + strlen(output), (size_t)file.size);
		if (memchr(file.data, 0, file.size) == NULL)
			fwrite(file.data, 1, file.size, printed);
		file_close(&file);
	}
}

/* A copy of a text in which each `from` is replaced; the caller frees it. */
static char *
replaced(const char *text, const char *from, const char *to)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	for (const char *found; (found = strstr(text, from)) != NULL; text = found + strlen(from)) {
		fwrite(text, 1, (size_t)(found - text), out);
		fputs(to, out);
	}
	fputs(text, out);
	fclose(out);
	return copy;
}

/* Remove the text between `from` and `to`: style sheets and scripts are the same in all pages. */
static void
leave_out(char *text, const char *from, const char *to)
{
	for (char *at = text, *end; (at = strstr(at, from)) != NULL; at += strlen(from)) {
		end = strstr(at, to);
		if (end != NULL)
			memmove(at + strlen(from), end, strlen(end) + 1);
	}
}

/* The output of a command in a folder and the files that it writes; the caller frees it. */
static char *
output_of(const char *folder, const char *command)
{
	char *text = NULL, *line = replaced(command, "OUTPUT", output);
	size_t size;

	printed = open_memstream(&text, &size);
	char *own = run_command(folder, text_of(line));
	fputs(own != NULL ? own : "", printed);
	if (strcmp(line, command) != 0) {
		print_files();
		nftw(output, remove_one, 8, FTW_PHYS | FTW_DEPTH);
	}
	fclose(printed);
	const char *const changes[][2] = {
		{ output, "OUTPUT" }, { folder, "" },
		/* A line for each object of an array, so that a person can read and compare it. */
		{ "},{", "},\n{" }, { "[{", "[\n{" },
	};
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		char *changed = replaced(text, changes[i][0], changes[i][1]);
		free(text);
		text = changed;
	}
	leave_out(text, "<style>", "</style>");
	leave_out(text, "<script>", "</script>");
	free(own);
	free(line);
	return text;
}

/* Test the command of one line, or write its output to `accepted` if that is no NULL. */
static void
test_output(const char *top, const char *name, const char *head, const char *want, FILE *accepted)
{
	const char *program = strstr(head, PROGRAM);
	char folder[1024];

	if (strncmp(head, PROMPT, strlen(PROMPT)) != 0 || program == NULL) {
		ok(false, "%s/%s has a command in the line '%s'", GOLDEN, name, head);
		return;
	}
	/* Another version may write instructions in another way. */
	if (accepted == NULL && strstr(head, SHOWS_CODE) != NULL && strcmp(CAPSTONE_NAME, CAPSTONE_ACCEPTED) != 0) {
		skip(1, "the output shows instructions of %s, and this is %s", CAPSTONE_ACCEPTED, CAPSTONE_NAME);
		return;
	}
	snprintf(folder, sizeof(folder), "%s/%.*s", top, (int)(program - head - (ptrdiff_t)strlen(PROMPT)), head + strlen(PROMPT));
	char *command = strndup(program + strlen(PROGRAM), strcspn(program + strlen(PROGRAM), "#"));
	char *got = output_of(folder, command);
	free(command);
	if (accepted != NULL)
		fprintf(accepted, "%s\n%s", head, got);
	else if (!is_text(got, want, "the output of '%s' in %.*s equals that in %s/%s",
			  program + strlen(" && "), (int)(program - head - (ptrdiff_t)strlen(PROMPT)),
			  head + strlen(PROMPT), GOLDEN, name))
		tap_diag("run again: %s", head + strlen("$ "));
	free(got);
}

/* Test each command of a file. */
static void
test_file(const char *top, const char *name)
{
	char path[1024];
	struct file file;
	struct error error;

	snprintf(path, sizeof(path), "%s/%s/%s", top, GOLDEN, name);
	if (!ok(file_open(&file, path, &error) == ERROR_NONE, "%s/%s can be read", GOLDEN, name))
		return;
	char *text = strndup((const char *)file.data, file.size);
	file_close(&file);
	FILE *accepted = getenv("UNSPOOL_ACCEPT") != NULL ? fopen(path, "w") : NULL;
	for (char *head = text, *next; head != NULL && *head != '\0'; head = next) {
		char *want = head + strcspn(head, "\n");
		want += *want == '\n' ? 1 : 0;
		next = strstr(want, "\n" PROMPT);
		char *head_line = strndup(head, strcspn(head, "\n"));
		char *want_text = next != NULL ? strndup(want, (size_t)(next + 1 - want)) : strdup(want);
		if (strncmp(want, PROMPT, strlen(PROMPT)) == 0)	/* a new command */
			next = want - 1;
		test_output(top, name, head_line, want_text, accepted);
		free(head_line);
		free(want_text);
		next = next != NULL ? next + 1 : NULL;
	}
	if (accepted != NULL)
		fclose(accepted);
	free(text);
}

int
main(void)
{
	const char *srcdir = getenv("srcdir"), *base = getenv("TMPDIR");
	struct dirent **entries;
	char path[1024];

	if (!WITH_LIBRARIES) {
		skip(1, "outputs show instructions, names and lines: capstone, a demangler or zlib was left out");
		return done_testing();
	}
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	snprintf(output, sizeof(output), "%.400s/unspool-golden.XXXXXX", base != NULL ? base : "/tmp");
	if (top == NULL || mkdtemp(output) == NULL)
		return 99;
	strcat(output, "/out");
	run_begin();
	snprintf(path, sizeof(path), "%s/%s", top, GOLDEN);
	const int count = scandir(path, &entries, NULL, alphasort);
	ok(count > 0, "there are files in %s", GOLDEN);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.')
			test_file(top, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(top);
	*strrchr(output, '/') = '\0';
	remove(output);
	return done_testing();
}
