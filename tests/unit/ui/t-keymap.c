/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>

#include "base/compiler.h"
#include "lesson/lesson.h"
#include "tests/lib/tap.h"
#include "ui/terminal/key.h"
#include "ui/explorer.h"
#include "ui/request/keymap.h"

/* Rows RF, CF and EF of request.def, with the rows of view.def and details.def. */
#define REQUESTS_OF_FILES 166u

/* The questions come first in the help. */
enum {
	QUESTION_COUNT = 0
#define Q(question) + 1
#define A(id, word)
#include "ui/view/question.def"
};

static const struct keymap_alias aliases[] = {
#define A(words, id, whose) { words, REQUEST_##id, whose, NULL },
#define W(words, id, whose, with) { words, REQUEST_##id, whose, with },
#include "ui/request/alias.def"
};

/*
 * A lesson or a script that is played may come from a stranger. A request that is added to the table
 * is one of the user only, until its row says otherwise: then the number of these rows changes, and
 * its words must not name a file.
 */
static void
test_of_files(void)
{
	/* Lines of a stranger: abbreviations, words of other debuggers, `try`, `:`, blanks. */
	static const char *const refused[] = {
		"copy line", "y", "edit", "bind j quit!", "unbind j", "quit!", "quit", "wq", "exit",
		"suspend", "note text", "unnote", "notes", "resume", "reload", "set copy-command sh",
		"set copy sh", "set clipboard always", "set cl always", "set redact off", "set",
		"symbols https://example.org/", "add-symbol-file x", ".sympath+ x", ".exepath+ /",
		"sym x", "binaries /", "source-map a b", "write Makefile", "write! Makefile",
		"wri! Makefile", "export walk x.txt", "export! step x.txt", "export-case x",
		"export-case! x", "sanitize x", "save-screen x", "save-screen! x", "hand-in x",
		"hand-in! x", "write-patch x", "write-patch! x", "play other", "play next other",
		"play next", "play first other", "play", "answer 1", "lesson next", "lesson",
		"try write! Makefile", "try try write! Makefile", ":try :write! Makefile",
		" : : try : try copy", "try", "try try up", "ask", "stepping", "setx", "frobnicate", "s", "",
	};
	static const char *const permitted[] = {
		"step token", "st t 3", "bt", "frame 2", "f 1", "up", ".ecxr", "x/8gx 1000",
		"view registers", "set blind token", "set lay single", "try frame 99", ":frame 1",
		"try :goto frame 1", "set-rule .cfa: $rsp 8 +", "policy stack-bottom 1", "say text",
		"summary", "exception", "find --all \"x\"", "at frame=1", "expect x", "help CFA",
	};
	static const char *const of_paths[] = {
		"FILE", "PATH", "NEW", "OLD", "KEY", "LESSON",
	};
	size_t files = 0;

	for (size_t i = 0; i < ARRAY_COUNT(refused); i++)
		ok(!explorer_permits(refused[i]), "no file runs '%s'", refused[i]);
	for (size_t i = 0; i < ARRAY_COUNT(permitted); i++)
		ok(explorer_permits(permitted[i]), "a file may run '%s'", permitted[i]);
	for (int id = REQUEST_NONE + 2; id < REQUEST_COUNT; id++) {
		const struct keymap_row *row = keymap_row_of((enum request)id);
		const char *words = row->command;
		bool names = false;

		for (struct text rest = text_of(words), word; (word = lesson_word(&rest)).length > 0;)
			for (size_t i = 0; i < ARRAY_COUNT(of_paths); i++)
				names |= text_equal(word, text_of(of_paths[i]));
		files += row->of_files;
		ok(!(names && row->of_files), "'%s' is no request of files, or names none", words);
	}
	is_u64(files, REQUESTS_OF_FILES, "every request of files has been looked at");
}

static void
is_command(const char **rest, const char *expected, const char *title)
{
	char command[40];
	const struct text next = lesson_next_command(rest);

	snprintf(command, sizeof(command), "%.*s", (int)next.length, next.start);
	is_str(command, expected, "%s", title);
}

