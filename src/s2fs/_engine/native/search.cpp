// Step 9: from all candidates to the few that may be the best, to the best, to the next step.

#include "state.hpp"

#if defined(_WIN32)
extern "C" __declspec(dllimport) int __stdcall SwitchToThread(void);
#else
#include <sched.h>
#endif

namespace s2fs {

namespace {

// So many of the most promising candidates are scored first; the best of them rules out others.
constexpr Index FIRST = 4;
// In single precision the features are taken by tiles of this many.
constexpr Index TILE = N_FLOATS;
// So many scores of chunks are kept before they are summed.
constexpr Index TASKS = 4096;

// Hands out parts of the workspace.
struct Parts {
    char *base;
    Index bytes = 0;
    template <class Item>
    Item *take(Index n) {
        const Index at = bytes;
        bytes += (n * static_cast<Index>(sizeof(Item)) + 63) / 64 * 64;
        return reinterpret_cast<Item *>(base + at);
    }
};

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void give_way() {
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
}

}  // namespace

Workspace lay_out(const Search &search, Index thread) {
    const Table &t = *search.table;
    const Index p = t.n_classes, m = most_of(padded(t.n_features), 2 * LANES);
    const Index n = t.n_blocks * LANES, n_threads = search.n_threads;
    const Index real = t.screens_in_single ? sizeof(float) : sizeof(double);
    Workspace ws;
    Parts parts = {search.workspace};
    ws.tangent.near = parts.take<char>(n * real);
    ws.tangent.weight = parts.take<char>(n * real);
    ws.tangent.chord = parts.take<char>(n * real);
    ws.tangent.cap = parts.take<char>(n * real);
    ws.tangent.curvature = parts.take<char>(n * real);
    ws.carried.chord = parts.take<float>(n);
    ws.carried.curvature = parts.take<float>(n);
    ws.carried.chord_sums = parts.take<float>(LANES * m);
    ws.carried.curvature_sums = parts.take<float>(m);
    ws.carried.losses = parts.take<float>(p > FEW_CLASSES ? p * m : 0);
    ws.carried.forms = parts.take<float>(m);
    ws.carried.widest = parts.take<float>(m);
    ws.carried.losses_at = -1;
    ws.open = parts.take<Index>(n_threads);
    ws.most = parts.take<float>(search.n_pairs * m);
    ws.before = parts.take<float>(m);
    ws.upper = parts.take<float>(3 * m);
    ws.least = parts.take<float>(3 * m);
    ws.lambdas = parts.take<double>(4 * m);
    ws.known = parts.take<Separation>(m);
    ws.chunk_sums = parts.take<double>(2 * most_of(TASKS, n_chunks(t)));
    ws.contenders = parts.take<Index>(m + 1);
    ws.is_candidate = parts.take<std::int32_t>(m);
    ws.reached = parts.take<std::uint64_t>(search.n_pairs);
    Worker &w = ws.worker;
    const Index shared = parts.bytes;
    const auto lay_out_worker = [&] {
        w.x = parts.take<double>(CHUNK);
        w.column = parts.take<float>(TOGETHER * CHUNK);
        w.column_double = parts.take<double>(CHUNK);
        w.rows = parts.take<double>(2 * p * LANES);
        w.tangent_sums = parts.take<double>(3);
        w.shrunk = parts.take<float>(LANES);
        w.class_sums = parts.take<double>(2 * p);
        w.all_class_sums = parts.take<double>(2 * p);
        w.slopes_sum = parts.take<double>(p * p);
        w.H = parts.take<double>(p * p);
        w.norm = parts.take<double>(p * p);
        w.lines = parts.take<double>(4 * p);
        w.G = parts.take<float>(p * p + 64);  // see lookup
        w.slopes = parts.take<float>(p * p);
        w.order = parts.take<std::int32_t>(p * p);
        w.ordered = parts.take<float>(p * p);
        w.inverses = parts.take<float>(p * p);
        w.least_T = parts.take<float>(p);
        w.most_T = parts.take<float>(p);
        w.slopes_then = parts.take<float>(p * p);
        w.angles = parts.take<double>(p > FEW_CLASSES ? 4 * p * padded(p) : 0);
        w.coefficients = parts.take<float>(p > FEW_CLASSES ? 3 * p * p : 0);
        w.lanes = parts.take<float>(p * N_FLOATS);
        w.pairs = parts.take<float>(6 * p * N_FLOATS);
        w.list = parts.take<Index>(m);
        w.screened = parts.take<Index>(m + 1);
        w.sums = parts.take<double>(3 * m);
        w.largest = parts.take<double>(m);
    };
    lay_out_worker();
    const Index own = parts.bytes - shared;
    parts.bytes = shared + thread * own;
    lay_out_worker();
    ws.bytes = shared + n_threads * own;
    const Index chunks = n_chunks(t), tiles = padded(t.n_features) / LANES;
    w.thread = thread;
    w.blocks = {least_of(chunks * thread / n_threads * CHUNK_BLOCKS, t.n_blocks),
                least_of(chunks * (thread + 1) / n_threads * CHUNK_BLOCKS, t.n_blocks)};
    w.first = tiles * thread / n_threads * LANES;
    w.last = least_of(tiles * (thread + 1) / n_threads * LANES, t.n_features);
    return ws;
}

bool all_here(Search &search) {
    if (search.n_threads > 1) {
        const std::int32_t round = __atomic_load_n(&search.round, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&search.n_waiting, 1, __ATOMIC_ACQ_REL) == search.n_threads) {
            __atomic_store_n(&search.n_waiting, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&search.round, round + 1, __ATOMIC_RELEASE);
        } else
            for (int spins = 0; __atomic_load_n(&search.round, __ATOMIC_ACQUIRE) == round;
                 spins++) {
                if (stopped(search)) return false;
                spins < 2000 ? pause() : give_way();
            }
    }
    return !stopped(search);
}

