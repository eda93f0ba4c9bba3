/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/compiler.h"
#include "system/door.h"
#include "tests/lib/tap.h"
#include "ui/explorer.h"
#include "ui/terminal/term.h"

/* The terminal, and a broker whose program reads from a socket. */
static size_t sent;
static bool guarded;
static int broker[2], answer;

void
term_send(struct text bytes)
{
	sent = bytes.length;
}

bool
door_is_guarded(void)
{
	return guarded;
}

int
door_serve(enum door_service service, const char *argument)
{
	errno = strcmp(argument, "refused") == 0 ? DOOR_REFUSED : ENOENT;
	return service == DOOR_COPY && errno == ENOENT && socketpair(AF_UNIX, SOCK_STREAM, 0, broker) == 0
		? broker[0] : -1;
}

/* The other end reads a text that ends. */
int
door_wait(int socket)
{
	char text[8] = "";

	close(socket == broker[0] && read(broker[1], text, 7) == 1 && read(broker[1], text + 1, 7) == 0 ? socket : -1);
	return strcmp(text, "A") == 0 ? answer : -1;
}

static char buffer[CLIP_SEQUENCE_SIZE + 1], plain[CLIP_SEQUENCE_SIZE], full[70000];

static const char *
sequence(const char *text)
{
	buffer[clip_sequence(text_of(text), CLIP_NOTHING, buffer, CLIP_SEQUENCE_SIZE)] = '\0';
	return buffer;
}

static void
test_wrapped(void)
{
	size_t length = clip_sequence(text_of("f"), CLIP_TMUX, buffer, CLIP_SEQUENCE_SIZE);

	buffer[length] = '\0';
	is_str(buffer, "\033]52;c;Zg==\a\033Ptmux;\033\033]52;c;Zg==\a\033\\",
	       "tmux gets the sequence for itself and wrapped for the terminal");
	length = clip_sequence(text_of("f"), CLIP_SCREEN, buffer, CLIP_SEQUENCE_SIZE);
	buffer[length] = '\0';
	is_str(buffer, "\033P\033]52;c;Zg==\a\033\\", "screen gets it wrapped");
	/* 7 bytes before 600 of base64 and one after them, in pieces of 250, 250 and 108 with 4 more each. */
	length = clip_sequence((struct text){ full, 450 }, CLIP_SCREEN, buffer, CLIP_SEQUENCE_SIZE);
	is_u64(length, 608 + 3 * 4, "screen gets a long text in pieces");
	clip_sequence((struct text){ full, 450 }, CLIP_NOTHING, plain, CLIP_SEQUENCE_SIZE);
	for (size_t i = 0; i < 3; i++)
		ok(memcmp(buffer + i * 254, "\033P", 2) == 0 &&
		   memcmp(buffer + i * 254 + 2, plain + i * 250, i < 2 ? 250 : 108) == 0 &&
		   memcmp(buffer + (i < 2 ? i * 254 + 252 : length - 2), "\033\\", 2) == 0,
		   "piece %zu is wrapped", i + 1);
	/* 7 bytes, 492 of base64 and one fill two pieces. */
	is_u64(clip_sequence((struct text){ full, 369 }, CLIP_SCREEN, buffer, CLIP_SEQUENCE_SIZE), 500 + 2 * 4,
	       "no piece is empty");
}

