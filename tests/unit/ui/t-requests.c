/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/ui/gate.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * Keys and commands in one process, on a screen in memory. A case is "KEYS | PLACE ROWS MESSAGE": KEYS have " ; " between
 * them. PLACE is the one of `:at` without the words thread=0, frame=, view= and without the row. ROWS are the selected row of the
 * view with the keys, its first row that is shown and its first column, from 0 on. A PLACE that is that of the last case is left
 * out; if its ROWS are the same, too, there is = for them. MESSAGE may also be the last row of a screen with an open prompt;
 * if the explorer is left, it is the one of the next session, or "left".
 * COLUMN: is before one that begins in a later column, and .. after the beginning of one that is complete in another case.
 */
static struct explorer explorer;
/* The place and the rows of the last case. */
static char before[2][SPOT_SIZE];

static void
on_key(struct explorer *client, const struct term_event *event)
{
	requests_key(client, event->key);
}

static const struct loop_client client = { .explorer = &explorer, .key = on_key, .command = requests_command };

/* The last row of the screen. */
static const char *
last_row(void)
{
	static char text[40000];
	FILE *file = fmemopen(text, sizeof(text), "w");

	term_save(file, false);
	fclose(file);
	text[strlen(text) - 1] = '\0';
	return strrchr(text, '\n') + 1;
}

/* Take the first such word out of a place. */
static void
leave_out(char *place, const char *word, bool value)
{
	char *at = strstr(place, word);

	if (at != NULL) {
		const char *rest = at + strlen(word) + (value ? strspn(at + strlen(word), "0123456789") : 0);
		memmove(at, rest, strlen(rest) + 1);
	}
}

static const char *
state(struct arena *arena)
{
	const struct session_view *view = requests_view(&explorer);
	const char *message = explorer.prompt.open ? last_row() : !explorer.quit ? explorer.session.notice
			      : explorer.next.other ? explorer.next.said : "left";
	const size_t blanks = strspn(message, " ");
	char place[SPOT_SIZE], rows[SPOT_SIZE];

	spot_write(&explorer.session, place, sizeof(place));
	leave_out(place, "thread=0,", false);
	leave_out(place, "frame=", false);
	leave_out(place, "view=", false);
	leave_out(place, ",row=", true);
	snprintf(rows, sizeof(rows), "%zu/%zu/%zu", view->selected, view->top, view->left);
	const bool stayed = strcmp(place, before[0]) == 0, same = stayed && strcmp(rows, before[1]) == 0;
	explorer.quit = explorer.next.other = false;
	strcpy(before[0], place);
	strcpy(before[1], rows);
	return arena_format(arena, "%s%s%s%s%s%s", stayed ? "" : place, stayed ? "" : " ", same ? "=" : rows,
			    message[0] != '\0' ? " " : "", blanks > 0 ? arena_format(arena, "%zu:", blanks) : "", message + blanks);
}

static void
run(struct arena *arena, const char *keys)
{
	char *lines = arena_format(arena, "%s", keys);
	const struct script_step *step;
	struct script script;
	struct error error;

	for (char *end = lines; (end = strstr(end, " ; ")) != NULL;)
		memcpy(end, "\n\n\n", 3);
	script_parse(&script, "keys", text_of(lines), &error);
	while ((step = script_next(&script)) != NULL) {
		loop_take(&client, step);
		do
			settle(&explorer.session);
		while (requests_work(&explorer));
		term_clear();
		paint_screen(&explorer);
	}
	script_close(&script);
}

static void
run_cases(const char *const *cases, size_t count)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *bar = strstr(cases[i], " | ");

		run(&arena, arena_format(&arena, "%.*s", (int)(bar - cases[i]), cases[i]));
		char *got = arena_format(&arena, "%s", state(&arena));
		const size_t length = strlen(bar + 3);
		/* Only the beginning of such a message is compared. */
		if (strcmp(bar + 3 + length - 2, "..") == 0 && strlen(got) > length)
			strcpy(got + length - 2, "..");
		is_str(got, bar + 3, "%s", cases[i]);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

/* A dump whose name begins with x cannot be read. */
static enum error_code
open_again(void *context, struct explorer_options *options, struct error *error)
{
	(void)context;
	return options->dumps[options->dump][0] != 'x' ? ERROR_NONE : error_plain(error, ERROR_FORMAT, "not a minidump");
}

/* A filter that a slice did not complete goes on before the next key, in the help and in a view. */
static void
test_filter(const char *keys, struct session_view *view, const char *where)
{
	struct arena arena = { 0 };

	run(&arena, keys);
	view->shown.looked_at = 0;
	const bool more = requests_work(&explorer);
	ok(more && view->shown.looked_at > 0 && !requests_work(&explorer), "a filter %s goes on in the next slice", where);
	arena_free(&arena);
}

