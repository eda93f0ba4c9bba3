/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/locks.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/analysis_internal.h"
#include "analysis/thread_state.h"
#include "base/checked.h"
#include "base/demangle.h"
#include "base/policy_rows.h"
#include "base/sorted.h"
#include "inspect/expression/value_expression.h"
#include "inspect/variable/variable_places.h"
#include "walk/location.h"
#include "walk/symbol_at.h"

/* Operations of futex(2) that wait, and flags of its word. */
#define FUTEX_WAIT 0u
#define FUTEX_LOCK_PI 6u
#define FUTEX_WAIT_BITSET 9u
#define FUTEX_LOCK_PI2 13u
#define FUTEX_WAITERS 0x80000000u
#define FUTEX_OWNER 0x3fffffffu
/* glibc's values: a mutex word with waiters, a rwlock word with waiters, a write phase flag. */
#define MUTEX_CONTENDED 2u
#define RWLOCK_CONTENDED 3u
#define RWLOCK_WRITER 1u
/* If a writer waits for readers: the awaited word, a flag in __readers, the shift of the count. */
#define RWLOCK_AWAITED 2u
#define RWLOCK_WRITE_LOCKED 2u
#define RWLOCK_READERS_SHIFT 3u
/* pthread_cond_t.__wrefs: the number of waiting threads, above three flags. */
#define CONDITION_SHIFT 3u
/* sem_t of glibc 2.21 and later on 64 bits: the word `private`, 0 or FUTEX_PRIVATE_FLAG. */
#define SEMAPHORE_PRIVATE 8u
#define SEMAPHORE_SHARED 128u
/* Flags of pthread_mutex_t.__kind; the number of users of a mutex is below MUTEX_USERS. */
#define MUTEX_KINDS 0x3ffu
#define MUTEX_USERS 65536u
/* Words of a stack that are searched for a critical section, from the stack pointer on. */
#define SECTION_WORDS 128u
/* If there are more threads, waits for conditions and critical sections are not searched for. */
#define MOST_COUNTED 4096u
/* Maximum number of waits whose locks are named by variables; frames searched for each. */
#define MOST_NAMED 32u
#define NAMING_FRAMES 16u
/* Bytes of the smallest locks: pthread_mutex_t and RTL_CRITICAL_SECTION on 32 bits. */
#define LEAST_LOCK 24u

const char *const lock_kind_names[] = {
	[LOCK_MUTEX] = "mutex",
	[LOCK_RWLOCK] = "rwlock",
	[LOCK_THREAD] = "thread",
	[LOCK_CONDITION] = "condition variable",
	[LOCK_SECTION] = "critical section",
	[LOCK_SEMAPHORE] = "semaphore",
};

struct thread_id {
	uint64_t id;
	size_t index;
};

SORTED_BY_ALL(compare_ids, struct thread_id, SORTED_UP(id) SORTED_DOWN(index))

struct futex_call {
	const struct crash *crash;
	const struct thread_id *ids;
	const struct memory_view *memory;
	size_t thread;
	uint64_t address;
	uint32_t expected, word;
	bool wide;			/* words of 8 bytes */
	bool waits, inherits;		/* the operation waits; it uses priority inheritance */
};

struct lock_search {
	struct lock_waits *waits;
	struct futex_call *calls;	/* one for each thread */
	struct arena *arena;
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

/*
 * Reads the first three arguments of a system call. They are in the registers for a function's
 * arguments, except on 32-bit x86.
 */
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
		const int reg = arguments != NULL ? arguments->registers[i]
						  : arch_register(context->arch, text_of(x86[i]),
								  ARCH_NAMES_EXACT);

		if (!registers_known(&context->registers, reg))
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

/* Whether the word belongs to a mutex that has a valid owner and number of users. */
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
	*wait = (struct lock_wait){ .kind = LOCK_MUTEX, .address = call->address,
				    .has_owner = true };
	return (!robust || (call->word & FUTEX_OWNER) == owner) && users > 0 &&
	       users < MUTEX_USERS && (kind & ~MUTEX_KINDS) == 0 &&
	       find_thread(call, owner, &wait->owner);
}

