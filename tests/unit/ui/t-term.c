/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen in memory: the cells that are painted, the prompt with its cursor. A terminal: the keys that its
 * bytes are, and the bytes that it gets: those of terminfo's xterm-256color and vt100 and of ECMA-48.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "tests/lib/tap.h"
#include "ui/terminal/loop.h"
#include "ui/terminal/prompt.h"

enum { COLUMNS = 20, ROWS = 12 };

static struct error error;

/* The rows of the screen with their looks, '|' between them, down to the last one that is not empty. */
static char *
screen(void)
{
	static char text[20000];
	FILE *file = fmemopen(text, sizeof(text), "w");

	term_save(file, true);
	fclose(file);
	for (char *end = text + strlen(text); end > text && end[-1] == '\n';)
		*--end = '\0';
	for (char *byte = text; *byte != '\0'; byte++)
		*byte = *byte == '\n' ? '|' : *byte;
	return text;
}

/* The column of the cursor; -1: curses is not found a second time. */
static int
cursor(void)
{
	void *curses = dlopen("libncursesw.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void **window = curses != NULL ? dlsym(curses, "stdscr") : NULL;
	int (*column)(void *) = NULL;

	term_flush();
	*(void **)&column = window != NULL ? dlsym(curses, "getcurx") : NULL;
	return column != NULL ? column(*window) : -1;
}

static void
is_painted(int columns, const char *expected, const char *what)
{
	char result[4000];

	snprintf(result, sizeof(result), "%d %s", columns, screen());
	is_str(result, expected, "'%s' is painted in its columns: %s", what, expected);
}

/* Control bytes, bytes that are no UTF-8, and characters whose width is in doubt become question marks. */
static const struct {
	int x, y, columns;
	const char *text;
	enum role role, over;
	const char *result;		/* number of columns, the screen */
} texts[] = {
	{ 0, 0, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "3 abc" }, { 0, 5, 2, "abc", ROLE_NORMAL, ROLE_NORMAL, "2 |||||ab" },
	{ 2, 1, 0, "abc", ROLE_NORMAL, ROLE_NORMAL, "0 " }, { 18, 2, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "2 ||                  ab" },
	{ 19, 2, 9, "日", ROLE_NORMAL, ROLE_NORMAL, "0 " }, { 20, 2, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "0 " },
	{ -1, 2, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "0 " }, { 0, -1, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "0 " },
	{ 0, ROWS, 9, "abc", ROLE_NORMAL, ROLE_NORMAL, "0 " }, { 0, 0, 3, "日本", ROLE_NORMAL, ROLE_NORMAL, "2 日" },
	{ 1, 0, 4, "日本", ROLE_NORMAL, ROLE_NORMAL, "4  日本" }, { 0, 0, 9, "a\001b\177\377c", ROLE_NORMAL, ROLE_NORMAL, "6 a?b??c" },
	{ 0, 0, 9, "\302\233\342\200\213x", ROLE_NORMAL, ROLE_NORMAL, "3 ??x" },
	{ 0, 0, 9, "e\314\201\314\202\314\203\314\204\314\205x", ROLE_NORMAL, ROLE_NORMAL, "2 e\314\201\314\202\314\203x" },
	{ 0, 0, 9, "\314\201x", ROLE_NORMAL, ROLE_NORMAL, "1 x" }, { 0, 0, 9, "\xf0\xbf\xbf\xbdx", ROLE_NORMAL, ROLE_NORMAL, "3 ??x" },
	{ 3, 0, 9, "a{}\\", ROLE_TITLE, ROLE_NORMAL, "4    {b:a\\{\\}\\\\}" }, { 0, 0, 9, "a b ", ROLE_BAD, ROLE_NORMAL, "4 {1:a b }" },
	{ 0, 0, 9, "ab", ROLE_CHANGED, ROLE_SELECTED, "2 {rb3:ab}" }, { 0, 0, 9, "ab", ROLE_DIM, ROLE_NORMAL, "2 {d:ab}" },
	{ 0, 0, 9, "ab", ROLE_DIM, ROLE_MATCH, "2 {r:ab}" }, { 0, 0, 9, "ab", ROLE_UNKNOWN, ROLE_NORMAL, "2 {6:ab}" },
};

/* Column, number of columns, number of columns that are scrolled off, result. */
static const struct {
	int x, columns;
	size_t left;
	const char *result;
} rows[] = {
	{ 0, 9, 0, "7 a{b:日本}cd" }, { 1, 9, 1, "6  {b:日本}cd" }, { 0, 9, 2, "5  {b:本}cd" },
	{ 0, 9, 3, "4 {b:本}cd" }, { 0, 9, 4, "3  cd" }, { 0, 9, 5, "2 cd" }, { 0, 9, 6, "1 d" },
	{ 0, 9, 7, "0 " }, { 0, 9, 99, "0 " }, { 0, 1, 0, "1 a" }, { 0, 2, 0, "1 a" },
	{ 0, 3, 0, "3 a{b:日}" }, { 0, 5, 0, "5 a{b:日本}" }, { 0, 6, 0, "6 a{b:日本}c" }, { 0, 2, 5, "2 cd" },
	{ 0, 1, 5, "1 c" }, { 16, 9, 0, "3                 a{b:日}" },
};

static void
test_painting(void)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		term_clear();
		is_painted(term_put(texts[i].x, texts[i].y, texts[i].columns, text_of(texts[i].text),
				    texts[i].role, texts[i].over), texts[i].result, texts[i].text);
	}
	row_add(&row, ROLE_NORMAL, "a");
	row_add(&row, ROLE_TITLE, "日本");
	row_add(&row, ROLE_NORMAL, "cd");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		term_clear();
		is_painted(term_put_row(rows[i].x, 0, rows[i].columns, &row, rows[i].left, ROLE_NORMAL),
			   rows[i].result, row_text(&row));
	}
	arena_free(&arena);
	term_clear();
	/* More often than there are pairs of colours. */
	for (unsigned i = 0; i < 70; i++)
		term_put(0, 0, 2, text_of("ab"), ROLE_BAD, ROLE_NORMAL);
	term_put(2, 0, 2, text_of("c "), ROLE_CODE, ROLE_NORMAL);
	term_put(4, 0, 2, text_of("d"), ROLE_NORMAL, ROLE_NORMAL);
	term_put(6, 0, 2, text_of(" e"), ROLE_TITLE, ROLE_NORMAL);
	term_line(2, 1, 3, false, THEME_GLYPH_LINE);
	term_line(4, 2, 2, true, THEME_GLYPH_BAR);
	is_str(screen(), "{1:ab}{2:c }d {b: e}|  ───|    │|    │", "each look ends where the next one begins");
}

