// Steps 5 and 7: how far apart the classes are once a candidate joins.

#include "state.hpp"

namespace s2fs {

// Λ_dis and Λ_dir (Eqs. 16 and 21) in double precision.
void separation(const Table &t, const State &s, Index feature, Worker &worker, double *parts) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p, rounding = t.on_centroid[feature];
    const double lead = t.printed ? 1.0 : 0.0;
    double *H = worker.H, *norm = worker.norm;  // G with the candidate, and its square roots
    double *nearest = worker.lines, *twins = nearest + p, *inverses = twins + p,
           *turned = inverses + p;
    for (Index q = 0; q < p; q++) {
        nearest[q] = INF;
        twins[q] = inverses[q] = turned[q] = 0;
    }
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            const double gap = c[q] - c[r], square = std::fabs(gap) > rounding ? gap * gap : 0.0;
            const double h = s.G[q * p + r] + square;
            const bool same = h == 0, other = q != r;
            H[q * p + r] = h;
            norm[q * p + r] = std::sqrt(h);
            const double distance = other ? h : INF;
            nearest[r] = distance < nearest[r] ? distance : nearest[r];
            twins[r] += same && other ? 1.0 : 0.0;
            inverses[r] += same ? 0.0 : 1.0 / h;
        }
    double distance = 0;
    for (Index q = 0; q < p; q++) {
        const double limit = nearest[q] * (1 + EQUAL) * (1 + EQUAL);
        Index a = q > 0 ? 0 : 1;
        while (a + 1 < p && (a == q || H[q * p + a] > limit)) a++;
        distance += std::sqrt(nearest[q]);
        if (nearest[q] == 0) continue;  // no direction
        const double *H_q = H + q * p, *H_a = H + a * p, *norm_q = norm + q * p;
        const double norm_a = norm_q[a], inverse = inverses[a], n_twins = twins[a];
        // μ (1 − cos) as one fraction; no norm but that of r = q is 0. Centroids that coincide with
        // a share its membership.
        for (Index r = 0; r < p; r++) {
            const double norms = norm_a * norm_q[r], dot = (H_q[a] + H_q[r] - H_a[r]) / 2;
            double share = norms - dot > 0 ? norms - dot : 0.0;
            share = share < 2 * norms ? share : 2 * norms;
            const double ratios = n_twins == 0 ? H_a[r] * inverse : H_a[r] == 0 ? n_twins : INF;
            share /= norms * (lead + ratios);
            turned[r] += r != q && r != a ? share : 0.0;
        }
    }
    double direction = 0;
    for (Index r = 0; r < p; r++) direction += turned[r];
    parts[0] = t.unit * distance / static_cast<double>(p);
    parts[1] = direction / static_cast<double>(p);
}

// What all candidates share: G in single precision; no class is its own neighbour.
void prepare_separation(const Table &t, const State &s, Worker &worker) {
    const Index p = t.n_classes;
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++)
            worker.G[q * p + r] = static_cast<float>(q == r ? INF : s.G[q * p + r]);
}

