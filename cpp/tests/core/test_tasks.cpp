// Workers, watchers and what they throw.
#include <atomic>
#include <set>
#include <stdexcept>

#include "core/threads/tasks.hpp"
#include "tests/support/check.hpp"
#include "tests/support/look_away.hpp"

namespace treekernels::tests {

namespace {

struct FromWorker : std::runtime_error {
    FromWorker() : std::runtime_error("a worker") {}
};
struct FromWatcher : std::runtime_error {
    FromWatcher() : std::runtime_error("a watcher") {}
};

void until_stopped(Task& task) {
    for (;;) {
        task.check();
        std::this_thread::yield();
    }
}

}  // namespace

TEST(all_workers_run_and_progress_adds_up) {
    Task task(40);
    std::atomic<int> ran{0};
    const auto work = [&](Task& shared) {
        ++ran;
        for (int i = 0; i < 10; ++i) shared.advance(1);
    };
    run_watched(task, 4, work, look_away);
    CHECK(ran == 4);
    CHECK(task.done() == 40 && task.total() == 40);
    task.check();
}

TEST(the_watcher_watches_from_the_calling_thread) {
    Task task(1);
    std::atomic<int> watched{0};
    const auto caller = std::this_thread::get_id();
    const auto work = [&](Task&) {
        CHECK(std::this_thread::get_id() != caller);
        while (watched < 2) std::this_thread::yield();
    };
    run_watched(task, 1, work, [&](Task& shared) {
        CHECK(std::this_thread::get_id() == caller && &shared == &task);
        ++watched;
    });
    CHECK(watched >= 2);
}

TEST(what_a_worker_throws_stops_the_others_and_is_thrown_again) {
    for (unsigned threads : {1U, 2U, 5U}) {
        Task task(1);
        std::atomic<int> first{0}, stopped{0};
        const auto work = [&](Task& shared) {
            if (first++ == 0) throw FromWorker();
            try {
                until_stopped(shared);
            } catch (const Stopped&) {
                ++stopped;
                throw;
            }
        };
        CHECK_THROWS(FromWorker, run_watched(task, threads, work, look_away));
        CHECK(stopped == static_cast<int>(threads) - 1);
        CHECK_THROWS(Stopped, task.check());
    }
}

TEST(what_a_watcher_throws_stops_the_workers_and_is_thrown_again) {
    Task task(1);
    std::atomic<int> stopped{0};
    int watched = 0;
    const auto work = [&](Task& shared) {
        try {
            until_stopped(shared);
        } catch (const Stopped&) {
            ++stopped;
            throw;
        }
    };
    const auto watch = [&](Task&) {
        ++watched;
        throw FromWatcher();
    };
    CHECK_THROWS(FromWatcher, run_watched(task, 3, work, watch));
    CHECK(stopped == 3);
    CHECK(watched == 1);
}

TEST(a_stopped_task_ends_its_workers) {
    Task task(1);
    CHECK_THROWS(Stopped, run_watched(task, 2, until_stopped, [](Task& shared) { shared.stop(); }));
}

TEST(two_pieces_of_work_are_both_done) {
    for (unsigned threads : {1U, 2U}) {
        int first = 0, second = 0;
        run_both(threads, [&] { first = 1; }, [&] { second = 2; });
        CHECK(first == 1 && second == 2);
    }
    std::vector<int> order;
    run_both(1, [&] { order.push_back(1); }, [&] { order.push_back(2); });
    CHECK(order == std::vector<int>{1, 2});
    // With two threads they can wait for each other.
    std::atomic<bool> other{false};
    run_both(
        2,
        [&] {
            while (!other) std::this_thread::yield();
        },
        [&] { other = true; });
    CHECK(other);
}

TEST(what_either_of_two_pieces_throws_is_thrown_again) {
    const auto nothing = [] {};
    const auto fail_first = [] { throw FromWorker(); };
    const auto fail_second = [] { throw FromWatcher(); };
    for (unsigned threads : {1U, 2U}) {
        CHECK_THROWS(FromWorker, run_both(threads, fail_first, nothing));
        CHECK_THROWS(FromWatcher, run_both(threads, nothing, fail_second));
        CHECK_THROWS(FromWorker, run_both(threads, fail_first, fail_second));
    }
    // The other one ends before the call does.
    std::atomic<bool> ended{false};
    CHECK_THROWS(FromWorker, run_both(2, fail_first, [&] {
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                     ended = true;
                 }));
    CHECK(ended);
}

TEST(milestones_are_awaited) {
    Milestones milestones;
    std::vector<int> passed;  // written before each milestone, read after it
    std::vector<std::size_t> seen;
    run_both(
        2,
        [&] {
            for (int number = 0; number < 100; ++number) {
                passed.push_back(number);
                milestones.pass(static_cast<std::size_t>(number));
            }
        },
        [&] {
            CHECK(milestones.await(99));
            seen.push_back(passed.size());
        });
    CHECK(seen == std::vector<std::size_t>{100});
    CHECK(milestones.await(0) && milestones.await(50));
}

TEST(milestones_that_never_come_are_not_awaited_for_ever) {
    Milestones milestones;
    milestones.pass(0);
    bool arrived = true;
    run_both(
        2,
        [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            milestones.give_up();
        },
        [&] { arrived = milestones.await(1); });
    CHECK(!arrived);
    CHECK(!milestones.await(7));
}

TEST(a_counter_gives_each_number_once) {
    constexpr std::size_t kCount = 100000;
    Counter counter(kCount);
    std::vector<std::atomic<int>> taken(kCount);
    Task task(1);
    const auto work = [&](Task&) {
        for (std::size_t number; counter.take(number);) ++taken[number];
    };
    run_watched(task, 4, work, look_away);
    std::size_t once = 0;
    for (const auto& times : taken) once += times == 1;
    CHECK(once == kCount);
    std::size_t number = 0;
    CHECK(!counter.take(number));
    CHECK(!Counter(0).take(number));
}

}  // namespace treekernels::tests
