// Work that several threads share, the caller's among them: begun together, ended together, and the first that fails is
// told to the caller.
#pragma once

#include <cstddef>
#include <functional>

namespace hearth {

/// Runs `work` in `threads` threads and waits for all; fewer begin where the system gives no more. Then an exception of
/// one of them is thrown on. `work` sees to it itself that the others end soon when one has failed.
void run_in_threads(unsigned threads, const std::function<void()>& work);

/// Runs `work(i)` for 0 ≤ i < count, in at most `threads` threads. After a failure no more are begun; of several that
/// fail the one of the lowest number is thrown on.
void for_each_in_threads(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace hearth
