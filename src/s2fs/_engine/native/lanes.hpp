// S2FS_LANES doubles side by side, in as many registers as the instruction set needs for them.
// Compilers take vectors wider than a register apart number by number, hence the array.

#ifndef S2FS_LANES_HPP
#define S2FS_LANES_HPP

#include <cstring>

#include "s2fs.h"

#if defined(__AVX512F__)
constexpr std::int64_t REGISTER = 8;
#elif defined(__AVX__)
constexpr std::int64_t REGISTER = 4;
#else
constexpr std::int64_t REGISTER = 2;
#endif
constexpr std::int64_t REGISTERS = S2FS_LANES / REGISTER;
typedef double Register __attribute__((vector_size(8 * REGISTER)));

inline Register larger(Register a, Register b) { return a > b ? a : b; }
inline Register smaller(Register a, Register b) { return a < b ? a : b; }
inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

inline Register load(const double *from) {
    Register v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

inline void store(double *to, Register v) { std::memcpy(to, &v, sizeof v); }

struct Lanes {
    Register at[REGISTERS];

    explicit Lanes(double x) {
        for (Register &v : at) v = x - Register{};
    }

    double least() const {
        double least = at[0][0];
        for (const Register &v : at)
            for (std::int64_t l = 0; l < REGISTER; l++) least = smaller(least, v[l]);
        return least;
    }

    double most() const {
        double most = at[0][0];
        for (const Register &v : at)
            for (std::int64_t l = 0; l < REGISTER; l++) most = larger(most, v[l]);
        return most;
    }
};

#endif
