/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_drawing.h"
#include "report/memory/identify.h"
#include "report/memory/memory_bytes.h"
#include "report/memory/registers.h"
#include "report/memory/telescope.h"
#include "tests/unit/walk/scene.h"

/* Whole views of stacks that are made for them: each row follows from the words of the scene. */

static struct arena arena;
static struct output_string made;

static const char *
rows_of(const struct listing *listing, size_t first, size_t count, size_t columns)
{
	struct row row = ROW_IN(&arena);

	output_string_init(&made, &arena);
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		row_clear(&row);
		listing_fill(listing, i, columns, &row);
		output_format(&made.output, "%s%s", i > first ? "\n" : "", row_text(&row));
	}
	return text_or_empty(made.text);
}

/* Each row or its explanation, and where it leads; without instructions, which need a library. */
static const char *
reasons_of(const struct listing *listing, size_t first, size_t count, bool whole)
{
	struct row row = ROW_IN(&arena);

	output_string_init(&made, &arena);
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		const struct target to = listing_target(listing, i);
		row_clear(&row);
		if (whole)
			listing_fill(listing, i, 0, &row);
		else
			listing_explain(listing, i, &row);
		if (whole && strncmp(row_text(&row), " instruction", 12) == 0)
			continue;
		output_format(&made.output, "%s%s", i > first ? "\n" : "", row_text(&row));
		if (to.kind == TARGET_FRAME || to.kind == TARGET_REGISTER)
			output_format(&made.output, " => %s %zu of %zu",
				      to.kind == TARGET_FRAME ? "frame" : "register", to.frame, to.thread);
		else if (to.kind == TARGET_MEMORY || to.kind == TARGET_CODE || to.kind == TARGET_FOLD)
			output_format(&made.output, " => %s %" PRIx64, to.kind == TARGET_FOLD ? "fold" :
				      to.kind == TARGET_CODE ? "code" : "memory", to.address);
		else if (to.kind == TARGET_PLACE || to.kind == TARGET_MODULE || to.kind == TARGET_THREAD)
			output_format(&made.output, " => %s", to.kind == TARGET_PLACE    ? "place"
							      : to.kind == TARGET_MODULE ? "module" : "thread");
	}
	return text_or_empty(made.text);
}

/* Each byte of the dump has the row of its 16 bytes, after that of its region's name. */
static void
check_bytes(const char *title, struct surroundings *around, const struct crash *crash)
{
	const struct listing bytes = memory_bytes_listing(
		&(struct memory_bytes_options){ around, crash->runs[0].base, 1 }, &arena);
	size_t row = 0, wrong = 0;

	for (size_t i = 0; i < crash->run_count; i++) {
		const uint64_t base = crash->runs[i].base, end = base + crash->runs[i].size;
		wrong += memory_bytes_row(&bytes, base - 1) != row++;
		for (uint64_t at = base; at < end; at++) {
			row += at > base && at % 16 == 0;
			wrong += memory_bytes_row(&bytes, at) != row;
		}
		row++;
	}
	is_u64(wrong, 0, "%s: bytes have their rows", title);
	is_u64(bytes.count, row, "%s: the bytes have no other rows", title);
	is_u64(memory_bytes_row(&bytes, UINT64_MAX), memory_bytes_row(
		&bytes, crash->runs[crash->run_count - 1].base) - 1, "%s: addresses after the last byte", title);
}

/* Whether a row of a stack is a word. */
static bool
is_word(const struct listing *listing, size_t index)
{
	struct row row = ROW_IN(&arena);

	listing_explain(listing, index, &row);
	return row_text(&row)[0] == '[';
}

static bool
has_frame(const struct walk *walk, const struct memory_run *run)
{
	for (size_t i = 0; i < walk->count; i++)
		if (walk->frames[i].registers.value[walk->arch->sp] - run->base < run->size)
			return true;
	return false;
}

/* Memory with a frame is shown as a stack; other memory has a row for each whole word. */
static void
check_memory(const char *title, struct telescope_options options)
{
	const unsigned size = options.walk->arch->word_size;
	struct telescope_state state = { 0 };
	size_t wrong = 0;

	options.state = &state;
	const struct listing none = telescope_memory(&options, 7, &arena);
	wrong += telescope_is(&none) || none.count != 1;
	for (size_t i = 0; i < options.memory->count; i++) {
		const struct memory_run *run = &options.memory->runs[i];
		const struct listing words = telescope_memory(&options, run->base + 1, &arena);
		const bool whole = run->size > size;

		wrong += telescope_is(&words) != has_frame(options.walk, run);
		if (telescope_is(&words))
			continue;
		wrong += words.count != (whole ? (run->size - 1) / size : 1);
		wrong += telescope_address(&words, 0) != (whole ? run->base + 1 : 0);
		wrong += telescope_row(&words, run->base + 2 * size) != (words.count > 2 ? 1 : words.count - 1);
		wrong += telescope_row(&words, 0) != 0 || telescope_row(&words, UINT64_MAX) != words.count - 1;
	}
	is_u64(wrong, 0, "%s: memory has a row for each word", title);
	telescope_state_free(&state);
}

/* Folds that are opened one by one give the rows of folds that are opened at once; then each word of
 * the stack has one row, each of its bytes leads to it, and each frame has a row. */
static void
check_rows(const char *title, struct telescope_options options)
{
	const unsigned size = options.walk->arch->word_size;
	struct listing folded = telescope_listing(&options, &arena);
	const char *text = rows_of(&folded, 0, SIZE_MAX, 0);
	size_t words = 0, wrong = 0, bytes = 0;
	uint64_t next = 0;

	/* From the last one on, so that they are not in order. */
	for (size_t i = folded.count; i-- > 0;) {
		const struct target to = listing_target(&folded, i);
		if (to.kind == TARGET_FOLD)
			wrong += !telescope_toggle(options.state, to.address + size);
		wrong += is_word(&folded, i) && telescope_toggle(options.state, telescope_address(&folded, i));
	}
	struct listing open = telescope_listing(&options, &arena);
	const char *opened = rows_of(&open, 0, SIZE_MAX, 0);
	telescope_open_all(options.state, true);
	open = telescope_listing(&options, &arena);
	is_str(opened, rows_of(&open, 0, SIZE_MAX, 0), "%s: folds open one by one", title);
	for (size_t i = 0; i < open.count; i++) {
		const uint64_t address = telescope_address(&open, i);
		for (unsigned byte = 0; is_word(&open, i) && byte < size; byte++)
			wrong += telescope_row(&open, address + byte) != i;
		wrong += is_word(&open, i) && words > 0 && address != next &&
			 memory_run_of(options.memory, address)->base != address;
		next = is_word(&open, i) ? address + size : next;
		words += is_word(&open, i);
	}
	for (size_t i = 0; i < options.memory->count; i++)
		if (has_frame(options.walk, &options.memory->runs[i]))
			bytes += (size_t)options.memory->runs[i].size / size;
	for (size_t frame = 0; frame < options.walk->count; frame++)
		wrong += listing_target(&open, telescope_frame_row(&open, frame)).frame != frame;
	wrong += telescope_row(&open, 0) != 0 || telescope_toggle(options.state, 0);
	is_u64(wrong, 0, "%s: rows, words and frames lead to each other", title);
	is_u64(words, bytes, "%s: each word has a row", title);
	is_u64(telescope_address(&open, open.count), 0, "%s: no row follows the last one", title);
	telescope_open_all(options.state, false);
	folded = telescope_listing(&options, &arena);
	is_str(rows_of(&folded, 0, SIZE_MAX, 0), text, "%s: folds close at once", title);
	/* Words that are not examined yet have a row each. */
	struct telescope_state pieces = { 0 };
	options.state = &pieces;
	options.until = telescope_address(&open, 0);
	folded = telescope_listing(&options, &arena);
	telescope_open_all(&pieces, true);
	open = telescope_listing(&options, &arena);
	for (size_t i = words = 0; i < open.count; i++)
		words += is_word(&open, i);
	is_u64(words, bytes, "%s: each word has a row at first", title);
	telescope_open_all(&pieces, false);
	while (telescope_more(&folded))
		continue;
	folded = telescope_listing(&options, &arena);
	is_str(rows_of(&folded, 0, SIZE_MAX, 0), text, "%s: pieces give the whole", title);
	telescope_state_free(&pieces);
}

