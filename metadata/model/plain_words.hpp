// Faults in our words. Heat's messages are Python's here and there, and clients of its API know them so; at our own
// command line nobody has to know Python.
#pragma once

#include <string>

#include "metadata/model/fault.hpp"

namespace hearth::metadata {

[[nodiscard]] std::string plain_words(std::string text);
/// The same fault, with its advice.
[[nodiscard]] Fault in_plain_words(const Fault& fault);

}  // namespace hearth::metadata
