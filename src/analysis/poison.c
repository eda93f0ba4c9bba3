/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

/* Values written on purpose: into freed or fresh memory, or to attract attention. */

/* Distance from a pattern up to which an address may be a member of its object. */
#define OFFSET 0x1000u

/* Patterns of 32 bits, which repeat in longer words, and some of 64 bits. */
static const struct pattern {
	uint64_t value;
	bool wide;			/* has 64 bits: does not repeat */
	bool freed;
	const char *meaning;
	enum {
		MAKER_ANY,		/* any program may write it */
		MAKER_WINDOWS,
		MAKER_APPLE,
		MAKER_MOZILLA,
		MAKER_JEMALLOC,
	} maker;
} patterns[] = {
	{ 0xe5e5e5e5, false, true, "memory freed by Mozilla's jemalloc", MAKER_MOZILLA },
	{ 0xe4e4e4e4, false, false, "fresh memory of Mozilla's jemalloc", MAKER_MOZILLA },
	{ 0x5a5a5a5a, false, true, "memory freed by jemalloc", MAKER_JEMALLOC },
	{ 0xa5a5a5a5, false, false, "fresh memory of jemalloc", MAKER_JEMALLOC },
	{ 0xdddddddd, false, true, "memory freed by the debug heap of Microsoft's C library",
	  MAKER_WINDOWS },
	{ 0xcdcdcdcd, false, false, "fresh memory of the debug heap of Microsoft's C library",
	  MAKER_WINDOWS },
	{ 0xfdfdfdfd, false, false, "the fence around blocks of Microsoft's debug heap",
	  MAKER_WINDOWS },
	{ 0xcccccccc, false, false, "a fresh stack frame of Microsoft's compiler", MAKER_WINDOWS },
	{ 0xfeeefeee, false, true, "memory freed by the Windows heap under a debugger",
	  MAKER_WINDOWS },
	{ 0xbaadf00d, false, false, "fresh memory of the Windows heap under a debugger",
	  MAKER_WINDOWS },
	{ 0xabababab, false, false, "the fence after blocks of the Windows heap", MAKER_WINDOWS },
	{ 0x55555555, false, true, "memory freed with MallocScribble of macOS", MAKER_APPLE },
	{ 0xaaaaaaaa, false, false, "fresh memory of macOS, or a variable that was never set",
	  MAKER_ANY },
	{ 0xbebebebe, false, false, "fresh memory of AddressSanitizer", MAKER_ANY },
	{ 0x2b2b2b2b, false, true, "swept nursery of SpiderMonkey", MAKER_MOZILLA },
	{ 0x2f2f2f2f, false, false, "fresh nursery of SpiderMonkey", MAKER_MOZILLA },
	{ 0x49494949, false, true, "moved cell of SpiderMonkey", MAKER_MOZILLA },
	{ 0x4b4b4b4b, false, true, "swept cell of SpiderMonkey", MAKER_MOZILLA },
	{ 0x6b6b6b6b, false, true, "freed memory (SpiderMonkey, Linux slabs)", MAKER_ANY },
	{ 0xf0dea7ff, false, true, "Mozilla's frame poison", MAKER_MOZILLA },
	{ 0x7ffffffff0dea7ff, true, true, "Mozilla's frame poison", MAKER_MOZILLA },
	{ 0xdeadbeef, false, false, "a marker of dead or unset memory", MAKER_ANY },
	{ 0xdeaddead, false, false, "a marker of dead or unset memory", MAKER_ANY },
	{ 0xdeadc0de, false, false, "a marker of dead or unset memory", MAKER_ANY },
	{ 0xbbadbeef, false, false, "WebKit's marker of a deliberate crash", MAKER_ANY },
	{ 0xfefefefe, false, true, "a marker of freed memory", MAKER_ANY },
	{ 0xefefefef, false, true, "a marker of freed memory", MAKER_ANY },
	{ 0x0defaced0defaced, true, false, "a word that Breakpad's writer removed for privacy",
	  MAKER_ANY },
};

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

