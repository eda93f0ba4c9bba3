/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_INSTRUCTION_INTERNAL_H
#define CODE_INSTRUCTION_INTERNAL_H

#include <capstone/capstone.h>

#include "code/instruction.h"

/** Architectures with the same mnemonics. */
enum instruction_family {
	FAMILY_NONE,
	FAMILY_X86,
	FAMILY_ARM,
	FAMILY_ARM64,
	FAMILY_MIPS,
	FAMILY_PPC,
	FAMILY_SPARC,
	FAMILY_RISCV,
};

/** One instruction as capstone has it, while it is being taken apart. */
struct decoder {
	csh handle;
	const cs_insn *insn;
	const char *name;		/* the mnemonic without prefixes and conditions */
	enum instruction_family family;
	const struct arch *arch;
	bool thumb;
	unsigned memory_size;		/* of the mnemonic's row; 0: the operands say */
	bool reads_memory, writes_memory;	/* of the mnemonic's row */
	struct instruction *instruction;
};

/** What the mnemonic says: kinds into the instruction, the rest into the decoder. */
void
mnemonic_apply(struct decoder *decoder);

/** The operands: accesses, and where a call or jump leads. */
void
operands_apply(struct decoder *decoder);

/** The number of one of capstone's registers in the architecture's table, or ARCH_NO_REGISTER. */
int
decoder_register(const struct decoder *decoder, unsigned reg);

#endif
