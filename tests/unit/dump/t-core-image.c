/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a written ELF core, checked field by field against the gABI, core(5), elfcore.h and glibc's link.h: header, notes,
 * segments with and without bytes, the invented headers of modules, and the dynamic linker's list. For a 64-bit little-endian
 * process and a 32-bit big-endian one. */
#include "crash/memory.h"
#include "dump/minidump_internal.h"
#include "dump/dump.h"
#include "dump/write/write.h"
#include "tests/lib/tap.h"

#define PAGE 0x1000u
#define SIGNAL_THREAD 101u
#define HEAD 0x402f00u		/* address of the linker's struct r_debug */
#define DYNAMIC 0x402e00u
#define MOST 64u

/* The differences between the two processes. */
static const struct kind {
	enum arch_id arch;
	bool big_endian;
	unsigned word, machine, header, segment, entry_flags;	/* EF_MIPS_ABI_O32 for o32 */
	unsigned status, status_pid, status_registers, process, process_pid, process_name;
	unsigned signal_code, signal_address;
} kinds[] = {
	{ ARCH_AMD64, false, 8, 62, 64, 56, 0, 336, 32, 112, 136, 24, 40, 8, 16 },
	{ ARCH_MIPS, true, 4, 8, 52, 32, 0x1000, 256, 24, 72, 128, 16, 32, 4, 12 },
};

/* A program, its library, and other mapped files. */
static struct module modules[] = {
	{ .base = 0x400000, .size = 0x5000, .code_file = "/bin/one-with-a-long-name",
	  .debug_file = "", .code_id = "0123456789abcdef0123456789abcdef01234567", .debug_id = "", .version = "" },
	{ .base = 0x7f000000, .size = 0x3000, .code_file = "/lib/two.so", .debug_file = "",
	  .code_id = "00112233445566778899aabbccddeeff", .debug_id = "", .version = "" },
	{ .base = 0x7f900000, .size = 0x1000, .code_file = "/lib/no-id.so", .debug_file = "",
	  .code_id = "", .debug_id = "", .version = "" },
	/* Too small for a header of its own. */
	{ .base = 0x7f800000, .size = 0x40, .code_file = "/lib/small.so", .debug_file = "",
	  .code_id = "00112233445566778899aabbccddeeff", .debug_id = "", .version = "" },
};
static struct mapping mappings[] = {
	{ .base = 0x400000, .size = 0x2000, .readable = true, .executable = true, .name = "/bin/one" },
	{ .base = 0x402000, .size = 0x1000, .readable = true, .writable = true, .name = "/bin/one", .file_offset = 0x2000 },
	{ .base = 0x500000, .size = 0x3000, .readable = true, .writable = true, .name = "[heap]" },
	{ .base = 0x600000, .size = 0x1000, .readable = true, .name = "" },
	{ .base = 0x7f000000, .size = 0x3000, .readable = true, .executable = true, .name = "/lib/two.so", .file_offset = 0x1000 },
	{ .base = 0x7ffe0000, .size = 0x10000, .readable = true, .writable = true, .name = "[stack]" },
	{ .base = 0x7fff8000, .size = 0x1000, .executable = true, .name = "[vdso]" },
};
static uint8_t memory[0x100];
static struct memory_run runs[] = {
	{ .base = 0x401ff0, .size = 0x20, .data = memory },	/* two mappings */
	{ .base = 0x4ffff8, .size = 0x10, .data = memory + 1 },	/* none, then the heap */
	{ .base = 0x502ff8, .size = 0x10, .data = memory + 2 },	/* the heap, then none */
	{ .base = 0x7ffe1000, .size = 0x100, .data = memory },
};
static struct thread threads[3];
static uint8_t file[0x1000];
static struct stream streams[3];

/* Offsets in the bytes of the minidump. */
enum { COMMAND = 0x10, AUXV = 0x40, DEBUG = 0x80, LINKS = 0x200, NAME = 0x300, CONTEXT = 0x400 };

static const struct kind *kind;

