// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"strconv"
	"strings"
)

const (
	maxListedNames      = 10
	maxListedNameBytes  = 128
	maxListedTotalBytes = 640
)

// entry is one named element of clusters, users or contexts.
type entry struct {
	name string
	item object
}

// selectEntries returns the cluster and the user of the wanted context.
func selectEntries(root object, wanted string) (cluster, user object, err error) {
	contexts, err := namedEntries(root, "contexts")
	if err != nil {
		return object{}, object{}, err
	}
	clusters, err := namedEntries(root, "clusters")
	if err != nil {
		return object{}, object{}, err
	}
	users, err := namedEntries(root, "users")
	if err != nil {
		return object{}, object{}, err
	}
	selected, err := selectContext(root, contexts, wanted)
	if err != nil {
		return object{}, object{}, err
	}
	cluster, err = follow(selected, "cluster", clusters, ClusterNotFound)
	if err != nil {
		return object{}, object{}, err
	}
	user, err = follow(selected, "user", users, UserNotFound)
	return cluster, user, err
}

// namedEntries reads one of the three lists. Readers disagree on which of two
// entries with one name counts, so there must be no two.
func namedEntries(root object, list string) ([]entry, error) {
	items, err := root.list(list)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(items))
	first := make(map[string]string, len(items))
	for _, item := range items {
		name, err := item.str("name")
		if err != nil {
			return nil, err
		}
		if name == "" {
			return nil, reject(Malformed, item.at("name"), "must be set")
		}
		if path, ok := first[name]; ok {
			return nil, reject(DuplicateName, item.at("name"), "is also the name of "+path+"; keep one of the two")
		}
		first[name] = item.path
		entries = append(entries, entry{name: name, item: item})
	}
	return entries, nil
}

func selectContext(root object, contexts []entry, wanted string) (object, error) {
	field := "bootstrap.context"
	if wanted == "" {
		current, err := root.str("current-context")
		if err != nil {
			return object{}, err
		}
		wanted, field = current, "current-context"
	}
	if len(contexts) == 0 {
		return object{}, reject(ContextNotFound, "contexts", "is empty; add a context that names a cluster and a user")
	}
	if wanted == "" {
		return object{}, reject(ContextRequired, field, "is not set; set `bootstrap.context` to "+choices(contexts))
	}
	for _, c := range contexts {
		if c.name == wanted {
			return c.item.object("context")
		}
	}
	return object{}, reject(ContextNotFound, field, "names no context of the kubeconfig; set `bootstrap.context` to "+choices(contexts))
}

// follow resolves a context's reference to a cluster or a user and returns the
// part of the entry that is stored under the same word.
func follow(context object, kind string, entries []entry, missing Reason) (object, error) {
	name, err := context.str(kind)
	if err != nil {
		return object{}, err
	}
	if name == "" {
		return object{}, reject(missing, context.at(kind), "must name a "+kind+" of the kubeconfig")
	}
	for _, e := range entries {
		if e.name == name {
			return e.item.object(kind)
		}
	}
	return object{}, reject(missing, context.at(kind), "names a "+kind+" that the kubeconfig does not have; add it or correct the name")
}

// choices lists context names for a message: a bounded number of them, and
// only those that cannot break the message or hide what they say.
func choices(contexts []entry) string {
	var listed []string
	total := 0
	for _, c := range contexts {
		if len(listed) == maxListedNames || !isPlainName(c.name) || total+len(c.name) > maxListedTotalBytes {
			continue
		}
		total += len(c.name)
		listed = append(listed, "'"+c.name+"'")
	}
	if len(listed) == 0 {
		return "one of its contexts"
	}
	text := "one of " + strings.Join(listed, ", ")
	if len(listed) == 1 {
		text = listed[0]
	}
	if more := len(contexts) - len(listed); more > 0 {
		text += " or " + strconv.Itoa(more) + " more"
	}
	return text
}

func isPlainName(name string) bool {
	if name == "" || len(name) > maxListedNameBytes {
		return false
	}
	for i := range len(name) {
		if !isAlphanumeric(name[i]) && !strings.ContainsRune("-._:/@", rune(name[i])) {
			return false
		}
	}
	return true
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
