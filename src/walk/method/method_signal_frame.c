/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "walk/rule_cache.h"
#include "base/error.h"
#include "walk/step.h"

/*
 * Linux signal frames: the kernel saved every register on the stack and made the handler
 * return to a trampoline. Layouts: the kernel's arch headers sigcontext.h and ucontext.h.
 */
struct mark {
	const char *rule;		/* one rule; its value's bits under `mask` must be `bits` */
	uint64_t mask, bits;
};

struct layout {
	enum arch_id arch;
	const char *trampolines[4];	/* names, ended by NULL */
	const char *rules;		/* with the stack pointer as it is at the trampoline */
	const char *pc;			/* the one of `rules` that gives the program counter */
	struct mark marks[4];		/* ended by one without a rule */
	enum { ORDER_ANY, ORDER_LITTLE, ORDER_BIG } order;	/* of the bytes it is for */
};

/* Of eflags: bit 1 is always set, others never (Intel SDM 1, 3.4.3). */
#define EFLAGS_FIXED UINT64_C(0xffffffffffc0802a)
#define EFLAGS_FIXED_32 UINT64_C(0xffc0802a)
#define EFLAGS_BITS UINT64_C(2)

/* Of ppc's msr: the processor ran a user's code (Power ISA III, 4.2.1). */
#define MSR_USER 0x4000u

