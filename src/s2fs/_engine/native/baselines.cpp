// Loops of the baselines over pairs of instances, relations, granules and class centres.
//
// Every sum is taken in a fixed order, so that all machines and both engines get the same digits:
// over pairs in lanes (lane_sum), elsewhere one by one.

#include <cmath>

#include "lanes.hpp"

namespace {

using Index = std::int64_t;

// Pairs summed up before the partial sum joins the total, so that long sums keep their digits.
constexpr Index CHUNK = 1024;

// Sum of a multiple of S2FS_LANES terms: lane by lane, then half the lanes to the other half.
inline double lane_sum(const double *terms, Index count) {
    Lanes sums(0.0);
    for (Index p = 0; p < count; p += S2FS_LANES)
        for (Index r = 0; r < REGISTERS; r++) sums.at[r] += load(terms + p + r * REGISTER);
    double lanes[S2FS_LANES];
    std::memcpy(lanes, sums.at, sizeof lanes);
    for (Index half = S2FS_LANES / 2; half > 0; half /= 2)
        for (Index l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}

// How far a feature tells the pairs from begin to end apart, 0 to 1.
inline void discern(const S2fsPairs &of, Index feature, Index begin, Index end, double *out) {
    const double *x = of.columns + feature * of.n_samples;
    const double width = of.widths[feature];
    const std::int32_t *left = of.left + begin, *right = of.right + begin;
    for (Index p = 0; p < end - begin; p++) out[p] = std::fabs(x[left[p]] - x[right[p]]) / width;
    if (of.gaussian)
        for (Index p = 0; p < end - begin; p++) out[p] = 1.0 - std::exp(-0.5 * out[p] * out[p]);
    else
        for (Index p = 0; p < end - begin; p++) out[p] = smaller(1.0, out[p]);
}

// satisfied joined by what a feature discerns.
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
        const Index end = begin + CHUNK < n_pairs ? begin + CHUNK : n_pairs;
        write(begin, end, terms);
        Index count = end - begin;
        while (count % S2FS_LANES) terms[count++] = 0.0;
        total += lane_sum(terms, count);
    }
    return total;
}

// The largest of similarities to one class, already sorted, joined by a candidate: above a floor.
inline double nearest_in(const S2fsRelation &of, const double *x, Index i, Index q, double floor) {
    const double *similarities = of.similarities + i * of.n_samples;
    const std::int32_t *who = of.who + i * of.n_samples;
    double top = floor;
    for (Index p = of.bounds[q]; p < of.bounds[q + 1]; p++) {
        // A candidate can only lower a similarity, and all that follow are smaller.
        if (similarities[p] <= top) break;
        const double distance = std::fabs(x[i] - x[who[p]]);
        if (distance <= of.radius) top = larger(top, smaller(similarities[p], 1.0 - distance));
    }
    return top;
}

inline Index class_of(const Index *bounds, Index i) {
    Index q = 0;
    while (bounds[q + 1] <= i) q++;
    return q;
}

}  // namespace

void s2fs_satisfaction(const S2fsPairs *of, const double *satisfied, std::int32_t largest,
                       const Index *candidates, double *out, Index start, Index stop) {
    for (Index c = start; c < stop; c++)
        out[c] = chunked_sum(of->n_pairs, [&](Index begin, Index end, double *terms) {
            discern(*of, candidates[c], begin, end, terms);
            join(satisfied + begin, terms, end - begin, largest, terms);
        });
}

void s2fs_satisfy(const S2fsPairs *of, Index feature, std::int32_t largest, double *satisfied) {
    double discerned[CHUNK];
    for (Index begin = 0; begin < of->n_pairs; begin += CHUNK) {
        const Index end = begin + CHUNK < of->n_pairs ? begin + CHUNK : of->n_pairs;
        discern(*of, feature, begin, end, discerned);
        join(satisfied + begin, discerned, end - begin, largest, satisfied + begin);
    }
}

void s2fs_settled_weight(const S2fsPairs *of, const double *threshold, const double *weight,
                         const Index *candidates, double *out, Index start, Index stop) {
    for (Index c = start; c < stop; c++)
        out[c] = chunked_sum(of->n_pairs, [&](Index begin, Index end, double *terms) {
            discern(*of, candidates[c], begin, end, terms);
            for (Index p = 0; p < end - begin; p++) {
                const double counted = weight[begin + p];  // read always, to spare a branch
                terms[p] = terms[p] >= threshold[begin + p] ? counted : 0.0;
            }
        });
}

