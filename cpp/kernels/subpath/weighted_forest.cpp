#include "kernels/subpath/weighted_forest.hpp"

#include "core/trees/dag_translation.hpp"
#include "models/class_weights.hpp"
#include "models/node_weights.hpp"

namespace treekernels {

namespace {

// The paths of trees of one DAG, one tree after the other.
class TreePaths {
public:
    TreePaths(SubpathParameters parameters, const Dag& dag) : lists_(parameters), dag_(dag) {}

    std::span<const Path> count(const TreeNodes& tree) {
        for (Node node : tree.nodes()) lists_.list(dag_, node);
        return lists_.count_tree(tree.nodes(), tree.counts());
    }
    // After this, to count a tree of these subtrees cannot fail.
    void make_room(std::span<const Node> nodes) {
        for (Node node : nodes) lists_.list(dag_, node);
        lists_.make_room_to_count();
    }
    const PathLists& lists() const { return lists_; }
    const PathTable& table() const { return lists_.table(); }

private:
    PathLists lists_;
    const Dag& dag_;
};

class SubpathForest final : public WeightedForest {
public:
    SubpathForest(SubpathParameters parameters, std::size_t outputs)
        : WeightedForest(outputs),
          parameters_(parameters),
          paths_(parameters, dag_),
          path_weights_(outputs),
          weights_(outputs) {}

    void make_room(std::span<const Node> nodes) override {
        paths_.make_room(nodes);
        path_weights_.make_room(paths_.table().size());
        weights_.make_room(nodes);
    }
    using WeightedForest::make_room;
    bool has_room(Node node) const override {
        return paths_.lists().has(node) && path_weights_.find(paths_.table().size()) && weights_.has_room(node);
    }
    void add(const TreeNodes& tree, const double* alpha) override {
        ++revision_;
        weights_.add(tree, alpha);
        for (Path path : paths_.count(tree))
            path_weights_.add(path, paths_.lists().count(path) * paths_.table().weights()[path], alpha);
    }

    std::unique_ptr<TreeScorer> scorer(const Dag& source) const override;
    std::size_t size() const override { return weights_.size(); }

    // The weights of the paths, numbered in the order of the nodes, stand for those of productions. The table may have
    // more: those of a tree that memory did not suffice for.
    ForestState state() const override {
        ForestState state{weights_.order(), weights_.values(), {}, {}};
        std::vector<bool> met(paths_.table().size(), false);
        for (Node node : state.nodes)
            for (Path path : paths_.lists().paths(node)) {
                if (met[path]) continue;
                met[path] = true;
                const double* weights = path_weights_.find(path);
                state.productions.insert(state.productions.end(), weights, weights + outputs_);
            }
        return state;
    }
    void restore(const ForestState& state) override {
        const auto require = [](bool good) {
            if (!good) throw std::invalid_argument("not a weighted forest: its parts do not fit together");
        };
        require(state.weights.size() == state.nodes.size() * outputs_ && state.labels.empty());
        ++revision_;
        for (std::size_t i = 0; i < state.nodes.size(); ++i) {
            const double once = 1.0;
            paths_.count({dag_, {&state.nodes[i], 1}, {&once, 1}});
            weights_.add(state.nodes[i], 1.0, state.weights.data() + i * outputs_);
        }
        require(state.productions.size() == paths_.table().size() * outputs_);
        for (Path path = 0; path < paths_.table().size(); ++path)
            path_weights_.add(path, 1.0, state.productions.data() + path * outputs_);
    }

private:
    friend class SubpathScorer;

    SubpathParameters parameters_;
    TreePaths paths_;
    ClassWeights path_weights_;  // times decay^(labels)
    NodeWeights weights_;
};

class SubpathScorer final : public EachTreeScorer {
public:
    SubpathScorer(const SubpathForest& forest, const Dag& source)
        : EachTreeScorer(source, CountDamping::linear, forest.outputs()),
          forest_(forest),
          translation_(source, forest.dag()),
          paths_(forest.parameters_, source) {}

private:
    static constexpr Path kUnknown = kNone - 1;

