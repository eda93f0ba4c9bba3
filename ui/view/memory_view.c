/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/memory/frame_contents.h"
#include "report/memory/frame_drawing.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/*
 * The views of memory: the stack of the selected thread and other memory as words or bytes, the
 * registers in the form of words, the contents of the selected frame, and a drawing of the frame on
 * the stack.
 */

/* The bases of values in the order of `set base`. */
static const struct {
	unsigned base;		/* 0: text */
	const char *name;
} bases[] = { { 16, "hexadecimal" }, { 10, "decimal" }, { 0, "text" } };

/* The size of a value in bytes: set by a command for this address, else by `set unit`. */
static unsigned *
unit_of(struct session *session)
{
	struct session_memory *memory = &session->look.memory;

	return memory->asked_unit != 0 && memory->asked_address == memory->address
		       ? &memory->asked_unit
		       : &memory->unit;
}

/* The address up to which stack words must be read to show the selected address and frame. */
static uint64_t
memory_until(const struct session *session)
{
	const struct walk *walk = session_walk(session);
	const size_t caller = session->look.stack.frame + 1;
	uint64_t until = session->look.memory.address;

	if (walk != NULL && caller < walk->count &&
	    walk->frames[caller].registers.value[walk->arch->sp] > until)
		until = walk->frames[caller].registers.value[walk->arch->sp];
	return until > 0 ? until : 1;
}

static struct telescope_options
words_options(struct session *session)
{
	return (struct telescope_options){
		.crash = session->open.crash,
		.memory = &session->look.memory.view,
		.binaries = session->open.binaries,
		.walk = session_walk(session),
		.step = session->step.exists ? session_frame_step(session) : NULL,
		.state = &session->look.memory.telescope,
		.base = bases[session->look.memory.base].base,
		.until = memory_until(session),
	};
}

static struct listing
make_memory(struct session *session, struct session_view *view)
{
	const struct telescope_options options = words_options(session);
	const struct memory_bytes_options bytes = {
		.around = &session->look.addresses.around,
		.address = session->look.memory.address,
		.unit = *unit_of(session),
	};
	const uint64_t address = session->look.memory.address;
	struct listing listing;

	if (bytes.unit == 0) {
		listing = telescope_memory(&options, address, &view->arena);
		view->row = telescope_row(&listing, address);
	} else {
		listing = memory_bytes_listing(&bytes, &view->arena);
		view->row = memory_bytes_row(&listing, address);
	}
	return listing;
}

static void
title_memory(struct session *session, struct row *row)
{
	const char *const base = memory_base(session);
	const bool over = !session->step.exists || step_view_is_over(session_frame_step(session));
	const unsigned unit = *unit_of(session);

	if (unit != 0)
		row_add(row, ROLE_NORMAL, "%u byte%s a value", unit, plural(unit));
	else if (telescope_is(&session->look.views[LAYOUT_MEMORY].listing))
		row_add(row, ROLE_NORMAL, "%s  + taken  ? refused%s%s%s",
			over ? "* read" : "> now  * read", over ? "  ! crash" : "",
			session->look.memory.base == 0 ? "" : "  ",
			session->look.memory.base == 0 ? "" : base);
	else
		row_add(row, ROLE_NORMAL, "words, %s", base);
}

static uint64_t
stamp_memory(struct session *session, const struct listing *listing)
{
	uint64_t stamp = views_mix(listing->count, session->look.memory.base);

	stamp = views_mix(stamp, *unit_of(session));
	stamp = views_mix(views_mix(stamp, session->look.stack.thread), session->look.stack.frame);
	return views_mix(stamp, telescope_address(listing, 0));
}

static struct row_subject
word_of_row(const struct listing *listing, size_t row)
{
	const uint64_t address = telescope_address(listing, row);

	return (struct row_subject){ .kind = address != 0 ? SUBJECT_WORD : SUBJECT_NONE,
				 .address = address };
}

/* Select the row of the address after the rows changed. */
static void
show_again(struct session *session, uint64_t address, bool first)
{
	session->look.views[LAYOUT_MEMORY].fresh = false;
	struct session_view *view = session_view(session, LAYOUT_MEMORY);
	size_t row = telescope_row(&view->listing, address);
	if (first && row > 0 && telescope_address(&view->listing, row - 1) == address)
		row--;
	view->selected = session_shown_row(view, row);
}

