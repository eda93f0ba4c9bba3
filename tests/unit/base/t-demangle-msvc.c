/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/demangle.h"
#include "base/demangle_msvc.h"
#include "base/limits.h"
#include "tests/lib/tap.h"

/* Write the shown name to `buffer`; false if the name stays unchanged. */
static bool
shown(struct text name, enum msvc_spelling spelling, char *buffer, size_t size)
{
	struct arena arena = { 0 };
	struct text text = text_of("");
	const bool is_shown = msvc_demangle(name, spelling, &arena, &text);

	snprintf(buffer, size, "%.*s", (int)text.length, text.start);
	arena_free(&arena);
	return is_shown;
}

/* Names that clang made from C++, as llvm-undname shows them without access, calling convention, return and variable type, except
 * that a type that is a template's argument is shown here. The spelling is that of names in Breakpad's symbol files for Windows. */
static const struct {
	const char *name, *llvm, *breakpad;
} names_rows[] = {
	{ "??0A@N@@QEAA@AEBU01@@Z", "N::A::A(struct N::A const &)", "N::A::A(N::A const &)" },
	{ "??1A@N@@UEAA@XZ", "N::A::~A(void)", "N::A::~A()" },
	{ "??$?0D@A@N@@QEAA@PEADH@Z", "N::A::A<char>(char *, int)", "N::A::A<char>(char *,int)" },
	{ "??$?BH@A@N@@QEAAPEAHXZ", "N::A::operator<int> int *(void)", "N::A::operator<int> int *()" },
	{ "??BA@N@@QEBA_NXZ", "N::A::operator bool(void) const", "N::A::operator bool()" },
	{ "??RA@N@@QEAAHHZZ", "N::A::operator()(int, ...)", "N::A::operator()(int,...)" },
	{ "??_7C@N@@6BA@1@@", "const N::C::`vftable'{for `N::A'}", "const N::C::`vftable'{for `N::A'}" },
	{ "??_9B@N@@$BA@AA", "[thunk]: N::B::`vcall'{0, {flat}}", "[thunk]: N::B::`vcall'{0, {flat}}" },
	{ "??_EC@N@@$4PPPPPPPM@DA@EAAPEAXI@Z", "[thunk]: N::C::`vector deleting dtor'`vtordisp{-4, 48}'(unsigned int)",
	  "[thunk]:N::C::`vector deleting destructor'`vtordisp{-4, 48}' (unsigned int)" },
	{ "??_EC@N@@WBA@EAAPEAXI@Z", "[thunk]: N::C::`vector deleting dtor'`adjustor{16}'(unsigned int)",
	  "[thunk]:N::C::`vector deleting destructor'`adjustor{16}' (unsigned int)" },
	{ "??_GA@N@@UEAAPEAXI@Z", "N::A::`scalar deleting dtor'(unsigned int)", "N::A::`scalar deleting destructor'(unsigned int)" },
	{ "??_R1A@?0A@EA@A@N@@8", "N::A::`RTTI Base Class Descriptor at (0, -1, 0, 64)'",
	  "N::A::`RTTI Base Class Descriptor at (0, -1, 0, 64)'" },
	{ "??_R0?AUA@N@@@8", "struct N::A `RTTI Type Descriptor'", "N::A `RTTI Type Descriptor'" },
	{ "??_R4A@N@@6B@", "const N::A::`RTTI Complete Object Locator'", "const N::A::`RTTI Complete Object Locator'" },
	{ "??__Eglob@@YAXXZ", "`dynamic initializer for 'glob''(void)", "`dynamic initializer for 'glob''()" },
	{ "??__E?m@SM@@2UA@N@@A@@YAXXZ", "`dynamic initializer for `SM::m''(void)", "`dynamic initializer for `N::A SM::m''()" },
	{ "??__K_lit@@YA?AUA@N@@_K@Z", "operator \"\"_lit(unsigned __int64)", "operator \"\"_lit(unsigned __int64)" },
	{ "?$TSS0@?1??local@@YAHXZ@4HA", "`int __cdecl local(void)'::`2'::$TSS0", "int `local(void)'::`2'::$TSS0" },
	{ "?f@L@?1??local@@YAHXZ@QEAAHXZ", "`int __cdecl local(void)'::`2'::L::f(void)", "`local(void)'::`2'::L::f()" },
	{ "?a@?$S1@$$BY02H@@QEAAXXZ", "S1<int[3]>::a(void)", "S1<int[3]>::a()" },
	{ "?a@?$S1@$$A6AXH@Z@@QEAAXXZ", "S1<void __cdecl(int)>::a(void)", "S1<void (int)>::a()" },
	{ "?a@?$S1@$$CBH@@QEAAXXZ", "S1<int const>::a(void)", "S1<int const>::a()" },
	{ "?a@?$S1@P6AHU?$S1@H@@0@Z@@QEAAXXZ",
	  "S1<int (__cdecl *)(struct S1<int>, struct S1<int>)>::a(void)", "S1<int (*)(S1<int>,S1<int>)>::a()" },
	{ "?a@?$S1@P8A@N@@EAAHXZ@@QEAAXXZ", "S1<int (__cdecl N::A::*)(void)>::a(void)", "S1<int (N::A::*)(void)>::a()" },
	{ "??$cf@$1?tgt@@YAHH@Z@@YAHH@Z", "cf<&tgt(int)>(int)", "cf<&tgt(int)>(int)" }, { "??$cd@$07@@YAHXZ", "cd<8>(void)", "cd<8>()" },
	{ "??$pack@$$V@@YAXXZ", "pack<>(void)", "pack<>()" },
	{ "??$pack@HDPEAUA@N@@@@YAXHDPEAUA@N@@@Z",
	  "pack<int, char, struct N::A *>(int, char, struct N::A *)", "pack<int,char,N::A *>(int,char,N::A *)" },
	{ "??$ft@AEAY02H@@YAXAEAY02H@Z", "ft<int (&)[3]>(int (&)[3])", "ft<int (&)[3]>(int (&)[3])" },
	{ "?anon@?A0x8D199B7D@N@@YAHPEAUAnon@?A0x8D199B7D@1@@Z", "N::`anonymous namespace'::anon(struct N::`anonymous namespace'::Anon *)",
	  "N::`anonymous namespace'::anon(N::`anonymous namespace'::Anon *)" },
	{ "?anon@?A0x8D199B7D@N@@YAHPEAUAnon@12@@Z", "N::`anonymous namespace'::anon(struct N::`anonymous namespace'::Anon *)",
	  "N::`anonymous namespace'::anon(N::`anonymous namespace'::Anon *)" },
	{ "?f@A@N@@UEBAHHPEBD@Z", "N::A::f(int, char const *) const", "N::A::f(int,char const *)" },
	{ "?m@A@N@@QEHAAHXZ", "N::A::m(void) &&", "N::A::m()" }, { "?n@A@N@@QEAAXX_E", "N::A::n(void) noexcept", "N::A::n()" },
	{ "?get@?$Tm@U?$Tm@PEAD$0?2@@$0DOI@@@QEAA?AU?$Tm@PEAD$0?2@@XZ",
	  "Tm<struct Tm<char *, -3>, 1000>::get(void)", "Tm<Tm<char *,-3>,1000>::get()" },
	{ "?p2@@YAP6AHH@ZP6AHH@Z0PEAPEADPEBQEBDPECHPEIAH@Z",
	  "p2(int (__cdecl *)(int), int (__cdecl *)(int), char **, char const *const *, int volatile *, int *__restrict)",
	  "p2(int (*)(int),int (*)(int),char * *,char const * const *,int volatile *,int * __restrict)" },
	{ "?u1@N@@YAHW4E@1@W4F@1@TU@1@PEAW421@AEBW431@$$QEAT41@@Z", "N::u1(enum N::E, enum N::F, union N::U, enum N::E *, enum N::F const "
	  "&, union N::U &&)", "N::u1(N::E,N::F,N::U,N::E *,N::F const &,N::U &&)" },
	{ "?v@@YAX_NC_W_J_KEM$$T@Z", "v(bool, signed char, wchar_t, __int64, unsigned __int64, unsigned char, float, std::nullptr_t)",
	  "v(bool,signed char,wchar_t,__int64,unsigned __int64,unsigned char,float,std::nullptr_t)" },
	{ "?f@@YAXPEQA@N@@HPER12@D@Z", "f(int N::A::*, char const N::A::*)", "f(int N::A::*,char const N::A::*)" },
	{ "?vc@@YQXH@Z", "vc(int)", "vc(int)" },
	{ "?pis@Ov@@CAXXZ", "Ov::pis(void)", "Ov::pis()" }, { "?gap@@3PEAUA@N@@EA", "gap", "N::A * gap" }, { "?cfun@@9", "cfun", "cfun" },
	{ "?f@@YAXXZ.llvm.1234", "f(void) [clone .llvm.1234]", "f()" }, { "??_C@_05CJBACGMB@hello?$AA@", "\"hello\"", "\"hello\"" },
	{ "??_C@_15EHMJLBHB@?$AAh?$AAi?$AA?$AA@", "L\"hi\"", "L\"hi\"" },
	{ "??_C@_0CF@ABCDEFGH@a?5string?0?5long?5enough?5to?5be?5cut?5h@",
	  "\"a string, long enough to be cut h\"...", "\"a string, long enough to be cut h\"..." },
};

