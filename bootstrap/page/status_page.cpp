#include "bootstrap/page/status_page.hpp"

#include <algorithm>

#include "base/net/query.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/boot_records.hpp"
#include "bootstrap/gate/answer.hpp"
#include "bootstrap/node/shown.hpp"
#include "bootstrap/page/view.hpp"
#include "bootstrap/why/causes/facts.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::int64_t k_events = 400;  ///< that a reader gets at once; older ones he asks for
constexpr std::size_t k_boots = 300;    ///< that a node's details have
constexpr std::size_t k_longest_queue = std::size_t{4} << 20U;
constexpr Stamp k_sign_every = 15'000'000;  ///< microseconds: proxies and dead peers need something to look at
constexpr Stamp k_look_every = 4'000'000;

std::string page_text(const Json& json) { return format_json(json, {.lossy = true}); }

/// Nothing but our own files, no frames around us, no markup from strings (Content Security Policy Level 3, Trusted
/// Types).
void add_page_headers(ServedResponse& response) {
  response.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  if (!find_header(response.headers, "Cache-Control")) response.headers.emplace_back("Cache-Control", "no-store");
}

ServedResponse moved(const std::string& where) {
  ServedResponse response;
  response.status = 303;
  response.headers = {{"Location", where}};
  return response;
}

ServedResponse plain(int status, const std::string& text) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  response.body = cat(text, "\n");
  return response;
}

Json lines_json(const std::vector<LogLine>& lines) {
  Json list = Json::array();
  for (const LogLine& line : lines) {
    list.push_back({{"n", line.number},
                    {"at", stamp_json(line.at)},
                    {"level", to_lower(log_level_name(line.level))},
                    {"text", line.text}});
  }
  return list;
}

/// Who looks at it wants to know why; of others there is nothing to say.
bool is_in_trouble(const Node& node) {
  const StateKind kind = kind_of(node.state);
  return !node.last_error.empty() || !node.fault.empty() || kind == StateKind::failed || kind == StateKind::waiting;
}

Json events_json(const std::vector<Event>& events) {
  Json list = Json::array();
  for (const Event& event : events) list.push_back(page_event(event));
  return list;
}

}  // namespace

StatusPage::StatusPage(Conductor& conductor, PageLog& log, GuardedHandler& rest, StackSource* stacks,
                       const ConsoleDesk* consoles)
    : conductor_(conductor),
      log_(log),
      rest_(rest),
      stacks_(stacks),
      consoles_(consoles),
      files_(page_files()),
      feed_(random_hex(8)) {
  feed_.event_came(conductor_.ledger().store().last_event());
  told_ = feed_.now();
  conductor_.ledger().watch([this](const Committed& committed) { take(committed); });
}

ServedResponse StatusPage::answer(const ServedRequest& request, const Caller& caller) {
  const bool wants_html = request.header("Accept").value_or("").find("text/html") != std::string::npos;
  const bool front = request.path == "/" && wants_html;
  if (!front && request.path != "/page" && request.path.rfind("/page/", 0) != 0) return rest_.answer(request, caller);
  ServedResponse response;
  if (request.method != "GET" && request.method != "HEAD") {
    response = plain(405, "The page is read only; what changes nodes is the REST API, /v1");
  } else if (front || request.path == "/page") {
    response = moved("/page/");
  } else {
    response = page(request, caller);
  }
  add_page_headers(response);
  return response;
}

ServedResponse StatusPage::page(const ServedRequest& request, const Caller& caller) {
  const std::string what = request.path.substr(6);
  if (what == "counts") return json_answer(200, {{"nodes", conductor_.ledger().nodes().size()}});
  const bool tells = what == "events" || what == "history" || what == "waiting" || what == "network" ||
                     what == "images" || what.rfind("nodes/", 0) == 0;
  if (tells && caller.role == Role::nobody) return plain(401, "Log in to see the nodes");
  if (what == "events") return stream(request);
  if (what == "history") return history(request);
  if (what == "network") return json_answer(200, network_view(conductor_.ledger().store(), conductor_.ledger().now()));
  if (what == "waiting") return json_answer(200, {{"waiting", conductor_.waiting()}});
  if (what == "images") return images();
  if (what.rfind("nodes/", 0) == 0) return details(what.substr(6));
  return file(request, what.empty() ? "index.html" : what);
}

