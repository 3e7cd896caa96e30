// Renders a Helm chart without Helm: text/template of Go, as Helm uses it, with those functions that the chart needs. A
// function or a value that is missing is an error here, where Helm would sometimes print nothing.
// In: {"folder", "release", "chart", "values", "objects"} as JSON; objects are what lookup finds in the cluster. Out: {file: text}
// as JSON.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

type order struct {
	Folder  string
	Release map[string]any
	Chart   map[string]any
	Values  map[string]any
	Objects []map[string]any
}

func main() {
	var asked order
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		stop(err)
	}
	files, err := filepath.Glob(filepath.Join(asked.Folder, "templates", "*"))
	if err != nil {
		stop(err)
	}
	base := filepath.Join(filepath.Base(asked.Folder), "templates")
	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	all.Funcs(template.FuncMap{"lookup": lookupIn(asked.Objects)})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			stop(err)
		}
		if _, err := all.New(filepath.Join(base, filepath.Base(file))).Parse(string(text)); err != nil {
			stop(err)
		}
	}
	rendered := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		given := map[string]any{
			"Release":  asked.Release,
			"Chart":    asked.Chart,
			"Values":   asked.Values,
			"Template": map[string]any{"BasePath": base, "Name": filepath.Join(base, name)},
		}
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, filepath.Join(base, name), given); err != nil {
			stop(err)
		}
		rendered[name] = out.String()
	}
	if err := json.NewEncoder(os.Stdout).Encode(rendered); err != nil {
		stop(err)
	}
}

func stop(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func functions(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, given any) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, given)
			return out.String(), err
		},
		"required": func(complaint string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(complaint)
			}
			return value, nil
		},
		"default": func(usual, value any) any {
			if value == nil || value == "" || value == false || value == float64(0) {
				return usual
			}
			return value
		},
		"fail":      func(complaint string) (string, error) { return "", errors.New(complaint) },
		"hasPrefix": func(prefix, text string) bool { return strings.HasPrefix(text, prefix) },
		"int":       func(number float64) int { return int(number) },
		"kindIs":    func(kind string, value any) bool { return reflect.ValueOf(value).Kind().String() == kind },
		"dict": func(pairs ...any) map[string]any {
			made := map[string]any{}
			for i := 0; i+1 < len(pairs); i += 2 {
				made[pairs[i].(string)] = pairs[i+1]
			}
			return made
		},
		"list":   func(items ...any) []any { return items },
		"append": func(items []any, item any) []any { return append(append([]any{}, items...), item) },
		"concat": func(lists ...[]any) []any {
			all := []any{}
			for _, items := range lists {
				all = append(all, items...)
			}
			return all
		},
		"join": func(between string, items []any) string {
			texts := make([]string, len(items))
			for i, item := range items {
				texts[i] = fmt.Sprint(item)
			}
			return strings.Join(texts, between)
		},
		"set": func(object map[string]any, name string, value any) map[string]any {
			object[name] = value
			return object
		},
		"merge": func(into, from map[string]any) map[string]any {
			for name, value := range from {
				if _, isGiven := into[name]; !isGiven {
					into[name] = value
				}
			}
			return into
		},
		"deepCopy": func(value any) (any, error) { return fromJson(toJson(value)) },
		"dig":      dig,
		"toJson":   toJson,
		"fromJson": fromJson,
		"float64":  func(text string) (float64, error) { return strconv.ParseFloat(text, 64) },
		"ternary":  func(yes, no any, condition bool) any { return map[bool]any{true: yes, false: no}[condition] },
		"quote":    func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"nindent": func(width int, text string) string {
			margin := "\n" + strings.Repeat(" ", width)
			return margin + strings.ReplaceAll(text, "\n", margin)
		},
		"toYaml":     func(value any) string { return strings.Join(block(value), "\n") },
		"sha256sum":  func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
		"hasSuffix":  func(suffix, text string) bool { return strings.HasSuffix(text, suffix) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"replace":    func(old, new, text string) string { return strings.ReplaceAll(text, old, new) },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"trunc": func(most int, text string) string {
			if len(text) > most {
				return text[:most]
			}
			return text
		},
	}
}

// lookupIn is empty without a match, as when Helm renders without a cluster.
func lookupIn(objects []map[string]any) func(string, string, string, string) map[string]any {
	return func(version, kind, namespace, name string) map[string]any {
		for _, object := range objects {
			about, _ := object["metadata"].(map[string]any)
			if object["kind"] == kind && about["namespace"] == namespace && about["name"] == name {
				return object
			}
		}
		return map[string]any{}
	}
}

// dig takes the names of a path, a default and the object.
func dig(given ...any) any {
	names, usual := given[:len(given)-2], given[len(given)-2]
	value := given[len(given)-1]
	for _, name := range names {
		object, isObject := value.(map[string]any)
		inner, isGiven := object[name.(string)]
		if !isObject || !isGiven {
			return usual
		}
		value = inner
	}
	return value
}

func toJson(value any) string { return scalar(value) }

func fromJson(text any) (any, error) {
	var value any
	err := json.Unmarshal([]byte(text.(string)), &value)
	return value, err
}

// block writes YAML in block style, as Helm does: a caller may stand between entries of a mapping.
func block(value any) []string {
	switch given := value.(type) {
	case map[string]any:
		if len(given) == 0 {
			return []string{"{}"}
		}
		names := make([]string, 0, len(given))
		for name := range given {
			names = append(names, name)
		}
		sort.Strings(names)
		lines := []string{}
		for _, name := range names {
			lines = append(lines, nested(scalar(name)+":", given[name])...)
		}
		return lines
	case []any:
		if len(given) == 0 {
			return []string{"[]"}
		}
		lines := []string{}
		for _, item := range given {
			lines = append(lines, nested("-", item)...)
		}
		return lines
	}
	return []string{scalar(value)}
}

func nested(head string, value any) []string {
	inner := block(value)
	isFlat := len(inner) == 1 && (inner[0] == "{}" || inner[0] == "[]")
	switch value.(type) {
	case map[string]any, []any:
		if !isFlat {
			lines := []string{head}
			for _, line := range inner {
				lines = append(lines, "  "+line)
			}
			return lines
		}
	}
	return []string{head + " " + inner[0]}
}

// JSON is YAML; numbers keep their digits.
func scalar(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		stop(err)
	}
	return string(text)
}
