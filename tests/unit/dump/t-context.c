/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static void
fill(uint64_t *registers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		registers[i] = 0x1000 + i;
}

/* Each layout, both byte orders: register n of the table has value 0x1000 + n. */
TEST(layouts)
{
	static const struct {
		enum arch_id arch;
		bool old, lldb;			/* old: also Crashpad's of mips64 */
		const char *layout;
		uint32_t length;
		int pc;
		uint64_t pc_offset;
	} cases[] = {
		{ ARCH_X86, false, false, "x86", 716, 0, 184 }, { ARCH_AMD64, false, false, "amd64", 1232, 16, 248 },
		{ ARCH_ARM, false, false, "arm", 368, 15, 64 }, { ARCH_ARM64, false, false, "arm64", 912, 32, 264 },
		{ ARCH_ARM64, true, false, "arm64 (old layout)", 796, 32, 264 },
		{ ARCH_ARM64, false, true, "arm64 (old layout)", 800, 32, 264 }, { ARCH_MIPS, false, false, "mips", 600, 32, 312 },
		{ ARCH_MIPS64, false, false, "mips64", 600, 32, 312 }, { ARCH_MIPS64, true, false, "mips64 (Crashpad)", 640, 32, 336 },
		{ ARCH_PPC, false, false, "ppc", 1004, 32, 4 }, { ARCH_PPC64, false, false, "ppc64", 1160, 32, 8 },
		{ ARCH_SPARC, false, false, "sparc", 584, 33, 272 }, { ARCH_RISCV, false, false, "riscv", 268, 0, 8 },
		{ ARCH_RISCV64, false, false, "riscv64", 528, 0, 8 },
	};

	for (size_t i = 0; i < 2 * ARRAY_COUNT(cases); i++) {
		size_t row = i / 2;
		struct synth *synth = synth_create(cases[row].arch, CRASH_OS_LINUX, i % 2 != 0);
		uint64_t registers[ARCH_REGISTERS];
		struct opened opened;
		bool all = true;

		fill(registers, ARCH_REGISTERS);
		synth_style(synth)->old_arm64 = cases[row].old;
		synth_style(synth)->lldb_arm64 = cases[row].lldb;
		synth_style(synth)->crashpad_mips64 = cases[row].old;
		synth_thread(synth, 1, registers, 0, NULL, 0);
		open_synth(&opened, synth);
		const struct crash_context *context = &opened.crash.threads[0].context;
		ok(context->present, "a context of %s is read", cases[row].layout);
		is_str(context->layout, cases[row].layout, "its layout is recognised");
		is_u64(context->place.length, cases[row].length, "its size is as the format says");
		for (int n = 0; n < context->arch->register_count; n++)
			all = all && registers_known(&context->registers, n) &&
			      context->registers.value[n] == 0x1000 + (uint64_t)n;
		ok(all, "all of its registers have their values");
		is_u64(context->register_offset[cases[row].pc], context->place.offset + cases[row].pc_offset, "each has its place");
		is_u64(opened.crash.messages.seen[MESSAGE_CONTEXT_BROKEN], 0, "nothing is wrong");
		close_synth(&opened);
	}
}

/* One thread of a dump with a context of raw bytes. */
static void
open_context(struct opened *opened, enum arch_id arch, const uint8_t *bytes, size_t size)
{
	struct synth *synth = synth_create(arch, CRASH_OS_WINDOWS, false);

	synth_thread(synth, 1, NULL, 0, NULL, 0);
	synth_context(synth, bytes, size);
	open_synth(opened, synth);
}

