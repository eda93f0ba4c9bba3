/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of minidumps, opened again: the copied streams have the same values as in the dump, and so has the crash, except for the
 * parts that are left out. The dumps are the bundled ones and those for which Breakpad's walks are recorded. */
#include <dirent.h>
#include <unistd.h>

#include "tests/unit/dump/described.h"

#include "base/reader.h"
#include "crash/memory.h"
#include "dump/minidump_internal.h"
#include "dump/write/write.h"
#include "dump/write/dump_writer.h"

/* A copy, its bytes and the crash that it opens as. */
struct copied {
	struct arena arena;
	struct dump_image image;
	uint8_t *bytes;
	struct crash crash;
	bool good;
};

static void
copy(struct copied *copied, const struct crash *crash, const struct minidump_choice *choice)
{
	struct error error = { 0 };
	size_t size = 0;

	*copied = (struct copied){ .bytes = NULL };
	arena_init(&copied->arena, 0);
	if (minidump_copy(crash, choice, &copied->arena, &copied->image, &error) != ERROR_NONE) {
		tap_diag("%s", error.text);
		return;
	}
	for (size_t i = 0; i < copied->image.count; i++)
		size += copied->image.pieces[i].size;
	copied->bytes = malloc(size + 1);
	size = 0;
	for (size_t i = 0; copied->bytes != NULL && i < copied->image.count; i++) {
		memcpy(copied->bytes + size, copied->image.pieces[i].bytes, copied->image.pieces[i].size);
		size += copied->image.pieces[i].size;
	}
	copied->good = copied->bytes != NULL && dump_from_memory(&copied->crash, "copy", copied->bytes, size, 0, &error) ==
			       ERROR_NONE;
}

static void
copied_free(struct copied *copied)
{
	if (copied->good)
		crash_free(&copied->crash);
	free(copied->bytes);
	arena_free(&copied->arena);
}

/* Rows that differ in a copy: offsets in the file. */
static bool
is_place(const char *path)
{
	static const char *const names[] = { "rva", "checksum", "reserved" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strstr(path, names[i]) != NULL)
			return true;
	return false;
}

/* Values that may differ in a copy: its lists of memory, and the places of stacks in them. */
static bool
is_memory(const struct told *one)
{
	return strstr(one->path, "/stack") != NULL;
}

static size_t
next_row(const struct described *told, size_t from)
{
	while (from < told->count && is_memory(&told->values[from]))
		from++;
	return from;
}

static unsigned
different_rows(const struct crash *from, const struct crash *to, uint32_t type)
{
	struct described one, other;
	unsigned different = 0;
	size_t i, j;

	described_stream(&one, from, type);
	described_stream(&other, to, type);
	for (i = next_row(&one, 0), j = next_row(&other, 0); i < one.count && j < other.count;
	     i = next_row(&one, i + 1), j = next_row(&other, j + 1)) {
		const struct told *a = &one.values[i], *b = &other.values[j];

		if (strcmp(a->path, b->path) == 0 && (is_place(a->path) ||
		     (strcmp(a->text, b->text) == 0 && strcmp(a->note, b->note) == 0)))
			continue;
		if (different++ < 4)
			tap_diag("%s = %s (%s), %s = %s (%s)", a->path, a->text, a->note, b->path, b->text, b->note);
	}
	different += i < one.count || j < other.count;
	described_free(&one);
	described_free(&other);
	return different;
}

static void
test_streams(const char *name, const struct crash *from, const struct crash *to)
{
	for (size_t i = 0; i < to->stream_count; i++) {
		const struct stream *stream = &to->streams[i];
		if (stream->type != STREAM_MEMORY && stream->type != STREAM_MEMORY64 && stream->type != LINUX_MAPS)
			is_u64(different_rows(from, to, stream->type), 0, "%s: %s says the same", name, stream->name);
	}
}

