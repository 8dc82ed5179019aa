# hearth_settings: how our own code is compiled. Linked privately by every room, so that users of a library are not bound.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(HEARTH_CCACHE ccache)
if(HEARTH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout are hashed as relative ones, so that checkouts share objects. The depend mode spares a run of
  # the preprocessor: a miss then costs no more than no ccache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_INODECACHE=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=time_macros ${HEARTH_CCACHE})
endif()

add_library(hearth_settings INTERFACE)
target_compile_features(hearth_settings INTERFACE cxx_std_20)
target_include_directories(hearth_settings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(hearth_settings INTERFACE HEARTH_VERSION="${PROJECT_VERSION}" _GNU_SOURCE)
target_compile_options(hearth_settings INTERFACE -fno-plt)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC looks for garbage of its own at 128 MB, and each time it has doubled. Our units end below 1 GB: never to look spares
  # 9 % of their time, for 250 MB more at the worst.
  target_compile_options(hearth_settings INTERFACE --param=ggc-min-heapsize=1048576)
endif()
include(Hardening)
if(HEARTH_SANITIZE)
  target_compile_options(hearth_settings INTERFACE -fsanitize=${HEARTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # whose manual says that sanitizers bring false ones of these
    target_compile_options(hearth_settings INTERFACE -Wno-maybe-uninitialized)
    if(HEARTH_SANITIZE STREQUAL thread)  # fences, Boost.Asio's, are not followed; its locks give the same order
      target_compile_options(hearth_settings INTERFACE -Wno-tsan)
    endif()
  endif()
  target_link_options(hearth_settings INTERFACE -fsanitize=${HEARTH_SANITIZE})
endif()
if(HEARTH_FUZZ)
  target_compile_options(hearth_settings INTERFACE -fsanitize=fuzzer-no-link)  # the coverage that steers libFuzzer
endif()
if(HEARTH_COVERAGE)
  target_compile_options(hearth_settings INTERFACE --coverage)
  target_link_options(hearth_settings INTERFACE --coverage)
endif()
