/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"
#include "system/door.h"
#include "ui/explorer.h"
#include "ui/terminal/term.h"

static char *kept;

enum clip_between
clip_between(const char *tmux, const char *sty)
{
	if (tmux != NULL && tmux[0] != '\0')
		return CLIP_TMUX;
	return sty != NULL && sty[0] != '\0' ? CLIP_SCREEN : CLIP_NOTHING;
}

bool
clip_allowed(enum clip_policy policy, enum clip_between between, const char *term)
{
	/* Prefixes of TERM whose terminals accept copies. A terminal "xterm" may refuse them. */
	static const char *const known[] = { "alacritty", "contour", "foot", "mlterm", "tmux",
					     "wezterm", "xterm-ghostty", "xterm-kitty" };

	if (policy != CLIP_AUTO)
		return policy == CLIP_ALWAYS;
	return between == CLIP_TMUX ||
	       text_begins(text_of(text_or_empty(term)), known, ARRAY_COUNT(known)) > 0;
}

size_t
clip_sequence(struct text text, enum clip_between between, char *buffer, size_t size)
{
	enum { PIECE = 250 };
	static const char before[] = "\033]52;c;";
	size_t length = strlen(before);

	if (text.length > CLIP_SIZE || size < 3 * (TEXT_BASE64(text.length) + 63))
		return 0;
	memcpy(buffer, before, length);
	length += text_base64((const uint8_t *)text.start, text.length, buffer + length);
	buffer[length++] = '\a';
	char *wrapped = buffer + length, *end = wrapped;
	if (between == CLIP_TMUX) {
		/*
		 * tmux passes on a sequence in this wrapper if configured to. Escapes in it are
		 * doubled.
		 */
		end = stpcpy(end, "\033Ptmux;");
		for (size_t i = 0; i < length; i++) {
			if (buffer[i] == '\033')
				*end++ = '\033';
			*end++ = buffer[i];
		}
		end = stpcpy(end, "\033\\");
	} else if (between == CLIP_SCREEN) {
		/* GNU screen passes on at most a few hundred bytes at a time, so send pieces. */
		for (size_t i = 0; i < length; i += PIECE) {
			end = stpcpy(end, "\033P");
			end = mempcpy(end, buffer + i, length - i < PIECE ? length - i : PIECE);
			end = stpcpy(end, "\033\\");
		}
		/* Send only the wrapped sequence. */
		memmove(buffer, wrapped, (size_t)(end - wrapped));
		length = 0;
	}
	return length + (size_t)(end - wrapped);
}

/* Make a text printable except for line feeds, and store it. */
static void
keep(struct text text)
{
	struct arena arena = { 0 };
	char *copy = NULL;
	size_t size;
	FILE *file = open_memstream(&copy, &size);

	while (file != NULL && text.length != 0) {
		const char *end = memchr(text.start, '\n', text.length);
		const size_t line = end == NULL ? text.length : (size_t)(end - text.start);

		fputs(text_or_empty(text_printable_copy(&arena,
							(struct text){ text.start, line })), file);
		if (end != NULL)
			fputc('\n', file);
		text.start += line + (end != NULL);
		text.length -= line + (end != NULL);
	}
	arena_free(&arena);
	if (file == NULL || fclose(file) != 0)
		return;
	free(kept);
	kept = copy;
}

static pid_t
start(const char *command, int input)
{
	const pid_t child = fork();

	if (child == 0) {
		int nothing = open("/dev/null", O_WRONLY);

		dup2(input, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return child;
}

int
explorer_serve_copy(int socket, const char *argument, const void *context)
{
	return strcmp(argument, context) == 0 ? signals_wait(start(context, socket)) : -1;
}

/* Start the command. Returns the descriptor that it reads from, or -1. */
static int
begin(const char *command, bool guarded, pid_t *child)
{
	int ends[2];

	if (guarded)
		return door_serve(DOOR_COPY, command);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	*child = start(command, ends[0]);
	close(ends[0]);
	return ends[1];
}

/* Send the stored text to the command. True if the command read all of it and succeeded. */
static bool
give_to(const char *command)
{
	const struct text text = text_of(clip_register());
	const bool guarded = door_is_guarded();
	pid_t child;
	const int input = begin(command, guarded, &child);

	if (input < 0)
		return false;
	/* Ignore SIGPIPE, because a command may stop reading early. */
	void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
	const bool written = write(input, text.start, text.length) == (ssize_t)text.length;
	if (guarded)
		shutdown(input, SHUT_WR);
	else
		close(input);
	const int status = guarded ? door_wait(input) : signals_wait(child);
	signal(SIGPIPE, before);
	return written && status == 0;
}

enum clip_result
clip_copy(struct text text, const char *command, enum clip_policy policy)
{
	static char sequence[CLIP_SEQUENCE_SIZE];
	const enum clip_between between = clip_between(getenv("TMUX"), getenv("STY"));

	keep(text);
	errno = 0;
	if (command != NULL && command[0] != '\0' && give_to(command))
		return CLIP_COMMAND;
	if (!clip_allowed(policy, between, getenv("TERM")))
		return errno == DOOR_REFUSED ? CLIP_REFUSED : CLIP_KEPT;
	size_t length = strnlen(clip_register(), CLIP_SIZE);
	/* Do not cut inside a UTF-8 character. */
	while (length > 0 && (clip_register()[length] & 0xc0) == 0x80)
		length--;
	const size_t size = clip_sequence((struct text){ clip_register(), length }, between,
					  sequence, sizeof(sequence));
	term_send((struct text){ sequence, size });
	return clip_register()[length] != '\0' ? CLIP_CUT : CLIP_SENT;
}

const char *
clip_register(void)
{
	return kept != NULL ? kept : "";
}
