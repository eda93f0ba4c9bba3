/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays the scenes of tests/scenes: commands with parts of what they must print, and keys on the
 * explorer's screen in memory with parts of the screens that they must give. A line is a directive,
 * lines after it that begin with a tab are its body, others are comments (#) or empty. Words that
 * begin with $ are names of `let`.
 *
 *	let NAME WORDS		names for the words of the next scenes of this file; tests/scenes/names
 *				has those of all files
 *	scene TITLE		the title of what follows, in a folder that is empty
 *	with LIBRARY		the scene needs this library: capstone, demangler, zlib or
 *				CAPSTONE_ACCEPTED, a version of capstone; or it needs a compiler and
 *				programs that may be traced
 *	file NAME		a file with the body as its text, or with that of the last `file` line
 *	program NAME		the same, and it can be run: an editor of a user
 *	copy PATH NAME		a copy of a file of the source tree
 *	link PATH NAME		a link to a folder of the source tree: screens depend on lengths of paths
 *	patch NAME OFFSET HEX	bytes of such a copy are replaced
 *	open NAME=VALUE... WxH WORDS	plays the body on a screen, with these words after `unspool`
 *	played NAME=VALUE... WxH WORDS	the same, but each line of the body is KEYS|REGEX: after these
 *				keys, with " ; " between them, a row of the screen matches, or
 *				none does if REGEX begins with !; without keys the screen is
 *				that of the line before
 *	fresh NAME=VALUE... WxH WORDS	the same, but after the KEYS of each line all panes are up to date
 *	terminal WxH WORDS	types the body at a terminal, each line at once, with \r, \n, \t, \e and \c
 *				(C-c) for those keys, and `resize WxH` as a new size; the last line must end
 *				the explorer, and screens are saved by typed commands; `printed` is
 *				what the terminal got. The exit status is 0.
 *	keys			the body is that of the next `open` and `terminal` lines without one
 *	run STATUS NAME=VALUE... WORDS	runs `unspool WORDS` with the body as standard input;
 *				stdout and stderr are screens. CLOSED is a standard stream that is
 *				closed, PRINTED the file of the output, STACK a limit in KiB;
 *				JOINED: messages go where the output goes.
 *	dap WORDS		runs `unspool dap WORDS`; each line of the body is a request of the debug
 *				adapter protocol: its command, and its arguments as JSON. stdout has a
 *				line for each message.
 *	typed WORDS		each line of the body is TYPED|ROW: `unspool --plain WORDS` prints that
 *				row for what is typed, lines with " ; " between them, one that
 *				matches if ROW begins with ^, or none if it begins with !. After = are
 *				the last rows, with " ; " between them. The exit status is 0, or 1 if
 *				there are two bars.
 *	shows WORDS		each line of the body (that of the last `asked` or `shows`, if
 *				it has none) is SENTENCE|ROW: `unspool WORDS` exits with 0 and
 *				prints that row, as `typed`; the sentence says why it is right
 *	prints STATUS WORDS	`unspool WORDS` ends with that status, and prints the body and nothing else,
 *				output and messages into one file. Without words each line of the body
 *				is STATUS WORDS|ROWS, the rows with " ; " between them.
 *	keep NAME		what the last run printed becomes the file NAME
 *	refused WORDS | TEXT	`unspool WORDS` is wrong usage, prints nothing and says first TEXT...
 *	places WORDS		each line of the body is TYPED|PLACE: what is typed leads to this place of
 *				`:at`, and `unspool --at PLACE WORDS` to the same selected row
 *	each COMMANDS|REGEX|WORDS	each line of the body is TYPED|ANSWERS: after TYPED
 *				`unspool --plain WORDS` runs COMMANDS on the selected row and on those
 *				below it, one for each answer. An answer is the text that the group of
 *				REGEX matches in the output of COMMANDS; - if it matches nothing.
 *	said			each line of the body is STATUS WORDS | TEXT: `unspool WORDS` ends with
 *				that status, and TEXT begins its first message or, if it begins with
 *				^, matches what is printed
 *	complete WxH WORDS	each line of the body is TYPED|LINE: Tab and ; make LINE of TYPED
 *	asked WxH,WxH WORDS	each line of the body is QUESTION | PLACE | KEYS | REGEX: at the place, at
 *				most three keys, with " ; " between them, give a screen with a row
 *				that matches, or the screen does if its rows are joined
 *	region SCREEN X,Y WxH	a part of a saved screen (tests/lib/screen_region.h) has these rows
 *	text SCREEN REGEX	a row of a saved screen matches
 *	none SCREEN REGEX	no row matches
 *	same SCREEN SCREEN	two screens are equal; SCREEN:ROW is a row without its mark
 *	differ SCREEN SCREEN	they are not
 *	gone SCREEN		this screen was not saved: the explorer had ended
 *	lines NAME [WxH] WORDS	runs `unspool WORDS` with the body, or that of `keys`, as standard input or
 *				as a script for a screen of this size, which saves screens 1, 2, ... What
 *				`lines` of one NAME print equals tests/unit/cmd/lines/NAME.txt, which has
 *				each line with a new pair of words (next_word) or colours.
 *				UNSPOOL_ACCEPT=1 writes it.
 *	golden NAME WxH[,ROW] CRASH STEP...	a screen, or its rows from ROW on, equals
 *				tests/screen/golden/NAME; CRASH:BYTES is the beginning of its dump,
 *				and steps have _ for blanks. The same on a terminal without
 *				colours. tests/screen/accept writes the file.
 *	golden-code ...		the same for a screen that shows instructions
 *	usage			each command describes its options, and reports a missing file
 *
 * A line "A ; B *N" of a script is the lines A and B, N times. Every screen that a script saves
 * without attributes has the rows and at most the columns of its size, with --ascii only ASCII.
 *
 * Each run is a fork of this process in the folder of its scene, with HOME next to it. If names of
 * files are given as arguments, only their scenes are played.
 */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <regex.h>
#include <search.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/compiler.h"
#include "tests/lib/folder.h"
#include "tests/lib/screen_region.h"
#include "tests/unit/cmd/run.h"

#define SCENES "tests/scenes"
#define LINES "tests/unit/cmd/lines"
#define MOST_WORDS 40
#define MOST_LETS 32

#ifdef HAVE_CAPSTONE
#define WITH_CAPSTONE true
#else
#define WITH_CAPSTONE false
#endif
#ifdef HAVE_ZLIB
#define WITH_ZLIB true
#else
#define WITH_ZLIB false
#endif
#ifdef HAVE_CURL
#define WITH_CURL true
#else
#define WITH_CURL false
#endif
#ifdef HAVE_DEMANGLER
#define WITH_DEMANGLER true
#else
#define WITH_DEMANGLER false
#endif

struct player {
	char top[512];			/* the source tree */
	char base[128];			/* has the folder of a scene, its HOME and its messages */
	const char *file;		/* name of the file that is played */
	unsigned line;
	const char *title;
	bool titled;			/* by a scene; runs before the first one name themselves */
	bool left_out;			/* the scene needs a library that the build lacks */
	const char *keys;		/* the script of `open` lines without a body */
	const char *text;		/* that of `file` and `program` lines without one */
	const char *rows;		/* that of `asked` and `shows` lines without one */
	const char *lets[MOST_LETS][2];
	size_t let_count, common_lets;
	const char *lines;		/* the name of the last `lines`; NULL: none yet */
	FILE *kept;			/* writes those of its lines that are kept to `kept_text` */
	char *kept_text;
	size_t kept_size;
	void *pairs;			/* the pairs of words of its lines (tsearch) */
	struct arena arena;
};

static const char *
path_of(struct player *player, const char *name)
{
	return arena_format(&player->arena, "%s/screen/%s", player->base, name);
}

/* The text of a file, in the arena, or NULL. */
static char *
read_text(struct player *player, const char *path)
{
	struct file file;
	struct error error;

	if (file_open(&file, path, &error) != ERROR_NONE)
		return NULL;
	char *text = arena_format(&player->arena, "%.*s", (int)file.size, (const char *)file.data);
	file_close(&file);
	return text;
}

/* The text of a saved screen, or of its row after "NAME:"; its absence fails. */
static const char *
screen(struct player *player, const char *name)
{
	const char *colon = strchr(name, ':');
	const int length = colon != NULL ? (int)(colon - name) : (int)strlen(name);
	char *text = read_text(player, path_of(player, arena_format(&player->arena, "%.*s", length, name)));

	if (text == NULL) {
		ok(false, "%s: %s was saved", player->title, name);
		return NULL;
	}
	const struct region row = {
		.column = 2, .row = colon != NULL ? strtoul(colon + 1, NULL, 10) : 0,
		.width = 40, .height = 1,
	};
	if (row.row == 0)
		return text;
	char *found = region_of(text, row, false);
	text = arena_format(&player->arena, "%s", found);
	free(found);
	return text;
}

/* Where a scene is, for a failure. */
static void
explain(const struct player *player, bool passed)
{
	if (!passed)
		tap_diag("%s/%s:%u; play it again: t-scenes %s", SCENES, player->file, player->line, player->file);
}

static int
is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Take the first word of `*rest`. */
static char *
take(char **rest)
{
	char *word = *rest + strspn(*rest, " ");

	*rest = word + strcspn(word, " ");
	if (**rest != '\0')
		*(*rest)++ = '\0';
	return word;
}

static void
do_let(struct player *player, char *rest, const char *body)
{
	(void)body;
	if (player->let_count == MOST_LETS)
		return;
	player->lets[player->let_count][0] = take(&rest);
	player->lets[player->let_count++][1] = rest;
}

/* Whether this system compiles programs and lets them be traced. */
static bool
can_demonstrate(void)
{
	const pid_t id = fork();
	int status = 0;

	if (id == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
	return id > 0 && waitpid(id, &status, 0) == id && status == 0 && system("cc --version >/dev/null 2>&1") == 0;
}

static void
do_with(struct player *player, char *rest, const char *body)
{
	const struct {
		const char *name;
		bool there;
	} libraries[] = {
		{ "capstone", WITH_CAPSTONE }, { "zlib", WITH_ZLIB },
		{ CAPSTONE_ACCEPTED, strcmp(CAPSTONE_NAME, CAPSTONE_ACCEPTED) == 0 },
		{ "demangler", WITH_DEMANGLER }, { "curl", WITH_CURL },
		{ "compiler", strcmp(rest, "compiler") != 0 || can_demonstrate() },
	};

	(void)body;
	for (size_t i = 0; i < ARRAY_COUNT(libraries); i++)
		if (strcmp(libraries[i].name, rest) == 0 && !libraries[i].there)
			player->left_out = true;
	if (player->left_out)
		skip(1, "%s was left out: %s", rest, player->title);
}

static void
do_scene(struct player *player, char *rest, const char *body)
{
	(void)body;
	nftw(player->base, remove_one, 8, FTW_PHYS | FTW_DEPTH);
	mkdir(player->base, 0700);
	mkdir(path_of(player, ""), 0700);
	mkdir(path_of(player, "../home"), 0700);
	player->title = rest;
	player->titled = true;
	player->left_out = false;
}

/* Open a file of the scene for writing; its folders are made. */
static FILE *
make_file(struct player *player, const char *name)
{
	char *path = arena_format(&player->arena, "%s/screen/%s", player->base, name);

	for (char *slash = strchr(path + strlen(player->base) + strlen("/screen/"), '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return fopen(path, "w");
}

static void
do_file(struct player *player, char *rest, const char *body)
{
	FILE *file = make_file(player, rest);

	if (!ok(file != NULL, "%s: %s is written", player->title, rest))
		return;
	if (body[0] != '\0' || player->text == NULL)
		player->text = body;
	fputs(player->text, file);
	fclose(file);
}

static void
do_program(struct player *player, char *rest, const char *body)
{
	do_file(player, rest, body);
	chmod(path_of(player, rest), 0700);
}

static void
do_copy(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest);
	const char *from = arena_format(&player->arena, "%s/%s", player->top, name);
	struct file file;
	struct error error;

	(void)body;
	if (!ok(file_open(&file, from, &error) == ERROR_NONE, "%s: %s is read", player->title, name))
		return;
	FILE *copy = make_file(player, rest);
	if (ok(copy != NULL, "%s: %s is copied", player->title, rest)) {
		fwrite(file.data, 1, file.size, copy);
		fclose(copy);
	}
	file_close(&file);
}

static void
do_link(struct player *player, char *rest, const char *body)
{
	const char *path = arena_format(&player->arena, "%s/%s", player->top, take(&rest));

	(void)body;
	ok(symlink(path, path_of(player, rest)) == 0, "%s: %s is a link", player->title, rest);
}

static void
do_patch(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest);
	const long offset = strtol(take(&rest), NULL, 0);
	FILE *file = fopen(path_of(player, name), "r+");
	unsigned byte;

	(void)body;
	if (!ok(file != NULL, "%s: %s is changed", player->title, name))
		return;
	fseek(file, offset, SEEK_SET);
	for (; sscanf(rest, "%2x", &byte) == 1; rest += 2)
		fputc((int)byte, file);
	fclose(file);
}

/* Split a line into words with names replaced, and paths of the source tree made absolute. Quotes are around a word with blanks. */
static size_t
split(struct player *player, char *rest, const char *words[MOST_WORDS], size_t count)
{
	while (*rest != '\0' && count < MOST_WORDS - 1) {
		char *word = rest += strspn(rest, " ");
		const char *value = NULL;

		if (*word == '"' && (rest = strchr(word + 1, '"')) != NULL) {
			*rest++ = '\0';
			words[count++] = word + 1;
			continue;
		}
		word = take(&rest);
		for (size_t i = 0; word[0] == '$' && i < player->let_count; i++)
			if (strcmp(player->lets[i][0], word + 1) == 0)
				value = player->lets[i][1];
		if (value != NULL) {
			count = split(player, arena_format(&player->arena, "%s", value), words, count);
			continue;
		}
		const char *path = arena_format(&player->arena, "%s/%s", player->top, word);
		if (word[0] != '\0')
			words[count++] = strchr(word, '/') != NULL && access(path, F_OK) == 0 ? path : word;
	}
	return count;
}

/* Run the program in this process, which is a fork, with the words after the variables. `files`:
 * the standard streams are files of the scene. */
static _Noreturn void
child(struct player *player, const char *words[MOST_WORDS], size_t count, bool files)
{
	static char program[] = "unspool";
	char *arguments[MOST_WORDS + 2] = { program };
	size_t first = 0;

	setenv("HOME", arena_format(&player->arena, "%s/home", player->base), 1);
	for (; first < count && strchr(words[first], '=') != NULL && words[first][0] != '-'; first++) {
		char *name = arena_format(&player->arena, "%s", words[first]);
		char *value = strchr(name, '=');

		*value = '\0';
		setenv(name, value + 1, 1);
	}
	for (size_t i = first; i < count; i++)
		arguments[i - first + 1] = arena_format(&player->arena, "%s", words[i]);
	setenv("UNSPOOL_SANDBOX", "off", 0);
	setenv("UNSPOOL_DATA", arena_format(&player->arena, "%s/data", player->top), 0);
	const char *printed = getenv("PRINTED");
	if (chdir(path_of(player, "")) != 0 || (files && (freopen("../input", "r", stdin) == NULL ||
		       freopen("stderr", "w", stderr) == NULL ||
		       freopen(printed != NULL ? printed : "stdout", "w", stdout) == NULL)))
		_exit(99);
	if (getenv("JOINED") != NULL) {
		setvbuf(stderr, NULL, _IONBF, 0);
		dup2(STDOUT_FILENO, STDERR_FILENO);
	}
	if (getenv("CLOSED") != NULL)
		close(atoi(getenv("CLOSED")));
	if (getenv("STACK") != NULL) {
		const rlim_t size = strtoul(getenv("STACK"), NULL, 10) << 10;
		setrlimit(RLIMIT_STACK, &(struct rlimit){ size, size });
	}
	exit(cmd_main((int)(count - first) + 1, arguments));
}

/* How often a line of a script is repeated; `*length` becomes that of the line alone. */
static long
times_of(const char *line, size_t *length)
{
	const char *star = memchr(line, '*', *length);

	if (line[0] == ':' || strncmp(line, "type ", 5) == 0 || star == NULL || star == line || star[-1] != ' ')
		return 1;
	*length = (size_t)(star - line) - 1;
	return strtol(star + 1, NULL, 10);
}

/* Run a command line with this text as its standard input; the result of waitpid. */
static int
wait_for(struct player *player, char *line, const char *input)
{
	const char *words[MOST_WORDS];
	const size_t count = split(player, line, words, 0);
	FILE *file = fopen(path_of(player, "../input"), "w");
	int status = -1;

	if (file == NULL)
		return -1;
	fputs(input, file);
	fclose(file);
	fflush(stdout);
	const pid_t id = fork();
	if (id == 0)
		child(player, words, count, true);
	waitpid(id, &status, 0);
	return status;
}

/* Run a command line and test its exit status. */
static void
run(struct player *player, char *line, const char *input, int wanted)
{
	const int status = wait_for(player, line, input);

	if (!ok(WIFEXITED(status) && WEXITSTATUS(status) == wanted, "%s: the exit status is %d", player->title, wanted)) {
		const char *said = read_text(player, path_of(player, "stderr"));
		tap_diag("waitpid says 0x%x: %s", (unsigned)status, said != NULL ? said : "");
		explain(player, false);
	}
}

/* The first tag of a page that is not closed in its order; NULL: each tag is. */
static const char *
unclosed_tag(const char *page)
{
	static const char *const alone[] = { "!DOCTYPE", "?xml", "br", "col", "hr", "input", "link", "meta" };
	struct text open[64];
	size_t depth = 0;

	for (const char *at = page, *end; (at = strchr(at, '<')) != NULL; at = end) {
		const bool closes = at[1] == '/';
		const char *name = at + 1 + closes;
		const struct text tag = { name, strcspn(name, " >/\n") };

		end = strchr(at, '>');
		if (end == NULL || (closes && (depth == 0 || !text_equal(open[--depth], tag))))
			return at;
		if (closes || end[-1] == '/' || text_begins(tag, alone, ARRAY_COUNT(alone)) == tag.length)
			continue;
		if (depth == ARRAY_COUNT(open))
			return at;
		open[depth++] = tag;
		/* Style sheets and scripts have other signs. */
		if (text_is(tag, "style") || text_is(tag, "script"))
			end = strstr(end, "</");
	}
	return depth > 0 ? open[depth - 1].start : NULL;
}

static void
do_run(struct player *player, char *rest, const char *body)
{
	const int wanted = (int)strtol(take(&rest), NULL, 10);

	if (!player->titled)
		player->title = arena_format(&player->arena, "unspool %s", rest);
	run(player, rest, body, wanted);
	const char *printed = read_text(player, path_of(player, "stdout"));
	if (printed != NULL && printed[0] == '<') {
		const char *tag = unclosed_tag(printed);
		if (!ok(tag == NULL, "%s: each tag of the page is closed", player->title))
			tap_diag("%.80s", tag);
	}
}

static void
do_keep(struct player *player, char *rest, const char *body)
{
	(void)body;
	ok(rename(path_of(player, "stdout"), path_of(player, rest)) == 0, "%s: %s is kept", player->title, rest);
}

/* The first row that matches, or NULL; a wrong expression fails. */
static const char *
match(struct player *player, const char *text, const char *expression)
{
	regex_t regex;
	regmatch_t found;

	if (regcomp(&regex, expression, REG_EXTENDED | REG_NEWLINE) != 0) {
		ok(false, "%s:%u: '%s' is a regular expression", player->file, player->line, expression);
		return NULL;
	}
	const bool matches = regexec(&regex, text, 1, &found, 0) == 0;
	regfree(&regex);
	return matches ? text + found.rm_so : NULL;
}

/* Run "WORDS | TEXT", and test the exit status and the first message, or what is printed if TEXT
 * begins with ^. Wrong usage prints nothing. */
static void
test_said(struct player *player, int status, char *rest)
{
	char *bar = strstr(rest, " | ");

	if (bar == NULL) {
		ok(false, "%s:%u is WORDS | TEXT", player->file, player->line);
		return;
	}
	*bar = '\0';
	player->title = arena_format(&player->arena, "unspool %s", rest);
	run(player, rest, "", status);
	const char *wanted = bar + strlen(" | ");
	const char *said = screen(player, "stderr"), *out = screen(player, "stdout");
	if (said == NULL || out == NULL)
		return;
	const char *both = arena_format(&player->arena, "%s%s", out, said);
	const char *first = arena_format(&player->arena, "unspool: %s", wanted);
	const bool passed = (wanted[0] == '^' ? match(player, both, wanted) != NULL : strncmp(said, first, strlen(first)) == 0) &&
			    (status != CMD_USAGE || out[0] == '\0');
	if (!ok(passed, "%s says: %s", player->title, wanted))
		tap_diag("%s", both);
	explain(player, passed);
}

static void
do_refused(struct player *player, char *rest, const char *body)
{
	(void)body;
	test_said(player, CMD_USAGE, rest);
}

static void
do_said(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;

	(void)rest;
	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *status = take(&row);
		test_said(player, (int)strtol(status, NULL, 10), row);
	}
}

static void
do_dap(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	const char *session = "";
	unsigned number = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *command = take(&row);
		const char *message = arena_format(&player->arena,
			"{\"seq\":%u,\"type\":\"request\",\"command\":\"%s\",\"arguments\":%s}",
			++number, command, row[0] != '\0' ? row : "{}");

		session = arena_format(&player->arena, "%sContent-Length: %zu\r\n\r\n%s", session, strlen(message), message);
	}
	run(player, arena_format(&player->arena, "dap %s", rest), session, 0);
	static const char head[] = "Content-Length: ";
	char *at = read_text(player, path_of(player, "stdout"));
	FILE *out = fopen(path_of(player, "stdout"), "w");
	while (at != NULL && out != NULL && strncmp(at, head, strlen(head)) == 0) {
		const size_t length = strtoul(at + strlen(head), &at, 10);
		if (strncmp(at, "\r\n\r\n{", 5) != 0 || strlen(at + 4) < length)
			break;
		fprintf(out, "%.*s", (int)length, at + 4);
		at += 4 + length;
	}
	if (out != NULL)
		fclose(out);
	ok(at != NULL && *at == '\0', "%s: each message has its length", player->title);
}

