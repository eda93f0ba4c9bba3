/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of a PDB: records written by hand from cvinfo.h, in place of those of `till` in
 * kiosk.pdb, a local variable of kiosk::close_day(). Registers by cvconst.h, and the ABIs' numbers. */
#include "debug_info/debug_variables.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"
#include "tests/unit/pdb/records.h"

#define PDB "data/crashes/pdb-x86/binaries/kiosk.pdb"
/* The records of `till`, its range, and S_FRAMEPROC's flags, in the symbols of the module. */
enum { LOCAL = 444, RANGE = 460, FLAGS = 344 + 4 + 22, PROCEDURE = 288, WINDOW = 32,
       INLINED = 644 };
/* In .text at 0x1000: the function, and an address in it. */
enum { FUNCTION = 0x1040, ASKED = 0x1068 };
enum { X86 = 0x14c, AMD64 = 0x8664, ARM64 = 0xaa64 };

static uint8_t *bytes;
static size_t size;

/* The only place of some bytes. */
static size_t
place_of(const char *wanted, size_t length)
{
	for (size_t i = 0; i + length <= size; i++)
		if (memcmp(bytes + i, wanted, length) == 0)
			return i;
	return 0;
}

/* The bits of a variable's second member, as "11 from 37"; "none" if it is no bit field. */
static void
member_text(const struct debug_variable *variable, struct arena *arena, char text[200])
{
	const struct debug_type *type = debug_type_of(&variable->entry, arena);
	struct debug_member *members;

	snprintf(text, 200, "none");
	if (type != NULL && debug_type_members(type, arena, &members) == 2 && members[1].is_bits)
		snprintf(text, 200, "%d from %d", (int)members[1].bits, (int)members[1].bit_offset);
}

/* The location of variable `name` as text, or the second member of "rolls"; "none" if the function has no such variable. */
static void
locate(const uint8_t *data, unsigned machine, const char *name, char text[200])
{
	static const char *const kinds[] = { "none", "constant", "number", "", "elsewhere", "broken" };
	struct error error = { 0 };
	struct arena arena = { 0 };
	struct debug_scopes scopes;
	struct binary *binary;
	struct crash crash;

	snprintf(text, 200, "no scope");
	if (binary_from_memory(&binary, "a.pdb", data, size, &error) != ERROR_NONE || !binary_as_crash(binary, "a.pdb", &crash))
		return;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	if (debug_scopes_at(binaries, 0, ASKED, &arena, &scopes))
		for (size_t i = 0; i < scopes.items[scopes.count - 1].count; i++) {
			const struct debug_variable *variable = &scopes.items[scopes.count - 1].variables[i];
			const struct debug_location found = debug_locate(&variable->entry, DEBUG_LOCATION, ASKED);

			debug_type_of(&variable->entry, &arena);
			if (strcmp(variable->name, name) != 0)
				continue;
			snprintf(text, 200, "%s%s%s%s", variable->outside ? "outside " : "",
				 variable->argument ? "argument " : "", kinds[found.kind], found.kind != DEBUG_LOCATION_EXPRESSION
					 ? "" : dwarf_expression_text(&found.expression.dwarf, arch_of_pe(machine), &arena));
			if (found.kind == DEBUG_LOCATION_NUMBER)
				snprintf(text, 200, "%d", (int)found.number);
			if (strcmp(name, "rolls") == 0)
				member_text(variable, &arena, text);
			if (found.has_nearest)
				snprintf(text + strlen(text), 100, " %x to %x", (int)found.low, (int)found.high);
		}
	arena_free(&arena);
	binaries_free(binaries);
	crash_free(&crash);
}

