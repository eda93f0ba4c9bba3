/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/locks.h"

#include <inttypes.h>

#include "analysis/analysis_internal.h"
#include "base/demangle.h"
#include "base/policy_rows.h"
#include "base/sorted.h"
#include "walk/location.h"
#include "walk/symbol_at.h"

/* Operations of futex(2) that wait, and flags of its word. */
#define FUTEX_WAIT 0u
#define FUTEX_LOCK_PI 6u
#define FUTEX_WAIT_BITSET 9u
#define FUTEX_LOCK_PI2 13u
#define FUTEX_WAITERS 0x80000000u
#define FUTEX_OWNER 0x3fffffffu
/* glibc: a locked mutex with waiters; the futex of a rwlock with waiters; its writer's phase. */
#define MUTEX_CONTENDED 2u
#define RWLOCK_CONTENDED 3u
#define RWLOCK_WRITER 1u
/* Flags of pthread_mutex_t.__kind, and most threads that use one mutex. */
#define MUTEX_KINDS 0x3ffu
#define MUTEX_USERS 65536u

const char *const lock_kind_names[] = {
	[LOCK_MUTEX] = "mutex",
	[LOCK_RWLOCK] = "rwlock",
	[LOCK_THREAD] = "thread",
};

/* The threads by their ids. */
struct thread_id {
	uint64_t id;
	size_t index;
};

SORTED_BY_ALL(compare_ids, struct thread_id, SORTED_UP(id) SORTED_DOWN(index))

/* A thread's system call. */
struct futex_call {
	const struct crash *crash;
	const struct thread_id *ids;
	const struct memory_view *memory;
	size_t thread;
	uint64_t address;
	uint32_t expected, word;
	bool wide;			/* words of 8 bytes */
	bool waits, inherits;		/* for a value; for a lock that gives its owner priority */
};

static bool
read_word(const struct futex_call *call, uint64_t address, uint32_t *value)
{
	uint64_t word;

	if (!memory_read(call->memory, address, 4, &word, NULL))
		return false;
	*value = (uint32_t)word;
	return true;
}

/* Reads the first three arguments of a system call: those of functions but on 32-bit x86. */
static bool
read_call(struct futex_call *call)
{
	static const char *const x86[] = { "$ebx", "$ecx", "$edx" };
	const struct crash_context *context = crash_thread_context(call->crash, call->thread);
	uint64_t values[3];

	if (!context->present || context->arch == NULL)
		return false;
	const struct arch_arguments *arguments = crash_arguments(call->crash, context->arch);
	for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
		const int reg = arguments != NULL && arguments->count > i
					? arguments->registers[i]
					: arch_register(context->arch, text_of(x86[i]),
							ARCH_NAMES_EXACT);

		if (reg == ARCH_NO_REGISTER || !registers_known(&context->registers, reg))
			return false;
		values[i] = context->registers.value[reg];
	}
	call->address = values[0];
	const uint32_t operation = (uint32_t)values[1] & ~FUTEX_FLAGS;
	call->expected = (uint32_t)values[2];
	call->waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
	call->inherits = operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2;
	call->wide = context->arch->word_size == 8;
	return call->address % 4 == 0 && read_word(call, call->address, &call->word);
}

static bool
find_thread(const struct futex_call *call, uint32_t id, size_t *index)
{
	const size_t upto =
		sorted_upto(SORTED(call->ids, call->crash->thread_count, id), id);

	if (id == 0 || upto == 0 || call->ids[upto - 1].id != id)
		return false;
	*index = call->ids[upto - 1].index;
	return true;
}

/* Whether the word is a mutex's, with its owner and its number of users. */
static bool
is_mutex(const struct futex_call *call, struct lock_wait *wait)
{
	const bool robust = (call->word & FUTEX_WAITERS) != 0;
	uint32_t owner, users, kind;

	if (!(call->inherits ? robust : call->expected == call->word) ||
	    (!robust && call->word != MUTEX_CONTENDED) ||
	    !read_word(call, call->address + 8, &owner) ||
	    !read_word(call, call->address + (call->wide ? 12 : 16), &users) ||
	    !read_word(call, call->address + (call->wide ? 16 : 12), &kind))
		return false;
	*wait = (struct lock_wait){ .kind = LOCK_MUTEX, .address = call->address };
	return (!robust || (call->word & FUTEX_OWNER) == owner) && users > 0 &&
	       users < MUTEX_USERS && (kind & ~MUTEX_KINDS) == 0 &&
	       find_thread(call, owner, &wait->owner);
}

/* Whether the word is one of the two that readers and writers of a rwlock wait for. */
static bool
is_rwlock(const struct futex_call *call, struct lock_wait *wait)
{
	uint32_t readers, owner;

	if (call->word != RWLOCK_CONTENDED || call->expected != call->word)
		return false;
	for (unsigned offset = 8; offset <= 12; offset += 4) {
		const uint64_t lock = call->address - offset;

		*wait = (struct lock_wait){ .kind = LOCK_RWLOCK, .address = lock };
		if (read_word(call, lock, &readers) && (readers & RWLOCK_WRITER) != 0 &&
		    read_word(call, lock + (call->wide ? 24 : 28), &owner) &&
		    find_thread(call, owner, &wait->owner))
			return true;
	}
	return false;
}

/* Whether the word is the id of a thread, in this thread's own data after its stack. */
static bool
is_thread(const struct futex_call *call, struct lock_wait *wait)
{
	*wait = (struct lock_wait){ .kind = LOCK_THREAD, .address = call->address };
	if (call->expected != call->word || !find_thread(call, call->word, &wait->owner) ||
	    wait->owner == call->thread)
		return false;
	const struct crash_context *context = crash_thread_context(call->crash, wait->owner);
	if (!context->present || context->arch == NULL)
		return false;
	const uint64_t sp = context->registers.value[context->arch->sp];
	const struct memory_run *run = memory_run_of(call->memory, sp);
	return run != NULL && call->address > sp && call->address - run->base < run->size;
}