/* Append keys, with " ; " between them, to a script; counts them. */
static const char *
add_keys(struct player *player, const char *script, char *keys, unsigned *count)
{
	for (char *next; keys != NULL && *keys != '\0'; keys = next) {
		next = strstr(keys, " ; ");
		if (next != NULL) {
			*next = '\0';
			next += strlen(" ; ");
		}
		script = arena_format(&player->arena, "%s%s\n", script, keys);
		++*count;
	}
	return script;
}

/* Test that the last run printed a row: this one, or after ^ one that matches; after ! none matches.
 * After = it printed these rows last. */
static void
prints(struct player *player, const char *wanted, const char *title)
{
	const char *printed = read_text(player, path_of(player, "stdout"));
	const char *said = read_text(player, path_of(player, "stderr"));
	const char *text = arena_format(&player->arena, "\n%s%s", printed, said);
	unsigned count = 0;
	const bool ends = wanted[0] == '=';
	const char *rows = add_keys(player, "\n", arena_format(&player->arena, "%s", wanted + ends), &count);
	const char *end = text + strlen(text) - (strlen(text) < strlen(rows) ? 0 : strlen(rows));
	const bool passed = ends	       ? strcmp(end, rows) == 0
			    : wanted[0] == '!'   ? match(player, text, wanted + 1) == NULL
			    : wanted[0] == '^' ? match(player, text, wanted) != NULL
			    : strstr(text, arena_format(&player->arena, "\n%s\n", wanted)) != NULL;

	if (!ok(passed, "%s", title))
		tap_diag("expected: %s\ngot:%s", wanted, text);
	explain(player, passed);
}

