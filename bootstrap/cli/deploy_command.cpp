// `hearth deploy`: from templates and an inventory to configured machines, as one run.
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/net/connection.hpp"
#include "base/net/wait_notice.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/sys/first_start.hpp"
#include "base/sys/local_socket.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/seed_service.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/deputy.hpp"
#include "bootstrap/client/wait_lines.hpp"
#include "bootstrap/deploy/live_picture.hpp"
#include "bootstrap/deploy/node_side.hpp"
#include "metadata/live/upload.hpp"

namespace hearth::bootstrap {

namespace {

void print_at_once(const std::string& text) {
  cli::print(text);
  std::fflush(stdout);
}

/// With --json standard output is for programs.
void tell(const cli::Arguments& arguments, const std::string& text) {
  arguments.has("json") ? cli::tell(text) : print_at_once(text);
}

/// The seed's services in a copy of this process, for as long as this lives: with no more rights than `hearth node
/// serve` has.
class OwnSeed {
 public:
  explicit OwnSeed(const cli::Arguments& arguments)
      : deputy_([&](DeputyLine& asker) {
          SeedService service(arguments);
          asker.end_with_other();
          asker.send({{"nodes", service.nodes_url()},
                      {"stacks", service.stacks_url()},
                      {"token", service.stacks_token()},
                      {"authority", service.stacks_ca_file()}});
          service.run();
          if (!service.wind_up()) std::_Exit(0);  // what was asked of BMCs and agents is asked again
        }),
        told_(told_by(deputy_)) {}
  OwnSeed(const OwnSeed&) = delete;
  OwnSeed& operator=(const OwnSeed&) = delete;
  ~OwnSeed() { deputy_.stop(); }
  [[nodiscard]] std::string nodes_url() const { return text_in(told_, "nodes"); }
  [[nodiscard]] metadata::live::StackAddress stacks() const {
    return {text_in(told_, "stacks"), text_in(told_, "token"), text_in(told_, "authority")};
  }
  void stay() { deputy_.wait(); }

 private:
  /// The copy is there already: no thread of ours is in it.
  static Json told_by(Deputy& deputy) {
    const WaitNotice notice("waiting until the services of this process have opened their state and ports");
    return deputy.receive();
  }