namespace {

constexpr int N = N_FLOATS;

Ints load_ints(const float *from) {
    return load(reinterpret_cast<const std::int32_t *>(from));
}

// Σ μ (1 − cos) of the angles at q (step 5): in each lane `a` is the nearest class, at the squared
// distance l. Centroids of a class are `step` apart from those of the next; T has Σ 1/h of each.
template <bool ROUGHLY>
Floats angles_at(const Table &t, const Worker &w, const float *c, Index step, const float *T, Index q,
                 Ints a, Floats l) {
    const Index p = t.n_classes;
    const Floats here = load(c + q * step), lead = all(t.printed ? 1.0f : 0.0f);
    const Floats half = 0.5f * rough_inverse_root(l), offset = l * half;
    const float *G_q = w.G + q * p;
    Floats sum = {};
    const auto add = [&](Index r, Floats to_a, Floats G_a, Floats T_a) {
        const Floats there = load(c + r * step), gap = here - there, gap_a = to_a - there;
        const Floats h = fma(gap, gap, all(G_q[r])), across = fma(gap_a, gap_a, G_a);
        Floats turned, membership = fma(across, T_a, lead);  // 1 − cos, from the sides of a triangle
        if constexpr (ROUGHLY) {
            turned = fma(fma(across - h, half, -offset), rough_inverse_root(h), all(1.0f));
            membership = rough_inverse(membership);
        } else {
            turned = 1.0f - (l + h - across) * 0.5f * inverse_root(l * h);
            membership = inverse(membership);
        }
        return larger(turned, Floats{}) * membership;
    };
    const std::int32_t which = a[0];
    if (!any(a != which)) {
        const float *G_a = w.G + which * p;
        const Floats to_a = load(c + which * step), T_a = load(T + which * N);
        const Index one = least_of(q, which), other = most_of(q, which);
        for (Index r = 0; r < one; r++) sum += add(r, to_a, all(G_a[r]), T_a);
        for (Index r = one + 1; r < other; r++) sum += add(r, to_a, all(G_a[r]), T_a);
        for (Index r = other + 1; r < p; r++) sum += add(r, to_a, all(G_a[r]), T_a);
        return sum;
    }
    Floats to_a, T_a;
    for (int i = 0; i < N; i++) {
        to_a[i] = c[a[i] * step + i];
        T_a[i] = T[a[i] * N + i];
    }
    for (Index r = 0; r < p; r++) {
        if (r == q) continue;
        const Floats term = add(r, to_a, lookup(w.G + r * p, p, a), T_a);
        sum += a == static_cast<std::int32_t>(r) ? Floats{} : term;
    }
    return sum;
}

// Step 5, with the errors of step 7.
template <bool DIRECTED>
Between between(const Table &t, Worker &worker, const float *c, Index step) {
    const Index p = t.n_classes;
    // Of each class Σ 1/h, which are the two nearest ones, at which squared distances, and e.
    float *inverses = worker.pairs, *nearest = inverses + p * N, *near = nearest + 2 * p * N;
    float *errors = near + 2 * p * N;
    const float n = static_cast<float>(p), u = static_cast<float>(U_SINGLE);
    Between found = {};
    Floats distance = {}, most_e = {}, sum_e = {}, worst_e = {};
    const Floats rough = all(1.0f / 128), two = all(2.0f);  // a larger e tells nothing
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * step);
        const float *G = worker.G + q * p, *slopes = worker.slopes + q * p;
        Floats first = all(__builtin_inff()), second = first, third = first, sum = {};
        Ints a = {}, b = {};
        for (Index r = 0; r < p; r++) {
            const Floats gap = here - load(c + r * step), square = gap * gap,
                         h = square + all(G[r]);
            found.form = fma(all(slopes[r]), square, found.form);
            if constexpr (DIRECTED) {
                const Ints here = all(static_cast<std::int32_t>(r));
                b = h < first ? a : h < second ? here : b;
                a = h < first ? here : a;
                third = smaller(third, larger(second, h));
                second = smaller(second, larger(first, h));
                sum += inverse(smaller(h, all(1e30f)));
            }
            first = smaller(first, h);
        }
        distance += root(first);
        if constexpr (DIRECTED) {
            const Floats e = 3 * u + 4 * u * inverse_root(larger(first, all(ZERO_SINGLE)));
            const Floats margin = 1 + 8 * e, known = e > rough ? Floats{} : e;
            most_e = larger(most_e, known);
            sum_e += known;
            worst_e = larger(worst_e, e);
            // Negative where more than two classes may be the nearest.
            store(errors + q * N, third <= first * margin ? e > rough ? e : -e : e);
            store(inverses + q * N, sum);
            store(nearest + 2 * q * N, first);
            store(nearest + (2 * q + 1) * N, second <= first * margin ? second : Floats{});
            std::memcpy(near + 2 * q * N, &a, sizeof a);
            std::memcpy(near + (2 * q + 1) * N, &b, sizeof b);
        }
    }
    distance /= n;
    const Floats wide = distance * ((n + 4) * 2 * u) + 4 * u;
    found.low_dis = larger(distance - wide, Floats{});
    found.high_dis = distance + wide;
    if constexpr (!DIRECTED) return found;

    const bool all_known = !any(worst_e > rough);
    Floats low = {}, high = {};
    for (Index q = 0; q < p; q++) {
        const auto angles = [&](Index which) {
            const Index at = (2 * q + which) * N;
            return angles_at<false>(t, worker, c, step, inverses, q, load_ints(near + at),
                                    load(nearest + at));
        };
        const Floats once = angles(0);
        Floats least = once, most = once;
        const Ints either = load(nearest + (2 * q + 1) * N) > 0;
        const Floats e = load(errors + q * N);
        Ints unclear = (e > rough) | (e < 0);
        if (any(either)) {  // the second one may be the nearest as well
            const Floats other = angles(1);
            least = either ? smaller(once, other) : once;
            most = either ? larger(once, other) : once;
        }
        if (!all_known)  // Σ 1/h of a class that nearly coincides with another one tells nothing
            for (int i = 0; i < N; i++)
                for (Index which = 0; which < (either[i] ? 2 : 1); which++) {
                    std::int32_t a;
                    std::memcpy(&a, near + (2 * q + which) * N + i, sizeof a);
                    if (errors[a * N + i] > rough[0]) unclear[i] = -1;
                }
        low += unclear ? Floats{} : least;
        high += unclear ? two : most;
        found.unclear |= unclear | either;
    }
    const auto error = [&](Floats direction) {
        return direction * (2 * (n * n + n + 20) * u + 4 * most_e) + (14 * sum_e + 54 * n * u);
    };
    low /= n;
    high /= n;
    found.low_dir = larger(low - error(low), Floats{});
    found.high_dir = high + error(high);
    return found;
}

}  // namespace

