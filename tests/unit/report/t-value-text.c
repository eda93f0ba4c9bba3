/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>

#include "report/value/locals_internal.h"
#include "report/value/value_text.h"
#include "tests/unit/walk/scene.h"

/* The output of gdb 13.1 for each value, in programs that gcc made for amd64 and arm64. */
static const struct {
	const char *bytes;		/* hexadecimal, the most significant first */
	const char *name;
	bool x87;
	const char *text;
} cases[] = {
	{ "3dcccccd", "float", false, "0.100000001" }, { "7fc00000", "float", false, "nan(0x400000)" },
	{ "ff800000", "float", false, "-inf" }, { "00000001", "float", false, "1.40129846e-45" },
	{ "3fb999999999999a", "double", false, "0.10000000000000001" },
	{ "00000000000007e8", "double", false, "9.9998886718268301e-321" }, { "8000000000000000", "double", false, "-0" },
	{ "7ff8000000000005", "double", false, "nan(0x8000000000005)" }, { "fff8000000000005", "double", false, "-nan(0x8000000000005)" },
	{ "7bff", "_Float16", false, "65504" }, { "2e66", "_Float16", false, "0.099976" }, { "0001", "_Float16", false, "5.9605e-08" },
	{ "3fc0", "__bf16", false, "1.5" }, { "0000000000003ffbcccccccccccccccd", "long double", true, "0.100000000000000000001" },
	{ "00003ffdaaaaaaaaaaaaaaab", "long double", true, "0.333333333333333333342" },
	{ "00000000000080000000000000000000", "long double", true, "-0" },
	{ "0000000000007fff8000000000000000", "long double", true, "inf" },
	{ "000000000000ffffc000000000000123", "long double", true, "-nan(0xc000000000000123)" },
	{ "7fff0000000000000000000000000000", "long double", false, "inf" },
	{ "7fff8000000000000000000000000123", "long double", false, "nan(0x8000000000000000000000000123)" },
#if LDBL_MANT_DIG == 113 || defined(HAVE_STRFROMF128)
	{ "4000e000000000000000000000000000", "long double", false, "3.75" },
	{ "3ffd5555555555555555555555555555", "long double", false, "0.333333333333333333333333333333333317" },
#endif
};

static size_t
unhex(const char *text, uint8_t *bytes)
{
	size_t size = 0;

	for (unsigned byte; sscanf(text + 2 * size, "%2x", &byte) == 1; size++)
		bytes[size] = (uint8_t)byte;
	return size;
}

#define METHODS 99u

