/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/fill_pattern.h"

#include <string.h>

/* Maximum offset of a member in an object whose address is a pattern. */
#define OFFSET 0x1000u

/* Patterns of 32 bits, which repeat in longer words, and some of 64 bits. */
static const struct fill_pattern patterns[] = {
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

const struct fill_pattern *
fill_pattern_of(const struct arch *arch, uint64_t value)
{
	const bool wide = arch != NULL && arch->word_size == 8;
	const struct fill_pattern *nearest = NULL;
	uint64_t least = OFFSET;

	for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
		const struct fill_pattern *pattern = &patterns[i];
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

bool
fill_pattern_has_maker(const struct crash *crash, const struct fill_pattern *pattern)
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
fill_pattern_meaning(const struct crash *crash, const struct arch *arch, uint64_t value)
{
	const struct fill_pattern *pattern = fill_pattern_of(arch, value);

	return pattern != NULL && (crash == NULL || fill_pattern_has_maker(crash, pattern))
		       ? pattern->meaning : NULL;
}
