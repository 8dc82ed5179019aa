#include "builder/spec/checked_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/pattern.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/sizes.hpp"

namespace hearth::builder {

namespace {

constexpr double k_most_bytes = 1e18;
constexpr std::size_t k_longest_container_name = 255;
constexpr std::size_t k_longest_output_name = 200;  // of a file system's 255, with room for .squashfs.sha512 and dates

[[noreturn]] void refuse_number(const GivenValue& given, std::string_view what) {
  throw Error(ErrorKind::usage, cat(given.from, ": '", given.text, "' is not ", what));
}

bool is_plain_number(const std::string& text, double& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() && std::isfinite(value) && value >= 0;
}

}  // namespace

std::uint64_t whole_number(const GivenValue& given) {
  const std::optional<std::uint64_t> value = parse_number(given.text);
  if (!value) refuse_number(given, "a whole number");
  return *value;
}

std::uint64_t whole_number_of(const GivenValue& given, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = whole_number(given);
  if (value < least || value > most) refuse_number(given, cat("a number from ", least, " to ", most));
  return value;
}

std::optional<std::uint64_t> option_size(std::string_view text) {
  text = trim(text);
  const std::size_t letter = std::string_view("KMGTkmgt").find(text.empty() ? ' ' : text.back());
  if (letter == std::string_view::npos || text.size() < 2) return parse_size(text);
  static constexpr std::string_view k_letters = "KMGTKMGT";
  return parse_size(cat(text.substr(0, text.size() - 1), k_letters.substr(letter, 1), "iB"));
}

double size_in(const GivenValue& given, std::uint64_t unit) {
  const auto bytes_each = static_cast<double>(unit);
  double value = 0;
  if (is_plain_number(given.text, value)) {
    if (value * bytes_each <= k_most_bytes) return value;
  } else if (const std::optional<std::uint64_t> bytes = option_size(given.text)) {
    return static_cast<double>(*bytes) / bytes_each;
  }
  throw Error(ErrorKind::usage, cat(given.from, ": '", given.text, "' is not a size"))
      .hint(
          cat("Give a number and a unit: 4G or 4GiB (2^30 bytes each), 4GB (10^9), and likewise K, M, T; decimals have "
              "a point. A plain number counts ",
              human_bytes(unit), " each."));
}

std::string one_of(const GivenValue& given, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given.text) != known.end()) return given.text;
  const std::optional<std::string> meant = nearest(given.text, known);
  throw Error(ErrorKind::usage,
              cat(given.from, ": '", given.text, "' is not known", meant ? cat(", did you mean ", *meant, "?") : ""))
      .hint(cat("Known: ", join(known, ", ")));
}

std::vector<HashKind> checksum_kinds(const GivenValue& given) {
  static const std::vector<std::string> names = {"md5", "sha256", "sha512"};
  static const std::vector<HashKind> kinds = {HashKind::md5, HashKind::sha256, HashKind::sha512};
  if (given.text == "0") return {};
  if (given.text == "1") return {HashKind::md5, HashKind::sha256};
  std::vector<bool> asked(names.size());
  for (const std::string& word : split(replace_all(given.text, " ", ","), ',')) {
    if (word.empty()) continue;
    const std::string name = one_of({word, given.from}, names);
    asked[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())] = true;
  }
  std::vector<HashKind> all;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (asked[i]) all.push_back(kinds[i]);
  }
  return all;
}

std::string output_name(const GivenValue& given) {
  const std::string name = given.text.substr(given.text.rfind('/') + 1);  // all, where there is no slash
  const bool plain = std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == '\x7f'; });
  if (name.size() > k_longest_output_name) {
    throw Error(ErrorKind::usage,
                cat(given.from, ": a name of ", name.size(), " bytes is too long: files beside the image are ",
                    "named after it, so ", k_longest_output_name, " are the most"));
  }
  if (plain && !name.empty() && name != "." && name != "..") return given.text;
  throw Error(ErrorKind::usage, cat(given.from, ": '", plain ? given.text : "…", "' names no image"))
      .hint("Give the path and name of its files without their extension: -o output/web");
}

std::string container_name(const GivenValue& given) {
  // Reference grammar of github.com/distribution/reference, without digests. A colon in front of a slash is a port.
  static const Pattern grammar(
      "([a-zA-Z0-9][a-zA-Z0-9.-]*(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
      "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?");
  if (given.text.size() > k_longest_container_name || !grammar.matches_all_of(given.text)) {
    throw Error(ErrorKind::usage, cat(given.from, ": '", given.text, "' is no name of a container image"))
        .hint("For example: web:1.2 or registry.example.org/team/web:1.2, the repository in lower case.");
  }
  const bool has_tag =
      given.text.rfind(':') != std::string::npos && given.text.find('/', given.text.rfind(':')) == std::string::npos;
  return has_tag ? given.text : cat(given.text, ":latest");
}

namespace {

std::vector<std::string> names_in_list(const std::string& file, const fs::path& directory) {
  const std::optional<std::string> text = RealFileSystem().read(fs::absolute(file, directory));
  if (!text) throw Error(ErrorKind::usage, cat("-p @", file, ": there is no such file of package names"));
  std::vector<std::string> names;
  for (const std::string& line : split_lines(*text)) {
    for (std::string& name : split_words(replace_all(line.substr(0, line.find('#')), ",", " ")))
      names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<std::string> package_names(const std::vector<std::string>& given, const fs::path& directory) {
  std::vector<std::string> names;
  const auto take = [&](const std::string& name) {
    if (name.starts_with('-')) throw Error(ErrorKind::usage, cat("-p: '", name, "' is no name of a package"));
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& value : given) {
    for (const std::string& item : split(value, ',')) {
      if (!item.starts_with('@'))
        take(item);
      else
        for (const std::string& name : names_in_list(item.substr(1), directory)) take(name);
    }
  }
  return names;
}

Phase phase_named(const GivenValue& given) { return *parse_phase(one_of(given, phase_names())); }

std::vector<std::string> break_points() {
  std::vector<std::string> points = {"after-error"};
  for (const std::string& phase : phase_names()) {
    points.push_back(cat("before-", phase));
    points.push_back(cat("after-", phase));
  }
  return points;
}

std::string break_point(const GivenValue& given) {
  const std::vector<std::string> points = break_points();
  if (std::find(points.begin(), points.end(), given.text) != points.end()) return given.text;
  const std::optional<std::string> meant = nearest(given.text, points);
  throw Error(ErrorKind::usage, cat(given.from, " ", given.text, ": use before-PHASE, after-PHASE or after-error",
                                    meant ? cat("; did you mean ", *meant, "?") : ""))
      .hint(cat("Phases: ", join(phase_names(), ", ")));
}

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const PhaseInfo& phase : k_phases) names.emplace_back(phase.name);
  return names;
}

}  // namespace hearth::builder
