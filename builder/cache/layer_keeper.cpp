#include "builder/cache/layer_keeper.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/redaction.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/fetch/recording.hpp"
#include "builder/layers/archive.hpp"
#include "builder/layers/renewed_times.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr Phase k_last_kept = Phase::post_root;  // what comes later are last touches, and cheap
constexpr const char* k_scratch = ".hearth-scratch";
constexpr std::string_view k_repository_fact = "repository ";
constexpr std::string_view k_copy = "copy ";  ///< "copy PATH -": of what the other lines tell
constexpr std::size_t k_most_layers = 40;     // the options of a mount take a page

fs::path hooks_directory(const fs::path& state) { return state / "hooks"; }

/// "METHOD URL" of everything that the steps fetched.
std::vector<std::string> fetches_of(const std::vector<StepRecord>& steps) {
  static constexpr std::string_view fetched = "fetch ";
  std::vector<std::string> fetches;
  for (const StepRecord& step : steps) {
    for (const auto& [fact, digest] : step.facts) {
      if (fact.compare(0, fetched.size(), fetched) == 0) fetches.push_back(fact.substr(fetched.size()));
    }
  }
  return fetches;
}

std::vector<std::string> digests_of_layers(const std::vector<HeldLayer>& layers) {
  std::vector<std::string> digests;
  for (const HeldLayer& layer : layers) digests.push_back(layer.digest);
  return digests;
}

/// "1.25 s"
std::string seconds_text(Duration time) { return cat(fixed(std::chrono::duration<double>(time).count(), 2), " s"); }

