/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/modules.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/symbol_fit.h"
#include "base/sorted.h"
#include "sframe/sframes.h"
#include "report/report.h"
#include "report/file/module_search.h"

/* Columns of a name; longer names are cut if the view has a right edge. */
#define NAME_COLUMNS 40u

struct modules {
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;
	uint32_t *order;	/* loaded modules by address, then unloaded ones by address */
	int digits;
	size_t name_width;
	struct modules_state *state;
	size_t *rows;			/* first row of each module, then the row count */
	struct listing *reports;	/* one for each loaded module; count 0: folded */
};

struct module_row {
	uint64_t base;
	uint32_t index;
};

/* Columns of indent of a report under its module. */
#define REPORT_COLUMNS 2u

static size_t
entry_count(const struct modules *modules)
{
	return modules->crash->module_count + modules->crash->unloaded_count;
}

static struct modules_spot
spot_of(const struct modules *modules, size_t row)
{
	size_t at;

	BISECT_LAST(at, entry_count(modules), modules->rows[at] <= row);
	return (struct modules_spot){ at, row - modules->rows[at] };
}

static const struct module *
module_of(const struct modules *modules, size_t entry, bool *loaded)
{
	*loaded = entry < modules->crash->module_count;
	return *loaded ? &modules->crash->modules[modules->order[entry]]
		       : &modules->crash->unloaded[modules->order[entry]];
}

/* The report that a row belongs to; NULL: the row is a module's own. */
static const struct listing *
report_of(const struct modules *modules, struct modules_spot spot)
{
	return spot.line == 0 ? NULL : &modules->reports[modules->order[spot.entry]];
}

static void
add_symbols_state(const struct modules *modules, size_t module, struct row *row)
{
	static const char *const states[] = {
		[SYMBOLS_PENDING] = "not examined",
		[SYMBOLS_LOADING] = "loading",
		[SYMBOLS_ABSENT] = "none found",
		[SYMBOLS_LOADED] = "symbols   ",
	};
	enum symbols_state state;

	const bool configured = modules->symbols != NULL && symbols_configured(modules->symbols);
	const struct symfile *symfile = NULL;
	if (configured)
		symfile = symbols_peek(modules->symbols, module, &state);
	if (symfile == NULL && (!configured || state == SYMBOLS_ABSENT)) {
		/* The module's own file can replace missing symbols. */
		const struct binary *own = binaries_peek(modules->binaries, module, LOCATE_IMAGE);

		if (own == NULL)
			own = binaries_peek(modules->binaries, module, LOCATE_DEBUG);
		if (own != NULL) {
			row_add(row, ROLE_NORMAL, "own file  %s",
				place_base_name(own->file.input.name));
			return;
		}
	}
	if (!configured) {
		row_add(row, ROLE_DIM, "none given");
		return;
	}
	const bool misfit = symfile != NULL && symbol_misfit(modules->binaries, modules->symbols,
							     modules->crash, module) != NULL;
	if (misfit)
		row_add(row, ROLE_BAD, "! wrong   ");
	else
		row_add(row, symfile == NULL ? ROLE_DIM : ROLE_NORMAL, "%s", states[state]);
	if (symfile == NULL)
		return;
	uint64_t messages = message_total(symfile_messages(symfile));
	row_add_text(row, ROLE_NORMAL, text_of(place_base_name(symfile_file(symfile)->input.name)));
	if (messages > 0)
		row_add(row, ROLE_CHANGED, "   %" PRIu64 " message%s", messages,
			plural(messages));
}

