/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <string.h>

#define SYSTEM_SIZE 56u
#define EXCEPTION_SIZE 168u
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

static const struct field system_fields[] = {
	{ 0, 2, FIELD_HEX, .name = "processor_architecture", VALUES(processors) },
	{ 2, 2, FIELD_DECIMAL, .name = "processor_level" },
	{ 4, 2, FIELD_HEX, .name = "processor_revision" },
	{ 6, 1, FIELD_DECIMAL, .name = "number_of_processors" },
	{ 7, 1, FIELD_DECIMAL, .name = "product_type", VALUES(products) },
	{ 8, 4, FIELD_DECIMAL, .name = "major_version" },
	{ 12, 4, FIELD_DECIMAL, .name = "minor_version" },
	{ 16, 4, FIELD_DECIMAL, .name = "build_number" },
	{ 20, 4, FIELD_HEX, .name = "platform_id", VALUES(platforms) },
	{ 24, 4, FIELD_HEX, .name = "csd_version_rva" },
	{ 28, 2, FIELD_HEX, .name = "suite_mask", BITS(suites) },
	{ 30, 2, FIELD_HEX, .name = "reserved2" },
};

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

/* Which forms of the union a processor architecture may have; the first fits by the book. */
static const struct {
	uint16_t processor;
	struct field_table first, second;
} unions[] = {
	{ 0, FIELD_TABLE(x86_fields), { NULL, 0 } },
	{ 10, FIELD_TABLE(x86_fields), { NULL, 0 } },
	{ 9, FIELD_TABLE(x86_fields), { other_fields, 1 } },
	{ 5, FIELD_TABLE(arm_fields), FIELD_TABLE(x86_fields) },
	{ 12, FIELD_TABLE(arm_fields), FIELD_TABLE(x86_fields) },
	{ 0x8003, FIELD_TABLE(arm_fields),
	  FIELD_TABLE(x86_fields) },
};

/* The 12 characters of a vendor, where they are characters: what dbghelp stores are not. */
static const char *
vendor_text(struct describe *describe, const struct reader *window)
{
	char vendor[13] = "";

	for (uint64_t word = 0; word < 3; word++) {
		uint32_t value = 0;

		reader_u32(window, 32 + 4 * word, &value);
		for (unsigned byte = 0; byte < 4; byte++) {
			char c = (char)(uint8_t)(value >> 8 * byte);

			if (c < ' ' || c > '~')
				return NULL;
			vendor[4 * word + byte] = c;
		}
	}
	return arena_copy(&describe->arena, vendor, 12);
}

/* Wine stores what it is behind the structure: offsets of strings, counted from their number. */
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
					"lies behind the end of the file");
			continue;
		}
		const char *text = (const char *)extension.data + at;
		size_t room = (size_t)(extension.size - at);
		size_t length = strnlen(text, room < LIMIT_STRING ? room : LIMIT_STRING);
		describe_value(describe, (struct describe_value){
			.name = names[i], .kind = DESCRIBE_TEXT, .text = { text, length },
			.place = reader_place(&extension, at, (uint32_t)length) });
	}
}

void
describe_system_info(struct describe *describe, const struct reader *window)
{
	struct field_table first = { other_fields, 1 },
		      second = FIELD_TABLE(x86_fields);
	uint16_t processor = 0;
	uint32_t csd = 0;

	reader_u16(window, 0, &processor);
	reader_u32(window, 24, &csd);
	describe_structure(describe, FIELDS(system_fields), window, SYSTEM_SIZE);
	for (size_t i = 0; i < ARRAY_COUNT(unions); i++) {
		if (unions[i].processor != processor)
			continue;
		first = unions[i].first;
		second = unions[i].second;
	}
	describe_fields(describe, first, window);
	describe_fields(describe, second, window);
	if (first.rows == arm_fields)
		describe_fields(describe, FIELDS(other_fields), window);
	describe_text(describe, "cpu_vendor", DESCRIBE_TEXT,
		      first.rows == x86_fields ? vendor_text(describe, window) : NULL,
		      reader_place(window, 32, 12));
	describe_text(describe, "cpu", DESCRIBE_WORD, describe->crash->system.cpu_info,
		      reader_place(window, 0, 6));
	describe_string(describe, "csd_version", csd, false);
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

void
describe_breakpad_info(struct describe *describe, const struct reader *window)
{
	describe_structure(describe, FIELDS(breakpad_fields), window, 12);
}

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

void
describe_assertion(struct describe *describe, const struct reader *window)
{
	describe_structure(describe, FIELDS(assertion_fields), window, 776);
}

static const struct field exception_fields[] = {
	{ 0, 4, FIELD_THREAD, .name = "thread_id" },
	{ 4, 4, FIELD_HEX, .name = "__align" },
	{ 8, 4, FIELD_HEX, .name = "exception_record.exception_code" },
	{ 12, 4, FIELD_HEX, .name = "exception_record.exception_flags" },
	{ 16, 8, FIELD_ADDRESS, .name = "exception_record.exception_record" },
	{ 24, 8, FIELD_ADDRESS, .name = "exception_record.exception_address" },
	{ 32, 4, FIELD_DECIMAL, .name = "exception_record.number_parameters" },
	{ 36, 4, FIELD_HEX, .name = "exception_record.__align" },
};

static const struct field exception_context_fields[] = {
	{ 160, 4, FIELD_DECIMAL, .name = "thread_context.data_size" },
	{ 164, 4, FIELD_HEX, .name = "thread_context.rva" },
};

/* The exception of the model that was read from these bytes. */
static bool
is_first(const struct describe *describe, const struct reader *window)
{
	const struct crash_exception *exception = &describe->crash->exception;

	return exception->present && exception->place.offset == window->start;
}

void
describe_exception(struct describe *describe, const struct reader *window)
{
	struct field parameters = { 40, 8, FIELD_HEX,
				    .name = "exception_record.exception_information" };
	const struct crash *crash = describe->crash;
	struct location context = { 0 };
	uint32_t count = 0;

	describe_structure(describe, FIELDS(exception_fields), window, EXCEPTION_SIZE);
	reader_u32(window, 32, &count);
	if (count > EXCEPTION_PARAMETERS)
		describe_broken(describe, "exception_record.number_parameters",
				reader_place(window, 32, 4),
				"%" PRIu32 " parameters, there is room for %u", count,
				EXCEPTION_PARAMETERS);
	parameters.count = count < EXCEPTION_PARAMETERS ? count : EXCEPTION_PARAMETERS;
	if (count > 0)
		describe_fields(describe, (struct field_table){ &parameters, 1 }, window);
	describe_fields(describe, FIELDS(exception_context_fields), window);
	if (is_first(describe, window)) {
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
	minidump_location(window, 160, &context);
	describe_context(describe, "context", context);
}

/* Comments ------------------------------------------------------------------------------------- */

void
describe_comment_a(struct describe *describe, const struct reader *window)
{
	const char *text = (const char *)window->data;
	size_t length = strnlen(text, (size_t)window->size);

	describe_value(describe, (struct describe_value){
		.name = "comment", .kind = DESCRIBE_TEXT, .text = { text, length },
		.place = reader_place(window, 0, (uint32_t)length) });
}

void
describe_comment_w(struct describe *describe, const struct reader *window)
{
	const char *text = text_from_utf16(&describe->arena, window->data,
					   (size_t)window->size / 2, window->big_endian, true);

	describe_value(describe, (struct describe_value){
		.name = "comment", .kind = DESCRIBE_TEXT, .text = text_of(text != NULL ? text : ""),
		.place = reader_place(window, 0, (uint32_t)window->size) });
}
