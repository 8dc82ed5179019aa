#include "base/path.hpp"

#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

GuestPath::GuestPath(const std::string& text) {
  if (text.empty() || text.front() != '/') {
    throw Error(ErrorKind::input, cat("'", text, "' is not an absolute path inside the image"));
  }
  std::vector<std::string> kept;
  for (const std::string& part : split(text, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
    } else {
      kept.push_back(part);
    }
  }
  text_ = cat("/", join(kept, "/"));
}

fs::path GuestPath::in(const fs::path& root) const { return root / fs::path(text_.substr(1)); }

}  // namespace hearth
