/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a dump with a secret word in every place that --redact leaves out: environment, command
 * line, stack and other memory. With NAME, also put a user's name in every place that can have one:
 * paths of all kinds, annotations, thread names and text streams.
 *
 *	make-secrets FILE [NAME]
 */
#include <stdio.h>
#include <string.h>

#include "tests/lib/synth.h"

#define SECRET "HUSHHUSH"

/* `format` with the name in place of each %s. Valid until the call after the next. */
static const char *
with(const char *name, const char *format)
{
	static char texts[2][512];
	static unsigned turn;
	char *text = texts[turn++ % 2];

	snprintf(text, sizeof(texts[0]), format, name, name, name);
	return text;
}

static void
stream_of_text(struct synth *synth, uint32_t type, const char *text)
{
	synth_stream(synth, type, text, strlen(text));
}

static void
add_names(struct synth *synth, const char *name)
{
	synth_module(synth, 0x500000, 0x1000, with(name, "/home/%s/lib/lib%s-x.so.1"),
		     with(name, "/home/%s/lib/lib%s-x.so.1"), "5A9832E5287241C1838ED98914E9B7FF1");
	synth_module(synth, 0x600000, 0x1000, with(name, "C:\\Users\\%s\\y.dll"),
		     with(name, "C:\\Users\\%s\\src\\%s.pdb"), "5A9832E5287241C1838ED98914E9B7FF2");
	synth_module(synth, 0x700000, 0x1000, with(name, "/tmp/%s-build/%s"), with(name, "%s"), "5A9832E5287241C1838ED98914E9B7FF3");
	synth_unloaded(synth, 0x800000, 0x1000, with(name, "/var/home/%s/z.so"), 1);
	synth_thread_name(synth, 1, with(name, "%s's worker"));
	synth_assertion(synth, with(name, "of %s"), with(name, "by %s"), with(name, "/home/%s/a.c"), 3, 1);
	synth_crashpad(synth, -1, "user", with(name, "%s"));
	synth_crashpad(synth, 0, with(name, "%s's key"), with(name, "C:\\Users\\%s\\q"));
	/* CommentStreamA, LinuxMaps, LinuxProcStatus and an unknown stream. */
	stream_of_text(synth, 10, with(name, "sent by %s from /home/%s"));
	stream_of_text(synth, 0x47670009, with(name, "00400000-00402000 r-xp 00000000 08:01 1 /bin/tool\n"
				  "00900000-00901000 r--p 00000000 08:01 2 /home/%s/%s.dat\n"));
	stream_of_text(synth, 0x47670004, with(name, "Name:\t%s\n"));
	stream_of_text(synth, 0x12345678, with(name, "bytes of /home/%s/x and %s"));
}

int
main(int argc, char **argv)
{
	static const char environment[] = "PATH=/bin\0TOKEN=" SECRET "\0";
	static const char command[] = "tool\0--password=" SECRET "\0";
	static const char heap[] = "in the heap there is " SECRET " as well, and " SECRET;
	uint64_t registers[ARCH_REGISTERS] = { [6] = 0x7000, [7] = 0x7000, [16] = 0x401010 };
	uint8_t stack[512] = { 0 };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: make-secrets FILE [NAME]\n");
		return 2;
	}
	/* Two frames that are found by frame pointers, and text between them. */
	memcpy(stack, "\x80\x70", 2);
	memcpy(stack + 8, "\x34\x12\x40", 3);
	memcpy(stack + 0x18, SECRET, strlen(SECRET));
	memcpy(stack + 0x40, SECRET, strlen(SECRET));
	memcpy(stack + 0x88, "\x56\x12\x40", 3);
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	synth_module(synth, 0x400000, 0x2000, "/bin/tool", "tool", "5A9832E5287241C1838ED98914E9B7FF0");
	synth_thread(synth, 1, registers, 0x7000, stack, sizeof(stack));
	synth_exception(synth, 1, 11, 1, 0x10);
	if (argc == 3) {
		add_names(synth, argv[2]);
		stream_of_text(synth, 0x47670006, with(argv[2], "/home/%s/tool"));
		stream_of_text(synth, 0x47670007, with(argv[2], "USER=%s"));
	} else {
		synth_stream(synth, 0x47670006, command, sizeof(command));
		synth_stream(synth, 0x47670007, environment, sizeof(environment));
	}
	synth_memory(synth, 0x10000, heap, sizeof(heap), false);
	bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