Between separation_between(const Table &t, Worker &worker, bool directed, const float *centroids,
                           Index step) {
    return directed ? between<true>(t, worker, centroids, step)
                    : between<false>(t, worker, centroids, step);
}

namespace {

// Step 5 for few classes: an upper bound of Λ_dir of every candidate, from the gaps that the
// features have at most. With them a squared distance is between G and G + widest.
double most_direction(const Table &t, const State &s) {
    const Index p = t.n_classes;
    constexpr Index MOST = FEW_CLASSES * FEW_CLASSES;
    const double lead = t.printed ? 1.0 : 0.0;
    double low[MOST], high[MOST], norm_low[MOST], norm_high[MOST];
    double least_T[FEW_CLASSES] = {}, reach[FEW_CLASSES];
    for (Index q = 0; q < p; q++) {
        reach[q] = INF;
        for (Index r = 0; r < p; r++) {
            const Index at = q * p + r;
            low[at] = s.G[at];
            high[at] = s.G[at] + t.widest[at];
            norm_low[at] = std::sqrt(low[at]);
            norm_high[at] = std::sqrt(high[at]);
            if (r == q) continue;
            least_T[q] += 1 / high[at];
            reach[q] = high[at] < reach[q] ? high[at] : reach[q];
        }
    }
    double sum = 0;
    for (Index q = 0; q < p; q++) {
        double most = 0;
        for (Index a = 0; a < p; a++) {
            if (a == q || low[q * p + a] > reach[q]) continue;  // not the nearest one
            double at_a = 0;
            for (Index r = 0; r < p; r++) {
                if (r == q || r == a) continue;
                const Index qa = q * p + a, qr = q * p + r, ar = a * p + r;
                const double one = norm_low[qr] - norm_high[qa];
                const double other = norm_low[qa] - norm_high[qr];
                double apart = one > other ? one : other;
                apart = apart > 0 ? apart : 0.0;
                const double across = high[ar] - apart * apart;
                const double turned = across / (2 * norm_low[qa] * norm_low[qr]);
                const double membership = 1 / (lead + low[ar] * least_T[a]);
                at_a += (turned < 2 ? most_of(turned, 0.0) : 2.0) *
                        (membership < 1 ? membership : 1.0);
            }
            most = most_of(most, at_a);
        }
        sum += most;
    }
    // Memberships sum to 1 at most, and no angle adds more than 2.
    const double found = sum / static_cast<double>(p) * (1 + 1e-6) + 1e-6;
    return found < 2 ? found : 2.0;
}

// With many classes: the others of each class in the order of their distance. From one step to the
// next the order changes little, so it is sorted by insertion.
void put_in_order(const Table &t, const State &s, Worker &w) {
    const Index p = t.n_classes;
    double least = INF;
    for (Index q = 0; q < p; q++) {
        const float *G = w.G + q * p;
        std::int32_t *order = w.order + q * p;
        for (Index i = 1; i < p; i++) {
            const std::int32_t r = order[i];
            Index at = i;
            for (; at > 0 && G[order[at - 1]] > G[r]; at--) order[at] = order[at - 1];
            order[at] = r;
        }
        double T = 0;
        for (Index r = 0; r < p; r++) {
            const double once = r == q ? 0.0 : 1 / s.G[q * p + r];
            w.ordered[q * p + r] = G[order[r]];
            w.inverses[q * p + r] = static_cast<float>(once);
            T += once;
        }
        // The nearest class comes first, at a distance that is rounded.
        least = G[order[0]] < least ? G[order[0]] : least;
        w.least_T[q] = rounded_down(T);
        w.most_T[q] = rounded_up(T);
    }
    const double e = (3 + 4 / std::sqrt(least)) * U_SINGLE;
    w.clear = e <= 1.0 / 128 ? static_cast<float>(e) : __builtin_inff();
}

// With many classes: what bounds the angles at q if a is its nearest class, for each a that can be:
// (A + B/s − C s)/T with s = √h_qa and T = T_a. Coefficients stand in the order of the classes.
void bound_angles(const Table &t, const State &s, Worker &w) {
    const Index p = t.n_classes, step = padded(p);
    const double lead = t.printed ? 1.0 : 0.0;
    // Of each class and each other one: the largest h, its membership, √G and 1/(2√G).
    double *across = w.angles, *membership = across + p * step, *norm = membership + p * step,
           *half = norm + p * step;
    for (Index q = 0; q < p; q++) {
        const double *G = s.G + q * p, *widest = t.widest + q * p;
        double *h = across + q * step, *mu = membership + q * step, *root = norm + q * step,
               *side = half + q * step;
        double T = 0;
        for (Index r = 0; r < p; r++) mu[r] = 1 / G[r];
        mu[q] = 0;
        for (Index r = 0; r < p; r++) T += mu[r];
        for (Index r = 0; r < p; r++) h[r] = G[r] + widest[r];
        for (Index r = 0; r < p; r++) mu[r] = T / (lead + h[r] * T);
        for (Index r = 0; r < p; r++) root[r] = std::sqrt(G[r]);
        for (Index r = 0; r < p; r++) side[r] = 0.5 / root[r];
        mu[q] = side[q] = 0;
        for (Index r = p; r < step; r++) h[r] = mu[r] = root[r] = side[r] = 0;
    }
    // s has half the error of h, and the sum of three terms 16 roundings at most.
    const double error = w.clear + 16 * U_SINGLE;
    for (Index q = 0; q < p; q++) {
        double reach = INF;
        for (Index r = 0; r < p; r++)
            if (r != q && across[q * step + r] < reach) reach = across[q * step + r];
        for (Index i = 0; i < p; i++) {
            float *to = w.coefficients + 3 * (q * p + i);
            const Index a = w.order[q * p + i];
            if (a == q || w.ordered[q * p + i] > reach * (1 + 32.0 * w.clear)) {  // not the nearest
                to[0] = __builtin_inff();
                to[1] = to[2] = 0;
                continue;
            }
            Doubles A = {}, B = {}, C = {};
            const Doubles at_most = all(half[q * step + a]), at_least = all(norm[q * step + a]);
            const Doubles nought = {};
            for (Index r = 0; r < p; r += N_DOUBLES) {
                const Doubles mu = load(membership + a * step + r);
                const Doubles side = smaller(load(half + q * step + r), at_most);  // 0 for q itself
                const Doubles once = mu * side, h = load(across + a * step + r);
                const Doubles length = larger(load(norm + q * step + r), at_least);
                const Doubles whole = (side > 0) & (h + length * length >= reach) ? mu : nought;
                A += whole;
                B += once * h - 0.5 * whole * length;
                C += whole * side;
            }
            const double sum_B = total(B);
            to[0] = rounded_up(total(A) * (1 + error));
            to[1] = static_cast<float>(sum_B + (sum_B > 0 ? error : -error) * sum_B);
            to[2] = rounded_down(total(C) * (1 - error));
        }
    }
}

// With many classes: what the candidates of a tile take of Σ 1/G, class by class, and Σ S g².
// g²/(G + g²) has the error 2e + ROUGH of its value.
void lose(const Search &search, Workspace &ws, Index first) {
    const Table &t = *search.table;
    const Worker &w = ws.worker;
    const Index p = t.n_classes, step = padded(t.n_features);
    const float *c = t.single_centroids + first;
    float *losses = ws.carried.losses + first;
    const float u = static_cast<float>(U_SINGLE), rough = static_cast<float>(2 * ROUGH);
    Floats form = {}, low = load(c), high = low;
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * step);
        low = smaller(low, here);
        high = larger(high, here);
        const float *G = w.G + q * p, *inverses = w.inverses + q * p, *slopes = w.slopes + q * p;
        Floats sum = {};
        for (Index r = 0; r < q; r++) {  // a pair loses the same for both of its classes
            const Floats gap = here - load(c + r * step), square = gap * gap;
            const Floats loss = square * rough_inverse(square + all(G[r])) * all(inverses[r]);
            form = fma(all(slopes[r]), square, form);
            store(losses + r * step, load(losses + r * step) + loss);
            sum += loss;
        }
        store(losses + q * step, sum);
    }
    const float n = static_cast<float>(p);
    for (Index q = 0; q < p; q++)
        store(losses + q * step, load(losses + q * step) * (1 + rough + 4 * n * u) +
                                     w.most_T[q] * (2 * w.clear + 8 * u));
    store(ws.carried.forms + first, 2.0f * form);
    const Floats widest = high - low + 4 * u;
    store(ws.carried.widest + first, widest * widest * (1 + 4 * u));
}

}  // namespace