/* A pipe has room for 64 KiB. The sequence has 8 bytes more than its base64. */
static void
test_results(void)
{
	enum { MORE = sizeof(full) - 1 };
	static const struct {
		size_t length;
		const char *command;
		enum clip_policy policy;
		enum clip_result result;
		size_t sent;
		bool guarded;
		int answer;
	} copies[] = {
		{ 1, NULL, CLIP_ALWAYS, CLIP_SENT, 12, false, 0 }, { 1, NULL, CLIP_NEVER, CLIP_KEPT, 0, false, 0 },
		{ 1, "", CLIP_ALWAYS, CLIP_SENT, 12, false, 0 }, { 1, "", CLIP_AUTO, CLIP_KEPT, 0, false, 0 },
		{ 1, "echo not ok; echo not ok >&2; exit 1", CLIP_ALWAYS, CLIP_SENT, 12, false, 0 },
		{ 1, "kill -PIPE $$; exit 0", CLIP_NEVER, CLIP_KEPT, 0, false, 0 },
		{ 1, "test $(cat) = A", CLIP_ALWAYS, CLIP_COMMAND, 0, false, 0 },
		{ CLIP_SIZE, NULL, CLIP_ALWAYS, CLIP_SENT, 8 + CLIP_SIZE / 3 * 4, false, 0 },
		{ CLIP_SIZE + 1, NULL, CLIP_ALWAYS, CLIP_CUT, 8 + CLIP_SIZE / 3 * 4, false, 0 },
		{ MORE, "exit 0", CLIP_NEVER, CLIP_KEPT, 0, false, 0 }, { 1, "other", CLIP_NEVER, CLIP_COMMAND, 0, true, 0 },
		{ 1, "other", CLIP_NEVER, CLIP_KEPT, 0, true, 1 }, { 1, "refused", CLIP_NEVER, CLIP_REFUSED, 0, true, 0 },
		{ 1, "refused", CLIP_ALWAYS, CLIP_SENT, 12, true, 0 },
	};
	struct sigaction now;

	memset(full, 'A', MORE);
	for (size_t i = 0; i < ARRAY_COUNT(copies); i++) {
		signal(SIGPIPE, i % 2 == 1 ? SIG_IGN : SIG_DFL);
		sent = 0;
		guarded = copies[i].guarded;
		answer = copies[i].answer;
		errno = DOOR_REFUSED;
		is_u64(clip_copy((struct text){ full, copies[i].length }, copies[i].command, copies[i].policy),
		       copies[i].result, "copy %zu goes where it can go", i);
		is_u64(sent, copies[i].sent, "copy %zu is sent to the terminal up to the limit", i);
		ok(sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == (i % 2 == 1 ? SIG_IGN : SIG_DFL),
		   "copy %zu changes nothing about signals", i);
	}
	guarded = false;
	ok(clip_copy((struct text){ full, MORE }, "exit 0", CLIP_NEVER) == CLIP_KEPT, "a command may stop reading");
	/* A character of four bytes is not cut: three bytes less have four of base64 less. */
	memcpy(full + CLIP_SIZE - 3, "\360\237\230\200", 4);
	ok(clip_copy((struct text){ full, MORE }, NULL, CLIP_ALWAYS) == CLIP_CUT && sent == 4 + CLIP_SIZE / 3 * 4,
	   "a copy is cut before a character");
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 3, files.rlim_max });
	ok(clip_copy((struct text){ full, 1 }, ":", CLIP_NEVER) == CLIP_KEPT, "a command needs a pipe");
	setrlimit(RLIMIT_NOFILE, &files);
	is_u64(clip_sequence((struct text){ full, CLIP_SIZE + 1 }, CLIP_NOTHING, buffer, CLIP_SEQUENCE_SIZE), 0,
	       "more than the limit is refused");
	/* base64 of 3 bytes has 4 and a NUL: 3 * (5 + 63). */
	for (size_t room = 203; room < 205; room++)
		ok((clip_sequence((struct text){ full, 3 }, CLIP_NOTHING, buffer, room) == 0) == (room < 204),
		   "a buffer of %zu bytes is %s", room, room < 204 ? "too small" : "large enough");
}

/* The other process of the sandbox runs only the command that it was started for. */
static void
test_service(void)
{
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "A", 1) != 1)
		return;
	close(ends[1]);
	is_u64((uint64_t)explorer_serve_copy(ends[0], "test $(cat) = A && exit 3", "test $(cat) = A && exit 3"), 3,
	       "the copy command reads the socket");
	ok(explorer_serve_copy(ends[0], "exit 0", "exit 1") == -1, "another command is refused");
	ok(explorer_serve_copy(ends[0], "exit 1", "exit 0") == -1, "each other command is refused");
	close(ends[0]);
}

