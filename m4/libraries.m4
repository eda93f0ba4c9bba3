dnl SPDX-License-Identifier: GPL-3.0-or-later

dnl UNSPOOL_MISSING(WHAT, DEBIAN, FEDORA, ARCH, HOMEBREW)
dnl Stop with a message that names the package to install.
AC_DEFUN([UNSPOOL_MISSING], [AC_MSG_ERROR([$1

  Debian, Ubuntu   apt install $2
  Fedora           dnf install $3
  Arch             pacman -S $4
  Homebrew         brew install $5

or let ./bootstrap build install it])])

dnl pkg-config is run as a command, so its macro file is not needed.
AC_DEFUN([UNSPOOL_TOOL_PKG_CONFIG], [
	AC_ARG_VAR([PKG_CONFIG], [path of the pkg-config utility])
	AS_IF([test "x$PKG_CONFIG" = x], [AC_PATH_TOOL([PKG_CONFIG], [pkg-config], [false])])])

dnl UNSPOOL_FIND_LIBRARY(VARIABLE, MODULE, DEFAULT-LIBS)
dnl Set VARIABLE_CFLAGS and VARIABLE_LIBS, unless the user did, from pkg-config or the default.
AC_DEFUN([UNSPOOL_FIND_LIBRARY], [
	AC_ARG_VAR([$1_CFLAGS], [compiler flags for $2, instead of what pkg-config says])
	AC_ARG_VAR([$1_LIBS], [linker flags for $2, instead of what pkg-config says])
	AS_IF([test "x$$1_LIBS" = x], [
		AS_IF([$PKG_CONFIG --exists $2 2>/dev/null], [
			$1_CFLAGS="$$1_CFLAGS $($PKG_CONFIG --cflags $2)"
			$1_LIBS=$($PKG_CONFIG --libs $2)],
		[$1_LIBS="$3"])])])

dnl UNSPOOL_TRY_LINK(CFLAGS, LIBS, PROLOGUE, BODY, IF-LINKS, IF-NOT)
AC_DEFUN([UNSPOOL_TRY_LINK], [
	unspool_saved_CPPFLAGS=$CPPFLAGS
	unspool_saved_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS -D_GNU_SOURCE $1"
	LIBS="$2 $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([$3], [$4])], [unspool_links=yes], [unspool_links=no])
	CPPFLAGS=$unspool_saved_CPPFLAGS
	LIBS=$unspool_saved_LIBS
	AS_VAR_IF([unspool_links], [yes], [$5], [$6])])

AC_DEFUN([UNSPOOL_LIB_THREADS], [
	UNSPOOL_TRY_CFLAG([-pthread], [UNSPOOL_THREADS=-pthread], [UNSPOOL_THREADS=])
	AC_MSG_CHECKING([for POSIX threads])
	UNSPOOL_TRY_LINK([$UNSPOOL_THREADS], [$UNSPOOL_THREADS], [#include <pthread.h>],
		[return pthread_create(0, 0, 0, 0);],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([the C library has no POSIX threads])])
	AC_SUBST([UNSPOOL_THREADS])])

dnl The wide build of ncurses, because the narrow one cannot draw characters above 127.
AC_DEFUN([UNSPOOL_LIB_CURSES], [
	UNSPOOL_FIND_LIBRARY([CURSES], [ncursesw], [-lncursesw])
	AS_VAR_APPEND([CURSES_CFLAGS], [" -DNCURSES_WIDECHAR=1"])
	AC_MSG_CHECKING([for wide-character ncurses ($CURSES_LIBS)])
	UNSPOOL_TRY_LINK([$CURSES_CFLAGS], [$CURSES_LIBS], [
#include <wchar.h>
#include <curses.h>
#ifndef NCURSES_VERSION
#error not ncurses
#endif
],		[cchar_t cell; return setcchar(&cell, L"x", 0, 0, 0) + add_wch(&cell)
			+ resizeterm(24, 80) + (newterm(0, 0, 0) != 0);],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		UNSPOOL_MISSING([the wide-character ncurses library (ncursesw) is missing],
			[libncurses-dev], [ncurses-devel], [ncurses], [ncurses])])])

