/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/dwarf_codes.h"
#include "frame_table/landing_pads.h"

#include "tests/lib/tap.h"
#include "tests/unit/frame_table/made.h"

/* A function's entry in .eh_frame with its LSDA, written by hand (LSB 5.0, 10.6; Itanium C++ ABI,
 * Exception Handling Tables): the landing pads of its calls. */
#define FRAMES UINT64_C(0x2000)
#define HANDLERS UINT64_C(0x3000)
#define FUNCTION UINT64_C(0x1000)
#define SIZE 0x40u

/* An entry whose calls from 0x1010 on have 16 bytes of arguments; `*offset` gets its place. */
static struct made
make_frames(uint64_t handlers, uint64_t *offset)
{
	static const uint8_t cie[] = {
		1, 'z', 'L', 'R', 0, 1, 0x78, 16, 2, DW_EH_PE_pcrel | 0x0b /* DW_EH_PE_sdata4 */,
		DW_EH_PE_pcrel | 0x0b /* DW_EH_PE_sdata4 */, DW_CFA_def_cfa, 7, 8,
		DW_CFA_offset | 16, 1, 0, 0,
	};
	static const uint8_t code[] = { DW_CFA_advance_loc | 0x10, DW_CFA_GNU_args_size, 16 };
	struct made made = { .size = 0 };

	put32(&made, 4 + sizeof(cie));
	put32(&made, 0);
	put(&made, cie, sizeof(cie));
	*offset = made.size;
	put32(&made, (uint32_t)(17 + sizeof(code)));
	put32(&made, (uint32_t)made.size);
	put32(&made, (uint32_t)(FUNCTION - (FRAMES + made.size)));
	put32(&made, SIZE);
	put(&made, "\4", 1);
	put32(&made, handlers == 0 ? 0 : (uint32_t)(handlers - (FRAMES + made.size)));
	put(&made, code, sizeof(code));
	return made;
}

/* Pads of the addresses 0x1000 to 0x1040 as "5-9:20 10-17:30,16", relative to the function. */
static const char *
pads_of(const uint8_t *handlers, size_t size, uint64_t address)
{
	static char text[200];
	uint64_t offset, pad = 0, dropped = 0;
	struct made frames = make_frames(address, &offset);
	struct binary_section sections[] = {
		{ .name = ".eh_frame", .address = FRAMES, .size = frames.size, .data = frames.bytes },
		{ .name = ".gcc_except_table", .address = HANDLERS, .size = size, .data = handlers },
	};
	const struct binary binary = { .word_size = 8, .sections = sections, .section_count = ARRAY_COUNT(sections) };
	struct landing_pads pads;
	size_t used = 0;

	text[0] = '\0';
	landing_pads_read(&pads, &binary, offset);
	for (unsigned at = 0, end; at < SIZE; at = end) {
		uint64_t next = 0, drop = 0;
		end = at + 1;
		if (!landing_pads_find(&pads, FUNCTION + at, &pad, &dropped))
			continue;
		while (end < SIZE && landing_pads_find(&pads, FUNCTION + end, &next, &drop) && next == pad && drop == dropped)
			end++;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%x-%x:%llx",
					 used > 0 ? " " : "", at, end - 1, (unsigned long long)(pad - FUNCTION));
		if (dropped != 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, ",%llu", (unsigned long long)dropped);
	}
	landing_pads_free(&pads);
	return text;
}

int
main(void)
{
	/* Calls: 0 to 3 without a pad, 4 to 8 at 20, 9 to b without, 10 to 17 at 30. */
	static const uint8_t plain[] = { DW_EH_PE_omit, DW_EH_PE_omit, DW_EH_PE_uleb128, 16,
					 0, 4, 0, 0, 4, 5, 0x20, 1, 9, 3, 0, 0, 0x10, 8, 0x30, 0 };
	/* Types at some distance, and numbers of a fixed size. */
	static const uint8_t wide[] = { DW_EH_PE_omit, DW_EH_PE_udata4, 0x80, 1, DW_EH_PE_udata4,
					13, 4, 0, 0, 0, 5, 0, 0, 0, 0x20, 0, 0, 0, 0 };
	/* Pads in a cold part, which count from 0x6000. */
	static const uint8_t cold[] = { DW_EH_PE_udata4, 0, 0x60, 0, 0, DW_EH_PE_omit, DW_EH_PE_uleb128, 4, 4, 5, 1, 0 };
	static const uint8_t far[] = { DW_EH_PE_omit, DW_EH_PE_omit, DW_EH_PE_uleb128, 8, 0x40, 4, 0x20, 0, 4, 5, 0x20, 0 };
	static const uint8_t indirect[] = { DW_EH_PE_indirect | DW_EH_PE_udata4, 0, 0x60, 0, 0,
					    DW_EH_PE_omit, DW_EH_PE_uleb128, 4, 4, 5, 1, 0 };

	is_str(pads_of(plain, sizeof(plain), HANDLERS), "4-8:20 10-17:30,16", "calls have pads, less the bytes of their arguments");
	is_str(pads_of(plain, sizeof(plain), 0), "", "an entry without handlers has no pads");
	is_str(pads_of(plain, sizeof(plain), HANDLERS + 0x1000), "", "handlers that are in no section have no pads");
	is_str(pads_of(wide, sizeof(wide), HANDLERS), "4-8:20", "numbers of four bytes are read");
	is_str(pads_of(cold, sizeof(cold), HANDLERS), "4-8:5001", "pads that count from another address are read");
	is_str(pads_of(far, sizeof(far), HANDLERS), "", "calls after the function end the table");
	is_str(pads_of(indirect, sizeof(indirect), HANDLERS), "", "an indirect start of pads is refused");
	is_str(pads_of(plain, sizeof(plain) - 1, HANDLERS), "", "a table that is longer than its section is refused");
	for (size_t size = 0; size < sizeof(wide); size++)
		pads_of(wide, size, HANDLERS);
	ok(true, "handlers that end anywhere are read no further");
	return done_testing();
}
