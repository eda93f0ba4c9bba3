/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/modules.h"

#include <inttypes.h>
#include <stdlib.h>

#include "binary/sframes.h"
#include "report/report.h"

/* Columns of names, at most: what is longer is cut where there is a right edge. */
#define NAME_COLUMNS 40u

struct modules {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;
	uint32_t *order;	/* loaded modules by address, then unloaded ones by address */
	int digits;
	size_t name_width;
};

struct entry {
	uint64_t base;
	uint32_t index;
};

static const struct module *
module_of(const struct listing *listing, size_t row, bool *loaded)
{
	const struct modules *modules = listing->context;

	*loaded = row < modules->crash->module_count;
	return *loaded ? &modules->crash->modules[modules->order[row]]
		       : &modules->crash->unloaded[modules->order[row]];
}

static void
add_symbols_state(const struct modules *modules, size_t module, struct row *row)
{
	static const char *const states[] = {
		[SYMBOLS_PENDING] = "not looked at",
		[SYMBOLS_LOADING] = "loading",
		[SYMBOLS_ABSENT] = "none found",
		[SYMBOLS_LOADED] = "symbols   ",
	};
	enum symbols_state state;

	if (modules->symbols == NULL || !symbols_configured(modules->symbols)) {
		row_add(row, ROLE_DIM, "none given");
		return;
	}
	const struct symfile *symfile = symbols_peek(modules->symbols, module, &state);
	row_add(row, symfile == NULL ? ROLE_DIM : ROLE_NORMAL, "%s", states[state]);
	if (symfile == NULL)
		return;
	uint64_t messages = message_total(symfile_messages(symfile));
	row_add_text(row, ROLE_NORMAL, text_of(place_base_name(symfile_file(symfile)->input.name)));
	if (messages > 0)
		row_add(row, ROLE_CHANGED, "   %" PRIu64 " message%s", messages,
			messages == 1 ? "" : "s");
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct modules *modules = listing->context;
	bool loaded;
	const struct module *module = module_of(listing, index, &loaded);

	row_add(row, ROLE_NORMAL, " ");
	report_add_range(row, ROLE_CODE, modules->digits, module->base,
			 module->base + (module->size > 0 ? module->size - 1 : 0));
	row_add(row, ROLE_NORMAL, "  ");
	size_t begin = row->width;
	size_t cut = columns == 0 ? 0 : modules->name_width;
	row_add_cut(row, ROLE_NORMAL, cut, true, text_of(place_base_name(module->code_file)));
	row_pad(row, begin + modules->name_width + 3);
	if (loaded)
		add_symbols_state(modules, modules->order[index], row);
	else
		row_add(row, ROLE_DIM, "unloaded");
	if (columns != 0)
		row_cut(row, columns);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct modules *modules = listing->context;
	bool loaded;
	const struct module *module = module_of(listing, index, &loaded);
	struct target target = report_place_target(module->place);

	if (loaded) {
		target.kind = TARGET_MODULE;
		target.module = modules->order[index];
	}
	return target;
}

/* The module's own file and its SFrame section, which are looked for now. */
static void
add_files(const struct modules *modules, size_t module, struct row *row)
{
	const struct binary *binary = binaries_load(modules->binaries, module, BINARIES_IMAGE);
	struct sframes *sframes = binaries_sframes(modules->binaries);
	const bool there = sframes_load(sframes, module) != NULL;

	if (binary != NULL) {
		row_add(row, ROLE_NORMAL, "   file ");
		row_add_text(row, ROLE_NORMAL,
			     text_of(place_base_name(binary->file.input.name)));
	}
	if (there)
		row_add(row, ROLE_NORMAL, "   SFrame: %s", sframes_found(sframes, module));
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct modules *modules = listing->context;
	bool loaded;
	const struct module *module = module_of(listing, index, &loaded);

	row_add_text(row, ROLE_NORMAL, text_of(module->code_file));
	if (loaded)
		add_files(modules, modules->order[index], row);
	if (module->version[0] != '\0') {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_NORMAL, text_of(module->version));
	}
	row_add(row, ROLE_NORMAL, "   ");
	if (module->debug_id[0] == '\0') {
		row_add(row, ROLE_DIM, "no debug id");
	} else {
		row_add_text(row, ROLE_NORMAL, text_of(place_base_name(module->debug_file)));
		row_add(row, ROLE_NORMAL, " ");
		row_add_text(row, ROLE_NORMAL, text_of(module->debug_id));
	}
	report_add_place(row, module->place);
}

static int
compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Add modules by address, and make the column of names wide enough for them. */
static void
add_sorted(struct modules *modules, const struct module *list, size_t count,
	   struct entry *entries, uint32_t *order)
{
	for (size_t i = 0; i < count; i++) {
		size_t width = text_width(text_of(place_base_name(list[i].code_file)));

		entries[i] = (struct entry){ list[i].base, (uint32_t)i };
		if (width > modules->name_width)
			modules->name_width = width < NAME_COLUMNS ? width : NAME_COLUMNS;
	}
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < count; i++)
		order[i] = entries[i].index;
}

struct listing
modules_listing(const struct crash *crash, struct symbols *symbols, struct binaries *binaries,
		struct arena *arena)
{
	size_t count = crash->module_count + crash->unloaded_count;
	struct modules *modules = arena_alloc(arena, sizeof(*modules));
	struct entry *entries = arena_array(arena, count, sizeof(*entries));

	if (count == 0)
		return listing_message("the dump has no modules");
	if (modules == NULL || entries == NULL)
		return listing_message("memory ran out");
	modules->crash = crash;
	modules->symbols = symbols;
	modules->binaries = binaries;
	modules->digits = report_digits(crash->system.arch);
	modules->order = arena_array(arena, count, sizeof(*modules->order));
	if (modules->order == NULL)
		return listing_message("memory ran out");
	add_sorted(modules, crash->modules, crash->module_count, entries, modules->order);
	add_sorted(modules, crash->unloaded, crash->unloaded_count, entries,
		   modules->order + crash->module_count);
	return (struct listing){ .count = count, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = modules };
}

size_t
modules_row(const struct listing *listing, size_t module)
{
	const struct modules *modules = listing->context;

	if (listing->fill != fill_row)
		return 0;
	for (size_t i = 0; i < modules->crash->module_count; i++)
		if (modules->order[i] == module)
			return i;
	return 0;
}
