// Sentence pairs for Python: their placeholders, and Gram matrices.
#include "bind/bind.hpp"
#include "kernels/tripartite/alternatives.hpp"
#include "kernels/tripartite/tripartite.hpp"

namespace treekernels {

namespace {

void check_sides(const Dag& dag, std::span<const Node> texts, std::span<const Node> hypotheses) {
    check_nodes(dag, texts);
    check_nodes(dag, hypotheses);
    if (texts.size() != hypotheses.size()) throw nb::value_error("as many texts as hypotheses are needed");
}

auto brief(const Dag& dag, const ConstVector<Node>& texts, const ConstVector<Node>& hypotheses) {
    return [&] { return is_brief(dag, span_of(texts)) && is_brief(dag, span_of(hypotheses)); };
}

std::pair<Vector<std::uint64_t>, Vector<std::uint64_t>> placeholders(const Dag& dag, const ConstVector<Node>& texts,
                                                                     const ConstVector<Node>& hypotheses) {
    PlaceholderLists lists;
    run_locked(Locks().read(dag.mutex()), brief(dag, texts, hypotheses), 1, nb::none(), [&](Task& task) {
        check_sides(dag, span_of(texts), span_of(hypotheses));
        lists = placeholders_of(Corpus(dag, span_of(texts), {}, 1, task), Corpus(dag, span_of(hypotheses), {}, 1, task),
                                SplitLabels(dag));
    });
    return {to_numpy(std::move(lists.offset)), to_numpy(std::move(lists.number))};
}

// Interns trees without their placeholders, or without those above a number.
Vector<Node> import_with_placeholders(Dag& dag, const Dag& other, const ConstVector<Node>& roots,
                                      std::optional<std::uint64_t> up_to) {
    if (&dag == &other) throw nb::value_error("a forest cannot import from itself");
    std::vector<Node> result;
    const auto relabel = [&](std::string_view label) {
        const auto [name, number] = split_label(label);
        const bool kept = number == kNoPlaceholder || (up_to && number <= *up_to);
        return kept ? label : name.substr(0, name.size() - 1);
    };
    const Locks locks = Locks().read(other.mutex()).write(dag.mutex());
    const auto few = [&] { return is_brief(other, span_of(roots)); };
    run_locked(locks, few, 1, nb::none(), [&](Task& task) {
        check_nodes(other, span_of(roots));
        result = dag.import(other, span_of(roots), task, relabel);
    });
    return to_numpy(std::move(result));
}

// The first `columns` pairs are the columns; the others are the rows, unless there are none.
Bound<PairsGram> make_gram(const Dag& dag, const ConstVector<Node>& texts, const ConstVector<Node>& hypotheses,
                           std::size_t columns, bool symmetric, PairsAlgorithm algorithm, double decay, bool normalize,
                           bool diagonal_only, unsigned threads, const nb::object& progress) {
    if (columns > texts.size() || (symmetric && columns != texts.size()))
        throw nb::value_error("there are fewer pairs than columns");
    std::optional<AnchoredPairs> examples;
    run_locked(Locks().read(dag.mutex()), brief(dag, texts, hypotheses), 1, nb::none(), [&](Task& task) {
        check_sides(dag, span_of(texts), span_of(hypotheses));
        examples.emplace(dag, span_of(texts), span_of(hypotheses), threads, task);
    });
    const auto execution = execution_of(threads, progress);
    const GilReleased released;
    // Never brief: the time depends on the placeholders more than on the nodes.
    return {std::make_unique<PairsGram>(PairsSource(std::move(*examples), algorithm, decay), columns, symmetric,
                                        normalize, diagonal_only, execution),
            false};
}

using Placeholders = nb::typed<nb::tuple, nb::typed<nb::tuple, std::uint64_t, std::uint64_t>, nb::ellipsis>;
using ConstraintTerms = nb::typed<nb::list, nb::typed<nb::tuple, Placeholders, bool, double, double, double>>;

// The constraints of the first of two pairs with the second: see ConstraintTerm.
ConstraintTerms constraint_terms_of(const Dag& dag, const ConstVector<Node>& texts, const ConstVector<Node>& hypotheses,
                                    double decay) {
    if (texts.size() != 2) throw nb::value_error("constraints are those of two pairs");
    std::vector<ConstraintTerm> terms;
    const auto never_brief = [] { return false; };
    run_locked(Locks().read(dag.mutex()), never_brief, 1, nb::none(), [&](Task& task) {
        check_sides(dag, span_of(texts), span_of(hypotheses));
        const AnchoredPairs examples(dag, span_of(texts), span_of(hypotheses), 1, task);
        terms = constraint_terms(examples, 0, 1, decay, task);
    });
    ConstraintTerms result;
    for (const ConstraintTerm& term : terms) {
        nb::list placeholders;
        for (const auto& [first, second] : term.placeholders) placeholders.append(nb::make_tuple(first, second));
        result.append(
            nb::make_tuple(nb::tuple(placeholders), term.alternative, term.multiplicity, term.texts, term.hypotheses));
    }
    return result;
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def("placeholders", &placeholders, "dag"_a, "texts"_a, "hypotheses"_a);
    m.def("import_with_placeholders", &import_with_placeholders, "dag"_a, "other"_a, "roots"_a, "up_to"_a.none());
    m.def("constraint_terms", &constraint_terms_of, "dag"_a, "texts"_a, "hypotheses"_a, "decay"_a);
    nb::enum_<PairsAlgorithm>(m, "PairsAlgorithm")
        .value("tables", PairsAlgorithm::tables)
        .value("inclusion_exclusion", PairsAlgorithm::inclusion_exclusion)
        .value("inclusion_exclusion_anew", PairsAlgorithm::inclusion_exclusion_anew)
        .value("maximum", PairsAlgorithm::maximum);
    nb::class_<Bound<PairsGram>> gram(m, "PairsGram", "The matrix of the tripartite kernel between sentence pairs.");
    gram.def(nb::new_(&make_gram), "dag"_a, "texts"_a, "hypotheses"_a, "columns"_a, "symmetric"_a, "algorithm"_a,
             "decay"_a, "normalize"_a, "diagonal_only"_a, "threads"_a, "progress"_a.none() = nb::none());
    bind_matrix(gram);
}

}  // namespace treekernels