/* Run cases on the screen of this size. */
static void
with_crash(const char *folder, int columns, int rows, const char *const *cases, size_t count)
{
	const struct prompt_client prompt = {
		.explorer = &explorer, .changed = requests_typed, .accepted = requests_accepted,
		.cancelled = requests_cancelled, .check = requests_check, .complete = complete_line,
	};
	const struct term_options term = { .headless = true, .columns = columns, .rows = rows, .ascii = true,
					   .color = THEME_COLOR_NEVER };
	static const char *const dumps[] = { "a.dmp", "b.dmp", "x.dmp", "d.dmp" };
	const char *source = getenv("srcdir");
	char path[4096], symbols_path[4096];
	const char *const paths[] = { symbols_path };
	struct crash crash;
	struct error error;

	snprintf(path, sizeof(path), "%s/data/%s/crash.dmp", source != NULL ? source : ".", folder);
	snprintf(symbols_path, sizeof(symbols_path), "%s/data/%s/symbols", source != NULL ? source : ".", folder);
	if (!prompt_load() || term_start(&term, &error) != ERROR_NONE) {
		skip(1, "curses or readline is not found");
		return;
	}
	if (!ok(dump_open(&crash, path, 0, &error) == ERROR_NONE, "%s opens", path))
		return;
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, paths, 1);
	const struct explorer_options options = { .crash = &crash, .symbols = symbols, .policy = policy_column(POLICY_UNSPOOL),
						  .color = "never", .ascii = true, .dumps = dumps, .dump_count = ARRAY_COUNT(dumps),
						  .dump = 1, .open_again = open_again };

	memset(&explorer, 0, sizeof(explorer));
	before[0][0] = '\0';
	explorer.options = explorer.next.options = options;
	explorer.client = &client;
	if (ok(session_open(&explorer.session, &explorer.options, wake, NULL), "a session opens")) {
		prompt_start(&prompt, NULL, false);
		settle(&explorer.session);
		paint_screen(&explorer);
		run_cases(cases, count);
		test_filter("? ; :filter walk", &explorer.help.view, "of the help");
		test_filter("Esc ; :view modules ; :filter e", &explorer.session.look.views[LAYOUT_MODULES], "of a view");
		prompt_stop();
	}
	ok(session_close(&explorer.session), "the session closes");
	session_free_view(&explorer.help.view);
	row_matches_free(&explorer.search.found);
	arena_free(&explorer.arena);
	term_stop();
	symbols_free(symbols);
	crash_free(&crash);
	binding_reset();
}

/* Lists that are longer than their pane: the raw view has ten rows, and the selected row keeps one from its edges. */
static const char *const moves[] = {
	":view raw ; :goto dump:0 | 0,raw,raw=dump:0x0 0/0/0", "C-e | 2/1/0", "C-e | 3/2/0", "C-d | 8/2/0", "C-f | 18/12/0", "C-b | 8/2/0",
	"G | 234/225/0", "C-e | =", "j | =", "C-b | 224/216/0", "C-u | 219/216/0", "C-y | 219/215/0",
	"C-y ; C-y ; C-y ; C-y ; C-y ; C-y ; C-y | 216/208/0", "g | 0/0/0", "C-y | =", "k | =", "C-u | =", ":row 235 | 234/225/0",
	":row 236 | = no row '236'; expected 1 to 235", ":try row 0 | = no row '0'; expected 1 to 235", "Right | 234/225/8",
	"Right ; Left ; Left | 234/225/0", "5 | 0,registers 0/0/0", "PgDn | 10/7/0", "C-e | =", "C-y | 10/6/0", ":r esp | 1/0/0",
	":r $ebp | 2/0/0", ":r efl | 9/1/0", ":r 401048 | 0/0/0",
	":r nothing | = 'nothing' not found in this view; :find searches the dump's memory", "n | = 'nothing' not foun..",
	":lm kernel | 0,modules 1/0/0", "1 | 0,stack 1/0/0", ":search win | 1,stack 2/0/0", "n | 2,stack 3/0/0",
	"n ; n ; n | 1,stack 2/0/0 the search continued from the first row", "N | 4,stack 5/0/0 the search continued from the last row",
	"N ; N | 2,stack 3/0/0", ":filter ledger.c | 2/0/0", "n | 3,stack 3/0/0", "N ; N | 1,stack 1/0/0", ":row 3 | 2,stack 2/0/0",
	":row 4 | 3,stack 3/0/0", ":row 5 | 4/0/0", ":search nothing | = 'nothing' not foun..", ":filter nothing | 0/0/0",
	":row 1 | = no row '1'; no row matches the filter", "C-e | =", ":unfilter | 4/0/0", "& ; type main | 0/0/0 &main",
	"C-c ; & ; type main ; Enter | =", "j | 4,stack 1/0/0", "j | =", "& ; Enter | 5/0/0", "/ ; type wi | = /wi", "type x | = /wix",
	"C-c ; / ; type fp ; Enter | 5,stack 6/0/0", "g | 0/0/0", "/ ; Enter | 6/0/0", "Esc | =", "Esc | 1,stack 1/0/0",
	":view messages | 1,messages 0/0/0", "} | = no message is shown", "{ | = no message is shown", ":view | 15/0/0", "j | 16/0/0",
	":search zzz | = 'zzz' not found in this view; :find searches the dump's memory", ":row 2 | 1/0/0", "q | 0/0/0",
	":locks | 1,summary 0/0/0 no thread is known to wait for a lock", "? | =", "C-f | 20/2/0", "C-b | 0/0/0", "C-d | 10/0/0",
	"C-e | 10/1/0", "C-y | 10/0/0", "k | 9/0/0", "C-u | 0/0/0", "Right | 0/0/8", "& ; type zoom ; Enter | =", "j ; j ; j | 3/0/8",
	"q | =", "V | = 'V' has no meaning here, ? for help", "Enter | 1,evidence 0/0/0", "m | = mark: a to z names this place",
	"a | = mark a set", "j ; j | 2/0/0", "m ; b | = mark b set", "' ; a | 0/0/0", "' | = go to mark: a to z", "B | 2/0/0",
	"' ; y | = no mark y",
};

