// Package docs checks the Markdown files: links, paths, and the parts of every decision.
package docs
