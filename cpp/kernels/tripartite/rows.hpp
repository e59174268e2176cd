// The tripartite kernel between one sentence pair and many.
//
// Few of the nodes that two trees have in common bring along placeholders. What fragments without any weigh is a
// subset-tree kernel, computed for the whole corpus at once. The nodes with placeholders are found through an index of
// the columns, and only the matches around them are looked at pair by pair.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "kernels/tripartite/placeholders.hpp"

namespace treekernels {

template <class Real>
std::unique_ptr<Rows<Real>> tripartite_rows(const AnchoredPairs& examples, std::size_t columns, double decay,
                                            unsigned threads, const Task& task);

}  // namespace treekernels
