/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/bytes.h"
#include "tests/unit/walk/scene.h"

/* Frames in which Windows dispatches an exception. The structures are declared here as in winnt.h, so that compilers compute the
 * offsets; the stack is filled through them. The dumps are little-endian. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#pragma scalar_storage_order little-endian
#endif
struct context_amd64 {
	uint64_t home[6];
	uint32_t flags, mxcsr;
	uint16_t cs, ds, es, fs, gs, ss;
	uint32_t eflags;
	uint64_t dr[6];
	uint64_t ax, cx, dx, bx, sp, bp, si, di, r[8], ip;
	uint8_t floats[512], vectors[26 * 16], debug[48];
};

struct record_64 {
	uint32_t code, flags;
	uint64_t next, address;
	uint32_t count, pad;
	uint64_t information[15];
};

struct record_32 {
	uint32_t code, flags, next, address, count, information[15];
};

/* CONTEXT_EX is between the context and the record. */
struct frame_amd64 {
	struct context_amd64 context;
	uint8_t extended[32];
	struct record_64 record;
};

struct context_x86 {
	uint32_t flags, dr[6];
	uint8_t floats[112];
	uint32_t gs, fs, es, ds, di, si, bx, dx, cx, ax, bp, ip, cs, eflags, sp, ss;
	uint8_t extended[512];
};

/* Arguments of the function that searches for handlers. */
struct frame_x86 {
	uint32_t record_at, context_at;
	struct record_32 record;
	struct context_x86 context;
};

struct context_arm64 {
	uint32_t flags, cpsr;
	uint64_t x[31], sp, pc;
	uint8_t vectors[32 * 16], rest[128];
};

struct frame_arm64 {
	struct context_arm64 context;
	uint8_t extended[32];
	struct record_64 record;
};

struct context_arm {
	uint32_t flags, r[13], sp, lr, pc, cpsr, fpscr, pad;
	uint8_t vectors[32 * 8], rest[80];
};

struct frame_arm {
	struct context_arm context;
	struct record_32 record;
};

/* The stack of KiUserApcDispatcher: the function, its arguments, and the context that it interrupted. */
struct apc_arm64 {
	uint64_t function, arguments[3], alertable, align;
	struct context_arm64 context;
};

struct apc_arm {
	uint32_t function, arguments[3], alertable, align;
	struct context_arm context;
};

/* The structure of KiUserCallbackDispatcher, directly followed by the arguments. */
struct callback_amd64 {
	uint64_t home[4], arguments;
	uint32_t length, number;
	uint64_t ip, cs, eflags, sp, ss;
};

struct callback_x86 {
	uint32_t ip, number, arguments, length, unknown[2], sp;
};

struct callback_arm64 {
	uint64_t arguments;
	uint32_t length, number;
	uint64_t unknown, lr, sp, pc;
};

struct callback_arm {
	uint32_t arguments, length, number, lr, sp, pc;
};

/* The pointers to a record and a context, with which struct frame_x86 begins. */
struct pointers_x86 {
	uint32_t at[2];
};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#pragma scalar_storage_order default
#endif

_Static_assert(offsetof(struct apc_arm64, context) == 0x30, "the kernel's layout");
_Static_assert(offsetof(struct apc_arm, context) == 0x18, "the kernel's layout");
_Static_assert(sizeof(struct callback_amd64) == 0x58, "the kernel's layout");
_Static_assert(sizeof(struct callback_x86) == 0x1c, "the kernel's layout");
_Static_assert(sizeof(struct callback_arm64) == 0x30, "the kernel's layout");
_Static_assert(sizeof(struct callback_arm) == 0x18, "the kernel's layout");
_Static_assert(sizeof(struct context_amd64) == 0x4d0, "winnt.h");
_Static_assert(offsetof(struct frame_amd64, record) == 0x4f0, "the kernel's layout");
_Static_assert(sizeof(struct context_x86) == 0x2cc, "winnt.h");
_Static_assert(sizeof(struct context_arm64) == 0x390, "winnt.h");
_Static_assert(offsetof(struct frame_arm64, record) == 0x3b0, "the kernel's layout");
_Static_assert(sizeof(struct context_arm) == 0x1a0, "winnt.h");

