// Loops of the baselines over pairs of samples, fuzzy relations, granules and class centres.
//
// Data come as columns: one contiguous row of n_samples numbers per feature. A call does the part from
// first to last of an outermost loop, so that the caller can be interrupted in between. Every sum is
// taken in a fixed order, so that all machines and the NumPy forms get the same digits: over pairs in
// lanes (lane_sum), elsewhere one by one.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../border.h"

using namespace s2fs;

namespace {

// Numbers that are summed side by side, whatever the width of the registers.
constexpr Index LANES = 8;
// Pairs that are summed up before their sum joins the total, so that long sums keep their digits.
constexpr Index CHUNK = 1024;
// Candidates that share one walk over an n × n table: the table is the larger, read it less.
constexpr Index CANDIDATES = 8;

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

template <class Integer>
void check_range(const Integer *values, Index count, Index n, const char *message) {
    for (Index i = 0; i < count; i++) require(0 <= values[i] && values[i] < n, message);
}

void check_part(Index first, Index last, Index count) {
    require(0 <= first && first <= last && last <= count, "the part is not in the loop.");
}

// Samples are in class order: class q takes the places bounds[q] to bounds[q + 1] − 1.
void check_bounds(const Index *bounds, Index n_bounds, Index n_samples) {
    require(n_bounds >= 2 && bounds[0] == 0 && bounds[n_bounds - 1] == n_samples &&
                std::is_sorted(bounds, bounds + n_bounds),
            "the bounds of the classes do not fit the samples.");
}

// Sum of a multiple of LANES terms: lane by lane, then half the lanes to the other half.
inline double lane_sum(const double *terms, Index count) {
    double lanes[LANES] = {};
    for (Index p = 0; p < count; p += LANES)
        for (Index l = 0; l < LANES; l++) lanes[l] += terms[p + l];
    for (Index half = LANES / 2; half > 0; half /= 2)
        for (Index l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}

// How far features tell pairs of samples apart: min(1, |difference| / width), or
// 1 − exp(−½ (difference / width)²) where gaussian.
struct Discernibility {
    const double *columns, *widths;
    const std::int32_t *left, *right;
    Index n_features, n_samples, n_pairs;
    bool gaussian;

    void check(Index feature) const {
        require(0 <= feature && feature < n_features, "a candidate is not in the table.");
    }
    void check_pairs() const {
        check_range(left, n_pairs, n_samples, "a pair has a sample outside of the table.");
        check_range(right, n_pairs, n_samples, "a pair has a sample outside of the table.");
    }

    // Of the pairs from begin to end.
    void discern(Index feature, Index begin, Index end, double *out) const {
        const double *x = columns + feature * n_samples;
        const double width = widths[feature];
        const std::int32_t *l = left + begin, *r = right + begin;
        const Index count = end - begin;
        for (Index p = 0; p < count; p++) out[p] = std::fabs(x[l[p]] - x[r[p]]) / width;
        if (gaussian)
            for (Index p = 0; p < count; p++) out[p] = 1.0 - std::exp(-0.5 * out[p] * out[p]);
        else
            for (Index p = 0; p < count; p++) out[p] = smaller(1.0, out[p]);
    }
};

// The s-norm of what was satisfied and what a feature discerns: the maximum, or the bounded sum.
inline void join(const double *satisfied, const double *discerned, Index count, bool largest,
                 double *out) {
    if (largest)
        for (Index p = 0; p < count; p++) out[p] = larger(satisfied[p], discerned[p]);
    else
        for (Index p = 0; p < count; p++) out[p] = smaller(1.0, satisfied[p] + discerned[p]);
}

// Σ over all pairs of terms that are written a chunk at a time.
template <class Write>
inline double chunked_sum(Index n_pairs, Write write) {
    double terms[CHUNK], total = 0.0;
    for (Index begin = 0; begin < n_pairs; begin += CHUNK) {
        const Index end = std::min(begin + CHUNK, n_pairs);
        write(begin, end, terms);
        Index count = end - begin;
        while (count % LANES) terms[count++] = 0.0;
        total += lane_sum(terms, count);
    }
    return total;
}

// A fuzzy relation of samples in class order, joined by candidates. similarities[i] are those of
// sample i to the samples who[i], class by class and the largest first in each class. A difference
// above the radius leaves no similarity.
struct SortedRelation {
    const double *columns, *similarities;
    const std::int32_t *who;
    const Index *bounds;
    Index n_samples, n_classes;
    double radius;

    // The largest similarity of sample i to class q with a candidate x, or the floor if that is more.
    double nearest_in(const double *x, Index i, Index q, double floor) const {
        const double *similarity = similarities + i * n_samples;
        const std::int32_t *other = who + i * n_samples;
        double top = floor;
        for (Index p = bounds[q]; p < bounds[q + 1]; p++) {
            // A candidate can only lower a similarity, and all that follow are smaller.
            if (!(similarity[p] > top)) break;
            const double distance = std::fabs(x[i] - x[other[p]]);
            if (distance <= radius) top = larger(top, smaller(similarity[p], 1.0 - distance));
        }
        return top;
    }

    Index class_of(Index i) const {
        return std::upper_bound(bounds, bounds + n_classes + 1, i) - bounds - 1;
    }

    void check(Index n_bounds, Index n_features, const Index *candidates, Index n_candidates,
               Index first, Index last) const {
        check_part(first, last, n_samples);
        check_bounds(bounds, n_bounds, n_samples);
        check_range(candidates, n_candidates, n_features, "a candidate is not in the table.");
        check_range(who + first * n_samples, (last - first) * n_samples, n_samples,
                    "the relation has a sample outside of the table.");
    }
};

}  // namespace

// out[c] = Σ over pairs of S(satisfied, discerned by candidate c), where the s-norm S is the maximum
// if largest, else the bounded sum.
S2FS_ENTRY(s2fs_satisfaction,
           (const double *columns, Index n_features, Index n_samples, const double *widths,
            const std::int32_t *left, const std::int32_t *right, Index n_pairs, Index gaussian,
            const double *satisfied, Index largest, const Index *candidates, Index n_candidates,
            Index first, Index last, double *out)) {
    return guarded([&] {
        const Discernibility of{columns, widths,    left,    right,
                                n_features, n_samples, n_pairs, gaussian != 0};
        check_part(first, last, n_candidates);
        of.check_pairs();
        for (Index c = first; c < last; c++) {
            of.check(candidates[c]);
            out[c] = chunked_sum(n_pairs, [&](Index begin, Index end, double *terms) {
                of.discern(candidates[c], begin, end, terms);
                join(satisfied + begin, terms, end - begin, largest != 0, terms);
            });
        }
    });
}

// satisfied = S(satisfied, discerned by the feature).
S2FS_ENTRY(s2fs_satisfy,
           (const double *columns, Index n_features, Index n_samples, const double *widths,
            const std::int32_t *left, const std::int32_t *right, Index n_pairs, Index gaussian,
            Index feature, Index largest, double *satisfied)) {
    return guarded([&] {
        const Discernibility of{columns, widths,    left,    right,
                                n_features, n_samples, n_pairs, gaussian != 0};
        of.check(feature);
        of.check_pairs();
        double discerned[CHUNK];
        for (Index begin = 0; begin < n_pairs; begin += CHUNK) {
            const Index end = std::min(begin + CHUNK, n_pairs);
            of.discern(feature, begin, end, discerned);
            join(satisfied + begin, discerned, end - begin, largest != 0, satisfied + begin);
        }
    });
}

// out[c] = Σ of the weights of the pairs that candidate c discerns to the threshold or beyond.
S2FS_ENTRY(s2fs_settled_weight,
           (const double *columns, Index n_features, Index n_samples, const double *widths,
            const std::int32_t *left, const std::int32_t *right, Index n_pairs, Index gaussian,
            const double *threshold, const double *weight, const Index *candidates,
            Index n_candidates, Index first, Index last, double *out)) {
    return guarded([&] {
        const Discernibility of{columns, widths,    left,    right,
                                n_features, n_samples, n_pairs, gaussian != 0};
        check_part(first, last, n_candidates);
        of.check_pairs();
        for (Index c = first; c < last; c++) {
            of.check(candidates[c]);
            out[c] = chunked_sum(n_pairs, [&](Index begin, Index end, double *terms) {
                of.discern(candidates[c], begin, end, terms);
                for (Index p = 0; p < end - begin; p++) {
                    const double counted = weight[begin + p];  // read always, to spare a branch
                    terms[p] = terms[p] >= threshold[begin + p] ? counted : 0.0;
                }
            });
        }
    });
}

// out[p] = whether the feature discerns pair p to the threshold or beyond.
S2FS_ENTRY(s2fs_settled,
           (const double *columns, Index n_features, Index n_samples, const double *widths,
            const std::int32_t *left, const std::int32_t *right, Index n_pairs, Index gaussian,
            Index feature, const double *threshold, std::uint8_t *out)) {
    return guarded([&] {
        const Discernibility of{columns, widths,    left,    right,
                                n_features, n_samples, n_pairs, gaussian != 0};
        of.check(feature);
        of.check_pairs();
        double discerned[CHUNK];
        for (Index begin = 0; begin < n_pairs; begin += CHUNK) {
            const Index end = std::min(begin + CHUNK, n_pairs);
            of.discern(feature, begin, end, discerned);
            for (Index p = begin; p < end; p++) out[p] = discerned[p - begin] >= threshold[p];
        }
    });
}

// For the samples i from first to last: nearest[c, i], the largest similarity to any other class with
// candidate c, and reach[c, q], to which that of i to class q is added if q is another.
S2FS_ENTRY(s2fs_nearest_others,
           (const double *columns, Index n_features, Index n_samples, const double *similarities,
            const std::int32_t *who, const Index *bounds, Index n_bounds, const Index *candidates,
            Index n_candidates, double radius, Index first, Index last, double *nearest,
            double *reach, Index n_classes)) {
    return guarded([&] {
        require(n_classes == n_bounds - 1, "the classes do not fit their bounds.");
        const SortedRelation of{columns, similarities, who, bounds, n_samples, n_classes, radius};
        of.check(n_bounds, n_features, candidates, n_candidates, first, last);
        for (Index i = first; i < last; i++) {
            const Index own = of.class_of(i);
            for (Index c = 0; c < n_candidates; c++) {
                const double *x = columns + candidates[c] * n_samples;
                double most = 0.0;
                for (Index q = 0; q < n_classes; q++) {
                    if (q == own) continue;
                    const double top = of.nearest_in(x, i, q, 0.0);
                    most = larger(most, top);
                    reach[c * n_classes + q] += top;
                }
                nearest[c * n_samples + i] = most;
            }
        }
    });
}

// For the samples i from first to last: nearest[c, i], the largest similarity to any class, where[c,
// i], that class, and second[c, i], the largest to any other.
S2FS_ENTRY(s2fs_two_nearest,
           (const double *columns, Index n_features, Index n_samples, const double *similarities,
            const std::int32_t *who, const Index *bounds, Index n_bounds, const Index *candidates,
            Index n_candidates, double radius, Index first, Index last, double *nearest,
            double *second, Index *where)) {
    return guarded([&] {
        const Index n_classes = n_bounds - 1;
        const SortedRelation of{columns, similarities, who, bounds, n_samples, n_classes, radius};
        of.check(n_bounds, n_features, candidates, n_candidates, first, last);
        for (Index i = first; i < last; i++)
            for (Index c = 0; c < n_candidates; c++) {
                const double *x = columns + candidates[c] * n_samples;
                double most = 0.0, runner_up = 0.0;
                Index place = 0;
                for (Index q = 0; q < n_classes; q++) {
                    // What is not above the second largest so far need not be known.
                    const double top = of.nearest_in(x, i, q, runner_up);
                    if (top > most) {
                        runner_up = most;
                        most = top;
                        place = q;
                    } else {
                        runner_up = top;
                    }
                }
                const Index at = c * n_samples + i;
                nearest[at] = most;
                second[at] = runner_up;
                where[at] = place;
            }
    });
}

// Join a feature x to the rows from first to last of the relation, by the minimum.
S2FS_ENTRY(s2fs_intersect, (const double *x, Index n_samples, double radius, Index first, Index last,
                            double *relation)) {
    return guarded([&] {
        check_part(first, last, n_samples);
        for (Index i = first; i < last; i++) {
            double *row = relation + i * n_samples;
            for (Index j = 0; j < n_samples; j++) {
                const double distance = std::fabs(x[i] - x[j]);
                row[j] = smaller(row[j], distance <= radius ? 1.0 - distance : 0.0);
            }
        }
    });
}

// Add the lower and upper approximations of fuzzy classes by the samples from first to last, in a
// relation joined by each candidate. decision has the memberships of the samples in the classes.
//
// A sample of similarity 0 leaves both approximations as they are. Those that the relation already
// holds apart are left out once for all candidates, and the lists are filled up with similarities of 0.
S2FS_ENTRY(s2fs_approximation_sizes,
           (const double *columns, Index n_features, Index n_samples, const Index *candidates,
            Index n_candidates, const double *relation, const double *decision, Index n_classes,
            double radius, Index first, Index last, double *lower, double *upper)) {
    return guarded([&] {
        const Index n = n_samples;
        check_part(first, last, n);
        check_range(candidates, n_candidates, n_features, "a candidate is not in the table.");
        const Index n_padded = (n + LANES - 1) / LANES * LANES;
        std::vector<Index> who(n_padded);
        std::vector<double> similarities(n_padded), near(n_padded), memberships(n_classes * n_padded);
        for (Index i = first; i < last; i++) {
            const double *row = relation + i * n;
            Index count = 0;
            for (Index j = 0; j < n; j++)
                if (row[j] > 0.0) {
                    who[count] = j;
                    similarities[count++] = row[j];
                }
            while (count % LANES) {
                who[count] = i;
                similarities[count++] = 0.0;
            }
            for (Index q = 0; q < n_classes; q++)
                for (Index t = 0; t < count; t++)
                    memberships[q * count + t] = decision[q * n + who[t]];
            for (Index c = 0; c < n_candidates; c++) {
                const double *x = columns + candidates[c] * n;
                for (Index t = 0; t < count; t++) near[t] = std::fabs(x[i] - x[who[t]]);
                for (Index t = 0; t < count; t++) {
                    const double joined = smaller(similarities[t], 1.0 - near[t]);
                    near[t] = near[t] <= radius ? joined : 0.0;
                }
                for (Index q = 0; q < n_classes; q++) {
                    const double *membership = &memberships[q * count];
                    double low = 1.0, up = 0.0;
#pragma omp simd reduction(min : low) reduction(max : up)
                    for (Index t = 0; t < count; t++) {
                        const double outside = larger(1.0 - near[t], membership[t]);
                        const double inside = smaller(near[t], membership[t]);
                        low = outside < low ? outside : low;
                        up = inside > up ? inside : up;
                    }
                    lower[c * n_classes + q] += low;
                    upper[c * n_classes + q] += up;
                }
            }
        }
    });
}

// The sums of the largest differences in a set of features joined by the candidates from first to
// last: of each sample to its own class and to all, rows of own and every. furthest has the largest
// differences in the set.
//
// The sums run down the table, so that neighbouring samples fill the lanes of a vector, and take four
// rows at a time, because the traffic to memory is what costs.
S2FS_ENTRY(s2fs_largest_difference_sums,
           (const double *columns, Index n_candidates, Index n_samples, const double *furthest,
            const Index *bounds, Index n_bounds, Index first, Index last, double *own,
            double *every)) {
    return guarded([&] {
        const Index n = n_samples;
        check_part(first, last, n_candidates);
        check_bounds(bounds, n_bounds, n);
        std::vector<double> all_sums(CANDIDATES * n);
        for (Index begin_c = first; begin_c < last; begin_c += CANDIDATES) {
            const Index end_c = std::min(begin_c + CANDIDATES, last);
            std::fill(every + begin_c * n, every + end_c * n, 0.0);
            for (Index q = 0; q + 1 < n_bounds; q++) {
                const Index begin = bounds[q], end = bounds[q + 1];
                const Index in_fours = begin + (end - begin) / 4 * 4;
                std::fill(all_sums.begin(), all_sums.end(), 0.0);
                for (Index i = begin; i < in_fours; i += 4)
                    for (Index c = begin_c; c < end_c; c++) {
                        const double *x = columns + c * n;
                        const double *row0 = furthest + i * n, *row1 = row0 + n;
                        const double *row2 = row1 + n, *row3 = row2 + n;
                        double *sums = &all_sums[(c - begin_c) * n];
#pragma omp simd
                        for (Index j = 0; j < n; j++)
                            sums[j] += (larger(row0[j], std::fabs(x[j] - x[i])) +
                                        larger(row1[j], std::fabs(x[j] - x[i + 1]))) +
                                       (larger(row2[j], std::fabs(x[j] - x[i + 2])) +
                                        larger(row3[j], std::fabs(x[j] - x[i + 3])));
                    }
                for (Index i = in_fours; i < end; i++)
                    for (Index c = begin_c; c < end_c; c++) {
                        const double *x = columns + c * n, *row = furthest + i * n;
                        double *sums = &all_sums[(c - begin_c) * n];
#pragma omp simd
                        for (Index j = 0; j < n; j++)
                            sums[j] += larger(row[j], std::fabs(x[j] - x[i]));
                    }
                for (Index c = begin_c; c < end_c; c++) {
                    const double *sums = &all_sums[(c - begin_c) * n];
                    for (Index j = begin; j < end; j++) own[c * n + j] = sums[j];
                    for (Index j = 0; j < n; j++) every[c * n + j] += sums[j];
                }
            }
        }
    });
}

// Change the granule sizes of a set of features, own and every, to those with each candidate from
// first to last added. The similarity of two samples is exp(−scale · difference²).
//
// Only pairs that the candidate puts further apart need an exponential, and they become few as the set
// grows. They are first collected without a branch, which no processor could predict.
S2FS_ENTRY(s2fs_gaussian_changes,
           (const double *columns, Index n_candidates, Index n_samples, const double *furthest,
            const double *relation, const double *weights, const Index *bounds, Index n_bounds,
            double scale, Index first, Index last, double *own, double *every)) {
    return guarded([&] {
        const Index n = n_samples;
        check_part(first, last, n_candidates);
        check_bounds(bounds, n_bounds, n);
        std::vector<Index> changed(n + 1);  // one more: the place after the last is written as well
        for (Index begin_c = first; begin_c < last; begin_c += CANDIDATES) {
            const Index end_c = std::min(begin_c + CANDIDATES, last);
            for (Index q = 0; q + 1 < n_bounds; q++)
                for (Index i = bounds[q]; i < bounds[q + 1]; i++)
                    for (Index c = begin_c; c < end_c; c++) {
                        const double *x = columns + c * n, *far = furthest + i * n;
                        double *own_sizes = own + c * n, *every_size = every + c * n;
                        Index count = 0;
                        for (Index j = i + 1; j < n; j++) {
                            changed[count] = j;
                            count += std::fabs(x[j] - x[i]) > far[j];
                        }
                        for (Index t = 0; t < count; t++) {
                            const Index j = changed[t];
                            const double d = x[j] - x[i];
                            const double change = std::exp(-scale * (d * d)) - relation[i * n + j];
                            every_size[i] += change * weights[j];
                            every_size[j] += change * weights[i];
                            if (j < bounds[q + 1]) {
                                own_sizes[i] += change * weights[j];
                                own_sizes[j] += change * weights[i];
                            }
                        }
                    }
        }
    });
}

// out[c] = Σ over samples of their membership in the own class with candidate c, for the candidates
// from first to last. squares has the squared distances of the samples to the class centres in the set
// so far; none is taken for less than floor, and power is the exponent of a ratio of them.
S2FS_ENTRY(s2fs_aggregation,
           (const double *columns, Index n_candidates, Index n_samples, const double *centres,
            Index n_classes, const double *squares, const Index *codes, double power, double floor,
            Index first, Index last, double *out)) {
    return guarded([&] {
        check_part(first, last, n_candidates);
        check_range(codes, n_samples, n_classes, "a class is out of range.");
        for (Index c = first; c < last; c++) {
            const double *x = columns + c * n_samples, *centre = centres + c * n_classes;
            double total = 0.0;
            for (Index i = 0; i < n_samples; i++) {
                const auto square = [&](Index q) {
                    const double d = x[i] - centre[q];
                    return larger(squares[i * n_classes + q] + d * d, floor);
                };
                const double own = square(codes[i]);
                double ratios = 0.0;
                if (power == 1.0)
                    for (Index q = 0; q < n_classes; q++) ratios += own / square(q);
                else
                    for (Index q = 0; q < n_classes; q++)
                        ratios += std::pow(own / square(q), power);
                total += 1.0 / ratios;
            }
            out[c] = total;
        }
    });
}
