/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "system/file.h"
#include "system/state_file.h"

#include "ui/session/session.h"

/*
 * A state file has a header line and then lines of these forms:
 *
 *	mark LETTER THREAD FRAME CALL CURSOR ROW MEMORY VIEW
 *	position - THREAD FRAME CALL CURSOR ROW MEMORY VIEW
 *	frame THREAD ADDRESS STACK TEXT
 *	address ADDRESS TEXT
 *	register NAME TEXT
 *	source OLD=NEW
 *	edit WORD...		(see state_lines.c)
 *	end
 */
static const char header[] = "unspool-state 1";

enum {
	MOST_BYTES = 1 << 20,
	MOST_EDITS = 1000,
	MOST_SOURCES = 32,
	IDENTITY = 4096,	/* bytes at the start of a dump that identify it */
	MOST_FILES = 200,	/* limit on state files; the newest are kept */
};

/* Write the path of the dump's state file. False if the path does not fit. */
static bool
path_of(const struct session *session, const char *directory, char *path, size_t size)
{
	const struct file *file = &session->open.crash->file;
	const size_t length = file->size < IDENTITY ? (size_t)file->size : IDENTITY;
	const uint64_t sum = hash_bytes(HASH_START, file->data, file->data == NULL ? 0 : length);
	return (size_t)snprintf(path, size, "%s/dumps/%016" PRIx64 "-%" PRIu64, directory, sum,
				(uint64_t)file->size) < size;
}

/* Reading --------------------------------------------------------------------------------------*/

/* Read a mark, or the last position ('-'). */
static bool
take_spot(struct session *session, const char *text)
{
	struct session_spot spot = { .there = true, .by = METHOD_COUNT,
				     .details = session->look.details };
	char name[32], letter;

	if (sscanf(text, "%c %zu %zu %zu %" SCNu32 " %zu %" SCNx64 " %31[a-z ]", &letter,
		   &spot.thread, &spot.frame, &spot.call, &spot.cursor, &spot.row, &spot.memory,
		   name) != 8 || spot.thread >= session->open.crash->thread_count ||
	    !layout_view_named(text_of(name), &spot.view) ||
	    (letter != '-' && (letter < 'a' || letter > 'z')))
		return false;
	*(letter == '-' ? &session->look.trail.left_at : &session->look.trail.marks[letter - 'a']) =
		spot;
	return true;
}

static bool
take_note(struct session *session, const char *word, const char *text)
{
	struct note note = { .kind = NOTE_ADDRESS };
	int at = -1;

	if (strcmp(word, "frame") == 0) {
		note.kind = NOTE_FRAME;
		sscanf(text, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %n", &note.thread, &note.address,
		       &note.stack, &at);
	} else if (strcmp(word, "register") == 0) {
		note.kind = NOTE_REGISTER;
		sscanf(text, "%15s %n", note.name, &at);
	} else {
		sscanf(text, "%" SCNx64 " %n", &note.address, &at);
	}
	if (at < 0 || text[at] == '\0')
		return false;
	snprintf(note.text, sizeof(note.text), "%s", text + at);
	/* Ignore a failure: two explorers may have written more notes than fit. */
	notes_put(&session->kept.notes, &note);
	return true;
}

static bool
take_edit(struct session *session, const char *words)
{
	struct overlay_edit edit;

	if (session->kept.earlier_count == MOST_EDITS ||
	    !kept_edit_read(&session->arena, words, session->open.crash->thread_count, &edit))
		return false;
	return ARENA_ADD(&session->arena, session->kept.earlier, session->kept.earlier_count,
			 session->kept.earlier_capacity, &edit);
}

/* Read a line. False if it is invalid. The line "end" sets `*end`. */
static bool
take_line(struct session *session, char *line, bool *end)
{
	char *rest = strchr(line, ' ');

	if (strcmp(line, "end") == 0) {
		*end = true;
		return true;
	}
	if (rest == NULL || *end)
		return false;
	*rest++ = '\0';
	if (strcmp(line, "mark") == 0 || strcmp(line, "position") == 0)
		return take_spot(session, rest);
	if (strcmp(line, "edit") == 0)
		return take_edit(session, rest);
	if (strcmp(line, "source") == 0) {
		if (strchr(rest, '=') == NULL)
			return false;
		if (session->kept.map_count == MOST_SOURCES)
			return true;
		const char *map = arena_string(&session->arena, rest);
		return map != NULL && ARENA_ADD(&session->arena, session->kept.maps,
						session->kept.map_count,
						session->kept.map_capacity, &map);
	}
	return (strcmp(line, "frame") == 0 || strcmp(line, "address") == 0 ||
		strcmp(line, "register") == 0) && take_note(session, line, rest);
}

