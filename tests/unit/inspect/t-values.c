/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/expression/value_expression.h"
#include "inspect/variable/variable_places.h"
#include "inspect/variable/variable_step.h"
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
	"virtual|{8|^@pair@!1206481c0622", "moved|{8|x@int@!2304|y@int@!06|z@int@!23089f|w@int@!23|k@int@!23042300",
	"holds|{8|list@described@0", "beyond|{8|far@int@8|near@int@6", "choice|{8|?tag@u8@0|=0:empty@none@0|=3:some@int@4|=-1:last@int@4",
	"niche|{8|?tag@int@0|=0:empty@none@0|=1:one@int@4|=:rest@int@0", "wide|{16|?tag@ulong@0|=-1:minus@int@8|=255:small@int@8",
	"selfish|{8|?tag@none@0|=3:some@int@4", "both|!359f9304399f9304|pair", "cells|@8010|pair", "gone|_|int", "n|#2|int",
	"byref|[;u(n)]long", "bylost|[;u(gone)]long", "byupper|[;u!32]long", "byvalue|[;u!329f]long", "bycount|[;c!33]long",
	"count|[;c3]long", "bounds|[;l1,u3]long", "computed|[;l!31,u!33]long", "one|[;l!33,u!33]long", "empty|[;l!35,u!33]long",
	"inregister|[;u!53]long", "unread|[;u!1080a0820206]long", "parts|[;u!329304329304]long", "open|[;]long",
	"both bounds|[;c!31,u!35]long", "stride|[;u!31,s!40]long", "fixedstride|[;u1,s16]long", "badstride|[;u1,s!53]long",
	"tight|[;u!31,s!38]long", "matrix|[;u!31;u!32]long", "inner|[;c2;u!31]long", "outer|[;u!31;c2]long", "rows|[;c2]byupper",
	"lostrows|[;c2]bylost", "unallocated|[A!30;u1]long", "allocated|[A!31;u1]long", "unassociated|[O!30;u1]long",
	"associated|[A(n),O1;u1]long", "unsure|[O!53;u1]long", "described|[D!9706;u!97230806]long", "misplaced|[D!1080a0820206;u1]long",
	"vast|[;c!10ffffffffffffffff7f]long", "loop|[;u(v)]long", "vastnone|[;c!10ffffffffffffffff7f]none", "string|\"D!9706,N!972308",
	"textlost|\"D!9706,N!1080a08202", "sixty3|{8|w@long@0:63",
};

