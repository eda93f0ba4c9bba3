/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>

#define XSTATE_FEATURES 64u
#define BUILD_OFFSET 232u
#define BUILD_SIZE 520u

/* Flags; each marks fields that the writer has set. */
#define HAS_ID 1u
#define HAS_TIMES 2u
#define HAS_POWER 4u
#define HAS_ZONE 0x40u
#define HAS_BUILD 0x100u

static const struct meaning misc_flags[] = {
	{ 1, "process id" }, { 2, "process times" }, { 4, "processor power" },
	{ 0x10, "integrity level" }, { 0x20, "execute flags" }, { 0x40, "time zone" },
	{ 0x80, "protected process" }, { 0x100, "build strings" }, { 0x200, "process cookie" },
};

static const struct meaning integrity[] = {
	{ 0, "untrusted" }, { 0x1000, "low" }, { 0x2000, "medium" }, { 0x2100, "medium plus" },
	{ 0x3000, "high" }, { 0x4000, "system" }, { 0x5000, "protected" },
};

/* MEM_EXECUTE_OPTION_... (winnt.h) */
static const struct meaning execute[] = {
	{ 1, "disabled" }, { 2, "enabled" }, { 4, "no thunk emulation" }, { 8, "permanent" },
	{ 0x10, "dispatch of exceptions in data allowed" },
	{ 0x20, "images in data allowed" },
};

static const struct meaning zones[] = {
	{ 0, "unknown to the system" }, { 1, "standard" }, { 2, "daylight saving" },
};

#define MISC(member) INTO(struct misc_info, member)

static const struct field misc_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "size_of_info" },
	{ 4, 4, FIELD_HEX, .name = "flags1", BITS(misc_flags) },
	{ 8, 4, FIELD_DECIMAL, .name = "process_id", .flag = HAS_ID, MISC(process_id) },
	{ 12, 4, FIELD_SECONDS, .name = "process_create_time", .flag = HAS_TIMES,
	  MISC(create_time) },
	{ 16, 4, FIELD_DECIMAL, .name = "process_user_time", .flag = HAS_TIMES, MISC(user_time) },
	{ 20, 4, FIELD_DECIMAL, .name = "process_kernel_time", .flag = HAS_TIMES,
	  MISC(kernel_time) },
	{ 24, 4, FIELD_DECIMAL, .name = "processor_max_mhz", .flag = HAS_POWER },
	{ 28, 4, FIELD_DECIMAL, .name = "processor_current_mhz", .flag = HAS_POWER },
	{ 32, 4, FIELD_DECIMAL, .name = "processor_mhz_limit", .flag = HAS_POWER },
	{ 36, 4, FIELD_DECIMAL, .name = "processor_max_idle_state", .flag = HAS_POWER },
	{ 40, 4, FIELD_DECIMAL, .name = "processor_current_idle_state", .flag = HAS_POWER },
	{ 44, 4, FIELD_HEX, .name = "process_integrity_level", VALUES(integrity), .flag = 0x10 },
	{ 48, 4, FIELD_HEX, .name = "process_execute_flags", BITS(execute), .flag = 0x20 },
	{ 52, 4, FIELD_DECIMAL, .name = "protected_process", .flag = 0x80 },
	{ 56, 4, FIELD_DECIMAL, .name = "time_zone_id", VALUES(zones), .flag = HAS_ZONE },
	{ 60, 4, FIELD_SIGNED, .name = "time_zone.bias", .flag = HAS_ZONE },
	{ 64, 64, FIELD_UTF16, .name = "time_zone.standard_name", .flag = HAS_ZONE },
	{ 128, 16, FIELD_DATE, .name = "time_zone.standard_date", .flag = HAS_ZONE },
	{ 144, 4, FIELD_SIGNED, .name = "time_zone.standard_bias", .flag = HAS_ZONE },
	{ 148, 64, FIELD_UTF16, .name = "time_zone.daylight_name", .flag = HAS_ZONE },
	{ 212, 16, FIELD_DATE, .name = "time_zone.daylight_date", .flag = HAS_ZONE },
	{ 228, 4, FIELD_SIGNED, .name = "time_zone.daylight_bias", .flag = HAS_ZONE },
	{ BUILD_OFFSET, BUILD_SIZE, FIELD_UTF16, .name = "build_string", .flag = HAS_BUILD },
	{ 752, 80, FIELD_UTF16, .name = "dbg_bld_str", .flag = HAS_BUILD },
};
const struct structure misc_structure = STRUCTURE(misc_fields, 24);

static const struct field cookie_fields[] = {
	{ 1360, 4, FIELD_HEX, .name = "process_cookie", .flag = 0x200 },
};

