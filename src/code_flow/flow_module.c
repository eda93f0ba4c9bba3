/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_flow/flow_module.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "debug_info/debug_info.h"
#include "debug_info/debug_pdb.h"
#include "frame_table/frame_tables.h"

/* Maximum number of bytes of a callee that are executed to find how many bytes it pops. */
#define CALLEE_BYTES 4096u

/* Functions that never return, from the libraries of C, of its compilers, of C++ and of Rust. */
static const char *const never[] = {
	"abort",
	"exit",
	"_exit",
	"_Exit",
	"quick_exit",
	"pthread_exit",
	"thrd_exit",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"__stack_chk_fail",
	"__stack_chk_fail_local",
	"__fortify_fail",
	"__chk_fail",
	"__assert_fail",
	"__assert",
	"__assert2",
	"__assert_rtn",
	"__assert_perror_fail",
	"__cxa_throw",
	"__cxa_rethrow",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_throw_bad_array_new_length",
	"__cxa_throw_bad_array_length",
	"__cxa_pure_virtual",
	"__cxa_deleted_virtual",
	"__cxa_call_unexpected",
	"__cxa_call_terminate",
	"_Unwind_Resume",
	"__clang_call_terminate",
	"_ZSt9terminatev",
	"_ZSt10unexpectedv",
	"err",
	"errx",
	"verr",
	"verrx",
	"rust_panic",
	"rust_begin_unwind",
	"_gfortran_stop_string",
	"_gfortran_runtime_error",
	"_gfortran_runtime_error_at",
	"_gfortran_os_error",
	"_gfortran_os_error_at",
	"_gfortran_error_stop_string",
	"__libc_fatal",
	"__libc_message",
};

/* Prefixes of names of functions that never return. */
static const char *const never_begins[] = { "_ZSt", "_ZN4core9panicking", "_ZN3std9panicking" };

static bool
never_returns(const char *name)
{
	const size_t length = strcspn(name, "@");

	for (size_t i = 0; i < ARRAY_COUNT(never); i++)
		if (strlen(never[i]) == length && memcmp(never[i], name, length) == 0)
			return true;
	/* std::__throw_...: _ZSt20__throw_length_errorPKc */
	if (strncmp(name, never_begins[0], 4) == 0)
		return strncmp(name + 4 + strspn(name + 4, "0123456789"), "__throw_", 8) == 0;
	return text_begins(text_of(name), never_begins + 1, ARRAY_COUNT(never_begins) - 1) > 0;
}

static const uint8_t *
bytes(void *context, uint64_t address, size_t *count)
{
	struct flow_module *module = context;
	const uint64_t at = module->crash->modules[module->number].base + address;
	struct binary_run *run = &module->run;

	if (!checked_contains(run->base, run->size, at) &&
		!binaries_run(module->binaries, at, run)) {
		struct reader rest = { 0 };

		run->size = 0;
		if (module->view != NULL)
			rest = memory_rest(module->view, at);
		*count = (size_t)rest.size;
		return rest.data;
	}
	*count = (size_t)(run->size - (at - run->base));
	return run->data + (at - run->base);
}

/* The frame table entry that covers an address; false: no table has an entry there. */
static bool
entry_around(const struct flow_module *module, uint64_t address, struct frame_extent *extent)
{
	for (unsigned i = 0; i < FRAME_TABLES; i++) {
		if (frame_tables_file(module->binaries, module->number, i) == NULL)
			continue;
		frame_tables_extent(module->binaries, module->number, i, address, extent);
		if (extent->entry)
			return true;
	}
	return false;
}

bool
flow_module_mode(struct flow_module *module, uint64_t address)
{
	return module->code.arch->mode_bit == 0 ||
		debug_info_halfwords(module->binaries, module->number, address,
			&module->code.halfwords);
}

/* The frame table row that begins at `address`, where a function may begin; NULL: none. */
static const struct unwind_row *
first_row(const struct flow_module *module, uint64_t address, struct arena *arena)
{
	const struct frame_table_question question = { .module = module->number,
		.relative = address,
		.exact = true,
		/* .ARM.exidx is valid only at calls. */
		.table = module->code.arch->arm_index ? FRAME_TABLE_DEBUG : FRAME_TABLES };
	const char *problem;

	const struct unwind_row *row =
		frame_tables_find(module->binaries, &question, arena, &problem);
	return row != NULL && row->first == address && !row->calls_only ? row : NULL;
}

bool
flow_module_is_padding(const struct flow_module *module, struct flow_function *function,
	uint64_t address)
{
	struct arena arena = { 0 };
	const struct unwind_row *row = first_row(module, address, &arena);
	const bool padding = row != NULL && flow_function_is_idle(function, address, row->last);

	arena_free(&arena);
	return padding;
}

