/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>

#include "base/clock.h"
#include "debug_info/binary_survey.h"
#include "locate/fetch.h"
#include "tests/lib/folder.h"
#include "tests/lib/synth.h"
#include "tests/unit/ui/gate.h"
#include "ui/request/requests.h"

/*
 * The deep crash: thread 0 has 6000 frames, threads 1 and 3 have 40, thread 2 wrote the dump. All frames are in
 * the first of six modules, but the last frame of a thread is in the last one. A slice of work adds 16 frames.
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
			words[2 * i + 1] = i + 2 < count ? 0x401010 + 0x20 * (i % 3) : i + 1 < count ? 0x451010 : 0;
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
	unsigned slices = 0, views = 0, stale_stacks = 0;

	work->waits = key_waits;
	request_walk_all(&call);
	for (; work->walking_all && slices < 99; slices++) {
		session_view(session, LAYOUT_STACK);
		session_work(session);
		stale_stacks += !session->look.views[LAYOUT_STACK].fresh;
		if (work->redone != NULL && strchr(order, '0' + (int)work->redone_thread) == NULL)
			order[strlen(order)] = (char)('0' + work->redone_thread);
	}
	is_str(order, "13", "the other threads are walked, but not the one that wrote the dump");
	/* 1, 17, 33 and 40 frames, then the walk is put in its place; in the last slice nothing is left but thread 0. */
	is_u64(slices, 2 * 4 + 1, "each in slices of 16 frames");
	is_u64(stale_stacks, 3, "the stack is made anew with the walk of each thread, and when that of thread 0 has grown");
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
		{ 5000, 4500, 4513 }, { DEEP + 1, 0, 4097 }, { 20, 5, 33 },
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
	struct walk **redone = &session->open.work.redone;

	settle(session);
	session_select_thread(session, 1);
	session->open.work.redone_thread = 1;
	*redone = session_create_walk(session, 1, NULL);
	session_poll(session);
	ok(*redone != NULL, "a walk that replaces another one goes on when symbols arrive");
	session_renew_walk(session);
	ok(*redone == NULL, "a walk that was begun is dropped when its thread is walked again");
	*redone = session_create_walk(session, 1, NULL);
	session_walk_outdated(session);
	ok(*redone == NULL && session->open.threads[0].outdated && !session->open.threads[2].outdated,
	   "or files have changed, which outdates the walks that exist");
	session_walk_again(session, &session->policy);
	settle(session);
	ok(session->look.stack.walks[0]->count == DEEP && session->look.stack.walks[1]->count == FLAT &&
	   session->look.stack.walks[3]->count == FLAT, "all threads are walked again");
	session_walk_outdated(session);
	settle(session);
	ok(says(session, "walked again, every frame is as before"), "and compared the next time");
}

/* A target leads to a place and the view that shows it; the place before is remembered. Thread 0 has frame 5 selected. */
static void
test_follow(struct session *session)
{
	static const struct { struct target target; size_t thread, frame; enum layout_view focus; } targets[] = {
		{ { .kind = TARGET_FRAME, .thread = 1, .frame = 3 }, 1, 3, LAYOUT_EVIDENCE },
		{ { .kind = TARGET_SOURCE, .thread = 0, .frame = 3 }, 0, 3, LAYOUT_SOURCE },
		{ { .kind = TARGET_THREAD, .thread = 3 }, 3, 0, LAYOUT_STACK },
		{ { .kind = TARGET_MEMORY, .address = 0x1000010 }, 0, 5, LAYOUT_MEMORY },
		{ { .kind = TARGET_METHOD, .method = METHOD_SCAN }, 0, 5, LAYOUT_EVIDENCE },
		{ { .kind = TARGET_MODULE, .module = 2 }, 0, 5, LAYOUT_RAW },
		{ { .kind = TARGET_REGISTER, .frame = 2, .reg = 2 }, 0, 1, LAYOUT_REGISTERS },
		/* Nothing sets edx, and frame 0 has no callee. */
		{ { .kind = TARGET_REGISTER, .frame = 2, .reg = 8 }, 0, 1, LAYOUT_SUMMARY },
		{ { .kind = TARGET_REGISTER, .frame = 0, .reg = 2 }, 0, 5, LAYOUT_SUMMARY }, { { .kind = TARGET_NONE }, 0, 5, LAYOUT_SUMMARY },
	};
	const struct session_trail *trail = &session->look.trail;

	settle(session);
	for (size_t i = 0; i < ARRAY_COUNT(targets); i++) {
		const bool leads = i + 2 < ARRAY_COUNT(targets);

		session_select_thread(session, 0);
		session_select_frame(session, 5, 0);
		session_focus(session, LAYOUT_SUMMARY);
		const size_t places = trail->back.count;
		ok(session_follow(session, &targets[i].target) == leads && trail->back.count == places + leads,
		   "target %zu leads to a place or not", i);
		ok(session->look.stack.thread == targets[i].thread && session->look.stack.frame == targets[i].frame &&
		   session->look.choice.focus == targets[i].focus, "its thread, frame and view are shown");
		if (targets[i].target.kind == TARGET_METHOD)
			ok(session->step.by == METHOD_SCAN, "the step is that of the method");
		if (targets[i].target.kind == TARGET_MODULE)
			ok(session->look.raw.place.offset == session->open.crash->modules[2].place.offset, "the module's bytes are shown");
		if (targets[i].focus == LAYOUT_REGISTERS)
			ok(session->step.view.trace.events[session->step.view.cursor].reg == 2, "the register is set there");
	}
	is_u64(session->look.memory.address, 0x1000000 + 8 * 5, "the memory of frame 5");
	session_select_thread(session, 4);
	session_select_event(session, UINT32_MAX);
	ok(session->look.stack.thread == 0 && session->look.stack.frame == 5 && session->step.view.cursor == 0,
	   "a thread and an event that do not exist are not selected");
}

