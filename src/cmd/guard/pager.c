/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/cmd.h"

/*
 * A pager, as in git. The command runs in a child process, in its sandbox, and writes to a pipe.
 * This process reads no input files. It prints the output from the pipe. If the output is longer
 * than the terminal, this process starts the pager and copies the output there.
 */

/* A shell runs the pager. If it does not exist (127), it has read nothing, so cat copies all. */
static const char paging[] = "eval \"$UNSPOOL_PAGER\"\n"
			     "[ $? -ne 127 ] || exec cat";
static const char usual_pager[] =
	"if command -v less >/dev/null; then exec less; else exec cat; fi";

/* Bytes of output that are kept until it is clear whether the pager is needed. */
#define KEPT_BYTES (64u << 10)

/* Seconds that a command may go on after its pager has ended. */
#define PATIENCE 1u

static pid_t command;

static void
ignore(int number)
{
	(void)number;
}

static void
end_command(int number)
{
	kill(command, SIGTERM);
	(void)number;
}

static const char *
pager_of_environment(void)
{
	static const char *const variables[] = { "UNSPOOL_PAGER", "PAGER" };

	for (size_t i = 0; i < ARRAY_COUNT(variables); i++)
		if (getenv(variables[i]) != NULL)
			return getenv(variables[i]);
	return usual_pager;
}

static bool
is_wanted(const struct cmd_options *options)
{
	const char *term = getenv("TERM"), *pager = pager_of_environment();

	return !options->no_pager && !options->json && !options->command->interactive &&
	       pager[0] != '\0' && strcmp(pager, "cat") != 0 && isatty(STDOUT_FILENO) &&
	       term != NULL && strcmp(term, "dumb") != 0;
}

void
cmd_terminal_size(size_t *rows, size_t *columns)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	*rows = size.ws_row;
	*columns = size.ws_col;
}

/* Whether text has more rows on this terminal than it can show with a prompt below. */
static bool
is_longer(const char *text, size_t length)
{
	size_t rows = 0, column = 0, most_rows, columns;
	bool escape = false;

	cmd_terminal_size(&most_rows, &columns);
	for (size_t i = 0; i < length; i++) {
		const unsigned char byte = (unsigned char)text[i];
		const bool empty = escape || byte == '\033' || (byte & 0xc0) == 0x80;

		if (byte == '\n' || (!empty && column == columns)) {
			rows++;
			column = 0;
		}
		escape = byte == '\033' || (escape && byte != 'm');
		column += !empty && byte != '\n';
	}
	return rows >= most_rows;
}

static FILE *
start_pager(void)
{
	setenv("UNSPOOL_PAGER", pager_of_environment(), 1);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	return popen(paging, "w");
}

/* Copy the output of the command until it ends. If the pager has ended, discard the rest. */
static void
copy_output(int from)
{
	static char text[KEPT_BYTES];
	FILE *pager = NULL;
	size_t length = 0;
	bool ended = false;

	for (ssize_t got = 1; got != 0;) {
		got = read(from, text + length, sizeof(text) - length);
		if (got < 0 && errno != EINTR)
			break;
		length += got > 0 ? (size_t)got : 0;
		if (pager == NULL && (length == sizeof(text) || is_longer(text, length)))
			pager = start_pager();
		if (pager == NULL && length < sizeof(text))
			continue;
		FILE *to = pager != NULL ? pager : stdout;
		if (!ended && (fwrite(text, 1, length, to) != length || fflush(to) != 0)) {
			ended = true;
			alarm(PATIENCE);
		}
		length = 0;
	}
	if (pager != NULL)
		pclose(pager);
	else
		fwrite(text, 1, length, stdout);
}

/* C-c is for the command and the pager; this process waits for both. */
static void
set_signals(void)
{
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	action.sa_handler = end_command;
	sigaction(SIGALRM, &action, NULL);
}

void
cmd_page_output(const struct cmd_options *options)
{
	int ends[2], status = 0;

	if (!is_wanted(options) || pipe(ends) != 0)
		return;
	fflush(stdout);
	command = fork();
	if (command < 0) {
		close(ends[0]);
		close(ends[1]);
		return;
	}
	if (command == 0) {
		cmd_is_paged(isatty(STDERR_FILENO));
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		return;
	}
	set_signals();
	close(ends[1]);
	copy_output(ends[0]);
	while (waitpid(command, &status, 0) < 0 && errno == EINTR)
		continue;
	fflush(stdout);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : CMD_STOPPED + WTERMSIG(status));
}