/* Values that are not in memory, as gdb prints those of these types. */
static const struct {
	enum debug_type_kind kind;
	bool is_signed;
	const char *bytes;		/* as in little-endian memory */
	unsigned element;		/* bytes of an element of an array; METHODS: it points to a function */
	const char *text;
} values[] = {
	{ DEBUG_TYPE_NUMBER, true, "ffffffffffffffffffffffffffffffff", 0, "-1" },
	{ DEBUG_TYPE_NUMBER, false, "ffffffffffffffffffffffffffffffff", 0, "340282366920938463463374607431768211455" },
	{ DEBUG_TYPE_NUMBER, true, "00000000000000000000000000000080", 0, "-170141183460469231731687303715884105728" },
	{ DEBUG_TYPE_NUMBER, true, "0000000000000000010000000000000000", 0, "0x0000000000000000010000000000000000" },
	{ DEBUG_TYPE_NUMBER, false, "00000000000000000100000000000000", 0, "18446744073709551616" },
	{ DEBUG_TYPE_NUMBER, true, "00000000000000000000000000000000", 0, "0" }, { DEBUG_TYPE_NUMBER, true, "feff", 0, "-2" },
	{ DEBUG_TYPE_COMPLEX, false, "0000c03f000000c0", 0, "1.5 + -2i" },
	{ DEBUG_TYPE_FLOAT, false, "000000000000000000", 0, "0x000000000000000000" },
	{ DEBUG_TYPE_ENUMERATION, true, "ffffffff", 0, "-1" }, { DEBUG_TYPE_BOOLEAN, false, "01", 0, "true" },
	{ DEBUG_TYPE_VOID, false, "", 0, "void" },
	/* The limit of gdb's "print repeats" is 10 equal elements. */
	{ DEBUG_TYPE_ARRAY, true, "07070707070707070707", 1, "{7 <repeats 10 times>}" },
	{ DEBUG_TYPE_ARRAY, true, "01070707070707070707fe", 1, "{1, 7, 7, 7, 7, 7, 7, 7, 7, 7, -2}" },
	{ DEBUG_TYPE_ARRAY, true, "0107070707070707070707fefefefefefefefefefefe08", 1,
	  "{1, 7 <repeats 10 times>, -2 <repeats 11 times>, 8}" },
	{ DEBUG_TYPE_ARRAY, false, "6161616161616161616161616261", 1, "'a' <repeats 12 times>, \"ba\"" },
	{ DEBUG_TYPE_ARRAY, false, "6162", 1, "\"ab\"" },
	{ DEBUG_TYPE_NUMBER, true, "80", 0, "-128" }, { DEBUG_TYPE_NUMBER, false, "80", 0, "128" },
	{ DEBUG_TYPE_NUMBER, true, "ffffffffffffffff", 0, "-1" },
	{ DEBUG_TYPE_NUMBER, false, "ffffffffffffffff", 0, "18446744073709551615" },
	{ DEBUG_TYPE_NUMBER, false, "000000000000000001", 0, "18446744073709551616" },
	{ DEBUG_TYPE_NUMBER, true, "000000000000000080", 0, "-2361183241434822606848" },
	{ DEBUG_TYPE_COMPLEX, false, "000000000000f83f00000000000000c0", 0, "1.5 + -2i" },
	{ DEBUG_TYPE_BOOLEAN, false, "00", 0, "false" }, { DEBUG_TYPE_BOOLEAN, false, "02", 0, "2" },
	{ DEBUG_TYPE_CHARACTER, true, "61", 0, "97 'a'" }, { DEBUG_TYPE_CHARACTER, true, "f8", 0, "-8 '\\370'" },
	{ DEBUG_TYPE_CHARACTER, false, "f8", 0, "248 '\\370'" }, { DEBUG_TYPE_CHARACTER, false, "27", 0, "39 '\\''" },
	{ DEBUG_TYPE_CHARACTER, false, "6100", 0, "97 u'a'" }, { DEBUG_TYPE_CHARACTER, false, "61000000", 0, "97 U'a'" },
	{ DEBUG_TYPE_UNKNOWN, false, "0102", 0, "0x0201" },
	/* Pointers to member functions: an address or 1 + an offset in the virtual table, an adjustment. */
	{ DEBUG_TYPE_MEMBER_POINTER, false, "00000000000000000000000000000000", METHODS, "NULL" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "34120000000000000000000000000000", METHODS, "0x1234" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "34120000000000000800000000000000", METHODS, "0x1234, this adjustment 8" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "3412000000000000f8ffffffffffffff", METHODS, "0x1234, this adjustment -8" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "01000000000000000000000000000000", METHODS, "&virtual table offset 0" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "11000000000000000800000000000000", METHODS, "&virtual table offset 16, this adjustment 8" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "ffffffffffffffff", 0, "NULL" },
	{ DEBUG_TYPE_MEMBER_POINTER, false, "0c00000000000000", 0, "0xc" }, { DEBUG_TYPE_ARRAY, true, "01000200ffff", 2, "{1, 2, -1}" },
	{ DEBUG_TYPE_ARRAY, false, "61225c0a0180627100", 1, "\"a\\\"\\\\\\n\\001\\200bq\"" },
	{ DEBUG_TYPE_ARRAY, false, "6100620063000000", 2, "u\"abc\"" },
	{ DEBUG_TYPE_ARRAY, false, "610000006200000000000000", 4, "U\"ab\"" },
	/* Strings fold more than 10 equal characters, arrays 10 equal elements. */
	{ DEBUG_TYPE_ARRAY, false, "61616161616161616161", 1, "\"aaaaaaaaaa\"" },
	{ DEBUG_TYPE_ARRAY, false, "62616161616161616161616163", 1, "\"b\", 'a' <repeats 11 times>, \"c\"" },
	{ DEBUG_TYPE_ARRAY, false, "07080c0a0d090b1b1f207e7fff", 1, "\"\\a\\b\\f\\n\\r\\t\\v\\033\\037 ~\\177\\377\"" },
	{ DEBUG_TYPE_ARRAY, false, "61270062", 1, "\"a'\\000b\"" }, { DEBUG_TYPE_ARRAY, false, "00", 1, "\"\"" },
	/* U+E9 and U+1F600: one, two or four units; a half of a pair and 0x110000 are no characters. */
	{ DEBUG_TYPE_ARRAY, false, "c3a900", 1, "\"\303\251\"" }, { DEBUG_TYPE_ARRAY, false, "c3", 1, "\"\\303\"" },
	{ DEBUG_TYPE_ARRAY, false, "3dd800de6100", 2, "u\"\360\237\230\200a\"" },
	{ DEBUG_TYPE_ARRAY, false, "3dd87a00", 2, "u\"\\xd83dz\"" }, { DEBUG_TYPE_ARRAY, false, "00de", 2, "u\"\\xde00\"" },
	{ DEBUG_TYPE_ARRAY, false, "00f6010061000000", 4, "U\"\360\237\230\200a\"" },
	{ DEBUG_TYPE_ARRAY, false, "0000110000001000", 4, "U\"\\x110000\364\200\200\200\"" },
	{ DEBUG_TYPE_CHARACTER, false, "e900", 0, "233 u'\303\251'" }, { DEBUG_TYPE_CHARACTER, false, "5c", 0, "92 '\\\\'" },
	{ DEBUG_TYPE_CHARACTER, false, "22", 0, "34 '\"'" }, { DEBUG_TYPE_CHARACTER, true, "00", 0, "0 '\\000'" },
};

