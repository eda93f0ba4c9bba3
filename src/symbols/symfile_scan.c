/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/symfile_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/records.h"
#include "system/crew.h"

/*
 * The pass over a file. Several threads read slices of it; the results are merged in order. A slice
 * with anything unusual is read again here, line by line. Lines and inlined calls of a function are
 * skipped; symfile_function.c reads them.
 */
struct scan {
	struct symfile *symfile;
	uint64_t where;		/* place of the current record */
	/* A function precedes the line, and Breakpad adds line records to it */
	bool in_function;
	bool failed;		/* out of memory, or too many rows */
	uint64_t line_ends;	/* number of line ends before the current slice */
	struct cfi_run run;	/* state at the end of the last slice */
};

/* Maximum number of threads of a pass; more would exceed the memory's bandwidth. */
#define THREADS_MAX 8u

struct pass {
	struct scan scan;
	const struct scan_options *options;
	struct slice *waiting[THREADS_MAX * 2];	/* slices read but not merged, by number */
	struct slice *spare[THREADS_MAX * 3];	/* slices with room for rows */
	size_t spare_count;
	uint64_t slice_size;
	uint64_t slices, next, joined;		/* number of slices; number begun; number merged */
	uint64_t bytes;				/* bytes read so far */
	bool over, cancelled;
	pthread_mutex_t mutex;
	pthread_cond_t moved;
};

/* Record a bad record, except inlined calls, which Breakpad does not count. */
static void
add_bad(struct scan *scan, struct text record, enum symbol_record_kind kind)
{
	struct symfile *symfile = scan->symfile;
	const enum message_kind message =
		kind == SYMBOL_INLINE_ORIGIN ? MESSAGE_SYMBOL_INLINE : MESSAGE_SYMBOL_LINE;
	char found[96] = "";

	if (kind != SYMBOL_INLINE_ORIGIN && symfile->bad_count < ARRAY_COUNT(symfile->bad))
		symfile->bad[symfile->bad_count++] = where_offset(scan->where);
	if (symfile->messages.seen[message] < LIMIT_MESSAGES_PER_KIND)
		text_printable(found, sizeof(found), record);
	if (kind == SYMBOL_LINE && !scan->in_function)
		symfile_report(symfile, message, scan->where,
			       "record '%s' outside of any function\nskipped", found);
	else
		symfile_report(symfile, message, scan->where,
			       "malformed record, expected '%s', found '%s'\nskipped",
			       record_forms[kind].text, found);
}

static void
scan_row(struct scan *scan, struct text record, enum symbol_record_kind kind)
{
	struct symfile *symfile = scan->symfile;
	struct index_row row;
	const bool good = index_row_of(kind, record, &row);

	if (kind == SYMBOL_FUNC || kind == SYMBOL_PUBLIC)
		scan->in_function = good && kind == SYMBOL_FUNC;
	if (!good) {
		add_bad(scan, record, kind);
	} else if (kind == SYMBOL_STACK_CFI) {
		/* Whether the delta follows its INIT is not checked: few slices are read here. */
		symfile->found.delta_count++;
		symfile->found.scattered = true;
	} else if (!table_add(&symfile->tables[row.table], row.address, row.size,
			      where_offset(scan->where))) {
		scan->failed = true;
	}
}

static void
find_byte(const struct symfile *symfile, const struct slice *slice, char c, uint64_t *first)
{
	if (*first < symfile->found.size)
		return;
	const char *at = memchr(symfile->data + slice->start, c,
				(size_t)(slice->end - slice->start));

	if (at != NULL)
		*first = (uint64_t)(at - symfile->data);
}

