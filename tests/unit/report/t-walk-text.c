/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_text.h"
#include "tests/unit/report/scene.h"

/* The crash of scene.h as text, with Windows' version, a processor, a process that began at 1000 and an assertion: the
 * layouts of minidump_stackwalk (stackwalk_common.cc) and rust-minidump. */
static const struct {
	struct walk_text_options options;
	bool thread;			/* with the thread that crashed */
	const char *text;
} cases[] = {
	{ { 0 }, false,
	  "Operating system: Windows NT\n                  6.1.7601 Service Pack 1\nCPU: x86\n     GenuineIntel family 6 model 30 stepping 5\n"
	  "     4 CPUs\n\nGPU: UNKNOWN\n\nCrash reason:  EXCEPTION_ACCESS_VIOLATION\nCrash address: 0x45\n"
	  "Assertion: Invalid parameter passed to library function count > 0 in function take, in file stock.c at line 12\n"
	  "Process uptime: 1234566890 seconds\n\nLoaded modules:\n"
	  "0x00400000 - 0x00402fff  app.exe  ???\n"
	  "0x77000000 - 0x77000fff  other.dll  ???  (main)\n" },
	{ { .machine = true }, true, "OS|Windows NT|6.1.7601 Service Pack 1\nCPU|x86|GenuineIntel family 6 model 30 stepping 5|4\nGPU|||\n"
	  "Crash|EXCEPTION_ACCESS_VIOLATION|0x45|1\nModule|app.exe||app.pdb|5A9832E5287241C1838ED98914E9B7FF1|0x00400000|0x00402fff|0\n"
	  "Module|other.dll||||0x77000000|0x77000fff|1\n\n1|0|app.exe|leaf|c:\\src\\inner.h|3|0x5\n1|1|app.exe|middle|c:\\src\\inner.h|7|0x5\n"
	  "1|2|app.exe|crash|c:\\src\\app.c|20|0x5\n1|3|app.exe|main|c:\\src\\app.c|30|0x10\n1|4|app.exe|start|||0x5\n" },
	{ { .rust = true }, true,
	  "Operating system: Windows NT\n                  6.1.7601 Service Pack 1\nCPU: x86\n     GenuineIntel family 6 model 30 stepping 5\n"
	  "     4 CPUs\n\nCrash reason:  EXCEPTION_ACCESS_VIOLATION\nCrash address: 0x00000045\n"
	  "Assertion: Invalid parameter passed to library function count > 0 in function take, in file stock.c at line 12\n"
	  "Process uptime: 1234566890 seconds\n\nThread 1  (crashed) - tid: 3060\n 0  app.exe!leaf [inner.h : 3]\n    Found by: inlining\n"
	  " 1  app.exe!middle [inner.h : 7]\n    Found by: inlining\n 2  app.exe!crash [app.c : 20 + 0x5]\n"
	  "     eip = 0x00401015    esp = 0x0012f000    ebp = 0x0012f008    ebx = 0x00000000\n"
	  "     esi = 0x00000000    edi = 0x00000000    eax = 0x00000000    ecx = 0x00000000\n     edx = 0x00000000 eflags = 0x00000000\n"
	  "    Found by: given as instruction pointer in context\n 3  app.exe!main [app.c : 30 + 0xf]\n"
	  "     eip = 0x00401110    esp = 0x0012f010    ebp = 0x0012f018    ebx = 0x00000000\n     esi = 0x00000000    edi = 0x00000000\n"
	  "    Found by: call frame info\n 4  app.exe!start + 0x4 (uncertain)\n"
	  "     eip = 0x00401205    esp = 0x0012f020    ebp = 0x00000000    ebx = 0x00000000\n     esi = 0x00000000    edi = 0x00000000\n"
	  "    Found by: call frame info\n\n\nLoaded modules:\n0x00400000 - 0x00402fff  app.exe  ???\n"
	  "0x77000000 - 0x77000fff  other.dll  ???  (main)\n\nUnloaded modules:\n0x10000000 - 0x10001fff  gone.dll\n" },
};

static void
add_more(struct synth *synth)
{
	const uint32_t cpu[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };	/* GenuineIntel */

	synth_system(synth, 6, 1, 7601, "Service Pack 1");
	synth_cpu(synth, 6, 0x1e05, 4, cpu);
	synth_misc(synth, 77, 1000);
	synth_assertion(synth, "count > 0", "take", "stock.c", 12, 1);
}

static const char *
text_of_walk(struct scene *scene, struct walk_text_options options, bool thread)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk_text_thread *threads;
	struct output_string made;
	bool walked[2] = { false };

	options.walked = walked;
	output_string_init(&made, &scene->arena);
	/* Thread 2 wrote the dump; thread 1 requested it and comes first. */
	is_u64(walk_text_threads(&scene->crash, &scene->arena, &threads), 2, "the thread that wrote the dump is left out");
	ok(threads[0].index == 1 && threads[0].number == 1 && threads[0].requesting && threads[1].index == 0 &&
	   threads[1].number == 0 && !threads[1].requesting, "the requesting thread comes first");
	walk_text_head(&made.output, &scene->crash, &policy, &options);
	if (thread)
		walk_text_thread(&made.output, scene->walk, &threads[0], &options);
	walk_text_tail(&made.output, &scene->crash, scene->symbols, &policy, &options);
	return made.text;
}

int
main(void)
{
	struct scene scene;

	scene_more = add_more;
	scene_open(&scene);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_text(text_of_walk(&scene, cases[i].options, cases[i].thread), cases[i].text, "a walk with the options of row %zu", i);
	scene_close(&scene);
	return done_testing();
}