bool
flow_module_is_entry(const struct flow_module *module, uint64_t address)
{
	const struct arch *arch = module->code.arch;
	struct arena arena = { 0 };
	const struct unwind_row *row = first_row(module, address, &arena);
	const struct claim called = claim_sum(arch, CLAIM_CFA, arch->sp,
		arch_pushes_return(arch) ? arch->word_size : 0, false);
	const char *cannot;

	const bool entry = row == NULL ||
		unwind_row_expression(row, arch, CLAIM_CFA, &arena, &cannot) == NULL ||
		(!unwind_row_outermost(row) && claim_equal(&row->claims[CLAIM_CFA], &called));
	arena_free(&arena);
	return entry;
}

struct wanted_name {
	const char *name;
	size_t length, count; /* `count`: functions of that name at other addresses */
	uint64_t address;
};

static void
compare_name(void *context, const char *name, uint64_t relative)
{
	struct wanted_name *wanted = context;

	if (strncmp(name, wanted->name, wanted->length) != 0 || name[wanted->length] != '\0' ||
		(wanted->count == 1 && wanted->address == relative))
		return;
	wanted->address = relative;
	wanted->count++;
}

/* Find the function of a cold part: `f` for "f.cold". False: none, or several have that name. */
static bool
whole_of(const struct flow_module *module, const char *name, uint64_t *start)
{
	const char *part = strstr(name, ".cold");
	struct wanted_name wanted = { .name = name, .length = (size_t)(part - name) };

	debug_info_functions(
		module->binaries, module->number, DEBUG_NAMES_TABLES, compare_name, &wanted);
	*start = wanted.address;
	return wanted.count == 1;
}

bool
flow_module_function(struct flow_module *module, uint64_t address, uint64_t *start, uint64_t *end)
{
	struct debug_answer answer;
	struct frame_extent extent;

	if (debug_info_find(module->binaries, module->number, address, NULL, &answer) &&
		answer.size != 0) {
		*start = answer.address;
		*end = answer.address + answer.size;
		if (answer.name == NULL || strstr(answer.name, ".cold") == NULL)
			return flow_module_is_entry(module, *start);
		if (!whole_of(module, answer.name, start) ||
			!debug_info_find(module->binaries, module->number, *start, NULL, &answer))
			return false;
		*end = answer.address + answer.size;
		return true;
	}
	if (!entry_around(module, address, &extent) || !flow_module_is_entry(module, extent.first))
		return false;
	*start = extent.first;
	*end = extent.last + 1;
	return true;
}

static bool
begins(void *context, uint64_t address)
{
	struct flow_module *module = context;
	struct debug_answer answer;
	struct frame_extent extent;

	return (entry_around(module, address, &extent) && extent.first == address) ||
		(debug_info_find(module->binaries, module->number, address, NULL, &answer) &&
			answer.address == address && answer.size != 0);
}

/* Maximum bytes of a prologue for hooks: `mov edi, edi; push ebp; mov ebp, esp`. */
#define HOOK_MOST 8u

/*
 * gcc can make a hookable function for 32-bit Windows (ms_hook_prologue, as in Wine). Its symbol is
 * before the prologue, but its .eh_frame entry begins after the prologue.
 */
static uint64_t
enters(void *context, uint64_t start)
{
	const struct flow_module *module = context;
	struct debug_answer answer;
	struct frame_extent extent;

	if (start > 0 && !entry_around(module, start - 1, &extent) &&
		debug_info_find(module->binaries, module->number, start - 1, NULL, &answer) &&
		!answer.stub && answer.address < start && start - answer.address <= HOOK_MOST)
		return answer.address;
	return start;
}

static struct flow_callee
may_return(void *context, uint64_t target)
{
	const struct flow_module *module = context;
	struct debug_answer answer;

	/* A name without a size may belong to a function before the target. */
	return (struct flow_callee){
		.stops = debug_info_find(
				 module->binaries, module->number, target, NULL, &answer) &&
			answer.address == target && answer.name != NULL &&
			never_returns(answer.name) };
}

/*
 * Bytes of arguments that a function of i386 pops when it returns; negative for prologue functions
 * of Windows that leave bytes on the stack (__security_push_cookie). False if its returns differ,
 * or none was found.
 */
static bool
pops_of(struct flow_module *module, uint64_t target, int32_t *pops)
{
	struct flow_code code = module->code;
	struct frame_extent extent;
	struct flow_point point;
	uint64_t end = target + CALLEE_BYTES;
	const bool pushed = arch_pushes_return(code.arch);
	bool first = true, same = false;

	*pops = 0;
	/* The function is run without its callees' effects, except whether they return. */
	code.callee = may_return;
	code.imported = NULL;
	code.caught = NULL;
	if (entry_around(module, target, &extent) && extent.first == target)
		end = extent.last + 1;
	struct flow_function *function = flow_function_create(&code);
	if (function == NULL)
		return false;
	flow_function_run(function, target, end);
	for (size_t i = 0; flow_function_point(function, i, &point); i++) {
		if (point.instruction->way != FLOW_RETURN || point.state == NULL)
			continue;
		const struct flow_value *sp = &point.state->registers[code.arch->sp];
		const int32_t here = pushed ? point.instruction->pops : sp->offset;
		const bool known = pushed || (sp->kind == FLOW_STACK && sp->base == 0);
		same = known && (first || (same && *pops == here));
		*pops = same ? here : 0;
		first = false;
	}
	flow_function_free(function);
	return same;
}