static void
test_screen(void)
{
	int columns, rows_now;

	for (int x = COLUMNS; x >= -1; x--) {
		term_cursor(x, x);
		is_u64((uint64_t)cursor(), (uint64_t)(x < 0 ? 0 : x < COLUMNS ? x : COLUMNS - 1),
		       "a cursor in column %d is on the screen", x);
	}
	term_resize(7, 3);
	term_size(&columns, &rows_now);
	ok(columns == 7 && rows_now == 3, "a screen in memory gets any size");
	ok(term_descriptor() == -1 && term_substitute() == NULL, "it has no keyboard and no type");
	ok(term_mouse(true) && !term_mouse(false), "it has a mouse if that is wanted");
	term_theme(THEME_NAME_DARK_256);
	term_clear();
	term_put(0, 0, 7, text_of("ab"), ROLE_BAD, ROLE_SELECTED);
	is_str(screen(), "{203/237:ab}", "a theme has its own colours");
}

/* Curses waits a second after Esc, which is too long; ESCDELAY is a number of milliseconds. */
static void
test_escape(void)
{
	static const struct {
		const char *given;
		int wait;
	} delays[] = { { NULL, 25 }, { "", 25 }, { "soon", 25 }, { "7x", 25 }, { "7", 7 } };
	const struct term_options options = { .headless = true, .columns = COLUMNS, .rows = ROWS };
	int (*wait)(void) = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(delays); i++) {
		setenv("ESCDELAY", text_or_empty(delays[i].given), 1);
		if (delays[i].given == NULL)
			unsetenv("ESCDELAY");
		term_start(&options, &error);
		*(void **)&wait = dlsym(dlopen("libncursesw.so.6", RTLD_LAZY | RTLD_NOLOAD), "get_escdelay");
		if (wait != NULL)
			is_u64((uint64_t)wait(), (uint64_t)delays[i].wait, "ESCDELAY '%s' is used if it is a number",
			       text_or_empty(delays[i].given));
		term_stop();
	}
	unsetenv("ESCDELAY");
}

/* The prompt ---------------------------------------------------------------------------------- */

static char told[LIMIT_PROMPT_LINE * 3];

/* Append an event, unless there are too many. */
static void
add_event(struct explorer *explorer, const char *sign, const char *line)
{
	const size_t used = strlen(told);

	(void)explorer;
	snprintf(told + used, sizeof(told) - used, "%s%s;", sign, line);
}

static void
changed(struct explorer *explorer, const char *line)
{
	add_event(explorer, "~", line);
}

static void
accepted(struct explorer *explorer, const char *line)
{
	add_event(explorer, "=", line);
}

static void
cancelled(struct explorer *explorer)
{
	add_event(explorer, "x", "");
}

/* A '!' in a line is wrong; a '?' gets a note of seven columns. */
static bool
check(const struct explorer *explorer, const char *line, size_t *column, char *text, size_t size)
{
	const size_t wrong = strcspn(line, "!"), noted = strcspn(line, "?");

	(void)explorer;
	*column = line[wrong] != '\0' ? wrong : noted;
	snprintf(text, size, line[wrong] != '\0' ? "^ wrong" : "a note.");
	return line[*column] != '\0';
}

static void
complete(struct explorer *explorer, struct completion *completion)
{
	static const char *const words[] = { "alpha", "alpine", "beta", "nä", "nö", "日本語", "日本",
					     "wide-1234567890-1234567890", "wide-1234567890-1234567891" };

	(void)explorer;
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		completion_add(completion, text_of(words[i]));
	for (unsigned i = 0; i < 90; i++) {
		char name[8];

		snprintf(name, sizeof(name), "m%02u", i);
		completion_add(completion, text_of(name));
	}
	completion->open = strncmp(completion->line, "open", 4) == 0;
}

static const struct prompt_client client = { NULL, changed, accepted, cancelled, check, complete };

/* The rows after painting the prompt, from the first one that is not empty. */
static const char *
paint(int y, int columns)
{
	term_clear();
	term_cursor(0, 0);
	prompt_paint(y == 0 ? ROWS - 1 : y, columns == 0 ? COLUMNS : columns);
	return screen() + strspn(screen(), "|");
}

/* Press keys by their names; a longer word is typed, and '\\' with more are the bytes of an unknown key after its Esc. */
static void
press(const char *keys, int columns)
{
	int x, y;

	while (*(keys += strspn(keys, " ")) != '\0') {
		const size_t length = strcspn(keys, " ");
		struct text rest = { keys, length };
		int key = key_parse(keys, length);

		if (sscanf(keys, "@%d,%d", &x, &y) == 2) {
			paint(0, columns);
			prompt_click(x, y);
			keys += length;
			continue;
		}
		if (keys[0] == '\\') {
			struct term_event event = { .key = TERM_KEY_UNKNOWN, .length = length, .bytes = "\033" };

			memcpy(event.bytes + 1, keys + 1, length - 1);
			prompt_key(&event);
			keys += length;
			continue;
		}
		for (uint32_t letter; key == TERM_KEY_NONE ? rest.length > 0 : rest.length == length;) {
			const size_t size = key == TERM_KEY_NONE
				? text_decode(rest.start, rest.length, &letter) : length;
			struct term_event event = { .key = key == TERM_KEY_NONE ? (int)letter : key };

			event.length = key_bytes(event.key, event.bytes);
			prompt_key(&event);
			rest = (struct text){ rest.start + size, rest.length - size };
		}
		keys += length;
	}
}

