/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "ui/session/session.h"

/* The merged file if the file on disk has `theirs`; '|' separates lines. */
static const char *
merged(const char *base, const char *theirs, const char *mine)
{
	static char shown[400];
	const char *const texts[] = { base, theirs, mine };
	char lines[3][200], *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (size_t i = 0; i < 3; i++) {
		snprintf(lines[i], sizeof(lines[i]), "head|%s|end|", texts[i]);
		for (char *c = lines[i]; *c != '\0'; c++)
			*c = *c == '|' ? '\n' : *c;
	}
	state_merge(file, lines[0], lines[1], lines[2]);
	fclose(file);
	snprintf(shown, sizeof(shown), "%s", text);
	free(text);
	for (char *c = shown; *c != '\0'; c++)
		*c = *c == '\n' ? '|' : *c;
	return shown;
}

static void
test_merge(void)
{
	is_str(merged("mark a 1", "mark a 1|mark b 2", "mark a 1"), "head|mark a 1|mark b 2|end|",
	       "a line that another process has added stays");
	is_str(merged("mark a 1", "mark a 1|mark b 2", "mark a 1|mark c 3"),
	       "head|mark a 1|mark b 2|mark c 3|end|", "a line that is added here follows it");
	is_str(merged("mark a 1", "mark a 2", "mark a 1"), "head|mark a 2|end|", "a line that another process has changed stays");
	is_str(merged("mark a 1", "mark a 2", "mark a 3"), "head|mark a 3|end|",
	       "a line that was changed here replaces that of another process");
	is_str(merged("address 10 x", "address 10 x", ""), "head|end|", "a line that is removed here is left out");
	is_str(merged("address 10 x", "", "address 10 x"), "head|end|",
	       "a line that another process has removed does not come back");
	is_str(merged("frame 1 2 3 x", "frame 1 2 3 x|frame 1 2 4 y", "frame 1 2 3 z"),
	       "head|frame 1 2 3 z|frame 1 2 4 y|end|", "notes of two frames are two things");
	is_str(merged("source /a=/b", "source /a=/b|source /c=/d", "source /a=/e"),
	       "head|source /a=/e|source /c=/d|end|", "two mappings of sources are two things");
	is_str(merged("edit 1|edit 2", "edit 1|edit 2", "edit 1|edit 3"), "head|edit 1|edit 3|end|", "edits are replaced together");
	is_str(merged("register a x", "register a y|register b z", "register a x"),
	       "head|register a y|register b z|end|", "notes of two registers are two things");
	is_str(merged("position - 0 1", "position - 0 2", "position - 0 3"), "head|position - 0 3|end|",
	       "the last place of this process replaces others");
	is_str(merged("address 10 x|address 10 y", "address 10 x|address 10 y", "address 10 x"),
	       "head|address 10 x|end|", "a line that is one of two is left out");
	is_str(merged("edit 1", "edit 1|edit 2", "edit 1"), "head|edit 1|edit 2|end|", "edits stay together");
}

/* Read an edit from words and write it again; "" if it is refused. */
static const char *
again(struct arena *arena, const char *words)
{
	struct overlay_edit edit;
	char *text = NULL;
	size_t size;

	if (!kept_edit_read(arena, words, 2, &edit))
		return "";
	FILE *file = open_memstream(&text, &size);
	kept_edit_write(file, &edit);
	fclose(file);
	const char *copy = arena_copy(arena, text, size);
	free(text);
	return copy;
}

