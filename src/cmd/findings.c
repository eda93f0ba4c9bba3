/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "lint/lint.h"

/* The option that the commands with findings share: lint and unwind-check. */

bool
cmd_read_baseline(struct lint_baseline *baseline, const char *path, const char *command)
{
	struct error error;

	if (lint_baseline_read(baseline, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		return false;
	}
	if (baseline->count == 0)
		cmd_say("'%s' has no findings of %s: none is left out", path, command);
	return true;
}
