/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The parts of ui/ outside the explorer, in a program: two lists, every key, the prompt.
 *
 *	demo-ui [--script FILE --size COLUMNSxROWS] [--ascii] [--color=auto|never|always] [--256]
 *
 * Terminal tests run it, so that they need neither dumps nor symbols. The stack view shows hostile
 * names; every other view counts. `:goto fault`, `:goto overflow` and `:goto abort` end the program
 * in the worst ways; `:goto work` works in slices for a while.
 */
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "ui/terminal/term.h"
#include "ui/request/keymap.h"
#include "ui/terminal/loop.h"
#include "ui/terminal/prompt.h"
#include "system/directory.h"
#include "ui/session/session_view.h"

struct list {
	size_t selected, top, left;
};

struct explorer {
	struct layout_choice choice;
	struct layout layout;
	struct list lists[LAYOUT_VIEW_COUNT];
	struct pattern pattern;
	bool quit, mouse;
	enum prompt_kind prompt;
	unsigned resizes, work;
	char notice[256];
	struct arena arena;
	struct row row, info;
};

static const char *const hostile[] = {
	"main",
	"std::vector<int>::push_back(int const&)",
	"ESC\x1b[31mred\x07",
	"CR\rLF\nTAB\tBS\b",
	"override \xe2\x80\xae" "cc.exe",
	"zero\xe2\x80\x8bwidth",
	"wide \xe6\xbc\xa2\xe5\xad\x97 end",
	"mark e\xcc\x81 end",
	"bytes \xff\xfe\x9b" "31m",
	"C1 \xc2\x9b" "31m",
};

static size_t
count_rows(enum layout_view view)
{
	return view == LAYOUT_STACK ? ARRAY_COUNT(hostile) + ROLE_COUNT : 1000;
}

static void
fill_row(enum layout_view view, size_t index, size_t columns, struct row *row)
{
	row_clear(row);
	if (view != LAYOUT_STACK) {
		row_add(row, ROLE_NORMAL, "row %zu of %s", index, layout_view_name(view));
		row_add(row, ROLE_NORMAL, ", whose text is long enough to be cut at ");
		row_add(row, ROLE_CODE, "0x%08zx", index * 16);
	} else if (index < ARRAY_COUNT(hostile)) {
		row_add_cut(row, ROLE_NORMAL, columns, true, text_of(hostile[index]));
	} else {
		enum role role = (enum role)(index - ARRAY_COUNT(hostile));

		row_add(row, role, "role %s", role_look(role)->name);
	}
	if (columns != 0)
		row_cut(row, columns);
}

static struct list *
focused(struct explorer *demo)
{
	return &demo->lists[demo->choice.focus];
}

/* Requests -------------------------------------------------------------------------------------*/

static void
select_row(struct explorer *demo, long index)
{
	long count = (long)count_rows(demo->choice.focus);

	focused(demo)->selected = (size_t)(index < 0 ? 0 : index >= count ? count - 1 : index);
}

static void
find(struct explorer *demo, size_t from, int step)
{
	size_t count = count_rows(demo->choice.focus), at, length;

	for (size_t i = 1; i <= count && demo->pattern.length != 0; i++) {
		size_t index = (from + (step > 0 ? i : count - i)) % count;

		fill_row(demo->choice.focus, index, 0, &demo->row);
		if (pattern_in(&demo->pattern, text_of(row_text(&demo->row)), 0, &at, &length)) {
			select_row(demo, (long)index);
			return;
		}
	}
	snprintf(demo->notice, sizeof(demo->notice), "not found");
}

/* Use more stack than there is; `enough` is never set. */
static int
overflow(volatile char *above)
{
	static volatile bool enough;
	volatile char block[4096];

	if (enough)
		return 0;
	block[0] = above == NULL ? 'a' : above[0];
	return overflow(block) + block[0];
}

static void
go_to(struct explorer *demo, const char *place)
{
	/* Not the null pointer, which a sanitizer would report before the processor faults. */
	static volatile uintptr_t nowhere = 64;
	volatile int *nothing = (volatile int *)nowhere;

	if (strcmp(place, "fault") == 0)
		*nothing = 1;
	else if (strcmp(place, "overflow") == 0)
		demo->work = (unsigned)overflow(NULL);
	else if (strcmp(place, "abort") == 0)
		abort();
	else if (strcmp(place, "work") == 0)
		demo->work = 50;
	else
		select_row(demo, strtol(place, NULL, 10));
}

static void
copy(struct explorer *demo)
{
	static const char *const results[] = {
		[CLIP_COMMAND] = "copied", [CLIP_SENT] = "sent", [CLIP_KEPT] = "kept"
	};

	fill_row(demo->choice.focus, focused(demo)->selected, 0, &demo->row);
	snprintf(demo->notice, sizeof(demo->notice), "%s",
		 results[clip_copy(text_of(row_text(&demo->row)), NULL, CLIP_AUTO)]);
}

