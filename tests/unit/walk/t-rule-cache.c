/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/rule_cache.h"

#include <stdio.h>

#include "tests/lib/tap.h"

/* The rules that method_scan writes. */
static const char *
scan_rules(char text[128], unsigned distance)
{
	snprintf(text, 128, "$rip: $rsp %u + ^ $rsp: $rsp %u +", distance, distance + 8);
	return text;
}

int
main(void)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	struct rule_cache *cache = rule_cache_create();
	char text[128];

	if (cache == NULL)
		return 99;
	const struct rule_set *first = rule_cache_made_text(cache, arch, scan_rules(text, 0));
	const struct rule_set *second = rule_cache_made_text(cache, arch, scan_rules(text, 8));
	ok(first != NULL && first->count == 2, "a text that a method made is compiled");
	ok(first != second, "another text has other rules");
	ok(rule_cache_made_text(cache, arch, scan_rules(text, 0)) == first,
	   "the first text's rules are used again for the same bytes at the same place");
	char copy[128];
	ok(rule_cache_made_text(cache, arch, scan_rules(copy, 8)) == second,
	   "the rules are used again for the same bytes elsewhere");
	scan_rules(text, 9999);
	ok(text_equal(first->rules[0].program->text, text_of("$rsp 0 + ^")),
	   "rules that are kept do not change with the text that they were made of");
	unsigned kept = 2;
	for (; kept < 1000; kept++)
		if (rule_cache_made_text(cache, arch, scan_rules(text, 8 * kept)) == NULL)
			break;
	is_u64(kept, 256, "no more than 256 texts are kept");
	ok(rule_cache_made_text(cache, arch, scan_rules(text, 0)) == first,
	   "those that are kept still count then");
	rule_cache_trim(cache);
	ok(rule_cache_made_text(cache, arch, scan_rules(text, 8 * kept)) != NULL,
	   "a cache that was trimmed has room again");
	rule_cache_free(cache);
	return done_testing();
}
