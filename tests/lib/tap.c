/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TITLE_MAX = 1024 };

static unsigned run_count;
static unsigned failed_count;
static struct tap_test *tests;

void
tap_add(struct tap_test *test)
{
	struct tap_test **at = &tests;

	while (*at != NULL && (*at)->line < test->line)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

void
run_tests(void)
{
	for (const struct tap_test *test = tests; test != NULL; test = test->next)
		test->run();
}

/* In a title '#' would begin a directive: 'ok 3 - the row says # SKIP' must not skip anything. */
static void
print_escaped(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			fputs("\\n", stdout);
		else if (*text == '\r')
			fputs("\\r", stdout);
		else if (*text == '#' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void
print_comment(const char *text)
{
	do {
		size_t length = strcspn(text, "\n");
		printf("# %.*s\n", (int)length, text);
		text += length;
		text += *text == '\n';
	} while (*text != '\0');
	fflush(stdout);
}

TAP_PRINTF(2, 0)
static bool
report(bool condition, const char *title_format, va_list arguments)
{
	char title[TITLE_MAX];

	vsnprintf(title, sizeof title, title_format, arguments);
	run_count++;
	failed_count += !condition;
	printf("%s %u - ", condition ? "ok" : "not ok", run_count);
	print_escaped(title);
	putchar('\n');
	fflush(stdout);
	return condition;
}

void
tap_diag(const char *format, ...)
{
	char text[4 * TITLE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_comment(text);
}

bool
ok(bool condition, const char *title_format, ...)
{
	va_list arguments;

	va_start(arguments, title_format);
	report(condition, title_format, arguments);
	va_end(arguments);
	return condition;
}

bool
is_u64(uint64_t got, uint64_t want, const char *title_format, ...)
{
	va_list arguments;

	va_start(arguments, title_format);
	report(got == want, title_format, arguments);
	va_end(arguments);
	if (got != want) {
		tap_diag("       got 0x%" PRIx64 " (%" PRIu64 ")", got, got);
		tap_diag("  expected 0x%" PRIx64 " (%" PRIu64 ")", want, want);
	}
	return got == want;
}

static void
diag_string(const char *label, const char *text)
{
	if (text == NULL)
		tap_diag("%s NULL", label);
	else
		tap_diag("%s '%s'", label, text);
}

/* Write a text to a new file, whose name replaces the X of `path`. */
static bool
save_text(char *path, const char *text)
{
	const int file = mkstemp(path);
	FILE *out = file >= 0 ? fdopen(file, "w") : NULL;

	if (out == NULL)
		return false;
	const bool written = fputs(text, out) >= 0;
	return fclose(out) == 0 && written;
}

/* Write all lines that differ as comments; false if diff cannot be run. */
static bool
diag_lines(const char *got, const char *want)
{
	char expected[] = P_tmpdir "/unspool-expected.XXXXXX";
	char found[] = P_tmpdir "/unspool-got.XXXXXX";
	char command[200], line[4 * TITLE_MAX];
	bool shown = false;

	if (save_text(expected, want) && save_text(found, got)) {
		snprintf(command, sizeof command, "diff -U3 -a --label expected --label got %s %s 2>/dev/null", expected, found);
		FILE *lines = popen(command, "r");
		for (; lines != NULL && fgets(line, sizeof line, lines) != NULL; shown = true) {
			line[strcspn(line, "\n")] = '\0';
			print_comment(line);
		}
		if (lines != NULL)
			pclose(lines);
	}
	unlink(expected);
	unlink(found);
	return shown;
}

static bool
is_same(const char *got, const char *want, bool lines, const char *title_format, va_list arguments)
{
	const bool same = got == want || (got != NULL && want != NULL && strcmp(got, want) == 0);

	report(same, title_format, arguments);
	if (same || (lines && got != NULL && want != NULL && diag_lines(got, want)))
		return same;
	diag_string("       got", got);
	diag_string("  expected", want);
	return same;
}

bool
is_text(const char *got, const char *want, const char *title_format, ...)
{
	va_list arguments;

	va_start(arguments, title_format);
	const bool same = is_same(got, want, true, title_format, arguments);
	va_end(arguments);
	return same;
}

bool
is_str(const char *got, const char *want, const char *title_format, ...)
{
	const bool lines = (got != NULL && strchr(got, '\n') != NULL) || (want != NULL && strchr(want, '\n') != NULL);
	va_list arguments;

	va_start(arguments, title_format);
	const bool same = is_same(got, want, lines, title_format, arguments);
	va_end(arguments);
	return same;
}

void
skip(unsigned count, const char *reason_format, ...)
{
	char reason[TITLE_MAX];
	va_list arguments;

	va_start(arguments, reason_format);
	vsnprintf(reason, sizeof reason, reason_format, arguments);
	va_end(arguments);
	while (count-- > 0) {
		printf("ok %u # SKIP ", ++run_count);
		print_escaped(reason);
		putchar('\n');
	}
	fflush(stdout);
}

const char *
tap_path(const char *format, ...)
{
	static char paths[16][1100];
	static unsigned next;
	const char *srcdir = getenv("srcdir");
	char *path = paths[next++ % 16];
	va_list arguments;

	va_start(arguments, format);
	const int length = snprintf(path, sizeof(paths[0]), "%s/", srcdir != NULL ? srcdir : ".");
	vsnprintf(path + length, sizeof(paths[0]) - (size_t)length, format, arguments);
	va_end(arguments);
	return path;
}

void
tap_bound_work(unsigned seconds)
{
	struct rusage used;
	struct rlimit limit;

	if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds;
	setrlimit(RLIMIT_CPU, &limit);
}

/* Write the command that runs this test again. */
static void
diag_command(void)
{
	static const char *const names[] = { "srcdir", "builddir", "UNSPOOL" };
	char settings[3 * TITLE_MAX] = "";
	const char *folder = getenv("PWD");	/* the folder at the start */
	char *program = realpath("/proc/self/exe", NULL);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);
		char *path = value != NULL ? realpath(value, NULL) : NULL;
		const size_t used = strlen(settings);

		if (path != NULL)
			snprintf(settings + used, sizeof settings - used, "%s='%s' ", names[i], path);
		free(path);
	}
	if (program != NULL && folder != NULL)
		tap_diag("run again: cd '%s' && %s%s", folder, settings, program);
	free(program);
}

int
done_testing(void)
{
	printf("1..%u\n", run_count);
	fflush(stdout);
	if (run_count == 0)
		print_comment("nothing was asserted");
	if (failed_count > 0) {
		tap_diag("%u of %u failed", failed_count, run_count);
		diag_command();
	}
	return failed_count > 0 || run_count == 0;
}
