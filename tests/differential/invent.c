/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/differential/invent.h"

#include <inttypes.h>

#include "base/compiler.h"
#include "tests/differential/chance.h"

struct inventor {
	FILE *file;
	const struct arch *arch;
	struct chance chance;
};

static unsigned
below(struct inventor *inventor, unsigned limit)
{
	return (unsigned)chance_below(&inventor->chance, limit);
}

static bool
percent(struct inventor *inventor, unsigned share)
{
	return chance_percent(&inventor->chance, share);
}

static const char *
one_of(struct inventor *inventor, const char *const *texts, size_t count)
{
	return texts[below(inventor, (unsigned)count)];
}

/* A register in a valid spelling, sometimes in an invalid one. */
static const char *
some_register(struct inventor *inventor)
{
	const struct arch *arch = inventor->arch;
	const char *name = NULL;

	if (percent(inventor, 2))
		return "$nothing";
	if (percent(inventor, 30))
		return arch->registers[arch->sp].name;
	if (percent(inventor, 30))
		return arch->registers[arch->fp].name;
	while (name == NULL)
		name = arch->registers[below(inventor, (unsigned)arch->register_count)].name;
	return name;
}

static void
number(struct inventor *inventor)
{
	static const char *const odd[] = { "-1", "--8", "+8", "010", "0x8", "4294967295", "4294967296", "18446744073709551615",
					   "18446744073709551616", "-2147483648", "-0", "-", "7" };

	if (percent(inventor, 4))
		fprintf(inventor->file, "%s", one_of(inventor, odd, ARRAY_COUNT(odd)));
	else if (percent(inventor, 10))
		fprintf(inventor->file, "%u", below(inventor, 300));
	else
		fprintf(inventor->file, "%s%u", percent(inventor, 30) ? "-" : "", below(inventor, 24) * inventor->arch->word_size);
}

/* A value of the frame: base register or CFA plus an offset, sometimes read from that address. */
static void
slot(struct inventor *inventor, bool has_cfa)
{
	fprintf(inventor->file, "%s ", has_cfa && !percent(inventor, 15) ? ".cfa" : some_register(inventor));
	if (has_cfa)
		fprintf(inventor->file, "-%u", (1 + below(inventor, 12)) * inventor->arch->word_size);
	else
		number(inventor);
	fprintf(inventor->file, percent(inventor, 95) ? " + ^" : " +");
}

/* Anything that parses: operands and operators in random order, mostly balanced. */
static void
soup(struct inventor *inventor, bool has_cfa)
{
	static const char *const operators[] = { "+", "-", "*", "@", "^", "+", "-", "=" };
	unsigned depth = 0, tokens = 1 + below(inventor, 9);

	for (unsigned i = 0; i < tokens || depth > 1; i++) {
		if (i > 0)
			putc(' ', inventor->file);
		if (depth >= 2 && (percent(inventor, 50) || i >= tokens)) {
			fprintf(inventor->file, "%s", one_of(inventor, operators, ARRAY_COUNT(operators) - 1));
			depth--;
		} else if (depth == 1 && percent(inventor, 15)) {
			fprintf(inventor->file, "^");
		} else if (depth == 1 && percent(inventor, 8)) {
			fprintf(inventor->file, "%u %s", 1 + below(inventor, 20), percent(inventor, 50) ? "/" : "%");
		} else if (percent(inventor, 45)) {
			fprintf(inventor->file, "%s", has_cfa && percent(inventor, 50) ? ".cfa" : some_register(inventor));
			depth++;
		} else {
			number(inventor);
			depth++;
		}
		if (percent(inventor, 2) && i >= tokens)
			break;
	}
}

static void
cfa_rule(struct inventor *inventor)
{
	const struct arch *arch = inventor->arch;
	int base = percent(inventor, 75) ? arch->sp : arch->fp;

	fprintf(inventor->file, ".cfa: ");
	if (percent(inventor, 8))
		soup(inventor, false);
	else
		fprintf(inventor->file, "%s %u +", arch->registers[base].name, below(inventor, 20) * arch->word_size);
}

static void
return_rule(struct inventor *inventor)
{
	const struct arch *arch = inventor->arch;
	const bool mips = arch->return_step < 0;

	fprintf(inventor->file, " .ra: ");
	/* Breakpad's walker for mips keeps every register for ever. A return address from registers
	 * alone would give a million frames; reads of the stack come to an end. */
	if (arch->lr != ARCH_NO_REGISTER && percent(inventor, 35))
		fprintf(inventor->file, "%s%s", arch->registers[arch->lr].name, mips ? " $sp ^ 0 * +" : "");
	else if (!mips && percent(inventor, 8))
		soup(inventor, true);
	else
		fprintf(inventor->file, ".cfa -%u + ^", percent(inventor, 85) ? arch->word_size : below(inventor, 6) * arch->word_size);
}