static void
test_card_commands(void)
{
	const char *rest = " frame 1 ; view eval;;\n  set blind token";

	is_command(&rest, "frame 1 ", "the first command of a card is read");
	is_command(&rest, "view eval", "the second command of a card is read");
	is_command(&rest, "set blind token", "empty commands are skipped");
	is_u64(lesson_next_command(&rest).length, 0, "the card has three commands");
}

/* The request that a single key makes. */
static enum request
asked_by(int key, unsigned context)
{
	const struct binding *binding = binding_find(key, 0, context);

	return binding == NULL ? REQUEST_NONE : binding->request;
}

static void
test_keys(void)
{
	static const struct {
		const char *name;
		int key;
	} cases[] = {
		{ "s", 's' },	    { "Space", ' ' }, { "C-o", 15 },	    { "Tab", TERM_KEY_TAB },
		{ "<", '<' },	    { "S-Tab", TERM_KEY_BACK_TAB }, { "\xc3\xa9", 0xe9 }, { "PgDn", TERM_KEY_PAGE_DOWN },
		{ "'", '\'' },	    { "F12", TERM_KEY_F12 }, { "C-a", 1 },	    { "C-z", 26 }, { "!", '!' },	    { "~", '~' },
	};
	char name[KEY_NAME_SIZE], bytes[16];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		is_u64((unsigned)key_parse(cases[i].name, strlen(cases[i].name)),
		       (unsigned)cases[i].key, "'%s' is a key", cases[i].name);
		is_str(key_label(cases[i].key, name), cases[i].name, "the name of the key is the same again");
	}
	for (size_t i = 0; i < 3; i++)
		is_u64((unsigned)key_parse((const char *[]){ "C-%", "C-`", "C-{" }[i], 3), TERM_KEY_NONE,
		       "Ctrl is read with letters only");
	static const int no_keys[] = { 0, 27, TERM_KEY_FIRST, TERM_KEY_LAST, TERM_KEY_RESIZE };
	for (size_t i = 0; i < ARRAY_COUNT(no_keys); i++)
		ok(key_label(no_keys[i], name)[0] == '\0' && (no_keys[i] == 27 || key_bytes(no_keys[i], bytes) == 0),
		   "%#x is no key with a name", (unsigned)no_keys[i]);
	ok(key_parse("", 0) == TERM_KEY_NONE && key_parse(" ", 1) == TERM_KEY_NONE, "no name and a blank are no key");
	is_u64((unsigned)key_parse("down", 4), TERM_KEY_NONE, "an unknown name is no key");
	is_u64((unsigned)key_parse("\x1b", 1), TERM_KEY_NONE, "a control is no name");
	is_u64(key_bytes(TERM_KEY_UP, bytes), 3, "an arrow reaches a prompt as three bytes");
	ok(memcmp(bytes, "\033[A", 3) == 0, "the bytes of an arrow are those of xterm");
	is_u64(key_bytes(0xe9, bytes), 2, "a letter reaches it as UTF-8");
	is_u64(key_bytes(TERM_KEY_CLICK, bytes), 0, "a click does not reach it");
}

/* The names of a row's keys, one after another; false at the end. */
static bool
next_key(const char **keys, struct text *name)
{
	name->start = *keys + strspn(*keys, " ");
	name->length = strcspn(name->start, " ");
	*keys = name->start + name->length;
	return name->length != 0;
}

/* The one or two keys that a name stands for. */
struct pressed {
	int first, second;
};

static struct pressed
pressed_of(struct text name)
{
	struct pressed keys;
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)name.length, name.start);
	binding_parse(text, &keys.first, &keys.second);
	return keys;
}

/* True if a row has the keys, if they begin its own, or if its own begin them. */
static bool
row_has_keys(const struct keymap_row *row, struct pressed keys)
{
	const char *names = row->keys;
	struct text name;

	while (next_key(&names, &name)) {
		const struct pressed own = pressed_of(name);

		if (own.first == keys.first && (own.second == keys.second || own.second == TERM_KEY_NONE ||
		     keys.second == TERM_KEY_NONE))
			return true;
	}
	return false;
}

static unsigned
count_clashes(const struct keymap_row *rows, size_t count, size_t index)
{
	const char *keys = rows[index].keys;
	struct text name;
	unsigned clashes = 0;

	while (next_key(&keys, &name))
		for (size_t j = 0; j < count; j++)
			clashes += j != index && (rows[j].contexts & rows[index].contexts) != 0 &&
				   row_has_keys(&rows[j], pressed_of(name));
	return clashes;
}