static void
modules_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct modules *modules = listing->context;
	const struct modules_spot spot = spot_of(modules, index);
	const struct listing *report = report_of(modules, spot);
	bool loaded;

	if (report != NULL) {
		row_pad(row, REPORT_COLUMNS);
		listing_fill(report, spot.line - 1, columns, row);
		return;
	}
	const struct module *module = module_of(modules, spot.entry, &loaded);
	row_add(row, ROLE_NORMAL, " ");
	/* Mark whether rows under the module are shown or folded. */
	if (!loaded)
		row_add(row, ROLE_NORMAL, "  ");
	else
		row_add(row, ROLE_DIM, "%c ",
			modules->state->reports[modules->order[spot.entry]].open ? '-' : '+');
	report_add_range(row, ROLE_CODE, modules->digits, module->base,
			 module->base + (module->size > 0 ? module->size - 1 : 0));
	row_add(row, ROLE_NORMAL, "  ");
	size_t begin = row->width;
	size_t cut = columns == 0 ? 0 : modules->name_width;
	row_add_cut(row, ROLE_NORMAL, cut, true, text_of(place_base_name(module->code_file)));
	row_pad(row, begin + modules->name_width);
	row_add(row, ROLE_NORMAL, "   ");
	if (loaded)
		add_symbols_state(modules, modules->order[spot.entry], row);
	else
		row_add(row, ROLE_DIM, "unloaded");
}

static struct target
modules_row_target(const struct listing *listing, size_t index)
{
	const struct modules *modules = listing->context;
	const struct modules_spot spot = spot_of(modules, index);
	const struct listing *report = report_of(modules, spot);
	bool loaded;

	if (report != NULL)
		return listing_target(report, spot.line - 1);
	const struct module *module = module_of(modules, spot.entry, &loaded);
	struct target target = report_place_target(module->place);
	if (loaded) {
		target.kind = TARGET_MODULE;
		target.module = modules->order[spot.entry];
	}
	return target;
}

static void
modules_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct modules *modules = listing->context;
	const struct modules_spot spot = spot_of(modules, index);
	const struct listing *report = report_of(modules, spot);
	bool loaded;

	if (report != NULL) {
		listing_explain(report, spot.line - 1, row);
		return;
	}
	const struct module *module = module_of(modules, spot.entry, &loaded);
	row_add_text(row, ROLE_NORMAL, text_of(module->code_file));
	const size_t number = modules->order[spot.entry];
	const struct binary *binary =
		loaded ? binaries_load(modules->binaries, number, LOCATE_IMAGE) : NULL;
	if (binary != NULL)
		row_add(row, ROLE_NORMAL, "   file %s", place_base_name(binary->file.input.name));
	if (loaded && sframes_load(modules->binaries, number) != NULL)
		row_add(row, ROLE_NORMAL, "   SFrame: %s",
			sframes_found(modules->binaries, number));
	if (module->version[0] != '\0')
		row_add(row, ROLE_NORMAL, "   %s", module->version);
	row_add(row, ROLE_NORMAL, "   ");
	if (module->debug_id[0] == '\0') {
		row_add(row, ROLE_DIM, "no debug id");
	} else {
		row_add(row, ROLE_NORMAL, "%s %s", place_base_name(module->debug_file),
			module->debug_id);
	}
	report_add_place(row, module->place);
}

SORTED_BY_ALL(compare_entries, struct module_row, SORTED_UP(base) SORTED_UP(index))

/* Adds modules by address, and makes the column of names wide enough for them. */
static void
add_sorted(struct modules *modules, const struct module *list, size_t count,
	   struct module_row *entries, uint32_t *order)
{
	for (size_t i = 0; i < count; i++) {
		size_t width = text_width(text_of(place_base_name(list[i].code_file)));

		entries[i] = (struct module_row){ list[i].base, (uint32_t)i };
		row_widen(&modules->name_width, width, NAME_COLUMNS);
	}
	SORT(entries, count, compare_entries);
	for (size_t i = 0; i < count; i++)
		order[i] = entries[i].index;
}

