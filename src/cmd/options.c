/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "walk/walk.h"

static const char *
set_compat(struct cmd_options *options, const char *value)
{
	if (!policy_column_named(value, &options->compat))
		return "--compat knows breakpad, rust-minidump and unspool, not '%s'";
	const struct policy column = policy_column(options->compat);
	for (size_t row = 0; row < POLICY_COUNT; row++)
		if (!options->policy_set[row])
			options->policy.value[row] = column.value[row];
	return NULL;
}

static const char *
set_policy_row(struct cmd_options *options, const char *value)
{
	const char *equals = strchr(value, '=');
	enum policy_row row;
	char name[64], *end;

	if (equals == NULL || (size_t)(equals - value) >= sizeof(name))
		return "--policy wants NAME=VALUE, not '%s'";
	memcpy(name, value, (size_t)(equals - value));
	name[equals - value] = '\0';
	if (!policy_row_named(name, &row))
		return "there is no such policy as in '%s'; 'unspool policy' lists them";
	long number = strtol(equals + 1, &end, 10);
	if (equals[1] == '\0' || *end != '\0' || number < 0)
		return "'%s' gives no number from 0 up";
	if (number > (long)INT32_MAX)
		return "the number in '%s' is too large for a policy";
	options->policy.value[row] = (uint32_t)number;
	options->policy_set[row] = true;
	return NULL;
}

static const char *
set_methods(struct cmd_options *options, const char *value)
{
	return methods_choose(&options->policy, value);
}

static const char *
set_format(struct cmd_options *options, const char *value)
{
	options->machine = strcmp(value, "machine") == 0;
	options->json = strcmp(value, "json") == 0;
	options->markdown = strcmp(value, "markdown") == 0;
	if (options->machine || options->json || options->markdown ||
	    strcmp(value, "human") == 0)
		return NULL;
	return "--format knows human, machine, json and markdown, not '%s'";
}

static const char *
set_source(struct cmd_options *options, const char *value)
{
	if (strchr(value, '=') == NULL)
		return "--source wants OLD=NEW, not '%s'";
	options->source_maps.items[options->source_maps.count++] = value;
	return NULL;
}

/*
 * Commands by letter: x the explorer, w walk, s summary, e explain, p policy, d streams,
 * f sframe, k stack, y way, u unwind-check, i cache,
 * v eval, L lint, D symdiff, S symbols, a disassemble, g find, q whatis, c cfi, l lookup.
 * Help, man pages and completion are made from these two tables.
 */
const struct cmd_command cmd_command_table[] = {
	{ "explore", 'x', "DUMP [SYMBOLS...]",
	  "open the explorer; without a terminal, print the walk", cmd_explore },
	{ "walk", 'w', "DUMP... [SYMBOLS...]", "print the stacks of a crash", cmd_walk },
	{ "summary", 's', "DUMP [SYMBOLS...]",
	  "print what happened, where and why, with the evidence", cmd_summary },
	{ "explain", 'e', "DUMP [SYMBOLS...]",
	  "print one step of the unwinder: records, rules, tokens, checks", cmd_explain },
	{ "stack", 'k', "DUMP [SYMBOLS...]",
	  "print the words of a stack, each with what it is", cmd_stack },
	{ "way", 'y', "DUMP [SYMBOLS...]", "print a register's way through the frames", cmd_way },
	{ "disassemble", 'a', "DUMP [SYMBOLS...]",
	  "print instructions: a frame's, an address's or a function's",
	  cmd_disassemble },
	{ "find", 'g', "DUMP [SYMBOLS...] PATTERN",
	  "print where a value, \"text\" or bytes stand in the dump's memory", cmd_find },
	{ "whatis", 'q', "DUMP [SYMBOLS...] ADDRESS...",
	  "print what an address, register, function or expression is", cmd_whatis },
	{ "cfi", 'c', "FILE [SYMBOLS...]",
	  "print the table of a function's unwind rules", cmd_cfi },
	{ "lookup", 'l', "FILE [SYMBOLS...] [ADDRESS...]",
	  "print what symbols say of addresses: names, lines, unwind rules", cmd_lookup },
	{ "export-case", 'o', "DUMP [SYMBOLS...]",
	  "write one step as a small dump and symbol file that do the same", cmd_export_case },
	{ "symbols", 'S', "DUMP [SYMBOLS...]",
	  "print where symbols were looked for and why there are none", cmd_symbols },
	{ "streams", 'd', "DUMP", "print what is in the streams of a minidump, field by field",
	  cmd_streams },
	{ "sframe", 'f', "FILE", "print the SFrame section of an ELF file, or a raw section",
	  cmd_sframe },
	{ "unwind-check", 'u', "MODULE... [SYMBOLS...]",
	  "print where SFrame sections and STACK CFI records disagree",
	  cmd_unwind_check },
	{ "lint", 'L', "FILE.sym...", "print what is wrong with symbol files and what it does to walks",
	  cmd_lint },
	{ "symdiff", 'D', "FIRST.sym SECOND.sym", "print what two symbol files of a module say differently",
	  cmd_symdiff },
	{ "eval", 'v', "[NAME=VALUE...] [ADDRESS:VALUE...] EXPRESSION",
	  "evaluate rules, with the postfix stack after every token", cmd_eval },
	{ "policy", 'p', "[NAME...]",
	  "print where walkers disagree, what each of them does and why", cmd_policy },
	{ "help", 'h', "[WORD...]", "print what words of the field mean; none: which there are",
	  cmd_help },
	{ "cache", 'i', "", "print the indexes kept of symbol files (--no-cache: use none)",
	  cmd_cache },
};
const size_t cmd_command_count = ARRAY_COUNT(cmd_command_table);

