/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "code/instruction.h"

#ifdef HAVE_CAPSTONE

#include <fnmatch.h>

#include "base/compiler.h"
#include "code/instruction_internal.h"

#define CALL INSTRUCTION_CALL
#define JUMP INSTRUCTION_JUMP
#define BRANCH (INSTRUCTION_JUMP | INSTRUCTION_CONDITIONAL)
#define RETURN INSTRUCTION_RETURN
#define DIVIDE INSTRUCTION_DIVIDE
#define SUPERVISOR INSTRUCTION_PRIVILEGED
#define PUSH INSTRUCTION_PUSH
#define POP INSTRUCTION_POP
#define TRAP INSTRUCTION_TRAP
#define SYSTEM INSTRUCTION_SYSTEM

/*
 * What instructions are, by the shell pattern that their names match; the first row that fits
 * counts. Memory operands follow for architectures where capstone does not say what happens
 * to them.
 */
static const struct row {
	enum instruction_family family;
	const char *pattern;
	unsigned kinds;
	unsigned size;			/* bytes of the memory operand; 0: not known from here */
	const char *access;		/* "r", "w" or "rw"; NULL: capstone knows */
} rows[] = {
	{ FAMILY_X86, "call", CALL, 0, NULL },
	{ FAMILY_X86, "lcall", CALL, 0, NULL },
	{ FAMILY_X86, "jmp", JUMP, 0, NULL },
	{ FAMILY_X86, "ljmp", JUMP, 0, NULL },
	{ FAMILY_X86, "j*", BRANCH, 0, NULL },
	{ FAMILY_X86, "loop*", BRANCH, 0, NULL },
	{ FAMILY_X86, "ret*", RETURN, 0, NULL },
	{ FAMILY_X86, "iret*", RETURN, 0, NULL },
	{ FAMILY_X86, "push*", PUSH, 0, NULL },
	{ FAMILY_X86, "enter", PUSH, 0, NULL },
	{ FAMILY_X86, "popcnt", 0, 0, NULL },
	{ FAMILY_X86, "pop*", POP, 0, NULL },
	{ FAMILY_X86, "leave", POP, 0, NULL },
	{ FAMILY_X86, "div*", DIVIDE, 0, NULL },
	{ FAMILY_X86, "idiv", DIVIDE, 0, NULL },
	{ FAMILY_X86, "aam", DIVIDE, 0, NULL },
	{ FAMILY_X86, "vdiv*", DIVIDE, 0, NULL },
	{ FAMILY_X86, "fdiv*", DIVIDE, 0, NULL },
	{ FAMILY_X86, "fidiv*", DIVIDE, 0, NULL },
	{ FAMILY_X86, "int[13o]", TRAP, 0, NULL },
	{ FAMILY_X86, "ud[012]*", TRAP, 0, NULL },
	{ FAMILY_X86, "int", SYSTEM, 0, NULL },
	{ FAMILY_X86, "syscall", SYSTEM, 0, NULL },
	{ FAMILY_X86, "sysenter", SYSTEM, 0, NULL },
	{ FAMILY_X86, "cl[it]*", SUPERVISOR, 0, NULL },	/* cli, clts */
	{ FAMILY_X86, "sti", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "hlt", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "in", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "ins[bwd]", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "out", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "outs[bwd]", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "invd", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "invlpg*", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "wbinvd", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "l[gil]dt", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "lmsw", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "ltr", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "rdmsr", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "wrmsr", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "swapgs", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "sysexit*", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "sysret*", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "xsetbv", SUPERVISOR, 0, NULL },
	{ FAMILY_X86, "cmpxchg*", 0, 0, "rw" },

	{ FAMILY_ARM, "bl", CALL, 0, NULL },
	{ FAMILY_ARM, "blx*", CALL, 0, NULL },
	{ FAMILY_ARM, "b", JUMP, 0, NULL },
	{ FAMILY_ARM, "bxj", JUMP, 0, NULL },
	{ FAMILY_ARM, "bx*", JUMP, 0, NULL },
	{ FAMILY_ARM, "cb*z", BRANCH, 0, NULL },
	{ FAMILY_ARM, "tb[bh]", JUMP, 0, NULL },
	{ FAMILY_ARM, "push", PUSH, 0, NULL },
	{ FAMILY_ARM, "pop", POP, 0, NULL },
	{ FAMILY_ARM, "[su]div", DIVIDE, 0, NULL },
	{ FAMILY_ARM, "vdiv*", DIVIDE, 0, NULL },
	{ FAMILY_ARM, "udf", TRAP, 0, NULL },
	{ FAMILY_ARM, "bkpt", TRAP, 0, NULL },
	{ FAMILY_ARM, "trap", TRAP, 0, NULL },
	{ FAMILY_ARM, "svc", SYSTEM, 0, NULL },

	{ FAMILY_ARM64, "bl", CALL, 0, NULL },
	{ FAMILY_ARM64, "blr*", CALL, 0, NULL },
	{ FAMILY_ARM64, "b", JUMP, 0, NULL },
	{ FAMILY_ARM64, "brk", TRAP, 0, NULL },
	{ FAMILY_ARM64, "br*", JUMP, 0, NULL },
	{ FAMILY_ARM64, "[ct]b*z", BRANCH, 0, NULL },
	{ FAMILY_ARM64, "ret*", RETURN, 0, NULL },
	{ FAMILY_ARM64, "[su]div", DIVIDE, 0, NULL },
	{ FAMILY_ARM64, "fdiv", DIVIDE, 0, NULL },
	{ FAMILY_ARM64, "udf", TRAP, 0, NULL },
	{ FAMILY_ARM64, "hlt", TRAP, 0, NULL },
	{ FAMILY_ARM64, "svc", SYSTEM, 0, NULL },

	{ FAMILY_MIPS, "jal*", CALL, 0, NULL },
	{ FAMILY_MIPS, "bal*", CALL, 0, NULL },
	{ FAMILY_MIPS, "b*zal*", CALL, 0, NULL },
	{ FAMILY_MIPS, "j", JUMP, 0, NULL },
	{ FAMILY_MIPS, "jr*", JUMP, 0, NULL },
	{ FAMILY_MIPS, "b", JUMP, 0, NULL },
	{ FAMILY_MIPS, "break", TRAP, 0, NULL },
	{ FAMILY_MIPS, "b[gl][et]*", BRANCH, 0, NULL },
	{ FAMILY_MIPS, "beq*", BRANCH, 0, NULL },
	{ FAMILY_MIPS, "bne*", BRANCH, 0, NULL },
	{ FAMILY_MIPS, "bc1*", BRANCH, 0, NULL },
	{ FAMILY_MIPS, "div*", DIVIDE, 0, NULL },
	{ FAMILY_MIPS, "ddiv*", DIVIDE, 0, NULL },
	{ FAMILY_MIPS, "t[gl][et]*", TRAP, 0, NULL },
	{ FAMILY_MIPS, "teq*", TRAP, 0, NULL },
	{ FAMILY_MIPS, "tne*", TRAP, 0, NULL },
	{ FAMILY_MIPS, "syscall", SYSTEM, 0, NULL },
	{ FAMILY_MIPS, "lb", 0, 1, "r" },
	{ FAMILY_MIPS, "lbu", 0, 1, "r" },
	{ FAMILY_MIPS, "sb", 0, 1, "w" },
	{ FAMILY_MIPS, "lh", 0, 2, "r" },
	{ FAMILY_MIPS, "lhu", 0, 2, "r" },
	{ FAMILY_MIPS, "sh", 0, 2, "w" },
	{ FAMILY_MIPS, "lw*", 0, 4, "r" },
	{ FAMILY_MIPS, "ll", 0, 4, "r" },
	{ FAMILY_MIPS, "sw*", 0, 4, "w" },
	{ FAMILY_MIPS, "sc", 0, 4, "w" },
	{ FAMILY_MIPS, "ld*", 0, 8, "r" },
	{ FAMILY_MIPS, "lld", 0, 8, "r" },
	{ FAMILY_MIPS, "sd*", 0, 8, "w" },
	{ FAMILY_MIPS, "scd", 0, 8, "w" },

	{ FAMILY_PPC, "bl", CALL, 0, NULL },
	{ FAMILY_PPC, "bla", CALL, 0, NULL },
	{ FAMILY_PPC, "bc*l", CALL, 0, NULL },
	{ FAMILY_PPC, "bd*zl", CALL, 0, NULL },
	{ FAMILY_PPC, "b*lrl", CALL, 0, NULL },
	{ FAMILY_PPC, "blr", RETURN, 0, NULL },
	{ FAMILY_PPC, "b", JUMP, 0, NULL },
	{ FAMILY_PPC, "ba", JUMP, 0, NULL },
	{ FAMILY_PPC, "bctr", JUMP, 0, NULL },
	{ FAMILY_PPC, "b[cd]*", BRANCH, 0, NULL },
	{ FAMILY_PPC, "div*", DIVIDE, 0, NULL },
	{ FAMILY_PPC, "fdiv*", DIVIDE, 0, NULL },
	{ FAMILY_PPC, "trap", TRAP, 0, NULL },
	{ FAMILY_PPC, "t[wd]*", TRAP, 0, NULL },
	{ FAMILY_PPC, "sc", SYSTEM, 0, NULL },
	{ FAMILY_PPC, "lbz*", 0, 1, "r" },
	{ FAMILY_PPC, "stb*", 0, 1, "w" },
	{ FAMILY_PPC, "lh*", 0, 2, "r" },
	{ FAMILY_PPC, "sth*", 0, 2, "w" },
	{ FAMILY_PPC, "lw*", 0, 4, "r" },
	{ FAMILY_PPC, "stw*", 0, 4, "w" },
	{ FAMILY_PPC, "lfs*", 0, 4, "r" },
	{ FAMILY_PPC, "stfs*", 0, 4, "w" },
	{ FAMILY_PPC, "ld*", 0, 8, "r" },
	{ FAMILY_PPC, "std*", 0, 8, "w" },
	{ FAMILY_PPC, "lfd*", 0, 8, "r" },
	{ FAMILY_PPC, "stfd*", 0, 8, "w" },
	{ FAMILY_PPC, "lmw", 0, 0, "r" },
	{ FAMILY_PPC, "stmw", 0, 0, "w" },

	{ FAMILY_SPARC, "call", CALL, 0, NULL },
	{ FAMILY_SPARC, "ret*", RETURN, 0, NULL },
	{ FAMILY_SPARC, "jmp*", JUMP, 0, NULL },
	{ FAMILY_SPARC, "b*", BRANCH, 0, NULL },
	{ FAMILY_SPARC, "fb*", BRANCH, 0, NULL },
	{ FAMILY_SPARC, "[su]div*", DIVIDE, 0, NULL },
	{ FAMILY_SPARC, "fdiv*", DIVIDE, 0, NULL },
	{ FAMILY_SPARC, "t", TRAP, 0, NULL },
	{ FAMILY_SPARC, "ta", TRAP, 0, NULL },
	{ FAMILY_SPARC, "unimp", TRAP, 0, NULL },
	{ FAMILY_SPARC, "ldstub*", 0, 1, "rw" },
	{ FAMILY_SPARC, "ld[su]b*", 0, 1, "r" },
	{ FAMILY_SPARC, "stb*", 0, 1, "w" },
	{ FAMILY_SPARC, "ld[su]h*", 0, 2, "r" },
	{ FAMILY_SPARC, "sth*", 0, 2, "w" },
	{ FAMILY_SPARC, "ld[dx]*", 0, 8, "r" },
	{ FAMILY_SPARC, "st[dx]*", 0, 8, "w" },
	{ FAMILY_SPARC, "casx*", 0, 8, "rw" },
	{ FAMILY_SPARC, "ldq*", 0, 16, "r" },
	{ FAMILY_SPARC, "stq*", 0, 16, "w" },
	{ FAMILY_SPARC, "ld*", 0, 4, "r" },
	{ FAMILY_SPARC, "st*", 0, 4, "w" },
	{ FAMILY_SPARC, "swap*", 0, 4, "rw" },
	{ FAMILY_SPARC, "cas*", 0, 4, "rw" },

	{ FAMILY_RISCV, "c.jal*", CALL, 0, NULL },
	{ FAMILY_RISCV, "jal*", CALL, 0, NULL },
	{ FAMILY_RISCV, "ret", RETURN, 0, NULL },
	{ FAMILY_RISCV, "c.jr", JUMP, 0, NULL },
	{ FAMILY_RISCV, "jr", JUMP, 0, NULL },
	{ FAMILY_RISCV, "c.j", JUMP, 0, NULL },
	{ FAMILY_RISCV, "j", JUMP, 0, NULL },
	{ FAMILY_RISCV, "b[egln]*", BRANCH, 0, NULL },
	{ FAMILY_RISCV, "c.b*", BRANCH, 0, NULL },
	{ FAMILY_RISCV, "*ebreak", TRAP, 0, NULL },
	{ FAMILY_RISCV, "*unimp", TRAP, 0, NULL },
	{ FAMILY_RISCV, "ecall", SYSTEM, 0, NULL },
	{ FAMILY_RISCV, "[msu]ret", SUPERVISOR, 0, NULL },
	{ FAMILY_RISCV, "wfi", SUPERVISOR, 0, NULL },
	{ FAMILY_RISCV, "lb", 0, 1, "r" },
	{ FAMILY_RISCV, "lbu", 0, 1, "r" },
	{ FAMILY_RISCV, "sb", 0, 1, "w" },
	{ FAMILY_RISCV, "lh", 0, 2, "r" },
	{ FAMILY_RISCV, "lhu", 0, 2, "r" },
	{ FAMILY_RISCV, "sh", 0, 2, "w" },
	{ FAMILY_RISCV, "lw", 0, 4, "r" },
	{ FAMILY_RISCV, "lwu", 0, 4, "r" },
	{ FAMILY_RISCV, "sw", 0, 4, "w" },
	{ FAMILY_RISCV, "ld", 0, 8, "r" },
	{ FAMILY_RISCV, "sd", 0, 8, "w" },
	{ FAMILY_RISCV, "c.[lf]lw*", 0, 4, "r" },
	{ FAMILY_RISCV, "c.lw*", 0, 4, "r" },
	{ FAMILY_RISCV, "c.sw*", 0, 4, "w" },
	{ FAMILY_RISCV, "c.fsw*", 0, 4, "w" },
	{ FAMILY_RISCV, "c.*ld*", 0, 8, "r" },
	{ FAMILY_RISCV, "c.*sd*", 0, 8, "w" },
	{ FAMILY_RISCV, "flw", 0, 4, "r" },
	{ FAMILY_RISCV, "fsw", 0, 4, "w" },
	{ FAMILY_RISCV, "fld", 0, 8, "r" },
	{ FAMILY_RISCV, "fsd", 0, 8, "w" },
	{ FAMILY_RISCV, "lr.w*", 0, 4, "r" },
	{ FAMILY_RISCV, "lr.d*", 0, 8, "r" },
	{ FAMILY_RISCV, "sc.w*", 0, 4, "w" },
	{ FAMILY_RISCV, "sc.d*", 0, 8, "w" },
	{ FAMILY_RISCV, "amo*.w*", 0, 4, "rw" },
	{ FAMILY_RISCV, "amo*.d*", 0, 8, "rw" },
};

