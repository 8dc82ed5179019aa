// Keeps what steps did as layers, and finds at the next build how far those still hold. It watches each step, notes
// what its result depends on, and when enough time was spent freezes the state and packs it while the build goes on.
//
// The state is an overlay (WorkArea): layers that were taken lie below, what steps write now is the upper layer. keep()
// freezes that one, puts an empty one on top, and a thread packs the frozen one into the store.
//
// What must hold: a layer is of whole steps, and its record says all that they depend on. After a step that can't be
// kept (something was fetched that nobody can ask for again, or was written where no layer looks) nothing later is kept
// either: it would lie on a state that no record tells. A layer that is damaged is removed, and the chain is looked for
// again. What fails while packing ends the keeping, never the build.
//
// Why not a layer behind each step: an overlay takes some dozens (the options of a mount are one page), and most steps
// are quicker than unpacking what they did. So one is made when the time spent since the last is worth it
// (LayerPolicy).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/progress.hpp"
#include "builder/cache/apt_lists.hpp"
#include "builder/hooks/outside_writes.hpp"
#include "builder/hooks/step_observer.hpp"
#include "builder/layers/archive.hpp"
#include "builder/layers/chain.hpp"
#include "builder/layers/fact_source.hpp"
#include "builder/layers/scratch.hpp"
#include "builder/layers/work_area.hpp"
#include "builder/report/build_log.hpp"
#include "builder/sandbox/step_watch.hpp"
#include "builder/store/layer_store.hpp"
#include "builder/store/remote_cache.hpp"

namespace hearth::builder::fetch {
class FetchSession;
}

namespace hearth::builder {

/// Where hooks and recorders note further inputs of the running step, a fact a line: "repository URL SHA256";
/// "copy PATH -" where what lies there is a copy of what those tell.
inline constexpr const char* k_inputs_file = "/hearth/inputs";

/// How a build uses kept layers.
struct LayerPolicy {
  bool enabled = false;
  std::optional<Phase> fresh_from;         ///< nothing from this phase on is taken from layers
  std::uint64_t limit = 0;                 ///< bytes of the store
  Duration worth{};                        ///< steps that took this long together make a layer
  std::optional<Duration> repository_age;  ///< for how long a repository counts as unchanged; none = ask nobody
  std::set<std::string> branches = {};     ///< steps behind which a layer is made, however quick they were
  std::string until = {};                  ///< the last step that is run, behind which a layer is made; empty = all
  /// Told the last step of each layer that others can have now: taken, or made. Called from any thread.
  std::function<void(const std::string& last_step)> stored = {};
  /// Told the last step that will be in a layer, empty for none, once no later one will be. Called from any thread.
  std::function<void(const std::string& last_step)> ends = {};
};

/// Whether a layer may hold steps of the phase.
[[nodiscard]] bool may_be_kept(Phase phase);
/// Of "install.d/10-foo"; nothing where it is no step's label.
[[nodiscard]] std::optional<Phase> phase_of_label(const std::string& label);

/// Labels of the plan's steps that layers may cover.
[[nodiscard]] std::vector<std::string> steps_of_layers(const BuildPlan& plan, const LayerPolicy& policy);

struct LayerKeeperSetup {
  const BuildPlan& plan;
  LayerPolicy policy;
  LayerStore store;
  fs::path cache;                     ///< the store's directory as the user knows it
  std::string base_key;               ///< what every step depends on: Hearth's own programs for hooks, the architecture
  fs::path image;                     ///< output stem: what a step writes there no layer holds
  fs::path downloads;                 ///< the image cache as hooks see it
  fs::path written;                   ///< where what steps write beside the image really lies
  std::vector<ScratchPlace> scratch;  ///< directories besides the state that hooks may leave files in
  fs::path times;                     ///< a directory beside the work area, whose file system gives files their times
  std::int64_t began = 0;             ///< new_write_time() of before the first step
  std::optional<std::int64_t> epoch;  ///< SOURCE_DATE_EPOCH
  const FactSource& facts;
  RemoteFacts remote_facts;
  std::function<void(const std::string& url, const std::string& digest)> repository_seen;
  fetch::FetchSession* network = nullptr;  ///< of a build that records or replays; not owned
  StepWatch* watch = nullptr;              ///< not owned
  std::shared_ptr<RemoteCache> remote;     ///< shared with others; may be none
  const Clock& clock;
  Progress& progress;
  BuildLog& log;
};

class LayerKeeper final : public StepObserver {
 public:
  LayerKeeper(LayerKeeperSetup setup, WorkArea area);
  ~LayerKeeper() override;

