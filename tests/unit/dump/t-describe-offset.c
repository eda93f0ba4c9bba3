/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static const uint8_t stack[64] = { 1, 2 };

static struct opened opened;

TEST(open_dump)
{
	const uint64_t own[17] = { [7] = 0x7000, [16] = 0x111 };
	const uint64_t fault[17] = { [7] = 0x7010, [16] = 0x222 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);

	synth_system(synth, 10, 0, 1, "pack");
	synth_module(synth, 0x400000, 0x1000, "main.exe", "main.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_thread(synth, 0x10, own, 0x7000, stack, sizeof(stack));
	synth_thread(synth, 0x20, own, 0x9000, NULL, 0);
	synth_exception(synth, 0x20, 0xc0000005, 0, 0x222);
	synth_exception_registers(synth, fault);
	synth_memory(synth, 0x7ff00000, stack, 32, false);
	open_synth(&opened, synth);
}

static const char *
describe(uint64_t offset)
{
	static char text[128];

	return describe_offset(&opened.crash, offset, text, sizeof(text));
}

TEST(structures)
{
	const struct crash *crash = &opened.crash;
	const struct thread *thread = &crash->threads[0];
	const struct module *module = &crash->modules[0];
	const struct crash_context *context = &crash->exception.context;
	char small[8];

	is_str(describe(0), "header, signature", "the header has fields");
	is_str(describe(31), "header, flags", "up to its last byte");
	is_str(describe(32 + 12 + 9), "directory entry 1, location.rva", "directory entries are counted");
	is_str(describe(thread->place.offset + 48 + 2), "ThreadList, thread 0x20, thread_id", "a thread has its id");
	is_str(describe(thread->place.offset + 36), "ThreadList, thread 0x10, stack.memory.rva", "a thread has its fields");
	is_str(describe(thread->stack->offset + 0x11), "ThreadList, thread 0x10, stack +0x11", "bytes of a stack are its thread's");
	is_str(describe(thread->context.place.offset + 152), "ThreadList, thread 0x10, context, rsp", "registers have names");
	is_str(describe(thread->context.place.offset + 255), "ThreadList, thread 0x10, context, rip", "to their last byte");
	is_str(describe(thread->context.place.offset + 256 + 24), "ThreadList, thread 0x10, context, fxsave.mxcsr",
	       "other fields of a context have names");
	is_str(describe(context->place.offset + 120), "Exception, context, rax", "the exception's context is another");
	is_str(describe(module->place.offset + 9), "ModuleList, module 0, size_of_image", "modules");
	is_str(describe(module->identity_place.offset + 4), "ModuleList, module 0, cv_record, signature", "their records");
	is_str(describe(crash->regions[0].offset + 3), "MemoryList, region 0, memory +0x3", "memory");
	is_str(describe(crash->system.place.offset + 20), "SystemInfo, platform_id", "system info");
	is_str(describe(opened.size), "past the end", "an offset after the last byte");
	describe_offset(crash, 0, small, sizeof(small));
	is_str(small, "header,", "a small buffer cuts the text");
}

TEST(strings)
{
	const uint8_t *name = memmem(opened.bytes, opened.size, "m\0a\0i\0n\0.\0e\0", 12);
	const uint8_t *pack = memmem(opened.bytes, opened.size, "p\0a\0c\0k\0", 8);

	is_str(describe((uint64_t)(name - opened.bytes) + 2), "ModuleList, module 0, code_file +0x2", "a name is its module's");
	is_str(describe((uint64_t)(pack - opened.bytes)), "SystemInfo, csd_version +0x0", "other strings have their field");
}

int
main(void)
{
	run_tests();
	close_synth(&opened);
	return done_testing();
}
