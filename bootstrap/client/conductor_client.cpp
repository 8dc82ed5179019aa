#include "bootstrap/client/conductor_client.hpp"

#include <algorithm>
#include <cerrno>

#include "base/cli/print.hpp"
#include "base/net/wait_notice.hpp"
#include "base/net/web_client.hpp"
#include "base/progress_text.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/client/deputy.hpp"
#include "bootstrap/client/verb_refusal.hpp"
#include "bootstrap/conductor/agent_client.hpp"
#include "bootstrap/node/states.hpp"
#include "bootstrap/power/all_drivers.hpp"
#include "pxe/privileges.hpp"

namespace hearth::bootstrap {

namespace {

/// The node that a request is about.
std::string node_in(const std::string& target) {
  for (const std::string_view before :
       {"/v1/nodes/", "/v1/introspection/", "/v1/hearth/log/", "/v1/hearth/boot-log/"}) {
    if (target.starts_with(before))
      return percent_decode(target.substr(before.size(), target.find_first_of("/?", before.size()) - before.size()));
  }
  constexpr std::string_view k_parameter = "&node=";
  const std::size_t at = target.find(k_parameter);
  return at == std::string::npos ? "" : percent_decode(target.substr(at + k_parameter.size()));
}

/// What an error answer says, however deep it is wrapped.
std::string fault_text(const std::string& body, int status) {
  if (status == 413) return "that is more than the conductor takes at once: give it in parts (HTTP 413)";
  // Of a seed that rests (base/net/served.hpp), in plain words.
  constexpr std::string_view k_rests = "503 Service Unavailable: ";
  if (status == 503 && body.starts_with(k_rests))
    return cat(one_line(std::string(trim(std::string_view(body).substr(k_rests.size())))), " (HTTP 503)");
  const Result<Json> outer = parse_json(body, "answer");
  const std::string inner = outer ? text_in(*outer, "error_message") : "";
  const Result<Json> fault = parse_json(inner, "answer");
  const std::string text = fault ? text_in(*fault, "faultstring") : inner;
  return cat(text.empty() ? "the conductor refused" : text, " (HTTP ", status, ")");
}

/// The name that was meant, and those that are as near: of two equals the first of a list is taken.
std::vector<std::string> likely_names(const std::string& asked, const std::vector<std::string>& names) {
  const std::optional<std::string> near = nearest(asked, names);
  std::vector<std::string> likely;
  for (const std::string& name : names) {
    if (near && nearest(asked, {name, *near}) == name) likely.push_back(name);
  }
  return likely;
}

/// The node that was meant, or all that there are; the command that tells when they are many.
std::string who_is_there(const std::string& asked, const std::vector<std::string>& names) {
  constexpr std::size_t k_few = 8;
  const std::vector<std::string> parts = split(asked, ',');
  const auto is_known = [&](const std::string& part) { return std::ranges::find(names, part) != names.end(); };
  if (parts.size() > 1 && std::all_of(parts.begin(), parts.end(), is_known))
    return cat("Several stand with blanks between: ", join(parts, " "));
  constexpr std::size_t k_likely = 2;  // of srv-a1 to srv-a9, none is meant more than the others
  boost::system::error_code hidden;
  if (asked.find('.') != std::string::npos && fs::exists(asked, hidden))
    return cat(asked, " is a file: hearth node import takes an inventory, hearth baremetal instackenv validate --file ",
               asked, " checks one, hearth site check a site file.");
  const std::vector<std::string> likely = likely_names(asked, names);
  if (!likely.empty() && likely.size() <= k_likely) return cat("Did you mean ", join(likely, " or "), "?");
  return names.empty() || names.size() > k_few ? "`hearth node list` prints them."
                                               : cat("There are: ", join(names, ", "));
}

/// Where in a request the first text stands that is no UTF-8: "/extra/x_seed" of a patch, "/name" of an object. What it
/// says is not told, nor is what stands around it: a key or a password may.
std::string not_utf8_at(const Json& body, const std::string& here) {
  if (body.is_string()) return is_valid_utf8(body.get<std::string>()) ? "" : here;
  if (!body.is_structured()) return "";
  for (const auto& [key, value] : body.items()) {
    if (!is_valid_utf8(key)) return here;
    const bool patched = body.is_object() && key == "value" && body.contains("path");
    const std::string found = not_utf8_at(value, patched ? text_in(body, "path") : cat(here, "/", key));
    if (!found.empty()) return found;
  }
  return "";
}

/// What is typed may be no UTF-8, which JSON can't carry.
std::string wire_form(const Json& body) {
  if (body.is_null()) return "";
  try {
    return format_json(body);
  } catch (const Json::type_error&) {
    throw Error(ErrorKind::usage, cat("this is no UTF-8 text: the value for ", not_utf8_at(body, "")));
  }
}

constexpr std::chrono::seconds k_patience = ConductorClient::k_usual_patience;  // for a conductor's answer, or BMCs'
constexpr std::chrono::seconds k_import_patience{600};                          // of 100,000 nodes, on a busy machine

class RemoteClient final : public ConductorClient {
 public:
  /// `socket`: the path of the conductor's own, where `url` has no address of it.
  RemoteClient(std::string url, std::string token, std::string socket = "")
      : http_(clock_, current_environment(), "hearth"),
        url_(std::move(url)),
        token_(std::move(token)),
        socket_(std::move(socket)) {
    while (!url_.empty() && url_.back() == '/') url_.pop_back();
  }
  [[nodiscard]] bool lasts() const override { return true; }
  void wait(Duration duration) override { clock_.sleep(duration); }
  void set_patience(std::chrono::seconds patience) override { patience_ = patience; }

