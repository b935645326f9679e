//go:build race

package condition_test

func init() { slowdown = 10 }
