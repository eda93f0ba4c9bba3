/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/policy_rows.h"
#include "system/sandbox.h"
#include "walk/walk.h"

/* Maximum number of objects in one document. */
#define OBJECTS_MOST 128u

struct fact_schema {
	struct json json;
	const struct fact *root;
	const struct fact *objects[OBJECTS_MOST];	/* objects under $defs, in order of use */
	size_t count;
};

static const char *
lower_case(const char *string, char *buffer, size_t size)
{
	size_t length = 0;

	for (; string[length] != '\0' && length + 1 < size; length++)
		buffer[length] = (char)tolower((unsigned char)string[length]);
	buffer[length] = '\0';
	return buffer;
}

static const char *
name_of(const struct fact_names *names, size_t index, char *buffer, size_t size)
{
	const char *name = index < names->count
				   ? *(const char *const *)((const char *)names->first +
							    index * names->stride)
				   : NULL;

	return name == NULL || !names->lower ? name : lower_case(name, buffer, size);
}

void
facts_lower(struct json *json, const char *key, const char *string)
{
	char buffer[256];

	json_string(json, key, lower_case(string, buffer, sizeof(buffer)));
}

void
facts_word(struct json *json, const char *key, const struct fact_names *names, size_t index)
{
	char buffer[64];

	json_string(json, key, name_of(names, index, buffer, sizeof(buffer)));
}

/* Names ---------------------------------------------------------------------------------------- */

/* Names of trusts as in rust-minidump: our constants in lower case. */
static const char *const trusts[] = {
#define TRUST(id, ...) [TRUST_##id] = #id,
#include "walk/method/method.def"
};
const struct fact_names names_of_trusts = { trusts, sizeof(trusts[0]), ARRAY_COUNT(trusts), true };

static const char *const methods[] = {
#define METHOD(id, name, ...) [METHOD_##id] = name,
#include "walk/method/method.def"
};
const struct fact_names names_of_methods = FACT_NAMES(methods);

static const char *const messages[] = {
#define M(id, name, severity) [MESSAGE_##id] = name,
#include "base/message.def"
#undef M
};
const struct fact_names names_of_messages = FACT_NAMES(messages);

const struct fact_names names_of_severities = FACT_NAMES(message_severity_names);

const struct fact_names names_of_policies = FACT_NAMES_IN(policy_table);

const struct fact_names names_of_policy_columns = FACT_NAMES(policy_column_names);

const struct fact_names names_of_verdicts = FACT_WORDS(
	[VERDICT_TAKEN] = "taken", [VERDICT_REFUSED] = "refused", [VERDICT_END] = "end");

/* Places and registers ------------------------------------------------------------------------- */

#define FACTS "document/place_facts.def"
#include "document/describe_facts.h"

void
place_write(struct json *json, const char *key, struct place place)
{
	if (place.input == NULL) {
		json_null(json, key);
		return;
	}
	FACTS_WRITE(json, key, place, place, place_format(&place).text);
}

void
registers_write(struct json *json, const char *key, const struct arch *arch,
		const struct registers *registers, const char *flags)
{
	json_object(json, key);
	for (int reg = 0; reg < arch->register_count; reg++) {
		const char *label = arch->registers[reg].label;

		if (!registers_known(registers, reg) || label == NULL)
			continue;
		if (flags != NULL && strcmp(label, "efl") == 0)
			label = flags;
		json_hex(json, label, registers->value[reg], arch->word_size * 2);
	}
	json_object_end(json);
}

static const struct fact_names sandbox_parts = FACT_WORDS("none", "landlock", "seccomp");
static const struct fact sandbox = {
	"sandbox",
	"what restricted this run, if not both Landlock (files) and seccomp (system calls)",
	FACT_WORD, 0, NULL, NULL, &sandbox_parts,
};

void
facts_sandbox(struct json *json)
{
	if (sandbox_part() != NULL)
		json_string(json, sandbox.key, sandbox_part());
}

