/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of variables that need more than their own frame: registers that callers saved, the CFA, frame bases, and what call
 * sites give for a function's entry (DWARF 5, 2.5.1.7 and 3.4.2). The programs are written by hand, for processors with
 * addresses of 4 and of 8 bytes in either order.
 */
#include "inspect/expression/value_expression.h"
#include "report/value/value_text.h"
#include "tests/unit/inspect/made_types.h"

/* Each frame has four words: its third word is the caller's saved register, its fourth the return address. */
#define PROCESSOR(machine_, word_, big) { .machine = machine_, .word = word_, .big_endian = big }
static const struct processor {
	enum arch_id id;
	struct made_target target;
	const char *pc, *sp, *saved, *argument;	/* names in rules; the label of the argument's register */
	unsigned argument_number, saved_number, sp_number;	/* DWARF's numbers */
} processors[] = {
	{ ARCH_AMD64, PROCESSOR(62, 8, false), "$rip", "$rsp", "$rbx", "rdi", 5, 3, 7 },
	{ ARCH_X86, PROCESSOR(3, 4, false), "$eip", "$esp", "$ebx", "edx", 2, 3, 4 },
	{ ARCH_MIPS, PROCESSOR(8, 4, true), "$pc", "$sp", "$s0", "a0", 4, 16, 29 },
	{ ARCH_MIPS64, PROCESSOR(8, 8, true), "$pc", "$sp", "$s0", "a0", 4, 16, 29 },
};

/* `x` is the number of a register for arguments, `y` that of a register that calls preserve, `z` that of the stack pointer. */
static const char *const program[] = {
	"leaf|-1000+20|5z",
	"given|!a3015x9f|int", "pointed|!a3037x00069f|int", "sum|!a301589f|word", "kept|!a301599f|word", "split|!a3015a9f|int",
	"whole|!a3015d9f|int", "wrong|!a3015e9f|int", "stack|!a3015f9f|word", "lost|!a3015b9f|int", "beyond|!a3037x08069f|int",
	"place|!a3027x009f|int", "nothing|!a3037800069f|int", "local|!9104|int", "small|!9106|short", "both|!9104|pair",
	"mine|!5y|word", "half|!5y9302319f9302|int", "low|!5y|short", "fixed|@0|int",
	"again|!99(local)|int", "away|!99(gone)|int", "gone|_|int", "middle|-1020+20|9c",
	"local|!9104|int", "frame|!9c9f|word", "given|!a3015x9f|int", "mine|!5y|word", "other|!5x|int", "strange|!903c|int",
	"leaf|>1030|", "|<5x|082a|0863", "|<58|7y08|", "|<59|5y|", "|<5a|319304329304|", "|<5d|9e0401000000|", "|<5e|30301b|", "|<5f|7z00|",
	"outer|-1040+20|", "local|!9104|int", "given|!a3015x9f|int", "called|!a301589f|int",
	"|>>1050|10a0a08002", "|<5x|0807|", "|<58||0808",
	"int|i4", "short|i2", "word|u%u", "pair|{8|x@int@0|y@int@4", NULL,
};

/* The variables of frame `number`, with `; ` between them. */
static const char *
variables_of(struct staged *staged, size_t number, const char *only, struct arena *arena)
{
	struct value_frame *frame = frame_variables_of(staged->walk, &staged->walk->memory, number, arena);
	const char *all = "";

	for (size_t i = 0; frame->scopes.count > 0 && i < frame->scopes.items[0].count; i++) {
		const struct debug_variable *variable = &frame->scopes.items[0].variables[i];
		struct variable_value value;

		if ((only != NULL && strcmp(only, variable->name) != 0) || !variable_value_of(frame, variable, arena, &value))
			continue;
		const struct evaluated text = evaluated_of(&value, arena);
		all = arena_format(arena, text.absent != NULL ? "%s%s%s: %s" : "%s%s%s = %s", all, *all != '\0' ? "; " : "", variable->name,
				   text.absent != NULL ? text.absent : text.value);
	}
	return frame->why != NULL ? frame->why : all;
}

