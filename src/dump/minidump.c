/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/describe_internal.h"

#define SIGNATURE 0x504d444du	/* "MDMP" */
#define VERSION 0xa793u
#define HEADER_SIZE 32u
#define DIRECTORY_ENTRY_SIZE 12u

/*
 * Every stream that has a name (minidumpapiset.h, Breakpad's minidump_format.h,
 * Crashpad's minidump_extensions.h, Mozilla's and Meta's additions). Decoders run
 * in this order: the system before what depends on it, modules before Crashpad's
 * module annotations, names before threads, maps before MemoryInfoList.
 */
static const struct stream_decoder streams[] = {
	{ 7, "SystemInfo", false, system_decode_info, describe_system_info, NULL },
	{ 15, "MiscInfo", false, system_decode_misc, describe_misc_info, NULL },
	{ 0x47670001, "BreakpadInfo", false, system_decode_breakpad, describe_breakpad_info, NULL },
	{ 0x47670002, "AssertionInfo", false, system_decode_assertion, describe_assertion, NULL },
	{ 5, "MemoryList", false, memory_decode_list, describe_memory_list, NULL },
	{ 9, "Memory64List", false, memory_decode_64_list, describe_memory_64_list, NULL },
	{ 24, "ThreadNames", false, threads_decode_names, describe_thread_names, NULL },
	{ 3, "ThreadList", false, threads_decode_list, describe_thread_list, NULL },
	{ 8, "ThreadExList", false, threads_decode_ex_list, describe_thread_ex_list, NULL },
	{ 4, "ModuleList", false, modules_decode_list, describe_module_list, NULL },
	{ 14, "UnloadedModuleList", false, modules_decode_unloaded, describe_unloaded_modules, NULL },
	{ 6, "Exception", true, system_decode_exception, describe_exception, NULL },
	{ 0x47670009, "LinuxMaps", false, linux_decode_maps, describe_maps, NULL },
	{ 16, "MemoryInfoList", false, memory_decode_info, describe_memory_info, NULL },
	{ 0x47670006, "LinuxCmdLine", false, NULL, describe_command_line, "command line" },
	{ 0x47670007, "LinuxEnviron", false, NULL, describe_environment, "environment" },
	{ 0x47670004, "LinuxProcStatus", false, NULL, describe_colon_pairs, "process status" },
	{ 0x47670003, "LinuxCpuInfo", false, NULL, describe_colon_pairs, "cpu info" },
	{ 0x47670005, "LinuxLsbRelease", false, NULL, describe_equal_pairs, "release" },
	{ 0x47670008, "LinuxAuxv", false, NULL, describe_auxv, "auxiliary vector" },
	{ 0x43500001, "CrashpadInfo", false, crashpad_decode_info, describe_crashpad, "crashpad" },
	{ 10, "CommentA", true, NULL, describe_comment_a, "comment" },
	{ 11, "CommentW", true, NULL, describe_comment_w, "comment" },
	{ 0, "Unused", true, NULL, describe_marker, NULL },
	{ 1, "Reserved0", true, NULL, describe_raw, NULL },
	{ 2, "Reserved1", true, NULL, describe_raw, NULL },
	{ 12, "HandleData", true, NULL, describe_handle_data, NULL },
	{ 13, "FunctionTable", true, NULL, describe_function_table, NULL },
	{ 17, "ThreadInfoList", true, NULL, describe_thread_info, NULL },
	{ 18, "HandleOperationList", true, NULL, describe_handle_operations, NULL },
	{ 19, "Token", true, NULL, describe_token, NULL },
	{ 20, "JavaScriptData", true, NULL, describe_raw, NULL },
	{ 21, "SystemMemoryInfo", true, NULL, describe_system_memory, NULL },
	{ 22, "ProcessVmCounters", true, NULL, describe_vm_counters, NULL },
	{ 23, "IptTrace", true, NULL, describe_raw, NULL },
	{ 0x8000, "CeNull", true, NULL, describe_raw, NULL },
	{ 0x8001, "CeSystemInfo", true, NULL, describe_raw, NULL },
	{ 0x8002, "CeException", true, NULL, describe_raw, NULL },
	{ 0x8003, "CeModuleList", true, NULL, describe_raw, NULL },
	{ 0x8004, "CeProcessList", true, NULL, describe_raw, NULL },
	{ 0x8005, "CeThreadList", true, NULL, describe_raw, NULL },
	{ 0x8006, "CeThreadContextList", true, NULL, describe_raw, NULL },
	{ 0x8007, "CeThreadCallStackList", true, NULL, describe_raw, NULL },
	{ 0x8008, "CeMemoryVirtualList", true, NULL, describe_raw, NULL },
	{ 0x8009, "CeMemoryPhysicalList", true, NULL, describe_raw, NULL },
	{ 0x800a, "CeBucketParameters", true, NULL, describe_raw, NULL },
	{ 0x800b, "CeProcessModuleMap", true, NULL, describe_raw, NULL },
	{ 0x800c, "CeDiagnosisList", true, NULL, describe_raw, NULL },
	{ 0xffff, "LastReserved", true, NULL, describe_raw, NULL },
	{ 0xfff0, "WineUndocumented", true, NULL, describe_raw, NULL },
	{ 0x4767000a, "LinuxDsoDebug", true, NULL, describe_dso_debug, NULL },
	{ 0x4767000b, "LinuxProcStat", true, NULL, describe_lines, NULL },
	{ 0x4767000c, "LinuxProcUptime", true, NULL, describe_lines, NULL },
	{ 0x4767000d, "LinuxProcFd", true, NULL, describe_lines, NULL },
	{ 0x4350ffff, "CrashpadLastReserved", true, NULL, describe_raw, NULL },
	{ 0x4b6b0002, "ChromiumStabilityReport", true, NULL, describe_raw, NULL },
	{ 0x4d7a0001, "MozMacosCrashInfo", true, NULL, describe_mac_crash_info, NULL },
	{ 0x4d7a0002, "MozMacosBootargs", true, NULL, describe_mac_boot_arguments, NULL },
	{ 0x4d7a0003, "MozLinuxLimits", true, NULL, describe_limits, NULL },
	{ 0x4d7a0004, "MozSoftErrors", true, NULL, describe_whole_text, NULL },
	{ 0x4c4c4442, "LLDBGenerated", true, NULL, describe_marker, NULL },
	{ 0xfacecaf0, "FacebookUnwindStackSymbols", true, NULL, describe_raw, NULL },
	{ 0xfacecafa, "FacebookAppCustomData", true, NULL, describe_whole_text, NULL },
	{ 0xfacecafb, "FacebookBuildId", true, NULL, describe_number, NULL },
	{ 0xfacecafc, "FacebookAppVersionName", true, NULL, describe_whole_text, NULL },
	{ 0xfacecafd, "FacebookJavaStack", true, NULL, describe_whole_text, NULL },
	{ 0xfacecafe, "FacebookDalvikInfo", true, NULL, describe_whole_text, NULL },
	{ 0xfacecaff, "FacebookUnwindSymbols", true, NULL, describe_raw, NULL },
	{ 0xfacecb00, "FacebookDumpErrorLog", true, NULL, describe_whole_text, NULL },
	{ 0xfacecccc, "FacebookAppStateLog", true, NULL, describe_whole_text, NULL },
	{ 0xfacedead, "FacebookAbortReason", true, NULL, describe_whole_text, NULL },
	{ 0xface1ca7, "FacebookLogcat", true, NULL, describe_whole_text, NULL },
	{ 0xface0000, "FacebookStreamMarkers", true, NULL, describe_raw, NULL },
	{ 0xfacee000, "FacebookThreadName", true, NULL, describe_whole_text, NULL },
};

