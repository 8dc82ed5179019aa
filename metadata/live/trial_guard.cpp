#include "metadata/live/trial_guard.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_most_known = 10'000;

bool reads(const ServedRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

/// As the API takes them apart.
std::vector<std::string> parts_of(const ServedRequest& request) {
  std::vector<std::string> parts = split(request.raw_path, '/');
  for (std::string& part : parts) part = percent_decode(part);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// The path names what it is about by a UUID, on every port. Names may be UUIDs as well, and of something else: all of
/// them, whatever they are.
std::vector<std::string> uuids_in(const ServedRequest& request) {
  std::vector<std::string> all = split(percent_decode(request.raw_path), '/');
  std::erase_if(all, [](const std::string& part) { return !is_uuid(part); });
  return all;
}

/// Of a stack, only rows are not evaluated when they are asked for. There may be very many of them; events are in the
/// database, of which a copy has nothing.
Trying tried_read(const std::vector<std::string>& parts) {
  if (parts.size() == 4) {
    const bool is_long = parts[3] == "stacks" || parts[3] == "software_configs" || parts[3] == "software_deployments";
    return is_long ? Trying::lists : Trying::not_at_all;
  }
  if (parts.size() < 6 || parts[3] != "stacks") return Trying::not_at_all;
  const std::string what = parts.size() > 6 ? parts[6] : "";
  const std::string of_resource = parts.size() > 8 ? parts[8] : "";
  if (what == "resources" && parts.size() == 7) return Trying::lists;
  const bool is_rows = what == "events" || what == "snapshots" ||
                       (what == "resources" && (of_resource == "metadata" || of_resource == "events"));
  return is_rows ? Trying::not_at_all : Trying::asks;
}

class Refused final : public HeldAnswer {
 public:
  explicit Refused(ServedResponse response) : response_(std::move(response)) {}
  void start(std::function<void()> wake) override { wake(); }
  [[nodiscard]] std::optional<ServedResponse> answer() override { return std::move(response_); }

 private:
  ServedResponse response_;
};

}  // namespace

Trying tried_of_heat(const ServedRequest& request) {
  const std::vector<std::string> parts = parts_of(request);
  if (parts.size() < 4 || parts[1] != "v1") return Trying::not_at_all;
  if (reads(request)) return tried_read(parts);
  const bool reports = parts.size() == 9 && parts[6] == "resources" && parts[8] == "run";
  if (reports) return Trying::not_at_all;
  const bool signals = parts.size() == 9 && parts[6] == "resources" && parts[8] == "signal";
  if (signals) return Trying::signals;
  const bool previews = parts[3] == "stacks" &&
                        ((parts.size() == 5 && parts[4] == "preview") || (parts.size() == 7 && parts[6] == "preview"));
  return parts[3] == "validate" || previews ? Trying::asks : Trying::changes;
}

/// Signals are values that templates get.
Trying tried_of_cfn(const ServedRequest& request) {
  const bool signals = request.path.rfind("/v1/signal/", 0) == 0 || request.path.rfind("/v1/waitcondition/", 0) == 0;
  return signals ? Trying::signals : Trying::not_at_all;
}

Trying tried_of_objects(const ServedRequest& request) {
  return request.method == "PUT" ? Trying::signals : Trying::not_at_all;
}

/// Whoever may not ask costs no copy (who sent a body was asked before), and what was evaluated as things are costs
/// none again.
std::unique_ptr<HeldAnswer> TrialGuard::hold(const ServedRequest& request) {
  const Trying how = port_.tried(request);
  if (how == Trying::not_at_all || !engine_.can_read()) return nullptr;
  if (request.body.empty()) {
    Admission admission = inner_.admit(request);
    if (admission.refusal) return std::make_unique<Refused>(std::move(*admission.refusal));
  }
  const Subject subject = port_.subject ? port_.subject(request) : Subject{request.target, uuids_in(request)};
  const bool is_evaluated = reads(request) && how != Trying::lists;
  const auto known = is_evaluated ? known_.find(subject.name) : known_.end();
  const std::vector<std::string> trees = trees_of(subject);
  const bool is_there =
      std::none_of(trees.begin(), trees.end(), [this](const std::string& tree) { return engine_.is_apart(tree); });
  if (is_there && known != known_.end() && known->second == state_of(subject)) return nullptr;
  Tried tried{request, how, inner_, trees, [this, subject] { return state_of(subject); }, {}, port_.refusal};
  if (port_.prepare) tried.prepare = [this, &request] { port_.prepare(request); };
  if (is_evaluated) tried.passed = [this, name = subject.name](std::uint64_t state) { note(name, state); };
  return trials_.hold(std::move(tried));
}

void TrialGuard::note(const std::string& name, std::uint64_t state) {
  if (known_.size() >= k_most_known) known_.clear();
  known_[name] = state;
}

std::uint64_t TrialGuard::state_of(const Subject& subject) const {
  constexpr std::uint64_t k_prime = 1'099'511'628'211;
  std::uint64_t state = 0;
  for (const std::string& id : subject.stacks) state = state * k_prime + engine_.change_of(id);
  return state;
}

std::vector<std::string> TrialGuard::trees_of(const Subject& subject) const {
  std::vector<std::string> trees;
  for (const std::string& id : subject.stacks) {
    std::string tree = engine_.root_of(id);
    if (!tree.empty()) trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace hearth::metadata::live
