/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/sandbox.h"

#include <arpa/inet.h>
#include <limits.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "system/broker.h"
#include "system/new_file.h"
#include "tests/unit/system/tree.h"

/* A hijacked parser in the sandbox, with its broker, makes the attempts of an attacker. An attempt returns whether it succeeded;
 * each is made in a process of its own and in a thread of that process. */

static char root[PATH_MAX];	/* given/ and names like it, kept/, elsewhere/, home/.ssh/ */
static pid_t tester;
static int broker_end;

static const char *
at(const char *name)
{
	static _Thread_local char path[2][PATH_MAX + 64];
	static _Thread_local unsigned turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

static bool
opens(const char *path, int flags)
{
	const int descriptor = open(path, flags | O_CLOEXEC, 0600);

	if (descriptor >= 0)
		close(descriptor);
	return descriptor >= 0;
}

static bool
asks(const char *path)
{
	const int descriptor = door_open(path);

	if (descriptor >= 0)
		close(descriptor);
	return descriptor >= 0;
}

static bool
drafts(const char *path, bool replace)
{
	struct new_file file;

	if (new_file_open(&file, path, replace, NULL) != ERROR_NONE)
		return false;
	fputs("stolen", file.stream);
	return new_file_close(&file, true, NULL) == ERROR_NONE;
}

static bool
open_secret(void)
{
	static const uint64_t how[] = { O_ACCMODE, 0, 0 };

	/* Landlock does not check the access mode for ioctl(2). */
	return opens(at("elsewhere/secret"), O_RDONLY) || opens(at("elsewhere/secret"), O_ACCMODE) || opens("/dev/ptmx", O_ACCMODE) ||
	       syscall(437 /* openat2 */, AT_FDCWD, at("elsewhere/secret"), how, sizeof(how)) >= 0;
}

static bool
open_hidden(void)
{
	return asks(at("home/.ssh/key")) || asks(at("work/.ssh/key"));
}

static bool
ask_for_secret(void)
{
	return asks(at("elsewhere/secret")) || asks(at("given/../elsewhere/secret")) ||
	       asks(at("givem/secret")) || asks(at("givenX/secret")) || asks(at("given/link")) || asks(at("work/link"));
}

static bool
ask_for_processes(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/mem", (long)tester);
	return asks(path) || asks("/proc/1/environ") || asks("/dev/null") || asks("/sys/kernel/notes");
}

static bool
write_given(void)
{
	return opens(at("given/dump"), O_WRONLY) || opens(at("given/new"), O_WRONLY | O_CREAT) ||
	       opens(at("given/dump"), O_RDONLY | O_TRUNC) || errno != EPERM || truncate(at("given/dump"), 0) == 0 || drafts(at("given/dump"), true) ||
	       drafts(at("given/new"), false) || unlink(at("given/dump")) == 0 || rename(at("given/dump"), at("kept/dump")) == 0;
}

static bool
write_elsewhere(void)
{
	return drafts(at("elsewhere/new"), false) || drafts(at("elsewhere/secret"), true) ||
	       drafts(at("work/.profile"), false) || drafts("/etc/unspool-test", false) ||
	       door_make_directory(at("elsewhere/made"), 0700) == 0 || door_remove(at("elsewhere/secret")) == 0;
}

static bool
change_rights(void)
{
	return chmod(at("kept/file"), 0777) == 0 || chown(at("kept/file"), getuid(), getgid()) == 0 ||
	       symlink("/etc", at("kept/etc")) == 0 || mknod(at("kept/pipe"), S_IFIFO | 0600, 0) == 0 ||
	       syscall(SYS_renameat2, AT_FDCWD, at("kept/file"), AT_FDCWD, at("kept/file"), 2 /* exchange */) == 0;
}

static bool
change_open_file(void)
{
	const int descriptor = open(at("kept/file"), O_RDWR | O_CLOEXEC);
	const bool done = descriptor < 0 || fchmod(descriptor, 0755) == 0 || fchmod(descriptor, 0644) == 0 ||
			  fcntl(descriptor, F_SETLEASE, F_WRLCK) == 0 || errno != EPERM;

	if (descriptor >= 0)
		close(descriptor);
	return done;
}

static bool
reach_network(void)
{
	int ends[2];

	return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_INET6, SOCK_DGRAM, 0) >= 0 ||
	       socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0 ||
	       socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0;
}

