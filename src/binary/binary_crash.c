/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "binary/binary.h"

/* The identifier of a PE file is its timestamp, of eight digits, and the size of its image. */
#define TIMESTAMP_DIGITS 8

static void
identify_pe(const struct binary *binary, struct module *module)
{
	const unsigned long long id = strtoull(binary->id, NULL, 16);
	size_t digits = 0;

	while (binary->id[digits] != '\0')
		digits++;
	if (digits <= TIMESTAMP_DIGITS)
		return;
	module->size = strtoul(binary->id + TIMESTAMP_DIGITS, NULL, 16);
	module->timestamp = (uint32_t)(id >> 4 * (digits - TIMESTAMP_DIGITS));
}

bool
binary_as_crash(const struct binary *binary, const char *path, struct crash *crash)
{
	*crash = (struct crash){ .format = "file", .requesting_thread = -1, .dump_count = 1 };
	arena_init(&crash->arena, 0);
	message_list_init(&crash->messages, &crash->arena);
	crash->modules = arena_alloc(&crash->arena, sizeof(*crash->modules));
	char *debug_id = arena_alloc(&crash->arena, BINARY_DEBUG_ID);
	if (crash->modules == NULL || debug_id == NULL) {
		crash_free(crash);
		return false;
	}
	binary_debug_id(binary, debug_id);
	crash->system = (struct crash_system){
		.os = binary->format == BINARY_PE ? CRASH_OS_WINDOWS : CRASH_OS_LINUX,
		.os_name = "", .os_version = "", .arch = binary_arch(binary), .cpu_name = "",
		.cpu_info = "" };
	crash->module_count = 1;
	crash->modules[0] = (struct module){
		.base = binary->linked_base, .size = UINT64_MAX - binary->linked_base,
		.code_file = path, .code_id = binary->id, .debug_file = path,
		.debug_id = debug_id, .version = "" };
	if (binary->format == BINARY_PE)
		identify_pe(binary, &crash->modules[0]);
	return true;
}