/*
 * Whether the word is one of the two words of a rwlock that threads wait for. Either a writer owns
 * the lock, or a writer waits for readers. The lock only counts its readers.
 */
static bool
is_rwlock(const struct futex_call *call, struct lock_wait *wait)
{
	uint32_t readers, owner;

	if (call->expected != call->word)
		return false;
	*wait = (struct lock_wait){ .kind = LOCK_RWLOCK, .address = call->address - 8 };
	if (call->word == RWLOCK_AWAITED && read_word(call, wait->address, &readers) &&
	    (readers & (RWLOCK_WRITE_LOCKED | RWLOCK_WRITER)) == RWLOCK_WRITE_LOCKED &&
	    read_word(call, wait->address + (call->wide ? 24 : 28), &owner) && owner == 0) {
		wait->readers = readers >> RWLOCK_READERS_SHIFT;
		return wait->readers > 0 && wait->readers < MUTEX_USERS;
	}
	for (unsigned offset = 8; offset <= 12 && call->word == RWLOCK_CONTENDED; offset += 4) {
		const uint64_t lock = call->address - offset;

		*wait = (struct lock_wait){ .kind = LOCK_RWLOCK, .address = lock,
					    .has_owner = true };
		if (read_word(call, lock, &readers) && (readers & RWLOCK_WRITER) != 0 &&
		    read_word(call, lock + (call->wide ? 24 : 28), &owner) &&
		    find_thread(call, owner, &wait->owner))
			return true;
	}
	return false;
}

/* The number of threads that wait for a word of `size` bytes at `address`, or in it. */
static size_t
count_waiting(const struct lock_search *search, uint64_t address, uint64_t size)
{
	size_t waiting = 0;

	for (size_t i = 0; i < search->waits->thread_count; i++)
		waiting += search->calls[i].waits && search->calls[i].address - address < size;
	return waiting;
}

/* Whether the word is the value of a semaphore, which counts the threads that wait for it. */
static bool
is_semaphore(const struct lock_search *search, const struct futex_call *call,
	     struct lock_wait *wait)
{
	const uint64_t lock = call->address - (call->memory->big_endian ? 4 : 0);
	uint32_t waiting, shared;

	*wait = (struct lock_wait){ .kind = LOCK_SEMAPHORE, .address = lock };
	return call->wide && call->word == 0 && call->expected == 0 && lock % 8 == 0 &&
	       read_word(call, call->address ^ 4, &waiting) && waiting > 0 &&
	       read_word(call, lock + SEMAPHORE_PRIVATE, &shared) &&
	       (shared == 0 || shared == SEMAPHORE_SHARED) &&
	       search->waits->thread_count <= MOST_COUNTED &&
	       waiting == count_waiting(search, call->address, 4);
}

/*
 * Whether the word is one of the two that threads wait for in a condition variable. The variable
 * counts these threads; its layout changed in glibc 2.41.
 */
static bool
is_condition(const struct lock_search *search, const struct futex_call *call,
	     struct lock_wait *wait)
{
	static const struct {
		unsigned references, signals;
	} layouts[] = { { 36, 40 }, { 28, 32 } };

	for (size_t i = 0; i < 2 * ARRAY_COUNT(layouts) &&
			   search->waits->thread_count <= MOST_COUNTED; i++) {
		const uint64_t words = call->address - i % 2 * 4;
		const uint64_t lock = words - layouts[i / 2].signals;
		const size_t waiting = count_waiting(search, words, 8);
		uint32_t references, sequence;

		*wait = (struct lock_wait){ .kind = LOCK_CONDITION, .address = lock };
		if (read_word(call, lock + layouts[i / 2].references, &references) &&
		    references >> CONDITION_SHIFT == waiting && read_word(call, lock, &sequence) &&
		    sequence >> 1 >= waiting)
			return true;
	}
	return false;
}

