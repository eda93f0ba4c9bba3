/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "system/door.h"
#include "tests/lib/folder.h"

/* Requests for a file to a server on loopback, which has a few answers and notes the requests; and those of the sandbox. */

#define FIRST "MODULE windows x86 AB1 a.pdb\n"		/* 29 bytes */
#define REST "PUBLIC 10 0 f\n"				/* 14 bytes */
#define WHOLE FIRST REST
#define ID "0123456789abcdef"

struct answer {
	const char *head, *body;	/* "HTTP/1.1 " is before the head, and the connection ends after the body */
};

static struct {
	int listener;
	const struct answer *answers;
	size_t count, asked;
	char url[64], requests[1024];	/* "PATH RANGE CONDITION; " of each request */
	atomic_bool ended;
	pthread_t thread;
	struct sockaddr_in address;
} server;

/* Append a header's value of a request, if it has one. */
static void
note_header(const char *request, const char *name)
{
	const char *at = strstr(request, name);
	const size_t used = strlen(server.requests);

	if (at != NULL)
		snprintf(server.requests + used, sizeof(server.requests) - used, " %.*s", (int)strcspn(at + strlen(name), "\r"),
			 at + strlen(name));
}

static void *
serve(void *context)
{
	while (!atomic_load(&server.ended)) {
		const int client = accept(server.listener, NULL, NULL);
		char text[2048] = "";
		size_t used = 0;
		ssize_t got;

		while (strstr(text, "\r\n\r\n") == NULL && (got = recv(client, text + used, sizeof(text) - 1 - used, 0)) > 0)
			used += (size_t)got;
		if (used > 0) {
			const struct answer *answer = server.asked < server.count ? &server.answers[server.asked] : NULL;
			const char *path = text + strcspn(text, " ") + 1;

			server.asked++;
			used = strlen(server.requests);
			snprintf(server.requests + used, sizeof(server.requests) - used, "%s%.*s", used > 0 ? "; " : "",
				 (int)strcspn(path, " "), path);
			note_header(text, "\r\nRange: ");
			note_header(text, "\r\nIf-Range: ");
			snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nConnection: close\r\n\r\n%s", answer != NULL ? answer->head : "500 x",
				 answer != NULL && answer->body != NULL ? answer->body : "");
			send(client, text, strlen(text), MSG_NOSIGNAL);
		}
		close(client);
	}
	return context;
}

static void
begin_serving(const struct answer *answers, size_t most)
{
	server.answers = answers;
	server.asked = 0;
	server.requests[0] = '\0';
	for (server.count = 0; server.count < most && answers[server.count].head != NULL;)
		server.count++;
	atomic_store(&server.ended, false);
	pthread_create(&server.thread, NULL, serve, NULL);
}

static void
end_serving(void)
{
	const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	atomic_store(&server.ended, true);
	if (connect(client, (struct sockaddr *)&server.address, sizeof(server.address)) != 0)
		exit(1);
	close(client);
	pthread_join(server.thread, NULL);
}

#define STATUS "the server answered with status "
#define DATE "Tue, 01 Feb 2022 03:03:59 GMT"
#define LENGTH "200 x\r\nContent-Length: 43"
#define ONE "\r\nETag: \"one\""
#define BY_NAME "/a.pdb/AB1/a.sym?code_file=app.exe&code_id=c1"
#define BY_CODE "/app.exe/C1/app.exe.sym"
#define NONE "the server has none (404)"
#define PROGRAM "/app.exe/5ABCDEF05000/"
#define NOTHING { "404 x", "" }

enum { STOP = 1, PART = 2 };	/* the progress stops the request; bytes are left for another run */

