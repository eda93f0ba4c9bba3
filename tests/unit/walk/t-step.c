/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/limits.h"
#include "tests/differential/chance.h"
#include "tests/unit/walk/scene.h"

/* unwind_step is a pure function: with or without a recorder, repeated or in another order, it
 * gives the caller that the walk has. Its trace is well made. Long walks take time in proportion. */

static bool
same_registers(const struct registers *a, const struct registers *b)
{
	for (int i = 0; i < ARCH_REGISTERS; i++)
		if (((a->known | a->stale) >> i & 1) != 0 && a->value[i] != b->value[i])
			return false;
	return a->known == b->known && a->stale == b->stale;
}

static bool
same_frame(const struct frame *a, const struct frame *b)
{
	return same_registers(&a->registers, &b->registers) && a->lookup == b->lookup &&
	       a->trust == b->trust && a->method == b->method &&
	       a->interrupted == b->interrupted && a->parameters == b->parameters &&
	       a->parameters_innermost == b->parameters_innermost;
}

/* A trace of a step: one root, parents before children, values from earlier or nested events. */
static bool
is_well_made(const struct trace *trace, const struct verdict *verdict)
{
	if (trace->full || trace->count == 0 || trace->events[0].kind != EVENT_STEP ||
	    trace->events[0].parent != TRACE_NONE || trace->events[0].end != trace->count ||
	    trace->events[0].detail != verdict->kind)
		return false;
	for (uint32_t i = 1; i < trace->count; i++) {
		const struct event *event = &trace->events[i];
		if (event->parent >= i || event->end <= i ||
		    event->end > trace->events[event->parent].end || (event->from != TRACE_NONE &&
		     event->from >= (event->kind == EVENT_RULE ? event->end : i)))
			return false;
	}
	return true;
}

struct tally {
	size_t steps, wrong_plain, wrong_traced, wrong_verdict, bad_traces, unexplained;
};

/* Every register of the caller was set by an event of the successful attempt. */
static bool
is_explained(const struct trace *trace, const struct frame *caller)
{
	uint64_t set = 0;
	uint32_t attempt = trace_previous(trace, TRACE_NONE, EVENT_ATTEMPT);

	for (uint32_t i = attempt; i < trace->count; i++)
		if (trace->events[i].kind == EVENT_SET && trace->events[i].status == EVENT_OK &&
		    trace->events[i].value == caller->registers.value[trace->events[i].reg])
			set |= UINT64_C(1) << trace->events[i].reg;
	return (caller->registers.known & ~set) == 0;
}

/* Repeat the step from frame `number` in both ways and compare with the walk. */
static void
repeat(struct walk *walk, size_t number, struct tally *tally)
{
	struct frame plain, traced;
	struct verdict first, second;
	struct trace trace;
	bool last = number + 1 == walk->count;

	trace_init(&trace);
	unwind_step(walk, number, &trace, &traced, &second);
	unwind_step(walk, number, NULL, &plain, &first);
	tally->steps++;
	tally->wrong_verdict += first.kind != second.kind || first.method != second.method ||
				strcmp(first.text, second.text) != 0 || (first.kind == VERDICT_TAKEN) == last;
	tally->bad_traces += !is_well_made(&trace, &second);
	if (!last) {
		tally->wrong_plain += !same_frame(&plain, &walk->frames[number + 1]);
		tally->wrong_traced += !same_frame(&traced, &walk->frames[number + 1]);
		tally->unexplained += !is_explained(&trace, &traced);
	}
	trace_free(&trace);
}

/* Backwards, then in any order. */
static void
repeat_all(struct walk *walk, struct tally *tally)
{
	struct chance chance = chance_of(5, walk->count);

	for (size_t i = walk->count; i-- > 0;)
		repeat(walk, i, tally);
	for (size_t i = 0; i < walk->count && i < 50; i++)
		repeat(walk, chance_below(&chance, walk->count), tally);
}

