/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_OS_H
#define CRASH_OS_H

/** The operating systems that dumps name. */
enum crash_os {
	CRASH_OS_UNKNOWN,
	CRASH_OS_WINDOWS,
	CRASH_OS_LINUX,
	CRASH_OS_ANDROID,
	CRASH_OS_MAC,
	CRASH_OS_IOS,
	CRASH_OS_SOLARIS,
	CRASH_OS_NACL,
	CRASH_OS_FUCHSIA,
	CRASH_OS_PS3,
};

#endif