struct typed {
	const char *line, *offer, *keys;
	int columns, y;			/* 0: COLUMNS, the last row */
	const char *result;		/* rows, @ and the column of the cursor, events */
};

static const struct typed lines[] = {
	{ ":", NULL, "ab", 0, 0, "{b::}ab @3 ~a;~ab;" }, { "/x", NULL, "Left y", 0, 0, "{b:/}yx @2 ~yx;" },
	{ "&xy", NULL, "Home Delete Delete", 0, 0, "{b:&} @1 ~y;~;" }, { ":go  ", NULL, "Enter", 0, 0, " @0 =go;" },
	{ "/go  ", NULL, "Enter", 0, 0, " @0 =go  ;" }, { ":go", NULL, "Esc", 0, 0, " @0 x;" }, { ":go", NULL, "C-c", 0, 0, " @0 x;" },
	{ ":", NULL, "C-d", 0, 0, " @0 x;" }, { ":go", NULL, "Home C-d F5 Insert", 0, 0, "{b::}o @1 ~o;" },
	{ ":a", NULL, "C-v C-a b", 0, 0, "{b::}a{6:^A}b @5 ~a\001;~a\001b;" }, { ":" "\001é日", NULL, "Left", 0, 0, "{b::}{6:^A}é日 @4 " },
	/* An offer is replaced by what is typed, and stays for other keys. */
	{ ":go ", "12", "", 0, 0, "{b::}go {r:12} @6 " }, { ":go ", "12", "x", 0, 0, "{b::}go x @5 ~go x;" },
	{ ":go ", "12", "Space y", 0, 0, "{b::}go  y @6 ~go  ;~go  y;" },
	{ ":go ", "12", "End x", 0, 0, "{b::}go 12x @7 ~go 12;~go 12x;" },
	{ ":go ", "12", "Backspace x", 0, 0, "{b::}go 1x @6 ~go 1;~go 1x;" },
	{ ":go ", "12", "Home x", 0, 0, "{b::}xgo 12 @2 ~go 12;~xgo 12;" }, { ":go ", "12", "Enter", 0, 0, " @0 =go 12;" },
	{ ":go ", "", "x", 0, 0, "{b::}go x @5 ~go x;" }, { ":go ", "12", "@4,11 x", 0, 0, "{b::}go x12 @5 ~go x12;" },
	/* The line scrolls so that its cursor is in the last column. */
	{ ":abcdefghi", NULL, "", 10, 0, "abcdefghi @9 " }, { ":abcdefgh", NULL, "", 10, 0, "{b::}abcdefgh @9 " },
	{ ":abcdefghij", NULL, "Left", 10, 0, "abcdefghij @9 " }, { ":abcdefghij", NULL, "Left Left", 10, 0, "{b::}abcdefghi @9 " },
	{ ":ab", NULL, "", 1, 0, " @0 " }, { ":ab", NULL, "", -1, 0, " @0 " }, { ":a日b", NULL, "@0,11 x", 0, 0, "{b::}xa日b @2 ~xa日b;" },
	{ ":a日b", NULL, "@2,11 x", 0, 0, "{b::}ax日b @3 ~ax日b;" }, { ":a日b", NULL, "@3,11 x", 0, 0, "{b::}ax日b @3 ~ax日b;" },
	{ ":a日b", NULL, "@4,11 x", 0, 0, "{b::}a日xb @5 ~a日xb;" }, { ":a日b", NULL, "@9,11 x", 0, 0, "{b::}a日bx @6 ~a日bx;" },
	{ ":a日b", NULL, "@1,10 x", 0, 0, "{b::}a日bx @6 ~a日bx;" },
	{ ":abcdefghijkl", NULL, "@0,11 x", 10, 0, "{b::}abcxdefgh @5 ~abcxdefghijkl;" },
	/* A text under the line; the row above gets the line. */
	{ ":a!b", NULL, "", 0, 0, "{b::}a!b|  {1:^ wrong} @4 " }, { ":a?b", NULL, "", 0, 0, "{b::}a?b|  a note. @4 " },
	{ ":a!", NULL, "", 0, 1, "{b::}a! @3 " }, { ":a!", NULL, "", 0, 2, "{b::}a!|  {1:^ wrong} @3 " },
	{ ":012345678901!", NULL, "", 0, 0, "{b::}012345678901!|             {1:^ wrong} @14 " },
	{ ":0123456789012!", NULL, "", 0, 0, "{b::}0123456789012!|        {1:wrong ^} @15 " },
	{ ":0123456789012?", NULL, "", 0, 0, "{b::}0123456789012?|             a note. @15 " },
	{ ":a!", NULL, "", 6, 0, "{b::}a!|{1:^ wron} @3 " }, { ":abc!", NULL, "", 6, 0, "{b::}abc!|{1:wrong } @5 " },
	{ ":abcde!", NULL, "", 12, 0, "{b::}abcde!|     {1:^ wrong} @7 " },
	{ ":abcdefgh!", NULL, "", 10, 0, "abcdefgh!|  {1:wrong ^} @9 " }, { ":!bcdefghi", NULL, "", 10, 0, "!bcdefghi|{1:^ wrong} @9 " },
	/* A word with those that begin so, in columns above the line. */
	{ ":al", NULL, "Tab", 0, 0, "─{b: 2 of 2 }───────────| alpha   alpine|{b::}alp @4 ~alp;" },
	{ ":al", NULL, "Tab h Tab", 0, 0, "{b::}alpha @7 ~alp;~alph;~alpha ;" },
	{ ":b", NULL, "Tab x", 0, 0, "{b::}beta x @7 ~beta ;~beta x;" },
	{ ":open b", NULL, "Tab x", 0, 0, "{b::}open betax @11 ~open beta;~open betax;" },
	{ ":n", NULL, "Tab", 0, 0, "─{b: 2 of 2 }───────────| nä  nö|{b::}n @2 " },
	{ ":日", NULL, "Tab", 0, 0, "─{b: 2 of 2 }───────────| 日本語  日本|{b::}日本 @5 ~日本;" }, { ":z", NULL, "Tab", 0, 0, "{b::}z @2 " },
	{ ":w", NULL, "Tab", 0, 0, "─{b: 2 of 2 }───────────| wide-1234~34567890| wide-1234~34567891|234567890-123456789 @19 ~wide-1234567890-123456789;" },
	{ ":m1", NULL, "Tab", 0, 0, "─{b: 10 of 10 }─────────| m10  m11  m12  m13| m14  m15  m16  m17| m18  m19|{b::}m1 @3 " },
	{ ":m", NULL, "Tab", 0, 0, "─{b: 16 of 90 }─────────| m00  m01  m02  m03| m04  m05  m06  m07| m08  m09  m10  m11| m12  m13  m14  m15|{b::}m @2 " },
	{ ":m", NULL, "Tab", 0, 4, "{b::}m @2 " }, { ":m", NULL, "Tab", 0, 5, "─{b: 4 of 90 }──────────| m00  m01  m02  m03|{b::}m @2 " },
	{ ":m", NULL, "Tab", 0, 6, "─{b: 8 of 90 }──────────| m00  m01  m02  m03| m04  m05  m06  m07|{b::}m @2 " },
	{ ":m1", NULL, "Tab", 4, 0, "─{b: 4 }| m~| m~| m~| m~|{b::}m1 @3 " },
	{ ":m1", NULL, "Tab", 5, 0, "─{b: 4 o}| m10| m11| m12| m13|{b::}m1 @3 " },
	{ ":m1! ", NULL, "Left Left Tab", 0, 0, "─{b: 10 of 10 }─────────| m10  m11  m12  m13| m14  m15  m16  m17| m18  m19|{b::}m1!|   {1:^ wrong} @3 " },
	{ ":al", NULL, "Tab Left", 0, 0, "{b::}alp @3 ~alp;" },
	{ ":m1", NULL, "Tab", 19, 0, "─{b: 10 of 10 }────────| m10  m11  m12| m13  m14  m15| m16  m17  m18| m19|{b::}m1 @3 " },
	{ ":m1", NULL, "Tab", 3, 0, "─{b: 4}| ~| ~| ~| ~|m1 @2 " }, { ":m1", NULL, "Tab", 2, 0, "─{b: }| ~| ~| ~| ~|1 @1 " },
	/* A prompt that was left leaves nothing to the next one. */
	{ ":al", NULL, "Tab Esc", 0, 0, " @0 ~alp;x;" }, { ":al", NULL, "", 0, 0, "{b::}al @3 " },
	{ ":go ", "12", "Esc", 0, 0, " @0 x;" }, { ":go 12", NULL, "x", 0, 0, "{b::}go 12x @7 ~go 12x;" },
	{ ":", NULL, "C-r C-c", 0, 0, " @0 x;" }, { ":ab", NULL, "x", 0, 0, "{b::}abx @4 ~abx;" },
	/* Bytes of other terminals for Home and End, and those of no key. */
	{ ":ab", NULL, "\\[1~ x \\[4~ y \\[99~ z", 0, 0, "{b::}xabyz @6 ~xab;~xaby;~xabyz;" },
	{ ":" "a\037b", NULL, "", 0, 0, "{b::}a{6:^_}b @5 " }, { ":ab", NULL, "Home", 1, 0, "a @0 " },
	{ ":abcdef!", NULL, "", 13, 0, "{b::}abcdef!| {1:wrong ^} @8 " }, { ":abcd!", NULL, "", 9, 0, "{b::}abcd!|{1:wrong ^} @6 " },
};