namespace {

// Sep is never negative, so larger numbers have larger bits.
double as_number(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
std::uint64_t as_bits(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

double reached_by(const Workspace &ws, Index pair) {
    return as_number(__atomic_load_n(ws.reached + pair, __ATOMIC_RELAXED));
}

void raise_reached(Workspace &ws, Index pair, double sep) {
    const std::uint64_t bits = as_bits(sep > 0 ? sep * (1 - EQUAL) : 0.0);
    std::uint64_t known = __atomic_load_n(ws.reached + pair, __ATOMIC_RELAXED);
    while (known < bits && !__atomic_compare_exchange_n(ws.reached + pair, &known, bits, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

bool may_reach(const Search &search, const Workspace &ws, Index feature) {
    const Index m = padded(search.table->n_features);
    for (Index pair = 0; pair < search.n_pairs; pair++)
        if (ws.most[pair * m + feature] >= reached_by(ws, pair)) return true;
    return false;
}

// An upper bound of Sep of a feature from the bounds of its parts.
void bound_anew(const Search &search, Workspace &ws, Index feature, Index pair) {
    const Table &t = *search.table;
    const Index m = padded(t.n_features);
    const float *upper = ws.upper + feature, *least = ws.least + feature;
    const double alpha = search.weights[2 * pair], beta = search.weights[2 * pair + 1];
    const double sum = t.rms ? search.state->spread + t.spread[feature] : least[0];
    ws.most[pair * m + feature] = rounded_up((t.unit * upper[0] + beta * upper[m]) /
                                             (theta_dis(t, sum) + alpha * least[m]));
}

// Keep what sums over the instances tell of the compactness of a feature.
void keep_least(Workspace &ws, const Room &room, Index feature, Index m, Distance kind,
                const double *sums) {
    ws.least[feature] = rounded_down(room.theta_dis(sums[0], kind));
    ws.least[m + feature] = rounded_down(room.theta_dir(sums[1], ws.upper[2 * m + feature]));
    ws.least[2 * m + feature] = rounded_up(sums[1]);
}

// Whether directions count in the separation.
bool is_directed(const Search &search) {
    bool directed = false;
    for (Index pair = 0; pair < search.n_pairs; pair++)
        directed |= search.weights[2 * pair + 1] > 0;
    return directed && search.table->n_classes > 2;
}

// How the sums over the instances are known in the first bound: anew, anew and kept for later
// steps, or from an earlier step.
enum class Known { NEW, KEPT, CARRIED };

// The ratio of two bounds in single precision, for weights that it holds.
struct Quotient {
    float alpha, beta;
    bool fits;
    Quotient(const Search &search, Index pair) {
        const double a = search.weights[2 * pair], b = search.weights[2 * pair + 1];
        fits = search.table->unit == 1 && a < 1e30 && b < 1e30;
        alpha = a < 1e-30 ? 0.0f : rounded_down(a);
        beta = b > 0 ? rounded_up(most_of(b, 1e-30)) : 0.0f;
    }
    Floats operator()(Floats theta_dis, Floats theta_dir, const Most &most) const {
        const Floats separation = most.dis + beta * most.dir;
        const Floats distance = larger(theta_dis, all(rounded_down(ON_CENTROID)));
        const float error = 1 + 16 * static_cast<float>(U_SINGLE);
        return separation / (distance + alpha * theta_dir) * error;
    }
};

// The first bounds of a tile of features in single precision.
void bound_in_single(Search &search, Workspace &ws, const Room &room, const Most &most, Known kind,
                     Index first) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index m = padded(t.n_features), n = least_of(TILE, t.n_features - first);
    Sums sums;
    if (kind == Known::CARRIED)
        sums = carried_sums(search, ws, first);
    else {
        double each[2 * TILE] = {};
        if (kind == Known::KEPT)
            sums_to_carry(search, ws, first, n, each);
        else {
            Index features[TILE];
            for (Index i = 0; i < n; i++) features[i] = first + i;
            least_sums(search, ws.tangent, Distance::CHORD, features, n, w, each);
        }
        for (int i = 0; i < TILE; i++) {
            sums.chord[i] = rounded_down(each[2 * i]);
            sums.curvature[i] = rounded_up(each[2 * i + 1]);
        }
    }
    const auto error = [](double n_roundings) {
        return static_cast<float>(n_roundings * U_SINGLE);
    };
    Floats theta_sum =
        (rounded_down(room.distance) + sums.chord * rounded_down(room.by_chord)) * (1 - error(4));
    const Floats bent =
        sums.curvature * rounded_up(room.in_sums) + most.form * rounded_up(room.in_form);
    const float direction = rounded_down(room.direction) * (1 - error(8));
    const Floats theta_dir = larger(direction - bent * (1 + error(8)), Floats{});
    Floats theta_dis = theta_sum;
    if (t.rms) {
        for (Index i = 0; i < n; i++)
            theta_sum[static_cast<int>(i)] =
                rounded_down(search.state->spread + t.spread[first + i]);
        theta_dis = root(theta_sum) * (1 - error(4));
    }
    store(ws.upper + first, most.dis);
    store(ws.upper + m + first, most.dir);
    store(ws.upper + 2 * m + first, most.form);
    store(ws.least + first, theta_sum);
    store(ws.least + m + first, theta_dir);
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        const Quotient quotient(search, pair);
        if (quotient.fits)
            store(ws.most + pair * m + first, quotient(theta_dis, theta_dir, most));
        else
            for (Index f = first; f < first + n; f++) bound_anew(search, ws, f, pair);
    }
}

// The same in double precision, for features that single precision does not hold.
void bound_in_double(Search &search, Workspace &ws, const Room &room, Index first) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index m = padded(t.n_features), last = least_of(first + TILE, t.n_features);
    const Between known = separation_between(t, w, false, t.single_centroids + first, m);
    for (Index f = first; f < last; f++) {
        if (!ws.is_candidate[f]) continue;
        double parts[2], sums[2];
        separation(t, *search.state, f, w, parts);
        least_sums(search, ws.tangent, Distance::CHORD, &f, 1, w, sums);
        ws.upper[f] = rounded_up(parts[0] / t.unit);
        ws.upper[m + f] = rounded_up(parts[1]);
        ws.upper[2 * m + f] = known.form[static_cast<int>(f - first)];
        keep_least(ws, room, f, m, Distance::CHORD, sums);
        for (Index pair = 0; pair < search.n_pairs; pair++) bound_anew(search, ws, f, pair);
    }
}

// Upper bounds of Sep of two tiles of features; -1 for those that are no candidates.
void bound_tiles(Search &search, Workspace &ws, const Room &room, bool directed, Known kind,
                 Index first) {
    const Table &t = *search.table;
    const Index last = (ws.worker.last - 1) / TILE * TILE;  // the next one is another thread's
    const Index starts[2] = {first, least_of(first + TILE, last)};
    Most most[2];
    if (t.screens_in_single) most_separation(search, ws, directed, starts, most);
    for (int k = 0; k < (starts[1] > first ? 2 : 1); k++) {
        const Ints here = load(ws.is_candidate + starts[k]);
        if (any(here)) {
            if (t.screens_in_single)
                bound_in_single(search, ws, room, most[k], kind, starts[k]);
            else
                bound_in_double(search, ws, room, starts[k]);
        }
        for (Index pair = 0; pair < search.n_pairs; pair++) {
            float *bound = ws.most + pair * padded(t.n_features) + starts[k];
            store(bound, here ? load(bound) : all(-1.0f));
        }
    }
}

// The distances of some features without the error of the chords.
void bound_by_roots(Search &search, Workspace &ws, const Room &room, const Index *features,
                    Index n) {
    const Index m = padded(search.table->n_features);
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        const Index here = least_of(TILE, n - start);
        double sums[2 * TILE];
        least_sums(search, ws.tangent, Distance::ROOT, features + start, here, ws.worker, sums);
        for (Index i = 0; i < here; i++) {
            const Index f = features[start + i];
            keep_least(ws, room, f, m, Distance::ROOT, sums + 2 * i);
            for (Index pair = 0; pair < search.n_pairs; pair++) bound_anew(search, ws, f, pair);
        }
    }
}

// Upper bounds with a tighter one of Λ_dir, and Σ S g² as it is now; the sums are known.
void bound_by_direction(Search &search, Workspace &ws, const Room &room, const Index *features,
                        Index n) {
    const Index m = padded(search.table->n_features);
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        const Index here = least_of(TILE, n - start);
        tighten_direction(search, ws, features + start, here);
        for (Index i = start; i < start + here; i++) {
            const Index f = features[i];
            ws.least[m + f] = rounded_down(room.theta_dir(ws.least[2 * m + f], ws.upper[2 * m + f]));
            for (Index pair = 0; pair < search.n_pairs; pair++) bound_anew(search, ws, f, pair);
        }
    }
}

// Upper bounds with the separation as it is known by now.
void bound_by_separation(Search &search, Workspace &ws, const Index *features, Index n) {
    const Table &t = *search.table;
    const Index m = padded(t.n_features);
    for (Index i = 0; i < n; i++) {
        const Index f = features[i];
        ws.upper[f] = rounded_up(ws.lambdas[t.n_features + f] / t.unit);
        ws.upper[m + f] = rounded_up(ws.lambdas[3 * t.n_features + f]);
        for (Index pair = 0; pair < search.n_pairs; pair++) bound_anew(search, ws, f, pair);
    }
}

// The separation of a feature in double precision.
void know_exactly(Search &search, Workspace &ws, Index feature) {
    const Table &t = *search.table;
    double *to = ws.lambdas + feature, parts[2];
    separation(t, *search.state, feature, ws.worker, parts);
    to[0] = to[t.n_features] = parts[0];
    to[2 * t.n_features] = to[3 * t.n_features] = parts[1];
    ws.known[feature] = Separation::KNOWN;
}

// Between what the separation of some features is.
void know_separation(Search &search, Workspace &ws, bool directed, const Index *features, Index n) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index m = t.n_features, p = t.n_classes;
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        const Index here = least_of(TILE, n - start);
        for (Index i = 0; i < TILE; i++) {
            const double *c = t.centroids + features[start + least_of(i, here - 1)] * p;
            for (Index q = 0; q < p; q++) w.lanes[q * TILE + i] = static_cast<float>(c[q]);
        }
        const Between known = separation_between(t, w, directed, w.lanes, TILE);
        for (Index i = 0; i < here; i++) {
            const int lane = static_cast<int>(i);
            double *to = ws.lambdas + features[start + i];
            to[0] = t.unit * known.low_dis[lane];
            to[m] = t.unit * known.high_dis[lane];
            to[2 * m] = known.low_dir[lane];
            to[3 * m] = known.high_dir[lane];
            ws.known[features[start + i]] =
                known.unclear[lane] ? Separation::UNSURE : Separation::KNOWN;
            if (!t.screens_in_single) know_exactly(search, ws, features[start + i]);
        }
    }
}