/* A row with the processor's numbers of registers. */
static const char *
row_for(const struct processor *processor, const char *row, struct arena *arena)
{
	const char *bar = strchr(row, '|');
	char *text = arena_string(arena, row);

	for (size_t i = 0; bar != NULL && bar[0] != '\0' && strchr("!-<>", bar[1]) != NULL && text[i] != '\0'; i++) {
		const unsigned number = text[i] == 'x' ? processor->argument_number : text[i] == 'y' ? processor->saved_number
					: text[i] == 'z' ? processor->sp_number : 32;

		if (row + i <= bar || number == 32 || i == 0)
			continue;
		text[i - 1] = (char)((unsigned)text[i - 1] + number / 16);
		text[i] = "0123456789abcdef"[number % 16];
	}
	return text;
}

static void
stage(struct staged *staged, const struct processor *processor, const char *const *rows, const char *registers, const char *memory,
      void (*more)(struct synth *synth), struct arena *arena)
{
	const unsigned word = processor->target.word;
	const char *own[100] = { NULL };
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *symbols = arena_format(arena, "FUNC f00 20 0 bare\nPUBLIC f40 0 public\n"
					   "STACK CFI INIT 1000 e0 .cfa: %s %u + .ra: .cfa %u - ^ %s: .cfa %u - ^\n",
					   processor->sp, 4 * word, word, processor->saved, 2 * word);
	struct scene scene = { processor->id, CRASH_OS_LINUX, registers, 0x408000, .memory = memory, .more = more, .binaries = "",
		.modules = { { 0x400000, 0x4000, "made", symbols }, { 0x500000, 0x4000, "other", symbols }, { 0x700000, 0x4000, "bare", symbols } } };

	scene_enter_folder();
	for (size_t i = 0; rows[i] != NULL; i++)
		own[i] = strcmp(rows[i], "word|u%u") == 0 ? arena_format(arena, "word|u%u", word) : row_for(processor, rows[i], arena);
	made_write_for("nothing/made", own, processor->target);
	scene_open_ordered(staged, &scene, processor->target.big_endian);
	scene_walk(staged, &policy);
}

/* Units of 4 bytes of the stack, which begins at 408000: the unit at 408000 + 4 * k. */
#define UNIT(k) (((k) + 1u) * 0x10000u + 0x20u + (k))

/* The words of the stack: these values at multiples of the word's size, and units elsewhere. */
static const char *
stack_of(const struct processor *processor, const uint64_t values[12], struct arena *arena)
{
	const char *text = "";

	for (unsigned i = 0; i < 12; i++) {
		const bool big = processor->target.big_endian;
		const uint64_t first = UNIT(2 * i + (big ? 0 : 1)), second = UNIT(2 * i + (big ? 1 : 0));

		text = arena_format(arena, "%s%x=%" PRIx64 " ", text, 0x408000 + i * processor->target.word,
				    values[i] != 0 ? values[i] : processor->target.word == 8 ? first << 32 | second : UNIT(i));
	}
	return text;
}

static void
unstage(struct staged *staged, struct arena *arena)
{
	unlink("nothing/made");
	arena_free(arena);
	scene_close(staged);
}

