#include "builder/boot/loader_kind.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

template <typename Value, std::size_t count>
Value named(const std::array<std::pair<std::string_view, Value>, count>& table, std::string_view name,
            std::string_view variable) {
  std::vector<std::string> names;
  for (const auto& [each, value] : table) {
    if (each == name) return value;
    names.emplace_back(each);
  }
  const auto meant = nearest(name, names);
  throw Error(ErrorKind::usage,
              cat(variable, ": unknown value ", name, meant ? cat(", did you mean ", *meant, "?") : ""))
      .hint(cat("Known: ", join(names, ", ")));
}

}  // namespace

LoaderKind parse_loader(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, LoaderKind>, 4> k_loaders = {{
      {"grub", LoaderKind::grub},
      {"grub-signed", LoaderKind::signed_grub},
      {"systemd-boot", LoaderKind::systemd_boot},
      {"uki", LoaderKind::unified},
  }};
  return named(k_loaders, name, "DIB_BOOTLOADER");
}

RootName parse_root_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, RootName>, 3> k_names = {
      {{"uuid", RootName::uuid}, {"partuuid", RootName::partuuid}, {"label", RootName::label}}};
  return named(k_names, name, "DIB_BOOTLOADER_ROOT");
}

}  // namespace hearth::builder
