// One step of the forward search: the candidate with the largest Sep.
//
// Each candidate has an upper bound of Sep, from a lower bound of Θ and an upper bound of Λ. The
// largest bound is refined, level by level, until none reaches the best score in double precision:
//
//     CARRIED   Θ by the sums of an earlier step, Λ by sums over the classes
//     SUMS      Θ by a weighted sum of a_i²: one product of the table with a vector
//     ROOTS     Θ_dis itself
//     SEPARATED Λ itself, and what bends Θ_dir, in single precision
//     SCREENED  Θ_dir itself, in single precision
//     EXACT     the score in double precision
//
// Whatever order this takes, every candidate whose score may reach the best one is scored, so the
// choice is that of double precision, for any number of threads.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "parallel_for.h"
#include "separability.h"

namespace s2fs {

namespace {

constexpr double SLACK = 1 + 1e-11;  // rounding of a score and of the constants of the bounds
constexpr Index MANY = 4;            // one candidate in so many

struct Candidate {
    double bound;
    Index feature;
    bool operator<(const Candidate &other) const { return bound < other.bound; }
};

class Step {
  public:
    Step(Subset &subset, double alpha, double beta, double at_least, Index n_threads)
        : subset_(subset), data_(subset.data), bounds_(subset.bounds), alpha_(alpha), beta_(beta),
          n_threads_(n_threads), tables_(subset.data.tables(n_threads)), best_(at_least) {
        if (!subset.has_bounds) make_bounds();
    }

    Index best(const Index *candidates, Index count, Components *components);
    void bounds(const Index *candidates, Index count, Level level, double *found);

  private:
    void make_bounds();
    void bound_all(const Index *candidates, Index count);
    void carry_features(Index first, Index last);
    void sum_features(const Index *features, Index count);
    void bound_features(Index first, Index last);
    void sum_candidates(const Index *candidates, Index count);
    double refine(Index feature);
    void refine_all(std::vector<Candidate> &alive, Level until, double n_operations_of_one);
    void drop(std::vector<Candidate> &alive) const;
    void score(Index feature);
    void score_promising(const Index *candidates, Index count);
    std::vector<Candidate> find_alive(const Index *candidates, Index count) const;
    void score_largest_first(std::vector<Candidate> &alive);
    Index find_winner() const;
    void remember_runners_up(Index winner);

    double bound(const Components &known) const {
        const double theta = known.theta_dis + alpha_ * known.theta_dir;
        return (known.lambda_dis + beta_ * known.lambda_dir) / theta * SLACK;
    }
    // The Λ_dir below which, and the Θ_dir above which, a candidate is beaten whose other components are known.
    double beaten_lambda_dir(const Components &known) const {
        const double theta = known.theta_dis + alpha_ * known.theta_dir;
        return beta_ > 0 ? (best_ * (1 - EQUAL) / SLACK * theta - known.lambda_dis) / beta_ : 0.0;
    }
    double beaten_theta_dir(const Components &known) const {
        const double lambda = known.lambda_dis + beta_ * known.lambda_dir;
        return alpha_ > 0 ? (lambda * SLACK / (best_ * (1 - EQUAL)) - known.theta_dis) / alpha_ : HUGE_VAL;
    }
    // Σ weight a², from below.
    double least_within(Index f) const {
        return larger(tables_.within[f] * (1 - SUM_ERROR) - tables_.sum_error[f], 0.0);
    }
    double floor_distance(double distance) const { return data_.unit * larger(distance, ON_CENTROID); }
    // What reaches the best score, or is not a number and must be looked at.
    bool reaches(double bound) const { return !(bound < best_ * (1 - EQUAL)); }