TEST_EACH(program, processors)
{
	static const uint64_t values[12] = { [2] = 0x33334444, 0x401030, [6] = 0x55556666, 0x401050, [11] = 1 };
	const struct processor *processor = &processors[i];
	const unsigned word = processor->target.word;
	const bool big = processor->target.big_endian;
	struct arena arena = { 0 };
	struct staged staged;

	stage(&staged, processor, program, arena_format(&arena, "%s=401010 %s=408000 %s=11112222", processor->pc, processor->sp,
							processor->saved), stack_of(processor, values, &arena), NULL, &arena);
	#define NOT_KNOWN(name) "; " name ": entry value not known: "
	#define NOT_GIVEN(name) NOT_KNOWN(name) "the call site in frame 1 does not give it"
	is_text(variables_of(&staged, 0, NULL, &arena),
		arena_format(&arena, "given = 42; pointed = 99; sum = %u; kept = %u" NOT_KNOWN("split") "it has several parts"
			     NOT_KNOWN("whole") "its call site has no number; wrong: the expression divides by zero; stack = %u"
			     NOT_GIVEN("lost") NOT_GIVEN("beyond") NOT_GIVEN("place") NOT_GIVEN("nothing")
			     "; local = %u; small = %u; both = {x = %u, y = %u}; mine = %u; half = %u; low = %u; "
			     "fixed = <its memory is not in the dump>; again = %u; "
			     "away: the expression calls another one, which has no location; gone: optimised out",
			     0x33334444 + 8, 0x33334444, 0x408000 + 4 * word, UNIT(1), big ? 0x21 : 2, UNIT(1),
			     word == 8 ? UNIT(2) : 0x33334444, 0x11112222, big ? 0x22220001 : 0x00012222, 0x2222, UNIT(1)),
		"the innermost frame's variables, those at its entry from the caller's call site");
	is_text(variables_of(&staged, 1, NULL, &arena),
		arena_format(&arena, "local = %u; frame = %u; given = 7; mine = %u; other: register %s was not saved across the call; "
			     "strange: register 60 (of DWARF) is not followed", UNIT(2 * word + 1), 0x408000 + 8 * word, 0x33334444,
			     processor->argument),
		"the caller's variables: its frame base is the CFA, and the call site in its caller is that of an address");
	is_text(variables_of(&staged, 2, NULL, &arena), "local: the function has no frame base here"
		NOT_KNOWN("given") "no caller was found" NOT_KNOWN("called") "no caller was found", "the oldest frame's variables");
	unstage(&staged, &arena);
}

static const uint8_t *caller_code;

static void
add_code(struct synth *synth)
{
	synth_memory(synth, 0x401000, caller_code, 0x100, false);
}

