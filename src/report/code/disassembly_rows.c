/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/code/disassembly_internal.h"
#include "report/report.h"
#include "walk/symbol_at.h"

/* Minimum width of a view that shows the bytes of instructions, in columns. */
#define BYTES_FROM 100u
/* Maximum bytes shown of a text at an operand's address, and minimum size of such a text. */
#define TEXT_BYTES 32u
#define LEAST_TEXT 4u
#define TAB 8u

/* Digits of the largest address. Leading zeros of 64-bit addresses are not shown. */
static int
address_width(const struct disassembly *out)
{
	char text[24];

	return out->digits == 8 ? 8 : snprintf(text, sizeof(text), "%" PRIx64, out->end);
}

static void
add_mark(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	const bool marked = out->marked && at->length != 0 && at->kind != DISASSEMBLY_PATCHED &&
		out->address - at->address < at->length;

	row_add(row, marked ? ROLE_CHANGED : ROLE_NORMAL, "%s",
		marked ? "=> " : at->kind == DISASSEMBLY_PATCHED ? " ! " : "   ");
	bool dash = false;
	char text[DISASSEMBLY_LANES + 2];
	size_t used = 0;

	if (out->lanes == 0)
		return;
	for (unsigned lane = out->lanes; lane-- > 0;) {
		const unsigned bit = 1u << lane;

		if (at->above & bit || at->below & bit)
			text[used++] = at->above & bit ? '/' : '\\';
		else if (at->passing & bit)
			text[used++] = dash ? '+' : '|';
		else
			text[used++] = dash ? '-' : ' ';
		dash = dash || (at->above & bit) || (at->below & bit);
	}
	text[used++] = at->entered ? '>' : dash ? '-' : ' ';
	text[used] = '\0';
	row_add(row, at->entered ? ROLE_CODE : ROLE_DIM, "%s ", text);
}

static void
add_address(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	char text[24];

	row_add(row, ROLE_DIM, "%0*" PRIx64, address_width(out), at->address);
	if (out->whole) {
		const int width =
			snprintf(text, sizeof(text), "+0x%" PRIx64, out->end - out->start) + 1;

		snprintf(text, sizeof(text), "+0x%" PRIx64, at->address - out->start);
		row_add(row, ROLE_DIM, " %-*s", width, text);
	}
	row_add(row, ROLE_NORMAL, " ");
}

static void
add_bytes(const struct disassembly *out, const uint8_t *bytes, size_t count, size_t columns,
	  struct row *row)
{
	const size_t begin = row->width;

	if (columns != 0 && columns < BYTES_FROM)
		return;
	for (size_t i = 0; i < count; i++)
		row_add(row, ROLE_DIM, "%02x ", bytes[i]);
	row_pad(row, begin + 3 * out->widest + 1);
}

/* The address in an instruction's operand; false: it has none. */
static bool
operand_of(const struct instruction *instruction, uint64_t *address, bool *code)
{
	*code = instruction->has_target;
	*address = instruction->has_target ? instruction->target : instruction->loaded;
	if (*address != 0 || instruction->has_target)
		return true;
	for (size_t i = 0; i < instruction->access_count; i++)
		if (!instruction->accesses[i].implicit &&
			instruction->accesses[i].base == ARCH_NO_REGISTER &&
			instruction->accesses[i].index == ARCH_NO_REGISTER &&
			!instruction->accesses[i].segment && !instruction->accesses[i].opaque) {
			*address = (uint64_t)instruction->accesses[i].displacement;
			return true;
		}
	return false;
}

/* The characters at an address if they are a terminated text; else "". */
static const char *
text_at(const struct disassembly *out, uint64_t address, struct arena *arena)
{
	uint8_t bytes[TEXT_BYTES];
	size_t length = 0;

	if (out->around->crash->redacted)
		return "";
	size_t count = surroundings_read(out->around, address, bytes, sizeof(bytes), NULL, NULL);
	while (length < count && bytes[length] >= ' ' && bytes[length] <= '~')
		length++;
	if (length < LEAST_TEXT || (length < count && bytes[length] != 0))
		return "";
	const char *text = arena_format(arena, " \"%.*s\"%s", (int)length, (const char *)bytes,
					length == sizeof(bytes) ? "..." : "");
	return text != NULL ? text : "";
}

