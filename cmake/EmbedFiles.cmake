# Writes a C++ source with the bytes of files, for a program that carries them with it.
# usage: cmake -DOUT=x.cpp -DHEADER=room/x.hpp -DNAMESPACE=a::b -DFUNCTION=name -DFILES="a.html;b.css" -DBASE=DIR -P EmbedFiles.cmake
# A file's name is its path below DIR.
set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nnamespace {\n\n")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${BASE} ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND code "constexpr unsigned char k_file_${number}[] = {${bytes}};\n")
  string(APPEND rows "      {\"${name}\", k_file_${number}, sizeof k_file_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND code "\n}  // namespace\n\nstd::vector<EmbeddedFile> ${FUNCTION}() {\n  return {\n${rows}  };\n}\n\n")
string(APPEND code "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${code}")
