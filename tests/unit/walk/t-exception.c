/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/walk/scene.h"

/*
 * Frames in which Windows hands out an exception. The structures are declared here as winnt.h has
 * them, so that compilers compute the offsets; the stack is filled through them.
 */
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

/* CONTEXT_EX is between the two. */
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

/* What is passed to the code that looks for handlers. */
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

_Static_assert(sizeof(struct context_amd64) == 0x4d0, "winnt.h");
_Static_assert(offsetof(struct frame_amd64, record) == 0x4f0, "the kernel's layout");
_Static_assert(sizeof(struct context_x86) == 0x2cc, "winnt.h");
_Static_assert(sizeof(struct context_arm64) == 0x390, "winnt.h");
_Static_assert(offsetof(struct frame_arm64, record) == 0x3b0, "the kernel's layout");
_Static_assert(sizeof(struct context_arm) == 0x1a0, "winnt.h");

#define STACK 0x7ff00000u
#define HANDLER 0x40u			/* bytes of the frame below the one that hands out */
#define INTERRUPTED (STACK + 0x800u)	/* stack pointer of the function with the exception */
#define FAULT 0x400210u

/* What is wrong with a frame, so that it is none. */
enum defect {
	NO_DEFECT,
	OTHER_PROCESSOR,
	NO_REGISTERS,
	OTHER_ADDRESS,
	KERNEL_CODE,
	BAD_FLAGS,
	DEFECT_COUNT
};

static const char *const defects[] = {
	[OTHER_PROCESSOR] = "a context of another processor",
	[NO_REGISTERS] = "a context without the general registers",
	[OTHER_ADDRESS] = "a context of another address than the exception's",
	[KERNEL_CODE] = "a context of code of the kernel",
	[BAD_FLAGS] = "a context with impossible flags",
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
	static struct frame_amd64 frame;
	struct context_amd64 *context = &frame.context;

	frame = (struct frame_amd64){ .record.code = 0xc0000005 };
	context->flags = context_flags(0x10, defect) | 0x40000000;
	context->mxcsr = 0x1f80;
	context->cs = defect == KERNEL_CODE ? 0x10 : 0x33;
	context->ss = 0x2b;
	context->eflags = defect == BAD_FLAGS ? 0x10204 : 0x10206;
	context->ax = 0xa0;
	context->bx = 0xb3;
	context->bp = 0xb9;
	context->si = 0x51;
	context->di = 0xd1;
	context->r[0] = 0x88;
	context->r[7] = 0x1515;
	context->ip = FAULT;
	context->sp = INTERRUPTED;
	frame.record.address = FAULT + (defect == OTHER_ADDRESS);
	memcpy(at, &frame, sizeof(frame));
}

static void
fill_x86(uint8_t *at, enum defect defect)
{
	static struct frame_x86 frame;
	struct context_x86 *context = &frame.context;

	frame = (struct frame_x86){ .record.code = 0xc0000005 };
	frame.record_at = STACK + HANDLER + (uint32_t)offsetof(struct frame_x86, record);
	frame.context_at = STACK + HANDLER + (uint32_t)offsetof(struct frame_x86, context);
	context->flags = context_flags(1, defect);
	context->cs = defect == KERNEL_CODE ? 8 : 0x1b;
	context->eflags = defect == BAD_FLAGS ? 0x10204 : 0x10206;
	context->ax = 0xa0;
	context->bx = 0xb3;
	context->bp = 0xb9;
	context->si = 0x51;
	context->di = 0xd1;
	context->ip = FAULT;
	context->sp = INTERRUPTED;
	context->ss = 0x2b;
	frame.record.address = FAULT + (defect == OTHER_ADDRESS);
	memcpy(at, &frame, sizeof(frame));
}

/* What KiUserApcDispatcher has on the stack: a context without a record, on x86 behind three arguments. */
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

/* The pointers of a record and a context that begin `above` bytes behind them. */
static void
fill_above(uint8_t *at, enum defect defect, uint32_t above)
{
	uint32_t pointers[2];

	fill_x86(at + above, defect);
	memcpy(pointers, at + above, sizeof(pointers));
	for (size_t i = 0; i < ARRAY_COUNT(pointers); i++)
		pointers[i] += above;
	memcpy(at, pointers, sizeof(pointers));
}

/* The pointers as KiUserExceptionDispatcher pushes them again for what it calls. */
static void
fill_pushed(uint8_t *at, enum defect defect)
{
	const uint32_t moved = 2 * sizeof(uint32_t);

	fill_above(at, defect, moved);
	memcpy(at + moved, at, moved);
}

/* The pointers among the arguments of a function that passes them on, some frames below. */
static void
fill_passed(uint8_t *at, enum defect defect)
{
	fill_above(at, defect, 64);
}

static void
fill_arm64(uint8_t *at, enum defect defect)
{
	static struct frame_arm64 frame;

	frame = (struct frame_arm64){ .context.flags = context_flags(0x40, defect) };
	for (unsigned i = 0; i < ARRAY_COUNT(frame.context.x); i++)
		frame.context.x[i] = 0xa000 + i;
	frame.context.pc = FAULT;
	frame.context.sp = INTERRUPTED;
	frame.record.address = FAULT + (defect == OTHER_ADDRESS ? 4 : 0);
	memcpy(at, &frame, sizeof(frame));
}