#define STACK 0x7ff00000u
#define HANDLER 0x40u			/* bytes of the dispatcher's callee */
#define INTERRUPTED (STACK + 0x800u)	/* stack pointer of the function with the exception */
#define FAULT 0x400210u

/* Defects that prevent the recognition of a frame. */
enum defect {
	NO_DEFECT, OTHER_PROCESSOR, NO_REGISTERS, OTHER_ADDRESS, KERNEL_CODE, BAD_FLAGS,
	DEFECT_COUNT, LOW_STACK, OTHER_POINTER, TOO_LONG, BAD_NUMBER, FAR_STACK, NO_CODE, CALLBACK_DEFECTS
};

static const char *const defects[] = {
	[OTHER_PROCESSOR] = "a context of another processor",
	[NO_REGISTERS] = "a context without the general registers",
	[OTHER_ADDRESS] = "a context of another address than the exception's",
	[KERNEL_CODE] = "a context of code of the kernel",
	[BAD_FLAGS] = "a context with impossible flags",
	[LOW_STACK] = "a stack pointer below what the kernel laid there",
	[OTHER_POINTER] = "a pointer to other arguments",
	[TOO_LONG] = "a length of more than 1 MiB", [BAD_NUMBER] = "a number of no function",
	[FAR_STACK] = "a stack pointer far above the arguments", [NO_CODE] = "a pc that is no code",
};

static uint32_t
context_flags(uint32_t processor, enum defect defect)
{
	if (defect == OTHER_PROCESSOR)
		processor ^= 0x30;
	return processor << 16 | (defect == NO_REGISTERS ? 1 : 0x1f);
}

static void
fill_amd64(uint8_t *at, enum defect defect)
{
	const struct frame_amd64 frame = {
		.record = { .code = 0xc0000005, .address = FAULT + (defect == OTHER_ADDRESS) },
		.context = {
			.flags = context_flags(0x10, defect) | 0x40000000, .mxcsr = 0x1f80,
			.cs = defect == KERNEL_CODE ? 0x10 : 0x33, .ss = 0x2b,
			.eflags = defect == BAD_FLAGS ? 0x10204 : 0x10206, .ax = 0xa0, .bx = 0xb3,
			.bp = 0xb9, .si = 0x51, .di = 0xd1, .r = { 0x88, [7] = 0x1515 },
			.ip = FAULT, .sp = INTERRUPTED,
		},
	};

	memcpy(at, &frame, sizeof(frame));
}

static void
fill_x86(uint8_t *at, enum defect defect)
{
	const struct frame_x86 frame = {
		.record_at = STACK + HANDLER + (uint32_t)offsetof(struct frame_x86, record),
		.context_at = STACK + HANDLER + (uint32_t)offsetof(struct frame_x86, context),
		.record = { .code = 0xc0000005, .address = FAULT + (defect == OTHER_ADDRESS) },
		.context = {
			.flags = context_flags(1, defect), .cs = defect == KERNEL_CODE ? 8 : 0x1b,
			.eflags = defect == BAD_FLAGS ? 0x10204 : 0x10206, .ax = 0xa0, .bx = 0xb3,
			.bp = 0xb9, .si = 0x51, .di = 0xd1, .ip = FAULT, .sp = INTERRUPTED,
			.ss = 0x2b,
		},
	};

	memcpy(at, &frame, sizeof(frame));
}

/* The stack of KiUserApcDispatcher: a context without a record, on x86 after three arguments. */
static void
fill_apc_amd64(uint8_t *at, enum defect defect)
{
	fill_amd64(at, defect);
	memset(at + offsetof(struct frame_amd64, record), 0, sizeof(struct record_64));
}