  /// Finds the longest valid chain, restores it, and shows the state at its place.
  ResumePoint resume();
  void phase_begins(Phase phase) override;
  void step_begins(const Step& step) override;
  /// Whether nothing is mounted that a layer can't tell of. Directories of the image cache that hooks have bound
  /// (cache_binds.hpp) it can. `renewed`: below these the build takes mounts away itself, and puts them back.
  [[nodiscard]] bool mounts_allow_keeping(const std::vector<fs::path>& renewed);
  [[nodiscard]] bool step_ended(const Step& step, Duration took, const std::vector<Step>& rest) override;
  /// After mounts_allow_keeping(); takes the hooks' binds away.
  void keep(const std::vector<Step>& rest) override;
  /// Puts the hooks' binds back: after keep(), and after resume() where layers were taken.
  void bind_again() const;
  /// Before the tree is packed: WorkArea's.
  void show_anew();
  /// Waits until everything is in the store; logs what that took, and says what could not be kept.
  void finish();

  /// Every step of this build so far, taken or run.
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return steps_; }
  /// How many of them were taken from layers.
  [[nodiscard]] std::size_t taken() const { return taken_; }
  /// Why nothing was kept from some step on; empty when all was.
  [[nodiscard]] const std::string& ended() const { return ended_; }
  /// In what layers that were there, of this build's next steps, differ from what it needs: "STEP: what".
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
  /// Of the remote cache, for the build's last words.
  [[nodiscard]] std::string summary() const { return setup_.remote ? setup_.remote->summary() : ""; }
  /// That hold what this build did, taken and made; after finish().
  [[nodiscard]] const std::vector<HeldLayer>& layers() const { return layers_; }
  /// Whether the layer of this digest is there now.
  [[nodiscard]] bool has(const std::string& digest) const { return setup_.store.blobs().has(digest); }
  [[nodiscard]] const std::string& base_key() const { return setup_.base_key; }

 private:
  [[nodiscard]] std::vector<std::string> cacheable() const;
  void note_inputs(StepRecord& record, Reads& reads) const;
  void note_fetches(StepRecord& record);
  void note_unseen(const Step& step, StepRecord& record);
  [[nodiscard]] bool restore(const Chain& chain);
  [[nodiscard]] std::optional<Blob> open_layer(const LayerRecord& layer);
  void take_over(const Chain& chain);
  [[nodiscard]] std::string key_of_next() const;
  [[nodiscard]] LayerRecord record_now(const std::vector<Step>& rest) const;
  struct Packing;
  void pack(const fs::path& frozen, const std::string& key, LayerRecord record, Packing& packing);
  void note(const std::string& text);
  [[nodiscard]] std::string own_words(const std::string& failure) const;
  void stop_keeping(const std::string& why);
  void end_keeping();
  [[nodiscard]] std::vector<std::string> mounts_beside_area() const;
  void leave_out_bound(Reads& reads) const;
  [[nodiscard]] std::vector<std::string> without_cache_binds(const std::vector<std::string>& points);
  void save_scratch();
  void bring_back_scratch();

  LayerKeeperSetup setup_;
  WorkArea area_;
  std::vector<std::string> mounts_;  ///< when the first step begins
  std::vector<CacheBind> binds_;     ///< that hooks have left, as far as the last layer or question tells
  RealFileSystem files_;
  std::unique_ptr<ReadWatch> watch_;
  OutsideWrites outside_;
  std::optional<AptLists> apt_lists_;  ///< from the first step that runs on
  std::string parent_;
  std::string last_kept_;      ///< the last step below the present upper layer
  std::size_t covered_ = 0;    ///< planned steps below the present upper layer
  std::size_t first_new_ = 0;  ///< index in steps_ of the first step of the present upper layer
  std::size_t taken_ = 0;
  Duration spent_{};  ///< since the last layer
  bool keeping_ = true;
  std::string ended_;
  std::vector<StepRecord> steps_;
  std::vector<std::string> reasons_;
  std::vector<HeldLayer> layers_;
  std::vector<Blob> pinned_;
  struct Packing {
    std::thread thread;
    std::string last_step;    ///< of the plan
    std::string last_of_all;  ///< a hook may have put more there
    std::string blob;
    PackReport report;
    std::string failure;
    bool is_disk_full = false;
  };
  std::vector<std::unique_ptr<Packing>> packings_;
};

}  // namespace hearth::builder
