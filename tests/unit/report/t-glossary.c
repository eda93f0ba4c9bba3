/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <strings.h>

#include "base/policy_rows.h"
#include "report/glossary.h"
#include "report/step/step_view.h"
#include "tests/lib/tap.h"
#include "ui/view/layout.h"

/* Count sentences: each ends with a full stop before a blank or the end. */
static unsigned
count_sentences(const char *text)
{
	unsigned count = 0;

	for (const char *c = text; *c != '\0'; c++)
		count += *c == '.' && (c[1] == '\0' || (c[1] == ' ' && !islower((unsigned char)c[2])));
	return count;
}

/* "evaluation" is the view "eval". */
static bool
is_view(const char *term)
{
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++) {
		const char *name = layout_view_name((enum layout_view)i);
		if (strncmp(name, term, strlen(name)) == 0)
			return true;
	}
	return false;
}

/* Whether a row that has the term leads to the entry, and one that has its plural to any. */
static bool
is_in_row(const struct glossary_entry *entry, const char *ending)
{
	struct glossary_hit hit = { .text = NULL };
	char row[80];
	size_t at = 0;

	snprintf(row, sizeof(row), "the %s%s, here", entry->term, ending);
	while (glossary_next(text_of(row), "code", &at, &hit))
		if (hit.text == entry->text || *ending != '\0')
			return true;
	tap_diag("not found in '%s'", row);
	return false;
}

TEST(entries)
{
	const struct glossary_entry *entry;
	unsigned other = 0, lost = 0, unordered = 0, hidden = 0;
	const char *before = "";

	for (size_t i = 0; (entry = glossary_at(i)) != NULL; i++) {
		const char *term = entry->term + (entry->term[0] == '.');
		if (count_sentences(entry->text) != 3) {
			tap_diag("%s: %u sentences", entry->term, count_sentences(entry->text));
			other++;
		}
		unordered += strcasecmp(before, term) > 0;
		before = term;
		lost += glossary_find(text_of(entry->term), false) != entry;
		hidden += strchr(entry->term, ' ') == NULL && !is_view(entry->term) &&
			  (!is_in_row(entry, "") || !is_in_row(entry, "s"));
		for (const char *also = entry->also; *also != '\0';) {
			const size_t length = strcspn(also, "|");
			if (glossary_find((struct text){ also, length }, false) != entry) {
				tap_diag("%s: %s", entry->term, also);
				lost++;
			}
			also += length + (also[length] == '|');
		}
	}
	is_u64(other, 0, "every entry has three sentences");
	is_u64(unordered, 0, "the terms are in alphabetical order");
	is_u64(hidden, 0, "a row that has a term or its plural leads to it, but for names of views");
	is_u64(lost, 0, "every term and every other name finds its own entry");
}

static void
knows(const char *name, const char *what)
{
	ok(glossary_find(text_of(name), false) != NULL, "%s '%s' is explained", what, name);
}

/* Every word that the screen shows without an explanation has one in the glossary. */
TEST(shown)
{
	static const char *const trusts[] = {
#define TRUST(id, name, ...) name,
#include "walk/method/method.def"
	};

	static const char marks[] = {
#define R(id, name, mono, style, of_8, of_256, background, mark) mark,
#include "document/role.def"
	};
	struct arena arena;

	arena_init(&arena, 0);
	for (size_t i = 1; i < ARRAY_COUNT(trusts); i++)
		ok(glossary_explain(text_of(trusts[i]), &arena) != NULL, "trust '%s' is explained", trusts[i]);
	for (size_t i = 0; i < ARRAY_COUNT(marks); i++)
		ok(marks[i] == 0 || glossary_explain((struct text){ &marks[i], 1 }, &arena) != NULL,
		   "the mark '%c' of a role is explained", marks[i] == 0 ? ' ' : marks[i]);
	arena_free(&arena);
	for (unsigned i = 0; i < 3; i++)
		knows(step_view_verdict(i), "verdict");
	for (unsigned i = 0; i < METHOD_COUNT; i++)
		knows(method_name((enum method_id)i), "method");
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		knows(layout_view_name((enum layout_view)i), "view");
}

TEST(finding)
{
	struct arena arena;
	unsigned unknown = 0;

	arena_init(&arena, 0);
	is_str(glossary_find(text_of("cfa"), false)->term, "CFA", "small letters find large ones");
	is_str(glossary_find(text_of("Return_Address"), false)->term, "return address", "an underscore is read as a blank");
	is_str(glossary_find(text_of("tramp"), true)->term, "trampoline", "the beginning of a term finds it");
	ok(glossary_find(text_of("re"), true) == NULL, "the beginning of two terms finds neither");
	ok(glossary_explain(text_of("tramp"), &arena) == NULL, "the beginning of a term is not explained as a word");
	is_str(glossary_explain(text_of("frame"), &arena)->term, "frame", "a whole word wins over the beginnings of others");
	is_str(glossary_explain(text_of("scan-words"), &arena)->term, "scan-words", "a row of the policy as well");
	ok(text_equal(glossary_near(text_of("Trampolin")), text_of("trampoline")) &&
	   text_equal(glossary_near(text_of("stak_cfi")), text_of("STACK CFI")), "a misspelled word is near to its term");
	is_str(glossary_near(text_of("return address predictor nummber")).length == 0 ? "none" : "near", "none",
	       "32 letters are near to no term");
	is_u64(glossary_near(text_of("trampolinetrampolinetrampolinetra")).length, 0, "33 letters are too many");
	is_str(glossary_explain(text_of("-"), &arena)->text + strlen(glossary_explain(text_of("-"), &arena)->text) - 1,
	       ".", "the meanings of a sign end with a full stop");
	is_u64(glossary_near(text_of("xylophone")).length, 0, "an unrelated word is near to no term");
	ok(glossary_find(text_of(""), false) == NULL, "an empty word is not a term");
	ok(glossary_find(text_of("no such word"), false) == NULL, "a word without an entry is not a term");
	for (size_t i = 0; i < POLICY_COUNT; i++)
		unknown += glossary_explain(text_of(policy_table[i].name), &arena) == NULL;
	is_u64(unknown, 0, "every row of the policy is explained");
	ok(strstr(glossary_explain(text_of("scan-words"), &arena)->text, policy_table[POLICY_SCAN_WORDS].sentence) != NULL,
		  "a row of the policy is explained by its sentence");
	arena_free(&arena);
}