static void
register_rules(struct inventor *inventor, unsigned most)
{
	for (unsigned count = below(inventor, most + 1); count > 0; count--) {
		if (percent(inventor, 3))
			fprintf(inventor->file, " $ghost: ");
		else
			fprintf(inventor->file, " %s: ", some_register(inventor));
		if (percent(inventor, 5))
			fprintf(inventor->file, ".undef");
		else if (percent(inventor, 8))
			soup(inventor, true);
		else
			slot(inventor, true);
	}
}

/* Endings of a record that no grammar allows. */
static void
spoil(struct inventor *inventor)
{
	static const char *const odd[] = { " $x:", " :", " ::  8", "  ", " .cfa:", " stray" };

	if (percent(inventor, 3))
		fprintf(inventor->file, "%s", one_of(inventor, odd, ARRAY_COUNT(odd)));
}

static void
cfi(struct inventor *inventor, unsigned address, unsigned size)
{
	fprintf(inventor->file, "STACK CFI INIT %x %x ", address, size);
	if (percent(inventor, 97))
		cfa_rule(inventor);
	if (percent(inventor, 97))
		return_rule(inventor);
	register_rules(inventor, 2);
	spoil(inventor);
	fprintf(inventor->file, "\n");
	for (unsigned at = address + below(inventor, 4); at < address + size; at += below(inventor, 8)) {
		bool cfa = percent(inventor, 70);
		fprintf(inventor->file, "STACK CFI %x ", at);
		if (cfa || percent(inventor, 20))
			cfa_rule(inventor);
		else
			fprintf(inventor->file, "%s: .cfa -%u + ^", some_register(inventor), 8 * below(inventor, 5));
		register_rules(inventor, 2);
		if (percent(inventor, 5))
			return_rule(inventor);
		spoil(inventor);
		fprintf(inventor->file, "\n");
	}
}

/* Programs as compilers for Windows write them, and one of random tokens. */
static void
win_program(struct inventor *inventor)
{
	static const char *const programs[] = {
		"$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = $L $T0 .cbSavedRegs - = "
		"$P $T0 8 + .cbParams + =", "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + =",
		"$T0 .raSearchStart = $eip $T0 ^ = $esp $T0 4 + =", "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = $ebx $T0 20 - ^ =",
		"$T0 .raSearchStart = $eip $T0 ^ = $esp $T0 4 + = $ebp $T0 8 - ^ = $ebx $T0 12 - "
		"^ =", "$T1 .raSearch = $T0 $T1 4 - 8 @ = $ebp $T1 4 - ^ = $eip $T1 ^ = $esp $T1 4 + =",
		"$T2 $esp .cbLocals + .cbSavedRegs + = $T0 .raSearchStart = $eip $T0 ^ =$esp $T0 4 "
		"+ =", "$eip $ebp 4 + ^ = $esp $ebp 8 + = $ebp $ebp ^ = $esi $ebx =",
		"$eip .raSearch ^ = $esp .raSearch 4 + = $ebp $ebp ^ = $edi 7 = $esi 17 5 % =", "$eip 0 = $ebp 0 = $esp $esp 8 + =",
		"$eip .raSearch ^ =", "$T9 $esi = $eip $T9 ^ = $esp $T9 =",
	};

	if (percent(inventor, 90)) {
		fprintf(inventor->file, "%s", one_of(inventor, programs, ARRAY_COUNT(programs)));
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		static const char *const targets[] = { "$eip", "$esp", "$ebp", "$T0", "$ebx" };
		fprintf(inventor->file, "%s ", i < 2 ? targets[i] : one_of(inventor, targets, ARRAY_COUNT(targets)));
		soup(inventor, false);
		fprintf(inventor->file, " = ");
	}
}

static void
win(struct inventor *inventor, unsigned address, unsigned size)
{
	bool program = percent(inventor, 65);
	unsigned type = percent(inventor, program ? 93 : 10) ? 4 : below(inventor, 4);

	fprintf(inventor->file, "STACK WIN %u %x %x %x %x %x %x %x %x %d ", type, address, size, below(inventor, 8),
		below(inventor, 4), below(inventor, 5) * 4, below(inventor, 5) * 4, below(inventor, 8) * 4, 0u, program);
	if (program)
		win_program(inventor);
	else
		fprintf(inventor->file, "%u", below(inventor, 2));
	fprintf(inventor->file, "\n");
}

static void
lines(struct inventor *inventor, unsigned address, unsigned size)
{
	unsigned at = address;

	while (at < address + size) {
		unsigned length = 1 + below(inventor, 24);
		if (percent(inventor, 90))
			fprintf(inventor->file, "%x %x %u %u\n", at, length, below(inventor, 90), below(inventor, 5));
		at += percent(inventor, 95) ? length : length / 2 + 1;
	}
}

