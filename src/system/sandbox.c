/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/sandbox.h"

#include "base/compiler.h"

/* A process enters its sandbox once. */
static const char *in_force;

const char *
sandbox_part(void)
{
	return in_force;
}

#ifdef __linux__

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock ------------------------------------------------------------------------------------- */

/*
 * The kernel's interface, which may be newer than the headers:
 * Documentation/userspace-api/landlock. The numbers are the same on all architectures.
 */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define RULE_PATH_BENEATH 1
#define GET_VERSION 1u

struct landlock_rights {
	uint64_t files, network, scopes;
};

struct landlock_beneath {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

#define EXECUTE (1u << 0)
#define WRITE_FILE (1u << 1)
#define READ_FILE (1u << 2)
#define READ_DIR (1u << 3)
#define REMOVE_FILE (1u << 5)
#define MAKE_DIR (1u << 7)
#define MAKE_REG (1u << 8)
#define REFER (1u << 13)
#define TRUNCATE (1u << 14)

#define RIGHTS_OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE)
#define RIGHTS_TO_READ (READ_FILE | READ_DIR)
#define RIGHTS_TO_WRITE \
	(RIGHTS_TO_READ | WRITE_FILE | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE)

/* A cache needs renames into another directory. Landlock's first version forbids them. */
#define LEAST_VERSION 2
/* File rights of a version (2 adds REFER, 3 TRUNCATE). Version 6 adds scopes. TCP is left out. */
#define FILES_OF(version) ((UINT64_C(1) << ((version) >= 3 ? 15 : 14)) - 1)
#define VERSION_OF_SCOPES 6

/* Allow a path. A path that cannot be opened is skipped. False without descriptors or memory. */
static bool
allow(int rules, const struct sandbox_path *path, uint64_t known)
{
	struct stat status;
	struct landlock_beneath rule = {
		.rights = (path->right == SANDBOX_OWN ? RIGHTS_TO_WRITE : RIGHTS_TO_READ) & known,
		.parent = open(path->path, O_PATH | O_CLOEXEC),
	};

	if (rule.parent < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
	if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode))
		rule.rights &= RIGHTS_OF_FILES;
	const bool added = syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0 ||
			   errno == EINVAL || errno == EBADFD;
	close(rule.parent);
	return added;
}

static bool
enter_files(const struct sandbox_path *paths, size_t count)
{
	const int version = sandbox_landlock();
	const struct landlock_rights rights = {
		.files = FILES_OF(version),
		.scopes = version >= VERSION_OF_SCOPES ? 3 : 0,
	};
	const int rules = (int)syscall(CREATE_RULESET, &rights, sizeof(rights), 0);
	bool entered = rules >= 0;

	for (size_t i = 0; i < count && entered; i++)
		entered = paths[i].right == SANDBOX_NEXT || allow(rules, &paths[i], rights.files);
	entered = entered && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		  syscall(RESTRICT_SELF, rules, 0) == 0;
	const int reason = errno;
	if (rules >= 0)
		close(rules);
	errno = entered ? 0 : reason;
	return entered;
}

/* seccomp -------------------------------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(__ILP32__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define THIS_ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define THIS_ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define THIS_ARCHITECTURE AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define THIS_ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

#ifdef THIS_ARCHITECTURE

/* The flags of clone(2) are its first argument, except on s390x. */
#ifdef __s390x__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
#define THREAD_FLAG 0x10000u
#define NAMESPACE_FLAGS 0x7e020000u

/* When this process ends, sanitizers start another one that examines it. */
#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Requests of ioctl(2) for a terminal's modes, size, output and bytes; none can type into it. */
static const uint32_t of_terminals[] = {
#ifdef __powerpc64__
	/* These contain the size of the kernel's struct termios; the C library's is larger. */
	0x402c7413, 0x802c7414, 0x802c7415, 0x802c7416,
#else
	TCGETS, TCSETS, TCSETSW, TCSETSF,
#endif
	/* TCGETS2 and similar requests, with the kernel's struct termios2. */
	_IOR('T', 0x2a, char[44]), _IOW('T', 0x2b, char[44]), _IOW('T', 0x2c, char[44]),
	_IOW('T', 0x2d, char[44]),
	TCSBRK, TCXONC, TCFLSH, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO,
};

