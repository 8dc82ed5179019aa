# What `cmake --install` installs, in two components: hearth with all that it needs, and hearth-agent.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME hearth)
set(HEARTH_SYSTEMD_UNIT_DIR lib/systemd/system CACHE STRING
  "Where units go; below the prefix systemd looks there for /usr and for /usr/local")
set(HEARTH_SYSUSERS_DIR lib/sysusers.d CACHE STRING "Where the users that units need are described")
set(agent_doc ${CMAKE_INSTALL_DATADIR}/doc/hearth-agent)
set(made ${CMAKE_BINARY_DIR}/installed)  # what the programs tell of themselves

# Manual pages and completions come from the command tables, schemas from the readers, by the programs themselves.
set(completions ${made}/hearth.bash ${made}/_hearth ${made}/hearth.fish)
add_custom_command(OUTPUT ${made}/man.stamp ${completions}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
  COMMAND hearth help --man ${made}/man
  COMMAND hearth-agent help --man ${made}/agent-man
  COMMAND hearth completion bash > ${made}/hearth.bash
  COMMAND hearth completion zsh > ${made}/_hearth
  COMMAND hearth completion fish > ${made}/hearth.fish
  COMMAND hearth schema --write ${made}/schemas
  COMMAND ${CMAKE_COMMAND} -E touch ${made}/man.stamp
  DEPENDS hearth hearth-agent COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(installed_texts ALL DEPENDS ${made}/man.stamp ${completions})

# The manual as a site: docs/, all READMEs and a page of each command. Not part of an ordinary build.
find_program(HEARTH_MANUAL_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)  # Debian's, which has python3-markdown
if(HEARTH_MANUAL_PYTHON)
  add_custom_target(manual
    COMMAND ${HEARTH_MANUAL_PYTHON} -B ${CMAKE_SOURCE_DIR}/docs/site/build.py ${CMAKE_SOURCE_DIR} $<TARGET_FILE:hearth>
      ${CMAKE_BINARY_DIR}/manual
    DEPENDS hearth hearth-agent COMMENT "Writing the manual" VERBATIM)
endif()

# Hearth as a container, made by this build of it. Not part of an ordinary build: it needs a Debian mirror.
set(HEARTH_SIGN_KEY "" CACHE FILEPATH "Ed25519 private key that signs the image of the target container; none: one is made there")
add_custom_target(container
  COMMAND bash ${CMAKE_SOURCE_DIR}/cmake/container.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/container ${HEARTH_SIGN_KEY}
  DEPENDS hearth hearth-agent installed_texts COMMENT "Making Hearth's container image" VERBATIM USES_TERMINAL)

install(TARGETS hearth)
install(TARGETS hearth-simulate RUNTIME DESTINATION libexec/hearth)  # where hearth looks for it
install(TARGETS hearth-agent COMPONENT hearth-agent)
foreach(name ${HEARTH_LINKS})
  install(FILES $<TARGET_FILE_DIR:hearth>/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

# Our element tree is data: installed as it is, shims included.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/elements DESTINATION ${CMAKE_INSTALL_DATADIR}/hearth USE_SOURCE_PERMISSIONS)

install(DIRECTORY ${made}/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/hearth)

# The texts lie as in the sources, so that their links lead somewhere.
file(GLOB texts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/*.md ${CMAKE_SOURCE_DIR}/docs/*.svg
  ${CMAKE_SOURCE_DIR}/docs/pictures/*)
foreach(room agent base bootstrap builder docs metadata pxe simulation)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${room}/*.md)
  list(APPEND texts ${found})
endforeach()
# README, HACKING and PROMISES lead there.
file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests/newcomers/*.md)
list(APPEND texts ${found})
list(APPEND texts tests/README.md tests/newcomers.md tests/mutation/README.md tests/simulation/found.txt simulation/world.hpp simulation/rules.cpp)
foreach(text LICENSE ${texts})
  cmake_path(GET text PARENT_PATH folder)
  install(FILES ${CMAKE_SOURCE_DIR}/${text} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN output EXCLUDE PATTERN quickstart.sh EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/agent/README.md DESTINATION ${agent_doc} COMPONENT hearth-agent)
# Elements lie where the program looks for them; the texts find them by their own links.
file(RELATIVE_PATH to_elements /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_DATADIR}/hearth/elements)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links/doc)
file(CREATE_LINK ${to_elements} ${CMAKE_BINARY_DIR}/links/doc/elements SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/links/doc/elements DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Debian's policy, 12.5.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${agent_doc} RENAME copyright COMPONENT hearth-agent)

foreach(section 1 7)
  install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} FILES_MATCHING PATTERN "*.${section}")
endforeach()
install(DIRECTORY ${made}/agent-man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT hearth-agent)

# bash and fish look for a file named as the program.
set(bash_completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(fish_completions ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${made}/hearth.bash DESTINATION ${bash_completions} RENAME hearth)
install(FILES ${made}/hearth.fish DESTINATION ${fish_completions})
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links/bash ${CMAKE_BINARY_DIR}/links/fish)
foreach(name ${HEARTH_LINKS})
  file(CREATE_LINK hearth ${CMAKE_BINARY_DIR}/links/bash/${name} SYMBOLIC)
  file(CREATE_LINK hearth.fish ${CMAKE_BINARY_DIR}/links/fish/${name}.fish SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/links/bash/${name} DESTINATION ${bash_completions})
  install(FILES ${CMAKE_BINARY_DIR}/links/fish/${name}.fish DESTINATION ${fish_completions})
endforeach()

install(FILES ${CMAKE_SOURCE_DIR}/bootstrap/systemd/hearth.conf DESTINATION ${HEARTH_SYSUSERS_DIR})

# What depends on the prefix, which is known for certain only when it is installed (cmake --install --prefix, cpack).
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/install-configured.cmake @ONLY CONTENT [[
set(bindir ${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_BINDIR@)
set(docdir ${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_DOCDIR@)
foreach(unit pxe/systemd/hearth-pxe.service bootstrap/systemd/hearth-conductor.service)
  cmake_path(GET unit FILENAME name)
  configure_file(@CMAKE_SOURCE_DIR@/${unit}.in @CMAKE_BINARY_DIR@/units/${name} @ONLY)
  file(INSTALL @CMAKE_BINARY_DIR@/units/${name} DESTINATION ${CMAKE_INSTALL_PREFIX}/@HEARTH_SYSTEMD_UNIT_DIR@)
endforeach()
# Debian's zsh looks for what packages bring elsewhere than other systems' does.
set(zsh site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(zsh vendor-completions)
endif()
file(INSTALL @made@/_hearth DESTINATION ${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_DATADIR@/zsh/${zsh})
]])
install(SCRIPT ${CMAKE_BINARY_DIR}/install-configured.cmake COMPONENT hearth)
