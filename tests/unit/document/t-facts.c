/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/facts.h"

#include "tests/lib/tap.h"

/* The schema of a table, by the words of JSON Schema 2020-12. */

static const char *const levels[] = { "Low", NULL, "High", "LOW" };
static const struct fact_names names = { levels, sizeof(levels[0]), ARRAY_COUNT(levels), true };
static const struct fact part[] = {
	{ "part", "a part", FACT_OBJECT_TITLE, 0, NULL, NULL, NULL }, { "size", NULL, FACT_ORDINAL, 0, NULL, NULL, NULL }, { 0 },
}, other[] = {
	{ "other", NULL, FACT_OBJECT_TITLE, 0, NULL, NULL, NULL }, { 0 },
}, inserted[] = {
	{ "inserted", NULL, FACT_OBJECT_TITLE, 0, NULL, NULL, NULL },
	{ "lower", "no capitals", FACT_LOWER, FACT_OR_NULL, NULL, NULL, NULL }, { 0 },
}, whole[] = {
	{ "whole", "all of it", FACT_OBJECT_TITLE, 0, NULL, NULL, NULL }, { "level", NULL, FACT_WORD, FACT_OR_NULL, NULL, NULL, &names },
	{ "pc", NULL, FACT_HEX, 0, NULL, NULL, NULL }, { "", NULL, FACT_IF, 0, NULL, NULL, NULL },
	{ "share", NULL, FACT_FRACTION, 0, NULL, NULL, NULL }, { "id", NULL, FACT_NUMBER_OR_STRING, 0, NULL, NULL, NULL },
	{ "", NULL, FACT_END_IF, 0, NULL, NULL, NULL }, { "", NULL, FACT_MEMBERS, 0, inserted, NULL, NULL },
	{ "parts", NULL, FACT_OBJECT, FACT_LIST | FACT_OR_NULL, part, NULL, NULL },
	{ "one", NULL, FACT_OBJECT, FACT_OR_NULL, part, other, NULL }, { "counts", NULL, FACT_NUMBER, FACT_MAP, NULL, NULL, &names },
	{ "flags", NULL, FACT_BOOL, FACT_LIST, NULL, NULL, NULL }, { 0 },
};

#define HEAD(type, command) \
	"{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\"$id\": \"urn:unspool:" command \
	":1\",\"title\": \"a title\",\"" type "\": "
#define CLOSED "\"additionalProperties\": false,\"properties\": "
#define PART "\"part\": {\"description\": \"a part\",\"type\": \"object\",\"required\": [\"size\"]," CLOSED
#define PART_END "{\"size\": {\"type\": \"integer\",\"minimum\": 1}"

static void
is_schema(const struct fact *object, bool list, const char *want, const char *title)
{
	struct arena arena = { 0 };
	struct output_string string;
	char *to;

	output_string_init(&string, &arena);
	facts_schema(&string.output, list ? "many" : "one", "a title", object, list);
	to = string.text;
	for (const char *at = string.text; *at != '\0';) {
		if (*at == '\n')
			at += 1 + strspn(at + 1, " ");
		else
			*to++ = *at++;
	}
	*to = '\0';
	is_str(string.text, want, "%s", title);
	arena_free(&arena);
}

int
main(void)
{
	is_schema(whole, false, HEAD("description", "one") "\"all of it\",\"type\": \"object\","
		  "\"required\": [\"level\",\"pc\",\"lower\",\"parts\",\"one\",\"counts\",\"flags\"]," CLOSED
		  "{\"level\": {\"enum\": [\"low\",\"high\",null]},"
		  "\"pc\": {\"type\": \"string\",\"pattern\": \"^0x[0-9a-f]{1,16}$\"},"
		  "\"share\": {\"type\": \"number\",\"minimum\": 0,\"maximum\": 1},\"id\": {\"type\": [\"integer\",\"string\"]},"
		  "\"lower\": {\"description\": \"no capitals\",\"type\": [\"string\",\"null\"],\"pattern\": \"^[^A-Z]*$\"},"
		  "\"parts\": {\"type\": [\"array\",\"null\"],\"items\": {\"$ref\": \"#/$defs/part\"}},"
		  "\"one\": {\"anyOf\": [{\"$ref\": \"#/$defs/part\"},{\"$ref\": \"#/$defs/other\"},{\"type\": \"null\"}]},"
		  "\"counts\": {\"type\": \"object\",\"propertyNames\": {\"enum\": [\"low\",\"high\"]},"
		  "\"additionalProperties\": {\"type\": \"integer\",\"minimum\": 0}},"
		  "\"flags\": {\"type\": \"array\",\"items\": {\"type\": \"boolean\"}},"
		  "\"sandbox\": {\"description\": \"what restricted this run, if not both Landlock (files) and "
		  "seccomp (system calls)\",\"enum\": [\"none\",\"landlock\",\"seccomp\"]}},"
		  "\"$defs\": {" PART PART_END "}},\"other\": {\"type\": \"object\",\"required\": []," CLOSED "{}}}}",
		  "a table of facts has one schema: types, members that are required, names once, shared objects");
	is_schema(part, true, HEAD("type", "many") "\"array\",\"items\": {\"$ref\": \"#/$defs/part\"},"
		  "\"$defs\": {" PART PART_END "}}}}", "a document may be a list of objects");
	return done_testing();
}