static const struct {
	const char *title;
	enum fetch_service service;
	enum locate_kind kind;
	struct answer answers[4];
	enum fetch_answer answer;
	const char *requests, *why, *message;
	unsigned flags;
} rows[] = {
	{ "a file", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH, WHOLE } }, FETCH_TAKEN, BY_NAME, NULL, NULL, 0 },
	{ "a file of a date is continued", FETCH_STORE, LOCATE_SYMBOLS,
	  { { LENGTH "\r\nDate: Tue, 01 Feb 2022 03:04:59 GMT\r\nLast-Modified: " DATE, FIRST },
	    { "206 x\r\nContent-Range: bytes 29-42/43", REST } }, FETCH_TAKEN, BY_NAME "; " BY_NAME " bytes=29- " DATE, NULL, NULL, 0 },
	{ "a file is continued twice", FETCH_STORE, LOCATE_SYMBOLS,
	  { { LENGTH ONE, "MODULE" }, { "206 x\r\nContent-Range: bytes 6-28/43" ONE, " windows x86 AB1 a.pdb\n" },
	    { "206 x\r\nContent-Range: bytes 29-42/43", REST } }, FETCH_TAKEN,
	  BY_NAME "; " BY_NAME " bytes=6- \"one\"; " BY_NAME " bytes=29- \"one\"", NULL, NULL, 0 },
	{ "a server that ignores ranges", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH ONE, "xxxxxxxxxx" }, { LENGTH ONE, WHOLE } }, FETCH_TAKEN,
	  BY_NAME "; " BY_NAME " bytes=10- \"one\"", NULL, NULL, 0 },
	{ "a server that ignores If-Range", FETCH_STORE, LOCATE_SYMBOLS,
	  { { LENGTH ONE, "xxxxxxxxxx" }, { "206 x\r\nContent-Range: bytes 10-42/43\r\nETag: \"two\"", "y" }, { LENGTH, WHOLE } }, FETCH_TAKEN,
	  BY_NAME "; " BY_NAME " bytes=10- \"one\"; " BY_NAME, NULL, NULL, 0 },
	{ "a server that refuses the range", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH ONE, "xxx" }, { "416 x", "" }, { LENGTH, WHOLE } },
	  FETCH_TAKEN, BY_NAME "; " BY_NAME " bytes=3- \"one\"; " BY_NAME, NULL, NULL, 0 },
	{ "a weak version is not continued", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH "\r\nETag: W/\"one\"", "xxx" }, { LENGTH, WHOLE } },
	  FETCH_TAKEN, BY_NAME "; " BY_NAME, NULL, NULL, 0 },
	{ "a file that breaks off three times", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH, FIRST }, { LENGTH, FIRST }, { LENGTH, FIRST } },
	  FETCH_FAILED, BY_NAME "; " BY_NAME "; " BY_NAME, "the transfer ended after 29 bytes, before the end of the file", "not stored", 0 },
	{ "its bytes are kept if it has a version", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH, FIRST }, { LENGTH, FIRST }, { LENGTH ONE, FIRST } },
	  FETCH_FAILED, BY_NAME "; " BY_NAME "; " BY_NAME, "the transfer ended after 29 bytes, before the end of the file", "not stored", PART },
	{ "a server that fails twice", FETCH_STORE, LOCATE_SYMBOLS, { { "503 x", "" }, { "429 x", "" }, { LENGTH, WHOLE } }, FETCH_TAKEN,
	  BY_NAME "; " BY_NAME "; " BY_NAME, NULL, NULL, 0 },
	{ "a wait of more than ten seconds", FETCH_STORE, LOCATE_SYMBOLS, { { "429 x\r\nRetry-After: 11", "" } }, FETCH_FAILED, BY_NAME,
	  STATUS "429, and asks to wait 11 s", "not stored", 0 },
	{ "after 403 another form is requested", FETCH_STORE, LOCATE_SYMBOLS, { { "403 x", "" }, { LENGTH, WHOLE } }, FETCH_TAKEN,
	  BY_NAME "; " BY_CODE, NULL, NULL, 0 },
	{ "after 402 none is", FETCH_STORE, LOCATE_SYMBOLS, { { "402 x", "" } }, FETCH_FAILED, BY_NAME, STATUS "402", "not stored", 0 },
	{ "no file", FETCH_STORE, LOCATE_SYMBOLS, { NOTHING, NOTHING }, FETCH_MISSING, BY_NAME "; " BY_CODE, NONE, NULL, 0 },
	{ "a file of another build", FETCH_STORE, LOCATE_SYMBOLS, { { "200 x", "MODULE windows x86 AB2 a.pdb\n" } }, FETCH_FAILED, BY_NAME,
	  "the download is for another build, with the ID AB2", "not stored", 0 },
	{ "a file is stopped", FETCH_STORE, LOCATE_SYMBOLS, { { LENGTH, WHOLE } }, FETCH_STOPPED, NULL, NULL, NULL, STOP },
	{ "a program in a store of two tiers", FETCH_STORE, LOCATE_IMAGE, { { "200 x", "x" }, NOTHING, NOTHING, NOTHING }, FETCH_MISSING,
	  "/index2.txt; /ap" PROGRAM "app.exe; /ap" PROGRAM "app.ex_; /ap" PROGRAM "file.ptr", NONE, NULL, 0 },
	{ "a program in a store of one tier", FETCH_STORE, LOCATE_IMAGE, { NOTHING, NOTHING, NOTHING, NOTHING }, FETCH_MISSING,
	  "/index2.txt; " PROGRAM "app.exe; " PROGRAM "app.ex_; " PROGRAM "file.ptr", NONE, NULL, 0 },
	{ "a page in place of the index", FETCH_STORE, LOCATE_IMAGE, { { "200 x\r\nContent-Type: Text/HTML; charset=utf-8", "x" }, { "402 x", "" } },
	  FETCH_FAILED, "/index2.txt; " PROGRAM "app.exe", STATUS "402", "not used", 0 },
	{ "a PDB", FETCH_STORE, LOCATE_DEBUG, { NOTHING, NOTHING, NOTHING, NOTHING }, FETCH_MISSING,
	  "/index2.txt; /b.pdb/AB12/b.pdb; /b.pdb/AB12/b.pd_; /b.pdb/AB12/file.ptr", NONE, NULL, 0 },
	{ "a program by its build ID", FETCH_DEBUGINFOD, LOCATE_IMAGE, { { "200 x", WHOLE } }, FETCH_TAKEN, "/buildid/" ID "/executable", NULL,
	  NULL, 0 },
	{ "no program", FETCH_DEBUGINFOD, LOCATE_IMAGE, { NOTHING }, FETCH_MISSING, "/buildid/" ID "/executable", NONE, NULL, 0 },
	{ "a debug file", FETCH_DEBUGINFOD, LOCATE_DEBUG, { { "402 x", "" } }, FETCH_FAILED, "/buildid/" ID "/debuginfo", STATUS "402",
	  "not used", 0 },
	{ "an empty supplement", FETCH_DEBUGINFOD, LOCATE_SUPPLEMENT, { { "200 x\r\nContent-Length: 0", "" } }, FETCH_FAILED,
	  "/buildid/" ID "/debuginfo", "the download is empty", "not used", 0 },
	{ "a source", FETCH_DEBUGINFOD, LOCATE_SOURCE, { { "200 x", WHOLE } }, FETCH_TAKEN, "/buildid/" ID "/source/s/a.c", NULL, NULL, 0 },
};