/* With access to the network. */
static bool
reach_local(void)
{
	static const int allowed[][2] = { { AF_INET, SOCK_STREAM }, { AF_INET6, SOCK_DGRAM }, { AF_NETLINK, SOCK_RAW } };
	bool wrong = socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM || socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP) >= 0;

	for (size_t i = 0; i < ARRAY_COUNT(allowed); i++)
		wrong |= socket(allowed[i][0], allowed[i][1] | SOCK_CLOEXEC, 0) < 0 && errno == EPERM;
	return wrong;
}

/* Also from a descriptor of memory. */
static bool
execute(void)
{
	char *arguments[] = { (char[]){ "true" }, NULL };
	static const char script[] = "#!/bin/true\n";
	const int memory = memfd_create("script", 0);

	execv("/bin/true", arguments);
	if (memory >= 0 && write(memory, script, sizeof(script) - 1) > 0)
		syscall(SYS_execveat, memory, "", arguments, NULL, AT_EMPTY_PATH);
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	/* A thread in a namespace of its own: the kernel would say EINVAL, because other flags are missing. */
	return child > 0 || syscall(SYS_unshare, 0x10000000) == 0 || syscall(SYS_clone, 0x30000, 0x30000, 0, 0, 0) >= 0 || errno != EPERM;
}

static bool
signal_others(void)
{
	return kill(tester, 0) == 0 || kill(-1, SIGCONT) == 0 || kill(0, SIGCONT) == 0 ||
	       syscall(SYS_tgkill, tester, tester, 0) == 0 ||
	       (prctl(PR_SET_PDEATHSIG, 0) == 0 && syscall(SYS_tkill, tester, 0) == 0);
}

/* The kernel reports input by any signal to any process of the user. */
static bool
signal_by_owner(void)
{
	pid_t target = tester;
	struct f_owner_ex owner = { F_OWNER_PID, tester };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return true;
	const bool done = fcntl(ends[0], F_SETOWN, tester) == 0 || fcntl(ends[0], F_SETOWN_EX, &owner) == 0 ||
			  fcntl(ends[0], F_SETSIG, SIGTERM) == 0 || ioctl(ends[0], FIOSETOWN, &target) == 0 || errno != EPERM ||
			  ioctl(ends[0], SIOCSPGRP, &target) == 0 || errno != EPERM;
	close(ends[0]);
	close(ends[1]);
	return done;
}