/* The function whose address is in the word at `address`, for a call through that word. */
static struct text
pointed_at(const struct disassembly *out, uint64_t address, struct arena *arena)
{
	uint8_t bytes[8];
	const size_t size = out->around->arch->word_size == 4 ? 4 : 8;
	const struct reader reader = { .data = bytes, .size = size,
				       .big_endian = out->around->memory.big_endian };
	uint64_t value = 0;

	if (memory_copy(&out->around->memory, address, bytes, size, NULL) != size)
		return text_of("");
	reader_unsigned(&reader, 0, (unsigned)size, &value);
	return surroundings_describe(out->around, value, arena);
}

/* Adds a comment; if a name in brackets is cut, the brackets stay. */
static void
add_comment(struct row *row, size_t columns, struct text comment)
{
	const bool is_name = comment.start[0] == '<' &&
			     comment.start[comment.length - 1] == '>' && columns != 1;

	if (!is_name) {
		row_add_cut(row, ROLE_CODE, columns, true, comment);
		return;
	}
	row_add(row, ROLE_CODE, "<");
	row_add_name(row, ROLE_CODE, columns > 2 ? columns - 2 : columns,
		     (struct text){ comment.start + 1, comment.length - 2 });
	row_add(row, ROLE_CODE, ">");
}

/* The comment on an instruction's operands: " <main + 0x10>"; may be empty. */
static struct text
comment_of(const struct disassembly *out, const struct instruction *instruction,
	   struct arena *arena)
{
	struct output_string string;
	uint64_t address;
	bool code;

	if (!operand_of(instruction, &address, &code))
		return text_of("");
	output_string_init(&string, arena);
	if (code && out->whole && address >= out->start && address < out->end) {
		output_format(&string.output, "<+0x%" PRIx64 ">", address - out->start);
		return (struct text){ string.text, string.length };
	}
	const struct text name = surroundings_describe(out->around, address, arena);
	if (name.length > 0) {
		output_format(&string.output, "<");
		string.output.write(string.output.context, name.start, name.length);
		output_format(&string.output, ">");
	}
	if (!code) {
		const bool leads =
			(instruction->kinds & (INSTRUCTION_CALL | INSTRUCTION_JUMP)) != 0;
		const struct text target =
			leads ? pointed_at(out, address, arena) : text_of("");

		if (target.length > 0) {
			output_format(&string.output, " to ");
			string.output.write(string.output.context, target.start, target.length);
		} else {
			output_format(&string.output, "%s", text_at(out, address, arena));
		}
	}
	return string.text != NULL ? (struct text){ string.text, string.length } : text_of("");
}

static void
fill_instruction(const struct disassembly *out, const struct disassembly_row *at, size_t columns,
		 struct row *row)
{
	struct instruction instruction;
	struct arena arena = { 0 };

	if (!disassembly_decode(out, at->address, &instruction))
		return;
	add_address(out, at, row);
	add_bytes(out, instruction.bytes, instruction.length, columns, row);
	/* The mnemonic has its own column. */
	const int name = (int)strcspn(instruction.text, " ");

	row_add(row, ROLE_NORMAL, "%-6.*s%s%s", name, instruction.text,
		instruction.text[name] != '\0' ? " " : "",
		instruction.text[name] != '\0' ? instruction.text + name + 1 : "");
	const struct text comment = comment_of(out, &instruction, &arena);
	if (comment.length > 0 && (columns == 0 || row->width + 2 < columns)) {
		row_add(row, ROLE_NORMAL, " ");
		add_comment(row, columns == 0 ? 0 : columns - row->width, comment);
	}
	arena_free(&arena);
}

