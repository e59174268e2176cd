#include "search/counted_index.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/features/feature_lists.hpp"
#include "search/result_room.hpp"

namespace treekernels {

namespace {

const FeatureParameters& parameters_of(const TreeKernel& kernel) {
    const auto* features = std::get_if<FeatureKernel>(&kernel);
    if (!features) throw std::invalid_argument("this kernel is not one of features that can be counted");
    return features->parameters;
}

bool all_ones(const FeatureParameters& parameters) { return parameters.damping == CountDamping::binary; }

}  // namespace

// Trees of a DAG as vectors of an index.
class CountedIndex::Reader {
public:
    Reader(const CountedIndex& index, const Dag& dag)
        : features_(index.parameters_, dag), view_(dag), dag_(dag), learned_alone_(index.learned_alone_) {}

    // With the features that the names have already, or with all of them.
    void read(const FeatureNames& names, Node root, CountedTree& tree) {
        read(root, tree, names, [&] { names.find(features_.table(), dag_, numbers_); });
    }
    void read_all(FeatureNames& names, Node root, CountedTree& tree) {
        read(root, tree, names, [&] { names.intern(features_.table(), dag_, numbers_, learned_alone_); });
    }

private:
    template <class Number>
    void read(Node root, CountedTree& tree, const FeatureNames& names, Number number) {
        tree.features.clear();
        tree.norm = 0.0;
        if (dag_.is_leaf(root)) {
            const std::string_view text = dag_.label_text(dag_.label(root));
            if (text == "-EMPTY-" || text == "-MISSING-") return;
        }
        const auto found = features_.count(view_(root));
        number();
        double unknown = 0.0;
        for (Feature feature : found) {
            const double count = features_.count(feature);
            const double square = features_.table().weights()[feature] * (count * count);
            if (!(square > 0.0)) continue;
            if (const Feature known = numbers_.features[feature]; known != kNone)
                tree.features.push_back({known, count});
            else
                unknown += square;
        }
        // In the order in which products are added up, so that equal trees have the value 1.
        std::ranges::sort(tree.features, {}, &FeatureCount::feature);
        for (const auto& [feature, count] : tree.features) tree.norm += names.weight(feature) * (count * count);
        tree.norm += unknown;
    }

