/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "debug_info/binary_survey.h"
#include "dump/dump.h"
#include "tests/lib/folder.h"
#include "tests/lib/synth.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * The explorer while symbols are being read. A gate stops the reader after it has read a file and
 * before it reports the file; nothing here depends on time.
 *
 * The crash is data/crashes/inlines-amd64: frame 1 is engine::level3, as its README says, and the
 * walk touches inline_o2_dw4 and libc.so.6.
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

static bool
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

static void
set_gate(bool open)
{
	pthread_mutex_lock(&gate.mutex);
	gate.open = open;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.mutex);
}

static void
wait_for_readers(unsigned count)
{
	pthread_mutex_lock(&gate.mutex);
	while (gate.waiting < count)
		pthread_cond_wait(&gate.changed, &gate.mutex);
	pthread_mutex_unlock(&gate.mutex);
}

static void
wake(void *context)
{
	(void)context;
	pthread_mutex_lock(&gate.mutex);
	gate.woken = true;
	gate.finished++;
	pthread_mutex_unlock(&gate.mutex);
}

static bool
was_woken(void)
{
	pthread_mutex_lock(&gate.mutex);
	const bool woken = gate.woken;
	gate.woken = false;
	pthread_mutex_unlock(&gate.mutex);
	return woken;
}

/* Work as the program does. An idle loader has already woken the session, so was_woken is last. */
static void
settle(struct session *session)
{
	bool working, woken = true;

	do {
		loader_wait(session->open.loader, 10);
		if (woken)
			session_poll(session);
		session_work(session);
		working = session_is_working(session);
		woken = was_woken();
	} while (working || woken);
}

/* True if some row of a view contains the text. */
static bool
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

static bool
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

static uint64_t
selected(const struct session *session, bool sp)
{
	const struct walk *walk = session_walk(session);

	return walk->frames[session->look.stack.frame]
		.registers.value[sp ? walk->arch->sp : walk->arch->pc];
}

/* A view with all its filtered rows. */
static struct session_view *
filtered(struct session *session, enum layout_view which)
{
	struct session_view *view = session_view(session, which);

	while (session_is_filtering(view))
		session_filter_more(view);
	return view;
}

/* Signal handlers of the explorer may run only in its main thread. */
static void
test_signals(void)
{
	static const int told[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT };
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	bool deaf = true, faulty = true;
	sigset_t here;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		deaf &= sigismember(&gate.blocked, told[i]) == 1;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		faulty &= sigismember(&gate.blocked, faults[i]) == 0;
	ok(deaf, "a thread that reads handles no signal to the program");
	ok(faulty, "a thread that reads handles its own faults");
	pthread_sigmask(SIG_BLOCK, NULL, &here);
	ok(sigismember(&here, SIGINT) == 0, "the main thread handles them as before");
}

static void
test_loading(struct session *session)
{
	wait_for_readers(1);
	test_signals();
	ok(session_walk(session)->count > 1, "there are frames before any symbol is read");
	ok(shows(session, LAYOUT_STACK, "symbols loading"), "the frames report that symbols are loading");
	ok(!shows(session, LAYOUT_STACK, "engine::"), "the frames have no names yet");
	ok(says(session, "reading inline_o2_dw4: "), "the status line says which file is read");
	ok(says(session, " kB/s; Esc stops it"), "the status line has the speed, in kB/s for small files");
	session_select_frame(session, 1, 0);
	const uint64_t pc = selected(session, false), sp = selected(session, true);
	ok(session_step(session, EVENT_ATTEMPT, false), "steps are taken meanwhile");
	session_set_filter(session_view(session, LAYOUT_MEMORY), "_M_invoke", false);
	is_u64(session_rows(filtered(session, LAYOUT_MEMORY)), 0, "no word is in a function with a name yet");
	set_gate(true);
	settle(session);
	ok(session_rows(filtered(session, LAYOUT_MEMORY)) > 0, "a filter finds names that came later");
	ok(shows(session, LAYOUT_STACK, "engine::level3"), "names come when symbols have come");
	ok(!shows(session, LAYOUT_STACK, "symbols loading"),
	   "the frames no longer report that symbols are loading");
	is_u64(selected(session, false), pc, "the selected frame is that of the same pc");
	is_u64(selected(session, true), sp, "the selected frame is that of the same sp");
	ok(!says(session, "reading"), "the status line is free again");
}

static void
test_stopping(struct session *session)
{
	wait_for_readers(1);
	ok(session_halt(session), "reading can be stopped");
	ok(says(session, "reading of inline_o2_dw4 cancelled"), "the status line reports the cancelled read");
	pthread_mutex_lock(&gate.mutex);
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.mutex);
	settle(session);
	ok(!session_is_working(session), "no read is under way after the stop");
	ok(shows(session, LAYOUT_STACK, "symbols not read"), "the frames report which symbols were not read");
	enum symbols_state state;
	for (size_t i = 0; i < session->open.crash->module_count; i++) {
		symbols_peek(session->open.symbols, i, &state);
		if (state != SYMBOLS_PENDING)
			break;
	}
	ok(state == SYMBOLS_PENDING, "no file is recorded as read");
	ok(!session_stop_reading(session), "a session without a read has nothing to stop");
	set_gate(true);
	symbols_load(session->open.symbols, 0);
	symbols_peek(session->open.symbols, 0, &state);
	ok(state == SYMBOLS_PENDING, "no file is read after the stop");
	loader_resume(session->open.loader);
	symbols_load(session->open.symbols, 0);
	symbols_peek(session->open.symbols, 0, &state);
	ok(state != SYMBOLS_PENDING, "files are read again after it");
}