static void
store(uint8_t *at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		at[kind->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t
load(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[kind->big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

/* MDRawDebug and two MDRawLinkMap, aligned to words of the process, then the dynamic section. */
static void
make_links(void)
{
	static const uint64_t links[2][2] = { { 0, DYNAMIC }, { 0x7f000000, 0x7f002000 } };
	const unsigned word = kind->word, entry = word == 8 ? 24 : 12, head = word == 8 ? 40 : 24;
	uint8_t *debug = file + DEBUG;

	store(debug, 4, 1);
	store(debug + 4, 4, LINKS);
	store(debug + 8, 4, 2);
	store(debug + 8 + word, word, 0x7f001234);	/* r_brk */
	store(debug + 8 + 2 * word, word, 0x7e000000);	/* r_ldbase */
	store(debug + 8 + 3 * word, word, DYNAMIC);
	store(debug + head, word, 5);			/* DT_STRTAB */
	store(debug + head + word, word, 0x777);
	store(debug + head + 2 * word, word, 21);	/* DT_DEBUG */
	store(debug + head + 3 * word, word, HEAD);
	streams[2] = (struct stream){ .type = LINUX_DSO_DEBUG, .offset = DEBUG, .size = head + 6 * word };
	for (unsigned i = 0; i < 2; i++) {
		store(file + LINKS + i * entry, word, links[i][0]);
		store(file + LINKS + i * entry + word, 4, NAME + 0x40 * i);
		store(file + LINKS + i * entry + 2 * word, word, links[i][1]);
	}
	store(file + NAME, 4, 0);
	store(file + NAME + 0x40, 4, 2 * strlen("/lib/two.so"));
	for (unsigned i = 0; i < strlen("/lib/two.so"); i++)
		store(file + NAME + 0x44 + 2 * i, 2, (uint64_t)"/lib/two.so"[i]);
}

static struct crash
make_crash(void)
{
	const struct arch *arch = arch_by_id(kind->arch);
	struct crash crash = {
		.format = crash_formats[CRASH_MINIDUMP], .threads = threads, .thread_count = 3,
		.runs = runs, .run_count = ARRAY_COUNT(runs), .modules = modules,
		.module_count = ARRAY_COUNT(modules), .mappings = mappings,
		.mapping_count = ARRAY_COUNT(mappings), .streams = streams, .stream_count = 3,
		.reader = { .data = file, .size = sizeof(file), .big_endian = kind->big_endian } };

	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i * 7 + 1);
	memset(file, 0, sizeof(file));
	memcpy(file + COMMAND, "one\0-x\0a b", 11);
	for (unsigned i = 0; i < 0x20; i++)
		file[AUXV + i] = (uint8_t)(0x80 + i);
	/* In a context of amd64 the area that FXSAVE stores begins at byte 256. */
	for (unsigned i = 0; i < 0x500; i++)
		file[CONTEXT + i] = (uint8_t)(i / 3);
	streams[0] = (struct stream){ .type = LINUX_COMMAND_LINE, .offset = COMMAND, .size = 11 };
	streams[1] = (struct stream){ .type = LINUX_AUXV, .offset = AUXV, .size = 0x20 };
	make_links();
	crash.system.os = CRASH_OS_LINUX;
	crash.system.arch = arch;
	crash.misc.has_process_id = true;
	crash.misc.process_id = 4321;
	crash.requesting_thread = 0;
	crash.exception = (struct crash_exception){ .present = true, .thread_id = SIGNAL_THREAD,
						    .code = 11, .flags = 2, .address = 0x1234 };
	for (size_t i = 0; i < ARRAY_COUNT(threads); i++) {
		threads[i] = (struct thread){ .id = 100 + (uint32_t)i };
		threads[i].context = (struct crash_context){
			.present = i < 2, .arch = arch, .plain_size = 0x400,
			.layout = i == 1 && kind->arch == ARCH_AMD64 ? "amd64" : "none",
			.place = { .offset = CONTEXT, .length = 0x400 } };
		registers_set(&threads[i].context.registers, arch->sp, 0x7ffe1000 + i);
		registers_set(&threads[i].context.registers, arch->pc, 0x401000 + i);
	}
	return crash;
}

/* Join the pieces of the image. */
static uint8_t *
join(const struct dump_image *image, size_t *size)
{
	uint8_t *bytes;

	*size = 0;
	for (size_t i = 0; i < image->count; i++)
		*size += image->pieces[i].size;
	bytes = calloc(*size + 1, 1);
	*size = 0;
	for (size_t i = 0; bytes != NULL && i < image->count; i++) {
		if (image->pieces[i].size > 0)
			memcpy(bytes + *size, image->pieces[i].bytes, image->pieces[i].size);
		*size += image->pieces[i].size;
	}
	return bytes;
}

static void
check_header(const uint8_t *at, unsigned type, uint64_t segments, unsigned count, const char *what)
{
	const unsigned word = kind->word, tail = 24 + 3 * word;
	const uint8_t ident[16] = {
		0x7f, 'E', 'L', 'F', word == 8 ? 2 : 1, kind->big_endian ? 2 : 1, 1
	};

	ok(memcmp(at, ident, 16) == 0, "%s: it is ELF of its class and order", what);
	is_u64(load(at + 16, 2), type, "%s: e_type", what);
	is_u64(load(at + 18, 2), kind->machine, "%s: e_machine", what);
	is_u64(load(at + 20, 4), 1, "%s: e_version", what);
	is_u64(load(at + 24, word), 0, "%s: e_entry", what);
	is_u64(load(at + 24 + word, word), segments, "%s: e_phoff", what);
	is_u64(load(at + 24 + 2 * word, word), 0, "%s: e_shoff", what);
	is_u64(load(at + tail, 4), kind->entry_flags, "%s: e_flags", what);
	is_u64(load(at + tail + 4, 2), kind->header, "%s: e_ehsize", what);
	is_u64(load(at + tail + 6, 2), kind->segment, "%s: e_phentsize", what);
	is_u64(load(at + tail + 8, 2), count, "%s: e_phnum", what);
	is_u64(load(at + tail + 10, 2), 0, "%s: e_shentsize", what);
	is_u64(load(at + tail + 12, 2), 0, "%s: e_shnum", what);
}

struct segment {
	uint64_t type, flags, offset, address, file_size, size, align, physical;
};

static struct segment
segment_at(const uint8_t *at)
{
	const unsigned word = kind->word, base = word == 8 ? 8 : 4;

	return (struct segment){
		.type = load(at, 4), .flags = load(at + (word == 8 ? 4 : 24), 4),
		.offset = load(at + base, word), .address = load(at + base + word, word),
		.physical = load(at + base + 2 * word, word),
		.file_size = load(at + base + 3 * word, word),
		.size = load(at + base + 4 * word, word),
		.align = load(at + kind->segment - word, word) };
}

/* The expected segments in the order of addresses: their flags (R 4, W 2, X 1), and whether they have bytes. */
static size_t
wanted_segments(struct segment wanted[MOST])
{
	const unsigned word = kind->word, two = 2 * kind->segment;
	/* The size of a build ID's note: 12 bytes, "GNU" with its NUL, the bytes of the ID. */
	const uint64_t one = two + 12 + 4 + 20, library = kind->header + two + 12 + 4 + 16;
	const struct segment list[] = {
		{ .address = 0x3ff000, .size = 2 * 5 * word, .flags = 6, .type = 1 },
		{ .address = 0x3ff000 + 2 * 5 * word, .size = 1 + 12, .flags = 6, .type = 1 },
		{ .address = 0x400000, .size = kind->header, .flags = 5, .type = 1 },
		{ .address = 0x400400, .size = one, .flags = 5, .type = 1 }, { .address = 0x401000, .size = 0xff0, .flags = 5 },
		{ .address = 0x401ff0, .size = 0x10, .flags = 5, .type = 1 },
		{ .address = 0x402000, .size = 0x10, .flags = 6, .type = 1 },
		{ .address = DYNAMIC, .size = 6 * word, .flags = 6, .type = 1 },
		{ .address = HEAD, .size = 5 * word, .flags = 6, .type = 1 }, { .address = 0x4ffff8, .size = 8, .flags = 6, .type = 1 },
		{ .address = 0x500000, .size = 8, .flags = 6, .type = 1 }, { .address = 0x502ff8, .size = 8, .flags = 6, .type = 1 },
		{ .address = 0x503000, .size = 8, .flags = 6, .type = 1 },
		{ .address = 0x7f000000, .size = kind->header, .flags = 5, .type = 1 },
		{ .address = 0x7f000000 + kind->header, .size = library - kind->header, .flags = 5, .type = 1 },
		{ .address = 0x7f000000 + library, .size = 0x3000 - library, .flags = 5 },
		{ .address = 0x7f900000, .size = kind->header, .flags = 6, .type = 1 },
		{ .address = 0x7f900000 + kind->header, .size = two, .flags = 6, .type = 1 },
		{ .address = 0x7ffe1000, .size = 0x100, .flags = 6, .type = 1 }, { .address = 0x7fff8000, .size = 0x1000, .flags = 1 },
	};

	memcpy(wanted, list, sizeof(list));
	return ARRAY_COUNT(list);
}

static void
check_segments(const uint8_t *core, size_t size)
{
	struct segment wanted[MOST];
	const size_t count = wanted_segments(wanted);
	const struct segment notes = segment_at(core + kind->header);
	uint64_t offset = kind->header + (count + 1) * kind->segment;
	unsigned wrong = 0;

	check_header(core, 4, kind->header, (unsigned)count + 1, "core");
	ok(notes.type == 4 && notes.flags == 0 && notes.offset == offset && notes.address == 0 &&
	   notes.size == 0 && notes.file_size % 4 == 0 && notes.align == 1, "the notes follow the program headers");
	offset += notes.file_size;
	for (size_t i = 0; i < count; i++) {
		const struct segment got = segment_at(core + kind->header + (i + 1) * kind->segment);
		const bool bytes = wanted[i].type == 1;
		const bool good = got.type == 1 && got.flags == wanted[i].flags &&
				  got.address == wanted[i].address && got.size == wanted[i].size &&
				  got.file_size == (bytes ? got.size : 0) && got.offset == offset &&
				  got.align == 1 && got.physical == 0;

		if (!good)
			tap_diag("segment %zu: %#llx+%#llx flags %llu file %#llx at %#llx", i, (unsigned long long)got.address,
				 (unsigned long long)got.size, (unsigned long long)got.flags, (unsigned long long)got.file_size,
				 (unsigned long long)got.offset);
		wrong += !good;
		/* The program's header has padding after it, up to its program headers. */
		offset += got.address == 0x400000 ? 0x400 : got.file_size;
	}
	is_u64(wrong, 0, "the segments are those of the memory, of what is made up and of files");
	is_u64(size, offset, "the file ends after the segments");
}

/* The bytes of the core at an address, or NULL if it has fewer than `size`. */
static const uint8_t *
at_address(const uint8_t *core, uint64_t address, uint64_t size)
{
	struct segment wanted[MOST];
	const size_t count = wanted_segments(wanted);

	for (size_t i = 0; i < count; i++) {
		const struct segment got = segment_at(core + kind->header + (i + 1) * kind->segment);

		if (address >= got.address && address - got.address < got.file_size && size <= got.file_size - (address - got.address))
			return core + got.offset + (address - got.address);
	}
	return NULL;
}

static void
is_at(const uint8_t *core, uint64_t address, const uint8_t *bytes, size_t size, const char *title)
{
	const uint8_t *got = at_address(core, address, size);

	ok(got != NULL && memcmp(got, bytes, size) == 0, "%s", title);
}

/* The build ID in the note of an invented header. */
static void
check_module(const uint8_t *core, uint64_t base, unsigned apart, const uint8_t *id,
	     unsigned id_size, uint64_t module_size, const char *what)
{
	const unsigned two = 2 * kind->segment;
	const uint8_t *head = at_address(core, base, kind->header);
	const uint8_t *rest = at_address(core, base + apart, two + 16 + id_size);

	if (!ok(head != NULL && rest != NULL, "%s: there is a header", what))
		return;
	check_header(head, 3, apart, 2, what);
	const struct segment load_segment = segment_at(rest);
	const struct segment notes = segment_at(rest + kind->segment);
	ok(load_segment.type == 1 && load_segment.flags == 5 && load_segment.offset == 0 &&
		   load_segment.address == 0 && load_segment.size == module_size &&
		   load_segment.file_size == apart + two + 16 + id_size, "%s: the module is one segment", what);
	ok(notes.type == 4 && notes.flags == 4 && notes.offset == apart + two && notes.address == apart + two &&
	   notes.size == 16 + id_size && notes.file_size == 16 + id_size, "%s: its notes follow the program headers", what);
	const uint8_t *note = rest + two;
	ok(load(note, 4) == 4 && load(note + 4, 4) == id_size && load(note + 8, 4) == 3 &&
	   memcmp(note + 12, "GNU", 4) == 0 && memcmp(note + 16, id, id_size) == 0, "%s: the note is NT_GNU_BUILD_ID", what);
}

static void
check_memory(const uint8_t *core)
{
	static const uint8_t one[20] = {
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67
	};
	static const uint8_t two[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	const unsigned word = kind->word, head = word == 8 ? 40 : 24;

	is_at(core, 0x401ff0, memory, 0x10, "the memory is the dump's");
	is_at(core, 0x402000, memory + 0x10, 0x10, "the memory after a change of permissions is the dump's");
	is_at(core, 0x4ffff8, memory + 1, 8, "the memory where nothing is mapped is the dump's");
	is_at(core, 0x500000, memory + 9, 8, "the memory at the beginning of a mapping is the dump's");
	is_at(core, 0x7ffe1000, memory, 0x100, "the memory of the last run is the dump's");
	is_at(core, DYNAMIC, file + DEBUG + head, 6 * word, "the dynamic section is the dump's");
	check_module(core, 0x400000, 0x400, one, sizeof(one), 0x5000, "program");
	check_module(core, 0x7f000000, kind->header, two, sizeof(two), 0x3000, "library");
	if (at_address(core, 0x7f900000, kind->header) != NULL)
		check_header(at_address(core, 0x7f900000, kind->header), 3, kind->header, 1, "library without build ID");
}

/* struct r_debug and struct link_map of glibc's link.h. */
static void
check_links(const uint8_t *core)
{
	const unsigned word = kind->word;
	const uint64_t list = 0x3ff000, names = list + 2 * 5 * word;
	const uint64_t links[2][5] = {
		{ 0, names, DYNAMIC, list + 5 * word, 0 }, { 0x7f000000, names + 1, 0x7f002000, 0, list },
	};
	const uint64_t state[5] = { 1, list, 0x7f001234, 0, 0x7e000000 };
	const uint8_t *got = at_address(core, HEAD, 5 * word);
	unsigned wrong = got == NULL;

	for (unsigned i = 0; got != NULL && i < 5; i++)
		wrong += load(got + i * word, i == 0 ? 4 : word) != state[i];
	is_u64(wrong, 0, "the linker's state is where DT_DEBUG says");
	got = at_address(core, list, 2 * 5 * word);
	wrong = got == NULL;
	for (unsigned i = 0; got != NULL && i < 10; i++)
		wrong += load(got + i * word, word) != links[i / 5][i % 5];
	is_u64(wrong, 0, "the list has the links in their order");
	is_at(core, names, (const uint8_t *)"\0/lib/two.so", 13, "the links have their names");
}

struct note {
	const char *owner;
	unsigned type, size;
	const uint8_t *bytes;
};

/* The notes of the core: owner, type and contents, each padded to four bytes. */
static size_t
read_notes(const uint8_t *core, struct note notes[MOST])
{
	const struct segment segment = segment_at(core + kind->header);
	const uint8_t *at = core + segment.offset, *end = at + segment.file_size;
	size_t count = 0;

	while (at + 12 <= end && count < MOST) {
		const unsigned name = (unsigned)load(at, 4), size = (unsigned)load(at + 4, 4);
		notes[count++] = (struct note){ (const char *)at + 12, (unsigned)load(at + 8, 4), size, at + 12 + (name + 3) / 4 * 4 };
		at += 12 + (name + 3) / 4 * 4 + (size + 3) / 4 * 4;
	}
	ok(at == end, "the notes fill their segment");
	return count;
}

static void
check_status(const struct note *note, size_t thread, bool signal)
{
	const uint8_t *at = note->bytes;

	is_u64(note->size, kind->status, "struct elf_prstatus has its size");
	ok(load(at, 4) == (signal ? 11 : 0) && load(at + 12, 2) == (signal ? 11 : 0), "the signal is that of the thread");
	is_u64(load(at + kind->status_pid, 4), 100 + thread, "the thread has its id");
	if (kind->arch == ARCH_AMD64)	/* struct user_regs_struct: orig_rax, rip and rsp */
		ok(load(at + 112 + 15 * 8, 8) == UINT64_MAX &&
		   load(at + 112 + 16 * 8, 8) == (thread < 2 ? 0x401000 + thread : 0) &&
		   load(at + 112 + 19 * 8, 8) == (thread < 2 ? 0x7ffe1000 + thread : 0),
		   "a thread has the registers that the dump has");
	else				/* six words, then r0 to r31, lo, hi, epc */
		ok(load(at + 72 + (6 + 29) * 4, 4) == (thread < 2 ? 0x7ffe1000 + thread : 0) &&
		   load(at + 72 + (6 + 34) * 4, 4) == (thread < 2 ? 0x401000 + thread : 0),
		   "a thread has the registers that the dump has");
}

static void
check_process(const struct note *note)
{
	const uint8_t *at = note->bytes;

	is_u64(note->size, kind->process, "struct elf_prpsinfo has its size");
	ok(at[0] == 0 && at[1] == 'R' && load(at + kind->process_pid, 4) == 4321, "the process runs and has its id");
	ok(memcmp(at + kind->process_name, "one-with-a-long", 16) == 0, "its name is that of the program, cut to 15 bytes");
	/* The kernel replaces NUL bytes by blanks, the last one too. */
	is_str((const char *)at + kind->process_name + 16, "one -x a b ", "its arguments are in one line");
}

/* NT_FILE: count and page size; for each file start, end and offset in pages; then the names. */
static void
check_files(const struct note *note)
{
	const unsigned word = kind->word;
	const uint64_t entries[] = { 3, PAGE, 0x400000, 0x402000, 0, 0x402000, 0x403000, 2, 0x7f000000, 0x7f003000, 1 };
	static const char names[] = "/bin/one\0/bin/one\0/lib/two.so";
	unsigned wrong = 0;

	is_u64(note->size, ARRAY_COUNT(entries) * word + sizeof(names), "NT_FILE has three files");
	for (unsigned i = 0; i < ARRAY_COUNT(entries); i++)
		wrong += load(note->bytes + i * word, word) != entries[i];
	ok(wrong == 0 && memcmp(note->bytes + ARRAY_COUNT(entries) * word, names, sizeof(names)) == 0,
	   "the mapped files have their places and names");
}

static void
check_notes(const uint8_t *core)
{
	static const unsigned order[] = { 1, 3, 0x53494749, 6, 0x46494c45, 2, 1, 1 };
	struct note notes[MOST];
	const size_t count = read_notes(core, notes);
	const bool floats = kind->arch == ARCH_AMD64;
	bool good = count == ARRAY_COUNT(order) - !floats;

	for (size_t i = 0, j = 0; good && j < ARRAY_COUNT(order); j++)
		if (floats || order[j] != 2)
			good = notes[i].type == order[j] && strcmp(notes[i].owner, "CORE") == 0 && ++i;
	if (!ok(good, "the notes are as the kernel orders them: of the thread with the signal first"))
		return;
	check_status(&notes[0], 1, true);
	check_process(&notes[1]);
	is_u64(notes[2].size, 128, "siginfo_t has 128 bytes");
	ok(load(notes[2].bytes, 4) == 11 && load(notes[2].bytes + kind->signal_code, 4) == 2 &&
	   load(notes[2].bytes + kind->signal_address, kind->word) == 0x1234,
	   "the note of the signal has its number, code and address");
	ok(notes[3].size == 0x20 && memcmp(notes[3].bytes, file + AUXV, 0x20) == 0, "the auxiliary vector is the dump's");
	check_files(&notes[4]);
	if (floats)
		ok(notes[5].size == 512 && memcmp(notes[5].bytes, file + CONTEXT + 256, 512) == 0,
		   "the floating point registers are what FXSAVE stored");
	check_status(&notes[5 + floats], 0, false);
	check_status(&notes[6 + floats], 2, false);
}

static void
check_image(const struct dump_image *image)
{
	const unsigned word = kind->word, two = 2 * kind->segment;

	ok(image->threads == 3 && image->modules == 4 && image->without_registers == 1 &&
	   image->has_links, "threads and modules of the core are counted");
	is_u64(image->memory, 0x20 + 0x10 + 0x10 + 0x100 + 6 * word, "the bytes of the dump are counted");
	is_u64(image->made_up, 3 * (kind->header + two) + 36 + 32 + 5 * word + 10 * word + 13, "the bytes that are made up are counted");
}

static bool
same_runs(const struct crash *a, const struct crash *b)
{
	for (size_t i = 0; i < a->run_count && i < b->run_count; i++)
		if (a->runs[i].base != b->runs[i].base || a->runs[i].size != b->runs[i].size ||
		    memcmp(a->runs[i].data, b->runs[i].data, (size_t)a->runs[i].size) != 0)
			return false;
	return a->run_count == b->run_count;
}

static bool
same_modules(const struct crash *a, const struct crash *b)
{
	for (size_t i = 0; i < a->module_count && i < b->module_count; i++)
		if (a->modules[i].base != b->modules[i].base || a->modules[i].size != b->modules[i].size ||
		    strcmp(a->modules[i].code_file, b->modules[i].code_file) != 0 ||
		    strcmp(a->modules[i].code_id, b->modules[i].code_id) != 0)
			return false;
	return a->module_count == b->module_count;
}

static bool
same_mappings(const struct crash *a, const struct crash *b)
{
	for (size_t i = 0; i < a->mapping_count && i < b->mapping_count; i++) {
		const struct mapping *one = &a->mappings[i], *other = &b->mappings[i];
		if (one->base != other->base || one->size != other->size ||
		    one->readable != other->readable || one->writable != other->writable ||
		    one->executable != other->executable ||
		    one->file_offset != other->file_offset || strcmp(one->name, other->name) != 0)
			return false;
	}
	return a->mapping_count == b->mapping_count && a->mapping_count > 0;
}

static bool
same_threads(const struct crash *core, const struct crash *copy)
{
	const struct arch *arch = core->system.arch;

	for (size_t i = 0; i < core->thread_count && i < copy->thread_count; i++) {
		const struct registers *a = &core->threads[i].context.registers;
		const struct registers *b = &copy->threads[i].context.registers;

		if (core->threads[i].id != copy->threads[i].id || a->value[arch->sp] != b->value[arch->sp] ||
		    a->value[arch->pc] != b->value[arch->pc])
			return false;
	}
	return core->thread_count == copy->thread_count && core->thread_count == 3;
}

/* Contexts of amd64 (winnt.h): flags at 48, the area that FXSAVE stores from 256 on. */
static void
check_context(const struct crash *copy, const uint8_t *bytes)
{
	const uint8_t *context = bytes + copy->threads[0].context.place.offset;
	const uint64_t flags = load(context + 48, 4);

	ok((flags & 0xfffffff0) == 0x100000 && (flags & 11) == 11,
	   "a context says that it has control, integer and floating point registers");
	ok(memcmp(context + 256, file + CONTEXT + 256, 512) == 0, "the latter are those of the core's note");
	ok((load(bytes + copy->threads[1].context.place.offset + 48, 4) & 8) == 0, "a thread without such a note has none");
}

/* The minidump that is made from the core. */
static void
test_minidump(const uint8_t *core_bytes, size_t core_size)
{
	struct crash core, copy;
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena = { 0 };
	struct reader window;
	size_t size;
	uint8_t *bytes = NULL;

	if (!ok(dump_from_memory(&core, "core", core_bytes, core_size, 0, &error) == ERROR_NONE, "the core is opened"))
		return;
	if (minidump_write_core(&core, &arena, &image, &error) == ERROR_NONE)
		bytes = join(&image, &size);
	if (ok(bytes != NULL && dump_from_memory(&copy, "copy", bytes, size, 0, &error) == ERROR_NONE, "a minidump of the core opens")) {
		ok(copy.system.arch == core.system.arch && copy.system.os == CRASH_OS_LINUX &&
		   copy.misc.has_process_id && copy.misc.process_id == 4321, "it is of the same system and process");
		ok(same_threads(&core, &copy), "its threads are the core's");
		ok(copy.exception.present && copy.exception.thread_id == SIGNAL_THREAD && copy.exception.code == 11 &&
		   copy.exception.flags == 2 && copy.exception.address == 0x1234 && copy.exception.context.present,
		   "a minidump of the core has the same signal");
		ok(same_modules(&core, &copy), "a minidump has the same modules");
		ok(same_mappings(&core, &copy), "a minidump has the same mappings");
		ok(same_runs(&core, &copy), "a minidump has the same memory");
		ok(crash_stream_bytes(&copy, LINUX_AUXV, &window) && window.size == 0x20 &&
		   memcmp(window.data, file + AUXV, 0x20) == 0, "a minidump has the same auxiliary vector");
		ok(crash_stream_bytes(&copy, LINUX_COMMAND_LINE, &window) &&
		   strncmp((const char *)window.data, "one -x a b", 10) == 0, "a minidump has the same arguments");
		if (kind->arch == ARCH_AMD64)
			check_context(&copy, bytes);
		crash_free(&copy);
	}
	free(bytes);
	arena_free(&arena);
	crash_free(&core);
}

static void
test(void)
{
	const struct crash crash = make_crash();
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena = { 0 };
	size_t size;

	if (ok(core_write(&crash, &arena, &image, &error) == ERROR_NONE, "a core of %s is written", crash.system.arch->name)) {
		uint8_t *core = join(&image, &size);
		check_image(&image);
		check_segments(core, size);
		check_memory(core);
		check_links(core);
		check_notes(core);
		test_minidump(core, size);
		free(core);
	}
	arena_free(&arena);
}

/* A dump without mappings and signal; its memory is at the place of the linker's state. */
TEST(bare)
{
	static const unsigned order[] = { 1, 3, 6, 0x46494c45, 1, 2, 1 };
	struct crash crash = make_crash();
	struct memory_run run = { .base = HEAD + 8, .size = 1, .data = memory };
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena = { 0 };
	size_t size;

	crash.mapping_count = 0;
	crash.exception.present = crash.misc.has_process_id = false;
	crash.runs = &run;
	crash.run_count = 1;
	if (!ok(core_write(&crash, &arena, &image, &error) == ERROR_NONE, "a bare core is written"))
		return;
	uint8_t *core = join(&image, &size);
	struct note notes[MOST];
	const size_t count = read_notes(core, notes);
	bool good = count == ARRAY_COUNT(order);
	for (size_t i = 0; good && i < count; i++)
		good = notes[i].type == order[i];
	ok(good, "a core without a signal has no note of a signal");
	is_u64(load(notes[0].bytes + kind->status_pid, 4), 100, "the first thread comes first");
	is_u64(load(notes[1].bytes + kind->process_pid, 4), 100, "the ID of the first thread is that of the process");
	ok(load(notes[3].bytes, 8) == 4 && load(notes[3].bytes + 16, 8) == 0x400000 && load(notes[3].bytes + 24, 8) == 0x405000 &&
	   load(notes[3].bytes + 32, 8) == 0, "modules are files that are mapped whole");
	ok(!image.has_links && image.memory == 1, "the core has no list if the dump has memory");
	const struct segment first = segment_at(core + kind->header + kind->segment);
	ok(first.address == 0x400000 && first.flags == 6, "memory of an unknown mapping can be read and written");
	free(core);
	arena_free(&arena);
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		kind = &kinds[i];
		test();
	}
	kind = &kinds[0];
	run_tests();
	return done_testing();
}