/* Panes of a large screen: they are resized, hidden and shown. */
static const char *const panes[] = {
	":view memory | 0,memory,address=0x12fe8c 1/0/0", "z | =", ":taller | = the view has the whole screen; z shows all panes", "z | =",
	"C-f | 0,memory,address=0x12fea0 8/7/0", ":taller ; g ; C-f | =", ":shorter ; g ; C-f | 0,memory,address=0x12fe9c 7/6/0",
	":shorter 5 ; g ; C-f | 0,memory,address=0x12fe90 2/2/0", ":taller 99 ; g ; C-f | 0,memory,address=0x12feac 11/10/0",
	":shorter 1001 ; g ; C-f | 0,memory,address=0x12fe8c 1/1/0", ":taller x ; g ; C-f | =", ":taller -3 ; g ; C-f | =",
	":wider 3 | = this pane has no border to move", ":narrower | = this pane has no border to move",
	"X | 0,frame 0/0/0 'memory' is hidden; its key or :show brings it back", "Tab | 0,stack 1/0/0", "Tab | 0,summary 0/0/0",
	"S-Tab | 0,stack 1/0/0", ":hide | 0,summary 0/0/0 'stack' is hidden; its key or :show brings it back",
	":hide | 0,frame 0/0/0 'summary' is hidden; its key or :show brings it back", ":hide | = this is the only pane",
	":show | = all panes are shown", ":show | = no pane is hidden",
	":layout | = the layout is 'one-column', by the screen's size; there are auto, three-columns, two-columns, one-column, code, unwind, stacked, single",
	"X | 0,stack 1/0/0 'frame' is hidden; its key or :show brings it back",
	":layout three-columns | = 'three-columns' needs a larger screen; the layout that fits is shown",
	":hide | 0,summary 0/0/0 'stack' is hidden;..", ":layout single | =", ":hide | = this is the only pane",
	":resize 3 | = this pane has no border to move", ":layout auto | =", "1 | 0,stack 1/0/0", "PgDn | 8/0/0",
	"6 | 0,memory,address=0x12fe8c 1/0/0", "C-f | 0,memory,address=0x12fea0 8/7/0", "C-d | 0,memory,address=0x12feb0 12/7/0", "z | =",
	"C-f | 0,memory,address=0x12ff6c 45/11/0", "C-u | 0,memory,address=0x12fedc 27/11/0", "q | 27/22/0",
	"7 | 0,raw,raw=sym:43:1 42/37/0", "3 | 0,evidence 0/0/0", "4 | 0,eval 0/0/0", "s ; s | 0,token=2,eval 2/0/0",
	"8 | 0,token=2,modules 0/0/0", "o | = no place to go forward to", "C-o | 0,token=2,eval 2/0/0", "q | 0,evidence 0/0/0",
};

