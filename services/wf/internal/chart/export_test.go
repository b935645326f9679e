package chart

// What tests measure text with.
var (
	Fitting = fitting
	Measure = measure
)