static void
scan_record(struct scan *scan, uint64_t start, uint64_t length)
{
	struct symfile *symfile = scan->symfile;
	struct text record = { symfile->data + start, (size_t)length };
	char found[96];

	scan->where = where_of(start, length);
	if (length > WHERE_LENGTH_MAX) {
		record.length = WHERE_LENGTH_MAX;
		symfile_report(symfile, MESSAGE_LIMIT, scan->where,
			       "record of %" PRIu64 " bytes, expected at most %" PRIu64
			       "\nthe rest of it is skipped",
			       length, WHERE_LENGTH_MAX);
	}
	const enum symbol_record_kind kind = record_kind(record);
	if (kind == SYMBOL_INLINE && !scan->in_function) {
		text_printable(found, sizeof(found), record);
		symfile_report(symfile, MESSAGE_SYMBOL_INLINE, scan->where,
			       "inlined call '%s' outside of any function\nskipped", found);
	} else if (kind == SYMBOL_LINE) {
		if (!scan->in_function || !record_may_be_line(record))
			add_bad(scan, record, kind);
	} else if (kind != SYMBOL_INLINE) {
		scan_row(scan, record, kind);
	}
}

/* The position after the first newline in [from, to), or 0. */
static uint64_t
behind_newline(const struct symfile *symfile, uint64_t from, uint64_t to)
{
	const char *newline = from < to ? memchr(symfile->data + from, '\n', (size_t)(to - from))
					: NULL;

	return newline == NULL ? 0 : (uint64_t)(newline - symfile->data) + 1;
}

static void
join_lines(struct scan *scan, const struct slice *slice)
{
	struct symfile *symfile = scan->symfile;
	size_t index = 0;

	for (uint64_t at = slice->start; at < slice->end; at += LINE_BLOCK, index++) {
		const uint64_t ends = scan->line_ends;

		symfile->block_lines[at / LINE_BLOCK] =
			ends > UINT32_MAX ? UINT32_MAX : (uint32_t)ends;
		scan->line_ends += slice->newlines[index];
	}
}

static void
read_again(struct scan *scan, struct slice *slice)
{
	struct symfile *symfile = scan->symfile;
	uint64_t start, length;

	for (size_t block = 0; block * LINE_BLOCK < slice->end - slice->start; block++) {
		const uint64_t at = slice->start + block * LINE_BLOCK;

		slice->newlines[block] = (uint32_t)line_ends_between(
			symfile, at, slice->end - at < LINE_BLOCK ? slice->end : at + LINE_BLOCK);
	}
	join_lines(scan, slice);
	scan->run.begins = CFI_NONE;
	/* The range of the lines that begin in the slice. */
	const uint64_t from = slice->start == 0 ? 0 : behind_newline(symfile, slice->start - 1,
								     slice->end - 1);
	const uint64_t to = behind_newline(symfile, slice->end - 1, symfile->found.size);
	if (from == 0 && slice->start != 0)
		return;
	struct line_finder finder = line_finder_at(symfile, from);
	finder.end = to != 0 ? to : symfile->found.size;
	/* The last line may extend into a slice whose carriage returns are not known yet. */
	finder.first_return = 0;
	while (!scan->failed && line_next(&finder, &start, &length))
		if (length != 0)
			scan_record(scan, start, length);
}

/* Continue the run of deltas from the previous slice. */
static void
join_cfi(struct scan *scan, const struct slice *slice)
{
	struct symfile *symfile = scan->symfile;
	struct cfi_run *run = &scan->run;

	symfile->found.delta_count += slice->delta_count;
	if (slice->stray || (slice->head && (run->begins == CFI_NONE ||
					     slice->head_first < run->least ||
					     slice->head_next - 1 > run->most)))
		symfile->found.scattered = true;
	if (slice->tail.begins == CFI_HEAD && run->begins != CFI_NONE)
		run->least = slice->head_next;
	else
		*run = slice->tail;
}

