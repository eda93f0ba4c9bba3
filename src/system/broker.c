/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/broker.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#else
#define O_PATH O_RDONLY
#endif

#include "base/compiler.h"
#include "base/limits.h"
#include "base/text.h"
#include "system/file.h"
#include "system/inflate.h"
#include "system/new_file.h"

#define MOST_DRAFTS 64u
#define MOST_MADE 256u
#define MOST_ALLOWED 16u

struct broker_draft {
	/* Path without links (NULL: unused), and name of the draft in its directory */
	char *path, *draft;
	bool replace;
};

struct broker {
	const struct broker_rules *rules;
	int socket;
	int home;			/* the directory that requests begin in */
	char real[PATH_MAX];		/* the path to write, without links */
	const char *name;		/* last part of the path, in the current directory */
	const char *roots[3];		/* directories of the user's documents, or NULL */
	/* Paths that the user has allowed in answer to a question */
	struct sandbox_path allowed[MOST_ALLOWED];
	size_t allowed_count, questions;
	struct broker_draft drafts[MOST_DRAFTS];
	/* Files made by this broker, which it may rewrite or remove */
	char *made[MOST_MADE];
	size_t made_count;
	sigset_t signals;		/* the signals that services block */
	size_t requests, services;	/* numbers of all requests and of running services */
	bool ended;			/* this process has run a service */
};

/* First bytes of uncompressed files that unspool reads; other files may hold secrets. */
static const char *const heads[] = {
	"\177ELF", "MZ", "MODULE ", "Microsoft C/C++ ", "MDMP", "PMDM", "\342\336", "\336\342",
	"SZDD", "\317\372\355\376", "\316\372\355\376", "\312\376\272\276",
};

static const char *const of_system[] = {
	"/proc", "/sys", "/dev", "/etc", "/boot", "/run", "/usr", "/bin", "/sbin", "/lib", "/lib32",
	"/lib64", "/var", "/opt",
};
/* The first WITHOUT_DUMPS paths have no dumps; only the last path may have the user's work. */
#define WITHOUT_DUMPS 6u
#define WITHOUT_WORK (ARRAY_COUNT(of_system) - 1)

static bool
is_beneath(const char *path, const char *root)
{
	const size_t length = strlen(root);

	return strncmp(path, root, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/' || root[length - 1] == '/');
}

static bool
is_of_system(const char *path, size_t count)
{
	bool found = path[1] == '\0';

	for (size_t i = 0; i < count && !found; i++)
		found = is_beneath(path, of_system[i]);
	return found;
}

static bool
gives(const struct sandbox_path *place, enum sandbox_right right, const char *real)
{
	const size_t length = strlen(place->path), slash = length == 1;
	const char *name = strrchr(real, '/') + 1;

	if (!is_beneath(real, place->path))
		return false;
	if (place->right != SANDBOX_NEXT)
		return right == SANDBOX_READ || (place->right == SANDBOX_OUTPUT &&
						strstr(real + length - slash, "/.") == NULL);
	return right == SANDBOX_READ && name == real + length && name[0] != '.' &&
	       !is_of_system(place->path, WITHOUT_DUMPS);
}

/* Find a path that gives the right, in the rules or in broker->allowed; or NULL. */
static const struct sandbox_path *
find_place(const struct broker *broker, enum sandbox_right right, const char *real)
{
	const size_t named = broker->rules->place_count;
	const struct sandbox_path *place = NULL;

	for (size_t i = 0; i < named + broker->allowed_count && place == NULL; i++) {
		place = i < named ? &broker->rules->places[i] : &broker->allowed[i - named];
		place = gives(place, right, real) ? place : NULL;
	}
	return place;
}

/* The part of a path beneath a directory of the user's documents, or NULL. */
static const char *
part_beneath_root(const struct broker *broker, const char *real)
{
	const char *part = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(broker->roots) && part == NULL; i++)
		if (broker->roots[i] != NULL && is_beneath(real, broker->roots[i]))
			part = real + strlen(broker->roots[i]);
	return part;
}

