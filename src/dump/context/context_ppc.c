/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

static const struct meaning ppc_flags[] = {
	{ 0x20000000, "ppc" }, { 0x01000000, "ppc64" }, { 1, "base" }, { 8, "float" },
	{ 0x20, "vector" },
};

static const struct field ppc_fields[] = {
	{ 0, 4, FIELD_HEX, .name = "context_flags", BITS(ppc_flags) },
	{ 4, 4, FIELD_ADDRESS, .name = "srr0", REG(32) },
	{ 8, 4, FIELD_HEX, .name = "srr1", REG(33) },
	{ 12, 4, FIELD_ADDRESS, .name = "gpr", .count = 32, REG(0) },
	{ 140, 4, FIELD_HEX, .name = "cr", REG(34) },
	{ 144, 4, FIELD_HEX, .name = "xer", REG(35) },
	{ 148, 4, FIELD_ADDRESS, .name = "lr", REG(36) },
	{ 152, 4, FIELD_ADDRESS, .name = "ctr", REG(37) },
	{ 156, 4, FIELD_HEX, .name = "mq", REG(38) },
	{ 160, 4, FIELD_HEX, .name = "vrsave", REG(39) },
	{ 164, 8, FIELD_REAL, .name = "float_save.fpregs", .count = 32 },
	{ 420, 4, FIELD_HEX, .name = "float_save.fpscr_pad" },
	{ 424, 4, FIELD_HEX, .name = "float_save.fpscr" },
	{ 428, 16, FIELD_WIDE, .name = "vector_save.save_vr", .count = 32 },
	{ 940, 16, FIELD_WIDE, .name = "vector_save.save_vscr" },
	{ 956, 4, FIELD_HEX, .name = "vector_save.save_pad5", .count = 4 },
	{ 972, 4, FIELD_HEX, .name = "vector_save.save_vrvalid" },
	{ 976, 4, FIELD_HEX, .name = "vector_save.save_pad6", .count = 7 },
};

const struct context_layout context_layout_ppc = {
	.name = "ppc",
	.arch = ARCH_PPC,
	.fields = FIELD_TABLE(ppc_fields),
	.size = 1004,
	.flags_size = 4,
	.cpu = 0x20000000,
};

static const struct field ppc64_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "context_flags", BITS(ppc_flags) },
	{ 8, 8, FIELD_ADDRESS, .name = "srr0", REG(32) },
	{ 16, 8, FIELD_HEX, .name = "srr1", REG(33) },
	{ 24, 8, FIELD_ADDRESS, .name = "gpr", .count = 32, REG(0) },
	{ 280, 8, FIELD_HEX, .name = "cr", REG(34) },
	{ 288, 8, FIELD_HEX, .name = "xer", REG(35) },
	{ 296, 8, FIELD_ADDRESS, .name = "lr", REG(36) },
	{ 304, 8, FIELD_ADDRESS, .name = "ctr", REG(37) },
	{ 312, 8, FIELD_HEX, .name = "vrsave", REG(38) },
	{ 320, 8, FIELD_REAL, .name = "float_save.fpregs", .count = 32 },
	{ 576, 4, FIELD_HEX, .name = "float_save.fpscr_pad" },
	{ 580, 4, FIELD_HEX, .name = "float_save.fpscr" },
	{ 584, 16, FIELD_WIDE, .name = "vector_save.save_vr", .count = 32 },
	{ 1096, 16, FIELD_WIDE, .name = "vector_save.save_vscr" },
	{ 1112, 4, FIELD_HEX, .name = "vector_save.save_pad5", .count = 4 },
	{ 1128, 4, FIELD_HEX, .name = "vector_save.save_vrvalid" },
	{ 1132, 4, FIELD_HEX, .name = "vector_save.save_pad6", .count = 7 },
};

const struct context_layout context_layout_ppc64 = {
	.name = "ppc64",
	.arch = ARCH_PPC64,
	.fields = FIELD_TABLE(ppc64_fields),
	.size = 1160,
	.flags_size = 8,
	.cpu = 0x01000000,
};
