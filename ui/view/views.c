/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

const struct view_ops *
views_ops(enum layout_view view)
{
	static const struct view_ops *const ops[] = {
#define V(id, name, command, keys, handler, help) [LAYOUT_##id] = &view_##id,
#include "ui/view/view.def"
	};

	return ops[view];
}

const char *
views_why_nothing(const struct session *session)
{
	if (session->open.crash->thread_count == 0)
		return "the dump has no threads: see the messages";
	if (session->open.crash->threads[session->look.stack.thread].wrote_dump)
		return "this thread wrote the dump and is not walked";
	const struct walk *walk = session_walk(session);
	return walk != NULL && walk->complete ? walk->end.text : "this thread has no frames";
}

const struct symfile *
views_symfile(const struct session *session, const struct input *input)
{
	for (size_t i = 0; input != NULL && i < session->open.crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(session->open.symbols, i, NULL);

		if (symfile != NULL && &symfile_file(symfile)->input == input)
			return symfile;
	}
	return NULL;
}

bool
views_show_place(const struct session *session, const struct input *input)
{
	return session_raw_file(session, input).input == input ||
	       views_symfile(session, input) != NULL;
}

struct row_subject
views_subject(struct session *session)
{
	const enum layout_view focus = session->look.choice.focus;
	const struct session_view *view = session_view(session, focus);
	size_t row;

	if (!session_selected(view, &row))
		return (struct row_subject){ .kind = SUBJECT_NONE };
	return views_ops(focus)->subject != NULL
		       ? views_ops(focus)->subject(&view->listing, row)
		       : (struct row_subject){ .kind = SUBJECT_NONE };
}

/* The value of an event: the result of a rule or token, the number that was read or set. */
static bool
event_value(const struct event *event, uint64_t *value)
{
	if (event->kind == EVENT_TOKEN && event->stack != NULL && event->stack->known) {
		*value = event->stack->value;
		return true;
	}
	*value = event->value;
	return explain_event_has_value(event);
}

/* In the registers view the caller's value if the step has found it, else the frame's. */
static bool
register_value(struct session *session, int reg, uint64_t *value)
{
	const struct step_view *step = session_frame_step(session);
	struct registers caller;

	if (!session->step.exists || reg == ARCH_NO_REGISTER)
		return false;
	step_view_caller(step, &caller);
	const bool both = session->look.choice.focus == LAYOUT_REGISTERS;
	const struct registers *of = both && registers_known(&caller, reg)
					     ? &caller
					     : &step->walk->frames[step->frame].registers;
	*value = of->value[reg];
	return registers_known(of, reg);
}

bool
views_value(struct session *session, uint64_t *value)
{
	const struct row_subject subject = views_subject(session);
	const struct target target =
		session_selected_target(session_view(session, session->look.choice.focus));
	const struct walk *walk = session_walk(session);
	const struct trace *trace = &session->step.view.trace;

	if (session->blind != BLIND_OFF || walk == NULL)
		return false;
	if (subject.kind == SUBJECT_WORD)
		return memory_read(&session->look.memory.view, subject.address,
				   walk->arch->word_size, value, NULL);
	if (subject.kind == SUBJECT_REGISTER)
		return register_value(session, subject.reg, value);
	if (target.kind == TARGET_EVENT || subject.kind == SUBJECT_EVENT) {
		const uint32_t event = subject.kind == SUBJECT_EVENT ? subject.event : target.event;

		return event < trace->count && event_value(&trace->events[event], value);
	}
	const bool frame = target.kind == TARGET_FRAME && target.frame < walk->count &&
			   target.call != STACK_END;
	*value = frame ? walk->frames[target.frame].registers.value[walk->arch->pc]
		       : target.address;
	return frame || target.kind == TARGET_MEMORY || target.kind == TARGET_CODE;
}

const struct symfile *
views_symbol_place(struct session *session, struct place *place)
{
	const struct view_ops *ops = views_ops(session->look.choice.focus);
	const struct session_view *view = session_view(session, session->look.choice.focus);
	const struct target target = session_selected_target(view);
	size_t row;

	*place = (struct place){ 0 };
	if (ops->edits_source || !session_selected(view, &row))
		return NULL;
	if (ops->place != NULL)
		*place = ops->place(session, row);
	else if (target.kind == TARGET_PLACE)
		*place = target.place;
	else if (target.kind == TARGET_EVENT && target.event < session->step.view.trace.count)
		*place = session->step.view.trace.events[target.event].place;
	return place->line != 0 ? views_symfile(session, place->input) : NULL;
}

void
views_title(struct session *session, enum layout_view view, struct row *row)
{
	const struct view_ops *ops = views_ops(view);

	if (ops->legend != NULL)
		row_add(row, ROLE_NORMAL, "%s", ops->legend);
	else if (ops->title != NULL)
		ops->title(session, row);
}

uint64_t
views_mix(uint64_t stamp, uint64_t value)
{
	return (stamp ^ value) * UINT64_C(0x100000001b3) + 1;
}

uint64_t
views_stamp(struct session *session, enum layout_view view, const struct listing *listing)
{
	return views_ops(view)->stamp != NULL ? views_ops(view)->stamp(session, listing) | 1 : 0;
}

void
request_fold(const struct request_call *call)
{
	struct session *session = call->session;
	const enum layout_view focus = session->look.choice.focus;
	const char *problem = "only threads, recursions and inlined calls of the stack fold";
	size_t row;

	if (views_ops(focus)->fold != NULL)
		problem = session_selected(session_view(session, focus), &row)
				  ? views_ops(focus)->fold(session, row)
				  : NULL;
	if (problem != NULL)
		session_say(session, "%s", problem);
}

void
request_open(const struct request_call *call)
{
	struct session *session = call->session;
	const struct session_view *view = requests_view(call->explorer);
	const struct view_ops *ops = views_ops(session->look.choice.focus);
	const struct target target = session_selected_target(view);
	char line[512];
	size_t row;

	if (call->explorer->help.shown)
		help_follow(call->explorer);
	else if (ops->offer != NULL && ops->offer(session, line, sizeof(line)) && ops->runs)
		requests_command(call->explorer, line);
	else if (ops->offer != NULL && ops->offer(session, line, sizeof(line)))
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
	else if (!session_selected(view, &row))
		return;
	else if (target.kind == TARGET_FOLD)
		request_fold(call);
	else if (!(ops->open != NULL && ops->open(session, row)) &&
		 !session_follow(session, &target) &&
		 (ops->fold == NULL || ops->fold(session, row) != NULL))
		session_say(session, "no view shows the origin of this row");
}

void
request_fold_all(const struct request_call *call)
{
	const struct view_ops *ops = views_ops(call->session->look.choice.focus);

	(ops->fold_all != NULL ? ops : &view_STACK)->fold_all(call->session, call->value != 0);
}

void
request_base(const struct request_call *call)
{
	const struct view_ops *ops = views_ops(call->session->look.choice.focus);

	if (ops->next_form != NULL)
		ops->next_form(call->session);
	else
		session_fail(call->session, "this view has one form: other bases are for memory, "
			     "registers and the rule table");
}
