#include "builder/store/nginx_config.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

NginxSetup local() {
  return {
      .directory = "/srv/c", .listen = "127.0.0.1:8080", .certificate = {}, .key = {}, .user = "u", .written_by = "w"};
}

// What nginx makes of it, peers.builder.nginx_cache tells.
TEST(NginxConfig, PasswordsPassByTlsOrStayOnTheMachine) {
  EXPECT_THAT(nginx_config(local()),
              AllOf(HasSubstr("listen 127.0.0.1:8080;"), Not(HasSubstr("ssl_certificate")), Not(HasSubstr("\n@"))));
  NginxSetup setup = local();
  setup.listen = "8443";
  EXPECT_THAT(story_of([&] { return nginx_config(setup); }), HasSubstr("--listen 8443 without TLS"));
  setup.certificate = "/c.pem";
  setup.key = "/k.pem";
  EXPECT_THAT(nginx_config(setup), AllOf(HasSubstr("listen 8443 ssl;"), HasSubstr("ssl_certificate_key \"/k.pem\";"),
                                         HasSubstr("https://NAME:PASSWORD@SERVER:8443/")));
}

TEST(NginxConfig, WhatNginxWouldReadOtherwiseIsRefused) {
  NginxSetup setup = local();
  setup.directory = "/srv/$uri";
  EXPECT_THAT(story_of([&] { return nginx_config(setup); }), HasSubstr("--directory: '/srv/$uri'"));
  setup = local();
  setup.listen = "127.0.0.1:80; evil";
  EXPECT_THAT(story_of([&] { return nginx_config(setup); }), HasSubstr("--listen"));
}

}  // namespace
}  // namespace hearth::builder