/* The summary is about the whole stack, which is not complete at once if it is deep. */
static void
test_growing(struct session *session)
{
	set_gate(true);
	settle(session);
	ok(shows(session, LAYOUT_SUMMARY, "8 frames: 8 exact"), "a whole stack is judged");
	/* As if the walk had not yet searched for a caller of its last frame. */
	session->look.stack.walks[session->look.stack.thread]->complete = false;
	session_refresh(session);
	ok(shows(session, LAYOUT_SUMMARY, "stack         not walked to its end yet"),
	   "a thread that is not walked to its end is reported as such");
	ok(!shows(session, LAYOUT_SUMMARY, " frames"),
	   "a thread that is not walked to its end has no number of frames");
	settle(session);
	ok(shows(session, LAYOUT_SUMMARY, "8 frames: 8 exact"),
	   "a thread that is walked to its end has its number of frames");
	/* As if the walk had one frame when the stack was drawn; the analysis needs more. */
	session->look.stack.walks[session->look.stack.thread]->complete = false;
	session->look.stack.walks[session->look.stack.thread]->count = 1;
	stack_state_count(&session->look.stack, session->look.stack.thread);
	session_redact(session, false);
	ok(!shows(session, LAYOUT_STACK, "__libc_start_main"), "the stack has one frame");
	session_analysis(session);
	ok(session->open.work.grown, "the analysis of a thread makes its walk grow");
	ok(session_work(session) && !session->open.work.grown && shows(session, LAYOUT_STACK, "__libc_start_main"),
	   "frames that the analysis found are in the stack");
}

/* Memory is at the last word read up to the cursor, raw bytes at those of its event or of the next one. */
static void
test_cursor(struct session *session)
{
	set_gate(true);
	settle(session);
	for (size_t frame = 0; frame < session_walk(session)->count; frame++) {
		session_select_frame(session, frame, 0);
		const struct step_view *step = &session->step.view;
		const struct trace *trace = &step->trace;
		unsigned strayed = 0, far = 0, other = 0;

		for (uint32_t event = 0; session->step.exists && event < trace->count; event++) {
			uint64_t address = selected(session, true);
			const struct place *place = &trace->events[event].place;

			session_select_event(session, event);
			for (uint32_t i = 0; i <= step_view_now(step) && !step_view_is_whole(step); i++)
				if (trace->events[i].kind == EVENT_READ)
					address = trace->events[i].address;
			for (uint32_t i = step_view_attempt(step); place->input == NULL && i < trace->count; i++)
				place = &trace->events[i].place;
			strayed += step->cursor != event;
			far += session->look.memory.address != address;
			other += place->input != NULL && (session->look.raw.place.input != place->input ||
							  session->look.raw.place.offset != place->offset);
		}
		is_u64(strayed + far + other, 0, "the views of memory and bytes follow the cursor in frame %zu", frame);
	}
}

/* A walk that is made anew, or grows, leaves the user where he is: everywhere in a step, and on rows without a frame. */
static void
test_staying(struct session *session)
{
	struct session_view *stack = &session->look.views[LAYOUT_STACK];
	const struct { size_t frame, call; enum event_kind kind; bool other_memory; } places[] = {
		{ 0, 0, EVENT_TOKEN, false }, { 1, 2, EVENT_ATTEMPT, false }, { 1, 0, EVENT_SET, true }, { 3, 0, EVENT_TOKEN, true },
	};

	set_gate(true);
	settle(session);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		session_select_frame(session, places[i].frame, places[i].call);
		session_step(session, places[i].kind, false);
		session_step(session, places[i].kind, false);
		if (places[i].other_memory)
			session->look.memory.address += 8;
		session_view(session, LAYOUT_STACK);
		const struct session_spot before = session_here(session);
		session_renew_walk(session);
		session_view(session, LAYOUT_STACK);
		const struct session_spot after = session_here(session);
		ok(after.frame == places[i].frame && after.call == places[i].call && after.cursor == before.cursor &&
		   after.cursor != 0 && after.memory == before.memory && after.view == before.view &&
		   after.raw.offset == before.raw.offset && after.row == before.row,
		   "place %zu of a walk that is made anew is the same", i);
	}
	const size_t rows = session_rows(session_view(session, LAYOUT_STACK));
	for (size_t row = 0; row < rows; row += rows - 1) {
		session_select_row(session, LAYOUT_STACK, row);
		session_renew_walk(session);
		session_view(session, LAYOUT_STACK);
		is_u64(stack->selected, row, "row %zu of the stack stays selected in a new walk", row);
		session_walk(session)->complete = false;
		session_work(session);
		session_view(session, LAYOUT_STACK);
		is_u64(stack->selected, row, "row %zu of the stack stays selected while it grows", row);
	}
	/* No frame of the new walk has both this pc and this sp, so the number decides. */
	session_select_frame(session, 3, 0);
	struct frame *frames = session_walk(session)->frames;
	const int pc = session_walk(session)->arch->pc;
	frames[3].registers.value[pc] = frames[1].registers.value[pc];
	session_analysis(session);
	session_renew_walk(session);
	ok(session->look.stack.frame == 3 && session->open.analysis == NULL,
	   "a frame that changed is found by its number, and the analysis is made anew");
	session->policy.methods[0] = METHOD_REPORT;
	session->policy.method_count = 1;
	session_renew_walk(session);
	is_u64(session->look.stack.frame, session_walk(session)->count - 1, "the last frame is selected if that of the user is gone");
	session->policy.method_count = 0;
	session_renew_walk(session);
	session_select_frame(session, session_walk(session)->count, 0);
	is_u64(session->look.stack.frame, session_walk(session)->count - 1, "the last frame is selected for one after it");
}

