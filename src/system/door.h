/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_DOOR_H
#define SYSTEM_DOOR_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Requests of a process in the sandbox to its broker (`system/broker.h`), a process that reads no
 * input and has the rights that this process gave up.
 *
 * Every function tries the system call first, and asks the broker only if the kernel refused:
 * outside of the sandbox they are open(2) and mkdir(2). Several threads may call.
 */
#define DOOR_TEXT 5120

/** `errno` if the broker refused; a value that no system call used here sets. */
#define DOOR_REFUSED EKEYREJECTED

enum door_kind {
	DOOR_OPEN,			/* number: 1 for a directory */
	DOOR_DRAFT,			/* number: 1 to replace an existing file */
	DOOR_SETTLE,			/* handle; number: 1 to keep it */
	DOOR_DIRECTORY,
	DOOR_REMOVE,			/* a path that the broker made */
	DOOR_ALLOW,			/* a path that the user is asked to allow */
	DOOR_SERVICE,			/* number: the service; text: its argument */
};

/** A request and its answer: one packet each. */
struct door_message {
	uint32_t kind, number, handle;
	int32_t error;			/* error of an answer: errno, or 0 */
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

/** From now on, use the broker at the other end of `socket`. Call it before threads are started. */
void
door_guard(int socket);

bool
door_is_guarded(void);

/** The text of strerror; for DOOR_REFUSED with advice for the user. */
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

/** remove(3); in the sandbox only of files that this run made. */
int
door_remove(const char *path);

/** new_file_draft by the broker; `*handle` for door_settle. -1 with errno. */
int
door_draft(const char *path, bool replace, uint32_t *handle);

/** new_file_settle of a draft that the broker made; 0, or -1 with errno. */
int
door_settle(uint32_t handle, bool keep);

/**
 * Let the broker ask the user, in a line on the terminal, whether the path may be read and written,
 * with everything beneath it. 0, or -1 with errno. To be called in the sandbox.
 */
int
door_allow(const char *path);

/**
 * Start a service of the broker. Returns a socket to the process that runs it, which sends an int
 * when it ends (door_wait), or -1 with errno.
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
 * Receive a message with its descriptor (-1: none; NULL: any is dropped); false at the end, or for
 * anything but a message.
 */
bool
door_receive(int socket, struct door_message *message, int *descriptor);

#endif
