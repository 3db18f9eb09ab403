#compdef perf-standalone
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh looks for the name of the command that is typed.
. /usr/lib/perf-standalone/share/zsh/vendor-completions/_perf