void s2fs_settled(const S2fsPairs *of, Index feature, const double *threshold,
                  std::uint8_t *out) {
    double discerned[CHUNK];
    for (Index begin = 0; begin < of->n_pairs; begin += CHUNK) {
        const Index end = begin + CHUNK < of->n_pairs ? begin + CHUNK : of->n_pairs;
        discern(*of, feature, begin, end, discerned);
        for (Index p = begin; p < end; p++) out[p] = discerned[p - begin] >= threshold[p];
    }
}

void s2fs_nearest_others(const S2fsRelation *of, double *nearest, double *reach, Index start,
                         Index stop) {
    for (Index i = start; i < stop; i++) {
        const Index own = class_of(of->bounds, i);
        for (Index c = 0; c < of->n_candidates; c++) {
            const double *x = of->columns + of->candidates[c] * of->n_samples;
            double most = 0.0;
            for (Index q = 0; q < of->n_classes; q++) {
                if (q == own) continue;
                const double top = nearest_in(*of, x, i, q, 0.0);
                most = larger(most, top);
                reach[c * of->n_classes + q] += top;
            }
            nearest[c * of->n_samples + i] = most;
        }
    }
}

void s2fs_two_nearest(const S2fsRelation *of, double *first, double *second, Index *where,
                      Index start, Index stop) {
    for (Index i = start; i < stop; i++)
        for (Index c = 0; c < of->n_candidates; c++) {
            const double *x = of->columns + of->candidates[c] * of->n_samples;
            double nearest = 0.0, runner_up = 0.0;
            Index place = 0;
            for (Index q = 0; q < of->n_classes; q++) {
                // What is not above the second largest so far need not be known.
                const double top = nearest_in(*of, x, i, q, runner_up);
                if (top > nearest) {
                    runner_up = nearest;
                    nearest = top;
                    place = q;
                } else {
                    runner_up = top;
                }
            }
            const Index at = c * of->n_samples + i;
            first[at] = nearest;
            second[at] = runner_up;
            where[at] = place;
        }
}

void s2fs_intersect(const double *x, Index n_samples, double radius, double *relation,
                    Index start, Index stop) {
    for (Index i = start; i < stop; i++) {
        double *row = relation + i * n_samples;
        for (Index j = 0; j < n_samples; j++) {
            const double distance = std::fabs(x[i] - x[j]);
            row[j] = smaller(row[j], distance <= radius ? 1.0 - distance : 0.0);
        }
    }
}

// An instance of similarity 0 leaves both approximations as they are. Those that the relation
// already holds apart are left out once for all candidates, and the lists are filled up with
// similarities of 0.
void s2fs_approximation_sizes(const S2fsApproximation *of, double *lower, double *upper,
                              Index start, Index stop) {
    const Index n = of->n_samples;
    for (Index i = start; i < stop; i++) {
        const double *row = of->relation + i * n;
        Index count = 0;
        for (Index j = 0; j < n; j++)
            if (row[j] > 0.0) {
                of->who[count] = j;
                of->similarities[count++] = row[j];
            }
        while (count % S2FS_LANES) {
            of->who[count] = i;
            of->similarities[count++] = 0.0;
        }
        for (Index q = 0; q < of->n_classes; q++)
            for (Index t = 0; t < count; t++)
                of->memberships[q * count + t] = of->decision[q * n + of->who[t]];
        for (Index c = 0; c < of->n_candidates; c++) {
            const double *x = of->columns + of->candidates[c] * n;
            double *near = of->near;
            for (Index t = 0; t < count; t++) near[t] = std::fabs(x[i] - x[of->who[t]]);
            for (Index t = 0; t < count; t += REGISTER) {
                const Register distance = load(near + t);
                const Register joined = smaller(load(of->similarities + t), 1.0 - distance);
                store(near + t, distance <= of->radius ? joined : Register{});
            }
            for (Index q = 0; q < of->n_classes; q++) {
                const double *membership = of->memberships + q * count;
                Lanes low(1.0), up(0.0);
                for (Index t = 0; t < count; t += S2FS_LANES)
                    for (Index r = 0; r < REGISTERS; r++) {
                        const Register similar = load(near + t + r * REGISTER);
                        const Register in = load(membership + t + r * REGISTER);
                        low.at[r] = smaller(low.at[r], larger(1.0 - similar, in));
                        up.at[r] = larger(up.at[r], smaller(similar, in));
                    }
                lower[c * of->n_classes + q] += low.least();
                upper[c * of->n_classes + q] += up.most();
            }
        }
    }
}

