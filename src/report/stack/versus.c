/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/versus.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "report/report.h"
#include "report/stack/walk_json.h"

/*
 * Frames have the same key if they are in the same function or, without functions, at the same
 * place of their module. They are equal if they are at the same line or, without lines, at the same
 * distance from the function's start.
 */
static struct align_frame
key_of(const struct walk *walk, const struct frame *frame, struct arena *arena)
{
	struct align_frame key = { HASH_START, HASH_START };
	uint64_t offset = frame->lookup;
	struct shown_frame shown;

	shown_frame(walk, frame, NULL, arena, &shown);
	const struct location *location = &shown.location;
	const struct call *call = shown_function(&shown);
	if (location->module != NULL) {
		const struct text file = text_base_name(text_of(location->module->code_file));

		key.key = hash_words(key.key, file.start, file.length);
		offset -= location->module->base;
		if (location->symbol.found)
			offset -= location->symbol.function.address;
	}
	key.key = hash_words(key.key, call->name.start, call->name.length);
	if (call->name.length == 0)
		key.key = hash_bytes(key.key, &offset, sizeof(offset));
	const struct text source = text_base_name(call->file);
	if (call->file.length == 0)
		key.said = hash_bytes(key.said, &offset, sizeof(offset));
	else
		key.said = hash_bytes(hash_words(key.said, source.start, source.length),
				      &call->line, sizeof(call->line));
	arena_reset(arena);
	return key;
}

static uint64_t
value_of(const struct walk *walk, size_t frame, int reg)
{
	return walk->frames[frame].registers.value[reg];
}

/* Frames of one dump are a pair if their stack pointers are equal, or if both are innermost. */
static struct align_frame
place_of(const struct walk *walk, size_t frame)
{
	const uint64_t sp = value_of(walk, frame, walk->arch->sp);
	const uint64_t where = value_of(walk, frame, walk->arch->pc) * 31 + sp;

	return (struct align_frame){ frame == 0 ? 0 : sp,
				     where * 31 + (uint64_t)walk->frames[frame].trust };
}

static bool
is_one_dump(const struct versus *versus)
{
	return versus->sides[0].name != NULL;
}

const struct versus *
versus_compare(const struct versus_side *first, const struct versus_side *second,
	       struct arena *arena)
{
	struct versus *versus = arena_alloc(arena, sizeof(*versus));
	struct align_side sides[VERSUS_SIDES];
	struct arena work = { 0 };

	if (versus == NULL)
		return NULL;
	*versus = (struct versus){ .sides = { *first, *second } };
	const size_t most = is_one_dump(versus) ? SIZE_MAX : VERSUS_MOST_FRAMES;
	for (size_t i = 0; i < VERSUS_SIDES; i++) {
		const struct walk *walk = versus->sides[i].walk;
		size_t count = walk == NULL ? 0 : walk->count;

		versus->cut = versus->cut || count > most;
		count = count < most ? count : most;
		struct align_frame *frames = arena_array(arena, count + 1, sizeof(*frames));
		for (size_t frame = 0; frames != NULL && frame < count; frame++)
			frames[frame] = is_one_dump(versus)
						? place_of(walk, frame)
						: key_of(walk, &walk->frames[frame], &work);
		sides[i] = (struct align_side){ frames, count };
	}
	arena_free(&work);
	if (sides[0].frames == NULL || sides[1].frames == NULL)
		return NULL;
	return align(&versus->frames, sides, is_one_dump(versus), arena) ? versus : NULL;
}

/* The only thread with a name; false if none or several have it. */
static bool
find_named(const struct crash *crash, const char *name, size_t *found)
{
	size_t count = 0;

	for (size_t i = 0; name != NULL && i < crash->thread_count; i++) {
		if (crash->threads[i].name == NULL || strcmp(crash->threads[i].name, name) != 0)
			continue;
		*found = i;
		count++;
	}
	return count == 1;
}