bool
memory_work(struct session *session, int64_t end)
{
	const struct session_view *view = &session->look.views[LAYOUT_MEMORY];
	const struct listing *listing = &view->listing;
	size_t row;

	if (!view->fresh || !session_selected(view, &row))
		return false;
	const uint64_t address = telescope_address(listing, row);
	const bool whole = listing_target(listing, row).kind == TARGET_FOLD;
	if (!telescope_more(listing))
		return false;
	while (session_has_time(session, end) && telescope_more(listing))
		continue;
	session->look.views[LAYOUT_FRAME].fresh = false;
	show_again(session, address, whole);
	return true;
}

static const char *
fold_words(struct session *session, size_t row)
{
	const struct listing *listing = &session->look.views[LAYOUT_MEMORY].listing;

	if (!telescope_is(listing))
		return "only words of the selected thread's stack fold";
	const uint64_t address = telescope_address(listing, row);
	const bool whole = listing_target(listing, row).kind == TARGET_FOLD;
	if (!telescope_toggle(&session->look.memory.telescope, address))
		return "nothing folds here: this word is not part of a run";
	show_again(session, address, whole);
	return NULL;
}

static void
fold_all_words(struct session *session, bool fold)
{
	const struct session_view *view = session_view(session, LAYOUT_MEMORY);
	size_t row;
	const uint64_t address = session_selected(view, &row)
					 ? telescope_address(&view->listing, row) : 0;

	telescope_open_all(&session->look.memory.telescope, !fold);
	show_again(session, address, false);
}

void
memory_write_again(struct session *session)
{
	static const enum layout_view written[] = { LAYOUT_MEMORY, LAYOUT_REGISTERS };
	size_t selected[ARRAY_COUNT(written)];

	for (size_t i = 0; i < ARRAY_COUNT(written); i++)
		selected[i] = session->look.views[written[i]].selected;
	session_refresh(session);
	for (size_t i = 0; i < ARRAY_COUNT(written); i++)
		session_view(session, written[i])->selected = selected[i];
}

const char *
memory_base(const struct session *session)
{
	return bases[session->look.memory.base].name;
}

static void
memory_next_base(struct session *session)
{
	session->look.memory.base = (session->look.memory.base + 1) % (unsigned)ARRAY_COUNT(bases);
	memory_write_again(session);
	session_say(session, "memory and registers as %s", memory_base(session));
}

static void
next_form_of_memory(struct session *session)
{
	unsigned *unit = unit_of(session);

	if (*unit == 0) {
		memory_next_base(session);
		return;
	}
	*unit = *unit % 8 == 0 ? 1 : *unit * 2;
	session_refresh(session);
	session_say(session, "%u byte%s a value", *unit, plural(*unit));
}

/* Enter leads to the bytes of a word; another key follows pointers. */
static bool
open_word(struct session *session, size_t row)
{
	struct target target = listing_target(&session->look.views[LAYOUT_MEMORY].listing, row);

	if (target.place.input == NULL)
		return false;
	target.kind = TARGET_PLACE;
	return session_follow(session, &target);
}

static bool
spot_of_memory(struct session *session, struct spot_text *text)
{
	const struct row_subject subject = views_subject(session);

	if (subject.kind == SUBJECT_WORD)
		spot_add(text, SPOT_ADDRESS, "0x%" PRIx64, subject.address);
	return subject.kind == SUBJECT_WORD;
}

const struct view_ops view_MEMORY = {
	.open = open_word, .spot = spot_of_memory,
	.make = make_memory, .title = title_memory, .stamp = stamp_memory, .fold = fold_words,
	.fold_all = fold_all_words, .next_form = next_form_of_memory, .subject = word_of_row,
	.centered = true,
};

void
request_bytes(const struct request_call *call)
{
	struct session *session = call->session;

	session->look.memory.unit = *unit_of(session) == 0 ? 1 : 0;
	session->look.memory.asked_unit = 0;
	session_refresh(session);
	session_say(session, session->look.memory.unit == 0 ? "words with their meaning"
						      : "all memory as bytes; x: wider values");
}

