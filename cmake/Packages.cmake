# Debian packages hearth and hearth-agent: `cmake --build --preset release --target package` writes them into build/release.
# One hearth_…deb serves Debian 12 and 13: what it links has the same names in both (yaml-cpp has not, and is linked from
# its archive).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hearth)
set(CPACK_PACKAGE_VENDOR Hearth)
set(CPACK_PACKAGE_CONTACT "Hearth maintainers <maintainers@hearth.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "takes a datacentre from nothing to its first running machines")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL hearth hearth-agent)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
# Units name the prefix, so files are installed for it, below DESTDIR.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_HEARTH_PACKAGE_NAME hearth)
set(CPACK_DEBIAN_HEARTH_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_HEARTH_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_HEARTH_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/postinst)
# Both bring disk-image-create and element-info.
set(CPACK_DEBIAN_HEARTH_PACKAGE_CONFLICTS python3-diskimage-builder)
set(CPACK_COMPONENT_HEARTH_DESCRIPTION "offline image builder and datacentre bootstrap
 Composes diskimage-builder elements into bootable images, compiles Heat templates, boots machines by network and takes
 nodes through their states, with no network outside and no live orchestrator.")
set(CPACK_DEBIAN_HEARTH-AGENT_PACKAGE_NAME hearth-agent)
set(CPACK_DEBIAN_HEARTH-AGENT_PACKAGE_SECTION admin)
set(CPACK_COMPONENT_HEARTH-AGENT_DESCRIPTION "what configures a machine from its metadata, in one static program
 os-collect-config, os-apply-config, os-refresh-config, os-net-config, heat-config and the cfn tools; it needs no library
 and no interpreter.")

set(CPACK_HEARTH_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_HEARTH_VERSION ${PROJECT_VERSION})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/PackageFacts.cmake)
include(CPack)
