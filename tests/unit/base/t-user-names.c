/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "base/output.h"
#include "base/user_names.h"
#include "tests/lib/tap.h"

static struct user_names names;
static struct arena arena;

static const char *
replaced(const char *text)
{
	const struct text shown = user_names_replace(&names, text_of(text), &arena);

	return arena_copy(&arena, shown.start, shown.length);
}

static void
begin(void)
{
	user_names_free(&names);
	arena_reset(&arena);
	names.active = true;
}

static const struct {
	const char *text, *shown;
} homes[] = {
	{ "/home/alice/x", "/home/user1/x" }, { "/home/alice", "/home/user1" }, { "/home//alice//x", "/home//user1//x" },
	{ "/var/home/alice/.cache", "/var/home/user1/.cache" }, { "/usr/home/alice/x", "/usr/home/user1/x" },
	{ "/export/home/alice/x", "/export/home/user1/x" }, { "/Users/alice/Library", "/Users/user1/Library" },
	{ "C:\\Users\\alice\\x.c", "C:\\Users\\user1\\x.c" }, { "c:/users/alice/x.c", "c:/users/user1/x.c" },
	{ "\\\\?\\C:\\Users\\alice\\x", "\\\\?\\C:\\Users\\user1\\x" },
	{ "\\Device\\HarddiskVolume3\\Users\\alice\\x", "\\Device\\HarddiskVolume3\\Users\\user1\\x" },
	{ "C:\\Documents and Settings\\alice\\x", "C:\\Documents and Settings\\user1\\x" },
	{ "C:\\Users\\Alice B. Smith\\x y\\z", "C:\\Users\\user1\\x y\\z" },
	{ "C:\\Users\\alice opened D:\\x", "C:\\Users\\user1 opened D:\\x" },
	{ "\\\\server\\Users\\alice\\x", "\\\\server\\Users\\user1\\x" },
	{ "/mnt/c/Users/alice/x", "/mnt/c/Users/user1/x" }, { "/c/Users/alice/x", "/c/Users/user1/x" },
	{ "/run/user/1000/bus", "/run/user/user1/bus" }, { "/run/media/alice/disk", "/run/media/user1/disk" }, { "/root/x", "/user1/x" },
	{ "file:///home/alice/x", "file:///home/user1/x" }, { "at '/home/alice'.", "at '/home/user1'." },
	{ "see /home/alice.", "see /home/user1." },
	{ "PATH=/bin:/home/alice/bin:/home/bob/bin", "PATH=/bin:/home/user1/bin:/home/user2/bin" },
	{ "-fdebug-prefix-map=/home/alice=.", "-fdebug-prefix-map=/home/user1=." },
	{ "/srv/chroot/home/alice/x", "/srv/chroot/home/user1/x" }, { "C:\\\\Users\\\\alice\\\\x", "C:\\\\Users\\\\user1\\\\x" },
	{ "/home/j\xc3\xbcrgen/x", "/home/user1/x" },
	/* No homes. */
	{ "/opt/tool/lib", "/opt/tool/lib" },
	{ "C:\\Users\\Public\\x", "C:\\Users\\Public\\x" }, { "/Users/Shared/x", "/Users/Shared/x" },
	{ "src/home/views/x.c", "src/home/views/x.c" },
	{ "/opt/src/users/models.c", "/opt/src/users/models.c" }, { "/opt/root/x", "/opt/root/x" },
	{ "/home/", "/home/" }, { "/home", "/home" }, { "/home/$USER/x", "/home/$USER/x" }, { "", "" }, { "/", "/" },
};

TEST_EACH(homes, homes)
{
	begin();
	is_str(replaced(homes[i].text), homes[i].shown, "'%s' is shown as expected", homes[i].text);
	is_str(replaced(homes[i].shown), homes[i].shown, "replacing again does not change '%s'", homes[i].text);
}

