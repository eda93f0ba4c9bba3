/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/dump.h"
#include "tests/lib/tap.h"
#include "walk/walk.h"

/* Crash reports, written by hand from Apple's description of both forms. */

static char report[16384];
static size_t report_size;

static void
read_report(const char *name)
{
	const char *path = tap_path("tests/apple/%s", name);
	FILE *file = fopen(path, "rb");
	report_size = file != NULL ? fread(report, 1, sizeof(report), file) : 0;
	if (file != NULL)
		fclose(file);
}

static bool
open_report(struct crash *crash, const char *bytes, size_t size)
{
	struct error error = { 0 };

	return dump_from_memory(crash, "report", bytes, size, 0, &error) == ERROR_NONE;
}

/* The pcs of a thread as a walk finds them. */
static void
is_stack(const struct crash *crash, size_t thread, const char *wanted, const char *title)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct symbols *symbols = symbols_create(crash->modules, crash->module_count, NULL, 0);
	struct walk *walk = walk_create(crash, symbols, NULL, thread, &policy);
	char text[200] = "";
	size_t used = 0;

	walk_run(walk, 20);
	for (size_t i = 0; i < walk->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx ", (unsigned long long)walk->frames[i]
						 .registers.value[walk->arch->pc]);
	is_str(text, wanted, "%s", title);
	for (size_t i = 1; i < walk->count; i++)
		ok(walk->frames[i].trust == TRUST_REPORT && walk->frames[i].lookup ==
		   walk->frames[i].registers.value[walk->arch->pc] - 4,
		   "%s: frame %zu is in the list, and called the one before", title, i);
	is_str(walk->end.text, "the crash report lists no further frame", "%s: the end", title);
	walk_free(walk);
	symbols_free(symbols);
}

static void
test_report(const char *name, const char *note, size_t threads)
{
	struct crash crash;

	read_report(name);
	if (!ok(open_report(&crash, report, report_size), "%s opens", name))
		return;
	is_str(crash.format, "crash report", "%s: the format", name);
	is_str(crash.system.arch->name, "arm64", "%s: the processor", name);
	is_str(crash.system.os_version, "macOS 14.5 (23F79)", "%s: the system", name);
	is_str(crash.cause.text, "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS", "%s: the reason", name);
	ok(crash.cause.fault == CRASH_FAULT_MEMORY && crash.exception.code == 1, "%s: a fault of memory", name);
	is_str(crash.cause.note, note, "%s: the note", name);
	is_u64(crash.misc.process_id, 4711, "%s: the process", name);
	is_u64(crash.thread_count, threads, "%s: threads", name);
	is_u64((uint64_t)crash.requesting_thread, 1, "%s: the crashed thread", name);
	is_str(crash.threads[0].name, "clerk", "%s: the name of a thread", name);
	const struct thread *thread = &crash.threads[1];
	ok(strstr(thread->name, "com.apple.main-thread") != NULL, "%s: its queue", name);
	const struct registers *registers = &thread->context.registers;
	is_u64(registers->value[31], 0x16d1afe40, "%s: sp", name);
	is_u64(registers->value[29], 0x16d1afe80, "%s: fp", name);
	is_u64(registers->value[0], 0x16d1afeb0, "%s: x0", name);
	is_u64(registers->value[1], 3, "%s: x1", name);
	ok(!registers_known(&crash.threads[0].context.registers, 31), "%s: other threads have a pc only", name);
	is_u64(crash.module_count, 2, "%s: images", name);
	is_str(crash.modules[0].code_file, "/Users/class/crane", "%s: the program is first", name);
	is_u64(crash.modules[0].base, 0x102c50000, "%s: its base", name);
	is_u64(crash.modules[0].size, 0x4000, "%s: its size", name);
	is_str(crash.modules[1].debug_id, "111111112222333344445555555555550", "%s: a UUID", name);
	is_stack(&crash, 0, "102c5030c ", "a thread with one frame");
	is_stack(&crash, 1, "102c50434 102c503d0 102c5037c 102c5030c 102c502ec ", "the crashed thread");
	crash_free(&crash);
}