/* Steps of an unwind, frames, threads and places. */
static const char *const steps[] = {
	":view stack | 0,stack 1/0/0", ":step token | 0,token=1,eval 1/0/0", ":step token 3 | 0,token=4,eval 4/0/0",
	"S | 0,token=3,eval 3/0/0", ":back token 2 | 0,token=1,eval 1/0/0", ":step token x | 0,token=2,eval 2/0/0",
	":step token -1 | 0,token=3,eval 3/0/0", ":step register | 0,token=4,registers 0/0/0", ":step register | 0,token=9,registers 1/0/0",
	":step attempt | 0,event=38,evidence 10/2/0 step complete: frame 1 is found; f goes to it, and s then looks for frame 2",
	"A | 0,event=1,evidence 0/0/0", ":step token 99 | 0,event=38,eval 12/4/0 step complete: fra..", ". | = step complete: fra..",
	"F | = this is the innermost frame", "F ; F | = this is the innermost frame", "F | = this is the innermost frame",
	"s | = step complete: fra..", ". | = step complete: fra..", ":step frame 3 | 3,eval 0/0/0", ":back frame 2 | 1,eval 0/0/0",
	":back frame 9 | 0,eval 0/0/0", ":step frame 9 | 5,eval 0/0/0",
	"f | = the end of the stack: return address 0: bottom of the stack; 3 shows what was tried", "s | = the end of the sta..",
	"S | = beginning of the step from frame 5", ":step attempt | 5,event=1,evidence 0/0/0",
	"3 ; f | = the end of the stack: return address 0: bottom of the stack", ":thread | 5,event=1,stack 6/0/0",
	":thread 1 | thread=1,0,stack 9/3/0", ":try thread 2 | = no thread '2'; expected a number from 0 to 1, an ID or a name",
	":thread 0x5f0 | =", ":crashed | 0,stack 1/0/0", "f | 1,stack 2/0/0", ":crashed | 0,stack 1/0/0", "t | thread=1,0,stack 9/6/0",
	"t | 0,stack 1/0/0", "T | thread=1,0,stack 9/6/0", ":frame | =", ":frame 3 | thread=1,3,stack 12/6/0",
	":frame x | = 'x' is not a frame number", ":frame 5 | = no frame 5; the outermost one is 3", ":up | = the end of the sta..",
	":up 2 | = the end of the sta..", ":down 9 | thread=1,0,stack 9/6/0", "] | thread=1,1,stack 10/6/0", "[ | thread=1,0,stack 9/6/0",
	"[ | = this is the innermost frame", ":frame registers 2 | thread=1,2,registers 0/0/0", ":backtrace 3 | thread=1,2,stack 11/6/0",
	":step variable | = name a variable of this frame, or select it in its contents",
	":step variable x | = frame 2 has no variable 'x': no debug information about variables", "I | thread=1,2,frame 0/0/0",
	"s | thread=1,2,token=1,eval 1/0/0", ":crashed | 0,eval 0/0/0", ":goto frame 2 | 2,eval 0/0/0",
	":goto frame 9 | = 'frame 9' not found", ":goto sym:43 | 2,raw,raw=sym:43:1 42/37/0", ":goto sym:43:5 | 2,raw,raw=sym:43:5 42/37/0",
	":goto sym:43:999 | 2,raw,raw=sym:43:1 42/37/0", ":goto sym:43:0 | = 'sym:43:0' not found", ":goto sym:43x | = 'sym:43x' not found",
	":goto dump:0x10 | 2,raw,raw=dump:0x10 1/0/0", ":goto dump:ea9 | = 'dump:ea9' not found", ":goto dump:x | = 'dump:x' not found",
	":goto 12fe90 | 2,memory,address=0x12fe90 2/0/0", ":goto dump:e94 | = 'dump:e94' not found",
	":goto dump:e93 | 2,raw,raw=dump:0xe93 233/225/0", ":goto sym:x | = 'sym:x' not found", ":goto 12fe94 ; C-o | =",
	":goto 9 | 2,memory 0/0/0", ":goto : | = ':' not found", ":goto main | 3,stack 4/0/0", ":goto main | 4,stack 5/0/0",
	":goto add_ | 1,stack 2/0/0", "C-o | 4,stack 5/0/0", "C-o | 3,stack 4/0/0", "o | 4,stack 5/0/0",
	"o ; o | 1,stack 2/0/0 no place to go forward to", ":at thread=0,frame=2,view=eval,token=3 | 2,token=3,eval 3/0/0",
	"C-o | 1,stack 2/0/0", ":at frame=9 | 5,stack 6/0/0 no frame 9; the outermost one, 5, is shown",
	":at frame=x | = 'frame=x' is not a number", ":at | = --at thread=0,frame=5,view=stack", "6 | 5,memory,address=0x12ff34 40/35/0",
	"l | = 00000000 points to no frame, no code and no memory of the dump", "Enter | =", "5 ; j ; l | 41/35/0",
	"C-o | 5,registers 1/0/0", "j ; l | 5,memory,address=0x12ff5c 51/46/0", "1 ; l | 5,evidence 2/0/0",
	"3 ; j ; j ; j ; j ; Enter | 4/0/0 no view shows the origin of this row", "C-o ; G ; Enter | thread=1,3,evidence 2/0/0",
	"C-o ; g ; Enter | 0,stack 1/0/0", "5 ; G ; Enter | 0,registers 16/8/0", "C-o ; 8 ; Enter | 0,modules 0/0/0",
	"j ; Enter | 0,raw,raw=dump:0x8bc 139/134/0", "Enter | = no view shows the origin of this row",
	"0 ; Enter | 0,raw,raw=dump:0x0 0/0/0", ":streams | 0,dump 0/0/0", "j ; j ; Enter | 0,raw,raw=dump:0x8 0/0/0",
	":stream MiscInfo | 0,dump,stream=4 0/0/0", "j ; j ; Enter | 0,raw,raw=dump:0xe80 232/225/0",
	"Enter | = no view shows the origin of this row", "w ; g ; j ; j ; j ; j ; Enter | 0,method=stack-cfi,evidence 0/0/0",
	"m ; d | = mark d set", ":frame 0 | 0,stack 1/0/0", "' ; d | 0,method=stack-cfi,evidence 0/0/0",
	":stream MiscInfo ; m ; e | 0,method=stack-cfi,dump,stream=4 0/0/0 mark e set", ":streams | 0,method=stack-cfi,dump 0/0/0",
	"' ; e | 0,method=stack-cfi,dump,stream=4 0/0/0", "5 ; g ; Enter | 0,method=stack-cfi,raw,raw=dump:0xbc0 188/183/0",
	"C-o ; 3 ; g ; j ; Enter | 0,method=stack-cfi,event=1,evidence 1/0/0 no view shows the origin of this row",
	"Enter | = no view shows the origin of this row", "j ; Enter | = no view shows the origin of this row",
	"h | = no matches: M searches the dump's memory", ":find 401048 | 0,method=stack-cfi,event=1,found 0/0/0",
	"h | 0,method=stack-cfi,event=1,memory,address=0x12fe90 2/0/0 1 of 1", "H | = 1 of 1", ":identify | = :identify 00401048",
	"C-c ; :unwind-rules add_up | 0,method=stack-cfi,event=1,table 1/0/0", ":unwind-rules | =", "1 ; c | =",
	"j ; Enter | 2/0/0 no view shows the origin of this row", "C-o | 0,method=stack-cfi,event=1,stack 1/0/0",
	":memory $esp | 0,method=stack-cfi,event=1,memory,address=0x12fe8c 1/0/0",
	":memory zz | = 'zz' is not a number, a register or a known function",
};