static void
test_table(void)
{
	size_t count;
	const struct keymap_row *rows = keymap_rows(&count);
	unsigned incomplete = 0, clashes = 0, strange = 0, unhinted = 0, unreachable = 0;

	for (size_t i = 0; i < count; i++) {
		const char *keys = rows[i].keys, *arguments;
		struct text name;

		if (rows[i].request == REQUEST_NONE)
			continue;
		incomplete += rows[i].command[0] == '\0' || rows[i].help[0] == '\0';
		while (next_key(&keys, &name))
			strange += pressed_of(name).first == TERM_KEY_NONE;
		clashes += count_clashes(rows, count, i);
		unhinted += rows[i].hints != 0 && (rows[i].keys[0] == '\0' || rows[i].hint[0] == '\0');
		unreachable += keymap_command(rows[i].command, &arguments) != rows[i].request;
	}
	is_u64(incomplete, 0, "every row has a command and a sentence of help");
	is_u64(strange, 0, "every key of the table has a name that is known");
	is_u64(clashes, 0, "each key has one meaning in a context");
	is_u64(unhinted, 0, "every row of a footer has a key and a word");
	is_u64(unreachable, 0, "every row is found by its own command");
}

/* Each word in capitals of a command is an argument that can be completed. */
static void
test_words(void)
{
	static const char words[] = " "
#define A(word, function, blanks) #word " "
#include "ui/request/argument.def"
		;
	size_t count;
	const struct keymap_row *rows = keymap_rows(&count);

	for (size_t i = 0; i < count; i++)
		for (struct text rest = text_of(rows[i].command), word; (word = lesson_word(&rest)).length > 1;)
			if (rows[i].request != REQUEST_NONE && isupper((unsigned char)word.start[0]))
				ok(memmem(words, sizeof(words) - 1, word.start - 1, word.length + 1) != NULL, "%s", rows[i].command);
}

/* The convention: lower case goes forward, upper case goes back. */
static void
test_case(void)
{
	static const char letters[] = "srfatn";

	for (const char *c = letters; *c != '\0'; c++) {
		enum request forward = asked_by(*c, KEYMAP_VIEW(LAYOUT_EVALUATION));
		enum request back = asked_by(toupper(*c), KEYMAP_VIEW(LAYOUT_EVALUATION));

		ok(forward != REQUEST_NONE && back != REQUEST_NONE && forward != back &&
		   (strstr(keymap_row_of(back)->command, "back") != NULL || strstr(keymap_row_of(back)->command, "prev") != NULL),
		   "'%c' goes forward and its upper case back", *c);
	}
	ok(asked_by('s', KEYMAP_HELP) == REQUEST_NONE, "the help does not step");
	ok(asked_by(TERM_KEY_DOWN, KEYMAP_HELP) == REQUEST_DOWN, "a key in the help moves");
	ok(asked_by('%', KEYMAP_ALL) == REQUEST_NONE, "a key without a row asks for nothing");
}

