#include "bootstrap/handover/handover.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/net/query.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_document = "site/handover";
/// Of a running process, or of SQLite's own while the database is open.
constexpr std::array<std::string_view, 7> k_not_state = {
    "lock", "endpoint", "api.socket", k_state_bundle, "state.db-shm", "metadata/lock", "metadata/endpoint"};

dev_t device_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("looking at", path.string());
  return status.st_dev;
}

}  // namespace

std::optional<Handover> kept_handover(Store& store) {
  const std::optional<Json> kept = store.document(k_document);
  if (!kept) return std::nullopt;
  return Handover{text_in(*kept, "id"), text_in(*kept, "to"), kept->value("left", false)};
}

void keep_handover(Store& store, const Handover& handover) {
  store.put_document(k_document, {{"id", handover.id}, {"to", handover.to}, {"left", handover.left}});
}

void forget_handover(Store& store) { store.remove_document(k_document); }

std::vector<bundle::Source> state_sources(const fs::path& state) {
  const dev_t device = device_of(state);
  std::vector<bundle::Source> sources;
  for (fs::recursive_directory_iterator at(state), end; at != end; ++at) {
    const fs::path& path = at->path();
    const fs::file_type type = fs::symlink_status(path).type();
    if (type == fs::directory_file) {
      if (device_of(path) != device) at.disable_recursion_pending();
      continue;
    }
    const std::string name = path.lexically_relative(state).string();
    const bool is_state = std::find(k_not_state.begin(), k_not_state.end(), name) == k_not_state.end();
    if (is_state && (type == fs::regular_file || type == fs::symlink_file)) sources.push_back({name, path});
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return sources;
}

fs::path pack_state(const fs::path& state, const Handover& handover) {
  const fs::path packed = state / k_state_bundle;
  if (fs::exists(packed)) {
    if (bundle::check_bundle(packed, std::nullopt, {}).manifest.name == handover.id) return packed;
    fs::remove(packed);
  }
  bundle::Manifest manifest{.name = handover.id,
                            .created_s = static_cast<std::int64_t>(std::time(nullptr)),
                            .made_by = cat("hearth ", HEARTH_VERSION),
                            .entries = {},
                            .site = {{"to", handover.to}}};
  bundle::write_bundle(packed, std::move(manifest), state_sources(state), "", {});
  fs::permissions(packed, fs::owner_read | fs::owner_write);  // secrets are in it
  return packed;
}

HandoverEndpoint::HandoverEndpoint(Settings settings, Handover handover, std::function<void(Ending)> end)
    : settings_(std::move(settings)),
      handover_(std::move(handover)),
      end_(std::move(end)),
      bytes_(fs::file_size(settings_.packed)),
      digest_(digest_file(settings_.packed).sha256) {}

ServedResponse HandoverEndpoint::part(const std::string& query) const {
  const Parameters parameters = parse_parameters(query);
  const std::uint64_t offset = parse_number(parameter_or(parameters, "offset", "0")).value_or(bytes_);
  std::string bytes(std::min(k_state_part, bytes_ - std::min(offset, bytes_)), '\0');
  const Fd fd = Fd::open(settings_.packed.string(), O_RDONLY);
  if (::lseek(fd.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    throw Error::from_errno("reading", settings_.packed.string());
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error::from_errno("reading", settings_.packed.string());
    have += static_cast<std::size_t>(got);
  }
  return {200, "", {{"Content-Type", "application/octet-stream"}}, std::move(bytes), nullptr, nullptr};
}

ServedResponse HandoverEndpoint::answer(const ServedRequest& request, const Caller& caller) {
  const std::string& path = request.path;
  if (!path.starts_with("/v1/hearth/handover")) {
    return fault_answer(503, cat("The services of this seed are given to ", handover_.to,
                                 "; nothing is served here. 'hearth seed takeover' goes on with it, or calls it off."));
  }
  if (caller.role == Role::nobody) return fault_answer(401, "A valid X-Auth-Token is needed");
  if (caller.role < Role::admin) return fault_answer(403, cat(caller.name, " may not give the services away"));
  const Json shown = {{"id", handover_.id}, {"to", handover_.to}, {"bytes", bytes_}, {"sha256", digest_}};
  if (path == "/v1/hearth/handover/state" && request.method == "GET") return part(request.query);
  if (path == "/v1/hearth/handover/leave" && request.method == "POST") {
    end_(Ending::left);
    return json_answer(200, shown);
  }
  if (path != "/v1/hearth/handover") return fault_answer(404, "Not Found");
  if (request.method == "DELETE") {
    end_(Ending::called_off);
    return json_answer(200, shown);
  }
  if (request.method == "POST") {
    const Result<Json> body = parse_json(request.body, "the request");
    if (!body || text_in(*body, "id") != handover_.id)
      return fault_answer(409, cat("The services are being given to ", handover_.to, " already."));
  }
  return json_answer(200, shown);
}

}  // namespace hearth::bootstrap
