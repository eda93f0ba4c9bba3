/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_set.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/policy_rows.h"
#include "base/sorted.h"

struct builder {
	struct arena *arena;
	const struct arch *arch;
	enum arch_names names;
	struct rule_set *set;
	struct rule rules[LIMIT_RULES];
	uint8_t slots[UINT8_MAX + 1];	/* hash table of names: the number of a rule, or 0 */
	struct place record;
	bool delta, recorded;
	bool edited;			/* the current record has a what-if edit */
	struct text was;		/* rules of the record in the file */
	struct place was_place;
	/* Rules are compiled at the end, because a delta may replace them. */
	struct {
		struct text text;
		struct place place;
	} expressions[LIMIT_RULES];
};

_Static_assert(LIMIT_RULES < UINT8_MAX, "the hash table of names has no room for all rules");

static struct rule *
rule_named(struct builder *builder, struct text name)
{
	struct rule_set *set = builder->set;
	uint8_t slot = (uint8_t)hash_words(HASH_START, name.start, name.length);

	for (; builder->slots[slot] != 0; slot++)
		if (text_equal(builder->rules[builder->slots[slot] - 1].name, name))
			return &builder->rules[builder->slots[slot] - 1];
	if (set->count == LIMIT_RULES)
		return NULL;
	builder->slots[slot] = (uint8_t)++set->count;
	return &builder->rules[set->count - 1];
}

/* Add a rule, or replace the rule of that name. Returns its index; -1: there are too many rules. */
static int
put_rule(struct builder *builder, const struct rule *rule)
{
	struct rule *place = rule_named(builder, rule->name);

	if (place == NULL)
		return -1;
	const int index = (int)(place - builder->rules);
	*place = *rule;
	if (rule->target == RULE_CFA)
		builder->set->cfa = index;
	else if (rule->target == RULE_RETURN_ADDRESS)
		builder->set->return_address = index;
	return index;
}

/* The place that a rule of an edited record has in the file. False if the edit made the rule. */
static bool
find_unedited(const struct builder *builder, struct text name, struct text expression,
	      struct place *place)
{
	struct rule_span span;

	*place = (struct place){ 0 };
	if (!rule_span_find(builder->was, name, &span) ||
	    !text_equal(expression, (struct text){ builder->was.start + span.expression,
						   span.end - span.expression }))
		return false;
	*place = place_part(builder->was_place, span.expression,
			    (uint32_t)(span.end - span.expression));
	return true;
}

static bool
add_rule(struct builder *builder, struct text name, struct text expression, struct place place)
{
	struct rule rule = { .reg = ARCH_NO_REGISTER, .name = name, .record = builder->record,
			     .delta = builder->delta, .recorded = builder->recorded };

	while (expression.length > 0 && rule_is_break(expression.start[expression.length - 1]))
		expression.length--;
	if (expression.length == 0)
		return false;
	if (builder->edited)
		rule.edited = !find_unedited(builder, name, expression, &place);
	if (text_is(name, ".cfa")) {
		rule.target = RULE_CFA;
	} else if (text_is(name, ".ra")) {
		rule.target = RULE_RETURN_ADDRESS;
	} else {
		rule.reg = arch_register(builder->arch, name, builder->names);
		rule.target = rule.reg >= 0 ? RULE_REGISTER : RULE_IGNORED;
	}
	const int index = put_rule(builder, &rule);
	if (index < 0)
		return false;
	builder->expressions[index].text = expression;
	builder->expressions[index].place = place;
	return true;
}

/*
 * Parse "name: expression name: expression". Returns the length of the good part: all of it, or the
 * part before the first error.
 */
static size_t
parse_rules(struct builder *builder, struct text text, struct place place)
{
	struct text name = { NULL, 0 };
	size_t expression = 0;

	for (size_t i = 0; i < text.length;) {
		size_t start = i;

		while (i < text.length && !rule_is_break(text.start[i]))
			i++;
		size_t length = i - start;
		while (i < text.length && rule_is_break(text.start[i]))
			i++;
		if (length == 0)
			continue;
		bool names = text.start[start + length - 1] == ':';
		if (!names && name.start == NULL)
			return start;
		if (!names)
			continue;
		if (length < 2)
			return start;
		struct text before = { text.start + expression, start - expression };
		if (name.start != NULL &&
		    !add_rule(builder, name, before,
			      place_part(place, expression, (uint32_t)before.length)))
			return expression;
		name = (struct text){ text.start + start, length - 1 };
		expression = i;
	}
	struct text last = { text.start + expression, text.length - expression };
	if (name.start == NULL ||
	    !add_rule(builder, name, last, place_part(place, expression, (uint32_t)last.length)))
		return expression < text.length ? expression : text.length - (text.length > 0);
	return text.length;
}