TEST(variants)
{
	static const struct {
		enum arch_id arch;
		size_t size, flags_at;
		uint32_t flags;
		const char *layout;	/* NULL: refused */
		uint64_t messages;
		const char *title;
	} cases[] = {
		{ ARCH_X86, 716 + 576, 0, 0x1007f, "x86", 0, "a context with an xsave tail" },
		{ ARCH_AMD64, 1232 + 2048, 48, 0x10005f, "amd64", 0, "the same of amd64" },
		{ ARCH_AMD64, 716, 0, 0x1003f, "x86", 0, "an x86 context in an amd64 dump (WoW64)" },
		{ ARCH_X86, 1232, 48, 0x10000b, "amd64", 1, "an amd64 context in an x86 dump" },
		{ ARCH_AMD64, 1232, 48, 0x9810000b, "amd64", 0, "flags with the kernel's bits" },
		{ ARCH_X86, 716, 0, 0x98010007, "x86", 0, "x86 flags with the kernel's bits" },
		{ ARCH_ARM, 368, 0, 0x46, "arm", 0, "flags of old ARM writers" },
		{ ARCH_AMD64, 1232, 48, 0x1f, "amd64", 0, "flags that name no processor" },
		{ ARCH_X86, 716, 0, 0, "x86", 0, "flags of zero" },
		{ ARCH_UNKNOWN, 716, 0, 0x10007, "x86", 0, "a context of an unknown system" },
		{ ARCH_ARM64, 1000, 0, 0x80400007, "arm64", 0, "new flags with the report bit" },
		{ ARCH_ARM64, 830, 0, 0x80000006, "arm64 (old layout)", 0, "old flags, any size" },
		{ ARCH_X86, 715, 0, 0x10007, NULL, 1, "a context that is too short" },
		{ ARCH_AMD64, 1232, 48, 0x20000000, NULL, 1, "flags of another processor" },
		{ ARCH_X86, 3, 0, 0, NULL, 1, "three bytes" }, { ARCH_MIPS, 600, 0, 0x40002, "mips", 0, "a context of mips" },
		{ ARCH_MIPS64, 600, 0, 0x40002, "mips", 1, "a 32-bit context on mips64" },
		{ ARCH_MIPS64, 640, 0, 0x80002, "mips64 (Crashpad)", 0, "Crashpad's of mips64" },
		{ ARCH_MIPS, 599, 0, 0x40002, NULL, 1, "a short context of mips" },
		{ ARCH_PPC, 1160, 0, 0x1000001, "ppc64", 1, "a 64-bit context on ppc" },
	};
	uint8_t bytes[4096] = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct opened opened;
		memset(bytes, 0, sizeof(bytes));
		put_le(bytes + cases[i].flags_at, cases[i].flags, 4);
		open_context(&opened, cases[i].arch, bytes, cases[i].size);
		const struct crash_context *context = &opened.crash.threads[0].context;
		is_str(context->layout, cases[i].layout, "%s", cases[i].title);
		ok(context->present == (cases[i].layout != NULL), "a context is present if its layout is known");
		is_u64(opened.crash.messages.seen[MESSAGE_CONTEXT_BROKEN], cases[i].messages, "a doubtful context gives a message");
		is_u64(context->place.length, cases[i].size, "its bytes have a place anyway");
		close_synth(&opened);
	}
}

/* A SPARC process is a 64-bit one if its stack pointer is odd; no field says so. */
TEST(sparc)
{
	for (unsigned odd = 0; odd < 2; odd++) {
		struct synth *synth = synth_create(ARCH_SPARC, CRASH_OS_SOLARIS, true);
		uint64_t registers[ARCH_REGISTERS] = { [14] = 0x8000 + odd };
		struct opened opened;

		synth_thread(synth, 1, registers, 0, NULL, 0);
		open_synth(&opened, synth);
		is_u64(opened.crash.threads[0].context.arch->id, odd ? ARCH_SPARC : ARCH_SPARC32,
		       "the stack pointer of SPARC gives the width of words");
		is_u64(opened.crash.messages.seen[MESSAGE_CONTEXT_BROKEN], 0, "that is no fault");
		close_synth(&opened);
	}
}

TEST(wow64_registers)
{
	uint8_t bytes[716] = { 7, 0, 1, 0 };
	struct opened opened;

	put_le(bytes + 184, 0x401234, 4);
	open_context(&opened, ARCH_AMD64, bytes, sizeof(bytes));
	const struct crash_context *context = &opened.crash.threads[0].context;
	is_u64(context->arch->id, ARCH_X86, "registers of a WoW64 thread are those of x86");
	is_u64(context->registers.value[context->arch->pc], 0x401234, "with their values");
	is_u64(opened.crash.system.arch->id, ARCH_AMD64, "the system is amd64 all the same");
	close_synth(&opened);
}

/* The file ends inside a context: a stream at the end of the file is used as one. */
TEST(cut)
{
	static const struct {
		size_t kept;
		bool present;
		size_t known;
	} cases[] = {
		{ 200, true, 10 },	/* just after esp */
		{ 199, false, 9 },	/* inside esp */
		{ 20, false, 0 },
	};
	uint8_t bytes[716] = { 7, 0, 1, 0 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
		struct opened opened;
		size_t known = 0;

		synth_thread(synth, 1, NULL, 0, NULL, 0);
		synth_stream(synth, 0x12345678, bytes, sizeof(bytes));
		open_synth(&opened, synth);
		uint8_t *location = stream_bytes(&opened, 3) + 4 + 40;
		size_t rva = (size_t)(stream_bytes(&opened, 0x12345678) - opened.bytes);
		put_le(location, sizeof(bytes), 4);
		put_le(location + 4, (uint32_t)rva, 4);
		opened.size = rva + cases[i].kept;
		open_again(&opened);
		const struct crash_context *context = &opened.crash.threads[0].context;
		for (int n = 0; n < 10; n++)
			known += registers_known(&context->registers, n);
		ok(context->present == cases[i].present, "pc and sp decide");
		is_u64(known, cases[i].known, "registers inside the cut record are known");
		is_u64(opened.crash.messages.seen[MESSAGE_CONTEXT_BROKEN], !cases[i].present, "a context that is lost is a message");
		close_synth(&opened);
	}
}