static void
fill_patched(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	uint8_t bytes[INSTRUCTION_WINDOW];
	const size_t length = (size_t)at->length;
	struct instruction instruction;
	struct place place = { 0 };

	if (!disassembly_other(out, at->address, length, bytes, &place))
		return;
	row_add(row, ROLE_BAD, "other bytes in %s: ",
		place.input != NULL ? place_base_name(place.input->name) : "the file");
	for (size_t i = 0; i < length; i++)
		row_add(row, ROLE_BAD, "%02x ", bytes[i]);
	/* The instruction in the file may be longer than the one in the dump. */
	struct reader code = { .data = bytes, .big_endian = out->around->memory.big_endian };
	code.size = binaries_read(out->around->binaries, at->address, bytes, sizeof(bytes), NULL);
	if (instruction_decode(&instruction, out->around->arch, out->thumb, &code, at->address))
		row_add(row, ROLE_BAD, " %s", instruction.text);
}

static void
fill_bytes(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	uint8_t bytes[INSTRUCTION_WINDOW];
	const size_t length = at->length < sizeof(bytes) ? (size_t)at->length : sizeof(bytes);
	bool from_file;
	size_t count = surroundings_read(out->around, at->address, bytes, length, &from_file, NULL);

	add_address(out, at, row);
	if (out->around->crash->redacted && !from_file) {
		row_add(row, ROLE_DIM, "%s", CRASH_REDACTED);
		return;
	}
	row_add(row, ROLE_UNKNOWN, ".byte ");
	for (size_t i = 0; i < count; i++)
		row_add(row, ROLE_UNKNOWN, " 0x%02x", bytes[i]);
	if (instruction_unsupported(out->around->arch) == NULL)
		row_add(row, ROLE_DIM, at->length > out->around->arch->code_unit
					       ? "   an instruction that capstone does not know"
					       : "   not decoded");
}

static void
fill_source(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	const struct source_line *line = &out->body.lines[at->item];
	const struct text text = source_cache_line(out->sources, line->file, line->line);

	row_add_text(row, ROLE_TITLE, text_base_name(line->file));
	row_add(row, ROLE_TITLE, ":%" PRIu32, line->line);
	if (text.length > 0) {
		row_add(row, ROLE_NORMAL, "  ");
		row_add_source(row, ROLE_DIM, text, TAB);
	}
}

/* Adds an inlined call. Both ends of a long name and the call's file and line stay visible. */
static void
fill_calls(const struct disassembly *out, const struct disassembly_row *at, size_t columns,
	   struct row *row)
{
	char line[32];

	if (at->item == DISASSEMBLY_NO_ITEM) {
		row_add(row, ROLE_NOTE, "the function itself");
		return;
	}
	const struct inline_call *call = &out->body.calls[at->item];
	const struct text file = text_base_name(call->call_file);
	snprintf(line, sizeof(line), ":%" PRIu32, call->call_line);
	const size_t tail = sizeof(" called at ") + text_width(file) + strlen(line);
	row_add(row, ROLE_NOTE, "inlined ");
	row_add_name(row, ROLE_NOTE,
		     columns > row->width + tail ? columns - row->width - tail : 0, call->name);
	row_add(row, ROLE_DIM, " called at ");
	row_add_text(row, ROLE_DIM, file);
	row_add(row, ROLE_DIM, "%s", line);
}

/* Whether a rule differs from the previous row's. In the first row every rule is new. */
static bool
rule_is_new(const struct disassembly *out, const struct rule_row *rule, size_t column)
{
	const struct rule_cell *cell = &rule->cells[column];

	return rule == out->rule_table->rows ? rule_cell_is_said(cell) : cell->changed;
}

static void
fill_rules(const struct disassembly *out, const struct disassembly_row *at, struct row *row)
{
	const struct rule_row *rule = &out->rule_table->rows[at->item];
	char cell[128];

	row_add(row, ROLE_DIM, "unwind ");
	if (rule->kind != RULE_ROW_RULES || rule->cells == NULL) {
		row_add(row, ROLE_DIM, "%s has no rules from here on", out->rule_table->source);
		return;
	}
	for (size_t i = 0; i < out->rules.column_count; i++) {
		if (!rule_is_new(out, rule, i))
			continue;
		row_add_text(row, ROLE_TITLE, out->rules.columns[i].name);
		row_add(row, ROLE_NORMAL, " %s  ",
			rule_cell_format(&out->rules, rule, i, cell, sizeof(cell)));
	}
	row_add(row, ROLE_DIM, "%s", out->rule_table->source);
}

