/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "dump/dump.h"
#include "inspect/expression/value_expression.h"
#include "report/value/locals_internal.h"
#include "report/value/value_text.h"
#include "tests/lib/tap.h"

/* Variables of the programs in tests/batch/locals as rows, values and types: each row, `->` where it leads, `@` its place in
 * the core. Values are those that gdb 13.1 prints, offsets and sizes those of its `ptype /o`. */
enum shows { VARIABLES, STATIC, VALUES, TYPES };

static const struct {
	const char *folder, *crash;
	size_t frame, columns;
	enum shows shows;		/* STATIC: variables with those of the unit */
	const char *of;			/* expressions with ';': shown before the variables, or the values or types */
	unsigned open;			/* how often all closed rows are opened */
	const char *rows;
} cases[] = {
#define CORE(folder, name) "tests/batch/locals/" folder, "tests/batch/locals/" folder "." name ".core.gz"
#define CRASH(name) "data/crashes/" name "/symbols", "data/crashes/" name "/crash.dmp"
	{ CORE("x86_64", "inline.O2dbg"), 3, 38, VARIABLES, "", 1,
	  " frame 3  tab  checkout~  inline.cc:71 -> source\n - int a = 2  [argument, register rbp] -> rbp of 3\n"
	  "     reg6                       rbp 0~ -> rbp of 3\n - const std::string & who = @0x7fff6~ -> r13 of 3\n"
	  "     reg13                      r13 0~ -> r13 of 3\n   + std::__~_Alloc_hider _M_dataplus~ -> 7fff6cf52590 @85590\n"
	  "     std::__cxx~size_type _M_string_l~ -> 7fff6cf52598 @85598\n   + union {...} (unnamed) = {_M_loca~ -> 7fff6cf525a0 @855a0\n"
	  " - shop::Cart cart = {limit_ = 100, i~ -> 7fff6cf524c0 @854c0\n     fbreg -192                 = 7ff~\n"
	  "     int limit_ = 100 -> 7fff6cf524c0 @854c0\n   + std::vector<~> items_ = std::vec~ -> 7fff6cf524c8 @854c8\n"
	  " - std::vector<~> marks = std::vector~ -> 7fff6cf524a0 @854a0\n     fbreg -224                 = 7ff~\n"
	  "     int [0] = 1 -> 55fac4c85eb0 @17eb0\n     int [1] = 2 -> 55fac4c85eb4 @17eb4\n     int [2] = 3 -> 55fac4c85eb8 @17eb8\n"
	  "     int [3] = 2 -> 55fac4c85ebc @17ebc\n - shop::Item apple = {name = \"apple\"~ -> 7fff6cf524e0 @854e0\n"
	  "     fbreg -160                 = 7ff~\n   + std::string name = \"apple\" -> 7fff6cf524e0 @854e0\n"
	  "     int price = 12 -> 7fff6cf52500 @85500\n     unsigned int count = 3 -> 7fff6cf52504 @85504\n"
	  "     unsigned int rare = 0 -> 7fff6cf52504 @85504\n - shop::Item rare = {name = \"a very ~ -> 7fff6cf52510 @85510\n"
	  "     fbreg -112                 = 7ff~\n   + std::string name = \"a very rare ~ -> 7fff6cf52510 @85510\n"
	  "     int price = 999 -> 7fff6cf52530 @85530\n     unsigned int count = 1 -> 7fff6cf52534 @85534\n"
	  "     unsigned int rare = 1 -> 7fff6cf52534 @85534\n   struct {...} total = <optimised ou~\n"
	  "   int got = <optimised out here: it ~\n.AaBbBbBCccCDdddddEeEeeeFfFfffgh\n" },
	{ CORE("x86_64", "inline.O2dbg"), 1, 44, VARIABLES, "", 0,
	  " frame 1  tab  s~cost(~) const  inline.cc:35 -> source\n   int price = <optimised out here: it had ~\n"
	  " + const shop~t * const this = 0x7fff6cf524~ -> r9 of 1\n + int factor = 5  [argument, register r10] -> r10 of 1\n"
	  " + const shop::Item & item = @0x55fac4c85f5~ -> rsi of 1\n   inlined into  total(~) con~  inline.cc:25 -> source in call 1\n"
	  "   int line = <optimised out here: it had a~\n + const shop::Item & item = @0x55fac4c85f5~ -> rsi of 1 in call 1\n"
	  " + const std:~ctor<~> & __for_range = @0x7f~\n   std::~const_iterator __for_begin = <opti~\n"
	  "   std::~const_iterator __for_end = <optimi~\n + int sum = 180  [register r8] -> r8 of 1 in call 1\n"
	  " + int factor = 5  [argument, register r10] -> r10 of 1 in call 1\n"
	  " + const shop~t * const this = 0x7fff6cf524~ -> r9 of 1 in call 1\n"
	  "   inlined into  checko~ator()  inline.cc:70 -> source in call 2\n   int t = <optimised out here: it has a va~\n"
	  " + int f = 5  [argument, register r10] -> r10 of 1 in call 2\n"
	  " + const shop::Cart & c = @0x7fff6cf524c0: ~ -> r9 of 1 in call 2\n   const stru~} * const __closure = 0x0  [a~\n"
	  "   inlined into  check~_FUN(~)  inline.cc:70 -> source in call 3\n"
	  " + const shop::Cart & (unnamed) = @0x7fff6c~ -> r9 of 1 in call 3\n"
	  " + int (unnamed) = 5  [argument, register r~ -> r10 of 1 in call 3\n.aBCD.aBCdeFGH.aBCd.AB\n" },
	{ CORE("x86_64", "optimised.clangO2"), 0, 0, VARIABLES, "", 0,
	  " frame 0  ctx  crash  optimised.c:15  (through lost, which jumped here) -> source\n   long code = 14  [argument, constant]\n"
	  ".a\n" },
	{ CORE("i386", "basic.O2"), 0, 60, STATIC, "", 0,
	  " frame 0  ctx  deepest  basic.c:36 -> source\n + struct node * list = 0xff9636dc  [argument, register esi] -> esi of 0\n"
	  " + int depth = <entry value not known: the call site in fra~\n + const char * why = <entry value not known: the call site~\n"
	  " + int local = 176  [register edi] -> edi of 0\n"
	  " + char [12] text = \"first-45\\000AYV\"  [memory at .cfa 28 -] -> ff963654 @41654\n   static variables of the unit\n"
	  "   int counter = <optimised out>\n + volatile int sink = 278  [memory at 0x56597014] -> 56597014 in call 1 @4014\n.ABCDE.aB\n" },
	{ CORE("x86_64", "arrays.O0"), 1, 50, VARIABLES, "", 2,
	  " frame 1  tab  arrays::look  array.f90:31 -> source\n   const integer(~) (unnamed) = <optimised out>\n"
	  " - integer(~) [2][3] cells = {{111, 0, 1}, {99, 1~ -> 7fffaddf3950 @2b950\n     fbreg -48                  = 7fffaddf3950\n"
	  "   - integer(kind=4) [3] [1] = {111, 0, 1} -> 7fffaddf3950 @2b950\n       integer(kind=4) [-1] = 111 -> 7fffaddf3950 @2b950\n"
	  "       integer(kind=4) [0] = 0 -> 7fffaddf3954 @2b954\n       integer(kind=4) [1] = 1 -> 7fffaddf3958 @2b958\n"
	  "   - integer(kind=4) [3] [2] = {99, 100, 101} -> 7fffaddf395c @2b95c\n       integer(kind=4) [-1] = 99 -> 7fffaddf395c @2b95c\n"
	  "       integer(kind=4) [0] = 100 -> 7fffaddf3960 @2b960\n       integer(kind=4) [1] = 101 -> 7fffaddf3964 @2b964\n"
	  " - integer(kind=4) i = 2  [memory at .cfa 20 -] -> 7fffaddf396c @2b96c\n     fbreg -20                  = 7fffaddf396c\n"
	  ".aBbBbbbBbbbCc\n" },
	{ CORE("x86_64", "arrays.O0"), 2, 40, VARIABLES, "", 1,
	  " frame 2  tab  fill  shapes.c:47 -> source\n - int rows = 2  [argument, memory at .~ -> 7fffaddf3a3c @2ba3c\n"
	  "     fbreg -164                 = 7fffa~\n - int columns = 3  [argument, memory a~ -> 7fffaddf3a38 @2ba38\n"
	  "     fbreg -168                 = 7fffa~\n - int (*)[] also = 0x7fffaddf3af0  [ar~ -> 7fffaddf3a30 @2ba30\n"
	  "     fbreg -176                 = 7fffa~\n   + int [] * = {110, 2, 3} -> 7fffaddf3af0 @2baf0\n"
	  " - int [][] grid = {{0, 1, 2}, {10, 11,~ -> 7fffaddf39a0 @2b9a0\n     fbreg -112                 = 7fffa~\n"
	  "     deref                      [00007f~ -> 7fffaddf3a70 @2ba70\n   + int [] [0] = {0, 1, 2} -> 7fffaddf39a0 @2b9a0\n"
	  "   + int [] [1] = {10, 11, 12} -> 7fffaddf39ac @2b9ac\n - char [] text = \"abcde\"  [memory at .~ -> 7fffaddf3990 @2b990\n"
	  "     fbreg -128                 = 7fffa~\n     deref                      [00007f~ -> 7fffaddf3a60 @2ba60\n"
	  "     char [0] = 97 'a' -> 7fffaddf3990 @2b990\n     char [1] = 98 'b' -> 7fffaddf3991 @2b991\n"
	  "     char [2] = 99 'c' -> 7fffaddf3992 @2b992\n     char [3] = 100 'd' -> 7fffaddf3993 @2b993\n"
	  "     char [4] = 101 'e' -> 7fffaddf3994 @2b994\n - int [] one = {2}  [memory at .cfa 14~ -> 7fffaddf3980 @2b980\n"
	  "     fbreg -144                 = 7fffa~\n     deref                      [00007f~ -> 7fffaddf3a50 @2ba50\n"
	  "     int [0] = 2 -> 7fffaddf3980 @2b980\n - int (*)[] beh" "ind = 0x7fffaddf39ac  [~ -> 7fffaddf3a40 @2ba40\n"
	  "     fbreg -160                 = 7fffa~\n   + int [] * = {10, 11, 12} -> 7fffaddf39ac @2b9ac\n.AaBbCcCDddDDEeeeeeeeFfffGgG\n" },
	{ CORE("arm64", "signal.O2"), 4, 0, VARIABLES, "", 1,
	  " frame 4  tab  weigh  signal.c:145 -> source\n - double scale = 3.375  [argument, computed: entry($v0)]\n"
	  "     entry_value ($v0)          = 400b000000000000\n     stack_value                \n"
	  " - int turn = 1  [argument, computed: entry(x0)]\n     entry_value (x0)           = 1\n     stack_value                \n"
	  " - double mine = 5.0625  [register v8]\n     regx 72                    \n"
	  "   double got = <optimised out here: it has a value from 0x4001f4 on>\n.AaaBbbCcd\n" },
	{ CRASH("frame-data-x86"), 2, 0, VARIABLES, "$esp;nothing", 0, " 1:    void * $esp = 0x12feb4\n"
	  " 2: nothing  'nothing': no such function, and no variables: no debug information about variables\n"
	  " frame 2  win  read_ledger  ledger.c:40  (no debug information about variables) -> source\n"
	  "   argument word 1  [0012fed8] 00320d58 -> 12fed8 @158\n....\n" },
	{ CRASH("frame-data-x86"), 2, 28, VARIABLES, "", 0,
	  " frame 2  win  ~  ledger.c:~ -> source\n   argument word 1  [0012fe~ -> 12fed8 @158\n..\n" },
	{ CRASH("broken-cfi-amd64"), 0, 48, VARIABLES, "", 0,
	  " frame 0  ctx  post  till.c:51  (no debug infor~ -> source\n   argument register rdi  0000000000000000  the~ -> rdi of 0\n"
	  "   argument register rsi  00000000000009c4  the~ -> rsi of 0\n   argument register rdx  0000000000076fb6  the~ -> rdx of 0\n"
	  "   argument register rcx  0000000000000038  the~ -> rcx of 0\n   argument register r8   0000000000000000  the~ -> r8 of 0\n"
	  "   argument register r9   00007ffff7fce6d0  the~ -> r9 of 0\n.......\n" },
	{ CRASH("broken-cfi-amd64"), 1, 0, VARIABLES, "", 0,
	  " frame 1  cfi  settle  till.c:62  (no debug information about variables) -> source\n"
	  "   not known: rdi rsi rdx rcx r8 r9, which may have been written since the function's entry\n..\n" },
	{ CRASH("inlines-amd64"), 1, 46, VARIABLES, "$rsp", 0,
	  " 1:    void * $rsp = 0x7ffde1b672f0\n frame 1  cfi  v~__sort<~>(~)  stl_algo.h:1937 -> source\n"
	  "   inlined into  v~sort<~>(~)  stl_algo.h:4853 -> source in call 1\n"
	  "   inlined into  operator()  inline_o2.cc:37 -> source in call 2\n"
	  "   inlined into  __invoke_impl<~>  invoke.h:61 -> source in call 3\n"
	  "   inlined into  s~__invoke_r<~>  invoke.h:111 -> source in call 4\n"
	  "   inlined into  _M_invoke  std_function.h:29~ -> source in call 5\n   not known: rdi rsi rdx rcx r8 r9, which ma~\n........\n" },
	{ CORE("i386", "basic.O2"), 2, 0, VALUES, "first.at;first.flags.level;first.word.byte;&first.at[1];argc+9;big", 0,
	  " value    {{x = 1, y = -2}, {x = 3, y = 40}} -> ff9636e8 @416e8\n type     struct point [2]\n"
	  " where    memory at ff9636e8, 16 bytes\n bytes    01 00 00 00 fe ff ff ff 03 00 00 00 28 00 00 00 -> ff9636e8 @416e8\n"
	  " parts    [0] = {x = 1, y = -2} -> ff9636e8 @416e8\n          [1] = {x = 3, y = 40} -> ff9636f0 @416f0\n"
	  " from     first = {next = 0xff9636a8, name = 0x56595015 \"first\", colour = G...  [memory at .cfa 68 -] -> ff9636dc @416dc\n"
	  " value    -7   0xfffffff9 -> ff9636f8 @416f8\n type     int\n where    memory at ff9636f8, 4 bytes, 4 bits from bit 1\n"
	  " from     first = {next = 0xff9636a8, name = 0x56595015 \"first\", colour = G...  [memory at .cfa 68 -] -> ff9636dc @416dc\n"
	  " value    \"\\020\\000\\000\" -> ff963700 @41700\n type     unsigned char [4]\n where    memory at ff963700, 4 bytes\n"
	  " bytes    10 00 00 00 -> ff963700 @41700\n"
	  " from     first = {next = 0xff9636a8, name = 0x56595015 \"first\", colour = G...  [memory at .cfa 68 -] -> ff9636dc @416dc\n"
	  " value    0xff9636f0\n type     struct point *\n where    computed; it is stored nowhere\n bytes    f0 36 96 ff\n"
	  " from     first = {next = 0xff9636a8, name = 0x56595015 \"first\", colour = G...  [memory at .cfa 68 -] -> ff9636dc @416dc\n"
	  " value    10   0xa\n type     int\n where    computed; it is stored nowhere\n bytes    0a 00 00 00\n"
	  " from     argc = 1  [memory at .cfa] -> ff963720 @41720\n value    18364758544493064720   0xfedcba9876543210\n"
	  " type     uint64_t\n where    constant\n bytes    10 32 54 76 98 ba dc fe\n..............................\n" },
	{ CORE("x86_64", "inline.O2dbg"), 3, 0, VALUES, "who;got", 0,
	  " value    @0x7fff6cf52590: \"customer\"\n type     const std::string &\n where    register r13\n"
	  " bytes    90 25 f5 6c ff 7f 00 00\n from     who = @0x7fff6cf52590: \"customer\"  [register r13]\n"
	  " value    <optimised out here: it has a value from 0x55fabf1304fb on>\n type     int\n"
	  " from     got = <optimised out here: it has a value from 0x55fabf1304fb on>\n........\n" },
	{ CORE("i386", "basic.O2"), 2, 0, TYPES, "struct node;union word;enum colour;argv;first.flags;first.at", 0,
	  " type     struct node\n size     52 (0x34) bytes\n members  +0x0       struct node * next   4 bytes\n"
	  "          +0x4       const char * name   4 bytes\n          +0x8       enum colour colour   4 bytes\n"
	  "          +0xc       struct point [2] at   16 bytes\n          +0x1c      struct flags flags   8 bytes\n"
	  "          +0x24      union word word   4 bytes\n          +0x28      int (*)(struct node *, int) visit   4 bytes\n"
	  "          +0x2c      _Bool live   1 byte\n          +0x2d      1 byte without a member\n"
	  "          +0x2e      struct {...} (unnamed)   4 bytes\n type     union word\n size     4 (0x4) bytes\n"
	  " members  +0x0       uint32_t u   4 bytes\n          +0x0       float f   4 bytes\n"
	  "          +0x0       unsigned char [4] byte   4 bytes\n type     enum colour\n size     4 (0x4) bytes\n values   RED = 0\n"
	  "          GREEN = 5\n          BLUE = -1\n type     char **\n target   char *\n target   char\n size     1 (0x1) bytes\n"
	  " type     struct flags\n size     8 (0x8) bytes\n members  +0x0       unsigned int ready   1 bit from bit 0\n"
	  "          +0x0       int level   4 bits from bit 1\n          +0x0       unsigned int mode   11 bits from bit 5\n"
	  "          +0x2       uint64_t wide   40 bits from bit 0\n type     struct point [2]\n elements struct point\n"
	  " size     8 (0x8) bytes\n members  +0x0       int x   4 bytes\n          +0x4       int y   4 bytes\n"
	  ".....................................\n" },
	{ CORE("x86_64", "inline.O2dbg"), 3, 0, TYPES, "cart.items_[0]", 0,
	  " type     shop::Item\n size     40 (0x28) bytes\n members  +0x0       std::string name   32 bytes\n"
	  "          +0x20      int price   4 bytes\n          +0x24      unsigned int count   7 bits from bit 0\n"
	  "          +0x24      unsigned int rare   1 bit from bit 7\n......\n" },
};