/* Containers may share tables with many reads for each value, also of memory that is missing. */
static void
test_work(void)
{
	static const struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401000 rsp=8000", .stack = 0x8000 };
	struct staged staged;
	uint64_t work = 0;
	uint8_t byte;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	const struct memory_view memory = { .crash = &staged.crash };
	const struct value_frame frame = { .walk = staged.walk, .memory = &memory, .work = &work };
	ok(value_read(&frame, 0x1000, &byte, 1) == 0 && work > 0, "a read that fails is work, too");
	scene_close(&staged);
}

/* Pointers lead to the word at 8000, to its last bytes, or to the functions f at 401000 and g, which ends before 401030. */
static const struct {
	enum debug_type_kind kind, target;
	unsigned size;			/* bytes of a character */
	uint64_t address;
	const char *text;
} pointers[] = {
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8000, "0x8000 \"abcdefg\"" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8007, "0x8007 \"\"" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8ffd, "0x8ffd \"xyz\"..." },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8fff, "0x8fff \"z\"..." },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 2, 0x8ffd, "0x8ffd u\"\347\245\270\"..." },	/* U+7978 */
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8102, "0x8102 'a' <repeats 199 times>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8101, "0x8101 'a' <repeats 200 times>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x8100, "0x8100 'a' <repeats 200 times>..." },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0x9000, "0x9000 <memory at 0x9000 is not in the dump>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 2, 0x8010, "0x8010 u\"ab\"" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 2, 0x8fff, "0x8fff <memory at 0x8fff is not in the dump>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 4, 0x8020, "0x8020 U\"a\"" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 8, 0x8000, "0x8000" }, { DEBUG_TYPE_POINTER, DEBUG_TYPE_CHARACTER, 1, 0, "0x0" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_NUMBER, 1, 0x8000, "0x8000" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_FUNCTION, 0, 0x401000, "0x401000 <f>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_FUNCTION, 0, 0x401021, "0x401021 <g+1>" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_FUNCTION, 0, 0x401040, "0x401040" },
	{ DEBUG_TYPE_POINTER, DEBUG_TYPE_FUNCTION, 0, 0x500000, "0x500000" },
	{ DEBUG_TYPE_REFERENCE, DEBUG_TYPE_CHARACTER, 1, 0x8000, "@0x8000: 97 'a'" },
	{ DEBUG_TYPE_REFERENCE, DEBUG_TYPE_NUMBER, 1, 0x8001, "@0x8001: 98" },
	{ DEBUG_TYPE_REFERENCE, DEBUG_TYPE_NUMBER, 1, 0x9000, "@0x9000: <its memory is not in the dump>" },
};

