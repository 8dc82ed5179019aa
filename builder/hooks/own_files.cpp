#include "builder/hooks/own_files.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder {

bool is_own(std::string_view name) {
  return std::any_of(k_own_names.begin(), k_own_names.end(), [&](const char* own) { return name == own; });
}

void take_back_own_files(const fs::path& directory) {
  if (fs::is_symlink(fs::symlink_status(directory))) {
    throw Error(ErrorKind::input, cat(directory.string(), " is a link to ", fs::read_symlink(directory).string(),
                                      ", where a build would write and let its hooks write"))
        .hint("Remove the link: a hook may have left it. Or give another name by -o.");
  }
  for (const char* name : k_own_names) {
    const fs::path path = directory / name;
    boost::system::error_code failed;
    const fs::file_status status = fs::symlink_status(path, failed);
    if (status.type() == fs::status_error) {
      throw Error::from_errno("looking at", path.string(), failed.value())
          .hint("Another user's build may have made the directory. Remove it, or give another name by -o.");
    }
    if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) continue;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw Error::from_errno("removing", path.string());
  }
}

}  // namespace hearth::builder
