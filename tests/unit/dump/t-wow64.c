/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/* winnt.h: CONTEXT of AMD64 and of x86, WOW64_CPURESERVED; TEB64: TlsSlots at 0x1480. */
#define WIDE_SIZE 1232
#define NARROW_SIZE 716
#define TEB 0x7efdb000u
#define RESERVED 0x0008fd20u
#define STACK32 0x0018f000u
#define STACK64 0x0008e000u
#define THREAD_LIST 3u

static void
make_wide(uint8_t *context, uint16_t code_segment, uint64_t rip, uint64_t rsp)
{
	memset(context, 0, WIDE_SIZE);
	put_le(context + 48, 0x10000b, 4);
	put_le(context + 56, code_segment, 2);
	put_le(context + 68, 0x246, 4);
	put_le(context + 120, 0x111100000001, 8);	/* rax */
	put_le(context + 144, 0x77, 8);		/* rbx */
	put_le(context + 152, rsp, 8);
	put_le(context + 160, STACK32 + 0x40, 8);	/* rbp */
	put_le(context + 248, rip, 8);
}

static void
make_narrow(uint8_t *context)
{
	memset(context, 0, NARROW_SIZE);
	put_le(context, 0x1003f, 4);
	put_le(context + 164, 0xbb, 4);		/* ebx */
	put_le(context + 180, STACK32 + 0x30, 4);	/* ebp */
	put_le(context + 184, 0x00401234, 4);	/* eip */
	put_le(context + 196, STACK32 + 0x10, 4);	/* esp */
}

struct scene {
	uint16_t code_segment;
	bool emulation;			/* wow64cpu.dll is loaded */
	bool teb;			/* the dump has the memory of the TEB */
	enum crash_os os;
	uint32_t narrow_flags;
	uint16_t machine;		/* as stored by wow64cpu.dll */
};

static const struct scene usual = { 0x33, true, true, CRASH_OS_WINDOWS, 0x1003f, 0x14c };

static void
open_scene(struct opened *opened, const struct scene *scene)
{
	struct synth *synth = synth_create(ARCH_AMD64, scene->os, false);
	static uint8_t stack64[0x1000], stack32[0x1000], slots[0x40];
	uint8_t wide[WIDE_SIZE], reserved[4 + NARROW_SIZE] = { 0 };

	synth_module(synth, 0x400000, 0x10000, "c:\\app.exe", "c:\\app.pdb", NULL);
	synth_module(synth, 0x77000000, 0x8000,
		     scene->emulation ? "C:\\Windows\\System32\\WOW64CPU.DLL" : "c:\\other.dll", "other.pdb", NULL);
	make_wide(wide, scene->code_segment, scene->code_segment == 0x23 ? 0x00405678 : 0x77001111,
		  scene->code_segment == 0x23 ? STACK32 + 0x20 : STACK64 + 0x100);
	make_narrow(reserved + 4);
	put_le(reserved + 2, scene->machine, 2);
	put_le(reserved + 4, scene->narrow_flags, 4);
	put_le(slots + 8, RESERVED, 8);
	synth_thread(synth, 0x10, NULL, STACK64, stack64, sizeof(stack64));
	synth_context(synth, wide, sizeof(wide));
	synth_memory(synth, STACK32, stack32, sizeof(stack32), true);
	synth_memory(synth, RESERVED, reserved, sizeof(reserved), true);
	synth_memory(synth, TEB + 0x2000, slots, 0x40, true);
	if (scene->teb)
		synth_memory(synth, TEB + 0x1480, slots, 16, true);
	open_synth(opened, synth);
	/* The thread's TEB, after the count and four words. */
	put_le(stream_bytes(opened, THREAD_LIST) + 4 + 16, TEB, 8);
	open_again(opened);
}

static bool
has_message(const struct opened *opened, enum message_kind kind)
{
	return opened->crash.messages.seen[kind] != 0;
}

TEST(saved)
{
	struct opened opened;

	open_scene(&opened, &usual);
	const struct thread *thread = &opened.crash.threads[0];
	const struct crash_context *context = crash_thread_context(&opened.crash, 0);
	ok(context->present && context->arch->id == ARCH_X86, "a thread in 64-bit code has the registers that were put aside");
	is_u64(context->registers.value[0], 0x401234, "eip");
	is_u64(context->registers.value[1], STACK32 + 0x10, "esp");
	is_u64(context->registers.value[3], 0xbb, "ebx");
	ok(context->native != NULL && context->native->arch->id == ARCH_AMD64 &&
	   context->native->registers.value[16] == 0x77001111, "the stored ones are kept");
	is_u64(opened.bytes[context->register_offset[3]], 0xbb, "a register has its place");
	ok(has_message(&opened, MESSAGE_WOW64), "a message reports the emulation");
	ok(!has_message(&opened, MESSAGE_CONTEXT_BROKEN), "nothing is broken");
	ok(thread->stack != NULL && thread->stack->base == STACK64 && thread->pointer_stack != NULL &&
	   thread->pointer_stack->base == STACK32, "the 64-bit stack is the descriptor's, the 32-bit one that of the pointer");

	struct memory_view view;
	struct arena arena = { 0 };
	memory_view_thread(&view, &opened.crash, 0, (struct memory_scope){ false, false }, &arena);
	ok(view.stack != NULL && view.stack->base == STACK32, "it is seen as the stack");
	memory_view_thread(&view, &opened.crash, 0, (struct memory_scope){ true, true }, &arena);
	ok(view.stack != NULL && view.stack->base == STACK64 && view.count == 1, "Breakpad sees the other one");
	arena_free(&arena);
	close_synth(&opened);
}