// Between what Sep of candidates is, for each pair of weights; their separation is known.
void screen(Search &search, Workspace &ws, const Index *features, Index n) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index m = t.n_features;
    if (t.screens_in_single)
        compactness_single(search, ws.tangent, features, n, w, w.sums);
    else
        for (Index i = 0; i < n; i++) compactness_double(search, features[i], w.x, w.sums + 3 * i);
    for (Index i = 0; i < n; i++) {
        const Index f = features[i];
        w.screened[++w.screened[0]] = f;
        const double *lambda = ws.lambdas + f;
        const double distance = theta_dis(t, w.sums[3 * i]), direction = w.sums[3 * i + 1];
        const double distance_error = t.screens_in_single ? t.distance_error * distance : 0.0;
        const double direction_error = w.sums[3 * i + 2];
        const double least = direction > direction_error ? direction - direction_error : 0.0;
        const double most = direction + direction_error;
        for (Index pair = 0; pair < search.n_pairs; pair++) {
            const double alpha = search.weights[2 * pair], beta = search.weights[2 * pair + 1];
            const double low =
                (lambda[0] + beta * lambda[2 * m]) / (distance + distance_error + alpha * most);
            search.low[pair * m + f] = low;
            search.high[pair * m + f] =
                (lambda[m] + beta * lambda[3 * m]) / (distance - distance_error + alpha * least);
            ws.most[pair * padded(m) + f] = -1;
            if (search.n_best == 1) raise_reached(ws, pair, low);
        }
    }
}

