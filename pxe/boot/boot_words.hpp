// What people and machines may say in a boot loader's script: checked once, where it comes in, so that whoever writes
// scripts can put it down as it is. A KernelArguments or BootSource is one value in and one word, or one list of words,
// out: never another line, command, variable or comment of an iPXE script or of a PXELINUX or GRUB configuration.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hearth::pxe {

/// Words of a kernel's command line: letters, digits and . _ = , : / @ % + ~ ^ - [ ], apart by blanks; a word may stand
/// in double quotes, in part or whole, and hold blanks there.
class KernelArguments {
 public:
  KernelArguments() = default;
  // Values of a program, which are good: throws Error(input) where they are not.
  KernelArguments(const std::string& text);                                  // NOLINT(google-explicit-constructor)
  KernelArguments(const char* text) : KernelArguments(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  /// The error says which character is refused, and where.
  [[nodiscard]] static Result<KernelArguments, std::string> parse(std::string_view given);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  /// These, and then those.
  [[nodiscard]] KernelArguments with(const KernelArguments& more) const;
  bool operator==(const KernelArguments&) const = default;

 private:
  std::string text_;
};

/// A kernel or a ramdisk: a file of this machine, or a URL that the boot loader gets as it is.
class BootSource {
 public:
  BootSource() = default;
  // As with KernelArguments.
  BootSource(const std::string& text);                             // NOLINT(google-explicit-constructor)
  BootSource(const char* text) : BootSource(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static Result<BootSource, std::string> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] bool is_url() const { return text_.find("://") != std::string::npos; }
  bool operator==(const BootSource&) const = default;

 private:
  std::string text_;
};

/// Whether a machine's name may stand in scripts and in DHCP's option 12: letters, digits and . _ ~ -.
[[nodiscard]] bool is_boot_name(std::string_view name);

}  // namespace hearth::pxe
