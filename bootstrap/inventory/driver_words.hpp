// What of a node's driver and driver_info is taken at all, whoever asks for it. Some words of drivers would have this
// machine run a program, make a file or read one: those are for rehearsals, where machine and conductor are one
// person's. Others end in boot loaders' scripts (pxe/boot/boot_words.hpp). Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// A line for each word that is refused, with its key.
[[nodiscard]] std::vector<std::string> driver_word_faults(const Node& node, bool rehearsal);

}  // namespace hearth::bootstrap