/* The part of a row of a body after its first bar, which becomes its end. */
static char *
cut_at_bar(char *row)
{
	char *bar = row + strcspn(row, "|");

	if (*bar != '\0')
		*bar++ = '\0';
	return bar;
}

/* Run an explorer without a screen on these lines. Only if one of them `fails` the exit status is 1. */
static void
type(struct player *player, const char *words, const char *keys, bool fails, const char *title)
{
	const int status = wait_for(player, arena_format(&player->arena, "--plain %s", words), keys);

	explain(player, ok(WIFEXITED(status) && WEXITSTATUS(status) == fails, "%s: the exit status is %d", title, fails));
}

static void
do_typed(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	unsigned count = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *wanted = cut_at_bar(row);
		const bool fails = wanted[0] == '|';
		const char *title = arena_format(&player->arena, "'%s' %s '%s'", row, fails ? "fails with" : "prints", wanted);

		type(player, rest, add_keys(player, "", row, &count), fails, title);
		prints(player, wanted + fails, title);
	}
}

/* A copy of the rows of a line, or of those of the last line that has some. */
static char *
rows_of(struct player *player, const char *body)
{
	if (body[0] != '\0')
		player->rows = body;
	return arena_format(&player->arena, "%s", player->rows);
}

static void
do_shows(struct player *player, char *rest, const char *body)
{
	char *rows = rows_of(player, body), *next = NULL;

	player->title = arena_format(&player->arena, "unspool %s", rest);
	run(player, rest, "", 0);
	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *wanted = cut_at_bar(row);
		prints(player, wanted, row);
	}
}

