/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "system/directory.h"
#include "system/door.h"
#include "system/socket_call.h"

/*
 * A separate process sends the requests, because a parser in the sandbox has no network. This
 * network process has no files: it sends the bytes to the parser, which writes them. Only files of
 * debuginfod are written by the network process, because the parser cannot write to their
 * directory.
 */

#define PIECE_SIZE 16384u
/* Milliseconds between calls of `goes_on`. */
#define TICK 50

/* The head of a piece: its kind, and the number of bytes that follow. The receiver checks both. */
struct piece {
	uint32_t kind, length;
};

enum piece_kind {
	PIECE_BEGIN,			/* another version: struct piece_version */
	PIECE_BYTES,
	PIECE_COUNT,			/* bytes that the sender wrote: struct piece_version */
	PIECE_END,			/* struct fetch_outcome */
};

struct piece_version {
	uint64_t bytes, total;
	char validator[FETCH_VALIDATOR_SIZE];
};

/* The network process -------------------------------------------------------------------------- */

/* A part that another process holds. */
struct served_part {
	struct fetch_part part;		/* must be first: callbacks cast a pointer to it */
	int socket;
	uint64_t counted;		/* number of bytes in the last PIECE_COUNT */
};

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

/* Send a piece; false: the receiver is gone. */
static bool
piece_send(int socket, enum piece_kind kind, const void *bytes, size_t length)
{
	const struct piece piece = { kind, (uint32_t)length };

	return send_all(socket, &piece, sizeof(piece)) && send_all(socket, bytes, length);
}

static bool
begin_elsewhere(struct fetch_part *part, const char *validator, uint64_t total)
{
	struct served_part *served = (struct served_part *)part;
	struct piece_version version = { .total = total };

	snprintf(version.validator, sizeof(version.validator), "%s", validator);
	memcpy(part->validator, version.validator, sizeof(part->validator));
	part->bytes = 0;
	part->total = total;
	return piece_send(served->socket, PIECE_BEGIN, &version, sizeof(version));
}

static bool
add_elsewhere(struct fetch_part *part, const void *bytes, size_t length)
{
	struct served_part *served = (struct served_part *)part;
	const char *at = bytes;

	part->bytes += length;
	for (size_t sent = 0; length > 0; at += sent, length -= sent) {
		sent = length < PIECE_SIZE ? length : PIECE_SIZE;
		if (!piece_send(served->socket, PIECE_BYTES, at, sent))
			return false;
	}
	return true;
}

/* True until the parser closes the socket. Sends the size of a file that this process writes. */
static bool
goes_on(void *context)
{
	struct served_part *served = context;
	const struct piece_version count = { served->part.bytes, served->part.total, "" };
	struct pollfd end = { .fd = served->socket };

	if (served->part.file != NULL && count.bytes != served->counted &&
	    !piece_send(served->socket, PIECE_COUNT, &count, sizeof(count)))
		return false;
	served->counted = count.bytes;
	return poll(&end, 1, 0) <= 0 || (end.revents & (POLLHUP | POLLERR)) == 0;
}

/* Keep a complete download. Returns NULL, or why it failed (a text in `why` or a constant). */
static const char *
keep(const struct fetch_question *question, char why[FETCH_REASON_SIZE])
{
	struct fetch_part *part = question->part;
	const char *reason = fetch_keep_unpack(part, question->most, why, FETCH_REASON_SIZE);

	if (reason == NULL && part->bytes == 0)
		return "the download is empty";
	if (reason != NULL || fetch_part_finish(part, question->kept))
		return reason;
	snprintf(why, FETCH_REASON_SIZE, "cannot write to the cache: %s", strerror(errno));
	return why;
}

/*
 * Request question->url and put the unchecked answer into question->kept. Call it only outside the
 * sandbox.
 */
