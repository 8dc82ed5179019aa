#include "builder/lint/fixes.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// In place: the file keeps its mode, owner and links.
void rewrite(const fs::path& file, const std::string& text) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw Error::from_errno("looking at", file.string());
  RealFileSystem().write(file, text, {.mode = status.st_mode & 07777U});
}

void make_executable(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw Error::from_errno("looking at", file.string());
  const mode_t readers = status.st_mode & 0444U;
  if (::chmod(file.c_str(), (status.st_mode & 07777U) | readers >> 2U) != 0) {
    throw Error::from_errno("making executable", file.string());
  }
}

std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines = split_lines(text);
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  std::sort(lines.begin(), lines.end());
  return cat(join(lines, "\n"), "\n");
}

}  // namespace

std::optional<std::string> mend(const Finding& finding) {
  if (finding.check == "executable") {
    make_executable(finding.file);
    return "is executable now (chmod +x)";
  }
  if (finding.check == "crlf") {
    rewrite(finding.file, replace_all(read_file(finding.file), "\r\n", "\n"));
    return "its lines end as Unix has them now";
  }
  if (finding.check == "newline") {
    rewrite(finding.file, cat(read_file(finding.file), "\n"));
    return "its last line has an end now";
  }
  if (finding.check == "depsort") {
    rewrite(finding.file, sorted_lines(read_file(finding.file)));
    return "its lines are sorted now";
  }
  return std::nullopt;
}

}  // namespace hearth::builder
