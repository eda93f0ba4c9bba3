/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF cores: the crash that their notes, segments and memory give. Offsets are those of the
 * kernel's structures (uapi/linux/elfcore.h, asm/ptrace.h), counted by hand. */
#include "crash/crash.h"
#include "dump/dump.h"
#include "dump/minidump_internal.h"
#include "tests/lib/corefile.h"
#include "tests/lib/tap.h"

#define PRSTATUS 1u
#define FPREGSET 2u
#define PRPSINFO 3u
#define AUXV 6u
#define SIGINFO 0x53494749u
#define FILES 0x46494c45u
#define PAGE 0x1000u

static struct corefile core;
static struct crash crash;

static void
begin(uint16_t machine, bool wide, bool big_endian)
{
	memset(&core, 0, sizeof(core));
	core.machine = machine;
	core.wide = wide;
	core.big_endian = big_endian;
}

static enum error_code
open_core(void)
{
	struct error error = { 0 };

	corefile_finish(&core);
	return dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
}

struct stored {
	const char *label;
	size_t offset;
};

/* Add a thread; each register of `fields` has the value 0x10000 plus its offset. */
static void
add_thread(uint32_t id, uint16_t signal, size_t size, const struct stored *fields)
{
	const unsigned word = corefile_word(&core);
	uint8_t status[512] = { 0 };

	corefile_put(&core, status, 12, 2, signal);
	corefile_put(&core, status, word == 8 ? 32 : 24, 4, id);
	for (; fields->label != NULL; fields++)
		corefile_put(&core, status, fields->offset, size >= 296 ? 8 : word, 0x10000 + fields->offset);
	corefile_note(&core, "CORE", PRSTATUS, status, size);
}

/* Status of each processor: the register's index times the word size, after 112 or 72 bytes. */
static const struct machine {
	const char *name;
	uint16_t machine;
	bool wide, big_endian;
	size_t size;
	struct stored fields[5];
} machines[] = {
	{ "amd64", 62, true, false, 336, { { "rip", 112 + 16 * 8 }, { "rsp", 112 + 19 * 8 }, { "rbx", 112 + 5 * 8 }, { "r15", 112 } } },
	{ "x86", 3, false, false, 144, { { "eip", 72 + 12 * 4 }, { "esp", 72 + 15 * 4 }, { "ebx", 72 }, { "edi", 72 + 4 * 4 } } },
	{ "arm64",
	  183, true, false, 392, { { "pc", 112 + 32 * 8 }, { "sp", 112 + 31 * 8 }, { "lr", 112 + 30 * 8 }, { "x19", 112 + 19 * 8 } } },
	{ "arm", 40, false, false, 148, { { "pc", 72 + 15 * 4 }, { "sp", 72 + 13 * 4 }, { "lr", 72 + 14 * 4 }, { "r4", 72 + 4 * 4 } } },
	{ "mips", 8, false, true, 256, { { "pc", 72 + 40 * 4 }, { "sp", 72 + 35 * 4 }, { "ra", 72 + 37 * 4 } } },
	{ "mips64", 8, true, true, 480, { { "pc", 112 + 34 * 8 }, { "sp", 112 + 29 * 8 }, { "ra", 112 + 31 * 8 } } },
	/* x32 and N32: registers of 8 bytes after longs of 4. */
	{ "amd64", 62, false, false, 296, { { "rip", 72 + 16 * 8 }, { "rsp", 72 + 19 * 8 }, { "r15", 72 } } },
	{ "mips64", 8, false, true, 440, { { "pc", 72 + 34 * 8 }, { "sp", 72 + 29 * 8 }, { "ra", 72 + 31 * 8 } } },
	{ "ppc64", 21, true, true, 504, { { "srr0", 112 + 32 * 8 }, { "r1", 112 + 8 }, { "lr", 112 + 36 * 8 } } },
	{ "riscv64", 243, true, false, 376, { { "pc", 112 }, { "sp", 112 + 2 * 8 }, { "ra", 112 + 8 } } },
	{ "s390x", 22, true, true, 336, { { "pc", 112 + 8 }, { "sp", 112 + 17 * 8 } } },
};

static int
register_of(const struct arch *arch, const char *label)
{
	for (int i = 0; i < arch->register_count; i++)
		if (strcmp(arch->registers[i].label, label) == 0)
			return i;
	return ARCH_NO_REGISTER;
}

TEST_EACH(machine, machines)
{
	const struct machine *machine = &machines[i];
	begin(machine->machine, machine->wide, machine->big_endian);
	add_thread(77, 11, machine->size, machine->fields);
	add_thread(78, 11, machine->size, machine->fields);
	is_u64(open_core(), ERROR_NONE, "a core of %s opens", machine->name);
	is_str(crash.system.arch->name, machine->name, "a core of %s names its machine", machine->name);
	is_u64(crash.thread_count, 2, "a core of %s has two threads", machine->name);
	is_u64(crash.threads[1].id, 78, "the second thread of a core of %s has its ID", machine->name);
	ok(crash.exception.present && crash.exception.thread_id == 77 &&
	   crash.exception.code == 11 && crash.requesting_thread == 0, "the first one got the signal");
	for (const struct stored *field = machine->fields; field->label != NULL; field++) {
		const struct crash_context *context = &crash.threads[1].context;
		const int number = register_of(crash.system.arch, field->label);

		ok(registers_known(&context->registers, number) && context->registers.value[number] == 0x10000 + field->offset &&
		   context->register_offset[number] == context->place.offset + field->offset,
		   "%s of %s is read where the kernel puts it", field->label, machine->name);
	}
	crash_free(&crash);
}