struct opened {
	struct crash crash;
	struct binaries *binaries;
	struct symbols *symbols;
	struct walk *walk;
	struct memory_view memory;
	struct arena arena;
};

static bool
open_crash(struct opened *opened, const char *folder, const char *crash)
{
	const char *const folders[] = { tap_path("%s", folder) };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;

	*opened = (struct opened){ 0 };
	if (dump_open(&opened->crash, tap_path("%s", crash), 0, &error) != ERROR_NONE)
		return false;
	opened->binaries = binaries_create(&opened->crash, folders, 1);
	opened->symbols = symbols_create(opened->crash.modules, opened->crash.module_count, folders, strstr(crash, ".gz") == NULL);
	opened->walk = walk_create(&opened->crash, opened->symbols, opened->binaries, 0, &policy);
	walk_run(opened->walk, 0);
	memory_view_all(&opened->memory, &opened->crash, &opened->arena);
	return true;
}

/* Whether this build has the libraries for a crash. */
static bool
can_read(const char *crash)
{
	const char *lacks = NULL;

#if !defined(HAVE_ZLIB)
	lacks = strstr(crash, ".gz") != NULL ? "zlib" : lacks;
#endif
#if !defined(HAVE_DEMANGLER)
	lacks = strstr(crash, "inline") != NULL ? "the demangler" : lacks;
#endif
	if (lacks != NULL)
		skip(1, "%s of %s was left out", lacks, crash);
	return lacks == NULL;
}

