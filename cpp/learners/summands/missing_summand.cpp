#include "learners/summand.hpp"

namespace treekernels {

namespace {

class MissingSummand final : public Summand {
public:
    MissingSummand(std::unique_ptr<Summand> whole, std::span<const std::uint8_t> missing)
        : whole_(std::move(whole)), missing_(missing) {}

    double norm(std::size_t i, const Task& task) override { return missing_[i] ? 0.0 : whole_->norm(i, task); }
    double factor(std::size_t i, const Task& task) override { return missing_[i] ? 1.0 : whole_->factor(i, task); }
    void look_at(std::span<const std::uint32_t> examples, bool norms, const Task& task) override {
        whole_->look_at(there(examples), norms, task);
    }
    void begin(std::span<const std::uint32_t> order, std::size_t outputs, const Task& task) override {
        whole_->begin(there(order), outputs, task);
    }
    void focus(std::span<const std::uint32_t> examples, const Task& task) override {
        whole_->focus(there(examples), task);
    }
    void score(std::size_t i, double* scores, const Task& task) override {
        if (!missing_[i]) whole_->score(i, scores, task);
    }
    void score(std::size_t i, std::span<const std::uint32_t> outputs, double* scores, const Task& task) override {
        if (!missing_[i]) whole_->score(i, outputs, scores, task);
    }
    void prepare_to_add(std::size_t i, const double* alpha, const Task& task) override {
        if (!missing_[i]) whole_->prepare_to_add(i, alpha, task);
    }
    void add_prepared(std::size_t i, const double* alpha) override {
        if (!missing_[i]) whole_->add_prepared(i, alpha);
    }

private:
    // Those that the other summand will be asked about.
    std::span<const std::uint32_t> there(std::span<const std::uint32_t> examples) {
        there_.clear();
        for (std::uint32_t i : examples)
            if (!missing_[i]) there_.push_back(i);
        return there_;
    }

    std::unique_ptr<Summand> whole_;
    std::span<const std::uint8_t> missing_;
    std::vector<std::uint32_t> there_;
};

}  // namespace

std::unique_ptr<Summand> missing_summand(std::unique_ptr<Summand> whole, std::span<const std::uint8_t> missing) {
    return std::make_unique<MissingSummand>(std::move(whole), missing);
}

}  // namespace treekernels
