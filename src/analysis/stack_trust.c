/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/stack_trust.h"

#include "analysis/symbol_fit.h"
#include "base/output.h"
#include "walk/location.h"

/* Whether the architecture has frame tables, and the policy allows them. */
static bool
may_use_frame_tables(const struct walk *walk)
{
	enum method_id list[METHOD_COUNT];
	const size_t count = walk_methods(walk, list);

	for (size_t i = 0; i < count; i++)
		if (list[i] == METHOD_FRAME_TABLE)
			return !walk_method_is_off(walk, METHOD_FRAME_TABLE);
	return false;
}

/* Counts a guess for the callee's module, if this module's rules are missing. */
static void
add_help(struct stack_trust *trust, const struct walk *walk, int module)
{
	const struct symfile *symfile;
	size_t at = 0;

	if (module == MODULE_NONE)
		return;
	while (at < trust->help_count && trust->helps[at].module != module)
		at++;
	if (at == STACK_HELPS)
		return;
	if (at == trust->help_count) {
		symfile = walk_symfile(walk, module);
		const struct stack_help help = {
			.module = module,
			.symbols = symfile == NULL ||
				   (symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0 &&
				    symfile_count(symfile, SYMBOL_STACK_WIN) == 0),
			/* PE files of 32-bit code have no unwind rules. */
			.file = (walk->arch->word_size == 8 ||
				 walk->crash->system.os != CRASH_OS_WINDOWS) &&
				may_use_frame_tables(walk) &&
				binaries_load(walk->binaries, (size_t)module, LOCATE_IMAGE) ==
					NULL,
		};
		if (!help.symbols && !help.file)
			return;
		trust->helps[trust->help_count++] = help;
	}
	trust->helps[at].guesses++;
	for (; at > 0 && trust->helps[at - 1].guesses < trust->helps[at].guesses; at--) {
		const struct stack_help less = trust->helps[at - 1];

		trust->helps[at - 1] = trust->helps[at];
		trust->helps[at] = less;
	}
}

/* Whether a frame was found by a symbol file that does not belong to its callee's module. */
static bool
by_misfit(struct stack_trust *trust, struct walk *walk, size_t number)
{
	const struct frame *frame = &walk->frames[number];
	const int module = number > 0 ? frame[-1].module : MODULE_NONE;
	size_t at = 0;

	if (module == MODULE_NONE ||
	    (frame->method != METHOD_STACK_CFI && frame->method != METHOD_STACK_WIN))
		return false;
	/* The file is needed anyway, for the code of the function. */
	binaries_load(walk->binaries, (size_t)module, LOCATE_IMAGE);
	if (symbol_misfit(walk->binaries, walk->symbols, walk->crash, (size_t)module) == NULL)
		return false;
	while (at < trust->misfit_count && trust->misfits[at] != module)
		at++;
	if (at == trust->misfit_count && at < STACK_HELPS)
		trust->misfits[trust->misfit_count++] = module;
	return true;
}

/*
 * The certainty of a frame. A frame found by frame pointer is a guess if the symbol file has unwind
 * rules, but none for the callee. The callee may then have no frame pointer. It is also a guess if
 * the callee's frame pointer passes over words that look like return addresses.
 */
static enum certainty
certainty_of(const struct walk *walk, size_t number)
{
	const enum certainty certainty = trust_table[walk->frames[number].trust].certainty;
	const struct symfile *symfile =
		certainty == CERTAINTY_FRAME_POINTER && number > 0
			? walk_symfile(walk, walk->frames[number - 1].module) : NULL;

	return walk->frames[number].doubtful ||
			       (symfile != NULL &&
				symfile_count(symfile, SYMBOL_STACK_CFI_INIT) > 0)
		       ? CERTAINTY_GUESSED : certainty;
}

void
stack_trust_of(struct walk *walk, struct stack_trust *trust)
{
	struct arena arena = { 0 };

	*trust = walk->trust != NULL ? *walk->trust : (struct stack_trust){ 0 };
	const size_t from = trust->frames;
	if (trust->trusted == from)
		trust->trusted = walk->count;
	trust->frames = walk->count;
	trust->compared =
		walk->count < CONTRADICTED_FRAMES ? walk->count : CONTRADICTED_FRAMES;
	for (size_t i = from; i < walk->count; i++) {
		const enum certainty certainty = certainty_of(walk, i);

		const bool doubted = by_misfit(trust, walk, i) ||
				     frame_contradicted(walk, i, &arena, NULL) != NULL;

		arena_reset(&arena);
		trust->counts[certainty] += !doubted;
		trust->contradicted += doubted;
		if (certainty == CERTAINTY_GUESSED && i > 0)
			add_help(trust, walk, walk->frames[i - 1].module);
		if ((doubted || certainty == CERTAINTY_GUESSED) && trust->trusted > i)
			trust->trusted = i;
	}
	if (walk->complete && !trust->end_compared) {
		trust->end_compared = true;
		trust->end_contradicted = stack_end_contradicted(walk, &arena, NULL) != NULL;
	}
	arena_free(&arena);
	/* Keep the result: the next call judges only the frames that were added since. */
	if (walk->trust == NULL)
		walk->trust = arena_alloc(&walk->arena, sizeof(*walk->trust));
	if (walk->trust != NULL)
		*walk->trust = *trust;
}