static bool
is_users(const struct broker *broker, const char *real, uid_t owner)
{
	const bool elsewhere = broker->rules->asks && !is_of_system(real, WITHOUT_WORK);
	const char *part = part_beneath_root(broker, real);

	return owner == geteuid() && (part != NULL || elsewhere) &&
	       strstr(part != NULL ? part : real, "/.") == NULL;
}

/* Whether the working directory may contain the user's work. */
static bool
is_for_work(const struct broker_rules *rules)
{
	const char *path = rules->directory;
	struct stat status;

	return stat(path, &status) == 0 && status.st_uid == geteuid() &&
	       (geteuid() != 0 || !is_of_system(path, ARRAY_COUNT(of_system))) &&
	       (rules->home == NULL || strcmp(rules->home, path) == 0 ||
		!is_beneath(rules->home, path));
}

static bool
begins_well(int descriptor)
{
	uint8_t head[17] = "";
	const ssize_t length = pread(descriptor, head, sizeof(head) - 1, 0);
	const bool good = length > 0 && inflate_identify(head, (uint64_t)length) != INFLATE_NONE;

	return good || text_begins(text_of((const char *)head), heads, ARRAY_COUNT(heads)) > 0;
}

/* Open a path without links; fails if a link has appeared in it since it was resolved. */
static int
open_real(const char *real, int flags)
{
#ifdef __linux__
	const struct open_how how = { .flags = (unsigned)flags | O_CLOEXEC,
				      .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, real, &how, sizeof(how));
#else
	return open(real, flags | O_CLOEXEC | O_NOFOLLOW);
#endif
}

/* Opening a device or a pipe has effects, so the kind of the file is checked first. */
static int
open_file(struct broker *broker, struct door_message *message)
{
	const int how = O_RDONLY | O_NOCTTY | O_NONBLOCK | (message->number != 0 ? O_DIRECTORY : 0);
	char real[PATH_MAX];
	struct stat seen, opened;
	const int look = realpath(message->text, real) == NULL ? -1 : open_real(real, O_PATH);
	int descriptor = -1;

	if (look < 0)
		return -1;
	errno = 0;
	const bool plain = file_is_data(look, &seen);
	if (plain || (errno == 0 && S_ISDIR(seen.st_mode)))
		descriptor = open_real(real, how);
	else if (errno == 0)
		errno = DOOR_REFUSED;
	const int reason = errno;
	close(look);
	errno = reason;
	if (descriptor < 0 ||
	    (fstat(descriptor, &opened) == 0 && opened.st_ino == seen.st_ino &&
	     opened.st_dev == seen.st_dev &&
	     (!plain || find_place(broker, SANDBOX_READ, real) != NULL ||
	      file_has_source_name(real) || begins_well(descriptor) ||
	      is_users(broker, real, seen.st_uid))))
		return descriptor;
	close(descriptor);
	errno = DOOR_REFUSED;
	return -1;
}

/* Enter the directory of a file that may be missing, and set broker->real; false with errno. */
static bool
enter(struct broker *broker, const char *path)
{
	char *real = broker->real;
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	char folder[DOOR_TEXT];

	snprintf(folder, sizeof(folder), "%.*s/.", (int)(name - path), path);
	errno = EISDIR;
	if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    realpath(slash == NULL ? "." : folder, real) == NULL)
		return false;
	const int there = open_real(real, O_PATH | O_DIRECTORY);
	const bool entered = there >= 0 && fchdir(there) == 0;
	const size_t length = strcmp(real, "/") == 0 ? 0 : strlen(real);
	if (there >= 0)
		close(there);
	if (!entered)
		return false;
	errno = ENAMETOOLONG;
	broker->name = real + length + 1;
	return snprintf(real + length, PATH_MAX - length, "/%s", name) < (int)(PATH_MAX - length);
}

/* The index of the path in the list of files that this broker made, or the list's length. */
static size_t
made_index(const struct broker *broker)
{
	size_t i = 0;

	while (i < broker->made_count && strcmp(broker->made[i], broker->real) != 0)
		i++;
	return i;
}

