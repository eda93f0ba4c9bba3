/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "code/call.h"
#include "walk/location.h"

/*
 * Explains the crash address, for example as null with an offset, non-canonical or a guard page.
 * Explains a fault at the pc itself by the call or return that led there.
 */

/* Pages that no system maps: 64 KiB on Windows, at least one page elsewhere (mmap_min_addr). */
#define NULL_PAGES_WINDOWS 0x10000u
#define NULL_PAGES 0x1000u
/* Size of the largest usual guard: the kernel leaves 1 MiB below main stacks. */
#define GUARD_MOST 0x100000u

enum analysis_permission
analysis_permission(const struct explain *explain, uint64_t address,
		    enum analysis_access_kind kind)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	bool allowed;

	if (crash_is_unmapped(explain->crash, address))
		return ANALYSIS_UNMAPPED;
	if (mapping == NULL)
		return ANALYSIS_UNKNOWN;
	if (kind == ANALYSIS_EXECUTE)
		allowed = mapping->executable;
	else if (kind == ANALYSIS_READ)
		/* On all supported processors, writable or executable memory is also readable. */
		allowed = mapping->readable || mapping->writable || mapping->executable;
	else
		allowed = mapping->writable;
	return allowed && !mapping->guard ? ANALYSIS_ALLOWED : ANALYSIS_DENIED;
}

static bool
is_usable(const struct mapping *mapping)
{
	return mapping != NULL && !mapping->free && !mapping->guard &&
	       (mapping->readable || mapping->writable);
}

bool
analysis_guard_page(const struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);

	if (mapping == NULL || mapping->free)
		return false;
	if (mapping->guard)
		return true;
	if (mapping->readable || mapping->writable || mapping->executable ||
	    mapping->size > GUARD_MOST)
		return false;
	return is_usable(crash_mapping(explain->crash, mapping->base + mapping->size)) ||
	       is_usable(crash_mapping(explain->crash, mapping->base - 1));
}

bool
analysis_faulted_at(const struct explain *explain, uint64_t *address)
{
	const struct analysis *out = explain->out;

	bool adjusted = out->adjustment == ANALYSIS_NON_CANONICAL ||
			out->adjustment == ANALYSIS_OF_INSTRUCTION;

	*address = adjusted ? out->adjusted : out->address;
	if (out->adjustment == ANALYSIS_NULL_OFFSET)
		*address = out->offset;
	return explain->crash->cause.fault == CRASH_FAULT_MEMORY && (out->has_address || adjusted);
}

static const struct analysis_access *
faulted_access(const struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;

	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].faulted)
			return &at->accesses[i];
	return NULL;
}

bool
analysis_fault_kind(const struct explain *explain, enum analysis_access_kind *kind)
{
	static const enum analysis_access_kind kinds[] = {
		[CRASH_ACCESS_READ] = ANALYSIS_READ,
		[CRASH_ACCESS_WRITE] = ANALYSIS_WRITE,
		[CRASH_ACCESS_EXECUTE] = ANALYSIS_EXECUTE,
	};
	const struct analysis_access *access = faulted_access(explain);

	if (explain->crash->cause.access != CRASH_ACCESS_UNKNOWN) {
		*kind = kinds[explain->crash->cause.access];
		return true;
	}
	if (access != NULL)
		*kind = access->kind;
	return access != NULL;
}

void
analysis_mapping_evidence(struct explain *explain, struct finding *finding,
			  const struct mapping *mapping)
{
	finding_evidence(explain, finding, "the memory map says %s for %s", mapping->text,
			 mapping->name[0] != '\0' ? mapping->name : "unnamed memory");
}

/* Faults at the pc itself ---------------------------------------------------------------------- */

/* A call led to a pc without code, or a return with an overwritten return address. */

/* Addresses below this one are null pointers with an offset, never code. */
#define FIRST_PAGE 0x1000u

