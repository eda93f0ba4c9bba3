/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/dump.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

static const uint8_t stack[64] = { 1, 2 };

static struct crash crash;
static uint8_t *bytes;

TEST(open_dump)
{
	const uint64_t own[17] = { [7] = 0x7000, [16] = 0x111 };
	const uint64_t fault[17] = { [7] = 0x7010, [16] = 0x222 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct error error;
	size_t size;

	synth_system(synth, 10, 0, 1, "pack");
	synth_module(synth, 0x400000, 0x1000, "main.exe", "main.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_thread(synth, 0x10, own, 0x7000, stack, sizeof(stack));
	synth_thread(synth, 0x20, own, 0x9000, NULL, 0);
	synth_thread(synth, 0x30, own, 0x9000, NULL, 0);
	synth_exception(synth, 0x20, 0xc0000005, 0, 0x222);
	synth_exception_registers(synth, fault);
	synth_exception(synth, 0x30, 0xc0000005, 0, 0x222);
	synth_memory(synth, 0x7ff00000, stack, 32, false);
	synth_memory_info(synth, 0x1000, 0x1000, 0x1000, 0x20, 0);
	synth_memory_info(synth, 0x3000, 0x2000, 0x1000, 0x04, 0);
	bytes = synth_finish(synth, &size);
	dump_from_memory(&crash, "test", bytes, size, 0, &error);
	synth_free(synth);
}

TEST(contexts)
{
	is_u64(crash_thread_context(&crash, 0)->registers.value[16], 0x111, "a thread starts from its own registers");
	is_u64(crash_thread_context(&crash, 1)->registers.value[16], 0x222,
	       "the crashed thread starts from the registers of the exception");
	is_u64(crash_thread_context(&crash, 2)->registers.value[16], 0x111,
	       "a crashed thread without registers in the exception has its own");
}

static const struct {
	uint64_t address, base;
} cases[] = {
	{ 0xfff, 0 }, { 0x1000, 0x1000 }, { 0x1fff, 0x1000 }, { 0x2000, 0 },
	{ 0x3000, 0x3000 }, { 0x4fff, 0x3000 }, { 0x5000, 0 }, { UINT64_MAX, 0 }, { 0, 0 },
};

TEST_EACH(mappings, cases)
{
	const struct mapping *mapping = crash_mapping(&crash, cases[i].address);

	is_u64(mapping != NULL ? mapping->base : 0, cases[i].base, "the mapping of 0x%llx is found if there is one",
	       (unsigned long long)cases[i].address);
}

/* Numbers of winnt.h, IMAGE_FILE_MACHINE_I386 and so on. */
TEST(machines)
{
	ok(arch_of_pe(0x14c)->id == ARCH_X86 && arch_of_pe(0x8664)->id == ARCH_AMD64 &&
	   arch_of_pe(0x1c4)->id == ARCH_ARM && arch_of_pe(0xaa64)->id == ARCH_ARM64 &&
	   arch_of_pe(0)->id == ARCH_UNKNOWN, "the machine of a PE file gives the architecture");
}

int
main(void)
{
	run_tests();
	crash_free(&crash);
	free(bytes);
	return done_testing();
}