    TreeFeatures features_;
    TreeView view_;
    const Dag& dag_;
    bool learned_alone_;
    FeatureNumbers numbers_;
};

// A search that goes back to the others in the end.
class CountedIndex::Lease {
public:
    explicit Lease(const CountedIndex& index) : index_(index) {
        {
            const std::lock_guard lock(index.searches_mutex_);
            if (!index.searches_.empty()) {
                search_ = std::move(index.searches_.back());
                index.searches_.pop_back();
            }
        }
        if (!search_) search_ = std::make_unique<CountedSearch>();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        try {
            const std::lock_guard lock(index_.searches_mutex_);
            index_.searches_.push_back(std::move(search_));
        } catch (...) {  // no memory to keep it
        }
    }
    CountedSearch& operator*() const { return *search_; }

private:
    const CountedIndex& index_;
    std::unique_ptr<CountedSearch> search_;
};

CountedIndex::CountedIndex(const TreeKernel& kernel, bool normalize, bool learned_alone)
    : parameters_(parameters_of(kernel)),
      normalize_(normalize),
      learned_alone_(learned_alone),
      vectors_(all_ones(parameters_)) {}

CountedIndex::~CountedIndex() = default;

void CountedIndex::add(const Dag& dag, std::span<const Node> roots, Task& task) {
    if (roots.empty()) return;
    if (roots.size() >= kNone - removed_.size()) throw std::length_error("more than 4294967294 trees in an index");
    const std::size_t vectors = vectors_.size(), items = columns_.size();
    auto ranges = ranges_;
    try {
        // What a reader knows of the features of its trees takes as much memory as what the index keeps of them, so
        // that it is forgotten from time to time.
        constexpr std::size_t kBatch = 1024;
        CountedTree tree;
        for (std::size_t begin = 0; begin < roots.size(); begin += kBatch) {
            Reader reader(*this, dag);
            for (Node root : roots.subspan(begin, std::min(kBatch, roots.size() - begin))) {
                task.check();
                reader.read_all(*names_, root, tree);
                columns_.push_back(vectors_.add(tree));
                task.advance(1);
            }
        }
        removed_.resize(columns_.size(), 0);
        const auto end = static_cast<Column>(vectors_.size());
        auto begin = static_cast<Column>(vectors);
        for (; !ranges.empty() && end > begin && ranges.back()->size() <= 2 * std::size_t{end - begin};
             ranges.pop_back())
            begin = ranges.back()->begin();
        if (end > begin)
            ranges.push_back(std::make_shared<const FeatureColumns>(vectors_, begin, end, names_->size(), task));
        sort_items();
    } catch (...) {
        vectors_.truncate(vectors);
        columns_.resize(items);
        removed_.resize(items);
        throw;
    }
    ranges_ = std::move(ranges);
}

void CountedIndex::sort_items() {
    std::vector<std::uint32_t> offsets(vectors_.size() + 1, 0);
    std::vector<Item> items(columns_.size());
    for (Column column : columns_) ++offsets[column + std::size_t{1}];
    for (std::size_t column = 0; column < vectors_.size(); ++column) offsets[column + 1] += offsets[column];
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (Item item = 0; item < columns_.size(); ++item) items[next[columns_[item]]++] = item;
    item_offsets_ = std::move(offsets);
    items_ = std::move(items);
}

void CountedIndex::remove(std::span<const Item> items) {
    for (Item item : items)
        if (item >= removed_.size()) throw std::out_of_range("no such tree");
    for (Item item : items) {
        if (removed_[item]) continue;
        removed_[item] = 1;
        ++removed_count_;
    }
}

void CountedIndex::compact(const Task& task) {
    if (is_compact()) return;
    const auto end = static_cast<Column>(vectors_.size());
    ranges_.assign(1, std::make_shared<const FeatureColumns>(vectors_, 0, end, names_->size(), task));
}

template <class Ask>
void CountedIndex::ask_all(const Dag& dag, std::span<const Node> roots, unsigned threads, Task& task, Ask ask) const {
    // Queries share subtrees, whose features are listed once: so they are read by one, a batch at a time.
    constexpr std::size_t kBatch = 1024;
    Reader reader(*this, dag);
    std::vector<CountedTree> trees(std::min(kBatch, roots.size()));
    for (std::size_t begin = 0; begin < roots.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, roots.size() - begin);
        for (std::size_t i = 0; i < count; ++i) {
            task.check();
            reader.read(*names_, roots[begin + i], trees[i]);
        }
        Counter counter(count);
        run_parts(std::min<std::size_t>(std::max(1U, threads), count), [&](std::size_t) {
            const Lease search(*this);
            for (std::size_t number; counter.take(number);) {
                task.check();
                ask(*search, trees[number], begin + number);
                task.advance(1);
            }
        });
    }
}

std::vector<std::vector<Hit>> CountedIndex::search(const Dag& dag, std::span<const Node> roots, std::size_t count,
                                                   unsigned threads, Task& task) const {
    std::vector<std::vector<Hit>> results(roots.size());
    const std::size_t wanted = std::min(count, item_count());
    ask_all(dag, roots, threads, task, [&](CountedSearch& search, const CountedTree& tree, std::size_t number) {
        BestItems best(wanted);
        const auto offer = [&](Column column, double value) {
            if (value <= 0.0) return;
            for (Item item : items(column))
                if (!removed_[item] && !best.offer({value, item})) break;
        };
        for (const auto& range : ranges_)
            search.run(
                vectors_, *names_, *range, tree, normalize_, kNone, wanted, [&] { return best.threshold(); }, offer,
                task);
        auto hits = std::move(best).sorted();
        if (hits.size() < wanted) {
            // The others have nothing in common with the query.
            std::vector<Item> met;
            for (const Hit& hit : hits) met.push_back(hit.item);
            std::ranges::sort(met);
            for (Item item = 0; hits.size() < wanted; ++item)
                if (!removed_[item] && !std::ranges::binary_search(met, item)) hits.push_back({0.0, item});
        }
        results[number] = std::move(hits);
    });
    return results;
}

