# SPDX-License-Identifier: GPL-3.0-or-later
#
# `make check TESTS=...` builds only the test programs that are named, and for scripts the programs that
# scripts run. Automake's rules build all programs.

ifeq ($(origin TESTS),command line)
script_programs := $(filter-out $(unit_tests) $(fault_tests),$(check_PROGRAMS))
override check_PROGRAMS := $(filter $(unit_tests) $(fault_tests),$(TESTS)) \
	$(if $(filter %.t,$(TESTS)),$(script_programs))
AM_MAKEFLAGS += check_PROGRAMS='$(check_PROGRAMS)'
endif
