/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/door.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/socket_call.h"

/* A process has one sandbox, which it enters once and never leaves. */
static int broker = -1;
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

void
door_guard(int socket)
{
	broker = socket;
}

bool
door_is_guarded(void)
{
	return broker >= 0;
}

const char *
door_strerror(int error)
{
	return error == DOOR_REFUSED   ? "refused by the sandbox (--allow PATH or :allow PATH)"
	       : error == ENAMETOOLONG ? "the name, or the path from / on, is too long"
				       : strerror(error);
}

/* Room for a descriptor. */
union door_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

bool
door_send(int socket, const struct door_message *message, int descriptor)
{
	union door_control control = { .header = { .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS,
						   .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec part = { (void *)(uintptr_t)message, sizeof(*message) };
	const struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				       .msg_controllen = descriptor >= 0 ? sizeof(control) : 0 };
	ssize_t sent;

	memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
	do
		sent = socket_send(socket, &packet, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof(*message);
}

bool
door_receive(int socket, struct door_message *message, int *descriptor)
{
	union door_control control;
	struct iovec part = { message, sizeof(*message) };
	/* The kernel drops descriptors that have no room. */
	struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				 .msg_controllen = descriptor != NULL ? CMSG_LEN(sizeof(int)) : 0 };
	ssize_t got;

	do
		got = socket_receive(socket, &packet, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (descriptor != NULL) {
		const struct cmsghdr *header = got < 0 ? NULL : CMSG_FIRSTHDR(&packet);

		*descriptor = -1;
		if (header != NULL && header->cmsg_type == SCM_RIGHTS)
			memcpy(descriptor, CMSG_DATA(header), sizeof(int));
	}
	return got == (ssize_t)sizeof(*message) &&
	       memchr(message->text, '\0', sizeof(message->text)) != NULL;
}

/* Send a request. Returns the descriptor in the answer, or 0 if it has none; -1 with errno. */
static int
ask(struct door_message *message, const char *text)
{
	const bool opens = message->kind == DOOR_OPEN || message->kind == DOOR_DRAFT ||
			   message->kind == DOOR_SERVICE;
	int descriptor = -1;

	errno = ENAMETOOLONG;
	if (strlen(text) >= sizeof(message->text))
		return -1;
	memcpy(message->text, text, strlen(text) + 1);
	pthread_mutex_lock(&asking);
	const bool answered = door_send(broker, message, -1) &&
			      door_receive(broker, message, &descriptor);
	pthread_mutex_unlock(&asking);
	errno = answered ? message->error : DOOR_REFUSED;
	/* The kernel drops a descriptor if this process has no room for it. */
	if (errno == 0 && opens && descriptor < 0)
		errno = EMFILE;
	return errno == 0 && !opens ? 0 : descriptor;
}

/* Whether a failure may be due to the sandbox. */
static bool
refused(void)
{
	return door_is_guarded() && (errno == EACCES || errno == EPERM);
}

static int
open_with(const char *path, int flags)
{
	const int descriptor = open(path, flags | O_RDONLY | O_CLOEXEC);

	if (descriptor >= 0 || !refused())
		return descriptor;
	return ask(&(struct door_message){ .kind = DOOR_OPEN, .number = flags != 0 }, path);
}

int
door_open(const char *path)
{
	return open_with(path, 0);
}

DIR *
door_list(const char *path)
{
	const int descriptor = open_with(path, O_DIRECTORY | O_NONBLOCK);
	DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);

	if (directory == NULL && descriptor >= 0)
		close(descriptor);
	return directory;
}

int
door_make_directory(const char *path, unsigned mode)
{
	struct door_message message = { .kind = DOOR_DIRECTORY, .number = mode };
	const int made = mkdir(path, mode);

	return made == 0 || !refused() ? made : ask(&message, path);
}

int
door_remove(const char *path)
{
	const int removed = remove(path);

	return removed == 0 || !refused()
		       ? removed : ask(&(struct door_message){ .kind = DOOR_REMOVE }, path);
}

int
door_draft(const char *path, bool replace, uint32_t *handle)
{
	struct door_message message = { .kind = DOOR_DRAFT, .number = replace };
	const int descriptor = ask(&message, path);

	*handle = message.handle;
	return descriptor;
}

int
door_settle(uint32_t handle, bool keep)
{
	return ask(&(struct door_message){ .kind = DOOR_SETTLE, .handle = handle, .number = keep },
		   "");
}

int
door_allow(const char *path)
{
	return ask(&(struct door_message){ .kind = DOOR_ALLOW }, path);
}

int
door_serve(enum door_service service, const char *argument)
{
	return ask(&(struct door_message){ .kind = DOOR_SERVICE, .number = (uint32_t)service },
		   argument);
}

int
door_wait(int socket)
{
	int status = -1;
	ssize_t got;

	do
		got = socket_read(socket, &status, sizeof(status), 0);
	while (got < 0 && errno == EINTR);
	close(socket);
	return got == (ssize_t)sizeof(status) ? status : -1;
}
