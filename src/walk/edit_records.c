/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/records.h"
#include "walk/edit_make.h"
#include "walk/step.h"

/* Edits of whole STACK CFI records: added, moved, taken out. */

struct records_edit {
	const struct walk *walk;
	size_t module, frame;
	const struct symfile *symfile;
	struct arena *arena;
	struct overlay_edit *edit;
	struct error *error;
};

static const struct place nowhere;

static enum error_code
refuse(const struct records_edit *records, const char *problem, uint64_t address)
{
	return error_set(records->error, ERROR_FORMAT, nowhere, problem, address);
}

/* The next word, a hexadecimal number. */
static bool
read_number(const char **text, uint64_t *number)
{
	char *end;

	*text += strspn(*text, " ");
	errno = 0;
	*number = strtoull(*text, &end, 16);
	if (errno != 0 || end == *text || **text == '-' || (*end != '\0' && *end != ' '))
		return false;
	*text = end + strspn(end, " ");
	return true;
}

/* An address of records, also where it was written as the process has it. */
static bool
read_address(const struct records_edit *records, const char **text, uint64_t *address)
{
	const struct module *module = &records->walk->crash->modules[records->module];

	if (!read_number(text, address))
		return false;
	if (*address >= module->size && *address - module->base < module->size)
		*address -= module->base;
	return true;
}

/* Rules as records spell them, each a name of a register and an expression that uses such names. */
static const char *
read_rules(const struct records_edit *records, const char *text)
{
	const struct arch *arch = records->walk->arch;
	const enum arch_names names = rule_set_names(&records->walk->policy);
	const char *rules = "";

	for (size_t length; *text != '\0' && rules != NULL;
	     text += length + strspn(text + length, " ")) {
		length = strcspn(text, " ");
		const struct text name = { text, length - (length > 1 && text[length - 1] == ':') };
		struct text word = { text, length };
		const bool names_rule = name.length < length;

		if (names_rule && !edit_spell(arch, name, &word)) {
			error_set(records->error, ERROR_FORMAT, nowhere,
				  "'%.*s' is not a register of %s",
				  (int)(name.length > 40 ? 40 : name.length), name.start,
				  arch->name);
			return NULL;
		}
		rules = arena_format(records->arena, "%s%s%.*s%s", rules, *rules != '\0' ? " " : "",
				     (int)word.length, word.start, names_rule ? ":" : "");
	}
	const struct rule_set *set =
		rules != NULL ? rule_set_of_record(records->arena, arch, names, text_of(rules))
			      : NULL;
	for (size_t i = 0; set != NULL && i < set->count; i++) {
		const struct program *program = set->rules[i].program;

		for (size_t j = 0; j < program->name_count; j++) {
			const struct text word = program->names[j].text;

			if (program->names[j].reg != ARCH_NO_REGISTER ||
			    text_equal(word, text_of(".cfa")))
				continue;
			error_set(records->error, ERROR_FORMAT, nowhere,
				  "'%.*s' is neither a number nor a register",
				  (int)(word.length > 40 ? 40 : word.length), word.start);
			return NULL;
		}
	}
	if (set == NULL)
		error_set(records->error, ERROR_FORMAT, nowhere,
			  "rules are written '.cfa: $%s 16 + $%s: .cfa -16 + ^'",
			  arch->registers[arch->sp].label, arch->registers[arch->fp].label);
	return set != NULL ? rules : NULL;
}

/* Lines by now of the line at an offset of the file. */
static struct text
lines_at(const struct records_edit *records, uint64_t offset, size_t length)
{
	struct text now;

	return symfile_now(records->symfile, offset, &now)
		       ? now
		       : (struct text){
			       (const char *)symfile_file(records->symfile)->data + offset,
			       length };
}

/*
 * The edit that puts `made` (NULL: nothing) in place of the bytes from `start` to `end` of the
 * lines that the line at an offset has become; a line feed parts it from what stays there.
 */
static enum error_code
put(const struct records_edit *records, uint64_t offset, size_t length, size_t start, size_t end,
    const char *made)
{
	const struct file *file = symfile_file(records->symfile);
	const struct text all = lines_at(records, offset, length);
	const char *before = made != NULL && start > 0 && all.start[start - 1] != '\n' ? "\n" : "";
	const char *behind = made != NULL && end < all.length && all.start[end] != '\n' ? "\n" : "";

	/* With a line goes the line feed that parts it from its neighbour. */
	if (made == NULL && end < all.length)
		end++;
	else if (made == NULL && start > 0)
		start--;
	const char *now = arena_format(records->arena, "%.*s%s%s%s%.*s", (int)start, all.start,
				       before, made != NULL ? made : "", behind,
				       (int)(all.length - end), all.start + end);
	if (now == NULL)
		return error_memory(records->error);
	*records->edit = (struct overlay_edit){
		.kind = OVERLAY_RECORD, .thread = records->walk->thread, .frame = records->frame,
		.method = METHOD_COUNT,
		.record = { .file = file->input.name, .offset = offset,
			    .line = symfile_place(records->symfile, offset, (uint32_t)length).line,
			    .was = { (const char *)file->data + offset, length },
			    .now = text_of(now) },
	};
	return ERROR_NONE;
}