static void
fill_apc_x86(uint8_t *at, enum defect defect)
{
	struct frame_x86 frame;
	uint8_t *arguments = at + 3 * sizeof(uint32_t);

	fill_x86(at, defect);
	memcpy(&frame, at, sizeof(frame));
	memset(at, 0, sizeof(frame));
	memcpy(arguments, &frame.context, sizeof(frame.context));
}

/* Pointers to a record and a context, which are `above` bytes after the pointers. */
static void
fill_above(uint8_t *at, enum defect defect, uint32_t above)
{
	struct pointers_x86 pointers;

	fill_x86(at + above, defect);
	memcpy(&pointers, at + above, sizeof(pointers));
	for (size_t i = 0; i < ARRAY_COUNT(pointers.at); i++)
		pointers.at[i] += above;
	memcpy(at, &pointers, sizeof(pointers));
}

/* The pointers, which KiUserExceptionDispatcher pushes again for its callee. */
static void
fill_pushed(uint8_t *at, enum defect defect)
{
	const uint32_t moved = 2 * sizeof(uint32_t);

	fill_above(at, defect, moved);
	memcpy(at + moved, at, moved);
}

/* The pointers as arguments of a callee further in, which got them passed on. */
static void
fill_passed(uint8_t *at, enum defect defect)
{
	fill_above(at, defect, 64);
}

static void
fill_arm64(uint8_t *at, enum defect defect)
{
	struct frame_arm64 frame = {
		.context = { .flags = context_flags(0x40, defect), .pc = FAULT, .sp = INTERRUPTED },
		.record.address = FAULT + (defect == OTHER_ADDRESS ? 4 : 0),
	};

	for (unsigned i = 0; i < ARRAY_COUNT(frame.context.x); i++)
		frame.context.x[i] = 0xa000 + i;
	memcpy(at, &frame, sizeof(frame));
}

static void
fill_arm(uint8_t *at, enum defect defect)
{
	struct frame_arm frame = {
		.context = { .flags = context_flags(0x20, defect), .lr = 0x14, .pc = FAULT, .sp = INTERRUPTED },
		.record.address = FAULT + (defect == OTHER_ADDRESS ? 4 : 0),
	};

	for (unsigned i = 0; i < ARRAY_COUNT(frame.context.r); i++)
		frame.context.r[i] = 0xa000 + i;
	memcpy(at, &frame, sizeof(frame));
}

/* The interrupted context after the arguments of an APC: its processor state, by its defect. */
#define FILL_APC(arch, kernel, bad, usual, first)					\
	static void									\
	fill_apc_##arch(uint8_t *at, enum defect defect)				\
	{										\
		static struct frame_##arch frame;					\
		struct apc_##arch apc = { .function = first, .alertable = 1 };		\
											\
		fill_##arch((uint8_t *)&frame, defect);					\
		apc.context = frame.context;						\
		apc.context.cpsr = defect == KERNEL_CODE ? kernel			\
				   : defect == BAD_FLAGS ? bad : usual;			\
		if (defect == LOW_STACK)						\
			apc.context.sp = STACK + HANDLER + 0x20;			\
		memcpy(at, &apc, sizeof(apc));						\
	}
FILL_APC(arm64, 0x60000005, 0x60000080, 0x60000000, 0x400100)
FILL_APC(arm, 0x60000033, 0x6000003f, 0x60000030, 0x400101)

/* Callbacks ------------------------------------------------------------------------------------ */

/* The common part for all processors, for a dispatcher's structure of some bytes at an address. */
struct callback {
	uint32_t arguments, length, number, sp, pc;
};

#define GAP 24u		/* between the arguments and the interrupted stack */

static struct callback
callback_with(enum defect defect, uint32_t address, size_t size)
{
	struct callback callback = { .arguments = address + (uint32_t)size, .number = 0x2b, .sp = INTERRUPTED, .pc = FAULT };

	callback.length = INTERRUPTED - GAP - callback.arguments;
	if (defect == OTHER_POINTER)
		callback.arguments += 4;
	if (defect == TOO_LONG)
		callback.length += 0x100000;
	if (defect == BAD_NUMBER)
		callback.number = 0x1000;
	if (defect == LOW_STACK)
		callback.length += GAP + 8;
	if (defect == FAR_STACK)
		callback.length -= 64 - GAP;
	if (defect == NO_CODE)
		callback.pc = 0x700000;
	return callback;
}

