// Work that nobody watches.
#pragma once

#include "core/threads/tasks.hpp"

namespace treekernels::tests {

inline void look_away(Task&) {}

}  // namespace treekernels::tests
