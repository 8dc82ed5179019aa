# What makes a memory error in our programs harder to use; tests/e2e/hardening.sh looks for all of it in the finished programs.
include(CheckCXXCompilerFlag)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(HEARTH_BRANCHES -mbranch-protection=standard)  # jumps and returns go where they may only
else()
  set(HEARTH_BRANCHES -fcf-protection=full)
endif()
check_cxx_compiler_flag(${HEARTH_BRANCHES} HEARTH_GUARDS_BRANCHES)
target_compile_options(hearth_settings INTERFACE -fstack-protector-strong -fstack-clash-protection -fPIE
  $<$<BOOL:${HEARTH_GUARDS_BRANCHES}>:${HEARTH_BRANCHES}>)
# Checked memcpy, read and the like. They need an optimiser (a target with HEARTH_UNOPTIMISED has none), and would hide from
# sanitizers what these look for. Level 3, which knows sizes at run time, is GCC 12's.
set(level 2)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  set(level 3)
endif()
if(NOT HEARTH_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_options(hearth_settings INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HEARTH_UNOPTIMISED>>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=${level}>)
endif()
# Everything is bound at the start and read-only from then on; no stack is executable, and nothing that is data.
target_link_options(hearth_settings INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HEARTH_STATIC>>>:-pie>
  -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code)
