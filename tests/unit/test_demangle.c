// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mangled names of each language with what their specification makes of them: the D ABI
 * (dlang.org/spec/abi.html), Rust RFC 2603 and the older hashes, the Itanium C++ ABI, method
 * descriptors of the JVM (JVMS 4.3), OCaml's symbols.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/types.h"
#include "config.h"
#include "symbol/demangle.h"

struct vector {
	const char *raw, *shown; /* NULL: not of this language, or damaged: shown as it is */
};

static void check_all(const struct vector *v, size_t n, bool params)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++) {
		char *s = symbol_demangle(v[i].raw, params);

		if (s ? !v[i].shown || strcmp(s, v[i].shown) : v[i].shown != NULL) {
			print_message("%s: '%s', not '%s'\n", v[i].raw, s ? s : "(as it is)",
				      v[i].shown ? v[i].shown : "(as it is)");
			wrong++;
		}
		free(s);
	}
	assert_int_equal(wrong, 0);
}

static void test_java(void **state)
{
	/* clang-format off */
	static const struct vector v[] = {
		{ "LFoo;f()V", "Foo.f()" },
		{ "Lpkg/Foo;f(B)V", "pkg.Foo.f(byte)" },
		{ "Lpkg/Foo;f(C)V", "pkg.Foo.f(char)" },
		{ "Lpkg/Foo;f(D)V", "pkg.Foo.f(double)" },
		{ "Lpkg/Foo;f(F)V", "pkg.Foo.f(float)" },
		{ "Lpkg/Foo;f(I)V", "pkg.Foo.f(int)" },
		{ "Lpkg/Foo;f(J)V", "pkg.Foo.f(long)" },
		{ "Lpkg/Foo;f(S)V", "pkg.Foo.f(short)" },
		{ "Lpkg/Foo;f(Z)V", "pkg.Foo.f(boolean)" },
		{ "Lpkg/Foo;f(Lpkg/Bar;)V", "pkg.Foo.f(pkg.Bar)" },
		{ "Lpkg/Foo;f([I)V", "pkg.Foo.f(int[])" },
		{ "Lpkg/Foo;f([[[D)V", "pkg.Foo.f(double[][][])" },
		{ "Lpkg/Foo;f([Ljava/lang/String;)V", "pkg.Foo.f(java.lang.String[])" },
		/* JVMS 4.3.3: Object m(int i, double d, Thread t) */
		{ "LA;m(IDLjava/lang/Thread;)Ljava/lang/Object;", "A.m(int, double, java.lang.Thread)" },
		{ "Ljava/lang/StringLatin1;equals([B[B)Z", "java.lang.StringLatin1.equals(byte[], byte[])" },
		{ "Ljava/lang/Object;<init>()V", "java.lang.Object.<init>()" },
		{ "LOuter$Inner;lambda$f$0(I)I", "Outer$Inner.lambda$f$0(int)" },
		{ "Ljava/util/regex/Pattern$Node;match(Ljava/util/regex/Matcher;ILjava/lang/CharSequence;)Z",
		  "java.util.regex.Pattern$Node.match(java.util.regex.Matcher, int, java.lang.CharSequence)" },
		{ "LFoo;f", NULL }, { "LFoo.f()V", NULL }, { "LFoo;f(Q)V", NULL }, { "LFoo;f([)V", NULL },
		{ "LFoo;f(Lpkg/Bar)V", NULL }, { "LFoo;f(I", NULL }, { "LFoo;f(V)V", NULL }, { "L", NULL }, { "L(", NULL },
		{ "List_insert", NULL }, { "LFoo;f()", NULL }, { "LFoo;f()Q", NULL }, { "LFoo;f()Vx", NULL }, { "L;f()V", NULL },
	};
	/* clang-format on */

	(void)state;
	check_all(v, ARRAY_SIZE(v), false);
}

