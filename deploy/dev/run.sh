#!/usr/bin/env bash
# Runs the programs with serve --dev, for make run, until Ctrl-C. When one of them ends,
# the others are stopped too, and the status is not 0.
#
#   deploy/dev/run.sh bin/wf bin/oidc-registrar
set -u

# On a terminal what follows gets a process group of its own, to which Ctrl-C goes: to the
# programs, and not to make, which would end with an error.
if [ -z "${RUN_SH_PARENT:-}" ]; then
	[ ! -t 0 ] || set -m
	RUN_SH_PARENT=$PPID bash "$0" "$@"
	exit
fi

pids=() names=()
say() { echo "make run: $*" >&2; }
alive() { kill -0 "$1" 2>/dev/null; }

# finish waits for the programs, which have been told to stop, and ends with the status.
finish() {
	for i in "${!pids[@]}"; do
		wait "${pids[$i]}" || { [ "$1" != 0 ] || say "${names[$i]} did not stop well"; set -- 1; }
	done
	exit "$1"
}
stop() {
	for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null; done
}

stopped=
trap 'stopped=signal' INT
trap 'stopped=signal; stop' TERM

# begin_work gives the development users of wf something to decide, when its database is new.
begin_work() {
	until "$1" healthcheck >/dev/null 2>&1; do
		sleep 1
		alive "$2" || return
	done
	"$1" policy apply --dev --as=ada --role=WF_ADMIN --activate deploy/dev/time-off.policy.yaml &&
		for title in "Two weeks in July" "A day in May"; do
			"$1" request create time-off --dev --as=mia --title="$title" || return
		done
}

for program in "$@"; do
	new=
	[ "${program##*/}" != wf ] || [ -e .data/wf.db ] || new=1
	"$program" serve --dev &
	pids+=($!) names+=("${program##*/}")
	[ -z "$new" ] || { begin_work "$program" $! >/dev/null || say "no request to begin with"; } &
done
while [ -z "$stopped" ]; do
	sleep 0.5
	[ -z "$stopped" ] || break
	if ! alive "$RUN_SH_PARENT"; then # make was killed
		stop
		finish 1
	fi
	for i in "${!pids[@]}"; do
		alive "${pids[$i]}" && continue
		wait "${pids[$i]}"
		status=$?
		name=${names[$i]}
		unset "pids[$i]" "names[$i]"
		say "$name ended with status $status, for the reason above; stopping ${names[*]:-nothing else}"
		stop
		finish 1
	done
done
# The terminal has told the programs as well. A second signal would end them at once, so
# only those are told that have not heard of it.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left=
	for pid in "${pids[@]}"; do ! alive "$pid" || left=1; done
	[ -n "$left" ] || break
	sleep 0.5
done
[ -z "$left" ] || stop
finish 0
