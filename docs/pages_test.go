// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docs_test keeps the pages honest: what they list has to be what the code has.
package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// page is a Markdown file, read relative to this folder.
type page struct {
	path  string
	lines []string
}

func read(t *testing.T, path string) page {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return page{path: path, lines: strings.Split(string(content), "\n")}
}

// section returns the lines below a heading, as far as the next heading of the same or a
// higher level.
func (p page) section(t *testing.T, heading string) page {
	t.Helper()
	level := strings.Index(heading, " ")
	var found []string
	inside, fenced := false, false
	for _, line := range p.lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if above := strings.Index(line, " "); !fenced && strings.HasPrefix(line, "#") && above <= level {
			if inside {
				break
			}
			inside = line == heading
			continue
		}
		if inside {
			found = append(found, line)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no section %q", p.path, heading)
	}
	return page{path: p.path + " " + heading, lines: found}
}

// row is one line of a table by the names of its columns, with the third-level heading that the
// table stands below.
type row struct {
	below string
	cells map[string]string
}

// rows reads all tables of a page that have the given columns first.
func (p page) rows(t *testing.T, columns ...string) []row {
	t.Helper()
	var found []row
	var header []string
	below := ""
	for _, line := range p.lines {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			below = strings.Trim(heading, "`")
		}
		if !strings.HasPrefix(line, "|") {
			header = nil
			continue
		}
		cells := cellsOf(line)
		switch {
		case header == nil:
			header = cells
		case strings.Trim(line, "|-: ") == "":
		case startsWith(header, columns):
			r := row{below: below, cells: map[string]string{}}
			for i, name := range header {
				if i < len(cells) {
					r.cells[name] = cells[i]
				}
			}
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no table with the columns %v", p.path, columns)
	}
	return found
}

var separator = regexp.MustCompile(`(?:[^|\\]|\\.)+`)

func cellsOf(line string) []string {
	var cells []string
	for _, cell := range separator.FindAllString(strings.TrimSpace(line), -1) {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, `\|`, "|")))
	}
	return cells
}

func startsWith(header, columns []string) bool {
	if len(header) < len(columns) {
		return false
	}
	for i := range columns {
		if header[i] != columns[i] {
			return false
		}
	}
	return true
}

var quoted = regexp.MustCompile("`([^`]+)`")

// codes are the texts in back-quotes.
func codes(cell string) []string {
	var found []string
	for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
		found = append(found, match[1])
	}
	return found
}

// code is the only text in back-quotes.
func code(t *testing.T, cell string) string {
	t.Helper()
	found := codes(cell)
	if len(found) != 1 {
		t.Fatalf("a cell must have one name in back-quotes: %q", cell)
	}
	return found[0]
}

// blocks are the fenced blocks of a language.
func (p page) blocks(language string) []string {
	var found []string
	var block []string
	inside := false
	for _, line := range p.lines {
		switch {
		case !inside && line == "```"+language:
			inside, block = true, nil
		case inside && line == "```":
			inside = false
			found = append(found, strings.Join(block, "\n")+"\n")
		case inside:
			block = append(block, line)
		}
	}
	return found
}
