/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/cmd.h"
#include "lesson/lesson.h"
#include "locate/fetch.h"
#include "locate/symbol_path.h"
#include "system/broker.h"
#include "system/directory.h"
#include "ui/explorer.h"

/* System files that libraries read: libraries, locales, time zones. */
static const char *const of_system[] = {
	"/usr", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/ld.so.preload",
	"/etc/localtime", "/etc/locale.alias", "/proc/self", "/sys/devices/system/cpu",
};
/* On most systems these are links into /usr. */
static const char *const of_old_systems[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64" };
/* Further files that the explorer's terminal libraries read. */
static const char *const of_session[] = {
	"/etc/terminfo", "/etc/inputrc", "/etc/passwd", "/etc/nsswitch.conf",
};
/* Further files that a process with network access reads. */
static const char *const of_network[] = {
	"/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/gnutls",
	"/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
	"/run/systemd/resolve", "/run/resolvconf", "/etc/passwd", "/etc/nsswitch.conf",
	"/proc/cpuinfo", "/proc/meminfo", "/dev/urandom", "/dev/zero",
};
static const char *const of_environment[] = {
	"UNSPOOL_SYMBOLS", "UNSPOOL_BINARIES", "UNSPOOL_DATA", "LD_LIBRARY_PATH", "LOCPATH",
	"TERMINFO", "TERMINFO_DIRS", "INPUTRC",
};
static const char *const network_environment[] = {
	"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "DEBUGINFOD_HEADERS_FILE",
};

/* The paths of the sandbox and of its broker. */
struct sandbox_rules {
	struct arena arena;
	struct sandbox_path *paths;
	size_t count, capacity;
};

static bool
is_allowed(const struct sandbox_rules *rules, const char *path, enum sandbox_right right)
{
	for (size_t i = 0; i < rules->count; i++)
		if (rules->paths[i].right == right && strcmp(rules->paths[i].path, path) == 0)
			return true;
	return false;
}

static void
allow(struct sandbox_rules *rules, const char *path, enum sandbox_right right)
{
	if (path != NULL && *path != '\0' && !is_allowed(rules, path, right))
		ARENA_ADD(&rules->arena, rules->paths, rules->count, rules->capacity,
			  &(struct sandbox_path){ path, right });
}

static void
allow_all(struct sandbox_rules *rules, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		allow(rules, paths[i], SANDBOX_READ);
}

/* Allow the files of libraries. Each rule costs four calls, so a link into /usr gets none. */
static void
allow_system(struct sandbox_rules *rules)
{
	char target[4];

	allow_all(rules, of_system, ARRAY_COUNT(of_system));
	for (size_t i = 0; i < ARRAY_COUNT(of_old_systems); i++)
		if (readlink(of_old_systems[i], target, sizeof(target)) != sizeof(target) ||
		    memcmp(target, "usr/", sizeof(target)) != 0)
			allow(rules, of_old_systems[i], SANDBOX_READ);
}

/* Create a directory and allow it. */
static void
allow_made(struct sandbox_rules *rules, const char *path, enum sandbox_right right)
{
	if (path != NULL && access(path, F_OK) != 0 && directory_make_above(path, 0700))
		mkdir(path, 0700);
	allow(rules, path, right);
}

/* The absolute path, without links, of a file that may not exist; NULL: unknown. */
static const char *
resolve(struct arena *arena, const char *path)
{
	char real[PATH_MAX], *part = arena_string(arena, path);
	const char *rest = "";

	while (part != NULL && rest != NULL && realpath(*part == '\0' ? "." : part, real) == NULL) {
		char *slash = strrchr(part, '/'), *name = slash == NULL ? part : slash + 1;

		/* The parent of a missing directory ("..") cannot be resolved. */
		if (*part == '\0' || strcmp(name, "..") == 0)
			return NULL;
		if (*name != '\0' && strcmp(name, ".") != 0)
			rest = arena_format(arena, "/%s%s", name, rest);
		part[slash == part ? 1 : name - part - (slash != NULL)] = '\0';
	}
	return part == NULL || rest == NULL
		       ? NULL
		       : arena_format(arena, "%s%s", *rest != '\0' && real[1] == '\0' ? "" : real,
				      rest);
}

/* Allow a named path. SANDBOX_NEXT: also allow all files in the directory of a named file. */
static void
give(struct sandbox_rules *rules, const char *path, enum sandbox_right right)
{
	const bool known = right == SANDBOX_READ && is_allowed(rules, path, right);
	const char *real = *path == '\0' || known ? NULL : resolve(&rules->arena, path);
	struct stat status;
	const bool exists = real != NULL && stat(real, &status) == 0;

	if (exists && right == SANDBOX_NEXT && S_ISREG(status.st_mode))
		allow(rules, arena_format(&rules->arena, "%.*s",
					  (int)(place_base_name(real) - real), real), right);
	/* Allow the name, too: for /dev/fd/N, the target alone is not enough. */
	if (exists && strcmp(path, real) != 0)
		allow(rules, path, SANDBOX_READ);
	if (exists || right == SANDBOX_OUTPUT)
		allow(rules, real, right == SANDBOX_NEXT ? SANDBOX_READ : right);
}

/* Allow each word that can be a path: also VALUE in NAME=VALUE, and in -oVALUE. */
static void
give_list(struct sandbox_rules *rules, const struct cmd_list *list, enum sandbox_right right)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *word = list->items[i], *value = strchr(word, '=');

		give(rules, word, right);
		if (value != NULL && right != SANDBOX_OUTPUT)
			give(rules, value + 1, right);
		if (word[0] == '-' && word[1] != '-' && word[1] != '\0')
			give(rules, word + 2, right);
	}
}