static unsigned wrong_progress;

static bool
note_progress(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	wrong_progress += strcmp(host, server.url + strlen("http://")) != 0 || bytes > 43 || (total != 0 && total != 43);
	return context != NULL;
}

static void
test_row(size_t i)
{
	static const char *const names[LOCATE_KINDS] = { [LOCATE_IMAGE] = "program", [LOCATE_DEBUG] = "debug file",
							 [LOCATE_SUPPLEMENT] = "supplement" };
	const struct module module = { .code_file = "C:\\app.exe", .code_id = "c1", .debug_file = "a.pdb", .debug_id = "AB1",
				       .timestamp = 0x5abcdef0, .size = 0x5000, .version = "" };
	const struct locate_subject subject = { .module = &module, .build_id = ID, .name = "a.pdb", .id = "AB1", .code_name = "app.exe",
						.code_id = "c1", .pdb = "b.pdb", .pdb_id = "AB12", .source = "/s/a.c" };
	const bool store = rows[i].service == FETCH_STORE, taken = rows[i].answer == FETCH_TAKEN, stopped = rows[i].flags & STOP;
	const char *urls[] = { server.url }, *title = rows[i].title;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct arena arena = { 0 };
	struct message_list messages = { .arena = &arena };
	struct locate_record record = { .arena = &arena };
	struct fetch_memory *memory = fetch_memory_create();
	struct fetcher *fetcher = fetch_create(&(struct fetch_options){ .service = rows[i].service, .urls = urls, .url_count = 1,
		.directory = path_in("cache"), .memory = memory, .seconds = 60, .most = 1 << 20 }, NULL);
	const struct fetch_request request = { .kind = rows[i].kind, .subject = &subject, .record = &record, .messages = &messages,
		.mutex = &mutex, .progress = note_progress, .context = stopped ? NULL : &mutex };
	char file[200], name[LOCATE_SHOWN], text[512] = "";

	snprintf(file, sizeof(file), "cache/%s%s", store ? "a.pdb/AB1/a.sym" : rows[i].kind == LOCATE_IMAGE ? ID "/executable"
		 : rows[i].kind == LOCATE_SOURCE ? ID "/source-" : ID "/debuginfo",
		 rows[i].kind == LOCATE_SOURCE ? debuginfod_source_name("/s/a.c", name) : "");
	begin_serving(rows[i].answers, ARRAY_COUNT(rows[i].answers));
	pthread_mutex_lock(&mutex);
	is_u64(fetch_file(fetcher, &request), rows[i].answer == FETCH_FAILED ? FETCH_MISSING : rows[i].answer, "%s: the answer", title);
	/* Answers that are no files are remembered. */
	if (!taken && !stopped)
		is_u64(fetch_file(fetcher, &request), FETCH_MISSING, "%s: again", title);
	pthread_mutex_unlock(&mutex);
	end_serving();
	if (!stopped)
		is_str(server.requests, rows[i].requests, "%s: the requests", title);
	is_u64(record.count, stopped ? 0 : taken ? 1 : 2, "%s: the places", title);
	for (size_t place = 0; place < record.count; place++) {
		ok(record.places[place].outcome == (taken ? LOCATE_FETCHED : rows[i].answer == FETCH_MISSING ? LOCATE_NOT_THERE : LOCATE_REFUSED) &&
		   record.places[place].way == (store ? LOCATE_SYMBOLS_BY_SERVER : LOCATE_BY_SERVER), "%s: the place", title);
		if (place == 0)
			is_str(record.places[place].why, rows[i].why, "%s: the reason", title);
	}
	ok((messages.count > 0) == (rows[i].message != NULL), "%s: a message or none", title);
	if (messages.count > 0 && rows[i].kind == LOCATE_SYMBOLS)
		snprintf(text, sizeof(text), "no symbols from %s%s: %s", server.url, BY_NAME, rows[i].why);
	else if (messages.count > 0)
		snprintf(text, sizeof(text), "no %s of 'app.exe' from %s%s: %s", names[rows[i].kind], server.url,
			 strrchr(rows[i].requests, ' ') != NULL ? strrchr(rows[i].requests, ' ') + 1 : rows[i].requests, rows[i].why);
	if (messages.count > 0 && is_str(messages.messages[0].text, text, "%s: the message", title))
		is_str(messages.messages[0].hint, rows[i].message, "%s: what was done", title);
	FILE *got = fopen(path_in(file), "r");
	text[got == NULL ? 0 : fread(text, 1, sizeof(text) - 1, got)] = '\0';
	ok((got != NULL) == (taken || (!store && rows[i].answer == FETCH_MISSING)), "%s: a file is kept or not", title);
	if (got != NULL)
		fclose(got);
	is_str(text, taken ? WHOLE : "", "%s: the bytes", title);
	if (store && !stopped)
		is_u64(access(path_in(rows[i].kind == LOCATE_SYMBOLS ? "cache/a.pdb" : "cache/app.exe"), F_OK) == 0,
		       taken || (rows[i].flags & PART) != 0, "%s: no folder is left without files", title);
	fetch_free(fetcher);
	fetch_memory_free(memory);
	arena_free(&arena);
	folder_remove();
	mkdir(root, 0700);
}

