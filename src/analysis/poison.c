/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "inspect/fill_pattern.h"

uint64_t
analysis_used_registers(const struct explain *explain)
{
	const struct instruction *instruction = &explain->instruction;
	uint64_t used = 0;

	for (size_t i = 0; explain->decoded && i < instruction->access_count; i++) {
		const struct instruction_access *access = &instruction->accesses[i];

		if (access->base != ARCH_NO_REGISTER)
			used |= UINT64_C(1) << access->base;
		if (access->index != ARCH_NO_REGISTER)
			used |= UINT64_C(1) << access->index;
	}
	if (instruction->target_register != ARCH_NO_REGISTER && explain->decoded)
		used |= UINT64_C(1) << instruction->target_register;
	return used;
}

size_t
analysis_text(uint64_t value, char text[9])
{
	size_t length = 0;

	for (; value != 0; value >>= 8) {
		char c = (char)(value & 0xff);

		if (c < ' ' || c > '~')
			return 0;
		text[length++] = c;
	}
	text[length] = '\0';
	return length >= 4 ? length : 0;
}

/* Bytes of memory that are searched for a text, and bytes of the text that are shown. */
#define SEARCHED_MOST (UINT64_C(256) << 20)
#define TEXT_SHOWN 120u

static bool
is_letter(uint8_t byte)
{
	return byte >= ' ' && byte <= '~';
}

/* Counts the aligned words of a run that equal `word`. `*offset`: offset of the last word. */
static size_t
count_words(const struct memory_run *run, const uint8_t *word, unsigned size, uint64_t *offset)
{
	const uint8_t *at = run->data, *end = run->data + run->size;
	size_t count = 0;

	while ((at = memmem(at, (size_t)(end - at), word, size)) != NULL) {
		if ((run->base + (uint64_t)(at - run->data)) % size == 0) {
			*offset = (uint64_t)(at - run->data);
			count++;
		}
		at++;
	}
	return count;
}

/* Adds the text around the only aligned word of writable memory that is equal to `value`. */
static void
add_text_place(struct explain *explain, struct finding *finding, uint64_t value)
{
	const unsigned size = explain->arch->word_size;
	const struct memory_run *found = NULL;
	uint8_t word[8];
	uint64_t at = 0, offset, left = SEARCHED_MOST;
	size_t count = 0;

	reader_put_number(word, size, explain->memory.big_endian, value);
	for (size_t i = 0; i < explain->memory.count && !explain->crash->redacted; i++) {
		const struct memory_run *run = &explain->memory.runs[i];
		const struct mapping *mapping = crash_mapping(explain->crash, run->base);

		if (run->size > left || mapping == NULL || !mapping->writable)
			continue;
		left -= run->size;
		const size_t here = count_words(run, word, size, &offset);
		if (here > 0)
			found = run, at = offset;
		count += here;
	}
	if (count != 1)
		return;
	uint64_t start = at, end = at;
	while (start > 0 && is_letter(found->data[start - 1]))
		start--;
	while (end < found->size && is_letter(found->data[end]))
		end++;
	const int shown = (int)(end - start < TEXT_SHOWN ? end - start : TEXT_SHOWN);
	finding_evidence(explain, finding, "only the word at 0x%" PRIx64 " is this text, part of %"
			 PRIu64 " characters at 0x%" PRIx64 ": \"%.*s\"", found->base + at,
			 end - start, found->base + start, shown,
			 (const char *)found->data + start);
}

