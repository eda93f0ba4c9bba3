/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose_internal.h"

#include <inttypes.h>
#include <string.h>

/* Sentences with their facts, and the glossary terms in them. */

static const char *const sentences[] = {
#define SENTENCE(id, text) [SENTENCE_##id] = (text),
#include "report/prose/prose.def"
};

/* Delimit a glossary term: MARK term MIDDLE shown text END. Printable text has no such bytes. */
#define MARK '\1'
#define MIDDLE '\2'
#define END '\3'

/* Adds the value of a fact, without bytes that could be a mark. */
static void
add_fact(const struct output *to, struct text name, const struct prose_fact *facts,
	struct arena *arena)
{
	for (; facts->name != NULL; facts++)
		if (text_is(name, facts->name)) {
			output_plain(to,
				text_or_empty(text_printable_copy(
					arena, text_of(text_or_empty(facts->text)))));
			return;
		}
	to->write(to->context, "?", 1);
}

/* Adds "[[saved|callee-saved]]" or "[[CFA]]" without its brackets. */
static void
add_word(const struct output *to, struct text word)
{
	const char *bar = memchr(word.start, '|', word.length);
	const struct text shown = { word.start,
		bar != NULL ? (size_t)(bar - word.start) : word.length };
	const struct text term =
		bar == NULL ? word : (struct text){ bar + 1, word.length - shown.length - 1 };

	to->write(to->context, (const char[]){ MARK }, 1);
	to->write(to->context, term.start, term.length);
	to->write(to->context, (const char[]){ MIDDLE }, 1);
	to->write(to->context, shown.start, shown.length);
	to->write(to->context, (const char[]){ END }, 1);
}

const char *
prose_expand(struct prose *prose, const char *sentence, const struct prose_fact *facts)
{
	struct output_string made;

	output_string_init(&made, prose->arena);
	while (*sentence != '\0') {
		const size_t plain = strcspn(sentence, "{[");
		const bool word = strncmp(sentence + plain, "[[", 2) == 0;

		made.output.write(made.output.context, sentence, plain);
		sentence += plain;
		const char *end = *sentence == '{' ? strchr(sentence, '}')
			: word			   ? strstr(sentence, "]]")
						   : NULL;
		if (end == NULL) {
			made.output.write(made.output.context, sentence, *sentence != '\0');
			sentence += *sentence != '\0';
			continue;
		}
		const struct text inside = { sentence + 1 + word,
			(size_t)(end - sentence) - 1 - word };
		if (word)
			add_word(&made.output, inside);
		else
			add_fact(&made.output, inside, facts, prose->arena);
		sentence = end + 1 + word;
	}
	return text_or_empty(made.text);
}

bool
prose_next(const char *text, size_t *at, struct prose_piece *piece)
{
	static const char marks[] = { MARK, '\0' };
	const char *from = text + *at;

	*piece = (struct prose_piece){ .text = { from, strcspn(from, marks) } };
	if (*from == MARK) {
		const char *middle = strchr(from, MIDDLE), *end = strchr(from, END);

		if (middle == NULL || end == NULL)
			return false;
		piece->term = (struct text){ from + 1, (size_t)(middle - from) - 1 };
		piece->text = (struct text){ middle + 1, (size_t)(end - middle) - 1 };
		*at = (size_t)(end - text) + 1;
		return true;
	}
	*at += piece->text.length;
	return piece->text.length > 0;
}

const char *
prose_plain(const char *text, struct arena *arena)
{
	struct output_string plain;
	struct prose_piece piece;

	output_string_init(&plain, arena);
	for (size_t at = 0; prose_next(text, &at, &piece);)
		plain.output.write(plain.output.context, piece.text.start, piece.text.length);
	return text_or_empty(plain.text);
}

struct prose_item *
prose_add(struct prose *prose, enum prose_kind kind, uint32_t event, const char *text)
{
	/* The events of successive items never decrease. */
	const uint32_t told = prose->count > 0 ? prose->items[prose->count - 1].event : 0;
	struct prose_item *item =
		ARENA_PUSH(prose->arena, prose->items, prose->count, prose->capacity);

	if (item != NULL)
		*item = (struct prose_item){
			.kind = kind, .event = event > told ? event : told, .text = text
		};
	return item;
}