/* The text of a state file, to be freed, or NULL. Sets `*damaged` if the file is incomplete. */
static char *
read_text(const char *path, bool *damaged)
{
	static const char end[] = "\nend\n";
	FILE *file = file_is_plain(path) ? fopen(path, "re") : NULL;
	char *text = file != NULL ? calloc(1, MOST_BYTES + 1) : NULL;
	const size_t length = text != NULL ? fread(text, 1, MOST_BYTES + 1, file) : 0;
	const size_t last = sizeof(end) - 1, first = sizeof(header) - 1;

	if (file != NULL)
		fclose(file);
	*damaged = text != NULL &&
		   (length > MOST_BYTES || length < first + last || strlen(text) != length ||
		    strncmp(text, header, first) != 0 || text[first] != '\n' ||
		    strcmp(text + length - last, end) != 0);
	if (text == NULL || !*damaged)
		return text;
	free(text);
	return NULL;
}

/* Report what the last session left: position, edits, notes. */
static void
say_kept(struct session *session)
{
	const struct session_spot *spot = &session->look.trail.left_at;
	const bool elsewhere = spot->there && (spot->thread != session->look.stack.thread ||
					       spot->frame != session->look.stack.frame ||
					       spot->view != session->look.choice.focus);
	const size_t notes = session->kept.notes.count, edits = session->kept.earlier_count;
	if (elsewhere || edits > 0)
		session_say(session, ":resume returns to frame %zu in '%s'", spot->frame,
			    layout_view_name(spot->view));
	if (edits > 0)
		session_say_more(session, " with %zu edit%s", edits, plural(edits));
	if (notes > 0)
		session_say_more(session, "%s:notes lists %zu note%s",
				 elsewhere || edits > 0 ? "; " : "", notes, plural(notes));
}

static void
write_all(struct session *session, FILE *file, bool leaving);

/* The state as text; NULL when out of memory. */
static const char *
text_of_state(struct session *session, bool leaving)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file == NULL)
		return NULL;
	write_all(session, file, leaving);
	const bool good = fclose(file) == 0;
	const char *kept = good ? arena_copy(&session->arena, text, size) : NULL;
	free(text);
	return kept;
}

/* Read the lines of a state after the header. False if a line does not fit this dump. */
static bool
take_text(struct session *session, char *text)
{
	bool end = false, good = true;
	char *line;

	strsep(&text, "\n");
	while ((line = strsep(&text, "\n")) != NULL)
		good &= line[0] == '\0' || take_line(session, line, &end);
	return good;
}

char *
state_carry(struct session *session)
{
	const char *text = text_of_state(session, true);

	return text != NULL ? strdup(text) : NULL;
}

void
state_restore(struct session *session, char *text)
{
	/* Drop recorded changes of walks: new symbols caused them, not a change of the dump. */
	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		walk_changes_free(&session->open.work.changes[i]);
	take_text(session, text);
	session->open.source.maps = session->kept.maps;
	session->open.source.map_count = session->kept.map_count;
	session_resume(session);
}

void
state_read(struct session *session, const char *directory)
{
	char path[4096 + 64];
	bool damaged = false;
	char *text = path_of(session, directory, path, sizeof(path)) ? read_text(path, &damaged)
								     : NULL;

	damaged = damaged || (text != NULL && !take_text(session, text));
	free(text);
	if (damaged) {
		memset(session->look.trail.marks, 0, sizeof(session->look.trail.marks));
		session->look.trail.left_at.there = false;
		session->kept.notes.count = session->kept.map_count = session->kept.earlier_count =
			0;
		session_say(session, "the saved state of this dump is damaged; it is ignored");
	} else {
		say_kept(session);
	}
	/* A damaged file is replaced, or its lines would damage what this session adds. */
	session->kept.text = damaged ? NULL : text_of_state(session, false);
	if (session->open.options->source_map_count == 0 && session->kept.map_count > 0) {
		session->open.source.maps = session->kept.maps;
		session->open.source.map_count = session->kept.map_count;
	}
}

/* Writing --------------------------------------------------------------------------------------*/

