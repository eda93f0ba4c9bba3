/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

#define SYSTEM_SIZE 56u
#define SYSTEM_LEAST 24u	/* bytes up to the platform; shorter streams are not read */
#define EXCEPTION_PARAMETERS 15u

static const struct meaning processors[] = {
	{ 0, "x86" }, { 1, "mips" }, { 2, "alpha" }, { 3, "ppc" }, { 4, "shx" }, { 5, "arm" },
	{ 6, "ia64" }, { 7, "alpha64" }, { 8, "msil" }, { 9, "amd64" }, { 10, "x86 on win64" },
	{ 12, "arm64" }, { 13, "arm on win64" }, { 0x8001, "sparc" }, { 0x8002, "ppc64" },
	{ 0x8003, "arm64, Breakpad's number" }, { 0x8004, "mips64" }, { 0x8005, "riscv" },
	{ 0x8006, "riscv64" }, { 0xffff, "unknown to the writer" },
};

static const struct meaning platforms[] = {
	{ 0, "win32s" }, { 1, "windows 9x" }, { 2, "windows nt" }, { 3, "windows ce" },
	{ 0x8000, "unix" }, { 0x8101, "macos" }, { 0x8102, "ios" }, { 0x8201, "linux" },
	{ 0x8202, "solaris" }, { 0x8203, "android" }, { 0x8204, "ps3" }, { 0x8205, "nacl" },
	{ 0x8206, "fuchsia, or openharmony by llvm's tools" },
};

/* VER_NT_..., VER_SUITE_... (winnt.h) */
static const struct meaning products[] = {
	{ 1, "workstation" }, { 2, "domain controller" }, { 3, "server" },
};

static const struct meaning suites[] = {
	{ 1, "small business" }, { 2, "enterprise" }, { 4, "back office" },
	{ 8, "communications" }, { 0x10, "terminal" }, { 0x20, "small business restricted" },
	{ 0x40, "embedded nt" }, { 0x80, "data center" }, { 0x100, "single user terminal" },
	{ 0x200, "personal" }, { 0x400, "blade" }, { 0x800, "embedded restricted" },
	{ 0x1000, "security appliance" }, { 0x2000, "storage server" },
	{ 0x4000, "compute server" }, { 0x8000, "home server" },
};

#define SYSTEM(member) INTO(struct system_entry, member)

static const struct field system_fields[] = {
	{ 0, 2, FIELD_HEX, .name = "processor_architecture", VALUES(processors),
	  SYSTEM(processor) },
	{ 2, 2, FIELD_DECIMAL, .name = "processor_level", SYSTEM(level) },
	{ 4, 2, FIELD_HEX, .name = "processor_revision", SYSTEM(revision) },
	{ 6, 1, FIELD_DECIMAL, .name = "number_of_processors", SYSTEM(processor_count) },
	{ 7, 1, FIELD_DECIMAL, .name = "product_type", VALUES(products) },
	{ 8, 4, FIELD_DECIMAL, .name = "major_version", SYSTEM(major) },
	{ 12, 4, FIELD_DECIMAL, .name = "minor_version", SYSTEM(minor) },
	{ 16, 4, FIELD_DECIMAL, .name = "build_number", SYSTEM(build) },
	{ 20, 4, FIELD_HEX, .name = "platform_id", VALUES(platforms), SYSTEM(platform) },
	{ 24, 4, FIELD_HEX, .name = "csd_version_rva", SYSTEM(service_pack) },
	{ 28, 2, FIELD_HEX, .name = "suite_mask", BITS(suites) },
	{ 30, 2, FIELD_HEX, .name = "reserved2" },
};
const struct structure system_structure = STRUCTURE(system_fields, SYSTEM_SIZE);

static const struct field x86_fields[] = {
	{ 32, 4, FIELD_HEX, .name = "cpu.x86_cpu_info.vendor_id", .count = 3 },
	{ 44, 4, FIELD_HEX, .name = "cpu.x86_cpu_info.version_information" },
	{ 48, 4, FIELD_HEX, .name = "cpu.x86_cpu_info.feature_information" },
	{ 52, 4, FIELD_HEX, .name = "cpu.x86_cpu_info.amd_extended_cpu_features" },
};

static const struct field other_fields[] = {
	{ 32, 8, FIELD_HEX, .name = "cpu.other_cpu_info.processor_features", .count = 2 },
};

