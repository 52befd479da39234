// Pair cover of a growing subset: all candidates are screened in single precision, and those that
// may be the best are scored in double precision (steps 12 to 17).

#include "pairs.h"

#include <cmath>
#include <limits>

#include "simd.hpp"

namespace {

using namespace s2fs;
using Index = std::int64_t;

constexpr Index BLOCK = S2FS_BLOCK, PADDING = S2FS_PADDING;
// Pairs, and rows, that are summed before the sum joins the others.
constexpr Index CHUNK = 16;
constexpr double LEAST_JOINT = 0.05;
constexpr double U = 1.0 / (1 << 24);
constexpr float NO_CANDIDATE = std::numeric_limits<float>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();
// Steps 15 and 16, see there.
constexpr double PRODUCT_ERROR = 12 * U;
constexpr double LOG2_E = 1.4426950408889634, UNIT = 8 / LOG2_E;

inline Index padded(Index n) {
    return (n + PADDING - 1) / PADDING * PADDING;
}

// What is the same for all candidates of a step, of a pair of classes (step 14).
struct Pair {
    std::int32_t first, second;
    float weight;            // exp(−(S − least S) / 8); for correlation 0 of the sum before the cut
    float noise;             // 1/n_a + 1/n_b, unless that is of each feature, less min(J, 0)
    float least;             // −max(J, 0)
    float twice;             // 2 max(J, 0)
    float open, floor;       // joint and 0.05 alone, less the larger of them
    float separation, spread;
    std::int32_t place;      // in the order of the classes
    float unused;
};
static_assert(sizeof(Pair) == S2FS_PAIR_BYTES, "as the caller allocates them");

// 2^t with the relative error 5u; less where that is below 2^−125 or above 2^126.
inline Floats exp2_of_fraction(Floats r) {
    Floats y = fma(all(0.001326472731307149f), r, all(0.009671512991189957f));
    y = fma(y, r, all(0.05550733581185341f));
    y = fma(y, r, all(0.24022242426872253f));
    y = fma(y, r, all(0.6931470036506653f));
    return fma(y, r, all(1.0f));
}
inline Floats exp2_from_below(Floats t) {
#if defined(S2FS_AVX512)
    const Floats clipped = smaller(t, all(126.0f));
    const Floats whole = (Floats)_mm512_roundscale_ps((__m512)clipped, _MM_FROUND_TO_NEAREST_INT);
    return (Floats)_mm512_scalef_ps((__m512)exp2_of_fraction(clipped - whole), (__m512)whole);
#else
    const float magic = 12582912.0f;  // 1.5 · 2²³: what is added to it is rounded to an integer
    const Floats clipped = larger(smaller(t, all(126.0f)), all(-125.0f));
    const Floats shifted = clipped + magic;
    const Floats y = exp2_of_fraction(clipped - (shifted - magic));
    const Ints scaled = (Ints)y + ((Ints)shifted << 23);
    return t < all(-125.0f) ? Floats{} : (Floats)scaled;
#endif
}

// exp(x) for x up to 0, with all digits but the last; 0 where it is less than 2^−1000.
inline Doubles exp_of(Doubles x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 · 2⁵²
    constexpr int DEGREE = 13;
    // ln(2)^j / j!, the largest j first.
    constexpr double terms[DEGREE + 1] = {
        1.3691488853904128e-12, 2.5678435993488206e-11, 4.4455382718708115e-10,
        7.054911620801123e-09,  1.01780860092396997e-07, 1.32154867901443095e-06,
        1.52527338040598403e-05, 1.54035303933816100e-04, 1.33335581464284434e-03,
        9.61812910762847716e-03, 5.55041086648215800e-02, 2.40226506959100712e-01,
        6.93147180559945309e-01, 1.0,
    };
    const Doubles t = larger(x * LOG2_E, all(-1000.0));
    const Doubles shifted = t + magic, r = t - (shifted - magic);
    Doubles y = all(terms[0]);
    for (int j = 1; j <= DEGREE; j++) y = fma(y, r, all(terms[j]));
    const Doubles scaled = (Doubles)((Longs)y + ((Longs)shifted << 52));
    return t > all(-1000.0) ? scaled : Doubles{};
}

inline double larger_of(double a, double b) {
    return a > b ? a : b;
}

inline double value_at(const S2fsRows &rows, Index i, Index f) {
    const Index at = i * rows.row_step + f * rows.column_step;
    return rows.is_single ? static_cast<double>(static_cast<const float *>(rows.values)[at])
                          : static_cast<const double *>(rows.values)[at];
}

// The middle of the class means of a feature: what they are taken from (step 13).
inline double middle(const S2fsCover &of, Index f) {
    double least = of.mean[f], most = least;
    for (Index q = 1; q < of.n_classes; q++) {
        const double c = of.mean[q * of.n_features + f];
        least = c < least ? c : least;
        most = c > most ? c : most;
    }
    return least + (most - least) / 2;
}

inline double centre(const S2fsCover &of, Index q, Index f, double mid) {
    return of.spread[f] > 0 ? (of.mean[q * of.n_features + f] - mid) / of.spread[f] : 0.0;
}

inline double inverse_count(const S2fsCover &of, Index q, Index f) {
    return 1 / of.counts[q * of.class_step + f * of.feature_step];
}

// The residuals of a feature inside the classes, in its unit; a missing value has none.
void residual(const S2fsCover &of, Index f, double *r) {
    const S2fsRows &rows = of.rows;
    const double unit = 1 / of.unit[f];
    for (Index i = 0; i < rows.n_samples; i++) {
        const double x = value_at(rows, i, f) - of.mean[rows.codes[i] * of.n_features + f];
        r[i] = x == x ? x * unit : 0.0;
    }
    for (Index i = rows.n_samples; i < padded(rows.n_samples); i++) r[i] = 0;
}

// The sum over lanes whose number does not depend on the registers.
inline double total_of(const double *lanes, Index n) {
    double sum = 0;
    for (Index l = 0; l < n; l++) sum += lanes[l];
    return sum;
}

double product(const double *a, const double *b, Index n) {
    double lanes[PADDING] = {};
    for (Index i = 0; i < n; i += PADDING)
        for (Index l = 0; l < PADDING; l++) lanes[l] += a[i + l] * b[i + l];
    return total_of(lanes, PADDING);
}

// Σ c(g) W(g, f) over all chosen features g, from all digits (step 16).
void crossed(S2fsCover &of, Index f, double *cross) {
    const Index p = of.n_classes;
    if (!of.rows.values) {
        const double *from = of.cross + f / BLOCK * p * BLOCK + f % BLOCK;
        for (Index q = 0; q < p; q++) cross[q] = from[q * BLOCK];
        return;
    }
    double *exact = of.exact + f * p;
    const Index n = padded(of.rows.n_samples);
    if (of.seen[f] < of.size) residual(of, f, of.column);
    for (Index g = of.seen[f]; g < of.size; g++) {
        const double w = of.chosen[g] == f ? 1.0 : product(of.joined + g * n, of.column, n);
        for (Index q = 0; q < p; q++) exact[q] += of.joined_centres[g * p + q] * w;
    }
    of.seen[f] = static_cast<std::int32_t>(of.size);
    for (Index q = 0; q < p; q++) cross[q] = exact[q];
}

// The separations of all pairs by the subset and a feature, as in _core/pairs.py.
void separate(S2fsCover &of, Index f, double *S) {
    const Index p = of.n_classes;
    double *mean = of.lines, *cross = mean + p, *noise = cross + p;
    const bool varies = of.spread[f] > 0;
    for (Index q = 0; q < p; q++) {
        mean[q] = varies ? of.mean[q * of.n_features + f] : 0.0;
        noise[q] = varies ? inverse_count(of, q, f) : 0.0;
    }
    const double s = varies ? of.spread[f] : 1.0, rho = of.correlation;
    const double *J = of.J, *alone = of.alone, *joint = of.joint;
    if (rho > 0) crossed(of, f, cross);
    for (Index a = 0; a < p; a++) {
        const Index n = p - a - 1;
        if (rho > 0) {
            for (Index i = 0; i < n; i++) {
                const Index b = a + 1 + i;
                const double d = (mean[a] - mean[b]) / s, dd = d * d;
                const double sum = J[i] + (dd - (noise[a] + noise[b]));
                const double far = sum > 0 ? sum : 0.0, apart = alone[i] + dd;
                const double least = LEAST_JOINT * apart;
                const double both = joint[i] + 2 * d * (cross[a] - cross[b]) + dd;
                const double along = rho * (both > least ? both : least) + (1 - rho) * apart;
                S[i] = along > 0 ? far * far / (along > 0 ? along : 1.0) : 0.0;
            }
            alone += n;
            joint += n;
        } else {
            for (Index i = 0; i < n; i++) {
                const Index b = a + 1 + i;
                const double d = (mean[a] - mean[b]) / s;
                const double sum = J[i] + (d * d - (noise[a] + noise[b]));
                S[i] = sum > 0 ? sum : 0.0;
            }
        }
        J += n;
        S += n;
    }
}

inline double least_of(const double *S, Index n) {
    double least = S[0];
    for (Index k = 1; k < n; k++) least = S[k] < least ? S[k] : least;
    return least;
}

// exp(−(S − nearest) / 8) of some pairs, S2FS_PADDING of them at most; the others are 0.
inline void bounds_of(const double *S, double nearest, Index n, double *to) {
    alignas(64) double apart[PADDING];
    for (Index l = 0; l < PADDING; l++) apart[l] = l < n ? (nearest - S[l]) / 8 : -INFINITE;
    for (Index l = 0; l < PADDING; l += N_DOUBLES) store(to + l, exp_of(load(apart + l)));
}

double cover(const double *S, double nearest, Index n) {
    double lanes[PADDING] = {}, some[PADDING];
    for (Index k = 0; k < n; k += PADDING) {
        bounds_of(S + k, nearest, n - k, some);
        for (Index l = 0; l < PADDING; l++) lanes[l] += some[l];
    }
    return nearest / 8 - std::log(total_of(lanes, PADDING) / static_cast<double>(n));
}

double scored(S2fsCover &of, Index f, double *closest) {
    double *S = of.separations + of.n_pairs;
    separate(of, f, S);
    *closest = least_of(S, of.n_pairs);
    return cover(S, *closest, of.n_pairs);
}

// Score a candidate, and lower the limit if none was better so far.
void confirm(S2fsCover &of, Index at, Index feature) {
    double closest;
    const double score = scored(of, feature, &closest);
    of.totals[2 * of.n_features + at] = score;
    if (score > of.best) {
        of.best = score;
        of.limit = static_cast<double>(of.n_pairs) *
                   std::exp(of.nearest / 8 - score * (1 - of.equal));
    }
}

inline bool is_confirmed(const S2fsCover &of, Index at) {
    const double score = of.totals[2 * of.n_features + at];
    return score == score;
}

// Step 14: the pairs, those that count most first.
void order_pairs(S2fsCover &of) {
    const Index p = of.n_classes, n_pairs = of.n_pairs;
    const double rho = of.correlation;
    double *S = of.separations;
    for (Index k = 0; k < n_pairs; k++) {
        const double J = larger_of(of.J[k], 0.0);
        if (rho > 0) {
            const double joint = larger_of(of.joint[k], LEAST_JOINT * of.alone[k]);
            const double along = rho * joint + (1 - rho) * of.alone[k];
            S[k] = along > 0 ? J * J / along : 0.0;
        } else {
            S[k] = J;
        }
    }
    of.nearest = least_of(S, n_pairs);
    // Places by the distance to the least one: any order will do, this one is nearly sorted.
    constexpr Index BUCKETS = 128;
    Index starts[BUCKETS + 1] = {};
    const auto bucket = [&](Index k) {
        const double place = (S[k] - of.nearest) * 2;
        return place < BUCKETS - 1 ? static_cast<Index>(place) : BUCKETS - 1;
    };
    for (Index k = 0; k < n_pairs; k++) starts[bucket(k) + 1]++;
    for (Index i = 0; i < BUCKETS; i++) starts[i + 1] += starts[i];
    Pair *pairs = static_cast<Pair *>(of.pairs);
    const double *exponents = rho > 0 ? S : of.J;  // correlation 0: of the sums before the cut
    double weights[PADDING];
    Index k = 0;
    for (Index a = 0; a < p; a++)
        for (Index b = a + 1; b < p; b++, k++) {
            Pair &pair = pairs[starts[bucket(k)]++];
            const double J = of.J[k], cut = larger_of(J, 0.0);
            if (k % PADDING == 0) bounds_of(exponents + k, of.nearest, n_pairs - k, weights);
            pair.weight = static_cast<float>(weights[k % PADDING]);
            pair.first = static_cast<std::int32_t>(a);
            pair.second = static_cast<std::int32_t>(b);
            pair.place = static_cast<std::int32_t>(k);
            if (rho > 0) {
                const double least = LEAST_JOINT * of.alone[k];
                const double joint = larger_of(of.joint[k], least);
                const double noise =
                    of.inverses ? 0.0 : inverse_count(of, a, 0) + inverse_count(of, b, 0);
                pair.noise = static_cast<float>(noise - (J - cut));
                pair.least = static_cast<float>(-cut);
                pair.twice = static_cast<float>(2 * cut);
                pair.open = static_cast<float>(of.joint[k] - joint);
                pair.floor = static_cast<float>(least - joint);
                pair.separation = static_cast<float>(S[k] / UNIT);
                pair.spread = static_cast<float>((rho * joint + (1 - rho) * of.alone[k]) * UNIT);
            } else if (J < 0) {
                const double weight = std::exp((of.nearest - J) / 8);
                pair.weight = static_cast<float>(weight < 1e38 ? weight : 1e38);
            }
        }
}

// A few candidates side by side, and the largest sum with which each of them may be the best.
struct Lanes {
    Floats total, error;  // a sum, and what it may be too large by
    float limit;
};

// What is left of a sum of weights may be no better than the best so far (step 17).
template <class Term>
inline bool add_up(const S2fsCover &of, Lanes &lanes, const Term &term) {
    const Pair *pairs = static_cast<const Pair *>(of.pairs);
    for (Index start = 0; start < of.n_pairs; start += CHUNK) {
        const Index stop = start + CHUNK < of.n_pairs ? start + CHUNK : of.n_pairs;
        Floats sum = {}, error = {};
        for (Index k = start; k < stop; k++) term(pairs[k], sum, error);
        lanes.total += sum;
        lanes.error += error;
        if (!any(lanes.total - lanes.error <= lanes.limit)) return false;
    }
    return true;
}

// The error of a sum of positive terms, relative to it (steps 12 and 15).
inline double sum_error(const S2fsCover &of) {
    return static_cast<double>(48 + of.n_pairs / CHUNK) * 2 * U;
}

// The largest sum in single precision with which a candidate may be the best. Terms below the
// smallest normal number have no relative error: sums that small rule nobody out.
inline double most_sum(const S2fsCover &of) {
    return of.limit * (1 + sum_error(of)) + static_cast<double>(of.n_pairs) * 1e-37;
}

inline float single(double x) {  // not less than it is
    return x < 1e38 ? static_cast<float>(x * (1 + 4 * U)) : 3e38f;
}

// Step 12: correlation 0.
bool screen_alone(const S2fsCover &of, Index block, Index lane, Lanes &lanes) {
    const float *bounds = of.bounds + block * of.n_pairs * BLOCK + lane;
    const Floats cap = all(single(of.nearest < 600 ? std::exp(of.nearest / 8) : 1e38));
    return add_up(of, lanes, [&](const Pair &pair, Floats &sum, Floats &) {
        sum += smaller(all(pair.weight) * load(bounds + pair.place * BLOCK), cap);
    });
}

// Steps 13 to 15: above 0.
template <bool Missing>
bool screen_joint(const S2fsCover &of, Index block, Index lane, Lanes &lanes) {
    const Index p = of.n_classes, at = block * p * BLOCK + lane;
    const float *centres = of.centres + at;
    const float *inverses = Missing ? of.inverses + at : nullptr;
    const double rho = of.correlation;
    Floats most = {};
    for (Index q = 0; q < p; q++) {
        const Floats cross = narrow(of.cross + at + q * BLOCK);
        store(of.lanes + q * N_FLOATS, cross + cross);
        most = larger(most, magnitude(cross));
    }
    // Step 15: how far the change of a separation may be off, over 8.
    const double kappa = 1 / (1 - (1 - LEAST_JOINT) * rho), share = kappa * kappa / 8;
    const double unit = share * U, less = U * 256;
    const Floats D = load(of.reach + block * BLOCK + lane), X = most + most;
    const Floats by_d = single(share * 8 * rho * of.cross_error) +
                        single(unit * 120 * rho) * X + single(unit * 216) * D;
    const Floats by_x = single(unit * 8 * rho) * D;  // x is twice the difference
    const Floats always =
        single(unit * 96 * of.most_noise) +
        D * (single(unit * less) * (D + X) + single(unit * 16 * rho * of.cross_error));
    // The spread, and the separation by its inverse, are in units in which a bound is a power of 2.
    const Floats joint_share = all(static_cast<float>(rho * UNIT));
    const Floats alone_share = all(static_cast<float>((1 - rho) * UNIT));
    const Floats floor_share = all(static_cast<float>(LEAST_JOINT));
    return add_up(of, lanes, [&](const Pair &pair, Floats &sum, Floats &error) {
        const Index a = pair.first, b = pair.second;
        const Floats d = load(centres + a * BLOCK) - load(centres + b * BLOCK);
        const Floats x = load(of.lanes + a * N_FLOATS) - load(of.lanes + b * N_FLOATS);
        const Floats dd = d * d;
        Floats gap = dd - pair.noise;
        if (Missing) gap -= load(inverses + a * BLOCK) + load(inverses + b * BLOCK);
        gap = larger(gap, all(pair.least));
        const Floats both = fma(d, x, dd);
        const Floats joint = larger(both + pair.open, fma(floor_share, dd, all(pair.floor)));
        const Floats wider = fma(joint_share, joint, alone_share * dd);
        const Floats along = larger(wider + pair.spread, all(1e-30f));
        const Floats lost = fma(wider, all(pair.separation), -(gap * (gap + pair.twice)));
        const Floats term = pair.weight * exp2_from_below(lost * inverse(along));
        const Floats off =
            smaller(fma(by_d, magnitude(d), fma(by_x, magnitude(x), always)), all(1.0f));
        sum += term;
        error = fma(term, off, error);
    });
}

void scan(S2fsCover &of, Index block) {
    const Index m = of.n_features;
    for (Index lane = 0; lane < BLOCK; lane += N_FLOATS) {
        Lanes lanes;
        const float *left = of.left + block * BLOCK + lane;
        lanes.total = load(left);
        if (!any(lanes.total <= 0.0f)) continue;
        lanes.error = Floats{};
        lanes.limit = single(most_sum(of));
        const bool open = of.correlation == 0 ? screen_alone(of, block, lane, lanes)
                          : of.inverses       ? screen_joint<true>(of, block, lane, lanes)
                                              : screen_joint<false>(of, block, lane, lanes);
        if (!open) continue;
        const Floats lower = lanes.total - lanes.error, upper = lanes.total + 2.0f * lanes.error;
        const Index before = of.n_found;
        Index least = -1;
        for (int l = 0; l < N_FLOATS; l++) {
            const Index f = block * BLOCK + lane + l;
            if (!(lower[l] <= lanes.limit) || f == of.seed) continue;
            const Index place = of.n_found++;
            of.found[place] = f;
            of.totals[place] = static_cast<double>(lower[l]);
            of.totals[m + place] = static_cast<double>(upper[l]);
            of.totals[2 * m + place] = NO_CANDIDATE;
            if (least < 0 || of.totals[m + place] < of.totals[m + least]) least = place;
        }
        // One that is most likely better leaves less to look at in the blocks that follow.
        if (of.n_found > before && of.totals[m + least] < of.limit)
            confirm(of, least, of.found[least]);
    }
}

// The correlations of a feature with the features of a block (step 16).
void correlations(const S2fsCover &of, Index block, const float *r, double *products) {
    const Index n = of.rows.n_samples;
    const float *residuals = of.residuals + block * n * BLOCK;
    for (Index l = 0; l < BLOCK; l++) products[l] = 0;
    constexpr Index V = BLOCK / N_FLOATS;
    for (Index start = 0; start < n; start += CHUNK) {
        const Index stop = start + CHUNK < n ? start + CHUNK : n;
        Floats even[V] = {}, odd[V] = {};
        Index i = start;
        for (; i + 1 < stop; i += 2)
            for (Index v = 0; v < V; v++) {
                const float *at = residuals + i * BLOCK + v * N_FLOATS;
                even[v] = fma(all(r[i]), load(at), even[v]);
                odd[v] = fma(all(r[i + 1]), load(at + BLOCK), odd[v]);
            }
        if (i < stop)
            for (Index v = 0; v < V; v++)
                even[v] = fma(all(r[i]), load(residuals + i * BLOCK + v * N_FLOATS), even[v]);
        alignas(64) float sums[BLOCK];
        for (Index v = 0; v < V; v++) store(sums + v * N_FLOATS, even[v] + odd[v]);
        for (Index l = 0; l < BLOCK; l++) products[l] += static_cast<double>(sums[l]);
    }
}

}  // namespace

