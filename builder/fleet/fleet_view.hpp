// What is seen of many builds while they run.
//
//   terminal   a live line for each that runs, and one that counts and says who is waited for; above them what ended,
//              notes and errors
//   else       a line for each step that ran, the image's name in front
//   --json     the events of all (builder/report/json_progress.hpp) with "image", the stem, in each of them
//   logs       what each prints on stdout, with the image's name in front where several run at once
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/json.hpp"
#include "builder/fleet/fleet_report.hpp"
#include "builder/run/image_build.hpp"

namespace hearth::builder {

class FleetView {
 public:
  virtual ~FleetView() = default;
  virtual void begins(const ImageResult& /*image*/, const std::string& /*command_line*/) {}
  /// A line of its stdout: an event where the view wants events.
  virtual void out(const ImageResult& image, const std::string& line) = 0;
  virtual void said(const ImageResult& image, const std::string& line) = 0;  ///< on its stderr
  virtual void ends(const ImageResult& image) = 0;
  /// `waits`: how many of those to come wait for which images.
  virtual void tick(std::size_t /*waiting*/, const std::string& /*waits*/) {}
  virtual void finish(const std::vector<ImageResult>& results, double seconds) = 0;
};

/// `verbosity` as that of a single build; `jobs`: how many run at once at most.
[[nodiscard]] std::unique_ptr<FleetView> make_fleet_view(Verbosity verbosity, std::size_t jobs, const Clock& clock,
                                                         const Environment& environment);

}  // namespace hearth::builder
