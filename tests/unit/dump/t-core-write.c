/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF cores that are written, and minidumps made from cores: read again, they have the registers,
 * the signal and the memory of the original crash, on each architecture. */
#include "crash/memory.h"
#include "dump/core.h"
#include "dump/dump.h"
#include "dump/write/write.h"
#include "tests/lib/tap.h"

#define THREADS 3u
#define MANY 70000u

static struct thread threads[THREADS];
static struct memory_run runs[MANY];
static struct module modules[1];
static const uint8_t bytes[16] = "sixteen bytes 16";

/* A crash of an architecture; every register of every thread has a number of its own. */
static struct crash
make_crash(enum arch_id id, bool big_endian, size_t run_count)
{
	const struct arch *arch = arch_by_id(id);
	struct crash crash = { .format = crash_formats[CRASH_MINIDUMP], .threads = threads,
			       .thread_count = THREADS, .runs = runs, .run_count = run_count, .modules = modules, .requesting_thread = 0 };

	crash.system.os = CRASH_OS_LINUX;
	crash.system.arch = arch;
	crash.reader.big_endian = big_endian;
	crash.exception = (struct crash_exception){ .present = true, .thread_id = 101, .code = 11, .flags = 1, .address = 0x1234 };
	for (size_t i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .id = 100 + (uint32_t)i };
		threads[i].context = (struct crash_context){ .present = true, .arch = arch, .layout = "none" };
		for (int j = 0; j < arch->register_count; j++)
			registers_set(&threads[i].context.registers, j, 0x1000 * (i + 1) + (uint64_t)j);
	}
	for (size_t i = 0; i < run_count; i++)
		runs[i] = (struct memory_run){ .base = 0x100000 + 0x1000 * i, .size = 16, .data = bytes };
	return crash;
}

typedef enum error_code writer(const struct crash *crash, struct arena *arena,
			       struct dump_image *image, struct error *error);

/* Write the dump and open it; false if either fails. */
static bool
write_and_open(writer *write, const struct crash *crash, struct dump_image *image, struct crash *again, uint8_t **file)
{
	struct error error = { 0 };
	struct arena arena = { 0 };
	size_t size = 0;

	*file = NULL;
	if (write(crash, &arena, image, &error) == ERROR_NONE) {
		for (size_t i = 0; i < image->count; i++)
			size += image->pieces[i].size;
		*file = malloc(size);
		size = 0;
		for (size_t i = 0; i < image->count && *file != NULL; i++) {
			if (image->pieces[i].size > 0)
				memcpy(*file + size, image->pieces[i].bytes, image->pieces[i].size);
			size += image->pieces[i].size;
		}
	}
	arena_free(&arena);
	return *file != NULL && dump_from_memory(again, "dump", *file, size, 0, &error) == ERROR_NONE;
}

/* True if the threads have the registers that make_crash gave them, the thread of the signal first.
 * Only registers of cores are compared: a minidump's context has 0 for others. */
static bool
has_registers(const struct crash *again, const struct crash *core, const struct arch *arch)
{
	static const size_t order[THREADS] = { 1, 0, 2 };
	int registers = 0;

	for (size_t i = 0; i < THREADS && again->thread_count == THREADS; i++) {
		const struct crash_context *context = &again->threads[i].context;
		if (again->threads[i].id != threads[order[i]].id)
			return false;
		for (int j = 0; j < arch->register_count; j++) {
			if (!registers_known(&context->registers, j) || !registers_known(&core->threads[i].context.registers, j))
				continue;
			registers++;
			if (context->registers.value[j] != threads[order[i]].context.registers.value[j])
				return false;
		}
	}
	return registers > 8 * (int)THREADS;
}

static void
test_written(const struct crash *again, const struct crash *core, const struct dump_image *image, const char *what)
{
	const struct arch *arch = core->system.arch;

	ok(again->system.arch == arch && has_registers(again, core, arch),
	   "%s, %s: the threads have their registers, the one of the signal first", arch->name, what);
	ok(again->exception.present && again->exception.thread_id == 101 && again->exception.code == 11 &&
		   again->exception.address == 0x1234, "%s, %s: the signal is the crash's", arch->name, what);
	ok(again->run_count == 2 && again->runs[1].base == 0x101000 && again->runs[1].size == 16 &&
		   memcmp(again->runs[1].data, bytes, 16) == 0 && image->memory == 32,
	   "%s, %s: so is the memory", arch->name, what);
}

