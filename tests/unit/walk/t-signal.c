/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/corefile.h"
#include "tests/unit/walk/scene.h"

/* Signal frames of Linux. The structures are declared here as in the kernel's user headers
 * (asm/sigcontext.h, asm/ucontext.h and arch/.../kernel/signal.c), so that compilers compute the
 * offsets; the stack is filled through them. The dumps are little-endian. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#pragma scalar_storage_order little-endian
#endif
struct stack_64 {
	uint64_t sp;
	uint32_t flags, pad;
	uint64_t size;
};

struct stack_32 {
	uint32_t sp, flags, size;
};

struct sigcontext_amd64 {
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
};

/* The frame after its return address, which the handler's `ret` has popped. */
struct frame_amd64 {
	uint64_t uc_flags, uc_link;
	struct stack_64 uc_stack;
	struct sigcontext_amd64 uc_mcontext;
	uint64_t uc_sigmask;
};

struct sigcontext_x86 {
	uint16_t gs, gsh, fs, fsh, es, esh, ds, dsh;
	uint32_t di, si, bp, sp, bx, dx, cx, ax, trapno, err, ip;
	uint16_t cs, csh;
	uint32_t flags, sp_at_signal;
	uint16_t ss, ssh;
	uint32_t fpstate, oldmask, cr2;
};

struct ucontext_x86 {
	uint32_t uc_flags, uc_link;
	struct stack_32 uc_stack;
	struct sigcontext_x86 uc_mcontext;
};

struct rt_frame_x86 {
	uint32_t sig, pinfo, puc;
	uint8_t info[128];
	struct ucontext_x86 uc;
};

struct frame_x86 {
	uint32_t sig;
	struct sigcontext_x86 sc;
};

struct sigcontext_arm64 {
	uint64_t fault_address, regs[31], sp, pc, pstate;
};

struct frame_arm64 {
	uint8_t info[128];
	uint64_t uc_flags, uc_link;
	struct stack_64 uc_stack;
	uint64_t uc_sigmask;
	uint8_t unused[1024 / 8 - 8];
	_Alignas(16) struct sigcontext_arm64 uc_mcontext;
};

struct sigcontext_arm {
	uint32_t trap_no, error_code, oldmask, r[11], fp, ip, sp, lr, pc, cpsr, fault_address;
};

struct frame_arm {
	uint32_t uc_flags, uc_link;
	struct stack_32 uc_stack;
	struct sigcontext_arm uc_mcontext;
};

struct rt_frame_arm {
	uint8_t info[128];
	struct frame_arm sig;
};

#define STACK 0x7ff00000u
#define HANDLER_FRAMES 0x40u		/* size of the handler's frame, below the signal frame */
#define INTERRUPTED (STACK + 0x800u)	/* stack pointer of the interrupted function */

/* Symbols of all layouts: a handler, the trampoline and a function with a caller. */
#define SYMBOLS_64(sp)								\
	"FUNC 100 40 0 handler\nFUNC 200 80 0 interrupted\nFUNC 300 80 0 caller\n" \
	"STACK CFI INIT 100 40 .cfa: " sp " 64 + .ra: .cfa -8 + ^\nSTACK CFI INIT 200 80 .cfa: " sp " 8 + .ra: .cfa -8 + ^\n"
#define SYMBOLS_32(sp)								\
	"FUNC 100 40 0 handler\nFUNC 200 80 0 interrupted\nFUNC 300 80 0 caller\n" \
	"STACK CFI INIT 100 40 .cfa: " sp " 64 + .ra: .cfa -4 + ^\nSTACK CFI INIT 200 80 .cfa: " sp " 4 + .ra: .cfa -4 + ^\n"

struct frame_riscv64 {
	uint8_t info[128];
	uint64_t uc_flags, uc_link;
	struct stack_64 uc_stack;
	uint64_t uc_sigmask;
	uint8_t unused[1024 / 8 - 8];
	_Alignas(16) uint64_t pc;
	uint64_t x[31];			/* from x1, which is ra */
};

struct frame_riscv32 {
	uint8_t info[128];
	uint32_t uc_flags, uc_link;
	struct stack_32 uc_stack;
	uint32_t uc_sigmask[2];
	uint8_t unused[1024 / 8 - 8];
	_Alignas(16) uint32_t pc;
	uint32_t x[31];
};

/* PowerPC: general registers, nip, msr, orig_gpr3, ctr, link. */
struct registers_ppc64 {
	uint64_t gpr[32], nip, msr, orig_gpr3, ctr, link;
};

struct frame_ppc64 {
	uint64_t dummy[128 / 8];
	uint64_t uc_flags, uc_link;
	struct stack_64 uc_stack;
	uint64_t uc_sigmask[16];
	uint64_t unused[4];
	uint32_t signal, pad;
	uint64_t handler, oldmask, regs;
	struct registers_ppc64 gp_regs;
};

