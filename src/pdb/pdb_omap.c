/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pdb/pdb.h"

#include "base/sorted.h"

static bool
translate(const struct pdb_omap *omap, uint32_t from, uint32_t *to)
{
	size_t at;

	if (omap->count == 0) {
		*to = from;
		return true;
	}
	BISECT(at, omap->count, omap->items[at].from <= from);
	if (at == 0 || omap->items[at - 1].to == 0)
		return false;
	*to = omap->items[at - 1].to + (from - omap->items[at - 1].from);
	return true;
}

bool
pdb_linked_address(const struct pdb *pdb, uint64_t moved, uint32_t *linked)
{
	return moved <= UINT32_MAX && translate(&pdb->to, (uint32_t)moved, linked);
}

bool
pdb_moved_address(const struct pdb *pdb, uint32_t linked, uint32_t *moved)
{
	return translate(&pdb->from, linked, moved);
}

SORTED_BY_ALL(compare_linked, struct pdb_piece, SORTED_UP(linked) SORTED_UP(moved))
SORTED_BY_ALL(compare_moved, struct pdb_piece, SORTED_UP(moved) SORTED_UP(linked))

/* The piece that begins at entry `i`, cut at the end of the linked image (`end`). */
static struct pdb_piece
piece_at(const struct pdb_omap *omap, size_t i, uint64_t end)
{
	const struct pdb_omap_entry *entry = &omap->items[i];
	const uint32_t next = i + 1 < omap->count ? entry[1].from : UINT32_MAX;
	struct pdb_piece piece = { .linked = entry->to, .moved = entry->from,
				   .size = next - entry->from };

	if (piece.linked >= end)
		piece.size = 0;
	else if (piece.size > end - piece.linked)
		piece.size = (uint32_t)(end - piece.linked);
	return piece;
}

bool
pdb_mapping_build(struct pdb_mapping *mapping, const struct pdb *pdb, struct arena *arena)
{
	const struct pdb_omap *to = &pdb->to;
	uint64_t end = 0;

	*mapping = (struct pdb_mapping){ 0 };
	if (to->count == 0)
		return true;
	for (size_t i = 0; i < pdb->section_count; i++) {
		const uint64_t last = (uint64_t)pdb->sections[i].address + pdb->sections[i].size;

		end = last > end ? last : end;
	}
	struct pdb_piece *pieces = arena_array(arena, to->count + 1, sizeof(*pieces));
	if (pieces == NULL)
		return false;
	/* The image's headers have no entry in the table; piece 0 is for them. */
	const uint32_t first = to->items[0].from, linked = pdb->from.items[0].from;
	pieces[0].size = first < linked ? first : linked;
	size_t count = pieces[0].size > 0;
	for (size_t i = 0; i < to->count; i++) {
		const struct pdb_piece piece = piece_at(to, i, end);

		if (piece.size == 0)
			continue;
		if (count > 0)
			pieces[count - 1].injected = piece.moved - pieces[count - 1].moved -
						     pieces[count - 1].size;
		pieces[count++] = piece;
	}
	SORT(pieces, count, compare_linked);
	for (size_t i = 0; i + 1 < count; i++) {
		const uint64_t behind = (uint64_t)pieces[i].linked + pieces[i].size;

		if (behind < pieces[i + 1].linked)
			pieces[i].removed = (uint32_t)(pieces[i + 1].linked - behind);
	}
	*mapping = (struct pdb_mapping){ pieces, count };
	return true;
}

/* Cut a piece to the part in [`low`, `high`). False: no part is in this range. */
static bool
clip(struct pdb_piece *piece, uint64_t low, uint64_t high)
{
	const uint64_t all = (uint64_t)piece->linked + piece->size + piece->removed;

	if (all <= low || piece->linked >= high)
		return false;
	if (piece->linked < low) {
		const uint64_t skip = low - piece->linked;
		const uint32_t cut = skip < piece->size ? (uint32_t)skip : piece->size;

		piece->linked += cut;
		piece->moved += cut;
		piece->size -= cut;
	}
	if (piece->linked + (uint64_t)piece->size > high) {
		piece->size = (uint32_t)(high - piece->linked);
		piece->injected = piece->removed = 0;
	}
	return true;
}

/* Whether a piece touches the previous piece, or only new bytes are between the two. */
static bool
touches(const struct pdb_piece *before, const struct pdb_piece *piece)
{
	return (uint64_t)before->moved + before->size + before->injected == piece->moved;
}

/*
 * Join adjacent pieces into ranges that include the bytes inserted between them. As in dump_syms,
 * compare the bytes inserted before a piece with the linked bytes from its start to the end of the
 * last adjacent piece. If more were inserted, the piece begins a new range.
 */
static size_t
join(const struct pdb_piece *pieces, size_t count, struct pdb_range *ranges)
{
	size_t made = 0;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && touches(&pieces[end - 1], &pieces[end]);)
			end++;
		const uint64_t last = (uint64_t)pieces[end - 1].linked + pieces[end - 1].size;
		ranges[made] = (struct pdb_range){ pieces[first].moved, pieces[first].size };
		for (size_t i = first + 1; i < end; i++) {
			const struct pdb_piece *piece = &pieces[i];

			if (last < (uint64_t)piece->linked + piece[-1].injected)
				ranges[++made] = (struct pdb_range){ piece->moved, piece->size };
			else
				ranges[made].size = piece->moved + piece->size -
						    ranges[made].address;
		}
		made++;
	}
	return made;
}

bool
pdb_map_range(const struct pdb_mapping *mapping, struct pdb_range linked, struct arena *arena,
	      struct pdb_range **ranges, size_t *count)
{
	const uint64_t low = linked.address, high = low + linked.size;
	size_t first, behind, used = 0;

	*count = 0;
	if (mapping->count == 0) {
		*ranges = arena_alloc(arena, sizeof(**ranges));
		if (*ranges != NULL)
			(*ranges)[(*count)++] = linked;
		return *ranges != NULL;
	}
	BISECT(first, mapping->count, mapping->pieces[first].linked <= low);
	BISECT(behind, mapping->count, mapping->pieces[behind].linked < high);
	/* The previous piece may reach into the range. */
	for (first -= first > 0; first > 0 && mapping->pieces[first - 1].linked ==
						      mapping->pieces[first].linked;)
		first--;
	const size_t most = behind > first ? behind - first : 0;
	struct pdb_piece *pieces = arena_array(arena, most + 1, sizeof(*pieces));
	*ranges = arena_array(arena, most + 1, sizeof(**ranges));
	if (pieces == NULL || *ranges == NULL)
		return false;
	for (size_t i = first; i < behind; i++) {
		pieces[used] = mapping->pieces[i];
		used += clip(&pieces[used], low, high) && pieces[used].size > 0;
	}
	SORT(pieces, used, compare_moved);
	*count = join(pieces, used, *ranges);
	return true;
}
