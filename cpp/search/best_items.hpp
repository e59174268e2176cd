// The trees that a query has found.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "search/segments/segment.hpp"

namespace treekernels {

struct Hit {
    double value;
    Item item;
    // The larger value first, and of equal ones that which was inserted first.
    friend bool operator<(const Hit& a, const Hit& b) {
        return a.value != b.value ? a.value > b.value : a.item < b.item;
    }
};

// The best `count` hits of all that are offered.
class BestItems {
public:
    explicit BestItems(std::size_t count) : count_(count) {}

    // What is below this has no place among them.
    double threshold() const {
        if (count_ == 0) return std::numeric_limits<double>::infinity();
        return hits_.size() < count_ ? -std::numeric_limits<double>::infinity() : hits_.front().value;
    }
    bool is_full() const { return hits_.size() == count_; }
    // False if there is no place for it, nor for one of the same value that comes later.
    bool offer(Hit hit) {
        if (hits_.size() < count_) {
            hits_.push_back(hit);
            std::push_heap(hits_.begin(), hits_.end());
            return true;
        }
        if (hits_.empty() || !(hit < hits_.front())) return false;
        std::pop_heap(hits_.begin(), hits_.end());
        hits_.back() = hit;
        std::push_heap(hits_.begin(), hits_.end());
        return true;
    }
    std::vector<Hit> sorted() && {
        std::sort(hits_.begin(), hits_.end());
        return std::move(hits_);
    }

private:
    std::size_t count_;
    std::vector<Hit> hits_;  // a heap with the worst in front
};

}  // namespace treekernels