static const struct {
	const char *row, *text, *shown;		/* "little-endian || big-endian" if they differ */
} cases[] = {
	/* Memory at 408010, two words of memory, and bits from the lowest one on, or from the highest one */
	{ "!1090808202|uint", "v", "1432778632 || 287454020" }, { "!1090808202|ulong", "v", "1234605616436508552" },
	{ "!1090808202930410988082029304|ulong", "v", "15991999703737071496, pieces: 4 bytes: memory at 0x408010; 4 bytes: memory at "
	  "0x408018 || 1234605617581833164, pieces: 4 bytes: memory at 0x408010; 4 bytes: memory at 0x408018" },
	{ "!10908082029d0c0410908082029d1410|uint", "v", "1163290488, pieces: 12 bits: memory at 0x408010; 20 bits: memory at 0x408010 "
	  "|| 304297029, pieces: 12 bits: memory at 0x408010; 20 bits: memory at 0x408010" },
	{ "!10908082029d0c1c309f9d1400|uint", "v", "1093, pieces: 12 bits: memory at 0x408010; 20 bits: computed: 0 || 1162870784, "
	  "pieces: 12 bits: memory at 0x408010; 20 bits: computed: 0" },
	{ "!10fd9f82029d0c0c309f9d1400|uint", "v", "0, pieces: 12 bits: memory at 0x408ffd; 20 bits: computed: 0" },
	{ "!10fe9f82029d0c0c309f9d1400|uint", "v", "<optimised out>, partly optimized out: 12 bits: memory at 0x408ffe; 20 bits: "
	  "computed: 0" },
	{ "!1080a0820293049304|pair", "v", "<memory at 0x409000 is not in the dump>, optimized out: 4 bytes: memory at 0x409000; 4 "
	  "bytes: optimised out" },
	{ "!1080a082029304309f9304|pair", "v", "{x = <optimised out>, y = 0}, partly optimized out: 4 bytes: memory at 0x409000; 4 "
	  "bytes: computed: 0" },
	/* Registers */
	{ "!53|uint", "v", "1432778632, register: register R" }, { "!53|short", "v", "30600, register: register R" },
	{ "!539d1030539d1008|uint", "v", "1719079202, pieces: 2 bytes: register R; 2 bytes: register R || 287467127, pieces: 2 bytes: "
	  "register R; 2 bytes: register R" },
	{ "!539d1031539d1008|two", "v", "{a = <optimised out>, b = 26231}, partly optimized out: 2 bytes: register R; 2 bytes: register "
	  "R" },
	/* Numbers */
	{ "!73009f|int", "v", "1432778632, computed: computed: R" },
	{ "!73009f|huge", "v", "<the value is larger than what holds it>, computed: computed: R" },
	{ "!73009f9d0c0473009f9d1410|uint", "v", "1163290488, pieces: 12 bits: computed: R; 20 bits: computed: R || 2005161318, pieces: "
	  "12 bits: computed: R; 20 bits: computed: R" },
	{ "!73009f9d103073009f9d1008|uint", "v", "1719079202, pieces: 2 bytes: computed: R; 2 bytes: computed: R || 287467127, pieces: 2 "
	  "bytes: computed: R; 2 bytes: computed: R" },
	/* Bytes */
	{ "!9e0401020304|uint", "v", "67305985, computed: constant || 16909060, computed: constant" },
	{ "!9e04010203049d10089e04010203049d1000|uint", "v", "33620738, pieces: 2 bytes: constant; 2 bytes: constant || 33751298, "
	  "pieces: 2 bytes: constant; 2 bytes: constant" },
	{ "!9e04010203049d10109e04010203049d1011|two", "v", "{a = 1027, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 "
	  "bytes: constant || {a = 772, b = <optimised out>}, partly optimized out: 2 bytes: constant; 2 bytes: constant" },
	/* Constants */
	{ "#-2|short", "v", "-2, constant: constant" }, { "$0102|short", "v", "513, constant: constant || 258, constant: constant" },
	{ "#300|u8", "v", "44, constant: constant" }, { "$01|short", "v", "<the constant is shorter than its type>, constant: constant" },
	{ "#-5|huge", "v", "-5, constant: constant" }, { "#1|trio", "v", "<the value is larger than what holds it>, constant: constant" },
	{ "#5|huge", "v", "5, constant: constant" }, { "#0|pair", "v", "{x = 0, y = 0}, constant: constant" },
	{ "#-5|uhuge", "v", "18446744073709551611, constant: constant" }, { "#0|trio", "v", "{x = 0, y = 0, z = 0}, constant: constant" },
	{ "#1|pair", "v", "{x = 1, y = 0}, constant: constant || {x = 0, y = 1}, constant: constant" },
	{ "#0|[65536]u8", "v[65535]", "0" }, { "#0|[65537]u8", "v", "<more than 65536 bytes that are not in memory>, constant: constant" },
	/* Bit fields */
	{ "!1090808202|bits", "v", "{a = 0, b = -15, c = 1655, d = 77900039510, e = 1} || {a = 0, b = -15, c = 547, d = 224501589880, e "
	  "= -8}" },
	{ "!53|bits", "v", "{a = 0, b = -15, c = 1655, d = 77900039510, e = 1}, register: register R || {a = 0, b = -15, c = 547, d = "
	  "224501589880, e = -8}, register: register R" },
	{ "!539d1400|bits", "v", "{a = 0, b = -15, c = <optimised out>, d = <optimised out>, e = <optimised out>}, partly optimized out: "
	  "register R || {a = 3, b = 7, c = <optimised out>, d = <optimised out>, e = <optimised out>}, partly optimized out: register "
	  "R" },
	/* Parts without a value: a member, all of it, padding, a number */
	{ "!5393049304|pair", "v", "{x = 1432778632, y = <optimised out>}, partly optimized out: 4 bytes: register R; 4 bytes: optimised "
	  "out" }, { "!93049304|pair", "v", "<optimised out>, optimized out: 4 bytes: optimised out; 4 bytes: optimised out" },
	{ "!9302539302539304|odd", "v", "{a = 30600, b = 1432778632}, pieces: 2 bytes: optimised out; 2 bytes: register R; 4 bytes: "
	  "register R" },
	{ "!539302|int", "v", "<optimised out>, partly optimized out: register R" }, { "!|int", "v", "<optimised out here>" },
	{ "!539304539304|uint", "v", "1432778632, pieces: 4 bytes: register R; 4 bytes: register R" }, { "_|int", "v", "<optimised out>" },
	/* Members at places that expressions compute */
	{ "@8100|virtual", "v", "{<struct pair> = {x = 7, y = 9}, <No data fields>} || {<struct pair> = {x = 9, y = 7}, <No data "
	  "fields>}" },
	{ "@8100|moved", "v", "{x = 0, y = 3, z = <its place in its object is not known>, w = <its place in its object is not known>, k "
	  "= 0} || -" },
	{ "!1080a08202|virtual", "v", "{<struct pair> = {x = <its place in its object is not known>, y = <its place in its object is not "
	  "known>}, <No data fields>}" },
	/* Variants */
	{ "!309f93019303399f9304|choice", "v", "{empty = {<No data fields>}}, pieces: 1 byte: computed: 0; 3 bytes: optimised out; 4 "
	  "bytes: computed: 9" },
	{ "!339f93019303399f9304|choice", "v", "{some = 9}, pieces: 1 byte: computed: 3; 3 bytes: optimised out; 4 bytes: computed: 9" },
	{ "!08ff9f93019303399f9304|choice", "v", "{last = 9}, pieces: 1 byte: computed: 255; 3 bytes: optimised out; 4 bytes: computed: "
	  "9" },
	{ "!349f93019303399f9304|choice", "v", "{<No data fields>}, partly optimized out: 1 byte: computed: 4; 3 bytes: optimised out; 4 "
	  "bytes: computed: 9" },
	{ "!9304399f9304|choice", "v", "{empty = {<No data fields>}, some = 9, last = 9}, pieces: 4 bytes: optimised out; 4 bytes: "
	  "computed: 9" },
	{ "!309f9304399f9304|niche", "v", "{empty = {<No data fields>}}, pieces: 4 bytes: computed: 0; 4 bytes: computed: 9" },
	{ "!319f9304399f9304|niche", "v", "{one = 9}, pieces: 4 bytes: computed: 1; 4 bytes: computed: 9" },
	{ "!379f9304399f9304|niche", "v", "{rest = 7}, pieces: 4 bytes: computed: 7; 4 bytes: computed: 9" },
	{ "!09ff9f9308399f9304|wide", "v", "{minus = 9}, pieces: 8 bytes: computed: -1; 4 bytes: computed: 9" },
	{ "!08ff9f9308399f9304|wide", "v", "{small = 9}, pieces: 8 bytes: computed: 255; 4 bytes: computed: 9" },
	{ "!339f9308|selfish", "v", "{some = 0}, pieces: computed: 3 || {some = 3}, pieces: computed: 3" },
	/* Pointers without an address */
	{ "!f2(both)00|*pair", "v", "<synthetic pointer>, implicit pointer: pointer to a value without an address" },
	{ "!f2(both)00|*pair", "*v", "{x = 5, y = 9}" }, { "!f2(both)00|*pair", "v + 1", "<v: it points at a value without an address>" },
	{ "!f2(both)00|*pair", "v->y", "9" }, { "!f2(both)04|*int", "*v", "9" }, { "!f2(both)08|*int", "*v", "<optimised out>" },
	{ "!f2(both)09|*int", "*v", "<v: optimised out>" }, { "!f2(both)7f|*int", "*v", "<v: the pointer leads before its target>" },
	{ "!f2(cells)04|*int", "*v", "287454020 || 1432778632" }, { "!f2(gone)00|*int", "*v", "<v: optimised out>" },
	{ "!f2(both)04|&int", "v", "<synthetic pointer>: 9, implicit pointer: pointer to a value without an address" },
	/* Arrays */
	{ "@8500|byref", "v", "{1, 2, 3}" }, { "@8500|count", "v", "{1, 2, 3}" }, { "@8500|matrix", "sizeof v", "48" },
	{ "@8500|bylost", "v", "<optimised out>" }, { "!f2(both)00|*pair", "v == 0", "<v: it points at a value without an address>" },
	{ "@8500|byupper", "v", "{1, 2, 3}" }, { "@8500|byvalue", "v", "{1, 2, 3}" }, { "@8500|bycount", "v", "{1, 2, 3}" },
	{ "@8500|bounds", "v", "{1, 2, 3}" }, { "@8500|allocated", "v", "{1, 2}" }, { "@8400|described", "v", "{1, 2}" },
	{ "@8500|computed", "v", "{1, 2, 3}" }, { "@8500|open", "v", "<the number of its elements is not known>" },
	{ "@8500|loop", "v", "<it is not a number of up to 8 bytes>" }, { "@8500|vast", "sizeof v", "the size of its type is not known" },
	{ "@8500|empty", "v", "{}" }, { "@8500|bounds", "v[1]", "1" }, { "@8500|stride", "v[1]", "3" }, { "@8500|computed", "v[1]", "1" },
	{ "@8500|inregister", "v", "<the number of its elements is not known>" }, { "@8500|unassociated", "v", "<not associated>" },
	{ "@8500|unread", "v", "<memory at 0x409000 is not in the dump>" }, { "@8400|holds", "v", "{list = {1, 2}}" },
	{ "@8500|parts", "v", "<the number of its elements is not known>" }, { "@8500|outer", "v", "{{1, 2}, {3, 4}}" },
	{ "@8500|one", "v", "{1}" }, { "@8500|one", "v[3]", "1" }, { "@8500|tight", "v", "{1, 2}" }, { "@8500|vastnone", "sizeof v", "0" },
	{ "@8500|one", "sizeof v", "8" }, { "$ffffffffffffffff|sixty3", "v", "{w = -1}, constant: constant" },
	{ "@8500|stride", "v", "{1, 3}" }, { "!53|beyond", "v", "{far = <optimised out>, near = <optimised out>}, register: register R" },
	{ "@8500|fixedstride", "v", "{1, 3}" }, { "@8500|lostrows", "v", "{<optimised out>, <optimised out>}" },
	{ "@8500|badstride", "v", "<the number of its elements is not known>" }, { "@8500|rows", "v", "{{1, 2, 3}, {4, 5, 6}}" },
	{ "@8500|matrix", "v", "{{1, 2, 3}, {4, 5, 6}}" }, { "@8420|textlost", "v", "<the memory of its length is not in the dump>" },
	{ "@8500|inner", "v", "{{1, 2}, {3, 4}}" }, { "@8500|lostrows", "sizeof v", "the size of its type is not known" },
	{ "@8500|unallocated", "v", "<not allocated>" }, { "@8500|misplaced", "v", "<memory at 0x409000 is not in the dump>" },
	{ "@8500|unsure", "v", "{1, 2}" }, { "@8500|both bounds", "v", "{1}" }, { "@8420|string", "v", "\"aaa\"" },
	{ "!53|moved", "v", "{x = 287454020, y = <its place in its object is not known>, z = <its place in its object is not known>, w = "
	  "<its place in its object is not known>, k = <its place in its object is not known>}, register: register R || -" },
	{ "!f2(both)00|*pair", "(long)v", "<(long)v: it points at a value without an address>" }, { "@8430|string", "v", "\"aaa\" || -" },
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
			  "8108=900000007 81e8=8 8200=300000003 8020=6161616161616161 8400=408500 8408=1 8420=408020 8428=3 "
			  "8430=408020 8438=100000003 8500=1 8508=2 8510=3 8518=4 8520=5 8528=6", big_endian);
	const struct value_expression found = value_expression_of(made.frame, 0, text_of(text), NULL, &made.arena);
	const char *got = found.wrong != NULL ? found.wrong : value_text(&found.value.value, &options, &made.arena);
	if (found.wrong == NULL && found.value.how != NULL && found.value.location != VARIABLE_MEMORY)
		got = arena_format(&made.arena, "%s, %s: %s", got, variable_locations[found.value.location], found.value.how);
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
	if (big == NULL || strcmp(big + strlen(next), "-") != 0)
		check(cases[i].row, cases[i].text, big != NULL ? big + strlen(next) : little, true);
	free(little);
}

