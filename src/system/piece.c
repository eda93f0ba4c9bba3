/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/piece.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "system/socket_call.h"

/* Milliseconds between calls of `goes_on`. */
#define TICK 50

static bool
send_all(int socket, const void *bytes, size_t length)
{
	const char *at = bytes;

	while (length > 0) {
		const ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return false;
		at += sent > 0 ? sent : 0;
		length -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

bool
piece_send(int socket, uint32_t kind, const void *bytes, size_t length)
{
	const struct piece piece = { kind, (uint32_t)length };

	return send_all(socket, &piece, sizeof(piece)) && send_all(socket, bytes, length);
}

bool
piece_is_awaited(int socket)
{
	struct pollfd end = { .fd = socket };

	return poll(&end, 1, 0) <= 0 || (end.revents & (POLLHUP | POLLERR)) == 0;
}

bool
piece_receive(struct piece_receiver *receiver, void *bytes, size_t length)
{
	struct pollfd end = { .fd = receiver->socket, .events = POLLIN };
	char *at = bytes;

	while (length > 0) {
		const int64_t now = clock_milliseconds();
		const int ready = poll(&end, 1, TICK);

		if (ready <= 0 || now - receiver->asked >= TICK) {
			receiver->asked = now;
			receiver->stopped = !receiver->goes_on(receiver->context);
		}
		if (receiver->stopped)
			return false;
		const ssize_t got =
			ready > 0 ? socket_read(receiver->socket, at, length, MSG_DONTWAIT) : -1;
		if (got == 0 || (got < 0 && ready > 0 && errno != EINTR && errno != EAGAIN))
			return false;
		at += got > 0 ? got : 0;
		length -= got > 0 ? (size_t)got : 0;
	}
	return true;
}
