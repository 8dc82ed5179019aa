#include "bootstrap/seed/accelerator.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/vm/kvm_probe.hpp"

namespace hearth::bootstrap {

std::string chosen_accelerator(const std::string& wanted, const Clock& clock) {
  if (wanted == "kvm" || wanted == "tcg") return wanted;
  if (!wanted.empty()) throw Error(ErrorKind::usage, cat("--accel is kvm or tcg, not '", wanted, "'"));
  const Environment env = current_environment();
  const TempDir scratch = TempDir::create(temporary_directory(env), "hearth-probe.");
  // `hearth image test` keeps its verdict there, too: one probe serves both.
  const builder::vm::KvmVerdict verdict = builder::vm::cached_kvm_verdict(
      {}, cache_directory(env) / "hearth", builder::vm::current_boot_id(), scratch.path(), clock);
  return verdict.works ? "kvm" : "tcg";
}

}  // namespace hearth::bootstrap