dnl On some systems libedit is also named readline, and -lreadline finds it. It has neither of the two names
dnl below; the second one exists since GNU readline 7.0.
AC_DEFUN([UNSPOOL_LIB_READLINE], [
	UNSPOOL_FIND_LIBRARY([READLINE], [readline], [-lreadline])
	AC_MSG_CHECKING([for GNU readline 7.0 or later ($READLINE_LIBS)])
	UNSPOOL_TRY_LINK([$READLINE_CFLAGS], [$READLINE_LIBS $CURSES_LIBS], [
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>
],		[rl_change_environment = 0; rl_callback_sigcleanup(); add_history("");],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		UNSPOOL_TRY_LINK([$READLINE_CFLAGS], [$READLINE_LIBS $CURSES_LIBS], [
#include <stdio.h>
#include <readline/readline.h>
],			[return readline("") != 0;],
			[unspool_why="the readline that was found is libedit or older than GNU readline 7.0"],
			[unspool_why="the GNU readline library is missing"])
		UNSPOOL_MISSING([$unspool_why],
			[libreadline-dev], [readline-devel], [readline], [readline])])])

dnl UNSPOOL_LIB_ENGINE(VARIABLE, TITLE, MODULE, DEFAULT-LIBS, PROLOGUE, BODY,
dnl   DEBIAN, FEDORA, ARCH, HOMEBREW [, OPTION [, CONSEQUENCE]])
dnl A library of the engine. With OPTION it may be left out by --without-OPTION; then HAVE_VARIABLE is not
dnl defined, and features that need the library report that it was not built in. With CONSEQUENCE, which names
dnl the lost features, a missing library is left out automatically.
AC_DEFUN([UNSPOOL_LIB_ENGINE], [
	unspool_wanted=yes
	m4_ifval([$11], [AC_ARG_WITH([$11],
		[AS_HELP_STRING([--without-$11], [build without $2])],
		[unspool_wanted=$withval
		AS_IF([test "x$withval" = xyes], [unspool_wanted=must])])])
	UNSPOOL_FIND_LIBRARY([$1], [$3], [$4])
	AC_MSG_CHECKING([for $2 ($$1_LIBS)])
	AS_IF([test "x$unspool_wanted" = xno], [
		AC_MSG_RESULT([left out])
		$1_CFLAGS= $1_LIBS=],
	[UNSPOOL_TRY_LINK([$$1_CFLAGS], [$$1_LIBS], [$5], [$6],
		[AC_MSG_RESULT([yes])
		unspool_version=$($PKG_CONFIG --modversion $3 2>/dev/null)
		AC_DEFINE([HAVE_$1], [1], [Define to 1 where $2 is built in.])
		AC_DEFINE_UNQUOTED([$1_NAME], ["$2${unspool_version:+ $unspool_version}"],
			[Name and version of $2.])],
		[AC_MSG_RESULT([no])
		m4_ifval([$12], [AS_IF([test "x$unspool_wanted" = xyes],
			[AC_MSG_NOTICE([$2 is missing: $12 (Debian: $7, Fedora: $8, Arch: $9, Homebrew: $10)])
			$1_CFLAGS= $1_LIBS=],
			[UNSPOOL_MISSING([$2 is missing], [$7], [$8], [$9], [$10])])],
			[UNSPOOL_MISSING([$2 is missing]m4_ifval([$11],
				[[; --without-$11 builds without it]]), [$7], [$8], [$9], [$10])])])])
	ENGINE_CFLAGS="$ENGINE_CFLAGS $$1_CFLAGS"
	ENGINE_LIBS="$ENGINE_LIBS $$1_LIBS"
	AC_SUBST([ENGINE_CFLAGS])
	AC_SUBST([ENGINE_LIBS])])

dnl UNSPOOL_LIB_LOADED(as UNSPOOL_LIB_ENGINE)
dnl A library that system/library.c loads on first use: it must be installed, but is not linked.
AC_DEFUN([UNSPOOL_LIB_LOADED], [
	unspool_linked=$ENGINE_LIBS
	UNSPOOL_LIB_ENGINE($@)
	ENGINE_LIBS=$unspool_linked])

