#include "pxe/tftp/netascii.hpp"

namespace hearth::pxe::tftp {

std::string to_netascii(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 32);
  for (const char c : bytes) {
    if (c == '\n') out.push_back('\r');
    out.push_back(c);
    if (c == '\r') out.push_back('\0');
  }
  return out;
}

}  // namespace hearth::pxe::tftp
