// What every library tells about itself: its version of the border, the last error, and which
// instruction set this processor has.
//
// The compilers' own query, __builtin_cpu_supports, needs a part of their run-time library that
// not all of them ship, hence the question is put to the processor here.

#include "border.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

#if defined(__x86_64__)

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf) {
    Registers r;
    __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);  // leaves zeros where there is no such leaf
    return r;
}

// The vector registers that the operating system keeps for each program.
unsigned saved_registers() {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has_all(unsigned flags, unsigned wanted) { return (flags & wanted) == wanted; }

constexpr unsigned bit(int position) { return 1u << position; }

std::int32_t widest_instruction_set() {
    const Registers basic = cpuid(1), extended = cpuid(7), amd = cpuid(0x80000001u);
    // x86-64-v3: FMA, MOVBE, XSAVE used by the system, AVX, F16C; BMI1, AVX2, BMI2; LZCNT.
    const bool is_v3 = has_all(basic.c, bit(12) | bit(22) | bit(27) | bit(28) | bit(29)) &&
                       has_all(extended.b, bit(3) | bit(5) | bit(8)) && has_all(amd.c, bit(5)) &&
                       has_all(saved_registers(), bit(1) | bit(2));
    if (!is_v3) return 0;
    // x86-64-v4: AVX-512 F, DQ, CD, BW, VL.
    const bool is_v4 =
        has_all(extended.b, bit(16) | bit(17) | bit(28) | bit(30) | bit(31)) &&
        has_all(saved_registers(), bit(5) | bit(6) | bit(7));
    return is_v4 ? 2 : 1;
}

#else

std::int32_t widest_instruction_set() { return 0; }

#endif

}  // namespace

S2FS_EXPORT std::int32_t s2fs_abi() noexcept { return s2fs::ABI; }

S2FS_EXPORT const char *s2fs_last_message() noexcept { return s2fs::last_message(); }

// The widest instruction set of this processor and its operating system that a library is made
// for: 0 for the baseline of the architecture, 1 for AVX2, 2 for AVX-512.
S2FS_EXPORT std::int32_t s2fs_instruction_set() noexcept { return widest_instruction_set(); }