static bool
start_set(struct builder *builder, struct arena *arena, const struct arch *arch,
	  enum arch_names names)
{
	builder->arena = arena;
	builder->arch = arch;
	builder->names = names;
	builder->record = (struct place){ 0 };
	builder->delta = builder->recorded = builder->edited = false;
	memset(builder->slots, 0, sizeof(builder->slots));
	builder->set = arena_alloc(arena, sizeof(*builder->set));
	if (builder->set == NULL)
		return false;
	builder->set->cfa = builder->set->return_address = -1;
	return true;
}

/* Compile the rules that have no program yet; false when out of memory. */
static bool
compile_rules(struct builder *builder)
{
	for (size_t i = 0; i < builder->set->count; i++) {
		const struct program **program = &builder->rules[i].program;

		if (*program == NULL)
			*program = program_compile(builder->arena, builder->arch, builder->names,
						   builder->expressions[i].text,
						   builder->expressions[i].place);
		if (*program == NULL)
			return false;
	}
	return true;
}

static const struct rule_set *
finish_set(struct builder *builder)
{
	struct rule_set *set = builder->set;
	struct rule *rules = arena_array(builder->arena, set->count, sizeof(*rules));

	if (rules == NULL || !compile_rules(builder))
		return NULL;
	memcpy(rules, builder->rules, set->count * sizeof(*rules));
	set->rules = rules;
	return set;
}

const struct rule_set *
rule_set_of_record(struct arena *arena, const struct arch *arch, enum arch_names names,
		   struct text text)
{
	ATTRIBUTE_UNINITIALIZED struct builder builder;

	if (!start_set(&builder, arena, arch, names))
		return NULL;
	builder.recorded = true;
	return parse_rules(&builder, text, (struct place){ 0 }) == text.length
		       ? finish_set(&builder)
		       : NULL;
}

/* The rules of a text without places, read once for all records that have it; NULL: an error. */
static const struct rule_set *
read_once(const struct builder *builder, struct hash *texts, struct text text)
{
	const uint64_t key = hash_words(HASH_START, text.start, text.length);
	const struct known_text {
		struct text text;
		const struct rule_set *set;
	} *known = hash_find(texts, key, text.length);

	if (known != NULL)
		return text_equal(known->text, text) ? known->set : NULL;
	struct known_text *read = arena_alloc(builder->arena, sizeof(*read));
	if (read == NULL)
		return NULL;
	read->text = text;
	read->set = rule_set_of_record(builder->arena, builder->arch, builder->names, text);
	hash_put(texts, key, text.length, read);
	return read->set;
}

/* Apply the rules of a text that was read; false: an error, or too many rules. */
static bool
apply_read(struct builder *builder, const struct rule_set *read)
{
	for (size_t i = 0; read != NULL && i < read->count; i++) {
		struct rule rule = read->rules[i];

		rule.delta = builder->delta;
		if (put_rule(builder, &rule) < 0)
			return false;
	}
	return read != NULL;
}

/* Apply one record; false if its text has an error. */
static bool
apply_record(struct builder *builder, const struct rule_records *records,
	     const struct stack_cfi *record)
{
	const struct symfile *symfile = records->symfile;
	struct stack_cfi was = *record;

	builder->delta = !record->init;
	builder->edited = record_edit_made(symfile, record, &was);
	if (records->texts == NULL)
		builder->record = symfile_place_behind(symfile, &builder->record, record->offset,
						       record->length);
	else if (!builder->edited &&
		 apply_read(builder, read_once(builder, records->texts, record->rules)))
		return true;
	struct place place = place_part(builder->record, was.rules_column - 1u,
					(uint32_t)was.rules.length);
	builder->was = was.rules;
	builder->was_place = place;
	size_t good = parse_rules(builder, record->rules, place);
	if (good == record->rules.length)
		return true;
	builder->set->note = "the rules of this record are malformed from here on";
	builder->set->note_place = place_part(place, good, 1);
	return false;
}

static const char *
missing_rule(const struct rule_set *set)
{
	if (set->cfa < 0)
		return "no record in force has a rule for .cfa";
	return set->return_address < 0 ? "no record in force has a rule for .ra" : NULL;
}

enum arch_names
rule_set_names(const struct policy *policy)
{
	if (policy->value[POLICY_REGISTER_ALIASES])
		return ARCH_NAMES_ALIASES;
	return policy->value[POLICY_MIPS_T0] ? ARCH_NAMES_MENDED : ARCH_NAMES_EXACT;
}

/* The records of one INIT while they are applied. */
struct telling {
	struct builder builder;
	const struct rule_records *records;
	const char *broken;		/* why all sets from here on are unusable, or NULL */
};

