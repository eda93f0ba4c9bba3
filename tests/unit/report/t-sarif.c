/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/sarif.h"

#include "document/json.h"
#include "report/file/lint_report.h"
#include "tests/lib/folder.h"

/* Locations and a log of SARIF 2.1.0: columns count UTF-16 units from 1, URIs are those of RFC 3986. */

#define HERE(uri) "\"artifactLocation\":{\"uri\":\"" uri "\",\"uriBaseId\":\"WORKINGDIRECTORY\"}"
#define REGION(first, last) ",\"region\":{\"startLine\":7,\"startColumn\":" first ",\"endColumn\":" last "}"

static const struct {
	const char *path, *line;	/* NULL: a place without a line */
	uint32_t column, length;	/* bytes */
	const char *function, *expected;
} locations[] = {
	{ "a.sym", "FUNC 1", 6, 1, "", HERE("a.sym") REGION("6", "7") }, { "a.sym", "FUNC 1", 6, 9, "", HERE("a.sym") REGION("6", "7") },
	{ "a.sym", "FUNC 1", 1, 6, "", HERE("a.sym") REGION("1", "7") }, { "a.sym", "FUNC 1", 0, 2, "", HERE("a.sym") REGION("1", "3") },
	{ "a.sym", "FUNC 1", 2, 0, "", HERE("a.sym") REGION("2", "2") }, { "a.sym", "FUNC 1", 7, 1, "", HERE("a.sym") REGION("7", "7") },
	{ "a.sym", "FUNC 1", 9, 1, "", HERE("a.sym") REGION("9", "9") }, { "a.sym", "", 1, 1, "", HERE("a.sym") REGION("1", "1") },
	/* U+E9 has two bytes, U+FFFF three and one unit, U+10000 and U+1F600 four and two units. */
	{ "a.sym", "\xc3\xa9\xf0\x9f\x98\x80x", 3, 4, "", HERE("a.sym") REGION("2", "4") },
	{ "a.sym", "\xef\xbf\xbf\xf0\x90\x80\x80x", 4, 4, "", HERE("a.sym") REGION("2", "4") },
	{ "a.sym", "\xf0\x9f\x98\x80\xff\xfex", 5, 2, "", HERE("a.sym") REGION("3", "5") },
	{ "a b/#\xc3\xa9~.sym", "x", 1, 1, "", HERE("a%20b/%23%C3%A9~.sym") REGION("1", "2") },
	{ "/a%.sym", "x", 1, 1, "", "\"artifactLocation\":{\"uri\":\"file:///a%25.sym\"}" REGION("1", "2") },
	{ "below/../in/a.sym", "x", 1, 1, "", HERE("in/a.sym") REGION("1", "2") },
	{ "../a.sym", "x", 1, 1, "", "\"artifactLocation\":{\"uri\":\"file://ROOT/a.sym\"}" REGION("1", "2") },
	{ "../work/in/a.sym", "x", 1, 1, "", HERE("in/a.sym") REGION("1", "2") },
	{ "../works/a.sym", "x", 1, 1, "", "\"artifactLocation\":{\"uri\":\"file://ROOT/works/a.sym\"}" REGION("1", "2") },
	{ "no/../b.sym", "x", 1, 1, "", HERE("no/../b.sym") REGION("1", "2") },
	{ "..a.sym", "x", 1, 1, "", HERE("..a.sym") REGION("1", "2") },
	{ "a.bin", NULL, 1, 4, "", HERE("a.bin") ",\"region\":{\"byteOffset\":99,\"byteLength\":4}" },
	{ "a.sym", "x", 1, 1, "main", HERE("a.sym") REGION("1", "2") "},\"logicalLocations\":"
	  "[{\"fullyQualifiedName\":\"main\",\"kind\":\"function\"}]" },
};

/* `text` with the root of the folder in place of ROOT. */
static const char *
rooted(const char *text, struct arena *arena)
{
	const char *at = strstr(text, "ROOT");
	char real[4096];

	return at == NULL || realpath(root, real) == NULL ? text
		: arena_format(arena, "%.*s%s%s", (int)(at - text), text, real, at + 4);
}

