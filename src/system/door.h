/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_DOOR_H
#define SYSTEM_DOOR_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Requests of a process in the sandbox to its broker (`system/broker.h`). The broker is a process
 * with the rights that this process gave up. The broker does not parse inputs.
 *
 * Functions such as door_open try the system call first, and ask the broker only if the kernel
 * refused. Outside of the sandbox they only make the system call. Any thread may call them.
 */
#define DOOR_TEXT 5120

/** `errno` if the broker refused; a value that no system call used here sets. */
#define DOOR_REFUSED EKEYREJECTED

enum door_kind {
	DOOR_OPEN,			/* number: 1 for a directory */
	DOOR_DRAFT,			/* number: 1 to replace an existing file */
	DOOR_SETTLE,			/* number: 1 to keep the draft `handle` */
	DOOR_DIRECTORY,
	DOOR_REMOVE,			/* a path that the broker made */
	DOOR_ALLOW,			/* a path that the user is asked to allow */
	DOOR_SERVICE,			/* number: the service; text: its argument */
};

/** A request and its answer: one packet each. */
struct door_message {
	uint32_t kind, number, handle;
	int32_t error;			/* errno of an answer, or 0 */
	char text[DOOR_TEXT];		/* a path, with its NUL */
};

/** Services of the broker besides files, each in a process of its own. */
enum door_service {
	DOOR_EDITOR,
	DOOR_COPY,
	DOOR_FETCH,
	DOOR_DEBUGINFOD,
	DOOR_SERVICE_COUNT,
};

/** Use the broker at the other end of `socket` for later requests. Call before starting threads. */
void
door_guard(int socket);

bool
door_is_guarded(void);

/** The text of strerror(3); for DOOR_REFUSED, a text with advice for the user. */
const char *
door_strerror(int error);

/** Open a file for reading; -1 with errno. */
int
door_open(const char *path);

/** opendir(3). */
DIR *
door_list(const char *path);

/** mkdir(2). */
int
door_make_directory(const char *path, unsigned mode);

/** remove(3); in the sandbox it removes only files that this run made. */
int
door_remove(const char *path);

/** Let the broker call new_file_draft. `*handle` is for door_settle. -1 with errno. */
int
door_draft(const char *path, bool replace, uint32_t *handle);

/** Let the broker call new_file_settle for its draft `handle`. 0, or -1 with errno. */
int
door_settle(uint32_t handle, bool keep);

/**
 * Let the broker ask the user on the terminal whether this process may read and write the path and
 * everything beneath it. 0, or -1 with errno. Call it only in the sandbox.
 */
int
door_allow(const char *path);

/**
 * Start a process for a service of the broker. Returns a socket to the process, or -1 with errno.
 * The process sends an int when it ends (door_wait).
 */
int
door_serve(enum door_service service, const char *argument);

/** Wait for the end of a service and close its socket. Returns the int that it sent, or -1. */
int
door_wait(int socket);

/** Send a message with a descriptor (-1: none) to the other end; false if that is closed. */
bool
door_send(int socket, const struct door_message *message, int descriptor);

/**
 * Receive a message and its descriptor (-1: none). If `descriptor` is NULL, a received descriptor
 * is dropped. False at the end, or if a packet is no message.
 */
bool
door_receive(int socket, struct door_message *message, int *descriptor);

#endif
