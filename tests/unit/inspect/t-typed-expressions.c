/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions over variables of a program that is written by hand, in both orders of bytes. The types and values are those of C17
 * and C++17 for the ABIs of amd64 and ppc64.
 */
#include "inspect/expression.h"
#include "inspect/expression/value_expression.h"
#include "report/value/value_text.h"
#include "tests/unit/inspect/made_types.h"

#define LONG_NAME "a_name_with_more_than_60_bytes_of_which_an_error_has_sixty_o"
#define NAME_58 "b_name_of_58_bytes_which_is_one_byte_shorter_than_the_othe"
#define NAME_59 "a_name_of_59_bytes_after_which_there_is_room_for_another_on"
static const char *const program[] = {
	"int|i4", "uint|u4", "long|i8", "ulong|u8", "short|i2", "char|C1", "float|f4", "double|f8", "wide|i16", "bool|b1", "quad|f16",
	"base|{8|x@int@0|y@int@4", "second|{4|z@int@0", "derived|{24|^@base@0|^@second@8|w@int@12|own@int@16|bits@int@20",
	"*base|*base", "*second|*second", "*derived|*derived", "**derived|**derived", "&derived|&derived", "*int|*int", "*wide|*wide",
	"holder|{16|.inner@int@0|.other@int@4|small@int@8:3|large@long@8:40", "three|[3]int", "many|{8|alpha@int@0|alphabet@int@4",
	"i|@8010|int", "u|@8018|uint", "l|@8020|long", "d|@8028|double", "f|@8030|float", "s|@8038|short", "c|@8040|char",
	"object|@8048|derived", "pd|@8060|*derived", "arr|@8068|three", "pi|@8078|*int", "gone|_|int", "lostp|_|*int", "big|@8010|wide",
	"long_double|@8010|quad", "rd|@8060|&derived", "held|@8080|holder", "this|@8060|*derived", "ul|@8090|ulong", "fixed|#-7|int",
	"computed|!35319f|int", "yes|@8090|bool", "m|@8010|many", "ppd|@8098|**derived", "nothing|@8060|none", "none|{0", "none|@8010|int", LONG_NAME "_|_|int",
	"table|[2]three", "grid|@8068|table", "*three|*three", "pa|@8078|*three", "*table|*table", "third|{40|^@derived@8|v@int@0", "*third|*third", "holds|{8|a@int@0|inner@second@4",
	"names|{8|" NAME_59 "@int@0|" NAME_58 "@int@4|zz@int@4|never@int@4", "nm|@8010|names", "*holds|*holds",
	"***derived|***derived", "****derived|****derived", "*****derived|*****derived", "p4|_|****derived", "p5|_|*****derived",
	 "pt|@8078|*table", "fwd|?", "*fwd|*fwd", "fwd|{8|a@int@0", "pf|@8078|*fwd", "lost|?", "*lost|*lost",
	"nine|i9", "big9|@8010|nine", "pl|@8078|*lost", "a9|@8010|int", "A1|@8010|int", "Z|@8010|int", "ns::i::vw|@8010|int", "ns::i|@8010|int", "[1]int|[1]int", "single|@8068|[1]int", "fort|[;l1,u3]int", "f3|@8068|fort", "box<0u>|{8", "box<9u>|{8", "box<$i>|{8", "box<i>|{8", "\304\200|@8010|int", NULL,
};

/* Both halves of most words are equal, so that numbers of 4 bytes have the same value in both orders. */
static const char memory[] = "8010=fffffffbfffffffb 8018=700000007 8020=fffffffffffffffa 8028=4004000000000000 8030=3fc000003fc00000 "
	"8038=fffdfffdfffdfffd 8040=4141414141414141 8048=100000001 8050=300000003 8058=900000009 8060=408048 8068=200000002 "
	"8070=400000004 8078=408068 8080=500000005 8090=ffffffffffffffff 8098=408060";

