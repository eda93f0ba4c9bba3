/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/screen/random_keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

enum {
#define R(id, command, keys, contexts, hints, hint, handler, value, help) REQUEST_##id,
#include "ui/request/request.def"
#undef R
	REQUEST_COUNT
};

static const struct {
	const char *command, *keys;
} requests[] = {
#define R(id, command, keys, contexts, hints, hint, handler, value, help) { command, keys },
#include "ui/request/request.def"
#undef R
};

static const char *const named_keys[] = {
#define K(id, name, number, bytes) name,
#include "ui/terminal/key.def"
#undef K
};

/* Arguments: right for some commands, wrong for most. */
static const char *const arguments[] = {
	"1", "2", "3", "7", "40", "1000", "99999999999", "-1", "0", "0x0", "main", "read", "a", "z", "$rip", "$eip", "$rsp", "esp", "rbp",
	"x29", "pc", "sp", "nonsense", "on", "off", "toggle", "libc.so.6", "ledger.exe", "kernel32.dll", "401005", "0x12feb4",
	"55f654b5e7f0", "7ffde1b672c0", "ffffffffffffffff", "$rsp 8 + ^", "$ebp 4 + ^", ".cfa 16 - ^", "+ + +", "$rsp $rsp *", "1 0 /",
	"ThreadList", "ModuleList#2", "Exception", "stack", "eval", "disassembly", "registers", "stack-scan", "frame-pointer",
	"stack-cfi,stack-scan", "sframe", "code", "unwind", "single", "auto", "mono", "dark", "inline", "base", "regex", "theme", "layout",
	"frame 2", "frame 99999", "sym:12", "sym:0", "dump:0x40", "dump:ffffffff", "CFA", "scan", "[a-", "(", "\\", "%s%n", "0x", "é漢x",
	"scan-validate", "stack-bottom",
};

/* Sizes of screens; the tiny ones have no room for a view. */
static const struct {
	unsigned columns, rows;
} sizes[] = { { 80, 24 },  { 80, 24 },	{ 80, 24 },  { 80, 25 }, { 100, 30 }, { 120, 40 },
	      { 79, 23 },  { 40, 6 },	{ 39, 5 },   { 1, 1 },	 { 200, 50 }, { 300, 100 },
	      { 110, 32 }, { 180, 44 }, { 60, 100 }, { 500, 7 } };

static const char *
pick(struct chance *chance)
{
	return arguments[chance_below(chance, ARRAY_COUNT(arguments))];
}

static bool
is_held_back(size_t request)
{
	static const size_t held[] = { REQUEST_QUIT, REQUEST_QUIT_KEEPING, REQUEST_QUIT_NOW, REQUEST_CLOSE, REQUEST_SUSPEND };

	for (size_t i = 0; i < ARRAY_COUNT(held); i++)
		if (request == held[i])
			return true;
	return strstr(requests[request].command, "FILE") != NULL;
}

static size_t
pick_request(struct chance *chance)
{
	size_t request;

	do
		request = (size_t)chance_below(chance, REQUEST_COUNT);
	while (is_held_back(request));
	return request;
}

/* A command with an argument for each of its words in capitals, sometimes one more or one less. */
static void
make_command(struct chance *chance, char *buffer, size_t size)
{
	const char *word = requests[pick_request(chance)].command;
	size_t used = 0;

	buffer[0] = '\0';
	while (*word != '\0' && used < size) {
		const size_t length = strcspn(word, " ");
		const bool capital = *word >= 'A' && *word <= 'Z';
		const char *text = capital ? pick(chance) : word;
		const int shown = capital ? (int)strlen(text) : (int)length;

		if (capital && chance_percent(chance, 20))
			break;
		used += (size_t)snprintf(buffer + used, size - used, "%s%.*s", used > 0 ? " " : "", shown, text);
		word += length;
		word += strspn(word, " ");
	}
	if (chance_percent(chance, 5) && used < size)
		snprintf(buffer + used, size - used, " %s", pick(chance));
}

