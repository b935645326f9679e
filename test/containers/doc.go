// Package containers checks the Dockerfiles, docker-compose.yml and deploy. Most tests need no container engine: they
// run the build steps of a Dockerfile on a copy of its sources, and start the resulting programs with the settings of
// deploy. TestTheStackInContainers runs Compose on an engine.
package containers
