// What to do about that which the sandbox refuses hooks and upstream's builder, which is the machine's root, does not.
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

/// By what programs say of it, which is the last that a failed hook printed; empty where nothing of it is known.
[[nodiscard]] std::string advice_on_refusal(const std::vector<std::string>& printed);

}  // namespace hearth::builder