enum arrival {
	ARRIVAL_NO_CALL,		/* no call before the return address */
	ARRIVAL_UNREAD,			/* possibly a call: the code before it is unreadable */
	ARRIVAL_LIKELY_CALL,		/* a call with another target or an unknown one */
	ARRIVAL_CALL,			/* a call to the pc */
};

/* Finds a call's target. The registers are those at the callee's entry. */
static bool
find_target(const struct explain *explain, const struct instruction *call, uint64_t *target)
{
	struct registers before = *explain->registers;

	if (arch_pushes_return(explain->arch))
		before.value[explain->arch->sp] += explain->arch->word_size;
	/*
	 * The call has overwritten the link register, so the target of a call through it is lost.
	 */
	const bool known = analysis_target(explain, call, &before, target) &&
			   (call->has_target || call->target_register == ARCH_NO_REGISTER ||
			    call->target_register != explain->arch->lr);
	*target = arch_code(explain->arch, *target);
	return known;
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

/* Decodes the call before the return address, including a prefix that call_find leaves out. */
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
	for (uint64_t prefix = 0; prefix <= (arch->code_unit == 1); prefix++) {
		struct instruction at;

		if (!instruction_at(&at, arch, &explain->memory, explain->binaries,
				    (address & arch->mode_bit) != 0, site.address - prefix) ||
		    (at.kinds & INSTRUCTION_CALL) == 0)
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
				 arrival == ARRIVAL_CALL ? " likely led there" : "");
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
	/* A word near 0 is weak evidence: such words are common, and a call may have led here. */
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

/* " in the data of a.so"; NULL: the address may be code. */
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

	if (analysis_text(value, text) != 0)
		finding_evidence(explain, finding, "it is text: \"%s\"", text);
}

/* Explains a return to a value that cannot be a code address. */
static void
explain_return(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;

	if ((explain->instruction.kinds & INSTRUCTION_RETURN) == 0 || explain->walk == NULL)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_RETURN_ADDRESS, 90,
			    "the return address of %s was overwritten with 0x%016" PRIx64,
			    analysis_function(explain, at->address, false), at->next_pc);
	if (at->access_count > 0)
		finding_evidence(explain, finding, "'%s' reads it from 0x%" PRIx64, at->text,
				 at->accesses[0].address);
	say_text(explain, finding, at->next_pc);
}

/* Explains a call of code in an unloaded module, or a return to it. */
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
	if (judge_return(explain, pc, arrival, &why) != 0)
		finding_evidence(explain, finding, "%s", why);
	add_call(explain, finding, arrival, &call);
	return true;
}

/* Limits on the searched words of the stack, and on a pointer's distance from the pc. */
#define GONE_WORDS 8192u
#define GONE_REACH 0x100000u
/* Size of the largest hole between mappings that a library may have left. */
#define GONE_RANGE 0x4000000u
/* Maximum numbers of threads and frames that are searched for the unloading function. */
#define GONE_THREADS 64u
#define GONE_FRAMES 32u

/* The range around an address in which nothing is mapped. */
static uint64_t
missing_range(const struct crash *crash, uint64_t address, uint64_t *start)
{
	uint64_t end = UINT64_MAX;

	*start = 0;
	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];

		if (mapping->free)
			continue;
		if (mapping->base > address && mapping->base < end)
			end = mapping->base;
		else if (mapping->base <= address && mapping->base + mapping->size > *start)
			*start = mapping->base + mapping->size;
	}
	return end;
}