// The sums run down the table, so that neighbouring instances fill the lanes of a vector, and take
// four rows at a time, because the traffic to memory is what costs.
void s2fs_largest_difference_sums(const S2fsDifferences *of, double *own, double *every,
                                  Index start, Index stop) {
    const Index n = of->n_samples;
    for (Index first = start; first < stop; first += S2FS_CANDIDATES) {
        const Index last = first + S2FS_CANDIDATES < stop ? first + S2FS_CANDIDATES : stop;
        for (Index at = first * n; at < last * n; at++) every[at] = 0.0;
        for (Index q = 0; q < of->n_classes; q++) {
            const Index begin = of->bounds[q], end = of->bounds[q + 1];
            const Index in_fours = begin + (end - begin) / 4 * 4;
            for (Index at = 0; at < (last - first) * n; at++) of->sums[at] = 0.0;
            for (Index i = begin; i < in_fours; i += 4)
                for (Index c = first; c < last; c++) {
                    const double *x = of->columns + c * n;
                    const double *row0 = of->furthest + i * n, *row1 = row0 + n;
                    const double *row2 = row1 + n, *row3 = row2 + n;
                    double *__restrict__ sums = of->sums + (c - first) * n;
                    for (Index j = 0; j < n; j++)
                        sums[j] += (larger(row0[j], std::fabs(x[j] - x[i])) +
                                    larger(row1[j], std::fabs(x[j] - x[i + 1]))) +
                                   (larger(row2[j], std::fabs(x[j] - x[i + 2])) +
                                    larger(row3[j], std::fabs(x[j] - x[i + 3])));
                }
            for (Index i = in_fours; i < end; i++)
                for (Index c = first; c < last; c++) {
                    const double *x = of->columns + c * n, *row = of->furthest + i * n;
                    double *__restrict__ sums = of->sums + (c - first) * n;
                    for (Index j = 0; j < n; j++)
                        sums[j] += larger(row[j], std::fabs(x[j] - x[i]));
                }
            for (Index c = first; c < last; c++) {
                const double *sums = of->sums + (c - first) * n;
                for (Index j = begin; j < end; j++) own[c * n + j] = sums[j];
                for (Index j = 0; j < n; j++) every[c * n + j] += sums[j];
            }
        }
    }
}

// Only pairs that the candidate puts further apart need an exponential, and they become few as the
// set grows. They are first collected without a branch, which no processor could predict.
void s2fs_gaussian_changes(const S2fsGranules *of, double *own, double *every, Index start,
                           Index stop) {
    const Index n = of->n_samples;
    for (Index first = start; first < stop; first += S2FS_CANDIDATES) {
        const Index last = first + S2FS_CANDIDATES < stop ? first + S2FS_CANDIDATES : stop;
        for (Index q = 0; q < of->n_classes; q++)
            for (Index i = of->bounds[q]; i < of->bounds[q + 1]; i++) {
                const double *furthest = of->furthest + i * n, *relation = of->relation + i * n;
                for (Index c = first; c < last; c++) {
                    const double *x = of->columns + c * n;
                    double *own_sizes = own + c * n, *every_size = every + c * n;
                    Index count = 0;
                    for (Index j = i + 1; j < n; j++) {
                        of->changed[count] = j;
                        count += std::fabs(x[j] - x[i]) > furthest[j];
                    }
                    for (Index t = 0; t < count; t++) {
                        const Index j = of->changed[t];
                        const double d = x[j] - x[i];
                        const double change = std::exp(-of->scale * (d * d)) - relation[j];
                        every_size[i] += change * of->weights[j];
                        every_size[j] += change * of->weights[i];
                        if (j < of->bounds[q + 1]) {
                            own_sizes[i] += change * of->weights[j];
                            own_sizes[j] += change * of->weights[i];
                        }
                    }
                }
            }
    }
}

void s2fs_aggregation(const S2fsCentres *of, double *out, Index start, Index stop) {
    for (Index c = start; c < stop; c++) {
        const double *x = of->columns + c * of->n_samples;
        const double *centre = of->centres + c * of->n_classes;
        double total = 0.0;
        for (Index i = 0; i < of->n_samples; i++) {
            const double *squares = of->squares + i * of->n_classes;
            const auto square = [&](Index q) {
                const double d = x[i] - centre[q];
                return larger(squares[q] + d * d, of->floor);
            };
            const double mine = square(of->codes[i]);
            double ratios = 0.0;
            if (of->power == 1.0)
                for (Index q = 0; q < of->n_classes; q++) ratios += mine / square(q);
            else
                for (Index q = 0; q < of->n_classes; q++)
                    ratios += std::pow(mine / square(q), of->power);
            total += 1.0 / ratios;
        }
        out[c] = total;
    }
}