static void
test_edits(void)
{
	static const char record[] = " record 0 1 /a%20b/x.sym 1f 3 STACK%20CFI%201%20.cfa:%20x"
		" STACK%20CFI%201%20.cfa:%20%25 - 0 - .cfa $rsp%208%20+ %2d 0 0 0 0 0 0";
	static const char *const refused[] = {
		"", " record", " nonsense 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		/* a missing thread, a record without a file, an invalid method */
		" register 2 0 - 0 0 - - - 0 - - - - 3 1 1 5 6 0",
		" record 0 0 - 0 0 x y - 0 - - - - 0 0 0 0 0 0", " force 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		/* a register outside of all tables, an invalid row of the policy */
		" register 0 0 - 0 0 - - - 0 - - - - 30 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - - - - ffffffff 1 1 5 6 0",
		" policy 0 0 - 0 0 - - - 0 - - - - 0 0 0 99 0 0",
		/* a frame after the last one that a walk may have, bytes that are no hexadecimal number, other words */
		" register 0 100000 - 0 0 - - - 0 - - - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %2 - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %g0 - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %0g - - 3 1 1 5 6 0",
		" record 0 0 x 0 0 - y - 0 - - - - 0 0 0 0 0 0", " rule 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		" forbid 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		" force 0 0 - 0 0 - - - 0 nothing - - - 0 0 0 0 0 0",
	};
	/* The largest numbers, every kind of byte in a text, and a text that is "-". */
	static const char *const sound[] = {
		" register 1 fffff - 0 0 - - - 0 - - - - 2f 1 1 ffffffffffffffff 6 0",
		" register 0 0 - 0 0 - - - 0 - %01%1f%20!%25~%7f%80%ff - %2d 0 0 0 0 0 0",
		" rule 0 0 - 0 0 - - /x%20y 1ab STACK%20WIN -- .cfa+ - 0 0 0 0 0 12",
	};
	struct arena arena = { 0 };
	struct overlay_edit edit;
	char words[512];

	snprintf(words, sizeof(words), "%s %s", record, policy_table[0].name);
	is_str(again(&arena, words), words, "an edit of a record is what it was");
	ok(kept_edit_read(&arena, words, 2, &edit) && edit.kind == OVERLAY_RECORD &&
	   edit.frame == 1 && strcmp(edit.record.file, "/a b/x.sym") == 0 &&
	   edit.record.offset == 0x1f && text_equal(edit.was, text_of("-")),
	   "the edit has its file, its place and its texts");
	for (size_t i = 0; i < ARRAY_COUNT(sound); i++) {
		snprintf(words, sizeof(words), "%s %s", sound[i], policy_table[0].name);
		is_str(again(&arena, words), words, "sound words are the same again: %s", sound[i]);
		strcat(words, " 0");
		is_str(again(&arena, words), "", "one word more is refused");
	}
	for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
		snprintf(words, sizeof(words), "%s %s", refused[i], policy_table[0].name);
		is_str(again(&arena, words), "", "invalid words are refused: %s", refused[i]);
	}
	arena_free(&arena);
}

#define EDIT "0 - 0 0 - - - 0 crash%20report - - - 3 1 1 5 af 0 symbol-error-limit|"
#define NONE "unspool-state 1|end|"
#define DAMAGED "the saved state of this dump is damaged; it is ignored"
static char file_text[(1 << 20) + 100];
static char folder[] = "/tmp/unspool-state-XXXXXX", path[400];

/* Write the state file; '|' separates its lines. `length` 0: as long as the text. */
static void
put_file(size_t length)
{
	FILE *file = fopen(path, "w");

	for (char *c = file_text; *c != '\0'; c++)
		*c = *c == '|' ? '\n' : *c;
	fwrite(file_text, 1, length > 0 ? length : strlen(file_text), file);
	fclose(file);
}

static void
wake(void *context)
{
	(void)context;
}

/* A session of the crash reads the state and writes it again: `file_text`. Returns its report. */
static const char *
renew(const struct explorer_options *options)
{
	static struct session session;
	static char report[sizeof(session.notice)];

	if (!session_open(&session, options, wake, NULL))
		abort();
	state_read(&session, folder);
	snprintf(report, sizeof(report), "%s", session.notice);
	state_write(&session, folder, false);
	session_close(&session);
	FILE *file = fopen(path, "r");
	file_text[file == NULL ? 0 : fread(file_text, 1, sizeof(file_text) - 1, file)] = '\0';
	if (file != NULL)
		fclose(file);
	for (char *c = file_text; *c != '\0'; c++)
		*c = *c == '\n' ? '|' : *c;
	return report;
}

/* The number of states; the last one's path becomes `path` if it has none. */
static unsigned
count_files(void)
{
	char dumps[100];
	unsigned count = 0;

	snprintf(dumps, sizeof(dumps), "%s/dumps", folder);
	DIR *files = opendir(dumps);
	for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
		count += entry->d_name[0] != '.';
		if (entry->d_name[0] != '.' && path[0] == '\0')
			snprintf(path, sizeof(path), "%s/%s", dumps, entry->d_name);
	}
	closedir(files);
	return count;
}

