/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "crash/memory.h"
#include "tests/unit/binary/mach_image.h"
#include "walk/walk.h"

/* A walk by compact unwind information alone: `one`, with a frame pointer, was called by `two`,
 * without one, which `one` called. The stack has what the code of both puts there. */
enum { STACK = 0x10000, ONE = MACH_CODE + 13, TWO = MACH_CODE + 0x8a };

static void
make_program(struct mach_image *image)
{
	/* push rbp; mov rbp, rsp; sub rsp, 0x20; call */
	static const uint8_t one[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0xe8 };
	/* push rbx; sub rsp, 0x20; call */
	static const uint8_t two[] = { 0x53, 0x48, 0x83, 0xec, 0x20, 0xe8 };
	/* A frame by rbp; one of 6 words by rsp that saves rbx; then code without rules. */
	static const uint32_t words[] = { 1, 28, 0, 28, 0, 28, 2, MACH_CODE, 52, 0, MACH_CODE + 0x200,
					  0, 0, 2, 3 << 16 | 8, MACH_CODE, 0x01000000, MACH_CODE + 0x80, 0x02060400, MACH_CODE + 0x100, 0 };

	mach_image_make(image);
	memcpy(image->bytes + MACH_CODE, one, sizeof(one));
	memcpy(image->bytes + MACH_CODE + 0x80, two, sizeof(two));
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		mach_put(image, MACH_UNWIND + 4 * i, 4, words[i]);
}

static void
test_walk(struct crash *crash, struct binaries *binaries, struct symbols *symbols, size_t most)
{
	const struct arch *arch = crash->system.arch;
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *walk = walk_create(crash, symbols, binaries, 0, &policy);

	walk_run(walk, most);
	is_u64(walk->count, 3, "of up to %zu frames the walk has 3", most);
	for (size_t i = 1; i < walk->count; i++) {
		const struct registers *registers = &walk->frames[i].registers;
		is_u64(registers->value[arch->pc], MACH_BASE + (i == 1 ? TWO : ONE), "frame %zu: the pc", i);
		is_u64(registers->value[arch->sp], STACK + (i == 1 ? 0x50 : 0x80), "frame %zu: the sp", i);
		is_u64(registers->value[arch->fp], STACK + 0xc0, "frame %zu: the fp", i);
	}
	if (walk->count == 3) {
		is_u64(walk->frames[2].registers.value[3], 0x1234, "rbx is restored");
		ok(walk->frames[2].trust == TRUST_FRAME_TABLE, "the table leads to the caller");
	}
	walk_free(walk);
}

int
main(void)
{
	static const struct {
		size_t at;
		uint64_t value;
	} stored[] = { { 0x40, STACK + 0xc0 }, { 0x48, MACH_BASE + TWO }, { 0x70, 0x1234 },
		       { 0x78, MACH_BASE + ONE } };
	static uint8_t stack[0x200];
	struct mach_image image = { .processor = 0x1000007, .type = 6 };
	struct memory_region region = { .base = STACK, .size = sizeof(stack), .available = sizeof(stack), .data = stack };
	struct thread thread = { .stack = &region };
	struct crash crash;

	make_program(&image);
	struct binary *binary = mach_image_open(&image);
	if (!binary_as_crash(binary, "libtest.dylib", &crash))
		return 1;
	is_u64(crash.system.os, CRASH_OS_MAC, "a Mach-O file is of macOS");
	const struct arch *arch = crash.system.arch;
	for (size_t i = 0; i < ARRAY_COUNT(stored); i++)
		reader_put_number(stack + stored[i].at, 8, false, stored[i].value);
	thread.context = (struct crash_context){ .present = true, .arch = arch, .layout = "amd64" };
	for (int reg = 0; reg < arch->register_count; reg++)
		registers_set(&thread.context.registers, reg, 0);
	registers_set(&thread.context.registers, arch->pc, MACH_BASE + ONE);
	registers_set(&thread.context.registers, arch->sp, STACK + 0x20);
	registers_set(&thread.context.registers, arch->fp, STACK + 0x40);
	crash.threads = &thread;
	crash.regions = &region;
	crash.thread_count = crash.region_count = 1;
	memory_index(&crash);
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, NULL, 0);
	binaries_give(binaries, 0, binary);
	test_walk(&crash, binaries, symbols, 10);
#ifdef HAVE_CAPSTONE
	/* Before rbp is set, its frame is another function's: the code decides. */
	registers_set(&thread.context.registers, arch->pc, MACH_BASE + MACH_CODE + 1);
	registers_set(&thread.context.registers, arch->sp, STACK + 0x40);
	registers_set(&thread.context.registers, arch->fp, STACK + 0x120);
	reader_put_number(stack + 0x128, 8, false, MACH_BASE + TWO);
	test_walk(&crash, binaries, symbols, 3);
#endif
	symbols_free(symbols);
	binaries_free(binaries);
	crash_free(&crash);
	return done_testing();
}
