#include "bootstrap/seed/accelerator.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "builder/vm/kvm_probe.hpp"

namespace hearth::bootstrap {

namespace {

/// As `hearth image test` keeps its verdict, so that one probe serves both.
fs::path cache_directory(const Environment& env) {
  const auto cache = env.find("XDG_CACHE_HOME");
  if (cache != env.end() && !cache->second.empty()) return fs::path(cache->second) / "hearth";
  const auto home = env.find("HOME");
  return fs::path(home == env.end() ? "/root" : home->second) / ".cache/hearth";
}

}  // namespace

std::string chosen_accelerator(const std::string& wanted, const Clock& clock) {
  if (wanted == "kvm" || wanted == "tcg") return wanted;
  if (!wanted.empty()) throw Error(ErrorKind::usage, cat("--accel is kvm or tcg, not '", wanted, "'"));
  const TempDir scratch = TempDir::create(fs::temp_directory_path(), "hearth-probe.");
  const vm::KvmVerdict verdict =
      vm::cached_kvm_verdict({}, cache_directory(current_environment()), vm::current_boot_id(), scratch.path(), clock);
  return verdict.works ? "kvm" : "tcg";
}

}  // namespace hearth::bootstrap
