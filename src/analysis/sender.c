/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug_info/file_symbols.h"
#include "walk/location.h"

/*
 * The sender of the signal: another process, another thread of this one, or the thread itself. A
 * thread that signals itself receives the signal when its system call returns.
 */

/* Process ids are below this (PID_MAX_LIMIT). */
#define PROCESS_MOST 0x400000u

/* The place where the thread received the signal. */
struct position {
	bool in_call, numbered;		/* the thread is in a system call; its number is known */
	uint64_t number;
	struct instruction call;
};

/* Finds a system call's number in its register, or in the instruction that loads it. */
static void
find_number(const struct explain *explain, struct position *at)
{
	const struct arch *arch = explain->arch;
	const int reg = arch->system_call_register;
	struct instruction load;

	if (arch->signal_calls[0] != 0 && !arch_pushes_return(arch)) {
		at->numbered = registers_known(explain->registers, reg);
		at->number = explain->registers->value[reg];
	} else if (arch->signal_calls[0] != 0) {
		at->numbered = instruction_at(&load, arch, &explain->memory, explain->binaries,
					      false, at->call.address - 5) &&
			       load.length == 5 &&
			       sscanf(load.text, "mov eax, %" SCNi64, (int64_t *)&at->number) == 1;
	}
}

/* Finds whether the thread is at a system call's instruction, or after it. */
static struct position
find_position(const struct explain *explain)
{
	static const unsigned lengths[] = { 2, 4, 0 };
	const struct arch *arch = explain->arch;
	struct position at = { .in_call = false };

	if (!explain->decoded)
		return at;
	const uint64_t pc = explain->registers->value[arch->pc];
	const bool thumb =
		explain->walk != NULL && location_is_thumb(explain->walk, explain->registers, pc);
	for (size_t i = 0; i < ARRAY_COUNT(lengths) && !at.in_call; i++)
		at.in_call = lengths[i] % (thumb ? 2 : arch->code_unit) == 0 &&
			     instruction_at(&at.call, arch, &explain->memory, explain->binaries,
					    thumb, pc - lengths[i]) &&
			     (at.call.kinds & INSTRUCTION_SYSTEM) != 0 &&
			     (lengths[i] == 0 || at.call.length == lengths[i]);
	if (at.in_call)
		find_number(explain, &at);
	return at;
}

static void
add_position(struct explain *explain, struct finding *finding, const struct position *at)
{
	char number[24] = "a system call";

	if (at->numbered)
		snprintf(number, sizeof(number), "system call %" PRIu64, at->number);
	if (at->in_call)
		finding_evidence(explain, finding, "the thread was in %s, '%s' at 0x%" PRIx64,
				 number, at->call.text, at->call.address);
	else if (explain->decoded)
		finding_evidence(explain, finding, "the thread was not in a system call");
}

/* Whether the thread cannot have signalled itself: it was running, or in another call. */
static bool
is_elsewhere(const struct explain *explain, const struct position *at)
{
	const struct arch *arch = explain->arch;

	if (!explain->decoded || arch->signal_calls[0] == 0 || (at->in_call && !at->numbered))
		return false;
	for (size_t i = 0; at->in_call && i < ARRAY_COUNT(arch->signal_calls); i++)
		if (arch->signal_calls[i] == at->number)
			return false;
	return true;
}

/*
 * Decides between a fault without si_code and kill(2). The address may be a process id. If the
 * instruction cannot have used the address, the signal was sent.
 */