static void
test_line(const struct typed *typed)
{
	char result[sizeof(told) + 20010];

	told[0] = '\0';
	prompt_open(typed->line[0] == ':' ? PROMPT_COMMAND : typed->line[0] == '/' ? PROMPT_FIND : PROMPT_FILTER,
		    typed->line + 1, false);
	if (typed->offer != NULL)
		prompt_offer(typed->offer);
	press(typed->keys, typed->columns);
	const char *painted = paint(typed->y, typed->columns);
	snprintf(result, sizeof(result), "%s @%d %s", painted, cursor(), told);
	is_str(result, typed->result, "'%s' and %s give %s", typed->line, typed->keys, typed->result);
	if (prompt_is_open())
		press("Esc", 0);
}

/* Type a key in a line of this many letters; `length` is that of the line afterwards. */
static void
is_full(size_t letters, const char *keys, bool full, size_t length)
{
	static char line[LIMIT_PROMPT_LINE + 2];

	memset(line, 'a', letters);
	line[letters] = '\0';
	prompt_open(PROMPT_COMMAND, line, false);
	press(keys, 0);
	ok(prompt_is_full() == full, "%zu letters and %s are %s", letters, keys, full ? "too many" : "not too many");
	is_str(paint(0, 0) + 18, full ? "a|{1:the line is full: wh}" : keys[0] == 'b' && keys[1] == '\0' ? "b" : "a",
	       "a full line is reported below it");
	told[0] = '\0';
	press("Enter", 0);
	is_u64(strlen(told), length + 2, "the line has its letters");
}

/* The rows of the prompt, its words and its check are painted over what is there, and no others. */
static void
test_over(void)
{
	char expected[400] = "";

	prompt_open(PROMPT_COMMAND, "al! ", false);
	press("Left Left Tab", 0);
	for (int y = 0; y < ROWS; y++) {
		term_put(0, y, COLUMNS, text_of("...................."), ROLE_NORMAL, ROLE_NORMAL);
		strcat(expected, y < 8 ? "....................|" : "");
	}
	strcat(expected, "─{b: 2 of 2 }───────────| alpha   alpine|{b::}alp!|    {1:^ wrong}");
	prompt_paint(ROWS - 1, COLUMNS);
	is_str(screen(), expected, "a prompt is painted over rows");
	press("Esc", 0);
	ok(getenv("LINES") == NULL && getenv("COLUMNS") == NULL, "the size of the screen is no variable");
}

