# SPDX-License-Identifier: GPL-2.0-or-later
# What a handler may ask of its event.  The functions are perf's own.
package Perf::Trace::Context;

use 5.010;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(common_pc common_flags common_lock_depth);
our @EXPORT_OK = qw(syscall_name);
our $VERSION = '1.00';

1;
