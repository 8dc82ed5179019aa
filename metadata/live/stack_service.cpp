#include "metadata/live/stack_service.hpp"

#include <malloc.h>

#include <chrono>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/seal.hpp"
#include "base/text.hpp"
#include "metadata/engine/open_repository.hpp"
#include "metadata/live/event_sinks.hpp"
#include "metadata/live/file_machines.hpp"
#include "metadata/live/heat_blueprint.hpp"
#include "metadata/live/heat_guide.hpp"
#include "metadata/live/side_thread.hpp"
#include "metadata/live/store_guard.hpp"
#include "metadata/live/trial_guard.hpp"
#include "metadata/live/trial_logger.hpp"
#include "metadata/live/trial_repository.hpp"
#include "metadata/live/upload.hpp"
#include "metadata/rest/heat_api.hpp"
#include "metadata/rest/heat_render.hpp"
#include "metadata/rest/identity_api.hpp"
#include "metadata/serve/audit_log.hpp"
#include "metadata/serve/cfn_answer.hpp"
#include "metadata/serve/cfn_api.hpp"
#include "metadata/serve/ec2_api.hpp"
#include "metadata/serve/object_api.hpp"
#include "metadata/serve/peer_notes.hpp"

namespace hearth::metadata::live {

namespace {

fs::path prepared(const fs::path& state) {
  RealFileSystem().make_directories(state, 0700);
  return state;
}

fs::path keys_of(const ServiceSettings& settings) {
  return settings.seal_key.empty() ? settings.state / k_seal_key : settings.seal_key;
}

void forget_former(const fs::path& keys, const SqlRepository& repository, const Clock& clock, Logger& log) {
  try {
    forget_former_keys(keys, repository.sealed_with(), unix_seconds(clock.wall()));
  } catch (const Error& error) {  // a file that can't be written is good enough to read
    log.warning(cat("former keys stay in ", keys.string(), ": ", error.what()));
  }
}

/// The database, sealed. But for the key with which it is, the former ones have nothing to open any more.
std::unique_ptr<SqlRepository> opened(const ServiceSettings& settings, const Clock& clock, Logger& log) {
  const fs::path keys = keys_of(settings);
  std::unique_ptr<SqlRepository> repository = open_repository(settings.database, settings.state, keys);
  if (!repository->put_off().empty())
    log.warning(cat("the rotation of ", keys.string(), " is put off: ", repository->put_off()));
  forget_former(keys, *repository, clock, log);
  return repository;
}

/// After a server that was killed, a copy of it that has not run yet still has the lock, until it ends.
FileLock held(const fs::path& state) {
  std::optional<FileLock> lock = FileLock::try_acquire(state / "lock", std::chrono::seconds(2));
  if (!lock) throw Error(ErrorKind::io, cat(FileLock::holder(state / "lock"), " serves ", state.string()));
  return std::move(*lock);
}

}  // namespace

/// In the order in which they are made.
struct StackService::Parts {
  Parts(const ServiceSettings& settings, const Clock& given_clock, Logger& given_log)
      : log(given_log),
        state(prepared(settings.state)),
        lock(held(state)),
        keys(keys_of(settings)),
        tokens(state),
        repository(opened(settings, given_clock, log)),
        kept(*repository),
        maker(engine_secret(*repository)),
        engine({kept, maker, given_clock, log, settings.provides_machines, settings.goes_on_after_failure},
               settings.urls),
        audit((state / "audit.log").string(), given_clock),
        machines(engine, settings.machines),
        cfn(engine, log),
        objects(engine, given_clock, log),
        identity(engine, given_clock, log),
        sinks(engine, state / "events", log),
        heat(engine, guide, {&tokens, settings.trust_loopback, [this] { tokens.refresh(log); }}, given_clock, log),
        ec2(machines, settings.proxy_secret, log),
        peers(audit, given_clock),
        clock(given_clock),
        limits(settings.limits) {
    engine.look_at(&peers);
  }

