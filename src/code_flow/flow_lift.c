/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_lift.h"

#include "code/capstone_library.h"

#define ARCH(id) extern const struct flow_family flow_family_##id;
#include "crash/arch_id.def"
#undef ARCH

void
flow_add_memory(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src,
	int other, unsigned size, int64_t value)
{
	if (lifter->count < FLOW_OPERATIONS)
		lifter->operations[lifter->count++] = (struct flow_operation){ (uint8_t)kind,
			(int8_t)dst, (int8_t)src, (int8_t)other, (uint16_t)size, value };
}

void
flow_add(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src, int64_t value)
{
	flow_add_memory(lifter, kind, dst, src, 0, 0, value);
}

void
flow_forget_flags(struct flow_lifter *lifter)
{
	flow_add(lifter, FLOW_COMPARE, ARCH_NO_REGISTER, ARCH_NO_REGISTER, 0);
}

const uint8_t flow_arm_conditions[16] = {
	[1] = FLOW_NOT_EQUAL, [2] = FLOW_NOT_BELOW, [3] = FLOW_BELOW, [8] = FLOW_ABOVE,
	[9] = FLOW_NOT_ABOVE,
};

static bool
uses_capstone(const struct flow_family *family)
{
#ifdef HAVE_CAPSTONE
	return family->lift != NULL;
#else
	(void)family;
	return false;
#endif
}

bool
flow_lifter_open(struct flow_lifter *lifter, const struct arch *arch, bool big_endian)
{
	static const struct flow_family *const families[ARCH_COUNT] = {
#define ARCH(id) [ARCH_##id] = &flow_family_##id,
#include "crash/arch_id.def"
#undef ARCH
	};
	const struct flow_family *family = families[arch->id];

	*lifter = (struct flow_lifter){ .arch = arch, .family = family, .big_endian = big_endian };
	if (!uses_capstone(family))
		return family->known;
#ifdef HAVE_CAPSTONE
	if (!capstone_open(family->arch, family->mode, &lifter->handle))
		return false;
	capstone()->option(lifter->handle, CS_OPT_DETAIL, CS_OPT_ON);
	lifter->insn = capstone()->malloc(lifter->handle);
	if (lifter->insn == NULL)
		capstone()->close(&lifter->handle);
	return lifter->insn != NULL;
#else
	return false;
#endif
}

void
flow_lifter_close(struct flow_lifter *lifter)
{
	if (!uses_capstone(lifter->family))
		return;
#ifdef HAVE_CAPSTONE
	capstone()->free(lifter->insn, 1);
	capstone()->close(&lifter->handle);
#endif
}

/* Whether capstone decodes the instruction; false with a length: its effect is unknown. */
static bool
lift_by_capstone(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
#ifdef HAVE_CAPSTONE
	const uint8_t *code = bytes;
	size_t left = count < FLOW_WINDOW ? count : FLOW_WINDOW;
	uint64_t linked = lifter->linked;

	if (!uses_capstone(lifter->family) || !capstone_has_memory() ||
		!capstone()->disasm_iter(lifter->handle, &code, &left, &linked, lifter->insn))
		return false;
	lifter->out->length = (uint8_t)lifter->insn->size;
	return lifter->family->lift(lifter);
#else
	(void)lifter, (void)bytes, (void)count;
	return false;
#endif
}

bool
flow_lift(struct flow_lifter *lifter, const uint8_t *bytes, size_t count, uint32_t address,
	uint64_t linked, struct flow_instruction *out)
{
	const struct flow_family *family = lifter->family;

	*out = (struct flow_instruction){ .address = address, .jumps = ARCH_NO_REGISTER };
	lifter->out = out;
	lifter->linked = linked;
	lifter->count = 0;
	if (!lift_by_capstone(lifter, bytes, count)) {
		if (out->length != 0 || family->decode == NULL)
			return false;
		out->length = (uint8_t)family->decode(lifter, bytes, count);
	}
	out->operation_count = (uint8_t)lifter->count;
	return out->length != 0;
}

/* Code of these is not run. */
const struct flow_family flow_family_MIPS = { .known = false };
const struct flow_family flow_family_MIPS64 = { .known = false };
const struct flow_family flow_family_PPC = { .known = false };
const struct flow_family flow_family_PPC64 = { .known = false };
const struct flow_family flow_family_SPARC = { .known = false };
const struct flow_family flow_family_SPARC32 = { .known = false };
const struct flow_family flow_family_RISCV = { .known = false };
const struct flow_family flow_family_RISCV64 = { .known = false };
const struct flow_family flow_family_S390X = { .known = false };
const struct flow_family flow_family_UNKNOWN = { .known = false };
