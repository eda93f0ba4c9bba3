/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_json.h"

#include <ctype.h>
#include <string.h>

#include "report/stack/walk_json_internal.h"
#include "report/stack/walk_text.h"

void
walk_json_base_name(struct json *json, const char *key, const char *path)
{
	json_string(json, key, path != NULL ? place_base_name(path) : NULL);
}

void
walk_json_address(struct walk_json *document, const char *key, uint64_t address)
{
	json_hex(&document->json, key, address, document->digits);
}

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

static void
write_system(struct walk_json *document)
{
	struct json *json = &document->json;
	const struct crash_system *system = &document->crash->system;
	struct text microcode =
		annotation_value(document->crash, "cpu info", "microcode", "microcode");

	json_object(json, "system_info");
	json_string(json, "os", system->os_name);
	json_string(json, "os_ver", system->os_version);
	json_string(json, "cpu_arch", system->cpu_name);
	json_string(json, "cpu_info", system->cpu_info);
	json_number(json, "cpu_count", system->cpu_count);
	if (microcode.length > 0)
		json_text(json, "cpu_microcode_version", microcode);
	else
		json_null(json, "cpu_microcode_version");
	json_object_end(json);
}

static void
write_release(struct walk_json *document)
{
	static const struct {
		const char *name, *key, *other;
	} members[] = {
		{ "id", "DISTRIB_ID", "ID" },
		{ "release", "DISTRIB_RELEASE", "VERSION_ID" },
		{ "codename", "DISTRIB_CODENAME", "VERSION_CODENAME" },
		{ "description", "DISTRIB_DESCRIPTION", "PRETTY_NAME" },
	};
	struct json *json = &document->json;
	bool any = false;

	for (size_t i = 0; i < document->crash->annotation_count; i++)
		any = any || strcmp(document->crash->annotations[i].source, "release") == 0;
	if (!any) {
		json_null(json, "lsb_release");
		return;
	}
	json_object(json, "lsb_release");
	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		json_text(json, members[i].name,
			  annotation_value(document->crash, "release", members[i].key,
					   members[i].other));
	json_object_end(json);
}

static void
write_process(struct walk_json *document)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;
	const struct misc_info *misc = &crash->misc;
	struct text pid = annotation_value(crash, "process status", "Pid", "Pid");
	uint32_t number = misc->has_process_id ? misc->process_id : 0;

	for (size_t i = 0; !misc->has_process_id && i < pid.length && i < 9; i++)
		if (isdigit((unsigned char)pid.start[i]))
			number = number * 10 + (uint32_t)(pid.start[i] - '0');
	if (misc->has_process_id || pid.length > 0)
		json_number(json, "pid", number);
	else
		json_null(json, "pid");
	if (crash->time != 0)
		json_number(json, "time", crash->time);
	else
		json_null(json, "time");
	if (crash->time != 0 && misc->has_times && misc->create_time != 0 &&
	    crash->time >= misc->create_time)
		json_number(json, "process_uptime", crash->time - misc->create_time);
	else
		json_null(json, "process_uptime");
}

/* Code identifiers are lower case there, debug identifiers as Breakpad writes them. */
static void
write_code_id(struct json *json, const char *code_id)
{
	char text[256];
	size_t length = strlen(code_id);

	length = length < sizeof(text) ? length : sizeof(text) - 1;
	for (size_t i = 0; i < length; i++)
		text[i] = (char)tolower((unsigned char)code_id[i]);
	text[length] = '\0';
	json_string(json, "code_id", text);
}

static void
write_module(struct walk_json *document, size_t index)
{
	struct json *json = &document->json;
	const struct module *module = &document->crash->modules[index];
	enum symbols_state state = SYMBOLS_PENDING;
	const struct symfile *symfile =
		document->symbols != NULL ? symbols_peek(document->symbols, index, &state) : NULL;

	json_object(json, NULL);
	walk_json_address(document, "base_addr", module->base);
	walk_json_address(document, "end_addr", module->base + module->size);
	walk_json_base_name(json, "filename", module->code_file);
	write_code_id(json, module->code_id);
	walk_json_base_name(json, "debug_file", module->debug_file);
	json_string(json, "debug_id", module->debug_id);
	json_string(json, "version", module->version[0] != '\0' ? module->version : NULL);
	json_null(json, "cert_subject");
	json_bool(json, "missing_symbols", state == SYMBOLS_ABSENT);
	json_bool(json, "loaded_symbols", symfile != NULL);
	json_bool(json, "corrupt_symbols", symfile != NULL && symfile_corrupt(symfile));
	json_null(json, "symbol_url");
	json_string(json, "path", module->code_file);
	json_string(json, "symbol_path",
		    symfile != NULL ? symfile_file(symfile)->input.name : NULL);
	place_write(json, "place", module->place);
	json_object_end(json);
}