bool
versus_thread(const struct crash *crash, size_t thread, const struct crash *other, size_t *found)
{
	const struct thread *wanted = &crash->threads[thread];
	size_t same;

	if (crash->requesting_thread >= 0 && (size_t)crash->requesting_thread == thread &&
	    other->requesting_thread >= 0) {
		*found = (size_t)other->requesting_thread;
		return true;
	}
	if (find_named(crash, wanted->name, &same) && find_named(other, wanted->name, found))
		return true;
	for (*found = 0; *found < other->thread_count; ++*found)
		if (other->threads[*found].id == wanted->id)
			return true;
	return false;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Rows above the frames of two dumps: reasons, signatures, registers, first difference. */
struct rows {
	const struct versus *versus;
	const int *registers;		/* registers of the first dump's processor */
	size_t register_count;
	size_t above;			/* number of rows above the frames */
};

enum { ROW_FILE, ROW_REASON, ROW_SIGNATURE, ROW_PARTING, ROWS_ABOVE };

/* Columns of one side in rows that are never cut. */
#define SIDE_COLUMNS 60u

static const struct crash *
crash_of(const struct versus *versus, unsigned side)
{
	const struct walk *walk = versus->sides[side].walk;

	return walk != NULL ? walk->crash : NULL;
}

static size_t
side_columns(size_t columns)
{
	return columns == 0 ? SIDE_COLUMNS : columns > 6 ? (columns - 4) / 2 : 1;
}

static void
begin_side(struct row *row, unsigned side, size_t columns)
{
	row_pad(row, side == 0 ? 3 : 3 + side_columns(columns) + 1);
}

/* Adds a text for each side. The second text is uncut if rows may have any length. */
static void
fill_texts(const char *const texts[VERSUS_SIDES], enum role role, size_t columns, struct row *row)
{
	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		begin_side(row, side, columns);
		row_add_cut(row, role, columns == 0 && side == 1 ? 0 : side_columns(columns) - 1,
			    true, text_of(texts[side]));
	}
}

static void
fill_sign(bool same, struct row *row)
{
	row_add(row, same ? ROLE_NORMAL : ROLE_CHANGED, " %c ", same ? '=' : '~');
}

static void
fill_names(const struct listing *listing, size_t columns, struct row *row)
{
	const struct versus *versus = ((const struct rows *)listing->context)->versus;

	fill_texts((const char *[]){ versus->sides[0].name, versus->sides[1].name }, ROLE_TITLE,
		   columns, row);
}

static const char *
end_of(const struct versus_side *side)
{
	if (side->walk == NULL)
		return side->why;
	return side->walk->complete ? side->walk->end.text : "more follow";
}

static void
fill_head(const struct versus *versus, size_t index, size_t columns, struct row *row)
{
	const char *texts[VERSUS_SIDES];
	char names[VERSUS_SIDES][200];

	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		const struct crash *crash = crash_of(versus, side);
		const char *signature = versus->sides[side].signature;

		texts[side] = names[side];
		if (crash == NULL)
			texts[side] = index == ROW_FILE ? "no such thread" : "";
		else if (index == ROW_FILE)
			text_printable(names[side], sizeof(names[side]),
				       text_of(place_base_name(crash->file.input.name)));
		else if (index == ROW_REASON)
			texts[side] = crash->cause.text != NULL ? crash->cause.text : "no crash";
		else
			texts[side] = signature != NULL ? signature : "no signature";
	}
	if (index != ROW_FILE)
		fill_sign(strcmp(texts[0], texts[1]) == 0, row);
	fill_texts(texts, ROLE_TITLE, columns, row);
}

static void
fill_parting(const struct versus *versus, struct row *row)
{
	const struct alignment *frames = &versus->frames;
	const struct align_pair *at = frames->last == ALIGN_NONE ? NULL
								 : &frames->pairs[frames->last];

	if (at == NULL)
		row_add(row, ROLE_NORMAL, "   the stacks are equal");
	else if (at->frame[0] != ALIGN_NONE && at->frame[1] != ALIGN_NONE)
		row_add(row, ROLE_CHANGED, "   outermost difference: inside one function, frames "
					   "%zu and %zu",
			at->frame[0], at->frame[1]);
	else
		row_add(row, ROLE_CHANGED,
			"   outermost difference: frame %zu, only in the %s dump",
			at->frame[at->frame[0] == ALIGN_NONE], at->frame[0] == ALIGN_NONE
									? "second"
									: "first");
	if (versus->cut)
		row_add(row, ROLE_DIM, "   the first %d frames are compared", VERSUS_MOST_FRAMES);
}

