/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "ui/session/session.h"

/* Bytes from which sizes are given in megabytes. */
#define LEAST_MEGABYTES 10000000u
/* Least columns of the file's name in the header. */
#define LEAST_FILE 12u

/* Texts at the edges of the screen: header, status line, right part of titles. */

static void
add_os(const struct crash *crash, size_t columns, struct row *row)
{
	static const char zeros[] = "0.0.0 Linux ";
	const struct crash_system *system = &crash->system;
	char version[64];

	row_add_text(row, ROLE_NORMAL, text_of(system->os_name));
	if (system->os == CRASH_OS_WINDOWS || columns >= 110) {
		const char *text = system->os_version;

		/* On Linux this is the kernel's version, after zeros and the system's name. */
		if (strncmp(text, zeros, sizeof(zeros) - 1) == 0)
			text += sizeof(zeros) - 1;
		size_t fit = columns >= 180 ? 48 : columns >= 110 ? 24 : strspn(text, "0123456789");
		if (columns < 110 && text[fit] == '.')
			fit += 1 + strspn(text + fit + 1, "0123456789");
		text_cut(version, sizeof(version), text_of(text), fit, false,
			 columns < 110 ? "" : row->cut_mark);
		row_add(row, ROLE_NORMAL, "%s", version[0] != '\0' ? " " : "");
		row_add_text(row, ROLE_NORMAL, text_of(version));
	}
	row_add(row, ROLE_NORMAL, "  ");
}

/* Take `wanted` columns if `least` others are left. False if not. */
static bool
takes(size_t *left, size_t wanted, size_t least)
{
	const bool fits = *left >= wanted + least;

	*left -= fits ? wanted : 0;
	return fits;
}

/* The crash and its place are never cut; the rest shares the columns left. */
void
session_header(struct session *session, size_t columns, struct row *row)
{
	static const char prefix[] = "EXCEPTION_";
	const struct crash *crash = session->crash;
	const char *reason = crash->invented != NULL ? crash->invented
			     : crash->cause.text != NULL ? crash->cause.text
			     : analysis_damage(crash) > 0 ? "damaged dump" : "no crash";
	const struct walk *walk = session_walk(session);
	const struct text file = text_of(place_base_name(crash->file.input.name));
	const size_t frame = session->stack.frame, most = columns != 0 ? columns : SIZE_MAX;
	const bool ends = session->has_step &&
			  session_frame_step(session)->verdict.kind != VERDICT_TAKEN;
	char where[80] = "", frames[64] = "";
	struct arena arena = { 0 };
	struct row cpu = ROW_IN(&arena), os = ROW_IN(&arena);

	/* The prefix carries no information; it is dropped on narrow screens. */
	if (columns < 110 && strncmp(reason, prefix, sizeof(prefix) - 1) == 0)
		reason += sizeof(prefix) - 1;
	if (crash->reason != NULL && crash->cause.address == CRASH_ADDRESS_MEMORY)
		snprintf(where, sizeof(where), " at 0x%" PRIx64, crash->reason_address);
	else if (crash->cause.has_sender && crash->cause.sender_is_self)
		snprintf(where, sizeof(where), " by itself");
	else if (crash->cause.has_sender)
		snprintf(where, sizeof(where), " by process %" PRIu32, crash->cause.sender_process);
	if (crash->redacted)
		strcat(where, "  redacted");
	if (walk != NULL && walk->count > 0 && ends)
		snprintf(frames, sizeof(frames), "frame %zu -> the end", frame);
	else if (walk != NULL && walk->count > 0)
		snprintf(frames, sizeof(frames), "frame %zu -> %zu", frame, frame + 1);
	row_add(&cpu, ROLE_NORMAL, "%s  ", crash->system.cpu_name);
	add_os(crash, columns, &os);
	const size_t said = text_width(text_of(reason)) + strlen(where);
	const size_t least = text_width(file) < LEAST_FILE ? text_width(file) + 2 : LEAST_FILE + 2;
	size_t left = most > said ? most - said : 0;
	const bool has_frames = takes(&left, strlen(frames) + 1, least);
	const bool has_cpu = takes(&left, cpu.width, least), has_os = takes(&left, os.width, least);
	if (left >= least) {
		left = left < columns / 3 + 2 ? left : columns / 3 + 2;
		row_add_cut(row, ROLE_TITLE, columns != 0 ? left - 2 : 0, true, file);
		row_add(row, ROLE_NORMAL, "  %s%s", has_cpu ? row_text(&cpu) : "",
			has_os ? row_text(&os) : "");
	}
	arena_free(&arena);
	left = most > row->width + strlen(where) ? most - row->width - strlen(where) : 1;
	row_add_cut(row, ROLE_TITLE, left, false, text_of(reason));
	row_add(row, ROLE_TITLE, "%s", where);
	if (has_frames && frames[0] != '\0')
		row_add_right(row, ROLE_NORMAL, columns, "%s", frames);
}

void
session_symbols_name(const struct session *session, size_t module, char *buffer, size_t size)
{
	const char *file = session->crash->modules[module].debug_file;

	text_printable(buffer, size, text_of(place_base_name(file)));
}

/* Describe the current reads and downloads with amount and speed. False if there are none. */
static bool
add_progress(const struct session *session, struct row *row)
{
	struct symbols_reading readings[8];
	size_t count = symbols_reading(session->symbols, readings, ARRAY_COUNT(readings));
	uint64_t bytes = 0, total = 0, speed = 0;
	char name[64];

	if (count == 0)
		return false;
	for (size_t i = 0; i < count && i < ARRAY_COUNT(readings); i++) {
		bytes += readings[i].bytes;
		total += readings[i].total;
		if (readings[i].milliseconds > 0)
			speed += readings[i].bytes / readings[i].milliseconds;
	}
	session_symbols_name(session, readings[0].module, name, sizeof(name));
	row_add(row, ROLE_NOTE, "%s %s", readings[0].host != NULL ? "fetching" : "reading", name);
	if (readings[0].host != NULL)
		row_add(row, ROLE_NOTE, " from %s", readings[0].host);
	if (count > 1)
		row_add(row, ROLE_NOTE, " and %zu more", count - 1);
	const bool large = bytes >= LEAST_MEGABYTES || total >= LEAST_MEGABYTES;
	const uint64_t unit = large ? 1000000 : 1000;
	const char *amount = large ? "MB" : "kB";
	row_add(row, ROLE_NOTE, ": %" PRIu64, bytes / unit);
	/* The speed is in bytes per millisecond, which is kB/s. */
	if (total != 0)
		row_add(row, ROLE_NOTE, " of %" PRIu64 " %s, %" PRIu64 " %s/s; Esc stops it",
			total / unit, amount, large ? speed / 1000 : speed, amount);
	else
		row_add(row, ROLE_NOTE, " %s; Esc stops it", amount);
	return true;
}

void
session_explain(struct session *session, enum layout_view which, struct row *row)
{
	const struct session_view *view = session_view(session, which);
	size_t selected;

	if (!session->stepped && session_selected(view, &selected))
		listing_explain(&view->listing, selected, row);
	if (row->width == 0 && session->has_step)
		step_view_explain(&session->step, session->step.cursor, row);
}

void
session_status(struct session *session, struct row *row)
{
	const char *said = session->notice;

	if (said[0] == '\0' && !add_progress(session, row))
		said = session->reload.offer;
	if (said[0] != '\0')
		row_add_text(row, ROLE_NOTE, text_of(said));
	else if (row->width == 0)
		session_explain(session, session->choice.focus, row);
}