/*
 * Names of places. Frame N of ten has its frame pointer at 408100 + 100 * N, the CFA 16 bytes above it, and its variables relative
 * to the frame pointer.
 */
static const char *const place_types[] = {
	"C++|:", "int|i4", "word|u8", "char|c1", "[4]char|[4]char", "inner|{8|a@int@0|b@int@4", "*inner|*inner", "&inner|&inner",
	"[2]inner|[2]inner", "bits|{4|f@int@0:3|g@int@3:5", "base|{8|first@int@0|second@int@4", "duo|{8|x@int@0|y@int@4",
	"outer|{64|s@int@~|^@base@0|in@inner@8|cells@[2]inner@16|flags@bits@32|@duo@40|to@*inner@48|letters@[4]char@56", "*outer|*outer",
	"opaque|{16|x@int@0|p@*inner@8", "*opaque|*opaque", "*word|*word", "holder|{16|held@*inner@0|n@int@8", "local|!9178|int",
	"|!9170|int", "object|!91a07f|outer", "argument|!9110|word", "next|!9118|opaque", "inregister|!53|word", "p|@8c00|*inner",
	"q|@8c08|*outer", "r|@8c10|&inner", "t|@8c18|*opaque", "words|@8c20|*word", "h|@8c30|holder", "lost|!1080a08202|*inner",
	"lowest|@8000|int", "unit|^8f00|inner", "second|^8f08|*inner", "std::kept|{8|value@int@0|more@int@4", "library|!91b07e|std::kept", "*std::kept|*std::kept",
	"pl|@8c40|*std::kept", "alloc::kept|{8|value@int@0", "a|!91c07e|alloc::kept", "core::kept|{8|value@int@0", "c|!91d07e|core::kept",
	"stdx|{8|value@int@0", "x|!91e07e|stdx", "computed|{16|at@int@!3422|n@int@8", "m|@8c48|computed", "*[2]inner|*[2]inner",
	"pa|@8c58|*[2]inner", "&opaque|&opaque", "rt|@8c60|&opaque", "[2][2]inner|[2][2]inner", "grid|@8ee0|[2][2]inner",
	"pg|@8c68|*[2][2]inner", "*[2][2]inner|*[2][2]inner", "both|(8|whole@word@0|half@int@0", "u|@8c78|both", "[3]*inner|[3]*inner",
	"ps|@8ca0|[3]*inner",
	NULL
};