struct registers_ppc {
	uint32_t gpr[32], nip, msr, orig_gpr3, ctr, link;
};

struct rt_frame_ppc {
	uint32_t dummy[(64 + 16) / 4];
	uint8_t info[128];
	uint32_t uc_flags, uc_link;
	struct stack_32 uc_stack;
	uint32_t uc_pad[7], uc_regs;
	struct registers_ppc mcontext;
};

struct frame_ppc {
	uint32_t dummy[64 / 4];
	uint32_t unused[4], signal, handler, oldmask, regs;
	struct registers_ppc mcontext;
};

struct sigcontext_mips {
	uint32_t regmask, status;
	uint64_t pc, regs[32];
};

struct rt_frame_mips {
	uint32_t arguments[4], pad[2];
	uint8_t info[128];
	uint32_t uc_flags, uc_link;
	struct stack_32 uc_stack;
	_Alignas(8) struct sigcontext_mips uc_mcontext;
};

struct frame_mips {
	uint32_t arguments[4], pad[2];
	struct sigcontext_mips sc;
};

struct frame_mips64 {
	uint32_t arguments[4], pad[2];
	uint8_t info[128];
	uint64_t uc_flags, uc_link;
	struct stack_64 uc_stack;
	uint64_t regs[32], fpregs[32], mdhi, hi1, hi2, hi3, mdlo, lo1, lo2, lo3, pc;
};

/* x32 (struct ucontext_x32, asm/sigframe.h): flags, link, stack_t and padding take 24 bytes. */
struct frame_x32 {
	uint8_t before[24];
	struct sigcontext_amd64 uc_mcontext;
};

/* QEMU's user mode puts 16 bytes more below the frame. */
struct frame_ppc64_qemu {
	uint64_t more[2];
	struct frame_ppc64 frame;
};

/* Register N has the value a000 + N. */
#define UP2(n) 0xa000 + (n), 0xa000 + (n) + 1
#define UP4(n) UP2(n), UP2((n) + 2)
#define UP8(n) UP4(n), UP4((n) + 4)
#define ABOVE(type, member) STACK + HANDLER_FRAMES + (uint32_t)offsetof(type, member)
#define CONTEXT_AMD64 { .ip = 0x400210, .sp = INTERRUPTED, .bp = 0xb9, .bx = 0xb3, .ax = 0xa0, .di = 0xd1, \
	.si = 0x51, .r8 = 0x88, .r15 = 0x1515, .cs = 0x33, .flags = 0x246 }
#define CONTEXT_X86 { .ip = 0x400210, .sp = INTERRUPTED, .bp = 0xb9, .bx = 0xb3, .ax = 0xa0, .di = 0xd1, \
	.si = 0x51, .cs = 0x23, .ss = 0x2b, .sp_at_signal = INTERRUPTED, .flags = 0x246 }
#define CONTEXT_ARM { .r = { UP8(0), UP2(8), 0xa00a }, .fp = 0xfb, .ip = 0x12, .sp = INTERRUPTED, .lr = 0x14, \
	.pc = 0x400210, .cpsr = 0x60000010 }
#define X_RISCV { 0xa001, INTERRUPTED, 0xa003, UP4(4), UP8(8), UP8(16), UP8(24) }
#define CONTEXT_PPC(msr_) { .gpr = { 0xa000, INTERRUPTED, UP2(2), UP4(4), UP8(8), UP8(16), UP8(24) }, \
	.nip = 0x400210, .msr = msr_, .link = 0x400310 }
#define REGISTERS_MIPS { 0, 0xa001, UP2(2), UP4(4), UP8(8), UP8(16), UP4(24), 0xa01c, INTERRUPTED, UP2(30) }
#define CONTEXT_MIPS { .regmask = 0x5ac35ac3, .status = 0xff13, .pc = 0x400210, .regs = REGISTERS_MIPS }