#define AGES "Date: Tue, 01 Feb 2022 03:04:59 GMT\r\nLast-Modified: "
#define OLDEST "Thu, 01 Jan 1970 00:00:00 GMT"

static const struct {
	const char *title, *head;	/* an answer of 10 bytes; "HTTP/1.1 " and the status are first */
	enum fetch_answer answer;
	const char *text;		/* the file's version, or why the transfer failed */
	bool again, failing;
} http_cases[] = {
	{ "a file without a version", "200 x", FETCH_TAKEN, "", false, false },
	{ "an ETag", "200 x\r\nETag: \"one\"", FETCH_TAKEN, "\"one\"", false, false },
	{ "an ETag and dates", "200 x\r\nETag: \"one\"\r\n" AGES DATE, FETCH_TAKEN, "\"one\"", false, false },
	{ "a weak ETag", "200 x\r\nETag: W/\"one\"", FETCH_TAKEN, "", false, false },
	{ "a weak ETag and dates", "200 x\r\nETag: W/\"one\"\r\n" AGES DATE, FETCH_TAKEN, "", false, false },
	{ "an empty ETag and dates", "200 x\r\nETag: \r\n" AGES DATE, FETCH_TAKEN, DATE, false, false },
	{ "a date a minute ago", "200 x\r\n" AGES DATE, FETCH_TAKEN, DATE, false, false },
	{ "a date less than a minute ago", "200 x\r\n" AGES "Tue, 01 Feb 2022 03:04:00 GMT", FETCH_TAKEN, "", false, false },
	{ "a date in the future", "200 x\r\n" AGES "Tue, 01 Feb 2022 03:05:59 GMT", FETCH_TAKEN, "", false, false },
	{ "text that is not a date", "200 x\r\n" AGES "yesterday", FETCH_TAKEN, "", false, false },
	{ "the first of all dates", "200 x\r\n" AGES OLDEST, FETCH_TAKEN, OLDEST, false, false },
	{ "a date without that of the answer", "200 x\r\nLast-Modified: " DATE, FETCH_TAKEN, "", false, false },
	{ "no file", "404 x", FETCH_MISSING, "the server has none (404)", false, false },
	{ "no file any more", "410 x", FETCH_MISSING, "the server has none (410)", false, false },
	{ "no access", "401 x", FETCH_FAILED,
	  STATUS "401: it requires a user name and a password, which can be part of its URL", false, false },
	{ "no access for anyone", "403 x", FETCH_FAILED, STATUS "403: it has none, or access is restricted", false, false },
	{ "no access to a proxy", "407 x", FETCH_FAILED, STATUS "407: a proxy requires a user name and a password", false, false },
	{ "a status of other content", "203 x", FETCH_FAILED, STATUS "203", false, false },
	{ "a status of a choice", "300 x", FETCH_FAILED, STATUS "300", false, false },
	{ "a range outside of the file", "416 x", FETCH_FAILED, STATUS "416", true, false },
	{ "a status of clients", "499 x", FETCH_FAILED, STATUS "499", false, false },
	{ "a status of servers", "500 x", FETCH_FAILED, STATUS "500", true, true },
	{ "too many requests", "429 x\r\nRetry-After: 7", FETCH_FAILED, STATUS "429, and asks to wait 7 s", true, true },
	{ "a wait of nearly an hour", "503 x\r\nRetry-After: 3599", FETCH_FAILED, STATUS "503, and asks to wait 3599 s", true, true },
	{ "a wait of a day", "503 x\r\nRetry-After: 86400", FETCH_FAILED, STATUS "503, and asks to wait 3600 s or longer", true, true },
	{ "a part that was not requested", "206 x", FETCH_FAILED, "the server sent another range than requested", true, false },
	{ "more bytes than are accepted", "200 x\r\nContent-Length: 1048577", FETCH_FAILED, "the file exceeds 1 MB", false, false },
	{ "fewer bytes than announced", "200 x\r\nContent-Length: 11", FETCH_FAILED,
	  "the transfer ended after 10 bytes, before the end of the file", true, false },
};