/* The header has the reason of the crash with its address or its sender. */
static void
test_reason(struct session *session)
{
	struct crash_cause *cause = &((struct crash *)(uintptr_t)session->open.crash)->cause;
	const struct crash_cause causes[] = {
		{ .text = "SIGABRT", .address = CRASH_ADDRESS_SENDER, .has_sender = true, .sender_is_self = true },
		{ .text = "SIGSEGV", .address = CRASH_ADDRESS_MEMORY },
		{ .text = "SIGTERM", .address = CRASH_ADDRESS_SENDER, .has_sender = true, .sender_process = 77 },
		{ .text = "SIGSEGV", .address = CRASH_ADDRESS_UNTOLD }, { .text = NULL, .address = CRASH_ADDRESS_UNTOLD },
	};
	static const char *const said[] = {
		"SIGABRT by itself  ", "SIGSEGV at 0x401010  ", "SIGTERM by process 77  ", "SIGSEGV  ", "no crash  ",
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(causes); i++) {
		struct row row = ROW_IN(&arena);

		*cause = causes[i];
		session_header(session, 120, &row);
		ok(strstr(row_text(&row), said[i]) != NULL, "%s: %s", said[i], row_text(&row));
	}
	arena_free(&arena);
}

/* The trail has the last 128 places; of rows selected in succession, the first one. */
static void
test_trail(struct session *session)
{
	static const struct { size_t frame; bool opened, moved; } steps[] = {
		{ 1, false, true }, { 2, false, true }, { 3, true, false }, { 4, false, true }, { 5, false, true }, { 5, false, false },
	};
	size_t strayed = 0, count = 0;

	settle(session);
	for (size_t i = 0; i < 200; i++) {
		session_select_frame(session, i, 0);
		session_remember(session);
	}
	session_select_frame(session, 500, 0);
	for (; session_go_back(session, true); count++)
		strayed += session->look.stack.frame != 199 - count;
	ok(count == SESSION_SPOTS && strayed == 0, "a trail leads back to the last 128 places");
	session_select_frame(session, 0, 0);
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		const struct session_spot before = session_here(session);

		session_select_frame(session, steps[i].frame, 0);
		session_remember_before(session, &before, steps[i].opened, steps[i].moved);
	}
	is_u64(session->look.trail.back.count, 3, "moves to rows are one place until something else is done");
	ok(session_go_back(session, false) && session->look.stack.frame == 3, "back to the row before the moves");
	ok(session_go_back(session, true) && session->look.stack.frame == 2, "back to where a view was opened");
	ok(!session_go_back(session, true) && session_go_back(session, false) && session->look.stack.frame == 0,
	   "no other place is one where a view was opened");
	session_remember(session);
	const struct session_spot before = session_here(session);
	session_select_frame(session, 9, 0);
	session_remember_before(session, &before, false, true);
	is_u64(session->look.trail.back.count, 2, "a place that was remembered ends a succession of moves");
}