static const struct frame_amd64 amd64 = { .uc_flags = 7, .uc_mcontext = CONTEXT_AMD64 };
static const struct frame_x32 x32 = { .before = { 7 }, .uc_mcontext = CONTEXT_AMD64 };
static const struct rt_frame_x86 rt_x86 = {
	.sig = 11, .uc.uc_mcontext = CONTEXT_X86, .pinfo = ABOVE(struct rt_frame_x86, info),
	.puc = ABOVE(struct rt_frame_x86, uc),
};
static const struct frame_x86 x86 = { .sig = 11, .sc = CONTEXT_X86 };
static const struct frame_arm64 arm64 = { .uc_mcontext = {
	.regs = { UP8(0), UP8(8), UP8(16), UP4(24), UP2(28), 0xa01e }, .sp = INTERRUPTED,
	.pc = 0x400210, .pstate = 0x60000000,
} };
static const struct rt_frame_arm rt_arm = { .sig.uc_mcontext = CONTEXT_ARM };
static const struct frame_arm arm = { .uc_flags = 0x5ac3c35a, .uc_mcontext = CONTEXT_ARM };
static const struct frame_riscv64 riscv64 = { .pc = 0x400210, .x = X_RISCV };
static const struct frame_riscv32 riscv32 = { .pc = 0x400210, .x = X_RISCV };
static const struct frame_ppc64 ppc64 = { .gp_regs = CONTEXT_PPC(0x800000000280f032) };
static const struct frame_ppc64_qemu qemu = { .frame.gp_regs = CONTEXT_PPC(0x800000000280f032) };
static const struct rt_frame_ppc rt_ppc = {
	.uc_regs = ABOVE(struct rt_frame_ppc, mcontext), .mcontext = CONTEXT_PPC(0xd032),
};
static const struct frame_ppc ppc = {
	.signal = 11, .regs = ABOVE(struct frame_ppc, mcontext), .mcontext = CONTEXT_PPC(0xd032),
};
static const struct rt_frame_mips rt_mips = { .uc_mcontext = CONTEXT_MIPS };
static const struct frame_mips mips = { .sc = CONTEXT_MIPS };
static const struct frame_mips64 mips64 = { .regs = REGISTERS_MIPS, .pc = 0x400210 };

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#pragma scalar_storage_order default
#endif

/* Names of registers and their values. */
#define NAMED_AMD64 "rax rbx rbp rdi rsi r8 r15", "rax=a0 rbx=b3 rbp=b9 rdi=d1 rsi=51 r8=88 r15=1515"
#define NAMED_X86 "eax ebx ebp edi esi", "eax=a0 ebx=b3 ebp=b9 edi=d1 esi=51"
#define NAMED_ARM "r0 r10 r11 r12 lr", "r0=a000 r10=a00a r11=fb r12=12 lr=14"
#define NAMED_RISCV "ra gp s0 s1 s2 s11", "ra=a001 gp=a003 s0=a008 s1=a009 s2=a012 s11=a01b"
#define NAMED_PPC "r2 r14 r31 lr", "r2=a002 r14=a00e r31=a01f lr=400310"
#define NAMED_MIPS "s0 s7 gp fp ra", "s0=a010 s7=a017 gp=a01c fp=a01e ra=a01f"
#define BYTES(frame) &frame, sizeof(frame)

static const struct layout {
	const char *title;
	enum arch_id arch;
	const char *trampoline;
	const void *frame;
	size_t size;
	const char *symbols;
	const char *names, *registers;
	size_t swapped;			/* offset of the words of a big-endian frame, or 0 */
} layouts[] = {
	{ "an amd64 signal frame", ARCH_AMD64, "__restore_rt", BYTES(amd64), SYMBOLS_64("$rsp"), NAMED_AMD64, 0 },
	{ "an x86 signal frame with siginfo", ARCH_X86, "__kernel_rt_sigreturn", BYTES(rt_x86), SYMBOLS_32("$esp"), NAMED_X86, 0 },
	{ "an x86 signal frame without siginfo", ARCH_X86, "__kernel_sigreturn", BYTES(x86), SYMBOLS_32("$esp"), NAMED_X86, 0 },
	{ "an arm64 signal frame", ARCH_ARM64, "__kernel_rt_sigreturn",
	  BYTES(arm64), SYMBOLS_64("sp"), "x0 x18 x19 x28 x29 x30", "x0=a000 x18=a012 x19=a013 x28=a01c x29=a01d x30=a01e", 0 },
	{ "an arm signal frame with siginfo", ARCH_ARM, "__default_rt_sa_restorer", BYTES(rt_arm), SYMBOLS_32("sp"), NAMED_ARM, 0 },
	{ "an arm signal frame without siginfo", ARCH_ARM, "__default_sa_restorer", BYTES(arm), SYMBOLS_32("sp"), NAMED_ARM, 0 },
	{ "a riscv64 signal frame", ARCH_RISCV64, "__vdso_rt_sigreturn", BYTES(riscv64), SYMBOLS_64("sp"), NAMED_RISCV, 0 },
	{ "a riscv32 signal frame", ARCH_RISCV, "__vdso_rt_sigreturn", BYTES(riscv32), SYMBOLS_32("sp"), NAMED_RISCV, 0 },
	{ "a ppc64 signal frame", ARCH_PPC64, "__kernel_sigtramp_rt64", BYTES(ppc64), SYMBOLS_64("r1"), NAMED_PPC, 0 },
	{ "a ppc64 signal frame of QEMU", ARCH_PPC64, "__kernel_sigtramp_rt64", BYTES(qemu), SYMBOLS_64("r1"), NAMED_PPC, 0 },
	{ "a ppc signal frame with siginfo", ARCH_PPC, "__kernel_sigtramp_rt32", BYTES(rt_ppc), SYMBOLS_32("r1"), NAMED_PPC, 0 },
	{ "a ppc signal frame without siginfo", ARCH_PPC, "__kernel_sigtramp32", BYTES(ppc), SYMBOLS_32("r1"), NAMED_PPC, 0 },
	{ "a mips signal frame with siginfo", ARCH_MIPS, "__vdso_rt_sigreturn", BYTES(rt_mips), SYMBOLS_32("$sp"), NAMED_MIPS, 0 },
	{ "a big-endian mips signal frame with siginfo",
	  ARCH_MIPS, "__vdso_rt_sigreturn", BYTES(rt_mips), SYMBOLS_32("$sp"), NAMED_MIPS, offsetof(struct rt_frame_mips, uc_mcontext.pc) },
	{ "a mips signal frame without siginfo", ARCH_MIPS, "__vdso_sigreturn", BYTES(mips), SYMBOLS_32("$sp"), NAMED_MIPS, 0 },
	{ "a big-endian mips signal frame without siginfo", ARCH_MIPS, "__vdso_sigreturn",
	  BYTES(mips), SYMBOLS_32("$sp"), NAMED_MIPS, offsetof(struct frame_mips, sc.pc) },
	{ "a mips64 signal frame", ARCH_MIPS64, "__vdso_rt_sigreturn", BYTES(mips64), SYMBOLS_64("$sp"), NAMED_MIPS, 0 },
	{ "an x32 signal frame", ARCH_AMD64, "__restore_rt", BYTES(x32), SYMBOLS_64("$rsp"), NAMED_AMD64, 0 },
};

