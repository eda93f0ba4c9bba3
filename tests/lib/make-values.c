/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Values that tests/gdb.t prints with the debugger's pretty printers. */
#include "base/place.h"
#include "base/text.h"
#include "crash/arch.h"
#include "rules/program.h"
#include "rules/rule_set.h"

static const struct input file = { .name = "/symbols/libc.sym" };
static const struct place record = { &file, 120, 30, 45, 1 };
static const struct program cfa = { .text = { "$rsp 8 +", 8 } };
static const struct program ra = { .text = { ".cfa -8 + ^", 11 } };
static const struct rule rules[] = {
	{ .target = RULE_CFA, .name = { ".cfa", 4 }, .program = &cfa, .record = record },
	{ .target = RULE_RETURN_ADDRESS, .name = { ".ra", 3 }, .program = &ra },
};

/* Static, so that optimization cannot take them apart. */
static struct registers registers;
static struct text text = { "a\xff name", 7 };
static struct place offset = { &file, 0x1f0, 8, 0, 0 };
static struct rule_set set = { .rules = rules, .count = 2, .record = record };
static struct rule_set unusable = { .problem = "no rule for .cfa" };
static const void *volatile kept[] = { &registers, &text, &offset, &set, &unusable, &record };

/* The debugger stops here. */
static bool
shown(const struct arch *volatile arch)
{
	return arch == kept[0];
}

int
main(void)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);

	registers_set(&registers, arch->sp, 0x7ffd1000);
	registers_set(&registers, arch->pc, 0x401136);
	return shown(arch);
}
