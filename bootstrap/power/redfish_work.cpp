// What RedfishDriver has BMCs do that takes its time: volumes (Storage, Volumes) and firmware (UpdateService).
#include <algorithm>

#include "base/hash.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "bootstrap/power/redfish_driver.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

std::uint64_t bytes_of(const Json& thing) {
  const Json& bytes = member_or_null(thing, "CapacityBytes");
  return bytes.is_number_integer() && bytes > 0 ? bytes.get<std::uint64_t>() : 0;
}

/// The first, as Ironic takes it; null where it shows none.
Json controller_of(RedfishSession& session, const Json& storage) {
  const Json& own = list_member(storage, "StorageControllers");
  if (!own.empty()) return own[0];
  const std::vector<Json> listed = session.members(session.linked(storage, "Controllers"));
  return listed.empty() ? Json() : listed[0];
}

bool makes_volumes(const Json& controller) {
  const Json& types = member_or_null(controller, "SupportedRAIDTypes");
  return !types.is_array() || !types.empty();
}

bool is_usable(const Json& drive) {
  const std::string spare = text_in(drive, "HotspareType", "None");
  const Json& status = object_member(drive, "Status");
  return spare == "None" && text_in(status, "Health") != "Critical" && text_in(status, "State") != "Absent";
}

/// At once where that can be, as Ironic has it.
void take_apply_time(RaidController& controller, const Json& volumes) {
  const Json& times = list_member(object_member(volumes, "@Redfish.OperationApplyTimeSupport"), "SupportedValues");
  const auto has = [&times](const char* time) { return std::find(times.begin(), times.end(), time) != times.end(); };
  controller.apply_time = has("Immediate") ? "Immediate" : has("OnReset") ? "OnReset" : "";
  controller.at_start = controller.apply_time == "OnReset";
}

Volume volume_of(const Json& told, const std::string& controller) {
  Volume volume{.id = words_of_bmc(text_in(told, "Id")),
                .path = text_in(told, "@odata.id"),
                .controller = controller,
                .name = words_of_bmc(text_in(told, "Name")),
                .raid_type = words_of_bmc(text_in(told, "RAIDType")),
                .bytes = bytes_of(told),
                .drives = {},
                .wwn = ""};
  for (const Json& drive : list_member(object_member(told, "Links"), "Drives"))
    volume.drives.push_back(text_in(drive, "@odata.id"));
  for (const Json& row : list_member(told, "Identifiers")) {
    std::string name = to_lower(text_in(row, "DurableName"));
    if (text_in(row, "DurableNameFormat") != "NAA" || name.empty()) continue;
    if (name.starts_with("naa.")) name.erase(0, 4);
    volume.wwn = name.starts_with("0x") ? name : cat("0x", name);
  }
  return volume;
}

class DigestSink final : public BodySink {
 public:
  explicit DigestSink(HashKind kind) : hasher_(kind) {}
  void begin(const HttpResponse&) override {}
  void take(std::string_view bytes) override { hasher_.update(bytes); }
  [[nodiscard]] std::string hex_digest() { return hasher_.hex_digest(); }

 private:
  Hasher hasher_;
};

/// Whether what lies at its URL is what it is to be, as far as anybody but the BMC can tell.
void check_image(HttpClient& http, Clock& clock, const FirmwareImage& image) {
  const std::size_t length = image.checksum.size();
  const HashKind kind = length == 40 ? HashKind::sha1 : length == 64 ? HashKind::sha256 : HashKind::sha512;
  if (length != 40 && length != 64 && length != 128)
    throw PowerFault(Reason::failed, cat("'", image.checksum, "' is no SHA-1, SHA-256 or SHA-512 in hexadecimal"));
  const std::string shown = without_credentials(image.url);
  DigestSink sink(kind);
  HttpRequest request;
  request.url = parse_url(image.url).value();
  request.sink = &sink;
  request.max_redirects = 3;
  request.stall = std::chrono::seconds(60);
  request.deadline = Deadline::after(std::chrono::minutes(10), clock);
  try {
    const HttpResponse response = http.send(request);
    if (response.status != 200) throw PowerFault(Reason::failed, cat(shown, ": HTTP ", response.status));
  } catch (const PowerFault&) {
    throw;
  } catch (const Error& error) {
    throw PowerFault(Reason::failed, cat(shown, ", whose checksum is to be looked at: ", error.what()));
  }
  const std::string found = sink.hex_digest();
  if (found == to_lower(image.checksum)) return;
  throw PowerFault(Reason::failed, cat("firmware file ", shown, " checksums do not match. Expected: ", image.checksum,
                                       ", calculated: ", found, "."));
}