  Deputy deputy_;
  Json told_;
};

/// Where the nodes and the stacks are: a seed's, or our own.
struct Site {
  std::unique_ptr<OwnSeed> own;
  cli::Arguments conductor;  ///< how the conductor is reached
  bool is_running = false;   ///< those that serve the state directory on this machine
  metadata::live::StackAddress stacks{};
  std::optional<TempDir> told{};  ///< what the conductor said of whom to trust
};

/// "http://192.0.2.1:6385" → "https://192.0.2.1:8004/v1/admin". `engine`: where its conductor says that machines find
/// it.
std::string stacks_beside(const std::string& seed, const std::string& engine) {
  Url url = parse_url(seed).value_or_throw();
  const Url told = parse_url(engine.empty() ? "http://seed:8004" : engine).value_or_throw();
  url.scheme = told.scheme;
  url.port = told.port;
  url.path = "/v1/admin";
  url.has_query = false;
  return url.text();
}

std::string with_port(const std::string& seed) {
  Url url = parse_url(seed).value_or_throw();
  if (seed.find(cat(":", url.port), seed.find("://") + 3) == std::string::npos) url.port = 6385;
  url.path = "/";
  return url.text();
}

/// On this machine the conductor's own word holds, unless its ports were forwarded here, the stacks' among them.
std::string stacks_at(const std::string& seed, const std::string& told) {
  const std::string beside = stacks_beside(seed, told);
  const Url url = parse_url(beside).value_or_throw();
  const bool is_here = url.host == "localhost" || url.host == "[::1]" || url.host.starts_with("127.");
  if (told.empty() || !is_here) return beside;
  try {
    const SystemClock clock;
    static_cast<void>(Connection::open(url, Deadline::after(std::chrono::seconds(2), clock), clock));
    return beside;
  } catch (const Error&) {
    return told;
  }
}

std::string host_in(const std::string& url) { return parse_url(url).value_or_throw().host; }

/// Whether services run on the state directory, and stay: those of a `hearth deploy` that has just ended are over in
/// moments.
bool is_served(const cli::Arguments& arguments) {
  const fs::path directory = state_directory(arguments);
  boost::system::error_code hidden;
  if (!conductor_url(arguments).empty() || !fs::exists(directory / k_api_socket, hidden)) return false;
  if (!connect_locally(directory / k_api_socket, false)) return false;
  constexpr std::chrono::seconds k_moments{5};
  if (FileLock::try_acquire(directory / "lock")) return false;
  tell(arguments,
       cat("waiting to see whether the services on ", directory.string(), " stay, ", k_moments.count(), " s\n"));
  return !FileLock::try_acquire(directory / "lock", k_moments);
}

/// Options that nobody would read are no wish that can be granted: which services they are of depends on --seed.
void refuse_unread(const cli::Arguments& arguments, bool is_running) {
  if (!arguments.has("seed")) {
    for (const char* of_seed : {"stacks-url", "stacks-token-file", "stacks-ca-file"}) {
      if (arguments.has(of_seed))
        throw Error(ErrorKind::usage,
                    cat("--", of_seed, " is of a running seed: name its conductor, too, by --seed URL"));
    }
    if (!is_running) return;
  }
  std::vector<std::string> own = {"listen", "port", "stay"};
  for (const cli::Option& option : boot_options()) own.push_back(option.name);
  for (const std::string& name : own) {
    if (arguments.has(name))
      throw Error(ErrorKind::usage,
                  cat("--", name, " is of services that this process runs; ",
                      is_running ? cat("those on ", state_directory(arguments), " run already, and ")
                                 : "with --seed the seed's ",
                      "do the work: give it to `hearth node serve` there", is_running ? "" : ", or leave --seed out"));
  }
}

Site open_site(const cli::Arguments& arguments) {
  Site site;
  site.conductor = arguments;
  site.is_running = !arguments.has("seed") && is_served(arguments);
  refuse_unread(arguments, site.is_running);
  if (site.is_running) {
    tell(arguments, cat("The services that run on ", state_directory(arguments), " do the work.\n"));
    return site;
  }
  if (const auto seed = arguments.value("seed")) {
    site.conductor.add("url", with_port(*seed));
    return site;
  }
  cli::Arguments serve = arguments;
  for (const char* flag : {"engine", "silent", "quiet"}) serve.add(flag, "");
  FirstStart first(state_directory(arguments));  // the copy may be another user by then, who can't remove the folder
  try {
    site.own = std::make_unique<OwnSeed>(serve);
    first.happened();
  } catch (Error& error) {
    if (error.story().find("Address already in use") == std::string::npos) throw;
    throw error.hint(
        "services run on this machine already: where they are a site's, --seed http://127.0.0.1:6385 has them do the "
        "work");
  }
  site.conductor.add("url", site.own->nodes_url());
  site.stacks = site.own->stacks();
  return site;
}

/// What is not said of a seed's stacks its conductor knows; one of an older Hearth, that serves them in clear, knows
/// nothing of it. Whom it names is trusted for the seed's own addresses, not elsewhere.
void find_stacks(Site& site, const cli::Arguments& arguments, ConductorClient& conductor) {
  if (site.is_running) {
    site.stacks =
        metadata::live::stack_address(fs::path(state_directory(arguments)) / "metadata", {}, current_environment());
    if (site.stacks.socket.empty())
      throw Error(ErrorKind::unsupported, cat("the conductor on ", state_directory(arguments), " runs no stack engine"))
          .hint("start it with --engine, or name the seed that has one: --seed URL");
  }
  const std::string seed = arguments.value_or("seed", "");
  if (seed.empty()) return;
  const metadata::live::GivenAddress given{arguments.value_or("stacks-url", ""),
                                           arguments.value_or("stacks-token-file", ""),
                                           arguments.value_or("stacks-ca-file", "")};
  site.stacks =
      metadata::live::stack_address(fs::path(state_directory(arguments)) / "metadata", given, current_environment());
  site.stacks.socket.clear();  // the seed's are meant, which may be another machine
  Json engine = Json::object();
  try {
    engine = conductor.call("GET", "/v1/hearth/engine");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
  }
  const std::string told = text_in(engine, "url");
  if (given.url.empty()) site.stacks.url = stacks_at(seed, told);
  const std::string host = host_in(site.stacks.url);
  const std::string authority = text_in(engine, "authority");
  if (!given.ca_file.empty() || authority.empty() || (host != host_in(seed) && host != host_in(told))) return;
  site.told.emplace(TempDir::create("/tmp", "hearth-deploy-"));
  site.stacks.ca_file = (site.told->path() / "authority.pem").string();
  RealFileSystem().write(site.stacks.ca_file, authority, {});
}

metadata::live::UploadRequest upload_of(const cli::Arguments& arguments) {
  metadata::live::UploadRequest request;
  request.name = arguments.value_or("name", "overcloud");
  const std::optional<std::string> file = arguments.value("template");
  if (!file) throw Error(ErrorKind::usage, "which template? give -t FILE");
  request.template_file = *file;
  for (const std::string& environment : arguments.values("environment")) request.environments.emplace_back(environment);
  request.parameters = arguments.values("parameter");
  request.roles = arguments.value_or("roles", "");
  request.networks = arguments.value_or("network-data", "");
  return request;
}

std::uint64_t minutes_of(const cli::Arguments& arguments) {
  const std::string text = arguments.value_or("timeout", "240");
  const std::optional<std::uint64_t> minutes = parse_number(text);
  if (!minutes || *minutes == 0)
    throw Error(ErrorKind::usage, cat("--timeout ", text, ": a number of minutes is expected"));
  return *minutes;
}

/// One look at everything, and what follows from it; the stack's status.
std::string look(StackSide& stack, NodeSide& nodes) {
  const std::string status = stack.status();
  nodes.tell_events();
  stack.tell_events();
  if (is_running(status)) nodes.step();
  return status;
}

/// Takes the stack to its end; prints what happens, and in silence what is waited for. Its last status. A seed that
/// does not answer is waited for: it goes on where it was when it is back.
std::string follow(StackSide& stack, NodeSide& nodes, ConductorClient& conductor, WaitLines& lines,
                   LivePicture& picture) {
  constexpr int k_patience = 600;  // seconds
  int silent = 0;
  while (true) {
    try {
      const std::string status = look(stack, nodes);
      if (!is_running(status)) return status;
      silent = 0;
      picture.draw(stack, nodes);
      if (!picture.is_on() && lines.is_due()) lines.look(join_first(waits_of(stack, nodes.standing()), 3, "; "));
      conductor.wait(std::chrono::milliseconds(500));
    } catch (Error& error) {
      if (error.kind() != ErrorKind::io || silent >= k_patience) throw;
      if (silent++ == 0) cli::tell(cat("The seed does not answer (", error.what(), "): waiting for it.\n"));
      conductor.wait(std::chrono::seconds(1));
    }
  }
}

Error with_seed_hint(Error error, const Site& site) {
  if (error.kind() == ErrorKind::io)
    error.hint(cat("is the seed up? Its conductor should be at ",
                   site.conductor.value("url").value_or(state_directory(site.conductor))));
  return error;
}

/// What came of it: the nodes, and the stack's outputs, or what failed.
void tell_end(StackSide& stack, NodeSide& nodes, const std::string& name, const std::string& status, bool is_json) {
  if (is_json) {
    Json end = {{"kind", "end"}, {"status", status}};
    if (has_failed(status))
      end["failures"] = stack.failures();
    else
      end["outputs"] = stack.output_values();
    return print_at_once(cat(format_json(end), "\n"));
  }
  const std::string ended = cat("Stack ", name, " ", status, "\n");
  print_at_once(has_failed(status) ? cat(nodes.table(), ended, stack.failures())
                                   : cat(nodes.table(), stack.outputs(), ended));
}

int deploy(const cli::Arguments& arguments) {
  const metadata::live::UploadRequest request = upload_of(arguments);
  const RealFileSystem files;
  Json body;
  {
    const WaitNotice notice(cat("reading and checking ", request.template_file.string(), " and what it names"));
    body = metadata::live::make_upload(request, files);  // what is wrong there is told before anything is begun
  }
  body["timeout_mins"] = minutes_of(arguments);
  body["disable_rollback"] = true;
  Site site = open_site(arguments);
  const auto conductor = ConductorClient::open(site.conductor, ConductorClient::NewState::made);
  const SystemClock clock;
  WebClient http(clock, current_environment(), "hearth");
  try {
    find_stacks(site, arguments, *conductor);
  } catch (Error& error) {
    throw with_seed_hint(error, site);
  }
  metadata::live::StackClient client(http, clock, site.stacks);
  const bool is_json = arguments.has("json");
  WaitLines lines(clock, [&](const std::string& text) { tell(arguments, text); });
  const TellNews tell_news = [&](const std::string& text, const char* kind, const Json& event) {
    print_at_once(is_json ? cat(format_json({{"kind", kind}, {"text", trim(text)}, {"event", event}}), "\n") : text);
    lines.told();
  };
  StackSide stack(client, request.name, tell_news);
  NodeSide nodes(*conductor, stack, {request.name, arguments.value_or("image", "")}, tell_news);
  try {
    nodes.begin();
  } catch (Error& error) {
    throw with_seed_hint(error, site);
  }
  if (const auto inventory = arguments.value("inventory")) {
    import_file(*conductor, *inventory, "", {{"initial_state", "available"}, {"skip_busy", true}});
  }
  nodes.check_image();
  stack.begin(body);
  const std::string status = [&] {
    LivePicture picture(clock, request.name);
    return follow(stack, nodes, *conductor, lines, picture);
  }();
  const bool is_good = !has_failed(status);
  if (is_good) nodes.release_leftovers();
  if (is_good) nodes.tell_events();
  tell_end(stack, nodes, request.name, status, is_json);
  if (!is_good)
    throw Error(ErrorKind::external, cat("the stack ", request.name, " is ", status))
        .hint("mend what is named above and run the same command again: it goes on from here");
  if (site.own && arguments.has("stay")) {
    tell(arguments, "Serving the machines' metadata on; SIGTERM ends it.\n");
    site.own->stay();
  }
  return 0;
}

}  // namespace

cli::Command deploy_command() {
  cli::Command command{
      "deploy",
      "",
      "take a site from templates and an inventory to configured machines",
      "Makes the stack of the templates, deploys a node for each of its servers, and waits until all software "
      "deployments have signalled: events of stack and nodes are printed as they come; below them a terminal has a "
      "line of how far it is, and elsewhere what is waited for is printed where no events come. A server gets the "
      "node that its "
      "scheduler hint names (capabilities:node), else one with its flavor as profile or resource class; with the "
      "flavor baremetal, any. Images are those that hearth image load has registered. With --seed the services of a "
      "running seed do the work, without it those that `hearth node serve --engine` runs on DIR; else this process "
      "runs "
      "them for as long as it lasts, with its state in DIR. Run "
      "again, "
      "the command goes on where it was, and changes what the templates say anew. Exit code 1 when the stack failed.",
      {{"template", 't', "FILE", "the template"},
       {"environment", 'e', "FILE", "an environment; later ones win; may be given again"},
       {"parameter", 'P', "NAME=VALUE", "a parameter; may be given again"},
       {"roles", 'r', "FILE", "roles_data.yaml: the template's TripleO tree in Jinja is rendered as read"},
       {"network-data", 0, "FILE", "networks of the tree (network_data.yaml in it)"},
       {"inventory", 0, "FILE", "nodes (instackenv.json, YAML, CSV), imported first"},
       {"name", 'n', "NAME", "the stack's name (overcloud)"},
       {"image", 0, "IMAGE|URL", "for servers that name none: a registered image or a URL"},
       {"timeout", 0, "MINUTES", "how long all of it may take (240)"},
       {"seed", 0, "URL", "a running seed: its conductor (http://HOST:6385)"},
       {"stacks-url", 0, "URL", "its stack engine (as the conductor says, at HOST: https://HOST:8004/v1/admin)"},
       {"stacks-token-file", 0, "FILE", "the engine's token (DIR/metadata/api-token)"},
       {"stacks-ca-file", 0, "FILE",
        "whom to trust there (PEM; at the seed's addresses whom its conductor says, else the system's authorities)"},
       {"state", 0, "DIR", "where state is kept without a seed (HEARTH_NODE_STATE, /var/lib/hearth/node)"},
       {"token-file", 0, "FILE", "the conductor's token (DIR/api-token)"},
       {"listen", 0, "ADDRESS", "without a seed: the conductor's address for people (127.0.0.1)"},
       {"port", 0, "PORT", "and port (6385)"},
       {"json", 0, "",
        "on standard output an object a line: {kind: stack or node, text, event}, at last {kind: end, status}"},
       {"stay", 0, "", "without a seed: serve the machines' metadata on when it is done"}},
      deploy,
      "",
      true};
  for (cli::Option& option : boot_options()) command.options.push_back(std::move(option));
  return command;
}

}  // namespace hearth::bootstrap