/* Edits are made, undone, compared with the original and taken back. */
static const char *const edits_made[] = {
	":set-register ebx 5 | 0,stack 1/0/0 what if ebx = 00000005 (was 000000af) in frame 0", "u | = undone: 0 edits",
	"u | = nothing to undo", "U | = done again: 1 edit", "U | = nothing to redo",
	":original | = the original walk; :original shows the edits again", ":original | = the walk with the edits", "E | 0,edits 0/0/0",
	"= | = :set-register ebx 5", "C-c ; Delete | = taken back: ebx = 00000005 (was 000000af) in frame 0",
	"Delete | = no such edit; E lists them", "u | = undone: 1 edit", ":delete-edit 1 | = taken back: ebx =..",
	":delete-edit 9 | = no such edit; E lists them", ":policy scan-words=3 | = what if policy scan-words = 3 (was 41)",
	":policy | = the policy is unspool's with scan-words=3; 'unspool policy' lists its rows, ':policy NAME=VALUE' changes one",
	"u | = undone: 0 edits", ":force | = what if frame 0 is unwound only by STACK WIN", "u | = undone: 0 edits",
	":walk stack-scan | 0,walks 0/0/0 what if frame 0 is unwound only by stack scan",
	"4 ; s ; s ; = | 0,token=2,eval 2/0/0 16:= 00403008",
	"C-c ; :drop-rule | 0,eval 0/0/0 what if $eip: taken out (was $esp 0 + ^) of the stack scan in frame 0",
	": ; type set-rule $eip | = 10:^ a rule is written NAME: EXPRESSION",
	"C-c ; : ; type set-rule params: x | = 6:^ 'params' is not a register of x86; rules are for .cfa, .ra and registers",
	"C-c ; : ; type set-record ledger.sym:43 STACK WIN 4 1020 | = 10:^ the record is written 'STACK WIN or STACK CFI with all their fields'",
	"C-c ; :candidate 12fe98 | = what if the scan from frame 0 takes the word at 0012fe98",
	":candidate 5 | = a scan from frame 0 reads words from 0012fe8c on",
	":methods stack-win,frame-pointer | = walked by STACK WIN, frame pointer alone",
	"f ; f | = the end of the stack: only stack scan is allowed for this frame, and it was refused: return address 0 is in the first page; 3 shows what was tried",
	":methods | = walked by all methods", ":set-register esp 12fe00 | = what if esp = 0012fe00 (was 0012fe8c) in frame 0",
	":original | = the original walk;..", "f | 1,eval 0/0/0", ":original | 0,eval 0/0/0 the walk with the edits",
};

