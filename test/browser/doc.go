// Package browser clicks through wf's inbox with a real browser, as four people, and looks
// at every page with axe-core: wide and narrow, dark, in French, without scripts, and with
// the keyboard alone. make browser runs it; the pictures are in .cache/browser/pictures.
package browser