static const struct {
	unsigned machine, frame;	/* kind of the frame pointer of local variables */
	struct record first, second;
	const char *location, *what;
} cases[] = {
	{ AMD64, 1, { 0x1111, "20/4 74/4 14f/2 'v'" }, { 0 }, "breg7 32", "relative to rsp" },
	{ ARM64, 1, { 0x1111, "20/4 74/4 51/2 'v'" }, { 0 }, "breg31 32", "relative to sp" },
	{ X86, 1, { 0x1111, "fffffff8/4 74/4 16/2 'v'" }, { 0 }, "breg5 -8", "relative to ebp" },
	/* The frame has 56 bytes, and 4 of saved registers. */
	{ X86, 1, { 0x1111, "3c/4 74/4 15/2 'v'" }, { 0 }, "breg4 60", "below the return address" },
	{ X86, 1, { 0x1111, "40/4 74/4 15/2 'v'" }, { 0 }, "argument breg4 64", "above it" },
	{ X86, 2, { 0x110b, "8/4 74/4 'v'" }, { 0 }, "argument breg5 8", "S_BPREL32" },
	{ X86, 1, { 0x1106, "74/4 12/2 'v'" }, { 0 }, "$ecx", "in ecx" },
	{ AMD64, 1, { 0x1106, "76/4 14a/2 'v'" }, { 0 }, "$rcx", "in rcx" },
	{ AMD64, 1, { 0x1106, "76/4 12/2 'v'" }, { 0 }, "$rcx; piece 4", "8 bytes in ecx" },
	{ AMD64, 1, { 0x1106, "20/4 5/2 'v'" }, { 0 }, "$rax; bit_piece 8 8", "in ah" },
	{ AMD64, 1, { 0x1106, "41/4 9b/2 'v'" }, { 0 }, "$xmm1", "in xmm1" },
	{ ARM64, 1, { 0x1106, "74/4 b/2 'v'" }, { 0 }, "x1", "in w1" },
	{ AMD64, 1, { 0x1106, "74/4 3e7/2 'v'" }, { 0 }, "broken", "in an unknown register" },
	{ X86, 1, { 0x110c, "74/4 8/4 3/2 'v'" }, { 0 }, "addr 12296", "static" },
	{ X86, 1, { 0x1107, "74/4 8000/2 fd/1 'v'" }, { 0 }, "-3", "a constant" },
	{ X86, 2, { 0x113e, "74/4 0/2 'v'" }, { 0x1144, "fffffff4/4" }, "breg5 -12", "relative to the frame pointer ebp" },
	{ AMD64, 3, { 0x113e, "74/4 0/2 'v'" }, { 0x1144, "10/4" }, "breg13 16", "relative to the frame pointer r13" },
	{ ARM64, 2, { 0x113e, "74/4 0/2 'v'" }, { 0x1144, "10/4" }, "breg29 16", "relative to the frame pointer x29" },
	{ X86, 0, { 0x113e, "74/4 0/2 'v'" }, { 0x1144, "10/4" }, "broken", "relative to no frame pointer" },
	{ X86, 1, { 0x113e, "74/4 1/2 'v'" }, { 0x1141, "14/2 0/2 60/4 1/2 10/2" }, "argument $ebx", "in its range" },
	{ X86, 1, { 0x113e, "74/4 0/2 'v'" }, { 0x1141, "14/2 0/2 60/4 1/2 8/2" }, "elsewhere 1060 to 1068", "at the end of its range" },
	{ X86, 1, { 0x113e, "74/4 0/2 'v'" }, { 0x1141, "14/2 0/2 69/4 1/2 8/2" }, "elsewhere 1069 to 1071", "before its range" },
	{ X86, 1, { 0x113e, "74/4 0/2 'v'" }, { 0x1141, "14/2 0/2 60/4 1/2 20/2 8/2 4/2" }, "elsewhere 1060 to 1068", "in a gap" },
	{ X86, 1, { 0x113e, "74/4 0/2 'v'" }, { 0x1141, "14/2 0/2 60/4 1/2 20/2 4/2 4/2" }, "$ebx", "after a gap" },
	/* class kiosk::roll { const ticket *tickets; int count; } */
	{ X86, 1, { 0x113e, "100c/4 0/2 'v'" }, { 0x1143, "12/2 0/2 4/4 60/4 1/2 10/2" },
	  "piece 4; $ecx; piece 4", "whose second member is in a register" },
	{ X86, 1, { 0x113e, "100c/4 0/2 'v'" }, { 0x1145, "16/2 40/2 8/4 60/4 1/2 10/2" },
	  "piece 4; breg5 8; piece 4", "whose second member is in memory" },
	{ X86, 1, { 0x113e, "100c/4 0/2 'v'" }, { 0x1143, "12/2 0/2 2/4 60/4 1/2 10/2" }, "broken", "with a part where no member begins" },
	{ X86, 1, { 0x113e, "74/4 100/2 'v'" }, { 0 }, "none", "without a range" },
};

/* Write records in place of others; a record that nothing reads fills the rest. */
static void
put_window(uint8_t *at, const struct record *first, const struct record *second)
{
	size_t end = 0;

	put_record(at, &end, first);
	if (second->kind != 0)
		put_record(at, &end, second);
	if (end < WINDOW)
		put(at, &end, WINDOW - end - 2, 2);
	if (end < WINDOW)
		put(at, &end, 0x1019, 2);
}

static void
check_cases(size_t module)
{
	const size_t machine = place_of("\x4c\x01\0\0\0\0", 6);
	char text[200];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint8_t *copy = damage_copy(bytes, size);
		size_t flags = module + FLAGS + 1;

		put_window(copy + module + LOCAL, &cases[i].first, &cases[i].second);
		put(copy, &flags, cases[i].frame << 6 | cases[i].frame << 8, 2);
		for (size_t k = 0; k + 6 <= size && cases[i].machine != X86; k++)
			if (k == machine)
				memcpy(copy + k, &(uint16_t){ (uint16_t)cases[i].machine }, 2);
		locate(copy, cases[i].machine, "v", text);
		is_str(text, cases[i].location, "a variable %s", cases[i].what);
		free(copy);
	}
}

