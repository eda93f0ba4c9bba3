/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"
#include "report/crash_report.h"
#include "tests/unit/walk/scene.h"

/* A program whose crashed thread recurses, two threads that wait in the same way, one that has a
 * name of its own and one that is not walked. */
#define LIBC "FUNC 1000 100 0 __GI___libc_read\nSTACK CFI INIT 1000 1000 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define PROGRAM "FILE 0 /src/app.c\nFUNC 1000 100 0 work<int>(int)\n1000 100 7 0\nFUNC 1100 100 0 deep\n" \
	    "1100 100 9 0\nSTACK CFI INIT 1000 1000 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"

static void
add_thread(struct synth *synth, uint32_t id, const char *name, const char *at)
{
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	uint64_t stack[16] = { 0x401014 };

	scene_pairs(at, scene_take_register, &(struct scene_registers){ arch_by_id(ARCH_AMD64), registers });
	synth_thread(synth, id, registers, 0x9000 + 0x1000 * id, synth_words64(synth, stack, ARRAY_COUNT(stack)), sizeof(stack));
	if (name != NULL)
		synth_thread_name(synth, id, name);
}

static void
add_threads(struct synth *synth)
{
	synth_exception(synth, 1, 11, 1, 0x45);
	synth_thread_name(synth, 1, "<b>main</b>");
	add_thread(synth, 2, "reader", "rip=701010 rcx=701010 rsp=b000");
	add_thread(synth, 3, "<script>x</script>\x1b[2J", "rip=401010 rcx=0 rsp=c000");
	add_thread(synth, 4, NULL, "rip=701010 rcx=701010 rsp=d000");
	add_thread(synth, 5, NULL, "rip=401010 rsp=e000");
}

static const struct scene scene = {
	ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000", .stack = 0x8000,
	.memory = "8000=401110 8008=401110 8010=401110 8018=401110 8020=401110 8028=401110 "
		  "8030=401110 8038=401110 8040=401110 8048=401110 8050=401110 8058=401110",
	.modules = { { 0x400000, 0x4000, "app", PROGRAM }, { 0x700000, 0x4000, "libc.so.6", LIBC } },
	.more = add_threads,
};

static struct staged staged;
static struct output_string written;

/* The report about walks of the first `walked` threads. */
static const char *
report(enum page_form form, size_t walked, bool edited, struct arena *arena)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const struct source_options source = { .dump = NULL };
	struct walk *walks[512] = { 0 };
	struct surroundings around;

	for (size_t i = 0; i < walked; i++) {
		walks[i] = walk_create(&staged.crash, staged.symbols, NULL, i, &policy);
		walk_run(walks[i], 0);
	}
	surroundings_init(&around, &staged.crash, staged.symbols, NULL, &policy, walks);
	struct analysis *analysis = analysis_create(&staged.crash, walks[0], NULL, NULL);
	const struct crash_report of = { .around = &around, .analysis = analysis, .source = &source, .edited = edited };
	output_string_init(&written, arena);
	crash_report_write(&of, form, &written.output);
	analysis_free(analysis);
	surroundings_free(&around);
	for (size_t i = 0; i < walked; i++)
		walk_free(walks[i]);
	return written.text;
}

static bool
has(const char *text, const char *part)
{
	const bool found = strstr(text, part) != NULL;

	if (!found)
		tap_diag("no '%s' in:\n%s", part, text);
	return found;
}

static void
test_markdown(struct arena *arena)
{
	const char *text = report(PAGE_MARKDOWN, 4, false, arena);

	ok(has(text, "\n## Thread 0 (crashed) - \\<b\\>main\\</b\\>\n"), "a thread has its name, which is no markup");
	ok(has(text, "\n|  |  |  | the frame above: 12 times, down to frame 12 |  |\n"), "a recursion is listed once");
	ok(has(text, "\n- threads 1, 3 (2): waiting to read, work\\<int\\>(int)  app.c:7\n"),
	   "threads with the same frames are one line, with what they do and the first call that does not wait");
	ok(has(text, "\n- thread 2, \\<script\\>x\\</script\\>\\\\x1b\\[2J: running, work\\<int\\>(int)  app.c:7\n"),
		     "a thread with other frames has its own line, with its name");
	ok(has(text, "\n1 thread was not walked\n"), "a thread that is not walked is counted");
	ok(strstr(text, "what if") == NULL && strstr(text, "<details>") == NULL,
	   "a report without edits has no section for them, and Markdown has no folds");
	ok(has(report(PAGE_MARKDOWN, 1, true, arena), "| what if | the stack is that of edited"),
	   "the head of a report with edits mentions them");
	ok(has(written.text, "\n4 threads were not walked\n"), "several are counted, too");
	ok(has(report(PAGE_MARKDOWN, 0, false, arena), "\n## Dump\n") && strstr(written.text, "## Registers") == NULL,
	   "a report without a walk describes the dump");
}

