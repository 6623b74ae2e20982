/** Expiry of the rail's certificates, for the metrics. */
import type { RailCertificate } from '../../resolvers/services/rail-part.ts';
import { certificatesIn } from './certificates.ts';
import type { ApiPixSettings } from './settings.ts';

/**
 * @returns each certificate under its name in `doctor`. A file with several certificates has the earliest expiry of
 *   them.
 */
export function certificateEnds({ certificate, callback }: ApiPixSettings): readonly RailCertificate[] {
  const files = [
    ['certificate', certificate],
    ['callback certificate', callback?.listen?.certificate],
    ['callers’ authority', callback?.clientCa],
  ] as const;
  return files.flatMap(([name, pem]) => {
    const ends = pem ? endsIn(pem) : [];
    return ends.length > 0 ? [{ name, endsAtMs: Math.min(...ends) }] : [];
  });
}

/** An unreadable file has no expiry here; `doctor` reports it. */
function endsIn(pem: string): readonly number[] {
  try {
    return certificatesIn(pem).map(({ validToDate }) => validToDate.getTime());
  } catch {
    return [];
  }
}