/* Change times of files that it may and may not open; one path is at a high address. */
static bool
change_times(void)
{
	static const char *const names[] = { "elsewhere/secret", "given/dump", "kept/file" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (utimensat(AT_FDCWD, at(names[i]), NULL, 0) == 0 || errno != EPERM)
			return true;
	return sizeof(long) > 4 && (syscall(SYS_utimensat, AT_FDCWD, 0x100000000, NULL, 0) == 0 || errno != EPERM);
}

static bool
trace_others(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { &tester, 1 };

	return ptrace(PTRACE_ATTACH, tester, NULL, NULL) == 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ||
	       process_vm_readv(tester, &here, 1, &there, 1, 0) == 1;
}

static bool
reach_kernel(void)
{
	return mount("none", at("given"), "tmpfs", 0, NULL) == 0 ||
	       syscall(SYS_bpf, 0, NULL, 0) == 0 || syscall(SYS_keyctl, 0, 0) >= 0 ||
	       syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 ||
	       syscall(425 /* io_uring_setup */, 1, NULL) >= 0 || errno == EFAULT;
}

static bool
type_into_terminal(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x") == 0 || errno != EPERM;
}

/* Other requests to a terminal, a console, a file of its own, a socket: paste, the console's output,
 * a controlling terminal, the keyboard, attributes, a clone of a file, addresses. A new one, too. */
static bool
control_devices(void)
{
	static const unsigned long requests[] = {
		TIOCLINUX, TIOCCONS, TIOCSCTTY, TIOCNOTTY, TIOCSETD, TIOCSPGRP, TIOCEXCL,
		0x4b4d /* KDSKBENT */, 0x40086602 /* FS_IOC_SETFLAGS */, 0x40049409 /* FICLONE */,
		0xc0185879 /* FITRIM */, SIOCGIFCONF, FIOASYNC, 0x5fff,
	};
	const int file = open(at("kept/file"), O_RDWR | O_CLOEXEC);
	bool done = file < 0;

	for (size_t i = 0; i < ARRAY_COUNT(requests); i++)
		done |= ioctl(file, requests[i], 0) == 0 || errno != EPERM ||
			ioctl(STDIN_FILENO, requests[i], 0) == 0 || errno != EPERM;
	close(file);
	return done;
}

/* The requests of curses and readline to a terminal. To a file they fail, but not with EPERM. */
static bool
lose_terminal(void)
{
	static const unsigned long requests[] = {
		TCGETS, TCSETS, TCSETSW, TCSETSF, TCXONC, TCFLSH, TCSBRK, TIOCGWINSZ, TIOCGPGRP, FIONREAD,
	};
	const int file = open(at("kept/file"), O_RDWR | O_CLOEXEC);
	char space[256] = { 0 };
	bool lost = file < 0;

	for (size_t i = 0; i < ARRAY_COUNT(requests); i++)
		lost |= ioctl(file, requests[i], space) != 0 && errno == EPERM;
	close(file);
	return lost;
}

/* Invalid packets, packets of unknown kinds, unknown drafts, and paths without an end. */
static bool
confuse_broker(void)
{
	struct door_message message;
	int descriptor;

	memset(&message, 0xff, sizeof(message));
	send(broker_end, &message, 3, MSG_NOSIGNAL);
	return door_send(broker_end, &message, -1) && door_receive(broker_end, &message, &descriptor) && descriptor >= 0;
}

static bool
settle_foreign_draft(void)
{
	return door_settle(0, true) == 0 || door_settle(UINT32_MAX, true) == 0;
}

static bool
run_services(void)
{
	return door_serve(DOOR_EDITOR, "1 1 /bin/sh") >= 0 || door_serve(DOOR_COPY, "id") >= 0 ||
	       door_serve((enum door_service)77, "") >= 0;
}

/* Sanitizers inspect the program from another process when it ends. */
#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static const struct {
	const char *title;
	bool (*attempt)(void);
} attempts[] = {
	{ "a file that was not given is not opened", open_secret }, { "nor by the broker, by any path or link", ask_for_secret },
	{ "nor a key in a hidden directory", open_hidden }, { "nor memory of processes, nor devices", ask_for_processes },
	{ "a given file is not written, cut, renamed or removed", write_given }, { "nothing is written elsewhere", write_elsewhere },
	{ "rights of files are not changed, no links and no pipes are made", change_rights },
	{ "nor those of open files, and none gets a lease", change_open_file }, { "no socket is made", reach_network },
	{ "with the network, none for local services", reach_local },
	{ "no program and no process is started", execute }, { "no other process gets a signal", signal_others },
	{ "nor by input that is reported to it", signal_by_owner }, { "times of files are not changed by their paths", change_times },
	{ "none is traced, and no memory of it read", trace_others }, { "the kernel's other doors are shut", reach_kernel },
	{ "nothing is typed into the terminal", type_into_terminal },
	{ "no file and no device gets another request than a terminal's", control_devices },
	{ "a terminal's modes and size can be read and set", lose_terminal }, { "the broker refuses invalid packets", confuse_broker },
	{ "and settles no draft that it did not make", settle_foreign_draft },
	{ "and runs no service that the session does not have", run_services },
};

static void *
try_in_thread(void *context)
{
	bool (*const *attempt)(void) = context;

	return (*attempt)() ? context : NULL;
}

/* Runs in the child: start the broker and enter the sandbox. */
static void
enter(const char *output, bool network)
{
	static char given[PATH_MAX + 64], kept[PATH_MAX + 64], work[PATH_MAX + 64];
	struct sandbox_path places[2] = { { given, SANDBOX_READ } };
	int ends[2];

	snprintf(given, sizeof(given), "%s/given", root);
	snprintf(kept, sizeof(kept), "%s/kept", root);
	snprintf(work, sizeof(work), "%s/work", root);
	const struct sandbox_path paths[] = { { given, SANDBOX_READ }, { kept, SANDBOX_OWN },
					      { "/usr", SANDBOX_READ },
					      { "/lib", SANDBOX_READ }, { "/proc/self", SANDBOX_READ } };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		_exit(99);
	if (fork() == 0) {
		const struct broker_rules rules = { .places = places, .place_count = output != NULL ? 2 : 1,
						    .directory = work };
		places[1] = (struct sandbox_path){ output, SANDBOX_OUTPUT };
		close(ends[0]);
		broker_serve(ends[1], &rules);
		_exit(0);
	}
	close(ends[1]);
	door_guard(broker_end = ends[0]);
	if (!sandbox_enter(paths, ARRAY_COUNT(paths), network))
		_exit(98);
}