/* put at a record: beside it (`*where` 1), before it (-1) or in its place (0). */
static enum error_code
put_at(const struct records_edit *records, const struct stack_cfi *record, int where,
       const char *made)
{
	const struct text line = stack_cfi_line(record);
	const struct text all = lines_at(records, record->offset, record->length);
	const bool within = line.start >= all.start && line.start < all.start + all.length;
	const size_t start = within ? (size_t)(line.start - all.start) : 0;
	const char *feed = memchr(all.start + start, '\n', all.length - start);
	const size_t end = feed != NULL ? (size_t)(feed - all.start) : all.length;

	return put(records, record->offset, record->length, where > 0 ? end : start,
		   where < 0 ? start : end, made);
}

static bool
find(const struct records_edit *records, uint64_t address, struct stack_cfi *init,
     struct stack_cfi **deltas, size_t *count)
{
	return symfile_stack_cfi(records->symfile, &records->walk->symbols_policy, address,
				 records->arena, init, deltas, count);
}

/* The last line of the file that is not empty. */
static struct text
last_line(const struct file *file)
{
	const char *data = (const char *)file->data;
	size_t end = (size_t)file->size;

	while (end > 0 && (data[end - 1] == '\n' || data[end - 1] == '\r'))
		end--;
	const char *feed = end > 0 ? memrchr(data, '\n', end) : NULL;
	const char *start = feed != NULL ? feed + 1 : data;

	return (struct text){ start, (size_t)(data + end - start) };
}

/* Before the first INIT record above, where records stand in the order of their addresses. */
static enum error_code
place_init(const struct records_edit *records, uint64_t address, const char *made)
{
	const struct file *file = symfile_file(records->symfile);
	struct stack_cfi above, record, *deltas;
	const struct text last = last_line(file);
	size_t count, start = 0;

	const bool any = symfile_stack_cfi_from(records->symfile, &records->walk->symbols_policy,
						address, records->arena, &above, &deltas, &count);
	const uint64_t offset = any ? above.offset
				    : (uint64_t)(last.start - (const char *)file->data);
	const size_t length = any ? above.length : last.length;
	const struct text all = lines_at(records, offset, length);
	struct text lines = all, line;
	while (record_edit_line(&lines, &line) &&
	       (!record_stack_cfi(line, false, &record) || record.address < address))
		start = (size_t)(line.start - all.start) + line.length;
	if (start > 0 && start < all.length)
		start++;
	return put(records, offset, length, start, start, made);
}

static enum error_code
add_init(const struct records_edit *records, const char *text)
{
	struct stack_cfi init, *deltas;
	uint64_t address, size, change;
	size_t count;

	if (!read_address(records, &text, &address) || !read_number(&text, &size) || size == 0 ||
	    address + size < address || *text == '\0')
		return refuse(records,
			      "usage: :add-init ADDRESS SIZE RULES, numbers in hexadecimal", 0);
	const char *rules = read_rules(records, text);
	if (rules == NULL)
		return ERROR_FORMAT;
	const struct rule_set *set =
		rule_set_of_record(records->arena, records->walk->arch,
				   rule_set_names(&records->walk->policy), text_of(rules));
	if (set == NULL || set->cfa < 0 || set->return_address < 0)
		return refuse(records, "an INIT record needs rules for .cfa and .ra", 0);
	/* A record within its code. */
	for (change = address; change - address < size;)
		if (find(records, change, &init, &deltas, &count))
			return refuse(records,
				      "a STACK CFI INIT record covers 0x%" PRIx64 " already",
				      change);
		else if (!symfile_stack_cfi_change(records->symfile,
						   &records->walk->symbols_policy, change, &change))
			break;
	return place_init(records, address,
			  arena_format(records->arena, "STACK CFI INIT %" PRIx64 " %" PRIx64 " %s",
				       address, size, rules));
}

