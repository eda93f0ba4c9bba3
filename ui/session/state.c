/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/state.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
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
};

static uint64_t
identity(const struct crash *crash)
{
	const uint64_t size = crash->file.size < IDENTITY ? crash->file.size : IDENTITY;

	return hash_bytes(HASH_START, crash->file.data, crash->file.data != NULL ? size : 0);
}

/* Write the path of the dump's file; false where it does not fit. */
static bool
path_of(const struct session *session, const char *directory, char *path, size_t size)
{
	const int length = snprintf(path, size, "%s/dumps/%016" PRIx64 "-%" PRIu64, directory,
				    identity(session->crash), (uint64_t)session->crash->file.size);

	return length > 0 && (size_t)length < size;
}

/* Reading --------------------------------------------------------------------------------------*/

static bool
parse_spot(struct session *session, const char *text, char *letter, struct session_spot *spot)
{
	char view[32];

	*spot = (struct session_spot){ .used = true };
	spot->details = session->details;
	if (sscanf(text, "%c %zu %zu %zu %" SCNu32 " %zu %" SCNx64 " %31[a-z ]", letter,
		   &spot->thread, &spot->frame, &spot->call, &spot->cursor, &spot->row,
		   &spot->memory, view) != 8 || spot->thread >= session->crash->thread_count)
		return false;
	for (unsigned i = 0; i < LAYOUT_VIEW_COUNT; i++)
		if (strcmp(layout_view_name((enum layout_view)i), view) == 0) {
			spot->view = (enum layout_view)i;
			return true;
		}
	return false;
}

static bool
take_mark(struct session *session, const char *text)
{
	struct session_spot spot;
	char letter;

	if (!parse_spot(session, text, &letter, &spot))
		return false;
	if (letter == '-')
		session->trail.left_at = spot;
	else if (letter >= 'a' && letter <= 'z')
		session->trail.marks[letter - 'a'] = spot;
	return letter == '-' || (letter >= 'a' && letter <= 'z');
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

static bool
take_source(struct session *session, const char *text)
{
	const char *copy = arena_copy(&session->arena, text, strlen(text));

	if (copy == NULL || strchr(text, '=') == NULL || session->kept_map_count == MOST_SOURCES)
		return false;
	if (session->kept_maps == NULL)
		session->kept_maps = arena_array(&session->arena, MOST_SOURCES,
						 sizeof(*session->kept_maps));
	if (session->kept_maps == NULL)
		return false;
	session->kept_maps[session->kept_map_count++] = copy;
	return true;
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
		return take_mark(session, rest);
	if (strcmp(line, "source") == 0)
		return take_source(session, rest);
	if (strcmp(line, "frame") == 0 || strcmp(line, "address") == 0 ||
	    strcmp(line, "register") == 0)
		return take_note(session, line, rest);
	return false;
}

static void
forget(struct session *session)
{
	memset(session->trail.marks, 0, sizeof(session->trail.marks));
	session->trail.left_at.used = false;
	session->notes.count = 0;
	session->kept_map_count = 0;
}

static bool
take_text(struct session *session, char *text)
{
	bool end = false;
	char *line = strsep(&text, "\n");

	if (strcmp(line, header) != 0)
		return false;
	while ((line = strsep(&text, "\n")) != NULL)
		if (line[0] != '\0' && !take_line(session, line, &end))
			return false;
	return end;
}

enum state_result
state_read(struct session *session, const char *directory)
{
	char path[4096 + 64], *text = calloc(1, MOST_BYTES + 1);
	enum state_result result = STATE_NONE;

	FILE *file = text != NULL && path_of(session, directory, path, sizeof(path))
			     ? fopen(path, "re")
			     : NULL;
	if (file != NULL) {
		const size_t length = fread(text, 1, MOST_BYTES + 1, file);

		fclose(file);
		const bool whole = length <= MOST_BYTES && memchr(text, '\0', length) == NULL;
		if (whole)
			text[length] = '\0';
		result = whole && take_text(session, text) ? STATE_READ : STATE_DAMAGED;
	}
	free(text);
	if (result == STATE_DAMAGED)
		forget(session);
	const bool given = session->options->source_map_count > 0;
	if (!given && session->kept_map_count > 0) {
		session->source.maps = session->kept_maps;
		session->source.map_count = session->kept_map_count;
	}
	return result;
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

/* Remove the file that was changed longest ago, where there are too many. */
static void
prune(const char *folder)
{
	char path[4096 + 320], oldest[sizeof(path)] = "";
	struct timespec when = { 0 };
	const struct dirent *entry;
	struct stat status;
	unsigned count = 0;
	DIR *directory = opendir(folder);

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
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
	if (directory != NULL)
		closedir(directory);
	if (count > STATE_FILES)
		unlink(oldest);
}

void
state_write(struct session *session, const char *directory)
{
	char path[4096 + 64], folder[sizeof(path)];

	if (!path_of(session, directory, path, sizeof(path)) ||
	    !prompt_write_file(path, write_all, session))
		return;
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	prune(folder);
}