ServedResponse StatusPage::file(const ServedRequest& request, const std::string& name) const {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [&](const PageFile& file) { return file.name == name; });
  if (found == files_.end()) return plain(404, "There is no such page");
  ServedResponse response;
  response.headers = {{"Content-Type", found->type}, {"ETag", found->etag}, {"Cache-Control", "no-cache"}};
  if (request.header("If-None-Match") == found->etag) {
    response.status = 304;
  } else {
    response.body = std::string(found->body);
  }
  return response;
}

ServedResponse StatusPage::history(const ServedRequest& request) {
  const Parameters parameters = parse_parameters(request.query);
  EventQuery query;
  query.newest = true;
  query.limit = 200;
  query.before = static_cast<std::int64_t>(parse_number(parameter_or(parameters, "before", "0")).value_or(0));
  query.node = parameter_or(parameters, "node", "");
  return json_answer(200, {{"events", events_json(conductor_.ledger().store().events(query))}});
}

ServedResponse StatusPage::images() const {
  Json list = Json::array();
  for (const auto& [key, document] : conductor_.ledger().store().documents("image/"))
    list.push_back(page_image(key.substr(6), document));
  return json_answer(200, {{"images", list}});
}

/// What `hearth why` says first of it.
Json StatusPage::first_cause(const Node& node) const {
  why::NodeFacts facts{.node = shown_node(node, {})};
  EventQuery query;
  query.node = node.uuid;
  query.newest = true;
  query.limit = 200;
  Store& store = conductor_.ledger().store();
  for (const Event& event : store.events(query)) facts.events.push_back(event_json(event));
  for (const Port& port : node.ports) facts.macs.push_back(port.address);
  if (const auto lines = boot_requests(store, node, k_boots)) facts.boot_log = *lines;
  facts.strangers = conductor_.waiting();
  facts.now = conductor_.ledger().now();
  return why::findings_json({why::causes_of(facts).front()}).front();
}

ServedResponse StatusPage::details(const std::string& uuid) {
  const Node* node = conductor_.ledger().by_uuid(uuid);
  if (node == nullptr) return plain(404, cat("There is no node ", uuid));
  Json shown = page_details(*node, conductor_.settings().automated_clean);
  EventQuery query;
  query.node = uuid;
  query.newest = true;
  query.limit = 200;
  shown["events"] = events_json(conductor_.ledger().store().events(query));
  shown["boots"] = Json::array();
  for (const Json& line : boot_requests(conductor_.ledger().store(), *node, k_boots).value_or(std::vector<Json>{})) {
    if (line.is_object()) shown["boots"].push_back(page_boot(line));
  }
  if (const std::optional<Json> log = conductor_.ledger().store().document(cat("agent-log/", uuid)))
    shown["log"] = *log;
  shown["heard"] = {{"metadata", engine_hears_},
                    {"addresses", conductor_.ledger().store().document(k_boot_document).has_value()}};
  if (is_in_trouble(*node)) shown["why"] = first_cause(*node);
  shown["console"] = consoles_ == nullptr ? Json() : consoles_->shown(*node);
  return json_answer(200, shown);
}

ServedResponse StatusPage::stream(const ServedRequest& request) {
  ServedResponse response;
  response.headers = {{"Content-Type", "text/event-stream; charset=utf-8"}, {"X-Accel-Buffering", "no"}};
  if (request.method == "HEAD") return response;
  flush();
  if (readers_.size() >= k_readers) {
    response = plain(503, cat(k_readers, " readers look on already; come again later"));
    response.headers.emplace_back("Retry-After", "30");
    return response;
  }
  const std::optional<FeedPosition> seen = parse_position(request.header("Last-Event-ID").value_or(""));
  std::string first;
  if (seen && feed_.knows(*seen)) {
    EventQuery query;
    query.after = seen->event;
    query.newest = true;
    query.limit = k_events + 1;
    std::vector<Event> events = conductor_.ledger().store().events(query);
    const bool gap = events.size() > static_cast<std::size_t>(k_events);
    if (gap) events.erase(events.begin());
    first = stream_message("change", to_text(feed_.now()), missed_since(*seen, events_json(events), gap));
  } else {
    first = stream_message("snapshot", to_text(feed_.now()), snapshot());
  }
  response.stream = std::make_shared<ServedStream>(k_longest_queue + first.size());
  response.stream->put(std::make_shared<const std::string>(cat("retry: 2000\n\n", first)));
  readers_.push_back(response.stream);
  return response;
}