static const struct stored no_fields[] = { { NULL, 0 } };

/* Functions of s390x save general registers in floating-point registers: NT_FPREGSET, fpc first. */
TEST(s390x_floats)
{
	static const char *const labels[] = { "f0", "f1", "f2", "f7", "f8", "f15" };
	static const unsigned numbers[] = { 0, 1, 2, 7, 8, 15 };
	uint8_t floats[8 + 16 * 8] = { 0 };

	begin(22, true, true);
	add_thread(77, 11, 336, no_fields);
	add_thread(78, 11, 336, no_fields);
	for (unsigned i = 0; i < 16; i++)
		corefile_put(&core, floats, 8 + 8 * i, 8, 0xf00 + i);
	corefile_note(&core, "CORE", FPREGSET, floats, sizeof(floats));
	open_core();
	for (size_t i = 0; i < ARRAY_COUNT(labels); i++) {
		const int number = register_of(crash.system.arch, labels[i]);
		ok(registers_known(&crash.threads[1].context.registers, number) &&
		   crash.threads[1].context.registers.value[number] == 0xf00 + numbers[i],
		   "%s of s390x is read from the thread's NT_FPREGSET", labels[i]);
		ok(!registers_known(&crash.threads[0].context.registers, number), "a thread without that note has no %s", labels[i]);
	}
	crash_free(&crash);
}

TEST(signal)
{
	uint8_t signal[128] = { 0 };

	for (int wide = 0; wide < 2; wide++) {
		begin(wide ? 62 : 3, wide, false);
		add_thread(77, 11, 336, no_fields);
		corefile_put(&core, signal, 0, 4, 11);
		corefile_put(&core, signal, 8, 4, 1);
		corefile_put(&core, signal, wide ? 16 : 12, corefile_word(&core), 0x7ffe1230);
		corefile_note(&core, "CORE", SIGINFO, signal, sizeof(signal));
		/* gdb writes one for each thread; the first is that of the crash. */
		corefile_put(&core, signal, 0, 4, 5);
		corefile_note(&core, "CORE", SIGINFO, signal, sizeof(signal));
		open_core();
		is_str(crash.cause.text, "SIGSEGV / SEGV_MAPERR", "the signal and its code are named");
		is_u64(crash.reason_address, 0x7ffe1230, "the address of the signal is read");
		crash_free(&crash);
	}
	begin(62, true, false);
	add_thread(77, 6, 336, no_fields);
	memset(signal, 0, sizeof(signal));
	corefile_put(&core, signal, 0, 4, 6);
	corefile_put(&core, signal, 8, 4, 0xfffffffa);
	corefile_put(&core, signal, 16, 4, 77);
	corefile_put(&core, signal, 20, 4, 1000);
	corefile_note(&core, "CORE", SIGINFO, signal, sizeof(signal));
	open_core();
	ok(crash.cause.has_sender && crash.cause.sender_is_self &&
	   crash.cause.sender_user == 1000, "a signal that the process sent itself is recognised");
	crash_free(&crash);
	begin(62, true, false);
	add_thread(77, 0, 336, no_fields);
	open_core();
	ok(!crash.exception.present && crash.requesting_thread == 0, "a core that was asked for has no crash");
	crash_free(&crash);
}

TEST(process)
{
	uint8_t process[136] = { 0 };

	begin(62, true, false);
	add_thread(77, 11, 336, no_fields);
	add_thread(4711, 0, 336, no_fields);
	process[1] = 'R';
	corefile_put(&core, process, 24, 4, 4711);
	memcpy(process + 40, "program", 7);
	memcpy(process + 56, "./program --password x ", 23);
	corefile_note(&core, "CORE", PRPSINFO, process, sizeof(process));
	open_core();
	is_u64(crash.misc.process_id, 4711, "the process has its id");
	is_str(crash.threads[1].name, "program", "its first thread has its name");
	is_str(crash.threads[0].name, NULL, "other threads have no name");
	ok(crash.annotation_count == 2 && strcmp(crash.annotations[1].value, "./program --password x") == 0,
	   "the arguments are read without their last blank");
	crash_redact(&crash, true);
	ok(crash_redacts(&crash, &crash.annotations[1]), "the arguments are redacted");
	ok(!crash_redacts(&crash, &crash.annotations[0]), "the name of the program is not redacted");
	ok(crash_redacts_bytes(&crash, crash.annotations[1].place.offset, 8), "the bytes of the note with the arguments are redacted");
	crash_free(&crash);
}

/* A page with ELF headers: a segment of 0x3000 bytes in memory, and a build ID. */
static void
make_image(uint8_t page[PAGE])
{
	static const uint8_t id[20] = {
		0x50, 0x18, 0x47, 0x15, 0xd5, 0x8b, 0xdf, 0x8a, 0x83, 0x81, 0x19, 0xb8, 0xa3, 0x33, 0x40, 0x5b, 0x06, 0xcc, 0xc7, 0xa5
	};

	memset(page, 0, PAGE);
	memcpy(page, "\x7f" "ELF\2\1\1", 7);
	corefile_put(&core, page, 32, 8, 64);
	corefile_put(&core, page, 56, 2, 2);
	corefile_put(&core, page, 64, 4, 1);
	corefile_put(&core, page, 64 + 40, 8, 0x2f00);
	corefile_put(&core, page, 120, 4, 4);
	corefile_put(&core, page, 120 + 16, 8, 0x200);
	corefile_put(&core, page, 120 + 32, 8, 36);
	corefile_put(&core, page, 0x200, 4, 4);
	corefile_put(&core, page, 0x204, 4, 20);
	corefile_put(&core, page, 0x208, 4, 3);
	memcpy(page + 0x20c, "GNU", 4);
	memcpy(page + 0x210, id, 20);
}