/* What an option's value becomes: a row's last three fields. */
#define FLAG(member) CMD_FLAG, offsetof(struct cmd_options, member), NULL
#define NUMBER(member) CMD_NUMBER, offsetof(struct cmd_options, member), NULL
#define TEXT(member) CMD_TEXT, offsetof(struct cmd_options, member), NULL
#define LIST(member) CMD_LIST, offsetof(struct cmd_options, member), NULL
#define SET(function) CMD_SET, 0, function

const struct cmd_option cmd_option_table[] = {
	{ "--machine", 'm', NULL, "w", "print minidump_stackwalk's fields between bars",
	  FLAG(machine) },
	{ "--json", 0, NULL, "wdkyfuveagqLclDS", "all that is known as JSON (--pretty, --schema)",
	  FLAG(json) },
	{ "--pretty", 0, NULL, "wdkyfuveagqLclDS", "", FLAG(pretty) },
	{ "--schema", 0, NULL, "wdkyfuveagqLclDS", "", FLAG(schema) },
	{ "--format", 'f', "FORM", "w", "human, machine, json or markdown", SET(set_format) },
	{ "--markdown", 0, NULL, "e", "tables for trackers and mails (GFM)", FLAG(markdown) },
	{ "--stream", 0, "NAME", "d", "this stream: NAME, NAME#2 or a type; repeatable",
	  LIST(streams) },
	{ "--hex", 'x', NULL, "d", "raw bytes of stacks, memory and streams, too", FLAG(hex) },
	{ "--brief", 0, NULL, "d", "only the header and the directory", FLAG(brief) },
	{ "--brief", 0, NULL, "l", "two lines a call, as 'addr2line -fi' prints", FLAG(brief) },
	{ "--brief", 0, NULL, "w", "only the summary and the crashed thread", FLAG(brief) },
	{ "--brief", 0, NULL, "S", "a line for each module", FLAG(brief) },
	{ "--module", 0, "NAME", "S", "only the module of this file name", TEXT(module) },
	{ "--brief", 0, NULL, "L", "a line for each finding", FLAG(brief) },
	{ "--all", 'a', NULL, "L", "every finding, not the first 20 of a code", FLAG(all) },
	{ "--lines", 0, NULL, "D", "source lines and inlined calls, too", FLAG(lines) },
	{ "--all", 'a', NULL, "D", "every difference, not the first 200", FLAG(all) },
	{ "--sarif", 0, NULL, "L", "a SARIF 2.1.0 log for code scanners", FLAG(sarif) },
	{ "--accept", 0, "WHAT", "L", "leave out CODE, CODE@ADDRESS or CODE=NAMEPATTERN",
	  LIST(accept) },
	{ "--accept-file", 0, "FILE", "L", "the same, one a line", LIST(accept_files) },
	{ "--explain", 0, "CODE", "L", "what a finding means; 'all' for all of them",
	  TEXT(explain) },
	{ "--strict", 0, NULL, "L", "exit with 1 where there are notes, too", FLAG(strict) },
	{ "--backtrace", 'b', NULL, "w", "only the crashed thread's frames, a line each",
	  FLAG(backtrace) },
	{ "--stack", 's', NULL, "w", "the words of every frame's stack, too", FLAG(stack) },
	{ "--crashed", 'c', NULL, "w", "of the threads only the crashed one",
	  FLAG(requesting_only) },
	{ "--fold", 0, NULL, "w", "repeated frames and threads once, with their number",
	  FLAG(fold) },
	{ "--all", 'a', NULL, "k", "every word, also those that say nothing or the same",
	  FLAG(all) },
	{ "--thread", 't', "N", "wekyaqco", "only thread N, as the walk numbers them",
	  NUMBER(thread) },
	{ "--dump-index", 0, "N", "xwekysagqcloS",
	  "of a file with several microdumps number N, from 1", NUMBER(dump_index) },
	{ "--frame", 'f', "N", "eo", "the step from physical frame N to its caller",
	  NUMBER(frame) },
	{ "--frame", 'f', "N", "c", "the function of physical frame N, and conventions",
	  NUMBER(frame) },
	{ "--frame", 'f', "N", "k", "only the words of physical frame N", NUMBER(frame) },
	{ "--frame", 'f', "N", "a", "around the instruction of physical frame N", NUMBER(frame) },
	{ "--frame", 'f', "N", "q", "registers are those of physical frame N", NUMBER(frame) },
	{ "--register", 'r', "NAME", "y", "of this register", TEXT(reg) },
	{ "--register", 'r', "NAME", "e", "only what made register NAME", TEXT(reg) },
	{ "--all-methods", 0, NULL, "e", "what each method says, also those not needed",
	  FLAG(all_methods) },
	{ "--output", 'o', "DIR", "o", "the directory to make", TEXT(output) },
	{ "--against", 0, "DUMP", "xw", "the same thread of DUMP, side by side", TEXT(against) },
	{ "--symbols-path", 0, "PATH", "xwekysagqcloS", "more symbols: a directory or a file", LIST(symbol_paths) },
	{ "--symbols-url", 0, "URL", "xwekysagqcloS", "a symbol server (see unspool symbols)",
	  LIST(symbol_urls) },
	{ "--symbols-cache", 0, "DIR", "xwekysagqclo", "", TEXT(symbols_cache) },
	{ "--symbols-cache", 0, "DIR", "S", "where what servers give is kept",
	  TEXT(symbols_cache) },
	{ "--symbols-timeout", 0, "SEC", "xwekysagqclo", "", NUMBER(symbols_timeout) },
	{ "--symbols-timeout", 0, "SEC", "S", "give up a server that sends nothing so long",
	  NUMBER(symbols_timeout) },
	{ "--symbols-limit", 0, "MB", "xwekysagqclo", "", NUMBER(symbols_limit) },
	{ "--symbols-limit", 0, "MB", "S", "the most that one file may have",
	  NUMBER(symbols_limit) },
	/* Those of explore and walk have to fit on a screen. */
	{ "--binaries", 0, "DIR", "xw", "modules' files (--system-binaries: this system's)",
	  LIST(binaries) },
	{ "--binaries", 0, "DIR", "ekysagqcloS",
	  "the modules' own files; may be given several times", LIST(binaries) },
	{ "--system-binaries", 0, NULL, "xw", "", FLAG(system_binaries) },
	{ "--system-binaries", 0, NULL, "ekysagqcloS", "and those of this system, by build id",
	  FLAG(system_binaries) },
	{ "--methods", 0, "LIST", "xwekysagqo", "only these methods, in this order: sframe,stack-cfi",
	  SET(set_methods) },
	{ "--section-address", 0, "ADDR", "f", "where a raw section is, in hexadecimal",
	  TEXT(section_address) },
	{ "--function", 0, "NAME", "f", "of this function: a name or descriptor's number",
	  TEXT(function) },
	{ "--at", 0, "ADDRESS", "f", "the row in force at an address; repeatable",
	  LIST(at) },
	{ "--at", 0, "ADDRESS", "a", "around an address; may be given several times", LIST(at) },
	{ "--function", 0, "NAME", "a", "a function by its name, or 'module!name'", TEXT(function) },
	{ "--function", 0, "NAME", "c", "each function NAME, NAME(int) or MODULE!NAME",
	  TEXT(function) },
	{ "--at", 0, "ADDRESS", "c", "that at ADDRESS or MODULE+OFFSET, hexadecimal",
	  LIST(at) },
	{ "--rules", 0, NULL, "c", "cells as postfix expressions, not short", FLAG(rules) },
	{ "--all", 0, NULL, "g", "words also where none stand: at every address", FLAG(everywhere) },
	{ "--from", 0, "ADDRESS", "g", "only from this address on", TEXT(from) },
	{ "--rules", 0, NULL, "f", "each row as the rules that it becomes, too", FLAG(rules) },
	{ "--walk", 0, NULL, "f", "FILE is a walk file: walk its registers and memory",
	  FLAG(walk) },
	{ "--compat", 0, "WALKER", "xwekysagqcloS",
	  "walk as WALKER: breakpad, rust-minidump or unspool", SET(set_compat) },
	{ "--policy", 0, "NAME=VALUE", "xwekysagqcloS",
	  "change a row of the policy (see unspool policy)", SET(set_policy_row) },
	{ "--no-demangle", 0, NULL, "xwekysagqcloLDu", "names as files have them: '_ZN3foo3barEv'",
	  FLAG(no_demangle) },
	{ "--redact", 0, NULL, "xwsekydagq", "show no environment, command line or memory",
	  FLAG(redact) },
	{ "--source", 0, "OLD=NEW", "xa", "where files of the path OLD are now",
	  SET(set_source) },
	{ "--color", 0, "WHEN", "x", "auto, always or never", TEXT(color) },
	{ "--ascii", 0, NULL, "x", "draw lines and marks with ASCII characters", FLAG(ascii) },
	{ "--script", 0, "FILE", "x", "take keys and commands from FILE, no terminal",
	  TEXT(script) },
	{ "--plain", 0, NULL, "x", "no screen: type commands, their rows are printed",
	  FLAG(plain) },
	{ "--record", 0, "FILE", "x", "write what is done to FILE, for --script", TEXT(record) },
	{ "--config", 0, "FILE", "x", "read FILE, not unspool/config (--no-config: none)",
	  TEXT(config) },
	{ "--no-config", 0, NULL, "x", "", FLAG(no_config) },
	{ "--no-state", 0, NULL, "x", "keep nothing of this session for the next one",
	  FLAG(no_state) },
	{ "--size", 0, "COLUMNSxROWS", "x", "size of the screen with --script", TEXT(size) },
	/* What 'unspool cache --help' says of it is enough. */
	{ "--no-cache", 0, NULL, "xwekysagqcloS", "", FLAG(no_cache) },
	{ "--arch", 0, "NAME", "v", "amd64, x86, arm64, ...; without it the names decide",
	  TEXT(arch) },
	{ "--win", 0, NULL, "v", "EXPRESSION is a STACK WIN program", FLAG(win) },
	{ "--big-endian", 0, NULL, "v", "words of memory begin with their highest byte",
	  FLAG(big_endian) },
	{ "--clear", 0, NULL, "i", "remove them", FLAG(clear) },
	{ "--strict", 0, NULL, "wekysdfagqo", "exit with 1 where the input had anything wrong",
	  FLAG(strict) },
	{ "--help", 'h', NULL, NULL, "print this help", FLAG(brief_help) },
	{ "--version", 'V', NULL, "x", "print the version and what is built in",
	  FLAG(version) },
};
const size_t cmd_option_count = ARRAY_COUNT(cmd_option_table);

