/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "base/checked.h"
#include "code/call.h"

/*
 * The pc itself failed: the call, or the return to an overwritten return address, that led there.
 */

/* Addresses below are null pointers with an offset, never code. */
#define FIRST_PAGE 0x1000u

enum arrival {
	ARRIVAL_NO_CALL,		/* no call before the return address */
	ARRIVAL_UNREAD,			/* possibly a call: the code before it is unknown */
	ARRIVAL_LIKELY_CALL,		/* a call with another target or an unknown one */
	ARRIVAL_CALL,			/* a call to the pc */
};

/* The target of a call, with the registers at its callee's entry. */
static bool
find_target(const struct explain *explain, const struct instruction *call, uint64_t *target)
{
	struct registers before = *explain->registers;

	if (arch_pushes_return(explain->arch))
		before.value[explain->arch->sp] += explain->arch->word_size;
	*target = call->target;
	if (call->has_target)
		return true;
	if (call->target_register != ARCH_NO_REGISTER) {
		*target = arch_code(explain->arch, before.value[call->target_register]);
		return registers_known(&before, call->target_register) &&
		       call->target_register != explain->arch->lr;
	}
	uint64_t address;
	return call->target_access != INSTRUCTION_NO_ACCESS &&
	       instruction_address(&call->accesses[call->target_access], &before, &address) &&
	       memory_read(&explain->memory, address, explain->arch->word_size, target, NULL);
}

/* The return address that a call to the pc would have left. */
static bool
left_address(const struct explain *explain, uint64_t *address)
{
	const struct arch *arch = explain->arch;
	const struct registers *registers = explain->registers;

	if (!registers_known(registers, arch->sp))
		return false;
	if (arch_pushes_return(arch))
		return memory_read(&explain->memory, registers->value[arch->sp], arch->word_size,
				   address, NULL);
	*address = registers->value[arch->lr];
	return registers_known(registers, arch->lr);
}

/* Decodes the call before the return address, with a prefix that call_find leaves out. */
static enum arrival
find_call(const struct explain *explain, uint64_t pc, struct instruction *call)
{
	const struct arch *arch = explain->arch;
	enum arrival best = ARRIVAL_UNREAD;
	uint64_t address, target;

	if (!left_address(explain, &address))
		return ARRIVAL_UNREAD;
	const enum analysis_permission permission =
		analysis_permission(explain, address, ANALYSIS_EXECUTE);
	if (permission == ANALYSIS_DENIED || permission == ANALYSIS_UNMAPPED)
		return ARRIVAL_NO_CALL;
	const struct call_site site = call_find(arch, &explain->memory, explain->binaries, address);
	if (site.answer != CALL_YES)
		return site.answer == CALL_NO ? ARRIVAL_NO_CALL : ARRIVAL_UNREAD;
	const uint64_t length = arch_code(arch, address) - site.address;
	for (uint64_t prefix = 0; prefix <= (arch->code_unit == 1); prefix++) {
		struct instruction at;

		if (!instruction_at(&at, arch, &explain->memory, explain->binaries,
				    (address & arch->mode_bit) != 0, site.address - prefix) ||
		    (at.kinds & INSTRUCTION_CALL) == 0 || at.length > length + prefix)
			continue;
		const bool led = find_target(explain, &at, &target) && target == pc;
		if (led || best == ARRIVAL_UNREAD) {
			*call = at;
			best = led ? ARRIVAL_CALL : ARRIVAL_LIKELY_CALL;
		}
	}
	return best;
}

static void
add_call(struct explain *explain, struct finding *finding, enum arrival arrival,
	 const struct instruction *call)
{
	if ((arrival == ARRIVAL_CALL || arrival == ARRIVAL_LIKELY_CALL) && explain->walk != NULL)
		finding_evidence(explain, finding, "%s'%s' at 0x%" PRIx64 " in %s%s",
				 arrival == ARRIVAL_CALL ? "" : "the last call was likely ",
				 call->text, call->address,
				 analysis_function(explain, call->address, true),
				 arrival == ARRIVAL_CALL ? " led there" : "");
}

/* Confidence that a return led to the pc; 0: no evidence. */
static unsigned
judge_return(const struct explain *explain, uint64_t pc, enum arrival arrival, const char **why)
{
	const struct arch *arch = explain->arch;
	const struct registers *registers = explain->registers;
	uint64_t below, left;

	if (arrival == ARRIVAL_CALL || !registers_known(registers, arch->sp))
		return 0;
	if (!arch_pushes_return(arch) && registers_known(registers, arch->lr) &&
	    arch_code(arch, registers->value[arch->lr]) == arch_code(arch, pc))
		*why = "the link register holds the program counter";
	else if (memory_read(&explain->memory, registers->value[arch->sp] - arch->word_size,
			     arch->word_size, &below, NULL) &&
		 arch_code(arch, below) == arch_code(arch, pc))
		*why = "the word below the stack pointer, which a return has just read, is the "
		       "program counter";
	else
		return 0;
	/* Zeros are common. A called function may have jumped, or pushed and returned. */
	if (pc < FIRST_PAGE)
		return arrival == ARRIVAL_NO_CALL && left_address(explain, &left) && left != 0 ? 60
											       : 0;
	return arrival == ARRIVAL_NO_CALL ? 90 : 70;
}

/* The thread whose stack contains an address; -1: none. */
static int
find_stack(const struct explain *explain, uint64_t address)
{
	const struct crash *crash = explain->crash;
	const struct mapping *mapping = crash_mapping(crash, address);
	const int own = explain->out->thread;

	if (own >= 0 && mapping != NULL && mapping->writable &&
	    registers_known(explain->registers, explain->arch->sp) &&
	    checked_contains(mapping->base, mapping->size,
			     explain->registers->value[explain->arch->sp]))
		return own;
	for (size_t i = 0; i < crash->thread_count; i++)
		if (checked_contains(crash->threads[i].stack_start, crash->threads[i].stack_size,
				     address))
			return (int)i;
	return -1;
}

