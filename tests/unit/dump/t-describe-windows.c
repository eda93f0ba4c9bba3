/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dump/described.h"

/* Streams that dbghelp writes (minidumpapiset.h), in both byte orders. */

DESCRIBE_TEST(handles)
{
	PUT32(&image, 16, 40, 2, 0);
	put(&image, 0x1234, 8);					/* handle at 16 */
	PUT32(&image, 96, 0, 0x10, 0x1f0003, 2, 65537, 0, 0);	/* type name at 24 */
	put(&image, 0x88, 8);					/* handle at 56 */
	PUT32(&image, 0, 112, 0, 0, 1, 1, 136, 0);		/* object 68, info 88 */
	put_string(&image, "Event");				/* at 96, 16 bytes */
	put_string(&image, "\\Sessions");			/* at 112, 24 bytes */
	PUT32(&image, 152, 6, 4, 0x11);				/* at 136: links to 152, */
	PUT32(&image, 136, 3, 0);				/* which links back */
	const uint32_t rvas[] = { 24, 68, 88, 136, 152 };
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 12, &image, rvas, 5);
	are_told(&told, "", "size_of_entry=40; number_of_entries=2");
	are_told(&told, "handle[0]/", "handle=0x1234; type_name=Event; attributes=0x10; "
		 "handle_count=2; granted_access=0x1f0003; pointer_count=65537");
	is_told(&told, "handle[1]/object_name", "\\Sessions");
	is_told(&told, "handle[1]/object_info[0]/info_type", "6");
	is_noted(&told, "handle[1]/object_info[0]/info_type", "event");
	is_noted(&told, "handle[1]/object_info[1]/info_type", "mutant 2");
	ok(strstr(described_at(&told, "handle[1]/object_info")->note, "64 links") != NULL,
	   "a chain of object information that is a circle ends with a word");
	is_u64(told.broken, 1, "and nothing else is wrong");
	described_close(&told, &opened);
}

DESCRIBE_TEST(handles_1)
{
	PUT32(&image, 16, 32, 1, 0);
	put(&image, 3, 8);
	PUT32(&image, 0, 48, 0140777, 0, 1, 1);
	put_string(&image, "socket:[4711]");
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_LINUX, 12, &image, (const uint32_t[]){ 28 }, 1);
	are_told(&told, "handle[0]/", "object_name=socket:[4711]; file_type=socket");
	is_u64(told.broken, 0, "handles of version 1 have no object information");
	described_close(&told, &opened);
}

DESCRIBE_TEST(function_table)
{
	PUT32(&image, 24, 32, 8, 12, 2, 0);
	put(&image, 0x7ff000000000, 8);
	put(&image, 0x7ff000010000, 8);
	put(&image, 0x7ff000000000, 8);
	PUT32(&image, 2, 4, 0xaaaaaaaa, 0xbbbbbbbb);		/* native descriptor */
	PUT32(&image, 0x1000, 0x1040, 0x9000, 0x1040, 0x1090, 0x9010, 0 /* padding */);
	put(&image, 0x10000, 8);
	put(&image, 0x20000, 8);
	put(&image, 0x10000, 8);
	PUT32(&image, 5, 0, 0, 0, 0x10, 0x20, 0x30);		/* one of five is there */
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 13, &image, NULL, 0);
	are_told(&told, "table[0]/", "maximum_address=0x7ff000010000; base_address=0x7ff000000000; entry_count=2; size_of_align_pad=4");
	are_told(&told, "table[0]/function[1]/", "begin_address=0x1040; end_address=0x1090; unwind_info_address=0x9010");
	is_told(&told, "table[1]/function[0]/end_address", "0x20");
	is_u64(told.broken, 1, "missing entries are reported once");
	described_close(&told, &opened);
}