/* The frame of a function is set up between its prologue and epilogue: offsets in S_GPROC32. */
static void
check_prologue(size_t module)
{
	static const struct record fixed = { 0x1111, "20/4 74/4 15/2 'v'" }, none = { 0 };
	static const struct {
		unsigned start, end;
		const char *location;
	} bodies[] = { { 40, 80, "breg4 32" }, { 41, 80, "elsewhere 1069 to 1091" },
		       { 4, 39, "elsewhere 1044 to 1068" }, { 0, 0, "breg4 32" } };
	char text[200];

	for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
		uint8_t *copy = damage_copy(bytes, size);
		size_t at = module + PROCEDURE + 4 + 16;

		put_window(copy + module + LOCAL, &fixed, &none);
		put(copy, &at, bodies[i].start, 4);
		put(copy, &at, bodies[i].end, 4);
		locate(copy, X86, "v", text);
		is_str(text, bodies[i].location, "with a body from %u to %u", bodies[i].start, bodies[i].end);
		free(copy);
	}
}

/* Microsoft's compilers write a variable of optimised code again, without its ranges. */
static void
check_repeated(size_t module)
{
	static const struct record ranged = { 0x113e, "74/4 0/2 'v'" },
				   range = { 0x1144, "fffffff4/4" },
				   again = { 0x1106, "74/4 12/2 'v'" };
	uint8_t *copy = damage_copy(bytes, size);
	size_t at = module + LOCAL + 20, flags = module + FLAGS + 1;
	char text[200];

	put_window(copy + module + LOCAL, &ranged, &range);
	put_record(copy, &at, &again);
	put(copy, &flags, 2 << 6, 2);
	locate(copy, X86, "v", text);
	is_str(text, "breg5 -12", "a variable without ranges that has them, too, is left out");
	free(copy);
}

/* `n` of an inlined call that ends at 0x1060: in esi for 13 bytes from 0x104c, or for 64. */
static void
check_outside(size_t module)
{
	uint8_t *copy = damage_copy(bytes, size);
	char text[200];

	locate(copy, X86, "n", text);
	is_str(text, "no scope", "a variable of an inlined call that is over is not listed");
	copy[module + INLINED + 14] = 64;
	locate(copy, X86, "n", text);
	is_str(text, "outside argument $esi", "it is listed as out of scope if its range goes on");
	free(copy);
}

/* const int becomes 11 bits from bit 5 of an int, and roll::count, at 4, has that type. */
TEST(bits)
{
	const size_t type = place_of("\x0a\0\x01\x10\x74\0\0\0\x01\0", 10);
	const size_t member = place_of("\x74\0\0\0\x04\0count", 11);
	uint8_t *copy = damage_copy(bytes, size);
	char text[200];

	memcpy(copy + type + 2, "\x05\x12\x74\0\0\0\x0b\x05", 8);
	memcpy(copy + member, "\x0d\x10", 2);
	locate(copy, X86, "rolls", text);
	is_str(text, "11 from 37", "a member is a bit field");
	free(copy);
}

/* $T0 as FRAMEDATA's programs set it: other texts of the same length in place of .raSearch. */
TEST(virtual_frame)
{
	static const char *const programs[][2] = {
		{ "$T0 $T1 8 - 8 @ ", "call_frame_cfa; consts 12; minus; consts -8; and; consts 52; minus" },
		{ "$T0 $T1 8 - 6 @ ", "broken" }, { "$T0 $ebp = $ebp ", "breg5 -52" },
		{ "$T0 $ebp 4 + =  ", "call_frame_cfa; consts 56; minus" }, { "$T0 $esp 4 + =  ", "broken" },
	};
	char text[200];

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++) {
		uint8_t *copy = damage_copy(bytes, size);
		for (size_t k = 0; k + 16 <= size; k++)
			if (memcmp(copy + k, "$T0 .raSearch = ", 16) == 0)
				memcpy(copy + k, programs[i][0], 16);
		locate(copy, X86, "till", text);
		is_str(text, programs[i][1], "a variable relative to %s", programs[i][0]);
		free(copy);
	}
}

/* Every byte of the symbols and types damaged in turn: nothing crashes, loops or leaks. */
static void
check_damage(size_t module)
{
	const size_t types = place_of("\x0b\xca\x31\x01\x38\0\0\0", 8);
	size_t tried = 0;
	char text[200];

	for (size_t i = 0; types > 0 && i < 1600; i++, tried++) {
		uint8_t *copy = damage_copy(bytes, size);
		damage_field(copy + (i % 2 == 0 ? module + 4 : types) + i / 2, 1 + i % 2,
			     (unsigned)(i * 7 % DAMAGE_LIMITS), 0x1003, (uint32_t)size);
		locate(copy, X86, "till", text);
		free(copy);
	}
	is_u64(tried, 1600, "damaged symbols and types are read or refused");
}

int
main(void)
{
	char text[200];

	const char *path = tap_path(PDB);
	bytes = damage_read(path, &size);
	const size_t module = place_of("\x04\0\0\0\x0a\0\x01\x11", 8);
	ok(module > 0 && memcmp(bytes + module + LOCAL + 10, "till", 4) == 0, "the PDB has the records of till");
	locate(bytes, X86, "till", text);
	is_str(text, "call_frame_cfa; consts 56; minus", "a variable relative to $T0, which is CFA - 4");
	check_cases(module);
	check_prologue(module);
	check_repeated(module);
	check_outside(module);
	run_tests();
	check_damage(module);
	free(bytes);
	return done_testing();
}