/* What capstone says by itself. On x86 it takes loads of segment registers for privileged. */
static unsigned
kinds_of_groups(const struct decoder *decoder)
{
	static const struct {
		unsigned group, kinds;
	} groups[] = {
		{ CS_GRP_PRIVILEGE, SUPERVISOR },
		{ CS_GRP_CALL, CALL },
		{ CS_GRP_RET, RETURN },
	};
	unsigned kinds = 0;

	for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
		if ((groups[i].group != CS_GRP_PRIVILEGE || decoder->family != FAMILY_X86) &&
		    cs_insn_group(decoder->handle, decoder->insn, groups[i].group))
			kinds |= groups[i].kinds;
	return kinds;
}

void
mnemonic_apply(struct decoder *decoder)
{
	unsigned *kinds = &decoder->instruction->kinds;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].family != decoder->family ||
		    fnmatch(rows[i].pattern, decoder->name, 0) != 0)
			continue;
		*kinds = rows[i].kinds;
		decoder->memory_size = rows[i].size;
		decoder->reads_memory = rows[i].access != NULL && rows[i].access[0] == 'r';
		decoder->writes_memory = rows[i].access != NULL && (rows[i].access[0] == 'w' ||
								    rows[i].access[1] == 'w');
		break;
	}
	if ((*kinds & (CALL | JUMP | RETURN | SYSTEM | TRAP)) == 0)
		*kinds |= kinds_of_groups(decoder);
}

#endif