static bool
register_value(const struct versus *versus, unsigned side, int reg, uint64_t *value)
{
	const struct walk *walk = versus->sides[side].walk;

	if (walk == NULL || walk->count == 0 || walk->arch != versus->sides[0].walk->arch)
		return false;
	*value = walk->frames[0].registers.value[reg];
	return registers_known(&walk->frames[0].registers, reg);
}

static bool
has_register(const struct versus *versus, int reg)
{
	uint64_t value;

	return register_value(versus, 0, reg, &value) || register_value(versus, 1, reg, &value);
}

static void
fill_register(const struct rows *rows, size_t index, size_t columns, struct row *row)
{
	const struct versus *versus = rows->versus;
	const struct arch *arch = versus->sides[0].walk->arch;
	const int reg = rows->registers[index];
	uint64_t values[VERSUS_SIDES] = { 0 };
	bool known[VERSUS_SIDES];

	for (unsigned side = 0; side < VERSUS_SIDES; side++)
		known[side] = register_value(versus, side, reg, &values[side]);
	const bool same = known[0] == known[1] && values[0] == values[1];
	fill_sign(same, row);
	for (unsigned side = 0; side < VERSUS_SIDES; side++) {
		begin_side(row, side, columns);
		row_add(row, ROLE_NORMAL, "%-6s ", arch->registers[reg].label);
		if (known[side])
			row_add(row, same ? ROLE_NORMAL : ROLE_CHANGED, "%0*" PRIx64,
				report_digits(arch), values[side]);
		else
			row_add(row, ROLE_UNKNOWN, "unknown");
	}
}

static void
add_frame(const struct versus *versus, unsigned side, size_t number, size_t columns,
	  struct row *row)
{
	const struct walk *walk = versus->sides[side].walk;
	const struct frame *frame = &walk->frames[number];
	const size_t room = side_columns(columns) - 1;
	struct shown_frame shown;
	struct arena arena = { 0 };

	shown_frame(walk, frame, NULL, &arena, &shown);
	const struct call *call = shown_function(&shown);
	const char *place = call->file.length > 0 ? shown_source(call, &arena) : "";
	const size_t begin = row->width;
	row_add(row, report_trust_role(frame->trust), "%4zu %-4s ", number, frame_tag(frame));
	const size_t used = row->width - begin;
	const size_t width = place[0] != '\0' ? 1 + text_width(text_of(place)) : 0;
	const bool fits = used + width + 12 <= room;
	const size_t left = room > used ? room - used - (fits ? width : 0) : 1;
	row_add_name(row, call->name.length > 0 ? ROLE_NORMAL : ROLE_UNKNOWN, left,
		     shown_name(&shown, call, false, &arena));
	if (fits && width > 0)
		row_add(row, ROLE_DIM, " %s", place);
	arena_free(&arena);
}

/* The frames of a row, or NULL. */
static const struct align_pair *
pair_of(const struct rows *rows, size_t index)
{
	const struct alignment *frames = &rows->versus->frames;

	return index >= rows->above && index - rows->above < frames->count
		       ? &frames->pairs[index - rows->above]
		       : NULL;
}

static void
versus_fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct rows *rows = listing->context;
	const struct versus *versus = rows->versus;
	const struct align_pair *pair = pair_of(rows, index);

	if (pair != NULL) {
		row_add(row, pair->sign == '=' ? ROLE_NORMAL : ROLE_CHANGED, " %c ", pair->sign);
		for (unsigned side = 0; side < VERSUS_SIDES; side++) {
			if (pair->frame[side] == ALIGN_NONE)
				continue;
			begin_side(row, side, columns);
			add_frame(versus, side, pair->frame[side], columns, row);
		}
	} else if (index >= rows->above) {
		/* The last row for walks of one dump. */
		const char *const ends[] = { end_of(&versus->sides[0]), end_of(&versus->sides[1]) };

		fill_sign(strcmp(ends[0], ends[1]) == 0, row);
		fill_texts(ends, ROLE_DIM, columns, row);
	} else if (index < ROW_PARTING) {
		fill_head(versus, index, columns, row);
	} else if (index + 1 < rows->above) {
		fill_register(rows, index - ROW_PARTING, columns, row);
	} else {
		fill_parting(versus, row);
	}
}

