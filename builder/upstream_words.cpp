#include "builder/upstream_words.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

namespace {

/// The long options that upstream's getopt knows.
constexpr std::array<const char*, 16> k_upstreams = {
    "checksum",         "docker-target",     "help",       "image-cache",  "image-size", "install-type",
    "logfile",          "max-online-resize", "min-tmpfs",  "mkfs-options", "no-tmpfs",   "offline",
    "qemu-img-options", "ramdisk-element",   "root-label", "version"};

const cli::Option* option_named(const std::string& name) {
  for (const cli::Option& option : image_options()) {
    if (!name.empty() && option.name == name) return &option;
  }
  return nullptr;
}

std::string whole_name(const std::string& name) {
  if (option_named(name) != nullptr) return name;
  std::vector<std::string> meant;
  for (const std::string_view known : k_upstreams) {
    if (known == name) return name;
    if (known.starts_with(name)) meant.emplace_back(known);
  }
  return meant.size() == 1 ? meant.front() : name;
}

/// Whether the word is letters of options, the last of which takes the next word.
bool takes_next(const std::string& letters) {
  for (std::size_t i = 1; i < letters.size(); ++i) {
    for (const cli::Option& option : image_options()) {
      if (option.letter == letters[i] && !option.value_name.empty()) return i + 1 == letters.size();
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> spelt_out(const std::string& program, std::vector<std::string> words) {
  if (program != "disk-image-create" && program != "ramdisk-image-create") return words;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string& word = words[i];
    if (!word.starts_with("--")) {
      if (word.starts_with("-") && takes_next(word)) ++i;
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = whole_name(word.substr(2, equals - 2));
    word = cat("--", name, word.substr(equals));
    const cli::Option* const option = option_named(name);
    if (option != nullptr && !option->value_name.empty() && word.find('=') == std::string::npos) ++i;
  }
  return words;
}

}  // namespace hearth::builder