static void
close_crash(struct opened *opened)
{
	walk_free(opened->walk);
	symbols_free(opened->symbols);
	binaries_free(opened->binaries);
	crash_free(&opened->crash);
	arena_free(&opened->arena);
}

static const char *
target_text(const struct opened *opened, const struct listing *listing, size_t row, struct arena *arena)
{
	const struct target target = listing_target(listing, row);

	const char *to = target.kind == TARGET_SOURCE ? " -> source"
			 : target.kind == TARGET_MEMORY ? arena_format(arena, " -> %" PRIx64, target.address)
			 : target.kind == TARGET_REGISTER
			 ? arena_format(arena, " -> %s of %zu", opened->walk->arch->registers[target.reg].label, target.frame) : "";

	return *to != '\0' && target.call > 0 ? arena_format(arena, "%s in call %zu", to, target.call) : to;
}

/* The first sign of a row that can be opened is '+' if it is closed, '-' if it is open. */
static bool
is_closed(const struct listing *listing, size_t index, struct arena *arena)
{
	struct row row = ROW_IN(arena);

	listing_fill(listing, index, 0, &row);
	return locals_row(listing, index) != 0 && row_text(&row)[strcspn(row_text(&row), "+-")] == '+';
}

/* All rows, and in a last one a sign for each of them: '.', or the letter of its variable, a capital one if it opens. */
static const char *
rows_of(const struct opened *opened, const struct listing *listing, size_t columns, bool whole, struct arena *arena)
{
	struct output_string text, signs;
	struct variable_place place;
	struct row row = ROW_IN(arena), why = ROW_IN(arena);

	output_string_init(&text, arena);
	output_string_init(&signs, arena);
	for (size_t i = 0; i < listing->count; i++) {
		row_clear(&row);
		row_clear(&why);
		listing_fill(listing, i, columns, &row);
		listing_explain(listing, i, &why);
		/* An explanation is the whole row with its place. */
		const char *at = strrchr(row_text(&why), '+');
		const bool wrong = whole && strncmp(row_text(&why), row_text(&row), row.length) != 0;
		const bool placed = at != NULL && strncmp(at, "+0x", 3) == 0 && at[3 + strspn(at + 3, "0123456789abcdef")] == '\0';
		output_format(&text.output, "%s%s%s%s%s\n", wrong ? "not explained by its row: " : "", row_text(&row),
			      target_text(opened, listing, i, arena), placed ? " @" : "", placed ? at + 3 : "");
		output_format(&signs.output, "%c", !locals_variable(listing, i, &place) ? '.'
			      : (locals_row(listing, i) != 0 ? 'A' : 'a') + (int)place.number);
	}
	return arena_format(arena, "%s%s\n", text.text, signs.text);
}