/* The summary gives its slot to another view once the user has left a frame, unless he opened it. */
static void
test_selecting(struct session *session)
{
	unsigned *used = &session->look.choice.used[LAYOUT_SUMMARY];

	set_gate(true);
	settle(session);
	session_select_frame(session, 0, 0);
	ok(*used > 0, "the summary keeps its slot while the frame is the same");
	session_step(session, EVENT_TOKEN, false);
	session->look.addresses.elsewhere = session->look.rules.elsewhere = true;
	session_select_frame(session, 0, 2);
	ok(*used == 0 && session->look.call == 2, "another call of the frame takes the slot of the summary");
	ok(session->step.view.cursor > 0 && session->look.addresses.elsewhere && session->look.rules.elsewhere,
	   "another call keeps the place in the step, and code and rules of another place");
	session_focus(session, LAYOUT_SUMMARY);
	session_select_frame(session, 1, STACK_END);
	ok(*used > 0 && session->look.call == 0, "a summary that was opened keeps its slot, and the end of a stack is no call");
	ok(session->step.view.cursor == 0 && !session->look.addresses.elsewhere && !session->look.rules.elsewhere,
	   "another frame has its own step, code and rules");
	session_look_at_method(session, METHOD_SCAN);
	session_select_frame(session, 1, 0);
	ok(session->step.by == METHOD_COUNT && session->step.view.verdict.kind == VERDICT_TAKEN,
	   "the frame is left by the method that found its caller");
	const struct target here = session_selected_target(session_view(session, LAYOUT_STACK));
	struct target others[] = { here, here, here, here };
	others[0].kind = TARGET_NONE, others[1].thread++, others[2].frame++, others[3].call++;
	ok(session_is_place(session, &here) && !session_is_place(session, &others[0]) && !session_is_place(session, &others[1]) &&
	   !session_is_place(session, &others[2]) && !session_is_place(session, &others[3]), "a place is a call of a frame of a thread");
	session->look.stack.frame = session_walk(session)->count;
	ok(session_frame(session) == NULL, "a number after the last one names no frame");
}

/* Work that is under way is known, can be stopped and says how far it came. */
static void
test_work(struct session *session)
{
	struct session_work *work = &session->open.work;

	set_gate(true);
	settle(session);
	struct walk *walk = session_walk(session);
	ok(!session_is_working(session) && session_is_settled(session) && !session_halt(session),
	   "a session has done its work");
	work->arrived = true;
	ok(session_is_working(session) && !session_is_settled(session), "symbols that arrived are work");
	work->arrived = false, work->walking_all = true;
	ok(session_is_working(session) && session_is_settled(session), "other threads are no work of this one");
	ok(session_halt(session) && says(session, "1 thread walked, 1 different stack") && !session_is_working(session),
	   "walks of other threads stop");
	work->redone = session_create_walk(session, 0, NULL);
	ok(session_is_working(session) && !session_is_settled(session), "a walk that is made again is work");
	work->redone_thread = 1;
	ok(session_is_settled(session), "unless it is that of another thread");
	session_drop_redone(session);
	walk->complete = false;
	ok(session_is_working(session) && session_is_settled(session), "a walk that grows is work");
	ok(session_halt(session) && says(session, "walk cancelled after frame 7") && !session_is_working(session),
	   "a walk that grows stops");
	walk->complete = true, work->halted = false;
	/* The summary blames frame 3. */
	((struct analysis *)(uintptr_t)session_analysis(session))->blamed_frame = 3;
	for (unsigned turn = 0; turn < 3; turn++) {
		session_select_frame(session, 0, 0);
		layout_focus(&session->look.choice, LAYOUT_SUMMARY);
		layout_focus(&session->look.choice, LAYOUT_STACK);
		const unsigned summary = session->look.choice.used[LAYOUT_SUMMARY];
		work->fresh = turn != 1;
		session->blind = turn == 2 ? BLIND_STEP : BLIND_OFF;
		session_work(session);
		is_u64(session->look.stack.frame, turn == 0 ? 3 : 0, "the blamed frame is selected if nothing was done yet");
		ok(!work->fresh && session->look.choice.used[LAYOUT_SUMMARY] == summary, "once, and the summary keeps its slot");
	}
	ok(says(session, "frame 3 is selected, because the summary names it"), "the reason is shown");
	session->blind = BLIND_OFF;
	size_t rows = session_rows(session_view(session, LAYOUT_HISTORY));
	walk->complete = false;
	walk->count = 2;
	session_select_frame(session, 1, 0);
	session_refresh(session);
	ok(session_rows(session_view(session, LAYOUT_HISTORY)) < rows, "a history is as long as its walk");
	settle(session);
	is_u64(session_rows(session_view(session, LAYOUT_HISTORY)), rows, "it grows with the walk");
}

