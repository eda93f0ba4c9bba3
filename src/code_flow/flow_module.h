/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CODE_FLOW_FLOW_MODULE_H
#define CODE_FLOW_FLOW_MODULE_H

#include "base/hash.h"
#include "code_flow/flow_function.h"
#include "crash/memory.h"
#include "frame_table/landing_pads.h"
#include "locate/binaries.h"

/**
 * The code of a module of a crash: its bytes are those of its file, else of the dump, and the names
 * that its files have tell where functions begin and which of them never return.
 */
struct flow_module {
	struct flow_code code; /* for flow_function_create */
	const struct crash *crash;
	struct binaries *binaries; /* NULL: there are no files */
	const struct memory_view *view; /* NULL: no bytes of the dump */
	size_t number; /* the module's number in the crash */
	struct binary_run run; /* the last one that was read */
	struct landing_pads pads; /* landing pads of the .eh_frame entry used last */
	struct arena arena;
	struct hash callees;
};

/** Nothing is read yet. What is given outlives the module. */
void
flow_module_init(struct flow_module *module, const struct crash *crash, struct binaries *binaries,
	const struct memory_view *view, size_t number);

void
flow_module_free(struct flow_module *module);

/** Let its instructions be paid for by what walks may run of all modules (binaries_run_code()). */
void
flow_module_bound(struct flow_module *module);

/**
 * The function around an address of the module, from where calls lead to: by a name with a size,
 * else by an entry of a frame table. False where neither has it, or only a part of a function.
 */
bool
flow_module_function(struct flow_module *module, uint64_t address, uint64_t *start, uint64_t *end);

/**
 * Take the instruction set of the function that begins at an address, by its symbol; false: the
 * processor has several, and none tells.
 */
bool
flow_module_mode(struct flow_module *module, uint64_t address);

/**
 * Whether calls may lead to where a function or a part of one begins: no frame table says
 * otherwise. The first row of a cold part is not that of a call.
 */
bool
flow_module_is_entry(const struct flow_module *module, uint64_t address);

/**
 * Whether the first row of an entry that begins at an address is for padding alone: a part of a
 * function, whose first row would be another one without it.
 */
bool
flow_module_is_padding(const struct flow_module *module, struct flow_function *function,
	uint64_t address);

#endif