static const struct { uint32_t address, size; const char *name; } places[] = {
	{ 0x7ff8, 0, "none" }, { 0x80a8, 0, "object.in.a of 0" }, { 0x80c0, 0, "object.flags of 0" }, { 0x80fb, 0, "local + 0x3 of 0" },
	{ 0x809f, 0, "none" }, { 0x80f8, 0, "local of 0" }, { 0x81f8, 0, "local of 1" }, { 0x88f8, 0, "local of 8" },
	{ 0x80a0, 0, "object.first of 0" }, { 0x80df, 0, "object + 0x3f of 0" }, { 0x8d00, 8, "*p in inner" },
	{ 0x80a4, 0, "object.second of 0" }, { 0x8d50, 16, "q->cells[0] in outer" }, { 0x8e44, 2, "*words + 0x4 in no structure" },
	{ 0x80ae, 0, "object.in.b + 0x2 of 0" }, { 0x80c1, 0, "object.flags + 0x1 of 0" }, { 0x8e20, 4, "t->p->a in inner" },
	{ 0x80b0, 0, "object.cells[0].a of 0" }, { 0x80bc, 0, "object.cells[1].b of 0" }, { 0x8e40, 8, "*words in no structure" },
	{ 0x80c4, 0, "object + 0x24 of 0" }, { 0x8d20, 4, "r.a in inner" }, { 0x8c38, 4, "h.n in holder" },
	{ 0x80cc, 0, "object.y of 0" }, { 0x80d0, 0, "object.to of 0" }, { 0x8110, 0, "argument of 0" }, { 0x8210, 0, "argument of 1" },
	{ 0x80e0, 0, "none" }, { 0x80f0, 0, "none" }, { 0x80fc, 0, "none" }, { 0x810f, 0, "none" }, { 0x8128, 0, "none" },
	{ 0x80f8, 0, "local of 0" }, { 0x8120, 0, "next.p of 0" }, { 0x8310, 0, "argument of 2" }, { 0x8000, 0, "lowest of 0" },
	{ 0x8118, 0, "next.x of 0" }, { 0x8d54, 8, "q->cells[0] + 0x4 in outer" }, { 0x8d50, 4, "q->cells[0].a in outer" },
	{ 0x8af8, 0, "none" }, { 0x8d04, 5, "none" }, { 0x8d08, 1, "none" }, { 0x80f8, 8, "none" }, { 0x80f0, 4, "none" },
	{ 0x8d00, 4, "p->a in inner" }, { 0x8d04, 4, "p->b in inner" }, { 0x80f8, 4, "local in no structure" },
	{ 0x8d07, 1, "p->b + 0x3 in inner" }, { 0x8d48, 8, "q->in in outer" }, { 0x8d58, 8, "q->cells[1] in outer" },
	{ 0x8d48, 9, "*q + 0x8 in outer" }, { 0x8da4, 4, "*t + 0x4 in opaque" }, { 0x8e60, 4, "h.held->a in inner" },
	{ 0x8e04, 4, "q->to->b in inner" }, { 0x80a8, 8, "object.in in outer" }, { 0x8f14, 4, "second->b in inner" },
	{ 0x8da0, 4, "t->x in opaque" }, { 0x80da, 0, "object.letters[2] of 0" }, { 0x8f04, 4, "unit.b in inner" }, { 0x8f0c, 4, "none" },
	/* Types of libraries have no names of members, neither have members at computed places. */
	{ 0x8030, 0, "library of 0" }, { 0x8034, 0, "library + 0x4 of 0" }, { 0x8040, 0, "a of 0" }, { 0x8050, 0, "c of 0" },
	{ 0x8e90, 4, "*pl in no structure" }, { 0x8e94, 4, "*pl + 0x4 in no structure" }, { 0x8060, 0, "x.value of 0" },
	{ 0x8c48, 0, "m of 9" }, { 0x8c4c, 0, "m + 0x4 of 9" }, { 0x8c50, 0, "m.n of 9" }, { 0x8c48, 4, "m in computed" },
	{ 0x8c78, 0, "u of 9" }, { 0x8c7c, 0, "u + 0x4 of 9" }, { 0x8c7c, 4, "u + 0x4 in no structure" },
	/* Arrays of arrays and of pointers, and pointers to arrays */
	{ 0x8ef4, 0, "grid[1][0].b of 9" }, { 0x8ca8, 0, "ps[1] of 9" }, { 0x8cac, 0, "ps[1] + 0x4 of 9" }, { 0x8cb8, 0, "none" },
	{ 0x8ea8, 4, "(*pa)[1].a in no structure" }, { 0x8ea8, 8, "(*pa)[1] in no structure" },
	{ 0x8f34, 4, "(*pg)[1][0].b in no structure" }, { 0x8ec0, 4, "rt.x in opaque" }, { 0x8ed4, 4, "rt.p->b in inner" },
	{ 0x8ec8, 8, "rt.p in opaque" }, { 0x8ed0, 8, "*rt.p in inner" },
};

