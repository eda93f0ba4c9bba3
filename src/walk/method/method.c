/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "walk/step.h"

static bool
always(const struct step *step)
{
	(void)step;
	return true;
}

static bool
has_symbols(const struct step *step)
{
	return step->symfile != NULL;
}

static bool
has_sframe(const struct step *step)
{
	return walk_sframe(step->walk, step->callee->module) != NULL;
}

static bool
has_frame_table(const struct step *step)
{
	return step->callee->module != MODULE_NONE &&
	       frame_tables_has(walk_frame_tables(step->walk), (size_t)step->callee->module);
}

static bool
is_interrupted(const struct step *step)
{
	return step->callee->interrupted;
}

static bool
is_interrupted_outside_code(const struct step *step)
{
	return is_interrupted(step) &&
	       step_code_at(step, step->callee->registers.value[step->arch->pc]) != STEP_CODE;
}

static bool
is_first_on_windows(const struct step *step)
{
	return step_is_first(step) && step->walk->crash->system.os == CRASH_OS_WINDOWS;
}

static bool
is_linux_trampoline(const struct step *step)
{
	const enum crash_os os = step->walk->crash->system.os;

	return (os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID) && step_is_trampoline(step);
}

/* Breakpad leaves PowerPC and SPARC to their chains alone. */
static bool
may_be_scanned(const struct step *step)
{
	switch (step->arch->id) {
	case ARCH_PPC:
	case ARCH_PPC64:
	case ARCH_SPARC:
	case ARCH_SPARC32:
		return step_policy(step, POLICY_SCAN_BEHIND_CHAIN) != 0;
	default:
		return true;
	}
}

/* On x86 the kernel's page holds its system call and the trampolines alone. */
static bool
is_in_system_call(const struct step *step)
{
	return is_interrupted(step) &&
	       step_is_in_kernel_page(step, step->callee->registers.value[step->arch->pc]) &&
	       !step_is_trampoline(step);
}

const struct method methods[METHOD_COUNT] = {
#define METHOD(id, title, function, row, fits) \
	[METHOD_##id] = { title, function, (enum policy_row)(row), fits },
#include "walk/method/method.def"
#undef METHOD
};

/* Why a method is not tried, where `applies` says no. */
static const char *const misfits[METHOD_COUNT] = {
	[METHOD_SIGNAL_FRAME] = "no signal handler returns to this address",
	[METHOD_SYSTEM_CALL] = "the thread was not stopped in the kernel's page",
	[METHOD_BAD_CALL] = "the pc of this frame is in code",
	[METHOD_STACK_WIN] = "there are no symbols for the address",
	[METHOD_SFRAME] = "the module has no SFrame section",
	[METHOD_FRAME_TABLE] = "there is no file of the module with a frame table",
	[METHOD_LEAF] = "only the first frame on Windows can be such a function",
	[METHOD_LINK_REGISTER] = "this frame has made a call, which changed the link register",
	[METHOD_SCAN] = "the policy leaves it to the chain of frames",
};

const char *
method_misfit(enum method_id method)
{
	return misfits[method] != NULL ? misfits[method] : "it makes no sense for this frame";
}

#define MOST_METHODS 10
#define ON_MIPS										\
	{ METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI, METHOD_LINK_REGISTER,	\
	  METHOD_MIPS_SCAN, METHOD_COUNT }
#define ON_POWERPC									\
	{ METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_LINK_REGISTER, METHOD_BACK_CHAIN,	\
	  METHOD_SCAN, METHOD_COUNT }
#define ON_SPARC									\
	{ METHOD_BAD_CALL, METHOD_LINK_REGISTER, METHOD_WINDOW, METHOD_SCAN, METHOD_COUNT }
#define ON_RISCV									\
	{ METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI, METHOD_LINK_REGISTER,	\
	  METHOD_RISCV, METHOD_SCAN, METHOD_COUNT }

/* Breakpad's order where it has the method; ours come where they are surest. */
static const enum method_id orders[ARCH_COUNT][MOST_METHODS] = {
	[ARCH_X86] = { METHOD_SIGNAL_FRAME, METHOD_SYSTEM_CALL, METHOD_BAD_CALL, METHOD_STACK_WIN,
		       METHOD_STACK_CFI, METHOD_FRAME_TABLE, METHOD_REALIGNED,
		       METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
	[ARCH_AMD64] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI, METHOD_SFRAME,
			 METHOD_FRAME_TABLE, METHOD_LEAF, METHOD_REALIGNED,
			 METHOD_FRAME_POINTER, METHOD_SCAN, METHOD_COUNT },
	[ARCH_ARM] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI,
		       METHOD_FRAME_TABLE, METHOD_LINK_REGISTER, METHOD_FRAME_POINTER, METHOD_SCAN,
		       METHOD_COUNT },
	[ARCH_ARM64] = { METHOD_SIGNAL_FRAME, METHOD_BAD_CALL, METHOD_STACK_CFI, METHOD_SFRAME,
			 METHOD_FRAME_TABLE, METHOD_LINK_REGISTER, METHOD_FRAME_POINTER,
			 METHOD_SCAN, METHOD_COUNT },
	[ARCH_MIPS] = ON_MIPS,
	[ARCH_MIPS64] = ON_MIPS,
	[ARCH_PPC] = ON_POWERPC,
	[ARCH_PPC64] = ON_POWERPC,
	[ARCH_SPARC] = ON_SPARC,
	[ARCH_SPARC32] = ON_SPARC,
	[ARCH_RISCV] = ON_RISCV,
	[ARCH_RISCV64] = ON_RISCV,
	[ARCH_S390X] = { METHOD_SFRAME, METHOD_COUNT },
	[ARCH_UNKNOWN] = { METHOD_COUNT },
};