/* Write a word in the dump's byte order. */
static void
put(uint8_t *at, uint64_t value, unsigned size, bool big_endian)
{
	for (unsigned i = 0; i < size; i++)
		at[big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* The handler's frame: its return address, where CFI expects it, or a back chain. */
static void
put_handler(const struct layout *layout, uint8_t *stack)
{
	const unsigned word = arch_by_id(layout->arch)->word_size;

	if (layout->arch != ARCH_PPC && layout->arch != ARCH_PPC64) {
		put(stack + HANDLER_FRAMES - word, 0x400500, word, layout->swapped != 0);
		return;
	}
	put(stack, STACK + HANDLER_FRAMES, word, layout->swapped != 0);
	put(stack + HANDLER_FRAMES + (word == 8 ? 16 : 4), 0x400500, word, layout->swapped != 0);
}

/* Offset of the siginfo_t in the signal frame; SIZE_MAX: left 0. */
static size_t information_at = SIZE_MAX;

/* The begin of a siginfo_t (asm-generic/siginfo.h); the address is 5678. */
static const struct information {
	uint32_t number, error, code, padding;	/* padding: on 64 bits only */
	const char *text;		/* "-": the signal of a handler without SA_SIGINFO */
} *information, informations[] = {
	{ 11, 0, 1, 0, "SIGSEGV / SEGV_MAPERR at 0x5678" }, { 11, 4, 1, 0, "-" }, { 0, 0, 0, 0, "-" }, { 11, 0x1000000, 1, 0, "-" }, { 0x100000b, 0, 1, 0, "-" },
	{ 11, 0, 0x1000001, 0, "-" }, { 11, 0, 1, 0x1000000, "SIGSEGV / SEGV_MAPERR at 0x5678" }, { 11, 0, 99, 0, "-" }, { 64, 0, 0, 0, "-" },
	{ 7, 0, 2, 0, "SIGBUS / BUS_ADRERR at 0x5678" }, { 11, 0, 0, 0, "SIGSEGV / SI_USER" }, { 11, 0, 0x80, 0, "SIGSEGV / SI_KERNEL" },
	{ 11, 0, -6u, 0, "SIGSEGV / SI_TKILL" }, { 6, 0, -6u, 0, "SIGABRT / SI_TKILL" }, { 4, 0, 1, 0, "SIGILL / ILL_ILLOPC" },
	{ 5, 0, 1, 0, "SIGTRAP / TRAP_BRKPT" }, { 8, 0, 1, 0, "SIGFPE / FPE_INTDIV" }, { 31, 0, 1, 0, "SIGSYS / SYS_SECCOMP" },
	{ 1, 0, 0, 0, "SIGHUP / SI_USER was being handled" }, { 3, 0, 0, 0, "SIGQUIT / SI_USER was being handled" },
	{ 9, 0, 0, 0, "SIGKILL / SI_USER was being handled" }, { 30, 0, 0, 0, "SIGPWR / SI_USER was being handled" },
	{ 15, 0, -1u, 0, "SIGTERM / SI_QUEUE was being handled" }, { UINT32_MAX, 0, 0, 0, "-" },
};

static void
put_information(uint8_t *at, unsigned word)
{
	put(at, information->number, 4, false), put(at + 4, information->error, 4, false);
	put(at + 8, information->code, 4, false), put(at + 12, information->padding, 4, false);
	put(at + 8 + word, 0x5678, word, false);
}

/* The expected frames of a layout, as scene_walk writes them. */
static void
want_frames(const struct layout *layout, char *text, size_t size)
{
	const unsigned word = arch_by_id(layout->arch)->word_size;
	const bool chain = layout->arch == ARCH_PPC || layout->arch == ARCH_PPC64;
	const unsigned back = layout->arch == ARCH_MIPS || layout->arch == ARCH_MIPS64 ? 8 : 0;

	snprintf(text, size, "ctx 400110 %x, %s %x %x, sig 400210 %x, %s %x %x", STACK, chain ? "fp" : "cfi", 0x400500 - back,
		 STACK + HANDLER_FRAMES, INTERRUPTED, chain ? "lr" : "cfi", 0x400310 - back, INTERRUPTED + (chain ? 0 : word));
}

/* Values that differ in the frame; NULL: none. */
#define PATCHES 3
static const struct patch {
	size_t at;
	unsigned size;
	uint64_t value;
} *patches;

/* The code of the trampoline, 4 bytes, if the dump has it; else 0. */
static uint32_t code_at_return;

/* The thread is in the handler; its caller is the trampoline at 400500 (NULL: it has no name). */
static void
stage(struct staged *staged, const struct layout *layout, const char *trampoline, enum policy_column column)
{
	const struct arch *arch = arch_by_id(layout->arch);
	uint8_t stack[0x1000] = { 0 };
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	char symbols[1024];
	const struct policy policy = policy_column(column);
	struct scene scene = {
		layout->arch, CRASH_OS_LINUX, .stack = 0,
		.modules = { { 0x400000, 0x1000, "app", symbols } },
	};
	struct synth *synth = synth_create(layout->arch, CRASH_OS_LINUX, layout->swapped != 0);
	struct error error = { 0 };
	size_t size;

	if (trampoline != NULL)
		snprintf(symbols, sizeof(symbols), "%sPUBLIC 500 0 %s\nPUBLIC 510 0 after\n", layout->symbols, trampoline);
	else
		snprintf(symbols, sizeof(symbols), "%sPUBLIC 400 0 far_below\n", layout->symbols);
	*staged = (struct staged){ .walk = NULL };
	scene_symbols(staged, &scene.modules[0], 0);
	registers[arch->pc] = 0x400110;
	registers[arch->sp] = STACK;
	memcpy(stack + HANDLER_FRAMES, layout->frame, layout->size);
	for (size_t at = layout->swapped; at != 0 && at < layout->size; at += 8) {
		uint64_t value;
		memcpy(&value, stack + HANDLER_FRAMES + at, 8);
		value = __builtin_bswap64(value);
		memcpy(stack + HANDLER_FRAMES + at, &value, 8);
	}
	for (size_t i = 0; patches != NULL && i < PATCHES; i++)
		put(stack + HANDLER_FRAMES + patches[i].at, patches[i].value, patches[i].size, false);
	if (information_at != SIZE_MAX)
		put_information(stack + HANDLER_FRAMES + information_at, arch->word_size);
	put_handler(layout, stack);
	/* On PowerPC the interrupted function is a leaf: only lr has its return address. */
	if (layout->arch != ARCH_PPC && layout->arch != ARCH_PPC64)
		put(stack + (INTERRUPTED - STACK), 0x400310, arch->word_size, layout->swapped != 0);
	synth_style(synth)->elf_ids = false;
	synth_module(synth, 0x400000, 0x1000, "app", "app", scene_id(0));
	synth_thread(synth, 1, registers, STACK, stack, sizeof(stack));
	if (code_at_return != 0) {
		uint8_t code[4];
		put(code, code_at_return, sizeof(code), false);
		synth_memory(synth, 0x400500, code, sizeof(code), false);
	}
	staged->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&staged->crash, "scene.dmp", staged->bytes, size, 0, &error);
	staged->symbols = symbols_create(staged->crash.modules, staged->crash.module_count, staged->path_list, staged->path_count);
	scene_walk(staged, &policy);
}

TEST_EACH(layouts, layouts)
{
	char want[256], registers[256];
	const struct layout *layout = &layouts[i];
	struct staged staged;

	stage(&staged, layout, layout->trampoline, POLICY_UNSPOOL);
	want_frames(layout, want, sizeof(want));
	is_str(staged.frames, want, "%s leads to the interrupted function", layout->title);
	is_str(scene_registers(&staged, 2, layout->names, registers, sizeof(registers)),
	       layout->registers, "%s gives its registers back", layout->title);
	ok(staged.walk->count > 2 && staged.walk->frames[2].interrupted && staged.walk->frames[2].lookup == 0x400210,
	   "%s: the interrupted function is looked up at its exact pc", layout->title);
	ok(staged.walk->count > 1 && staged.walk->frames[1].trampoline && staged.walk->frames[1].lookup == 0x400500,
	   "%s: no call precedes the trampoline, so that it has its own name", layout->title);
	scene_close(&staged);

	stage(&staged, layout, "ordinary", POLICY_UNSPOOL);
	ok(strstr(staged.frames, "sig ") == NULL, "%s: the words after a frame with another name are no signal frame", layout->title);
	scene_close(&staged);

	stage(&staged, layout, NULL, POLICY_UNSPOOL);
	const bool sure = layout->arch == ARCH_AMD64 || layout->arch == ARCH_X86;
	ok((strstr(staged.frames, "sig ") != NULL) == sure, "%s %s without the trampoline's name",
	   layout->title, sure ? "proves itself" : "is not believed");
	scene_close(&staged);

	stage(&staged, layout, layout->trampoline, POLICY_BREAKPAD);
	ok(strstr(staged.frames, "sig ") == NULL, "%s: Breakpad does not show it", layout->title);
	scene_close(&staged);
}

/* The finding about an earlier fault is made from the siginfo_t in the signal frame. */
TEST(information)
{
	static const struct {
		size_t layout, at;
	} places[] = {
		{ 0, sizeof(struct frame_amd64) }, { 1, offsetof(struct rt_frame_x86, info) },
		{ 3, offsetof(struct frame_arm64, info) }, { 4, offsetof(struct rt_frame_arm, info) },
	};

	for (size_t i = 0; i < ARRAY_COUNT(informations) * ARRAY_COUNT(places); i++) {
		const struct layout *layout = &layouts[places[i % ARRAY_COUNT(places)].layout];
		struct staged staged;
		char text[500], want[500];

		information = &informations[i / ARRAY_COUNT(places)];
		information_at = places[i % ARRAY_COUNT(places)].at;
		stage(&staged, layout, layout->trampoline, POLICY_UNSPOOL);
		const bool known = information->text[0] != '-' &&
				   (information->padding == 0 || arch_by_id(layout->arch)->word_size == 4);
		const char *name = known ? information->text : "a signal";
		const int used = snprintf(want, sizeof(want), "95: %s%s: it interrupted frame 2, interrupted; frame 0, handler, is the handler "
			"of this signal, or the handler jumped to it", name, strstr(name, " was ") != NULL ? "" : " came first");
		if (known)
			snprintf(want + used, sizeof(want) - (size_t)used, "; the siginfo_t at 0x%zx on the stack describes it",
				 STACK + HANDLER_FRAMES + information_at);
		is_str(scene_finding(&staged, FINDING_EARLIER_FAULT, FINDING_HANDLED_SIGNAL, text, sizeof(text)), want,
		       "%s says by which signal it was interrupted: %u, %u, %u, %u", layout->title, information->number, information->error,
		       information->code, information->padding);
		scene_close(&staged);
	}
	information_at = SIZE_MAX;
}

/* Records of an arm64 frame (asm/sigcontext.h) after its 592 bytes: each begins with its kind and size. */
#define FPSIMD UINT32_C(0x46508001)
#define ESR UINT32_C(0x45535201)
#define RECORDS 592u

static const struct {
	const char *title;
	uint32_t words[8];		/* kind, size, two words of content, kind, ... */
	uint64_t at;			/* the record's offset, or 0 */
} records[] = {
	{ "the first record", { FPSIMD, 528 }, RECORDS }, { "the second record", { ESR, 16, 0, 0, FPSIMD, 528 }, RECORDS + 16 },
	{ "the second record after one of 8 bytes", { ESR, 8, FPSIMD, 528 }, RECORDS + 8 },
	{ "no record after the end", { 0, 0, 0, 0, FPSIMD, 528 }, 0 },
	{ "no record after an end with a size", { 0, 16, 0, 0, FPSIMD, 528 }, 0 },
	{ "no record after one that is too small", { ESR, 7, FPSIMD, 528 }, 0 },
	{ "no record of another kind", { FPSIMD + 1, 16, 0, 0, 0, 0 }, 0 },
	{ "no record after one that leads out of the stack", { ESR, 0x10000, FPSIMD, 528 }, 0 },
};

static const struct layout *
layout_of(enum arch_id arch)
{
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (layouts[i].arch == arch)
			return &layouts[i];
	return NULL;
}

/* Trampolines without names: `mov r7, #number`, in Thumb at odd addresses only; `mov x8, #139`. */
static const struct {
	uint32_t code;
	bool found;
	enum arch_id arch;
} codes[] = { { 0xe3a07077, true, ARCH_ARM }, { 0xe3a070ad, true, ARCH_ARM },
	      { 0xe3a07078, false, ARCH_ARM }, { 0x0777f04f, false, ARCH_ARM },
	      { 0xd2801168, true, ARCH_ARM64 }, { 0xd2801188, false, ARCH_ARM64 } };

TEST_EACH(code, codes)
{
	struct staged staged;

	code_at_return = codes[i].code;
	stage(&staged, layout_of(codes[i].arch), NULL, POLICY_UNSPOOL);
	code_at_return = 0;
	ok((strstr(staged.frames, "sig ") != NULL) == codes[i].found, "an unnamed place with code %08x is %sa trampoline of %s",
	   codes[i].code, codes[i].found ? "" : "not ", arch_by_id(codes[i].arch)->name);
	scene_close(&staged);
}

TEST(floats)
{
	for (size_t i = 0; i < ARRAY_COUNT(records); i++) {
		struct staged staged;
		uint64_t address = 1;

		stage(&staged, layout_of(ARCH_ARM64), "__kernel_rt_sigreturn", POLICY_UNSPOOL);
		const uint64_t sp = staged.walk->frames[1].registers.value[staged.walk->arch->sp];
		uint8_t *bytes = (uint8_t *)(uintptr_t)staged.crash.threads[0].stack->data + (sp - STACK) + RECORDS;
		for (size_t word = 0; word < ARRAY_COUNT(records[i].words); word++)
			put(bytes + 4 * word, records[i].words[word], 4, false);
		const struct arch_signal_frame *found = walk_saved_floats(staged.walk, 2, &address);
		ok((found != NULL) == (records[i].at != 0) && (found == NULL || address == sp + records[i].at),
		   "%s has the vector registers", records[i].title);
		scene_close(&staged);
	}
	struct staged staged;
	uint64_t address = 1, pointer = 0;
	struct arena arena = { 0 };
	struct memory_view view;
	stage(&staged, layout_of(ARCH_AMD64), layout_of(ARCH_AMD64)->trampoline, POLICY_UNSPOOL);
	const uint64_t sp = staged.walk->frames[1].registers.value[staged.walk->arch->sp];
	memory_view_all(&view, &staged.crash, &arena);
	ok(memory_read(&view, sp + 224, 8, &pointer, NULL) && walk_saved_floats(staged.walk, 2, &address) != NULL &&
	   address == pointer, "the context of amd64 points to the floating point registers");
	arena_free(&arena);
	scene_close(&staged);
}

/* s390x has no minidumps: a core whose thread is in a trampoline outside of any module. The registers begin at an offset of the
 * frame: mask and address of the psw, r0 to r15, a0 to a15, fpc, f0 to f15. With SA_SIGINFO they are the uc_mcontext that follows
 * siginfo and ucontext; without it the word before them is their address (arch/s390/kernel/signal.c). */
static const struct s390x_frame {
	const char *title;
	size_t registers;
	uint64_t mask, pointer;
	const char *frames;
} s390x_frames[] = {
	{ "an s390x signal frame with siginfo", 336, UINT64_C(0x0705000180000000), 0, "ctx 700000 8000, sig 400210 8f00" },
	{ "an s390x signal frame without siginfo", 176, UINT64_C(0x0705000180000000), 0x8000 + 176, "ctx 700000 8000, sig 400210 8f00" },
	{ "a frame of s390x with a mask of the kernel", 336, UINT64_C(0x0704000180000000), 0, "ctx 700000 8000" },
	{ "a frame of s390x with another pointer", 176, UINT64_C(0x0705000180000000), 0x8000, "ctx 700000 8000" },
};

static void
test_s390x_frame(const struct s390x_frame *row)
{
	static struct corefile core;
	uint8_t stack[0x1000] = { 0 }, status[336] = { 0 }, *registers = stack + row->registers;
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged = { .walk = NULL };
	struct error error = { 0 };
	char text[64];

	core = (struct corefile){ .machine = 22, .wide = true, .big_endian = true };
	corefile_put(&core, status, 112 + 8, 8, 0x700000);
	corefile_put(&core, status, 112 + 16 + 15 * 8, 8, 0x8000);
	corefile_note(&core, "CORE", 1, status, sizeof(status));
	corefile_put(&core, registers - 8, 0, 8, row->pointer);
	corefile_put(&core, registers, 0, 8, row->mask);
	corefile_put(&core, registers, 8, 8, 0x400210);
	for (unsigned i = 0; i < 16; i++) {
		corefile_put(&core, registers, 16 + 8 * i, 8, i == 15 ? 0x8f00 : 0xa000 + i);
		corefile_put(&core, registers, 16 + 128 + 64 + 8 + 8 * i, 8, 0xf000 + i);
	}
	corefile_memory(&core, 0x8000, sizeof(stack), 6, stack, sizeof(stack));
	corefile_memory(&core, 0x400000, 0x1000, 5, NULL, 0);
	corefile_memory(&core, 0x700000, 0x1000, 5, NULL, 0);
	corefile_finish(&core);
	dump_from_memory(&staged.crash, "core", core.bytes, core.size, 0, &error);
	staged.symbols = symbols_create(NULL, 0, NULL, 0);
	scene_walk(&staged, &policy);
	is_str(staged.frames, row->frames, "%s: the frames", row->title);
	if (strstr(row->frames, "sig") != NULL)
		is_str(scene_registers(&staged, 1, "r0 r6 r14 f0 f2 f15", text, sizeof(text)),
		       "r0=a000 r6=a006 r14=a00e f0=f000 f2=f002 f15=f00f", "%s: the registers", row->title);
	scene_close(&staged);
}

/* Words that are not a context, although the name is right. */
TEST(no_context)
{
	struct layout layout = layouts[0];
	struct staged staged;

	layout.frame = &x86;
	layout.size = sizeof(x86);
	stage(&staged, &layout, layout.trampoline, POLICY_UNSPOOL);
	ok(strstr(staged.frames, "sig ") == NULL, "a trampoline above words that are no context restores nothing");
	scene_close(&staged);
}

/* A signal that a call through a null pointer raised: the registers are those at the call. With
 * mips64 the words above the call are marks and a pc, like those of another signal frame. */
#define NULL_AMD64 { { offsetof(struct frame_amd64, uc_mcontext.ip), 8, 0 } }
#define NULL_X86 { { offsetof(struct rt_frame_x86, uc.uc_mcontext.ip), 4, 0 } }
static const struct {
	enum arch_id arch;
	const char *title, *trampoline;
	struct patch patches[PATCHES];
	const char *frames;
} rows[] = {
	{ ARCH_AMD64, "an amd64 signal frame", "__restore_rt", NULL_AMD64, "sig 0 7ff00800, call 400310 7ff00808" },
	{ ARCH_AMD64, "an amd64 signal frame without a name", NULL, NULL_AMD64, "sig 0 7ff00800, call 400310 7ff00808" },
	{ ARCH_X86, "an x86 signal frame", "__kernel_rt_sigreturn", NULL_X86, "sig 0 7ff00800, call 400310 7ff00804" },
	{ ARCH_X86, "an x86 signal frame without a name", NULL, NULL_X86, "sig 0 7ff00800, call 400310 7ff00804" },
	{ ARCH_ARM64, "an arm64 signal frame", "__kernel_rt_sigreturn", { { offsetof(struct frame_arm64, uc_mcontext.pc), 8, 0 },
	  { offsetof(struct frame_arm64, uc_mcontext.regs[30]), 8, 0x400310 } }, "sig 0 7ff00800, call 400310 7ff00800" },
	{ ARCH_MIPS64, "a mips64 signal frame", "__vdso_rt_sigreturn", { { offsetof(struct frame_mips64, pc), 8, 0 },
	  { offsetof(struct frame_mips64, regs[31]), 8, 0x400310 }, { INTERRUPTED - STACK - HANDLER_FRAMES +
	  offsetof(struct frame_mips64, pc), 8, 0x400210 } }, "sig 0 7ff00800, call 400308 7ff00800, scan 400208 7ff00b08" },
};

TEST_EACH(null_calls, rows)
{
	struct staged staged;

	patches = rows[i].patches;
	stage(&staged, layout_of(rows[i].arch), rows[i].trampoline, POLICY_UNSPOOL);
	patches = NULL;
	const char *from = strstr(staged.frames, "sig ");
	is_str(from != NULL ? from : staged.frames, rows[i].frames,
	       "%s leads to the pc 0 and to the function that called it", rows[i].title);
	scene_close(&staged);
}

int
main(void)
{
	run_tests();
	for (size_t i = 0; i < ARRAY_COUNT(s390x_frames); i++)
		test_s390x_frame(&s390x_frames[i]);
	return done_testing();
}
