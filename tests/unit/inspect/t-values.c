/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/expression/value_expression.h"
#include "report/value/value_text.h"
#include "tests/unit/inspect/made_types.h"

/*
 * Values by their locations, for processors of either byte order (DWARF 5, 2.6.1 and 5.7.6). The words at 408010 and in register 3
 * (rbx of amd64, r3 of ppc64) are 1122334455667788.
 */
static const char *const types[] = {
	"u8|u1", "char|c1", "short|i2", "ushort|u2", "int|i4", "uint|u4", "long|i8", "ulong|u8", "huge|i16", "uhuge|u16",
	"two|{4|a@ushort@0|b@ushort@2", "pair|{8|x@int@0|y@int@4", "trio|{12|x@int@0|y@int@4|z@int@8", "*pair|*pair", "*int|*int",
	"&int|&int", "[65536]u8|[65536]u8", "[65537]u8|[65537]u8", "none|{0",
	"bits|{8|a@uint@0:3|b@int@3:5|c@uint@8:12|d@ulong@20:40|e@long@60:4", "odd|{8|s@int@~|a@short@2|b@int@4",
	"virtual|{8|^@pair@!1206481c0622", "moved|{16|x@int@!2304|y@int@!06|z@int@!23089f|w@int@!23",
	"both|!359f9304399f9304|pair", "cells|@8010|pair", "gone|_|int",
};