DESCRIBE_TEST(token)
{
	PUT32(&image, 60, 3, 16, 16);
	PUT32(&image, 20, 0x77);
	put(&image, 0x44, 8);
	put_text(&image, "abcd", 4);
	PUT32(&image, 24, 0x78);
	put(&image, 0x48, 8);
	put_text(&image, "12345678", 8);
	PUT32(&image, 0, 0x79, 0, 0);				/* a size of 0 would never end */
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 19, &image, NULL, 0);
	is_told(&told, "token[0]/token_id", "0x77");
	are_told(&told, "token[1]/", "token_handle=0x48; data=12345678");
	is_u64(told.records, 2, "a token without a size ends the list");
	is_u64(told.broken, 1, "with a word");
	described_close(&told, &opened);
}

DESCRIBE_TEST(thread_info)
{
	PUT32(&image, 12, 64, 1);
	PUT32(&image, 0xbf4, 0x22, 5, 0x103);
	put(&image, 0x01d7d0e4b8c5e680, 8);	/* 132804394801817216 */
	put(&image, 0, 8);
	put(&image, 15000000, 8);
	put(&image, 1, 8);
	put(&image, 0x7ff712340000, 8);
	put(&image, 0xff, 8);
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 17, &image, NULL, 0);
	is_told(&told, "thread_info[0]/thread_id", "0xbf4");
	is_noted(&told, "thread_info[0]/dump_flags", "writing thread, invalid teb");
	is_told(&told, "thread_info[0]/dump_error", "0x5");
	is_noted(&told, "thread_info[0]/exit_status", "still active");
	is_noted(&told, "thread_info[0]/kernel_time", "1.500 s");
	are_told(&told, "thread_info[0]/", "user_time=1; start_address=0x7ff712340000; affinity=0xff");
	is_noted(&told, "thread_info[0]/create_time", "2021-11-03 18:58:00.1817216");
	described_close(&told, &opened);
}

DESCRIBE_TEST(operations)
{
	PUT32(&image, 16, 288, 1, 0);
	put(&image, 0x1c4, 8);
	PUT32(&image, 77, 88, 2, 0, 2, 9);
	for (unsigned i = 0; i < 32; i++)
		put(&image, 0x7000 + i, 8);
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 18, &image, NULL, 0);
	are_told(&told, "operation[0]/", "handle=0x1c4; process_id=77");
	is_noted(&told, "operation[0]/operation_type", "close");
	are_told(&told, "operation[0]/", "back_trace.depth=2; back_trace.index=9; "
		 "back_trace.return_addresses[1]=0x7001; back_trace.return_addresses[2]=(missing)");
	described_close(&told, &opened);
}

DESCRIBE_TEST(memory_info)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);

	synth_memory_info(synth, 0x20000, 0x1000, 0x1000, 0x104, 0x20000);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 16);
	is_told(&told, "number_of_entries", "1");
	is_told(&told, "info[0]/base_address", "0x20000");
	is_noted(&told, "info[0]/state", "commit");
	is_noted(&told, "info[0]/protection", "read-write, guard");
	is_noted(&told, "info[0]/type", "private");
	described_close(&told, &opened);
}

DESCRIBE_TEST(counters)
{
	struct image first = { .big_endian = big_endian }, second = first, system = first;

	put(&first, 1, 2);
	put(&first, 0, 2);
	put(&first, 99, 4);
	for (unsigned i = 0; i < 9; i++)
		put(&first, 100 + i, 8);
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 22, &first, NULL, 0);
	are_told(&told, "", "page_fault_count=99; peak_pagefile_usage=107; private_usage=108");
	is_u64(told.broken, 0, "counters of revision 1 have 80 bytes");
	described_close(&told, &opened);
	put(&second, 2, 2);
	put(&second, 0x12, 2);
	put(&second, 99, 4);
	for (unsigned i = 0; i < 18; i++)
		put(&second, 100 + i, 8);
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 22, &second, NULL, 0);
	is_noted(&told, "flags", "virtual size, job");
	are_told(&told, "", "peak_virtual_size=108; private_usage=110; job_total_commit_limit=117");
	described_close(&told, &opened);
	put(&system, 1, 2);
	put(&system, 2, 2);
	PUT32(&system, 156250, 4096, 8000000, 1, 9000000, 65536);
	for (unsigned i = 0; i < 120; i++)
		put(&system, i, 4);
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 21, &system, NULL, 0);
	are_told(&told, "", "basic.page_size=4096; basic.number_of_physical_pages=8000000; basic.allocation_granularity=65536");
	/* The words from 28 on are 0, 1, 2 ...: offset 116 is words 22 and 23. */
	is_told(&told, "basic_performance.available_pages", big_endian ? "94489280535" : "98784247830");
	is_told(&told, "file_cache.page_fault_count", "11");
	described_close(&told, &opened);
}