    Subset &subset_;
    const ScaledData &data_;
    StepBounds &bounds_;
    double alpha_, beta_;
    Index n_threads_;
    const FeatureTables &tables_;
    Doubles first_bounds_;
    double best_;  // the best score so far, or what it has to reach
    Indices scored_;
};

// What holds for all candidates, whatever alpha and beta.
void Step::make_bounds() {
    bounds_.tangent = make_tangent(subset_, tables_, n_threads_);
    round_state(subset_, bounds_);
    find_nearest(subset_, bounds_);
    round_pairs(subset_, bounds_);
    bound_direction(subset_, tables_, bounds_);
    const Index m = data_.m;
    bounds_.is_carried.assign((m + CHUNK - 1) / CHUNK, 0);
    for (Doubles *numbers : {&bounds_.theta_dis, &bounds_.theta_dis_more, &bounds_.theta_dir, &bounds_.most_lambda_dis})
        numbers->resize(m);
    bounds_.bend.resize(m);
    if (subset_.carried.empty()) {
        subset_.reference.assign(data_.weight.begin(), data_.weight.end());
        subset_.carried.resize(m);
        for (Index f = 0; f < m; f++) subset_.carried[f] = least_within(f);
    }
    bounds_.largest_chord = bounds_.largest_curvature = 0;
    bounds_.chord_ratio = HUGE_VAL;
    for (Index i = 0; i < data_.n; i++) {
        if (!(data_.weight[i] > 0)) continue;
        const double chord = static_cast<double>(bounds_.tangent.chord[i]);
        const double curvature = std::fabs(static_cast<double>(bounds_.tangent.curvature[i]));
        const double reference = static_cast<double>(subset_.reference[i]);
        bounds_.largest_chord = larger(bounds_.largest_chord, chord / data_.weight[i]);
        bounds_.largest_curvature = larger(bounds_.largest_curvature, curvature / data_.weight[i]);
        if (reference > 0) bounds_.chord_ratio = smaller(bounds_.chord_ratio, chord / reference);
    }
    if (!(bounds_.chord_ratio < HUGE_VAL)) bounds_.chord_ratio = 0;
    std::fill(subset_.level.begin(), subset_.level.end(), CARRIED);
    subset_.has_bounds = true;
}

// Level CARRIED of the features from first to last: no sample is looked at. Σ chord a² is at least the same sum with
// the weights of an earlier step, times the least ratio of the weights; and Σ curvature a² is at most the largest
// curvature times the within-class variance.
void Step::carry_features(Index first, Index last) {
    float distance[CHUNK];
    bound_by_classes(data_, tables_, bounds_, first, last, distance, bounds_.bend.data() + first);
    for (Index f = first; f < last; f++) {
        const double most_within = tables_.within[f] * (1 + SUM_ERROR) + tables_.sum_error[f];
        const double least = data_.is_rms ? std::sqrt(subset_.within + least_within(f)) : bounds_.tangent.distance;
        bounds_.theta_dis[f] = data_.unit * least;
        bounds_.theta_dis_more[f] = data_.unit * bounds_.chord_ratio * subset_.carried[f];
        bounds_.theta_dir[f] = bounds_.tangent.direction - static_cast<double>(bounds_.bend[f]) -
                               bounds_.largest_curvature * most_within;
        bounds_.most_lambda_dis[f] = data_.unit * (bounds_.lambda_dis + static_cast<double>(distance[f - first]));
    }
}

// Level SUMS of some features. Rounding errors are covered: no weight of a² is larger than the largest one in units of
// the weights of the samples.
void Step::sum_features(const Index *features, Index count) {
    double chord[CHUNK], curved[CHUNK];
    for (Index start = 0; start < count; start += CHUNK) {
        const Index here = smaller(CHUNK, count - start);
        const Index *some = features + start;
        data_.weighted_squares(bounds_.tangent.chord, bounds_.tangent.curvature, some, here, chord, curved);
        for (Index k = 0; k < here; k++) {
            const Index f = some[k];
            const double error = 2 * SUM_ERROR * tables_.within[f] + tables_.sum_error[f];
            const double more = data_.unit * (chord[k] - bounds_.largest_chord * error);
            const double direction = bounds_.tangent.direction - static_cast<double>(bounds_.bend[f]) -
                                     (curved[k] + bounds_.largest_curvature * error);
            bounds_.theta_dis_more[f] = larger(bounds_.theta_dis_more[f], more);
            bounds_.theta_dir[f] = larger(bounds_.theta_dir[f], direction);
            subset_.level[f] = SUMS;
        }
    }
}

// Levels CARRIED and SUMS for one weighting.
void Step::bound_features(Index first, Index last) {
    const double *theta_dis = bounds_.theta_dis.data(), *more = bounds_.theta_dis_more.data();
    const double *theta_dir = bounds_.theta_dir.data(), *lambda_dis = bounds_.most_lambda_dis.data();
    const double alpha = alpha_, lambda_dir = beta_ * bounds_.lambda_dir, least = floor_distance(0);
    double *bound = first_bounds_.data();
#pragma omp simd
    for (Index f = first; f < last; f++) {
        const double theta = theta_dis[f] + larger(more[f] + alpha * theta_dir[f], 0.0);
        bound[f] = (lambda_dis[f] + lambda_dir) / larger(theta, least) * SLACK;
    }
}

void Step::bound_all(const Index *candidates, Index count) {
    const Index m = data_.m;
    first_bounds_.resize(m);
    // Few candidates of many features: only the chunks where they are.
    std::vector<char> is_needed((m + CHUNK - 1) / CHUNK, 0);
    for (Index k = 0; k < count; k++) is_needed[candidates[k] / CHUNK] = 1;
    const double n_operations = 8 * static_cast<double>(m) * static_cast<double>(data_.p);
    parallel_for((m + CHUNK - 1) / CHUNK, useful_threads(n_operations, n_threads_), [&](Index first, Index last, Index) {
        for (Index chunk = first; chunk < last; chunk++) {
            if (!is_needed[chunk]) continue;
            const Index start = chunk * CHUNK, end = smaller(start + CHUNK, m);
            if (!bounds_.is_carried[chunk]) carry_features(start, end);
            bounds_.is_carried[chunk] = 1;
            bound_features(start, end);
        }
    });
}

// Takes the candidates that may be the best to level SUMS. If these are many, the sums of all candidates are worth
// to be known in the steps that follow.
void Step::sum_candidates(const Index *candidates, Index count) {
    Indices left;
    for (Index k = 0; k < count; k++) {
        const Index f = candidates[k];
        if (subset_.level[f] == CARRIED && reaches(first_bounds_[f])) left.push_back(f);
    }
    const bool is_renewed = !data_.is_rms && static_cast<Index>(left.size()) > count / MANY;
    if (is_renewed) {
        left.clear();
        std::copy_if(candidates, candidates + count, std::back_inserter(left),
                     [&](Index f) { return subset_.level[f] == CARRIED; });
    }
    const Index n_left = static_cast<Index>(left.size());
    const double n_operations = static_cast<double>(n_left) * static_cast<double>(data_.n) / 4;
    parallel_for(n_left, useful_threads(n_operations, n_threads_), [&](Index first, Index last, Index) {
        sum_features(left.data() + first, last - first);
        for (Index k = first; k < last; k++) bound_features(left[k], left[k] + 1);
    });
    if (!is_renewed) return;
    subset_.reference = bounds_.tangent.chord;
    for (double &sum : subset_.carried) sum *= bounds_.chord_ratio;
    for (Index f : left) subset_.carried[f] = larger(bounds_.theta_dis_more[f] / data_.unit, 0.0);
    bounds_.chord_ratio = 1;
}

// Takes a candidate one level further, or just so far that it is ruled out; its bound.
double Step::refine(Index f) {
    static thread_local Floats buffer;
    Components &known = subset_.known[f];
    Level &level = subset_.level[f];
    switch (level) {
        case CARRIED:
            sum_features(&f, 1);
            bound_features(f, f + 1);
            return first_bounds_[f];
        case SUMS: {
            const Roots roots = sum_roots(bounds_, data_.offsets(f, buffer), data_.n);
            known.lambda_dis = bounds_.most_lambda_dis[f], known.lambda_dir = bounds_.lambda_dir;
            known.theta_dis = larger(bounds_.theta_dis[f], floor_distance(0));
            if (!data_.is_rms) known.theta_dis = floor_distance(bounds_.tangent.distance + roots.distance);
            known.theta_dir = larger(bounds_.tangent.direction - roots.bend - static_cast<double>(bounds_.bend[f]), 0.0);
            subset_.curved[f] = roots.bend;
            level = ROOTS;
            break;
        }
        case ROOTS: {
            static thread_local RoundedDistances distances;
            bound_distances(data_, tables_, bounds_, f, distances);
            known.lambda_dis = smaller(known.lambda_dis, data_.unit * distances.lambda_dis);
            known.theta_dir = larger(known.theta_dir, bounds_.tangent.direction - distances.bend - subset_.curved[f]);
            if (!reaches(bound(known))) break;  // without the directions, which take as long again
            if (!distances.is_clear) {  // single precision cannot tell
                subset_.separation(f, &known.lambda_dis, &known.lambda_dir);
                level = SEPARATED;
                break;
            }
            const PartialBound found = bound_directions(data_, bounds_, beaten_lambda_dir(known), distances);
            known.lambda_dir = smaller(known.lambda_dir, found.value);
            // Another weighting may need the whole bound.
            if (found.is_complete || reaches(bound(known))) level = SEPARATED;
            break;
        }
        case SEPARATED: {
            const PartialBound found =
                screen_direction(data_, tables_, bounds_, f, data_.offsets(f, buffer), beaten_theta_dir(known));
            known.theta_dir = larger(known.theta_dir, found.value);
            if (found.is_complete || reaches(bound(known))) level = SCREENED;
            break;
        }
        default:
            known = subset_.score(f);
            level = EXACT;
            return known.sep(alpha_, beta_);
    }
    return bound(known);
}

// Refines all candidates that may still be the best, and leaves out those that may not. For another
// weighting a candidate may have been refined further already: it stays as it is, since one that
// became EXACT here would be left out before it is scored.
void Step::refine_all(std::vector<Candidate> &alive, Level until, double n_operations_of_one) {
    const Index count = static_cast<Index>(alive.size());
    const Index threads = useful_threads(n_operations_of_one * static_cast<double>(count), n_threads_);
    parallel_for(count, threads, [&](Index first, Index last, Index) {
        for (Index k = first; k < last; k++)
            while (subset_.level[alive[k].feature] < until && reaches(alive[k].bound))
                alive[k].bound = refine(alive[k].feature);
    });
    drop(alive);
}

void Step::drop(std::vector<Candidate> &alive) const {
    const auto is_beaten = [&](const Candidate &one) {
        return subset_.level[one.feature] == EXACT || !reaches(one.bound);
    };
    alive.erase(std::remove_if(alive.begin(), alive.end(), is_beaten), alive.end());
}

// Scores a candidate in double precision.
void Step::score(Index feature) {
    if (subset_.level[feature] != EXACT) {
        subset_.known[feature] = subset_.score(feature);
        subset_.level[feature] = EXACT;
    }
    const double sep = subset_.known[feature].sep(alpha_, beta_);
    if (std::isnan(sep)) return;
    scored_.push_back(feature);
    best_ = larger(best_, sep);
}

// The best of the candidates; docs/engine.md, step 11, has the same order.
Index Step::best(const Index *candidates, Index count, Components *components) {
    const double n = static_cast<double>(data_.n), p = static_cast<double>(data_.p);
    bound_all(candidates, count);
    score_promising(candidates, count);
    sum_candidates(candidates, count);
    std::vector<Candidate> alive = find_alive(candidates, count);
    refine_all(alive, ROOTS, n);
    if (!alive.empty()) {
        score(std::max_element(alive.begin(), alive.end())->feature);
        drop(alive);
    }
    refine_all(alive, SEPARATED, 10 * p * p);
    score_largest_first(alive);
    const Index winner = find_winner();
    if (winner < 0) return best_ > 0 ? Subset::NONE_REACHES : Subset::NO_NUMBER;
    *components = subset_.known[winner];
    remember_runners_up(winner);
    return winner;
}

// Scores those that came next to the best in the step before: a score to be beaten. If there are none, the one with
// the largest bound does.
void Step::score_promising(const Index *candidates, Index count) {
    for (Index k = 0; k < count; k++) {
        const Index f = candidates[k];
        if (f == subset_.runners_up[0] || f == subset_.runners_up[1] || subset_.level[f] == EXACT) score(f);
    }
    if (!(best_ > 0) && count > 0)
        score(*std::max_element(candidates, candidates + count,
                                [&](Index one, Index other) { return first_bounds_[one] < first_bounds_[other]; }));
}

// The candidates that may be the best by what is known of them; another weighting may have refined them.
std::vector<Candidate> Step::find_alive(const Index *candidates, Index count) const {
    std::vector<Candidate> alive;
    for (Index k = 0; k < count; k++) {
        const Index f = candidates[k];
        if (subset_.level[f] == EXACT || !reaches(first_bounds_[f])) continue;
        const double refined = subset_.level[f] > SUMS ? bound(subset_.known[f]) : first_bounds_[f];
        if (reaches(refined)) alive.push_back({smaller(refined, first_bounds_[f]), f});
    }
    return alive;
}

// Screens and scores what is left, the largest bounds first: their scores rule out the others. Several threads take
// some candidates at a time.
void Step::score_largest_first(std::vector<Candidate> &alive) {
    const double n = static_cast<double>(data_.n), p = static_cast<double>(data_.p);
    for (Candidate &one : alive)
        if (std::isnan(one.bound)) one.bound = HUGE_VAL;
    std::sort(alive.begin(), alive.end(), [](const Candidate &one, const Candidate &other) { return other < one; });
    const Index together = n_threads_ > 1 ? 4 * n_threads_ : 1, count = static_cast<Index>(alive.size());
    for (Index start = 0; start < count && reaches(alive[start].bound); start += together) {
        const Index end = smaller(start + together, count);
        std::vector<Candidate> some(alive.begin() + start, alive.begin() + end);
        drop(some);
        refine_all(some, SCREENED, 8 * n * p);
        refine_all(some, EXACT, 30 * n * p);
        for (Index k = start; k < end; k++)
            if (subset_.level[alive[k].feature] == EXACT) score(alive[k].feature);
    }
}

// The smallest index among the scores that equal the best one; −1 if there is none.
Index Step::find_winner() const {
    Index winner = -1;
    for (Index f : scored_)
        if (subset_.known[f].sep(alpha_, beta_) >= best_ * (1 - EQUAL) && (winner < 0 || f < winner)) winner = f;
    return winner;
}

// Keeps those that came next to the best, which are promising in the next step.
void Step::remember_runners_up(Index winner) {
    std::sort(scored_.begin(), scored_.end(), [&](Index one, Index other) {
        const double a = subset_.known[one].sep(alpha_, beta_), b = subset_.known[other].sep(alpha_, beta_);
        return a > b || (a == b && one < other);
    });
    scored_.erase(std::remove(scored_.begin(), scored_.end(), winner), scored_.end());
    for (std::size_t k = 0; k < 2; k++) subset_.runners_up[k] = k < scored_.size() ? scored_[k] : -1;
}

// The upper bounds of all candidates, refined to a level.
void Step::bounds(const Index *candidates, Index count, Level level, double *found) {
    bound_all(candidates, count);
    if (level >= SUMS) {  // side by side, as in a search
        sum_features(candidates, count);
        for (Index k = 0; k < count; k++) bound_features(candidates[k], candidates[k] + 1);
    }
    std::vector<Candidate> all;
    for (Index k = 0; k < count; k++) all.push_back({first_bounds_[candidates[k]], candidates[k]});
    refine_all(all, level, 0);
    for (Index k = 0; k < count; k++) {
        const Index f = candidates[k];
        found[k] = level <= SUMS ? first_bounds_[f] : bound(subset_.known[f]);
    }
}

}  // namespace

void Subset::upper_bounds(const Index *candidates, Index count, double alpha, double beta, Level until, double *found) {
    has_bounds = false;  // begin anew
    Step(*this, alpha, beta, 0, 1).bounds(candidates, count, until, found);
}

Index Subset::best(const Index *candidates, Index count, double alpha, double beta, double at_least,
                   Index n_threads, Components *components) {
    return Step(*this, alpha, beta, at_least, n_threads).best(candidates, count, components);
}

}  // namespace s2fs
