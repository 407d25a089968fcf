"""A certification authority for tests, and certificates of servers: good, expired, of another host, self-signed."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

HERE = "127.0.0.1"


@dataclass(frozen=True)
class Authority:
    """An authority whose files lie in `folder`."""

    folder: Path

    @property
    def bundle(self) -> Path:
        """Its own certificate, as a hospital hands it out (PEM)."""
        path = self.folder / "authority.pem"
        if not path.exists():
            path.write_bytes(self._certificate.public_bytes(Encoding.PEM))
        return path

    def client(self, name: str) -> Path:
        """Certificate of a client with its private key (PEM)."""
        key = ec.generate_private_key(ec.SECP256R1())
        until = datetime.now(UTC) + timedelta(days=30)
        made = _unsigned(_name(name), self._certificate.subject, key, until).sign(self._key, SHA256())
        path = self.folder / f"{name}.pem"
        _context(path, key, made)
        return path

    def server(self, *, host: str = HERE, days: int = 30, self_signed: bool = False) -> ssl.SSLContext:
        """TLS of a server whose certificate is for `host` and ends in so many `days`."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(host)
        issuer, signer = (subject, key) if self_signed else (self._certificate.subject, self._key)
        until = datetime.now(UTC) + timedelta(days=days)
        made = (
            _unsigned(subject, issuer, key, until)
            .add_extension(x509.SubjectAlternativeName([_alternative(host)]), critical=False)
            .sign(signer, SHA256())
        )
        return _context(self.folder / f"{host}{days}{self_signed}.pem", key, made)

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        return ec.generate_private_key(ec.SECP256R1())

    @cached_property
    def _certificate(self) -> x509.Certificate:
        name = _name("Authority of a hospital")
        use = x509.KeyUsage(*[False] * 5, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False)
        return (
            _unsigned(name, name, self._key, datetime.now(UTC) + timedelta(days=30))
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(use, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, SHA256())
        )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(until - timedelta(days=400))
        .not_valid_after(until)
    )


def _context(path: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> ssl.SSLContext:
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
