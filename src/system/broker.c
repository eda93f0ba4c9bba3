/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/broker.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "system/new_file.h"

#define MOST_DRAFTS 64u
#define MOST_MADE 256u

/* A file being written. */
struct broker_draft {
	char *path, *draft;		/* NULL: unused */
	bool replace;
};

/* Signals that end a session do not end its broker, which exits after the session. */
static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };

struct broker {
	const struct broker_rules *rules;
	struct broker_draft drafts[MOST_DRAFTS];
	char *made[MOST_MADE];		/* made by this broker: it may rewrite or remove them */
	size_t made_count;
};

/* First bytes of the kinds of files that unspool reads; other files may hold secrets. */
static const struct {
	const char *bytes;
	size_t length;
} heads[] = {
#define HEAD(text) { text, sizeof(text) - 1 }
	HEAD("\177ELF"), HEAD("MZ"), HEAD("MODULE "), HEAD("Microsoft C/C++ "), HEAD("MSCF"),
	HEAD("MDMP"), HEAD("PMDM"), HEAD("\037\213"), HEAD("\3757zXZ"), HEAD("\050\265\057\375"),
	HEAD("\004\042\115\030"), HEAD("\342\336"), HEAD("\336\342"), HEAD("SZDD"),
#undef HEAD
};

static const char *const source_ends[] = {
	"c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc",
	"m", "mm", "s", "asm", "rs", "go", "swift", "zig", "nim", "d", "f", "f90", "pas", "adb",
	"ads", "ml", "hs", "java", "kt", "scala", "cs", "cu", "y", "l", "def", "cr", "odin", "v",
};

static const char *const never_opened[] = { "/proc", "/sys", "/dev" };
static const char *const of_system[] = {
	"/proc", "/sys", "/dev", "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/boot", "/opt", "/var", "/run",
};

static bool
is_beneath(const char *path, const char *root)
{
	const size_t length = root == NULL ? 0 : strlen(root);

	return length != 0 && strncmp(path, root, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/' || root[length - 1] == '/');
}

static bool
is_beneath_any(const char *path, const char *const *roots, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_beneath(path, roots[i]))
			return true;
	return false;
}

/* Whether a path may be a user's document: in the working directory, in sessions also elsewhere. */
static bool
is_users(const struct broker_rules *rules, const char *path)
{
	const bool here = is_beneath(path, rules->directory);

	return strstr(path + (here ? strlen(rules->directory) : 0), "/.") == NULL &&
	       (here ||
		(rules->asks && (is_beneath(path, rules->temporary) ||
				 !is_beneath_any(path, of_system, ARRAY_COUNT(of_system)))));
}

/* Whether the path is in the same directory as a given file. */
static bool
is_beside(const struct broker_rules *rules, const char *path)
{
	const size_t folder = (size_t)(strrchr(path, '/') - path);

	for (size_t i = 0; i < rules->given_count; i++)
		if (strncmp(rules->given[i], path, folder + 1) == 0 &&
		    strchr(rules->given[i] + folder + 1, '/') == NULL)
			return path[folder + 1] != '.';
	return false;
}

static bool
is_source(const char *path)
{
	const char *end = strrchr(path, '.');

	for (size_t i = 0; end != NULL && i < ARRAY_COUNT(source_ends); i++)
		if (strcasecmp(end + 1, source_ends[i]) == 0)
			return true;
	return false;
}

static bool
begins_well(int descriptor)
{
	char head[16];
	const ssize_t length = pread(descriptor, head, sizeof(head), 0);

	for (size_t i = 0; i < ARRAY_COUNT(heads); i++)
		if (length >= (ssize_t)heads[i].length &&
		    memcmp(head, heads[i].bytes, heads[i].length) == 0)
			return true;
	return false;
}

/* The path of an open file, without links; false: unknown. */
static bool
find_path(int descriptor, const char *path, char real[PATH_MAX])
{
	char link[32];
	struct stat opened, named;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	const ssize_t length = readlink(link, real, PATH_MAX - 1);
	if (length > 0 && real[0] == '/') {
		real[length] = '\0';
		return true;
	}
	return realpath(path, real) != NULL && fstat(descriptor, &opened) == 0 &&
	       stat(real, &named) == 0 && opened.st_ino == named.st_ino &&
	       opened.st_dev == named.st_dev;
}