static const char *const rows[] = {
	"nm.q | 4: struct names has no member 'q'; its members: " NAME_59 ", " NAME_58 ", zz\n",
	"nm." LONG_NAME "_x | 4: struct names has no member '" LONG_NAME "'; its members: " NAME_59 ", " NAME_58 ", zz\n",
	LONG_NAME "_ + 1 | int <" LONG_NAME ": optimised out> <- " LONG_NAME "_\n",
	"&stop | void (*)() 0x401000 <stop> <- stop\nobject.second | 8: struct derived has no member 'second'; its members: w, own, bits\n",
	"*stop | void () {void ()} 0x401000 @401000 <- stop\n(int (*)[3])pi | 2: no variable, function or enumerator 'int' is known here\n",
	"!stop | int 0 <- stop\nul >> 60 | unsigned long 15 <- ul\n(long)stop | long 4198400 <- stop\n(int **)pi | int ** 0x408068 <- pi\n",
	"pa + 1 | int (*)[3] 0x408074 <- pa\n(second *)pd | struct second * 0x408050 <- pd\n*(arr + 2) | int 4 @408070 <- arr; (arr + 2)\n",
	"stop == 0x401000 | int 1 <- stop\nrd | struct derived & @0x408048 @408048 <- rd\n-pi | 1: expected a number after this operator\n",
	"ppd->own | 4: struct derived * has no members\n&computed + 1 | 1: the value is not in memory: computed: 1, so it has no address\n",
	"(base *)(third *)0x1000 | struct base * 0x1008\n(enum derived)1 | 2: expected the name of a type that the debug information has\n",
	"stop.x | 5: void () has no members\n(void **)pi | void ** 0x408068 <- pi\n(int const volatile)l | int -6 <- l\n?rd.own | memory\n",
	"object.x | int 1 @408048 <- object\nc + 1 | int 66 <- c\nobject.y | int 1 @40804c <- object\nobject.z | int 3 @408050 <- object\n",
	"!pd | int 0 <- pd\nobject.w | int 3 @408054 <- object\nsizeof rd | unsigned long 24 <- rd\nsizeof(derived) | unsigned long 24\n",
	"single[1] | int 2 @40806c # element 1 is not one of the 1 of the array <- single\n1 << 2l | int 4\n8 >> 1l | int 4\n",
	"1 + sizeof(int) | unsigned long 5\n(0 || 1) + 1 | int 2\n(1 && 0) + 1 | int 1\n1`2 | 2: expected an operator or the end\n",
	"A1 + Z | int -10 <- A1; Z\nns::i::vw | int -5 @408010 <- ns::i::vw\nns::i:: | 6: expected an operator or the end\n",
	"f3[4] | int 4 @408074 # element 4 is not one of the 3 of the array <- f3\nf3[3] | int 4 @408070 <- f3\nf3[1] | int 2 @408068 <- f3\n",
	"&pt | int (**)[2][3] 0x408078 <- pt\nsizeof(int *****************) | 8: no variable, function or enumerator 'int' is known here\n",
	"i\t+\t1 | int -4 <- i\ni < u | int 0 <- i; u\nl * d | double -15 <- l; d\nl & 0xff | long 250 <- l\nown | int 9 @408058 <- own\n",
	"pi | int * 0x408068 @408078 <- pi\nl / ul | unsigned long 0 <- l; ul\nthis->own | int 9 @408058 <- this\n?\"abc\"[1] | constant\n",
	"\304\200 | int -5 @408010 <- \304\200\n&this | struct derived ** 0x408060 <- this\n(none)1 | 7: expected an operator or the end\n",
	"(second *)408050 | struct second * 0x639f2\n(union derived *)pd | 2: expected the name of a type that the debug information has\n",
	"sizeof (i) [arr] | unsigned long 4 <- i; arr\nsizeof(long double) | 8: no variable, function or enumerator 'long' is known here\n",
	"i:u | 2: expected an operator or the end\n(base *)pd | struct base * 0x408048 <- pd\n(char *)pi - (char *)&i | long 88 <- pi; i\n",
	"pf->a | int 2 @408068 <- pf\npl->a | 3: struct lost is only declared in the debug information, not defined\na9 | int -5 @408010 <- a9\n",
	"i << 4294967296 | 3: a shift by more bits than the number has\n4294967295u / i | unsigned int 1 <- i\nul > 0 | int 1 <- ul\n",
	"0B101 | int 5\nobject.own | int 9 @408058 <- object\nsizeof arr | unsigned long 12 <- arr\nstatic_cast < int > (d) | int 2 <- d\n",
	"sizeof(::derived) | unsigned long 24\n(quad)1 | 1: cannot cast to quad; *(quad *)& in front of the value reads its bytes as one\n",
	"sizeof(i) + 1 | unsigned long 5 <- i\n(wide)1 | 1: cannot cast to wide; *(wide *)& in front of the value reads its bytes as one\n",
	"i + u | unsigned int 2 <- i; u\npi * 2 | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"(int foo)1 | 2: no variable, function or enumerator 'int' is known here\nstatic_cast<i>(1) | 13: expected the name of a type\n",
	"gone @ 2 | 6: expected a value in memory before '@'\narr[3] | int 4 @408074 # element 3 is not one of the 3 of the array <- arr\n",
	":: | 1: expected a variable, a number or a register\n(struct)1 | 2: expected the name of a type that the debug information has\n",
	"(int char)1 | 2: no variable, function or enumerator 'int' is known here\nlostp - pi | long <lostp: optimised out> <- lostp; pi\n",
	"1:2 | 2: expected an operator or the end\nsizeof(arr @ 2) | unsigned long 24 <- arr\nsizeof(unsigned char *) | unsigned long 8\n",
	"arr | int [3] {2, 2, 4} @408068 <- arr\npa | int (*)[3] 0x408068 @408078 <- pa\nsizeof(none) | unsigned long 4 <- none\n",
	"derived::z | 1: no variable, function or enumerator 'derived::z' is known here\narr @ 1 | int [1][3] {{2, 2, 4}} @408068 <- arr\n",
	"l + i | long -11 <- l; i\n&pa | int (**)[3] 0x408078 <- pa\n&*pa | int (*)[3] 0x408068 <- pa\n&arr | int (*)[3] 0x408068 <- arr\n",
	"sizeof(volatile char * const *) | unsigned long 8\n&computed | 1: the value is not in memory: computed: 1, so it has no address\n",
	"(second *)(holds *)0x1000 | struct second * 0x1000\nobject + 1 | 1: struct derived: not a number or a pointer; expected one\n",
	"&(&stop) | 1: the value is not in memory, so it has no address\n(unsigned long int)i | unsigned long 18446744073709551611 <- i\n",
	"(char)i | char 251 '\\373' <- i\nsizeof(int ****************) | unsigned long 8\n*(int *)arr | int 2 @408068 <- arr; (int *)arr\n",
	"?gone | optimized out\nx + z | int 4 <- x; z\n?arr[1] | memory\n?i + 1 | computed\n?computed | computed\n?(*pd).z | memory\n",
	"?*pd | memory\n?&rd | computed\n?stop | memory\n?rd | memory\nfixed | int -7\n",
	"1z | 2: expected a decimal digit; hexadecimal numbers begin with 0x\nlostp[1] | int <lostp: optimised out> <- lostp; lostp[1]\n",
	"?gone + 1 | optimized out\nstop | void () {void ()} 0x401000 @401000 <- stop\n(short unsigned int)i | unsigned short 65531 <- i\n",
	"ul + 1 | unsigned long 0 <- ul\npi + d | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"(int *)pd | int * 0x408048 <- pd\npd->z | int 3 @408050 <- pd\n&pd->own | int * 0x408058 <- pd\n(long)arr | long 4227176 <- arr\n",
	"i % u | unsigned int 6 <- i; u\n1 - pi | 3: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"big9 + 1 | 1: numbers of more than 8 bytes cannot be computed with\n(nine)1 | 1: cannot cast to nine; *(nine *)& in front of "
	"the value reads its bytes as one\n",
	"big + 1 | 1: numbers of more than 8 bytes cannot be computed with\na | 1: no variable, function or enumerator 'a' is known here\n",
	"long_double * 2 | 1: numbers of more than 8 bytes cannot be computed with\ni @ 0 | 5: expected the number of elements after '@'\n",
	"(int)big | 1: numbers of more than 8 bytes cannot be computed with\nnothing | struct none {<No data fields>} @408060 <- nothing\n",
	"object | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- object\n",
	"pd->y | int 1 @40804c <- pd\n*arr | int 2 @408068 <- arr\ni.x | 2: int has no members\n&*pi | int * 0x408068 <- pi\n",
	"((second *)pd)->z | int 3 @408050 <- pd; ((second *)pd)\n&fixed | 1: the value is not in memory: constant, so it has no address\n",
	"(derived *)(second *)pd | struct derived * 0x408048 <- pd\nm.q | 3: struct many has no member 'q'; its members: alpha, alphabet\n",
	"(derived *)(base *)pd | struct derived * 0x408048 <- pd\ni->x | 2: expected a pointer, this is int; a cast makes one: *(long *)\n",
	"(second *)(derived *)0 | struct second * 0x0\nreinterpret_cast<int *>(pd)[1] | int 1 @40804c <- pd; reinterpret_cast<int *>(pd)\n",
	"(long)(second *)pd | long 4227152 <- pd\n(*ppd)->own | int 9 @408058 <- ppd; (*ppd)\narr[1] @ 2 | int [2] {2, 4} @40806c <- arr\n",
	"rd.own | int 9 @408058 <- rd\npi - 1 | int * 0x408064 <- pi\n&pi[1] | int * 0x40806c <- pi\n(int)arr | int 4227176 <- arr\n",
	"**ppd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- ppd\n",
	"&rd | struct derived * 0x408048 <- rd\n&grid[1] | int (*)[3] 0x408074 <- grid\ngrid + 1 | int (*)[3] 0x408074 <- grid\n",
	"&gone | int * <optimised out> <- gone\nsizeof(struct none) | unsigned long 0\narr[1.5] | 5: expected a whole number\n",
	"held.inner | int 5 @408080 <- held\nheld.other | int 5 @408084 <- held\n(void *)pi | void * 0x408068 <- pi\n?fixed | constant\n",
	"(second *)&rd | struct second * 0x408050 <- rd\n(struct int)1 | 2: expected the name of a type that the debug information has\n",
	"arr[1] | int 2 @40806c <- arr\npi + pi | 4: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n",
	"arr[2] | int 4 @408070 <- arr\n2[arr] | int 4 @408070 <- arr\n&arr[2] - arr | long 2 <- arr\npi + 1 | int * 0x40806c <- pi\n",
	"pi || gone | int 1 <- pi; gone\n(*pa)[2] | int 4 @408070 <- pa\npi < &arr[1] | int 1 <- pi; arr\nsizeof(void) | unsigned long 0\n",
	"(third *)(second *)0x1010 | struct third * 0x1000\npd->nope | 5: struct derived has no member 'nope'; its members: w, own, bits\n",
	"sizeof(derived *) | unsigned long 8\n*lostp | int <lostp: optimised out> <- lostp\nsizeof(nothing) | unsigned long 0 <- nothing\n",
	"pi == arr | int 1 <- pi; arr\ncomputed | int 1 <- computed\npi - arr | long 0 <- pi; arr\n(bool)arr | bool true <- arr\n",
	"*(int *)0x408068 | int 2 @408068 <- (int *)0x408068\nderived | 1: no variable, function or enumerator 'derived' is known here\n",
	"const_cast<int> | 16: expected a variable, a number or a register\ni @ gone | 5: expected the number of elements after '@'\n",
	"arr[gone] | int <gone: optimised out> <- arr; gone\n*(long *)8 | long <its memory is not in the dump> @8 <- (long *)8\n",
	"arr[1][0] | 7: int: neither an array nor a pointer\n(struct derived *)pd | struct derived * 0x408048 @408060 <- pd\n",
	"i @ -1 | 5: expected the number of elements after '@'\narr[object] | 5: struct derived: not a number or a pointer; expected one\n",
	"&held.small | 1: a bit field has no address\nheld.nothing | 6: struct holder has no member 'nothing'; its members: small, large\n",
	"m.alpah | 3: struct many has no member 'alpah'; did you mean alpha\n(unsigned long)-1.5 | unsigned long 18446744073709551615\n",
	"m.alphabe | 3: struct many has no member 'alphabe'; did you mean alphabet\n(volatile char * const *)pi | char ** 0x408068 <- pi\n",
	"(double)ul | double 1.8446744073709552e+19 <- ul\nobject == object | 1: struct derived: not a number or a pointer; expected one\n",
	"d % f | 3: expected whole numbers on both sides of this operator\nobject[0] | 7: struct derived: neither an array nor a pointer\n",
	"*i | 1: expected a pointer, this is int; a cast makes one: *(long *)\ni(1) | 2: functions cannot be called: there is no process\n",
	"(void *)pi + 1 | void * 0x408069 <- pi\n&object.own | int * 0x408058 <- object\n&grid | int (*)[2][3] 0x408068 <- grid\n",
	"sizeof (derived)+1 | unsigned long 25\n*pa | int [3] {2, 2, 4} @408068 <- pa\npt + 1 | int (*)[2][3] 0x408080 <- pt\n",
	"(int)object | 1: struct derived: not a number or a pointer; expected one\n(bool)gone | bool <(bool)gone: optimised out> <- gone\n",
	"*(void *)pi | 1: the target of a void * has no type; a cast gives it one\nl << 64 | 3: a shift by more bits than the number has\n",
	"(long long unsigned)i | unsigned long long 18446744073709551611 <- i\n&&i | 1: the value is not in memory, so it has no address\n",
	"(class derived *)pd | struct derived * 0x408048 @408060 <- pd\nint | 1: no variable, function or enumerator 'int' is known here\n",
	"* *ppd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- ppd\n",
	"*&*pd | struct derived {<struct base> = {x = 1, y = 1}, <struct second> = {z = 3}, w = 3, own = 9, bits = 9} @408048 <- pd; &*pd\n",
	"(derived *)lostp | struct derived * <(derived *)lostp: optimised out> <- lostp\npa @ 1 | int (*[1])[3] {0x408068} @408078 <- pa\n",
	"i > ul | int 0 <- i; ul\npt @ 1 | int (*[1])[2][3] {0x408068} @408078 <- pt\n(second *)(third *)0x1000 | struct second * 0x1010\n",
};