/* Even if the address is not text, a register of its operand may be text. */
static bool
explain_text_in_register(struct explain *explain, uint64_t address, uint64_t used)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	bool computed = false;
	char text[9];

	for (size_t i = 0; i < at->access_count; i++)
		computed |= at->accesses[i].faulted;
	for (int reg = 0; reg < explain->arch->register_count; reg++) {
		const uint64_t value = explain->registers->value[reg];

		if ((used >> reg & 1) == 0 || value == address ||
		    !registers_known(explain->registers, reg) ||
		    analysis_text(value, text) != explain->arch->word_size)
			continue;
		struct finding *finding = finding_add(
			explain, FINDING_TEXT_POINTER, text[4] != '\0' ? 95 : 75,
			"%s is text: \"%s\"; something wrote a string over a pointer",
			analysis_register(explain, reg), text);
		if (computed)
			finding_evidence(explain, finding,
					 "the address 0x%" PRIx64 " was computed from it", address);
		add_text_place(explain, finding, value);
		return true;
	}
	return false;
}

static void
explain_text(struct explain *explain, uint64_t address, uint64_t used)
{
	char text[9];
	const size_t length = analysis_text(address, text);

	if (explain_text_in_register(explain, address, used))
		return;
	/* A value of five to seven letters may be a pointer. */
	if (length != explain->arch->word_size && length != 4)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_TEXT_POINTER, length > 4 ? 95 : 75,
			    "the address 0x%" PRIx64 " is text: \"%s\"; something wrote a string "
			    "over a pointer", address, text);
	for (int reg = 0; reg < explain->arch->register_count; reg++)
		if (registers_known(explain->registers, reg) &&
		    (explain->instruction.reads >> reg & 1) != 0 &&
		    explain->registers->value[reg] == address)
			finding_evidence(explain, finding, "%s holds it",
					 analysis_register(explain, reg));
	if (length == explain->arch->word_size)
		add_text_place(explain, finding, address);
}

/* Adds a value with a pattern; `used`: the crashing instruction uses it. */
static void
add_poison(struct explain *explain, const struct fill_pattern *pattern, int reg, uint64_t value,
	   bool used)
{
	struct analysis *out = explain->out;
	const char *name = arena_format(&out->arena, "0x%" PRIx64, pattern->value);
	const bool maker = fill_pattern_has_maker(explain->crash, pattern);
	struct finding *finding;

	if (name != NULL)
		out->poisons[out->poison_count++] =
			(struct analysis_poison){ reg, pattern->freed, value, name,
						  pattern->meaning };
	if (name == NULL || !used)
		return;
	if (!maker)
		finding = finding_add(explain, FINDING_POISON, 75,
				      "the program used a fill pattern as a pointer");
	else if (pattern->freed)
		finding = finding_add(explain, FINDING_USE_AFTER_FREE, 80,
				      "the program used a pointer that it read from freed memory");
	else
		finding = finding_add(explain, FINDING_POISON, 75,
				      "the program used a pointer that was never set");
	finding_evidence(explain, finding, "%s is 0x%" PRIx64 ": %s is the pattern of %s%s",
			 analysis_register(explain, reg), value, name, pattern->meaning,
			 maker ? "" : ", which no module of the process is known to use");
}

void
poison_explain(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct fill_pattern *pattern;
	const uint64_t used = analysis_used_registers(explain);
	uint64_t address;
	bool told = false;

	if (explain->arch == NULL || out->reason == NULL)
		return;
	out->poisons = arena_array(&out->arena, ARCH_REGISTERS + 1, sizeof(*out->poisons));
	if (out->poisons == NULL)
		return;
	bool faulted = analysis_faulted_at(explain, &address);
	for (int reg = 0; reg < explain->arch->register_count; reg++) {
		const uint64_t value = explain->registers->value[reg];
		const bool uses = faulted && (used >> reg & 1) != 0;

		if (!registers_known(explain->registers, reg) ||
		    (pattern = fill_pattern_of(explain->arch, value)) == NULL)
			continue;
		told = told || uses;
		add_poison(explain, pattern, reg, value, uses);
	}
	if (!faulted || told)
		return;
	if ((pattern = fill_pattern_of(explain->arch, address)) != NULL)
		add_poison(explain, pattern, ARCH_NO_REGISTER, address, true);
	else
		explain_text(explain, address, used);
}
