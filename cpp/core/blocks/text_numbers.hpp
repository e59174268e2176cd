// Numbers the distinct texts of a column.
#pragma once

#include <string_view>
#include <vector>

#include "core/dag.hpp"

namespace treekernels {

class TextNumbers {
public:
    // The texts are not copied.
    std::uint32_t number(std::string_view text) {
        // Labels often stand in groups.
        if (last_ != kNone && texts_[last_] == text) return last_;
        const std::uint64_t hash = text_hash(text);
        last_ = index_.find(hash, [&](std::uint32_t number) { return texts_[number] == text; });
        if (last_ == kNone) {
            last_ = static_cast<std::uint32_t>(texts_.size());
            texts_.push_back(text);
            index_.insert(hash, last_);
        }
        return last_;
    }

    const std::vector<std::string_view>& texts() const { return texts_; }

private:
    std::vector<std::string_view> texts_;
    NumberIndex index_;
    std::uint32_t last_ = kNone;
};

}  // namespace treekernels
