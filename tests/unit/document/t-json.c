/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/json.h"

#include "tests/lib/tap.h"

struct scene {
	struct arena arena;
	struct output_string string;
	struct json json;
};

static struct json *
begin(struct scene *scene, bool pretty)
{
	arena_init(&scene->arena, 0);
	output_string_init(&scene->string, &scene->arena);
	json_begin(&scene->json, &scene->string.output, pretty);
	return &scene->json;
}

static void
end(struct scene *scene, const char *want, const char *title)
{
	json_finish(&scene->json);
	is_str(scene->string.text, want, "%s", title);
	arena_free(&scene->arena);
}

TEST(escapes)
{
	struct scene scene;

	json_string(begin(&scene, false), NULL, "a\"b\\c/d\b\f\n\r\t\x01\x1f\x7f");
	end(&scene, "\"a\\\"b\\\\c/d\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"\n",
	    "characters that RFC 8259 names are escaped, by a letter if one exists");
	json_string(begin(&scene, false), NULL, "\xc2\x85 \xe2\x80\xa8 \xe2\x80\xa9 \xe2\x82\xac");
	end(&scene, "\"\\u0085 \\u2028 \\u2029 \xe2\x82\xac\"\n", "C1 controls and line separators are escaped, other characters pass");
	json_string(begin(&scene, false), NULL, "\xe2\x80\xae \xe2\x81\xa9 \xd8\x9c \xd8\x9d");
	end(&scene, "\"\\u202e \\u2069 \\u061c \xd8\x9d\"\n", "marks that turn the direction of text are escaped");
	json_string(begin(&scene, false), NULL, "a\xe2\x80\x8b" "b\xf3\xa0\x81\xa1" "c\xef\xbb\xbf\xf3\xa0\xbf\xbf");
	end(&scene, "\"a\\u200bb\\udb40\\udc61c\\ufeff\\udb43\\udfff\"\n",
	    "characters without a width are escaped, tags as two surrogates");
	json_string(begin(&scene, false), NULL, "\xf0\x9f\x98\x80");
	end(&scene, "\"\xf0\x9f\x98\x80\"\n", "a character outside the basic plane passes");
	json_string(begin(&scene, false), NULL, NULL);
	end(&scene, "null\n", "a missing string is null");
	json_text(begin(&scene, false), NULL, (struct text){ "a\0b", 3 });
	end(&scene, "\"a\\u0000b\"\n", "a NUL byte is escaped");
}