TEST_EACH(rows, cases)
{
	const char *const crash = cases[i].crash;
	struct locals_state state = { 0 };
	struct opened opened;
	struct arena arena = { 0 };
	struct lines lines = { .arena = &arena, .label_column = 1, .text_column = 10 };
	struct listing listing;
	const char *wrong;

	if (!can_read(crash))
		return;
	if (!open_crash(&opened, cases[i].folder, crash))
		exit(1);
	char *all = arena_string(&arena, cases[i].of), *of = *all != '\0' ? all : NULL;
	struct locals *locals = locals_of(opened.walk, &opened.memory, cases[i].frame, cases[i].shows == STATIC, &state, &arena);
	for (const char *one; (one = strsep(&of, ";")) != NULL;)
		if (cases[i].shows < VALUES) {
			state.expressions[state.expression_count++] = strdup(one);
		} else if (cases[i].shows == VALUES) {
			const struct value_expression found = value_expression_of(locals->variables, 0, text_of(one), NULL, &arena);
			evaluated_add(&lines, &found);
		} else {
			type_add(&lines, value_expression_type(locals->variables, 0, text_of(one), NULL, &arena, &wrong));
		}
	listing = cases[i].shows < VALUES ? locals_listing(locals, &arena) : lines_listing(&lines, 0, &arena);
	for (unsigned time = 0; time < cases[i].open; time++) {
		for (size_t row = 0; row < listing.count; row++)
			if (is_closed(&listing, row, &arena))
				locals_toggle(&state, locals_row(&listing, row));
		listing = locals_listing(locals, &arena);
	}
	const char *rows = rows_of(&opened, &listing, cases[i].columns, cases[i].shows < VALUES && cases[i].columns == 0, &arena);
	is_text(rows, cases[i].rows, "rows of frame %zu of %s", cases[i].frame, crash);
	locals_state_free(&state);
	close_crash(&opened);
	arena_free(&arena);
}