std::int64_t s2fs_cover_layout() {
    return (Index{sizeof(S2fsCover)} << 32) + (Index{sizeof(S2fsRows)} << 16) +
           Index{sizeof(S2fsMoments)} + S2FS_TILE + S2FS_BLOCK + S2FS_PADDING + S2FS_PAIR_BYTES;
}

void s2fs_cover_prepare(S2fsCover *cover, Index start, Index stop) {
    S2fsCover &of = *cover;
    const Index p = of.n_classes, m = of.n_features;
    for (Index f = start * BLOCK; f < stop * BLOCK; f++) {
        const Index block = f / BLOCK, lane = f % BLOCK;
        const bool there = f < m;
        if (of.correlation > 0) {
            const double mid = there ? middle(of, f) : 0.0;
            double reach = 0;
            for (Index q = 0; q < p; q++) {
                const Index at = (block * p + q) * BLOCK + lane;
                const double c = there ? centre(of, q, f, mid) : 0.0;
                of.centres[at] = static_cast<float>(c);
                if (of.inverses)
                    of.inverses[at] = there && of.spread[f] > 0
                                          ? static_cast<float>(inverse_count(of, q, f))
                                          : 0.0f;
                reach = larger_of(reach, std::fabs(c));
            }
            // A constant feature has no noise; it is not screened.
            const bool varies = !there || of.spread[f] > 0;
            of.reach[f] = static_cast<float>(varies ? 2 * reach * (1 + 4 * U) : INFINITE);
        }
    }
    if (of.correlation > 0) return;
    for (Index block = start; block < stop; block++) {
        double mean[2][BLOCK], inverse[BLOCK];
        const Index width = m - block * BLOCK < BLOCK ? m - block * BLOCK : BLOCK;
        const auto read = [&](Index q, double *to) {
            const double *from = of.mean + q * m + block * BLOCK;
            for (Index l = 0; l < BLOCK; l++) to[l] = l < width ? from[l] : 0.0;
        };
        for (Index l = 0; l < BLOCK; l++) {
            const Index f = block * BLOCK + l;
            inverse[l] = f < m && of.spread[f] > 0 ? 1 / of.spread[f] : 0.0;
        }
        float *to = of.bounds + block * of.n_pairs * BLOCK;
        for (Index a = 0; a < p; a++) {
            read(a, mean[0]);
            for (Index b = a + 1; b < p; b++, to += BLOCK) {
                read(b, mean[1]);
                alignas(64) float r[BLOCK];
                alignas(64) std::int32_t whole[BLOCK];
                double noise[BLOCK];
                const double known = inverse_count(of, a, 0) + inverse_count(of, b, 0);
                for (Index l = 0; l < BLOCK; l++) noise[l] = inverse[l] > 0 ? known : 0.0;
                if (of.feature_step)
                    for (Index l = 0; l < BLOCK; l++)
                        if (inverse[l] > 0)
                            noise[l] = inverse_count(of, a, block * BLOCK + l) +
                                       inverse_count(of, b, block * BLOCK + l);
                for (Index l = 0; l < BLOCK; l++) {
                    const double d = (mean[0][l] - mean[1][l]) * inverse[l];
                    double t = (d * d - noise[l]) * (-LOG2_E / 8);
                    t = t < 120 ? t : 120;
                    t = t > -200 ? t : -200;
                    const double near = (t + 6755399441055744.0) - 6755399441055744.0;
                    r[l] = static_cast<float>(t - near);
                    whole[l] = static_cast<std::int32_t>(near);
                }
                for (Index l = 0; l < BLOCK; l += N_FLOATS) {
                    const Floats fraction = exp2_of_fraction(load(r + l));
                    const Ints n = load(whole + l);
                    const Floats scaled = (Floats)((Ints)fraction + (n << 23));
                    store(to + l, n < all(std::int32_t{-125}) ? Floats{} : scaled);
                }
            }
        }
    }
}

