# SPDX-License-Identifier: GPL-2.0-or-later
# Names of values of fields: perf calls the define_ functions before the first handler of an event.
package Perf::Trace::Core;

use 5.010;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(
	define_flag_field define_flag_value flag_str dump_flag_fields
	define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields
	trace_flag_str
);
our $VERSION = '1.00';

my (%flag_fields, %symbolic_fields);

my %trace_flags = (
	0x00 => "NONE",
	0x01 => "IRQS_OFF",
	0x02 => "IRQS_NOSUPPORT",
	0x04 => "NEED_RESCHED",
	0x08 => "HARDIRQ",
	0x10 => "SOFTIRQ",
);

sub join_flags
{
	my ($value, $names, $delim) = @_;
	my @shown;

	return $names->{0} // "" if !$value;
	for my $bits (sort { $a <=> $b } keys %$names) {
		next if !$bits || ($value & $bits) != $bits;
		push @shown, $names->{$bits};
		$value &= ~$bits;
	}
	return join($delim, @shown);
}

sub trace_flag_str
{
	my ($value) = @_;

	return join_flags($value, \%trace_flags, " | ");
}

sub define_flag_field
{
	my ($event, $field, $delim) = @_;

	$flag_fields{$event}{$field}{delim} = $delim;
}

sub define_flag_value
{
	my ($event, $field, $value, $text) = @_;

	$flag_fields{$event}{$field}{values}{$value} = $text;
}

sub define_symbolic_field
{
	my ($event, $field) = @_;

	$symbolic_fields{$event}{$field} //= {};
}

sub define_symbolic_value
{
	my ($event, $field, $value, $text) = @_;

	$symbolic_fields{$event}{$field}{values}{$value} = $text;
}

sub flag_str
{
	my ($event, $field, $value) = @_;
	my $known = $flag_fields{$event}{$field} or return "";
	my $delim = $known->{delim} // "";

	return join_flags($value, $known->{values} // {}, length($delim) ? " $delim " : "");
}

sub symbol_str
{
	my ($event, $field, $value) = @_;

	return $symbolic_fields{$event}{$field}{values}{$value} // "";
}

sub dump_fields
{
	my ($fields) = @_;

	for my $event (sort keys %$fields) {
		print "event $event:\n";
		for my $field (sort keys %{$fields->{$event}}) {
			my $values = $fields->{$event}{$field}{values} // {};

			print "    field $field:\n";
			print "        $_: $values->{$_}\n" for sort { $a <=> $b } keys %$values;
		}
	}
}

sub dump_flag_fields
{
	dump_fields(\%flag_fields);
}

sub dump_symbolic_fields
{
	dump_fields(\%symbolic_fields);
}

1;
