/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_json_internal.h"

/* The first two are rust-minidump's words. */
static const char *const adjustments[] = {
	[ANALYSIS_NON_CANONICAL] = "non-canonical", [ANALYSIS_NULL_OFFSET] = "null-pointer",
	[ANALYSIS_OF_INSTRUCTION] = "instruction",
};
static const struct fact_names adjustment_names = FACT_NAMES(adjustments);

static const struct fact_names access_names = FACT_NAMES(analysis_access_names);

static const char *const permissions[] = {
	[ANALYSIS_UNKNOWN] = "unknown", [ANALYSIS_ALLOWED] = "allowed",
	[ANALYSIS_DENIED] = "denied", [ANALYSIS_UNMAPPED] = "unmapped",
};
static const struct fact_names permission_names = FACT_NAMES(permissions);

static const char *const findings[] = {
#define F(id, name, title) name,
#include "analysis/finding.def"
#undef F
};
static const struct fact_names finding_names = FACT_NAMES(findings);

static const char *
register_label(const struct analysis *analysis, int reg)
{
	return reg != ARCH_NO_REGISTER ? analysis->crash->system.arch->registers[reg].label : NULL;
}

static void
write_inconsistencies(struct json *json, const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->finding_count; i++) {
		const char *name = finding_inconsistency(analysis->findings[i].kind);

		if (name != NULL)
			json_string(json, NULL, name);
	}
}

static const struct crash_exception *
exception_at(const struct crash *crash, size_t index)
{
	if (!crash->exception.present)
		return &crash->more_exceptions[index];
	return index == 0 ? &crash->exception : &crash->more_exceptions[index - 1];
}

#define FACTS "report/stack/crash_facts.def"
#include "document/describe_facts.h"
