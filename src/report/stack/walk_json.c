/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_json.h"

#include <ctype.h>
#include <string.h>

#include "document/names.h"
#include "report/stack/walk_json_internal.h"

/* The value of an annotation by any of its names, without quotes around it; empty: none. */
static struct text
annotation_value(const struct crash *crash, const char *source, const char *key,
		 const char *other)
{
	for (size_t i = 0; i < crash->annotation_count; i++) {
		const struct annotation *at = &crash->annotations[i];

		if (strcmp(at->source, source) != 0 ||
		    (strcmp(at->key, key) != 0 && strcmp(at->key, other) != 0))
			continue;
		struct text value = text_of(at->value);
		if (value.length >= 2 && value.start[0] == '"' &&
		    value.start[value.length - 1] == '"')
			value = (struct text){ value.start + 1, value.length - 2 };
		return value;
	}
	return (struct text){ "", 0 };
}

static bool
has_release(const struct crash *crash)
{
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, "release") == 0)
			return true;
	return false;
}

/* The process's id, from its stream or else from /proc. */
static bool
process_id(const struct crash *crash, uint64_t *pid)
{
	const struct text status = annotation_value(crash, "process status", "Pid", "Pid");

	if (crash->misc.has_process_id) {
		*pid = crash->misc.process_id;
		return true;
	}
	for (size_t i = 0; i < status.length && i < 9; i++)
		if (isdigit((unsigned char)status.start[i]))
			*pid = *pid * 10 + (uint64_t)(status.start[i] - '0');
	return status.length > 0;
}

static const struct symfile *
symfile_of(const struct walk_json *document, size_t module, enum symbols_state *state)
{
	return document->symbols != NULL ? symbols_peek(document->symbols, module, state) : NULL;
}

static const char *
lower_case(const char *string, char *buffer, size_t size)
{
	size_t length = 0;

	for (; string[length] != '\0' && length + 1 < size; length++)
		buffer[length] = (char)tolower((unsigned char)string[length]);
	buffer[length] = '\0';
	return buffer;
}

static void
write_policy_values(struct json *json, const struct policy *policy)
{
	for (size_t row = 0; row < POLICY_COUNT; row++)
		json_number(json, policy_table[row].name, policy->value[row]);
}

static void
write_messages(struct json *json, const struct walk_json *document);

static const char *const status_words[] = { "OK" };
static const struct fact_names statuses = FACT_NAMES(status_words);

static const char *const format_words[] = { "minidump", "microdump" };
static const struct fact_names formats = FACT_NAMES(format_words);

#define FACTS "report/stack/walk_facts.def"
#include "document/describe_facts.h"

static void
write_list(struct json *json, const struct message_list *list)
{
	for (size_t i = 0; list != NULL && i < list->count; i++) {
		json_object(json, NULL);
		message_members(json, &list->messages[i]);
		json_object_end(json);
	}
}

static void
write_messages(struct json *json, const struct walk_json *document)
{
	enum symbols_state state;

	write_list(json, &document->crash->messages);
	if (document->symbols != NULL)
		write_list(json, symbols_messages(document->symbols));
	for (size_t i = 0; i < document->crash->module_count; i++) {
		const struct symfile *symfile = symfile_of(document, i, &state);

		if (symfile != NULL)
			write_list(json, symfile_messages(symfile));
	}
}

bool
walk_json(const struct output *output, const struct crash *crash, struct symbols *symbols,
	  struct binaries *binaries, const struct policy *policy,
	  const struct walk_json_options *options)
{
	struct walk_json document = {
		.crash = crash,
		.symbols = symbols,
		.binaries = binaries,
		.policy = policy,
		.options = options,
	};
	const int requesting = crash->requesting_thread;
	struct json json;

	if (requesting >= 0 && !crash->threads[requesting].wrote_dump) {
		document.requesting =
			walk_create(crash, symbols, binaries, (size_t)requesting, policy);
		if (document.requesting == NULL)
			return false;
		walk_run(document.requesting, 0);
	}
	struct analysis *analysis = analysis_create(crash, document.requesting, binaries);
	document.analysis = analysis;
	document.failed = analysis == NULL;
	if (!document.failed) {
		json_begin(&json, output, options->pretty);
		json.digits = crash->system.arch->word_size * 2;
		json_object(&json, NULL);
		walk_document_members(&json, &document);
		json_object_end(&json);
		json_finish(&json);
	}
	analysis_free(analysis);
	walk_free(document.requesting);
	return !document.failed;
}
