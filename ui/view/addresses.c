/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "report/report.h"
#include "ui/request/requests.h"
#include "ui/terminal/prompt.h"
#include "ui/view/view.h"

void
addresses_forget(struct session *session)
{
	struct addresses *addresses = &session->look.addresses;

	disassembly_free(addresses->disassembly);
	memory_find_free(addresses->find);
	identify_free(addresses->identify);
	addresses->disassembly = NULL;
	addresses->find = NULL;
	addresses->identify = NULL;
	addresses->around.binaries = session->open.binaries;
}

/* Load the symbols in the background; the view is made anew when they arrive. */
static void
ask_for_symbols(struct session *session, uint64_t address)
{
	const int module = module_map_find(&session->look.addresses.around.modules, address);

	if (module != MODULE_NONE)
		loader_ask(session->open.loader, (size_t)module, false);
}

static struct listing
make_disassembly(struct session *session, struct session_view *view)
{
	struct addresses *addresses = &session->look.addresses;
	const struct disassembly_options options = {
		.around = &addresses->around,
		.walk = session_walk(session),
		.frame = session->look.stack.frame,
		.of_frame = !addresses->elsewhere,
		.address = addresses->elsewhere ? addresses->code : 0,
		.source = &session->open.source,
	};

	if (!addresses->elsewhere && (options.walk == NULL || options.frame >= options.walk->count))
		return listing_message("this thread has no frame with code; :disassemble shows the "
				       "code of an address or function");
	addresses->around.policy = session->policy;
	if (addresses->elsewhere)
		ask_for_symbols(session, addresses->code);
	if (!disassembly_serves(addresses->disassembly, &options)) {
		disassembly_free(addresses->disassembly);
		addresses->disassembly = disassembly_create(&options);
	}
	if (addresses->disassembly == NULL)
		return listing_out_of_memory();
	struct listing listing = disassembly_listing(addresses->disassembly);
	view->row = listing.current;
	const uint64_t address = disassembly_address(addresses->disassembly);
	if (!listing_is_message(&listing) || addresses->elsewhere ||
	    options.frame + 1 >= options.walk->count ||
	    module_map_find(&addresses->around.modules, address) != MODULE_NONE)
		return listing;
	const char *text = arena_format(&view->arena, "%s; its caller is frame %zu",
					(const char *)listing.context, options.frame + 1);
	return text != NULL ? listing_message(text) : listing;
}

static void
title_disassembly(struct session *session, struct row *row)
{
	const struct addresses *addresses = &session->look.addresses;

	if (addresses->elsewhere)
		row_add(row, ROLE_NORMAL, "at %#" PRIx64, addresses->code);
	else if (session->step.exists)
		row_add(row, ROLE_NORMAL, "frame %zu", session->look.stack.frame);
}

static bool
spot_of_code(struct session *session, struct spot_text *text)
{
	if (session->look.addresses.elsewhere)
		spot_add(text, SPOT_ADDRESS, "0x%" PRIx64, session->look.addresses.code);
	return false;
}

const struct view_ops view_DISASSEMBLY = {
	.make = make_disassembly, .title = title_disassembly, .spot = spot_of_code,
	.show_address = addresses_show_code, .centered = true,
};

/*
 * The text after options of gdb and lldb: "/x", "-n", "-pretty -on --". They are ignored: a value
 * is shown in all useful forms, and code is shown with its source.
 */
static const char *
without_options(const char *text)
{
	const char *end = text[0] == '-' ? strstr(text, "-- ") : NULL;

	if (end != NULL)
		text = end + 2;
	else if (text[0] == '/' || (text[0] == '-' && text[1] >= 'a' && text[2] <= ' '))
		text += strcspn(text, " ");
	return text + strspn(text, " ");
}

void
request_disassemble(const struct request_call *call)
{
	struct session *session = call->session;
	const char *text = without_options(call->text);
	uint64_t address;

	if (text[0] == '\0') {
		session->look.addresses.elsewhere = false;
		session_focus(session, LAYOUT_DISASSEMBLY);
	} else if (addresses_parse(session, text, &address)) {
		addresses_show_code(session, address);
	}
}

void
request_rules(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_rules *rules = &session->look.rules;
	const char *text = without_options(call->text);

	if (text[0] != '\0' && !addresses_parse(session, text, &rules->address))
		return;
	rules->elsewhere = text[0] != '\0';
	if (rules->elsewhere)
		ask_for_symbols(session, rules->address);
	session_focus(session, LAYOUT_TABLE);
}

static void
show_top(struct session *session, enum layout_view view)
{
	session_remember(session);
	layout_focus(&session->look.choice, view);
	session_refresh(session);
	session->look.views[view].selected = 0;
}

/* The frame and call whose variables an expression may use. */
static struct expression_scope
scope_of(struct session *session)
{
	return (struct expression_scope){ session_walk(session), session->look.stack.frame,
					  session->look.call };
}