/* A view with the frame of its step (of bytes: their unit), "*" if all is unfolded, columns,
 * the token at the cursor, "=" and a base, and rows: "stack 1*,58@3:0-9". */
static const char *
shown(struct staged *staged, struct surroundings *around, const char *view)
{
	if (strncmp(view, "redacted-", 9) == 0) {
		staged->crash.redacted = true;
		const char *text = shown(staged, around, view + 9);
		staged->crash.redacted = false;
		return text;
	}
	const char *rest = view + strcspn(view, " ");
	const unsigned number = (unsigned)strtoul(rest, NULL, 16);
	const bool why = strncmp(view, "why-", 4) == 0, head = strncmp(view, "head-", 5) == 0;
	struct telescope_state state = { 0 };
	struct registers_state opened = { 0 };
	struct step_view step;
	struct listing listing;

	if (strncmp(view, "identify", 8) == 0) {
		struct identification *found = identify_create(
			around, &(struct expression_scope){ staged->walk, 0, 0 }, text_of(rest + 1));
		const char *text = reasons_of(&found->listing, 0, SIZE_MAX, true);

		identify_free(found);
		return text;
	}
	view += why ? 4 : head ? 5 : 0;
	step_view_make(&step, staged->walk, number);
	step.cursor = (uint32_t)step.trace.count;
	const char *token = strchr(rest, '@'), *base = strchr(rest, '=');
	for (unsigned long i = token != NULL ? strtoul(token + 1, NULL, 10) : 0, last = i; i > 0; i--)
		step.cursor = trace_next(&step.trace, i == last ? TRACE_NONE : step.cursor, EVENT_TOKEN);
	telescope_open_all(&state, strchr(rest, '*') != NULL);
	registers_open_all(&opened, strchr(rest, '*') != NULL);
	const struct telescope_options telescope = {
		.crash = &staged->crash, .memory = &around->memory, .binaries = staged->binaries,
		.walk = staged->walk, .step = view[0] == 'w' ? NULL : &step, .state = &state,
		.base = base != NULL ? (unsigned)strtoul(base + 1, NULL, 10) : 16 };
	const struct registers_options registers = {
		.step = &step, .memory = &around->memory, .binaries = staged->binaries,
		.state = &opened, .base = 16 };
	const struct frame_drawing_options drawing = {
		.step = &step, .memory = &around->memory, .binaries = staged->binaries };
	const struct memory_bytes_options bytes = { around, 0x8000, number };
	listing = view[0] == 's' || view[0] == 'w' ? telescope_listing(&telescope, &arena)
		  : view[0] == 'r' ? registers_listing(&registers, &arena) : view[0] == 'b' ? memory_bytes_listing(&bytes, &arena)
				   : frame_drawing_listing(&drawing, &arena);
	const char *comma = strchr(view, ','), *range = strchr(view, ':');
	const size_t columns = comma != NULL ? strtoul(comma + 1, NULL, 10) : 0;
	size_t first = 0, last = SIZE_MAX - 1;
	if (range != NULL)
		sscanf(range, ":%zu-%zu", &first, &last);
	struct row row = ROW_IN(&arena);
	if (head)
		listing_head(&listing, columns, &row);
	const char *text = head  ? arena_string(&arena, row_text(&row))
			   : why ? reasons_of(&listing, first, last - first + 1, false)
				 : rows_of(&listing, first, last - first + 1, columns);
	telescope_state_free(&state);
	step_view_free(&step);
	return text;
}

/* Calls before the return addresses 401105 (e8: of 401000) and 401202 (ff d0: call *rax), and a heap. */
static void
add_memory(struct synth *synth)
{
	static const uint64_t heap[5] = { 0x400010, 0x401202, 0x30010, 0x70, 0x400068003c0041 };
	static const uint8_t code[0x210] = {
		[0x100] = 0xe8, 0xfb, 0xfe, 0xff, 0xff, [0x200] = 0xff, 0xd0, [0x20f] = 1 };

	synth_memory(synth, 0x401000, code, sizeof(code), false);
	synth_memory(synth, 0x30000, synth_words64(synth, heap, 5), sizeof(heap), false);
}

/* The same, and an exception with a context of its own, where rax differs from that of the thread. */
static void
add_exception(struct synth *synth)
{
	uint64_t registers[ARCH_REGISTERS] = { 0 };

	scene_pairs("rip=401010 rsp=20020 rbp=20129 rbx=30010 rcx=20020 rax=12345", scene_take_register,
		    &(struct scene_registers){ arch_by_id(ARCH_AMD64), registers });
	add_memory(synth);
	synth_exception(synth, 1, 11, 1, 0x200e4);
	synth_exception_registers(synth, registers);
}

static void
add_interrupted(struct synth *synth)
{
	static const uint64_t words[8] = { 9, 0x20018, 0, 0x401202 };

	synth_memory(synth, 0x20000, synth_words64(synth, words, 8), sizeof(words), false);
	synth_memory(synth, 0x21003, "unaligned bytes of memory", 25, false);
}

