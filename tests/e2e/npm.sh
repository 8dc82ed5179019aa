# shellcheck shell=bash
# What is tested with a program from npm. Source it; then: with_npm HERE FOLDER PACKAGE PROGRAM…

# with_npm HERE FOLDER PACKAGE PROGRAM…: skips without one of these programs; installs into FOLDER what HERE/package-lock.json
# names, by version and digest, unless it is there; copies HERE's modules to beside it, where their imports are looked up.
with_npm() {
  local here=$1 folder=$2 package=$3 program
  for program in node npm "${@:4}"; do
    command -v "$program" >/dev/null || skip "there is no $program (cmake/install-packages.sh peers)"
  done
  mkdir -p "$folder"
  if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
    cp "$here/package.json" "$here/package-lock.json" "$folder/"
    (cd "$folder" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) ||
      skip "npm can't install $package: $(tail -n 1 "$folder/npm.log")"
    cp "$here/package-lock.json" "$folder/installed"
  fi
  cp "$here"/*.mjs "$folder/"
}

skip() {
  echo "SKIPPED: $*"
  exit 77
}
