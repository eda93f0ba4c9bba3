/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/frame_saves.h"

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
		/* The last value that the attempt set for a register is used. */
		struct frame_save *save = saves->saves;
		while (save < saves->saves + saves->count && save->reg != event->reg)
			save++;
		saves->count += save == saves->saves + saves->count;
		/* The rule that made the value, else the record that the attempt used. */
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

const struct frame_saves *
frame_saves_of(struct frame_saves_cache *cache, struct walk *walk, size_t frame)
{
	const size_t at = frame % FRAME_SAVES_KEPT;
	struct step_view step;

	if (cache->walk != walk)
		*cache = (struct frame_saves_cache){ .walk = walk };
	if (cache->used[at] != frame + 1) {
		step_view_make(&step, walk, frame);
		frame_saves_of_step(&cache->saves[at], &step);
		step_view_free(&step);
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
