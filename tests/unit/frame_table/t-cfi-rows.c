/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/dwarf_codes.h"
#include "frame_table/cfi_rows.h"

#include "tests/lib/tap.h"
#include "tests/unit/frame_table/made.h"

/* A CIE and an FDE of amd64 written by hand (LSB 5.0, 10.6; DWARF 5, 6.4.2): their rows, and the result of invalid instructions. */
#define ADDRESS UINT64_C(0x2000)	/* the section's address */
#define FUNCTION UINT64_C(0x1000)
#define SIZE 0x40u

#define INITIAL 6u		/* size of the CIE's instructions */

/* A section of one function with these instructions, and these initial ones in its CIE. */
static struct made
make_with(const uint8_t initial[INITIAL], const uint8_t *code, size_t size)
{
	static const uint8_t cie[] = {
		1, 'z', 'R', 0, 1, 0x78, 16, 1, DW_EH_PE_pcrel | 0x0b /* DW_EH_PE_sdata4 */,
	};
	struct made made = { .size = 0 };

	put32(&made, 4 + sizeof(cie) + INITIAL);
	put32(&made, 0);
	put(&made, cie, sizeof(cie));
	put(&made, initial, INITIAL);
	put32(&made, (uint32_t)(13 + size));
	put32(&made, (uint32_t)made.size);
	put32(&made, (uint32_t)(FUNCTION - (ADDRESS + made.size)));
	put32(&made, SIZE);
	put(&made, "", 1);
	put(&made, code, size);
	return made;
}

static struct made
make(const uint8_t *code, size_t size)
{
	static const uint8_t initial[INITIAL] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, 0 };

	return make_with(initial, code, size);
}

/* The rows as "1000 rsp+8 ra=c-8": the address, the CFA and the rules of registers. An expression is written as its sum. */
static const char *
rows_with(const struct made *made, enum arch_id id)
{
	const struct arch *arch = arch_by_id(id);
	static char text[600];
	static struct cfi_cursor cursor;
	const struct reader reader = { .data = made->bytes, .size = made->size };
	struct cfi_table table;
	struct cfi_row row;
	size_t used = 0;
	char word[40];

	text[0] = '\0';
	cfi_table_init(&table, arch, &reader, ADDRESS, true, arch->word_size);
	cfi_table_list(&table);
	cfi_cursor_begin(&cursor, &table, 0);
	while (used < sizeof(text) && cfi_cursor_next(&cursor, &row)) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx%s", (unsigned long long)row.first,
					 row.problem != NULL ? " broken" : "");
		for (unsigned i = 0; row.problem == NULL && i < claim_columns(arch); i++) {
			bool pc = false;
			const struct claim claim = row.claims[i].kind != CLAIM_EXPRESSION ? row.claims[i]
				: cfi_expression_claim(&table, i, &row.claims[i], row.first, &pc);
			if (claim.kind == CLAIM_SILENT)
				continue;
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s%s",
				i == CLAIM_CFA		    ? "" : i == CLAIM_RETURN_ADDRESS ? "ra=" : "",
				i < CLAIM_REGISTER ? "" : arch->registers[i - CLAIM_REGISTER].label);
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i < CLAIM_REGISTER ? "" : "=",
						 claim_format(arch, i, &claim, word, sizeof(word)));
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	cfi_table_free(&table);
	return text;
}

static const char *
rows_of(const struct made *made)
{
	return rows_with(made, ARCH_AMD64);
}

#define ROWS(...) \
	rows_of(&(struct made[]){ make((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })) }[0])

TEST(rows)
{
	is_str(ROWS(DW_CFA_nop), "1000 rsp+8 ra=c-8\n", "the CIE's row holds without instructions");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		    DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6),
	       "1000 rsp+8 ra=c-8\n1001 rsp+16 ra=c-8 rbp=c-16\n1004 rbp+16 ra=c-8 rbp=c-16\n", "each advance begins a row");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 3, 2,
		    DW_CFA_advance_loc1, 4, DW_CFA_remember_state, DW_CFA_def_cfa_offset, 8,
		    DW_CFA_restore | 3, DW_CFA_advance_loc2, 1, 0, DW_CFA_restore_state),
	       "1000 rsp+8 ra=c-8\n1001 rsp+16 ra=c-8 rbx=c-16\n1005 rsp+8 ra=c-8\n1006 rsp+16 ra=c-8 rbx=c-16\n",
	       "a remembered state has the CFA");
	is_str(ROWS(DW_CFA_advance_loc | 0, DW_CFA_def_cfa_offset, 24), "1000 rsp+24 ra=c-8\n", "an advance by 0 makes no row");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_expression, 2, 0x76 /* DW_OP_breg6 */, 0,
		    DW_CFA_advance_loc | 1, DW_CFA_def_cfa_register, 3),
	       "1000 rsp+8 ra=c-8\n1001 rbp+0 ra=c-8\n1002 rbx+8 ra=c-8\n", "the offset before an expression is used after it");
	/* DW_OP_drop and DW_OP_lit31: only a register's expression begins with a value to drop. */
	is_str(ROWS(DW_CFA_val_expression, 3, 2, 0x13, 0x4f, DW_CFA_def_cfa_expression, 2, 0x13, 0x4f),
	       "1000 exp ra=c-8 rbx=31\n", "the CFA is no operand of its own expression");
	is_str(ROWS(DW_CFA_offset_extended, ARCH_REGISTERS, 4, DW_CFA_restore_extended, 48), "1000 rsp+8 ra=c-8\n",
	       "a register above all of the table is not the return address");
	is_str(ROWS(DW_CFA_advance_loc | 0x3f, DW_CFA_advance_loc | 0x3f, DW_CFA_def_cfa_offset,
		    16), "1000 rsp+8 ra=c-8\n103f rsp+8 ra=c-8\n", "no row reaches beyond the function's end");
}