/* Number of the first call that is newer than the table. */
#define NEWEST_CALL 450u

#define LOAD(member) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, member))
/* Load the half of an argument that contains an int. */
#define LOAD_INT(argument) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (argument) + \
			    (__BYTE_ORDER == __BIG_ENDIAN ? 4 : 0)))
/* Load the upper half of an argument, for example of a pointer. */
#define LOAD_HIGH(argument) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (argument) + \
			    (__BYTE_ORDER == __BIG_ENDIAN ? 0 : 4)))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define UNLESS_SET(bits, skipped) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (skipped))
#define UNLESS_FROM(value, skipped) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), 0, (skipped))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define CALL(name) SYS_##name,
/* fcntl(2) without leases, and without F_SETOWN and F_SETSIG: they could signal any process. */
#define PLAIN(call) \
	UNLESS(call, 6), LOAD_INT(1), UNLESS(F_DUPFD_CLOEXEC, 1), ALLOW, \
		UNLESS_FROM(F_SETOWN, 1), FAIL(EPERM), ALLOW
/*
 * Refuse the access mode 3 of open(2): Landlock ignores it, and it gives a descriptor of any file
 * for ioctl(2), fchmod(2) and utimensat(2). Landlock before version 3 ignores O_TRUNC, too.
 */
#define OPEN(call, flags) \
	UNLESS(call, 9), LOAD_INT(flags), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 3 | O_TRUNC), \
		UNLESS(3, 1), FAIL(EPERM), UNLESS(O_TRUNC, 1), FAIL(EPERM), \
		UNLESS(3 | O_TRUNC, 1), FAIL(EPERM), ALLOW
/* Allow changing times of open files only: a path could name any file of the user. */
#define PATHLESS(call) \
	UNLESS(call, 6), LOAD_INT(1), UNLESS(0, 3), LOAD_HIGH(1), UNLESS(0, 1), ALLOW, FAIL(EPERM)

static const uint32_t with_network[] = {
	CALL(socketpair) CALL(connect) CALL(bind) CALL(getsockname) CALL(getpeername)
	CALL(getsockopt) CALL(setsockopt) CALL(sendto) CALL(sendmmsg) CALL(recvmmsg)
	CALL(epoll_create1) CALL(epoll_ctl) CALL(epoll_pwait)
};

static const uint32_t always[] = {
#if SANITIZED
	CALL(ptrace) CALL(clone) CALL(kill) CALL(tgkill)
#endif
#include "system/sandbox_call.def"
};
_Static_assert(ARRAY_COUNT(always) <= UINT8_MAX, "a jump over all calls does not fit");

static void
append(struct sock_fprog *program, const struct sock_filter *rows, size_t count)
{
	memcpy(program->filter + program->len, rows, count * sizeof(*rows));
	program->len = (unsigned short)(program->len + count);
}

/* Allow the call if the loaded value is in the list; else continue after these rows. */
static void
append_list(struct sock_fprog *program, const uint32_t *values, size_t count)
{
	const struct sock_filter end[] = { BPF_STMT(BPF_JMP | BPF_JA, 1), ALLOW };

	/* Each row jumps to the final ALLOW; a jump skips at most 255 rows. */
	for (size_t i = 0; i < count; i++) {
		const struct sock_filter row[] = {
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[i], (uint8_t)(count - i), 0),
		};
		append(program, row, ARRAY_COUNT(row));
	}
	append(program, end, ARRAY_COUNT(end));
}