/*
 * The header has, in this order of preference, the crash, the file, the step, the processor and the system, whose version
 * has at most 24 columns from 110 columns on and 48 from 180 on. Two columns follow each part; the step ends at most at 120.
 */
static void
test_header(struct session *session)
{
	static const struct { size_t from, to; const char *left; bool step, windows; } headers[] = {
		{ 27, 27, "SIGSEGV / SEGV_MAPE~ at 0x0", false, false }, { 28, 38, "SIGSEGV / SEGV_MAPERR at 0x0", false, false },
		{ 39, 45, "crash.dmp  SIGSEGV / SEGV_MAPERR at 0x0", false, false },
		{ 46, 51, "crash.dmp  amd64  SIGSEGV / SEGV_MAPERR at 0x0", false, false },
		{ 52, 58, "crash.dmp  SIGSEGV / SEGV_MAPERR at 0x0", true, false },
		{ 59, 65, "crash.dmp  amd64  SIGSEGV / SEGV_MAPERR at 0x0", true, false },
		{ 66, 109, "crash.dmp  amd64  Linux  SIGSEGV / SEGV_MAPERR at 0x0", true, false },
		{ 110, 179, "crash.dmp  amd64  Linux 6.18.44-fc-v669 #1 SMP ~  SIGSEGV / SEGV_MAPERR at 0x0", true, false },
		{ 180, 400, "crash.dmp  amd64  Linux 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64  SIGSEGV / SEGV_MAPERR at 0x0",
		  true, false },
		{ 57, 72, "crash.dmp  x86  ACCESS_VIOLATION_READ at 0x8", true, true },
		{ 73, 109, "crash.dmp  x86  Windows NT 5.1  ACCESS_VIOLATION_READ at 0x8", true, true },
		{ 110, 400, "crash.dmp  x86  Windows NT 5.1.2600 Service Pack 3  EXCEPTION_ACCESS_VIOLATION_READ at 0x8", true, true },
	};
	const bool windows = session->open.crash->system.os == CRASH_OS_WINDOWS;
	struct arena arena = { 0 };

	set_gate(true);
	settle(session);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		for (size_t columns = headers[i].from; headers[i].windows == windows && columns <= headers[i].to; columns++) {
			const int left = !headers[i].step ? 0 : columns < 120 ? (int)columns - 12 : 108;
			struct row row = ROW_IN(&arena);

			session_header(session, columns, &row);
			is_str(row_text(&row), arena_format(&arena, "%-*s%s", left, headers[i].left,
				headers[i].step ? "frame 0 -> 1" : ""), "the header of %zu columns", columns);
			columns = columns < headers[i].to - 1 ? headers[i].to - 1 : columns;
		}
	arena_free(&arena);
}

/* A search of memory in turns: its title has how far it came, and whether it was stopped. */
static void
test_searching(struct session *session)
{
	struct addresses *addresses = &session->look.addresses;
	static const struct { bool stop, works; const char *title, *said; } turns[] = {
		{ true, true, "0 found, stopped", "search cancelled with 0 found" },
		{ true, false, "0 found, stopped", "" },
		{ false, true, "0 found", "\"nowhere\" not found in the dump's memory; / searches a view" },
		{ false, false, "0 found", "" },
	};
	struct arena arena = { 0 };

	set_gate(true);
	settle(session);
	ok(!addresses_is_searching(session) && !addresses_stop(session) && !addresses_work(session),
	   "nothing is searched at first");
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		struct row row = ROW_IN(&arena);

		if (turns[i].works) {
			memory_find_free(addresses->find);
			addresses->find = memory_find_create(&addresses->around, session_frame(session),
							     text_of("\"nowhere\""), false, 0);
			const uint64_t total = addresses->find->total;
			addresses->find->total = 1000, addresses->find->looked = 550;
			views_title(session, LAYOUT_FOUND, &row);
			/* A percent is a byte more than 10. */
			is_str(row_text(&row), "0 found, 50% searched", "a search has come so far");
			addresses->find->total = total, addresses->find->looked = 0;
			row_clear(&row);
		}
		session->notice[0] = '\0';
		session_view(session, LAYOUT_FOUND);
		const bool did = turns[i].stop ? addresses_stop(session) : addresses_work(session);
		ok(did == turns[i].works && session->look.views[LAYOUT_FOUND].fresh == !turns[i].works,
		   "turn %zu of a search makes its view anew if it does something", i);
		ok(!addresses_is_searching(session), "turn %zu ends the search", i);
		is_str(session->notice, turns[i].said, "turn %zu reports the end of the search", i);
		views_title(session, LAYOUT_FOUND, &row);
		is_str(row_text(&row), turns[i].title, "turn %zu has its title", i);
	}
	arena_free(&arena);
}