// What the `n_best` best of the candidates of this thread are known to reach.
void raise_by_several(Search &search, Workspace &ws) {
    if (search.n_best == 1) return;
    const Worker &w = ws.worker;
    double *largest = w.largest;
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        const double *low = search.low + pair * search.table->n_features;
        Index n = 0;  // how many are in `largest`, the largest first
        for (Index i = 1; i <= w.screened[0]; i++) {
            const Index f = w.screened[i];
            if (n == search.n_best && low[f] <= largest[n - 1]) continue;
            Index at = n < search.n_best ? n++ : n - 1;
            for (; at > 0 && largest[at - 1] < low[f]; at--) largest[at] = largest[at - 1];
            largest[at] = low[f];
        }
        if (n == search.n_best) raise_reached(ws, pair, largest[n - 1]);
    }
}

// Whether a screened feature may be among the best.
bool may_be_best(const Search &search, const Workspace &ws, Index feature) {
    const Index m = search.table->n_features;
    for (Index pair = 0; pair < search.n_pairs; pair++)
        if (search.high[pair * m + feature] >= reached_by(ws, pair)) return true;
    return false;
}

// Where rough inverses leave several features of this thread that may be the best, all digits of
// their separation: between what Sep is changes as its numerator does.
void sharpen(Search &search, Workspace &ws, bool directed) {
    const Worker &w = ws.worker;
    const Index m = search.table->n_features;
    Index n = 0;
    for (Index i = 1; i <= w.screened[0]; i++)
        if (may_be_best(search, ws, w.screened[i])) w.list[n++] = w.screened[i];
    if (n <= search.n_best) return;
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        const Index *tile = w.list + start, here = least_of(TILE, n - start);
        double then[4 * TILE];
        for (Index i = 0; i < here; i++)
            for (Index part = 0; part < 4; part++)
                then[4 * i + part] = ws.lambdas[part * m + tile[i]];
        know_separation(search, ws, directed, tile, here);
        for (Index i = 0; i < here; i++) {
            const Index f = tile[i];
            if (ws.known[f] == Separation::UNSURE) know_exactly(search, ws, f);
            const double *now = ws.lambdas + f, *old = then + 4 * i;
            for (Index pair = 0; pair < search.n_pairs; pair++) {
                const double beta = search.weights[2 * pair + 1];
                const double least = old[0] + beta * old[2], most = old[1] + beta * old[3];
                double &low = search.low[pair * m + f], &high = search.high[pair * m + f];
                if (least > 0) low *= (now[0] + beta * now[2 * m]) / least;
                if (most > 0) high *= (now[m] + beta * now[3 * m]) / most;
                if (search.n_best == 1) raise_reached(ws, pair, low);
            }
        }
    }
    raise_by_several(search, ws);
}