/* Whether the path may be written, or may be made as a `directory` above a writable path. */
static bool
may_write(const struct broker *broker, bool directory)
{
	const struct broker_rules *rules = broker->rules;
	const char *real = broker->real;
	const struct sandbox_path *place = find_place(broker, SANDBOX_OUTPUT, real);
	struct stat status;
	const bool exists = lstat(broker->name, &status) == 0;
	const bool users = rules->asks &&
			   is_users(broker, real, exists ? status.st_uid : geteuid());
	bool may = (place != NULL || users) &&
		   (!exists || made_index(broker) < broker->made_count ||
		    (place != NULL && strcmp(place->path, real) == 0) ||
		    (S_ISREG(status.st_mode) && (status.st_mode & 0111) == 0 &&
		     (place != NULL || part_beneath_root(broker, real) != NULL)));

	for (size_t i = 0; i < rules->place_count && directory && !may; i++)
		may = rules->places[i].right == SANDBOX_OUTPUT &&
		      is_beneath(rules->places[i].path, real);
	if (!may)
		errno = access(".", W_OK) == 0 ? DOOR_REFUSED : errno;
	return may;
}

static int
make_draft(struct broker *broker, struct door_message *message)
{
	struct broker_draft *draft = broker->drafts;
	char made[DOOR_TEXT];

	while (draft < broker->drafts + MOST_DRAFTS && draft->path != NULL)
		draft++;
	if (!enter(broker, message->text) || !may_write(broker, false))
		return -1;
	errno = DOOR_REFUSED;
	const int descriptor = draft == broker->drafts + MOST_DRAFTS
				       ? -1
				       : new_file_draft(made, broker->name, message->number != 0,
							broker->socket);
	if (descriptor < 0)
		return -1;
	*draft = (struct broker_draft){ strdup(broker->real), strdup(made), message->number != 0 };
	message->handle = (uint32_t)(draft - broker->drafts);
	return descriptor;
}

static int
settle_draft(struct broker *broker, struct door_message *message)
{
	struct broker_draft *draft = &broker->drafts[message->handle % MOST_DRAFTS];

	errno = EBADF;
	if (draft->path == NULL || draft->draft == NULL)
		return -1;
	/* Since the draft was made, a file that may not be replaced may have got its name. */
	const bool entered = enter(broker, draft->path);
	const bool keep = message->number != 0 && entered &&
			  (!draft->replace || may_write(broker, false));
	errno = entered && keep == (message->number != 0) ? 0 : errno;
	if (entered && new_file_settle(draft->draft, broker->name, draft->replace, keep) && keep &&
	    draft->draft[0] != '\0' && broker->made_count < MOST_MADE)
		broker->made[broker->made_count++] = draft->path;
	else
		free(draft->path);
	free(draft->draft);
	*draft = (struct broker_draft){ 0 };
	return -1;
}

static int
make_directory(struct broker *broker, struct door_message *message)
{
	if (!enter(broker, message->text) || !may_write(broker, true) ||
	    mkdir(broker->name, message->number & 0777) != 0)
		return -1;
	/* A directory whose name cannot be recorded stays, but is not removed later. */
	if (broker->made_count < MOST_MADE &&
	    (broker->made[broker->made_count] = strdup(broker->real)) != NULL)
		broker->made_count++;
	errno = 0;
	return -1;
}

/* Remove a file or an empty directory that this broker made. */
static int
remove_made(struct broker *broker, struct door_message *message)
{
	if (!enter(broker, message->text))
		return -1;
	const size_t index = made_index(broker);
	errno = DOOR_REFUSED;
	if (index == broker->made_count ||
	    (unlink(broker->name) != 0 && rmdir(broker->name) != 0))
		return -1;
	errno = 0;
	free(broker->made[index]);
	broker->made[index] = broker->made[--broker->made_count];
	return -1;
}

/* Only the user can answer: code in the sandbox cannot type into the terminal. */
static bool
is_confirmed(int client, const char *real)
{
	const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	char shown[4 * PATH_MAX], line[8];

	if (terminal < 0)
		return false;
	tcflush(terminal, TCIFLUSH);
	text_printable(shown, sizeof(shown), text_of(real));
	dprintf(terminal, "\nMay unspool read and write '%s' and all beneath it? yes or no: ",
		shown);
	/* If the client has ended, a shell also reads the terminal, so stop waiting. */
	struct pollfd ready[] = { { terminal, POLLIN, 0 }, { client, 0, 0 } };
	const bool ended = poll(ready, ARRAY_COUNT(ready), -1) <= 0 || ready[1].revents != 0;
	const ssize_t length = ended ? -1 : read(terminal, line, sizeof(line));
	close(terminal);
	return length == 4 && memcmp(line, "yes\n", 4) == 0;
}

