/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line that names a crash: Socorro's rules (socorro/signature), applied by hand.
 */
#include "analysis/analysis.h"
#include "tests/unit/walk/scene.h"

#define NAMES 4

static const struct example {
	const char *title;
	const char *names[NAMES];	/* of the functions on the stack, the youngest first */
	const char *key, *value;	/* of an annotation */
	const char *signature;
} examples[] = {
	{ "the first function", { "app::run(int)", "main" }, NULL, NULL, "app::run" },
	{ "helpers and who called them", { "memcpy", "copy_rows(Table const&)", "main" }, NULL,
	  NULL, "memcpy | copy_rows" },
	{ "two helpers", { "raise", "abort", "give_up()", "main" }, NULL, NULL,
	  "raise | abort | give_up" },
	{ "messengers left out", { "__libc_message", "abort", "core::panicking::panic", "app" },
	  NULL, NULL, "abort | app" },
	{ "template arguments left out",
	  { "mine::Thing<std::pair<int, char (*)(long)> >::operator()(int) const", "main" }, NULL,
	  NULL, "mine::Thing<T>::operator()" },
	{ "operators with brackets", { "mine::operator<< <char>(std::ostream&)", "main" }, NULL,
	  NULL, "mine::operator<< <T>" },
	{ "functions that return pointers to members", { "f<&A::operator->>(int)", "main" }, NULL,
	  NULL, "f<T>" },
	{ "namespaces without a name", { "(anonymous namespace)::f(int)", "main" }, NULL, NULL,
	  "(anonymous namespace)::f" },
	{ "the hashes of Rust",
	  { "core::panicking::panic::h0123456789abcdef", "app::run::h0123456789abcdef", "main" },
	  NULL, NULL, "app::run" },
	{ "a sentinel, wherever it is", { "f()", "_purecall", "Widget::draw()", "main" }, NULL,
	  NULL, "_purecall | Widget::draw" },
	{ "helpers alone", { "__libc_message", "__libc_fatal" }, NULL, NULL, "__libc_message" },
	{ "little memory that was not there", { "app::run()", "main" }, "OOMAllocationSize", "1024",
	  "OOM | small" },
	{ "much memory that was not there", { "app::run()", "main" }, "OOMAllocationSize",
	  "1000000", "OOM | large | app::run" },
	{ "memory that a function missed", { "mozalloc_handle_oom", "app::run()", "main" }, NULL,
	  NULL, "OOM | unknown | app::run" },
	{ "the words of an abort", { "app::run()", "main" }, "AbortMessage", "told you\nso",
	  "Abort | told you | app::run" },
};

static const struct example *current;

static void
add_annotation(struct synth *synth)
{
	synth_exception(synth, 1, 11, 1, 0x900000);
	if (current->key != NULL)
		synth_crashpad(synth, -1, current->key, current->value);
}

static void
test_examples(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
		char symbols[1000], memory[200] = "";
		struct staged staged;
		size_t used, words = 0;

		current = &examples[i];
		used = (size_t)snprintf(symbols, sizeof(symbols), "STACK CFI INIT 1000 1000 "
					".cfa: $rsp 8 + .ra: .cfa 8 - ^\n");
		for (size_t n = 0; n < NAMES && current->names[n] != NULL; n++) {
			used += (size_t)snprintf(symbols + used, sizeof(symbols) - used,
						 "FUNC %zx 100 0 %s\n", 0x1000 + n * 0x100,
						 current->names[n]);
			if (n > 0)
				words += (size_t)snprintf(memory + words, sizeof(memory) - words,
							  "%zx=%zx ", 0x8000 + (n - 1) * 8,
							  0x401010 + n * 0x100);
		}
		const struct scene scene = {
			.arch = ARCH_AMD64, .os = CRASH_OS_LINUX,
			.registers = "rip=401010 rsp=8000",
			.stack = 0x8000, .memory = memory, .more = add_annotation,
			.modules = { { 0x400000, 0x5000, "a", symbols } },
		};
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL);
		is_str(analysis->signature, current->signature, "a signature has %s",
		       current->title);
		analysis_free(analysis);
		scene_close(&staged);
	}
}

/* Frames without a name: by module and offset, or by address. */
static void
test_bare(void)
{
	static const struct example none = { .title = "none" };
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000",
		.stack = 0x8000, .more = add_annotation,
		.modules = { { 0x400000, 0x5000, "/usr/bin/tool", NULL } },
	};
	struct staged staged;

	current = &none;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL);
	is_str(analysis->signature, "tool@0x1010", "a frame without a name has its module's");
	is_str(analysis->proto_signature, "tool@0x1010", "in the list of all frames, too");
	analysis_free(analysis);
	scene_close(&staged);
}

int
main(void)
{
	test_examples();
	test_bare();
	return done_testing();
}