/* Finds cycles of waits: each thread waits for at most one owner. */
static void
find_cycles(struct lock_waits *waits, size_t *seen)
{
	for (size_t i = 0; i < waits->count; i++) {
		size_t at = waits->items[i].thread;

		/* Follow the waits until a thread that has been visited. */
		for (; waits->of[at] != 0 && seen[at] == 0;
		     at = waits->items[waits->of[at] - 1].owner)
			seen[at] = i + 1;
		if (waits->of[at] == 0 || seen[at] != i + 1)
			continue;
		waits->cycles++;
		for (struct lock_wait *wait = &waits->items[waits->of[at] - 1]; wait->cycle == 0;
		     wait = &waits->items[waits->of[wait->owner] - 1])
			wait->cycle = waits->cycles;
	}
}

static void
add_wait(struct lock_waits *waits, const struct futex_call *call, struct arena *arena)
{
	struct lock_wait wait, *added;

	if (!((call->waits || call->inherits) && is_mutex(call, &wait)) &&
	    !(call->waits && (is_rwlock(call, &wait) || is_thread(call, &wait))))
		return;
	wait.thread = call->thread;
	added = ARENA_PUSH(arena, waits->items, waits->count, waits->capacity);
	if (added == NULL)
		return;
	*added = wait;
	waits->of[wait.thread] = waits->count;
}

void
lock_waits_find(struct lock_waits *waits, const struct crash *crash,
		const struct memory_view *memory, struct arena *arena)
{
	const size_t count = crash->thread_count;
	struct thread_id *ids = arena_array(arena, count + 1, sizeof(*ids));
	size_t *seen = arena_array(arena, count + 1, sizeof(*seen));

	*waits = (struct lock_waits){ .of = arena_array(arena, count + 1, sizeof(*waits->of)) };
	if (ids == NULL || seen == NULL || waits->of == NULL ||
	    crash->system.os != CRASH_OS_LINUX)
		return;
	waits->thread_count = count;
	for (size_t i = 0; i < count; i++)
		ids[i] = (struct thread_id){ crash->threads[i].id, i };
	SORT(ids, count, compare_ids);
	for (size_t i = 0; i < count; i++) {
		struct futex_call call = { .crash = crash, .ids = ids, .memory = memory,
					   .thread = i };

		if (read_call(&call))
			add_wait(waits, &call, arena);
	}
	find_cycles(waits, seen);
}

/* Findings ------------------------------------------------------------------------------------- */

/* The name of the data at an address; NULL: it has none. */
static const char *
data_name(struct explain *explain, uint64_t address)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena *arena = &explain->out->arena;
	const int module = module_map_find(&explain->modules, address);
	struct symbol symbol;

	if (module == MODULE_NONE)
		return NULL;
	const struct module *in = &explain->crash->modules[module];
	const struct symbol_sources sources = { .binaries = explain->binaries,
						.module = (size_t)module, .base = in->base,
						.policy = &policy };
	if (!symbol_at_data(&sources, address, &symbol))
		return NULL;
	struct text name = symbol.function.name;
	if (explain->walk != NULL)
		name = demangle_memo_shown(explain->walk->names, &policy, name);
	name = location_of_symbol(in, &symbol, name, address, arena);
	return text_printable_copy(arena, name);
}

/* Makes the name of a lock, and the sentence about the wait. */
static void
describe(struct explain *explain, struct lock_wait *wait)
{
	struct arena *arena = &explain->out->arena;
	const uint32_t id = explain->crash->threads[wait->thread].id;
	const char *lock;

	if (wait->kind == LOCK_THREAD) {
		lock = arena_format(arena, "the end of thread %zu", wait->owner);
	} else {
		wait->name = data_name(explain, wait->address);
		lock = arena_format(arena, "the %s at 0x%" PRIx64 "%s%s%s, which %s",
				    lock_kind_names[wait->kind], wait->address,
				    wait->name != NULL ? " (" : "", text_or_empty(wait->name),
				    wait->name != NULL ? ")" : "",
				    wait->owner == wait->thread
					    ? "it owns itself"
					    : text_or_empty(arena_format(arena, "thread %zu owns",
									 wait->owner)));
	}
	wait->text = arena_format(arena, "thread %zu, id %" PRIu32 " (0x%" PRIx32 "), waits for %s",
				  wait->thread, id, id, text_or_empty(lock));
}

void
locks_explain(struct explain *explain)
{
	struct lock_waits *waits = &explain->out->locks;

	lock_waits_find(waits, explain->crash, &explain->memory, &explain->out->arena);
	for (size_t i = 0; i < waits->count; i++)
		describe(explain, &waits->items[i]);
	for (size_t cycle = 1; cycle <= waits->cycles; cycle++) {
		size_t members = 0;

		for (size_t i = 0; i < waits->count; i++)
			members += waits->items[i].cycle == cycle;
		struct finding *finding =
			members == 1 ? finding_add(explain, FINDING_DEADLOCK, 100,
						   "a thread waits for a lock that it owns itself")
				     : finding_add(explain, FINDING_DEADLOCK, 100,
						   "%zu threads wait for each other", members);
		for (size_t i = 0; i < waits->count; i++)
			if (waits->items[i].cycle == cycle)
				finding_evidence(explain, finding, "%s",
						 text_or_empty(waits->items[i].text));
	}
}