static void
with_session(const char *folder, void (*test)(struct session *session))
{
	static struct session session;
	char path[4096], symbols_path[4096];
	struct crash crash;
	struct error error;
	const char *const paths[] = { symbols_path };

	snprintf(path, sizeof(path), "%s/crash.dmp", folder);
	snprintf(symbols_path, sizeof(symbols_path), "%s/symbols", folder);
	if (dump_open(&crash, path, 0, &error) != ERROR_NONE) {
		ok(false, "%s opens: %s", path, error.text);
		return;
	}
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, paths, 1);
	const struct explorer_options options = { .crash = &crash, .symbols = symbols,
						  .policy = policy_column(POLICY_UNSPOOL) };
	set_gate(false);
	symbols_tell(symbols, pass_gate, &session);
	if (ok(session_open(&session, &options, wake, NULL), "a session opens"))
		test(&session);
	set_gate(true);
	ok(session_close(&session), "the session closes");
	symbols_free(symbols);
	crash_free(&crash);
}

/*
 * The deep crash: thread 0 has 6000 frames, threads 1 and 3 have 40, thread 2 wrote the dump. All frames are in
 * the first of six modules, found by their frame pointers. A slice of work adds 16 frames.
 */
enum { DEEP = 6000, FLAT = 40, MODULES = 6 };
#define ID "5A9832E5287241C1838ED98914E9B7FF1"

static uint8_t *
open_deep(struct crash *crash)
{
	static uint32_t words[2 * DEEP];
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct error error;
	char name[] = "m0.pdb";
	size_t size;

	for (uint32_t i = 0; i < MODULES; i++, name[1]++)
		synth_module(synth, 0x400000 + 0x10000 * i, 0x10000, name, name, ID);
	for (uint32_t thread = 0; thread < 4; thread++) {
		const uint32_t base = 0x1000000 * (thread + 1), count = thread == 0 ? DEEP : FLAT;
		const uint64_t registers[ARCH_REGISTERS] = { 0x401010, base, base };

		for (uint32_t i = 0; i < count; i++) {
			words[2 * i] = i + 1 < count ? base + 8 * (i + 1) : 0;
			words[2 * i + 1] = i + 1 < count ? 0x401010 + 0x20 * (i % 3) : 0;
		}
		synth_thread(synth, thread + 1, registers, base, synth_words32(synth, words, 2 * count), 8 * count);
	}
	synth_exception(synth, 1, 0xc00000fd, 0, 0x401010);
	synth_breakpad(synth, 1, 3, 0);
	uint8_t *bytes = synth_finish(synth, &size);
	synth_free(synth);
	if (dump_from_memory(crash, "deep.dmp", bytes, size, 0, &error) != ERROR_NONE)
		abort();
	return bytes;
}

/* A key that always waits: session_work does one slice. */
static bool
key_waits(void)
{
	return true;
}

/* Give the selected thread an unfinished walk of so many frames. */
static struct walk *
put_unfinished(struct session *session, size_t count, size_t frame)
{
	const size_t thread = session->look.stack.thread;
	struct walk *walk = session_create_walk(session, thread, NULL);

	walk_run(walk, count);
	walk_free(session_exchange_walk(session, thread, walk));
	session_select_frame(session, frame, 0);
	return walk;
}

