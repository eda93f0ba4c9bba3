/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "report/memory/thread_block_report.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"

/* Thread blocks of Windows and chains of handlers, written by hand: offsets of winternl.h,
 * registrations and scope tables as Microsoft's compilers lay them out on the stack. */
enum {
	TEB32 = 0x7ffde000, PEB32 = 0x7ffd3000, PARAMETERS = 0x20000, STRINGS = 0x20800,
	STACK = 0x12f000, STACK_SIZE = 0x1000, SP = 0x12f100,
	IMAGE = 0x400000, TABLE = IMAGE + 0x2000, COOKIE_AT = IMAGE + 0x3000,
	HANDLER = IMAGE + 0x1100, FILTER = IMAGE + 0x1200, FINALLY = IMAGE + 0x1300
};
#define COOKIE 0xbb40e64eu

struct made {
	uint8_t teb[0x1000], peb[0x400], parameters[0x100], strings[0x80];
	uint8_t stack[STACK_SIZE], image[0x4000];
	bool has_teb;
	struct crash crash;
	uint8_t *bytes;
	struct surroundings around;
	struct arena arena;
};

static void
put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void
put_string(struct made *made, size_t field, size_t at, const char *text)
{
	put(made->parameters + field, strlen(text) * 2, 2);
	put(made->parameters + field + 4, STRINGS + at, 4);
	for (size_t i = 0; text[i] != '\0'; i++)
		made->strings[at + i * 2] = (uint8_t)text[i];
}

static void
put_record(struct made *made, uint32_t at, uint32_t next, uint32_t handler)
{
	put(made->stack + (at - STACK), next, 4);
	put(made->stack + (at - STACK) + 4, handler, 4);
}

/* A TEB, a chain of two handlers, and the image's load configuration with a cookie. */
static struct made *
make(void)
{
	struct made *made = calloc(1, sizeof(*made));

	if (made == NULL)
		abort();
	made->has_teb = true;
	put(made->teb, SP + 0x20, 4);
	put(made->teb + 4, STACK + STACK_SIZE, 4);
	put(made->teb + 8, STACK, 4);
	put(made->teb + 0x18, TEB32, 4);
	put(made->teb + 0x24, 0x4d2, 4);
	put(made->teb + 0x30, PEB32, 4);
	put(made->teb + 0x34, 5, 4);
	put(made->teb + 0xe10 + 3 * 4, 0x77, 4);
	put(made->peb + 2, 1, 1);
	put(made->peb + 8, IMAGE, 4);
	put(made->peb + 0x10, PARAMETERS, 4);
	put(made->peb + 0x64, 8, 4);
	put_string(made, 0x40, 0, "app -x");
	put_record(made, SP + 0x20, SP + 0x80, HANDLER);
	put_record(made, SP + 0x80, SEH_LAST, IMAGE + 0x1400);
	memcpy(made->image, "MZ", 2);
	put(made->image + 0x3c, 0x80, 4);
	put(made->image + 0x80 + 24, 0x10b, 2);
	put(made->image + 0x80 + 24 + 96 + 80, 0x2800, 4);
	put(made->image + 0x2800, 0x48, 4);
	put(made->image + 0x2800 + 0x3c, COOKIE_AT, 4);
	put(made->image + 0x3000, COOKIE, 4);
	return made;
}

static void
open_crash(struct made *made)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	uint64_t registers[ARCH_REGISTERS] = { [0] = IMAGE + 0x1000, [1] = SP };
	struct error error = { 0 };
	size_t size;

	synth_module(synth, IMAGE, 0x4000, "c:\\app.exe", "c:\\app.pdb", NULL);
	synth_thread(synth, 1, registers, STACK, made->stack, sizeof(made->stack));
	synth_thread_teb(synth, TEB32);
	if (made->has_teb)
		synth_memory(synth, TEB32, made->teb, sizeof(made->teb), false);
	synth_memory(synth, PEB32, made->peb, sizeof(made->peb), false);
	synth_memory(synth, PARAMETERS, made->parameters, sizeof(made->parameters), false);
	synth_memory(synth, STRINGS, made->strings, sizeof(made->strings), false);
	synth_memory(synth, IMAGE, made->image, sizeof(made->image), false);
	made->bytes = synth_finish(synth, &size);
	synth_free(synth);
	is_u64(dump_from_memory(&made->crash, "made.dmp", made->bytes, size, 0, &error), ERROR_NONE, "the crash is opened");
	arena_init(&made->arena, 0);
	if (!surroundings_init(&made->around, &made->crash, NULL, NULL, &policy, NULL))
		abort();
}

