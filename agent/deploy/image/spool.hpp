// A whole file in memory: for formats that must be read out of order, from servers that give whole files only.
#pragma once

#include "agent/deploy/image/fetcher.hpp"
#include "agent/deploy/image/source.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {

class Spool final : public ByteSource {
 public:
  /// Reads all of `window`. Throws Error(io) when it grows beyond `limit` bytes.
  Spool(Window& window, std::uint64_t limit, const std::string& name);

  [[nodiscard]] std::size_t read(std::span<char> into) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  [[nodiscard]] std::optional<std::string> piece(std::uint64_t offset, std::uint64_t length) override;

 private:
  Fd memory_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace hearth::agent::deploy
