// Changes of models that are made in two steps: everything that can fail, and then what cannot.
#pragma once

#include "bind/models/model.hpp"

namespace treekernels {

// What is about to happen to a model: whatever can fail has been done, so that several models change or none does.
// Until then the model scores as before, and nobody else may change it.
class Change {
public:
    explicit Change(Model& model) : model_(model), locks_(Locks().write(model.mutex())) {}
    virtual ~Change() = default;
    void commit() {
        const GilReleased released;
        const Task uninterrupted(1);
        const auto held = locks_.lock(uninterrupted);
        make(*model_.forest);
    }

private:
    virtual void make(WeightedForest& forest) = 0;

    Model& model_;
    Locks locks_;
};

// Trees with their coefficients are to be added.
std::unique_ptr<Change> addition(Model& model, const Dag& dag, const ConstVector<Node>& roots,
                                 WholeMatrix<double> alphas);
// Another model is to be added, times a factor for each output.
std::unique_ptr<Change> merging(Model& model, const Model& other, const ConstVector<double>& factors);
// Makes changes of models, and assignments to attributes of plain objects, each of them (object, name, value). Nothing
// of it can fail, and Ctrl-C comes before or after.
void commit(const nb::typed<nb::list, nb::object>& changes);

}  // namespace treekernels