static void
fill_callback_amd64(uint8_t *at, enum defect defect)
{
	const struct callback with = callback_with(defect, STACK + HANDLER, sizeof(struct callback_amd64));
	const struct callback_amd64 callback = { .arguments = with.arguments, .length = with.length, .number = with.number, .ip = with.pc,
						 .sp = with.sp };

	memcpy(at, &callback, sizeof(callback));
}

/* The structure of x86 without its first bytes, which the dispatcher has popped. */
static void
fill_popped(uint8_t *at, enum defect defect, size_t popped)
{
	const struct callback with = callback_with(defect, STACK + HANDLER - (uint32_t)popped, sizeof(struct callback_x86));
	const struct callback_x86 callback = { .number = with.number, .arguments = with.arguments, .length = with.length,
					       .sp = with.sp + (defect == NO_CODE ? 4 : 0) };

	memcpy(at, (const uint8_t *)&callback + popped, sizeof(callback) - popped);
}

/* The dispatcher has popped eip and the number; later calls have overwritten those words. */
static void
fill_callback_x86(uint8_t *at, enum defect defect)
{
	fill_popped(at, defect, offsetof(struct callback_x86, arguments));
}

/* Wine's dispatcher is a function; eip is its return address. */
static void
fill_callback_wine(uint8_t *at, enum defect defect)
{
	fill_popped(at, defect, offsetof(struct callback_x86, number));
}

