/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights that a command keeps: the paths of its sandbox, and the servers and services of its
 * broker, for command lines in a folder of their own. This program has the functions of
 * system/sandbox.h and broker_serve() itself: they write down their arguments. */
#include <config.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>

#include "system/broker.h"
#include "tests/lib/folder.h"
#include "tests/unit/cmd/run.h"

struct kept {
	const char *title, *environment, *words;
	bool session;
	bool lists;			/* all is from the configuration: no argument names it */
	bool no_landlock, no_filter;	/* the system lacks them */
	const char *want;		/* messages; in some what the broker has; paths; the result */
};

static char top[200];			/* the folder, "S" in what is written down */
static const struct kept *current;
static FILE *out;

const char *
sandbox_part(void)
{
	return NULL;
}

int
sandbox_landlock(void)
{
	return current->no_landlock ? 0 : 7;
}

bool
sandbox_has_filter(void)
{
	return !current->no_filter;
}

/* Whether a path of the system is written down: the first and the last of each list is. */
static bool
is_shown(const char *path)
{
	static const char *const some[] = {
		"/", "/usr", "/sys/devices/system/cpu", "/etc/terminfo", "/etc/nsswitch.conf",
		"/etc/ssl", "/dev/zero", "/dev/null", "/dev/tty", "/nosuch-unspool",
	};

	for (size_t i = 0; i < ARRAY_COUNT(some); i++)
		if (strcmp(some[i], path) == 0)
			return true;
	return path[0] != '/' || strstr(path, "/fd/") != NULL;
}

/* A line for each path, with a letter for its right, and the descriptors from 3 to 40. */
bool
sandbox_enter(const struct sandbox_path *paths, size_t count, bool network)
{
	/* The broker has ended when there is no child. */
	while (wait(NULL) > 0)
		continue;
	for (size_t i = 0; i < count; i++) {
		const char *path = paths[i].path;
		const bool own = strncmp(path, top, strlen(top)) == 0;
		const bool gone = paths[i].right == SANDBOX_OWN && access(path, F_OK) != 0;

		if (own || is_shown(path))
			fprintf(out, "%c %s%s%s\n", "rown"[paths[i].right], own ? "S" : "",
				own ? path + strlen(top) : path, gone ? " is missing" : "");
	}
	fprintf(out, "entered%s, has", network ? " with network" : "");
	for (int i = 3; i <= 40 && count > 0; i++)
		if (fcntl(i, F_GETFD) >= 0)
			fprintf(out, " %d", i);
	fputc('\n', out);
	return true;
}

void
broker_serve(int socket, const struct broker_rules *rules)
{
	static const char *const requests[] = { "\n\nhttp://a/x", "\n\nhttp://b/x", "\n\nhttp://c/x" };

	if (strstr(current->want, "socket") == NULL)
		return;
	out = fopen("written", "a");
	fprintf(out, "socket %d, asks %d, editor %d, copy %d, debuginfod %d, places %d\n"
		"in S%s, temporary S%s, home S%s\n", socket, rules->asks,
		rules->service[DOOR_EDITOR] != NULL, rules->service[DOOR_COPY] != NULL,
		rules->service[DOOR_DEBUGINFOD] != NULL, rules->place_count > 0,
		rules->directory + strlen(top), rules->temporary + strlen(top), rules->home + strlen(top));
	for (size_t i = 0; i < ARRAY_COUNT(requests); i++) {
		fprintf(out, "%s\n", requests[i] + 2);
		rules->service[DOOR_FETCH](socket, requests[i], rules->context);
	}
	fprintf(out, "debuginfod\n");
	if (rules->service[DOOR_DEBUGINFOD] != NULL)
		rules->service[DOOR_DEBUGINFOD](socket, "", rules->context);
	fclose(out);
}

#define DUMP "n S/a/\nr a/crash.dmp\nr S/a/crash.dmp\n"
#define SYSTEM "r /usr\nr /sys/devices/system/cpu\n"
#define DEVICES SYSTEM "o /dev/null\no /dev/tty\n"
#define NETWORK SYSTEM "r /etc/ssl\nr /etc/nsswitch.conf\nr /dev/zero\n"
#define FILES_B "r b/x.sym\nr S/b/x.sym\nr b/y.sym\nr S/b/y.sym\n"
#define ENTERED "entered, has 3\ngoes on\n"
#define PLACES "in S, temporary S/tmp, home S/home\n"