 private:
  Answer send(const std::string& method, const std::string& target, const std::string& body) override {
    HttpRequest request;
    request.method = method;
    request.url = parse_url(cat(url_, target)).value_or_throw();
    request.headers = {{"X-OpenStack-Ironic-API-Version", "1.82"}, {"Accept", "application/json"}};
    if (!token_.empty()) request.headers.emplace_back("X-Auth-Token", token_);
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    request.body = body;
    request.socket = socket_;
    const std::chrono::seconds patience = target == "/v1/hearth/import" ? k_import_patience : patience_;
    request.deadline = Deadline::after(patience, clock_);
    const WaitNotice notice(
        cat("waiting for the conductor at ", socket_.empty() ? url_ : socket_, ", ", patience.count(), " s at most"));
    const HttpResponse response = answer_to(request);
    // Another service's answer would be taken apart as something that it is not.
    if (response.ok() && !find_header(response.headers, "X-OpenStack-Ironic-API-Maximum-Version"))
      throw Error(ErrorKind::input, cat("what answers at ", url_, " is no conductor"))
          .hint("`hearth node serve` runs one, and tells its address; --url and HEARTH_NODE_URL name another.");
    return {response.status, response.body};
  }
  HttpResponse answer_to(const HttpRequest& request) {
    try {
      return http_.send(request);
    } catch (Error& error) {
      throw Error(error)
          .during(cat("asking the conductor at ", socket_.empty() ? url_ : socket_))
          .hint(
              "`hearth why` says what is wrong with one that answers nobody; `hearth node serve` runs one; --url and "
              "HEARTH_NODE_URL name another.");
    }
  }

