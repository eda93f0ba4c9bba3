/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_UI_GATE_H
#define TESTS_UNIT_UI_GATE_H

#include <pthread.h>
#include <signal.h>

#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "ui/session/session.h"

/**
 * Sessions while symbols are being read. A gate stops the reader after it has read a file and before
 * it reports the file; nothing here depends on time.
 */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool open;		/* the reader may continue */
	unsigned waiting;	/* readers at the gate */
	unsigned finished;	/* jobs that loaders have done */
	bool woken;		/* a file was read since the last poll of the session */
	sigset_t blocked;	/* signals that the reader's thread does not handle */
} gate = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static inline bool
pass_gate(void *context, size_t module, const char *path, uint64_t bytes, uint64_t total)
{
	const struct session *session = context;
	struct symbols_reading reading[1];

	(void)module;
	(void)path;
	(void)bytes;
	(void)total;
	pthread_mutex_lock(&gate.mutex);
	gate.waiting++;
	pthread_sigmask(SIG_BLOCK, NULL, &gate.blocked);
	pthread_cond_broadcast(&gate.changed);
	while (!gate.open && !session->open.work.stopped)
		pthread_cond_wait(&gate.changed, &gate.mutex);
	gate.waiting--;
	const bool go_on = gate.open;
	pthread_mutex_unlock(&gate.mutex);
	return go_on && symbols_reading(session->open.symbols, reading, 1) > 0;
}

static inline void
set_gate(bool open)
{
	pthread_mutex_lock(&gate.mutex);
	gate.open = open;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.mutex);
}

/* Wait for readers at the gate. On a slow machine the session may not have asked for symbols yet. */
static inline void
wait_for_readers(struct session *session, unsigned count)
{
	for (unsigned slices = 0; slices < 3; slices++)
		session_work(session);
	pthread_mutex_lock(&gate.mutex);
	while (gate.waiting < count)
		pthread_cond_wait(&gate.changed, &gate.mutex);
	pthread_mutex_unlock(&gate.mutex);
}

static inline void
wake(void *context)
{
	(void)context;
	pthread_mutex_lock(&gate.mutex);
	gate.woken = true;
	gate.finished++;
	pthread_mutex_unlock(&gate.mutex);
}

static inline bool
was_woken(void)
{
	pthread_mutex_lock(&gate.mutex);
	const bool woken = gate.woken;
	gate.woken = false;
	pthread_mutex_unlock(&gate.mutex);
	return woken;
}

/* Work as the program does. An idle loader has already woken the session, so was_woken is last. */
static inline void
settle(struct session *session)
{
	bool working, woken = true;

	do {
		loader_wait(session->open.loader, 10);
		if (woken)
			session_poll(session);
		working = session_work(session) || session_is_working(session);
		woken = was_woken();
	} while (working || woken);
}

/* True if some row of a view contains the text. */
static inline bool
shows(struct session *session, enum layout_view which, const char *text)
{
	struct session_view *view = session_view(session, which);
	struct arena arena;
	struct row row;
	bool found = false;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	for (size_t i = 0; i < session_rows(view) && !found; i++) {
		row_clear(&row);
		listing_fill(&view->listing, session_listing_row(view, i), 0, &row);
		found = strstr(row_text(&row), text) != NULL;
	}
	arena_free(&arena);
	return found;
}

static inline bool
says(struct session *session, const char *text)
{
	struct arena arena;
	struct row row;

	arena_init(&arena, 0);
	row_init(&row, &arena);
	session_status(session, &row);
	const bool found = strstr(row_text(&row), text) != NULL;
	if (!found)
		tap_diag("%s", row_text(&row));
	arena_free(&arena);
	return found;
}

static inline uint64_t
selected(const struct session *session, bool sp)
{
	const struct walk *walk = session_walk(session);

	return walk->frames[session->look.stack.frame]
		.registers.value[sp ? walk->arch->sp : walk->arch->pc];
}

/* A view with all its filtered rows. */
static inline struct session_view *
filtered(struct session *session, enum layout_view which)
{
	struct session_view *view = session_view(session, which);

	while (session_is_filtering(view))
		session_filter_more(view);
	return view;
}

#endif
