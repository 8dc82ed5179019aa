// A body that goes on for as long as both sides like, such as server-sent events: what is put in is sent as it comes. A
// reader who does not keep up is cut off; he can come again and ask for what he missed. One thread, the server's.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace hearth {

class ServedStream {
 public:
  using Part = std::shared_ptr<const std::string>;

  /// `limit`: of bytes that may wait for the reader.
  explicit ServedStream(std::size_t limit = std::size_t{4} << 20U) : limit_(limit) {}

  /// False when nobody reads any more, or so slowly that the limit would be passed: then the stream is closed.
  bool put(Part part);
  /// What is in it is still sent.
  void close();
  [[nodiscard]] bool is_open() const { return open_; }

  // The server's side.

  /// `first` is sent before everything else; `wake` is called when there is something to take, or no more will come.
  void attach(Part first, std::function<void()> wake);
  /// The reader is gone.
  void detach();
  /// The next part; null when there is none now.
  [[nodiscard]] Part take();

 private:
  std::size_t limit_;
  std::size_t waiting_ = 0;
  bool open_ = true;
  std::deque<Part> parts_;
  std::function<void()> wake_;
};

}  // namespace hearth
