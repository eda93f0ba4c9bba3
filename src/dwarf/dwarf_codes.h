/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DWARF_DWARF_CODES_H
#define DWARF_DWARF_CODES_H

/**
 * The numbers of DWARF in use (DWARF 5, chapter 7; GNU's as in elfutils' dwarf.h), with the names
 * of the standard.
 */

/** Tags of entries (table 7.3). */
enum dwarf_tag {
	DW_TAG_array_type = 0x01,
	DW_TAG_class_type = 0x02,
	DW_TAG_enumeration_type = 0x04,
	DW_TAG_formal_parameter = 0x05,
	DW_TAG_lexical_block = 0x0b,
	DW_TAG_member = 0x0d,
	DW_TAG_pointer_type = 0x0f,
	DW_TAG_reference_type = 0x10,
	DW_TAG_compile_unit = 0x11,
	DW_TAG_string_type = 0x12,
	DW_TAG_structure_type = 0x13,
	DW_TAG_subroutine_type = 0x15,
	DW_TAG_typedef = 0x16,
	DW_TAG_union_type = 0x17,
	DW_TAG_unspecified_parameters = 0x18,
	DW_TAG_variant = 0x19,
	DW_TAG_inheritance = 0x1c,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_module = 0x1e,
	DW_TAG_ptr_to_member_type = 0x1f,
	DW_TAG_subrange_type = 0x21,
	DW_TAG_with_stmt = 0x22,
	DW_TAG_base_type = 0x24,
	DW_TAG_catch_block = 0x25,
	DW_TAG_const_type = 0x26,
	DW_TAG_constant = 0x27,
	DW_TAG_enumerator = 0x28,
	DW_TAG_subprogram = 0x2e,
	DW_TAG_template_type_parameter = 0x2f,
	DW_TAG_try_block = 0x32,
	DW_TAG_variant_part = 0x33,
	DW_TAG_variable = 0x34,
	DW_TAG_volatile_type = 0x35,
	DW_TAG_restrict_type = 0x37,
	DW_TAG_interface_type = 0x38,
	DW_TAG_namespace = 0x39,
	DW_TAG_unspecified_type = 0x3b,
	DW_TAG_partial_unit = 0x3c,
	DW_TAG_imported_unit = 0x3d,
	DW_TAG_type_unit = 0x41,
	DW_TAG_rvalue_reference_type = 0x42,
	DW_TAG_generic_subrange = 0x45,
	DW_TAG_atomic_type = 0x47,
	DW_TAG_call_site = 0x48,
	DW_TAG_call_site_parameter = 0x49,
	DW_TAG_skeleton_unit = 0x4a,
	DW_TAG_GNU_call_site = 0x4109,
	DW_TAG_GNU_call_site_parameter = 0x410a,
};