/* The result of `run` in a process in the sandbox. */
static int
inside(int (*run)(const void *context), const void *context, const char *output)
{
	int status = 0;

	fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		enter(output, context != NULL && *(bool (*const *)(void))context == reach_local);
		_exit(run(context));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
try_attempt(const void *context)
{
	bool (*const *attempt)(void) = context;
	pthread_t thread;
	void *had = NULL;

	const bool done = (*attempt)();
	if (pthread_create(&thread, NULL, try_in_thread, (void *)(uintptr_t)context) != 0)
		return 97;
	pthread_join(thread, &had);
	return done || had != NULL;
}

static int
use_it(const void *context)
{
	char name[PATH_MAX + 64];

	(void)context;
	snprintf(name, sizeof(name), "%s/out", root);
	return (opens(at("given/dump"), O_RDONLY) ? 0 : 1) |
	       (asks(at("elsewhere/program")) ? 0 : 2) | (asks(at("elsewhere/main.c")) ? 0 : 4) |
	       (opens(at("kept/new"), O_WRONLY | O_CREAT) ? 0 : 8) |
	       (drafts(name, false) ? 0 : 16) | (door_list(at("elsewhere")) != NULL ? 0 : 32) | (asks(at("work/notes")) ? 0 : 64);
}

static void
prepare(void)
{
	static const char *const folders[] = { "", "given", "givem", "givenX", "kept", "elsewhere",
					       "home", "home/.ssh", "work", "work/.ssh" };

	snprintf(root, sizeof(root), "%s/unspool-sandbox.XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
	char *real = mkdtemp(root) != NULL ? realpath(root, NULL) : NULL;
	if (real == NULL)
		tap_diag("no directory");
	else
		snprintf(root, sizeof(root), "%s", real);
	free(real);
	for (size_t i = 1; i < ARRAY_COUNT(folders); i++)
		mkdir(at(folders[i]), 0700);
	tree_put(at("given/dump"), "MDMP", 0600);
	tree_put(at("kept/file"), "kept", 0600);
	tree_put(at("elsewhere/secret"), "secret", 0600);
	tree_put(at("givem/secret"), "secret", 0600);
	tree_put(at("givenX/secret"), "secret", 0600);
	tree_put(at("elsewhere/program"), "\177ELF", 0600);
	tree_put(at("elsewhere/main.c"), "int x;", 0600);
	tree_put(at("home/.ssh/key"), "key", 0600);
	tree_put(at("work/.ssh/key"), "key", 0600);
	tree_put(at("work/notes"), "notes", 0600);
	if (symlink(at("elsewhere/secret"), at("given/link")) != 0 || symlink(at("elsewhere/secret"), at("work/link")) != 0)
		tap_diag("no links");
}

int
main(void)
{
	char command[PATH_MAX + 16];

	tester = getpid();
	if (sandbox_landlock() == 0 || !sandbox_has_filter()) {
		skip(1, "this kernel has no Landlock or no filters for system calls");
		return done_testing();
	}
	prepare();
	char *out = strdup(at("out"));
	is_u64((uint64_t)inside(use_it, NULL, out), 0,
	       "what was given is read, programs and sources by the broker, caches and outputs written");
	for (size_t i = 0; i < ARRAY_COUNT(attempts); i++)
		if (SANITIZED && (attempts[i].attempt == execute || attempts[i].attempt == signal_others ||
				  attempts[i].attempt == trace_others))
			skip(1, "a sanitizer may do it");
		else
			is_u64((uint64_t)inside(try_attempt, &attempts[i].attempt, NULL), 0, "%s", attempts[i].title);
	free(out);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ok(system(command) == 0, "the folder of the test is removed");
	return done_testing();
}