/* Append a slice to the merged ones. */
static void
join(struct scan *scan, struct slice *slice)
{
	struct symfile *symfile = scan->symfile;
	const unsigned odd = slice->given_up ? ~0u : slice->odd;

	if (slice->failed)
		scan->failed = true;
	if ((odd & SLICE_RETURN) != 0)
		find_byte(symfile, slice, '\r', &symfile->found.first_return);
	if ((odd & SLICE_NUL) != 0)
		find_byte(symfile, slice, '\0', &symfile->found.first_nul);
	if ((odd & SLICE_FF) != 0)
		find_byte(symfile, slice, '\xff', &symfile->found.first_ff);
	if (slice->given_up || (slice->bare && !scan->in_function)) {
		read_again(scan, slice);
		return;
	}
	join_lines(scan, slice);
	for (size_t i = 0; !scan->failed && i < slice->row_count; i++) {
		const struct slice_row *row = &slice->rows[i];

		scan->failed = !table_add(&symfile->tables[row->table], row->address, row->size,
					  slice->start + row->offset);
	}
	join_cfi(scan, slice);
	if (slice->state != SLICE_UNKNOWN)
		scan->in_function = slice->state == SLICE_INSIDE;
}

/* Merge the slices that are next, and report progress. The caller holds the lock. */
static void
join_waiting(struct pass *pass)
{
	const struct scan_options *options = pass->options;

	for (;;) {
		struct slice **slot = &pass->waiting[pass->joined % ARRAY_COUNT(pass->waiting)];

		if (*slot == NULL)
			break;
		if (!pass->over)
			join(&pass->scan, *slot);
		pass->spare[pass->spare_count++] = *slot;
		*slot = NULL;
		pass->joined++;
		pthread_cond_broadcast(&pass->moved);
	}
	if (pass->scan.failed)
		pass->over = true;
	if (!pass->over && options->progress != NULL &&
	    !options->progress(options->context, pass->bytes, pass->scan.symfile->found.size))
		pass->over = pass->cancelled = true;
}

/* The next slice to read, or NULL. Waits if too many are unmerged. The caller holds the lock. */
static struct slice *
take_slice(struct pass *pass)
{
	while (!pass->over && pass->next < pass->slices &&
	       pass->next - pass->joined >= ARRAY_COUNT(pass->waiting))
		pthread_cond_wait(&pass->moved, &pass->mutex);
	if (pass->over || pass->next == pass->slices)
		return NULL;
	const uint64_t size = pass->scan.symfile->found.size;
	const uint64_t start = pass->next++ * pass->slice_size;
	struct slice *slice = pass->spare_count != 0 ? pass->spare[--pass->spare_count]
						     : calloc(1, sizeof(*slice));

	if (slice == NULL)
		pass->scan.failed = pass->over = true;
	else
		slice_reset(slice, start,
			    size - start < pass->slice_size ? size : start + pass->slice_size);
	return slice;
}

static void
read_slices(void *context, size_t member, size_t item)
{
	struct pass *pass = context;
	const struct symfile *symfile = pass->scan.symfile;
	struct slice_reader *reader = slice_reader_create(&symfile->file, symfile->found.size);
	struct slice *slice;

	(void)member;
	(void)item;
	pthread_mutex_lock(&pass->mutex);
	if (reader == NULL)
		pass->scan.failed = pass->over = true;
	while ((slice = take_slice(pass)) != NULL) {
		pthread_mutex_unlock(&pass->mutex);
		if (pass->options->exact)
			slice->given_up = true;
		else
			slice_read(reader, slice);
		pthread_mutex_lock(&pass->mutex);
		pass->bytes += slice->end - slice->start;
		pass->waiting[slice->start / pass->slice_size % ARRAY_COUNT(pass->waiting)] = slice;
		join_waiting(pass);
	}
	pthread_cond_broadcast(&pass->moved);
	pthread_mutex_unlock(&pass->mutex);
	slice_reader_free(reader);
}

