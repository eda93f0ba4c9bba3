/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/name_evidence.h"

#include <string.h>

#include "base/policy_rows.h"
#include "walk/step.h"

/* Frames of the C library around a system call, from the innermost one outwards. */
#define MOST_CALLERS 8u

#define SIGNAL_ABORT 6u

/* Functions of C libraries by their system call. */
static const struct {
	const char *name;
	int16_t numbers[ARCH_CALLS_COUNT];
} system_calls[] = {
#define S(name, wait, arm, generic) { name, { -1, arm, generic } },
#define F(name, wait)
#define U(name, wait)
#define W(name, wait)
#include "walk/system_call.def"
};

/* Functions called by the first code of a process: glibc, musl and uClibc; Android's C library. */
static const char *const called_first[] = { "__libc_start_main", "__libc_init" };

/*
 * The public name of a function that C libraries have under several ("__clock_nanosleep_time64").
 */
static struct text
plain_name(struct text name)
{
	while (name.length > 0 && *name.start == '_')
		name = (struct text){ name.start + 1, name.length - 1 };
	text_drop_prefix(&name, "libc_");
	text_drop_suffix(&name, "_time64");
	return name;
}

/*
 * Whether the thread was stopped in the function's system call. The kernel leaves the number in its
 * register; that it matches the name is no accident. Of the functions that send the thread a
 * signal, abort() has only one such call.
 */
static bool
makes_system_call(const struct walk *walk, struct text name)
{
	const struct arch *arch = walk->arch;
	const struct registers *registers = &walk->frames[0].registers;

	if (arch->call_numbers == ARCH_CALLS_UNKNOWN ||
	    !registers_known(registers, arch->call_number) ||
	    (text_equal(name, text_of("abort")) &&
	     ((int)walk->thread != walk->crash->requesting_thread ||
	      walk->crash->exception.code != SIGNAL_ABORT)))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(system_calls); i++)
		if (text_equal(name, text_of(system_calls[i].name)) &&
		    registers->value[arch->call_number] ==
			    (uint64_t)system_calls[i].numbers[arch->call_numbers])
			return true;
	return false;
}

/* Whether the address is in a frame around the thread's system call. */
static bool
is_in_system_call(const struct walk *walk, uint64_t address)
{
	for (size_t i = 0; i < walk->count && i < MOST_CALLERS &&
			   walk->frames[i].module == walk->frames[0].module; i++)
		if (walk->frames[i].lookup == address)
			return true;
	return false;
}

/* Whether the address is in the frame that the process's first code called. */
static bool
is_called_first(const struct walk *walk, uint64_t address, struct text name)
{
	const struct frame *last = walk->frames + walk->count - 1;
	bool listed = false;

	for (size_t i = 0; i < ARRAY_COUNT(called_first); i++)
		listed = listed || text_equal(name, text_of(called_first[i]));
	return listed && walk->count >= 2 && last[-1].lookup == address &&
	       walk_is_in_start(walk, last->lookup);
}

const char *
name_evidence(const struct walk *walk, const struct location *location)
{
	const struct function *function = &location->symbol.function;
	const uint64_t begins =
		arch_code(walk->arch, location->module->base + function->address);

	if (walk->count == 0)
		return NULL;
	if (walk->bottom.entry != 0 && begins == arch_code(walk->arch, walk->bottom.entry) &&
	    walk_is_in_start(walk, location->address))
		return "the process began at it";
	if (is_called_first(walk, location->address, function->name))
		return "the first code of the process calls it";
	if (is_in_system_call(walk, location->address) &&
	    makes_system_call(walk, plain_name(function->name)))
		return "the thread was stopped in a system call that it makes";
	return NULL;
}

/* Bytes of the kernel's system call: pushes, two ways into the kernel, pops. */
#define LONGEST_SYSTEM_CALL 32u

void
name_of_kernel(const struct walk *walk, struct location *location)
{
	const uint64_t call = walk->crash->system_call;

	if (!walk->policy.value[POLICY_FILE_NAMES] || call == 0 || location->address < call ||
	    location->address - call >= LONGEST_SYSTEM_CALL || call < location->module->base)
		return;
	location->symbol.found = true;
	location->symbol.section = "AT_SYSINFO";
	location->symbol.function = (struct function){ .kind = SYMBOL_PUBLIC,
						       .address = call - location->module->base,
						       .name = text_of("__kernel_vsyscall") };
}