static bool
goes_on(void *context)
{
	return context == NULL;
}

/* Single answers of 10 bytes. */
static void
test_http(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(http_cases); i++) {
		const struct answer answer = { http_cases[i].head, "0123456789" };
		struct fetch_part part;
		struct fetch_outcome outcome;

		begin_serving(&answer, 1);
		fetch_part_open(&part, path_in("a"), server.url);
		fetch_http_ask(&(struct fetch_question){ .url = server.url, .seconds = 60, .most = 1 << 20, .part = &part,
			.begin = fetch_part_begin, .add = fetch_part_add, .goes_on = goes_on }, &outcome);
		end_serving();
		ok(outcome.answer == http_cases[i].answer && outcome.again == http_cases[i].again &&
		   outcome.failing == http_cases[i].failing, "%s: the kind of answer", http_cases[i].title);
		is_str(outcome.answer == FETCH_TAKEN ? part.validator : outcome.why, http_cases[i].text, "%s", http_cases[i].title);
		fetch_part_close(&part, false);
	}
}

/* The sandbox: a network process sends pieces to the process that has the files. */

struct piece {
	uint32_t kind, length;
};
enum { BEGIN, BYTES, COUNT, END };
struct version {
	uint64_t bytes, total;
	char validator[FETCH_VALIDATOR_SIZE];
};