/** Names of attributes (table 7.5). */
enum dwarf_attribute_name {
	DW_AT_sibling = 0x01,
	DW_AT_location = 0x02,
	DW_AT_name = 0x03,
	DW_AT_ordering = 0x09,
	DW_AT_byte_size = 0x0b,
	DW_AT_bit_offset = 0x0c,
	DW_AT_bit_size = 0x0d,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_language = 0x13,
	DW_AT_discr = 0x15,
	DW_AT_discr_value = 0x16,
	DW_AT_import = 0x18,
	DW_AT_string_length = 0x19,
	DW_AT_comp_dir = 0x1b,
	DW_AT_const_value = 0x1c,
	DW_AT_containing_type = 0x1d,
	DW_AT_lower_bound = 0x22,
	DW_AT_prototyped = 0x27,
	DW_AT_upper_bound = 0x2f,
	DW_AT_abstract_origin = 0x31,
	DW_AT_artificial = 0x34,
	DW_AT_count = 0x37,
	DW_AT_data_member_location = 0x38,
	DW_AT_decl_line = 0x3b,
	DW_AT_declaration = 0x3c,
	DW_AT_encoding = 0x3e,
	DW_AT_frame_base = 0x40,
	DW_AT_specification = 0x47,
	DW_AT_type = 0x49,
	DW_AT_vtable_elem_location = 0x4d,
	DW_AT_allocated = 0x4e,
	DW_AT_associated = 0x4f,
	DW_AT_data_location = 0x50,
	DW_AT_byte_stride = 0x51,
	DW_AT_entry_pc = 0x52,
	DW_AT_ranges = 0x55,
	DW_AT_call_file = 0x58,
	DW_AT_call_line = 0x59,
	DW_AT_endianity = 0x65,
	DW_AT_signature = 0x69,
	DW_AT_data_bit_offset = 0x6b,
	DW_AT_enum_class = 0x6d,
	DW_AT_linkage_name = 0x6e,
	DW_AT_str_offsets_base = 0x72,
	DW_AT_addr_base = 0x73,
	DW_AT_rnglists_base = 0x74,
	DW_AT_dwo_name = 0x76,
	DW_AT_call_return_pc = 0x7d,
	DW_AT_call_value = 0x7e,
	DW_AT_call_origin = 0x7f,
	DW_AT_call_parameter = 0x80,
	DW_AT_call_tail_call = 0x82,
	DW_AT_call_target = 0x83,
	DW_AT_call_data_value = 0x86,
	DW_AT_loclists_base = 0x8c,
	DW_AT_MIPS_linkage_name = 0x2007,
	DW_AT_GNU_call_site_value = 0x2111,
	DW_AT_GNU_call_site_data_value = 0x2112,
	DW_AT_GNU_call_site_target = 0x2113,
	DW_AT_GNU_tail_call = 0x2115,
	DW_AT_GNU_dwo_name = 0x2130,
	DW_AT_GNU_dwo_id = 0x2131,
	DW_AT_GNU_ranges_base = 0x2132,
	DW_AT_GNU_addr_base = 0x2133,
};

/** Forms that determine the meaning of a value (table 7.6). */
enum dwarf_form_code {
	DW_FORM_data2 = 0x05,
	DW_FORM_data4 = 0x06,
	DW_FORM_data8 = 0x07,
	DW_FORM_data1 = 0x0b,
	DW_FORM_sdata = 0x0d,
	DW_FORM_ref_addr = 0x10,
	DW_FORM_sec_offset = 0x17,
	DW_FORM_flag_present = 0x19,
	DW_FORM_implicit_const = 0x21,
};

/** Encodings of base types (table 7.11). */
enum dwarf_encoding {
	DW_ATE_address = 0x01,
	DW_ATE_boolean = 0x02,
	DW_ATE_complex_float = 0x03,
	DW_ATE_float = 0x04,
	DW_ATE_signed = 0x05,
	DW_ATE_signed_char = 0x06,
	DW_ATE_unsigned = 0x07,
	DW_ATE_unsigned_char = 0x08,
	DW_ATE_UTF = 0x10,
};

/** Byte orders of base types (table 7.12). */
enum dwarf_endianity {
	DW_END_big = 0x01,
	DW_END_little = 0x02,
};

/** Languages of units (table 7.17). */
enum dwarf_language {
	DW_LANG_C89 = 0x01,
	DW_LANG_C = 0x02,
	DW_LANG_Ada83 = 0x03,
	DW_LANG_Cobol74 = 0x05,
	DW_LANG_Cobol85 = 0x06,
	DW_LANG_Fortran77 = 0x07,
	DW_LANG_Fortran90 = 0x08,
	DW_LANG_Pascal83 = 0x09,
	DW_LANG_Modula2 = 0x0a,
	DW_LANG_C99 = 0x0c,
	DW_LANG_Ada95 = 0x0d,
	DW_LANG_Fortran95 = 0x0e,
	DW_LANG_PLI = 0x0f,
	DW_LANG_Modula3 = 0x17,
	DW_LANG_C11 = 0x1d,
	DW_LANG_Julia = 0x1f,
	DW_LANG_Fortran03 = 0x22,
	DW_LANG_Fortran08 = 0x23,
};

/** Orders of the dimensions of arrays (table 7.23). */
enum dwarf_ordering {
	DW_ORD_col_major = 0x01,
};

#endif