static const struct field arm_fields[] = {
	{ 32, 4, FIELD_HEX, .name = "cpu.arm_cpu_info.cpuid" },
	{ 36, 4, FIELD_HEX, .name = "cpu.arm_cpu_info.elf_hwcaps" },
};

/* The forms of the union for a processor architecture; the first one is documented. */
static const struct {
	uint16_t processor;
	struct structure first, second;
} unions[] = {
	{ 0, FIELD_TABLE(x86_fields), { NULL, 0, 0 } },
	{ 10, FIELD_TABLE(x86_fields), { NULL, 0, 0 } },
	{ 9, FIELD_TABLE(x86_fields), FIELD_TABLE(other_fields) },
	{ 5, FIELD_TABLE(arm_fields), FIELD_TABLE(x86_fields) },
	{ 12, FIELD_TABLE(arm_fields), FIELD_TABLE(x86_fields) },
	{ 0x8003, FIELD_TABLE(arm_fields), FIELD_TABLE(x86_fields) },
};

static void
read_vendor(const struct reader *window, char vendor[14])
{
	for (uint64_t word = 0; word < 3; word++) {
		uint32_t value = 0;

		reader_u32(window, 32 + 4 * word, &value);
		for (unsigned byte = 0; byte < 4; byte++)
			vendor[4 * word + byte] = (char)(uint8_t)(value >> 8 * byte);
	}
}

/* Wine adds to the structure: "WINE", a count, and offsets of strings relative to the count. */
static void
tell_wine(struct describe *describe, const struct reader *window)
{
	static const char *const names[] = { "wine.build_id", "wine.system_name",
					     "wine.release" };
	const struct reader *file = &describe->crash->reader;
	uint32_t count = 0;
	struct reader extension;

	if (window->start + SYSTEM_SIZE + 8 > file->size ||
	    !reader_window(file, window->start + SYSTEM_SIZE,
			   file->size - window->start - SYSTEM_SIZE, &extension) ||
	    memcmp(extension.data, "WINE", 4) != 0 || !reader_u32(&extension, 4, &count))
		return;
	for (uint32_t i = 0; i < count && i < ARRAY_COUNT(names); i++) {
		uint32_t offset = 0;

		if (!reader_u32(&extension, 8 + 4 * (uint64_t)i, &offset))
			return;
		uint64_t at = 4 + (uint64_t)offset;
		if (at >= extension.size) {
			describe_broken(describe, names[i], reader_place(&extension, 8 + 4 * i, 4),
					"lies past the end of the file");
			continue;
		}
		const char *text = (const char *)extension.data + at;
		size_t room = (size_t)(extension.size - at);
		size_t length = strnlen(text, room < LIMIT_STRING ? room : LIMIT_STRING);
		describe_value(describe, (struct describe_value){
			.name = names[i], .kind = DESCRIBE_TEXT, .text = { text, length },
			.place = reader_place(&extension, at, length) });
	}
}

void
system_info_describe(struct describe *describe, const struct reader *window)
{
	struct structure first = FIELD_TABLE(other_fields), second = FIELD_TABLE(x86_fields);
	struct system_entry entry = { 0 };
	char vendor[14] = "";
	bool named = true;

	fields_read(&system_structure, window, &entry);
	describe_structure(describe, system_structure, window, SYSTEM_SIZE);
	for (size_t i = 0; i < ARRAY_COUNT(unions); i++) {
		if (unions[i].processor != entry.processor)
			continue;
		first = unions[i].first;
		second = unions[i].second;
	}
	describe_fields(describe, first, window);
	describe_fields(describe, second, window);
	if (first.rows == arm_fields)
		describe_fields(describe, FIELDS(other_fields), window);
	/* dbghelp stores no characters here. */
	read_vendor(window, vendor);
	for (size_t i = 0; i < 12; i++)
		named = named && vendor[i] >= ' ' && vendor[i] <= '~';
	if (named && first.rows == x86_fields)
		describe_text(describe, "cpu_vendor", DESCRIBE_TEXT, vendor,
			      reader_place(window, 32, 12));
	describe_text(describe, "cpu", DESCRIBE_WORD, describe->crash->system.cpu_info,
		      reader_place(window, 0, 6));
	describe_string(describe, "csd_version", entry.service_pack, 2, false);
	tell_wine(describe, window);
}

static const struct meaning breakpad_bits[] = {
	{ 1, "dump thread" }, { 2, "requesting thread" },
};

