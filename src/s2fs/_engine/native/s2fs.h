// What the native library exports. The interface is plain C: structs of numbers and pointers to
// arrays of NumPy, so that one library serves every version of Python.
//
// The sources are C++17 without its run-time library: no exceptions, no run-time types, no
// containers that allocate. Memory is the caller's, so that a call cannot fail.

#ifndef S2FS_H
#define S2FS_H

#include <cstdint>

#ifdef _WIN32
#define S2FS_EXPORT extern "C" __declspec(dllexport)
#else
#define S2FS_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The widest instruction set of this processor and its operating system that a library is made
// for: 0 for the baseline of the architecture, 1 for AVX2, 2 for AVX-512.
S2FS_EXPORT std::int32_t s2fs_instruction_set();

#endif
