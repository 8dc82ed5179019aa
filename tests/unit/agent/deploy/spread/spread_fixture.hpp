// A small image of frames, and those who give it.
#pragma once

#include <gtest/gtest.h>

#include "agent/deploy/image/gathering.hpp"
#include "base/frames/giving.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

/// Blocks of 64 KiB, stored as they are; each third block of the disk is zero, and so are those behind the last.
struct SmallImage {
  explicit SmallImage(std::size_t count = 12) {
    head.block_size = frames::k_smallest_block;
    head.frame_count = static_cast<std::uint32_t>(count);
    head.disk_size = (count * 3 / 2 + 2) * std::uint64_t{head.block_size};
    disk.assign(head.disk_size, '\0');
    for (std::size_t i = 0; i < count; ++i) {
      std::string bytes(head.block_size, static_cast<char>('a' + i % 26));
      bytes[i] = '!';
      const auto block = static_cast<std::uint32_t>(i / 2 * 3 + i % 2);
      disk.replace(std::size_t{block} * head.block_size, bytes.size(), bytes);
      map.push_back({block, head.block_size, frames::hash_of(bytes)});
      stored.push_back(std::move(bytes));
    }
    root = frames::root_of(cat(frames::encode_head(head), frames::encode_map(map)));
    file = cat(frames::encode_head(head), frames::encode_map(map), join(stored, ""));
    spans = spans_of(head, map);
  }

  [[nodiscard]] Block frame(std::size_t number) const {
    auto buffer = std::make_shared<Buffer>(stored[number].size());
    std::copy(stored[number].begin(), stored[number].end(), buffer->room().begin());
    buffer->used = stored[number].size();
    return buffer;
  }
  void fill(Shelf& shelf, std::uint64_t limit = 1U << 30U) const {
    shelf.open(root, head, map, limit);
    for (std::size_t i = 0; i < map.size(); ++i) shelf.put(i, frame(i));
  }

  frames::Head head;
  std::vector<frames::Frame> map;
  std::vector<std::string> stored;
  std::vector<Span> spans;
  std::string root, file, disk;
};

/// An agent's port with a shelf behind it. What it says may be changed on the way.
class Giver {
 public:
  using Parts = std::function<std::string_view()>;

  explicit Giver(std::function<Parts(Parts)> changed = {}, const TlsIdentity* tls = nullptr)
      : server_(
            0,
            [this, changed](const ServedRequest& request) {
              ++asked;
              RestAnswer answer = give_frames(request, token, shelf);
              if (changed && answer.parts) answer.parts = changed(answer.parts);
              return answer;
            },
            tls) {
    token = cat("of the agent at ", server_.port());
  }

  [[nodiscard]] Peer peer(const std::string& root) const {
    return {cat("http://127.0.0.1:", server_.port()), frames::giving_token(token, root), ""};
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }

  std::string token;
  Shelf shelf;
  std::atomic<int> asked{0};

 private:
  RestServer server_;
};

}  // namespace hearth::agent::deploy