TEST(broken)
{
	is_str(ROWS(DW_CFA_advance_loc | 1, 0x3b), "1000 rsp+8 ra=c-8\n1001 broken\n", "an unknown instruction breaks the rest");
	is_str(ROWS(DW_CFA_restore_state), "1000 broken\n", "a state that was never kept breaks the rest");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa, 0x80),
	       "1000 rsp+8 ra=c-8\n1001 broken\n", "an operand without its end breaks the rest");
	static const uint8_t initials[][INITIAL] = {
		{ DW_CFA_def_cfa, 7, 8, DW_CFA_advance_loc | 1 },
		{ DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 3 }, { DW_CFA_def_cfa_offset, 8 },
	};
	for (size_t i = 0; i < ARRAY_COUNT(initials); i++) {
		const struct made made = make_with(initials[i], (const uint8_t[]){ 0 }, 1);
		is_str(rows_of(&made), "1000 broken\n", "a CIE with an address, a restore or half of a CFA is broken: %zu", i);
	}
	for (size_t size = 0; size < 60; size++) {
		static const uint8_t code[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2 };
		struct made made = make(code, sizeof(code));

		made.size = size < made.size ? size : made.size;
		rows_of(&made);
		made = make(code, sizeof(code));
		made.bytes[size % made.size] ^= 0xff;
		rows_of(&made);
	}
	ok(true, "cut and damaged sections do no harm");
}

/* By hand from the psABI supplements: output of GNU's assembler and LLVM for other processors. */
static const struct {
	const char *title;
	enum arch_id arch;
	uint8_t column;
	uint8_t initial[INITIAL];
	uint8_t code[16];
	size_t size;
	const char *want;
} others[] = {
	{ "RISC-V: a CIE that names the register of the CFA alone has offset 0", ARCH_RISCV64, 1, { DW_CFA_def_cfa_register, 2 },
	  { DW_CFA_advance_loc | 2, DW_CFA_def_cfa_offset, 64, DW_CFA_advance_loc | 6, DW_CFA_offset | 1, 1, DW_CFA_offset | 8, 2 },
	  8, "1000 sp+0 ra=ra\n1002 sp+64 ra=ra\n1008 sp+64 ra=c-8 s0=c-16\n" },
	{ "MIPS: register 31 has the return address", ARCH_MIPS64, 31, { DW_CFA_def_cfa, 29, 0 }, { DW_CFA_MIPS_advance_loc8,
	  4, 0, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 31, 1 }, 13, "1000 sp+0 ra=ra\n1004 sp+32 ra=c-8\n" },
	{ "PowerPC: register 65 has the return address", ARCH_PPC64, 65, { DW_CFA_def_cfa, 1, 0 },
	  { DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32, DW_CFA_offset_extended_sf, 65, 0x7e,
	    DW_CFA_offset | 31, 1 }, 8, "1000 r1+0 ra=lr\n1004 r1+32 ra=c+16 r31=c-8\n" },
	{ "s390x: the CFA lies 160 bytes above the stack pointer", ARCH_S390X, 14, { DW_CFA_def_cfa, 15, 0xa0, 1 }, { DW_CFA_advance_loc |
	  6, DW_CFA_offset | 14, 6, DW_CFA_register, 6, 20 }, 6, "1000 sp+160 ra=r14 sp=v-160\n1006 sp+160 ra=c-48 r6=f1 sp=v-160\n" },
	{ "AArch64: the signature of a return address with the pc leaves the value",
	  ARCH_ARM64, 30, { DW_CFA_def_cfa, 31, 0 }, { DW_CFA_advance_loc | 4, 0x2c, DW_CFA_advance_loc | 4, DW_CFA_offset | 30, 1 },
	  5, "1000 sp+0 ra=lr\n1004 sp+0 ra=lr\n1008 sp+0 ra=c-8\n" },
};

TEST_EACH(others, others)
{
	struct made made = make_with(others[i].initial, others[i].code, others[i].size);

	/* The column comes after length, id, version, "zR" and both factors. */
	made.bytes[14] = others[i].column;
	is_str(rows_with(&made, others[i].arch), others[i].want, "%s", others[i].title);
}

/* The CFA that an expression of amd64 gives, which follows its length. */
static const char *
expression_at(const uint8_t *bytes, size_t size, uint64_t pc, bool *uses_pc)
{
	static char text[40];
	const struct reader reader = { .data = bytes, .size = size };
	const struct claim claim = { .kind = CLAIM_EXPRESSION, .base = CFI_BLOCK };
	const struct arch *amd64 = arch_by_id(ARCH_AMD64);
	struct cfi_table table;

	*uses_pc = false;
	cfi_table_init(&table, amd64, &reader, 0, true, 8);
	const struct claim sum = cfi_expression_claim(&table, CLAIM_CFA, &claim, pc, uses_pc);
	return claim_format(amd64, CLAIM_CFA, &sum, text, sizeof(text));
}

TEST(expression)
{
	static const uint8_t read[] = { 3, 0x76, 0x78, 0x06 };	/* breg6 -8; deref */
	bool uses_pc;

	is_str(expression_at(read, sizeof(read), 0, &uses_pc), "[rbp-8]", "a claim leads to its expression");
	ok(!uses_pc, "the expression of the claim does not use the pc");
	is_str(expression_at(read, sizeof(read) - 1, 0, &uses_pc), "exp", "an expression that is longer than its section is not read");
}
