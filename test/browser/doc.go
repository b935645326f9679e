// Package browser tests the pages of wf in Chromium as four users, and checks every page with axe-core:
// wide and narrow, dark, in French, without scripts, and with the keyboard. make check SUITE=browser runs it and
// stores screenshots in .cache/browser/pictures. make check SUITE=interop runs keycloak.mjs.
package browser