static void
do_prints(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	const bool several = rest[0] == '\0';
	unsigned count = 0;

	for (char *row = several ? strtok_r(rows, "\n", &next) : rest; row != NULL; row = several ? strtok_r(NULL, "\n", &next) : NULL) {
		const char *wanted = several ? add_keys(player, "", cut_at_bar(row), &count) : body;
		const int status = (int)strtol(take(&row), NULL, 10);

		player->title = arena_format(&player->arena, "unspool %s", row);
		run(player, arena_format(&player->arena, "JOINED=1 %s", row), "", status);
		const char *printed = screen(player, "stdout");
		if (printed != NULL)
			explain(player, is_text(printed, wanted, "%s prints these lines", player->title));
	}
}

/* The last selected row that the last run printed. */
static const char *
selected(struct player *player)
{
	const char *text = read_text(player, path_of(player, "stdout")), *row = "";

	for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n'), line += line != NULL)
		row = line[0] == '>' ? line : row;
	return arena_format(&player->arena, "%.*s", (int)strcspn(row, "\n"), row);
}

/* The answers of `each` in what was printed, in which `line` precedes each of them. */
static const char *
answers_of(struct player *player, const char *printed, const char *line, const regex_t *regex)
{
	const char *answers = "";

	for (const char *at = strstr(printed, line), *next; at != NULL; at = next) {
		regmatch_t found[2] = { { 0 } };
		next = strstr(at += strlen(line), line);
		const size_t length = next != NULL ? (size_t)(next - at) : strlen(at);
		const char *part = arena_format(&player->arena, "%.*s", (int)length, at);
		const bool matches = regexec(regex, part, 2, found, 0) == 0;
		answers = arena_format(&player->arena, "%s%s%.*s", answers, *answers ? " " : "",
				       matches ? (int)(found[1].rm_eo - found[1].rm_so) : 1,
				       matches ? part + found[1].rm_so : "-");
	}
	return answers;
}

static void
do_each(struct player *player, char *rest, const char *body)
{
	char *expression = cut_at_bar(rest), *words = cut_at_bar(expression), *next = NULL;
	char *rows = arena_format(&player->arena, "%s", body);
	unsigned count = 0;
	regex_t regex;

	if (!ok(regcomp(&regex, expression, REG_EXTENDED | REG_NEWLINE) == 0, "'%s' is a regular expression", expression))
		return;
	const char *once = arena_format(&player->arena, "try ----\n%srow down\n",
		add_keys(player, "", arena_format(&player->arena, "%s", rest), &count));
	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *wanted = cut_at_bar(row);
		const char *title = arena_format(&player->arena, "'%s', then '%s' on each row", row, rest);
		const char *script = add_keys(player, "", row, &count);

		for (const char *at = wanted; at != NULL; at = strchr(at + 1, ' '))
			script = arena_format(&player->arena, "%s%s", script, once);
		type(player, words, script, false, title);
		const char *printed = read_text(player, path_of(player, "stdout"));
		is_str(answers_of(player, printed, "'----'; ? lists the commands\n", &regex), wanted, "%s", title);
	}
	regfree(&regex);
}

static void
do_places(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	unsigned count = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL; row = strtok_r(NULL, "\n", &next)) {
		const char *place = cut_at_bar(row);
		const char *wanted = arena_format(&player->arena, "--at %s", place);
		const char *title = arena_format(&player->arena, "'%s' is at %s", row, place);
		const char *keys = add_keys(player, "", row, &count);

		type(player, rest, arena_format(&player->arena, "%sat\n", keys), false, title);
		prints(player, wanted, title);
		const char *there = selected(player);
		wait_for(player, arena_format(&player->arena, "--plain %s %s", wanted, rest), "set rows 2\nat\n");
		prints(player, wanted, arena_format(&player->arena, "%s leads to itself", place));
		explain(player, is_str(selected(player), there, "%s selects the row again", place));
	}
}

/* The next word or sign of a line, or "". A number, a name and a word of less than four letters is
 * "#", and a text in quotes is "\"" unless it is the name of a member of JSON. */
static const char *
next_word(struct player *player, const char **at)
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz",
			  big[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *start = *at += strspn(*at, " ");
	const char *quote = *start == '"' ? strchr(start + 1, '"') : NULL;
	const size_t length = strcspn(start, " ()[]{}<>,;=*|!?^'\"");
	const size_t capitals = strspn(start, big);
	const size_t letters = capitals > 1 ? capitals : capitals + strspn(start + capitals, small);
	const bool stops = start[letters] != '\0' && strchr(".:~", start[letters]) != NULL;

	*at += quote != NULL ? quote + 1 - start : length > 0 ? (ptrdiff_t)length : *start != '\0';
	if (quote != NULL && **at != ':')
		return "\"";
	if (length > 0 && (letters < 4 || length > letters + stops || strspn(start, "abcdef") == letters))
		return "#";
	return arena_format(&player->arena, "%.*s", (int)(*at - start), start);
}

