#!/bin/bash
# Makes the SSH host keys that are missing. Unlike ssh-keygen -A it never asks, whoever else is making keys.
# dib-lint: disable=dibdebugtrace
set -eu
set -o pipefail
directory=${1:-/etc/ssh}
for type in rsa ecdsa ed25519; do
    key=$directory/ssh_host_${type}_key
    if [ ! -s "$key" ]; then
        rm -f "$key" "$key.pub"
        ssh-keygen -q -N '' -t "$type" -f "$key" < /dev/null
    fi
done