/* Who gives out the types of a range: by the high half of the id. */
static const struct {
	uint16_t high;
	const char *vendor;
} vendors[] = {
	{ 0x0000, "Microsoft" }, { 0x4767, "Google" },	  { 0x4350, "Crashpad" },
	{ 0x4d7a, "Mozilla" },	 { 0xface, "Facebook" },  { 0x4c4c, "LLDB" },
	{ 0x4b6b, "Chromium" },	 { MICRODUMP_STREAMS >> 16, "Breakpad" },
};

const struct stream_decoder *
minidump_decoder(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(streams); i++)
		if (streams[i].type == type)
			return &streams[i];
	return NULL;
}

const char *
describe_vendor(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(vendors); i++)
		if (vendors[i].high == type >> 16)
			return vendors[i].vendor;
	return NULL;
}

static const char *
stream_name(struct arena *arena, uint32_t type)
{
	const struct stream_decoder *decoder = minidump_decoder(type);
	const char *vendor = describe_vendor(type);

	if (decoder != NULL)
		return decoder->name;
	const char *name =
		vendor != NULL ? arena_format(arena, "unknown (%s)", vendor) : NULL;
	return name != NULL ? name : "unknown";
}

/* How many directory entries there are of those that the header claims. */
static uint32_t
directory_count(struct minidump *minidump, uint32_t claimed, uint32_t rva)
{
	const struct reader *file = &minidump->crash->reader;
	uint64_t there = rva < file->size ? (file->size - rva) / DIRECTORY_ENTRY_SIZE : 0;

	if (claimed > there) {
		minidump_message(minidump, TRUNCATED, reader_place(file, 8, 8),
				 "the header claims %" PRIu32 " streams at 0x%" PRIx32
				 ", the file has room for %" PRIu64 "\nthose are read",
				 claimed, rva, there);
		claimed = (uint32_t)there;
	}
	if (claimed > LIMIT_STREAMS) {
		minidump_message(minidump, LIMIT, reader_place(file, 8, 4),
				 "%" PRIu32 " streams, the limit is %u\nthe rest is left out",
				 claimed, LIMIT_STREAMS);
		claimed = LIMIT_STREAMS;
	}
	return claimed;
}

