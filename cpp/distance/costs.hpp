// What it costs to insert, delete and rename a node, by labels of one DAG.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/dag.hpp"
#include "distance/levenshtein.hpp"

namespace treekernels {

// What labels say, for costs that compare texts: those of different groups cost as much as any others; those of a
// group the share of their tokens that have to be changed. By label.
struct LabelTexts {
    std::vector<std::uint32_t> group;
    std::vector<std::uint64_t> offset;  // one more than labels
    std::vector<std::uint32_t> tokens;
};

// A pair of labels that costs something of its own to rename, from the first to the second.
struct RenameCost {
    Label from, to;
    double cost;
};

class EditCosts {
public:
    // One for each.
    EditCosts() = default;
    // By label; `pairs` are those of labels that do not cost `rename`. Nodes labelled `nothing`, if that is not kNone,
    // are not there: they cost nothing and become no others.
    EditCosts(std::vector<double> remove, std::vector<double> insert, double rename, std::vector<RenameCost> pairs,
              LabelTexts texts, Label nothing);

    bool is_unit() const { return unit_; }
    // Whether there and back again cost the same.
    bool is_symmetric() const { return symmetric_; }
    // What all costs are whole numbers when multiplied with; 0 if there is nothing of the kind.
    double scale() const { return scale_; }

    bool is_nothing(Label label) const { return label == nothing_; }
    double remove(Label label) const { return unit_ ? 1.0 : remove_[label]; }
    double insert(Label label) const { return unit_ ? 1.0 : insert_[label]; }

    // What every label of `from` costs to become every label of `to`, row after row.
    void rename(std::span<const Label> from, std::span<const Label> to, std::optional<Levenshtein>& comparison,
                std::vector<double>& costs) const;

    // How many labels it knows, if it asks them anything.
    std::size_t label_count() const { return remove_.size(); }
    bool compares_texts() const { return !texts_.group.empty(); }
    std::size_t token_count() const { return token_count_; }

private:
    std::span<const std::uint32_t> tokens(Label label) const {
        return std::span(texts_.tokens).subspan(texts_.offset[label], texts_.offset[label + 1] - texts_.offset[label]);
    }
    bool are_whole(double scale) const;

    bool unit_ = true;
    bool symmetric_ = true;
    double scale_ = 1.0;
    std::vector<double> remove_, insert_;
    double rename_ = 1.0;
    Label nothing_ = kNone;
    std::vector<RenameCost> pairs_;           // in order
    std::vector<std::uint64_t> pair_offset_;  // by the label renamed
    LabelTexts texts_;
    std::size_t token_count_ = 0;
};

}  // namespace treekernels
