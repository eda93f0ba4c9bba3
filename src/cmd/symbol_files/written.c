/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "binary/binary.h"
#include "cmd/cmd.h"
#include "dump_syms/dump_syms.h"
#include "locate/binaries.h"

/* Symbol files as dump-syms would write them, in memory. symdiff and lint compare with these. */

static enum error_code
open_written(struct cmd_written *written, const char *path, struct error *error)
{
	const struct arch *arch = written->crash.system.arch;
	const struct dump_syms_options wanted = { 0 };
	struct dump_syms dump = { 0 };
	size_t size;
	enum error_code code = dump_syms_read(&dump, written->binaries, 0, arch, &wanted,
					      error);

	if (code != ERROR_NONE)
		return code;
	written->text = dump_syms_text(&dump, &size);
	if (dump.cut_names > 0)
		cmd_say("warning: '%s': there are more long names than fit a file of this "
			"size: %zu of them stay mangled or are compared by beginnings and sizes",
			path, dump.cut_names);
	dump_syms_free(&dump);
	return written->text == NULL
		       ? error_memory(error)
		       : symfile_from_memory(&written->symfile, path, written->text, size, error);
}

enum error_code
cmd_written_open(struct cmd_written *written, const char *path, struct error *error)
{
	struct binary *binary;

	if (binary_kind_of(path) != BINARY_KIND_OWN)
		return cmd_open_symbols(&written->symfile, path, error);
	const enum error_code code = binary_open(&binary, path, error);
	if (code != ERROR_NONE)
		return code;
	if (!binary_as_crash(binary, path, &written->crash) ||
	    (written->binaries = binaries_create(&written->crash, NULL, 0)) == NULL) {
		binary_close(binary);
		return error_memory(error);
	}
	binaries_give(written->binaries, 0, binary);
	return open_written(written, path, error);
}

void
cmd_written_close(struct cmd_written *written)
{
	symfile_close(written->symfile);
	free(written->text);
	binaries_free(written->binaries);
	crash_free(&written->crash);
}