static int
compare_pairs(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Lines with " ; " between commands and " *N" after those that are repeated, one by one. */
static const char *
one_by_one(struct player *player, const char *body)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (*body != '\0') {
		size_t length = strcspn(body, "\n");
		const size_t whole = length;

		for (long times = times_of(body, &length); times > 0; times--) {
			char *rest = arena_format(&player->arena, "%.*s", (int)length, body);
			unsigned count = 0;

			fputs(add_keys(player, "", rest, &count), out);
		}
		body += whole + (body[whole] == '\n');
	}
	fclose(out);
	const char *copy = arena_format(&player->arena, "%s", text);
	free(text);
	return copy;
}

static void
write_script(struct player *player, const char *text)
{
	FILE *script = fopen(path_of(player, "../script"), "w");

	if (script != NULL) {
		fputs(text, script);
		fclose(script);
	}
}

/* Keep a line that has a new pair of words. The mark of a selected row makes no difference. */
static void
keep_line(struct player *player, char *line)
{
	const char *before = "", *word, *at;
	bool new = false;

	for (char *path; (path = strstr(line, player->top)) != NULL;)
		memmove(path, path + strlen(player->top), strlen(path + strlen(player->top)) + 1);
	for (char *escape; (escape = strstr(line, "\033[")) != NULL;) {
		escape[strcspn(escape, "m")] = '}';
		escape[0] = '{';
		memmove(escape + 1, escape + 2, strlen(escape + 2) + 1);
	}
	at = line + (line[0] == '>');
	do {
		word = next_word(player, &at);
		const char *pair = arena_format(&player->arena, "%s %s", before, word);
		const char *const *found = tsearch(pair, &player->pairs, compare_pairs);
		new |= found != NULL && *found == pair;
		before = word;
	} while (word[0] != '\0');
	if (new)
		fprintf(player->kept, "%s\n", line);
}

static void
keep_node(void *node)
{
	(void)node;
}

/* Compare the lines of the last name with the accepted ones. */
static void
compare_lines(struct player *player)
{
	if (player->lines == NULL)
		return;
	const char *path = arena_format(&player->arena, "%s/" LINES "/%s.txt", player->top, player->lines);
	fclose(player->kept);
	if (getenv("UNSPOOL_ACCEPT") != NULL) {
		FILE *file = fopen(path, "w");
		if (file != NULL && fputs(player->kept_text, file) >= 0)
			fclose(file);
	}
	const char *want = read_text(player, path);
	is_text(player->kept_text, want != NULL ? want : "", "the lines of '%s' in %s/%s equal "
		LINES "/%s.txt", player->lines, SCENES, player->file, player->lines);
	free(player->kept_text);
	tdestroy(player->pairs, keep_node);
	player->pairs = NULL;
	player->lines = NULL;
}

/* The number of views that have no room for a tab changes with every new view. */
static void
mask(char *text)
{
	static const char before[] = " V ", after[] = " more ";

	for (char *at = text; (at = strstr(at, before)) != NULL; at++) {
		char *number = at + strlen(before), *end = number + strspn(number, "0123456789");
		if (end == number || strncmp(end, after, strlen(after)) != 0)
			continue;
		/* A line drawn after a number of one digit is one longer than after "NN". */
		if (end - number == 1 && end[strlen(after)] == '-') {
			memmove(number + 2, end, strlen(after));
		}
		memcpy(number, "NN", 2);
	}
}

/* The screens that a script has saved as 1, 2 and so on, which are removed. */
static const char *
take_screens(struct player *player)
{
	const char *all = "", *text;
	char name[16] = "1";

	for (unsigned i = 1; (text = read_text(player, path_of(player, name))) != NULL;) {
		all = arena_format(&player->arena, "%s%s", all, text);
		unlink(path_of(player, name));
		snprintf(name, sizeof(name), "%u", ++i);
	}
	return all;
}

static void
do_lines(struct player *player, char *rest, const char *body)
{
	const char *input = one_by_one(player, body[0] != '\0' || player->keys == NULL ? body : player->keys);
	const char *name = take(&rest);
	static const struct {
		const char *begins, *ends;
	} left_out[] = { { "<style>", "</style>" }, { "<script>", "</script>" } };
	const char *until = NULL;

	if (player->lines == NULL || strcmp(player->lines, name) != 0) {
		compare_lines(player);
		player->lines = name;
		player->kept = open_memstream(&player->kept_text, &player->kept_size);
	}
	fprintf(player->kept, "$ unspool %s\n", rest);
	write_script(player, input);
	char *words = arena_format(&player->arena, "TERM=xterm %s%s --color always",
				   strspn(rest, "0123456789") > 0 ? "--script ../script --size " : "", rest);
	const int status = wait_for(player, words, input);
	char *printed = arena_format(&player->arena, "%s%s%sexit status %d", read_text(player, path_of(player, "stdout")),
				     read_text(player, path_of(player, "stderr")), take_screens(player),
				     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	mask(printed);
	for (char *line = strsep(&printed, "\n"); line != NULL; line = strsep(&printed, "\n")) {
		for (size_t i = 0; i < ARRAY_COUNT(left_out); i++)
			if (strstr(line, left_out[i].begins) != NULL)
				until = left_out[i].ends;
		if (until == NULL)
			keep_line(player, line);
		else if (strstr(line, until) != NULL)
			until = NULL;
	}
}

static void
do_keys(struct player *player, char *rest, const char *body)
{
	(void)rest;
	player->keys = body;
}

/* Test that a saved screen has its size and, if `ascii`, no other characters than ASCII. */
static void
fits(struct player *player, const char *name, const char *size, bool ascii)
{
	const char *text = read_text(player, path_of(player, name));
	struct region region = { .column = 1, .row = 1 };
	size_t rows = 0;

	if (text == NULL || !region_parse(&region, "1,1", size))
		return;
	for (const char *row = text; *row != '\0'; rows++) {
		const size_t length = strcspn(row, "\n");
		size_t odd = 0;

		while (odd < length && row[odd] >= ' ' && row[odd] <= '~')
			odd++;
		if (ascii && (length > region.width || odd < length))
			explain(player, ok(false, "%s: row %zu of %s fits into %s: %.*s",
					   player->title, rows + 1, name, size, (int)length, row));
		row += length + (row[length] == '\n');
	}
	if (rows != region.height)
		explain(player, is_u64(rows, region.height, "%s: rows of %s at %s", player->title, name, size));
}

/* Test each screen that a script saves without attributes. */
static void
all_fit(struct player *player, const char *script, const char *size, bool ascii)
{
	static const char save[] = ":save-screen ";

	for (const char *line = script; (line = strstr(line, save)) != NULL;) {
		line += strlen(save);
		fits(player, arena_format(&player->arena, "%.*s", (int)strcspn(line, "\n"), line), size, ascii);
	}
}

/* Play a script; variables come before the size. */
static void
do_open(struct player *player, char *rest, const char *body)
{
	const char *variables = "";

	for (size_t length; (length = strcspn(rest, " ")), memchr(rest, '=', length) != NULL;)
		variables = arena_format(&player->arena, "%s%s ", variables, take(&rest));
	const char *script = one_by_one(player, body[0] != '\0' || player->keys == NULL ? body : player->keys);
	const char *size = arena_format(&player->arena, "%.*s", (int)strcspn(rest, " "), rest);
	const bool ascii = strstr(rest, "--ascii") != NULL;
	write_script(player, script);
	run(player, arena_format(&player->arena, "%s--script ../script --size %s", variables, rest), "", 0);
	if (strstr(script, "resize ") == NULL)
		all_fit(player, script, size, ascii);
}

/* Play a script with a saved screen after the keys of a line, and test these screens. */
static void
do_played(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	const char *wanted[64], *names[64], *script = "";
	unsigned count = 0, keys = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL && count < ARRAY_COUNT(wanted);
	     row = strtok_r(NULL, "\n", &next), count++) {
		wanted[count] = cut_at_bar(row);
		names[count] = count > 0 && row[0] == '\0' ? names[count - 1]
				       : arena_format(&player->arena, "%u", player->line + count);
		if (count == 0 || row[0] != '\0')
			script = arena_format(&player->arena, "%s:save-screen %s\n", add_keys(player, script, row, &keys), names[count]);
	}
	do_open(player, rest, script);
	for (unsigned i = 0; i < count; i++) {
		const char *text = screen(player, names[i]);
		const bool none = wanted[i][0] == '!';
		const bool passed = text != NULL && none == (match(player, text, wanted[i] + none) == NULL);

		if (!ok(passed, "%s: line %u shows '%s'", player->title, i + 1, wanted[i]))
			tap_diag("%s", text != NULL ? text : "");
		explain(player, passed);
	}
}