TEST(live)
{
	struct scene scene = usual;
	struct opened opened;

	scene.code_segment = 0x23;
	open_scene(&opened, &scene);
	const struct crash_context *context = crash_thread_context(&opened.crash, 0);
	ok(context->present && context->arch->id == ARCH_X86, "a thread in 32-bit code has the low halves of its registers");
	is_u64(context->registers.value[0], 0x405678, "eip");
	is_u64(context->registers.value[1], STACK32 + 0x20, "esp");
	is_u64(context->registers.value[6], 1, "eax is the low half");
	is_u64(context->registers.value[9], 0x246, "flags too");
	ok(context->registers.known == 0x3ff, "all ten registers are known");
	ok(context->native != NULL && context->native->registers.value[0] == 0x111100000001, "the whole ones are kept");
	close_synth(&opened);
}

TEST(others)
{
	struct scene scene = usual;
	struct opened opened;

	scene.teb = false;
	open_scene(&opened, &scene);
	ok(crash_thread_context(&opened.crash, 0)->arch->id == ARCH_AMD64, "without the TEB's memory the stored context is walked");
	ok(has_message(&opened, MESSAGE_CONTEXT_BROKEN), "a message reports the broken context");
	close_synth(&opened);

	scene = usual;
	scene.narrow_flags = 0x12345;
	scene.narrow_flags &= ~0x10000u;
	open_scene(&opened, &scene);
	ok(crash_thread_context(&opened.crash, 0)->arch->id == ARCH_AMD64, "bytes whose flags are not those of x86 are no context");
	close_synth(&opened);

	scene = usual;
	scene.emulation = false;
	open_scene(&opened, &scene);
	ok(crash_thread_context(&opened.crash, 0)->arch->id == ARCH_AMD64 && message_total(&opened.crash.messages) == 0,
	   "a process without the emulation is a 64-bit process");
	close_synth(&opened);

	scene = usual;
	scene.os = CRASH_OS_LINUX;
	open_scene(&opened, &scene);
	ok(crash_thread_context(&opened.crash, 0)->native == NULL, "neither is one of Linux");
	close_synth(&opened);
}

/* A 32-bit tool's context in a dump that says AMD64. */
TEST(narrow_in_wide)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint8_t narrow[NARROW_SIZE], stack[64] = { 0 };
	struct opened opened;

	make_narrow(narrow);
	synth_thread(synth, 1, NULL, STACK32, stack, sizeof(stack));
	synth_context(synth, narrow, sizeof(narrow));
	open_synth(&opened, synth);
	const struct crash_context *context = crash_thread_context(&opened.crash, 0);
	ok(context->present && context->arch->id == ARCH_X86 && context->native == NULL,
	   "a context of x86 in a dump of AMD64 counts as it is");
	ok(!has_message(&opened, MESSAGE_CONTEXT_BROKEN) && has_message(&opened, MESSAGE_WOW64), "which is a note, not a complaint");
	close_synth(&opened);
}

/* Older versions store no machine; with another machine there are no registers of x86. */
static const struct {
	uint16_t machine;
	bool good;
} rows[] = {
	{ 0x14c, true }, { 0, true }, { 1, false }, { 0x1c4, false }, { 0x8664, false },
};

TEST_EACH(machines, rows)
{
	struct scene scene = usual;
	struct opened opened;

	scene.machine = rows[i].machine;
	open_scene(&opened, &scene);
	ok((crash_thread_context(&opened.crash, 0)->arch->id == ARCH_X86) == rows[i].good,
	   "the saved context of machine 0x%x is %s", rows[i].machine, rows[i].good ? "read" : "not read");
	close_synth(&opened);
}

/* The bytes of the 32-bit context's structure that were read, and the most that were seen. */
struct noted {
	struct memory_log log;
	bool read[4 + NARROW_SIZE];
	uint64_t present, last_error;
};

static void
note(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct noted *noted = (struct noted *)log;

	for (uint64_t at = address; at < address + size; at++)
		if (use == MEMORY_READ && at - RESERVED < sizeof(noted->read))
			noted->read[at - RESERVED] = true;
	if (use == MEMORY_PRESENT && address == RESERVED + 4)
		noted->present = size;
	if (address == TEB + 0x2034)
		noted->last_error = size;
}

/* The bytes that a copy needs to give the same crash: winnt.h, CONTEXT of x86. */
TEST(reread)
{
	struct noted noted = { .log.note = note };
	struct memory_view view;
	struct opened opened;
	struct arena arena = { 0 };
	unsigned wrong = 0;

	open_scene(&opened, &usual);
	memory_view_all(&view, &opened.crash, &arena);
	view.log = &noted.log;
	dump_reread(&opened.crash, &view);
	/* Machine, flags and debug registers; gs to ss. */
	for (size_t i = 2; i < 4 + NARROW_SIZE; i++)
		wrong += noted.read[i] != (i < 4 + 28 || (i >= 4 + 140 && i < 4 + 204));
	is_u64(wrong, 0, "registers are read, the state of the x87 is not");
	is_u64(noted.present, NARROW_SIZE, "the whole context has to be there");
	is_u64(noted.last_error, 4, "the last error of the 32-bit TEB is read again");
	arena_free(&arena);
	close_synth(&opened);
}