/* Adds the first thread that is unloading a library, if there is one. */
static void
add_unloading(struct explain *explain, struct finding *finding)
{
	static const char *const names[] = { "_dl_close", "dlclose", "__dlclose" };
	const struct walk *own = explain->walk;
	struct arena arena = { 0 };
	bool found = false;

	for (size_t i = 0; own != NULL && i < explain->crash->thread_count && i < GONE_THREADS &&
			   !found; i++) {
		struct walk *walk = walk_create(explain->crash, own->symbols, explain->binaries, i,
						&own->policy);

		if (walk == NULL)
			continue;
		walk_run(walk, GONE_FRAMES);
		for (size_t j = 0; j < walk->count && !found; j++) {
			struct location location;

			location_of(walk, walk->frames[j].lookup, &arena, &location);
			const struct text name = location.calls[location.call_count - 1].name;
			found = text_begins(name, names, ARRAY_COUNT(names)) != 0;
			if (found)
				finding_evidence(explain, finding,
						 "thread %zu is unloading a library: its frame %zu "
						 "is %.*s", i, j, TEXT_UPTO(name, 64));
		}
		walk_free(walk);
	}
	arena_free(&arena);
}

/*
 * Explains a pc in missing memory if another word of the stack points there, too. A thread has such
 * words if it runs code of a library after dlclose(). Linux keeps no list of unloaded libraries.
 */
static bool
explain_gone(struct explain *explain, uint64_t pc, const char *why)
{
	const unsigned word = explain->arch->word_size;
	const uint64_t sp = explain->registers->value[explain->arch->sp];
	uint64_t start, value, at = 0;
	char text[9];

	if (explain->crash->system.os == CRASH_OS_WINDOWS ||
	    analysis_permission(explain, pc, ANALYSIS_EXECUTE) != ANALYSIS_UNMAPPED ||
	    analysis_text(pc, text) != 0)
		return false;
	const uint64_t end = missing_range(explain->crash, pc, &start);
	if (start == 0 || end - start > GONE_RANGE)
		return false;
	for (uint64_t i = 0; i < GONE_WORDS && at == 0; i++)
		if (!memory_peek(&explain->memory, sp + i * word, word, &value, NULL))
			break;
		else if (value >= start && value < end && value != pc &&
			 (value - pc < GONE_REACH || pc - value < GONE_REACH))
			at = sp + i * word;
	if (at == 0)
		return false;
	memory_note(&explain->memory, at, word, MEMORY_READ);
	struct finding *finding =
		finding_add(explain, FINDING_BAD_CALL, 75, "the program returned to 0x%" PRIx64
			    ", likely to code that has been unmapped, such as an unloaded "
			    "library's", pc);
	finding_evidence(explain, finding, "%s", why);
	finding_evidence(explain, finding, "nothing is mapped from 0x%" PRIx64 " to 0x%" PRIx64
			 ", and the word of the stack at 0x%" PRIx64 " also points there: 0x%"
			 PRIx64, start, end - 1, at, value);
	add_unloading(explain, finding);
	return true;
}

/* Explains a pc at a non-code address, and the call or return that led there; false: unknown. */
static bool
explain_jump(struct explain *explain, uint64_t pc)
{
	const struct mapping *mapping = crash_mapping(explain->crash, pc);
	const enum analysis_permission permission =
		analysis_permission(explain, pc, ANALYSIS_EXECUTE);
	const char *why = "", *where = say_where(explain, pc);
	struct finding *finding;
	struct instruction call;
	const enum arrival arrival = find_call(explain, pc, &call);
	const unsigned sure = judge_return(explain, pc, arrival, &why);

	if (explain_unloaded(explain, pc) || (sure != 0 && explain_gone(explain, pc, why)))
		return true;
	if (arrival == ARRIVAL_CALL)
		virtual_table_explain(explain, &call);
	if (sure != 0) {
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
			analysis_mapping_evidence(explain, finding, mapping);
	} else if (sure != 0) {
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
		say_text(explain, finding, pc);
	} else {
		return false;
	}
	if (sure == 0)
		add_call(explain, finding, arrival, &call);
	return true;
}

/* The code of a signal that the kernel sent without an address (asm-generic/siginfo.h). */
#define SI_KERNEL 0x80u

/* Addresses ------------------------------------------------------------------------------------ */

