/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/sarif.h"

#include "document/json.h"
#include "tests/lib/folder.h"

/* Locations and a log of SARIF 2.1.0: columns count UTF-16 units from 1, URIs are those of RFC 3986. */

#define HERE(uri) "\"artifactLocation\":{\"uri\":\"" uri "\",\"uriBaseId\":\"WORKINGDIRECTORY\"}"
#define REGION(first, last) ",\"region\":{\"startLine\":7,\"startColumn\":" first ",\"endColumn\":" last "}"

static const struct {
	const char *path, *line;	/* NULL: a place without a line */
	uint32_t column, length;	/* bytes */
	const char *function, *expected;
} locations[] = {
	{ "a.sym", "FUNC 1", 6, 1, "", HERE("a.sym") REGION("6", "7") },
	{ "a.sym", "FUNC 1", 6, 9, "", HERE("a.sym") REGION("6", "7") },
	{ "a.sym", "FUNC 1", 1, 6, "", HERE("a.sym") REGION("1", "7") },
	{ "a.sym", "FUNC 1", 0, 2, "", HERE("a.sym") REGION("1", "3") },
	{ "a.sym", "FUNC 1", 2, 0, "", HERE("a.sym") REGION("2", "2") },
	{ "a.sym", "FUNC 1", 7, 1, "", HERE("a.sym") REGION("7", "7") },
	{ "a.sym", "FUNC 1", 9, 1, "", HERE("a.sym") REGION("9", "9") },
	{ "a.sym", "", 1, 1, "", HERE("a.sym") REGION("1", "1") },
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