/* A document about the second of two threads; the first one is left out. */
struct document {
	struct opened *opened;
	struct locals_budget *budget;
	long only_frame;
	unsigned closed;
};

static bool
begin_thread(void *context, size_t index, struct locals_thread *thread)
{
	const struct document *own = context;

	thread->walk = own->opened->walk;
	thread->memory = &own->opened->memory;
	thread->budget = own->budget;
	thread->only_frame = own->only_frame >= 0 ? own->only_frame : thread->only_frame;
	return index == 1;
}

static void
end_thread(void *context, struct locals_thread *thread)
{
	struct document *own = context;

	own->closed += thread->walk == own->opened->walk;
}

/* A frame and a variable cost 256 bytes, and a variable 8 for each letter of its type and value: the first one,
 * `struct node *` and `0xff9636dc`, 184. What begins while a byte is left is written. */
static const struct {
	const char *folder, *crash;
	long only_frame;
	uint64_t budget;		/* 0: none */
	const char *frames;		/* number/frame and kind of each, then how many variables are left out */
} documents[] = {
	{ CORE("arm64", "signal.O2"), -1, 0, "0/0N 1/1S 2/2N 3/3N 4/4N 5/5N 6/6N 7/7N 8/8N 9/9N 0" },
	{ CORE("arm64", "signal.O2"), 2, 0, "2/2N 0" }, { CORE("x86_64", "inline.O2dbg"), 1, 0, "1/1I 2/1I 3/1I 4/1N 0" },
	{ CRASH("frame-data-x86"), -1, 512, "0/0N 1/1N 0" }, { CRASH("frame-data-x86"), -1, 513, "0/0N 1/1N 2/2N 0" },
	{ CORE("i386", "basic.O2"), -1, 696, "0/0N 4" }, { CORE("i386", "basic.O2"), -1, 697, "0/0N 3" },
};

