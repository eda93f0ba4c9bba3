/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/clip.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "ui/term.h"

static char kept[CLIP_SIZE];

bool
clip_allowed(enum clip_policy policy, const char *term)
{
	/* By the names that they set; what only says "xterm" may be any of many that refuse. */
	static const char *const known[] = { "alacritty", "contour", "foot", "mlterm", "tmux",
					     "wezterm", "xterm-ghostty", "xterm-kitty" };

	for (size_t i = 0; policy == CLIP_AUTO && term != NULL && i < ARRAY_COUNT(known); i++)
		if (strncmp(term, known[i], strlen(known[i])) == 0)
			return true;
	return policy == CLIP_ALWAYS;
}

static size_t
encode(const uint8_t *bytes, size_t length, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t written = 0;

	for (size_t i = 0; i < length; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		group |= i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0;
		group |= i + 2 < length ? bytes[i + 2] : 0;
		out[written++] = digits[group >> 18];
		out[written++] = digits[group >> 12 & 63];
		out[written++] = i + 1 < length ? digits[group >> 6 & 63] : '=';
		out[written++] = i + 2 < length ? digits[group & 63] : '=';
	}
	return written;
}

size_t
clip_sequence(struct text text, char *buffer, size_t size)
{
	static const char before[] = "\033]52;c;", after[] = "\a";
	size_t length = strlen(before);

	if (text.length > size || (text.length + 2) / 3 * 4 + length + strlen(after) > size)
		return 0;
	memcpy(buffer, before, length);
	length += encode((const uint8_t *)text.start, text.length, buffer + length);
	memcpy(buffer + length, after, strlen(after));
	return length + strlen(after);
}

/* Keep lines as lines and make the rest printable. */
static void
keep(struct text text)
{
	size_t written = 0;

	kept[0] = '\0';
	while (text.length != 0 && written + 1 < sizeof(kept)) {
		const char *end = memchr(text.start, '\n', text.length);
		size_t line = end == NULL ? text.length : (size_t)(end - text.start);

		written += text_printable(kept + written, sizeof(kept) - written,
					  (struct text){ text.start, line });
		if (end == NULL)
			return;
		if (written + 1 < sizeof(kept))
			kept[written++] = '\n';
		kept[written] = '\0';
		text.start += line + 1;
		text.length -= line + 1;
	}
}

static void
run_child(const char *command, int input)
{
	int nothing = open("/dev/null", O_WRONLY);

	dup2(input, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Give what is kept to the command; whether it took it and ended well. */
static bool
give_to(const char *command)
{
	int ends[2], status = -1;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	/* A command that does not read to the end shall not end us. */
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	pid_t child = fork();
	if (child == 0)
		run_child(command, ends[0]);
	close(ends[0]);
	bool written = write(ends[1], kept, strlen(kept)) == (ssize_t)strlen(kept);
	close(ends[1]);
	if (child > 0)
		waitpid(child, &status, 0);
	sigaction(SIGPIPE, &before, NULL);
	return written && child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum clip_result
clip_copy(struct text text, const char *command, enum clip_policy policy)
{
	char sequence[CLIP_SEQUENCE_SIZE];

	keep(text);
	if (command != NULL && command[0] != '\0' && give_to(command))
		return CLIP_COMMAND;
	if (!clip_allowed(policy, getenv("TERM")))
		return CLIP_KEPT;
	size_t length = clip_sequence(text_of(kept), sequence, sizeof(sequence));
	term_send((struct text){ sequence, length });
	return CLIP_SENT;
}

const char *
clip_register(void)
{
	return kept;
}
