#include "metadata/live/trials.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/live/side_thread.hpp"

namespace hearth::metadata::live {

namespace {

/// How often a request is tried anew because what it depends on changed meanwhile.
constexpr int k_most_times = 5;
/// No tree has more than this part of a line for itself.
constexpr std::size_t k_share = 2;

ServedResponse not_now(const std::string& why) {
  ServedResponse response = plain_response(503);
  response.headers.emplace_back("Retry-After", "2");
  response.body = cat("503 Service Unavailable: ", why, "; come again\n");
  return response;
}

std::string seconds(Duration time) {
  return fixed(std::chrono::duration<double>(time).count(), time % std::chrono::seconds(1) == Duration{} ? 0 : 1);
}

std::string story(const TrialOutcome& outcome, const TrialLimits& limits) {
  static constexpr const char* k_less = "; nothing was changed. Have the templates do less";
  switch (outcome.end) {
    case TrialEnd::processor:
      return cat("To evaluate this request takes more than ", seconds(limits.processor), " s of processor time", k_less,
                 ", or give the server more by --request-seconds");
    case TrialEnd::stretch:
      return cat("To evaluate one expression of this request takes more than ", seconds(limits.stretch),
                 " s of processor time, in which nobody else would be served", k_less,
                 " at once, or give the server more by --request-seconds (a tenth of them)");
    case TrialEnd::memory:
      return cat("To evaluate this request takes more than ", limits.memory >> 20U, " MB of memory", k_less,
                 ", or give the server more by --request-memory");
    case TrialEnd::wall: return cat("To evaluate this request took longer than ", seconds(limits.wall), " s", k_less);
    default: break;
  }
  if (outcome.text == "SIGKILL")
    return cat("The process that evaluated this request was killed, as Linux does where a machine has no memory left",
               k_less, ", or give the machine more");
  return cat("To evaluate this request ends the process that does it (", outcome.text,
             "); nothing was changed. That is a fault of Hearth: please report it with the template");
}

void add_text(std::string& out, std::string_view text) { out += cat(text.size(), ":", text); }

/// Takes a text off the front.
std::optional<std::string> take_text(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> size = parse_number(rest.substr(0, colon));
  rest.remove_prefix(colon + 1);
  if (!size || *size > rest.size()) return std::nullopt;
  std::string text(rest.substr(0, *size));
  rest.remove_prefix(*size);
  return text;
}

}  // namespace

std::string packed(const ServedResponse& response) {
  std::string out;
  add_text(out, std::to_string(response.status));
  for (const std::string* text : {&response.reason, &response.principal, &response.content()}) add_text(out, *text);
  for (const auto& [name, value] : response.headers) {
    add_text(out, name);
    add_text(out, value);
  }
  return out;
}

std::optional<ServedResponse> unpacked(std::string_view text) {
  const std::optional<std::string> status = take_text(text);
  const std::optional<std::uint64_t> number = parse_number(status.value_or(""));
  if (!number || *number < 100 || *number > 599) return std::nullopt;
  ServedResponse response;
  response.status = static_cast<int>(*number);
  for (std::string* part : {&response.reason, &response.principal, &response.body}) {
    std::optional<std::string> taken = take_text(text);
    if (!taken) return std::nullopt;
    *part = std::move(*taken);
  }
  while (!text.empty()) {
    const std::optional<std::string> name = take_text(text);
    const std::optional<std::string> value = take_text(text);
    if (!name || !value) return std::nullopt;
    response.headers.emplace_back(*name, *value);
  }
  return response;
}

/// A request that is being answered on a thread of its own, whether its client waits for that still or not.
struct Trials::Side {
  std::uint64_t number = 0;
  ServedRequest request;
  std::vector<std::string> trees;
  ServedResponse response{};
  std::unique_ptr<SideThread> thread{};
};

/// One request: waits for its turn, is tried, maybe anew, and is answered.
class Trials::Held final : public HeldAnswer {
 public:
  Held(Trials& trials, Tried tried)
      : trials_(trials),
        line_(tried.how == Trying::signals || tried.how == Trying::machine_asks ? trials.machines_ : trials.people_),
        tried_(std::move(tried)),
        number_(++trials.last_) {
    trials_.held_[number_] = this;
    ++line_.requests;
    line_.bytes += tried_.request.body.size();
    if (!changes()) return;
    for (const std::string& tree : tried_.trees) ++trials_.changes_[tree];
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() override {
    end_trial();
    trials_.held_.erase(number_);
    --line_.requests;
    line_.bytes -= tried_.request.body.size();
    for (const std::string& tree : tried_.trees) {
      if (changes() && --trials_.changes_[tree] == 0) trials_.changes_.erase(tree);
    }
    trials_.go_on_soon();
  }

  void start(std::function<void()> wake) override {
    wake_ = std::move(wake);
    if (!has_room()) {
      ready_ = not_now("too many requests wait to be evaluated");
      return wake_();
    }
    trials_.go_on();
  }

  [[nodiscard]] std::optional<ServedResponse> answer() override {
    if (failed_) std::rethrow_exception(failed_);
    if (ready_) return std::move(ready_);
    if (!trial_) return std::nullopt;
    if (trial_->take()) return ended();
    trials_.await(number_, trial_->descriptor());
    return std::nullopt;
  }

  /// Whether it can be tried: a change has its trees for itself meanwhile. A question need not, unless changes came
  /// between more than once.
  [[nodiscard]] bool can_begin(const std::set<std::string>& taken) const {
    if (trial_ || ready_ || failed_ || beside_ != Beside::no || line_.tried >= line_.limits.at_once) return false;
    if (trials_.is_beside(tried_.trees)) return false;
    return !is_alone() || std::none_of(tried_.trees.begin(), tried_.trees.end(),
                                       [&](const std::string& tree) { return taken.count(tree) > 0; });
  }
  [[nodiscard]] bool is_tried() const { return trial_ != nullptr || beside_ != Beside::no; }
  [[nodiscard]] bool waits_beside(const Line& line) const { return beside_ == Beside::waits && &line == &line_; }
  /// What is answered on a side thread, unless it has to be tried anew.
  [[nodiscard]] std::unique_ptr<Side> side() {
    if (tried_.state() != begun_at_) {
      beside_ = Beside::no;
      if (std::optional<ServedResponse> refused = try_anew()) come_to(std::move(*refused));
      return nullptr;
    }
    beside_ = Beside::is;
    auto made = std::make_unique<Side>(Side{number_, tried_.request, tried_.trees});
    made->thread = std::make_unique<SideThread>(
        [&side = *made, &inner = tried_.inner] { side.response = inner.answer(side.request); },
        [&trials = trials_, number = number_] {
          trials.world_.server.post([&trials, number] {
            trials.go_on_beside(number);
            trials.go_on();
          });
        });
    return made;
  }
  void come_to(ServedResponse response) {
    ready_ = std::move(response);
    wake();
  }
  void fail(std::exception_ptr failure) {
    failed_ = std::move(failure);
    wake();
  }
  void take_trees(std::set<std::string>& taken) const {
    if (is_alone()) taken.insert(tried_.trees.begin(), tried_.trees.end());
  }
  [[nodiscard]] bool end_if_late() { return trial_ && trial_->end_if_late(); }
  /// By this it may be destroyed.
  void wake() { wake_(); }

  /// False where there can be no copy just now.
  bool begin() {
    const World& world = trials_.world_;
    begun_at_ = tried_.state();
    try {
      if (tried_.prepare) tried_.prepare();
      trial_ = std::make_unique<Trial>(world.limits, world.clock, [&](const Trial::Breath& breathe) {
        world.detach(breathe);
        const ServedResponse response = tried_.inner.answer(tried_.request);
        return cat(world.lacked_something() || response.stream ? "-" : "+", packed(response));
      });
    } catch (const Error& error) {
      world.log.error(cat("a request can't be tried: ", error.story()));
      ready_ = not_now("there is no process to evaluate this in");
      return false;
    }
    ++line_.tried;
    trials_.await(number_, trial_->descriptor());
    return true;
  }

 private:
  /// Whether it is answered on a side thread.
  enum class Beside : std::uint8_t { no, waits, is };

  [[nodiscard]] bool changes() const { return tried_.how == Trying::changes || tried_.how == Trying::signals; }
  [[nodiscard]] bool is_alone() const { return changes() || times_ > 1; }
  [[nodiscard]] bool has_room() const {
    if (line_.requests > line_.limits.length || line_.bytes > line_.limits.bytes) return false;
    return !changes() || std::all_of(tried_.trees.begin(), tried_.trees.end(), [&](const std::string& tree) {
      return trials_.changes_[tree] <= line_.limits.length / k_share;
    });
  }
  void end_trial() {
    if (trial_) --line_.tried;
    trial_ = nullptr;
  }

  std::optional<ServedResponse> ended() {
    const TrialOutcome outcome = trial_->outcome();
    end_trial();
    is_light_ = outcome.processor <= trials_.world_.light;
    if (outcome.end == TrialEnd::failed) return own();  // it will fail here as well, and be told of
    if (outcome.end != TrialEnd::answered) return refused(outcome);
    if (tried_.passed && is_light_) tried_.passed(begun_at_);
    std::optional<ServedResponse> response;
    if (outcome.text.front() == '+') response = unpacked(std::string_view(outcome.text).substr(1));
    // What is logged of other refusals is logged here.
    const bool is_final = response && (response->status == 400 || (!changes() && response->status < 400));
    return is_final ? std::move(response) : own();
  }

  std::optional<ServedResponse> refused(const TrialOutcome& outcome) {
    const std::string message = story(outcome, trials_.world_.limits);
    trials_.world_.log.warning(cat("refused ", tried_.request.method, " ", without_secrets(tried_.request.target),
                                   " from ", tried_.request.peer, ": ", message));
    return tried_.refusal(message);
  }

  /// As the server itself does; it was tried as things are now, or is so once more.
  std::optional<ServedResponse> own() {
    if (tried_.state() != begun_at_) return try_anew();
    if (is_light_ || !changes()) return tried_.inner.answer(tried_.request);
    beside_ = Beside::waits;
    trials_.go_on_soon();
    return std::nullopt;
  }

  std::optional<ServedResponse> try_anew() {
    if (++times_ == k_most_times) return not_now("what this depends on changes too often just now");
    trials_.go_on_soon();
    return std::nullopt;
  }

  Trials& trials_;
  Line& line_;
  Tried tried_;
  std::uint64_t number_;
  std::function<void()> wake_;
  std::unique_ptr<Trial> trial_;
  std::optional<ServedResponse> ready_;
  std::uint64_t begun_at_ = 0;
  int times_ = 0;
  bool is_light_ = true;
  Beside beside_ = Beside::no;
  std::exception_ptr failed_;
};

Trials::Trials(World world) : world_(std::move(world)), people_{world_.people}, machines_{world_.machines} {
  world_.server.every(std::chrono::seconds(1), [this] { end_late_ones(); });
  world_.server.at_end([this] { end_sides(); });
}

Trials::~Trials() = default;

std::unique_ptr<HeldAnswer> Trials::hold(Tried tried) { return std::make_unique<Held>(*this, std::move(tried)); }

/// Not at once: who asks for it may be in the midst of an answer.
void Trials::go_on_soon() {
  world_.server.post([this] { go_on(); });
}

void Trials::go_on() {
  for (Line* line : {&people_, &machines_}) begin_sides(*line);
  std::set<std::string> taken;
  for (const auto& [number, held] : held_) {
    if (held->is_tried()) held->take_trees(taken);
  }
  const auto begins = [&](const auto& entry) { return entry.second->can_begin(taken); };
  if (std::any_of(held_.begin(), held_.end(), begins) && !sides_rest()) return;  // they wake us when they do
  std::vector<std::uint64_t> without;
  for (const auto& [number, held] : held_) {
    if (!held->can_begin(taken)) continue;
    held->begin() ? held->take_trees(taken) : without.push_back(number);
  }
  for (const Side* side : sides()) side->thread->let_go();
  for (const std::uint64_t number : without) wake(number);
}

/// They use the server, so that they end before it does.
void Trials::end_sides() {
  for (Line* line : {&people_, &machines_}) line->sides.clear();
}

std::vector<Trials::Side*> Trials::sides() const {
  std::vector<Side*> all;
  for (const Line* line : {&people_, &machines_}) {
    for (const std::unique_ptr<Side>& side : line->sides) all.push_back(side.get());
  }
  return all;
}

/// All are told to, those too that come after one that does not rest yet.
bool Trials::sides_rest() {
  bool all = true;
  for (const Side* side : sides()) all = side->thread->rests() && all;
  return all;
}

/// Those that have waited longest for it.
void Trials::begin_sides(Line& line) {
  while (line.sides.size() < line.limits.at_once) {
    const auto first =
        std::find_if(held_.begin(), held_.end(), [&](const auto& each) { return each.second->waits_beside(line); });
    if (first == held_.end()) return;
    const std::uint64_t number = first->first;
    std::unique_ptr<Side> side = first->second->side();
    if (!side) continue;
    line.sides.push_back(std::move(side));
    go_on_beside(number);
  }
}

bool Trials::is_beside(const std::vector<std::string>& trees) const {
  const std::vector<Side*> all = sides();
  return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Side* side) { return std::count(side->trees.begin(), side->trees.end(), tree) > 0; });
  });
}

