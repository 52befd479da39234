// PairCover's criterion of a growing subset, and the best candidate of a step (docs/engine.md,
// "PairCover"; docs/criterion.md has the definition). All in double precision: there is no rounding
// to bound.
//
// For two classes a and b, a candidate f has the gap d = (c_a − c_b) / s, its class means in units of
// the within-class s.d. With it, the sums of the pair over the subset become
//     J' = J + d² − noise,   independent' = independent + d²,   joint' = joint + 2 d x + d²,
// where x = Σ_g d(g) W(g, f) over the selected features g, with W the correlations inside the
// classes. The class distance is then
//     D' = max(J', 0)² / (ρ max(joint', 0.05 independent') + (1 − ρ) independent'),
// or max(J', 0) for ρ = 0, and the criterion −ln(mean over the pairs of exp(−D'/8)).
//
// With missing values a gap is no difference of two numbers, one of each class: then the gaps of all
// pairs are given, and x is kept for each pair.
//
// The best candidate has the least sum of exp(−D'/8). These terms are positive, so a sum over some of
// the pairs is a lower bound of the whole. The closest pairs have the largest terms: they come first,
// and a block of candidates is left as soon as all its partial sums exceed that of the best so far.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "costs.h"
#include "feature_groups.h"
#include "limits.h"
#include "parallel_for.h"

