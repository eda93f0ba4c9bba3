/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_PIECE_H
#define SYSTEM_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What a process of the broker that has the network, and the process in the sandbox that asked
 * it, send each other over a socket: pieces with a kind, a length and so many bytes. The receiver
 * takes nothing of them for granted.
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
	bool (*goes_on)(void *context);	/* asked all the time; false stops */
	void *context;
	int64_t asked;			/* when; milliseconds */
	bool stopped;
};

/** Read all of so many bytes; false: it was stopped, or there are no more. */
bool
piece_receive(struct piece_receiver *receiver, void *bytes, size_t length);

#endif
