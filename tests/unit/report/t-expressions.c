/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "dump/dump.h"
#include "inspect/expression/value_expression.h"
#include "report/value/value_text.h"
#include "tests/lib/tap.h"

/*
 * Expressions over the variables of the programs in tests/batch/locals, each with the type and the value that C11 and C++17 give
 * them, and `@` its address. Wrong ones have the column and the message. `#` begins a remark, `<-` what the value was computed from.
 */
static const struct {
	const char *folder, *core;
	size_t frame;
	const char *rows;
} cases[] = {
	#define I386 "i386", "basic.O2", 2
	/* long and pointers have 4 bytes. C11, 6.3.1.1 (promotions), 6.3.1.8 (common types), 6.4.4 (constants), 6.5 (operators). */
	{ I386,
	  "ratio + 1 | double 3.5\nratio - 1 | double 1.5\n1 - ratio | double -1.5\nratio / 2 | double 1.25\n"
	  "ratio * ratio | double 6.25\n1.5f + 1 | float 2.5\n1.5F + 1.0 | double 2.5\n"
	  "ratio % 2 | 7: expected whole numbers on both sides of this operator\n1e2 | double 100\n1.5q | 1: expected a number\n"
	  "2.5e-1 | double 0.25\n0x1e+1 | int 31\n1e+1 + 0x1e | double 40\n.5 | 1: expected a variable, a number or a register\n"
	  "ratio < 2.5 | int 0\nratio <= 2.5 | int 1\nratio > 2 | int 1\nratio >= 3 | int 0\nratio == 2.5 | int 1\n"
	  "ratio != 2.5 | int 0\n2 < ratio | int 1\n3 > 2 | int 1\n3 <= 2 | int 0\n0.0/0.0 == 0.0/0.0 | int 0\n"
	  "0.0/0.0 != 0.0/0.0 | int 1\n0.0/0.0 < 1 | int 0\n0.0/0.0 >= 1 | int 0\n-ratio | double -2.5\n+ratio | double 2.5\n"
	  "!ratio | int 0\n!0.0 | int 1\n~ratio | 1: expected a number after this operator\n-1.5f | float -1.5\n~5 | int -6\n"
	  "- -3 | int 3\n+3 | int 3\n!5 | int 0\n(float)ratio | float 2.5\n(float)1u | float 1\n(double)-1 | double -1\n"
	  "(double)0xffffffff | double 4294967295\n(int)-2.7 | int -2\n(unsigned)3e9 | unsigned int 3000000000\n"
	  "(unsigned long long)1e19 | unsigned long long 10000000000000000000\n"
	  "(unsigned long long)1e30 | unsigned long long 18446744073709551615\n(long long)-1e30 | long long -9223372036854775808\n"
	  "(bool)0.5 | bool true\n(bool)0.0 | bool false\n(_Bool)8 | bool true\n6 & 3 | int 2\n6 | 3 | int 7\n6 ^ 3 | int 5\n"
	  "7 - 2 - 1 | int 4\n2 + 3 * 4 | int 14\n(2 + 3) * 4 | int 20\n10 / 3 | int 3\n-10 / 3 | int -3\n-10 % 3 | int -1\n"
	  "10u % 3 | unsigned int 1\n1 << 3 | int 8\n-16 >> 2 | int -4\n1 << 2 + 1 | int 8\n0xfffffff0 >> 4 | unsigned int 268435455\n"
	  "1 << 31 | int -2147483648\n1ll << 32 | long long 4294967296\n1 << 32 | 3: a shift by more bits than the number has\n"
	  "1 < 2 == 1 | int 1\n5 & 6 == 6 | int 1\n4 ^ 1 == 1 | int 5\n1 | 2 & 4 | int 1\n1 ^ 3 & 2 | int 3\n4 | 4 ^ 4 | int 4\n"
	  "1 || 0 && 0 | int 1\n0 && 0 || 1 | int 1\n2 < 4 >> 1 | int 0\n0 && 1 | int 0\n2 && 1 | int 1\n0 || 0 | int 0\n"
	  "0 || 4 | int 1\n0.5 && 1 | int 1\n(-2147483647 - 1) / -1 | int -2147483648\n(-2147483647 - 1) % -1 | int 0\n7 / -1 | int -7\n"
	  "4294967295u / 4294967295u | unsigned int 1\n1 % 0 | 3: division by zero\n-1 < 0u | int 0\n-1 < 0ll | int 1\n"
	  "-1ll < 0u | int 1\n-1 == 0xffffffff | int 1\n2147483647 | int 2147483647\n2147483648 | long long 2147483648\n"
	  "0x80000000 | unsigned int 2147483648\n0xffffffff | unsigned int 4294967295\n0x100000000 | long long 4294967296\n"
	  "0xffffffffffffffff | unsigned long long 18446744073709551615\n1u | unsigned int 1\n1l | long 1\n1uL | unsigned long 1\n"
	  "1ll | long long 1\n1LLU | unsigned long long 1\n4294967295ul | unsigned long 4294967295\n4294967295l | long long 4294967295\n"
	  "4294967296u | unsigned long long 4294967296\n0777 | int 511\n0b101 | int 5\n0X1F | int 31\n0 | int 0\n"
	  "0789 | 3: expected a digit of the number\n12ab | 3: expected a decimal digit; hexadecimal numbers begin with 0x\n"
	  "0xg | 1: expected a number\n0b2 | 1: expected a number\n"
	  "18446744073709551616 | 1: the number has more than 64 bits\n'a' | char 97 'a'\n'\\n' + 0 | int 10\n'\\0' + 0 | int 0\n"
	  "'\\a' + 0 | int 7\n'\\v' + 0 | int 11\n"
	  "'\\'' | char 39 '\\''\n'ab' | 1: expected one character in quotes\n'a | 1: expected one character in quotes\n"
	  "\"abc\" | char [4] \"abc\"\n\"abc\"[1] | char 98 'b'\nsizeof \"abc\" | unsigned long 4\n\"abc | 1: the text has no end\n"
	  "*\"abc\" | 2: the array is not in memory, so it has no address\n" },
	{ I386,
	  "true | bool true\nfalse | bool false\ntrue + true | int 2\nNULL | void * 0x0\nnullptr | void * 0x0\n"
	  "(signed char)200 | signed char -56 '\\310'\n(char)200 | char -56 '\\310'\n(unsigned char)456 | unsigned char 200 '\\310'\n"
	  "(short)70000 | short 4464\n(short int)-1 | short -1\n(unsigned short)-1 | unsigned short 65535\n(signed)1u | int 1\n"
	  "(signed long)1 | long 1\n(int unsigned)1 | unsigned int 1\n(long int)1 | long 1\n(long unsigned int)1 | unsigned long 1\n"
	  "(long long int)1 | long long 1\n(long unsigned long)1 | unsigned long long 1\n(const volatile int)1 | int 1\n"
	  "(char *const *)8 | char ** 0x8\n(int***)8 | int *** 0x8\n(void *)8 + 1 | void * 0x9\n(short *)8 + 1 | short * 0xa\n"
	  "1 + (short *)8 | short * 0xa\n(short *)8 - 1 | short * 0x6\n(short *)8 - (short *)4 | long 2\n"
	  "(short *)4 - (short *)8 | long -2\n(short *)8 < (short *)4 | int 0\n(char *)-1 > (char *)1 | int 1\n"
	  "1 - (short *)8 | 3: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n"
	  "(short *)8 * 2 | 12: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n"
	  "(short *)8 + (short *)8 | 12: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n"
	  "-(short *)8 | 1: expected a number after this operator\n!(short *)8 | int 0\n"
	  "*(void *)8 | 1: the target of a void * has no type; a cast gives it one\n"
	  "*(int *)8 | int <its memory is not in the dump> @8 <- (int *)8\n"
	  "*argc | 1: expected a pointer, this is int; a cast makes one: *(long *)\n"
	  "*first | 1: expected a pointer, or a pointer or iterator of a library that has an object now; this is struct node\n"
	  "1[2] | 2: int: neither an array nor a pointer\nfirst[0] | 6: struct node: neither an array nor a pointer\n"
	  "first.at[1.5] | 10: expected a whole number\nfirst.at[first] | 10: struct node: not a number or a pointer; expected one\n"
	  "first.at[-1].x | int 1448693781 @ff9636e0 # element -1 is not one of the 2 of the array <- first\n"
	  "first.at[2] | struct point {x = 2023391283, y = -15584170} @ff9636f8 # element 2 is not one of the 2 of the array <- first\n"
	  "1[first.at].y | int 40 @ff9636f4 <- first\n(&first.at[1])[-1].y | int -2 @ff9636ec <- first; (&first.at[1])\n"
	  "&first.at | struct point (*)[2] 0xff9636e8 <- first\nfirst.at + 1 | struct point * 0xff9636f0 <- first\n"
	  "first.at[0] @ 2 | struct point [2] {{x = 1, y = -2}, {x = 3, y = 40}} @ff9636e8 <- first\n"
	  "first.at @ 1 | struct point [1][2] {{{x = 1, y = -2}, {x = 3, y = 40}}} @ff9636e8 <- first\n" },
	{ I386,
	  "ratio @ 2 | 7: expected a value in memory before '@'\nfirst.at[0] @ 0 | 15: expected the number of elements after '@'\n"
	  "first.at[0] @ 1.5 | 15: expected the number of elements after '@'\n"
	  "first.at[0] @ 4294967296 | 15: expected the number of elements after '@'\n"
	  "&ratio | 1: the value is not in memory: constant, so it has no address\n"
	  "&1 | 1: the value is not in memory, so it has no address\n&first.flags.level | 1: a bit field has no address\n"
	  "sizeof first.at | unsigned long 16 <- first\nsizeof(first.at[0]) | unsigned long 8 <- first\nsizeof(long) | unsigned long 4\n"
	  "sizeof(enum colour) | unsigned long 4\nsizeof (const char *) | unsigned long 4\nsizeof(int) * 2 | unsigned int 8\n"
	  "sizeof 1 + 1 | unsigned int 5\nsizeof(argc) | unsigned long 4 <- argc\n(enum colour)5 | enum colour GREEN\n"
	  "GREEN + 1 | int 6\nBLUE < 0 | int 1\nBLUE | enum colour BLUE\n"
	  "(union word)1 | 1: cannot cast to union word; *(union word *)& in front of the value reads its bytes as one\n"
	  "(struct node)first.word | 1: cannot cast to struct node; *(struct node *)& in front of the value reads its bytes as one\n"
	  "(char)first | 1: struct node: not a number or a pointer; expected one\n"
	  "((struct node)first).live | _Bool true @ff963708 <- first\nstatic_cast<int>(ratio) | int 2\n"
	  "reinterpret_cast<long>(first.next) | long -6932824 <- first\n"
	  "const_cast < char * > (first.name)[1] | char 105 'i' @56595016 <- first; const_cast < char * > (first.name)\n"
	  "static_cast<nope>(1) | 13: expected the name of a type\nstatic_cast<int(1) | 16: expected the name of a type\n"
	  "first->live | _Bool true @ff963708 <- first\n"
	  "first.next.name | const char * 0x5659500e \"second\" @ff9636ac <- first; first.next\n"
	  "first.next -> colour | enum colour BLUE @ff9636b0 <- first; first.next\nargc.x | 5: int has no members\n"
	  "argc->x | 5: expected a pointer, this is int; a cast makes one: *(long *)\n"
	  "first.word->f | float 2.24207754e-44 @ff963700 <- first\nfirst.anonymous | short -300 @ff96370a <- first\n"
	  "first.tail | signed char 113 'q' @ff96370c <- first\nfirst.nxet | 7: struct node has no member 'nxet'; did you mean next\n"
	  "first.( | 7: expected the name of a member\nfirst.visit(1) | 12: functions cannot be called: there is no process\n"
	  "argc = 1 | 6: nothing can be assigned; '==' compares\nargc ; 1 | 6: expected an operator or the end\n"
	  "(1 | 1: '(' without ')'\n1) | 2: ')' without '('\nfirst.at[1 | 9: '[' without ']'\n(1] | 3: ']' without '['\n"
	  " | 1: expected a variable, a number or a register\nesp | 1: the name of a register begins with '$'\n"
	  "$esp + 0 | void * 0xff963690 <- $esp\n$nope | 1: no such register\n"
	  "struct | 1: expected the name of a type that the debug information has\n"
	  "local | 1: no variable, function or enumerator 'local' is known here; frame 0 has it\n"
	  "nothing | 1: no variable, function or enumerator 'nothing' is known here\nsink | volatile int 278 @56597014 <- sink\n"
	  "counter | 1: no variable, function or enumerator 'counter' is known here\nbig + 1 | unsigned long long 18364758544493064721\n"
	  "first.flags.level * 2u | unsigned int 4294967282 <- first\nfirst.flags.mode - 1026 | int -1 <- first\n"
	  "first.flags.wide + 0 | unsigned long long 78187493530 <- first\n" },
#define NOTE "# its symbol has no type; write *(TYPE *)& before it"
	/* Symbols without debug information; types made of function pointers. */
	{ I386,
	  "_fp_hw | unsigned int 3 @56595000 " NOTE " <- _fp_hw\n_IO_stdin_used + 1 | unsigned int 131074 " NOTE " <- _IO_stdin_used\n"
	  "__abi_tag[12] | unsigned char 71 'G' @565931d8 " NOTE " <- __abi_tag\n"
	  "sizeof __abi_tag | unsigned long 32 " NOTE " <- __abi_tag\n"
	  "_start | void * 0x56594090 <_start> <- _start\nenviron | 1: no variable, function or enumerator 'environ' is known here\n"
	  "&first.visit | int (**)(struct node *, int) 0xff963704 <- first\n"
	  "&(&first.visit)[0] | int (**)(struct node *, int) 0xff963704 <- first; "
	  "(&first.visit)\nfirst.visit @ 1 | int (*[1])(struct node *, int) {0x56594210 <visit>} @ff963704 <- first\n"
	  "&(first.visit @ 1) | int (*(*)[1])(struct node *, int) 0xff963704 <- first\n" },
	/* Arrays whose bounds are variables: 2 rows of 3 columns */
	{ "x86_64", "arrays.O0", 2,
	  "sizeof grid | unsigned long 24 <- grid\nsizeof grid[0] | unsigned long 12 <- grid\nsizeof also | unsigned long 8 <- also\n"
	  "sizeof *also | unsigned long 12 <- also\nsizeof one | unsigned long 4 <- one\ngrid[1][2] | int 12 @7fffaddf39b4 <- grid\n" },
	/* long and pointers have 8 bytes. */
	{ "x86_64", "basic.O2dw4", 2,
	  "2147483648 | long 2147483648\n4294967295u | unsigned int 4294967295\n0x1ffffffff | long 8589934591\n1l | long 1\n"
	  "1ull | unsigned long long 1\n1l << 40 | long 1099511627776\n1 + 1l | long 2\n1u + 1l | long 2\n"
	  "1ul - 2 | unsigned long 18446744073709551615\nbig + 1 | unsigned long 18364758544493064721\nsizeof(long) | unsigned long 8\n"
	  "sizeof(long long) | unsigned long 8\nsizeof(int *) | unsigned long 8\n&first.at[1] - first.at | long 1 <- first\n"
	  "(long)(char)-1 | long -1\n(unsigned long)-1 | unsigned long 18446744073709551615\n" },
	{ "x86_64", "inline.O2dbg", 3,
	  "cart.items_.size() | unsigned long 2 <- cart\ncart.items_.front().price | int 12 @55fac4c85f50 <- cart\n"
	  "cart.items_.back().name | std::string \"a very rare thing with a long name\" @55fac4c85f58 <- cart\n"
	  "marks[4] | 7: the vector has 4 elements\nwho[0] | char 99 'c' @7fff6cf525a0 <- who\n"
	  "who.get() | 5: const std::string has no member 'get'; its members: _M_dataplus, _M_string_length\n"
	  "cart.items_[1].name[2] | char 118 'v' @55fac4c85f92 <- cart\n&who | const std::string * 0x7fff6cf52590 <- who\n"
	  "sizeof(shop::Item) | unsigned long 40\nsizeof(std::vector<int, std::allocator<int> >) | unsigned long 24\n"
	  "sizeof(class shop::Cart) | unsigned long 32\nsizeof(::shop::Item) | unsigned long 40\n"
	  "sizeof(std::vector<int, std::allocator<int> >::size_type) | unsigned long 8\n"
	  "sizeof(std::vector<int, std::allocator<int> > *) | unsigned long 8\n"
	  "sizeof(shop::Cart::) | 8: no variable, function or enumerator 'shop::Cart' is known here\n"
	  "sizeof(std::vector<int) | 8: no variable, function or enumerator 'std::vector' is known here\na > 1 | bool true <- a\n"
	  "!a | bool false <- a\n::sink | volatile int 4895 @55fabf133088 <- ::sink\n"
	  "shop::sink | 1: no variable, function or enumerator 'shop::sink' is known here\n"
	  "static_cast<unsigned char>(apple.price).x | 40: unsigned char has no members\n"
	  "static_cast<shop::Item>(apple).price | int 12 @7fff6cf52500 <- apple\napple.count + 0u | unsigned int 3 <- apple\n"
	  "sizeof(shop::Item *) + 1 | unsigned long 9\n(shop::Item *)8 + 1 | shop::Item * 0x30\n"
	  "got | int <optimised out here: it has a value from 0x55fabf1304fb on> <- got\nrare.rare ^ 1 | int 0 <- rare\n"
	  "(int)who | 1: const std::string: not a number or a pointer; expected one\n(char)(long)&who | char -112 '\\220' <- who\n" },
#define GONE "optimised out here: it had a value until 0x55fabf130328>"
	{ "x86_64", "inline.O2dbg", 1,
	  "limit_ | int 100 @7fff6cf524c0 <- limit_\nitems_[1].price | int 999 @55fac4c85f78 <- items_\n"
	  "this->limit_ + limit_ | int 200 <- this; limit_\nitem.price * factor | int 4995 <- item; factor\n"
	  "price + 1 | int <price: " GONE " <- price\nprice > 0 || factor | bool true <- price; factor\n"
	  "factor == 0 && price | bool false <- factor; price\nprice && factor == 0 | bool false <- price; factor\n"
	  "price && factor | bool <price: " GONE " <- price; factor\nfactor && price | bool <price: " GONE " <- factor; price\n"
	  "-price | int <price: " GONE " <- price\n&price | int * <" GONE " <- price\n"
	  "items_[price] | 8: the index has no value: optimised out here: it had a value until 0x55fabf130328\n"
	  "item | const shop::Item & @0x55fac4c85f58 @55fac4c85f58 <- item\n" },
	{ I386,
	  "first.next->colour | enum colour BLUE @ff9636b0 <- first; first.next\n2[first.name] | const char 114 'r' @56595017 <- first\n"
	  "*(char **) ((char *) &first + 4) | char * 0x56595015 \"first\" @ff9636e0 <- first; (char **) ((char *) &first + 4)\n"
	  "first.flags.level - 1u | unsigned int 4294967288 <- first\nfirst.flags.level - 1 | int -8 <- first\n"
	  "first.flags.level / 3 | int -2 <- first\nfirst.flags.level % 3 | int -1 <- first\n-1 > first.tail * 0u | int 1 <- first\n"
	  "(unsigned char) first.flags.level | unsigned char 249 '\\371' <- first\nfirst.flags.level >> 1 | int -4 <- first\n"
	  "first.tail == 'q' && first.tail != '\\n' | int 1 <- first\nfirst.next + 1 | struct node * 0xff9636dc <- first\n"
	  "sizeof first | unsigned long 52 <- first\nfirst.next == (void *) 0xff9636a8 | int 1 <- first\n"
	  "first.next + ratio | 12: this arithmetic is not defined for pointers; a cast turns one into a number: (long)\n"
	  "(struct nope *) first.next | 2: expected the name of a type that the debug information has\n" },
#undef GONE
#define GONE "gone: entry value not known: the call site in frame 2 does not give it>"
	{ "x86_64", "optimised.O2", 1,
	  "gone - 1 | long <" GONE " <- gone\n1 - gone | long <" GONE " <- gone\n(int)gone | int <(int)" GONE " <- gone\n"
	  "!gone | int <" GONE " <- gone\ngone == 1 | int <" GONE " <- gone\n(char *)gone + 1 | char * <(char *)" GONE " <- gone\n"
	  "1 + (char *)gone | char * <(char *)" GONE " <- gone\n(char *)gone - (char *)8 | long <(char *)" GONE " <- gone\n"
	  "*(char *)gone | char <(char *)" GONE " <- gone; (char *)gone\n"
	  "((char *)8)[gone] | char <" GONE " <- gone; ((char *)8); ((char *)8)[gone]\ndoubled | long 64 <- doubled\n"
	  "sink | volatile long 14 @559e5856a020 <- sink\nconstant | long 17 <- constant\n"
	  "computed * 2 + constant | long 21 <- computed; constant\n" },
};