/* True if `to` has all bytes of the memory runs of `from`. */
static bool
has_memory_of(const struct crash *to, const struct crash *from)
{
	struct memory_view view;
	uint64_t value;

	memory_view_all(&view, to, NULL);
	for (size_t i = 0; i < from->run_count; i++)
		for (uint64_t at = 0; at < from->runs[i].size; at++)
			if (!memory_peek(&view, from->runs[i].base + at, 1, &value, NULL) || value != from->runs[i].data[at])
				return false;
	return true;
}

/* The copy has each thread's stack, from the first byte to the last one in the dump. */
static bool
same_stacks(const struct crash *from, const struct crash *to)
{
	for (size_t i = 0; i < from->thread_count; i++) {
		const struct memory_region *a = from->threads[i].stack, *b = to->threads[i].stack;
		if ((a == NULL || a->available == 0) != (b == NULL || b->available == 0))
			return false;
		if (a != NULL && a->available > 0 && b->base != a->base)
			return false;
	}
	return true;
}

static bool
same_mappings(const struct crash *from, const struct crash *to)
{
	for (size_t i = 0; i < from->mapping_count && i < to->mapping_count; i++) {
		const struct mapping *a = &from->mappings[i], *b = &to->mappings[i];
		if (a->base != b->base || a->size != b->size || a->readable != b->readable ||
		    a->writable != b->writable || a->executable != b->executable ||
		    a->file_offset != b->file_offset || strcmp(a->name, b->name) != 0)
			return false;
	}
	return from->mapping_count == to->mapping_count;
}

/* A list of memory has a count of 4 bytes or two numbers of 8, then an entry of 16 bytes for each run. */
static bool
same_lists(const struct copied *copied)
{
	const struct crash *to = &copied->crash;
	struct reader list;
	uint64_t runs = 0, count;
	uint32_t narrow;

	if (crash_stream_bytes(to, STREAM_MEMORY, &list)) {
		if (!reader_u32(&list, 0, &narrow) || list.size != 4 + 16 * (uint64_t)narrow)
			return false;
		runs = narrow;
	}
	if (crash_stream_bytes(to, STREAM_MEMORY64, &list)) {
		if (!reader_unsigned(&list, 0, 8, &count) || list.size != 16 + 16 * count)
			return false;
		runs += count;
	}
	return runs + 1 == copied->image.count;
}

static void
test_model(const char *name, const struct crash *from, const struct copied *copied)
{
	const struct crash *to = &copied->crash;
	uint64_t memory = 0;

	for (size_t i = 0; i < from->run_count; i++)
		memory += from->runs[i].size;
	ok(has_memory_of(to, from) && has_memory_of(from, to), "%s: the memory is the same", name);
	ok(to->thread_count == from->thread_count && same_stacks(from, to), "%s: the stacks begin where they did", name);
	ok(same_lists(copied), "%s: the lists of memory have their entries", name);
	ok(same_mappings(from, to), "%s: the mappings are the same", name);
	ok(copied->image.memory == memory && copied->image.threads == from->thread_count &&
	   copied->image.modules == from->module_count, "%s: what it has is counted", name);
	is_u64(message_total(&to->messages) > message_total(&from->messages), 0, "%s: the copy has no defects of its own", name);
}

static void
test_dump(const char *path, const char *name)
{
	struct crash crash;
	struct error error = { 0 };
	struct copied copied;

	if (!ok(dump_open(&crash, path, 0, &error) == ERROR_NONE, "%s is opened", name))
		return;
	const struct minidump_choice all = { .parts = COPY_EVERYTHING, .runs = crash.runs, .run_count = crash.run_count };
	copy(&copied, &crash, &all);
	if (ok(copied.good, "%s: its copy is opened", name)) {
		test_streams(name, &crash, &copied.crash);
		test_model(name, &crash, &copied);
	}
	copied_free(&copied);
	crash_free(&crash);
}