void s2fs_cover_residuals(S2fsCover *cover, Index start, Index stop) {
    S2fsCover &of = *cover;
    const S2fsRows &rows = of.rows;
    for (Index block = start; block < stop; block++) {
        const Index first = block * BLOCK;
        double unit[BLOCK];
        for (Index l = 0; l < BLOCK; l++)
            unit[l] = first + l < of.n_features ? 1 / of.unit[first + l] : 0.0;
        const Index width = of.n_features - first < BLOCK ? of.n_features - first : BLOCK;
        for (Index i = 0; i < rows.n_samples; i++) {
            const double *mean = of.mean + rows.codes[i] * of.n_features + first;
            double x[BLOCK] = {}, c[BLOCK] = {};
            for (Index l = 0; l < width; l++) {
                x[l] = value_at(rows, i, first + l);
                c[l] = mean[l];
            }
            float *to = of.residuals + (block * rows.n_samples + i) * BLOCK;
            for (Index l = 0; l < BLOCK; l++) {
                const double r = (x[l] - c[l]) * unit[l];
                to[l] = static_cast<float>(r == r ? r : 0.0);
            }
        }
    }
}

void s2fs_cover_begin(S2fsCover *cover) {
    S2fsCover &of = *cover;
    order_pairs(of);
    of.best = -INFINITE;
    of.limit = INFINITE;
    of.n_found = 0;
    if (of.seed >= 0 && !(of.left[of.seed] <= 0.0f)) of.seed = -1;
    if (of.seed < 0) return;
    of.found[0] = of.seed;
    of.totals[0] = of.totals[of.n_features] = 0;
    of.n_found = 1;
    confirm(of, 0, of.seed);
}