TEST(places)
{
	struct made made;
	struct variable_places *known;
	char memory[800];
	size_t used = 0, frame = 0;

	for (unsigned i = 1; i < 10; i++)
		used += (size_t)snprintf(memory + used, sizeof(memory) - used, "8%u00=408%x00 8%u08=401020 ", i, i + 1, i);
	snprintf(memory + used, sizeof(memory) - used,
		 "8c00=408d00 8c08=408d40 8c10=408d20 8c18=408da0 8c20=408e40 8c30=408e60 8d70=408e00 8da8=408e20 8f08=408f10 "
		 "8c40=408e90 8c58=408ea0 8c60=408ec0 8ec8=408ed0 8c68=408f20");
	made_open_ordered(&made, place_types, "rip=401010 rsp=408000 rbp=408100", memory, false);
	is_u64(made.staged.walk->count, 10, "the walk has ten frames");
	known = variable_places_make(made.staged.walk, &made.view, &made.arena);
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		const uint64_t address = 0x400000 + places[i].address, size = places[i].size;
		const char *type = NULL, *name = size == 0 ? variable_places_name(known, address, &made.arena, &frame)
			: variable_leading_to(made.staged.walk, &made.view, 0, address, size, &made.arena, &type);

		is_str(name == NULL ? "none" : size == 0 ? arena_format(&made.arena, "%s of %zu", name, frame)
		       : arena_format(&made.arena, "%s in %s", name, type != NULL ? type : "no structure"), places[i].name, "place %zu", i);
	}
	made_close(&made);
}

/*
 * Floating-point and vector registers of the youngest frame are in its CONTEXT, in the dump's order (winnt.h and Breakpad's
 * minidump_cpu_*.h). `sp` is the place of the stack pointer, and `first` the DWARF number of register 0.
 * The last row has the halves of the registers in the row before.
 */
static const struct bank { enum arch_id arch; unsigned sp, at, step, first, count, size; } banks[] = {
	{ ARCH_AMD64, 152, 416, 16, 17, 16, 16 }, { ARCH_AMD64, 152, 288, 16, 33, 8, 10 }, { ARCH_X86, 196, 364, 16, 21, 8, 16 },
	{ ARCH_X86, 196, 56, 10, 11, 8, 10 }, { ARCH_ARM64, 256, 272, 16, 64, 32, 16 }, { ARCH_ARM, 56, 80, 8, 256, 32, 8 },
	{ ARCH_ARM, 56, 80, 4, 64, 32, 4 },
};

