/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/broker.h"

#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "tests/unit/system/tree.h"

/* A hijacked client speaks the broker's protocol. The broker has rights to all files here, so these
 * tests need no sandbox, and a kernel without one passes them. */

static char root[PATH_MAX];
static int broker_end;
static pid_t broker_process;

/* A path beneath the root; absolute ones stay. Eight may be in use. */
static const char *
at(const char *name)
{
	static char path[8][PATH_MAX + 64];
	static unsigned turn;

	if (name == NULL || name[0] == '/')
		return name;
	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof(path[turn]), "%s%s%s", root, name[0] != '\0' ? "/" : "", name);
	return path[turn];
}

/* Start a broker after `prepare`, which may be NULL; false: it could not be prepared. */
static bool
start_prepared(const struct broker_rules *rules, bool (*prepare)(void))
{
	char ready = 0;
	int ends[2], pipes[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 || pipe(pipes) != 0)
		return false;
	fflush(stdout);
	broker_process = fork();
	if (broker_process == 0) {
		close(ends[0]);
		if (prepare != NULL && !prepare())
			_exit(1);
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		close(pipes[1]);
		broker_serve(ends[1], rules);
		_exit(0);
	}
	close(ends[1]);
	close(pipes[1]);
	broker_end = ends[0];
	const bool good = read(pipes[0], &ready, 1) == 1;
	close(pipes[0]);
	return good;
}

static void
start(const struct broker_rules *rules)
{
	start_prepared(rules, NULL);
}

static void
stop(void)
{
	close(broker_end);
	waitpid(broker_process, NULL, 0);
}

/* Send a request; the answer's errno. A descriptor of the answer is returned or closed. */
static int
ask(enum door_kind kind, const char *path, uint32_t number, int *descriptor)
{
	struct door_message message = { .kind = kind, .number = number };
	int got = -1;

	snprintf(message.text, sizeof(message.text), "%s", at(path));
	if (!door_send(broker_end, &message, -1) || !door_receive(broker_end, &message, &got))
		return -1;
	if (descriptor != NULL)
		*descriptor = got;
	else if (got >= 0)
		close(got);
	return message.error;
}

static void
is_error(int error, int expected, const char *title)
{
	is_str(error == 0 ? "done" : strerror(error), expected == 0 ? "done" : strerror(expected), "%s", title);
}

#define READS SANDBOX_READ
#define WRITES SANDBOX_OUTPUT
#define NEXT SANDBOX_NEXT

