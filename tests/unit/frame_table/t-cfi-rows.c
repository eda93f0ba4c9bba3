/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfi_rows.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/lib/tap.h"
#include "tests/unit/frame_table/made.h"

/*
 * A CIE and an FDE of amd64 written by hand (LSB 5.0, 10.6; DWARF 5, 6.4.2): what their rows are,
 * and what comes of instructions that cannot be.
 */
#define ADDRESS UINT64_C(0x2000)	/* of the section */
#define FUNCTION UINT64_C(0x1000)
#define SIZE 0x40u

#define INITIAL 6u		/* bytes of the CIE's instructions */

/* A section of one function with these instructions, and those of its CIE. */
static struct made
make_with(const uint8_t initial[INITIAL], const uint8_t *code, size_t size)
{
	static const uint8_t cie[] = {
		1, 'z', 'R', 0, 1, 0x78, 16, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4,
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

/* The rows as "1000 r7+8 ra-8": where each begins, the CFA, and offsets of saved registers. */
static const char *
rows_of(const struct made *made)
{
	static char text[600];
	static struct cfi_cursor cursor;
	const struct reader reader = { .data = made->bytes, .size = made->size };
	struct cfi_table table;
	struct cfi_row row;
	size_t used = 0;

	text[0] = '\0';
	cfi_table_read(&table, &reader, ADDRESS, true, 8);
	cfi_cursor_begin(&cursor, &table, 0);
	while (used < sizeof(text) && cfi_cursor_next(&cursor, &row)) {
		const struct cfi_rule *cfa = &row.rules[CFI_CFA];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx",
					 (unsigned long long)row.first);
		if (row.problem != NULL) {
			used += (size_t)snprintf(text + used, sizeof(text) - used, " broken\n");
			continue;
		}
		if (cfa->kind == CFI_REGISTER)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " r%u%+lld",
						 cfa->reg, (long long)cfa->value);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, " exp");
		for (unsigned i = 0; i <= CFI_RETURN_ADDRESS; i++)
			if (row.rules[i].kind == CFI_OFFSET && i == CFI_RETURN_ADDRESS)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 " ra%+lld", (long long)row.rules[i].value);
			else if (row.rules[i].kind == CFI_OFFSET)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 " %u:%+lld", i,
							 (long long)row.rules[i].value);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	cfi_table_free(&table);
	return text;
}

#define ROWS(...) \
	rows_of(&(struct made[]){ make((const uint8_t[]){ __VA_ARGS__ }, \
				       sizeof((const uint8_t[]){ __VA_ARGS__ })) }[0])

static void
test_rows(void)
{
	is_str(ROWS(DW_CFA_nop), "1000 r7+8 ra-8\n", "without instructions the CIE's row holds");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		    DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6),
	       "1000 r7+8 ra-8\n1001 r7+16 6:-16 ra-8\n1004 r6+16 6:-16 ra-8\n",
	       "each advance begins a row");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 3, 2,
		    DW_CFA_advance_loc1, 4, DW_CFA_remember_state, DW_CFA_def_cfa_offset, 8,
		    DW_CFA_restore | 3, DW_CFA_advance_loc2, 1, 0, DW_CFA_restore_state),
	       "1000 r7+8 ra-8\n1001 r7+16 3:-16 ra-8\n1005 r7+8 ra-8\n1006 r7+16 3:-16 ra-8\n",
	       "a remembered state has the CFA, too");
	is_str(ROWS(DW_CFA_advance_loc | 0, DW_CFA_def_cfa_offset, 24), "1000 r7+24 ra-8\n",
	       "an advance by nothing makes no row");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_expression, 2, DW_OP_breg6, 0,
		    DW_CFA_advance_loc | 1, DW_CFA_def_cfa_register, 3),
	       "1000 r7+8 ra-8\n1001 exp ra-8\n1002 r3+8 ra-8\n",
	       "behind an expression the offset before it counts");
	is_str(ROWS(DW_CFA_offset_extended, ARCH_REGISTERS, 4, DW_CFA_restore_extended, 48),
	       "1000 r7+8 ra-8\n", "a register above all of the table is not the return address");
	is_str(ROWS(DW_CFA_advance_loc | 0x3f, DW_CFA_advance_loc | 0x3f, DW_CFA_def_cfa_offset,
		    16),
	       "1000 r7+8 ra-8\n103f r7+8 ra-8\n", "nothing holds behind the function's end");
}

static void
test_broken(void)
{
	is_str(ROWS(DW_CFA_advance_loc | 1, 0x3b), "1000 r7+8 ra-8\n1001 broken\n",
	       "an unknown instruction breaks the rest");
	is_str(ROWS(DW_CFA_restore_state), "1000 broken\n", "so does a state that was never kept");
	is_str(ROWS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa, 0x80),
	       "1000 r7+8 ra-8\n1001 broken\n", "and an operand without its end");
	static const uint8_t initials[][INITIAL] = {
		{ DW_CFA_def_cfa, 7, 8, DW_CFA_advance_loc | 1 },
		{ DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 3 },
		{ DW_CFA_def_cfa_offset, 8 },
		{ DW_CFA_def_cfa_register, 7 },
	};
	for (size_t i = 0; i < ARRAY_COUNT(initials); i++) {
		const struct made made = make_with(initials[i], (const uint8_t[]){ 0 }, 1);

		is_str(rows_of(&made), "1000 broken\n",
		       "a CIE has no addresses, nothing to restore, and no half of a CFA: %zu", i);
	}
	for (size_t size = 0; size < 60; size++) {
		static const uint8_t code[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
						DW_CFA_offset | 6, 2 };
		struct made made = make(code, sizeof(code));

		made.size = size < made.size ? size : made.size;
		rows_of(&made);
		made = make(code, sizeof(code));
		made.bytes[size % made.size] ^= 0xff;
		rows_of(&made);
	}
	ok(true, "cut and damaged sections do no harm");
}

int
main(void)
{
	test_rows();
	test_broken();
	return done_testing();
}