static void
test_full(void)
{
	char line[LIMIT_PROMPT_LINE + 1] = "";

	memset(line, 'a', LIMIT_PROMPT_LINE);
	prompt_open(PROMPT_COMMAND, line, false);
	press("Home Right b c Delete d", 0);
	told[0] = '\0';
	press("Enter", 0);
	is_str(told[2] == 'd' ? "d" : told, "d", "the cursor of a full line stays");
	is_full(LIMIT_PROMPT_LINE - 1, "b", false, LIMIT_PROMPT_LINE);
	is_full(LIMIT_PROMPT_LINE, "b", true, LIMIT_PROMPT_LINE);
	is_full(LIMIT_PROMPT_LINE, "b Left Right", false, LIMIT_PROMPT_LINE);
	is_full(LIMIT_PROMPT_LINE + 1, "Left Right", false, LIMIT_PROMPT_LINE + 1);
	is_full(LIMIT_PROMPT_LINE + 1, "b", true, LIMIT_PROMPT_LINE + 1);
	is_full(LIMIT_PROMPT_LINE + 1, "Backspace", false, LIMIT_PROMPT_LINE);
}

/* Write or read a history, with '|' for the ends of its lines. */
static char state[] = "unspool-prompt-XXXXXX";

static const char *
path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", state, name);
	return path;
}

static void
write_history(const char *text)
{
	FILE *file = fopen(path_of("history-command"), "w");

	for (; file != NULL && *text != '\0'; text++)
		fputc(*text == '|' ? '\n' : *text, file);
	if (file != NULL)
		fclose(file);
}

static const char *
history(const char *name)
{
	static char text[9000];
	FILE *file = fopen(path_of(name), "r");
	size_t length = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[length] = '\0';
	for (char *end = text; (end = strchr(end, '\n')) != NULL;)
		*end = '|';
	if (file != NULL)
		fclose(file);
	return text;
}

/* The lines that Up shows, the newest first, up to one that repeats. */
static const char *
recalled(enum prompt_kind kind)
{
	static char text[2000];
	char last[COLUMNS * 8] = "";
	size_t used = 0;

	prompt_open(kind, "", false);
	for (text[0] = '\0'; used < 1000;) {
		snprintf(last, sizeof(last), "%s", paint(0, 0));
		press("Up", 0);
		if (strcmp(paint(0, 0), last) == 0)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s|", paint(0, 0) + strlen("{b::}"));
	}
	press("Esc", 0);
	return text;
}

static unsigned
descriptors(void)
{
	unsigned count = 0;

	for (int i = 0; i < 64; i++)
		count += fcntl(i, F_GETFD) != -1;
	return count;
}

/*
 * The turns: '<' writes the commands' history, '+' starts a prompt with its directory and '-' one without, '!'
 * forgets; others are lines that are typed, '.' at the end those of a dialog. Then both files, and the lines that
 * Up recalls, the newest first. A line is kept once.
 */
static const char *const turns[][2] = {
	{ "<one|two||one|three", NULL }, { "+", "one|two||one|three,,three|one|two|," }, { ":two", "one|three|two|,,two|three|one|," },
	{ ":passed.", "one|three|two|,,two|three|one|," }, { ": ", "one|three|two|,,two|three|one|," },
	{ "/what", "one|three|two|,what|,two|three|one|,what|" }, { "&who", "one|three|two|,what|who|,two|three|one|,who|what|" },
	{ "<other|", "other|,what|who|,two|three|one|,who|what|" }, { ":four", "other|four|,what|who|,four|other|,who|what|" },
	{ "!", "other|,,other|," }, { "<other|four|", "other|four|,,other|," }, { ":five", "other|four|five|,,five|four|other|," },
	{ "!", "other|four|,,four|other|," }, { "-", "other|four|,,," }, { ":seven", "other|four|,,seven|," },
	{ "/eight", "other|four|,,seven|,eight|" }, { "!", "other|four|,,," },
};

static void
do_turn(const char *turn)
{
	if (turn[0] == '<') {
		write_history(turn + 1);
	} else if (turn[0] == '!') {
		prompt_forget();
	} else if (turn[0] == '+' || turn[0] == '-') {
		prompt_stop();
		prompt_start(&client, turn[0] == '+' ? state : NULL, false);
	} else {
		prompt_open(turn[0] == ':' ? PROMPT_COMMAND : turn[0] == '/' ? PROMPT_FIND : PROMPT_FILTER, turn + 1,
			    turn[strlen(turn) - 1] == '.');
		press("Enter", 0);
	}
}

/* Lines of 4096 bytes are not kept, and not more than 1000. */
static void
test_history(void)
{
	static char text[9000];
	const unsigned before = descriptors();
	size_t used = 0;

	if (mkdtemp(state) == NULL) {
		skip(1, "no directory can be made");
		return;
	}
	prompt_start(&client, NULL, false);
	for (size_t i = 0; i < ARRAY_COUNT(turns); i++) {
		do_turn(turns[i][0]);
		if (turns[i][1] == NULL)
			continue;
		used = (size_t)snprintf(text, sizeof(text), "%s,", history("history-command"));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s,", history("history-find"));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s,", recalled(PROMPT_COMMAND));
		snprintf(text + used, sizeof(text) - used, "%s", recalled(PROMPT_FILTER));
		is_str(text, turns[i][1], "histories after turn %zu, '%s'", i, turns[i][0]);
	}
	prompt_open(PROMPT_COMMAND, state, false);
	told[0] = '\0';
	press("Backspace Tab", 0);
	is_u64(strlen(told), strlen(state) + 1, "Tab offers no files");
	used = 0;
	for (unsigned i = 0; i <= 1000; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u|", i);
	write_history(text);
	do_turn("+");
	do_turn(":six");
	ok(strncmp(history("history-command"), "1|2|", 4) == 0 && strstr(history("history-command"), "|998|999|six|") != NULL,
	   "a history has 1000 lines");
	memset(text, 'x', 4095);
	memset(text + 4096, 'y', 4096);
	text[4095] = text[4096 + 4096] = '|';
	memcpy(text + 4096 + 4097, "z|", 3);
	write_history(text);
	do_turn("+");
	is_str(recalled(PROMPT_COMMAND), "z|xxxxxxxxxxxxxx|", "a line of 4095 bytes is kept, a longer one is not");
	prompt_stop();
	for (size_t i = 0; i < 3; i++)
		unlink(path_of((const char *[]){ "history-command", "history-find", "lock" }[i]));
	rmdir(state);
	is_u64(descriptors(), before, "prompts leave no descriptors");
}

