// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

// readEndpoint returns the address of the selected cluster and how its
// identity is verified.
func readEndpoint(cluster object, opts Options) (Endpoint, error) {
	if cluster.isSet("certificate-authority") {
		return Endpoint{}, refuseFile(cluster, "certificate-authority", "certificate-authority-data")
	}
	server, err := cluster.str("server")
	if err != nil {
		return Endpoint{}, err
	}
	if server, err = canonicalServer(cluster.at("server"), server); err != nil {
		return Endpoint{}, err
	}
	ca, insecure, err := readTrust(cluster, opts.AllowInsecure)
	if err != nil {
		return Endpoint{}, err
	}
	name, err := cluster.str("tls-server-name")
	if err != nil {
		return Endpoint{}, err
	}
	if name != "" {
		if name, err = canonicalServerName(cluster.at("tls-server-name"), name); err != nil {
			return Endpoint{}, err
		}
	}
	proxy, err := cluster.str("proxy-url")
	if err != nil {
		return Endpoint{}, err
	}
	if proxy != "" {
		if !opts.AllowProxy {
			return Endpoint{}, reject(ProxyNotAllowed, cluster.at("proxy-url"), "is not allowed; remove it, or ask the administrator for --allow-proxy")
		}
		if proxy, err = canonicalProxy(cluster.at("proxy-url"), proxy); err != nil {
			return Endpoint{}, err
		}
	}
	return Endpoint{Server: server, CAData: ca, Insecure: insecure, TLSServerName: name, ProxyURL: proxy}, nil
}

// readTrust reads the CA bundle and whether verification is off.
func readTrust(cluster object, allowInsecure bool) (ca []byte, insecure bool, err error) {
	const skip, data = "insecure-skip-tls-verify", "certificate-authority-data"
	if insecure, err = cluster.flag(skip); err != nil {
		return nil, false, err
	}
	if insecure {
		switch {
		case cluster.isSet(data):
			return nil, false, reject(InsecureWithCA, cluster.at(skip), "contradicts certificate-authority-data; remove one of the two")
		case !allowInsecure:
			return nil, false, reject(InsecureNotAllowed, cluster.at(skip), "is not allowed; set certificate-authority-data instead")
		}
		return nil, true, nil
	}
	if ca, err = readData(cluster, data, CAInvalid); err != nil || ca == nil {
		return nil, false, err
	}
	ca, err = canonicalCA(cluster.at(data), ca)
	return ca, false, err
}
