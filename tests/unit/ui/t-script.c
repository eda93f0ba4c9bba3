/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "tests/lib/tap.h"
#include "ui/terminal/key.h"
#include "ui/request/script.h"

static char path[] = "unspool-script-XXXXXX";

static void
write_script(const char *text)
{
	FILE *file = fopen(path, "w");

	if (file != NULL) {
		fputs(text, file);
		fclose(file);
	}
}

/* Write a script of this many empty lines, followed by this many bytes. */
static bool
grow(long lines, long bytes)
{
	FILE *file = fopen(path, "w");

	for (long i = 0; i < lines && file != NULL; i++)
		fputc('\n', file);
	for (long i = 0; i < bytes && file != NULL; i++)
		fputc('#', file);
	return file != NULL && fclose(file) == 0;
}

static void
test_steps(void)
{
	struct script script;
	struct error error = { 0 };

	write_script("# a comment\n\ns\nPgDn\r\nC-o\nSpace\n:goto frame 2\n:\n#\ntype main  x\nEnter");
	is_u64(script_open(&script, path, &error), ERROR_NONE, "a script is read");
	is_u64(script.count, 9, "comments and empty lines are no steps");
	const struct script_step *step = script_next(&script);
	ok(step->kind == SCRIPT_KEY && step->key == 's' && step->line == 3, "a letter is a key and has its line");
	ok(script_next(&script)->key == TERM_KEY_PAGE_DOWN, "a name is a key, with any line end");
	ok(script_next(&script)->key == TERM_KEY_CONTROL('o'), "a name with Ctrl is a key");
	ok(script_next(&script)->key == ' ', "the name Space is a key");
	step = script_next(&script);
	ok(step->kind == SCRIPT_COMMAND && strcmp(step->text, "goto frame 2") == 0, "a colon begins a command");
	step = script_next(&script);
	ok(step->kind == SCRIPT_KEY && step->key == ':', "a bare colon is the key of the prompt");
	ok(script_next(&script)->key == '#', "a bare # is a key");
	step = script_next(&script);
	ok(step->kind == SCRIPT_TYPE && strcmp(step->text, "main  x") == 0, "text is typed as it is");
	ok(script_next(&script)->key == TERM_KEY_ENTER, "the last line needs no line feed");
	ok(script_next(&script) == NULL, "there is no step after the last one");
	script_close(&script);
}

static void
test_mouse(void)
{
	static const char *const wrong[] = { "click", "click 3", "click 0,1", "click 1,0",
					     "click 1,2,3", "click -1,2", "clack 1,2" };
	struct script script;
	struct error error = { 0 };

	write_script("click 12,3\nrelease 1,1\nwheel-up 80,24\nwheel-down 9999,1\n");
	is_u64(script_open(&script, path, &error), ERROR_NONE, "the mouse has steps");
	const struct script_step *step = script_next(&script);
	ok(step->kind == SCRIPT_KEY && step->key == TERM_KEY_CLICK && step->x == 11 && step->y == 2, "a click has its place");
	ok(script_next(&script)->key == TERM_KEY_RELEASE, "a release has its step");
	ok(script_next(&script)->key == TERM_KEY_WHEEL_UP, "the wheel upwards has a step");
	ok(script_next(&script)->key == TERM_KEY_WHEEL_DOWN, "the wheel downwards has a step");
	script_close(&script);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		write_script(wrong[i]);
		is_u64(script_open(&script, path, &error), ERROR_FORMAT, "'%s' is no step", wrong[i]);
		script_close(&script);
	}
}

/* A size that a screen may have is one; anything else is an argument of the command. */
static void
test_resize(void)
{
	struct script script;
	struct error error = { 0 };
	const struct script_step *step;

	write_script("resize 1000x1\nresize 1x1000\nresize 1001x1\nresize 1x1001\nresize 0x1\n"
		     "resize 1x0\nresize 9x9x\nresize +3\n");
	script_open(&script, path, &error);
	for (unsigned i = 0; (step = script_next(&script)) != NULL; i++)
		ok(step->kind == (i < 2 ? SCRIPT_KEY : SCRIPT_COMMAND), "'%s' %s a new size",
		   step->source, i < 2 ? "is" : "is not");
	is_u64(script.count, 8, "each line is a step");
	script_close(&script);
}

static void
test_errors(void)
{
	struct script script;
	struct error error = { 0 };

	write_script("s\nDwon\n");
	is_u64(script_open(&script, path, &error), ERROR_FORMAT, "an unknown key is an error");
	is_str(error.text, "'Dwon' is neither a key nor a command", "the error names the unknown key");
	is_u64(error.place.line, 2, "the error has the line of the unknown key");
	ok(script_next(&script) == NULL, "a script with an error has no steps");
	script_close(&script);
	write_script("\x1b[2J\n");
	script_open(&script, path, &error);
	is_str(error.text, "'\\x1b[2J' is neither a key nor a command", "a message holds no controls");
	script_close(&script);
	write_script("");
	is_u64(script_open(&script, path, &error), ERROR_NONE, "an empty script is one");
	ok(script_next(&script) == NULL, "an empty script has no steps");
	script_close(&script);
	ok(grow(LIMIT_SCRIPT_LINES + 1, 0), "a script of too many lines is written");
	is_u64(script_open(&script, path, &error), ERROR_FORMAT, "a script of too many lines is refused");
	ok(script.steps == NULL, "a refused script has no steps");
	script_close(&script);
	ok(grow(LIMIT_SCRIPT_LINES - 1, 1), "a script of the most lines is written");
	is_u64(script_open(&script, path, &error), ERROR_NONE, "the most lines are read");
	ok(script.count == 1 && script.steps[0].line == LIMIT_SCRIPT_LINES, "the last one has its number");
	script_close(&script);
	ok(grow(1, LIMIT_SCRIPT_BYTES - 1), "a script of the most bytes is written");
	is_u64(script_open(&script, path, &error), ERROR_NONE, "the most bytes are read");
	script_close(&script);
	ok(grow(1, LIMIT_SCRIPT_BYTES), "a script of too many bytes is written");
	is_u64(script_open(&script, path, &error), ERROR_FORMAT, "a script of too many bytes is refused");
	script_close(&script);
	is_u64(script_open(&script, "/nonexistent/script", &error), ERROR_IO, "a missing script is an error");
	script_close(&script);
}

int
main(void)
{
	int descriptor = mkstemp(path);

	if (descriptor < 0) {
		skip(1, "no temporary file can be made");
		return done_testing();
	}
	close(descriptor);
	test_steps();
	test_mouse();
	test_resize();
	test_errors();
	unlink(path);
	return done_testing();
}
