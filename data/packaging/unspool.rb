# SPDX-License-Identifier: GPL-3.0-or-later
# A Homebrew formula: brew install --HEAD ./unspool.rb, from a clone of the sources.
class Unspool < Formula
  desc "Explorer of crash dumps that steps the unwinder"
  homepage "https://example.org/unspool"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git
  license "GPL-3.0-or-later"

  depends_on "autoconf" => :build
  depends_on "automake" => :build
  depends_on "pkgconf" => :build
  depends_on "capstone"
  depends_on "libmspack"
  depends_on "lz4"
  depends_on "ncurses"
  depends_on "readline"
  depends_on "xz"
  depends_on "zstd"
  uses_from_macos "curl"
  uses_from_macos "zlib"

  def install
    system "autoreconf", "-fi"
    system "./configure", *std_configure_args
    system "make", "install"
  end

  test do
    crash = "#{pkgshare}/crashes/broken-cfi-amd64"
    assert_match "till|post", shell_output("#{bin}/unspool walk -m #{crash}/crash.dmp #{crash}/symbols")
  end
end