static void
test_commands(void)
{
	static const struct {
		const char *text;
		enum request request;
		const char *arguments;
	} cases[] = {
		{ "step token", REQUEST_STEP_TOKEN, "" }, { "st t", REQUEST_STEP_TOKEN, "" },
		{ "  step   reg  ", REQUEST_STEP_REGISTER, "" }, { "goto 0x12fe8c", REQUEST_GOTO, "0x12fe8c" },
		{ "goto frame 2", REQUEST_GOTO, "frame 2" }, { "goto mark a", REQUEST_GOTO_MARK, "a" },
		{ "set base toggle", REQUEST_SET_BASE, "" }, { "set base hex", REQUEST_SET, "base hex" },
		{ "search next", REQUEST_SEARCH_NEXT, "" }, { "search n", REQUEST_SEARCH, "n" }, { "search", REQUEST_SEARCH, "" },
		{ "copy line", REQUEST_COPY_LINE, "" }, { "copy l", REQUEST_COPY_LINE, "" }, { "copy", REQUEST_COPY, "" },
		{ "q", REQUEST_QUIT, "" }, { "quit now", REQUEST_NONE, NULL }, { "write out file.txt", REQUEST_WRITE, "out file.txt" },
		{ "fi", REQUEST_AMBIGUOUS, NULL }, { "step", REQUEST_NONE, NULL }, { "nonsense", REQUEST_NONE, NULL },
		{ "down 2", REQUEST_FRAME_DOWN, "2" }, { "f 3", REQUEST_FRAME, "3" }, { "frame next", REQUEST_FRAME_NEXT, "" },
		{ "frame 1", REQUEST_FRAME, "1" }, { "thread 2", REQUEST_THREAD, "2" }, { "~3 s", REQUEST_THREAD, "3 s" },
		{ "i r rip", REQUEST_VIEW_REGISTERS, "rip" }, { "bt full", REQUEST_VIEW_FRAME, "" }, { "bt 3", REQUEST_BACKTRACE, "3" },
		{ "!analyze -v", REQUEST_SUMMARY, "-v" }, { "", REQUEST_NONE, NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *arguments;

		is_u64(keymap_command(cases[i].text, &arguments), cases[i].request, "'%s' is understood", cases[i].text);
		if (cases[i].arguments != NULL)
			is_str(arguments, cases[i].arguments, "the command keeps its arguments");
	}
}

static bool
completes(const char *line, const char *word)
{
	struct completion completion;
	bool found = false;

	completion_begin(&completion, line);
	keymap_complete(line, &completion);
	for (size_t i = 0; i < completion.count; i++)
		found = found || strcmp(completion.words[i], word) == 0;
	completion_free(&completion);
	return found;
}

static void
test_completion(void)
{
	ok(completes("", "goto"), "a command completes its first word");
	ok(completes("step ", "register"), "a command completes its second word");
	ok(!completes("step ", "stack"), "a second word belongs to its command");
	ok(completes("goto ", "mark"), "the place of an argument completes");
	ok(!completes("goto ", "PLACE"), "an argument is no word");
	ok(completes("set inline ", "toggle"), "a third word completes");
	ok(!completes("", "bt"), "words of other debuggers are not offered to who typed nothing");
	ok(completes("b", "bt"), "words of other debuggers are offered after their first letter");
	ok(completes("info ", "frame"), "words of other debuggers complete their second words");
}

/* The argument in which a line ends, and where that argument begins. */
static void
test_arguments(void)
{
	static const struct {
		const char *line, *word;
		size_t from;
	} cases[] = {
		{ "write ", "FILE", 6 }, { "goto ", "PLACE", 5 }, { "stream Mod", "STREAM", 7 }, { "write my file", "FILE", 6 },
		{ "set ro", "NAME", 4 }, { "set rows 1", "VALUE", 9 }, { "f 3", "FRAME", 2 }, { "~3", "THREAD", 1 }, { "quit ", "", 0 },
		{ "writ", "", 0 },
	};
	size_t from;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct text word = keymap_argument(cases[i].line, &from);

		ok(text_equal(word, text_of(cases[i].word)), "'%s' ends in '%s'", cases[i].line, cases[i].word);
		if (cases[i].word[0] != '\0')
			is_u64(from, cases[i].from, "the word has its place in the line");
	}
}

static void
test_aliases(void)
{
	size_t row_count;
	const struct keymap_row *rows = keymap_rows(&row_count);
	unsigned wrong = 0, doubled = 0;
	char buffer[64];
	const char *rest;

	for (size_t i = 0; i < ARRAY_COUNT(aliases); i++) {
		const char *arguments;

		wrong += keymap_command(aliases[i].words, &arguments) != aliases[i].request;
		for (size_t j = 0; j < row_count; j++)
			doubled += strlen(aliases[i].words) == keymap_name_length(rows[j].command) &&
				   strncmp(aliases[i].words, rows[j].command, strlen(aliases[i].words)) == 0;
	}
	is_u64(wrong, 0, "every word of another debugger means what the table says");
	is_u64(keymap_line("db $sp L4", buffer, sizeof(buffer), &rest), REQUEST_MEMORY, "a word may have an argument of its own");
	is_str(rest, "/b $sp L4", "the argument of the word is before the typed text");
	keymap_line("dv /t x", buffer, sizeof(buffer), &rest);
	is_str(rest, "", "the word's argument may replace the typed one, even with an empty text");
	keymap_line("memory read/4gx $sp", buffer, sizeof(buffer), &rest);
	is_str(rest, "/4gx $sp", "else what is typed is the argument, from a '/' on");
	ok(text_equal(keymap_near("sumary"), text_of("summary")), "a misspelled command is near to one that begins so");
	ok(text_equal(keymap_near("regsters"), text_of("view registers")),
	   "a misspelled word is near to a command with that word after another one");
	is_u64(doubled, 0, "no word that is near to a command is a command already");
}