std::vector<std::vector<Hit>> CountedIndex::within(const Dag& dag, std::span<const Node> roots, double threshold,
                                                   std::size_t most, unsigned threads, Task& task) const {
    std::vector<std::vector<Hit>> results(roots.size());
    ResultRoom room(most);
    // Below this, all trees are hits.
    const double lowest = threshold > 0.0 ? threshold : -std::numeric_limits<double>::infinity();
    ask_all(dag, roots, threads, task, [&](CountedSearch& search, const CountedTree& tree, std::size_t number) {
        std::vector<Hit>& hits = results[number];
        const auto offer = [&](Column column, double value) {
            if (value < threshold || value <= 0.0) return;
            room.take(items(column).size());
            for (Item item : items(column))
                if (!removed_[item]) hits.push_back({value, item});
        };
        for (const auto& range : ranges_)
            search.run(vectors_, *names_, *range, tree, normalize_, kNone, 0, [&] { return lowest; }, offer, task);
        if (threshold <= 0.0) {
            std::vector<std::uint8_t> met(removed_.begin(), removed_.end());
            for (const Hit& hit : hits) met[hit.item] = 1;
            room.take(met.size() - hits.size());
            for (Item item = 0; item < met.size(); ++item)
                if (!met[item]) hits.push_back({0.0, item});
        }
        std::sort(hits.begin(), hits.end());
    });
    return results;
}

std::vector<ItemPair> CountedIndex::pairs(double threshold, std::size_t most, unsigned threads, Task& task) const {
    if (ranges_.empty()) return {};
    const FeatureColumns& all = *ranges_.front();
    constexpr std::size_t kBlock = 64;
    const std::size_t columns = vectors_.size(), blocks = (columns + kBlock - 1) / kBlock;
    std::vector<std::vector<ItemPair>> found(blocks);
    Counter counter(blocks);
    ResultRoom room(most);
    run_parts(std::min<std::size_t>(std::max(1U, threads), blocks), [&](std::size_t) {
        const Lease lease(*this);
        CountedTree tree;
        std::vector<Item> own, others;
        const auto present = [&](Column column, std::vector<Item>& list) {
            list.clear();
            for (Item item : items(column))
                if (!removed_[item]) list.push_back(item);
        };
        for (std::size_t block; counter.take(block);) {
            PairList list(room, task);
            const auto end = static_cast<Column>(std::min(columns, (block + 1) * kBlock));
            for (auto column = static_cast<Column>(block * kBlock); column < end; ++column) {
                task.check();
                task.advance(1);
                present(column, own);
                if (own.empty() || vectors_.norm(column) == 0.0) continue;
                vectors_.read(column, tree);
                const double value = kernel_value(tree.norm, tree.norm, tree.norm, normalize_);
                if (value >= threshold) list.add(own, value);
                const auto offer = [&](Column other, double similarity) {
                    if (similarity < threshold) return;
                    present(other, others);
                    list.add(others, own, similarity);
                };
                (*lease).run(
                    vectors_, *names_, all, tree, normalize_, column, 0, [&] { return threshold; }, offer, task);
            }
            found[block] = std::move(list.pairs);
        }
    });
    return in_order(std::move(found), removed_.size(), task);
}

std::size_t CountedIndex::bytes() const {
    std::size_t bytes = names_->bytes() + vectors_.bytes() + columns_.size() * 9 + item_offsets_.size() * 4;
    for (const auto& range : ranges_) bytes += range->bytes();
    return bytes;
}

void CountedIndex::restore(const CountedArrays& arrays, std::vector<std::uint8_t> removed, const Task& task) {
    auto names = std::make_unique<FeatureNames>(arrays.names, task);
    FeatureVectors vectors(all_ones(parameters_), arrays.vectors, *names, task);
    bool fits = removed.size() == arrays.columns.size();
    for (Column column : arrays.columns) fits = fits && column < vectors.size();
    if (!fits) throw std::invalid_argument("the trees of an index and their vectors do not fit together");
    names_ = std::move(names);
    vectors_ = std::move(vectors);
    columns_.assign(arrays.columns.begin(), arrays.columns.end());
    removed_count_ = static_cast<std::size_t>(std::ranges::count_if(removed, [](auto r) { return r != 0; }));
    removed_ = std::move(removed);
    ranges_.clear();
    if (const auto end = static_cast<Column>(vectors_.size()); end > 0)
        ranges_.push_back(std::make_shared<const FeatureColumns>(vectors_, 0, end, names_->size(), task));
    sort_items();
}

}  // namespace treekernels
