// Package docs holds what the Markdown files say of the repository to the repository.
package docs
