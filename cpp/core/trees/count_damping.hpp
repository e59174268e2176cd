// How much it counts that a subtree occurs in one tree more than once.
#pragma once

#include <cmath>
#include <span>

namespace treekernels {

// n, 1 + log n, or 1 for a subtree that occurs n times.
enum class CountDamping { linear, log, binary };

inline double damped(double count, CountDamping damping) {
    if (damping == CountDamping::binary) return 1.0;
    // A single one counts 1 to the last bit.
    return damping == CountDamping::log && count != 1.0 ? 1.0 + std::log(count) : count;
}

inline void damp(std::span<double> counts, CountDamping damping) {
    if (damping == CountDamping::linear) return;
    for (double& count : counts) count = damped(count, damping);
}

}  // namespace treekernels
