#include "agent/deploy/hardware/bmc.hpp"

#include <fcntl.h>
#include <linux/ipmi.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr unsigned char k_transport = 0x0c;
constexpr unsigned char k_get_lan_parameters = 0x02;
constexpr unsigned char k_ip_address = 3;
constexpr unsigned char k_channels = 12;
constexpr int k_patience_ms = 1000;

/// The answer to one question; empty when there is none.
std::string ask(const Fd& device, unsigned char channel) {
  std::array<unsigned char, 4> data = {channel, k_ip_address, 0, 0};
  ipmi_system_interface_addr address{IPMI_SYSTEM_INTERFACE_ADDR_TYPE, IPMI_BMC_CHANNEL, 0};
  ipmi_req request{};
  request.addr = reinterpret_cast<unsigned char*>(&address);
  request.addr_len = sizeof address;
  request.msgid = channel;
  request.msg = {k_transport, k_get_lan_parameters, static_cast<unsigned short>(data.size()), data.data()};
  if (::ioctl(device.get(), IPMICTL_SEND_COMMAND, &request) != 0) return "";
  pollfd entry{device.get(), POLLIN, 0};
  if (::poll(&entry, 1, k_patience_ms) <= 0) return "";
  std::array<unsigned char, 64> bytes{};
  ipmi_addr from{};
  ipmi_recv answer{};
  answer.addr = reinterpret_cast<unsigned char*>(&from);
  answer.addr_len = sizeof from;
  answer.msg.data = bytes.data();
  answer.msg.data_len = static_cast<unsigned short>(bytes.size());
  if (::ioctl(device.get(), IPMICTL_RECEIVE_MSG_TRUNC, &answer) != 0) return "";
  return {reinterpret_cast<const char*>(bytes.data()), answer.msg.data_len};
}

}  // namespace

std::string address_of_answer(std::string_view answer) {
  if (answer.size() < 6 || answer[0] != 0) return "";
  const auto byte = [answer](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(answer[at])); };
  const std::string text = cat(byte(2), ".", byte(3), ".", byte(4), ".", byte(5));
  return text == "0.0.0.0" ? "" : text;
}

std::string bmc_address() {
  try {
    const Fd device = Fd::open("/dev/ipmi0", O_RDWR);
    for (unsigned char channel = 1; channel < k_channels; ++channel) {
      std::string address = address_of_answer(ask(device, channel));
      if (!address.empty()) return address;
    }
  } catch (const Error&) {
    return "";
  }
  return "";
}

}  // namespace hearth::agent::deploy