static void
explain_unsaid(struct explain *explain, const struct position *position)
{
	struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;
	const struct crash *crash = explain->crash;
	const uint64_t address = crash->exception.address;
	const bool big = crash->reader.big_endian && explain->arch->word_size == 8;
	const uint32_t process = (uint32_t)(big ? address >> 32 : address);

	if ((crash->system.os != CRASH_OS_LINUX && crash->system.os != CRASH_OS_ANDROID) ||
	    crash->cause.fault != CRASH_FAULT_MEMORY || crash->exception.flags != 0 ||
	    process == 0 || process > PROCESS_MOST || !at->accesses_known || at->privileged)
		return;
	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].permission != ANALYSIS_ALLOWED ||
		    at->accesses[i].address == address)
			return;
	struct finding *finding =
		finding_add(explain, FINDING_SENT_SIGNAL,
			    at->access_count > 0 ? 75 : position->in_call ? 95 : 85,
			    "process %" PRIu32 " sent the signal from outside: the crash has no "
			    "address", process);
	finding_evidence(explain, finding, "the si_code is SI_USER, so the address field holds the "
			 "sender");
	finding_evidence(explain, finding, "'%s' does not use 0x%" PRIx64, at->text, address);
	add_position(explain, finding, position);
	out->has_address = false;
	out->adjustment = ANALYSIS_NO_ADDRESS;
}

/* Processes that end themselves ---------------------------------------------------------------- */

/*
 * The reason for the end is in the stack: in the functions between the call that ends the process
 * and the program's own function.
 */

#define FRAMES 32u	/* frames searched, so that findings do not depend on the walk's length */
#define GAP 6u		/* maximum distance, in frames, between two names of causes */
#define NAMES 16u	/* maximum number of names of one reason */

static const struct abort_cause {
	const char *reason, *names[NAMES];
} causes[] = {
#define A(reason, ...) { reason, { __VA_ARGS__ } },
#include "analysis/abort_cause.def"
#undef A
};

static const struct abort_cause *
find_cause(struct text name)
{
	text_drop_prefix(&name, "__GI_");
	for (size_t i = 0; i < ARRAY_COUNT(causes); i++)
		for (size_t j = 0; j < NAMES && causes[i].names[j] != NULL; j++) {
			const char *pattern = causes[i].names[j];
			const size_t length = strcspn(pattern, "*");

			if (name.length >= length && memcmp(name.start, pattern, length) == 0 &&
			    (pattern[length] == '*' || name.length == length ||
			     memchr("(<. @", name.start[length], 5) != NULL))
				return &causes[i];
		}
	return NULL;
}

/* The outermost frame that shows why the process ended, and its caller. */
struct abort_place {
	const struct abort_cause *cause;	/* NULL: none */
	size_t frame, caller;			/* caller 0: none */
};

static struct abort_place
find_place(const struct explain *explain, size_t from)
{
	const struct walk *walk = explain->walk;
	struct abort_place found = { .cause = NULL };
	size_t near = 0;		/* a caller, perhaps of a standard library */
	const struct module *ends = NULL, *module = NULL;
	struct arena scratch = { 0 };

	for (size_t i = from; walk != NULL && i < walk->count && i < from + FRAMES &&
			      (found.caller == 0 || i <= found.frame + GAP); i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, &scratch, &location);
		const struct text name = location.calls[location.call_count - 1].name;
		const struct abort_cause *cause =
			location.symbol.uncertain ||
					(found.cause != NULL && i > found.frame + GAP)
				? NULL : find_cause(name);
		/* If a noexcept function stops an exception, the frames of throw remain. */
		if (cause != NULL && cause == find_cause(text_of("__cxa_throw")) &&
		    found.cause == find_cause(text_of("__gxx_personality_v0")))
			cause = found.cause;
		if (cause != NULL) {
			ends = found.cause == NULL ? location.module : ends;
			module = location.module;
			found = (struct abort_place){ cause, i, 0 };
			near = 0;
		} else if (found.cause != NULL && found.caller == 0 &&
			   (location.module != module || (module != ends && name.length > 0))) {
			/* The library that ends the process calls its own helper functions. */
			near = near > 0 ? near : i;
			if (!analysis_in_library(location.calls[0].name) ||
			    !analysis_in_library(name))
				found.caller = i;
		}
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	/* A statically linked program has no other module. */
	if (found.cause != NULL && found.caller == 0 && found.frame + 1 < walk->count)
		found.caller = near > 0 ? near : found.frame + 1;
	return found;
}