static void
write_spot(FILE *file, const char *word, char letter, const struct session_spot *spot)
{
	if (spot->there)
		fprintf(file, "%s %c %zu %zu %zu %" PRIu32 " %zu %" PRIx64 " %s\n", word, letter,
			spot->thread, spot->frame, spot->call, spot->cursor, spot->row,
			spot->memory, layout_view_name(spot->view));
}

static void
write_note(FILE *file, const struct note *note)
{
	char text[sizeof(note->text) * 6];

	text_printable(text, sizeof(text), text_of(note->text));
	if (note->kind == NOTE_FRAME)
		fprintf(file, "frame %" PRIx32 " %" PRIx64 " %" PRIx64 " %s\n", note->thread,
			note->address, note->stack, text);
	else if (note->kind == NOTE_REGISTER)
		fprintf(file, "register %s %s\n", note->name, text);
	else
		fprintf(file, "address %" PRIx64 " %s\n", note->address, text);
}

/* On leaving, write the edits if any were made or resumed; else write the saved edits again. */
static void
write_edits(const struct session *session, FILE *file, bool leaving)
{
	const struct overlay *overlay = edits_overlay(session);
	const bool own = leaving && session->kept.edits.count > 1;
	const size_t count = !own	       ? session->kept.earlier_count
			     : overlay != NULL ? overlay->count
					       : 0;

	for (size_t i = 0; i < count && i < MOST_EDITS; i++) {
		fprintf(file, "edit");
		kept_edit_write(file, own ? &overlay->edits[i] : &session->kept.earlier[i]);
		fputc('\n', file);
	}
}

static void
write_all(struct session *session, FILE *file, bool leaving)
{
	const struct session_spot here =
		leaving ? session_here(session) : session->look.trail.left_at;

	fprintf(file, "%s\n", header);
	write_spot(file, "position", '-', &here);
	for (unsigned i = 0; i < SESSION_MARKS; i++)
		write_spot(file, "mark", (char)('a' + (int)i), &session->look.trail.marks[i]);
	for (size_t i = 0; i < session->kept.notes.count; i++)
		write_note(file, &session->kept.notes.items[i]);
	for (size_t i = 0; i < session->open.source.map_count && i < MOST_SOURCES; i++)
		if (strchr(session->open.source.maps[i], '\n') == NULL)
			fprintf(file, "source %s\n", session->open.source.maps[i]);
	write_edits(session, file, leaving);
	fprintf(file, "end\n");
}

/* Texts of three states to merge: the last one read or written, the file's, this session's. */
struct states {
	const char *base, *theirs, *mine;
};

static void
write_merged(void *context, FILE *file)
{
	const struct states *states = context;

	state_merge(file, states->base, states->theirs, states->mine);
}

/* Remove the oldest file if there are more than MOST_FILES. */
static void
remove_oldest(const char *folder)
{
	char path[4096 + 64 + 256], oldest[sizeof(path)] = "";
	struct timespec when = { 0 };
	const struct dirent *entry;
	struct stat status;
	unsigned count = 0;

	DIR *files = opendir(folder);
	while (files != NULL && (entry = readdir(files)) != NULL) {
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
			    (int)sizeof(path) ||
		    stat(path, &status) != 0)
			continue;
		count++;
		if (oldest[0] != '\0' && (status.st_mtim.tv_sec > when.tv_sec ||
					  (status.st_mtim.tv_sec == when.tv_sec &&
					   status.st_mtim.tv_nsec >= when.tv_nsec)))
			continue;
		when = status.st_mtim;
		memcpy(oldest, path, sizeof(oldest));
	}
	if (files != NULL)
		closedir(files);
	if (count > MOST_FILES)
		unlink(oldest);
}

bool
state_write(struct session *session, const char *directory, bool leaving)
{
	struct states states = { .base = session->kept.text,
				 .mine = text_of_state(session, leaving) };
	char path[4096 + 64];
	bool damaged;

	if (states.mine == NULL || !path_of(session, directory, path, sizeof(path)))
		return false;
	const int lock = state_file_lock(directory);
	char *theirs = read_text(path, &damaged);
	states.theirs = theirs;
	const bool written = state_file_write(path, write_merged, &states);
	free(theirs);
	if (lock >= 0)
		close(lock);
	if (!written)
		return false;
	session->kept.text = states.mine;
	*strrchr(path, '/') = '\0';
	remove_oldest(path);
	return true;
}