/* Reasons of missing values; gdb has the short words. */
static const struct {
	bool reasons;
	const char *why, *text;
} absent[] = {
	{ false, "memory at 0x10 is not in the dump", "<memory at 0x10 is not in the dump>" },
	{ false, "memory lacks it", "<optimized out>" }, { true, "memory lacks it", "<memory lacks it>" },
	{ false, "register rbx is not in the dump", "<unavailable>" },
	{ true, "register rbx is not in the dump", "<register rbx is not in the dump>" },
	{ false, "register rbx was written", "<optimized out>" }, { false, "registers: rbx is not in the dump", "<optimized out>" },
	{ false, "its type is not in the dump", "<optimized out>" },
};

/* Arrays of the bytes 61, 62, ...; 0: a byte is optimised out. With an address they are in memory, which ends at 9000. */
static const struct {
	bool text, reasons;
	const char *known, *shown;
	unsigned more;			/* bytes of an element after its first one */
	uint64_t address;
} parts[] = {
	/* An element that is partly optimised out is no other one's equal. */
	{ false, false, "1001100100000000000000000000", "{<optimized out>, <optimized out>, <optimized out>, <optimized out>, "
	  "<optimized out> <repeats 10 times>}", 1, 0 },
	{ false, false, "1110", "{25185, <optimized out>}", 1, 0 },
	{ false, false, "1111", "{121, 122, <its memory is not in the dump>, <its memory is not in the dump>}", 0, 0x8ffe },
	{ true, false, "1111", "<memory at 0x8ffe is not in the dump>", 0, 0x8ffe },
	{ true, true, "11", "\"yz\"", 0, 0x8ffe }, { true, false, "111", "\"a\\000b\"", 0, 0x8010 },
	{ false, false, "0000000000", "{<optimized out> <repeats 10 times>}", 0, 0 },
	{ false, false, "000000000011", "{<optimized out> <repeats 10 times>, 107, 108}", 0, 0 },
	{ false, false, "0011", "{<optimized out>, <optimized out>, 99, 100}", 0, 0 },
	{ false, false, "1001", "{97, <optimized out>, <optimized out>, 100}", 0, 0 },
	{ true, false, "10", "{97 'a', <optimized out>}", 0, 0 }, { true, false, "11", "\"ab\"", 0, 0 },
	{ true, true, "01", "<optimised out>", 0, 0 },
};

#define A(address) #address "=6161616161616161 "	/* 201 letters with the one that follows */

static void
test_pointers(void)
{
	static const struct scene scene =
		SCENE(AMD64, LINUX, "rip=401000 rsp=8000", "8000=67666564636261 8010=620061 8020=61 8ff8=7a79780000000000 "
		      A(8100) A(8108) A(8110) A(8118) A(8120) A(8128) A(8130) A(8138) A(8140) A(8148) A(8150) A(8158) A(8160)
		      A(8168) A(8170) A(8178) A(8180) A(8188) A(8190) A(8198) A(81a0) A(81a8) A(81b0) A(81b8) A(81c0) "81c8=61",
		      APP("FUNC 1000 20 0 f\nFUNC 1020 10 0 g\n"));
	const struct value_text_options options = { .reasons = true, .library = true };
	struct staged staged;
	struct arena arena = { 0 };
	uint64_t work = 0;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	const struct memory_view memory = staged.walk->memory;
	struct value_frame frame = { .walk = staged.walk, .memory = &memory, .arena = &arena, .work = &work };
	for (size_t i = 0; i < ARRAY_COUNT(pointers); i++) {
		const struct debug_type target = { .kind = pointers[i].target, .name = "target", .has_size = true, .size = pointers[i].size };
		const struct debug_type type = { .kind = pointers[i].kind, .name = "pointer", .has_size = true, .size = 8, .made_of = &target };
		uint8_t bytes[8], all[8];

		for (size_t at = 0; at < 8; at++)
			bytes[at] = (uint8_t)(pointers[i].address >> 8 * at);
		memset(all, 1, sizeof(all));
		const struct typed_value value = { .type = &type, .frame = &frame, .bytes = bytes, .known = all, .size = 8 };
		is_str(value_text(&value, &options, &arena), pointers[i].text, "a pointer of row %zu", i);
	}
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const struct value_text_options words = { .reasons = parts[i].reasons };
		const struct debug_type element = { .kind = parts[i].text ? DEBUG_TYPE_CHARACTER : DEBUG_TYPE_NUMBER,
						    .name = "element", .has_size = true, .size = 1 + parts[i].more };
		const size_t size = strlen(parts[i].known);
		const struct debug_type type = { .kind = DEBUG_TYPE_ARRAY, .name = "array", .has_size = true, .size = size,
						 .made_of = &element, .has_count = true, .count = size / element.size };
		uint8_t bytes[32], known[32];
		for (size_t at = 0; at < size; at++)
			bytes[at] = (uint8_t)(0x61 + at), known[at] = parts[i].known[at] == '1';
		const struct typed_value value = { .type = &type, .frame = &frame, .bytes = parts[i].address == 0 ? bytes : NULL, .known = known,
						    .size = size, .in_memory = parts[i].address != 0, .address = parts[i].address };
		is_str(value_text(&value, &words, &arena), parts[i].shown, "an array with the bytes %s", parts[i].known);
	}
	for (size_t i = 0; i < ARRAY_COUNT(absent); i++) {
		const struct value_text_options words = { .reasons = absent[i].reasons };
		const struct debug_type type = { .kind = DEBUG_TYPE_NUMBER, .name = "int", .has_size = true, .size = 4 };
		const struct typed_value value = { .type = &type, .frame = &frame, .why = absent[i].why };
		is_str(value_text(&value, &words, &arena), absent[i].text, "the reason '%s'", absent[i].why);
	}
	arena_free(&arena);
	scene_close(&staged);
}