/* One request to a broker in a working directory, with one place. */
static const struct {
	const char *title;
	bool session;
	const char *directory;
	struct sandbox_path place;	/* path NULL: none */
	enum door_kind kind;
	uint32_t number;
	const char *path;
	int error;			/* 0: done */
} requests[] = {
#define BATCH false
#define SESSION true
#define NONE { NULL, READS }
#define WORK BATCH, "work", NONE, DOOR_OPEN, 0
#define OUT BATCH, "work", { "out", WRITES }, DOOR_DRAFT
#define NO DOOR_REFUSED
	{ "a document of the working directory is read", WORK, "work/notes", 0 }, { "also deeper", WORK, "work/deep/notes", 0 },
	{ "a working directory may itself be hidden", BATCH, "work/.hidden", NONE, DOOR_OPEN, 0, "work/.hidden/notes", 0 },
	{ "a hidden file of the working directory is not read", WORK, "work/.notes", NO },
	{ "nor a file in a hidden directory", WORK, "work/.hidden/notes", NO }, { "nor through a link", WORK, "work/link", NO },
	{ "nor a document elsewhere", WORK, "other/notes", NO },
	{ "a session reads it", SESSION, "work", NONE, DOOR_OPEN, 0, "other/notes", 0 },
	{ "/ gives no file of the system", BATCH, "/", NONE, DOOR_OPEN, 0, "/etc/passwd", NO },
	{ "nor does it in a session", SESSION, "/", NONE, DOOR_OPEN, 0, "/etc/passwd", NO },
	{ "nor any document", BATCH, "/", NONE, DOOR_OPEN, 0, "work/notes", NO },
	{ "a directory of the system gives none of its files", BATCH, "/etc", NONE, DOOR_OPEN, 0, "/etc/passwd", NO },
	{ "a parent of the user's home gives nothing", BATCH, "home", NONE, DOOR_OPEN, 0, "home/user/notes", NO },
	{ "the home gives its documents", BATCH, "home/user", NONE, DOOR_OPEN, 0, "home/user/notes", 0 },
	{ "but no key", BATCH, "home/user", NONE, DOOR_OPEN, 0, "home/user/.ssh/key", NO },
	{ "files next to a named one are read", BATCH, "work", { "other/", NEXT }, DOOR_OPEN, 0, "other/notes", 0 },
	{ "not deeper ones", BATCH, "work", { "other/", NEXT }, DOOR_OPEN, 0, "other/deep/notes", NO },
	{ "nor hidden ones", BATCH, "work", { "other/", NEXT }, DOOR_OPEN, 0, "other/.notes", NO },
	{ "nor files next to a named directory", BATCH, "work", { "other/deep", READS }, DOOR_OPEN, 0, "other/notes", NO },
	{ "nor files next to a configuration of the system", BATCH, "work", { "/etc/", NEXT }, DOOR_OPEN, 0, "/etc/passwd", NO },
	{ "sources are read wherever they are", WORK, "other/.tool/a.tpp", 0 }, { "C++ modules, too", WORK, "other/.tool/a.cppm", 0 },
	{ "and sources of parsers", WORK, "other/.tool/a.ypp", 0 },
	{ "and headers without an ending", WORK, "other/.tool/include/vector", 0 },
	{ "a file without an ending that is no header is not", WORK, "other/.tool/vector", NO },
	{ "a device is not opened", SESSION, "work", NONE, DOOR_OPEN, 0, "/dev/null", NO },
	{ "nor a file of a process", SESSION, "work", NONE, DOOR_OPEN, 0, "/proc/self/status", NO },
	{ "directories are listed", BATCH, "work", NONE, DOOR_OPEN, 1, "other", 0 },
	{ "a place to write gets new files", OUT, 0, "out/new", 0 }, { "and replaces its documents", OUT, 1, "out/notes", 0 },
	{ "but no hidden file", OUT, 1, "out/.profile", NO }, { "nor makes one", OUT, 0, "out/.login", NO },
	{ "nor replaces a program", OUT, 1, "out/run", NO },
	{ "unless the place is that file", BATCH, "work", { "out/run", WRITES }, DOOR_DRAFT, 1, "out/run", 0 },
	{ "directories that lead to a place are made", BATCH, "work", { "far/a/b", WRITES }, DOOR_DIRECTORY, 0700, "far", 0 },
	{ "no others", BATCH, "work", { "far/a/b", WRITES }, DOOR_DIRECTORY, 0700, "far/c", NO },
	{ "a batch command writes nothing else", OUT, 0, "work/new", NO },
	{ "a session makes documents", SESSION, "work", NONE, DOOR_DRAFT, 0, "other/new", 0 },
	{ "and replaces those of the working directory", SESSION, "work", NONE, DOOR_DRAFT, 1, "work/notes", 0 },
	{ "no program there", SESSION, "work", NONE, DOOR_DRAFT, 1, "work/run", NO },
	{ "not those elsewhere", SESSION, "work", NONE, DOOR_DRAFT, 1, "other/notes", NO },
	{ "not in a directory of the system", SESSION, "/", NONE, DOOR_DRAFT, 0, "/etc/unspool-test", NO },
	{ "no hidden one", SESSION, "work", NONE, DOOR_DRAFT, 0, "work/.new", NO },
	{ "no hidden one in / itself", SESSION, "/", NONE, DOOR_DRAFT, 0, "/.unspool-test", NO },
	{ "nor if / is a place to write", BATCH, "work", { "/", WRITES }, DOOR_DRAFT, 0, "/.unspool-test", NO },
	{ "no pipe is written", SESSION, "work", NONE, DOOR_DRAFT, 1, "work/pipe.c", NO },
	{ "a file of another is not removed", SESSION, "work", NONE, DOOR_REMOVE, 0, "work/notes", NO },
#undef BATCH
#undef SESSION
#undef NONE
#undef WORK
#undef OUT
#undef NO
};