/* Values are hidden, then shown or predicted. */
static const char *const predictions[] = {
	":set blind token | 0,stack 1/0/0 what each token leaves is hidden until it is predicted: P",
	":reveal | 0,token=2,eval 2/0/0 shown: 12fe90   (0 predicted, 1 shown)",
	":reveal | 0,token=3,eval 3/0/0 shown: 401048   (0 predicted, 2 shown)",
	":predict | 0,token=4,eval 4/0/0 shown: 401048   (0 predicted, 3 shown)",
	":predict 5 | = wrong (1): 5 is not what token 6, '.raSearchStart', leaves; :reveal shows it",
	":predict zz | = 'zz' is not a numb..", "P | = 9:what token 6, '.raSearchStart', leaves", "C-c ; 4 | =",
	"s ; s ; s ; s ; s | 0,token=5,eval 5/0/0 hidden: what token 6, '.raSearchStart', leaves; P predicts it, :reveal shows it",
	":reveal | 0,token=6,eval 6/0/0 shown: 12fe90   (0 predicted, 4 shown)",
	"s | = hidden: what token 7, '4', leaves; P predicts it, :reveal shows it",
	":set blind step | = the caller's registers are hidden until they are predicted: P", "s | 0,token=7,eval 7/0/0",
	"5 ; r | 0,token=7,registers 0/0/0 hidden: esp of frame 1; P predicts it, :reveal shows it",
	":predict 401048 | = wrong (1): 401048 is not esp of frame 1; :reveal shows it",
	":predict $esp + 4 | = wrong (2): $esp + 4 is not esp of frame 1; :reveal shows it",
	":predict 12fe94 | 0,token=9,registers 1/0/0 right: 12fe94   (1 predicted, 4 shown)",
	":predict add_up | = wrong (1): add_up is not ebx of frame 1; :reveal shows it",
	"a | 0,token=9,evidence 5/0/0 hidden: ebx of frame 1; P predicts it, :reveal shows it",
	":set blind rule | = registers and rules of the caller are hidden until predicted: P",
	"r | 0,token=9,registers 1/0/0 hidden: ebx of fra..", ":reveal | 0,token=12,registers 3/0/0 shown: 0xaf   (1 predicted, 5 shown)",
	":set blind walk | = the next frames are hidden until they are predicted: P",
	":reveal | 1,registers 0/0/0 shown: 401048, add_up   (1 predicted, 6 shown)",
	":predict add_up | = wrong (1): add_up is not frame 2, its eip or its function; :reveal shows it",
	":predict 4198582 | 2,registers 0/0/0 right: 4010b6, read_ledger   (2 predicted, 6 shown)",
	":predict 4010b6 | = wrong (1): 4010b6 is not frame 3, its eip or its function; :reveal shows it",
	":predict 00401105 | 3,registers 0/0/0 right: 401105, main   (3 predicted, 6 shown)", ":set blind walk | = the next frames ar..",
	":frame 2 | 2,stack 3/0/0", "f | 3,stack 4/0/0", "f | = hidden: frame 4, its eip or its function; P predicts it, :reveal shows it",
	":frame 5 | = frame 5 is hidden until it is predicted", ": ; type predict | = :predict",
	"C-c ; : ; type predict 5 | = 9:frame 4, its eip or its function",
	"C-c ; :set-register ebx 5 | = what if ebx = 00000005 (was unknown) in frame 3",
	":predict 5 | = the question is about the walk without edits; :original", ":original | = the original walk;..",
	":predict zz | = wrong (1): zz is not frame 4, its eip or its function; :reveal shows it",
	":predict mainCRTStartup | 4,stack 5/0/0 right: 4012a8, mainCRTStartup + 0xa8 (?)   (4 predicted, 6 shown)",
	"u | = undone: 0 edits", ":reveal | 5,stack 6/0/0 shown: 7c816fd7, kernel32.dll + 0x16fd7   (4 predicted, 7 shown)",
	":reveal | = nothing is hidden any more in this thread", "t | thread=1,0,stack 9/3/0",
	":reveal | thread=1,1,stack 10/4/0 shown: 7c802451, kernel32.dll + 0x2451   (0 predicted, 1 shown)",
	":predict 7c90eb94 | = wrong (1): 7c90eb94 is not frame 2, its eip or its function; :reveal shows it",
	":predict 00c4ff58 | = wrong (2): 00c4ff58 is not frame 2, its eip or its function; :reveal shows it",
	":set blind step | = the caller's regis..", ":predict 00c4ff58 | = wrong (1): 00c4ff58 is not eip of frame 2; :reveal shows it",
	"w ; g ; j ; j ; j ; j ; Enter ; s | thread=1,1,token=1,eval 1/0/0", "C-o | thread=1,1,methods 0/0/0", "T | 0,methods 0/0/0",
	":set blind off | 3/0/0 everything is shown", ":frame 2 ; :set blind walk | 2,stack 3/0/0 the next frames ar..",
	":reveal | 3,stack 4/0/0 shown: 401105, main   (4 predicted, 8 shown)",
	":reveal | 4,stack 5/0/0 shown: 4012a8, mainCRTStartup + 0xa8 (?)   (4 predicted, 9 shown)",
	":set blind off | = everything is shown", ":reveal | = nothing is hidden; :set blind token, step or walk hides what comes next",
	":ask | = nothing is hidden;..",
};