/* Whether the word is another thread's id, in that thread's own data after its stack. */
static bool
is_thread(const struct futex_call *call, struct lock_wait *wait)
{
	*wait = (struct lock_wait){ .kind = LOCK_THREAD, .address = call->address,
				    .has_owner = true };
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

		/* Follow the waits until they end or reach a thread that has been visited. */
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
add_wait(const struct lock_search *search, const struct lock_wait *wait)
{
	struct lock_waits *waits = search->waits;

	if (!ARENA_ADD(search->arena, waits->items, waits->count, waits->capacity, wait))
		return;
	if (wait->has_owner)
		waits->of[wait->thread] = waits->count;
}

static void
find_futexes(const struct lock_search *search)
{
	struct lock_wait wait;

	for (size_t i = 0; i < search->waits->thread_count; i++) {
		struct futex_call *call = &search->calls[i];
		const bool present = read_call(call);

		call->waits = present && call->waits;
		call->inherits = present && call->inherits;
	}
	for (size_t i = 0; i < search->waits->thread_count; i++) {
		const struct futex_call *call = &search->calls[i];

		if (!((call->waits || call->inherits) && is_mutex(call, &wait)) &&
		    !(call->waits && (is_rwlock(call, &wait) || is_thread(call, &wait) ||
				      is_condition(search, call, &wait) ||
				      is_semaphore(search, call, &wait))))
			continue;
		wait.thread = i;
		add_wait(search, &wait);
	}
}

/* Critical sections ---------------------------------------------------------------------------- */

/*
 * RTL_CRITICAL_SECTION: DebugInfo, LockCount, RecursionCount, OwningThread, a semaphore, a count.
 * LockCount is -1 if the section is free. Since Windows Vista two bits are flags. The lowest is
 * clear if a thread owns the section. The other bits are the inverted number of waiting threads.
 * Before Vista and in Wine LockCount counts the owner's other entries and the waiting threads.
 */
static bool
is_section(const struct futex_call *call, uint64_t address, struct lock_wait *wait,
	   uint64_t *waiting)
{
	const unsigned word = call->wide ? 8 : 4;
	uint64_t count, entries, owner;

	*wait = (struct lock_wait){ .thread = call->thread, .kind = LOCK_SECTION,
				    .address = address, .has_owner = true };
	if (address % word != 0 ||
	    !memory_peek(call->memory, address + word, 4, &count, NULL) ||
	    !memory_peek(call->memory, address + word + 4, 4, &entries, NULL) || entries == 0 ||
	    entries > MUTEX_USERS ||
	    !memory_peek(call->memory, address + word + 8, word, &owner, NULL) ||
	    owner > UINT32_MAX || !find_thread(call, (uint32_t)owner, &wait->owner) ||
	    wait->owner == call->thread)
		return false;
	if (count <= INT32_MAX)
		*waiting = count - (entries - 1);
	else
		*waiting = (count & 1) == 0 ? (UINT32_MAX - count) >> 2 : 0;
	return *waiting > 0 && *waiting < MUTEX_USERS;
}

/* Whether the thread's pc is in ntdll, where all waits of Windows end. */
static bool
is_in_ntdll(const struct futex_call *call, uint64_t pc)
{
	static const char *const names[] = { "ntdll." };

	for (size_t i = 0; i < call->crash->module_count; i++) {
		const struct module *module = &call->crash->modules[i];

		if (checked_contains(module->base, module->size, pc))
			return text_begins(text_of(place_base_name(module->code_file)), names,
					   ARRAY_COUNT(names)) != 0;
	}
	return false;
}

/* Finds the only critical section that a thread may wait for; its address stays 0: none. */
static void
find_section(const struct futex_call *call, struct lock_wait *wait, uint64_t *waiting)
{
	const struct crash_context *context = crash_thread_context(call->crash, call->thread);
	struct lock_wait one;
	uint64_t value, count;

	if (!context->present || context->arch == NULL ||
	    !is_in_ntdll(call, context->registers.value[context->arch->pc]))
		return;
	const unsigned word = context->arch->word_size;
	const uint64_t sp = context->registers.value[context->arch->sp];
	for (unsigned i = 0; i < SECTION_WORDS + (unsigned)context->arch->register_count; i++) {
		const int reg = (int)i - (int)SECTION_WORDS;

		if (reg >= 0 ? !registers_known(&context->registers, reg)
			     : !memory_peek(call->memory, sp + i * word, word, &value, NULL))
			continue;
		value = reg < 0 ? value : context->registers.value[reg];
		if (value == wait->address || !is_section(call, value, &one, &count))
			continue;
		if (wait->address != 0) {
			wait->address = 0;
			return;
		}
		*wait = one;
		*waiting = count;
	}
}

static void
find_sections(const struct lock_search *search)
{
	const size_t count = search->waits->thread_count;
	struct lock_wait *found = arena_array(search->arena, count, sizeof(*found));
	uint64_t *waiting = arena_array(search->arena, count, sizeof(*waiting));

	if (found == NULL || waiting == NULL || count > MOST_COUNTED)
		return;
	for (size_t i = 0; i < count; i++) {
		struct futex_call *call = &search->calls[i];

		call->wide = crash_thread_context(call->crash, i)->arch != NULL &&
			     crash_thread_context(call->crash, i)->arch->word_size == 8;
		find_section(call, &found[i], &waiting[i]);
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t address = found[i].address;
		uint64_t same = 0;

		for (size_t j = 0; j < count; j++)
			same += found[j].address == address;
		if (address == 0 || same != waiting[i])
			continue;
		memory_note(search->calls[i].memory, address, search->calls[i].wide ? 24 : 16,
			    MEMORY_READ);
		add_wait(search, &found[i]);
	}
}

void
lock_waits_find(struct lock_waits *waits, const struct crash *crash,
		const struct memory_view *memory, struct arena *arena)
{
	const size_t count = crash->thread_count;
	struct thread_id *ids = arena_array(arena, count + 1, sizeof(*ids));
	size_t *seen = arena_array(arena, count + 1, sizeof(*seen));
	struct lock_search search = { waits, arena_array(arena, count + 1, sizeof(*search.calls)),
				      arena };

	*waits = (struct lock_waits){ .of = arena_array(arena, count + 1, sizeof(*waits->of)) };
	if (ids == NULL || seen == NULL || search.calls == NULL || waits->of == NULL)
		return;
	waits->thread_count = count;
	for (size_t i = 0; i < count; i++) {
		ids[i] = (struct thread_id){ crash->threads[i].id, i };
		search.calls[i] = (struct futex_call){ .crash = crash, .ids = ids,
						       .memory = memory, .thread = i };
	}
	SORT(ids, count, compare_ids);
	if (crash->system.os == CRASH_OS_LINUX)
		find_futexes(&search);
	else if (crash->system.os == CRASH_OS_WINDOWS)
		find_sections(&search);
	find_cycles(waits, seen);
}

/* Findings ------------------------------------------------------------------------------------- */

/* Keeps a name of the lock, with the type of the structure that has it as a member. */
static void
keep_name(struct explain *explain, struct lock_wait *wait, const char *name, const char *type)
{
	struct arena *arena = &explain->out->arena;

	wait->name = text_printable_copy(arena, text_of(name));
	wait->type = type != NULL && strpbrk(name, ".>") != NULL
			     ? text_printable_copy(arena, text_of(type)) : NULL;
}

/* Names the lock as a member of the static variable with a symbol's name: "queue.mutex". */
static bool
name_member(struct explain *explain, struct lock_wait *wait, struct text variable)
{
	struct arena arena = { 0 };
	struct value_frame *frame =
		frame_variables_of(explain->walk, &explain->memory, 0, &arena);
	const char *written = text_copy(&arena, variable), *name = NULL, *type;

	if (frame != NULL && written != NULL) {
		const struct value_expression found =
			value_expression_of(frame, 0, variable, NULL, &arena);

		if (found.wrong == NULL && found.value.value.in_memory)
			name = variable_member_at(written, &found.value.value, wait->address,
						  LEAST_LOCK, &arena, &type);
	}
	if (name != NULL)
		keep_name(explain, wait, name, type);
	arena_free(&arena);
	return name != NULL;
}

/* Names the lock by the symbol at its address or before it. Returns whether the name is exact. */
static bool
name_by_symbol(struct explain *explain, struct lock_wait *wait, bool blind)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct arena *arena = &explain->out->arena;
	const int module = module_map_find(&explain->modules, wait->address);
	struct symbol symbol;

	if (module == MODULE_NONE)
		return false;
	const struct module *in = &explain->crash->modules[module];
	const struct symbol_sources sources = { .binaries = explain->binaries,
						.module = (size_t)module, .base = in->base,
						.policy = &policy };
	if (!symbol_at_data(&sources, wait->address, &symbol))
		return false;
	struct text name = symbol.function.name;
	if (explain->walk != NULL)
		name = demangle_memo_shown(explain->walk->names, &policy, name);
	if (!blind && name_member(explain, wait, name))
		return true;
	wait->name = text_printable_copy(
		arena, location_of_symbol(in, &symbol, name, wait->address, arena));
	return wait->name != NULL && strchr(wait->name, '+') == NULL;
}