static void
test_architecture(enum arch_id id, bool big_endian)
{
	const struct crash crash = make_crash(id, big_endian, 2);
	const struct arch *arch = crash.system.arch;
	struct dump_image image;
	struct crash core, minidump;
	uint8_t *file, *second;

	if (!write_and_open(core_write, &crash, &image, &core, &file)) {
		ok(false, "%s: a core is written and opened", arch->name);
		free(file);
		return;
	}
	test_written(&core, &core, &image, "core");
	if (write_and_open(minidump_write_core, &core, &image, &minidump, &second)) {
		test_written(&minidump, &core, &image, "minidump of the core");
		crash_free(&minidump);
	} else {
		ok(false, "%s: a minidump is written and opened", arch->name);
	}
	crash_free(&core);
	free(second);
	free(file);
}

/* A number of segments above 65534 is in a section header (PN_XNUM, the gABI). */
TEST(many)
{
	const struct crash crash = make_crash(ARCH_AMD64, false, MANY);
	struct dump_image image;
	struct crash again;
	uint8_t *file;

	if (!write_and_open(core_write, &crash, &image, &again, &file)) {
		ok(false, "a core of many segments is written and opened");
	} else {
		is_u64(again.run_count, MANY, "all segments of %u are there", MANY);
		is_u64(again.runs[MANY - 1].base, 0x100000 + 0x1000ull * (MANY - 1), "the last segment is at its address");
		crash_free(&again);
	}
	free(file);
}

TEST(refused)
{
	struct crash crash = make_crash(ARCH_AMD64, false, 1);
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena = { 0 };

	crash.system.os = CRASH_OS_WINDOWS;
	crash.system.os_name = "Windows NT";
	is_u64(core_write(&crash, &arena, &image, &error), ERROR_FORMAT, "no core is made of Windows");
	is_u64(minidump_write_core(&crash, &arena, &image, &error), ERROR_FORMAT, "no minidump is made of a minidump");
	crash.system.os = CRASH_OS_LINUX;
	crash.format = crash_formats[CRASH_CORE];
	is_u64(core_write(&crash, &arena, &image, &error), ERROR_FORMAT, "no core is made of a core");
	arena_free(&arena);
}

/* A module without memory gets a header with its build ID; a module with memory keeps its own. */
TEST(headers)
{
	struct crash crash = make_crash(ARCH_AMD64, false, 1);
	struct dump_image image;
	struct crash again;
	uint8_t *file;

	modules[0] = (struct module){ .base = 0x400000, .size = 0x5000, .code_file = "/bin/one",
				      .code_id = "0123456789abcdef0123456789abcdef01234567",
				      .debug_file = "one", .debug_id = "", .version = "" };
	crash.module_count = 1;
	if (!write_and_open(core_write, &crash, &image, &again, &file)) {
		ok(false, "a core with a module is written and opened");
	} else {
		ok(again.module_count == 1 && again.modules[0].base == 0x400000 && again.modules[0].size == 0x5000 &&
			   strcmp(again.modules[0].code_id, modules[0].code_id) == 0 &&
			   strcmp(again.modules[0].code_file, "/bin/one") == 0, "a module has its place, name and build ID");
		ok(image.made_up > 64 && image.memory == 16, "made-up bytes are counted separately");
		crash_free(&again);
	}
	free(file);
	runs[0] = (struct memory_run){ .base = 0x400000, .size = 16, .data = bytes };
	struct arena arena = { 0 };
	struct error error = { 0 };
	core_write(&crash, &arena, &image, &error);
	is_u64(image.made_up, 0, "nothing is made up if the dump has memory");
	arena_free(&arena);
}

int
main(void)
{
	static const struct {
		enum arch_id id;
		bool big_endian;
	} rows[] = {
		{ ARCH_AMD64, false }, { ARCH_X86, false }, { ARCH_ARM64, false }, { ARCH_ARM, false },
		{ ARCH_MIPS, true }, { ARCH_MIPS64, true }, { ARCH_PPC, true }, { ARCH_PPC64, true }, { ARCH_RISCV64, false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		test_architecture(rows[i].id, rows[i].big_endian);
	run_tests();
	return done_testing();
}