/* A terminal ---------------------------------------------------------------------------------- */

static int keyboard;		/* the other side of the terminal */
static int events[2];		/* pipe with the child's lines */
static char shown[65536];	/* what the terminal got */
static size_t shown_length;

/* Write an event: the name of its key, '!' if it has no bytes for the prompt, or what else it is. */
static void
write_event(FILE *file, const struct term_event *event)
{
	static const char *const others[] = { "suspend", "resume", "gone" };
	static const char *const mouse[] = { "click", "release", "wheel-up", "wheel-down" };
	char name[KEY_NAME_SIZE], bytes[300];
	const struct text pasted = term_pasted();
	int columns, lines_now;

	term_size(&columns, &lines_now);
	text_printable(bytes, sizeof(bytes), (struct text){ event->bytes, event->length });
	if (event->key == TERM_KEY_PASTE)
		fprintf(file, " paste:%zu:%.*s", pasted.length, TEXT_UPTO(pasted, 20));
	else if (event->key >= TERM_KEY_CLICK && event->key <= TERM_KEY_WHEEL_DOWN)
		fprintf(file, " %s:%d,%d", mouse[event->key - TERM_KEY_CLICK], event->x, event->y);
	else if (event->key == TERM_KEY_RESIZE)
		fprintf(file, " resize:%dx%d", columns, lines_now);
	else if (event->key >= TERM_KEY_SUSPEND && event->key <= TERM_KEY_GONE)
		fprintf(file, " %s", others[event->key - TERM_KEY_SUSPEND]);
	else if (event->key == TERM_KEY_UNKNOWN)
		fprintf(file, " ?%s", bytes);
	else
		fprintf(file, " %s%s", key_label(event->key, name), event->length == 0 ? "!" : "");
}

static FILE *lines_out;			/* '|' for painting, 'w' for work, 'v' for a wake, 't' for a tick */
static struct loop loop;
static unsigned work_left, pending_left;
static bool done, ticks, quits;

/* Write each event; painting after '=' or a new size ends a line. Capital letters make work. */
static void
on_key(struct explorer *explorer, const struct term_event *event)
{
	(void)explorer;
	if (event->key != '=')
		write_event(lines_out, event);
	done = done || event->key == '=' || event->key == TERM_KEY_RESIZE;
	work_left = event->key == 'W' ? 3 : work_left;
	pending_left = event->key == 'P' ? 4 : pending_left;
	ticks = ticks || event->key == 'T';
	quits = event->key == 'Q';
	if (event->key == 'V')
		loop_wake(&loop);
	if (event->key == TERM_KEY_CONTROL('z'))
		term_suspend();
	fflush(lines_out);
}

static void
on_paint(struct explorer *explorer)
{
	(void)explorer;
	/* The terminal has its modes again before the line ends. */
	term_put(3, 1, 9, text_of("painted"), ROLE_BAD, ROLE_NORMAL);
	term_flush();
	fputs(done ? "|\n" : "|", lines_out);
	fflush(lines_out);
	done = false;
}

static void
on_woken(struct explorer *explorer)
{
	(void)explorer;
	fputc('v', lines_out);
	fflush(lines_out);
}

static bool
on_work(struct explorer *explorer)
{
	(void)explorer;
	if (work_left == 0)
		return false;
	work_left--;
	fputc('w', lines_out);
	return true;
}

static bool
on_pending(struct explorer *explorer)
{
	(void)explorer;
	return pending_left > 0 && pending_left-- > 0;
}

static bool
on_tick(struct explorer *explorer)
{
	const bool ticked = ticks;

	(void)explorer;
	fputs(ticked ? "t" : "", lines_out);
	ticks = false;
	return ticked;
}

/* Run the loop at a terminal. */
static _Noreturn void
serve(void)
{
	static const struct loop_client of_loop = { NULL, NULL, on_key, NULL, on_paint, NULL, on_woken, on_work,
						    on_pending, on_tick, NULL, &quits };
	struct term_options options = { .columns = 1, .rows = 1 };

	lines_out = fdopen(events[1], "w");
	loop_start(&loop, NULL, &error);
	options.notify = loop.pipe[1];
	if (term_start(&options, &error) == ERROR_NONE) {
		term_mouse(true);
		term_flush();
		fprintf(lines_out, "%s", term_substitute() != NULL ? term_substitute() : "begun");
		done = true;
		loop_run(&loop, &of_loop);
		fprintf(lines_out, "end\n");
	} else {
		fprintf(lines_out, "%s\n", error.text);
	}
	fflush(lines_out);
	_exit(0);
}

/* Take what the terminal got; false if it is gone. */
static bool
take(void)
{
	const ssize_t got = read(keyboard, shown + shown_length, sizeof(shown) - 1 - shown_length);

	shown_length += got > 0 ? (size_t)got : 0;
	shown[shown_length] = '\0';
	return got > 0;
}

