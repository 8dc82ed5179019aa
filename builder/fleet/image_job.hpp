// The build of one image as a process of its own: whatever happens to it happens to no other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/fd.hpp"
#include "base/sys/process_copy.hpp"
#include "builder/run/image_build.hpp"

namespace hearth::builder {

class ImageJob {
 public:
  /// What comes from the process, line by line.
  struct Listener {
    std::function<void(const std::string&)> out;     ///< of its stdout
    std::function<void(const std::string&)> err;     ///< of its stderr
    std::function<void(const std::string&)> stored;  ///< the last step of a layer that is there now
    std::function<void(const std::string&)> kept;    ///< the last step that will ever be in a layer; empty: none
    std::function<void(const std::string&)> failed;  ///< the story of the Error that ended it
  };
  /// Of `neighbours` all but `stored` and `ends`, which are the listener's.
  [[nodiscard]] static std::unique_ptr<ImageJob> start(const ImageRequest& request, const Installation& installation,
                                                       Verbosity verbosity, BuildNeighbours neighbours,
                                                       Listener listener);

  /// To be waited for: readable when there is something to take.
  [[nodiscard]] std::vector<int> descriptors() const;
  /// Hands over what is there, and tells the end, once.
  [[nodiscard]] std::optional<ExitStatus> take();
  void stop(int signal) const { process_.signal(signal); }

 private:
  struct Source {
    Fd fd;
    std::string rest;  ///< a line that has not ended yet
  };
  ImageJob(ProcessCopy process, Listener listener) : process_(std::move(process)), listener_(std::move(listener)) {}
  static void read(Source& source, const std::function<void(const std::string&)>& line);
  void read_news();
  void read_all();

  ProcessCopy process_;
  Listener listener_;
  Source out_;
  Source err_;
  Source news_;
};

}  // namespace hearth::builder