  void keep_keys() {
    try {
      if (repository->put_back_keys())
        log.warning("the file of keys that open the stacks' database was removed, and was put back");
      lacks_keys = false;
    } catch (const Error& error) {
      if (!std::exchange(lacks_keys, true))
        log.error(cat("the keys that open the stacks' database are lost when this server ends: ", error.story()));
    }
  }

  /// After `hearth metadata seal rotate`. What can't be done just now is tried again.
  void take_new_keys() {
    const bool again = clock.now() - keys_tried >= std::chrono::minutes(1);
    if (again) keys_tried = clock.now();
    try {
      if (!repository->seal_anew(again)) return;
      log.info(cat("the stacks' database is sealed with the new key of ", keys.string()));
      forget_former(keys, *repository, clock, log);
    } catch (const Error& error) {
      log.warning(cat("the stacks' database stays sealed with the former key: ", error.story()));
    }
  }

  /// Once after a burst of changes, where it is worth it: it takes 0.4 s for 20 MB that lie scattered in 170, and
  /// nobody is served meanwhile. What changes took for a moment lies between what stays, and would be kept.
  void give_memory_back() {
    const std::uint64_t changes = engine.changes();
    const bool is_quiet = std::exchange(changes_seen, changes) == changes;
    if (!is_quiet || std::exchange(changes_given, changes) == changes) return;
    const struct mallinfo2 heap = ::mallinfo2();
    if (heap.fordblks >= heap.uordblks / 2) ::malloc_trim(0);
  }

  /// What a copy that tries a request does first.
  void detach(const Trial::Breath& breathe) {
    log.detach();
    kept.detach();
    engine.be_copy(breathe);
    guide.set_breath(breathe);
  }

  /// A snapshot is a definition that is evaluated when it is restored: a copy gets it, but no other row of the
  /// database.
  void bring_snapshots(const ServedRequest& request) {
    const std::vector<std::string> parts = split(request.raw_path, '/');
    const bool is_meant = parts.size() > 6 && percent_decode(parts[6]) == "snapshots" && request.method == "POST";
    std::string prefix;
    try {
      if (is_meant) prefix = cat("snapshot/", engine.find(percent_decode(parts[5])).live->tree.id, "/");
    } catch (const Error&) {  // of no stack that is there
    }
    kept.bring(prefix);
  }

  /// Whatever a machine asks for, all that it may know is evaluated.
  [[nodiscard]] TrialGuard::Port tried_of_ec2() {
    return {[this](const ServedRequest& request) {
              return ec2.instance_of(request).empty() ? Trying::not_at_all : Trying::machine_asks;
            },
            [](const std::string& why) {
              ServedResponse response = plain_response(400);
              response.body = cat("400 Bad Request: ", why, "\n");
              return response;
            },
            {},
            [this](const ServedRequest& request) {
              const std::string id = ec2.instance_of(request);
              return Subject{id, {engine.root_of_server(id)}};
            }};
  }

  [[nodiscard]] std::unique_ptr<Trials> make_trials(HttpServer& server) {
    return std::make_unique<Trials>(Trials::World{server, clock, log, limits,
                                                  [this](const Trial::Breath& breathe) { detach(breathe); },
                                                  [this] { return kept.was_asked(); }});
  }