/* A line of the table with the result that the program gives. */
static const char *
result_of(struct value_frame *variables, struct surroundings *around, struct text text, struct arena *arena)
{
	const struct value_expression found = value_expression_of(variables, 0, text, around, arena);

	if (found.wrong != NULL)
		return arena_format(arena, "%zu: %s", found.column, found.wrong);
	const struct evaluated written = evaluated_of(&found.value, arena);
	const char *all = arena_format(arena, "%s %s", written.type, written.pretty != NULL ? written.pretty : written.value);
	if (written.absent != NULL)
		all = arena_format(arena, "%s <%s>", written.type, written.absent);
	if (written.has_address && written.absent == NULL)
		all = arena_format(arena, "%s @%" PRIx64, all, written.address);
	if (found.note != NULL)
		all = arena_format(arena, "%s # %s", all, found.note);
	for (size_t i = 0; i < found.use_count; i++)
		all = arena_format(arena, "%s%s%.*s", all, i == 0 ? " <- " : "; ", TEXT_UPTO(found.uses[i].text, 100));
	return all;
}

TEST_EACH(rows, cases)
{
	const char *const folders[] = { tap_path("tests/batch/locals/%s", cases[i].folder) };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct crash crash;
	struct surroundings around;
	struct memory_view memory;
	struct arena arena = { 0 };
	struct error error;

#if !defined(HAVE_ZLIB)
	skip(1, "zlib was left out");
	return;
#endif
#if !defined(HAVE_DEMANGLER)
	if (strstr(cases[i].core, "inline") != NULL) {
		skip(1, "the demangler was left out");
		return;
	}
#endif
	if (dump_open(&crash, tap_path("tests/batch/locals/%s.%s.core.gz", cases[i].folder, cases[i].core), 0, &error) != ERROR_NONE)
		exit(1);
	struct binaries *binaries = binaries_create(&crash, folders, 1);
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, folders, false);
	struct walk *walk = walk_create(&crash, symbols, binaries, 0, &policy);
	walk_run(walk, 0);
	memory_view_all(&memory, &crash, &arena);
	struct value_frame *variables = frame_variables_of(walk, &memory, cases[i].frame, &arena);
	surroundings_init(&around, &crash, symbols, binaries, &policy, NULL);
	char *rows = arena_string(&arena, cases[i].rows);
	for (char *row; (row = strsep(&rows, "\n")) != NULL && *row != '\0';) {
		char *end = row;
		for (char *next = end; (next = strstr(next, " | ")) != NULL; next++)
			end = next;
		is_text(result_of(variables, &around, (struct text){ row, (size_t)(end - row) }, &arena), end + 3, "%.*s", (int)(end - row), row);
	}
	surroundings_free(&around);
	walk_free(walk);
	symbols_free(symbols);
	binaries_free(binaries);
	crash_free(&crash);
	arena_free(&arena);
}
