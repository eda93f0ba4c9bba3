dnl SPDX-License-Identifier: GPL-3.0-or-later

dnl UNSPOOL_TRY_CFLAG(FLAG, [IF-TAKEN], [IF-NOT])
dnl Check that the compiler accepts a flag without a warning.
AC_DEFUN([UNSPOOL_TRY_CFLAG], [
	AS_VAR_PUSHDEF([cache], [unspool_cv_cflag_$1])
	AC_CACHE_CHECK([whether $CC takes $1], [cache], [
		unspool_saved_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror $1"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
			[AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
		CFLAGS=$unspool_saved_CFLAGS])
	AS_VAR_IF([cache], [yes], [$2], [$3])
	AS_VAR_POPDEF([cache])])

dnl The language is C17, independent of the compiler's default.
AC_DEFUN([UNSPOOL_COMPILER_C17], [
	UNSPOOL_TRY_CFLAG([-std=c17], [UNSPOOL_STANDARD=-std=c17],
		[AC_MSG_ERROR([$CC does not support C17: install gcc 8 or clang 6, or later ones])])
	AC_SUBST([UNSPOOL_STANDARD])])

AC_DEFUN([UNSPOOL_COMPILER_WARNINGS], [
	UNSPOOL_WARNINGS=
	m4_foreach_w([flag], [-pedantic -Wall -Wextra -Wconversion -Wshadow
			-Wmissing-prototypes -Wstrict-prototypes],
		[UNSPOOL_TRY_CFLAG(flag,
			[AS_VAR_APPEND([UNSPOOL_WARNINGS], [" flag"])])])
	AS_VAR_IF([enable_werror], [yes], [AS_VAR_APPEND([UNSPOOL_WARNINGS], [" -Werror"])])
	AC_SUBST([UNSPOOL_WARNINGS])])

dnl Additional code in a developer's build. A requested flag must work.
AC_DEFUN([UNSPOOL_COMPILER_INSTRUMENTS], [
	UNSPOOL_INSTRUMENTS=
	AS_VAR_IF([enable_sanitizers], [yes], [
		UNSPOOL_TRY_CFLAG([-fsanitize=address,undefined], [],
			[AC_MSG_ERROR([$CC cannot link with -fsanitize=address,undefined:
install its sanitizer libraries (Debian: libgcc-12-dev or libclang-rt-dev,
Fedora: libasan libubsan) or leave out --enable-sanitizers])])
		UNSPOOL_INSTRUMENTS="-fsanitize=address,undefined -fno-sanitize-recover=all \
-fno-omit-frame-pointer"])
	AS_VAR_IF([enable_coverage], [yes], [
		UNSPOOL_TRY_CFLAG([--coverage], [],
			[AC_MSG_ERROR([$CC cannot link with --coverage])])
		AS_VAR_APPEND([UNSPOOL_INSTRUMENTS], [" --coverage"])])
	AC_SUBST([UNSPOOL_INSTRUMENTS])])

dnl Protections that make a memory error in a parser harder to exploit. Each flag is used if the compiler and the
dnl linker accept it; fortified functions need an optimising build.
AC_DEFUN([UNSPOOL_COMPILER_HARDENING], [
	UNSPOOL_HARDENING= UNSPOOL_HARDENING_LINK=
	AS_IF([test "x$enable_sanitizers" = xyes], [enable_hardening=no])
	AS_VAR_IF([enable_hardening], [no], [], [
		m4_foreach_w([flag], [-fstack-protector-strong -fstack-clash-protection
				-fcf-protection=full -mbranch-protection=standard
				-ftrivial-auto-var-init=zero -fPIE],
			[UNSPOOL_TRY_CFLAG(flag,
				[AS_VAR_APPEND([UNSPOOL_HARDENING], [" flag"])])])
		m4_foreach([flag], [[-pie], [-z relro], [-z now], [-z noexecstack]],
			[UNSPOOL_TRY_CFLAG([-fPIE ]flag,
				[AS_VAR_APPEND([UNSPOOL_HARDENING_LINK], [" flag"])])])
		m4_foreach_w([level], [3 2], [
			AS_CASE([$UNSPOOL_HARDENING], [*FORTIFY*], [],
				[UNSPOOL_TRY_FORTIFY(level, [AS_VAR_APPEND([UNSPOOL_HARDENING],
					[" -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=level"])])])])])
	AC_SUBST([UNSPOOL_HARDENING])
	AC_SUBST([UNSPOOL_HARDENING_LINK])])

dnl A start of the program is mostly relocations: pack the relative ones, if the C library of this machine can read
dnl them (glibc 2.36).
AC_DEFUN([UNSPOOL_COMPILER_START], [
	UNSPOOL_START_LINK=
	AC_CACHE_CHECK([for packed relocations], [unspool_cv_packed_relocations], [
		unspool_saved_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -fPIE -pie -z pack-relative-relocs"
		AC_RUN_IFELSE([AC_LANG_PROGRAM([static int one, *volatile where = &one;], [return where != &one])],
			[unspool_cv_packed_relocations=yes], [unspool_cv_packed_relocations=no],
			[unspool_cv_packed_relocations=no])
		CFLAGS=$unspool_saved_CFLAGS])
	AS_VAR_IF([unspool_cv_packed_relocations], [yes],
		[UNSPOOL_START_LINK='-z pack-relative-relocs'])
	AC_SUBST([UNSPOOL_START_LINK])])

dnl Functions of the C library that src/cmd/allocation.c wraps. If the linker cannot wrap them, a failed allocation
dnl is noted only where files are read.
AC_DEFUN([UNSPOOL_COMPILER_WRAP], [
	UNSPOOL_WRAP_LINK=
	AC_CACHE_CHECK([whether the linker wraps functions], [unspool_cv_link_wrap], [
		unspool_saved_LDFLAGS=$LDFLAGS
		LDFLAGS="$LDFLAGS -Wl,--wrap=malloc"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([@%:@include <stdlib.h>
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return __real_malloc(size); }], [return malloc(1) == 0;])],
			[unspool_cv_link_wrap=yes], [unspool_cv_link_wrap=no])
		LDFLAGS=$unspool_saved_LDFLAGS])
	AS_VAR_IF([unspool_cv_link_wrap], [yes], [
		AC_DEFINE([HAVE_LINK_WRAP], [1], [the linker wraps functions])
		UNSPOOL_WRAP_LINK="-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,\
--wrap=strdup,--wrap=strndup,--wrap=aligned_alloc"])
	dnl libiberty and readline both have xmalloc(): each keeps its own.
	UNSPOOL_TRY_CFLAG([-Wl,--exclude-libs,libiberty.a],
		[AS_VAR_APPEND([UNSPOOL_WRAP_LINK], [" -Wl,--exclude-libs,libiberty.a"])])
	AC_SUBST([UNSPOOL_WRAP_LINK])])

dnl UNSPOOL_TRY_FORTIFY(LEVEL, [IF-TAKEN])
dnl Check that the C library's headers accept a level without a warning.
AC_DEFUN([UNSPOOL_TRY_FORTIFY], [
	AC_CACHE_CHECK([whether functions are fortified at level $1], [unspool_cv_fortify_$1], [
		unspool_saved_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$1"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([@%:@include <string.h>], [])],
			[unspool_cv_fortify_$1=yes], [unspool_cv_fortify_$1=no])
		CFLAGS=$unspool_saved_CFLAGS])
	AS_VAR_IF([unspool_cv_fortify_$1], [yes], [$2])])
