package daemon

import (
	"fmt"
	"runtime/debug"
)

// version is set by the linker, as the Makefile and the images do.
var version string

// Version returns the version set by the linker, or the module version of go install, or dev.
func Version() string {
	if version != "" {
		return version
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" && build.Main.Version != "(devel)" {
		return build.Main.Version
	}
	return "dev"
}

// VersionCommand prints the version, as --version does.
type VersionCommand struct{}

// Run prints only the version.
func (*VersionCommand) Run(w *Process) error {
	_, err := fmt.Fprintln(w.Out, Version())
	return err
}