/* Apply a record; false: ignore all later records. */
static bool
take_record(struct telling *telling, const struct stack_cfi *record)
{
	struct builder *builder = &telling->builder;
	struct rule_set *set = builder->set;

	set->work += 16 + record->rules.length;
	if (!apply_record(builder, telling->records, record) &&
	    (record->init || !telling->records->policy->value[POLICY_DELTA_KEEPS_GOOD]))
		telling->broken = record->init ? "the rules of the STACK CFI INIT record are "
						 "malformed"
					       : "the rules of a STACK CFI record are malformed";
	if (record->init) {
		set->record = builder->record;
		set->address = record->address;
		set->size = record->size;
	}
	set->problem = telling->broken != NULL ? telling->broken : missing_rule(set);
	return telling->broken == NULL;
}

static bool
start_records(struct telling *telling, struct arena *arena, const struct rule_records *records)
{
	telling->records = records;
	telling->broken = NULL;
	if (!start_set(&telling->builder, arena, records->arch, rule_set_names(records->policy)))
		return false;
	telling->builder.recorded = true;
	return true;
}

const struct rule_set *
rule_set_stack_cfi(struct arena *arena, const struct rule_records *records, uint64_t address)
{
	ATTRIBUTE_UNINITIALIZED struct telling telling;
	struct arena scratch = { 0 };
	struct stack_cfi_records cfi;
	const struct rule_set *set = NULL;

	if (symfile_stack_cfi(records->symfile, records->policy, address, &scratch, &cfi) &&
	    start_records(&telling, arena, records)) {
		bool more = take_record(&telling, &cfi.init);
		for (size_t i = 0; more && i < cfi.delta_count; i++)
			take_record(&telling, &cfi.deltas[i]);
		telling.builder.set->delta_count = cfi.delta_count;
		telling.builder.set->work += (size_t)(cfi.read / 8);
		set = finish_set(&telling.builder);
	}
	arena_free(&scratch);
	return set;
}

/* Work between cached states. */
#define WORK_BETWEEN 4096u

/* The set after some deltas, from which another set continues. */
struct delta_state {
	size_t count;			/* number of these deltas */
	struct rule_set set;
	struct place record;		/* the last delta's place */
	const char *broken;
};

struct rule_history {
	struct stack_cfi_records cfi;
	bool applied;			/* the INIT record is good */
	struct delta_state *states;	/* the first is the state of the INIT record */
	size_t state_count, capacity;
};

struct rule_history *
rule_history_make(struct arena *arena, const struct rule_records *records, uint64_t address)
{
	struct rule_history *history = arena_alloc(arena, sizeof(*history));
	ATTRIBUTE_UNINITIALIZED struct telling telling;

	if (history == NULL ||
	    !symfile_stack_cfi_from(records->symfile, records->policy, address, arena,
				    &history->cfi) ||
	    !start_records(&telling, arena, records))
		return NULL;
	const size_t count = history->cfi.delta_count;
	history->applied = take_record(&telling, &history->cfi.init);
	for (size_t i = 0, next = 0; i <= count; i++) {
		if (telling.builder.set->work >= next) {
			/* Compile now: later states share the programs of unchanged rules. */
			struct delta_state *state = finish_set(&telling.builder) == NULL ? NULL
				: ARENA_PUSH(arena, history->states, history->state_count,
					     history->capacity);
			if (state == NULL)
				return NULL;
			*state = (struct delta_state){ i, *telling.builder.set,
						       telling.builder.record, telling.broken };
			next = telling.builder.set->work + WORK_BETWEEN;
		}
		if (i < count && history->applied)
			take_record(&telling, &history->cfi.deltas[i]);
	}
	return history;
}

const struct rule_set *
rule_history_set(const struct rule_history *history, struct arena *arena,
		 const struct rule_records *records, uint64_t address)
{
	ATTRIBUTE_UNINITIALIZED struct telling telling;
	size_t count, at;

	BISECT(count, history->cfi.delta_count, history->cfi.deltas[count].address <= address);
	BISECT_LAST(at, history->state_count, history->states[at].count <= count);
	const struct delta_state *state = &history->states[at];
	if (!start_records(&telling, arena, records))
		return NULL;
	struct rule_set *set = telling.builder.set;
	for (size_t i = 0; i < state->set.count; i++)
		put_rule(&telling.builder, &state->set.rules[i]);
	*set = state->set;
	telling.builder.record = state->record;
	telling.broken = state->broken;
	for (size_t i = state->count; i < count && history->applied; i++)
		take_record(&telling, &history->cfi.deltas[i]);
	set->delta_count = count;
	return finish_set(&telling.builder);
}

struct rule_rows {
	struct telling telling;
	struct rule_records records;
	struct stack_cfi_reader *reader;
	struct stack_cfi next;		/* the next record */
	bool more;			/* there is one */
};

