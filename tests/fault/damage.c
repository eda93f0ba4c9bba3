/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fault/damage.h"

#include "base/hash.h"
#include "dump/describe.h"
#include "report/step/explain.h"
#include "report/file/streams.h"
#include "report/stack/summary.h"
#include "report/stack/walk_text.h"
#include "tests/lib/tap.h"

/* Enough for every bundled stack; damage may make longer ones. */
#define FRAMES 160

/* How many offsets of a file are asked for a description. */
#define OFFSETS 2u

void
bundle_find(struct bundle *bundle, size_t index)
{
	static const char *const names[BUNDLE_COUNT] = { "frame-data-x86", "inlines-amd64", "pac-arm64", "scan-only-amd64" };

	bundle->name = names[index];
	snprintf(bundle->dump, sizeof(bundle->dump), "%s", tap_path("data/crashes/%s/crash.dmp", bundle->name));
	snprintf(bundle->symbols, sizeof(bundle->symbols), "%s", tap_path("data/crashes/%s/symbols", bundle->name));
}

static void *
allocated(void *memory)
{
	if (memory == NULL) {
		perror("damage");
		exit(99);
	}
	return memory;
}

uint8_t *
damage_copy(const uint8_t *bytes, size_t size)
{
	return memcpy(allocated(malloc(size > 0 ? size : 1)), bytes, size);
}

uint8_t *
damage_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = allocated(malloc(1 << 20));

	*size = file != NULL ? fread(bytes, 1, 1 << 20, file) : 0;
	if (file != NULL)
		fclose(file);
	uint8_t *exact = damage_copy(bytes, *size);
	free(bytes);
	return exact;
}

/* Knuth's linear congruential generator for MMIX; its upper half is random enough. */
unsigned
damage_stride(void)
{
	return getenv("UNSPOOL_THOROUGH") != NULL ? 1 : 5;
}

uint32_t
damage_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

void
damage_field(uint8_t *field, unsigned width, unsigned which, uint32_t size, uint32_t file)
{
	uint32_t was = 0;

	for (unsigned i = 0; i < width; i++)
		was |= (uint32_t)field[i] << 8 * i;
	const uint32_t values[DAMAGE_LIMITS] = {
		0, 1, UINT32_MAX, UINT32_C(1) << 31, was - 1, was + 1, size - 1, size, size + 1,
		file - 1, file, file + 1, 0x8000, 0xffff };
	for (unsigned i = 0; i < width; i++)
		field[i] = (uint8_t)(values[which] >> 8 * i);
}

void
offsets_around(struct offsets *offsets, uint64_t offset, size_t size)
{
	for (uint64_t at = offset > 0 ? offset - 1 : 0; at <= offset + 1 && at < size; at++) {
		if (offsets->count == offsets->capacity) {
			offsets->capacity = offsets->capacity * 2 + 64;
			offsets->values = allocated(realloc(offsets->values, offsets->capacity * sizeof(*offsets->values)));
		}
		offsets->values[offsets->count++] = (size_t)at;
	}
}