/// When the builds wrote whose files a layer may hold, as far as the image's time is later: a step may have changed the
/// mode of a file of a layer below, which is in its own, then, with its time.
std::vector<WriteTimes> written_before(const Chain& chain, std::size_t layer, std::int64_t epoch) {
  std::vector<WriteTimes> written;
  for (std::size_t i = 0; i <= layer; ++i) {
    if (epoch > chain.layers[i].written.began / std::int64_t{1'000'000'000}) written.push_back(chain.layers[i].written);
  }
  return written;
}

}  // namespace

bool may_be_kept(Phase phase) { return phase <= k_last_kept; }

std::optional<Phase> phase_of_label(const std::string& label) {
  const std::size_t dot = label.find(".d/");
  return dot == std::string::npos ? std::nullopt : parse_phase(label.substr(0, dot));
}

std::vector<std::string> steps_of_layers(const BuildPlan& plan, const LayerPolicy& policy) {
  std::vector<std::string> labels;
  for (const Step& step : plan.steps) {
    if (!may_be_kept(step.phase) || (policy.fresh_from && step.phase >= *policy.fresh_from)) break;
    labels.push_back(step.label());
  }
  return labels;
}

LayerKeeper::LayerKeeper(LayerKeeperSetup setup, WorkArea area)
    : setup_(std::move(setup)),
      area_(std::move(area)),
      outside_(setup_.written, setup_.image.filename().string()),
      parent_(setup_.base_key) {
  if (!area_.is_overlay()) note(cat(area_.why_not(), ": layers are copies of the whole tree"));
}

LayerKeeper::~LayerKeeper() {
  for (const auto& packing : packings_) {
    if (packing->thread.joinable()) packing->thread.join();
  }
}

void LayerKeeper::note(const std::string& text) {
  setup_.log.line(cat("hearth: ", text));
  setup_.progress.note(text);
}

/// The sandbox reaches the cache by a descriptor, which tells a user nothing.
std::string LayerKeeper::own_words(const std::string& failure) const {
  return replace_all(failure, setup_.store.directory().string(), setup_.cache.string());
}

std::vector<std::string> LayerKeeper::cacheable() const { return steps_of_layers(setup_.plan, setup_.policy); }

ResumePoint LayerKeeper::resume() {
  ChainQuery query{.base = setup_.base_key,
                   .planned = cacheable(),
                   .is_copy = !area_.is_overlay(),
                   .find = [this](const std::string& key) { return setup_.store.find(key); },
                   .find_elsewhere = {},
                   .faults = [this](const StepRecord& step) -> std::vector<std::string> {
                     if (!phase_of_label(step.label)) return {"not a step"};
                     std::vector<std::string> faults = setup_.facts.local_faults(step.label, step.facts);
                     if (!faults.empty()) return faults;  // servers are asked for what might hold
                     if (auto fault = remote_fault(step.facts, setup_.remote_facts)) faults.push_back(*fault);
                     return faults;
                   }};
  if (setup_.remote) query.find_elsewhere = [this](const std::string& key) { return setup_.remote->find(key); };
  Chain chain = find_chain(query);
  while (!restore(chain)) chain = find_chain(query);  // what is damaged is gone now
  area_.mount();
  mounts_ = mounts_beside_area();
  take_over(chain);
  watch_ = std::make_unique<ReadWatch>(hooks_directory(area_.place()));
  return resume_point(chain, setup_.plan.steps);
}

/// From the store, and into it where only the remote cache has it.
std::optional<Blob> LayerKeeper::open_layer(const LayerRecord& layer) {
  std::optional<Blob> blob = setup_.store.blobs().open(layer.blob);
  if (blob || !setup_.remote || !setup_.remote->fetch(layer, setup_.store.blobs())) return blob;
  setup_.store.put(lookup_key(layer.parent, layer.planned.front(), layer.is_copy), layer);
  note(cat("the layer up to ", layer.planned.back(), " came from the remote cache (", human_bytes(layer.bytes), ")"));
  return setup_.store.blobs().open(layer.blob);
}

/// Unpacks the chain's layers; false when one was damaged, which is removed from the store then.
bool LayerKeeper::restore(const Chain& chain) {
  std::string at;
  try {
    const std::size_t first = area_.is_overlay() || chain.layers.empty() ? 0 : chain.layers.size() - 1;
    for (std::size_t i = first; i < chain.layers.size(); ++i) {
      at = chain.layers[i].blob;
      std::optional<Blob> blob = open_layer(chain.layers[i]);
      if (!blob) throw Error(ErrorKind::not_found, "it was removed meanwhile");
      const fs::path layer = area_.add_layer();
      unpack_tree(blob->bytes(), layer);
      if (setup_.epoch) renew_times(layer, written_before(chain, i, *setup_.epoch));
      pinned_.push_back(std::move(*blob));
    }
    return true;
  } catch (const std::exception& error) {
    note(cat("the cached layer ", at.substr(0, 12), " can't be used (", own_words(error.what()),
             "); its steps run again"));
    setup_.store.blobs().remove(at);
    pinned_.clear();
    area_.drop_layers();
    return false;
  }
}

void LayerKeeper::take_over(const Chain& chain) {
  for (const LayerRecord& layer : chain.layers) {
    steps_.insert(steps_.end(), layer.steps.begin(), layer.steps.end());
    layers_.push_back({layer.blob, layer.steps.back().label, layer.made_by});
    if (setup_.policy.stored) setup_.policy.stored(layer.planned.back());
    if (setup_.remote)
      setup_.remote->offer(lookup_key(layer.parent, layer.planned.front(), layer.is_copy), layer, setup_.store.blobs());
  }
  taken_ = first_new_ = steps_.size();
  covered_ = chain.covered;
  parent_ = chain.parent;
  reasons_ = chain.nearest;
  for (const std::string& reason : reasons_)
    setup_.log.line(cat("hearth: a layer is there, but not for this: ", reason));
  if (!chain.layers.empty()) last_kept_ = chain.layers.back().planned.back();
  if (!chain.layers.empty()) binds_ = chain.layers.back().binds;
  if (!chain.layers.empty()) bring_back_scratch();
  if (setup_.network != nullptr) setup_.network->take_over(fetches_of(steps_));
  for (const StepRecord& step : steps_) setup_.log.line(cat("hearth: ", step.label, " from the cache"));
}

void LayerKeeper::phase_begins(Phase phase) {
  if (!may_be_kept(phase)) end_keeping();
}

void LayerKeeper::step_begins(const Step& /*step*/) {
  files_.write(k_inputs_file, "", {.mode = 0666});
  if (watch_) (void)watch_->take();
  if (!apt_lists_) apt_lists_.emplace(k_target_root);
  if (setup_.watch == nullptr) return;
  (void)setup_.watch->take();
  (void)setup_.watch->take_reads();
  (void)setup_.watch->take_looks();
  (void)setup_.watch->take_shown_elsewhere();
}

bool LayerKeeper::step_ended(const Step& step, Duration took, const std::vector<Step>& /*rest*/) {
  Reads reads = watch_ ? watch_->take() : Reads{};
  reads.files.erase(cat(".fetch/", fetch::k_authorities_file));  // another in each build, and nothing comes of it
  if (setup_.watch != nullptr) {
    reads.tells_elements = setup_.watch->tells_reads();
    reads.machine = setup_.watch->take_reads();
    reads.asked = setup_.watch->take_looks();
    reads.shown = setup_.watch->take_shown_elsewhere();
    leave_out_bound(reads);
  }
  StepRecord record{step.label(), step.element, std::chrono::duration<double>(took).count(), {}};
  note_inputs(record, reads);
  note_fetches(record);
  note_unseen(step, record);
  record.facts.merge(setup_.facts.after_step(step, reads));
  const std::optional<std::string> reason = unkeepable(record.facts);
  steps_.push_back(std::move(record));
  if (!keeping_) return false;
  if (reason) stop_keeping(cat(step.label(), " can't be kept: ", *reason));
  if (const std::string file = outside_.changed(); !file.empty()) {
    stop_keeping(cat(step.label(), " wrote ", (setup_.image.parent_path() / file).string(), ", which no layer holds"));
  }
  spent_ += took;
  const bool is_worth_it = spent_ >= setup_.policy.worth || step.label() == setup_.policy.until ||
                           setup_.policy.branches.count(step.label()) > 0;
  if (packings_.size() >= k_most_layers) end_keeping();
  return keeping_ && is_worth_it;
}

/// What the step or a recorder beside it noted. Servers' answers, asked again, stand for the copies that it has of
/// them: what fetches changes its own copies while it runs, and another machine has none. (A recording's are not asked
/// again where no proxy sees them.)
void LayerKeeper::note_inputs(StepRecord& record, Reads& reads) const {
  std::vector<fs::path> copies;
  for (const std::string& line : split_lines(files_.read(k_inputs_file).value_or(""))) {
    const std::size_t end = line.rfind(' ');
    if (end == std::string::npos) continue;
    const std::string fact = without_credentials(line.substr(0, end));
    const std::string digest = line.substr(end + 1);
    if (fact.starts_with(k_copy)) {
      copies.emplace_back(line.substr(k_copy.size(), end - k_copy.size()));
      continue;
    }
    record.facts[fact] = digest;
    if (fact.starts_with(k_repository_fact)) setup_.repository_seen(fact.substr(k_repository_fact.size()), digest);
  }
  const bool has_asked =
      std::any_of(record.facts.begin(), record.facts.end(), [](const auto& fact) { return is_remote(fact.first); });
  if (!has_asked || setup_.network != nullptr) return;
  for (const fs::path& copy : copies) reads.add_copy(copy);
}

/// What it took from the network without noting it. Package lists tell by themselves.
void LayerKeeper::note_unseen(const Step& step, StepRecord& record) {
  if (setup_.watch != nullptr) {
    for (const std::string& what : setup_.watch->take()) record.facts[cat("unseen ", what)] = "-";
  }
  if (setup_.network != nullptr) return;
  std::string known;  // where repositories are: what the step noted of them, and the mirrors that it was given
  for (const auto& [fact, digest] : record.facts) {
    if (fact.starts_with(k_repository_fact)) known += cat(fact, "\n");
  }
  for (const auto& [name, value] : setup_.facts.variables(step.phase, &step)) {
    if (value.find("://") != std::string::npos) known += cat(value, "\n");
  }
  for (const auto& [fact, digest] : apt_lists_->changes(k_target_root, known)) {
    if (!record.facts.emplace(fact, digest).second) continue;  // as it was before the step took it
    if (fact.starts_with(k_repository_fact)) setup_.repository_seen(fact.substr(k_repository_fact.size()), digest);
  }
}

/// What the proxy answered while the step ran.
void LayerKeeper::note_fetches(StepRecord& record) {
  if (setup_.network == nullptr || !keeping_) return;
  try {
    for (const std::string& line : setup_.network->new_fetches()) {
      const std::size_t end = line.rfind(' ');
      const std::string digest = line.substr(end + 1);
      if (digest == fetch::k_not_recorded) {
        stop_keeping(cat(record.label, " asked for something that was not recorded, so that nobody knows what came"));
        return;
      }
      record.facts[line.substr(0, end)] = digest;
    }
  } catch (const Error& error) {
    stop_keeping(error.what());
  }
}

void LayerKeeper::stop_keeping(const std::string& why) {
  setup_.log.line(cat("hearth: ", why, ": from here on nothing is kept"));
  ended_ = why;
  end_keeping();
}

void LayerKeeper::end_keeping() {
  if (std::exchange(keeping_, false) && setup_.policy.ends) setup_.policy.ends(last_kept_);
}

std::string LayerKeeper::key_of_next() const {
  std::vector<std::string> planned = cacheable();
  return covered_ < planned.size() ? lookup_key(parent_, planned[covered_], !area_.is_overlay()) : "";
}

LayerRecord LayerKeeper::record_now(const std::vector<Step>& rest) const {
  check(first_new_ < steps_.size(), "a layer holds a step at least", "first", first_new_, "steps", steps_.size());
  LayerRecord record;
  record.parent = parent_;
  record.steps.assign(steps_.begin() + static_cast<std::ptrdiff_t>(first_new_), steps_.end());
  record.phase = phase_of_label(steps_.back().label).value_or(Phase::root);
  record.rest = rest;
  record.binds = binds_;
  record.is_copy = !area_.is_overlay();
  record.made_by = setup_.image.filename().string();
  record.written.began = setup_.began;
  const auto is_left = [&](const Step& step) {
    return step.phase > record.phase || std::find(rest.begin(), rest.end(), step) != rest.end();
  };
  for (std::size_t i = covered_; i < setup_.plan.steps.size() && setup_.plan.steps[i].phase <= record.phase; ++i) {
    if (!is_left(setup_.plan.steps[i])) record.planned.push_back(setup_.plan.steps[i].label());
  }
  return record;
}

/// The area is mounted anew for each layer.
std::vector<std::string> LayerKeeper::mounts_beside_area() const {
  std::vector<std::string> points = mount_points_below(read_file("/proc/self/mountinfo"), "");
  std::erase(points, area_.place().string());
  return points;
}

/// No layer holds what hooks mounted, and what is below it, where hooks see it, would be missing; a hook may take it
/// away again. A mount of Hearth's own that is gone stays gone: a hook took it away, or its place was replaced on the
/// machine. Others' mounts go with their directories while the build runs; no hook was meant to see those.
bool LayerKeeper::mounts_allow_keeping(const std::vector<fs::path>& renewed) {
  std::vector<std::string> now = mounts_beside_area();
  std::erase_if(now, [&](const std::string& point) {
    return std::any_of(renewed.begin(), renewed.end(), [&](const fs::path& place) {
      return point == place.string() || point.starts_with(place.string() + "/");
    });
  });
  // A place can have several mounts, one over the other.
  const auto missing_in = [](std::vector<std::string> all, std::vector<std::string> others) {
    std::sort(all.begin(), all.end());
    std::sort(others.begin(), others.end());
    std::vector<std::string> missing;
    std::set_difference(others.begin(), others.end(), all.begin(), all.end(), std::back_inserter(missing));
    return missing;
  };
  std::vector<std::string> gone = missing_in(now, mounts_);
  std::erase_if(gone, [](const std::string& point) {
    boost::system::error_code none;
    return !fs::exists(point, none);
  });
  if (!gone.empty()) {
    stop_keeping(cat(join(gone, ", "), ", which Hearth had mounted for hooks, ", gone.size() == 1 ? "is" : "are",
                     " mounted no more: a hook took it away, or it was replaced on this machine while the build ran"));
    return false;
  }
  const std::vector<std::string> others = without_cache_binds(missing_in(mounts_, now));
  if (!others.empty())
    setup_.log.line(cat("hearth: a hook has mounted ", join(others, ", "), ": no layer is kept while it is there"));
  return others.empty();
}

/// Those are in binds_ then.
std::vector<std::string> LayerKeeper::without_cache_binds(const std::vector<std::string>& points) {
  const std::string mountinfo = read_file("/proc/self/mountinfo");
  std::vector<std::string> others;
  binds_.clear();
  for (const std::string& point : points) {
    const bool is_single = std::count(points.begin(), points.end(), point) == 1;
    const auto bind = is_single ? cache_bind(mountinfo, point, setup_.downloads, k_target_root) : std::nullopt;
    bind ? binds_.push_back(*bind) : others.push_back(point);
  }
  return others;
}

/// Not inputs: directories of the image cache that the step has bound and left where nothing of them comes into the
/// image. They fill with each build.
void LayerKeeper::leave_out_bound(Reads& reads) const {
  if (reads.shown.empty()) return;
  const std::string mountinfo = read_file("/proc/self/mountinfo");
  for (const std::string& point : mount_points_below(mountinfo, k_target_root.string())) {
    const std::optional<CacheBind> bind = cache_bind(mountinfo, point, setup_.downloads, k_target_root);
    if (bind) reads.shown.erase((setup_.downloads / bind->from).string());
  }
}

void LayerKeeper::bind_again() const { builder::bind_again(binds_, setup_.downloads, k_target_root); }

/// What a hook left mounted or open there is in the way, and in the image.
void LayerKeeper::show_anew() try { area_.show_anew(); } catch (const Error& error) {
  setup_.log.line(cat("hearth: ", error.what(), ": a hard link to a file of an earlier step may be a file of its own"));
}

void LayerKeeper::keep(const std::vector<Step>& rest) {
  LayerRecord record = record_now(rest);
  const std::string key = key_of_next();
  if (record.planned.empty() || key.empty()) return;
  watch_.reset();
  unbind(binds_, k_target_root);
  save_scratch();
  record.written.ended = latest_write_time(setup_.times);
  const fs::path frozen = area_.freeze();
  packings_.push_back(std::make_unique<Packing>());
  Packing& packing = *packings_.back();
  packing.last_step = record.planned.back();
  packing.last_of_all = record.steps.back().label;
  packing.thread = std::thread([this, frozen, key, record, before = last_kept_, &packing] {
    try {
      pack(frozen, key, record, packing);
    } catch (const std::exception& error) {
      packing.failure = error.what();
      const auto* const refused = dynamic_cast<const Error*>(&error);
      const int cause = refused == nullptr ? 0 : refused->system_error();
      packing.is_disk_full = cause == ENOSPC || cause == EDQUOT;
      if (setup_.policy.ends) setup_.policy.ends(before);  // later ones lie on what is not there
    }
  });
  if (record.is_copy) packing.thread.join();
  fs::remove_all(area_.place() / k_scratch);
  watch_ = std::make_unique<ReadWatch>(hooks_directory(area_.place()));
  parent_ = record.id();
  last_kept_ = packing.last_step;
  covered_ += record.planned.size();
  check(covered_ <= setup_.plan.steps.size(), "layers cover what is planned, and no more", "covered", covered_,
        "planned", setup_.plan.steps.size());
  first_new_ = steps_.size();
  spent_ = {};
}

void LayerKeeper::pack(const fs::path& frozen, const std::string& key, LayerRecord record, Packing& packing) {
  BlobStore::Writer blob = setup_.store.blobs().begin();
  packing.report = pack_tree(frozen, [&](std::string_view bytes) { blob.write(bytes); });
  record.bytes = packing.report.packed_bytes;
  record.blob = packing.blob = blob.commit();
  setup_.store.put(key, record);
  if (setup_.policy.stored) setup_.policy.stored(record.planned.back());
  if (setup_.remote) setup_.remote->upload(key, record, setup_.store.blobs());
}

void LayerKeeper::save_scratch() {
  for (std::size_t i = 0; i < setup_.scratch.size(); ++i)
    builder::save_scratch(setup_.scratch[i], area_.place() / k_scratch / std::to_string(i));
}

void LayerKeeper::bring_back_scratch() {
  for (std::size_t i = 0; i < setup_.scratch.size(); ++i) {
    builder::bring_back_scratch(setup_.scratch[i], area_.place() / k_scratch / std::to_string(i),
                                setup_.times / "scratch");
  }
  fs::remove_all(area_.place() / k_scratch);
}

void LayerKeeper::finish() {
  const MonotonicTime before = setup_.clock.now();
  for (const auto& packing : packings_) {
    if (packing->thread.joinable()) packing->thread.join();
    if (!packing->failure.empty()) {
      note(cat("a layer was not kept in ", setup_.cache.string(), ": ", own_words(packing->failure),
               packing->is_disk_full
                   ? "; hearth cache prune --keep GIB makes room there (without --keep it leaves none)"
                   : ""));
      continue;
    }
    layers_.push_back({packing->blob, packing->last_of_all, setup_.image.filename().string()});
    setup_.log.line(cat("hearth: kept the layer up to ", packing->last_step, ": ",
                        human_bytes(packing->report.packed_bytes), ", ", seconds_text(packing->report.processor_time),
                        " of processor time"));
  }
  if (!packings_.empty()) {
    setup_.log.line(cat("hearth: the build waited ", seconds_text(setup_.clock.now() - before), " for its layers"));
  }
  packings_.clear();
  if (setup_.remote) setup_.remote->finish();
  try {
    if (setup_.store.is_pinned(setup_.image))
      setup_.store.pin({setup_.image, digests_of_layers(layers_)});  // as it is now
    (void)setup_.store.prune(setup_.policy.limit);
  } catch (const std::exception& error) {
    note(cat("the layer cache ", setup_.cache.string(), " could not be pruned: ", own_words(error.what())));
  }
}

}  // namespace hearth::builder
