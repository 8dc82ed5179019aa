#include "builder/evidence/tree_record.hpp"

#include <boost/filesystem/directory.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/evidence/image_facts.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr std::int64_t k_second_ns = 1000000000;
constexpr std::size_t k_columns = 6;
constexpr std::size_t k_mode_length = 5;  // "-0644"

char kind_of(mode_t mode) {
  if (S_ISREG(mode)) return '-';
  if (S_ISDIR(mode)) return 'd';
  if (S_ISLNK(mode)) return 'l';
  if (S_ISCHR(mode)) return 'c';
  return S_ISBLK(mode) ? 'b' : S_ISFIFO(mode) ? 'p' : 's';
}

std::string octal(mode_t mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3)
    digits += static_cast<char>('0' + ((mode >> static_cast<unsigned>(shift)) & 7U));
  return digits;
}

/// Names may hold tabs and newlines: those are written as \t and \n, a backslash as \\.
std::string plain(std::string text) {
  return replace_all(replace_all(replace_all(std::move(text), "\\", "\\\\"), "\t", "\\t"), "\n", "\\n");
}

/// plain() taken back.
std::string raw(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size();
    if (is_escape) ++i;
    out += is_escape && text[i] == 't' ? '\t' : is_escape && text[i] == 'n' ? '\n' : text[i];
  }
  return out;
}

std::string line_of(const fs::path& root, const fs::path& entry, const std::vector<StepSpan>& steps) {
  struct stat status {};
  if (::lstat(entry.c_str(), &status) != 0) throw Error::from_errno("reading", entry.string());
  std::string content = "-";
  std::uint64_t size = 0;
  if (S_ISREG(status.st_mode)) {
    const OutputFile file = describe_output(entry);
    content = file.sha256;
    size = file.size;
  } else if (S_ISLNK(status.st_mode)) {
    content = plain(fs::read_symlink(entry).string());
  }
  const std::int64_t changed = status.st_ctim.tv_sec * k_second_ns + status.st_ctim.tv_nsec;
  return cat(plain(cat("/", entry.lexically_relative(root).string())), "\t", kind_of(status.st_mode),
             octal(status.st_mode), "\t", status.st_uid, ":", status.st_gid, "\t", size, "\t", content, "\t",
             step_at(steps, changed), "\n");
}

std::map<std::string, std::vector<std::string>> by_path(std::string_view record) {
  std::map<std::string, std::vector<std::string>> entries;
  for (const std::string& line : split_lines(record)) {
    std::vector<std::string> columns = split(line, '\t');
    if (columns.size() == k_columns) entries[columns[0]] = std::move(columns);
  }
  return entries;
}

/// What differs between two entries of one path; empty when nothing does.
std::string difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a[1].front() != b[1].front()) return cat("kind (", a[1].front(), " and ", b[1].front(), ")");
  if (a[3] != b[3] || a[4] != b[4]) return a[1].front() == 'l' ? "link target" : "contents";
  if (a[1] != b[1]) return cat("mode (", a[1].substr(1), " and ", b[1].substr(1), ")");
  return a[2] != b[2] ? cat("owner (", a[2], " and ", b[2], ")") : "";
}

}  // namespace

std::string step_at(const std::vector<StepSpan>& steps, std::int64_t changed_ns) {
  const StepSpan* found = nullptr;
  for (const StepSpan& step : steps) {
    if (step.began_ns <= changed_ns) found = &step;
  }
  return found == nullptr ? "before the first step" : found->name;
}

std::string record_tree(const fs::path& root, const std::vector<StepSpan>& steps) {
  std::vector<std::string> lines;
  fs::recursive_directory_iterator at(root);
  for (const fs::recursive_directory_iterator end; at != end; ++at) lines.push_back(line_of(root, at->path(), steps));
  std::sort(lines.begin(), lines.end());
  return join(lines, "");
}

void require_tree_record(std::string_view record, const std::string& source) {
  const auto broken = [&source](std::size_t line, const std::string& what) {
    return Error(ErrorKind::input, cat(source, ":", line, ": ", what, "; it is not as the build wrote it"));
  };
  std::size_t at = 0;
  for (const std::string& line : split_lines(record)) {
    ++at;
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() != k_columns) throw broken(at, cat(columns.size(), " columns in place of ", k_columns));
    if (!columns[0].starts_with('/')) throw broken(at, "no path");
    if (columns[1].size() != k_mode_length) throw broken(at, cat("'", columns[1], "' is no kind and mode"));
    if (!parse_number(columns[3])) throw broken(at, cat("'", columns[3], "' is no size"));
  }
  if (at == 0) throw broken(1, "it is empty");
  if (!record.ends_with('\n')) throw broken(at, "the line has no end");
}

std::map<std::string, WrittenFile> written_files(std::string_view record) {
  std::map<std::string, WrittenFile> files;
  for (const auto& [path, columns] : by_path(record)) {
    const std::optional<std::uint64_t> size = parse_number(columns[3]);
    if (path.starts_with('/') && columns[1].starts_with('-') && size)
      files[raw(std::string_view(path).substr(1))] = {columns[5], *size};
  }
  return files;
}

std::optional<TreeDifference> first_difference(std::string_view first, std::string_view second) {
  const auto one = by_path(first);
  const auto two = by_path(second);
  auto a = one.begin();
  auto b = two.begin();
  while (a != one.end() || b != two.end()) {
    if (b == two.end() || (a != one.end() && a->first < b->first)) {
      return TreeDifference{a->first, "it is only in the first", a->second[5]};
    }
    if (a == one.end() || b->first < a->first)
      return TreeDifference{b->first, "it is only in the second", b->second[5]};
    if (const std::string what = difference(a->second, b->second); !what.empty()) {
      return TreeDifference{a->first, what, b->second[5]};
    }
    ++a;
    ++b;
  }
  return std::nullopt;
}

}  // namespace hearth::builder::evidence