  SystemClock clock_;
  WebClient http_;
  std::string url_;
  std::string token_;
  std::string socket_;
  std::chrono::seconds patience_ = k_patience;
};

/// In this process nothing is done with rights that the caller does not have.
Settings own_settings() {
  Settings settings;
  settings.rehearsal = true;
  return settings;
}

class OwnConductor final : public ConductorClient {
 public:
  OwnConductor(const fs::path& directory, FileLock lock)
      : lock_(std::move(lock)),
        store_((directory / k_state_file).string()),
        curfew_(std::make_shared<Curfew>()),
        drivers_(all_drivers(directory, curfew_)),
        agents_(clock_, std::chrono::seconds(10)),
        workers_(8),
        conductor_({store_, drivers_, agents_, workers_, clock_, log_, own_settings(), directory}),
        api_(conductor_, IronicApi::Faces::all, log_) {}
  OwnConductor(const OwnConductor&) = delete;
  OwnConductor& operator=(const OwnConductor&) = delete;
  ~OwnConductor() override {
    curfew_->set(clock_.now());  // whoever has been asked gets the rest of the minute, nobody else a request
    if (!workers_.stop(std::chrono::seconds(1))) cli::tell(cat("waiting until ", waited_for(), " has answered\n"));
  }
  [[nodiscard]] bool lasts() const override { return false; }
  void wait(Duration duration) override {
    const MonotonicTime until = clock_.now() + duration;
    while (clock_.now() < until) {
      conductor_.tick();
      clock_.sleep(std::chrono::milliseconds(20));
    }
  }

  [[nodiscard]] Answer send(const std::string& method, const std::string& target, const std::string& body) override {
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.raw_path = parts.raw_path;
    request.path = parts.path;
    request.query = parts.query;
    request.headers = {{"X-OpenStack-Ironic-API-Version", "1.82"}, {"Host", "localhost"}};
    request.body = body;
    request.peer = "127.0.0.1";
    const ServedResponse response = api_.answer(request, {Role::admin, "this machine"});
    if (method == "GET") return {response.status, response.content()};  // who only asks moves nothing
    // What can be done without a machine's answer is done before the command goes on; BMCs get a minute.
    const MonotonicTime begun = clock_.now();
    const Deadline deadline = Deadline::after(k_patience, clock_);
    curfew_->set(begun + k_patience);
    for (bool told = false; !conductor_.quiet() && !deadline.passed(clock_.now());) {
      conductor_.tick();
      if (conductor_.quiet()) break;
      if (!told && clock_.now() > begun + std::chrono::seconds(1)) {
        cli::tell(cat("waiting for ", waited_for(), ", ", k_patience.count(), " s at most\n"));
        told = true;
      }
      clock_.sleep(std::chrono::milliseconds(10));
    }
    return {response.status, response.content()};
  }

 private:
  [[nodiscard]] std::string waited_for() const {
    const std::vector<std::string> names = conductor_.asked_nodes();
    return names.empty() ? "what has begun" : cat("the BMC of ", join(names, ", "));
  }

  SystemClock clock_;
  FdLogger log_{2, LogLevel::warning};
  FileLock lock_;
  Store store_;
  std::shared_ptr<Curfew> curfew_;
  Drivers drivers_;
  HttpAgentClient agents_;
  ThreadWorkers workers_;
  Conductor conductor_;
  IronicApi api_;
};

/// Root's: it works in a copy of this process that has become who keeps the state, as `hearth node serve` does. What
/// the state holds, and who answers for a BMC, is not to be read, followed or done by root.
class LesserConductor final : public ConductorClient {
 public:
  LesserConductor(const fs::path& directory, bool is_new, FileLock lock)
      : deputy_([&](DeputyLine& asker) {
          become_keeper(directory.string(), is_new);
          asker.end_with_other();
          OwnConductor own(directory, std::move(lock));
          answer(own, asker);
        }) {
    const FileLock left = std::move(lock);  // to the copy
    static_cast<void>(deputy_.receive());   // it has begun, or says why not
  }
  [[nodiscard]] bool lasts() const override { return false; }
  void wait(Duration duration) override {
    deputy_.send({{"wait", std::chrono::duration_cast<std::chrono::microseconds>(duration).count()}});
    static_cast<void>(deputy_.receive());
  }