/* If the processor reported no address, uses the non-canonical address of the instruction. */
static void
adjust_non_canonical(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;
	bool untold = explain->crash->cause.address == CRASH_ADDRESS_UNTOLD ||
		      explain->crash->cause.address == CRASH_ADDRESS_MISSING ||
		      (out->has_address && (out->address == 0 || out->address == UINT64_MAX));

	if (!untold || explain->crash->cause.fault != CRASH_FAULT_MEMORY || !at->present)
		return;
	for (size_t i = 0; i < at->access_count; i++) {
		if (arch_canonical(explain->arch, at->accesses[i].address))
			continue;
		out->adjustment = ANALYSIS_NON_CANONICAL;
		out->adjusted = at->accesses[i].address;
		finding_evidence(explain,
				 finding_add(explain, FINDING_NON_CANONICAL, 100,
					     "the address is really 0x%016" PRIx64
					     ", which is not a canonical address",
					     out->adjusted),
				 "'%s' uses it as %s", at->text, at->accesses[i].text);
		return;
	}
	if (at->has_next_pc && !at->next_pc_canonical) {
		out->adjustment = ANALYSIS_NON_CANONICAL;
		out->adjusted = at->next_pc;
		explain_return(explain);
		finding_evidence(explain,
				 finding_add(explain, FINDING_NON_CANONICAL, 100,
					     "the program jumped to 0x%016" PRIx64
					     ", which is not a canonical address",
					     out->adjusted),
				 "'%s' leads there", at->text);
	}
}

/*
 * Without a si_code, the address 0 means no address, unless the instruction accesses address 0.
 * Linux reports SI_KERNEL without an address if it could not write the frame of the handler to the
 * stack (force_sigsegv in kernel/signal.c).
 */
static void
adjust_to_instruction(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;
	const struct crash *crash = explain->crash;
	bool posix = crash->system.os == CRASH_OS_LINUX || crash->system.os == CRASH_OS_ANDROID;
	const bool untold = crash->cause.address == CRASH_ADDRESS_UNTOLD &&
			    crash->exception.flags == SI_KERNEL;
	const bool missing = crash->cause.address == CRASH_ADDRESS_MISSING;

	if (!posix || crash->cause.fault != CRASH_FAULT_MEMORY || (!untold && !missing) ||
	    out->adjustment == ANALYSIS_NON_CANONICAL)
		return;
	for (size_t i = 0; i < at->access_count && missing; i++) {
		if (at->accesses[i].address == 0) {
			out->adjustment = ANALYSIS_AS_REPORTED;
			out->has_address = true;
			return;
		}
	}
	for (size_t i = 0; i < at->access_count; i++) {
		if (at->accesses[i].permission != ANALYSIS_UNMAPPED &&
		    at->accesses[i].permission != ANALYSIS_DENIED)
			continue;
		out->adjustment = ANALYSIS_OF_INSTRUCTION;
		out->adjusted = at->accesses[i].address;
		if (untold)
			finding_evidence(explain,
					 finding_add(explain, FINDING_NO_SIGNAL_FRAME, 85,
						     "the kernel could not call the handler of the "
						     "signal: the stack has no room for its frame"),
					 "'%s' at 0x%" PRIx64 " accesses 0x%" PRIx64 "; the "
					 "processor would have reported a failure of this access, "
					 "but the code is SI_KERNEL",
					 at->text, at->address, out->adjusted);
		return;
	}
}