void s2fs_cover_scan(S2fsCover *cover, Index start, Index stop) {
    for (Index block = start; block < stop; block++) scan(*cover, block);
}

void s2fs_cover_decide(S2fsCover *cover) {
    S2fsCover &of = *cover;
    const Index m = of.n_features;
    for (Index i = 0; i < of.n_found; i++)
        if (!is_confirmed(of, i) && !(of.totals[i] > most_sum(of)))
            confirm(of, i, of.found[i]);
    // The best is taken, so the next step begins with the one that came after it.
    const double equal = of.best * (1 - of.equal);
    double second = -INFINITE;
    Index n_best = 0, best = -1;
    of.seed = -1;
    for (Index i = 0; i < of.n_found; i++) {
        const double score = of.totals[2 * m + i];
        if (score >= equal && (best < 0 || of.found[i] < best)) best = of.found[i];
    }
    for (Index i = 0; i < of.n_found; i++) {
        const Index f = of.found[i];
        // One that was not scored has about this score.
        const double score = is_confirmed(of, i)
                                 ? of.totals[2 * m + i]
                                 : of.nearest / 8 - std::log(of.totals[m + i] /
                                                             static_cast<double>(of.n_pairs));
        if (f != best && score > second) {
            second = score;
            of.seed = f;
        }
        if (of.totals[2 * m + i] >= equal) of.found[n_best++] = f;
    }
    of.n_found = n_best;
}

