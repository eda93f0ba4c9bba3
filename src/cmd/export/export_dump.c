/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "cmd/cmd.h"
#include "dump/write/write.h"

/* export-core and export-minidump: write the whole dump in the other format. */

struct export_dump_options {
	struct cmd_options common;
	const char *output;		/* a file */
};

typedef enum error_code write_dump(const struct crash *crash, struct arena *arena,
				   struct dump_image *image, struct error *error);

static enum cmd_status
export_dump(const struct cmd_options *options, struct cmd_input *input, write_dump *write)
{
	const char *path = ((const struct export_dump_options *)options)->output;
	struct dump_image image;
	struct error error = { 0 };
	struct arena arena;

	if (path == NULL)
		return cmd_usage(options, "'--output FILE' is missing");
	arena_init(&arena, 0);
	const bool made = write(&input->crash, &arena, &image, &error) == ERROR_NONE;
	if (made && cmd_lacks(path) != CMD_DONE) {
		arena_free(&arena);
		return CMD_INCOMPLETE;
	}
	if (!made || dump_image_save(&image, path, &error) != ERROR_NONE) {
		cmd_print_error(&error, path);
		arena_free(&arena);
		return CMD_UNREADABLE;
	}
	cmd_print("%s: %zu thread%s, %zu module%s, %" PRIu64 " bytes of memory", path,
		  image.threads, plural(image.threads), image.modules,
		  plural(image.modules), image.memory);
	if (image.made_up > 0)
		cmd_print("made up, because the dump has no memory there: %" PRIu64 " bytes, %s",
			  image.made_up,
			  image.has_links ? "headers of modules and the dynamic linker's list"
					  : "headers of modules");
	if (image.without_registers > 0)
		cmd_say("%zu of %zu threads have no registers; a core has 0 for them, a minidump "
			"none",
			image.without_registers, image.threads);
	arena_free(&arena);
	return CMD_DONE;
}

static enum cmd_status
run_core(const struct cmd_options *options, struct cmd_input *input)
{
	return export_dump(options, input, core_write);
}

static enum cmd_status
run_minidump(const struct cmd_options *options, struct cmd_input *input)
{
	return export_dump(options, input, minidump_write_core);
}

static const struct cmd_option own_options[] = {
	{ "--output", 'o', "FILE", "the file to write; an existing one is kept",
	  CMD_STORE(OUTPUT, export_dump_options, output) },
};

const struct cmd_command cmd_export_core = {
	.name = "export-core", .arguments = "DUMP",
	.help = "write an ELF core from a minidump of Linux, for gdb and lldb",
	.least = 1, .most = 1, .needs = CMD_NEEDS_INPUT, CMD_OWN(own_options, export_dump_options),
	.run = run_core,
};

const struct cmd_command cmd_export_minidump = {
	.name = "export-minidump", .arguments = "CORE",
	.help = "write a minidump from an ELF core, with all of its memory",
	.least = 1, .most = 1, .needs = CMD_NEEDS_INPUT, CMD_OWN(own_options, export_dump_options),
	.run = run_minidump,
};
