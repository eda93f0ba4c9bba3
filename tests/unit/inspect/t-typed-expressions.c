/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions over variables of a program that is written by hand, in both orders of bytes. The types and values are those of C17
 * and C++17 for the ABIs of amd64 and ppc64.
 */
#include "inspect/expression.h"
#include "inspect/expression/value_expression.h"
#include "report/value/value_text.h"
#include "tests/unit/inspect/made_types.h"

static const char *const program[] = {
	"int|i4", "uint|u4", "long|i8", "ulong|u8", "short|i2", "char|c1", "float|f4", "double|f8", "wide|i16", "bool|b1", "quad|f16",
	"base|{8|x@int@0|y@int@4", "second|{4|z@int@0", "derived|{24|^@base@0|^@second@8|w@int@12|own@int@16|bits@int@20",
	"*base|*base", "*second|*second", "*derived|*derived", "**derived|**derived", "&derived|&derived", "*int|*int", "*wide|*wide",
	"holder|{16|.inner@int@0|.other@int@4|small@int@8:3|large@long@8:40", "three|[3]int", "many|{8|alpha@int@0|alphabet@int@4",
	"i|@8010|int", "u|@8018|uint", "l|@8020|long", "d|@8028|double", "f|@8030|float", "s|@8038|short", "c|@8040|char",
	"object|@8048|derived", "pd|@8060|*derived", "arr|@8068|three", "pi|@8078|*int", "gone|_|int", "lostp|_|*int", "big|@8010|wide",
	"long_double|@8010|quad", "rd|@8060|&derived", "held|@8080|holder", "this|@8060|*derived", "ul|@8090|ulong", "fixed|#-7|int",
	"computed|!35319f|int", "yes|@8090|bool", "m|@8010|many", "ppd|@8098|**derived", "nothing|@8060|none", "none|{0", NULL,
};

/* Both halves of most words are equal, so that numbers of 4 bytes have the same value in both orders. */
static const char memory[] = "8010=fffffffbfffffffb 8018=700000007 8020=fffffffffffffffa 8028=4004000000000000 8030=3fc000003fc00000 "
	"8038=fffdfffdfffdfffd 8040=4141414141414141 8048=100000001 8050=300000003 8058=900000009 8060=408048 8068=200000002 "
	"8070=400000004 8078=408068 8080=500000005 8090=ffffffffffffffff 8098=408060";