/* The variables of the leaf function, which middle calls at 40102b, perhaps by jumper, a function that jumps to it. */
#define LEAF "leaf|-1000+20|57", "given|!a301559f|int"
#define MIDDLE "middle|-1020+20|9c"
#define JUMPER "jumper|-1060+20|9c"
#define FOR_RDI(value) "|<55|" value "|"
static const struct {
	int32_t relative;		/* the operand of the call at 40102b; 0: none */
	uint64_t returns;
	const char *rows[20];
	const char *shown, *through;
} calls[] = {
	{ 0x30, 0x401030, { LEAF, "lost|!a3015c9f|long", "deeper|!a3015d9f|int", "cfa|!a3015e9f|long", "base|!a3015f9f|long", MIDDLE,
	  "jumper|>1030|", FOR_RDI("082a"), JUMPER, "leaf|>", FOR_RDI("082b"), "|<5c|7300|", "|<5d|a301559f|", "|<5e|9c|", "|<5f|9100|" },
	  "given = 43" NOT_KNOWN("lost") "the registers of the function that jumped are lost; deeper = 42; "
	  "cfa: the frame's CFA is not known; base: the frame's CFA is not known", "jumper" },
	{ 0x30, 0x401030, { LEAF, MIDDLE, "jumper|>>1030|", FOR_RDI("082a"), JUMPER, "leaf|>>", FOR_RDI("082b") }, "given = 43", "jumper" },
	#define JUMPED "given: entry value not known: frame 1 calls jumper, which jumped to another function"
	{ 0, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", JUMPER, "leaf|>", FOR_RDI("082b") }, JUMPED, NULL },
	{ 0x34, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", JUMPER, "leaf|>", FOR_RDI("082b") }, JUMPED, NULL },
	{ 0x30, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", JUMPER, "leaf|>", "leaf|>", FOR_RDI("082b") }, JUMPED, NULL },
	{ 0x30, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", JUMPER, "middle|>", FOR_RDI("082b") }, JUMPED, NULL },
	{ 0x10000, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", JUMPER, "leaf|>", FOR_RDI("082b") }, JUMPED, NULL },
	{ -0x30, 0x401030, { LEAF, MIDDLE, "jumper|>1030|", FOR_RDI("082a"), JUMPER, "leaf|>", FOR_RDI("082b") }, "given = 42", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "|>1030|10e0a08002", FOR_RDI("082a"), JUMPER, "leaf|>", FOR_RDI("082b") },
	  "given: entry value not known: the call was of another function", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "|>1030|1080a08002", FOR_RDI("082a") }, "given = 42", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "|>1030|", FOR_RDI("082a") }, "given: entry value not known: the call in frame 1 is indirect", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "|>1030|30301b", FOR_RDI("082a") }, "given: entry value not known: the call in frame 1 is indirect",
	  NULL },
	/* A parameter without a register of its own, a register that is read as a type, and a register that another value is added to */
	{ 0, 0x401030, { LEAF, "other|!fa(v)9f|int", "v|!fa(given)9f|int", "typed|!a303a505009f|int", "old|!a303f505009f|int",
	  "more|!a30575000623019f|int", MIDDLE, "leaf|>1030|", "given|<0837", FOR_RDI("082a") "082b" },
	  "given = 42; other: entry value not known: the call site in frame 1 does not give it; v = 55; typed = 42; old = 42; "
	  "more: entry value not known: the call site in frame 1 does not give it", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "leaf|>1030|", "|<54|082a|" },
	  "given: entry value not known: the call site in frame 1 does not give it", NULL },
	{ 0, 0x401030, { LEAF, MIDDLE, "leaf|>1031|", FOR_RDI("082a") },
	  "given: entry value not known: frame 1 has no call site for this call", NULL },
	{ 0, 0x400030, { LEAF }, "given: entry value not known: frame 1 has no debug information", NULL },
	{ 0, 0x600030, { LEAF }, "given: entry value not known: frame 1 has no debug information", NULL },
};

TEST_EACH(calls, calls)
{
	const uint64_t values[12] = { [2] = 0x33334444, calls[i].returns, [7] = 1 };
	struct arena arena = { 0 };
	const char *rows[22] = { NULL };
	uint8_t code[0x100];
	struct staged staged;
	size_t count = 0;

	memset(code, 0x90, sizeof(code));
	for (size_t byte = 0; byte < 5 && calls[i].relative != 0; byte++)
		code[0x2b + byte] = byte == 0 ? 0xe8 : (uint8_t)((uint32_t)calls[i].relative >> 8 * (byte - 1));
	caller_code = code;
	for (; calls[i].rows[count] != NULL; count++)
		rows[count] = calls[i].rows[count];
	rows[count] = "int|i4";
	rows[count + 1] = "long|i8";
	stage(&staged, &processors[0], rows, "rip=401010 rsp=408000", stack_of(&processors[0], values, &arena), add_code, &arena);
	is_text(variables_of(&staged, 0, NULL, &arena), calls[i].shown, "call %zu: the values at the entry of the called function", i);
	if (calls[i].returns < 0x401000)
		is_text(variables_of(&staged, 1, NULL, &arena), "no debug information about variables", "frame 1 has no variables");
	if (calls[i].returns > 0x500000)
		is_text(variables_of(&staged, 1, NULL, &arena), "the frame is in no module", "frame 1 has no module");
	struct value_frame *frame = frame_variables_of(staged.walk, &staged.walk->memory, 0, &arena);
	const char *through = value_frame_through(frame);
	is_text(through != NULL ? through : "", calls[i].through != NULL ? calls[i].through : "", "call %zu: the function that jumped", i);
	unstage(&staged, &arena);
}

