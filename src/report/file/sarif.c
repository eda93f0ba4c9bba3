/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/sarif.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"

static void
write_message(struct json *json, const char *key, const char *text)
{
	json_object(json, key);
	json_string(json, "text", text);
	json_object_end(json);
}

void
sarif_begin(struct json *json, const char *tool, const char *version)
{
	json_object(json, NULL);
	json_string(json, "$schema",
		    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
		    "sarif-schema-2.1.0.json");
	json_string(json, "version", "2.1.0");
	json_array(json, "runs");
	json_object(json, NULL);
	json_object(json, "tool");
	json_object(json, "driver");
	json_string(json, "name", tool);
	json_string(json, "version", version);
	json_array(json, "rules");
}

void
sarif_rule(struct json *json, const char *name, const char *wrong, const char *help,
	   const char *level)
{
	json_object(json, NULL);
	json_string(json, "id", name);
	write_message(json, "shortDescription", wrong);
	write_message(json, "help", help);
	json_object(json, "defaultConfiguration");
	json_string(json, "level", level);
	json_object_end(json);
	json_object_end(json);
}

void
sarif_results(struct json *json)
{
	json_array_end(json);
	json_object_end(json);
	json_object_end(json);
	json_string(json, "columnKind", "utf16CodeUnits");
	json_array(json, "results");
}

void
sarif_result(struct json *json, const char *name, size_t number, const char *level,
	     const char *text)
{
	json_object(json, NULL);
	json_string(json, "ruleId", name);
	json_number(json, "ruleIndex", number);
	json_string(json, "kind", "fail");
	json_string(json, "level", level);
	write_message(json, "message", text);
}

/*
 * The path without "..", because code scanners refuse "..". The path is relative if the file is
 * below the current directory, else absolute.
 */
static const char *
settled_path(const char *path, char buffer[PATH_MAX])
{
	char directory[PATH_MAX];

	if ((strncmp(path, "../", 3) != 0 && strstr(path, "/../") == NULL) ||
	    realpath(path, buffer) == NULL)
		return path;
	if (getcwd(directory, sizeof(directory)) == NULL)
		return buffer;
	const size_t length = strlen(directory);
	return strncmp(buffer, directory, length) == 0 && buffer[length] == '/'
		       ? buffer + length + 1 : buffer;
}

/* The base of relative paths. */
#define BASE "WORKINGDIRECTORY"

/* Writes a path as a URI. Reserved characters become %XX; a directory gets a final slash. */
static void
write_uri(struct json *json, const char *path, bool directory)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/";
	char uri[3 * 4096 + 16];
	size_t used = 0;

	if (path[0] == '/')
		used = (size_t)snprintf(uri, sizeof(uri), "file://");
	for (; *path != '\0' && used + 5 < sizeof(uri); path++)
		if (strchr(plain, *path) != NULL)
			uri[used++] = *path;
		else
			used += (size_t)snprintf(uri + used, 4, "%%%02X", (unsigned char)*path);
	if (directory && uri[used - 1] != '/')
		uri[used++] = '/';
	uri[used] = '\0';
	json_string(json, "uri", uri);
}

/* The column of a byte in UTF-16 units. A byte that is not UTF-8 counts as one unit. */
static uint64_t
utf16_column(struct text line, size_t bytes)
{
	uint64_t column = 1;

	for (size_t at = 0; at < bytes && at < line.length; column++) {
		uint32_t character = 0;
		const size_t length = text_decode(line.start + at, line.length - at, &character);

		at += length > 0 ? length : 1;
		column += character > 0xffff;
	}
	return bytes < line.length ? column : column + bytes - line.length;
}

/* Writes the lines and columns of a place, or its bytes if it has no line. */
static void
write_region(struct json *json, struct text line, struct place place)
{
	const size_t skip = place.column > 0 ? place.column - 1 : 0;
	size_t end = skip + place.length;

	if (line.start == NULL) {
		json_number(json, "byteOffset", place.offset);
		json_number(json, "byteLength", place.length);
		return;
	}
	if (end > line.length)
		end = line.length > skip ? line.length : skip;
	json_number(json, "startLine", place.line > 0 ? place.line : 1);
	json_number(json, "startColumn", utf16_column(line, skip));
	json_number(json, "endColumn", utf16_column(line, end));
}

/* Writes the name of a function, and its name in the file if the two differ. */
static void
write_function(struct json *json, struct text name, const struct policy *policy)
{
	struct arena arena = { 0 };
	const struct text shown = demangle_shown(policy, name, &arena);

	json_array(json, "logicalLocations");
	json_object(json, NULL);
	json_text(json, "fullyQualifiedName", shown);
	if (!text_equal(shown, name))
		json_text(json, "decoratedName", name);
	json_string(json, "kind", "function");
	json_object_end(json);
	json_array_end(json);
	arena_free(&arena);
}

void
sarif_location(struct json *json, const char *path, struct text line, struct place place,
	       struct text function, const struct policy *policy)
{
	char buffer[PATH_MAX];
	const char *settled = settled_path(path, buffer);

	json_object(json, NULL);
	json_object(json, "physicalLocation");
	json_object(json, "artifactLocation");
	write_uri(json, settled, false);
	if (settled[0] != '/')
		json_string(json, "uriBaseId", BASE);
	json_object_end(json);
	json_object(json, "region");
	write_region(json, line, place);
	json_object_end(json);
	json_object_end(json);
	if (function.length > 0)
		write_function(json, function, policy);
	json_object_end(json);
}

void
sarif_fingerprint(struct json *json, uint64_t fingerprint)
{
	char print[17];

	snprintf(print, sizeof(print), "%016" PRIx64, fingerprint);
	json_object(json, "partialFingerprints");
	json_string(json, "unspool/v1", print);
	json_object_end(json);
}

void
sarif_end(struct json *json, bool successful, const char *directory, int status, bool complete)
{
	json_array_end(json);
	json_array(json, "invocations");
	json_object(json, NULL);
	json_bool(json, "executionSuccessful", successful);
	json_signed(json, "exitCode", status);
	json_object(json, "workingDirectory");
	write_uri(json, directory, true);
	json_object_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object(json, "originalUriBaseIds");
	json_object(json, BASE);
	write_uri(json, directory, true);
	json_object_end(json);
	json_object_end(json);
	json_object(json, "properties");
	json_bool(json, "complete", complete);
	json_object_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
}