/*
 * The text that glibc printed before it called abort (failed assertion, damaged heap or stack).
 * glibc's variable __abort_msg points to the size of a mapping and the text (include/stdlib.h,
 * struct abort_msg_s; sysdeps/posix/libc_fatal.c). Searches the modules of the frames up to
 * `frames` for this variable. NULL: no text is known.
 */
static const char *
abort_text(struct explain *explain, size_t frames)
{
	const unsigned word = explain->arch->word_size;
	uint64_t address, message, mapped;

	for (size_t i = 0; explain->binaries != NULL && i <= frames; i++) {
		const int index = explain->walk->frames[i].module;
		const struct binary *binary =
			index < 0 || (i > 0 && explain->walk->frames[i - 1].module == index)
				? NULL
				: binaries_load(explain->binaries, (size_t)index, LOCATE_IMAGE);

		if (binary == NULL || !file_symbols_object(binary, "__abort_msg", &address, NULL))
			continue;
		address += explain->crash->modules[index].base - binary->linked_base;
		if (!memory_read(&explain->memory, address, word, &message, NULL) ||
		    !memory_read(&explain->memory, message, 4, &mapped, NULL) || mapped <= 4)
			return NULL;
		const struct reader rest = memory_rest(&explain->memory, message + 4);
		const uint64_t most = rest.size < mapped - 4 ? rest.size : mapped - 4;
		struct text text = { (const char *)rest.data, 0 };

		if (rest.data == NULL)
			return NULL;
		text.length = strnlen(text.start, (size_t)most);
		memory_note(&explain->memory, message + 4, text.length, MEMORY_READ);
		while (text.length > 0 && text.start[text.length - 1] == '\n')
			text.length--;
		return text.length > 0 ? text_printable_copy(&explain->out->arena, text) : NULL;
	}
	return NULL;
}

/* Adds the sentence about the frame that called the function of a cause. */
static struct finding *
add_place(struct explain *explain, enum finding_kind kind, unsigned confidence,
	  const char *reason, const struct abort_place *place)
{
	const struct frame *frame = &explain->walk->frames[place->frame];

	return finding_add(explain, kind, confidence, "%s: frame %zu, %s, %s %s", reason,
			   place->caller, analysis_call(explain, place->caller),
			   place->caller == place->frame + 1 ? "called" : "led to",
			   analysis_function(explain, frame->lookup, false));
}

/* A fault in the allocator, which does not check all of its data and pointers. */
static void
allocator_explain(struct explain *explain)
{
	const struct abort_place place = find_place(explain, 0);

	if (place.caller > 0 && place.frame <= GAP && place.cause == find_cause(text_of("free"))) {
		add_place(explain, FINDING_ALLOCATOR, 85,
			  "the allocator's heap is damaged, or its pointer is bad", &place);
		explain->out->blamed_frame = place.caller;
	}
}