const RaidController& controller_named(const RaidHardware& hardware, const std::string& id) {
  for (const RaidController& controller : hardware.controllers) {
    if (controller.id == id) return controller;
  }
  throw PowerFault(Reason::failed, cat("its BMC has no storage controller ", id));
}

BmcOrder volume_order(RedfishSession& session, const char* method, const std::string& path, Json body,
                      const RaidController& controller) {
  if (!controller.apply_time.empty()) body["@Redfish.OperationApplyTime"] = controller.apply_time;
  std::string task = session.order(method, path, body.empty() ? Json() : body);
  // Who does not say when, and does it later, may well wait for the machine's next start.
  const bool later = !task.empty() && controller.apply_time != "Immediate";
  return {std::move(task), later || controller.at_start};
}

}  // namespace

RaidHardware RedfishDriver::raid(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json system = session.get(session.system_path());
  const Json storages = session.linked(system, "Storage");
  if (!storages.is_object()) throw unsupported(node.driver, "raid");
  RaidHardware found;
  for (const Json& storage : session.members(storages)) {
    RaidController controller{
        .id = words_of_bmc(text_in(storage, "Id")), .volumes = "", .at_start = false, .apply_time = ""};
    if (!makes_volumes(controller_of(session, storage))) continue;
    const Json volumes = session.linked(storage, "Volumes");
    if (!volumes.is_object()) continue;
    controller.volumes = text_in(object_member(storage, "Volumes"), "@odata.id");
    take_apply_time(controller, volumes);
    for (const Json& drive : session.members(storage, "Drives")) {
      if (!is_usable(drive)) continue;
      found.drives.push_back({words_of_bmc(text_in(drive, "Id")), text_in(drive, "@odata.id"), controller.id,
                              text_in(drive, "MediaType"), text_in(drive, "Protocol"), bytes_of(drive)});
    }
    for (const Json& volume : session.members(volumes)) {
      if (!text_in(volume, "RAIDType").empty()) found.volumes.push_back(volume_of(volume, controller.id));
    }
    found.controllers.push_back(std::move(controller));
  }
  return found;
}

BmcOrder RedfishDriver::create_volume(const Node& node, const VolumeWish& wish) {
  const RaidHardware hardware = raid(node);
  const RaidController& controller = controller_named(hardware, wish.controller);
  Json body = {{"RAIDType", wish.raid_type}, {"Links", {{"Drives", Json::array()}}}};
  if (wish.bytes != 0) body["CapacityBytes"] = wish.bytes;
  if (!wish.name.empty()) body["Name"] = wish.name;
  for (const std::string& drive : wish.drives) body["Links"]["Drives"].push_back({{"@odata.id", drive}});
  RedfishSession session(http_, clock_, node, sessions_);
  return volume_order(session, "POST", controller.volumes, std::move(body), controller);
}

BmcOrder RedfishDriver::delete_volume(const Node& node, const Volume& volume) {
  const RaidHardware hardware = raid(node);
  const RaidController& controller = controller_named(hardware, volume.controller);
  RedfishSession session(http_, clock_, node, sessions_);
  return volume_order(session, "DELETE", volume.path, Json::object(), controller);
}

BmcOrder RedfishDriver::update_firmware(const Node& node, const FirmwareImage& image) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json service = session.linked(session.get("/redfish/v1/"), "UpdateService");
  const Json& action = object_member(object_member(service, "Actions"), "#UpdateService.SimpleUpdate");
  const std::string target = text_in(action, "target");
  if (target.empty()) throw unsupported(node.driver, "firmware");
  if (!image.checksum.empty()) check_image(http_, clock_, image);
  Json body = {{"ImageURI", image.url}};
  // Where a BMC has several machines, it must be told whose it is.
  const Json systems = session.get("/redfish/v1/Systems");
  if (list_member(systems, "Members").size() > 1) body["Targets"] = Json::array({session.system_path()});
  return {session.order("POST", target, body), false};
}

BmcTask RedfishDriver::task(const Node& node, const std::string& path) {
  RedfishSession session(http_, clock_, node, sessions_);
  return session.task(path);
}

std::vector<std::string> RedfishDriver::tasks(const Node& node) {
  RedfishSession session(http_, clock_, node, sessions_);
  const Json service = session.linked(session.get("/redfish/v1/"), "Tasks");
  const Json collection = session.linked(service, "Tasks");
  std::vector<std::string> paths;
  for (const Json& row : list_member(collection, "Members")) paths.push_back(text_in(row, "@odata.id"));
  return paths;
}

}  // namespace hearth::bootstrap
