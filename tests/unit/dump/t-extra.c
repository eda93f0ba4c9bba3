/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "dump/minidump_internal.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/* RFC 8259 and the escapes of the older form, by hand. `broken`: a word of the expected message. */
static const struct {
	const char *title, *text;
	const char *wanted;		/* "KEY=value;" for each */
	const char *broken;
} cases[] = {
	{ "an object of strings", "{\"A\":\"x\",\"B\":\"y\"}", "A=x;B=y;", NULL },
	{ "blanks and line feeds", " {\n \"A\" : \"x\" ,\t\"B\" : \"\" }\n", "A=x;B=;", NULL }, { "an empty object", "{ }", "", NULL },
	{ "text after an empty object", "{ } x", "", "after the object" },
	{ "a comma after the last member", "{\"A\":\"x\",} ", "A=x;", "a key" }, { "an empty file", "", "", NULL },
	{ "escapes", "{\"A\":\"a\\\"b\\\\c\\/d\\n\\t\\u0041\"}", "A=a\"b\\c/d\n\tA;", NULL },
	{ "characters beyond the first plane", "{\"A\":\"\\ud83d\\ude00\"}", "A=\xf0\x9f\x98\x80;", NULL },
	{ "half a pair", "{\"A\":\"\\ud83dx\\ude00\"}", "A=\xef\xbf\xbdx\xef\xbf\xbd;", NULL },
	{ "the first and the last half of a pair", "{\"A\":\"\\ud800\\udfffx\\udfff\\ud800\"}",
	  "A=\xf0\x90\x8f\xbfx\xef\xbf\xbd\xef\xbf\xbd;", NULL },
	{ "the characters around halves", "{\"A\":\"\\ud7ff\\ue000\"}", "A=\xed\x9f\xbf\xee\x80\x80;", NULL },
	{ "half a pair before another character", "{\"A\":\"\\ud83d\\u0041\"}", "A=\xef\xbf\xbd" "A;", NULL },
	{ "a NUL that would hide what follows", "{\"A\":\"x\\u0000y\"}", "A=x\xef\xbf\xbdy;", NULL },
	{ "numbers and words as written", "{\"A\":1.5e3,\"B\":null,\"C\":true}", "A=1.5e3;B=null;C=true;", NULL },
	{ "objects as written", "{\"A\":{\"x\":[1,\"}\"]},\"B\":\"y\"}", "A={\"x\":[1,\"}\"]};B=y;", NULL },
	{ "a byte order mark", "\xef\xbb\xbf{\"A\":\"x\"}", "A=x;", NULL }, { "lines", "A=x\nB=y=z\n", "A=x;B=y=z;", NULL },
	{ "lines of Windows without an end", "A=x\r\nB=y", "A=x;B=y;", NULL },
	{ "escapes in lines", "A=\\na\\nb\\tc\\\\n\\q\\\n", "A=\na\nb\tc\\n\\q\\;", NULL },
	{ "unterminated string", "{\"A\":\"x\",\"B\":\"y", "A=x;", "unterminated" },
	{ "an object without an end", "{\"A\":\"x\"", "A=x;", "expected" },
	{ "a key that is no string", "{\"A\":\"x\",B:1}", "A=x;", "a key" }, { "a key without a value", "{\"A\"}", "", "':'" },
	{ "no comma", "{\"A\":\"x\" \"B\":\"y\"}", "A=x;", "','" }, { "an invalid escape", "{\"A\":\"\\x41\"}", "", "escape" },
	{ "an escape that is cut", "{\"A\":\"\\u00", "", "escape" }, { "a backslash at the end", "{\"A\":\"x\\", "", "escape" },
	{ "brackets that do not match", "{\"A\":[1}},\"B\":2}", "A=[1};", "after the object" },
	{ "unmatched closing bracket", "{\"A\":]}", "", "unmatched closing" },
	{ "a line that is no pair", "A=x\nnothing\nB=y\n", "A=x;", "KEY=value" },
};

static void
annotations_text(const struct crash *crash, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, "extra") == 0)
			used += (size_t)snprintf(buffer + used, size - used, "%s=%s;", crash->annotations[i].key,
						 crash->annotations[i].value);
}

static const char *
broken_text(const struct crash *crash)
{
	for (size_t i = 0; i < crash->messages.count; i++)
		if (crash->messages.messages[i].kind == MESSAGE_EXTRA_BROKEN)
			return crash->messages.messages[i].text;
	return NULL;
}