// The next place, from `at` on, of a value that is not below a limit; `last` if there is none.
Index next_from(const float *values, Index at, Index last, float limit) {
    for (; at + TILE <= last; at += TILE)
        if (any(load(values + at) >= all(limit))) break;
    while (at < last && !(values[at] >= limit)) at++;
    return at;
}

// Where the largest `n` values that are not negative are, in any order; returns how many.
Index largest_of(const float *values, Index first, Index last, Index n, Index *top) {
    Index found = 0, lowest = 0;
    for (Index j = next_from(values, first, last, 0); j < last;) {
        if (found < n)
            top[found++] = j;
        else if (values[j] > values[top[lowest]])
            top[lowest] = j;
        if (found == n)
            for (Index k = 0; k < n; k++)
                if (values[top[k]] < values[top[lowest]]) lowest = k;
        j = next_from(values, j + 1, last, found < n ? 0.0f : values[top[lowest]]);
    }
    return found;
}

// Sort features so that each one comes before the next (heap sort).
template <class Before>
void sort(Index *list, Index n, Before before) {
    const auto sift = [&](Index hole, Index end) {
        const Index moved = list[hole];
        for (Index child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && before(list[child], list[child + 1])) child++;
            if (!before(moved, list[child])) break;
            list[hole] = list[child];
        }
        list[hole] = moved;
    };
    for (Index i = n / 2; i-- > 0;) sift(i, n);
    for (Index end = n; end-- > 1;) {
        const Index last = list[0];
        list[0] = list[end];
        list[end] = last;
        sift(0, end);
    }
}

// Upper bounds of Sep of all features, -1 for those that are no candidates; false if the work is to
// be stopped.
bool bound_all(Search &search, Workspace &ws, Known kind) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const bool directed = is_directed(search);
    tangent_of(search, ws, kind == Known::CARRIED);
    prepare_separation(t, *search.state, w);
    if (!all_here(search)) return false;
    join_tangents(search, ws);
    if (kind == Known::KEPT) keep_tangent(ws);
    if (t.screens_in_single) prepare_most(search, ws, directed);
    const Room room(search, ws.tangent);
    for (Index f = w.first; f < w.last && !stopped(search); f += 2 * TILE)
        bound_tiles(search, ws, room, directed, kind, f);
    return true;
}

// The candidates of this thread that came next to the best in the step before, at most n.
Index runners_up(const Search &search, const Workspace &ws, Index n, Index *top) {
    const Worker &w = ws.worker;
    for (Index f = w.first; f < w.last; f++) ws.before[f] = -1;
    for (Index i = 1; i <= w.screened[0]; i++) {
        const Index f = w.screened[i];
        if (ws.is_candidate[f]) ws.before[f] = static_cast<float>(search.low[f]);
    }
    return largest_of(ws.before, w.first, w.last, n, top);
}