/* The other walk of a comparison goes on after the shown one; edits of an earlier session are kept as saved. */
static void
test_edits(struct session *session)
{
	struct overlay_edit edit = { .kind = OVERLAY_REGISTER, .reg = 4, .known = true, .value = 5 };
	struct walk *other = session_walk(session);
	unsigned slices = 0;

	session->open.work.waits = key_waits;
	settle(session);
	edits_add(session, &edit, 1);
	settle(session);
	ok(session->open.threads[0].other == other && session_walk(session)->count == DEEP, "an edit keeps the other walk");
	other->complete = false;
	other->count = 20;
	session_view(session, LAYOUT_STACK);
	session_view(session, LAYOUT_WALKS);
	ok(session_is_working(session) && session_work(session) && other->count == 36 &&
	   session->look.views[LAYOUT_STACK].fresh && !session->look.views[LAYOUT_WALKS].fresh, "that grows in slices, too");
	session_poll(session);
	while (session_work(session))
		slices++;
	/* The last slice has nothing after it; the first one finds that no thread is left. */
	ok(other == session->open.threads[0].other && other->complete && slices == (DEEP - 36) / 16, "to its end: %u", slices);
	session_renew_walk(session);
	ok(session->open.threads[0].other == NULL, "the other walk is made anew with the shown one");
	session->kept.earlier = &edit;
	session->kept.earlier_count = 1;
	ok(session_resume(session) == 1 && session->kept.edits.saved == edits_overlay(session), "one edit is restored as saved");
	session->kept.earlier_count = 0;
}

/* Other threads wait for symbols without limit, unless reading is cancelled. */
static void
test_waiting(struct session *session)
{
	const struct request_call call = { .session = session };
	const struct overlay_edit edit = { .kind = OVERLAY_REGISTER, .reg = 4, .known = true, .value = 5 };
	struct session_work *work = &session->open.work;

	work->waits = key_waits;
	wait_for_readers(session, 1);
	edits_add(session, &edit, 1);
	session_view(session, LAYOUT_WALKS);
	session_view(session, LAYOUT_MODULES);
	const bool compared = session->open.threads[0].other != NULL;
	session_poll(session);
	ok(compared && session->open.threads[0].other == NULL && !session->look.views[LAYOUT_WALKS].fresh &&
	   !session->look.views[LAYOUT_MODULES].fresh, "the other walk of a comparison is made again with symbols");
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
	ok(symbols_peek(session->open.symbols, MODULES - 1, NULL) != NULL, "those of the last frame, too");
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
	wait_for_readers(session, 4);
	const int64_t start = clock_milliseconds();
	ok(!loader_wait(loader, 20) && clock_milliseconds() - start >= 19 && gate.waiting == 4, "four files are read at a time");
	ok(says(session, " and 3 more: 0 of 0 kB, "), "the status line has their number and size");
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
		{ two, { 1001, 1000 }, 2, only }, { one, { 1000, 1001 }, 0, "the symbols of m1.pdb have changed on disk; L walks again with them" },
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
		is_str(reload->offer, steps[i].offer, "it is: %s", steps[i].offer);
	}
	request_reload(&call);
	settle(session);
	ok(says(session, "every frame is as before") && reload->offer[0] == '\0', "a file with more functions is sound");
	put_symbols(0, one, 1004, 0);
	set_gate(false);
	request_reload(&call);
	wait_for_readers(session, 1);
	put_symbols(0, one, 1005, 0);
	set_gate(true);
	settle(session);
	ok(says(session, "m0.pdb has changed again, L reads it again"), "and one that changes while it is read");
}

static struct binaries *
open_binaries(const void *context, const struct crash *crash, const char *const *more, size_t count)
{
	(void)context;
	return binaries_create(crash, more, count);
}

/*
 * The message about an added place appears at once and stays; that about a server appears when it has answered for all marked
 * modules. The stacks need the symbols of the first and the last module. m2 and m3 have none, and nothing needs m1 and m4.
 */