TEST(places)
{
	const struct policy policy = { 0 };
	struct arena arena = { 0 };
	char was[4096];

	if (getcwd(was, sizeof(was)) == NULL || !folder_make())
		exit(1);
	put_text("a.sym", "");
	put_text("works/a.sym", "");
	put_text("work/in/a.sym", "");
	put_text("work/below/a.sym", "");
	if (chdir(path_in("work")) != 0)
		exit(1);
	for (size_t i = 0; i < ARRAY_COUNT(locations); i++) {
		const char *line = locations[i].line, *expected = rooted(locations[i].expected, &arena);
		const struct place place = { .line = line != NULL ? 7 : 0, .column = locations[i].column,
					     .offset = 99, .length = locations[i].length };
		struct output_string string;
		struct json json;

		output_string_init(&string, &arena);
		json_begin(&json, &string.output, false);
		sarif_location(&json, locations[i].path, line != NULL ? text_of(line) : (struct text){ 0 }, place,
			       text_of(locations[i].function), &policy);
		json_finish(&json);
		is_str(string.text, arena_format(&arena, "{\"physicalLocation\":{%s%s}\n", expected,
						 locations[i].function[0] != '\0' ? "" : "}"), "location %zu", i);
	}
	ok(chdir(was) == 0, "the test returns to its directory");
	folder_remove();
	arena_free(&arena);
}

TEST(log)
{
	static const char *const logs[] = { "0,\"workingDirectory\":{\"uri\":\"file:///a%20b/\"}", "3,\"workingDirectory\":{\"uri\":\"file:///\"}" };
	struct arena arena = { 0 };

	for (int i = 0; i < 2; i++) {
		struct output_string string;
		struct json json;

		output_string_init(&string, &arena);
		json_begin(&json, &string.output, false);
		sarif_begin(&json, "tool", "1.2");
		sarif_rule(&json, "code", "wrong", "helps", "note");
		sarif_results(&json);
		sarif_result(&json, "code", 4, "warning", "message");
		sarif_fingerprint(&json, 0xabc);
		json_object_end(&json);
		sarif_end(&json, i == 0, i == 0 ? "/a b" : "/", 3 * i, i == 1);
		json_finish(&json);
		is_str(string.text, arena_format(&arena,
		       "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\","
		       "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"tool\",\"version\":\"1.2\",\"rules\":[{\"id\":\"code\","
		       "\"shortDescription\":{\"text\":\"wrong\"},\"help\":{\"text\":\"helps\"},\"defaultConfiguration\":{\"level\":\"note\"}}]}},"
		       "\"columnKind\":\"utf16CodeUnits\",\"results\":[{\"ruleId\":\"code\",\"ruleIndex\":4,\"kind\":\"fail\",\"level\":\"warning\","
		       "\"message\":{\"text\":\"message\"},\"partialFingerprints\":{\"unspool/v1\":\"0000000000000abc\"}}],"
		       "\"invocations\":[{\"executionSuccessful\":%s,\"exitCode\":%s}],\"originalUriBaseIds\":"
		       "{\"WORKINGDIRECTORY\":{%s},\"properties\":{\"complete\":%s}}]}\n", i == 0 ? "true" : "false", logs[i],
		       logs[i] + strlen("0,\"workingDirectory\":{"), i == 0 ? "false" : "true"), "a whole log: %d", i);
	}
	arena_free(&arena);
}