static const struct layout layouts[] = {
	{ ARCH_AMD64,
	  { "__restore_rt", "__kernel_rt_sigreturn", "restore_rt", NULL },
	  "$r8: $rsp 40 + ^ $r9: $rsp 48 + ^ $r10: $rsp 56 + ^ $r11: $rsp 64 + ^ "
	  "$r12: $rsp 72 + ^ $r13: $rsp 80 + ^ $r14: $rsp 88 + ^ $r15: $rsp 96 + ^ "
	  "$rdi: $rsp 104 + ^ $rsi: $rsp 112 + ^ $rbp: $rsp 120 + ^ $rbx: $rsp 128 + ^ "
	  "$rdx: $rsp 136 + ^ $rax: $rsp 144 + ^ $rcx: $rsp 152 + ^ $rsp: $rsp 160 + ^ "
	  "$rip: $rsp 168 + ^",
	  "$rip: $rsp 168 + ^",
	  { { "$rip: $rsp 184 + ^", 0xffff, 0x33 },		/* cs */
	    { "$rip: $rsp 8 + ^", UINT64_MAX, 0 },		/* uc_link */
	    { "$rip: $rsp 176 + ^", EFLAGS_FIXED, EFLAGS_BITS } },
	  ORDER_ANY },
	{ ARCH_X86,
	  { "__kernel_rt_sigreturn", "__restore_rt", "restore_rt", NULL },
	  "$edi: $esp 8 + ^ 36 + ^ $esi: $esp 8 + ^ 40 + ^ $ebp: $esp 8 + ^ 44 + ^ "
	  "$ebx: $esp 8 + ^ 52 + ^ $edx: $esp 8 + ^ 56 + ^ $ecx: $esp 8 + ^ 60 + ^ "
	  "$eax: $esp 8 + ^ 64 + ^ $eip: $esp 8 + ^ 76 + ^ $esp: $esp 8 + ^ 48 + ^",
	  "$eip: $esp 8 + ^ 76 + ^",
	  { { "$eip: $esp 8 + ^ 80 + ^", 0xffaf, 0x23 },
	    { "$eip: $esp 8 + ^ 4 + ^", UINT32_MAX, 0 },
	    { "$eip: $esp 8 + ^ 84 + ^", EFLAGS_FIXED_32, EFLAGS_BITS } },
	  ORDER_ANY },
	{ ARCH_X86,
	  { "__kernel_sigreturn", "__restore", "restore", NULL },
	  "$edi: $esp 20 + ^ $esi: $esp 24 + ^ $ebp: $esp 28 + ^ $ebx: $esp 36 + ^ "
	  "$edx: $esp 40 + ^ $ecx: $esp 44 + ^ $eax: $esp 48 + ^ $eip: $esp 60 + ^ "
	  "$esp: $esp 32 + ^",
	  "$eip: $esp 60 + ^",
	  { { "$eip: $esp 64 + ^", 0xffaf, 0x23 },
	    { "$eip: $esp 68 + ^", EFLAGS_FIXED_32, EFLAGS_BITS } },
	  ORDER_ANY },
	{ ARCH_ARM64,
	  { "__kernel_rt_sigreturn", "__restore_rt", NULL },
	  "x19: sp 464 + ^ x20: sp 472 + ^ x21: sp 480 + ^ x22: sp 488 + ^ x23: sp 496 + ^ "
	  "x24: sp 504 + ^ x25: sp 512 + ^ x26: sp 520 + ^ x27: sp 528 + ^ x28: sp 536 + ^ "
	  "x29: sp 544 + ^ x30: sp 552 + ^ x0: sp 312 + ^ x1: sp 320 + ^ x2: sp 328 + ^ "
	  "x3: sp 336 + ^ x4: sp 344 + ^ x5: sp 352 + ^ x6: sp 360 + ^ x7: sp 368 + ^ "
	  "x8: sp 376 + ^ x9: sp 384 + ^ x10: sp 392 + ^ x11: sp 400 + ^ x12: sp 408 + ^ "
	  "x13: sp 416 + ^ x14: sp 424 + ^ x15: sp 432 + ^ x16: sp 440 + ^ x17: sp 448 + ^ "
	  "x18: sp 456 + ^ pc: sp 568 + ^ sp: sp 560 + ^",
	  "pc: sp 568 + ^",
	  { { "pc: sp 576 + ^", UINT64_C(0xffffffff000003df), 0 },	/* pstate */
	    { "pc: sp 128 + ^", UINT64_MAX, 0 },			/* uc_flags */
	    { "pc: sp 136 + ^", UINT64_MAX, 0 } },			/* uc_link */
	  ORDER_ANY },
	{ ARCH_ARM,
	  { "__kernel_rt_sigreturn", "__default_rt_sa_restorer", "__restore_rt", NULL },
	  "r0: sp 160 + ^ r1: sp 164 + ^ r2: sp 168 + ^ r3: sp 172 + ^ r4: sp 176 + ^ "
	  "r5: sp 180 + ^ r6: sp 184 + ^ r7: sp 188 + ^ r8: sp 192 + ^ r9: sp 196 + ^ "
	  "r10: sp 200 + ^ r11: sp 204 + ^ r12: sp 208 + ^ lr: sp 216 + ^ pc: sp 220 + ^ "
	  "sp: sp 212 + ^",
	  "pc: sp 220 + ^",
	  { { "pc: sp 224 + ^", 0x1f, 0x10 },			/* cpsr */
	    { "pc: sp 132 + ^", UINT32_MAX, 0 } },		/* uc_link */
	  ORDER_ANY },
	{ ARCH_ARM,
	  { "__kernel_sigreturn", "__default_sa_restorer", "__restore", NULL },
	  "r0: sp 32 + ^ r1: sp 36 + ^ r2: sp 40 + ^ r3: sp 44 + ^ r4: sp 48 + ^ "
	  "r5: sp 52 + ^ r6: sp 56 + ^ r7: sp 60 + ^ r8: sp 64 + ^ r9: sp 68 + ^ "
	  "r10: sp 72 + ^ r11: sp 76 + ^ r12: sp 80 + ^ lr: sp 88 + ^ pc: sp 92 + ^ "
	  "sp: sp 84 + ^",
	  "pc: sp 92 + ^",
	  { { "pc: sp 96 + ^", 0x1f, 0x10 },
	    { "pc: sp 4 + ^", UINT32_MAX, 0 } },
	/* riscv: siginfo, then the ucontext, whose mcontext is aligned to 16: pc, ra, sp, ... */
	  ORDER_ANY },
	{ ARCH_RISCV64,
	  { "__vdso_rt_sigreturn", "__kernel_rt_sigreturn", "__restore_rt", NULL },
	  "ra: sp 312 + ^ gp: sp 328 + ^ tp: sp 336 + ^ s0: sp 368 + ^ s1: sp 376 + ^ "
	  "s2: sp 448 + ^ s3: sp 456 + ^ s4: sp 464 + ^ s5: sp 472 + ^ s6: sp 480 + ^ "
	  "s7: sp 488 + ^ s8: sp 496 + ^ s9: sp 504 + ^ s10: sp 512 + ^ s11: sp 520 + ^ "
	  "pc: sp 304 + ^ sp: sp 320 + ^",
	  "pc: sp 304 + ^",
	  { { "pc: sp 128 + ^", UINT64_MAX, 0 },
	    { "pc: sp 136 + ^", UINT64_MAX, 0 } },
	  ORDER_ANY },
	{ ARCH_RISCV,
	  { "__vdso_rt_sigreturn", "__kernel_rt_sigreturn", "__restore_rt", NULL },
	  "ra: sp 292 + ^ gp: sp 300 + ^ tp: sp 304 + ^ s0: sp 320 + ^ s1: sp 324 + ^ "
	  "s2: sp 360 + ^ s3: sp 364 + ^ s4: sp 368 + ^ s5: sp 372 + ^ s6: sp 376 + ^ "
	  "s7: sp 380 + ^ s8: sp 384 + ^ s9: sp 388 + ^ s10: sp 392 + ^ s11: sp 396 + ^ "
	  "pc: sp 288 + ^ sp: sp 296 + ^",
	  "pc: sp 288 + ^",
	  { { "pc: sp 128 + ^", UINT32_MAX, 0 },
	    { "pc: sp 132 + ^", UINT32_MAX, 0 } },
	/* ppc: a frame of 128 or 64 bytes, siginfo in the 32-bit one, the ucontext */
	  ORDER_ANY },
	{ ARCH_PPC64,
	  { "__kernel_sigtramp_rt64", NULL },
	  "r2: r1 376 + ^ r14: r1 472 + ^ r15: r1 480 + ^ r16: r1 488 + ^ r17: r1 496 + ^ "
	  "r18: r1 504 + ^ r19: r1 512 + ^ r20: r1 520 + ^ r21: r1 528 + ^ r22: r1 536 + ^ "
	  "r23: r1 544 + ^ r24: r1 552 + ^ r25: r1 560 + ^ r26: r1 568 + ^ r27: r1 576 + ^ "
	  "r28: r1 584 + ^ r29: r1 592 + ^ r30: r1 600 + ^ r31: r1 608 + ^ lr: r1 648 + ^ "
	  "srr0: r1 616 + ^ r1: r1 368 + ^",
	  "srr0: r1 616 + ^",
	  { { "srr0: r1 624 + ^", MSR_USER, MSR_USER },
	    { "srr0: r1 128 + ^", UINT64_MAX, 0 },
	    { "srr0: r1 136 + ^", UINT64_MAX, 0 } },
	  ORDER_ANY },
	{ ARCH_PPC,
	  { "__kernel_sigtramp_rt32", NULL },
	  "r2: r1 256 + ^ 8 + ^ r14: r1 256 + ^ 56 + ^ r15: r1 256 + ^ 60 + ^ "
	  "r16: r1 256 + ^ 64 + ^ r17: r1 256 + ^ 68 + ^ r18: r1 256 + ^ 72 + ^ "
	  "r19: r1 256 + ^ 76 + ^ r20: r1 256 + ^ 80 + ^ r21: r1 256 + ^ 84 + ^ "
	  "r22: r1 256 + ^ 88 + ^ r23: r1 256 + ^ 92 + ^ r24: r1 256 + ^ 96 + ^ "
	  "r25: r1 256 + ^ 100 + ^ r26: r1 256 + ^ 104 + ^ r27: r1 256 + ^ 108 + ^ "
	  "r28: r1 256 + ^ 112 + ^ r29: r1 256 + ^ 116 + ^ r30: r1 256 + ^ 120 + ^ "
	  "r31: r1 256 + ^ 124 + ^ lr: r1 256 + ^ 144 + ^ srr0: r1 256 + ^ 128 + ^ "
	  "r1: r1 256 + ^ 4 + ^",
	  "srr0: r1 256 + ^ 128 + ^",
	  { { "srr0: r1 256 + ^ 132 + ^", MSR_USER, MSR_USER },
	    { "srr0: r1 208 + ^", UINT32_MAX, 0 },
	    { "srr0: r1 212 + ^", UINT32_MAX, 0 } },
	  ORDER_ANY },
	{ ARCH_PPC,
	  { "__kernel_sigtramp32", NULL },
	  "r2: r1 92 + ^ 8 + ^ r14: r1 92 + ^ 56 + ^ r15: r1 92 + ^ 60 + ^ "
	  "r16: r1 92 + ^ 64 + ^ r17: r1 92 + ^ 68 + ^ r18: r1 92 + ^ 72 + ^ "
	  "r19: r1 92 + ^ 76 + ^ r20: r1 92 + ^ 80 + ^ r21: r1 92 + ^ 84 + ^ "
	  "r22: r1 92 + ^ 88 + ^ r23: r1 92 + ^ 92 + ^ r24: r1 92 + ^ 96 + ^ "
	  "r25: r1 92 + ^ 100 + ^ r26: r1 92 + ^ 104 + ^ r27: r1 92 + ^ 108 + ^ "
	  "r28: r1 92 + ^ 112 + ^ r29: r1 92 + ^ 116 + ^ r30: r1 92 + ^ 120 + ^ "
	  "r31: r1 92 + ^ 124 + ^ lr: r1 92 + ^ 144 + ^ srr0: r1 92 + ^ 128 + ^ "
	  "r1: r1 92 + ^ 4 + ^",
	  "srr0: r1 92 + ^ 128 + ^",
	  { { "srr0: r1 92 + ^ 132 + ^", MSR_USER, MSR_USER } },
	  ORDER_ANY },
	/*
	 * mips: 16 bytes of arguments and 8 of an old trampoline, siginfo, the ucontext. Registers
	 * are 64 bits wide in 32-bit processes too; the one that is always 0 is saved with the
	 * others.
	 */
	{ ARCH_MIPS,
	  { "__vdso_rt_sigreturn", NULL },
	  "$s0: $sp 320 + ^ $s1: $sp 328 + ^ $s2: $sp 336 + ^ $s3: $sp 344 + ^ "
	  "$s4: $sp 352 + ^ $s5: $sp 360 + ^ $s6: $sp 368 + ^ $s7: $sp 376 + ^ "
	  "$gp: $sp 416 + ^ $fp: $sp 432 + ^ $ra: $sp 440 + ^ $sp: $sp 424 + ^",
	  "$ra: $sp 184 + ^",
	  { { "$ra: $sp 188 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 152 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 156 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 192 + ^", UINT32_MAX, 0 } },
	  ORDER_LITTLE },
	{ ARCH_MIPS,
	  { "__vdso_rt_sigreturn", NULL },
	  "$s0: $sp 324 + ^ $s1: $sp 332 + ^ $s2: $sp 340 + ^ $s3: $sp 348 + ^ "
	  "$s4: $sp 356 + ^ $s5: $sp 364 + ^ $s6: $sp 372 + ^ $s7: $sp 380 + ^ "
	  "$gp: $sp 420 + ^ $fp: $sp 436 + ^ $ra: $sp 444 + ^ $sp: $sp 428 + ^",
	  "$ra: $sp 188 + ^",
	  { { "$ra: $sp 184 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 152 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 156 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 196 + ^", UINT32_MAX, 0 } },
	  ORDER_BIG },
	{ ARCH_MIPS,
	  { "__vdso_sigreturn", NULL },
	  "$s0: $sp 168 + ^ $s1: $sp 176 + ^ $s2: $sp 184 + ^ $s3: $sp 192 + ^ "
	  "$s4: $sp 200 + ^ $s5: $sp 208 + ^ $s6: $sp 216 + ^ $s7: $sp 224 + ^ "
	  "$gp: $sp 264 + ^ $fp: $sp 280 + ^ $ra: $sp 288 + ^ $sp: $sp 272 + ^",
	  "$ra: $sp 32 + ^",
	  { { "$ra: $sp 36 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 40 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 44 + ^", UINT32_MAX, 0 } },
	  ORDER_LITTLE },
	{ ARCH_MIPS,
	  { "__vdso_sigreturn", NULL },
	  "$s0: $sp 172 + ^ $s1: $sp 180 + ^ $s2: $sp 188 + ^ $s3: $sp 196 + ^ "
	  "$s4: $sp 204 + ^ $s5: $sp 212 + ^ $s6: $sp 220 + ^ $s7: $sp 228 + ^ "
	  "$gp: $sp 268 + ^ $fp: $sp 284 + ^ $ra: $sp 292 + ^ $sp: $sp 276 + ^",
	  "$ra: $sp 36 + ^",
	  { { "$ra: $sp 32 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 40 + ^", UINT32_MAX, 0 },
	    { "$ra: $sp 44 + ^", UINT32_MAX, 0 } },
	  ORDER_BIG },
	{ ARCH_MIPS64,
	  { "__vdso_rt_sigreturn", NULL },
	  "$s0: $sp 320 + ^ $s1: $sp 328 + ^ $s2: $sp 336 + ^ $s3: $sp 344 + ^ "
	  "$s4: $sp 352 + ^ $s5: $sp 360 + ^ $s6: $sp 368 + ^ $s7: $sp 376 + ^ "
	  "$gp: $sp 416 + ^ $fp: $sp 432 + ^ $ra: $sp 440 + ^ $sp: $sp 424 + ^",
	  "$ra: $sp 768 + ^",
	  { { "$ra: $sp 152 + ^", UINT64_MAX, 0 },
	    { "$ra: $sp 160 + ^", UINT64_MAX, 0 },
	    { "$ra: $sp 192 + ^", UINT64_MAX, 0 } },
	  ORDER_ANY },
};

