package chart

// What tests measure text with.
var (
	Fitting = wrapText
	Measure = measure
)