static int
allow(struct broker *broker, struct door_message *message)
{
	if (realpath(message->text, broker->real) == NULL && !enter(broker, message->text))
		return -1;
	const bool confirmed = broker->rules->asks && broker->questions++ < MOST_ALLOWED &&
			       is_confirmed(broker->socket, broker->real);
	const char *kept = confirmed ? strdup(broker->real) : NULL;
	errno = !confirmed ? DOOR_REFUSED : kept == NULL ? ENOMEM : 0;
	if (kept != NULL)
		broker->allowed[broker->allowed_count++] =
			(struct sandbox_path){ kept, SANDBOX_OUTPUT };
	return -1;
}

/* Start a process for a service. Returns a socket to the process, for the client. */
static int
start_service(struct broker *broker, struct door_message *message)
{
	const struct broker_rules *rules = broker->rules;
	int ends[2];

	while (broker->services > 0 && waitpid(-1, NULL, WNOHANG) > 0)
		broker->services--;
	errno = DOOR_REFUSED;
	if (message->number >= DOOR_SERVICE_COUNT || broker->services == LIMIT_BROKER_SERVICES ||
	    rules->service[message->number] == NULL ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	const pid_t child = fork();
	close(ends[child == 0 ? 0 : 1]);
	if (child == 0) {
		close(broker->socket);
		sigprocmask(SIG_SETMASK, &broker->signals, NULL);
		const int status = rules->service[message->number](ends[1], message->text,
								   rules->context);
		send(ends[1], &status, sizeof(status), MSG_NOSIGNAL);
		broker->ended = true;
		return -1;
	}
	broker->services += child > 0;
	if (child > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Each function returns a descriptor, or -1 with errno; 0: done, without a descriptor. */
static int (*const answers[])(struct broker *broker, struct door_message *message) = {
	[DOOR_OPEN] = open_file, [DOOR_DRAFT] = make_draft, [DOOR_SETTLE] = settle_draft,
	[DOOR_DIRECTORY] = make_directory, [DOOR_REMOVE] = remove_made, [DOOR_ALLOW] = allow,
	[DOOR_SERVICE] = start_service,
};

/* Answer a request; false: the client is gone, or this process has run a service. */
static bool
answer(struct broker *broker, struct door_message *message)
{
	int descriptor = -1;

	if (++broker->requests > LIMIT_BROKER_REQUESTS)
		errno = DOOR_REFUSED;
	else if (message->kind >= ARRAY_COUNT(answers))
		errno = EINVAL;
	else if (fchdir(broker->home) == 0)
		descriptor = answers[message->kind](broker, message);
	message->error = descriptor >= 0 ? 0 : errno;
	const bool sent = !broker->ended && door_send(broker->socket, message, descriptor);
	if (descriptor >= 0)
		close(descriptor);
	return sent;
}

void
broker_serve(int socket, const struct broker_rules *rules)
{
	struct broker broker = { .rules = rules, .socket = socket,
				 .home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	const char *const roots[] = { rules->directory, rules->temporary, "/var/tmp" };
	struct door_message message;
	sigset_t all;

	for (size_t i = 0; i < ARRAY_COUNT(roots); i++)
		if (roots[i] != NULL && roots[i][1] != '\0' &&
		    (i == 0 ? is_for_work(rules) : rules->asks))
			broker.roots[i] = roots[i];
	/* Signals that end a session do not end its broker, which exits after the session. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &broker.signals);
	while (door_receive(socket, &message, NULL) && answer(&broker, &message))
		;
	for (uint32_t i = 0; i < MOST_DRAFTS && !broker.ended; i++)
		settle_draft(&broker, &(struct door_message){ .handle = i });
}