static void
test_values(void)
{
	static const struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401000 rsp=8000", .stack = 0x8000 };
	static const uint8_t all[32] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t none[32];
	const struct value_text_options options = { .library = true };
	struct staged staged;
	struct arena arena = { 0 };
	uint8_t bytes[32];

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		const uint64_t size = unhex(values[i].bytes, bytes);
		const struct debug_type element = {
			.kind = strchr(values[i].text, '"') != NULL ? DEBUG_TYPE_CHARACTER
							      : DEBUG_TYPE_NUMBER,
			.name = "element", .has_size = true,
			.size = values[i].element, .is_signed = true,
		};
		const struct debug_type type = {
			.kind = values[i].kind, .name = "made", .has_size = true, .size = size,
			.is_signed = values[i].is_signed, .made_of = &element, .has_count = true,
			.methods = values[i].element == METHODS,
			.count = values[i].element > 0 && values[i].element != METHODS ? size / values[i].element : 0,
		};
		const struct memory_view memory = { .crash = &staged.crash };
		uint64_t work = 0;
		struct value_frame frame = { .walk = staged.walk, .memory = &memory, .arena = &arena, .work = &work };
		struct typed_value value = { .type = &type, .frame = &frame, .bytes = bytes, .known = all, .size = size };
		is_str(value_text(&value, &options, &arena), values[i].text, "a value of %s is written as by gdb", values[i].bytes);
		/* Each number of the value with its bytes in reverse is the same one in big-endian memory. */
		const struct memory_view reverse = { .crash = &staged.crash, .big_endian = true };
		const uint64_t unit = type.methods || type.kind == DEBUG_TYPE_COMPLEX ? size / 2 : type.count > 0 ? element.size : size;
		uint8_t reversed[32];
		for (uint64_t at = 0; at < size; at++)
			reversed[at] = bytes[at / unit * unit + unit - 1 - at % unit];
		frame.memory = &reverse;
		value.bytes = reversed;
		is_str(value_text(&value, &options, &arena), values[i].text, "%s is the same in big-endian memory", values[i].bytes);
		frame.memory = &memory;
		if (type.methods) {
			/* On arm64 the adjustment is doubled, and its lowest bit is that of a virtual function. */
			const struct arch *amd64 = staged.walk->arch;
			uint64_t words[2];
			memcpy(words, bytes, sizeof(words));
			words[1] = words[1] << 1 | (words[0] & 1);
			words[0] &= ~UINT64_C(1);
			memcpy(reversed, words, sizeof(words));
			staged.walk->arch = arch_by_id(ARCH_ARM64);
			is_str(value_text(&value, &options, &arena), values[i].text, "%s is the same method on arm64", values[i].bytes);
			staged.walk->arch = amd64;
		}
		value.bytes = bytes;
		/* A limit of less than the text's length cuts it, and ends it with three dots, unless it is less than 4. */
		bool cut = true;
		for (size_t most = 0; most <= strlen(values[i].text) + 1; most++) {
			const struct value_text_options limited = { .library = true, .most = most };
			char wanted[200];

			snprintf(wanted, sizeof(wanted), "%s", values[i].text);
			if (most > 3 && strlen(wanted) > most) {
				/* A character of several bytes is not divided. */
				size_t end = most - 3;
				while (((unsigned char)wanted[end] & 0xc0) == 0x80)
					end--;
				strcpy(wanted + end, "...");
			}
			cut = cut && strcmp(value_text(&value, &limited, &arena), wanted) == 0;
		}
		ok(cut, "a limit cuts the value of %s", values[i].bytes);
		value.known = none;
		if (size > 0 && (values[i].element == 0 || values[i].element == METHODS))
			is_str(value_text(&value, &options, &arena), "<optimized out>", "a value without its bytes is optimised out");
		staged.crash.redacted = true;
		is_str(value_text(&value, &options, &arena), "(redacted)", "a shared value is not written");
		staged.crash.redacted = false;
		is_u64(work, 0, "a small value that is not in memory is no work");
	}
	arena_free(&arena);
	scene_close(&staged);
}