/* Texts at 50000, 50080, ...; the last one has no end. A file of the memory map is at 60000. */
static void
add_texts(struct synth *synth)
{
	static const char maps[] = "00060000-00062000 rw-p 00000000 00:00 0 /lib/data.bin\n"
				   "00063000-00064000 rw-p 00000000 00:00 0\n";
	static const char narrow[][64] = {
		"abc", "abcd", "a\tb\nc\rd", "ab\001cd", "ab\177cd", "Zo\303\253 \342\202\254", "ab\377\376cd",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" };
	static const char *const wide[] = { "abc", "a ~b", "ab\177c", "\351tat",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" };
	static char texts[16][128];

	for (size_t i = 0; i < 10; i++)
		memcpy(texts[i], narrow[i], sizeof(narrow[i]));
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; wide[i][j] != '\0'; j++)
			texts[10 + i][2 * j] = wide[i][j];
	synth_memory(synth, 0x50000, texts, sizeof(texts), false);
	synth_memory(synth, 0x51000, "abcdefgh", 8, false);
	synth_memory(synth, 0x61000, "mapped~", 8, false);
	synth_memory(synth, UINT64_C(0x7000123400000000), "far", 4, false);
	synth_memory(synth, 0x52000, synth_words64(synth, (const uint64_t[]){ 0x52008, 0x52010, 0x52018, 0x50080, 9, 10,
		UINT64_C(0xfffffffffffffff0), 0x52028 }, 8), 64, false);
	synth_thread(synth, 2, (const uint64_t[ARCH_REGISTERS]){ 0 }, 0x80000, "seven\0\0", 8);
	synth_unloaded(synth, 0x70000, 0x1000, "/lib/gone.so", 1);
	synth_stream(synth, 0x47670009, maps, sizeof(maps) - 1);
}

static const struct {
	const char *title;
	struct scene scene;
	bool big_endian;
	struct {
		const char *view, *rows;
	} views[40];
} cases[] = {
	{ "a stack of 64-bit words",
	  { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=20020 rbp=20129 rbx=30010 rcx=20020",
	    .stack = 0x20000, .stack_size = 0x164,
	    /* 4 equal words, 3, 8 plain ones, 7 plain ones and 8 words of text; others are pointers. */
	    .memory = "20000=1 20008=401105 20018=6162636465666768 20040=5 20048=5 20050=5 20058=401105 "
		      "20060=11 20068=12 20070=13 20078=14 20080=15 20088=16 20090=17 20098=18 200a0=20020 "
		      "200a8=21 200b0=22 200b8=23 200c0=24 200c8=25 200d0=26 200d8=27 200e0=30010 "
		      "200e8=4141414141414141 200f0=4242424242424242 200f8=4343434343434343 "
		      "20100=4444444444444444 20108=4545454545454545 20110=4646464646464646 "
		      "20118=4747474747474747 20120=4848484848484848 20128=30000 20130=401105 20138=20138 "
		      "20140=20018 20148=401204 20150=400000 20158=30008",
	    .modules = APP("FUNC 1000 100 0 leaf\nFUNC 1100 100 0 caller\nFUNC 1200 10 0 outer\n"
			   "STACK CFI INIT 1000 100 .cfa: $rsp 280 + .ra: .cfa -8 + ^ $rbx: .cfa -16 + ^\n"
			   "STACK CFI INIT 1100 100 .cfa: $rsp 24 + .ra: .cfa -8 + ^\n"), .more = add_exception, .binaries = "" },
	  .views = {
		{ "frame 0@1:0-0", " frame 0  leaf + 0x10  end not yet" },
		{ "frame 0@2:4-10",
		  " 0000000000020020 | ...              | rsp + 0    35 words that no rule has named yet: locals, spills, arguments  <- rcx, rsp\n"
		  "                  +------------------+\n"
		  " ?                == end of frame 0: not yet\n"
		  " words and addresses are hexadecimal, distances from the rsp decimal" },
		{ "frame 0,75:6-6", " 000000020128 | 0000000000030000 | CFA - 16   saved rbx of frame 1" },
		{ "frame 0,76:6-6", " 0000000000020128 | 0000000000030000 | CFA - 16   saved rbx of frame 1" },
		{ "frame 0@3:6-6", " 0000000000020138 == CFA of frame 0: the rsp of frame 1" },
		{ "head-stack 0,106",
		  " address           value             fr  marks               reading  ^ the stack grows to lower addresses" },
		{ "head-stack 0,105",
		  " address           value             fr  marks               reading                    ^ the stack grows" },
		{ "why-stack 0*:6-6", "0000000000020020 to 000000000002003f; Space folds them => fold 20020" },
		{ "why-stack 0:10-11",
		  "[0000000000020058] = 0000000000401105   scene.dmp+0x134   caller + 0x5, after a call? => code 401105\n"
		  "0000000000020060 to 000000000002009f; Space opens them => fold 20060" },
		{ "stack 0,76:5-5", " -- frame 0  ctx  leaf + 0x10  280 (0x118) bytes --" },
		{ "stack 0,75:5-5", " -- frame 0  ctx  leaf + 0x10  280 bytes --" },
		{ "redacted-why-stack 0:22-22",
		  "[0000000000020128] = (redacted)   scene.dmp+0x204   saved rbx of frame 1: memory   from   scene-0.sym:5:65 => memory 30000" },
		{ "redacted-registers 0*:3-3", " rsp   0000000000020020  * 0000000000020138      3  20020 + 0x118" },
		{ "redacted-frame 0:6-6", " 0000000000020128 | redacted         | CFA - 16   saved rbx of frame 1" },
		{ "redacted-words 0*:35-35", " 00000000000200f0  (redacted)         0                      " },
		{ "head-stack 0", " address           value             fr  marks               reading  ^ the stack grows to lower addresses" },
		{ "head-stack 0,100", " address           value             fr  marks               reading               ^ the stack grows" },
		{ "head-stack 0,58", " address       value             fr  reading       ^ grows" },
		{ "stack 0,100:22-23",
		  " 0000000000020128 *0000000000030000   0  token 11            saved rbx of frame 1: memory -> app + ~\n"
		  " 0000000000020130 *0000000000401105   0  token 7             return to caller + 0x5, after a call" },
		{ "stack 0,70:22-22", " 000000020128 *0000000000030000   0  token 11  saved rbx of frame 1: ~" },
		{ "why-frame 0:4-10",
		  "[0000000000020020]   scene.dmp+0xfc   33 words that no rule names: locals, spills, arguments  <- rcx, rsp => memory 20020\n"
		  "\n"
		  "[0000000000020128] = 0000000000030000   scene.dmp+0x204   saved rbx of frame 1   from   scene-0.sym:5:65 => memory 20128\n"
		  "\n"
		  "[0000000000020130] = 0000000000401105   scene.dmp+0x20c   return address: caller + 0x5   from   scene-0.sym:5:47 => frame 1 of 0\n"
		  "\nCFA of frame 0: the rsp of frame 1   scene-0.sym:5:31 => place" },
		{ "stack 0@3:22-25", " 0000000000020128  0000000000030000   0                      memory -> app + 0x10?\n"
		  " 0000000000020130  0000000000401105   0                      caller + 0x5, after a call?\n"
		  " == CFA of frame 0: the rsp of frame 1 ==\n"
		  " -- frame 1  cfi  caller + 0x5  24 (0x18) bytes --" },
		{ "stack 0@7:22-24", " 0000000000020128  0000000000030000   0                      memory -> app + 0x10?\n"
		  " 0000000000020130 >0000000000401105   0  token 7             return to caller + 0x5, after a call\n"
		  " == CFA of frame 0: the rsp of frame 1 ==" },
		{ "registers 0*@3:0-4", " rip   0000000000401010    not yet         \n"
		  "       frame 0  0000000000401010  leaf + 0x10?\n"
		  "       there   0000000000000000 0000000000000000 0000000000000000 0000000000000000\n"
		  " rsp   0000000000020020 >* 0000000000020138      3  20020 + 0x118\n"
		  "       frame 0  0000000000020020  into the stack -> 0" },
		{ "stack 0", " -- below rsp  4 words, the last 128 bytes the red zone --\n"
		  " 0000000000020000  0000000000000001                          1\n"
		  " 0000000000020008  0000000000401105                          caller + 0x5, after a call?\n"
		  " 0000000000020010  0000000000000000                          0\n"
		  " 0000000000020018  6162636465666768                          \"hgfedcba\"\n"
		  " -- frame 0  ctx  leaf + 0x10  280 (0x118) bytes --\n"
		  "   +               ...                0  4 words, all 0000000000000000\n"
		  " 0000000000020040  0000000000000005   0                      5\n"
		  " 0000000000020048  0000000000000005   0                      5\n"
		  " 0000000000020050  0000000000000005   0                      5\n"
		  " 0000000000020058  0000000000401105   0                      caller + 0x5, after a call?\n"
		  "   +               ...                0  8 words\n"
		  " 00000000000200a0  0000000000020020   0                      into the stack, frame 0 -> 0\n"
		  " 00000000000200a8  0000000000000021   0                      decimal 33\n"
		  " 00000000000200b0  0000000000000022   0                      decimal 34\n"
		  " 00000000000200b8  0000000000000023   0                      decimal 35\n"
		  " 00000000000200c0  0000000000000024   0                      decimal 36\n"
		  " 00000000000200c8  0000000000000025   0                      decimal 37\n"
		  " 00000000000200d0  0000000000000026   0                      decimal 38\n"
		  " 00000000000200d8  0000000000000027   0                      decimal 39\n"
		  " 00000000000200e0 !0000000000030010   0  crash               memory -> memory\n"
		  "   +               ...                0  8 words of text: \"AAAAAAAA\"...\n"
		  " 0000000000020128 *0000000000030000   0  token 11            saved rbx of frame 1: memory -> app + 0x10?\n"
		  " 0000000000020130 *0000000000401105   0  token 7             return to caller + 0x5, after a call\n"
		  " == CFA of frame 0: the rsp of frame 1 ==\n"
		  " -- frame 1  cfi  caller + 0x5  24 (0x18) bytes --\n"
		  " 0000000000020138  0000000000020138   1  rsp of 1, cfa of 0  into the stack, frame 1 -> into the stack\n"
		  " 0000000000020140  0000000000020018   1                      into the stack -> \"hgfedcba\"\n"
		  " 0000000000020148  0000000000401204   1                      return to outer + 0x4, not after a call\n"
		  " == CFA of frame 1: the rsp of frame 2 ==\n"
		  " -- frame 2  cfi  outer + 0x4  end unknown --\n"
		  " 0000000000020150  0000000000400000   2  rsp of 2, cfa of 1  app + 0x0?\n"
		  " 0000000000020158  0000000000030008                          memory -> outer + 0x2, after a call?" },
		{ "registers 0*:0-14", " rip   0000000000401010  * 0000000000401105      7  [20130], scene.dmp+0x20c\n"
		  "       frame 0  0000000000401010  leaf + 0x10?\n"
		  "       frame 1  0000000000401105  caller + 0x5, after a call?\n"
		  "       there   0000000000000000 0000000000000000 0000000000000000 0000000000000000\n"
		  " rsp   0000000000020020  * 0000000000020138      3  20020 + 0x118\n"
		  "       frame 0  0000000000020020  into the stack -> 0\n"
		  "       frame 1  0000000000020138  into the stack -> into the stack\n"
		  "       there   0000000000020138 0000000000020018 0000000000401204 0000000000400000\n"
		  " rbp   0000000000020129  = 0000000000020129         rbp of frame 0, scene.dmp+0x87c; unchanged: no record mentions it\n"
		  "       frame 0  0000000000020129  into the stack -> 0500000000000300\n"
		  "       there   0500000000000300 3800000000004011 1800000000000201 0400000000000200\n"
		  " rbx   0000000000030010  * 0000000000030000     11  [20128], scene.dmp+0x204\n"
		  "       frame 0  0000000000030010  memory -> memory\n"
		  "       frame 1  0000000000030000  memory -> app + 0x10?\n"
		  "       there   0000000000400010 0000000000401202 0000000000030010 0000000000000070" },
		{ "registers 0*:61-66", "   st          all 8 are 0\n - vector registers  3 values, all 0\n"
		  "   vector_register all 26 are 0\n   vector_control 0000000000000000\n"
		  "   xmm         all 16 are 0\n - debug registers  11 values, all 0" },
		{ "registers 0*:85-89", "   context_flags 0010000b  amd64, control, integer, float\n"
		  " - the thread's own context, which is not walked: the exception has one\n"
		  "   rax    * 0000000000000000   scene.dmp+0x2b8\n"
		  "   rdx    = 0000000000000000   scene.dmp+0x2c8\n"
		  "   rcx    = 0000000000020020   scene.dmp+0x2c0" },
		{ "why-registers 0*:0-3", "rip 0000000000401105 = [20130], scene.dmp+0x20c   from scene-0.sym:5:57\n"
		  "       frame 0  0000000000401010  leaf + 0x10? => memory 401010\n"
		  "       frame 1  0000000000401105  caller + 0x5, after a call? => memory 401105\n"
		  "       there   0000000000000000 0000000000000000 0000000000000000 0000000000000000 => memory 401105" },
		{ "why-registers 0*:42-45", " - flags  mx_csr 00000000 eflags 00000000 => fold 0\n"
		  "   mx_csr      00000000   scene.dmp+0x810 => place\n"
		  "   eflags      00000000   scene.dmp+0x820 => place\n"
		  " - segments  cs 0000 ds 0000 es 0000 fs 0000 gs 0000 ss 0000 => fold 0" },
		{ "why-registers 0*:85-87", "   context_flags 0010000b  amd64, control, integer, float   scene.dmp+0x80c => place\n"
		  " - the thread's own context, which is not walked: the exception has one => fold 0\n"
		  "   rax    * 0000000000000000   scene.dmp+0x2b8 => place" },
		{ "identify 8000000000001000", " value         0x8000000000001000   decimal 9223372036854779904   -9223372036854771712\n"
		  " no address    not canonical: bits 47 to 63 differ, so that no pointer has this value" },
		{ "identify 20000", " value         0x20000   decimal 131072\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x714 => thread\n"
		  " below         below the stack pointer: in the red zone, which a leaf function may use\n"
		  " in the dump   20000-20163, 356 bytes   scene.dmp+0xdc => memory 20000\n"
		  " holds         0000000000000001  1   scene.dmp+0xdc => memory 20000" },
		{ "identify 401105", " value         0x401105   decimal 4198661\n"
		  " frame         rip of frame 1: it continues here when its callee returns => frame 1 of 0\n"
		  " module        0x1105 bytes into app   scene.dmp+0x770 => module\n"
		  " function      caller + 0x5   scene-0.sym:3:1 => code 401105\n"
		  " return to     after a call of leaf   scene.dmp+0xe54 => code 401100\n"
		  " in the dump   401000-40120f, 528 bytes   scene.dmp+0xe59 => memory 401105\n"
		  " holds         0000000000000000  0   scene.dmp+0xe59 => memory 401105" },
		{ "identify 401202", " value         0x401202   decimal 4198914\n"
		  " module        0x1202 bytes into app   scene.dmp+0x770 => module\n"
		  " function      outer + 0x2   scene-0.sym:4:1 => code 401202\n"
		  " return to     after an indirect call   scene.dmp+0xf54 => code 401200\n"
		  " in the dump   401000-40120f, 528 bytes   scene.dmp+0xf56 => memory 401202\n"
		  " holds         0000000000000000  0   scene.dmp+0xf56 => memory 401202" },
	  } },
	{ "frames of three methods",
	  { ARCH_ARM64, CRASH_OS_MAC, .registers = "pc=401010 sp=20010 lr=401104 fp=20030 x3=20038 cpsr=60000000",
	    .stack = 0x20000, .stack_size = 0x88,
	    .memory = "20010=401104 20030=20050 20038=401204 20040=7 20048=401304 20050=1 20070=401304",
	    .modules = APP("FUNC 1000 100 0 leaf\nFUNC 1100 100 0 caller\nFUNC 1200 10 0 outer\n"
			   "FUNC 1300 10 0 start\nSTACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30\n") },
	  .views = {
		{ "registers 0*:70-74", " cpsr  0000000060000000  - unknown                  not kept across calls\n"
		  "       frame 0  0000000060000000  not an address in the dump\n"
		  "       bits    Z, C\n - flags  cpsr 60000000  Z, C\n   cpsr        60000000  Z, C" },
		{ "why-registers 0*:72-73", "       bits    Z, C => place\n - flags  cpsr 60000000  Z, C => fold 0" },
		{ "stack 2@1:12-16", " -- frame 2  fp  outer + 0x4  16 (0x10) bytes --\n"
		  " 0000000000020040 ?0000000000000007   2  sp of 2             7; refused: in no module\n"
		  " 0000000000020048 +0000000000401304   2                      start + 0x4?; taken by the scan\n"
		  " == end of frame 2: not yet ==\n -- frame 3  scan  start + 0x4  40 (0x28) bytes --" },
		{ "stack 2@4,80:13-15", " 0000000000020040 ?0000000000000007   2  sp of 2   7; refused: in no module\n"
		  " 0000000000020048 >0000000000401304   2  token 4   guess: return to start + 0x4\n"
		  " == end of frame 2: not yet ==" },
		{ "stack 3,108:21-21",
		  " 0000000000020070 *0000000000401304   3  token 4             guess: return to start + 0x4; taken by the scan" },
		{ "stack 3,107:21-21", " 0000000000020070 *0000000000401304   3  token 4             guess: return to start + 0x4" },
		{ "stack 3:17-21", " 0000000000020050 ?0000000000000001   3  sp of 3, fp of 2    1; refused: in no module\n"
		  " 0000000000020058 ?0000000000000000   3                      0; refused: in no module\n"
		  " 0000000000020060 ?0000000000000000   3                      0; refused: in no module\n"
		  " 0000000000020068 ?0000000000000000   3                      0; refused: in no module\n"
		  " 0000000000020070 *0000000000401304   3  token 4             guess: return to start + 0x4; taken by the scan" },
		{ "why-stack 2:9-17",
		  "[0000000000020030] = 0000000000020050   scene.dmp+0x100   saved fp of frame 2: into the stack, frame 3 -> 1 => memory 20050\n"
		  "[0000000000020038] = 0000000000401204   scene.dmp+0x108   return to outer + 0x4 => frame 2 of 0\n"
		  "0000000000020040 = end of frame 1: the sp of frame 2 (assumed: frame pointer) => register 2 of 0\n"
		  "from 0000000000020040 on: -- frame 2  fp  outer + 0x4  16 (0x10) bytes -- => frame 2 of 0\n"
		  "[0000000000020040] = 0000000000000007   scene.dmp+0x110   7; refused: in no module => place\n"
		  "[0000000000020048] = 0000000000401304   scene.dmp+0x118   guess: return to start + 0x4; taken by the scan => frame 3 of 0\n"
		  "0000000000020050 = end of frame 2: the sp of frame 3 (guessed: stack scan) => register 3 of 0\n"
		  "from 0000000000020050 on: -- frame 3  scan  start + 0x4  40 (0x28) bytes -- => frame 3 of 0\n"
		  "[0000000000020050] = 0000000000000001   scene.dmp+0x120   1 => place" },
		{ "frame 0", " frame 0  leaf + 0x10  0 bytes\n STACK CFI  .cfa: sp 0 +   scene-0.sym:6:31\n"
		  " 0000000000020010 == CFA of frame 0: the sp of frame 1\n"
		  " the return address is in lr, not on the stack\n"
		  " unchanged: x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, fp" },
		{ "frame 1:7-14", " 0000000000020028 | 0000000000000000 | sp + 24    0\n"
		  "                  +------------------+\n"
		  " 0000000000020030 | 0000000000020050 | sp + 32    saved fp of frame 2  <- fp\n"
		  "                  +------------------+\n"
		  " 0000000000020038 | 0000000000401204 | sp + 40    return address: outer + 0x4\n"
		  "                  +------------------+\n"
		  " 0000000000020040 == end of frame 1: the sp of frame 2 (assumed: frame pointer)\n"
		  " words and addresses are hexadecimal, distances from the sp decimal" },
		{ "frame 2:4-9", " 0000000000020040 | 0000000000000007 | sp + 0     7  <- sp\n"
		  "                  +------------------+\n"
		  " 0000000000020048 | 0000000000401304 | sp + 8     guess: return address: start + 0x4\n"
		  "                  +------------------+\n"
		  " 0000000000020050 == end of frame 2: the sp of frame 3 (guessed: stack scan)\n"
		  " unchanged: fp" },
		{ "identify 20038", " value         0x20038   decimal 131128\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x4ec => thread\n"
		  " register      x3 of frame 0\n in frame      1, at sp + 0x28 => frame 1 of 0\n"
		  " saved         the return address from frame 1 to frame 2 => frame 1 of 0\n"
		  " in the dump   20000-20087, 136 bytes   scene.dmp+0x108 => memory 20038\n"
		  " holds         0000000000401204  outer + 0x4?   scene.dmp+0x108 => memory 20038" },
		{ "identify 20010", " value         0x20010   decimal 131088\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x4ec => thread\n"
		  " frame         sp of frame 0 => frame 0 of 0\n"
		  " frame         sp of frame 1 => frame 1 of 0\n"
		  " in frame      1, at sp + 0x0 => frame 1 of 0\n"
		  " cfa           the canonical frame address of frame 0\n"
		  " in the dump   20000-20087, 136 bytes   scene.dmp+0xe0 => memory 20010\n"
		  " holds         0000000000401104  caller + 0x4?   scene.dmp+0xe0 => memory 20010" },
	  } },
	{ "a stack without return addresses",
	  { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=20020 rbx=30010 rcx=401105 rbp=20040",
	    .stack = 0x1ff80, .stack_size = 0xe0, .modules = APP("FUNC 1000 100 0 leaf\nFUNC 1100 100 0 caller\n"
			   "STACK CFI INIT 1000 100 .cfa: $rbx 8 + .ra: $rcx\n"), .more = add_memory, .binaries = "" },
	  .views = {
		{ "identify 1ffa0", " value         0x1ffa0   decimal 130976\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x684 => thread\n"
		  " below         below the stack pointer: in the red zone, which a leaf function may use\n"
		  " in the dump   1ff80-2005f, 224 bytes   scene.dmp+0xf0 => memory 1ffa0\n"
		  " holds         0000000000000000  0   scene.dmp+0xf0 => memory 1ffa0" },
		{ "identify 1ff9f", " value         0x1ff9f   decimal 130975\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x684 => thread\n"
		  " below         below the stack pointer: not in use\n"
		  " in the dump   1ff80-2005f, 224 bytes   scene.dmp+0xef => memory 1ff9f\n"
		  " holds         0000000000000000  0   scene.dmp+0xef => memory 1ff9f" },
		{ "stack 0,75", " -- below rsp  20 words, the last 128 bytes the red zone --\n"
		  "   +           ...                   20 words, all 0000000000000000\n"
		  " -- frame 0  ctx  leaf + 0x10  end unknown --\n"
		  "   +           ...                0  4 words, all 0000000000000000; refuse~\n"
		  " 000000020040 ?0000000000000000      rbp of 0  0; refused: in no module\n"
		  " 000000020048 ?0000000000000000                0; refused: in no module\n"
		  " 000000020050 ?0000000000000000                0; refused: in no module\n"
		  " 000000020058 ?0000000000000000                0; refused: in no module" },
		{ "stack 0*,76:21-28", " 0000000000020018  0000000000000000                0\n"
		  " -- frame 0  ctx  leaf + 0x10  end unknown --\n"
		  "   -               ...                0  4 words, all 0000000000000000; ref~\n"
		  " 0000000000020020 ?0000000000000000   0  rsp of 0  0; refused: in no module\n"
		  " 0000000000020028 ?0000000000000000                0; refused: in no module\n"
		  " 0000000000020030 ?0000000000000000                0; refused: in no module\n"
		  " 0000000000020038 ?0000000000000000                0; refused: in no module\n"
		  " 0000000000020040 ?0000000000000000      rbp of 0  0; refused: in no module" },
		{ "frame 0", " frame 0  leaf + 0x10  end unknown\n"
		  " no caller: no return address in the last 64 bytes of the stack, up to 0x20060" },
	  } },
	/* The return address is 8 bytes above the CFA, 20008. */
	{ "a return address outside its frame",
	  { ARCH_AMD64, CRASH_OS_WINDOWS, .registers = "rip=401010 rsp=20000", .stack = 0x20000, .stack_size = 0x30,
	    .memory = "20000=5 20008=61626364 20010=401105 20020=7", .modules = APP("FUNC 1000 100 0 leaf\nFUNC 1100 100 0 caller\n"
			   "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 + ^ $rbx: .cfa 24 + ^ $rsp: .cfa\n") },
	  .views = {
		{ "why-frame 0:8-10", "[0000000000020008] = 0000000061626364   scene.dmp+0xd8   outside the frame => memory 20008\n"
		  "\n"
		  "[0000000000020010] = 0000000000401105   scene.dmp+0xe0   outside the frame: return address: caller + 0x5   from   scene-0.sym:4:45 => frame 1 of 0" },
		{ "frame 0:6-15", " 0000000000020008 == CFA of frame 0: the rsp of frame 1\n"
		  "                  +------------------+\n"
		  " 0000000000020008 | 0000000061626364 | CFA + 0    outside the frame\n"
		  "                  +------------------+\n"
		  " 0000000000020010 | 0000000000401105 | CFA + 8    outside the frame: return address: caller + 0x5\n"
		  "                  +------------------+\n"
		  " 0000000000020018 | 0000000000000000 | CFA + 16   outside the frame\n"
		  "                  +------------------+\n"
		  " 0000000000020020 | 0000000000000007 | CFA + 24   outside the frame: saved rbx of frame 1\n"
		  "                  +------------------+" },
	  } },
	{ "a stack pointer above the CFA",
	  { ARCH_AMD64, CRASH_OS_WINDOWS, .registers = "rip=401010 rsp=20000", .stack = 0x20000, .stack_size = 0x30,
	    .memory = "20000=5 20008=61626364 20010=401105 20020=7", .modules = APP("FUNC 1000 100 0 leaf\nFUNC 1100 100 0 caller\n"
			   "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 + ^ $rsp: .cfa 16 +\n") },
	  .views = {
		{ "frame 0:5-8", " 0000000000020008 | 0000000061626364 | CFA + 0    \"dcba\"\n"
		  "                  +------------------+\n"
		  " 0000000000020010 | 0000000000401105 | CFA + 8    return address: caller + 0x5\n"
		  "                  +------------------+" },
		{ "stack 0:4-5", " == end of frame 0: the rsp of frame 1 (STACK CFI); its CFA is 0000000000020008 ==\n"
		  " -- frame 1  cfi  caller + 0x5  end unknown --" },
	  } },
	/* ucontext of Linux (asm/ucontext.h) begins at 40010: rsp at 160, rip at 168, cs at 184. */
	{ "a signal handler on a stack of its own",
	  { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=40000", .stack = 0x40000, .stack_size = 0xe0,
	    .memory = "40008=401300 40010=7 400b0=20010 400b8=401110 400c0=246 400c8=33",
	    .modules = APP("FUNC 1000 100 0 handler\nFUNC 1100 100 0 interrupted\nFUNC 1200 10 0 outer\n"
			   "FUNC 1300 10 0 __restore_rt\n"
			   "STACK CFI INIT 1000 200 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"), .more = add_interrupted },
	  .views = {
		{ "frame 0@6:4-8", " 0000000000040000 | 0000000000000000 | CFA - 16   0  <- rsp\n"
		  " 0000000000040008 | 0000000000401300 | CFA - 8    __restore_rt?\n"
		  "                  +------------------+\n"
		  " 0000000000040010 == CFA of frame 0: the rsp of frame 1\n"
		  " words and addresses are hexadecimal, distances from the CFA decimal" },
		{ "stack 0:0-17", " -- below rsp  2 words, the last 128 bytes the red zone --\n"
		  " 0000000000020000  0000000000000009                          9\n"
		  " 0000000000020008  0000000000020018                          memory -> outer + 0x2?\n"
		  " -- frame 2  sig  interrupted + 0x10  16 (0x10) bytes --\n"
		  " 0000000000020010  0000000000000000   2  rsp of 2            0\n"
		  " 0000000000020018  0000000000401202   2                      return to outer + 0x2\n"
		  " == CFA of frame 2: the rsp of frame 3 ==\n"
		  " -- frame 3  cfi  outer + 0x2  end unknown --\n"
		  "   +               ...                3  4 words, all 0000000000000000\n"
		  " -- the dump has no memory from 0000000000020040 to 000000000003ffff --\n"
		  " -- frame 0  ctx  handler + 0x10  16 (0x10) bytes --\n"
		  " 0000000000040000  0000000000000000   0  rsp of 0            0\n"
		  " 0000000000040008 *0000000000401300   0  token 7             return to __restore_rt + 0x0 <signal handler called>\n"
		  " == CFA of frame 0: the rsp of frame 1 ==\n"
		  " -- frame 1  cfi  __restore_rt + 0x0 <signal handler called>  end unknown --\n"
		  " 0000000000040010  0000000000000007   1  rsp of 1, cfa of 0  7\n"
		  "   +               ...                   4 words, all 0000000000000000\n"
		  " 0000000000040038  0000000000000000                          0" },
		{ "frame 1:25-29", " 00000000000400b0 | 0000000000020010 | rsp + 160  saved rsp of frame 2\n"
		  " 00000000000400b8 | 0000000000401110 | rsp + 168  saved rip of frame 2\n"
		  "                  +------------------+\n"
		  " 00000000000400c0 == end unknown: the rsp of frame 2 is elsewhere, 0000000000020010\n"
		  " words and addresses are hexadecimal, distances from the rsp decimal" },
		{ "bytes 1:6-7", " 21000           75 6e 61 6c 69 67 6e 65 64 20 62 79 74    unaligned byt\n"
		  " 21010  65 73 20 6f 66 20 6d 65 6d 6f 72 79             es of memory    " },
		{ "bytes 4:4-10", " 20030  00000000 00000000 00000000 00000000  ................\n"
		  " 0xfc3 bytes are not in the dump; 21003-2101b 25 bytes\n"
		  " 21000  ???????? 696c616e 64656e67 74796220     unaligned byt\n"
		  " 21010  6f207365 656d2066 79726f6d           es of memory    \n"
		  " 0x1efe4 bytes are not in the dump; 40000-400df 224 bytes stack of thread 0\n"
		  " 40000  00000000 00000000 00401300 00000000  ..........@.....\n"
		  " 40010  00000007 00000000 00000000 00000000  ................" },
		{ "why-bytes 2:4-9", "20030-2003f   scene.dmp+0x77c => place\n"
		  "0xfc3 bytes are not in the dump; 21003-2101b 25 bytes   scene.dmp+0x78c => place\n"
		  "21003-2100f   scene.dmp+0x78c => place\n21010-2101b   scene.dmp+0x799 => place\n"
		  "0x1efe4 bytes are not in the dump; 40000-400df 224 bytes stack of thread 0   scene.dmp+0xd0 => place\n"
		  "40000-4000f stack of thread 0   scene.dmp+0xd0 => place" },
		{ "identify 20008", " value         0x20008   decimal 131080\n"
		  " in the dump   20000-2003f, 64 bytes   scene.dmp+0x754 => memory 20008\n"
		  " holds         0000000000020018  memory -> outer + 0x2?   scene.dmp+0x754 => memory 20008" },
		{ "identify 401110", " value         0x401110   decimal 4198672\n"
		  " frame         rip of frame 2: it stopped here => frame 2 of 0\n"
		  " module        0x1110 bytes into app   scene.dmp+0x6e0 => module\n"
		  " function      interrupted + 0x10   scene-0.sym:3:1 => code 401110" },
	  } },
	{ "words of each kind",
	  { ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=0 rsp=20000", .stack = 0x20000, .stack_size = 0x120,
	    .memory = "20000=50000 20008=50080 20010=50100 20018=50180 20020=50200 20028=50280 20030=50300 "
		      "20038=50380 20040=50400 20048=50480 20050=50500 20058=50580 20060=50600 20068=50680 "
		      "20070=50700 20078=50780 20080=51000 20088=52000 20090=52010 20098=52020 200a0=52028 "
		      "200a8=52030 200b0=80000 200b8=60010 200c0=63010 200c8=70123 200d0=ffff 200d8=10000 "
		      "200e0=ffffffffffff0000 200e8=ffffffffffff0001 200f0=fffffffffffffff7 200f8=fffffffffffffff6 "
		      "20100=9 20108=a 20110=5f5f5f5f5f5f5f5f 20118=fefefefefefefefe", .more = add_texts },
	  .views = {
		{ "words 0*", " -- frame 0  ctx  in no module  end unknown --\n"
		  " 0000000000020000  0000000000050000   0  rsp of 0            memory -> 0000000000636261\n"
		  " 0000000000020008  0000000000050080                          memory -> \"abcd\"\n"
		  " 0000000000020010  0000000000050100                          memory -> \"a\\x09b\\x0ac\\x0dd\"\n"
		  " 0000000000020018  0000000000050180                          memory -> 0000006463016261\n"
		  " 0000000000020020  0000000000050200                          memory -> 00000064637f6261\n"
		  " 0000000000020028  0000000000050280                          memory -> \"Zoë €\"\n"
		  " 0000000000020030  0000000000050300                          memory -> 00006463feff6261\n"
		  " 0000000000020038  0000000000050380                          memory -> \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n"
		  " 0000000000020040  0000000000050400                          memory -> \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n"
		  " 0000000000020048  0000000000050480                          memory -> \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"...\n"
		  " 0000000000020050  0000000000050500                          memory -> 0000006300620061\n"
		  " 0000000000020058  0000000000050580                          memory -> L\"a ~b\"\n"
		  " 0000000000020060  0000000000050600                          memory -> 0063007f00620061\n"
		  " 0000000000020068  0000000000050680                          memory -> 00740061007400e9\n"
		  " 0000000000020070  0000000000050700                          memory -> L\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\n"
		  " 0000000000020078  0000000000050780                          memory -> L\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"...\n"
		  " 0000000000020080  0000000000051000                          memory -> \"abcdefgh\"\n"
		  " 0000000000020088  0000000000052000                          memory -> -> -> memory\n"
		  " 0000000000020090  0000000000052010                          memory -> -> -> \"abcd\"\n"
		  " 0000000000020098  0000000000052020                          memory -> 9\n"
		  " 00000000000200a0  0000000000052028                          memory -> 0xa\n"
		  " 00000000000200a8  0000000000052030                          memory -> decimal -16\n"
		  " 00000000000200b0  0000000000080000                          stack of thread 1 -> \"seven\"\n"
		  "   -               ...                   11 words\n"
		  " 00000000000200b8  0000000000060010                          data.bin + 0x10, not in the dump\n"
		  " 00000000000200c0  0000000000063010                          memory, not in the dump\n"
		  " 00000000000200c8  0000000000070123                          gone.so + 0x123, unloaded\n"
		  " 00000000000200d0  000000000000ffff                          decimal 65535\n"
		  " 00000000000200d8  0000000000010000                          \n"
		  " 00000000000200e0  ffffffffffff0000                          \n"
		  " 00000000000200e8  ffffffffffff0001                          decimal -65535\n"
		  " 00000000000200f0  fffffffffffffff7                          -9\n"
		  " 00000000000200f8  fffffffffffffff6                          decimal -10\n"
		  " 0000000000020100  0000000000000009                          9\n"
		  " 0000000000020108  000000000000000a                          decimal 10\n"
		  " 0000000000020110  5f5f5f5f5f5f5f5f                          \"________\"\n"
		  " 0000000000020118  fefefefefefefefe                          a marker of freed memory?" },
		{ "bytes 8,80:1-1", " 000000020000  0000000000050000 0000000000050080  ................" },
		{ "bytes 8,81:1-1", " 0000000000020000  0000000000050000 0000000000050080  ................" },
		{ "bytes 1,80:155-160", " 0xefc0 bytes are not in the dump; 61000-61007 8 bytes rw-p /lib/data.bin\n"
		  " 000000061000  6d 61 70 70 65 64 7e 00                         mapped~.        \n"
		  " 0x1eff8 bytes are not in the dump; 80000-80007 8 bytes stack of thread 1\n"
		  " 000000080000  73 65 76 65 6e 00 00 00                         seven...        \n"
		  " 0x70001233fff7fff8 bytes are not in the dump; 7000123400000000-700012340000000~\n"
		  " 7000123400000000  66 61 72 00                                     far.        ~" },
		{ "identify 50780", " value         0x50780   decimal 329600\n"
		  " in the dump   50000-507ff, 2048 bytes   scene.dmp+0x1430 => memory 50780\n"
		  " holds         0078007800780078   scene.dmp+0x1430 => memory 50780\n"
		  " text          UTF-16: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"   scene.dmp+0x1430 => place" },
		{ "identify 60010", " value         0x60010   decimal 393232\n"
		  " memory map    60000-61fff  rw-p  /lib/data.bin   scene.dmp+0xc50 => place" },
		{ "identify 61000",
		  " value         0x61000   decimal 397312\n memory map    60000-61fff  rw-p  /lib/data.bin   scene.dmp+0xc50 => place\n"
		  " in the dump   61000-61007, 8 bytes   scene.dmp+0x14b8 => memory 61000\n"
		  " holds         007e64657070616d  \"mapped~\"   scene.dmp+0x14b8 => memory 61000\n"
		  " text          \"mapped~\"   scene.dmp+0x14b8 => place" },
		{ "identify 63010", " value         0x63010   decimal 405520\n"
		  " memory map    63000-63fff  rw-p     scene.dmp+0xc86 => place" },
		{ "identify 70123", " value         0x70123   decimal 459043\n"
		  " unloaded      0x123 bytes into /lib/gone.so, which had been unloaded   scene.dmp+0xc38 => place\n"
		  " memory map    nothing is mapped here\n"
		  " near          0xf11c bytes past memory of the dump that ends at 61007" },
		{ "identify 51000", " value         0x51000   decimal 331776\n"
		  " in the dump   51000-51007, 8 bytes   scene.dmp+0x14b0 => memory 51000\n"
		  " holds         6867666564636261  \"abcdefgh\"   scene.dmp+0x14b0 => memory 51000" },
		{ "identify 51010", " value         0x51010   decimal 331792\n memory map    nothing is mapped here\n"
		  " near          0x9 bytes past memory of the dump that ends at 51007" },
		{ "identify 80000", " value         0x80000   decimal 524288\n"
		  " stack of      thread 1 (id 0x2)   scene.dmp+0xbd8 => thread\n"
		  " in the dump   80000-80007, 8 bytes   scene.dmp+0x6cc => memory 80000\n"
		  " holds         0000006e65766573  \"seven\"   scene.dmp+0x6cc => memory 80000\n"
		  " text          \"seven\"   scene.dmp+0x6cc => place" },
	  } },
	{ "big-endian words",
	  { ARCH_PPC, CRASH_OS_MAC, .registers = "r1=20000 srr0=400100", .stack = 0x20000, .stack_size = 0x58,
	    .memory = "20000=61626364 20004=20020 20008=20030 2000c=20000 20010=3 20014=ffffffff "
		      /* "a string\n", and "wide" in UTF-16 */
		      "20020=61207374 20024=72696e67 20028=0a000000 20030=770069 20034=640065 20040=20044 20044=12 "
		      "20048=50000001 2004c=50000002 20050=50000003 20054=50000004", .modules = APP(NULL) }, .big_endian = true,
	  .views = {
		{ "head-stack 0,58", " address   value     fr  marks     reading         ^ grows" },
		{ "head-stack 0,38", " address   value     fr  reading" },
		{ "words 0=10:1-1", " 00020000  1633837924   0  r1 of 0             \"abcd\"" },
		{ "words 0=0:1-1", " 00020000   abcd    0  r1 of 0             \"abcd\"" },
		{ "words 0*", " -- frame 0  ctx  app + 0x100  end unknown --\n"
		  " 00020000  61626364   0  r1 of 0             \"abcd\"\n"
		  " 00020004  00020020                          into the stack -> \"a string\\x0a\"\n"
		  " 00020008  00020030                          into the stack -> L\"wide\"\n"
		  " 0002000c  00020000                          into the stack, frame 0 -> \"abcd\"\n"
		  " 00020010  00000003                          3\n"
		  " 00020014  ffffffff                          -1\n"
		  " 00020018  00000000                          0\n"
		  " 0002001c  00000000                          0\n"
		  " 00020020  61207374                          \"a st\"\n"
		  " 00020024  72696e67                          \"ring\"\n"
		  " 00020028  0a000000                          \n"
		  " 0002002c  00000000                          0\n"
		  " 00020030  00770069                          \n"
		  " 00020034  00640065                          \n"
		  " 00020038  00000000                          0\n"
		  " 0002003c  00000000                          0\n"
		  " 00020040  00020044                          into the stack -> 0x12\n"
		  " 00020044  00000012                          decimal 18\n"
		  " 00020048  50000001                          \n"
		  " 0002004c  50000002                          \n"
		  " 00020050  50000003                          \n"
		  " 00020054  50000004                          " },
		{ "bytes 2:3-6", " 20020  6120 7374 7269 6e67 0a00 0000 0000 0000  a string........\n"
		  " 20030  0077 0069 0064 0065 0000 0000 0000 0000  .w.i.d.e........\n"
		  " 20040  0002 0044 0000 0012 5000 0001 5000 0002  ...D....P...P...\n"
		  " 20050  5000 0003 5000 0004                      P...P...        " },
		{ "frame 0", " frame 0  app + 0x100  end unknown\n"
		  " no caller: no return address in the last 88 bytes of the stack, up to 0x20058" },
		{ "identify 20000", " value         0x20000   decimal 131072\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x518 => thread\n"
		  " frame         r1 of frame 0 => frame 0 of 0\n"
		  " in frame      0, at r1 + 0x0 => frame 0 of 0\n"
		  " in the dump   20000-20057, 88 bytes   scene.dmp+0xd0 => memory 20000\n"
		  " holds         61626364  \"abcd\"   scene.dmp+0xd0 => memory 20000\n"
		  " text          \"abcd\"   scene.dmp+0xd0 => place" },
		{ "identify 20030", " value         0x20030   decimal 131120\n"
		  " stack of      thread 0 (id 0x1)   scene.dmp+0x518 => thread\n"
		  " in the dump   20000-20057, 88 bytes   scene.dmp+0x100 => memory 20030\n"
		  " holds         00770069   scene.dmp+0x100 => memory 20030\n"
		  " text          UTF-16: \"wide\"   scene.dmp+0x100 => place" },
	  } },
};

/* Rows that are opened one by one are those that are opened at once, and each row closes again. */
static void
check_registers(const char *title, struct registers_options options)
{
	struct registers_state one = { 0 }, all = { 0 };
	size_t wrong = 0;

	options.state = &one;
	const struct listing closed = registers_listing(&options, &arena);
	for (size_t i = 0; i < closed.count; i++)
		wrong += !registers_toggle(&one, &closed, i);
	struct listing open = registers_listing(&options, &arena);
	const char *text = rows_of(&open, 0, SIZE_MAX, 0);
	registers_open_all(&all, true);
	options.state = &all;
	open = registers_listing(&options, &arena);
	is_str(text, rows_of(&open, 0, SIZE_MAX, 0), "%s: registers open one by one", title);
	options.state = &one;
	for (size_t i = 0; i < open.count; i++) {
		const int reg = registers_reg(&open, i);
		for (size_t row = registers_row(&open, reg); reg != ARCH_NO_REGISTER && row < i; row++)
			wrong += registers_reg(&open, row) != reg;
		wrong += reg == ARCH_NO_REGISTER && registers_row(&open, reg) != 0;
		wrong += !registers_toggle(&one, &open, i) || registers_listing(&options, &arena).count >= open.count;
		wrong += !registers_toggle(&one, &open, i) || registers_listing(&options, &arena).count != open.count;
	}
	wrong += registers_toggle(&one, &open, open.count);
	is_u64(wrong, 0, "%s: each row of the registers closes and opens", title);
	is_u64((uint64_t)registers_reg(&open, open.count), (uint64_t)ARCH_NO_REGISTER, "%s: no register follows the last one", title);
	registers_open_all(&all, false);
	options.state = &all;
	is_u64(registers_listing(&options, &arena).count, closed.count, "%s: registers close at once", title);
}

int
main(void)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct staged staged;
		struct surroundings around;
		struct step_view step;

		scene_open_ordered(&staged, &cases[i].scene, cases[i].big_endian);
		staged.walk = walk_create(&staged.crash, staged.symbols, staged.binaries, 0, &policy);
		walk_run(staged.walk, 0);
		surroundings_init(&around, &staged.crash, staged.symbols, staged.binaries, &policy, NULL);
		around.loads = true;
		for (size_t j = 0; j < ARRAY_COUNT(cases[i].views) && cases[i].views[j].view != NULL; j++)
			is_str(shown(&staged, &around, cases[i].views[j].view), cases[i].views[j].rows,
			       "%s: %s", cases[i].title, cases[i].views[j].view);
		struct telescope_state state = { 0 };
		check_rows(cases[i].title, (struct telescope_options){
			.crash = &staged.crash, .memory = &around.memory, .binaries = staged.binaries,
			.walk = staged.walk, .state = &state, .base = 16 });
		telescope_state_free(&state);
		check_bytes(cases[i].title, &around, &staged.crash);
		step_view_make(&step, staged.walk, 0);
		check_registers(cases[i].title, (struct registers_options){
			.step = &step, .memory = &around.memory, .binaries = staged.binaries, .base = 16 });
		check_memory(cases[i].title, (struct telescope_options){
			.crash = &staged.crash, .memory = &around.memory, .binaries = staged.binaries,
			.walk = staged.walk, .step = &step, .base = 16 });
		step_view_free(&step);
		surroundings_free(&around);
		scene_close(&staged);
	}
	arena_free(&arena);
	return done_testing();
}
