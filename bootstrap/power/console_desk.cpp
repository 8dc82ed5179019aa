#include "bootstrap/power/console_desk.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "bootstrap/power/console_part.hpp"
#include "bootstrap/power/consoles.hpp"
#include "bootstrap/power/headless_machine.hpp"
#include "bootstrap/power/qmp.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_kept_said = 2 * k_console_part;
constexpr int k_parts_at_once = 64;  // of one who says more without a pause the rest is read at the next tick
constexpr Duration k_monitor = std::chrono::seconds(1);
constexpr const char* k_ended = "its console has ended: take the keyboard again when it is back";
constexpr const char* k_down =
    "its BMC's session is down, and is begun anew by itself: nothing was typed. What the console says tells why";

bool is_one_folder(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

std::optional<ConsoleDesk::Place> ConsoleDesk::place_of(const Node& node) const {
  if (has_console(node)) {
    if (!node.fields.value("console_enabled", false)) return std::nullopt;
    return Place{{}, console_socket(state_, node.uuid)};
  }
  const auto in = [](const fs::path& home) { return Place{home / "console.log", home / "console"}; };
  const Place own = in(state_ / "qemu" / node.uuid);
  if (is_console_file(own.file) || others_.empty() || !is_one_folder(node.name)) return own;
  return in(others_ / node.name);
}

Json ConsoleDesk::shown(const Node& node) const {
  if (node.driver == "ipmi") {
    const std::string fault = console_fault(node);
    const bool on = fault.empty() && node.fields.value("console_enabled", false);
    return {{"kind", "bmc"}, {"on", on}, {"why", has_console(node) ? fault : "console_interface"}};
  }
  const std::optional<Place> place = place_of(node);
  if (!place || !is_console_file(place->file)) return nullptr;
  return {{"kind", "machine"}, {"on", true}, {"why", ""}};
}

/// False: the other end has gone.
bool ConsoleDesk::read(Line& line) {
  std::array<char, 16384> bytes;
  for (int parts = 0; parts < k_parts_at_once; ++parts) {
    const ssize_t got = ::recv(line.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    if (!line.kept) continue;
    line.said.append(bytes.data(), static_cast<std::size_t>(got));
    if (line.said.size() <= k_kept_said) continue;
    const std::size_t cut = line.said.size() - k_kept_said;
    line.said.erase(0, cut);
    line.begin += cut;
  }
  return true;
}

bool ConsoleDesk::is_down(const std::string& uuid, const Place& place) const {
  return place.file.empty() && session_ && !session_(uuid).is_up;
}

/// QEMU serves one at its console. Who comes second is let in when the first has gone, and all that he typed until then
/// would be carried out at that moment: so QEMU's monitor is asked who is there.
std::string ConsoleDesk::machine_fault(const Place& place) const {
  const fs::path home = place.socket.parent_path();
  const std::optional<Json> lines = qmp(home / "qmp", "query-chardev", Json(), k_monitor, clock_);
  if (!lines) return "the machine is off, or was started by an older Hearth: nobody listens at its console";
  for (const Json& line : *lines) {
    if (!line.is_object() || text_in(line, "label") != k_console_label) continue;
    return text_in(line, "filename").starts_with("disconnected:")
               ? ""
               : "another program has its console (hearth rehearse --console, socat): end that first";
  }
  return "its QEMU has no console";
}

ConsoleDesk::Line* ConsoleDesk::line_to(const Node& node, const Place& place) {
  const auto found = lines_.find(node.uuid);
  if (found != lines_.end()) return &found->second;
  std::optional<Fd> socket = connect_locally(place.socket, false);
  if (!socket) return nullptr;
  Line& line = lines_[node.uuid];
  line.socket = std::move(*socket);
  line.kept = place.file.empty();
  line.begin = said_;
  line.asked = clock_.now();
  return &line;
}

std::optional<Json> ConsoleDesk::part(const Node& node, std::optional<std::uint64_t> from, const std::string& who,
                                      const std::string& keyboard) {
  const std::optional<Place> place = place_of(node);
  if (!place) return std::nullopt;
  std::optional<Json> part;
  if (!place->file.empty()) {
    part = console_part(place->file, from);
  } else if (Line* line = line_to(node, *place)) {
    static_cast<void>(read(*line));  // an end is seen by tick()
    line->asked = clock_.now();
    part = console_part(line->said, line->begin, from);
  }
  if (!part) return std::nullopt;
  const auto typist = typists_.find(node.uuid);
  const bool his = is_his(node.uuid, who, keyboard);
  if (his) typist->second.sign = clock_.now();
  (*part)["typist"] = typist == typists_.end() ? Json() : Json(typist->second.who);
  (*part)["yours"] = his;
  return part;
}

bool ConsoleDesk::is_his(const std::string& uuid, const std::string& who, const std::string& keyboard) const {
  const auto typist = typists_.find(uuid);
  return typist != typists_.end() && typist->second.who == who && typist->second.keyboard == keyboard;
}

std::string ConsoleDesk::take(const Node& node, const std::string& who, const std::string& keyboard) {
  const std::optional<Place> place = place_of(node);
  if (!place) return "its console is off: switch it on first";
  if (!place->file.empty() && !is_console_file(place->file) && !fs::exists(place->socket)) {
    return node.driver == "qemu"
               ? "the machine was never switched on"
               : cat("no console of a machine of driver ", node.driver,
                     " is known here; there are those of ipmi (hearth node set NODE --console-interface "
                     "ipmitool-socat), of qemu, and of machines of this computer (--consoles)");
  }
  if (is_his(node.uuid, who, keyboard)) return "";
  if (const auto typist = typists_.find(node.uuid); typist != typists_.end()) {
    return cat(typist->second.who, " types at it: one at a time. It is free when they stop, ",
               std::chrono::duration_cast<std::chrono::seconds>(k_sign).count(),
               " s after they have closed the page, or ",
               std::chrono::duration_cast<std::chrono::minutes>(k_idle).count(), " min after their last key");
  }
  if (is_down(node.uuid, *place)) return k_down;
  try {
    if (std::string fault = place->file.empty() || lines_.contains(node.uuid) ? "" : machine_fault(*place);
        !fault.empty())
      return fault;
    if (line_to(node, *place) == nullptr)
      return place->file.empty() ? "the conductor has no session with its BMC yet: try again in a moment"
                                 : "nobody listens at its console any more: was the machine just switched off?";
  } catch (const Error& error) {
    return cat("its console can't be reached: ", error.what());
  }
  typists_[node.uuid] = {who, keyboard, clock_.now(), clock_.now()};
  return "";
}

std::string ConsoleDesk::type(const Node& node, const std::string& who, const std::string& keyboard,
                              const std::string& text) {
  if (!is_his(node.uuid, who, keyboard)) return "you no longer have its keyboard: take it again";
  if (text.size() > k_keys) return cat("at most ", k_keys, " bytes are typed at once");
  const auto line = lines_.find(node.uuid);
  if (line == lines_.end()) return k_ended;
  if (const std::optional<Place> place = place_of(node); !place || is_down(node.uuid, *place)) return k_down;
  typists_[node.uuid].key = typists_[node.uuid].sign = clock_.now();
  const ssize_t sent = ::send(line->second.socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(text.size())) return "";
  if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return k_ended;
  constexpr const char* k_full = "the machine takes no keys: it hangs, or what was typed before is not carried out yet";
  return sent <= 0 ? k_full : cat(k_full, ". Of this, the first ", sent, " of ", text.size(), " bytes were typed");
}

void ConsoleDesk::leave(const std::string& uuid, const std::string& who, const std::string& keyboard) {
  if (is_his(uuid, who, keyboard)) typists_.erase(uuid);
}

const std::vector<ConsoleDesk::Ended>& ConsoleDesk::tick() {
  const MonotonicTime now = clock_.now();
  std::erase_if(typists_, [&](const auto& entry) {
    const Typist& typist = entry.second;
    const char* why = !lines_.contains(entry.first) ? "the console has ended"
                      : now - typist.sign > k_sign  ? "their page is gone"
                      : now - typist.key > k_idle   ? "nothing was typed for five minutes"
                                                    : nullptr;
    if (why != nullptr) ended_.push_back({entry.first, typist.who, why});
    return why != nullptr;
  });
  for (auto entry = lines_.begin(); entry != lines_.end();) {
    Line& line = entry->second;
    const bool wanted = typists_.contains(entry->first) || (line.kept && now - line.asked <= k_sign);
    const bool goes_on = read(line) && wanted;
    if (!goes_on) said_ = std::max(said_, line.begin + line.said.size() + 1);
    entry = goes_on ? std::next(entry) : lines_.erase(entry);
  }
  return ended_;
}

}  // namespace hearth::bootstrap
