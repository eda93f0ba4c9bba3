/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "cmd/cmd.h"

/* The signal that stops the command; 0: none. */
static atomic_int stopped_by;

static void
note_signal(int number)
{
	stopped_by = number;
}

void
cmd_catch_stop(void)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	/* A second signal has its default effect. */
	struct sigaction action = { .sa_handler = note_signal,
				    .sa_flags = (int)SA_RESETHAND | SA_RESTART };
	struct sigaction now;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

bool
cmd_stopped(void)
{
	return stopped_by != 0;
}

enum cmd_status
cmd_stop_status(void)
{
	return (enum cmd_status)(CMD_STOPPED + stopped_by);
}