/* Play a script, and test that after the keys of each line every pane shows what it shows when all rows are
 * made anew, which a setting causes. */
static void
do_fresh(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	const char *lines[64], *script = "";
	unsigned count = 0, keys = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL && count < ARRAY_COUNT(lines);
	     row = strtok_r(NULL, "\n", &next), count++) {
		lines[count] = arena_format(&player->arena, "%s", row);
		script = arena_format(&player->arena, "%s:\nEsc\n:save-screen! a%u\n:set order number\n:save-screen! b%u\n",
				      add_keys(player, script, row, &keys), count, count);
	}
	do_open(player, rest, script);
	for (unsigned i = 0; i < count; i++) {
		const char *before = screen(player, arena_format(&player->arena, "a%u", i));
		const char *after = screen(player, arena_format(&player->arena, "b%u", i));

		explain(player, before != NULL && after != NULL &&
				is_text(before, after, "%s: all panes are up to date after '%s'", player->title, lines[i]));
	}
}

/* Whether a thread runs, or waits for the disk, by the `stat` in a folder of proc(5). */
static bool
thread_runs(const char *folder, const char *name, int session)
{
	char path[300], text[512];
	char state;
	int of;

	snprintf(path, sizeof(path), "%s/%s/stat", folder, name);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return false;
	const size_t count = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[count] = '\0';
	/* The name of the program before this may contain anything. */
	const char *rest = strrchr(text, ')');
	return rest != NULL && sscanf(rest, ") %c %*d %*d %d", &state, &of) == 2 && of == session && strchr("RD", state) != NULL;
}

/* Whether any thread of the explorer in a terminal's session, or of its broker, has work. */
static bool
session_runs(int session)
{
	bool runs = false;
	DIR *processes = opendir("/proc");

	for (struct dirent *entry; !runs && processes != NULL && (entry = readdir(processes)) != NULL;) {
		char folder[300];
		if (!thread_runs("/proc", entry->d_name, session) && atoi(entry->d_name) != session)
			continue;
		snprintf(folder, sizeof(folder), "/proc/%s/task", entry->d_name);
		DIR *threads = opendir(folder);
		while (!runs && threads != NULL && (entry = readdir(threads)) != NULL)
			runs = thread_runs(folder, entry->d_name, session);
		if (threads != NULL)
			closedir(threads);
	}
	if (processes != NULL)
		closedir(processes);
	return runs;
}

/* Copy what the program prints until it prints nothing for `wait` milliseconds and has no work,
 * so that a busy machine only takes longer; false at its end. */
static bool
drain(int terminal, FILE *output, int session, int wait)
{
	enum { MOST_WAITS = 1000 };
	struct pollfd ready = { .fd = terminal, .events = POLLIN };
	char bytes[4096];
	ssize_t count;

	for (int waits = 0; waits < MOST_WAITS;) {
		if (poll(&ready, 1, wait) > 0) {
			if ((count = read(terminal, bytes, sizeof(bytes))) <= 0)
				return false;
			fwrite(bytes, 1, (size_t)count, output);
		} else if (!session_runs(session)) {
			return true;
		} else {
			waits++;
		}
	}
	return true;
}

/* Type a line at a terminal: all its bytes at once, as a terminal sends those of one key. */
static void
type_line(int terminal, const char *line, size_t length)
{
	static const char signs[] = "rntec\\", bytes[] = "\r\n\t\033\003\\";
	char typed[512];
	size_t count = 0;

	for (size_t i = 0; i < length && count < sizeof(typed); i++) {
		const char *sign = line[i] == '\\' && i + 1 < length ? strchr(signs, line[i + 1]) : NULL;
		typed[count++] = sign != NULL ? bytes[sign - signs] : line[i];
		i += sign != NULL;
	}
	if (write(terminal, typed, count) != (ssize_t)count)
		tap_diag("a terminal took less than %zu bytes", count);
}

