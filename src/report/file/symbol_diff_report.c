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
	return symbol_diff_name(run->what);
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

void
symbol_diff_text(const struct symbol_diff *diff, const struct output *output)
{
	size_t total = 0;

	for (size_t i = 0; i < diff->count; i++) {
		const struct symbol_diff_run *run = &diff->runs[i];

		output_format(output, "%" PRIx64, run->first);
		if (run->last == UINT64_MAX)
			output_format(output, " and up");
		else if (run->last != run->first)
			output_format(output, "-%" PRIx64, run->last);
		output_format(output, "  ");
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
	output_format(output, "%zu difference%s", total, total == 1 ? "" : "s");
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		if (diff->totals[what] > 0)
			output_format(output, ", %s: %zu",
				      symbol_diff_name((enum symbol_diff_what)what),
				      diff->totals[what]);
	output_format(output, "%s%s\n", diff->count < total ? " (more than are shown)" : "",
		      diff->memory_ended ? "; " OUT_OF_MEMORY : "");
}

static void
json_side(const struct symbol_diff_run *run, int file, struct json *json)
{
	if (run->says[file] == NULL) {
		json_null(json, file == 0 ? "first" : "second");
		return;
	}
	json_object(json, file == 0 ? "first" : "second");
	json_string(json, "says", run->says[file]);
	if (run->mangled[file] != NULL)
		json_string(json, "mangled", run->mangled[file]);
	json_number(json, "line", run->places[file].line);
	json_object_end(json);
}

void
symbol_diff_json(const struct symbol_diff *diff, struct json *json)
{
	json_object(json, "counts");
	for (int what = 0; what < SYMBOL_DIFF_WHATS; what++)
		json_number(json, symbol_diff_name((enum symbol_diff_what)what),
			    diff->totals[what]);
	json_object_end(json);
	json_array(json, "differences");
	for (size_t i = 0; i < diff->count; i++) {
		const struct symbol_diff_run *run = &diff->runs[i];

		json_object(json, NULL);
		json_hex(json, "from", run->first, 1);
		json_hex(json, "to", run->last, 1);
		json_string(json, "what", symbol_diff_name(run->what));
		if (run->rule != NULL)
			json_string(json, "rule", run->rule);
		json_string(json, "function", run->function);
		if (run->function_mangled != NULL)
			json_string(json, "mangled", run->function_mangled);
		json_side(run, 0, json);
		json_side(run, 1, json);
		json_object_end(json);
	}
	json_array_end(json);
}