static void
write_modules(struct walk_json *document)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;

	if (crash->module_count > 0)
		json_number(json, "main_module", 0);
	else
		json_null(json, "main_module");
	json_bool(json, "modules_contains_cert_info", false);
	json_array(json, "modules");
	for (size_t i = 0; i < crash->module_count; i++)
		write_module(document, i);
	json_array_end(json);
	json_array(json, "unloaded_modules");
	for (size_t i = 0; i < crash->unloaded_count; i++) {
		const struct module *module = &crash->unloaded[i];

		json_object(json, NULL);
		walk_json_address(document, "base_addr", module->base);
		walk_json_address(document, "end_addr", module->base + module->size);
		write_code_id(json, module->code_id);
		json_string(json, "filename", module->code_file);
		json_null(json, "cert_subject");
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_thread_head(struct walk_json *document, size_t index)
{
	struct json *json = &document->json;
	const struct thread *thread = &document->crash->threads[index];

	json_string(json, "thread_name", thread->name);
	json_number(json, "thread_id", thread->id);
	if (thread->has_last_error && thread->last_error_name == NULL)
		json_hex(json, "last_error_value", thread->last_error, 8);
	else
		json_string(json, "last_error_value",
			    thread->has_last_error ? thread->last_error_name : NULL);
}

static void
write_stack(struct walk_json *document, const struct thread *thread)
{
	struct json *json = &document->json;

	json_object(json, "stack");
	walk_json_address(document, "address", thread->stack_start);
	json_number(json, "size", thread->stack_size);
	json_number(json, "available", thread->stack != NULL ? thread->stack->available : 0);
	json_object_end(json);
}

static bool
is_chosen(const struct walk_json *document, size_t index, size_t number)
{
	const struct walk_json_options *options = document->options;

	if (document->crash->threads[index].wrote_dump)
		return false;
	if (options->only_requesting)
		return document->crash->requesting_thread == (int)index;
	return options->only_thread < 0 || (size_t)options->only_thread == number;
}

/* One thread of the list. `known` is its walk where that has been made; otherwise it is made. */
static bool
write_thread(struct walk_json *document, size_t index, size_t number, struct walk *known)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;
	const struct thread *thread = &crash->threads[index];
	bool chosen = is_chosen(document, index, number);
	struct walk *walk = known;

	if (chosen && walk == NULL) {
		walk = walk_create(crash, document->symbols, document->binaries, index,
				   document->policy);
		if (walk == NULL)
			return false;
		walk_run(walk, 0);
	}
	json_object(json, NULL);
	write_thread_head(document, index);
	if (thread->wrote_dump)
		json_null(json, "number");
	else
		json_number(json, "number", number);
	json_bool(json, "requesting", crash->requesting_thread == (int)index);
	json_bool(json, "wrote_dump", thread->wrote_dump);
	json_bool(json, "walked", chosen);
	json_string(json, "arch", chosen ? walk->arch->name : NULL);
	write_stack(document, thread);
	if (chosen) {
		walk_json_frames(document, walk, true);
	} else {
		json_number(json, "frame_count", 0);
		json_array(json, "frames");
		json_array_end(json);
		json_null(json, "cycles");
		json_null(json, "end");
	}
	place_write(json, "place", thread->place);
	json_object_end(json);
	if (walk != known)
		walk_free(walk);
	return true;
}

static bool
write_threads(struct walk_json *document, struct walk *requesting)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;
	bool good = true;

	if (requesting != NULL) {
		json_object(json, "crashing_thread");
		json_number(json, "threads_index", requesting->thread);
		write_thread_head(document, requesting->thread);
		walk_json_frames(document, requesting, false);
		json_object_end(json);
	} else {
		json_null(json, "crashing_thread");
	}
	json_number(json, "thread_count", crash->thread_count);
	json_array(json, "threads");
	size_t number = 0;
	for (size_t i = 0; i < crash->thread_count && good; i++) {
		bool known = requesting != NULL && requesting->thread == i;

		good = write_thread(document, i, number, known ? requesting : NULL);
		number += !crash->threads[i].wrote_dump;
	}
	json_array_end(json);
	return good;
}