/*
 * Skip the format that gdb ("/8gx") and lldb ("-s 8 -c 4") write before a place, and store the
 * width of values. The count is ignored, because the view scrolls.
 */
static const char *
skip_format(const char *text, unsigned *unit, bool *code)
{
	static const struct {
		char letter;
		unsigned unit;
	} units[] = { { 'b', 1 }, { 'h', 2 }, { 'w', 4 }, { 'g', 8 }, { 's', 1 },
		      { '1', 1 }, { '2', 2 }, { '4', 4 }, { '8', 8 } };

	while (text[0] == '/' || text[0] == '-') {
		const bool option = text[0] == '-';
		const bool size = option && (text[1] == 's' || strncmp(text, "--size ", 7) == 0);

		/* The next word is the option's value. */
		text += option ? strcspn(text, " ") : 1;
		text += strspn(text, " ");
		const size_t length = strcspn(text, " ");
		for (size_t i = 0; i < ARRAY_COUNT(units); i++)
			if (option ? size && length == 1 && text[0] == units[i].letter
				   : memchr(text, units[i].letter, length) != NULL &&
				     units[i].letter >= 'b')
				*unit = units[i].unit;
		*code = *code || (!option && memchr(text, 'i', length) != NULL);
		text += length;
		text += strspn(text, " ");
	}
	return text;
}

/* Remove a count from the end of a place ("rsp 8", "rsp L8"). Returns the count; 0: none. */
static size_t
take_count(char *place)
{
	char *last = strrchr(place, ' ');
	const char *digits = last == NULL ? "" : last + 1 + (last[1] == 'L' || last[1] == 'l');
	uint64_t count;

	if (!text_number(text_of(digits), 0, &count))
		return 0;
	*last = '\0';
	return (size_t)count;
}

void
request_memory(const struct request_call *call)
{
	struct session *session = call->session;
	struct target target = { .kind = TARGET_MEMORY, .address = session->look.memory.address };
	unsigned unit = 0;
	bool code = false;
	char place[256];

	snprintf(place, sizeof(place), "%s", skip_format(call->text, &unit, &code));
	if (place[0] != '\0' && !addresses_parse(session, place, &target.address)) {
		const size_t count = take_count(place);

		if (count == 0 || !addresses_parse(session, place, &target.address))
			return;
		session->failed = false;
		session->notice[0] = '\0';
		call->explorer->print.rows = count;
	}
	if (code) {
		addresses_show_code(session, target.address);
		return;
	}
	uint8_t byte;
	if (unit != 0 && surroundings_read(&session->look.addresses.around, target.address, &byte,
					   1, NULL, NULL) == 0) {
		session_fail(session, "the dump has no memory at 0x%" PRIx64 "; ':memory-map' "
			     "lists what the process had", target.address);
		return;
	}
	session->look.memory.asked_unit = unit;
	session->look.memory.asked_address = target.address;
	session_follow(session, &target);
}

/* The registers of the step -------------------------------------------------------------------- */

static struct listing
make_registers(struct session *session, struct session_view *view)
{
	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	const struct registers_options options = {
		.step = session_frame_step(session),
		.memory = &session->look.memory.view,
		.binaries = session->open.binaries,
		.state = &session->look.registers,
		.base = bases[session->look.memory.base].base,
	};
	struct listing listing = registers_listing(&options, &view->arena);
	const int set = step_view_set_now(session_frame_step(session));
	if (set != ARCH_NO_REGISTER)
		view->row = registers_row(&listing, set);
	else if (session->step.view.cursor == 0)
		view->row = 0;
	return listing;
}

static struct row_subject
register_of_row(const struct listing *listing, size_t row)
{
	return (struct row_subject){ .kind = SUBJECT_REGISTER, .reg = registers_reg(listing, row) };
}