bool
method_is_of(enum arch_id arch, enum method_id method)
{
	const enum method_id *order = orders[arch];

	while (*order != METHOD_COUNT && *order != method)
		order++;
	return *order == method;
}

const enum method_id *
method_order(enum arch_id arch, const struct policy *policy,
	     enum method_id chosen[METHOD_COUNT + 1])
{
	size_t count = 0;

	if (policy->method_count == 0)
		return orders[arch];
	for (size_t i = 0; i < policy->method_count && count < METHOD_COUNT; i++)
		if (method_is_of(arch, (enum method_id)policy->methods[i]))
			chosen[count++] = (enum method_id)policy->methods[i];
	chosen[count] = METHOD_COUNT;
	return chosen;
}

size_t
walk_methods(const struct walk *walk, enum method_id list[METHOD_COUNT])
{
	const enum method_id *order = orders[walk->arch->id];
	size_t count = 0;

	while (order[count] != METHOD_COUNT) {
		list[count] = order[count];
		count++;
	}
	return count;
}

bool
walk_method_is_off(const struct walk *walk, enum method_id method)
{
	const enum policy_row row = methods[method].policy;

	return row != POLICY_COUNT && walk->policy.value[row] == 0;
}

/* Whether a name is meant, with a '-' for each blank and in any case. */
static bool
is_called(const char *name, const char *text, size_t length)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		char wanted = name[i] == ' ' ? '-' : name[i];
		char given = text[i] == ' ' ? '-' : text[i];

		if (tolower((unsigned char)wanted) != tolower((unsigned char)given))
			return false;
	}
	return true;
}

bool
method_named(const char *text, size_t length, enum method_id *method)
{
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		*method = (enum method_id)i;
		if (is_called(methods[i].name, text, length))
			return true;
	}
	return false;
}

const char *
methods_choose(struct policy *policy, const char *list)
{
	struct policy chosen = *policy;
	enum method_id method;

	chosen.method_count = 0;
	for (const char *at = list; *at != '\0';) {
		const size_t length = strcspn(at, ",");

		if (chosen.method_count == POLICY_METHODS)
			return "'%s' names more methods than there are";
		if (!method_named(at, length, &method))
			return "'%s' names no method; stack-cfi, sframe, frame-pointer and "
			       "stack-scan are some";
		chosen.methods[chosen.method_count++] = (uint8_t)method;
		at += length + (at[length] == ',');
	}
	if (chosen.method_count == 0)
		return "'%s' names no method";
	*policy = chosen;
	return NULL;
}