static void
test_places(struct session *session)
{
	static const struct { void (*add)(const struct request_call *call); const char *place, *said, *then; } steps[] = {
		{ request_symbols, "%s/nothing", "none of 2 modules has symbols in %s/nothing: see the modules view", NULL },
		{ request_symbols, "%s/nothing/", "already in use, searched again: none of 2 modules has symbols in %s/nothing/", NULL },
		{ request_symbols, "%s/found", "1 module found symbols in %s/found", NULL },
		{ request_symbols, "%s/found", "already in use, searched again: none of 1 module has symbols in %s/found", NULL },
		{ request_binaries, "%s/nothing", "none of 6 modules has its file in %s/nothing: see the modules view", NULL },
		{ request_binaries, "%s/nothing", "already in use, searched again: none of 6 modules has its file in %s/nothing", NULL },
		{ request_symbols, "http://127.0.0.1:1/s", "asking http://127.0.0.1:1/s for the symbols and files of 1 module",
		  "none of 1 module has symbols at http://127.0.0.1:1/s: see the modules view" },
		{ request_symbols, "http://127.0.0.1:1/s", "asking http://127.0.0.1:1/s again for the symbols and files of 1 module",
		  "already in use, searched again: none of 1 module has symbols at http://127.0.0.1:1/s" },
		{ request_symbols, "HTTPS://127.0.0.1:1/s", "asking HTTPS://127.0.0.1:1/s for the symbols and files of 1 module",
		  "none of 1 module has symbols at HTTPS://127.0.0.1:1/s: see the modules view" },
		{ request_binaries, "http://127.0.0.1:1/s", "asking http://127.0.0.1:1/s again for the files of 1 module",
		  "already in use, searched again: none of 1 module has its file at http://127.0.0.1:1/s" },
		{ request_binaries, "http://127.0.0.1:2/s", "asking http://127.0.0.1:2/s for the files of 1 module",
		  "none of 1 module has its file at http://127.0.0.1:2/s: see the modules view" },
	};
	struct arena arena = { 0 };

	remove(path_in("symbols/m2.pdb/" ID "/m2.sym"));
	remove(path_in("symbols/m3.pdb/" ID "/m3.sym"));
	put_text("nothing/x", "");
	put_text("found/m2.pdb/" ID "/m2.sym", "MODULE windows x86 " ID " m2.pdb\n");
	set_gate(true);
	settle(session);
	loader_ask(session->open.loader, 2, false);
	loader_ask(session->open.loader, 3, false);
	settle(session);
	for (size_t i = 0; i < ARRAY_COUNT(steps) && (steps[i].then == NULL || fetch_is_built_in()); i++) {
		const struct request_call call = { .session = session, .text = arena_format(&arena, steps[i].place, root) };

		session->notice[0] = '\0';
		steps[i].add(&call);
		is_str(session->notice, arena_format(&arena, steps[i].said, root), "place %zu is reported at once", i);
		settle(session);
		is_str(session->notice, arena_format(&arena, steps[i].then != NULL ? steps[i].then : steps[i].said, root),
		       "place %zu is reported with its result", i);
	}
	arena_free(&arena);
}

/* Run a test of the deep crash; the symbols of `symbols_path` (NULL: none) pass the gate. */
static void
with_deep(const char *symbols_path, void (*test)(struct session *session))
{
	static struct session session;
	struct crash crash;
	uint8_t *bytes = open_deep(&crash);
	struct symbols *symbols = symbols_create(crash.modules, crash.module_count, &symbols_path, symbols_path != NULL);
	struct fetch_options fetch = { .directory = root, .seconds = 1, .most = 1000, .memory = fetch_memory_create() };
	const struct explorer_options options = { .crash = &crash, .symbols = symbols, .policy = policy_column(POLICY_UNSPOOL),
		.open_binaries = open_binaries, .fetch = &fetch };

	set_gate(false);
	symbols_tell(symbols, pass_gate, &session);
	for (size_t i = 0; i < MODULES && symbols_path == NULL; i++)
		symbols_load(symbols, i);
	if (ok(session_open(&session, &options, wake, NULL), "a session of the deep crash opens"))
		test(&session);
	set_gate(true);
	ok(session_close(&session), "it closes");
	symbols_free(symbols);
	fetch_memory_free(fetch.memory);
	crash_free(&crash);
	free(bytes);
}

int
main(void)
{
	for (unsigned i = 0; i < MODULES && (i > 0 || folder_make()); i++)
		put_symbols(i, "FUNC 1000 20 0 leaf\n", 1000, 0);
	with_deep(path_in("symbols"), test_waiting);
	with_deep(path_in("symbols"), test_loader);
	with_deep(path_in("symbols"), test_offers);
	with_deep(path_in("symbols"), test_places);
	folder_remove();
	with_deep(NULL, test_slices);
	with_deep(NULL, test_replacing);
	with_deep(NULL, test_changes);
	with_deep(NULL, test_edits);
	with_deep(NULL, test_trail);
	with_deep(NULL, test_follow);
	with_deep(NULL, test_reason);
	with_deep(NULL, test_policy);
	return done_testing();
}