/* The pieces that the network process sends: "begin TOTAL VALIDATOR|", the bytes, "end ANSWER WHY"; "": it refuses the argument. */
static const char *
served(const char *argument, const char *urls)
{
	static char text[512];
	struct version version;
	struct fetch_outcome outcome;
	struct piece piece;
	char bytes[128];
	int ends[2];
	size_t used = 0;

	text[0] = '\0';
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		exit(1);
	const int status = urls == NULL ? fetch_serve(ends[0], argument, NULL)
					: fetch_serve_kept(ends[0], argument, urls, path_in("cache"));
	close(ends[0]);
	while (recv(ends[1], &piece, sizeof(piece), MSG_WAITALL) == (ssize_t)sizeof(piece)) {
		void *const to = piece.kind == END ? (void *)&outcome : piece.kind == BYTES ? (void *)bytes : (void *)&version;
		const size_t size = piece.kind == END ? sizeof(outcome) : piece.kind == BYTES ? sizeof(bytes) : sizeof(version);

		if (piece.length > size || recv(ends[1], to, piece.length, MSG_WAITALL) != (ssize_t)piece.length)
			break;
		if (piece.kind == BEGIN)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "begin %u %s|", (unsigned)version.total, version.validator);
		else if (piece.kind == BYTES)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s", (int)piece.length, bytes);
		else if (piece.kind == END)
			snprintf(text + used, sizeof(text) - used, "end %u %s", outcome.answer, outcome.why);
	}
	close(ends[1]);
	is_u64((uint64_t)status, (uint64_t)(text[0] != '\0' ? 0 : -1), "the service has a status");
	return text;
}

static void
test_service(void)
{
	static const struct {
		const char *before, *path;	/* the argument: a text, and the URL of a file on the server */
		struct answer answers[1];
		const char *want, *urls;	/* '@' in URLs: the server; NULL: not debuginfod's cache */
	} cases[] = {
		{ "60 1000 0\n\n", "/a", { { LENGTH ONE, WHOLE } }, "begin 43 \"one\"|" WHOLE "end 0 ", NULL },
		{ "60 1000 29\n\"one\"\n", "/a", { { "206 x\r\nContent-Range: bytes 29-42/43", REST } }, REST "end 0 ", NULL },
		{ "60 1000 0\n\n", "/a", { NOTHING }, "end 1 " NONE, NULL },
		{ "60 1000 0\n\nftp:", "/a", { { NULL, NULL } }, "end 2 http:// or https:// is missing", NULL },
		{ "60 1000\n\n", "/a", { { NULL, NULL } }, "", NULL }, { "60 1000 0\n", "/a", { { NULL, NULL } }, "", NULL },
		{ "", "/a", { { NULL, NULL } }, "", NULL },
		{ "60 1000 0\n\n", "/s/buildid/" ID "/executable", { { LENGTH, WHOLE } }, "end 0 ", "http://127.0.0.1:1 \t@/s/" },
		{ "60 1000 0\n\n", "/buildid/" ID "/debuginfo", { NOTHING }, "end 1 " NONE, "\n@" },
		{ "60 1000 0\n\n", "/t/buildid/" ID "/executable", { { NULL, NULL } }, "", "@/s" },
		{ "60 1000 0\n\n", "/s/buildidx/" ID "/executable", { { NULL, NULL } }, "", "@/s" },
		{ "60 1000 0\n\n", "/buildid/" ID "/other", { { NULL, NULL } }, "", "@" },
		{ "60 1000 0\n\n", "/buildid/" ID "/executable", { { NULL, NULL } }, "", "" },
	};
	char argument[200], urls[200], wanted[100];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *rest = cases[i].urls != NULL ? cases[i].urls + strcspn(cases[i].urls, "@") : NULL;

		begin_serving(cases[i].answers, 1);
		snprintf(argument, sizeof(argument), "%s%s%s", cases[i].before, server.url, cases[i].path);
		if (rest != NULL)
			snprintf(urls, sizeof(urls), "%.*s%s%s", (int)(rest - cases[i].urls), cases[i].urls, *rest == '@' ? server.url : "",
				 *rest == '@' ? rest + 1 : "");
		is_str(served(argument, rest != NULL ? urls : NULL), cases[i].want, "service %zu: the pieces", i);
		end_serving();
		snprintf(wanted, sizeof(wanted), "%s%s", cases[i].path, i == 1 ? " bytes=29- \"one\"" : "");
		is_str(server.requests, cases[i].answers[0].head != NULL ? wanted : "", "service %zu: the request", i);
	}
	ok(debuginfod_state(path_in("cache"), ID "/executable") == DEBUGINFOD_KEPT, "the service writes to the cache");
	ok(fetch_serve_kept(-1, "forget " ID "/executable", "", path_in("cache")) == 0 &&
	   debuginfod_state(path_in("cache"), ID "/executable") == DEBUGINFOD_UNKNOWN, "it removes a wrong file");
	ok(fetch_serve_kept(-1, "miss " ID "/debuginfo", "", path_in("cache")) == 0 &&
	   debuginfod_state(path_in("cache"), ID "/debuginfo") == DEBUGINFOD_MISSED, "it notes that no server has a file");
}