/* The result of an expression as in tests/unit/report/t-expressions.c. */
static const char *
result_of(struct made *made, struct text text)
{
	/* With '?' only the kind of its place. */
	const bool place = text.start[0] == '?';
	if (place)
		text = (struct text){ text.start + 1, text.length - 1 };
	const struct value_expression found = value_expression_of(made->frame, 0, text, NULL, &made->arena);
	struct arena *arena = &made->arena;

	if (found.wrong != NULL)
		return arena_format(arena, "%zu: %s", found.column, found.wrong);
	if (place)
		return variable_locations[found.value.location];
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

static void
compare_rows(struct made *made, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *all = arena_string(&made->arena, texts[i]);

		for (char *row; (row = strsep(&all, "\n")) != NULL && *row != '\0';) {
			char *end = row;
			for (char *next = end; (next = strstr(next, " | ")) != NULL; next++)
				end = next;
			is_text(result_of(made, (struct text){ row, (size_t)(end - row) }), end + 3, "%.*s", (int)(end - row), row);
		}
	}
}

TEST_BOTH(rows, big_endian)
{
	struct made made;

	made_open_ordered(&made, program, big_endian ? "srr0=401010 r1=408000" : "rip=401010 rsp=408000", memory, big_endian);
	compare_rows(&made, rows, ARRAY_COUNT(rows));
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
	{ "&", "$sp", "", "1: the value is not in memory: register rsp, so it has no address", 1 },
	{ "", "$rax", "", "long long 0 <- $rax", 0 }, { "*&", "i", "", "int -5 @408010 <- i; &i", 1 }, { "!", "0", "", "int 0", 100 }, { "-", "1", "", "int 1", 128 },
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

/* The words of `memory` at their addresses. */
static const char *
words_of(const char *text, struct arena *arena)
{
	const char *all = "";

	for (; *text != '\0'; text += strcspn(text, " "), text += strspn(text, " "))
		all = arena_format(arena, "%s40%.*s ", all, (int)strcspn(text, " "), text);
	return all;
}

/*
 * What users type for an address: `!` if it has no value, the value, and letters: p only a number, n only numbers, u no known name,
 * t with variables. Then the text. `0:` is read without frames, `9:` in a frame that does not exist, `w:` on Windows.
 */
static const struct {
	const char *typed, *shown;
} addresses[] = {
	{ "0:(", "!0 u '(' is no sum; postfix reads a word and multiplies: $rsp 24 + ^, 3 8 *" }, { "7ffe1000", "7ffe1000 pn 0x7ffe1000" },
	{ "0x8", "8 pn 0x8" }, { "s0", "408010 t " }, { "s3", "408010 t " }, { "u", "7 t " }, { "pd", "408048 t " }, { "pd->own", "9 t " },
	{ "w:sizeof(long)", "4 t " }, { "0:add", "add pn 0xadd" }, { "$rsp + b2", "407ffb t " }, { "environ", "700000007 t " },
	{ "$rsp + + 8", "408008 t " }, { "s8", "fffffffbfffffffb t " }, { "x1", "fffffffffffffffb t " }, { "lostp", "!0 t optimised out" },
	{ "w:sizeof(unsigned long)", "4 t " }, { "$rsp + nope", "!0  column 8: no variable, function or enumerator 'nope' is known here" },
	{ "w:sizeof(long long)", "8 t " }, { "w:sizeof 4294967296", "8 t " }, { "0x10", "10 pn 0x10" }, { "a-b+1", "0 n 0xa - 0xb + 0x1" },
	{ "i + 1", "fffffffffffffffc t " }, { "arr[1]", "2 t " }, { "b2 + 1", "fffffffffffffffc t " }, { "(char *)$rsp + 8", "408008 t " },
	{ "w:sizeof(long *)", "8 t " }, { "10 - 20", "fffffffffffffff0 n 0x10 - 0x20" }, { "made!helper", "402000  made!helper 0x402000" },
	{ "w:(char *)0x500000010 - (char *)0x10", "500000000 t " }, { "w:sizeof sizeof(int)", "8 t " },
	{ "s1", "fb t " }, { "9:add", "add pn 0xadd" }, { "0:bad", "bad pn 0xbad" }, { "1b2", "1b2 pn 0x1b2" }, { "17 4 @", "10  17 4 @" },
	{ "object", "408048 t " }, { "1+b2", "fffffffffffffffc t " }, { "rsp", "408000  rsp 0x408000" }, { "$sp", "408000  $sp 0x408000" },
	{ "nothing", "408060 t " }, { "0:[rsp+24]", "!0 u '[rsp+24]' is no sum; postfix reads a word and multiplies: $rsp 24 + ^, 3 8 *" },
	{ "s2", "fffb t " }, { "+ 8", "8 t " }, { "5*8", "28 t " }, { "'a'", "61 t " }, { "&i", "408010 t " }, { "d", "408028 t " },
	{ "s4", "fffffffb t " }, { "sizeof s3", "3 t " }, { "sizeof 1l", "8 t " }, { "@fp", "0  @fp 0x0" }, { "7 4 %", "3  7 4 %" },
	{ "sizeof **environ", "1 t " }, { "i", "fffffffffffffffb t " }, { "sizeof(derived)", "18 t " }, { "_x", "fffffffffffffffb t " },
	{ "b2", "fffffffffffffffb t " }, { "10+20", "30 n 0x10 + 0x20" }, { "-5", "fffffffffffffffb t " }, { "~5", "fffffffffffffffa t " },
	{ "w:sizeof 1l", "4 t " }, { "$pc", "401010  $pc 0x401010" }, { "a-b", "402010  a-b 0x402010" }, { "$rsp 8 + ^", "0  $rsp 8 + ^" },
	{ "0X1f", "1f pn 0x1f" }, { "0:10", "10 pn 0x10" }, { "3 8 *", "18  3 8 *" }, { "held.small", "0 t " }, { "abc", "abc pn 0xabc" },
	{ "0x", "!0  column 1: expected a number" }, { "nope(", "!0  column 1: no variable, function or enumerator 'nope' is known here" },
	{ "7fff`12345678", "7fff12345678 pn 0x7fff12345678" }, { "[rsp+24]", "!0  column 1: expected a variable, a number or a register" },
	{ "`12", "!0  column 1: expected a variable, a number or a register" }, { "2 *", "!0  '*' needs 2 values, the stack has fewer" },
	{ "12345678901234567", "2bdc545d6b4b87 t " }, { "nope", "!0  column 1: no variable, function or enumerator 'nope' is known here" },
	{ "ffffffffffffffff", "ffffffffffffffff pn 0xffffffffffffffff" }, { "0:$rsp", "!0  register '$rsp' has no value in this frame" },
	{ "10", "10 pn 0x10" }, { "bad", "402020 t " }, { "big", "408010 t " }, { "arr", "408068 t " }, { "stop", "401000 t " },
	{ "add", "fffffffffffffffb t " }, { "0:(rsp)", "!0 u '(rsp)' is no sum; postfix reads a word and multiplies: $rsp 24 + ^, 3 8 *" },
	{ "1 0 %", "!0  '%' divides by zero" }, { "8 0 /", "!0  '/' divides by zero" }, { "@", "!0  there is no register '@'" },
	{ "helper", "402000  helper 0x402000" }, { "far(int)", "402030  far(int) 0x402030" }, { "$b2", "!0  there is no register '$b2'" },
	{ "1 2 3 *", "!0  values are left on the stack at the end" }, { "", "!0 n expected an address, register, function or expression" },
	{ "i ^", "!0  column 4: expected a variable, a number or a register" }, { "rsp - 8 + 10", "408008  rsp 0x408000 - 0x8 + 0x10" },
	{ "$rsp", "408000  $rsp 0x408000" }, { "0:5*8", "!5 u '5*8' is no sum; postfix reads a word and multiplies: $rsp 24 + ^, 3 8 *" },
	{ "@rsp", "408000  @rsp 0x408000" }, { "$rsp+8", "408008  $rsp 0x408000 + 0x8" }, { "$nope", "!0  there is no register '$nope'" },
	{ "@nope", "!0  there is no register '@nope'" }, { "helper+4", "402004  helper 0x402000 + 0x4" }, { "gone", "!0 t optimised out" },
	{ "sp", "!0  column 1: no variable, function or enumerator 'sp' is known here" }, { "$nope 1 +", "!0  '$nope' has no value here" },
	{ "$", "!0  there is no register '$'" }, { "0:helper", "402000  helper 0x402000" }, { "@b2", "!0  there is no register '@b2'" },
	{ "$rip + 8", "401018  $rip 0x401010 + 0x8" }, { "far", "!0  column 1: no variable, function or enumerator 'far' is known here" },
	{ "9:rsp", "!0  register 'rsp' has no value in this frame" }, { "(rsp)", "!0  column 2: the name of a register begins with '$'" },
	{ "$rsp -", "!0  '-' needs 2 values, the stack has fewer" }, { "i+", "!0  column 3: expected a variable, a number or a register" },
	{ "helper + $rsp", "80a000  helper 0x402000 + $rsp 0x408000" }, { "1 2 3 +", "!0  values are left on the stack at the end" },
	{ "$rsp 16 + ^", "fffffffbfffffffb  $rsp 16 + ^" }, { "0:nope", "!0 u 'nope' is not a number, a register or a known function" },
	{ "nope.x", "!0  column 1: no variable, function or enumerator 'nope' is known here" }, { "gone + 1", "!0 t gone: optimised out" },
	{ "own", "9 t " }, { "*pi", "2 t " },
};

TEST_EACH(addresses, addresses)
{
	static const char *const more[] = { "add|@8010|int", "b2|@8010|int", "_x|@8010|int", "x1|@8010|int",
						"s0|%8010+0", "s1|%8010+1", "s2|%8010+2", "s3|%8010+3", "s4|%8010+4", "s8|%8010", "environ|%8018" };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena arena = { 0 };
	const char *typed = addresses[i].typed, start = typed[0] != '\0' && typed[1] == ':' ? typed[0] : '-';
	const struct scene scene = { ARCH_AMD64, start == 'w' ? CRASH_OS_WINDOWS : CRASH_OS_LINUX, "rip=401010 rsp=408000 rbx=5", 0x402000, 0x7000, words_of(memory, &arena),
		{ { 0x400000, 0x4000, "made", "FUNC 2000 10 0 helper\nFUNC 2010 10 0 a-b\nFUNC 2020 10 0 bad\nPUBLIC 2030 0 far(int)\n" } },
		.binaries = "" };
	const char *rows_of[ARRAY_COUNT(program) + ARRAY_COUNT(more)];
	struct surroundings around;
	struct staged staged;

	memcpy(rows_of, more, sizeof(more));
	memcpy(rows_of + ARRAY_COUNT(more), program, sizeof(program));
	scene_enter_folder();
	made_write("nothing/made", rows_of);
	scene_open(&staged, &scene);
	staged.walk = walk_create(&staged.crash, staged.symbols, staged.binaries, 0, &policy);
	walk_run(staged.walk, 0);
	surroundings_init(&around, &staged.crash, staged.symbols, staged.binaries, &policy, NULL);
	const struct expression_scope scope = { start == '0' ? NULL : staged.walk, start == '9' ? 9 : 0, 0 };
	const struct expression found = expression_in(&around, &scope, text_of(start != '-' ? typed + 2 : typed), &arena);
	is_text(arena_format(&arena, "%s%" PRIx64 " %s%s%s%s %s", found.known ? "" : "!", found.value, found.plain ? "p" : "",
			     found.numbers ? "n" : "", found.unnamed ? "u" : "", found.typed != NULL ? "t" : "", found.text),
		addresses[i].shown, "'%s'", typed);
	surroundings_free(&around);
	unlink("nothing/made");
	arena_free(&arena);
	scene_close(&staged);
}

/* Values of libstdc++, with members at offsets of our own: indexes, keys, and functions that only read. */
static const char *const library[] = {
	"int|i4", "word|u8", "bool|b1", "char|c1", "*int|*int", "*char|*char", "*word|*word", "[16]char|[16]char",
	"list<int>|{24|_M_impl._M_node._M_next@*word@0|_M_impl._M_node._M_prev@*word@8|_M_impl._M_node._M_size@word@16|<int",
	"basic_string<char>|{32|_M_dataplus._M_p@*char@0|_M_string_length@word@8|_M_local_buf@[16]char@16|_M_allocated_capacity@word@16",
	"vector<int>|{24|_M_impl._M_start@*int@0|_M_impl._M_finish@*int@8|_M_impl._M_end_of_storage@*int@16",
	"unique_ptr<int>|{8|_M_t._M_t._M_head_impl@*int@0", "counts|{16|_M_use_count@int@8|_M_weak_count@int@12", "*counts|*counts",
	"shared_ptr<int>|{16|_M_ptr@*int@0|_M_refcount._M_pi@*counts@8",
	"optional<int>|{8|_M_payload._M_payload._M_value@int@0|_M_payload._M_engaged@bool@4",
	#define TREE "|{48|_M_impl._M_header._M_color@int@0|_M_impl._M_header._M_left@*word@16|_M_impl._M_node_count@word@32|"
	"spair|{40|first@basic_string<char>@0|second@int@32", "stree" TREE "<basic_string<char>|<spair", "map<string, int>|{48|_M_t@stree@0",
	"cpair|{16|first@*char@0|second@int@8", "ctree" TREE "<*char|<cpair", "map<char *, int>|{48|_M_t@ctree@0",
	"ipair|{8|first@int@0|second@int@4", "itree" TREE "<int|<ipair", "map<int, int>|{48|_M_t@itree@0",
	"v|@8000|vector<int>", "s|@8020|basic_string<char>", "l|@8040|list<int>", "u|@8060|unique_ptr<int>", "e|@8068|unique_ptr<int>",
	"h|@8070|shared_ptr<int>", "o|@8080|optional<int>", "n|@8088|optional<int>", "m|@8200|map<string, int>", "c|@8300|map<char *, int>",
	"i|@8400|map<int, int>", "gone|_|int", "k|@8100|int",
	"_Head_base<0, int>|{4|_M_head_impl@int@0", "_Head_base<1, bool>|{1|_M_head_impl@bool@0",
	"_Tuple_impl<1, bool>|{1|^@_Head_base<1, bool>@0", "_Tuple_impl<0, int, bool>|{8|^@_Tuple_impl<1, bool>@0|^@_Head_base<0, int>@4",
	"tuple<int, bool>|{8|^@_Tuple_impl<0, int, bool>@0", "t|@8090|tuple<int, bool>", "*map<string, int>|*map<string, int>",
	"pm|@8098|*map<string, int>", "byte|u1", "RcInner|{32|strong.value.value@word@0|weak.value.value@word@8|value@ipair@16",
	"*RcInner|*RcInner", "Rc<ipair>|{8|ptr.pointer@*RcInner@0", "r|@80b0|Rc<ipair>", "*ipair|*ipair",
	"variant<ipair, char>|{16|_M_u._M_first._M_storage@ipair@0|_M_u._M_rest._M_first._M_storage@char@0|_M_index@byte@8",
	"w|@80a0|variant<ipair, char>", "unique_ptr<ipair>|{8|_M_t._M_t._M_head_impl@*ipair@0", "ui|@80b8|unique_ptr<ipair>",
	"RcV|{40|strong.value.value@word@0|weak.value.value@word@8|value@vector<int>@16", "*RcV|*RcV", "Rc<v>|{8|ptr.pointer@*RcV@0",
	"rv|@80c0|Rc<v>", "__normal_iterator<int>|{8|_M_current@*int@0", "it|@80c8|__normal_iterator<int>", "wide|i16", "wi|@8100|wide",
	"&int|&int", "ri|@80d0|&int", "ev|@8700|vector<int>", "tr|$0100000007000000|tuple<int, bool>",
	"String|{24|vec.buf.inner.ptr.pointer.pointer@*char@8|vec.len@word@16", "rs|@8720|String", "[8]char|[8]char", "rg|!08419f9301309f9307|[8]char",
	"char16|c2", "*char16|*char16", "[8]char16|[8]char16", "basic_string<char16>|{32|_M_dataplus._M_p@*char16@0|_M_string_length@word@8"
	"|_M_local_buf@[8]char16@16|_M_allocated_capacity@word@16", "s16|@8740|basic_string<char16>", "wpair|{16|first@word@0|second@int@8",
	"wtree" TREE "<word|<wpair", "map<word, int>|{48|_M_t@wtree@0", "mw|@8800|map<word, int>", "spair16|{40|first@basic_string<char16>@0|second@int@32",
	"tree16" TREE "<basic_string<char16>|<spair16", "map<s16, int>|{48|_M_t@tree16@0", "m16|@8880|map<s16, int>", NULL,
};

/* A vector of 7 and 9, "hello", a list of 7 and 9, pointers to 7, and maps of one element: the keys are "hi", "hello" and 7. */
static const char library_memory[] = "8000=408100 8008=408108 8010=408110 8100=900000007 8020=408030 8028=5 8030=6f6c6c6568 "
	"8040=408120 8050=2 8120=408140 8130=7 8140=408040 8150=9 8060=408100 8070=408100 8078=408158 8160=200000002 "
	"8080=100000007 8088=7 8090=700000001 8098=408200 80a0=4600000007 80b0=408500 80b8=408510 80c0=408600 80c8=408104 80d0=408090 "
	"8600=1 8608=1 8610=408100 8618=408108 8620=408110 8500=2 8508=2 8510=5a00000009 8210=408240 8220=1 8248=408200 8260=408270 8268=2 8270=6968 8280=46 "
	"8310=408340 8320=1 8348=408300 8360=408030 8368=50 8410=408440 8420=1 8448=408400 8460=4600000007 8728=408030 8730=5 8740=408750 8748=2 8750=690068 8810=408840 8820=1 "
	"8848=408800 8860=700000000 8868=50 8890=4088c0 88a0=1 88c8=408880 88e0=4088f0 88e8=2 88f0=690068 8900=50";

static const char *const library_rows[] = {
	"s.len() | unsigned long 5 <- s\nl.len() | unsigned long 2 <- l\ns.is_empty() | bool false <- s\nl.is_empty() | bool false <- l\n",
	"v.c_str() | 3: struct vector<int> has no member 'c_str'; its members: _M_impl\nev.empty() | bool true <- ev\n",
	"u.value() | 3: struct unique_ptr<int> has no member 'value'; its members: _M_t\nev.front() | 1: the vector has 0 elements\n",
	"l.data() | 3: struct list<int> has no member 'data'; its members: _M_impl\nev.back() | 1: the vector has 0 elements\n",
	"o.get() | 3: struct optional<int> has no member 'get'; its members: _M_payload\nev.is_empty() | bool true <- ev\n",
	"h.has_value() | 3: struct shared_ptr<int> has no member 'has_value'; its members: _M_ptr, _M_refcount\nev[0] | 4: the vector has 0 elements\n",
	"h.size() | 3: struct shared_ptr<int> has no member 'size'; its members: _M_ptr, _M_refcount\n?v[0] | memory\n?tr[1] | computed\n",
	"l.c_str() | 3: struct list<int> has no member 'c_str'; its members: _M_impl\ntr[1] | int 7\ntr[2] | bool true\n*it | int 9 @408104 <- it\n",
	"rv[1] | int 9 @408104 <- rv\nit[0] | 3: struct __normal_iterator<int>: neither an array nor a pointer\nv[ri] | int 9 @408104 <- v; ri\n",
	"v[wi] | 3: expected a number or a text in double quotes\nwi.size() | 3: wide has no members\n",
	"rs[1] | char 101 'e' @408031 <- rs\nrs.data() | char * 0x408030 \"hello\" <- rs\nrs.front() | char 104 'h' @408030 <- rs\n",
	"s16[1] | char16 105 u'i' @408752 <- s16\ns16.data() | char16 * 0x408750 u\"hi\" <- s16\nmw[30064771072] | int 80 @408868 <- mw\n",
	"mw[0] | 4: the container has 1 element, none with this key\nm16[\"hi\"] | 5: the container has 1 element, none with this key\n",
	"v[rg] | 3: expected a number or a text in double quotes\nm[rg] | 3: expected a number or a text in double quotes\n",
	"*s | 1: expected a pointer, or a pointer or iterator of a library that has an object now; this is struct basic_string<char>\n",
	"*v | 1: expected a pointer, or a pointer or iterator of a library that has an object now; this is struct vector<int>\n",
	"*l | 1: expected a pointer, or a pointer or iterator of a library that has an object now; this is struct list<int>\n",
	"w.second | int 70 @4080a4 <- w\nw.third | 3: struct variant<ipair, char> has no member 'third'; its members: _M_u, _M_index\n",
	"pm[\"hi\"] | int 70 @408280 <- pm\npm[\"ho\"] | 4: the container has 1 element, none with this key\n",
	"r.second | int 90 @408514 <- r\nui->second | int 90 @408514 <- ui\nui.second | 4: struct unique_ptr<ipair> has no member 'second'; its members: _M_t\n",
	"ui->third | 5: struct ipair has no member 'third'; its members: first, second\n",
	"v[0] | int 7 @408100 <- v\n v.size() | unsigned long 2 <- v\nv[k - 6] | int 9 @408104 <- v; k\ns[0] | char 104 'h' @408030 <- s\n",
	"s[4] | char 111 'o' @408034 <- s\ne.get() | int * 0x0 @408068 <- e\n*u | int 7 @408100 <- u\nv.size ( ) | unsigned long 2 <- v\n",
	"v[1] | int 9 @408104 <- v\nl[0] | int 7 @408130 <- l\ni[7] | int 70 @408464 <- i\ns.empty() | bool false <- s\n",
	"m[\"hi\"] + 1 | int 71 <- m\nv[\"a\"] | 3: expected a number\nv.size() | unsigned long 2 <- v\ns.size() | unsigned long 5 <- s\n",
	"v[2] | 3: the vector has 2 elements\nv.capacity() | unsigned long 4 <- v\nh.use_count() | unsigned long 2 <- h\n",
	"v.size()  * 2 | unsigned long 4 <- v\nh.get() | int * 0x408100 @408070 <- h\ns.front() | char 104 'h' @408030 <- s\n",
	"v[-1] | 3: the vector has 2 elements\ns.back() | char 111 'o' @408034 <- s\ns.capacity() | unsigned long 15 <- s\n",
	"u.get() | int * 0x408100 @408060 <- u\nt[3] | 3: the container has 2 elements\nl[2] | 3: the container has 2 elements\n",
	"v.empty() | bool false <- v\nm.size() | unsigned long 1 <- m\nl.size() | unsigned long 2 <- l\nn.has_value() | bool false <- n\n",
	"v[l] | 3: expected a number or a text in double quotes\nm[1] | 3: the container has 1 element, none with this key\n",
	"i[8] | 3: the container has 1 element, none with this key\nc[\"hello!\"] | 3: the container has 1 element, none with this key\n",
	"s.length() | unsigned long 5 <- s\nv.size() + 1 | unsigned long 3 <- v\ns[5] | 3: the string has 5 elements\n",
	"v[gone] | 3: the index has no value: optimised out\nv.size | 3: struct vector<int> has no member 'size'; its members: _M_impl\n",
	"v.len() | unsigned long 2 <- v\nv.front() | int 7 @408100 <- v\nv.data() | int * 0x408100 <- v\nm[\"hi\"] | int 70 @408280 <- m\n",
	"v.length() | 3: struct vector<int> has no member 'length'; its members: _M_impl\nn.value() | 1: the optional contains no value\n",
	"v.back() | int 9 @408104 <- v\nl.back() | int 9 @408150 <- l\nl.empty() | bool false <- l\nt[2] | bool true @408090 <- t\n",
	"v.is_empty() | bool false <- v\nl.front() | int 7 @408130 <- l\no.value() | int 7 @408080 <- o\no.has_value() | bool true <- o\n",
	"s.c_str() | char * 0x408030 \"hello\" <- s\nl.capacity() | 3: struct list<int> has no member 'capacity'; its members: _M_impl\n",
	"s.data() | char * 0x408030 \"hello\" <- s\n*e | int <its memory is not in the dump> @0 <- e\nc[\"hello\"] | int 80 @408368 <- c\n",
	"t[0] | 3: the container has 2 elements\nu.use_count() | 3: struct unique_ptr<int> has no member 'use_count'; its members: _M_t\n",
	"l[1] | int 9 @408150 <- l\n*h | int 7 @408100 <- h\n*o | int 7 @408080 <- o\ni[7] + 1 | int 71 <- i\nt[1] | int 7 @408094 <- t\n",
	"*n | 1: expected a pointer, or a pointer or iterator of a library that has an object now; this is struct optional<int>\n",
	"m[\"ho\"] | 3: the container has 1 element, none with this key\nm[\"hi2\"] | 3: the container has 1 element, none with this key\n",
	"m[\"h\"] | 3: the container has 1 element, none with this key\nc[\"hell\"] | 3: the container has 1 element, none with this key\n",
	"m[\"\"] | 3: the container has 1 element, none with this key\ni[\"x\"] | 3: the container has 1 element, none with this key\n",
	"i[l] | 3: expected a number or a text in double quotes\ni[gone] | 3: the index has no value: optimised out\n",
};

TEST(library)
{
	struct made made;

	made_open(&made, library, library_memory);
	compare_rows(&made, library_rows, ARRAY_COUNT(library_rows));
	made_close(&made);
}

/* The type that a text names, of its value, or what is wrong with it. A variable hides a type with its name. */
static const char *const named_types[][2] = {
	{ "derived", "struct derived" }, { " int * ", "int *" }, { "struct derived *", "struct derived *" }, { "i", "int" }, { "i + l", "long" },
	{ "unsigned", "unsigned int" }, { "const char", "char" }, { "none", "int" }, { "arr", "int [3]" }, { "pd->own", "int" },
	{ "int x", "! no variable, function or enumerator 'int' is known here" }, { "derived +", "! no variable, function or enumerator 'derived' is known here" },
	{ "box<0u>", "struct box<0u>" }, { "::box<9u>", "struct box<9u>" }, { "box<9u>", "struct box<9u>" }, { "box<$i>", "struct box<$i>" },
	{ "box<i>", "! no variable, function or enumerator 'box' is known here" }, { "sizeof(derived)", "unsigned long" }, { "nope", "! no variable, function or enumerator 'nope' is known here" },
};

TEST_EACH(named_type, named_types)
{
	const char *wrong = NULL;
	struct made made;

	made_open(&made, program, memory);
	const struct debug_type *type = value_expression_type(made.frame, 0, text_of(named_types[i][0]), NULL, &made.arena, &wrong);
	is_text(type != NULL ? type->name : arena_format(&made.arena, "! %s", wrong), named_types[i][1], "the type of '%s'", named_types[i][0]);
	made_close(&made);
}

/* The names that may follow an expression and a dot. */
static const struct {
	const char *text, *names;
	bool library;
} members[] = {
	{ "ui", "first second", true }, { "r", "first second", true }, { "v", "_M_impl", true },
	{ "pd", "w own bits x y z", false }, { "object", "w own bits x y z", false }, { "ppd", "w own bits x y z", false }, { "rd", "w own bits x y z", false },
	{ "p4", "w own bits x y z", false }, { "p5", "", false }, { "it", "", true }, { "h", "", true }, { "s", "_M_dataplus _M_string_length _M_local_buf _M_allocated_capacity", true },
	{ "l", "_M_impl", true },
	{ "*pd", "w own bits x y z", false }, { "held", "small large inner other", false }, { "i", "", false }, { "nope", "", false }, { "arr", "", false }, { "(base *)pd", "x y", false },
};

TEST_EACH(members, members)
{
	const char **names, *all = "";
	struct made made;

	made_open(&made, members[i].library ? library : program, members[i].library ? library_memory : memory);
	const size_t count = value_expression_members(made.frame, 0, text_of(members[i].text), &made.arena, &names);
	for (size_t j = 0; j < count; j++)
		all = arena_format(&made.arena, "%s%s%s", all, j > 0 ? " " : "", names[j]);
	is_text(all, members[i].names, "the members of %s", members[i].text);
	made_close(&made);
}