/* Sound lines are reported and written again as they were; those of a damaged file are lost. */
static void
test_lines(const struct explorer_options *options)
{
	static const struct { const char *lines, *notice; } sound[] = {
		{ "", "" }, { "mark a 1 2 3 4 5 12fe94 eval|", "" },
		{ "position - 1 0 0 0 9 c4ff58 memory|mark z 0 0 0 0 0 0 stack|", ":resume returns to frame 0 in 'memory'" },
		{ "position - 0 1 0 0 0 0 stack|", ":resume returns to frame 1 in 'stack'" },
		{ "position - 0 0 1 2 3 4 stack|", "" }, { "position - 1 0 0 0 0 0 stack|", ":resume returns to frame 0 in 'stack'" },
		{ "mark a 0 1 0 0 0 0 raw|mark b 0 2 0 0 0 0 edits|mark y 0 0 0 0 0 0 stack|", "" },
		{ "frame 5d4 401048 12fe94 a  b|", ":notes lists 1 note" },
		{ "register esp a note|address 12fe94 x|", ":notes lists 2 notes" }, { "source /a=/b=c d|source /e=|", "" },
		{ "position - 0 0 0 0 0 0 eval|edit register 0 " EDIT, ":resume returns to frame 0 in 'eval' with 1 edit" },
		{ "position - 0 0 0 0 0 0 stack|frame 0 0 0 x|address 0 -|edit register 1 " EDIT "edit candidate 0 " EDIT,
		  ":resume returns to frame 0 in 'stack' with 2 edits; :notes lists 2 notes" },
		{ "position - 0 0 0 0 0 0 stack|address 0 -|edit register 0 " EDIT,
		  ":resume returns to frame 0 in 'stack' with 1 edit; :notes lists 1 note" },
		{ "position - 0 2 0 0 0 0 raw|address 0 -|", ":resume returns to frame 2 in 'raw'; :notes lists 1 note" },
	};
	static const char *const damaged[] = {
		"mark a 2 0 0 0 0 0 stack|", "mark { 0 0 0 0 0 0 stack|", "mark ` 0 0 0 0 0 0 stack|", "mark A 0 0 0 0 0 0 stack|",
		"mark a 0 0 0 0 0 0 stacks|", "mark a 0 0 0 0 0 0|", "mark a|", "mark|", "position - 0 0 0 0 0 0|",
		"frame 5d4 401048 x|", "frame 5d4 401048 12fe94|", "register esp|", "address 12fe94|", "addresses 12fe94 x|",
		"source /a|", "edit|", "edit register 2 " EDIT, "end|mark c 0 1 0 0 0 0 stack|", "note x|", "edit fork 0 " EDIT,
	};
	static const char *const whole[] = {
		"", "unspool-state 1", "unspool-state 1|", "unspool-state 1|end", "unspool-state 2|end|", "unspool-state 1 |end|",
		"xnspool-state 1|end|", "unspool-state 1|end||", "unspool-state 1|mark a 0 0 0 0 0 0 stack|ends|",
	};
	char expected[300];

	for (size_t i = 0; i < ARRAY_COUNT(sound); i++) {
		snprintf(expected, sizeof(expected), "unspool-state 1|%send|", sound[i].lines);
		put_file((size_t)(stpcpy(file_text, expected) - file_text));
		is_str(renew(options), sound[i].notice, "a state is sound: %s", sound[i].lines);
		is_str(file_text, expected, "its lines are kept");
	}
	for (size_t i = 0; i < ARRAY_COUNT(damaged) + ARRAY_COUNT(whole); i++) {
		snprintf(file_text, sizeof(file_text), i < ARRAY_COUNT(damaged) ? "unspool-state 1|mark b 0 0 0 0 0 0 stack|%send|" : "%s",
			 i < ARRAY_COUNT(damaged) ? damaged[i] : whole[i - ARRAY_COUNT(damaged)]);
		put_file(0);
		is_str(renew(options), DAMAGED, "damage %zu is found", i);
		is_str(file_text, NONE, "nothing of it is kept");
	}
}

