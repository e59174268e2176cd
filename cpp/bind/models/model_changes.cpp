#include "bind/models/model_changes.hpp"

namespace treekernels {

namespace {

class Addition final : public Change {
public:
    Addition(Model& model, std::vector<Node> trees, const double* alphas, const Task& task)
        : Change(model),
          trees_(std::move(trees)),
          alphas_(alphas, alphas + trees_.size() * model.forest->outputs()),
          view_(model.forest->dag(), count_damping(model.term.kernel)) {
        for (Node tree : trees_) {
            task.check();
            model.forest->make_room(view_.without(tree, [&](Node node) { return model.forest->has_room(node); }));
        }
        view_.make_room();
    }

private:
    void make(WeightedForest& forest) override {
        for (std::size_t i = 0; i < trees_.size(); ++i)
            forest.add(view_(trees_[i]), alphas_.data() + i * forest.outputs());
    }

    std::vector<Node> trees_;
    std::vector<double> alphas_;
    TreeView view_;
};

class Merging final : public Change {
public:
    Merging(Model& model, ForestState state, std::vector<Label> labels)
        : Change(model), state_(std::move(state)), labels_(std::move(labels)) {
        model.forest->make_room(state_, labels_);
    }

private:
    void make(WeightedForest& forest) override { forest.merge(state_, labels_); }

    ForestState state_;
    std::vector<Label> labels_;
};

}  // namespace

std::unique_ptr<Change> addition(Model& model, const Dag& dag, const ConstVector<Node>& roots,
                                 WholeMatrix<double> alphas) {
    check_shape(alphas, roots.size(), model.forest->outputs());
    std::unique_ptr<Change> change;
    const Locks locks = Locks().read(dag.mutex()).write(model.mutex());
    const auto brief = [&] { return is_brief(model, dag, roots); };
    run_locked(locks, brief, roots.size(), nb::none(), [&](Task& task) {
        check_nodes(dag, span_of(roots));
        auto trees = model.forest->dag().import(dag, span_of(roots), task);
        change = std::make_unique<Addition>(model, std::move(trees), alphas.data(), task);
    });
    return change;
}

// The two are never locked at the same time, so that it does not matter who is added to whom.
std::unique_ptr<Change> merging(Model& model, const Model& other, const ConstVector<double>& factors) {
    if (other.forest->outputs() != model.forest->outputs() || factors.size() != model.forest->outputs())
        throw nb::value_error("the forests have other outputs");
    Dag copy;
    ForestState state;
    const auto brief = [&] { return other.forest->size() < kBriefNodes; };
    run_locked(Locks().read(other.mutex()), brief, 1, nb::none(), [&](Task& task) {
        const Dag& theirs = other.forest->dag();
        for (Label label = 0; label < theirs.label_count(); ++label) copy.intern_label(theirs.label_text(label));
        state = other.forest->state();
        state.nodes = copy.import(theirs, state.nodes, task);
        for (auto* weights : {&state.weights, &state.productions, &state.labels})
            for (std::size_t at = 0; at < weights->size(); ++at) (*weights)[at] *= factors.data()[at % factors.size()];
    });
    std::unique_ptr<Change> change;
    const auto also_brief = [&] { return copy.size() < kBriefNodes && model.forest->size() < kBriefNodes; };
    run_locked(Locks().write(model.mutex()), also_brief, 1, nb::none(), [&](Task& task) {
        Dag& own = model.forest->dag();
        std::vector<Label> labels;
        for (Label label = 0; label < copy.label_count(); ++label)
            labels.push_back(own.intern_label(copy.label_text(label)));
        state.nodes = own.import(copy, state.nodes, task);
        change = std::make_unique<Merging>(model, std::move(state), std::move(labels));
    });
    return change;
}

void commit(const nb::typed<nb::list, nb::object>& changes) {
    std::vector<Change*> native;
    for (nb::handle change : changes)
        if (!nb::isinstance<nb::tuple>(change)) native.push_back(nb::cast<Change*>(change));
    for (Change* change : native) change->commit();
    for (nb::handle change : changes) {
        if (!nb::isinstance<nb::tuple>(change)) continue;
        const auto assignment = nb::borrow<nb::tuple>(change);
        nb::setattr(assignment[0], assignment[1], assignment[2]);
    }
}

}  // namespace treekernels