/* Reports that end early, and each byte changed: nothing is read outside. */
static void
test_damage(const char *name)
{
	static char bytes[sizeof(report)];
	unsigned opened = 0, walked = 0;
	struct crash crash;

	read_report(name);
	for (size_t at = 0; at < 2 * report_size; at++) {
		const size_t size = at < report_size ? at : report_size;
		memcpy(bytes, report, report_size);
		if (at >= report_size)
			bytes[at - report_size] ^= 0x15;
		if (open_report(&crash, bytes, size)) {
			opened++;
			walked += crash.thread_count > 1 && crash.threads[1].reported_count == 4;
		}
		crash_free(&crash);
	}
	ok(opened > report_size, "%s: %u damaged reports open", name, opened);
	ok(walked > report_size / 2, "%s: %u of them have the crashed thread", name, walked);
}

/* A part of a report, and what becomes of it. */
TEST(parts)
{
#define HEAD "{\"bug_type\":\"309\"}\n{\"cpuType\":\"X86-64\",\"usedImages\":[{\"base\":1,\"size\":9}]"
#define EXCEPTION(members) HEAD ",\"exception\":{" members "}}"
#define NESTED "[[[[[[[[[[[[[[[[[[[["
	static const struct {
		const char *title, *text, *reason, *message;
	} cases[] = {
		{ "the signal of an abort", EXCEPTION("\"type\":\"EXC_CRASH\","
		  "\"signal\":\"SIGABRT\",\"codes\":\"0x0, 0x0\""), "EXC_CRASH / SIGABRT", NULL },
		{ "a guard", EXCEPTION("\"type\":\"EXC_GUARD\",\"codes\":\"0x4000000100000007, 0x0\""),
		  "EXC_GUARD / GUARD_TYPE_FD / GUARD_EXC_CLOSE: file descriptor 7, guard 0x0", NULL },
		{ "an unknown type", EXCEPTION("\"type\":\"EXC_NEW\",\"signal\":\"SIGKILL\""), "EXC_NEW / SIGKILL", NULL },
		{ "no exception", HEAD "}", NULL, NULL },
		{ "values of other kinds", HEAD ",\"threads\":7,\"exception\":[],\"asi\":\"x\"}", NULL, NULL },
		{ "a report without an end", HEAD, NULL, "expected ',' or '}'" },
		{ "brackets nested without end", HEAD ",\"x\":" NESTED NESTED NESTED NESTED, NULL, "nested" },
		{ "code in text", "Exception Type: EXC_BREAKPOINT (SIGTRAP)\n"
		  "Exception Codes: 0x1, 0x10\nCode Type: ARM-64\n\n"
		  "Binary Images:\n0x1 - 0x2 a <0> /a\n", "EXC_BREAKPOINT / EXC_ARM_BREAKPOINT", NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const char *text = cases[i].text;
		struct crash crash;

		if (ok(open_report(&crash, text, strlen(text)), "%s: opens", cases[i].title)) {
			is_str(crash.exception.present ? crash.cause.text : "none",
			       cases[i].reason != NULL ? cases[i].reason : "none", "%s: the reason", cases[i].title);
			ok(cases[i].message == NULL ? crash.messages.count == 0 : crash.messages.count == 1 &&
					     strstr(crash.messages.messages[0].text, cases[i].message) != NULL,
			   "%s: %s", cases[i].title, cases[i].message != NULL ? cases[i].message : "no message");
		}
		crash_free(&crash);
	}
}

/* A part of a report in text, with the crashed thread alone. */
TEST(one_thread)
{
	static const char text[] = "Incident Identifier: 1\nCode Type: ARM-64\nCrashed Thread: 5\n"
				   "Exception Type: EXC_CRASH (SIGABRT)\n\n"
				   "Thread 5 Crashed:\n0 a b 0x10 f\n1 a b 0x20 g\n\n"
				   "Thread 5 crashed with ARM Thread State (64-bit):\n sp: 0x30\n";
	struct crash crash;

	if (ok(open_report(&crash, text, sizeof(text) - 1), "a part of a report opens") &&
	    ok(crash.requesting_thread == 0, "the crashed thread is found by its number")) {
		is_u64(crash.threads[0].context.registers.value[31], 0x30, "it has the registers");
		is_u64(crash.threads[0].reported_count, 1, "it has a caller");
	}
	crash_free(&crash);
}

int
main(void)
{
	run_tests();
	test_report("crane.ips", "terminated: SIGNAL 11, Segmentation fault: 11, by exc handler; "
		    "libcrane.dylib: a crate has none below \xe2\x80\x9cit\xe2\x80\x9d", 2);
	test_report("crane.crash", "terminated: Namespace SIGNAL, Code 11 Segmentation fault: 11; message: a crate has none below it", 3);
	test_damage("crane.ips");
	test_damage("crane.crash");
	return done_testing();
}
