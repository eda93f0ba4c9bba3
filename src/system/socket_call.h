/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_SOCKET_CALL_H
#define SYSTEM_SOCKET_CALL_H

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * sendmsg(2), recvmsg(2) and recv(2) as direct system calls. For i386 the C library makes them
 * through socketcall(2). The sandbox must forbid that: its arguments are in memory, so a filter
 * cannot see which call is meant.
 */
static inline ssize_t
socket_send(int socket, const struct msghdr *message, int flags)
{
#ifdef __i386__
	return syscall(SYS_sendmsg, socket, message, flags);
#else
	return sendmsg(socket, message, flags);
#endif
}

static inline ssize_t
socket_receive(int socket, struct msghdr *message, int flags)
{
#ifdef __i386__
	return syscall(SYS_recvmsg, socket, message, flags);
#else
	return recvmsg(socket, message, flags);
#endif
}

static inline ssize_t
socket_read(int socket, void *to, size_t size, int flags)
{
#ifdef __i386__
	return syscall(SYS_recvfrom, socket, to, size, flags, NULL, NULL);
#else
	return recv(socket, to, size, flags);
#endif
}

#endif
