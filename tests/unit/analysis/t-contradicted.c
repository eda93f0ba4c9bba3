/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources that contradict how a frame was found: records of another kind, the code of the function,
 * the call before the return address. The crashes are made to order, the sums are by hand. */
#include "analysis/stack_trust.h"
#include "code/instruction.h"
#include "tests/lib/bytes.h"
#include "tests/unit/walk/scene.h"

#define CODES 3

static const struct example {
	const char *title;
	enum arch_id arch;
	const char *registers, *memory, *symbols;
	struct code {
		uint64_t address;
		const char *bytes;	/* in hexadecimal */
	} code[CODES];
	const char *methods;		/* methods of the policy; NULL: all */
	bool runs_code;			/* unspool may search for files */
	const char *text;		/* the contradiction of frame 1, or NULL */
	unsigned line;			/* line of the record that was used, or 0 */
	const char *by_code;		/* the contradiction by the code alone */
} *current;

/* The call at 401100 returns to 401105. f calls nothing; g is at 401200, 0xfb after that. */
#define CALLS								\
	"FUNC 1000 20 0 f\nFUNC 1100 40 0 main\nFUNC 1200 8 0 g\nSTACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
#define CALL(symbols, call, g)								\
	ARCH_AMD64, "rip=401008 rsp=8000", "8000=401105", symbols, { { 0x401100, call }, { 0x401200, g } }, NULL, false
#define FIRST "the call at 0x401100, before its return address, calls g, not f"

static const struct example calls[] = {
	{ "a call of another function", CALL(CALLS, "e8fb000000", "90909090909090c3"), FIRST, 0, NULL },
	{ "a call of the function itself", CALL(CALLS, "e8fbfeffff", "90909090909090c3"), NULL, 0, NULL },
	{ "a call into the midst of a function", CALL(CALLS, "e8fc000000", "90909090909090c3"), NULL, 0, NULL },
	{ "a call of nothing that has a name", CALL(CALLS, "e8fb010000", "90909090909090c3"), NULL, 0, NULL },
	{ "a call of a linker symbol, whose end is unknown", CALL("FUNC 1000 20 0 f\nFUNC 1100 40 0 main\nPUBLIC 1200 0 g\nSTACK CFI INIT "
	  "1000 20 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n", "e8fb000000", "90909090909090c3"), NULL, 0, NULL },
	{ "a call through a register", CALL(CALLS, "909090ffd0", "90909090909090c3"), NULL, 0, NULL },
	/* jmp +4 from 401200 is to 401206, +5 to 401207, the last byte; +6 to 401208, where g ends. */
	{ "a call of a function that jumps within itself", CALL(CALLS, "e8fb000000", "eb049090909090c3"), FIRST, 0, NULL },
	{ "a call of a function that jumps to its last instruction", CALL(CALLS, "e8fb000000", "eb059090909090c3"), FIRST, 0, NULL },
	{ "a call of a function that jumps after its end", CALL(CALLS, "e8fb000000", "eb069090909090c3"), NULL, 0, NULL },
	{ "a call of a function that jumps before its beginning", CALL(CALLS, "e8fb000000", "ebfd9090909090c3"), NULL, 0, NULL },
	{ "a call of a function that jumps back to its beginning", CALL(CALLS, "e8fb000000", "ebfe9090909090c3" ), FIRST, 0, NULL },
	{ "a call of a function that jumps as a register says", CALL(CALLS, "e8fb000000", "ffe09090909090c3"), NULL, 0, NULL },
	{ "a call of a function whose last instruction is a jump out", CALL(CALLS, "e8fb000000", "909090e900010000"), NULL, 0, NULL },
	{ "a call of a function with half of its code", CALL(CALLS, "e8fb000000", "90909090"), NULL, 0, NULL },
	{ "a return address that does not follow a call", CALL(CALLS, "9090909090", "90909090909090c3"), NULL, 0, NULL },
};

/* Records of two kinds for one address. The word at 8000 is data, at 8004 the return address:
 * STACK WIN with 4 bytes of locals finds it, and STACK CFI of esp + 8, too. */
