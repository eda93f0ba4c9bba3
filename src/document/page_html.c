/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "document/page_internal.h"

/*
 * One page that loads no other files. It has a script only if readers can step through it. A policy
 * makes browsers refuse any other script, even one in the text. Evidence is shown at the bottom
 * edge while its value has the focus or the mouse is over it. On paper, evidence follows the value
 * and folded parts are open.
 */
static const char head[] =
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'%s%s%s%s%s\">\n"
	"<meta name=\"generator\" content=\"unspool " PACKAGE_VERSION "\">\n";

static const char style[] =
	":root{color-scheme:light dark}\n"
	"body{font:1rem/1.5 system-ui,sans-serif;max-width:80rem;margin:0 auto;"
	"padding:1rem 1rem 6rem;overflow-wrap:anywhere}\n"
	"h1{font-size:1.4rem}\n"
	"h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid #8888}\n"
	"table{border-collapse:collapse;width:100%}\n"
	"th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0;"
	"border-bottom:1px solid #8884}\n"
	"th{font-weight:normal}\n"
	".wide td,.wide th{overflow-wrap:normal}\n"
	".wide .breaks{overflow-wrap:anywhere}\n"
	".facts th{width:6.5rem}\n"
	"code,pre{font:.85rem/1.4 ui-monospace,monospace;unicode-bidi:isolate}\n"
	"pre{overflow-x:auto;margin:.5rem 0;padding:.5rem;border:1px solid #8886}\n"
	".drawing{overflow-x:auto}\n"
	".drawing .page{fill:none}\n"
	"@media screen and (prefers-color-scheme:dark){svg{filter:invert(1) hue-rotate(180deg)}}\n"
	"summary{cursor:pointer;padding:.3rem 0}\n"
	".value:hover,.value:focus{outline:1px solid #888;background:#8883}\n"
	".why{display:none}\n"
	".value:hover>.why,.value:focus>.why{display:block;position:fixed;left:0;right:0;bottom:0;"
	"z-index:1;max-height:40vh;overflow:auto;padding:.6rem 1rem;white-space:pre-wrap;"
	"background:Canvas;color:CanvasText;border-top:2px solid}\n"
	".value:hover>.why{z-index:2}\n"
	"@media (max-width:40rem){\n"
	".wide thead{display:none}\n"
	".wide tr,.wide td{display:block}\n"
	".wide tr{padding:.3rem 0;border-bottom:1px solid #8886}\n"
	".wide td{padding:0;border:0;overflow-wrap:anywhere}\n"
	".wide td:empty{display:none}\n"
	".wide td[data-column]::before{content:attr(data-column) \": \";opacity:.8}\n"
	"}\n"
	"@media print{\n"
	"body{max-width:none;padding:0}\n"
	"pre{white-space:pre-wrap;overflow:visible}\n"
	"svg{max-width:100%;height:auto}\n"
	"details::details-content{content-visibility:visible;block-size:auto}\n"
	".why,.value:hover>.why,.value:focus>.why{display:inline;position:static;padding:0 0 0 "
	"1rem;"
	"font-size:.8em;border:0}\n"
	"}\n";

/* Writes terminal colour 16 to 255; false: a lower number. `part` 2 dims it for light paper. */
static bool
write_colour(const struct output *output, const char *property, int colour, int part)
{
	static const int levels[] = { 0, 95, 135, 175, 215, 255 };
	const int cube = colour - 16, grey = 8 + (colour - 232) * 10;

	if (colour < 16)
		return false;
	output_format(output, "%s:#%02x%02x%02x;", property,
		      (colour >= 232 ? grey : levels[cube / 36]) / part,
		      (colour >= 232 ? grey : levels[cube / 6 % 6]) / part,
		      (colour >= 232 ? grey : levels[cube % 6]) / part);
	return true;
}

static void
write_roles(const struct output *output, bool dark)
{
	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		const struct role_look *look = role_look((enum role)role);

		output_format(output, ".%s{", look->name);
		/* A colour with its own background is the same on dark and light pages. */
		const bool ground = write_colour(output, "background", look->background256, 1);
		write_colour(output, "color", look->colour256, dark || ground ? 1 : 2);
		if ((look->mono & ROLE_STYLE_BOLD) != 0)
			output_plain(output, "font-weight:bold;");
		if ((look->mono & ROLE_STYLE_UNDERLINE) != 0)
			output_plain(output, "text-decoration:underline;");
		output_plain(output, "}\n");
	}
}

static void
page_html_write_escaped(void *context, const char *bytes, size_t length)
{
	static const char *const entities[UINT8_MAX + 1] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
	};
	const struct output *to = context;
	size_t written = 0;

	for (size_t i = 0; i < length; i++) {
		const char *entity = entities[(uint8_t)bytes[i]];

		if (entity == NULL)
			continue;
		to->write(to->context, bytes + written, i - written);
		output_plain(to, entity);
		written = i + 1;
	}
	to->write(to->context, bytes + written, length - written);
}

void
page_write_escaped(const struct output *output, struct text text)
{
	struct output to = *output;
	const struct output escaped = { .write = page_html_write_escaped, .context = &to,
					.names = output->names };

	output_text(&escaped, text);
}