static void
do_terminal(struct player *player, char *rest, const char *body)
{
	enum { LONGEST_WAIT = 20000, PAUSE = 40 };
	const char *words[MOST_WORDS];
	struct winsize size = { 0 };
	int terminal, status = -1;

	if (sscanf(take(&rest), "%hux%hu", &size.ws_col, &size.ws_row) != 2)
		return;
	if (body[0] == '\0' && player->keys != NULL)
		body = player->keys;
	const size_t count = split(player, rest, words, 0);
	fflush(stdout);
	const pid_t id = forkpty(&terminal, NULL, NULL, &size);
	if (id == 0)
		child(player, words, count, false);
	FILE *output = id < 0 ? NULL : fopen(path_of(player, "printed"), "w");
	if (output == NULL) {
		skip(1, "there is no terminal: %s", player->title);
		return;
	}
	/* The first output shows that the keyboard is in use. */
	struct pollfd begun = { .fd = terminal, .events = POLLIN };
	poll(&begun, 1, LONGEST_WAIT);
	while (*body != '\0' && drain(terminal, output, id, PAUSE)) {
		const size_t length = strcspn(body, "\n");
		if (sscanf(body, "resize %hux%hu", &size.ws_col, &size.ws_row) == 2)
			ioctl(terminal, TIOCSWINSZ, &size);
		else
			type_line(terminal, body, length);
		body += length + (body[length] == '\n');
	}
	if (drain(terminal, output, id, LONGEST_WAIT))
		kill(id, SIGKILL);
	fclose(output);
	waitpid(id, &status, 0);
	close(terminal);
	explain(player, ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the explorer ends with 0 at the last line", player->title));
}

/* A text with one blank for each run of blanks and line feeds. */
static const char *
joined(struct player *player, const char *text)
{
	char *copy = arena_format(&player->arena, "%s", text), *to = copy;

	for (const char *from = text; *from != '\0'; from++)
		if (strchr(" \n", *from) == NULL)
			*to++ = *from;
		else if (to == copy || to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return copy;
}

/* Ask the question of a line at one size. */
static void
ask(struct player *player, const char *size, const char *words, const char *line)
{
	char *parts[4] = { arena_format(&player->arena, "%s", line) };
	unsigned count = 0;

	for (size_t i = 1; i < ARRAY_COUNT(parts); i++) {
		parts[i] = strchr(parts[i - 1], '|');
		if (parts[i] == NULL) {
			ok(false, "%s: '%s' has four parts", player->file, line);
			return;
		}
		parts[i][-1] = '\0';
		parts[i] += parts[i][1] == ' ' ? 2 : 1;
	}
	const char *script = add_keys(player, "", parts[1], &count);
	count = 0;
	script = add_keys(player, script, parts[2], &count);
	player->title = arena_format(&player->arena, "'%s' at %s", parts[0], size);
	ok(count <= 3, "%s takes at most three keys", player->title);
	unlink(path_of(player, "got"));
	do_open(player, arena_format(&player->arena, "%s %s", size, words), arena_format(&player->arena, "%s:save-screen got\n", script));
	const char *text = screen(player, "got");
	const bool passed = text != NULL && (match(player, text, parts[3]) != NULL ||
					     match(player, joined(player, text), parts[3]) != NULL);
	if (!ok(passed, "%s is answered: %s", player->title, parts[3]))
		tap_diag("%s", text != NULL ? text : "");
	explain(player, passed);
}

static void
do_asked(struct player *player, char *rest, const char *body)
{
	char *sizes = take(&rest), *next_size = NULL;

	for (char *size = strtok_r(sizes, ",", &next_size); size != NULL; size = strtok_r(NULL, ",", &next_size)) {
		char *lines = rows_of(player, body), *next = NULL;
		for (char *line = strtok_r(lines, "\n", &next); line != NULL; line = strtok_r(NULL, "\n", &next))
			ask(player, size, rest, line);
	}
}

/* The last row of a screen, which has the prompt. */
static const char *
last_row(const char *text)
{
	const char *row = text;

	for (const char *end; (end = strchr(row, '\n')) != NULL && end[1] != '\0';)
		row = end + 1;
	return row;
}

static void
do_complete(struct player *player, char *rest, const char *body)
{
	char *rows = arena_format(&player->arena, "%s", body), *next = NULL;
	const char *lines[64][2], *script = ":\n";
	size_t count = 0;

	for (char *row = strtok_r(rows, "\n", &next); row != NULL && count < ARRAY_COUNT(lines); row = strtok_r(NULL, "\n", &next)) {
		lines[count][0] = row;
		lines[count][1] = arena_format(&player->arena, ":%s\n", cut_at_bar(row));
		script = arena_format(&player->arena, "%sC-u\ntype %s\nTab\n;\n:save-screen %zu\n", script, row, count++);
	}
	do_open(player, rest, script);
	for (size_t i = 0; i < count; i++) {
		const char *text = screen(player, arena_format(&player->arena, "%zu", i));
		explain(player, text != NULL && is_str(last_row(text), lines[i][1], "Tab completes '%s'", lines[i][0]));
	}
}

static void
do_region(struct player *player, char *rest, const char *body)
{
	static const char marked_word[] = "--attributes ";
	const bool marked = strncmp(rest, marked_word, strlen(marked_word)) == 0;
	const char *name = (rest += marked ? strlen(marked_word) : 0, take(&rest));
	const char *place = take(&rest);
	struct region region;

	if (!region_parse(&region, place, rest)) {
		ok(false, "%s:%u is COLUMN,ROW WIDTHxHEIGHT", player->file, player->line);
		return;
	}
	const char *text = screen(player, name);
	if (text == NULL)
		return;
	char *got = region_of(text, region, marked);
	region.column = region.row = 1;
	char *want = region_of(body, region, marked);
	explain(player, is_text(got, want, "%s: a part of %s", player->title, name));
	free(got);
	free(want);
}

static void
do_text(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest), *text = screen(player, name);

	(void)body;
	if (text == NULL)
		return;
	const bool passed = ok(match(player, text, rest) != NULL, "%s: %s shows '%s'", player->title, name, rest);
	if (!passed)
		tap_diag("%s", text);
	explain(player, passed);
}

static void
do_none(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest), *text = screen(player, name);

	(void)body;
	if (text == NULL)
		return;
	const char *found = match(player, text, rest);
	if (!ok(found == NULL, "%s: %s does not show '%s'", player->title, name, rest))
		tap_diag("%.*s", (int)strcspn(found, "\n"), found);
	explain(player, found == NULL);
}

static void
do_same(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest), *first = screen(player, name);
	const char *second = screen(player, rest);

	(void)body;
	if (first != NULL && second != NULL)
		explain(player, is_text(first, second, "%s: %s equals %s", player->title, name, rest));
}

static void
do_differ(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest), *first = screen(player, name);
	const char *second = screen(player, rest);

	(void)body;
	if (first != NULL && second != NULL)
		explain(player, ok(strcmp(first, second) != 0, "%s: %s differs from %s", player->title, name, rest));
}

static void
do_gone(struct player *player, char *rest, const char *body)
{
	(void)body;
	explain(player, ok(access(path_of(player, rest), F_OK) != 0, "%s: %s was not saved", player->title, rest));
}

