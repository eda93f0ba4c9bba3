/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/thread_state.h"
#include "inspect/recorded_step.h"
#include "report/sanitize/sanitize_internal.h"

/* The crash, its copy, and a sentence about their first difference (empty: none yet). */
struct proof {
	struct sanitizing *sanitizing;
	const struct crash *copy;
	char text[300];
};

ATTRIBUTE_PRINTF(2, 3) static bool
differs(struct proof *proof, const char *format, ...)
{
	TEXT_FORMAT(proof->text, format);
	return false;
}

static bool
is_same_text(const char *a, const char *b)
{
	return strcmp(text_or_empty(a), text_or_empty(b)) == 0;
}

/* Frames --------------------------------------------------------------------------------------- */

static bool
same_frame(struct proof *proof, const struct walk *a, const struct walk *b, size_t i)
{
	const struct frame *one = &a->frames[i], *other = &b->frames[i];
	const struct registers *first = &one->registers, *second = &other->registers;

	for (int reg = 0; reg < a->arch->register_count; reg++)
		if (registers_known(first, reg) != registers_known(second, reg) ||
		    (registers_known(first, reg) && first->value[reg] != second->value[reg]))
			return differs(proof, "frame %zu has a different %s", i,
				       a->arch->registers[reg].label);
	if (one->lookup != other->lookup || one->trust != other->trust ||
	    one->method != other->method || one->module != other->module ||
	    one->guessed != other->guessed || one->interrupted != other->interrupted)
		return differs(proof, "frame %zu was found in a different way", i);
	return true;
}

static bool
same_walks(struct proof *proof, struct walk *a, struct walk *b, size_t limit)
{
	if (a == NULL || b == NULL)
		return differs(proof, OUT_OF_MEMORY);
	walk_run(a, limit);
	walk_run(b, limit);
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (!same_frame(proof, a, b, i))
			return false;
	if (a->count != b->count)
		return differs(proof, "%zu frames, not %zu", b->count, a->count);
	if (a->end.kind != b->end.kind || a->end.method != b->end.method ||
	    strcmp(a->end.text, b->end.text) != 0)
		return differs(proof, "the stack ends because '%s', not '%s'", b->end.text,
			       a->end.text);
	return true;
}

/* Steps ---------------------------------------------------------------------------------------- */

/* A word that a scan refused may be 0 in the copy if the scan refuses 0 with the same result. */
static bool
is_same_event(const struct event *a, const struct event *b)
{
	const bool blank = a->kind == EVENT_CANDIDATE && a->status == EVENT_FAILED &&
			   b->value == 0;

	return a->kind == b->kind && a->status == b->status && a->reg == b->reg &&
	       a->detail == b->detail && a->parent == b->parent && a->end == b->end &&
	       a->from == b->from && a->address == b->address &&
	       (a->value == b->value || blank) && text_equal(a->name, b->name) &&
	       is_same_text(a->text, b->text);
}

static bool
same_step(struct proof *proof, struct walk *a, struct walk *b, size_t frame, enum method_id method)
{
	struct step_view one, other;
	bool same;

	step_view_make_by(&one, a, frame, method);
	step_view_make_by(&other, b, frame, method);
	same = one.verdict.kind == other.verdict.kind &&
	       strcmp(one.verdict.text, other.verdict.text) == 0 &&
	       one.trace.count == other.trace.count;
	for (size_t i = 0; same && i < one.trace.count; i++)
		same = is_same_event(&one.trace.events[i], &other.trace.events[i]);
	step_view_free(&one);
	step_view_free(&other);
	proof->sanitizing->out->steps += same;
	return same || differs(proof, "the step from frame %zu by %s differs", frame,
			       method == METHOD_COUNT ? "the walk" : method_name(method));
}

static bool
same_steps(struct proof *proof, struct walk *a, struct walk *b)
{
	enum method_id methods[METHOD_COUNT];
	const size_t count = a->count > 0 ? walk_methods(a, methods) : 0;

	for (size_t i = 0; i < a->count && i < SANITIZE_FRAMES; i++) {
		if (!same_step(proof, a, b, i, METHOD_COUNT))
			return false;
		for (size_t j = 0; j < count; j++)
			if (!same_step(proof, a, b, i, methods[j]))
				return false;
	}
	return true;
}

/* Conclusions ---------------------------------------------------------------------------------- */

/* Whether two sentences of a report are equal, with paths replaced as in the copy. */
static bool
is_same_sentence(const struct proof *proof, const char *a, const char *b)
{
	struct arena arena = { 0 };
	const bool same = is_same_text(a, b) ||
			  is_same_text(sanitize_name(proof->sanitizing, a, &arena),
				       sanitize_name(proof->sanitizing, b, &arena));

	arena_free(&arena);
	return same;
}

static bool
same_findings(struct proof *proof, const struct analysis *a, const struct analysis *b)
{
	if (a->finding_count != b->finding_count)
		return differs(proof, "%zu conclusions, not %zu", b->finding_count,
			       a->finding_count);
	for (size_t i = 0; i < a->finding_count; i++) {
		const struct finding *one = &a->findings[i], *other = &b->findings[i];
		bool same = one->kind == other->kind && one->confidence == other->confidence &&
			    one->evidence_count == other->evidence_count &&
			    is_same_sentence(proof, one->text, other->text);

		for (size_t j = 0; same && j < one->evidence_count; j++)
			same = is_same_sentence(proof, one->evidence[j], other->evidence[j]);
		if (!same)
			return differs(proof, "the conclusion '%.200s' differs", one->text);
	}
	return true;
}