static const char *
fold_register(struct session *session, size_t row)
{
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);
	const int reg = registers_reg(&view->listing, row);

	if (!registers_toggle(&session->look.registers, &view->listing, row))
		return "no details for this row";
	/* The row may be folded away: select that of its register or of its group. */
	while (reg == ARCH_NO_REGISTER && listing_target(&view->listing, row).kind != TARGET_FOLD)
		row--;
	view->fresh = false;
	view = session_view(session, LAYOUT_REGISTERS);
	view->selected = session_shown_row(
		view, reg != ARCH_NO_REGISTER ? registers_row(&view->listing, reg) : row);
	return NULL;
}

static void
fold_all_registers(struct session *session, bool fold)
{
	registers_open_all(&session->look.registers, !fold);
	session->look.views[LAYOUT_REGISTERS].fresh = false;
}

static void
title_registers(struct session *session, struct row *row)
{
	if (session->look.memory.base != 0)
		row_add(row, ROLE_NORMAL, "%s  ", memory_base(session));
	registers_legend(&session->look.views[LAYOUT_REGISTERS].listing, row);
}

const struct view_ops view_REGISTERS = {
	.make = make_registers, .title = title_registers,
	.fold = fold_register, .fold_all = fold_all_registers, .next_form = memory_next_base,
	.subject = register_of_row,
};

/* The contents of the selected frame ----------------------------------------------------------- */

static struct listing
make_frame(struct session *session, struct session_view *view)
{
	struct telescope_options options = words_options(session);

	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	options.base = 16;
	const struct frame_contents *contents = frame_contents_of(
		&options, &session->look.memory.locals, &view->arena);
	return contents != NULL ? frame_contents_listing(contents, &view->arena)
				: listing_out_of_memory();
}

static uint64_t
stamp_frame(struct session *session, const struct listing *listing)
{
	return views_mix(views_mix(listing->count, session->look.stack.thread),
			 session->look.stack.frame);
}

static void
title_frame(struct session *session, struct row *row)
{
	if (session->step.exists)
		row_add(row, ROLE_NORMAL, "frame %zu", session->look.stack.frame);
}

static const char *
fold_frame(struct session *session, size_t row)
{
	struct session_view *view = session_view(session, LAYOUT_FRAME);
	const uint64_t address = frame_contents_address(&view->listing, row);
	const uint64_t local = frame_contents_local(&view->listing, row);

	if (local != 0) {
		locals_toggle(&session->look.memory.locals, local);
		session_refresh(session);
		session_view(session, LAYOUT_FRAME)->selected = row;
		return NULL;
	}
	if (address == 0 || !telescope_toggle(&session->look.memory.telescope, address))
		return "nothing folds here: not a word that is part of a run, nor a variable with "
		       "parts";
	session_refresh(session);
	view = session_view(session, LAYOUT_FRAME);
	view->selected = session_shown_row(view, frame_contents_row(&view->listing, address));
	return NULL;
}

static void
fold_all_frame(struct session *session, bool fold)
{
	telescope_open_all(&session->look.memory.telescope, !fold);
	session_refresh(session);
}

static struct row_subject
subject_of_row(const struct listing *listing, size_t row)
{
	const uint64_t address = frame_contents_address(listing, row);
	const int reg = frame_contents_register(listing, row);
	struct row_subject subject = { .kind = SUBJECT_VARIABLE, .reg = ARCH_NO_REGISTER };

	if (frame_contents_variable(listing, row, &subject.variable))
		return subject;
	if (address != 0)
		return (struct row_subject){ .kind = SUBJECT_WORD, .address = address };
	return (struct row_subject){
		.kind = reg != ARCH_NO_REGISTER ? SUBJECT_REGISTER : SUBJECT_NONE, .reg = reg
	};
}

const struct view_ops view_FRAME = {
	.make = make_frame, .title = title_frame, .stamp = stamp_frame, .fold = fold_frame,
	.fold_all = fold_all_frame, .subject = subject_of_row,
};

static struct listing
make_drawing(struct session *session, struct session_view *view)
{
	const struct frame_drawing_options options = {
		.step = session_frame_step(session),
		.memory = &session->look.memory.view,
		.binaries = session->open.binaries,
	};

	if (!session->step.exists)
		return listing_message(views_why_nothing(session));
	view->row = 0;
	return frame_drawing_listing(&options, &view->arena);
}

const struct view_ops view_DRAWING = { .make = make_drawing, .legend = "lowest address first" };
