#include "builder/store/remote_cache.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/store/action_result.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::builder {
namespace {

using fakes::ScriptedHttp;

const std::string k_base = "http://192.0.2.7/cache";
const std::string k_key(64, 'a');

std::string remote_cache_digest_of(const std::string& bytes) { return hex_digest(HashKind::sha256, bytes); }

LayerRecord remote_cache_layer(const std::string& bytes, const std::string& step = "root.d/10-a") {
  LayerRecord record{.parent = "base", .planned = {step}};
  record.steps = {{step, "element", 1.5, {{"env DIB_RELEASE", "1234"}}}};
  record.blob = remote_cache_digest_of(bytes);
  record.bytes = bytes.size();
  return record;
}

/// A cache beside two scripted servers, one for each direction, and a store.
struct Fixture {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  SystemClock clock;
  BlobStore store{directory.path() / "blobs"};
  ScriptedHttp* down = new ScriptedHttp;
  ScriptedHttp* up = new ScriptedHttp;
  std::vector<std::string> notes;
  RemoteCache cache;

  explicit Fixture(bool read_only = false)
      : cache({.url = parse_url(k_base + "/").value(),
               .read_only = read_only,
               .downloads = std::unique_ptr<HttpClient>(down),
               .uploads = std::unique_ptr<HttpClient>(up),
               .clock = clock,
               .note = [this](const std::string& text) { notes.push_back(text); }}) {}

  std::string keep(const std::string& bytes) const {
    BlobStore::Writer writer = store.begin();
    writer.write(bytes);
    return writer.commit();
  }
  /// The server gives bytes as an answer's body, as the real client does.
  void gives(const std::string& path, int status, const std::string& body) const {
    down->on("GET", cat(k_base, path), [status, body](const HttpRequest& request) {
      HttpResponse response{status, "", {}, "", request.url};
      if (request.sink == nullptr) {
        response.body = body;
      } else {
        request.sink->begin(response);
        request.sink->take(body);
      }
      return response;
    });
  }
};

TEST(RemoteCache, ALayerIsFoundFetchedAndCheckedAgainstItsDigest) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 200, encode_action({remote_cache_layer("layer bytes")}));
  f.gives(cat("/cas/", remote_cache_digest_of("layer bytes")), 200, "layer bytes");
  const std::vector<LayerRecord> found = f.cache.find(k_key);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(f.cache.fetch(found.front(), f.store));
  EXPECT_TRUE(f.store.verify(found.front().blob));
  EXPECT_EQ(f.cache.fetched_bytes(), 11U);
  EXPECT_TRUE(f.notes.empty());
}

TEST(RemoteCache, OtherBytesThanThoseOfTheDigestAreNeverKeptNorAskedForAgain) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 200, encode_action({remote_cache_layer("layer bytes")}));
  f.gives(cat("/cas/", remote_cache_digest_of("layer bytes")), 200, "other bytes");
  const std::vector<LayerRecord> found = f.cache.find(k_key);
  EXPECT_FALSE(f.cache.fetch(found.front(), f.store));
  EXPECT_TRUE(f.store.list().empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_EQ(f.notes.size(), 1U);
}

TEST(RemoteCache, AMissIsNoFault) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 404, "not here");
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_TRUE(f.notes.empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_EQ(f.down->sent.size(), 2U);  // it is asked again: nothing was wrong
}

TEST(RemoteCache, ADeadServerIsAskedOnceAndToldOnce) {
  Fixture f;
  EXPECT_TRUE(f.cache.find(k_key).empty());
  EXPECT_TRUE(f.cache.find(k_key).empty());
  f.cache.upload(k_key, remote_cache_layer("x"), f.store);
  f.cache.finish();
  EXPECT_EQ(f.down->sent.size(), 1U);
  EXPECT_TRUE(f.up->sent.empty());
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_NE(f.notes[0].find("Connection refused"), std::string::npos);
}

TEST(RemoteCache, EveryExchangeHasABoundThatFollowsFromItsSize) {
  Fixture f;
  f.gives(cat("/ac/", k_key), 404, "");
  (void)f.cache.find(k_key);
  EXPECT_FALSE(f.down->sent.at(0).deadline.is_never());
  EXPECT_GT(f.down->sent.at(0).stall, Duration::zero());
}

TEST(RemoteCache, AnUploadPutsTheArchiveBeforeTheRecordAndKeepsWhatOthersPut) {
  Fixture f;
  const std::string digest = f.keep("mine");
  const std::string cas = cat(k_base, "/cas/", digest);
  const std::string ac = cat(k_base, "/ac/", k_key);
  f.up->on("HEAD", cas, 404);
  f.up->on("PUT", cas, 201);
  f.up->on("GET", ac, 200, encode_action({remote_cache_layer("theirs", "root.d/20-b")}));
  f.up->on("PUT", ac, 204);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  ASSERT_EQ(f.up->sent.size(), 4U);
  EXPECT_EQ(f.up->sent[1].body, "mine");
  EXPECT_EQ(f.up->sent[3].method, "PUT");
  const std::vector<LayerRecord> put = decode_action(f.up->sent[3].body);
  ASSERT_EQ(put.size(), 2U);
  EXPECT_EQ(put[0].blob, digest);
  EXPECT_EQ(f.cache.uploaded_bytes(), 4U);
  EXPECT_TRUE(f.notes.empty());
}

TEST(RemoteCache, WhatTheServerHasIsNotSentAgain) {
  Fixture f;
  const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
  f.up->on("HEAD", cas, 200);
  f.up->on("GET", cat(k_base, "/ac/", k_key), 404);
  f.up->on("PUT", cat(k_base, "/ac/", k_key), 201);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  EXPECT_EQ(f.up->sent.size(), 3U);
  EXPECT_EQ(f.cache.uploaded_bytes(), 0U);
}

TEST(RemoteCache, AServerThatRefusesUploadsIsToldOnce) {
  Fixture f;
  const std::string cas = cat(k_base, "/cas/", f.keep("mine"));
  f.up->on("HEAD", cas, 404);
  f.up->on("PUT", cas, 403);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_NE(f.notes[0].find("403"), std::string::npos);
}

TEST(RemoteCache, ReadOnlyNothingIsUploaded) {
  Fixture f(true);
  f.cache.upload(k_key, remote_cache_layer("mine"), f.store);
  f.cache.finish();
  EXPECT_TRUE(f.up->sent.empty());
}

}  // namespace
}  // namespace hearth::builder