/* Threads are walked one after the other; then the selected walk goes on, and the views of it are made anew. */
static void
test_slices(struct session *session)
{
	static const enum layout_view stale[] = { LAYOUT_STACK, LAYOUT_HISTORY, LAYOUT_MESSAGES, LAYOUT_WALKS };
	struct session_work *work = &session->open.work;
	struct walk *walk = put_unfinished(session, 1, 0);
	const struct request_call call = { .session = session };
	char order[8] = "";
	unsigned slices = 0, views = 0;

	work->waits = key_waits;
	request_walk_all(&call);
	for (; work->walking_all && slices < 99; slices++) {
		session_work(session);
		if (work->redone != NULL && strchr(order, '0' + (int)work->redone_thread) == NULL)
			order[strlen(order)] = (char)('0' + work->redone_thread);
	}
	is_str(order, "13", "the other threads are walked, but not the one that wrote the dump");
	/* 1, 17, 33 and 40 frames, then the walk is put in its place; in the last slice nothing is left but thread 0. */
	is_u64(slices, 2 * 4 + 1, "each in slices of 16 frames");
	ok(session->look.stack.walks[1]->complete && session->look.stack.walks[1]->count == FLAT &&
	   session->look.stack.walks[2] == NULL && session->look.stack.walks[3]->count == FLAT, "to their ends");
	ok(says(session, "3 threads walked, 2 different stacks"), "the number of threads is reported if the user asked");
	is_u64(walk->count, 17, "the selected walk goes on after them");
	session->notice[0] = '\0';
	const struct analysis *analysis = session_analysis(session);
	ok(analysis != NULL && session_work(session) && !work->grown, "frames that the analysis needed come first");
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++)
		session_view(session, (enum layout_view)i);
	const size_t before = walk->count;
	ok(session_work(session) && walk->count == before + 16 && session->open.analysis == analysis,
	   "a slice adds 16 frames, and the analysis stays");
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++)
		views += !session->look.views[i].fresh;
	for (size_t i = 0; i < ARRAY_COUNT(stale); i++)
		views -= !session->look.views[stale[i]].fresh;
	is_u64(views, 0, "views that do not show the growing walk stay");
	for (size_t i = 0; i < ARRAY_COUNT(stale); i++)
		ok(!session->look.views[stale[i]].fresh, "view %u is made anew", stale[i]);
	for (slices = 0; !walk->complete && slices < DEEP; slices++)
		session_work(session);
	is_u64(slices, (DEEP - before) / 16, "the walk goes on to its end");
	ok(walk->count == DEEP && session->open.analysis == NULL, "which the analysis must cover");
	ok(session->notice[0] == '\0' && !session_work(session) && !session_is_working(session), "then nothing is left to do");
	session_select_thread(session, 1);
	put_unfinished(session, 1, 0);
	analysis = session_analysis(session);
	settle(session);
	ok(session->open.analysis == analysis && session_walk(session)->count == FLAT,
	   "the analysis does not depend on the walk of another thread");
}

/* A new walk replaces an old one once it has as many frames, or 4096, and the selected one. */
static void
test_replacing(struct session *session)
{
	static const struct { size_t old, frame, count; } walks[] = {
		{ 100, 0, 113 }, { 113, 112, 113 }, { 114, 0, 129 }, { 5000, 0, 4097 }, { 5000, 4096, 4097 }, { 5000, 4097, 4113 },
		{ 5000, 4500, 4513 }, { DEEP, 0, 4097 }, { 20, 5, 33 },
	};

	session->open.work.waits = key_waits;
	settle(session);
	for (size_t i = 0; i < ARRAY_COUNT(walks); i++) {
		const struct walk *old = put_unfinished(session, walks[i].old, walks[i].frame);

		session->open.work.halted = true;
		session_walk_outdated(session);
		for (unsigned slices = 0; slices < DEEP && session->look.stack.walks[0] == old; slices++)
			session_work(session);
		is_u64(session->look.stack.walks[0]->count, walks[i].count, "%zu frames with frame %zu selected are replaced",
		       walks[i].old, walks[i].frame);
		is_u64(session->look.stack.frame, walks[i].frame, "the frame stays selected");
		settle(session);
		ok(says(session, "walked again, every frame is as before"), "no frame has changed");
	}
	put_unfinished(session, 20, 0);
	session_select_thread(session, 1);
	session_select_frame(session, FLAT - 1, 0);
	session_walk_outdated(session);
	settle(session);
	is_u64(session->look.stack.walks[0]->count, 33, "the selected frame is that of another thread");
}

/* Frames that are gone, new or changed are counted when all threads are walked again. */
static void
test_changes(struct session *session)
{
	static const struct { uint64_t other_pc; size_t count; const char *said; } changes[] = {
		{ 4, FLAT, "1 frame changed" }, { 4, FLAT - 1, "1 frame changed, 1 new" }, { 0, FLAT - 3, "3 new" },
		{ 0, FLAT, "walked again, every frame is as before" },
	};

	session_select_thread(session, 1);
	settle(session);
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		struct walk *walk = session_walk(session);

		walk->frames[5].registers.value[walk->arch->pc] += changes[i].other_pc;
		walk->count = changes[i].count;
		session_walk_outdated(session);
		ok(session_is_working(session) && !session_is_settled(session), "walks are made again");
		settle(session);
		ok(says(session, changes[i].said), "%s", changes[i].said);
	}
}

/* Walks by another policy replace outdated ones. */
static void
test_policy(struct session *session)
{
	settle(session);
	session_walk_outdated(session);
	session_walk_again(session, &session->policy);
	settle(session);
	ok(session_walk(session)->count == DEEP && session->look.stack.walks[1]->count == FLAT &&
	   session->look.stack.walks[3]->count == FLAT, "all threads are walked again");
	session_walk_outdated(session);
	settle(session);
	ok(says(session, "walked again, every frame is as before"), "and compared the next time");
}