/* Frames with inlined calls, and a session of 64 bits. */
static const char *const calls[] = {
	"1 | 0,stack 1/0/0", "j | 0,call=1,stack 2/0/0", "j | 0,call=2,stack 3/0/0", "i | 0,stack 1/0/0", "j | 1,stack 2/0/0",
	"f | 2,stack 3/0/0", "i | 15/9/0", "k | 1,call=5,stack 14/9/0", ":goto level3 | 0,stack 1/0/0", ":goto level3 | =",
	":goto level | =", ":goto level2 | 0,call=1,stack 2/0/0", ":at | = --at thread=0,frame=0,call=1,view=stack", "m ; a | = mark a set",
	"F | = this is the innermost frame", "' ; a | =", "5 ; l | 1,evidence 0/0/0", "G ; l | 1,memory,address=0x7ffde1b673b0 32/27/0",
	"j ; j | 1,memory,address=0x7ffde1b673c0 34/27/0", ":r r12 | 1,registers 4/0/0", ":r $rbx | 3/0/0", "s ; s | 1,token=2,eval 2/0/0",
	"R | 1,registers 0/0/0", "7 | 1,raw,raw=sym:2408:1 2407/2402/0", ":goto sym:2402 | 1,raw,raw=sym:2402:1 2401/2396/0",
	":goto sym:2402:9 | 1,raw,raw=sym:2402:9 2401/2396/0", "I | 1,frame 0/0/0", ":step register 2 | 1,token=7,registers 0/0/0",
	"3 | 1,token=7,evidence 4/3/0", "Enter | 1,token=7,raw,raw=sym:2408:44 2407/2402/0",
	":set-rule $rbx: 5 | 1,event=26,raw 2410/2405/0 what if $rbx: 5 (was .cfa -32 + ^) in inline_o2_dw4.sym:2411",
	"4 | 1,event=26,eval 19/12/0", "= | = 16:= 0000000000000005", "C-c ; : ; type set-rule .cfa: $rsp 8 + | = 16:= 00007ffde1b672f8",
	"C-c ; : ; type set-rule .cfa: $rsp + | = 21:^ '+' needs 2 values, the stack has fewer",
	"C-c ; : ; type take-row | = 9:^ no frame table of the binary and no known function contains 0x1ed1", "C-c ; G ; f | 2,eval 0/0/0",
	":frame 7 | 7,stack 21/15/0",
	"f | = the end of the stack: 0x55f654b5d261 is at the entry point of the process: no caller; 3 shows what was tried",
	":frame 0 ; j ; = | 0,call=1,stack 2/0/0 :set-record inline_o2_dw4.sym:2090 INLINE 5 23 0 41 27cf 3 27e6 4 27f0 6",
	"C-c ; j ; = | 0,call=2,stack 3/0/0 :set-record inline_o2_dw4.sym:2089 INLINE 4 25 0 40 27cf 3 27e6 4 27f0 9",
	"C-c ; 7 ; :drop-record | 0,raw,raw=dump:0x2290 553/548/0 what if taken out of inline_o2_dw4.sym:2397: STACK CFI INIT 2780 238 .cfa: $rsp 8 + .ra: .cfa -8 + ^",
	"u | 0,raw 2396/2391/0 undone: 1 edit",
	"5 ; j ; j ; j ; :drop-rule | 0,registers 3/0/0 '' is not a register of amd64; rules are for .cfa, .ra and registers",
	"u | 0/0/0 undone: 0 edits", ":frame 1 ; 3 ; = | 1,evidence 0/0/0 :force stack-cfi", "C-c ; j ; = | 1/0/0 16:= 00007ffde1b67310",
	"C-c ; j ; = | 2/0/0 16:= 00007ffde1b67310", "C-c ; j ; = | 3/0/0 16:= 00007ffde1b67310",
	"C-c ; j ; = | 4/0/0 15:= 000055f654b5df97", "C-c ; G ; = | 36/27/0 :set-register r15 7ffde1b673b0",
	"C-c ; :set blind step ; :frame 0 ; j ; :reveal | 1,token=3,registers 1/0/0 shown: 7ffde1b67310   (0 predicted, 1 shown)",
	"F ; k ; :reveal | 1,token=7,registers 0/0/0 shown: 55f654b5df97   (0 predicted, 2 shown)",
	":set blind off | = everything is shown", ":goto 7ffde1b672c0 | 1,token=7,memory,address=0x7ffde1b672c0 3/0/0",
	"Enter | 1,token=7,raw,raw=dump:0x3b8 59/54/0", "6 | 1,token=7,memory,address=0x7ffde1b672c0 3/0/0",
	"G | 1,token=7,memory,address=0x7ffde1b68ff8 148/139/0", ":goto main | 4,stack 18/12/0", "* | = 1 thread walked, 1 different stack",
	"t | = no other thread can be selected",
};

/* Messages with their places. */
static const char *const problems[] = {
	"9 | 0,messages 0/0/0", "} | 3/0/0 Enter goes to the place of the message", "} | 6/0/0 Enter goes to the place of the message",
	"} | 8/0/0 Enter goes to the place of the message", "} | = Enter goes to the place of the message",
	"{ | 3/0/0 Enter goes to the place of the message", "{ | 0/0/0 Enter goes to the place of the message",
	"Enter | 0,raw,raw=sym:81:33 80/75/0", "1 | 0,stack 1/0/0", "} | 0,messages 0/0/0 Enter goes to the place of the message",
	"} | 3/0/0 Enter goes to the place of the message", "{ | 0/0/0 Enter goes to the place of the message",
	":view frame | 0,frame 0/0/0", "} ; } ; } | 0,messages 6/0/0 Enter goes to the place of the message",
	"{ ; { ; { | 0/0/0 Enter goes to the place of the message", "Enter | 0,raw,raw=sym:81:33 80/75/0",
	":goto sym:73 | 0,raw,raw=sym:73:1 72/67/0", ":goto sym:73:3 | 0,raw,raw=sym:73:3 72/67/0", "t | = no other thread can be selected",
	"k ; k | 70/67/0",
};

/* Threads: the next one and the previous one, in two orders, folded and unfolded. */
static const char *const threads[] = {
	"1 | 0,stack 1/0/0", "t | thread=1,0,stack 11/10/0", "t | thread=2,0,stack 18/17/0", "t | thread=3,0,stack 28/27/0",
	"t | thread=4,0,stack 38/37/0", "t | 0,stack 1/0/0", "T ; T | thread=3,0,stack 28/27/0", ":thread 4 | thread=4,0,stack 38/32/0",
	"t | 0,stack 1/0/0", "f ; f | 2,stack 6/0/0", "T | thread=4,0,stack 38/37/0", "t | 0,stack 1/0/0", "O | = threads by state",
	"t | thread=1,0,stack 11/10/0", "t | thread=2,0,stack 18/17/0", "T ; T ; T | thread=4,0,stack 38/37/0", "O | = threads by number",
	"- | 5/3/0", "+ | 38/32/0", "g ; Space | 0/0/0", "Space | =", "j ; Space | 0,stack 1/0/0",
	"j ; j ; Space | 2,stack 3/0/0 nothing folds here: one call, not part of a recursion", "G | thread=4,0,stack 42/35/0",
	"k | thread=4,4,stack 41/35/0", "* | = 5 threads walked, 5 different stacks", ":filter main | 3/0/0", "j | thread=4,3,stack 3/0/0",
	":unfilter | 40/34/0", ":search main | =", "n | 3,stack 4/3/0 the search continued from the first row", "m ; c | = mark c set",
	":crashed | 0,stack 1/0/0", "' ; c | 3,stack 4/0/0", ":goto main | =",
};