/* Add the program header of a dynamic section to make_image's two. */
static void
put_dynamic(uint8_t page[PAGE], uint64_t address)
{
	corefile_put(&core, page, 56, 2, 3);
	corefile_put(&core, page, 176, 4, 2);
	corefile_put(&core, page, 176 + 16, 8, address);
}

/* DT_STRTAB, relative to the base as in memory of other linkers than glibc, and DT_SONAME. */
static void
put_soname(uint8_t page[PAGE], size_t at)
{
	corefile_put(&core, page, at, 8, 5);
	corefile_put(&core, page, at + 8, 8, 0x500);
	corefile_put(&core, page, at + 16, 8, 14);
	corefile_put(&core, page, at + 24, 8, 1);
	memcpy(page + 0x501, "libx.so", 8);
}

/* NT_FILE: start, end, offset in units of `unit`, and names. */
static void
add_files(const uint64_t (*entries)[3], const char *const *names, size_t count, uint64_t unit)
{
	uint8_t note[1024];
	size_t used = 16 + count * 24;

	corefile_put(&core, note, 0, 8, count);
	corefile_put(&core, note, 8, 8, unit);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < 3; j++)
			corefile_put(&core, note, 16 + i * 24 + j * 8, 8, j == 2 ? entries[i][j] / unit : entries[i][j]);
		memcpy(note + used, names[i], strlen(names[i]) + 1);
		used += strlen(names[i]) + 1;
	}
	corefile_note(&core, "CORE", FILES, note, used);
}

/* A module whose build ID is in its note segment number `last`, after empty ones: eight are read, linkers write one to three. */
static void
test_note_segments(size_t last, const char *expected)
{
	static const uint64_t entries[][3] = { { 0x400000, 0x402000, 0 } };
	static const char *const names[] = { "/bin/a" };
	static uint8_t image[PAGE];

	begin(62, true, false);
	make_image(image);
	memmove(image + 0x400, image + 0x200, 36);
	memset(image + 0x200, 0, 36);
	corefile_put(&core, image, 56, 2, 1 + last);
	for (size_t i = 0; i < last; i++) {
		corefile_put(&core, image, 120 + i * 56, 4, 4);
		corefile_put(&core, image, 120 + i * 56 + 16, 8, i + 1 == last ? 0x400 : 0x300);
		corefile_put(&core, image, 120 + i * 56 + 32, 8, i + 1 == last ? 36 : 0);
	}
	memset(image + 120 + last * 56, 0, 0x400 - 120 - last * 56);
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, ARRAY_COUNT(entries), 1);
	corefile_memory(&core, 0x400000, PAGE, 5, image, PAGE);
	open_core();
	is_str(crash.modules[0].debug_id, expected, "a build ID in note segment %zu", last);
	crash_free(&crash);
}

static void
test_files(uint64_t unit)
{
	static const uint64_t entries[][3] = {
		{ 0x400000, 0x401000, 0 },	{ 0x401000, 0x402000, 0x1000 }, { 0x500000, 0x501000, 0 },	{ 0x600000, 0x601000, 0 },
		{ 0x601000, 0x602000, 0x1000 }, { 0x700000, 0x701000, 0 },
	};
	static const char *const names[] = { "/bin/a", "/bin/a", "/usr/share/font", "/lib/b.so", "/lib/b.so", "/lib/b.so" };
	static uint8_t image[PAGE], font[PAGE] = "OTTO";

	begin(62, true, false);
	make_image(image);
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, ARRAY_COUNT(entries), unit);
	corefile_memory(&core, 0x400000, PAGE, 4, image, PAGE);
	corefile_memory(&core, 0x401000, PAGE, 5, NULL, 0);
	corefile_memory(&core, 0x500000, PAGE, 4, font, PAGE);
	corefile_memory(&core, 0x600000, PAGE, 4, NULL, 0);
	corefile_memory(&core, 0x601000, PAGE, 5, NULL, 0);
	/* The file is mapped a second time, for reading. */
	corefile_memory(&core, 0x700000, PAGE, 4, NULL, 0);
	open_core();
	is_u64(crash.module_count, 2, "files with code are modules, others are not");
	const struct module *module = crash.modules;
	ok(strcmp(module[0].code_file, "/bin/a") == 0 && module[0].base == 0x400000, "a module has its path and address");
	is_u64(module[0].size, 0x3000, "a module has the size from its headers");
	is_str(module[0].debug_id, "154718508BD58ADF838119B8A333405B0", "its build id is the id that dump_syms makes of it");
	is_str(module[0].code_id, "50184715d58bdf8a838119b8a333405b06ccc7a5", "the code ID of a module is its build ID");
	ok(module[1].size == 0x2000 && module[1].debug_id[0] == '\0',
	   "a module without dumped headers has the size of its mapping and no ID");
	const struct mapping *mapping = crash_mapping(&crash, 0x601234);
	ok(mapping != NULL && mapping->executable && strcmp(mapping->name, "/lib/b.so") == 0, "a mapping has its file's name");
	is_u64(crash.region_count, 2, "mappings without dumped bytes are no memory");
	crash_free(&crash);
}

