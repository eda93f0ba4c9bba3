/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"
#include "dump/dump.h"
#include "crash/memory.h"
#include "dump/write/write.h"
#include "dump/write/dump_writer.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

/* A written minidump is read back: for every processor, in both byte orders, with both kinds of
 * debug identifiers. A register's value is 0x1000 plus its number. */

#define GUID_ID "5A9832E5287241C1838ED98914E9B7FF1f"
#define NB10_ID "45D35F6Ca"
#define STACK UINT64_C(0x8000)

static const struct {
	const char *title;
	enum arch_id arch;
	enum crash_os os;
	bool big_endian, old_arm64, crashpad_mips64;
} kinds[] = {
	{ "x86", ARCH_X86, CRASH_OS_WINDOWS, false, false, false }, { "amd64", ARCH_AMD64, CRASH_OS_LINUX, false, false, false },
	{ "arm", ARCH_ARM, CRASH_OS_ANDROID, false, false, false }, { "arm64", ARCH_ARM64, CRASH_OS_MAC, false, false, false },
	{ "arm64 of old", ARCH_ARM64, CRASH_OS_LINUX, false, true, false }, { "mips", ARCH_MIPS, CRASH_OS_LINUX, false, false, false },
	{ "mips64 of Crashpad", ARCH_MIPS64, CRASH_OS_LINUX, false, false, true },
	{ "big-endian mips", ARCH_MIPS, CRASH_OS_LINUX, true, false, false },
	{ "big-endian PowerPC", ARCH_PPC, CRASH_OS_MAC, true, false, false },
	{ "big-endian SPARC", ARCH_SPARC, CRASH_OS_SOLARIS, true, false, false },
	{ "RISC-V", ARCH_RISCV64, CRASH_OS_LINUX, false, false, false },
};

static uint8_t *
make_dump(size_t kind, size_t *size)
{
	struct synth *synth = synth_create(kinds[kind].arch, kinds[kind].os, kinds[kind].big_endian);
	uint64_t registers[ARCH_REGISTERS];
	uint8_t stack[64];

	for (int i = 0; i < ARCH_REGISTERS; i++)
		registers[i] = 0x1000u + (unsigned)i;
	registers[arch_by_id(kinds[kind].arch)->sp] = kinds[kind].arch == ARCH_SPARC ? STACK + 1 : STACK;
	memset(stack, 0x5a, sizeof(stack));
	synth_style(synth)->elf_ids = false;
	synth_style(synth)->old_arm64 = kinds[kind].old_arm64;
	synth_style(synth)->crashpad_mips64 = kinds[kind].crashpad_mips64;
	synth_module(synth, 0x400000, 0x1000, "/secret/place/program", "/secret/place/program.pdb", GUID_ID);
	synth_thread(synth, 7, registers, STACK, stack, sizeof(stack));
	uint8_t *bytes = synth_finish(synth, size);
	synth_free(synth);
	return bytes;
}

static void
open_dump(struct crash *crash, const char *name, const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };

	if (dump_from_memory(crash, name, bytes, size, 0, &error) == ERROR_NONE)
		return;
	tap_diag("%s: %s", name, error.text);
	exit(1);
}

static bool
has_bytes(const uint8_t *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text)) != NULL;
}

static void
compare(const char *title, const struct crash *from, const struct crash *to)
{
	const struct crash_context *one = &from->threads[0].context;
	const struct crash_context *other = &to->threads[0].context;
	const struct arch *arch = one->arch;
	int different = 0;

	for (int i = 0; i < arch->register_count; i++)
		different += registers_known(&one->registers, i) != registers_known(&other->registers, i) ||
			     one->registers.value[i] != other->registers.value[i];
	ok(other->present && other->arch == arch && different == 0, "%s: the registers come back", title);
	ok(to->system.os == from->system.os && to->system.arch == from->system.arch, "%s: so does the system", title);
	ok(to->module_count == 1 && to->modules[0].base == 0x400000 && strcmp(to->modules[0].code_file, "program") == 0,
	   "%s: a module comes back without its path", title);
	is_str(to->modules[0].debug_id, from->modules[0].debug_id, "%s: with its identity", title);
	ok(to->threads[0].id == 7 && to->threads[0].stack != NULL && to->threads[0].stack->base == STACK &&
		   to->threads[0].stack->size == 16 && memcmp(to->threads[0].stack->data, "0123456789abcdef", 16) == 0,
		   "%s: and so much of the stack as was given", title);
	ok(to->region_count == 2 && to->regions[1].base == 0x20000 && to->regions[1].size == 4,
	   "%s: other memory is a region of its own", title);
	ok(message_total(&to->messages) == 0, "%s: nothing is wrong with it", title);
}