/* Type letters into a prompt; returns the number of keys. */
static unsigned long
type(FILE *script, struct chance *chance, const char *text)
{
	unsigned long count = 0;

	fprintf(script, "type ");
	for (const char *c = text; *c != '\0'; c++) {
		/* Leave out keys that quit, and keys for prompts only. */
		if (strchr("qQZ", *c) != NULL)
			continue;
		fputc(*c, script);
		count += ((unsigned char)*c & 0xc0) != 0x80;
	}
	if (count == 0)
		fputc('x', script);
	fputc('\n', script);
	if (chance_percent(chance, 30)) {
		static const char *const editing[] = { "Tab", "Left", "C-a", "C-k", "C-r", "Up", "Down", "C-w", "C-u", "Backspace",
						       "Delete", "C-y", "C-t", "C-d" };

		fprintf(script, "%s\n", editing[chance_below(chance, ARRAY_COUNT(editing))]);
		count++;
	}
	return count == 0 ? 1 : count;
}

static unsigned long
use_prompt(FILE *script, struct chance *chance)
{
	static const char *const prompts[] = { ":", "/", "&", "=", "p", "V" };
	const char *prompt = prompts[chance_below(chance, ARRAY_COUNT(prompts))];
	char text[200];

	if (prompt[0] == ':')
		make_command(chance, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s", pick(chance));
	fprintf(script, "%s\n", prompt);
	const unsigned long count = type(script, chance, text);
	fprintf(script, "%s\n", chance_percent(chance, 70) ? "Enter" : "Esc");
	return count + 2;
}

static unsigned long
use_command(FILE *script, struct chance *chance)
{
	char text[200];

	make_command(chance, text, sizeof(text));
	fprintf(script, ":%s\n", text);
	return 1;
}

static unsigned long
use_mouse(FILE *script, struct chance *chance)
{
	static const char *const events[] = { "click", "release", "wheel-up", "wheel-down" };

	fprintf(script, "%s %" PRIu64 ",%" PRIu64 "\n",
		events[chance_below(chance, ARRAY_COUNT(events))], 1 + chance_below(chance, 210), 1 + chance_below(chance, 60));
	return 1;
}

static unsigned long
resize(FILE *script, struct chance *chance)
{
	const size_t size = (size_t)chance_below(chance, ARRAY_COUNT(sizes));

	fprintf(script, "resize %ux%u\n", sizes[size].columns, sizes[size].rows);
	return 0;
}

/* Press any key. */
static unsigned long
use_any_key(FILE *script, struct chance *chance)
{
	const char letter = (char)('!' + (int)chance_below(chance, 94));

	if (chance_percent(chance, 50) || strchr("qQZ", letter) != NULL)
		fprintf(script, "%s\n", named_keys[chance_below(chance, ARRAY_COUNT(named_keys))]);
	else
		fprintf(script, "%c\n", letter);
	return 1;
}

/* Press one of the keys of a request. */
static unsigned long
use_key(FILE *script, struct chance *chance)
{
	const char *keys = requests[pick_request(chance)].keys;
	const size_t length = strcspn(keys, " ");

	if (length == 0 || strchr("qQZ", keys[0]) != NULL)
		return use_any_key(script, chance);
	fprintf(script, "%.*s\n", (int)length, keys);
	return 1;
}

/* Letters so fast that the screen is painted only after the last one. */
static unsigned long
use_letters(FILE *script, struct chance *chance)
{
	const unsigned long count = 1 + (unsigned long)chance_below(chance, 40);
	unsigned long made = 0;

	fprintf(script, "type ");
	while (made < count) {
		const char *keys = requests[pick_request(chance)].keys;
		if (strcspn(keys, " ") != 1 || strchr("qQZ", keys[0]) != NULL)
			continue;
		fputc(keys[0], script);
		made++;
	}
	fputc('\n', script);
	return count;
}

unsigned long
random_keys(FILE *script, struct chance *chance, unsigned long wanted)
{
	static const struct {
		unsigned weight;
		unsigned long (*make)(FILE *script, struct chance *chance);
	} kinds[] = { { 30, use_letters }, { 30, use_key },   { 10, use_any_key },
		      { 14, use_command }, { 8, use_prompt }, { 4, use_mouse },
		      { 4, resize } };
	unsigned weights[ARRAY_COUNT(kinds) + 1] = { 0 };
	unsigned long count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		weights[i] = kinds[i].weight;
	while (count < wanted && (chance->bytes == NULL || chance->left > 0))
		count += kinds[chance_weighted(chance, weights)].make(script, chance);
	return count;
}
