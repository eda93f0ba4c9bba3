/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cmd/lesson/lesson.h"
#include "document/page.h"
#include "lesson/answers.h"
#include "lesson/lesson_lint.h"
#include "report/prose/prose.h"
#include "system/new_file.h"

/*
 * A course as a directory of HTML pages, which need neither a server nor a network: `index.html`,
 * a page for each lesson, and a stepped page for each frame that a card is about.
 */
struct site {
	const struct course *course;
	const char *path;
	enum lesson_reader reader;
	struct new_files made;
	struct arena arena; /* holds the current lesson's pages */
	struct error error;
};

static enum cmd_status
write_page(struct site *site, const char *name, const struct output_string *page)
{
	const char *path = arena_format(&site->arena, "%s/%s", site->path, name);

	if (path == NULL || page->text == NULL)
		return cmd_out_of_memory();
	const enum cmd_status lacks = cmd_lacks(path);
	if (lacks != CMD_DONE)
		return lacks;
	if (new_files_write(&site->made, path, page->text, page->length, false, &site->error) ==
		ERROR_NONE)
		return CMD_DONE;
	cmd_say("%s", site->error.text);
	return CMD_UNREADABLE;
}

/* Write one stepped page for each frame that cards are about. */
static enum cmd_status
write_steps(struct site *site, struct open_lesson *open)
{
	struct lesson_scene *scene = &open->scene;
	const char **names = arena_array(&site->arena, open->lesson.card_count, sizeof(*names));
	enum cmd_status status = names == NULL ? cmd_out_of_memory() : CMD_DONE;

	for (size_t i = 0; i < open->lesson.card_count && status == CMD_DONE; i++) {
		struct output_string page;
		bool before = false;

		lesson_scene_go(scene, &open->lesson.cards[i]);
		names[i] = text_or_empty(lesson_step_page(&open->lesson, scene, &site->arena));
		for (size_t k = 0; k < i; k++)
			before |= strcmp(names[k], names[i]) == 0;
		if (before || names[i][0] == '\0')
			continue;
		/* Contradictions by other sources are known only after the whole walk. */
		walk_run(scene->walk, 0);
		const struct prose_range range = { scene->walk, scene->frame, scene->frame };

		output_string_init(&page, &site->arena);
		prose_page(&range, PAGE_HTML, &page.output);
		status = write_page(site, names[i], &page);
	}
	return status;
}

/* Write the pages of an open lesson. `index`: its number in the course. */
static enum cmd_status
write_lesson(struct site *site, struct open_lesson *open, size_t index)
{
	const struct course *course = site->course;
	struct lesson_site place = {
		.before = index > 0 ? course->lessons[index - 1].name : NULL,
		.after = index + 1 < course->lesson_count ? course->lessons[index + 1].name : NULL,
	};
	struct lesson_findings findings = { 0 };
	struct output_string page;
	const char **rows;

	struct cmd_options *options = cmd_lesson_options(&open->lesson, open->lesson.directory);
	struct answers solution;
	answers_read_solution(&solution, &open->lesson, &site->error);
	enum cmd_status status = options == NULL
		? CMD_UNREADABLE
		: cmd_lesson_rows(options, &open->lesson, &solution, false, &site->arena, &rows,
			  &findings);
	arena_free(&solution.arena);
	cmd_options_free(options);
	arena_free(&findings.arena);
	if (status == CMD_DONE && site->reader != LESSON_FOR_STUDENTS)
		status = write_steps(site, open);
	if (status != CMD_DONE)
		return status;
	place.rows = rows;
	output_string_init(&page, &site->arena);
	lesson_page(&page.output, &open->lesson, &open->scene, site->reader, &place);
	const char *name = arena_format(&site->arena, "%s.html", open->lesson.name);
	return name != NULL ? write_page(site, name, &page) : cmd_out_of_memory();
}

static enum cmd_status
write_index(struct site *site, const char *const *titles)
{
	const struct course *course = site->course;
	struct output_string text;
	struct page page;

	output_string_init(&text, &site->arena);
	page_begin(&page, PAGE_HTML, &text.output, "Unwinding stacks: a course", PAGE_READ);
	for (size_t i = 0; i < course->lesson_count; i++) {
		const struct course_lesson *one = &course->lessons[i];
		const bool first = i == 0 || one->track != one[-1].track;
		const struct output *output = page_raw(&page);

		if (first && i > 0)
			page_close(&page, PAGE_LIST);
		if (first) {
			page_block(&page, PAGE_SECTION, ROLE_NORMAL,
				   text_of(course->tracks[one->track].title));
			page_open(&page, PAGE_LIST);
		}
		output_plain(output, "<li><a href=\"");
		page_write_escaped(output, text_of(one->name));
		output_format(output, ".html\">%zu. ", i + 1);
		page_write_escaped(output, text_of(titles[i]));
		output_plain(output, "</a></li>\n");
	}
	if (course->lesson_count > 0)
		page_close(&page, PAGE_LIST);
	page_end(&page);
	return write_page(site, "index.html", &text);
}

enum cmd_status
cmd_lesson_site(const struct course *course, const char *path, enum lesson_reader reader)
{
	struct site site = { .course = course, .path = path, .reader = reader };
	struct arena titles = { 0 };
	const char **all = arena_array(&titles, course->lesson_count + 1, sizeof(*all));
	enum cmd_status status = all == NULL ? cmd_out_of_memory() : CMD_DONE;

	if (status == CMD_DONE &&
	    new_files_directory(&site.made, path, true, &site.error) != ERROR_NONE)
		status = cmd_print_error(&site.error, path);
	for (size_t i = 0; i < course->lesson_count && status == CMD_DONE; i++) {
		struct open_lesson open;

		status = cmd_lesson_open(&open, course->lessons[i].directory);
		if (status == CMD_DONE)
			status = write_lesson(&site, &open, i);
		const char *title = text_or_empty(open.lesson.title.text);
		all[i] = text_or_empty(arena_string(&titles, title));
		cmd_lesson_close(&open);
		arena_free(&site.arena);
	}
	if (status == CMD_DONE)
		status = write_index(&site, all);
	if (status == CMD_DONE)
		cmd_print("%s/index.html: %zu lesson%s", path, course->lesson_count,
			  plural(course->lesson_count));
	else
		new_files_remove(&site.made);
	new_files_free(&site.made);
	arena_free(&site.arena);
	arena_free(&titles);
	return status;
}
