/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCESS_VIOLATION 0xc0000005u
#define IN_PAGE_ERROR 0xc0000006u
#define STACK_BUFFER_OVERRUN 0xc0000409u

static const struct reason_name codes[] = {
	{ 0x40010005, "DBG_CONTROL_C" },
	{ 0x80000001, "EXCEPTION_GUARD_PAGE" },
	{ 0x80000002, "EXCEPTION_DATATYPE_MISALIGNMENT" },
	{ 0x80000003, "EXCEPTION_BREAKPOINT" },
	{ 0x80000004, "EXCEPTION_SINGLE_STEP" },
	{ 0xc0000005, "EXCEPTION_ACCESS_VIOLATION" },
	{ 0xc0000006, "EXCEPTION_IN_PAGE_ERROR" },
	{ 0xc0000008, "EXCEPTION_INVALID_HANDLE" },
	{ 0xc000001d, "EXCEPTION_ILLEGAL_INSTRUCTION" },
	{ 0xc0000025, "EXCEPTION_NONCONTINUABLE_EXCEPTION" },
	{ 0xc0000026, "EXCEPTION_INVALID_DISPOSITION" },
	{ 0xc000008c, "EXCEPTION_BOUNDS_EXCEEDED" },
	{ 0xc000008d, "EXCEPTION_FLT_DENORMAL_OPERAND" },
	{ 0xc000008e, "EXCEPTION_FLT_DIVIDE_BY_ZERO" },
	{ 0xc000008f, "EXCEPTION_FLT_INEXACT_RESULT" },
	{ 0xc0000090, "EXCEPTION_FLT_INVALID_OPERATION" },
	{ 0xc0000091, "EXCEPTION_FLT_OVERFLOW" },
	{ 0xc0000092, "EXCEPTION_FLT_STACK_CHECK" },
	{ 0xc0000093, "EXCEPTION_FLT_UNDERFLOW" },
	{ 0xc0000094, "EXCEPTION_INT_DIVIDE_BY_ZERO" },
	{ 0xc0000095, "EXCEPTION_INT_OVERFLOW" },
	{ 0xc0000096, "EXCEPTION_PRIV_INSTRUCTION" },
	{ 0xc00000fd, "EXCEPTION_STACK_OVERFLOW" },
	{ 0xc00000ff, "EXCEPTION_BAD_FUNCTION_TABLE" },
	{ 0xc0000194, "EXCEPTION_POSSIBLE_DEADLOCK" },
	{ 0xc0000374, "EXCEPTION_HEAP_CORRUPTION" },
	{ 0xc0000409, "EXCEPTION_STACK_BUFFER_OVERRUN" },
	{ 0xe0000008, "Out of Memory" },
	{ 0xe06d7363, "Unhandled C++ Exception" },
	{ 0x0517a7ed, "Simulated Exception" },
};

/* What an access violation or in-page error tried (its first parameter). */
static const struct reason_name accesses[] = { { 0, "_READ" }, { 1, "_WRITE" }, { 8, "_EXEC" } };

/* Names that others give to codes that Breakpad prints as numbers. */
static const struct reason_name more_codes[] = {
	{ 0x406d1388, "a debugger's thread naming (MS_VC_EXCEPTION)" },
	{ 0xe0434352, "a .NET exception" },
	{ 0xe0434f4d, "a .NET exception before version 4" },
};

/* winnt.h, FAST_FAIL_...; Breakpad skips code 0. */
static const char *const fast_fails[] = {
	NULL,
	"VTGUARD_CHECK_FAILURE",
	"STACK_COOKIE_CHECK_FAILURE",
	"CORRUPT_LIST_ENTRY",
	"INCORRECT_STACK",
	"INVALID_ARG",
	"GS_COOKIE_INIT",
	"FATAL_APP_EXIT",
	"RANGE_CHECK_FAILURE",
	"UNSAFE_REGISTRY_ACCESS",
	"GUARD_ICALL_CHECK_FAILURE",
	"GUARD_WRITE_CHECK_FAILURE",
	"INVALID_FIBER_SWITCH",
	"INVALID_SET_OF_CONTEXT",
	"INVALID_REFERENCE_COUNT",
	NULL,
	NULL,
	NULL,
	"INVALID_JUMP_BUFFER",
	"MRDATA_MODIFIED",
	"CERTIFICATION_FAILURE",
	"INVALID_EXCEPTION_CHAIN",
	"CRYPTO_LIBRARY",
	"INVALID_CALL_IN_DLL_CALLOUT",
	"INVALID_IMAGE_BASE",
	"DLOAD_PROTECTION_FAILURE",
	"UNSAFE_EXTENSION_CALL",
	"DEPRECATED_SERVICE_INVOKED",
	"INVALID_BUFFER_ACCESS",
	"INVALID_BALANCED_TREE",
	"INVALID_NEXT_THREAD",
	"GUARD_ICALL_CHECK_SUPPRESSED",
	"APCS_DISABLED",
	"INVALID_IDLE_STATE",
	"MRDATA_PROTECTION_FAILURE",
	"UNEXPECTED_HEAP_EXCEPTION",
	"INVALID_LOCK_STATE",
	"GUARD_JUMPTABLE",
	"INVALID_LONGJUMP_TARGET",
	"INVALID_DISPATCH_CONTEXT",
	"INVALID_THREAD",
	"INVALID_SYSCALL_NUMBER",
	"INVALID_FILE_OPERATION",
	"LPAC_ACCESS_DENIED",
	"GUARD_SS_FAILURE",
	"LOADER_CONTINUITY_FAILURE",
	"GUARD_EXPORT_SUPPRESSION_FAILURE",
	"INVALID_CONTROL_STACK",
	"SET_CONTEXT_DENIED",
	"INVALID_IAT",
	"HEAP_METADATA_CORRUPTION",
	"PAYLOAD_RESTRICTION_VIOLATION",
	"LOW_LABEL_ACCESS_DENIED",
	"ENCLAVE_CALL_FAILURE",
	"UNHANDLED_LSS_EXCEPTON",
	"ADMINLESS_ACCESS_DENIED",
	"UNEXPECTED_CALL",
	"CONTROL_INVALID_RETURN_ADDRESS",
	"UNEXPECTED_HOST_BEHAVIOR",
	"FLAGS_CORRUPTION",
	"VEH_CORRUPTION",
	"ETW_CORRUPTION",
	"RIO_ABORT",
	"INVALID_PFN",
	"GUARD_ICALL_CHECK_FAILURE_XFG",
	"CAST_GUARD",
	"HOST_VISIBILITY_CHANGE",
	"KERNEL_CET_SHADOW_STACK_ASSIST",
	"PATCH_CALLBACK_FAILED",
	"NTDLL_PATCH_FAILED",
	"INVALID_FLS_DATA",
};

