/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_lift.h"

#include "code/capstone_library.h"

/* This list defines the families without a decoder. Their code is not executed. */
#define ARCH(id) extern const struct flow_family flow_family_##id;
#include "crash/arch_id.def"
#undef ARCH
const struct flow_family flow_family_MIPS, flow_family_MIPS64, flow_family_PPC, flow_family_PPC64,
	flow_family_SPARC, flow_family_SPARC32, flow_family_RISCV, flow_family_RISCV64,
	flow_family_S390X, flow_family_UNKNOWN;

void
flow_add_memory(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src,
	unsigned size, int64_t value)
{
	if (lifter->count < FLOW_OPERATIONS)
		lifter->operations[lifter->count++] = (struct flow_operation){ (uint8_t)kind,
			(int8_t)dst, (int8_t)src, 0, (uint16_t)size, value };
}

void
flow_add_entry(struct flow_lifter *lifter, int dst, int table, int number, unsigned size,
	int64_t value)
{
	flow_add_memory(lifter, FLOW_LOAD_ENTRY, dst, table, size, value);
	lifter->operations[lifter->count - 1].other = (int8_t)number;
}

void
flow_add(struct flow_lifter *lifter, enum flow_operation_kind kind, int dst, int src, int64_t value)
{
	flow_add_memory(lifter, kind, dst, src, 0, value);
}

void
flow_lift_transfer(struct flow_lifter *lifter, const struct flow_transfer *transfer)
{
	const int *registers = transfer->registers;
	const bool whole = transfer->size == lifter->arch->word_size;
	const bool pair = transfer->count == 2;
	const bool loads_base = transfer->load && (registers[0] == transfer->base ||
						   (pair && registers[1] == transfer->base));
	int base = transfer->base;

	if (loads_base && pair) {
		flow_add(lifter, FLOW_COPY, flow_scratch(lifter), base, 0);
		base = flow_scratch(lifter);
	}
	for (unsigned i = 0; i < transfer->count; i++) {
		const int64_t at = transfer->at + (int64_t)(i * transfer->size);

		if (!transfer->load)
			flow_add_memory(lifter, FLOW_STORE, base,
				whole ? registers[i] : ARCH_NO_REGISTER, transfer->size, at);
		else if (registers[i] >= 0 && whole)
			flow_add_memory(lifter, FLOW_LOAD, registers[i], base, transfer->size, at);
		else if (registers[i] >= 0)
			flow_add(lifter, FLOW_SET, registers[i], 0, 0);
	}
	if (!loads_base && transfer->moves != 0)
		flow_add(lifter, FLOW_COPY, base, base, transfer->moves);
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
		return family->decode != NULL;
#ifdef HAVE_CAPSTONE
	if (!capstone_open(family->arch, family->mode, &lifter->handle))
		return false;
	capstone()->cs_option(lifter->handle, CS_OPT_DETAIL, CS_OPT_ON);
	lifter->insn = capstone()->cs_malloc(lifter->handle);
	if (lifter->insn == NULL)
		capstone()->cs_close(&lifter->handle);
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
	capstone()->cs_free(lifter->insn, 1);
	capstone()->cs_close(&lifter->handle);
#endif
}

/* Decode with capstone. False with a length set: decoded, but the effect is unknown. */
static bool
lift_by_capstone(struct flow_lifter *lifter, const uint8_t *bytes, size_t count)
{
#ifdef HAVE_CAPSTONE
	const uint8_t *code = bytes;
	size_t left = count < FLOW_WINDOW ? count : FLOW_WINDOW;
	uint64_t linked = lifter->linked;

	if (!uses_capstone(lifter->family) || !capstone_has_memory() ||
		!capstone()->cs_disasm_iter(lifter->handle, &code, &left, &linked, lifter->insn))
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