static int
compare(const void *a, const void *b)
{
	const size_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

void
offsets_sort(struct offsets *offsets)
{
	size_t kept = 0;

	qsort(offsets->values, offsets->count, sizeof(*offsets->values), compare);
	for (size_t i = 0; i < offsets->count; i++)
		if (kept == 0 || offsets->values[i] != offsets->values[kept - 1])
			offsets->values[kept++] = offsets->values[i];
	offsets->count = kept;
}

void
offsets_free(struct offsets *offsets)
{
	free(offsets->values);
	*offsets = (struct offsets){ 0 };
}

bool
damage_has_control(const char *text, size_t length)
{
	const uint64_t each = UINT64_C(0x0101010101010101);

	for (size_t i = 0; i < length;) {
		uint64_t word;
		if (length - i >= sizeof(word)) {
			memcpy(&word, text + i, sizeof(word));
			/* Below space a byte borrows, from 0x7f on it has or gets its high bit. */
			if ((((word - each * ' ') | word | (word + each)) & each * 0x80) == 0) {
				i += sizeof(word);
				continue;
			}
		}
		for (const size_t end = length - i < sizeof(word) ? length : i + sizeof(word); i < end; i++)
			if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
				return true;
	}
	return false;
}

void
damage_swallow(void *context, const char *bytes, size_t length)
{
	struct damage_sink *sink = context;

	sink->control |= damage_has_control(bytes, length);
	sink->length += length;
}

void
damage_note(size_t *count, const char *wrong, const char *done, size_t at)
{
	if (wrong != NULL && (*count)++ < 5)
		tap_diag("%s %zu: %s", done, at, wrong);
}

uint32_t
damage_apart(uint32_t all, unsigned long most)
{
	return most == 0 || all <= most ? 1 : all / (uint32_t)most;
}

static void
explain_frames(const struct output *output, struct walk *walk, bool thorough)
{
	for (size_t i = 0; i < walk->count; i++) {
		struct step_view view;
		if (!thorough && i > 0 && i + 1 < walk->count)
			continue;
		step_view_make(&view, walk, i);
		explain_step(output, &view, ARCH_NO_REGISTER);
		step_view_free(&view);
	}
}

/* True if the recorded step finds the same caller as the walk. */
static bool
same_step(struct walk *walk, size_t number)
{
	const struct frame *walked = number + 1 < walk->count ? &walk->frames[number + 1] : NULL;
	struct verdict verdict;
	struct frame caller;
	struct trace trace;

	trace_init(&trace);
	unwind_step(walk, number, &trace, &caller, &verdict);
	trace_free(&trace);
	/* Threads that share their stacks end at a limit, before the last caller. */
	const size_t shared = walk->crash->shared_frames;
	const bool limited = !walk->complete || (shared != 0 && walk->count >= shared);
	if (walked == NULL || verdict.kind != VERDICT_TAKEN)
		return walked == NULL && (limited || verdict.kind != VERDICT_TAKEN);
	return walked->registers.known == caller.registers.known &&
	       memcmp(walked->registers.value, caller.registers.value, sizeof(caller.registers.value)) == 0 &&
	       walked->trust == caller.trust && walked->method == caller.method &&
	       walked->guessed == caller.guessed && walked->lookup == caller.lookup;
}

static const char *
look_at_thread(const struct output *output, struct walk *walk,
	       const struct walk_text_thread *thread, const struct walk_text_options *options, bool thorough)
{
	if (walk == NULL)
		return "a thread can't be walked";
	walk_run(walk, FRAMES);
	walk_text_thread(output, walk, thread, options);
	explain_frames(output, walk, thorough);
	for (size_t i = 0; i < walk->count; i++)
		if (!same_step(walk, i))
			return "a step that is recorded finds another caller than the walk";
	return walk->complete && walk->end.text[0] == '\0' ? "a stack ends without a reason" : NULL;
}

/* Every stream as the rows of a listing. */
static void
look_at_rows(const struct crash *crash, struct arena *arena)
{
	struct row row;

	row_init(&row, arena);
	for (size_t i = 0; i <= crash->stream_count; i++) {
		struct listing listing = i == crash->stream_count ? streams_directory(crash, arena)
			: streams_listing(crash, i, 0, arena);

		for (size_t j = 0; j < listing.count && j < 40; j++) {
			row_clear(&row);
			listing_fill(&listing, j, 80, &row);
			listing_target(&listing, j);
		}
	}
}

static void
look_at_analysis(const struct output *output, const struct crash *crash, struct walk *walk)
{
	struct analysis *analysis = analysis_create(crash, walk, NULL, NULL);

	if (analysis != NULL)
		summary_print(output, analysis, walk);
	analysis_free(analysis);
}

/* Describe some offsets, different ones in each file: each description reads the whole file. */
static void
look_at_offsets(const struct crash *crash)
{
	const struct reader *file = &crash->reader;
	uint64_t state = hash_words(HASH_START, (const char *)file->data, (size_t)file->size);

	for (unsigned i = 0; i < OFFSETS; i++) {
		char text[256];
		describe_offset(crash, damage_random(&state) % (file->size + 1), text, sizeof(text));
	}
}

static const char *
look_at_walks(const struct output *output, const struct crash *crash, const char *path, bool thorough, struct arena *arena)
{
	const struct walk_text_options options = {
		.walked = allocated(calloc(crash->module_count + 1, sizeof(bool))),
	};
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct symbols *symbols = symbols_create(crash->modules, crash->module_count, &path, 1);
	struct walk_text_thread *threads;
	const char *wrong = NULL;

	walk_text_head(output, crash, &policy, &options);
	size_t count = walk_text_threads(crash, arena, &threads);
	for (size_t i = 0; i < count && wrong == NULL; i++) {
		struct walk *walk = walk_create(crash, symbols, NULL, threads[i].index, &policy);
		wrong = look_at_thread(output, walk, &threads[i], &options, thorough);
		if ((int)threads[i].index == crash->requesting_thread)
			look_at_analysis(output, crash, walk);
		walk_free(walk);
	}
	walk_text_tail(output, crash, symbols, &policy, &options);
	symbols_free(symbols);
	free(options.walked);
	return wrong;
}

const char *
damage_look(const struct crash *crash, const char *path, unsigned parts)
{
	const struct streams_options options = { .hex = true };
	struct damage_sink sink = { 0 };
	const struct output output = { .write = damage_swallow, .context = &sink };
	struct arena arena = { 0 };
	const char *wrong = NULL;

	if ((parts & DAMAGE_WALKS) != 0)
		wrong = look_at_walks(&output, crash, path, (parts & DAMAGE_STEPS) != 0, &arena);
	if ((parts & DAMAGE_TEXT) != 0)
		streams_text(&output, crash, &options);
	if ((parts & DAMAGE_JSON) != 0)
		streams_json(&output, crash, &options, false);
	if ((parts & DAMAGE_ROWS) != 0) {
		look_at_rows(crash, &arena);
		look_at_offsets(crash);
	}
	arena_free(&arena);
	return sink.control ? "a control character was printed" : wrong;
}