static void
test_binding(void)
{
	const unsigned view = KEYMAP_VIEW(LAYOUT_EVALUATION);
	struct error error;
	char keys[64];

	ok(binding_add("F5", "step token", &error) == ERROR_NONE, "a key is bound");
	is_u64(asked_by(TERM_KEY_F5, view), REQUEST_STEP_TOKEN, "the bound key asks for its command");
	is_str(binding_keys(REQUEST_STEP_TOKEN, keys, sizeof(keys)), "s F5", "the command keeps its own key");
	ok(binding_add("s", "goto frame 2", &error) == ERROR_NONE, "a key of the table may be taken");
	is_str(binding_keys(REQUEST_STEP_TOKEN, keys, sizeof(keys)), "F5", "the command loses the key that was taken");
	is_str(binding_find('s', 0, view)->arguments, "frame 2", "arguments stay with the key");
	ok(binding_add("gg", "first", &error) == ERROR_NONE, "two keys are bound");
	ok(binding_is_prefix('g', view) && binding_find('g', 0, view) == NULL, "the first key waits for the second");
	is_u64(binding_find('g', 'g', view)->request, REQUEST_FIRST, "two bound keys ask for their command");
	for (size_t size = 5; size <= 8; size++)
		is_str(binding_keys(REQUEST_FIRST, keys, size), size < 6 ? "" : size < 8 ? "Home" : "Home gg",
		       "labels are whole in %zu bytes", size);
	is_str(binding_keys(REQUEST_FIRST, keys, sizeof(keys)), "Home gg", "the help has both keys of the command");
	ok(binding_add("g", "last", &error) == ERROR_NONE && !binding_is_prefix('g', view),
	   "a key of its own is no prefix any more");
	ok(binding_add("C-xC-d", "quit", &error) == ERROR_NONE &&
	   binding_find(24, 4, view) != NULL, "a pair may have keys held with Ctrl");
	ok(binding_add("zz0", "quit", &error) != ERROR_NONE && strstr(error.text, "'zz0'") != NULL,
	   "three keys are refused, by their name");
	ok(binding_add("F6", "qqq", &error) != ERROR_NONE && strstr(error.text, "'qqq'") != NULL,
	   "a command that does not exist is refused");
	ok(binding_remove("F5", &error) == ERROR_NONE && asked_by(TERM_KEY_F5, view) == REQUEST_NONE, "a binding is removed");
	ok(binding_remove("F5", &error) != ERROR_NONE, "once");
	binding_reset();
	is_u64(asked_by('s', view), REQUEST_STEP_TOKEN, "the table's keys come back");
	enum error_code code = ERROR_NONE;
	for (int i = 0; i < 2000 && code == ERROR_NONE; i++)
		code = binding_add((char[]){ (char)('!' + i / 50), (char)('0' + i % 50), '\0' }, "quit", &error);
	ok(code == ERROR_MEMORY && binding_at(1023) != NULL && binding_at(1024) == NULL &&
	   strcmp(error.text, "too many key bindings: 'quit'") == 0, "there are at most 1024 bindings");
	binding_reset();
}