// Screen all candidates that may be among the best; false if the work is to be stopped.
bool contend(Search &search, Workspace &ws, Known kind) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index m = padded(t.n_features);
    const bool directed = is_directed(search);
    Index *list = w.list;
    const Index n_first = most_of((FIRST + search.n_threads - 1) / search.n_threads, search.n_best);
    const Index n_again = runners_up(search, ws, n_first / 2, list);
    w.screened[0] = 0;
    if (w.thread == 0)
        for (Index pair = 0; pair < search.n_pairs; pair++) ws.reached[pair] = 0;
    if (!bound_all(search, ws, kind)) return false;
    const Room room(search, ws.tangent);
    for (Index i = 0; i < n_again; i++) ws.most[list[i]] = -1;  // nothing rules them out
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        Index n = pair == 0 ? n_again : 0;
        n += largest_of(ws.most + pair * m, w.first, w.last, n_first - n, list + n);
        know_separation(search, ws, directed, list, n);
        for (Index i = 0; i < n; i++)
            if (ws.known[list[i]] == Separation::UNSURE) know_exactly(search, ws, list[i]);
        screen(search, ws, list, n);
    }
    raise_by_several(search, ws);
    const auto left_of = [&](Index n) {
        Index n_left = 0;
        for (Index i = 0; i < n; i++)
            if (may_reach(search, ws, list[i])) list[n_left++] = list[i];
        return n_left;
    };
    Index n = 0;
    if (search.n_pairs == 1) {
        const float limit = rounded_down(reached_by(ws, 0));
        for (Index f = w.first; (f = next_from(ws.most, f, w.last, limit)) < w.last; f++)
            list[n++] = f;
    } else
        for (Index f = w.first; f < w.last; f++)
            if (may_reach(search, ws, f)) list[n++] = f;
    ws.open[w.thread] = n;
    const bool many = n > n_first, few_classes = t.n_classes <= FEW_CLASSES;
    const bool by_direction = many && !few_classes && directed && t.screens_in_single;
    if (!many)
        know_separation(search, ws, directed, list, n);
    else {
        bound_by_roots(search, ws, room, list, n);
        n = left_of(n);
    }
    if (many && few_classes) {
        know_separation(search, ws, directed, list, n);
        bound_by_separation(search, ws, list, n);
        n = left_of(n);
    }
    if (by_direction) {
        bound_by_direction(search, ws, room, list, n);
        n = left_of(n);
    }
    sort(list, n, [&](Index a, Index b) { return ws.most[a] > ws.most[b]; });
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        Index *tile = list + start, here = 0;
        for (Index i = start; i < least_of(start + TILE, n); i++)
            if (may_reach(search, ws, list[i])) tile[here++] = list[i];
        if (many && !few_classes) {
            Index rest[TILE], n_rest = 0;
            for (Index i = 0; i < here; i++)
                if (!by_direction || ws.known[tile[i]] == Separation::UNKNOWN)
                    rest[n_rest++] = tile[i];
            know_separation(search, ws, directed, rest, n_rest);
            bound_by_separation(search, ws, rest, n_rest);
        }
        for (Index at = 0; at < here;) {
            Index some[TOGETHER], n_some = 0;
            for (; at < here && n_some < TOGETHER; at++) {
                const Index f = tile[at];
                if (ws.known[f] == Separation::UNSURE && may_reach(search, ws, f)) {
                    know_exactly(search, ws, f);
                    bound_by_separation(search, ws, &f, 1);
                }
                if (may_reach(search, ws, f)) some[n_some++] = f;
            }
            screen(search, ws, some, n_some);
        }
    }
    if (by_direction) sharpen(search, ws, directed);
    return all_here(search);
}

// Mark the candidates, and begin with the classes in any order; there was no step before.
void mark(const Search &search, Workspace &ws) {
    const Index p = search.table->n_classes;
    ws.worker.screened[0] = 0;
    for (Index i = 0; i < p * p; i++)
        ws.worker.order[i] = static_cast<std::int32_t>(i % p);
    if (ws.worker.thread > 0) return;
    for (Index f = 0; f < padded(search.table->n_features); f++) ws.is_candidate[f] = 0;
    for (Index i = 0; i < search.n_candidates; i++) ws.is_candidate[search.candidates[i]] = -1;
}

// Step 2 for features: (4, n) components, the same for any number of threads.
bool score(Search &search, Workspace &ws, const Index *features, Index n, double *parts) {
    const Table &t = *search.table;
    const State &s = *search.state;
    Worker &w = ws.worker;
    const Index chunks = n_chunks(t), at_once = most_of(TASKS / chunks, 1);
    for (Index start = 0; start < n; start += at_once) {
        const Index here = least_of(at_once, n - start);
        for (Index task = w.thread; task < here * chunks; task += search.n_threads) {
            if (stopped(search)) break;
            double *sums = ws.chunk_sums + 2 * task;
            sums[0] = sums[1] = 0;
            compactness(t, s, features[start + task / chunks], chunk(t, task % chunks), w.x, sums);
        }
        if (!all_here(search)) return false;
        for (Index i = w.thread; i < here; i += search.n_threads) {
            double sums[2] = {}, lambda[2];
            for (Index number = 0; number < chunks; number++) {
                sums[0] += ws.chunk_sums[2 * (i * chunks + number)];
                sums[1] += ws.chunk_sums[2 * (i * chunks + number) + 1];
            }
            separation(t, s, features[start + i], w, lambda);
            parts[start + i] = theta_dis(t, sums[0]);
            parts[n + start + i] = sums[1];
            parts[2 * n + start + i] = lambda[0];
            parts[3 * n + start + i] = lambda[1];
        }
        if (!all_here(search)) return false;
    }
    return true;
}