static const struct kept cases[] = {
	{ "a session keeps its state, the terminal's files and all servers", "",
	  "explore --no-config a/crash.dmp b", .session = true, .want =
	  "socket 3, asks 1, editor 1, copy 1, debuginfod 1, places 1\n" PLACES "http://a/x\n" NETWORK "entered with network, has 3 4\n"
	  "http://b/x\n" NETWORK "entered with network, has 3 4\n"
	  "http://c/x\n" NETWORK "entered with network, has 3 4\ndebuginfod\n"
	  DUMP "r b\nr S/b\nr /etc/terminfo\nr /etc/nsswitch.conf\nr S/home/.terminfo\n"
	  "r S/home/.inputrc\n" DEVICES "o S/home/.cache/unspool\no S/home/.local/state/unspool\n"
	  ENTERED },
	{ "a command keeps named files, caches of servers, and only the named servers",
	  "DEBUGINFOD_URLS=http://e CURL_CA_BUNDLE=b/x.sym DEBUGINFOD_HEADERS_FILE=b/y.sym UNSPOOL_SYMBOLS=b/x.sym:b/y.sym INPUTRC=secret",
	  "walk --no-cache --symbols-url http://b --binaries srv*down*http://c --symbols-cache kept --follow-pointers a/crash.dmp", .want =
	  "socket 0, asks 0, editor 0, copy 0, debuginfod 1, places 1\n" PLACES
	  "http://a/x\nhttp://b/x\n" NETWORK FILES_B "entered with network, has\n"
	  "http://c/x\n" NETWORK FILES_B "entered with network, has\ndebuginfod\n"
	  NETWORK FILES_B "o S/home/.cache/debuginfod_client\nentered with network, has\n"
	  DUMP FILES_B "r secret\nr S/secret\n" DEVICES "o S/home/.cache/unspool\no kept\no down\nr /\nr S/home/.cache/debuginfod_client\n"
	  ENTERED },
	{ "files of the configuration are kept without an argument that names them", "DEBUGINFOD_URLS=http://e",
	  "report --no-cache --offline --symbols-path b --binaries b/x.sym --as till=b/y.sym "
	  "--source old=secret --signature-rules home a/crash.dmp tmp", .lists = true, .want =
	  "socket 0, asks 0, editor 0, copy 0, debuginfod 0, places 1\n" PLACES "http://a/x\nhttp://b/x\nhttp://c/x\ndebuginfod\n"
	  "r a/crash.dmp\nr S/a/crash.dmp\nr tmp\nr S/tmp\nr b\nr S/b\nr b/x.sym\nr S/b/x.sym\n"
	  "r a\nr S/a\nr secret\nr S/secret\nr b/y.sym\nr S/b/y.sym\nr home\nr S/home\n" DEVICES ENTERED },
	{ "a server of an option has a cache", "", "walk --no-cache --symbols-url http://b -", .want =
	  DEVICES "o S/home/.cache/unspool\n" ENTERED },
	{ "a server of the environment has a cache", "UNSPOOL_SYMBOLS_URL=http://b",
	  "walk --no-cache -", .want = DEVICES "o S/home/.cache/unspool\n" ENTERED },
	{ "a symbol path has a cache, its folders are read", "_NT_SYMBOL_PATH=b;srv*http://c",
	  "walk --no-cache -", .want = DEVICES "o S/home/.cache/unspool\nr b\nr S/b\n" ENTERED },
	{ "outputs are written at their places, which may not exist", "",
	  "walk --no-cache --allow new/deeper/out --allow ./n//./out/ --allow new/../no "
	  "--allow a/../out --allow /nosuch-unspool --allow last --allow x=b a/crash.dmp", .want =
	  "r b\nr S/b\n" DUMP "w S/new/deeper/out\nw S/n/out\nw S/out\n"
	  "w /nosuch-unspool\nw S/last\nw S/x=b\n" DEVICES ENTERED },
	{ "the value after an option's letter is an output, and its folder can be read", "", "export-core -ob/x.sym a/crash.dmp",
	  .want = "n S/b/\nr b/x.sym\nr S/b/x.sym\n" DUMP "w S/b/x.sym\n" DEVICES "o S/home/.cache/unspool\n" ENTERED },
	{ "a page of a lesson is written at the lesson's argument", "", "lesson --html site/new",
	  .want = "w S/site/new\n" DEVICES "o S/home/.cache/unspool\n" ENTERED },
	{ "named descriptors stay open, others are closed", "", "walk --no-cache /proc/self/fd/7 /dev/fd/5 /dev/fd/6x",
	  .want = "n S/\nr /proc/self/fd/7\nr S/secret\nr /dev/fd/5\n" DEVICES "entered, has 3 5 7\ngoes on\n" },
	{ "without seccomp files are limited", "", "walk --no-cache -",
	  .no_filter = true, .want = "unspool: sandbox: only Landlock: this kernel cannot filter system calls\n" DEVICES ENTERED },
	{ "without Landlock a required sandbox ends the run", "", "walk --sandbox=required -", .no_landlock = true,
	  .want = "unspool: sandbox: only seccomp: this kernel has no Landlock; --sandbox required ends the run\nends\n" },
	{ "without both a run goes on with a message", "", "walk -", .no_landlock = true,
	  .no_filter = true, .want = "unspool: no sandbox: this kernel has no Landlock\n"
	  "entered, has\ngoes on\n" },
	{ "a required sandbox is entered", "", "walk --no-cache --sandbox=required -", .want = DEVICES ENTERED },
	{ "a sandbox that is off has no limits", "", "walk --sandbox=off -", .want = "goes on\n" },
};