namespace {

using s2fs::Index;
using Doubles = std::vector<double>;
using Indices = std::vector<Index>;

// Correlated features leave at least this share of the spread that independent ones have.
constexpr double MIN_JOINT_SHARE = 0.05;
// What a sum may be too large by: the exponential of the screen has nine digits.
constexpr double SCREEN_ERROR = 1e-8;
// Candidates that are screened side by side, and class pairs between two looks at their sums.
constexpr Index BLOCK = 16, PAIRS_PER_LOOK = 4;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

// exp(x) as 2^k 2^r with |r| ≤ 1/2 and the Taylor polynomial of 2^r = exp(r ln 2): the terms that are
// left out are below 1e-16 for degree 13 and 4e-10 for degree 8. Branch-free, so that compilers take
// several numbers at once. It is 0 below exp(−690), and exp(690) above.
template <int DEGREE>
inline double exponential(double x) {
    constexpr double LOG2_E = 1.4426950408889634, LN_2 = 0.6931471805599453;
    constexpr double ROUND = 6755399441055744.0;  // 1.5 · 2^52: what is added to it loses its fraction
    constexpr double INVERSE_FACTORIAL[] = {
        1.0,          1.0,           1.0 / 2,        1.0 / 6,         1.0 / 24,
        1.0 / 120,    1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    const double t = larger(smaller(x, 690.0), -690.0) * LOG2_E;
    const double shifted = t + ROUND, r = (t - (shifted - ROUND)) * LN_2;
    double y = INVERSE_FACTORIAL[DEGREE];
    for (int j = DEGREE - 1; j >= 0; j--) y = y * r + INVERSE_FACTORIAL[j];
    std::uint64_t bits, power;
    std::memcpy(&bits, &y, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 52;  // times 2^k: k stands in the last bits of the shifted number
    std::memcpy(&y, &bits, sizeof y);
    return x > -690.0 ? y : 0.0;
}

// What a step needs to know of one pair of classes.
struct ClassPair {
    Index a, b;
    Index number;  // in the order (0, 1), (0, 2), …
    double J, independent, joint;
    double distance;
};

// What stays the same while the subset grows. Tables are laid out in blocks of features, (blocks,
// classes, BLOCK), so that what is screened together lies together; the last block is filled up.
struct Features {
    Index n_classes, n_features, n_blocks;
    double correlation;
    Doubles centres;              // class means in units of the within-class s.d.
    Doubles noise;                // (classes) 1 / n_q
    std::vector<bool> is_constant;
    // Only if values are missing: (blocks, pairs, BLOCK), NaN where a feature says nothing about a pair.
    Doubles gaps;

    bool has_missing() const { return !gaps.empty(); }
    Index at(Index feature, Index line, Index n_lines) const {
        return (feature / BLOCK * n_lines + line) * BLOCK + feature % BLOCK;
    }
};

}  // namespace

struct PairCover {
    std::shared_ptr<const Features> features;
    std::vector<ClassPair> pairs;  // in their order
    // x: of two classes it is the difference of two numbers, Σ_g c_q(g) W(g, f) of each class, so
    // (blocks, classes, BLOCK) are enough; with missing values it is (blocks, pairs, BLOCK).
    Doubles cross;
    // (blocks, BLOCK) what the sum of a candidate begins with: 0, or infinity for features that are no
    // candidates.
    Doubles first_sums;
    std::vector<Index> constant_candidates;  // they have no noise, so they are scored and not screened
    Index runner_up = -1;  // came next to the best in the last step

    bool is_screened(Index feature) const { return first_sums[feature] == 0; }
    void drop(Index feature) {
        first_sums[feature] = INFINITE;
        auto &some = constant_candidates;
        some.erase(std::remove(some.begin(), some.end(), feature), some.end());
    }
    Index n_cross_lines() const {
        return features->has_missing() ? static_cast<Index>(pairs.size()) : features->n_classes;
    }
};

namespace {

using s2fs::check_groups;
using s2fs::Groups;
using s2fs::require;

// One feature as the class pairs see it.
struct Gaps {
    Doubles gap, noise, cross;  // (pairs)
};

Gaps gaps_of(const PairCover &cover, Index f) {
    const Features &of = *cover.features;
    const std::size_t n_pairs = cover.pairs.size();
    Gaps gaps{Doubles(n_pairs, 0.0), Doubles(n_pairs, 0.0), Doubles(n_pairs, 0.0)};
    if (of.is_constant[f]) return gaps;  // it differs between no classes, and has no noise
    for (const ClassPair &pair : cover.pairs) {
        const Index k = pair.number;
        const double noise = of.noise[pair.a] + of.noise[pair.b];
        if (of.has_missing()) {
            const Index at = of.at(f, k, static_cast<Index>(n_pairs));
            const double gap = of.gaps[at];
            const bool tells = gap == gap;
            gaps.gap[k] = tells ? gap : 0.0;
            gaps.noise[k] = tells ? noise : 0.0;
            if (of.correlation > 0) gaps.cross[k] = cover.cross[at];
            continue;
        }
        const Index at_a = of.at(f, pair.a, of.n_classes), at_b = of.at(f, pair.b, of.n_classes);
        gaps.gap[k] = of.centres[at_a] - of.centres[at_b];
        gaps.noise[k] = noise;
        if (of.correlation > 0) gaps.cross[k] = cover.cross[at_a] - cover.cross[at_b];
    }
    return gaps;
}

// D' of one pair. Where the spread is 0 so is the gap, and J' ≤ independent' = 0: the distance is 0.
inline double class_distance(double rho, double J, double independent, double joint) {
    const double far = larger(J, 0.0);
    if (rho == 0) return far;
    const double spread = rho * larger(joint, MIN_JOINT_SHARE * independent) + (1 - rho) * independent;
    return far * far / larger(spread, s2fs::LEAST_DIVISOR);
}

// The class distances of the subset with feature f, in the order of the pairs.
void class_distances_with(const PairCover &cover, Index f, double *distances) {
    const Gaps gaps = gaps_of(cover, f);
    const double rho = cover.features->correlation;
    const Index n_pairs = static_cast<Index>(cover.pairs.size());
    for (Index k = 0; k < n_pairs; k++) {
        const ClassPair &pair = cover.pairs[k];
        const double d = gaps.gap[k], dd = d * d;
        distances[k] = class_distance(rho, pair.J + (dd - gaps.noise[k]), pair.independent + dd,
                                      pair.joint + 2 * d * gaps.cross[k] + dd);
    }
}

// The criterion: −ln of the mean of exp(−D/8). Distances may be in the thousands, so the closest one
// is taken out before the exponentials underflow.
double criterion(const Doubles &distances) {
    const double closest = *std::min_element(distances.begin(), distances.end());
    const Index n_pairs = static_cast<Index>(distances.size());
    const double *D = distances.data();
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index k = 0; k < n_pairs; k++) sum += exponential<13>((closest - D[k]) / 8);
    return closest / 8 - std::log(sum / static_cast<double>(n_pairs));
}

struct Candidate {
    double score;
    Index feature;
};

// The search for the best candidate of one step. Every thread has one of its own.
class Screen {
   public:
    Screen(const PairCover &cover, const std::vector<ClassPair> &closest_first)
        : cover_(cover), pairs_(closest_first), distances_(cover.pairs.size()) {}

    // Compute the score of a candidate in full.
    void score(Index f) {
        class_distances_with(cover_, f, distances_.data());
        const double score = criterion(distances_);
        if (!(score == score)) return;  // no number
        scored_.push_back({score, f});
        if (score > best_) {
            best_ = score;
            // −ln(sum / P) + closest/8 ≥ best (1 − s2fs::EQUAL), solved for the sum.
            limit_ = static_cast<double>(pairs_.size()) *
                     std::exp(pairs_[0].distance / 8 - best_ * (1 - s2fs::EQUAL)) * (1 + SCREEN_ERROR);
        }
    }

    // Screen the candidates of some blocks, without one that was scored before.
    void run(Index first_block, Index last_block, Index without) {
        for (Index block = first_block; block < last_block; block++) screen_block(block, without);
    }

    const std::vector<Candidate> &scored() const { return scored_; }

   private:
    void screen_block(Index block, Index without) {
        const Index start = block * BLOCK;
        alignas(64) double sums[BLOCK];
        std::copy_n(&cover_.first_sums[start], BLOCK, sums);
        if (without / BLOCK == block && without >= 0) sums[without % BLOCK] = INFINITE;
        if (least(sums) == INFINITE || !add_pairs(block, sums)) return;
        for (double &sum : sums)
            if (!(sum == sum)) sum = INFINITE;  // a score that is no number is not the best
        // The most promising one first: it may leave nothing to do for the others.
        while (true) {
            const Index best = std::min_element(sums, sums + BLOCK) - sums;
            if (!(sums[best] <= limit_) || sums[best] == INFINITE) return;
            sums[best] = INFINITE;
            score(start + best);
        }
    }

    // Sum exp(−(D' − D_closest)/8) over the pairs; false as soon as no candidate can be the best.
    bool add_pairs(Index block, double *sums) const {
        const Features &of = *cover_.features;
        if (of.has_missing())
            return of.correlation > 0 ? add_pairs<true, true>(block, sums)
                                      : add_pairs<true, false>(block, sums);
        return of.correlation > 0 ? add_pairs<false, true>(block, sums)
                                  : add_pairs<false, false>(block, sums);
    }

    template <bool MISSING, bool CORRELATED>
    bool add_pairs(Index block, double *sums) const {
        const Features &of = *cover_.features;
        const Index p = of.n_classes, n_pairs = static_cast<Index>(pairs_.size());
        const double *centres = MISSING ? nullptr : &of.centres[block * p * BLOCK];
        const double *gaps = MISSING ? &of.gaps[block * n_pairs * BLOCK] : nullptr;
        const double *cross =
            CORRELATED ? &cover_.cross[block * cover_.n_cross_lines() * BLOCK] : nullptr;
        const double closest = pairs_[0].distance / 8, rho = of.correlation;
        for (Index k = 0; k < n_pairs; k++) {
            const ClassPair pair = pairs_[k];
            const double *c_a = centres + pair.a * BLOCK, *c_b = centres + pair.b * BLOCK;
            const double *g = gaps + pair.number * BLOCK;
            const double *x_a = cross + (MISSING ? pair.number : pair.a) * BLOCK;
            const double *x_b = cross + pair.b * BLOCK;
            const double noise_of_pair = of.noise[pair.a] + of.noise[pair.b];
#pragma omp simd
            for (Index l = 0; l < BLOCK; l++) {
                double d, noise = noise_of_pair;
                if (MISSING) {
                    d = g[l] == g[l] ? g[l] : 0.0;
                    noise = g[l] == g[l] ? noise : 0.0;
                } else {
                    d = c_a[l] - c_b[l];
                }
                const double dd = d * d, far = larger(pair.J + (dd - noise), 0.0);
                double distance = far;
                if (CORRELATED) {
                    const double x = MISSING ? x_a[l] : x_a[l] - x_b[l];
                    const double independent = pair.independent + dd;
                    const double joint = pair.joint + 2 * d * x + dd;
                    const double spread = rho * larger(joint, MIN_JOINT_SHARE * independent) +
                                          (1 - rho) * independent;
                    distance = far * far / larger(spread, s2fs::LEAST_DIVISOR);
                }
                sums[l] += exponential<8>(closest - distance / 8);
            }
            if (k % PAIRS_PER_LOOK == PAIRS_PER_LOOK - 1 && least(sums) > limit_) return false;
        }
        return true;
    }

    static double least(const double *sums) {
        double least = INFINITE;
#pragma omp simd reduction(min : least)
        for (Index l = 0; l < BLOCK; l++) least = sums[l] < least ? sums[l] : least;
        return least;
    }

    const PairCover &cover_;
    const std::vector<ClassPair> &pairs_;
    Doubles distances_;
    std::vector<Candidate> scored_;
    double best_ = -INFINITE;
    double limit_ = INFINITE;  // the largest sum with which a candidate may be as good as the best
};

// The best of the candidates, the first one among equals; {NaN, −1} if no score is a number.
Candidate best_candidate(PairCover &cover, Index n_threads) {
    std::vector<ClassPair> closest_first = cover.pairs;
    std::stable_sort(closest_first.begin(), closest_first.end(),
                     [](const ClassPair &one, const ClassPair &other) {
                         return one.distance < other.distance;
                     });
    // What came second in the last step is likely good now: its score rules out most others.
    const Index seed =
        cover.runner_up >= 0 && cover.is_screened(cover.runner_up) ? cover.runner_up : -1;
    Screen seeded(cover, closest_first);
    if (seed >= 0) seeded.score(seed);
    for (Index f : cover.constant_candidates) seeded.score(f);
    const Index n_blocks = cover.features->n_blocks;
    const double operations = s2fs::COST_OF_PAIR_SCREEN * static_cast<double>(n_blocks * BLOCK) *
                              static_cast<double>(closest_first.size());
    const Index n_useful = s2fs::useful_threads(operations, n_threads);
    std::vector<Screen> screens(static_cast<std::size_t>(n_useful), seeded);
    s2fs::parallel_for(n_blocks, n_useful, [&](Index first, Index last, Index part) {
        screens[static_cast<std::size_t>(part)].run(first, last, seed);
    });
    // Which candidates were scored may depend on the threads; those as good as the best all were.
    double best = -INFINITE;
    for (const Screen &screen : screens)
        for (const Candidate &one : screen.scored()) best = std::max(best, one.score);
    Candidate winner{std::numeric_limits<double>::quiet_NaN(), -1};
    for (const Screen &screen : screens)
        for (const Candidate &one : screen.scored())
            if (one.score >= best * (1 - s2fs::EQUAL) &&
                (winner.feature < 0 || one.feature < winner.feature))
                winner = one;
    Candidate second{-INFINITE, -1};
    for (const Screen &screen : screens)
        for (const Candidate &one : screen.scored())
            if (one.feature != winner.feature && one.score > second.score) second = one;
    cover.runner_up = second.feature;
    return winner;
}

// Let feature f join. Above correlation 0 its correlations inside the classes with all features are
// needed: they change what the other candidates add along the line between two classes.
void add_feature(PairCover &cover, Index f, const double *correlations, double *distances) {
    const Features &of = *cover.features;
    const Gaps gaps = gaps_of(cover, f);
    class_distances_with(cover, f, distances);
    for (ClassPair &pair : cover.pairs) {
        const double d = gaps.gap[pair.number], dd = d * d;
        pair.J += dd - gaps.noise[pair.number];
        pair.independent += dd;
        pair.joint += 2 * d * gaps.cross[pair.number] + dd;
        // NaN has no place in an order of the pairs.
        const double distance = distances[pair.number];
        pair.distance = distance == distance ? distance : INFINITE;
    }
    cover.drop(f);
    if (of.correlation == 0 || of.is_constant[f]) return;
    const Index n_lines = cover.n_cross_lines();
    Doubles share(n_lines);  // what the feature adds to each line, for a correlation of 1
    for (Index line = 0; line < n_lines; line++)
        share[line] = of.has_missing() ? gaps.gap[line] : of.centres[of.at(f, line, of.n_classes)];
    for (Index block = 0; block < of.n_blocks; block++) {
        const Index start = block * BLOCK, width = std::min(BLOCK, of.n_features - start);
        double w[BLOCK] = {};
        std::copy_n(correlations + start, width, w);
        for (Index line = 0; line < n_lines; line++) {
            double *cross = &cover.cross[(block * n_lines + line) * BLOCK];
#pragma omp simd
            for (Index l = 0; l < BLOCK; l++) cross[l] += share[line] * w[l];
        }
    }
}

// The criterion of the subset joined by a group. within has the correlations of its members with each other, (size, size).
double score_group(const PairCover &cover, const Index *members, Index size, const double *within, double *closest) {
    std::vector<ClassPair> joined = cover.pairs;
    std::vector<Gaps> before;
    for (Index j = 0; j < size; j++) {
        Gaps gaps = gaps_of(cover, members[j]);
        for (ClassPair &pair : joined) {
            const Index k = pair.number;
            const double d = gaps.gap[k], dd = d * d;
            double cross = gaps.cross[k];
            for (Index i = 0; i < j && within; i++) cross += before[i].gap[k] * within[i * size + j];
            pair.J += dd - gaps.noise[k];
            pair.independent += dd;
            pair.joint += 2 * d * cross + dd;
        }
        before.push_back(std::move(gaps));
    }
    Doubles distances(joined.size());
    for (const ClassPair &pair : joined)
        distances[pair.number] = class_distance(cover.features->correlation, pair.J, pair.independent, pair.joint);
    *closest = *std::min_element(distances.begin(), distances.end());
    return criterion(distances);
}

void check_feature(const PairCover &cover, Index f) {
    require(0 <= f && f < cover.features->n_features, "the feature is not in the table.");
}

}  // namespace

// The criterion of the empty subset. within_sd is 0 for a constant feature, noise is 1 / n_q of the
// classes. If values are missing, gaps has d of each pair and feature, NaN where it tells nothing.
S2FS_ENTRY(s2fs_pair_cover_new,
           (const double *means, Index n_classes, Index n_features, const double *within_sd,
            const double *noise, const double *gaps, Index n_pairs, double correlation,
            PairCover **made)) {
    return s2fs::guarded([&] {
        require(n_classes >= 2, "there must be at least two classes.");
        require(0 <= correlation && correlation <= 1, "correlation must be from 0 to 1.");
        require(n_pairs == n_classes * (n_classes - 1) / 2, "the class pairs are others.");
        auto of = std::make_shared<Features>();
        of->n_classes = n_classes;
        of->n_features = n_features;
        of->n_blocks = (n_features + BLOCK - 1) / BLOCK;
        of->correlation = correlation;
        of->noise.assign(noise, noise + n_classes);
        of->is_constant.resize(n_features);
        if (gaps)
            of->gaps.assign(of->n_blocks * n_pairs * BLOCK, 0.0);
        else
            of->centres.assign(of->n_blocks * n_classes * BLOCK, 0.0);
        for (Index f = 0; f < n_features; f++) {
            of->is_constant[f] = !(within_sd[f] > 0);
            if (of->is_constant[f]) continue;
            if (gaps) {
                for (Index k = 0; k < n_pairs; k++)
                    of->gaps[of->at(f, k, n_pairs)] = gaps[k * n_features + f];
                continue;
            }
            // From the middle of the class means on, which keeps the digits of their differences.
            double least = means[f], most = means[f];
            for (Index q = 1; q < n_classes; q++) {
                least = smaller(least, means[q * n_features + f]);
                most = larger(most, means[q * n_features + f]);
            }
            const double middle = least + (most - least) / 2;
            for (Index q = 0; q < n_classes; q++) {
                const Index at = of->at(f, q, n_classes), from = q * n_features + f;
                of->centres[at] = (means[from] - middle) / within_sd[f];
            }
        }
        auto cover = std::make_unique<PairCover>();
        for (Index a = 0; a < n_classes; a++)
            for (Index b = a + 1; b < n_classes; b++)
                cover->pairs.push_back(
                    {a, b, static_cast<Index>(cover->pairs.size()), 0.0, 0.0, 0.0, 0.0});
        cover->first_sums.assign(of->n_blocks * BLOCK, INFINITE);
        cover->features = std::move(of);
        if (correlation > 0)
            cover->cross.assign(cover->features->n_blocks * cover->n_cross_lines() * BLOCK, 0.0);
        *made = cover.release();
    });
}

S2FS_ENTRY(s2fs_pair_cover_copy, (const PairCover *cover, PairCover **made)) {
    return s2fs::guarded([&] { *made = new PairCover(*cover); });
}

S2FS_ENTRY(s2fs_pair_cover_free, (PairCover *cover)) {
    return s2fs::guarded([&] { delete cover; });
}

// Let these features, and no others, be candidates.
S2FS_ENTRY(s2fs_pair_cover_set_candidates,
           (PairCover *cover, const Index *candidates, Index n_candidates)) {
    return s2fs::guarded([&] {
        for (Index i = 0; i < n_candidates; i++) check_feature(*cover, candidates[i]);
        std::fill(cover->first_sums.begin(), cover->first_sums.end(), INFINITE);
        cover->constant_candidates.clear();
        for (Index i = 0; i < n_candidates; i++) {
            if (cover->features->is_constant[candidates[i]])
                cover->constant_candidates.push_back(candidates[i]);
            else
                cover->first_sums[candidates[i]] = 0;
        }
    });
}

S2FS_ENTRY(s2fs_pair_cover_drop_candidates, (PairCover *cover, const Index *candidates, Index n_candidates)) {
    return s2fs::guarded([&] {
        for (Index i = 0; i < n_candidates; i++) check_feature(*cover, candidates[i]);
        for (Index i = 0; i < n_candidates; i++) cover->drop(candidates[i]);
    });
}

// The best candidate and its score; −1 if there is none whose score is a number.
S2FS_ENTRY(s2fs_pair_cover_best,
           (PairCover *cover, Index n_threads, Index *feature, double *score)) {
    return s2fs::guarded([&] {
        const Candidate best = best_candidate(*cover, n_threads);
        *feature = best.feature;
        *score = best.score;
    });
}

// The scores of some features, and the distances of the classes that are closest then.
S2FS_ENTRY(s2fs_pair_cover_score,
           (const PairCover *cover, const Index *features, Index n_scored, Index n_threads,
            double *scores, double *closest)) {
    return s2fs::guarded([&] {
        for (Index i = 0; i < n_scored; i++) check_feature(*cover, features[i]);
        const double operations =
            s2fs::COST_OF_PAIR_SCORE * static_cast<double>(n_scored) * static_cast<double>(cover->pairs.size());
        const Index n_useful = s2fs::useful_threads(operations, n_threads);
        s2fs::parallel_for(n_scored, n_useful, [&](Index first, Index last, Index) {
            Doubles distances(cover->pairs.size());
            for (Index i = first; i < last; i++) {
                class_distances_with(*cover, features[i], distances.data());
                scores[i] = criterion(distances);
                closest[i] = *std::min_element(distances.begin(), distances.end());
            }
        });
    });
}

// The group with the best score of the subset joined by all of it, the first one among equals, its score and the
// distance of the classes that are closest then; −1 if no score is a number. Above correlation 0 within has, group by
// group, the correlations of its members with each other.
S2FS_ENTRY(s2fs_pair_cover_best_group,
           (const PairCover *cover, const Index *members, Index n_members, const Index *starts, Index n_starts,
            const double *within, Index n_within, Index n_threads, Index *group, double *score, double *closest)) {
    return s2fs::guarded([&] {
        const Groups groups = check_groups(members, n_members, starts, n_starts, cover->features->n_features);
        Indices first_within(groups.count + 1, 0);
        for (Index k = 0; k < groups.count; k++)
            first_within[k + 1] = first_within[k] + groups.size(k) * groups.size(k);
        const bool is_correlated = cover->features->correlation > 0;
        require(n_within == (is_correlated ? first_within[groups.count] : 0), "the correlations are of other groups.");
        const double operations = s2fs::COST_OF_PAIR_SCORE * static_cast<double>(n_members) * static_cast<double>(cover->pairs.size());
        Doubles scores(groups.count), least(groups.count);
        s2fs::parallel_for(groups.count, s2fs::useful_threads(operations, n_threads),
                           [&](Index first, Index last, Index) {
            for (Index k = first; k < last; k++)
                scores[k] = score_group(*cover, groups.begin(k), groups.size(k),
                                        is_correlated ? within + first_within[k] : nullptr, &least[k]);
        });
        double best = -INFINITE;
        for (double one : scores) best = one > best ? one : best;  // NaN is not
        *group = -1;
        for (Index k = groups.count - 1; k >= 0; k--)
            if (scores[k] >= best * (1 - s2fs::EQUAL)) *group = k;
        if (*group >= 0) *score = scores[*group], *closest = least[*group];
    });
}

// Let a feature join, and write the class distances of all pairs then.
S2FS_ENTRY(s2fs_pair_cover_add,
           (PairCover *cover, Index feature, const double *correlations, Index n_pairs,
            double *distances)) {
    return s2fs::guarded([&] {
        check_feature(*cover, feature);
        require(n_pairs == static_cast<Index>(cover->pairs.size()), "the class pairs are others.");
        require(cover->features->correlation == 0 || correlations != nullptr,
                "the correlations of the feature are missing.");
        add_feature(*cover, feature, correlations, distances);
    });
}