/* Of Breakpad's minidump_stackwalk and minidump_dump and of rust-minidump's minidump-stackwalk. */
const struct cmd_foreign cmd_foreign_table[] = {
	{ "--human", false, NULL },
	{ "--no-color", false, NULL },
	{ "--no-interactive", false, NULL },
	{ "--features", true, NULL },
	{ "--cyborg", true,
	  "walk twice: once as it is, once with '--json' and its output in a file" },
	{ "--output-file", true, "redirect standard output: '> FILE'" },
	{ "--log-file", true, "redirect standard error: '2> FILE'" },
	{ "--verbose", true, "'unspool explain' prints every decision of a step" },
	{ "--dump", false, "'unspool streams DUMP' prints what is in a dump" },
	{ "--symbols-tmp", true, "downloads are written in the directory of '--symbols-cache'" },
	{ "--symbols-download-timeout-secs", true,
	  "'--symbols-timeout SECONDS' gives up a server that sends nothing for so long" },
	{ "--use-local-debuginfo", false,
	  "'--binaries DIR' says where the modules' files are; their build ids must match" },
	{ "--recover-function-args", false,
	  "arguments are not guessed; '--stack' prints the words that hold them" },
	{ "--evil-json", true,
	  "what Mozilla's client noted is read from the '.extra' file beside the dump" },
	{ "-d", false, "'--stack' prints the words of every frame with the code they point at" },
	{ "-x", false, "'unspool streams DUMP' prints the bytes of streams" },
};
const size_t cmd_foreign_count = ARRAY_COUNT(cmd_foreign_table);