static const struct field breakpad_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "validity", BITS(breakpad_bits) },
	{ 4, 4, FIELD_THREAD, .name = "dump_thread_id" },
	{ 8, 4, FIELD_THREAD, .name = "requesting_thread_id" },
};
const struct list_layout system_breakpad_layout = { .entry = STRUCTURE(breakpad_fields, 12) };

static const struct meaning assertions[] = {
	{ 0, "unknown" }, { 1, "invalid parameter passed to library function" },
	{ 2, "pure virtual function called" },
};

static const struct field assertion_fields[] = {
	{ 0, 256, FIELD_UTF16, .name = "expression" },
	{ 256, 256, FIELD_UTF16, .name = "function" },
	{ 512, 256, FIELD_UTF16, .name = "file" },
	{ 768, 4, FIELD_DECIMAL, .name = "line" },
	{ 772, 4, FIELD_DECIMAL, .name = "type", VALUES(assertions) },
};

const struct list_layout system_assertion_layout = { .entry = STRUCTURE(assertion_fields, 776) };

#define EXCEPTION(member) INTO(struct exception_entry, member)

static const struct field exception_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id", EXCEPTION(thread_id) },
	{ 4, 4, FIELD_HEX, .name = "__align" },
	{ 8, 4, FIELD_HEX, .name = "exception_record.exception_code", EXCEPTION(code) },
	{ 12, 4, FIELD_HEX, .name = "exception_record.exception_flags", EXCEPTION(flags) },
	{ 16, 8, FIELD_ADDRESS, .name = "exception_record.exception_record" },
	{ 24, 8, FIELD_ADDRESS, .name = "exception_record.exception_address", EXCEPTION(address) },
	{ 32, 4, FIELD_DECIMAL, .name = "exception_record.number_parameters",
	  EXCEPTION(parameter_count) },
	{ 36, 4, FIELD_HEX, .name = "exception_record.__align" },
	{ 40, 8, FIELD_HEX, .name = "exception_record.exception_information",
	  .count = EXCEPTION_PARAMETERS, EXCEPTION(parameters[0]) },
	LOCATION(160, FIELD_DECIMAL, "thread_context", struct exception_entry, context),
};
const struct structure exception_structure = STRUCTURE(exception_fields, 168);

/* Index of the row for the array of parameters; only parameters in use are shown. */
#define PARAMETERS_ROW 8u

void
system_exception_describe(struct describe *describe, const struct reader *window)
{
	struct field fields[ARRAY_COUNT(exception_fields)];
	const struct crash *crash = describe->crash;
	struct exception_entry entry = { 0 };

	memcpy(fields, exception_fields, sizeof(fields));
	fields_read(&exception_structure, window, &entry);
	if (entry.parameter_count < EXCEPTION_PARAMETERS)
		fields[PARAMETERS_ROW].count = entry.parameter_count;
	/* An empty array is not shown. */
	if (entry.parameter_count == 0)
		fields[PARAMETERS_ROW].offset = UINT32_MAX;
	describe_structure(describe, FIELDS(fields), window, exception_structure.size);
	if (entry.parameter_count > EXCEPTION_PARAMETERS)
		describe_broken(describe, "exception_record.number_parameters",
				reader_place(window, 32, 4),
				"%" PRIu32 " parameters, there is space for %u",
				entry.parameter_count, EXCEPTION_PARAMETERS);
	/* Show the reason only in the stream that has the crash's exception. */
	if (crash->exception.present && crash->exception.place.offset == window->start) {
		describe_text(describe, "reason", DESCRIBE_WORD, crash->cause.text,
			      reader_place(window, 8, 8));
		describe_text(describe, "reason_note", DESCRIBE_WORD, crash->cause.note,
			      reader_place(window, 8, 8));
		if (crash->reason != NULL)
			describe_value(describe, (struct describe_value){
				.name = "crash_address", .kind = DESCRIBE_HEX, .derived = true,
				.number = crash->reason_address,
				.link = DESCRIBE_LINK_ADDRESS, .linked = crash->reason_address,
				.place = reader_place(window, 24, 8) });
	}
	describe_context(describe, entry.context);
}

/* Comments ------------------------------------------------------------------------------------- */