TEST_EACH(requests, requests)
{
	const struct sandbox_path place = { at(requests[i].place.path), requests[i].place.right };
	const struct broker_rules rules = {
		.places = &place, .place_count = place.path != NULL,
		.asks = requests[i].session, .directory = at(requests[i].directory),
		.home = at("home/user"),
	};

	start(&rules);
	const int error = ask(requests[i].kind, requests[i].path, requests[i].number, NULL);
	/* EACCES and EROFS: the directory's own rights forbid to write. */
	const bool good = error == requests[i].error || (requests[i].error == DOOR_REFUSED && (error == EACCES || error == EROFS));
	ok(good, "%s", requests[i].title);
	if (!good)
		tap_diag("%s: %s", requests[i].path, error == 0 ? "done" : strerror(error));
	stop();
}

/* The path of a directory ends with a separator only if it is /. */
TEST(files_in_root)
{
	static const struct sandbox_path next = { "/", SANDBOX_NEXT };
	static const char *const names[] = { ".unspool-test", "unspool-test" };
	char path[64];

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		snprintf(path, sizeof(path), "/%s-%ld", names[i], (long)getpid());
		const int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (made < 0) {
			skip(1, "this user makes no file in /");
			continue;
		}
		close(made);
		start(&(struct broker_rules){ .places = &next, .place_count = 1, .asks = i == 0, .directory = "/", .temporary = "/" });
		is_error(ask(DOOR_OPEN, path, 0, NULL), DOOR_REFUSED, i == 0 ? "a hidden file in / is not read by a session"
				: "no file in / is, also next to a named one");
		stop();
		unlink(path);
	}
}

/* A session reads the user's own work in /opt; the working directory gives nothing there to root. */
TEST(work_in_opt)
{
	char folder[64], path[80];

	snprintf(folder, sizeof(folder), "/opt/unspool-test-%ld", (long)getpid());
	snprintf(path, sizeof(path), "%s/kernel", folder);
	if (mkdir(folder, 0700) != 0) {
		skip(2, "this user makes no directory in /opt");
		return;
	}
	tree_put(at(path), "code", 0600);
	start(&(struct broker_rules){ .asks = true, .directory = at("work") });
	is_error(ask(DOOR_OPEN, path, 0, NULL), 0, "a session reads a source in /opt");
	stop();
	start(&(struct broker_rules){ .directory = folder });
	is_error(ask(DOOR_OPEN, path, 0, NULL), geteuid() == 0 ? DOOR_REFUSED : 0,
		 "a directory of the system gives root nothing as the working directory");
	stop();
	unlink(path);
	rmdir(folder);
}

TEST(other_owners)
{
	tree_put(at("other/foreign"), "foreign", 0644);
	mkdir(at("foreign"), 0755);
	tree_put(at("foreign/notes"), "notes", 0644);
	if (chown(at("other/foreign"), 1234, 1234) != 0 || chown(at("foreign"), 1234, 1234) != 0) {
		skip(2, "only root gives files away");
		return;
	}
	start(&(struct broker_rules){ .asks = true, .directory = at("other") });
	is_error(ask(DOOR_OPEN, "other/foreign", 0, NULL), DOOR_REFUSED, "a document of another user is not read");
	stop();
	start(&(struct broker_rules){ .directory = at("foreign") });
	is_error(ask(DOOR_OPEN, "foreign/notes", 0, NULL), DOOR_REFUSED, "a working directory of another user gives nothing");
	stop();
}

/* The name of a pipe is that of a source file, which would be read; its writer must not notice. */
TEST(pipe_is_not_opened)
{
	char event[256];
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (watch < 0 || inotify_add_watch(watch, at("work/pipe.c"), IN_OPEN) < 0) {
		skip(1, "no inotify");
	} else {
		start(&(struct broker_rules){ .directory = at("work") });
		ok(ask(DOOR_OPEN, "work/pipe.c", 0, NULL) == DOOR_REFUSED && read(watch, event, sizeof(event)) < 0,
		   "a pipe is refused without being opened");
		stop();
	}
	close(watch);
}

