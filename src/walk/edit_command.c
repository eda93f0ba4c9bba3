/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/edit_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/records.h"
#include "walk/step.h"

struct edit_making {
	enum edit_command command;
	const struct edit_step *step;
	struct arena *arena;
	struct overlay_edit *edit;
	struct error *error;
};

static const struct place nowhere;

static enum error_code
edit_refuse(const struct edit_making *making, const char *format, const char *word)
{
	return error_set(making->error, ERROR_FORMAT, nowhere, format, word);
}

/* Rules -----------------------------------------------------------------------------------------*/

static enum error_code
edit_rule(const struct edit_making *making, const char *text)
{
	const bool drop = making->command == EDIT_DROP_RULE;
	const char *rule = drop ? arena_format(making->arena, "%s:", text) : text;
	struct text name;
	size_t start;

	if (making->step->method == METHOD_COUNT)
		return edit_refuse(making, "%s", "no method was tried in this step");
	if (rule == NULL)
		return error_memory(making->error);
	const enum error_code code =
		edit_parse_rule(making->step, rule, &name, &start, making->error);
	if (code != ERROR_NONE)
		return code;
	const struct text expression = text_trimmed(text_of(rule + start));
	const char *kept = arena_format(making->arena, "%.*s", (int)name.length, name.start);
	if (kept == NULL)
		return error_memory(making->error);
	if (!drop && expression.length == 0)
		return edit_refuse(making,
				   "expression missing; ':drop-rule %.40s' removes the rule", kept);
	return edit_make_rule(making->step, text_of(kept), expression, making->arena, making->edit,
			      making->error);
}

/* Records ---------------------------------------------------------------------------------------*/

/* The loaded symbol file with a base name, with the edits of the walk. */
static const struct symfile *
edit_symfile(const struct edit_step *step, struct text name)
{
	const struct walk *walk = step->walk;

	if (text_equal(name, text_of("sym")))
		return walk_symfile(walk, walk->frames[step->frame].module);
	for (size_t i = 0; i < walk->crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(walk->symbols, i, NULL);

		if (symfile != NULL &&
		    text_equal(name, text_of(place_base_name(symfile_file(symfile)->input.name))))
			return walk_symfile(walk, (int)i);
	}
	return NULL;
}

bool
edit_take_record(const struct edit_step *step, const char **arguments, struct record_edit *edit)
{
	const char *start = *arguments + strspn(*arguments, " ");
	const size_t length = strcspn(start, " ");
	const char *colon = memrchr(start, ':', length);
	uint64_t line, offset;

	*arguments = start + length + strspn(start + length, " ");
	if (colon == NULL ||
	    !text_number((struct text){ colon + 1, (size_t)(start + length - (colon + 1)) }, 10,
			 &line) ||
	    line > UINT32_MAX)
		return false;
	const struct symfile *symfile =
		edit_symfile(step, (struct text){ start, (size_t)(colon - start) });
	return symfile != NULL && symfile_line_offset(symfile, (uint32_t)line, &offset) &&
	       record_edit_at(symfile, offset, edit);
}

/* Check that the rules of a STACK CFI record are rules of the processor's registers. */
static enum error_code
check_rules(const struct edit_making *making, struct text rules)
{
	const struct walk *walk = making->step->walk;
	const struct rule_set *set = rule_set_of_record(making->arena, walk->arch,
							rule_set_names(&walk->policy), rules);
	struct edit_check check;

	if (set == NULL)
		return error_set(making->error, ERROR_FORMAT, nowhere,
				 "rules are written '.cfa: $%s 16 + $%s: .cfa -16 + ^'",
				 walk->arch->registers[walk->arch->sp].label,
				 walk->arch->registers[walk->arch->fp].label);
	for (size_t i = 0; i < set->count; i++) {
		const struct rule *rule = &set->rules[i];

		if (!edit_spell(walk->arch, rule->name, &(struct text){ 0 }))
			return error_set(making->error, ERROR_FORMAT, nowhere,
					 "'%.*s' is not a register of %s",
					 (int)(rule->name.length > 40 ? 40 : rule->name.length),
					 rule->name.start, walk->arch->name);
		if (edit_unknown_name(rule->program, rule->name, &check))
			return edit_refuse(making, "%s", check.text);
	}
	return ERROR_NONE;
}