static void test_ocaml(void **state)
{
	/* clang-format off */
	static const struct vector v[] = {
		{ "camlStdlib__List__map_12", "Stdlib.List.map_12" },
		{ "camlStdlib__array__map_154", "Stdlib.array.map_154" },
		{ "camlStdlib__anon_fn$5bstdlib$2eml$3a334$2c0$2d$2d54$5d_1453", "Stdlib.anon_fn[stdlib.ml:334,0--54]_1453" },
		{ "camlStdlib__bytes__$2b$2b_2205", "Stdlib.bytes.++_2205" },
		{ "camlMain__entry", "Main.entry" },
		{ "camlMain__code_begin", "Main.code_begin" },
		{ "camlMain__fun_81", "Main.fun_81" },
		{ "camlCamlinternalFormat__make_printf_4967", "CamlinternalFormat.make_printf_4967" },
		{ "camlA__b'_1", "A.b'_1" },
		{ "camlA__$3d_7", "A.=_7" },
		/* names may hold "__": of ocamllex, of extensions of the syntax, of anybody */
		{ "camlA__b__c_1002", "A.b__c_1002" },
		{ "camlLexer____ocaml_lex_token_rec_44", "Lexer.__ocaml_lex_token_rec_44" },
		{ "camlA___b_3", "A._b_3" },
		{ "camlLib__Module__let__x_8", "Lib.Module.let__x_8" },
		{ "camlLib__Module__Sub__sub__fun_9", "Lib.Module.Sub.sub__fun_9" },
		{ "camlStdlib__list__rev__x_5", "Stdlib.list.rev__x_5" },
		{ "camlStdlib__failwith_8", "Stdlib.failwith_8" },
		{ "camlDune__exe__Main__run__all_5", "Dune.exe.Main.run__all_5" },
		{ "camlA__f$27__g_5", "A.f'__g_5" }, { "camlA__$c3$a9t$c3$a9_5", "A.\303\251t\303\251_5" },
		/* "." separates */
		{ "camlFib.fib_272", "Fib.fib_272" },
		{ "camlStdlib__List.map_12", "Stdlib.List.map_12" },
		{ "camlDune__exe__Main.a__b_12", "Dune.exe.Main.a__b_12" },
		{ "camlStdlib__Map.Make.__x_12", "Stdlib.Map.Make.__x_12" },
		{ "camlFib.$5e$2a_272", "Fib.^*_272" },
		{ "camlFoo__.entry", "Foo__.entry" }, { "camlA.f$27.g_3", "A.f'.g_3" },
		{ "camlStdlib.anon_fn$5bstdlib.ml$3a334$2c0$2d$2d54$5d_1453", "Stdlib.anon_fn[stdlib.ml:334,0--54]_1453" },
		/* "$" separates */
		{ "camlFib$fib_272", "Fib.fib_272" }, { "camlFib$add_272", "Fib.add_272" },
		{ "camlStdlib__Map$add_436", "Stdlib.Map.add_436" }, { "camlStdlib__Map$find_4", "Stdlib.Map.find_4" },
		{ "camlStdlib__Map$Make$bal__x_4", "Stdlib.Map.Make.bal__x_4" },
		{ "camlFib$$$5e$$2a_272", "Fib.^*_272" }, { "camlA__B$be$$27_1", "A.B.be'_1" },
		{ "camlA__B$12", "A.B.12" }, { "camlA$entry", "A.entry" },
		{ "camlA__$_7", "A.$_7" }, { "camlA__$3", "A.$3" }, { "camlA__$zz", "A.$zz" },
		/* what would end the name or drive a terminal */
		{ "camlA__$00x", "A.$00x" }, { "camlA__$1b[2J", "A.$1b[2J" }, { "camlA__$0a", "A.$0a" },
		{ "caml_alloc", NULL }, { "caml_main", NULL }, { "camlp4", NULL }, { "caml", NULL }, { "camelCase", NULL },
	};
	/* clang-format on */

	(void)state;
	check_all(v, ARRAY_SIZE(v), false);
}

