// The last lines that a run's programs wrote to stderr, kept beside: what they write goes where it always went.
//
// A process of its own copies from a pipe; it lives as long as anybody who may write, so that neither a daemon that a
// script left behind nor a run that goes on without us loses its stderr.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/path.hpp"

namespace hearth::agent {

/// `FILE PROGRAM [ARGUMENT…]`: becomes PROGRAM, its stderr noted in FILE. Where nothing can be noted it runs all the
/// same.
int note_run_main(const std::vector<std::string>& words);

/// The words that go before a command for its stderr to be noted in `file`.
[[nodiscard]] std::vector<std::string> noting_words(const fs::path& file);

/// What is in the file, when the copying has ended; after a second whatever is there. Empty when there is none.
[[nodiscard]] std::string read_run_note(const fs::path& file, Clock& clock);
/// Whoever still copies keeps what it has open.
void remove_run_note(const fs::path& file) noexcept;
/// What is in the file now.
[[nodiscard]] std::string peek_run_note(const fs::path& file);

}  // namespace hearth::agent