static void
disassembly_rows_fill_row(const struct listing *listing, size_t index, size_t columns,
			  struct row *row)
{
	const struct disassembly *out = listing->context;
	const struct disassembly_row *at = &out->rows[index];

	add_mark(out, at, row);
	switch (at->kind) {
	case DISASSEMBLY_SOURCE:
		fill_source(out, at, row);
		break;
	case DISASSEMBLY_CALLS:
		fill_calls(out, at, columns, row);
		break;
	case DISASSEMBLY_RULES:
		fill_rules(out, at, row);
		break;
	case DISASSEMBLY_INSTRUCTION:
		fill_instruction(out, at, columns, row);
		break;
	case DISASSEMBLY_BYTES:
		fill_bytes(out, at, row);
		break;
	case DISASSEMBLY_PATCHED:
		fill_patched(out, at, row);
		break;
	case DISASSEMBLY_GAP:
		add_address(out, at, row);
		row_add(row, ROLE_DIM, "%" PRIu64 " bytes in neither the dump nor a file",
			at->length);
		break;
	case DISASSEMBLY_NOTE:
		row_pad(row, row->width + 4);
		row_add_text(row, ROLE_CHANGED, text_of(out->notes[at->item].text));
		break;
	}
}

static void
disassembly_rows_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct disassembly *out = listing->context;
	const struct crash *crash = out->around->crash;
	const char *file =
		out->file_bytes > 0 && out->file != NULL ? place_base_name(out->file) : "";
	const char *origin = out->dump_bytes > 0 && out->file_bytes > 0 ? "from the dump and "
			     : out->file_bytes > 0			  ? "from "
			     : out->dump_bytes > 0			  ? "from the dump" : "";
	char tail[360];

	snprintf(tail, sizeof(tail), "   %0*" PRIx64 "-%0*" PRIx64 "   %s%.280s",
		 address_width(out), out->start, address_width(out), out->end - 1, origin, file);
	const size_t room = text_width(text_of(tail)) + 2;
	row_add(row, ROLE_DIM, " ");
	if (out->name.name.length > 0)
		row_add_name(row, ROLE_TITLE, columns > room ? columns - room : 0,
			     out->name.name);
	else if (out->name.module != MODULE_NONE)
		row_add_text(row, ROLE_TITLE,
			     text_of(place_base_name(crash->modules[out->name.module].code_file)));
	else
		row_add(row, ROLE_TITLE, "in no module");
	row_add_text(row, ROLE_DIM, text_of(tail));
	if (instruction_unsupported(out->around->arch) != NULL)
		row_add(row, ROLE_BAD, "   %s", instruction_unsupported(out->around->arch));
}

static struct target
record_target(const struct disassembly *out, const struct input *own_file, uint64_t offset,
	      uint32_t length)
{
	return report_place_target(symbol_at_place(out->name.symfile, own_file, offset, length));
}

static struct target
memory_target(const struct disassembly *out, uint64_t address)
{
	return memory_run_of(&out->around->memory, address) != NULL
		       ? TARGET(TARGET_MEMORY, .address = address) : TARGET(TARGET_NONE);
}

/* An operand leads to its address, a line or call to its record, other rows to their bytes. */
static struct target
disassembly_rows_row_target(const struct listing *listing, size_t index)
{
	const struct disassembly *out = listing->context;
	const struct disassembly_row *at = &out->rows[index];
	struct instruction instruction;
	uint64_t address;
	bool code;

	if (at->kind == DISASSEMBLY_SOURCE) {
		const struct source_line *line = &out->body.lines[at->item];

		return record_target(out, line->own_file, line->offset, line->length);
	}
	if (at->kind == DISASSEMBLY_CALLS && at->item != DISASSEMBLY_NO_ITEM) {
		const struct inline_call *call = &out->body.calls[at->item];

		return record_target(out, call->own_file, call->offset, call->length);
	}
	if (at->kind == DISASSEMBLY_RULES)
		return report_place_target(out->rule_table->rows[at->item].record);
	if (at->kind == DISASSEMBLY_INSTRUCTION &&
	    disassembly_decode(out, at->address, &instruction)) {
		if (!operand_of(&instruction, &address, &code))
			return report_place_target(instruction.place);
		return code ? TARGET(TARGET_CODE, .address = address) : memory_target(out, address);
	}
	if (at->kind == DISASSEMBLY_NOTE)
		return memory_target(out, out->notes[at->item].memory);
	return TARGET(TARGET_NONE);
}

