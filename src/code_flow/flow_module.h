/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_MODULE_H
#define CODE_FLOW_FLOW_MODULE_H

#include "base/hash.h"
#include "code_flow/flow_function.h"
#include "crash/memory.h"
#include "frame_table/landing_pads.h"
#include "locate/binaries.h"

/**
 * The code of a module of a crash. Its bytes come from its file or, without a file, from the dump.
 * The names in the module's files show where functions begin and which functions never return.
 */
struct flow_module {
	struct flow_code code; /* for flow_function_create */
	const struct crash *crash;
	struct binaries *binaries; /* NULL: no files */
	const struct memory_view *view; /* NULL: no bytes of the dump */
	size_t number; /* index of the module in the crash */
	struct binary_run run; /* bytes of the last read */
	struct landing_pads pads; /* landing pads of the .eh_frame entry read last */
	struct arena arena;
	struct hash callees;
	uint64_t left; /* instructions that flow_module_bound_by_file() still allows */
};

/** Initialize without reading anything. The arguments must outlive the module. */
void
flow_module_init(struct flow_module *module, const struct crash *crash, struct binaries *binaries,
	const struct memory_view *view, size_t number);

void
flow_module_free(struct flow_module *module);

/** Charge the module's instructions to the common limit for all walks (binaries_run_code()). */
void
flow_module_bound(struct flow_module *module);

/** Limit the module's instructions by the size of its file (LIMIT_CODE_CHECKED). */
void
flow_module_bound_by_file(struct flow_module *module);

/**
 * Find the function around an address. If the address is in a cold part, find the function that
 * the part belongs to. The range comes from a name with a size, else from a frame table entry.
 * False if there is neither, or if the entry covers only a part of a function.
 */
bool
flow_module_function(struct flow_module *module, uint64_t address, uint64_t *start, uint64_t *end);

/**
 * Set the instruction set from the symbol of the function that begins at an address. False: the
 * processor has several instruction sets, and no symbol shows which one the function uses.
 */
bool
flow_module_mode(struct flow_module *module, uint64_t address);

/**
 * Whether calls may lead to the function or part that begins at an address: true unless the first
 * row in a frame table contradicts it. The first rows of a cold part and of a function differ.
 */
bool
flow_module_is_entry(const struct flow_module *module, uint64_t address);

/**
 * Whether the first row of an entry that begins at an address covers only padding. Such an entry
 * belongs to a part of a function.
 */
bool
flow_module_is_padding(const struct flow_module *module, struct flow_function *function,
	uint64_t address);

#endif