// What the bounds of all candidates share.
void prepare_most(const Search &search, Workspace &ws, bool directed) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    const Index p = t.n_classes, size = search.state->size;
    if (p <= FEW_CLASSES) {
        w.most_dir = directed ? rounded_up(most_direction(t, *search.state)) : 0.0f;
        return;
    }
    put_in_order(t, *search.state, w);
    if (directed && w.clear < 1) bound_angles(t, *search.state, w);
    Carried &carried = ws.carried;
    const Index then = carried.losses_at;
    double grown = 0;
    for (Index q = 1; then > 0 && q < p; q++)
        for (Index i = q * p; i < q * p + q; i++) {  // slopes are symmetric
            const double more = static_cast<double>(w.slopes[i]) - w.slopes_then[i];
            grown += more > 0 ? 2 * more : 0.0;
        }
    w.grown_slopes = rounded_up(grown);
    if (then > 0 && size < then + most_of(1, then / 4)) return;
    carried.losses_at = w.clear < 1 ? size : -1;
    w.grown_slopes = 0;
    std::memcpy(w.slopes_then, w.slopes, static_cast<std::size_t>(p * p) * sizeof(float));
    for (Index f = w.first; f < w.last && !stopped(search); f += N) lose(search, ws, f);
}

namespace {

// Step 5 for a tile of candidates of few classes.
Most most_of_few(const Search &search, const Worker &w, Index first) {
    const Table &t = *search.table;
    const Index p = t.n_classes, step = padded(t.n_features);
    const float *c = t.single_centroids + first;
    Most found = {};
    Floats nearest[FEW_CLASSES];
    for (Index q = 0; q < p; q++) nearest[q] = all(__builtin_inff());
    for (Index q = 1; q < p; q++) {
        const Floats here = load(c + q * step);
        for (Index r = 0; r < q; r++) {
            const Floats gap = here - load(c + r * step), square = gap * gap;
            const Floats h = square + all(w.G[q * p + r]);
            found.form = fma(all(2 * w.slopes[q * p + r]), square, found.form);
            nearest[q] = smaller(nearest[q], h);
            nearest[r] = smaller(nearest[r], h);
        }
    }
    for (Index q = 0; q < p; q++) found.dis += root(nearest[q]);
    found.dir = all(w.most_dir);
    return found;
}

// With more classes, of several tiles at once: while one waits for a number, others go on.
template <int TILES>
void most_of_many(const Search &search, const Workspace &ws, bool directed, const Index *first,
                  Most *found) {
    const Table &t = *search.table;
    const Worker &w = ws.worker;
    const Index p = t.n_classes, step = padded(t.n_features);
    const float *c = t.single_centroids, *losses = ws.carried.losses;
    const float n = static_cast<float>(p), u = static_cast<float>(U_SINGLE);
    // As a squared distance h is at least G, the nearest class is among the first ones.
    const bool clear = w.clear < 1 && directed && ws.carried.losses_at > 0;
    const float margin = clear ? 1 + 8 * w.clear : 1.0f, loose = (n + 16) * u;
    const Floats two = all(2.0f);
    Floats distance[TILES] = {}, direction[TILES] = {};
    for (Index q = 0; q < p; q++) {
        const std::int32_t *order = w.order + q * p;
        const float *ordered = w.ordered + q * p, *coefficients = w.coefficients + 3 * q * p;
        Floats here[TILES], nearest[TILES], A[TILES] = {}, B[TILES] = {}, C[TILES] = {},
                                            T[TILES] = {};
        for (int k = 0; k < TILES; k++) {
            here[k] = load(c + q * step + first[k]);
            nearest[k] = all(__builtin_inff());
        }
        const auto open = [&](float G) {
            Ints found = nearest[0] * margin >= all(G);
            for (int k = 1; k < TILES; k++) found |= nearest[k] * margin >= all(G);
            return any(found);
        };
        for (Index i = 0; i < p - 1 && open(ordered[i]); i++) {
            const Index r = order[i];
            const Floats A_r = all(coefficients[3 * i]), B_r = all(coefficients[3 * i + 1]),
                         C_r = all(coefficients[3 * i + 2]);
            for (int k = 0; k < TILES; k++) {
                const Floats gap = here[k] - load(c + r * step + first[k]);
                const Floats h = fma(gap, gap, all(ordered[i]));
                if (clear) {
                    const Ints nearer = h * margin < nearest[k];
                    const Ints as_near = ~nearer & (h <= nearest[k] * margin);
                    const Floats T_r = w.least_T[r] - load(losses + r * step + first[k]);
                    A[k] = nearer ? A_r : A[k];
                    B[k] = nearer ? B_r : B[k];
                    C[k] = nearer ? C_r : C[k];
                    T[k] = nearer ? T_r : T[k];
                    if (any(as_near)) {  // either may be the nearest one
                        A[k] = as_near ? larger(A[k], A_r) : A[k];
                        B[k] = as_near ? larger(B[k], B_r) : B[k];
                        C[k] = as_near ? smaller(C[k], C_r) : C[k];
                        T[k] = as_near ? smaller(T[k], T_r) : T[k];
                    }
                }
                nearest[k] = smaller(nearest[k], h);
            }
        }
        for (int k = 0; k < TILES; k++) {
            if (!clear) {
                distance[k] += root(nearest[k]);
                continue;
            }
            const Floats once = inverse_root(nearest[k]), length = nearest[k] * once;
            distance[k] += length;
            const Floats at_q = fma(B[k], once, A[k]) - C[k] * length;
            direction[k] += T[k] > 0 ? smaller(at_q * inverse(T[k]), two) : two;
        }
    }
    for (int k = 0; k < TILES; k++) {
        found[k].dis = distance[k];
        found[k].form = fma(all(w.grown_slopes), load(ws.carried.widest + first[k]),
                            load(ws.carried.forms + first[k]));
        found[k].dir = clear      ? smaller(direction[k] / n * (1 + 4 * loose), two)
                       : directed ? two
                                  : Floats{};
    }
}

}  // namespace