bool add(Search &search, Workspace &ws, Index feature) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    for (Index k = w.blocks.first; k < w.blocks.last; k += CHUNK_BLOCKS) {
        const Blocks blocks = {k, least_of(k + CHUNK_BLOCKS, w.blocks.last)};
        if (stopped(search)) break;
        add_to_instances(t, *search.state, feature, blocks, w.x);
    }
    if (w.thread == 0) add_to_classes(t, *search.state, feature);
    return all_here(search);
}

// The candidates whose Sep may be the largest, in their order; their number comes first.
void list_contenders(const Search &search, Workspace &ws) {
    double reached = 0;
    Index n = 0;
    Index *contenders = ws.contenders;
    for (Index thread = 0; thread < search.n_threads; thread++) {
        const Index *screened = lay_out(search, thread).worker.screened;
        for (Index i = 1; i <= screened[0]; i++)
            if (search.low[screened[i]] > reached) reached = search.low[screened[i]];
    }
    for (Index thread = 0; thread < search.n_threads; thread++) {
        const Index *screened = lay_out(search, thread).worker.screened;
        for (Index i = 1; i <= screened[0]; i++) {
            const Index f = screened[i];
            if (search.high[f] >= reached * (1 - EQUAL)) contenders[++n] = f;
        }
    }
    sort(contenders + 1, n, [](Index a, Index b) { return a < b; });
    contenders[0] = n;
}

// When to make the sums anew: once the work of a step with those that are carried is more than
// that of the steps since they were made on average; and if they leave half of the features, which
// new ones may not, when the subset has grown by a quarter.
struct Turns {
    Index work = 0, n_steps = 0, made_at = 0;
    bool carries = false;
    Known next(const Table &t) const {
        if (!t.screens_in_single || t.is_sparse) return Known::NEW;
        return carries ? Known::CARRIED : Known::KEPT;
    }
    void take(Index n_features, Index n_open, Index size) {
        if (!carries) work = n_steps = 0, made_at = size;
        const Index now = carries ? n_open : n_features;
        work += now;
        n_steps++;
        const bool old = 2 * now > n_features && 4 * size >= 5 * made_at + 4;
        carries = !(carries && (now * n_steps > work || old));
    }
};

}  // namespace

}  // namespace s2fs

using namespace s2fs;

std::int64_t s2fs_engine_layout() {
    return (Index{sizeof(s2fs_table)} << 32) + (Index{sizeof(s2fs_search)} << 16) +
           (Index{sizeof(s2fs_state)} << 8) + Index{sizeof(s2fs_step)};
}

std::int64_t s2fs_workspace(const s2fs_search *search) {
    s2fs_search anywhere = *search;
    anywhere.workspace = nullptr;
    return lay_out(anywhere, 0).bytes;
}

void s2fs_add(s2fs_search *search, std::int64_t feature, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    add(*search, ws, feature);
}

void s2fs_score(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    score(*search, ws, search->candidates, search->n_candidates, search->out);
}

void s2fs_most(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    mark(*search, ws);
    if (!bound_all(*search, ws, Known::NEW)) return;
    const Index m = search->table->n_features;
    for (Index pair = 0; pair < search->n_pairs; pair++)
        for (Index f = ws.worker.first; f < ws.worker.last; f++)
            search->high[pair * m + f] = ws.most[pair * padded(m) + f];
}

void s2fs_shortlist(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    mark(*search, ws);
    contend(*search, ws, Known::NEW);
}

