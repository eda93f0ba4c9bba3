/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/pdb/kiosk.h"
#include "tests/lib/msf_image.h"

/* The number of the stream /LinkInfo, which is empty. */
#define LINK_INFO 5

/* The maps are those of the specifications: dotnet/designs, and the Debugging Tools for Windows. */

static const char link_text[] =
	"{ \"documents\": { \"C:\\\\src\\\\CodeFormatter\\\\*\": \"https://host/one/*?raw=1\",\n"
	"\"C:\\\\src\\\\*\": \"http://host/two/*\", \"/home/a.c\": \"https:\\/\\/host/\\u0061.c\",\n"
	"\"/home/a.c*\": \"https://host/other/*\", \"D:\\\\*\": \"file:///etc/*\" }, \"more\": [] }";

static const char server_text[] = "SRCSRV: ini ------------------------------------------------\r\nVERSION=2\r\n"
	"SRCSRV: variables ------------------------------------------\r\n"
	"SERVER=https://host/%fnvar%(%var2%)\r\nREPO=repo\r\n"
	"SRCSRVTRG=%server%/raw/%var4%/%var3%\r\nLOOP=%loop%\r\n"
	"SRCSRV: source files ---------------------------------------\r\n"
	"c:\\build\\src\\a.c*REPO*src/a.c*1f2e\r\nc:\\build\\b.c*LOOP*b.c*1\r\n"
	"SRCSRV: end ------------------------------------------------\r\n";

static const char tool_text[] = "SRCSRV: variables ---\nSRCSRVTRG=%targ%\\%fnbksl%(%var2%)\\%fnfile%(%var1%)\n"
	"SRCSRV: source files ---\nc:\\a.c*depot/a.c\nSRCSRV: end ---\n";

static const char slash_text[] = "SRCSRV: variables ---\nSRCSRVTRG=https://host/%fnbksl%(%var2%)/%fnfile%(%var1%)\n"
	"SRCSRV: source files ---\nc:\\x\\a.c*depot\nSRCSRV: end ---\n";

/* The PDB of the kiosk with a stream of a source server in place of /LinkInfo. */
TEST(stream)
{
	struct file file = { 0 };
	struct msf_image image;
	struct arena arena = { 0 };
	struct pdb *pdb = NULL;

	if (!open_kiosk(&file, &pdb))
		return;
	msf_image_read(&image, &pdb->msf);
	pdb_close(pdb);
	file_close(&file);
	uint8_t *name = memmem(image.streams[1], image.sizes[1], "/LinkInfo", 10);
	memcpy(name, "srcsrv", 7);
	free(image.streams[LINK_INFO]);
	image.sizes[LINK_INFO] = sizeof(server_text) - 1;
	image.streams[LINK_INFO] = (uint8_t *)strndup(server_text, sizeof(server_text) - 1);
	uint8_t *bytes = msf_image_write(&image, &file.size);
	file = (struct file){ .data = bytes, .size = file.size, .input.name = "kiosk.pdb" };
	ok(pdb_open(&pdb, &file, NULL) == ERROR_NONE, "a PDB with a stream srcsrv is opened");
	is_str(pdb_source_url(pdb, text_of("C:/build/src/a.c"), &arena),
	       "https://host/repo/raw/1f2e/src/a.c", "the stream of a PDB is read");
	pdb_close(pdb);
	free(bytes);
	msf_image_free(&image);
	arena_free(&arena);
}

int
main(void)
{
	static const struct {
		const char *path, *url;
	} links[] = {
		{ "C:\\src\\CodeFormatter\\x\\a b.c", "https://host/one/x/a%20b.c?raw=1" },
		{ "c:/SRC/codeformatter/a.c", "https://host/one/a.c?raw=1" }, { "C:\\src\\..\\%2e.c", "http://host/two/../%252e.c" },
		{ "/home/a.c", "https://host/a.c" }, { "/home/a.cc", "https://host/other/c" }, { "D:\\shadow", NULL }, { "", NULL },
	}, servers[] = {
		{ "C:\\build\\src\\a.c", "https://host/repo/raw/1f2e/src/a.c" },
		{ "c:\\build\\src\\a", NULL }, { "c:\\build\\b.c", NULL }, { "", NULL }, { "REPO=repo", NULL },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(links); i++)
		is_str(pdb_source_link(text_of(link_text), text_of(links[i].path), &arena),
		       links[i].url, "SourceLink: the URL of each path");
	for (size_t i = 0; i < ARRAY_COUNT(servers); i++)
		is_str(pdb_source_server(text_of(server_text), text_of(servers[i].path), &arena),
		       servers[i].url, "srcsrv: the URL of each path");
	is_str(pdb_source_server(text_of(tool_text), text_of("c:\\a.c"), &arena), NULL, "a target of another tool is no URL");
	is_str(pdb_source_server(text_of(slash_text), text_of("c:\\x\\a.c"), &arena),
	       "https://host/depot/a.c", "functions of variables keep other characters");
	for (size_t length = 0; length < strlen(link_text); length++)
		pdb_source_link((struct text){ link_text, length }, text_of("C:\\src\\x"), &arena);
	for (size_t length = 0; length < strlen(server_text); length++)
		pdb_source_server((struct text){ server_text, length }, text_of("c:\\build\\b.c"), &arena);
	arena_free(&arena);
	run_tests();
	return done_testing();
}