/* Trampolines are two or three instructions. */
#define FARTHEST_IN_TRAMPOLINE 16u

/* The kernel's own page of code: it holds the trampolines and little else. */
bool
step_is_in_kernel_page(const struct step *step, uint64_t address)
{
	const int module = module_map_find(&step->walk->modules, address);

	return module != MODULE_NONE && crash_is_kernels(&step->walk->crash->modules[module]);
}

/* Where the handler returned to, which on mips is not the pc. */
static uint64_t
return_address(const struct step *step)
{
	const uint64_t pc = step->callee->registers.value[step->arch->pc];

	return step->callee->interrupted
		       ? pc
		       : arch_wrap(step->arch, pc - (uint64_t)(int64_t)step_return_step(step));
}

/*
 * The name of the function that the return address itself lies in, since handlers return to its
 * first byte; empty where symbols say nothing, which is enough where a context proves itself: on
 * amd64, and in the kernel's page. False where the address is no trampoline's.
 */
static bool
trampoline_name(const struct step *step, struct text *name)
{
	const struct symbols_policy policy = walk_symbols_policy(step->walk);
	const uint64_t pc = return_address(step);
	int module = module_map_find(&step->walk->modules, pc);
	const struct symfile *symfile = walk_symfile(step->walk, module);
	struct function function = { .kind = SYMBOL_PUBLIC };

	*name = text_of("");
	/* The kernel's page may be in no list, and emulators put their trampolines anywhere. */
	if (module == MODULE_NONE)
		return true;
	uint64_t relative = pc - step->walk->crash->modules[module].base;
	bool found = symfile != NULL && symfile_function(symfile, &policy, relative, &function);
	/* A name from far below says nothing about this address. */
	if (found && relative - function.address <= FARTHEST_IN_TRAMPOLINE)
		*name = function.name;
	if (name->length > 0)
		return true;
	return function.kind == SYMBOL_PUBLIC &&
	       (step->arch->id == ARCH_AMD64 || step_is_in_kernel_page(step, pc));
}