static size_t
count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

/* gdb's limits: 200 elements of an array, 200 characters of a string, 20 nested values. */
static void
test_limits(void)
{
	static const struct scene scene = { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401000 rsp=8000", .stack = 0x8000 };
	static uint8_t bytes[1100], all[1100];
	const struct value_text_options options = { .library = true };
	struct debug_type types[24] = { { .kind = DEBUG_TYPE_NUMBER, .name = "int8_t", .has_size = true, .size = 1, .is_signed = true } };
	const struct debug_type letter = { .kind = DEBUG_TYPE_CHARACTER, .name = "char", .has_size = true, .size = 1 };
	struct staged staged;
	struct arena arena = { 0 };
	uint64_t work = 0;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	const struct memory_view memory = { .crash = &staged.crash };
	struct value_frame frame = { .walk = staged.walk, .memory = &memory, .arena = &arena, .work = &work };
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i % 2 + 0x61);
	memset(all, 1, sizeof(all));
	for (size_t count = 199; count <= 201; count++) {
		const struct debug_type text = { .kind = DEBUG_TYPE_ARRAY, .name = "text", .made_of = &letter,
						 .has_size = true, .size = count, .has_count = true, .count = count };
		struct debug_type numbers = text;
		struct typed_value value = { .type = &text, .frame = &frame, .bytes = bytes, .known = all, .size = count };
		const char *shown = value_text(&value, &options, &arena);

		is_u64(strlen(shown), count > 200 ? 205 : count + 2, "%zu characters", count);
		ok((strstr(shown, "\"...") != NULL) == (count > 200), "dots follow 200 characters, not %zu", count);
		numbers.made_of = &types[0];
		value.type = &numbers;
		shown = value_text(&value, &options, &arena);
		is_u64(count_of(shown, "9"), count > 200 ? 200 : count, "elements of %zu that are shown", count);
		ok((strstr(shown, "...}") != NULL) == (count > 200), "dots follow 200 elements, not %zu", count);
	}
	/* Nested arrays of one element; then 11 arrays of 100: 9 * 101 + 91 elements are 1,000. */
	for (size_t i = 1; i < ARRAY_COUNT(types); i++)
		types[i] = (struct debug_type){ .kind = DEBUG_TYPE_ARRAY, .name = "nested", .made_of = &types[i - 1],
						.has_size = true, .size = 1, .has_count = true, .count = 1 };
	for (size_t depth = 18; depth <= 20; depth++) {
		const struct typed_value value = { .type = &types[depth], .frame = &frame, .bytes = bytes, .known = all, .size = 1 };
		const char *shown = value_text(&value, &options, &arena);

		is_u64(count_of(shown, "}"), depth < 20 ? depth : 21, "braces of %zu arrays", depth);
		ok(strstr(shown, depth < 20 ? "{97}" : "{{...}}") != NULL, "20 values are nested, %zu arrays have %s", depth, shown);
	}
	types[1].size = types[1].count = 100;
	types[2].size = 1100, types[2].count = 11;
	for (size_t i = 0; i < 11; i++)
		bytes[100 * i] = (uint8_t)i;
	const struct typed_value wide = { .type = &types[2], .frame = &frame, .bytes = bytes, .known = all, .size = 1100 };
	const char *shown = value_text(&wide, &options, &arena);
	/* 990 numbers in ten arrays have 980 commas between them, the arrays 9. */
	is_u64(count_of(shown, ", "), 989, "a value shows at most 1,000 elements of all its arrays");
	is_str(shown + strlen(shown) - 15, " 97, 98...}...}", "dots follow the last of them");
	/* 1,099 comparisons of 64 bytes are 37,568 more than what is free. */
	const struct typed_value equal = { .type = &types[1], .frame = &frame, .bytes = memset(bytes, 7, 1100), .known = all, .size = 1100 };
	types[1].size = types[1].count = 1100, work = 0;
	is_str(value_text(&equal, &options, &arena), "{7 <repeats 1100 times>}", "equal elements are counted to the last one");
	ok(work >= 37568 && work < 38568, "comparisons are work: %" PRIu64, work);
	arena_free(&arena);
	scene_close(&staged);
}

