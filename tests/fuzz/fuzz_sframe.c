/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SFrame: decoder, look-up, walk and encoder over one input.
 *
 * An input is 64 bytes of stack and registers, then a section. A walk starts in each of the first
 * functions; a section must not make it read out of bounds, loop or take long.
 */
#include <stdlib.h>

#include "sframe/sframes.h"
#include "report/file/sframe_text.h"
#include "tests/fuzz/harness.h"
#include "walk/walk.h"

#define STACK_BASE UINT64_C(0x7fff0000)
#define STACK_BYTES 64u
#define SECTION_ADDRESS UINT64_C(0x402000)
#define MOST_STARTS 8u

/* A crash whose only module has all addresses; the head of the input is its small stack. */
struct scene {
	struct crash crash;
	struct thread thread;
	struct module module;
	struct memory_region region;
};

static void
set_scene(struct scene *scene, const uint8_t *stack, const struct sframe_table *table, uint64_t pc)
{
	const struct arch *arch = sframe_arch(table->abi);
	struct registers *registers = &scene->thread.context.registers;

	*scene = (struct scene){
		.module = { .size = UINT64_MAX, .code_file = "code", .code_id = "", .debug_file = "", .debug_id = "", .version = "" },
		.region = { .base = STACK_BASE, .size = STACK_BYTES, .available = STACK_BYTES, .data = stack },
	};
	arena_init(&scene->crash.arena, 0);
	message_list_init(&scene->crash.messages, &scene->crash.arena);
	scene->crash.system = (struct crash_system){ .os = CRASH_OS_LINUX, .os_name = "Linux", .os_version = "", .cpu_name = arch->name,
						     .cpu_info = "", .arch = arch };
	scene->crash.reader.big_endian = table->reader.big_endian;
	scene->crash.threads = &scene->thread;
	scene->crash.modules = &scene->module;
	scene->crash.regions = &scene->region;
	scene->crash.thread_count = scene->crash.module_count = scene->crash.region_count = 1;
	scene->thread.context.present = true;
	scene->thread.context.arch = arch;
	registers_set(registers, arch->pc, pc);
	registers_set(registers, arch->sp, STACK_BASE);
	registers_set(registers, arch->fp, STACK_BASE + stack[0] % STACK_BYTES);
	memory_index(&scene->crash);
}

static void
walk_from(const uint8_t *data, size_t size, uint64_t pc)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct input input = { "fuzz" };
	struct sframe sframe;
	struct scene scene;

	if (sframe_open(&sframe, &(struct sframe_bytes){ &input, data + STACK_BYTES, size - STACK_BYTES, 0, SECTION_ADDRESS, NULL },
			NULL, 0, NULL) != ERROR_NONE)
		return;
	set_scene(&scene, data, &sframe.tables[0], pc);
	struct binaries *binaries = binaries_create(&scene.crash, NULL, 0);
	if (binaries == NULL)
		fuzz_fail("out of memory");
	sframes_set(binaries, 0, &sframe);
	struct walk *walk = walk_create(&scene.crash, NULL, binaries, 0, &policy);
	struct trace trace;
	struct frame caller;
	struct verdict verdict;
	walk_run(walk, 1000);
	trace_init(&trace);
	if (walk->count > 0)
		unwind_step(walk, walk->count - 1, &trace, &caller, &verdict);
	trace_free(&trace);
	walk_free(walk);
	binaries_free(binaries);
	arena_free(&scene.crash.arena);
}

static bool
count_refusal(void *context, const struct sframe_refusal *refusal)
{
	(void)refusal;
	++*(size_t *)context;
	return true;
}

/* Write a section in a version (0: its own); the bytes, or NULL, live as long as `making`. */
static const uint8_t *
write_again(struct sframe_making *making, const struct sframe *from, unsigned version, size_t *size, size_t *refused)
{
	struct sframe_table form;
	const char *why;

	*making = (struct sframe_making){ .refuse = count_refusal, .context = refused };
	*refused = 0;
	if (sframe_form_of(&form, from, version) != NULL)
		return NULL;
	sframe_writer_init(&making->writer, &form);
	return sframe_to_sframe(making, from) ? sframe_writer_finish(&making->writer, size, &why) : NULL;
}

/* Check that a written section can be read, and that writing it again gives the same bytes. */
static void
encode(const struct sframe *from, unsigned version)
{
	const struct input input = { "fuzz" };
	struct sframe_making first = { .rows = 0 }, second = { .rows = 0 };
	struct sframe again;
	size_t size, twice, refused;
	const uint8_t *made = write_again(&first, from, version, &size, &refused);

	if (made != NULL) {
		if (sframe_open(&again, &(struct sframe_bytes){ &input, made, size, 0, first.writer.form.address, NULL },
				NULL, 0, NULL) != ERROR_NONE)
			fuzz_fail("what is written of a section cannot be read");
		const uint8_t *copy = write_again(&second, &again, 0, &twice, &refused);
		if (copy == NULL || refused > 0 || twice != size || memcmp(made, copy, size) != 0)
			fuzz_fail("what is written twice differs");
		sframe_close(&again);
	}
	sframe_writer_free(&first.writer);
	sframe_writer_free(&second.writer);
}

void
fuzz_sframe(const uint8_t *data, size_t size)
{
	const struct sframe_choice choice = { .rules = true };
	const struct input input = { "fuzz" };
	struct sframe sframe;
	struct sframe_function function;

	if (size < STACK_BYTES || sframe_open(&sframe,
			&(struct sframe_bytes){ &input, data + STACK_BYTES, size - STACK_BYTES, 0, SECTION_ADDRESS, NULL },
			NULL, 0, NULL) != ERROR_NONE)
		return;
	sframe_check(&sframe);
	for (unsigned version = 0; version <= 3; version++)
		encode(&sframe, version);
	sframe_text_header(&fuzz_output, &sframe);
	FACTS_DOCUMENT(&fuzz_output, false, sframe_section, &sframe, "fuzz", &choice);
	for (size_t i = 0; i < MOST_STARTS && sframe_function(&sframe, i, &function); i++) {
		const uint64_t pc = function.address + data[i % STACK_BYTES];
		sframe_text_function(&fuzz_output, &function, true);
		sframe_text_lookup(&fuzz_output, &sframe, pc, true);
		walk_from(data, size, pc);
	}
	sframe_close(&sframe);
}
