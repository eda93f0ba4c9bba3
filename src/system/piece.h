/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_PIECE_H
#define SYSTEM_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The messages between a process of the broker with network access and the process in the
 * sandbox: pieces with a kind, a length and that many bytes. The receiver checks all of them.
 */
struct piece {
	uint32_t kind, length;		/* bytes that follow */
};

/** Send a piece; false: the receiver is gone. */
bool
piece_send(int socket, uint32_t kind, const void *bytes, size_t length);

/** Whether the process that asked still waits. */
bool
piece_is_awaited(int socket);

struct piece_receiver {
	int socket;
	bool (*goes_on)(void *context);	/* called all the time; false stops */
	void *context;
	int64_t asked;			/* last call; milliseconds */
	bool stopped;
};

/** Read `length` bytes; false: stopped, or the sender has closed. */
bool
piece_receive(struct piece_receiver *receiver, void *bytes, size_t length);

#endif