static bool
is_named(const struct layout *layout, struct text name)
{
	for (size_t i = 0; layout->trampolines[i] != NULL; i++)
		if (text_equal(name, text_of(layout->trampolines[i])))
			return true;
	return false;
}

static bool
evaluate(const struct step *step, const char *text, uint64_t *value)
{
	const struct environment environment = { .arch = step->arch,
						 .memory = &step->walk->memory };
	const struct rule_set *set = rule_cache_text(step->walk->cache, step->arch, text);
	const struct variable no_cfa = { 0 };
	struct outcome outcome = { 0 };

	if (set == NULL || set->count != 1 ||
	    !rule_evaluate(&set->rules[0], &environment, &step->inputs, NULL, &no_cfa, &outcome,
			   NULL, TRACE_NONE))
		return false;
	*value = outcome.value;
	return true;
}

/* The code segment or processor mode of user code, and what is fixed, tell a context from words. */
static bool
has_marks(const struct step *step, const struct layout *layout)
{
	for (size_t i = 0; i < ARRAY_COUNT(layout->marks) && layout->marks[i].rule != NULL; i++) {
		const struct mark *mark = &layout->marks[i];
		uint64_t value;

		if (!evaluate(step, mark->rule, &value) || (value & mark->mask) != mark->bits)
			return false;
	}
	return true;
}

