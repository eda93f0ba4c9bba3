/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/thread_state.h"

#include <stdio.h>
#include <string.h>

#include "analysis/locks.h"
#include "analysis/signature_rules.h"
#include "code/call.h"
#include "code/instruction.h"

/* Maximum number of nameless frames between a system call and the function that makes it. */
#define MOST_NAMELESS 8u
/* System call numbers of Linux's futex. */
#define FUTEX_ARM 240
#define FUTEX_GENERIC 98

const char *const thread_state_words[] = {
	[THREAD_STATE_CRASHED] = "crashed",
	[THREAD_STATE_REQUESTED] = "requested the dump",
	[THREAD_STATE_RUNNING] = "running",
	[THREAD_STATE_UNKNOWN] = "unknown",
	[THREAD_STATE_SYSTEM_CALL] = "in a system call",
	[THREAD_STATE_WAITING] = "waiting",
	[THREAD_STATE_NOT_WALKED] = "not walked",
	[THREAD_STATE_WROTE_DUMP] = "wrote the dump",
};

const struct thread_wait_words thread_wait_words[] = {
#define W(id, word, help) { word, help },
#include "analysis/wait.def"
};

static const struct {
	const char *name;
	enum thread_wait wait;
	bool windows, futex;
	int16_t numbers[ARCH_CALLS_COUNT];
} waiting_functions[] = {
#define ROW(name, wait, windows, futex, arm, generic) \
	{ name, THREAD_WAIT_##wait, windows, futex, { -1, arm, generic } },
#define S(name, wait, arm, generic) ROW(name, wait, false, false, arm, generic)
#define F(name, wait) ROW(name, wait, false, true, FUTEX_ARM, FUTEX_GENERIC)
#define U(name, wait) ROW(name, wait, false, false, -1, -1)
#define W(name, wait) ROW(name, wait, true, false, -1, -1)
#include "walk/system_call.def"
};

/*
 * A name without the prefixes and suffixes of libraries, return type and template arguments:
 * "__GI___libc_read", "_NtDelayExecution@8", "void std::this_thread::sleep_for<...>".
 */
static struct text
plain_name(struct text name)
{
	size_t end = 0, begin = 0;

	while (end < name.length && strchr("<(@", name.start[end]) == NULL)
		if (name.start[end++] == ' ')
			begin = end;
	name = (struct text){ name.start + begin, end - begin };
	while (text_drop_prefix(&name, "_") || text_drop_prefix(&name, "GI_") ||
	       text_drop_prefix(&name, "libc_") || text_drop_prefix(&name, "new_"))
		;
	while (text_drop_suffix(&name, "_time64") || text_drop_suffix(&name, "64") ||
	       text_drop_suffix(&name, "_nocancel") || text_drop_suffix(&name, "_cancel"))
		;
	return name;
}

/* Whether a row of the table matches a name; a row's Nt also matches Zw, as used on Windows. */
static bool
is_row(const char *row, struct text name)
{
	const size_t length = strlen(row);

	if (name.length > 2 && memcmp(name.start, "Zw", 2) == 0 && memcmp(row, "Nt", 2) == 0) {
		name = (struct text){ name.start + 2, name.length - 2 };
		return is_row(row + 2, name);
	}
	if (row[length - 1] == '*')
		return name.length >= length - 1 && memcmp(name.start, row, length - 1) == 0;
	return text_is(name, row);
}

/*
 * Whether a thread in the system call futex wakes others instead of waiting. The register of the
 * second argument then has one of these operations (linux/futex.h): WAKE, REQUEUE, CMP_REQUEUE,
 * WAKE_OP, UNLOCK_PI or WAKE_BITSET. The flags PRIVATE and CLOCK_REALTIME may be set.
 */
static bool
futex_wakes(const struct walk *walk)
{
	static const uint64_t waking = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 10;
	const struct arch_arguments *arguments = crash_arguments(walk->crash, walk->arch);
	const struct registers *registers = &walk->frames[0].registers;

	if (arguments == NULL || !registers_known(registers, arguments->registers[1]))
		return false;
	const uint64_t operation =
		registers->value[arguments->registers[1]] & ~(uint64_t)FUTEX_FLAGS;
	return operation < 16 && (waking >> operation & 1) != 0;
}

/*
 * The thing that a function waits for. `*called` is set if the register for system call numbers has
 * the number of this function's call.
 */
static enum thread_wait
wait_of(const struct walk *walk, struct text name, bool *called)
{
	const bool windows = walk->crash->system.os == CRASH_OS_WINDOWS;
	const struct arch *arch = walk->arch;
	const struct registers *registers = &walk->frames[0].registers;
	const bool known = arch->call_numbers != ARCH_CALLS_UNKNOWN &&
			   registers_known(registers, arch->call_number);
	const bool wakes = futex_wakes(walk);
	enum thread_wait wait = THREAD_WAIT_NONE;

	name = plain_name(name);
	for (size_t i = 0; name.length > 0 && i < ARRAY_COUNT(waiting_functions); i++) {
		const int number = waiting_functions[i].numbers[arch->call_numbers];

		if (waiting_functions[i].windows != windows ||
		    !is_row(waiting_functions[i].name, name))
			continue;
		if (wait == THREAD_WAIT_NONE && waiting_functions[i].futex && wakes)
			wait = THREAD_WAIT_PART;
		else if (wait == THREAD_WAIT_NONE)
			wait = waiting_functions[i].wait;
		if (known && number >= 0 &&
		    registers->value[arch->call_number] == (uint64_t)number)
			*called = true;
	}
	return wait;
}

/* On 32-bit Windows, functions call the code that enters the system. */
static bool
enters_by_call(const struct walk *walk)
{
	return walk->crash->system.os == CRASH_OS_WINDOWS && walk->arch->word_size == 4;
}

/* Whether the instruction before the pc is a call; CALL_UNKNOWN without its code. */
static enum call_answer
code_before(struct walk *walk, uint64_t pc)
{
	static const unsigned lengths[] = { 4, 2 };
	const struct arch *arch = walk->arch;
	const bool thumb = location_is_thumb(walk, &walk->frames[0].registers, pc);
	enum call_answer answer = CALL_UNKNOWN;
	struct instruction instruction;
	struct memory_view view;
	struct arena arena = { 0 };

	memory_view_all(&view, walk->crash, &arena);
	for (size_t i = 0; i < ARRAY_COUNT(lengths) && answer != CALL_YES; i++) {
		if (arch_code(arch, pc) < lengths[i] ||
		    !instruction_at(&instruction, arch, &view, walk->binaries, thumb,
				    pc - lengths[i]))
			continue;
		const bool calls = instruction.length == lengths[i] &&
				   (instruction.kinds & INSTRUCTION_SYSTEM) != 0;
		answer = calls ? CALL_YES : CALL_NO;
	}
	/* If an interrupted system call will be repeated, the pc is at the call's instruction. */
	if (answer == CALL_NO &&
	    (!instruction_at(&instruction, arch, &view, walk->binaries, thumb, pc) ||
	     (instruction.kinds & INSTRUCTION_SYSTEM) != 0))
		answer = CALL_UNKNOWN;
	if (answer == CALL_NO && enters_by_call(walk))
		answer = call_find(arch, &view, walk->binaries, pc).answer;
	arena_free(&arena);
	return answer;
}

/* Whether a thread was stopped in a system call, with the evidence. */
static enum call_answer
system_call(struct walk *walk, const struct location *first, const char **evidence)
{
	const struct arch *arch = walk->arch;
	const struct registers *registers = &walk->frames[0].registers;
	const uint64_t pc = registers->value[arch->pc];
	const int link = arch->system_call_return;

	if (walk->crash->system_call != 0 && text_is(first->calls[0].name, "__kernel_vsyscall")) {
		*evidence = "its pc is in the kernel's own code";
		return CALL_YES;
	}
	if ((arch->system_call_return_on >> walk->crash->system.os & 1) != 0 &&
	    registers_known(registers, link)) {
		const bool left = registers->value[link] == pc;

		*evidence = left ? "a register holds the pc, as after a system call"
				 : "no register holds the pc, as one does after a system call";
		return left ? CALL_YES : CALL_NO;
	}
	const enum call_answer answer = code_before(walk, pc);
	*evidence = answer == CALL_UNKNOWN ? NULL
		    : answer == CALL_NO	   ? "the instruction before its pc is not a system call"
		    : enters_by_call(walk)
			    ? "the instruction before its pc is a system call, or calls the code "
			      "that makes it"
			    : "the instruction before its pc is a system call";
	return answer;
}

static bool
is_named(const struct location *location)
{
	return location->calls[location->call_count - 1].name.length > 0 &&
	       !location->symbol.uncertain;
}

/*
 * Whether a frame without a name may be in the library that made the system call: its module is
 * that of the system call, or that of the caller if the call is in the kernel's page.
 */
static bool
is_of_library(const struct walk *walk, size_t frame, bool in_kernel_page)
{
	const int module = walk->frames[frame].module;

	return module != MODULE_NONE &&
	       (module == walk->frames[0].module ||
		(in_kernel_page && walk->count > 1 && module == walk->frames[1].module));
}

/* Follows the waiting calls from the innermost outwards, to the first call that does not wait. */
static void
follow_waits(const struct walk *walk, bool in_kernel_page, struct thread_state *state, bool *called)
{
	size_t nameless = 0;
	struct arena arena = { 0 };

	for (size_t i = 0; i < walk->count && i < THREAD_STATE_FRAMES && nameless < MOST_NAMELESS;
	     i++) {
		enum thread_wait wait = THREAD_WAIT_PART;
		struct location location;
		size_t call = 0;

		location_of(walk, walk->frames[i].lookup, &arena, &location);
		const bool named = is_named(&location);
		nameless += !named;
		if (!named && !is_of_library(walk, i, in_kernel_page))
			wait = THREAD_WAIT_NONE;
		for (; named && call < location.call_count && wait != THREAD_WAIT_NONE; call++) {
			wait = wait_of(walk, location.calls[call].name, called);
			if (wait < THREAD_WAIT_PART)
				state->wait = wait;
			if (wait == THREAD_WAIT_NONE || state->wait == THREAD_WAIT_NONE)
				continue;
			state->waits_frame = i;
			state->waits_call = call;
		}
		state->frame = wait == THREAD_WAIT_NONE ? i : i + 1;
		state->call = wait == THREAD_WAIT_NONE && call > 0 ? call - 1 : 0;
		arena_reset(&arena);
		if (wait == THREAD_WAIT_NONE)
			break;
	}
	arena_free(&arena);
}

/* Moves state->frame outwards to the first frame outside the system's libraries, if any. */
static void
leave_libraries(const struct walk *walk, struct thread_state *state)
{
	for (size_t i = state->frame; i < walk->count && i < THREAD_STATE_FRAMES; i++) {
		const int module = walk->frames[i].module;

		if (module != MODULE_NONE &&
		    signature_rules_match(
			    NULL, SIGNATURE_SYSTEM_MODULE,
			    place_base_name(walk->crash->modules[module].code_file)))
			continue;
		state->call = i == state->frame ? state->call : 0;
		state->frame = i;
		return;
	}
}

/*
 * Finds the first telling call: it has a name and does not wait, or is in a nameless frame of the
 * program. Nameless frames of the system's libraries are skipped.
 */
static void
find_telling(const struct walk *walk, struct thread_state *state)
{
	struct arena arena = { 0 };
	bool found = false, called;

	for (size_t i = 0; i < walk->count && i < THREAD_STATE_FRAMES && !found; i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, &arena, &location);
		size_t call = 0;
		const bool named = is_named(&location);
		if (named) {
			while (call < location.call_count &&
			       wait_of(walk, location.calls[call].name, &called) !=
				       THREAD_WAIT_NONE)
				call++;
			found = call < location.call_count;
		} else {
			found = location.module != NULL &&
				!signature_rules_match(NULL, SIGNATURE_SYSTEM_MODULE,
						       place_base_name(location.module->code_file));
		}
		state->frame = found ? i : 0;
		state->call = found ? call : 0;
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static void
judge(struct walk *walk, struct thread_state *state)
{
	struct location first;
	struct arena arena = { 0 };
	bool by_number = false;

	location_of(walk, walk->frames[0].lookup, &arena, &first);
	const bool named = is_named(&first);
	enum call_answer called = system_call(walk, &first, &state->evidence);
	arena_free(&arena);
	if (called != CALL_NO)
		follow_waits(walk, walk->crash->system_call != 0, state, &by_number);
	if (called == CALL_UNKNOWN && by_number) {
		called = CALL_YES;
		state->evidence =
			"the register for system call numbers still has the number of such a call";
	}
	state->certain = called != CALL_UNKNOWN;
	if (state->wait != THREAD_WAIT_NONE)
		state->kind = THREAD_STATE_WAITING;
	else if (called == CALL_YES)
		state->kind = THREAD_STATE_SYSTEM_CALL;
	else if (called == CALL_NO || named)
		state->kind = THREAD_STATE_RUNNING;
	if (state->kind == THREAD_STATE_RUNNING)
		state->frame = state->call = 0;
	else if (state->kind == THREAD_STATE_WAITING)
		leave_libraries(walk, state);
	else
		find_telling(walk, state);
}

struct thread_state
thread_state_of(const struct crash *crash, size_t thread, struct walk *walk)
{
	const bool requesting = crash->requesting_thread == (int)thread;
	struct thread_state state = { .kind = THREAD_STATE_UNKNOWN, .wait = THREAD_WAIT_NONE };

	if (crash->threads[thread].wrote_dump)
		state.kind = THREAD_STATE_WROTE_DUMP;
	else if (requesting)
		state.kind = crash->reason != NULL ? THREAD_STATE_CRASHED : THREAD_STATE_REQUESTED;
	else if (walk == NULL)
		state.kind = THREAD_STATE_NOT_WALKED;
	else if (walk->count > 0)
		judge(walk, &state);
	return state;
}

bool
thread_state_tells(const struct thread_state *state)
{
	return state->kind == THREAD_STATE_RUNNING || state->kind == THREAD_STATE_SYSTEM_CALL ||
	       state->kind == THREAD_STATE_WAITING;
}

static bool
is_guess(const struct thread_state *state)
{
	return thread_state_tells(state) && !state->certain;
}

const char *
thread_state_text(const struct thread_state *state, struct arena *arena)
{
	const bool waits = state->kind == THREAD_STATE_WAITING;

	return arena_format(arena, "%s%s%s%s", thread_state_words[state->kind],
			    waits ? " " : "", waits ? thread_wait_words[state->wait].help : "",
			    is_guess(state) ? "?" : "");
}

struct short_text
thread_state_short(const struct thread_state *state)
{
	const bool waits = state->kind == THREAD_STATE_WAITING;
	struct short_text made;

	snprintf(made.text, sizeof(made.text), "%s%s%s%s", thread_state_words[state->kind],
		waits ? ": " : "", waits ? thread_wait_words[state->wait].name : "",
		is_guess(state) ? "?" : "");
	return made;
}

uint64_t
thread_state_rank(const struct thread_state *state)
{
	return (uint64_t)state->kind << 16 | (uint64_t)state->wait << 8 | !state->certain;
}
