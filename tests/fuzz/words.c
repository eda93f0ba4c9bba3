/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dictionaries for fuzzers, from the tables of the program. */

#include "base/compiler.h"
#include "cmd/cmd.h"
#include "symbols/records.h"
#include "tests/fuzz/harness.h"

static void
tell_text(fuzz_word *tell, const char *text)
{
	if (text[0] != '\0')
		tell(text, strlen(text));
}

/* Pass on the words of a text, which blanks separate. */
static void
tell_all(fuzz_word *tell, const char *text)
{
	while (*text != '\0') {
		const size_t length = strcspn(text, " |");
		if (length > 0)
			tell(text, length);
		text += length;
		text += strspn(text, " |");
	}
}

static void
tell_registers(fuzz_word *tell)
{
	static const enum arch_id archs[] = { ARCH_AMD64, ARCH_X86, ARCH_ARM64 };

	for (size_t i = 0; i < ARRAY_COUNT(archs); i++) {
		const struct arch *arch = arch_by_id(archs[i]);
		for (int number = 0; number < arch->register_count; number++)
			tell_text(tell, arch_spelled(arch, number));
	}
}

void
words_symbols(fuzz_word *tell)
{
	for (size_t kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		if (record_forms[kind].name != NULL)
			tell(record_forms[kind].name, record_forms[kind].name_length);
	tell_registers(tell);
	tell_all(tell, ".cfa: .ra: .cfa .raSearch .raSearchStart .cbParams .cbLocals .undef ^ = @");
}

void
words_postfix(fuzz_word *tell)
{
	tell_registers(tell);
	tell_all(tell, ".cfa: .ra: $T0 = + - * / % @ ^ 0x -1 0xffffffffffffffff");
}

void
words_options(fuzz_word *tell)
{
	for (size_t i = 0; i < cmd_command_count; i++) {
		const struct cmd_option *option;
		for (size_t at = 0; (option = cmd_next_option(cmd_commands[i], &at)) != NULL;)
			tell_text(tell, option->name);
	}
}

void
words_config(fuzz_word *tell)
{
#define C(name, arguments, ...) tell_text(tell, name); tell_all(tell, arguments);
#include "system/config.def"
#define S(member, function, name, values, help) tell_text(tell, name); tell_all(tell, values);
#include "ui/session/setting.def"
#undef S
}

void
words_lesson(fuzz_word *tell)
{
#define CHECK_KIND(id, word, ...) tell_text(tell, word);
#include "lesson/check_kind.def"
	tell_all(tell, "lesson title open needs card task check hint wrong option at after {{ }} [[ ]]");
}

void
words_script(fuzz_word *tell)
{
#define R(id, command, ...) tell_all(tell, command);
#include "ui/request/request.def"
#undef R
#define K(id, name, ...) tell_text(tell, name);
#include "ui/terminal/key.def"
#undef K
}

void
words_http(fuzz_word *tell)
{
	/* Words that the reader of HTTP answers recognises (fetch_http.c). */
	tell_all(tell, "HTTP/1.1 HTTP/1.0 200 206 302 404 416 429 503 Content-Length: Content-Range: "
		 "Content-Encoding: Content-Type: gzip chunked Transfer-Encoding: ETag: "
		 "Last-Modified: Date: Location: Retry-After: bytes \r\n");
}
