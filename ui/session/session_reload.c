/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "ui/request/requests.h"
#include "ui/view/view.h"

/* Open modules' files anew: for added places (session_places.c), and when they change on disk. */

struct raw_file
session_raw_file(const struct session *session, const struct input *input)
{
	const struct crash *crash = session->open.crash;
	struct raw_file file;

	for (const struct session_opened *set = session->open.opened; set != NULL; set = set->next)
		if (set->binaries != NULL && raw_file_of_binary(&file, crash, set->binaries, input))
			return file;
	if (raw_file_of_binary(&file, crash, session->open.options->binaries, input))
		return file;
	return raw_file_of_dump(crash, session->open.binaries);
}

static struct binaries *
open_anew(struct session *session, const struct crash *crash)
{
	const struct explorer_options *options = session->open.options;
	struct session_opened *opened = arena_alloc(&session->arena, sizeof(*opened));

	if (opened == NULL)
		return NULL;
	opened->binaries = options->open_binaries(options->binaries_context, crash,
						  session->open.binary_places,
						  session->open.binary_place_count);
	if (opened->binaries == NULL)
		return NULL;
	opened->next = session->open.opened;
	session->open.opened = opened;
	return opened->binaries;
}

bool
session_open_binaries(struct session *session)
{
	const struct explorer_other *other = session->open.options->other;
	struct binaries *binaries = open_anew(session, session->open.crash);
	struct binaries *beside = other != NULL ? open_anew(session, other->crash) : NULL;

	if (binaries == NULL || (other != NULL && beside == NULL))
		return false;
	session->open.binaries = binaries;
	loader_use_binaries(session->open.loader, binaries);
	symbols_use_binaries(session->open.symbols, binaries);
	session->open.other.binaries = beside;
	if (other != NULL)
		symbols_use_binaries(other->symbols, beside);
	analysis_free(session->open.analysis);
	session->open.analysis = NULL;
	addresses_forget(session);
	session_refresh(session);
	return true;
}

/* Files that change on disk while the explorer runs: it offers to read them again. */

/* Frames of a walk digested at once, to find the changed frames after a reload. */
#define DIGEST_FRAMES 2000u

/* Resume loading; with `outdated` also walk all walked threads again. */
static void
start_again(struct session *session, bool outdated)
{
	/* The unfinished walk was begun with the old files. */
	session_drop_redone(session);
	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		session->open.threads[i].outdated =
			outdated && session->look.stack.walks[i] != NULL;
	session->open.reload.under_way = outdated;
	edits_forget_other(session);
	session->open.reload.offer[0] = '\0';
	session->open.work.stopped = false;
	modules_state_forget(&session->look.modules.state);
	loader_resume(session->open.loader);
	session_poll(session);
}

void
session_walk_outdated(struct session *session)
{
	for (size_t i = 0; i < session->open.crash->thread_count; i++)
		if (session->look.stack.walks[i] != NULL)
			walk_digest_update(&session->open.threads[i].digest,
					   session->look.stack.walks[i], DIGEST_FRAMES);
	session->open.reload.former_count = 0;
	start_again(session, true);
	other_dump_walk_again(session);
}

/* Mix in a number that changes when a file is written. */
static uint64_t
mix_identity(uint64_t hash, const struct identity *identity)
{
	hash = views_mix(views_mix(hash, identity->inode), (uint64_t)identity->size);
	hash = views_mix(hash, (uint64_t)identity->modified.tv_sec);
	return views_mix(hash, (uint64_t)identity->modified.tv_nsec) | 1;
}

/* Differences on disk. */
struct difference {
	uint64_t hash;
	size_t symbols;
	size_t module;			/* index of the first changed module */
	const char *binary;		/* path of a changed module's file; NULL: none */
	const char *dump;
};

/* Add the dump or a module's file if it was replaced or changed. */
static void
add_file(struct difference *difference, const struct file *file, const char **path)
{
	if (file->input.name == NULL || (file->modified.tv_sec == 0 && file->modified.tv_nsec == 0))
		return;
	const struct identity now = identity_at(file->input.name);
	if (now.modified.tv_sec == file->modified.tv_sec &&
	    now.modified.tv_nsec == file->modified.tv_nsec && now.inode == file->inode)
		return;
	difference->hash = mix_identity(difference->hash, &now);
	*path = file->input.name;
}