/* The records in force at an address; `*at` is the last one that begins there; NULL: none does. */
static enum error_code
find_delta(const struct records_edit *records, uint64_t address, struct stack_cfi *last,
	   const struct stack_cfi **at)
{
	struct stack_cfi *deltas;
	size_t count;

	*at = NULL;
	if (!find(records, address, last, &deltas, &count))
		return refuse(records, "no STACK CFI INIT record covers 0x%" PRIx64
				       "; :add-init adds one", address);
	if (count > 0)
		*last = deltas[count - 1];
	if (last->address == address)
		*at = last;
	return ERROR_NONE;
}

static enum error_code
add_delta(const struct records_edit *records, const char *text)
{
	const struct stack_cfi *at;
	struct stack_cfi last;
	uint64_t address;

	if (!read_address(records, &text, &address) || *text == '\0')
		return refuse(records,
			      "usage: :add-delta ADDRESS RULES, the address in hexadecimal", 0);
	const char *rules = read_rules(records, text);
	enum error_code code = rules == NULL ? ERROR_FORMAT
					     : find_delta(records, address, &last, &at);
	if (code != ERROR_NONE)
		return code;
	if (at != NULL)
		return refuse(records,
			      "a record begins at 0x%" PRIx64 " already; :set-rule changes "
			      "its rules",
			      address);
	return put_at(records, &last, 1,
		      arena_format(records->arena, "STACK CFI %" PRIx64 " %s", address, rules));
}

/* The delta that begins at an address. */
static enum error_code
need_delta(const struct records_edit *records, uint64_t address, struct stack_cfi *delta)
{
	const struct stack_cfi *at;
	enum error_code code = find_delta(records, address, delta, &at);

	if (code == ERROR_NONE && (at == NULL || at->init))
		return refuse(records, "no STACK CFI delta begins at 0x%" PRIx64, address);
	return code;
}

static enum error_code
move_delta(const struct records_edit *records, const char *text)
{
	struct stack_cfi delta, init, *deltas;
	uint64_t from, to;
	size_t count;

	if (!read_address(records, &text, &from) || !read_address(records, &text, &to) ||
	    *text != '\0' || from == to)
		return refuse(records, "usage: :move-delta FROM TO, addresses in hexadecimal", 0);
	const enum error_code code = need_delta(records, from, &delta);
	if (code != ERROR_NONE)
		return code;
	if (!find(records, from > to ? from : to, &init, &deltas, &count) ||
	    to - init.address >= init.size || from - init.address >= init.size)
		return refuse(records, "0x%" PRIx64 " is in the code of another INIT record", to);
	for (size_t i = 0; i < count; i++)
		if (deltas[i].address >= (from < to ? from + 1 : to) &&
		    deltas[i].address <= (from < to ? to : from - 1))
			return refuse(records, "another delta stands in between, at 0x%" PRIx64,
				      deltas[i].address);
	if (init.address == to)
		return refuse(records, "the INIT record itself begins at 0x%" PRIx64, to);
	return put_at(records, &delta, 0,
		      arena_format(records->arena, "STACK CFI %" PRIx64 " %.*s", to,
				   (int)delta.rules.length, delta.rules.start));
}

static enum error_code
drop_delta(const struct records_edit *records, const char *text)
{
	struct stack_cfi delta;
	uint64_t address;

	if (!read_address(records, &text, &address) || *text != '\0')
		return refuse(records, "usage: :drop-delta ADDRESS, in hexadecimal", 0);
	const enum error_code code = need_delta(records, address, &delta);
	return code != ERROR_NONE ? code : put_at(records, &delta, 0, NULL);
}

enum error_code
edit_make_record(const struct walk *walk, size_t frame, enum edit_record what, const char *text,
		 struct arena *arena, struct overlay_edit *edit, struct error *error)
{
	static enum error_code (*const makers[])(const struct records_edit *, const char *) = {
		[EDIT_ADD_INIT] = add_init,
		[EDIT_ADD_DELTA] = add_delta,
		[EDIT_MOVE_DELTA] = move_delta,
		[EDIT_DROP_DELTA] = drop_delta,
	};
	const int module = walk->frames[frame].module;
	const struct symfile *symfile = module != MODULE_NONE ? walk_symfile(walk, module) : NULL;

	if (symfile == NULL || symfile_file(symfile)->size == 0)
		return error_set(error, ERROR_NOT_FOUND, nowhere,
				 "the module of frame %zu has no symbol file to edit", frame);
	const struct records_edit records = {
		.walk = walk, .module = (size_t)module, .frame = frame, .symfile = symfile,
		.arena = arena, .edit = edit, .error = error };
	return makers[what](&records, text);
}