static void
explain_null(struct explain *explain, uint64_t address)
{
	struct analysis *out = explain->out;
	const struct analysis_access *access = faulted_access(explain);
	uint64_t pages = explain->crash->system.os == CRASH_OS_WINDOWS ? NULL_PAGES_WINDOWS
								       : NULL_PAGES;
	struct finding *finding;

	if (out->adjustment == ANALYSIS_NON_CANONICAL)
		return;
	bool low = address < pages, based = access != NULL && access->null_pointer;
	bool named = based && access->text[0] != '\0' && access->null_register != NULL;
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	if (!low && !based)
		return;
	out->adjustment = ANALYSIS_NULL_OFFSET;
	out->offset = address;
	if (address == 0)
		finding = finding_add(explain, FINDING_NULL_POINTER,
				      based || access == NULL ? 95 : 80,
				      "a null pointer was used");
	else if (named || access == NULL)
		finding = finding_add(explain, FINDING_NULL_POINTER, based ? (low ? 95 : 60) : 75,
				      "a null pointer was used with an offset of 0x%" PRIx64
				      ", as for %s", out->offset,
				      /* In "rdx*1 + 0x8" the first register is the pointer. */
				      named && strchr(access->text + strcspn(access->text, " "),
						      '*') != NULL
					      ? "an element of an array"
					      : "a member of a structure");
	else
		finding = finding_add(explain, FINDING_NULL_POINTER, 75,
				      "0x%" PRIx64 " was used as a pointer: a null pointer and an "
				      "offset, or a small number", out->offset);
	if (named)
		finding_evidence(explain, finding, "the base register %s is 0",
				 access->null_register);
	if (low && (mapping == NULL || mapping->free))
		finding_evidence(explain, finding,
				 "the address lies in the first 0x%" PRIx64
				 " bytes, which are never mapped", pages);
}

/* Explains a mapped address whose page the system could not fill. */
static void
explain_no_page(struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	const int module = module_map_find(&explain->modules, address);
	const char *name = mapping != NULL && !mapping->free ? mapping->name : "";
	uint64_t from = mapping != NULL ? mapping->base : 0;

	if (name[0] == '\0' && module != MODULE_NONE) {
		name = explain->crash->modules[module].code_file;
		from = explain->crash->modules[module].base;
	}
	if (name[0] == '\0' || name[0] == '[' || strncmp(name, "/anon_hugepage", 14) == 0)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_NO_PAGE, 85,
			    "0x%" PRIx64 " lies in a mapped file that has no such page: it was "
			    "truncated after it was mapped, or reading it failed", address);
	finding_evidence(explain, finding, "%s is mapped there, from 0x%" PRIx64 " on", name, from);
}

/* Explains an address in the kernel's half; small negative numbers are in its last page. */
static void
explain_kernel_half(struct explain *explain, uint64_t address)
{
	const struct analysis *out = explain->out;
	const struct analysis_access *access = faulted_access(explain);
	struct finding *finding;

	if (explain->arch->kernel_from == 0 || address < explain->arch->kernel_from ||
	    out->adjustment == ANALYSIS_NULL_OFFSET ||
	    analysis_permission(explain, address, ANALYSIS_READ) == ANALYSIS_ALLOWED ||
	    (access == NULL && explain->crash->cause.address == CRASH_ADDRESS_UNTOLD))
		return;
	if (address >= 0 - (uint64_t)NULL_PAGES)
		finding = finding_add(explain, FINDING_KERNEL_ADDRESS, 75,
				      "the address is %" PRId64 ", a small negative number such as "
				      "an error code, used as a pointer", (int64_t)address);
	else
		finding = finding_add(explain, FINDING_KERNEL_ADDRESS, 90,
				      "0x%" PRIx64 " lies in the kernel's half of the address "
				      "space, where a program has no memory", address);
	finding_evidence(explain, finding, "addresses from 0x%" PRIx64 " on are the kernel's",
			 explain->arch->kernel_from);
	if (access != NULL && access->text[0] != '\0')
		finding_evidence(explain, finding, "'%s' uses it as %s", out->instruction.text,
				 access->text);
}

