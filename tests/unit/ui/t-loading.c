/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"
#include "tests/unit/ui/gate.h"
#include "ui/view/view.h"

/*
 * The explorer while symbols are being read.
 *
 * The crash is data/crashes/inlines-amd64: frame 1 is engine::level3, as its README says, and the
 * walk touches inline_o2_dw4 and libc.so.6.
 */
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
	wait_for_readers(session, 1);
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
	ok(!shows(session, LAYOUT_STACK, "symbols loading"), "the frames no longer report that symbols are loading");
	is_u64(selected(session, false), pc, "the selected frame is that of the same pc");
	is_u64(selected(session, true), sp, "the selected frame is that of the same sp");
	ok(!says(session, "reading"), "the status line is free again");
}

static void
test_stopping(struct session *session)
{
	wait_for_readers(session, 1);
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
	ok(!shows(session, LAYOUT_SUMMARY, " frames"), "a thread that is not walked to its end has no number of frames");
	settle(session);
	ok(shows(session, LAYOUT_SUMMARY, "8 frames: 8 exact"), "a thread that is walked to its end has its number of frames");
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
			session->look.memory.address += 8, session->look.raw.place.offset += 3;
		layout_focus(&session->look.choice, LAYOUT_STACK);
		session->look.choice.used[LAYOUT_SUMMARY] = 1;
		session_view(session, LAYOUT_STACK);
		const struct session_spot before = session_here(session);
		session_renew_walk(session);
		session_view(session, LAYOUT_STACK);
		const struct session_spot after = session_here(session);
		ok(after.frame == places[i].frame && after.call == places[i].call && after.cursor == before.cursor &&
		   after.cursor != 0 && after.memory == before.memory && after.view == before.view &&
		   after.raw.offset == before.raw.offset && after.row == before.row &&
		   memcmp(after.used, before.used, sizeof(after.used)) == 0,
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
	ok(!session_is_working(session) && session_is_settled(session) && !session_halt(session), "a session has done its work");
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
		{ true, true, "0 found, stopped", "search cancelled with 0 found" }, { true, false, "0 found, stopped", "" },
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
	const struct explorer_options options = { .crash = &crash, .symbols = symbols, .policy = policy_column(POLICY_UNSPOOL) };
	set_gate(false);
	symbols_tell(symbols, pass_gate, &session);
	if (ok(session_open(&session, &options, wake, NULL), "a session opens"))
		test(&session);
	set_gate(true);
	ok(session_close(&session), "the session closes");
	symbols_free(symbols);
	crash_free(&crash);
}

int
main(void)
{
	const char *source = getenv("srcdir");
	char folder[4000];

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