void
system_comment_describe(struct describe *describe, const struct reader *window)
{
	const char *text = (const char *)window->data;
	size_t length = strnlen(text, (size_t)window->size);

	describe_value(describe, (struct describe_value){
		.name = "comment", .kind = DESCRIBE_TEXT, .text = { text, length },
		.place = reader_place(window, 0, length) });
}

void
system_comment_wide_describe(struct describe *describe, const struct reader *window)
{
	const char *text = text_from_utf16(&describe->arena, window->data,
					   (size_t)window->size / 2, window->big_endian, true);

	describe_value(describe, (struct describe_value){
		.name = "comment", .kind = DESCRIBE_TEXT, .text = text_of(text_or_empty(text)),
		.place = reader_place(window, 0, window->size) });
}

static const struct {
	uint32_t platform;
	enum crash_os os;
	const char *name;		/* name in Breakpad's OS line; NULL: the number is shown */
} platform_names[] = {
	{ 0, CRASH_OS_WINDOWS, NULL },		{ 1, CRASH_OS_WINDOWS, "Windows" },
	{ 2, CRASH_OS_WINDOWS, "Windows NT" },	{ 3, CRASH_OS_WINDOWS, NULL },
	{ 0x8101, CRASH_OS_MAC, "Mac OS X" },	{ 0x8102, CRASH_OS_IOS, "iOS" },
	{ 0x8201, CRASH_OS_LINUX, "Linux" },	{ 0x8202, CRASH_OS_SOLARIS, "Solaris" },
	{ 0x8203, CRASH_OS_ANDROID, "Android" }, { 0x8204, CRASH_OS_PS3, "PS3" },
	{ 0x8205, CRASH_OS_NACL, "NaCl" },	{ 0x8206, CRASH_OS_FUCHSIA, "Fuchsia" },
};

/* Implementers, parts and features of ARM processors, in Breakpad's spelling. */
static const struct meaning arm_vendors[] = {
	{ 0x41, "ARM" }, { 0x51, "Qualcomm" }, { 0x56, "Marvell" }, { 0x69, "Intel/Marvell" },
};

static const struct meaning arm_parts[] = {
	{ 0x4100c050, "Cortex-A5" },  { 0x4100c080, "Cortex-A8" }, { 0x4100c090, "Cortex-A9" },
	{ 0x4100c0f0, "Cortex-A15" }, { 0x4100c140, "Cortex-R4" }, { 0x4100c150, "Cortex-R5" },
	{ 0x4100b360, "ARM1136" },    { 0x4100b560, "ARM1156" },   { 0x4100b760, "ARM1176" },
	{ 0x4100b020, "ARM11-MPCore" }, { 0x41009260, "ARM926" },  { 0x41009460, "ARM946" },
	{ 0x41009660, "ARM966" },     { 0x510006f0, "Krait" },	   { 0x510000f0, "Scorpion" },
};

/* Bit n of the ELF hardware capabilities of 32-bit ARM (Linux, asm/hwcap.h). */
static const char *const arm_features[] = {
	"swp",	  "half",    "thumb", "26bit", "fastmult", "fpa",   "vfpv2",	"edsp", "java",
	"iwmmxt", "crunch",  "thumbee", "neon", "vfpv3",   "vfpv3d16", "tls", "vfpv4", "idiva",
	"idivt",
};

static const char *
arm_info(struct minidump *minidump, uint16_t level, const struct reader *stream)
{
	struct arena *arena = &minidump->crash->arena;
	uint32_t cpuid = 0, capabilities = 0;
	char features[256] = "";
	const char *names = "";
	size_t used = 0;

	reader_u32(stream, 32, &cpuid);
	reader_u32(stream, 36, &capabilities);
	if (cpuid != 0) {
		const char *vendor = meaning_text(VALUES(arm_vendors), cpuid >> 24);
		const char *part = meaning_text(VALUES(arm_parts), cpuid & 0xff00fff0);

		if (vendor == NULL)
			vendor = arena_format(arena, "vendor(0x%" PRIx32 ")", cpuid >> 24);
		if (part == NULL)
			part = arena_format(arena, "part(0x%" PRIx32 ")", cpuid & 0xff00fff0);
		names = text_or_empty(arena_format(arena, " %s %s", text_or_empty(vendor),
						   text_or_empty(part)));
	}
	for (size_t i = 0; i < ARRAY_COUNT(arm_features); i++)
		if ((capabilities >> i & 1) != 0)
			used += (size_t)snprintf(features + used, sizeof(features) - used, "%s%s",
						 used > 0 ? "," : "", arm_features[i]);
	return text_or_empty(arena_format(arena, "ARMv%u%s%s%s", level, names,
				     capabilities != 0 ? " features: " : "", features));
}