static bool
looks_like_context(const struct step *step, const struct layout *layout, struct frame *caller)
{
	const struct arch *arch = step->arch;

	if (!has_marks(step, layout))
		return false;
	uint64_t pc = caller->registers.value[arch->pc], sp = caller->registers.value[arch->sp];
	return pc != 0 && sp % (arch->word_size / 2) == 0 && sp != 0 &&
	       (step_code_at(step, pc) == STEP_CODE || layout->arch == ARCH_AMD64);
}

static bool
interrupted_stack_is_there(const struct step *step, const struct frame *caller)
{
	uint64_t ignored;

	return step_read(step, caller->registers.value[step->arch->sp], &ignored);
}

static enum verdict_kind
restore(struct step *step, const struct layout *layout, bool named, struct frame *caller)
{
	uint64_t pc;

	if (!has_marks(step, layout))
		return step_refuse(step, "the words on the stack are no saved signal context");
	const struct rule_set *set =
		rule_cache_text(step->walk->cache, step->arch, layout->rules);
	if (set == NULL)
		return step_refuse(step, OUT_OF_MEMORY);
	if (!step_run_rules(step, set, caller))
		return VERDICT_REFUSED;
	/* Of mips, where no rule can name the pc. */
	if (step->arch->registers[step->arch->pc].name == NULL &&
	    evaluate(step, layout->pc, &pc))
		step_set(step, caller, step->arch->pc, pc, TRACE_NONE, "");
	bool good = looks_like_context(step, layout, caller) &&
		    (named || step_code_at(step, caller->registers.value[step->arch->pc]) ==
				      STEP_CODE);
	if (!step_check(step, CHECK_SIGNAL_CONTEXT, good, "pc %" PRIx64 ", sp %" PRIx64,
			caller->registers.value[step->arch->pc],
			caller->registers.value[step->arch->sp]))
		return step_refuse(step, "the words on the stack are no saved signal context");
	if (!interrupted_stack_is_there(step, caller))
		step_fact(step, (struct place){ 0 },
			  "the interrupted stack at %" PRIx64 " is not in the dump",
			  caller->registers.value[step->arch->sp]);
	return VERDICT_TAKEN;
}

