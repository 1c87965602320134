#include "matching/traits.h"

#include <algorithm>

namespace evenmatch {

bool Meet(const Traits::People& a, const Traits::People& b) {
  if ((a.filter & b.filter) == 0) return false;
  const Traits::People& fewer = a.digests.size() <= b.digests.size() ? a : b;
  const Traits::People& more = a.digests.size() <= b.digests.size() ? b : a;
  auto from = more.digests.begin();
  for (const uint64_t digest : fewer.digests) {
    from = std::lower_bound(from, more.digests.end(), digest);
    if (from == more.digests.end()) return false;
    if (*from == digest) return true;
  }
  return false;
}

}  // namespace evenmatch