static void
name_processor(struct minidump *minidump, uint16_t level, uint16_t revision,
	       const struct reader *stream)
{
	struct crash_system *system = &minidump->crash->system;
	const struct arch *arch = arch_of_processor(minidump->processor);
	const char *name = arch->name;
	char vendor[14] = "";

	system->arch = arch;
	/* For a processor in 32-bit mode on 64-bit Windows, Breakpad prints its number. */
	if (!arch_known(arch) || minidump->processor == 10 || minidump->processor == 13)
		name = arena_format(&minidump->crash->arena, "0x%04" PRIx16, minidump->processor);
	system->cpu_name = text_or_empty(name);
	/* Breakpad names the vendor only for x86, but family, model and stepping also for amd64. */
	if (minidump->processor == 0) {
		read_vendor(stream, vendor);
		vendor[strlen(vendor)] = ' ';
	}
	if (minidump->processor == 0 || minidump->processor == 9)
		system->cpu_info = text_or_empty(arena_format(
			&minidump->crash->arena, "%sfamily %u model %u stepping %u", vendor, level,
			revision >> 8, revision & 0xff));
	else if (minidump->processor == 5)
		system->cpu_info = arm_info(minidump, level, stream);
}

uint32_t
system_platform(enum crash_os os)
{
	uint32_t platform = 0;

	for (size_t i = 0; i < ARRAY_COUNT(platform_names); i++)
		if (platform_names[i].os == os && platform_names[i].name != NULL)
			platform = platform_names[i].platform;
	return platform;
}

/* Whether a structure has at least `least` bytes; if not, adds a message. */
static bool
has_least(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	  uint64_t least, uint32_t size)
{
	if (window->size >= least)
		return true;
	minidump_message(minidump, STREAM_BROKEN, stream->place,
			 "stream %s has %" PRIu64 " bytes, expected %" PRIu32, stream->name,
			 window->size, size);
	return false;
}

bool
system_info_decode(struct minidump *minidump, const struct stream *stream,
		   const struct reader *window)
{
	struct crash_system *system = &minidump->crash->system;
	struct arena *arena = &minidump->crash->arena;
	struct system_entry entry = { 0 };
	const char *name = NULL, *service_pack = NULL;

	if (!has_least(minidump, stream, window, SYSTEM_LEAST, SYSTEM_SIZE))
		return false;
	fields_read(&system_structure, window, &entry);
	minidump->processor = entry.processor;
	minidump->platform = entry.platform;
	minidump->has_system = true;
	system->place = reader_place(window, 0, SYSTEM_SIZE);
	system->cpu_count = entry.processor_count;
	for (size_t i = 0; i < ARRAY_COUNT(platform_names); i++) {
		if (platform_names[i].platform != entry.platform)
			continue;
		system->os = platform_names[i].os;
		name = platform_names[i].name;
	}
	if (name == NULL)
		name = arena_format(arena, "0x%08" PRIx32, entry.platform);
	system->os_name = text_or_empty(name);
	name_processor(minidump, entry.level, entry.revision, window);
	if (entry.service_pack != 0)
		service_pack = minidump_string(minidump, entry.service_pack, "service pack");
	system->os_version = text_or_empty(arena_format(
		arena, "%" PRIu32 ".%" PRIu32 ".%" PRIu32 "%s%s", entry.major, entry.minor,
		entry.build, service_pack != NULL ? " " : "", text_or_empty(service_pack)));
	return true;
}

void
system_finish(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	struct crash_system *system = &crash->system;
	const struct crash_context *context = NULL;
	const struct place place = minidump->has_system ? place_part(system->place, 0, 2)
							: reader_place(&crash->reader, 0, 0);
	char wrong[64] = "no SystemInfo stream can be read";

	if (arch_known(system->arch))
		return;
	if (minidump->has_system)
		snprintf(wrong, sizeof(wrong), "processor architecture 0x%" PRIx16 " is unknown",
			 minidump->processor);
	/* The first readable context: its size and flags name a processor. */
	for (size_t i = 0; i < crash->thread_count && context == NULL; i++)
		if (crash->threads[i].context.present)
			context = &crash->threads[i].context;
	if (context == NULL && crash->exception.context.present)
		context = &crash->exception.context;
	if (context == NULL) {
		minidump_message(minidump, UNSUPPORTED_CPU, place,
				 "%s\nthreads, modules and memory are shown, stacks are not walked",
				 wrong);
		return;
	}
	system->arch = context->arch;
	if (!minidump->has_system)
		system->cpu_name = context->arch->name;
	minidump_message(minidump, UNSUPPORTED_CPU, place,
			 "%s\nthe threads' contexts are of %s: their stacks are walked as such",
			 wrong, context->arch->name);
}

