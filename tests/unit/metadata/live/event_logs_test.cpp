// Whole lives of stacks beside the event logs that the real Heat wrote of them (data/event_logs.json; steps of both its
// engines, signals that came too late left out): the same events, and in the same order wherever one has to come before
// the other. What order things have that don't need each other is chance in Heat.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/regex.hpp>
#include <map>
#include <set>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/live/stack_service.hpp"
#include "metadata/live/upload.hpp"
#include "source_directory.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

using Lines = std::vector<std::string>;

std::string data(const std::string& name) { return cat(HEARTH_SOURCE_DIR, "/tests/unit/metadata/data/", name); }

std::string without_ids(const std::string& reason) {
  static const boost::regex id("[0-9a-f]{8}-[0-9a-f-]{27}");
  static const boost::regex time("started at .*");
  return boost::regex_replace(boost::regex_replace(reason, id, "ID"), time, "started at TIME");
}

std::string path_of(const std::string& line) { return line.substr(1, line.find(']') - 1); }

/// What needs what in the templates of the logs.
bool needs(const std::string& one, const std::string& other) {
  static const std::map<std::string, std::set<std::string>> known = {{"Dep1", {"deployed-server", "Cfg"}},
                                                                     {"Dep2", {"deployed-server", "SCfg", "Dep1"}},
                                                                     {"d1", {"s", "c"}},
                                                                     {"d2", {"s", "c", "d1"}}};
  const std::size_t cut = one.rfind('.') + 1;  // 0 where there is none
  const auto found = known.find(one.substr(cut));
  return found != known.end() && other.size() > cut && other.substr(0, cut) == one.substr(0, cut) &&
         found->second.count(other.substr(cut)) > 0;
}

/// One is above the other in the tree, or, among siblings, depends on it.
bool are_ordered(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty() || one == other) return true;
  const bool above = one.rfind(other + ".", 0) == 0 || other.rfind(one + ".", 0) == 0;
  return above || needs(one, other) || needs(other, one);
}

Lines of_both(const Lines& lines, const std::string& one, const std::string& other) {
  Lines some;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(some),
               [&](const std::string& line) { return path_of(line) == one || path_of(line) == other; });
  return some;
}

void expect_same(const Lines& heat, const Lines& ours, const std::string& step) {
  Lines sorted_heat = heat;
  Lines sorted_ours = ours;
  std::sort(sorted_heat.begin(), sorted_heat.end());
  std::sort(sorted_ours.begin(), sorted_ours.end());
  ASSERT_EQ(join(sorted_ours, "\n"), join(sorted_heat, "\n")) << step;
  std::set<std::string> paths;
  for (const std::string& line : heat) paths.insert(path_of(line));
  for (const std::string& one : paths) {
    for (const std::string& other : paths) {
      if (one > other || !are_ordered(one, other)) continue;
      EXPECT_EQ(join(of_both(ours, one, other), "\n"), join(of_both(heat, one, other), "\n")) << step;
    }
  }
}

class Life {
 public:
  explicit Life(const Json& story) : story_(story) {
    ServiceSettings settings;
    settings.state = directory_.path() / "state";
    service_ = std::make_unique<StackService>(settings, clock_, log_);
    service_->engine().watch([this](const EventRecord& event) { note(event); });
  }

  Lines live(const Json& step) {
    lines_.clear();
    const std::string verb = step["do"];
    if (verb == "create") engine().create("admin", "s", body_of(step));
    if (verb == "update") engine().update(id(), body_of(step));
    if (verb == "suspend") engine().act(id(), Action::suspend);
    if (verb == "resume") engine().act(id(), Action::resume);
    if (verb == "delete") engine().act(id(), Action::erase);
    if (step.contains("signals")) {
      for (const Json& signal : step["signals"]) send(signal[0], signal[1]);
    } else if (verb != "delete") {
      answer_all();
    }
    if (step.contains("timeout")) {
      clock_.advance(std::chrono::hours(1));
      engine().tick();
    }
    return seen();
  }

 private:
  Engine& engine() { return service_->engine(); }
  std::string id() { return engine().find("s").live->tree.id; }
  Json body_of(const Json& step) const {
    UploadRequest request;
    request.name = "s";
    request.template_file = data(cat("event_logs/", step["template"].get<std::string>()));
    if (step.contains("environment")) {
      request.environments = {data(cat("event_logs/", step["environment"].get<std::string>()))};
    }
    for (const Json& parameter : step.value("parameters", Json::array())) request.parameters.push_back(parameter);
    Json body = make_upload(request, RealFileSystem());
    if (story_.contains("on_failure")) body["on_failure"] = story_["on_failure"];
    return body;
  }
  /// As the field's client lists events: a stack's own are its resource's.
  void note(const EventRecord& event) {
    const StackTree& tree = engine().find("s").live->tree;
    for (const StackRecord& stack : tree.stacks()) {
      if (stack.id != event.stack_id) continue;
      const std::string path = event.physical_id == stack.id ? stack.path : path_below(stack.path, event.resource);
      lines_.emplace_back(stack.id, cat("[", path, "]: ", event.status, "  ", without_ids(event.reason)));
    }
  }
  /// Those of stacks that are gone are not listed.
  Lines seen() {
    Lines lines;
    const auto& kept = engine().trees();
    for (const auto& [stack, line] : lines_) {
      if (kept.empty() || kept.front()->tree.find_stack(stack) != k_none) lines.push_back(line);
    }
    return lines;
  }
  void send(const std::string& path, const Json& body) {
    StackTree& tree = engine().find("s").live->tree;
    const ResourceRecord& resource = tree.resource(tree.find_path(path));
    EXPECT_EQ(engine().signal(tree.stack(resource.stack).id, resource.name, body).kind, SignalOutcome::Kind::taken);
  }
  /// Plays the agents as long as any has something to do.
  void answer_all() {
    for (bool more = true; more;) {
      more = false;
      const StackTree tree = engine().find("s").live->tree;  // as it is now
      for (const ResourceRecord& each : tree.resources()) {
        if (each.gone || each.role != Role::deployment || each.deployment.status != Status::in_progress) continue;
        send(each.path, {{"deploy_stdout", "out"}, {"deploy_stderr", ""}, {"deploy_status_code", 0}});
        more = true;
      }
    }
  }

  Json story_;
  TempDir directory_ = TempDir::create("/tmp", "events-");
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  std::unique_ptr<StackService> service_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

TEST(EventLogs, are_those_of_the_real_heat) {
  const std::string path = data("event_logs.json");
  const Json stories = parse_json(read_file(path), path).value_or_throw();
  for (const Json& story : stories) {
    Life life(story);
    for (const Json& step : story["steps"]) {
      const Lines heat = step["events"];
      Lines ours = life.live(step);
      const std::string name = step.value("log", story["name"].get<std::string>());
      if (step.contains("tail")) {  // Heat's log has only the end, or the beginning, of it
        std::erase_if(ours,
                      [&](const std::string& line) { return std::find(heat.begin(), heat.end(), line) == heat.end(); });
      }
      expect_same(heat, ours, name);
    }
  }
}

}  // namespace
}  // namespace hearth::metadata::live