/* Shows the facts that were found, or the reason why nothing was found. */
static void
show_identified(struct session *session, struct identification *found)
{
	struct addresses *addresses = &session->look.addresses;

	if (found == NULL)
		return;
	ask_for_symbols(session, found->value);
	identify_free(addresses->identify);
	addresses->identify = found;
	show_top(session, LAYOUT_IDENTIFY);
	if (!found->expression.known)
		session_fail(session, "%s", found->expression.text);
}

/* Asks for the argument of a command, and offers the value of the row. */
static void
ask_value(const struct request_call *call, const char *command)
{
	const struct session *session = call->session;
	char offer[32];
	uint64_t value;

	requests_open_prompt(call->explorer, PROMPT_COMMAND, command);
	if (call->explorer->help.shown || !views_value(call->session, &value))
		return;
	snprintf(offer, sizeof(offer), "%0*" PRIx64,
		 report_digits(session->open.crash->system.arch), value);
	prompt_offer(offer);
}

void
request_display(const struct request_call *call)
{
	struct session *session = call->session;
	struct locals_state *locals = &session->look.memory.locals;

	if (call->text[0] != '\0') {
		if (locals->expression_count == LOCALS_EXPRESSIONS) {
			session_fail(session, "%d expressions are displayed; :undisplay NUMBER "
				     "removes one", LOCALS_EXPRESSIONS);
			return;
		}
		char *copy = strdup(call->text);
		if (copy == NULL)
			return;
		locals->expressions[locals->expression_count++] = copy;
	}
	session_focus(session, LAYOUT_FRAME);
}

void
request_undisplay(const struct request_call *call)
{
	struct session *session = call->session;
	struct locals_state *locals = &session->look.memory.locals;
	uint64_t number = 0;

	if (call->text[0] != '\0' &&
	    (!text_number(text_of(call->text), 10, &number) || number == 0 ||
	     number > locals->expression_count)) {
		session_fail(session, "no expression with number %s is displayed", call->text);
		return;
	}
	for (size_t i = 0; i < locals->expression_count; i++) {
		if (number == 0 || i + 1 == number)
			free(locals->expressions[i]);
		else if (i + 1 > number)
			locals->expressions[i - 1] = locals->expressions[i];
	}
	locals->expression_count -= number == 0 ? locals->expression_count : 1;
	session_refresh(session);
}

void
request_identify(const struct request_call *call)
{
	struct session *session = call->session;
	struct addresses *addresses = &session->look.addresses;
	const char *text = without_options(call->text);

	if (strcmp(text, "$_siginfo") == 0) {
		requests_do(call->explorer, REQUEST_EXCEPTION, "");
		return;
	}
	if (text[0] == '\0') {
		if (call->value == IDENTIFY_TYPE)
			requests_open_prompt(call->explorer, PROMPT_COMMAND, "ptype ");
		else
			ask_value(call, "identify ");
		return;
	}
	const struct expression_scope scope = scope_of(session);
	struct arena arena = { 0 };
	if (call->value == IDENTIFY_TYPE)
		text = text_or_empty(arena_format(&arena, "ptype %s", text));
	struct identification *found = identify_create(&addresses->around, &scope, text_of(text));
	/* A text without a value may be a term of the glossary. */
	if (found != NULL && !found->expression.known &&
	    glossary_find(text_of(text), false) != NULL) {
		identify_free(found);
		requests_do(call->explorer, REQUEST_HELP, text);
	} else {
		show_identified(session, found);
	}
	arena_free(&arena);
}

void
request_names(const struct request_call *call)
{
	struct session *session = call->session;
	const struct expression_scope scope = scope_of(session);

	show_identified(session, identify_names(&session->look.addresses.around, &scope,
						(enum identify_names)call->value,
						text_of(call->text)));
}

static struct listing
make_identify(struct session *session, struct session_view *view)
{
	(void)view;
	return session->look.addresses.identify != NULL
		       ? session->look.addresses.identify->listing
		       : listing_message("no address yet: p explains an address");
}

static void
title_identify(struct session *session, struct row *row)
{
	const struct identification *identify = session->look.addresses.identify;

	if (identify != NULL && identify->expression.known && identify->value != 0)
		row_add(row, ROLE_NORMAL, "%#" PRIx64, identify->value);
}

const struct view_ops view_IDENTIFY = { .make = make_identify, .title = title_identify };

/* Bytes searched before keys are handled again. */
#define SLICE_BYTES (UINT64_C(16) << 20)

/* Report that a search found nothing, and name the key that searches the view. */
static void
say_missed(struct session *session)
{
	const struct memory_find *find = session->look.addresses.find;

	if (find->done && find->count == 0 && find->wrong == NULL)
		session_fail(session, "%s not found%s in the dump's memory; / searches a view",
			     find->typed, find->note != NULL ? " as text" : "");
}