static bool
mount_processes(void)
{
	return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("/proc", at("other/mount"), NULL, MS_BIND | MS_REC, NULL) == 0;
}

TEST(mount_of_proc)
{
	mkdir(at("other/mount"), 0755);
	if (!start_prepared(&(struct broker_rules){ .asks = true, .directory = at("work") },
			    mount_processes)) {
		skip(1, "this user mounts nothing");
	} else {
		is_error(ask(DOOR_OPEN, "other/mount/self/status", 0, NULL), DOOR_REFUSED, "another mount of proc gives no file");
	}
	stop();
}

/* While a directory and a link to a hidden one change places, nothing is made in the hidden one. */
TEST(race)
{
	char event[4096];
	bool made = false, read_key = false;
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	mkdir(at("work/swap"), 0700);
	tree_put(at("work/swap/key"), "plain", 0600);
	if (watch < 0 || inotify_add_watch(watch, at("home/user/.ssh"), IN_CREATE) < 0 ||
	    symlink(at("home/user/.ssh"), at("work/swapped")) != 0 ||
	    renameat2(AT_FDCWD, at("work/swap"), AT_FDCWD, at("work/swapped"), RENAME_EXCHANGE) !=
		    0) {
		skip(1, "no inotify, or no exchange of names");
		close(watch);
		return;
	}
	const pid_t swapper = fork();
	while (swapper == 0)
		renameat2(AT_FDCWD, at("work/swap"), AT_FDCWD, at("work/swapped"), RENAME_EXCHANGE);
	start(&(struct broker_rules){ .asks = true, .directory = at("work") });
	for (unsigned i = 0; i < 5000; i++) {
		char bytes[16] = "";
		int descriptor = -1;

		if (ask(DOOR_OPEN, "work/swap/key", 0, &descriptor) == 0 && read(descriptor, bytes, sizeof(bytes) - 1) > 0)
			read_key |= strcmp(bytes, "plain") != 0;
		if (descriptor >= 0)
			close(descriptor);
		if (ask(DOOR_DRAFT, "work/swap/new", 0, NULL) == 0)
			ask(DOOR_SETTLE, "", 0, NULL);
		made |= read(watch, event, sizeof(event)) > 0;
	}
	ok(!made && !read_key, "a directory that becomes a link leads nowhere");
	stop();
	kill(swapper, SIGKILL);
	waitpid(swapper, NULL, 0);
	close(watch);
}

static bool
limit_descriptors(void)
{
	return setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 32, 32 }) == 0;
}

TEST(descriptors)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = { .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(2 * sizeof(int)) } };
	struct door_message message = { .kind = DOOR_REMOVE };
	struct iovec part = { &message, sizeof(message) };
	const struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	int got;

	memcpy(CMSG_DATA(&control.header), (const int[]){ 0, 1 }, 2 * sizeof(int));
	start_prepared(&(struct broker_rules){ .directory = at("work") }, limit_descriptors);
	for (unsigned i = 0; i < 100; i++) {
		sendmsg(broker_end, &packet, MSG_NOSIGNAL);
		door_receive(broker_end, &message, &got);
	}
	is_error(ask(DOOR_OPEN, "work/notes", 0, NULL), 0, "descriptors that are sent are not kept");
	stop();
}

TEST(late_file)
{
	start(&(struct broker_rules){ .asks = true, .directory = at("work") });
	is_error(ask(DOOR_DRAFT, "other/late", 1, NULL), 0, "a document that may replace another one is begun");
	tree_put(at("other/late"), "later", 0600);
	is_error(ask(DOOR_SETTLE, "", 1, NULL), DOOR_REFUSED, "a file made since then is not replaced");
	for (uint32_t over = 0; over < 2; over++)
		is_error(ask(DOOR_DRAFT, "other/own", over, NULL) | ask(DOOR_SETTLE, "", 1, NULL), 0, "its own document is");
	stop();
}

