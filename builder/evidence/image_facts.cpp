#include "builder/evidence/image_facts.hpp"

#include <algorithm>
#include <array>

#include "base/redaction.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr std::size_t k_largest_text = std::size_t{256} << 20U;

/// Besides DIB_*.
constexpr std::array<std::string_view, 11> k_telling = {
    "ARCH",      "FS_TYPE",          "IMAGE_ELEMENT", "INSTALL_PACKAGES", "MAX_ONLINE_RESIZE", "ROOT_LABEL",
    "SKIP_BASE", "QEMU_IMG_OPTIONS", "DOCKER_TARGET", "RAMDISK_ELEMENT",  "SOURCE_DATE_EPOCH"};
/// Of DIB_*: places and programs of the machine, and what the builder makes of all others.
constexpr std::array<std::string_view, 9> k_of_the_machine = {"DIB_IMAGE_CACHE", "DIB_LOCKFILES", "DIB_PYTHON_EXEC",
                                                              "DIB_ENV",         "DIB_ARGS",      "DIB_OFFLINE",
                                                              "DIB_NO_TMPFS",    "DIB_MIN_TMPFS", "DIB_GZIP_BIN"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool tells_what_is_built(const std::string& name) {
  const bool is_named = is_among(k_telling, name) || (name.starts_with("DIB_") && !is_among(k_of_the_machine, name));
  return is_named && !names_secret(name);
}

std::vector<fs::path> paths_in(const std::string& value) {
  std::vector<fs::path> paths;
  if (value.starts_with('/') && value.find(' ') != std::string::npos) paths.emplace_back(value);
  std::string words = replace_all(value, "file://", " ");
  words = replace_all(words, "://", " url");  // another machine's path
  std::replace_if(
      words.begin(), words.end(), [](char c) { return std::string_view(":,;=\t\n").find(c) != std::string_view::npos; },
      ' ');
  for (const std::string& word : split_words(words)) {
    if (word.starts_with('/') && word.size() > 1) paths.emplace_back(word);
  }
  return paths;
}

Environment telling_variables(const Environment& environment) {
  Environment telling;
  for (const auto& [name, value] : environment) {
    if (tells_what_is_built(name)) telling[name] = without_credentials(value);
  }
  return telling;
}

std::string read_regular(const fs::path& file) { return read_all(open_regular(file), file.string(), k_largest_text); }

OutputFile describe_output(const fs::path& file) {
  if (fs::is_directory(file)) return {file, directory_digest(file), 0};  // an OCI layout
  FileDigest digest = digest_file(file);
  return {file, std::move(digest.sha256), digest.size};
}

}  // namespace hearth::builder::evidence
