/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/symbol_diff_report.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static const char *
what_of(const struct symbol_diff_run *run)
{
	if (run->what == SYMBOL_DIFF_RULE)
		return run->rule != NULL ? run->rule : "STACK CFI";
	return symbol_diff_names[run->what];
}

static void
write_side(const struct output *output, const struct symbol_diff_run *run, int file)
{
	char place[400];

	output_format(output, "  %c ", "-+"[file]);
	if (run->says[file] == NULL) {
		output_format(output, "nothing\n");
		return;
	}
	output_text(output, text_of(run->says[file]));
	if (run->places[file].input != NULL) {
		output_format(output, "   ");
		output_text(output,
			    text_of(place_format(&run->places[file], place, sizeof(place))));
	}
	output_format(output, "\n");
}

static void
write_addresses(const struct output *output, const struct symbol_diff_run *run)
{
	if (symbol_diff_of_file(run))
		return;
	output_format(output, "%" PRIx64, run->first);
	if (run->last == UINT64_MAX)
		output_format(output, " and up");
	else if (run->last != run->first)
		output_format(output, "-%" PRIx64, run->last);
	output_format(output, "  ");
}

void
symbol_diff_text(const struct symbol_diff *diff, const struct output *output)
{
	size_t total = 0;

	for (size_t i = 0; i < diff->count; i++) {
		const struct symbol_diff_run *run = &diff->runs[i];

		write_addresses(output, run);
		output_text(output, text_of(what_of(run)));
		if (run->what != SYMBOL_DIFF_NAME && run->function != NULL) {
			output_format(output, "  in ");
			output_text(output, text_of(run->function));
		}
		output_format(output, "\n");
		write_side(output, run, 0);
		write_side(output, run, 1);
	}
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		total += diff->totals[what];
	output_format(output, "%zu difference%s", total, plural(total));
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		if (diff->totals[what] > 0)
			output_format(output, ", %s: %zu",
				      symbol_diff_names[what],
				      diff->totals[what]);
	output_format(output, "%s%s\n", diff->count < total ? " (more than are shown)" : "",
		      diff->memory_ended ? "; " OUT_OF_MEMORY : "");
}

static const struct fact_names symbol_diff_whats = FACT_NAMES(symbol_diff_names);

static void
write_counts(struct json *json, const struct symbol_diff *diff)
{
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		json_number(json, symbol_diff_names[what], diff->totals[what]);
}

#define FACTS "report/file/symbol_diff_facts.def"
#include "document/describe_facts.h"
