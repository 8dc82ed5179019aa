#include "metadata/live/stack_service.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "metadata/engine/open_repository.hpp"
#include "metadata/live/event_sinks.hpp"
#include "metadata/live/file_machines.hpp"
#include "metadata/live/heat_blueprint.hpp"
#include "metadata/live/heat_guide.hpp"
#include "metadata/live/store_guard.hpp"
#include "metadata/live/upload.hpp"
#include "metadata/rest/heat_api.hpp"
#include "metadata/rest/identity_api.hpp"
#include "metadata/serve/audit_log.hpp"
#include "metadata/serve/cfn_api.hpp"
#include "metadata/serve/ec2_api.hpp"
#include "metadata/serve/object_api.hpp"

namespace hearth::metadata::live {

namespace {

fs::path prepared(const fs::path& state) {
  RealFileSystem().make_directories(state, 0700);
  return state;
}

FileLock held(const fs::path& state) {
  std::optional<FileLock> lock = FileLock::try_acquire(state / "lock");
  if (!lock) throw Error(ErrorKind::io, cat("another process serves ", state.string()));
  return std::move(*lock);
}

}  // namespace

/// In the order in which they are made.
struct StackService::Parts {
  Parts(const ServiceSettings& settings, const Clock& clock, Logger& log)
      : state(prepared(settings.state)),
        lock(held(state)),
        tokens(state),
        repository(open_repository(settings.database, state)),
        maker(engine_secret(*repository)),
        engine({*repository, maker, clock, log, settings.provides_machines, settings.goes_on_after_failure},
               settings.urls),
        audit((state / "audit.log").string(), clock),
        machines(engine, settings.machines),
        cfn(engine, log),
        objects(engine, clock, log),
        identity(engine, clock, log),
        sinks(engine, state / "events", log),
        heat(engine, guide, {&tokens, settings.trust_loopback}, clock, log),
        ec2(machines, settings.proxy_secret, log),
        logger(log) {}

  fs::path state;
  FileLock lock;
  TokenBook tokens;
  std::unique_ptr<Repository> repository;
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
  Logger& logger;
  std::vector<std::unique_ptr<StoreGuard>> guards;  ///< of the ports
};

StackService::StackService(const ServiceSettings& settings, const Clock& clock, Logger& log)
    : parts_(std::make_unique<Parts>(settings, clock, log)) {
  parts_->engine.watch([this](const Event& event) { parts_->sinks.tell(event); });
}

StackService::~StackService() = default;

std::vector<std::pair<std::string, std::uint16_t>> StackService::listen(HttpServer& server, const ServicePorts& ports,
                                                                        const TlsFiles* tls) {
  std::vector<std::pair<std::string, std::uint16_t>> open;
  const auto serve = [&](const char* name, std::uint16_t port, HttpHandler& handler) {
    parts_->guards.push_back(std::make_unique<StoreGuard>(handler, parts_->engine, parts_->logger));
    open.emplace_back(name, server.listen(name, ports.address, port, *parts_->guards.back(), tls));
  };
  serve("cfn", ports.cfn, parts_->cfn);
  serve("objects", ports.objects, parts_->objects);
  serve("heat", ports.heat, parts_->heat);
  serve("identity", ports.identity, parts_->identity);
  if (ports.serves_ec2) serve("ec2", ports.ec2, parts_->ec2);
  const auto breathe = [&server] { server.breathe(); };
  parts_->engine.set_breath(breathe);
  parts_->guide.set_breath(breathe);
  server.every(std::chrono::seconds(1), [this] {
    parts_->tokens.refresh(parts_->logger);
    parts_->engine.tick();
  });
  return open;
}

AccessLog& StackService::audit() { return parts_->audit; }
Engine& StackService::engine() { return parts_->engine; }
const std::string& StackService::token() const { return parts_->tokens.own(); }

std::string StackService::deploy(const UploadRequest& request, const FileReader& files) {
  const Json body = make_upload(request, files);
  for (LiveTree* live : parts_->engine.trees()) {
    if (live->tree.name != request.name) continue;
    const std::string id = live->tree.id;
    parts_->engine.update(id, body);
    return id;
  }
  return parts_->engine.create("admin", request.name, body);
}

}  // namespace hearth::metadata::live