/* Notes, the base of numbers and settings. */
static const char *const others[] = {
	":note the sum | 0,stack 1/0/0 note added; :notes lists all", ":note | = :note the sum",
	"C-c ; f ; C ; type second ; Enter | 1,stack 2/0/0 note added; :notes lists all",
	"6 ; :note word | 1,memory,address=0x12fe94 5/0/0 note added; :notes lists all", ":notes | 0/0/0", "Enter | 0,stack 1/0/0",
	":notes ; j ; Enter | 1,stack 2/0/0", ":unnote | =", ":unnote | = no note here",
	"6 ; x | 1,memory,address=0x12fe94 5/0/0 memory and registers as decimal", "x | = memory and registers as text",
	":set base | = base text", ":set base zz | = 'base' cannot be 'zz'; expected hex dec text",
	":set rows x | = 'rows' cannot be 'x'; expected a number", ":set inline | = inline on",
	"B | 1,memory 2/0/0 all memory as bytes; x: wider values", "B | 1,memory,address=0x12fe94 5/0/0 words with their meaning",
	":expect add_up | =", ":expect nothing | = expected 'nothing': not found in [memory]",
	":try nothing | = unknown command 'nothing'; ? lists the commands", ":bind F5 step frame | =",
	"F5 | 2,memory,address=0x12feb4 15/10/0", ":unbind F5 | =", "F5 | = 'F5' has no meaning here, ? for help",
	"g ; g | 2,memory,address=0x12fe8c 0/0/0", "Z | = Z then  Z wq  Q quit!", "x | = 'x' has no meaning here, ? for help",
	"C-c | = nothing to cancel; q quits", ":more | 2,memory,address=0x12fea8 10/9/0", "v | 2,versus 0/0/0",
	":display eip | 2,frame 0/0/0", ":undisplay 1 | =", ":undisplay 9 | = no expression with number 9 is displayed",
	":original | = no edits: this is the original walk", ":set order | = order number",
};

/* The second of four dumps is left for another one or for good; the third dump cannot be read. */
static const char *const leaving[] = {
	":dump next | 0,stack 1/0/0 dump 4 of 4: d.dmp; skipped x.dmp: not a minidump", ":dump previous | = dump 1 of 4: a.dmp",
	":dump 1 | = dump 1 of 4: a.dmp", ":dump 2 | = dump 2 of 4: b.dmp",
	":dump 3 | = no further dump can be read; skipped x.dmp: not a minidump", ":dump 4 | = dump 4 of 4: d.dmp",
	":dump 5 | = the list has no such dump: it has 4, this is 2", ":dump 0 | = the list has no su..",
	":dump x | = the list has no su..", ":dump next 1 | = the list has no su..", ":dump | =", "q | =", "q | = left", "Q | = left",
	":quit | = left", ":q | = left", "ZZ | =", "ZQ | =", "4 ; q | =", "q | = left",
	":note x ; :dump 1 | = 1 note would be lost: the state is not saved", ":dump 3 | = 1 note would be lo..",
	"Q | = 1 note not written; y quits without them, any other key stays", "n | =", "Q ; y | = left", "Q ; Y | = left",
	":wq | = 1 note not written..", ":set-register ebx 5 ; Q | =",
	"Q | = 1 edit and 1 note not written; y quits without them, any other key stays", "C-c ; :quit! | = left",
	":note y ; Q | = 1 edit and 1 note..", "C-c ; u ; :unnote ; Q | = left", ":reload | = no file has changed on disk",
};

int
main(void)
{
	set_gate(true);
	with_crash("crashes/frame-data-x86", 80, 24, moves, ARRAY_COUNT(moves));
	with_crash("crashes/frame-data-x86", 120, 40, panes, ARRAY_COUNT(panes));
	with_crash("crashes/frame-data-x86", 80, 24, steps, ARRAY_COUNT(steps));
	with_crash("crashes/frame-data-x86", 80, 24, edits_made, ARRAY_COUNT(edits_made));
	with_crash("crashes/frame-data-x86", 80, 24, predictions, ARRAY_COUNT(predictions));
	with_crash("crashes/inlines-amd64", 80, 24, calls, ARRAY_COUNT(calls));
	with_crash("crashes/pac-arm64", 80, 24, problems, ARRAY_COUNT(problems));
	with_crash("lessons/broken-02-five-files", 80, 24, threads, ARRAY_COUNT(threads));
	with_crash("crashes/frame-data-x86", 80, 24, others, ARRAY_COUNT(others));
	with_crash("crashes/frame-data-x86", 80, 24, leaving, ARRAY_COUNT(leaving));
	return done_testing();
}