static void
ask_and_keep(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	char why[FETCH_REASON_SIZE];
	const char *reason = why;

	*outcome = (struct fetch_outcome){ .answer = FETCH_FAILED };
	if (directory_make_above(question->kept, 0700) &&
	    fetch_part_open(question->part, question->kept, question->url)) {
		fetch_http_ask(question, outcome);
		reason = outcome->answer == FETCH_TAKEN ? keep(question, why) : NULL;
		fetch_part_close(question->part, outcome->resumable);
	} else {
		snprintf(why, sizeof(why), "cannot write to the cache: %s", strerror(errno));
	}
	if (reason != NULL) {
		outcome->answer = FETCH_FAILED;
		snprintf(outcome->why, sizeof(outcome->why), "%s", reason);
	}
}

/* Send the request from this process, and write to `kept` or to the part. */
static void
ask_here(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	(question->kept != NULL ? ask_and_keep : fetch_http_ask)(question, outcome);
}

const char *
fetch_serve_url(const char *argument)
{
	const char *line = strchr(argument, '\n');

	line = line != NULL ? strchr(line + 1, '\n') : NULL;
	return line != NULL ? line + 1 : NULL;
}

int
fetch_serve(int socket, const char *argument, const char *kept)
{
	struct served_part served = { .socket = socket };
	const char *url = fetch_serve_url(argument);
	unsigned long long most, bytes;
	unsigned seconds;
	int length = 0;
	struct fetch_outcome outcome;

	if (url == NULL ||
	    sscanf(argument, "%u %llu %llu\n%n", &seconds, &most, &bytes, &length) != 3)
		return -1;
	served.part.bytes = bytes;
	const char *validator = strchr(argument, '\n') + 1;
	snprintf(served.part.validator, sizeof(served.part.validator), "%.*s",
		 (int)(url - 1 - validator), validator);
	const struct fetch_question question = {
		.url = url, .seconds = seconds, .most = most, .kept = kept, .part = &served.part,
		.begin = kept != NULL ? fetch_part_begin : begin_elsewhere,
		.add = kept != NULL ? fetch_part_add : add_elsewhere,
		.goes_on = goes_on, .context = &served,
	};
	const char *why = fetch_http_refuse(url);
	if (why == NULL) {
		ask_here(&question, &outcome);
	} else {
		outcome = (struct fetch_outcome){ .answer = FETCH_FAILED };
		snprintf(outcome.why, sizeof(outcome.why), "%s", why);
	}
	return piece_send(socket, PIECE_END, &outcome, sizeof(outcome)) ? 0 : -1;
}

int
fetch_serve_kept(int socket, const char *argument, const char *urls, const char *directory)
{
	const bool forget = strncmp(argument, DEBUGINFOD_FORGET,
				    strlen(DEBUGINFOD_FORGET)) == 0;
	const bool miss = strncmp(argument, DEBUGINFOD_MISS, strlen(DEBUGINFOD_MISS)) == 0;
	const char *url = fetch_serve_url(argument);
	char *copy, *rest = NULL, path[FETCH_PATH_SIZE], kept[FETCH_PATH_SIZE];
	int status = -1;

	if (forget || miss) {
		debuginfod_mark(directory, strchr(argument, ' ') + 1, miss);
		return 0;
	}
	copy = url != NULL ? strdup(urls) : NULL;
	for (char *server = copy == NULL ? NULL : strtok_r(copy, " \t\n", &rest); server != NULL;
	     server = strtok_r(NULL, " \t\n", &rest)) {
		const size_t length = fetch_url_base(server);

		if (strncmp(url, server, length) == 0 &&
		    strncmp(url + length, "/buildid/", strlen("/buildid/")) == 0 &&
		    debuginfod_kept(kept, url + length + strlen("/buildid/")) &&
		    debuginfod_path(path, directory, kept)) {
			status = fetch_serve(socket, argument, path);
			break;
		}
	}
	free(copy);
	return status;
}

/* The parser ----------------------------------------------------------------------------------- */

/* A request in progress. */
struct remote {
	const struct fetch_question *question;
	struct fetch_outcome *outcome;
	int socket;
	int64_t asked;			/* time of the last call of `goes_on`, in milliseconds */
	int unwritable;			/* errno of a failed write; 0: none failed */
	bool stopped, ended;
};