TEST_EACH(names, names_rows)
{
	char buffer[512];

	shown(text_of(names_rows[i].name), MSVC_LLVM, buffer, sizeof(buffer));
	is_str(buffer, names_rows[i].llvm, "%s is demangled", names_rows[i].name);
	shown(text_of(names_rows[i].name), MSVC_BREAKPAD, buffer, sizeof(buffer));
	is_str(buffer, names_rows[i].breakpad, "%s is demangled as Breakpad does", names_rows[i].name);
}

/* Each mangled name, cut after each of its characters, is no longer a name. */
TEST(cut)
{
	static const char *const cases[] = {
		"?get@?$Tm@U?$Tm@PEAD$0?2@@$0DOI@@@QEAA?AU?$Tm@PEAD$0?2@@XZ", "??_EC@N@@$4PPPPPPPM@DA@EAAPEAXI@Z",
		"?a@?$S1@P8A@N@@EAAHXZ@@QEAAXXZ", "??_R1A@?0A@EA@A@N@@8", "??_C@_05CJBACGMB@hello?$AA@", "?f@L@?1??local@@YAHXZ@QEAAHXZ",
	};
	char buffer[512];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		size_t taken = 0;
		for (size_t length = 0; length < strlen(cases[i]); length++)
			taken += shown((struct text){ cases[i], length }, MSVC_LLVM, buffer, sizeof(buffer));
		is_u64(taken, 0, "no beginning of %s is a name", cases[i]);
	}
}

