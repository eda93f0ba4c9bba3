/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/location_machine.h"

#include "tests/lib/tap.h"

/* Expressions by hand from DWARF 5, 2.5, 2.6 and 7.7.1. A register holds 100 times its number. */

static bool big_endian;

static const char *
read_register(void *context, uint64_t number, uint64_t *value)
{
	(void)context;
	*value = number * 100;
	return number == 2 ? "rcx is not there" : NULL;
}

/* Memory from 0x1000 to 0x10ff: each byte is the low byte of its address. */
static const char *
read_memory(void *context, uint64_t address, unsigned size, uint64_t *value)
{
	(void)context;
	*value = 0;
	for (unsigned i = 0; i < size; i++)
		*value |= ((address + i) & 0xffu) << 8 * i;
	return address >= 0x1000 && address + size <= 0x1100 ? NULL : "no memory";
}

static const char *
read_cfa(void *context, uint64_t *value)
{
	(void)context;
	*value = 0x7000;
	return NULL;
}

static const char *
read_frame_base(void *context, uint64_t *value, const char **postfix)
{
	(void)context;
	*value = 0x7000;
	*postfix = ".cfa";
	return NULL;
}

static const char *
read_entry(void *context, const struct debug_expression *expression, const struct debug_entry *parameter, uint64_t *value)
{
	const uint8_t code = expression->dwarf.code.size == 1 ? expression->dwarf.code.data[0] : 0;

	(void)context, (void)parameter;
	*value = code == 0x56 ? 0x404d000000000000 : 77;
	return code == 0x55 || code == 0x56 ? NULL : "not told";
}

static uint64_t
loaded(void *context, const struct debug_home *home, uint64_t linked)
{
	(void)context, (void)home;
	return linked + 0x400000;
}

static struct location_result
run(enum arch_id arch, const uint8_t *code, size_t size, struct arena *arena)
{
	const struct location_source source = {
		.arch = arch_by_id(arch), .reg = read_register, .memory = read_memory,
		.cfa = read_cfa, .frame_base = read_frame_base, .entry = read_entry,
		.loaded = loaded };
	const struct location_start start = { .records = true };
	const struct debug_expression expression = {
		.dwarf = { .code = { .data = code, .size = size, .big_endian = big_endian },
			   .version = 5, .word = source.arch->word_size, .offset_size = 4 } };
	struct location_result result = { 0 };

	location_run(&expression, &source, &start, arena, &result);
	return result;
}

#define M LOCATION_MEMORY
#define V LOCATION_VALUE
#define R LOCATION_REGISTER
#define NO LOCATION_ABSENT
#define VALUE 0x9f		/* DW_OP_stack_value */

