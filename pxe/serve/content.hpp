// What the boot servers hand out: a file of a directory tree that can't be left, or bytes computed for this client.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/sys/fd.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

/// An open file or computed bytes. A file's size is the one it had when it was opened.
class Content {
 public:
  [[nodiscard]] static Content of_bytes(std::string bytes);
  [[nodiscard]] static Content of_file(Fd file, std::uint64_t size, std::int64_t modified_s);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Seconds since 1970; 0 for computed bytes, which are new each time.
  [[nodiscard]] std::int64_t modified_s() const { return modified_s_; }
  /// The descriptor of a file, for sendfile; -1 for bytes.
  [[nodiscard]] int fd() const { return file_.get(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Fills `out` from `offset`; less than asked at the end, or when a file has become shorter.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> out) const;

 private:
  Content() = default;
  Fd file_;
  std::string bytes_;
  std::uint64_t size_ = 0;
  std::int64_t modified_s_ = 0;
};

struct Refusal {
  enum class Kind { not_found, denied };
  Kind kind = Kind::not_found;
  std::string text;  ///< for the client; names no path of this machine
};

enum class Protocol { tftp, http };

struct ContentRequest {
  std::string name;  ///< as normalise_name() gives it
  Ipv4 client;
  Ipv4 server;  ///< our address on the client's link
  Protocol protocol = Protocol::tftp;
};

/// The seam between the servers and what they serve.
class ContentSource {
 public:
  virtual ~ContentSource() = default;
  [[nodiscard]] virtual std::variant<Content, Refusal> open(const ContentRequest& request) = 0;
};

/// The name in its plain form: slashes only, single, none in front, no "." parts. Nothing when it has a ".." part, a
/// control character, or nothing left: such a request is refused, not repaired.
[[nodiscard]] std::optional<std::string> normalise_name(std::string_view asked);

/// A directory whose files are served. No name and no link in it leads out: the kernel resolves each name beneath it
/// (openat2(2), RESOLVE_BENEATH); where that call is forbidden (systemd's DynamicUser does) or unknown, where the name
/// leads is looked at first.
class FileRoot {
 public:
  enum class LookUp : std::uint8_t { by_kernel_if_possible, by_hand };

  /// Throws Error when the directory can't be opened.
  explicit FileRoot(const std::string& directory, LookUp look_up = LookUp::by_kernel_if_possible);
  [[nodiscard]] std::variant<Content, Refusal> open(const std::string& name) const;

 private:
  Fd directory_;
  bool by_kernel_;
};

/// Opens a regular file that this program chose itself. Throws Error.
[[nodiscard]] Content open_content(const std::string& path);

}  // namespace hearth::pxe
