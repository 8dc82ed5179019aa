// Values of options and variables. What is wrong is refused with the name of the option or variable that it came by,
// what is known, and the nearest of that. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "builder/elements/phase.hpp"

namespace hearth::builder {

/// A value, and the option or variable that gave it.
struct GivenValue {
  std::string text;
  std::string from;  ///< "--image-size", "DIB_IMAGE_SIZE"
};

/// All of these throw Error(usage).
[[nodiscard]] std::uint64_t whole_number(const GivenValue& given);
/// The same, within limits.
[[nodiscard]] std::uint64_t whole_number_of(const GivenValue& given, std::uint64_t least, std::uint64_t most);
/// Bytes of a size as options have it: "3GiB" and "3G" are 3 times 2^30, as with qemu-img and truncate, "3GB" 3 times
/// 10^9.
[[nodiscard]] std::optional<std::uint64_t> option_size(std::string_view text);
/// How many `unit`s of bytes: a plain number, which may have decimals, says it; else a size as option_size() has it.
[[nodiscard]] double size_in(const GivenValue& given, std::uint64_t unit);
[[nodiscard]] std::string one_of(const GivenValue& given, const std::vector<std::string>& known);
/// "md5,sha256"; "1" is these two, "0" and nothing none.
[[nodiscard]] std::vector<HashKind> checksum_kinds(const GivenValue& given);
/// The stem of an image's files: a path that ends in a name.
[[nodiscard]] std::string output_name(const GivenValue& given);
/// "REPOSITORY:TAG" as docker load takes it; without a tag it is latest, as for docker import.
[[nodiscard]] std::string container_name(const GivenValue& given);
/// "a,b", and of "@FILE" the names in that file, with blanks, commas or lines between, and comments behind '#'; each
/// name once, none of which looks like an option. Relative files are of `directory`.
[[nodiscard]] std::vector<std::string> package_names(const std::vector<std::string>& given, const fs::path& directory);
[[nodiscard]] Phase phase_named(const GivenValue& given);
/// "before-PHASE", "after-PHASE" or "after-error".
[[nodiscard]] std::vector<std::string> break_points();
[[nodiscard]] std::string break_point(const GivenValue& given);

[[nodiscard]] std::vector<std::string> phase_names();

}  // namespace hearth::builder