static void
test_footers(void)
{
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (unsigned i = 0; i <= LAYOUT_VIEW_COUNT; i++) {
		row_clear(&row);
		keymap_footer(1u << i, 80, &row, SIZE_MAX);
		tap_diag("%s", row_text(&row));
		unsigned keys = 0;
		for (size_t j = 0; j < row.span_count; j++)
			keys += row.spans[j].role == ROLE_KEY;
		ok(keys >= 4 && keys <= 9, "footer %u names a handful of keys", i);
		ok(row.width == 79, "the footer ends one column before the edge");
		ok(strstr(row_text(&row), "? help") != NULL, "the footer has the help");
		ok(i == LAYOUT_VIEW_COUNT || strstr(row_text(&row), ": command") != NULL,
		   "the footer describes how to type a command");
	}
	for (size_t columns = 0; columns < 80; columns++) {
		row_clear(&row);
		keymap_footer(KEYMAP_VIEW(LAYOUT_EVALUATION), columns, &row, SIZE_MAX);
		if (row.width > columns)
			break;
	}
	ok(row.width < 80, "a footer never is wider than the screen");
	row_clear(&row);
	keymap_footer(KEYMAP_VIEW(LAYOUT_EVALUATION), 80, &row, SIZE_MAX);
	const size_t at = (size_t)(strstr(row_text(&row), "r register") - row_text(&row));
	const unsigned view = KEYMAP_VIEW(LAYOUT_EVALUATION);
	ok((row_clear(&row), keymap_footer(view, 80, &row, at)) == REQUEST_STEP_REGISTER &&
		   (row_clear(&row), keymap_footer(view, 80, &row, at + 9)) == REQUEST_STEP_REGISTER,
	   "each word of the footer is what its key is");
	static const struct {
		unsigned context;
		size_t columns;
		const char *row;
	} cut[] = {
		{ KEYMAP_VIEW(LAYOUT_EVALUATION), 17, " s token  ? help" }, { KEYMAP_VIEW(LAYOUT_EVALUATION), 16, " = edit  ? help" },
		{ KEYMAP_VIEW(LAYOUT_EVALUATION), 8, " ? help" }, { KEYMAP_VIEW(LAYOUT_EVALUATION), 7, "" },
		{ KEYMAP_VIEW(LAYOUT_STACK) | KEYMAP_LEARN, 80,
		  " P answer  ; hint  , next card  f frame  t thread  Enter go  Space fold  ? help" },
		{ KEYMAP_PLAY, 40, " Space next line  S back  , next card" }, { KEYMAP_PLAY, 38, " Space next line  S back" },
	};
	for (size_t i = 0; i < ARRAY_COUNT(cut); i++) {
		row_clear(&row);
		keymap_footer(cut[i].context, cut[i].columns, &row, SIZE_MAX);
		is_str(row_text(&row), cut[i].row, "a footer of %zu columns has the keys that fit", cut[i].columns);
	}
	ok((row_clear(&row), keymap_footer(view, 80, &row, at - 1)) == REQUEST_NONE, "a blank between two is nothing");
	ok((row_clear(&row), keymap_footer(view, 80, &row, 75)) == REQUEST_HELP, "the help at the edge is one");
	arena_free(&arena);
}

static void
test_help(void)
{
	static const char *const entries[][2] = {
		{ "copy", "   y              :copy " }, { "telescope", ":telescope " },
		{ "step", ":step token" }, { "row", ":row NUMBER" },
	};
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	size_t count, lines = 0, entry;
	bool cut = false;

	keymap_rows(&count);
	for (; row_clear(&row), keymap_help_row(lines, 0, 80, false, &row) > 0; lines++)
		cut = cut || row.width > 80;
	ok(!cut, "each line of the help is as wide as the screen or narrower");
	is_u64(lines, QUESTION_COUNT + 1 + count + 1 + ARRAY_COUNT(aliases),
	       "the help has the questions, every row of the table once, and the words of others "
	       "under a title");
	binding_add("F5", "goto frame 2", &(struct error){ 0 });
	for (size_t i = 0; i < ARRAY_COUNT(entries); i++) {
		row_clear(&row);
		ok(keymap_help_entry(text_of(entries[i][0]), &entry) && keymap_help_row(entry, 0, 80, false, &row) > 0 &&
		   strstr(row_text(&row), entries[i][1]) != NULL, "'%s' has its entry", entries[i][0]);
	}
	binding_reset();
	ok(!keymap_help_entry(text_of("ste"), &entry) && !keymap_help_entry(text_of(""), &entry), "a part of a word has none");
	arena_free(&arena);
}