TEST(others)
{
	static const char *const cases[] = {
		"", "?", "??", "?f", "f@@YAXXZ", "?f@@YAXXZ junk", "?f@@YAX9@Z", "?f@@YAXXX", "?3@@YAXXZ", "??0@@YAXXZ", "?f@@YAXW@Z",
		"??@0123456789abcdef0123456789abcdef@", "?f@@[AXXZ", "?x@@3_ZA", "??_Zf@@YAXXZ", "?f@@YAXY0@Z", "??_C@_05CJBACGMB@hel?$QA@",
	};
	char buffer[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		ok(!shown(text_of(cases[i]), MSVC_LLVM, buffer, sizeof(buffer)), "'%s' stays as it is", cases[i]);
}

/* Write `count` times `part` between two texts. */
static void
make_nested(char *name, const char *begin, const char *part, size_t count, const char *end)
{
	strcpy(name, begin);
	for (size_t i = 0, at = strlen(name); i < count; i++, at += strlen(part))
		strcpy(name + at, part);
	strcat(name, end);
}

TEST(limits)
{
	static char name[LIMIT_MANGLED_NAME + 64], buffer[512];

	/* The symbol and the type at the end count, too. */
	make_nested(name, "?f@@YAX", "PA", LIMIT_MSVC_NESTING - 2, "H@Z");
	ok(shown(text_of(name), MSVC_LLVM, buffer, sizeof(buffer)), "pointers to pointers are shown up to the limit");
	make_nested(name, "?f@@YAX", "PA", LIMIT_MSVC_NESTING - 1, "H@Z");
	ok(!shown(text_of(name), MSVC_LLVM, buffer, sizeof(buffer)), "pointers to pointers are not shown beyond the limit");
	make_nested(name, "?f@@YAX", "?$A@V", 10000, "@Z");
	ok(!shown(text_of(name), MSVC_LLVM, buffer, sizeof(buffer)), "templates within each other end at the limit");
	/* A long parameter, then as many digits as fit. */
	make_nested(name, "?f@@YAX", "V?$T@V1234567890123456789012345678901234567890@@@@", 1, "");
	make_nested(name + strlen(name), "", "0", 60000, "@Z");
	ok(!shown(text_of(name), MSVC_LLVM, buffer, sizeof(buffer)),
	   "a name that stands for more text than a name may have stays as it is");
}

/* Every command shows names through this function. */
TEST(demangle)
{
	struct arena arena = { 0 };
	const struct text text = demangle(text_of("?f@C@@QEAAHXZ"), &arena);

	is_u64(text.length, strlen("C::f(void)"), "the length of C::f(void) is right");
	ok(text_equal(text, text_of("C::f(void)")), "names of Microsoft's compilers are shown");
	ok(text_equal(demangle(text_of("a.dll!?f@C@@QEAAHXZ (import thunk)"), &arena),
		      text_of("a.dll!C::f(void) (import thunk)")), "names of Microsoft's compilers are shown in stubs");
	ok(demangle_is_called(text_of("?f@C@@QEAAHXZ"), text_of("C::f")),
	   "names of Microsoft's compilers are found without their parameters");
	arena_free(&arena);
}
