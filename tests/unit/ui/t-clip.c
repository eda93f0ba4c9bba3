/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/lib/tap.h"
#include "ui/clip.h"

static char buffer[CLIP_SEQUENCE_SIZE + 1];

static const char *
sequence(const char *text)
{
	buffer[clip_sequence(text_of(text), buffer, CLIP_SEQUENCE_SIZE)] = '\0';
	return buffer;
}

int
main(void)
{
	static char full[CLIP_SIZE + 1];

	/* RFC 4648, section 10. */
	is_str(sequence(""), "\033]52;c;\a", "nothing is encoded as nothing");
	is_str(sequence("f"), "\033]52;c;Zg==\a", "one byte is padded twice");
	is_str(sequence("fo"), "\033]52;c;Zm8=\a", "two bytes once");
	is_str(sequence("foobar"), "\033]52;c;Zm9vYmFy\a", "whole groups are not");
	is_str(sequence("\xff\xfe\xfd"), "\033]52;c;//79\a", "high bytes are bytes");
	memset(full, 'A', CLIP_SIZE);
	ok(clip_sequence(text_of(full), buffer, CLIP_SEQUENCE_SIZE) != 0,
	   "the most that is copied fits");
	is_u64(clip_sequence(text_of(full), buffer, 100), 0, "what does not fit is not cut");

	ok(clip_allowed(CLIP_AUTO, "tmux-256color"), "a terminal that is known is sent to");
	ok(!clip_allowed(CLIP_AUTO, "xterm-256color"), "one that may be anything is not");
	ok(!clip_allowed(CLIP_AUTO, NULL), "nor one without a name");
	ok(clip_allowed(CLIP_ALWAYS, NULL), "unless its user says so");
	ok(!clip_allowed(CLIP_NEVER, "xterm-kitty"), "never is never");

	is_str(clip_register(), "", "at first nothing is copied");
	ok(clip_copy(text_of("a\x1b]52;c;!\x07\nb"), NULL, CLIP_NEVER) == CLIP_KEPT,
	   "a copy that may go nowhere is kept");
	is_str(clip_register(), "a\\x1b]52;c;!\\x07\nb", "printable, as lines");
	ok(clip_copy(text_of("0012fe8c"), "test \"$(cat)\" = 0012fe8c", CLIP_NEVER) == CLIP_COMMAND,
	   "a command reads what is copied");
	ok(clip_copy(text_of("x"), "exit 1", CLIP_NEVER) == CLIP_KEPT,
	   "where it fails the copy is kept");
	return done_testing();
}