/* Other threads wait for symbols without limit, unless reading is cancelled. */
static void
test_waiting(struct session *session)
{
	const struct request_call call = { .session = session };
	struct session_work *work = &session->open.work;

	work->waits = key_waits;
	wait_for_readers(1);
	for (unsigned i = 0; i < 2 * DEEP / 16; i++)
		session_work(session);
	ok(work->redone != NULL && work->redone_thread == 1 && session->look.stack.walks[1] == NULL && !session_is_settled(session),
	   "a thread is walked with symbols");
	session_poll(session);
	ok(work->redone == NULL && work->arrived, "symbols that arrived are first tried in the selected thread");
	ok(session_halt(session) && says(session, "reading of m0.pdb cancelled; L continues"), "reading is cancelled");
	set_gate(false);
	settle(session);
	ok(session->look.stack.walks[1]->count == FLAT && session->look.stack.walks[3]->count == FLAT &&
	   session_is_settled(session) && session_walk(session)->count == DEEP, "threads are walked without symbols then");
	ok(!session_halt(session), "nothing is left to cancel");
	set_gate(true);
	request_reload(&call);
	settle(session);
	ok(shows(session, LAYOUT_STACK, "leaf + 0x10") && !shows(session, LAYOUT_STACK, "not read"), "L reads the symbols");
	request_reload(&call);
	ok(says(session, "no file has changed on disk"), "once");
}

static void *
thread_does_nothing(void *argument)
{
	return argument;
}

static unsigned
jobs_done(struct loader *loader)
{
	while (!loader_wait(loader, 100))
		continue;
	pthread_mutex_lock(&gate.mutex);
	const unsigned count = gate.finished;
	pthread_mutex_unlock(&gate.mutex);
	return count;
}

/* A loader does each job once, four at a time. */
static void
test_loader(struct session *session)
{
	struct loader *loader = session->open.loader;
	const struct crash *crash = session->open.crash;
	const char *places[] = { root };
	struct binaries *binaries = binaries_create(crash, places, 1);
	static char path[4097];
	pthread_attr_t before, large;
	pthread_t thread;

	loader_use_binaries(loader, binaries);
	gate.finished = 0;
	for (size_t i = 0; i < 2 * MODULES + 2; i++)
		loader_ask(loader, i / 2, false);
	wait_for_readers(4);
	const int64_t start = clock_milliseconds();
	ok(!loader_wait(loader, 20) && clock_milliseconds() - start >= 19 && gate.waiting == 4, "four files are read at a time");
	ok(loader_ask_source(loader, crash->modules, text_of("a.c")) && !loader_ask_source(loader, crash->modules, text_of("b.c")),
	   "one source is asked for at a time");
	set_gate(true);
	is_u64(jobs_done(loader), MODULES + 1, "each job is done once, and a module that does not exist has none");
	memset(path, 'x', sizeof(path) - 1);
	ok(!loader_ask_source(loader, crash->modules, text_of(path)) &&
	   loader_ask_source(loader, crash->modules, text_of(path + 1)),
	   "a source has a path of at most 4095 bytes");
	is_u64(jobs_done(loader), MODULES + 2, "a second source follows the first");
	ok(binaries_surveyed(binaries, MODULES - 1) == NULL, "symbols alone survey no files");
	loader_ask(loader, MODULES - 1, true);
	is_u64(jobs_done(loader), MODULES + 3, "files of a module are one more job");
	ok(binaries_surveyed(binaries, MODULES - 1) != NULL && binaries_surveyed(binaries, 0) == NULL, "they are surveyed");
	loader_stop(loader);
	loader_ask(loader, 0, true);
	ok(!loader_ask_source(loader, crash->modules, text_of("a.c")), "no source is asked for after a stop");
	is_u64(jobs_done(loader), MODULES + 3, "a loader that was stopped does nothing");
	loader_resume(loader);
	loader_ask(loader, 0, true);
	loader_ask(loader, 0, false);
	is_u64(jobs_done(loader), MODULES + 5, "after that it does all jobs again");
	ok(binaries_surveyed(binaries, 0) != NULL, "a module is surveyed then");
	/* No thread has room for such a stack. */
	pthread_getattr_default_np(&before);
	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, SIZE_MAX / 2 + 1);
	pthread_setattr_default_np(&large);
	if (pthread_create(&thread, NULL, thread_does_nothing, NULL) == 0) {
		pthread_join(thread, NULL);
		skip(1, "threads have stacks of any size");
	} else {
		loader_ask(loader, 1, true);
		loader_ask(loader, 1, true);
		ok(gate.finished == MODULES + 6 && !loader_is_busy(loader), "if no thread can be started, the caller reads");
	}
	pthread_setattr_default_np(&before);
	loader_use_binaries(loader, NULL);
	binaries_free(binaries);
}

/* Write the symbols of a module, changed at this time. */
static void
put_symbols(unsigned module, const char *functions, time_t seconds, long nanoseconds)
{
	const struct timespec times[] = { { 1, 0 }, { seconds, nanoseconds } };
	char name[80], text[200];

	snprintf(name, sizeof(name), "symbols/m%u.pdb/" ID "/m%u.sym", module, module);
	snprintf(text, sizeof(text), "MODULE windows x86 " ID " m%u.pdb\n%s", module, functions);
	put_text(name, text);
	utimensat(AT_FDCWD, path_in(name), times, 0);
}

