/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of a walk: the registers and the memory that is the stack. */
#include "base/policy_rows.h"
#include "dump/dump.h"
#include "tests/lib/bytes.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"
#include "walk/walk.h"

#define STACK32 0x0018f000u
#define STACK64 0x0008e000u
#define WIDE_SIZE 1232

static struct walk *
walk_with(const struct crash *crash, enum policy_row row, uint32_t value)
{
	struct policy policy = policy_column(POLICY_UNSPOOL);

	policy.value[row] = value;
	struct walk *walk = walk_create(crash, NULL, NULL, 0, &policy);
	walk_run(walk, 8);
	return walk;
}

/* A 32-bit thread in 32-bit code, dumped by a 64-bit tool: its cs is 0x23. */
TEST(wow64)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	static uint8_t stack64[256], stack32[256];
	uint8_t context[WIDE_SIZE] = { 0 };
	struct error error = { 0 };
	struct crash crash;
	size_t size;

	put_le(context + 48, 0x10000b, 4);
	put_le(context + 56, 0x23, 2);
	put_le(context + 152, STACK32, 8);
	put_le(context + 160, STACK32 + 0x10, 8);
	put_le(context + 248, 0x401234, 8);
	put_le(stack32 + 0x10, STACK32 + 0x40, 4);
	put_le(stack32 + 0x14, 0x402345, 4);
	synth_module(synth, 0x400000, 0x10000, "c:\\app.exe", "c:\\app.pdb", NULL);
	synth_module(synth, 0x77000000, 0x8000, "c:\\wow64cpu.dll", "wow64cpu.pdb", NULL);
	synth_thread(synth, 1, NULL, STACK64, stack64, sizeof(stack64));
	synth_context(synth, context, sizeof(context));
	synth_memory(synth, STACK32, stack32, sizeof(stack32), false);
	uint8_t *bytes = synth_finish(synth, &size);
	synth_free(synth);
	ok(dump_from_memory(&crash, "wow.dmp", bytes, size, 0, &error) == ERROR_NONE, "the dump opens");
	struct walk *walk = walk_with(&crash, POLICY_NATIVE_CONTEXT, 0);
	is_u64(walk->arch->id, ARCH_X86, "a WoW64 thread is walked as x86");
	ok(walk->count > 1 && walk->frames[1].registers.value[0] == 0x402345, "along its frame pointer, in its 32-bit stack");
	walk_free(walk);
	walk = walk_with(&crash, POLICY_NATIVE_CONTEXT, 1);
	is_u64(walk->arch->id, ARCH_AMD64, "the thread is one of amd64 in Breakpad's column");
	is_u64(walk->frames[0].registers.value[16], 0x401234, "the thread has the registers that are stored");
	walk_free(walk);
	crash_free(&crash);
	free(bytes);
}

/* A thread that runs on another stack than the one in its descriptor. */
TEST(pointer)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	uint8_t described[64] = { 0 }, other[128] = { 0 };
	struct policy policy = policy_column(POLICY_BREAKPAD);
	struct error error = { 0 };
	struct crash crash;
	size_t size;

	registers[16] = 0x401234;
	registers[7] = 0x9000;
	registers[6] = 0x9010;
	put_le(other + 0x10, 0x9040, 8);
	put_le(other + 0x18, 0x402345, 8);
	synth_module(synth, 0x400000, 0x10000, "/bin/app", "app", NULL);
	synth_thread(synth, 1, registers, 0x7000, described, sizeof(described));
	synth_memory(synth, 0x9000, other, sizeof(other), false);
	uint8_t *bytes = synth_finish(synth, &size);
	synth_free(synth);
	ok(dump_from_memory(&crash, "fiber.dmp", bytes, size, 0, &error) == ERROR_NONE, "the dump opens");
	struct walk *walk = walk_with(&crash, POLICY_STACK_BY_DESCRIPTOR, 0);
	ok(walk->memory.stack != NULL && walk->memory.stack->base == 0x9000 && walk->count > 1,
	   "the stack is where the stack pointer points");
	walk_free(walk);
	walk = walk_create(&crash, NULL, NULL, 0, &policy);
	walk_run(walk, 8);
	ok(walk->memory.stack != NULL && walk->memory.stack->base == 0x7000 && walk->count == 1,
	   "Breakpad has the descriptor's, and ends after one frame");
	walk_free(walk);
	crash_free(&crash);
	free(bytes);
}