void s2fs_forward(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    mark(*search, ws);
    const Index *features = ws.contenders;
    Turns turns;
    for (Index number = 0; number < search->n_steps; number++) {
        if (!contend(*search, ws, turns.next(*search->table))) return;
        Index n_open = 0;
        for (Index i = 0; i < search->n_threads; i++) n_open += ws.open[i];
        turns.take(search->table->n_features, n_open, search->state->size);
        if (thread == 0) list_contenders(*search, ws);
        if (!all_here(*search)) return;
        const Index n = features[0];
        if (n == 0) return;  // no bound is a number: the caller sees that steps are missing
        double *parts = search->out;
        if (!score(*search, ws, features + 1, n, parts)) return;
        if (thread == 0) {
            const double alpha = search->weights[0], beta = search->weights[1];
            const auto sep = [&](Index i) {
                // Products of their own, so that no compiler fuses them: the digits of the
                // reference.
                const double apart = beta * parts[3 * n + i], tight = alpha * parts[n + i];
                return (parts[2 * n + i] + apart) / (parts[i] + tight);
            };
            double most = 0;
            for (Index i = 0; i < n; i++) most = sep(i) > most ? sep(i) : most;
            Index best = 0;  // the first one among equals; n if no Sep is a number
            while (best < n && !(sep(best) >= most * (1 - EQUAL))) best++;
            if (best < n)
                search->steps[number] = {features[1 + best], sep(best),
                                         parts[best],        parts[n + best],
                                         parts[2 * n + best], parts[3 * n + best]};
            else
                search->steps[number].feature = -1;
        }
        if (!all_here(*search)) return;
        const Index chosen = search->steps[number].feature;
        if (chosen < 0) return;
        if (thread == 0) ws.is_candidate[chosen] = 0;
        if (!add(*search, ws, chosen)) return;
        if (thread == 0) __atomic_store_n(&search->n_done, number + 1, __ATOMIC_RELEASE);
    }
}

void s2fs_least(s2fs_search *search, std::int64_t thread) {
    const Table &t = *search->table;
    Workspace ws = lay_out(*search, thread);
    Worker &w = ws.worker;
    tangent_of(*search, ws, false);
    prepare_separation(t, *search->state, w);
    if (!all_here(*search)) return;
    join_tangents(*search, ws);
    const Room room(*search, ws.tangent);
    const Index m = search->n_candidates, p = t.n_classes;
    const Index first = m * thread / search->n_threads, last = m * (thread + 1) / search->n_threads;
    for (Index start = first; start < last && !stopped(*search); start += TILE) {
        const Index here = least_of(TILE, last - start);
        const Index *features = search->candidates + start;
        double sums[2 * TILE];
        least_sums(*search, ws.tangent, Distance::ROOT, features, here, w, sums);
        for (Index i = 0; i < TILE; i++)
            for (Index q = 0; q < p; q++)
                w.lanes[q * TILE + i] =
                    static_cast<float>(t.centroids[features[least_of(i, here - 1)] * p + q]);
        const Between known = separation_between(t, w, false, w.lanes, TILE);
        for (Index i = 0; i < here; i++) {
            search->out[start + i] = t.rms ? search->state->spread + t.spread[features[i]]
                                           : room.theta_dis(sums[2 * i], Distance::ROOT);
            search->out[m + start + i] =
                room.theta_dir(sums[2 * i + 1], known.form[static_cast<int>(i)]);
        }
    }
}

void s2fs_compactness(s2fs_search *search, std::int64_t single, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    Worker &w = ws.worker;
    if (single) {
        tangent_of(*search, ws, false);
        if (!all_here(*search)) return;
    }
    const Index m = search->n_candidates;
    const Index first = m * thread / search->n_threads, last = m * (thread + 1) / search->n_threads;
    for (Index start = first; start < last && !stopped(*search); start += TILE) {
        const Index here = least_of(TILE, last - start);
        const Index *features = search->candidates + start;
        if (single)
            compactness_single(*search, ws.tangent, features, here, w, w.sums);
        else
            for (Index i = 0; i < here; i++)
                compactness_double(*search, features[i], w.x, w.sums + 3 * i);
        for (Index i = 0; i < here; i++)
            for (Index row = 0; row < 3; row++)
                search->out[row * m + start + i] = w.sums[3 * i + row];
    }
}

void s2fs_separation(s2fs_search *search, std::int64_t thread) {
    Worker w = lay_out(*search, thread).worker;
    const Index m = search->n_candidates;
    for (Index j = m * thread / search->n_threads; j < m * (thread + 1) / search->n_threads; j++) {
        double parts[2];
        separation(*search->table, *search->state, search->candidates[j], w, parts);
        search->out[j] = parts[0];
        search->out[m + j] = parts[1];
    }
}

void s2fs_most_separation(s2fs_search *search, std::int64_t thread) {
    const Table &t = *search->table;
    Workspace ws = lay_out(*search, thread);
    Worker &w = ws.worker;
    const Index m = search->n_candidates, p = t.n_classes;
    prepare_separation(t, *search->state, w);
    for (Index i = 0; i < p * p; i++) w.slopes[i] = 0;
    const Index first = m * thread / search->n_threads, last = m * (thread + 1) / search->n_threads;
    know_separation(*search, ws, p > 2, search->candidates + first, last - first);
    for (Index j = first; j < last; j++) {
        const double *lambda = ws.lambdas + search->candidates[j];
        search->out[j] = lambda[t.n_features];
        search->out[m + j] = lambda[3 * t.n_features];
    }
}