int
main(void)
{
	/* RFC 4648, section 10. */
	is_str(sequence(""), "\033]52;c;\a", "an empty text is encoded as nothing");
	is_str(sequence("f"), "\033]52;c;Zg==\a", "one byte is padded twice");
	is_str(sequence("fo"), "\033]52;c;Zm8=\a", "two bytes are padded once");
	is_str(sequence("foobar"), "\033]52;c;Zm9vYmFy\a", "whole groups are not padded");
	is_str(sequence("\xff\xfe\xfd"), "\033]52;c;//79\a", "high bytes are bytes");
	memset(full, 'A', CLIP_SIZE);
	ok(clip_sequence(text_of(full), CLIP_SCREEN, buffer, CLIP_SEQUENCE_SIZE) != 0, "the most that is copied fits");
	is_u64(clip_sequence(text_of(full), CLIP_NOTHING, buffer, 100), 0, "a text that does not fit is refused, not cut");

	ok(clip_allowed(CLIP_AUTO, CLIP_NOTHING, "tmux-256color") &&
		   clip_allowed(CLIP_AUTO, CLIP_NOTHING, "alacritty"), "a terminal that is known is sent to");
	ok(!clip_allowed(CLIP_AUTO, CLIP_NOTHING, "xterm-256color"), "a terminal that may be anything is not sent to");
	ok(!clip_allowed(CLIP_AUTO, CLIP_NOTHING, NULL), "a terminal without a name is not sent to");
	ok(clip_allowed(CLIP_ALWAYS, CLIP_NOTHING, NULL), "a terminal without a name is sent to if its user chose 'always'");
	ok(!clip_allowed(CLIP_NEVER, CLIP_TMUX, "xterm-kitty"), "no terminal is sent to if its user chose 'never'");

	ok(clip_allowed(CLIP_AUTO, CLIP_TMUX, "screen-256color"), "tmux is known by its variable");
	ok(clip_between("/tmp/tmux-0/default,1,0", NULL) == CLIP_TMUX, "the variable of tmux is recognised");
	ok(clip_between(NULL, "12.pts-0.host") == CLIP_SCREEN, "the variable of screen is recognised");
	ok(clip_between("", NULL) == CLIP_NOTHING && clip_between(NULL, "") == CLIP_NOTHING, "an empty variable is ignored");
	ok(clip_between("", "1") == CLIP_SCREEN && clip_between("1", "1") == CLIP_TMUX, "tmux is asked first");
	test_wrapped();

	is_str(clip_register(), "", "the register is empty at first");
	ok(clip_copy(text_of("a\x1b]52;c;!\x07\nb"), NULL, CLIP_NEVER) == CLIP_KEPT, "a copy that may go nowhere is kept");
	is_str(clip_register(), "a\\x1b]52;c;!\\x07\nb", "the register has printable lines");
	clip_copy(text_of("a\n\nb\n"), NULL, CLIP_NEVER);
	is_str(clip_register(), "a\n\nb\n", "empty lines and the last line feed are kept");
	ok(clip_copy(text_of("0012fe8c"), "echo not ok; echo not ok >&2; test \"$(cat)\" = 0012fe8c", CLIP_NEVER) == CLIP_COMMAND,
	   "a command reads what is copied");
	ok(clip_copy(text_of("x"), "exit 1", CLIP_NEVER) == CLIP_KEPT, "the copy is kept if the program fails");
	memset(full, 'A', CLIP_SIZE);
	clip_copy(text_of(full), "test \"$(wc -c)\" -eq 55296", CLIP_NEVER);
	is_u64(strlen(clip_register()), CLIP_SIZE, "a long copy is kept whole");
	test_service();
	test_results();
	return done_testing();
}
