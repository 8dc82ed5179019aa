// The bytes of a connection, plain or inside TLS. Nothing here waits: a step says what to wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/sys/fd.hpp"
#include "pxe/serve/content.hpp"

struct ssl_ctx_st;

namespace hearth::pxe::http {

class Wire {
 public:
  struct Step {
    enum class Kind { done, want_read, want_write, gone };
    Kind kind = Kind::done;
    std::size_t size = 0;  ///< bytes, when done; a read of 0 is the end
  };
  virtual ~Wire() = default;
  [[nodiscard]] virtual Step read(std::span<char> buffer) = 0;
  /// `more`: further bytes follow at once.
  [[nodiscard]] virtual Step write(std::string_view bytes, bool more) = 0;
  /// From a file of `content`; done with size 0: it has become shorter. After "want", the next call goes on where this
  /// one stopped.
  [[nodiscard]] virtual Step send_file(const Content& content, std::uint64_t offset, std::size_t size) = 0;
  /// Whether bytes have come that read() gives without a word from the socket.
  [[nodiscard]] virtual bool has_more() const { return false; }
};

[[nodiscard]] std::unique_ptr<Wire> plain_wire(int socket);

/// A certificate and its key, TLS 1.2 and newer.
class TlsKeys {
 public:
  /// PEM files; the certificate's may have its chain behind it. Throws Error naming the file.
  TlsKeys(const std::string& certificate, const std::string& key);
  [[nodiscard]] std::unique_ptr<Wire> wire(int socket) const;

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace hearth::pxe::http