/* Whether a layout is worth trying: by name, or without one where its context proves itself. */
static bool
fits(const struct step *step, const struct layout *layout, struct text name, bool *named)
{
	const bool big = step->walk->memory.big_endian;

	if (layout->arch != step->arch->id ||
	    (layout->order != ORDER_ANY && (layout->order == ORDER_BIG) != big))
		return false;
	*named = name.length > 0 && is_named(layout, name);
	return *named || name.length == 0;
}

/* Whether a context is on the stack that interrupted code, as a scan must know of one it finds. */
static bool
has_context_of_code(const struct step *step)
{
	struct text name;
	bool named;
	uint64_t pc;

	if (!trampoline_name(step, &name))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (fits(step, &layouts[i], name, &named) && has_marks(step, &layouts[i]) &&
		    evaluate(step, layouts[i].pc, &pc) && step_code_at(step, pc) == STEP_CODE)
			return true;
	return false;
}

bool
step_is_trampoline(const struct step *step)
{
	struct text name;
	bool named;

	if (step->callee->module == MODULE_NONE)
		return has_context_of_code(step);
	if (!trampoline_name(step, &name))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (fits(step, &layouts[i], name, &named) &&
		    (named || has_marks(step, &layouts[i])))
			return true;
	return false;
}

bool
step_is_trampoline_at(const struct step *step, uint64_t pc, uint64_t sp)
{
	const enum crash_os os = step->walk->crash->system.os;
	struct frame callee = { .module = module_map_find(&step->walk->modules, pc) };
	struct step there = *step;

	if (os != CRASH_OS_LINUX && os != CRASH_OS_ANDROID)
		return false;
	registers_set(&callee.registers, step->arch->pc, pc);
	registers_set(&callee.registers, step->arch->sp, sp);
	there.callee = &callee;
	there.inputs = callee.registers;
	return has_context_of_code(&there);
}

enum verdict_kind
method_signal_frame(struct step *step, struct frame *caller)
{
	struct text name;
	bool named;

	trampoline_name(step, &name);
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++) {
		if (!fits(step, &layouts[i], name, &named))
			continue;
		step_begin_caller(step, caller, TRUST_SIGNAL);
		caller->interrupted = true;
		enum verdict_kind kind = restore(step, &layouts[i], named, caller);
		if (kind != VERDICT_REFUSED)
			return kind;
	}
	return step_refuse(step, "the words on the stack are no saved signal context");
}
