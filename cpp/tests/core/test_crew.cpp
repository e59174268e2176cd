// Threads that are kept for one piece of work after the other.
#include <atomic>
#include <set>
#include <stdexcept>

#include "core/threads/crew.hpp"
#include "tests/support/check.hpp"

namespace treekernels::tests {

TEST(a_crew_does_every_part_once_in_every_round) {
    for (std::size_t threads : {1, 2, 3, 7}) {
        Crew crew(threads);
        for (std::size_t round = 0; round < 500; ++round) {
            const std::size_t count = round % (threads + 1);
            std::vector<int> done(threads, 0);
            crew.run(count, [&](std::size_t part) { ++done[part]; });
            for (std::size_t part = 0; part < threads; ++part) CHECK(done[part] == (part < count ? 1 : 0));
        }
    }
}

TEST(the_first_part_is_done_by_the_caller_and_the_others_by_threads_that_stay) {
    Crew crew(3);
    std::set<std::thread::id> seen[3];
    for (int round = 0; round < 50; ++round)
        crew.run(3, [&](std::size_t part) { seen[part].insert(std::this_thread::get_id()); });
    CHECK(seen[0] == std::set{std::this_thread::get_id()});
    for (const auto& ids : seen) CHECK(ids.size() == 1);
    CHECK(seen[1] != seen[0] && seen[2] != seen[0] && seen[1] != seen[2]);
}

TEST(a_crew_waits_for_all_parts_before_it_throws_and_serves_again) {
    Crew crew(4);
    for (std::size_t failing = 0; failing < 4; ++failing) {
        std::atomic<int> ended{0};
        bool thrown = false;
        try {
            crew.run(4, [&](std::size_t part) {
                if (part == failing) throw std::runtime_error("a part");
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                ++ended;
            });
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        CHECK(thrown && ended == 3);
    }
    int after = 0;
    crew.run(1, [&](std::size_t) { ++after; });
    CHECK(after == 1);
}

}  // namespace treekernels::tests