static const char *
base_name(void *context, const char *path)
{
	(void)context;
	return place_base_name(path);
}

/* Write one thread and one module of a crash, with memory; returns the file's bytes. */
static uint8_t *
write_part(const struct crash *from, struct module *module, const struct memory_run *runs,
	   size_t run_count, struct arena *arena, size_t *size)
{
	struct thread thread = { .id = 7, .context = from->threads[0].context };
	struct crash part = { .reader.big_endian = from->reader.big_endian, .microdump = true,
			      .system = from->system, .threads = &thread, .thread_count = 1,
			      .modules = module, .module_count = 1, .requesting_thread = -1, .exception = from->exception };
	const struct minidump_choice choice = { .runs = runs, .run_count = run_count, .path = base_name };
	struct dump_image image;
	struct error error = { 0 };

	part.system.os_version = NULL;
	if (minidump_copy(&part, &choice, arena, &image, &error) != ERROR_NONE) {
		tap_diag("%s", error.text);
		return NULL;
	}
	*size = image.pieces[0].size + (size_t)image.memory;
	uint8_t *bytes = arena_alloc(arena, *size), *end = bytes;
	for (size_t i = 0; bytes != NULL && i < image.count; i++) {
		if (image.pieces[i].size > 0)
			memcpy(end, image.pieces[i].bytes, image.pieces[i].size);
		end += image.pieces[i].size;
	}
	return bytes;
}

TEST_EACH(kind, kinds)
{
	static const struct memory_region region = { 0 };
	const struct memory_run runs[] = {
		{ STACK, 16, (const uint8_t *)"0123456789abcdef", &region }, { 0x20000, 4, (const uint8_t *)"more", &region },
	};
	struct crash from, to;
	struct arena arena = { 0 };
	size_t size, written_size;

	uint8_t *bytes = make_dump(i, &size);
	open_dump(&from, "from", bytes, size);
	const uint8_t *written = write_part(&from, from.modules, runs, ARRAY_COUNT(runs), &arena, &written_size);
	ok(written != NULL, "%s: a dump is written", kinds[i].title);
	open_dump(&to, "to", written, written_size);
	compare(kinds[i].title, &from, &to);
	ok(!has_bytes(written, written_size, "secret"), "%s: no path is in it", kinds[i].title);
	crash_free(&to);
	crash_free(&from);
	free(bytes);
	arena_free(&arena);
}

/* Old debug identifiers: a timestamp and an age. */
TEST(old_identity)
{
	struct module module = { .base = 0x400000, .size = 0x1000, .code_file = "c:\\a.exe",
				 .debug_file = "c:\\a.pdb", .debug_id = NB10_ID, .code_id = "" };
	struct crash from, to;
	struct arena arena = { 0 };
	size_t size, written_size;

	uint8_t *bytes = make_dump(0, &size);
	open_dump(&from, "from", bytes, size);
	const uint8_t *written = write_part(&from, &module, NULL, 0, &arena, &written_size);
	open_dump(&to, "to", written, written_size);
	is_str(to.modules[0].debug_id, NB10_ID, "an identifier of a timestamp and an age comes back");
	is_str(to.modules[0].debug_file, "a.pdb", "with the name of its file");
	crash_free(&to);
	crash_free(&from);
	free(bytes);
	arena_free(&arena);
}

/* Processors by winnt.h, and by MD_CPU_ARCHITECTURE_... of Breakpad's minidump_format.h. */
TEST(processors)
{
	static const struct {
		const char *layout;
		unsigned processor;
	} rows[] = {
		{ "x86", 0 }, { "mips", 1 }, { "ppc", 3 }, { "arm", 5 }, { "amd64", 9 },
		{ "arm64", 12 }, { "sparc", 0x8001 }, { "ppc64", 0x8002 },
		{ CONTEXT_ARM64_OLD, 0x8003 }, { "mips64", 0x8004 }, { "riscv", 0x8005 }, { "riscv64", 0x8006 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_u64(writer_processor(context_layout_named(rows[i].layout)), rows[i].processor, "the number of %s", rows[i].layout);
	is_u64(writer_processor(core_context_layout(arch_by_id(ARCH_S390X), 8)), 0xffff, "that of s390x is unknown");
}