static void
close_crash(struct made *made)
{
	surroundings_free(&made->around);
	arena_free(&made->arena);
	crash_free(&made->crash);
	free(made->bytes);
	free(made);
}

TEST(block)
{
	struct made *made = make();
	struct thread_block block;

	open_crash(made);
	thread_block_read(&block, &made->around, 0, &made->arena);
	ok(block.there[BLOCK_TEB] && block.there[BLOCK_PEB] && block.there[BLOCK_PARAMETERS], "all blocks are found");
	is_u64(block.values[BLOCK_FIELD_stack_base].value, STACK + STACK_SIZE, "the stack's base is read");
	is_u64(block.values[BLOCK_FIELD_thread_id].value, 0x4d2, "the thread's ID is read");
	is_str(block.values[BLOCK_FIELD_last_error].text, "ERROR_ACCESS_DENIED", "the last error has a name");
	is_u64(block.slots[3], 0x77, "a slot of TlsAlloc is read");
	is_u64(block.values[BLOCK_FIELD_being_debugged].value, 1, "a byte is read alone");
	is_u64(block.values[BLOCK_FIELD_processors].value, 8, "the number of processors is read");
	is_str(block.values[BLOCK_FIELD_command_line].text, "app -x", "the command line is read");
	ok(!block.values[BLOCK_FIELD_directory].known, "an empty string is not known");
	close_crash(made);

	made = make();
	put(made->teb + 0x18, TEB32 + 0x1000, 4);
	open_crash(made);
	thread_block_read(&block, &made->around, 0, &made->arena);
	ok(!block.there[BLOCK_TEB] && !block.values[BLOCK_FIELD_stack_base].known && block.at[BLOCK_PEB] == 0,
	   "a block that does not point to itself is not recognised");
	close_crash(made);
}

static const struct seh_chain *
read_chain(struct made *made, struct seh_chain *chain)
{
	open_crash(made);
	if (!ok(seh_chain_read(chain, &made->around, 0, &made->arena), "there is a chain"))
		*chain = (struct seh_chain){ .count = 0 };
	return chain;
}

/* The registrations may be from the stack's limit, which may be the stack pointer, to its base. */
static const struct {
	const char *title;
	uint32_t teb[3];		/* first registration, base and limit of the stack; 0: those of make() */
	uint32_t records[2][3];		/* address, next, handler */
	enum seh_end end;
	size_t count;
	uint32_t at;			/* address of the end or, if that is whole, of the first registration */
	const char *doubt;		/* about the second registration; NULL: it is not looked at */
} walked[] = {
	{ "the chain is followed to its end", { 0 }, { { 0 } }, SEH_WHOLE, 2, SP + 0x20, "" },
	{ "a thread without handlers", { SEH_LAST }, { { 0 } }, SEH_NONE, 0, 0, NULL },
	{ "a chain that goes to lower addresses is not followed", { 0 },
	  { { SP + 0x80, SP + 0x40, HANDLER } }, SEH_ASTRAY, 2, SP + 0x40, NULL },
	{ "a chain that leads to itself is not followed", { 0 }, { { SP + 0x80, SP + 0x80, HANDLER } }, SEH_ASTRAY, 2, SP + 0x80, NULL },
	{ "a chain that leaves the stack is not followed", { 0 },
	  { { SP + 0x80, STACK + STACK_SIZE + 0x10, HANDLER } }, SEH_ASTRAY, 2, STACK + STACK_SIZE + 0x10, NULL },
	{ "the first word of the stack may be a registration, the one after the last may not",
	  { SP, SP + 0x100, SP }, { { SP, SP + 0x100, HANDLER }, { SP + 0x100, SEH_LAST, HANDLER } }, SEH_ASTRAY, 1, SP + 0x100, NULL },
	{ "a registration below the limit of the stack is not read", { SP - 0x10, 0, SP },
	  { { SP - 0x10, SEH_LAST, HANDLER } }, SEH_ASTRAY, 0, SP - 0x10, NULL },
	{ "a handler in no module is reported", { 0 }, { { SP + 0x80, SEH_LAST, 0x41414141 } }, SEH_WHOLE, 2, SP + 0x20, "no module" },
	{ "a handler on the stack is reported", { 0 }, { { SP + 0x80, SEH_LAST, SP + 0x200 } }, SEH_WHOLE, 2, SP + 0x20, "on the stack" },
};

