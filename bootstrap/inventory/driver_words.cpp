#include "bootstrap/inventory/driver_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "pxe/boot/boot_words.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_where = "is for rehearsals: hearth node serve --rehearsal";
constexpr std::size_t k_most_arguments = 1500;
/// Where passwords may lie in files: what is there, an administrator has put there for this.
constexpr std::string_view k_secrets = "/etc/hearth/";

/// qemu:///system, qemu+ssh://user@host/system. No query: libvirt's has words for commands, sockets and files.
bool is_plain_libvirt_uri(const std::string& uri) {
  static constexpr std::array<std::string_view, 5> schemes = {"qemu://", "qemu+ssh://", "qemu+tls://", "qemu+tcp://",
                                                              "qemu+libssh2://"};
  const auto scheme =
      std::find_if(schemes.begin(), schemes.end(), [&](std::string_view one) { return uri.starts_with(one); });
  if (scheme == schemes.end()) return uri == "test:///default";
  const std::string rest = uri.substr(scheme->size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return false;
  const std::string path = rest.substr(slash);
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("@.:_[]-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return (path == "/system" || path == "/session") && rest.front() != '-' &&
         std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(slash), fits);
}

/// What is refused but in a rehearsal; empty = nothing.
std::string local_fault(const std::string& key, const std::string& value) {
  if (key.starts_with("qemu_")) return cat(key, " ", k_where);
  const bool file = key.ends_with("_password_file");
  if (file && (!value.starts_with(k_secrets) || value.find("/../") != std::string::npos))
    return cat(key, ": a file below ", k_secrets, " is expected; any other ", k_where);
  if (key == "libvirt_uri" && !value.empty() && !is_plain_libvirt_uri(value))
    return cat(key, ": qemu:///system, or qemu+ssh, qemu+tls or qemu+tcp with a host, is expected; any other ",
               k_where);
  return "";
}

/// What is refused always; empty = nothing.
std::string script_fault(const std::string& key, const std::string& value) {
  if (key == "kernel_append_params") {
    if (value.size() > k_most_arguments)
      return cat(key, ": ", value.size(), " characters; Linux takes 2,047 on its command line, of which ",
                 k_most_arguments, " are yours");
    const auto arguments = pxe::KernelArguments::parse(value);
    return arguments ? "" : cat(key, ": ", arguments.error());
  }
  for (const char* source : {"deploy_kernel", "deploy_ramdisk", "rescue_kernel", "rescue_ramdisk"}) {
    if (key != source) continue;
    const auto parsed = pxe::BootSource::parse(value);
    return parsed ? "" : cat(key, ": ", parsed.error());
  }
  if (key == "libvirt_domain" && value.starts_with("-")) return cat(key, " can't begin with -");
  return "";
}

}  // namespace

std::vector<std::string> driver_word_faults(const Node& node, bool rehearsal) {
  std::vector<std::string> faults;
  if (!rehearsal && node.driver == "qemu") faults.push_back(cat("the driver qemu ", k_where));
  for (const auto& [key, json] : node.driver_info.items()) {
    const std::string value = text_of(json);
    const std::string local = rehearsal ? "" : local_fault(key, value);
    for (const std::string& fault : {local, script_fault(key, value)}) {
      if (!fault.empty()) faults.push_back(fault);
    }
  }
  return faults;
}

}  // namespace hearth::bootstrap
