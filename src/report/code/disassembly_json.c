/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/disassembly_internal.h"

static const struct {
	unsigned kind;
	const char *name;
} kind_names[] = {
	{ INSTRUCTION_CALL, "call" },	      { INSTRUCTION_JUMP, "jump" },
	{ INSTRUCTION_CONDITIONAL, "conditional" }, { INSTRUCTION_RETURN, "return" },
	{ INSTRUCTION_TRAP, "trap" },	      { INSTRUCTION_SYSTEM, "system" },
};
static const struct fact_names instruction_kinds = FACT_NAMES_IN(kind_names);

static const char *const row_names[] = {
	[DISASSEMBLY_SOURCE] = "line",
	[DISASSEMBLY_CALLS] = "inlined",
	[DISASSEMBLY_RULES] = "unwind",
	[DISASSEMBLY_INSTRUCTION] = "instruction",
	[DISASSEMBLY_BYTES] = "bytes",
	[DISASSEMBLY_PATCHED] = "patched",
	[DISASSEMBLY_GAP] = "gap",
	[DISASSEMBLY_NOTE] = "note",
};
static const struct fact_names disassembly_row_kinds = FACT_NAMES(row_names);

/* The bytes of a row. */
struct disassembly_bytes {
	struct instruction instruction;	/* length 0: none */
	char hex[2 * INSTRUCTION_WINDOW + 1];
	const char *from;
	bool known;
};

static void
set_bytes(struct disassembly_bytes *has, const uint8_t *bytes, size_t count, const char *from)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		has->hex[2 * i] = digits[bytes[i] >> 4];
		has->hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	has->hex[2 * count] = '\0';
	has->from = from;
	has->known = true;
}

static void
write_kinds(struct json *json, unsigned kinds)
{
	for (size_t i = 0; i < ARRAY_COUNT(kind_names); i++)
		if ((kinds & kind_names[i].kind) != 0)
			json_string(json, NULL, kind_names[i].name);
}

static void
write_rows(struct json *json, const struct disassembly *out);

#define FACTS "report/code/disassembly_facts.def"
#include "document/describe_facts.h"

static void
write_rows(struct json *json, const struct disassembly *out)
{
	for (size_t i = 0; i < out->count; i++) {
		struct disassembly_bytes has = { .known = false };
		const struct disassembly_row *at = &out->rows[i];
		const struct instruction *instruction = &has.instruction;
		uint8_t bytes[INSTRUCTION_WINDOW];
		struct place place = { 0 };
		size_t size = at->length < sizeof(bytes) ? (size_t)at->length : sizeof(bytes);
		bool from_file;

		if (at->kind == DISASSEMBLY_INSTRUCTION &&
		    disassembly_decode(out, at->address, &has.instruction)) {
			set_bytes(&has, instruction->bytes, instruction->length,
				  instruction->from_file ? instruction->place.input->name : "dump");
		} else if (at->kind == DISASSEMBLY_BYTES &&
			   !out->around->crash->redacted) {
			size = surroundings_read(out->around, at->address, bytes, size, &from_file,
						 NULL);
			set_bytes(&has, bytes, size, NULL);
		} else if (at->kind == DISASSEMBLY_PATCHED &&
			   disassembly_other(out, at->address, (size_t)at->length, bytes, &place)) {
			set_bytes(&has, bytes, (size_t)at->length,
				  place.input != NULL ? place.input->name : NULL);
		}
		json_object(json, NULL);
		disassembly_row_members(json, out, at, &has);
		json_object_end(json);
	}
}

void
disassembly_json(struct json *json, const struct disassembly *out)
{
	json_object(json, NULL);
	disassembly_members(json, out);
	json_object_end(json);
}