static void
fill_arm(uint8_t *at, enum defect defect)
{
	static struct frame_arm frame;

	frame = (struct frame_arm){ .context.flags = context_flags(0x20, defect) };
	for (unsigned i = 0; i < ARRAY_COUNT(frame.context.r); i++)
		frame.context.r[i] = 0xa000 + i;
	frame.context.lr = 0x14;
	frame.context.pc = FAULT;
	frame.context.sp = INTERRUPTED;
	frame.record.address = FAULT + (defect == OTHER_ADDRESS ? 4 : 0);
	memcpy(at, &frame, sizeof(frame));
}

/* Symbols of a handler, of the function with the exception and of its caller; none of ntdll. */
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
} layouts[] = {
	{ "amd64", ARCH_AMD64, fill_amd64, SYMBOLS("$rsp", "8"), "rax rbx rbp rsi rdi r8 r15",
	  "rax=a0 rbx=b3 rbp=b9 rsi=51 rdi=d1 r8=88 r15=1515", true },
	{ "x86", ARCH_X86, fill_x86, SYMBOLS("$esp", "4"), "eax ebx ebp esi edi",
	  "eax=a0 ebx=b3 ebp=b9 esi=51 edi=d1", true },
	{ "x86, pointers pushed again", ARCH_X86, fill_pushed, SYMBOLS("$esp", "4"),
	  "eax ebx ebp esi edi", "eax=a0 ebx=b3 ebp=b9 esi=51 edi=d1", true },
	{ "arm64", ARCH_ARM64, fill_arm64, SYMBOLS("sp", "8"), "x0 x19 x28 x29 x30",
	  "x0=a000 x19=a013 x28=a01c x29=a01d x30=a01e", false },
	{ "arm", ARCH_ARM, fill_arm, SYMBOLS("sp", "4"), "r0 r4 r12 lr",
	  "r0=a000 r4=a004 r12=a00c lr=14", false },
};

static void
put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* The thread is in the handler, which code of ntdll at 500000 has called. */
static void
stage(struct staged *staged, const struct layout *layout, enum defect defect, enum crash_os os,
      enum policy_column column)
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
	put(stack + HANDLER - word, 0x500500, word);
	put(stack + (INTERRUPTED - STACK), 0x400310, word);
	synth_style(synth)->elf_ids = false;
	synth_module(synth, 0x400000, 0x1000, "app", "app", scene_id(0));
	synth_module(synth, 0x500000, 0x1000, "ntdll.dll", "ntdll.pdb", scene_id(1));
	synth_thread(synth, 1, registers, STACK, stack, sizeof(stack));
	staged->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&staged->crash, "scene.dmp", staged->bytes, size, 0, &error);
	staged->symbols = symbols_create(staged->crash.modules, staged->crash.module_count,
					 staged->path_list, staged->path_count);
	scene_walk(staged, &policy);
}

/* How far above the frame of ntdll a context is found, and where it is not. */
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
	is_str(staged.frames, want, "%s: behind an APC is what it interrupted", title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted &&
		   staged.walk->frames[2].lookup == FAULT,
	   "%s: it is looked up at its exact pc", title);
	scene_close(&staged);
	for (int defect = 1; defect < DEFECT_COUNT; defect++) {
		if (defect == OTHER_ADDRESS)
			continue;
		stage(&staged, &layout, (enum defect)defect, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
		ok(strstr(staged.frames, "ctx~") == NULL, "%s: %s is no saved context", title,
		   defects[defect]);
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
crosses(const struct layout *layout, enum defect defect, enum crash_os os,
	enum policy_column column)
{
	struct staged staged;

	stage(&staged, layout, defect, os, column);
	const bool crossed = strstr(staged.frames, "sig ") != NULL;
	scene_close(&staged);
	return crossed;
}

static void
test_crossed(const struct layout *layout)
{
	const unsigned word = arch_by_id(layout->arch)->word_size;
	struct staged staged;
	char want[256], registers[256];

	stage(&staged, layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL);
	snprintf(want, sizeof(want), "ctx 400110 %x, cfi 500500 %x, sig %x %x, cfi 400310 %x",
		 STACK, STACK + HANDLER, FAULT, INTERRUPTED, INTERRUPTED + word);
	is_str(staged.frames, want, "%s: behind the exception is the function that had it",
	       layout->title);
	is_str(scene_registers(&staged, 2, layout->names, registers, sizeof(registers)),
	       layout->registers, "%s: its registers are those of the context", layout->title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted &&
		   staged.walk->frames[2].lookup == FAULT,
	   "%s: it is looked up at its exact pc", layout->title);
	scene_close(&staged);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++) {
		const struct layout *layout = &layouts[i];

		test_crossed(layout);
		for (int defect = 1; defect < (layout->marked ? DEFECT_COUNT : KERNEL_CODE); defect++)
			ok(!crosses(layout, (enum defect)defect, CRASH_OS_WINDOWS, POLICY_UNSPOOL),
			   "%s: %s is not followed", layout->title, defects[defect]);
		ok(!crosses(layout, NO_DEFECT, CRASH_OS_LINUX, POLICY_UNSPOOL),
		   "%s: Linux has no such frames", layout->title);
		ok(!crosses(layout, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_BREAKPAD),
		   "%s: Breakpad does not follow them", layout->title);
	}
	const struct layout passed = { .title = "x86", .arch = ARCH_X86, .fill = fill_passed,
				       .symbols = SYMBOLS("$esp", "4") };
	ok(!crosses(&passed, NO_DEFECT, CRASH_OS_WINDOWS, POLICY_UNSPOOL),
	   "x86: the pointers as arguments, far below what they point at, are no such frame");
	test_apc(ARCH_AMD64, fill_apc_amd64, "amd64");
	test_apc(ARCH_X86, fill_apc_x86, "x86");
	return scene_done_testing("tests/unit/walk/scenes/t-exception");
}