/* Give the folder of the scene the files of a crash, and a dump to compare with. */
static void
bring_crash(struct player *player, char *crash)
{
	char *bytes = strchr(crash, ':');
	struct dirent **entries;
	char line[600];

	if (bytes != NULL)
		*bytes++ = '\0';
	const char *from = arena_format(&player->arena, "%s/data/crashes/%s", player->top, crash);
	const int count = scandir(from, &entries, is_visible, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		if (strcmp(name, "crash.dmp") != 0 && symlink(arena_format(&player->arena, "%s/%s", from, name),
			    path_of(player, name)) != 0)
			ok(false, "%s: a link to %s is made", player->title, name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	snprintf(line, sizeof(line), "data/crashes/%s/crash.dmp crash.dmp", crash);
	do_copy(player, line, "");
	snprintf(line, sizeof(line), "data/crashes/%s/crash.dmp other.dmp", crash);
	do_copy(player, line, "");
	/* The other dump has mainCRTStartup where this one has main. */
	do_patch(player, strcpy(line, "other.dmp 340 05124000"), "");
	if (bytes != NULL && truncate(path_of(player, "crash.dmp"), strtol(bytes, NULL, 10)) != 0)
		ok(false, "%s: the dump is cut", player->title);
}

/* Compare the screen that a script saved, from a row on, with the accepted one. */
static void
compare_golden(struct player *player, const char *name, unsigned long from, const char *open, const char *script)
{
	const char *path = arena_format(&player->arena, "%s/tests/screen/golden/%s", player->top, name);

	unlink(path_of(player, "screen"));
	do_open(player, arena_format(&player->arena, "%s", open), script);
	char *got = read_text(player, path_of(player, "screen"));
	if (got == NULL)
		return;
	mask(got);
	for (; from > 1 && *got != '\0'; from--) {
		got += strcspn(got, "\n");
		got += *got == '\n';
	}
	if (getenv("UNSPOOL_ACCEPT") != NULL) {
		FILE *file = fopen(path, "w");
		if (file != NULL && fputs(got, file) >= 0)
			fclose(file);
	}
	const char *want = read_text(player, path);
	explain(player, is_text(got, want != NULL ? want : "", "%s equals tests/screen/golden/%s, written by tests/screen/accept",
				player->title, name));
}

static void
do_golden(struct player *player, char *rest, const char *body)
{
	const char *name = take(&rest);
	char *size = take(&rest), *crash = take(&rest), *row = strchr(size, ',');
	const unsigned long from = row != NULL ? strtoul(row + 1, NULL, 10) : 1;
	const char *script = "";
	const char *against = "";

	if (row != NULL)
		*row = '\0';
	do_scene(player, arena_format(&player->arena, "the screen '%s'", name), body);
	bring_crash(player, crash);
	while (*rest != '\0') {
		char *step = take(&rest);
		if (strncmp(step, "--", 2) == 0) {
			against = step;
			continue;
		}
		for (char *blank = strchr(step, '_'); blank != NULL; blank = strchr(blank, '_'))
			*blank = ' ';
		script = arena_format(&player->arena, "%s%s\n", script, step);
	}
	script = arena_format(&player->arena, "%s:save-screen screen\n", script);
	const char *open = arena_format(&player->arena, "%s --ascii %s crash.dmp symbols", size, against);
	compare_golden(player, name, from, open, script);
	player->title = arena_format(&player->arena, "%s without colours", player->title);
	compare_golden(player, name, from, arena_format(&player->arena, "TERM=vt100 NO_COLOR=1 LC_ALL=C %s", open), script);
}

static void
do_golden_code(struct player *player, char *rest, const char *body)
{
	if (WITH_CAPSTONE)
		do_golden(player, rest, body);
	else
		skip(1, "capstone was left out: instructions are not shown");
}

/* Whether the manual page of a command has an option with its letter. */
static bool
in_manual(struct player *player, const char *name, const struct cmd_option *option)
{
	const bool first = strcmp(name, "explore") == 0;
	const char *page = read_text(player, arena_format(&player->arena, "%s/doc/unspool%s%s.1",
							  player->top, first ? "" : "-", first ? "" : name));
	const char *row = arena_format(&player->arena, "\n\\fB\\-%c\\fR, \\fB", option->letter);

	for (const char *at = option->name; *at != '\0'; at++)
		row = arena_format(&player->arena, "%s%s%c", row, *at == '-' ? "\\" : "", *at);
	return page != NULL && strstr(page, row) != NULL;
}

/* Each command describes itself and its options in printable ASCII, and a command whose usage begins
 * with a file reports that it is missing. */
static void
do_usage(struct player *player, char *rest, const char *body)
{
	static const char option[] = "^  (-[A-Za-z0-9?], |    )--[a-z][a-z0-9-]*( [^ ]+)? +[^ ]",
			  other[] = "[^ -~]|^  [^ -]|^ [^ ]|^  -[^A-Za-z0-9?-]|^ +--[^a-z]";

	(void)rest;
	for (size_t i = 0; i < cmd_command_count; i++) {
		const char *name = cmd_commands[i]->name;
		do_scene(player, arena_format(&player->arena, "%s --help", name), body);
		run(player, arena_format(&player->arena, "%s", player->title), "", CMD_DONE);
		const char *text = screen(player, "stdout");
		const struct cmd_option *one;
		bool letters = true;

		for (size_t at = 0; (one = cmd_next_option(cmd_commands[i], &at)) != NULL;)
			letters &= one->letter == 0 || in_manual(player, name, one);
		ok(letters, "%s: letters of options are those of the manual page", player->title);
		if (strchr("[", cmd_commands[i]->arguments[0]) == NULL)
			test_said(player, CMD_USAGE, arena_format(&player->arena,
					       "%s | ^unspool: (%.*s.* is missing|no .*file was given)$",
					       name, (int)strcspn(cmd_commands[i]->arguments, " .|"),
					       cmd_commands[i]->arguments));
		ok(text != NULL && match(player, text, option) != NULL && match(player, text, other) == NULL &&
			   match(player, text, arena_format(&player->arena, "^Usage: unspool %s ", name)) != NULL,
		   "%s lists its options", player->title);
	}
}

static const struct directive {
	const char *name;
	void (*act)(struct player *player, char *rest, const char *body);
	bool always;			/* also in a scene that is left out */
} directives[] = {
	{ "let", do_let, true }, { "with", do_with, true }, { "keys", do_keys, true }, { "scene", do_scene, true },
	{ "file", do_file, false }, { "program", do_program, false }, { "copy", do_copy, false },
	{ "link", do_link, false }, { "patch", do_patch, false },
	{ "open", do_open, false }, { "played", do_played, false }, { "fresh", do_fresh, false },
	{ "terminal", do_terminal, false }, { "run", do_run, false }, { "prints", do_prints, false }, { "keep", do_keep, false },
	{ "refused", do_refused, false }, { "said", do_said, false }, { "complete", do_complete, false },
	{ "dap", do_dap, false }, { "typed", do_typed, false }, { "each", do_each, false }, { "places", do_places, false },
	{ "shows", do_shows, false }, { "asked", do_asked, false }, { "lines", do_lines, false }, { "region", do_region, false },
	{ "text", do_text, false }, { "none", do_none, false }, { "same", do_same, false },
	{ "differ", do_differ, false }, { "gone", do_gone, false }, { "golden", do_golden, true },
	{ "golden-code", do_golden_code, true }, { "usage", do_usage, true },
};

/* The lines of a body, without their tabs; empty lines count if another line follows. */
static const char *
take_body(struct player *player, char **next, unsigned *lines)
{
	char *text = NULL, *at = *next;
	unsigned count = 0, empty = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (; *at == '\t' || *at == '\n'; count++) {
		const size_t length = strcspn(at, "\n");
		if (*at == '\n') {
			empty++;
		} else {
			for (; empty > 0; empty--)
				fputc('\n', out);
			fprintf(out, "%.*s\n", (int)length - 1, at + 1);
		}
		at += length + (at[length] == '\n');
	}
	fclose(out);
	const char *body = arena_format(&player->arena, "%s", text);
	free(text);
	*next = at;
	*lines = count;
	return body;
}

static void
play_line(struct player *player, char *line, const char *body)
{
	const char *name = take(&line);

	for (size_t i = 0; i < ARRAY_COUNT(directives); i++)
		if (strcmp(directives[i].name, name) == 0) {
			if (directives[i].always || !player->left_out)
				directives[i].act(player, line, body);
			return;
		}
	ok(false, "%s/%s:%u: '%s' is a directive", SCENES, player->file, player->line, name);
}

static void
play_file(struct player *player, const char *name)
{
	char *next = read_text(player, arena_format(&player->arena, "%s/%s/%s", player->top, SCENES, name));
	unsigned lines = 0;

	do_scene(player, arena_format(&player->arena, "%s", name), "");
	player->titled = false;
	player->file = name;
	player->line = 1;
	player->let_count = player->common_lets;
	player->keys = player->text = NULL;
	player->rows = "";
	if (!ok(next != NULL, "%s/%s can be read", SCENES, name))
		return;
	for (; *next != '\0'; player->line += 1 + lines) {
		char *line = next;
		next += strcspn(next, "\n");
		if (*next != '\0')
			*next++ = '\0';
		const char *body = take_body(player, &next, &lines);
		if (line[0] != '\0' && line[0] != '#')
			play_line(player, line, body);
	}
	compare_lines(player);
}

static void
test_views(const struct player *player)
{
	static const char *const views[] = {
#define V(id, name, ...) name,
#include "ui/view/view.def"
#undef V
	};

	for (size_t i = 0; i < ARRAY_COUNT(views); i++) {
		char path[700];
		snprintf(path, sizeof(path), "%s/tests/screen/golden/%s", player->top, views[i]);
		for (char *blank = strrchr(path, '/'); (blank = strchr(blank, ' ')) != NULL;)
			*blank = '-';
		ok(access(path, R_OK) == 0, "the view '%s' has a golden screen", views[i]);
	}
}

/* For LeakSanitizer: newterm() of ncurses does not free all its memory if a type is unknown. */
const char *
__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libncursesw\nleak:libtinfo\n";
}

int
main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir"), *scratch = getenv("TMPDIR");
	struct player player = { 0 };
	struct dirent **entries;

	arena_init(&player.arena, 0);
	snprintf(player.base, sizeof(player.base), "%.80s/unspool-scenes.XXXXXX", scratch != NULL ? scratch : "/tmp");
	char *top = realpath(srcdir != NULL ? srcdir : ".", NULL);
	if (top == NULL || strlen(top) >= sizeof(player.top) || mkdtemp(player.base) == NULL)
		return 99;
	snprintf(player.top, sizeof(player.top), "%s", top);
	free(top);
	run_begin();
	const int count = scandir(arena_format(&player.arena, "%s/%s", player.top, SCENES), &entries, is_visible, alphasort);
	ok(count > 0, "there are files in %s", SCENES);
	test_views(&player);
	play_file(&player, "names");
	player.common_lets = player.let_count;
	for (int i = 0; i < count; i++) {
		bool wanted = argc < 2;
		for (int j = 1; j < argc; j++)
			wanted |= strcmp(argv[j], entries[i]->d_name) == 0;
		if (wanted)
			play_file(&player, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	nftw(player.base, remove_one, 8, FTW_PHYS | FTW_DEPTH);
	arena_free(&player.arena);
	return done_testing();
}