#define TWO(win, cfi)							\
	ARCH_X86, "eip=401008 esp=8000 ebp=8010", "8000=1 8004=401105 8008=401105 8010=0", \
	"FUNC 1000 20 0 f\nFUNC 1100 40 0 main\n" win cfi, { { 0, NULL } }
/* type, address, size, prologue, epilogue, parameters, saved, locals, most, program, its words */
#define WIN(locals) "STACK WIN 4 1000 20 0 0 0 0 " locals " 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + =\n"
#define SAVES "STACK WIN 4 1000 20 0 0 0 0 4 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = "	\
	"$ebx $T0 4 - ^ = $ebp $T0 12 + ^ =\n"
#define CFI_OF(saved) "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: .cfa 4 - ^ " saved "\n"
#define CFI(cfa) "STACK CFI INIT 1000 20 .cfa: $esp " cfa " + .ra: .cfa 4 - ^\n"

static const struct example records[] = {
	{ "records that agree", TWO(WIN("4"), CFI("8")), NULL, false, NULL, 0, NULL },
	{ "records of two CFAs", TWO(WIN("4"), CFI("12")), NULL, false,
	  "CFA: STACK WIN 4 (line 4) says esp+8, STACK CFI (line 5) says esp+12", 4, NULL },
	{ "two CFAs, where STACK CFI is asked first", TWO(WIN("4"), CFI("12")), "stack-cfi", false,
	  "CFA: STACK CFI (line 5) says esp+12, STACK WIN 4 (line 4) says esp+8", 5, NULL },
	{ "a register that one keeps and the other restores", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp "
	  "8 + .ra: .cfa 4 - ^ $ebx: .cfa 8 - ^\n"), NULL, false, NULL, 0, NULL },
	{ "a record that cannot be read", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 12\n"), NULL, false, NULL, 0, NULL },
	{ "a record of another function", TWO(WIN("4"), "STACK CFI INIT 1100 20 .cfa: $esp 12 + .ra: .cfa 4 - "
	  "^\n"), NULL, false, NULL, 0, NULL },
	/* ebp is 8010: ebp - 8 equals esp + 8. */
	{ "two registers by which one gets to the same place", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: "
	  "$ebp 8 - .ra: .cfa 4 - ^\n"), NULL, false, NULL, 0, NULL },
	/* The STACK WIN program restores ebx from esp + 0 and ebp from 8010. */
	{ "two slots of a register", TWO(SAVES, CFI_OF("$ebx: .cfa 4 - ^ $ebp: .cfa 8 + ^")), NULL, false,
	  "ebx: STACK WIN 4 (line 4) says c-8, STACK CFI (line 5) says c-4", 4, NULL },
	{ "a frame pointer that only one restores", TWO(SAVES, CFI_OF("$ebx: .cfa 8 - ^")), NULL, false,
	  "ebp: STACK WIN 4 (line 4) says c+8, STACK CFI has no rule for it up to line 5", 4, NULL },
	{ "the same, where STACK CFI is asked first", TWO(SAVES, CFI_OF("$ebx: .cfa 8 - ^")), "stack-cfi",
	  false, "ebp: STACK CFI has no rule for it up to line 5, STACK WIN 4 (line 4) says c+8", 5, NULL },
	{ "two return addresses", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: .cfa ^\n"), NULL,
	  false, "ra: STACK WIN 4 (line 4) says c-4, STACK CFI (line 5) says c+0", 4, NULL },
	{ "an address and the value there", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: .cfa 4 "
	  "-\n"), NULL, false, "ra: STACK WIN 4 (line 4) says c-4, STACK CFI (line 5) says esp+4", 4, NULL },
	{ "a rule of a delta", TWO(WIN("4"), CFI("8") "STACK CFI 1008 .cfa: $esp 12 +\n"), NULL, false,
	  "CFA: STACK WIN 4 (line 4) says esp+8, STACK CFI (line 6) says esp+12", 4, NULL },
	{ "a delta after the address", TWO(WIN("4"), CFI("8") "STACK CFI 1009 .cfa: $esp 12 +\n"), NULL, false, NULL, 0, NULL },
	/* esp + 4 and ebp - 12 are 8004 as c - 4 is; ebp - 8 is 8008. The sum 2 * esp - 32760 is 8008. */
	{ "a return address by a register", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: $esp 4 + ^\n"),
	  NULL, false, NULL, 0, NULL },
	{ "a return address by another register", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: $ebp 12 "
	  "- ^\n"), NULL, false, NULL, 0, NULL },
	{ "a return address elsewhere by a register", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 8 + .ra: $ebp 8 "
	  "- ^\n"), NULL, false, "ra: STACK WIN 4 (line 4) says c-4, STACK CFI (line 5) says [ebp-8]", 4, NULL },
	{ "a CFA that is no sum of a register", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $esp 2 * 32760 - .ra: $esp "
	  "4 + ^\n"), NULL, false, "CFA: STACK WIN 4 (line 4) says esp+8, STACK CFI (line 5) says exp", 4, NULL },
	{ "a rule before a delta, where STACK CFI is asked first", TWO(WIN("4"), CFI("12") "STACK CFI 1008 $ebx: .cfa 8 - ^\n"),
	  "stack-cfi", false, "CFA: STACK CFI (line 5) says esp+12, STACK WIN 4 (line 4) says esp+8", 5, NULL },
	{ "and to another", TWO(WIN("4"), "STACK CFI INIT 1000 20 .cfa: $ebp 4 - .ra: .cfa 4 - ^\n"), NULL,
	  false, "CFA: STACK WIN 4 (line 4) says esp+8, STACK CFI (line 5) says ebp-4", 4, NULL },
};

