#!/bin/sh
# shellcheck disable=SC2154  # the hook sets both
printf %s "$greeting" >"$heat_outputs_path.result"
