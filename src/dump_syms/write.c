/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "dump_syms/dump_syms_internal.h"

/* The records of a symbol file, in the order in which Breakpad's dump_syms writes them. */

/* Bytes of text written at once. */
#define FLUSH_AT ((size_t)1 << 18)

/* Limit of ranges in an INLINE record: Breakpad reads LIMIT_INLINE_FIELDS fields of a line. */
#define MOST_RANGES (LIMIT_INLINE_FIELDS / 2 - 8)

struct symbol_writing {
	struct dump_syms *dump;
	const struct dump_syms_parts *parts;
	struct symbol_text text;
	const struct output *output;
};

static void
flush(struct symbol_writing *writing, size_t at_least)
{
	if (writing->text.count < at_least || writing->text.count == 0)
		return;
	writing->output->write(writing->output->context, writing->text.items, writing->text.count);
	writing->text.count = 0;
}

static void
add_field(struct symbol_writing *writing, const char *before, uint64_t value, bool hex)
{
	symbol_text_string(&writing->text, before);
	if (hex)
		symbol_text_hex(&writing->text, value);
	else
		symbol_text_decimal(&writing->text, value);
}

static void
end_with_name(struct symbol_writing *writing, struct text name)
{
	char buffer[TEXT_CUT_ROOM];
	const struct text shorter =
		long_names_count(&writing->dump->parts->names_written, name, buffer);

	symbol_text_string(&writing->text, " ");
	symbol_text_name(&writing->text, shorter.start, shorter.length);
	symbol_text_string(&writing->text, "\n");
	flush(writing, FLUSH_AT);
}

/* Numbers of files and names ------------------------------------------------------------------- */

struct numbered_name {
	struct known_name name;
	uint32_t reader, number;
};

static int
compare(const void *left, const void *right)
{
	const struct known_name *a = &((const struct numbered_name *)left)->name;
	const struct known_name *b = &((const struct numbered_name *)right)->name;

	return text_order((struct text){ a->text, a->length }, (struct text){ b->text, b->length });
}

static void
mark(struct name_map *maps, uint32_t reader, uint32_t number)
{
	if (number != NAME_NONE)
		maps[reader].numbers[number] = 0;
}

/* Whether a call has code in a range of its function. */
static bool
touches(const struct found_symbols *found, const struct found_call *call,
	const struct found_function *function)
{
	for (uint32_t i = 0; i < call->range_count; i++) {
		const struct dwarf_range *range = &found->ranges.items[call->first_range + i];

		if (range->low < function->high && range->high > function->low)
			return true;
	}
	return false;
}

static void
mark_all(const struct dump_syms_parts *parts)
{
	for (size_t i = 0; i < parts->functions.count; i++) {
		const struct found_function *function = &parts->functions.items[i];
		const struct found_symbols *found = &parts->readers[function->reader].found;

		for (uint32_t at = 0; at < function->line_count; at++)
			mark(parts->file_numbers, function->reader,
			     found->lines.items[function->first_line + at].file);
		for (uint32_t at = 0; at < function->call_count; at++) {
			const struct found_call *call =
				&found->calls.items[function->first_call + at];

			if (!touches(found, call, function))
				continue;
			mark(parts->file_numbers, function->reader, call->file);
			mark(parts->origin_numbers, function->reader, call->name);
		}
	}
}

static struct name_map *
new_maps(const struct dump_syms_parts *parts, bool files)
{
	struct name_map *maps = calloc(parts->reader_count + 1, sizeof(*maps));

	for (size_t i = 0; maps != NULL && i < parts->reader_count; i++) {
		const struct found_symbols *found = &parts->readers[i].found;
		const size_t count = files ? found->files.count : found->names.count;

		maps[i].numbers = malloc((count + 1) * sizeof(*maps[i].numbers));
		if (maps[i].numbers != NULL)
			memset(maps[i].numbers, 0xff, (count + 1) * sizeof(*maps[i].numbers));
		else
			return maps;
	}
	return maps;
}