/* Read slices in this thread and in as many others as can be started. */
static void
run_pass(struct pass *pass)
{
	/* Most files have one slice and need no count of processors. Counting them reads a file. */
	const unsigned most = pass->slices < THREADS_MAX ? (unsigned)pass->slices : THREADS_MAX;
	const unsigned wanted = pass->options->threads;
	const unsigned threads = wanted != 0 && wanted < most ? wanted
				 : wanted == 0 && most > 1    ? crew_size(most)
							      : most;

	crew_run(threads, threads, read_slices, pass);
	for (size_t slot = 0; slot < ARRAY_COUNT(pass->waiting); slot++)
		slice_free(pass->waiting[slot]);
	while (pass->spare_count > 0)
		slice_free(pass->spare[--pass->spare_count]);
}

/* Handle an incomplete last line, and store the number of lines. */
static void
finish_lines(struct symfile *symfile, uint64_t ends)
{
	const char last = symfile->found.size == 0 ? '\n' : symfile->data[symfile->found.size - 1];

	if (last != '\n' && last != '\r') {
		const uint64_t start = symfile_line_start(symfile, symfile->found.size - 1);

		/* Writers end every line: this record may be truncated but look valid. */
		ends++;
		symfile_report(symfile, MESSAGE_TRUNCATED,
			       where_of(start, symfile->found.size - start),
			       "the last line has no line feed"
			       "\nit is used; the file may be truncated");
	}
	symfile->found.line_count = ends > UINT32_MAX ? UINT32_MAX : (uint32_t)ends;
}

enum error_code
symfile_scan(struct symfile *symfile, const struct scan_options *options)
{
	struct symfile_found *found = &symfile->found;
	struct pass pass = { .scan.symfile = symfile, .options = options,
			     .mutex = PTHREAD_MUTEX_INITIALIZER,
			     .moved = PTHREAD_COND_INITIALIZER };

	while (found->size > 0 && symfile->data[found->size - 1] == '\0')
		found->size--;
	found->first_return = found->first_nul = found->first_ff = found->size;
	pass.slice_size = options->slice_size != 0 ? options->slice_size : SLICE_SIZE;
	pass.slices = (found->size + pass.slice_size - 1) / pass.slice_size;
	symfile->block_lines =
		calloc((size_t)(found->size / LINE_BLOCK) + 1, sizeof(*symfile->block_lines));
	if (symfile->block_lines == NULL)
		return ERROR_MEMORY;
	if (pass.slices != 0)
		run_pass(&pass);
	if (pass.cancelled)
		return ERROR_CANCELLED;
	if (pass.scan.failed)
		return ERROR_MEMORY;
	for (size_t table = 0; table < TABLE_COUNT; table++)
		table_trim(&symfile->tables[table]);
	/* Breakpad turns NUL bytes into '_' and counts them as one bad record before all others. */
	if (found->first_nul < found->first_ff) {
		if (symfile->bad_count == ARRAY_COUNT(symfile->bad))
			symfile->bad_count--;
		memmove(symfile->bad + 1, symfile->bad,
			symfile->bad_count * sizeof(symfile->bad[0]));
		symfile->bad[0] = 0;
		symfile->bad_count++;
	}
	if (found->first_nul < found->size)
		symfile_report(symfile, MESSAGE_SYMBOL_LINE, where_of(found->first_nul, 1),
			       "NUL byte in a text file");
	finish_lines(symfile, pass.scan.line_ends);
	return ERROR_NONE;
}

bool
symfile_scan_deltas(const struct symfile *symfile, uint64_t from, struct table *deltas)
{
	struct line_finder finder = line_finder_at(symfile, from);
	uint64_t start, length;
	struct stack_cfi cfi;

	while (line_next(&finder, &start, &length)) {
		const struct text record = symfile_text(symfile, where_of(start, length));

		if (record.length > 10 && memcmp(record.start, "STACK ", 6) == 0 &&
		    record_stack_cfi(record, false, &cfi) && !cfi.init &&
		    !table_add(deltas, cfi.address, 0, start))
			return false;
	}
	return true;
}