void
abort_explain(struct explain *explain, size_t from)
{
	const struct abort_place place = find_place(explain, from);
	const struct walk *walk = explain->walk;
	struct finding *finding;
	bool guessed = false;
	const char *type = NULL;
	uint64_t address;

	explain->uncaught |= place.cause != NULL &&
			     (place.cause == find_cause(text_of("__cxa_throw")) ||
			      place.cause == find_cause(text_of("__gxx_personality_v0")));
	/* Do not report the same frame twice. Skip raise(), because its signal may be handled. */
	if (from > 0 && (place.cause == NULL || place.cause == find_cause(text_of("raise")) ||
			 (explain->crash->cause.fault == CRASH_FAULT_ABORT &&
			  find_place(explain, 0).frame == place.frame)))
		return;
	for (size_t i = 1; i <= place.caller; i++)
		guessed |= trust_table[walk->frames[i].trust].certainty == CERTAINTY_GUESSED;
	if (place.cause == NULL)
		finding = finding_add(explain, FINDING_ABORT, 95,
				      "the process ended itself: code in it found that it could "
				      "not continue");
	else if (place.caller == 0)
		finding = finding_add(explain, FINDING_ABORT, 95, "%s", place.cause->reason);
	else
		finding = add_place(explain, FINDING_ABORT, guessed ? 70 : 95,
				    place.cause->reason, &place);
	/* A scan may have found a frame that does not exist. */
	explain->out->blamed_frame = guessed || from > 0 ? 0 : place.caller;
	const char *message =
		walk != NULL && walk->count > 0 ? abort_text(explain, place.frame) : NULL;
	if (message != NULL)
		finding_evidence(explain, finding, "glibc's message: %s", message);
	else if (place.cause != NULL &&
		 (message = panic_text(explain, place.frame, &address, &type)) != NULL)
		finding_evidence(explain, finding, "the panic's message at 0x%" PRIx64 ": %s",
				 address, message);
	if (type != NULL)
		finding_evidence(explain, finding, "its value has the type %s", type);
	/* An uncaught exception has a finding of its own. */
	if (from == 0 && !explain->uncaught)
		finding_evidence(explain, finding, "the reason is %s", explain->out->reason);
	if (explain->crash->assertion != NULL)
		finding_evidence(explain, finding, "assertion: %s", explain->crash->assertion);
}

/*
 * A handler that ends the process may send the signal again while the signal is blocked. The signal
 * then arrives after the handler's return, at the instruction that failed first. Returns this
 * instruction's access that cannot succeed; NULL: the signal has another origin.
 */
static const struct analysis_access *
find_repeated(const struct explain *explain, const struct position *position)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	const uint32_t signal = explain->crash->exception.code;

	if (position->in_call || (signal != SIGNAL_SEGV && signal != SIGNAL_BUS))
		return NULL;
	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].permission == ANALYSIS_UNMAPPED ||
		    at->accesses[i].permission == ANALYSIS_DENIED)
			return &at->accesses[i];
	return NULL;
}

static void
add_repeated(struct explain *explain, const struct analysis_access *access)
{
	struct finding *finding = finding_add(
		explain, FINDING_EARLIER_FAULT, 85,
		"this instruction failed, and a handler of the signal sent the signal again: 0x%"
		PRIx64 " %s", access->address,
		access->permission == ANALYSIS_UNMAPPED ? "is not mapped"
							: "does not allow the access");
	finding_evidence(explain, finding, "the thread was at '%s', not in a system call: signals "
			 "sent by a handler arrive when it has returned",
			 explain->out->instruction.text);
}

void
sender_explain(struct explain *explain)
{
	const struct crash_cause *cause = &explain->crash->cause;
	const bool outside = cause->has_sender && !cause->sender_is_self;
	struct finding *finding;

	const struct position at = find_position(explain);
	const bool elsewhere = cause->has_sender && !outside && is_elsewhere(explain, &at);
	const struct analysis_access *repeated =
		elsewhere ? find_repeated(explain, &at) : NULL;
	const bool other = elsewhere && repeated == NULL;

	if (repeated != NULL)
		add_repeated(explain, repeated);
	if (cause->has_sender) {
		finding = finding_add(explain, FINDING_SENT_SIGNAL, other ? 85 : 95,
			"%s sent the signal%s: the crash has no address",
			crash_describe_sender(explain->crash).text,
			outside		? " from outside"
				: other ? " from another thread"
					: "");
		add_position(explain, finding, &at);
	} else if (explain->decoded) {
		explain_unsaid(explain, &at);
	}
	if (strcmp(text_or_empty(explain->out->reason), "SIGSYS / SYS_SECCOMP") == 0) {
		finding = finding_add(explain, FINDING_REFUSED_CALL, 95,
				      "a seccomp filter of this process refused a system call");
		add_position(explain, finding, &at);
	}
	if (cause->fault == CRASH_FAULT_ABORT && !outside)
		abort_explain(explain, 0);
	else if (cause->fault == CRASH_FAULT_MEMORY && !cause->has_sender)
		allocator_explain(explain);
}
