/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of the rows of tests/builds/run that have neither curses nor readline: all commands, and no explorer. */
#include "ui/explorer.h"

enum error_code
explorer_run(const struct explorer_options *options, struct error *error)
{
	(void)options;
	return error_set(error, ERROR_IO, (struct place){ 0 }, "built without the explorer");
}

enum error_code
explorer_check_place(const char *text, struct error *error)
{
	(void)text;
	return error_set(error, ERROR_IO, (struct place){ 0 }, "built without the explorer");
}

const char *
explorer_libraries(void)
{
	return "built without the explorer";
}

int
explorer_serve_editor(int socket, const char *argument, const void *context)
{
	(void)socket;
	(void)argument;
	(void)context;
	return 1;
}

int
explorer_serve_copy(int socket, const char *argument, const void *context)
{
	return explorer_serve_editor(socket, argument, context);
}