static void
give_environment(struct sandbox_rules *rules, const char *const *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct cmd_list none = { 0 },
			list = cmd_gather(&rules->arena, &none, variables[i], ":", &none);

		give_list(rules, &list, SANDBOX_READ);
	}
}

/* Allow unspool's own files: indexes, downloads, state. */
static void
allow_kept(struct sandbox_rules *rules, const struct cmd_options *options,
	   const struct symbol_path *path, bool session)
{
	if (!options->no_cache || session || options->symbol_urls.count > 0 || path->count > 0 ||
	    getenv("UNSPOOL_SYMBOLS_URL") != NULL)
		allow_made(rules, directory_of_user(&rules->arena, DIRECTORY_CACHE, "unspool"),
			   SANDBOX_OWN);
	allow_made(rules, options->symbols_cache, SANDBOX_OWN);
	for (size_t i = 0; i < path->count; i++) {
		const struct symbol_path_part *part = &path->parts[i];

		if (part->kind != SYMBOL_PATH_SERVER)
			give(rules, part->text, SANDBOX_READ);
		else if (part->cache != NULL)
			allow_made(rules, part->cache, SANDBOX_OWN);
	}
	/* A file.ptr may contain any path. */
	if (options->follow_pointers)
		allow(rules, "/", SANDBOX_READ);
	/* The process that asks debuginfod servers writes their files. */
	if (!options->offline && getenv("DEBUGINFOD_URLS") != NULL)
		allow_made(rules, cmd_debuginfod_directory(&rules->arena), SANDBOX_READ);
	if (session)
		allow_made(rules, directory_of_user(&rules->arena, DIRECTORY_STATE, "unspool"),
			   SANDBOX_OWN);
}

/* close_range(2) may be newer than the headers; its number is the same on all architectures. */
#define CLOSE_RANGE 436

static void
close_range_of(unsigned first, unsigned last)
{
	if (syscall(CLOSE_RANGE, first, last, 0) == 0)
		return;
	for (unsigned i = first; i <= last && i < 1024; i++)
		close((int)i);
}

/* Close inherited descriptors, except the standard streams and named descriptors. */
static void
close_inherited(const struct sandbox_rules *rules)
{
	for (unsigned first = STDERR_FILENO + 1, next; first != 0; first = next + 1) {
		next = UINT_MAX;
		for (size_t i = 0; i < rules->count; i++) {
			const char *path = rules->paths[i].path;
			unsigned named;
			char end;

			/* A shell names the pipe of <(COMMAND) like this. */
			if ((sscanf(path, "/dev/fd/%9u%c", &named, &end) == 1 ||
			     sscanf(path, "/proc/self/fd/%9u%c", &named, &end) == 1) &&
			    named >= first && named < next)
				next = named;
		}
		if (next > first)
			close_range_of(first, next - 1);
	}
}

