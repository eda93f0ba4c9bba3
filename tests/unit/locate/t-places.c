/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"
#include "locate/locate.h"

#include "tests/unit/binary/folder.h"

/* Reports about the places where modules' files were searched. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define REST "23456789abcdef1032547698badcfea0b1c2d3"
#define OTHER_ID "ff23456789abcdef1032547698badcfea0b1c2d3"

static char told[8192];

/* "KIND OUTCOME PATH: WHY" of each place, with paths relative to the test's folder. */
static void
tell(void *context, const struct locate_place *place)
{
	static const char *const outcomes[] = {
		[LOCATE_NOT_THERE] = "absent", [LOCATE_REFUSED] = "refused",
		[LOCATE_ASIDE] = "aside", [LOCATE_USED] = "used",
	};
	static const char *const kinds[] = { "image", "debug", "mini", "supplement" };
	const size_t at = strlen(told), skip = strlen(root) + 1;
	const bool below = strncmp(place->path, root, skip - 1) == 0;

	(void)context;
	snprintf(told + at, sizeof(told) - at, "%s %s %s%s%s\n", kinds[place->kind],
		 outcomes[place->outcome], place->path + (below ? skip : 0),
		 place->why != NULL ? ": " : "", place->why != NULL ? place->why : "");
}

static const char *
places(const struct binaries *binaries)
{
	told[0] = '\0';
	is_u64(binaries_places(binaries, 0, tell, NULL), 0, "no place is missed");
	return told;
}

/* The report about the search for an executable in one folder. */
static const char *
image_places(struct crash *crash, const char *folder)
{
	const char *path = path_in(folder);
	struct binaries *binaries = binaries_create(crash, &path, 1);

	binaries_load(binaries, 0, LOCATE_IMAGE);
	const char *text = places(binaries);
	binaries_free(binaries);
	return text;
}

TEST(order)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("order");

	mkdir(path, 0700);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	is_str(places(binaries), "", "files that were not requested have no places");
	ok(!binaries_looked(binaries, 0, LOCATE_IMAGE), "files that were not requested are not marked as searched");
	binaries_load(binaries, 0, LOCATE_SUPPLEMENT);
	ok(binaries_looked(binaries, 0, LOCATE_IMAGE), "a requested file is marked as searched");
	is_str(places(binaries), "image absent order/.build-id/01/" REST "\n"
	       "image absent order/" ID "/executable\n"
	       "image absent order/prog/elf-buildid-" ID "/prog\n"
	       "image absent order/usr/bin/prog\n"
	       "image absent order/prog\n"
	       "debug absent order/.build-id/01/" REST ".debug\n"
	       "debug absent order/" ID "/debuginfo\n"
	       "debug absent order/_.debug/elf-buildid-sym-" ID "/_.debug\n"
	       "debug absent order/usr/bin/prog.debug\n"
	       "debug absent order/prog.debug\n",
	       "every place is reported in the order of the search");
	binaries_free(binaries);
	is_u64(binaries_places(NULL, 0, tell, NULL), 0, "no files, no places");
}

/* An ELF file for a machine; no build ID if `id` is 0 bytes long. */
static void
put_machine(const char *name, uint16_t machine, unsigned id)
{
	static const uint8_t bytes[] = { 0xaa, 0xbb, 0xcc, 0xdd };
	struct image image;

	image_elf(&image, true, false, machine, bytes, id, false);
	put_bytes(name, image.bytes, image.size);
}

