// Package containers checks the Dockerfiles, docker-compose.yml and deploy without a
// container engine: it runs the build steps of a Dockerfile on a copy of what it
// copies, and starts the programs that come out with the settings of deploy.
package containers