/* Sorted by status, for bisection. */
static const struct reason_name statuses[] = {
#define S(value, name) { value, "STATUS_" #name },
#define N(value, name) { value, #name },
#include "dump/ntstatus.def"
#include "dump/ntstatus_facilities.def"
#undef S
#undef N
};

static int
compare_status(const void *left, const void *right)
{
	const struct reason_name *a = left, *b = right;

	return a->value < b->value ? -1 : a->value > b->value;
}

const char *
reason_ntstatus(uint32_t status)
{
	const struct reason_name key = { .value = status };
	const struct reason_name *found = bsearch(&key, statuses, ARRAY_COUNT(statuses),
						  sizeof(key), compare_status);

	return found != NULL ? found->name : NULL;
}

static void
name_access(const struct crash_exception *exception, struct reason *reason)
{
	size_t used = 0;

	while (reason->text[used] != '\0')
		used++;
	if (exception->parameter_count >= 1) {
		/* Breakpad compares the low half alone. */
		const char *access = reason_name(accesses, ARRAY_COUNT(accesses),
						 (uint32_t)exception->parameters[0]);

		used += (size_t)snprintf(reason->text + used, sizeof(reason->text) - used, "%s",
					 access != NULL ? access : "");
	}
	if (exception->parameter_count >= 2)
		reason->address = exception->parameters[1];
	if (exception->code == ACCESS_VIOLATION && exception->parameter_count >= 2 &&
	    exception->parameters[1] == UINT64_MAX)
		reason_note(reason, "an access to a non-canonical address is reported as one to "
			    "the highest address");
	if (exception->code != IN_PAGE_ERROR || exception->parameter_count < 3)
		return;
	uint32_t status = (uint32_t)exception->parameters[2];
	const char *name = reason_ntstatus(status);
	if (name != NULL)
		snprintf(reason->text + used, sizeof(reason->text) - used, " / %s", name);
	else
		snprintf(reason->text + used, sizeof(reason->text) - used, " / 0x%08" PRIx32,
			 status);
}

static void
name_fast_fail(const struct crash_exception *exception, struct reason *reason)
{
	uint32_t code = (uint32_t)exception->parameters[0];

	if (exception->parameter_count == 0)
		return;
	if (code < ARRAY_COUNT(fast_fails) && fast_fails[code] != NULL) {
		snprintf(reason->text, sizeof(reason->text), "FAST_FAIL_%s", fast_fails[code]);
		reason_note(reason, "EXCEPTION_STACK_BUFFER_OVERRUN is how __fastfail ends a "
			    "process; no buffer need have overrun");
	} else if (code == 0) {
		reason_note(reason, "a stack cookie was overwritten "
			    "(FAST_FAIL_LEGACY_GS_VIOLATION)");
	}
}

void
reason_windows(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;
	const char *name = reason_name(codes, ARRAY_COUNT(codes), exception->code);

	if (name == NULL) {
		name = reason_name(more_codes, ARRAY_COUNT(more_codes), exception->code);
		if (name == NULL)
			name = reason_ntstatus(exception->code);
		if (name != NULL)
			reason_note(reason, "the code is %s", name);
		return;
	}
	snprintf(reason->text, sizeof(reason->text), "%s", name);
	if (exception->code == ACCESS_VIOLATION || exception->code == IN_PAGE_ERROR)
		name_access(exception, reason);
	else if (exception->code == STACK_BUFFER_OVERRUN)
		name_fast_fail(exception, reason);
}