void Trials::go_on_beside(std::uint64_t number) {
  std::unique_ptr<Side> ended;
  std::exception_ptr failure;
  for (Line* line : {&people_, &machines_}) {
    const auto is_it = [number](const auto& each) { return each->number == number; };
    const auto found = std::find_if(line->sides.begin(), line->sides.end(), is_it);
    if (found == line->sides.end()) continue;
    try {
      if (!(*found)->thread->go_on()) return;
    } catch (...) {
      failure = std::current_exception();
    }
    const auto still = std::find_if(line->sides.begin(), line->sides.end(), is_it);  // others came or went meanwhile
    ended = std::move(*still);
    line->sides.erase(still);
    break;
  }
  if (!ended) return;
  go_on_soon();
  const auto found = held_.find(number);
  if (found == held_.end()) return;  // its client has gone; what it asked for is done
  failure ? found->second->fail(failure) : found->second->come_to(std::move(ended->response));
}

void Trials::await(std::uint64_t number, int descriptor) {
  world_.server.when_readable(descriptor, [this, number] { wake(number); });
}

void Trials::wake(std::uint64_t number) {
  const auto found = held_.find(number);
  if (found != held_.end()) found->second->wake();
}

void Trials::end_late_ones() {
  std::vector<std::uint64_t> late;
  for (const auto& [number, held] : held_) {
    if (held->end_if_late()) late.push_back(number);
  }
  for (const std::uint64_t number : late) wake(number);
}

}  // namespace hearth::metadata::live
