/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/lib/tap.h"
#include "ui/terminal/term.h"

static char buffer[CLIP_SEQUENCE_SIZE + 1], full[CLIP_SIZE + 1];

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
	for (size_t i = 0; i < 3; i++)
		ok(memcmp(buffer + i * 254, "\033P", 2) == 0 &&
		   memcmp(buffer + (i < 2 ? i * 254 + 252 : length - 2), "\033\\", 2) == 0,
		   "piece %zu is wrapped", i + 1);
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
	ok(clip_sequence(text_of(full), CLIP_SCREEN, buffer, CLIP_SEQUENCE_SIZE) != 0,
	   "the most that is copied fits");
	is_u64(clip_sequence(text_of(full), CLIP_NOTHING, buffer, 100), 0,
	       "a text that does not fit is refused, not cut");

	ok(clip_allowed(CLIP_AUTO, CLIP_NOTHING, "tmux-256color"),
	   "a terminal that is known is sent to");
	ok(!clip_allowed(CLIP_AUTO, CLIP_NOTHING, "xterm-256color"),
	   "a terminal that may be anything is not sent to");
	ok(!clip_allowed(CLIP_AUTO, CLIP_NOTHING, NULL),
	   "a terminal without a name is not sent to");
	ok(clip_allowed(CLIP_ALWAYS, CLIP_NOTHING, NULL),
	   "a terminal without a name is sent to if its user chose 'always'");
	ok(!clip_allowed(CLIP_NEVER, CLIP_TMUX, "xterm-kitty"),
	   "no terminal is sent to if its user chose 'never'");

	ok(clip_allowed(CLIP_AUTO, CLIP_TMUX, "screen-256color"), "tmux is known by its variable");
	ok(clip_between("/tmp/tmux-0/default,1,0", NULL) == CLIP_TMUX,
	   "the variable of tmux is recognised");
	ok(clip_between(NULL, "12.pts-0.host") == CLIP_SCREEN,
	   "the variable of screen is recognised");
	ok(clip_between("", NULL) == CLIP_NOTHING, "an empty variable is ignored");
	test_wrapped();

	is_str(clip_register(), "", "the register is empty at first");
	ok(clip_copy(text_of("a\x1b]52;c;!\x07\nb"), NULL, CLIP_NEVER) == CLIP_KEPT,
	   "a copy that may go nowhere is kept");
	is_str(clip_register(), "a\\x1b]52;c;!\\x07\nb", "the register has printable lines");
	clip_copy(text_of("a\n\nb\n"), NULL, CLIP_NEVER);
	is_str(clip_register(), "a\n\nb\n", "empty lines and the last line feed are kept");
	ok(clip_copy(text_of("0012fe8c"), "echo not ok; test \"$(cat)\" = 0012fe8c", CLIP_NEVER) == CLIP_COMMAND,
	   "a command reads what is copied");
	ok(clip_copy(text_of("x"), "exit 1", CLIP_NEVER) == CLIP_KEPT,
	   "the copy is kept if the program fails");
	memset(full, 'A', CLIP_SIZE);
	clip_copy(text_of(full), "test \"$(wc -c)\" -eq 55296", CLIP_NEVER);
	is_u64(strlen(clip_register()), CLIP_SIZE, "a long copy is kept whole");
	return done_testing();
}