/* A broker that gives a request the end of a socket with pieces in it, or an error. */
struct broker {
	int door, given, error;
	struct door_message message;
};

static void *
answer_door(void *context)
{
	struct broker *broker = context;

	if (door_receive(broker->door, &broker->message, NULL)) {
		struct door_message answer = broker->message;

		answer.error = broker->error;
		door_send(broker->door, &answer, broker->error != 0 ? -1 : broker->given);
	}
	return NULL;
}

static void
test_parser(void)
{
#define SAID "cannot ask: "
#define GONE SAID "the download process has ended"
	static const struct {
		const char *title;
		struct {
			uint32_t kind, length;	/* 0: the kind's own */
		} pieces[4];
		size_t count;
		uint32_t answer, want;
		const char *why;		/* the beginning of the reason */
		uint64_t bytes;
		int error;
	} cases[] = {
		{ "a file", { { BEGIN, 0 }, { BYTES, 3 }, { BYTES, 7 }, { END, 0 } }, 4, FETCH_TAKEN, FETCH_TAKEN, "yyyy", 10, 0 },
		{ "the largest piece", { { BYTES, 16384 }, { END, 0 } }, 2, FETCH_TAKEN, FETCH_TAKEN, "yyyy", 16384, 0 },
		{ "an answer that does not exist", { { END, 0 } }, 1, FETCH_STOPPED + 1, FETCH_FAILED, "yyyy", 0, 0 },
		{ "the last answer", { { END, 0 } }, 1, FETCH_STOPPED, FETCH_STOPPED, "yyyy", 0, 0 },
		{ "no end", { { BEGIN, 0 }, { BYTES, 3 } }, 2, 0, FETCH_FAILED, GONE, 3, 0 },
		{ "an unknown piece", { { END + 1, 4 }, { END, 0 } }, 2, FETCH_TAKEN, FETCH_FAILED, GONE, 0, 0 },
		{ "a short version", { { BEGIN, 8 }, { END, 0 } }, 2, FETCH_TAKEN, FETCH_FAILED, GONE, 0, 0 },
		{ "a short end", { { END, 8 } }, 1, FETCH_TAKEN, FETCH_FAILED, GONE, 0, 0 },
		{ "a piece that is too large", { { BYTES, 16385 }, { END, 0 } }, 2, FETCH_TAKEN, FETCH_FAILED, GONE, 0, 0 },
		{ "as many bytes as are accepted", { { BYTES, 16384 }, { BYTES, 3616 }, { END, 0 } }, 3, FETCH_TAKEN, FETCH_TAKEN, "yyyy", 20000, 0 },
		{ "one more", { { BYTES, 16384 }, { BYTES, 3617 }, { END, 0 } }, 3, FETCH_TAKEN, FETCH_FAILED, "cannot write to the cache: ", 16384, 0 },
		{ "a size", { { COUNT, 0 }, { END, 0 } }, 2, FETCH_MISSING, FETCH_MISSING, "yyyy", 5, 0 },
		{ "a request that is stopped", { { BYTES, 3 } }, 1, 0, FETCH_STOPPED, "", 0, 0 },
		{ "a sandbox without downloads", { { END, 0 } }, 1, 0, FETCH_FAILED, SAID "refused by the sandbox (--no-sandbox)", 0, DOOR_REFUSED },
		{ "an error of the broker", { { END, 0 } }, 1, 0, FETCH_FAILED, SAID, 0, ENOENT },
	};
	static char filler[20000];

	memset(filler, 'x', sizeof(filler));
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct version version = { .bytes = cases[i].pieces[0].kind == COUNT ? 5 : 0, .total = 10, .validator = "\"v\"" };
		struct fetch_outcome sent = { .answer = cases[i].answer }, outcome;
		bool stop = cases[i].want == FETCH_STOPPED && cases[i].answer == 0;
		int door[2], ends[2];
		struct fetch_part part;
		struct stat status;
		pthread_t thread;

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, door) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
			exit(1);
		memset(sent.why, 'y', sizeof(sent.why));
		for (size_t j = 0; j < cases[i].count; j++) {
			const uint32_t kind = cases[i].pieces[j].kind, own = kind == END ? sizeof(sent) : sizeof(version);
			const struct piece piece = { kind, cases[i].pieces[j].length != 0 ? cases[i].pieces[j].length : own };

			send(ends[0], &piece, sizeof(piece), MSG_NOSIGNAL);
			send(ends[0], kind == END ? (const void *)&sent : kind == BYTES ? (const void *)filler : (const void *)&version,
			     piece.length, MSG_NOSIGNAL);
		}
		close(ends[0]);
		struct broker broker = { .door = door[1], .given = ends[1], .error = cases[i].error };
		pthread_create(&thread, NULL, answer_door, &broker);
		fetch_part_open(&part, path_in("part"), "http://x/a");
		door_guard(door[0]);
		fetch_remote_ask(&(struct fetch_question){ .url = "http://x/a", .seconds = 60, .most = 20000, .part = &part,
			.begin = fetch_part_begin, .add = fetch_part_add, .goes_on = goes_on, .context = stop ? &stop : NULL }, &outcome);
		door_guard(-1);
		pthread_join(thread, NULL);
		ok(broker.message.kind == DOOR_SERVICE && broker.message.number == DOOR_FETCH, "%s: the service", cases[i].title);
		is_str(broker.message.text, "60 20000 0\n\nhttp://x/a", "%s: the request", cases[i].title);
		is_u64(outcome.answer, cases[i].want, "%s: the answer", cases[i].title);
		ok(outcome.resumable == stop && (stop || strncmp(outcome.why, cases[i].why, strlen(cases[i].why)) == 0) &&
		   (cases[i].why[0] != 'y' || strlen(outcome.why) == sizeof(outcome.why) - 1), "%s: the reason", cases[i].title);
		is_u64(part.bytes, cases[i].bytes, "%s: the number of bytes", cases[i].title);
		ok(fstat(fileno(part.file), &status) == 0 && (uint64_t)status.st_size == (cases[i].pieces[0].kind == COUNT ? 0 : cases[i].bytes),
		   "%s: the bytes", cases[i].title);
		fetch_part_close(&part, false);
		close(ends[1]);
		close(door[0]);
		close(door[1]);
	}
}

int
main(void)
{
	socklen_t size = sizeof(server.address);

	server.address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setenv("no_proxy", "*", 1);
	if (!fetch_is_built_in() || fetch_http_refuse("http://a") != NULL ||
	    bind(server.listener, (struct sockaddr *)&server.address, size) != 0 || listen(server.listener, 8) != 0 ||
	    getsockname(server.listener, (struct sockaddr *)&server.address, &size) != 0 || !folder_make()) {
		skip(1, "no libcurl, or no server on loopback");
		return done_testing();
	}
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u", ntohs(server.address.sin_port));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		test_row(i);
	is_u64(wrong_progress, 0, "the progress has the server and its bytes");
	test_http();
	test_service();
	test_parser();
	folder_remove();
	return done_testing();
}