/* The build ID is found by the address of the first segment, even if that segment comes after the note. */
/* A program maps a part of its file again, far away, as node.js does; in the core or not. */
TEST_BOTH(far, dumped)
{
	static const uint64_t entries[][3] = {
		{ 0x400000, 0x401000, 0 }, { 0x401000, 0x402000, 0x1000 }, { 0x7f4b00000000, 0x7f4b00001000, 0x1000 },
	};
	static const char *const names[] = { "/bin/a", "/bin/a", "/bin/a" };
	static uint8_t image[PAGE];

	begin(62, true, false);
	make_image(image);
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, ARRAY_COUNT(entries), 4096);
	corefile_memory(&core, 0x400000, PAGE, 4, image, dumped ? PAGE : 0);
	corefile_memory(&core, 0x401000, PAGE, 5, NULL, 0);
	corefile_memory(&core, 0x7f4b00000000, PAGE, 5, NULL, 0);
	open_core();
	ok(crash.module_count == 1 && crash.modules[0].size == (dumped ? 0x3000 : 0x2000),
	   "a mapping far away does not extend a module %s headers", dumped ? "with" : "without");
	ok(crash_mapping(&crash, 0x7f4b00000000) != NULL &&
	   strcmp(crash_mapping(&crash, 0x7f4b00000000)->name, "/bin/a") == 0, "the mapping has the file's name");
	crash_free(&crash);
}

TEST(note_first)
{
	static const uint64_t entries[][3] = { { 0x410000, 0x411000, 0 } };
	static const char *const names[] = { "/bin/a" };
	static uint8_t image[PAGE];
	uint8_t segment[56];

	begin(62, true, false);
	make_image(image);
	corefile_put(&core, image, 64 + 16, 8, 0x10000);
	corefile_put(&core, image, 120 + 16, 8, 0x10200);
	memcpy(segment, image + 64, sizeof(segment));
	memcpy(image + 64, image + 120, sizeof(segment));
	memcpy(image + 120, segment, sizeof(segment));
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, 1, PAGE);
	corefile_memory(&core, 0x410000, PAGE, 5, image, PAGE);
	open_core();
	ok(crash.module_count == 1 && crash.modules[0].size == 0x3000 && strncmp(crash.modules[0].code_id, "50184715", 8) == 0,
	   "a note that comes before the segments is found at their address");
	crash_free(&crash);
}

/* Program headers of an unusual size, and empty notes at the end of the file. */
TEST(headers)
{
	struct error error = { 0 };

	begin(62, true, false);
	add_thread(1, 11, 336, no_fields);
	corefile_note(&core, "", 0, NULL, 0);
	corefile_memory(&core, 0x10000, PAGE, 6, NULL, 0);
	corefile_finish(&core);
	corefile_put(&core, core.bytes, 64 + 56, 4, 4);
	corefile_put(&core, core.bytes, 64 + 56 + 8, 8, core.size + PAGE);
	dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
	is_u64(crash.messages.seen[MESSAGE_TRUNCATED], 0, "empty notes at the end of a file, or past it, are not truncated");
	crash_free(&crash);
	corefile_put(&core, core.bytes, 54, 2, 57);
	dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
	is_u64(crash.messages.seen[MESSAGE_STREAM_BROKEN], 1, "a wrong size of program headers is reported");
	is_u64(crash.thread_count, 1, "program headers of a wrong size are read");
	crash_free(&crash);
}

/* lld maps a file that fits on a page once for each segment, always from its beginning. */
TEST_BOTH(small_files, dumped)
{
	static const uint64_t entries[][3] = {
		{ 0x400000, 0x401000, 0 }, { 0x401000, 0x402000, 0 }, { 0x402000, 0x403000, 0 },
		{ 0x500000, 0x501000, 0 }, { 0x501000, 0x502000, 0 }, { 0x600000, 0x601000, 0 },
	};
	static const char *const names[] = { "/bin/a", "/bin/a", "/bin/a", "/lib/b.so", "/lib/b.so", "/lib/b.so" };
	static uint8_t image[PAGE];

	begin(62, true, false);
	make_image(image);
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, ARRAY_COUNT(entries), PAGE);
	for (size_t i = 0; i < ARRAY_COUNT(entries); i++)
		corefile_memory(&core, entries[i][0], PAGE, 5, image, dumped ? PAGE : 0);
	open_core();
	is_u64(crash.module_count, 3, "a small file is one module, however often it is mapped there");
	ok(crash.modules[0].base == 0x400000 && crash.modules[0].size == 0x3000 && crash.modules[1].base == 0x500000,
	   dumped ? "small files have the size in their headers" : "small files without headers have the size of their mappings");
	crash_free(&crash);
}