bool
system_breakpad_decode(struct minidump *minidump, const struct stream *stream,
		       const struct reader *window)
{
	const struct structure info = system_breakpad_layout.entry;
	const uint64_t valid = fields_number(info, "validity", window);
	struct crash *crash = minidump->crash;

	if (!has_least(minidump, stream, window, 4, info.size))
		return false;
	minidump->has_dump_thread = (valid & 1) != 0 && window->size >= 8;
	minidump->dump_thread_id = (uint32_t)fields_number(info, "dump_thread_id", window);
	crash->has_requesting_thread = (valid & 2) != 0 && window->size >= 12;
	crash->requesting_thread_id = (uint32_t)fields_number(info, "requesting_thread_id", window);
	return true;
}

bool
system_assertion_decode(struct minidump *minidump, const struct stream *stream,
			const struct reader *window)
{
	const struct structure info = system_assertion_layout.entry;
	const uint64_t line = fields_number(info, "line", window);
	const uint64_t type = fields_number(info, "type", window);
	char number[32] = "", kind[48] = "";
	const char *texts[3];

	if (!has_least(minidump, stream, window, info.size, info.size))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		texts[i] = text_or_empty(text_from_utf16(&minidump->crash->arena,
						    window->data + info.rows[i].offset,
						    info.rows[i].size / 2, window->big_endian,
						    true));
	if (type == 1)
		snprintf(kind, sizeof(kind), "Invalid parameter passed to library function");
	else if (type == 2)
		snprintf(kind, sizeof(kind), "Pure virtual function called");
	else
		snprintf(kind, sizeof(kind), "Unknown assertion type 0x%08" PRIx64, type);
	if (line != 0)
		snprintf(number, sizeof(number), " at line %" PRIu64, line);
	minidump->crash->assertion = arena_format(
		&minidump->crash->arena, "%s%s%s%s%s%s%s%s", kind, *texts[0] != '\0' ? " " : "",
		texts[0], *texts[1] != '\0' ? " in function " : "", texts[1],
		*texts[2] != '\0' ? ", in file " : "", texts[2], number);
	return true;
}

/* An incomplete stream is used if it has the exception's code and flags. */
#define EXCEPTION_LEAST 16u

bool
system_exception_decode(struct minidump *minidump, const struct stream *stream,
			const struct reader *window)
{
	struct crash *crash = minidump->crash;
	struct exception_entry entry = { 0 };

	if (!has_least(minidump, stream, window, EXCEPTION_LEAST, exception_structure.size))
		return false;
	fields_read(&exception_structure, window, &entry);
	struct crash_exception exception = {
		.present = true, .thread_id = entry.thread_id, .code = entry.code,
		.flags = entry.flags, .address = entry.address,
		.place = reader_place(window, 0, window->size),
	};
	if (entry.parameter_count > EXCEPTION_PARAMETERS)
		minidump_message(minidump, ENTRY_BROKEN, reader_place(window, 32, 4),
				 "the exception claims %" PRIu32
				 " parameters, there is space for %u\nthis part is shown",
				 entry.parameter_count, EXCEPTION_PARAMETERS);
	for (uint32_t i = 0; i < entry.parameter_count && i < EXCEPTION_PARAMETERS &&
			     window->size >= 48 + 8 * (uint64_t)i; i++)
		exception.parameters[exception.parameter_count++] = entry.parameters[i];
	context_read(minidump, entry.context, "exception", &exception.context);
	if (!crash->exception.present) {
		crash->exception = exception;
		return true;
	}
	minidump_message(minidump, STREAM_DUPLICATE, stream->place,
			 "one more exception, of thread 0x%" PRIx32
			 "\nthe first one is used for the crash", exception.thread_id);
	return minidump_append(minidump, &crash->more_exceptions, &crash->more_exception_count,
			       &minidump->exception_capacity, &exception, sizeof(exception));
}
