// Package clients tries the OpenAPI documents as people use them. Generators in common
// use make clients from them, the clients are compiled, and they call the real
// programs. Each folder of testdata is the code of somebody who uses one generator;
// what that generates is made anew each time and not kept.
package clients
