/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>

#include "base/text.h"
#include "tests/lib/tap.h"

static const struct {
	const char *bytes;
	size_t length, taken;
	uint32_t character;
} decode[] = {
	{ "A", 1, 1, 'A' }, { "\xc3\xa9", 2, 2, 0xe9 }, { "\xe2\x82\xac", 3, 3, 0x20ac },
	{ "\xf0\x9f\x98\x80", 4, 4, 0x1f600 }, { "\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff },
	{ "\xf4\x90\x80\x80", 4, 0, 0 },	/* above U+10FFFF */
	{ "\xc0\xaf", 2, 0, 0 },		/* overlong '/' */
	{ "\xe0\x80\xaf", 3, 0, 0 }, { "\xf0\x80\x80\xaf", 4, 0, 0 },
	{ "\xed\xa0\x80", 3, 0, 0 },		/* U+D800 */
	{ "\xe2\x82", 2, 0, 0 },		/* ends too soon */
	{ "\xe2\x82\x41", 3, 0, 0 }, { "\x80", 1, 0, 0 }, { "\xff", 1, 0, 0 }, { "", 0, 0, 0 },
};

TEST_EACH(decode, decode)
{
	uint32_t character = 0;

	is_u64(text_decode(decode[i].bytes, decode[i].length, &character), decode[i].taken,
	       "bytes %zu take as many bytes as their form says", i);
	is_u64(character, decode[i].character, "bytes %zu have their value", i);
}

TEST(encode)
{
	static const uint32_t edges[] = { 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff };
	char bytes[4];

	is_u64(text_encode(0x20ac, bytes), 3, "the euro sign takes three bytes");
	ok(memcmp(bytes, "\xe2\x82\xac", 3) == 0, "the bytes of the euro sign are those of the standard");
	for (size_t i = 0; i < ARRAY_COUNT(edges); i++) {
		uint32_t back = 0;
		size_t length = text_encode(edges[i], bytes);

		ok(text_decode(bytes, length, &back) == length && back == edges[i], "U+%04X is read back as itself", edges[i]);
	}
}

static const struct {
	const char *what, *name, *visible;
} hostile[] = {
	{ "a plain name", "std::vector<int>", "std::vector<int>" }, { "a Windows path", "c:\\test_app.cc", "c:\\test_app.cc" },
	{ "an accented letter", "\xc3\xa9", "\xc3\xa9" }, { "an escape sequence", "\x1b[31mred", "\\x1b[31mred" },
	{ "a title sequence", "\x1b]0;x\x07", "\\x1b]0;x\\x07" },
	{ "a carriage return", "ABC\rX", "ABC\\x0dX" }, { "a backspace", "A\bB", "A\\x08B" },
	{ "a tab and a line feed", "A\tB\nC", "A\\x09B\\x0aC" }, { "DEL", "\x7f", "\\x7f" },
	{ "a C1 control in UTF-8", "\xc2\x9b" "31m", "\\u009b31m" }, { "a raw C1 byte", "\x9b" "31m", "\\x9b31m" },
	{ "a right-to-left override", "a\xe2\x80\xae" "cc.exe", "a\\u202ecc.exe" }, { "an isolate", "\xe2\x81\xa6", "\\u2066" },
	{ "a zero-width space", "a\xe2\x80\x8b" "b", "a\\u200bb" }, { "a byte order mark", "\xef\xbb\xbf" "a", "\\ufeffa" },
	{ "a line separator", "\xe2\x80\xa8", "\\u2028" }, { "a soft hyphen", "a\xc2\xad", "a\\u00ad" },
	{ "a tag character", "\xf3\xa0\x80\x81", "\\U000e0001" },
	{ "a noncharacter", "\xef\xbf\xbe", "\\ufffe" }, { "an overlong form", "\xc0\xaf", "\\xc0\\xaf" },
	{ "a surrogate in UTF-8", "\xed\xa0\x80", "\\xed\\xa0\\x80" }, { "a mark on a letter", "e\xcc\x81", "e\xcc\x81" },
	{ "a mark on nothing", "\xcc\x81" "e", "\\u0301e" }, { "an ideograph", "\xe6\xbc\xa2", "\xe6\xbc\xa2" },
};

TEST(printable)
{
	char buffer[64];

	for (size_t i = 0; i < ARRAY_COUNT(hostile); i++) {
		text_printable(buffer, sizeof(buffer), text_of(hostile[i].name));
		is_str(buffer, hostile[i].visible, "%s is made printable", hostile[i].what);
	}
	is_u64(text_printable_length(text_of("c:\\a\x1b")), 4, "the printable part ends at an escape");
	is_u64(text_printable_length(text_of("\xc3\xa9\\")), 3, "the printable part ends at the end of the text");
	is_u64(text_printable_length(text_of("\x9b")), 0, "the printable part is empty if the text begins with a C1 byte");
	is_u64(text_printable(buffer, sizeof(buffer), (struct text){ "a\0b", 3 }), 6, "a NUL inside is shown");
	is_u64(text_printable(buffer, 6, text_of("abc\x1b")), 3, "an escape that does not fit is skipped whole");
	is_str(buffer, "abc", "the text before a skipped escape is terminated");
	is_u64(text_printable(buffer, 3, text_of("\xc3\xa9\xc3\xa9")), 2, "a character that does not fit is skipped whole");
	is_u64(text_printable(buffer, 0, text_of("abc")), 0, "a buffer of no bytes gets no text");
}

/* No sequence of one, two or three bytes of a file reaches the terminal as a control character. */
TEST(all_bytes)
{
	char buffer[64], bytes[3];
	unsigned bad = 0;

	for (unsigned value = 0; value < 1u << 16; value++) {
		bytes[0] = (char)(value >> 8);
		bytes[1] = (char)value;
		bytes[2] = (char)(value * 7);
		size_t length = text_printable(buffer, sizeof(buffer), (struct text){ bytes, 3 });
		uint32_t character;

		for (size_t i = 0, taken; i < length; i += taken) {
			taken = text_decode(buffer + i, length - i, &character);
			bad += taken == 0 || character < 0x20 || (character >= 0x7f && character < 0xa0);
			if (taken == 0)
				break;
		}
	}
	is_u64(bad, 0, "no two bytes result in a control or an invalid byte");
}

TEST(printable_copy)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(hostile); i++) {
		/* No byte after the text may be read. */
		size_t length = strlen(hostile[i].name);
		char *exact = malloc(length);

		memcpy(exact, hostile[i].name, length);
		is_str(text_printable_copy(&arena, (struct text){ exact, length }),
		       hostile[i].visible, "the copy of %s is visible", hostile[i].what);
		free(exact);
	}
	is_str(text_printable_copy(&arena, (struct text){ "", 0 }), "", "the copy of an empty text is empty");
	arena_free(&arena);
	arena_init(&arena, 1);
	ok(text_printable_copy(&arena, text_of("a long name, longer than one byte")) == NULL, "a full arena gives no copy");
	arena_free(&arena);
}