static int
end_at_once(int socket, const char *argument, const void *context)
{
	(void)socket;
	(void)argument;
	(void)context;
	return 7;
}

TEST(service_leaves_drafts)
{
	const struct sandbox_path place = { at("out"), SANDBOX_OUTPUT };
	int service = -1;

	start(&(struct broker_rules){ .places = &place, .place_count = 1, .service = { [DOOR_COPY] = end_at_once } });
	is_error(ask(DOOR_DRAFT, "out/kept", 0, NULL), 0, "a file is begun");
	ask(DOOR_SERVICE, "", DOOR_COPY, &service);
	is_u64((uint64_t)door_wait(service), 7, "the result of a service is sent");
	poll(NULL, 0, 50);
	is_error(ask(DOOR_SETTLE, "", 1, NULL), 0, "the process of a service leaves the file alone");
	stop();
}

static int
wait_for_end(int socket, const char *argument, const void *context)
{
	char byte;

	(void)argument;
	(void)context;
	return read(socket, &byte, 1) < 0;
}

TEST(bounds)
{
	int sockets[LIMIT_BROKER_SERVICES + 8], descriptor;
	size_t count = 0, answered = 0;

	start(&(struct broker_rules){ .service = { [DOOR_COPY] = wait_for_end } });
	while (count < ARRAY_COUNT(sockets) && ask(DOOR_SERVICE, "", DOOR_COPY, &descriptor) == 0)
		sockets[count++] = descriptor;
	is_u64(count, LIMIT_BROKER_SERVICES, "processes of the broker are counted");
	close(sockets[--count]);
	int error = DOOR_REFUSED;
	for (unsigned tries = 0; tries < 200 && error != 0; tries++) {
		poll(NULL, 0, 10);
		error = ask(DOOR_SERVICE, "", DOOR_COPY, NULL);
	}
	is_error(error, 0, "one that has ended makes room");
	while (count > 0)
		close(sockets[--count]);
	stop();
	start(&(struct broker_rules){ .directory = at("work") });
	while (answered <= LIMIT_BROKER_REQUESTS && ask(DOOR_OPEN, "work/none", 0, NULL) == ENOENT)
		answered++;
	is_u64(answered, LIMIT_BROKER_REQUESTS, "requests are counted");
	is_error(ask(DOOR_OPEN, "work/notes", 0, NULL), DOOR_REFUSED, "later ones are refused");
	stop();
}

static int terminal;

static bool
take_terminal(void)
{
	const char *name = ptsname(terminal);
	const int mine = setsid() > 0 && name != NULL ? open(name, O_RDWR | O_CLOEXEC) : -1;

	return mine >= 0 && ioctl(mine, TIOCSCTTY, 0) == 0;
}

/* Ask to allow a hidden file, and read the question. */
static void
ask_question(char *shown, size_t size)
{
	struct door_message message = { .kind = DOOR_ALLOW };
	size_t length = 0;

	shown[0] = '\0';
	snprintf(message.text, sizeof(message.text), "%s", at("other/.tool/vector"));
	door_send(broker_end, &message, -1);
	while (strstr(shown, "yes or no: ") == NULL && length < size - 1 && poll(&(struct pollfd){ terminal, POLLIN, 0 }, 1, 10000) == 1) {
		const ssize_t got = read(terminal, shown + length, size - 1 - length);

		if (got <= 0)
			break;
		shown[length += (size_t)got] = '\0';
	}
}

/* Answer the question, then ask for the file. */
static void
question(const char *answer, int error, const char *title)
{
	struct door_message message;
	char shown[4 * PATH_MAX];
	int descriptor;

	ask_question(shown, sizeof(shown));
	ok(strstr(shown, at("other/.tool/vector")) != NULL, "%s: the question names the path", title);
	if (write(terminal, answer, strlen(answer)) != (ssize_t)strlen(answer))
		tap_diag("no answer");
	ok(door_receive(broker_end, &message, &descriptor) && message.error == error &&
		   ask(DOOR_OPEN, "other/.tool/vector", 0, NULL) == error, "%s", title);
}