/* Run a command up to its sandbox in a process of its own; the caller frees what was written. */
static char *
kept_by(const struct kept *kept)
{
	static const int descriptors[] = { 5, 6, 7, 20 };
	static const char *more[] = { "a" };
	char *words[RUN_WORDS], *rest = NULL;
	struct file file;
	int status = -1;
	current = kept;
	const pid_t id = fork();
	if (id != 0) {
		waitpid(id, &status, 0);
		const bool there = file_open(&file, "written", NULL) == ERROR_NONE;
		char *text = there ? strndup((const char *)file.data, file.size) : NULL;
		file_close(&file);
		unlink("written");
		return text;
	}
	for (char *one = strtok_r(strdup(kept->environment), " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest))
		putenv(one);
	const int secret = open("secret", O_RDONLY);
	for (size_t i = 0; i < ARRAY_COUNT(descriptors); i++)
		dup2(secret, descriptors[i]);
	if ((out = freopen("written", "a", stdout)) == NULL || freopen("written", "a", stderr) == NULL)
		exit(99);
	const int count = run_split(strdup(kept->words), words);
	struct cmd_options *options = cmd_parse(cmd_command_named(words[0]), (size_t)count - 1, (const char **)words + 1);
	if (kept->lists) {
		options->arguments.count = 0;
		options->more_binaries = (struct cmd_list){ more, 1 };
	}
	const bool good = cmd_sandbox(options, kept->session ? "cat" : NULL, kept->session);
	fprintf(out, good ? "goes on\n" : "ends\n");
	/* The words and the options are not freed, which exit() would report as a leak. */
	fflush(NULL);
	_exit(0);
}

/* Progress on a terminal: each percentage once, if there is enough to read, then nothing. */
static void
test_progress(void)
{
	struct cmd_percent percent = { .least = 100 };
	char written[200];
	int ends[2];
	const int kept = dup(STDERR_FILENO);

	if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) != 0) {
		skip(1, "no terminal can be made");
		return;
	}
	dup2(ends[1], STDERR_FILENO);
	cmd_clear_percent(&percent);
	cmd_show_percent(&percent, 0, 100);
	cmd_show_percent(&percent, 1, 100);
	cmd_show_percent(&percent, 3, 200);
	cmd_show_percent(&percent, 50, 99);
	cmd_show_percent(&percent, 199, 200);
	cmd_clear_percent(&percent);
	cmd_show_files(1, 2);
	dup2(kept, STDERR_FILENO);
	close(kept);
	/* The terminal may pass the bytes on in parts. */
	size_t length = 0;
	for (ssize_t got = write(ends[1], "$", 1); got > 0 && memchr(written, '$', length) == NULL; length += got > 0 ? (size_t)got : 0)
		got = read(ends[0], written + length, sizeof(written) - 1 - length);
	written[length] = '\0';
	is_text(written, "\r1%\033[K\r99%\033[K\r\033[K\r1 of 2 files\033[K$", "progress is shown on a terminal");
	close(ends[0]);
	close(ends[1]);
}

int
main(void)
{
	if (!folder_make() || chdir(root) != 0 || getcwd(top, sizeof(top)) == NULL)
		return 99;
	put_text("a/crash.dmp", "");
	put_text("b/x.sym", "");
	put_text("b/y.sym", "");
	put_text("tmp/x", "");
	put_text("home/x", "");
	put_text("secret", "");
	clearenv();
	setenv("HOME", path_in("home"), 1);
	setenv("TMPDIR", path_in("tmp"), 1);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char *got = kept_by(&cases[i]);
		is_text(got, cases[i].want, "%s", cases[i].title);
		free(got);
	}
	test_progress();
	folder_remove();
	return done_testing();
}
