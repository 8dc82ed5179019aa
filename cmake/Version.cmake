# Which commit is built: hearth_commit() from git, else from cmake/commit.txt, which `git archive` fills in; else none.
# As a script it writes the source of base/version.hpp, only when that changes:
#   cmake -DSOURCE=DIR -DVERSION=1.2.3 -DOUT=version.cpp -P Version.cmake

# hearth_commit(SOURCE COMMIT CHANGED COUNT): twelve digits of the commit; "changed" where the tree is not that commit's;
# how many commits lie behind it. All empty where nothing is known.
function(hearth_commit source commit changed count)
  set(head "")
  set(dirty "")
  set(commits "")
  if(EXISTS ${source}/.git)
    execute_process(COMMAND git -C ${source} rev-parse --short=12 HEAD OUTPUT_VARIABLE head
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND git -C ${source} rev-list --count HEAD OUTPUT_VARIABLE commits
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND git -C ${source} status --porcelain --untracked-files=no OUTPUT_VARIABLE dirty ERROR_QUIET)
  else()
    file(STRINGS ${source}/cmake/commit.txt line LIMIT_COUNT 1)
    if(line MATCHES "^([0-9a-f]+)$")
      string(SUBSTRING ${CMAKE_MATCH_1} 0 12 head)
    endif()
  endif()
  set(${commit} "${head}" PARENT_SCOPE)
  set(${count} "${commits}" PARENT_SCOPE)
  if(dirty)
    set(${changed} changed PARENT_SCOPE)
  else()
    set(${changed} "" PARENT_SCOPE)
  endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  hearth_commit(${SOURCE} commit changed count)
  set(text "${VERSION}")
  if(commit)
    set(text "${VERSION} (${commit})")
    if(changed)
      set(text "${VERSION} (${commit}, changed)")
    endif()
  endif()
  file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
#include "base/version.hpp"

namespace hearth {

std::string build_version() { return "@text@"; }

}  // namespace hearth
]])
endif()
