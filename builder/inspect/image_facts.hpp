// What can be said of the system in an image by its files. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/inspect/file_tree.hpp"
#include "builder/inspect/partition_reader.hpp"

namespace hearth::builder {

struct ImageFacts {
  std::string os;  ///< PRETTY_NAME of os-release
  std::string host_name;
  std::vector<std::string> kernels;       ///< versions, by /boot/vmlinuz-* and the like
  std::size_t packages = 0;               ///< installed, by dpkg's database
  std::vector<std::string> boot_loaders;  ///< "GRUB (BIOS)", "GRUB (UEFI)", "systemd-boot (UEFI)", "shim (Secure Boot)"
  std::vector<std::string> elements;      ///< by /etc/dib-manifests
  std::size_t files = 0;
  std::uint64_t bytes = 0;  ///< of all files
};

[[nodiscard]] ImageFacts image_facts(const FileTree& system, const FoundTable& table);
/// Lines of at most `room` columns (0: any number).
[[nodiscard]] std::string facts_text(const ImageFacts& facts, std::size_t room = 0);
[[nodiscard]] Json facts_json(const ImageFacts& facts);

}  // namespace hearth::builder