dnl Libraries that read the modules' own files, and compressed dumps and symbols. Those of compression are
dnl loaded on first use, as capstone, ncurses and readline are; tests link them.
AC_DEFUN([UNSPOOL_LIBS_ENGINE], [
	unspool_linked=$ENGINE_LIBS
	UNSPOOL_LIB_ENGINE([CAPSTONE], [capstone], [capstone], [-lcapstone],
		[[#include <capstone/capstone.h>]], [[return (int)cs_version(0, 0);]],
		[libcapstone-dev], [capstone-devel], [capstone], [capstone], [capstone])
	AS_CASE(["$with_capstone $LDFLAGS "],
		[link\ * | *\ -static\ * | *\ -static-pie\ *], [unspool_static=yes
		AC_DEFINE([LIBRARIES_LINKED], [1],
			[Define to 1 to link libraries that are else loaded on first use.])],
		[unspool_static=no
		ENGINE_LIBS=$unspool_linked])
	UNSPOOL_LIB_ENGINE([DEMANGLER], [libiberty], [libiberty], [-liberty], [[
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
]],		[[return rust_demangle_callback("", 0, 0, 0) + cplus_demangle_v3_callback("", 0, 0, 0);]],
		[libiberty-dev], [binutils-devel], [binutils], [(not there)], [demangler])
	UNSPOOL_LIB_LOADED([CURL], [libcurl], [libcurl], [-lcurl],
		[[#include <curl/curl.h>]], [[return (int)CURLOPT_PROTOCOLS_STR + (curl_easy_init() != 0);]],
		[libcurl4-openssl-dev], [libcurl-devel], [curl], [curl], [curl])
	unspool_linked=$ENGINE_LIBS ENGINE_LIBS=
	UNSPOOL_LIB_ENGINE([ZLIB], [zlib], [zlib], [-lz],
		[[#include <zlib.h>]], [[return zlibVersion()[0];]],
		[zlib1g-dev], [zlib-devel], [zlib], [zlib], [zlib])
	UNSPOOL_LIB_ENGINE([LZMA], [liblzma], [liblzma], [-llzma],
		[[#include <lzma.h>]], [[return (int)lzma_version_number();]],
		[liblzma-dev], [xz-devel], [xz], [xz], [lzma])
	UNSPOOL_LIB_ENGINE([ZSTD], [libzstd], [libzstd], [-lzstd],
		[[#include <zstd.h>]], [[return (int)ZSTD_versionNumber();]],
		[libzstd-dev], [libzstd-devel], [zstd], [zstd], [zstd])
	UNSPOOL_LIB_ENGINE([LZ4], [liblz4], [liblz4], [-llz4],
		[[#include <lz4frame.h>]], [[return (int)LZ4F_getVersion();]],
		[liblz4-dev], [lz4-devel], [lz4], [lz4], [lz4])
	UNSPOOL_LIB_ENGINE([MSPACK], [libmspack], [libmspack], [-lmspack],
		[[#include <mspack.h>]], [[return mspack_create_cab_decompressor(0) != 0;]],
		[libmspack-dev], [libmspack-devel], [libmspack], [libmspack], [mspack],
		[cabinets of Windows, as foo.pd_, are not decompressed])
	AC_SUBST([COMPRESSION_LIBS], [$ENGINE_LIBS])
	ENGINE_LIBS=$unspool_linked
	AS_VAR_IF([unspool_static], [yes], [AS_VAR_APPEND([ENGINE_LIBS], ["$COMPRESSION_LIBS"])
		TERMINAL_LIBS="$READLINE_LIBS $CURSES_LIBS"])
	AC_SUBST([TERMINAL_LIBS])])

dnl Tests compare text outside ASCII, so they need a UTF-8 locale that is independent of a country.
AC_DEFUN([UNSPOOL_TEST_LOCALE], [
	AC_CACHE_CHECK([for a UTF-8 locale for the tests], [unspool_cv_test_locale], [
		unspool_cv_test_locale=$(locale -a 2>/dev/null |
			grep -iE '^(C|en_US)\.utf-?8$' | LC_ALL=C sort | sed -n 1p)
		: "${unspool_cv_test_locale:=C}"])
	AC_SUBST([TEST_LOCALE], [$unspool_cv_test_locale])])
