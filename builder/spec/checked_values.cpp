#include "builder/spec/checked_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/sizes.hpp"

namespace hearth::builder {

namespace {

constexpr double k_most_bytes = 1e18;

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

double size_in(const GivenValue& given, std::uint64_t unit) {
  const auto bytes_each = static_cast<double>(unit);
  double value = 0;
  if (is_plain_number(given.text, value)) {
    if (value * bytes_each <= k_most_bytes) return value;
  } else if (const std::optional<std::uint64_t> bytes = parse_size(given.text)) {
    return static_cast<double>(*bytes) / bytes_each;
  }
  throw Error(ErrorKind::usage, cat(given.from, ": '", given.text, "' is not a size"))
      .hint(cat("For example: 4GiB, 500M, or a plain number, which counts ", human_bytes(unit), " each."));
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

Phase phase_named(const GivenValue& given) { return *parse_phase(one_of(given, phase_names())); }

std::string break_point(const GivenValue& given) {
  std::vector<std::string> points = {"after-error"};
  for (const std::string& phase : phase_names()) {
    points.push_back(cat("before-", phase));
    points.push_back(cat("after-", phase));
  }
  if (std::find(points.begin(), points.end(), given.text) != points.end()) return given.text;
  const std::optional<std::string> meant = nearest(given.text, points);
  throw Error(ErrorKind::usage, cat(given.from, " ", given.text, ": use before-PHASE, after-PHASE or after-error",
                                    meant ? cat("; did you mean ", *meant, "?") : ""))
      .hint(cat("Phases: ", join(phase_names(), ", ")));
}

const std::vector<std::string>& known_architectures() {
  static const std::vector<std::string> names = {"amd64",   "arm64",    "armel",   "armhf",   "i386",
                                                 "loong64", "mips64el", "powerpc", "ppc64",   "ppc64el",
                                                 "riscv64", "s390x",    "x86_64",  "aarch64", "ppc64le"};
  return names;
}

const std::vector<std::string>& known_install_types() {
  static const std::vector<std::string> names = {"source", "package", "repo", "any"};
  return names;
}

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const PhaseInfo& phase : k_phases) names.emplace_back(phase.name);
  return names;
}

}  // namespace hearth::builder
