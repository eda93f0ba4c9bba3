/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "api/unspool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/policy_rows.h"
#include "dump/dump.h"
#include "locate/symbol_store.h"
#include "report/step/explain.h"
#include "system/file.h"
#include "walk/location.h"

/* A row of the walk: its frame, and the index of the call in that frame. */
struct stack_row {
	size_t frame, call;
};

struct unspool {
	struct crash crash;
	struct binaries *binaries;
	struct symbols *symbols;
	struct policy policy;
	struct memory_view memory;
	struct walk *walk;		/* NULL: none */
	struct stack_row *rows;		/* in the arena `texts` */
	size_t count, capacity;
	struct trace trace;
	struct arena arena, texts, events;	/* memory of the dump, the walk, the step */
};

static const char *
kept_text(struct arena *arena, struct text text)
{
	const char *copy = text.length > 0 ? text_copy(arena, text) : "";

	return copy != NULL ? copy : "";
}

static bool
is_folder(const char *path)
{
	struct stat status;

	return file_stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Open the symbols and files. Programs, libraries and PDBs in `places` are modules' files. */
static bool
open_files(struct unspool *unspool, const char *const *places, size_t count)
{
	const char **own = arena_array(&unspool->arena, count + 1, sizeof(*own));
	const char **other = arena_array(&unspool->arena, count + 1, sizeof(*other));
	size_t own_count = 0, other_count = 0;

	for (size_t i = 0; own != NULL && other != NULL && i < count; i++) {
		const char *place = arena_string(&unspool->arena, places[i]);
		const bool is_own = place != NULL && binary_kind_of(place) == BINARY_KIND_OWN;

		if (place == NULL)
			return false;
		/* A directory may have both symbols and modules' files. */
		if (is_own || is_folder(place))
			own[own_count++] = place;
		if (!is_own)
			other[other_count++] = place;
	}
	if (own == NULL || other == NULL)
		return false;
	unspool->binaries = binaries_create(&unspool->crash, own, own_count);
	if (unspool->binaries == NULL)
		return false;
	binaries_set(unspool->binaries, BINARIES_MEMORY);
	const struct symbols_source source = {
		.paths = other, .path_count = other_count, .binaries = unspool->binaries,
		.by_code_file = unspool->policy.value[POLICY_SYMBOLS_BY_CODE_FILE] != 0,
		.any_layout = unspool->policy.value[POLICY_SYMBOLS_ANY_LAYOUT] != 0,
	};
	unspool->symbols =
		symbols_open(unspool->crash.modules, unspool->crash.module_count, &source);
	return unspool->symbols != NULL;
}

struct unspool *
unspool_open(const char *dump, const char *const *places, size_t count, char *error, size_t size)
{
	struct unspool *unspool = calloc(1, sizeof(*unspool));
	struct error problem = { .text = OUT_OF_MEMORY };

	if (unspool != NULL) {
		unspool->policy = policy_column(POLICY_UNSPOOL);
		trace_init(&unspool->trace);
		if (dump_open(&unspool->crash, dump, 0, &problem) == ERROR_NONE) {
			snprintf(problem.text, sizeof(problem.text), "%s", OUT_OF_MEMORY);
			memory_view_all(&unspool->memory, &unspool->crash, &unspool->arena);
			if (open_files(unspool, places, count))
				return unspool;
		}
	}
	if (error != NULL)
		snprintf(error, size, "%s", problem.text);
	unspool_close(unspool);
	return NULL;
}

void
unspool_close(struct unspool *unspool)
{
	if (unspool == NULL)
		return;
	trace_free(&unspool->trace);
	walk_free(unspool->walk);
	symbols_free(unspool->symbols);
	binaries_free(unspool->binaries);
	arena_free(&unspool->events);
	arena_free(&unspool->texts);
	arena_free(&unspool->arena);
	crash_free(&unspool->crash);
	free(unspool);
}

const char *
unspool_version(void)
{
	return PACKAGE_VERSION;
}

const char *
unspool_reason(const struct unspool *unspool)
{
	return unspool->crash.reason != NULL ? unspool->crash.reason : "";
}

size_t
unspool_threads(const struct unspool *unspool)
{
	return unspool->crash.thread_count;
}

size_t
unspool_crashed(const struct unspool *unspool)
{
	const int thread = unspool->crash.requesting_thread;

	return thread >= 0 ? (size_t)thread : UNSPOOL_NONE;
}

/* Walk ----------------------------------------------------------------------------------------- */

static bool
add_rows(struct unspool *unspool, size_t frame)
{
	struct arena scratch = { 0 };
	struct location location;
	bool good = true;

	location_of(unspool->walk, unspool->walk->frames[frame].lookup, &scratch, &location);
	for (size_t call = 0; good && call < location.call_count; call++)
		good = ARENA_ADD(&unspool->texts, unspool->rows, unspool->count, unspool->capacity,
				 &(struct stack_row){ frame, call });
	arena_free(&scratch);
	return good;
}

size_t
unspool_walk(struct unspool *unspool, size_t thread)
{
	bool good = true;

	walk_free(unspool->walk);
	arena_free(&unspool->texts);
	trace_reset(&unspool->trace);
	unspool->walk = NULL;
	unspool->rows = NULL;
	unspool->count = unspool->capacity = 0;
	if (thread >= unspool->crash.thread_count)
		return 0;
	unspool->walk = walk_create(&unspool->crash, unspool->symbols, unspool->binaries, thread,
				    &unspool->policy);
	if (unspool->walk == NULL)
		return 0;
	walk_run(unspool->walk, 0);
	for (size_t i = 0; good && i < unspool->walk->count; i++)
		good = add_rows(unspool, i);
	return unspool->count;
}

bool
unspool_frame(struct unspool *unspool, size_t row, struct unspool_frame *frame)
{
	struct arena scratch = { 0 };
	struct location location;

	if (row >= unspool->count)
		return false;
	const struct walk *walk = unspool->walk;
	const struct stack_row *at = &unspool->rows[row];
	const struct frame *own = &walk->frames[at->frame];
	location_of(walk, own->lookup, &scratch, &location);
	if (at->call >= location.call_count) {
		arena_free(&scratch);
		return false;
	}
	const struct call *call = &location.calls[at->call];
	const uint64_t pc = own->registers.value[walk->arch->pc];
	*frame = (struct unspool_frame){
		.frame = at->frame,
		.inlined = call->inlined != NULL,
		.guessed = trust_table[own->trust].certainty == CERTAINTY_GUESSED,
		.pc = pc,
		.sp = own->registers.value[walk->arch->sp],
		.trust = frame_tag(own),
		.module = location.module != NULL ? location.module->code_file : "",
		.function = kept_text(&unspool->texts,
				      location_name(&location, call, pc, false, &scratch)),
		.file = kept_text(&unspool->texts, call->file),
		.line = call->has_line ? call->line : 0,
	};
	arena_free(&scratch);
	return true;
}

const char *
unspool_end(const struct unspool *unspool)
{
	return unspool->walk != NULL ? unspool->walk->end.text : "";
}

bool
unspool_register(const struct unspool *unspool, size_t frame, const char *name, uint64_t *value)
{
	if (unspool->walk == NULL || frame >= unspool->walk->count)
		return false;
	const struct registers *registers = &unspool->walk->frames[frame].registers;
	const int number = arch_register(unspool->walk->arch, text_of(name), ARCH_NAMES_ALIASES);
	if (!registers_known(registers, number))
		return false;
	*value = registers->value[number];
	return true;
}

/* Steps ---------------------------------------------------------------------------------------- */

size_t
unspool_step(struct unspool *unspool, size_t frame)
{
	struct frame caller;
	struct verdict verdict;

	trace_reset(&unspool->trace);
	arena_free(&unspool->events);
	if (unspool->walk == NULL || frame >= unspool->walk->count)
		return 0;
	unwind_step(unspool->walk, frame, &unspool->trace, &caller, &verdict);
	return unspool->trace.count;
}

static size_t
number_of(uint32_t event)
{
	return event == TRACE_NONE ? UNSPOOL_NONE : event;
}

bool
unspool_event(struct unspool *unspool, size_t number, struct unspool_event *event)
{
	if (number >= unspool->trace.count)
		return false;
	const struct event *at = &unspool->trace.events[number];
	const char *name = at->name.length == 0 && at->reg != ARCH_NO_REGISTER
				   ? unspool->walk->arch->registers[at->reg].label : NULL;
	*event = (struct unspool_event){
		.kind = explain_event_kind(at->kind),
		.name = name != NULL ? name : kept_text(&unspool->events, at->name),
		.text = at->text != NULL ? at->text : "",
		.failed = at->status == EVENT_FAILED,
		.has_value = explain_event_has_value(at),
		.address = at->address,
		.value = at->value,
		.parent = number_of(at->parent),
		.from = number_of(at->from),
		.input = at->place.input != NULL ? at->place.input->name : "",
		.offset = at->place.offset,
		.length = at->place.length,
		.line = at->place.line,
	};
	return true;
}

/* Addresses ------------------------------------------------------------------------------------ */

const char *
unspool_symbol(struct unspool *unspool, uint64_t address)
{
	struct arena scratch = { 0 };
	struct location location;
	const char *name = "";

	if (unspool->walk == NULL)
		return name;
	location_of(unspool->walk, address, &scratch, &location);
	if (location.module != NULL)
		name = kept_text(&unspool->texts,
				 location_name(&location, &location.calls[location.call_count - 1],
					       address, true, &scratch));
	arena_free(&scratch);
	return name;
}

size_t
unspool_read(const struct unspool *unspool, uint64_t address, void *bytes, size_t size)
{
	return memory_copy(&unspool->memory, address, bytes, size, NULL);
}