/* Whether all registers of a bank have the bytes in the context; those of register I are 16 * I + 1, 16 * I + 2, ... if `filled`. */
static bool
bank_is_read(const struct bank *bank, bool filled)
{
	const struct scene scene = { bank->arch, CRASH_OS_LINUX, "", 0x8000, .more = NULL };
	struct arena arena = { 0 };
	struct staged staged;
	bool same = true;

	scene_play(&staged, &scene, POLICY_UNSPOOL);
	const struct place sp = crash_register_place(&staged.crash, staged.walk->context, staged.walk->arch->sp);
	uint8_t *place = staged.bytes + sp.offset - bank->sp + bank->at;
	for (unsigned i = 0; i < bank->count * bank->step && filled; i++)
		place[i] = (uint8_t)(16 * (i / bank->step) + i % bank->step + 1);
	const struct memory_view view = staged.walk->memory;
	struct value_frame *frame = value_frame_make(staged.walk, &view, 0, &arena);
	for (unsigned i = 0; i < bank->count; i++) {
		uint8_t bytes[VALUE_REGISTER] = { 0 };
		unsigned size = 0;

		same &= value_frame_register(frame, bank->first + i, bytes, &size) == NULL &&
			(size == bank->size || (bank->step == 4 && size == 8)) &&
			memcmp(bytes, place + i * bank->step, bank->size) == 0;
	}
	arena_free(&arena);
	scene_close(&staged);
	return same;
}

TEST(banks)
{
	for (size_t i = 0; i < ARRAY_COUNT(banks); i++)
		for (unsigned filled = 0; filled < 2; filled++)
			ok(bank_is_read(&banks[i], filled > 0), "registers from %u on of processor %zu, %s", banks[i].first, i,
			   filled > 0 ? "each with its own bytes" : "all 0");
}

/*
 * How values are computed, with the places in the dump. The stack is at 60d0 of the dump, the thread's context at 70d0; its rbx is
 * 144 bytes after the beginning, rbp 160, r3 of ppc64 48 and r6 72.
 */
static const char *const step_types[] = {
	"int|i4", "huge|i16", "xmm|!62|huge", "global|^8210|long", "long|i8", "big|{20|x@long@0|y@long@8|z@int@16", "saved|!76789f|long", "changed|!73001f9f|long",
	"both|!730074001a9f|long", "base|!910a|int", "twice|!737873089f|long", "unread|!1080a08202|int",
	"wide|$010000000000000002000000000000000300000000|big", "words|@8210|big",
	"inrax|!50|long", "last|@8ff8|long", "cut|@8ffc|big", "all|@8300|[20]long", "[20]long|[20]long", "part|!539302509302|int",
	"byname|&int", "refers|@8230|byname", "*int|*int", "aims|!f2(global)00|*int",
	NULL
};

