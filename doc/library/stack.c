/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Print the stack of a crash, and for each frame the record that found it:
 *
 *	cc -o stack stack.c $(pkg-config --cflags --libs unspool)
 *	./stack DUMP [SYMBOLS...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unspool.h>

/* Print the records and rules of the step from a frame to its caller. */
static void
print_step(struct unspool *unspool, size_t frame)
{
	struct unspool_event event;
	const size_t count = unspool_step(unspool, frame);

	for (size_t i = 0; i < count; i++) {
		if (!unspool_event(unspool, i, &event) ||
		    (strcmp(event.kind, "record") != 0 && strcmp(event.kind, "set") != 0))
			continue;
		printf("      %s %s", event.kind, event.name);
		if (event.has_value)
			printf(" 0x%" PRIx64, event.value);
		printf(" %s", event.text);
		if (event.line != 0)
			printf(" (%s:%" PRIu32 ")", event.input, event.line);
		printf("\n");
	}
}

int
main(int argc, char **argv)
{
	char error[256];
	struct unspool_frame row;

	if (argc < 2)
		return 2;
	struct unspool *unspool = unspool_open(argv[1], (const char *const *)argv + 2,
					       (size_t)argc - 2, error, sizeof(error));
	if (unspool == NULL) {
		fprintf(stderr, "%s: %s\n", argv[1], error);
		return 1;
	}
	printf("%s\n", unspool_reason(unspool));
	const size_t count = unspool_walk(unspool, unspool_crashed(unspool));
	for (size_t i = 0; i < count; i++) {
		unspool_frame(unspool, i, &row);
		printf("%2zu  0x%" PRIx64 "  %s", row.frame, row.pc, row.function);
		if (row.line != 0)
			printf("  %s:%" PRIu32, row.file, row.line);
		printf("  [%s]\n", row.inlined ? "inlined" : row.trust);
		if (!row.inlined)
			print_step(unspool, row.frame);
	}
	printf("%s\n", unspool_end(unspool));
	unspool_close(unspool);
	return 0;
}
