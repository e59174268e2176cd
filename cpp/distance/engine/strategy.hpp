// How two trees are best compared: by keyroots from one side, or along the heavy path of one of them, with the subtrees
// beside the path compared before in the way that is best for each.
//
// That is the idea of RTED and APTED (Pawlik and Augsten 2011, 2016) with fewer choices: keyroots from a side are what
// they get from left and right paths all the way down.
#pragma once

#include <cstdint>
#include <vector>

#include "core/threads/tasks.hpp"
#include "distance/flat_tree.hpp"

namespace treekernels {

enum class Way : std::uint8_t { left, right, path_of_a, path_of_b };

// Estimated steps, of which some take a nanosecond.
double keyroot_steps(double a_cells, double b_cells);
double path_steps(double a, double b);

// How many nodes the subtrees of keyroots have in all, from either side, for each subtree of a tree.
struct KeyrootCells {
    std::vector<double> left, right;

    void assign(const FlatTree& tree);
};

class Strategy {
public:
    void plan(const FlatTree& a, const KeyrootCells& a_cells, const FlatTree& b, const KeyrootCells& b_cells,
              const Task& task);

    Way way(std::uint32_t a, std::uint32_t b) const { return way_[a * columns_ + b]; }
    double steps() const { return steps_; }

private:
    std::size_t columns_ = 0;
    double steps_ = 0.0;
    std::vector<Way> way_;
    std::vector<float> beside_a_, beside_b_;
};

}  // namespace treekernels