TEST(chain)
{
	struct seh_chain chain;

	for (size_t i = 0; i < ARRAY_COUNT(walked); i++) {
		struct made *made = make();

		for (size_t j = 0; j < 3; j++)
			if (walked[i].teb[j] != 0)
				put(made->teb + 4 * j, walked[i].teb[j], 4);
		for (size_t j = 0; j < 2 && walked[i].records[j][0] != 0; j++)
			put_record(made, walked[i].records[j][0], walked[i].records[j][1], walked[i].records[j][2]);
		read_chain(made, &chain);
		is_u64(chain.end, walked[i].end, "%s", walked[i].title);
		is_u64(chain.count, walked[i].count, "%s: the registrations before", walked[i].title);
		is_u64(chain.end == SEH_WHOLE ? chain.records[0].address : chain.end_at, walked[i].at,
		       "%s: the place", walked[i].title);
		if (walked[i].doubt != NULL && chain.count == 2)
			ok((chain.records[1].doubt == NULL) == (*walked[i].doubt == '\0') &&
			   strstr(text_or_empty(chain.records[1].doubt), walked[i].doubt) != NULL &&
			   chain.from_block && chain.records[0].kind == SEH_OTHER, "%s: the doubt", walked[i].title);
		close_crash(made);
	}
	struct made *made = make();
	made->has_teb = false;
	ok(read_chain(made, &chain)->count == 2 && !chain.from_block && chain.records[0].address == SP + 0x20 &&
		   chain.end == SEH_WHOLE, "the chain is found on the stack if the block is missing");
	close_crash(made);
}

static void
put_scope(struct made *made, size_t at, uint32_t enclosing, uint32_t filter, uint32_t handler)
{
	put(made->image + at, enclosing, 4);
	put(made->image + at + 4, filter, 4);
	put(made->image + at + 8, handler, 4);
}

TEST(scopes)
{
	struct made *made = make();
	struct seh_chain chain;

	put_scope(made, 0x2000, UINT32_MAX, FILTER, HANDLER);
	put_scope(made, 0x200c, 0, 0, FINALLY);
	put(made->stack + 0x128, TABLE, 4);
	put(made->stack + 0x12c, 1, 4);
	read_chain(made, &chain);
	const struct seh_record *record = chain.records;
	ok(chain.count == 2 && record->kind == SEH_SCOPES && record->scope_count == 2,
	   "_except_handler3: the scopes from the one in force outwards");
	ok(chain.count == 2 && record->scopes[0].filter == 0 &&
		   record->scopes[0].handler == FINALLY && record->scopes[1].filter == FILTER, "a __finally has no filter");
	close_crash(made);

	made = make();
	put_scope(made, 0x2010, UINT32_MAX - 1, FILTER, HANDLER);
	put(made->stack + 0x128, TABLE ^ COOKIE, 4);
	put(made->stack + 0x12c, 0, 4);
	read_chain(made, &chain);
	ok(chain.count == 2 && chain.records[0].kind == SEH_SCOPES_COOKIE && chain.records[0].scope_count == 1 &&
		   chain.records[0].scopes[0].filter == FILTER, "_except_handler4: the cookie uncovers the table");
	close_crash(made);

	made = make();
	put_scope(made, 0x2000, UINT32_MAX, FILTER, HANDLER);
	put_scope(made, 0x200c, 1, 0, FINALLY);
	put(made->stack + 0x128, TABLE, 4);
	put(made->stack + 0x12c, 1, 4);
	ok(read_chain(made, &chain)->count == 2 && chain.records[0].kind == SEH_OTHER,
	   "scopes that enclose themselves are ignored");
	close_crash(made);
}

