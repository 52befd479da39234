// Some neighbouring features of a dense table, sample after sample and in double precision, whatever the
// memory order and the type of the table.

#ifndef S2FS_DENSE_TILES_H
#define S2FS_DENSE_TILES_H

#include <algorithm>
#include <vector>

#include "table.h"

namespace s2fs {

template <class Value>
class DenseTiles {
  public:
    // Features that are worked on side by side; those that are not there repeat the last one.
    static constexpr Index WIDTH = 32;

    DenseTiles(const DenseValues<Value> &values, Index n_samples)
        : values_(values), n_samples_(n_samples), height_(n_samples <= MOST_KEPT ? n_samples : HEIGHT),
          tile_(height_ * WIDTH) {}

    // Looks at up to WIDTH features from the first one on.
    void move_to(Index first, Index count) { first_ = first, count_ = count, is_read_ = false; }

    // Calls visit(sample, values of WIDTH features) for all samples. Tables of few samples are read once,
    // however often they are asked for.
    template <class Visit>
    void for_each_sample(const Visit &visit) {
        for (Index start = 0; start < n_samples_; start += height_) {
            const Index height = std::min(height_, n_samples_ - start);
            if (!is_read_) read(start, height);
            for (Index i = 0; i < height; i++) visit(start + i, tile_.data() + i * WIDTH);
        }
        is_read_ = n_samples_ <= MOST_KEPT;
    }

  private:
    // Tables of so many samples are read at once: half a megabyte, which stays in the second cache. Of longer ones
    // nothing is kept for the next pass, so the samples that are read together stay in the first cache.
    static constexpr Index MOST_KEPT = 2048, HEIGHT = 64;

    void read(Index start, Index height) {
        if (values_.column_step == 1)
            read_rows(start, height);
        else
            read_columns(start, height);
    }

    void read_rows(Index start, Index height) {
        constexpr Index AHEAD = 16;
        for (Index i = 0; i < height; i++) {
            if (start + i + AHEAD < n_samples_) values_.prefetch(start + i + AHEAD, first_, count_);
            const Value *row = values_.values + (start + i) * values_.row_step + first_;
            double *to = tile_.data() + i * WIDTH;
            if (count_ == WIDTH) {
                for (Index j = 0; j < WIDTH; j++) to[j] = static_cast<double>(row[j]);
            } else {
                for (Index j = 0; j < count_; j++) to[j] = static_cast<double>(row[j]);
                std::fill(to + count_, to + WIDTH, to[count_ - 1]);
            }
        }
    }

    void read_columns(Index start, Index height) {
        constexpr Index SOME = 64;  // samples of WIDTH columns that are copied together
        for (Index i0 = 0; i0 < height; i0 += SOME)
            for (Index j = 0; j < WIDTH; j++)
                for (Index i = i0; i < std::min(i0 + SOME, height); i++)
                    tile_[i * WIDTH + j] = values_(start + i, first_ + std::min(j, count_ - 1));
    }

    const DenseValues<Value> values_;
    const Index n_samples_, height_;
    Index first_ = 0, count_ = 0;
    std::vector<double> tile_;  // (samples, WIDTH)
    bool is_read_ = false;
};

}  // namespace s2fs

#endif