/* A state has at most a megabyte, without bytes of 0, and 1000 edits. */
static void
test_sizes(const struct explorer_options *options)
{
	for (size_t more = 0; more < 3; more++) {
		const size_t size = (1 << 20) + more % 2;

		memset(file_text, more < 2 ? '|' : '\0', size + 1);
		memcpy(file_text, NONE, strlen(NONE) - 4);
		memcpy(file_text + size - 5, "|end|", 6);
		put_file(size);
		is_str(renew(options), more == 0 ? "" : DAMAGED, "a state of form %zu is sound or damaged", more);
	}
	strcpy(file_text, "unspool-state 1|");
	for (unsigned i = 0; i < 33; i++)
		sprintf(file_text + strlen(file_text), "source /%u=x|", i);
	put_file((size_t)(stpcpy(file_text + strlen(file_text), "end|") - file_text));
	ok(renew(options)[0] == '\0' && strstr(file_text, "|source /32=x|end|") != NULL, "more mappings than are read are kept");
	for (unsigned more = 0; more < 2; more++) {
		strcpy(file_text, "unspool-state 1|");
		for (unsigned i = 0; i < 1000 + more; i++)
			strcat(file_text, "edit candidate 0 " EDIT);
		put_file((size_t)(stpcpy(file_text + strlen(file_text), "end|") - file_text));
		ok((strcmp(renew(options), DAMAGED) == 0) == (more == 1), "%u edits are read or refused", 1000 + more);
	}
}

/* With each state that is written, the oldest one of more than 200 goes. */
static void
test_oldest(const struct explorer_options *options)
{
	char old[100];

	for (unsigned i = 0; i < 201; i++) {
		const struct timespec times[2] = { { 0, 0 }, { 1000 + (i + 100) / 2 % 100, (i + 100) % 2 } };

		snprintf(old, sizeof(old), "%s/dumps/%03u", folder, i);
		fclose(fopen(old, "w"));
		utimensat(AT_FDCWD, old, times, 0);
	}
	for (unsigned left = 202; left > 199; left--) {
		renew(options);
		is_u64(count_files(), left > 200 ? left - 1 : 200, "a state over 200 goes");
		snprintf(old, sizeof(old), "%s/dumps/%03u", folder, 100 + 202 - left);
		is_u64(access(old, F_OK) == 0, left == 200, "it is the oldest");
	}
}

/* A session has at most so many notes; those that it has can still be changed and removed. */
static void
test_notes(void)
{
	static struct notes notes;
	struct note note = { .kind = NOTE_ADDRESS, .text = "x" };

	while (note.address < NOTES_MOST && notes_put(&notes, &note))
		note.address++;
	is_u64(note.address, NOTES_MOST, "notes are put until there are too many");
	ok(!notes_put(&notes, &note) && notes.count == NOTES_MOST, "one more is refused");
	note = (struct note){ .kind = NOTE_ADDRESS, .address = NOTES_MOST - 1, .text = "y" };
	ok(notes_put(&notes, &note) && notes.count == NOTES_MOST && notes.items[NOTES_MOST - 1].text[0] == 'y',
	   "a note is changed if there are too many");
	note = (struct note){ .kind = NOTE_ADDRESS };
	ok(notes_put(&notes, &note) && notes.count == NOTES_MOST - 1 && notes.items[0].address == NOTES_MOST - 1,
	   "the last note takes the place of one that is removed");
	ok(notes_put(&notes, &note) && notes.count == NOTES_MOST - 1, "a note that does not exist need not be removed");
	note.text[0] = 'z';
	ok(notes_put(&notes, &note) && notes.items[NOTES_MOST - 1].address == 0, "there is room for another note then");
}

static int
remove_one(const char *one, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(one);
}

static void
test_files(void)
{
	const char *root = getenv("srcdir");
	char crash_path[4096];
	struct crash crash;
	struct error error;

	snprintf(crash_path, sizeof(crash_path), "%s/data/crashes/frame-data-x86/crash.dmp", root != NULL ? root : ".");
	if (!ok(mkdtemp(folder) != NULL && dump_open(&crash, crash_path, 0, &error) == ERROR_NONE, "the crash opens"))
		return;
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, NULL, 0);
	const struct explorer_options options = {
		.crash = &crash, .symbols = symbols, .policy = policy_column(POLICY_UNSPOOL) };

	renew(&options);
	is_u64(count_files(), 1, "a session without a state begins one");
	test_lines(&options);
	test_sizes(&options);
	test_oldest(&options);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	symbols_free(symbols);
	crash_free(&crash);
}

int
main(void)
{
	test_files();
	test_merge();
	test_edits();
	test_notes();
	return done_testing();
}
