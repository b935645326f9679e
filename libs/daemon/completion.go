package daemon

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
)

// CompletionCommand prints a script that completes the commands and flags of the program in a shell.
type CompletionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c *CompletionCommand) Run(w *Process, called *kong.Context) error {
	script := completion{Name: called.Model.Name}
	script.add("", called.Model.Node)
	return completions.ExecuteTemplate(w.Out, c.Shell, script)
}

// completion holds the words that complete each command. A command is written as the names on its path, each after a
// space; empty is the program itself.
type completion struct {
	Name     string
	Commands []completedCommand
}

type completedCommand struct{ Path, Words string }

// Paths are those of the commands, without the program itself.
func (c completion) Paths() []string {
	var paths []string
	for _, command := range c.Commands[1:] {
		paths = append(paths, command.Path)
	}
	return paths
}

func (c *completion) add(path string, node *kong.Node) {
	var words []string
	for _, child := range node.Children {
		if !child.Hidden {
			words = append(words, child.Name)
		}
	}
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			words = append(words, "--"+flag.Name)
			if flag.Tag.Negatable != "" {
				words = append(words, "--no-"+flag.Name)
			}
		}
	}
	slices.Sort(words)
	c.Commands = append(c.Commands, completedCommand{path, strings.Join(words, " ")})
	for _, child := range node.Children {
		if !child.Hidden {
			c.add(path+" "+child.Name, child)
		}
	}
}

// completions are the scripts. File names complete where no word does, as the value of a flag or an argument.
var completions = template.Must(template.New("").Funcs(template.FuncMap{
	"quoted": func(list []string, between string) string {
		quoted := make([]string, len(list))
		for i, text := range list {
			quoted[i] = fmt.Sprintf("'%s'", text)
		}
		return strings.Join(quoted, between)
	},
	"function": func(name string) string { return "_" + strings.ReplaceAll(name, "-", "_") },
}).Parse(`
{{- define "bash"}}{{function .Name}}() {
  local at='' word words=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in {{quoted .Paths "|"}}) at="$at $word";; esac
  done
  case "$at" in
{{range .Commands}}  '{{.Path}}') words='{{.Words}}';;
{{end}}  esac
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F {{function .Name}} {{.Name}}
{{end}}

{{- define "zsh"}}#compdef {{.Name}}
{{function .Name}}() {
  local at='' word
  local -a list
  for word in "${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in ({{quoted .Paths "|"}}) at="$at $word";; esac
  done
  case "$at" in
{{range .Commands}}  ('{{.Path}}') list=({{.Words}});;
{{end}}  esac
  compadd -a list || _files
}
compdef {{function .Name}} {{.Name}}
{{end}}

{{- define "fish"}}function _{{function .Name}}_at
  set -l at ''
  for word in (commandline -opc)[2..]
    if contains -- "$at $word" {{quoted .Paths " "}}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
{{range .Commands}}complete -c {{$.Name}} -n "_{{function $.Name}}_at '{{.Path}}'" -a '{{.Words}}'
{{end}}{{end}}`))
