/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_lift.h"

#define ARCH(id, ...) extern const struct flow_family flow_family_##id;
#include "crash/arch.def"
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

#ifdef HAVE_CAPSTONE

bool
flow_lifter_open(struct flow_lifter *lifter, const struct arch *arch, bool big_endian)
{
	static const struct flow_family *const families[ARCH_COUNT] = {
#define ARCH(id, ...) [ARCH_##id] = &flow_family_##id,
#include "crash/arch.def"
#undef ARCH
	};
	const struct flow_family *family = families[arch->id];
	cs_mode mode = family->mode;

	*lifter = (struct flow_lifter){ .arch = arch, .family = family, .big_endian = big_endian };
	if (!family->known)
		return false;
	if (family->big_endian && big_endian)
		mode |= CS_MODE_BIG_ENDIAN;
	if (cs_open(family->arch, mode, &lifter->handle) != CS_ERR_OK)
		return false;
	cs_option(lifter->handle, CS_OPT_DETAIL, CS_OPT_ON);
	lifter->insn = cs_malloc(lifter->handle);
	if (lifter->insn == NULL)
		cs_close(&lifter->handle);
	return lifter->insn != NULL;
}

void
flow_lifter_close(struct flow_lifter *lifter)
{
	cs_free(lifter->insn, 1);
	cs_close(&lifter->handle);
}

bool
flow_lift(struct flow_lifter *lifter, const uint8_t *bytes, size_t count, uint32_t address,
	uint64_t linked, struct flow_instruction *out)
{
	const struct flow_family *family = lifter->family;
	const uint8_t *code = bytes;
	size_t left = count < FLOW_WINDOW ? count : FLOW_WINDOW;

	*out = (struct flow_instruction){ .address = address, .jumps = ARCH_NO_REGISTER };
	lifter->out = out;
	lifter->count = 0;
	if (cs_disasm_iter(lifter->handle, &code, &left, &linked, lifter->insn)) {
		out->length = (uint8_t)lifter->insn->size;
		if (!family->lift(lifter))
			return false;
	} else {
		out->length =
			(uint8_t)(family->length != NULL ? family->length(lifter, bytes, count)
							 : 0);
	}
	out->operation_count = (uint8_t)lifter->count;
	return out->length != 0;
}

#else

bool
flow_lifter_open(struct flow_lifter *lifter, const struct arch *arch, bool big_endian)
{
	(void)lifter, (void)arch, (void)big_endian;
	return false;
}

void
flow_lifter_close(struct flow_lifter *lifter)
{
	(void)lifter;
}

bool
flow_lift(struct flow_lifter *lifter, const uint8_t *bytes, size_t count, uint32_t address,
	uint64_t linked, struct flow_instruction *out)
{
	(void)lifter, (void)bytes, (void)count, (void)address, (void)linked, (void)out;
	return false;
}

#endif

/* Code of these is not run. */
const struct flow_family flow_family_ARM64 = { .known = false };
const struct flow_family flow_family_ARM = { .known = false };
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