/* Check that a line is a record that the walk can read. */
static enum error_code
check_record(const struct edit_making *making, struct text line)
{
	static const char any[] = "a line record is written '%s'; other records begin with FUNC, "
				  "PUBLIC, FILE, INLINE or STACK";
	const enum symbol_record_kind kind = record_kind(line);
	struct symbol_record record;
	struct stack_cfi cfi;

	if (line.length == 0)
		return edit_refuse(making, "%s",
				   "the record is missing; ':drop-record' takes one out");
	if ((kind == SYMBOL_LINE && !record_may_be_line(line)) || !record_read(kind, line, &record))
		return edit_refuse(making,
				   kind == SYMBOL_LINE ? any : "the record is written '%s'",
				   record_forms[kind].text);
	return record_stack_cfi(line, false, &cfi) ? check_rules(making, cfi.rules) : ERROR_NONE;
}

/* FILE:LINE and a record, or none to remove the line's record. */
static enum error_code
edit_record(const struct edit_making *making, const char *text)
{
	const struct edit_step *step = making->step;
	struct record_edit edit;
	const char *rest = text;

	if (!edit_take_record(step, &rest, &edit))
		return edit_refuse(making, "'%.60s' names no line of a loaded symbol file; "
					   "a record is named FILE:LINE", text);
	const struct text line = text_trimmed(text_of(rest));
	const bool keep = making->command == EDIT_ADD_RECORD && edit.now.length > 0;
	const enum error_code code =
		making->command != EDIT_DROP_RECORD
			? check_record(making, line)
		: line.length > 0 ? edit_refuse(making, "'%.60s': FILE:LINE is enough", text)
				  : ERROR_NONE;
	if (code != ERROR_NONE)
		return code;
	const char *now = arena_format(making->arena, "%.*s%s%.*s", keep ? (int)edit.now.length : 0,
				       edit.now.start, keep ? "\n" : "", (int)line.length,
				       line.start);
	if (now == NULL)
		return error_memory(making->error);
	edit.now = text_of(now);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_RECORD,
					       .thread = step->walk->thread,
					       .frame = step->frame, .method = METHOD_COUNT,
					       .record = edit };
	return ERROR_NONE;
}

/* Frames and the policy -------------------------------------------------------------------------*/

static enum error_code
edit_set_register(const struct edit_making *making, const char *text)
{
	const struct edit_step *step = making->step;
	const struct arch *arch = step->walk->arch;
	const struct registers *registers = &step->walk->frames[step->frame].registers;
	const size_t length = strcspn(text, " ");
	const char *value = text + length + strspn(text + length, " ");
	const int reg = arch_register(arch, (struct text){ text, length }, ARCH_NAMES_ALIASES);
	struct overlay_edit *edit = making->edit;

	if (*value == '\0')
		return edit_refuse(making, "%s", "a register is set by its name and a hexadecimal "
						 "number: ':set-register rsp 7ffe1000'");
	if (reg < 0)
		return error_set(making->error, ERROR_FORMAT, nowhere, "%s has no register '%.*s'",
				 arch->name, (int)(length > 40 ? 40 : length), text);
	*edit = (struct overlay_edit){ .kind = OVERLAY_REGISTER, .thread = step->walk->thread,
				       .frame = step->frame, .reg = reg,
				       .known = strcmp(value, "?") != 0,
				       .was_known = registers_known(registers, reg) };
	edit->old = edit->was_known ? registers->value[reg] : 0;
	if (edit->known && !text_number(text_of(value), 16, &edit->value))
		return edit_refuse(making, "'%.40s' is not a hexadecimal number; '?' makes a "
					   "register unknown", value);
	if (!edit->known && (reg == arch->pc || reg == arch->sp))
		return edit_refuse(making, "a frame must have its %s", arch->registers[reg].label);
	edit->value = arch_wrap_register(arch, edit->value);
	return ERROR_NONE;
}

static enum error_code
edit_candidate(const struct edit_making *making, const char *text)
{
	const struct walk *walk = making->step->walk;
	const size_t frame = making->step->frame;
	const unsigned word = walk->arch->word_size;
	const uint64_t sp = walk->frames[frame].registers.value[walk->arch->sp];
	uint64_t address, value;

	if (!text_number(text_of(text), 16, &address))
		return edit_refuse(making, "'%.40s' is not a hexadecimal address", text);
	if (address < sp || (address - sp) % word != 0)
		return error_set(making->error, ERROR_FORMAT, nowhere,
				 "a scan from frame %zu reads words from %0*" PRIx64 " on",
				 frame, (int)word * 2, sp);
	if (!memory_read(&walk->memory, address, word, &value, NULL))
		return error_set(making->error, ERROR_NOT_FOUND, nowhere,
				 "the word at %0*" PRIx64 " is not in the dump", (int)word * 2,
				 address);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_CANDIDATE, .thread = walk->thread,
					       .frame = frame, .address = address };
	return ERROR_NONE;
}