/* Rows of the help: those of questions by their number, those of commands by their name. */
static void
test_help_rows(void)
{
	static const struct {
		const char *name;	/* NULL: question `number` */
		size_t number, line, columns;
		bool again;
		size_t lines;
		const char *row;
	} cases[] = {
		{ NULL, 0, 0, 79, false, 1, " why did it crash?    ! summary     d code        2 source" },
		{ NULL, 0, 0, 58, false, 1, " why did it crash?    ! summary     d code        2 source" },
		{ NULL, 0, 0, 57, false, 2, " why did it crash?    ! summary     d code" },
		{ NULL, 0, 1, 57, false, 2, "                      2 source" },
		{ NULL, 0, 1, 57, true, 2, " why did it crash?    2 source" },
		{ NULL, 0, 2, 20, false, 3, "                      2 source" },
		{ NULL, 1, 0, 79, false, 2, " who called?          1 stack       ] caller      [ callee      t next thread" },
		{ NULL, 1, 1, 79, false, 2, "                      O by state    v other dump" },
		{ NULL, 6, 0, 79, false, 1, " what does it mean?   K words of this row         p a value" },
		{ "set-rule", 0, 0, 80, false, 3,
		  "                  :set-rule REGISTER EXPRESSION set the expression of a rule of" },
		{ "set-rule", 0, 2, 80, false, 3, "                                                24 +'" },
		{ "set-rule", 0, 1, 80, true, 3,
		  "                  :set-rule REGISTER EXPRESSION this step: 'set-rule .cfa: $rsp" },
		{ "set-rule", 0, 0, 72, false, 4, "                  :set-rule REGISTER EXPRESSION set the expression of a" },
		{ "set-rule", 0, 0, 71, false, 1,
		  "                  :set-rule REGISTER EXPRESSION set the expression of a rule of this step: "
		  "'set-rule .cfa: $rsp 24 +'" },
		{ "repeat", 0, 0, 64, false, 1, "   .              :repeat               repeat the last step" },
		{ "drop-rule", 0, 0, 63, false, 1,
		  "                  :drop-rule REGISTER   drop a rule of this step: the one under the cursor, or that of REGISTER" },
		{ "drop-rule", 0, 0, 64, false, 4, "                  :drop-rule REGISTER   drop a rule of this" },
		{ "drop-rule", 0, 3, 64, false, 4, "                                        REGISTER" },
		{ "telescope", 0, 0, 80, false, 1, "                  :telescope            pwndbg: memory PLACE" },
	};
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		size_t entry = cases[i].number;

		row_clear(&row);
		ok(cases[i].name == NULL || keymap_help_entry(text_of(cases[i].name), &entry), "row %zu has an entry", i);
		is_u64(keymap_help_row(entry, cases[i].line, cases[i].columns, cases[i].again, &row),
		       cases[i].lines, "row %zu of the help has its lines at %zu columns", i, cases[i].columns);
		is_str(row_text(&row), cases[i].row, "row %zu has its words", i);
	}
	row_clear(&row);
	binding_add("F5", "goto frame 2", &(struct error){ 0 });
	size_t count;
	keymap_rows(&count);
	keymap_help_row(QUESTION_COUNT + 1 + count, 0, 80, false, &row);
	row_add(&row, ROLE_NORMAL, "|");
	keymap_help_row(QUESTION_COUNT + 2 + count, 0, 80, false, &row);
	is_str(row_text(&row), " your keys|   F5  :goto frame 2", "a user's own key has a row under its title");
	row_clear(&row);
	is_u64(keymap_help_row(QUESTION_COUNT + 4 + count + ARRAY_COUNT(aliases), 0, 80, false, &row), 0,
	       "the help ends after the last word of others");
	binding_reset();
	row_clear(&row);
	for (size_t i = 1; i < 3; i++, row_add(&row, ROLE_NORMAL, "|"))
		keymap_help_row(QUESTION_COUNT + i + count, 0, 80, false, &row);
	is_str(row_text(&row), " words of gdb, lldb, pwndbg and WinDbg|:btgdb: backtrace COUNT|", "the words of others have a title");
	arena_free(&arena);
}