TEST(width)
{
	static const struct {
		const char *what;
		uint32_t character;
		unsigned width;
	} cases[] = {
		{ "a letter", 'A', 1 },		    { "an accented letter", 0xe9, 1 },
		{ "an acute mark", 0x301, 0 },	    { "an arrow", 0x2192, 1 }, { "an ideograph", 0x6f22, 2 },	    { "a kana", 0x3042, 2 },
		{ "a voicing mark", 0x3099, 0 },    { "a Hangul syllable", 0xd55c, 2 },
		{ "a Hangul vowel", 0x1161, 0 },    { "a full-width letter", 0xff21, 2 },
		{ "a half-width kana", 0xff71, 1 }, { "a smiling face", 0x1f600, 2 },
		{ "an ambiguous circle", 0x25cb, 1 }, { "a box line", 0x2502, 1 },
		{ "a Devanagari sign", 0x0941, 0 }, { "an ideograph of plane 2", 0x20000, 2 }, { "the replacement character", 0xfffd, 1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_u64(text_character_width(cases[i].character), cases[i].width, "%s takes %u columns", cases[i].what, cases[i].width);
	is_u64(text_width(text_of("a\xe6\xbc\xa2" "e\xcc\x81")), 4, "the width of a text is the sum over its characters");
	is_u64(text_width((struct text){ "\xff\xfe", 2 }), 2, "invalid bytes count one each");
}

TEST(edits)
{
	/* Edits from `a` to `b`; 0: the words are not near, or one has more than 32 bytes. */
	static const struct {
		const char *a, *b;
		size_t edits;
	} cases[] = {
		{ "summry", "summary", 1 }, { "wlak", "walk", 1 }, { "walkk", "walk", 1 },
		{ "welk", "walk", 1 }, { "", "walk", 0 }, { "lkaw", "walk", 0 },
		{ "kitten", "sitting", 0 }, { "abcdefghi", "abcxefyhi", 2 }, { "ab", "ba", 0 },
		{ "12345678901234567890123456789012", "1234567890123456789012345678901", 1 },
		{ "123456789012345678901234567890123", "12345678901234567890123456789012", 0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		for (int back = 0; back < 2; back++) {
			const char *typed = back ? cases[i].b : cases[i].a;
			struct text_near near = text_near(text_of(typed));
			const bool offered = text_near_offer(&near, text_of(back ? cases[i].a : cases[i].b));

			is_u64(offered ? near.edits : 0, cases[i].edits,
			       "the edits from '%s' to '%s'%s are counted", cases[i].a, cases[i].b, back ? " and back" : "");
		}
	}
}

TEST(near)
{
	struct text_near near = text_near(text_of("sumary"));

	ok(!text_near_offer(&near, text_of("quit")), "another word is not near");
	ok(text_near_offer(&near, text_of("summaries")) == false, "a word with too many edits is not near");
	ok(text_near_offer(&near, text_of("sugery")), "a word with few edits is near");
	ok(text_near_offer(&near, text_of("summary")), "a word with fewer edits is nearer");
	ok(!text_near_offer(&near, text_of("summery")), "a later word replaces an earlier one only if it is nearer");
}

TEST(fit)
{
	const char *wide = "\xe6\xbc\xa2\xe5\xad\x97";

	is_u64(text_fit(text_of(wide), 3), 3, "half of a wide character does not fit");
	is_u64(text_fit(text_of(wide), 4), 6, "two wide characters fit into four columns");
	is_u64(text_fit(text_of("e\xcc\x81x"), 1), 3, "a mark stays with its letter");
	is_u64(text_fit(text_of("abc"), 0), 0, "nothing fits into no columns");
}

TEST(cut)
{
	static const struct {
		const char *what, *text;
		size_t columns;
		bool middle;
		const char *cut;
	} cases[] = {
		{ "text that fits is complete", "abcdef", 6, true, "abcdef" }, { "the end is cut", "abcdef", 4, false, "abc~" },
		{ "the middle is cut", "abcdefgh", 5, true, "ab~gh" },
		{ "the beginning gets the odd column", "abcdefgh", 6, true, "abc~gh" },
		{ "one column holds the mark", "abcdef", 1, true, "~" }, { "no text fits into no columns", "abcdef", 0, true, "" },
		{ "a wide character is not halved", "\xe6\xbc\xa2\xe5\xad\x97z", 4, false, "\xe6\xbc\xa2~" },
		{ "a mark does not begin the end", "abcde\xcc\x81" "f", 3, true, "a~f" },
	};
	char buffer[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		text_cut(buffer, sizeof(buffer), text_of(cases[i].text), cases[i].columns, cases[i].middle, "~");
		is_str(buffer, cases[i].cut, "%s", cases[i].what);
	}
	is_u64(text_cut(buffer, 4, text_of("abcdef"), 6, true, "~"), 3, "a small buffer cuts further");
	is_str(buffer, "abc", "the text in a small buffer is terminated");
}

TEST(cut_names)
{
	static const struct {
		const char *what, *name;
		size_t columns;
		const char *cut;
	} cases[] = {
		{ "a name that fits is complete", "std::vector<int>::push_back(int)", 32, "std::vector<int>::push_back(int)" },
		{ "the suffixes of clones go first",
		  "list<int>::process(int) [clone .constprop.0] [clone .isra.0]", 59, "list<int>::process(int) [~]" },
		{ "suffixes go before template arguments and parameters",
		  "list<int>::process(int) [clone .constprop.0] [clone .isra.0]", 23, "list<~>::process(~) [~]" },
		{ "an offset after a suffix stays", "process(int) [clone .cold] + 0x8", 30, "process(int) [~] + 0x8" },
		{ "a bracket that is not closed is no suffix", "process(int) [clone .cold", 24, "process(~) [clone .cold" },
		{ "template arguments go first", "std::vector<int>::push_back(int)", 31, "std::vector<~>::push_back(int)" },
		{ "the innermost template arguments go before those around them",
		  "std::map<int, std::vector<char> >::at(int)", 41, "std::map<int, std::vector<~> >::at(int)" },
		{ "template arguments of one depth go together",
		  "ns::Map<ns::List<int>, ns::List<char> >::at(int)", 43, "ns::Map<ns::List<~>, ns::List<~> >::at(int)" },
		{ "the outer template arguments go after the inner ones",
		  "std::map<int, std::vector<char> >::at(int)", 38, "std::map<~>::at(int)" },
		{ "parameters go next, and arguments that fit come back",
		  "std::map<int, std::vector<char> >::at(std::string const&)", 30, "std::map<~>::at(~)" },
		{ "the beginning goes next, with any return type",
		  "void std::__move_median_to_first<Iterator, Compare>(Iterator)", 32, "voi~__move_median_to_first<~>(~)" },
		{ "the text after the name goes next", "void ns::move_median_to_first<Iterator>(Iterator)", 23, "move_median_to_first<~~" },
		{ "the name itself is cut last, in its middle", "ns::move_median_to_first(int)", 11, "move_~first" },
		{ "an operator's brackets are not those of a template",
		  "std::ostream& ns::operator<<(std::ostream&, std::vector<int> const&)", 26, "std::ostream~operator<<(~)" },
		{ "an arrow is not a bracket of a template",
		  "ns::Handle<Node<int> >::operator->() const", 36, "ns::Handle<~>::operator->() const" },
		{ "the call operator is not a parameter list",
		  "ns::Compare<int>::operator()(int, int) const", 35, "ns::Compare<~>::operator()(~) const" },
		{ "an anonymous namespace stays", "(anonymous namespace)::run(int, int)", 30, "(anonymous namespace)::run(~)" },
		{ "a lambda has the name of its function", "app::Server::start(Config const&)::{lambda(int)#1}::operator()(int) const",
		  52, "app::Se~start(~)::{lambda(~)#1}::operator()(~) const" },
		{ "a closure of Rust has the name of its function",
		  "<alloc::vec::Vec<T> as app::Source>::fetch::{{closure}}", 25, "<~>::fetch::{{closure}}" },
		{ "an offset stays after the name", "return to read_ledger + 0x36", 20, "r~read_ledger + 0x36" },
		{ "an offset goes before the name", "return to read_ledger + 0x36", 14, "read_ledger +~" },
		{ "the mark of a guess stays when an offset is cut", "ns::start + 0x5 (?)", 11, "start +~(?)" },
		{ "the mark of a guess stays with any cut", "ns::move_median + 0x5 (?)", 9, "move_~(?)" },
		{ "a bracket that nothing closes is a character", "broken<int::name", 12, "broken~:name" },
	};
	char buffer[96];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		text_cut_name(buffer, sizeof(buffer), text_of(cases[i].name), cases[i].columns, "~");
		is_str(buffer, cases[i].cut, "%s", cases[i].what);
	}
	unsigned wide = 0;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		for (size_t columns = 0; columns < 60; columns++) {
			text_cut_name(buffer, sizeof(buffer), text_of(cases[i].name), columns, "~");
			wide += text_width(text_of(buffer)) > columns;
			text_cut_name(buffer, sizeof(buffer), text_of(cases[i].name), columns, "\xe2\x80\xa6");
			wide += text_width(text_of(buffer)) > columns;
		}
	is_u64(wide, 0, "no name gets more columns than it may have");
	text_cut_name(buffer, sizeof(buffer), text_of("\xe6\xbc\xa2\xe5\xad\x97 (?)"), 6, "~");
	is_str(buffer, "\xe6\xbc\xa2~(?)", "a wide letter is counted as it is");
	text_cut_name(buffer, sizeof(buffer), text_of("ns::move_median(int)"), 13, "\xe2\x80\xa6");
	is_str(buffer, "move_median(\xe2\x80\xa6", "a wide mark has its room");
	is_u64(text_cut_name(buffer, 8, text_of("ns::move_median<int>"), 18, "~"), 5, "a small buffer cuts further");
}

TEST(utf16)
{
	static const struct {
		const char *what;
		uint8_t bytes[8];
		size_t units;
		bool big, stop;
		const char *utf8;
	} cases[] = {
		{ "little-endian letters", { 'A', 0, 0xe9, 0 }, 2, false, false, "A\xc3\xa9" },
		{ "big-endian letters", { 0, 'A', 0x20, 0xac }, 2, true, false, "A\xe2\x82\xac" },
		{ "a surrogate pair", { 0x3d, 0xd8, 0, 0xde }, 2, false, false, "\xf0\x9f\x98\x80" },
		{ "a lone high surrogate", { 0x3d, 0xd8, 'A', 0 }, 2, false, false, "\xef\xbf\xbd" "A" },
		{ "a high surrogate at the end", { 'A', 0, 0x3d, 0xd8 }, 2, false, false, "A\xef\xbf\xbd" },
		{ "a lone low surrogate", { 0, 0xde, 'A', 0 }, 2, false, false, "\xef\xbf\xbd" "A" },
		{ "a NUL that ends", { 'A', 0, 0, 0, 'B', 0 }, 3, false, true, "A" },
		{ "a NUL that does not", { 'A', 0, 0, 0, 'B', 0 }, 3, false, false, "A\xef\xbf\xbd" "B" },
		{ "no units", { 0 }, 0, false, false, "" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(text_from_utf16(&arena, cases[i].bytes, cases[i].units, cases[i].big, cases[i].stop),
		       cases[i].utf8, "the UTF-16 text becomes UTF-8: %s", cases[i].what);
	arena_free(&arena);
}

TEST(drop)
{
	struct text name = text_of("__GI_read64");

	ok(text_drop_prefix(&name, "__GI_") && text_equal(name, text_of("read64")), "a prefix is dropped");
	ok(text_drop_suffix(&name, "64") && text_equal(name, text_of("read")), "a suffix is dropped");
	ok(!text_drop_prefix(&name, "rex") && !text_drop_suffix(&name, "_ead"),
	   "a prefix or suffix that the name does not have is not dropped");
	ok(!text_drop_prefix(&name, "read") && !text_drop_suffix(&name, "read") &&
	   !text_drop_prefix(&name, "reading") && name.length == 4, "a name is never dropped whole");
	ok(text_begins(name, (const char *const[]){ "red", "reads", "re", "r" }, 4) == 2 &&
	   text_begins(name, (const char *const[]){ "ead" }, 1) == 0, "the first word that the name begins with counts");
}

TEST(lines)
{
	static const char *const lines[] = { "one", "", "two" };
	struct text rest = text_of("one\n\ntwo"), line;
	size_t taken = 0, right = 0;

	while (text_take_line(&rest, &line)) {
		right += taken < ARRAY_COUNT(lines) && text_equal(line, text_of(lines[taken]));
		taken++;
	}
	ok(taken == 3 && right == 3, "lines are taken in order, empty ones and a last one without its feed");
	rest = text_of("one\n");
	ok(text_take_line(&rest, &line) && !text_take_line(&rest, &line), "there is no line after the last line feed");
}

/* In ascending order; a byte counts as a number from 0 to 255. */
TEST(order)
{
	static const char *const words[] = { "", "A", "a", "aa", "ab", "b", "b\x01", "\x80", "\xff" };
	bool right = true;

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		for (size_t j = 0; j < ARRAY_COUNT(words); j++) {
			const int order = text_order(text_of(words[i]), text_of(words[j]));
			right = right && (order > 0) - (order < 0) == (i > j) - (i < j);
		}
	ok(right, "texts are ordered by bytes, and the shorter comes first");
	ok(text_order((struct text){ NULL, 0 }, text_of("")) == 0, "two empty texts are the same");
}

int
main(void)
{
	ok(text_equal(text_of("ab"), (struct text){ "abc", 2 }), "equal bytes are equal");
	ok(!text_equal(text_of("ab"), text_of("abc")), "a prefix is not equal");
	ok(text_equal((struct text){ NULL, 0 }, text_of("")), "two empty texts are equal");
	setlocale(LC_ALL, "");
	run_tests();
	return done_testing();
}