/* A core from qemu: no NT_FILE, no headers; the dynamic linker's list is in the data of the program. */
static void
test_list(bool wide, bool entry)
{
	static uint8_t data[PAGE];
	uint8_t note[4 * 8] = { 0 };
	const unsigned word = wide ? 8 : 4;
	const uint64_t base = 0x700000, map = base + 0x200, second = base + 0x300;
	const struct { size_t at; uint64_t value; } words[] = {
		/* the dynamic section: DT_NEEDED, DT_DEBUG */
		{ 0x100 / word, 1 }, { 0x100 / word + 1, 21 }, { 0x100 / word + 2, 21 }, { 0x100 / word + 3, entry ? base + 0x180 : 0 },
		/* r_debug */
		{ 0x180 / word + 1, map }, { 0x180 / word + 4, 0x800000 },
		/* link_map: bias, name, dynamic, next, previous */
		{ 0x200 / word, 0x6f0000 }, { 0x200 / word + 1, base + 0x400 },
		{ 0x200 / word + 2, base + 0x100 }, { 0x200 / word + 3, second },
		{ 0x300 / word, 0x800000 }, { 0x300 / word + 1, base + 0x410 },
		{ 0x300 / word + 2, 0x801500 }, { 0x300 / word + 3, 0 }, { 0x300 / word + 4, map },
	};

	begin(wide ? 183 : 40, wide, false);
	memset(data, 0, sizeof(data));
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		corefile_put(&core, data, words[i].at * word, word, words[i].value);
	corefile_put(&core, data, 0x180, 4, 1);
	memcpy(data + 0x400, "/bin/prog", 10);
	memcpy(data + 0x410, "/lib/c.so", 10);
	add_thread(1, 11, 392, no_fields);
	/* Without the entry the list is found by AT_BASE, the linker's address in r_debug. */
	corefile_put(&core, note, 0, word, 7);
	corefile_put(&core, note, word, word, 0x800000);
	corefile_note(&core, "CORE", AUXV, note, (size_t)4 * word);
	corefile_memory(&core, 0x6f0000, 0x10000, 5, NULL, 0);
	corefile_memory(&core, base, PAGE, 6, data, PAGE);
	corefile_memory(&core, 0x800000, PAGE, 5, NULL, 0);
	corefile_memory(&core, 0x801000, PAGE, 6, NULL, 0);
	open_core();
	is_u64(crash.module_count, 2, "the linker's list has the modules");
	ok(crash.module_count == 2 && strcmp(crash.modules[0].code_file, "/bin/prog") == 0 && crash.modules[0].base == 0x6f0000 &&
	   crash.modules[0].size == 0x11000, "the first module extends past its dynamic section");
	ok(crash.module_count == 2 && strcmp(crash.modules[1].code_file, "/lib/c.so") == 0 &&
	   crash.modules[1].base == 0x800000 && crash.modules[1].size == 0x2000, "a module includes the mapping next to it");
	crash_free(&crash);
	/* A list that loops back to its beginning. */
	corefile_put(&core, data, 0x300 + 3 * word, word, map);
	is_u64(open_core(), ERROR_NONE, "a list without an end is followed to a limit");
	crash_free(&crash);
}

/* A list whose names are in no memory of the core, found by the program's headers: its section lies
 * in memory that may hold code, as a debugger may write it. Of one library only the end is mapped,
 * one has a soname, one a build ID, and one has nothing that leads to its file. */
TEST(nameless_list)
{
	static uint8_t head[PAGE], data[PAGE], library[PAGE], other[PAGE];
	const uint64_t base = 0x700000, map = base + 0x200, second = base + 0x300,
		       third = base + 0x400, fourth = base + 0x440, fifth = base + 0x480;
	const uint64_t vector[][2] = { { 3, 0x6f0040 }, { 0, 0 } };
	const struct { size_t at; uint64_t value; } words[] = {
		{ 0x100, 1 }, { 0x108, 21 }, { 0x110, 21 }, { 0x118, base + 0x180 }, { 0x188, map },
		{ 0x200, 0x6f0000 }, { 0x208, 0x990000 }, { 0x210, base + 0x100 }, { 0x218, second },
		{ 0x300, 0x800000 }, { 0x308, base + 0x500 }, { 0x310, 0x801500 }, { 0x318, third }, { 0x320, map },
		{ 0x400, 0x900000 }, { 0x408, 0 }, { 0x410, 0x900400 }, { 0x418, fourth }, { 0x420, second },
		{ 0x440, 0xa00000 }, { 0x448, 0x990000 }, { 0x450, 0xa00400 }, { 0x458, fifth }, { 0x460, third },
		{ 0x480, 0xb00000 }, { 0x488, 0x990000 }, { 0x490, 0xb00400 }, { 0x4a0, fourth },
	};
	uint8_t note[sizeof(vector)];

	begin(62, true, false);
	for (size_t i = 0; i < 2 * ARRAY_COUNT(vector); i++)
		corefile_put(&core, note, 8 * i, 8, vector[i / 2][i % 2]);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		corefile_put(&core, data, words[i].at, 8, words[i].value);
	corefile_put(&core, data, 0x180, 4, 1);
	memcpy(data + 0x500, "/lib/c.so", 10);
	make_image(head);
	put_dynamic(head, 0x10100);
	make_image(library);
	put_dynamic(library, 0x400);
	put_soname(library, 0x400);
	make_image(other);
	add_thread(1, 11, 336, no_fields);
	corefile_note(&core, "CORE", AUXV, note, sizeof(note));
	corefile_memory(&core, 0x6f0000, PAGE, 5, head, PAGE);
	corefile_memory(&core, base, PAGE, 7, data, PAGE);
	corefile_memory(&core, 0x801000, PAGE, 6, NULL, 0);
	corefile_memory(&core, 0x900000, PAGE, 5, library, PAGE);
	corefile_memory(&core, 0xa00000, PAGE, 5, other, PAGE);
	corefile_memory(&core, 0xb00000, PAGE, 5, NULL, 0);
	open_core();
	is_u64(crash.module_count, 4, "a list without names has its modules, if files can be found");
	if (crash.module_count == 4) {
		is_str(crash.modules[0].code_file, "[program]", "the first is the program");
		ok(crash.modules[1].base == 0x800000 && crash.modules[1].size == 0x2000,
		   "a library whose first page is missing reaches over its dynamic section");
		is_str(crash.modules[2].code_file, "libx.so", "one has its soname as name");
		is_str(crash.modules[3].code_file, "[0xa00000]", "one with an ID its address");
	}
	crash_free(&crash);
}