TEST_EACH(cases, cases)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;
	char text[400];

	synth_crashpad(synth, -1, "before", "1");
	open_synth(&opened, synth);
	size_t before = opened.crash.annotation_count;
	extra_from_memory(&opened.crash, "test.extra", cases[i].text, strlen(cases[i].text));
	annotations_text(&opened.crash, text, sizeof(text));
	is_str(text, cases[i].wanted, "the annotations of %s are read", cases[i].title);
	is_str(opened.crash.annotations[before - 1].key, "before", "the annotations of the dump stay before those of %s", cases[i].title);
	const char *broken = broken_text(&opened.crash);
	if (cases[i].broken == NULL)
		is_str(broken, NULL, "%s has no message", cases[i].title);
	else
		ok(broken != NULL && strstr(broken, cases[i].broken) != NULL,
		   "the message says '%s' (%s)", cases[i].broken, broken != NULL ? broken : "");
	close_synth(&opened);
}

/* A file cut after each of its bytes is read without harm. */
TEST(cuts)
{
	static const char text[] = "{\"A\":{\"x\":[1,\"}\\\"\"]},\"B\":\"\\ud83d\\ude00\"}";
	bool good = true;

	for (size_t size = 0; size < sizeof(text); size++) {
		struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
		struct opened opened;
		char *copy = malloc(size + 1);

		open_synth(&opened, synth);
		memcpy(copy, text, size);
		extra_from_memory(&opened.crash, "test.extra", copy, size);
		good = good && opened.crash.annotation_count <= 2;
		close_synth(&opened);
		free(copy);
	}
	ok(good, "a file that is cut anywhere has at most its annotations");
}

TEST(depth)
{
	enum { DEPTH = 100000 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	char *text = malloc(DEPTH + 8);
	struct opened opened;

	open_synth(&opened, synth);
	memcpy(text, "{\"A\":", 5);
	memset(text + 5, '[', DEPTH);
	extra_from_memory(&opened.crash, "test.extra", text, DEPTH + 5);
	const char *broken = broken_text(&opened.crash);
	ok(broken != NULL && strstr(broken, "too deep") != NULL, "values that are nested too deep are refused");
	close_synth(&opened);
	free(text);
}

TEST(beside)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	char folder[] = "unspool-extra.XXXXXX", dump[64], extra[64], text[100];
	struct error error = { 0 };
	struct crash crash;

	if (mkdtemp(folder) == NULL) {
		skip(2, "no folder for a file");
		synth_free(synth);
		return;
	}
	snprintf(dump, sizeof(dump), "%s/a.dmp", folder);
	snprintf(extra, sizeof(extra), "%s/a.extra", folder);
	synth_write(synth, dump);
	synth_free(synth);
	FILE *file = fopen(extra, "w");
	if (file != NULL) {
		fputs("{\"ProductName\":\"Tool\"}", file);
		fclose(file);
	}
	ok(dump_open(&crash, dump, 0, &error) == ERROR_NONE, "a dump with a file next to it opens");
	annotations_text(&crash, text, sizeof(text));
	is_str(text, "ProductName=Tool;", "a dump has the annotations of the file next to it");
	crash_free(&crash);
	if (chdir(folder) == 0) {
		dump_open(&crash, "a.dmp", 0, &error);
		annotations_text(&crash, text, sizeof(text));
		is_str(text, "ProductName=Tool;", "a dump in the working directory has the file next to it");
		crash_free(&crash);
		if (chdir("..") != 0)
			tap_diag("cannot leave %s", folder);
	}
	unlink(extra);
	unlink(dump);
	rmdir(folder);
}

/* The places of values and of errors in a file. */
TEST(places)
{
	static const char text[] = "{\"A\":\"x\", \"BC\":\"yz\", 5}";
	struct opened opened;

	open_synth(&opened, synth_create(ARCH_AMD64, CRASH_OS_LINUX, false));
	extra_from_memory(&opened.crash, "test.extra", text, strlen(text));
	if (ok(opened.crash.annotation_count == 2, "both members are read")) {
		const struct place *place = &opened.crash.annotations[1].place;
		ok(place->offset >= 9 && place->offset + place->length <= 21 &&
		   place->length >= strlen("\"yz\""), "the second member has its place");
		place = &opened.crash.messages.messages[opened.crash.messages.count - 1].place;
		ok(place->offset == strlen("{\"A\":\"x\", \"BC\":\"yz\", ") && place->length == 1,
		   "the message is at the character that is no key");
	}
	close_synth(&opened);
}
