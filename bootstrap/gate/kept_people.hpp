// Who may come in at a conductor: the administrator by its own token, and those of the file `people` in its state, as
// they come and go while it serves.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "bootstrap/gate/gate.hpp"

namespace hearth::bootstrap {

/// Of the conductor with its state in `directory`; its own token is made where there is none.
[[nodiscard]] std::vector<Credential> kept_people(const fs::path& directory);

/// Who is put into the file people, or taken out, counts at the next look. A file with faults changes nothing, and is
/// told once.
class KeptPeople {
 public:
  KeptPeople(fs::path directory, Gate& gate, Logger& log);
  void look();

 private:
  fs::path directory_;
  Gate& gate_;
  Logger& log_;
  std::string known_;  ///< what stood in the file when it was read last
  std::string fault_;  ///< what is wrong with it since
};

}  // namespace hearth::bootstrap