static void
put_date(struct image *image, uint32_t month, uint32_t day, uint32_t hour)
{
	const uint32_t parts[8] = { 0, month, 0, day, hour, 0, 0, 0 };

	for (unsigned i = 0; i < 8; i++)
		put(image, parts[i], 2);
}

static void
put_characters(struct image *image, const char *text, unsigned units)
{
	for (unsigned i = 0; i < units; i++)
		put(image, i < strlen(text) ? (uint8_t)text[i] : 0, 2);
}

DESCRIBE_TEST(misc)
{
	PUT32(&image, 24, 0x1d7, 4711, 0x45d35f73, 7, 8, 3000, 2900, 3100, 2, 1, 0x2000, 2, 1, 2);
	PUT32(&image, 480);
	put_characters(&image, "PST", 32);
	put_date(&image, 11, 1, 2);
	PUT32(&image, 0);
	put_characters(&image, "PDT", 32);
	put_date(&image, 3, 2, 2);
	PUT32(&image, (uint32_t)-60);
	put_characters(&image, "build 1", 260);
	put_characters(&image, "debugger 2", 40);
	PUT32(&image, 528, 1392);
	put(&image, 0x804, 8);
	for (unsigned i = 0; i < 64; i++)
		PUT32(&image, i == 11 ? 576 : 0, i == 11 ? 16 : 0);
	PUT32(&image, 0xc00c1e);
	is_u64(image.size, 1364, "the largest form has 1364 bytes");
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 15, &image, NULL, 0);
	are_told(&told, "", "version=5; process_id=4711");
	is_noted(&told, "process_create_time", "2007-02-14 19:13:55");
	is_told(&told, "processor_mhz_limit", "3100");
	is_noted(&told, "process_integrity_level", "medium");
	is_told(&told, "process_execute_flags", "");
	is_noted(&told, "process_execute_flags", "invalid");
	are_told(&told, "", "protected_process=1; time_zone.bias=480; time_zone.standard_name=PST; "
		 "time_zone.standard_date=0000-11-01 (0) 02:00:00.000; "
		 "time_zone.daylight_bias=-60; build_string=build 1; dbg_bld_str=debugger 2");
	is_noted(&told, "xstate_data.enabled_features", "avx, cet_u");
	is_told(&told, "xstate_data.features[11]/offset", "576");
	is_noted(&told, "process_cookie", "invalid");
	described_close(&told, &opened);
	image.size = 44;
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_WINDOWS, 15, &image, NULL, 0);
	are_told(&told, "", "version=2; processor_current_idle_state=1; build_string=(missing)");
	described_close(&told, &opened);
}

DESCRIBE_TEST(comments)
{
	put_text(&image, "no end", 6);
	describe_image(&told, &opened, ARCH_X86, CRASH_OS_WINDOWS, 10, &image, NULL, 0);
	is_told(&told, "comment", "no end");
	described_close(&told, &opened);
	image.size = 0;
	put_characters(&image, "wide", 5);
	describe_image(&told, &opened, ARCH_X86, CRASH_OS_WINDOWS, 11, &image, NULL, 0);
	is_told(&told, "comment", "wide");
	described_close(&told, &opened);
}
