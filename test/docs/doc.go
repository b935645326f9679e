// Package docs checks the Markdown files: their links and paths lead somewhere, and
// every decision has its parts.
package docs
