/** Certificates and keys from PEM files, validated when the settings are read, before TLS would reject them. */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Settings } from '../../base/process/settings.ts';

/** A certificate with its key, as PEM text. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** @returns the certificates of a file, in order. @throws the system's error for an unreadable certificate. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/**
 * Refuses certificates that TLS would reject later, at start or in every call, with a message that names no setting.
 */
export function readCertificate(settings: Settings): Certificate {
  const [certificate, key] = [settings.contents('certificateFile'), settings.contents('keyFile')];
  if (!isAccepted({ cert: certificate }))
    settings.refuse('certificateFile', 'a file with a certificate, PEM');
  if (!isAccepted({ cert: certificate, key }))
    settings.refuse('keyFile', 'a file with the private key of certificateFile, PEM, without a passphrase');
  return { certificate, key };
}

/**
 * Refuses a file without certificates. TLS would accept it as an authority that has signed nothing, and refuse every
 * caller.
 */
export function readAuthority(settings: Settings, name: string): string {
  const pem = settings.contents(name);
  if (!hasCertificates(pem)) settings.refuse(name, 'a file with one certificate at least, PEM');
  return pem;
}

function hasCertificates(pem: string): boolean {
  try {
    return certificatesIn(pem).length > 0;
  } catch {
    return false;
  }
}

function isAccepted(identity: SecureContextOptions): boolean {
  try {
    createSecureContext(identity);
    return true;
  } catch {
    return false;
  }
}
