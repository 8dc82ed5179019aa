// NAME.d/unfinished.json: there from a build's begin to its good end, so that who asks why an image is as it is hears
// that the last build made none: {"began": "2026-11-26 18:50:01 UTC", "error": what ended it, where it could say so}.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// Of the image `output` (NAME), by the process that waits for the sandbox. A full disk is in no build's way here.
class LastBuild {
 public:
  LastBuild(const fs::path& output, const Clock& clock);
  void failed(const std::string& story) const;

 private:
  void write(const Json& told) const;
  fs::path file_;
  std::string began_;
};

/// It ended well, or there was nothing to build.
void forget_unfinished_build(const fs::path& output);

/// What is kept in `directory` of a build that has not ended well; null where the last one has.
[[nodiscard]] Json unfinished_build(const fs::path& directory);
/// For people: "the last build (begun …) failed: …"; empty of null.
[[nodiscard]] std::string unfinished_text(const Json& unfinished);

}  // namespace hearth::builder