static void
explain_access(struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	enum analysis_access_kind kind;
	struct finding *finding;

	if (analysis_guard_page(explain, address)) {
		finding = finding_add(explain, FINDING_GUARD_PAGE, 80,
				      "0x%" PRIx64 " lies in what is likely a guard page: the "
				      "program ran past the end of its memory", address);
		finding_evidence(explain, finding,
				 "0x%" PRIx64 " bytes from 0x%" PRIx64 " on, next to memory in "
				 "use, allow no access", mapping->size, mapping->base);
	} else if (analysis_fault_kind(explain, &kind) && mapping != NULL && !mapping->free &&
		   kind != ANALYSIS_READ && kind != ANALYSIS_EXECUTE && mapping->readable &&
		   !mapping->writable) {
		finding = finding_add(explain, FINDING_WRITE_PROTECTED, 95,
				      "the program wrote to 0x%" PRIx64 ", which is read-only",
				      address);
		analysis_mapping_evidence(explain, finding, mapping);
	}
}

/*
 * The operand that is not part of the dividend. Returns its name; NULL: unknown. The instruction
 * may use a part of a register: at least the lowest byte, or the second one ("ch").
 */
static const char *
find_divisor(const struct explain *explain, uint64_t *value)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	const size_t length = strlen(at->text);
	const uint64_t part = length > 0 && at->text[length - 1] == 'h' ? 0xff00 : 0xff;

	for (size_t i = 0; i < at->access_count; i++) {
		const struct analysis_access *access = &at->accesses[i];

		if (access->size >= 1 && access->size <= 8 &&
		    memory_read(&explain->memory, access->address, access->size, value, NULL))
			return arena_format(&explain->out->arena, "in memory at %s", access->text);
	}
	for (int reg = 0; at->access_count == 0 && reg < explain->arch->register_count; reg++) {
		const char *name = explain->arch->registers[reg].label;
		const bool dividend = strcmp(name + 1, "ax") == 0 || strcmp(name + 1, "dx") == 0;

		if ((explain->instruction.reads >> reg & 1) == 0 || dividend ||
		    !registers_known(explain->registers, reg))
			continue;
		*value = explain->registers->value[reg];
		if (*value == 0 || (*value & part) != 0)
			return name;
	}
	return NULL;
}

static void
explain_division(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	struct finding *finding;
	uint64_t value;

	if (explain->crash->cause.fault != CRASH_FAULT_DIVISION || !at->divides)
		return;
	const char *divisor = find_divisor(explain, &value);
	finding = finding_add(explain, FINDING_DIVISION, 95, "the instruction divides %s",
			      divisor == NULL ? "integers, by zero or with a result too large"
			      : value == 0    ? "an integer by zero"
			      : "integers, and the result is too large for its register");
	finding_evidence(explain, finding, "'%s' at the crash", at->text);
	if (divisor != NULL)
		finding_evidence(explain, finding, "the divisor %s is %s", divisor,
				 value == 0 ? "0" : "not 0");
}

void
address_explain(struct explain *explain)
{
	struct analysis_instruction *at = &explain->out->instruction;
	uint64_t address;

	if (explain->out->reason == NULL)
		return;
	adjust_non_canonical(explain);
	adjust_to_instruction(explain);
	const bool faulted = analysis_faulted_at(explain, &address);
	for (size_t i = 0; faulted && i < at->access_count; i++) {
		struct analysis_access *access = &at->accesses[i];

		access->faulted |= checked_contains(
			access->address, access->size != 0 ? access->size : 1, address);
	}
	explain_division(explain);
	if (explain->crash->cause.fault != CRASH_FAULT_MEMORY || explain->arch == NULL)
		return;
	for (size_t i = 0; i < at->access_count; i++) {
		if (at->accesses[i].kind == ANALYSIS_EXECUTE && !explain->crash->cause.no_page) {
			explain_jump(explain, at->address);
			return;
		}
	}
	if (!faulted)
		return;
	if (!at->present && at->address == address && explain->crash->mapping_count == 0 &&
	    explain_jump(explain, address))
		return;
	explain_null(explain, address);
	explain_access(explain, address);
	explain_kernel_half(explain, address);
	if (explain->crash->cause.no_page)
		explain_no_page(explain, address);
}