TEST_EACH(json, documents)
{
	struct locals_budget budget = { documents[i].budget, false };
	struct opened opened;
	struct document own = { .opened = &opened, .budget = budget.left > 0 ? &budget : NULL, .only_frame = documents[i].only_frame };
	const struct locals_document document = { .count = 2, .open = begin_thread, .close = end_thread, .context = &own };
	struct output_string made, frames;
	struct json json;
	unsigned left_out = 0;

	if (!can_read(documents[i].crash))
		return;
	if (!open_crash(&opened, documents[i].folder, documents[i].crash))
		exit(1);
	output_string_init(&made, &opened.arena);
	output_string_init(&frames, &opened.arena);
	json_begin(&json, &made.output, false);
	FACTS_WRITE(&json, NULL, locals, &document);
	json_finish(&json);
	for (const char *at = made.text; (at = strstr(at, "{\"index\":")) != NULL; at++) {
		unsigned index, frame;
		char kind;

		if (sscanf(at, "{\"index\":%u,\"frame\":%u,\"kind\":\"%c", &index, &frame, &kind) == 3)
			output_format(&frames.output, "%u/%u%c ", index, frame, kind);
	}
	for (const char *at = made.text; (at = strstr(at, LOCALS_LEFT_OUT)) != NULL; at++)
		left_out++;
	is_str(arena_format(&opened.arena, "%s%u", frames.text, left_out), documents[i].frames, "frames of document %zu", i);
	is_u64(own.closed, 1, "the thread of document %zu ends", i);
	close_crash(&opened);
}