struct rule_rows *
rule_rows_open(struct arena *arena, const struct rule_records *records, uint64_t address,
	       uint64_t last)
{
	struct rule_rows *rows = arena_alloc(arena, sizeof(*rows));

	if (rows == NULL || !symfile_stack_cfi_init(records->symfile, records->policy, address,
						    &rows->next))
		return NULL;
	if (last - rows->next.address >= rows->next.size)
		last = rows->next.address + rows->next.size - 1;
	rows->records = *records;
	rows->reader = symfile_stack_cfi_open(records->symfile, records->policy, address, last,
					      arena, &rows->next);
	rows->more = rows->reader != NULL && start_records(&rows->telling, arena, &rows->records);
	return rows;
}

bool
rule_rows_next(struct rule_rows *rows, struct rule_change *change)
{
	struct builder *builder = &rows->telling.builder;
	struct rule_set *set = builder->set;
	const struct stack_cfi record = rows->next;

	if (!rows->more)
		return false;
	set->note = NULL;
	rows->more = take_record(&rows->telling, &record) &&
		     symfile_stack_cfi_next(rows->reader, &rows->next);
	if (!compile_rules(builder))
		return rows->more = false;
	set->rules = builder->rules;
	*change = (struct rule_change){
		.address = record.address, .next = rows->next.address, .more = rows->more,
		.record = builder->record, .set = set, .note_place = set->note_place,
		.note = set->note };
	return true;
}

const struct rule_set *
rule_set_text(struct arena *arena, const struct arch *arch, struct text text, struct place place)
{
	ATTRIBUTE_UNINITIALIZED struct builder builder;

	/* On mips the pc has no name, only a label. */
	if (!start_set(&builder, arena, arch, ARCH_NAMES_ALIASES))
		return NULL;
	parse_rules(&builder, text, place);
	return finish_set(&builder);
}

struct rule_set *
rule_set_parts(struct arena *arena, const struct arch *arch, const struct rule_part *parts,
	       size_t count)
{
	ATTRIBUTE_UNINITIALIZED struct builder builder;

	if (!start_set(&builder, arena, arch, ARCH_NAMES_EXACT))
		return NULL;
	builder.recorded = true;
	for (size_t i = 0; i < count; i++) {
		const struct place *place = &parts[i].place;

		builder.record = parts[i].record;
		if (!add_rule(&builder, parts[i].name, parts[i].expression,
			      place->input != NULL ? *place : parts[i].record))
			return NULL;
	}
	return finish_set(&builder) != NULL ? builder.set : NULL;
}

const struct rule_set *
rule_set_changed(struct arena *arena, const struct arch *arch, const struct rule_set *set,
		 const struct rule_part *changes, size_t count)
{
	ATTRIBUTE_UNINITIALIZED struct builder builder;

	if (!start_set(&builder, arena, arch, ARCH_NAMES_ALIASES))
		return NULL;
	for (size_t i = 0; i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		size_t change = 0;

		while (change < count && !text_equal(changes[change].name, rule->name))
			change++;
		builder.record = rule->record;
		builder.recorded = rule->recorded;
		if (change == count && !add_rule(&builder, rule->name, rule->program->text,
						 rule->program->place))
			return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		builder.record = changes[i].record;
		if (changes[i].expression.length == 0)
			continue;
		if (!add_rule(&builder, changes[i].name, changes[i].expression,
			      (struct place){ 0 }))
			return NULL;
		rule_named(&builder, changes[i].name)->edited = true;
	}
	if (finish_set(&builder) == NULL)
		return NULL;
	builder.set->record = set->record;
	builder.set->problem = set->problem;
	if (set->cfa >= 0 && builder.set->cfa < 0)
		builder.set->problem = "no rule for .cfa is left";
	if (set->return_address >= 0 && builder.set->return_address < 0)
		builder.set->problem = "no rule for .ra is left";
	return builder.set;
}

bool
rule_evaluate(const struct rule *rule, const struct environment *environment,
	      const struct registers *registers, const uint32_t *register_events,
	      const struct variable *cfa, struct outcome *outcome)
{
	ATTRIBUTE_UNINITIALIZED struct variable variables[LIMIT_POSTFIX_VARIABLES];
	const struct program *program = rule->program;

	for (size_t i = 0; i < program->name_count; i++) {
		const struct program_name *name = &program->names[i];

		variables[i] = (struct variable){ .from = TRACE_NONE };
		if (registers_known(registers, name->reg)) {
			variables[i].value = registers->value[name->reg];
			variables[i].known = true;
			if (register_events != NULL)
				variables[i].from = register_events[name->reg];
		} else if (cfa != NULL && cfa->known && text_is(name->text, ".cfa")) {
			variables[i] = *cfa;
		}
	}
	return program_run(program, PROGRAM_EXPRESSION, environment, variables, outcome);
}
