# hearth_room(NAME SOURCES… ) makes the static library of one room; hearth_program(NAME SOURCES…) a thin executable.
# Heavy headers are precompiled, once for each way to compile (hearth_precompiled_headers), and shared by the rooms.
function(hearth_room name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  hearth_reuse_headers(${name} hearth_headers)
endfunction()

function(hearth_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
endfunction()

# hearth_precompiled_headers(NAME SOURCE [LIBRARY…] [OPTIONS OPTION…] [HEADERS HEADER…]): a library of the heavy headers and
# HEADERS, precompiled as OPTIONS say. Who reuses them compiles with the same OPTIONS.
function(hearth_precompiled_headers name source)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "OPTIONS;HEADERS")
  add_library(${name} STATIC ${source})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings PUBLIC Boost::filesystem ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  if(NOT HEARTH_FUZZ)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <functional> <map> <memory> <optional> <string> <string_view> <variant> <vector>
      <boost/filesystem/operations.hpp> <nlohmann/json.hpp> ${ARG_HEADERS})
  endif()
endfunction()

function(hearth_reuse_headers name headers)
  if(NOT HEARTH_FUZZ)
    target_precompile_headers(${name} REUSE_FROM ${headers})
  endif()
endfunction()