static const char *const rows[] = {
	"i + u | unsigned int 2 <- i; u\ni < u | int 0 <- i; u\nl + i | long -11 <- l; i\nl * d | double -15 <- l; d\n",
	"f + f | float 3 <- f\nf * 2 | float 3 <- f\nf / d | double 0.59999999999999998 <- f; d\ns + s | int -6 <- s\n",
	"c + 1 | int 66 <- c\n-u | unsigned int 4294967289 <- u\n~s | int 2 <- s\n!d | int 0 <- d\n!l | int 0 <- l\n+c | int 65 <- c\n",
	"-d | double -2.5 <- d\nul + 1 | unsigned long 0 <- ul\nul / 2 | unsigned long 9223372036854775807 <- ul\nul > 0 | int 1 <- ul\n",
	"l >> 1 | long -3 <- l\nul >> 60 | unsigned long 15 <- ul\nl & 0xff | long 250 <- l\nl | 1 | long -5 <- l\nl ^ l | long 0 <- l\n",
	"s << 4 | int -48 <- s\ns % 2 | int -1 <- s\ni % u | unsigned int 6 <- i; u\nu % 4 | unsigned int 3 <- u\ni / 2 | int -2 <- i\n",
	"l / ul | unsigned long 0 <- l; ul\nbig + 1 | 1: numbers of more than 8 bytes cannot be computed with\n",
	"long_double * 2 | 1: numbers of more than 8 bytes cannot be computed with\n",
	"(int)big | 1: numbers of more than 8 bytes cannot be computed with\n",
	"(quad)1 | 1: cannot cast to quad; *(quad *)& in front of the value reads its bytes as one\n",
	"(wide)1 | 1: cannot cast to wide; *(wide *)& in front of the value reads its bytes as one\n",
	"object | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- object\n",
	"object.x | int 1 @408048 <- object\nobject.y | int 1 @40804c <- object\nobject.z | int 3 @408050 <- object\n",
	"object.w | int 3 @408054 <- object\nobject.own | int 9 @408058 <- object\n",
	"object.second | 8: struct derived has no member 'second'; its members: w, own, bits\npd->z | int 3 @408050 <- pd\n",
	"pd->y | int 1 @40804c <- pd\n(second *)pd | struct second * 0x408050 <- pd\n",
	"((second *)pd)->z | int 3 @408050 <- pd; ((second *)pd)\n(base *)pd | struct base * 0x408048 <- pd\n",
	"(derived *)(second *)pd | struct derived * 0x408048 <- pd\n(derived *)(base *)pd | struct derived * 0x408048 <- pd\n",
	"(second *)(derived *)0 | struct second * 0x0\n(int *)pd | int * 0x408048 <- pd\n(second *)408050 | struct second * 0x639f2\n",
	"(long)(second *)pd | long 4227152 <- pd\nppd->own | 4: struct derived * has no members\n",
	"(*ppd)->own | int 9 @408058 <- ppd; (*ppd)\n",
	"**ppd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- ppd\n",
	"rd | struct derived & @0x408048 @408048 <- rd\nrd.own | int 9 @408058 <- rd\n&rd | struct derived * 0x408048 <- rd\n",
	"sizeof rd | unsigned long 24 <- rd\n(second *)&rd | struct second * 0x408050 <- rd\nown | int 9 @408058 <- own\n",
	"x + z | int 4 <- x; z\nthis->own | int 9 @408058 <- this\narr | int [3] {2, 2, 4} @408068 <- arr\n",
	"arr[1] | int 2 @40806c <- arr\narr[2] | int 4 @408070 <- arr\n",
	"arr[3] | int 4 @408074 # element 3 is not one of the 3 of the array <- arr\n2[arr] | int 4 @408070 <- arr\n",
	"*arr | int 2 @408068 <- arr\n*(arr + 2) | int 4 @408070 <- arr; (arr + 2)\n&arr[2] - arr | long 2 <- arr\n",
	"&arr | int (*)[3] 0x408068 <- arr\narr[1] @ 2 | int [2] {2, 4} @40806c <- arr\nsizeof arr | unsigned long 12 <- arr\n",
	"sizeof(derived) | unsigned long 24\nsizeof(derived *) | unsigned long 8\npi | int * 0x408068 @408078 <- pi\n",
	"*pi | int 2 @408068 <- pi\npi[2] | int 4 @408070 <- pi\npi + 1 | int * 0x40806c <- pi\npi - 1 | int * 0x408064 <- pi\n",
	"pi == arr | int 1 <- pi; arr\npi < &arr[1] | int 1 <- pi; arr\npi && 1 | int 1 <- pi\npi || gone | int 1 <- pi; gone\n",
	"gone || pi | int 1 <- gone; pi\ngone && pi | int <gone: optimised out> <- gone; pi\ngone && 0 | int 0 <- gone\n",
	"!gone | int <gone: optimised out> <- gone\ngone + 1 | int <gone: optimised out> <- gone\n",
	"1 - gone | int <gone: optimised out> <- gone\ngone == 1 | int <gone: optimised out> <- gone\n",
	"gone < gone | int <gone: optimised out> <- gone\n&gone | int * <optimised out> <- gone\n",
	"*lostp | int <lostp: optimised out> <- lostp\nlostp + 1 | int * <lostp: optimised out> <- lostp\n",
	"1 + lostp | int * <lostp: optimised out> <- lostp\nlostp - pi | long <lostp: optimised out> <- lostp; pi\n",
	"pi - lostp | long <lostp: optimised out> <- pi; lostp\nlostp[1] | int <lostp: optimised out> <- lostp; lostp[1]\n",
	"arr[gone] | int <gone: optimised out> <- arr; gone\npi[gone] | int <gone: optimised out> <- pi; gone; pi[gone]\n",
	"i @ gone | 5: expected the number of elements after '@'\ni @ 0 | 5: expected the number of elements after '@'\n",
	"i @ -1 | 5: expected the number of elements after '@'\ngone @ 2 | 6: expected a value in memory before '@'\nfixed | int -7\n",
	"fixed * 2 | int -14\n&fixed | 1: the value is not in memory: constant, so it has no address\ncomputed | int 1 <- computed\n",
	"&computed | 1: the value is not in memory: computed: 1, so it has no address\n",
	"&computed + 1 | 1: the value is not in memory: computed: 1, so it has no address\nheld.inner | int 5 @408080 <- held\n",
	"held.other | int 5 @408084 <- held\n&held.small | 1: a bit field has no address\n",
	"held.nothing | 6: struct holder has no member 'nothing'; its members: small, large\n",
	"m.alpah | 3: struct many has no member 'alpah'; did you mean alpha\n",
	"m.q | 3: struct many has no member 'q'; its members: alpha, alphabet\n",
	"m.alphabe | 3: struct many has no member 'alphabe'; did you mean alphabet\n(double)i | double -5 <- i\n",
	"(float)i | float -5 <- i\n(bool)i | bool true <- i\n(char)i | char -5 '\\373' <- i\n",
	"(unsigned short)i | unsigned short 65531 <- i\n(long)u | long 7 <- u\n(double)ul | double 1.8446744073709552e+19 <- ul\n",
	"(unsigned long)-1.5 | unsigned long 18446744073709551615\n(unsigned long)d | unsigned long 2 <- d\n(int)f | int 1 <- f\n",
	"(bool)f | bool true <- f\n(float)d | float 2.5 <- d\n(double)f + 0 | double 1.5 <- f\nd == 2.5 | int 1 <- d\n",
	"d < f | int 0 <- d; f\nd > f | int 1 <- d; f\nd >= f | int 1 <- d; f\nf <= d | int 1 <- f; d\nd != d | int 0 <- d\n",
	"d - f | double 1 <- d; f\nd * f | double 3.75 <- d; f\nd % f | 3: expected whole numbers on both sides of this operator\n",
	"d & 1 | 3: expected whole numbers on both sides of this operator\n",
	"d << 1 | 3: expected whole numbers on both sides of this operator\n",
	"1 << d | 3: expected whole numbers on both sides of this operator\n&d | double * 0x408028 <- d\n",
	"*&d | double 2.5 @408028 <- d; &d\n*d | 1: expected a pointer, this is double; a cast makes one: *(long *)\n",
	"*i | 1: expected a pointer, this is int; a cast makes one: *(long *)\ni.x | 2: int has no members\n",
	"i->x | 2: expected a pointer, this is int; a cast makes one: *(long *)\npd.own | int 9 @408058 <- pd\n",
	"pd->nope | 5: struct derived has no member 'nope'; its members: w, own, bits\n",
	"nothing | struct none {<No data fields>} @408060 <- nothing\nsizeof(nothing) | unsigned long 0 <- nothing\n",
	"(none)1 | 1: cannot cast to struct none; *(struct none *)& in front of the value reads its bytes as one\n",
	"object + 1 | 1: struct derived: not a number or a pointer; expected one\n",
	"object == object | 1: struct derived: not a number or a pointer; expected one\n",
	"object[0] | 7: struct derived: neither an array nor a pointer\n",
	"arr[object] | 5: struct derived: not a number or a pointer; expected one\narr[1.5] | 5: expected a whole number\n",
	"(int)object | 1: struct derived: not a number or a pointer; expected one\n-pi | 1: expected a number after this operator\n",
	"~pi | 1: expected a number after this operator\n",
	"pi * 2 | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"pi + pi | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"pi + d | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"1 - pi | 3: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"pi & 1 | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\npi - arr | long 0 <- pi; arr\n",
	"(char *)pi - (char *)&i | long 88 <- pi; i\n(void *)pi | void * 0x408068 <- pi\n",
	"*(void *)pi | 1: the target of a void * has no type; a cast gives it one\n(void *)pi + 1 | void * 0x408069 <- pi\n",
	"(int **)pi | int ** 0x408068 <- pi\n(int (*)[3])pi | 2: no variable, function or enumerator 'int' is known here\n",
	"\"text\" | char [5] \"text\"\n\"text\"[1] | char 101 'e'\nsizeof \"text\" | unsigned long 5\n",
	"*\"text\" | 2: the array is not in memory, so it has no address\n$nope | 1: no such register\n",
	"arr @ 1 | int [1][3] {{2, 2, 4}} @408068 <- arr\nsizeof(arr @ 2) | unsigned long 24 <- arr\n(const int)l | int -6 <- l\n",
	"(int const volatile)l | int -6 <- l\n(unsigned)i | unsigned int 4294967291 <- i\n",
	"(long long unsigned)i | unsigned long long 18446744073709551611 <- i\n",
	"(unsigned long int)i | unsigned long 18446744073709551611 <- i\n(short unsigned int)i | unsigned short 65531 <- i\n",
	"(signed char)u | signed char 7 '\\a' <- u\n(struct derived *)pd | struct derived * 0x408048 @408060 <- pd\n",
	"(class derived *)pd | struct derived * 0x408048 @408060 <- pd\n",
	"(union derived *)pd | 2: expected the name of a type that the debug information has\n",
	"(enum derived)1 | 2: expected the name of a type that the debug information has\n",
	"(struct int)1 | 2: expected the name of a type that the debug information has\n",
	"(struct)1 | 2: expected the name of a type that the debug information has\n",
	"sizeof(long double) | 8: no variable, function or enumerator 'long' is known here\n",
	"sizeof(volatile char * const *) | unsigned long 8\n(volatile char * const *)pi | char ** 0x408068 <- pi\n",
	"sizeof(int ****************) | unsigned long 8\n",
	"sizeof(int *****************) | 8: no variable, function or enumerator 'int' is known here\n",
	"sizeof(int | 8: no variable, function or enumerator 'int' is known here\nsizeof(::derived) | unsigned long 24\n",
	"sizeof(derived::) | 8: no variable, function or enumerator 'derived' is known here\nsizeof(signed) | unsigned long 4\n",
	"sizeof(unsigned char *) | unsigned long 8\nsizeof(void *) | unsigned long 8\nsizeof(void) | unsigned long 0\n",
	"sizeof i | unsigned long 4 <- i\nsizeof(i) | unsigned long 4 <- i\nsizeof(i) + 1 | unsigned long 5 <- i\n",
	"sizeof (derived)+1 | unsigned long 25\nsizeof -i | unsigned long 4 <- i\nsizeof (i) [arr] | unsigned long 4 <- i; arr\n",
	"static_cast<long>(i) | long -5 <- i\nreinterpret_cast<int *>(pd)[1] | int 1 @40804c <- pd; reinterpret_cast<int *>(pd)\n",
	"static_cast<int>(d) + 1 | int 3 <- d\nstatic_cast < int > (d) | int 2 <- d\n",
	"static_cast<i>(1) | 13: expected the name of a type\nconst_cast<int> | 16: expected a variable, a number or a register\n",
	"static_cast(1) | 1: no variable, function or enumerator 'static_cast' is known here\npd . own | int 9 @408058 <- pd\n",
	"pd -> own | int 9 @408058 <- pd\npd ->  | 7: expected the name of a member\npd. | 4: expected the name of a member\n",
	"object. | 8: expected the name of a member\nobject .own | int 9 @408058 <- object\n((object)).own | int 9 @408058 <- object\n",
	"(pd)->own | int 9 @408058 <- pd\narr [1] | int 2 @40806c <- arr\narr[ 1 ] | int 2 @40806c <- arr\n",
	"arr[1][0] | 7: int: neither an array nor a pointer\n( i ) | int -5 @408010 <- i\n-i * -i | int 25 <- i\n- - i | int -5 <- i\n",
	"!!i | int 1 <- i\ni+u*2 | unsigned int 9 <- i; u\n(i+u)*2 | unsigned int 4 <- i; u\ni - -1 | int -4 <- i\n",
	"i<<1+1 | int -20 <- i\ni == -5 && u == 7 | int 1 <- i; u\n1 ? 2 : 3 | 3: expected an operator or the end\n",
	"i++ | 4: expected a variable, a number or a register\ni += 1 | 4: expected a variable, a number or a register\n",
	"i = 1 | 3: nothing can be assigned; '==' compares\ni ; | 3: expected an operator or the end\n",
	"i u | 3: expected an operator or the end\ni( | 2: functions cannot be called: there is no process\n",
	"i(1) | 2: functions cannot be called: there is no process\nf() | 2: functions cannot be called: there is no process\n",
	"( | 2: expected a variable, a number or a register\n) | 1: expected a variable, a number or a register\n",
	"] | 1: expected a variable, a number or a register\n[1] | 1: expected a variable, a number or a register\n",
	"i] | 2: ']' without '['\n(i] | 3: ']' without '['\narr[1) | 6: ')' without '('\n((i) | 1: '(' without ')'\n",
	"* | 2: expected a variable, a number or a register\n& | 2: expected a variable, a number or a register\n",
	"&&i | 1: the value is not in memory, so it has no address\n",
	"* *ppd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- ppd\n",
	"*&*pd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- pd; &*pd\n",
	"&*pi | int * 0x408068 <- pi\n&pi[1] | int * 0x40806c <- pi\n&object.own | int * 0x408058 <- object\n",
	"&pd->own | int * 0x408058 <- pd\n&this | struct derived ** 0x408060 <- this\ntrue && yes | int 1 <- yes\nfalse | bool false\n",
	"NULL | void * 0x0\nnullptr == NULL | int 1\npd == NULL | int 0 <- pd\npd != 0 | int 1 <- pd\n!pd | int 0 <- pd\n",
	"$sp == 0x408000 | int 1 <- $sp\nsizeof $sp | unsigned long 8 <- $sp\n*(int *)0x408068 | int 2 @408068 <- (int *)0x408068\n",
	"*(long *)8 | long <its memory is not in the dump> @8 <- (long *)8\n*(int *)arr | int 2 @408068 <- arr; (int *)arr\n",
	"(int)arr | int 4227176 <- arr\n(long)arr | long 4227176 <- arr\n(char)300 | char 44 ','\n(bool)arr | bool true <- arr\n",
	"(bool)gone | bool <(bool)gone: optimised out> <- gone\n(double)gone | double <(double)gone: optimised out> <- gone\n",
	"(derived *)lostp | struct derived * <(derived *)lostp: optimised out> <- lostp\n",
	"(int)lostp | int <(int)lostp: optimised out> <- lostp\n-gone | int <gone: optimised out> <- gone\n",
	"~gone | int <gone: optimised out> <- gone\n+gone | int <gone: optimised out> <- gone\n",
	"gone * 2.0 | double <gone: optimised out> <- gone\ngone << 1 | int <gone: optimised out> <- gone\n",
	"1 << gone | int <gone: optimised out> <- gone\ni << 31 | int -2147483648 <- i\n",
	"i << 32 | 3: a shift by more bits than the number has\nl << 63 | long 0 <- l\n",
	"l << 64 | 3: a shift by more bits than the number has\ni >> 31 | int -1 <- i\n1 / (i + 5) | 3: division by zero\n",
	"1 % (i + 5) | 3: division by zero\nul % 10 | unsigned long 5 <- ul\n-9223372036854775807 - 1 | long -9223372036854775808\n",
	"(-9223372036854775807 - 1) / -1 | long -9223372036854775808\n(-9223372036854775807 - 1) % -1 | long 0\n-7 / 2 | int -3\n",
	"-7 % 2 | int -1\n7u / 2 | unsigned int 3\ni > l | int 1 <- i; l\ni > ul | int 0 <- i; ul\ns > u | int 1 <- s; u\n",
	"s == 65533 | int 0 <- s\nc == 'A' | int 1 <- c\nc > 64.5 | int 1 <- c\nf == 1.5f | int 1 <- f\npi > 0 | int 1 <- pi\n",
	"pi >= pi | int 1 <- pi\npi <= 1 | int 0 <- pi\na | 1: no variable, function or enumerator 'a' is known here\n",
	"derived | 1: no variable, function or enumerator 'derived' is known here\n",
	"int | 1: no variable, function or enumerator 'int' is known here\nstop | void () {void ()} 0x401000 @401000 <- stop\n",
};

