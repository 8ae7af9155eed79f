// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

const contentJSON = "application/json"

// request is what a request's method and path ask of an API server.
type request struct {
	verb        string // get, list, watch, create, update, patch, delete, deletecollection
	resource    schema.GroupVersionResource
	subresource string
	kind        string // of the resource; empty if it is none we know
	object      bool   // it is a request for objects, under /api or /apis
	partial     bool   // it asks for metadata only
	safe        bool   // repeating it changes nothing
	stream      bool   // its answer has no end of its own
}

// parseRequest reads a request to the server at base.
func parseRequest(base *url.URL, req *http.Request) request {
	path := strings.TrimPrefix(req.URL.Path, base.Path)
	parsed := request{partial: strings.Contains(req.Header.Get("Accept"), "PartialObjectMetadata")}
	named := parsed.parsePath(strings.Split(strings.Trim(path, "/"), "/"))
	parsed.verb = verb(req.Method, named)
	parsed.kind = knownKinds()[parsed.resource]
	if parsed.stream = parsed.streams(req.URL.Query()); parsed.stream && parsed.verb == "list" {
		parsed.verb = "watch"
	}
	parsed.safe = req.Method == http.MethodGet || strings.HasPrefix(parsed.resource.Resource, "selfsubject")
	return parsed
}

// streams tells watches and logs that are followed.
func (r *request) streams(query url.Values) bool {
	asks := func(parameter string) bool {
		yes, err := strconv.ParseBool(query.Get(parameter))
		return err == nil && yes
	}
	return r.verb == "list" && asks("watch") || r.subresource == "log" && asks("follow")
}

// parsePath fills in the resource, and tells whether the path names one object.
func (r *request) parsePath(parts []string) bool {
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		r.resource.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		r.resource.Group, r.resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		r.resource.Resource = parts[0]
		return true
	}
	r.object = true
	// namespaces/NAME/RESOURCE…, but not the namespace's own subresources.
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		parts = parts[2:]
	}
	r.resource.Resource = parts[0]
	if len(parts) > 2 {
		r.subresource = parts[2]
	}
	return len(parts) > 1
}

func verb(method string, named bool) string {
	switch method {
	case http.MethodGet:
		if !named {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodDelete:
		if !named {
			return "deletecollection"
		}
		return "delete"
	}
	return strings.ToLower(method)
}

// op names the request without names of objects, so that it can be a label.
func (r *request) op() string {
	resource := "other"
	if r.kind != "" || r.resource == versionResource {
		resource = r.resource.Resource
	}
	if _, known := subresourceKinds[r.subresource]; known && r.subresource != "" {
		resource += "/" + r.subresource
	}
	return r.verb + " " + resource
}

// versionResource stands for the path /version.
var versionResource = schema.GroupVersionResource{Resource: "version"}

// subresourceKinds gives what a subresource answers with. An empty kind means
// the resource's own.
var subresourceKinds = map[string]schema.GroupVersionKind{
	"":         {},
	"status":   {},
	"finalize": {},
	"token":    {Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"},
	"scale":    {Group: "autoscaling", Version: "v1", Kind: "Scale"},
	"eviction": {Version: "v1", Kind: "Status"},
	"log":      {},
}

// accepts tells whether a successful answer is what an API server would give.
// A decoder does not: it fills any object from `{}`, and leaves it empty without
// an error when the answer is of another kind.
func (r *request) accepts(header http.Header, body []byte) bool {
	if r.subresource == "log" {
		return mediaType(header) == "text/plain"
	}
	if !isJSON(header) {
		return false
	}
	if !r.object {
		return true
	}
	// The decoders find the kind by the same function.
	answered, err := json.DefaultMetaFactory.Interpret(body)
	if err != nil || answered.Kind == "" || answered.Version == "" {
		return false
	}
	return r.expects(*answered)
}

func (r *request) expects(answered schema.GroupVersionKind) bool {
	if r.partial && answered.Group == "meta.k8s.io" && strings.HasPrefix(answered.Kind, "PartialObjectMetadata") {
		return true
	}
	isStatus := answered == schema.GroupVersionKind{Version: "v1", Kind: "Status"}
	if r.verb == "delete" || r.verb == "deletecollection" {
		return isStatus || r.expectsObject(answered)
	}
	if isStatus && r.subresource != "eviction" {
		return false
	}
	return r.expectsObject(answered)
}

func (r *request) expectsObject(answered schema.GroupVersionKind) bool {
	expected, known := subresourceKinds[r.subresource]
	switch {
	case expected.Kind != "":
		return answered == expected
	case r.kind == "" || !known:
		return true
	}
	expected = r.resource.GroupVersion().WithKind(r.kind)
	list := r.resource.GroupVersion().WithKind(r.kind + "List")
	switch r.verb {
	case "list":
		return answered == list
	case "deletecollection":
		return answered == expected || answered == list
	}
	return answered == expected
}

func isJSON(header http.Header) bool { return mediaType(header) == contentJSON }

func mediaType(header http.Header) string {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// acceptJSON keeps the JSON forms of an Accept header, such as the one that asks
// for metadata only.
func acceptJSON(accept string) string {
	var kept []string
	for form := range strings.SplitSeq(accept, ",") {
		form = strings.TrimSpace(form)
		if form == contentJSON || strings.HasPrefix(form, contentJSON+";") {
			kept = append(kept, form)
		}
	}
	if len(kept) == 0 {
		return contentJSON
	}
	return strings.Join(kept, ",")
}