/* The client ends while a question is open: the broker must not read what is typed later. */
static void
end_in_question(void)
{
	char shown[4 * PATH_MAX];
	pid_t ended = 0;

	ask_question(shown, sizeof(shown));
	close(broker_end);
	for (unsigned tries = 0; tries < 500 && ended == 0; tries++) {
		poll(NULL, 0, 10);
		ended = waitpid(broker_process, NULL, WNOHANG);
	}
	ok(ended == broker_process, "a question ends with the client");
	if (ended == 0)
		kill(broker_process, SIGKILL);
}

TEST(questions)
{
	const struct broker_rules rules = { .asks = true, .directory = at("work") };

	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 || !start_prepared(&rules, take_terminal)) {
		skip(5, "no terminal");
		stop();
	} else {
		question("y\n", DOOR_REFUSED, "only 'yes' allows a path");
		question("yes\n", 0, "a path that the user allows is read");
		end_in_question();
	}
	close(terminal);
	start(&(struct broker_rules){ .directory = at("work") });
	is_error(ask(DOOR_ALLOW, "other/.tool/vector", 0, NULL), DOOR_REFUSED, "a batch command asks no question");
	stop();
}

/* A client that ends while its broker waits for the reader of a pipe. */
TEST(waiting)
{
	struct sandbox_path place = { at("out/pipe"), WRITES };
	struct door_message message = { .kind = DOOR_DRAFT };

	if (mkfifo(place.path, 0600) != 0)
		tap_diag("no pipe");
	snprintf(message.text, sizeof(message.text), "%s", place.path);
	start(&(struct broker_rules){ .directory = at("work"), .places = &place, .place_count = 1 });
	ok(door_send(broker_end, &message, -1), "a pipe without a reader is asked for");
	stop();
	ok(true, "the broker ends with its client");
	const int reader = open(place.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int writer = -1;
	start(&(struct broker_rules){ .directory = at("work"), .places = &place, .place_count = 1 });
	is_error(ask(DOOR_DRAFT, "out/pipe", 0, &writer), 0, "a pipe with a reader is opened");
	is_u64((uint64_t)fcntl(writer, F_GETFL) & O_NONBLOCK, 0, "writing waits for the reader");
	close(reader);
	close(writer);
	stop();
	unlink(place.path);
}

static void
prepare(void)
{
	static const char *const folders[] = {
		"work", "work/deep", "work/.hidden", "other", "other/deep", "other/.tool",
		"other/.tool/include", "home", "home/user", "home/user/.ssh", "out",
	};
	static const char *const files[] = {
		"work/notes", "work/deep/notes", "work/.hidden/notes", "work/.notes", "other/notes", "other/deep/notes", "other/.notes",
		"other/.tool/a.tpp", "other/.tool/a.cppm", "other/.tool/a.ypp", "other/.tool/include/vector", "other/.tool/vector", "home/user/notes",
		"home/user/.ssh/key", "out/notes", "out/.profile",
	};

	const char *base = getenv("TMPDIR");
	char *real = realpath(base != NULL ? base : "/tmp", NULL);
	snprintf(root, sizeof(root), "%s/unspool-broker.XXXXXX", real != NULL ? real : ".");
	free(real);
	if (mkdtemp(root) == NULL)
		tap_diag("no directory");
	for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
		mkdir(at(folders[i]), 0700);
	for (size_t i = 0; i < ARRAY_COUNT(files); i++)
		tree_put(at(files[i]), "text", 0600);
	tree_put(at("out/run"), "#!", 0700);
	tree_put(at("work/run"), "#!", 0700);
	if (symlink(at("home/user/.ssh/key"), at("work/link")) != 0 || mkfifo(at("work/pipe.c"), 0600) != 0)
		tap_diag("no links or pipes");
}

int
main(void)
{
	char command[PATH_MAX + 16];

	prepare();
	run_tests();
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ok(system(command) == 0, "nothing is left");
	return done_testing();
}