 private:
  static void answer(OwnConductor& own, DeputyLine& asker) {
    asker.send({{"begun", true}});
    while (const std::optional<Json> message = asker.receive()) {
      if (const auto time = message->find("wait"); time != message->end()) {
        own.wait(std::chrono::microseconds(time->get<std::int64_t>()));
        asker.send(Json::object());
        continue;
      }
      const Answer answer =
          own.send(text_in(*message, "method"), text_in(*message, "target"), text_in(*message, "body"));
      asker.send({{"status", answer.status}, {"body", answer.body}});
    }
  }
  [[nodiscard]] Answer send(const std::string& method, const std::string& target, const std::string& body) override {
    deputy_.send({{"method", method}, {"target", target}, {"body", body}});
    const Json answer = deputy_.receive();
    return {answer["status"].get<int>(), text_in(answer, "body")};
  }

  Deputy deputy_;
};

/// With no more rights than a conductor that serves.
std::unique_ptr<ConductorClient> own_conductor(const fs::path& directory, bool is_new, FileLock lock) {
  if (pxe::is_machines_root()) return std::make_unique<LesserConductor>(directory, is_new, std::move(lock));
  return std::make_unique<OwnConductor>(directory, std::move(lock));
}

/// What the conductor of a command that changes nothing works on.
class PlayedConductor final : public ConductorClient {
 public:
  PlayedConductor()
      : directory_(TempDir::create(fs::temp_directory_path(), "hearth-node")),
        conductor_(own_conductor(directory_.path(), true, FileLock::try_acquire(directory_.path() / "lock").value())) {}
  [[nodiscard]] bool lasts() const override { return conductor_->lasts(); }
  void wait(Duration duration) override { conductor_->wait(duration); }

