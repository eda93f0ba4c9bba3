/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_AROUND_H
#define CMD_AROUND_H

#include "cmd/cmd.h"
#include "document/listing.h"
#include "report/memory/surroundings.h"

/** What commands that look around in a crash share. */
struct cmd_around {
	struct cmd_input input;
	struct surroundings around;
	struct walk **walks;		/* a thread each; those that were asked for */
	size_t thread;			/* that --thread chose, else the requesting one */
	bool has_thread;		/* false: the dump has none that is walked */
	bool ready;			/* `around` is there */
};

/** Open dump and symbols and walk the thread up to `frames` frames. Prints what is wrong. */
enum cmd_status
cmd_around_open(struct cmd_around *around, const struct cmd_options *options, size_t frames);

/** Say what was wrong with the input, and close it; the status of the command is returned. */
enum cmd_status
cmd_around_close(struct cmd_around *around, const struct cmd_options *options,
		 enum cmd_status status);

/** The walk of the thread; NULL: none. */
struct walk *
cmd_around_walk(const struct cmd_around *around);

/** Print a listing with its head as text. */
void
cmd_print_listing(const struct output *output, const struct listing *listing);

/** Print the head and `count` rows from `first` on. */
void
cmd_print_rows(const struct output *output, const struct listing *listing, size_t first,
	       size_t count);

/** The thread that was asked for, by the number that the walk prints; `wanted` -1: the first. */
bool
cmd_find_thread(const struct cmd_input *input, long wanted, size_t *index);

#endif
