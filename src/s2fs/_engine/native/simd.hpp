// The few vector operations the loops need, as wide as the registers of the instruction set.
//
// Arithmetic is written with the vector types of GCC and Clang; only what these types do not offer
// is an intrinsic, and has a plain loop where there is none. A multiplication and an addition are
// one operation where this is asked for by name, whatever the compiler's own rule is.

#ifndef S2FS_SIMD_HPP
#define S2FS_SIMD_HPP

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // false alarms in the header of GCC 12
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace s2fs {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define S2FS_AVX512
inline constexpr int VECTOR_BYTES = 64;
#elif defined(__AVX2__) && defined(__FMA__)
#define S2FS_AVX2
inline constexpr int VECTOR_BYTES = 32;
#else
inline constexpr int VECTOR_BYTES = 16;
#endif

typedef float Floats __attribute__((vector_size(VECTOR_BYTES)));
typedef double Doubles __attribute__((vector_size(VECTOR_BYTES)));
typedef std::int32_t Ints __attribute__((vector_size(VECTOR_BYTES)));
typedef std::int64_t Longs __attribute__((vector_size(VECTOR_BYTES)));

inline constexpr int N_FLOATS = VECTOR_BYTES / sizeof(float);
inline constexpr int N_DOUBLES = VECTOR_BYTES / sizeof(double);

template <class Real>
struct VectorOf;
template <>
struct VectorOf<float> {
    using Type = Floats;
};
template <>
struct VectorOf<double> {
    using Type = Doubles;
};
template <class Real>
using Vector = typename VectorOf<Real>::Type;

inline Floats load(const float *from) {
    Floats v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline Doubles load(const double *from) {
    Doubles v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline Ints load(const std::int32_t *from) {
    Ints v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
inline Longs load_longs(const std::int32_t *from) {
    Longs v;
    for (int i = 0; i < VECTOR_BYTES / 8; i++) v[i] = from[i];
    return v;
}
inline void store(float *to, Floats v) {
    std::memcpy(to, &v, sizeof v);
}
inline void store(double *to, Doubles v) {
    std::memcpy(to, &v, sizeof v);
}

inline Floats all(float x) {
    return x - Floats{};
}
inline Doubles all(double x) {
    return x - Doubles{};
}
inline Ints all(std::int32_t x) {
    return x - Ints{};
}

inline Floats magnitude(Floats v) {
    return (Floats)((Ints)v & 0x7fffffff);
}
inline Doubles magnitude(Doubles v) {
    return (Doubles)((Longs)v & 0x7fffffffffffffff);
}

#if defined(S2FS_AVX512)

inline Floats fma(Floats a, Floats b, Floats c) {
    return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
    return (Doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
inline Floats larger(Floats a, Floats b) {
    return (Floats)_mm512_max_ps((__m512)a, (__m512)b);
}
inline Floats smaller(Floats a, Floats b) {
    return (Floats)_mm512_min_ps((__m512)a, (__m512)b);
}
inline Doubles larger(Doubles a, Doubles b) {
    return (Doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
}
inline Doubles smaller(Doubles a, Doubles b) {
    return (Doubles)_mm512_min_pd((__m512d)a, (__m512d)b);
}
inline Floats root(Floats v) {
    return (Floats)_mm512_sqrt_ps((__m512)v);
}
inline Doubles root(Doubles v) {
    return (Doubles)_mm512_sqrt_pd((__m512d)v);
}
inline Floats rough_inverse_root(Floats v) {
    return (Floats)_mm512_rsqrt14_ps((__m512)v);
}
inline Floats rough_inverse(Floats v) {
    return (Floats)_mm512_rcp14_ps((__m512)v);
}
inline Floats narrow(const double *from) {
    const __m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(from));
    const __m256 high = _mm512_cvtpd_ps(_mm512_loadu_pd(from + 8));
    return (Floats)_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
inline Floats gather(const float *from, const std::int32_t *where) {
    return (Floats)_mm512_i32gather_ps(_mm512_loadu_si512(where), from, 4);
}
inline Doubles gather(const double *from, const std::int32_t *where) {
    return (Doubles)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)where), from, 8);
}

#elif defined(S2FS_AVX2)

inline Floats fma(Floats a, Floats b, Floats c) {
    return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
    return (Doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
inline Floats larger(Floats a, Floats b) {
    return (Floats)_mm256_max_ps((__m256)a, (__m256)b);
}
inline Floats smaller(Floats a, Floats b) {
    return (Floats)_mm256_min_ps((__m256)a, (__m256)b);
}
inline Doubles larger(Doubles a, Doubles b) {
    return (Doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
}
inline Doubles smaller(Doubles a, Doubles b) {
    return (Doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
}
inline Floats root(Floats v) {
    return (Floats)_mm256_sqrt_ps((__m256)v);
}
inline Doubles root(Doubles v) {
    return (Doubles)_mm256_sqrt_pd((__m256d)v);
}
inline Floats rough_inverse_root(Floats v) {
    return (Floats)_mm256_rsqrt_ps((__m256)v);
}
inline Floats rough_inverse(Floats v) {
    return (Floats)_mm256_rcp_ps((__m256)v);
}
inline Floats narrow(const double *from) {
    const __m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(from));
    const __m128 high = _mm256_cvtpd_ps(_mm256_loadu_pd(from + 4));
    return (Floats)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
inline Floats gather(const float *from, const std::int32_t *where) {
    return (Floats)_mm256_i32gather_ps(from, _mm256_loadu_si256((const __m256i *)where), 4);
}
inline Doubles gather(const double *from, const std::int32_t *where) {
    return (Doubles)_mm256_i32gather_pd(from, _mm_loadu_si128((const __m128i *)where), 8);
}

#else

inline Floats fma(Floats a, Floats b, Floats c) {
    return a * b + c;
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
    return a * b + c;
}
inline Floats larger(Floats a, Floats b) {
    return a > b ? a : b;
}
inline Floats smaller(Floats a, Floats b) {
    return a < b ? a : b;
}
inline Doubles larger(Doubles a, Doubles b) {
    return a > b ? a : b;
}
inline Doubles smaller(Doubles a, Doubles b) {
    return a < b ? a : b;
}
inline Floats narrow(const double *from) {
    Floats v;
    for (int i = 0; i < N_FLOATS; i++) v[i] = static_cast<float>(from[i]);
    return v;
}
inline Floats gather(const float *from, const std::int32_t *where) {
    Floats v;
    for (int i = 0; i < N_FLOATS; i++) v[i] = from[where[i]];
    return v;
}
inline Doubles gather(const double *from, const std::int32_t *where) {
    Doubles v;
    for (int i = 0; i < N_DOUBLES; i++) v[i] = from[where[i]];
    return v;
}
#if defined(__x86_64__)
inline Floats root(Floats v) {
    return (Floats)_mm_sqrt_ps((__m128)v);
}
inline Doubles root(Doubles v) {
    return (Doubles)_mm_sqrt_pd((__m128d)v);
}
inline Floats rough_inverse_root(Floats v) {
    return (Floats)_mm_rsqrt_ps((__m128)v);
}
inline Floats rough_inverse(Floats v) {
    return (Floats)_mm_rcp_ps((__m128)v);
}
#elif defined(__ARM_NEON)
inline Floats root(Floats v) {
    return (Floats)vsqrtq_f32((float32x4_t)v);
}
inline Doubles root(Doubles v) {
    return (Doubles)vsqrtq_f64((float64x2_t)v);
}
inline Floats rough_inverse_root(Floats v) {
    return 1.0f / root(v);
}
inline Floats rough_inverse(Floats v) {
    return 1.0f / v;
}
#else
inline Floats root(Floats v) {
    for (int i = 0; i < N_FLOATS; i++) v[i] = std::sqrt(v[i]);
    return v;
}
inline Doubles root(Doubles v) {
    for (int i = 0; i < N_DOUBLES; i++) v[i] = std::sqrt(v[i]);
    return v;
}
inline Floats rough_inverse_root(Floats v) {
    return 1.0f / root(v);
}
inline Floats rough_inverse(Floats v) {
    return 1.0f / v;
}
#endif

#endif

// Whether a comparison holds in any lane.
#if defined(S2FS_AVX512)
inline bool any(Ints mask) {
    return _mm512_movepi32_mask((__m512i)mask) != 0;
}
inline bool any(Longs mask) {
    return _mm512_movepi64_mask((__m512i)mask) != 0;
}
#elif defined(S2FS_AVX2)
inline bool any(Ints mask) {
    return _mm256_movemask_ps((__m256)mask) != 0;
}
inline bool any(Longs mask) {
    return _mm256_movemask_pd((__m256d)mask) != 0;
}
#else
inline bool any(Ints mask) {
    std::int32_t found = 0;
    for (int i = 0; i < N_FLOATS; i++) found |= mask[i];
    return found != 0;
}
inline bool any(Longs mask) {
    std::int64_t found = 0;
    for (int i = 0; i < N_DOUBLES; i++) found |= mask[i];
    return found != 0;
}
#endif
// Clang compares floats into a vector of `long` where that has 32 bits: Windows, WebAssembly.
template <class Mask>
inline bool any(Mask mask) {
    static_assert(sizeof mask[0] == sizeof(std::int32_t), "wider masks are Longs");
    return any((Ints)mask);
}

// In each lane the number of a table of `n` that `which` says; up to 63 more may be read of it.
inline Floats lookup(const float *table, std::int64_t n, Ints which) {
#if defined(S2FS_AVX512)
    const auto part = [&](int i) { return _mm512_loadu_ps(table + 16 * i); };
    const __m512i at = (__m512i)which;
    if (n <= 16) return (Floats)_mm512_permutexvar_ps(at, part(0));
    if (n <= 32) return (Floats)_mm512_permutex2var_ps(part(0), at, part(1));
    if (n <= 64)
        return which < 32 ? (Floats)_mm512_permutex2var_ps(part(0), at, part(1))
                          : (Floats)_mm512_permutex2var_ps(part(2), at, part(3));
#endif
    (void)n;
    return gather(table, reinterpret_cast<const std::int32_t *>(&which));
}

// The relative error of `rough_inverse` and `rough_inverse_root`, as their makers promise.
#if defined(S2FS_AVX512)
inline constexpr double ROUGH = 1.0 / 16384;
#else
inline constexpr double ROUGH = 1.5 / 4096;
#endif

// √v from below: with the relative error 2 ROUGH where that is much quicker than the root itself.
// A number too small for its inverse gives less than its root.
inline Floats root_from_below(Floats v) {
#if defined(S2FS_AVX512)
    return v * rough_inverse_root(larger(v, all(1e-30f))) * static_cast<float>(1 - ROUGH);
#else
    return root(v);
#endif
}
inline Doubles root_from_below(Doubles v) {
    return root(v);
}

// 1/√v with the relative error 7u of single precision: a Newton step leaves 3/2 ROUGH² < 3.4u of
// the rough root, and its three roundings add 3u.
inline Floats inverse_root(Floats v) {
    const Floats rough = rough_inverse_root(v);
    return rough * fma(v * -0.5f * rough, rough, all(1.5f));
}

// In double precision: two Newton steps from an error of 2⁻¹⁴ where there is such a rough root.
inline Doubles inverse_root(Doubles v) {
#if defined(S2FS_AVX512)
    Doubles w = (Doubles)_mm512_rsqrt14_pd((__m512d)v);
    const Doubles half = v * -0.5;
    w *= fma(half * w, w, all(1.5));
    return w * fma(half * w, w, all(1.5));
#else
    return 1.0 / root(v);
#endif
}

// 1/v with the relative error 5u: a Newton step leaves ROUGH² < 2.3u, its roundings add 2u.
inline Floats inverse(Floats v) {
    const Floats rough = rough_inverse(v);
    return rough * fma(-v, rough, all(2.0f));
}

// The sum over the lanes.
inline float total(Floats v) {
#if defined(S2FS_AVX512)
    return _mm512_reduce_add_ps((__m512)v);
#else
    alignas(VECTOR_BYTES) float lane[N_FLOATS];
    store(lane, v);
    for (int half = N_FLOATS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
#endif
}
inline double total(Doubles v) {
#if defined(S2FS_AVX512)
    return _mm512_reduce_add_pd((__m512d)v);
#else
    double sum = 0;
    for (int i = 0; i < N_DOUBLES; i++) sum += v[i];
    return sum;
#endif
}

}  // namespace s2fs

#endif
