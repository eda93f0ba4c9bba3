/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps larger than memory: files with holes, which need no disk. Opening one costs no more than reading its directory. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crash/memory.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

#define MEMORY_64_LIST 9u
#define DIRECTORY 32u
#define BASE UINT64_C(0x200000000)
#define GAP 4096u
/* Generous, for sanitizers; a twentieth of the size of the file, which must not be read. */
#define KILOBYTES (400L << 10)

static char path[128];

/* The address of region `index`, each of `size` bytes. */
static uint64_t
address_of(uint64_t index, uint64_t size)
{
	return BASE + index * (size + GAP);
}

/* A dump with one more directory entry at the end, for a Memory64List at the end of the file. The
 * bytes of the regions are a hole, except the last eight bytes of each of the last two regions. */
static bool
write_dump(uint64_t count, uint64_t size)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	size_t small, list_size = 16 + 16 * (size_t)count;
	uint8_t word[8];

	synth_style(synth)->unused = 1;
	registers[7] = address_of(count - 1, size) + size - 8;
	registers[16] = 0x401000;
	synth_module(synth, 0x400000, 0x10000, "c:\\a.exe", "c:\\a.pdb", NULL);
	synth_thread(synth, 1, registers, 0, NULL, 0);
	uint8_t *dump = synth_finish(synth, &small), *list = calloc(1, list_size);
	synth_free(synth);
	/* The empty entry comes first. */
	put_le(dump + DIRECTORY, MEMORY_64_LIST, 4);
	put_le(dump + DIRECTORY + 4, list_size, 4);
	put_le(dump + DIRECTORY + 8, small, 4);
	uint64_t data = small + list_size;
	put_le(word, 0x1122334455667788, 8);
	put_le(list, count, 8);
	put_le(list + 8, data, 8);
	for (uint64_t i = 0; i < count; i++) {
		put_le(list + 16 + 16 * i, address_of(i, size), 8);
		put_le(list + 24 + 16 * i, size, 8);
	}
	int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	bool good = file >= 0 && write(file, dump, small) == (ssize_t)small &&
		    write(file, list, list_size) == (ssize_t)list_size && ftruncate(file, (off_t)(data + count * size)) == 0 &&
		    pwrite(file, word, 8, (off_t)(data + count * size - 8)) == 8;
	if (file >= 0)
		close(file);
	free(list);
	free(dump);
	return good;
}

static long
kilobytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void
test_dump(const char *title, uint64_t count, uint64_t size)
{
	struct error error = { 0 };
	struct crash crash;
	struct memory_view view;
	struct arena arena = { 0 };
	struct place place = { 0 };
	uint64_t value = 0, at = address_of(count - 1, size) + size - 8;
	long before = kilobytes();

	if (!write_dump(count, size)) {
		skip(6, "the file system takes no file of %" PRIu64 " bytes", count * size);
		return;
	}
	if (!ok(dump_open(&crash, path, 0, &error) == ERROR_NONE, "%s opens", title)) {
		tap_diag("%s", error.text);
		crash_free(&crash);
		return;
	}
	/* Each thread of a walk has a view. */
	for (int i = 0; i < 200; i++)
		memory_view_thread(&view, &crash, 0, (struct memory_scope){ false, false }, &arena);
	ok(crash.file.mapped, "%s is mapped", title);
	ok(kilobytes() - before < KILOBYTES, "and no memory: %ld KiB", kilobytes() - before);
	is_u64(crash.region_count, count, "%s has all its memory", title);
	ok(memory_read(&view, at, 8, &value, &place) && value == 0x1122334455667788, "the last word is read");
	ok(place.offset == crash.file.size - 8 && place.offset > UINT32_MAX, "its offset exceeds 4 GiB");
	ok(view.stack != NULL && view.stack->base == address_of(count - 1, size), "the stack is found by its pointer");
	is_u64(message_total(&crash.messages), 0, "nothing is wrong with it");
	arena_free(&arena);
	crash_free(&crash);
}

int
main(void)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%.90s/t-large-%ld", folder != NULL ? folder : "/tmp", (long)getpid());
	if (sizeof(size_t) < 8) {
		skip(1, "a process of 32 bits cannot map 8 GiB");
		return done_testing();
	}
	test_dump("a dump with one region of 8 GiB", 1, UINT64_C(8) << 30);
	test_dump("a dump with 200,000 regions of 40 KiB", 200000, 40 << 10);
	unlink(path);
	return done_testing();
}