/* Read `length` bytes; false: stopped, or the sender closed the socket. */
static bool
receive(struct remote *remote, void *bytes, size_t length)
{
	struct pollfd end = { .fd = remote->socket, .events = POLLIN };
	char *at = bytes;

	while (length > 0) {
		const int64_t now = clock_milliseconds();
		const int ready = poll(&end, 1, TICK);

		if (ready <= 0 || now - remote->asked >= TICK) {
			remote->asked = now;
			remote->stopped = !remote->question->goes_on(remote->question->context);
		}
		if (remote->stopped)
			return false;
		const ssize_t got =
			ready > 0 ? socket_read(remote->socket, at, length, MSG_DONTWAIT) : -1;
		if (got == 0 || (got < 0 && ready > 0 && errno != EINTR && errno != EAGAIN))
			return false;
		at += got > 0 ? got : 0;
		length -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Receive the outcome, whose texts may lack a terminator. */
static bool
take_outcome(struct remote *remote)
{
	struct fetch_outcome *outcome = remote->outcome;

	if (!receive(remote, outcome, sizeof(*outcome)))
		return false;
	outcome->why[sizeof(outcome->why) - 1] = '\0';
	outcome->header.type[sizeof(outcome->header.type) - 1] = '\0';
	outcome->header.encoding[sizeof(outcome->header.encoding) - 1] = '\0';
	if (outcome->answer > FETCH_STOPPED)
		outcome->answer = FETCH_FAILED;
	return true;
}

/* Receive one piece; false: no more pieces. */
static bool
take_piece(struct remote *remote)
{
	struct fetch_part *part = remote->question->part;
	struct piece_version version;
	char bytes[PIECE_SIZE];
	struct piece piece;
	bool written = true;

	if (!receive(remote, &piece, sizeof(piece)))
		return false;
	errno = EIO;
	if (piece.kind <= PIECE_COUNT && piece.kind != PIECE_BYTES &&
	    piece.length == sizeof(version)) {
		if (!receive(remote, &version, sizeof(version)))
			return false;
		version.validator[sizeof(version.validator) - 1] = '\0';
		if (piece.kind == PIECE_BEGIN)
			written = remote->question->begin(part, version.validator, version.total);
		part->bytes = version.bytes;
		part->total = version.total;
	} else if (piece.kind == PIECE_BYTES && piece.length <= sizeof(bytes)) {
		if (!receive(remote, bytes, piece.length))
			return false;
		written = part->bytes + piece.length <= remote->question->most &&
			  remote->question->add(part, bytes, piece.length);
	} else {
		remote->ended = piece.kind == PIECE_END &&
				piece.length == sizeof(*remote->outcome) && take_outcome(remote);
		return false;
	}
	remote->unwritable = written ? 0 : errno;
	return written;
}

void
fetch_remote_ask(const struct fetch_question *question, struct fetch_outcome *outcome)
{
	const struct fetch_part *part = question->part;
	struct remote remote = { .question = question, .outcome = outcome,
				 .socket = -1 };
	char argument[DOOR_TEXT];

	if (!door_is_guarded()) {
		ask_here(question, outcome);
		return;
	}
	const int length = snprintf(argument, sizeof(argument), "%u %llu %llu\n%s\n%s",
				    question->seconds, (unsigned long long)question->most,
				    (unsigned long long)part->bytes, part->validator,
				    question->url);
	if (length > 0 && (size_t)length < sizeof(argument))
		remote.socket = door_serve(question->kept != NULL ? DOOR_DEBUGINFOD : DOOR_FETCH,
					   argument);
	const int reason = errno;
	while (remote.socket >= 0 && take_piece(&remote))
		;
	if (remote.socket >= 0)
		close(remote.socket);
	if (remote.ended)
		return;
	*outcome = (struct fetch_outcome){ .answer =
		remote.stopped ? FETCH_STOPPED : FETCH_FAILED,
					   .resumable = remote.stopped };
	if (remote.unwritable != 0)
		snprintf(outcome->why, sizeof(outcome->why), "cannot write to the cache: %s",
			 door_strerror(remote.unwritable));
	else
		snprintf(outcome->why, sizeof(outcome->why), "cannot ask: %s",
			 remote.socket >= 0	  ? "the download process has ended"
			 : reason == DOOR_REFUSED ? "refused by the sandbox (--no-sandbox)"
						  : strerror(reason));
}
