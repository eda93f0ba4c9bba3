/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/frame_saves.h"

/* Maximum number of callees that are searched for the callee that saved a register. */
#define MOST_CALLEES 256u

void
frame_saves_of_step(struct frame_saves *saves, const struct step_view *step)
{
	const struct trace *trace = &step->trace;
	const uint32_t attempt = step_view_taken(step), now = step_view_now(step);
	const bool over = step_view_is_over(step);

	*saves = (struct frame_saves){ .frame = step->frame,
		.taken = step->verdict.kind == VERDICT_TAKEN };
	if (attempt == TRACE_NONE || !saves->taken || attempt > now)
		return;
	saves->method = (enum method_id)trace->events[attempt].detail;
	saves->certainty = trust_table[step->caller.trust].certainty;
	saves->cfa_event = step_view_cfa(trace, attempt, trace->events[attempt].end, now);
	const struct event *cfa = step_view_event(step, saves->cfa_event);
	if (cfa != NULL) {
		saves->has_cfa = true;
		saves->cfa = cfa->value;
		saves->cfa_rule = cfa->place;
	}
	for (uint32_t i = attempt; i < trace->events[attempt].end; i++) {
		const struct event *event = &trace->events[i];

		if (event->kind != EVENT_SET || event->status != EVENT_OK || event->reg < 0 ||
		    event->reg >= ARCH_REGISTERS || (!over && step_view_settled(step, i) > now))
			continue;
		const uint32_t read = trace_read_behind(trace, event->from);
		if (read == TRACE_NONE) {
			if (event->from < trace->count &&
			    trace->events[event->from].kind == EVENT_INPUT &&
			    trace->events[event->from].reg == event->reg)
				saves->kept |= UINT64_C(1) << event->reg;
			continue;
		}
		/* A later value of the attempt for the same register replaces the earlier value. */
		struct frame_save *save = saves->saves;
		while (save < saves->saves + saves->count && save->reg != event->reg)
			save++;
		saves->count += save == saves->saves + saves->count;
		/* The rule that gave the value, else the record that the attempt used. */
		const struct event *rule =
			step_view_event(step, trace_ancestor(trace, read, EVENT_RULE));
		*save = (struct frame_save){
			.address = trace->events[read].address,
			.reg = event->reg,
			.rule = rule != NULL && rule->place.input != NULL
					? rule->place : step_view_record(step, read),
		};
	}
}

void
frame_saves_make(struct frame_saves *saves, struct walk *walk, size_t frame)
{
	struct step_view step;

	step_view_make(&step, walk, frame);
	frame_saves_of_step(saves, &step);
	step_view_free(&step);
}

const struct frame_saves *
frame_saves_of(struct frame_saves_cache *cache, struct walk *walk, size_t frame)
{
	const size_t at = frame % FRAME_SAVES_KEPT;

	if (cache->walk != walk)
		*cache = (struct frame_saves_cache){ .walk = walk };
	if (cache->used[at] != frame + 1) {
		frame_saves_make(&cache->saves[at], walk, frame);
		cache->used[at] = frame + 1;
	}
	return &cache->saves[at];
}

const struct frame_save *
frame_saves_at(const struct frame_saves *saves, uint64_t address)
{
	for (size_t i = 0; i < saves->count; i++)
		if (saves->saves[i].address == address)
			return &saves->saves[i];
	return NULL;
}

const struct frame_save *
frame_saves_register(const struct frame_saves *saves, int reg)
{
	for (size_t i = 0; i < saves->count; i++)
		if (saves->saves[i].reg == reg)
			return &saves->saves[i];
	return NULL;
}

struct frame_origin
frame_origin_of(struct walk *walk, size_t frame, int reg)
{
	struct frame_origin origin = { .frame = frame };

	while (origin.frame > 0 && !registers_known(&walk->frames[origin.frame].registers, reg))
		origin.frame--;
	if (origin.frame != frame)
		origin.kind = ORIGIN_UNWRITTEN;
	while (origin.kind == ORIGIN_KEPT && origin.frame > 0 &&
	       frame - origin.frame < MOST_CALLEES) {
		struct frame_saves saves;

		frame_saves_make(&saves, walk, --origin.frame);
		const struct frame_save *save = frame_saves_register(&saves, reg);
		if (save != NULL)
			origin = (struct frame_origin){ ORIGIN_SAVED, origin.frame, save->address };
		else if ((saves.kept >> reg & 1) == 0)
			origin.kind = ORIGIN_COMPUTED;
	}
	return origin;
}