/* States of the processor that XSAVE stores (Intel SDM volume 1, 13.1). */
static const struct meaning xstate_features[] = {
	{ 1ull << 0, "x87" }, { 1ull << 1, "sse" }, { 1ull << 2, "avx" },
	{ 1ull << 3, "bndregs" }, { 1ull << 4, "bndcsr" }, { 1ull << 5, "avx-512 opmask" },
	{ 1ull << 6, "avx-512 zmm_hi256" }, { 1ull << 7, "avx-512 hi16_zmm" },
	{ 1ull << 8, "pt" }, { 1ull << 9, "pkru" }, { 1ull << 10, "pasid" },
	{ 1ull << 11, "cet_u" }, { 1ull << 12, "cet_s" }, { 1ull << 13, "hdc" },
	{ 1ull << 14, "uintr" }, { 1ull << 15, "lbr" }, { 1ull << 16, "hwp" },
	{ 1ull << 17, "amx tilecfg" }, { 1ull << 18, "amx tiledata" }, { 1ull << 19, "apx" },
	{ 1ull << 62, "lwp" },
};

static const struct field xstate_fields[] = {
	{ 832, 4, FIELD_DECIMAL, .name = "xstate_data.size_of_info" },
	{ 836, 4, FIELD_DECIMAL, .name = "xstate_data.context_size" },
	{ 840, 8, FIELD_HEX, .name = "xstate_data.enabled_features", BITS(xstate_features) },
};

static const struct field feature_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "offset" },
	{ 4, 4, FIELD_DECIMAL, .name = "size" },
};

/* Fields whose flag is clear exist, but have no meaning. */
static void
tell_flagged(struct describe *describe, struct structure fields, uint32_t flags,
	     const struct reader *window)
{
	for (size_t i = 0; i < fields.count; i++) {
		const struct field *field = &fields.rows[i];

		if (field->flag == 0 || (flags & field->flag) != 0)
			describe_fields(describe, (struct structure){ field, 1, 0 }, window);
		else if ((uint64_t)field->offset + field->size <= window->size)
			describe_value(describe, (struct describe_value){
				.name = field->name, .kind = DESCRIBE_NONE, .note = "invalid",
				.place = reader_place(window, field->offset, field->size) });
	}
}

static void
tell_xstate(struct describe *describe, const struct reader *window)
{
	uint64_t enabled = 0;

	/* The extended state has no flag: a nonzero size shows that it is valid. */
	describe_fields(describe, FIELDS(xstate_fields), window);
	reader_u64(window, 840, &enabled);
	for (uint32_t i = 0; i < XSTATE_FEATURES; i++) {
		struct reader feature;

		if ((enabled >> i & 1) == 0 ||
		    !reader_window(window, 848 + 8 * (uint64_t)i, 8, &feature) ||
		    !describe_begin(describe, (struct describe_record){
			    .name = "xstate_data.features", .index = i,
			    .note = describe_meaning(describe, BITS(xstate_features), 1ull << i),
			    .place = reader_place(&feature, 0, 8) }))
			continue;
		describe_fields(describe, FIELDS(feature_fields), &feature);
		describe_end(describe);
	}
}

void
misc_info_describe(struct describe *describe, const struct reader *window)
{
	static const uint32_t sizes[] = { 1364, 832, 232, 44, 24 };
	const struct crash *crash = describe->crash;
	uint32_t flags = 0, version = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(sizes) && version == 0; i++)
		if (window->size >= sizes[i])
			version = (uint32_t)ARRAY_COUNT(sizes) - i;
	describe_value(describe, (struct describe_value){
		.name = "version", .kind = DESCRIBE_DECIMAL, .number = version, .derived = true });
	reader_u32(window, 4, &flags);
	tell_flagged(describe, misc_structure, flags, window);
	if (window->size < misc_structure.size)
		describe_broken(describe, "structure", reader_place(window, 0, 0),
				"%" PRIu64 " bytes, expected %" PRIu32, window->size,
				misc_structure.size);
	if ((flags & HAS_TIMES) != 0 && crash->time >= crash->misc.create_time &&
	    crash->misc.has_times)
		describe_value(describe, (struct describe_value){
			.name = "process_uptime", .kind = DESCRIBE_DECIMAL, .derived = true,
			.number = crash->time - crash->misc.create_time, .note = "seconds" });
	if (window->size < 1364)
		return;
	tell_flagged(describe, FIELDS(cookie_fields), flags, window);
	tell_xstate(describe, window);
}

bool
misc_info_decode(struct minidump *minidump, const struct stream *stream,
		 const struct reader *window)
{
	struct misc_info *misc = &minidump->crash->misc;
	struct reader build;
	uint32_t flags;

	if (!reader_u32(window, 4, &flags)) {
		minidump_message(minidump, STREAM_BROKEN, stream->place,
				 "stream %s has %" PRIu64 " bytes, expected at least %" PRIu32,
				 stream->name, window->size, misc_structure.size);
		return false;
	}
	misc->present = true;
	misc->place = reader_place(window, 0, window->size);
	fields_read(&misc_structure, window, misc);
	misc->has_process_id = (flags & HAS_ID) != 0 && window->size >= 12;
	misc->has_times = (flags & HAS_TIMES) != 0 && window->size >= 24;
	if ((flags & HAS_BUILD) == 0 || !reader_window(window, BUILD_OFFSET, BUILD_SIZE, &build))
		return true;
	misc->build = text_or_empty(text_from_utf16(&minidump->crash->arena, build.data,
						    BUILD_SIZE / 2, build.big_endian, true));
	return true;
}