/* Files are offered when they have stopped changing; each difference once. */
static void
test_offers(struct session *session)
{
	static const char one[] = "FUNC 1000 20 0 leaf\n", two[] = "FUNC 1000 20 0 leaf\nFUNC 2000 20 0 root\n",
		only[] = "the symbols of m0.pdb have changed on disk; L walks again with them";
	/* The first two modules' symbols: seconds, nanoseconds, and the offer. */
	static const struct { const char *text; time_t seconds[2]; long nanoseconds; const char *offer; } steps[] = {
		{ one, { 1000, 1000 }, 1, only }, { one, { 1000, 1000 }, 2, only }, { one, { 1001, 1000 }, 2, only },
		{ two, { 1001, 1000 }, 2, only }, { one, { 1000, 1001 }, 0, "the symbols of m1.pdb" },
		{ one, { 1001, 1001 }, 0, "2 symbol files have changed on disk; L walks again with them" },
		{ one, { 1000, 1000 }, 0, "" }, { two, { 1000, 1000 }, 0, only },
	};
	const struct request_call call = { .session = session };
	struct session_reload *reload = &session->open.reload;
	const size_t *digested = &session->open.threads[0].digest.count;

	set_gate(true);
	settle(session);
	loader_ask(session->open.loader, 1, false);
	settle(session);
	for (size_t frames = 2000; frames <= DEEP; frames += 2000)
		ok(!session_tick(session) && *digested == frames && session->open.threads[1].digest.count == 0,
		   "%zu frames are remembered", frames);
	ok(!session_tick(session) && !session_tick(session) && session->open.threads[1].digest.count == FLAT &&
	   session->open.threads[3].digest.count == FLAT, "then those of the other threads");
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		put_symbols(0, steps[i].text, steps[i].seconds[0], steps[i].nanoseconds);
		put_symbols(1, one, steps[i].seconds[1], 0);
		ok(!session_tick(session), "change %zu is not offered at once", i);
		ok(session_tick(session) && !session_tick(session), "but once");
		ok(strncmp(reload->offer, steps[i].offer, strlen(steps[i].offer)) == 0, "%s", reload->offer);
	}
	request_reload(&call);
	settle(session);
	ok(says(session, "every frame is as before") && reload->offer[0] == '\0', "a file with more functions is sound");
	put_symbols(0, one, 1002, 0);
	request_reload(&call);
	settle(session);
	ok(says(session, "m0.pdb has fewer functions: 1 instead of 2; walked again"), "one with fewer functions is reported");
	put_symbols(0, "FUNC 1000 20 0 leaf", 1003, 0);
	request_reload(&call);
	settle(session);
	ok(says(session, "m0.pdb may be incomplete: its last line has no line feed"), "so is one without its end");
}

/* Run a test of the deep crash; the symbols of `symbols_path` (NULL: none) pass the gate. */
static void
with_deep(const char *symbols_path, void (*test)(struct session *session))
{
	static struct session session;
	struct crash crash;
	uint8_t *bytes = open_deep(&crash);
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, &symbols_path, symbols_path != NULL);
	const struct explorer_options options = { .crash = &crash, .symbols = symbols,
						  .policy = policy_column(POLICY_UNSPOOL) };

	set_gate(false);
	symbols_tell(symbols, pass_gate, &session);
	if (ok(session_open(&session, &options, wake, NULL), "a session of the deep crash opens"))
		test(&session);
	set_gate(true);
	ok(session_close(&session), "it closes");
	symbols_free(symbols);
	crash_free(&crash);
	free(bytes);
}

int
main(void)
{
	const char *source = getenv("srcdir");
	char folder[4000];

	for (unsigned i = 0; i < MODULES && (i > 0 || folder_make()); i++)
		put_symbols(i, "FUNC 1000 20 0 leaf\n", 1000, 0);
	with_deep(path_in("symbols"), test_waiting);
	with_deep(path_in("symbols"), test_loader);
	with_deep(path_in("symbols"), test_offers);
	folder_remove();
	with_deep(NULL, test_slices);
	with_deep(NULL, test_replacing);
	with_deep(NULL, test_changes);
	with_deep(NULL, test_policy);
	snprintf(folder, sizeof(folder), "%s/data/crashes/inlines-amd64", source != NULL ? source : ".");
	with_session(folder, test_loading);
	with_session(folder, test_stopping);
	with_session(folder, test_growing);
	with_session(folder, test_staying);
	with_session(folder, test_work);
	with_session(folder, test_selecting);
	with_session(folder, test_header);
	with_session(folder, test_cursor);
	with_session(folder, test_searching);
	snprintf(folder, sizeof(folder), "%s/data/crashes/frame-data-x86", source != NULL ? source : ".");
	with_session(folder, test_header);
	with_session(folder, test_cursor);
	return done_testing();
}