static void
inlines(struct inventor *inventor, unsigned address, unsigned size)
{
	unsigned depth = 0, begin = 0, length = size;

	while (length > 4 && percent(inventor, 60)) {
		begin += below(inventor, length / 2);
		length = 1 + below(inventor, size - begin);
		fprintf(inventor->file, "INLINE %u %u %d %u %x %x\n", depth, below(inventor, 90),
			(int)below(inventor, 6) - 1, below(inventor, 6), address + begin, length);
		depth += percent(inventor, 90) ? 1 : 2;
	}
}

static void
function(struct inventor *inventor, unsigned address, unsigned size, unsigned number)
{
	fprintf(inventor->file, "FUNC %s%x %x %x function_%u(int)\n",
		percent(inventor, 5) ? "m " : "", address, size, below(inventor, 5) * 4, number);
	inlines(inventor, address, size);
	lines(inventor, address, size);
}

/* Records with a defect, and some that only look wrong. Line records have none: Breakpad counts bad
 * ones in every function, unspool reads functions on demand. */
static void
odd_record(struct inventor *inventor, unsigned address, unsigned size)
{
	static const struct {
		const char *before, *between, *after;
	} odd[] = {
		{ "FUNC 0x", " 0x", " 0 prefixed" }, { "FUNC ", " ", " 0" },
		{ "FUNC ", " ", " -4 negative" }, { "FUNC ", " ", "z 0 garbage" },
		{ "FUNC ", " 0 ", " empty" }, { "FUNC  ", "  ", "  0   spaced out" },
		{ "FUNC ffffffffffffff", " ", " 0 wraps" }, { "PUBLIC ", " ", "" },
		{ "PUBLIC m ", " ", " several" }, { "PUBLIC ", " ", " with a return\r" },
		{ "\r\n\nINFO CODE_ID ", " ", "" }, { "WHATEVER ", " ", "" }, { "", " ", " 1 1" },
		{ "", " ", " 7 99" }, { "FILE 1 again ", " ", "" },
		{ "FILE -", " bad ", "" }, { "INLINE_ORIGIN ", " 3 old form ", "" },
		{ "INLINE_ORIGIN x", " ", "" }, { "STACK CFI INIT ", " ", "" },
		{ "STACK CFI INIT ", " 0 .cfa: ", " .ra: 8" }, { "STACK CFI ", "", "" },
		{ "STACK CFI INIT ", " ", "  .cfa:  sp   8 +  .ra: .cfa  ^ " },
		{ "STACK SOMETHING ", " ", "" }, { "STACK WIN 5 ", " ", " 0 0 0 0 0 0 0 0" },
		{ "STACK WIN 4 ", " ", " 0 0 zz 0 0 0 0 1" }, { "STACK WIN 4 ", " ", " 0 0 0 1" },
		{ "STACK WIN 4 ", " ", " 0 0 0 4 8 0 1 " },
	};
	size_t which = below(inventor, ARRAY_COUNT(odd));

	fprintf(inventor->file, "%s%x%s%x%s\n", odd[which].before, address, odd[which].between, size, odd[which].after);
}

/* One range of code with its records. */
static void
stretch(struct inventor *inventor, unsigned address, unsigned size, unsigned number)
{
	if (percent(inventor, 80))
		function(inventor, address, percent(inventor, 90) ? size : size + 16, number);
	if (percent(inventor, 25))
		fprintf(inventor->file, "PUBLIC %x %x public_%u\n", address + below(inventor, size), below(inventor, 4) * 4, number);
	if (inventor->arch->id == ARCH_X86 && percent(inventor, 60)) {
		win(inventor, address, size);
		if (percent(inventor, 30))
			win(inventor, address + below(inventor, size), 1 + below(inventor, size));
	}
	if (percent(inventor, 4))
		odd_record(inventor, address, size);
	if (percent(inventor, inventor->arch->id == ARCH_X86 ? 40 : 80))
		cfi(inventor, address, percent(inventor, 92) ? size : size + 9);
}

void
invent_symbols(FILE *file, const struct arch *arch, const char *name, const char *id, uint32_t span, uint64_t seed)
{
	struct inventor inventor = { .file = file, .arch = arch, .chance = chance_of(seed, UINT64_C(0x53796d62)) };
	unsigned address = 0x200, number = 0;

	fprintf(file, "MODULE Linux %s %s %s\n", arch->name, id, name);
	for (unsigned i = 0; i < 4; i++)
		fprintf(file, "FILE %u /source/of %u/file_%u.c\n", i, i, i);
	for (unsigned i = 0; i < 5; i++)
		fprintf(file, "INLINE_ORIGIN %u inlined_%u\n", i, i);
	while (address < span) {
		unsigned size = 4 + below(&inventor, 60);
		stretch(&inventor, address, size, number++);
		address += size + (percent(&inventor, 30) ? below(&inventor, 64) : 0);
		if (percent(&inventor, 5))
			address += 0x400;
	}
}