 private:
  [[nodiscard]] Answer send(const std::string& method, const std::string& target, const std::string& body) override {
    return asked(*conductor_, method, target, body);
  }
  TempDir directory_;
  std::unique_ptr<ConductorClient> conductor_;
};

void require_state(const std::string& directory) {
  if (has_state(directory)) return;
  if (parse_state(directory) && !fs::exists(directory))  // "--state available"
    throw Error(ErrorKind::not_found, cat("there is no state in ", directory, ", which --state takes for a directory"))
        .hint(cat("The nodes that are ", directory, ": hearth node list --provision-state ", directory));
  throw Error(ErrorKind::not_found, cat("there is no state in ", directory))
      .hint(
          "`hearth node import FILE` and `hearth node serve` make one; --state DIR or HEARTH_NODE_STATE names "
          "another.");
}

std::vector<std::string> names_in(const fs::path& directory, bool nodes) {
  Store store((directory / k_state_file).string());
  std::vector<std::string> names;
  if (nodes) {
    for (const Node& node : store.nodes([](const std::string&, const std::string&) {}))
      names.push_back(node.name.empty() ? node.uuid : node.name);
    return names;
  }
  constexpr std::string_view k_image = "image/";
  for (const auto& [name, document] : store.documents(std::string(k_image)))
    names.push_back(name.substr(k_image.size()));
  return names;
}

std::optional<FileLock> lock_of(const fs::path& directory) {
  try {
    return FileLock::try_acquire(directory / "lock");
  } catch (Error& error) {
    if (error.system_error() != EACCES) throw;
    throw error.hint(
        "that state is another user's: run this as that user or root, or ask its conductor with --url and "
        "--token-file");
  }
}

/// One that takes in nobody any more does, too: it hangs, and `hearth why` tells it. Of a socket of another user's the
/// lock tells.
bool somebody_listens(const fs::path& socket) {
  try {
    return connect_locally(socket, false).has_value();
  } catch (const Error& error) {
    if (error.system_error() != EAGAIN && error.system_error() != EACCES) throw;
    return error.system_error() == EAGAIN;
  }
}

std::string token_from(const cli::Arguments& arguments, const std::string& directory) {
  const std::string file = arguments.value_or("token-file", cat(directory, "/api-token"));
  const std::optional<std::string> text = RealFileSystem().read(file);
  const std::string token(trim(text.value_or("")));
  if (token.empty() && arguments.has("token-file"))
    throw Error(ErrorKind::input,
                cat("--token-file ", file, ": ", text ? "the file is empty" : "there is no such file"));
  return token;
}

}  // namespace

bool has_state(const fs::path& directory, bool if_hidden) {
  for (const char* name : {k_state_file, k_home_file}) {
    boost::system::error_code hidden;  // then the lock says it
    if (fs::exists(directory / name, hidden)) return true;
    if (hidden == boost::system::errc::permission_denied) return if_hidden;
  }
  return false;
}

void make_state_directory(const fs::path& directory) {
  RealFileSystem files;
  files.make_directories(fs::absolute(directory).parent_path(), 0755);
  files.make_directories(directory, 0700);
}

std::string state_directory(const cli::Arguments& arguments) {
  const Environment env = current_environment();
  const auto set = env.find("HEARTH_NODE_STATE");
  return arguments.value_or("state", set == env.end() ? "/var/lib/hearth/node" : set->second);
}

std::string conductor_url(const cli::Arguments& arguments) {
  const Environment env = current_environment();
  const auto set = env.find("HEARTH_NODE_URL");
  return arguments.value_or("url", set == env.end() ? "" : set->second);
}

namespace {

/// Where nobody said which, a state is made where services keep theirs: whoever only tries something is to know.
void tell_where(const cli::Arguments& arguments, const std::string& directory) {
  if (arguments.has("state") || current_environment().contains("HEARTH_NODE_STATE")) return;
  cli::tell(cat("note: nodes are kept in ", directory, ", which is made now; --state DIR keeps them elsewhere\n"));
}

void make_state(const std::string& directory) try { make_state_directory(directory); } catch (Error& error) {
  throw error.hint(
      "be root, name a conductor that runs (--url, HEARTH_NODE_URL), or keep nodes elsewhere (--state, "
      "HEARTH_NODE_STATE)");
}

}  // namespace

std::unique_ptr<ConductorClient> ConductorClient::open(const cli::Arguments& arguments, NewState absent) {
  const std::string directory = state_directory(arguments);
  const std::string url = conductor_url(arguments);
  if (!url.empty()) return std::make_unique<RemoteClient>(url, token_from(arguments, directory));
  if (absent == NewState::refused) require_state(directory);
  if (absent == NewState::played && !has_state(directory)) return std::make_unique<PlayedConductor>();
  const bool is_new = !has_state(directory);
  const fs::path socket = fs::path(directory) / k_api_socket;
  // Who is served needs no lock, whose file is opened for writing: a disk that hangs does not let that.
  bool served = !is_new && somebody_listens(socket);
  if (!served) {
    make_state(directory);
    std::optional<FileLock> lock = lock_of(directory);
    if (lock) {
      check_is_at_home(directory);  // only who serves it can answer
      if (is_new) tell_where(arguments, directory);
      return own_conductor(directory, is_new, std::move(*lock));
    }
    served = somebody_listens(socket);
  }
  const std::string token = arguments.value("token-file") ? token_from(arguments, directory) : "";
  if (served) return std::make_unique<RemoteClient>("http://localhost", token, socket.string());
  if (const std::optional<std::string> home = RealFileSystem().read(fs::path(directory) / k_home_file))
    throw Error(ErrorKind::io, cat("nobody answers in ", directory, ": its state lives in ", trim(*home)))
        .hint(
            "A seed works on it, which begins, or waits to follow the one that serves there: hearth node seeds "
            "--database URL names that one. Ask it.");
  throw Error(ErrorKind::io, cat("another hearth works on ", directory))
      .hint("a conductor that starts answers in a moment, another command ends by itself: try again");
}

Json ConductorClient::call(const std::string& method, const std::string& target, const Json& body) {
  return call_expecting(method, target, body, 200);
}

Json ConductorClient::rows(const std::string& target, const std::string& key) {
  constexpr int k_page = 1000;
  const std::string page = cat(target, target.find('?') == std::string::npos ? "?" : "&", "limit=", k_page);
  Json all = Json::array();
  std::string behind;
  while (true) {
    Json body = call_expecting("GET", cat(page, behind), Json(), behind.empty() ? 200 : 404);
    // The last of a page was deleted meanwhile, and nobody knows what was behind it.
    if (!body.contains(key)) return call("GET", target)[key];
    for (Json& row : body[key]) all.push_back(std::move(row));
    if (!body.contains("next")) return all;
    behind = cat("&marker=", text_in(all.back(), "uuid"));
  }
}

Json ConductorClient::call_expecting(const std::string& method, const std::string& target, const Json& body,
                                     int status) {
  const Answer answer = send(method, target, wire_form(body));
  const bool good = answer.status >= 200 && answer.status < 300;
  if (!good && answer.status != status) {
    const ErrorKind kind = answer.status == 404 ? ErrorKind::not_found : ErrorKind::input;
    std::string text = fault_text(answer.body, answer.status);
    const std::optional<VerbRefusal> refused = verb_refusal(text, node_in(target));
    if (refused) text = refused->text;
    Error error(kind, text);
    const std::string node = answer.status == 404 ? node_in(target) : "";
    const std::vector<std::string> names = node.empty() ? std::vector<std::string>{} : names_of_nodes();
    const bool is_there = std::find(names.begin(), names.end(), node) != names.end();  // something of it is not
    if (!node.empty() && !is_there) error.hint(who_is_there(node, names));
    if (refused) error.hint(refused->hint);
    throw Error(error);
  }
  if (answer.body.empty()) return Json();
  return parse_json(answer.body, "the conductor's answer").value_or_throw();
}

std::vector<std::string> ConductorClient::names_of_nodes() {
  const Answer answer = send("GET", "/v1/nodes?fields=name,uuid", "");
  const Result<Json> nodes = parse_json(answer.body, "nodes");
  std::vector<std::string> names;
  if (answer.status != 200 || !nodes || !nodes->is_object()) return names;
  for (const Json& node : nodes->value("nodes", Json::array())) {
    const std::string name = text_in(node, "name");
    names.push_back(name.empty() ? text_in(node, "uuid") : name);
  }
  return names;
}

std::string node_target(const std::string& id, std::string_view rest) {
  // A server that takes %2F for a separator would answer about something else.
  if (id.empty() || id.find('/') != std::string::npos)
    throw Error(ErrorKind::not_found, cat("'", id, "' is no node: names have letters, digits and - . _ ~"));
  return cat("/v1/nodes/", percent_encode(id), rest);
}

std::optional<std::vector<std::string>> names_at_rest(const fs::path& directory, bool nodes) {
  require_state(directory.string());
  std::optional<FileLock> lock = FileLock::try_acquire(directory / "lock");
  if (!lock) return std::nullopt;
  if (!pxe::is_machines_root()) return names_in(directory, nodes);
  Deputy keeper([&](DeputyLine& asker) {
    become_keeper(directory.string(), false);
    asker.send({{"names", names_in(directory, nodes)}});
  });
  return keeper.receive()["names"].get<std::vector<std::string>>();
}

std::vector<cli::Option> client_options() {
  return {{"url", 0, "URL", "the conductor's address (HEARTH_NODE_URL; else the one that serves the state)"},
          {"state", 0, "DIR", "where nodes are kept (HEARTH_NODE_STATE, /var/lib/hearth/node)"},
          {"token-file", 0, "FILE", "the conductor's token (with --url DIR/api-token; else none is needed)"}};
}

std::vector<cli::Option> with_client(std::vector<cli::Option> options) {
  for (cli::Option& option : client_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace hearth::bootstrap
