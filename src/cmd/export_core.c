/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "cmd/cmd.h"
#include "dump/core_write.h"

struct export_core_options {
	struct cmd_options common;
	const char *output;		/* a file */
};

static enum cmd_status
run(const struct cmd_options *options, struct cmd_input *input)
{
	const char *path = ((const struct export_core_options *)options)->output;
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena;

	if (path == NULL)
		return cmd_usage(options, "'--output FILE' is missing");
	arena_init(&arena, 0);
	if (core_write(&input->crash, &arena, &image, &error) != ERROR_NONE ||
	    dump_image_save(&image, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		arena_free(&arena);
		return CMD_UNREADABLE;
	}
	cmd_print("%s: %zu thread%s, %zu module%s, %" PRIu64 " bytes of memory", path, image.threads,
		  image.threads == 1 ? "" : "s", image.modules, image.modules == 1 ? "" : "s",
		  image.memory);
	if (image.made_up > 0)
		cmd_print("made up, because the dump has no memory there: %" PRIu64 " bytes, %s",
			  image.made_up,
			  image.has_links ? "headers of modules and the dynamic linker's list"
					  : "headers of modules");
	if (image.without_registers > 0)
		cmd_say("%zu of %zu threads have no registers in the dump; the core has 0 for them",
			image.without_registers, image.threads);
	arena_free(&arena);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--output", 'o', "FILE", "the core to write; a file that is there is kept",
	  CMD_STORE(TEXT, export_core_options, output) },
};

const struct cmd_command cmd_export_core = {
	.name = "export-core", .arguments = "DUMP",
	.help = "write an ELF core from a minidump of Linux, for gdb and lldb",
	.least = 1, .most = 1, .needs = CMD_NEEDS_INPUT, CMD_OWN(own_options, export_core_options),
	.run = run,
};
