// Groups of features that join as a whole, one behind the other.

#ifndef S2FS_FEATURE_GROUPS_H
#define S2FS_FEATURE_GROUPS_H

#include "border.h"

namespace s2fs {

struct Groups {
    const Index *members, *starts;
    Index count;

    const Index *begin(Index group) const { return members + starts[group]; }
    Index size(Index group) const { return starts[group + 1] - starts[group]; }
    Index n_members() const { return starts[count]; }
};

// Group k has the members from starts[k] to starts[k + 1] - 1, at least one, of m features.
inline Groups check_groups(const Index *members, Index n_members, const Index *starts, Index n_starts, Index m) {
    require(n_starts >= 2 && starts[0] == 0 && starts[n_starts - 1] == n_members, "the groups do not fit their members.");
    for (Index k = 0; k + 1 < n_starts; k++) require(starts[k] < starts[k + 1], "a group is empty.");
    for (Index k = 0; k < n_members; k++) require(members[k] >= 0 && members[k] < m, "a feature is out of range.");
    return {members, starts, n_starts - 1};
}

}  // namespace s2fs

#endif