/* The result of an expression as in tests/unit/report/t-expressions.c. */
static const char *
result_of(struct made *made, struct text text)
{
	const struct value_expression found = value_expression_of(made->frame, 0, text, NULL, &made->arena);
	struct arena *arena = &made->arena;

	if (found.wrong != NULL)
		return arena_format(arena, "%zu: %s", found.column, found.wrong);
	const struct evaluated written = evaluated_of(&found.value, arena);
	const char *all = written.absent != NULL ? arena_format(arena, "%s <%s>", written.type, written.absent)
			  : arena_format(arena, "%s %s", written.type, written.pretty != NULL ? written.pretty : written.value);
	if (written.has_address && written.absent == NULL)
		all = arena_format(arena, "%s @%" PRIx64, all, written.address);
	if (found.note != NULL)
		all = arena_format(arena, "%s # %s", all, found.note);
	for (size_t i = 0; i < found.use_count; i++)
		all = arena_format(arena, "%s%s%.*s", all, i == 0 ? " <- " : "; ", TEXT_UPTO(found.uses[i].text, 100));
	return all;
}

TEST_BOTH(rows, big_endian)
{
	struct made made;

	made_open_ordered(&made, program, big_endian ? "srr0=401010 r1=408000" : "rip=401010 rsp=408000", memory, big_endian);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char *all = arena_string(&made.arena, rows[i]);

		for (char *row; (row = strsep(&all, "\n")) != NULL && *row != '\0';) {
			char *end = row;
			for (char *next = end; (next = strstr(next, " | ")) != NULL; next++)
				end = next;
			is_text(result_of(&made, (struct text){ row, (size_t)(end - row) }), end + 3, "%.*s", (int)(end - row), row);
		}
	}
	made_close(&made);
}

