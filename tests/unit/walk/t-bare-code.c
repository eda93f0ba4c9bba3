/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arm64: which instructions around the pc of a crash show that the module's functions keep no frame records, and the distance at
 * which they count. Encodings are those of the Arm Architecture Reference Manual, C6.2 (STP, STR, LDP). */
#include "tests/unit/walk/scene.h"

#define PC 0x401200u
#define REACH 128u	/* bytes on either side that Breakpad's writers keep */

static const struct {
	const char *text;
	uint32_t instruction;
	bool bare;
} instructions[] = {
	{ "stp x30, x19, [sp, #-16]!", 0xa9bf4ffe, true }, { "stp x19, x30, [sp, #-16]!", 0xa9bf7bf3, true },
	{ "stp x19, x30, [sp, #16]", 0xa9017bf3, true }, { "str x30, [sp, #-16]!", 0xf81f0ffe, true },
	{ "str x30, [sp, #16]", 0xf9000bfe, true },
	{ "stp x29, x30, [sp, #-16]!", 0xa9bf7bfd, false }, { "stp x29, x30, [sp, #16]", 0xa9017bfd, false },
	{ "stp x16, x30, [sp, #-16]!", 0xa9bf7bf0, false },	/* in the procedure linkage table */
	{ "stp x19, x20, [sp, #-16]!", 0xa9bf53f3, false }, { "ldp x19, x30, [sp], #16", 0xa8c17bf3, false },
	{ "str x29, [sp, #16]", 0xf9000bfd, false }, { "str x30, [x19, #16]", 0xf9000a7e, false },
	{ "stp x19, x30, [x20, #16]", 0xa9017a93, false }, { "stp w19, w30, [sp, #16]", 0x29027bf3, false },
	{ "str x30, [sp], #16", 0xf80107fe, false }, { "ldr x30, [sp, #16]", 0xf9400bfe, false }, { "nop", 0xd503201f, false },
};

static uint64_t address;
static uint32_t word;
static uint32_t over_calls;		/* the policy's row of chains that lead over calls */
static bool crashed = true;

/* One instruction, and zeros around it. */
static void
add_code(struct synth *synth)
{
	uint8_t code[4 * REACH] = { 0 };

	for (unsigned i = 0; i < 4; i++)
		code[address - (PC - 2 * REACH) + i] = (uint8_t)(word >> 8 * i);
	if (crashed)
		synth_exception(synth, 1, 11, 1, 0);
	synth_memory(synth, PC - 2 * REACH, code, sizeof(code), false);
}

/* The module that a walk considers to be without frame records. */
static int
bare_module(uint64_t at, uint32_t instruction)
{
	static const struct scene scene = {
		ARCH_ARM64, CRASH_OS_LINUX, .registers = "pc=401200 sp=8000 x29=8010",
		.stack = 0x8000, .memory = "8010=8040 8018=401804 8040=0 8048=0 8008=401904",
		.modules = { { 0x500000, 0x1000, "other", NULL },
			     { 0x400000, 0x4000, "app", NULL } },
		.more = add_code,
	};
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	address = at;
	word = instruction;
	policy.value[POLICY_CHAIN_OVER_CALLS] = over_calls;
	scene_open(&staged, &scene);
	scene_walk(&staged, &policy);
	const int module = staged.walk->frames[0].bare_module;
	scene_close(&staged);
	return module;
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(instructions); i++)
		is_u64((uint64_t)bare_module(PC - 8, instructions[i].instruction),
		       (uint64_t)(instructions[i].bare ? 1 : MODULE_NONE), "%s is %s", instructions[i].text,
		       instructions[i].bare ? "of a function without a frame record" : "of any function");
	is_u64((uint64_t)bare_module(PC - REACH, 0xa9bf7bf3), 1, "the first instruction in reach is examined");
	is_u64((uint64_t)bare_module(PC - REACH - 4, 0xa9bf7bf3), (uint64_t)MODULE_NONE, "no instruction before the reach is examined");
	is_u64((uint64_t)bare_module(PC + REACH - 4, 0xa9bf7bf3), 1, "the last instruction in reach is examined");
	is_u64((uint64_t)bare_module(PC + REACH, 0xa9bf7bf3), (uint64_t)MODULE_NONE, "no instruction after the reach is examined");
	over_calls = 1;
	is_u64((uint64_t)bare_module(PC - 8, 0xa9bf7bf3), (uint64_t)MODULE_NONE, "the code is not examined if chains may lead over calls");
	over_calls = 0;
	crashed = false;
	is_u64((uint64_t)bare_module(PC - 8, 0xa9bf7bf3), (uint64_t)MODULE_NONE, "the code of a dump without a crash is not examined");
	return done_testing();
}