static void
test_recorded(const char *kind, size_t least)
{
	const char *dump = tap_path("tests/differential/recorded/%s/crash.dmp", kind);
	const char *const paths[] = { tap_path("tests/differential/recorded/%s/symbols", kind) };
	struct error error = { 0 };
	struct crash crash;

	if (dump_open(&crash, dump, 0, &error) != ERROR_NONE) {
		ok(false, "%s can be opened: %s", dump, error.text);
		return;
	}
	for (enum policy_column column = 0; column < POLICY_COLUMNS; column++) {
		const struct policy policy = policy_column(column);
		struct symbols *store = symbols_create(crash.modules, crash.module_count, paths, 1);
		struct tally tally = { 0 };

		for (size_t thread = 0; thread < crash.thread_count; thread++) {
			struct walk *walk = walk_create(&crash, store, NULL, thread, &policy);
			walk_run(walk, 0);
			repeat_all(walk, &tally);
			walk_free(walk);
		}
		symbols_free(store);
		ok(tally.steps >= least, "%zu steps of %s are taken again", tally.steps, kind);
		is_u64(tally.wrong_plain, 0, "steps without a recorder give the walk's frames");
		is_u64(tally.wrong_traced, 0, "steps with a recorder give the walk's frames");
		is_u64(tally.wrong_verdict, 0, "steps with and without a recorder have one verdict");
		is_u64(tally.bad_traces, 0, "the traces of the steps are well made");
		is_u64(tally.unexplained, 0, "the traces show where each register came from");
	}
	crash_free(&crash);
}

/* The frames of a walk over a stack of `count` frames by frame pointers, or by records. */
static size_t
walk_deep(size_t count, bool records)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	uint64_t *stack = calloc(count + 2, 2 * sizeof(*stack));
	const uint64_t base = 0x7f0000000000;
	struct scene_module module = { 0x400000, 0x4000, "app", "FUNC 1000 100 0 f\n"
				       "STACK CFI INIT 1000 100 .cfa: $rbp 16 + .ra: .cfa -8 + ^ $rbp: .cfa -16 + ^\n" };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	uint64_t registers[ARCH_REGISTERS] = { [6] = base, [7] = base, [16] = 0x401010 };
	struct staged staged = { .walk = NULL };
	struct error error = { 0 };
	size_t size;

	for (size_t i = 0; i <= count; i++) {
		stack[2 * i] = base + (i + 1) * 16;
		stack[2 * i + 1] = i < count ? 0x401020 : 0;
	}
	synth_style(synth)->elf_ids = false;
	synth_module(synth, module.base, module.size, "app", "app", scene_id(0));
	synth_thread(synth, 1, registers, base, synth_words64(synth, stack, 2 * (count + 2)), (count + 2) * 16);
	staged.bytes = synth_finish(synth, &size);
	synth_free(synth);
	free(stack);
	if (records)
		scene_symbols(&staged, &module, 0);
	dump_from_memory(&staged.crash, "deep.dmp", staged.bytes, size, 0, &error);
	staged.symbols = symbols_create(staged.crash.modules, staged.crash.module_count, staged.path_list, staged.path_count);
	staged.walk = walk_create(&staged.crash, staged.symbols, NULL, 0, &policy);
	walk_run(staged.walk, 0);
	const size_t frames = staged.walk->count;
	scene_close(&staged);
	return frames;
}

TEST(linear)
{
	static const char *const by[] = { "frame pointers", "records" };

	for (size_t records = 0; records < 2; records++) {
		tap_bound_work(120);
		is_u64(walk_deep(200000, records != 0), 200001, "a stack of 200,001 frames by %s is walked to its end", by[records]);
	}
}

/* Frames that use no memory: only a limit ends the walk. */
TEST(endless)
{
	static const struct scene scene = SCENE(AMD64, LINUX, "rip=401010 rsp=8000", "",
		      APP("STACK CFI INIT 1000 100 .cfa: $rsp 1 + .ra: $rip\n"));
	struct policy policy = policy_column(POLICY_UNSPOOL);
	struct staged staged;

	scene_open(&staged, &scene);
	scene_walk(&staged, &policy);
	is_u64(staged.walk->count, 0x1001, "a record that moves the stack pointer alone ends where the stack does");
	policy = policy_column(POLICY_BREAKPAD);
	scene_walk(&staged, &policy);
	is_u64(staged.walk->count, LIMIT_FRAMES + 1, "the limit of frames ends a walk in Breakpad's column");
	scene_close(&staged);
}

