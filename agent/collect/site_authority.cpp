#include "agent/collect/site_authority.hpp"

#include "base/error.hpp"
#include "base/net/dialer.hpp"
#include "base/net/tls_client.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_limit = std::size_t{64} << 10U;

std::string file_of_authority() {
  const Environment env = current_environment();
  const auto named = env.find(k_site_authority);
  return named == env.end() ? k_site_authority_file : named->second;
}

/// Every connection reads what is kept: only what can be read is. Throws Error.
void check_authority(const std::string& pem) {
  const TempDir directory = TempDir::create("/tmp", "authority-");
  const fs::path file = directory.path() / "pem";
  RealFileSystem().write(file, pem, {.mode = 0600, .uid = {}, .gid = {}});
  const TlsContext readable({file.string()});
}

}  // namespace

void keep_site_authority(const Json& document, const std::string& place, const SourceContext& context) {
  const Json* named = find_member(document, "hearth-authority");
  if (named == nullptr || context.trust == nullptr) return;
  const fs::path file = file_of_authority();
  try {
    if (!named->is_string() || named->get<std::string>().size() > k_limit)
      throw Error(ErrorKind::input, "it is no certificate (PEM)");
    const std::string pem = named->get<std::string>();
    if (context.files.read(file) == pem) return;
    check_authority(pem);
    context.trust->make_directories(file.parent_path(), 0755);
    context.trust->write(file, pem, {.mode = 0644, .uid = {}, .gid = {}});
    context.log.info(cat("The authority of this site, named in ", place, ", is trusted: ", file.string()));
  } catch (const Error& error) {
    context.once.log(LogLevel::warning, cat("The hearth-authority of ", place, " is not trusted: ", error.what(),
                                            "; a site that is served by TLS with it will not be reached"));
  }
}

}  // namespace hearth::agent