/* The words that are offered after a line, with their common beginning and their number. */
static void
test_offers(void)
{
	static const struct {
		const char *line, *words, *expected;
	} cases[] = {
		{ "", "b a a", "|2 b a" },		{ "x ", "ab ac", "a|2 ab ac" },
		{ "x a", "ab b ac a", "a|3 ab ac a" },	{ "é", "éa éb", "é|2 éa éb" }, { "", "é ê", "|2 é ê" },		{ "x", "a", "-|0" },
		{ "ab", "a abc", "abc|1 abc" },		{ "", "a\177", "-|0" },
	};
	struct completion completion;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *words = cases[i].words;
		char got[100];

		completion_begin(&completion, cases[i].line);
		for (struct text word; next_key(&words, &word);)
			completion_add(&completion, word);
		int used = snprintf(got, sizeof(got), "%s|%u", completion.common != NULL ? completion.common : "-",
				    (unsigned)completion.total);
		for (size_t j = 0; j < completion.count; j++)
			used += snprintf(got + used, sizeof(got) - (size_t)used, " %s", completion.words[j]);
		is_str(got, cases[i].expected, "after '%s' these of '%s' are offered", cases[i].line, cases[i].words);
		completion_free(&completion);
	}
	completion_begin(&completion, "");
	for (unsigned i = 0; i < COMPLETION_MOST + 2; i++) {
		char word[8];

		snprintf(word, sizeof(word), "%u", 1000 + i % (COMPLETION_MOST + 1));
		completion_add(&completion, text_of(word));
	}
	ok(completion.count == COMPLETION_MOST && completion.total == COMPLETION_MOST + 2,
	   "more words than are kept are counted, each time");
	completion_sort(&completion);
	is_str(completion.words[COMPLETION_MOST - 1], "1499", "the first ones are kept");
	completion_free(&completion);
}

static void
test_questions(void)
{
	struct arena arena;
	struct row row;
	size_t rows_used = 0, questions = 0;
	unsigned unanswered = 0;
	bool wide = false;
	static const struct {
		const char *question;
		enum request request;
	} rows[] = {
#define Q(question) { question, REQUEST_NONE },
#define A(id, word) { NULL, REQUEST_##id },
#include "ui/view/question.def"
	};
	const size_t count = ARRAY_COUNT(rows);

	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < count; i++) {
		const bool asked = rows[i].question != NULL;

		questions += asked;
		unanswered += asked && (i + 1 == count || rows[i + 1].question != NULL);
		if (asked && i + 1 < count)
			is_u64(questions_answer(questions - 1), rows[i + 1].request,
			       "'%s' leads to its first answer", rows[i].question);
	}
	is_u64(unanswered, 0, "every question has an answer");
	is_u64(questions_answer(questions), REQUEST_NONE, "there is no entry after the last one");
	for (size_t view = 0; view < LAYOUT_VIEW_COUNT; view++) {
		bool there = keymap_view_key((enum layout_view)view).length == 0;

		for (size_t i = 0; i < count; i++)
			there = there || rows[i].request == keymap_view_request((enum layout_view)view);
		ok(there, "the view '%s' answers a question", layout_view_name((enum layout_view)view));
	}
	unsigned listed = 0, repeated = 0;
	const char *question = NULL;
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		const unsigned bit = 1u << questions_view(i, &question);

		repeated += (listed & bit) != 0;
		listed |= bit;
	}
	is_u64(repeated, 0, "the map has each view once");
	ok(question == NULL, "those that answer no question come last");
	is_u64(questions_view(0, &question), LAYOUT_SUMMARY, "the summary comes first");
	is_str(question, rows[0].question, "the summary answers the first question");
	for (size_t i = 0; i < QUESTION_COUNT; i++) {
		row_clear(&row);
		rows_used += keymap_help_row(i, 0, 79, false, &row);
		wide = wide || row.width > 79;
	}
	ok(!wide, "answers do not pass the edge of the screen");
	ok(rows_used < 20, "all questions and the line below them fit 80x24");
	binding_remove("1", &(struct error){ 0 });
	row_clear(&row);
	keymap_help_row(1, 0, 79, false, &row);
	ok(strstr(row_text(&row), "stack") == NULL, "an answer whose key was taken away is left out");
	binding_reset();
	arena_free(&arena);
}

int
main(void)
{
	test_of_files();
	test_card_commands();
	test_keys();
	test_table();
	test_case();
	test_words();
	test_commands();
	test_completion();
	test_arguments();
	test_aliases();
	test_binding();
	test_footers();
	test_help();
	test_help_rows();
	test_offers();
	test_questions();
	return done_testing();
}