/* The words of a view's row that have an explanation, each after a '|'. */
static const char *
explained(const char *row, const char *view)
{
	static char text[400];
	struct glossary_hit hit;
	size_t at = 0, used = 0;

	text[0] = '\0';
	while (glossary_next(text_of(row), view, &at, &hit))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "|%.*s", (int)hit.word.length, hit.word.start);
	return text;
}

TEST(rows)
{
	struct arena arena;
	struct glossary_hit hit;
	size_t at = 0;

	arena_init(&arena, 0);
	is_str(explained(" rip   000055f654b5ded2  * 000055f654b5df97      7  [00007ffde1b67308]", "registers"),
	       "|rip|*", "a register and a sign are explained, numbers are not");
	is_str(explained(" rsp   00401005  = 00401048   0x7ffde1b672f0 + 0x20", "registers"),
	       "|rsp|=", "an operator between two values is no sign");
	is_str(explained("  -   1 cfi! 00401005 main + 0x25 (?)", "stack"), "|-|cfi|!|(?)", "a sign may be joined to a word");
	is_str(explained(" 00007ffde1b672f0 *000055f66e2c1060  ledger + 0x3008?", "memory"), "|*|?", "a sign may be joined to a value");
	is_str(explained("=> 00001ea4 +4     *rsp+32  c-8 *c-32  .   s  u", "table"),
	       "|=>|+4|*|c-8|*|c-32|.|s|u", "the cells of a table are signs");
	is_str(explained(" record covers 10 to 1f; 3 deltas in force", "evidence"), "|record|covers|deltas|in force",
	       "several words are one name, one thing of many as well");
	is_str(explained("a.c .c 5 * 6 x  ?  y? (z)! =1 !q", "stack"), "|.c|!|!", "signs are in columns or after a word");
	is_str(explained("x !_a !$b !\xc3\xa9 a! !", "stack"), "|!|!|!|!", "letters after a sign are those of names");
	is_str(explained("x - y", "stack"), "", "one blank before a sign is that of a sentence");
	is_str(explained("x  - y", "stack"), "|-", "two blanks before a sign are those of columns");
	is_str(explained(" - y", "stack"), "|-", "a sign may be the first word of a row");
	is_str(explained("  .c     engine::level1    inlined  a.cc:23", "stack"), "|.c|inlined", "letters of inlined calls are one sign");
	is_str(explained(" s u c-8 .b", "modules"), "", "signs of other views are not explained");
	is_str(explained(" none found in any file of the memory", "modules"), "|none found",
	       "within a sentence a word does not name a view or a record");
	is_str(explained(" FILE 1 ledger.c", "raw"), "|FILE", "a record is one in a symbol file");
	is_str(explained(" ~ STACK CFI", "methods"), "|~|STACK CFI", "a sign of the view goes before one of all views");
	glossary_next(text_of(" taken: rip"), "evidence", &at, &hit);
	is_str(hit.term, "verdict", "another name leads to its entry");
	ok(strstr(glossary_explain(text_of("*"), &arena)->text, "In memory, frame: the step read this word") != NULL,
	   "a sign that is asked for is explained for every view");
	is_str(glossary_explain(text_of("c-24"), &arena)->term, "c-24", "an offset from the CFA is explained with any number");
	arena_free(&arena);
}

/* Each name of reference.def leads to the section of its row, a code also by its beginning. */
TEST(references)
{
	static const struct {
		enum reference_kind kind;
		const char *names;
		struct reference to;
	} rows[] = {
#undef R
#define R(kind, names, page, section) { REFERENCE_##kind, names, { page, section } },
#include "report/reference.def"
	};
	struct reference found;
	unsigned wrong = 0;
	char name[80];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (const char *at = rows[i].names; *at != '\0'; at += strcspn(at, "|"), at += *at == '|') {
			const int length = (int)strcspn(at, "|");
			snprintf(name, sizeof(name), "%.*s", length, at);
			wrong += !reference_of(rows[i].kind, text_of(name), &found) ||
				 strcmp(found.section, rows[i].to.section) != 0 || strcmp(found.page, rows[i].to.page) != 0;
			strcat(name, "x");
			wrong += reference_of(rows[i].kind, text_of(name), &found) != (rows[i].kind == REFERENCE_CODE);
		}
	is_u64(wrong, 0, "words and codes lead to their sections");
	ok(reference_of(REFERENCE_CODE, text_of("other"), &found) && strcmp(found.section, "The file") == 0,
	   "other codes lead to the file");
	ok(!reference_of(REFERENCE_WORD, text_of("other"), &found) &&
	   !reference_of(REFERENCE_WORD, text_of("STACK"), &found), "other words lead nowhere");
}