/* Expressions of a part that is repeated, a middle, and another part that is repeated. */
static const struct {
	const char *part, *middle, *last, *shown;
	unsigned times;
} limits[] = {
	{ "(", "1", ")", "int 1", 128 }, { "(", "1", ")", "129: the expression is nested too deeply", 129 },
	{ "1+(", "1", ")", "int 64", 63 }, { "1+(", "1", ")", "193: the expression has too many parts", 64 },
	{ " ", "1", "", "int 1", 4095 }, { " ", "1", "", "4097: the expression is too long", 4096 },
	{ "0", "1", "", "int 1", 63 }, { "0", "1", "", "65: expected an operator or the end", 64 },
	{ "*&", "i", "", "int -5 @408010 <- i; &i", 1 }, { "!", "0", "", "int 0", 100 }, { "-", "1", "", "int 1", 128 },
	{ "-", "1", "", "129: the expression is nested too deeply", 129 }, { "1+", "1", "", "int 1001", 1000 },
	{ "a", "b", "", "1: no variable, function or enumerator '" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is known here", 200 },
};

TEST_EACH(limits, limits)
{
	struct output_string text;
	struct made made;

	made_open(&made, program, memory);
	output_string_init(&text, &made.arena);
	for (unsigned time = 0; time < limits[i].times; time++)
		output_format(&text.output, "%s", limits[i].part);
	output_format(&text.output, "%s", limits[i].middle);
	for (unsigned time = 0; time < limits[i].times; time++)
		output_format(&text.output, "%s", limits[i].last);
	is_text(result_of(&made, text_of(text.text)), limits[i].shown, "%u times %s", limits[i].times, limits[i].part);
	made_close(&made);
}