const char *
stack_trust_text(const struct stack_trust *trust, size_t inlined, size_t last, struct arena *arena)
{
	static const char *const words[CERTAINTY_COUNT] = {
		[CERTAINTY_EXACT] = "exact", [CERTAINTY_FRAME_POINTER] = "by frame pointer",
		[CERTAINTY_CONVENTION] = "by convention", [CERTAINTY_GUESSED] = "guessed",
	};
	struct output_string string;
	const struct output *output = &string.output;
	const char *before = ": ";

	output_string_init(&string, arena);
	output_format(output, "%zu frame%s", trust->frames, plural(trust->frames));
	if (inlined > 0)
		output_format(output, " and %zu inlined call%s", inlined, plural(inlined));
	for (size_t i = 0; i < CERTAINTY_COUNT; i++)
		if (trust->counts[i] > 0) {
			output_format(output, "%s%zu %s", before, trust->counts[i], words[i]);
			before = ", ";
		}
	if (trust->contradicted > 0)
		output_format(output, ", %zu contradicted", trust->contradicted);
	if (trust->end_contradicted)
		output_plain(output, ", but their end is contradicted");
	if (trust->compared < trust->frames)
		output_format(output, "; only frames 0 to %zu were compared with other sources",
			      trust->compared - 1);
	if (trust->trusted == 0)
		output_plain(output, "; trust none");
	else if (last == 0)
		output_plain(output, "; trust frame 0");
	else
		output_format(output, "; trust frames 0 to %zu", last);
	return string.text;
}

/* Names the symbol files that do not belong to their modules, with reasons. */
static const char *
misfit_words(const struct stack_trust *trust, const struct walk *walk, struct arena *arena)
{
	const char *words = "";

	for (size_t i = 0; i < trust->misfit_count && words != NULL; i++) {
		const size_t module = (size_t)trust->misfits[i];
		const char *path = walk->crash->modules[module].code_file;
		const char *name = text_printable_copy(arena, text_of(place_base_name(path)));
		const char *why = symbol_misfit(walk->binaries, walk->symbols, walk->crash, module);

		words = arena_format(arena, "%s%sthe symbol file of %s does not belong to it: %s",
				     words, i > 0 ? "; " : "", text_or_empty(name),
				     text_or_empty(why));
	}
	return words;
}

/* Whether a module's ELF file is stripped, and no debug file replaces it. */
static bool
lacks_debug_file(const struct walk *walk, int module)
{
	const struct binary *image = binaries_load(walk->binaries, (size_t)module, LOCATE_IMAGE);
	const struct binary *debug = binaries_load(walk->binaries, (size_t)module, LOCATE_DEBUG);

	return image != NULL && binary_is_stripped(image) &&
	       (debug == NULL || binary_is_stripped(debug));
}

/* Frames searched for a stripped module. */
#define SEARCHED_FRAMES 256u

/* Names the first module that has a frame without a name because its file is stripped. */
static const char *
stripped_words(const struct walk *walk, struct arena *arena)
{
	const char *words = NULL;
	struct arena scratch = { 0 };
	/* The explorer searches after each key: go on where the last search ended. */
	size_t *const searched = walk->trust != NULL ? &walk->trust->searched : &(size_t){ 0 };

	for (; *searched < walk->count && *searched < SEARCHED_FRAMES; ++*searched) {
		const size_t i = *searched;
		const int module = walk->frames[i].module;
		struct location location;

		if (module == MODULE_NONE)
			continue;
		location_of(walk, walk->frames[i].lookup, &scratch, &location);
		const char *path = walk->crash->modules[module].code_file;
		if (location.symfile == NULL && location.calls->name.length == 0 &&
		    lacks_debug_file(walk, module))
			words = arena_format(arena, "%s is stripped: give its debug file, or a "
						    "directory that has it, with '--binaries'",
					     text_or_empty(text_printable_copy(
						     arena, text_of(place_base_name(path)))));
		arena_reset(&scratch);
		if (words != NULL)
			break;
	}
	arena_free(&scratch);
	return words;
}

const char *
stack_trust_help(const struct stack_trust *trust, const struct walk *walk, struct arena *arena)
{
	const char *names = "";
	bool symbols = false, file = false;

	if (trust->misfit_count > 0)
		return misfit_words(trust, walk, arena);
	for (size_t i = 0; i < trust->help_count && names != NULL; i++) {
		const struct stack_help *help = &trust->helps[i];
		const char *path = walk->crash->modules[help->module].code_file;
		const char *name = text_printable_copy(arena, text_of(place_base_name(path)));

		symbols |= help->symbols;
		file |= help->file;
		names = arena_format(arena, "%s%s%s (%zu%s)", names, i > 0 ? ", " : "",
				     text_or_empty(name), help->guesses,
				     i > 0 ? "" : help->guesses == 1 ? " guess" : " guesses");
	}
	if (trust->help_count == 0)
		return stripped_words(walk, arena);
	if (names == NULL)
		return NULL;
	return arena_format(arena, "unwind rules would help for %s: %s%s%s", names,
			    symbols ? "STACK records in symbol files" : "",
			    symbols && file ? " or " : "",
			    file ? "--binaries DIR" : "");
}
