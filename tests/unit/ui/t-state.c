/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/compiler.h"
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
	is_str(merged("mark a 1", "mark a 2", "mark a 1"), "head|mark a 2|end|",
	       "a line that another process has changed stays");
	is_str(merged("mark a 1", "mark a 2", "mark a 3"), "head|mark a 3|end|",
	       "a line that was changed here replaces that of another process");
	is_str(merged("address 10 x", "address 10 x", ""), "head|end|",
	       "a line that is removed here is left out");
	is_str(merged("address 10 x", "", "address 10 x"), "head|end|",
	       "a line that another process has removed does not come back");
	is_str(merged("frame 1 2 3 x", "frame 1 2 3 x|frame 1 2 4 y", "frame 1 2 3 z"),
	       "head|frame 1 2 3 z|frame 1 2 4 y|end|", "notes of two frames are two things");
	is_str(merged("source /a=/b", "source /a=/b|source /c=/d", "source /a=/e"),
	       "head|source /a=/e|source /c=/d|end|", "two mappings of sources are two things");
	is_str(merged("edit 1|edit 2", "edit 1|edit 2", "edit 1|edit 3"),
	       "head|edit 1|edit 3|end|", "edits are replaced together");
	is_str(merged("register a x", "register a y|register b z", "register a x"),
	       "head|register a y|register b z|end|", "notes of two registers are two things");
	is_str(merged("position - 0 1", "position - 0 2", "position - 0 3"), "head|position - 0 3|end|",
	       "the last place of this process replaces others");
	is_str(merged("address 10 x|address 10 y", "address 10 x|address 10 y", "address 10 x"),
	       "head|address 10 x|end|", "a line that is one of two is left out");
	is_str(merged("edit 1", "edit 1|edit 2", "edit 1"), "head|edit 1|edit 2|end|",
	       "edits stay together");
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
	static const char record[] =
		" record 0 1 /a%20b/x.sym 1f 3 STACK%20CFI%201%20.cfa:%20x"
		" STACK%20CFI%201%20.cfa:%20%25 - 0 - .cfa $rsp%208%20+ %2d 0 0 0 0"
		" 0 0";
	static const char *const refused[] = {
		"", " record", " nonsense 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		/* a missing thread, a record without a file, an invalid method */
		" register 2 0 - 0 0 - - - 0 - - - - 3 1 1 5 6 0",
		" record 0 0 - 0 0 x y - 0 - - - - 0 0 0 0 0 0",
		" force 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
		/* a register outside of all tables, an invalid row of the policy */
		" register 0 0 - 0 0 - - - 0 - - - - 30 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - - - - ffffffff 1 1 5 6 0",
		" policy 0 0 - 0 0 - - - 0 - - - - 0 0 0 99 0 0",
		/* a frame after the last one that a walk may have, bytes that are no hexadecimal number, other words */
		" register 0 100000 - 0 0 - - - 0 - - - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %2 - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %g0 - - 3 1 1 5 6 0",
		" register 0 0 - 0 0 - - - 0 - %0g - - 3 1 1 5 6 0",
		" record 0 0 x 0 0 - y - 0 - - - - 0 0 0 0 0 0",
		" rule 0 0 - 0 0 - - - 0 - - - - 0 0 0 0 0 0",
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

int
main(void)
{
	test_merge();
	test_edits();
	return done_testing();
}