#define FILL_CALLBACK(arch)								\
	static void									\
	fill_callback_##arch(uint8_t *at, enum defect defect)				\
	{										\
		const struct callback with = callback_with(				\
			defect, STACK + HANDLER, sizeof(struct callback_##arch));	\
		const struct callback_##arch callback = {				\
			.arguments = with.arguments, .length = with.length,		\
			.number = with.number, .lr = 0x14, .sp = with.sp, .pc = with.pc	\
		};									\
											\
		memcpy(at, &callback, sizeof(callback));				\
	}
FILL_CALLBACK(arm64)
FILL_CALLBACK(arm)

/* Symbols of a handler, of the function with the exception and of its caller; ntdll has none. */
#define SYMBOLS(sp, word)							\
	"FUNC 100 40 0 handler\nFUNC 200 80 0 faults\nFUNC 300 80 0 caller\n"	\
	"STACK CFI INIT 100 40 .cfa: " sp " 64 + .ra: .cfa -" word " + ^\n"	\
	"STACK CFI INIT 200 80 .cfa: " sp " " word " + .ra: .cfa -" word " + ^\n"

static const struct layout {
	const char *title;
	enum arch_id arch;
	void (*fill)(uint8_t *at, enum defect defect);
	const char *symbols;
	const char *names, *registers;
	bool marked;			/* by the code's segment and the flags */
	const char *library;		/* NULL: ntdll.dll */
	uint32_t back;			/* return address of the handler; 0: in the library */
	uint32_t record;		/* the EXCEPTION_RECORD's offset; 0: none */
} layouts[] = {
	{ "amd64", ARCH_AMD64, fill_amd64, SYMBOLS("$rsp", "8"), "rax rbx rbp rsi rdi r8 r15",
	  "rax=a0 rbx=b3 rbp=b9 rsi=51 rdi=d1 r8=88 r15=1515", true, .record = offsetof(struct frame_amd64, record) },
	{ "x86", ARCH_X86, fill_x86, SYMBOLS("$esp", "4"), "eax ebx ebp esi edi",
	  "eax=a0 ebx=b3 ebp=b9 esi=51 edi=d1", true, .record = offsetof(struct frame_x86, record) },
	{ "x86, pointers pushed again", ARCH_X86, fill_pushed, SYMBOLS("$esp", "4"),
	  "eax ebx ebp esi edi", "eax=a0 ebx=b3 ebp=b9 esi=51 edi=d1", true, .record = 8 + offsetof(struct frame_x86, record) },
	{ "arm64", ARCH_ARM64, fill_arm64, SYMBOLS("sp", "8"), "x0 x19 x28 x29 x30",
	  "x0=a000 x19=a013 x28=a01c x29=a01d x30=a01e", false, .record = offsetof(struct frame_arm64, record) },
	{ "arm", ARCH_ARM, fill_arm, SYMBOLS("sp", "4"), "r0 r4 r12 lr",
	  "r0=a000 r4=a004 r12=a00c lr=14", false, .record = offsetof(struct frame_arm, record) },
};

static const struct layout apcs[] = {
	{ "arm64, APC", ARCH_ARM64, fill_apc_arm64, SYMBOLS("sp", "8"), "x0 x19 x28 x29 x30",
	  "x0=a000 x19=a013 x28=a01c x29=a01d x30=a01e", true, .back = 0 },
	{ "arm, APC", ARCH_ARM, fill_apc_arm, SYMBOLS("sp", "4"), "r0 r4 r12 lr", "r0=a000 r4=a004 r12=a00c lr=14", true, .back = 0 },
};

/* On x86 the saved pc is that of the function that made the system call. */
static const struct layout callbacks[] = {
	{ "amd64, callback", ARCH_AMD64, fill_callback_amd64, SYMBOLS("$rsp", "8"), "rbx rbp r12", "rbx=? rbp=? r12=?", true, .back = 0 },
	{ "x86, callback", ARCH_X86, fill_callback_x86, SYMBOLS("$esp", "4"), "ebp ebx", "ebp=? ebx=?", false, .back = 0 },
	{ "x86, callback of Wine", ARCH_X86, fill_callback_wine, SYMBOLS("$esp", "4"), "ebp ebx",
	  "ebp=? ebx=?", false, .library = "win32u.dll" },
	{ "arm64, callback", ARCH_ARM64, fill_callback_arm64, SYMBOLS("sp", "8"), "x19 x29 x30", "x19=? x29=? x30=14", true, .back = 0 },
	{ "arm, callback", ARCH_ARM, fill_callback_arm, SYMBOLS("sp", "4"), "r4 r11 lr", "r4=? r11=? lr=14", true, .back = 0 },
};

static const struct { uint32_t code, count; const char *text; } faults[] = {
	{ 0xc0000005, 2, "EXCEPTION_ACCESS_VIOLATION_WRITE at 0x5678" }, { 0xc0000005, 1, "EXCEPTION_ACCESS_VIOLATION_WRITE" },
	{ 0xc0000006, 3, "EXCEPTION_IN_PAGE_ERROR_WRITE at 0x5678" }, { 0xc0000005, 0, "EXCEPTION_ACCESS_VIOLATION" }, { 0xc0000235, 0, "STATUS_HANDLE_NOT_CLOSABLE" },
	{ 0xc0000005, 0x1000000, "EXCEPTION_ACCESS_VIOLATION_WRITE at 0x5678" }, { 0xc0000094, 0, "EXCEPTION_INT_DIVIDE_BY_ZERO" }, { 0x12345, 0, NULL },
};

/* The thread is in the handler, which was called by code of ntdll at 500000. */
static void
stage(struct staged *staged, const struct layout *layout, enum defect defect, enum crash_os os, enum policy_column column)
{
	const struct arch *arch = arch_by_id(layout->arch);
	const unsigned word = arch->word_size;
	const struct policy policy = policy_column(column);
	const struct scene_module module = { 0x400000, 0x1000, "app", layout->symbols };
	struct synth *synth = synth_create(layout->arch, os, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	uint8_t stack[0x1000] = { 0 };
	struct error error = { 0 };
	size_t size;

	*staged = (struct staged){ .walk = NULL };
	scene_symbols(staged, &module, 0);
	registers[arch->pc] = 0x400110;
	registers[arch->sp] = STACK;
	layout->fill(stack + HANDLER, defect);
	put_le(stack + HANDLER - word, layout->back != 0 ? layout->back : 0x500500, word);
	put_le(stack + (INTERRUPTED - STACK), 0x400310, word);
	synth_style(synth)->elf_ids = false;
	synth_module(synth, 0x400000, 0x1000, "app", "app", scene_id(0));
	const char *library = layout->library != NULL ? layout->library : "ntdll.dll";
	synth_module(synth, 0x500000, 0x1000, library, "ntdll.pdb", scene_id(1));
	synth_thread(synth, 1, registers, STACK, stack, sizeof(stack));
	staged->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&staged->crash, "scene.dmp", staged->bytes, size, 0, &error);
	staged->symbols = symbols_create(staged->crash.modules, staged->crash.module_count, staged->path_list, staged->path_count);
	scene_walk(staged, &policy);
}

/* The distance from ntdll's frame at which a context is found, and where none is found. */
static void
test_apc(enum arch_id arch, void (*fill)(uint8_t *at, enum defect defect), const char *title)
{
	const struct layout layout = {
		.title = title, .arch = arch, .fill = fill,
		.symbols = arch == ARCH_X86 ? SYMBOLS("$esp", "4") : SYMBOLS("$rsp", "8") };
	const unsigned word = arch_by_id(arch)->word_size;
	struct staged staged;
	char want[256];

	snprintf(want, sizeof(want), "ctx 400110 %x, cfi 500500 %x, ctx~ %x %x, cfi 400310 %x",
		 STACK, STACK + HANDLER, FAULT, INTERRUPTED, INTERRUPTED + word);
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	is_str(staged.frames, want, "%s: the caller of an APC is the function that it interrupted", title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted && staged.walk->frames[2].lookup == FAULT,
	   "%s: it is looked up at its exact pc", title);
	scene_close(&staged);
	for (int defect = 1; defect < DEFECT_COUNT; defect++) {
		if (defect == OTHER_ADDRESS)
			continue;
		stage(&staged, &layout, (enum defect)defect, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
		ok(strstr(staged.frames, "ctx~") == NULL, "%s: %s is no saved context", title, defects[defect]);
		scene_close(&staged);
	}
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_BREAKPAD);
	ok(strstr(staged.frames, "ctx~") == NULL, "%s: Breakpad does not search it", title);
	scene_close(&staged);
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_LINUX, POLICY_UNSPOOL);
	ok(strstr(staged.frames, "ctx~") == NULL, "%s: Linux has none", title);
	scene_close(&staged);
}