struct prose_item *
prose_tell(struct prose *prose, enum prose_kind kind, enum sentence id, uint32_t event,
	const struct prose_fact *facts)
{
	struct prose_fact all[12] = {
		{ "frame", arena_format(prose->arena, "%zu", prose->view->frame) },
		{ "caller", arena_format(prose->arena, "%zu", prose->view->frame + 1) },
	};

	for (size_t i = 2; facts != NULL && facts->name != NULL && i + 1 < ARRAY_COUNT(all); i++)
		all[i] = *facts++;
	return prose_add(prose, kind, event, prose_expand(prose, sentences[id], all));
}

void
prose_go_on_with(struct prose *prose, const char *text)
{
	if (prose->count == 0)
		return;
	struct prose_item *last = &prose->items[prose->count - 1];
	last->text = text_or_empty(arena_format(prose->arena, "%s %s", last->text, text));
}

void
prose_go_on(struct prose *prose, enum sentence id, const struct prose_fact *facts)
{
	const size_t before = prose->count;

	if (prose_tell(prose, PROSE_PARAGRAPH, id, 0, facts) == NULL || before == 0)
		return;
	prose->count--;
	prose_go_on_with(prose, prose->items[before].text);
}

const struct event *
prose_event(const struct prose *prose, uint32_t event)
{
	return event < prose->view->trace.count ? &prose->view->trace.events[event] : NULL;
}

const char *
prose_value(struct prose *prose, uint64_t value)
{
	return text_or_empty(
		arena_format(prose->arena, value < 10 ? "%" PRIu64 : "0x%" PRIx64, value));
}

const char *
prose_place(struct prose *prose, struct place place)
{
	place = place_record(place);
	return arena_format(prose->arena, "%s", place_format(&place).text);
}

/* Whether a name directly follows another name: r10 after r9. */
static bool
follows(const char *name, const char *before)
{
	const size_t letters = strcspn(name, "0123456789");
	struct text rest = text_of(name + letters), rest_before;
	uint64_t number, number_before;

	if (strncmp(name, before, letters) != 0)
		return false;
	rest_before = text_of(before + letters);
	return text_take_number(&rest, 10, &number) &&
	       text_take_number(&rest_before, 10, &number_before) &&
	       number == number_before + 1;
}

void
prose_names_add(struct prose_names *names, const char *name, struct arena *arena)
{
	if (names->used == ARRAY_COUNT(names->items))
		return;
	const bool more = names->count > 0 && follows(name, names->last);
	names->first = more ? names->first : name;
	names->run = more ? names->run + 1 : 1;
	/* Three successive names become one item, which further names of the run extend. */
	if (names->run >= 3) {
		names->used -= names->run == 3 ? 2 : 1;
		names->items[names->used] = arena_format(arena, "%s to %s", names->first, name);
	} else {
		names->items[names->used] = name;
	}
	names->used++;
	names->last = name;
	names->count++;
}

const char *
prose_names_text(const struct prose_names *names, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < names->used; i++)
		text = arena_format(arena, "%s%s%s", text_or_empty(text),
			i == 0			      ? ""
				: i + 1 < names->used ? ", "
						      : " and ",
			text_or_empty(names->items[i]));
	return text_or_empty(text);
}

const char *
prose_label(const struct prose *prose, int reg)
{
	return prose->view->walk->arch->registers[reg].label;
}

bool
prose_first(struct prose *prose, const char *explanation)
{
	struct prose_told *told = prose->told;

	for (size_t i = 0; i < told->count; i++)
		if (told->explanations[i] == explanation)
			return false;
	if (told->count < ARRAY_COUNT(told->explanations))
		told->explanations[told->count++] = explanation;
	return true;
}

void
prose_explain(struct prose *prose, enum sentence id, uint32_t event)
{
	if (prose_first(prose, sentences[id]))
		prose_tell(prose, PROSE_PARAGRAPH, id, event, NULL);
}

void
prose_go_on_to_explain(struct prose *prose, enum sentence id)
{
	if (prose_first(prose, sentences[id]))
		prose_go_on(prose, id, NULL);
}

void
prose_add_figure(struct prose *prose, const char *line)
{
	prose_add(prose, PROSE_FIGURE, prose->figure_event,
		text_or_empty(text_printable_copy(prose->arena, text_of(line))));
}