static const struct {
	const char *bytes, *want, *title;
} rows[] = {
	{ "a\xff" "b", "\"a\xef\xbf\xbd" "b\"\n", "a byte that is no UTF-8 is U+FFFD" },
	{ "\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"\n", "an overlong NUL is two U+FFFD" },
	{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n", "a surrogate is no character" },
	{ "x\xe2\x82", "\"x\xef\xbf\xbd\xef\xbf\xbd\"\n", "a cut character is no character" },
};

TEST_EACH(invalid_bytes, rows)
{
	struct scene scene;

	json_string(begin(&scene, false), NULL, rows[i].bytes);
	end(&scene, rows[i].want, rows[i].title);
}

TEST(numbers)
{
	struct scene scene;
	struct json *json = begin(&scene, false);

	json_array(json, NULL);
	json_number(json, NULL, UINT64_MAX);
	json_signed(json, NULL, INT64_MIN);
	json_hex(json, NULL, 0x40429e, 8);
	json_hex(json, NULL, UINT64_MAX, 8);
	json_hex(json, NULL, 0, 1);
	json_fraction(json, NULL, 105);
	json_fraction(json, NULL, 5);
	json_bool(json, NULL, true);
	json_bool(json, NULL, false);
	json_null(json, NULL);
	json_array_end(json);
	end(&scene, "[18446744073709551615,-9223372036854775808,\"0x0040429e\","
	    "\"0xffffffffffffffff\",\"0x0\",1.05,0.05,true,false,null]\n",
	    "numbers, addresses and words are written as JSON has them");
}

static void
fill(struct json *json)
{
	json_object(json, NULL);
	json_number(json, "a", 1);
	json_array(json, "b");
	json_array_end(json);
	json_object(json, "c");
	json_object_end(json);
	json_array(json, "d");
	json_object(json, NULL);
	json_string(json, "k\n", "v");
	json_object_end(json);
	json_number(json, NULL, 2);
	json_array_end(json);
	json_null(json, "e");
	json_object_end(json);
}

TEST(nesting)
{
	struct scene scene;

	fill(begin(&scene, false));
	end(&scene, "{\"a\":1,\"b\":[],\"c\":{},\"d\":[{\"k\\n\":\"v\"},2],\"e\":null}\n", "a document without blanks is one line");
	fill(begin(&scene, true));
	end(&scene, "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {},\n  \"d\": [\n    {\n"
	    "      \"k\\n\": \"v\"\n    },\n    2\n  ],\n  \"e\": null\n}\n",
	    "a pretty one has a member a line, two blanks a level");
}

TEST(depth)
{
	struct scene scene;
	struct json *json = begin(&scene, false);
	char want[2 * JSON_DEPTH + 2];
	size_t length = 0;

	for (int i = 0; i < JSON_DEPTH; i++) {
		json_array(json, NULL);
		want[length++] = '[';
	}
	for (int i = 0; i < JSON_DEPTH; i++) {
		json_array_end(json);
		want[length++] = ']';
	}
	want[length++] = '\n';
	want[length] = '\0';
	end(&scene, want, "the deepest nesting is written whole");
}

/* Examples of RFC 8259. */
static const struct {
	const char *text;
	bool array;
} inputs[] = {
	{ "[]", true }, { " [ ] \n", true }, { "[{}]", true }, { "[[],{\"a\":[]}]", true },
	{ "[1,-0.5e+10,true,false,null,\"\"]", true }, { "[{\"a\":1,\"b\":\"\\u00e4\\\"\"}]", true },
	{ "", false }, { "{}", false }, { "1", false }, { "[", false }, { "[1", false }, { "]", false },
	{ "[1,]", false }, { "[,1]", false }, { "[1 2]", false }, { "[]]", false }, { "[] x", false },
	{ "[01]", false }, { "[+1]", false }, { "[1.]", false }, { "[.5]", false }, { "[1e]", false },
	{ "[1e+-2]", false }, { "[tru]", false }, { "[trues]", false }, { "[\"]", false },
	{ "[\"\n\"]", false }, { "[\"\\x\"]", false }, { "[\"\\u12g4\"]", false }, { "[\"\xff\"]", false },
	{ "[\"\\", false }, { "[{1:2}]", false }, { "[{\"a\"}]", false }, { "[{\"a\":}]", false },
	{ "[{\"a\":1,}]", false }, { "[{]}", false }, { "[{,}]", false },
};

TEST(inputs)
{
	struct scene scene;
	struct json *json;
	char deep[2 * JSON_DEPTH + 3] = "";

	for (size_t i = 0; i < ARRAY_COUNT(inputs); i++)
		ok(json_is_array(text_of(inputs[i].text)) == inputs[i].array, "input %zu is %s array", i, inputs[i].array ? "an" : "no");
	memset(deep, '[', JSON_DEPTH);
	memset(deep + JSON_DEPTH, ']', JSON_DEPTH);
	ok(json_is_array(text_of(deep)), "the deepest nesting is read");
	memset(deep, '[', JSON_DEPTH + 1);
	memset(deep + JSON_DEPTH + 1, ']', JSON_DEPTH + 1);
	ok(!json_is_array(text_of(deep)), "nesting deeper than the limit is refused");
	json = begin(&scene, false);
	json_copy(json, NULL, text_of("[ \"a \\\" b\" ,\n{ \"c\\\\\" : 1 } , \"\xc2\x9b\"]\n"));
	end(&scene, "[\"a \\\" b\",{\"c\\\\\":1},\"\\u009b\"]\n",
	    "JSON of an input is written without blanks, and what steers a terminal is escaped");
}

TEST(members)
{
	static const char object[] = " { \"a\" : {\"b\":[1,{\"c\":\"}\"}]}, \"b\": -2.5e3 ,\"s\":\"\\u00e9\\ud83d\\ude00"
				     "\\ud800\\udc00\\ud83d x\\n\\\"\\\\\\/\" }";
	struct arena arena = { 0 };
	struct text value;

	ok(json_member(text_of(object), "a", &value) && text_equal(value, text_of("{\"b\":[1,{\"c\":\"}\"}]}")),
	   "a member may have members");
	ok(json_member(text_of(object), "b", &value) && text_equal(value, text_of("-2.5e3")),
	   "members of members are not those of the object");
	ok(!json_member(text_of(object), "c", &value), "a missing member is not found");
	ok(json_member(text_of(object), "s", &value), "a string is found");
	/* U+00E9, U+1F600, U+10000, half of a pair (RFC 8259, 7) */
	is_str(json_unquoted(value, &arena), "\xc3\xa9\xf0\x9f\x98\x80\xf0\x90\x80\x80\xef\xbf\xbd x\n\"\\/", "escapes are characters");
	ok(json_unquoted(text_of("12"), &arena) == NULL, "a number is no string");
	ok(json_unquoted(text_of("\""), &arena) == NULL, "a quotation mark is no string");
	ok(!json_member(text_of("{\"a\":[1,}"), "a", &value) && !json_member(text_of("{\"a\":[1"), "a", &value) &&
		   !json_member(text_of("{\"a\" 1}"), "a", &value) && !json_member(text_of("[1]"), "a", &value) &&
		   !json_member(text_of("{a:1}"), "a", &value) &&
		   !json_member(text_of(""), "a", &value), "damaged objects have no members");
	arena_free(&arena);
}
