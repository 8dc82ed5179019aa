#include "builder/store/nginx_config.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_nginx_server =
    R"(server {
    listen @listen@;
@tls@    access_log off;
    default_type application/octet-stream;
    gzip off;
    root "@directory@/data";
    client_body_temp_path "@directory@/tmp";    # on the file system of data: what came whole is renamed
    client_max_body_size 64g;                   # Hearth takes no larger layer
    client_body_timeout 60s;
    send_timeout 60s;
    auth_basic "hearth";
    auth_basic_user_file "@directory@/readers";
    location ~ "^/(ac|cas)/[0-9a-f]{64}$" {
        dav_methods PUT;
        create_full_put_path on;
        dav_access user:rw group:r all:r;
        limit_except GET { auth_basic_user_file "@directory@/writers"; }    # GET is also HEAD
    }
    location / { return 404; }
}
)";

constexpr const char* k_nginx_words =
    R"words(# A cache for layers that builds of several machines share, kept by nginx (nginx-light is enough). Written by:
#   @command@
#
# Before nginx reads it, as root:
#   install -d -o @user@ -g @user@ "@directory@" "@directory@/data" "@directory@/tmp"
#   (umask 077; printf 'NAME:%s\n' "$(openssl passwd -6)" | tee -a "@directory@/readers" >> "@directory@/writers")
#   chown @user@ "@directory@/readers" "@directory@/writers"
# The second line for each NAME; who may only read goes into readers alone. Then this file into /etc/nginx/conf.d:
#   nginx -t && systemctl reload nginx
# On each machine that builds, in /etc/hearth.conf (mode 0640) or ~/.config/hearth/hearth.conf (0600):
#   remote-cache = @scheme@://NAME:PASSWORD@SERVER:@port@/
#   remote-cache-key = /etc/hearth/site.pem       # or its public half: hearth help ci
#
# Whoever may PUT can fill the disk, but not forge a layer: records are signed. A quota is that of a file system of its own.
# Layers that nobody asked for in a month go, from cron or a timer, which costs builds some time and nothing else, by
#   find "@directory@/data" -type f -atime +30 -delete
)words";

void require_plain(const char* what, const std::string& text, std::string_view more) {
  const auto is_plain = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || more.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return;
  throw Error(ErrorKind::usage, cat(what, ": '", text, "' can't stand in nginx's configuration as it is"))
      .hint(cat("Letters, digits and ", more, " can."));
}

bool is_of_this_machine(const std::string& listen) {
  return listen.starts_with("127.") || listen.starts_with("[::1]:") || listen.starts_with("localhost:");
}

}  // namespace

std::string nginx_config(const NginxSetup& setup) {
  constexpr std::string_view in_paths = "/._-+@";
  require_plain("--directory", setup.directory.string(), in_paths);
  require_plain("--listen", setup.listen, ".:[]-");
  require_plain("--user", setup.user, "._-");
  const bool is_tls = !setup.certificate.empty();
  if (!is_tls && !is_of_this_machine(setup.listen)) {
    throw Error(ErrorKind::usage,
                cat("--listen ", setup.listen, " without TLS: passwords and layers would pass unencrypted"))
        .hint("Give --certificate FILE and --certificate-key FILE, or --listen 127.0.0.1:PORT behind another server.");
  }
  std::string tls;
  if (is_tls) {
    require_plain("--certificate", setup.certificate.string(), in_paths);
    require_plain("--certificate-key", setup.key.string(), in_paths);
    tls = cat("    ssl_certificate \"", setup.certificate.string(), "\";\n    ssl_certificate_key \"",
              setup.key.string(), "\";\n    ssl_protocols TLSv1.2 TLSv1.3;\n");
  }
  std::string text = cat(k_nginx_words, k_nginx_server);
  const std::string port = setup.listen.substr(setup.listen.rfind(':') + 1);  // all of it where there is no colon
  text = replace_all(text, "@listen@", cat(setup.listen, is_tls ? " ssl" : ""));
  text = replace_all(text, "@tls@", tls);
  text = replace_all(text, "@scheme@", is_tls ? "https" : "http");
  text = replace_all(text, "@port@", port);
  text = replace_all(text, "@user@", setup.user);
  text = replace_all(text, "@command@", setup.written_by);
  return replace_all(text, "@directory@", setup.directory.string());
}

}  // namespace hearth::builder