static const struct {
	const char *row, *text, *shown;		/* "little-endian || big-endian" if they differ */
} cases[] = {
	/* Memory at 408010, two words of memory, and bits from the lowest one on, or from the highest one */
	{ "!1090808202|uint", "v", "1432778632, memory: memory at 0x408010 || 287454020, memory: memory at 0x408010" },
	{ "!1090808202|ulong", "v", "1234605616436508552, memory: memory at 0x408010" },
	{ "!1090808202930410988082029304|ulong", "v", "15991999703737071496, pieces: 4 bytes: memory at 0x408010; 4 bytes: memory at "
	  "0x408018 || 1234605617581833164, pieces: 4 bytes: memory at 0x408010; 4 bytes: memory at 0x408018" },
	{ "!10908082029d0c0410908082029d1410|uint", "v", "1163290488, pieces: 12 bits: memory at 0x408010; 20 bits: memory at 0x408010 "
	  "|| 304297029, pieces: 12 bits: memory at 0x408010; 20 bits: memory at 0x408010" },
	{ "!10908082029d0c14309f9d1400|uint", "v", "1366, pieces: 12 bits: memory at 0x408010; 20 bits: computed: 0 || 876609536, "
	  "pieces: 12 bits: memory at 0x408010; 20 bits: computed: 0" },
	{ "!1080a082029304309f9304|pair", "v", "{x = <optimised out>, y = 0}, partly optimized out: 4 bytes: memory at 0x409000; 4 "
	  "bytes: computed: 0" },
	/* Registers */
	{ "!53|uint", "v", "1432778632, register: register R" }, { "!53|short", "v", "30600, register: register R" },
	{ "!53|ulong", "v", "1234605616436508552, register: register R" },
	{ "!53|huge", "v", "<the value is larger than its register>, register: register R" },
	{ "!539d1030539d1008|uint", "v", "1719079202, pieces: 2 bytes: register R; 2 bytes: register R || 287467127, pieces: 2 bytes: "
	  "register R; 2 bytes: register R" },
	{ "!539d1031539d1008|two", "v", "{a = <optimised out>, b = 26231}, partly optimized out: 2 bytes: register R; 2 bytes: register "
	  "R" },
	{ "!539d1041539d1008|two", "v", "{a = <optimised out>, b = 26231}, partly optimized out: 2 bytes: register R; 2 bytes: register "
	  "R" },
	/* Numbers */
	{ "!73009f|int", "v", "1432778632, computed: computed: R" },
	{ "!73009f|huge", "v", "<the value is larger than what holds it>, computed: computed: R" },
	{ "!73009f9d0c0473009f9d1410|uint", "v", "1163290488, pieces: 12 bits: computed: R; 20 bits: computed: R || 2005161318, pieces: "
	  "12 bits: computed: R; 20 bits: computed: R" },
	{ "!73009f9d103073009f9d1008|uint", "v", "1719079202, pieces: 2 bytes: computed: R; 2 bytes: computed: R || 287467127, pieces: 2 "
	  "bytes: computed: R; 2 bytes: computed: R" },
	{ "!73009f9d103173009f9d1008|two", "v", "{a = <optimised out>, b = 26231}, partly optimized out: 2 bytes: computed: R; 2 bytes: "
	  "computed: R" },
	{ "!73009f9d104173009f9d1008|two", "v", "{a = <optimised out>, b = 26231}, partly optimized out: 2 bytes: computed: R; 2 bytes: "
	  "computed: R" },
	/* Bytes */
	{ "!9e0401020304|uint", "v", "67305985, computed: constant || 16909060, computed: constant" },
	{ "!9e04010203049d10089e04010203049d1000|uint", "v", "33620738, pieces: 2 bytes: constant; 2 bytes: constant || 33751298, "
	  "pieces: 2 bytes: constant; 2 bytes: constant" },
	{ "!9e04010203049d10109e04010203049d1011|two", "v", "{a = 1027, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 "
	  "bytes: constant || {a = 772, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 bytes: constant" },
	{ "!9e04010203049d10109e04010203049d1021|two", "v", "{a = 1027, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 "
	  "bytes: constant || {a = 772, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 bytes: constant" },
	{ "!9e020102|uint", "v", "<the constant is shorter than its type>, computed: constant" },
	/* Constants */
	{ "#-2|short", "v", "-2, constant: constant" }, { "#300|u8", "v", "44, constant: constant" },
	{ "#-1|long", "v", "-1, constant: constant" }, { "#-5|huge", "v", "-5, constant: constant" },
	{ "#5|huge", "v", "5, constant: constant" }, { "#-5|uhuge", "v", "18446744073709551611, constant: constant" },
	{ "#0|pair", "v", "{x = 0, y = 0}, constant: constant" },
	{ "#1|pair", "v", "{x = 1, y = 0}, constant: constant || {x = 0, y = 1}, constant: constant" },
	{ "#0|trio", "v", "{x = 0, y = 0, z = 0}, constant: constant" },
	{ "#1|trio", "v", "<the value is larger than what holds it>, constant: constant" },
	{ "#0|[65536]u8", "v[65535]", "0, constant: " },
	{ "#0|[65537]u8", "v", "<more than 65536 bytes that are not in memory>, constant: constant" },
	{ "$0102|short", "v", "513, constant: constant || 258, constant: constant" },
	{ "$010203|short", "v", "513, constant: constant || 258, constant: constant" },
	{ "$01|short", "v", "<the constant is shorter than its type>, constant: constant" },
	/* Bit fields */
	{ "!1090808202|bits", "v", "{a = 0, b = -15, c = 1655, d = 77900039510, e = 1}, memory: memory at 0x408010 || {a = 0, b = -15, c "
	  "= 547, d = 224501589880, e = -8}, memory: memory at 0x408010" },
	{ "!53|bits", "v", "{a = 0, b = -15, c = 1655, d = 77900039510, e = 1}, register: register R || {a = 0, b = -15, c = 547, d = "
	  "224501589880, e = -8}, register: register R" },
	{ "!539d1400|bits", "v", "{a = 0, b = -15, c = <optimised out>, d = <optimised out>, e = <optimised out>}, partly optimized out: "
	  "register R || {a = 3, b = 7, c = <optimised out>, d = <optimised out>, e = <optimised out>}, partly optimized out: register "
	  "R" },
	/* Parts without a value: a member, all of it, padding, a number */
	{ "!5393049304|pair", "v", "{x = 1432778632, y = <optimised out>}, partly optimized out: 4 bytes: register R; 4 bytes: optimised "
	  "out" },
	{ "!93049304|pair", "v", "<optimised out>, optimized out: 4 bytes: optimised out; 4 bytes: optimised out" },
	{ "!9302539302539304|odd", "v", "{a = 30600, b = 1432778632}, pieces: 2 bytes: optimised out; 2 bytes: register R; 4 bytes: "
	  "register R" },
	{ "!5393029302|int", "v", "<optimised out>, partly optimized out: 2 bytes: register R; 2 bytes: optimised out" },
	{ "!539302|int", "v", "<optimised out>, partly optimized out: register R" },
	{ "!539304539304|uint", "v", "1432778632, pieces: 4 bytes: register R; 4 bytes: register R" },
	{ "!539301|none", "v", "{<No data fields>}, pieces: register R" }, { "_|int", "v", "<optimised out>, optimized out: " },
	{ "!|int", "v", "<optimised out here>, optimized out: " },
	/* Members at places that expressions compute */
	{ "@8100|virtual", "v", "{<struct pair> = {x = 7, y = 9}, <No data fields>}, memory: memory at 0x408100 || {<struct pair> = {x = "
	  "9, y = 7}, <No data fields>}, memory: memory at 0x408100" },
	{ "!53|virtual", "v", "{<struct pair> = {x = <its place in its object is not known>, y = <its place in its object is not "
	  "known>}, <No data fields>}, register: register R" },
	{ "@8100|moved", "v", "{x = 0, y = 3, z = <its place in its object is not known>, w = <its place in its object is not known>}, "
	  "memory: memory at 0x408100 || {x = 4227584, y = 3, z = <its place in its object is not known>, w = <its place in its object "
	  "is not known>}, memory: memory at 0x408100" },
	{ "!1080a08202|virtual", "v", "{<struct pair> = {x = <its place in its object is not known>, y = <its place in its object is not "
	  "known>}, <No data fields>}, memory: memory at 0x409000" },
	/* Pointers without an address */
	{ "!f2(both)00|*pair", "v", "<synthetic pointer>, implicit pointer: pointer to a value without an address" },
	{ "!f2(both)00|*pair", "*v", "{x = 5, y = 9}, computed: " }, { "!f2(both)00|*pair", "v->y", "9, computed: " },
	{ "!f2(both)00|*pair", "v + 1", "<v: it points at a value without an address>, optimized out: " },
	{ "!f2(both)04|*int", "*v", "9, computed: " }, { "!f2(both)08|*int", "*v", "<optimised out>, computed: " },
	{ "!f2(both)09|*int", "*v", "<v: optimised out>, computed: " },
	{ "!f2(both)7f|*int", "*v", "<v: the pointer leads before its target>, computed: " },
	{ "!f2(cells)04|*int", "*v", "287454020, memory:  || 1432778632, memory: " },
	{ "!f2(gone)00|*int", "*v", "<v: optimised out>, computed: " },
	{ "!f2(both)04|&int", "v", "<synthetic pointer>: 9, implicit pointer: pointer to a value without an address" },
};

