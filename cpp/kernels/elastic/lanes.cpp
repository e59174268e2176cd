#include "kernels/elastic/lanes.hpp"

#include <algorithm>

namespace treekernels {

ElasticLanes::ElasticLanes(const ElasticRowTrees& rows)
    : rows_(rows), height_(rows.corpus.node_count(), 0), lane_(rows.corpus.node_count()) {
    for (Node node = 0; node < rows.corpus.node_count(); ++node)
        for (Node child : rows.corpus.children(node)) height_[node] = std::max(height_[node], height_[child] + 1);
}

void ElasticLanes::load(std::span<const std::uint32_t> trees) {
    const Corpus& corpus = rows_.corpus;
    nodes_.clear();
    roots_.clear();
    edges_.clear();
    edge_parents_.clear();
    edge_offset_.assign(1, 0);
    for (const std::uint32_t tree : trees) {
        const std::size_t begin = nodes_.size();
        const auto nodes = corpus.nodes(tree);
        nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
        std::sort(nodes_.begin() + static_cast<std::ptrdiff_t>(begin), nodes_.end(),
                  [&](Node a, Node b) { return height_[a] != height_[b] ? height_[a] < height_[b] : a < b; });
        for (std::size_t x = begin; x < nodes_.size(); ++x) {
            lane_[nodes_[x]] = static_cast<std::uint32_t>(x);
            for (Node child : corpus.children(nodes_[x])) edges_.push_back(lane_[child]);
            edge_offset_.push_back(edges_.size());
            edge_parents_.resize(edges_.size(), static_cast<std::uint32_t>(x));
        }
        roots_.push_back(lane_[corpus.root(tree)]);
    }
}

}  // namespace treekernels
