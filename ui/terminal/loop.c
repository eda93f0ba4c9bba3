/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/terminal/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ui/terminal/prompt.h"

enum {
	KEYS_PER_PAINT = 1000,	/* limit, so that a stuck key or a long paste shows progress */
	PAINT_INTERVAL = 250,	/* ms between two paints during background work */
	TICK = 1000,		/* ms without events before `tick` is called */
	PENDING_WAIT = 20,	/* ms between two checks of other threads' work */
	/* Number of times that a readable terminal may be empty before it counts as gone */
	EMPTY_READS = 100,
};

enum error_code
loop_start(struct loop *loop, struct script *script, struct error *error)
{
	loop->script = script;
	if (pipe2(loop->pipe, O_CLOEXEC | O_NONBLOCK) == 0)
		return ERROR_NONE;
	return error_plain(error, ERROR_IO,
			   "cannot create a pipe for signals: %s", strerror(errno));
}

void
loop_stop(struct loop *loop)
{
	close(loop->pipe[0]);
	close(loop->pipe[1]);
}

void
loop_wake(void *context)
{
	const struct loop *loop = context;
	int saved = errno;
	/* If the pipe is full, the loop wakes without this byte. */
	ssize_t written = write(loop->pipe[1], "w", 1);

	(void)written;
	errno = saved;
}

/* Empty the pipe. True if background work wrote a 'w'. Signals write 0. */
static bool
was_woken(const struct loop *loop)
{
	char bytes[64];
	ssize_t length;
	bool woken = false;

	while ((length = read(loop->pipe[0], bytes, sizeof(bytes))) > 0)
		woken = woken || memchr(bytes, 'w', (size_t)length) != NULL;
	return woken;
}

/* Pass typed keys except C-z and C-l to an open prompt. Pass other events to the client. */
static void
hand_out(const struct loop_client *client, const struct term_event *event)
{
	bool typed = event->key < TERM_KEY_LAST || event->key == TERM_KEY_PASTE ||
		     event->key == TERM_KEY_UNKNOWN;

	if (client->takes != NULL && client->takes(client->explorer, event))
		return;
	if (prompt_is_open() && typed && event->key != TERM_KEY_CONTROL('z') &&
	    event->key != TERM_KEY_CONTROL('l'))
		prompt_key(event);
	else
		client->key(client->explorer, event);
}

static void
paint(const struct loop_client *client)
{
	term_clear();
	client->paint(client->explorer);
	term_flush();
}

static void
run_terminal(const struct loop *loop, const struct loop_client *client)
{
	unsigned empty = 0, keys = 0;
	bool changed = true, busy = false, pending = false;
	struct pollfd waits[2] = { { .fd = term_descriptor(), .events = POLLIN },
				   { .fd = loop->pipe[0], .events = POLLIN } };
	struct term_event event;
	int64_t painted = 0;

	while (!*client->quit) {
		/*
		 * Paint the effect of a key and the end of work at once, progress at intervals.
		 */
		if (changed || ((busy || pending) &&
				clock_milliseconds() - painted >= PAINT_INTERVAL)) {
			paint(client);
			painted = clock_milliseconds();
		}
		const bool worked = busy || pending || client->pending(client->explorer);
		busy = client->work(client->explorer) || keys == KEYS_PER_PAINT;
		pending = client->pending(client->explorer);
		changed = worked && !busy && !pending;
		const bool resting = !busy && !pending && !changed;
		const int ready =
			poll(waits, 2, resting ? TICK : pending && !busy ? PENDING_WAIT : 0);
		if (ready > 0 && waits[1].revents != 0 && was_woken(loop))
			client->woken(client->explorer);
		const bool gone = ready >= 0 &&
				  (waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
		const bool readable = ready > 0 && (waits[0].revents & POLLIN) != 0;
		for (keys = 0; keys < KEYS_PER_PAINT && !*client->quit &&
			       term_read(&event); keys++) {
			event.time = clock_milliseconds();
			hand_out(client, &event);
		}
		changed = changed || keys != 0 || (resting && ready == 0 &&
						     client->tick(client->explorer));
		empty = gone ? EMPTY_READS : readable && keys == 0 ? empty + 1 : 0;
		if (empty >= EMPTY_READS) {
			client->key(client->explorer, &(struct term_event){ .key = TERM_KEY_GONE });
			return;
		}
	}
}

static void
press(const struct loop_client *client, int key, int x, int y)
{
	struct term_event event = { .key = key, .x = x, .y = y };

	event.length = key_bytes(key, event.bytes);
	hand_out(client, &event);
}

void
loop_settle(const struct loop *loop, const struct loop_client *client)
{
	for (;;) {
		struct pollfd woken = { .fd = loop->pipe[0], .events = POLLIN };
		const bool busy = client->work(client->explorer);
		const bool resting = !busy && !client->pending(client->explorer);

		if (!resting)
			poll(&woken, 1, busy ? 0 : PENDING_WAIT);
		/* A thread writes to the pipe after its work, so no result is missed. */
		if (was_woken(loop)) {
			client->woken(client->explorer);
		} else if (resting) {
			client->tick(client->explorer);
			break;
		}
	}
}

void
loop_take(const struct loop_client *client, const struct script_step *step)
{
	const char *text = step->text;
	const char *end = step->kind == SCRIPT_TYPE ? text + strlen(text) : text;

	if (step->kind == SCRIPT_COMMAND)
		client->command(client->explorer, text);
	if (step->kind == SCRIPT_KEY && step->key == TERM_KEY_RESIZE)
		term_resize(step->x, step->y);
	if (step->kind == SCRIPT_KEY)
		press(client, step->key, step->x, step->y);
	while (text != end) {
		uint32_t character;
		const size_t length = text_decode(text, (size_t)(end - text), &character);

		if (length != 0)
			press(client, (int)character, 0, 0);
		text += length == 0 ? 1 : length;
	}
}

static void
run_script(const struct loop *loop, const struct loop_client *client)
{
	const struct script_step *step;
	bool painted = true;

	loop_settle(loop, client);
	paint(client);
	for (size_t i = 0; !*client->quit &&
			   (step = script_next(loop->script)) != NULL; i++) {
		/* A key may close the prompt, so paint the prompt's line first. */
		if (!painted && prompt_is_open() && step->kind == SCRIPT_KEY &&
		    (step->key < ' ' || step->key >= TERM_KEY_FIRST))
			paint(client);
		loop_take(client, step);
		loop_settle(loop, client);
		painted = i < LOOP_PAINTED_STEPS || client->arrange == NULL;
		if (painted)
			paint(client);
		else
			client->arrange(client->explorer);
		client->stepped(client->explorer, step);
	}
}

void
loop_run(struct loop *loop, const struct loop_client *client)
{
	if (loop->script != NULL)
		run_script(loop, client);
	else
		run_terminal(loop, client);
}
