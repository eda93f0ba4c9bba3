/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"
#include "cmd/cmd.h"
#include "system/file.h"
#include "system/new_file.h"
#include "system/shortage.h"

/* Files written by commands. */

enum cmd_status
cmd_lacks(const char *path)
{
	const char *shortage = shortage_first();

	if (shortage == NULL)
		return CMD_DONE;
	cmd_say("'%s' is not written, it would be incomplete: %s", path, shortage);
	return CMD_INCOMPLETE;
}

enum cmd_status
cmd_write_file(const char *path, bool replace, cmd_write_content *write, void *context)
{
	struct error error = { 0 };
	struct new_file file;

	if (new_file_open(&file, path, replace, &error) != ERROR_NONE) {
		if (file.exists && file_is_plain(path))
			error_hint(&error, "use --force to replace it");
		cmd_print_error(&error, path);
		return CMD_UNREADABLE;
	}
	const struct output output = new_file_output(&file);
	const bool good = write(context, &output);
	const enum cmd_status lacks = cmd_lacks(path);
	if (new_file_close(&file, good && lacks == CMD_DONE, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		return CMD_UNREADABLE;
	}
	return lacks == CMD_DONE && !good ? cmd_out_of_memory() : lacks;
}