static void
test_folder(const char *folder)
{
	struct dirent **entries;
	const int count = scandir(tap_path("%s", folder), &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *path = tap_path("%s/%s/crash.dmp", folder, entries[i]->d_name);
		if (access(path, R_OK) == 0)
			test_dump(path, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Streams that are copied unchanged, and the part to which each belongs; COPY_PARTS: always. */
static const struct {
	uint32_t type;
	enum copy_part part;
	const char *bytes;
} plain[] = {
	{ 0x47670001, COPY_PARTS, "\3\0\0\0\1\0\0\0\2\0\0" }, { 0x47670003, COPY_SYSTEM, "processor : 0\n" },
	{ 0x47670004, COPY_SYSTEM, "Name: program\n" }, { 0x47670005, COPY_SYSTEM, "DISTRIB_ID=x\n" },
	{ 0x47670006, COPY_ARGUMENTS, "program\0-x" }, { 0x47670007, COPY_ENVIRONMENT, "HOME=/home/someone" },
	{ 0x4767000b, COPY_SYSTEM, "1 (program) S\n" }, { 0x4767000c, COPY_SYSTEM, "12.5 3.4\n" },
	{ 0x4767000d, COPY_HANDLES, "0 /dev/null\n" }, { 0x4d7a0003, COPY_SYSTEM, "Max open files 1\n" },
	{ 0x4d7a0004, COPY_ANNOTATIONS, "an error" }, { STREAM_COMMENT, COPY_ANNOTATIONS, "a comment" },
};
static const uint64_t auxv[] = { 33, 0x7fff8000, 11, 1000, 3, 0x400040, 25, 0x7ffe1000, 9, 0x401000,
				 16, 0xbfebfbff, 0, 0 };
/* The vector without the entries that describe the machine and the user. */
static const uint64_t auxv_kept[] = { 33, 0x7fff8000, 3, 0x400040, 9, 0x401000, 0, 0 };
static const char maps[] = "00400000-00402000 r-xp 00001000 08:01 77 /home/someone/program\n"
			   "7ffe0000-7fff0000 rw-p 00000000 00:00 0 [stack]\n";

#define WORKER "w\xc3\xb6rker \xf0\x9f\x98\x80\xef\xbf\xbf"

static void
open_rich(struct opened *opened)
{
	const uint64_t registers[ARCH_REGISTERS] = { 1, 2, 3, 4, 5, 6, 7, 0x7ffe1000, 9 };
	static const char rsds[] = "RSDS\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\5\0\0\0/home/someone/lib.pdb";
	uint8_t stack[0x80];
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i * 3);
	synth_module(synth, 0x400000, 0x2000, "/home/someone/program", "/home/someone/program",
		     "0102030405060708090A0B0C0D0E0F101112131415161718");
	synth_module_version(synth, 0x10002, 0x30004, 0x55667788);
	synth_module(synth, 0x500000, 0x1000, "/home/someone/lib.so", "", NULL);
	synth_module_record(synth, rsds, sizeof(rsds));
	synth_unloaded(synth, 0x600000, 0x3000, "/home/someone/gone.so", 0x11223344);
	synth_thread(synth, 1, registers, 0x7ffe1000, stack, sizeof(stack));
	synth_thread_teb(synth, 0x7ffd0000);
	synth_thread(synth, 2, registers, 0x7ffe2000, stack, sizeof(stack));
	synth_thread_name(synth, 2, "worker");
	synth_system(synth, 6, 1, 7601, "Linux 6.1 #1 SMP");
	synth_memory(synth, 0x7ffe1000, stack, sizeof(stack), false);
	synth_memory(synth, 0x7ffe2000, stack, sizeof(stack), false);
	synth_memory(synth, 0x900000, stack, 0x21, false);
	synth_exception(synth, 2, 11, 1, 0x1234);
	synth_exception_registers(synth, registers);
	synth_misc(synth, 4321, 99);
	synth_assertion(synth, "a < b", "f", "/home/someone/f.c", 7, 2);
	synth_crashpad(synth, -1, "key", "value");
	synth_address_mask(synth, 0xff00000000000000);
	for (size_t i = 0; i < ARRAY_COUNT(plain); i++)
		synth_stream(synth, plain[i].type, plain[i].bytes, strlen(plain[i].bytes) + 1);
	synth_stream(synth, LINUX_AUXV, synth_words64(synth, auxv, ARRAY_COUNT(auxv)), sizeof(auxv));
	synth_stream(synth, LINUX_MAPS, maps, strlen(maps));
	open_synth(opened, synth);
	/* U+00F6 and U+FFFF have one unit of UTF-16, U+1F600 two. */
	opened->crash.threads[1].name = WORKER;
}

static bool
has_bytes(const struct crash *crash, uint32_t type, const void *bytes, size_t size)
{
	struct reader window;

	return crash_stream_bytes(crash, type, &window) && window.size == size && memcmp(window.data, bytes, size) == 0;
}

static bool
has_words(const struct crash *crash, uint32_t type, const uint64_t *words, size_t count)
{
	struct reader window;
	size_t i = 0;

	if (!crash_stream_bytes(crash, type, &window) || window.size != count * 8)
		return false;
	while (i < count && reader_number(window.data + 8 * i, 8, false) == words[i])
		i++;
	return i == count;
}

static bool
has_stream(const struct crash *crash, uint32_t type)
{
	struct reader window;

	return crash_stream_bytes(crash, type, &window);
}

static const char *
base_name(void *context, const char *path)
{
	(void)context;
	return strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
}

static const char *
mapping_name(void *context, const struct mapping *mapping)
{
	(void)context;
	return mapping->name[0] == '[' ? mapping->name : "";
}

static unsigned
annotations_of(const struct crash *crash, const char *key)
{
	unsigned count = 0;

	for (size_t i = 0; i < crash->annotation_count; i++)
		count += strcmp(crash->annotations[i].source, "crashpad") == 0 && strcmp(crash->annotations[i].key, key) == 0;
	return count;
}

/* Data that every copy has, with any choice of parts. */
static void
test_always(const struct crash *from, const struct crash *to, const char *what)
{
	ok(to->thread_count == 2 && to->threads[0].id == 1 && to->threads[1].id == 2 && to->threads[0].teb == 0x7ffd0000 &&
	   memcmp(to->threads[1].context.registers.value, from->threads[1].context.registers.value,
		  sizeof(from->threads[1].context.registers.value)) == 0, "%s: threads have their registers", what);
	ok(to->exception.present && to->exception.thread_id == 2 && to->exception.code == 11 && to->exception.flags == 1 &&
	   to->exception.address == 0x1234 && to->exception.context.present, "%s: the exception is there", what);
	ok(to->module_count == 2 && to->modules[0].base == 0x400000 && to->modules[0].size == 0x2000 &&
	   to->modules[0].timestamp == 0x55667788 && strcmp(to->modules[0].version, from->modules[0].version) == 0 &&
	   strcmp(to->modules[0].code_id, from->modules[0].code_id) == 0 &&
	   strcmp(to->modules[1].debug_id, from->modules[1].debug_id) == 0, "%s: modules have their identities", what);
	ok(to->unloaded_count == 1 && to->unloaded[0].base == 0x600000 && to->unloaded[0].size == 0x3000 &&
	   to->unloaded[0].timestamp == 0x11223344, "%s: so has the one that was unloaded", what);
	ok(to->system.os_version != NULL && to->system.os == CRASH_OS_LINUX &&
	   strcmp(to->system.os_version, from->system.os_version) == 0 &&
	   to->system.cpu_count == from->system.cpu_count, "%s: the system is the same", what);
	ok(to->misc.has_process_id && to->misc.process_id == 4321 && to->misc.has_times &&
	   to->misc.create_time == 99, "%s: the process is the same", what);
	is_u64(to->address_mask, from->address_mask, "%s: so is the mask of addresses", what);
	ok(has_memory_of(to, from), "%s: and the memory that was given", what);
}

static void
test_part(const struct opened *opened, unsigned parts, const char *what)
{
	const struct crash *crash = &opened->crash;
	const struct minidump_choice choice = { .parts = parts, .runs = crash->runs, .run_count = crash->run_count,
						.path = base_name, .mapping = mapping_name };
	const bool system = (parts & COPY_PART(SYSTEM)) != 0;
	struct copied copied;
	unsigned wrong = 0;

	copy(&copied, crash, &choice);
	if (!ok(copied.good, "%s: the copy is opened", what)) {
		copied_free(&copied);
		return;
	}
	const struct crash *to = &copied.crash;
	test_always(crash, to, what);
	for (size_t i = 0; i < ARRAY_COUNT(plain); i++) {
		const bool kept = plain[i].part == COPY_PARTS || (parts >> plain[i].part & 1) != 0;
		wrong += kept ? !has_bytes(to, plain[i].type, plain[i].bytes, strlen(plain[i].bytes) + 1)
			      : has_stream(to, plain[i].type);
	}
	is_u64(wrong, 0, "%s: streams are there byte by byte, or not at all", what);
	ok(system ? has_words(to, LINUX_AUXV, auxv, ARRAY_COUNT(auxv))
		  : has_words(to, LINUX_AUXV, auxv_kept, ARRAY_COUNT(auxv_kept)),
	   "%s: the auxiliary vector has where things are", what);
	ok((to->threads[1].name != NULL && strcmp(to->threads[1].name, WORKER) == 0) ==
	   ((parts & COPY_PART(NAMES)) != 0) && to->threads[0].name == NULL, "%s: names of threads are chosen", what);
	is_u64(annotations_of(to, "key"), (parts & COPY_PART(ANNOTATIONS)) != 0, "%s: so are annotations", what);
	is_str(to->modules[0].code_file, "program", "%s: paths are replaced", what);
	is_str(to->modules[1].debug_file, "lib.pdb", "%s: in identities as well", what);
	is_str(to->unloaded[0].code_file, "gone.so", "%s: and of what was unloaded", what);
	ok(to->mapping_count == 2 && to->mappings[0].base == 0x400000 && to->mappings[0].size == 0x2000 &&
	   to->mappings[0].file_offset == 0x1000 && to->mappings[0].executable && !to->mappings[0].writable &&
	   to->mappings[0].name[0] == '\0' && strcmp(to->mappings[1].name, "[stack]") == 0, "%s: so are names of mappings", what);
	is_u64(message_total(&to->messages) > message_total(&crash->messages), 0, "%s: nothing is wrong with it", what);
	copied_free(&copied);
}

/* The third text of an assertion is a path. */
static void
test_assertion(const struct opened *opened)
{
	const struct minidump_choice choice = { .path = base_name };
	struct described told;
	struct copied copied;

	copy(&copied, &opened->crash, &choice);
	if (ok(copied.good, "a copy without memory is opened")) {
		described_stream(&told, &copied.crash, 0x47670002);
		is_str(described_at(&told, "expression")->text, "a < b", "an assertion is kept");
		is_str(described_at(&told, "function")->text, "f", "with its function");
		is_str(described_at(&told, "file")->text, "f.c", "and what stands for its path");
		is_str(described_at(&told, "line")->text, "7", "and its line");
		is_u64(copied.crash.run_count, 0, "no memory is there");
		described_free(&told);
	}
	copied_free(&copied);
}

TEST(parts)
{
	struct opened opened;

	open_rich(&opened);
	test_part(&opened, 0, "nothing more");
	for (int part = 0; part < COPY_PARTS; part++)
		test_part(&opened, 1u << part, copy_part_words[part].name);
	test_part(&opened, COPY_EVERYTHING, "everything");
	test_assertion(&opened);
	close_synth(&opened);
}

int
main(void)
{
	test_folder("tests/differential/recorded");
	test_folder("data/crashes");
	run_tests();
	return done_testing();
}