/* Number the names used in records in sorted order, and write a record for each. */
static bool
write_names(struct symbol_writing *writing, struct name_map *maps, bool files)
{
	const struct dump_syms_parts *parts = writing->parts;
	struct numbered_name *all;
	uint32_t next = 0;
	size_t count = 0;

	for (size_t i = 0; i < parts->reader_count; i++)
		count += files ? parts->readers[i].found.files.count
			       : parts->readers[i].found.names.count;
	all = calloc(count + 1, sizeof(*all));
	if (all == NULL)
		return false;
	count = 0;
	for (uint32_t i = 0; i < parts->reader_count; i++) {
		const struct found_symbols *found = &parts->readers[i].found;
		const struct text_table *table = files ? &found->files : &found->names;

		for (uint32_t at = 0; at < table->count; at++)
			if (maps[i].numbers[at] == 0)
				all[count++] = (struct numbered_name){ table->items[at], i, at };
	}
	SORT(all, count, compare);
	for (size_t i = 0; i < count; i++) {
		const bool again = i > 0 && compare(&all[i - 1], &all[i]) == 0;

		maps[all[i].reader].numbers[all[i].number] = again ? next - 1 : next;
		if (again)
			continue;
		add_field(writing, files ? "FILE " : "INLINE_ORIGIN ", next++, false);
		end_with_name(writing, (struct text){ all[i].name.text, all[i].name.length });
	}
	free(all);
	return true;
}

/* Records -------------------------------------------------------------------------------------- */

static void
write_call(struct symbol_writing *writing, const struct found_function *function,
	   const struct found_call *call)
{
	const struct dump_syms_parts *parts = writing->parts;
	const struct found_symbols *found = &parts->readers[function->reader].found;
	const uint32_t file = call->file == NAME_NONE
				      ? NAME_NONE
				      : parts->file_numbers[function->reader].numbers[call->file];
	const uint32_t origin = parts->origin_numbers[function->reader].numbers[call->name];
	uint32_t written = 0;

	for (uint32_t i = 0; i < call->range_count; i++) {
		const struct dwarf_range *range = &found->ranges.items[call->first_range + i];
		const uint64_t low = range->low > function->low ? range->low : function->low;
		const uint64_t high = range->high < function->high ? range->high : function->high;

		if (low >= high)
			continue;
		if (written++ % MOST_RANGES == 0) {
			symbol_text_string(&writing->text, written > 1 ? "\nINLINE " : "INLINE ");
			symbol_text_decimal(&writing->text, call->depth);
			add_field(writing, " ", call->line, false);
			symbol_text_string(&writing->text, " ");
			if (file == NAME_NONE)
				symbol_text_string(&writing->text, "-1");
			else
				symbol_text_decimal(&writing->text, file);
			add_field(writing, " ", origin, false);
		}
		add_field(writing, " ", low - parts->linked_base, true);
		add_field(writing, " ", high - low, true);
	}
	symbol_text_add(&writing->text, "\n", 1);
	writing->dump->calls++;
}

/* A linker symbol's name as it is written. */
static struct text
linker_name(struct symbol_writing *writing, struct text name, struct arena *arena)
{
	struct long_names *names = &writing->dump->parts->names_written;

	if (writing->parts->options.mangled || !demangle_looks_mangled(name))
		return name;
	/* Symbols may share a name that takes long to demangle, even if that fails. */
	const bool full = names->bytes >= names->most;
	const struct text shown = full ? name : demangle(name, arena);
	if (shown.start == name.start)
		names->bytes += 2 * LIMIT_SHOWN_FREE;
	names->cut += full && name.length <= LIMIT_NAME_CUT;
	return shown;
}

static void
write_function(struct symbol_writing *writing, const struct found_function *function)
{
	const struct dump_syms_parts *parts = writing->parts;
	const struct found_symbols *found = &parts->readers[function->reader].found;
	const struct known_name *name = &found->names.items[function->name];
	struct arena arena = { 0 };

	add_field(writing, function->multiple ? "FUNC m " : "FUNC ",
		  function->low - parts->linked_base, true);
	add_field(writing, " ", function->high - function->low, true);
	add_field(writing, " ", function->parameters, true);
	end_with_name(writing, function->mangled.length > 0
				       ? linker_name(writing, function->mangled, &arena)
				       : (struct text){ name->text, name->length });
	arena_free(&arena);
	for (uint32_t i = 0; i < function->call_count; i++) {
		const struct found_call *call = &found->calls.items[function->first_call + i];

		if (touches(found, call, function))
			write_call(writing, function, call);
	}
	for (uint32_t i = 0; i < function->line_count; i++) {
		const struct found_line *line = &found->lines.items[function->first_line + i];

		symbol_text_hex(&writing->text, function->low + line->offset - parts->linked_base);
		add_field(writing, " ", line->size, true);
		add_field(writing, " ", line->line, false);
		add_field(writing, " ", parts->file_numbers[function->reader].numbers[line->file],
			  false);
		symbol_text_add(&writing->text, "\n", 1);
	}
	writing->dump->lines += function->line_count;
	flush(writing, FLUSH_AT);
}