/*
 * Finds the variable that leads to the lock. Searches the waiting thread's first frames in the
 * program's own code.
 */
static void
find_variable(struct explain *explain, struct lock_wait *wait)
{
	const struct walk *shown = explain->walk;
	struct walk *walk = walk_create(explain->crash, shown->symbols, explain->binaries,
					wait->thread, &shown->policy);
	struct arena arena = { 0 };
	const char *name = NULL, *type;

	if (walk == NULL)
		return;
	walk_run(walk, NAMING_FRAMES);
	const struct thread_state state = thread_state_of(explain->crash, wait->thread, walk);
	for (size_t i = state.frame; i < walk->count && i < NAMING_FRAMES && name == NULL; i++) {
		name = variable_leading_to(walk, &explain->memory, i, wait->address, LEAST_LOCK,
					   &arena, &type);
		wait->frame = i;
	}
	if (name != NULL) {
		struct location location;

		location_of(walk, walk->frames[wait->frame].lookup, &arena, &location);
		keep_name(explain, wait, name, type);
		wait->function = text_printable_copy(
			&explain->out->arena,
			analysis_short(location.calls[location.call_count - 1].name, &arena));
	}
	arena_free(&arena);
	walk_free(walk);
}

/* Names the lock by the symbol at its address, else by a variable, else by the symbol before it. */
static void
find_name(struct explain *explain, struct lock_wait *wait)
{
	const bool blind = explain->walk == NULL || explain->walk->horizon.blind != BLIND_OFF;
	const bool many = (size_t)(wait - explain->out->locks.items) >= MOST_NAMED;

	if (!name_by_symbol(explain, wait, blind || many) && !blind && !many)
		find_variable(explain, wait);
}