/* The child's next line, or its beginning if that is `whole`; takes what the terminal got meanwhile. */
static const char *
answer(const char *whole)
{
	static char text[4096];
	size_t length = 0;
	struct pollfd ready[] = { { .fd = events[0], .events = POLLIN },
				  { .fd = keyboard, .events = POLLIN } };

	text[0] = '\0';
	while (length < sizeof(text) - 1 && (whole == NULL || strcmp(text, whole) != 0) && poll(ready, 2, 10000) > 0) {
		if (ready[1].revents != 0)
			ready[1].fd = take() ? keyboard : -1;
		if (ready[0].revents == 0)
			continue;
		if (read(events[0], text + length, 1) != 1 || text[length] == '\n')
			break;
		text[++length] = '\0';
	}
	text[length] = '\0';
	return text;
}

/* Begin at a terminal of this type; after '<' keys are not standard input. */
static pid_t
begin(const char *type)
{
	struct winsize size = { .ws_col = 80, .ws_row = 24 };

	shown_length = 0;
	fflush(stdout);
	const pid_t child = pipe(events) == 0 ? forkpty(&keyboard, NULL, NULL, &size) : -1;
	if (child == 0) {
		if (type[0] == '<')
			dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		setenv("TERM", type + (type[0] == '<'), 1);
		setenv("ESCDELAY", "soon", 1);
		serve();
	}
	close(events[1]);
	return child;
}

static int
end(pid_t child, int number)
{
	int status = 0;

	kill(child, number);
	waitpid(child, &status, 0);
	while (take())
		;
	close(keyboard);
	close(events[0]);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
type(const char *keys, size_t length)
{
	for (ssize_t written; length > 0 && (written = write(keyboard, keys, length)) > 0; length -= (size_t)written)
		keys += written;
}

#define SIXTY "000000000000000000000000000000000000000000000000000000000000"

static void
test_terminal(void)
{
	static const struct {
		const char *keys, *events;
	} cases[] = {
		{ "ab~ ", " a b ~ Space|" }, { "\r\n\t\b\177\001\032", " Enter Enter Tab Backspace Backspace C-a C-z|" },
		{ "\034\037é日", " ?\\x1c ?\\x1f é 日|" },
		{ "\033OA\033OB\033OC\033OD\033OH\033OF\033[5~\033[6~\033[3~\033[2~\033[Z\033OM",
		  " Up Down Right Left Home End PgUp PgDn Delete Insert S-Tab Enter|" },
		{ "\033OP\033OQ\033OR\033OS\033[15~\033[17~\033[18~\033[19~\033[20~\033[21~\033[23~"
		  "\033[24~\033[1;5A\033[1;5B\033[1;5C\033[1;5D",
		  " F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 C-Up C-Down C-Right C-Left|" },
		{ "\033qx\033Ozx\033[7~x\033[7@x\033[7?\177@x", " ?\\x1bq x ?\\x1bOz x ?\\x1b[7~ x "
		  "?\\x1b[7@ x ?\\x1b[7?\\x7f@ x|" },
		{ "\033[@x\033[M !!x", " ?\\x1b[@ x ?\\x1b[M x|" },
		{ "\033[0" SIXTY "99;~", " ?\\x1b[0" SIXTY "9 9 ; ~|" },
		{ "\033[<0;20;5M\033[<0;21;6m\033[<64;1;1M\033[<65;80;24M\033[<2;3;4M",
		  " click:19,4 release:20,5 wheel-up:0,0 wheel-down:79,23 ?|" },
		{ "\033[200~a\tb\rc\nd\037\177\033[201\033[201~e", " paste:11:a b c d[201 e|" },
		{ "\033[200~\033[201~\033[200~é\033[201~", " paste:0: paste:2:é|" },
	};
	/* Three times work, other work that ends, a wake, a second without events. */
	static const char *const works[][2] = {
		{ "W=", "www|" }, { "P=", "|" }, { "V=", "v" }, { "T=", "t|" },
	};
	static const struct {
		struct winsize size;
		const char *event;
	} sizes[] = {
		{ { .ws_col = 1, .ws_row = 2 }, " resize:1x2|" }, { { .ws_col = 0, .ws_row = 30 }, " resize:1x2|" },
		{ { .ws_col = 3, .ws_row = 1 }, " resize:3x1|" }, { { .ws_col = 9, .ws_row = 0 }, " resize:3x1|" },
		{ { .ws_col = 100, .ws_row = 30 }, " resize:100x30|" },
	};
	static char large[70000];
	const pid_t child = begin("xterm-256color");

	if (child < 0) {
		skip(1, "there is no terminal");
		return;
	}
	is_str(answer(NULL), "begun|", "a terminal begins");
	while (strstr(shown, "painted") == NULL && poll(&(struct pollfd){ .fd = keyboard, .events = POLLIN }, 1, 10000) > 0 && take())
		;
	ok(strstr(shown, "\033[?2004h\033[8l") != NULL, "pastes are asked for, and letters stay in their cells");
	ok(strstr(shown, "\033[?1006;1000h") != NULL, "the mouse is asked for");
	ok(strstr(shown, "\033[31mpainted") != NULL, "text has the colours of its role");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char keys[300];

		snprintf(keys, sizeof(keys), "%s=", cases[i].keys);
		type(keys, strlen(keys));
		is_str(answer(NULL), cases[i].events, "bytes %zu of the keyboard are these keys", i);
	}
	/* A key with Alt begins with the byte of Esc, so a moment must pass after Esc. */
	type("\033", 1);
	is_str(answer(" Esc|"), " Esc|", "a byte that nothing follows is Esc");
	type("=", 1);
	answer(NULL);
	memcpy(large, "\033[200~", 6);
	memset(large + 6, 'x', 69000);
	memcpy(large + 69006, "\033[201~=", 7);
	type(large, 69013);
	is_str(answer(NULL), " paste:65536:xxxxxxxxxxxxxxxxxxxx|", "a paste has at most 64 KiB");
	shown_length = 0;
	type("\032=", 2);
	is_str(answer(NULL), " C-z|", "a key stops the program");
	ok(strstr(shown, "\033[?2004l\033[8h") != NULL && strstr(shown, "\033[?2004h\033[8l") != NULL &&
		   strstr(shown, "\033[?1049l") != NULL,
	   "a terminal that is lent has its own modes meanwhile");
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		ioctl(keyboard, TIOCSWINSZ, &sizes[i].size);
		is_str(answer(NULL), sizes[i].event, "new size %zu is an event, and is used unless it is 0", i);
	}
	kill(child, SIGCONT);
	is_str(answer(NULL), " resume resize:100x30|", "the screen is painted after a stop");
	kill(child, SIGTSTP);
	is_str(answer(" suspend|"), " suspend|", "a signal to stop is an event");
	for (size_t i = 0; i < ARRAY_COUNT(works); i++) {
		type(works[i][0], 2);
		answer(NULL);
		is_str(answer(works[i][1]), works[i][1], "the loop works and paints after '%s'", works[i][0]);
	}
	shown_length = 0;
	is_u64((uint64_t)end(child, SIGTERM), SIGTERM, "a signal ends the program");
	ok(shown_length > 27 && memcmp(shown, "\033[?1006l\033[?1000l\033[?2004l\033[8h", 27) == 0,
	   "the mouse and all modes are given back");
}