/*
 * Like pops_of(), but by the linker name of a function or of an import's slot. The code of an
 * import is in another module, whose file may be missing.
 */
static bool
pops_named(const struct flow_module *module, uint64_t address, int32_t *pops)
{
	const struct arch *arch = module->code.arch;

	return arch_pushes_return(arch) && arch->word_size == 4 && module->code.windows &&
		debug_pdb_pops(debug_info_pdb(module->binaries, module->number), address, pops);
}

static struct flow_callee
imported(void *context, uint64_t slot)
{
	struct flow_callee made = { .stops = false };

	made.settled = pops_named(context, slot, &made.pops);
	return made;
}

static struct flow_callee
callee(void *context, uint64_t target)
{
	struct flow_module *module = context;
	const struct arch *arch = module->code.arch;
	const struct flow_callee *known = hash_find(&module->callees, target, 0);

	if (known != NULL)
		return *known;
	struct flow_callee *made = arena_alloc(&module->arena, sizeof(*made));
	if (made == NULL)
		return (struct flow_callee){ .stops = false };
	*made = may_return(context, target);
	made->settled = made->stops ||
		(arch_pushes_return(arch) ? arch->word_size != 4 : !module->code.windows) ||
		pops_of(module, target, &made->pops) || pops_named(module, target, &made->pops);
	hash_put(&module->callees, target, 0, made);
	return *made;
}

static bool
caught(void *context, uint64_t back, uint64_t *pad, int32_t *dropped)
{
	struct flow_module *module = context;
	const struct binary *binary =
		frame_tables_file(module->binaries, module->number, FRAME_TABLE_EH);
	struct frame_extent extent = { .entry = false };
	uint64_t bytes;

	if (binary == NULL || back == 0)
		return false;
	const uint64_t linked = binary->linked_base, call = linked + back - 1;
	if (call < module->pads.first || call > module->pads.last) {
		frame_tables_extent(module->binaries, module->number, FRAME_TABLE_EH, back - 1,
				    &extent);
		if (!extent.entry)
			return false;
		landing_pads_free(&module->pads);
		landing_pads_read(&module->pads, binary, extent.offset);
	}
	if (!landing_pads_find(&module->pads, call, pad, &bytes))
		return false;
	*pad -= linked;
	*dropped = (int32_t)bytes;
	return bytes <= INT32_MAX;
}

void
flow_module_init(struct flow_module *module, const struct crash *crash, struct binaries *binaries,
	const struct memory_view *view, size_t number)
{
	const struct binary *binary = binaries_load(binaries, number, LOCATE_IMAGE);
	const bool hooks =
		binary != NULL && binary->format == BINARY_PE && binary->word_size == 4;

	*module = (struct flow_module){
		.crash = crash, .binaries = binaries, .view = view, .number = number
	};
	module->code = (struct flow_code){ .arch = crash->system.arch,
		.context = module,
		.bytes = bytes,
		.begins = begins,
		.enters = hooks ? enters : NULL,
		.callee = callee,
		.imported = imported,
		.caught = caught,
		.windows = crash->system.os == CRASH_OS_WINDOWS,
		.big_endian =
			binary != NULL ? binary->big_endian : view != NULL && view->big_endian,
		/* Without the file, code comes from the dump and has the process's addresses. */
		.linked = binary != NULL ? binary->linked_base : crash->modules[number].base };
}

static bool
spend(void *context)
{
	const struct flow_module *module = context;

	return binaries_run_code(module->binaries);
}

void
flow_module_bound(struct flow_module *module)
{
	module->code.spend = module->binaries != NULL ? spend : NULL;
}

static bool
spend_own(void *context)
{
	struct flow_module *module = context;
	const struct binary *binary;

	if (module->left > 0 && --module->left == 0 &&
		(binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE)) != NULL)
		binaries_report_limit(module->binaries, binary, "the code", "answers");
	return module->left > 0;
}

void
flow_module_bound_by_file(struct flow_module *module)
{
	const struct binary *binary =
		binaries_load(module->binaries, module->number, LOCATE_IMAGE);

	module->left = LIMIT_CODE_CHECKED + (binary != NULL ? binary->file.size : 0);
	module->code.spend = spend_own;
}

void
flow_module_free(struct flow_module *module)
{
	hash_free(&module->callees);
	landing_pads_free(&module->pads);
	arena_free(&module->arena);
}
