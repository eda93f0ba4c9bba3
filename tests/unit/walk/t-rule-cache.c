/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/rule_cache.h"

#include "tests/lib/tap.h"

static const char by_frame[] = "$rip: $rbp 8 + ^ $rsp: $rbp 16 +";
static const char on_top[] = "$rip: $rsp ^ $rsp: $rsp 8 +";

int
main(void)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	struct rule_cache *cache = rule_cache_create();

	if (cache == NULL)
		return 99;
	const struct rule_set *first = rule_cache_text(cache, arch, by_frame);
	const struct rule_set *second = rule_cache_text(cache, arch, on_top);
	ok(first != NULL && first->count == 2, "a constant text is compiled");
	ok(second != NULL && second != first, "another text has other rules");
	ok(rule_cache_text(cache, arch, by_frame) == first, "a text is compiled once");
	char made[] = "$rip: $rsp 24 + ^ $rsp: $rsp 32 +";
	const struct rule_set *above = rule_cache_made(cache, arch, made);
	made[12] = '1';
	ok(above != NULL && text_equal(above->rules[0].program->text, text_of("$rsp 24 + ^")) &&
		   text_equal(above->rules[1].program->text, text_of("$rsp 32 +")),
	   "the rules of a made text stay when it changes");
	ok(rule_cache_made(cache, arch, "$rip: $rsp 24 + ^ $rsp: $rsp 32 +") == above &&
		   rule_cache_made(cache, arch, made) != above,
	   "a made text is compiled once, another one has other rules");
	rule_cache_trim(cache);
	const struct rule_set *again = rule_cache_text(cache, arch, on_top);
	ok(again != NULL && text_equal(again->rules[0].program->text, text_of("$rsp ^")), "a cache that was trimmed compiles a text again");
	rule_cache_free(cache);
	return done_testing();
}