static bool
same_analyses(struct proof *proof, const struct analysis *a, const struct analysis *b)
{
	if (a == NULL || b == NULL)
		return differs(proof, OUT_OF_MEMORY);
	if (!is_same_text(a->reason, b->reason) || a->has_address != b->has_address ||
	    a->address != b->address || a->adjustment != b->adjustment ||
	    a->adjusted != b->adjusted || a->offset != b->offset)
		return differs(proof, "the reason of the crash is '%s' at %#" PRIx64
			       ", not '%s' at %#" PRIx64, text_or_empty(b->reason), b->address,
			       text_or_empty(a->reason), a->address);
	if (!is_same_text(a->instruction.text, b->instruction.text) ||
	    a->instruction.access_count != b->instruction.access_count)
		return differs(proof, "the crashing instruction is '%s', not '%s'",
			       text_or_empty(b->instruction.text),
			       text_or_empty(a->instruction.text));
	if (strcmp(a->signature, b->signature) != 0)
		return differs(proof, "the signature is '%.100s', not '%.100s'", b->signature,
			       a->signature);
	if (a->bit_flip_count != b->bit_flip_count || a->poison_count != b->poison_count)
		return differs(proof, "different values look wrong");
	return same_findings(proof, a, b);
}

static bool
same_conclusions(struct proof *proof, struct walk *a, struct walk *b)
{
	const struct sanitizing *sanitizing = proof->sanitizing;
	const struct signature_rules *rules = sanitizing->options->rules;
	struct crash crash = *sanitizing->out->crash, copy = *proof->copy;

	/* Facts that no conclusion needs, such as an exception's message, are not compared. */
	crash.redacted = copy.redacted = true;
	struct analysis *one = analysis_create(&crash, a, sanitizing->binaries, rules);
	struct analysis *other = analysis_create(&copy, b, sanitizing->binaries, rules);
	const bool same = same_analyses(proof, one, other);

	analysis_free(one);
	analysis_free(other);
	return same;
}

static bool
same_state(struct proof *proof, struct walk *a, struct walk *b)
{
	const struct thread_state one = thread_state_of(a->crash, a->thread, a);
	const struct thread_state other = thread_state_of(b->crash, b->thread, b);

	if (one.kind != other.kind || one.wait != other.wait || one.certain != other.certain ||
	    one.frame != other.frame || one.call != other.call ||
	    !is_same_text(one.evidence, other.evidence))
		return differs(proof, "the state of the thread differs");
	return true;
}

/* The proof ------------------------------------------------------------------------------------ */

static bool
prove_walk(struct proof *proof, size_t thread, const struct sanitize_way *way, bool first)
{
	struct sanitizing *sanitizing = proof->sanitizing;
	struct sanitized *out = sanitizing->out;
	struct walk *a = walk_create(out->crash, sanitizing->symbols, sanitizing->binaries, thread,
				     &way->policy);
	struct walk *b = walk_create(proof->copy, sanitizing->symbols, sanitizing->binaries,
				     thread, &way->policy);
	bool same = same_walks(proof, a, b, way->limit);

	if (same && first && !sanitize_walks_once(sanitizing, thread))
		same = same_steps(proof, a, b);
	/* The copy is a minidump and has a numeric reason. A microdump has a text or no reason. */
	if (same && first && !out->crash->microdump)
		same = same_state(proof, a, b) &&
		       (out->crash->requesting_thread != (int)thread ||
			same_conclusions(proof, a, b));
	if (same) {
		out->walks++;
		out->frames += a->count;
	}
	walk_free(a);
	walk_free(b);
	return same;
}

static bool
prove_thread(struct proof *proof, size_t thread)
{
	struct sanitizing *sanitizing = proof->sanitizing;
	struct sanitized *out = sanitizing->out;
	struct sanitize_way ways[SANITIZE_WAYS];
	const size_t count = sanitize_ways(sanitizing, thread, ways);

	for (size_t i = 0; i < count; i++) {
		if (prove_walk(proof, thread, &ways[i], i == 0))
			continue;
		if (ways[i].demanded)
			return differs(proof, "thread %zu, walked %s: %s", thread, ways[i].name,
				       arena_string(&out->arena, proof->text));
		if (out->different.text == NULL)
			out->different = (struct sanitized_difference){
				ways[i].name, arena_format(&out->arena, "thread %zu: %s", thread,
							   proof->text) };
	}
	return true;
}

static bool
same_modules(struct proof *proof)
{
	const struct crash *a = proof->sanitizing->out->crash, *b = proof->copy;

	if (a->requesting_thread != b->requesting_thread)
		return differs(proof, "another thread requested the dump");
	if (a->thread_count != b->thread_count || a->module_count != b->module_count)
		return differs(proof, "%zu threads and %zu modules, not %zu and %zu",
			       b->thread_count, b->module_count, a->thread_count,
			       a->module_count);
	for (size_t i = 0; i < a->module_count; i++)
		if (a->modules[i].base != b->modules[i].base ||
		    a->modules[i].size != b->modules[i].size ||
		    !is_same_text(a->modules[i].debug_id, b->modules[i].debug_id))
			return differs(proof, "module %zu differs", i);
	return true;
}

bool
sanitize_prove(struct sanitizing *sanitizing, const struct crash *copy)
{
	struct proof proof = { .sanitizing = sanitizing, .copy = copy };
	bool same = same_modules(&proof);

	for (size_t i = 0; same && i < copy->thread_count; i++)
		same = prove_thread(&proof, i);
	if (same && copy->requesting_thread < 0)
		same = same_conclusions(&proof, NULL, NULL);
	if (!same)
		error_plain(sanitizing->error, ERROR_FORMAT, "the copy would not be the same: %s",
			    proof.text);
	return same;
}
