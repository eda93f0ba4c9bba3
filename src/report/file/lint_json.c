/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "report/file/lint_report.h"

/* Findings of lint as JSON of our own and as SARIF (OASIS, version 2.1.0). */

static const struct fact_names lint_severities = FACT_NAMES(lint_severity_names);
static const struct fact_names lint_codes = FACT_NAMES_IN(lint_code_table);

static void
write_counts(struct json *json, const size_t counts[LINT_CODE_COUNT])
{
	for (int i = 0; i < LINT_CODE_COUNT; i++)
		if (counts[i] > 0)
			json_number(json, lint_code_table[i].name, counts[i]);
}

#define FACTS "report/file/lint_facts.def"
#include "document/describe_facts.h"

void
lint_report_json(const struct lint *lint, const char *path, const struct policy *policy,
		 struct json *json)
{
	json_object(json, NULL);
	lint_report_members(json, lint, path, policy);
	json_object_end(json);
}

static void
write_message(struct json *json, const char *key, const char *text)
{
	json_object(json, key);
	json_string(json, "text", text);
	json_object_end(json);
}

static void
write_rule(const struct lint_code_info *info, struct json *json)
{
	char help[1024];

	snprintf(help, sizeof(help), "%s.%s%s%s%s%s%s%s%s", info->effect,
		 info->breakpad[0] != '\0' ? " Breakpad " : "", info->breakpad,
		 info->breakpad[0] != '\0' ? "." : "", info->rust[0] != '\0' ? " rust-minidump " : "",
		 info->rust, info->rust[0] != '\0' ? "." : "", info->hint[0] != '\0' ? " Help: " : "",
		 info->hint);
	json_object(json, NULL);
	json_string(json, "id", info->name);
	write_message(json, "shortDescription", info->wrong);
	write_message(json, "help", help);
	json_object(json, "defaultConfiguration");
	json_string(json, "level", lint_severity_names[info->severity]);
	json_object_end(json);
	json_object_end(json);
}

void
lint_report_sarif_begin(struct json *json, const char *version)
{
	json_object(json, NULL);
	json_string(json, "$schema",
		    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
		    "sarif-schema-2.1.0.json");
	json_string(json, "version", "2.1.0");
	json_array(json, "runs");
	json_object(json, NULL);
	json_object(json, "tool");
	json_object(json, "driver");
	json_string(json, "name", "unspool lint");
	json_string(json, "version", version);
	json_array(json, "rules");
	for (int i = 0; i < LINT_CODE_COUNT; i++)
		write_rule(&lint_code_table[i], json);
	json_array_end(json);
	json_object_end(json);
	json_object_end(json);
	json_string(json, "columnKind", "utf16CodeUnits");
	json_array(json, "results");
}

/* A path as a URI reference: what is not plain is written as %XX. */
static void
write_uri(struct json *json, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/";
	char uri[4096];
	size_t used = 0;

	for (; *path != '\0' && used + 4 < sizeof(uri); path++)
		if (strchr(plain, *path) != NULL)
			uri[used++] = *path;
		else
			used += (size_t)snprintf(uri + used, 4, "%%%02X", (unsigned char)*path);
	uri[used] = '\0';
	json_string(json, "uri", uri);
}

/* A column in units of UTF-16: what is no UTF-8 counts as one each. */
static uint64_t
utf16_column(const struct lint_finding *finding)
{
	const size_t bytes = finding->place.column > 0 ? finding->place.column - 1 : 0;
	uint64_t column = 1;

	for (size_t at = 0; at < bytes && at < finding->record.length; column++) {
		uint32_t character = 0;
		const size_t length = text_decode(finding->record.start + at,
						  finding->record.length - at, &character);

		at += length > 0 ? length : 1;
		column += character > 0xffff;
	}
	return bytes < finding->record.length ? column
					      : column + bytes - finding->record.length;
}

static void
write_result(const struct lint_finding *finding, const char *path, const struct policy *policy,
	     struct json *json)
{
	const struct lint_code_info *info = &lint_code_table[finding->code];
	char text[700];

	snprintf(text, sizeof(text), "%s%s%s", info->wrong, finding->text[0] != '\0' ? ": " : "",
		 finding->text);
	json_object(json, NULL);
	json_string(json, "ruleId", info->name);
	json_number(json, "ruleIndex", (uint64_t)finding->code);
	json_string(json, "level", lint_severity_names[info->severity]);
	write_message(json, "message", text);
	json_array(json, "locations");
	json_object(json, NULL);
	json_object(json, "physicalLocation");
	json_object(json, "artifactLocation");
	write_uri(json, path);
	json_object_end(json);
	json_object(json, "region");
	json_number(json, "startLine", finding->place.line > 0 ? finding->place.line : 1);
	json_number(json, "startColumn", utf16_column(finding));
	json_object_end(json);
	json_object_end(json);
	if (finding->name.length > 0) {
		struct arena arena;

		arena_init(&arena, 0);
		const struct text name = demangle_shown(policy, finding->name, &arena);
		json_array(json, "logicalLocations");
		json_object(json, NULL);
		json_text(json, "fullyQualifiedName", name);
		if (!text_equal(name, finding->name))
			json_text(json, "decoratedName", finding->name);
		json_string(json, "kind", "function");
		json_object_end(json);
		json_array_end(json);
		arena_free(&arena);
	}
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
}

void
lint_report_sarif(const struct lint *lint, const char *path, const struct policy *policy,
		  struct json *json)
{
	for (size_t i = 0; i < lint->finding_count; i++)
		write_result(&lint->findings[i], path, policy, json);
}

void
lint_report_sarif_end(struct json *json)
{
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
}