    void add_score(const TreeNodes& tree, double* scores, const Task& task) override {
        task.check();
        if (revision_ != forest_.revision()) {
            revision_ = forest_.revision();
            translation_.look_again();
            for (Path path : missing_) known_[path] = kUnknown;
            missing_.clear();
        }
        for (Path path : paths_.count(tree)) {
            const Path known = in_forest(path);
            if (known != kNone) forest_.path_weights_.add_to(scores, known, paths_.lists().count(path));
        }
    }

    // The number of a path in the forest; kNone if it has no such path. The rest of a path has a smaller number than
    // the path, and is looked up before it.
    Path in_forest(Path path) {
        const PathTable& own = paths_.table();
        while (known_.size() <= path) known_.push_back(kUnknown);
        to_find_.assign(1, path);
        while (known_[to_find_.back()] == kUnknown && own.rest(to_find_.back()) != kNone &&
               known_[own.rest(to_find_.back())] == kUnknown)
            to_find_.push_back(own.rest(to_find_.back()));
        for (; !to_find_.empty(); to_find_.pop_back()) {
            const Path next = to_find_.back();
            if (known_[next] != kUnknown) continue;
            const Path rest = own.rest(next) == kNone ? kNone : known_[own.rest(next)];
            const Label first = translation_.label(own.first(next));
            const bool lost = first == kNone || (own.rest(next) != kNone && rest == kNone);
            known_[next] = lost ? kNone : forest_.paths_.table().find(first, rest);
            if (known_[next] == kNone) missing_.push_back(next);
        }
        return known_[path];
    }

    const SubpathForest& forest_;
    Translation translation_;
    TreePaths paths_;
    std::vector<Path> known_;  // by path of the source
    std::vector<Path> missing_;
    std::vector<Path> to_find_;
    std::uint64_t revision_ = 0;
};

std::unique_ptr<TreeScorer> SubpathForest::scorer(const Dag& source) const {
    return std::make_unique<SubpathScorer>(*this, source);
}

// Of trees that are all in one DAG: a weight for each path is all there is.
class SubpathResponder final : public Responder {
public:
    SubpathResponder(SubpathParameters parameters, std::size_t outputs, const Dag& dag)
        : paths_(parameters, dag), weights_(outputs) {}

    void insert(const TreeNodes& tree) override { paths_.count(tree); }
    void add(const TreeNodes& tree, const double* alpha, const Task&) override {
        for (Path path : paths_.count(tree))
            weights_.add(path, paths_.lists().count(path) * paths_.table().weights()[path], alpha);
    }
    void score(const TreeNodes& tree, std::span<const std::uint32_t>, double* scores) const override {
        for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
            const auto paths = paths_.lists().paths(tree.nodes()[i]);
            const auto counts = paths_.lists().counts(tree.nodes()[i]);
            for (std::size_t k = 0; k < paths.size(); ++k)
                weights_.add_to(scores, paths[k], tree.counts()[i] * counts[k]);
        }
    }

private:
    TreePaths paths_;
    ClassWeights weights_;
};

class SubpathNorm final : public TreeNorm {
public:
    SubpathNorm(SubpathParameters parameters, const Dag& dag) : paths_(parameters, dag) {}

    double operator()(const TreeNodes& tree, const Task& task) override {
        task.check();
        double norm = 0.0;
        for (Path path : paths_.count(tree)) {
            const double count = paths_.lists().count(path);
            norm += paths_.table().weights()[path] * count * count;
        }
        return norm;
    }

private:
    TreePaths paths_;
};

}  // namespace

std::unique_ptr<WeightedForest> make_subpath_forest(SubpathParameters parameters, std::size_t outputs) {
    return std::make_unique<SubpathForest>(parameters, outputs);
}
std::unique_ptr<Responder> make_subpath_responder(SubpathParameters parameters, std::size_t outputs, const Dag& dag) {
    return std::make_unique<SubpathResponder>(parameters, outputs, dag);
}
std::unique_ptr<TreeNorm> make_subpath_norm(SubpathParameters parameters, const Dag& dag) {
    return std::make_unique<SubpathNorm>(parameters, dag);
}

}  // namespace treekernels