static void
read_directory(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	const struct reader *file = &crash->reader;
	uint32_t count = 0, rva = 0;

	reader_u32(file, 8, &count);
	reader_u32(file, 12, &rva);
	count = directory_count(minidump, count, rva);
	crash->streams = arena_array(&crash->arena, count, sizeof(*crash->streams));
	if (crash->streams == NULL) {
		minidump_no_memory(minidump);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct stream *stream = &crash->streams[crash->stream_count++];
		uint64_t at = rva + (uint64_t)i * DIRECTORY_ENTRY_SIZE;
		struct location location = { 0 };

		stream->place = reader_place(file, at, DIRECTORY_ENTRY_SIZE);
		reader_u32(file, at, &stream->type);
		minidump_location(file, at + 4, &location);
		stream->size = location.size;
		stream->offset = location.rva;
		stream->name = stream_name(&crash->arena, stream->type);
	}
}

/* The bytes of a stream that the file has; says so where they are fewer than promised. */
static bool
stream_bytes(struct minidump *minidump, const struct stream *stream, struct reader *window)
{
	if (!minidump_bytes(minidump, stream->offset, stream->size, window)) {
		minidump_message(minidump, TRUNCATED, stream->place,
				 "stream %s lies at 0x%" PRIx64 ", behind the end of the file",
				 stream->name, stream->offset);
		return false;
	}
	if (window->size < stream->size)
		minidump_message(minidump, TRUNCATED, stream->place,
				 "stream %s has %" PRIu64 " bytes, the file ends after %" PRIu64
				 " of them\nthose are read",
				 stream->name, stream->size, window->size);
	return true;
}

static bool
decode_stream(struct minidump *minidump, const struct stream_decoder *decoder,
	      const struct stream *stream)
{
	struct reader window;

	if (!stream_bytes(minidump, stream, &window) ||
	    (decoder->decode != NULL && !decoder->decode(minidump, stream, &window)))
		return false;
	if (decoder->annotations != NULL)
		minidump_annotate_stream(minidump, stream, &window, decoder->annotations);
	return true;
}

