#!/bin/sh
# The programs that test the Helm charts, in fixed versions.
#
#   kubernetes.sh run CMD…   run CMD with the paths of the programs in the environment; the status is CMD's
#
#   HELM                  built from the Go module proxy
#   KUBERNETES_VALIDATE   from PyPI, with the schemas of Kubernetes
#   KUBE_APISERVER        built from the Go module proxy, which takes a quarter of an hour once
#   ETCD                  of the machine; root on Debian gets the distribution's package
#
# A program that cannot be had has no variable, and a line says so. They are kept in COUNTERSIGN_CACHE,
# ~/.cache/countersign if not set.
set -u

helm=v4.3.1
validate=1.37.0
kubernetes=1.34.4 # a version whose server supports the etcd 3.4 of Debian 12

cache=${COUNTERSIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/countersign}/kubernetes
say() { echo "kubernetes.sh: $*" >&2; }

# have NAME PATH MAKE sets the variable NAME to PATH, which the function MAKE creates if it does not exist.
have() {
	if [ ! -x "$2" ]; then
		mkdir -p "$(dirname "$2")"
		if ! (set -e; "$3") >&2 || [ ! -x "$2" ]; then
			say "no $1: see above"
			return 0
		fi
	fi
	export "$1=$2"
}

build_helm() {
	GOBIN="$cache/helm-$helm" GOWORK=off GOFLAGS=-trimpath CGO_ENABLED=0 nice go install "helm.sh/helm/v4/cmd/helm@$helm"
}

install_validate() {
	python3 -m venv "$cache/validate-$validate"
	"$cache/validate-$validate/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$validate"
}

# go.mod of k8s.io/kubernetes replaces its libraries by folders of its repository, so that go install refuses it.
# They are published too: 0.34.4 belongs to 1.34.4. The module built here requires those instead.
build_apiserver() {
	source=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p')
	[ -n "$source" ]
	module=$(mktemp -d)
	{
		echo 'module apiserver'
		grep '^go ' "$source"
		echo "require k8s.io/kubernetes v$kubernetes"
		sed -n 's/^\t\(k8s\.io\/[a-z-]*\) => .*/\1/p' "$source" | sort -u | while read -r library; do
			echo "replace $library => $library v0.${kubernetes#1.}"
		done
	} >"$module/go.mod"
	printf 'package tools\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver"\n' >"$module/tools.go"
	version=k8s.io/component-base/version
	minor=${kubernetes#1.}
	say "building kube-apiserver $kubernetes"
	cd "$module"
	GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=0 nice -n 19 go build -p 1 -trimpath -o "$cache/apiserver-$kubernetes/kube-apiserver" \
		-ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" \
		k8s.io/kubernetes/cmd/kube-apiserver
	rm -rf "$module"
}

install_etcd() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { say "etcd is missing, and only root on Debian can install it"; return 1; }
	apt-get update -qq
	# Without this the package would start an etcd for the whole machine.
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends etcd-server
	rm /usr/sbin/policy-rc.d
}

case "${1:-}" in
run)
	shift
	[ $# -gt 0 ] || { say "run what?"; exit 1; }
	have HELM "$cache/helm-$helm/helm" build_helm
	have KUBERNETES_VALIDATE "$cache/validate-$validate/bin/kubernetes-validate" install_validate
	have KUBE_APISERVER "$cache/apiserver-$kubernetes/kube-apiserver" build_apiserver
	have ETCD "$(command -v etcd || echo /usr/bin/etcd)" install_etcd
	exec "$@"
	;;
*)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$0" >&2
	exit 2
	;;
esac