/* The name of a crash: Socorro's signature if it names a function. */
static void
test_titles(struct arena *arena)
{
	static const struct {
		const char *reason, *signature, *title;
		uint64_t damage;
	} titles[] = {
		{ "SIGSEGV", "f | g", "SIGSEGV in f | g", 0 }, { "SIGSEGV", "", "SIGSEGV", 0 },
		{ "SIGSEGV", "EMPTY: no frames", "SIGSEGV", 0 }, { "SIGSEGV", "EMPT", "SIGSEGV in EMPT", 0 },
		{ "", "f", "Crash in f", 0 }, { "", "", "Crash", 1 }, { NULL, "", "No crash", 0 },
		{ NULL, "", "Damaged dump", 1 }, { "SIGSEGV", "", "SIGSEGV", 1 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(titles); i++) {
		const struct analysis analysis = { .reason = titles[i].reason, .damage = titles[i].damage,
						   .signature = titles[i].signature };
		is_str(crash_report_title(&analysis, arena), titles[i].title, "title %zu", i);
	}
}

/* Facts of the dump that are not known have no words. */
static void
test_dump(struct arena *arena)
{
	static char info[] = "Maker stepping 7";
	struct crash *crash = &staged.crash;

	crash->system.cpu_count = 2;
	crash->system.cpu_info = info;
	ok(has(report(PAGE_MARKDOWN, 0, false, arena), "\n| processor | amd64, Maker stepping 7, 2 processors |\n"),
	   "several processors are counted");
	crash->system.cpu_count = 0;
	crash->system.cpu_info = "";
	crash->time = 0;
	crash->redacted = true;
	ok(has(report(PAGE_MARKDOWN, 0, false, arena), "\n| processor | amd64 |\n") &&
	   has(written.text, "\n| left out | environment, command line, memory of the process and names of users; ") &&
	   strstr(written.text, "| written |") == NULL, "an unknown time and number of processors are left out");
	crash->redacted = false;
}

static void
test_html(struct arena *arena)
{
	const char *text = report(PAGE_HTML, 4, false, arena);

	ok(has(text, "<h2>Thread 0 (crashed) - &lt;b&gt;main&lt;/b&gt;</h2>"), "the name of the crashed thread is escaped");
	ok(strstr(text, "<script") == NULL && has(text, "&lt;script&gt;x&lt;/script&gt;\\x1b[2J"), "the names of all threads are escaped");
	ok(has(text, "<summary>threads 1, 3 (2): <span class=\"value\" tabindex=\"0\">"
		     "<span class=\"key\">waiting to read</span><span class=\"why\">"), "the state of a thread has its evidence");
	ok(has(text, "<p>Frames of thread 1; the others make the same calls</p>"), "the thread whose frames stand for others is named");
	ok(has(text, "<div class=\"drawing\">\n<svg "), "the frame is drawn");
	ok(strstr(text, "<?xml") == NULL, "the drawing is a part of the page");
	staged.crash.modules[0].code_file = "/bin/<i>&\"";
	ok(has(report(PAGE_HTML, 1, false, arena), "&lt;i&gt;&amp;&quot;<span class=\"why\">from "),
	   "a file's name is text with its place in the dump");
	ok(strstr(written.text, "<i>") == NULL, "the name of a file has no markup");
}

#define MANY 503u

/* Threads at nameless addresses; they all differ. */
static void
add_many(struct synth *synth)
{
	char at[64];

	synth_exception(synth, 1, 11, 1, 0x45);
	for (uint32_t i = 1; i < MANY; i++) {
		snprintf(at, sizeof(at), "rip=%x rsp=%x", 0x402000 + i, 0x9000 + 0x1000 * (i + 1));
		add_thread(synth, i + 1, NULL, at);
	}
}

static void
test_many(struct arena *arena)
{
	struct scene many = scene;

	many.more = add_many;
	scene_open(&staged, &many);
	ok(has(report(PAGE_MARKDOWN, MANY, false, arena), "\n2 more threads are not listed\n"), "a report has an end");
	ok(has(written.text, "\n- thread 500: ") && strstr(written.text, "- thread 501: ") == NULL, "the report lists 500 threads");
	scene_close(&staged);
}

int
main(void)
{
	struct arena arena = { 0 };

	scene_open(&staged, &scene);
	test_markdown(&arena);
	test_html(&arena);
	test_titles(&arena);
	test_dump(&arena);
	scene_close(&staged);
	test_many(&arena);
	arena_free(&arena);
	return done_testing();
}