/* qemu's core of a static program: the auxiliary vector has the places of its headers and code. */
TEST(static)
{
	static uint8_t data[PAGE];
	const uint64_t vector[][2] = {
		{ 3, 0x400040 }, { 9, 0x400510 }, { 31, 0x7ff100 }, { 0, 0 } };
	uint8_t note[sizeof(vector)];

	begin(183, true, false);
	memcpy(data + 0x100, "/bin/alone", 11);
	for (size_t i = 0; i < 2 * ARRAY_COUNT(vector); i++)
		corefile_put(&core, note, 8 * i, 8, vector[i / 2][i % 2]);
	add_thread(1, 11, 392, no_fields);
	corefile_note(&core, "CORE", AUXV, note, sizeof(note));
	corefile_memory(&core, 0x400000, 0x70000, 5, NULL, 0);
	corefile_memory(&core, 0x470000, PAGE, 6, data, PAGE);
	corefile_memory(&core, 0x7ff000, PAGE, 6, data, PAGE);
	open_core();
	is_u64(crash.module_count, 1, "a static program is a module");
	ok(crash.module_count == 1 && strcmp(crash.modules[0].code_file, "/bin/alone") == 0 &&
	   crash.modules[0].base == 0x400000 && crash.modules[0].size == 0x71000,
	   "a module reaches from its headers to the end of adjacent mappings");
	crash_free(&crash);
}

/* The bytes of a stream are these; NULL: there is no such stream. */
static bool
has_strings(const char *name, const char *bytes, size_t size)
{
	for (size_t i = 0; i < crash.stream_count; i++) {
		const struct stream *stream = &crash.streams[i];
		if (strcmp(stream->name, name) == 0)
			return bytes != NULL && stream->size == size && memcmp(core.bytes + stream->offset, bytes, size) == 0;
	}
	return bytes == NULL;
}

/* The end of the first thread's stack, as create_elf_tables of the kernel makes it: the number of arguments, their pointers,
 * NULL, the environment's, NULL, the vector, the strings. A vector at an odd address is not the process's. */
static void
test_strings(uint16_t machine, bool wide, bool big_endian)
{
	static const char strings[] = "a b\0c\0X=1\0\0Y=\0/bin/x";
	static uint8_t stack[PAGE];
	const unsigned word = wide ? 8 : 4;
	const uint64_t base = 0x7ff000, text = base + 0xf00;
	const uint64_t words[] = { 2, text, text + 4, 0, text + 6, text + 10, text + 11, 0, 6, 4096, 31, text + 14, 0, 0 };
	static const struct {
		const char *title;
		size_t word;
		uint64_t value;
		bool arguments, rest;
	} kinds[] = {
		{ "strings whose pointers ascend", 0, 2, true, true },
		{ "an environment whose pointers do not ascend", 4, 0x7fff0b, true, false },
		{ "an environment that lies elsewhere", 4, 0x700000, true, false },
		{ "arguments whose number is another", 0, 7, false, true },
		{ "a vector that is not on the stack", 9, 8192, false, false },
		{ "a vector without a NULL before it", 7, 1, false, false },
	};
	uint8_t note[6 * 8] = { 0 };

	for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
		begin(machine, wide, big_endian);
		memset(stack, 0, sizeof(stack));
		memcpy(stack + 0xf00, strings, sizeof(strings));
		for (size_t i = 0; i < ARRAY_COUNT(words); i++)
			corefile_put(&core, stack, 0x100 + word * i, word, i == kinds[k].word ? kinds[k].value : words[i]);
		for (size_t i = 8; i < ARRAY_COUNT(words); i++)
			corefile_put(&core, note, word * (i - 8), word, words[i]);
		memcpy(stack + 0x21, note, (size_t)6 * word);
		corefile_note(&core, "CORE", AUXV, note, (size_t)6 * word);
		corefile_memory(&core, base, PAGE, 6, stack, PAGE);
		open_core();
		ok(has_strings("arguments", kinds[k].arguments ? strings : NULL, 6),
		   "%s: arguments of %u-byte words", kinds[k].title, word);
		ok(has_strings("environment", kinds[k].rest ? strings + 6 : NULL, 8),
		   "%s: environment of %u-byte words", kinds[k].title, word);
		crash_free(&crash);
	}
}

/* A core whose vector leads to the program, and whose pages have no name for it. */
TEST(program_name)
{
	static const uint64_t vector[][2] = {
		{ 3, 0x400040 }, { 9, 0x400510 }, { 31, 0x7ff100 }, { 0, 0 } };
	uint8_t note[sizeof(vector)], process[136] = { 0 };

	memcpy(process + 40, "program", 7);
	for (int named = 0; named < 2; named++)
		for (int mapped = 0; mapped < 2; mapped++) {
			begin(62, true, false);
			for (size_t i = 0; i < 2 * ARRAY_COUNT(vector); i++)
				corefile_put(&core, note, 8 * i, 8, vector[i / 2][i % 2]);
			add_thread(1, 11, 336, no_fields);
			corefile_note(&core, "CORE", AUXV, note, sizeof(note));
			if (named)
				corefile_note(&core, "CORE", PRPSINFO, process, sizeof(process));
			if (mapped)
				corefile_memory(&core, 0x400000, 2 * PAGE, 5, NULL, 0);
			open_core();
			is_u64(crash.module_count, 1, "AT_PHDR and AT_ENTRY place the program");
			if (crash.module_count != 1)
				return;
			is_str(crash.modules[0].code_file, named ? "program" : "[program]",
			       "its name is that of the process, if there is one");
			is_u64(crash.modules[0].base, 0x400000, "the program begins with the page of its headers");
			is_u64(crash.modules[0].size, mapped ? 2 * PAGE : PAGE,
			       "the program ends with its mapping or the page of the entry point");
			is_u64(crash.program.unsized, !mapped, "a size without a mapping is marked as a guess");
			is_u64(crash.program.entry, 0x400510, "the crash has the entry point");
			crash_free(&crash);
		}
}