/* Calls of a frame: with as many scopes they are the same; otherwise only the last scope has one, the last. */
static void
test_locals(void)
{
	static const struct { size_t scopes, calls, count; const char *of; } rows[] = {
		{ 0, 2, 2, "01-" }, { 2, 2, 2, "01" }, { 3, 2, 3, "--1" }, { 1, 2, 1, "1" }, { 2, 1, 2, "-0" },
	};
	struct locals_budget budget = { 10, false };
	uint64_t work = 5 * LOCALS_WORK;
	struct value_frame frame = { .work = &work };
	struct locals locals = { .variables = &frame, .budget = &budget };

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct debug_scope scopes[3] = { { .name = "s0", .written = "" }, { .name = "s1", .written = "" }, { .name = "s2", .written = "" } };
		struct call calls[2] = { { .name = text_of("c0") }, { .name = text_of("c1") } };
		frame.scopes.items = scopes, frame.scopes.count = rows[i].scopes;
		locals.location.calls = calls, locals.location.call_count = rows[i].calls;
		is_u64(locals_call_count(&locals), rows[i].count, "calls of row %zu", i);
		for (size_t call = 0; rows[i].of[call] != '\0'; call++) {
			const bool named = rows[i].of[call] != '-';
			const char wanted[] = { named ? 'c' : 's', named ? rows[i].of[call] : (char)('0' + call), '\0' };
			ok(text_is(locals_function_name(&locals, call), call < rows[i].count ? wanted : ""), "call %zu of row %zu is %s", call, i, wanted);
		}
	}
	ok(locals_spend(&budget, 3) && budget.left == 7 && !budget.exceeded, "bytes are taken from a budget");
	locals_spend_work(&locals, 2 * VALUE_WORK_FREE + LOCALS_WORK, 2);
	ok(budget.left == 1 && work == 0, "work is, too, beyond what is free for each value, and only once");
	locals_spend_work(&locals, 2 * VALUE_WORK_FREE, 2);
	ok(budget.left == 1 && locals_spend(&budget, 2) && budget.left == 0, "the last value may cost more than is left");
	ok(!locals_spend(&budget, 0) && budget.exceeded && locals_spend(NULL, 1), "no other one follows, unless there is no limit");
}

int
main(void)
{
	char text[FLOAT_TEXT];
	uint8_t bytes[FLOAT_BYTES], reversed[FLOAT_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const size_t size = unhex(cases[i].bytes, reversed);
		for (size_t j = 0; j < size; j++)
			bytes[j] = reversed[size - 1 - j];
		ok(float_text(bytes, size, cases[i].name, cases[i].x87, text), "%s of %s is written", cases[i].name, cases[i].bytes);
		is_str(text, cases[i].text, "the number is written as by gdb");
	}
	ok(!float_text(bytes, 12, "long double", false, text), "an unknown format is none");
	test_work();
	test_pointers();
	test_values();
	test_limits();
	test_locals();
	return done_testing();
}