  TrialLogger log;
  fs::path state;
  FileLock lock;
  fs::path keys;  ///< the file of them
  TokenBook tokens;
  std::unique_ptr<SqlRepository> repository;
  bool lacks_keys = false;  ///< which is told once
  TrialRepository kept;
  HeatBlueprintMaker maker;
  Engine engine;
  AuditLog audit;
  FileMachines machines;
  HeatGuide guide;
  CfnApi cfn;
  ObjectApi objects;
  IdentityApi identity;
  EventSinks sinks;
  HeatApi heat;
  Ec2Api ec2;
  PeerNotes peers;
  const Clock& clock;
  MonotonicTime keys_tried = clock.now();
  TrialLimits limits;
  std::vector<std::unique_ptr<HttpHandler>> guards;  ///< of the ports
  std::unique_ptr<Trials> trials;
  std::uint64_t changes_seen = 0;   ///< Engine::changes() a second ago
  std::uint64_t changes_given = 0;  ///< and when memory was given back
};

StackService::StackService(const ServiceSettings& settings, const Clock& clock, Logger& log)
    : parts_(std::make_unique<Parts>(settings, clock, log)) {
  parts_->engine.watch([this](const EventRecord& event) { parts_->sinks.tell(event); });
}

StackService::~StackService() = default;

std::vector<std::pair<std::string, std::uint16_t>> StackService::listen(HttpServer& server, const ServicePorts& ports,
                                                                        const TlsFiles* tls) {
  std::vector<std::pair<std::string, std::uint16_t>> open;
  const auto guarded = [&](std::unique_ptr<HttpHandler> guard) -> HttpHandler& {
    return *parts_->guards.emplace_back(std::move(guard));
  };
  const auto serve = [&](const char* name, std::uint16_t port, HttpHandler& handler, TrialGuard::Port kind = {}) {
    const auto asks = [tried = kind.tried](const ServedRequest& request) {
      return tried && tried(request) == Trying::asks;
    };
    HttpHandler* last = &guarded(std::make_unique<StoreGuard>(handler, parts_->engine, parts_->log, asks));
    if (kind.tried)
      last = &guarded(std::make_unique<TrialGuard>(*last, parts_->engine, *parts_->trials, std::move(kind)));
    auto held = ports.held ? ports.held->extract(port) : decltype(ports.held->extract(port))();
    open.emplace_back(name, held ? server.listen(name, std::move(held.mapped()), *last, tls)
                                 : server.listen(name, ports.address, port, *last, tls));
    if (&handler == &parts_->heat && !ports.socket.empty()) server.listen_locally(name, ports.socket, *last);
  };
  parts_->trials = parts_->make_trials(server);
  serve("cfn", ports.cfn, parts_->cfn,
        {tried_of_cfn, [](const std::string& why) { return cfn_error(400, "InvalidParameterValue", why); }});
  serve("objects", ports.objects, parts_->objects,
        {tried_of_objects, [](const std::string& why) { return cfn_error(400, "BadRequest", why); }});
  serve("heat", ports.heat, parts_->heat,
        {tried_of_heat, [](const std::string& why) { return heat_error(400, "StackValidationFailed", why); },
         [this](const ServedRequest& request) { parts_->bring_snapshots(request); }});
  serve("identity", ports.identity, parts_->identity);
  if (ports.serves_ec2) serve("ec2", ports.ec2, parts_->ec2, parts_->tried_of_ec2());
  const auto breathe = [&server] { SideThread::is_beside() ? SideThread::breathe() : server.breathe(); };
  parts_->engine.set_apart({SideThread::is_here, SideThread::beside});
  parts_->engine.set_breath(breathe);
  parts_->repository->meanwhile([&engine = parts_->engine] { engine.breathe_for_store(); });
  parts_->guide.set_breath(breathe);
  server.every(std::chrono::seconds(1), [this] { tick(); });
  return open;
}

void StackService::tick() {
  parts_->tokens.refresh(parts_->log);
  parts_->keep_keys();
  parts_->take_new_keys();
  parts_->engine.tick();
  parts_->give_memory_back();
}

AccessLog& StackService::audit() { return parts_->peers; }
void StackService::overheard(const std::string& address, const std::string& what) {
  parts_->peers.overheard(address, what);
}
Engine& StackService::engine() { return parts_->engine; }
const std::string& StackService::token() const { return parts_->tokens.own(); }

std::string StackService::deploy(const UploadRequest& request, const FileReader& files) {
  const Json body = make_upload(request, files);
  for (LiveTree* live : parts_->engine.trees()) {
    if (live->tree.name != request.name) continue;
    std::string id = live->tree.id;
    parts_->engine.update(id, body);
    return id;
  }
  return parts_->engine.create("admin", request.name, body);
}

}  // namespace hearth::metadata::live