/* The help of a rule is the effect of its code, what other programs do, and a hint; totals count files of each kind. */
TEST(lint)
{
	static const char *const parts[] = {
		"[{\"id\":\"unreadable\",\"shortDescription\":{\"text\":\"the file cannot be read\"},\"help\":{\"text\":"
		"\"frames of the module have no names and are found by scanning.\"},\"defaultConfiguration\":{\"level\":\"error\"}}",
		"the file is UTF-16\"},\"help\":{\"text\":\"no record can be read: frames of the module have no names and are found by "
		"scanning. rust-minidump: refuses the whole file. Help: save it as UTF-8 without a byte order mark\"}",
		"\"the MODULE record is not recognised. Breakpad: counts one bad record and continues. rust-minidump: refuses the whole "
		"file. Help: save it as UTF-8 without a byte order mark\"",
		"\"the records after this point are missing. Help: compare its size with the original\"",
		"\"message\":{\"text\":\"the file is UTF-16\"}", "\"message\":{\"text\":\"a byte is NUL: why\"}",
		"{\"unspool/v1\":\"0000000000000001\"},\"baselineState\":\"new\"},",
		"{\"unspool/v1\":\"0000000000000002\"},\"occurrenceCount\":1,\"baselineState\":\"new\"},{\"ruleId\":\"utf16\",",
		"{\"unspool/v1\":\"0000000000000001\"}},", "{\"unspool/v1\":\"0000000000000002\"},\"occurrenceCount\":1}],",
	};
	static struct lint_finding findings[] = { { .code = LINT_UTF16, .text = "", .fingerprint = 1 },
						  { .code = LINT_NUL_BYTE, .text = "why", .fingerprint = 2, .times = 1 } };
	static struct lint files[] = {
		{ .findings = findings, .finding_count = 2, .counts = { [LINT_UTF16] = 1, [LINT_NUL_BYTE] = 1 }, .lines = 5 },
		{ .lines = 1, .known = 1, .accepted = { [LINT_UTF16] = 2 } },
		{ .counts = { [LINT_UNREADABLE] = 1, [LINT_BLANK_LINE] = 3 } }, { .counts = { [LINT_OTHER_FILE] = 2 } } };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct lint_totals totals = { 0 };
	struct output_string string;
	struct arena arena = { 0 };
	struct json json;

	output_string_init(&string, &arena);
	json_begin(&json, &string.output, false);
	lint_report_sarif_begin(&json, "1.2");
	for (int i = 1; i >= 0; i--)
		lint_report_sarif(&files[0], "a.sym", i, &policy, &json);
	sarif_end(&json, true, "/", 0, true);
	json_finish(&json);
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		ok(strstr(string.text, parts[i]) != NULL, "a log of lint has %s", parts[i]);
	static const char *const lines[] = {
		"1 file, 0 without findings, 0 unreadable; 2 errors, 0 warnings, 0 notes; 5 lines\n",
		"2 files, 1 without findings, 0 unreadable; 2 errors, 0 warnings, 0 notes, 3 left out; 6 lines\n",
		"3 files, 1 without findings, 1 unreadable; 3 errors, 0 warnings, 3 notes, 3 left out; 6 lines\n",
		"4 files, 1 without findings, 2 unreadable; 5 errors, 0 warnings, 3 notes, 3 left out; 6 lines\n"
		"  findings    files  severity  code\n         1        1  error     unreadable\n"
		"         1        1  error     utf16\n         2        1  error     other-file\n"
		"         1        1  error     nul-byte\n         3        1  note      blank-line\n" };
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		output_string_init(&string, &arena);
		lint_totals_add(&totals, &files[i]);
		lint_report_totals(&totals, &string.output);
		ok(strncmp(string.text, lines[i], strlen(lines[i])) == 0, "the totals of %zu: %s", i, string.text);
		ok(totals.partial == (i >= 2), "whether findings of %zu are not listed", i);
	}
	arena_free(&arena);
}

/* A line and a caret under the place, which may be after the end of the line; a long line is cut at both ends. */
TEST(lint_lines)
{
	static const struct {
		uint32_t column, length;
		size_t skipped;		/* bytes that are not shown; SIZE_MAX: no line */
		int blanks;		/* columns before the caret */
		const char *carets;
	} cases[] = {
		{ 0, 0, 0, 0, "^" }, { 1, 1, 0, 0, "^" }, { 3, 4, 0, 2, "^~~~" }, { 61, 1, 0, 60, "^" }, { 62, 2, 1, 62, "^~" },
		{ 97, 9, 36, 62, "^~~~" }, { 100, 2, 39, 62, "^" }, { 101, 2, 40, 62, "^" }, { 160, 1, 99, 3, "^" },
		{ 161, 1, SIZE_MAX, 0, "" },
	};
	struct arena arena = { 0 };
	char line[101] = "";

	for (size_t i = 0; i < 100; i++)
		line[i] = (char)('0' + i % 10);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct output_string string;
		output_string_init(&string, &arena);
		lint_write_line(&string.output, (struct text){ line, 100 },
				(struct place){ .line = 7, .column = cases[i].column, .length = cases[i].length });
		is_str(string.text, cases[i].skipped == SIZE_MAX ? "" : arena_format(
			&arena, "      7 | %s%s\n        | %*s%s\n", cases[i].skipped > 0 ? ".." : "", line + cases[i].skipped,
			cases[i].blanks, "", cases[i].carets), "the line and the caret of case %zu", i);
	}
	arena_free(&arena);
}