/* The first byte of f's code pushes rbx: from 401001 on the CFA is rsp + 16 and rbx is at CFA - 16.
 * Then follow 3 nop, pop rbx and ret. */
#define PUSHES(cfi)							\
	ARCH_AMD64, "rip=401003 rsp=8000 rbx=7", "8000=5 8008=401105", "FUNC 1000 6 0 f\nFUNC 1100 40 0 main\n" cfi, \
	{ { 0x401000, "539090905bc3" }, { 0x401100, "e8fbfeffff" } }, NULL

static const struct example codes[] = {
	{ "rules that the code agrees with", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 8 + .ra: .cfa 8 - "
	  "^\nSTACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^\n"), true, NULL, 0, NULL },
	{ "a CFA that is off by a word", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 8 + .ra: .cfa 8 - ^\nSTACK CFI 1001 .cfa: $rsp 24 + "
	  ".ra: .cfa 16 - ^ $rbx: .cfa 24 - ^\n"), true, "CFA: STACK CFI (line 5) says rsp+24, but the code has it at rsp+16 since the "
	  "instruction at 0x401000", 5, "CFA: STACK CFI (line 5) says rsp+24, but the code has it at rsp+16 since the instruction at "
	  "0x401000" },
	{ "a CFA of an earlier record than the register's", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 24 + .ra: .cfa 16 - ^\nSTACK CFI "
	  "1001 $rbx: .cfa 24 - ^\n"), true, "CFA: STACK CFI (line 4) says rsp+24, but the code has it at rsp+16 since the instruction at "
	  "0x401000", 4, "CFA: STACK CFI (line 4) says rsp+24, but the code has it at rsp+16 since the instruction at 0x401000" },
	{ "a register of a later record than the CFA's", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 16 + .ra: .cfa 8 - ^\nSTACK CFI 1001 "
	  "$rbx: .cfa 24 - ^\n"), true, "rbx: STACK CFI (line 5) says c-24, but the code has something else there", 5, "rbx: STACK CFI "
	  "(line 5) says c-24, but the code has something else there" },
	{ "a CFA off by a word, where no code may be run", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 8 + .ra: .cfa 8 - ^\nSTACK CFI 1001 "
	  ".cfa: $rsp 24 + .ra: .cfa 16 - ^ $rbx: .cfa 24 - ^\n"), false, NULL, 0, NULL },
	{ "a register that is saved elsewhere", PUSHES("STACK CFI INIT 1000 6 .cfa: $rsp 8 + .ra: .cfa 8 - ^\nSTACK CFI 1001 .cfa: $rsp "
	  "16 + $rbx: .cfa 24 - ^\n"), true, "rbx: STACK CFI (line 5) says c-24, but the code has something else there", 5,
	  "rbx: STACK CFI (line 5) says c-24, but the code has something else there" },
	{ "records that hold before the function's first instruction only",
	  PUSHES("STACK CFI INIT 1000 1 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"), true, NULL, 0, NULL },
};