/* The command, servers and cache that the broker's services may use. */
struct sandbox_services {
	const char *copy_command;
	struct cmd_list urls;		/* servers of the options or of the environment */
	const struct symbol_path *path;
	bool session;			/* allow servers that the user types */
	const char *kept;		/* cache for debuginfod servers; NULL: ask no server */
};

static int
serve_copy(int socket, const char *argument, const void *context)
{
	return explorer_serve_copy(socket, argument,
				   ((const struct sandbox_services *)context)->copy_command);
}

static bool
is_given(const struct sandbox_services *services, const char *url)
{
	bool given = services->session;

	for (size_t i = 0; i < services->urls.count && !given; i++)
		given = fetch_url_is_of(url, services->urls.items[i]);
	for (size_t i = 0; i < services->path->count && !given; i++)
		given = services->path->parts[i].kind == SYMBOL_PATH_SERVER &&
			fetch_url_is_of(url, services->path->parts[i].text);
	return given;
}

/* Restrict this process to the network, the files of libcurl and the cache `own` (or NULL). */
static bool
enter_network(const char *own)
{
	struct sandbox_rules gathered = { 0 };

	allow_system(&gathered);
	allow_all(&gathered, of_network, ARRAY_COUNT(of_network));
	give_environment(&gathered, network_environment, ARRAY_COUNT(network_environment));
	allow_made(&gathered, own, SANDBOX_OWN);
	const bool entered = sandbox_enter(gathered.paths, gathered.count, true);
	arena_free(&gathered.arena);
	return entered;
}

static int
serve_fetch(int socket, const char *argument, const void *context)
{
	const char *url = fetch_serve_url(argument);

	return url != NULL && is_given(context, url) && enter_network(NULL)
		       ? fetch_serve(socket, argument, NULL) : -1;
}

static int
serve_debuginfod(int socket, const char *argument, const void *context)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const char *directory = ((const struct sandbox_services *)context)->kept;

	return urls != NULL && enter_network(directory)
		       ? fetch_serve_kept(socket, argument, urls, directory) : -1;
}

static void
start_broker(struct sandbox_rules *rules, const struct sandbox_services *services)
{
	const bool session = services->session;
	char directory[PATH_MAX] = "", temporary[PATH_MAX] = "", user[PATH_MAX] = "";
	const char *const base = getenv("TMPDIR"), *const home = getenv("HOME");
	int ends[2] = { -1, -1 };
	const bool paired = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
	struct broker_rules kept = {
		.places = rules->paths, .place_count = rules->count,
		.asks = session,
		.service = { [DOOR_EDITOR] = session ? explorer_serve_editor : NULL,
			     [DOOR_COPY] = services->copy_command != NULL ? serve_copy : NULL,
			     [DOOR_FETCH] = serve_fetch,
			     [DOOR_DEBUGINFOD] = services->kept != NULL ? serve_debuginfod : NULL },
		.context = services,
	};
	fflush(NULL);
	const pid_t child = paired ? fork() : -1;
	if (child == 0) {
		/* Close pipes, so that they end with this program and not with the broker. */
		const int first = session ? STDERR_FILENO + 1 : STDIN_FILENO;
		dup2(ends[1], first);
		close_range_of((unsigned)first + 1, UINT_MAX);
		kept.directory = realpath(".", directory);
		kept.temporary = realpath(base != NULL ? base : "/tmp", temporary);
		kept.home = home != NULL ? realpath(home, user) : NULL;
		broker_serve(first, &kept);
		_exit(0);
	}
	if (child < 0) {
		cmd_say("cannot start the sandbox's broker: %s; only named files are opened",
			strerror(errno));
		close(ends[0]);
	} else {
		door_guard(ends[0]);
	}
	close(ends[1]);
}