static const struct {
	const char *title;
	enum arch_id arch;
	uint8_t code[24];
	size_t size;
	enum location_kind kind;
	uint64_t number;
	const char *text;	/* postfix, or the reason for its absence; NULL: not checked */
} cases[] = {
	{ "a local below the frame base", ARCH_AMD64, { 0x91, 0x6c }, 2, M, 0x6fec, ".cfa 20 -" },
	{ "the CFA itself", ARCH_AMD64, { 0x9c }, 1, M, 0x7000, ".cfa" },
	{ "a register and an offset", ARCH_AMD64, { 0x77, 0x10 }, 2, M, 716, "$rsp 16 +" },
	{ "a register by its number", ARCH_AMD64, { 0x92, 3, 0x78 }, 3, M, 292, "$rbx 8 -" },
	{ "a value in a register", ARCH_AMD64, { 0x56 }, 1, R, 6, NULL },
	{ "a register above 31", ARCH_AMD64, { 0x90, 0x21 }, 2, R, 33, NULL },
	{ "an address is moved to where the file is loaded", ARCH_X86, { 3, 0x10, 0x20, 0, 0 }, 5, M, 0x402010, "0x402010" },
	{ "a small constant", ARCH_AMD64, { 0x37, VALUE }, 2, V, 7, "7" },
	{ "a negative constant", ARCH_AMD64, { 0x09, 0xfd, VALUE }, 3, V, (uint64_t)-3, "-3" },
	{ "an unsigned byte", ARCH_AMD64, { 0x08, 0xfd, VALUE }, 3, V, 253, "253" },
	{ "a constant of 16 bits with its sign", ARCH_AMD64, { 0x0b, 0xfe, 0xff, VALUE }, 4, V, (uint64_t)-2, NULL },
	{ "values of 32-bit processors have 32 bits", ARCH_X86, { 0x09, 0xfd, VALUE }, 3, V, 0xfffffffd, NULL },
	{ "8 bytes in memory are no word of a 32-bit processor", ARCH_X86,
	  { 0x0a, 0x10, 0x10, 0x94, 8, VALUE }, 6, V, 0x1716151413121110, NULL },
	{ "a caller's double is not cut to a word", ARCH_X86, { 0xa3, 1, 0x56, VALUE }, 4, V, 0x404d000000000000, NULL },
	{ "GCC's sign extension of an int",
	  ARCH_AMD64, { 0x0c, 0xff, 0xff, 0xff, 0xff, 8, 32, 0x24, 8, 32, 0x26, VALUE }, 12, V, UINT64_MAX, NULL },
	{ "a shift by all bits leaves nothing", ARCH_X86, { 0x31, 8, 32, 0x24, VALUE }, 5, V, 0, "1 32 shl" },
	{ "a logical shift to the right", ARCH_X86, { 0x09, 0xff, 8, 28, 0x25, VALUE }, 6, V, 15, NULL },
	{ "division is signed", ARCH_AMD64, { 0x09, 0xf9, 0x32, 0x1b, VALUE }, 5, V, (uint64_t)-3, "-7 2 /" },
	{ "the rest of a division is not", ARCH_AMD64, { 0x09, 0xff, 0x3a, 0x1d, VALUE }, 5, V, 5, "-1 10 %" },
	{ "nothing is divided by zero", ARCH_AMD64, { 0x37, 0x30, 0x1b, VALUE }, 4, NO, 0, "the expression divides by zero" },
	{ "comparisons are signed", ARCH_AMD64, { 0x09, 0xff, 0x31, 0x2d, VALUE }, 5, V, 1, "-1 1 lt" },
	{ "minus takes the top from what is below", ARCH_AMD64, { 0x37, 0x32, 0x1c, VALUE }, 4, V, 5, "7 2 -" },
	{ "and, or, xor", ARCH_AMD64, { 0x3c, 0x3a, 0x1a, 0x31, 0x21, 0x33, 0x27, VALUE }, 8, V, 10, "12 10 and 1 or 3 xor" },
	{ "not and neg", ARCH_AMD64, { 0x37, 0x20, 0x1f, VALUE }, 4, V, 8, "7 not neg" },
	{ "the value without its sign", ARCH_AMD64, { 0x09, 0xf9, 0x19, VALUE }, 4, V, 7, NULL },
	{ "an unsigned offset", ARCH_AMD64, { 0x37, 0x23, 0x80, 0x01, VALUE }, 5, V, 135, "7 128 +" },
	{ "rot: the topmost goes below two", ARCH_AMD64, { 0x31, 0x32, 0x34, 0x17, 0x1c, 0x1c, VALUE }, 7, V, 5, "4 1 2 - -" },
	{ "pick counts from the top", ARCH_AMD64, { 0x31, 0x32, 0x33, 0x15, 2, VALUE }, 6, V, 1, "1" },
	{ "over copies the second", ARCH_AMD64, { 0x31, 0x32, 0x14, VALUE }, 4, V, 1, "1" },
	{ "a word of memory", ARCH_AMD64, { 0x0a, 0x08, 0x10, 0x06, VALUE }, 5, V, 0x0f0e0d0c0b0a0908, "4104 ^" },
	{ "fewer bytes than a word", ARCH_AMD64, { 0x0a, 0x08, 0x10, 0x94, 2, VALUE }, 6, V, 0x0908, "4104 ^2" },
	{ "a missing word of memory", ARCH_AMD64, { 0x37, 0x06, VALUE }, 3, NO, 0, "no memory" },
	{ "a missing register", ARCH_AMD64, { 0x72, 0, VALUE }, 3, NO, 0, "rcx is not there" },
	{ "a value at the function's entry", ARCH_AMD64, { 0xa3, 1, 0x55, VALUE }, 4, V, 77, "entry($rdi)" },
	{ "GNU's operation for it", ARCH_AMD64, { 0xf3, 1, 0x55, VALUE }, 4, V, 77, "entry($rdi)" },
	{ "an entry value without a call site", ARCH_AMD64, { 0xa3, 1, 0x54, VALUE }, 4, NO, 0, "not told" },
	{ "a jump that is taken", ARCH_AMD64, { 0x31, 0x28, 1, 0, 0x96, 0x35, VALUE }, 7, V, 5, "5" },
	{ "a jump that is not", ARCH_AMD64, { 0x39, 0x30, 0x28, 1, 0, 0x20, VALUE }, 7, V, (uint64_t)-10, NULL },
	{ "a jump out of the expression", ARCH_AMD64, { 0x2f, 0x7f, 0 }, 3, NO, 0, "the expression jumps out of itself" },
	{ "a loop without end", ARCH_AMD64, { 0x2f, 0xfd, 0xff }, 3, NO, 0, "the expression runs more than 10000 operations" },
	{ "an operation without operands on the stack", ARCH_AMD64, { 0x22, VALUE }, 2, NO, 0, "an operation has too few operands" },
	{ "an expression that is cut off", ARCH_AMD64, { 0x0e, 1, 2 }, 3, NO, 0, "the expression ends within an operation" },
	{ "an operation that is unknown", ARCH_AMD64, { 0x01 }, 1, NO, 0, "the expression has an unknown operation" },
	{ "one that needs an object", ARCH_AMD64, { 0x97 }, 1, NO, 0, "the expression asks for the address of an object" },
	{ "nothing at all is no value", ARCH_AMD64, { 0 }, 0, NO, 0, "optimised out" },
};

