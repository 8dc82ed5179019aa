#include "builder/run/earlier_outputs.hpp"

#include <set>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/output/old_output.hpp"

namespace hearth::builder {

namespace {

/// Of an image that is kept under another name.
fs::path evidence_beside(const fs::path& image) { return image.parent_path() / cat(image.stem().string(), ".d"); }

}  // namespace

/// Upstream overwrites what it makes from the tree.
fs::path EarlierOutputs::keep(const Output& output) {
  // A directory changes places with the new one when that is complete.
  static const std::set<FormatKind> overwritten = {FormatKind::archive, FormatKind::squashfs, FormatKind::docker,
                                                   FormatKind::oci};
  const SystemClock clock;
  if (request_.overwrite || overwritten.contains(output.format.kind)) return output.target;
  fs::path kept;
  for (const fs::path& file : files_of(output)) {
    kept = keep_old_output(file, clock);
    kept_.emplace_back(file, kept);
  }
  return kept;
}

void EarlierOutputs::keep_evidence() {
  const fs::path records = request_.output.string() + ".d";
  if (!evidence_.empty() || !fs::exists(records / k_provenance_file)) return;
  for (const auto& [target, old] : kept_) {
    if (old.empty() || old == target) continue;
    evidence_ = evidence_beside(old);
    return evidence::keep_evidence(records, evidence_);
  }
}

void EarlierOutputs::take_back() {
  for (const auto& [target, old] : kept_) take_back_old_output(target, old);
  boost::system::error_code failed;
  if (!evidence_.empty()) fs::remove_all(evidence_, failed);
}

void EarlierOutputs::finish() {
  const bool loses_signature = evidence::is_signed(request_.output.string() + ".d") && !request_.signing_key;
  bool has_kept = false;
  for (const auto& [target, old] : kept_) {
    if (old.empty() || old == target) continue;
    if (!loses_signature && has_same_bytes(target, old)) {
      drop_old_output(old);
      if (note_) note_(cat(target.filename().string(), " is the earlier one, byte by byte"));
      continue;
    }
    const fs::path evidence = evidence_.empty() ? fs::path() : evidence_beside(old);
    if (!has_kept && !evidence.empty() && evidence != evidence_) fs::rename(evidence_, evidence);
    if (note_)
      note_(cat("the earlier ", target.filename().string(), " is ", old.filename().string(),
                " now (OVERWRITE_OLD_IMAGE=1 keeps none)",
                has_kept || evidence.empty() ? "" : cat(", its evidence ", evidence.filename().string(), "/")));
    has_kept = true;
  }
  if (!has_kept && !evidence_.empty()) fs::remove_all(evidence_);
}

}  // namespace hearth::builder