static void
save(struct explorer *demo, const char *arguments)
{
	static const char option[] = "--attributes ";
	bool attributes = strncmp(arguments, option, strlen(option)) == 0;
	const char *path = arguments + (attributes ? strlen(option) : 0);
	FILE *file = fopen(path, "w");

	if (file != NULL)
		term_save(file, attributes);
	if (file == NULL || fclose(file) != 0)
		snprintf(demo->notice, sizeof(demo->notice), "'%s' cannot be written", path);
}

static void
edit(struct explorer *demo)
{
	struct error error = { .text = "edited" };

	editor_open(getenv("DEMO_FILE") == NULL ? "/" : getenv("DEMO_FILE"), 58, 0, &error);
	snprintf(demo->notice, sizeof(demo->notice), "%s", error.text);
}

static void
request(struct explorer *demo, enum request what, const char *arguments)
{
	struct list *list = focused(demo);
	long at = (long)list->selected;

	switch (what) {
	case REQUEST_DOWN: select_row(demo, at + 1); break;
	case REQUEST_UP: select_row(demo, at - 1); break;
	case REQUEST_PAGE_DOWN: select_row(demo, at + 10); break;
	case REQUEST_PAGE_UP: select_row(demo, at - 10); break;
	case REQUEST_FIRST: select_row(demo, 0); break;
	case REQUEST_LAST: select_row(demo, 1000000); break;
	case REQUEST_SCROLL_RIGHT: list->left += 8; break;
	case REQUEST_SCROLL_LEFT: list->left -= list->left < 8 ? list->left : 8; break;
	case REQUEST_GOTO: go_to(demo, arguments); break;
	case REQUEST_ZOOM: demo->choice.zoom = !demo->choice.zoom; break;
	case REQUEST_SEARCH:
		demo->prompt = PROMPT_FIND;
		prompt_open(PROMPT_FIND, arguments, false);
		break;
	case REQUEST_SEARCH_NEXT: find(demo, list->selected, 1); break;
	case REQUEST_SEARCH_PREVIOUS: find(demo, list->selected, -1); break;
	case REQUEST_COMMAND:
		demo->prompt = PROMPT_COMMAND;
		prompt_open(PROMPT_COMMAND, "", false);
		break;
	case REQUEST_COPY: copy(demo); break;
	case REQUEST_EDIT: edit(demo); break;
	case REQUEST_SAVE_SCREEN: save(demo, arguments); break;
	case REQUEST_SET_MOUSE: demo->mouse = term_mouse(!demo->mouse); break;
	case REQUEST_SUSPEND: term_suspend(); break;
	case REQUEST_REDRAW: term_redraw(); break;
	case REQUEST_QUIT:
	case REQUEST_CLOSE: demo->quit = true; break;
	case REQUEST_FOCUS_NEXT:
	case REQUEST_FOCUS_PREVIOUS:
		layout_focus(&demo->choice, layout_next(&demo->layout, demo->choice.focus,
							what == REQUEST_FOCUS_NEXT ? 1 : -1));
		break;
#define V(id, name, command, keys, handler, help)			\
	case REQUEST_VIEW_##id:						\
		layout_focus(&demo->choice, LAYOUT_##id);		\
		break;
#include "ui/view/view.def"
	default:
		snprintf(demo->notice, sizeof(demo->notice), "request %d", (int)what);
	}
}

static void
click(struct explorer *demo, const struct term_event *event)
{
	const struct layout_slot *slot = layout_slot_at(&demo->layout, event->x, event->y);

	if (slot == NULL)
		return;
	layout_focus(&demo->choice, slot->shown);
	if (event->y > slot->rectangle.y)
		select_row(demo, (long)focused(demo)->top + event->y - slot->rectangle.y - 1);
}

/* Callbacks of the loop and the prompt ---------------------------------------------------------*/

static void
on_key(struct explorer *demo, const struct term_event *event)
{
	char name[KEY_NAME_SIZE];
	const struct binding *binding =
		binding_find(event->key, 0, KEYMAP_VIEW(demo->choice.focus));
	const enum request what = binding == NULL ? REQUEST_NONE : binding->request;

	demo->notice[0] = '\0';
	if (event->key == TERM_KEY_RESIZE)
		demo->resizes++;
	else if (event->key == TERM_KEY_SUSPEND)
		term_suspend();
	else if (event->key == TERM_KEY_GONE)
		demo->quit = true;
	else if (event->key == TERM_KEY_CLICK)
		click(demo, event);
	else if (event->key == TERM_KEY_WHEEL_DOWN || event->key == TERM_KEY_WHEEL_UP)
		request(demo, event->key == TERM_KEY_WHEEL_UP ? REQUEST_UP : REQUEST_DOWN, "");
	else if (what != REQUEST_NONE)
		request(demo, what, "");
	else if (event->key != TERM_KEY_RESUME)
		snprintf(demo->notice, sizeof(demo->notice), "'%s' does nothing here",
			 key_label(event->key, name));
}

static void
on_command(struct explorer *demo, const char *text)
{
	const char *arguments;
	enum request what = keymap_command(text, &arguments);

	if (what == REQUEST_NONE || what == REQUEST_AMBIGUOUS)
		snprintf(demo->notice, sizeof(demo->notice), "unknown command '%s'", text);
	else
		request(demo, what, arguments);
}

static bool
on_work(struct explorer *demo)
{
	demo->work -= demo->work != 0;
	return demo->work != 0;
}

static void
on_changed(struct explorer *demo, const char *line)
{
	if (demo->prompt != PROMPT_FIND)
		return;
	pattern_set(&demo->pattern, line, false);
	find(demo, focused(demo)->selected == 0 ? count_rows(demo->choice.focus) - 1
						: focused(demo)->selected - 1, 1);
}

static void
on_accepted(struct explorer *demo, const char *line)
{
	demo->notice[0] = '\0';
	if (demo->prompt == PROMPT_COMMAND)
		on_command(demo, line);
}

static void
on_cancelled(struct explorer *demo)
{
	pattern_set(&demo->pattern, "", false);
	snprintf(demo->notice, sizeof(demo->notice), "cancelled");
}

static void
on_complete(struct explorer *demo, struct completion *completion)
{
	if (demo->prompt == PROMPT_COMMAND)
		keymap_complete(completion->line, completion);
	completion_sort(completion);
}

/* Callbacks that the demonstration does not need. */
static void
on_woken(struct explorer *demo)
{
	(void)demo;
}

static bool
is_never(struct explorer *demo)
{
	(void)demo;
	return false;
}

static void
on_stepped(struct explorer *demo, const struct script_step *step)
{
	(void)demo;
	(void)step;
}

static bool
on_check(const struct explorer *demo, const char *line, size_t *column, char *text, size_t size)
{
	(void)demo;
	(void)line;
	(void)column;
	(void)text;
	(void)size;
	return false;
}

/* Painting -------------------------------------------------------------------------------------*/

static void
paint_matches(struct explorer *demo, int x, int y, int columns, size_t left)
{
	struct text text = text_of(row_text(&demo->row));
	size_t at, length, from = 0;

	for (; pattern_in(&demo->pattern, text, from, &at, &length); from = at + length) {
		int column = (int)text_width((struct text){ text.start, at }) - (int)left;

		if (column >= 0 && column < columns)
			term_put(x + column, y, columns - column,
				 (struct text){ text.start + at, length }, ROLE_NORMAL, ROLE_MATCH);
	}
}

static void
paint_slot(struct explorer *demo, const struct layout_slot *slot)
{
	const struct layout_rectangle *r = &slot->rectangle;
	struct list *list = &demo->lists[slot->shown];
	struct title_tab tabs[LAYOUT_VIEW_COUNT];
	size_t rows = (size_t)r->rows - 1, columns = (size_t)r->columns - 1;
	bool has_focus = slot->shown == demo->choice.focus;

	for (unsigned i = 0; i < slot->view_count; i++)
		tabs[i] = (struct title_tab){ keymap_view_key(slot->views[i]),
					      layout_view_name(slot->views[i]),
					      slot->views[i] == slot->shown };
	row_clear(&demo->info);
	row_add(&demo->info, ROLE_NOTE, "%zu of %zu", list->selected + 1, count_rows(slot->shown));
	const struct title title = { .tabs = tabs, .count = slot->view_count, .focused = has_focus,
				     .line = term_glyph(THEME_GLYPH_LINE), .info = &demo->info };
	title_make(&demo->row, (size_t)r->columns, &title);
	term_put_row(r->x, r->y, r->columns, &demo->row, 0, ROLE_NORMAL);
	if (list->selected < list->top)
		list->top = list->selected;
	if (list->selected >= list->top + rows)
		list->top = list->selected - rows + 1;
	for (size_t i = 0; i < rows && list->top + i < count_rows(slot->shown); i++) {
		bool selected = list->top + i == list->selected;
		int y = r->y + 1 + (int)i;

		fill_row(slot->shown, list->top + i, list->left == 0 ? columns : 0, &demo->row);
		if (selected && has_focus)
			row_pad(&demo->row, list->left + columns);
		term_put(r->x, y, 1, text_of(selected ? term_glyph(THEME_GLYPH_CURSOR) : " "),
			 ROLE_NORMAL, ROLE_NORMAL);
		term_put_row(r->x + 1, y, (int)columns, &demo->row, list->left,
			     selected && has_focus ? ROLE_SELECTED : ROLE_NORMAL);
		paint_matches(demo, r->x + 1, y, (int)columns, list->left);
		if (selected && has_focus)
			term_cursor(r->x, y);
	}
}

static void
paint_line(struct explorer *demo, int y)
{
	term_put_row(0, y, demo->layout.columns, &demo->row, 0, ROLE_NORMAL);
}

static void
on_paint(struct explorer *demo)
{
	int columns, rows;

	term_size(&columns, &rows);
	demo->layout = layout_compute(columns, rows, &demo->choice);
	demo->row.cut_mark = term_glyph(THEME_GLYPH_CUT);
	row_clear(&demo->row);
	if (demo->layout.notice)
		row_add(&demo->row, ROLE_NORMAL, "40x6 needed");
	else
		row_add(&demo->row, ROLE_NORMAL, "demo  %dx%d  resizes %u", columns, rows,
			demo->resizes);
	paint_line(demo, 0);
	for (unsigned i = 0; i < demo->layout.slot_count; i++)
		paint_slot(demo, &demo->layout.slots[i]);
	for (unsigned i = 0; i < demo->layout.border_count; i++) {
		const struct layout_rectangle *at = &demo->layout.borders[i].at;

		if (at->columns == 1)
			term_line(at->x, at->y, at->rows, true, THEME_GLYPH_BAR);
	}
	if (demo->layout.notice)
		return;
	row_clear(&demo->row);
	row_add(&demo->row, ROLE_NORMAL, "%s", demo->notice);
	row_add_right(&demo->row, ROLE_NOTE, (size_t)columns, "%s",
		      demo->work != 0 ? "working" : "ok");
	paint_line(demo, demo->layout.status_row);
	row_clear(&demo->row);
	keymap_footer(KEYMAP_VIEW(demo->choice.focus), (size_t)columns, &demo->row, SIZE_MAX);
	paint_line(demo, demo->layout.footer_row);
	prompt_paint(demo->layout.footer_row, columns);
}

static int
run(struct explorer *demo, struct term_options *options, struct script *script)
{
	const struct loop_client client = { .explorer = demo,
					    .key = on_key,
					    .command = on_command,
					    .paint = on_paint,
					    .quit = &demo->quit,
					    .work = on_work,
					    .woken = on_woken,
					    .pending = is_never,
					    .tick = is_never,
					    .stepped = on_stepped };
	const struct prompt_client prompt = {
		.explorer = demo,
		.changed = on_changed,
		.accepted = on_accepted,
		.cancelled = on_cancelled,
		.check = on_check,
		.complete = on_complete,
	};
	struct arena arena = { 0 };
	struct error error;
	struct loop loop;

	if (loop_start(&loop, script, &error) != ERROR_NONE)
		return 3;
	options->notify = loop.pipe[1];
	options->farewell = "demo-ui has crashed\n";
	if (term_start(options, &error) != ERROR_NONE) {
		fprintf(stderr, "%s\n", error.text);
		return 2;
	}
	prompt_start(&prompt, directory_of_user(&arena, DIRECTORY_STATE, "unspool"), false);
	loop_run(&loop, &client);
	prompt_stop();
	arena_free(&arena);
	term_stop();
	loop_stop(&loop);
	return 0;
}

int
main(int count, char **arguments)
{
	static struct explorer demo;
	struct term_options options = { 0 };
	struct script script = { 0 };
	struct error error;

	setlocale(LC_ALL, "");
	for (int i = 1; i < count; i++) {
		const char *value = i + 1 < count ? arguments[i + 1] : "";

		if (strcmp(arguments[i], "--script") == 0)
			options.headless = script_open(&script, value, &error) == ERROR_NONE;
		else if (strcmp(arguments[i], "--size") == 0)
			sscanf(value, "%dx%d", &options.columns, &options.rows);
		else if (strcmp(arguments[i], "--ascii") == 0)
			options.ascii = true;
		else if (strcmp(arguments[i], "--256") == 0)
			options.theme = THEME_NAME_DARK_256;
		else if (strcmp(arguments[i], "--color=never") == 0)
			options.color = THEME_COLOR_NEVER;
		else if (strcmp(arguments[i], "--color=always") == 0)
			options.color = THEME_COLOR_ALWAYS;
	}
	arena_init(&demo.arena, 0);
	row_init(&demo.row, &demo.arena);
	row_init(&demo.info, &demo.arena);
	layout_focus(&demo.choice, LAYOUT_STACK);
	int status = run(&demo, &options, options.headless ? &script : NULL);
	arena_free(&demo.arena);
	script_close(&script);
	return status;
}