static void
disassembly_rows_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct disassembly *out = listing->context;
	const struct disassembly_row *at = &out->rows[index];
	struct instruction instruction;

	row_add(row, ROLE_NORMAL, "%0*" PRIx64, out->digits, at->address);
	if (at->kind == DISASSEMBLY_SOURCE) {
		const struct source_line *line = &out->body.lines[at->item];

		row_add(row, ROLE_NORMAL, "  ");
		row_add_text(row, ROLE_NORMAL, line->file);
		row_add(row, ROLE_NORMAL, ":%" PRIu32, line->line);
		report_add_place(row, symbol_at_place(out->name.symfile, line->own_file,
						      line->offset, line->length));
		return;
	}
	if (at->kind == DISASSEMBLY_NOTE) {
		row_add(row, ROLE_NORMAL, "  %s", out->notes[at->item].text);
		return;
	}
	if (at->kind != DISASSEMBLY_INSTRUCTION ||
	    !disassembly_decode(out, at->address, &instruction))
		return;
	row_add(row, ROLE_NORMAL, "  ");
	for (unsigned i = 0; i < instruction.length; i++)
		row_add(row, ROLE_NORMAL, "%02x ", instruction.bytes[i]);
	row_add(row, ROLE_NORMAL, " %s", instruction.text);
	report_add_place(row, instruction.place);
}

struct listing
disassembly_listing(const struct disassembly *out)
{
	if (out->why_not != NULL)
		return listing_message(out->why_not);
	return (struct listing){ .count = out->count,
				 .current = disassembly_row(out, out->address),
				 .head = disassembly_rows_fill_head,
				 .fill = disassembly_rows_fill_row,
				 .target = disassembly_rows_row_target,
				 .explain = disassembly_rows_explain_row,
				 .context = out };
}

/* JSON ----------------------------------------------------------------------------------------- */

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

struct disassembly_bytes {
	struct instruction instruction;	/* length 0: none */
	char hex[2 * INSTRUCTION_WINDOW + 1];
	const char *from;
	bool known;
};

static void
set_bytes(struct disassembly_bytes *has, const uint8_t *bytes, size_t count, const char *from)
{
	text_hex(bytes, count, has->hex);
	has->from = from;
	has->known = true;
}

static void
read_bytes(const struct disassembly *out, const struct disassembly_row *at,
	   struct disassembly_bytes *has)
{
	const struct instruction *instruction = &has->instruction;
	uint8_t bytes[INSTRUCTION_WINDOW];
	struct place place = { 0 };
	size_t size = at->length < sizeof(bytes) ? (size_t)at->length : sizeof(bytes);

	if (at->kind == DISASSEMBLY_INSTRUCTION &&
	    disassembly_decode(out, at->address, &has->instruction)) {
		set_bytes(has, instruction->bytes, instruction->length,
			  instruction->from_file ? instruction->place.input->name : "dump");
	} else if (at->kind == DISASSEMBLY_BYTES && !out->around->crash->redacted) {
		size = surroundings_read(out->around, at->address, bytes, size, NULL, NULL);
		set_bytes(has, bytes, size, NULL);
	} else if (at->kind == DISASSEMBLY_PATCHED &&
		   disassembly_other(out, at->address, (size_t)at->length, bytes, &place)) {
		set_bytes(has, bytes, (size_t)at->length,
			  place.input != NULL ? place.input->name : NULL);
	}
}

static void
write_kinds(struct json *json, unsigned kinds)
{
	for (size_t i = 0; i < ARRAY_COUNT(kind_names); i++)
		if ((kinds & kind_names[i].kind) != 0)
			json_string(json, NULL, kind_names[i].name);
}

#define FACTS "report/code/disassembly_facts.def"
#include "document/describe_facts.h"
