#!/bin/bash
# A cluster of Slurm on this machine: two nodes of one processor each, in namespaces that end with the script.
# usage: slurm_site.sh SCRIPT ARGUMENT…      runs SCRIPT in such namespaces; it sources this file, and calls start_site in a directory
#                                            that it has made (`work`)
# shellcheck disable=SC2154
if [ -z "${HEARTH_TEST_SITE:-}" ]; then
    [ "$(id -u)" = 0 ] || { echo "SKIPPED: needs root, for namespaces of a site"; exit 77; }
    for program in slurmctld slurmd munged; do
        [ -x "/usr/sbin/$program" ] || { echo "SKIPPED: there is no $program (cmake/install-packages.sh peers)"; exit 77; }
    done
    HEARTH_TEST_SITE=1 exec unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private -- "$@"
fi

# start_site: fails where the nodes are not there in half a minute. Names are looked up only where an interface has an address that
# is not loopback's.
start_site() {
    local site=$work/site host node
    trap 'kill -KILL -1 2> /dev/null || true; remove_work' EXIT  # all in the namespace but this script
    host=$(hostname -s)
    export SLURM_CONF=$site/slurm.conf
    chmod 0755 "$work"
    mkdir -p "$site/state" "$site/n1" "$site/n2" "$site/munge"
    ip link set lo up
    ip address add 192.0.2.1/32 dev lo
    (umask 077 && head -c 64 /dev/urandom > "$site/key")
    /usr/sbin/munged --force --key-file="$site/key" --socket="$site/munge/socket" --pid-file="$site/munge/pid" \
        --log-file="$site/munge/log" --seed-file="$site/munge/seed" || { fail "munged: $(cat "$site/munge/log")"; return 1; }
    cat > "$SLURM_CONF" << END
ClusterName=site
SlurmctldHost=$host(192.0.2.1)
AuthType=auth/munge
AuthInfo=socket=$site/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$site/state
SlurmdSpoolDir=$site/%n
SlurmctldPidFile=$site/slurmctld.pid
SlurmdPidFile=$site/%n.pid
SlurmctldLogFile=$site/slurmctld.log
SlurmdLogFile=$site/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
KillWait=1
MinJobAge=3600
NodeName=n1,n2 NodeHostname=$host NodeAddr=192.0.2.1 Port=[6001-6002] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
    /usr/sbin/slurmctld -c
    for node in 1 2; do taskset -c $(((node - 1) % $(nproc))) /usr/sbin/slurmd -N "n$node"; done
    until_true 30 all_idle
}

# until_true SECONDS COMMAND…
until_true() {
    for _ in $(seq $(($1 * 5))); do "${@:2}" && return; sleep 0.2; done
    fail "in vain: ${*:2}; $(squeue -t all; tail -n 5 "$work"/site/*.log)"
    return 1
}
all_idle() { [ "$(sinfo -h -N -t idle -o %N 2> /dev/null | sort | tr '\n' ' ')" = "n1 n2 " ]; }
nothing_waits() { [ -z "$(squeue -h -t pending,running,completing -o %i)" ]; }
# state NAME: of the last job of that name.
state() { squeue -h -t all -n "$1" -o '%i %T' | sort -n | tail -1 | cut -d' ' -f2; }
