// What trees are divided by where a kernel is normalised, each measured once.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/errors.hpp"
#include "core/threads/tasks.hpp"
#include "core/wide.hpp"
#include "learners/summand.hpp"

namespace treekernels {

// 1 / sqrt(K(tree, tree)) where the kernel is normalised.
class TreeScales {
public:
    // The roots are those that will be asked for.
    TreeScales(const TreeTerm& term, const Dag& dag, std::span<const Node> roots)
        : normalize_(term.normalize),
          weight_(term.weight),
          view_(dag, count_damping(term.kernel)),
          norm_(make_tree_norm(term.kernel, dag)) {
        known_.resize(dag.size(), -1.0);
        norm_->announce(roots);
    }

    // Measures many, on several threads.
    void measure(const TreeTerm& term, const Dag& dag, std::vector<Node> roots, unsigned threads, const Task& task) {
        std::ranges::sort(roots);
        roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
        const std::size_t parts = std::clamp<std::size_t>(roots.size() / kWorthThread, 1, threads);
        if (parts == 1) {
            for (Node root : roots) norm(root, task);
            return;
        }
        run_parts(parts, [&](std::size_t part) {
            const std::size_t begin = roots.size() * part / parts, end = roots.size() * (part + 1) / parts;
            const auto own = std::span(roots).subspan(begin, end - begin);
            TreeScales scales(term, dag, own);
            for (Node root : own)
                if (known_[root] < 0.0) known_[root] = scales.norm(root, task);
        });
    }
    // Of the tree below a root, measured once.
    double norm(Node root, const Task& task) { return known_[root] < 0.0 ? norm(view_(root), task) : known_[root]; }
    double norm(const TreeNodes& tree, const Task& task) {
        double& known = known_[tree.root()];
        if (known < 0.0) {
            known = (*norm_)(tree, task);
            if (!fits_double(known)) throw Overflow("the norm of a tree is too large for a weighted forest");
        }
        return known;
    }
    double scale(Node root, const Task& task) { return normalize_ ? inverse_root(norm(root, task)) : 1.0; }
    // Of the normalised kernel, with the weight.
    double weighted_norm(Node root, const Task& task) {
        const double norm = this->norm(root, task);
        return weight_ * (normalize_ ? (norm > 0.0 ? 1.0 : 0.0) : norm);
    }

private:
    static constexpr std::size_t kWorthThread = 1024;  // trees

    bool normalize_;
    double weight_;
    TreeView view_;
    std::unique_ptr<TreeNorm> norm_;
    std::vector<double> known_;  // by root; -1 where not yet measured
};

}  // namespace treekernels
