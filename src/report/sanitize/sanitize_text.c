/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "report/report.h"
#include "report/sanitize/sanitize.h"

#define NAME_COLUMNS 24
/* Maximum number of listed words of a range. Longer ranges are tables of code. */
#define LISTED_WORDS 64u
/* With either part, the copy has all words of stacks. */
#define WHOLE_STACKS (COPY_PART(STACKS) | COPY_PART(MEMORY))
#define REFUSED_WORDS (WHOLE_STACKS | COPY_PART(SCANNED))

static void
write_streams(const struct sanitized *sanitized, bool dropped, const struct output *output)
{
	for (size_t i = 0; i < sanitized->stream_count; i++) {
		const struct sanitized_stream *stream = &sanitized->streams[i];

		if ((stream->copied == 0) != dropped)
			continue;
		output_plain(output, "  ");
		output_text(output, text_of(stream->name));
		output_format(output, "%*s %10" PRIu64 " bytes",
			      NAME_COLUMNS - (int)text_width(text_of(stream->name)), "",
			      stream->size);
		if (stream->copied > 0 && stream->copied != stream->size)
			output_format(output, ", %" PRIu64 " in the copy", stream->copied);
		output_plain(output, "\n");
	}
}

static void
write_words(const struct sanitized *sanitized, const struct output *output)
{
	const struct crash *crash = sanitized->crash;
	const unsigned word = crash->system.arch->word_size;
	const int digits = report_digits(crash->system.arch);
	struct arena arena = { 0 };
	struct memory_view memory;

	output_plain(output, "\nwords of memory that walks used:\n");
	memory_view_all(&memory, crash, &arena);
	for (size_t i = 0; i < sanitized->range_count; i++) {
		const struct sanitized_range *range = &sanitized->ranges[i];
		const uint64_t words = range->size / word;
		const bool listed = range->size % word == 0 && words <= LISTED_WORDS &&
				    range->module < 0;
		uint64_t value;

		for (uint64_t at = 0; at < (listed ? words : 1); at++) {
			output_format(output, "  %0*" PRIx64 "  ", digits,
				      range->address + at * word);
			if (listed && memory_read(&memory, range->address + at * word, word, &value,
						  NULL))
				output_format(output, "%0*" PRIx64, digits, value);
			else
				output_format(output, "%*" PRIu64 " bytes", digits - 6,
					      range->size);
			if (range->thread >= 0)
				output_format(output, "  stack of thread %d", range->thread);
			if (range->module >= 0) {
				output_plain(output, "  ");
				output_text(output, text_of(place_base_name(
					crash->modules[range->module].code_file)));
			}
			output_format(output, "%s%s\n", range->refused ? "  refused by scans" : "",
				      range->refused && (sanitized->parts & REFUSED_WORDS) == 0
					      ? ": 0 in the copy" : "");
		}
	}
	arena_free(&arena);
}

void
sanitize_text(const struct sanitized *sanitized, const char *path, bool list,
	      const struct output *output)
{
	output_text(output, text_of(path));
	output_format(output, ": %" PRIu64 " bytes, of %" PRIu64 "\n", sanitized->size,
		      sanitized->crash->file.size);
	output_format(output, "the same in both: %zu walks with %zu frames, %zu steps\n",
		      sanitized->walks, sanitized->frames, sanitized->steps);
	if (sanitized->once > 0)
		output_format(output,
			      "walked only as the options say, because the crash has too many "
			      "frames: %zu threads\n",
			      sanitized->once);
	if (sanitized->different.text != NULL) {
		output_format(output, "not the same %s: ", sanitized->different.walks);
		output_text(output, text_of(sanitized->different.text));
		output_plain(output, "\n");
	}
	output_format(output, "\nmemory: %" PRIu64 " bytes, of %" PRIu64 "\n",
		      sanitized->image.memory, sanitized->memory);
	output_format(output, "  %10" PRIu64 " bytes that walks read\n", sanitized->read);
	output_format(output, "  %10" PRIu64 " bytes of words that scans refused%s\n",
		      sanitized->refused,
		      (sanitized->parts & REFUSED_WORDS) != 0 ? "" : ", replaced by 0");
	if ((sanitized->parts & WHOLE_STACKS) == 0 &&
	    sanitized->image.memory > sanitized->read + sanitized->refused)
		output_format(output, "  unused words of stacks are %s\n",
			      sanitized->absent ? "left out" : "0");
	output_format(output, "paths with user names replaced: %zu\n", sanitized->paths);
	for (size_t i = 0; i < ARRAY_COUNT(copy_part_words); i++)
		if (sanitized_keeps(sanitized, i))
			output_format(output, "kept: %s\n", copy_part_words[i].words);
	output_plain(output, "\nstreams kept, with nothing but what walks need:\n");
	write_streams(sanitized, false, output);
	output_plain(output, "streams dropped:\n");
	write_streams(sanitized, true, output);
	if (list)
		write_words(sanitized, output);
}

/* JSON ----------------------------------------------------------------------------------------- */

static const struct fact_names sanitized_parts = FACT_NAMES_IN(copy_part_words);

#define FACTS "report/sanitize/sanitize_facts.def"
#include "document/describe_facts.h"
