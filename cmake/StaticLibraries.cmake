# hearth_crypto, hearth_tls and hearth_yaml: libraries that a program links shared, unless it is a fully static one
# (target property HEARTH_STATIC), which needs the archives. Rooms link these names and need not know.
function(hearth_library_choice name shared archive)
  find_library(${name}_archive ${archive} REQUIRED)
  mark_as_advanced(${name}_archive)
  add_library(${name} INTERFACE)
  set(static $<BOOL:$<TARGET_PROPERTY:HEARTH_STATIC>>)
  target_link_libraries(${name} INTERFACE $<IF:${static},${${name}_archive},${shared}>)
  target_include_directories(${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

hearth_library_choice(hearth_crypto OpenSSL::Crypto libcrypto.a)
hearth_library_choice(hearth_tls OpenSSL::SSL libssl.a)
target_link_libraries(hearth_tls INTERFACE hearth_crypto)
hearth_library_choice(hearth_yaml yaml-cpp libyaml-cpp.a)

# hearth_static_program(NAME): runs on any Linux of this architecture; nothing is loaded at run time. Not with
# sanitizers, whose runtime must be shared.
function(hearth_static_program name)
  if(HEARTH_SANITIZE OR HEARTH_COVERAGE)
    return()
  endif()
  set_target_properties(${name} PROPERTIES HEARTH_STATIC ON POSITION_INDEPENDENT_CODE ON)
  target_link_options(${name} PRIVATE -static-pie -Wl,--gc-sections -Wl,-z,pack-relative-relocs $<$<BOOL:$<CONFIG:Release>>:-s>)
endfunction()
