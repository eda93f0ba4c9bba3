/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/demangle.h"
#include "base/hash.h"
#include "base/limits.h"
#include "tests/lib/tap.h"

/* Write the shown name to `buffer`; true if it differs. */
static bool
shown(const char *name, char *buffer, size_t size)
{
	struct arena arena = { 0 };

	const struct text text = demangle(text_of(name), &arena);
	snprintf(buffer, size, "%.*s", (int)text.length, text.start);
	const bool changed = text.start != name;
	arena_free(&arena);
	return changed;
}

/* By the Itanium C++ ABI, Rust's RFC 2603 and Rust's older form, by hand. */
TEST(names)
{
	static const struct {
		const char *name, *shown;
	} cases[] = {
		{ "_Z3foov", "foo()" }, { "_ZN3foo3barEv", "foo::bar()" }, { "__ZN3foo3barEv", "foo::bar()" },
		{ "_ZNK3foo3barEPKcz", "foo::bar(char const*, ...) const" },
		{ "_ZN3fooC1ERKS_", "foo::foo(foo const&)" }, { "_ZN3fooD0Ev", "foo::~foo()" },
		{ "_ZN3fooltERKS_", "foo::operator<(foo const&)" }, { "_Z1fIiEvT_", "void f<int>(int)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
		{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()" }, { "_ZTV3foo", "vtable for foo" },
		{ "_ZThn16_N3foo3barEv", "non-virtual thunk to foo::bar()" }, { "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
		{ "_ZN3foo3barEv@plt", "foo::bar()@plt" }, { "_ZN3foo3barEv (stub)", "foo::bar() (stub)" },
		{ "foo.dll!_ZN3foo3barEv (import thunk)", "foo.dll!foo::bar() (import thunk)" },
		{ "_RNvCs1234_7mycrate4main", "mycrate::main" }, { "__RNvCs1234_7mycrate4main", "mycrate::main" },
		{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" }, { "_Dmain", "D main" },
		{ "_D8demangle4testFZv", "demangle.test()" }, { "_D8demangle4testFaZv", "demangle.test(char)" },
		{ "_RNCNvCs1234_7mycrate4main0", "mycrate::main::{closure#0}" },
		{ "_ZN4core9panicking5panic17h0123456789abcdefE", "core::panicking::panic" },
		{ "_ZN4test1a2bc17h0123456789abcdefE", "test::a::bc" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
		  "17h0123456789abcdefE", "<Test + 'static as foo::Bar<Test>>::bar" },
	};
	char buffer[512], none[64];

	if (!shown("_Z3foov", none, sizeof(none))) {
		skip((int)ARRAY_COUNT(cases), "libiberty was left out");
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		shown(cases[i].name, buffer, sizeof(buffer));
		is_str(buffer, cases[i].shown, "%.60s is demangled", cases[i].name);
	}
}

TEST(others)
{
	static const char *const cases[] = {
		"", "_", "_Z", "__Z", "_R", "main", "foo::bar()", "_ZN3foo", "_Zork", "_Read", "_RTC_CheckEsp", "__restore_rt", "?foo@@",
		"Z3foov", "_Z3foov junk", "___Z3foov", "$s4main3fooyyF", "_$s4main3fooyyF",
	};
	char buffer[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		ok(!shown(cases[i], buffer, sizeof(buffer)) && strcmp(buffer, cases[i]) == 0, "'%s' stays as it is", cases[i]);
}

/* Suffixes that GCC and LLVM make; those of link-time optimisation alone denote the whole function. */
TEST(clones)
{
	static const struct {
		const char *name;
		size_t at;
	} cases[] = {
		{ "f.cold", 1 }, { "f.part.0", 1 }, { "f.isra.12", 1 }, { "f.constprop.0.cold", 1 },
		{ "_Z1fv.lto_priv.0.cold", 5 }, { "_ZN3foo3barEv.cold.7", 13 }, { "f", 1 },
		{ "f.llvm.123", 10 }, { "f.colder", 8 }, { "f.lto_priv.0", 12 }, { "cold", 4 },
		{ ".cold", 5 }, { "", 0 }, { "f..cold", 1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_u64(demangle_clone_at(text_of(cases[i].name)), cases[i].at, "the suffixes of '%s' are found", cases[i].name);
}

/* A dot in an identifier, as in g++'s names of coroutines, begins no suffix. */
TEST(suffixes)
{
	static const char actor[] = "_Z8inner_coPZ8inner_coiE18_Z8inner_coi.Frame.actor";
	static const char frame[] = "_Z8inner_coPZ8inner_coiE18_Z8inner_coi.Frame";
	static const struct {
		const char *name;
		size_t at;
	} cases[] = {
		{ "f.cold", 1 }, { "_Z1fv.lto_priv.0.cold", 5 }, { "_Z1fv", 5 }, { "f", 1 },
		{ actor, sizeof(frame) - 1 }, { frame, sizeof(frame) - 1 },
	};

	char none[64];

	if (!shown("_Z3foov", none, sizeof(none))) {
		skip((int)ARRAY_COUNT(cases), "libiberty was left out");
		return;
	}
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_u64(demangle_suffixes_at(text_of(cases[i].name)), cases[i].at,
		       "the suffixes of '%s' begin after its name", cases[i].name);
}

TEST(nul)
{
	static const char name[] = "_Z3foov\0junk";
	struct arena arena = { 0 };

	const struct text text = demangle((struct text){ name, sizeof(name) - 1 }, &arena);
	ok(text.start == name && text.length == sizeof(name) - 1, "a name with a zero byte in it stays as it is");
	arena_free(&arena);
}

/* Reference `number` as both languages write it: nothing, then 0, 1, ... in base 36 or 62. */
static void
add_number(char *name, unsigned number, unsigned base)
{
	static const char cpp[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char rust[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *digits = base == 36 ? cpp : rust;
	char *end = name + strlen(name);

	if (number > base)
		*end++ = digits[(number - 1) / base];
	if (number > 0)
		*end++ = digits[(number - 1) % base];
	strcpy(end, "_");
}

/* A function type of twice the last one, `count` times, each after the other. */
static void
make_doubling_cpp(char *name, unsigned count)
{
	strcpy(name, "_Z1fPi");
	for (unsigned i = 0; i < count; i++) {
		strcat(name, "FvS");
		add_number(name, i, 36);
		strcat(name, "S");
		add_number(name, i, 36);
		strcat(name, "E");
	}
}

/* Types doubled in an expansion of a missing pack: nothing is printed. */
static void
make_doubling_pack(char *name, unsigned count)
{
	strcpy(name, "_Z1fIJiEEvDp");
	for (unsigned i = 0; i < count; i++)
		strcat(name, "Fv");
	strcat(name, "Pi");
	for (unsigned i = 0; i < count; i++) {
		strcat(name, "S");
		add_number(name, i + 1, 36);
		strcat(name, "E");
	}
}

/* A tuple of twice the last one. */
static void
make_doubling_rust(char *name, unsigned count)
{
	unsigned last = 8;

	strcpy(name, "_RINvC1c1fTmmE");
	for (unsigned i = 0; i < count; i++) {
		const unsigned here = (unsigned)strlen(name) - 2;
		strcat(name, "TB");
		add_number(name, last, 62);
		strcat(name, "B");
		add_number(name, last, 62);
		strcat(name, "E");
		last = here;
	}
	strcat(name, "E");
}

/* A table from the last type to itself; a distance has two digits to the base 26. */
static void
make_doubling_d(char *name, unsigned count)
{
	size_t last = 5, length;

	strcpy(name, "_D1aFi");
	for (unsigned i = 0; i < count; i++) {
		const size_t here = strlen(name);
		strcat(name, "H");
		for (unsigned j = 0; j < 2; j++) {
			length = strlen(name);
			sprintf(name + length, "Q%c%c", (char)('A' + (length - last) / 26), (char)('a' + (length - last) % 26));
		}
		last = here;
	}
	strcat(name, "Zv");
}

static void
make_nested(char *name, const char *begin, const char *part, size_t count, const char *end)
{
	strcpy(name, begin);
	for (size_t i = 0, at = strlen(name); i < count; i++, at += strlen(part))
		strcpy(name + at, part);
	strcat(name, end);
}

static void
ends(const char *name, const char *what)
{
	char buffer[64];

	tap_bound_work(120);
	shown(name, buffer, sizeof(buffer));
	ok(true, "%s is demangled in bounded time", what);
}

TEST(hostile)
{
	static char name[4 * LIMIT_MANGLED_NAME], buffer[2 * LIMIT_SHOWN_NAME];

	make_doubling_cpp(name, 3);
	shown(name, buffer, sizeof(buffer));
	ok(strncmp(buffer, "_Z", 2) == 0 || strstr(buffer, "void (void (int*, int*), ") != NULL,
	   "types that double are demangled or refused");
	make_doubling_cpp(name, 60);
	ok(!shown(name, buffer, sizeof(buffer)), "a C++ name that doubles too often stays mangled");
	ends(name, "a C++ name that doubles 60 times");
	/* The text of an identifier is no operator: N1A1BE is S1_, space is S_. */
	strcpy(name, "_ZN5space5flushILi33EEEvN1A1BENS_8flspfrDpE");
	for (unsigned i = 0; i < 20; i++)
		strcat(name, "S2_");
	ok(shown(name, buffer, sizeof(buffer)), "identifiers that look like searches are demangled");
	make_doubling_pack(name, 60);
	ok(!shown(name, buffer, sizeof(buffer)), "packs whose search takes too long stay mangled");
	ends(name, "a pack that doubles 60 times");
	make_doubling_pack(name, 16);
	ends(name, "the largest pack that is searched");
	make_doubling_rust(name, 3);
	shown(name, buffer, sizeof(buffer));
	ok(strncmp(buffer, "_R", 2) == 0 || strstr(buffer, "((u32, u32), (u32, u32)), ") != NULL,
	   "tuples that double are demangled or refused");
	make_doubling_rust(name, 60);
	ok(!shown(name, buffer, sizeof(buffer)), "a Rust name that doubles too often stays mangled");
	ends(name, "a Rust name that doubles 60 times");
	make_doubling_d(name, 3);
	shown(name, buffer, sizeof(buffer));
	ok(strncmp(buffer, "_D", 2) == 0 || strcmp(buffer, "a(int, int[int], int[int][int[int]], "
				  "int[int][int[int]][int[int][int[int]]])") == 0,
	   "types of D that double are demangled or refused");
	make_doubling_d(name, 40);
	ok(!shown(name, buffer, sizeof(buffer)), "a name of D that doubles too often stays mangled");
	make_doubling_d(name, 6);
	ends(name, "the largest name of D that doubles");
	make_nested(name, "_D1a", "P", LIMIT_MANGLED_NAME - 8, "i");
	ends(name, "a name of D that is all nesting");
	make_nested(name, "_D1a", "P", 1000, "i");
	ends(name, "the deepest name of D");
	make_nested(name, "_Z1f", "P", LIMIT_MANGLED_NAME - 8, "i");
	ends(name, "a C++ name that is all nesting");
	make_nested(name, "_Z1f", "N", LIMIT_MANGLED_NAME - 8, "");
	ends(name, "a C++ name that never ends");
	make_nested(name, "_RINvC1c1f", "R", LIMIT_MANGLED_NAME - 16, "mE");
	ends(name, "a Rust name that is all nesting");
	make_nested(name, "_Z1f", "i", 2 * LIMIT_MANGLED_NAME, "");
	ok(!shown(name, buffer, sizeof(buffer)), "a name above the limit stays mangled");
}

/* "_Z1f429xxx...S_S_S_" is "f(xxx..., xxx...)", a function of one type 49 times. Its 532 bytes
 * become 3 + 429 + 48 * 431, which is 4096 + 32 * 532. */
TEST(most)
{
	static char name[1024], buffer[LIMIT_SHOWN_NAME];
	char identifier[430];

	memset(identifier, 'x', 429);
	identifier[429] = '\0';
	for (unsigned more = 48; more <= 49; more++) {
		snprintf(name, sizeof(name), "_Z1f429%s", identifier);
		for (unsigned i = 0; i < more; i++)
			strcat(name, "S_");
		const bool made = shown(name, buffer, sizeof(buffer));
		ok(made == (more == 48), "a name is shown if it becomes at most 32 times as long");
		if (made)
			is_u64(strlen(buffer), LIMIT_SHOWN_FREE + LIMIT_SHOWN_RATIO * strlen(name),
			       "a demangled name has as many bytes as it may have");
	}
	is_u64(demangle_most(1919), 65504, "the limit of a demangled name is 4096 + 32 * 1919 below the cap");
	is_u64(demangle_most(1920), LIMIT_SHOWN_NAME, "the limit of a demangled name is the cap for 1920 bytes");
}

TEST(policy)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct demangle_memo *memo = demangle_memo_create();
	static char name[] = "_Z3foov";
	struct arena arena = { 0 };

	const struct text first = demangle_memo_shown(memo, &policy, text_of(name));
	char again[] = "_Z3foov";
	ok(demangle_memo_shown(memo, &policy, text_of(again)).start == first.start ||
		   first.start == name, "equal names at two addresses share one entry");
	memcpy(name, "_Z3bar", 6);
	const struct text second = demangle_memo_shown(memo, &policy, text_of(name));
	ok(second.start == name || (second.length == 5 && memcmp(second.start, "bar()", 5) == 0),
	   "another name at the same address has its own entry");
	for (int i = 0; i < 1000; i++) {
		char many[32];
		snprintf(many, sizeof(many), "_Z5f%04dv", i);
		demangle_memo_shown(memo, &policy, text_of(many));
	}
	struct text last = demangle_memo_shown(memo, &policy, text_of("_Z5f0999v"));
	struct text plain = demangle_memo_shown(memo, &policy, text_of("plain"));
	ok(last.length == 9 || (last.length == 7 && memcmp(last.start, "f0999()", 7) == 0), "a memo of a thousand names keeps all of them");
	ok(plain.length == 5, "a memo does not change a name that is not mangled");
	ok(demangle_memo_shown(NULL, &policy, text_of(name)).start == name, "names stay mangled without a memo");
	policy = policy_column(POLICY_BREAKPAD);
	ok(demangle_memo_shown(memo, &policy, text_of(name)).start == name &&
		   demangle_shown(&policy, text_of(name), &arena).start == name, "Breakpad shows names as files have them");
	arena_free(&arena);
	demangle_memo_free(memo);
}

TEST(called)
{
	char none[64];

	ok(demangle_is_called(text_of("main"), text_of("main")), "a name is called itself");
	ok(demangle_is_called(text_of("main(int)"), text_of("main")), "parameters may be left out");
	ok(!demangle_is_called(text_of("mainly"), text_of("main")), "letters may not be left out");
	ok(!demangle_is_called(text_of("main"), text_of("")), "no function has an empty name");
	ok(demangle_is_called(text_of("_ZN3foo3barEi"), text_of("_ZN3foo3barEi")), "a mangled name is called itself");
	ok(!demangle_is_called(text_of("_ZN3foo3barEi"), text_of("foo::ba")), "a part of what is shown is not enough");
	if (!shown("_Z3foov", none, sizeof(none))) {
		skip(4, "libiberty was left out");
		return;
	}
	ok(demangle_is_called(text_of("_ZN3foo3barEi"), text_of("foo::bar(int)")), "a mangled name is found by its shown form");
	ok(demangle_is_called(text_of("_ZN3foo3barEi"), text_of("foo::bar")),
	   "a mangled name is found by its shown form without parameters");
	ok(demangle_is_called(text_of("_ZSii"), text_of("std::istream")),
	   "a class whose linker name is an abbreviation is found by its name");
	ok(demangle_is_called(text_of("_ZN3foolsEi"), text_of("foo::operator<<")), "the name of an operator is found by its shown form");
}

/* The hash of remembered names: each byte and the length count. */
TEST(hash_words)
{
	char text[40] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const uint64_t whole = hash_words(HASH_START, text, 36);
	unsigned same = 0;

	for (size_t i = 0; i < 36; i++) {
		text[i] ^= 1;
		same += hash_words(HASH_START, text, 36) == whole;
		text[i] ^= 1;
		same += hash_words(HASH_START, text, i) == whole;
	}
	ok(same == 0, "another byte or another length is another hash");
	ok(hash_words(HASH_START, "a\0", 2) != hash_words(HASH_START, "a", 1), "a 0 at the end counts");
	ok(hash_words(whole, "b", 1) != hash_words(HASH_START, "b", 1), "the bytes hashed before count");
	ok(hash_words(HASH_START, text, 36) == whole, "the same text has the same hash");
}

/* Long texts are read in several chains. */
TEST(hash_long)
{
	enum { SIZE = (1 << 20) + 44 };
	char *text = calloc(SIZE, 1);
	unsigned same = 0;

	const uint64_t whole = hash_words(HASH_START, text, SIZE);
	for (size_t i = 0; i < SIZE; i += i < 64 || i >= SIZE - 64 ? 1 : 9973) {
		text[i] ^= 1;
		same += hash_words(HASH_START, text, SIZE) == whole;
		text[i] ^= 1;
	}
	ok(same == 0, "another byte of a long text is another hash");
	ok(hash_words(HASH_START, text, SIZE - 1) != whole, "another length is another hash");
	text[0] = text[32] = 1;
	text[8] = text[40] = 2;
	const uint64_t ordered = hash_words(HASH_START, text, SIZE);
	text[0] = 2;
	text[8] = 1;
	ok(hash_words(HASH_START, text, SIZE) != ordered, "the order of words counts");
	free(text);
}