static bool
may_read(const struct broker_rules *rules, int descriptor, const char *path)
{
	char real[PATH_MAX];
	struct stat status;

	if (fstat(descriptor, &status) != 0 || !find_path(descriptor, path, real) ||
	    is_beneath_any(real, never_opened, ARRAY_COUNT(never_opened)))
		return false;
	if (S_ISDIR(status.st_mode))
		return true;
	return S_ISREG(status.st_mode) &&
	       (is_beneath_any(real, rules->given, rules->given_count) || is_source(real) ||
		begins_well(descriptor) || is_beside(rules, real) || is_users(rules, real));
}

/* Without O_NONBLOCK a pipe would wait for a writer; plain files ignore the flag. */
static int
open_file(const struct broker_rules *rules, const struct door_message *message)
{
	const int descriptor = open(message->text, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
						   (message->number != 0 ? O_DIRECTORY : 0));

	if (descriptor < 0 || may_read(rules, descriptor, message->text))
		return descriptor;
	close(descriptor);
	errno = DOOR_REFUSED;
	return -1;
}

/* The path with the links of its directory resolved; false with errno: no such directory. */
static bool
settle_path(const char *path, char real[PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	char folder[PATH_MAX] = ".";

	if (slash != NULL)
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);
	if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		errno = EISDIR;
	else if (realpath(folder, real) != NULL) {
		const size_t length = strcmp(real, "/") == 0 ? 0 : strlen(real);

		if (length + strlen(name) + 2 <= PATH_MAX) {
			real[length] = '/';
			memcpy(real + length + 1, name, strlen(name) + 1);
			return true;
		}
		errno = ENAMETOOLONG;
	}
	return false;
}

/* The index of a path in the list of files that this broker made, or the list's length. */
static size_t
made_index(const struct broker *broker, const char *real)
{
	size_t i = 0;

	while (i < broker->made_count && strcmp(broker->made[i], real) != 0)
		i++;
	return i;
}

static bool
may_write(const struct broker *broker, const char *real)
{
	const struct broker_rules *rules = broker->rules;
	struct stat status;

	if (is_beneath_any(real, rules->outputs, rules->output_count))
		return true;
	if (!rules->asks || !is_users(rules, real))
		return false;
	if (lstat(real, &status) != 0)
		return true;
	if (made_index(broker, real) < broker->made_count)
		return true;
	return S_ISDIR(status.st_mode) ||
	       ((status.st_mode & 0111) == 0 && (is_beneath(real, rules->directory) ||
						 is_beneath(real, rules->temporary)));
}

static int
make_draft(struct broker *broker, struct door_message *message)
{
	struct broker_draft *draft = broker->drafts;
	char real[PATH_MAX], path[DOOR_TEXT];

	while (draft < broker->drafts + MOST_DRAFTS && draft->path != NULL)
		draft++;
	if (!settle_path(message->text, real))
		return -1;
	if (draft == broker->drafts + MOST_DRAFTS || !may_write(broker, real)) {
		errno = DOOR_REFUSED;
		return -1;
	}
	const int descriptor = new_file_draft(path, real, message->number != 0);
	if (descriptor < 0)
		return -1;
	*draft = (struct broker_draft){ strdup(real), strdup(path), message->number != 0 };
	message->handle = (uint32_t)(draft - broker->drafts);
	memcpy(message->text, path, sizeof(path));
	return descriptor;
}

static void
settle_draft(struct broker *broker, const struct door_message *message)
{
	struct broker_draft *draft = &broker->drafts[message->handle % MOST_DRAFTS];

	errno = EBADF;
	if (draft->path == NULL || draft->draft == NULL)
		return;
	errno = 0;
	if (new_file_settle(draft->draft, draft->path, draft->replace, message->number != 0) &&
	    draft->draft[0] != '\0' && message->number != 0 && broker->made_count < MOST_MADE)
		broker->made[broker->made_count++] = draft->path;
	else
		free(draft->path);
	free(draft->draft);
	*draft = (struct broker_draft){ 0 };
}

