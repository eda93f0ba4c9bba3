/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb.h"

#include "tests/lib/tap.h"

/* An image of 0x100 bytes at 0x1000 that was stretched by hand: 0x20 bytes were inserted before 0x1040. */
static struct pdb_omap_entry to_linked[] = {
	{ 0x1000, 0x1000 }, { 0x1010, 0x80000000 }, { 0x1030, 0x1010 }, { 0x1060, 0x80000000 },
	{ 0x1070, 0x1050 }, { 0x1074, 0x80000000 }, { 0x2000, 0x1054 }, { 0x20ac, 0x80000000 },
};
static struct pdb_omap_entry to_moved[] = {
	{ 0x1000, 0x1000 }, { 0x1010, 0x1030 }, { 0x1040, 0 }, { 0x1050, 0x1070 }, { 0x1054, 0x2000 }, { 0x1100, 0x80000000 },
};
static struct pdb_section section = { 0x1000, 0x100, true };

/* Map a range and compare the result with pairs of address and size. */
static void
check(const struct pdb_mapping *mapping, uint32_t address, uint32_t size, size_t count,
      const uint32_t (*want)[2], const char *title)
{
	struct arena arena = { 0 };
	struct pdb_range *ranges;
	size_t got = 0;
	bool same = pdb_map_range(mapping, (struct pdb_range){ address, size }, &arena, &ranges, &got);

	is_u64(got, count, "%s: the number of ranges is right", title);
	for (size_t i = 0; i < got && i < count; i++) {
		same = same && ranges[i].address == want[i][0] && ranges[i].size == want[i][1];
		tap_diag("%x +%x", ranges[i].address, ranges[i].size);
	}
	ok(same, "%s: the ranges are those computed by hand", title);
	arena_free(&arena);
}

int
main(void)
{
	struct pdb pdb = { .sections = &section, .section_count = 1, .to = { to_linked, ARRAY_COUNT(to_linked) },
			   .from = { to_moved, ARRAY_COUNT(to_moved) } };
	struct pdb_mapping mapping, plain;
	struct arena arena = { 0 };
	uint32_t address;

	ok(pdb_mapping_build(&mapping, &pdb, &arena), "a mapping is built from OMAP entries");
	check(&mapping, 0x1000, 0x10, 1, (const uint32_t[][2]){ { 0x1000, 0x10 } }, "a range that stayed");
	check(&mapping, 0x1018, 0x20, 1, (const uint32_t[][2]){ { 0x1038, 0x20 } }, "a range that was moved");
	check(&mapping, 0x1000, 0x40, 1, (const uint32_t[][2]){ { 0x1000, 0x60 } },
	      "bytes that were put in between belong to the range");
	check(&mapping, 0x1000, 0x18, 2, (const uint32_t[][2]){ { 0x1000, 0x10 }, { 0x1030, 8 } },
	      "but not where fewer than they are follow");
	check(&mapping, 0x1050, 0x20, 2, (const uint32_t[][2]){ { 0x1070, 4 }, { 0x2000, 0x1c } }, "a range that was torn");
	check(&mapping, 0x1044, 4, 0, NULL, "a range that is gone");
	check(&mapping, 0x103f, 2, 1, (const uint32_t[][2]){ { 0x105f, 1 } }, "a range with a part that is gone");
	check(&mapping, 0x800, 0x10, 1, (const uint32_t[][2]){ { 0x800, 0x10 } }, "the headers stay");
	check(&mapping, 0xff8, 0x10, 1, (const uint32_t[][2]){ { 0xff8, 0x10 } },
	      "the headers and the bytes after them are one range");
	check(&mapping, 0x1000, 0x60, 2, (const uint32_t[][2]){ { 0x1000, 0x74 }, { 0x2000, 0xc } }, "a long range");
	check(&mapping, 0x10ff, 1, 1, (const uint32_t[][2]){ { 0x20ab, 1 } }, "the last byte of the image");
	check(&mapping, 0x1100, 1, 0, NULL, "an address after the image has no range");
	ok(!pdb_moved_address(&pdb, 0xfff, &address) && !pdb_linked_address(&pdb, 0xfff, &address),
	   "an address before the first entry has no new address");
	ok(pdb_moved_address(&pdb, 0x1000, &address) && address == 0x1000 &&
	   pdb_moved_address(&pdb, 0x100f, &address) && address == 0x100f &&
	   pdb_moved_address(&pdb, 0x1010, &address) && address == 0x1030, "an OMAP entry is valid up to the next one");
	ok(pdb_moved_address(&pdb, 0x1012, &address) && address == 0x1032, "an address of the linked image leads to the moved one");
	ok(!pdb_moved_address(&pdb, 0x1048, &address), "an address whose code is gone has no new address");
	ok(pdb_linked_address(&pdb, 0x2004, &address) && address == 0x1058, "an address of the moved image leads back to the linked one");
	/* Two halves that are swapped. */
	static struct pdb_omap_entry back[] = { { 0x1000, 0x1020 }, { 0x1020, 0x1000 },
						{ 0x1040, 0x1040 }, { 0x1100, 0x80000000 } };
	struct pdb turned = { .sections = &section, .section_count = 1, .to = { back, ARRAY_COUNT(back) },
			      .from = { back, ARRAY_COUNT(back) } };
	ok(pdb_mapping_build(&mapping, &turned, &arena), "a mapping of turned code is built");
	check(&mapping, 0x1000, 0x40, 1, (const uint32_t[][2]){ { 0x1000, 0x40 } }, "both halves are one range");
	check(&mapping, 0x1010, 0x20, 2, (const uint32_t[][2]){ { 0x1000, 0x10 }, { 0x1030, 0x10 } },
	      "a range over both halves is two ranges");
	check(&mapping, 0x1030, 0x20, 2, (const uint32_t[][2]){ { 0x1010, 0x10 }, { 0x1040, 0x10 } },
	      "a half and the bytes after it are two ranges");
	pdb.to.count = pdb.from.count = 0;
	ok(pdb_mapping_build(&plain, &pdb, &arena) && pdb_moved_address(&pdb, 0x1012, &address) &&
	   address == 0x1012, "an address without OMAP is unchanged");
	check(&plain, 0x1000, 0x40, 1, (const uint32_t[][2]){ { 0x1000, 0x40 } }, "a range without OMAP is unchanged");
	arena_free(&arena);
	return done_testing();
}