static const struct { const char *name; size_t frame; bool big_endian; const char *shown; } steps[] = {
	{ "saved", 1, false, "variable saved of type long "
	  "location: computed: $rbp 8 - input $rbp = 0000000000408200 rbp of frame 1, saved by frame 0 at 408100 "
	  "scene.dmp+0x61d0 location saved: breg6 -8; stack_value = 4081f8 1 $rbp $rbp (408200) rbp of frame 1, saved by frame 0 at "
	  "408100, scene.dmp+0x61d0 2 8 $rbp (408200) 8 3 - 4081f8 408200 - 8 = 4081f8 4 stack_value the value itself, not where it is "
	  "frame 1 long saved = 4227576 set saved 4081f8 0 0 rbp rule by stack_value set by stack_value" },
	{ "base", 0, true, "variable base of type int "
	  "location: memory at r6 10 + input r6 = 0000000000408100 r6 of frame 0 scene.dmp+0x7118 location base: fbreg "
	  "10 = 40810a 1 r6 r6 (408100) r6 of frame 0, scene.dmp+0x7118 2 10 r6 (408100) 10 = 0xa 3 + 40810a 408100 + 0xa = 40810a 4 ^4 "
	  "0x40 [40810a] = 0x40, scene.dmp+0x61da read [40810a] = 0x40 scene.dmp+0x61da frame 0 int base = 64 set base 40 0 0 "
	  "r6 rule by ^4 read by + set by ^4" },
	{ "twice", 0, false, "variable twice of type long "
	  "location: computed: $rbx 8 + input $rbx = 0000000000408300 rbx of frame 0 scene.dmp+0x7160 location twice: "
	  "breg3 -8; breg3 8; stack_value = 408308 1 $rbx $rbx (408300) rbx of frame 0, scene.dmp+0x7160 2 8 $rbx (408300) 8 3 - 4082f8 "
	  "408300 - 8 = 4082f8 4 $rbx 4082f8 $rbx (408300) rbx of frame 0, scene.dmp+0x7160 5 8 4082f8 $rbx (408300) 8 6 + 4082f8 408308 "
	  "408300 + 8 = 408308 7 stack_value 4082f8 the value itself, not where it is = 4082f8 frame 0 long twice = 4227848 set twice "
	  "408308 0 0 rbx rule by stack_value set by stack_value" },
	{ "changed", 0, false, "variable changed of type long "
	  "location: computed: $rbx neg input $rbx = 0000000000408300 rbx of frame 0 scene.dmp+0x7160 location "
	  "changed: breg3 0; neg; stack_value = ffffffffffbf7d00 1 $rbx $rbx (408300) rbx of frame 0, scene.dmp+0x7160 2 neg "
	  "ffffffffffbf7d00 neg 408300 = ffffffffffbf7d00 3 stack_value the value itself, not where it is frame 0 long changed = "
	  "-4227840 set changed ffffffffffbf7d00 0 0 rbx rule by stack_value set by stack_value" },
	{ "both", 0, true, "variable both of type long "
	  "location: computed: r3 r4 and input r3 = 0000000000408300 r3 of frame 0 scene.dmp+0x7100 input r4 = "
	  "0000000000408102 r4 of frame 0 scene.dmp+0x7108 location both: breg3 0; breg4 0; and; stack_value = 408100 1 r3 r3 (408300) "
	  "r3 of frame 0, scene.dmp+0x7100 2 r4 r3 (408300) r4 (408102) r4 of frame 0, scene.dmp+0x7108 3 and 408100 408300 and 408102 = "
	  "408100 4 stack_value the value itself, not where it is frame 0 long both = 4227328 set both 408100 0 0 "
	  "r3 r4 rule by stack_value set by stack_value" },
	{ "unread", 0, false, "variable unread of type int "
	  "location: memory at 0x409000 location unread: constu 4231168 = 409000 1 0x409000 0x409000 = 409000 2 ^4 ! "
	  "memory at 0x409000 is not in the dump read [409000] ! not in the dump frame 0 int unread = <its memory is not in the dump> "
	  "set unread 409000 0 0 the address of its 4 bytes rule by ^4 read by 0x409000 set by ^4" },
	{ "words", 0, false, "variable words of type struct big "
	  "location: memory at 0x408210 location words: addr 33296 = 408210 1 0x408210 0x408210 = 408210 bytes "
	  "0500000000000000 at 408210, +0 scene.dmp+0x62e0 bytes 0600000000000000 at 408218, +8 scene.dmp+0x62e8 bytes 07000000 at "
	  "408220, +16 scene.dmp+0x62f0 frame 0 struct big words = {x = 5, y = 6, z = 7} set words 408210 0 0 the address of its 20 "
	  "bytes rule by 0x408210 set by 0x408210" },
	{ "xmm", 1, false, "variable xmm of type huge location: register xmm1 location xmm: $xmm1 1 $xmm1 ! register xmm1 was not saved "
	  "across the call frame 1 huge xmm = <register xmm1 was not saved across the call> set xmm 0 1 1 register xmm1 was not saved "
	  "across the call set by $xmm1" },
	{ "global", 0, false, "variable global of type long location: memory at 0x408210 location global: addr 33296 = 408210 1 "
	  "0x408210 0x408210 = 408210 2 ^ 5 [408210] = 5, scene.dmp+0x62e0 read [408210] = 5 scene.dmp+0x62e0 frame 0 long global = 5 "
	  "set global 5 0 0 rule by ^ read by 0x408210 set by ^" },
	{ "aims", 0, false, "variable aims of type int * location: pointer to a value without an address location aims: "
	  "GNU_implicit_pointer 25 0 1 GNU_imp~r 25 0 a pointer to a value that has no address frame 0 int * aims = <synthetic "
	  "pointer> set aims 0 2 0 8 bytes set by GNU_implicit_pointer" },
	{ "inrax", 1, false, "variable inrax of type long location: register rax location inrax: $rax 1 $rax ! register rax was "
	  "not saved across the call frame 1 long inrax = <register rax was not saved across the call> set inrax 0 1 1 register rax "
	  "was not saved across the call set by $rax" },
	{ "inrax", 0, true, "variable inrax of type long location: register r0 input r0 = 0000000000000000 r0 of frame 0 "
	  "scene.dmp+0x70e8 location inrax: r0 1 $r0 $r0 (0) r0 of frame 0, scene.dmp+0x70e8 frame 0 long inrax = 0 set inrax 0 0 0 "
	  "r0 set by $r0" },
	{ "cut", 0, false, "variable cut of type struct big location: memory at 0x408ffc location cut: addr 36860 = 408ffc 1 "
	  "0x408ffc 0x408ffc = 408ffc frame 0 struct big cut = {x = <its memory is not in the dump>, y = <its memory is not in the "
	  "dump>, z = <its memory is not in the dump>} set cut 408ffc 0 0 the address of its 20 bytes"
	  " rule by 0x408ffc set by 0x408ffc" },
	{ "all", 0, false, "variable all of type long [20] location: memory at 0x408300 location all: addr 33536 = 408300 1 "
	  "0x408300 0x408300 = 408300 bytes 0000000000000000 at 408300, +0 scene.dmp+0x63d0 bytes 0000000000000000 at 408308, +8 "
	  "scene.dmp+0x63d8 bytes 0000000000000000 at 408310, +16 scene.dmp+0x63e0 bytes 0000000000000000 at 408318, +24 "
	  "scene.dmp+0x63e8 bytes 0000000000000000 at 408320, +32 scene.dmp+0x63f0 bytes 0000000000000000 at 408328, +40 "
	  "scene.dmp+0x63f8 bytes 0000000000000000 at 408330, +48 scene.dmp+0x6400 bytes 0000000000000000 at 408338, +56 "
	  "scene.dmp+0x6408 bytes 0000000000000000 at 408340, +64 scene.dmp+0x6410 bytes 0000000000000000 at 408348, +72 "
	  "scene.dmp+0x6418 bytes 0000000000000000 at 408350, +80 scene.dmp+0x6420 bytes 0000000000000000 at 408358, +88 "
	  "scene.dmp+0x6428 bytes 0000000000000000 at 408360, +96 scene.dmp+0x6430 bytes 0000000000000000 at 408368, +104 "
	  "scene.dmp+0x6438 bytes 0000000000000000 at 408370, +112 scene.dmp+0x6440 bytes 0000000000000000 at 408378, +120 "
	  "scene.dmp+0x6448 frame 0 long [20] all = {0 <repeats 20 times>} set all 408300 0 0 the address of its 160 bytes"
	  " rule by 0x408300 set by 0x408300" },
	{ "part", 1, false, "variable part of type int location: 2 bytes: register rbx; 2 bytes: register rax location part: "
	  "$rbx; piece 2; $rax; piece 2 1 $rbx ! register rbx was not saved across the call 2 piece 2 a piece of the value, of this "
	  "many bytes 3 $rax ! register rax was not saved across the call 4 piece 2 a piece of the value, of this many bytes frame 1 "
	  "int part = <register rbx was not saved across the call> set part 0 1 1 register rbx was not saved across the call"
	  " set by piece 2" },
	{ "refers", 0, false, "variable refers of type int & location: memory at 0x408230 location refers: addr 33328 = 408230 1 "
	  "0x408230 0x408230 = 408230 2 ^ 0 [408230] = 0, scene.dmp+0x6300 read [408230] = 0 scene.dmp+0x6300 frame 0 int & refers = "
	  "@0x0: <its memory is not in the dump> set refers 0 0 0 rule by ^ read by 0x408230 set by ^" },
	{ "last", 0, false, "variable last of type long location: memory at 0x408ff8 location last: addr 36856 = 408ff8 1 "
	  "0x408ff8 0x408ff8 = 408ff8 2 ^ 0 [408ff8] = 0, scene.dmp+0x70c8 read [408ff8] = 0 scene.dmp+0x70c8 frame 0 long last = 0 "
	  "set last 0 0 0 rule by ^ read by 0x408ff8 set by ^" },
	{ "wide", 0, false, "variable wide of type struct big "
	  "location: constant frame 0 struct big wide = {x = 1, y = 2, z = 3} set wide 0 2 0 20 bytes" },
};

