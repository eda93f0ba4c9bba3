/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/disassembly_internal.h"

/* What the rows say, a member for each fact; addresses are strings as everywhere. */

static const struct {
	unsigned kind;
	const char *name;
} kind_names[] = {
	{ INSTRUCTION_CALL, "call" },	      { INSTRUCTION_JUMP, "jump" },
	{ INSTRUCTION_CONDITIONAL, "conditional" }, { INSTRUCTION_RETURN, "return" },
	{ INSTRUCTION_TRAP, "trap" },	      { INSTRUCTION_SYSTEM, "system" },
};

static void
write_hex(struct json *json, const char *key, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * INSTRUCTION_WINDOW + 1];

	for (size_t i = 0; i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * count] = '\0';
	json_string(json, key, text);
}

static void
write_instruction(struct json *json, const struct disassembly *out,
		  const struct disassembly_row *at)
{
	struct instruction instruction;
	struct arena arena;
	uint64_t address;
	bool code;

	if (!disassembly_decode(out, at->address, &instruction))
		return;
	write_hex(json, "bytes", instruction.bytes, instruction.length);
	json_string(json, "from", instruction.from_file ? instruction.place.input->name : "dump");
	json_string(json, "text", instruction.text);
	json_array(json, "does");
	for (size_t i = 0; i < ARRAY_COUNT(kind_names); i++)
		if ((instruction.kinds & kind_names[i].kind) != 0)
			json_string(json, NULL, kind_names[i].name);
	json_array_end(json);
	arena_init(&arena, 0);
	if (disassembly_operand(out, &instruction, &address, &code)) {
		json_hex(json, code ? "target" : "data", address, (unsigned)out->digits);
		json_text(json, "symbol", surroundings_describe(out->around, address, &arena));
	}
	arena_free(&arena);
	json_bool(json, "marked", out->marked && at->address == out->address);
}

static void
write_row(struct json *json, const struct disassembly *out, const struct disassembly_row *at)
{
	static const char *const kinds[] = {
		[DISASSEMBLY_SOURCE] = "line",
		[DISASSEMBLY_CALLS] = "inlined",
		[DISASSEMBLY_RULES] = "unwind",
		[DISASSEMBLY_INSTRUCTION] = "instruction",
		[DISASSEMBLY_BYTES] = "bytes",
		[DISASSEMBLY_PATCHED] = "patched",
		[DISASSEMBLY_GAP] = "gap",
		[DISASSEMBLY_NOTE] = "note",
	};
	uint8_t bytes[INSTRUCTION_WINDOW];
	struct place place = { 0 };
	bool from_file;

	json_object(json, NULL);
	json_string(json, "row", kinds[at->kind]);
	json_hex(json, "address", at->address, (unsigned)out->digits);
	if (at->kind == DISASSEMBLY_SOURCE) {
		json_text(json, "file", out->body.lines[at->item].file);
		json_number(json, "line", out->body.lines[at->item].line);
	} else if (at->kind == DISASSEMBLY_CALLS && at->item != DISASSEMBLY_NO_ITEM) {
		json_text(json, "function", out->body.calls[at->item].name);
		json_text(json, "call_file", out->body.calls[at->item].call_file);
		json_number(json, "call_line", out->body.calls[at->item].call_line);
	} else if (at->kind == DISASSEMBLY_RULES) {
		disassembly_rules_json(json, out, at);
	} else if (at->kind == DISASSEMBLY_INSTRUCTION) {
		write_instruction(json, out, at);
	} else if (at->kind == DISASSEMBLY_BYTES && !crash_redacts_memory(out->around->crash)) {
		write_hex(json, "bytes", bytes,
			  surroundings_read(out->around, at->address, bytes,
					    at->length < sizeof(bytes) ? (size_t)at->length
								       : sizeof(bytes),
					    &from_file, NULL));
	} else if (at->kind == DISASSEMBLY_PATCHED &&
		   disassembly_other(out, at->address, (size_t)at->length, bytes, &place)) {
		write_hex(json, "bytes", bytes, (size_t)at->length);
		json_string(json, "from", place.input != NULL ? place.input->name : NULL);
	} else if (at->kind == DISASSEMBLY_GAP) {
		json_number(json, "size", at->length);
	} else if (at->kind == DISASSEMBLY_NOTE) {
		json_string(json, "text", out->notes[at->item].text);
	}
	json_object_end(json);
}

void
disassembly_json(struct json *json, const char *key, const struct disassembly *out)
{
	const struct crash *crash = out->around->crash;
	const struct surrounding_name *name = &out->name;

	json_object(json, key);
	json_hex(json, "address", out->address, (unsigned)out->digits);
	json_string(json, "module",
		    name->module != MODULE_NONE ? crash->modules[name->module].code_file : NULL);
	if (name->name.length > 0)
		json_text(json, "function", name->name);
	else
		json_null(json, "function");
	json_bool(json, "whole_function", out->whole);
	json_string(json, "why_not", out->why_not);
	json_array(json, "rows");
	for (size_t i = 0; i < out->count; i++)
		write_row(json, out, &out->rows[i]);
	json_array_end(json);
	json_object_end(json);
}