static struct difference
look(const struct session *session)
{
	struct difference difference = { 0 };
	struct identity identity;

	for (size_t i = session->open.crash->module_count; i-- > 0;) {
		for (enum locate_kind kind = 0; kind < LOCATE_OWN_KINDS; kind++) {
			const struct binary *binary =
				binaries_peek(session->open.binaries, i, kind);

			if (binary != NULL)
				add_file(&difference, &binary->file, &difference.binary);
		}
		if (!symbols_differ(session->open.symbols, i, &identity))
			continue;
		difference.hash = mix_identity(difference.hash, &identity);
		difference.symbols++;
		difference.module = i;
	}
	if (session->open.options->other != NULL)
		add_file(&difference, &session->open.options->other->crash->file, &difference.dump);
	add_file(&difference, &session->open.crash->file, &difference.dump);
	return difference;
}

static void
make_offer(const struct session *session, const struct difference *difference, char *buffer,
	   size_t size)
{
	char name[64];

	if (difference->symbols == 1) {
		session_symbols_name(session, difference->module, name, sizeof(name));
		snprintf(buffer, size, "the symbols of %s have changed on disk; L walks again with "
			 "them", name);
	} else if (difference->symbols > 1) {
		snprintf(buffer, size, "%zu symbol files have changed on disk; L walks again with "
			 "them", difference->symbols);
	} else if (difference->binary != NULL) {
		text_printable(name, sizeof(name), text_of(place_base_name(difference->binary)));
		snprintf(buffer, size, "the file %s has changed on disk; L walks again with it",
			 name);
	} else if (difference->dump != NULL) {
		text_printable(name, sizeof(name), text_of(place_base_name(difference->dump)));
		snprintf(buffer, size, "%s has changed on disk; L reads it again", name);
	} else {
		buffer[0] = '\0';
	}
}

bool
session_tick(struct session *session)
{
	struct session_reload *reload = &session->open.reload;
	const struct difference difference = look(session);

	/* Digest frames now: their names may be lost once a symbol file is overwritten. */
	for (size_t i = 0; difference.hash == 0 && i < session->open.crash->thread_count; i++) {
		struct walk_digest *digest = &session->open.threads[i].digest;
		const struct walk *walk = session->look.stack.walks[i];

		if (walk == NULL || digest->count == walk->count)
			continue;
		walk_digest_update(digest, walk, digest->count + DIGEST_FRAMES);
		break;
	}
	/* Writing a file takes a while, so offer to read it when it has stopped changing. */
	const bool still = difference.hash == reload->seen;
	reload->seen = difference.hash;
	if (!still || difference.hash == reload->offered)
		return false;
	reload->offered = difference.hash;
	make_offer(session, &difference, reload->offer, sizeof(reload->offer));
	return true;
}

/* Begin a new session with dump `dump` of the list. False if the dump is unreadable. */
static bool
open_again(struct explorer *explorer, size_t dump, struct error *error)
{
	struct explorer_options next = *explorer->session.open.options;

	next.dump = dump;
	if (next.open_again == NULL ||
	    next.open_again(next.open_context, &next, error) != ERROR_NONE)
		return false;
	explorer->next.options = next;
	explorer->next.again = explorer->quit = true;
	return true;
}

bool
requests_open_again(struct explorer *explorer)
{
	struct error error = { 0 };
	const bool opened = open_again(explorer, explorer->session.open.options->dump, &error);

	if (!opened)
		session_fail(&explorer->session,
			     "the dump cannot be read, what was read before is shown: %s",
			     error.text);
	return opened;
}

/* Open a dump by number, or the next or previous readable dump. If none, keep this session. */
void
request_dump(const struct request_call *call)
{
	const struct explorer_options *options = call->session->open.options;
	const size_t step = call->value == DUMP_PREVIOUS ? SIZE_MAX : 1;
	const size_t count = options->dump_count;
	struct explorer *explorer = call->explorer;
	char unsaved[64], name[100], skipped[160] = "";
	struct error error = { 0 };
	uint64_t number = options->dump + 1 + (call->value == DUMP_NUMBER ? 0 : step);

	if (call->value == DUMP_NUMBER && call->text[0] == '\0') {
		request_dumps(call);
		return;
	}
	requests_say_unsaved(explorer, unsaved, sizeof(unsaved));
	if (call->text[0] != '\0' && (call->value != DUMP_NUMBER ||
				      !text_number(text_of(call->text), 10, &number)))
		number = 0;
	if (number == 0 || number > count) {
		session_fail(call->session, "the list has no such dump: it has %zu, this is %zu",
			     count, options->dump + 1);
		return;
	}
	if (explorer->state == NULL && unsaved[0] != '\0') {
		session_fail(call->session, "%s would be lost: the state is not saved", unsaved);
		return;
	}
	for (size_t dump = (size_t)number - 1; dump < count; dump += step) {
		text_printable(name, sizeof(name), text_of(place_base_name(options->dumps[dump])));
		if (open_again(explorer, dump, &error)) {
			explorer->next.other = true;
			snprintf(explorer->next.said, sizeof(explorer->next.said),
				 "dump %zu of %zu: %s%s", dump + 1, count, name, skipped);
			return;
		}
		snprintf(skipped, sizeof(skipped), "; skipped %s: %.40s", name, error.text);
		if (call->value == DUMP_NUMBER)
			break;
	}
	session_fail(call->session, "no further dump can be read%s", skipped);
}