/* Functions with a call. A record that begins after it, but not for the stack that the call leaves, shows that the
 * call does not return: the code there is reached by the jump over it (74 06, je +6) alone, with rsp as at the
 * beginning. On x86 the called function takes the word that 6a 01 pushed, as the record after the call says. */
#define CALLED(registers, memory, code, cfi)				\
	registers, memory, "FUNC 1000 20 0 f\nFUNC 1100 40 0 main\n" cfi,	\
	{ { 0x401000, code }, { 0x401100, "e8fbfeffff" } }, NULL, true
#define TWICE(text, line) text, (line)[0] - '0', text
#define OFF(wrong, line, right, since) TWICE("CFA: STACK CFI (line " line ") says " wrong ", but the code has it "	\
					     "at " right " since the instruction at " since, line)
#define SAVED(name, line) TWICE(name ": STACK CFI (line " line ") says c-16, but the code has something else there", line)

static const struct example returning[] = {
	{ "a record that is wrong after a call that returns", ARCH_AMD64, CALLED("rip=401008 rsp=8000", "8000=5 8010=401105",
	  "53e8fa00000085ff905bc3", "STACK CFI INIT 1000 b .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	  "STACK CFI 1001 .cfa: $rsp 16 +\nSTACK CFI 1008 .cfa: $rsp 24 +\n"), OFF("rsp+24", "6", "rsp+16", "0x401000") },
	{ "a record of code after padding, after a call that does not return", ARCH_AMD64, CALLED("rip=401008 rsp=8000",
	  "8000=5 8010=401105", "53e8fa0000009090905bc3", "STACK CFI INIT 1000 b .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	  "STACK CFI 1001 .cfa: $rsp 16 +\nSTACK CFI 1008 .cfa: $rsp 24 +\n"), NULL, 0, NULL },
	{ "a record for the jump over a call that does not return", ARCH_AMD64, CALLED("rip=401010 rsp=8000",
	  "8000=401105", "f30f1efa85ff740653e8f200000085ff90c3", "STACK CFI INIT 1000 12 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	  "STACK CFI 1009 .cfa: $rsp 16 +\nSTACK CFI 100e .cfa: $rsp 8 +\n"), NULL, 0, NULL },
	{ "a wrong record after a call that does not return", ARCH_AMD64, CALLED("rip=401010 rsp=8000",
	  "8000=1 8010=401105", "f30f1efa85ff740653e8f200000085ff90c3", "STACK CFI INIT 1000 12 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	  "STACK CFI 1009 .cfa: $rsp 16 +\nSTACK CFI 100e .cfa: $rsp 8 +\nSTACK CFI 1010 .cfa: $rsp 24 +\n"),
	  TWICE("CFA: STACK CFI (line 7) says rsp+24, but the code has something else there", "7") },
	{ "a called function that takes its parameter", ARCH_X86, CALLED("eip=401009 esp=8000 ebp=8020", "8000=1 8008=401105",
	  "6a01e8f900000085ff90c3", "STACK CFI INIT 1000 b .cfa: $esp 4 + .ra: .cfa 4 - ^\nSTACK CFI 1002 .cfa: $esp 8 +\nSTACK CFI 1007 "
	  ".cfa: $esp 4 +\nSTACK CFI 1009 .cfa: $esp 12 +\n"), OFF("esp+12", "7", "esp+4", "0x401002") },
	{ "a return address that is not where the record has it", ARCH_AMD64, CALLED("rip=401001 rsp=8000", "8000=401105 8008=401105",
	  "5390905bc3", "STACK CFI INIT 1000 5 .cfa: $rsp 16 + .ra: .cfa 8 - ^ $rbx: .cfa 16 - ^\nSTACK CFI 1001 .ra: .cfa 16 - ^\n"),
	  SAVED("return address", "5") },
	{ "a register that the code does not save", ARCH_AMD64, CALLED("rip=401003 rsp=8000 rbx=7", "8000=5 8008=401105",
	  "5390905bc3", "STACK CFI INIT 1000 5 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $r12: .cfa 32 - ^\n"
	  "STACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^\nSTACK CFI 1002 $rbp: .cfa 16 - ^\n"), SAVED("rbp", "6") },
};

/* The last frame. If 8010 and 8018 are zero, a CFA of rsp + 24 gives the return address 0, which
 * ends a stack; the code and a CFA of rsp + 16 give 401105. */
#define ENDS(registers, memory, cfi)					\
	ARCH_AMD64, registers, memory, "FUNC 1000 6 0 f\nFUNC 1100 40 0 main\n" cfi,	\
	{ { 0x401000, "539090905bc3" }, { 0x401100, "e8fbfeffff" } }, NULL
#define AT_END ENDS("rip=401003 rsp=8000 rbx=7", "8000=5 8008=401105",				\
		    "STACK CFI INIT 1000 6 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"			\
		    "STACK CFI 1001 .cfa: $rsp 24 + .ra: .cfa 8 - ^ $rbx: .cfa 24 - ^\n")
#define WRONG_END "CFA: STACK CFI (line 5) says rsp+24, but the code has it at rsp+16 since the instruction at 0x401000"

static const struct example ends[] = {
	{ "an end by a record that is wrong", AT_END, true, WRONG_END, 5, NULL },
	{ "an end by a record, where no code may be run", AT_END, false, NULL, 0, NULL },
	{ "an end by a record that is right", ENDS("rip=401003 rsp=8000 rbx=7", "8000=5 8008=0", "STACK CFI INIT 1000 6 .cfa: $rsp 8 + "
	  ".ra: .cfa 8 - ^\nSTACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^\n" ), true, NULL, 0, NULL },
	{ "an end without a record", ENDS("rip=401003 rsp=8000 rbx=7", "8000=5 8008=0", "STACK CFI INIT 1100 6 "
	  ".cfa: $rsp 8 + .ra: .cfa 8 - ^\n"), true, NULL, 0, NULL },
	{ "an end outside all modules", ENDS("rip=901003 rsp=8000 rbx=7", "8000=0", ""), true, NULL, 0, NULL },
	{ "two records of the last frame", ARCH_X86, "eip=401008 esp=8000 ebp=8010", "8000=1",
	  "FUNC 1000 20 0 f\nFUNC 1100 40 0 main\n" WIN("4") CFI("12"), { { 0, NULL } }, NULL,
	  false, "CFA: STACK WIN 4 (line 4) says esp+8, STACK CFI (line 5) says esp+12", 4, NULL },
};

static void
add_code(struct synth *synth)
{
	for (size_t i = 0; i < CODES && current->code[i].bytes != NULL; i++) {
		uint8_t bytes[32];
		const size_t size = bytes_of(current->code[i].bytes, bytes, sizeof(bytes));

		synth_memory(synth, current->code[i].address, bytes, size, false);
	}
}

/* A scene walked with a search for files that do not exist. */
struct doubted {
	struct staged staged;
	struct binaries *binaries;
	struct walk *walk;
	struct arena arena;
};

static void
doubt(struct doubted *doubted, const struct example *example, size_t frames)
{
	static const char *const paths[] = { scene_nothing };
	struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct scene scene = {
		.arch = example->arch,
		.os = example->arch == ARCH_X86 ? CRASH_OS_WINDOWS : CRASH_OS_LINUX,
		.registers = example->registers, .stack = 0x8000, .memory = example->memory,
		.modules = { { 0x400000, 0x5000, "a", example->symbols } }, .more = add_code,
	};

	*doubted = (struct doubted){ .walk = NULL };
	current = example;
	scene_play(&doubted->staged, &scene, POLICY_UNSPOOL);
	if (example->methods != NULL)
		methods_choose(&policy, example->methods);
	if (example->runs_code)
		doubted->binaries = binaries_create(&doubted->staged.crash, paths, 1);
	doubted->walk = walk_create(&doubted->staged.crash, doubted->staged.symbols, doubted->binaries, 0, &policy);
	walk_run(doubted->walk, frames);
}

static void
settle(struct doubted *doubted)
{
	walk_free(doubted->walk);
	binaries_free(doubted->binaries);
	arena_free(&doubted->arena);
	scene_close(&doubted->staged);
}

/* The first finding that a frame or the stack's end is contradicted, with its evidence and message; "": none. */
static const char *
finding_of(const struct doubted *doubted, char *buffer, size_t size)
{
	struct analysis *analysis = analysis_create(&doubted->staged.crash, doubted->walk, doubted->binaries, NULL);
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->finding_count && used == 0; i++) {
		const struct finding *finding = &analysis->findings[i];
		if (finding->kind != FINDING_CONTRADICTED)
			continue;
		used = strlen(finding_text(finding, buffer, size));
		snprintf(buffer + used, size - used, "; %s", analysis->messages.count == 1
			 ? analysis->messages.messages[0].text : "no message, or more than one");
	}
	analysis_free(analysis);
	return buffer;
}

static void
test_example(const struct example *example)
{
	struct doubted doubted;
	struct place place = { .line = 99 };
	char found[800], wanted[800] = "";

	doubt(&doubted, example, 2);
	if (!is_u64(doubted.walk->count, 2, "%s: there is a caller", example->title))
		tap_diag("%s", doubted.walk->end.text);
	const char *text = frame_contradicted(doubted.walk, 1, &doubted.arena, &place);
	is_str(text, example->text, "%s: a contradiction of the caller is reported", example->title);
	if (text != NULL)
		is_u64(place.line, example->line, "%s: the contradiction has its record", example->title);
	is_str(frame_contradicted(doubted.walk, 1, &doubted.arena, NULL), example->text,
	       "%s: the place of a contradiction may be NULL", example->title);
	is_str(frame_contradicted(doubted.walk, 0, &doubted.arena, &place), NULL, "the first frame is not contradicted");
	is_str(frame_contradicted_by_code(doubted.walk, 1, &doubted.arena), example->by_code,
	       "%s: the code contradicts the caller, or not", example->title);
	is_str(frame_contradicted_by_code(doubted.walk, 0, &doubted.arena), NULL, "the code does not contradict the first frame");
	if (example->text != NULL)
		snprintf(wanted, sizeof(wanted), "%u: frame 1 may be false: another source contradicts how it was found; %s; "
			 "'unspool explain --frame 0 --all-methods' shows what each method finds; frame 1 is contradicted: %s",
			 example->by_code != NULL ? 95 : 80, example->text, example->text);
	is_str(finding_of(&doubted, found, sizeof(found)), wanted,
	       "%s: a contradiction is a finding, more likely if the code proves it", example->title);
	settle(&doubted);
}

static void
test_end(const struct example *example)
{
	struct doubted doubted;
	struct place place = { .line = 99 };
	char found[800], wanted[800] = "";

	doubt(&doubted, example, 0);
	is_u64(doubted.walk->count, 1, "%s: there is no caller", example->title);
	const char *text = stack_end_contradicted(doubted.walk, &doubted.arena, &place);
	is_str(text, example->text, "%s: a contradiction of the stack's end is reported", example->title);
	if (text != NULL)
		is_u64(place.line, example->line, "%s: the contradiction has its record", example->title);
	is_str(stack_end_contradicted(doubted.walk, &doubted.arena, NULL), example->text,
	       "%s: the place of a contradiction may be NULL", example->title);
	struct stack_trust trust;
	stack_trust_of(doubted.walk, &trust);
	is_u64(trust.end_contradicted, example->text != NULL, "%s: a contradicted end is a part of the stack's trust", example->title);
	if (example->text != NULL)
		snprintf(wanted, sizeof(wanted), "80: the stack may go on after frame 0: its record, which finds no caller, is "
			 "contradicted; %s; 'unspool explain --frame 0 --all-methods' shows what each method "
			 "finds; the end of the stack is contradicted: %s", example->text, example->text);
	is_str(finding_of(&doubted, found, sizeof(found)), wanted, "%s: a contradicted end is a finding", example->title);
	doubted.walk->complete = false;
	is_str(stack_end_contradicted(doubted.walk, &doubted.arena, &place), NULL, "an incomplete walk has no end");
	settle(&doubted);
}

/* The frames 255 and 256, the last one compared and the next one, are found as frame 1 of two is. */
static void
test_limits(void)
{
	static struct frame frames[CONTRADICTED_FRAMES + 2];
	const struct { const struct example *example; bool by_code; } rows[] = { { &records[1], false }, { &codes[1], true } };
	struct doubted doubted;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *const text = rows[i].example->text;
		doubt(&doubted, rows[i].example, 2);
		struct walk walk = *doubted.walk;
		for (size_t j = 0; j < ARRAY_COUNT(frames); j++)
			frames[j] = walk.frames[j >= CONTRADICTED_FRAMES - 1];
		frames[CONTRADICTED_FRAMES - 1] = walk.frames[0];
		walk.frames = frames;
		walk.count = CONTRADICTED_FRAMES + 1;
		is_str(frame_contradicted(&walk, CONTRADICTED_FRAMES, &doubted.arena, NULL), NULL, "frame 256 is not compared");
		is_str(frame_contradicted_by_code(&walk, CONTRADICTED_FRAMES, &doubted.arena), NULL,
		       "frame 256 is not compared with its code");
		frames[CONTRADICTED_FRAMES - 1] = frames[CONTRADICTED_FRAMES];
		is_str(frame_contradicted(&walk, CONTRADICTED_FRAMES - 1, &doubted.arena, NULL), text, "frame 255 is compared");
		is_str(frame_contradicted_by_code(&walk, CONTRADICTED_FRAMES - 1, &doubted.arena),
		       rows[i].by_code ? text : NULL, "frame 255 is compared with its code");
		settle(&doubted);
	}
	/* The answer about an address is kept for this one: at 401005, pop rbx has moved the stack pointer. */
	doubt(&doubted, &codes[0], 2);
	for (uint64_t pc = 0x401004; pc <= 0x401005; pc++) {
		doubted.walk->frames[0].lookup = pc;
		registers_set(&doubted.walk->frames[0].registers, doubted.walk->arch->pc, pc);
		is_str(frame_contradicted_by_code(doubted.walk, 1, &doubted.arena), pc == 0x401004 ? NULL : "CFA: STACK CFI (line 5) "
		       "says rsp+16, but the code has it at rsp+8 since the instruction at 0x401004",
		       "a record is right at one address, and wrong at another one");
	}
	settle(&doubted);
	doubt(&doubted, &ends[0], 0);
	for (size_t j = 0; j < ARRAY_COUNT(frames); j++)
		frames[j] = doubted.walk->frames[0];
	struct walk walk = *doubted.walk;
	walk.frames = frames;
	for (walk.count = CONTRADICTED_FRAMES; walk.count <= CONTRADICTED_FRAMES + 1; walk.count++)
		is_str(stack_end_contradicted(&walk, &doubted.arena, NULL), walk.count == CONTRADICTED_FRAMES ? WRONG_END : NULL,
		       "the end of a stack of at most 256 frames is compared, not that of %zu", walk.count);
	settle(&doubted);
}

int
main(void)
{
	if (instruction_unsupported(arch_by_id(ARCH_AMD64)) != NULL) {
		skip(1, "no disassembler");
		return done_testing();
	}
	for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
		test_example(&calls[i]);
	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		test_example(&records[i]);
	for (size_t i = 0; i < ARRAY_COUNT(codes); i++)
		test_example(&codes[i]);
	for (size_t i = 0; i < ARRAY_COUNT(returning); i++)
		test_example(&returning[i]);
	for (size_t i = 0; i < ARRAY_COUNT(ends); i++)
		test_end(&ends[i]);
	test_limits();
	return done_testing();
}