void s2fs_cover_score(S2fsCover *cover, const Index *candidates, double *scores, double *closest,
                      Index start, Index stop) {
    for (Index i = start; i < stop; i++) scores[i] = scored(*cover, candidates[i], closest + i);
}

void s2fs_cover_add(S2fsCover *cover, Index f, double *separations) {
    S2fsCover &of = *cover;
    const Index p = of.n_classes;
    separate(of, f, separations);  // leaves the means, the sums and the noise of the classes
    const double *mean = of.lines, *cross = mean + p, *noise = cross + p;
    const double s = of.spread[f] > 0 ? of.spread[f] : 1.0;
    Index k = 0;
    for (Index a = 0; a < p; a++)
        for (Index b = a + 1; b < p; b++, k++) {
            const double d = (mean[a] - mean[b]) / s;
            of.J[k] += d * d - (noise[a] + noise[b]);
            if (of.correlation > 0) {
                of.alone[k] += d * d;
                of.joint[k] += 2 * d * (cross[a] - cross[b]) + d * d;
            }
        }
    if (of.correlation == 0) return;
    const double mid = middle(of, f);
    double reach = 0;
    for (Index q = 0; q < p; q++) reach = larger_of(reach, std::fabs(centre(of, q, f, mid)));
    of.cross_error += 2 * reach * (of.rows.values ? PRODUCT_ERROR : U * U);
    if (!of.rows.values) return;
    const Index n = padded(of.rows.n_samples);
    double *r = of.joined + of.size * n;
    residual(of, f, r);
    for (Index i = 0; i < of.rows.n_samples; i++) r[i] *= of.rows.weight[i];
    for (Index q = 0; q < p; q++) of.joined_centres[of.size * p + q] = centre(of, q, f, mid);
    of.chosen[of.size++] = f;
}