TEST_EACH(cases, cases)
{
	struct arena arena = { 0 };
	const struct location_result result = run(cases[i].arch, cases[i].code, cases[i].size, &arena);
	const struct location_part *part = &result.parts[0];

	ok(result.count == 1 && part->whole && part->kind == cases[i].kind &&
		   (part->kind == LOCATION_ABSENT || part->number == cases[i].number), "%s", cases[i].title);
	if (cases[i].text != NULL)
		is_str(part->kind == LOCATION_ABSENT ? part->why : part->postfix, cases[i].text, "%s: the words are right", cases[i].title);
	arena_free(&arena);
}

TEST(parts)
{
	/* A register, a missing register, a constant, and two bytes without a place. */
	static const uint8_t code[] = { 0x5a, 0x93, 4, 0x72, 0, VALUE, 0x93, 2, 0x08, 122, VALUE, 0x93, 1, 0x93, 1 };
	static const uint8_t bits[] = { 0x56, 0x9d, 3, 5 };
	static const uint8_t bytes[] = { 0x9e, 3, 1, 2, 3 };
	struct arena arena = { 0 };
	struct location_result result = run(ARCH_AMD64, code, sizeof(code), &arena);

	is_u64(result.count, 4, "an expression has as many parts as it says");
	ok(result.parts[0].kind == LOCATION_REGISTER && result.parts[0].bits == 32 && result.parts[0].number == 10,
	   "a part in a register has its number and its bits");
	ok(result.parts[1].kind == LOCATION_ABSENT && result.parts[1].bits == 16, "only the part that cannot be computed is missing");
	ok(result.parts[2].kind == LOCATION_VALUE && result.parts[2].number == 122, "the parts after a missing one are computed");
	is_str(result.parts[3].why, "optimised out", "a part without an operation is optimised out");
	result = run(ARCH_AMD64, bits, sizeof(bits), &arena);
	ok(result.count == 1 && result.parts[0].bits == 3 && result.parts[0].bit_offset == 5, "a part may be bits of a register");
	result = run(ARCH_AMD64, bytes, sizeof(bytes), &arena);
	ok(result.parts[0].kind == LOCATION_BYTES && result.parts[0].bytes.size == 3 &&
		   result.parts[0].bytes.data[2] == 3, "a part may be bytes in the expression itself");
	/* clang writes constants of 8 bytes for ARM; computed values have 4 bytes. */
	static const uint8_t constant[] = { 0x0e,  0xcd, 0xff, 0x2f, 0,	   5,	  0,	0, 0,
					    VALUE, 0x93, 8,    0x0e, 0xcd, 0xff,  0x2f, 0, 5,
					    0,	   0,	 0,    0x31, 0x22, VALUE, 0x93, 8 };
	result = run(ARCH_ARM, constant, sizeof(constant), &arena);
	ok(result.count == 2 && result.parts[0].constant && result.parts[0].written == UINT64_C(0x5002fffcd),
	   "a constant keeps all its bytes, even if a word has fewer");
	ok(!result.parts[1].constant && result.parts[1].number == 0x2fffce,
	   "a number that is computed from a constant has the size of a word");
	arena_free(&arena);
}