/* An archive of Android: its head, a library in two mappings, and one without a soname. */
TEST(archive)
{
	static const uint64_t entries[][3] = {
		{ 0x700000, 0x701000, 0 },	{ 0x710000, 0x711000, 0x5000 },
		{ 0x711000, 0x713000, 0x6000 }, { 0x720000, 0x721000, 0x9000 },
	};
	static const char *const names[] = { "/data/base.apk", "/data/base.apk", "/data/base.apk", "/data/base.apk" };
	static uint8_t head[PAGE] = "PK", library[PAGE], other[PAGE];

	begin(62, true, false);
	make_image(library);
	make_image(other);
	put_dynamic(library, 0x400);
	put_soname(library, 0x400);
	add_thread(1, 11, 336, no_fields);
	add_files(entries, names, ARRAY_COUNT(entries), PAGE);
	corefile_memory(&core, 0x700000, PAGE, 4, head, PAGE);
	corefile_memory(&core, 0x710000, PAGE, 5, library, PAGE);
	corefile_memory(&core, 0x711000, 2 * PAGE, 5, NULL, 0);
	corefile_memory(&core, 0x720000, PAGE, 5, other, PAGE);
	open_core();
	is_u64(crash.module_count, 2, "each library in an archive is a module");
	if (crash.module_count == 2) {
		is_str(crash.modules[0].code_file, "/data/base.apk!libx.so",
		       "a library in an archive has the archive's path and its soname");
		ok(crash.modules[0].base == 0x710000 && crash.modules[0].size == 3 * PAGE &&
		   strncmp(crash.modules[0].code_id, "50184715", 8) == 0, "its own address, size and build ID");
		is_str(crash.modules[1].code_file, "/data/base.apk!0x9000", "a library in an archive without a soname has its offset");
	}
	crash_free(&crash);
	/* glibc writes addresses of the process. */
	corefile_put(&core, library, 0x408, 8, 0x710500);
	open_core();
	is_str(crash.module_count == 2 ? crash.modules[0].code_file : "", "/data/base.apk!libx.so",
	       "the table of names is found by its address in the process, too");
	crash_free(&crash);
}

TEST(memory)
{
	static uint8_t bytes[PAGE] = { 0xaa };
	const struct stored sp[] = { { "rsp", 112 + 19 * 8 }, { NULL, 0 } };

	begin(62, true, false);
	add_thread(1, 11, 336, sp);
	corefile_memory(&core, 0x10000, 2 * PAGE, 6, bytes, PAGE);
	core.count_elsewhere = true;
	open_core();
	const struct thread *thread = crash.threads;
	ok(thread->stack != NULL && thread->stack->base == 0x10000 && thread->stack->available == PAGE &&
	   thread->stack_size == 2 * PAGE, "the mapping of the stack pointer is the stack; only a part of it was dumped");
	is_u64(crash.mapping_count, 1, "segments are counted in section 0");
	crash_free(&crash);
	corefile_finish(&core);
	core.size -= 64 + PAGE / 2;
	struct error error = { 0 };
	dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
	ok(crash.region_count == 1 && crash.regions[0].available == PAGE / 2, "the available part of a truncated core is read");
	is_u64(crash.messages.seen[MESSAGE_TRUNCATED], 2, "messages report the truncation");
	crash_free(&crash);
}

TEST(hostile)
{
	uint8_t note[64] = { 0 };

	begin(62, true, false);
	corefile_put(&core, note, 0, 8, UINT64_C(1) << 60);
	corefile_put(&core, note, 8, 8, UINT64_MAX);
	corefile_put(&core, note, 16, 8, 1);
	corefile_put(&core, note, 24, 8, 2);
	corefile_put(&core, note, 32, 8, 3);
	corefile_note(&core, "CORE", FILES, note, sizeof(note));
	corefile_note(&core, "CORE", AUXV, note, 12);
	corefile_note(&core, "CORE", PRSTATUS, note, 20);
	corefile_note(&core, "CORE", PRPSINFO, note, 1);
	corefile_memory(&core, UINT64_MAX - 10, UINT64_MAX, 7, note, 64);
	is_u64(open_core(), ERROR_NONE, "notes that are too short or claim too much are no harm");
	is_u64(crash.module_count, 0, "notes that are too short or claim too much give no modules");
	ok(crash.messages.count > 0, "there are messages");
	crash_free(&crash);
	begin(62, true, false);
	corefile_note(&core, "CORE", PRSTATUS, note, 20);
	corefile_put(&core, core.notes, 4, 4, 0xfffffff0);
	open_core();
	is_u64(crash.thread_count, 0, "a note that extends past its segment is not read");
	is_u64(crash.messages.seen[MESSAGE_TRUNCATED], 1, "a message reports the truncated note");
	crash_free(&crash);
	struct error error = { 0 };
	is_u64(dump_from_memory(&crash, "core", core.bytes, 18, 0, &error), ERROR_NONE, "a core that ends in its header opens");
	ok(crash.messages.seen[MESSAGE_TRUNCATED] > 0, "a core that ends in its header is reported as truncated");
	crash_free(&crash);
	begin(0x1234, true, false);
	add_thread(1, 11, 336, no_fields);
	open_core();
	is_u64(crash.messages.seen[MESSAGE_UNSUPPORTED_CPU], 1, "an unknown machine is named");
	crash_free(&crash);
}

