// Dot products of counts against plain loops, at the ends of what 8, 16 and 32 bits hold.
#include <atomic>
#include <map>

#include "core/assert.hpp"
#include "gram/features.hpp"
#include "gram/vector_sum.hpp"
#include "tests/support/check.hpp"
#include "tests/support/random.hpp"

namespace treekernels::tests {

namespace {

using CountTable = std::vector<std::map<std::uint32_t, double>>;  // of each tree, by feature

Features features_of(const CountTable& table, std::size_t columns, std::vector<double> weights, unsigned threads,
                     std::size_t vector_share = kVectorOfReals) {
    const Task task(1);
    return Features(table.size(), columns, std::move(weights), vector_share, threads, task,
                    [&](std::size_t tree, auto emit) {
                        for (const auto& [feature, count] : table[tree]) emit(feature, count);
                    });
}

double dot(const CountTable& table, const std::vector<double>& weights, std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (const auto& [feature, count] : table[a])
        if (const auto other = table[b].find(feature); other != table[b].end())
            sum += weights[feature] * count * other->second;
    return sum;
}

template <class Sum>
void check_rows(const CountTable& table, std::size_t columns, const std::vector<double>& weights, unsigned threads) {
    const Features features = features_of(table, columns, weights, threads);
    for (std::size_t tree = 0; tree < table.size(); ++tree)
        for (std::size_t some : {columns, columns / 2, std::size_t{1}, std::size_t{0}}) {
            std::vector<Sum> sums(some + 1, Sum(7.0));  // added to; and nothing beyond the columns is touched
            features.add_row(tree, some, sums.data());
            bool same = sums[some] == Sum(7.0);
            for (std::size_t column = 0; column < some; ++column)
                same = same && to_double(sums[column]) == dot(table, weights, tree, column) + 7.0;
            CHECK(same);
        }
}

// Each of 40 trees has feature 0, which thus is kept as a vector, and `large` of it in one tree.
CountTable table_with_a_large_count(double large, std::size_t place) {
    CountTable table(40);
    for (auto& counts : table) counts[0] = 1.0;
    table[place][0] = large;
    return table;
}

}  // namespace

TEST(counts_of_256_and_more_do_not_fit_a_byte) {
    for (double large : {2.0, 254.0, 255.0, 256.0, 257.0, 511.0, 512.0, 65535.0, 65536.0, 65537.0, 1e9})
        for (std::size_t place : {0, 17, 39}) {
            const CountTable table = table_with_a_large_count(large, place);
            const Features features = features_of(table, 40, {1.0}, 1);
            std::vector<double> sums(40, 0.0);
            features.add_row(1, 40, sums.data());
            for (std::size_t column = 0; column < 40; ++column)
                CHECK(sums[column] == table[1].at(0) * table[column].at(0));
            // Those that do not fit are kept as a vector of ones, with a list beside it: else this would test nothing.
            CHECK(features.postings().vector(0)[place] == (large <= 255.0 ? large : 1.0));
        }
}

TEST(sums_reach_the_ends_of_their_width) {
    // 255 * 257 = 65535, the last number of 16 bits: as a vector of counts and as a list.
    CountTable table = table_with_a_large_count(255.0, 3);
    table[5][0] = 257.0;
    for (std::size_t vectors : {std::size_t{1}, std::size_t{40}}) {
        const Features features = features_of(table, 40, {1.0}, 1, vectors);
        std::vector<std::uint16_t> sums(40, 0);
        features.add_row(5, 4, sums.data());
        CHECK(sums[3] == 65535 && sums[0] == 257);
    }
    CHECK(features_of(table, 40, {1.0}, 1).largest_square() == 257.0 * 257.0);
    table[5][0] = 65537.0;
    table[3][0] = 65535.0;
    std::vector<std::uint32_t> sums(40, 0);
    features_of(table, 40, {1.0}, 1).add_row(5, 4, sums.data());
    CHECK(sums[3] == 4294967295U && sums[0] == 65537);
    std::vector<double> reals(40, 0.0);
    features_of(table, 40, {1.0}, 1).add_row(5, 6, reals.data());
    CHECK(reals[3] == 4294967295.0 && reals[5] == 65537.0 * 65537.0);
}

TEST(sums_of_counts_equal_a_plain_loop) {
    Random random(11);
    for (std::size_t trees : {1, 2, 15, 16, 17, 63, 200})
        for (unsigned threads : {1U, 2U}) {
            constexpr std::size_t kFeatures = 30;
            CountTable table(trees);
            for (auto& counts : table)
                for (std::uint32_t feature = 0; feature < kFeatures; ++feature)
                    // Some features in most trees, some in few; mostly once.
                    if (random.below(kFeatures) > feature)
                        counts[feature] = static_cast<double>(random.below(3) == 0 ? 1 + random.below(9) : 1);
            std::vector<double> ones(kFeatures, 1.0), weights;
            for (std::size_t feature = 0; feature < kFeatures; ++feature)
                weights.push_back(feature % 5 == 0 ? 0.0 : 0.25 * static_cast<double>(1 + random.below(8)));
            const std::size_t columns = 1 + random.below(trees);
            check_rows<std::uint16_t>(table, columns, ones, threads);
            check_rows<std::uint32_t>(table, columns, ones, threads);
            check_rows<double>(table, columns, weights, threads);
            check_rows<Wide>(table, columns, weights, threads);
        }
}

TEST(a_feature_may_be_named_several_times) {
    const Task task(1);
    const Features features(2, 2, {2.0}, kVectorOfReals, 1, task, [](std::size_t tree, auto emit) {
        emit(0, 1.0);
        if (tree == 1) emit(0, 3.0);
    });
    double sums[2] = {0.0, 0.0};
    features.add_row(1, 2, sums);
    CHECK(sums[0] == 2.0 * 4.0 * 1.0 && sums[1] == 2.0 * 4.0 * 4.0);
}

TEST(features_are_not_listed_on_when_the_task_is_stopped) {
    for (unsigned threads : {1U, 2U}) {
        Task task(1);
        std::atomic<std::size_t> visited{0};
        CHECK_THROWS(Stopped, Features(1000, 1000, {1.0}, kVectorOfReals, threads, task, [&](std::size_t, auto emit) {
                         if (++visited == 10) task.stop();
                         emit(0, 1.0);
                     }));
        CHECK(visited < 20);
    }
}

TEST(counts_are_added_at_any_size) {
    Random random(12);
    for (std::size_t size : {0, 1, 7, 8, 31, 32, 33, 64, 511, 512, 513, 2049, 5000}) {
        std::vector<std::vector<std::uint8_t>> counts(5, std::vector<std::uint8_t>(size));
        for (auto& vector : counts)
            for (auto& count : vector) count = static_cast<std::uint8_t>(random.below(256));
        const auto check = [&]<class Sum>(Sum) {
            std::vector<ScaledCounts<Sum>> terms;
            for (const auto& vector : counts) terms.push_back({static_cast<Sum>(1 + random.below(50)), vector.data()});
            std::vector<Sum> sums(size, Sum(1)), expected(size, Sum(1));
            add_scaled(sums.data(), size, terms);
            for (const auto& term : terms)
                for (std::size_t i = 0; i < size; ++i)
                    expected[i] = static_cast<Sum>(expected[i] + term.weight * term.counts[i]);
            CHECK(sums == expected);
        };
        check(std::uint16_t{});
        check(std::uint32_t{});
        check(double{});
    }
}

TEST(columns_are_summed_in_order) {
    Random random(13);
    for (std::size_t size : {1, 5, 16, 100})
        for (std::size_t count : {1, 2, 3, 7}) {
            std::vector<std::vector<double>> columns(count + 1, std::vector<double>(size));
            std::vector<const double*> pointers;
            for (auto& column : columns)
                for (double& value : column) value = random.unit();
            for (std::size_t i = 1; i <= count; ++i) pointers.push_back(columns[i].data());
            std::vector<double> sums(size);
            sum_columns(sums.data(), columns[0].data(), pointers, size);
            for (std::size_t i = 0; i < size; ++i) {
                double expected = columns[0][i];
                for (std::size_t j = 1; j <= count; ++j) expected += columns[j][i];
                CHECK(sums[i] == expected);
            }
        }
}

#ifdef TREEKERNELS_ASSERTIONS
TEST(what_does_not_fit_the_sums_is_noticed) {
    CountTable table = table_with_a_large_count(70000.0, 3);
    std::vector<std::uint16_t> sums(40, 0);
    CHECK_THROWS(AssertionFailure, features_of(table, 40, {1.0}, 1).add_row(3, 40, sums.data()));
    const double column = 1.0;
    double sum = 0.0;
    CHECK_THROWS(AssertionFailure, sum_columns(&sum, &column, std::span<const double* const>(), 1));
}
#endif

}  // namespace treekernels::tests