/* A stream that nobody reads is lost all the same where the file ends before it does. */
static void
check_undecoded(struct minidump *minidump)
{
	const struct crash *crash = minidump->crash;

	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		const struct stream_decoder *decoder = minidump_decoder(stream->type);
		struct reader window;

		if (stream->size > 0 && (decoder == NULL || !stream_is_read(decoder)))
			stream_bytes(minidump, stream, &window);
	}
}

static void
decode_streams(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;

	for (size_t row = 0; row < ARRAY_COUNT(streams); row++) {
		const struct stream_decoder *decoder = &streams[row];
		bool done = false;

		for (size_t i = 0; stream_is_read(decoder) && i < crash->stream_count; i++) {
			struct stream *stream = &crash->streams[i];

			if (stream->type != decoder->type)
				continue;
			if (done && !decoder->several) {
				minidump_message(minidump, STREAM_DUPLICATE, stream->place,
						 "a second %s stream\nthe first one is used",
						 stream->name);
				continue;
			}
			stream->decoded = decode_stream(minidump, decoder, stream);
			done = done || stream->decoded;
		}
	}
}

/* What a walk cannot do without. */
static void
report_missing(struct minidump *minidump)
{
	static const uint32_t needed[] = { 7, 3, 4 };
	const struct crash *crash = minidump->crash;

	for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
		bool found = false;

		for (size_t j = 0; j < crash->stream_count; j++)
			found = found || crash->streams[j].type == needed[i];
		if (!found)
			minidump_message(minidump, STREAM_MISSING,
					 reader_place(&crash->reader, 0, HEADER_SIZE),
					 "no %s stream", minidump_decoder(needed[i])->name);
	}
}

/* The thread to look at first: the exception's, else the one that asked for the dump. */
static void
find_requesting_thread(struct crash *crash)
{
	uint32_t id = crash->exception.present ? crash->exception.thread_id
					       : crash->requesting_thread_id;

	crash->requesting_thread = -1;
	if (!crash->exception.present && !crash->has_requesting_thread)
		return;
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].id == id) {
			crash->requesting_thread = (int)i;
			return;
		}
	}
	message_add(&crash->messages, MESSAGE_STREAM_MISSING,
		    crash->exception.present ? crash->exception.place
					     : reader_place(&crash->reader, 0, 0),
		    "thread 0x%" PRIx32 " %s is not in the thread list", id,
		    crash->exception.present ? "of the exception" : "that asked for the dump");
}

static bool
read_header(struct crash *crash)
{
	struct reader *file = &crash->reader;
	uint32_t signature, version;

	if (!reader_u32(file, 0, &signature))
		return false;
	if (signature != SIGNATURE) {
		file->big_endian = true;
		if (!reader_u32(file, 0, &signature) || signature != SIGNATURE)
			return false;
	}
	if (!reader_u32(file, 4, &version) || (version & 0xffff) != VERSION)
		message_add(&crash->messages, MESSAGE_ENTRY_BROKEN, reader_place(file, 4, 4),
			    "the header's version is not 0x%x\nit is read as if it were", VERSION);
	reader_u32(file, 20, &crash->time);
	reader_u64(file, 24, &crash->flags);
	if (file->size < HEADER_SIZE)
		message_add(&crash->messages, MESSAGE_TRUNCATED, reader_place(file, 0, 0),
			    "the header has %u bytes, the file %" PRIu64, HEADER_SIZE, file->size);
	return true;
}

bool
minidump_read(struct crash *crash)
{
	struct minidump minidump = { .crash = crash };

	if (!read_header(crash))
		return false;
	crash->format = "minidump";
	read_directory(&minidump);
	decode_streams(&minidump);
	check_undecoded(&minidump);
	memory_finish(&minidump);
	memory_finish_mappings(&minidump);
	wow64_find(&minidump);
	threads_finish(&minidump);
	report_missing(&minidump);
	find_requesting_thread(crash);
	reason_find(&minidump);
	return true;
}
