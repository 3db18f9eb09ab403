# SPDX-License-Identifier: GPL-2.0-or-later
# Times, means, names of system calls.
package Perf::Trace::Util;

use 5.010;
use strict;
use warnings;
use Exporter 'import';
use Perf::Trace::Context ();

our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_usecs nsecs_str print_nsecs clear_term syscall_name);
our $VERSION = '1.00';

use constant NSECS_PER_SEC => 1_000_000_000;

sub avg
{
	my ($total, $n) = @_;

	return $total / $n;
}

sub nsecs
{
	my ($secs, $nsecs) = @_;

	return $secs * NSECS_PER_SEC + $nsecs;
}

sub nsecs_secs
{
	my ($nsecs) = @_;

	return $nsecs / NSECS_PER_SEC;
}

sub nsecs_nsecs
{
	my ($nsecs) = @_;

	return $nsecs % NSECS_PER_SEC;
}

sub nsecs_usecs
{
	my ($nsecs) = @_;

	return $nsecs / 1000;
}

sub nsecs_str
{
	my ($nsecs) = @_;

	return sprintf("%5u.%09u", nsecs_secs($nsecs), nsecs_nsecs($nsecs));
}

sub print_nsecs
{
	print nsecs_str($_[0]);
}

sub clear_term
{
	print "\x1b[H\x1b[2J";
}

# Of the machine that was recorded; the number itself where it has no name.
sub syscall_name
{
	my ($number) = @_;

	return Perf::Trace::Context::syscall_name($number) // $number;
}

1;
