#!/bin/sh
printf %s "$greeting" >"$heat_outputs_path.result"
