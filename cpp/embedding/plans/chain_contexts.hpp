// What pruning remembers of the way down to a subtree.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "embedding/plans/production_chains.hpp"
#include "embedding/vectors/label_vectors.hpp"

namespace treekernels {

struct PairHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& pair) const {
        return static_cast<std::size_t>(mix(mix(hash_secret(), pair.first), pair.second));
    }
};
template <class Value>
using PairMap = std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, Value, PairHash>;

// The last links on the way down to a subtree, as far as chains look back. Number 0 is none: the root of a fragment.
class ChainContexts {
public:
    explicit ChainContexts(std::size_t links) : links_(links), windows_(1) {}

    std::uint64_t chain(std::uint32_t context) const {
        std::uint64_t chain = kNoChain;
        for (const auto& [production, position] : windows_[context])
            chain = with_position(with_production(chain, production), position);
        return chain;
    }
    std::uint32_t extend(std::uint32_t context, std::uint64_t production, std::size_t position) {
        if (links_ == 0) return 0;
        const auto [found, is_new] = next_.try_emplace({context, with_position(production, position)}, 0U);
        if (is_new) {
            Window window = windows_[context];
            window.emplace_back(production, position);
            if (window.size() > links_) window.erase(window.begin());
            // Windows of different pasts may be equal; they are then two contexts that mean the same.
            found->second = static_cast<std::uint32_t>(windows_.size());
            windows_.push_back(std::move(window));
        }
        return found->second;
    }
    void clear() {
        next_.clear();
        windows_.resize(1);
    }

private:
    using Window = std::vector<std::pair<std::uint64_t, std::size_t>>;
    std::size_t links_;
    std::vector<Window> windows_;
    PairMap<std::uint32_t> next_;
};

}  // namespace treekernels
