// The table of tree kernels. A new one is a folder beside the others, whose kernel.hpp has these, and a name here:
//
//   rows<Real>(corpus, columns, threads, task)  the corpus-level algorithm; its index is made with the task checked
//   pairs<Real>(corpus, algorithm, task)   values pair by pair; may be missing if there are norms
//   norms<Real>(corpus, task)              K(tree, tree); may be missing, pairs do as well
//   resolve(dag)                           looks labels up; may be missing
//   damping()                              of counts; may be missing
//   weighted_forest(outputs), responder(outputs, dag, bytes), tree_norm(dag)
//                                          to learn without a Gram matrix; may be missing
//   weighted_trees(outputs, dag)           to score many trees at a time while learning; may be missing
//   rough_responder(outputs, dag, bytes)   a faster one for solvers; may be missing
#pragma once

#include <memory>
#include <variant>

#include "kernels/elastic/kernel.hpp"
#include "kernels/features/kernel.hpp"
#include "kernels/partial/kernel.hpp"
#include "kernels/subset/kernel.hpp"
#include "kernels/subtree/kernel.hpp"

namespace treekernels {

using TreeKernel = std::variant<SubtreeKernel, SubsetKernel, PartialKernel, ElasticKernel, FeatureKernel>;

enum class Algorithm { corpus, ftk, qtk };

template <class Kernel>
concept HasWeightedForest = requires(const Kernel& kernel) { kernel.weighted_forest(1); };

template <class Kernel>
concept HasWeightedTrees = requires(const Kernel& kernel, const Dag& dag) { kernel.weighted_trees(1, dag); };

// Looks the labels of a kernel up in the DAG of its trees, where it has any.
void resolve_labels(TreeKernel& kernel, const Dag& dag);

// How it counts subtrees that occur more than once in a tree.
CountDamping count_damping(const TreeKernel& kernel);

bool has_weighted_forest(const TreeKernel& kernel);
// Fail with std::invalid_argument where there is none.
std::unique_ptr<WeightedForest> make_forest(const TreeKernel& kernel, std::size_t outputs);
std::unique_ptr<Responder> make_responder(const TreeKernel& kernel, std::size_t outputs, const Dag& dag,
                                          std::size_t bytes);
// Null where there are none.
std::unique_ptr<WeightedTrees> make_weighted_trees(const TreeKernel& kernel, std::size_t outputs, const Dag& dag);
// One that may be right to single precision only, which is enough for a solver whose tolerance is larger.
std::unique_ptr<Responder> make_rough_responder(const TreeKernel& kernel, std::size_t outputs, const Dag& dag,
                                                std::size_t bytes);
std::unique_ptr<TreeNorm> make_tree_norm(const TreeKernel& kernel, const Dag& dag);

}  // namespace treekernels