/* The text with R for the names of register 3. */
static const char *
renamed(const char *text, struct arena *arena)
{
	static const char *const names[] = { "$rbx", "rbx", "r3" };
	struct output_string all;

	output_string_init(&all, arena);
	while (*text != '\0') {
		const size_t length = text_begins(text_of(text), names, ARRAY_COUNT(names));

		output_format(&all.output, "%c", length > 0 ? 'R' : *text);
		text += length > 0 ? length : 1;
	}
	return all.text;
}

static void
check(const char *row, const char *text, const char *shown, bool big_endian)
{
	const struct value_text_options options = { .reasons = true, .library = true };
	const char *rows[ARRAY_COUNT(types) + 2], *order = big_endian ? "big-endian" : "little-endian";
	char named[200];
	struct made made;

	memcpy(rows, types, sizeof(types));
	snprintf(named, sizeof(named), "v|%s", row);
	rows[ARRAY_COUNT(types)] = named;
	rows[ARRAY_COUNT(types) + 1] = NULL;
	made_open_ordered(&made, rows, big_endian ? "srr0=401010 r1=408000 r3=1122334455667788"
			  : "rip=401010 rsp=408000 rbx=1122334455667788", "8010=1122334455667788 8018=99aabbccddeeff00 8100=408200 "
			  "8108=900000007 81e8=8 8200=300000003", big_endian);
	const struct value_expression found = value_expression_of(made.frame, 0, text_of(text), NULL, &made.arena);
	const char *got = found.wrong != NULL ? found.wrong
			  : arena_format(&made.arena, "%s, %s: %s", value_text(&found.value.value, &options, &made.arena),
					 variable_locations[found.value.location], text_or_empty(found.value.how));
	is_str(renamed(got, &made.arena), shown, "%s of %s, %s", text, row, order);
	made_close(&made);
}

TEST_EACH(value, cases)
{
	static const char next[] = " || ";
	char *little = strdup(cases[i].shown), *big = strstr(little, next);

	if (big != NULL)
		*big = '\0';
	check(cases[i].row, cases[i].text, little, false);
	check(cases[i].row, cases[i].text, big != NULL ? big + strlen(next) : little, true);
	free(little);
}