TEST(refused)
{
	struct module module = module_of("prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);

	crash.system.arch = arch_by_id(ARCH_AMD64);
	put_elf("ra/prog", OTHER_ID, 1, false);
	ok(strstr(image_places(&crash, "ra"),
		  "image refused ra/prog: another build, an ELF file: expected id " ID
		  ", found " OTHER_ID "\n") != NULL, "another build, with both ids");
	put_machine("rb/prog", 183, 4);
	ok(strstr(image_places(&crash, "rb"),
		  "image refused rb/prog: another build, an ELF file for arm64: expected id " ID
		  ", found aabbccdd\n") != NULL, "of another machine, too");
	put_bytes("rc/prog", "#!/bin/sh\n", 10);
	ok(strstr(image_places(&crash, "rc"),
		  "image refused rc/prog: not an ELF file, Mach-O file, PE file or PDB\n") != NULL,
	   "a script");
	put_bytes("rd/prog/x", "", 0);
	ok(strstr(image_places(&crash, "rd"),
		  "image absent rd/prog: a directory has this name\n") != NULL, "a directory");
	mkdir(path_in("re"), 0700);
	ok(symlink("prog", path_in("re/prog")) == 0 && strstr(image_places(&crash, "re"),
		  "image refused re/prog: Too many levels of symbolic links\n") != NULL,
	   "a link that leads to itself");
	mkdir(path_in("rf"), 0700);
	ok(mkfifo(path_in("rf/prog"), 0600) == 0 && strstr(image_places(&crash, "rf"),
		  "image refused rf/prog: not a regular file\n") != NULL,
	   "a pipe, which is not waited for");
	mkdir(path_in("ri"), 0700);
	ok(symlink("/proc/self/status", path_in("ri/prog")) == 0 &&
	   (access("/proc/self/status", F_OK) != 0 ||
	    strstr(image_places(&crash, "ri"), "image refused ri/prog: a system file\n") != NULL),
	   "a file of a process");
	is_str(image_places(&crash, "rx"), "image refused rx: No such file or directory\n",
	       "a missing directory is one place");
	is_str(image_places(&crash, "rc/prog"),
	       "image refused rc/prog: not an ELF file, Mach-O file, PE file or PDB\n",
	       "so is a file that was given and can't be used");
	put_bytes("rg/other", "text", 4);
	is_str(image_places(&crash, "rg/other"), "", "a file that is named like no module is not reported");

	module.code_id = "";
	put_machine("rh/prog", 183, 4);
	ok(strstr(image_places(&crash, "rh"),
		  "image refused rh/prog: an ELF file for arm64, expected one for amd64\n") !=
	   NULL, "where the dump has no id a file of another machine is no good");
}

TEST(files)
{
	struct module module = module_of("prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *paths[] = { path_in("fa"), path_in("fb/prog") };

	put_elf("fa/prog", ID, 1, true);
	put_elf("fb/prog", ID, 1, false);
	struct binaries *binaries = binaries_create(&crash, paths, 2);
	binaries_load(binaries, 0, LOCATE_IMAGE);
	const char *text = places(binaries);
	ok(strstr(text, "image aside fa/prog\nimage used fb/prog\n") != NULL,
	   "a program without its code is kept aside, and one with it is used");
	binaries_free(binaries);
}

/* The bytes of the executable that the dump has: they are one more place, after all files. */
TEST(in_dump)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("dump");
	struct image image;

	mkdir(path, 0700);
	image_elf(&image, true, false, 62, (const uint8_t *)"\x01\x23", 2, false);
	struct memory_run run = { BASE, image.size, image.bytes, NULL };
	crash.runs = &run;
	for (crash.run_count = 0; crash.run_count < 2; crash.run_count++) {
		struct binaries *binaries = binaries_create(&crash, &path, 1);

		binaries_set(binaries, BINARIES_MEMORY);
		const bool found = binaries_load(binaries, 0, LOCATE_IMAGE) != NULL;
		const char *text = places(binaries);
		ok(found == (crash.run_count == 1) &&
		   (strstr(text, "image absent dump/prog\nimage used prog (in the dump)\n") != NULL) ==
			   found,
		   "the image that the dump %s a place", found ? "has is" : "lacks is not");
		binaries_free(binaries);
	}
}

/* 64 places for each of 8192 modules, with reasons, exceed the size of the record. */
TEST(full)
{
	enum { COUNT = 8192 };
	static struct module modules[COUNT];
	struct crash crash = { .system.os = CRASH_OS_LINUX, .modules = modules,
			       .module_count = COUNT };
	const char *path = path_in("full/prog");
	size_t missed = 0;

	put_bytes("full/prog", "text", 4);
	const char *paths[64];
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
		paths[i] = path;
	for (size_t i = 0; i < COUNT; i++)
		modules[i] = module_of("prog", ID, "");
	struct binaries *binaries = binaries_create(&crash, paths, ARRAY_COUNT(paths));
	for (size_t i = 0; i < COUNT; i++) {
		binaries_load(binaries, i, LOCATE_IMAGE);
		missed += binaries_places(binaries, i, tell, (told[0] = '\0', NULL));
	}
	ok(missed > 0, "a record that is full says how much it lacks");
	binaries_free(binaries);
}

FOLDER_MAIN