/* Values that break careless arithmetic. */
static uint64_t
odd_value(struct chance *chance)
{
	static const uint64_t odd[] = { 0, 1, 7, 0xfff, 0x1000, 0x401010, 0x8000, 0x8ff8, 0x8fff,
					0x9000, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff,
					UINT64_C(0x7fffffffffffffff), UINT64_C(0x8000000000000000),
					UINT64_MAX - 15, UINT64_MAX - 7, UINT64_MAX };

	return odd[chance_below(chance, ARRAY_COUNT(odd))];
}

struct hostile {
	char registers[1024], memory[2048], symbols[300];
};

static void
write_hostile(struct hostile *hostile, const struct arch *arch, struct chance *chance)
{
	size_t used = 0;

	for (int reg = 0; reg < arch->register_count; reg++)
		used += (size_t)snprintf(hostile->registers + used, sizeof(hostile->registers) - used, "%s=%" PRIx64 " ",
					 arch->registers[reg].label, arch_wrap(arch, odd_value(chance)));
	used = 0;
	for (unsigned slot = 0; slot < 40; slot++)
		used += (size_t)snprintf(hostile->memory + used, sizeof(hostile->memory) - used,
					 "%x=%" PRIx64 " ", 0x8000 + slot * arch->word_size, arch_wrap(arch, odd_value(chance)));
	snprintf(hostile->symbols, sizeof(hostile->symbols), "FUNC 1000 100 0 f\n"
		 "STACK CFI INIT 1000 100 .cfa: %s 8 + .ra: .cfa -8 + ^\n"
		 "STACK WIN 0 1000 100 0 0 ffffffff ffffffff ffffffff 0 0 1\n", arch->registers[arch->sp].name);
}

/* Any frames may be found, but no walk may take long or read outside of its data. */
TEST(hostile)
{
	static const enum arch_id archs[] = { ARCH_X86, ARCH_AMD64, ARCH_ARM, ARCH_ARM64, ARCH_MIPS, ARCH_MIPS64, ARCH_PPC, ARCH_PPC64,
					      ARCH_SPARC, ARCH_RISCV, ARCH_RISCV64 };
	struct tally tally = { 0 };
	struct chance chance = chance_of(9, 9);
	size_t longest = 0;

	for (size_t i = 0; i < 400; i++) {
		const enum arch_id arch = archs[i % ARRAY_COUNT(archs)];
		struct hostile hostile;
		struct staged staged;
		const struct scene scene = {
			arch, i % 8 < 4 ? CRASH_OS_LINUX : CRASH_OS_WINDOWS,
			.registers = hostile.registers, .stack = 0x8000, .memory = hostile.memory,
			.modules = { { 0x400000, 0x4000, "app", hostile.symbols },
				     { 0xfffff000, 0x1000, "end", NULL } },
		};

		write_hostile(&hostile, arch_by_id(arch), &chance);
		scene_play(&staged, &scene, (enum policy_column)(i / 4 % POLICY_COLUMNS));
		longest = staged.walk->count > longest ? staged.walk->count : longest;
		repeat_all(staged.walk, &tally);
		scene_close(&staged);
	}
	ok(longest < 5000, "400 threads with hostile registers end soon (%zu frames)", longest);
	is_u64(tally.wrong_plain + tally.wrong_traced + tally.wrong_verdict + tally.bad_traces, 0,
	       "the %zu steps of hostile threads are as pure as others", tally.steps);
}

int
main(void)
{
	test_recorded("small-x86", 50);
	test_recorded("small-amd64", 50);
	test_recorded("small-arm64", 40);
	test_recorded("small-arm", 40);
	/* A walker without a row for a processor makes no step on it. */
	test_recorded("small-mips", 16);
	test_recorded("small-mips64", 0);
	test_recorded("small-ppc", 8);
	test_recorded("small-ppc64", 8);
	test_recorded("small-sparc", 8);
	test_recorded("small-riscv", 0);
	test_recorded("small-riscv64", 0);
	run_tests();
	return done_testing();
}