/* Schemas -------------------------------------------------------------------------------------- */

static void
write_reference(struct fact_schema *schema, const struct fact *object)
{
	char path[96] = "#/$defs/";
	size_t at = 0;

	while (at < schema->count && schema->objects[at] != object)
		at++;
	if (at == schema->count && at < OBJECTS_MOST)
		schema->objects[schema->count++] = object;
	strncat(path, object->key, sizeof(path) - strlen(path) - 1);
	json_string(&schema->json, "$ref", path);
}

static bool
is_repeated(const struct fact_names *names, size_t index)
{
	char first[64], second[64];
	const char *name = name_of(names, index, first, sizeof(first));

	for (size_t i = 0; i < index; i++) {
		const char *other = name_of(names, i, second, sizeof(second));

		if (other != NULL && strcmp(name, other) == 0)
			return true;
	}
	return false;
}

static void
write_names(struct json *json, const struct fact_names *names, bool or_null)
{
	char buffer[64];

	json_array(json, "enum");
	for (size_t i = 0; i < names->count; i++) {
		const char *name = name_of(names, i, buffer, sizeof(buffer));

		if (name != NULL && !is_repeated(names, i))
			json_string(json, NULL, name);
	}
	if (or_null)
		json_null(json, NULL);
	json_array_end(json);
}

static void
write_types(struct json *json, const char *const *types, size_t count)
{
	if (count == 1) {
		json_string(json, "type", types[0]);
		return;
	}
	json_array(json, "type");
	for (size_t i = 0; i < count; i++)
		json_string(json, NULL, types[i]);
	json_array_end(json);
}

/* Writes references to the one or two objects that a value may be; with `or_null`, also null. */
static void
write_references(struct fact_schema *schema, const struct fact *fact, bool or_null)
{
	struct json *json = &schema->json;
	const struct fact *const objects[] = { fact->object, fact->other };

	if (fact->other == NULL && !or_null) {
		write_reference(schema, fact->object);
		return;
	}
	json_array(json, "anyOf");
	for (size_t i = 0; i < ARRAY_COUNT(objects) && objects[i] != NULL; i++) {
		json_object(json, NULL);
		write_reference(schema, objects[i]);
		json_object_end(json);
	}
	if (or_null) {
		json_object(json, NULL);
		json_string(json, "type", "null");
		json_object_end(json);
	}
	json_array_end(json);
}

static void
write_value(struct fact_schema *schema, const struct fact *fact, bool or_null)
{
	static const char *const types[] = {
		[FACT_STRING] = "string", [FACT_LOWER] = "string", [FACT_NUMBER] = "integer",
		[FACT_ORDINAL] = "integer", [FACT_SIGNED] = "integer",
		[FACT_NUMBER_OR_STRING] = "integer", [FACT_FRACTION] = "number",
		[FACT_BOOL] = "boolean", [FACT_HEX] = "string", [FACT_NULL] = "null",
	};
	struct json *json = &schema->json;
	const char *allowed[3];
	size_t count = 0;

	if (fact->type == FACT_ANY)
		return;
	if (fact->type == FACT_OBJECT) {
		write_references(schema, fact, or_null);
		return;
	}
	if (fact->type == FACT_WORD) {
		write_names(json, fact->names, or_null);
		return;
	}
	allowed[count++] = types[fact->type];
	if (fact->type == FACT_NUMBER_OR_STRING)
		allowed[count++] = "string";
	if (or_null)
		allowed[count++] = "null";
	write_types(json, allowed, count);
	if (fact->type == FACT_NUMBER || fact->type == FACT_FRACTION ||
	    fact->type == FACT_ORDINAL)
		json_number(json, "minimum", fact->type == FACT_ORDINAL);
	if (fact->type == FACT_FRACTION)
		json_number(json, "maximum", 1);
	if (fact->type == FACT_HEX)
		json_string(json, "pattern", "^0x[0-9a-f]{1,16}$");
	if (fact->type == FACT_LOWER)
		json_string(json, "pattern", "^[^A-Z]*$");
}