static bool
enter_calls(bool network)
{
	const uint32_t self = (uint32_t)getpid(), none = UINT32_MAX;
	const struct sock_filter by_argument[] = {
		FAIL(EPERM), /* the other requests of ioctl(2) */
		/* Arguments in memory cannot be checked. */
		UNLESS(SYS_clone3, 1), FAIL(ENOSYS), UNLESS(SYS_openat2, 1), FAIL(ENOSYS),
		PLAIN(SYS_fcntl), PATHLESS(SYS_utimensat), OPEN(SYS_openat, 2),
#ifdef SYS_open
		OPEN(SYS_open, 1),
#endif
#ifdef SYS_fcntl64
		PLAIN(SYS_fcntl64),
#endif
#ifdef SYS_utimensat_time64
		PATHLESS(SYS_utimensat_time64),
#endif
		UNLESS(SYS_clone, 6), LOAD_INT(CLONE_FLAGS), UNLESS_SET(NAMESPACE_FLAGS, 1),
			FAIL(EPERM), UNLESS_SET(THREAD_FLAG, 1), ALLOW, FAIL(EPERM),
		/* Flags of renameat2(2) could make a device. */
		UNLESS(SYS_renameat2, 4), LOAD_INT(4), UNLESS(0, 1), ALLOW, FAIL(EPERM),
		UNLESS(SYS_tgkill, 4), LOAD_INT(0), UNLESS(self, 1), ALLOW, FAIL(EPERM),
		/* For ^Z: kill(0, SIGTSTP) stops the complete job. */
		UNLESS(SYS_kill, 8), LOAD_INT(0), UNLESS(self, 1), ALLOW, UNLESS(0, 3),
			LOAD_INT(1), UNLESS(SIGTSTP, 1), ALLOW, FAIL(EPERM),
		UNLESS(SYS_prlimit64, 6), LOAD_INT(0), UNLESS(0, 1), ALLOW, UNLESS(self, 1), ALLOW,
			FAIL(EPERM),
		/*
		 * No raw sockets and no AF_UNIX: Landlock does not check the paths that connect(2)
		 * gets. The C library asks netlink for addresses.
		 */
		UNLESS(SYS_socket, 11), LOAD_INT(0), UNLESS(network ? AF_NETLINK : none, 1), ALLOW,
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, network ? AF_INET : none, 1, 0),
			UNLESS(network ? AF_INET6 : none, 5), LOAD_INT(1),
			BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf), UNLESS_FROM(SOCK_RAW, 1),
			FAIL(EPERM), ALLOW, FAIL(EPERM),
		UNLESS_FROM(NEWEST_CALL, 1), FAIL(ENOSYS), FAIL(EPERM),
	};
	const struct sock_filter begin[] = {
		LOAD(arch), UNLESS(THIS_ARCHITECTURE, 1), BPF_STMT(BPF_JMP | BPF_JA, 1),
		FAIL(EPERM),
		/* This load keeps the kernel from evaluating the rows in advance. */
		LOAD_INT(0), LOAD(nr),
	};
	const struct sock_filter ioctls[] = {
		UNLESS(SYS_ioctl, ARRAY_COUNT(of_terminals) + 4), LOAD_INT(1),
	};
	struct sock_filter rows[ARRAY_COUNT(always) + ARRAY_COUNT(with_network) +
				ARRAY_COUNT(of_terminals) + ARRAY_COUNT(by_argument) + 16];
	struct sock_fprog program = { .filter = rows };

	append(&program, begin, ARRAY_COUNT(begin));
	append_list(&program, always, ARRAY_COUNT(always));
	append_list(&program, with_network, network ? ARRAY_COUNT(with_network) : 0);
	append(&program, ioctls, ARRAY_COUNT(ioctls));
	append_list(&program, of_terminals, ARRAY_COUNT(of_terminals));
	append(&program, by_argument, ARRAY_COUNT(by_argument));
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#endif

#endif

int
sandbox_landlock(void)
{
#ifdef __linux__
	const long version = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);

	return version >= LEAST_VERSION ? (int)version : 0;
#else
	return 0;
#endif
}

bool
sandbox_has_filter(void)
{
#ifdef THIS_ARCHITECTURE
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
	return false;
#endif
}

bool
sandbox_enter(const struct sandbox_path *paths, size_t count, bool network)
{
	const bool files = sandbox_landlock() > 0, calls = sandbox_has_filter();
	bool entered = true;

	in_force = files && calls ? NULL : files ? "landlock" : calls ? "seccomp" : "none";
#ifdef __linux__
	if (files)
		entered = enter_files(paths, count);
#endif
#ifdef THIS_ARCHITECTURE
	if (entered && calls)
		entered = enter_calls(network);
#endif
	return entered;
}