/* The nearest fill pattern of a value, perhaps with a small offset; NULL: none. */
static const struct pattern *
pattern_of(const struct arch *arch, uint64_t value)
{
	const bool wide = arch != NULL && arch->word_size == 8;
	const struct pattern *nearest = NULL;
	uint64_t least = OFFSET;

	for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
		const struct pattern *pattern = &patterns[i];
		const uint64_t once = value - pattern->value;
		const uint64_t twice = value - (pattern->value << 32 | pattern->value);

		const uint64_t distance = once < OFFSET || !wide || pattern->wide ? once : twice;

		if (distance < least && (wide || !pattern->wide)) {
			nearest = pattern;
			least = distance;
		}
	}
	return nearest;
}

/* Whether the maker of a pattern is in the process, by its system and its modules. */
static bool
has_maker(const struct crash *crash, const struct pattern *pattern)
{
	static const char *const modules[][6] = {
		[MAKER_MOZILLA] = { "xul", "mozglue", "mozjs", "mozalloc", "firefox",
				    "thunderbird" },
		[MAKER_JEMALLOC] = { "jemalloc" },
	};

	if (pattern->maker == MAKER_ANY)
		return true;
	if (pattern->maker == MAKER_WINDOWS)
		return crash->system.os == CRASH_OS_WINDOWS;
	if (pattern->maker == MAKER_APPLE)
		return crash->system.os == CRASH_OS_MAC || crash->system.os == CRASH_OS_IOS;
	for (size_t i = 0; i < crash->module_count; i++)
		for (size_t j = 0; j < ARRAY_COUNT(modules[0]); j++)
			if (modules[pattern->maker][j] != NULL &&
			    strstr(place_base_name(crash->modules[i].code_file),
				   modules[pattern->maker][j]) != NULL)
				return true;
	return false;
}

const char *
analysis_pattern(const struct crash *crash, const struct arch *arch, uint64_t value)
{
	const struct pattern *pattern = pattern_of(arch, value);

	return pattern != NULL && (crash == NULL || has_maker(crash, pattern)) ? pattern->meaning
									       : NULL;
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

/* A register of the operand may be text although the address, a few bytes further, is not. */
static bool
explain_text_in_register(struct explain *explain, uint64_t address, uint64_t used)
{
	char text[9];

	for (int reg = 0; reg < explain->arch->register_count; reg++) {
		const uint64_t value = explain->registers->value[reg];

		if ((used >> reg & 1) == 0 || value == address ||
		    !registers_known(explain->registers, reg) ||
		    analysis_text(value, text) != explain->arch->word_size)
			continue;
		finding_evidence(
			explain,
			finding_add(explain, FINDING_TEXT_POINTER, text[4] != '\0' ? 95 : 75,
				    "%s is text: \"%s\"; something wrote a string over a pointer",
				    analysis_register(explain, reg), text),
			"the address 0x%" PRIx64 " was computed from it", address);
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
}

/* Adds a value with a pattern; `used`: the crashing instruction uses it. */
static void
add_poison(struct explain *explain, const struct pattern *pattern, int reg, uint64_t value,
	   bool used)
{
	struct analysis *out = explain->out;
	const char *name = arena_format(&out->arena, "0x%" PRIx64, pattern->value);
	const bool maker = has_maker(explain->crash, pattern);
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
	const struct pattern *pattern;
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
		    (pattern = pattern_of(explain->arch, value)) == NULL)
			continue;
		told = told || uses;
		add_poison(explain, pattern, reg, value, uses);
	}
	if (!faulted || told)
		return;
	if ((pattern = pattern_of(explain->arch, address)) != NULL)
		add_poison(explain, pattern, ARCH_NO_REGISTER, address, true);
	else
		explain_text(explain, address, used);
}
