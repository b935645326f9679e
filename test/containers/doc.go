// Package containers checks the Dockerfiles, docker-compose.yml and deploy without a container engine: it
// runs the build steps of a Dockerfile on a copy of its inputs and starts the resulting programs with the
// settings of deploy.
package containers
