/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/invent.h"

#include "crash/memory.h"
#include "tests/unit/walk/scene.h"

/*
 * Invented threads. Registers, words of the stack and the caller have numbers that show their origin: on 64 bits
 * register N is ca11e00N00000000 (the caller's) or 0e0f000N00000000 (the function's own), the CFA is 3f57ac0000,
 * and the words below it count up from 10ca100000000000; on 32 bits ca1N000, e0N000, 57ac0000 and 10ca1000.
 */
struct invented_rule {
	const char *title;
	enum arch_id arch;
	uint64_t base, pc;
	const char *symbols;
	/* The callers; registers and words of the stack with other values; the caller's other registers. */
	const char *text;
	const char *mappings;		/* in the order of their addresses; NULL: not compared */
};
#define RULE(title, arch, rules, text) \
	{ title, ARCH_##arch, 0x400000, 0x401008, "FUNC 1000 20 0 f\nSTACK CFI INIT 1000 20 " rules "\n", text, NULL }
#define RECORD(title, arch, record, text) { title, ARCH_##arch, 0x400000, 0x401008, "FUNC 1000 20 0 f\n" record, text, NULL }
#define AT(title, base, mappings) \
	{ title, ARCH_AMD64, base, (base) + 0x1008, "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n", \
	  "cfi ra cfa | $rsp=cfa-8 | cfa-8=ra |", mappings }

static const struct invented_rule rules[] = {
	RULE("a CFA from the stack pointer", AMD64, ".cfa: $rsp 16 + .ra: .cfa -8 + ^", "cfi ra cfa | $rsp=cfa-10 | cfa-8=ra |"),
	RULE("saved registers below a frame pointer", AMD64, ".cfa: $rbp 16 + .ra: .cfa 8 - ^ $rbp: .cfa 16 - ^ $rbx: .cfa 24 - ^",
	     "cfi ra cfa | $rbx=own3 $rbp=cfa-10 $rsp=cfa-d0 | cfa-18=$rbx cfa-10=$rbp cfa-8=ra | $rbx=$rbx $rbp=$rbp"),
	RULE("a CFA that is read from the stack", AMD64, ".cfa: $rbp -8 + ^ .ra: .cfa -8 + ^ $r12: $rbp 16 - ^",
	     "cfi ra cfa | $rbp=cfa-40 $rsp=cfa-100 $r12=own12 | cfa-50=$r12 cfa-48=cfa cfa-8=ra | $r12=$r12"),
	RULE("a CFA that is computed from a word", AMD64, ".cfa: $rbp -8 + ^ 24 + .ra: .cfa -8 + ^",
	     "cfi ra cfa | $rbp=cfa-40 $rsp=cfa-100 | cfa-48=cfa-18 cfa-8=ra |"),
	RULE("registers alone", AMD64, ".cfa: $r10 8 + .ra: $rdx 1 -", "cfi ra-1 cfa | $rdx=ra $rsp=cfa-c8 $r10=cfa-8 | |"),
	RULE("a word to which a word of the stack points", AMD64, ".cfa: $rsp 8 + ^ ^ .ra: .cfa 8 - ^",
	     "cfi ra cfa | $rsp=cfa-100 | cfa-f8=cfa cfa-8=ra cfa=cfa |"),
	RULE("a return address that is a few bytes lower", AMD64, ".cfa: $rsp 16 + .ra: .cfa 8 - ^ 4 -",
	     "cfi ra-4 cfa | $rsp=cfa-10 | cfa-8=ra |"),
	RULE("a large frame", AMD64, ".cfa: $rsp 100000 + .ra: .cfa -8 + ^", "cfi ra cfa | $rsp=cfa-186a0 | cfa-8=ra |"),
	RULE("the largest frame", AMD64, ".cfa: $rsp 262144 + .ra: .cfa -8 + ^", "cfi ra cfa | $rsp=cfa-40000 | cfa-8=ra |"),
	RULE("a frame larger than the stack", AMD64, ".cfa: $rsp 300000 + .ra: .cfa -8 + ^", "| $rsp=cfa-100 | |"),
	RULE("a CFA that nothing can move", AMD64, ".cfa: 5 .ra: .cfa -8 + ^", "| $rsp=cfa-100 | |"),
	RECORD("no record", AMD64, "", "fp ra cfa | $rbp=cfa-10 $rsp=cfa-d0 | cfa-10=cfa+40 cfa-8=ra | $rbp=cfa+40"),
	RULE("saved registers of arm64", ARM64, ".cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^ x19: .cfa -8 + ^",
	     "cfi ra cfa | x19=own19 x29=own29 x30=ra sp=cfa-20 | cfa-20=x29 cfa-18=ra cfa-8=x19 | x19=x19 x29=x29"),
	RULE("a leaf of arm", ARM, ".cfa: sp 8 + .ra: lr r4: .cfa 8 - ^", "cfi ra cfa | r4=own4 sp=cfa-8 lr=ra | cfa-8=r4 | r4=r4"),
	RULE("a return address above a word that gives the CFA", AMD64, ".cfa: $rsp ^ .ra: .cfa 16 + ^",
	     "cfi ra cfa | $rsp=cfa-100 | cfa-100=cfa cfa+10=ra |"),
	RULE("a frame of riscv64", RISCV64, ".cfa: sp 32 + .ra: .cfa -8 + ^ s0: .cfa -16 + ^",
	     "cfi ra cfa | ra=ra sp=cfa-20 s0=own8 | cfa-10=s0 cfa-8=ra | s0=s0"),
	RULE("a frame of mips", MIPS, ".cfa: $sp 96 + .ra: .cfa -8 + ^", "cfi ra-8 cfa | $sp=cfa-60 $ra=ra | cfa-8=ra |"),
	RECORD("a program", X86, "STACK WIN 4 1000 20 0 0 0 0 4 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = $ebx $T0 4 - ^ =\n",
	     "cfi ra cfa | $esp=cfa-c8 $ebp=cfa-8 $ebx=own3 | cfa-c=$ebx cfa-8=$ebp cfa-4=ra | $ebp=$ebp $ebx=$ebx"),
	RECORD("sizes", X86, "STACK WIN 0 1000 20 0 0 8 c 10 0 0 0\n", "cfi ra cfa | $esp=cfa-20 | cfa-4=ra |"),
	AT("a module below all", 0x400000,
	     "400000+4000 r-xp app, 3ca11e0000+10000 r-xp [invented caller], 3f57a80000+40100 rw-p [invented stack]"),
	AT("a module above the stack", 0x7f0000000000,
	     "3ca11e0000+10000 r-xp [invented caller], 3f57a80000+40100 rw-p [invented stack], 7f0000000000+4000 r-xp app"),
	AT("a module in place of the caller's code", 0x3ca11df000, "3ca11df000+4000 r-xp app, 3f57a80000+40100 rw-p [invented stack]"),
};

static uint64_t
read_at(const uint8_t *bytes, const struct crash *crash, uint64_t size)
{
	uint64_t value = 0;

	for (uint64_t i = 0; i < size; i++)
		value = value << 8 | bytes[crash->reader.big_endian ? i : size - 1 - i];
	return value;
}

/* A value: `ra` the return address, `cfa-8` an address of the stack, `rbx` the caller's value, `own3` the function's. */
static const char *
value_text(const struct arch *arch, uint64_t value, struct arena *arena)
{
	const bool wide = arch->word_size == 8;
	const uint64_t cfa = wide ? UINT64_C(0x3f57ac0000) : 0x57ac0000, ra = wide ? UINT64_C(0x3ca11e1000) : 0x3ca11000;

	if (value - ra + 8 <= 8)
		return value == ra ? "ra" : arena_format(arena, "ra-%" PRIx64, ra - value);
	if (value - cfa + 0x80000 < 0x100000)
		return value == cfa ? "cfa" : arena_format(arena, "cfa%s%" PRIx64, value < cfa ? "-" : "+", value < cfa ? cfa - value : value - cfa);
	for (int reg = 0; reg < arch->register_count; reg++) {
		const uint64_t number = (uint64_t)reg << (wide ? 32 : 12);

		if (value == number + (wide ? UINT64_C(0xca11e00000000000) : 0xca100000))
			return arch_spelled(arch, reg);
		if (value == number + (wide ? UINT64_C(0x0e0f000000000000) : 0x0e000000))
			return arena_format(arena, "own%d", reg);
	}
	return arena_format(arena, "%" PRIx64, value);
}

static const char *
invented_text(struct crash *crash, const struct walk *walk, struct arena *arena)
{
	const struct arch *arch = walk->arch;
	const bool wide = arch->word_size == 8;
	const struct memory_region *stack = &crash->regions[0];
	const uint64_t end = wide ? UINT64_C(0x3f57ac0000) : 0x57ac0000;
	const struct registers *registers = &crash->threads[0].context.registers;
	struct output_string text;

	output_string_init(&text, arena);
	for (size_t i = 1; i < walk->count; i++)
		output_format(&text.output, "%s %s %s ", trust_table[walk->frames[i].trust].tag,
			      value_text(arch, walk->frames[i].registers.value[arch->pc], arena),
			      value_text(arch, walk->frames[i].registers.value[arch->sp], arena));
	output_plain(&text.output, "|");
	for (int reg = 0; reg < arch->register_count; reg++) {
		const struct place place = crash_register_place(crash, &crash->threads[0].context, reg);
		const uint64_t value = registers->value[reg];
		const char *shown = value_text(arch, value, arena);

		if (strcmp(shown, arch->registers[reg].callee_saved ? arch_spelled(arch, reg) : arena_format(arena, "own%d", reg)) != 0 &&
		    reg != arch->pc)
			output_format(&text.output, " %s=%s", arch_spelled(arch, reg), shown);
		if (read_at(crash->file.data + place.offset, crash, 8) != value)
			output_plain(&text.output, "?");
	}
	output_plain(&text.output, " |");
	for (uint64_t at = 0; at + arch->word_size <= stack->size; at += arch->word_size) {
		const uint64_t address = stack->base + at, value = read_at(stack->data + at, crash, arch->word_size);
		const uint64_t usual = address >= end ? 0 : (wide ? UINT64_C(0x10ca100000000000) : 0x10ca1000) +
							    (end - address) / arch->word_size - 1;

		if (value != usual)
			output_format(&text.output, " %s=%s", value_text(arch, address, arena), value_text(arch, value, arena));
	}
	output_plain(&text.output, " |");
	/* The dump's memory begins 128 bytes below the stack pointer, and ends 256 bytes above the CFA. */
	const uint64_t sp = registers->value[arch->sp], low = sp - (end - 0x40000) < 128 ? end - 0x40000 : (sp - 128) & ~UINT64_C(15);
	ok(stack->base == low && stack->base + stack->size == end + 256 && stack->place.offset == low - (end - 0x40000),
	   "the memory is around the stack pointer and the CFA");
	for (int reg = 0; walk->count > 1 && reg < arch->register_count; reg++)
		if (registers_known(&walk->frames[1].registers, reg) && reg != arch->pc && reg != arch->sp &&
		    walk->frames[1].registers.value[reg] != registers->value[reg])
			output_format(&text.output, " %s=%s", arch_spelled(arch, reg),
				      value_text(arch, walk->frames[1].registers.value[reg], arena));
	return text.text;
}

static const char *
mappings_text(const struct crash *crash, struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	for (size_t i = 0; i < crash->mapping_count; i++)
		output_format(&string.output, "%s%" PRIx64 "+%" PRIx64 " %s %s", i > 0 ? ", " : "", crash->mappings[i].base,
			      crash->mappings[i].size, crash->mappings[i].text, crash->mappings[i].name);
	return string.text;
}

TEST_EACH(rule, rules)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct scene scene = { .arch = rules[i].arch, .os = CRASH_OS_LINUX,
				     .modules = { { rules[i].base, 0x4000, "app", rules[i].symbols } } };
	struct arena arena = { 0 };
	struct staged staged;

	scene_open(&staged, &scene);
	struct crash crash = { .system = staged.crash.system, .modules = staged.crash.modules, .module_count = 1 };
	const struct invent_options options = { .symbols = staged.symbols, .policy = &policy, .pc = rules[i].pc, .where = "f" };
	if (ok(invent_thread(&crash, &options), "%s", rules[i].title)) {
		struct walk *walk = walk_create(&crash, staged.symbols, NULL, 0, &policy);

		walk_run(walk, 0);
		is_str(invented_text(&crash, walk, &arena), rules[i].text, "%s: frames, registers and words", rules[i].title);
		walk_free(walk);
		const struct thread *thread = &crash.threads[0];
		ok(crash.requesting_thread == 0 && thread->stack == &crash.regions[0] && thread->stack_start == crash.regions[0].base &&
		   thread->stack_size == crash.regions[0].size && strcmp(crash.format, "invented") == 0 &&
		   strcmp(crash.invented, "no crash: f with invented registers and stack") == 0, "the crash has one thread");
		is_u64(crash.address_mask, rules[i].arch == ARCH_ARM64 ? UINT64_C(0xffff000000000000) : 0, "pointers of arm64 are signed");
		ok(crash.mappings[0].readable && crash.mappings[1].readable && crash.mappings[1].writable != crash.mappings[1].executable,
		   "the stack is not code");
		if (rules[i].mappings != NULL)
			is_str(mappings_text(&crash, &arena), rules[i].mappings, "%s: mappings", rules[i].title);
	}
	crash_free(&crash);
	arena_free(&arena);
	scene_close(&staged);
}

int
main(void)
{
	run_tests();
	return done_testing();
}