/* Frame bases of a function whose stack pointer is 408000, and the variable 4 bytes after the base. No record gives its caller. */
static const struct {
	const char *base, *shown;
} bases[] = {
	{ "9100", "v: the frame base depends on itself" }, { "7700", "v = 131105" }, { "57", "v = 131105" }, { "770023089f", "v = 262179" },
	{ "10fcff81029f", "v = 65568" }, { "9e0104", "v: the frame base is not an address" }, { "30301b", "v: the expression divides by zero" },
	{ "903c", "v: register 60 (of DWARF) is not followed" }, { "9c", "v = 262179" }, { "", "v: the function has no frame base here" },
	{ "a301559f", "v: entry value not known: the caller was not found by a record" },
};

TEST_EACH(bases, bases)
{
	static const uint64_t values[12] = { [9] = 0x401030 };
	struct arena arena = { 0 };
	const char *const rows[] = { arena_format(&arena, "leaf|-10e0+20|%s", bases[i].base), "v|!9104|int", "middle|-1020+20|", "int|i4", NULL };
	uint8_t code[0x100] = { [0x2b] = 0xe8, 0xb0 };
	struct staged staged;

	caller_code = code;
	stage(&staged, &processors[0], rows, "rip=4010f0 rsp=408000", stack_of(&processors[0], values, &arena), add_code, &arena);
	is_text(variables_of(&staged, 0, NULL, &arena), bases[i].shown, "the frame base %s", bases[i].base);
	unstage(&staged, &arena);
}

/* A function that passes on its argument to itself. Frame 65 is its first caller. */
TEST(recursion)
{
	static const char *const rows[] = { "again|-1000+20|57", "v|!a301559f|int", "again|>1010|", FOR_RDI("a301559f"), "start|-1020+20|57",
					    "again|>1030|", FOR_RDI("082a"), "int|i4", NULL };
	struct arena arena = { 0 };
	struct staged staged;
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *memory = "";

	for (unsigned frame = 0; frame <= 65; frame++)
		memory = arena_format(&arena, "%s%x=%x ", memory, 0x408018 + frame * 32, frame < 64 ? 0x401010 : frame == 64 ? 0x401030 : 1);
	stage(&staged, &processors[0], rows, "rip=401010 rsp=408000", memory, NULL, &arena);
	is_text(variables_of(&staged, 0, NULL, &arena), "v: it depends on entry values of more than 64 frames", "65 callers are too many");
	is_text(variables_of(&staged, 1, NULL, &arena), "v = 42", "64 callers are queried");
	walk_free(staged.walk);
	staged.walk = walk_create(&staged.crash, staged.symbols, staged.binaries, 0, &policy);
	is_text(variables_of(&staged, 0, NULL, &arena), "v: it depends on entry values of more than 64 frames", "callers are found when they are needed");
	unstage(&staged, &arena);
}

/* Expressions compute with the low 8 bytes of a register of 16 bytes: DWARF's number of v0 is 64. */
TEST_BOTH(wide_registers, big_endian)
{
	static const struct processor arm64 = { ARCH_ARM64, PROCESSOR(183, 8, false), "pc", "sp", "x19", "x3", 3, 19, 31 };
	static const char *const rows[] = { "leaf|-1000+20|6f", "low|!9240009f|ulong", "more|!9240019f|ulong", "whole|!9040|wide", "part|!9040|uint",
					    "sum|!924000924000229f|ulong", "none|!90ffffffff07|ulong", "beyond|!908080808008|ulong", "ulong|u8", "uint|u4", "wide|u16", NULL };
	struct processor processor = arm64;
	struct arena arena = { 0 };
	struct staged staged;

	processor.target.big_endian = big_endian;
	stage(&staged, &processor, rows, "pc=401010 sp=408000", "", NULL, &arena);
	/* In CONTEXT of arm64, v0 is 16 bytes after sp. */
	uint8_t *v0 = staged.bytes + crash_register_place(&staged.crash, staged.walk->context, staged.walk->arch->sp).offset + 16;
	for (unsigned byte = 0; byte < 16; byte++)
		v0[byte] = (uint8_t)(0x11 * byte);
	is_text(variables_of(&staged, 0, NULL, &arena),
		big_endian ? "low = 9843086184167632639; more = 9843086184167632640; whole = 88962710306127702866241727433142015; "
			     "part = 3437096703; sum = 1239428294625713662; none: register 2147483647 (of DWARF) is not followed; "
			     "beyond: register 2147483648 (of DWARF) is not followed"
			   : "low = 8603657889541918976; more = 8603657889541918977; whole = 340193404210632335760508365704335069440; "
			     "part = 857870592; sum = 17207315779083837952; none: register 2147483647 (of DWARF) is not followed; "
			     "beyond: register 2147483648 (of DWARF) is not followed", "the low bytes of v0");
	unstage(&staged, &arena);
}

