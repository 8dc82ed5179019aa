// What earlier builds of this user got, beside the objects that they keep (known.lock): makes requests conditional, and
// tells what each object is. Only a help: one that is broken or busy is as good as none.
#pragma once

#include <functional>

#include "base/path.hpp"
#include "builder/fetch/lock_file.hpp"

namespace hearth::builder::fetch {

/// `directory` is the object store's.
[[nodiscard]] Lock known_answers(const fs::path& directory);
/// Changes them, one process at a time; nothing happens when others keep them busy for long.
void change_known_answers(const fs::path& directory, const std::function<void(Lock&)>& change);

}  // namespace hearth::builder::fetch