// Step 5 for two tiles of candidates.
void most_separation(const Search &search, const Workspace &ws, bool directed, const Index *first,
                     Most *found) {
    const Table &t = *search.table;
    if (t.n_classes <= FEW_CLASSES)
        for (int k = 0; k < 2; k++) found[k] = most_of_few(search, ws.worker, first[k]);
    else
        most_of_many<2>(search, ws, directed, first, found);
    const float n = static_cast<float>(t.n_classes), u = static_cast<float>(U_SINGLE);
    for (int k = 0; k < 2; k++) {
        const Floats distance = found[k].dis / n;
        found[k].dis = distance + (distance * ((n + 12) * 2 * u) + 4 * u);
    }
}

// Λ_dir itself (step 5), rounded roughly (step 7), Λ_dis and Σ S g². Where it is not clear which class
// is the nearest, the bound of Λ_dir stays as it is, and the separation is not known.
void tighten_direction(const Search &search, Workspace &ws, const Index *features, Index n) {
    const Table &t = *search.table;
    const Worker &w = ws.worker;
    const Index p = t.n_classes;
    for (Index i = 0; i < n; i++) ws.known[features[i]] = Separation::UNKNOWN;
    if (!(w.clear < 1)) return;
    const Index m = padded(t.n_features);
    const float margin = 1 + 8 * w.clear;
    float *T = w.pairs, *c = w.lanes;
    for (Index i = 0; i < N; i++) {
        const double *centroids = t.centroids + features[least_of(i, n - 1)] * p;
        for (Index q = 0; q < p; q++) c[q * N + i] = static_cast<float>(centroids[q]);
    }
    Floats form = {};
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * N);
        const float *G = w.G + q * p, *slopes = w.slopes + q * p;
        Floats sum = {};
        for (Index r = 0; r < q; r++) {
            const Floats gap = here - load(c + r * N), square = gap * gap;
            const Floats once = rough_inverse(square + all(G[r]));
            form = fma(all(slopes[r]), square, form);
            store(T + r * N, load(T + r * N) + once);
            sum += once;
        }
        store(T + q * N, sum);
    }
    Floats direction = {}, distance = {};
    Ints unclear = {};
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * N);
        const std::int32_t *order = w.order + q * p;
        const float *ordered = w.ordered + q * p;
        Floats nearest = all(__builtin_inff()), second = nearest;
        Ints a = {};
        for (Index i = 0; i < p - 1 && any(nearest * margin >= all(ordered[i])); i++) {
            const Floats gap = here - load(c + order[i] * N), h = fma(gap, gap, all(ordered[i]));
            a = h < nearest ? all(order[i]) : a;
            second = smaller(second, larger(nearest, h));
            nearest = smaller(nearest, h);
        }
        unclear |= second <= nearest * margin;
        distance += root(nearest);
        direction += angles_at<true>(t, w, c, N, T, q, a, nearest);
    }
    const float classes = static_cast<float>(p), u = static_cast<float>(U_SINGLE);
    const float rough = static_cast<float>(ROUGH), e = w.clear;
    direction /= classes;
    distance /= classes;
    const Floats wide = distance * ((classes + 4) * 2 * u) + 4 * u;
    const Floats error = direction * (2 * (classes * classes + classes + 20) * u + 4 * e + 4 * rough) +
                         (2 * classes * (7 * e + 27 * u) + 5 * rough);
    for (Index i = 0; i < n; i++) {
        const int lane = static_cast<int>(i);
        const Index f = features[i];
        float *upper = ws.upper + m + f, *known = upper + m;
        if (2 * form[lane] < *known) *known = 2 * form[lane];
        if (unclear[lane]) continue;
        const float most = direction[lane] + error[lane];
        if (most < *upper) *upper = most;
        double *to = ws.lambdas + f;
        to[0] = t.unit * most_of(distance[lane] - wide[lane], 0.0);
        to[t.n_features] = t.unit * (distance[lane] + wide[lane]);
        to[2 * t.n_features] = most_of(direction[lane] - error[lane], 0.0);
        to[3 * t.n_features] = most;
        ws.known[f] = Separation::ROUGHLY;
    }
}

}  // namespace s2fs