static void
write_publics(struct symbol_writing *writing)
{
	const struct dump_syms_parts *parts = writing->parts;
	struct arena arena = { 0 };

	for (size_t i = 0; i < parts->publics.count; i++) {
		const struct found_public *symbol = &parts->publics.items[i];

		add_field(writing, symbol->multiple ? "PUBLIC m " : "PUBLIC ", symbol->address,
			  true);
		add_field(writing, " ", symbol->parameters, true);
		end_with_name(writing, linker_name(writing, text_of(symbol->name), &arena));
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static void
write_head(struct symbol_writing *writing)
{
	const struct dump_syms *dump = writing->dump;
	const char *const fields[] = { "MODULE ", dump->os, " ", dump->arch, " ", dump->id, " " };

	for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
		symbol_text_string(&writing->text, fields[i]);
	symbol_text_name(&writing->text, dump->name, strlen(dump->name));
	if (*dump->code_id != '\0') {
		symbol_text_string(&writing->text, "\nINFO CODE_ID ");
		symbol_text_string(&writing->text, dump->code_id);
	}
	symbol_text_add(&writing->text, "\n", 1);
}

static void
free_maps(struct name_map **maps, size_t count)
{
	for (size_t i = 0; *maps != NULL && i < count; i++)
		free((*maps)[i].numbers);
	free(*maps);
	*maps = NULL;
}

void
dump_syms_free_numbers(struct dump_syms_parts *parts)
{
	free_maps(&parts->file_numbers, parts->reader_count);
	free_maps(&parts->origin_numbers, parts->reader_count);
}

bool
dump_syms_write(struct dump_syms *dump, const struct output *output)
{
	struct dump_syms_parts *parts = dump->parts;
	struct symbol_writing writing = { .dump = dump, .parts = parts, .output = output };

	dump_syms_free_numbers(parts);
	parts->names_written = (struct long_names){ .most = parts->names_written.most };
	dump->lines = dump->calls = 0;
	parts->file_numbers = new_maps(parts, true);
	parts->origin_numbers = new_maps(parts, false);
	for (size_t i = 0; i < parts->reader_count; i++)
		if (parts->file_numbers == NULL || parts->origin_numbers == NULL ||
		    parts->file_numbers[i].numbers == NULL ||
		    parts->origin_numbers[i].numbers == NULL)
			return false;
	write_head(&writing);
	mark_all(parts);
	bool good = write_names(&writing, parts->file_numbers, true) &&
		    write_names(&writing, parts->origin_numbers, false);
	for (size_t i = 0; good && i < parts->functions.count; i++)
		write_function(&writing, &parts->functions.items[i]);
	if (good)
		write_publics(&writing);
	flush(&writing, 0);
	dump->cut_names = parts->names_written.cut;
	for (size_t i = 0; i < parts->reader_count; i++)
		dump->cut_names += parts->readers[i].found.names.long_ones.cut +
				   parts->readers[i].found.files.long_ones.cut;
	good = good && !writing.text.failed && !parts->frames.failed;
	if (good && parts->frames.count > 0)
		output->write(output->context, parts->frames.items, parts->frames.count);
	free(writing.text.items);
	return good;
}

static void
collect(void *context, const char *text, size_t length)
{
	fwrite(text, 1, length, context);
}

char *
dump_syms_text(struct dump_syms *dump, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	const struct output output = { .write = collect, .context = file };

	if (file == NULL)
		return NULL;
	const bool good = dump_syms_write(dump, &output);
	if (fclose(file) == 0 && good)
		return text;
	free(text);
	return NULL;
}
