/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "ui/session/session.h"
#include "ui/terminal/prompt.h"

/*
 * The file: a line that says what it is, then lines of a word and its fields.
 *
 *	mark LETTER THREAD FRAME CALL CURSOR ROW MEMORY VIEW
 *	position - THREAD FRAME CALL CURSOR ROW MEMORY VIEW
 *	frame THREAD ADDRESS STACK TEXT
 *	address ADDRESS TEXT
 *	register NAME TEXT
 *	source OLD=NEW
 *	end
 */
static const char header[] = "unspool-state 1";

enum {
	MOST_BYTES = 1 << 17,
	MOST_SOURCES = 32,
	IDENTITY = 4096,	/* bytes at the beginning that tell dumps apart */
	MOST_FILES = 200,	/* the newest stay */
};

/* Write the path of the dump's file; false where it does not fit. */
static bool
path_of(const struct session *session, const char *directory, char *path, size_t size)
{
	const struct file *file = &session->crash->file;
	const uint64_t length = file->size < IDENTITY ? file->size : IDENTITY;
	const uint64_t sum = hash_bytes(HASH_START, file->data, file->data == NULL ? 0 : length);
	const int written = snprintf(path, size, "%s/dumps/%016" PRIx64 "-%" PRIu64, directory, sum,
				     (uint64_t)file->size);

	return written > 0 && (size_t)written < size;
}

/* Reading --------------------------------------------------------------------------------------*/

/* A mark, or '-': where its user stood. */
static bool
take_spot(struct session *session, const char *text)
{
	struct session_spot spot = { .used = true, .details = session->details };
	unsigned view = 0;
	char name[32], letter;

	if (sscanf(text, "%c %zu %zu %zu %" SCNu32 " %zu %" SCNx64 " %31[a-z ]", &letter,
		   &spot.thread, &spot.frame, &spot.call, &spot.cursor, &spot.row, &spot.memory,
		   name) != 8 || spot.thread >= session->crash->thread_count)
		return false;
	while (view < LAYOUT_VIEW_COUNT &&
	       strcmp(layout_view_name((enum layout_view)view), name) != 0)
		view++;
	if (view == LAYOUT_VIEW_COUNT || (letter != '-' && (letter < 'a' || letter > 'z')))
		return false;
	spot.view = (enum layout_view)view;
	*(letter == '-' ? &session->trail.left_at : &session->trail.marks[letter - 'a']) = spot;
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
	return notes_put(&session->notes, &note);
}

/* One line; false where it is none of ours. `*end` is set by the last one. */
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
	if (strcmp(line, "source") == 0) {
		if (strchr(rest, '=') == NULL || session->kept_map_count == MOST_SOURCES)
			return false;
		const char **map = ARENA_PUSH(&session->arena, session->kept_maps,
					      session->kept_map_count, session->kept_map_capacity);
		if (map != NULL)
			*map = arena_copy(&session->arena, rest, strlen(rest));
		return map != NULL && *map != NULL;
	}
	return (strcmp(line, "frame") == 0 || strcmp(line, "address") == 0 ||
		strcmp(line, "register") == 0) && take_note(session, line, rest);
}

void
state_read(struct session *session, const char *directory)
{
	char path[4096 + 64], *text = calloc(1, MOST_BYTES + 1), *rest = text, *line;
	bool end = false;

	FILE *file = text != NULL && path_of(session, directory, path, sizeof(path))
			     ? fopen(path, "re")
			     : NULL;
	if (file == NULL) {
		free(text);
		return;
	}
	const size_t length = fread(text, 1, MOST_BYTES + 1, file);
	fclose(file);
	bool whole = length <= MOST_BYTES && memchr(text, '\0', length) == NULL;
	if (whole) {
		text[length] = '\0';
		whole = strcmp(strsep(&rest, "\n"), header) == 0;
	}
	while (whole && (line = strsep(&rest, "\n")) != NULL)
		whole = line[0] == '\0' || take_line(session, line, &end);
	free(text);
	if (!whole || !end) {
		memset(session->trail.marks, 0, sizeof(session->trail.marks));
		session->trail.left_at.used = false;
		session->notes.count = session->kept_map_count = 0;
		session_say(session, "the saved state of this dump is damaged; it is ignored");
	} else if (session->notes.count > 0) {
		session_say(session, ":notes lists your notes (%zu); :resume goes to the last "
				     "position", session->notes.count);
	}
	if (session->options->source_map_count == 0 && session->kept_map_count > 0) {
		session->source.maps = session->kept_maps;
		session->source.map_count = session->kept_map_count;
	}
}

/* Writing --------------------------------------------------------------------------------------*/

static void
write_spot(FILE *file, const char *word, char letter, const struct session_spot *spot)
{
	if (spot->used)
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

static void
write_all(void *context, FILE *file)
{
	struct session *session = context;
	const struct session_spot here = session_here(session);

	fprintf(file, "%s\n", header);
	write_spot(file, "position", '-', &here);
	for (unsigned i = 0; i < SESSION_MARKS; i++)
		write_spot(file, "mark", (char)('a' + (int)i), &session->trail.marks[i]);
	for (size_t i = 0; i < session->notes.count; i++)
		write_note(file, &session->notes.items[i]);
	for (size_t i = 0; i < session->source.map_count && i < MOST_SOURCES; i++)
		if (strchr(session->source.maps[i], '\n') == NULL)
			fprintf(file, "source %s\n", session->source.maps[i]);
	fprintf(file, "end\n");
}

void
state_write(struct session *session, const char *directory)
{
	char folder[4096 + 64], path[sizeof(folder) + 256], oldest[sizeof(path)] = "";
	struct timespec when = { 0 };
	const struct dirent *entry;
	struct stat status;
	unsigned count = 0;

	if (!path_of(session, directory, folder, sizeof(folder)) ||
	    !prompt_write_file(folder, write_all, session))
		return;
	*strrchr(folder, '/') = '\0';
	/* The file that was changed longest ago is removed, where there are too many. */
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