TEST_EACH(step, steps)
{
	struct output_string text;
	struct variable_place place;
	struct step_view step;
	struct made made;

	made_open_ordered(&made, step_types, steps[i].big_endian ? "srr0=401010 r1=408000 r3=408300 r4=408102 r6=408100"
			  : "rip=401010 rsp=408000 rbp=408100 rbx=408300 rsi=408102",
			  "8000=408100 8100=408200 8108=401020 8210=5 8218=6 8220=7", steps[i].big_endian);
	struct value_frame *variables = frame_variables_of(made.staged.walk, &made.view, steps[i].frame, &made.arena);
	output_string_init(&text, &made.arena);
	if (ok(variable_place_named(variables, text_of(steps[i].name), 0, &made.arena, &place) &&
	       variable_step_make(&step, made.staged.walk, &made.view, steps[i].frame, place), "%s has a step", steps[i].name))
		explain_step(&text.output, &step, ARCH_NO_REGISTER);
	const struct event *set = &step.trace.events[trace_next(&step.trace, TRACE_NONE, EVENT_SET)];
	const struct event *attempt = &step.trace.events[trace_next(&step.trace, TRACE_NONE, EVENT_ATTEMPT)];
	output_format(&text.output, "set %.*s %" PRIx64 " %u %u %s", (int)set->name.length, set->name.start, set->value, set->status,
		      attempt->status, set->text);
	/* Where registers, reads, and the last results of rules come from */
	for (size_t at = 0; at < step.trace.count; at++) {
		const struct event *event = &step.trace.events[at];
		const char *kind = event->kind == EVENT_READ ? "read" : event->kind == EVENT_SET ? "set" : "rule";

		if (event->kind == EVENT_INPUT)
			output_format(&text.output, " %s", made.staged.walk->arch->registers[event->reg].label);
		if (event->kind != EVENT_TOKEN && event->from != TRACE_NONE)
			output_format(&text.output, " %s by %.*s", kind, TEXT_UPTO(step.trace.events[event->from].name, 20));
	}
	step_view_free(&step);
	/* Lines after the first one, with single spaces */
	char *to = text.text, *from = strchr(to, '\n') + 1;
	for (; *from != '\0'; from++)
		if (*from == '\n' ? from[1] != '\0' : *from != ' ' || (to > text.text && to[-1] != ' '))
			*to++ = *from == '\n' ? ' ' : *from;
	*to = '\0';
	is_str(text.text, steps[i].shown, "%s of frame %zu", steps[i].name, steps[i].frame);
	made_close(&made);
}
