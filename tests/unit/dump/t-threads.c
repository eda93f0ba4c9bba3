/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static const uint8_t stack[64] = { 0xaa, 0xbb };
static const uint64_t registers[17] = { [7] = 0x7010, [16] = 0x401000 };

TEST_BOTH(entries, big_endian)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);
	struct opened opened;

	synth_thread(synth, 0x10, registers, 0x7000, stack, sizeof(stack));
	synth_thread(synth, 0x20, NULL, 0x9000, NULL, 0x100);
	synth_thread_name(synth, 0x20, "worker");
	synth_thread_name(synth, 0x99, "nobody");
	open_synth(&opened, synth);
	const struct thread *thread = opened.crash.threads;
	is_u64(opened.crash.thread_count, 2, "all threads are there");
	ok(thread[0].id == 0x10 && thread[1].id == 0x20, "all threads have their IDs");
	is_str(thread[0].name, NULL, "a thread need not have a name");
	is_str(thread[1].name, "worker", "names are found by id");
	ok(thread[0].context.present && thread[0].context.registers.value[16] == 0x401000, "registers are read");
	ok(thread[0].stack != NULL && thread[0].stack->data[1] == 0xbb &&
	   thread[0].stack->available == 64 && thread[0].stack->base == 0x7000, "its own descriptor gives the stack");
	/* MINIDUMP_THREAD: the descriptor is 16 bytes at offset 24. */
	ok(thread[0].stack->place.offset == thread[0].place.offset + 24 &&
	   thread[0].stack->place.length == 16, "the stack has the place of its descriptor");
	ok(thread[1].stack == NULL && thread[1].stack_size == 0x100, "a stack without bytes keeps its size");
	is_u64(opened.crash.messages.seen[MESSAGE_NO_STACK], 1, "a stack without bytes is a message");
	ok(!thread[1].context.present, "a thread need not have a context");
	close_synth(&opened);
}

/* Full dumps of Windows: stacks have no offset; they are in a memory list. */
TEST(stack_by_list)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 1, registers, 0x7020, NULL, 32);
	synth_thread(synth, 2, registers, 0x20000, NULL, 32);
	synth_thread(synth, 3, registers, 0, NULL, 32);
	synth_memory(synth, 0x7000, stack, sizeof(stack), false);
	synth_memory(synth, 0x20000, stack, sizeof(stack), true);
	synth_memory(synth, 0, stack, sizeof(stack), true);
	open_synth(&opened, synth);
	const struct thread *thread = opened.crash.threads;
	ok(thread[0].stack != NULL && thread[0].stack->base == 0x7000 &&
	   !thread[0].stack->memory64, "a stack is found in the region that holds its start");
	ok(thread[1].stack != NULL && thread[1].stack->memory64, "a stack is found in the 64-bit list");
	ok(thread[2].stack == NULL, "a start of 0 is no address to look for");
	close_synth(&opened);
}

TEST(lies)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 1, registers, 0x7000, stack, sizeof(stack));
	synth_thread(synth, 1, registers, UINT64_MAX - 8, stack, sizeof(stack));
	open_synth(&opened, synth);
	uint8_t *list = stream_bytes(&opened, 3);
	ok(opened.crash.threads[1].stack == NULL, "a stack that wraps is no stack");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "a repeated id is a message");
	ok(opened.crash.requesting_thread == -1, "no thread crashed");
	list[0] = 200;
	open_again(&opened);
	is_u64(opened.crash.thread_count, 2, "those of 200 claimed entries that fit are read");
	is_u64(opened.crash.messages.seen[MESSAGE_STREAM_BROKEN], 1, "a list with too few entries gives a message");
	list[0] = 1;
	open_again(&opened);
	is_u64(opened.crash.thread_count, 1, "a list may be longer than its entries");
	is_u64(opened.crash.messages.seen[MESSAGE_STREAM_BROKEN], 1, "a list longer than its entries gives a message");
	/* Size and place of the first stack: after the end of the file. */
	memset(list + 4 + 36, 0x7f, 4);
	open_again(&opened);
	is_u64(opened.crash.threads[0].stack->available, 0, "a stack past the end has no bytes");
	is_u64(opened.crash.messages.seen[MESSAGE_TRUNCATED], 1, "a stack outside of the file is reported");
	close_synth(&opened);
}

TEST(bad_names)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 1, registers, 0, NULL, 0);
	synth_thread(synth, 2, registers, 0, NULL, 0);
	synth_thread_name(synth, 1, "one");
	synth_thread_name(synth, 2, "two");
	open_synth(&opened, synth);
	/* The high half of the 64-bit place of the first name. */
	stream_bytes(&opened, 24)[4 + 8] = 1;
	open_again(&opened);
	is_str(opened.crash.threads[0].name, NULL, "a name that lies nowhere is lost");
	is_str(opened.crash.threads[1].name, "two", "a lost name does not affect the next name");
	is_u64(opened.crash.messages.seen[MESSAGE_STRING_BROKEN], 1, "a lost name gives a message");
	close_synth(&opened);
}

/* ThreadExList: 64-byte entries. */
TEST(extended)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint8_t bytes[4 + 2 * 64] = { 2 };
	struct opened opened;

	bytes[4] = 7;
	bytes[4 + 64] = 8;
	synth_stream(synth, 8, bytes, sizeof(bytes));
	open_synth(&opened, synth);
	ok(opened.crash.thread_count == 2 && opened.crash.threads[1].id == 8, "extended entries are read where there are no others");
	close_synth(&opened);
	synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	synth_thread(synth, 1, registers, 0, NULL, 0);
	synth_stream(synth, 8, bytes, sizeof(bytes));
	open_synth(&opened, synth);

	   ok(opened.crash.thread_count == 1 && opened.crash.messages.seen[MESSAGE_STREAM_DUPLICATE] == 1,
	   "the plain one of two lists counts");
	close_synth(&opened);
}

/* Threads whose stacks begin in one region. */
static void
share(struct opened *opened, size_t threads, size_t bytes)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint8_t *memory = calloc(bytes, 1);

	for (size_t i = 0; i < threads; i++)
		synth_thread(synth, (uint32_t)i + 1, NULL, 0x7000, NULL, 32);
	synth_memory(synth, 0x7000, memory, bytes, false);
	open_synth(opened, synth);
	free(memory);
}

TEST(shared)
{
	struct opened opened;

	share(&opened, 16, 100000);
	const uint64_t size = opened.crash.file.size;
	is_u64(opened.crash.shared_frames, (LIMIT_SHARED_FRAMES + size / 64) / 16, "threads that share a stack share the frames");
	is_u64(opened.crash.shared_bytes, (LIMIT_SHARED_BYTES + size) / 16, "threads that share a stack share the searched bytes");
	is_u64(opened.crash.messages.seen[MESSAGE_LIMIT], 1, "a message reports the limit of shared bytes");
	close_synth(&opened);
	share(&opened, 4, 100000);
	ok(opened.crash.shared_frames == 0 && opened.crash.shared_bytes == 0 &&
	   opened.crash.messages.seen[MESSAGE_LIMIT] == 0, "a few may share one");
	close_synth(&opened);
	share(&opened, 2500, 100000);
	is_u64(opened.crash.shared_frames, LIMIT_SHARED_LEAST, "some frames there are always");
	close_synth(&opened);
}
