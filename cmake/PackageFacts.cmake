# Read by cpack when it makes packages: the version as the commit is then, and the programs that hearth runs.
include(${CPACK_HEARTH_SOURCE}/cmake/Version.cmake)
hearth_commit(${CPACK_HEARTH_SOURCE} commit changed count)
set(version ${CPACK_HEARTH_VERSION})
execute_process(COMMAND git -C ${CPACK_HEARTH_SOURCE} describe --exact-match --match v${version} HEAD
                RESULT_VARIABLE not_released OUTPUT_QUIET ERROR_QUIET)
if(commit AND (not_released OR changed))  # 0.1.0+1234.g0123456789ab: after 0.1.0, and each after the one before
  string(APPEND version "+${count}.g${commit}")
  if(changed)
    string(APPEND version ".changed")
  endif()
endif()
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_DEBIAN_PACKAGE_VERSION ${version})

# hearth_relation(GROUP OUT): the programs of a group of install-packages.sh as dependencies; dpkg-shlibdeps has the libraries.
function(hearth_relation group out)
  execute_process(COMMAND bash ${CPACK_HEARTH_SOURCE}/cmake/install-packages.sh --relation ${group}
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
hearth_relation(image programs)
hearth_relation(more more)
set(CPACK_DEBIAN_HEARTH_PACKAGE_DEPENDS "hearth-agent (= ${version}), ${programs}")
set(CPACK_DEBIAN_HEARTH_PACKAGE_RECOMMENDS "${more}")