/* The module has a list of its safe handlers. */
TEST(safe)
{
	struct made *made = make();
	struct seh_chain chain;

	put(made->image + 0x2800 + 0x40, IMAGE + 0x2900, 4);
	put(made->image + 0x2800 + 0x44, 1, 4);
	put(made->image + 0x2900, HANDLER - IMAGE, 4);
	ok(read_chain(made, &chain)->count == 2 && !chain.records[0].unsafe && chain.records[1].unsafe,
	   "a handler that its module does not list is reported");
	close_crash(made);
}

static char shown[8192];
static size_t to_memory, to_code;	/* rows that lead there */

/* The rows of the view of thread 0, without the places in the dump; as JSON with `json`. */
static const char *
view(struct made *made, size_t columns, bool json)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct symbols *symbols = symbols_create(made->crash.modules, made->crash.module_count, NULL, 0);
	struct walk *walk = walk_create(&made->crash, symbols, NULL, 0, &policy);
	struct output_string written;
	struct row row;

	walk_run(walk, 0);
	output_string_init(&written, &made->arena);
	struct thread_report *report = thread_report_make(&made->around, 0, walk, &made->arena);
	const struct listing listing = thread_report_listing(report, columns);
	row_init(&row, &made->arena);
	to_memory = to_code = 0;
	for (size_t i = 0; !json && i < listing.count; i++) {
		to_memory += listing_target(&listing, i).kind == TARGET_MEMORY;
		to_code += listing_target(&listing, i).kind == TARGET_CODE;
		row_clear(&row);
		listing_fill(&listing, i, columns, &row);
		const char *place = strstr(row_text(&row), "made.dmp+0x");
		struct text text = { row_text(&row), place != NULL ? (size_t)(place - row_text(&row)) : strlen(row_text(&row)) };
		while (text.length > 0 && text.start[text.length - 1] == ' ')
			text.length--;
		output_line(&written.output, "%.*s", (int)text.length, text.start);
	}
	if (json)
		FACTS_DOCUMENT(&written.output, false, thread_block, report);
	snprintf(shown, sizeof(shown), "%s", written.text);
	walk_free(walk);
	symbols_free(symbols);
	return shown;
}

static void
shows(const char *part, const char *title)
{
	if (!ok(strstr(shown, part) != NULL, "%s", title))
		tap_diag("no '%s' in:\n%s", part, shown);
}