static void
write_annotations(struct walk_json *document)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;

	json_array(json, "annotations");
	for (size_t i = 0; i < crash->annotation_count; i++) {
		const struct annotation *at = &crash->annotations[i];

		if (crash_redacts(crash, at))
			continue;
		json_object(json, NULL);
		json_string(json, "source", at->source);
		json_string(json, "key", at->key);
		json_string(json, "value", at->value);
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_directory(struct walk_json *document)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;

	json_array(json, "streams");
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];

		json_object(json, NULL);
		json_hex(json, "type", stream->type, 8);
		json_string(json, "name", stream->name);
		json_number(json, "offset", stream->offset);
		json_number(json, "size", stream->size);
		json_bool(json, "decoded", stream->decoded);
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_messages(struct json *json, const struct message_list *list)
{
	for (size_t i = 0; list != NULL && i < list->count; i++) {
		const struct message *message = &list->messages[i];

		json_object(json, NULL);
		json_string(json, "severity",
			    message_severity_name(message_kind_severity(message->kind)));
		json_string(json, "kind", message_kind_name(message->kind));
		json_string(json, "text", message->text);
		json_string(json, "hint", message->hint);
		place_write(json, "place", message->place);
		json_object_end(json);
	}
}

static void
write_all_messages(struct walk_json *document)
{
	struct json *json = &document->json;

	json_array(json, "messages");
	write_messages(json, &document->crash->messages);
	if (document->symbols != NULL)
		write_messages(json, symbols_messages(document->symbols));
	for (size_t i = 0; document->symbols != NULL && i < document->crash->module_count; i++) {
		enum symbols_state state;
		const struct symfile *symfile = symbols_peek(document->symbols, i, &state);

		if (symfile != NULL)
			write_messages(json, symfile_messages(symfile));
	}
	json_array_end(json);
}

static void
write_policy(struct walk_json *document)
{
	struct json *json = &document->json;

	json_object(json, "policy");
	json_string(json, "compat", policy_column_name(document->options->compat));
	json_object(json, "values");
	for (size_t row = 0; row < POLICY_COUNT; row++)
		json_number(json, policy_table[row].name, document->policy->value[row]);
	json_object_end(json);
	if (document->policy->method_count > 0) {
		json_array(json, "methods");
		for (size_t i = 0; i < document->policy->method_count; i++)
			json_string(json, NULL,
				    method_name((enum method_id)document->policy->methods[i]));
		json_array_end(json);
	}
	json_object_end(json);
}

static void
write_head(struct walk_json *document, const struct analysis *analysis)
{
	struct json *json = &document->json;
	const struct crash *crash = document->crash;

	json_string(json, "status", "OK");
	json_string(json, "dump", crash->file.input.name);
	json_string(json, "format", crash->format);
	write_process(document);
	walk_json_crash(document, analysis);
	write_system(document);
	write_release(document);
	if (crash->mapping_count > 0 && crash->system.os != CRASH_OS_WINDOWS)
		json_number(json, "linux_memory_map_count", crash->mapping_count);
	else
		json_null(json, "linux_memory_map_count");
	walk_json_streams(document);
	walk_json_analysis(document, analysis);
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
		.digits = crash->system.arch->word_size * 2,
	};
	struct walk *requesting = NULL;

	if (crash->requesting_thread >= 0 &&
	    !crash->threads[crash->requesting_thread].wrote_dump) {
		requesting = walk_create(crash, symbols, binaries,
					 (size_t)crash->requesting_thread, policy);
		if (requesting == NULL)
			return false;
		walk_run(requesting, 0);
	}
	struct analysis *analysis = analysis_create(crash, requesting, binaries);
	json_begin(&document.json, output, options->pretty);
	json_object(&document.json, NULL);
	write_head(&document, analysis);
	bool good = write_threads(&document, requesting);
	write_modules(&document);
	write_annotations(&document);
	write_directory(&document);
	write_policy(&document);
	write_all_messages(&document);
	json_object_end(&document.json);
	json_finish(&document.json);
	analysis_free(analysis);
	walk_free(requesting);
	return good;
}