TEST(everywhere)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "/tmp/alice-build/x", "/tmp/user1-build/x" }, { "/tmp/alice_build/x", "/tmp/user1_build/x" },
		{ "\\\\server\\share\\ALICE\\x", "\\\\server\\share\\user1\\x" },
		{ "alice's worker", "user1's worker" }, { "alice", "user1" },
		{ "malice, alice2", "malice, alice2" }, { "/tmp/xAlice2/x", "/tmp/xuser12/x" }, { "/tmp/tested/x", "/tmp/tested/x" },
		{ "libalice.so, libtest.so", "libuser1.so, libtest.so" }, { "/tmp/test/x", "/tmp/user2/x" },
		{ "test of test", "test of test" }, { "/home/build/x in /usr/build", "/home/user3/x in /usr/build" },
		{ "/run/user/1000 has 1000 bytes of /tmp/1000", "/run/user/user4 has 1000 bytes of /tmp/1000" },
		{ "jo /tmp/jo/x", "jo /tmp/user5/x" }, { "Alice Smith of alice", "user6 of user1" },
		{ "/home/Alice Smith/x", "/home/user6/x" },
	};

	begin();
	user_names_learn(&names, text_of("/home/alice/x:/home/test/x:/home/build/x:/run/user/1000/x"));
	user_names_learn(&names, text_of("C:\\Users\\jo\\x;C:\\Users\\Alice Smith\\x"));
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_str(replaced(cases[i].text), cases[i].shown, "'%s' has the names that were learned", cases[i].text);
	is_u64(names.count, 6, "only six names were learned");
	names.active = false;
	is_str(replaced("/home/alice"), "/home/alice", "a table that is not active replaces nothing");
}

TEST(said)
{
	begin();
	user_names_add(&names, text_of(" /srv/people/alice/ "));
	user_names_add(&names, text_of("CORP\\bob"));
	user_names_add(&names, text_of("C:\\Users\\carol"));
	user_names_add(&names, text_of("/root"));
	user_names_add(&names, text_of("/"));
	user_names_add(&names, text_of(""));
	is_str(replaced("/srv/people/alice/x of bob, Carol and root"), "/srv/people/user1/x of user2, user3 and root",
	       "a name that a variable says is replaced");
	is_u64(names.count, 4, "an empty text adds no name");
}

TEST(bytes)
{
	static const char wide[] = "x\0a\0l\0\xfc\0z\0", big[] = "\0A\0L\0\xfc";

	begin();
	user_names_learn(&names, text_of("/home/al\xc3\xbc/"));
	ok(!user_names_hide_byte(&names, "xal\xc3\xbc", 5, 0), "a byte before a name is shown");
	for (size_t i = 1; i < 5; i++)
		ok(user_names_hide_byte(&names, "xal\xc3\xbc", 5, i), "byte %zu of a name is not shown", i);
	for (size_t i = 0; i < 10; i++)
		is_u64(user_names_hide_byte(&names, wide, 10, i), i >= 1 && i < 8,
		       "byte %zu of UTF-16 is shown only outside of the name", i);
	for (size_t i = 0; i < 6; i++)
		ok(user_names_hide_byte(&names, big, 6, i), "byte %zu of a name in big-endian UTF-16 is not shown", i);
	ok(!user_names_hide_byte(&names, "al\xc3", 3, 1), "a part of a name is shown");
	ok(!user_names_hide_byte(NULL, "al", 2, 1), "all bytes are shown without a table of names");
}

/* More names than there is room for, and longer ones, are hidden too. */
TEST(limits)
{
	char text[LIMIT_USER_NAME + 32];

	begin();
	for (unsigned i = 0; i < LIMIT_USER_NAMES + 10; i++) {
		snprintf(text, sizeof(text), "/home/n%u/", i);
		user_names_learn(&names, text_of(text));
	}
	is_u64(names.count, LIMIT_USER_NAMES, "the number of names is limited");
	is_str(replaced("/home/n5/, /home/another/"), "/home/user6/, /home/user/", "names above the limit are hidden without a number");
	begin();
	memset(text, 'n', sizeof(text));
	memcpy(text, "/home/", 6);
	text[sizeof(text) - 1] = '\0';
	is_str(replaced(text), "/home/user", "a name that is too long is hidden");
}

TEST(output)
{
	struct output_string string;

	begin();
	output_string_init(&string, &arena);
	string.output.names = &names;
	output_text(&string.output, text_of("of /home/alice/\x1b at"));
	output_field(&string.output, text_of(" Alice|/tmp/alice|x"));
	output_plain(&string.output, " alice");
	is_str(string.text, "of /home/user1/\\x1b at user1/tmp/user1x alice",
	       "an output replaces names in texts of an input, not in plain text");
}

int
main(void)
{
	run_tests();
	user_names_free(&names);
	arena_free(&arena);
	return done_testing();
}
