// The part of Swift's API (port 8080) that agents use: GET, HEAD, PUT and DELETE of objects through TempURLs.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata {

class ObjectApi final : public HttpHandler {
 public:
  ObjectApi(ObjectStore& store, const Clock& clock, Logger& log) : store_(store), clock_(clock), log_(log) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  [[nodiscard]] std::optional<TempUrlGrant> grant_of(const ServedRequest& request, const ObjectPath& path) const;
  [[nodiscard]] ServedResponse read(const ServedRequest& request, const ObjectPath& path, const TempUrlGrant& grant);
  [[nodiscard]] ServedResponse take_report(const ServedRequest& request, const ObjectPath& path);
  [[nodiscard]] ServedResponse put(const ServedRequest& request, const ObjectPath& path);
  [[nodiscard]] ServedResponse refuse(const ServedRequest& request);

  ObjectStore& store_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace hearth::metadata