/* A program whose output is not a terminal has no screen. */
static void
test_output(void)
{
	fflush(stdout);
	const pid_t child = pipe(events) == 0 ? fork() : -1;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		lines_out = fdopen(events[1], "w");
		fprintf(lines_out, "%d %s %d\n", term_start(&(struct term_options){ .columns = 1 }, &error) == ERROR_IO,
			error.text, term_descriptor());
		fflush(lines_out);
		_exit(0);
	}
	close(events[1]);
	keyboard = open("/dev/null", O_RDONLY);
	is_str(answer(NULL), "1 standard output is not a terminal -1", "a screen needs a terminal");
	end(child, SIGKILL);
}

/* vt100 has no mouse and no colours; terminfo's sgr0 has a pause, which is not sent. */
static void
test_types(void)
{
	static const char *const unknown[] = { "nonsense", "?", "<nonsense" };
	static const char looks[] = "\033[?1l\033>\033[m\017";
	pid_t child = begin("vt100");

	if (child < 0) {
		skip(1, "there is no terminal");
		return;
	}
	is_str(answer(NULL), "begun|", "a vt100 begins");
	end(child, SIGHUP);
	ok(strstr(shown, "2004") == NULL && strstr(shown, "[8l") == NULL && strstr(shown, "1006") == NULL,
	   "it gets no modes of others");
	is_str(shown_length < strlen(looks) ? "" : shown + shown_length - strlen(looks), looks, "it gets its keys and its looks back");
	/* terminfo's screen has no capability for pastes. */
	child = begin("screen");
	is_str(answer(NULL), "begun|", "a terminal with a mouse begins");
	end(child, SIGHUP);
	const char *given = strstr(shown, "\033[?2004h\033[8l");
	ok(given != NULL, "it is asked for pastes too");
	ok(given != NULL && strstr(given, "\033[?2004l\033[8h") != NULL, "it gets its own modes back");
	for (size_t i = 0; i < ARRAY_COUNT(unknown); i++) {
		child = begin(unknown[i]);
		is_str(answer(NULL), "xterm-256color|", "an unknown type is taken for a common one");
		type("Q", 1);
		is_str(answer(NULL), " Qend", "the loop ends when its client is done");
		end(child, SIGKILL);
	}
	signal(SIGHUP, SIG_IGN);
	child = begin("xterm");
	answer(NULL);
	close(keyboard);
	keyboard = -1;
	/* The system also sends the signal that continues a process. */
	ok(strstr(answer(NULL), " goneend") != NULL, "the loop ends when the terminal is gone");
	signal(SIGHUP, SIG_DFL);
	end(child, SIGKILL);
	child = begin("dumb");
	is_str(answer(NULL), "unsupported terminal type 'dumb'", "a type that moves no cursor is refused");
	end(child, SIGKILL);
	child = begin("");
	is_str(answer(NULL), "unsupported terminal type ''", "a missing type is refused");
	end(child, SIGKILL);
}

int
main(void)
{
	const struct term_options options = { .headless = true, .columns = COLUMNS, .rows = ROWS };
	static const char *const unset[] = { "NO_COLOR", "COLORFGBG", "ESCDELAY", "LINES", "COLUMNS" };

	for (size_t i = 0; i < ARRAY_COUNT(unset); i++)
		unsetenv(unset[i]);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("INPUTRC", "/dev/null", 1);
	setlocale(LC_CTYPE, "");
	/* nohup(1) ignores it. */
	signal(SIGHUP, SIG_DFL);
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || !prompt_load()) {
		skip(1, "there is no locale C.UTF-8 or no readline");
		return done_testing();
	}
	const unsigned before = descriptors();
	alarm(120);
	test_terminal();
	test_types();
	test_output();
	test_escape();
	if (term_start(&options, &error) != ERROR_NONE || cursor() < 0) {
		skip(1, "there is no screen with a cursor: %s", error.text);
		return done_testing();
	}
	test_painting();
	prompt_start(&client, NULL, false);
	prompt_stop();
	prompt_start(&client, NULL, false);
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		test_line(&lines[i]);
	test_full();
	test_over();
	prompt_stop();
	test_history();
	test_screen();
	term_stop();
	/* Nothing of this needs a screen. */
	term_stop();
	term_resize(3, 3);
	term_theme(THEME_NAME_DARK);
	term_send(text_of("x"));
	ok(term_descriptor() == -1 && !term_has_input(), "a screen that has ended has no keyboard");
	ok(strncmp(term_library(), "ncurses 6.", 10) == 0 && strchr(prompt_library(), '.') != NULL,
	   "the libraries have their versions");
	is_u64(descriptors(), before, "it has no files");
	return done_testing();
}