#ifdef HAVE_LIBIBERTY
static void test_d(void **state)
{
	static const struct {
		char code;
		const char *name;
	} types[] = {
		{ 'a', "char" },    { 'b', "bool" },   { 'c', "creal" },   { 'd', "double" },
		{ 'e', "real" },    { 'f', "float" },  { 'g', "byte" },    { 'h', "ubyte" },
		{ 'i', "int" },     { 'j', "ireal" },  { 'k', "uint" },    { 'l', "long" },
		{ 'm', "ulong" },   { 'o', "ifloat" }, { 'p', "idouble" }, { 'q', "cfloat" },
		{ 'r', "cdouble" }, { 's', "short" },  { 't', "ushort" },  { 'u', "wchar" },
		{ 'v', "void" },    { 'w', "dchar" },
	};
	static const struct vector v[] = {
		{ "_Dmain", "D main" },
		{ "_D8demangle4testFZv", "demangle.test()" },
		{ "_D8demangle4testi", "demangle.test" },
		{ "_D1a1b1c1dFiZi", "a.b.c.d(int)" },
		{ "_D8demangle4testFAiZv", "demangle.test(int[])" },
		{ "_D8demangle4testFAAiZv", "demangle.test(int[][])" },
		{ "_D8demangle4testFG3iZv", "demangle.test(int[3])" },
		{ "_D8demangle4testFHbiZv", "demangle.test(int[bool])" },
		{ "_D8demangle4testFPiZv", "demangle.test(int*)" },
		{ "_D8demangle4testFPPvZv", "demangle.test(void**)" },
		{ "_D8demangle4testFxaZv", "demangle.test(const(char))" },
		{ "_D8demangle4testFyaZv", "demangle.test(immutable(char))" },
		{ "_D8demangle4testFOaZv", "demangle.test(shared(char))" },
		{ "_D8demangle4testFNgaZv", "demangle.test(inout(char))" },
		{ "_D8demangle4testFAyaZv", "demangle.test(immutable(char)[])" },
		{ "_D8demangle4testFiiZv", "demangle.test(int, int)" },
		{ "_D8demangle4testFiXv", "demangle.test(int...)" },
		{ "_D8demangle4testFiYv", "demangle.test(int, ...)" },
		{ "_D8demangle4testFKiZv", "demangle.test(ref int)" },
		{ "_D8demangle4testFJiZv", "demangle.test(out int)" },
		{ "_D8demangle4testFLiZv", "demangle.test(lazy int)" },
		{ "_D8demangle4testFMiZv", "demangle.test(scope int)" },
		{ "_D8demangle4testFC5klass1aZv", "demangle.test(klass.a)" },
		{ "_D8demangle4testFS3std4Type1sZv", "demangle.test(std.Type.s)" },
		{ "_D8demangle4testFE4enumZv", "demangle.test(enum)" },
		{ "_D8demangle4test6__ctorMFZC8demangle4test", "demangle.test.this()" },
		{ "_D8demangle4test6__dtorMFZv", "demangle.test.~this()" },
		{ "_D8demangle4test6__vtblZ", "vtable for demangle.test" },
		{ "_D8demangle4test6__initZ", "initializer for demangle.test" },
		{ "_D8demangle4test7__ClassZ", "ClassInfo for demangle.test" },
		{ "_D8demangle4test11__InterfaceZ", "Interface for demangle.test" },
		{ "_D8demangle4test12__ModuleInfoZ", "ModuleInfo for demangle.test" },
		{ "_DYNAMIC", NULL },
		{ "_D", NULL },
		{ "_Dx", NULL },
		{ "_D9", NULL },
		{ "_D8demangl", NULL },
		{ "_D99999999999999999999x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		char raw[32], shown[40];
		struct vector one = { raw, shown };

		snprintf(raw, sizeof(raw), "_D8demangle4testF%cZv", types[i].code);
		snprintf(shown, sizeof(shown), "demangle.test(%s)", types[i].name);
		check_all(&one, 1, false);
	}
	check_all(v, ARRAY_SIZE(v), false);
}

static void test_rust(void **state)
{
	static const struct vector v[] = {
		{ "_RNvC7mycrate3foo", "mycrate::foo" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_RNvNtC7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RNvMC7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar" },
		{ "_RNCNvC7mycrate3foo0", "mycrate::foo::{closure#0}" },
		{ "_RNCNvC7mycrate3foos_0", "mycrate::foo::{closure#1}" },
		{ "_RINvC7mycrate3foomE", "mycrate::foo::<u32>" },
		{ "_RINvC7mycrate3fooReE", "mycrate::foo::<&str>" },
		{ "_RINvC7mycrate3fooQShE", "mycrate::foo::<&mut [u8]>" },
		{ "_RINvC7mycrate3fooAmj8_E", "mycrate::foo::<[u32; 8]>" },
		{ "_RINvC7mycrate3fooTmbEE", "mycrate::foo::<(u32, bool)>" },
		{ "_RINvC7mycrate3fooKj1_E", "mycrate::foo::<1>" },
		{ "_RINvC7mycrate3fooFmEbE", "mycrate::foo::<fn(u32) -> bool>" },
		{ "_RNvXs_C7mycrateNtB4_3FooNtB4_3Bar3baz", "<mycrate::Foo as mycrate::Bar>::baz" },
		/* clang-format off */
		{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		  "utf8_idents::\341\203\241\341\203\220\341\203\255\341\203\233\341\203\224\341\203\232\341\203\220\341\203\223_"
		  "\341\203\222\341\203\224\341\203\233\341\203\240\341\203\230\341\203\224\341\203\232\341\203\230_"
		  "\341\203\241\341\203\220\341\203\223\341\203\230\341\203\232\341\203\230" },
		{ "_ZN3foo17h05af221e174051e9E", "foo" },
		{ "_ZN3foo3bar17h05af221e174051e9E", "foo::bar" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
		  "<Test + 'static as foo::Bar<Test>>::bar" },
		/* clang-format on */
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_R", NULL },
		{ "_RNvC", NULL },
		{ "_RNvC7mycrate", NULL },
	};

	(void)state;
	check_all(v, ARRAY_SIZE(v), false);
}

static void test_cxx(void **state)
{
	/* clang-format off */
	static const struct vector plain[] = {
		{ "_Z1fv", "f" }, { "_Z3fooi", "foo" }, { "_ZN1N1fEv", "N::f" }, { "_ZNK3Foo3barEv", "Foo::bar" },
		{ "_ZN3FooC1Ev", "Foo::Foo" }, { "_ZN3FooD0Ev", "Foo::~Foo" }, { "_ZN3FooplERKS_", "Foo::operator+" },
		{ "_ZN5StackIiiE5levelE", "Stack<int, int>::level" }, { "_ZNSt3_In4wardE", "std::_In::ward" },
		{ "_ZTV3Foo", "vtable for Foo" }, { "_ZTI3Foo", "typeinfo for Foo" }, { "_ZGVZ1fvE1x", "guard variable for f()::x" },
		{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f" }, { "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_ZN3FoocviEv", "Foo::operator int" }, { "_Znwm", "operator new" }, { "_ZThn8_N3Foo3barEv", "non-virtual thunk to Foo::bar()" },
		{ "_Z1fv@@V2", "f@@V2" }, { "_Z1fv@V1", "f@V1" },
		{ "_Z", NULL }, { "_Z1", NULL }, { "_Z9f", NULL }, { "_ZN3Foo", NULL }, { "main", NULL }, { "__libc_start_main", NULL },
		{ "", NULL }, { "_", NULL },
	};
	/* clang-format on */
	static const struct vector params[] = {
		{ "_Z1fv", "f()" },
		{ "_Z1fM1AKFvvE", "f(void (A::*)() const)" },
		{ "_Z1fIiEvT_", "void f<int>(int)" },
		{ "_Z1fPKcz", "f(char const*, ...)" },
		{ "_Z1fSsRSs", "f(std::string, std::string&)" },
		{ "_ZNKSt6vectorIiSaIiEE4sizeEv",
		  "std::vector<int, std::allocator<int> >::size() const" },
	};

	(void)state;
	check_all(plain, ARRAY_SIZE(plain), false);
	check_all(params, ARRAY_SIZE(params), true);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_java), cmocka_unit_test(test_ocaml),
#ifdef HAVE_LIBIBERTY
		cmocka_unit_test(test_d),    cmocka_unit_test(test_rust),
		cmocka_unit_test(test_cxx),
#endif
	};

	return cmocka_run_group_tests_name("mangled names", tests, NULL, NULL);
}