/* Whether an output is beneath the path: its directories may be made, too. */
static bool
leads_to_output(const struct broker_rules *rules, const char *real)
{
	for (size_t i = 0; i < rules->output_count; i++)
		if (is_beneath(rules->outputs[i], real))
			return true;
	return false;
}

static void
make_directory(struct broker *broker, const struct door_message *message)
{
	char real[PATH_MAX];

	if (!settle_path(message->text, real))
		return;
	if (!may_write(broker, real) && !leads_to_output(broker->rules, real))
		errno = DOOR_REFUSED;
	else
		errno = mkdir(real, message->number & 0777) == 0 ? 0 : errno;
	if (errno != 0 || broker->made_count == MOST_MADE)
		return;
	/* Out of memory for its name: the directory stays, but is not removed later. */
	broker->made[broker->made_count] = strdup(real);
	broker->made_count += broker->made[broker->made_count] != NULL;
	errno = 0;
}

/* Remove a file or an empty directory that this broker made. */
static void
remove_made(struct broker *broker, const struct door_message *message)
{
	char real[PATH_MAX];

	if (!settle_path(message->text, real))
		return;
	const size_t index = made_index(broker, real);
	if (index == broker->made_count) {
		errno = DOOR_REFUSED;
		return;
	}
	errno = unlink(real) == 0 || rmdir(real) == 0 ? 0 : errno;
	if (errno != 0)
		return;
	free(broker->made[index]);
	broker->made[index] = broker->made[--broker->made_count];
}

static void
set_signals(void (*handler)(int number))
{
	for (size_t i = 0; i < ARRAY_COUNT(ignored); i++)
		signal(ignored[i], handler);
}

/*
 * Start a process for a service; in it `*ours` is the socket to the client. In this process returns
 * the other end, to be sent to the client; -1 with errno.
 */
static int
fork_service(const struct broker_rules *rules, const struct door_message *message, int *ours)
{
	int ends[2];

	*ours = -1;
	errno = DOOR_REFUSED;
	if (message->number >= DOOR_SERVICE_COUNT || rules->service[message->number] == NULL ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	const pid_t child = fork();
	if (child == 0)
		*ours = ends[1];
	close(ends[child == 0 ? 0 : 1]);
	if (child >= 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Answer a request; false in a process that has run a service. */
static bool
answer(struct broker *broker, int socket, struct door_message *message)
{
	const struct broker_rules *rules = broker->rules;
	int descriptor = -1, ours = -1;

	errno = EINVAL;
	if (message->kind == DOOR_OPEN)
		descriptor = open_file(rules, message);
	else if (message->kind == DOOR_DRAFT)
		descriptor = make_draft(broker, message);
	else if (message->kind == DOOR_SETTLE)
		settle_draft(broker, message);
	else if (message->kind == DOOR_DIRECTORY)
		make_directory(broker, message);
	else if (message->kind == DOOR_REMOVE)
		remove_made(broker, message);
	else if (message->kind == DOOR_SERVICE)
		descriptor = fork_service(rules, message, &ours);
	if (ours >= 0) {
		close(socket);
		set_signals(SIG_DFL);
		const int status =
			rules->service[message->number](ours, message->text, rules->context);
		send(ours, &status, sizeof(status), MSG_NOSIGNAL);
		return false;
	}
	message->error = descriptor >= 0 ? 0 : errno;
	const bool sent = door_send(socket, message, descriptor);
	if (descriptor >= 0)
		close(descriptor);
	return sent;
}

void
broker_serve(int socket, const struct broker_rules *rules)
{
	struct broker broker = { .rules = rules };
	struct door_message message;
	int descriptor;

	set_signals(SIG_IGN);
	while (door_receive(socket, &message, &descriptor)) {
		if (descriptor >= 0)
			close(descriptor);
		if (!answer(&broker, socket, &message))
			break;
	}
	for (size_t i = 0; i < MOST_DRAFTS; i++)
		if (broker.drafts[i].path != NULL && broker.drafts[i].draft != NULL)
			new_file_settle(broker.drafts[i].draft, broker.drafts[i].path, false,
					false);
}
