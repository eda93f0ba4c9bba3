/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SERVERS_H
#define CMD_SERVERS_H

#include "cmd/cmd.h"
#include "locate/fetch.h"

/** The symbol servers of the command line, else of UNSPOOL_SYMBOLS_URL: none, unless one is given. */

/** How servers are asked that are named later; `directory` is NULL where there is none. */
struct fetch_options
cmd_servers_later(struct cmd_input *input, const struct cmd_options *options);

/** Bytes that one file may have. */
uint64_t
cmd_servers_most(const struct cmd_options *options);

/**
 * Make input->fetcher, where there are any; it shares with `cache` what servers answered, unless
 * that is NULL. Prints what is wrong.
 */
bool
cmd_servers_open(struct cmd_input *input, const struct cmd_options *options,
		 struct symbols_cache *cache);

void
cmd_servers_close(struct cmd_input *input);

#endif
