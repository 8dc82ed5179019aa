// What Heat's API refuses of a request for a stack, beside templates and environments: values of the wrong kind.
#pragma once

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// Throws Fault with the type that the API gives: HTTPBadRequest, ValueError, AttributeError, KeyError.
void check_request_body(const Value& body);

/// What the engine refuses of an environment that the client has merged.
void check_environment_sections(const Value& environment);

/// The sinks of a merged environment: as many as there are, each a map with type and target.
void check_event_sinks(const Value& sinks);

}  // namespace hearth::metadata