/*
 * Read changed files and stopped loads, and walk again: the new walks replace the old ones and mark
 * changes. Reports the result, at once or when it is known.
 */
void
request_reload(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_reload *reload = &session->open.reload;
	const struct difference difference = look(session);
	struct identity identity;

	if (difference.dump != NULL) {
		requests_open_again(call->explorer);
		return;
	}
	if (difference.binary != NULL && !session_open_binaries(session)) {
		session_fail(session, OUT_OF_MEMORY);
		return;
	}
	if (difference.symbols == 0 && difference.binary == NULL && !session->open.work.stopped) {
		session_say(session, "no file has changed on disk");
		return;
	}
	reload->former_count = 0;
	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		if (!symbols_differ(session->open.symbols, i, &identity))
			continue;
		/* The symbol file is closed, but its size is remembered. */
		const struct symfile *symfile = symbols_peek(session->open.symbols, i, NULL);
		if (reload->former_count < SESSION_FORMERS)
			reload->formers[reload->former_count++] = (struct session_former){
				.module = i,
				.functions = symfile == NULL ? 0
							     : symfile_count(symfile, SYMBOL_FUNC),
				.there = symfile != NULL,
			};
		symbols_forget(session->open.symbols, i);
	}
	start_again(session, difference.symbols > 0 || difference.binary != NULL);
}

/* Describe what is wrong with a symbol file after a reload. False if nothing is. */
static bool
is_worse(const struct session *session, const struct session_former *former, char *buffer,
	 size_t size)
{
	const struct symfile *symfile = symbols_peek(session->open.symbols, former->module, NULL);
	char name[64];

	session_symbols_name(session, former->module, name, sizeof(name));
	if (symfile == NULL) {
		snprintf(buffer, size, "%s no longer has symbols", name);
		return former->there;
	}
	const struct file *file = symfile_file(symfile);
	const size_t functions = symfile_count(symfile, SYMBOL_FUNC);
	struct identity identity;
	if (symbols_differ(session->open.symbols, former->module, &identity))
		snprintf(buffer, size, "%s has changed again, L reads it again", name);
	else if (file->size > 0 && file->data[file->size - 1] != '\n')
		snprintf(buffer, size, "%s may be incomplete: its last line has no line "
				       "feed", name);
	else if (functions < former->functions)
		snprintf(buffer, size, "%s has fewer functions: %zu instead of %zu", name,
			 functions, former->functions);
	else
		return false;
	return true;
}

static size_t
add_count(char *buffer, size_t size, size_t used, size_t count, const char *word)
{
	if (count == 0 || used >= size)
		return used;
	return used + (size_t)snprintf(buffer + used, size - used, "%s%zu %s",
				       used > 0 ? ", " : "", count, word);
}

void
session_say_reloaded(struct session *session)
{
	static const struct walk_changes none;
	const struct walk_changes *changes =
		session->open.crash->thread_count > 0
			? &session->open.work.changes[session->look.stack.thread]
			: &none;
	struct session_reload *reload = &session->open.reload;
	char text[80] = "", worse[224] = "";
	size_t used;

	if (!reload->under_way || !session_say_added(session, worse, sizeof(worse)))
		return;
	reload->under_way = false;
	const bool added = worse[0] != '\0';
	const bool given_up = added && session->open.added.server && session->open.work.stopped;
	session->open.added.told = true;
	/* The message about the place stays, because servers have not answered for all modules. */
	if (given_up)
		return;
	edits_forget_made(session);
	used = add_count(text, sizeof(text), 0, changes->changed,
			 changes->changed == 1 ? "frame changed" : "frames changed");
	used = add_count(text, sizeof(text), used, changes->added, "new");
	used = add_count(text, sizeof(text), used, changes->gone, "gone");
	for (size_t i = 0; i < reload->former_count && worse[0] == '\0'; i++)
		if (!is_worse(session, &reload->formers[i], worse, sizeof(worse)))
			worse[0] = '\0';
	if (used == 0 && !added)
		snprintf(text, sizeof(text), "walked again%s",
			 changes->count > 0 ? ", every frame is as before" : "");
	session_say(session, "%s%s%s", worse, worse[0] != '\0' && text[0] != '\0' ? "; " : "",
		    text);
}