void StatusPage::take(const Committed& committed) {
  dirty_.insert(committed.changed.begin(), committed.changed.end());
  for (const std::string& uuid : committed.removed) {
    dirty_.erase(uuid);
    removed_.push_back(uuid);
  }
  for (const Event& event : committed.events) {
    feed_.event_came(event.id);
    if (!readers_.empty()) fresh_.push_back(page_event(event));
  }
}

Json StatusPage::row(const Node& node) const { return page_row(node, conductor_.settings().automated_clean); }

void StatusPage::note_changes() {
  for (const std::string& uuid : dirty_) {
    const Node* node = conductor_.ledger().by_uuid(uuid);
    if (node == nullptr || !conductor_.ledger().is_as_told(uuid)) continue;  // it is told again, and comes here
    if (readers_.empty()) {
      looks_.erase(uuid);
      feed_.node_changed(uuid);
      continue;
    }
    const std::size_t look = std::hash<std::string>()(page_text(row(*node)));
    const auto [before, is_new] = looks_.try_emplace(uuid, look);
    if (!is_new && std::exchange(before->second, look) == look) continue;
    feed_.node_changed(uuid);
  }
  for (const std::string& uuid : removed_) {
    looks_.erase(uuid);
    feed_.node_removed(uuid);
  }
  dirty_.clear();
  removed_.clear();
  for (LogLine& line : log_.take()) feed_.line_came(line.at, line.level, std::move(line.text));
}

void StatusPage::look_at_stacks() {
  if (stacks_ == nullptr || looking_ || conductor_.ledger().now() - looked_ < k_look_every) return;
  looking_ = true;
  stacks_->look([this](const Json& view) {
    looking_ = false;
    looked_ = conductor_.ledger().now();
    stacks_changed_ = stacks_changed_ || view != stack_view_;
    stack_view_ = view;
  });
}

void StatusPage::flush() {
  std::erase_if(readers_, [](const std::shared_ptr<ServedStream>& reader) { return !reader->is_open(); });
  note_changes();
  if (readers_.empty()) {
    told_ = feed_.now();
    fresh_ = Json::array();
    return;
  }
  look_at_stacks();
  const FeedPosition now = feed_.now();
  const bool news = now.change != told_.change || now.event != told_.event || now.line != told_.line || stacks_changed_;
  const Stamp time = conductor_.ledger().now();
  if (!news && time - last_sign_ < k_sign_every) return;
  last_sign_ = time;
  std::string text = ": still here\n\n";
  if (news) {
    const std::string data = missed_since(told_, std::exchange(fresh_, Json::array()), false);
    text = stream_message("change", to_text(now), data);
  }
  told_ = now;
  stacks_changed_ = false;
  const auto part = std::make_shared<const std::string>(std::move(text));
  for (const std::shared_ptr<ServedStream>& reader : readers_) reader->put(part);
}

std::string StatusPage::missed_since(const FeedPosition& position, Json events, bool gap) {
  Json nodes = Json::array();
  for (const std::string& uuid : feed_.changed_since(position.change)) {
    if (const Node* node = conductor_.ledger().by_uuid(uuid)) nodes.push_back(row(*node));
  }
  Json message = {{"now", stamp_json(conductor_.ledger().now())}, {"nodes", nodes}, {"events", std::move(events)}};
  message["removed"] = feed_.removed_since(position.change);
  message["lines"] = lines_json(feed_.lines_since(position.line));
  if (gap) message["gap"] = true;
  message["stacks"] = stack_view_;
  return page_text(message);
}

std::string StatusPage::snapshot() {
  Json nodes = Json::array();
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) nodes.push_back(row(node));
  EventQuery query;
  query.newest = true;
  query.limit = k_events;
  return page_text({{"now", stamp_json(conductor_.ledger().now())},
                    {"host", conductor_.settings().host},
                    {"version", HEARTH_VERSION},
                    {"states", page_states()},
                    {"nodes", nodes},
                    {"events", events_json(conductor_.ledger().store().events(query))},
                    {"lines", lines_json(feed_.lines_since(0))},
                    {"has_stacks", stacks_ != nullptr},
                    {"stacks", stack_view_}});
}

}  // namespace hearth::bootstrap