/* Makes the reports of unfolded modules, and counts rows. False when out of memory. */
static bool
unfold(struct modules *modules, size_t columns, struct arena *arena)
{
	const size_t count = entry_count(modules), loaded = modules->crash->module_count;
	const size_t width = columns > REPORT_COLUMNS ? columns - REPORT_COLUMNS : 0;
	size_t row = 0;

	modules->rows = arena_array(arena, count + 1, sizeof(*modules->rows));
	modules->reports = arena_array(arena, loaded, sizeof(*modules->reports));
	if (modules->rows == NULL || (modules->reports == NULL && loaded > 0))
		return false;
	for (size_t i = 0; i < count; i++) {
		const size_t module = modules->order[i];

		modules->rows[i] = row++;
		if (i >= loaded || !modules->state->reports[module].open)
			continue;
		/* Search again if the symbols have changed since the last search. */
		struct modules_report *report = &modules->state->reports[module];
		enum symbols_state state;

		symbols_peek(modules->symbols, module, &state);
		if (report->search != NULL &&
		    (report->search->state != state ||
		     (report->search->binaries != NULL && report->search->survey == NULL &&
		      binaries_surveyed(modules->binaries, module) != NULL))) {
			arena_reset(&report->arena);
			report->search = NULL;
		}
		if (report->search == NULL)
			report->search = module_search_make(modules->crash, modules->symbols,
				modules->binaries, module, &report->arena);
		modules->reports[module] = report->search == NULL
			? (struct listing){ .count = 0 }
			: lines_listing(&report->search->lines, width, arena);
		row += modules->reports[module].count;
	}
	modules->rows[count] = row;
	return true;
}

struct listing
modules_listing(const struct modules_options *options, struct arena *arena)
{
	const struct crash *crash = options->crash;
	size_t count = crash->module_count + crash->unloaded_count;
	struct modules *modules = arena_alloc(arena, sizeof(*modules));
	struct module_row *entries = arena_array(arena, count, sizeof(*entries));

	if (count == 0)
		return listing_message("the dump has no modules");
	if (modules == NULL || entries == NULL)
		return listing_out_of_memory();
	modules->crash = crash;
	modules->symbols = options->symbols;
	modules->binaries = options->binaries;
	modules->state = options->state;
	modules->digits = report_digits(crash->system.arch);
	modules->order = arena_array(arena, count, sizeof(*modules->order));
	if (modules->order == NULL)
		return listing_out_of_memory();
	add_sorted(modules, crash->modules, crash->module_count, entries, modules->order);
	add_sorted(modules, crash->unloaded, crash->unloaded_count, entries,
		   modules->order + crash->module_count);
	if (!unfold(modules, options->columns, arena))
		return listing_out_of_memory();
	return (struct listing){ .count = modules->rows[count],
				 .fill = modules_fill_row, .target = modules_row_target,
				 .explain = modules_explain_row, .context = modules };
}

struct modules_spot
modules_spot(const struct listing *listing, size_t row)
{
	return listing->fill != modules_fill_row ? (struct modules_spot){ 0, 0 }
					 : spot_of(listing->context, row);
}

size_t
modules_row_of_spot(const struct listing *listing, struct modules_spot spot)
{
	const struct modules *modules = listing->context;

	if (listing->fill != modules_fill_row || spot.entry >= entry_count(modules))
		return 0;
	const size_t row = modules->rows[spot.entry], end = modules->rows[spot.entry + 1];
	return spot.line < end - row ? row + spot.line : end - 1;
}

size_t
modules_module(const struct listing *listing, size_t row)
{
	const struct modules *modules = listing->context;

	if (listing->fill != modules_fill_row)
		return SIZE_MAX;
	const size_t entry = spot_of(modules, row).entry;
	return entry < modules->crash->module_count ? modules->order[entry] : SIZE_MAX;
}

size_t
modules_row(const struct listing *listing, size_t module)
{
	const struct modules *modules = listing->context;

	if (listing->fill != modules_fill_row)
		return 0;
	for (size_t i = 0; i < modules->crash->module_count; i++)
		if (modules->order[i] == module)
			return modules->rows[i];
	return 0;
}

bool
modules_state_init(struct modules_state *state, const struct crash *crash)
{
	state->count = crash->module_count;
	state->reports = calloc(crash->module_count + 1, sizeof(*state->reports));
	return state->reports != NULL;
}

void
modules_state_forget(struct modules_state *state)
{
	for (size_t i = 0; i < state->count; i++) {
		arena_free(&state->reports[i].arena);
		state->reports[i].search = NULL;
	}
}

void
modules_state_free(struct modules_state *state)
{
	if (state->reports == NULL)
		return;
	modules_state_forget(state);
	free(state->reports);
	*state = (struct modules_state){ NULL, 0 };
}
