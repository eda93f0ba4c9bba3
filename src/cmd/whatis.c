/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cmd/around.h"
#include "base/error.h"
#include "report/memory/whatis.h"

/* What is printed, and how. */
struct printing {
	struct cmd_around *around;
	size_t frame;
	struct json *json;	/* NULL: text */
	size_t count;
	bool unknown;		/* something that was asked for could not be read */
};

static bool
print_one(struct printing *printing, struct text typed)
{
	const struct output output = cmd_output();
	struct whatis *whatis = whatis_create(&printing->around->around,
					      cmd_around_walk(printing->around), printing->frame,
					      typed);

	if (whatis == NULL) {
		fprintf(stderr, "unspool: " OUT_OF_MEMORY "\n");
		return false;
	}
	const struct listing listing = whatis_listing(whatis);
	if (printing->json != NULL) {
		whatis_json(printing->json, NULL, whatis);
	} else {
		if (printing->count++ > 0)
			output_format(&output, "\n");
		cmd_print_listing(&output, &listing);
	}
	printing->unknown = printing->unknown || !whatis->expression.known;
	whatis_free(whatis);
	return true;
}

/* A line of standard input each. */
static bool
print_input(struct printing *printing)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	bool good = true;

	while (good && (length = getline(&line, &size, stdin)) > 0) {
		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			length--;
		if (length > 0)
			good = print_one(printing, (struct text){ line, (size_t)length });
	}
	free(line);
	return good;
}

/*
 * The first path is the dump. Of the others those that are there in the file system are symbols,
 * the rest is what is asked for: so that both stand where they do with every other command.
 */
static bool
is_symbols(const char *path)
{
	struct stat status;

	return strcmp(path, "-") != 0 && stat(path, &status) == 0;
}

static enum cmd_status
print_all(struct printing *printing, const char *const *asked, size_t count)
{
	bool good = true;

	for (size_t i = 0; good && i < count; i++)
		good = strcmp(asked[i], "-") == 0 ? print_input(printing)
						  : print_one(printing, text_of(asked[i]));
	if (!good)
		return CMD_UNREADABLE;
	return printing->unknown ? CMD_FINDINGS : CMD_DONE;
}

static enum cmd_status
print_document(struct printing *printing, const struct cmd_options *options,
	       const char *const *asked, size_t count)
{
	const struct output output = cmd_output();
	struct json json;

	if (!options->json)
		return print_all(printing, asked, count);
	printing->json = &json;
	json_begin(&json, &output, options->pretty);
	json_object(&json, NULL);
	json_array(&json, "answers");
	const enum cmd_status status = print_all(printing, asked, count);
	json_array_end(&json);
	json_object_end(&json);
	json_finish(&json);
	return status;
}

/* Registers are those of --frame, which must be there. */
static bool
choose_frame(const struct cmd_around *around, const struct cmd_options *options,
	     struct printing *printing)
{
	const struct walk *walk = cmd_around_walk(around);

	printing->frame = options->frame < 0 ? 0 : (size_t)options->frame;
	if (options->frame < 0 || (walk != NULL && printing->frame < walk->count))
		return true;
	fprintf(stderr, "unspool: there is no frame %ld; the thread has %zu\n", options->frame,
		walk != NULL ? walk->count : 0);
	return false;
}

enum cmd_status
cmd_whatis(const struct cmd_options *options)
{
	const char **asked = calloc(options->path_count + 1, sizeof(*asked));
	const char **paths = calloc(options->path_count + 1, sizeof(*paths));
	struct cmd_options opened = *options;
	struct cmd_around around;
	enum cmd_status status = CMD_USAGE;
	size_t count = 0;

	opened.paths = paths;
	opened.path_count = 0;
	for (size_t i = 0; asked != NULL && paths != NULL && i < options->path_count; i++)
		if (i == 0 || is_symbols(options->paths[i]))
			paths[opened.path_count++] = options->paths[i];
		else
			asked[count++] = options->paths[i];
	if (count == 0) {
		fprintf(stderr, "unspool: whatis wants a dump and addresses\n"
			"Try 'unspool whatis --help'.\n");
	} else {
		struct printing printing = { .around = &around };

		status = cmd_around_open(&around, &opened, 0);
		if (status == CMD_DONE && !choose_frame(&around, options, &printing))
			status = CMD_USAGE;
		if (status == CMD_DONE)
			status = print_document(&printing, options, asked, count);
		status = cmd_around_close(&around, &opened, status);
	}
	free(asked);
	free(paths);
	return status;
}