static void
page_html_write_text(struct page *page, enum role role, struct text text)
{
	const struct output to = { .write = page->output.write, .context = page->output.context,
				   .names = page->to.names };

	if (role != ROLE_NORMAL)
		output_format(&to, "<span class=\"%s\">", role_look(role)->name);
	page_write_escaped(&to, text);
	if (role != ROLE_NORMAL)
		output_plain(&to, "</span>");
}

static void
page_html_begin(struct page *page, const char *title)
{
	const struct output *output = &page->output;

	output_plain(output, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
	output_format(output, head, page->use >= PAGE_STEPPED ? "; script-src 'sha256-" : "",
		      page->use >= PAGE_STEPPED ? page_steps_digest : "",
		      page->use == PAGE_ANSWERED ? "' 'sha256-" : "",
		      page->use == PAGE_ANSWERED ? page_answers_digest : "",
		      page->use >= PAGE_STEPPED ? "'" : "");
	output_plain(output, "<title>");
	page_html_write_text(page, ROLE_NORMAL, text_of(title));
	output_plain(output, "</title>\n<style>\n");
	output_plain(output, style);
	output_plain(output, page->use >= PAGE_STEPPED ? page_steps_style : "");
	output_plain(output, page->use == PAGE_ANSWERED ? page_answers_style : "");
	write_roles(output, false);
	output_plain(output, "@media screen and (prefers-color-scheme:dark){\n");
	write_roles(output, true);
	output_plain(output, "}\n</style>\n</head>\n<body>\n<h1>");
	page_html_write_text(page, ROLE_NORMAL, text_of(title));
	output_plain(output, "</h1>\n");
}

static void
page_html_end(struct page *page)
{
	if (page->use >= PAGE_STEPPED)
		output_format(&page->output, "%s<script>%s</script>\n", page_steps_controls,
			      page_steps_script);
	if (page->use == PAGE_ANSWERED)
		output_format(&page->output, "<script>%s%s%s</script>\n", page_answers_script[0],
			      page_answers_script[1], page_answers_script[2]);
	output_plain(&page->output, "</body>\n</html>\n");
}

/* Whether the table has column headings; a table of facts has labels instead. */
static bool
has_names(const struct page *page)
{
	return page->column_count > 0 && page->columns[0].name[0] != '\0';
}

static void
page_html_write_head(struct page *page)
{
	const struct output *output = &page->output;

	if (!has_names(page)) {
		output_plain(output, "<table class=\"facts\">\n<tbody>\n");
		return;
	}
	output_plain(output, "<table class=\"wide\">\n<thead>\n<tr>");
	for (size_t i = 0; i < page->column_count; i++)
		output_format(output, "<th scope=\"col\">%s</th>", page->columns[i].name);
	output_plain(output, "</tr>\n</thead>\n<tbody>\n");
}

static void
page_html_opened(struct page *page, enum page_block block)
{
	const struct output *output = &page->output;
	const size_t column = page->column;

	if (block == PAGE_ROW) {
		page->column = 0;
	} else if (block == PAGE_CELL) {
		if (has_names(page) && column < page->column_count)
			output_format(output, "<td data-column=\"%s\"%s>",
				      page->columns[column].name,
				      page->columns[column].breaks ? " class=\"breaks\"" : "");
		else
			output_plain(output, column == 0 ? "<th scope=\"row\">" : "<td>");
	}
}

static void
page_html_closing(struct page *page, enum page_block block)
{
	if (block == PAGE_CELL)
		output_plain(&page->output, !has_names(page) && page->column == 0 ? "</th>"
										  : "</td>");
	page->column += block == PAGE_CELL;
}

const struct page_writer page_html = {
	.name = "html",
	.ends = ".html",
	.tags = {
		[PAGE_SECTION] = { "<h2>", "</h2>\n", false },
		[PAGE_PART] = { "<h3>", "</h3>\n", false },
		[PAGE_LIST] = { "<ul>\n", "</ul>\n", false },
		[PAGE_ITEM] = { "<li>", "</li>\n", false },
		[PAGE_TERM] = { "<dfn class=\"value\" tabindex=\"0\">", "</dfn>", false },
		[PAGE_PARAGRAPH] = { "<p>", "</p>\n", false },
		[PAGE_TABLE] = { "", "</tbody>\n</table>\n", false },
		[PAGE_ROW] = { "<tr>", "</tr>\n", false },
		[PAGE_CELL] = { "", "", false },
		[PAGE_NUMBER] = { "<code>", "</code>", false },
		[PAGE_VALUE] = { "<span class=\"value\" tabindex=\"0\">", "</span>", false },
		[PAGE_EVIDENCE] = { "<span class=\"why\">", "</span>", false },
		[PAGE_CODE] = { "<pre>", "</pre>\n", false },
		[PAGE_LINE] = { "", "\n", false },
		[PAGE_DRAWING] = { "<div class=\"drawing\">\n", "</div>\n", false },
		[PAGE_FOLD] = { "<details>\n", "</details>\n", false },
		[PAGE_FOLD_TITLE] = { "<summary>", "</summary>\n", false },
		[PAGE_FOLD_BODY] = { "", "", false },
	},
	.scripts = true,
	.begin = page_html_begin,
	.end = page_html_end,
	.table = page_html_write_head,
	.opened = page_html_opened,
	.closing = page_html_closing,
	.text = page_html_write_text,
};
