// A file that was meant by a name of which there is none.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::cli {

/// Files that `word` may have been meant for, as a person types them from here: of the same folder one that is called
/// nearly so or has another ending, else one of that very name in the folder above, here, or in a folder of this one.
[[nodiscard]] std::vector<std::string> near_files(const std::string& word);

/// "Did you mean web.tar?", where the story of an error speaks of one of the words, or of the value of an option, that
/// names no file, but nearly. Empty where it says something of the kind itself.
[[nodiscard]] std::string near_file_told(const std::string& story, const std::vector<std::string>& words);

}  // namespace hearth::cli