TEST(steps)
{
	static const uint8_t code[] = { 0x0a, 0x08, 0x10, 0x94, 1, 0x32, 0x22, VALUE };
	static const char *const names[] = { "const2u 4104", "deref_size 1", "lit2", "plus", "stack_value" };
	struct arena arena = { 0 };
	const struct location_result result = run(ARCH_AMD64, code, sizeof(code), &arena);

	is_u64(result.step_count, 5, "each operation is recorded");
	for (size_t i = 0; i < 5 && i < result.step_count; i++)
		is_str(result.steps[i].operation, names[i], "operation %zu has its name and operand", i);
	ok(result.steps[1].reads && result.steps[1].address == 0x1008 && result.steps[1].top == 8,
	   "an operation that reads memory has its address and value");
	ok(result.steps[3].depth == 1 && result.steps[3].top == 10, "an operation has the depth and the top of the stack after it");
	static const enum location_did did[] = { LOCATION_DID_NUMBER, LOCATION_DID_READ, LOCATION_DID_NUMBER, LOCATION_DID_COMPUTE,
						 LOCATION_DID_OTHER };
	for (size_t i = 0; i < 5 && i < result.step_count; i++)
		is_u64(result.steps[i].did, did[i], "operation %zu has its kind", i);
	ok(result.steps[1].size == 1 && strcmp(result.steps[3].name, "+") == 0,
	   "an operation has the size it read, or its sign in the language of rules");
	ok(result.steps[2].depth == 2 && result.steps[2].stack[0].value == 8 && result.steps[2].stack[0].made == 1 &&
		   result.steps[2].stack[1].made == 2, "each value on the stack says which operation made it");
	arena_free(&arena);
}

/* The value of a name stays separate from the number that is added to it. */
TEST(names)
{
	static const uint8_t code[] = { 0x91, 0x6c, 0x23, 4 };	/* fbreg -20; plus_uconst 4 */
	struct arena arena = { 0 };
	const struct location_result result = run(ARCH_AMD64, code, sizeof(code), &arena);

	ok(result.steps[0].did == LOCATION_DID_NAME && result.steps[0].added == -20 && result.steps[0].named == 0x7000 &&
		   strcmp(result.steps[0].name, ".cfa") == 0, "the frame base is a name with an offset");
	ok(result.steps[1].did == LOCATION_DID_ADD && result.steps[1].added == 4 &&
		   result.steps[1].stack[0].made == 1, "plus_uconst is a number that is added");
	arena_free(&arena);
}

/* A stack that grows without end, and entry values within each other. */
TEST(limits)
{
	static uint8_t code[2000];
	struct arena arena = { 0 };

	memset(code, 0x31, sizeof(code));
	struct location_result result = run(ARCH_AMD64, code, sizeof(code), &arena);
	is_str(result.parts[0].why, "the expression needs more than 64 values at a time", "a stack that is too deep ends the expression");
	for (size_t i = 0; i < sizeof(code); i += 2) {
		code[i] = 0x32;
		code[i + 1] = 0x1e;
	}
	code[1] = 0x32;
	result = run(ARCH_AMD64, code, sizeof(code), &arena);
	ok(strlen(result.parts[0].postfix) < 200, "a text that would be too long is cut");
	for (size_t i = 0; i < 200; i++) {
		code[2 * i] = 0xa3;
		code[2 * i + 1] = (uint8_t)(398 - 2 * i < 127 ? 398 - 2 * i : 126);
	}
	result = run(ARCH_AMD64, code, 128, &arena);
	ok(result.count == 1, "nested expressions end at a limit");
	for (size_t i = 0; i < sizeof(code); i++)
		code[i] = i % 2 == 0 ? 0x93 : 1;
	result = run(ARCH_AMD64, code, sizeof(code), &arena);
	is_u64(result.count, LOCATION_PARTS, "parts are read up to a limit");
	arena_free(&arena);
}

/* Random bytes: evaluation ends, and no read passes their end. */
TEST(any_bytes)
{
	struct arena arena = { 0 };
	uint32_t state = 1;
	uint8_t code[24];
	bool good = true;

	for (size_t round = 0; round < 20000; round++) {
		const size_t size = round % sizeof(code) + 1;
		for (size_t i = 0; i < size; i++) {
			state = state * 1664525 + 1013904223;
			code[i] = (uint8_t)(state >> 24);
			/* These operations need entries of a file. */
			if ((code[i] >= 0x98 && code[i] <= 0x9b) || (code[i] >= 0xa0 && code[i] != 0xa3))
				code[i] = 0x96;
		}
		const struct location_result result = run(round % 2 == 0 ? ARCH_AMD64 : ARCH_X86, code, size, &arena);
		good = good && result.count >= 1;
		if (round % 100 == 0)
			arena_reset(&arena);
	}
	ok(good, "any bytes give a result");
	arena_free(&arena);
}
