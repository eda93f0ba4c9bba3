/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server on this machine that answers every request with the input and closes the connection. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "locate/fetch_internal.h"
#include "tests/fuzz/harness.h"

#define MOST_BYTES (1u << 20)
#define WANTED "000000000000000000000000000000000"

#define MOST_ANSWER (1u << 13)

/* The server's next answer. It may still be sending the last one. */
static struct {
	pthread_mutex_t mutex;
	uint8_t bytes[MOST_ANSWER];
	size_t size;
} answer = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
set_answer(const uint8_t *bytes, size_t size)
{
	pthread_mutex_lock(&answer.mutex);
	answer.size = size < MOST_ANSWER ? size : MOST_ANSWER;
	memcpy(answer.bytes, bytes, answer.size);
	pthread_mutex_unlock(&answer.mutex);
}

static void *
serve(void *context)
{
	const int listener = *(int *)context;
	char question[4096];

	for (;;) {
		const int client = accept(listener, NULL, NULL);
		if (client < 0)
			return NULL;
		if (read(client, question, sizeof(question)) > 0) {
			pthread_mutex_lock(&answer.mutex);
			send(client, answer.bytes, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT);
			pthread_mutex_unlock(&answer.mutex);
		}
		shutdown(client, SHUT_WR);
		close(client);
	}
}

/* Start the server; returns its port. */
static unsigned
start(void)
{
	static int listener;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	pthread_t thread;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 8) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
	    pthread_create(&thread, NULL, serve, &listener) != 0)
		fuzz_fail("no server can be started");
	pthread_detach(thread);
	return ntohs(address.sin_port);
}

static bool
go_on(void *context)
{
	/* Stop following a server that redirects to itself for ever. */
	return ++*(unsigned *)context < 10000;
}

void
fuzz_http(const uint8_t *bytes, size_t size)
{
	static const struct module module = { .base = 0x400000, .size = 0x1000, .code_file = "code.exe", .code_id = "5F00000000001000",
					      .debug_file = "code.pdb", .debug_id = WANTED, .version = "" };
	static const struct locate_subject subject = {
		.module = &module,
		.build_id = "",
		.pdb = "code.pdb",
		.pdb_id = WANTED,
		.name = "code",
		.id = WANTED,
		.code_name = "code.exe",
		.code_id = "5F00000000001000",
	};
	static unsigned port;
	char url[80], why[FETCH_REASON_SIZE] = "";
	struct fetch_outcome outcome;
	struct fetch_part part;
	unsigned asked = 0;

	if (!fetch_is_built_in())
		return;
	if (port == 0)
		port = start();
	set_answer(bytes, size);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/code/" WANTED "/code.sym", port);
	if (fetch_http_refuse(url) != NULL || !fetch_part_open(&part, "./whole", url))
		fuzz_fail("a question cannot be asked");
	const struct fetch_question question = { .url = url, .seconds = 2, .begin = fetch_part_begin, .add = fetch_part_add,
						 .most = MOST_BYTES, .part = &part, .goes_on = go_on, .context = &asked };
	fetch_http_ask(&question, &outcome);
	if (part.bytes > MOST_BYTES)
		fuzz_fail("more bytes are taken than is allowed");
	/* Fetch a file of any kind; the path in a file.ptr is not followed. */
	const struct fetch_wanted wanted = { .form = &fetch_forms[size % fetch_form_count], .subject = &subject, .most = MOST_BYTES };
	if (outcome.answer == FETCH_TAKEN && fetch_part_end(&part))
		fetch_keep_check(&part, &outcome.header, &wanted, why, sizeof(why));
	else if (outcome.answer != FETCH_TAKEN && outcome.answer != FETCH_STOPPED &&
		 outcome.why[0] == '\0' && outcome.answer != FETCH_MISSING)
		fuzz_fail("no file, and no reason");
	for (const char *c = outcome.why; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			fuzz_fail("a reason cannot be printed");
	fetch_part_close(&part, false);
}
