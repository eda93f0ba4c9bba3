/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/export_internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/output.h"
#include "walk/overlay.h"

/* The few records of symbol files that a step went by. */

struct records {
	struct case_maker *maker;
	const struct symfile *symfile;
	struct output_string text;
	size_t count;
};

static void
add_bytes(struct records *records, struct text text)
{
	const struct output *output = &records->text.output;

	output->write(output->context, text.start, text.length);
	output->write(output->context, "\n", 1);
	records->count++;
}

/* A record as the file has it, or as a what-if edit does. */
static void
add_record(struct records *records, uint64_t offset, uint32_t length)
{
	const struct file *file = symfile_file(records->symfile);
	const struct text line = { (const char *)file->data + offset, length };

	add_bytes(records, overlay_record(records->maker->walk->overlay, file->input.name, offset,
					  line));
}

static void
add_function(struct records *records, uint64_t address, uint64_t *last)
{
	const struct symbols_policy policy = walk_symbols_policy(records->maker->walk);
	struct function function;

	if (!symfile_function(records->symfile, &policy, address, &function) ||
	    function.offset == *last)
		return;
	add_record(records, function.offset, function.length);
	*last = function.offset;
}

/* A name that makes one part of a path. */
static bool
is_path_part(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strpbrk(name, "/\\") == NULL;
}

static bool
write_records(struct records *records, const char *name, const char *id)
{
	struct case_maker *maker = records->maker;
	const size_t length = strlen(name);
	const bool pdb = length > 4 && strcasecmp(name + length - 4, ".pdb") == 0;
	const char *folder = export_path(maker, "symbols/%s", name);
	const char *inner = export_path(maker, "symbols/%s/%s", name, id);
	const char *file = export_path(maker, "symbols/%s/%s/%.*s.sym", name, id,
				       (int)(pdb ? length - 4 : length), name);

	if (folder == NULL || inner == NULL || file == NULL || records->text.text == NULL)
		return false;
	return export_directory(maker, folder, false) && export_directory(maker, inner, false) &&
	       export_file(maker, file, records->text.text, records->text.length);
}

static bool
export_module(struct case_maker *maker, size_t index)
{
	const struct walk *walk = maker->walk;
	const struct module *module = &walk->crash->modules[index];
	const struct frame *frame = &walk->frames[maker->frame];
	const char *name = place_base_name(module->debug_file);
	struct records records = { .maker = maker,
				   .symfile = walk_symfile(walk, (int)index) };
	uint64_t last = UINT64_MAX;

	if (records.symfile == NULL || !is_path_part(name) || !is_path_part(module->debug_id))
		return true;
	const struct symfile_identity identity = symfile_identity(records.symfile);
	output_string_init(&records.text, &maker->arena);
	const char *head = arena_format(&maker->arena, "MODULE %.*s %.*s %s %s",
					(int)identity.os.length, identity.os.start,
					(int)identity.arch.length, identity.arch.start,
					module->debug_id, name);
	if (head == NULL)
		return false;
	add_bytes(&records, text_of(head));
	if ((size_t)frame->module == index)
		add_function(&records, frame->lookup - module->base, &last);
	if (maker->verdict.kind == VERDICT_TAKEN &&
	    module_map_find(&walk->modules, maker->caller.lookup) == (int)index)
		add_function(&records, maker->caller.lookup - module->base, &last);
	if ((size_t)frame->module == index) {
		const uint64_t address = frame->lookup - module->base;
		const struct symbols_policy policy = walk_symbols_policy(walk);
		struct stack_cfi init, *deltas;
		struct stack_win win;
		size_t count;

		for (unsigned type = 0; type <= 4; type += 4)
			if (symfile_stack_win(records.symfile, &policy, type, address, &win))
				add_record(&records, win.offset, win.length);
		if (symfile_stack_cfi(records.symfile, &policy, address, &maker->arena,
			    &init, &deltas, &count)) {
			add_record(&records, init.offset, init.length);
			for (size_t i = 0; i < count; i++)
				add_record(&records, deltas[i].offset, deltas[i].length);
		}
	}
	maker->result->records += records.count;
	return write_records(&records, name, module->debug_id);
}

bool
export_symbols(struct case_maker *maker)
{
	const char *path = export_path(maker, "symbols");

	if (path == NULL || !export_directory(maker, path, false))
		return false;
	for (size_t i = 0; i < maker->module_count; i++)
		if (!export_module(maker, maker->modules[i]))
			return false;
	return true;
}
