/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * time-screen MARK READY COMMAND...: the explorer, for a user at a terminal of 200x50.
 *
 *	screen		milliseconds from the start to the first screen, whose output contains MARK
 *	loading-keys	keys pressed before the output contained READY (a key every 20 ms)
 *	loading-median	milliseconds from such a key to the end of its output
 *	loading-key	the worst of these times
 *	ready		milliseconds from the start to READY
 *	bytes		written to the terminal for a step, the mean of all steps of a frame
 *	key, key-worst	the median and the worst for these and other keys that are pressed then
 *
 * Output has ended if none comes for 4 ms; no figure includes that wait.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define QUIET_MS 4
#define PATIENCE_MS 120000
#define STEPS 40
#define KEYS 100
#define MOST_KEYS 6000
/* The output of a key that changes nothing. */
#define NOTHING 20

struct terminal {
	int fd;
	pid_t pid;
	uint64_t began, last;	/* the start, and the last output */
	uint64_t bytes;
	bool ended;
	/* The last bytes of the output, to search for MARK. */
	char seen[1 << 18];
	size_t seen_length;
};

static double
milliseconds(uint64_t nanoseconds)
{
	return (double)nanoseconds / 1e6;
}

static bool
open_terminal(struct terminal *terminal, char **command)
{
	const struct winsize size = { .ws_row = 50, .ws_col = 200 };

	terminal->fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal->fd < 0 || grantpt(terminal->fd) != 0 || unlockpt(terminal->fd) != 0)
		return false;
	const char *name = ptsname(terminal->fd);
	ioctl(terminal->fd, TIOCSWINSZ, &size);
	terminal->began = now(CLOCK_MONOTONIC);
	terminal->pid = fork();
	if (terminal->pid != 0)
		return terminal->pid > 0;
	setsid();
	int fd = open(name, O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
	ioctl(fd, TIOCSCTTY, 0);
	setenv("TERM", "xterm-256color", 1);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	execvp(command[0], command);
	_exit(127);
}

/* Read the output of this many milliseconds; false if no output came. */
static bool
take(struct terminal *terminal, int timeout)
{
	struct pollfd poll_fd = { .fd = terminal->fd, .events = POLLIN };
	char bytes[65536];

	if (terminal->ended || poll(&poll_fd, 1, timeout) <= 0)
		return false;
	ssize_t length = read(terminal->fd, bytes, sizeof(bytes));
	if (length <= 0) {
		terminal->ended = true;
		return false;
	}
	terminal->last = now(CLOCK_MONOTONIC);
	terminal->bytes += (uint64_t)length;
	if (sizeof(terminal->seen) - terminal->seen_length < (size_t)length)
		terminal->seen_length = 0;
	memcpy(terminal->seen + terminal->seen_length, bytes, (size_t)length);
	terminal->seen_length += (size_t)length;
	return true;
}

/* The time from a key to the end of its output; 0 if no output came. */
static uint64_t
press(struct terminal *terminal, const char *key)
{
	uint64_t began = now(CLOCK_MONOTONIC);

	terminal->bytes = 0;
	terminal->last = 0;
	if (write(terminal->fd, key, strlen(key)) < 0)
		return 0;
	if (take(terminal, 2000))
		while (take(terminal, QUIET_MS))
			continue;
	return terminal->last > began ? terminal->last - began : 0;
}

static int
compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static bool
has(const struct terminal *terminal, const char *mark)
{
	return memmem(terminal->seen, terminal->seen_length, mark, strlen(mark)) != NULL;
}

static bool
is_patient(const struct terminal *terminal)
{
	return !terminal->ended && now(CLOCK_MONOTONIC) - terminal->began < PATIENCE_MS * UINT64_C(1000000);
}

static bool
wait_for_mark(struct terminal *terminal, const char *mark)
{
	while (is_patient(terminal)) {
		take(terminal, 100);
		if (has(terminal, mark)) {
			printf("screen %.1f\n", milliseconds(terminal->last - terminal->began));
			return true;
		}
	}
	return false;
}

/* Change views until all is loaded. */
static void
press_while_loading(struct terminal *terminal, const char *ready)
{
	static uint64_t times[MOST_KEYS];
	size_t keys = 0;

	while (is_patient(terminal) && !has(terminal, ready) && keys < MOST_KEYS) {
		times[keys++] = press(terminal, "\t");
		uint64_t until = now(CLOCK_MONOTONIC) + 20000000;
		while (now(CLOCK_MONOTONIC) < until && !has(terminal, ready))
			take(terminal, 1);
	}
	qsort(times, keys, sizeof(times[0]), compare);
	printf("loading-keys %zu\nloading-median %.1f\nloading-key %.1f\nready %.1f\n", keys,
	       keys > 0 ? milliseconds(times[keys / 2]) : 0, keys > 0 ? milliseconds(times[keys - 1]) : 0,
	       milliseconds(now(CLOCK_MONOTONIC) - terminal->began));
}

static void
press_afterwards(struct terminal *terminal)
{
	/* Steps, frames, threads, both ends and a page of the stack, and views. */
	static const char *const keys[] = {
		"s", "s", "s", "r", "s", "S", "f", "s", "j", "F", "t", "T", "1", "G", "\033[6~", "g", "\033[6~", "8", "9", "!", "3",
	};
	uint64_t times[STEPS + KEYS], bytes = 0;
	size_t steps = 0, count = 0;

	for (; steps < STEPS; steps++) {
		times[count++] = press(terminal, "s");
		if (terminal->bytes <= NOTHING)
			break;
		bytes += terminal->bytes;
	}
	for (size_t i = 0; i < KEYS; i++)
		times[count++] = press(terminal, keys[i % (sizeof(keys) / sizeof(keys[0]))]);
	qsort(times, count, sizeof(times[0]), compare);
	printf("bytes %" PRIu64 "\nkey %.1f\nkey-worst %.1f\n", steps > 0 ? bytes / steps : 0,
	       milliseconds(times[count / 2]), milliseconds(times[count - 1]));
}

int
main(int argc, char **argv)
{
	static struct terminal terminal;
	int status;

	if (argc < 4) {
		fprintf(stderr, "usage: time-screen MARK READY COMMAND...\n");
		return 2;
	}
	if (!open_terminal(&terminal, argv + 3)) {
		perror("time-screen");
		return 1;
	}
	bool good = wait_for_mark(&terminal, argv[1]);
	if (good) {
		while (take(&terminal, QUIET_MS))
			continue;
		press_while_loading(&terminal, argv[2]);
		press_afterwards(&terminal);
	} else {
		fprintf(stderr, "time-screen: '%s' never came\n", argv[1]);
	}
	kill(terminal.pid, SIGTERM);
	while (take(&terminal, 200))
		continue;
	waitpid(terminal.pid, &status, 0);
	return !good;
}