static struct target
versus_target(const struct listing *listing, size_t index)
{
	const struct rows *rows = listing->context;
	const struct align_pair *pair = pair_of(rows, index);
	const unsigned side = is_one_dump(rows->versus);

	if (pair == NULL || pair->frame[side] == ALIGN_NONE)
		return TARGET(TARGET_NONE);
	return TARGET(TARGET_FRAME, .thread = rows->versus->sides[side].walk->thread,
		      .frame = pair->frame[side]);
}

static const struct {
	const char *name, *text;
} signs[] = {
	{ "=", "the same function at the same line" },
	{ "~", "the same function at another line or offset" },
	{ "<", "only in the first dump" },
	{ ">", "only in the second dump" },
};
static const struct fact_names sign_names = FACT_NAMES_IN(signs);

static void
explain_side(const struct versus_side *side, size_t frame, struct row *row)
{
	row_add(row, ROLE_NORMAL, "%s: ", side->name);
	if (frame == ALIGN_NONE) {
		row_add(row, ROLE_NORMAL, "no frame there");
		return;
	}
	const struct arch *arch = side->walk->arch;
	row_add(row, ROLE_NORMAL, "%s %0*" PRIx64 " %s %0*" PRIx64, arch->registers[arch->pc].label,
		report_digits(arch), value_of(side->walk, frame, arch->pc),
		arch->registers[arch->sp].label, report_digits(arch),
		value_of(side->walk, frame, arch->sp));
}

/* Explains a row: the meaning of its sign (two dumps), or the places of its frames (one dump). */
static void
versus_explain(const struct listing *listing, size_t index, struct row *row)
{
	const struct rows *rows = listing->context;
	const struct align_pair *pair = pair_of(rows, index);
	const struct versus_side *sides = rows->versus->sides;
	const bool one_dump = is_one_dump(rows->versus);

	for (size_t i = 0; pair != NULL && !one_dump && i < ARRAY_COUNT(signs); i++)
		if (signs[i].name[0] == pair->sign)
			row_add(row, ROLE_NORMAL, "%c  %s", pair->sign, signs[i].text);
	if (!one_dump)
		return;
	if (pair == NULL) {
		row_add(row, ROLE_NORMAL, "%s: %s; %s: %s", sides[0].name, end_of(&sides[0]),
			sides[1].name, end_of(&sides[1]));
		return;
	}
	explain_side(&sides[1], pair->frame[1], row);
	if (pair->sign != '=') {
		row_add(row, ROLE_NORMAL, "   ");
		explain_side(&sides[0], pair->frame[0], row);
	}
}

struct listing
versus_listing(const struct versus *versus, struct arena *arena)
{
	const struct walk *walk = versus->sides[0].walk;
	const bool one_dump = is_one_dump(versus);
	struct rows *rows = arena_alloc(arena, sizeof(*rows));
	const unsigned most =
		walk == NULL || one_dump ? 0 : (unsigned)walk->arch->register_count;
	int *registers = arena_array(arena, most + 1, sizeof(*registers));

	if (rows == NULL || registers == NULL)
		return listing_out_of_memory();
	*rows = (struct rows){ .versus = versus, .registers = registers };
	for (unsigned reg = 0; reg < most; reg++)
		if (has_register(versus, (int)reg))
			registers[rows->register_count++] = (int)reg;
	rows->above = one_dump ? 0 : ROWS_ABOVE + rows->register_count;
	const size_t last = versus->frames.last == ALIGN_NONE ? 0 : versus->frames.last;
	return (struct listing){ .count = rows->above + versus->frames.count + one_dump,
				 .current = rows->above + last,
				 .head = one_dump ? fill_names : NULL, .fill = versus_fill,
				 .target = versus_target, .explain = versus_explain,
				 .context = rows };
}

const struct alignment *
versus_frames(const struct listing *listing)
{
	return listing->fill == versus_fill
		       ? &((const struct rows *)listing->context)->versus->frames
		       : NULL;
}

size_t
versus_row_of(const struct listing *listing, size_t frame)
{
	const struct alignment *frames = versus_frames(listing);
	size_t found = 0;

	/* ALIGN_NONE is greater than every frame number. */
	for (size_t i = 0; frames != NULL && i < frames->count; i++)
		if (frames->pairs[i].frame[1] <= frame)
			found = ((const struct rows *)listing->context)->above + i;
	return found;
}

#define FACTS "report/stack/versus_facts.def"
#include "document/describe_facts.h"
