// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"strings"
)

const (
	certificateBlock = "CERTIFICATE"
	// Checking an RSA key costs the cube of its size. This admits 16384 bits.
	maxKeyBytes = 16 << 10
)

// CanonicalCA returns a CA bundle without comments, PEM headers or line ending
// differences. The input must hold at least one CERTIFICATE block, no other
// block, and every block must parse. The error is a *Rejection.
func CanonicalCA(bundle []byte) ([]byte, error) {
	return canonicalCA("caBundle", bundle)
}

func canonicalCA(field string, bundle []byte) ([]byte, error) {
	if len(bundle) > maxBytes {
		return nil, reject(CAInvalid, field, "is over 1 MiB")
	}
	blocks := pemBlocks(bundle)
	if blocks == nil {
		return nil, reject(CAInvalid, field, "must be PEM: complete CERTIFICATE blocks")
	}
	for _, block := range blocks {
		if block.Type != certificateBlock {
			return nil, reject(CAInvalid, field, "must hold CERTIFICATE blocks only; a private key does not belong here")
		}
	}
	canonical, ok := encodeCertificates(blocks)
	if !ok {
		return nil, reject(CAInvalid, field, "holds a certificate that cannot be parsed")
	}
	return canonical, nil
}

// readClientCertificate reads a certificate and its key. An expired one is
// accepted: whether it is still good is for the server to say.
func readClientCertificate(user object) (Credential, error) {
	certificate, err := readData(user, "client-certificate-data", ClientCertificateInvalid)
	if err != nil {
		return Credential{}, err
	}
	key, err := readData(user, "client-key-data", ClientCertificateInvalid)
	if err != nil {
		return Credential{}, err
	}
	certificateField, keyField := user.at("client-certificate-data"), user.at("client-key-data")
	if len(certificate) == 0 {
		return Credential{}, reject(ClientCertificateInvalid, certificateField, "must be set together with client-key-data")
	}
	if len(key) == 0 {
		return Credential{}, reject(ClientCertificateInvalid, keyField, "must be set together with client-certificate-data")
	}
	if certificate, err = clientCertificates(certificateField, certificate); err != nil {
		return Credential{}, err
	}
	if key, err = privateKey(keyField, key); err != nil {
		return Credential{}, err
	}
	if _, err := tls.X509KeyPair(certificate, key); err != nil {
		return Credential{}, reject(ClientCertificateInvalid, keyField, "must be the private key of client-certificate-data")
	}
	return Credential{ClientCertificateData: certificate, ClientKeyData: key}, nil
}

// clientCertificates keeps the certificates of a file that may also hold the key.
func clientCertificates(field string, data []byte) ([]byte, error) {
	var certificates []*pem.Block
	for _, block := range pemBlocks(data) {
		if block.Type == certificateBlock {
			certificates = append(certificates, block)
		}
	}
	if len(certificates) == 0 {
		return nil, reject(ClientCertificateInvalid, field, "must be base64 of PEM: complete CERTIFICATE blocks")
	}
	encoded, ok := encodeCertificates(certificates)
	if !ok {
		return nil, reject(ClientCertificateInvalid, field, "holds a certificate that cannot be parsed")
	}
	return encoded, nil
}

// privateKey keeps the first private key of a file that may also hold curve
// parameters or the certificate.
func privateKey(field string, data []byte) ([]byte, error) {
	for _, block := range pemBlocks(data) {
		if block.Type != "PRIVATE KEY" && !strings.HasSuffix(block.Type, " PRIVATE KEY") {
			continue
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
			return nil, reject(ClientCertificateInvalid, field, "is encrypted; store the key without a passphrase")
		}
		if len(block.Bytes) > maxKeyBytes {
			return nil, reject(ClientCertificateInvalid, field, "is larger than any usable key")
		}
		return pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}), nil
	}
	return nil, reject(ClientCertificateInvalid, field, "must be base64 of PEM: one complete private key block")
}

// readData decodes a base64 field, nil if absent.
func readData(o object, key string, reason Reason) ([]byte, error) {
	text, err := o.str(key)
	if err != nil || text == "" {
		return nil, err
	}
	data, ok := decodeBase64(text)
	if !ok || len(data) == 0 {
		return nil, reject(reason, o.at(key), "must be base64 of PEM")
	}
	return data, nil
}

// pemBlocks returns every block, or nil if one of them is damaged. pem.Decode
// alone would silently step over it.
func pemBlocks(data []byte) []*pem.Block {
	var blocks []*pem.Block
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		blocks = append(blocks, block)
	}
	if len(blocks) != bytes.Count(data, []byte("-----BEGIN")) {
		return nil
	}
	return blocks
}

func encodeCertificates(blocks []*pem.Block) ([]byte, bool) {
	var out bytes.Buffer
	for _, block := range blocks {
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, false
		}
		out.Write(pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: block.Bytes}))
	}
	return out.Bytes(), true
}
