// The command lines of diskimage-builder's programs. Their users abbreviate options as upstream's getopt lets them, in
// scripts; ours are more, which must not make those ambiguous.
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

/// The words of disk-image-create or ramdisk-image-create with upstream's options spelt out; what may mean none of
/// upstream's, or several, stays as it is. Words of other programs stay.
[[nodiscard]] std::vector<std::string> spelt_out(const std::string& program, std::vector<std::string> words);

}  // namespace hearth::builder