/* The clause about the owner of a lock; "": it has none. */
static const char *
owner_text(const struct lock_wait *wait, struct arena *arena)
{
	if (wait->has_owner && wait->owner == wait->thread)
		return ", which it owns itself";
	if (wait->has_owner)
		return text_or_empty(arena_format(arena, ", which thread %zu owns", wait->owner));
	if (wait->readers == 0)
		return "";
	return text_or_empty(
		arena_format(arena, ", which %" PRIu32 " thread%s for reading; it does not store "
			     "their ids", wait->readers, wait->readers == 1 ? " holds" : "s hold"));
}

/* Makes the name of a lock, and the sentence about the wait. */
static void
describe(struct explain *explain, struct lock_wait *wait)
{
	struct arena *arena = &explain->out->arena;
	const uint32_t id = explain->crash->threads[wait->thread].id;
	const char *lock, *name = "", *frame = "";

	if (wait->kind == LOCK_THREAD) {
		lock = arena_format(arena, "the end of thread %zu", wait->owner);
	} else {
		find_name(explain, wait);
		if (wait->function != NULL)
			frame = text_or_empty(arena_format(arena, " of its frame %zu, %s",
							   wait->frame, wait->function));
		if (wait->name != NULL)
			name = text_or_empty(arena_format(
				arena, " (%s%s%s%s%s)", wait->name,
				wait->type != NULL ? " in " : "", text_or_empty(wait->type),
				wait->type != NULL && *frame != '\0' ? "," : "", frame));
		lock = arena_format(arena, "the %s at 0x%" PRIx64 "%s%s",
				    lock_kind_names[wait->kind], wait->address, name,
				    owner_text(wait, arena));
	}
	wait->text = arena_format(arena, "thread %zu (id 0x%" PRIx32 ", %" PRIu32 ") waits for %s",
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