TEST(view)
{
	struct made *made = make();

	put_scope(made, 0x2000, UINT32_MAX, FILTER, HANDLER);
	put_scope(made, 0x200c, 0, 0, FINALLY);
	put(made->stack + 0x128, TABLE, 4);
	put(made->stack + 0x12c, 1, 4);
	put(made->teb + 0xbf4, 0xc0000005, 4);
	put_record(made, SP + 0x80, SP + 0xf0, 0x41414141);
	put_record(made, SP + 0xf0, SEH_LAST, IMAGE + 0x1400);
	open_crash(made);
	is_text(view(made, 0, false), " thread         TEB at 7ffde000\n"
		 " stack base     00130000\n"
		 " stack limit    0012f000\n"
		 " reserved from  00000000\n"
		 " process ID     0\n"
		 " thread ID      1234\n"
		 " last error     0x5 ERROR_ACCESS_DENIED\n"
		 " last status    0xc0000005 STATUS_ACCESS_VIOLATION\n"
		 " locks          0\n"
		 " TLS            00000000\n"
		 " TLS slot       3: 00000077\n"
		 " handlers       0012f120, frame 0 or above: app.exe + 0x1100 = 00401100\n"
		 "                  __finally app.exe + 0x1300\n"
		 "                  __except app.exe + 0x1100, filter app.exe + 0x1200\n"
		 "                0012f180, frame 0 or above: 41414141 ! the handler is in no module\n"
		 "                0012f1f0, frame 0 or above: app.exe + 0x1400 = 00401400\n"
		 "                the chain is complete: the last registration points to no other\n"
		 " process        PEB at 7ffd3000\n"
		 " debugged       yes\n"
		 " image base     00400000\n"
		 " loader data    00000000\n"
		 " heap           00000000\n"
		 " global flags   0\n"
		 " processors     8\n"
		 " session        0\n"
		 " started        parameters at 00020000\n"
		 " command line   app -x\n", "%s", "the view has blocks, fields, and handlers with their scopes");
	is_u64(to_memory, 10, "three blocks and seven addresses lead to memory");
	is_u64(to_code, 5, "three handlers and two scopes lead to code");
	view(made, 44, false);
	shows(" handlers       0012f120, frame 0 or above:\n"
	      "                  app.exe + 0x1100 =\n"
	      "                  00401100\n"
	      "                  __finally app.exe + 0x1300\n", "a long line of a narrow view is wrapped");
	view(made, 0, true);
	shows("\"name\":\"command_line\",\"block\":\"parameters\",\"value\":\"0x20800\","
	      "\"text\":\"app -x\"", "JSON has a field with its address and text");
	shows("\"tls_slots\":[{\"slot\":3,\"value\":\"0x77\"}],\"chain\":\"whole\","
	      "\"chain_searched\":false,\"handlers\":[{\"address\":\"0x0012f120\",\"frame\":null,"
	      "\"below\":false,\"handler\":\"0x00401100\",\"name\":\"app.exe + 0x1100\","
	      "\"kind\":\"scopes\",\"doubt\":null,\"unsafe\":false,\"scopes\":[{\"filter\":null,",
	      "JSON has the chain of handlers");
	shows("\"doubt\":\"the handler is in no module\"", "JSON has the reason why a record has no handler");
	crash_redact(&made->crash, true);
	view(made, 0, false);
	shows(" command line   (redacted)\n", "a shared dump does not have the command line");
	ok(strstr(shown, "TLS slot") == NULL, "a shared dump has no words of the program");
	close_crash(made);

	made = make();
	made->has_teb = false;
	put(made->image + 0x2800 + 0x40, IMAGE + 0x2900, 4);
	put(made->image + 0x2800 + 0x44, 1, 4);
	put(made->image + 0x2900, HANDLER - IMAGE, 4);
	open_crash(made);
	view(made, 0, false);
	shows("TEB at 7ffde000: the dump does not have its memory\n"
	      " note           the dump does not have the thread's block; this chain was found by "
	      "searching the stack, a guess\n", "a chain that was found by a search is a guess");
	shows("= 00401400 ! not in the module's list of handlers (SafeSEH)\n",
	      "a handler that its module does not list is marked");
	made->crash.system.os = CRASH_OS_LINUX;
	is_str(view(made, 0, false), "only threads of Windows have such a block (TEB)\n",
	       "a crash of another system has no blocks of threads");
	close_crash(made);

	const struct {
		uint32_t first, next;
		const char *row;
	} chains[] = {
		{ SEH_LAST, SEH_LAST, " handlers       none\n" },
		{ SP + 0x20, SP + 0x40, "not a valid chain: 0012f140 is not at a higher address on the stack\n" },
		{ STACK + 0x20, SEH_LAST, " handlers       0012f020, below the frames: app.exe" },
		{ STACK - 4, SEH_LAST, " handlers       not a valid chain: 0012effc is " },
	};
	for (size_t i = 0; i < ARRAY_COUNT(chains); i++) {
		made = make();
		put(made->teb, chains[i].first, 4);
		put_record(made, STACK + 0x20, SP + 0x20, HANDLER);
		put_record(made, SP + 0x20, SP + 0x80, HANDLER);
		put_record(made, SP + 0x80, chains[i].next, HANDLER);
		open_crash(made);
		view(made, 0, false);
		shows(chains[i].row, "the end of a chain is shown");
		close_crash(made);
	}
}
