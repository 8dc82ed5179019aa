#include "metadata/live/event_sinks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// A target becomes a file's name, so it is a plain one.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 200 && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                  c == '.';
         });
}

}  // namespace

std::set<std::string> sink_names(const Json& environment, std::vector<std::string>& unknown) {
  std::set<std::string> names;
  if (!environment.is_object() || !environment.contains("event_sinks")) return names;
  for (const Json& sink : environment["event_sinks"]) {
    const std::string type = text_member(sink, "type");
    const std::string target = text_member(sink, "target");
    if ((type == "zaqar-queue" || type == "file") && is_plain_name(target)) {
      names.insert(target);
    } else {
      unknown.push_back(format_json(sink));
    }
  }
  return names;
}

std::string sink_line(const EventRecord& event) {
  const std::size_t cut = event.status.find('_');
  Json payload = Json::object();
  payload["resource_name"] = event.resource;
  payload["physical_resource_id"] = event.physical_id;
  payload["stack_id"] = event.stack_id;
  payload["resource_action"] = event.status.substr(0, cut);
  payload["resource_status"] = cut == std::string::npos ? "" : event.status.substr(cut + 1);
  payload["resource_status_reason"] = event.reason;
  payload["resource_type"] = event.type;
  payload["version"] = "0.1";
  payload["root_stack_id"] = event.root_id;
  Json line = Json::object();
  const std::string time = iso_time(event.time);
  line["timestamp"] = time.substr(0, time.size() - 1);
  line["version"] = "0.1";
  line["type"] = "os.heat.event";
  line["id"] = event.id;
  line["payload"] = std::move(payload);
  return format_json(line, {.ascii = true, .lossy = true});
}

/// Read when a root stack begins something, since its environment may be another one then.
const std::set<std::string>& EventSinks::sinks_of(const EventRecord& event) {
  const auto known = known_.find(event.root_id);
  const bool begins = event.stack_id == event.root_id && event.physical_id == event.stack_id;
  if (known != known_.end() && !begins) return known->second;
  std::vector<std::string> unknown;
  std::set<std::string>& sinks = known_[event.root_id];
  sinks = sink_names(engine_.blueprint(*engine_.find(event.root_id).live).environment(), unknown);
  for (const std::string& sink : unknown)
    log_.warning(
        cat("the event sink ", sink, " is none that is served: type zaqar-queue or file, target a plain name"));
  return sinks;
}

void EventSinks::write(const std::string& name, const std::string& line) const {
  RealFileSystem().make_directories(directory_, 0700);
  const fs::path path = directory_ / cat(name, ".jsonl");
  const Fd file = Fd::open(path.string(), O_WRONLY | O_APPEND | O_CREAT, 0600);
  const std::string text = cat(line, "\n");
  if (::write(file.get(), text.data(), text.size()) != static_cast<::ssize_t>(text.size()))
    throw Error(ErrorKind::io, cat("writing an event to ", path.string(), ": not all of it could be written"));
}

void EventSinks::tell(const EventRecord& event) noexcept {
  try {
    const std::set<std::string>& sinks = sinks_of(event);
    if (sinks.empty()) return;
    const std::string line = sink_line(event);
    for (const std::string& name : sinks) write(name, line);
  } catch (const Error& error) {
    log_.warning(error.story());
  } catch (const std::exception& error) {
    log_.warning(error.what());
  }
}

}  // namespace hearth::metadata::live