static enum error_code
edit_policy(const struct edit_making *making, const char *text)
{
	const struct walk *walk = making->step->walk;
	enum policy_row row;
	uint32_t value;
	const char *refusal = policy_parse(text, &row, &value);

	if (refusal != NULL)
		return edit_refuse(making, refusal, text);
	*making->edit = (struct overlay_edit){ .kind = OVERLAY_POLICY, .policy = row,
					       .value = value, .old = walk->policy.value[row],
					       .thread = walk->thread };
	return ERROR_NONE;
}

static enum error_code
edit_method(const struct edit_making *making, const char *text)
{
	const bool force = making->command == EDIT_FORCE;
	enum method_id method;

	if (!method_named(text, strlen(text), &method))
		return edit_refuse(making, "unknown method '%.40s'; 'stack-cfi' is one", text);
	*making->edit = (struct overlay_edit){ .kind = force ? OVERLAY_FORCE : OVERLAY_FORBID,
					       .thread = making->step->walk->thread,
					       .frame = making->step->frame, .method = method };
	return ERROR_NONE;
}

/* Commands --------------------------------------------------------------------------------------*/

static const struct {
	const char *name;
	enum error_code (*make)(const struct edit_making *making, const char *text);
} edit_commands[EDIT_COMMANDS] = {
	[EDIT_SET_RULE] = { "set-rule", edit_rule },
	[EDIT_DROP_RULE] = { "drop-rule", edit_rule },
	[EDIT_SET_RECORD] = { "set-record", edit_record },
	[EDIT_ADD_RECORD] = { "add-record", edit_record },
	[EDIT_DROP_RECORD] = { "drop-record", edit_record },
	[EDIT_SET_REGISTER] = { "set-register", edit_set_register },
	[EDIT_CANDIDATE] = { "candidate", edit_candidate },
	[EDIT_POLICY] = { "policy", edit_policy },
	[EDIT_FORCE] = { "force", edit_method },
	[EDIT_FORBID] = { "forbid", edit_method },
};

enum edit_command
edit_command_named(struct text name)
{
	unsigned command = 0;

	while (command < EDIT_COMMANDS && !text_equal(name, text_of(edit_commands[command].name)))
		command++;
	return (enum edit_command)command;
}

const char *
edit_command_name(enum edit_command command)
{
	return edit_commands[command].name;
}

enum error_code
edit_command_make(const struct edit_step *step, enum edit_command command, const char *arguments,
		  struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	const struct edit_making making = { .command = command, .step = step, .arena = arena,
					    .edit = edit, .error = error };

	return edit_commands[command].make(&making, arguments);
}

/* The first line instead of the line of the file, and the others after it. */
static void
write_record(const struct record_edit *record, const struct output *output)
{
	struct text lines = record->now, line;
	const char *command = edit_commands[EDIT_SET_RECORD].name, *between = "";

	if (lines.length == 0)
		output_format(output, "%s %s:%" PRIu32, edit_commands[EDIT_DROP_RECORD].name,
			      place_base_name(record->file), record->line);
	for (; text_take_line(&lines, &line); command = edit_commands[EDIT_ADD_RECORD].name) {
		if (*between == '\0' && text_equal(line, record->was) && lines.length > 0)
			continue;
		output_format(output, "%s%s %s:%" PRIu32 " ", between, command,
			      place_base_name(record->file), record->line);
		output_text(output, line);
		between = "; ";
	}
}

void
edit_command_write(const struct overlay_edit *edit, const struct arch *arch,
		   const struct output *output)
{
	char name[64];

	switch (edit->kind) {
	case OVERLAY_RECORD:
		write_record(&edit->record, output);
		break;
	case OVERLAY_RULE:
		output_plain(output, edit->expression.length > 0 ? "set-rule " : "drop-rule ");
		output_text(output, edit->name);
		output_plain(output, edit->expression.length > 0 ? ": " : "");
		output_text(output, edit->expression);
		break;
	case OVERLAY_REGISTER:
		output_format(output, "set-register %s ", arch->registers[edit->reg].label);
		output_format(output, edit->known ? "%" PRIx64 : "?", edit->value);
		break;
	case OVERLAY_CANDIDATE:
		output_format(output, "candidate %" PRIx64, edit->address);
		break;
	case OVERLAY_POLICY:
		output_format(output, "policy %s %" PRIu64, policy_table[edit->policy].name,
			      edit->value);
		break;
	case OVERLAY_FORCE:
	case OVERLAY_FORBID:
		output_format(output, "%s %s", edit->kind == OVERLAY_FORCE ? "force" : "forbid",
			      method_option(edit->method, name, sizeof(name)));
		break;
	case OVERLAY_KINDS:
		break;
	}
}