/* The code of a function without debug information is that of its FUNC record, which begins at 400f00 and has 20 bytes. */
TEST(functions_of_symbols)
{
	static const struct {
		const char *registers;
		bool found;
	} places[] = {
		{ "rip=400eff rsp=408000", false }, { "rip=400f00 rsp=408000", true }, { "rip=400f1f rsp=408000", true },
		{ "rip=400f20 rsp=408000", false }, { "rip=400f40 rsp=408000", false }, { "rip=600f00 rsp=408000", false },
	};
	static const char *const rows[] = { "leaf|-1000+20|57", "int|i4", NULL };

	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		struct arena arena = { 0 };
		struct staged staged;

		stage(&staged, &processors[0], rows, places[i].registers, "", NULL, &arena);
		struct value_frame *frame = value_frame_make(staged.walk, &staged.walk->memory, 0, &arena);
		ok(frame->by_symbol == places[i].found && frame->scopes.code_count == places[i].found &&
		   frame->scopes.function == (places[i].found ? 0xf00 : 0) &&
		   (!places[i].found || (frame->scopes.code[0].low == 0xf00 && frame->scopes.code[0].high == 0xf20)),
		   "%s: the code of a function", places[i].registers);
		unstage(&staged, &arena);
	}
}

/* Frames 0 and 3 are in made, 1 and 2 in files without and with debug information. */
static const struct {
	const char *text, *wrong;
	uint64_t address;
} names[] = {
	{ "leaf", NULL, 0x401000 }, { "second", NULL, 0x501000 }, { "::second", NULL, 0x501000 }, { "&second", NULL, 0 },
	{ "mine", "no variable, function or enumerator 'mine' is known here; frame 2 has it", 0 },
	{ "older", "no variable, function or enumerator 'older' is known here; frame 3 has it", 0 },
	{ "third", "no variable, function or enumerator 'third' is known here", 0 },
};

TEST_EACH(other_modules, names)
{
	static const uint64_t values[12] = { [3] = 0x701010, [7] = 0x501010, [11] = 0x401030 };
	static const char *const rows[] = { "leaf|-1000+20|57", "v|!9104|int", "middle|-1020+20|57", "older|!9104|int", "int|i4", NULL };
	static const char *const other[] = { "second|-1000+20|57", "mine|!9104|int", "int|i4", NULL };
	struct arena arena = { 0 };
	struct staged staged;

	scene_enter_folder();
	made_write_for("nothing/other", other, (struct made_target){ .machine = 62, .word = 8, .id = 0x22 });
	stage(&staged, &processors[0], rows, "rip=401010 rsp=408000", stack_of(&processors[0], values, &arena), NULL, &arena);
	struct value_frame *frame = frame_variables_of(staged.walk, &staged.walk->memory, 0, &arena);
	const struct value_expression found = value_expression_of(frame, 0, text_of(names[i].text), NULL, &arena);
	is_text(found.wrong != NULL ? found.wrong : "", names[i].wrong != NULL ? names[i].wrong : "", "the error about %s", names[i].text);
	if (names[i].wrong == NULL)
		is_u64(found.value.value.address, names[i].address, "the address of %s", names[i].text);
	unlink("nothing/other");
	unstage(&staged, &arena);
}
