// Package containers holds the Dockerfiles, docker-compose.yml and deploy to what
// they promise. It needs no container engine: the steps of a Dockerfile that build
// are run on a copy of what it copies, and the programs that come out are started
// with the settings of deploy.
package containers