/* A callback for each member of an object; `optional`: it may be missing. */
typedef void visit_member(struct fact_schema *schema, const struct fact *fact, bool optional);

static void
each_member(struct fact_schema *schema, const struct fact *object, bool optional,
	    visit_member *visit)
{
	unsigned conditions = optional;

	for (const struct fact *fact = object + 1; fact->key != NULL; fact++) {
		if (fact->type == FACT_IF)
			conditions++;
		else if (fact->type == FACT_END_IF)
			conditions--;
		else if (fact->type == FACT_MEMBERS)
			each_member(schema, fact->object, conditions > 0, visit);
		else
			visit(schema, fact, conditions > 0);
	}
}

static void
require_member(struct fact_schema *schema, const struct fact *fact, bool optional)
{
	if (!optional)
		json_string(&schema->json, NULL, fact->key);
}

static void
describe_member(struct fact_schema *schema, const struct fact *fact, bool optional)
{
	struct json *json = &schema->json;
	const bool or_null = (fact->flags & FACT_OR_NULL) != 0;
	const char *const list[] = { "array", "null" }, *const map[] = { "object", "null" };

	(void)optional;
	json_object(json, fact->key);
	if (fact->help != NULL)
		json_string(json, "description", fact->help);
	if ((fact->flags & (FACT_LIST | FACT_MAP)) == 0) {
		write_value(schema, fact, or_null);
	} else if ((fact->flags & FACT_LIST) != 0) {
		write_types(json, list, or_null ? 2 : 1);
		json_object(json, "items");
		write_value(schema, fact, false);
		json_object_end(json);
	} else {
		write_types(json, map, or_null ? 2 : 1);
		if (fact->names != NULL) {
			json_object(json, "propertyNames");
			write_names(json, fact->names, false);
			json_object_end(json);
		}
		json_object(json, "additionalProperties");
		write_value(schema, fact, false);
		json_object_end(json);
	}
	json_object_end(json);
}

static void
write_object(struct fact_schema *schema, const struct fact *object)
{
	struct json *json = &schema->json;

	if (object->help != NULL)
		json_string(json, "description", object->help);
	if (object->type == FACT_OBJECT) {
		write_references(schema, object, false);
		return;
	}
	json_string(json, "type", "object");
	json_array(json, "required");
	each_member(schema, object, false, require_member);
	json_array_end(json);
	json_bool(json, "additionalProperties", false);
	json_object(json, "properties");
	each_member(schema, object, false, describe_member);
	if (object == schema->root || object == schema->root->object ||
	    object == schema->root->other)
		describe_member(schema, &sandbox, true);
	json_object_end(json);
}

void
facts_schema(const struct output *output, const char *command, const char *title,
	     const struct fact *object, bool list)
{
	char name[64];
	static const struct fact list_root = { 0 };
	struct fact_schema schema = { .root = list ? &list_root : object };
	struct json *json = &schema.json;

	json_begin(json, output, true);
	json_object(json, NULL);
	json_string(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
	snprintf(name, sizeof(name), "urn:unspool:%s:" FACTS_SCHEMA_VERSION, command);
	json_string(json, "$id", name);
	json_string(json, "title", title);
	if (list) {
		json_string(json, "type", "array");
		json_object(json, "items");
		write_reference(&schema, object);
		json_object_end(json);
	} else {
		write_object(&schema, object);
	}
	json_object(json, "$defs");
	for (size_t i = 0; i < schema.count; i++) {
		json_object(json, schema.objects[i]->key);
		write_object(&schema, schema.objects[i]);
		json_object_end(json);
	}
	json_object_end(json);
	json_object_end(json);
	json_finish(json);
}
