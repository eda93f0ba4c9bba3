/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/write/minidump_write.h"

#include "dump/write/minidump_writer.h"

static void
write_memory(struct minidump_writer *writer, const struct minidump_plan *plan, size_t stack)
{
	const struct structure *entry = &memory_list_layout.entry;
	size_t at = writer_list(writer, STREAM_MEMORY, entry, plan->memory_count + 1);

	writer_put_structure(writer, at, entry,
		      &(struct memory_entry){ plan->stack.base, plan->stack.size, stack });
	for (size_t i = 0; i < plan->memory_count; i++) {
		const struct minidump_memory *memory = &plan->memory[i];
		const size_t bytes = writer_append(writer, memory->bytes, memory->size);

		at += entry->size;
		writer_put_structure(writer, at, entry,
			      &(struct memory_entry){ memory->base, memory->size, bytes });
	}
}

static void
write_modules(struct minidump_writer *writer, const struct minidump_plan *plan)
{
	const struct structure *entry = &modules_layout.entry;
	const size_t at = writer_list(writer, STREAM_MODULES, entry, plan->module_count);

	for (size_t i = 0; i < plan->module_count; i++) {
		const struct module *module = &plan->crash->modules[plan->modules[i]];
		size_t size;
		const size_t identity = writer_identity(writer, module, &size);

		writer_module(writer, at + entry->size * i, module,
			      place_base_name(module->code_file), writer_location(size, identity));
	}
}

enum error_code
minidump_write(const struct minidump_plan *plan, struct arena *arena, uint8_t **bytes,
	       size_t *size, struct error *error)
{
	struct minidump_writer writer;
	const struct context_layout *layout =
		plan->like->layout != NULL ? context_layout_named(plan->like->layout) : NULL;

	if (layout == NULL || writer_processor(layout) == 0xffff)
		return error_set(error, ERROR_FORMAT, plan->like->place,
				 "the registers of this thread have no minidump layout");
	writer_begin(&writer, plan->crash, arena);
	writer_system(&writer, layout, "", 1);
	const size_t context = writer_context(&writer, layout, plan->like->flags, plan->registers);
	const size_t stack = writer_append(&writer, plan->stack.bytes, plan->stack.size);
	const struct structure *thread = &threads_layout.entry;
	const size_t at = writer_list(&writer, STREAM_THREADS, thread, 1);
	writer_put_structure(&writer, at, thread, &(struct thread_entry){
		.id = plan->thread_id, .stack_start = plan->stack.base,
		.stack = writer_location(plan->stack.size, stack),
		.context = writer_location(layout->fields->size, context) });
	write_modules(&writer, plan);
	write_memory(&writer, plan, stack);
	if (plan->exception != NULL)
		writer_exception(&writer, plan->exception, plan->thread_id,
				writer_location(layout->fields->size, context));
	writer_finish(&writer);
	if (writer.failed)
		return error_memory(error);
	*bytes = writer.bytes;
	*size = writer.size;
	return ERROR_NONE;
}