static bool
crosses(const struct layout *layout, enum defect defect, enum crash_os os, enum policy_column column)
{
	struct staged staged;

	stage(&staged, layout, defect, os, column);
	const bool crossed = strstr(staged.frames, "sig ") != NULL;
	scene_close(&staged);
	return crossed;
}

/* No frame is crossed with these defects, on Linux, or as Breakpad walks. */
static void
test_not_crossed(const struct layout *layout, const enum defect *wrong, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ok(!crosses(layout, wrong[i], CRASH_OS_WINDOWS, POLICY_UNSPOOL),
		   "%s: %s is not followed", layout->title, defects[wrong[i]]);
	ok(!crosses(layout, NO_DEFECT, CRASH_OS_LINUX, POLICY_UNSPOOL), "%s: Linux has none", layout->title);
	ok(!crosses(layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_BREAKPAD), "%s: Breakpad does not follow it", layout->title);
}

static void
test_crossed(const struct layout *layout)
{
	const unsigned word = arch_by_id(layout->arch)->word_size;
	struct staged staged;
	char want[256], registers[256], text[500];

	stage(&staged, layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	snprintf(want, sizeof(want), "ctx 400110 %x, cfi 500500 %x, sig %x %x, cfi 400310 %x",
		 STACK, STACK + HANDLER, FAULT, INTERRUPTED, INTERRUPTED + word);
	is_str(staged.frames, want, "%s: the caller of the dispatcher is the function with the exception", layout->title);
	is_str(scene_registers(&staged, 2, layout->names, registers, sizeof(registers)),
	       layout->registers, "%s: its registers are those of the context", layout->title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted && staged.walk->frames[2].lookup == FAULT,
	   "%s: it is looked up at its exact pc", layout->title);
	/* The parameters of an access: its kind, its address. */
	for (size_t i = 0; i < ARRAY_COUNT(faults); i++) {
		uint8_t *at = (uint8_t *)(uintptr_t)staged.crash.threads[0].stack->data + HANDLER + layout->record;
		put_le(at, faults[i].code, 4), put_le(at + 8 + 2 * word, faults[i].count, 4);
		put_le(at + 8 + 3 * word, 1, word), put_le(at + 8 + 4 * word, 0x5678, word);
		snprintf(want, sizeof(want), "95: %s came first: it interrupted frame 2, faults; the EXCEPTION_RECORD at 0x%x "
			 "on the stack describes it", text_or_empty(faults[i].text), STACK + HANDLER + layout->record);
		is_str(scene_finding(&staged, FINDING_EARLIER_FAULT, FINDING_HANDLED_SIGNAL, text, sizeof(text)),
		       layout->record != 0 && faults[i].text != NULL ? want : "",
		       "%s: code %x with %u parameters is named, or no finding", layout->title, faults[i].code, faults[i].count);
	}
	scene_close(&staged);
}

/* The interrupted code gets the saved registers back, directly after a system call. */
TEST_EACH(callback, callbacks)
{
	static const enum defect wrong[] = { LOW_STACK, OTHER_POINTER, TOO_LONG, FAR_STACK, NO_CODE, BAD_NUMBER };
	const struct layout *layout = &callbacks[i];
	const unsigned word = arch_by_id(layout->arch)->word_size;
	struct staged staged;
	char want[256], registers[256];

	stage(&staged, layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	if (layout->marked)
		snprintf(want, sizeof(want), "ctx 400110 %x, cfi 500500 %x, sig %x %x, cfi 400310 %x", STACK,
			 STACK + HANDLER, FAULT, INTERRUPTED, INTERRUPTED + word);
	else
		snprintf(want, sizeof(want), "ctx 400110 %x, cfi 500500 %x, sig 400310 %x", STACK, STACK + HANDLER, INTERRUPTED + word);
	is_str(staged.frames, want, "%s: its caller is the function that made the system call", layout->title);
	is_str(scene_registers(&staged, 2, layout->names, registers, sizeof(registers)),
	       layout->registers, "%s: only the registers that the kernel saved are known", layout->title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted == layout->marked,
	   "%s: it is looked up at %s", layout->title, layout->marked ? "its exact pc" : "its call");
	scene_close(&staged);
	/* On x86 later calls overwrite the number. */
	test_not_crossed(layout, wrong, ARRAY_COUNT(wrong) - (layout->fill == fill_callback_x86));
	struct layout other = *layout;
	other.library = "other.dll";
	ok(!crosses(&other, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL), "%s: other libraries pass such arguments on", layout->title);
}

/* A return address without rules of its own, and at a higher address a callback that may have returned long ago. */
static void
fill_left_over(uint8_t *at, enum defect defect)
{
	put_le(at - HANDLER + 24, 0x400310, 8);
	fill_callback_amd64(at, defect);
}

TEST(left_over)
{
	const struct layout layout = {
		.title = "amd64", .arch = ARCH_AMD64, .fill = fill_left_over,
		.symbols = "FUNC 100 40 0 handler\nFUNC 200 80 0 faults\nFUNC 300 80 0 caller\n" };
	struct staged staged;
	char begin[64];

	snprintf(begin, sizeof(begin), "ctx 400110 %x, scan 400310 %x", STACK, STACK + 32);
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	ok(strncmp(staged.frames, begin, strlen(begin)) == 0, "a scan does not pass words for a callback: %s", staged.frames);
	scene_close(&staged);
}

static unsigned wine_word;	/* size of a word in bytes */

/* Wine 6 to 8: number, pointer, length and 0 at lower addresses than the arguments, with old return addresses among them. */
static void
fill_wine(uint8_t *at, enum defect defect)
{
	const uint32_t arguments = STACK + HANDLER + 4 * wine_word;

	put_le(at, 3, wine_word);
	put_le(at + wine_word, arguments + (defect == OTHER_POINTER ? wine_word : 0), wine_word);
	put_le(at + 2 * wine_word, defect == TOO_LONG ? 0x100000 : INTERRUPTED - arguments - 1, wine_word);
	put_le(at + 3 * wine_word, defect == BAD_FLAGS, wine_word);
	put_le(at + 11 * wine_word, 0x400210, wine_word);
	put_le(at + 13 * wine_word, 0x400310, wine_word);
	/* On amd64 a call leaves its return address 8 bytes above a multiple of 16. */
	if (wine_word == 8)
		put_le(at + (INTERRUPTED - STACK - HANDLER) + 8, 0x400310, wine_word);
}

static void
test_wine(enum arch_id arch, const char *title, const char *symbols)
{
	static const enum defect wrong[] = { OTHER_POINTER, TOO_LONG, BAD_FLAGS };
	struct layout layout = { .title = title, .arch = arch, .fill = fill_wine, .symbols = symbols, .back = 0xdeadbabe };
	struct staged staged;
	char want[256], scanned[64];

	wine_word = arch_by_id(arch)->word_size;
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	snprintf(want, sizeof(want), "ctx 400110 %x, cfi deadbabe %x, scan 400310 %x", STACK,
		 STACK + HANDLER, INTERRUPTED + (wine_word == 8 ? 16 : 4));
	is_str(staged.frames, want, "%s: a scan begins after the arguments of Wine's callback", title);
	scene_close(&staged);
	snprintf(scanned, sizeof(scanned), "scan 400210 %x", STACK + HANDLER + 12 * wine_word);
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		stage(&staged, &layout, wrong[i], CRASH_OS_WINDOWS, POLICY_UNSPOOL);
		ok(strstr(staged.frames, scanned) != NULL, "%s: other words (%zu) are scanned", title, i);
		scene_close(&staged);
	}
	layout.back = 0;
	stage(&staged, &layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	ok(strstr(staged.frames, scanned) != NULL, "%s: after other code they are ordinary words", title);
	scene_close(&staged);
}

TEST_EACH(apc_at, apcs)
{
	static const enum defect wrong[] = { OTHER_PROCESSOR, NO_REGISTERS, KERNEL_CODE, BAD_FLAGS, LOW_STACK };

	test_crossed(&apcs[i]);
	test_not_crossed(&apcs[i], wrong, ARRAY_COUNT(wrong));
}

TEST_EACH(exceptions, layouts)
{
	static const enum defect wrong[] = { OTHER_PROCESSOR, NO_REGISTERS, OTHER_ADDRESS, KERNEL_CODE, BAD_FLAGS };

	test_crossed(&layouts[i]);
	test_not_crossed(&layouts[i], wrong, layouts[i].marked ? ARRAY_COUNT(wrong) : 3);
}

TEST(passed_on)
{
	const struct layout passed = { .title = "x86", .arch = ARCH_X86, .fill = fill_passed, .symbols = SYMBOLS("$esp", "4") };

	ok(!crosses(&passed, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL),
	   "x86: the pointers as arguments, far below what they point at, are no such frame");
	test_apc(ARCH_AMD64, fill_apc_amd64, "amd64");
	test_apc(ARCH_X86, fill_apc_x86, "x86");
	test_wine(ARCH_AMD64, "amd64", SYMBOLS("$rsp", "8"));
	test_wine(ARCH_X86, "x86", SYMBOLS("$esp", "4"));
}