/* Arguments: [--all] [--from ADDRESS] WHAT */
void
request_find(const struct request_call *call)
{
	struct session *session = call->session;
	struct addresses *addresses = &session->look.addresses;
	const char *text = call->text;
	bool everywhere = false;
	uint64_t from = 0;

	if (text[0] == '\0') {
		ask_value(call, "find ");
		return;
	}
	while (strncmp(text, "--all ", 6) == 0 || strncmp(text, "--from ", 7) == 0) {
		const bool all = text[2] == 'a';
		char word[128];

		everywhere = everywhere || all;
		text += all ? 6 : 7;
		if (all)
			continue;
		const size_t length = strcspn(text, " ");
		if (length >= sizeof(word))
			return;
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		text += length + strspn(text + length, " ");
		if (!addresses_parse(session, word, &from))
			return;
	}
	/* gdb writes "find START, +LENGTH, VALUE" or "find START, END, VALUE". */
	char start[128], end[128];
	const size_t first = strcspn(text, ",");
	const char *last = memrchr(text, ',', strcspn(text, "\""));
	uint64_t upto = UINT64_MAX;
	if (last != NULL && last > text + first && first < sizeof(start) &&
	    (size_t)(last - text) < first + sizeof(end)) {
		const char *middle = text + first + 1 + strspn(text + first + 1, " ");
		const bool counted = *middle == '+';

		snprintf(start, sizeof(start), "%.*s", (int)first, text);
		snprintf(end, sizeof(end), "%.*s", (int)(last - middle) - counted,
			 middle + counted);
		if (!addresses_parse(session, start, &from) ||
		    !addresses_parse(session, end, &upto))
			return;
		if (counted && !checked_within(from, upto, UINT64_MAX))
			upto = UINT64_MAX;
		else if (counted)
			upto += from - (upto > 0);
		text = last + 1 + strspn(last + 1, " ");
	}
	memory_find_free(addresses->find);
	addresses->find = memory_find_create(&addresses->around, session_frame(session),
					     text_of(text), everywhere, from);
	if (addresses->find == NULL)
		return;
	addresses->find->last = upto;
	memory_find_work(addresses->find, SLICE_BYTES);
	show_top(session, LAYOUT_FOUND);
	if (addresses->find->wrong != NULL)
		session_fail(session, "%s", addresses->find->wrong);
	else if (addresses->find->note != NULL)
		session_say(session, "%s", addresses->find->note);
	say_missed(session);
}

static struct listing
make_found(struct session *session, struct session_view *view)
{
	return session->look.addresses.find != NULL
		       ? memory_find_listing(session->look.addresses.find, &view->arena)
		       : listing_message("no search yet: M searches the dump's memory");
}

static void
title_found(struct session *session, struct row *row)
{
	const struct memory_find *find = session->look.addresses.find;

	if (find == NULL || find->wrong != NULL)
		return;
	row_add(row, ROLE_NORMAL, "%zu found", find->count);
	if (!find->done)
		row_add(row, ROLE_NORMAL, ", %u%% searched",
			(unsigned)(find->looked / (find->total / 100 + 1)));
	else if (find->stopped)
		row_add(row, ROLE_CHANGED, ", stopped");
}

const struct view_ops view_FOUND = { .make = make_found, .title = title_found };

bool
addresses_is_searching(const struct session *session)
{
	return session->look.addresses.find != NULL && !session->look.addresses.find->done;
}

bool
addresses_work(struct session *session)
{
	if (!addresses_is_searching(session))
		return false;
	memory_find_work(session->look.addresses.find, SLICE_BYTES);
	session->look.views[LAYOUT_FOUND].fresh = false;
	say_missed(session);
	return true;
}

bool
addresses_stop(struct session *session)
{
	if (!addresses_is_searching(session))
		return false;
	session->look.addresses.find->stopped = session->look.addresses.find->done = true;
	session->look.views[LAYOUT_FOUND].fresh = false;
	session_say(session, "search cancelled with %zu found",
		    session->look.addresses.find->count);
	return true;
}

void
addresses_show_code(struct session *session, uint64_t address)
{
	session_remember(session);
	session->look.addresses.elsewhere = true;
	session->look.addresses.code = address;
	layout_focus(&session->look.choice, LAYOUT_DISASSEMBLY);
	session_refresh(session);
}

bool
addresses_parse(struct session *session, const char *text, uint64_t *address)
{
	struct arena arena = { 0 };

	const struct expression_scope scope = scope_of(session);
	const struct expression expression =
		expression_in(&session->look.addresses.around, &scope, text_of(text), &arena);
	*address = expression.value;
	if (!expression.known)
		session_fail(session, "%s", expression.text);
	arena_free(&arena);
	return expression.known;
}

void
request_hit(const struct request_call *call)
{
	struct session *session = call->session;
	const struct memory_find *find = session->look.addresses.find;
	struct session_view *view = session_view(session, LAYOUT_FOUND);

	if (find == NULL || find->count == 0) {
		session_fail(session, "no matches: M searches the dump's memory");
		return;
	}
	/* If the selected hit was not visited yet, go to it. */
	const bool there = session->look.memory.address == find->hits[view->selected];
	size_t index = view->selected;

	if (there && call->value > 0)
		index = index + 1 < find->count ? index + 1 : 0;
	else if (there)
		index = index > 0 ? index - 1 : find->count - 1;
	view->selected = index;
	const struct target target = { .kind = TARGET_MEMORY, .address = find->hits[index] };
	session_follow(session, &target);
	session_view(session, LAYOUT_FOUND)->selected = index;
	session_say(session, "%zu of %zu", index + 1, find->count);
}
