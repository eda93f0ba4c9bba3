/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>

#define XSTATE_FEATURES 64u

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

static const struct field head_fields[] = {
	{ 0, 4, FIELD_DECIMAL, .name = "size_of_info" },
	{ 4, 4, FIELD_HEX, .name = "flags1", BITS(misc_flags) },
};

static const struct field id_fields[] = {
	{ 8, 4, FIELD_DECIMAL, .name = "process_id" },
};

static const struct field time_fields[] = {
	{ 12, 4, FIELD_SECONDS, .name = "process_create_time" },
	{ 16, 4, FIELD_DECIMAL, .name = "process_user_time" },
	{ 20, 4, FIELD_DECIMAL, .name = "process_kernel_time" },
};

static const struct field power_fields[] = {
	{ 24, 4, FIELD_DECIMAL, .name = "processor_max_mhz" },
	{ 28, 4, FIELD_DECIMAL, .name = "processor_current_mhz" },
	{ 32, 4, FIELD_DECIMAL, .name = "processor_mhz_limit" },
	{ 36, 4, FIELD_DECIMAL, .name = "processor_max_idle_state" },
	{ 40, 4, FIELD_DECIMAL, .name = "processor_current_idle_state" },
};

static const struct field integrity_fields[] = {
	{ 44, 4, FIELD_HEX, .name = "process_integrity_level", VALUES(integrity) },
};

static const struct field execute_fields[] = {
	{ 48, 4, FIELD_HEX, .name = "process_execute_flags", BITS(execute) },
};

static const struct field protected_fields[] = {
	{ 52, 4, FIELD_DECIMAL, .name = "protected_process" },
};

static const struct field zone_fields[] = {
	{ 56, 4, FIELD_DECIMAL, .name = "time_zone_id", VALUES(zones) },
	{ 60, 4, FIELD_SIGNED, .name = "time_zone.bias" },
	{ 64, 64, FIELD_UTF16, .name = "time_zone.standard_name" },
	{ 128, 16, FIELD_DATE, .name = "time_zone.standard_date" },
	{ 144, 4, FIELD_SIGNED, .name = "time_zone.standard_bias" },
	{ 148, 64, FIELD_UTF16, .name = "time_zone.daylight_name" },
	{ 212, 16, FIELD_DATE, .name = "time_zone.daylight_date" },
	{ 228, 4, FIELD_SIGNED, .name = "time_zone.daylight_bias" },
};

static const struct field build_fields[] = {
	{ 232, 520, FIELD_UTF16, .name = "build_string" },
	{ 752, 80, FIELD_UTF16, .name = "dbg_bld_str" },
};

static const struct field cookie_fields[] = {
	{ 1360, 4, FIELD_HEX, .name = "process_cookie" },
};

/* The groups of fields, in the order of the file: each counts only with its flag. */
static const struct {
	uint32_t flag;
	struct field_table fields;
} groups[] = {
	{ 1, FIELD_TABLE(id_fields) },
	{ 2, FIELD_TABLE(time_fields) },
	{ 4, FIELD_TABLE(power_fields) },
	{ 0x10, FIELD_TABLE(integrity_fields) },
	{ 0x20, FIELD_TABLE(execute_fields) },
	{ 0x80, FIELD_TABLE(protected_fields) },
	{ 0x40, FIELD_TABLE(zone_fields) },
	{ 0x100, FIELD_TABLE(build_fields) },
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

/* Fields whose flag is not set: that they are there, and that nobody wrote them. */
static void
tell_invalid(struct describe *describe, struct field_table fields, const struct reader *window)
{
	for (size_t i = 0; i < fields.count; i++) {
		const struct field *field = &fields.rows[i];

		if ((uint64_t)field->offset + field->size <= window->size)
			describe_value(describe, (struct describe_value){
				.name = field->name, .kind = DESCRIBE_NONE, .note = "invalid",
				.place = reader_place(window, field->offset, field->size) });
	}
}

static void
tell_xstate(struct describe *describe, const struct reader *window)
{
	uint64_t enabled = 0;

	/* No flag speaks of it: a size that is not 0 does. */
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
describe_misc_info(struct describe *describe, const struct reader *window)
{
	static const uint32_t sizes[] = { 1364, 832, 232, 44, 24 };
	const struct crash *crash = describe->crash;
	uint32_t flags = 0, version = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT(sizes) && version == 0; i++)
		if (window->size >= sizes[i])
			version = (uint32_t)ARRAY_COUNT(sizes) - i;
	describe_value(describe, (struct describe_value){
		.name = "version", .kind = DESCRIBE_DECIMAL, .number = version, .derived = true });
	describe_structure(describe, FIELDS(head_fields), window, 24);
	reader_u32(window, 4, &flags);
	for (size_t i = 0; i < ARRAY_COUNT(groups); i++) {
		if ((flags & groups[i].flag) != 0)
			describe_fields(describe, groups[i].fields, window);
		else
			tell_invalid(describe, groups[i].fields, window);
	}
	if ((flags & 2) != 0 && crash->time >= crash->misc.create_time && crash->misc.has_times)
		describe_value(describe, (struct describe_value){
			.name = "process_uptime", .kind = DESCRIBE_DECIMAL, .derived = true,
			.number = crash->time - crash->misc.create_time, .note = "seconds" });
	if (window->size < 1364)
		return;
	describe_fields(describe, (struct field_table){ cookie_fields, (flags & 0x200) != 0 },
			window);
	if ((flags & 0x200) == 0)
		tell_invalid(describe, FIELDS(cookie_fields), window);
	tell_xstate(describe, window);
}