/* A core of m68k, which aligns longs to 2 bytes, and files in words of 4 or 8 bytes. */
TEST(narrow_words)
{
	static const char name[] = "/bin/a";
	uint8_t status[154] = { 0 }, note[64];

	for (unsigned word = 4; word <= 8; word += 4) {
		begin(4, false, true);
		corefile_put(&core, status, 12, 2, 11);
		corefile_put(&core, status, 22, 4, 0x7ab);
		corefile_note(&core, "CORE", PRSTATUS, status, sizeof(status));
		memset(note, 0, sizeof(note));
		corefile_put(&core, note, 0, word, 1);
		corefile_put(&core, note, word, word, PAGE);
		corefile_put(&core, note, 2 * word, word, 0x400000);
		corefile_put(&core, note, 3 * word, word, 0x401000);
		memcpy(note + 5 * word, name, sizeof(name));
		corefile_note(&core, "CORE", FILES, note, 5 * word + sizeof(name));
		corefile_memory(&core, 0x400000, PAGE, 5, NULL, 0);
		open_core();
		is_u64(crash.threads[0].id, 0x7ab, "an unknown machine has its thread");
		is_u64(crash.messages.seen[MESSAGE_TRUNCATED], 0, "an unknown machine is no damage");
		ok(crash.module_count == 1 && crash.modules[0].base == 0x400000 &&
			   strcmp(crash.modules[0].code_file, name) == 0, "files in words of %u bytes", word);
		crash_free(&crash);
	}
}

/* FreeBSD has notes of its own; their NT_PRSTATUS has another structure (sys/elf_common.h). */
TEST(foreign)
{
	static const uint8_t status[224];

	begin(62, true, false);
	corefile_note(&core, "FreeBSD", PRSTATUS, status, sizeof(status));
	open_core();
	is_u64(crash.thread_count, 0, "a core of another system has no threads");
	bool said = false;
	for (size_t i = 0; i < crash.messages.count; i++)
		said |= strstr(crash.messages.messages[i].text, "core of FreeBSD") != NULL;
	ok(said, "a message names the system");
	crash_free(&crash);
}

/* Segments that share the bytes of the file; the bytes must not be read for each segment. */
TEST(shared_bytes)
{
	enum { COUNT = 8192, BYTES = 64 << 20, HEAD = 64 + (COUNT + 1) * 56 };
	uint8_t *file = calloc(1, HEAD + BYTES), *bytes = file + HEAD;
	struct error error = { 0 };

	begin(62, true, false);
	corefile_finish(&core);
	memcpy(file, core.bytes, 64);
	corefile_put(&core, file, 56, 2, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *segment = file + 64 + i * 56;
		const uint64_t values[] = { HEAD, (i + 1) << 24, 0, BYTES, BYTES };

		corefile_put(&core, segment, 0, 4, 1);
		corefile_put(&core, segment, 4, 4, 6);
		for (size_t j = 0; j < ARRAY_COUNT(values); j++)
			corefile_put(&core, segment, 8 + j * 8, 8, values[j]);
	}
	for (size_t i = 0; i < BYTES; i += 16) {
		corefile_put(&core, bytes, i, 8, 21);
		corefile_put(&core, bytes, i + 8, 8, 1 << 24);
	}
	tap_bound_work(120);
	is_u64(dump_from_memory(&crash, "core", file, HEAD + BYTES, 0, &error), ERROR_NONE,
	       "a core whose segments are all the same bytes opens");
	is_u64(crash.region_count, COUNT, "a core whose segments are all the same bytes has all segments");
	crash_free(&crash);
	free(file);
}

/* The size of a core, by its first bytes: as much is read from a pipe. */
TEST(extent)
{
	static uint8_t bytes[64];

	for (unsigned kind = 0; kind < 4; kind++) {
		begin(kind < 2 ? 62 : 8, kind < 2, kind % 2 == 1);
		add_thread(77, 11, 336, no_fields);
		corefile_memory(&core, 0x1000, sizeof(bytes), 6, bytes, sizeof(bytes));
		corefile_memory(&core, 0x3000, 0x1000, 6, bytes, 32);
		corefile_finish(&core);
		is_u64(core_extent(core.bytes, core.size), core.size, "kind %u: the segments reach to the end", kind);
		const size_t head = core.wide ? 64 + 3 * 56 : 52 + 3 * 32;
		is_u64(core_extent(core.bytes, head), core.size, "kind %u: the headers say so", kind);
		ok(core_extent(core.bytes, head - 1) == UINT64_MAX && core_extent(core.bytes, core.wide ? 63 : 51) == UINT64_MAX,
		   "kind %u: without all headers nothing is known", kind);
		core.count_elsewhere = true;
		corefile_finish(&core);
		is_u64(core_extent(core.bytes, core.size), UINT64_MAX, "kind %u: nor where their number is at the end", kind);
	}
	/* gABI: a table of sections after all segments counts too. */
	begin(62, true, false);
	corefile_memory(&core, 0x1000, sizeof(bytes), 6, bytes, sizeof(bytes));
	corefile_finish(&core);
	corefile_put(&core, core.bytes, 40, 8, 0x10000);
	corefile_put(&core, core.bytes, 58, 2, 64);
	corefile_put(&core, core.bytes, 60, 2, 3);
	is_u64(core_extent(core.bytes, core.size), 0x10000 + 3 * 64, "sections count as well");
}

int
main(void)
{
	run_tests();
	test_note_segments(8, "154718508BD58ADF838119B8A333405B0");
	test_note_segments(9, "");
	test_files(4096);
	test_files(1);
	test_list(true, true);
	test_list(false, true);
	test_list(true, false);
	test_list(false, false);
	test_strings(62, true, false);
	test_strings(21, true, true);
	test_strings(3, false, false);
	return done_testing();
}