const char *
cmd_sandbox_kind(char *buffer, size_t size)
{
	const int landlock = sandbox_landlock();
	const bool filter = sandbox_has_filter();

	if (landlock > 0 && filter)
		snprintf(buffer, size, "sandbox: Landlock %d, seccomp", landlock);
	else if (landlock > 0)
		snprintf(buffer, size,
			 "sandbox: only Landlock: this kernel cannot filter system calls");
	else
		snprintf(buffer, size, "%s: this kernel has no Landlock",
			 filter ? "sandbox: only seccomp" : "no sandbox");
	return buffer;
}

static void
gather_paths(struct sandbox_rules *rules, const struct cmd_options *options,
	     const struct symbol_path *path, bool session)
{
	const struct cmd_list paths = { options->paths, options->path_count };

	give_list(rules, &options->arguments, SANDBOX_NEXT);
	give_list(rules, &options->outputs, SANDBOX_OUTPUT);
	give_list(rules, &paths, options->writes_paths ? SANDBOX_OUTPUT : SANDBOX_READ);
	give_list(rules, &options->symbol_paths, SANDBOX_READ);
	give_list(rules, &options->binaries, SANDBOX_READ);
	give_list(rules, &options->more_binaries, SANDBOX_READ);
	give_list(rules, &options->source_maps, SANDBOX_READ);
	give_list(rules, &options->named, SANDBOX_READ);
	const char *home = text_or_empty(getenv("HOME"));

	give_environment(rules, of_environment, ARRAY_COUNT(of_environment));
	if (session) {
		allow_all(rules, of_session, ARRAY_COUNT(of_session));
		allow(rules, arena_format(&rules->arena, "%s/.terminfo", home), SANDBOX_READ);
		allow(rules, arena_format(&rules->arena, "%s/.inputrc", home), SANDBOX_READ);
	}
	if (options->signature_rules != NULL)
		give(rules, options->signature_rules, SANDBOX_READ);
	allow_system(rules);
	allow(rules, lesson_data_directory(&rules->arena), SANDBOX_READ);
	allow(rules, "/dev/null", SANDBOX_OWN);
	allow(rules, "/dev/tty", SANDBOX_OWN);
	allow_kept(rules, options, path, session);
}

bool
cmd_sandbox(const struct cmd_options *options, const char *copy_command, bool session)
{
	const bool files = sandbox_landlock() > 0, calls = sandbox_has_filter();
	struct sandbox_rules gathered = { 0 };
	struct symbol_path path = { 0 };
	struct cmd_list plain;
	char kind[64];

	const char *wanted = text_or_empty(options->sandbox);
	const bool required = strcmp(wanted, "required") == 0;

	if (strcmp(wanted, "off") == 0 || door_is_guarded() || sandbox_part() != NULL)
		return true;
	if (!files || !calls)
		cmd_say("%s%s", cmd_sandbox_kind(kind, sizeof(kind)),
			required ? "; --sandbox required ends the run" : "");
	if (required && !(files && calls))
		return false;
	if (!files && !calls)
		return sandbox_enter(NULL, 0, false);
	cmd_symbol_path(&path, &plain, options, &gathered.arena);
	gather_paths(&gathered, options, &path, session);
	close_inherited(&gathered);
	/* Without a broker fewer files can be opened, never more. */
	const struct sandbox_services services = {
		copy_command, cmd_gather(&gathered.arena, &options->symbol_urls,
					 "UNSPOOL_SYMBOLS_URL", " \t\n", &(struct cmd_list){ 0 }),
		&path, session,
		options->offline ? NULL : cmd_debuginfod_directory(&gathered.arena),
	};
	start_broker(&gathered, &services);
	/* The sandbox hides folders that may have the terminal's libraries, such as Homebrew's. */
	if (session)
		explorer_libraries();
	const bool entered = sandbox_enter(gathered.paths, gathered.count, false);
	if (!entered)
		cmd_say("cannot enter the sandbox: %s; --no-sandbox keeps all rights",
			strerror(errno));
	arena_free(&gathered.arena);
	return entered;
}