/* " in the data of a.so"; NULL: not known to be a non-code address. */
static const char *
say_where(struct explain *explain, uint64_t pc)
{
	const struct crash *crash = explain->crash;
	struct arena *arena = &explain->out->arena;
	const int stack = find_stack(explain, pc);
	const int module = module_map_find(&explain->modules, pc);

	if (stack >= 0 && stack == explain->out->thread)
		return " in the thread's own stack";
	if (stack >= 0)
		return arena_format(arena, " in the stack of thread id 0x%" PRIx32,
				    crash->threads[stack].id);
	if (module == MODULE_NONE || (crash->cause.access != CRASH_ACCESS_EXECUTE &&
				      analysis_permission(explain, pc, ANALYSIS_EXECUTE) !=
					      ANALYSIS_DENIED))
		return NULL;
	return arena_format(arena, " in the %s of %s",
			    pc - crash->modules[module].base < FIRST_PAGE ? "headers" : "data",
			    place_base_name(crash->modules[module].code_file));
}

static void
say_text(struct explain *explain, struct finding *finding, uint64_t value)
{
	char text[9];

	if (analysis_text(value, text) > 0)
		finding_evidence(explain, finding, "it is text: \"%s\"", text);
}

void
jump_explain_return(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;

	if ((explain->instruction.kinds & INSTRUCTION_RETURN) == 0 || explain->walk == NULL)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_RETURN_ADDRESS, 90,
			    "the return address of %s was overwritten with 0x%016" PRIx64,
			    analysis_function(explain, at->address, false), at->next_pc);
	if (at->access_count > 0)
		finding_evidence(explain, finding, "'%s' takes it from 0x%" PRIx64, at->text,
				 at->accesses[0].address);
	say_text(explain, finding, at->next_pc);
}

/* Explains code of a module that was unloaded: it was called or returned to. */
static bool
explain_unloaded(struct explain *explain, uint64_t pc)
{
	const int index = module_map_find_unloaded(&explain->modules, pc);
	struct instruction call;

	if (index == MODULE_NONE || module_map_find(&explain->modules, pc) != MODULE_NONE ||
	    analysis_permission(explain, pc, ANALYSIS_EXECUTE) == ANALYSIS_ALLOWED)
		return false;
	const struct module *module = &explain->crash->unloaded[index];
	const char *name = place_base_name(module->code_file), *why = "";
	const enum arrival arrival = find_call(explain, pc, &call);
	struct finding *finding =
		finding_add(explain, FINDING_BAD_CALL, 95,
			    "the program went to 0x%" PRIx64 ", %s + 0x%" PRIx64
			    ", after that module had been unloaded", pc, name, pc - module->base);
	finding_evidence(explain, finding,
			 "the unloaded modules have %s at 0x%" PRIx64 " to 0x%" PRIx64, name,
			 module->base, module->base + module->size - 1);
	if (judge_return(explain, pc, arrival, &why) > 0)
		finding_evidence(explain, finding, "%s", why);
	add_call(explain, finding, arrival, &call);
	return true;
}

bool
jump_explain(struct explain *explain, uint64_t pc)
{
	const struct mapping *mapping = crash_mapping(explain->crash, pc);
	const enum analysis_permission permission =
		analysis_permission(explain, pc, ANALYSIS_EXECUTE);
	const char *why = "", *where = say_where(explain, pc);
	struct finding *finding;
	struct instruction call;
	const enum arrival arrival = find_call(explain, pc, &call);
	const unsigned sure = judge_return(explain, pc, arrival, &why);

	if (explain_unloaded(explain, pc))
		return true;
	if (sure > 0) {
		finding = finding_add(explain, FINDING_RETURN_ADDRESS, sure,
				      "a function returned to 0x%" PRIx64
				      ": its return address was overwritten", pc);
		finding_evidence(explain, finding, "%s", why);
		say_text(explain, finding, pc);
	}
	if (permission == ANALYSIS_DENIED || (where != NULL && permission != ANALYSIS_UNMAPPED)) {
		finding = finding_add(explain, FINDING_NOT_EXECUTABLE,
				      permission == ANALYSIS_DENIED ? 95 : 85,
				      "the program jumped to 0x%" PRIx64 "%s, which is not "
				      "executable", pc, where != NULL ? where : "");
		if (permission == ANALYSIS_DENIED)
			finding_evidence(explain, finding, "the memory map says %s for %s",
					 mapping->text, analysis_mapping_name(mapping));
	} else if (sure > 0) {
		return true;
	} else if (pc < FIRST_PAGE) {
		finding = finding_add(explain, FINDING_NULL_CALL,
				      arrival == ARRIVAL_CALL	   ? 95
				      : arrival == ARRIVAL_NO_CALL ? 70
								   : 85,
				      "the program called or jumped to 0x%" PRIx64
				      ", a null pointer%s", pc, pc != 0 ? " and an offset" : "");
		finding_evidence(explain, finding, "the program counter is 0x%" PRIx64, pc);
	} else if (permission == ANALYSIS_UNMAPPED ||
		   explain->crash->cause.access == CRASH_ACCESS_EXECUTE) {
		finding = finding_add(explain, FINDING_BAD_CALL, 95,
				      "the program jumped to 0x%" PRIx64 ", where there is no code",
				      pc);
		if (permission == ANALYSIS_UNMAPPED)
			finding_evidence(explain, finding, "nothing is mapped there");
	} else {
		return false;
	}
	if (sure == 0)
		add_call(explain, finding, arrival, &call);
	return true;
}