void s2fs_cover_correlate(S2fsCover *cover, Index f, const double *products, Index start,
                          Index stop) {
    S2fsCover &of = *cover;
    const Index p = of.n_classes;
    const double mid = middle(of, f);
    double *centres = of.lines + 3 * p;
    for (Index q = 0; q < p; q++) centres[q] = centre(of, q, f, mid);
    float *r = of.single_column;
    if (!products) {
        const double *joined = of.joined + (of.size - 1) * padded(of.rows.n_samples);
        for (Index i = 0; i < of.rows.n_samples; i++) r[i] = static_cast<float>(joined[i]);
    }
    for (Index block = start; block < stop; block++) {
        double w[BLOCK] = {};
        if (products) {
            const Index first = block * BLOCK;
            const Index width = of.n_features - first < BLOCK ? of.n_features - first : BLOCK;
            for (Index l = 0; l < width; l++) w[l] = products[first + l];
        } else {
            correlations(of, block, r, w);
        }
        double *cross = of.cross + block * p * BLOCK;
        for (Index q = 0; q < p; q++)
            for (Index l = 0; l < BLOCK; l++) cross[q * BLOCK + l] += centres[q] * w[l];
    }
}

Index s2fs_cover_run(S2fsCover *cover, Index n_steps, Index *features, double *scores,
                     double *closest, double *separations, const S2fsShares *shares) {
    S2fsCover &of = *cover;
    const auto may_repeat = [&](Index f, Index n_joined) {
        const auto close = [&](Index g) {
            return std::fabs(shares->of_feature[f] - shares->of_feature[g]) <= shares->rounding;
        };
        for (Index i = 0; i < shares->n_before; i++)
            if (close(shares->before[i])) return true;
        for (Index i = 0; i < n_joined; i++)
            if (close(features[i])) return true;
        return false;
    };
    for (Index step = 0; step < n_steps; step++) {
        features[step] = -1;
        s2fs_cover_begin(cover);
        s2fs_cover_scan(cover, 0, of.n_blocks);
        s2fs_cover_decide(cover);
        if (of.n_found == 0) return step;  // nothing is left, or no score is a number
        Index f = of.found[0];
        for (Index i = 1; i < of.n_found; i++) f = of.found[i] < f ? of.found[i] : f;
        features[step] = f;
        if (shares && may_repeat(f, step)) return step;
        double *S = separations + step * of.n_pairs;
        s2fs_cover_add(cover, f, S);
        closest[step] = least_of(S, of.n_pairs);
        scores[step] = ::cover(S, closest[step], of.n_pairs);
        of.left[f] = NO_CANDIDATE;
        if (of.correlation > 0) s2fs_cover_correlate(cover, f, nullptr, 0, of.n_blocks);
    }
    return n_steps;
}
