/* What a person calls a frame where `Class.method` is not what it is called: lambdas of Kotlin and Java, functions of Go,
 * C++ and Rust. Raw.
 *
 *     com.example.Foo$bar$1.invoke                     bar lambda in Foo        bar lambda
 *     github.com/acme/shop/cart.(*Cart).Add.func1      cart.(*Cart).Add.func1   Add.func1
 *     std::__1::vector<int, A<int> >::insert(int)      vector::insert           insert
 *     <alloc::vec::Vec<T> as core::iter::Extend>::f    Vec::f                   f
 *
 * How each language makes its names: what kotlinc, javac and d8 call the classes and methods of lambdas; runtime.Func.Name of
 * Go; the Itanium C++ ABI and Rust's v0 mangling as they are shown demangled. */
#pragma once

#include "core/buf.h"
#include "profile/frame/frame_text.h"

/* Appends two forms, of which `least` is the shorter one. False: there is nothing to say, and nothing was appended. */
bool short_name_put(const struct frame_parts *parts, struct buf *name, struct buf *least);
