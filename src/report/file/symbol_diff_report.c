/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/symbol_diff_report.h"

#include "base/error.h"

#include <inttypes.h>

static void
write_side(const struct output *output, const struct symbol_diff_run *run, int file)
{
	const char *says = run->says[file] != NULL ? run->says[file] : "nothing";
	const bool placed = run->says[file] != NULL && run->places[file].input != NULL;

	output_line(output, "  %c %s%s%s", "-+"[file], says, placed ? "   " : "",
		placed ? place_format(&run->places[file]).text : "");
}

void
symbol_diff_text(const struct symbol_diff *diff, const struct output *output)
{
	size_t total = 0;

	for (size_t i = 0; i < diff->count; i++) {
		const struct symbol_diff_run *run = &diff->runs[i];

		const bool in = run->what != SYMBOL_DIFF_NAME && run->function != NULL;
		const char *what = run->what != SYMBOL_DIFF_RULE ? symbol_diff_names[run->what]
				   : run->rule != NULL		 ? run->rule : "STACK CFI";

		if (!symbol_diff_of_file(run)) {
			output_format(output, "%" PRIx64, run->first);
			if (run->last == UINT64_MAX)
				output_plain(output, " and up");
			else if (run->last != run->first)
				output_format(output, "-%" PRIx64, run->last);
			output_plain(output, "  ");
		}
		output_line(output, "%s%s%s", what, in ? "  in " : "", in ? run->function : "");
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
